/*
 * Journals (select/journal.h): records are found again, number for number, after any number of
 * openings. A last line that was truncated anywhere is dropped, and the file continues. Any other
 * damage, the journal of another run, a journal in use, and other files are refused and not
 * changed. Of several records with one key, the last counts.
 */
#include "select/journal.h"

#include "base/pool.h"
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context;
    Buffer mine, other; /* identities */
    cleave_error error;
} Place;

static const char mine[] = "method\0svm\0hash of all rows\00012\0",
                  other[] = "method\0svm\0hash of all rows\00034\0";

static int make(void **state)
{
    Place *place = calloc(1, sizeof *place);

    assert_non_null(place);
    test_join(place->path, test_folder_new(place->folder), "search.journal");
    place->context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = 3});
    assert_non_null(place->context);
    assert_int_equal(clv_buffer_add(place->context, &place->mine, mine, sizeof mine - 1, NULL), OK);
    assert_int_equal(clv_buffer_add(place->context, &place->other, other, sizeof other - 1, NULL),
                     OK);
    *state = place;
    return 0;
}

static int unmake(void **state)
{
    Place *place = *state;

    clv_free(place->context, place->mine.data);
    clv_free(place->context, place->other.data);
    cleave_context_free(place->context);
    test_folder_remove(place->folder);
    free(place);
    return 0;
}

static Journal *opened(Place *place)
{
    Journal *journal;

    if (clv_journal_open(place->context, place->path, &place->mine, &journal, &place->error) != OK)
        fail_msg("%s", place->error.message);
    return journal;
}

static void add(Place *place, Journal *journal, const char *key, const char *text, double a,
                double b)
{
    JournalRecord record = {.key = key, .text = text, .numbers = (double[]){a, b}, .count = 2};

    assert_int_equal(clv_journal_add(journal, &record, &place->error), OK);
}

static void records_come_back(void **state)
{
    Place *place = *state;
    Journal *journal = opened(place);
    const JournalRecord *found;

    assert_int_equal(clv_journal_count(journal), 0);
    add(place, journal, "1/1/3", "a\ttab, a line\nand a \\ slash", 1.0 / 3, -0.0);
    clv_journal_close(journal);
    journal = opened(place);
    add(place, journal, "none", NULL, (double)NAN, -(double)INFINITY);
    assert_int_equal(clv_journal_add(journal, &(JournalRecord){.key = "no numbers"}, NULL), OK);
    clv_journal_close(journal);
    journal = opened(place);
    assert_int_equal(clv_journal_count(journal), 3);
    found = clv_journal_find(journal, "1/1/3");
    assert_non_null(found);
    assert_string_equal(found->text, "a\ttab, a line\nand a \\ slash");
    assert_int_equal(found->count, 2);
    assert_true(found->numbers[0] == 1.0 / 3);
    assert_true(found->numbers[1] == 0 && signbit(found->numbers[1]));
    found = clv_journal_find(journal, "none");
    assert_string_equal(found->text, "");
    assert_true(isnan(found->numbers[0]) && found->numbers[1] == -(double)INFINITY);
    assert_int_equal(clv_journal_find(journal, "no numbers")->count, 0);
    assert_null(clv_journal_find(journal, "1/1/4"));
    clv_journal_close(journal);
}

static void the_last_of_a_key_counts(void **state)
{
    Place *place = *state;
    Journal *journal = opened(place);

    add(place, journal, "twice", "", 1, 1);
    add(place, journal, "twice", "", 2, 2);
    clv_journal_close(journal);
    journal = opened(place);
    assert_int_equal(clv_journal_count(journal), 2);
    assert_true(clv_journal_find(journal, "twice")->numbers[0] == 2);
    clv_journal_close(journal);
}

/* Truncated at every byte: all complete records are found, and so are records added afterwards. */
static void a_torn_line_is_dropped(void **state)
{
    Place *place = *state;
    Journal *journal = opened(place);
    size_t size, header, one;
    char *bytes;

    free(test_read_file(place->path, &header));
    add(place, journal, "first", "text", 1, 0.1);
    free(test_read_file(place->path, &one));
    add(place, journal, "second", "", 2, 0.2);
    clv_journal_close(journal);
    bytes = test_read_file(place->path, &size);
    for (size_t cut = 0; cut < size; cut += cut + 11 < header ? 11 : 1) {
        test_write_file(place->path, bytes, cut);
        journal = opened(place);
        assert_int_equal(clv_journal_count(journal), cut >= one);
        add(place, journal, "third", "", 3, 0.3);
        clv_journal_close(journal);
        journal = opened(place);
        assert_int_equal(clv_journal_count(journal), 1 + (cut >= one));
        assert_int_equal(clv_journal_find(journal, "first") != NULL, cut >= one);
        assert_non_null(clv_journal_find(journal, "third"));
        clv_journal_close(journal);
    }
    assert_true(header < one && one < size);
    free(bytes);
}

