/*
 * LIBSVM text by example (src/read/libsvm.c), the reader around it (src/read/reader.c,
 * read_options.c), and files of several kinds (src/read/files.c, bytes.c). Properties for all text
 * are in tests/property/test_libsvm.c.
 */
#include "read_all.h"

#include "data/dataset.h"
#include "support/support.h"

#include <unistd.h>

/* Reads text with options set by name ("sort_indexes", "true", …, NULL). */
static Status read_with(const char *text, size_t size, const char *const *options,
                        const cleave_config *config, Text *rows, cleave_error *error)
{
    Context *context = cleave_context_new(config);
    ReadOptions read = {0};
    Source *source = NULL;
    char *copy = malloc(size ? size : 1);
    Status status = OK;

    assert_non_null(copy);
    memcpy(copy, text, size);
    *rows = (Text){0};
    text_put(rows, "");
    clv_params_initial(clv_read_params, &read);
    for (; options && *options; options += 2) {
        if (strcmp(options[0], "chunk") == 0)
            read.chunk_bytes = strtoul(options[1], NULL, 10);
        else
            assert_int_equal(clv_param_set(clv_param_find(clv_read_params, options[0]), &read,
                                           options[1], error),
                             OK);
    }
    status = clv_read_memory(context, "t", copy, size, &clv_format_libsvm, &read, NULL, &source,
                             error);
    if (status == OK)
        status = text_put_source(rows, source, error);
    clv_source_close(source);
    cleave_context_free(context);
    free(copy);
    return status;
}

static void reads(const char *text, const char *const *options, const char *expected)
{
    cleave_error error = {0};
    Status status;
    Text rows;

    status = read_with(text, strlen(text), options, NULL, &rows, &error);
    if (status != OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, OK);
    assert_string_equal(rows.data, expected);
    text_free(&rows);
}

