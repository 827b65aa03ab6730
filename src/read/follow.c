#include "read/follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

enum {
    LOOK_MS = 100, /* milliseconds between two checks for cancellation */
    LOOKS = 10,    /* number of checks per wait */
    KEPT = 4096,   /* first bytes, which identify a file that was overwritten */
};

struct Follow {
    Context *context;
    char *path;
    int file; /* open file; -1: none */
    dev_t device;
    ino_t inode;
    uint64_t at;    /* number of bytes read */
    bool elsewhere; /* the file was renamed before it was opened, and no longer grows */
    bool was_cut;
    bool waited; /* the end was reached and waited for, whether or not the file changes later */
    size_t kept; /* number of first bytes kept, as they were when they were read */
    char head[KEPT];
    int watch; /* inotify; -1: not available, and the file is polled ten times a second */
};

/* ---- waiting --------------------------------------------------------------------------------- */

/* Watches the file itself through renames. A new file of that name is found by polling. */
static void watch_file(Follow *follow)
{
#ifdef __linux__
    if (follow->watch >= 0)
        inotify_add_watch(follow->watch, follow->path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF);
#else
    (void)follow;
#endif
}

static Status wait_a_moment(Follow *follow, cleave_error *error)
{
    struct pollfd events = {.fd = follow->watch, .events = POLLIN};
    char drained[4096];

    if (clv_cancelled(follow->context))
        return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while waiting for %s",
                        follow->path);
    if (poll(&events, follow->watch >= 0, LOOK_MS) > 0)
        while (read(follow->watch, drained, sizeof drained) > 0)
            continue;
    return OK;
}

/* ---- which file ------------------------------------------------------------------------------ */

static Status take_file(Follow *follow, int file, const char *name, cleave_error *error)
{
    struct stat facts;

    if (fstat(file, &facts) != 0) {
        Status status = clv_fail_io(error, name, "cannot be read");

        close(file);
        return status;
    }
    if (!S_ISREG(facts.st_mode)) {
        close(file);
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "pass a pipe as an argument or as standard input",
                             "%s: only a regular file can be followed", name);
    }
    if (follow->file >= 0)
        close(follow->file);
    follow->file = file;
    follow->device = facts.st_dev;
    follow->inode = facts.st_ino;
    follow->at = 0;
    follow->kept = 0;
    follow->was_cut = follow->elsewhere = follow->waited = false;
    return OK;
}

