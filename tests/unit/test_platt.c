/*
 * Probabilities: Platt's sigmoid (src/eval/platt.c) against a slow reference in long double,
 * --calibrate in a run (src/train/batch_driver.c), probabilities of a model (src/model/model.c),
 * and models with invalid sigmoids (src/model/model_file.c).
 */
#include "property/table.h"

#include "base/bundle.h"
#include "eval/platt.h"
#include "model/method.h"
#include "support/reload.h"
#include "support/support.h"

#include <math.h>

/* ---- the fit --------------------------------------------------------------------------------- */

typedef struct {
    double *score;
    bool *positive;
    size_t count;
} Scores;

static Scores overlapping(size_t count, uint64_t seed, double size, double shift, double share)
{
    Random random = clv_random(seed, 1);
    Scores made = {malloc(count * sizeof(double)), malloc(count * sizeof(bool)), count};

    assert_true(made.score && made.positive);
    for (size_t i = 0; i < count; i++) {
        made.positive[i] = clv_random_unit(&random) < share;
        made.score[i] = size * (clv_random_normal(&random) + (made.positive[i] ? shift : -shift));
    }
    return made;
}

static void scores_free(Scores *made)
{
    free(made->score);
    free(made->positive);
}

static long double exact_cost(const Scores *rows, long double a, long double b)
{
    long double yes = 0, sum = 0;

    for (size_t i = 0; i < rows->count; i++)
        yes += rows->positive[i];
    for (size_t i = 0; i < rows->count; i++) {
        long double t = rows->positive[i] ? (yes + 1) / (yes + 2)
                                          : 1 / ((long double)rows->count - yes + 2);
        long double f = a * (long double)rows->score[i] + b;

        sum += t * f + (f > 0 ? log1pl(expl(-f)) : -f + log1pl(expl(f)));
    }
    return sum;
}

/* The minimum of the cost over b for a given a, by golden section, because the cost is convex. */
static long double best_b(const Scores *rows, long double a, long double *b)
{
    const long double golden = 0.6180339887498948482L;
    long double low = -200, high = 200;

    for (int i = 0; i < 70; i++) {
        long double left = high - golden * (high - low), right = low + golden * (high - low);

        if (exact_cost(rows, a, left) < exact_cost(rows, a, right))
            high = right;
        else
            low = left;
    }
    *b = (low + high) / 2;
    return exact_cost(rows, a, *b);
}

static void reference(const Scores *rows, double size, long double *a, long double *b)
{
    const long double golden = 0.6180339887498948482L;
    long double low = -100 / (long double)size, high = 100 / (long double)size;

    for (int i = 0; i < 60; i++) {
        long double left = high - golden * (high - low), right = low + golden * (high - low),
                    ignored;

        if (best_b(rows, left, &ignored) < best_b(rows, right, &ignored))
            high = right;
        else
            low = left;
    }
    *a = (low + high) / 2;
    best_b(rows, *a, b);
}

static void agrees_with_the_reference(void **state)
{
    static const double sizes[] = {1, 1e-9, 1e12}, shifts[] = {0.5, 0, -0.3, 2};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t s = 0; s < 3; s++)
        for (size_t h = 0; h < 4; h++) {
            Scores rows = overlapping(40, 7 * s + h, sizes[s], shifts[h], h == 1 ? 0.2 : 0.5);
            long double a, b, least;
            double found_a, found_b;

            FINE(clv_platt_fit(context, rows.score, rows.positive, rows.count, &found_a, &found_b,
                               &error));
            reference(&rows, sizes[s], &a, &b);
            least = exact_cost(&rows, a, b);
            assert_true(exact_cost(&rows, (long double)found_a, (long double)found_b) <=
                        least + 1e-7L);
            assert_true(fabs(found_a * sizes[s] - (double)(a * (long double)sizes[s])) < 1e-3);
            assert_true(fabs(found_b - (double)b) < 1e-3);
            scores_free(&rows);
        }
    cleave_context_free(context);
}

static double sigmoid(double a, double b, double score)
{
    return 1 / (1 + exp(a * score + b));
}

/* Data with which a sigmoid could diverge: separable, one class only, one row, equal scores, huge
 * and tiny ones. */