static void refuses(const char *text, const char *const *options, const char *message,
                    const char *hint)
{
    cleave_error error = {0};
    Text rows;

    assert_int_equal(read_with(text, strlen(text), options, NULL, &rows, &error),
                     CLEAVE_ERROR_DATA);
    assert_true(test_matches(message, error.message));
    if (!strstr(error.hint, hint))
        print_error("expected '%s' in '%s'\n", hint, error.hint);
    assert_non_null(strstr(error.hint, hint));
    text_free(&rows);
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static void reads_rows(void **state)
{
    (void)state;
    reads("+1 1:0.5 3:-2\n-1 2:1e3\n", NULL, "+1 1:0.5 3:-2\n-1 2:1000\n");
    reads("spam 7:1 # a comment 9:9\n# nothing\n\n  \t\nham qid:3 8:+.5\n", NULL,
          "spam 7:1\nham 8:0.5\n");
    reads("1 1:1\r\n2 2:2\r\n", NULL, "1 1:1\n2 2:2\n");
    reads("\t1\t1:1\t2:2\t\n", NULL, "1 1:1 2:2\n");
    reads("? 1:1\na 1:1\n", NULL, "? 1:1\na 1:1\n");
    reads("a\nb 1:1\n", NULL, "a\nb 1:1\n"); /* a row without features */
    reads("a 1:0 2:0.0 3:-0 4:1\n", NULL, "a 4:1\n");
    reads("a 2147483647:1\n", NULL, "a 2147483647:1\n");
    reads("a 000001:1 0000000000002:2\n", NULL, "a 1:1 2:2\n");
    reads("a 1:1 66000:2 140000:3 9999999:4 10000000:5\nb 3:1 4:1 5:1\n", NULL,
          "a 1:1 66000:2 140000:3 9999999:4 10000000:5\nb 3:1 4:1 5:1\n");
    reads("a 0:1 4:2\n", WITH("zero_based", "true"), "a 0:1 4:2\n");
    reads("+1 1:1\n1 2:1\n1.0 3:1\n-1 1:1\n", NULL,
          "+1 1:1\n+1 2:1\n+1 3:1\n-1 1:1\n"); /* one label, as spelled first */
    reads("a 1:1e-50 2:1\n", NULL, "a 2:1\n"); /* too small for a float32 */
    reads("a 1:16777217 2:0.1\n", NULL, "a 1:16777216 2:0.1\n");
}

/* Fillers take space that was reserved for later rows: every length of both. */
static void fillers_leave_space(void **state)
{
    (void)state;
    for (unsigned index = 65536; index < 9000000; index += 650000)
        for (unsigned rows = 1; rows < 60; rows++) {
            Text text = {0};
            char line[40];

            snprintf(line, sizeof line, "a %u:1\n", index);
            text_put(&text, line);
            for (unsigned i = 0; i < rows; i++)
                text_put(&text, "b 1:2 3:4 5:6\n");
            reads(text.data, NULL, text.data);
            text_free(&text);
        }
}

static void disorder_is_allowed_when_asked_for(void **state)
{
    (void)state;
    reads("a 3:3 1:1 2:2\nb 1:1\n", WITH("sort_indexes", "true"), "a 1:1 2:2 3:3\nb 1:1\n");
    reads("a 1:1 1:2 2:5\n", WITH("sum_repeated", "true"), "a 1:3 2:5\n");
    reads("a 2:1 1:5 2:2\n", WITH("sort_indexes", "true", "sum_repeated", "true"), "a 1:5 2:3\n");
    reads("a 2:1 2:-1 3:1\n", WITH("sum_repeated", "true"), "a 3:1\n");
    reads("a 90000:1 5:5 70000:7\n", WITH("sort_indexes", "true"), "a 5:5 70000:7 90000:1\n");
    refuses("a 2:1 1:5 2:2\n", WITH("sort_indexes", "true"),
            "t:1: index 2 appears twice in the row", "--sum-repeated");
    refuses("a 1:3e38 1:3e38\n", WITH("sum_repeated", "true"),
            "t:1: the sum of the values of index 1 is too large for a float32", "");
}

static void errors_name_the_place(void **state)
{
    (void)state;
    refuses("a 1:1\nb 1:1 2:nan\n", NULL, "t:2:7: value is not finite: '2:nan'",
            "remove the feature");
    refuses("a 1:-inf\n", NULL, "t:1:3: *: '1:-inf'", "");
    refuses("a 1:Infinity\n", NULL, "t:1:3: *: '1:Infinity'", "");
    refuses("a 1:1e39\n", NULL, "t:1:3: value is too large for a float32: '1:1e39'", "3.4e38");
    refuses("a 1:x\n", NULL, "t:1:3: value is not a number: '1:x'", "INDEX:VALUE");
    refuses("a 1:\n", NULL, "t:1:3: *: '1:'", "");
    refuses("a 1:1:1\n", NULL, "t:1:3: *: '1:1:1'", "");
    refuses("a 1:0x10\n", NULL, "t:1:3: *: '1:0x10'", "");
    refuses("a x:1\n", NULL, "t:1:3: index is not a number: 'x:1'", "");
    refuses("a -1:1\n", NULL, "t:1:3: *: '-1:1'", "");
    refuses("a :1\n", NULL, "t:1:3: not a feature: ':1'", "");
    refuses("a 1\n", NULL, "t:1:3: not a feature: '1'", "");
    refuses("a 1 :2\n", NULL, "t:1:3: not a feature: '1'", "");
    refuses("a 0:1\n", NULL, "t:1:3: index out of range: '0:1'", "--zero-based");
    refuses("a 2147483648:1\n", NULL, "t:1:3: *: '2147483648:1'", "2147483647");
    refuses("a 99999999999999999999:1\n", NULL, "t:1:3: *: '99999999999999999999:1'", "2147483647");
    refuses("a 2:1 1:1\n", NULL, "t:1:7: index is smaller than the previous index: '1:1'",
            "--sort-indexes");
    refuses("a 2:1 2:1\n", NULL, "t:1:7: index appears twice in the row: '2:1'", "--sum-repeated");
    refuses("a 2:0 1:1\n", NULL, "t:1:7: *: '1:1'", "--sort-indexes"); /* a 0 counts */
    refuses("a 2:0 2:1\n", NULL, "t:1:7: *: '2:1'", "--sum-repeated");
    refuses("a 80000:0 2:1\n", NULL, "t:1:11: *: '2:1'", "--sort-indexes");
    refuses("1:1 2:1\n", NULL, "t:1:1: the label is missing: the line begins with a feature: '1:1'",
            "?");
    refuses("a qid:x 1:1\n", NULL, "t:1:3: qid is not a whole number: 'qid:x'", "");
    refuses("a qid:99999999999999999999 1:1\n", NULL,
            "t:1:3: qid is too large: 'qid:99999999999999999999'", "");
    refuses("# only\n\n# comments\n", NULL, "t: *: 3)", "");
    refuses("a\x01 1:1\n", NULL, "t:1:1: the label contains a control character: 'a\\x01'",
            "--format");
    refuses("", NULL, "t: *", "at least one");
}

/* The first error of the file is reported, whichever thread finds it, for any chunks. */
static void the_first_error_is_told(void **state)
{
    Text text = {0};

    (void)state;
    for (int line = 1; line <= 2000; line++)
        text_put(&text, line == 1500                   ? "a 1:x\n"
                        : line % 2 == 0 && line > 1500 ? "b 2:y\n"
                                                       : "a 1:1 2:2\n");
    for (unsigned threads = 1; threads <= 4; threads++)
        for (size_t chunk = 1; chunk < 100000; chunk *= 7) {
            char number[24];
            cleave_error error = {0};
            Text rows;

            snprintf(number, sizeof number, "%zu", chunk);
            assert_int_equal(
                read_with(text.data, text.size, WITH("chunk", number),
                          &(cleave_config){.size = sizeof(cleave_config), .threads = threads},
                          &rows, &error),
                CLEAVE_ERROR_DATA);
            assert_true(test_matches("t:1500:3: *: '1:x'", error.message));
            text_free(&rows);
        }
    text_free(&text);
}

/* ---- cut files ------------------------------------------------------------------------------- */

static void cut_files(void **state)
{
    (void)state;
    reads("a 1:1\nb 2:2", NULL, "a 1:1\nb 2:2\n"); /* a whole token: read, with a warning */
    reads("a 1:1\nb 2:2 # what", NULL, "a 1:1\nb 2:2\n");
    reads("a 1:1\nb", NULL, "a 1:1\nb\n");
    refuses("a 1:1\nb 2:", NULL,
            "t:2:3: the file is incomplete: its last line ends inside a feature: '2:'",
            "--allow-cut");
    refuses("a 1:1\nb 2", NULL, "t:2:3: *: '2'", "--allow-cut");
    refuses("a 1:1\nb 2:1.", NULL, "t:2:3: *: '2:1.'", "");
    refuses("a 1:1\nb 2:1e", NULL, "t:2:3: *: '2:1e'", "");
    refuses("a 1:1\nb 2:2 ", NULL,
            "t:2:6: the file is incomplete: its last line ends with a space and has no newline",
            "--allow-cut");
    reads("a 1:1\nb 2:", WITH("allow_cut", "true"), "a 1:1\n");
    reads("a 1:1\nb 2:2", WITH("allow_cut", "true"), "a 1:1\n");
    reads("a 1:1\nb 2:2\n", WITH("allow_cut", "true"), "a 1:1\nb 2:2\n");
}

/* ---- warnings -------------------------------------------------------------------------------- */

typedef struct {
    int count;
    char last[300];
} Warnings;

static void keep_warning(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Warnings *warnings = user;

    if (level != CLEAVE_LOG_WARNING)
        return;
    warnings->count++;
    snprintf(warnings->last, sizeof warnings->last, "%s", message);
    assert_true(strlen(hint) > 0);
}

static void warns(const char *text, const char *expected)
{
    Warnings warnings = {0};
    cleave_error error = {0};
    Text rows;

    assert_int_equal(read_with(text, strlen(text), NULL,
                               &(cleave_config){.size = sizeof(cleave_config),
                                                .threads = 1,
                                                .log = keep_warning,
                                                .user = &warnings},
                               &rows, &error),
                     OK);
    assert_int_equal(warnings.count, expected ? 1 : 0);
    if (expected)
        assert_string_equal(warnings.last, expected);
    text_free(&rows);
}

static void what_looks_like_a_mistake_is_told_once(void **state)
{
    (void)state;
    warns("a 1:1\nb 1:1\na 2:1\nb 2:1\n", NULL);
    warns("a 1:1\nb\n", "t:2: the row has no features");
    warns("a 1:1\n# c\nb\na\nb\n", "t:3: the row has no features, the first of several");
    warns("a 1:1\nb 2:2", "t:2: the file does not end with a newline");
    warns("spam 1:1\nspam 1:1\nham 1:1\nham 1:1\nspma 1:1\n",
          "t:5: label 'spma' occurs once and is nearly the same as 'spam'");
    warns("spam 1:1\nspam 1:1\nham 1:1\nham 1:1\nHAM 1:1\n",
          "t:5: label 'HAM' occurs once and is nearly the same as 'ham'");
    warns("spam 1:1\nspam 1:1\nham 1:1\nham 1:1\nnews 1:1\n", NULL);   /* a rare class */
    warns("class1 1:1\nclass1 1:1\nclass2 1:1\nclass12 1:1\n", NULL);  /* numbered classes */
    warns("1000 1:1\n1000 1:1\n2000 1:1\n2000 1:1\n1001 1:1\n", NULL); /* a rare number */
    warns("1 1:1\n2 1:1\n3 1:1\n4 1:1\n5 1:1\n6 1:1\n7 1:1\n", NULL);  /* targets of a regression */
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct {
    char folder[TEST_PATH_SIZE];
    Context *context;
} Place;

static void begin_place(Place *place)
{
    test_folder_new(place->folder);
    place->context = cleave_context_new(NULL);
}

static void end_place(Place *place)
{
    test_folder_remove(place->folder);
    cleave_context_free(place->context);
}

/* Reads files of the folder, "a b c", as rows. */
static Status read_files(Place *place, const char *names, const char *format, Text *rows,
                         cleave_error *error)
{
    char paths[4][TEST_PATH_SIZE], copy[200];
    const char *list[4];
    size_t count = 0;
    ReadOptions options = {0};
    Source *source = NULL;
    char *rest = copy;
    Status status;

    *rows = (Text){0};
    text_put(rows, "");
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest), count++)
        list[count] = test_join(paths[count], place->folder, name);
    clv_params_initial(clv_read_params, &options);
    if (format)
        options.format = format;
    status = clv_read_files(place->context, list, count, &options, NULL, &source, error);
    if (status == OK)
        status = text_put_source(rows, source, error);
    if (status == OK) { /* and once more from the start */
        Text again = {0};

        text_put(&again, "");
        status = clv_source_rewind(source, error);
        if (status == OK)
            status = text_put_source(&again, source, error);
        assert_string_equal(rows->data, again.data);
        text_free(&again);
    }
    clv_source_close(source);
    return status;
}

