/*
 * kernel-svm and kernel-perceptron (src/learn/kernel/) against the values of the documents: hard
 * margins with the linear kernel, soft margins with a free intercept, the kernel perceptron of
 * Exercise 12.2.3, and data that is not separable.
 */
#include "property/table.h"

#include "model/method.h"

#include <math.h>

enum { MOST_FEATURES_HERE = 3, MOST_ROWS = 6 };

typedef struct {
    const char *builtin; /* used instead of the rows */
    size_t rows, features;
    int x[MOST_ROWS][MOST_FEATURES_HERE];
    int y[MOST_ROWS];
} Data;

static const Data square4 = {.builtin = "@square4"}, points5 = {.builtin = "@points5"},
                  points6 = {.builtin = "@points6"};
static const Data exercise_12_2_2 = {
    .rows = 4, .features = 2, .x = {{1, 2}, {2, 1}, {2, 3}, {3, 2}}, .y = {1, 1, -1, -1}};
static const Data exercise_12_2_3 = {
    .rows = 4, .features = 2, .x = {{1, 2}, {2, 3}, {2, 1}, {3, 2}}, .y = {-1, 1, 1, -1}};
static const Data exercise_12_3_2 = {
    .rows = 6,
    .features = 3,
    .x = {{3, 4, 5}, {2, 7, 2}, {5, 5, 5}, {1, 2, 3}, {3, 3, 2}, {2, 4, 1}},
    .y = {1, 1, 1, -1, -1, -1}};
static const Data exercise_12_3_3 = {.rows = 6,
                                     .features = 2,
                                     .x = {{1, 2}, {3, 4}, {5, 2}, {2, 4}, {3, 1}, {7, 3}},
                                     .y = {1, 1, 1, -1, -1, -1}};
/* The same row in both classes. */
static const Data twice = {
    .rows = 3, .features = 2, .x = {{1, 2}, {2, 1}, {1, 2}}, .y = {-1, 1, 1}};

static cleave_data *open_data(cleave_context *context, const Data *data)
{
    cleave_error error;
    cleave_data *opened;

    if (data->builtin) {
        FINE(cleave_open(context, data->builtin, NULL, &opened, &error));
        return opened;
    }
    FINE(cleave_data_new(context, &opened, &error));
    for (size_t row = 0; row < data->rows; row++) {
        uint32_t index[MOST_FEATURES_HERE];
        float value[MOST_FEATURES_HERE];

        for (uint32_t i = 0; i < data->features; i++) {
            index[i] = i;
            value[i] = (float)data->x[row][i];
        }
        FINE(cleave_data_add(opened, data->y[row] > 0 ? "+1" : "-1", data->features, index, value,
                             &error));
    }
    return opened;
}

typedef struct {
    cleave_context *context;
    cleave_model *model;
    cleave_report *report;
    cleave_error error;
} Ran;

/* options: name, value, …, NULL. */
static cleave_code run(Ran *ran, const char *method, const Data *data, const char *const *options)
{
    cleave_options *given;
    cleave_data *opened;
    cleave_error error;
    cleave_code code;

    *ran = (Ran){.context = cleave_context_new(NULL)};
    given = cleave_options_new(ran->context);
    opened = open_data(ran->context, data);
    for (; *options; options += 2)
        FINE(cleave_options_set(given, options[0], options[1], &error));
    code = cleave_train(ran->context, method, opened, NULL, given, &ran->model, &ran->report,
                        &ran->error);
    cleave_options_free(given);
    cleave_data_free(opened);
    return code;
}

static void end(Ran *ran)
{
    cleave_report_free(ran->report);
    cleave_model_free(ran->model);
    cleave_context_free(ran->context);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define EXACT(C) OPTIONS("kernel", "linear", "C", C, "tolerance", "1e-10")

static double figure(const Ran *ran, const char *name)
{
    for (size_t i = 0; i < ran->report->statistic_count; i++)
        if (strcmp(ran->report->statistics[i].name, name) == 0)
            return ran->report->statistics[i].value;
    print_error("no figure '%s'\n", name);
    fail();
    return 0;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-6))
        print_error("found %.17g, expected %.17g\n", found, expected);
    assert_true(fabs(found - expected) <= 1e-6);
}

