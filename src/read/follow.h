/*
 * Follows a growing file. When the file is rotated (renamed and replaced) or truncated, the old
 * file ends after its last byte and the new file is read from its first byte.
 */
#ifndef READ_FOLLOW_H
#define READ_FOLLOW_H

#include "base/memory.h"

typedef struct Follow Follow;

/* Waits for a file that does not exist yet. device and inode, if not 0, identify the file of the
 * previous run. If that file was renamed since, it is read to its end first. */
Status clv_follow_open(Context *context, const char *path, uint64_t device, uint64_t inode,
                       Follow **follow, cleave_error *error);
void clv_follow_close(Follow *follow); /* accepts NULL */

/* Reads the available bytes, at least one. Waits for at most a second; then *got is 0 and *ended is
 * false. *ended: this file no longer grows. */
Status clv_follow_read(Follow *follow, void *buffer, size_t want, size_t *got, bool *ended,
                       cleave_error *error);
/* After the end of a file: opens the current file of that name at its first byte. */
Status clv_follow_next(Follow *follow, cleave_error *error);
/* Skips bytes. Returns false, without an effect, if fewer bytes exist. */
bool clv_follow_jump(Follow *follow, uint64_t count);

/* Identifies the current file; both 0 without a file. */
void clv_follow_identity(const Follow *follow, uint64_t *device, uint64_t *inode);
/* Returns the current size of the file; 0 without a file. */
uint64_t clv_follow_size(const Follow *follow);
bool clv_follow_was_cut(const Follow *follow); /* the file ended because it was truncated */

#endif
