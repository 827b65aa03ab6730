/*
 * Metrics against scikit-learn's for the same predictions, to 1e-12: ties, weights, absent classes,
 * 2 to 26 classes. The values stored in metrics_reference.h come from
 * scripts/make-metrics-reference, which draws the same rows as draw() below.
 * tests/property/test_intervals.c tests the coverage of intervals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/metrics.h"
#include "eval/ranking.h"
#include "eval/row_loss.h"

enum { MOST_ROWS = 1000, MOST_CLASSES = 26 };

typedef struct {
    const char *name;
    size_t rows, classes, steps;
    int absent, empty;
    bool weighted;
    double accuracy, log_loss, brier;
    double macro[3], by_rows[3]; /* precision, recall, F1 */
    /* Precision, recall, F1, ROC area, average precision, DeLong's variance. */
    double each[MOST_CLASSES][6];
    double confusion[MOST_CLASSES * MOST_CLASSES];
    size_t thresholds;
    double curve[MOST_ROWS][4]; /* threshold, precision, recall, false positive rate */
} Case;

typedef struct {
    const char *name;
    size_t rows;
    bool weighted;
    double rmse, mae, r2;
} NumberCase;

#include "metrics_reference.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *under_test;

static void assert_close(double found, double expected, double within)
{
    if (isnan(expected) ? isnan(found) : fabs(found - expected) <= within * fmax(1, fabs(expected)))
        return;
    fail_msg("%s: expected %.17g, found %.17g", under_test, expected, found);
}

/* ---- the same rows as the script's ----------------------------------------------------------- */

static uint64_t below(uint64_t *state, uint64_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % bound;
}

typedef struct {
    size_t truth[MOST_ROWS], answers[MOST_ROWS];
    double scores[MOST_ROWS][MOST_CLASSES], chances[MOST_ROWS][MOST_CLASSES];
    float weights[MOST_ROWS];
    double rows[MOST_CLASSES], answered[MOST_CLASSES], right[MOST_CLASSES];
    double confusion[(MOST_CLASSES + 1) * (MOST_CLASSES + 1)];
    RankedRow ranked[MOST_ROWS];
} Drawn;

static void draw_row(const Case *one, uint64_t *state, Drawn *drawn, size_t i)
{
    double *scores = drawn->scores[i];
    int label = (int)below(state, one->classes);

    while (label == one->absent || label == one->empty)
        label = (int)below(state, one->classes);
    for (size_t k = 0; k < one->classes; k++)
        scores[k] = one->steps ? (double)below(state, one->steps) / (double)one->steps : 0;
    scores[label] += one->steps ? 0.25 : 1;
    if (one->empty >= 0)
        scores[one->empty] = -1;
    drawn->truth[i] = (size_t)label;
    drawn->weights[i] = one->weighted ? (float)(1 + below(state, 12)) / 4 : 1;
}

static void answer(const Case *one, Drawn *drawn, size_t i)
{
    double *scores = drawn->scores[i], least = INFINITY, sum = 0;
    size_t best = 0;

    if (one->classes == 2) {
        scores[1] -= scores[0];
        scores[0] = -scores[1];
    }
    for (size_t k = 0; k < one->classes; k++) {
        best = scores[k] > scores[best] ? k : best;
        least = fmin(least, scores[k]);
    }
    drawn->answers[i] = best;
    for (size_t k = 0; k < one->classes; k++)
        sum += drawn->chances[i][k] = fmax(scores[k] - least, 0) + 0.125;
    for (size_t k = 0; k < one->classes; k++)
        drawn->chances[i][k] /= sum;
}

static Drawn *draw(size_t number)
{
    const Case *one = &cases[number];
    Drawn *drawn = calloc(1, sizeof *drawn);
    uint64_t state = number + 1;

    assert_non_null(drawn);
    under_test = one->name;
    for (size_t i = 0; i < one->rows; i++) {
        size_t truth, said;
        double weight;

        draw_row(one, &state, drawn, i);
        answer(one, drawn, i);
        truth = drawn->truth[i];
        said = drawn->answers[i];
        weight = (double)drawn->weights[i];
        drawn->rows[truth] += weight;
        drawn->answered[said] += weight;
        drawn->right[truth] += truth == said ? weight : 0;
        drawn->confusion[truth * (one->classes + 1) + said] += weight;
    }
    return drawn;
}

