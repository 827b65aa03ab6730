#define _GNU_SOURCE /* O_TMPFILE */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { BUFFER_SIZE = 256 * 1024 };

struct cleave_output {
    Context *context;
    int file;
    char *path;      /* path of the target, after following links */
    char *temporary; /* NULL if the target is written directly */
    bool durable;
    bool standard;
    bool waits; /* writing may block: a pipe, terminal or device */
    mode_t mode;
    uint64_t position; /* number of bytes passed by the caller */
    size_t held;       /* number of bytes in buffer */
    char *buffer;
};

/* Waits for a pipe, which may take long. Checks ten times a second whether the call is
 * cancelled. */
static Status wait_for(Context *context, const char *name, int file, short events,
                       const atomic_bool *give_up, cleave_error *error)
{
    struct pollfd one = {.fd = file, .events = events};

    while (poll(&one, 1, 100) <= 0)
        if (clv_cancelled(context) || (give_up && atomic_load(give_up)))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while waiting for %s",
                            name);
    return OK;
}

static void free_output(Output *output)
{
    Context *context = output->context;

    FREE(context, output->buffer, output->path, output->temporary, output);
}

/*
 * Temporary files are PATH.cleave1.tmp, PATH.cleave2.tmp, … The writer of such a file holds its
 * lock (flock) until the file is renamed, and a lock ends with its process. A temporary file
 * without a lock was left by a killed run.
 */
/* number of names that are always checked; further names are checked only while these are taken */
enum { SLOTS = 8 };

static bool is_at(int file, const char *name)
{
    struct stat own, named;

    return fstat(file, &own) == 0 && lstat(name, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

/* Removes a file that a killed run has left. Files of other owners and files being written are
 * kept. */
static void remove_left(const char *name)
{
    struct stat facts;
    int file;

    if (lstat(name, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != geteuid())
        return;
    file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_at(file, name))
        unlink(name);
    close(file);
}

/* Creates a locked file of this name; false if the name is taken. Another process may remove the
 * file before it is locked: then it is created again. */
static bool make_locked(Output *output, const char *name)
{
    for (;;) {
        struct stat facts;
        int locked;

        output->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                            output->mode ? 0600 : 0666);
        if (output->file < 0)
            return false;
        do
            locked = flock(output->file, LOCK_EX);
        while (locked != 0 && errno == EINTR);
        /* If the file system has no locks, nothing was removed either. */
        if (locked != 0 || fstat(output->file, &facts) != 0 || facts.st_nlink > 0)
            return true;
        close(output->file);
    }
}

static Status open_temporary(Output *output, cleave_error *error)
{
    size_t size = strlen(output->path) + 32;
    char *name = clv_alloc(output->context, size, 1);
    Status status = OK;

    if (!name)
        return clv_fail_memory(error, "a file name", size);
    for (unsigned slot = SLOTS; slot > 0; slot--) {
        snprintf(name, size, "%s.cleave%u.tmp", output->path, slot);
        remove_left(name);
    }
    for (unsigned slot = 1; slot == 1 || (output->file < 0 && errno == EEXIST); slot++) {
        snprintf(name, size, "%s.cleave%u.tmp", output->path, slot);
        if (slot > SLOTS)
            remove_left(name);
        if (make_locked(output, name))
            break;
    }
    if (output->file < 0)
        status = clv_fail_io(error, output->path, "cannot be written");
    if (status != OK)
        clv_free(output->context, name);
    else
        output->temporary = name;
    return status;
}

/* Follows links: a link is kept, and its target is replaced. */
static char *resolve(Context *context, const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = clv_copy_string(context, real ? real : path, strlen(real ? real : path));

    free(real);
    return copy;
}

/* open() of a FIFO blocks until there is a reader, and would miss a signal that arrives just before
 * it. The FIFO is therefore opened without blocking, with ten attempts a second. */
static Status open_special(Output *output, const char *path, mode_t mode, cleave_error *error)
{
    bool fifo = S_ISFIFO(mode);

    if (!fifo && !S_ISCHR(mode))
        return clv_fail(error, CLEAVE_ERROR_IO, "%s: cannot be written: the path is a %s", path,
                        S_ISBLK(mode) ? "block device" : "socket");
    output->waits = true;
    for (;;) {
        output->file = open(path, O_WRONLY | O_CLOEXEC | (fifo ? O_NONBLOCK : 0));
        if (output->file >= 0 || !fifo || errno != ENXIO)
            break;
        if (clv_cancelled(output->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED,
                            "interrupted while waiting for a reader of %s", path);
        poll(NULL, 0, 100);
    }
    if (output->file < 0 || (fifo && fcntl(output->file, F_SETFL, 0) != 0))
        return clv_fail_io(error, path, "cannot be written");
    return OK;
}

static Status open_target(Output *output, const char *path, cleave_error *error)
{
    struct stat status;

    if (strcmp(path, "-") == 0) {
        output->standard = true;
        output->waits = fstat(STDOUT_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
        output->file = STDOUT_FILENO;
        output->path = clv_copy_string(output->context, "standard output", 15);
        return output->path ? OK : clv_fail_memory(error, "a file name", 15);
    }
    output->path = resolve(output->context, path);
    if (!output->path)
        return clv_fail_memory(error, "a file name", strlen(path));
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: cannot be written: the path is a folder",
                            path);
        if (!S_ISREG(status.st_mode))
            return open_special(output, path, status.st_mode, error);
        output->mode = status.st_mode & 07777;
        if (access(path, W_OK) != 0)
            return clv_fail_io(error, path, "cannot be written");
    }
    return open_temporary(output, error);
}

Status clv_output_open(Context *context, const char *path, bool durable, Output **result,
                       cleave_error *error)
{
    Output *output;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, output, 1, "an output file", error));
    output->context = context;
    output->file = -1;
    output->durable = durable;
    output->buffer = clv_alloc(context, BUFFER_SIZE, 1);
    status = output->buffer ? open_target(output, path, error)
                            : clv_fail_memory(error, "a write buffer", BUFFER_SIZE);
    if (status != OK) {
        clv_output_abandon(output);
        return status;
    }
    *result = output;
    return OK;
}

