/* Summarizes cross-validation: the error over the folds, the baseline, the gap between held-out and
 * training error, and overfitting. */
#include "select/cross_validation.h"

#include "base/number.h"

#include <stdio.h>

/* A gap is small below this fraction of the RMSE, or below one percentage point of the error
 * rate. */
#define SMALL_SHARE 0.05
#define SMALL_POINTS 0.01
/* An interval of the gap that reaches this fraction allows no conclusion. */
#define LARGE_SHARE 0.5
#define LARGE_POINTS 0.1

static void describe_pool(Cv *cv, const TrialPool *pool)
{
    cleave_cv_result *facts = &cv->facts;
    Interval error = clv_evaluation_interval(&pool->sums, facts->regression, facts->repeats);
    double n = (double)pool->sums.n;

    facts->unconverged = pool->limited;
    facts->rows = pool->sums.n / facts->repeats;
    facts->unlabeled = pool->sums.unlabeled / facts->repeats;
    facts->error = error.middle;
    facts->low = error.low;
    facts->high = error.high;
    facts->baseline = facts->regression ? sqrt(pool->sums.target_spread / n)
                                        : (double)pool->sums.baseline_errors / n;
}

/* Computes the metric over rows or folds, and that of the baseline. numbers: scratch space, one per
 * fold. */
static Status measure(Cv *cv, const MetricPool *pool, double *numbers, cleave_error *error)
{
    cleave_cv_result *facts = &cv->facts;
    const RowMetric *metric = cv->base.metric;
    MetricPool baseline = {0};
    uint32_t defined = 0;
    Interval mean;

    if (pool->folds == 0)
        return clv_metric_undefined(metric, error);
    for (uint32_t i = 0; i < cv->base.trials; i++) {
        if (cv->result[i].sums.metric.n)
            numbers[defined++] = clv_metric_fold_loss(metric, &cv->result[i].sums.metric);
        clv_metric_pool(&baseline, &cv->baseline.folds[i]);
    }
    facts->metric_value = clv_metric_measure(metric, pool, facts->repeats);
    facts->metric_undefined = cv->base.trials - defined;
    /* Converts the interval of a metric to an interval of losses. */
    mean = clv_fold_mean(numbers, defined, cv->test_ratio,
                         metric->facts.higher_is_better
                             ? (Interval){1 - facts->metric_value.value,
                                          1 - facts->metric_value.high, 1 - facts->metric_value.low}
                             : (Interval){facts->metric_value.value, facts->metric_value.low,
                                          facts->metric_value.high});
    facts->metric_mean = clv_metric_within(metric, mean.middle, mean.low, mean.high);
    facts->metric_baseline = clv_metric_value(metric, clv_metric_loss(metric, &baseline));
    /* if the metric has no interval: that of the error rate or the RMSE */
    if (isnan(facts->metric_value.low))
        facts->beats_baseline = facts->high < facts->baseline;
    else
        facts->beats_baseline = metric->facts.higher_is_better
                                    ? facts->metric_value.low > facts->metric_baseline
                                    : facts->metric_value.high < facts->metric_baseline;
    return OK;
}

/* Computes means over folds: of the error, and of its gap to the training error. */
static void average(Cv *cv, double *numbers)
{
    cleave_cv_result *facts = &cv->facts;
    Interval mean;

    for (size_t i = 0; i < facts->fold_count; i++)
        numbers[i] = facts->fold[i].error;
    mean = clv_fold_mean(numbers, facts->fold_count, cv->test_ratio,
                         (Interval){facts->error, facts->low, facts->high});
    facts->mean = mean.middle;
    facts->mean_low = isnan(mean.low) ? mean.low : fmax(mean.low, 0);
    facts->mean_high = mean.high > 1 && !facts->regression ? 1 : mean.high;
    for (size_t i = 0; i < facts->fold_count; i++)
        numbers[i] = facts->fold[i].error - facts->fold[i].train_error;
    mean = clv_mean_of_folds(numbers, facts->fold_count, cv->test_ratio);
    facts->gap = mean.middle;
    facts->train_error = facts->mean - facts->gap;
    /* Few folds may agree by chance, so the interval of the gap is at least as wide as that of the
     * error over all rows. */
    facts->gap_low = fmin(mean.low, facts->low - facts->train_error);
    facts->gap_high = fmax(mean.high, facts->high - facts->train_error);
    if (!facts->regression) {
        facts->gap_low = fmax(facts->gap_low, -1);
        facts->gap_high = fmin(facts->gap_high, 1);
    }
}