static void write_in(const Place *place, const char *name, const char *text)
{
    char path[TEST_PATH_SIZE];

    test_write_text(test_join(path, place->folder, name), text);
}

static void assert_files(Place *place, const char *names, const char *format, const char *expected)
{
    cleave_error error = {0};
    Status status;
    Text rows;

    status = read_files(place, names, format, &rows, &error);
    if (status != OK)
        print_error("%s: %s\n", names, error.message);
    assert_int_equal(status, OK);
    assert_string_equal(rows.data, expected);
    text_free(&rows);
}

static void assert_no_files(Place *place, const char *names, const char *format, cleave_code code,
                            const char *message)
{
    cleave_error error = {0};
    Text rows;

    assert_int_equal(read_files(place, names, format, &rows, &error), code);
    if (!strstr(error.message, message))
        print_error("expected '%s' in '%s'\n", message, error.message);
    assert_non_null(strstr(error.message, message));
    text_free(&rows);
}

static void formats_are_told_by_suffix_or_content(void **state)
{
    char path[TEST_PATH_SIZE];
    Place place;

    (void)state;
    begin_place(&place);
    write_in(&place, "a.libsvm", "x 1:1\ny 2:2\n");
    write_in(&place, "plain", "x 1:1\ny 2:2\n");
    write_in(&place, "b.csv", "label,u,v\nx,1,0\ny,0,2\n");
    write_in(&place, "words", "x\thello you\ny\tand you too\n");
    test_write_gzip(test_join(path, place.folder, "a.libsvm.gz"), "x 1:1\ny 2:2\n");
    test_write_gzip(test_join(path, place.folder, "odd.name"), "x 1:1\ny 2:2\n");
    assert_files(&place, "a.libsvm", NULL, "x 1:1\ny 2:2\n");
    assert_files(&place, "plain", NULL, "x 1:1\ny 2:2\n");
    assert_files(&place, "a.libsvm.gz", NULL, "x 1:1\ny 2:2\n");
    assert_files(&place, "odd.name", NULL, "x 1:1\ny 2:2\n");
    assert_files(&place, "b.csv", NULL, "x u:1\ny v:2\n");
    assert_files(&place, "words", NULL, "x hello:1 you:1\ny you:1 and:1 too:1\n");
    assert_no_files(&place, "a.libsvm", "libsmv", CLEAVE_ERROR_USAGE, "did you mean 'libsvm'");
    assert_no_files(&place, "missing", NULL, CLEAVE_ERROR_IO, "missing: cannot be opened");
    write_in(&place, "bytes", "\x01\x02\x03\xFF\xFE\n");
    assert_no_files(&place, "bytes", NULL, CLEAVE_ERROR_DATA, "the format is not recognized");
    assert_no_files(&place, ".", "libsvm", CLEAVE_ERROR_USAGE, "this is a folder");
    end_place(&place);
}

