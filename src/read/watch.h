/*
 * Watching a folder for new documents: by inotify, or by looking at intervals where there is none, where the folder is on a
 * network, or where the user asks for it.
 *
 * A document counts as complete when its writer has closed it or moved it into the folder. What was not seen from its creation on
 * (files that were there before, everything where intervals are used) is complete when its size and its time of modification
 * have not changed for SETTLED_SECONDS. A file in `new` or `cur` of a maildir is complete: mail is written in `tmp`.
 */
#ifndef READ_WATCH_H
#define READ_WATCH_H

#include "base/memory.h"

#define SETTLED_SECONDS 1.0

typedef struct Watch Watch;

/* poll_seconds: the interval; 0: by inotify where possible. */
Status clv_watch_open(Context *context, const char *path, double poll_seconds, Watch **watch, cleave_error *error);
void clv_watch_close(Watch *watch); /* NULL is fine */
bool clv_watch_polls(const Watch *watch);

/* As FolderOptions.entered, with the watch as user: watches the folder from now on. */
void clv_watch_entered(void *watch, const char *path, bool maildir);

/* Waits, a second at the most, until the folder should be listed (again): *due. */
Status clv_watch_wait(Watch *watch, bool *due, cleave_error *error);
/* A listing begins, and ends: how long it takes limits how often there is one. */
void clv_watch_listing(Watch *watch, bool begins);

/* Whether the document at this path below the folder is complete. Called for each document of a listing that has not been read. */
Status clv_watch_complete(Watch *watch, const char *path, size_t length, uint64_t size, int64_t modified,
                          bool *complete, cleave_error *error);
/* The document has been read. */
void clv_watch_forget(Watch *watch, const char *path, size_t length);

#endif
