/*
 * A folder of documents: FOLDER/class/document, a class being all that is below a folder of the first level, however deep;
 * or FOLDER/document, which has no classes.
 *
 * The order is that of the names, byte by byte, folders in between documents, whatever order the disk has them in. Names
 * that begin with a dot are skipped; a hidden folder beside the class folders is named in a note. Links are followed; one
 * that leads back to a folder it is in is an error, as is anything that is neither a file nor a folder. Beside folders of classes, plain files have no class: they are passed over
 * with a warning, as are folders without documents.
 *
 * A folder with folders `cur` and `new` in it is a maildir: the documents in these two belong to the class of the maildir (to none
 * where it is the folder given), and everything else in it is skipped.
 *
 * Only names are kept: a document is opened, from the folder it is in, when it is read.
 */
#ifndef READ_FOLDER_H
#define READ_FOLDER_H

#include "base/memory.h"

typedef struct Folder Folder;

bool clv_is_folder(const char *path);

typedef struct {
    bool tell;          /* log what looks like a mistake */
    bool check_classes; /* … and class folders that look like something else */
    bool keep_beside;   /* files beside class folders are documents without a class */
    bool may_be_empty;
    /* Called before a folder is listed; path is below the top ("" is the top). maildir: it is `cur` or `new` of a maildir. */
    void (*entered)(void *user, const char *path, bool maildir);
    void *user;
} FolderOptions;

/* Lists the folder. A folder without a document is an error, unless it may be empty. */
Status clv_folder_open(Context *context, const char *path, const FolderOptions *options, Folder **folder,
                       cleave_error *error);
/* Keeps the documents whose class `keeps` accepts, and returns how many were dropped. */
uint64_t clv_folder_keep(Folder *folder, bool (*keeps)(const void *user, const char *class_name, size_t length),
                         const void *user);
void clv_folder_close(Folder *folder); /* NULL is fine */

uint64_t clv_folder_documents(const Folder *folder);
bool clv_folder_has_classes(const Folder *folder);

/* Of a document, from 0: its class (empty without classes) and what it is called below the folder: in *name, which holds
 * until the buffer is changed. */
void clv_folder_class(const Folder *folder, uint64_t number, const char **class_name, size_t *length);
Status clv_folder_name(const Folder *folder, uint64_t number, Buffer *name, cleave_error *error);

/* The documents at these places, in this order, are those of the folder from now on. */
Status clv_folder_select(Folder *folder, const uint64_t *order, uint64_t count, cleave_error *error);

/* What identifies a document among all that have been in the folder: its path below the folder. In a maildir the folder `new` or
 * `cur` and the flags behind the name do not count. */
Status clv_folder_key(const Folder *folder, uint64_t number, uint64_t seed, Buffer *text, uint64_t *key,
                      cleave_error *error);

/* Size and time of modification, in nanoseconds; false where the document is not there. */
bool clv_folder_facts(const Folder *folder, uint64_t number, uint64_t *size, int64_t *modified);

/* The path for a message, shortened in the middle where it does not fit. */
enum { FOLDER_PATH_SIZE = 512 };
const char *clv_folder_path(const Folder *folder, uint64_t number, char path[FOLDER_PATH_SIZE]);

/* Reading one document after the other: zeroed at first, closed at the end. Each thread has its own. */
typedef struct {
    bool open;
    int file;       /* of the folder the last document was in */
    uint32_t place; /* and its number */
} FolderDesk;

/* The whole document in *text, which grows; at least slack bytes of room follow it. The error does not name the document. */
Status clv_folder_read(const Folder *folder, uint64_t number, FolderDesk *desk, char **text, size_t *capacity,
                       size_t slack, size_t *size, cleave_error *error);
void clv_folder_leave(FolderDesk *desk);

#endif
