/*
 * A file that grows. It may be rotated (renamed, and another one made in its place) or cut back to nothing: then the file
 * that was read has ended, after its last byte, and the one that is there now is read from its first.
 */
#ifndef READ_FOLLOW_H
#define READ_FOLLOW_H

#include "base/memory.h"

typedef struct Follow Follow;

/* A file that is not there yet is waited for. device and inode, where not 0, are of the file that was read last time:
 * found under its new name where it was renamed since, it is read to its end first. */
Status clv_follow_open(Context *context, const char *path, uint64_t device, uint64_t inode, Follow **follow,
                       cleave_error *error);
void clv_follow_close(Follow *follow); /* NULL is fine */

/* What is at hand, one byte at the least: waits for it, but no longer than a second (then *got is 0 and *ended false).
 * *ended: this file will grow no more. */
Status clv_follow_read(Follow *follow, void *buffer, size_t want, size_t *got, bool *ended, cleave_error *error);
/* After the end of one: the file that is there now, from its first byte. */
Status clv_follow_next(Follow *follow, cleave_error *error);
/* Passes over bytes; false, and nothing is done, where there are not so many. */
bool clv_follow_jump(Follow *follow, uint64_t count);

/* Which file is being read; both 0 while there is none. */
void clv_follow_identity(const Follow *follow, uint64_t *device, uint64_t *inode);
/* Bytes there are of it by now; 0 while there is none. */
uint64_t clv_follow_size(const Follow *follow);
bool clv_follow_was_cut(const Follow *follow); /* the file ended because somebody cut it back */

#endif
