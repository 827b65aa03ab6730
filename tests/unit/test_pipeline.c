/*
 * Pipelines: their text, errors, defaults and unused columns; and every transform of the list,
 * through fitting, rows, a model's file and back, with damaged files and failing allocations.
 * test_transform.c tests the results of each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/random.h"
#include "model/registry.h"
#include "pipeline/pipeline.h"
#include "read/reader.h"
#include "support/support.h"
#include "train/pipeline_fit.h"

static Context *context;

static int set_up(void **state)
{
    (void)state;
    context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cleave_context_free(context);
    return 0;
}

static void assert_fine(Status status, const cleave_error *error)
{
    if (status != OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(status, OK);
}

#define FINE(expression) assert_fine((expression), &error)

/* ---- text ------------------------------------------------------------------------------------ */

static void assert_refused(const char *text, const char *message, const char *hint)
{
    cleave_error error;
    Pipeline *pipeline;

    assert_int_equal(clv_pipeline_parse(context, text, &pipeline, &error), CLEAVE_ERROR_USAGE);
    assert_null(pipeline);
    assert_true(test_matches(message, error.message));
    if (hint)
        assert_string_equal(error.hint, hint);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    assert_refused("polr", "unknown transform 'polr'; did you mean 'polar'?",
                   "'cleave transforms' lists all transforms");
    assert_refused("tfidf,", "--transform: expected the name of a transform, found nothing",
                   "for example: --transform scale,polynomial:degree=2");
    assert_refused(",tfidf", "--transform: *", NULL);
    assert_refused("polynomial:degre=2",
                   "--transform: polynomial has no parameter 'degre'; did you mean 'degree'?",
                   NULL);
    assert_refused("polynomial:degree",
                   "--transform: parameter 'degree' of polynomial needs a value",
                   "for example: polynomial:degree=VALUE");
    assert_refused("polar:center=1/",
                   "--transform: polar: expected origin, mean or a point as the center, found '1/'",
                   NULL);
    assert_refused("polar:center=", "--transform: polar: * ''", NULL);
    assert_refused("radius:center=1/nan", "--transform: radius: * '1/nan'",
                   "write a point as coordinates separated by slashes, for example center=3/-4.5");
}

static void assert_text(const char *given, const char *expected)
{
    cleave_error error;
    Buffer text = {0};
    Pipeline *pipeline;

    FINE(clv_pipeline_parse(context, given, &pipeline, &error));
    FINE(clv_pipeline_text(pipeline, &text, &error));
    assert_string_equal(text.data, expected);
    clv_free(context, text.data);
    clv_pipeline_release(pipeline);
}

