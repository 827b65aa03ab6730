/*
 * Long calls poll `cancelled` and report `progress` at least every 100 ms of processor time: every
 * method, every index, reading every format, fitting pipelines, updating, streams, permutations,
 * cross-validation, tuning, comparing, predicting. The callbacks measure the longest gap.
 *
 *     PROGRESS_SHOW=1 build/check/tests/unit_progress [CASE]     prints the gaps of all cases, or of those with CASE in the name
 *     PROGRESS_SCALE=5 …                                         with five times as many rows
 */
#include "base/context.h"
#include "base/random.h"
#include "model/registry.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define FINE(call) assert_fine((call), &error, #call)

/* Milliseconds of processor time. The documented limit is 100. On a busy machine with shared
 * caches, the same work takes up to twice as long, and with sanitizers longer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LONGEST_GAP = 1500, LONGEST_STOP = 10000 };
#define USUAL_SCALE 0.08
#else
enum { LONGEST_GAP = 200, LONGEST_STOP = 1000 };
#define USUAL_SCALE 1.0
#endif

static const char *chosen; /* a part of a case's name; NULL: all */
static bool shows;

static void assert_fine(cleave_code code, const cleave_error *error, const char *call)
{
    if (code != CLEAVE_OK && shows)
        printf("%s: %s (%s)\n", call, error->message, error->hint);
    else if (code != CLEAVE_OK)
        fail_msg("%s: %s (%s)", call, error->message, error->hint);
}

/* ---- gaps ------------------------------------------------------------------------------------ */

typedef struct {
    double started, asked, reported; /* seconds of processor time */
    double ask_gap, report_gap;
    pthread_t caller;
    bool elsewhere; /* progress was reported from another thread */
    double
        stop_after; /* seconds of processor time after which `cancelled` returns true; 0: never */
    double stopped; /* when it did so first; 0: not yet */
} Watch;

static Watch watch; /* measures the current case */

static double longer(double gap, double *since)
{
    double now = clv_cpu_now(), passed = now - *since;

    *since = now;
    return passed > gap ? passed : gap;
}

static bool cancelled(void *user)
{
    (void)user;
    if (pthread_equal(pthread_self(), watch.caller))
        watch.ask_gap = longer(watch.ask_gap, &watch.asked);
    if (watch.stop_after == 0 || clv_cpu_now() - watch.started < watch.stop_after)
        return false;
    if (watch.stopped == 0)
        watch.stopped = clv_cpu_now();
    return true;
}

static void progress(void *user, const cleave_progress *now)
{
    (void)user;
    assert_non_null(now->phase);
    if (!pthread_equal(pthread_self(), watch.caller))
        watch.elsewhere = true;
    else
        watch.report_gap = longer(watch.report_gap, &watch.reported);
}

static Context *watched_context(unsigned threads)
{
    return cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                               .cancelled = cancelled,
                                               .progress = progress,
                                               .threads = threads});
}

static void begin_watch(void)
{
    double now = clv_cpu_now();

    watch = (Watch){.started = now, .asked = now, .reported = now, .caller = pthread_self()};
}

/* factor: threads that use processor time at once. */
static void end_watch(const char *name, double factor)
{
    double asks = 1000 * longer(watch.ask_gap, &watch.asked),
           reports = 1000 * longer(watch.report_gap, &watch.reported);

    if (shows)
        printf("%-28s %6.2f s   longest gap: cancelled %4.0f ms, progress %4.0f ms%s\n", name,
               clv_cpu_now() - watch.started, asks, reports,
               asks > 100 * factor || reports > 100 * factor ? "   over 100 ms" : "");
    fflush(stdout);
    assert_false(watch.elsewhere);
    if (!shows && (asks > LONGEST_GAP * factor || reports > LONGEST_GAP * factor))
        fail_msg("%s: longest gap %.0f ms between calls of cancelled, %.0f ms of progress", name,
                 asks, reports);
}

