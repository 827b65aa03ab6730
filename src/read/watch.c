#define _GNU_SOURCE
#include "read/watch.h"

#include "base/hash_table.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#include <sys/vfs.h>
#endif

enum {
    LOOK_MS = 100,    /* milliseconds between two checks for cancellation */
    LOOKS = 10,       /* number of checks per wait */
    FIRST_FILES = 64, /* initial number of slots */
    DRAINED = 16 * 1024
};
/* minimum ratio of the time between listings to the duration of a listing */
#define LISTING_SHARE 10
#define POLL_SECONDS 1.0

typedef enum { UNKNOWN, WRITING, COMPLETE } FileState;

/* An unread file. */
typedef struct {
    uint64_t key; /* hash of the path below the folder; 0: free slot */
    FileState state;
    uint64_t size;
    int64_t modified;
    double since; /* start of the listing that found the current size and time; 0: none */
    bool gone;
} File;

typedef struct {
    char *path; /* path below the folder; NULL: not watched */
    bool maildir;
} Watched;

struct Watch {
    Context *context;
    char *path;
    int events; /* inotify; -1: polling */
    double poll_seconds;
    Watched *watched; /* watched folders by watch descriptor */
    size_t watched_capacity;
    File *file; /* hash table with open addressing */
    size_t files, slots;
    /* number of incomplete files of the last listing without a pending event */
    uint64_t undecided;
    bool due;                    /* the folder has changed since the last listing */
    double listed, listing_took; /* end of the last listing, and its duration */
    double began, longest_listing;
    Buffer name;
    Status failed; /* memory error in a callback that cannot fail */
    cleave_error error;
};

/* ---- files ----------------------------------------------------------------------------------- */

static uint64_t key_of(const Watch *watch, const char *path, size_t length)
{
    uint64_t key = clv_keyed_hash(watch->context->hash_key, path, length, 0);

    return key ? key : 1;
}

static File *slot_of(File *file, size_t slots, uint64_t key)
{
    size_t at = (size_t)key & (slots - 1);

    while (file[at].key && file[at].key != key)
        at = (at + 1) & (slots - 1);
    return &file[at];
}

/* Makes space for one more file, and drops vanished files. */
static Status grow(Watch *watch, cleave_error *error)
{
    size_t kept = 0, slots = FIRST_FILES;
    File *file;

    for (size_t i = 0; i < watch->slots; i++)
        kept += watch->file[i].key && !watch->file[i].gone;
    while (slots < 4 * (kept + 1))
        slots *= 2;
    TRY(ALLOC_ZERO(watch->context, file, slots, "files of a folder", error));
    for (size_t i = 0; i < watch->slots; i++)
        if (watch->file[i].key && !watch->file[i].gone)
            *slot_of(file, slots, watch->file[i].key) = watch->file[i];
    clv_free(watch->context, watch->file);
    watch->file = file;
    watch->files = kept;
    watch->slots = slots;
    return OK;
}

static Status find_file(Watch *watch, const char *path, size_t length, File **file,
                        cleave_error *error)
{
    uint64_t key = key_of(watch, path, length);

    if (2 * (watch->files + 1) > watch->slots)
        TRY(grow(watch, error));
    *file = slot_of(watch->file, watch->slots, key);
    if ((*file)->key == 0) {
        (*file)->key = key;
        watch->files++;
    } else if ((*file)->gone) {
        **file = (File){.key = key};
    }
    return OK;
}

void clv_watch_forget(Watch *watch, const char *path, size_t length)
{
    File *file = watch->slots ? slot_of(watch->file, watch->slots, key_of(watch, path, length))
                              : NULL;

    if (file && file->key)
        file->gone = true;
}

Status clv_watch_complete(Watch *watch, const char *path, size_t length, uint64_t size,
                          int64_t modified, bool *complete, cleave_error *error)
{
    File *file;

    TRY(find_file(watch, path, length, &file, error));
    if (file->since == 0 || file->size != size || file->modified != modified) {
        file->size = size;
        file->modified = modified;
        file->since = watch->began;
    }
    /* Time is counted by listings, so that files of one listing become complete in the same later
     * listing and are read in order. */
    *complete = file->state == COMPLETE ||
                (file->state == UNKNOWN &&
                 watch->began - file->since >= SETTLED_SECONDS + watch->longest_listing);
    watch->undecided += !*complete && file->state == UNKNOWN;
    return OK;
}

