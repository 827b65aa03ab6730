/*
 * Models (src/model/model.c, file.c, registry.c) and the shared code of linear methods
 * (src/learn/linear/linear.c, voted.c): decisions, inspection, and refusal of inconsistent arrays.
 */
#include "property/table.h"

#include "learn/linear/linear.h"
#include "learn/linear/voted.h"
#include "model/registry.h"
#include "support/reload.h"
#include "support/support.h"

#include <math.h>

/* ---- deciding -------------------------------------------------------------------------------- */

static Model *model_with(Context *context, uint32_t classes, uint32_t features)
{
    cleave_error error = {0};
    const Method *method;
    Model *model;

    FINE(clv_method_find("perceptron", &method, &error));
    FINE(clv_model_new(context, method, &model, &error));
    for (uint32_t i = 0; i < classes; i++) {
        char text[16];
        uint32_t number;

        snprintf(text, sizeof text, "class%u", i);
        FINE(clv_labels_add(&model->labels, text, strlen(text), &number, &error));
    }
    model->positive = classes > 1 ? 1 : 0;
    model->features = features;
    return model;
}

static void scores_decide(void **state)
{
    Context *context = new_context(1);
    Model *two = model_with(context, 2, 1), *four = model_with(context, 4, 1);

    (void)state;
    assert_int_equal(clv_model_decide(two, (const double[]){0.1}, false), 1);
    assert_int_equal(clv_model_decide(two, (const double[]){0}, false),
                     0); /* positive when above 0 */
    /* of two classes, one is always predicted */
    assert_int_equal(clv_model_decide(two, (const double[]){-3}, true), 0);
    two->positive = 0;
    assert_int_equal(clv_model_decide(two, (const double[]){0.1}, false), 0);
    assert_int_equal(clv_model_decide(two, (const double[]){-0.1}, false), 1);
    assert_int_equal(clv_model_decide(four, (const double[]){1, 3, 2, 3}, false),
                     1); /* equal scores: the first class */
    assert_int_equal(clv_model_decide(four, (const double[]){-4, -3, -2, -3}, false), 2);
    assert_int_equal(clv_model_decide(four, (const double[]){-4, -3, -2, -3}, true), UNLABELED);
    assert_int_equal(clv_model_decide(four, (const double[]){-4, 0, -2, -3}, true),
                     1); /* none: below 0 */
    cleave_model_free(two);
    cleave_model_free(four);
    cleave_model_free(NULL);
    cleave_context_free(context);
}

static void methods_are_found(void **state)
{
    cleave_error error = {0};
    const Method *method;

    (void)state;
    FINE(clv_method_find("perceptron", &method, &error));
    assert_string_equal(method->name, "perceptron");
    assert_int_equal(clv_method_find("perceptorn", &method, &error), CLEAVE_ERROR_USAGE);
    assert_says(&error, "did you mean 'perceptron'");
    assert_int_equal(clv_method_find("zebra", &method, &error), CLEAVE_ERROR_USAGE);
    assert_null(strstr(error.message, "did you mean"));
}

static void numbers_fit_their_buffers(void **state)
{
    Fit fit = {0};

    (void)state;
    for (int i = 0; i < 100; i++)
        clv_figure(&fit, "a", i);
    assert_int_equal(fit.result.figure_count,
                     sizeof fit.result.figures / sizeof *fit.result.figures);
    assert_true(fit.result.figures[3].value == 3);
}

/* ---- linear.c -------------------------------------------------------------------------------- */