static bool is_chosen(const char *name)
{
    return !chosen || strstr(name, chosen);
}

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t rows, columns, entries; /* entries of a row; columns: all, dense */
    uint32_t classes;                /* 0: regression */
    bool ones;
} Shape;

enum { MOST_ENTRIES = 2048 };

static size_t make_row(const Shape *shape, uint64_t number, uint32_t *column, float *value,
                       double *sum)
{
    Random random = clv_random(11, number);
    uint32_t step = shape->columns / shape->entries;
    double total = 0;

    for (uint32_t i = 0; i < shape->entries; i++) {
        column[i] = i * step + (step > 1 ? (uint32_t)(clv_random_unit(&random) * step) : 0);
        value[i] = shape->ones ? 1 : (float)(2 * clv_random_unit(&random) - 1 + 1e-3);
        total += (double)value[i] * (column[i] % 7 < 3 ? 1 : -0.5);
    }
    *sum = total + 0.5 * clv_random_unit(&random);
    return shape->entries;
}

static const char *label_of(const Shape *shape, uint64_t number, double sum, char text[32])
{
    if (shape->classes == 0)
        snprintf(text, 32, "%.4f", sum);
    else if (shape->classes == 2)
        snprintf(text, 32, "%c", sum > 0 ? 'a' : 'b');
    else
        snprintf(text, 32, "c%u", (uint32_t)(number % shape->classes));
    return text;
}

static cleave_data *make_data(Context *context, const Shape *shape)
{
    static uint32_t column[MOST_ENTRIES];
    static float value[MOST_ENTRIES];
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (uint64_t i = 0; i < shape->rows; i++) {
        double sum;
        char text[32];
        size_t count = make_row(shape, i, column, value, &sum);

        FINE(cleave_data_add(data, label_of(shape, i, sum, text), count, column, value, &error));
    }
    return data;
}

/* PROGRESS_SCALE=5: five times as many rows. */
static Shape scaled(const Shape *shape)
{
    const char *scale = getenv("PROGRESS_SCALE");
    Shape other = *shape;

    other.rows = (uint32_t)(other.rows * (scale ? atof(scale) : USUAL_SCALE));
    return other;
}

static cleave_options *options_of(Context *context, const char *const *settings)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};

    for (; settings && *settings; settings += 2)
        FINE(cleave_options_set(options, settings[0], settings[1], &error));
    return options;
}

/* ---- training -------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *method;
    Shape shape;
    const char *setting[9]; /* name, value, … */
} Training;

#define DENSE(rows, columns, classes)                                                              \
    {                                                                                              \
        rows, columns, columns, classes, false                                                     \
    }
#define SPARSE(rows, columns, entries, classes)                                                    \
    {                                                                                              \
        rows, columns, entries, classes, false                                                     \
    }