static void several_files_are_one(void **state)
{
    char path[TEST_PATH_SIZE];
    Place place;

    (void)state;
    begin_place(&place);
    write_in(&place, "a.libsvm", "x 1:1\ny 2:2\n");
    write_in(&place, "b.libsvm", "z 9:1\nx 3:3\n");
    write_in(&place, "bad.libsvm", "z 9:1\nx 3:q\n");
    write_in(&place, "empty.libsvm", "");
    test_write_gzip(test_join(path, place.folder, "c.gz"), "y 4:4\n");
    assert_files(&place, "a.libsvm b.libsvm c.gz", NULL, "x 1:1\ny 2:2\nz 9:1\nx 3:3\ny 4:4\n");
    assert_no_files(&place, "a.libsvm bad.libsvm", NULL, CLEAVE_ERROR_DATA,
                    "bad.libsvm:2:3: value is not a number: '3:q'");
    assert_no_files(&place, "a.libsvm empty.libsvm", NULL, CLEAVE_ERROR_DATA,
                    "empty.libsvm: the file is empty");
    end_place(&place);
}

/* The bytes of a dataset, for tests that need one in a file. */
static void write_dataset(Place *place, const char *from, const char *to)
{
    char path[TEST_PATH_SIZE], target[TEST_PATH_SIZE];
    cleave_error error = {0};
    cleave_data *data;

    assert_int_equal(
        cleave_open(place->context, test_join(path, place->folder, from), NULL, &data, &error), OK);
    assert_int_equal(cleave_convert(data, test_join(target, place->folder, to), NULL, NULL, &error),
                     OK);
    cleave_data_free(data);
}

