/*
 * A folder of documents: FOLDER/class/document, or FOLDER/document without classes. A class
 * contains all documents below a folder of the first level, at any depth.
 *
 * Documents are ordered by name, byte by byte, independent of the order on disk. Names that start
 * with a dot are skipped; a note names a hidden folder beside the class folders. Links are
 * followed. A link to a parent folder is an error, as is an entry that is neither a file nor a
 * folder. Beside class folders, plain files have no class: they are skipped with a warning, as are
 * folders without documents.
 *
 * A folder with subfolders `cur` and `new` is a maildir. The documents in these two belong to the
 * class of the maildir (no class for the top folder); its other entries are skipped.
 *
 * Only names are stored. A document is opened relative to its folder when it is read.
 */
#ifndef READ_FOLDER_H
#define READ_FOLDER_H

#include "base/memory.h"

typedef struct Folder Folder;

bool clv_is_folder(const char *path);

typedef struct {
    bool report;        /* warns of likely mistakes */
    bool check_classes; /* warns of class folders that look like other data */
    bool keep_beside;   /* files beside class folders are documents without a class */
    bool may_be_empty;
    bool changing; /* missing, unlistable and special entries are skipped without an error */
    /* Called before a folder is listed; path is relative to the top ("" is the top). maildir: `cur`
     * or `new` of a maildir. */
    void (*entered)(void *user, const char *path, bool maildir);
    void *user;
} FolderOptions;

/* Lists the folder. A folder without a document is an error unless it may be empty. */
Status clv_folder_open(Context *context, const char *path, const FolderOptions *options,
                       Folder **folder, cleave_error *error);
/* Keeps the documents whose class `keeps` accepts, and returns the number of dropped documents. */
uint64_t clv_folder_keep(Folder *folder,
                         bool (*keeps)(const void *user, const char *class_name, size_t length),
                         const void *user);
void clv_folder_close(Folder *folder); /* accepts NULL */

/* Counts the skipped entries of a changing folder, except vanished ones; *first is a path. */
uint64_t clv_folder_passed_over(const Folder *folder, const char **first);

uint64_t clv_folder_documents(const Folder *folder);
bool clv_folder_has_classes(const Folder *folder);

/* Returns the class of a document (counted from 0; empty without classes) and its path below the
 * folder in *name, which is valid until the buffer changes. */
void clv_folder_class(const Folder *folder, uint64_t number, const char **class_name,
                      size_t *length);
Status clv_folder_name(const Folder *folder, uint64_t number, Buffer *name, cleave_error *error);

/* Replaces the documents with those at these positions, in this order. */
Status clv_folder_select(Folder *folder, const uint64_t *order, uint64_t count,
                         cleave_error *error);

/* Returns the key of a document: its path below the folder. In a maildir the folder `new` or `cur`
 * and the flags after the name are not part of the key. */
Status clv_folder_key(const Folder *folder, uint64_t number, uint64_t seed, Buffer *text,
                      uint64_t *key, cleave_error *error);

/* Returns size and modification time in nanoseconds; false if the document does not exist. */
bool clv_folder_facts(const Folder *folder, uint64_t number, uint64_t *size, int64_t *modified);

/* Formats the path for a message, shortened in the middle if necessary. */
enum { FOLDER_PATH_SIZE = 512 };
const char *clv_folder_path(const Folder *folder, uint64_t number, char path[FOLDER_PATH_SIZE]);

/* State for reading one document after the other: zeroed first, closed at the end. One per
 * thread. */
typedef struct {
    bool open;
    int file;       /* folder of the last document */
    uint32_t place; /* number of that folder */
} FolderCursor;

/* Reads the whole document into *text, which grows; at least `slack` bytes follow it. The error
 * does not name the document. */
Status clv_folder_read(const Folder *folder, uint64_t number, FolderCursor *cursor, char **text,
                       size_t *capacity, size_t slack, size_t *size, cleave_error *error);
void clv_folder_leave(FolderCursor *cursor);

#endif
