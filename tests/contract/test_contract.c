/*
 * The contract of all methods, checked for every method listed in src/learn/methods.c, with its
 * default parameters and with each flag set and each name chosen in turn. A method in the list is
 * tested automatically. Properties that a method does not have (a missing trait, or a parameter
 * refused by its own check) are skipped with a message. A regression method gets numeric labels,
 * and a method of binary features gets values of 0 and 1.
 *
 * Data are small multiples of 1/8, or 0 and 1. Their sums are exact in any order, so that "the same
 * model" means a bit-identical model.
 */
#include "base/pool.h"
#include "property/table.h"

#include "data/remap.h"
#include "input/input.h"
#include "model/registry.h"
#include "model/state.h"
#include "read/reader.h"
#include "support/support.h"
#include "train/batch_driver.h"
#include "train/team.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

/* Properties of a method, with a parameter set, that not every method has. */
enum {
    WEIGHT_IS_ROWS = 1,
    ORDER_FREE = 2,
    EXACT_SUM = 4,
    NARROW = 8 /* does not support very wide data */,
    ABSTAINS = 16 /* abstains by default */,
    /* its trees have few leaves: a few dozen of them cannot represent hundreds of classes */
    WEAK = 256,
    SEQUENCES =
        /* a row is a sequence of values, whatever their columns are; only texts of files are
         * sequences */
    32,
    TWO_OR_THREE = 64 /* requires two or three columns; has its own tests */,
    APPROXIMATE = 128 /* its results depend on when its index was built */
};
static const struct {
    const char *method, *param, *value;
    unsigned promises;
} promises[] = {
    {"perceptron", "update", "sum", WEIGHT_IS_ROWS | ORDER_FREE | EXACT_SUM},
    {"perceptron", "update", "mean", EXACT_SUM},
    {"least-squares", "solver", "normal", NARROW},
    {"least-squares", "solver", "qr", NARROW},
    {"knn", "vote", "agree", ABSTAINS},
    {"knn", "index", "rtree", NARROW},
    {"knn", "index", "kdtree", NARROW},
    {"knn", "index", "quadtree", TWO_OR_THREE},
    {"knn", "index", "vafile", NARROW},
    {"knn-regression", "index", "rtree", NARROW},
    {"knn-regression", "index", "kdtree", NARROW},
    {"knn-regression", "index", "quadtree", TWO_OR_THREE},
    {"knn-regression", "index", "vafile", NARROW},
    {"knn", "index", "lsh", APPROXIMATE},
    {"knn", "index", "ivf", APPROXIMATE | NARROW},
    {"knn-regression", "index", "lsh", APPROXIMATE},
    {"knn-regression", "index", "ivf", APPROXIMATE | NARROW},
    {"boost", "loss", "exponential", WEAK},
    /* 30 epochs of one class against the others, or of plain steps, separate few classes */
    {"mlp", "loss", "squared", WEAK},
    {"mlp", "loss", "logistic", WEAK},
    {"mlp", "solver", "sgd", WEAK},
    {"knn", "distance", "edit", SEQUENCES},
    {"knn-regression", "distance", "edit", SEQUENCES},
};

/* Parameters that require another one. param NULL: needed for tables of a few rows in any case. */
static const struct {
    const char *method, *param, *other, *value;
} companions[] = {
    {"winnow", "balanced", "threshold", "1"},         {"boost", NULL, "min_leaf_rows", "1"},
    {"boost-regression", NULL, "min_leaf_rows", "1"}, {"mlp", NULL, "hidden", "24"},
    {"mlp-regression", NULL, "hidden", "24"},         {"uv", NULL, "rank", "4"},
};

static const char *const words[] = {"ham", "spam", NULL};
static const char *const one_two[] = {"1", "2", NULL};
static const char *const signs[] = {"-1", "+1", NULL};

/* A method with its parameters: all defaults except one. */
typedef struct {
    const Method *method;
    const Param *changed; /* NULL: all defaults */
    const char *value;
    void *options;
    Context *context;
    bool pass_moves; /* the end of an epoch changes the weights */
} Variant;

/* ---- variants -------------------------------------------------------------------------------- */

/* The option that a parameter requires; NULL: none. */
static const char *companion(const Method *method, const Param *changed, const char **value)
{
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
        if (strcmp(companions[i].method, method->name) == 0 &&
            (companions[i].param ? changed && strcmp(companions[i].param, changed->name) == 0
                                 : !changed || strcmp(companions[i].other, changed->name) != 0)) {
            *value = companions[i].value;
            return companions[i].other;
        }
    return NULL;
}

static bool open_variant(Variant *variant, Context *context, const Method *method,
                         const Param *changed, const char *value)
{
    const char *other, *other_value;
    cleave_error error;

    *variant = (Variant){.method = method, .changed = changed, .value = value, .context = context};
    variant->options = some(1, method->options_size);
    clv_params_initial(method->params, variant->options);
    if (changed)
        FINE(clv_param_set(changed, variant->options, value, &error));
    other = companion(method, changed, &other_value);
    if (other)
        FINE(clv_param_set(clv_param_find(method->params, other), variant->options, other_value,
                           &error));
    if (!method->check_options || method->check_options(variant->options, &error) == OK)
        return true;
    print_message("SKIPPED: %s --%s %s: %s\n", method->name, changed->name, value, error.message);
    free(variant->options);
    return false;
}

static bool promised(const Variant *variant, unsigned promise)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        if (strcmp(promises[i].method, variant->method->name) == 0 && variant->changed &&
            strcmp(promises[i].param, variant->changed->name) == 0 &&
            strcmp(promises[i].value, variant->value) == 0)
            return (promises[i].promises & promise) != 0;
    return false;
}

static void say_skipped(const Variant *variant, const char *why)
{
    print_message("SKIPPED: %s%s%s%s%s: %s\n", variant->method->name, variant->changed ? " --" : "",
                  variant->changed ? variant->changed->name : "", variant->changed ? " " : "",
                  variant->changed ? variant->value : "", why);
}

typedef void (*Body)(const Variant *variant);

static void try_variant(Context *context, const Method *method, const Param *changed,
                        const char *value, Body body)
{
    Variant variant;

    if (!open_variant(&variant, context, method, changed, value))
        return;
    if (promised(&variant, TWO_OR_THREE))
        say_skipped(&variant, "is for two or three columns");
    else
        body(&variant);
    free(variant.options);
}

static void each_variant(const Method *method, Body body)
{
    Context *context = new_context(1);

    try_variant(context, method, NULL, NULL, body);
    for (const Param *param = method->params; param->name; param++) {
        if (param->type == CLEAVE_FLAG)
            try_variant(context, method, param, "true", body);
        for (size_t i = 0; param->type == CLEAVE_NAME && param->values[i]; i++)
            if ((double)i != param->initial)
                try_variant(context, method, param, param->values[i], body);
    }
    cleave_context_free(context);
}

/* For parameters with a large effect: other parameters tested with them. */
static const struct {
    const char *method, *settings[3][2];
} solver_variants[] = {
    {"svm", {{"solver", "sgd"}, {"l1_ratio", "0.5"}}},
    {"svm", {{"solver", "sgd"}, {"regularize-intercept", "true"}, {"multiclass", "joint"}}},
    {"svm", {{"solver", "sgd"}, {"no-intercept", "true"}, {"lambda", "0.3"}}},
    {"svm", {{"solver", "asgd"}, {"loss", "squared-hinge"}}},
    {"svm", {{"solver", "asgd"}, {"lambda", "0.3"}, {"regularize-intercept", "true"}}},
    {"svm", {{"solver", "sgd"}, {"learning_rate", "0.1"}, {"learning-rate-decay", "1"}}},
    {"svm", {{"solver", "pegasos"}, {"batch_size", "7"}, {"lambda", "0.05"}}},
    {"svm", {{"solver", "pegasos"}, {"batch_size", "2"}, {"regularize-intercept", "true"}}},
    {"svm", {{"solver", "pegasos"}, {"batch_size", "all"}, {"regularize-intercept", "true"}}},
    {"svm", {{"solver", "gd"}, {"learning_rate", "0.001"}}},
    {"logistic", {{"solver", "asgd"}, {"multiclass", "joint"}}},
    {"logistic", {{"solver", "sgd"}, {"l1_ratio", "1"}}},
    {"svr", {{"solver", "sgd"}, {"loss", "squared"}}},
    {"svm", {{"solver", "adaptive"}, {"loss", "squared-hinge"}, {"no-intercept", "true"}}},
    {"svr", {{"solver", "adaptive"}, {"loss", "squared"}, {"learning_rate", "0.3"}}},
    {"logistic", {{"solver", "ftrl"}, {"l1_ratio", "0.5"}, {"C", "3"}}},
    {"lms", {{"solver", "adaptive"}, {"no-intercept", "true"}}},
    {"lms", {{"solver", "ftrl"}, {"l1_ratio", "1"}, {"C", "10"}}},
    {"perceptron", {{"form", "averaged"}, {"update", "mean"}, {"learn-threshold", "true"}}},
    {"perceptron", {{"form", "averaged"}, {"learn-threshold", "true"}, {"learning_rate", "0.3"}}},
    {"winnow", {{"learn-threshold", "true"}, {"balanced", "true"}}},
    {"winnow", {{"form", "averaged"}, {"learn-threshold", "true"}, {"balanced", "true"}}},
    {"lms", {{"normalize", "true"}, {"learning-rate-decay", "1"}}},
    {"lms", {{"form", "averaged"}, {"normalize", "true"}, {"no-intercept", "true"}}},
    {"knn", {{"max-points", "20"}, {"weight", "1/d"}}},
    {"knn-regression", {{"max-points", "7"}, {"k", "7"}}},
};

/* Like each_variant, with these in addition. */
static void each_solver(const Method *method, Body body)
{
    Context *context = new_context(1);

    each_variant(method, body);
    for (size_t i = 0; i < sizeof solver_variants / sizeof *solver_variants; i++) {
        const char *const(*settings)[2] = solver_variants[i].settings;
        const Param *first = clv_param_find(method->params, settings[0][0]);
        cleave_error error;
        Variant variant;

        if (strcmp(solver_variants[i].method, method->name) != 0)
            continue;
        assert_true(open_variant(&variant, context, method, first, settings[0][1]));
        for (size_t j = 1; j < 3 && settings[j][0]; j++)
            FINE(clv_param_set(clv_param_find(method->params, settings[j][0]), variant.options,
                               settings[j][1], &error));
        variant.pass_moves = strcmp(settings[1][0], "l1_ratio") ==
                             0; /* the penalty that is due is applied */
        if (method->check_options)
            FINE(method->check_options(variant.options, &error));
        body(&variant);
        free(variant.options);
    }
    cleave_context_free(context);
}

/* ---- training and predicting ----------------------------------------------------------------- */