static void datasets_are_files_too(void **state)
{
    char path[TEST_PATH_SIZE];
    Place place;
    size_t size;
    char *bytes;

    (void)state;
    begin_place(&place);
    write_in(&place, "a.libsvm", "x 1:1\ny 2:2\n");
    write_in(&place, "b.libsvm", "z 9:1\nx 3:3\n");
    write_dataset(&place, "a.libsvm", "a.cleave");
    write_dataset(&place, "b.libsvm", "b.cleave");
    assert_files(&place, "a.cleave", NULL, "x 1:1\ny 2:2\n");
    assert_files(&place, "a.cleave", "cleave", "x 1:1\ny 2:2\n");
    assert_files(&place, "a.cleave b.cleave", NULL, "x 1:1\ny 2:2\nz 9:1\nx 3:3\n");
    assert_no_files(&place, "a.cleave b.libsvm", NULL, CLEAVE_ERROR_DATA,
                    "b.libsvm: this is not a cleave dataset");
    bytes = test_read_file(test_join(path, place.folder, "a.cleave"), &size);
    /* recognized by its content */
    test_write_file(test_join(path, place.folder, "other"), bytes, size);
    assert_files(&place, "other", NULL, "x 1:1\ny 2:2\n");
    test_write_file(test_join(path, place.folder, "cut.cleave"), bytes, size / 2);
    assert_no_files(&place, "cut.cleave", NULL, CLEAVE_ERROR_FORMAT, "incomplete");
    free(bytes);
    end_place(&place);
}

