/* Folders of documents: order, names, classes, chunks and threads, rereading, models, and failing
 * allocations. */
#include "read/folder.h"
#include "read_all.h"
#include "support/support.h"

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

/* Creates "ham/1" below the top, and its folders. */
static void put(const char *name, const void *bytes, size_t size)
{
    char path[TEST_PATH_SIZE];

    test_join(path, top, name);
    for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    test_write_file(path, bytes, size);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

static Status open_top(Context *context, const ReadGuide *guide, size_t chunk_bytes,
                       Source **source, cleave_error *error)
{
    const char *paths[] = {top};
    ReadOptions options = {0};

    clv_params_initial(clv_read_params, &options);
    options.chunk_bytes = chunk_bytes;
    return clv_read_files(context, paths, 1, &options, guide, source, error);
}

/* As text_put_source, with the rows' names. */
static Status put_named(Text *text, Source *source, cleave_error *error)
{
    for (;;) {
        const Block *block;
        Status status = source_next(source, &block, error);

        if (status != OK || !block)
            return status;
        for (uint32_t row = 0; row < block->rows; row++) {
            uint32_t start = row ? block->name_end[row - 1] : 0;

            text_add(text, block->name + start, block->name_end[row] - start);
            text_put(text, " ");
            text_put_row(text, source, block, row);
        }
    }
}

static void assert_top_reads(unsigned threads, size_t chunk_bytes, const char *expected)
{
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
    Text text = {.data = NULL};
    Source *source = NULL;
    cleave_error error;

    assert_int_equal(open_top(context, NULL, chunk_bytes, &source, &error), OK);
    for (int again = 0; again < 2; again++) {
        text.size = 0;
        text_put(&text, "");
        assert_int_equal(put_named(&text, source, &error), OK);
        assert_string_equal(text.data, expected);
        if (!again)
            assert_int_equal(clv_source_rewind(source, &error), OK);
    }
    assert_string_equal(source->schema.format, "folder");
    clv_source_close(source);
    cleave_context_free(context);
    text_free(&text);
}

static void documents_come_sorted_by_name(void **state)
{
    static const char expected[] = "a/10 a ten:1\n"
                                   "a/2 a two:2\n"
                                   "a/sub/1 a one:1\n"
                                   "a/sub.txt a dot:1\n"
                                   "b/x b two:1 last:1\n";

    (void)state;
    put_text("b/x", "last two");
    put_text("a/sub/1", "one\n");
    put_text("a/2", "Two, two.");
    put_text("a/sub.txt", "dot");
    put_text("a/10", "ten");
    put_text("a/.hidden", "hidden");
    put_text(".git/config", "hidden");
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t chunk = 0; chunk <= 8192; chunk = chunk ? 2 * chunk : 1024)
            assert_top_reads(threads, chunk, expected);
}

static void without_folders_there_are_no_classes(void **state)
{
    (void)state;
    put_text("2", "two");
    put_text("1", "one");
    assert_top_reads(1, 0, "1 ? one:1\n2 ? two:1\n");
}

/* A zero byte among the first 8,000 bytes is refused; see cli/folder. */
static void bytes_of_any_kind_are_read(void **state)
{
    enum { HEAD = 8000 };
    static char late[HEAD + 3];

    (void)state;
    memset(late, ' ', HEAD);
    memcpy(late + HEAD, "x\0y", 3);
    put("a/empty", "", 0);
    put("a/latin", "na\xEFve caf\xE9", 10);
    put("a/mark", "\xEF\xBB\xBFna\xC3\xAFve", 9);
    put("a/nul", late, sizeof late);
    assert_top_reads(1, 0,
                     "a/empty a\n"
                     "a/latin a na\xC3\xAFve:1 caf\xC3\xA9:1\n"
                     "a/mark a na\xC3\xAFve:1\n"
                     "a/nul a x:1 y:1\n");
}

