#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct cleave_lock {
    Context *context;
    char *name;
    int file;
};

/* The name of the lock file. It is beside the target of links, so that all names of a file share
 * one lock. */
static char *lock_name(Context *context, const char *path)
{
    char *real = realpath(path, NULL), *name;
    const char *target = real ? real : path;
    size_t length = strlen(target), size = length + sizeof ".cleave-lock";

    /* the path of a folder that does not exist yet */
    while (length > 1 && target[length - 1] == '/')
        length--;
    name = clv_alloc(context, size, 1);
    if (name)
        snprintf(name, size, "%.*s.cleave-lock", (int)length, target);
    free(real);
    return name;
}

static Status fail_taken(const Lock *lock, const char *path, cleave_error *error)
{
    char owner[24] = "";
    ssize_t length = pread(lock->file, owner, sizeof owner - 1, 0);

    owner[length > 0 ? strspn(owner, "0123456789") : 0] = '\0';
    clv_fail(error, CLEAVE_ERROR_IO, "%s: another process%s%s%s is writing this file", path,
             *owner ? " (" : "", owner, *owner ? ")" : "");
    return clv_hint(error, CLEAVE_ERROR_IO,
                    "wait until that process ends, or stop it; the lock file is %s", lock->name);
}

static Status take(Lock *lock, const char *path, bool *taken, cleave_error *error)
{
    char owner[24];
    int length = snprintf(owner, sizeof owner, "%ld\n", (long)getpid());
    struct stat facts;

    *taken = false;
    lock->file = open(lock->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (lock->file < 0 && errno == ENOENT) /* the folder does not exist */
        return clv_fail_io(error, path, "cannot be written");
    if (lock->file < 0)
        return clv_fail(error, CLEAVE_ERROR_IO,
                        "%s: cannot be written: its lock file %s cannot be opened: %s", path,
                        lock->name, strerror(errno));
    while (flock(lock->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return fail_taken(lock, path, error);
        if (errno == EINTR)
            continue;
        clv_warn(lock->context, "run only one process at a time on this model",
                 "%s: the file system does not support locks", path);
        break;
    }
    /* Checks that the last owner has not removed the file in the meantime. */
    *taken = fstat(lock->file, &facts) != 0 || facts.st_nlink > 0;
    /* The content is used in messages only, so a failure to write it is ignored. */
    if (*taken && ftruncate(lock->file, 0) == 0 && write(lock->file, owner, (size_t)length) < 0)
        errno = 0;
    return OK;
}

Status clv_lock_open(Context *context, const char *path, Lock **result, cleave_error *error)
{
    Lock *lock;
    Status status = OK;
    bool taken = false;

    *result = NULL;
    TRY(ALLOC_ZERO(context, lock, 1, "a lock", error));
    *lock = (Lock){.context = context, .name = lock_name(context, path), .file = -1};
    if (!lock->name)
        status = clv_fail_memory(error, "a file name", strlen(path));
    while (status == OK && !taken) {
        status = take(lock, path, &taken, error);
        if (!taken && lock->file >= 0) {
            close(lock->file);
            lock->file = -1;
        }
    }
    if (status != OK) {
        FREE(context, lock->name, lock);
        return status;
    }
    *result = lock;
    return OK;
}

void clv_lock_free(Lock *lock)
{
    Context *context;

    if (!lock)
        return;
    context = lock->context;
    unlink(lock->name);
    close(lock->file);
    FREE(context, lock->name, lock);
}

/* ---- public functions ------------------------------------------------------------------------ */

cleave_code cleave_lock_open(cleave_context *context, const char *path, cleave_lock **lock,
                             cleave_error *error)
{
    REQUIRE(context && path && lock);
    return clv_lock_open(context, path, lock, error);
}

void cleave_lock_free(cleave_lock *lock)
{
    clv_lock_free(lock);
}