static cleave_fit_quality classify_gap(const cleave_cv_result *facts)
{
    double small = facts->regression ? SMALL_SHARE * facts->mean : SMALL_POINTS;
    double large = facts->regression ? LARGE_SHARE * facts->mean : LARGE_POINTS;

    if (!(facts->gap_low > 0))
        return facts->gap_high > large ? CLEAVE_FIT_UNCERTAIN : CLEAVE_FIT_GOOD;
    if (facts->gap < small)
        return CLEAVE_FIT_SLIGHT_GAP;
    return facts->gap > facts->mean / 2 ? CLEAVE_FIT_MEMORIZES : CLEAVE_FIT_OVERFITS;
}

static const char *rounded(double value, char buffer[NUMBER_SIZE])
{
    clv_format_rounded(buffer, value, value >= 1e4 ? 5 : 4);
    return buffer;
}

static void write_summary(Cv *cv)
{
    static const char *const quality[] = {"no sign of overfitting",
                                          "overfitting cannot be ruled out", "slight overfitting",
                                          "overfitting", "severe overfitting"};
    const cleave_cv_result *facts = &cv->facts;
    const char *head = quality[facts->fit];
    char held_out[NUMBER_SIZE], train[NUMBER_SIZE];
    int length;

    if (facts->regression)
        length = snprintf(cv->summary, sizeof cv->summary, "%s: held-out RMSE %s, training RMSE %s",
                          head, rounded(facts->mean, held_out), rounded(facts->train_error, train));
    else
        length = snprintf(cv->summary, sizeof cv->summary,
                          "%s: held-out error %.1f%%, training error %.1f%%", head,
                          100 * facts->mean, 100 * facts->train_error);
    if (facts->forward && (facts->fit == CLEAVE_FIT_OVERFITS || facts->fit == CLEAVE_FIT_MEMORIZES))
        snprintf(cv->summary + length, sizeof cv->summary - (size_t)length,
                 "; drift over time is another explanation");
}

/* Suggests options of the method that may reduce overfitting. */
static void write_hint(Cv *cv, const Method *method)
{
    static const char *const remedies[][2] = {
        {"k", "a larger --k"},
        {"C", "a smaller --C"},
        {"lambda", "a larger --lambda"},
        {"ridge", "a larger --ridge"},
        {"average", "--average"},
        {"prune", "a smaller --max-depth or --max-leaves, a larger --min-leaf-rows"}};
    const char *first = "--validation-fraction 0.2 --patience 3";

    if (cv->facts.fit == CLEAVE_FIT_UNCERTAIN)
        snprintf(cv->hint, sizeof cv->hint, "use more rows, or more --folds and --repeats");
    /* the gap of training that did not converge says little about that of a finished one */
    if (cv->facts.fit < CLEAVE_FIT_OVERFITS || cv->facts.unconverged)
        return;
    for (size_t i = sizeof remedies / sizeof *remedies; i-- > 0;)
        if (clv_param_find(method->params, remedies[i][0]))
            first = remedies[i][1];
    snprintf(cv->hint, sizeof cv->hint, "try %s, fewer features or more rows", first);
}

Status clv_cv_summarize(Cv *cv, cleave_error *error)
{
    TrialPool pool = clv_results_pool(cv->result, cv->base.trials, cv->base.metric);
    cleave_cv_result *facts = &cv->facts;
    double *numbers;
    Status status;

    if (pool.sums.n / facts->repeats == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "no row has a label, so no metric can be computed");
    TRY(ALLOC(cv->base.context, numbers, facts->fold_count, "errors of folds", error));
    describe_pool(cv, &pool);
    average(cv, numbers);
    status = measure(cv, &pool.metric, numbers, error);
    clv_free(cv->base.context, numbers);
    TRY(status);
    facts->fit = classify_gap(facts);
    write_summary(cv);
    write_hint(cv, cv->method);
    facts->summary = cv->summary;
    facts->hint = cv->hint;
    return OK;
}
