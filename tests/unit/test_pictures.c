/*
 * The data of charts: curves that lose points but keep their shape, bars and bins that contain
 * every row, rows chosen by the seed, and failing allocations without leaks.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

#include "base/random.h"
#include "eval/ranking.h"
#include "support/support.h"

#define FINE(call) assert_fine((call), &error)

static void assert_fine(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(code, CLEAVE_OK);
}

/* ---- curves ---------------------------------------------------------------------------------- */

enum { ROWS = 20000, MOST = 500 };

/* One row in `rarity` is of the class, with a score that is `apart` standard deviations higher.
 * Scores are rounded if ties are requested. */
static void make_ranking(Ranking *ranking, RankedRow *rows, uint32_t rarity, double apart,
                         bool ties)
{
    Random random = clv_random(7, rarity);

    for (uint32_t i = 0; i < ROWS; i++) {
        bool positive = clv_random_below(&random, rarity) == 0;
        double score = clv_random_normal(&random) + (positive ? apart : 0);

        rows[i] = (RankedRow){ties ? round(score * 5) / 5 : score, i, positive};
    }
    clv_rank(ranking, rows, ROWS, NULL);
}

/* Every threshold has a preceding one on the curve that is nearly the same. */
static void assert_shape_kept(const Ranking *ranking, double own)
{
    cleave_threshold *all = calloc(ROWS + 4, sizeof *all), curve[MOST + 4];
    double tolerance, area = 0, fpr = 0, recall = 0;
    size_t count = clv_rank_thresholds(ranking, ROWS, own, all);
    size_t thin = clv_rank_curve(ranking, MOST, own, curve, &tolerance), at = 0;

    assert_true(thin >= 2 && thin <= MOST + 4 && thin <= count);
    assert_true(tolerance <= 0.02);
    assert_true(curve[0].threshold == all[0].threshold &&
                curve[thin - 1].threshold == all[count - 1].threshold);
    for (size_t i = 0; i < count; i++) {
        while (at + 1 < thin && curve[at + 1].threshold >= all[i].threshold)
            at++;
        assert_true(fabs(curve[at].recall - all[i].recall) < tolerance);
        assert_true(fabs(curve[at].precision - all[i].precision) < tolerance);
        assert_true(fabs(curve[at].false_positive_rate - all[i].false_positive_rate) < tolerance);
        if (all[i].in_use || all[i].best_f1)
            assert_true(curve[at].threshold == all[i].threshold &&
                        curve[at].in_use == all[i].in_use && curve[at].best_f1 == all[i].best_f1);
    }
    for (size_t i = 0; i < thin; i++) {
        area += (curve[i].false_positive_rate - fpr) * (curve[i].recall + recall) / 2;
        fpr = curve[i].false_positive_rate;
        recall = curve[i].recall;
    }
    assert_true(fabs(area - clv_roc_area(ranking)) < tolerance);
    free(all);
}

static void thinned_curves_keep_their_shape(void **state)
{
    static RankedRow rows[ROWS];
    Ranking ranking;

    (void)state;
    for (uint32_t rarity = 2; rarity <= 512; rarity *= 4)
        for (int ties = 0; ties < 2; ties++) {
            make_ranking(&ranking, rows, rarity, 1.5, ties);
            assert_shape_kept(&ranking, 0.7);
        }
    make_ranking(&ranking, rows, 3, 100, false); /* a perfect model */
    assert_shape_kept(&ranking, 50);
    make_ranking(&ranking, rows, 3, 0, false); /* an uninformative model */
    assert_shape_kept(&ranking, 0);
}

/* ---- pictures of models ---------------------------------------------------------------------- */

typedef struct {
    cleave_context *context;
    cleave_data *data;
    cleave_model *model;
} Trained;

