/* Streams (src/train/online.c, src/read/live.c, src/train/online_file.c): the result depends
 * neither on the form of the input nor on interruptions. */
#include "property/table.h"

#include "base/random.h"
#include "model/method.h"
#include "model/model.h"
#include "model/registry.h"
#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- helpers --------------------------------------------------------------------------------- */

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct {
    size_t rows, reports, alarms, saved;
    char last[64];
    cleave_stream_status facts;
} Seen;

static cleave_code see_prediction(void *user, const cleave_prediction *prediction,
                                  cleave_error *error)
{
    Seen *seen = user;

    (void)error;
    seen->rows++;
    assert_int_equal(prediction->row, seen->rows);
    snprintf(seen->last, sizeof seen->last, "%s", prediction->label);
    return CLEAVE_OK;
}

static void see_progress(void *user, const cleave_stream_status *facts)
{
    Seen *seen = user;

    seen->reports++;
    seen->facts = *facts;
}

static void see_drift(void *user, const cleave_stream_drift *drift)
{
    Seen *seen = user;

    assert_true(drift->now > drift->before);
    seen->alarms++;
}

static cleave_options *options_of(Context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};

    for (; pairs && *pairs; pairs += 2)
        FINE(cleave_options_set(options, pairs[0], pairs[1], &error));
    return options;
}

/* One run of a stream: method, model file, input. */
static cleave_code run(const char *method, const char *model, const char *path,
                       const char *const *pairs, Seen *seen, cleave_error *error)
{
    Context *context = new_context(1);
    cleave_options *options = options_of(context, pairs),
                   *read = options_of(context, WITH("format", "libsvm"));
    cleave_stream_callbacks watch = {
        .prediction = see_prediction, .progress = see_progress, .drift = see_drift, .user = seen};
    cleave_stream *stream = NULL;
    cleave_code code = cleave_stream_new(context, method, model, options, seen ? &watch : NULL,
                                         &stream, error);

    if (code == CLEAVE_OK)
        code = cleave_stream_read(stream, path, read, error);
    if (code == CLEAVE_OK && seen)
        cleave_stream_get_status(stream, &seen->facts);
    cleave_stream_free(stream);
    cleave_options_free(options);
    cleave_options_free(read);
    cleave_context_free(context);
    return code;
}

