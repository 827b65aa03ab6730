/* What folds come to together: error, baseline, the gap between held-out and training error, and what that says, in words. */
#include "select/cross_validation.h"

#include "base/number.h"
#include "base/param.h"
#include "eval/interval.h"

#include <stdio.h>

/* Of a regression, a gap below this share of the error is small; of classes, one below a point. */
#define SMALL_SHARE 0.05
#define SMALL_POINTS 0.01
/* Gaps that might be as large as this are not nothing. */
#define LARGE_SHARE 0.5
#define LARGE_POINTS 0.1

/* Adds a fold's mean and sum of squared deviations of the targets to those of the folds before (Chan et al. 1979). */
static void add_spread(FoldSums *all, const FoldSums *sums)
{
    double n = (double)(all->n + sums->n), apart = sums->mean - all->mean;

    if (sums->n == 0)
        return;
    all->spread += sums->spread + apart * apart * (double)all->n * (double)sums->n / n;
    all->mean += apart * (double)sums->n / n;
}

static void pool(CvResult *result)
{
    cleave_cv_result *facts = &result->facts;
    FoldSums all = {0};
    double repeats = facts->repeats;
    Interval sure;

    for (size_t i = 0; i < facts->fold_count; i++) {
        const FoldSums *sums = &result->sums[i];

        add_spread(&all, sums);
        all.n += sums->n;
        all.unlabelled += sums->unlabelled;
        all.errors += sums->errors;
        all.baseline_errors += sums->baseline_errors;
        all.squares += sums->squares;
        all.fourths += sums->fourths;
        facts->unconverged += fold_limited(&facts->fold[i]);
    }
    facts->rows = all.n / facts->repeats;
    facts->unlabeled = all.unlabelled / facts->repeats;
    sure = facts->regression ? clv_root_mean(all.squares / repeats, all.fourths / repeats, (double)all.n / repeats)
                             : clv_wilson((double)all.errors / repeats, (double)all.n / repeats);
    facts->error = sure.middle;
    facts->low = sure.low;
    facts->high = sure.high;
    facts->baseline = facts->regression ? sqrt(all.spread / (double)all.n)
                                        : (double)all.baseline_errors / (double)all.n;
}

/* Converts the interval of a metric to an interval of losses. */
static Interval loss_of(const Metric *metric, const cleave_interval *value)
{
    return metric->facts.higher_is_better ? (Interval){1 - value->value, 1 - value->high, 1 - value->low}
                                          : (Interval){value->value, value->low, value->high};
}

/* The metric over rows or folds, and of the baseline. */
static Status measure(CvResult *result, cleave_error *error)
{
    cleave_cv_result *facts = &result->facts;
    const Metric *metric = result->metric;
    double *losses = clv_alloc(result->context, facts->fold_count, sizeof *losses);
    MetricPool pool = {0}, baseline = {0};
    Interval sure;

    if (!losses)
        return clv_fail_memory(error, "values of folds", facts->fold_count * sizeof *losses);
    for (size_t i = 0; i < facts->fold_count; i++) {
        if (result->sums[i].metric.n)
            losses[pool.folds] = clv_metric_fold_loss(metric, &result->sums[i].metric);
        clv_metric_pool(&pool, &result->sums[i].metric);
        clv_metric_pool(&baseline, &result->baseline[i]);
    }
    if (pool.folds > 0)
        facts->metric_value = clv_metric_measure(metric, &pool, facts->repeats);
    sure = clv_fold_mean(losses, pool.folds, result->test_ratio, loss_of(metric, &facts->metric_value));
    clv_free(result->context, losses);
    facts->metric_undefined = (uint32_t)facts->fold_count - pool.folds;
    if (pool.folds == 0)
        return clv_metric_undefined(metric, error);
    facts->metric_mean = clv_metric_within(metric, sure.middle, sure.low, sure.high);
    facts->metric_baseline = clv_metric_value(metric, clv_metric_loss(metric, &baseline));
    if (isnan(facts->metric_value.low)) /* no interval of the metric: that of the error rate or the RMSE */
        facts->beats_baseline = facts->high < facts->baseline;
    else
        facts->beats_baseline = metric->facts.higher_is_better ? facts->metric_value.low > facts->metric_baseline
                                                               : facts->metric_value.high < facts->metric_baseline;
    return OK;
}