static Trained train(const cleave_config *config, const char *method, const char *name)
{
    Trained trained = {.context = cleave_context_new(config)};
    cleave_error error;

    assert_non_null(trained.context);
    FINE(cleave_open(trained.context, name, NULL, &trained.data, &error));
    FINE(cleave_train(trained.context, method, trained.data, NULL, NULL, &trained.model, NULL,
                      &error));
    return trained;
}

static void forget(Trained *trained)
{
    cleave_model_free(trained->model);
    cleave_data_free(trained->data);
    cleave_context_free(trained->context);
}

static void two_classes_have_all_of_it(void **state)
{
    Trained trained = train(NULL, "logistic", "@spam6");
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_evaluation_details *details;
    cleave_evaluation_plots *pictures;
    cleave_error error;
    double positive = 0, others = 0, rows = 0;

    (void)state;
    FINE(cleave_evaluate_plots(trained.model, trained.data, NULL, &evaluation, &details, &pictures,
                               &error));
    assert_int_equal(pictures->curve_count, 1);
    assert_int_equal(pictures->curves[0].class_number, details->positive);
    assert_int_equal(pictures->curves[0].count, details->threshold_count);
    for (size_t i = 0; i < details->threshold_count; i++) { /* numbers, then flags, then padding */
        const cleave_threshold *point = &pictures->curves[0].points[i],
                               *threshold = &details->thresholds[i];

        assert_memory_equal(point, threshold, offsetof(cleave_threshold, best_f1));
        assert_int_equal(point->best_f1, threshold->best_f1);
        assert_int_equal(point->in_use, threshold->in_use);
    }
    for (size_t i = 0; i < pictures->bar_count; i++) {
        assert_true(pictures->bars[i].low < pictures->bars[i].high);
        positive += pictures->bars[i].positives;
        others += pictures->bars[i].others;
    }
    assert_true(positive == 3 && others == 3);
    for (size_t i = 0; i < pictures->calibration_count; i++) {
        const cleave_calibration_bin *bin = &pictures->calibration[i];

        assert_true(bin->predicted >= bin->low && bin->predicted <= bin->high);
        assert_true(bin->observed.low <= bin->observed.value &&
                    bin->observed.value <= bin->observed.high);
        rows += bin->rows;
    }
    assert_true(rows == 6 && pictures->calibration_error > 0 && pictures->calibration_error < 1);
    assert_int_equal(pictures->pair_count, 0);
    cleave_evaluation_plots_free(pictures);
    cleave_evaluation_plots_free(NULL);
    cleave_evaluation_details_free(details);
    forget(&trained);
}

static void each_of_many_classes_has_a_curve(void **state)
{
    Trained trained = train(NULL, "knn", "@dogs");
    cleave_evaluation evaluation = {.size = sizeof evaluation}, plain = {.size = sizeof plain};
    cleave_evaluation_details *details;
    cleave_evaluation_plots *pictures;
    cleave_error error;

    (void)state;
    FINE(cleave_evaluate_plots(trained.model, trained.data, NULL, &evaluation, &details, &pictures,
                               &error));
    assert_int_equal(pictures->curve_count, 3);
    for (size_t k = 0; k < 3; k++) {
        const cleave_curve *curve = &pictures->curves[k];

        assert_int_equal(curve->class_number, k);
        assert_true(curve->points[curve->count - 1].recall == 1 &&
                    curve->points[curve->count - 1].false_positive_rate == 1);
    }
    assert_true(pictures->bar_count == 0 && pictures->calibration_count > 0);
    FINE(cleave_evaluate(trained.model, trained.data, NULL, &plain, &error));
    assert_memory_equal(&plain.accuracy, &evaluation.accuracy,
                        offsetof(cleave_evaluation, rmse_interval) -
                            offsetof(cleave_evaluation, accuracy));
    cleave_evaluation_plots_free(pictures);
    cleave_evaluation_details_free(details);
    forget(&trained);
}