static RunOptions run_options(int64_t rounds)
{
    RunOptions options;

    clv_params_initial(clv_run_params, &options);
    options.epochs = rounds;
    options.order = ORDER_FILE;
    return options;
}

static Model *train_from(const Variant *variant, Dataset *dataset, const RunOptions *options,
                         const Model *from)
{
    Job job = {.method = variant->method,
               .method_options = variant->options,
               .options = options,
               .from = from};
    cleave_error error;
    Report *report;
    Model *model;

    FINE(clv_train(variant->context, &job, dataset, &model, &report, &error));
    cleave_report_free(&report->facts);
    return model;
}

static Model *train_with(const Variant *variant, Dataset *dataset, const RunOptions *options)
{
    return train_from(variant, dataset, options, NULL);
}

static Model *train_rounds(const Variant *variant, Dataset *dataset, int64_t rounds)
{
    RunOptions options = run_options(rounds);

    return train_with(variant, dataset, &options);
}

static Model *train_table(const Variant *variant, const Table *table, int64_t rounds)
{
    Dataset *dataset = table_built(variant->context, table, 64);
    Model *model = train_rounds(variant, dataset, rounds);

    clv_dataset_free(dataset);
    return model;
}

static Buffer bytes_of(const Model *model)
{
    Buffer bytes = {0};
    cleave_error error;

    FINE(clv_model_to_bytes(model, &bytes, &error));
    return bytes;
}

static void assert_same_model(const Model *a, const Model *b)
{
    Buffer first = bytes_of(a), second = bytes_of(b);

    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    clv_free(a->context, first.data);
    clv_free(b->context, second.data);
}

static size_t size_of(const BundleItem *item)
{
    size_t element = item->type == BUNDLE_BYTES                             ? 1
                     : item->type == BUNDLE_U32 || item->type == BUNDLE_F32 ? 4
                                                                            : 8;

    return element * (size_t)item->count;
}

/* Compares the arrays of the methods; without with_state, not those of a run that can be
 * resumed. */
static void assert_same_arrays(const Model *a, const Model *b, bool with_state)
{
    assert_int_equal(a->bundle->count, b->bundle->count);
    for (size_t i = 0; i < a->bundle->count; i++) {
        const BundleItem *item = &a->bundle->item[i],
                         *other = clv_bundle_get(b->bundle, item->name, item->type);

        if (!with_state && strncmp(item->name, "run.", 4) == 0)
            continue;
        assert_non_null(other);
        assert_int_equal(item->count, other->count);
        assert_true(item->count == 0 || memcmp(item->data, other->data, size_of(item)) == 0);
    }
}

/* Scores of every row of the table; freed with free(). */
static double *scores_of(const Model *model, const Table *table)
{
    size_t outputs = outputs_of(model->labels.count);
    double *scores = some(table->rows * outputs, sizeof *scores);
    cleave_error error;
    Encoded encoded;

    assert_true(table->features <= model->features);
    encode(table, 0, table->rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    FINE(model->method->inference->predict(model, &encoded.block, scores, &error));
    encoded_free(&encoded);
    for (size_t i = 0; i < table->rows * outputs; i++)
        assert_true(isfinite(scores[i]));
    return scores;
}

static void assert_same_answers(const Model *a, const Model *b, const Table *table)
{
    size_t outputs = outputs_of(a->labels.count);
    double *first = scores_of(a, table), *second = scores_of(b, table);

    assert_int_equal(outputs, outputs_of(b->labels.count));
    assert_memory_equal(first, second, table->rows * outputs * sizeof *first);
    free(first);
    free(second);
}

/* Methods whose weights are not sums of eighths: the form of a row affects the last bits of a
 * score. */
static bool is_inexact(const Variant *variant)
{
    static const char *const names[] = {"svm", "logistic", "svr"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], variant->method->name) == 0)
            return true;
    return false;
}

static void assert_near_answers(const Model *a, const Model *b, const Table *table)
{
    size_t count = table->rows * outputs_of(a->labels.count);
    double *first = scores_of(a, table), *second = scores_of(b, table), largest = 1;

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(first[i]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(first[i] - second[i]) <= 2e-3 * largest);
    free(first);
    free(second);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Rows labeled by a hidden rule with some noise. The last feature is in the first row, and every
 * class is among the first rows. */
static void make_table(Table *table, uint32_t rows, uint32_t classes, int values, uint64_t seed)
{
    Random random = clv_random(seed, 1);
    uint32_t features = 24;

    table_random(table, &random, rows, features, 6, classes, values);
    for (size_t i = 0; i < table->rows; i++) {
        TableRow *row = &table->row[i];
        double sum = 0;

        for (size_t j = 0; j < row->count; j++)
            sum += (double)table->cell[row->start + j].value *
                   ((table->cell[row->start + j].column * 7) % 5 - 1.5);
        if (i < classes)
            row->label = (uint32_t)i;
        else if (clv_random_below(&random, 10) != 0)
            row->label = (uint32_t)(fabs(floor(sum / 2))) % classes;
    }
    table->labels = classes == 2 ? signs : NULL;
    table->features = features;
}

static bool is_regression(const Variant *variant)
{
    return variant->method->tasks == CLEAVE_TASK_REGRESSION;
}

/* Quarters from -8 to 8, as labels and as numbers. */
enum { TARGETS = 65 };
static const char *const *target_labels(void)
{
    static char text[TARGETS][NUMBER_SIZE];
    static const char *list[TARGETS + 1];

    for (int i = 0; i < TARGETS; i++) {
        clv_format_double(text[i], (i - TARGETS / 2) / 4.0);
        list[i] = text[i];
    }
    return list;
}

/* The same rows with the sum in the hidden rule as target. Values are small, so that methods with a
 * learning rate converge. */
static void make_numbers(Table *table, uint32_t rows, int values, uint64_t seed)
{
    make_table(table, rows, 2, values, seed);
    table->labels = target_labels();
    table->label_count = TARGETS;
    for (size_t i = 0; i < table->rows; i++) {
        TableRow *row = &table->row[i];
        double sum = 0;

        for (size_t j = 0; j < row->count; j++) {
            Cell *cell = &table->cell[row->start + j];

            cell->value /= values == RANDOM_ONES ? 1 : 8;
            sum += (double)cell->value * ((cell->column * 7) % 5 - 1.5);
        }
        row->label = (uint32_t)(fmin(fmax(round(4 * sum), -TARGETS / 2), TARGETS / 2) +
                                TARGETS / 2);
        row->number = ((int)row->label - TARGETS / 2) / 4.0;
    }
}

/* Rows of a user, the columns 0 to 9, and an item, the others; the targets are not negative. */
static void make_ratings(Table *table, uint32_t rows, uint64_t seed)
{
    Random random = clv_random(seed, 2);

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t user = clv_random_below(&random, 10);
        uint32_t item = i == 0 ? 13 : clv_random_below(&random, 14);
        uint32_t rating = user % 3 + item % 4 + (user % 2 == item % 2 ? 6 : 0);
        TableRow *row = table_row(table, TARGETS / 2 + rating);

        row->number = rating / 4.0;
        table_cell(table, user, 1);
        table_cell(table, 10 + item, 1);
    }
    table->labels = target_labels();
    table->label_count = TARGETS;
}

static bool rates(const Method *method)
{
    return method->traits & CLEAVE_TRAIT_RATINGS;
}

/* Classes, or targets for a regression; 0 and 1 for methods of binary features. */
static void make_data(const Variant *variant, Table *table, uint32_t rows, uint32_t classes,
                      int values, uint64_t seed)
{
    if (variant->method->behavior & METHOD_BINARY_FEATURES)
        values = RANDOM_ONES;
    if (rates(variant->method))
        make_ratings(table, rows, seed);
    else if (is_regression(variant))
        make_numbers(table, rows, values, seed);
    else
        make_table(table, rows, classes, values, seed);
}

typedef void (*DataBody)(const Variant *variant, const Table *table);

/* Two classes, five classes (or targets), 0/1 and eighths, if the method's tasks include them. */
static void each_table(const Variant *variant, DataBody body)
{
    for (uint32_t classes = 2; classes <= 5; classes += 3)
        for (int values = RANDOM_ONES; values <= RANDOM_EIGHTHS; values += 2) {
            Table table = {0};

            if (is_regression(variant) && classes > 2)
                continue;
            if (!is_regression(variant) &&
                !(variant->method->tasks &
                  (classes == 2 ? CLEAVE_TASK_BINARY : CLEAVE_TASK_MULTICLASS))) {
                say_skipped(variant, classes == 2 ? "not for two classes" : "not for many classes");
                continue;
            }
            if ((variant->method->behavior & METHOD_BINARY_FEATURES) && values != RANDOM_ONES)
                continue;
            make_data(variant, &table, 120, classes, values, 7 + classes);
            body(variant, &table);
            table_free(&table);
        }
}

/* ---- the descriptor -------------------------------------------------------------------------- */

static void assert_said(const char *text)
{
    assert_non_null(text);
    assert_true(strlen(text) > 0);
}