static void assert_linear(const Ran *ran, const double *w, size_t features, double intercept)
{
    for (size_t i = 0; i < features; i++)
        assert_near(cleave_model_weight(ran->model, 0, i), w[i]);
    assert_near(-cleave_model_threshold(ran->model, 0), intercept);
    assert_true(ran->report->converged);
}

#define LINEAR(ran, intercept, ...)                                                                \
    assert_linear((ran), (const double[]){__VA_ARGS__},                                            \
                  sizeof((const double[]){__VA_ARGS__}) / sizeof(double), intercept)

static const double *array(const Ran *ran, const char *name, size_t count)
{
    const BundleItem *item = clv_bundle_get(ran->model->bundle, name, BUNDLE_F64);

    assert_non_null(item);
    assert_int_equal(item->count, count);
    return item->data;
}

static void hard_margins(void **state)
{
    Ran ran;

    (void)state;
    assert_fine(run(&ran, "kernel-svm", &square4, EXACT("inf")), &ran.error);
    LINEAR(&ran, 0, -1, 1);
    assert_near(figure(&ran, "margin"), sqrt(0.5));
    assert_int_equal(figure(&ran, "support_vectors"), 4);
    end(&ran);
    assert_fine(run(&ran, "kernel-svm", &points6, EXACT("inf")), &ran.error);
    LINEAR(&ran, -3, 0, 2);
    assert_near(figure(&ran, "margin"), 0.5);
    end(&ran);
    assert_fine(run(&ran, "kernel-svm", &exercise_12_2_2, EXACT("inf")), &ran.error);
    LINEAR(&ran, 4, -1, -1);
    end(&ran);
    assert_fine(run(&ran, "kernel-svm", &exercise_12_3_2, EXACT("inf")), &ran.error);
    LINEAR(&ran, -3.5, 0, 0.5, 0.5);
    assert_near(figure(&ran, "margin"), sqrt(2));
    assert_near(figure(&ran, "primal"), 0.25);
    assert_int_equal(figure(&ran, "support_vectors"), 5);
    end(&ran);
}

static void hard_margin_of_points5(void **state)
{
    const double *alpha;
    Ran ran;

    (void)state;
    assert_fine(run(&ran, "kernel-svm", &points5, EXACT("inf")), &ran.error);
    LINEAR(&ran, -6, 1, 2.0 / 3);
    assert_near(figure(&ran, "margin"), 0.8320502943378437);
    assert_near(figure(&ran, "primal"), 13.0 / 18);
    assert_near(figure(&ran, "dual"), 13.0 / 18);
    assert_int_equal(figure(&ran, "support_vectors"), 3);
    alpha = array(&ran, "alpha", 3); /* of B, D, E, with their signs */
    assert_near(alpha[0], -13.0 / 18);
    assert_near(alpha[1], 2.0 / 9);
    assert_near(alpha[2], 0.5);
    end(&ran);
    assert_fine(run(&ran, "kernel-svm", &points5, EXACT("13/18")),
                &ran.error); /* the smallest C with the same result */
    LINEAR(&ran, -6, 1, 2.0 / 3);
    end(&ran);
}

/* The documents' f is n C times the primal value, which is λ/2 ‖w‖² + mean hinge. */
static void soft_margins(void **state)
{
    Ran ran;

    (void)state;
    assert_fine(run(&ran, "kernel-svm", &exercise_12_3_3, EXACT("1")), &ran.error);
    LINEAR(&ran, 0.6, -0.4, 0.4);
    assert_near(6 * figure(&ran, "primal"), 124.0 / 25);
    assert_near(figure(&ran, "lambda"), 1.0 / 6);
    assert_near(figure(&ran, "gap"), 0);
    assert_int_equal(ran.report->train_errors, 2);
    end(&ran);
    assert_fine(run(&ran, "kernel-svm", &points6, EXACT("0.1")), &ran.error);
    LINEAR(&ran, -5.0 / 3, 0, 2.0 / 3);
    assert_near(0.6 * figure(&ran, "primal"), 16.0 / 45);
    end(&ran);
    assert_fine(run(&ran, "kernel-svm", &points6,
                    OPTIONS("kernel", "linear", "lambda", "10/6", "tolerance", "1e-10")),
                &ran.error); /* 1 / (6 * 0.1) */
    LINEAR(&ran, -5.0 / 3, 0, 2.0 / 3);
    assert_near(figure(&ran, "C"), 0.1);
    end(&ran);
}

