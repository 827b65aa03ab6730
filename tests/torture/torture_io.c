/*
 * Makes the n-th system call fail, for n = 1, 2, 3, … until there is no further call, in three
 * ways: an error (EIO, for mmap ENOMEM, for writing ENOSPC), an interruption (EINTR), and a read or
 * write that transfers only one byte. Each run must end with an error, no output and no open file,
 * or with the right output. A short read or write must have no effect.
 *
 * The linker replaces the calls (--wrap, see CMakeLists.txt), so that only those of the library and
 * of this program are affected, and only while armed. Without --all, a sample of the calls is used.
 */
#define _GNU_SOURCE
#include "torture/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST 30
#define SAMPLE 30

typedef enum { FAIL_ERROR, FAIL_INTERRUPT, FAIL_SHORT, FAIL_WAYS } Way;

static struct {
    bool armed;
    atomic_llong calls;
    long long fail_at;
    Way way;
    const char *hit; /* the call that failed */
} fault;

/* Whether this call is to fail. */
static bool strikes(const char *call)
{
    if (!fault.armed || atomic_fetch_add(&fault.calls, 1) + 1 != fault.fail_at)
        return false;
    fault.hit = call;
    return true;
}

static int refuse(int error)
{
    errno = fault.way == FAIL_INTERRUPT ? EINTR : error;
    return -1;
}

/* A call that succeeds or fails as a whole: short transfers do not apply. */
#define WHOLE(call) (strikes(call) && fault.way != FAIL_SHORT)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __real_pread(int file, void *bytes, size_t size, off_t at);
ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t at);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_fdatasync(int file);
int __wrap_fdatasync(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_close(int file);
int __wrap_close(int file);
void *__real_mmap(void *place, size_t size, int protection, int flags, int file, off_t at);
void *__wrap_mmap(void *place, size_t size, int protection, int flags, int file, off_t at);
int __real_ftruncate(int file, off_t size);
int __wrap_ftruncate(int file, off_t size);
off_t __real_lseek(int file, off_t at, int from);
off_t __wrap_lseek(int file, off_t at, int from);
int __real_fstat(int file, struct stat *info);
int __wrap_fstat(int file, struct stat *info);
int __real_stat(const char *path, struct stat *info);
int __wrap_stat(const char *path, struct stat *info);
int __real_mkstemp(char *pattern);
int __wrap_mkstemp(char *pattern);
int __real_mkostemp(char *pattern, int flags);
int __wrap_mkostemp(char *pattern, int flags);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

static mode_t mode_argument(int flags, va_list args)
{
    bool creates = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;

    return creates ? va_arg(args, mode_t) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = mode_argument(flags, args);
    va_end(args);
    return WHOLE("open") ? refuse(EIO) : __real_open(path, flags, mode);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = mode_argument(flags, args);
    va_end(args);
    return WHOLE("openat") ? refuse(EIO) : __real_openat(folder, path, flags, mode);
}

ssize_t __wrap_read(int file, void *bytes, size_t size)
{
    if (!strikes("read"))
        return __real_read(file, bytes, size);
    return fault.way == FAIL_SHORT ? __real_read(file, bytes, size ? 1 : 0) : refuse(EIO);
}

ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t at)
{
    if (!strikes("pread"))
        return __real_pread(file, bytes, size, at);
    return fault.way == FAIL_SHORT ? __real_pread(file, bytes, size ? 1 : 0, at) : refuse(EIO);
}

ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    if (!strikes("write"))
        return __real_write(file, bytes, size);
    return fault.way == FAIL_SHORT ? __real_write(file, bytes, size ? 1 : 0) : refuse(ENOSPC);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at)
{
    if (!strikes("pwrite"))
        return __real_pwrite(file, bytes, size, at);
    return fault.way == FAIL_SHORT ? __real_pwrite(file, bytes, size ? 1 : 0, at) : refuse(ENOSPC);
}

int __wrap_fsync(int file)
{
    return WHOLE("fsync") ? refuse(EIO) : __real_fsync(file);
}

int __wrap_fdatasync(int file)
{
    return WHOLE("fdatasync") ? refuse(EIO) : __real_fdatasync(file);
}

int __wrap_rename(const char *from, const char *to)
{
    return WHOLE("rename") ? refuse(EIO) : __real_rename(from, to);
}

/* As on Linux: the descriptor is closed whatever the result is. */
int __wrap_close(int file)
{
    bool fail = WHOLE("close");
    int result = __real_close(file);

    return fail ? refuse(EIO) : result;
}

void *__wrap_mmap(void *place, size_t size, int protection, int flags, int file, off_t at)
{
    if (!WHOLE("mmap"))
        return __real_mmap(place, size, protection, flags, file, at);
    errno = ENOMEM;
    return MAP_FAILED;
}