Status clv_output_from_file(Context *context, const char *name, int file, Output **result,
                            cleave_error *error)
{
    Output *output = clv_alloc_zero(context, 1, sizeof *output);

    *result = NULL;
    if (output) {
        output->context = context;
        output->file = file;
        output->buffer = clv_alloc(context, BUFFER_SIZE, 1);
        output->path = clv_copy_string(context, name, strlen(name));
    }
    if (!output || !output->buffer || !output->path) {
        if (output)
            free_output(output);
        close(file);
        return clv_fail_memory(error, "an output file", BUFFER_SIZE);
    }
    *result = output;
    return OK;
}

static Status write_all(Output *output, const char *bytes, size_t size, cleave_error *error)
{
    /* A pipe that is ready accepts PIPE_BUF bytes without blocking, so cancellation is noticed. */
    size_t most = output->waits ? PIPE_BUF : SIZE_MAX;

    while (size > 0) {
        ssize_t written;

        if (output->waits)
            TRY(wait_for(output->context, output->path, output->file, POLLOUT, NULL, error));
        written = write(output->file, bytes, size < most ? size : most);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return clv_fail_io(error, output->path, "writing failed");
        bytes += written;
        size -= (size_t)written;
    }
    return OK;
}

static Status flush(Output *output, cleave_error *error)
{
    size_t held = output->held;

    output->held = 0;
    return write_all(output, output->buffer, held, error);
}

Status clv_output_write(Output *output, const void *bytes, size_t size, cleave_error *error)
{
    output->position += size;
    if (output->held + size > BUFFER_SIZE)
        TRY(flush(output, error));
    if (size >= BUFFER_SIZE)
        return write_all(output, bytes, size, error);
    if (size)
        memcpy(output->buffer + output->held, bytes, size);
    output->held += size;
    return OK;
}

uint64_t clv_output_position(const Output *output)
{
    return output->position;
}

static Status close_file(Output *output, cleave_error *error)
{
    int file = output->file;

    output->file = -1;
    if (output->standard)
        return OK;
    return close(file) == 0 || errno == EINTR ? OK
                                              : clv_fail_io(error, output->path, "writing failed");
}

Status clv_output_commit(Output *output, cleave_error *error)
{
    Status status = flush(output, error);
    int lock = -1;

    if (status == OK && output->temporary) {
        if (output->mode && fchmod(output->file, output->mode) != 0)
            status = clv_fail_io(error, output->path, "its permissions cannot be preserved");
        else if (output->durable && fsync(output->file) != 0)
            status = clv_fail_io(error, output->path, "writing failed");
    }
    if (output->temporary)
        lock = dup(output->file); /* a duplicate keeps the lock until the file is renamed */
    THEN(status, close_file(output, error));
    if (status == OK && output->temporary && rename(output->temporary, output->path) != 0)
        status = clv_fail_io(error, output->path, "cannot be replaced");
    if (status != OK)
        clv_output_abandon(output);
    else
        free_output(output);
    if (lock >= 0)
        close(lock);
    return status;
}

void clv_output_abandon(Output *output)
{
    if (!output)
        return;
    if (output->temporary)
        unlink(output->temporary);
    if (output->file >= 0 && !output->standard)
        close(output->file);
    free_output(output);
}

/* ---- input ----------------------------------------------------------------------------------- */

Status clv_input_wait(Context *context, const char *name, int file, const atomic_bool *give_up,
                      cleave_error *error)
{
    return wait_for(context, name, file, POLLIN, give_up, error);
}

/* open() of a FIFO blocks until there is a writer, and a signal just before it would be lost.
 * The FIFO is therefore opened without blocking. */
