/* src/base: escape.c, cell.c, lock.c, and the temporary files of file.c. */
#include "base/cell.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/lock.h"
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- escape.c -------------------------------------------------------------------------------- */

static void escapes(const char *text, size_t length, cleave_escaping how, const char *expected)
{
    char buffer[256];

    assert_int_equal(cleave_escape(text, length, how, buffer, sizeof buffer), strlen(expected));
    assert_string_equal(buffer, expected);
}

#define LINE(text, expected) escapes(text, sizeof text - 1, CLEAVE_ESCAPE_LINE, expected)

static void what_a_terminal_obeys_is_shown(void **state)
{
    (void)state;
    LINE("", "");
    LINE("plain ~", "plain ~");
    LINE("\x1B[31m\a\b\r\x7F", "\\x1b[31m\\x07\\x08\\x0d\\x7f");
    LINE("a\0b", "a\\x00b");
    LINE("a\nb\tc", "a\\nb\\tc");
    LINE("\xC2\x80\xC2\x9B\xC2\x9F\u00A0", "\\u0080\\u009b\\u009f\u00A0");
    LINE("\u061C\u200E\u200F", "\\u061c\\u200e\\u200f");
    LINE("\u202A\u202B\u202C\u202D\u202E", "\\u202a\\u202b\\u202c\\u202d\\u202e");
    LINE("\u2066\u2067\u2068\u2069", "\\u2066\\u2067\\u2068\\u2069");
    LINE("\u2028\u2029", "\\u2028\\u2029");
    LINE("\uFFFE\uFFFF\uFFFD", "\\ufffe\\uffff\uFFFD");
    LINE("back\\slash", "back\\slash");
}

static void other_characters_are_kept(void **state)
{
    (void)state;
    LINE("Gr\u00FC\u00DFe \u4F60\u597D \u05D0 \u0627 \U0001F600 \u200D",
         "Gr\u00FC\u00DFe \u4F60\u597D \u05D0 \u0627 \U0001F600 \u200D");
    LINE("\u200B\u2027\u202F\u2065\u2070", "\u200B\u2027\u202F\u2065\u2070");
}

static void bytes_that_are_not_utf8_are_shown(void **state)
{
    (void)state;
    LINE("\x80", "\\x80");
    LINE("\xC3(", "\\xc3(");
    LINE("\xC3", "\\xc3");
    LINE("\xC0\xAF", "\\xc0\\xaf");
    LINE("\xE0\x80\x80", "\\xe0\\x80\\x80");
    LINE("\xED\xA0\x80", "\\xed\\xa0\\x80");
    LINE("\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    LINE("\xF5\xFF\xFE", "\\xf5\\xff\\xfe");
}

static void modes_differ_in_lines_and_backslashes(void **state)
{
    (void)state;
    escapes("a\n\t\\\x1B", 5, CLEAVE_ESCAPE_LINES, "a\n\t\\\\x1b");
    escapes("a\n\t\\\x1B", 5, CLEAVE_ESCAPE_LINE, "a\\n\\t\\\\x1b");
    escapes("a\n\t\\\x1B", 5, CLEAVE_ESCAPE_EXACT, "a\\n\\t\\\\\\x1b");
}

static void a_small_buffer_holds_whole_characters(void **state)
{
    char buffer[8] = "xxxxxxx";

    (void)state;
    assert_int_equal(cleave_escape("ab\u202Ec", 6, CLEAVE_ESCAPE_LINE, buffer, 8), 9);
    assert_string_equal(buffer, "ab");
    assert_int_equal(cleave_escape("ab\u202E", 5, CLEAVE_ESCAPE_LINE, NULL, 0), 8);
    assert_int_equal(cleave_escape("\u00FC\u00FC", 4, CLEAVE_ESCAPE_LINE, buffer, 4), 4);
    assert_string_equal(buffer, "\u00FC");
}

static void escaping_twice_changes_nothing(void **state)
{
    char once[2048], twice[2048], all[512];

    (void)state;
    for (int i = 0; i < 512; i++)
        all[i] = (char)(i < 256 ? i : i * 7 + i / 3);
    cleave_escape(all, sizeof all, CLEAVE_ESCAPE_LINE, once, sizeof once);
    cleave_escape(once, strlen(once), CLEAVE_ESCAPE_LINE, twice, sizeof twice);
    assert_string_equal(once, twice);
}

static void messages_are_one_line(void **state)
{
    cleave_error error;

    (void)state;
    clv_fail(&error, CLEAVE_ERROR_DATA, "%s: wrong", "a\x1B[31m\nb\u202E\xFF");
    assert_string_equal(error.message, "a\\x1b[31m\\nb\\u202e\\xff: wrong");
    clv_hint(&error, CLEAVE_ERROR_DATA, "use %s", "\xC2\x9B");
    assert_string_equal(error.hint, "use \\u009b");
}

/* ---- cell.c ---------------------------------------------------------------------------------- */

static void is_cell(const char *text, char delimiter, bool safe, const char *expected)
{
    char buffer[64];

    assert_int_equal(cleave_csv_cell(text, delimiter, safe, buffer, sizeof buffer),
                     strlen(expected));
    assert_string_equal(buffer, expected);
}

static void cells_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    is_cell("", ',', false, "");
    is_cell("plain", ',', false, "plain");
    is_cell("a,b", ',', false, "\"a,b\"");
    is_cell("a,b", '\t', false, "a,b");
    is_cell("a\tb", '\t', false, "\"a\tb\"");
    is_cell("say \"x\"", ',', false, "\"say \"\"x\"\"\"");
    is_cell("a\nb", ',', false, "\"a\nb\"");
    is_cell("a\rb", ',', false, "\"a\rb\"");
    is_cell(" a", ',', false, "\" a\"");
    is_cell("=1+1", ',', false, "=1+1");
}