static ClassCounts counts_of(const Case *one, const Drawn *drawn)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < one->rows; i++) {
        sum += (double)drawn->weights[i];
        squares += (double)drawn->weights[i] * (double)drawn->weights[i];
    }
    return (ClassCounts){one->classes, drawn->rows,      drawn->answered,
                         drawn->right, drawn->confusion, squares / sum};
}

static void rank(const Case *one, Drawn *drawn, size_t class_number, Ranking *ranking)
{
    for (size_t i = 0; i < one->rows; i++)
        drawn->ranked[i] = (RankedRow){drawn->scores[i][class_number], (uint32_t)i,
                                       drawn->truth[i] == class_number};
    clv_rank(ranking, drawn->ranked, one->rows, one->weighted ? drawn->weights : NULL);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void counts_come_to_the_same(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *one = &cases[c];
        Drawn *drawn = draw(c);
        ClassCounts counts = counts_of(one, drawn);
        ClassMetrics macro = clv_class_average(&counts, false),
                     by_rows = clv_class_average(&counts, true);
        double right = 0, all = 0;

        for (size_t k = 0; k < one->classes; k++) {
            ClassMetrics of_class = clv_class_metrics(&counts, k);

            right += drawn->right[k];
            all += drawn->rows[k];
            assert_close(of_class.precision.value, one->each[k][0], 1e-12);
            assert_close(of_class.recall.value, one->each[k][1], 1e-12);
            assert_close(of_class.f1.value, one->each[k][2], 1e-12);
            for (size_t j = 0; j < one->classes; j++)
                assert_close(drawn->confusion[k * (one->classes + 1) + j],
                             one->confusion[k * one->classes + j], 0);
        }
        assert_close(clv_share(right, all, all / counts.spread).value, one->accuracy, 1e-12);
        assert_close(macro.precision.value, one->macro[0], 1e-12);
        assert_close(macro.recall.value, one->macro[1], 1e-12);
        assert_close(macro.f1.value, one->macro[2], 1e-12);
        assert_close(by_rows.precision.value, one->by_rows[0], 1e-12);
        assert_close(by_rows.recall.value, one->by_rows[1], 1e-12);
        assert_close(by_rows.f1.value, one->by_rows[2], 1e-12);
        free(drawn);
    }
}

static void probabilities_come_to_the_same(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *one = &cases[c];
        Drawn *drawn = draw(c);
        Moments loss = {0}, brier = {0};

        for (size_t i = 0; i < one->rows; i++) {
            clv_moments_add(&loss, clv_log_loss(drawn->chances[i][drawn->truth[i]]),
                            (double)drawn->weights[i]);
            clv_moments_add(&brier, clv_brier(drawn->chances[i], one->classes, drawn->truth[i]),
                            (double)drawn->weights[i]);
        }
        assert_close(clv_moments_mean(&loss).value, one->log_loss, 1e-12);
        assert_close(clv_moments_mean(&brier).value, one->brier, 1e-12);
        free(drawn);
    }
}

static void areas_come_to_the_same(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *one = &cases[c];
        Drawn *drawn = draw(c);

        for (size_t k = 0; k < one->classes; k++) {
            double *moved = calloc(one->rows, sizeof *moved), sum = 0;
            Ranking ranking;

            rank(one, drawn, k, &ranking);
            assert_close(clv_roc_area(&ranking), one->each[k][3], 1e-12);
            assert_close(clv_pr_area(&ranking), one->each[k][4], 1e-12);
            assert_close(clv_roc_variance(&ranking, clv_roc_area(&ranking)), one->each[k][5],
                         1e-12);
            assert_non_null(moved);
            if (!isnan(one->each[k][5])) {
                clv_roc_influence(&ranking, clv_roc_area(&ranking), moved);
                for (size_t i = 0; i < one->rows; i++)
                    sum += moved[i] * moved[i];
                assert_close(sum, one->each[k][5], 1e-12);
            }
            free(moved);
        }
        free(drawn);
    }
}