/* Each takes about a second. */
static const Training trainings[] = {
    {"perceptron", "perceptron", SPARSE(60000, 100000, 100, 2), {"epochs", "20"}},
    {"perceptron classes", "perceptron", SPARSE(6000, 20000, 20, 600), {"epochs", "2"}},
    {"winnow", "winnow", {60000, 100000, 100, 2, true}, {"epochs", "20"}},
    {"lms", "lms", SPARSE(60000, 20000, 100, 0), {"epochs", "20", "normalize", "true"}},
    {"least-squares normal",
     "least-squares",
     DENSE(30000, 400, 0),
     {"transform", "none", "solver", "normal"}},
    {"least-squares qr",
     "least-squares",
     DENSE(10000, 300, 0),
     {"transform", "none", "solver", "qr"}},
    {"least-squares cg",
     "least-squares",
     SPARSE(20000, 20000, 50, 0),
     {"transform", "none", "solver", "cg"}},
    {"svm", "svm", SPARSE(20000, 20000, 50, 2), {NULL}},
    {"svm classes", "svm", SPARSE(3000, 5000, 20, 300), {NULL}},
    {"svm newton", "svm", DENSE(5000, 60, 2), {"C", "1000", "tolerance", "1e-9"}},
    {"svm newton wide", "svm", DENSE(1500, 600, 2), {"C", "1000", "tolerance", "1e-9"}},
    {"svm gd", "svm", SPARSE(20000, 20000, 50, 2), {"solver", "gd"}},
    {"svm sgd", "svm", SPARSE(20000, 20000, 50, 2), {"solver", "sgd"}},
    {"svm sgd classes", "svm", SPARSE(3000, 5000, 20, 1000), {"solver", "sgd", "epochs", "2"}},
    {"svm pegasos", "svm", SPARSE(20000, 20000, 50, 2), {"solver", "pegasos"}},
    {"logistic", "logistic", SPARSE(20000, 20000, 50, 2), {NULL}},
    {"logistic newton", "logistic", SPARSE(20000, 20000, 50, 2), {"solver", "newton"}},
    {"logistic lbfgs classes",
     "logistic",
     SPARSE(3000, 5000, 20, 1000),
     {"solver", "lbfgs", "max_iterations", "5"}},
    {"logistic newton classes",
     "logistic",
     SPARSE(3000, 5000, 20, 1000),
     {"solver", "newton", "max_iterations", "2"}},
    {"logistic classes", "logistic", SPARSE(3000, 5000, 20, 1000), {"epochs", "5"}},
    {"svr", "svr", SPARSE(20000, 5000, 50, 0), {NULL}},
    {"kernel-perceptron", "kernel-perceptron", DENSE(4000, 20, 2), {"epochs", "3"}},
    {"kernel-svm", "kernel-svm", DENSE(4000, 20, 2), {NULL}},
    {"kernel-svm classes", "kernel-svm", DENSE(1500, 20, 30), {NULL}},
    {"knn scan", "knn", DENSE(100000, 20, 2), {"index", "scan"}},
    {"knn auto", "knn", DENSE(60000, 20, 2), {NULL}},
    {"knn kdtree", "knn", DENSE(200000, 10, 2), {"index", "kdtree"}},
    {"knn quadtree", "knn", DENSE(300000, 3, 2), {"index", "quadtree", "transform", "none"}},
    {"knn rtree", "knn", DENSE(200000, 10, 2), {"index", "rtree"}},
    {"knn vafile", "knn", DENSE(30000, 128, 2), {"index", "vafile"}},
    {"knn lsh", "knn", DENSE(20000, 64, 2), {"index", "lsh"}},
    {"knn ivf", "knn", DENSE(60000, 64, 2), {"index", "ivf"}},
    {"knn-regression", "knn-regression", DENSE(100000, 10, 0), {"index", "kdtree"}},
    {"tree", "tree", DENSE(60000, 30, 2), {NULL}},
    {"tree classes", "tree", DENSE(10000, 10, 200), {NULL}},
    {"tree-regression", "tree-regression", DENSE(60000, 30, 0), {NULL}},
    {"forest", "forest", DENSE(20000, 20, 2), {"trees", "20"}},
    {"forest-regression", "forest-regression", DENSE(20000, 20, 0), {"trees", "10"}},
    {"boost", "boost", DENSE(40000, 30, 2), {"rounds", "50"}},
    {"boost classes", "boost", DENSE(5000, 20, 60), {"rounds", "4"}},
    {"boost-regression", "boost-regression", DENSE(40000, 30, 0), {"rounds", "50"}},
    {"mlp", "mlp", DENSE(10000, 50, 3), {"epochs", "5"}},
    {"mlp sparse", "mlp", SPARSE(5000, 20000, 30, 2), {"epochs", "3"}},
    {"mlp-regression", "mlp-regression", DENSE(10000, 50, 0), {"epochs", "5"}},
    {"uv", "uv", {300000, 40000, 2, 0, true}, {"epochs", "20"}},
    {"uv als", "uv", {200000, 20000, 2, 0, true}, {"solver", "als", "epochs", "2"}},
    {"uv elements", "uv", {200000, 20000, 2, 0, true}, {"solver", "elements", "epochs", "3"}},
    {"tfidf", "perceptron", {60000, 100000, 60, 2, true}, {"transform", "tfidf", "epochs", "2"}},
    {"pca exact", "svm", DENSE(10000, 400, 2), {"transform", "pca:components=10"}},
    {"pca random", "svm", SPARSE(20000, 20000, 40, 2), {"transform", "pca:components=20"}},
    {"polynomial", "svm", DENSE(10000, 20, 2), {"transform", "scale,polynomial:degree=2"}},
    {"select", "svm", {20000, 20000, 50, 2, true}, {"transform", "select:top=500"}},
    {"calibrated", "svm", SPARSE(20000, 5000, 30, 2), {"calibrate", "true"}},
};

