/*
 * A lock on a file that is read, changed and replaced: a flock on PATH.cleave-lock. The file itself
 * cannot carry the lock, because it is replaced by renaming. The lock ends with its process in
 * every case. The next owner reuses the lock file.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/memory.h"

typedef struct cleave_lock Lock;

/* Fails at once if another owner, in this process or another, holds the lock. */
Status clv_lock_open(Context *context, const char *path, Lock **lock, cleave_error *error);
void clv_lock_free(Lock *lock); /* accepts NULL */

#endif