/* The other of two classes, without a second sort. */
static void the_other_side_is_seen_from_one_score(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *one = &cases[c];
        Drawn *drawn;
        Ranking ranking;

        if (one->classes != 2)
            continue;
        drawn = draw(c);
        rank(one, drawn, 1, &ranking);
        clv_rank_reversed(&ranking);
        assert_close(clv_roc_area(&ranking), one->each[0][3], 1e-12);
        assert_close(clv_pr_area(&ranking), one->each[0][4], 1e-12);
        free(drawn);
    }
}

static void thresholds_come_to_the_same(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *one = &cases[c];
        cleave_threshold found[MOST_ROWS + 4];
        size_t best = 0, own = 0;
        Drawn *drawn;
        Ranking ranking;

        if (one->classes != 2)
            continue;
        drawn = draw(c);
        rank(one, drawn, 1, &ranking);
        assert_int_equal(clv_rank_thresholds(&ranking, MOST_ROWS, 0, found), one->thresholds);
        for (size_t i = 0; i < one->thresholds; i++) {
            double p = one->curve[i][1], r = one->curve[i][2];

            assert_close(found[i].threshold, one->curve[i][0], 0);
            assert_close(found[i].precision, p, 1e-12);
            assert_close(found[i].recall, r, 1e-12);
            assert_close(found[i].f1, p + r > 0 ? 2 * p * r / (p + r) : 0, 1e-12);
            assert_close(found[i].false_positive_rate, one->curve[i][3], 1e-12);
            best += found[i].best_f1;
            own += found[i].in_use;
            if (found[i].in_use) { /* the threshold of the model */
                assert_close(p, one->each[1][0], 1e-12);
                assert_close(r, one->each[1][1], 1e-12);
            }
        }
        assert_int_equal(best, 1);
        assert_int_equal(own, 1);
        free(drawn);
    }
}

/* Few thresholds of many: they include the special ones, and the ends. */
static void thresholds_are_thinned(void **state)
{
    cleave_threshold all[MOST_ROWS + 4], few[24];
    Drawn *drawn = draw(0);
    size_t count, marked = 0;
    Ranking ranking;

    (void)state;
    rank(&cases[0], drawn, 1, &ranking);
    count = clv_rank_thresholds(&ranking, MOST_ROWS, 0, all);
    for (size_t most = 1; most <= 20; most++) {
        size_t kept = clv_rank_thresholds(&ranking, most, 0, few);

        assert_in_range(kept, 2, most + 4);
        assert_close(few[0].threshold, all[0].threshold, 0);
        assert_close(few[kept - 1].threshold, all[count - 1].threshold, 0);
        for (size_t i = marked = 0; i < kept; i++)
            marked += few[i].best_f1 + few[i].in_use;
        assert_int_equal(marked, 2);
    }
    free(drawn);
}

/* The value of a fold by a metric of tune, compare and cv. */
static double value_of_fold(Context *context, const Case *one, const Drawn *drawn, MetricId id)
{
    double losses[MOST_ROWS], sum = 0, squares = 0;
    FoldPredictions predictions = {
        .context = context, .classes = (uint32_t)one->classes, .positive = 1};
    MetricSums sums;

    assert_int_equal(clv_metric_choose(id, false, one->classes, &predictions.metric, NULL), OK);
    for (size_t i = 0; i < one->rows; i++)
        assert_int_equal(clv_fold_predictions_add(&predictions, i, (uint32_t)drawn->truth[i],
                                                  (uint32_t)drawn->answers[i],
                                                  &drawn->scores[i][one->classes == 2], NULL),
                         OK);
    assert_int_equal(clv_fold_predictions_end(&predictions, losses, &sums, NULL), OK);
    for (size_t i = 0; i < one->rows && sums.n; i++) {
        sum += losses[i];
        squares += losses[i] * losses[i];
    }
    if (sums.n) { /* influences cancel: the mean loss is 1 less the value */
        assert_close(sums.loss, sum, 1e-9);
        assert_close(sums.squares, squares, 1e-9);
    }
    sum = sums.n ? clv_metric_fold_measure(predictions.metric, &sums).value : (double)NAN;
    clv_fold_predictions_free(&predictions);
    return sum;
}

