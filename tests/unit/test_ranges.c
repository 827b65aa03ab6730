/* Files read in parts (ReadOptions.ranged): for any cuts, every row is read by exactly one part,
 * and an error has its line number. */
#include "unit/read_all.h"

#include <unistd.h>
#include <zlib.h>

static char folder[] = "/tmp/cleave-ranges.XXXXXX";

static char *in_folder(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

/* The rows of part number `part` of `parts`, after the contents of text. */
static Status read_part(const char *const *paths, size_t count, uint64_t total, unsigned part,
                        unsigned parts, unsigned threads, Text *text, cleave_error *error)
{
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = threads});
    ReadOptions options = {0};
    Source *source = NULL;
    Status status;

    clv_params_initial(clv_read_params, &options);
    options.chunk_bytes = 16;
    options.ranged = parts > 0;
    options.range_from = parts ? total * part / parts : 0;
    options.range_to = parts ? total * (part + 1) / parts : 0;
    *error = (cleave_error){.code = OK};
    status = clv_read_files(context, paths, count, &options, NULL, &source, error);
    if (status == OK)
        status = text_put_source(text, source, error);
    clv_source_close(source);
    cleave_context_free(context);
    return status;
}

static uint64_t total_of(const char *const *paths, size_t count)
{
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");

        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        total += (uint64_t)ftell(file);
        fclose(file);
    }
    return total;
}

static void parts_make_the_whole(const char *const *paths, size_t count)
{
    uint64_t total = total_of(paths, count);
    Text whole = {.data = NULL}, text = {.data = NULL};
    cleave_error error;

    text_put(&whole, "");
    if (read_part(paths, count, total, 0, 0, 1, &whole, &error) != OK)
        fail_msg("%s", error.message);
    assert_true(whole.size > 0);
    for (unsigned parts = 1; parts <= total + 2; parts += parts < 9 ? 1 : (unsigned)total / 7) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            text.size = 0;
            text_put(&text, "");
            for (unsigned part = 0; part < parts; part++)
                if (read_part(paths, count, total, part, parts, threads, &text, &error) != OK)
                    fail_msg("part %u of %u: %s", part, parts, error.message);
            assert_string_equal(text.data, whole.data);
        }
    }
    text_free(&text);
    text_free(&whole);
}

static void lines_are_read_once(void **state)
{
    static const char libsvm[] =
        "1 1:1 2:3\n-1 4:5\n\n1 9:1 # note\n# all a note\n-1 2:2 3:3 4:4 5:5 6:6\n1 1:1";
    static const char more[] = "-1 7:7\n1 8:8\n";
    char a[256], b[256];
    const char *paths[] = {in_folder("a.svm", a), in_folder("b.svm", b)};

    (void)state;
    write_file(a, libsvm, strlen(libsvm));
    write_file(b, more, strlen(more));
    parts_make_the_whole(paths, 1);
    parts_make_the_whole(paths, 2);
}

/* The head of the first file determines the columns, for every part. */
static void tables_keep_their_header(void **state)
{
    static const char table[] =
        "size,color,label\n1,red,yes\n2,blue,no\n3.5,\"red\",yes\n?,green,no\n";
    static const char more[] = "size,color,label\n7,black,yes\n8,red,no\n";
    char a[256], b[256];
    const char *paths[] = {in_folder("a.csv", a), in_folder("b.csv", b)};

    (void)state;
    write_file(a, table, strlen(table));
    write_file(b, more, strlen(more));
    parts_make_the_whole(paths, 1);
    parts_make_the_whole(paths, 2);
}

static void texts_are_read_once(void **state)
{
    static const char text[] = "\xEF\xBB\xBFspam\tbuy cheap pills now\nham\tsee you at "
                               "noon\n\nspam\tcheap cheap\nham\tnoon it is";
    char a[256];
    const char *paths[] = {in_folder("a.txt", a)};

    (void)state;
    write_file(a, text, strlen(text));
    parts_make_the_whole(paths, 1);
}

/* A file that cannot be cut is read by the part in which it begins. */
static void compressed_files_stay_whole(void **state)
{
    static const char text[] = "1 1:1\n-1 2:2\n1 3:3\n", more[] = "-1 4:4\n1 5:5\n";
    char a[256], b[256], c[256];
    const char *paths[] = {in_folder("c.svm", a), in_folder("d.svm.gz", b), in_folder("e.svm", c)};
    gzFile packed;

    (void)state;
    write_file(a, text, strlen(text));
    packed = gzopen(b, "wb");
    assert_int_equal(gzwrite(packed, more, (unsigned)strlen(more)), (int)strlen(more));
    gzclose(packed);
    write_file(c, text, strlen(text));
    parts_make_the_whole(paths, 3);
}

static void errors_name_their_line(void **state)
{
    static const char text[] = "1 1:1\n-1 2:2\n1 3:3\n-1 4:4\n1 5:oops\n-1 6:6\n";
    char a[256];
    const char *paths[] = {in_folder("bad.svm", a)};
    Text rows = {.data = NULL};
    cleave_error error;
    unsigned errors = 0;

    (void)state;
    write_file(a, text, strlen(text));
    for (unsigned part = 0; part < 4; part++)
        if (read_part(paths, 1, strlen(text), part, 4, 1, &rows, &error) != OK) {
            assert_non_null(strstr(error.message, "bad.svm:5:3"));
            errors++;
        }
    assert_int_equal(errors, 1);
    text_free(&rows);
}

/* A cell with a line break: the part with its first line reports it. */
static void line_breaks_in_cells_are_refused(void **state)
{
    static const char table[] =
        "size,label\n1,yes\n2,no\n3,\"may\nbe\"\n4,yes\n5,no\n6,yes\n7,no\n";
    char a[256];
    const char *paths[] = {in_folder("breaks.csv", a)};

    (void)state;
    write_file(a, table, strlen(table));
    for (unsigned parts = 2; parts < 12; parts++) {
        Text rows = {.data = NULL};
        cleave_error error;
        unsigned part = 0;

        while (part < parts &&
               read_part(paths, 1, strlen(table), part, parts, 1, &rows, &error) == OK)
            part++;
        assert_true(part < parts); /* the first error is the right one */
        if (!strstr(error.message, "breaks.csv:4: a quoted cell contains a line end"))
            fail_msg("%u parts: %s", parts, error.message);
        text_free(&rows);
    }
}

static int clean(void **state)
{
    static const char *const names[] = {"a.svm", "b.svm", "a.csv",    "b.csv",   "a.txt",
                                        "c.svm", "e.svm", "d.svm.gz", "bad.svm", "breaks.csv"};
    char path[256];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i], path));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_once),
        cmocka_unit_test(tables_keep_their_header),
        cmocka_unit_test(texts_are_read_once),
        cmocka_unit_test(compressed_files_stay_whole),
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(line_breaks_in_cells_are_refused),
    };

    return mkdtemp(folder) ? cmocka_run_group_tests(tests, NULL, clean) : 1;
}
