/* Folders as streams: the order of documents, each of which is read once, maildirs, complete files,
 * and failing allocations. */
#include "read/folder.h"
#include "read/live_folder.h"
#include "read/seen.h"
#include "read/watch.h"
#include "read_all.h"
#include "support/support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[TEST_PATH_SIZE];

static int set_up(void **state)
{
    (void)state;
    test_folder_new(top);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(top);
    return 0;
}

static void make_folders(char *path)
{
    for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
}

static void put(const char *name, const char *text)
{
    char path[TEST_PATH_SIZE];

    test_join(path, top, name);
    make_folders(path);
    test_write_file(path, text, strlen(text));
}

static void move(const char *from, const char *to)
{
    char source[TEST_PATH_SIZE], target[TEST_PATH_SIZE];

    test_join(target, top, to);
    make_folders(target);
    assert_int_equal(rename(test_join(source, top, from), target), 0);
}

static Status open_live(Context *context, bool follow, double poll_seconds, const LivePlace *place,
                        Source **source, cleave_error *error)
{
    static const Labels no_labels;
    ReadOptions options = {0};
    LiveStart start = {.labels = &no_labels, .poll_seconds = poll_seconds};

    if (place)
        start.place = *place;
    clv_params_initial(clv_read_params, &options);
    return clv_read_live_folder(context, top, follow, &options, &start, source, error);
}

/* The names of the rows in order, until `count` of them or (count 0) the end, each with its
 * label. */
static Status read_names(Source *source, size_t count, Text *text, cleave_error *error)
{
    size_t found = 0;

    text->size = 0;
    text_put(text, "");
    for (int calls = 0; (count == 0 || found < count) && calls < 100; calls++) {
        const Block *block;
        Status status = source_next(source, &block, error);

        if (status != OK || !block)
            return status;
        for (uint32_t row = 0; row < block->rows; row++, found++) {
            uint32_t start = row ? block->name_end[row - 1] : 0, label = block_label(block, row);

            text_add(text, block->name + start, block->name_end[row] - start);
            text_put(text, label == UNLABELED ? "(?) " : "(");
            if (label != UNLABELED) {
                text_put(text, source->labels.list[label].text);
                text_put(text, ") ");
            }
        }
    }
    return OK;
}

static void classes_are_spread_evenly(void **state)
{
    Context *context = cleave_context_new(NULL);
    Text text = {.data = NULL};
    Source *source;
    LivePlace place;
    cleave_error error;

    (void)state;
    put("a/1", "x");
    put("a/2", "x");
    put("a/3", "x");
    put("a/4", "x");
    put("b/1", "y");
    put("b/2", "y");
    put("c/1", "z");
    put("plain", "w");
    assert_int_equal(open_live(context, false, 0, NULL, &source, &error), OK);
    assert_int_equal(read_names(source, 0, &text, &error), OK);
    assert_string_equal(text.data, "a/1(a) b/1(b) a/2(a) c/1(c) plain(?) a/3(a) b/2(b) a/4(a) ");
    clv_live_folder_place(source, &place);
    assert_int_equal(place.document_count, 8);

    /* Documents that have been read are skipped. New ones are read, even if a class is moved to
     * another. */
    {
        Source *again;

        put("a/5", "x");
        move("b/2", "c/2");
        assert_int_equal(open_live(context, false, 0, &place, &again, &error), OK);
        assert_int_equal(read_names(again, 0, &text, &error), OK);
        assert_string_equal(text.data, "c/2(c) a/5(a) ");
        clv_source_close(again);
    }
    clv_source_close(source);
    text_free(&text);
    cleave_context_free(context);
}

static void a_maildir_is_one_folder(void **state)
{
    Context *context = cleave_context_new(NULL);
    Text text = {.data = NULL};
    Source *source, *again;
    LivePlace place;
    cleave_error error;

    (void)state;
    put("spam/new/1.host", "x");
    put("spam/cur/2.host:2,S", "x");
    put("spam/tmp/3.host", "x");
    put("spam/dovecot.index", "x");
    put("ham/1", "y");
    assert_int_equal(open_live(context, false, 0, NULL, &source, &error), OK);
    assert_int_equal(read_names(source, 0, &text, &error), OK);
    assert_string_equal(text.data, "spam/cur/2.host:2,S(spam) ham/1(ham) spam/new/1.host(spam) ");
    clv_live_folder_place(source, &place);
    move("spam/new/1.host", "spam/cur/1.host:2,RS");
    move("spam/cur/2.host:2,S", "spam/cur/2.host:2,T");
    move("spam/tmp/3.host", "spam/new/3.host");
    assert_int_equal(open_live(context, false, 0, &place, &again, &error), OK);
    assert_int_equal(read_names(again, 0, &text, &error), OK);
    assert_string_equal(text.data, "spam/new/3.host(spam) ");
    clv_source_close(again);
    clv_source_close(source);
    text_free(&text);
    cleave_context_free(context);
}