static void descriptor_is_complete(void **state)
{
    const Method *method = *state;
    const Method *found;

    assert_said(method->name);
    assert_said(method->title);
    assert_said(method->objective);
    assert_said(method->reference);
    assert_true(method->tasks != 0);
    assert_true(method->tasks <=
                (CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS | CLEAVE_TASK_REGRESSION));
    assert_true((method->traits & ~CLEAVE_TRAIT_RATINGS) < 2 * CLEAVE_TRAIT_WIDE);
    assert_non_null(method->params);
    assert_true(method->options_size > 0 && method->state_size > 0);
    assert_true((method->training->step && method->training->end_epoch) || method->training->fit);
    assert_non_null(method->training);
    assert_non_null(method->inference);
    assert_non_null(method->training->begin);
    assert_non_null(method->training->end);
    assert_non_null(method->training->free);
    assert_non_null(method->inference->predict);
    assert_non_null(method->inference->check_model); /* a model file may contain anything */
    assert_true(!(method->traits & CLEAVE_TRAIT_ONLINE) || method->training->step);
    assert_true(!(method->traits & CLEAVE_TRAIT_MERGEABLE) ==
                !(METHOD_HAS(method, distributed, give) || METHOD_HAS(method, distributed, join)));
    assert_true(!METHOD_HAS(method, distributed, give) == !METHOD_HAS(method, distributed, take));
    assert_true(!METHOD_HAS(method, distributed, give) == !METHOD_HAS(method, distributed, shapes));
    assert_true(!METHOD_HAS(method, distributed, give) || method->training->resume);
    assert_true(!METHOD_HAS(method, inspection, survey) ==
                !METHOD_HAS(method, inspection, end_survey));
    for (const char *p = method->name; *p; p++)
        assert_true((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '-');
    assert_int_equal(clv_method_find(method->name, &found, NULL), OK);
    assert_ptr_equal(found, method);
}

static void assert_refused(const Param *param, void *options, double value)
{
    cleave_error error = {0};
    char text[NUMBER_SIZE];

    clv_format_double(text, value);
    assert_int_equal(clv_param_set(param, options, text, &error), CLEAVE_ERROR_USAGE);
    assert_says(&error, text);
}

static void check_number(const Param *param, void *options)
{
    cleave_error error;

    assert_true(param->initial <= param->max);
    assert_true(param->min_open ? param->initial > param->min : param->initial >= param->min);
    if (isfinite(param->min))
        assert_refused(param, options, param->min_open ? param->min : param->min - 1);
    if (isfinite(param->max))
        assert_refused(param, options, param->max + 1);
    if (param->type == CLEAVE_INTEGER)
        assert_refused(param, options, param->initial + 0.5);
    assert_int_equal(clv_param_set(param, options, "many", &error), CLEAVE_ERROR_USAGE);
    assert_int_equal(clv_param_set(param, options, "nan", &error), CLEAVE_ERROR_USAGE);
    assert_int_equal(clv_param_set(param, options, "", &error), CLEAVE_ERROR_USAGE);
}

static void check_param(const Param *param, void *options)
{
    char buffer[PARAM_TEXT_SIZE], again[PARAM_TEXT_SIZE];
    const char *text = clv_param_text(param, options, buffer);
    cleave_error error;

    assert_said(param->name);
    assert_said(param->help);
    for (const char *p = param->name; *p; p++)
        assert_true((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == 'C');
    assert_non_null(text);
    FINE(clv_param_set(param, options, text, &error));
    assert_string_equal(clv_param_text(param, options, again), text);
    if (param->type == CLEAVE_REAL || param->type == CLEAVE_INTEGER)
        check_number(param, options);
    if (param->type == CLEAVE_NAME) {
        size_t count = 0;

        while (param->values[count])
            FINE(clv_param_set(param, options, param->values[count++], &error));
        assert_true(param->initial >= 0 && param->initial < (double)count);
    }
    if (param->type == CLEAVE_NAME || param->type == CLEAVE_FLAG)
        assert_int_equal(clv_param_set(param, options, "no such value", &error),
                         CLEAVE_ERROR_USAGE);
}

static void parameters_are_sane(void **state)
{
    const Method *method = *state;
    void *options = some(1, method->options_size);

    for (const Param *param = method->params; param->name; param++) {
        for (const Param *other = method->params; other != param; other++)
            assert_string_not_equal(param->name, other->name);
        /* the parameter would be hidden by that of the run */
        assert_null(clv_param_find(clv_run_params, param->name));
        assert_true(param->offset < method->options_size);
        clv_params_initial(method->params, options);
        check_param(param, options);
    }
    clv_params_initial(method->params, options);
    if (method->check_options)
        assert_int_equal(method->check_options(options, NULL), OK);
    free(options);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void save_and_load(const Variant *variant, const Table *table)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Model *model = train_table(variant, table, 3), *loaded, *again;
    Buffer bytes = bytes_of(model);
    cleave_error error;
    size_t size;
    char *file;

    FINE(clv_model_from_bytes(variant->context, "bytes", bytes.data, bytes.size, &loaded, &error));
    assert_same_model(model, loaded);
    assert_same_answers(model, loaded, table);
    test_join(path, test_folder_new(folder), "a.model");
    FINE(cleave_save(loaded, path, &error));
    file = test_read_file(path, &size);
    assert_int_equal(size, bytes.size);
    assert_memory_equal(file, bytes.data, size);
    FINE(cleave_load(variant->context, path, &again, &error));
    assert_same_model(model, again);
    assert_string_equal(cleave_model_method(again), variant->method->name);
    assert_string_equal(cleave_model_writer(again), cleave_version());
    assert_int_equal(cleave_model_rows(again), table->rows);
    test_folder_remove(folder);
    cleave_model_free(again);
    cleave_model_free(loaded); /* points into bytes */
    cleave_model_free(model);
    clv_free(variant->context, bytes.data);
    free(file);
}

static void save_and_load_each(const Variant *variant)
{
    each_table(variant, save_and_load);
}

static void save_and_load_is_identity(void **state)
{
    each_variant(*state, save_and_load_each);
}

/* ---- going on -------------------------------------------------------------------------------- */

/* Three epochs followed by three more equal six. A solver that converges gets a tolerance that it
 * cannot reach. */
static void going_on(const Variant *variant, const Table *table)
{
    const Param *tolerance = clv_param_find(variant->method->params, "tolerance");
    RunOptions three = run_options(3), six = run_options(6);
    Dataset *dataset = table_built(variant->context, table, 64);
    Model *first, *then, *whole = train_with(variant, dataset, &six);
    cleave_error error;

    if (tolerance && method_prefers_fit(variant->method, variant->options)) {
        FINE(clv_param_set(tolerance, variant->options, "1e-14", &error));
        cleave_model_free(whole);
        whole = train_with(variant, dataset, &six);
    }
    if (whole->rounds <= 3) {
        say_skipped(variant, "it ends within three rounds");
    } else {
        first = train_with(variant, dataset, &three);
        then = train_from(variant, dataset, &three, first);
        assert_int_equal(then->rounds, whole->rounds);
        assert_int_equal(then->seen, whole->seen);
        assert_same_arrays(whole, then, true);
        assert_same_arrays(then, whole, true);
        cleave_model_free(first);
        cleave_model_free(then);
    }
    cleave_model_free(whole);
    clv_dataset_free(dataset);
}

static void going_on_each(const Variant *variant)
{
    if (variant->method->training->resume && variant->method->traits & CLEAVE_TRAIT_DETERMINISTIC)
        each_table(variant, going_on);
    else
        say_skipped(variant, "it does not go on, or is not deterministic");
}

static void rounds_add_up(void **state)
{
    each_variant(*state, going_on_each);
}

/* ---- forms of the same data ------------------------------------------------------------------ */

static void forms(const Variant *variant, const Table *table)
{
    static const Shape shapes[] = {{ROWS_DENSE, VALUES_EACH},     {ROWS_GAPS, VALUES_EACH},
                                   {ROWS_GAPS, VALUES_ONES},      {ROWS_GAPS, VALUES_PER_ROW},
                                   {ROWS_COLUMNS, VALUES_EACH},   {ROWS_COLUMNS, VALUES_ONES},
                                   {ROWS_COLUMNS, VALUES_PER_ROW}};
    Model *model = train_table(variant, table, 3);

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Dataset *dataset;
        Model *other;

        if (!can_encode(table, shapes[i]))
            continue;
        dataset = table_encoded(variant->context, table, shapes[i], table->rows);
        other = train_rounds(variant, dataset, 3);
        if (is_inexact(variant))
            assert_near_answers(model, other, table);
        else if (clv_state_in_model(model)) /* in double, where the order of a sum has an effect */
            assert_same_arrays(model, other, false);
        else
            assert_same_model(model, other);
        cleave_model_free(other);
        clv_dataset_free(dataset);
    }
    cleave_model_free(model);
}

static void forms_each(const Variant *variant)
{
    each_table(variant, forms);
}

static void forms_of_rows_do_not_matter(void **state)
{
    each_variant(*state, forms_each);
}

static void blocks(const Variant *variant, const Table *table)
{
    static const size_t sizes[] = {1, 7, 64, 1000};
    Model *model = NULL;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Dataset *dataset = table_built(variant->context, table, sizes[i]);
        Model *other = train_rounds(variant, dataset, 3);

        if (model)
            assert_same_model(model, other);
        clv_dataset_free(dataset);
        cleave_model_free(model);
        model = other;
    }
    cleave_model_free(model);
}

static void blocks_each(const Variant *variant)
{
    each_table(variant, blocks);
}

static void blocks_do_not_matter(void **state)
{
    each_variant(*state, blocks_each);
}

/* Rows whose gaps need fillers, in all forms. */
static void wide(const Variant *variant)
{
    Random random = clv_random(11, 0);
    Table table = {0};

    table_random(&table, &random, 60, 150000, 2, 2, RANDOM_ONES);
    table.row[0].label = 0;
    table.row[1].label = 1;
    table.labels = signs;
    forms(variant, &table);
    table_free(&table);
}

static void wide_each(const Variant *variant)
{
    if (promised(variant, NARROW))
        say_skipped(variant, "keeps a table of columns by columns");
    else
        wide(variant);
}

static void wide_rows_are_rows(void **state)
{
    each_variant(*state, wide_each);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* A state of the method, begun as by a driver for `rows` rows (0: a stream). NULL: refused, with a
 * message. */
static Fit *begin_fit(const Variant *variant, const Table *table, uint32_t features, uint64_t rows)
{
    static cleave_error error; /* outlives the fit */
    const Method *method = variant->method;
    Fit *fit = some(1, sizeof *fit);
    void *options = some(1, method->options_size);
    double *number = some(table->label_count, sizeof *number);
    FitProblem *problem = some(1, sizeof *problem);
    bool regression = is_regression(variant);

    memcpy(options, variant->options, method->options_size);
    for (uint32_t i = 0; regression && i < table->label_count; i++)
        number[i] = ((int)i - TARGETS / 2) / 4.0;
    *problem = (FitProblem){
        .label_number = number, .seed = 1, .rows = rows, .weight_total = (double)rows};
    *fit = (Fit){
        .context = variant->context,
        .error = &error,
        .method = method,
        .options = options,
        .state = some(1, method->state_size),
        .task = regression               ? CLEAVE_TASK_REGRESSION
                : table->label_count > 2 ? CLEAVE_TASK_MULTICLASS
                                         : CLEAVE_TASK_BINARY,
        .features = features,
        .classes = regression ? 0 : table->label_count,
        .outputs = regression ? 1 : outputs_of(table->label_count),
        .positive = !regression && table->label_count > 1 ? 1 : 0,
        .problem = problem,
    };
    if (method->training->choose && method->training->choose(fit, options) == CLEAVE_ERROR_USAGE) {
        say_skipped(variant, error.message);
        free(number);
        free(problem);
        free(options);
        free(fit->state);
        free(fit);
        return NULL;
    }
    assert_fine(method->training->begin(fit), &error);
    return fit;
}

static void free_fit(Fit *fit)
{
    fit->method->training->free(fit);
    free((void *)(uintptr_t)fit->options);
    free(fit->problem->label_number);
    free((void *)(uintptr_t)fit->problem);
    free(fit->state);
    free(fit);
}

static void step_rows(Fit *fit, const Table *table, size_t first, size_t count, size_t block_rows)
{
    Builder builder;
    cleave_error error;

    clv_builder_init(&builder, fit->context);
    for (size_t at = first; at < first + count; at += block_rows) {
        Block block;

        clv_builder_clear(&builder);
        for (size_t i = at; i < first + count && i < at + block_rows; i++)
            build_row(table, i, &builder);
        FINE(clv_builder_finish(&builder, &block, &error));
        assert_fine(fit->method->training->step(fit, &block), fit->error);
    }
    clv_builder_free(&builder);
}

/* All rows as the sample that the driver gathers from few rows. */
static void show_sample(Fit *fit, const Table *table)
{
    Builder builder;
    cleave_error error;
    Block block;

    clv_builder_init(&builder, fit->context);
    clv_builder_clear(&builder);
    for (size_t i = 0; i < table->rows; i++)
        build_row(table, i, &builder);
    FINE(clv_builder_finish(&builder, &block, &error));
    assert_fine(fit->method->training->sample(fit, &block), fit->error);
    clv_builder_free(&builder);
}

static Model *model_of(const Variant *variant, Fit *fit, const Table *table)
{
    cleave_error error;
    Model *model;

    FINE(clv_model_new(variant->context, variant->method, &model, &error));
    model->task = fit->task;
    if (fit->task != CLEAVE_TASK_REGRESSION)
        add_labels(table, &model->labels);
    model->positive = fit->positive;
    model->features = fit->features;
    FINE(clv_model_set_params(model, variant->method->params, fit->options, &error));
    assert_fine(variant->method->training->end(fit, model), fit->error);
    return model;
}

static void pass(Fit *fit)
{
    bool clean;

    assert_fine(fit->method->training->end_epoch(fit, &clean), fit->error);
}

/* One pass, row by row, features appearing as they come, models asked for on the way. */
/* The chosen solver; empty if the method has no such parameter. */
static const char *solver_of(const Fit *fit, char buffer[PARAM_TEXT_SIZE])
{
    const Param *param = clv_param_find(fit->method->params, "solver");

    return param ? clv_param_text(param, fit->options, buffer) : "";
}

/* Whether the default solver for streams is another one. */
static bool streams_by_another(const Variant *variant, const Table *table, const Fit *fit)
{
    Fit *known = begin_fit(variant, table, 0, table->rows);
    char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];
    bool differs = strcmp(solver_of(fit, one), solver_of(known, other)) != 0;

    free_fit(known);
    return differs;
}

