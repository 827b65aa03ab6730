/*
 * Shared by the tests: paths of data (and a visible skip if it is missing), temporary folders,
 * whole files, and an allocator that counts and fails on demand.
 */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <cleave/expert.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define TEST_PATH_SIZE 1024

/* ctest's SKIP_RETURN_CODE. */
#define TEST_SKIPPED 77

/* A file of the tree, such as "tests/data/models/v1.model". Returns path. */
const char *test_tree_path(char path[TEST_PATH_SIZE], const char *relative);

/* A file of the real data sets ($CLEAVE_DATA, else ../shared/data beside the tree). If the file is
 * missing, prints this and ends the program with TEST_SKIPPED, so that such tests need a separate
 * program. */
const char *test_data_path(char path[TEST_PATH_SIZE], const char *name);

/* A new empty folder below TMPDIR; test_folder_remove removes it with its contents. Failures end
 * the program. */
const char *test_folder_new(char path[TEST_PATH_SIZE]);
void test_folder_remove(const char *path);
size_t test_folder_count(const char *path); /* entries, hidden ones too */

const char *test_join(char path[TEST_PATH_SIZE], const char *folder, const char *name);
void test_write_file(const char *path, const void *bytes, size_t size);
void test_write_text(const char *path, const char *text);
/* The whole file with a final NUL, to be freed with free(); NULL when it does not exist. size
 * may be NULL. */
char *test_read_file(const char *path, size_t *size);
/* As text, gzipped. */
void test_write_gzip(const char *path, const char *text);

/* Whether the text is that of the pattern, in which * stands for any text. Prints both if not. */
bool test_matches(const char *pattern, const char *text);

/* An allocator for cleave_config: user is a TestMemory. Calls that ask for memory are counted from
 * 1; call number fail_at fails (0: none), and with keep_failing every later one too. live: number
 * of allocations that were not freed. */
typedef struct {
    atomic_llong calls, live, failures;
    long long fail_at;
    bool keep_failing;
} TestMemory;

void *test_allocate(void *user, void *old, size_t size);

#endif