static void assert_same_files(const char *a, const char *b)
{
    size_t sizes[2];
    char *bytes[2] = {test_read_file(a, &sizes[0]), test_read_file(b, &sizes[1])};

    assert_non_null(bytes[0]);
    assert_non_null(bytes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

typedef struct {
    char *text;
    size_t size, line[400];
    int lines;
} Rows;

/* Features that keep growing, some with distant numbers; a third class and a fourth that occur
 * late; rows without a label. */
static Rows make_rows(int count, bool numbers, bool ones)
{
    Random random = clv_random(7, 1);
    Rows rows = {.text = malloc(1 << 20)};

    for (int i = 0; i < count; i++) {
        int classes = i < 40    ? 1
                      : i < 170 ? 2
                      : i < 200 ? 3
                                : 4,
            label = (int)(clv_random_unit(&random) * classes);
        char *at = rows.text + rows.size;

        at += i % 9 == 5 ? snprintf(at, 8, "?")
              : numbers  ? snprintf(at, 32, "%.2f", label + 0.1 * clv_random_normal(&random))
                         : snprintf(at, 8, "%c", 'a' + label);
        for (int column = 1; column < 8; column++)
            if (ones ? clv_random_unit(&random) < 0.5 : column != i % 5)
                at += snprintf(at, 64, " %d:%.3f", column,
                               ones ? 1
                                    : clv_random_normal(&random) + (column == label + 1 ? 2 : 0));
        at += snprintf(at, 64, " %d:1\n", i == 230 ? 70000 : 20 + i / 3);
        rows.size = (size_t)(at - rows.text);
        rows.line[rows.lines++] = rows.size;
    }
    return rows;
}

/* ---- what learns on-line --------------------------------------------------------------------- */

static const char *const kinds[][8] = {
    {"perceptron", NULL},
    {"perceptron", "learn_threshold", "true", "form", "averaged", NULL},
    {"perceptron", "multiclass", "joint", "learning_rate", "1/3", NULL},
    {"perceptron", "forget", "0.01", NULL},
    {"winnow", "threshold", "4", NULL},
    {"lms", NULL},
    {"lms", "normalize", "true", "learning_rate", "0.5", "forget", "0.01", NULL},
    {"svm", "solver", "sgd", NULL},
    {"svm", "solver", "asgd", NULL},
    {"svm", "solver", "sgd", "forget", "0.001", NULL},
    {"logistic", "solver", "sgd", NULL},
    {"logistic", "solver", "asgd", "multiclass", "joint", NULL},
    {"logistic", NULL},
    {"svr", "solver", "asgd", "loss", "squared", NULL},
    {"svr", "solver", "sgd", NULL},
    {"svm", "solver", "adaptive", NULL},
    {"svm", "solver", "adaptive", "forget", "0.01", NULL},
    {"logistic", "solver", "ftrl", "l1_ratio", "0.5", NULL},
    {"svm", "solver", "ftrl", "forget", "0.01", NULL},
    {"svr", "solver", "adaptive", NULL},
    {"lms", "solver", "adaptive", "forget", "0.001", NULL},
    {"lms", "solver", "ftrl", NULL},
    {"winnow", "balanced", "true", "threshold", "3", "learn_threshold", "true", NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_regression(const char *name)
{
    const Method *method;
    cleave_error error;

    return clv_method_find(name, &method, &error) == OK && method->tasks == CLEAVE_TASK_REGRESSION;
}

/* Stopped after any row and restarted, it ends with the same bytes. */
static void ends_the_same_wherever_it_stops(void **state)
{
    enum { ROWS = 240 };
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], part[TEST_PATH_SIZE], whole[TEST_PATH_SIZE],
        cut[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "rows");
    test_join(part, folder, "part");
    test_join(whole, folder, "whole.model");
    test_join(cut, folder, "cut.model");
    for (int kind = 0; kind < KINDS; kind++) {
        Rows rows = make_rows(ROWS, is_regression(kinds[kind][0]),
                              strcmp(kinds[kind][0], "winnow") == 0);
        cleave_error error = {0};

        test_write_file(path, rows.text, rows.size);
        unlink(whole);
        FINE(run(kinds[kind][0], whole, path, kinds[kind] + 1, NULL, &error));
        for (int stop = kind % 5; stop < ROWS;
             stop += stop < 12 || (stop > 120 && stop < 160) ? 5 : 29) {
            unlink(cut);
            test_write_file(part, rows.text, rows.line[stop]);
            FINE(run(kinds[kind][0], cut, part, kinds[kind] + 1, NULL, &error));
            FINE(run(kinds[kind][0], cut, path, kinds[kind] + 1, NULL, &error));
            assert_same_files(whole, cut);
        }
        free(rows.text);
    }
    test_folder_remove(folder);
}

/* ---- how the input comes --------------------------------------------------------------------- */

typedef struct {
    int file;
    const Rows *rows;
    size_t piece;
} Writer;

static void *write_pieces(void *argument)
{
    const Writer *writer = argument;

    for (size_t at = 0; at < writer->rows->size; at += writer->piece) {
        size_t left = writer->rows->size - at, size = left < writer->piece ? left : writer->piece;

        assert_int_equal(write(writer->file, writer->rows->text + at, size), size);
    }
    close(writer->file);
    return NULL;
}

static void cuts_do_not_matter(void **state)
{
    static const size_t pieces[] = {1, 13, 700, 65536};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], whole[TEST_PATH_SIZE], model[TEST_PATH_SIZE];
    Rows rows = make_rows(240, false, false);

    (void)state;
    test_folder_new(folder);
    test_write_file(test_join(path, folder, "rows"), rows.text, rows.size);
    test_join(whole, folder, "whole.model");
    test_join(model, folder, "pipe.model");
    for (int kind = 0; kind < KINDS; kind += 3) {
        cleave_error error = {0};

        if (is_regression(kinds[kind][0]) || strcmp(kinds[kind][0], "winnow") == 0)
            continue;

        unlink(whole);
        FINE(run(kinds[kind][0], whole, path, kinds[kind] + 1, NULL, &error));
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            char name[64];
            int ends[2];
            pthread_t thread;
            Writer writer = {.rows = &rows, .piece = pieces[i]};

            assert_int_equal(pipe(ends), 0);
            writer.file = ends[1];
            snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
            unlink(model);
            assert_int_equal(pthread_create(&thread, NULL, write_pieces, &writer), 0);
            FINE(run(kinds[kind][0], model, name, kinds[kind] + 1, NULL, &error));
            pthread_join(thread, NULL);
            close(ends[0]);
            assert_same_files(whole, model);
        }
    }
    free(rows.text);
    test_folder_remove(folder);
}

/* ---- what is counted ------------------------------------------------------------------------- */

static void predicts_before_it_learns(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    cleave_error error = {0};
    Seen seen = {0};

    (void)state;
    test_folder_new(folder);
    /* none; a; a (learned: w = e2 - e1, b the positive); b; a; ? is b */
    test_write_text(test_join(path, folder, "rows"),
                    "a 1:1\na 1:1\nb 2:1\nb 2:1\na 1:1\n? 1:0.5 2:1\n");
    FINE(run("perceptron", NULL, path, NULL, &seen, &error));
    assert_int_equal(seen.facts.examples, 5);
    assert_int_equal(seen.facts.unlabeled, 1);
    assert_true(fabs(seen.facts.error - 2.0 / 5) < 1e-12);
    assert_int_equal(seen.reports, 3); /* at 1, 2, 4 */
    assert_int_equal(seen.rows, 6);
    assert_string_equal(seen.last, "b");
    assert_int_equal(seen.facts.classes, 2);
    assert_int_equal(seen.facts.features, 2);
    test_folder_remove(folder);
}

static void one_class_is_enough(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], model[TEST_PATH_SIZE];
    cleave_error error = {0};
    Seen seen = {0};
    FILE *file;

    (void)state;
    test_folder_new(folder);
    file = fopen(test_join(path, folder, "rows"), "w");
    assert_non_null(file);
    for (int i = 0; i < 300; i++)
        fprintf(file, "-1 %d:1\n", i % 3 + 1);
    fputs("+1 4:1\n+1 4:1\n? 4:1\n", file);
    fclose(file);
    FINE(run("perceptron", test_join(model, folder, "one.model"), path, NULL, &seen, &error));
    assert_true(fabs(seen.facts.error * 302 - 2) <
                1e-9); /* the first row, and the first of the other class */
    assert_string_equal(seen.last, "+1");
    test_folder_remove(folder);
}