static void stream(const Variant *variant, const Table *table)
{
    Fit *fit = begin_fit(variant, table, 0, variant->method->training->sample ? table->rows : 0),
        *whole;
    Model *batch, *streamed;

    if (!fit)
        return;
    if (method_needs_fit(variant->method, fit->options) || fit->calibration.every ||
        streams_by_another(variant, table, fit)) {
        say_skipped(variant, "the driver has a part in it");
        free_fit(fit);
        return;
    }
    if (fit->wants_sample)
        show_sample(fit, table);
    batch = train_table(variant, table, 1);
    for (size_t i = 0; i < table->rows; i++) {
        step_rows(fit, table, i, 1, 1);
        if (i % 50 == 0)
            cleave_model_free(model_of(variant, fit, table));
    }
    pass(fit);
    assert_int_equal(fit->features, table->features);
    streamed = model_of(variant, fit, table);
    assert_same_answers(batch, streamed, table);
    whole = begin_fit(variant, table, 0, fit->problem->rows);
    if (whole->wants_sample)
        show_sample(whole, table);
    step_rows(whole, table, 0, table->rows, table->rows);
    pass(whole);
    cleave_model_free(batch);
    batch = model_of(variant, whole, table);
    assert_same_model(batch, streamed);
    cleave_model_free(batch);
    cleave_model_free(streamed);
    free_fit(whole);
    free_fit(fit);
}

static void stream_each(const Variant *variant)
{
    each_table(variant, stream);
}

static void stream_is_one_round(void **state)
{
    const Method *method = *state;

    if (!(method->traits & CLEAVE_TRAIT_ONLINE)) {
        print_message("SKIPPED: %s does not learn from streams\n", method->name);
        skip();
    }
    each_variant(method, stream_each);
}

/* A state with which a stream would begin; NULL: this variant cannot learn from streams, and has
 * said so. */
static Fit *begin_stream(const Variant *variant, const Table *table)
{
    Fit *fit = begin_fit(variant, table, 0, 0);

    if (fit && method_needs_fit(variant->method, fit->options)) {
        say_skipped(variant, "needs all rows at hand");
        free_fit(fit);
        return NULL;
    }
    if (fit && fit->wants_sample)
        show_sample(fit, table);
    return fit;
}

/* Calls the function with one row of the table as a block. */
static void with_row(Fit *fit, const Table *table, size_t row,
                     void (*body)(Fit *fit, const Block *block, void *user), void *user)
{
    cleave_error error;
    Builder builder;
    Block block;

    clv_builder_init(&builder, fit->context);
    clv_builder_clear(&builder);
    build_row(table, row, &builder);
    FINE(clv_builder_finish(&builder, &block, &error));
    body(fit, &block, user);
    clv_builder_free(&builder);
}

static void ask(Fit *fit, const Block *block, void *scores)
{
    assert_fine(fit->method->online->score(fit, block, 0, scores), fit->error);
}

static void assert_asked(const Variant *variant, const Table *table, Fit *fit, size_t row)
{
    double *found = some(fit->outputs, sizeof *found), *expected, largest = 1;
    Model *model = model_of(variant, fit, table);
    Table one = {.labels = table->labels, .label_count = table->label_count};

    with_row(fit, table, row, ask, found);
    table_copy_row(&one, table, row);
    for (size_t i = 0; i < fit->outputs; i++)
        assert_true(isfinite(found[i]));
    if (one.features <= model->features) {
        expected = scores_of(model, &one);
        for (size_t i = 0; i < fit->outputs; i++)
            largest = fmax(largest, fabs(expected[i]));
        for (size_t i = 0; i < fit->outputs; i++)
            assert_true(fabs(found[i] - expected[i]) <= 1e-5 * largest);
        free(expected);
    }
    free(found);
    cleave_model_free(model);
    table_free(&one);
}

/* Rows are predicted before they are learned, including rows with new columns, and afterwards. */
static void asked(const Variant *variant, const Table *table)
{
    Fit *fit = begin_stream(variant, table);
    size_t every = how_many(3, 1);

    if (!fit)
        return;
    for (size_t i = 0; i < table->rows; i++) {
        bool now = i < 10 || i % every == 0;

        if (now)
            assert_asked(variant, table, fit, i);
        step_rows(fit, table, i, 1, 1);
        if (now)
            assert_asked(variant, table, fit, i);
    }
    free_fit(fit);
}

static void asked_each(const Variant *variant)
{
    if (promised(variant, APPROXIMATE))
        say_skipped(variant, "it is approximate");
    else
        each_table(variant, asked);
}

static void scores_are_those_of_the_model(void **state)
{
    const Method *method = *state;

    if (!METHOD_HAS(method, online, score)) {
        print_message("SKIPPED: %s is not asked while it learns\n", method->name);
        skip();
    }
    each_solver(method, asked_each);
}

/* Another state that continues from the model of this one, as after a restart. */
static Fit *go_on(const Variant *variant, const Table *table, Fit *fit)
{
    Model *model = model_of(variant, fit, table), *loaded;
    Fit *other = begin_fit(variant, table, fit->features, 0);
    Buffer bytes;
    cleave_error error;

    model->seen = fit->counters.seen;
    bytes = bytes_of(model);
    FINE(clv_model_from_bytes(variant->context, "bytes", bytes.data, bytes.size, &loaded, &error));
    other->counters.seen = fit->counters.seen;
    assert_fine(variant->method->training->resume(other, loaded), other->error);
    other->wants_sample = false;
    cleave_model_free(model);
    cleave_model_free(loaded);
    clv_free(variant->context, bytes.data);
    free_fit(fit);
    return other;
}

/* A stream that forgets (keep below 1), interrupted and resumed at some rows or at none. Returns
 * false if it cannot forget. */
static bool stream_through(const Variant *variant, const Table *table, double keep, size_t every,
                           Model **model)
{
    Fit *fit = begin_stream(variant, table);

    *model = NULL;
    if (!fit)
        return false;
    for (size_t i = 0; i < table->rows; i++) {
        if (every && i % every == every - 1)
            fit = go_on(variant, table, fit);
        if (keep < 1) {
            Status status = fit->method->online->forget(fit, keep);

            if (status == CLEAVE_ERROR_USAGE) {
                assert_said(fit->error->message);
                say_skipped(variant, fit->error->message);
                free_fit(fit);
                return false;
            }
            assert_fine(status, fit->error);
            assert_asked(variant, table, fit, i);
        }
        step_rows(fit, table, i, 1, 1);
    }
    *model = model_of(variant, fit, table);
    free_fit(fit);
    return true;
}

/* 0.6: the growing steps exceed 2^64 before the end of the rows. */
static void broken_off(const Variant *variant, const Table *table)
{
    static const double keeps[] = {1, 0.6, 0.999};
    Model *whole, *broken;

    for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
        if ((keeps[i] < 1 && !METHOD_HAS(variant->method, online, forget)) ||
            !stream_through(variant, table, keeps[i], 0, &whole))
            continue;
        assert_true(stream_through(variant, table, keeps[i], 37, &broken));
        assert_same_model(whole, broken);
        cleave_model_free(whole);
        cleave_model_free(broken);
    }
}

static void broken_off_each(const Variant *variant)
{
    each_table(variant, broken_off);
}

static void streams_go_on(void **state)
{
    const Method *method = *state;

    if (!(method->traits & CLEAVE_TRAIT_ONLINE) || !method->training->resume) {
        print_message("SKIPPED: %s does not learn from streams\n", method->name);
        skip();
    }
    each_solver(method, broken_off_each);
}

static void learn_below(Fit *fit, const Table *table, uint32_t classes)
{
    for (size_t i = 0; i < table->rows; i++)
        if (table->row[i].label < classes)
            step_rows(fit, table, i, 1, 1);
}

static double asked_one(Fit *fit, const Table *table, size_t row, size_t output)
{
    double scores[5];

    assert_true(fit->outputs <= 5);
    with_row(fit, table, row, ask, scores);
    return scores[output];
}

/* Two classes become two with the other one positive, then five. Returns false if the method does
 * not support it. */
static bool widen_to(const Variant *variant, Fit *fit, uint32_t classes, uint32_t positive)
{
    Status status = variant->method->online->widen(fit, classes, positive);

    if (status != OK) {
        assert_int_equal(status, CLEAVE_ERROR_USAGE);
        assert_said(fit->error->message);
        say_skipped(variant, fit->error->message);
        return false;
    }
    assert_int_equal(fit->classes, classes);
    assert_int_equal(fit->outputs, outputs_of(classes));
    assert_int_equal(fit->positive, positive);
    assert_int_equal(fit->task, fit->outputs > 1 ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_BINARY);
    return true;
}