int __wrap_ftruncate(int file, off_t size)
{
    return WHOLE("ftruncate") ? refuse(EIO) : __real_ftruncate(file, size);
}

off_t __wrap_lseek(int file, off_t at, int from)
{
    return WHOLE("lseek") ? refuse(EIO) : __real_lseek(file, at, from);
}

int __wrap_fstat(int file, struct stat *info)
{
    return WHOLE("fstat") ? refuse(EIO) : __real_fstat(file, info);
}

int __wrap_stat(const char *path, struct stat *info)
{
    return WHOLE("stat") ? refuse(EIO) : __real_stat(path, info);
}

int __wrap_mkstemp(char *pattern)
{
    return WHOLE("mkstemp") ? refuse(EIO) : __real_mkstemp(pattern);
}

int __wrap_mkostemp(char *pattern, int flags)
{
    return WHOLE("mkostemp") ? refuse(EIO) : __real_mkostemp(pattern, flags);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (!WHOLE("fopen"))
        return __real_fopen(path, mode);
    errno = EIO;
    return NULL;
}

/* ---- runs */

typedef struct {
    long long runs, clean, unhurt, faults;
} Count;

static cleave_code run_job(const Trial *trial, long long number, Way way, cleave_error *error)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_code code;

    *error = (cleave_error){.code = CLEAVE_OK};
    fault.calls = 0;
    fault.fail_at = number;
    fault.way = way;
    fault.hit = "nothing";
    fault.armed = true;
    code = trial->job->run(context, trial->place, trial->path, error);
    fault.armed = false;
    cleave_context_free(context);
    return code;
}

static const char *code_complaint(cleave_code code, Way way)
{
    bool moves = strcmp(fault.hit, "read") == 0 || strcmp(fault.hit, "pread") == 0 ||
                 strcmp(fault.hit, "write") == 0 || strcmp(fault.hit, "pwrite") == 0;

    if (way == FAIL_SHORT && code != CLEAVE_OK)
        return "it failed though the call worked";
    if (way == FAIL_INTERRUPT && moves && code != CLEAVE_OK)
        return "it did not try again after an interruption";
    if (code != CLEAVE_OK && code != CLEAVE_ERROR_IO && code != CLEAVE_ERROR_MEMORY)
        return "it failed with another error than CLEAVE_ERROR_IO";
    return NULL;
}

static void fail_one(Trial *trial, long long number, Way way, Count *count)
{
    static const char *const ways[] = {"fails", "is interrupted", "moves one byte"};
    size_t open_files = test_folder_count("/proc/self/fd");
    const char *complaint;
    cleave_error error;
    cleave_code code;

    trial_set(trial, number % 2 == 0);
    code = run_job(trial, number, way, &error);
    complaint = trial_complaint(trial, code, &error);
    if (!complaint)
        complaint = code_complaint(code, way);
    if (!complaint && test_folder_count("/proc/self/fd") != open_files)
        complaint = "a file is left open";
    count->runs++;
    if (complaint) {
        printf("%s: call %lld (%s) %s: %s (code %d: %s)\n", trial->job->name, number, fault.hit,
               ways[way], complaint, code, error.message);
        count->faults++;
    } else if (code == CLEAVE_OK) {
        count->unhurt++;
    } else {
        count->clean++;
    }
}

static long long count_calls(Trial *trial)
{
    cleave_error error;

    trial_set(trial, false);
    if (run_job(trial, 0, FAIL_ERROR, &error) != CLEAVE_OK) {
        printf("%s: fails when nothing is made to fail: %s\n", trial->job->name, error.message);
        exit(EXIT_FAILURE);
    }
    trial_keep_right(trial);
    return fault.calls;
}

static long long torture(const Job *job, const Place *place, bool all)
{
    Count count = {0};
    Trial trial;
    long long calls, step;

    trial_begin(&trial, job, place);
    calls = count_calls(&trial);
    step = all ? 1 : 1 + calls / SAMPLE;
    for (long long number = 1; number <= calls; number += number <= FIRST ? 1 : step)
        for (Way way = 0; way < FAIL_WAYS; way++)
            fail_one(&trial, number, way, &count);
    printf("%-24s %4lld calls %5lld runs: %lld clean errors, %lld unhurt, %lld faults\n", job->name,
           calls, count.runs, count.clean, count.unhurt, count.faults);
    trial_end(&trial);
    return count.faults;
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    long long faults = 0;
    Place place;

    jobs_prepare(&place);
    for (const Job *job = jobs; job->name; job++)
        faults += torture(job, &place, all);
    jobs_clean(&place);
    return faults ? EXIT_FAILURE : EXIT_SUCCESS;
}