/* The intercept alone predicts rows of one class at any rate, so that the rate found by trials is
 * not informative. */
static void learns_after_rows_of_one_class(void **state)
{
    static const char *const ways[][3] = {{"svm", "sgd", "2"},      {"svm", "asgd", "2"},
                                          {"logistic", "sgd", "2"}, {"svm", "sgd", "3"},
                                          {"svm", "adaptive", "2"}, {"logistic", "ftrl", "2"}};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "rows");
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        Random random = clv_random(11, 1);
        int classes = ways[way][2][0] - '0';
        cleave_error error = {0};
        Seen seen = {0};
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        for (int i = 0; i < 6000; i++) {
            double x = clv_random_normal(&random), y = clv_random_normal(&random);
            int label = i < 300 ? -1 : x + y < 0 ? -1 : classes == 3 && x < 0 ? 2 : 1;

            x = i < 300 ? -fabs(x) : x;
            y = i < 300 ? -fabs(y) : y;
            fprintf(file, "%d 1:%.4f 2:%.4f\n", label, x, y);
        }
        fclose(file);
        FINE(run(ways[way][0], NULL, path, WITH("solver", ways[way][1]), &seen, &error));
        assert_true(seen.facts.window_error < (classes == 2 ? 0.05 : 0.2));
    }
    test_folder_remove(folder);
}