/* Parameters that differ from their defaults are written, and read back unchanged. */
static void is_text_again(void **state)
{
    static const char *const same[] = {
        "tfidf",
        "tfidf:tf=presence:min-df=2",
        "polar:x=height:y=weight:center=3/-4.5",
        "radius:center=mean:keep=true",
        "polynomial:degree=3:terms=interactions,pca:components=2:whiten=true",
        "fourier:components=64:gamma=0.25:seed=7",
        "project:eps=0.5:kind=gaussian",
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_text(same[i], same[i]);
    assert_text("polynomial:degree=2:terms=all", "polynomial");
    assert_text("radius:keep", "radius:keep=true");
    assert_text("pca:no_center", "pca:no-center=true");
}

/* ---- what is usual --------------------------------------------------------------------------- */

static void assert_usual(const char *method, const char *format, bool piecewise, const char *said,
                         const char *expected)
{
    const Method *found;
    cleave_error error;
    Buffer text = {0};
    Pipeline *pipeline;
    Schema schema;

    FINE(clv_method_find(method, &found, &error));
    clv_schema_init(&schema, context);
    snprintf(schema.format, sizeof schema.format, "%s", format);
    FINE(clv_pipeline_of_run(context, found, NULL, said, &schema, piecewise, &pipeline, &error));
    if (pipeline) {
        FINE(clv_pipeline_text(pipeline, &text, &error));
        assert_string_equal(text.data, expected);
    } else {
        assert_string_equal("", expected);
    }
    clv_free(context, text.data);
    clv_pipeline_release(pipeline);
    clv_schema_free(&schema);
}

static void knows_what_is_usual(void **state)
{
    (void)state;
    assert_usual("svm", "text", false, "none", "");
    assert_usual("svm", "libsvm", false, "auto", "");
    assert_usual("svm", "text", false, "auto", "tfidf");
    assert_usual("svm", "text", true, "auto", "tfidf:idf=none");
    assert_usual("winnow", "text", false, "auto", "tfidf:tf=presence:idf=none:norm=none");
    assert_usual("svm", "text", false, "auto,pca:components=7", "tfidf,pca:components=7");
    assert_usual("svm", "libsvm", false, "auto,polynomial", "polynomial");
}

static void knows_what_looks(void **state)
{
    cleave_error error;
    Pipeline *pipeline;

    (void)state;
    FINE(clv_pipeline_parse(context, "tfidf:idf=none", &pipeline, &error));
    assert_null(clv_pipeline_looks(pipeline));
    clv_pipeline_release(pipeline);
    FINE(clv_pipeline_parse(context, "tfidf:idf=none,polynomial", &pipeline, &error));
    assert_string_equal(clv_pipeline_looks(pipeline), "polynomial");
    clv_pipeline_release(pipeline);
}

/* ---- data ------------------------------------------------------------------------------------ */

enum { ROWS = 40, COLUMNS = 12 };

/* Counts, which every transform supports: a label and names of columns, or numbers. */
static void write_rows(bool names, char text[16384])
{
    Random random = clv_random(5, 1);
    size_t length = 0;

    if (names) {
        length += (size_t)snprintf(text, 16384, "label");
        for (int j = 0; j < COLUMNS; j++)
            length += (size_t)snprintf(text + length, 16384 - length, ",c%d", j);
        length += (size_t)snprintf(text + length, 16384 - length, "\n");
    }
    for (int i = 0; i < ROWS; i++) {
        length += (size_t)snprintf(text + length, 16384 - length, "%s",
                                   i % 3 ? (i % 3 == 1 ? "b" : "c") : "a");
        for (int j = 0; j < COLUMNS; j++) {
            uint32_t value = clv_random_below(&random, 3) ? 0 : 1 + clv_random_below(&random, 6);

            if (j == COLUMNS - 1 && i != 7)
                value = 0; /* a rare value */
            if (names)
                length += (size_t)snprintf(text + length, 16384 - length, ",%u", value);
            else if (value)
                length += (size_t)snprintf(text + length, 16384 - length, " %d:%u", j + 1, value);
        }
        length += (size_t)snprintf(text + length, 16384 - length, "\n");
    }
}

static Status open_rows(Context *own, bool names, const char *text, Source **source,
                        cleave_error *error)
{
    ReadOptions options = {.format = "auto"};

    clv_params_initial(clv_read_params, &options);
    if (names)
        options.label = "label";
    return clv_read_memory(own, "rows", text, strlen(text),
                           names ? &clv_format_csv : &clv_format_libsvm, &options, NULL, source,
                           error);
}

/* All rows that a pipeline makes of the source, one after another. */
typedef struct {
    char *data;
    size_t size, capacity;
} Bytes;

static void add_bytes(Bytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->capacity) {
        bytes->capacity = 2 * (bytes->size + size);
        bytes->data = realloc(bytes->data, bytes->capacity);
        assert_non_null(bytes->data);
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static Status run_rows(Context *own, const Pipeline *pipeline, Source *source, Bytes *bytes,
                       cleave_error *error)
{
    RowWorkspace workspace = {.context = own};
    Status status = clv_source_rewind(source, error);

    bytes->size = 0;
    while (status == OK) {
        const Block *block;

        status = source_next(source, &block, error);
        if (status != OK || !block)
            break;
        for (uint32_t row = 0; row < block->rows && status == OK; row++) {
            status = clv_pipeline_row(pipeline, &workspace, block, row, error);
            if (status != OK)
                break;
            for (size_t i = 0; i < workspace.row.count; i++) {
                assert_true(workspace.row.column[i] < clv_pipeline_output_count(pipeline));
                assert_true(i == 0 || workspace.row.column[i] > workspace.row.column[i - 1]);
                assert_true(isfinite(workspace.row.value[i]));
            }
            add_bytes(bytes, &workspace.row.count, sizeof workspace.row.count);
            add_bytes(bytes, workspace.row.column,
                      workspace.row.count * sizeof *workspace.row.column);
            add_bytes(bytes, workspace.row.value,
                      workspace.row.count * sizeof *workspace.row.value);
        }
    }
    clv_workspace_free(&workspace);
    return status;
}

static void assert_same_bytes(const Bytes *a, const Bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

/* ---- what is left out ------------------------------------------------------------------------ */

static void reads_only_what_it_uses(void **state)
{
    char text[16384];
    Bytes before = {0};
    cleave_error error;
    Source *source;
    Pipeline *pipeline;

    (void)state;
    write_rows(true, text);
    FINE(open_rows(context, true, text, &source, &error));
    FINE(clv_pipeline_parse(context, "tfidf:min-df=2,polynomial:terms=powers", &pipeline, &error));
    FINE(clv_pipeline_learn(pipeline, source, 1, &error));
    FINE(run_rows(context, pipeline, source, &before, &error));
    assert_int_equal(clv_pipeline_input_count(pipeline), COLUMNS);
    assert_int_equal(clv_pipeline_output_count(pipeline), 2 * (COLUMNS - 1));
    FINE(clv_pipeline_narrow(pipeline, &error));
    assert_int_equal(clv_pipeline_input_count(pipeline), COLUMNS - 1); /* c11 is in one row only */
    assert_int_equal(clv_names_find(clv_pipeline_inputs(pipeline), "c11", 3), NO_COLUMN);
    assert_int_equal(clv_pipeline_output_count(pipeline), 2 * (COLUMNS - 1));
    clv_pipeline_release(pipeline);
    clv_source_close(source);
    free(before.data);
}

/* ---- every transformation -------------------------------------------------------------------- */

static Status put_and_get(Context *own, const Pipeline *pipeline, Bundle **bundle, Buffer *buffer,
                          Pipeline **loaded, cleave_error *error)
{
    Bundle *made;
    uint32_t version;
    Status status;

    TRY(clv_bundle_new(own, &made, error));
    status = clv_pipeline_put(pipeline, made, error);
    if (status == OK)
        status = clv_bundle_write(made, "TESTTEST", 1, buffer, error);
    clv_bundle_free(made);
    TRY(status);
    TRY(clv_bundle_parse(own, "m", "TESTTEST", 1, buffer->data, buffer->size, bundle, &version,
                         error));
    return clv_pipeline_get(own, *bundle, clv_pipeline_in(*bundle), "m",
                            clv_pipeline_outputs(pipeline), clv_pipeline_output_count(pipeline),
                            loaded, error);
}

/* A transform as it can be used alone: some require a parameter. */
static const char *alone(size_t number)
{
    const char *name = clv_transforms[number]->name;

    return strcmp(name, "select") == 0 ? "select:top=5" : name;
}

/* Fitting twice gives the same bytes, and so do saving and loading. */
static void loaded_is_what_was_saved(void **state)
{
    char text[16384];

    (void)state;
    for (int names = 0; names < 2; names++)
        for (size_t i = 0; clv_transforms[i]; i++) {
            Bytes one = {0}, other = {0};
            Pipeline *pipeline, *again, *loaded = NULL;
            Bundle *bundle = NULL;
            Buffer buffer = {0};
            cleave_error error;
            Source *source;

            write_rows(names, text);
            FINE(open_rows(context, names, text, &source, &error));
            FINE(clv_pipeline_parse(context, alone(i), &pipeline, &error));
            FINE(clv_pipeline_parse(context, alone(i), &again, &error));
            FINE(clv_pipeline_learn(pipeline, source, 3, &error));
            FINE(run_rows(context, pipeline, source, &one, &error));
            FINE(clv_pipeline_learn(again, source, 3, &error));
            FINE(run_rows(context, again, source, &other, &error));
            assert_same_bytes(&one, &other);
            FINE(put_and_get(context, pipeline, &bundle, &buffer, &loaded, &error));
            clv_pipeline_release(pipeline);
            FINE(run_rows(context, loaded, source, &other, &error));
            assert_same_bytes(&one, &other);
            clv_pipeline_release(again);
            clv_pipeline_release(loaded);
            clv_bundle_free(bundle);
            clv_source_close(source);
            clv_free(context, buffer.data);
            free(one.data);
            free(other.data);
        }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static bool must_be_whole(const char *name)
{
    static const char *const whole[] = {"polar",   "radius", "polynomial",
                                        "fourier", "pca",    "project"};

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(name, whole[i]) == 0)
            return true;
    return false;
}

/* A copy of the bundle with one item missing, truncated, extended, or filled with 0xFF. */
static void damaged_copy(const Bundle *from, size_t which, int how, Bundle **made)
{
    static const uint8_t ones[1] = {0xFF};
    cleave_error error;

    FINE(clv_bundle_new(context, made, &error));
    for (size_t i = 0; i < from->count; i++) {
        const BundleItem *item = &from->item[i];
        size_t size = item->type == BUNDLE_BYTES                             ? 1
                      : item->type == BUNDLE_U32 || item->type == BUNDLE_F32 ? 4
                                                                             : 8;
        char *data;

        if (i == which && how == 0)
            continue;
        data = malloc((item->count + 1) * size);
        assert_non_null(data);
        memset(data, ones[0], (item->count + 1) * size);
        if (i != which || how != 3)
            memcpy(data, item->data, item->count * size);
        FINE(clv_bundle_put(*made, item->name, item->type, data,
                            i != which ? item->count : item->count - (how == 1) + (how == 2),
                            &error));
        free(data);
    }
}

static void damage_is_refused(void **state)
{
    char text[16384];

    (void)state;
    write_rows(true, text);
    for (size_t i = 0; clv_transforms[i]; i++) {
        Pipeline *pipeline, *loaded = NULL;
        Bundle *bundle = NULL;
        Buffer buffer = {0};
        cleave_error error;
        Source *source;

        FINE(open_rows(context, true, text, &source, &error));
        FINE(clv_pipeline_parse(context, alone(i), &pipeline, &error));
        FINE(clv_pipeline_learn(pipeline, source, 3, &error));
        FINE(put_and_get(context, pipeline, &bundle, &buffer, &loaded, &error));
        clv_pipeline_release(loaded);
        for (size_t which = 0; which < bundle->count; which++)
            for (int how = 0; how < 4; how++) {
                const char *name = bundle->item[which].name;
                Bundle *damaged;
                Status status;

                damaged_copy(bundle, which, how, &damaged);
                status = clv_pipeline_get(context, damaged, clv_pipeline_in(damaged), "m",
                                          clv_pipeline_outputs(pipeline),
                                          clv_pipeline_output_count(pipeline), &loaded, &error);
                if (status == OK) {
                    /* If the pipeline is valid nevertheless, rows are transformed or fail with an
                     * error. The numbers may not be finite. */
                    RowWorkspace workspace = {.context = context};
                    const Block *block;

                    FINE(clv_source_rewind(source, &error));
                    FINE(source_next(source, &block, &error));
                    for (uint32_t row = 0; block && row < block->rows; row++)
                        (void)clv_pipeline_row(loaded, &workspace, block, row, &error);
                    clv_workspace_free(&workspace);
                    clv_pipeline_release(loaded);
                } else {
                    assert_int_equal(status, CLEAVE_ERROR_FORMAT);
                    assert_string_equal(error.hint,
                                        "train the model again, or restore it from an intact copy");
                }
                if (must_be_whole(clv_transforms[i]->name) && how < 3 &&
                    strncmp(name, "t.0.", 4) == 0 && !(how != 0 && strcmp(name, "t.0.seed") == 0)) {
                    if (status != CLEAVE_ERROR_FORMAT)
                        print_error("%s: damage %d of %s is not noticed\n", clv_transforms[i]->name,
                                    how, name);
                    assert_int_equal(status, CLEAVE_ERROR_FORMAT);
                }
                clv_bundle_free(damaged);
            }
        clv_pipeline_release(pipeline);
        clv_bundle_free(bundle);
        clv_source_close(source);
        clv_free(context, buffer.data);
    }
}

/* ---- short memory ---------------------------------------------------------------------------- */

static Status whole_life(Context *own, const char *pipeline_text, const char *text,
                         cleave_error *error)
{
    Pipeline *pipeline = NULL, *loaded = NULL;
    Bundle *bundle = NULL;
    Buffer buffer = {0};
    Source *source = NULL;
    Bytes bytes = {0};
    Status status = open_rows(own, false, text, &source, error);

    if (status == OK)
        status = clv_pipeline_parse(own, pipeline_text, &pipeline, error);
    if (status == OK)
        status = clv_pipeline_learn(pipeline, source, 3, error);
    if (status == OK)
        status = put_and_get(own, pipeline, &bundle, &buffer, &loaded, error);
    if (status == OK)
        status = run_rows(own, loaded, source, &bytes, error);
    clv_pipeline_release(pipeline);
    clv_pipeline_release(loaded);
    clv_bundle_free(bundle);
    clv_source_close(source);
    clv_free(own, buffer.data);
    free(bytes.data);
    return status;
}

static void try_all_failures(const char *pipeline_text, const char *text)
{
    for (long long fail_at = 1;; fail_at++) {
        TestMemory memory = {.fail_at = fail_at};
        Context *own = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                           .threads = 1,
                                                           .allocate = test_allocate,
                                                           .user = &memory});
        cleave_error error;
        Status status;

        if (!own)
            continue;
        status = whole_life(own, pipeline_text, text, &error);
        cleave_context_free(own);
        assert_int_equal(memory.live, 0);
        if (memory.failures == 0) {
            assert_int_equal(status, OK);
            return;
        }
        if (status != CLEAVE_ERROR_MEMORY)
            print_error("%s: allocation %lld: %s\n", pipeline_text, fail_at,
                        status ? error.message : "went on");
        assert_int_equal(status, CLEAVE_ERROR_MEMORY);
    }
}

static void short_memory_is_an_error(void **state)
{
    static const char *const more[] = {
        "pca:solver=randomized:components=2", "project:kind=gaussian:components=3",
        "fourier:estimate=median:components=4", "tfidf,polynomial:terms=powers,radius:keep"};
    char text[16384];

    (void)state;
    write_rows(false, text);
    for (size_t i = 0; clv_transforms[i]; i++)
        try_all_failures(alone(i), text);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        try_all_failures(more[i], text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_wrong),      cmocka_unit_test(is_text_again),
        cmocka_unit_test(knows_what_is_usual),     cmocka_unit_test(knows_what_looks),
        cmocka_unit_test(reads_only_what_it_uses), cmocka_unit_test(loaded_is_what_was_saved),
        cmocka_unit_test(damage_is_refused),       cmocka_unit_test(short_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("pipelines", tests, set_up, tear_down);
}