static void expect_refusal(Place *place, const Buffer *identity, cleave_code code, const char *part)
{
    size_t before, after;
    char *bytes = test_read_file(place->path, &before), *bytes_after;
    Journal *journal;

    assert_int_equal(
        clv_journal_open(place->context, place->path, identity, &journal, &place->error), code);
    assert_null(journal);
    if (!strstr(place->error.message, part))
        fail_msg("'%s' is not in '%s'", part, place->error.message);
    assert_true(*place->error.hint);
    bytes_after = test_read_file(place->path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, bytes_after, before);
    free(bytes);
    free(bytes_after);
}

static void damage_is_refused(void **state)
{
    Place *place = *state;
    Journal *journal = opened(place);
    size_t size, one;
    char *bytes;

    add(place, journal, "first", "text", 1, 0.1);
    free(test_read_file(place->path, &one));
    add(place, journal, "second", "", 2, 0.2);
    clv_journal_close(journal);
    bytes = test_read_file(place->path, &size);
    for (size_t at = strlen("cleave-journal 2\n"); at + 1 < one;
         at++) { /* without its newline, what is left is one last line */
        char *copy = malloc(size);

        memcpy(copy, bytes, size);
        copy[at] ^= 1;
        test_write_file(place->path, copy, size);
        expect_refusal(place, &place->mine, CLEAVE_ERROR_FORMAT, "damaged");
        free(copy);
    }
    free(bytes);
}

static void other_files_are_refused(void **state)
{
    Place *place = *state;
    Journal *journal = opened(place), *second;

    assert_int_equal(
        clv_journal_open(place->context, place->path, &place->mine, &second, &place->error),
        CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(place->error.message, "another process"));
    clv_journal_close(journal);
    expect_refusal(place, &place->other, CLEAVE_ERROR_USAGE,
                   "the journal belongs to another run: its hash of all rows is '12', not '34'");
    test_write_text(place->path, "label,a\nx,1\n");
    expect_refusal(place, &place->mine, CLEAVE_ERROR_FORMAT, "is not a journal");
}

static void none_is_fine(void **state)
{
    Place *place = *state;
    Journal *journal;

    assert_int_equal(clv_journal_open(place->context, NULL, &place->mine, &journal, &place->error),
                     OK);
    add(place, journal, "first", "", 1, 1);
    assert_null(clv_journal_find(journal, "first"));
    clv_journal_close(journal);
    clv_journal_close(NULL);
}

typedef struct {
    Place *place;
    Journal *journal;
} Shared;

static void add_one(void *user, uint32_t task, unsigned worker)
{
    Shared *shared = user;
    char key[16];

    (void)worker;
    snprintf(key, sizeof key, "%u", task);
    clv_journal_add(shared->journal,
                    &(JournalRecord){.key = key, .numbers = (double[]){(double)task}, .count = 1},
                    NULL);
}

static void threads_may_add(void **state)
{
    Shared shared = {.place = *state, .journal = opened(*state)};
    enum { TASKS = 40 };

    clv_pool_run(shared.place->context, TASKS, add_one, &shared);
    clv_journal_close(shared.journal);
    shared.journal = opened(shared.place);
    assert_int_equal(clv_journal_count(shared.journal), TASKS);
    for (uint32_t i = 0; i < TASKS; i++) {
        char key[16];

        snprintf(key, sizeof key, "%u", i);
        assert_true(clv_journal_find(shared.journal, key)->numbers[0] == i);
    }
    clv_journal_close(shared.journal);
}

static void short_memory_is_an_error(void **state)
{
    Place *place = *state;
    Journal *journal = opened(place);

    add(place, journal, "first", "text", 1, 0.1);
    clv_journal_close(journal);
    for (long long call = 2;; call++) {
        TestMemory memory = {.fail_at = call};
        Context *context = cleave_context_new(&(cleave_config){
            .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory});
        Status status = clv_journal_open(context, place->path, &place->mine, &journal,
                                         &place->error);

        if (status == OK) {
            assert_int_equal(clv_journal_count(journal), 1);
            status = clv_journal_add(journal, &(JournalRecord){.key = "second"}, &place->error);
        }
        clv_journal_close(journal);
        cleave_context_free(context);
        assert_int_equal(memory.live, 0);
        assert_int_equal(status, memory.failures ? CLEAVE_ERROR_MEMORY : OK);
        if (!memory.failures)
            break;
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)
    const struct CMUnitTest tests[] = {
        TEST(records_come_back), TEST(the_last_of_a_key_counts), TEST(a_torn_line_is_dropped),
        TEST(damage_is_refused), TEST(other_files_are_refused),  TEST(none_is_fine),
        TEST(threads_may_add),   TEST(short_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