static void hears_labels_flip(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Random random = clv_random(9, 1);
    cleave_error error = {0};
    Seen seen = {0};
    FILE *file;

    (void)state;
    test_folder_new(folder);
    file = fopen(test_join(path, folder, "rows"), "w");
    assert_non_null(file);
    for (int i = 0; i < 12000; i++) {
        double x = clv_random_normal(&random), y = clv_random_normal(&random);

        fprintf(file, "%d 1:%.4f 2:%.4f\n", ((x + y > 0) != (i >= 10000)) ? 1 : -1, x, y);
    }
    fclose(file);
    FINE(run("logistic", NULL, path, WITH("solver", "sgd"), &seen, &error));
    assert_int_equal(seen.alarms, 1);
    assert_int_equal(seen.facts.alarms, 1);
    test_folder_remove(folder);
}

/* ---- rows of one's own ----------------------------------------------------------------------- */

static void takes_rows(void **state)
{
    static const uint32_t indexes[][2] = {{0, 1}, {1, 2}, {0, 2}};
    static const float values[] = {1, 0.5f};
    static const char *const labels[] = {"a", "b", NULL};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    cleave_prediction prediction;
    cleave_stream_status facts;
    cleave_error error = {0};
    cleave_stream *stream;
    Context *context = new_context(1);

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "own.model");
    FINE(cleave_stream_new(context, "perceptron", path, NULL, NULL, &stream, &error));
    FINE(cleave_stream_save(stream, &error)); /* no model yet */
    assert_null(test_read_file(path, NULL));
    for (int i = 0; i < 30; i++)
        FINE(cleave_stream_row(stream, labels[i % 3], 2, indexes[i % 3], values, &prediction,
                               &error));
    assert_int_equal(prediction.row, 30);
    assert_string_equal(prediction.label, "a");
    cleave_stream_get_status(stream, &facts);
    assert_int_equal(facts.examples, 20);
    assert_int_equal(facts.unlabeled, 10);
    FINE(cleave_stream_save(stream, &error));
    cleave_stream_free(stream);
    FINE(cleave_stream_new(context, "perceptron", path, NULL, NULL, &stream, &error));
    assert_true(cleave_stream_resumed(stream, NULL, NULL, NULL));
    FINE(cleave_stream_row(stream, NULL, 2, indexes[2], values, &prediction, &error));
    assert_int_equal(prediction.row, 31);
    assert_string_equal(prediction.label, "a");
    assert_int_equal(
        cleave_stream_row(stream, "a", 2, (const uint32_t[]){3, 3}, values, NULL, &error),
        CLEAVE_ERROR_DATA);
    assert_int_equal(cleave_stream_read(stream, path, NULL, &error), CLEAVE_ERROR_USAGE);
    cleave_stream_free(stream);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuses_other_input(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], model[TEST_PATH_SIZE];
    cleave_error error = {0};
    Seen seen = {0};

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "rows");
    test_join(model, folder, "m.model");
    test_write_text(path, "a 1:1\nb 2:1\na 1:1\n");
    FINE(run("perceptron", model, path, NULL, NULL, &error));
    test_write_text(path, "a 1:1\nb 2:1\nb 1:1\nb 1:1\n");
    assert_int_equal(run("perceptron", model, path, NULL, NULL, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "a different input"));
    assert_non_null(strstr(error.hint, "--input-continues"));
    test_write_text(path, "a 1:1\n");
    assert_int_equal(run("perceptron", model, path, NULL, NULL, &error), CLEAVE_ERROR_DATA);
    assert_int_equal(run("winnow", model, path, NULL, NULL, &error), CLEAVE_ERROR_USAGE);
    seen.rows = 3;
    FINE(run("perceptron", model, path, WITH("input_continues", "true"), &seen, &error));
    assert_int_equal(seen.facts.examples, 4);
    test_folder_remove(folder);
}