/* Multiplicative weights have no negative, so that only the positive class stays unchanged. */
static bool has_opposites(const Variant *variant)
{
    return strcmp(variant->method->name, "winnow") != 0;
}

/* Scores are fractions of votes. If labels are nearly noise, the neighbors' votes are no better
 * than a guess. */
static bool asks_neighbors(const Variant *variant)
{
    return strncmp(variant->method->name, "knn", 3) == 0;
}

static void wider(const Variant *variant, const Table *table)
{
    Table none = *table, five = *table;
    double before[120], largest = 1;
    Fit *fit;

    if (table->label_count != 5)
        return;
    none.label_count = 0;
    fit = begin_stream(variant, &none); /* whose sample has no information */
    if (!fit)
        return;
    assert_true(widen_to(variant, fit, 1, 0));
    for (size_t i = 0; i < table->rows; i++)
        assert_true(!has_opposites(variant) || asked_one(fit, table, i, 0) == 0);
    assert_true(widen_to(variant, fit, 2, 1));
    if (fit->wants_sample)
        show_sample(fit, table);
    learn_below(fit, table, 2);
    for (size_t i = 0; i < table->rows; i++) {
        before[i] = asked_one(fit, table, i, 0);
        largest = fmax(largest, fabs(before[i]));
    }
    if (widen_to(variant, fit, 2, 0) && has_opposites(variant))
        for (size_t i = 0; i < table->rows; i++)
            assert_true(fabs(asked_one(fit, table, i, 0) + before[i]) <= 1e-6 * largest);
    if (fit->positive == 0 && widen_to(variant, fit, 2, 1) && widen_to(variant, fit, 5, 1)) {
        Model *model;

        for (size_t i = 0; i < table->rows; i++) {
            assert_true(fabs(asked_one(fit, table, i, 1) - before[i] -
                             (asks_neighbors(variant) ? asked_one(fit, table, i, 0) : 0)) <=
                        1e-6 * largest);
            for (size_t j = asks_neighbors(variant) ? 2 : 0; j < 5 && has_opposites(variant); j++)
                assert_true(j == 1 || fabs(asked_one(fit, table, i, j) +
                                           (j == 0 ? before[i] : 0)) <= 1e-6 * largest);
        }
        for (size_t i = 0; i < table->rows; i++) {
            step_rows(fit, table, i, 1, 1);
            if (i < 10 || i % how_many(3, 1) == 0)
                assert_asked(variant, &five, fit, i);
        }
        model = model_of(variant, fit, &five);
        assert_int_equal(variant->method->inference->check_model(model, fit->options, NULL), OK);
        cleave_model_free(model);
    }
    free_fit(fit);
}

static void wider_each(const Variant *variant)
{
    if (is_regression(variant))
        say_skipped(variant, "it fits numbers");
    else if (promised(variant, APPROXIMATE))
        say_skipped(variant, "it is approximate");
    else
        each_table(variant, wider);
}

static void classes_may_appear(void **state)
{
    const Method *method = *state;

    if (!METHOD_HAS(method, online, widen)) {
        print_message("SKIPPED: %s must know its classes before it learns\n", method->name);
        skip();
    }
    each_solver(method, wider_each);
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Rows of the table: pieces of a round; one has a single row, and one has none. */
static const struct {
    size_t first, count;
} pieces[] = {{0, 47}, {47, 1}, {48, 0}, {48, 72}};
enum { PIECES = sizeof pieces / sizeof *pieces, TEAM_ROUNDS = 3 };

static void next_round(Fit *fit)
{
    fit->counters.epoch++;
    fit->counters.epoch_mistakes = 0;
    fit->counters.epoch_loss = 0;
}

static Fit *begin_team(const Variant *variant, const Table *table)
{
    Fit *fit = begin_fit(variant, table, table->features, table->rows);

    assert_int_equal(table->rows, 120);
    if (fit->wants_sample)
        show_sample(fit, table);
    fit->wants_sample = false;
    return fit;
}

static Model *train_whole(const Variant *variant, const Table *table)
{
    Fit *fit = begin_team(variant, table);
    Model *model;

    for (int round = 0; round < TEAM_ROUNDS; round++, next_round(fit)) {
        step_rows(fit, table, 0, table->rows, 16);
        pass(fit);
    }
    model = model_of(variant, fit, table);
    free_fit(fit);
    return model;
}

/* mean += share * the scores of the model. */
static void add_scores(const Model *model, const Table *table, double share, double *mean)
{
    double *scores = scores_of(model, table);

    for (size_t i = 0; i < table->rows * outputs_of(model->labels.count); i++)
        mean[i] += share * scores[i];
    free(scores);
}

/* The update matches the table of shapes, by which updates from outside are checked. */
static void assert_shapes(const Fit *fit, const Delta *delta)
{
    for (size_t i = 0; i < delta->parts; i++) {
        const DeltaPart *part = &delta->part[i];
        const DeltaShape *shape = fit->method->distributed->shapes;
        uint64_t weights = (uint64_t)fit->features * fit->outputs, size;

        if (strcmp(part->name, DELTA_ROUND) == 0)
            continue;
        while (shape->name && strcmp(shape->name, part->name) != 0)
            shape++;
        if (!shape->name)
            fail_msg("%s gives '%s', which its shapes do not name", fit->method->name, part->name);
        size = shape->kind == SHAPE_NUMBERS   ? shape->numbers
               : shape->kind == SHAPE_OUTPUTS ? fit->outputs
               : shape->kind == SHAPE_CLASSES ? fit->classes
               : shape->kind == SHAPE_WEIGHTS ? weights
                                              : weights + fit->outputs;
        assert_true(clv_delta_size(delta, part->name) <= size);
    }
}

/* The update of a piece by a separate worker, whose scores are added to the mean. */
static Status make_piece(const Variant *variant, const Table *table, const Fit *start,
                         const Model *model, uint32_t piece, DeltaTree *tree, double *mean)
{
    cleave_error error;
    Delta delta;
    Fit worker;
    Status status;

    clv_delta_init(&delta, variant->context);
    FINE(clv_team_join(&worker, start, model, &error));
    step_rows(&worker, table, pieces[piece].first, pieces[piece].count, 16);
    status = clv_team_give(&worker, start, &delta);
    if (status == OK) {
        Model *alone = model_of(variant, &worker, table);

        assert_shapes(&worker, &delta);
        add_scores(alone, table, (double)pieces[piece].count / (double)table->rows, mean);
        cleave_model_free(alone);
        FINE(clv_delta_tree_add(tree, piece, 1, &delta, &error));
    } else {
        *start->error = error;
    }
    clv_team_leave(&worker);
    clv_delta_free(&delta);
    return status;
}

/* One round, with the pieces in the order (first + i * stride) % PIECES. mean: average scores of
 * the workers. */
static Status team_round(const Variant *variant, const Table *table, Fit *fit, uint32_t first,
                         uint32_t stride, double *mean)
{
    Model *model = model_of(variant, fit, table);
    Status status = OK;
    DeltaTree tree;

    clv_delta_tree_init(&tree, variant->context, PIECES);
    for (uint32_t i = 0; i < PIECES && status == OK; i++)
        status = make_piece(variant, table, fit, model, (first + i * stride) % PIECES, &tree, mean);
    if (status == OK) {
        bool clean;

        assert_non_null(clv_delta_tree_sum(&tree));
        assert_fine(clv_team_take(fit, clv_delta_tree_sum(&tree), &clean), fit->error);
        next_round(fit);
    }
    clv_delta_tree_free(&tree);
    cleave_model_free(model);
    return status;
}

static void assert_close(const double *expected, const double *found, size_t count,
                         double tolerance)
{
    double largest = 1;

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(expected[i] - found[i]) <= tolerance * largest);
}

/* Solvers with a learning rate per weight average by gradients. */
static bool averages_by_rows(const Fit *fit)
{
    char buffer[PARAM_TEXT_SIZE];
    const char *solver = solver_of(fit, buffer);

    return strcmp(solver, "adaptive") != 0 && strcmp(solver, "ftrl") != 0;
}

/* NULL: the method cannot be trained by several workers, and has said so. */
static Model *train_team(const Variant *variant, const Table *table, uint32_t first,
                         uint32_t stride)
{
    Fit *fit = begin_team(variant, table);
    bool exact = method_sums_exactly(variant->method, fit->options);
    Status status = clv_team_check(variant->method, fit->options, fit->error);
    Model *model = NULL;

    for (int round = 0; round < TEAM_ROUNDS && status == OK; round++) {
        double *mean = some(table->rows * fit->outputs, sizeof *mean), *found;

        status = team_round(variant, table, fit, first, stride, mean);
        if (status == OK) {
            cleave_model_free(model);
            model = model_of(variant, fit, table);
            found = scores_of(model, table);
            if (!exact && !variant->pass_moves && averages_by_rows(fit))
                assert_close(mean, found, table->rows * fit->outputs, 1e-5);
            free(found);
        }
        free(mean);
    }
    if (status != OK) {
        assert_int_equal(status, CLEAVE_ERROR_USAGE);
        assert_said(fit->error->message);
        say_skipped(variant, fit->error->message);
    }
    free_fit(fit);
    return model;
}

/* The result of several workers is the average of the workers' results, or that of one worker on
 * all rows if the method sums exactly. It does not depend on the order. */
static void team(const Variant *variant, const Table *table)
{
    Model *model = train_team(variant, table, 0, 1), *backwards;

    if (!model)
        return;
    backwards = train_team(variant, table, 2, PIECES - 1);
    assert_same_model(model, backwards);
    cleave_model_free(backwards);
    if (method_sums_exactly(variant->method, variant->options)) {
        Model *whole = train_whole(variant, table);
        double *expected = scores_of(whole, table), *found = scores_of(model, table);

        if (promised(variant, EXACT_SUM))
            assert_same_answers(whole, model, table);
        assert_close(expected, found, table->rows * outputs_of(model->labels.count), 1e-6);
        free(expected);
        free(found);
        cleave_model_free(whole);
    }
    cleave_model_free(model);
}

/* Marks the fit as shared by several workers. */
static void share(Fit *fit)
{
    ((FitProblem *)(uintptr_t)fit->problem)->shared = true;
}