/* Standard input can be read only once, and a file that is not regular is not read twice. */
static void pipes_are_read_once(void **state)
{
    cleave_error error = {0};
    ReadOptions options = {0};
    const char *path = "-";
    Context *context = cleave_context_new(NULL);
    Source *source;
    int ends[2], kept = dup(STDIN_FILENO);
    Text rows = {0};

    (void)state;
    text_put(&rows, "");
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x 1:1\ny 2:2\n", 12), 12);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    clv_params_initial(clv_read_params, &options);
    assert_int_equal(clv_read_files(context, &path, 1, &options, NULL, &source, &error), OK);
    assert_int_equal(text_put_source(&rows, source, &error), OK);
    assert_string_equal(rows.data, "x 1:1\ny 2:2\n");
    assert_int_equal(clv_source_rewind(source, &error), CLEAVE_ERROR_IO);
    assert_non_null(strstr(error.message, "only once"));
    clv_source_close(source);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    text_free(&rows);
    cleave_context_free(context);
}

/* A line far longer than a chunk. */
static void long_lines(void **state)
{
    Text text = {0}, rows;
    cleave_error error = {0};
    size_t lines = 0;

    (void)state;
    for (int line = 0; line < 3; line++) {
        text_put(&text, "a");
        for (int i = 1; i <= 150000; i++) {
            char feature[32];

            snprintf(feature, sizeof feature, " %d:%d", i, line + 1);
            text_put(&text, feature);
        }
        text_put(&text, "\n");
    }
    assert_int_equal(read_with(text.data, text.size, NULL,
                               &(cleave_config){.size = sizeof(cleave_config), .threads = 2}, &rows,
                               &error),
                     OK);
    assert_string_equal(rows.data, text.data);
    for (size_t i = 0; i < rows.size; i++)
        lines += rows.data[i] == '\n';
    assert_int_equal(lines, 3);
    text_free(&text);
    text_free(&rows);
}

/* Labels that are all different numbers are not classes: after 65536 of them rows contain the
 * number itself. */
static void many_numbers_are_targets(void **state)
{
    Context *context = cleave_context_new(NULL);
    ReadOptions options = {0};
    cleave_error error = {0};
    Dataset *dataset;
    Source *source;
    Text text = {0};

    (void)state;
    for (int i = 0; i < 140000; i++) {
        char line[40];

        snprintf(line, sizeof line, "%d.5 1:1\n", i);
        text_put(&text, line);
    }
    clv_params_initial(clv_read_params, &options);
    assert_int_equal(clv_read_memory(context, "t", text.data, text.size, &clv_format_libsvm,
                                     &options, NULL, &source, &error),
                     OK);
    assert_int_equal(clv_dataset_load(source, &dataset, &error), OK);
    assert_true(dataset->numbers);
    assert_int_equal(dataset->rows, 140000);
    assert_true(dataset->labels.count < 140000);
    {
        Block block;

        assert_int_equal(clv_dataset_block(dataset, dataset->blocks - 1, &block, &error), OK);
        assert_int_equal(block.target_form, TARGETS_NUMBERS);
        assert_true(((const double *)block.target)[block.rows - 1] == 139999.5);
    }
    clv_source_close(source);
    clv_dataset_free(dataset);
    text_free(&text);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows),
        cmocka_unit_test(fillers_leave_space),
        cmocka_unit_test(disorder_is_allowed_when_asked_for),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(the_first_error_is_told),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(what_looks_like_a_mistake_is_told_once),
        cmocka_unit_test(formats_are_told_by_suffix_or_content),
        cmocka_unit_test(several_files_are_one),
        cmocka_unit_test(datasets_are_files_too),
        cmocka_unit_test(pipes_are_read_once),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(many_numbers_are_targets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
