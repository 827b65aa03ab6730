/*
 * A lock on a file that is read, changed and replaced. It is a flock on PATH.cleave-lock, and not on the file itself,
 * which is replaced by renaming. The lock ends with its process, however that ends; the next owner takes over the file.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/memory.h"

typedef struct cleave_lock Lock;

/* Fails at once where another owner, in this process or another, has the lock. */
Status clv_lock_open(Context *context, const char *path, Lock **lock, cleave_error *error);
void clv_lock_free(Lock *lock); /* NULL is fine */

#endif