/* A line that cannot be read ends the stream. All lines before it have been learned and saved. */
static void keeps_what_stands_before_an_error(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], model[TEST_PATH_SIZE], right[TEST_PATH_SIZE];
    cleave_error error = {0};

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "rows");
    test_join(model, folder, "m.model");
    test_join(right, folder, "right.model");
    test_write_text(path, "a 1:1\nb 2:1\na 1:1\nb 3:x\na 1:1\n");
    assert_int_equal(run("perceptron", model, path, NULL, NULL, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, ":4:3: value is not a number"));
    test_write_text(path, "a 1:1\nb 2:1\na 1:1\nb 3:1\na 1:1\n");
    FINE(run("perceptron", model, path, NULL, NULL, &error));
    FINE(run("perceptron", right, path, NULL, NULL, &error));
    assert_same_files(model, right);
    test_folder_remove(folder);
}

/* Bytes of a model's record may be anything. */
static void survives_damage(void **state)
{
    static const char *const names[] = {"stream",
                                        "stream_windows",
                                        "stream_fit",
                                        "stream_held_ends",
                                        "stream_held_columns",
                                        "stream_held_labels",
                                        "stream_held_values"};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], model[TEST_PATH_SIZE];
    cleave_error error = {0};

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "rows");
    test_join(model, folder, "m.model");
    test_write_text(path, "a 1:1\na 2:1\na 1:1\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int way = 0; way < 3; way++) {
            Context *context = new_context(1);
            cleave_model *made;
            cleave_stream *stream = NULL;
            BundleItem *item = NULL;

            unlink(model);
            FINE(run("perceptron", model, path, NULL, NULL, &error));
            FINE(cleave_load(context, model, &made, &error));
            for (size_t k = 0; k < made->bundle->count; k++)
                if (strcmp(made->bundle->item[k].name, names[i]) == 0)
                    item = &made->bundle->item[k];
            assert_non_null(item);
            if (way == 0)
                item->count--;
            else
                memset((char *)(uintptr_t)item->data, way == 1 ? 0xFF : 0x81,
                       item->type == BUNDLE_U64 ? 8 : 4);
            FINE(cleave_save(made, model, &error));
            cleave_model_free(made);
            cleave_stream_new(context, "perceptron", model, NULL, NULL, &stream, &error);
            cleave_stream_free(stream);
            cleave_context_free(context);
        }
    test_folder_remove(folder);
}

/* A model of arrays can be streamed with large indexes, saved and resumed. */
static void arrays_with_large_indexes(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    cleave_prediction prediction;
    cleave_stream *stream;
    cleave_model *model;
    cleave_data *data;
    cleave_error error = {0};

    (void)state;
    test_join(path, test_folder_new(folder), "rows.model");
    FINE(cleave_data_new(context, &data, &error));
    for (uint32_t i = 0; i < 40; i++)
        FINE(
            cleave_data_add(data, i % 2 ? "a" : "b", 1, (uint32_t[]){i % 2}, (float[]){1}, &error));
    FINE(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error));
    FINE(cleave_save(model, path, &error));
    for (int again = 0; again < 2; again++) {
        FINE(cleave_stream_new(context, "perceptron", path, NULL, NULL, &stream, &error));
        for (uint32_t i = 0; i < 40; i++)
            FINE(cleave_stream_row(stream, i % 2 ? "a" : "b", 1,
                                   (uint32_t[]){(1 + i % 2) * 100000000}, (float[]){1}, &prediction,
                                   &error));
        assert_string_equal(prediction.label, "a");
        FINE(cleave_stream_save(stream, &error));
        cleave_stream_free(stream);
    }
    cleave_model_free(model);
    FINE(cleave_load(context, path, &model, &error));
    assert_int_equal(model->features, 4);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_the_same_wherever_it_stops),
        cmocka_unit_test(arrays_with_large_indexes),
        cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(predicts_before_it_learns),
        cmocka_unit_test(one_class_is_enough),
        cmocka_unit_test(learns_after_rows_of_one_class),
        cmocka_unit_test(hears_labels_flip),
        cmocka_unit_test(takes_rows),
        cmocka_unit_test(refuses_other_input),
        cmocka_unit_test(keeps_what_stands_before_an_error),
        cmocka_unit_test(survives_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