/* y = 3x + noise, on more rows than are shown. */
static cleave_data *make_numbers(cleave_context *context, size_t rows)
{
    Random random = clv_random(3, 1);
    cleave_data *data;
    cleave_error error;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < rows; i++) {
        uint32_t index = 0;
        float value = (float)clv_random_normal(&random);
        char label[32];

        cleave_number_text(3 * (double)value + clv_random_normal(&random), label);
        FINE(cleave_data_add(data, label, 1, &index, &value, &error));
    }
    return data;
}

static void numbers_are_chosen_by_the_seed(void **state)
{
    enum { COUNT = 5000, SHOWN = 2000 };
    Trained trained = {.context = cleave_context_new(NULL)};
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_evaluation_details *details[2];
    cleave_evaluation_plots *pictures[2];
    cleave_error error;
    double sum = 0, truth = 0;

    (void)state;
    trained.data = make_numbers(trained.context, COUNT);
    FINE(cleave_train(trained.context, "least-squares", trained.data, NULL, NULL, &trained.model,
                      NULL, &error));
    for (int i = 0; i < 2; i++)
        FINE(cleave_evaluate_plots(trained.model, trained.data, NULL, &evaluation, &details[i],
                                   &pictures[i], &error));
    assert_int_equal(pictures[0]->pair_count, SHOWN);
    assert_memory_equal(pictures[0]->pairs, pictures[1]->pairs, SHOWN * sizeof *pictures[0]->pairs);
    for (size_t i = 0; i < pictures[0]->bar_count; i++)
        sum += pictures[0]->bars[i].others;
    assert_true(sum == COUNT);
    for (size_t i = 0; i < SHOWN; i++)
        truth += pictures[0]->pairs[i].truth / SHOWN;
    assert_true(fabs(truth) < 0.3); /* four standard deviations of the mean */
    assert_true(pictures[0]->curve_count == 0 && isnan(pictures[0]->calibration_error));
    for (int i = 0; i < 2; i++) {
        cleave_evaluation_plots_free(pictures[i]);
        cleave_evaluation_details_free(details[i]);
    }
    forget(&trained);
}

/* ---- short of memory ------------------------------------------------------------------------- */

static void every_failure_is_told_and_leaks_nothing(const char *method, const char *name)
{
    TestMemory memory = {0};
    cleave_config config = {
        .size = sizeof config, .allocate = test_allocate, .user = &memory, .threads = 1};
    Trained trained = train(&config, method, name);
    bool failed = true;

    for (long long at = 1; failed; at++) {
        cleave_evaluation evaluation = {.size = sizeof evaluation};
        cleave_evaluation_details *details = NULL;
        cleave_evaluation_plots *pictures = NULL;
        cleave_error error = {0};
        cleave_code code;

        memory.calls = 0;
        memory.failures = 0;
        memory.fail_at = at;
        code = cleave_evaluate_plots(trained.model, trained.data, NULL, &evaluation, &details,
                                     &pictures, &error);
        failed = memory.failures > 0;
        assert_int_equal(code, failed ? CLEAVE_ERROR_MEMORY : CLEAVE_OK);
        assert_true((details == NULL) == failed && (pictures == NULL) == failed);
        cleave_evaluation_plots_free(pictures);
        cleave_evaluation_details_free(details);
        memory.fail_at = 0;
        assert_in_range(at, 1, 10000);
    }
    forget(&trained);
    assert_int_equal(memory.live, 0);
}

static void no_failure_is_silent(void **state)
{
    (void)state;
    every_failure_is_told_and_leaks_nothing("logistic", "@spam6");
    every_failure_is_told_and_leaks_nothing("knn", "@dogs");
    every_failure_is_told_and_leaks_nothing("lms", "@line4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinned_curves_keep_their_shape),
        cmocka_unit_test(two_classes_have_all_of_it),
        cmocka_unit_test(each_of_many_classes_has_a_curve),
        cmocka_unit_test(numbers_are_chosen_by_the_seed),
        cmocka_unit_test(no_failure_is_silent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