/* Opens the file with this name. *opened is false if there is none. */
static Status open_by_name(Follow *follow, bool *opened, cleave_error *error)
{
    int file = open(follow->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *opened = file >= 0;
    if (file < 0)
        return errno == ENOENT ? OK : clv_fail_io(error, follow->path, "cannot be opened");
    TRY(take_file(follow, file, follow->path, error));
    watch_file(follow);
    return OK;
}

/* Finds the file of this identity, possibly renamed within the folder. */
static Status open_by_identity(Follow *follow, uint64_t device, uint64_t inode, bool *opened,
                               cleave_error *error)
{
    const char *slash = strrchr(follow->path, '/');
    size_t length = slash ? (size_t)(slash - follow->path) : 0;
    char *folder = clv_copy_string(follow->context,
                                   length  ? follow->path
                                   : slash ? "/"
                                           : ".",
                                   length ? length : 1);
    struct dirent *entry;
    Status status = OK;
    DIR *list;

    *opened = false;
    if (!folder)
        return clv_fail_memory(error, "a file name", length);
    list = opendir(folder);
    clv_free(follow->context, folder);
    while (list && !*opened && status == OK && (entry = readdir(list))) {
        struct stat facts;
        int file;

        if (fstatat(dirfd(list), entry->d_name, &facts, 0) != 0 || !S_ISREG(facts.st_mode) ||
            (uint64_t)facts.st_dev != device || (uint64_t)facts.st_ino != inode)
            continue;
        file = openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        status = take_file(follow, file, entry->d_name, error);
        follow->elsewhere = *opened = status == OK;
    }
    if (list)
        closedir(list);
    return status;
}

/* Returns whether the name belongs to another, non-empty file now, so that the writer has switched
 * to it. */
static bool is_replaced(const Follow *follow)
{
    struct stat there;

    return stat(follow->path, &there) == 0 && there.st_size > 0 &&
           (there.st_dev != follow->device || there.st_ino != follow->inode);
}

/* Returns whether the file was truncated, or overwritten beyond the current position. */
static bool is_cut(const Follow *follow)
{
    char head[KEPT];
    struct stat facts;

    if (fstat(follow->file, &facts) == 0 && (uint64_t)facts.st_size < follow->at)
        return true;
    return pread(follow->file, head, follow->kept, 0) != (ssize_t)follow->kept ||
           memcmp(head, follow->head, follow->kept) != 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void keep_head(Follow *follow, const char *bytes, size_t count)
{
    size_t capacity = KEPT - follow->kept;

    if (follow->kept < follow->at || capacity == 0)
        return;
    memcpy(follow->head + follow->kept, bytes, count < capacity ? count : capacity);
    follow->kept += count < capacity ? count : capacity;
}

static Status read_once(Follow *follow, void *buffer, size_t want, size_t *got, cleave_error *error)
{
    ssize_t count;

    do
        count = read(follow->file, buffer, want);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return clv_fail_io(error, follow->path, "reading failed");
    keep_head(follow, buffer, (size_t)count);
    follow->at += (uint64_t)count;
    *got = (size_t)count;
    return OK;
}

Status clv_follow_read(Follow *follow, void *buffer, size_t want, size_t *got, bool *ended,
                       cleave_error *error)
{
    *got = 0;
    *ended = false;
    for (int look = 0; look < LOOKS && follow->file < 0; look++) {
        bool opened;

        TRY(open_by_name(follow, &opened, error));
        if (!opened)
            TRY(wait_a_moment(follow, error));
    }
    for (int look = 0; look < LOOKS && follow->file >= 0; look++) {
        bool replaced;

        if (follow->waited && is_cut(follow)) {
            *ended = follow->was_cut = true;
            return OK;
        }
        replaced =
            follow->elsewhere ||
            is_replaced(
                follow); /* before the last read, so that all bytes written by then are read */
        TRY(read_once(follow, buffer, want, got, error));
        follow->waited = *got == 0;
        *ended = *got == 0 && replaced;
        if (*got || *ended)
            return OK;
        TRY(wait_a_moment(follow, error));
    }
    return OK;
}

Status clv_follow_next(Follow *follow, cleave_error *error)
{
    bool opened;

    if (follow->was_cut && lseek(follow->file, 0, SEEK_SET) == 0) {
        follow->at = follow->kept = 0;
        follow->was_cut = follow->waited = false;
        if (!is_replaced(follow))
            return OK;
    }
    if (follow->file >= 0)
        close(follow->file);
    follow->file = -1;
    return open_by_name(follow, &opened, error);
}

bool clv_follow_jump(Follow *follow, uint64_t count)
{
    struct stat facts;

    if (follow->file < 0 || fstat(follow->file, &facts) != 0 ||
        (uint64_t)facts.st_size < follow->at + count ||
        lseek(follow->file, (off_t)(follow->at + count), SEEK_SET) < 0)
        return false;
    follow->at += count;
    return true;
}

void clv_follow_identity(const Follow *follow, uint64_t *device, uint64_t *inode)
{
    *device = follow->file < 0 ? 0 : (uint64_t)follow->device;
    *inode = follow->file < 0 ? 0 : (uint64_t)follow->inode;
}

uint64_t clv_follow_size(const Follow *follow)
{
    struct stat facts;

    return follow->file >= 0 && fstat(follow->file, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

bool clv_follow_was_cut(const Follow *follow)
{
    return follow->was_cut;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static Status open_first(Follow *follow, uint64_t device, uint64_t inode, cleave_error *error)
{
    bool opened;

    follow->watch = -1;
#ifdef __linux__
    follow->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
    TRY(open_by_name(follow, &opened, error));
    if (inode == 0 ||
        (opened && (uint64_t)follow->device == device && (uint64_t)follow->inode == inode))
        return OK;
    return open_by_identity(follow, device, inode, &opened, error);
}

Status clv_follow_open(Context *context, const char *path, uint64_t device, uint64_t inode,
                       Follow **result, cleave_error *error)
{
    Follow *follow;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, follow, 1, "a file", error));
    follow->context = context;
    follow->file = follow->watch = -1;
    follow->path = clv_copy_string(context, path, strlen(path));
    status = follow->path ? open_first(follow, device, inode, error)
                          : clv_fail_memory(error, "a file name", strlen(path));
    if (status != OK) {
        clv_follow_close(follow);
        return status;
    }
    *result = follow;
    return OK;
}

void clv_follow_close(Follow *follow)
{
    if (!follow)
        return;
    if (follow->file >= 0)
        close(follow->file);
    if (follow->watch >= 0)
        close(follow->watch);
    FREE(follow->context, follow->path, follow);
}