static void train_watched(const Training *training, unsigned threads)
{
    Context *context = watched_context(threads);
    Shape shape = scaled(&training->shape);
    cleave_data *data = make_data(context, &shape);
    cleave_options *options = options_of(context, training->setting);
    cleave_report *report = NULL;
    cleave_error error = {0};
    cleave_model *model = NULL;
    char name[64];

    snprintf(name, sizeof name, "%s%s", training->name, threads > 1 ? " (threads)" : "");
    begin_watch();
    FINE(cleave_train(context, training->method, data, NULL, options, &model, &report, &error));
    end_watch(name, threads);
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_options_free(options);
    cleave_data_free(data);
    cleave_context_free(context);
}

static void every_training(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++)
        if (is_chosen(trainings[i].name))
            train_watched(&trainings[i], 1);
}

/* ---- stopping -------------------------------------------------------------------------------- */

/* From the time when `cancelled` returns true to the return of the call. The result is a model of
 * what was learned, or none. */
static void stop_training(const Training *training, double after)
{
    Context *context = watched_context(1);
    Shape shape = scaled(&training->shape);
    cleave_data *data = make_data(context, &shape);
    cleave_options *options = options_of(context, training->setting);
    cleave_report *report = NULL;
    cleave_error error = {0};
    cleave_model *model = NULL;
    cleave_code code;
    double took;

    begin_watch();
    watch.stop_after = after;
    code = cleave_train(context, training->method, data, NULL, options, &model, &report, &error);
    took = watch.stopped > 0 ? clv_cpu_now() - watch.stopped : 0;
    if (shows)
        printf("%-28s stopped in %4.0f ms: %s\n", training->name, 1000 * took,
               model ? "a model" : "no model");
    assert_true(code == CLEAVE_OK || code == CLEAVE_ERROR_CANCELLED);
    assert_true((code == CLEAVE_OK) == (model != NULL));
    if (!shows && 1000 * took > LONGEST_STOP)
        fail_msg("%s: %.0f ms from the cancellation to the end", training->name, 1000 * took);
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_options_free(options);
    cleave_data_free(data);
    cleave_context_free(context);
}

static void every_training_stops(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++)
        if (is_chosen(trainings[i].name))
            stop_training(&trainings[i], 0.1);
}

/* One row of each class, which happens if a column of texts is taken for the label. */
static void thousands_of_classes_stop(void **state)
{
    static const Training training = {
        "7594 classes", "logistic", SPARSE(7594, 5000, 20, 7594), {NULL}};

    (void)state;
    if (is_chosen(training.name))
        stop_training(&training, 0.5);
}

/* The list above has every method. */
static void no_method_is_left_out(void **state)
{
    (void)state;
    for (const Method *const *method = clv_methods; *method; method++) {
        bool found = false;

        for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++)
            found |= strcmp(trainings[i].method, (*method)->name) == 0;
        if (!found)
            fail_msg("%s is not measured", (*method)->name);
    }
}