/* Macro averages of scikit-learn's values of the classes that have one. */
static double mean_of_classes(const Case *one, size_t which)
{
    double sum = 0, count = 0;

    for (size_t k = 0; k < one->classes; k++)
        if (!isnan(one->each[k][which])) {
            sum += one->each[k][which];
            count++;
        }
    return count > 0 ? sum / count : (double)NAN;
}

static void values_of_folds_come_to_the_same(void **state)
{
    Context *context = cleave_context_new(NULL);

    (void)state;
    assert_non_null(context);
    for (size_t c = 0; c < COUNT(cases); c++) {
        const Case *one = &cases[c];
        Drawn *drawn;

        if (one->weighted)
            continue;
        drawn = draw(c);
        assert_close(value_of_fold(context, one, drawn, METRIC_MACRO_F1), one->macro[2], 1e-12);
        assert_close(value_of_fold(context, one, drawn, METRIC_AUC),
                     one->classes == 2 ? one->each[1][3] : mean_of_classes(one, 3), 1e-12);
        if (one->classes == 2) {
            assert_close(value_of_fold(context, one, drawn, METRIC_F1), one->each[1][2], 1e-12);
            assert_close(value_of_fold(context, one, drawn, METRIC_AVERAGE_PRECISION),
                         one->each[1][4], 1e-12);
        }
        free(drawn);
    }
    cleave_context_free(context);
}

/* The derivative by the weight of a row, by differences. */
static void influences_are_derivatives(void **state)
{
    const float step = 1.0f / 1024;

    (void)state;
    for (size_t c = 0; c < 2; c++) { /* two classes, without and with many ties */
        const Case *one = &cases[c];
        Drawn *drawn = draw(c);
        double influence[MOST_ROWS] = {0}, high, area;
        Ranking ranking;

        assert_int_equal(one->classes, 2);
        rank(one, drawn, 1, &ranking);
        area = clv_pr_area(&ranking);
        clv_pr_influence(&ranking, area, influence);
        for (size_t i = 0; i < one->rows; i++) {
            for (size_t j = 0; j < one->rows; j++)
                drawn->ranked[j] = (RankedRow){drawn->scores[j][1], (uint32_t)j,
                                               drawn->truth[j] == 1};
            drawn->weights[i] = 1 + step;
            clv_rank(&ranking, drawn->ranked, one->rows, drawn->weights);
            high = clv_pr_area(&ranking);
            drawn->weights[i] = 1;
            assert_close((high - area) / (double)step, influence[i], 1e-4);
        }
        free(drawn);
    }
}

static void numbers_come_to_the_same(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(number_cases); c++) {
        const NumberCase *one = &number_cases[c];
        double truth[MOST_ROWS], answers[MOST_ROWS];
        float weights[MOST_ROWS];
        uint64_t random = 1000 + c;
        RegressionMetrics found;

        under_test = one->name;
        for (size_t i = 0; i < one->rows; i++) {
            truth[i] = (double)below(&random, 4096) / 64 - 20;
            answers[i] = truth[i] + (double)below(&random, 1024) / 32 - 16;
            weights[i] = one->weighted ? (float)(1 + below(&random, 12)) / 4 : 1;
        }
        found = clv_regression_metrics(truth, answers, one->weighted ? weights : NULL, one->rows);
        assert_close(found.rmse.value, one->rmse, 1e-12);
        assert_close(found.mae.value, one->mae, 1e-12);
        assert_close(found.r2.value, one->r2, 1e-12);
    }
}