/* Concatenated pieces give the same model as one worker with all rows, bit by bit. */
static void joined(const Variant *variant, const Table *table)
{
    Fit *fit = begin_team(variant, table), *whole = begin_team(variant, table);
    Model *model, *expected;

    share(fit);
    share(whole);
    for (size_t i = 0; i < PIECES; i++) {
        Fit *piece = begin_team(variant, table);
        Model *part;

        share(piece);
        step_rows(piece, table, pieces[i].first, pieces[i].count, 13);
        part = model_of(variant, piece, table);
        fit->counters.seen += piece->counters.seen;
        if (piece->counters.seen)
            assert_fine(fit->method->distributed->join(fit, part), fit->error);
        cleave_model_free(part);
        free_fit(piece);
    }
    step_rows(whole, table, 0, table->rows, 64);
    assert_int_equal(fit->counters.seen, whole->counters.seen);
    pass(fit);
    pass(whole);
    model = model_of(variant, fit, table);
    expected = model_of(variant, whole, table);
    assert_same_model(model, expected);
    assert_same_answers(model, expected, table);
    cleave_model_free(model);
    cleave_model_free(expected);
    free_fit(fit);
    free_fit(whole);
}

static void team_each(const Variant *variant)
{
    each_table(variant, METHOD_HAS(variant->method, distributed, join) ? joined : team);
}

static void rounds_made_by_many(void **state)
{
    const Method *method = *state;

    if (!(method->traits & CLEAVE_TRAIT_MERGEABLE)) {
        print_message("SKIPPED: %s cannot be put together from several workers\n", method->name);
        skip();
    }
    each_solver(method, team_each);
}

/* The rows of a text, read by `threads` threads in chunks of a few rows. */
static Model *train_on_text(const Variant *variant, const Table *table, unsigned threads, int order)
{
    Context *context = new_context(threads);
    Variant other = *variant;
    RunOptions run = run_options(3);
    ReadOptions options = {0};
    cleave_error error;
    Dataset *dataset;
    Source *source;
    Model *model;
    size_t size;
    char *text = table_text(table, &size);

    other.context = context;
    run.order = order;
    clv_params_initial(clv_read_params, &options);
    options.chunk_bytes = 150;
    FINE(clv_read_memory(context, "text", text, size, &clv_format_libsvm, &options, NULL, &source,
                         &error));
    FINE(clv_dataset_load(source, &dataset, &error));
    assert_true(dataset->blocks > 10);
    model = train_with(&other, dataset, &run);
    clv_source_close(source);
    clv_dataset_free(dataset);
    free(text);
    return model; /* freed with its context */
}

static void threads(const Variant *variant, const Table *table)
{
    static const unsigned counts[] = {2, 7, 3};
    size_t tried = how_many(2, sizeof counts / sizeof *counts);

    for (int order = ORDER_FILE; order <= ORDER_DRAWS; order++) {
        Model *model = train_on_text(variant, table, 1, order);

        for (size_t i = 0; i < tried; i++) {
            Model *other = train_on_text(variant, table, counts[i], order);
            Context *context = other->context;

            assert_same_model(model, other);
            cleave_model_free(other);
            cleave_context_free(context);
        }
        {
            Context *context = model->context;

            cleave_model_free(model);
            cleave_context_free(context);
        }
    }
}

static void threads_each(const Variant *variant)
{
    if (promised(variant, SEQUENCES))
        say_skipped(variant, "of files it takes texts alone");
    else
        each_table(variant, threads);
}

static void threads_do_not_matter(void **state)
{
    const Method *method = *state;

    if (!(method->traits & CLEAVE_TRAIT_DETERMINISTIC)) {
        print_message("SKIPPED: %s is not deterministic\n", method->name);
        skip();
    }
    each_variant(method, threads_each);
}

/* ---- weights and order ----------------------------------------------------------------------- */

static void weights(const Variant *variant, const Table *table)
{
    Table weighted = {0}, repeated = {0};
    Model *a, *b;

    for (size_t i = 0; i < table->rows; i++) {
        uint32_t weight = 1 + (uint32_t)(i % 3);

        table_copy_row(&weighted, table, i);
        weighted.row[i].weight = (float)weight;
        for (uint32_t j = 0; j < weight; j++)
            table_copy_row(&repeated, table, i);
    }
    weighted.weights = true;
    a = train_table(variant, &weighted, 3);
    b = train_table(variant, &repeated, 3);
    assert_same_answers(a, b, table);
    cleave_model_free(b);
    b = train_table(variant, table, 3); /* and weights have an effect */
    {
        Buffer with = bytes_of(a), without = bytes_of(b);

        assert_true(with.size != without.size || memcmp(with.data, without.data, with.size) != 0);
        clv_free(variant->context, with.data);
        clv_free(variant->context, without.data);
    }
    cleave_model_free(a);
    cleave_model_free(b);
    table_free(&weighted);
    table_free(&repeated);
}

static void weights_each(const Variant *variant)
{
    if (promised(variant, WEIGHT_IS_ROWS))
        each_table(variant, weights);
    else
        say_skipped(variant, "a weight of 2 is not promised to be the row twice");
}

static void weight_two_is_the_row_twice(void **state)
{
    each_variant(*state, weights_each);
}

static void order(const Variant *variant, const Table *table)
{
    RunOptions options = run_options(3);
    Dataset *dataset = table_built(variant->context, table, 16);
    Model *a, *b;

    for (options.order = ORDER_ONCE; options.order <= ORDER_DRAWS; options.order++) {
        a = train_with(variant, dataset, &options);
        b = train_with(variant, dataset, &options);
        assert_same_model(a, b);
        cleave_model_free(a);
        cleave_model_free(b);
    }
    clv_dataset_free(dataset);
    if (promised(variant, ORDER_FREE)) {
        Table reversed = {0};

        for (size_t i = table->rows; i > 0; i--)
            table_copy_row(&reversed, table, i - 1);
        a = train_table(variant, table, 3);
        b = train_table(variant, &reversed, 3);
        assert_same_answers(a, b, table);
        cleave_model_free(a);
        cleave_model_free(b);
        table_free(&reversed);
    }
}

static void order_each(const Variant *variant)
{
    each_table(variant, order);
}

static void order_matters_as_stated(void **state)
{
    each_variant(*state, order_each);
}

/* ---- unusual data ---------------------------------------------------------------------------- */

typedef struct {
    size_t rows, given, correct, none;
    char labels[512][16];
    double score[512];
} Answers;

static cleave_code keep_answer(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Answers *answers = user;

    (void)error;
    assert_int_equal(prediction->row, answers->rows + 1);
    assert_true(answers->rows < 512);
    snprintf(answers->labels[answers->rows], sizeof answers->labels[0], "%s", prediction->label);
    answers->score[answers->rows++] = prediction->scores[0];
    answers->given += prediction->true_label != NULL;
    answers->correct += prediction->correct;
    answers->none += prediction->label_number == SIZE_MAX;
    assert_true(prediction->true_label || !prediction->correct);
    assert_true((prediction->label_number == SIZE_MAX) == (strcmp(prediction->label, "none") == 0));
    return CLEAVE_OK;
}

static cleave_data *data_of(Context *context, const Table *table)
{
    cleave_error error;
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < table->rows; i++) {
        const TableRow *row = &table->row[i];
        uint32_t *index = some(row->count, sizeof *index);
        float *value = some(row->count, sizeof *value);
        char buffer[24];

        for (size_t j = 0; j < row->count; j++) {
            index[j] = table->cell[row->start + j].column;
            value[j] = table->cell[row->start + j].value;
        }
        FINE(cleave_data_add(
            data, row->label == UNLABELED ? NULL : table_label(table, row->label, buffer),
            row->count, index, value, &error));
        free(index);
        free(value);
    }
    return data;
}

/* The predictions of a regression. Tests of the functions of cleave.h cover their text form. */
static void answer_numbers(const Model *model, cleave_data *data, Answers *answers)
{
    Source *source, *view;
    cleave_error error;
    const Block *block;

    FINE(clv_data_source(data, &source, &error));
    FINE(clv_remap_source(source, false, &model->labels, &model->names, model->features, &view,
                          &error));
    for (;;) {
        FINE(source_next(view, &block, &error));
        if (!block)
            break;
        assert_true(answers->rows + block->rows <= 512);
        FINE(model->method->inference->predict(model, block, answers->score + answers->rows,
                                               &error));
        answers->rows += block->rows;
    }
    clv_source_close(view);
}

static void answer(const Model *model, const Table *table, bool none, Answers *answers)
{
    cleave_data *data = data_of(model->context, table);
    cleave_options *options = cleave_options_new(model->context);
    cleave_error error;

    *answers = (Answers){0};
    if (none)
        FINE(cleave_options_set(options, "abstain", "true", &error));
    if (model->task == CLEAVE_TASK_REGRESSION)
        answer_numbers(model, data, answers);
    else
        FINE(cleave_predict(model, data, options, keep_answer, answers, &error));
    assert_int_equal(answers->rows, table->rows);
    cleave_options_free(options);
    cleave_data_free(data);
}

static Model *train_public(const Variant *variant, const Table *table)
{
    cleave_data *data = data_of(variant->context, table);
    cleave_options *options = cleave_options_new(variant->context);
    EpochKind kind = method_epoch_kind(variant->method, variant->options) % EPOCH_BY_SOLVER;
    const char *value;
    cleave_error error;
    Model *model;

    FINE(cleave_options_set(options, clv_run_params[kind].name, "30", &error));
    /* Few rows, or one of each class, cannot be validated, and the full tree is tested here. */
    if (clv_param_find(variant->method->params, "prune"))
        FINE(cleave_options_set(options, "prune", "none", &error));
    if (variant->changed)
        FINE(cleave_options_set(options, variant->changed->name, variant->value, &error));
    if (companion(variant->method, variant->changed, &value))
        FINE(cleave_options_set(options, companion(variant->method, variant->changed, &value),
                                value, &error));
    FINE(cleave_train(variant->context, variant->method->name, data, NULL, options, &model, NULL,
                      &error));
    cleave_options_free(options);
    cleave_data_free(data);
    return model;
}

/* Better than a guess: of the classes, or the mean of the targets. */
static void assert_learned(const Model *model, const Table *table, const Answers *answers)
{
    double mean = 0, error = 0, spread = 0;

    if (model->task != CLEAVE_TASK_REGRESSION) {
        assert_int_equal(answers->given, table->rows);
        assert_true(answers->correct > table->rows / table->label_count);
        return;
    }
    for (size_t i = 0; i < table->rows; i++)
        mean += table->row[i].number / (double)table->rows;
    for (size_t i = 0; i < table->rows; i++) {
        error += pow(answers->score[i] - table->row[i].number, 2);
        spread += pow(mean - table->row[i].number, 2);
    }
    assert_true(error < 0.5 * spread);
}

/* Columns that the model does not have, more than it has, no label, no features at all. */
/* Noise that a full tree fits is pruned away. */
static bool is_pruned(const Variant *variant)
{
    return variant->changed && strcmp(variant->changed->name, "prune") == 0 &&
           strcmp(variant->value, "none") != 0;
}