/* With several threads: the time of all of them passes between two calls. */
static void some_training_with_threads(void **state)
{
    static const char *const methods[] = {"knn lsh",
                                          "knn vafile",
                                          "knn ivf",
                                          "forest",
                                          "boost",
                                          "svm classes",
                                          "logistic lbfgs classes"};

    (void)state;
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++)
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++)
            if (strcmp(trainings[i].name, methods[j]) == 0 && is_chosen("threads"))
                train_watched(&trainings[i], 3);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void put_libsvm(FILE *file, const Shape *shape)
{
    static uint32_t column[MOST_ENTRIES];
    static float value[MOST_ENTRIES];

    for (uint64_t i = 0; i < shape->rows; i++) {
        double sum;
        char text[32];
        size_t count = make_row(shape, i, column, value, &sum);

        fputs(label_of(shape, i, sum, text), file);
        for (size_t j = 0; j < count; j++)
            fprintf(file, " %u:%.4g", column[j] + 1, (double)value[j]);
        fputc('\n', file);
    }
}

static void put_csv(FILE *file, const Shape *shape)
{
    static uint32_t column[MOST_ENTRIES];
    static float value[MOST_ENTRIES];

    for (uint64_t i = 0; i < shape->rows; i++) {
        double sum;
        char text[32];
        size_t count = make_row(shape, i, column, value, &sum);

        for (size_t j = 0; j < count; j++)
            fprintf(file, "%.4g,", (double)value[j]);
        fprintf(file, "k%u,%s\n", (unsigned)(i % 97), label_of(shape, i, sum, text));
    }
}

static void put_words(FILE *file, uint32_t first, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        Random random = clv_random(5, first + i);

        fprintf(file, "w%x ",
                (unsigned)(clv_random_unit(&random) * clv_random_unit(&random) * 60000));
    }
}

static void put_text(FILE *file, const Shape *shape)
{
    for (uint32_t i = 0; i < shape->rows; i++) {
        fprintf(file, "%s\t", i % 2 ? "spam" : "ham");
        put_words(file, i * shape->entries, shape->entries);
        fputc('\n', file);
    }
}

static void put_npy(FILE *file, const Shape *shape)
{
    char header[128];
    static uint32_t column[MOST_ENTRIES];
    static float value[MOST_ENTRIES];

    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    snprintf(header + 10, sizeof header - 10,
             "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", shape->rows,
             shape->columns);
    header[10 + strlen(header + 10)] = ' ';
    header[sizeof header - 1] = '\n';
    fwrite(header, 1, sizeof header, file);
    for (uint64_t i = 0; i < shape->rows; i++) {
        double sum;

        make_row(shape, i, column, value, &sum);
        fwrite(value, sizeof *value, shape->columns, file);
    }
}

typedef struct {
    const char *name, *file, *method;
    void (*put)(FILE *file, const Shape *shape);
    Shape shape;
} Reading;

static const Reading readings[] = {
    {"read libsvm", "data.libsvm", "perceptron", put_libsvm, SPARSE(60000, 20000, 60, 2)},
    {"read csv", "data.csv", "tree", put_csv, DENSE(150000, 20, 2)},
    {"read text", "data.tsv", "perceptron", put_text, {60000, 0, 60, 2, false}},
    {"read npy", "data.npy", NULL, put_npy, DENSE(200000, 50, 2)},
};

static void write_data(const Reading *reading, const char *path)
{
    FILE *file = fopen(path, "wb");
    Shape shape = scaled(&reading->shape);

    assert_non_null(file);
    reading->put(file, &shape);
    assert_int_equal(fclose(file), 0);
}

static cleave_code ignore_row(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    (void)user;
    (void)prediction;
    (void)error;
    return CLEAVE_OK;
}