static void stays_finite(void **state)
{
    static const double values[][4] = {
        {-2, -1, 1, 2},          {0, 0, 0, 0}, {1e300, 1e300, -1e300, 1e300},
        {1e-310, 0, 0, -1e-310}, {5, 5, 5, 5}, {-1e308, 1e308, 1e308, 1e308},
        {1e-320, 1e-320, 0, 0}};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (unsigned mask = 0; mask < 16; mask++) {
            bool positive[4];
            double a, b;

            for (unsigned i = 0; i < 4; i++)
                positive[i] = mask >> i & 1;
            for (size_t count = 1; count <= 4; count++) {
                FINE(clv_platt_fit(context, values[v], positive, count, &a, &b, &error));
                assert_true(isfinite(a) && isfinite(b));
                for (size_t i = 0; i < count; i++) {
                    double p = sigmoid(a, b, values[v][i]);

                    assert_true(p > 0 && p < 1);
                }
            }
        }
    cleave_context_free(context);
}

/* Equal scores are uninformative: the probability is the smoothed fraction of positive rows. */
static void equal_scores(void **state)
{
    static const double score[5] = {3, 3, 3, 3, 3};
    static const bool positive[5] = {true, true, true, false, false};
    Context *context = new_context(1);
    cleave_error error = {0};
    double a, b;

    (void)state;
    FINE(clv_platt_fit(context, score, positive, 5, &a, &b, &error));
    assert_true(fabs(sigmoid(a, b, 3) - (3 * 4.0 / 5 + 2 * 1.0 / 4) / 5) < 1e-4);
    cleave_context_free(context);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static cleave_data *blobs(Context *context, uint32_t rows, uint32_t classes, uint64_t seed)
{
    static const char *const labels[] = {"red", "green", "blue"};
    Random random = clv_random(seed, 1);
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (uint32_t i = 0; i < rows; i++) {
        static const uint32_t index[3] = {0, 1, 2};
        uint32_t label = (uint32_t)(clv_random_unit(&random) * classes);
        float value[3];

        for (uint32_t j = 0; j < 3; j++)
            value[j] = (float)(clv_random_normal(&random) + (j == label ? 1.5 : 0));
        FINE(cleave_data_add(data, labels[label], 3, index, value, &error));
    }
    return data;
}

static void note_log(void *user, cleave_log_level level, const char *message, const char *hint)
{
    (void)level;
    (void)hint;
    if (strstr(message, "held out"))
        snprintf(user, 256, "%s", message);
}

static cleave_model *train(Context *context, cleave_data *data, const char *const *options,
                           cleave_report **report)
{
    cleave_options *given = cleave_options_new(context);
    cleave_error error = {0};
    cleave_model *model;

    for (; *options; options += 2)
        FINE(cleave_options_set(given, options[0], options[1], &error));
    FINE(cleave_train(context, "perceptron", data, NULL, given, &model, report, &error));
    cleave_options_free(given);
    return model;
}

static void sum_to_one_and_follow_the_score(void **state)
{
    static const char *const options[] = {"calibrate", "true", "learn_threshold", "true", "epochs",
                                          "5",         NULL};
    char said[256] = "";
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .log = note_log, .user = said, .threads = 1});
    cleave_error error = {0};

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        cleave_data *data = blobs(context, 1000, classes, classes);
        cleave_report *report;
        cleave_model *model = train(context, data, options, &report);

        assert_string_equal(said, "10% of the rows are held out (seed 1) for validation and "
                                  "calibration");
        assert_true(report->rows > 850 && report->rows < 950);
        assert_true(report->validation_rows == 1000 - report->rows);
        assert_true(cleave_model_has_probabilities(model));
        for (double x = -6; x < 6; x += 0.25) {
            static const uint32_t index[1] = {1};
            cleave_prediction low, high;
            double before, sum = 0;

            FINE(cleave_predict_row(model, 1, index, (float[]){(float)x}, &low, &error));
            before = low.probabilities[1];
            for (uint32_t i = 0; i < classes; i++) {
                assert_true(low.probabilities[i] >= 0 && low.probabilities[i] <= 1);
                sum += low.probabilities[i];
            }
            assert_true(fabs(sum - 1) < 1e-12);
            if (classes > 2)
                continue;
            FINE(cleave_predict_row(model, 1, index, (float[]){(float)x + 0.25f}, &high, &error));
            assert_true(cleave_model_weight(model, 0, 1) > 0 ? high.probabilities[1] > before
                                                             : high.probabilities[1] < before);
        }
        cleave_report_free(report);
        cleave_model_free(model);
        cleave_data_free(data);
    }
    cleave_context_free(context);
}