static void strangers(const Variant *variant, const Table *table)
{
    Model *model = train_public(variant, table);
    Answers *known = some(1, sizeof *known), *strange = some(1, sizeof *strange);
    Table other = {0};

    answer(model, table, false, known);
    if (!asks_neighbors(variant) && !is_pruned(variant))
        assert_learned(model, table, known);
    for (size_t i = 0; i < table->rows; i++) {
        table_copy_row(&other, table, i);
        other.row[i].label = UNLABELED;
        table_cell(&other, table->features + (uint32_t)(i % 3), 100);
        table_cell(&other, 200000 + (uint32_t)i, -100);
    }
    answer(model, &other, false, strange);
    assert_int_equal(strange->given, 0);
    if (!(variant->method->behavior &
          METHOD_WIDER_ROWS)) { /* if distances depend on them, they have an effect */
        assert_memory_equal(strange->labels, known->labels, sizeof known->labels);
        assert_memory_equal(strange->score, known->score, sizeof known->score);
    }
    table_row(&other, UNLABELED);
    answer(model, &other, false, strange);
    assert_true(isfinite(strange->score[table->rows]));
    cleave_model_free(model);
    table_free(&other);
    free(known);
    free(strange);
}

static void strangers_each(const Variant *variant)
{
    each_table(variant, strangers);
}

static void strange_rows_are_answered(void **state)
{
    each_variant(*state, strangers_each);
}

static void empty_rows(const Variant *variant, const Table *table)
{
    Table other = {0};
    Model *model;

    for (size_t i = 0; i < table->rows; i++) {
        table_row(&other, table->row[i].label);
        table_copy_row(&other, table, i);
    }
    model = train_public(variant, &other);
    free(scores_of(model, &other));
    cleave_model_free(model);
    table_free(&other);
}

static void empty_rows_each(const Variant *variant)
{
    each_table(variant, empty_rows);
}

static void rows_without_features_are_rows(void **state)
{
    each_variant(*state, empty_rows_each);
}

/* The names of the two classes have no effect on the model. */
static void labels(const Variant *variant)
{
    static const char *const *const calls[] = {words, one_two, signs};
    Answers *first = some(1, sizeof *first), *other = some(1, sizeof *other);
    Table table = {0};

    if (!(variant->method->tasks & CLEAVE_TASK_BINARY)) {
        say_skipped(variant, "not for two classes");
    } else {
        make_table(&table, 100, 2, RANDOM_ONES, 3);
        for (size_t i = 0; i < 3; i++) {
            Model *model;

            table.labels = calls[i];
            model = train_public(variant, &table);
            answer(model, &table, false, i ? other : first);
            assert_string_equal(cleave_model_positive(model), calls[i][1]);
            for (size_t j = 0; j < table.rows && i; j++) {
                assert_true(other->score[j] == first->score[j]);
                assert_int_equal(strcmp(other->labels[j], calls[i][1]) == 0,
                                 strcmp(first->labels[j], calls[0][1]) == 0);
            }
            cleave_model_free(model);
        }
    }
    table_free(&table);
    free(first);
    free(other);
}

static void names_of_classes_do_not_matter(void **state)
{
    each_variant(*state, labels);
}

/* ---- losses ---------------------------------------------------------------------------------- */

static double loss_of(const Model *model, const double *scores, uint32_t label, double target)
{
    double loss = model->method->inference->loss(model, scores, label, target);

    assert_true(isfinite(loss) && loss >= 0);
    return loss;
}

/* The loss grows with the distance from the target, and is the same on both sides. */
static void losses_of_numbers(const Model *model, Random *random)
{
    double target = 20 * clv_random_unit(random) - 10, off = 5 * clv_random_unit(random),
           off_by_more = off + 1 + clv_random_unit(random);
    double exact = loss_of(model, &target, UNLABELED, target),
           above = loss_of(model, &(double){target + off}, UNLABELED, target),
           below = loss_of(model, &(double){target - off}, UNLABELED, target);

    assert_true(exact == 0 && fabs(above - below) <= 1e-9);
    assert_true(loss_of(model, &(double){target + off_by_more}, UNLABELED, target) > above);
}

/* With |score| below 1, where every loss decreases with the score of the row's own class. */
static void losses_of_classes(const Model *model, Random *random)
{
    enum { MOST_OUTPUTS = 8 };
    double score[MOST_OUTPUTS], other[MOST_OUTPUTS], middle[MOST_OUTPUTS], loss;
    size_t outputs = outputs_of(model->labels.count);
    uint32_t label = clv_random_below(random, model->labels.count),
             next = (label + 1) % model->labels.count;
    double sign = outputs > 1 || label == model->positive ? 1 : -1, step;
    size_t own = outputs > 1 ? label : 0;

    assert_in_range(outputs, 1, MOST_OUTPUTS);
    for (size_t i = 0; i < outputs; i++) {
        score[i] = 1.6 * clv_random_unit(random) - 0.8;
        other[i] = 1.6 * clv_random_unit(random) - 0.8;
        middle[i] = (score[i] + other[i]) / 2;
    }
    loss = loss_of(model, score, label, 0);
    assert_true(loss_of(model, middle, label, 0) <=
                (loss + loss_of(model, other, label, 0)) / 2 + 1e-12);
    memcpy(other, score, sizeof other);
    step = 0.1 + 0.1 * clv_random_unit(random);
    other[own] += sign * step;
    assert_true(loss_of(model, other, label, 0) <= loss + 1e-12);
    other[own] = sign * -0.9; /* the lowest of all: an error */
    assert_true(loss_of(model, other, label, 0) > 0);
    assert_true(loss_of(model, other, label, 0) >= loss - 1e-12);
    for (size_t i = 0; i < outputs; i++) /* the classes exchanged */
        other[i] = outputs == 1 ? -score[0]
                   : i == label ? score[next]
                   : i == next  ? score[label]
                                : score[i];
    assert_true(fabs(loss_of(model, other, next, 0) - loss) <= 1e-12);
}

static void losses(const Variant *variant)
{
    Random random = clv_random(11, 0);

    if (!variant->method->inference->loss) {
        say_skipped(variant, "has no loss");
        return;
    }
    for (uint32_t classes = 2; classes <= 4; classes += 2) {
        bool numbers = is_regression(variant);
        Table table = {0};
        Model *model;

        if (classes > 2 && (numbers || !(variant->method->tasks & CLEAVE_TASK_MULTICLASS)))
            continue;
        make_data(variant, &table, 40, classes, RANDOM_ONES, 5);
        model = train_table(variant, &table, 1);
        for (int i = 0; i < 200; i++)
            (numbers ? losses_of_numbers : losses_of_classes)(model, &random);
        cleave_model_free(model);
        table_free(&table);
    }
}

static void losses_follow_the_scores(void **state)
{
    each_variant(*state, losses);
}

enum { MANY = 260 }; /* classes: label numbers of two bytes */

/* Parameters that determine how classes are distinguished. The others are tested with this number
 * of classes only with CLEAVE_LONG. */
static bool decides_classes(const Variant *variant)
{
    static const char *const names[] = {"solver", "multiclass", "form", "update",
                                        "loss",   "index",      "vote"};

    for (size_t i = 0; variant->changed && i < sizeof names / sizeof *names; i++)
        if (strcmp(variant->changed->name, names[i]) == 0)
            return true;
    return !variant->changed;
}

static void many(const Variant *variant)
{
    Answers *answers = some(1, sizeof *answers);
    Table table = {0};
    Model *model;

    if (!(variant->method->tasks & CLEAVE_TASK_MULTICLASS)) {
        say_skipped(variant, "not for many classes");
    } else if (promised(variant, ABSTAINS)) {
        say_skipped(variant, "it abstains by default");
    } else if (!decides_classes(variant) && !how_many(0, 1)) {
        say_skipped(variant, "few classes tell as much; CLEAVE_LONG=1 tries many");
    } else if (promised(variant, WEAK)) {
        say_skipped(variant, "thirty rounds or epochs cannot name all these classes");
    } else if (promised(variant, SEQUENCES)) {
        say_skipped(variant, "rows that differ by their columns alone are the same to it");
    } else {
        for (uint32_t i = 0; i < MANY; i++) {
            table_row(&table, i);
            table_cell(&table, i, 1);
        }
        model = train_public(variant, &table);
        assert_int_equal(cleave_model_label_count(model), MANY);
        assert_string_equal(cleave_model_label(model, MANY - 1), "c259");
        assert_null(cleave_model_positive(model));
        answer(model, &table, false, answers);
        /* Each class has its own feature. With one row each, a strong penalty and a stochastic
         * solver leave small differences between classes; most must be right. */
        assert_true(answers->correct >= (is_inexact(variant) ? MANY * 2 / 3 : MANY));
        cleave_model_free(model);
    }
    table_free(&table);
    free(answers);
}

static void many_classes(void **state)
{
    each_variant(*state, many);
}

/* `none` is predicted if no class has a score of at least 0, and only on request. */
static void nothing(const Variant *variant)
{
    Answers *asked = some(1, sizeof *asked), *plain = some(1, sizeof *plain);
    Table table = {0};
    Model *model;

    if (!(variant->method->tasks & CLEAVE_TASK_MULTICLASS)) {
        say_skipped(variant, "not for many classes");
    } else if (promised(variant, ABSTAINS)) {
        say_skipped(variant, "it abstains by default");
    } else {
        double *scores;

        make_table(&table, 150, 5, RANDOM_ONES, 5);
        model = train_public(variant, &table);
        scores = scores_of(model, &table);
        answer(model, &table, true, asked);
        answer(model, &table, false, plain);
        assert_int_equal(plain->none, 0);
        for (size_t i = 0; i < table.rows; i++) {
            double best = scores[5 * i];

            for (size_t j = 1; j < 5; j++)
                best = scores[5 * i + j] > best ? scores[5 * i + j] : best;
            assert_string_equal(asked->labels[i], best < 0 ? "none" : plain->labels[i]);
        }
        if (asked->none == 0)
            say_skipped(variant, "no row was without a class");
        free(scores);
        cleave_model_free(model);
    }
    table_free(&table);
    free(asked);
    free(plain);
}

static void none_of_the_classes(void **state)
{
    each_variant(*state, nothing);
}

static Status refused_training(const Variant *variant, const Table *table, bool skip_unlabeled,
                               cleave_error *error)
{
    Dataset *dataset = table_built(variant->context, table, 16);
    RunOptions options = run_options(2);
    Report *report = NULL;
    Model *model = NULL;
    Status status;

    options.skip_unlabeled = skip_unlabeled;
    status = clv_train(
        variant->context,
        &(Job){.method = variant->method, .method_options = variant->options, .options = &options},
        dataset, &model, &report, error);
    assert_true((status == OK) == (model != NULL));
    cleave_model_free(model);
    if (report)
        cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    return status;
}