/* Reads and trains; converts; tests; predicts; describes. */
static void use_file(const char *folder, const char *path, const char *name, const char *method)
{
    Context *context = watched_context(1);
    char output[TEST_PATH_SIZE], what[80];
    cleave_description *description;
    cleave_evaluation facts = {.size = sizeof facts};
    cleave_conversion done;
    cleave_error error = {0};
    cleave_model *model;
    cleave_data *data;

    begin_watch();
    FINE(cleave_describe(context, (const char *const[]){path}, 1, NULL, &description, &error));
    snprintf(what, sizeof what, "%s: describe", name);
    end_watch(what, 1);
    cleave_description_free(description);
    begin_watch();
    FINE(cleave_open(context, path, NULL, &data, &error));
    FINE(cleave_convert(data, test_join(output, folder, "out.cleave"), NULL, &done, &error));
    snprintf(what, sizeof what, "%s: convert", name);
    end_watch(what, 1);
    cleave_data_free(data);
    if (method) {
        begin_watch();
        FINE(cleave_open(context, path, NULL, &data, &error));
        FINE(cleave_train(context, method, data, NULL, NULL, &model, NULL, &error));
        snprintf(what, sizeof what, "%s: train", name);
        end_watch(what, 1);
        cleave_data_free(data);
        begin_watch();
        FINE(cleave_open_for(model, (const char *const[]){path}, 1, NULL, &data, &error));
        FINE(cleave_evaluate(model, data, NULL, &facts, &error));
        snprintf(what, sizeof what, "%s: test", name);
        end_watch(what, 1);
        cleave_data_free(data);
        begin_watch();
        FINE(cleave_open_for(model, (const char *const[]){path}, 1, NULL, &data, &error));
        FINE(cleave_predict(model, data, NULL, ignore_row, NULL, &error));
        snprintf(what, sizeof what, "%s: predict", name);
        end_watch(what, 1);
        cleave_data_free(data);
        cleave_model_free(model);
    }
    cleave_context_free(context);
}

static void every_format(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        if (!is_chosen(readings[i].name))
            continue;
        test_folder_new(folder);
        write_data(&readings[i], test_join(path, folder, readings[i].file));
        use_file(folder, path, readings[i].name, readings[i].method);
        test_folder_remove(folder);
    }
}

/* FOLDER/class/document. */
static void folders(void **state)
{
    enum { DOCUMENTS = 6000 };
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], of_class[TEST_PATH_SIZE], name[32];

    (void)state;
    if (!is_chosen("read folder"))
        return;
    test_folder_new(folder);
    test_join(path, folder, "mail");
    assert_int_equal(mkdir(path, 0777), 0);
    for (int c = 0; c < 2; c++) {
        assert_int_equal(mkdir(test_join(of_class, path, c ? "spam" : "ham"), 0777), 0);
        for (uint32_t i = 0; i < DOCUMENTS / 2; i++) {
            char document[TEST_PATH_SIZE];
            FILE *file;

            snprintf(name, sizeof name, "%u.txt", i);
            file = fopen(test_join(document, of_class, name), "wb");
            assert_non_null(file);
            put_words(file, i * 200, 200);
            fclose(file);
        }
    }
    use_file(folder, path, "read folder", "perceptron");
    test_folder_remove(folder);
}

/* ---- trained models: updates, streams, permutations -------------------------------------------- */

static void watch_update(const cleave_model *model, cleave_data *data, const char *method)
{
    cleave_model *updated = NULL;
    cleave_error error = {0};
    char name[64];

    snprintf(name, sizeof name, "update %s", method);
    if (!is_chosen(name))
        return;
    begin_watch();
    FINE(cleave_update(model, data, NULL, NULL, &updated, NULL, &error));
    end_watch(name, 1);
    cleave_model_free(updated);
}

static void watch_permutations(const cleave_model *model, cleave_data *data, const char *method)
{
    size_t columns[8], count;
    double importance[8];
    cleave_error error = {0};
    char name[64];

    snprintf(name, sizeof name, "permutation %s", method);
    if (!is_chosen(name))
        return;
    begin_watch();
    FINE(cleave_permutation_importance(model, data, 8, columns, importance, &count, &error));
    end_watch(name, 1);
}

static void trained_models(void **state)
{
    static const char *const methods[] = {"svm", "perceptron", "knn", "tree", "forest", "boost"};
    static const Shape all = DENSE(40000, 20, 2), new = DENSE(6000, 20, 2);
    const Shape shape = scaled(&all), more = scaled(&new);

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        Context *context = watched_context(1);
        cleave_data *data = make_data(context, &shape), *rows = make_data(context, &more);
        cleave_model *model = NULL;
        cleave_error error = {0};

        FINE(cleave_train(context, methods[i], data, NULL, NULL, &model, NULL, &error));
        watch_update(model, rows, methods[i]);
        watch_permutations(model, rows, methods[i]);
        cleave_model_free(model);
        cleave_data_free(rows);
        cleave_data_free(data);
        cleave_context_free(context);
    }
}