static void separators_grow(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Encoded encoded;
    Linear linear;
    double scores[3], weights[12], thresholds[3];

    (void)state;
    table_row(&table, 0);
    table_cell(&table, 0, 1);
    table_cell(&table, 3, 2);
    encode(&table, 0, 1, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    FINE(clv_linear_init(&linear, context, 0, 3, &error));
    FINE(clv_linear_reserve(&linear, 4, &error));
    clv_linear_add(&linear, 1, 0.5, &encoded.block, 0, true);
    clv_linear_add(&linear, 2, -1, &encoded.block, 0, false);
    linear_scores(&linear, &encoded.block, 0, scores);
    assert_true(scores[0] == 0 && scores[1] == 3 && scores[2] == -5);
    clv_linear_look(&linear, 2, weights, thresholds);
    assert_true(weights[1 * 4 + 0] == 1 && weights[1 * 4 + 3] == 2 && weights[2 * 4 + 3] == -4 &&
                weights[0] == 0);
    assert_true(thresholds[0] == 0 && thresholds[1] == -1 && thresholds[2] == 0);
    /* existing weights are kept, and new ones are 0 */
    FINE(clv_linear_reserve(&linear, 1000, &error));
    linear_scores(&linear, &encoded.block, 0, scores);
    assert_true(scores[1] == 3);
    for (size_t i = 12; i < 3000; i++)
        assert_true(linear.w[i] == 0);
    assert_true(clv_linear_finite(&linear));
    linear.w[2999] = INFINITY;
    assert_false(clv_linear_finite(&linear));
    linear.w[2999] = 0;
    linear.intercept[2] = NAN;
    assert_false(clv_linear_finite(&linear));
    assert_int_equal(clv_linear_overflow(&error), CLEAVE_ERROR_DATA);
    clv_linear_free(&linear);
    clv_linear_free(&linear);
    encoded_free(&encoded);
    table_free(&table);
    cleave_context_free(context);
}

/* R, gamma and the bound by hand: w (3, 4), theta 5, points (3, 4)+ and (0, 0)-. */
static void margins_by_hand(void **state)
{
    static const float w[] = {3, 4};
    Context *context = new_context(1);
    cleave_error error = {0};
    Table table = {0};
    Margin margin = {0};
    Fit fit = {0};
    Encoded encoded;
    Linear linear;

    (void)state;
    table_row(&table, 1);
    table_cell(&table, 0, 3);
    table_cell(&table, 1, 4);
    table_row(&table, 0);
    table_row(&table, UNLABELED);
    table_cell(&table, 1, 100);
    encode(&table, 0, 3, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    FINE(clv_linear_init(&linear, context, 2, 1, &error));
    memcpy(linear.w, w, sizeof w);
    linear.intercept[0] = -5;
    clv_margin_add(&margin, &linear, &encoded.block, 1, true);
    clv_margin_report(&margin, 2, true, &fit);
    assert_string_equal(fit.result.figures[0].name, "mistake_bound");
    assert_float_equal(fit.result.figures[0].value, 26.0 / (25.0 / 50),
                       1e-9); /* R^2 = 25 + 1, gamma^2 = 5^2 / (25 + 25) */
    for (size_t i = 0; i < fit.result.figure_count; i++) {
        if (strcmp(fit.result.figures[i].name, "margin") == 0 ||
            strcmp(fit.result.figures[i].name, "origin_distance") == 0)
            assert_float_equal(fit.result.figures[i].value, 1, 1e-12);
        if (strcmp(fit.result.figures[i].name, "weight_length") == 0)
            assert_float_equal(fit.result.figures[i].value, 10, 1e-12);
    }
    clv_linear_free(&linear);
    encoded_free(&encoded);
    table_free(&table);
    cleave_context_free(context);
}

/* ---- models from outside --------------------------------------------------------------------- */

static Model *sound_model(Context *context, bool votes)
{
    static const float weights[] = {1, 2, 3}, values[] = {1, 1}, steps[] = {1, -1};
    static const uint32_t columns[] = {0, 2}, outputs[] = {0, 0};
    static const uint64_t ends[] = {1, 2}, survived[] = {3, 4};
    static const double scale = 0.5, intercept = -1;
    Model *model = model_with(context, 2, 3);
    cleave_error error = {0};

    FINE(clv_bundle_put(model->bundle, "weights", BUNDLE_F32, weights, 3, &error));
    FINE(clv_bundle_put(model->bundle, "scale", BUNDLE_F64, &scale, 1, &error));
    FINE(clv_bundle_put(model->bundle, "bias", BUNDLE_F64, &intercept, 1, &error));
    if (votes) {
        FINE(clv_bundle_put(model->bundle, "vote_columns", BUNDLE_U32, columns, 2, &error));
        FINE(clv_bundle_put(model->bundle, "vote_values", BUNDLE_F32, values, 2, &error));
        FINE(clv_bundle_put(model->bundle, "vote_ends", BUNDLE_U64, ends, 2, &error));
        FINE(clv_bundle_put(model->bundle, "vote_steps", BUNDLE_F32, steps, 2, &error));
        FINE(clv_bundle_put(model->bundle, "vote_outputs", BUNDLE_U32, outputs, 2, &error));
        FINE(clv_bundle_put(model->bundle, "vote_survived", BUNDLE_U64, survived, 2, &error));
        FINE(clv_bundle_put_number(model->bundle, "vote_threshold", 0, &error));
    }
    return model;
}

/* Through bytes, as from a file. */
static Status reload(const Model *model, cleave_error *error)
{
    Buffer bytes = {0};
    Model *loaded = NULL;
    Status status = clv_model_to_bytes(model, &bytes, error);

    assert_int_equal(status, OK);
    status = clv_model_from_bytes(model->context, "file", bytes.data, bytes.size, &loaded, error);
    if (status == OK) {
        cleave_prediction answer;

        assert_fine(cleave_predict_row(loaded, 2, (const uint32_t[]){0, 2}, (const float[]){1, 1},
                                       &answer, error),
                    error);
    }
    cleave_model_free(loaded);
    clv_free(model->context, bytes.data);
    return status;
}

/* The same, with one item of the file replaced. */
static Status reload_with(const Model *model, const BundleItem *item, cleave_error *error)
{
    Model *loaded;
    Status status = reload_with_item(model, item, &loaded, error);

    cleave_model_free(loaded);
    return status;
}

static void arrays_that_do_not_fit_are_refused(void **state)
{
    static const float three[] = {1, 2, NAN}, infinite[] = {INFINITY, 1};
    static const double wrong_intercept[] = {1, 2}, not_finite = NAN;
    static const uint32_t far_columns[] = {0, 3}, far_outputs[] = {0, 1};
    static const uint64_t wrong_ends[] = {2, 1}, far_ends[] = {1, 9}, short_ends[] = {1, 1};
    static const struct {
        const char *name;
        BundleType type;
        const void *data;
        uint64_t count;
        bool votes;
    } faults[] = {{"weights", BUNDLE_F32, three, 3, false},
                  {"weights", BUNDLE_F32, three, 2, false},
                  {"weights", BUNDLE_U32, far_columns, 2, false},
                  {"scale", BUNDLE_F64, wrong_intercept, 2, false},
                  {"scale", BUNDLE_F64, &not_finite, 1, false},
                  {"bias", BUNDLE_F64, wrong_intercept, 2, false},
                  {"bias", BUNDLE_F64, &not_finite, 1, false},
                  {"vote_columns", BUNDLE_U32, far_columns, 2, true},
                  {"vote_columns", BUNDLE_U32, far_columns, 1, true},
                  {"vote_values", BUNDLE_F32, infinite, 2, true},
                  {"vote_steps", BUNDLE_F32, infinite, 2, true},
                  {"vote_outputs", BUNDLE_U32, far_outputs, 2, true},
                  {"vote_ends", BUNDLE_U64, wrong_ends, 2, true},
                  {"vote_ends", BUNDLE_U64, far_ends, 2, true},
                  {"vote_ends", BUNDLE_U64, short_ends, 2, true},
                  {"vote_survived", BUNDLE_U64, far_ends, 1, true},
                  {"vote_threshold", BUNDLE_F32, three, 1, true}};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (int votes = 0; votes < 2; votes++) {
        Model *model = sound_model(context, votes);

        FINE(reload(model, &error));
        cleave_model_free(model);
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        Model *model = sound_model(context, faults[i].votes);
        Buffer bytes = {0};

        assert_int_equal(reload_with(model,
                                     &(BundleItem){.name = (char *)(uintptr_t)faults[i].name,
                                                   .type = faults[i].type,
                                                   .data = faults[i].data,
                                                   .count = faults[i].count},
                                     &error),
                         CLEAVE_ERROR_FORMAT);
        assert_says(&error, "file: the model is corrupt");
        FINE(clv_bundle_put(model->bundle, faults[i].name, faults[i].type, faults[i].data,
                            faults[i].count, &error));
        assert_int_equal(clv_model_to_bytes(model, &bytes, &error), CLEAVE_ERROR_DATA);
        assert_null(bytes.data);
        cleave_model_free(model);
    }
    {
        Model *model = sound_model(context, false);

        model->positive = 2;
        assert_int_equal(reload(model, &error), CLEAVE_ERROR_FORMAT);
        model->positive = 1;
        assert_int_equal(reload_with(model,
                                     &(BundleItem){.name = (char[]){"m.features"},
                                                   .type = BUNDLE_U64,
                                                   .data = &(const uint64_t){4},
                                                   .count = 1},
                                     &error),
                         CLEAVE_ERROR_FORMAT);
        model->names.implicit = false; /* and has no names */
        assert_int_equal(reload(model, &error), CLEAVE_ERROR_FORMAT);
        cleave_model_free(model);
    }
    cleave_context_free(context);
}

/* Parameters have the kinds and ranges of the method's table, occur once, and are not `auto` if
 * a run chooses them. */
static void parameters_are_checked(void **state)
{
    static const struct {
        const char *method, *params;
        size_t size;
        bool fine;
    } models[] = {
#define PARAMS(texts) (texts), sizeof(texts)
        {"svm", PARAMS("solver\0dcd"), true},
        {"svm", PARAMS("solver\0auto"), false},
        {"svm",
         PARAMS("C\0"
                "0.5\0solver\0sgd"),
         true},
        {"svm", PARAMS("C\0-1\0solver\0sgd"), false},
        {"svm", PARAMS("solver\0sgd\0solver\0sgd"), false},
        {"svm", PARAMS("solver\0steepest"), false},
        {"svm", PARAMS("solver\0sgd\0no_bias\0maybe"), false},
        {"svm", PARAMS("solver\0sgd\0of_the_future\0yes"), true},
        {"knn",
         PARAMS("k\0"
                "3"),
         true},
        {"knn",
         PARAMS("k\0"
                "1e300"),
         false},
        {"knn", PARAMS("distance\0warped"), false},
        {"tree", PARAMS("depth\0-1"), false},
#undef PARAMS
    };
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        BundleItem params = {.name = (char[]){"m.params"}, .type = BUNDLE_BYTES};
        cleave_data *data;
        Model *model;

        params.data = models[i].params;
        params.count = models[i].size;
        FINE(cleave_open(context, "@dogs", NULL, &data, &error));
        FINE(cleave_train(context, models[i].method, data, NULL, NULL, &model, NULL, &error));
        assert_int_equal(reload_with(model, &params, &error),
                         models[i].fine ? OK : CLEAVE_ERROR_FORMAT);
        if (!models[i].fine)
            assert_says(&error, "file: the model is corrupt");
        cleave_model_free(model);
        cleave_data_free(data);
    }
    cleave_context_free(context);
}

/* Weights of another method have another type. */
static void spliced_weights_are_refused(void **state)
{
    Context *context = new_context(1);
    Model *model = sound_model(context, false);
    double weights[3] = {1, 2, 3};
    cleave_error error = {0};

    (void)state;
    assert_int_equal(clv_bundle_get(model->bundle, "weights", BUNDLE_F32)->count, 3);
    assert_int_equal(reload_with(model,
                                 &(BundleItem){.name = (char[]){"weights"},
                                               .type = BUNDLE_F64,
                                               .data = weights,
                                               .count = 3},
                                 &error),
                     CLEAVE_ERROR_FORMAT);
    cleave_model_free(model);
    cleave_context_free(context);
}

/* An entry that is listed twice in the directory: one could be checked and the other one used. */
static void double_entries_are_refused(void **state)
{
    Context *context = new_context(1);
    Bundle *bundle, *parsed = NULL;
    Buffer bytes = {0};
    cleave_error error = {0};
    uint32_t version;

    (void)state;
    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_bundle_put_number(bundle, "one", 1, &error));
    FINE(clv_bundle_put_number(bundle, "two", 2, &error));
    memcpy(bundle->item[1].name, "one", 4);
    FINE(clv_bundle_write(bundle, "CLVMODEL", 1, &bytes, &error));
    assert_int_equal(clv_bundle_parse(context, "file", "CLVMODEL", 1, bytes.data, bytes.size,
                                      &parsed, &version, &error),
                     CLEAVE_ERROR_FORMAT);
    assert_null(parsed);
    clv_bundle_free(bundle);
    clv_free(context, bytes.data);
    cleave_context_free(context);
}