Status clv_input_open(Context *context, const char *path, int *file, cleave_error *error)
{
    struct stat facts;
    Status status = OK;

    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0)
        return clv_fail_io(error, path, "cannot be opened");
    if (fstat(*file, &facts) != 0 || fcntl(*file, F_SETFL, 0) != 0)
        status = clv_fail_io(error, path, "cannot be opened");
    else if (S_ISDIR(facts.st_mode))
        status = clv_fail(error, CLEAVE_ERROR_IO, "%s: cannot be read: the path is a folder", path);
    else if (S_ISFIFO(facts.st_mode))
        status = clv_input_wait(context, path, *file, NULL, error);
    if (status != OK) {
        close(*file);
        *file = -1;
    }
    return status;
}

Status clv_input_read(Context *context, const char *path, int file, bool regular, size_t enough,
                      Buffer *bytes, cleave_error *error)
{
    enum { AT_ONCE = 1 << 20 };

    while (bytes->size < enough) {
        size_t want = enough - bytes->size < AT_ONCE ? enough - bytes->size : AT_ONCE;
        ssize_t got;

        if (!regular)
            TRY(clv_input_wait(context, path, file, NULL, error));
        TRY(GROW(context, bytes->data, bytes->capacity, bytes->size + want, error));
        got = read(file, bytes->data + bytes->size, want);
        if (got < 0 && errno != EINTR)
            return clv_fail_io(error, path, "reading failed");
        if (got == 0)
            return OK;
        if (got > 0)
            bytes->size += (size_t)got;
    }
    return OK;
}

bool clv_regular_file(const char *path, uint64_t *size)
{
    struct stat facts;

    if (strcmp(path, "-") == 0 || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    *size = (uint64_t)facts.st_size;
    return true;
}

bool clv_is_inside(const char *path, const char *folder)
{
    char *file = realpath(path, NULL), *top = realpath(folder, NULL);
    size_t length = top ? strlen(top) : 0;
    bool inside = file && top && strncmp(file, top, length) == 0 &&
                  (file[length] == '/' || (length == 1 && *top == '/'));

    free(file);
    free(top);
    return inside;
}

bool clv_would_be_inside(Context *context, const char *path, const char *folder)
{
    size_t length = strlen(path);
    char *parent, *slash;
    bool inside;

    while (length > 1 && path[length - 1] == '/')
        length--;
    parent = clv_copy_string(context, path, length);
    if (!parent)
        return false;
    slash = strrchr(parent, '/');
    if (slash)
        slash[slash == parent] = '\0';
    inside = clv_same_file(slash ? parent : ".", folder) ||
             clv_is_inside(slash ? parent : ".", folder);
    clv_free(context, parent);
    return inside;
}

bool clv_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

enum { TMPFS = 0x01021994 }; /* TMPFS_MAGIC of <linux/magic.h>, which only Linux has */

const char *clv_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    struct statfs facts;

    if (folder && *folder)
        return folder;
    if (statfs("/tmp", &facts) == 0 && facts.f_type == TMPFS && access("/var/tmp", W_OK) == 0)
        return "/var/tmp";
    return "/tmp";
}

/* Creates an unnamed file if the file system supports it: a killed process leaves nothing. */
static int open_nameless(const char *name)
{
    const char *slash = strrchr(name, '/');
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
    return open(*folder ? folder : "/", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

Status clv_temporary_file(Context *context, const char *path, int *file, cleave_error *error)
{
    const char *folder = clv_temporary_folder();
    Status status = OK;
    size_t size;
    char *name;

    *file = -1;
    size = (path ? strlen(path) : strlen(folder)) + 32;
    TRY(clv_new(context, &name, size, 1, false, "a file name", error));
    if (path)
        snprintf(name, size, "%s.XXXXXX", path);
    else
        snprintf(name, size, "%s/cleave.XXXXXX", folder);
    *file = open_nameless(name);
    if (*file < 0) {
        *file = mkstemp(name);
        if (*file < 0)
            status = clv_fail_io(error, name, "a temporary file cannot be created");
        else
            unlink(name);
    }
    clv_free(context, name);
    return status;
}

Status clv_temporary_write(int file, const void *bytes, size_t size, cleave_error *error)
{
    for (size_t at = 0; at < size;) {
        ssize_t written = write(file, (const char *)bytes + at, size - at);

        if (written >= 0)
            at += (size_t)written;
        else if (errno != EINTR)
            return clv_fail_io(error, "temporary file", "writing failed");
    }
    return OK;
}

/* ---- public functions ------------------------------------------------------------------------ */

cleave_code cleave_output_open(cleave_context *context, const char *path, cleave_output **output,
                               cleave_error *error)
{
    REQUIRE(context && path && output);
    return clv_output_open(context, path, true, output, error);
}

cleave_code cleave_output_write(cleave_output *output, const void *bytes, size_t size,
                                cleave_error *error)
{
    REQUIRE(output && (bytes || size == 0));
    return clv_output_write(output, bytes, size, error);
}

cleave_code cleave_output_commit(cleave_output *output, cleave_error *error)
{
    REQUIRE(output);
    return clv_output_commit(output, error);
}

void cleave_output_abandon(cleave_output *output)
{
    clv_output_abandon(output);
}