static void what_is_undefined_is_no_number(void **state)
{
    double none[3] = {0}, same[2] = {3, 3}, answers[2] = {3, 4};
    ClassCounts counts = {.classes = 3, .rows = none, .answers = none, .right = none, .spread = 1};
    RegressionMetrics numbers = clv_regression_metrics(same, answers, NULL, 2);
    RankedRow rows[2] = {{1, 0, 1}, {2, 1, 1}};
    Moments empty = {0};
    Ranking ranking;

    (void)state;
    under_test = "undefined";
    clv_rank(&ranking, rows, 2, NULL);
    assert_true(isnan(clv_roc_area(&ranking)) && isnan(clv_roc_measure(&ranking).low));
    assert_close(clv_pr_area(&ranking), 1, 0);
    clv_rank_reversed(&ranking);
    assert_true(isnan(clv_pr_area(&ranking)));
    assert_true(isnan(clv_class_metrics(&counts, 1).f1.value));
    assert_true(isnan(clv_class_average(&counts, false).recall.value));
    assert_true(isnan(clv_class_average(&counts, true).recall.value));
    assert_true(isnan(clv_moments_mean(&empty).value));
    assert_true(isnan(numbers.r2.value));
    assert_close(numbers.rmse.value, sqrt(0.5), 1e-15);
    assert_true(isnan(clv_regression_metrics(same, answers, NULL, 1).mae.low));
}

/* Zeros of both signs are equal, NaN is below all numbers, and infinities are numbers. */
static void odd_scores_have_their_place(void **state)
{
    RankedRow rows[] = {{-0.0, 0, 1}, {NAN, 1, 0},       {INFINITY, 2, 1},
                        {0.0, 3, 0},  {-INFINITY, 4, 0}, {5e-324, 5, 1}};
    Ranking ranking;

    (void)state;
    under_test = "odd scores";
    clv_rank(&ranking, rows, COUNT(rows), NULL);
    assert_int_equal(rows[0].row, 2);
    assert_int_equal(rows[1].row, 5);
    assert_close(clv_roc_area(&ranking), 8.5 / 9, 1e-15);
}

/* The interval of perfect predictions is not empty, and is wider for fewer rows. Very few rows have
 * no interval. */
static void nothing_wrong_is_not_certainty(void **state)
{
    enum { POSITIVES = 12, ALL = 27 };
    double rows[2] = {POSITIVES, ALL - POSITIVES},
           confusion[9] = {POSITIVES, 0, 0, 0, ALL - POSITIVES};
    double few[2] = {2, 3}, of_few[9] = {2, 0, 0, 0, 3};
    ClassCounts counts = {2, rows, rows, rows, confusion, 1}, small = {2, few, few, few, of_few, 1};
    cleave_interval macro = clv_class_average(&counts, false).f1, area;
    RankedRow ranked[ALL];
    Ranking ranking;

    (void)state;
    under_test = "perfect";
    for (uint32_t i = 0; i < ALL; i++)
        ranked[i] = (RankedRow){-(double)i, i, i < POSITIVES};
    clv_rank(&ranking, ranked, ALL, NULL);
    area = clv_roc_measure(&ranking);
    assert_close(area.value, 1, 0);
    assert_close(area.high, 1, 0);
    assert_true(area.low > 0.7 && area.low < 0.9);
    assert_close(macro.value, 1, 0);
    assert_close(macro.high, 1, 0);
    assert_true(macro.low > 0.7 && macro.low < 0.95);
    assert_true(isnan(clv_class_average(&small, false).f1.low));
    assert_true(isnan(clv_class_metrics(&small, 0).recall.low));
    clv_rank(&ranking, ranked + POSITIVES - 2, 5, NULL);
    assert_close(clv_roc_measure(&ranking).value, 1, 0);
    assert_true(isnan(clv_roc_measure(&ranking).low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_come_to_the_same),
        cmocka_unit_test(probabilities_come_to_the_same),
        cmocka_unit_test(areas_come_to_the_same),
        cmocka_unit_test(the_other_side_is_seen_from_one_score),
        cmocka_unit_test(thresholds_come_to_the_same),
        cmocka_unit_test(thresholds_are_thinned),
        cmocka_unit_test(numbers_come_to_the_same),
        cmocka_unit_test(what_is_undefined_is_no_number),
        cmocka_unit_test(values_of_folds_come_to_the_same),
        cmocka_unit_test(influences_are_derivatives),
        cmocka_unit_test(odd_scores_have_their_place),
        cmocka_unit_test(nothing_wrong_is_not_certainty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