/* A method that this version does not have. */
static void methods_of_the_future(void **state)
{
    Method strange;
    Context *context = new_context(1);
    Model *model = sound_model(context, false);
    cleave_error error = {0};

    (void)state;
    strange = *model->method;
    strange.name = "telepathy";
    model->method = &strange;
    assert_int_equal(reload(model, &error), CLEAVE_ERROR_FORMAT);
    assert_says(&error, "telepathy");
    assert_says(&error, cleave_version());
    cleave_model_free(model);
    cleave_context_free(context);
}

static void model_files(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    Model *model = sound_model(context, true), *loaded;
    cleave_error error = {0};
    size_t outputs;

    (void)state;
    test_join(path, test_folder_new(folder), "a.model");
    FINE(cleave_save(model, path, &error));
    assert_int_equal(test_folder_count(folder), 1);
    FINE(cleave_load(context, path, &loaded, &error));
    assert_true(cleave_model_is_linear(loaded, &outputs));
    assert_int_equal(outputs, 1);
    assert_true(cleave_model_weight(loaded, 0, 2) == 1.5);
    assert_true(cleave_model_weight(loaded, 0, 3) == 0);
    assert_true(cleave_model_weight(loaded, 1, 0) == 0);
    assert_true(cleave_model_threshold(loaded, 0) == 1);
    cleave_model_free(loaded);
    assert_int_equal(cleave_load(context, folder, &loaded, &error), CLEAVE_ERROR_IO);
    assert_null(loaded);
    test_join(path, folder, "none.model");
    assert_int_equal(cleave_load(context, path, &loaded, &error), CLEAVE_ERROR_IO);
    assert_says(&error, "none.model");
    test_write_text(path, "");
    assert_int_equal(cleave_load(context, path, &loaded, &error), CLEAVE_ERROR_FORMAT);
    assert_says(&error, "empty");
    test_write_text(path, "+1 1:1 2:2\n-1 3:1\n");
    assert_int_equal(cleave_load(context, path, &loaded, &error), CLEAVE_ERROR_FORMAT);
    assert_says(&error, "+1 1:1 2");
    test_join(path, folder, "no/such/folder.model");
    assert_int_equal(cleave_save(model, path, &error), CLEAVE_ERROR_IO);
    cleave_model_free(model);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* Allocated bytes, and their maximum. Growing counts as a copy, which it may be. */
typedef struct {
    size_t live, peak;
} Bytes;

static void *allocate_counted(void *user, void *old, size_t size)
{
    Bytes *bytes = user;
    size_t *was = old ? (size_t *)old - 2 : NULL, *made = NULL;

    if (size) {
        made = malloc(2 * sizeof *made + size); /* two: what follows stays aligned */
        if (!made)
            return NULL;
        *made = size;
        bytes->live += size;
        bytes->peak = bytes->live > bytes->peak ? bytes->live : bytes->peak;
        if (was)
            memcpy(made + 2, was + 2, *was < size ? *was : size);
    }
    if (was)
        bytes->live -= *was;
    free(was);
    return made ? made + 2 : NULL;
}

/* Saving makes no second copy of the weights; loading and bytes make one. */
static void large_models_lie_in_memory_once(void **state)
{
    enum { FEATURES = 2000000, SIZE = FEATURES * sizeof(float), SMALL = 1000000 };
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Bytes counted = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = allocate_counted, .user = &counted});
    Model *model = sound_model(context, false), *loaded;
    float *weights = clv_alloc_zero(context, FEATURES, sizeof *weights);
    cleave_error error = {0};
    Buffer bytes = {0};
    size_t before, size;
    char *file;

    (void)state;
    assert_non_null(weights);
    weights[FEATURES - 1] = 5;
    FINE(clv_bundle_take(model->bundle, "weights", BUNDLE_F32, weights, FEATURES, &error));
    model->features = FEATURES;
    test_join(path, test_folder_new(folder), "large.model");

    before = counted.peak = counted.live;
    assert_true(before < SIZE + SMALL);
    FINE(cleave_save(model, path, &error));
    assert_true(counted.peak - before < SMALL);
    assert_int_equal(counted.live, before);

    file = test_read_file(path, &size);
    assert_non_null(file);
    FINE(cleave_load(context, path, &loaded, &error));
    assert_true(cleave_model_weight(loaded, 0, FEATURES - 1) == 2.5);
    assert_true(counted.peak - before < SIZE + SMALL);
    FINE(cleave_save(loaded, path, &error)); /* replaces the file from which it was loaded */
    assert_true(counted.peak - before < SIZE + SMALL);
    cleave_model_free(loaded);
    assert_int_equal(counted.live, before);

    counted.peak = counted.live;
    FINE(clv_model_to_bytes(model, &bytes, &error));
    assert_true(counted.peak - before < SIZE + SMALL);
    assert_int_equal(size, bytes.size);
    assert_int_equal(memcmp(file, bytes.data, size), 0);
    free(file);
    clv_free(context, bytes.data);
    cleave_model_free(model);
    cleave_context_free(context);
    assert_int_equal(counted.live, 0);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_decide),
        cmocka_unit_test(methods_are_found),
        cmocka_unit_test(numbers_fit_their_buffers),
        cmocka_unit_test(separators_grow),
        cmocka_unit_test(margins_by_hand),
        cmocka_unit_test(arrays_that_do_not_fit_are_refused),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(spliced_weights_are_refused),
        cmocka_unit_test(double_entries_are_refused),
        cmocka_unit_test(methods_of_the_future),
        cmocka_unit_test(model_files),
        cmocka_unit_test(large_models_lie_in_memory_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