static void streams(void **state)
{
    static const Shape all = DENSE(150000, 20, 2);
    const Shape shape = scaled(&all);
    char folder[] = "/tmp/cleave-test-XXXXXX", path[TEST_PATH_SIZE];
    Context *context = watched_context(1);
    cleave_stream *stream;
    cleave_error error = {0};
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(folder));
    file = fopen(test_join(path, folder, "data.csv"), "wb");
    assert_non_null(file);
    put_csv(file, &shape);
    fclose(file);
    if (is_chosen("stream")) {
        FINE(cleave_stream_new(context, "perceptron", NULL, NULL, NULL, &stream, &error));
        begin_watch();
        FINE(cleave_stream_read(stream, path, NULL, &error));
        end_watch("stream", 1);
        cleave_stream_free(stream);
    }
    cleave_context_free(context);
    test_folder_remove(folder);
}

/* ---- selection ------------------------------------------------------------------------------- */

static void watch_cv(Context *context, cleave_data *data, const char *method)
{
    bool rounds = strcmp(method, "boost") == 0;
    cleave_options *training = options_of(
        context, (const char *const[]){rounds ? "rounds" : NULL, "20", NULL});
    cleave_cv_result *result;
    cleave_error error = {0};
    char name[64];

    snprintf(name, sizeof name, "cv %s", method);
    if (is_chosen(name)) {
        begin_watch();
        FINE(cleave_cv(context, method, data, NULL, training, &result, &error));
        end_watch(name, context->config.threads);
        cleave_cv_free(result);
    }
    cleave_options_free(training);
}

static void watch_tune(Context *context, cleave_data *data, const char *method)
{
    cleave_options *options = options_of(context, (const char *const[]){"candidates", "6", NULL});
    cleave_tune_result *result;
    cleave_error error = {0};
    char name[64];

    snprintf(name, sizeof name, "tune %s", method);
    if (is_chosen(name)) {
        begin_watch();
        FINE(cleave_tune(context, method, data, options, NULL, &result, &error));
        end_watch(name, context->config.threads);
        cleave_tune_free(result);
    }
    cleave_options_free(options);
}

static void watch_compare(Context *context, cleave_data *data)
{
    cleave_options *options = options_of(context, (const char *const[]){"budget", "2s", NULL});
    cleave_comparison *result;
    cleave_error error = {0};

    if (is_chosen("compare")) {
        begin_watch();
        FINE(cleave_compare(context, data, options, &result, &error));
        end_watch("compare", context->config.threads);
        cleave_comparison_free(result);
    }
    cleave_options_free(options);
}

static void selection(void **state)
{
    const Shape all = DENSE(8000, 20, 3), shape = scaled(&all);

    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        Context *context = watched_context(threads);
        cleave_data *data = make_data(context, &shape);

        watch_cv(context, data, "svm");
        watch_cv(context, data, "boost");
        watch_cv(context, data, "knn");
        watch_tune(context, data, "logistic");
        watch_tune(context, data, "knn");
        watch_compare(context, data);
        cleave_data_free(data);
        cleave_context_free(context);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_method_is_left_out),
        cmocka_unit_test(every_training),
        cmocka_unit_test(some_training_with_threads),
        cmocka_unit_test(every_training_stops),
        cmocka_unit_test(thousands_of_classes_stop),
        cmocka_unit_test(every_format),
        cmocka_unit_test(folders),
        cmocka_unit_test(trained_models),
        cmocka_unit_test(streams),
        cmocka_unit_test(selection),
    };

    chosen = count > 1 ? arguments[1] : NULL;
    shows = getenv("PROGRESS_SHOW") != NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