/* Recognized by the first bytes; with one byte less, the document is text. */
static void documents_that_are_no_text_are_refused(void **state)
{
    static const char *const first[] = {"\x1F\x8B", "\x28\xB5\x2F\xFD", "PK\x03\x04",
                                        "%PDF-",    "\xFF\xFE",         "\xFE\xFF"};

    (void)state;
    put_text("ham/1", "noon");
    for (size_t i = 0; i < 2 * sizeof first / sizeof *first; i++) {
        Context *context = cleave_context_new(NULL);
        Text text = {.data = NULL};
        Source *source = NULL;
        cleave_error error = {0};
        char document[32];
        Status status;

        snprintf(document, sizeof document, "%s some words", first[i / 2]);
        put("spam/1", document, i % 2 ? strlen(document) : strlen(first[i / 2]) - 1);
        status = open_top(context, NULL, 0, &source, &error);
        if (status == OK)
            status = put_named(&text, source, &error);
        assert_int_equal(status, i % 2 ? CLEAVE_ERROR_DATA : OK);
        text_free(&text);
        clv_source_close(source);
        cleave_context_free(context);
    }
}

static void long_documents_are_whole(void **state)
{
    enum { WORDS = 100000 };
    char *text = malloc(4 * WORDS), expected[64];

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < WORDS; i++)
        memcpy(text + 4 * i, "abc ", 4);
    put("a/1", text, 4 * WORDS);
    put_text("a/2", "abc");
    free(text);
    snprintf(expected, sizeof expected, "a/1 a abc:%d\na/2 a abc:1\n", WORDS);
    assert_top_reads(1, 0, expected);
}

/* More documents than a chunk holds, with several threads and with one. */
static void many_documents_make_many_chunks(void **state)
{
    Text expected = {.data = NULL};

    (void)state;
    for (int i = 0; i < 600; i++) {
        char name[32], text[64];

        snprintf(name, sizeof name, "%c/%03d", 'a' + i / 200, i);
        snprintf(text, sizeof text, "w%d all", i % 7);
        put_text(name, text);
        snprintf(text, sizeof text, "%s %c ", name, 'a' + i / 200);
        text_put(&expected, text);
        /* Columns in order of first appearance: w0, all, w1, w2, … */
        snprintf(text, sizeof text, i % 7 ? "all:1 w%d:1\n" : "w%d:1 all:1\n", i % 7);
        text_put(&expected, text);
    }
    assert_top_reads(1, 0, expected.data);
    assert_top_reads(4, 0, expected.data);
    text_free(&expected);
}

static void a_model_keeps_to_its_words(void **state)
{
    Context *context = cleave_context_new(NULL);
    Source *source = NULL, *again = NULL;
    Text text = {.data = NULL};
    cleave_error error;
    ReadGuide guide;

    (void)state;
    put_text("a/1", "one two");
    assert_int_equal(open_top(context, NULL, 0, &source, &error), OK);
    assert_int_equal(put_named(&text, source, &error), OK);
    guide = (ReadGuide){
        .schema = &source->schema, .names = &source->names, .features = source->features};
    put_text("a/1", "two three");
    text.size = 0;
    assert_int_equal(open_top(context, &guide, 0, &again, &error), OK);
    assert_int_equal(put_named(&text, again, &error), OK);
    assert_string_equal(text.data, "a/1 a two:1\n");
    clv_source_close(again);
    clv_source_close(source);
    cleave_context_free(context);
    text_free(&text);
}

