/* See support.h. Failures of the harness itself end the program with a message: a test can not
 * go on without its files. */
#define _GNU_SOURCE /* nftw */
#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void give_up(const char *what, const char *path)
{
    fprintf(stderr, "test harness: %s: %s: %s\n", what, path, strerror(errno));
    exit(EXIT_FAILURE);
}

static const char *print_path(char path[TEST_PATH_SIZE], const char *format, ...)
    CLEAVE_PRINTF(2, 3);

static const char *print_path(char path[TEST_PATH_SIZE], const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(path, TEST_PATH_SIZE, format, args);
    va_end(args);
    if (length < 0 || length >= TEST_PATH_SIZE) {
        errno = ENAMETOOLONG;
        give_up("path", path);
    }
    return path;
}

const char *test_join(char path[TEST_PATH_SIZE], const char *folder, const char *name)
{
    return print_path(path, "%s/%s", folder, name);
}

const char *test_tree_path(char path[TEST_PATH_SIZE], const char *relative)
{
    return test_join(path, TEST_TREE, relative);
}

const char *test_data_path(char path[TEST_PATH_SIZE], const char *name)
{
    const char *folder = getenv("CLEAVE_DATA");

    if (folder && *folder)
        test_join(path, folder, name);
    else
        print_path(path, "%s/../shared/data/%s", TEST_TREE, name);
    if (access(path, R_OK) != 0) {
        printf("SKIPPED: no %s; CLEAVE_DATA names the folder of the real data sets\n", path);
        exit(TEST_SKIPPED);
    }
    return path;
}

const char *test_folder_new(char path[TEST_PATH_SIZE])
{
    const char *base = getenv("TMPDIR");

    print_path(path, "%s/cleave-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path))
        give_up("mkdtemp", path);
    return path;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

void test_folder_remove(const char *path)
{
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        give_up("remove", path);
}

size_t test_folder_count(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    if (!folder)
        give_up("opendir", path);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            count++;
    closedir(folder);
    return count;
}

void test_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || (size && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0)
        give_up("write", path);
}

void test_write_text(const char *path, const char *text)
{
    test_write_file(path, text, strlen(text));
}

void test_write_gzip(const char *path, const char *text)
{
    gzFile file = gzopen(path, "wb");

    if (!file || gzwrite(file, text, (unsigned)strlen(text)) != (int)strlen(text) ||
        gzclose(file) != Z_OK)
        give_up("gzwrite", path);
}

char *test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    char *bytes;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &info) != 0)
        give_up("fstat", path);
    bytes = malloc((size_t)info.st_size + 1);
    if (!bytes || fread(bytes, 1, (size_t)info.st_size, file) != (size_t)info.st_size)
        give_up("read", path);
    bytes[info.st_size] = '\0';
    fclose(file);
    if (size)
        *size = (size_t)info.st_size;
    return bytes;
}

void *test_allocate(void *user, void *old, size_t size)
{
    TestMemory *memory = user;
    long long call;
    void *result;

    if (size == 0) {
        if (old)
            atomic_fetch_sub(&memory->live, 1);
        free(old);
        return NULL;
    }
    call = atomic_fetch_add(&memory->calls, 1) + 1;
    if (memory->fail_at &&
        (call == memory->fail_at || (memory->keep_failing && call > memory->fail_at))) {
        atomic_fetch_add(&memory->failures, 1);
        return NULL;
    }
    result = realloc(old, size);
    if (result && !old)
        atomic_fetch_add(&memory->live, 1);
    return result;
}

static bool fits(const char *pattern, const char *text)
{
    for (; *pattern != '*'; pattern++, text++) {
        if (*pattern != *text)
            return false;
        if (!*text)
            return true;
    }
    do {
        if (fits(pattern + 1, text))
            return true;
    } while (*text++);
    return false;
}

bool test_matches(const char *pattern, const char *text)
{
    bool matches = fits(pattern, text);

    if (!matches)
        fprintf(stderr, "expected: %s\nfound:    %s\n", pattern, text);
    return matches;
}