/* Of the rows with a probability of 70 to 90%, about this fraction is positive. */
static void probabilities_are_true(void **state)
{
    static const char *const options[] = {"calibrate", "true", "form", "averaged",
                                          "epochs",    "5",    NULL};
    Context *context = new_context(1);
    cleave_data *data = blobs(context, 8000, 2, 5);
    cleave_model *model = train(context, data, options, NULL);
    Random random = clv_random(99, 1);
    double said = 0, was = 0, rows = 0;
    cleave_error error = {0};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        static const uint32_t index[3] = {0, 1, 2};
        uint32_t label = clv_random_unit(&random) < 0.5;
        cleave_prediction prediction;
        float value[3];

        for (uint32_t j = 0; j < 3; j++)
            value[j] = (float)(clv_random_normal(&random) + (j == label ? 1.5 : 0));
        FINE(cleave_predict_row(model, 3, index, value, &prediction, &error));
        for (uint32_t c = 0; c < 2; c++)
            if (prediction.probabilities[c] > 0.7 && prediction.probabilities[c] < 0.9) {
                bool red = strcmp(cleave_model_label(model, c), "red") == 0;

                rows++;
                said += prediction.probabilities[c];
                was += red == (label == 0);
            }
    }
    assert_true(rows > 1000);
    assert_true(fabs(said - was) / rows < 0.04);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
}

static void too_few_rows(void **state)
{
    static const char *const options[] = {"calibrate", "true", NULL};
    Context *context = new_context(1);
    cleave_data *data;
    cleave_options *given = cleave_options_new(context);
    cleave_error error = {0};
    cleave_model *model;

    (void)state;
    FINE(cleave_open(context, "@points5", NULL, &data, &error));
    FINE(cleave_options_set(given, options[0], options[1], &error));
    FINE(cleave_options_set(given, "validation_fraction", "0.0001", &error));
    assert_int_equal(cleave_train(context, "perceptron", data, NULL, given, &model, NULL, &error),
                     CLEAVE_ERROR_DATA);
    cleave_options_free(given);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* ---- the file -------------------------------------------------------------------------------- */

static cleave_code reload_with(Model *model, const double *platt, uint64_t count,
                               cleave_error *error)
{
    BundleItem item = {
        .name = (char[]){"platt"}, .type = BUNDLE_F64, .data = platt, .count = count};
    Model *again;
    Status status = reload_with_item(model, &item, &again, error);

    if (status == OK)
        assert_true(cleave_model_has_probabilities(again));
    cleave_model_free(again);
    return status;
}

static void refuses_nonsense(void **state)
{
    static const char *const options[] = {"epochs", "1", NULL};
    Context *context = new_context(1);
    cleave_data *data = blobs(context, 50, 2, 1);
    cleave_error error = {0};

    (void)state;
    for (int trial = 0; trial < 5; trial++) {
        const double fitted[][4] = {
            {-1, 0}, {-1, 0, 3, 4}, {-1}, {(double)NAN, 0}, {-1, (double)INFINITY}};
        static const uint64_t counts[] = {2, 4, 1, 2, 2};
        cleave_model *model = train(context, data, options, NULL);
        cleave_code code = reload_with(model, fitted[trial], counts[trial], &error);

        assert_int_equal(code, trial == 0 ? CLEAVE_OK : CLEAVE_ERROR_FORMAT);
        if (trial)
            assert_says(&error, "its set of probabilities is invalid");
        cleave_model_free(model);
    }
    cleave_data_free(data);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_reference),
        cmocka_unit_test(stays_finite),
        cmocka_unit_test(equal_scores),
        cmocka_unit_test(sum_to_one_and_follow_the_score),
        cmocka_unit_test(probabilities_are_true),
        cmocka_unit_test(too_few_rows),
        cmocka_unit_test(refuses_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