/* ---- events ---------------------------------------------------------------------------------- */

#ifdef __linux__

static void keep_failure(Watch *watch, Status status)
{
    if (watch->failed == OK)
        watch->failed = status;
}

static const char *join(Watch *watch, const char *top, const char *name, size_t *length)
{
    Buffer *path = &watch->name;
    Status status = OK;

    path->size = 0;
    if (*top) {
        status = clv_buffer_add(watch->context, path, top, strlen(top), &watch->error);
        if (status == OK && *name)
            status = clv_buffer_add(watch->context, path, "/", 1, &watch->error);
    }
    THEN(status, clv_buffer_add(watch->context, path, name, strlen(name) + 1, &watch->error));
    if (status != OK)
        keep_failure(watch, status);
    *length = path->size ? path->size - 1 : 0;
    return status == OK ? path->data : NULL;
}

/* Returns whether an entry is a link. A link to an existing file is complete, because the file is
 * not written through it. */
static bool is_link(Watch *watch, const char *below)
{
    size_t size = strlen(watch->path) + strlen(below) + 2;
    char *path = clv_alloc(watch->context, size, 1);
    struct stat facts;
    bool link = false;

    if (path) {
        snprintf(path, size, "%s/%s", watch->path, below);
        link = lstat(path, &facts) == 0 && (S_ISLNK(facts.st_mode) || facts.st_nlink > 1);
    }
    clv_free(watch->context, path);
    return link;
}

static void take_file_event(Watch *watch, const Watched *folder, const struct inotify_event *event)
{
    size_t length;
    const char *path = join(watch, folder->path, event->name, &length);
    File *file;
    Status status;

    if (!path)
        return;
    if (event->mask & (IN_DELETE | IN_MOVED_FROM)) {
        clv_watch_forget(watch, path, length);
        return;
    }
    status = find_file(watch, path, length, &file, &watch->error);
    if (status != OK) {
        keep_failure(watch, status);
        return;
    }
    file->state = event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO) || folder->maildir ||
                          (event->mask & IN_CREATE && is_link(watch, path))
                      ? COMPLETE
                      : WRITING;
    watch->due = watch->due || file->state == COMPLETE;
}

/* Handles lost events: it is unknown which files are being written. */
static void lose_events(Watch *watch)
{
    watch->due = true;
    for (size_t i = 0; i < watch->slots; i++)
        if (watch->file[i].state == WRITING)
            watch->file[i].state = UNKNOWN;
}

static void take_event(Watch *watch, const struct inotify_event *event)
{
    const Watched *folder = event->wd >= 0 && (size_t)event->wd < watch->watched_capacity
                                ? &watch->watched[event->wd]
                                : NULL;

    if (event->mask & IN_Q_OVERFLOW)
        lose_events(watch);
    else if (event->mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
        watch->due = true;
    else if (folder && folder->path && event->len > 0 && event->name[0] != '.')
        take_file_event(watch, folder, event);
}

static void drain(Watch *watch)
{
    _Alignas(struct inotify_event) char bytes[DRAINED];
    ssize_t got;

    while ((got = read(watch->events, bytes, sizeof bytes)) > 0)
        for (const char *at = bytes; at < bytes + got;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)at;

            take_event(watch, event);
            at += sizeof *event + event->len;
        }
}

/* Returns whether a file system reports writes by others. Network and user-space file systems do
 * not: NFS, CIFS, SMB 2, SMB, FUSE and 9P (statfs(2)). */
static bool reports_events(const char *path)
{
    static const unsigned long silent[] = {0x6969, 0xFF534D42, 0xFE534D42,
                                           0x517B, 0x65735546, 0x01021997};
    struct statfs facts;

    for (size_t i = 0; statfs(path, &facts) == 0 && i < sizeof silent / sizeof *silent; i++)
        if (((unsigned long)facts.f_type & 0xFFFFFFFF) == silent[i])
            return false;
    return true;
}