static void nothing_separates(void **state)
{
    Ran ran;

    (void)state;
    assert_int_equal(run(&ran, "kernel-svm", &exercise_12_2_3, EXACT("inf")), CLEAVE_ERROR_DATA);
    assert_says(&ran.error, "not separable");
    end(&ran);
    assert_int_equal(run(&ran, "kernel-svm", &twice, OPTIONS("C", "inf")), CLEAVE_ERROR_DATA);
    assert_says(&ran.error, "rows 1 and 3");
    end(&ran);
    /* A nonlinear kernel separates the rows, with margins of exactly 1. */
    assert_fine(run(&ran, "kernel-svm", &exercise_12_2_3,
                    OPTIONS("C", "inf", "gamma", "1", "tolerance", "1e-9")),
                &ran.error);
    assert_int_equal(ran.report->train_errors, 0);
    assert_int_equal(figure(&ran, "support_vectors"), 4);
    end(&ran);
}

/* K(1,2) = K(1,3) = e^-2, K(1,4) = e^-4: by symmetry α is the same for all four, 1 / (1 − 2 e^-2
 * + e^-4), and b is 0. */
static void gaussian_hard_margin(void **state)
{
    double expected = 1 / (1 - 2 * exp(-2) + exp(-4));
    const double *alpha;
    Ran ran;

    (void)state;
    assert_fine(run(&ran, "kernel-svm", &exercise_12_2_3,
                    OPTIONS("C", "inf", "sigma", "1", "tolerance", "1e-9")),
                &ran.error);
    alpha = array(&ran, "alpha", 4);
    for (size_t i = 0; i < 4; i++)
        assert_near(alpha[i], (i == 1 || i == 2 ? 1 : -1) * expected);
    assert_near(array(&ran, "bias", 1)[0], 0);
    assert_near(figure(&ran, "dual"), 2 * expected);
    end(&ran);
}

static void kernel_perceptron(void **state)
{
    const double *alpha;
    Ran ran;

    (void)state;
    assert_fine(run(&ran, "kernel-perceptron", &exercise_12_2_3, OPTIONS("kernel", "gaussian")),
                &ran.error);
    assert_true(ran.report->converged);
    assert_int_equal(ran.report->mistakes, 4);
    assert_int_equal(ran.report->epochs, 2);
    assert_int_equal(ran.report->last_epoch_mistakes, 0);
    alpha = array(&ran, "alpha", 4); /* with the signs of the rows */
    assert_true(alpha[0] == -1 && alpha[1] == 1 && alpha[2] == 1 && alpha[3] == -1);
    end(&ran);
}

/* By the linear kernel it is the perceptron: @spam6 makes 4 mistakes and ends with w
 * (0,2,0,−1,1) at rate 1. */
static void linear_kernel_is_the_perceptron(void **state)
{
    static const double w[] = {0, 2, 0, -1, 1};
    Ran ran;

    (void)state;
    assert_fine(
        run(&ran, "kernel-perceptron", &(Data){.builtin = "@spam6"}, OPTIONS("kernel", "linear")),
        &ran.error);
    assert_int_equal(ran.report->mistakes, 4);
    assert_int_equal(ran.report->epochs, 2);
    for (size_t i = 0; i < 5; i++)
        assert_true(cleave_model_weight(ran.model, 0, i) == w[i]);
    end(&ran);
    assert_fine(run(&ran, "kernel-perceptron", &points5,
                    OPTIONS("kernel", "linear", "learn_threshold", "true")),
                &ran.error);
    assert_int_equal(ran.report->mistakes, 40);
    assert_int_equal(ran.report->epochs, 17);
    assert_true(cleave_model_weight(ran.model, 0, 0) == 2 &&
                cleave_model_weight(ran.model, 0, 1) == 1);
    assert_true(cleave_model_threshold(ran.model, 0) == 10);
    end(&ran);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_margins),
        cmocka_unit_test(hard_margin_of_points5),
        cmocka_unit_test(soft_margins),
        cmocka_unit_test(nothing_separates),
        cmocka_unit_test(gaussian_hard_margin),
        cmocka_unit_test(kernel_perceptron),
        cmocka_unit_test(linear_kernel_is_the_perceptron),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