static void formulas_become_text(void **state)
{
    static const char *const numbers[] = {"-1.5", "+1", "-1e-7", "1", " -2", "-0"};

    (void)state;
    is_cell("=1+1", ',', true, "'=1+1");
    is_cell("+cmd", ',', true, "'+cmd");
    is_cell("-2+3", ',', true, "'-2+3");
    is_cell("@SUM(A1)", ',', true, "'@SUM(A1)");
    is_cell("\t=1", ',', true, "\"'\t=1\"");
    is_cell("\r=1", ',', true, "\"'\r=1\"");
    is_cell(" =1", ',', true, "\"' =1\"");
    is_cell("=A,B", ',', true, "\"'=A,B\"");
    is_cell("\uFF1D1", ',', true, "'\uFF1D1");
    is_cell("-", ',', true, "'-");
    is_cell("a=b", ',', true, "a=b");
    is_cell("", ',', true, "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_false(clv_cell_runs(numbers[i], strlen(numbers[i])));
}

/* ---- lock.c, file.c -------------------------------------------------------------------------- */

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void one_owner_has_a_lock(void **state)
{
    Context *context = cleave_context_new(NULL);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE + 16], link_path[TEST_PATH_SIZE + 16],
        name[TEST_PATH_SIZE + 64];
    Lock *lock = NULL, *other = NULL;
    cleave_error error;

    (void)state;
    test_folder_new(folder);
    snprintf(path, sizeof path, "%s/model", folder);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    snprintf(name, sizeof name, "%s.cleave-lock", path);
    assert_int_equal(clv_lock_open(context, path, &lock, &error), OK); /* not created yet */
    assert_int_equal(clv_lock_open(context, path, &other, &error), CLEAVE_ERROR_IO);
    assert_null(other);
    assert_non_null(strstr(error.message, "another process"));
    assert_true(exists(name));
    clv_lock_free(lock);
    assert_false(exists(name));
    test_write_text(path, "x");
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(clv_lock_open(context, link_path, &lock, &error), OK);
    assert_int_equal(clv_lock_open(context, path, &other, &error), CLEAVE_ERROR_IO);
    clv_lock_free(lock);
    clv_lock_free(NULL);
    snprintf(path, sizeof path, "%s/none/model", folder);
    assert_int_equal(clv_lock_open(context, path, &lock, &error), CLEAVE_ERROR_IO);
    cleave_context_free(context);
    test_folder_remove(folder);
}

/* A process that ends without cleanup. */
static void die_with(const char *path, bool lock)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        Context *context = cleave_context_new(NULL);
        Lock *own;
        Output *output;
        bool done = lock ? clv_lock_open(context, path, &own, NULL) == OK
                         : clv_output_open(context, path, false, &output, NULL) == OK;

        _exit(done ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void locks_end_with_their_process(void **state)
{
    Context *context = cleave_context_new(NULL);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE + 16], name[TEST_PATH_SIZE + 64];
    Lock *lock;

    (void)state;
    test_folder_new(folder);
    snprintf(path, sizeof path, "%s/model", folder);
    snprintf(name, sizeof name, "%s.cleave-lock", path);
    die_with(path, true);
    assert_true(exists(name));
    assert_int_equal(clv_lock_open(context, path, &lock, NULL), OK);
    clv_lock_free(lock);
    assert_false(exists(name));
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void temporary_files_that_were_left_are_removed(void **state)
{
    Context *context = cleave_context_new(NULL);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE + 16], first[TEST_PATH_SIZE + 64],
        second[TEST_PATH_SIZE + 64], other[TEST_PATH_SIZE + 64];
    Output *one, *two;

    (void)state;
    test_folder_new(folder);
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(first, sizeof first, "%s.cleave1.tmp", path);
    snprintf(second, sizeof second, "%s.cleave2.tmp", path);
    snprintf(other, sizeof other, "%s.cleave7.tmp", path);
    die_with(path, false);
    assert_true(exists(first));
    test_write_text(other, "x");
    assert_int_equal(clv_output_open(context, path, false, &one, NULL), OK);
    assert_true(exists(first));
    assert_false(exists(other));
    /* A file that is being written stays, and the second writer uses another one. */
    assert_int_equal(clv_output_open(context, path, false, &two, NULL), OK);
    assert_true(exists(first) && exists(second));
    assert_int_equal(clv_output_write(one, "one", 3, NULL), OK);
    assert_int_equal(clv_output_write(two, "two", 3, NULL), OK);
    assert_int_equal(clv_output_commit(one, NULL), OK);
    assert_false(exists(first));
    assert_true(exists(second));
    assert_int_equal(clv_output_commit(two, NULL), OK);
    assert_true(exists(path) && !exists(second));
    cleave_context_free(context);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_terminal_obeys_is_shown),
        cmocka_unit_test(other_characters_are_kept),
        cmocka_unit_test(bytes_that_are_not_utf8_are_shown),
        cmocka_unit_test(modes_differ_in_lines_and_backslashes),
        cmocka_unit_test(a_small_buffer_holds_whole_characters),
        cmocka_unit_test(escaping_twice_changes_nothing),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(cells_are_quoted_where_they_must_be),
        cmocka_unit_test(formulas_become_text),
        cmocka_unit_test(one_owner_has_a_lock),
        cmocka_unit_test(locks_end_with_their_process),
        cmocka_unit_test(temporary_files_that_were_left_are_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