static void watch_folder(Watch *watch, const char *below, bool maildir)
{
    size_t length, size = strlen(watch->path) + strlen(below) + 2;
    char *path = clv_alloc(watch->context, size, 1);
    Watched *watched;
    int number = -1, reason = ENOMEM;

    if (path) {
        snprintf(path, size, "%s%s%s", watch->path, *below ? "/" : "", below);
        number = inotify_add_watch(watch->events, path,
                                   IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO |
                                       IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF |
                                       IN_ONLYDIR);
        reason = errno;
        clv_free(watch->context, path);
    }
    /* it was removed since it was opened */
    if (number < 0 && (reason == ENOENT || reason == ENOTDIR)) {
        watch->due = true;
        return;
    }
    if (number < 0) { /* in most cases, the limit of the system is reached */
        close(watch->events);
        watch->events = -1;
        watch->poll_seconds = POLL_SECONDS;
        lose_events(watch);
        return;
    }
    if ((size_t)number >= watch->watched_capacity) {
        size_t before = watch->watched_capacity;
        Status status = GROW(watch->context, watch->watched, watch->watched_capacity,
                             (size_t)number + 1, &watch->error);

        if (status != OK) {
            keep_failure(watch, status);
            return;
        }
        memset(watch->watched + before, 0,
               (watch->watched_capacity - before) * sizeof *watch->watched);
    }
    watched = &watch->watched[number];
    length = strlen(below);
    if (!watched->path || strcmp(watched->path, below) != 0) {
        clv_free(watch->context, watched->path);
        watched->path = clv_copy_string(watch->context, below, length);
        if (!watched->path)
            keep_failure(watch, clv_fail_memory(&watch->error, "a path", length));
    }
    watched->maildir = maildir;
}

#endif

void clv_watch_entered(void *user, const char *path, bool maildir)
{
#ifdef __linux__
    Watch *watch = user;

    if (watch->events >= 0)
        watch_folder(watch, path, maildir);
#else
    (void)user;
    (void)path;
    (void)maildir;
#endif
}

/* ---- waiting --------------------------------------------------------------------------------- */

void clv_watch_listing(Watch *watch, bool begins)
{
    double now = clv_now();

    if (begins) {
#ifdef __linux__
        if (watch->events >= 0)
            drain(watch);
#endif
        watch->began = now;
        watch->due = false;
        watch->undecided = 0;
        return;
    }
    watch->listed = now;
    watch->listing_took = now - watch->began;
    if (watch->listing_took > watch->longest_listing)
        watch->longest_listing = watch->listing_took;
}

static bool is_due(const Watch *watch, double now)
{
    double since = now - watch->listed;

    if (since < LISTING_SHARE * watch->listing_took)
        return false;
    if (watch->events < 0)
        return since >= watch->poll_seconds;
    return watch->due || (watch->undecided && since >= SETTLED_SECONDS / 4);
}

Status clv_watch_wait(Watch *watch, bool *due, cleave_error *error)
{
    *due = false;
    for (int look = 0; look < LOOKS; look++) {
        struct pollfd events = {.fd = watch->events, .events = POLLIN};

        if (clv_cancelled(watch->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while waiting for %s",
                            watch->path);
#ifdef __linux__
        if (watch->events >= 0)
            drain(watch);
#endif
        if (watch->failed != OK) {
            if (error)
                *error = watch->error;
            return watch->failed;
        }
        *due = is_due(watch, clv_now());
        if (*due)
            return OK;
        /* An event without an effect would end the poll again and again. */
        if (watch->due)
            poll(NULL, 0, LOOK_MS);
        else
            poll(&events, watch->events >= 0, LOOK_MS);
    }
    return OK;
}

/* ---- opening and closing --------------------------------------------------------------------- */

Status clv_watch_open(Context *context, const char *path, double poll_seconds, Watch **result,
                      cleave_error *error)
{
    Watch *watch;

    *result = NULL;
    TRY(ALLOC_ZERO(context, watch, 1, "a folder", error));
    watch->context = context;
    watch->events = -1;
    watch->poll_seconds = poll_seconds > 0 ? poll_seconds : POLL_SECONDS;
    watch->path = clv_copy_string(context, path, strlen(path));
    if (!watch->path) {
        clv_watch_close(watch);
        return clv_fail_memory(error, "a path", strlen(path));
    }
#ifdef __linux__
    if (poll_seconds == 0 && reports_events(path))
        watch->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
    watch->due = true;
    *result = watch;
    return OK;
}

void clv_watch_close(Watch *watch)
{
    if (!watch)
        return;
    if (watch->events >= 0)
        close(watch->events);
    for (size_t i = 0; i < watch->watched_capacity; i++)
        clv_free(watch->context, watch->watched[i].path);
    FREE(watch->context, watch->watched, watch->file, watch->name.data, watch->path, watch);
}