/* Files of any length are one row each, for any size of chunks and number of threads. */
static void files_are_documents_for_a_model_of_folders(void **state)
{
    char one[TEST_PATH_SIZE], two[TEST_PATH_SIZE], empty[TEST_PATH_SIZE], long_text[60001],
        expected[4 * TEST_PATH_SIZE];

    (void)state;
    for (size_t i = 0; i < 60000; i += 4)
        memcpy(long_text + i, "two\n", 4);
    long_text[60000] = '\0';
    put_text("a/1", "one two");
    put_text(".new/one", "Received: x\nSubject: one\n\none\nnone\n");
    put_text(".new/two.txt", long_text);
    put_text(".new/empty", "");
    snprintf(expected, sizeof expected, "%s ? one:1\n%s ? two:15000\n%s ?\n",
             test_join(one, top, ".new/one"), test_join(two, top, ".new/two.txt"),
             test_join(empty, top, ".new/empty"));
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t chunk = 0; chunk <= 8192; chunk = chunk ? 8 * chunk : 1024) {
            Context *context = cleave_context_new(
                &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
            const char *paths[] = {one, two, empty};
            ReadOptions options = {0};
            Source *source = NULL, *files = NULL;
            Text text = {.data = NULL};
            cleave_error error;
            ReadGuide guide;

            clv_params_initial(clv_read_params, &options);
            assert_int_equal(open_top(context, NULL, 0, &source, &error), OK);
            assert_int_equal(put_named(&text, source, &error), OK);
            guide = (ReadGuide){
                .schema = &source->schema, .names = &source->names, .features = source->features};
            options.chunk_bytes = chunk;
            assert_int_equal(clv_read_files(context, paths, 3, &options, &guide, &files, &error),
                             OK);
            text.size = 0;
            assert_int_equal(put_named(&text, files, &error), OK);
            assert_string_equal(text.data, expected);
            clv_source_close(files);
            clv_source_close(source);
            cleave_context_free(context);
            text_free(&text);
        }
}

static void a_document_that_vanishes_is_named(void **state)
{
    Context *context = cleave_context_new(NULL);
    char path[TEST_PATH_SIZE];
    Source *source = NULL;
    Text text = {.data = NULL};
    cleave_error error;

    (void)state;
    put_text("a/1", "one");
    put_text("a/2", "two");
    assert_int_equal(open_top(context, NULL, 0, &source, &error), OK);
    assert_int_equal(unlink(test_join(path, top, "a/2")), 0);
    assert_int_equal(put_named(&text, source, &error), CLEAVE_ERROR_IO);
    assert_non_null(strstr(error.message, "/a/2: cannot be opened: No such file"));
    clv_source_close(source);
    cleave_context_free(context);
    text_free(&text);
}

static void deep_folders_have_an_end(void **state)
{
    Context *context = cleave_context_new(NULL);
    char name[256] = "";
    Source *source = NULL;
    cleave_error error;

    (void)state;
    for (int i = 0; i < 70; i++)
        strcat(name, "d/");
    put_text(strcat(name, "x"), "x");
    assert_int_equal(open_top(context, NULL, 0, &source, &error), CLEAVE_ERROR_IO);
    assert_non_null(strstr(error.message, "nested more than 64 deep"));
    cleave_context_free(context);
}

static void long_paths_keep_their_end_in_messages(void **state)
{
    Context *context = cleave_context_new(NULL);
    char name[1024] = "", path[FOLDER_PATH_SIZE];
    Folder *folder;
    cleave_error error;

    (void)state;
    for (int i = 0; i < 4; i++) {
        memset(name + 201 * i, 'a' + i, 200);
        name[201 * i + 200] = '/';
    }
    put_text(strcat(name, "last"), "x");
    assert_int_equal(
        clv_folder_open(context, top, &(FolderOptions){.report = true}, &folder, &error), OK);
    clv_folder_path(folder, 0, path);
    assert_int_equal(strlen(path), FOLDER_PATH_SIZE - 1);
    assert_string_equal(path + strlen(path) - 6, "d/last");
    clv_folder_close(folder);
    cleave_context_free(context);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    put_text("a/1", "one two");
    put_text("b/1", "Received: x\nFrom: a@b\nSubject: y\n\nthree");
    put_text("b/2", "<html>four");
    for (long long fail_at = 1;; fail_at++) {
        TestMemory memory = {.fail_at = fail_at};
        Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                               .allocate = test_allocate,
                                                               .user = &memory,
                                                               .threads = 1});
        Source *source = NULL;
        Text text = {.data = NULL};
        cleave_error error;
        Status status = context ? open_top(context, NULL, 0, &source, &error) : CLEAVE_ERROR_MEMORY;

        if (status == OK)
            status = put_named(&text, source, &error);
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
        cmocka_unit_test_setup_teardown(documents_come_sorted_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_folders_there_are_no_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_of_any_kind_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(documents_that_are_no_text_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_documents_are_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_documents_make_many_chunks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_keeps_to_its_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_documents_for_a_model_of_folders, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_document_that_vanishes_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_folders_have_an_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_paths_keep_their_end_in_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_may_fail_anywhere, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