static Status average(CvResult *result, cleave_error *error)
{
    cleave_cv_result *facts = &result->facts;
    double *numbers = clv_alloc(result->context, facts->fold_count, sizeof *numbers);
    double shared = result->test_ratio;
    Interval sure;

    if (!numbers)
        return clv_fail_memory(error, "errors of folds", facts->fold_count * sizeof *numbers);
    for (size_t i = 0; i < facts->fold_count; i++)
        numbers[i] = facts->fold[i].error;
    sure = clv_fold_mean(numbers, facts->fold_count, shared, (Interval){facts->error, facts->low, facts->high});
    facts->mean = sure.middle;
    facts->mean_low = isnan(sure.low) ? sure.low : fmax(sure.low, 0);
    facts->mean_high = sure.high > 1 && !facts->regression ? 1 : sure.high;
    for (size_t i = 0; i < facts->fold_count; i++)
        numbers[i] = facts->fold[i].error - facts->fold[i].train_error;
    sure = clv_mean_of_folds(numbers, facts->fold_count, shared);
    facts->gap = sure.middle;
    facts->train_error = facts->mean - facts->gap;
    /* A few folds may agree by chance, so the gap is no more certain than the error over all
     * rows. */
    facts->gap_low = fmin(sure.low, facts->low - facts->train_error);
    facts->gap_high = fmax(sure.high, facts->high - facts->train_error);
    if (!facts->regression) {
        facts->gap_low = fmax(facts->gap_low, -1);
        facts->gap_high = fmin(facts->gap_high, 1);
    }
    clv_free(result->context, numbers);
    return OK;
}

static cleave_fit_quality judge_gap(const cleave_cv_result *facts)
{
    double small = facts->regression ? SMALL_SHARE * facts->mean : SMALL_POINTS;
    double large = facts->regression ? LARGE_SHARE * facts->mean : LARGE_POINTS;

    if (!(facts->gap_low > 0))
        return facts->gap_high > large ? CLEAVE_FIT_UNCERTAIN : CLEAVE_FIT_GOOD;
    if (facts->gap < small)
        return CLEAVE_FIT_SLIGHT_GAP;
    return facts->gap > facts->mean / 2 ? CLEAVE_FIT_MEMORIZES : CLEAVE_FIT_OVERFITS;
}

static void write_verdict(CvResult *result)
{
    static const char *const words[] = {"no sign of overfitting", "too unsure to say whether it overfits",
                                        "it overfits slightly, which hardly matters", "it overfits", "it memorizes"};
    const cleave_cv_result *facts = &result->facts;
    char gap[32];
    double size = fabs(facts->gap);
    int length;

    if (facts->regression)
        snprintf(gap, sizeof gap, "%.4g", size);
    else
        snprintf(gap, sizeof gap, "%.1f points", 100 * size);
    length = snprintf(result->verdict, sizeof result->verdict, "held-out %s is %s %s training %s: %s",
                      facts->regression ? "RMSE" : "error", gap, facts->gap < 0 ? "below" : "above",
                      facts->regression ? "RMSE" : "error", words[facts->fit]);
    if (facts->forward && (facts->fit == CLEAVE_FIT_OVERFITS || facts->fit == CLEAVE_FIT_MEMORIZES))
        snprintf(result->verdict + length, sizeof result->verdict - (size_t)length, ", or the data changes over time");
}

/* What may help, by what the method has. */
static void write_hint(CvResult *result, const Method *method)
{
    static const char *const pulls[][2] = {
        {"k", "a larger --k"},           {"C", "a smaller --C"},
        {"lambda", "a larger --lambda"}, {"ridge", "a larger --ridge"},
        {"average", "--average"},        {"prune", "a smaller --depth or --leaves, a larger --leaf-rows"}};
    const char *first = "--holdout 0.2 --patience 3";

    if (result->facts.fit == CLEAVE_FIT_UNCERTAIN)
        snprintf(result->hint, sizeof result->hint, "more rows would tell, or more --folds and --repeats");
    if (result->facts.fit < CLEAVE_FIT_OVERFITS)
        return;
    for (size_t i = sizeof pulls / sizeof *pulls; i-- > 0;)
        if (clv_param_find(method->params, pulls[i][0]))
            first = pulls[i][1];
    snprintf(result->hint, sizeof result->hint, "try %s, fewer features, or more rows", first);
}

Status clv_cv_summarise(CvResult *result, const Method *method, cleave_error *error)
{
    cleave_cv_result *facts = &result->facts;

    pool(result);
    if (facts->rows == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "none of the rows has a label: there is nothing to evaluate");
    TRY(average(result, error));
    TRY(measure(result, error));
    facts->fit = judge_gap(facts);
    write_verdict(result);
    write_hint(result, method);
    facts->summary = result->verdict;
    facts->hint = result->hint;
    return OK;
}
