/*
 * Watches a folder for new documents: with inotify, or by polling if inotify is unavailable, the
 * folder is on a network file system, or the user requests it.
 *
 * A document is complete when its writer closes it or moves it into the folder. A file whose
 * creation was not observed (files that existed before, all files when polling) is complete when
 * its size and modification time have not changed for SETTLED_SECONDS. A file in `new` or `cur` of
 * a maildir is always complete: mail is written in `tmp`.
 */
#ifndef READ_WATCH_H
#define READ_WATCH_H

#include "base/memory.h"

#define SETTLED_SECONDS 1.0

typedef struct Watch Watch;

/* poll_seconds: the interval; 0: inotify if possible. */
Status clv_watch_open(Context *context, const char *path, double poll_seconds, Watch **watch,
                      cleave_error *error);
void clv_watch_close(Watch *watch); /* accepts NULL */

/* FolderOptions.entered with the watch as user: starts to watch the folder. */
void clv_watch_entered(void *watch, const char *path, bool maildir);

/* Waits for at most a second. Sets *due if the folder should be listed again. */
Status clv_watch_wait(Watch *watch, bool *due, cleave_error *error);
/* Mark the start and the end of a listing; its duration limits the frequency of listings. */
void clv_watch_listing(Watch *watch, bool begins);

/* Returns whether the document at this path below the folder is complete. Called for each unread
 * document of a listing. */
Status clv_watch_complete(Watch *watch, const char *path, size_t length, uint64_t size,
                          int64_t modified, bool *complete, cleave_error *error);
/* Marks the document as read. */
void clv_watch_forget(Watch *watch, const char *path, size_t length);

#endif
