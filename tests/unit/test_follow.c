/* A file that grows, is renamed, truncated or rewritten (src/read/follow.c). */
#include "property/table.h"

#include "read/follow.h"
#include "support/support.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Context *context;
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], other[TEST_PATH_SIZE];
    Follow *follow;
} Fixture;

static bool give_up;

static bool cancelled(void *user)
{
    (void)user;
    return give_up;
}

static void begin(Fixture *at, const char *text, uint64_t device, uint64_t inode)
{
    cleave_error error = {0};

    if (!at->context) {
        at->context = cleave_context_new(
            &(cleave_config){.size = sizeof(cleave_config), .cancelled = cancelled, .threads = 1});
        test_folder_new(at->folder);
        test_join(at->path, at->folder, "log");
        test_join(at->other, at->folder, "log.1");
    }
    if (text)
        test_write_text(at->path, text);
    FINE(clv_follow_open(at->context, at->path, device, inode, &at->follow, &error));
}

static void finish(Fixture *at)
{
    clv_follow_close(at->follow);
    test_folder_remove(at->folder);
    cleave_context_free(at->context);
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The next bytes are these, and whether the file has ended. */
static void reads(Fixture *at, const char *text)
{
    char buffer[256];
    size_t got;
    bool ended;
    cleave_error error = {0};

    FINE(clv_follow_read(at->follow, buffer, sizeof buffer - 1, &got, &ended, &error));
    buffer[got] = '\0';
    assert_string_equal(buffer, text);
    assert_false(ended);
}

static void ends(Fixture *at, bool cut)
{
    char buffer[256];
    size_t got;
    bool ended;
    cleave_error error = {0};

    FINE(clv_follow_read(at->follow, buffer, sizeof buffer, &got, &ended, &error));
    assert_int_equal(got, 0);
    assert_true(ended);
    assert_int_equal(clv_follow_was_cut(at->follow), cut);
    FINE(clv_follow_next(at->follow, &error));
}

static void grows(void **state)
{
    Fixture at = {0};

    (void)state;
    begin(&at, "one\n", 0, 0);
    reads(&at, "one\n");
    append(at.path, "tw");
    reads(&at, "tw");
    append(at.path, "o\n");
    reads(&at, "o\n");
    reads(&at, ""); /* no bytes for a second */
    finish(&at);
}

static void waits_for_it_to_appear(void **state)
{
    Fixture at = {0};

    (void)state;
    begin(&at, NULL, 0, 0);
    reads(&at, "");
    test_write_text(at.path, "here\n");
    reads(&at, "here\n");
    finish(&at);
}

static void is_rotated(void **state)
{
    Fixture at = {0};

    (void)state;
    begin(&at, "one\n", 0, 0);
    reads(&at, "one\n");
    assert_int_equal(rename(at.path, at.other), 0);
    append(at.other, "two\n"); /* from a writer that has not switched yet */
    reads(&at, "two\n");
    test_write_text(at.path, "");
    append(at.other, "three\n"); /* not yet: the new file is empty */
    reads(&at, "three\n");
    append(at.other, "four\n");
    append(at.path, "five\n");
    reads(&at, "four\n");
    ends(&at, false);
    reads(&at, "five\n");
    finish(&at);
}

static void is_cut_back(void **state)
{
    Fixture at = {0};

    (void)state;
    begin(&at, "one two three\n", 0, 0);
    reads(&at, "one two three\n");
    assert_int_equal(truncate(at.path, 0), 0);
    append(at.path, "four\n");
    ends(&at, true);
    reads(&at, "four\n");
    finish(&at);
}

/* Truncated and grown beyond the position between two reads: detected by its first bytes. */
static void is_rewritten(void **state)
{
    Fixture at = {0};

    (void)state;
    begin(&at, "one\n", 0, 0);
    reads(&at, "one\n");
    reads(&at, "");
    test_write_text(at.path, "other\n");
    ends(&at, true);
    reads(&at, "other\n");
    finish(&at);
}

/* Renamed between two reads: the rest of the old file is read first. */
static void is_found_again(void **state)
{
    uint64_t device, inode;
    Fixture at = {0};

    (void)state;
    begin(&at, "one\ntwo\n", 0, 0);
    clv_follow_identity(at.follow, &device, &inode);
    assert_true(inode != 0);
    clv_follow_close(at.follow);
    assert_int_equal(rename(at.path, at.other), 0);
    begin(&at, "three\n", device, inode);
    assert_true(clv_follow_jump(at.follow, 4));
    assert_false(clv_follow_jump(at.follow, 100));
    reads(&at, "two\n");
    ends(&at, false);
    reads(&at, "three\n");
    clv_follow_close(at.follow);
    /* the old file is gone, so the file with the name is read */
    begin(&at, NULL, device, inode + 12345);
    reads(&at, "three\n");
    finish(&at);
}

static void wakes_when_cancelled(void **state)
{
    char buffer[16];
    size_t got;
    bool ended;
    cleave_error error = {0};
    Fixture at = {0};

    (void)state;
    begin(&at, "one\n", 0, 0);
    reads(&at, "one\n");
    give_up = true;
    assert_int_equal(clv_follow_read(at.follow, buffer, sizeof buffer, &got, &ended, &error),
                     CLEAVE_ERROR_CANCELLED);
    give_up = false;
    finish(&at);
}

static void wants_a_file(void **state)
{
    Follow *follow;
    cleave_error error = {0};
    Fixture at = {0};

    (void)state;
    begin(&at, "", 0, 0);
    assert_int_equal(clv_follow_open(at.context, at.folder, 0, 0, &follow, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "only a regular file can be followed"));
    finish(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),
        cmocka_unit_test(waits_for_it_to_appear),
        cmocka_unit_test(is_rotated),
        cmocka_unit_test(is_cut_back),
        cmocka_unit_test(is_rewritten),
        cmocka_unit_test(is_found_again),
        cmocka_unit_test(wakes_when_cancelled),
        cmocka_unit_test(wants_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