static void a_maildir_given_has_no_classes(void **state)
{
    Context *context = cleave_context_new(NULL);
    Text text = {.data = NULL};
    Source *source;
    cleave_error error;

    (void)state;
    put("new/1", "x");
    put("cur/2:2,", "x");
    put("tmp/3", "x");
    assert_int_equal(open_live(context, false, 0, NULL, &source, &error), OK);
    assert_int_equal(read_names(source, 0, &text, &error), OK);
    assert_string_equal(text.data, "cur/2:2,(?) new/1(?) ");
    clv_source_close(source);
    text_free(&text);
    cleave_context_free(context);
}

/* By inotify (0) or by polling. A file is read when it is closed, or no longer changes. */
static void follow(double poll_seconds)
{
    Context *context = cleave_context_new(NULL);
    char path[TEST_PATH_SIZE];
    Text text = {.data = NULL};
    Source *source;
    cleave_error error;
    const Block *block;
    int file;

    put("a/1", "x");
    assert_int_equal(open_live(context, true, poll_seconds, NULL, &source, &error), OK);
    assert_int_equal(read_names(source, 1, &text, &error), OK);
    assert_string_equal(text.data, "a/1(a) ");

    file = open(test_join(path, top, "a/2"), O_WRONLY | O_CREAT, 0666);
    assert_int_equal(write(file, "x ", 2), 2);
    assert_int_equal(source_next(source, &block, &error), OK);
    if (poll_seconds == 0)
        assert_int_equal(block->rows, 0); /* none for a second, because it is being written */
    assert_int_equal(write(file, "y", 1), 1);
    close(file);
    if (block->rows == 0) {
        assert_int_equal(read_names(source, 1, &text, &error), OK);
        assert_string_equal(text.data, "a/2(a) ");
    }

    put("b/new/1", "mail"); /* with new folders */
    put("b/cur/x", "mail");
    assert_int_equal(read_names(source, 2, &text, &error), OK);
    assert_string_equal(text.data, "b/cur/x(b) b/new/1(b) ");
    move("b/new/1", "b/cur/1:2,S");
    move("a/1", "c/1");
    assert_int_equal(read_names(source, 1, &text, &error), OK);
    assert_string_equal(text.data, "c/1(c) ");
    clv_source_close(source);
    text_free(&text);
    cleave_context_free(context);
}

static void new_documents_are_reported(void **state)
{
    (void)state;
    follow(0);
}

static void new_documents_are_found_by_polling(void **state)
{
    (void)state;
    follow(0.1);
}

static void a_document_that_vanishes_is_no_error(void **state)
{
    Context *context = cleave_context_new(NULL);
    char path[TEST_PATH_SIZE];
    Text text = {.data = NULL};
    Source *source;
    cleave_error error;

    (void)state;
    for (int i = 0; i < 70; i++) {
        char name[16];

        snprintf(name, sizeof name, "a/%02d", i);
        put(name, "x");
    }
    assert_int_equal(open_live(context, true, 0, NULL, &source, &error), OK);
    assert_int_equal(read_names(source, 64, &text, &error),
                     OK); /* one piece; the listing has more */
    unlink(test_join(path, top, "a/66"));
    assert_int_equal(read_names(source, 5, &text, &error), OK);
    assert_string_equal(text.data, "a/64(a) a/65(a) a/67(a) a/68(a) a/69(a) ");
    clv_source_close(source);
    text_free(&text);
    cleave_context_free(context);
}

static void keys_are_kept_in_order(void **state)
{
    Context *context = cleave_context_new(NULL);
    SeenSet set = {0};
    cleave_error error;

    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        assert_false(clv_seen_has(context, &set, i * 0x9E3779B97F4A7C15u));
        assert_int_equal(clv_seen_add(context, &set, i * 0x9E3779B97F4A7C15u, &error), OK);
        assert_int_equal(clv_seen_add(context, &set, i * 0x9E3779B97F4A7C15u, &error), OK);
    }
    assert_int_equal(set.count, 5000);
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(set.key[i] == i * 0x9E3779B97F4A7C15u &&
                    clv_seen_has(context, &set, set.key[i]));
    clv_seen_free(context, &set);
    cleave_context_free(context);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    put("a/1", "one two");
    put("b/new/1", "Received: x\nFrom: a@b\nSubject: y\n\nthree");
    put("b/cur/2:2,S", "<html>four");
    put("plain", "five");
    for (long long fail_at = 1;; fail_at++) {
        TestMemory memory = {.fail_at = fail_at};
        Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                               .allocate = test_allocate,
                                                               .user = &memory,
                                                               .threads = 1});
        Source *source = NULL;
        Text text = {.data = NULL};
        cleave_error error;
        Status status = context ? open_live(context, false, 0, NULL, &source, &error)
                                : CLEAVE_ERROR_MEMORY;

        if (status == OK)
            status = read_names(source, 0, &text, &error);
        clv_source_close(source);
        cleave_context_free(context);
        text_free(&text);
        assert_int_equal(memory.live, 0);
        if (status == OK && memory.failures == 0)
            return;
        assert_true(status == OK || status == CLEAVE_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(classes_are_spread_evenly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_maildir_is_one_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_maildir_given_has_no_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(new_documents_are_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(new_documents_are_found_by_polling, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_document_that_vanishes_is_no_error, set_up, tear_down),
        cmocka_unit_test(keys_are_kept_in_order),
        cmocka_unit_test_setup_teardown(memory_may_fail_anywhere, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