/* Rows without a label are points like others, but a model of them cannot predict. */
static void labels_that_need_not_be(const Variant *variant)
{
    Table table = {0}, none = {0};
    cleave_error error;
    Dataset *dataset;
    double score[60];
    Block block;
    Model *model;

    make_table(&table, 60, 2, RANDOM_ONES, 9);
    table.row[33].label = table.row[59].label = UNLABELED;
    dataset = table_built(variant->context, &table, 60);
    model = train_table(variant, &table, 3);
    assert_int_equal(model->rows, 60);
    assert_int_equal(clv_dataset_block(dataset, 0, &block, &error), OK);
    assert_int_equal(variant->method->inference->predict(model, &block, score, &error),
                     CLEAVE_ERROR_USAGE);
    assert_int_equal(refused_training(variant, &none, false, &error), CLEAVE_ERROR_DATA);
    cleave_model_free(model);
    clv_dataset_free(dataset);
    table_free(&table);
    table_free(&none);
}

static void bad_labels(const Variant *variant)
{
    Table table = {0}, fewer = {0}, one = {0};
    RunOptions options = run_options(3);
    cleave_error error;
    Dataset *dataset;
    Model *a, *b;

    if (method_accepts_unlabeled(variant->method, variant->options)) {
        labels_that_need_not_be(variant);
        return;
    }
    make_table(&table, 60, 2, RANDOM_ONES, 9);
    table.row[33].label = table.row[59].label = UNLABELED;
    assert_int_equal(refused_training(variant, &table, false, &error), CLEAVE_ERROR_DATA);
    assert_says(&error, "row 34");
    assert_int_equal(refused_training(variant, &table, true, &error), OK);
    for (size_t i = 0; i < table.rows; i++)
        if (table.row[i].label != UNLABELED)
            table_copy_row(&fewer, &table, i);
    options.skip_unlabeled = true;
    dataset = table_built(variant->context, &table, 16);
    a = train_with(variant, dataset, &options);
    b = train_table(variant, &fewer, 3);
    assert_same_answers(a, b, &table);
    assert_int_equal(a->rows, 58);
    for (size_t i = 0; i < 5; i++) {
        table_row(&one, 0);
        table_cell(&one, (uint32_t)i, 1);
    }
    assert_int_equal(refused_training(variant, &one, false, &error), CLEAVE_ERROR_DATA);
    assert_says(&error, "c0");
    for (size_t i = 0; i < one.rows; i++)
        one.row[i].label = UNLABELED;
    one.label_count = 0;
    assert_int_equal(refused_training(variant, &one, true, &error), CLEAVE_ERROR_DATA);
    one.rows = one.cells = 0;
    assert_int_equal(refused_training(variant, &one, true, &error), CLEAVE_ERROR_DATA);
    cleave_model_free(a);
    cleave_model_free(b);
    clv_dataset_free(dataset);
    table_free(&table);
    table_free(&fewer);
    table_free(&one);
}

static void labels_that_are_missing(void **state)
{
    each_variant(*state, bad_labels);
}

static void no_work(void *user, uint32_t task, unsigned worker)
{
    (void)user;
    (void)task;
    (void)worker;
}

/* All memory is freed, and a model outlives its data. Threads belong to the context, from the first
 * call that uses them. */
static void memory(const Variant *variant)
{
    TestMemory counted = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &counted, .threads = 2});
    long long before;
    Variant other = *variant;
    Table table = {0};
    Model *model;

    clv_pool_run(context, 2, no_work, NULL);
    before = atomic_load(&counted.live);
    other.context = context;
    make_data(variant, &table, 100, 3, RANDOM_EIGHTHS, 2);
    if (!is_regression(variant) && !(variant->method->tasks & CLEAVE_TASK_MULTICLASS))
        for (size_t i = 0; i < table.rows; i++)
            table.row[i].label %= 2;
    model = train_public(&other, &table);
    free(scores_of(model, &table));
    assert_true(atomic_load(&counted.live) > before);
    cleave_model_free(model);
    assert_int_equal(atomic_load(&counted.live), before);
    cleave_context_free(context);
    assert_int_equal(atomic_load(&counted.live), 0);
    table_free(&table);
}

static void memory_is_given_back(void **state)
{
    each_variant(*state, memory);
}

/* ---- what some methods take only ------------------------------------------------------------- */

/* Targets are numeric labels, or numbers if they are too many for labels. */
static void numbers(const Variant *variant, const Table *table)
{
    Table other = *table;
    Model *a, *b;

    other.numbers = true;
    a = train_table(variant, table, 3);
    b = train_table(variant, &other, 3);
    assert_same_model(a, b);
    cleave_model_free(a);
    cleave_model_free(b);
}

static void numbers_each(const Variant *variant)
{
    if (is_regression(variant))
        each_table(variant, numbers);
    else
        say_skipped(variant, "it tells classes apart");
}

static void numbers_are_labels(void **state)
{
    each_variant(*state, numbers_each);
}

/* Values that a method does not support are refused with their position before it receives them. */
static void values(const Variant *variant)
{
    cleave_error error;
    Table table = {0};

    if (!(variant->method->behavior & METHOD_BINARY_FEATURES)) {
        say_skipped(variant, "it takes any numbers");
        return;
    }
    make_table(&table, 40, 2, RANDOM_ONES, 3);
    assert_int_equal(refused_training(variant, &table, false, &error), OK);
    assert_true(table.row[30].count > 0);
    table.cell[table.row[30].start].value = 2;
    assert_int_equal(refused_training(variant, &table, false, &error), CLEAVE_ERROR_DATA);
    assert_says(&error, "row 31");
    assert_says(&error, "has the value 2");
    table_free(&table);
}

static void values_not_taken_are_refused(void **state)
{
    each_variant(*state, values);
}

/* ---- the list -------------------------------------------------------------------------------- */

static size_t files_seen, methods_seen;

/* The name behind "const Method clv_method_" wherever it is defined in the file. */
static void look_into(const char *path)
{
    static const char phrase[] = "const Method clv_method_";
    char *text = test_read_file(path, NULL);

    assert_non_null(text);
    files_seen++;
    for (const char *at = strstr(text, phrase); at; at = strstr(at + 1, phrase)) {
        const char *name = at + sizeof phrase - 1, *stop = name;
        bool listed = false;

        if (at >= text + 7 && strncmp(at - 7, "extern ", 7) == 0)
            continue;
        while (*stop == '_' || (*stop >= 'a' && *stop <= 'z') || (*stop >= '0' && *stop <= '9'))
            stop++;
        methods_seen++;
        for (size_t i = 0; clv_methods[i]; i++) {
            const char *known = clv_methods[i]->name;
            size_t j = 0;

            while (known[j] && (known[j] == '-' ? '_' : known[j]) == name[j])
                j++;
            listed |= known[j] == '\0' && name + j == stop;
        }
        if (!listed)
            print_error("%s: '%.*s' is not in src/learn/methods.c\n", path, (int)(stop - name),
                        name);
        assert_true(listed);
    }
    free(text);
}

static void look_under(const char *path)
{
    DIR *folder = opendir(path);

    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char inside[TEST_PATH_SIZE];
        struct stat facts;
        size_t length = strlen(entry->d_name);

        if (entry->d_name[0] == '.')
            continue;
        test_join(inside, path, entry->d_name);
        assert_int_equal(stat(inside, &facts), 0);
        if (S_ISDIR(facts.st_mode))
            look_under(inside);
        else if (length > 2 && strcmp(entry->d_name + length - 2, ".c") == 0)
            look_into(inside);
    }
    closedir(folder);
}

static void every_method_is_listed(void **state)
{
    char path[TEST_PATH_SIZE];

    (void)state;
    look_under(test_tree_path(path, "src/learn"));
    assert_true(files_seen > 0);
    assert_int_equal(methods_seen, cleave_method_count());
    for (size_t i = 0; clv_methods[i]; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(clv_methods[i]->name, clv_methods[j]->name);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    CMUnitTestFunction run;
    bool any_row; /* applies to methods whose rows may have any features */
} clauses[] = {
    {"the descriptor is complete", descriptor_is_complete, false},
    {"parameters are sane", parameters_are_sane, false},
    {"save and load is identity", save_and_load_is_identity, false},
    {"rounds add up", rounds_add_up, false},
    {"sparse is dense", forms_of_rows_do_not_matter, false},
    {"one block is many", blocks_do_not_matter, false},
    {"wide rows are rows", wide_rows_are_rows, true},
    {"a stream is one round", stream_is_one_round, false},
    {"scores are those of the model", scores_are_those_of_the_model, false},
    {"streams go on", streams_go_on, false},
    {"classes may appear", classes_may_appear, false},
    {"rounds made by many", rounds_made_by_many, false},
    {"threads do not matter", threads_do_not_matter, false},
    {"weight two is the row twice", weight_two_is_the_row_twice, true},
    {"order matters as stated", order_matters_as_stated, true},
    {"strange rows are answered", strange_rows_are_answered, true},
    {"rows without features are rows", rows_without_features_are_rows, true},
    {"names of classes do not matter", names_of_classes_do_not_matter, false},
    {"losses follow the scores", losses_follow_the_scores, false},
    {"many classes", many_classes, false},
    {"none of the classes", none_of_the_classes, false},
    {"labels that are missing", labels_that_are_missing, true},
    {"memory is given back", memory_is_given_back, false},
    {"numbers are labels", numbers_are_labels, false},
    {"values not taken are refused", values_not_taken_are_refused, false},
};
enum { CLAUSES = sizeof clauses / sizeof *clauses };

/* contract [PART PARTS]: every PARTS-th method from PART on, so that ctest can run the parts in
 * parallel; otherwise all. */
int main(int argc, char **argv)
{
    size_t methods = cleave_method_count(), count = 0;
    size_t part = argc == 3 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
    size_t parts = argc == 3 ? (size_t)strtoul(argv[2], NULL, 10) : 1;
    struct CMUnitTest *tests = calloc(methods * CLAUSES + 1, sizeof *tests);
    char(*names)[96] = calloc(methods * CLAUSES + 1, sizeof *names);
    int failed;

    if (!tests || !names)
        return EXIT_FAILURE;
    if (part == 0)
        tests[count++] = (struct CMUnitTest){.name = "every method is listed",
                                             .test_func = every_method_is_listed};
    for (size_t i = part; i < methods && parts; i += parts)
        for (size_t j = 0; j < CLAUSES; j++) {
            if (clauses[j].any_row && rates(clv_methods[i]))
                continue;
            snprintf(names[count], sizeof *names, "%s: %s", clv_methods[i]->name, clauses[j].name);
            tests[count] = (struct CMUnitTest){.name = names[count],
                                               .test_func = clauses[j].run,
                                               .initial_state = (void *)(uintptr_t)clv_methods[i]};
            count++;
        }
    failed = _cmocka_run_group_tests("contract", tests, count, NULL, NULL);
    free(tests);
    free(names);
    return failed;
}
