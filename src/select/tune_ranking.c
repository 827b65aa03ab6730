/* What the outcomes of trials come to: errors over folds, who is hopeless, and whether the winner is better than the defaults beyond chance. */
#include "select/tune.h"

#include "eval/interval.h"
#include "eval/paired_test.h"

#include <stdio.h>

/* ---- the schedule ------------------------------------------------------------------------------------------------- */

/* A rung by fewer rows would judge candidates by what they do where rows are few. */
#define LEAST_ROWS 1000

uint32_t clv_plan_rungs(uint32_t candidates, double rows, uint32_t asked, RungPlan plan[MOST_RUNGS])
{
    uint32_t rungs = asked ? asked : 1, left = candidates;
    double share = 1;

    for (double cut = HALVING; !asked && rungs < MOST_RUNGS; cut *= HALVING) {
        if (candidates / cut < 2 || rows / cut < LEAST_ROWS)
            break;
        rungs++;
    }
    for (uint32_t i = 0; i < rungs; i++) {
        plan[i].entrants = left;
        left = left <= 2 ? left : (left + HALVING - 1) / HALVING;
        left = left < 2 && candidates > 1 ? 2 : left;
    }
    for (uint32_t i = rungs; i-- > 0; share /= HALVING)
        plan[i].share = i + 1 == rungs ? 0 : share;
    return rungs;
}

/* ---- over folds --------------------------------------------------------------------------------------------------- */

Pooled clv_outcomes_pool(const Outcome *outcomes, uint32_t folds, const Metric *metric)
{
    Pooled all = {0};
    Interval sure;

    for (uint32_t i = 0; i < folds; i++) {
        if (!outcomes[i].done)
            continue;
        all.folds++;
        all.n += outcomes[i].n;
        all.errors += outcomes[i].errors;
        all.squares += outcomes[i].squares;
        all.fourths += outcomes[i].fourths;
        all.seconds += outcomes[i].seconds;
        clv_metric_pool(&all.metric, &outcomes[i].metric);
    }
    all.loss = clv_metric_loss(metric, &all.metric);
    sure = metric->regression ? clv_root_mean(all.squares, all.fourths, (double)all.n)
                              : clv_wilson((double)all.errors, (double)all.n);
    all.error = all.n ? sure.middle : (double)NAN;
    all.low = sure.low;
    all.high = sure.high;
    return all;
}

/* Both were judged by the same rows, which makes their errors alike: the spread of the difference is at the most what it would be of rows that
 * have nothing to do with each other. Three deviations of that leave room for there being many candidates. */
#define SURELY 3.0
#define AT_THE_END 0.05 /* of a range */

bool clv_is_hopeless(const Outcome *candidate, const Outcome *best, uint32_t folds, const Metric *metric)
{
    Pooled mine = clv_outcomes_pool(candidate, folds, metric), theirs = clv_outcomes_pool(best, folds, metric);
    double mean, variance, best_mean, best_variance;

    for (uint32_t i = 0; i < folds; i++)
        if (!candidate[i].done || !best[i].done ||
            !(clv_metric_fold_loss(metric, &candidate[i].metric) > clv_metric_fold_loss(metric, &best[i].metric)))
            return false;
    clv_metric_moments(metric, &mine.metric, &mean, &variance);
    clv_metric_moments(metric, &theirs.metric, &best_mean, &best_variance);
    return mean - best_mean > SURELY * sqrt(variance + best_variance);
}

/* ---- the winner and the defaults ------------------------------------------------------------------------------------ */

/* How often a fair coin, thrown a + b times, is as far from half heads as a is, or farther: the sign test, McNemar's of 1947 made exact. */
static double sign_test(uint64_t a, uint64_t b)
{
    uint64_t fewer = a < b ? a : b, n = a + b;
    double log_term = -(double)n * log(2), sum = 0;

    for (uint64_t i = 0; i <= fewer; i++) {
        sum += exp(log_term);
        log_term += log((double)(n - i)) - log((double)(i + 1));
    }
    return fmin(2 * sum, 1);
}

static cleave_interval estimate_of(const FoldSums *sums, const Metric *metric)
{
    cleave_interval value = clv_metric_fold_measure(metric, &sums->metric);

    return (cleave_interval){value.value, value.low, value.high};
}

/* Wrong and right predictions can be counted row by row. */
static bool counts_errors(const Metric *metric)
{
    return metric->id == METRIC_ERROR || metric->id == METRIC_ACCURACY;
}

/* The winner is the best of many on these very folds: the chance that any of them is so far ahead is at most the sum of each one's (Bonferroni). */
static bool is_sure(const Interval *gain, size_t folds, size_t others)
{
    double error = (gain->middle - gain->low) / clv_student(folds - 1);

    return gain->low > 0 &&
           (error > 0 ? clv_student_tails(gain->middle / error, folds - 1) : 0) * (double)others < 0.05;
}

/* A few folds may agree by chance: even if every row that only one of them has wrong spoke for the winner, there must be enough of them. */
static bool can_be_sure(const Metric *metric, const Outcome *winner, const Outcome *table, uint32_t folds,
                        size_t others)
{
    uint64_t errors = clv_outcomes_pool(winner, folds, metric).errors;
    uint64_t table_errors = clv_outcomes_pool(table, folds, metric).errors;

    return table_errors > errors && sign_test(0, table_errors - errors) * (double)others < 0.05;
}

static Status find_gain(TuneResult *result, const Outcome *winner, const Outcome *table, cleave_error *error)
{
    cleave_tune_result *facts = &result->facts;
    double *differences = clv_alloc(result->context, facts->folds, sizeof *differences);
    size_t others = facts->candidate_count - 1;
    const Metric *metric = result->metric;
    uint32_t count = 0;
    Interval sure;

    if (!differences)
        return clv_fail_memory(error, "differences of folds", facts->folds * sizeof *differences);
    for (uint32_t i = 0; i < facts->folds; i++)
        if (winner[i].done && table[i].done && winner[i].metric.n && table[i].metric.n)
            differences[count++] = clv_metric_fold_loss(metric, &table[i].metric) -
                                   clv_metric_fold_loss(metric, &winner[i].metric);
    sure = clv_mean_of_folds(differences, count, result->test_ratio);
    facts->gain = (cleave_interval){count ? sure.middle : (double)NAN, sure.low, sure.high};
    facts->gain_significant = count > 1 && is_sure(&sure, count, others) &&
                              (!counts_errors(metric) || can_be_sure(metric, winner, table, facts->folds, others));
    clv_free(result->context, differences);
    return OK;
}

static void difference_text(char *text, size_t size, double difference, const Metric *metric)
{
    if (metric->facts.percent)
        snprintf(text, size, "%.2f", 100 * difference + 0.0);
    else
        snprintf(text, size, "%.4g", difference + 0.0);
}

static void write_verdict(TuneResult *result, const Candidate *winner)
{
    const cleave_tune_result *facts = &result->facts;
    const Metric *metric = result->metric;
    const char *unit = metric->facts.percent ? " points" : "";
    const char *side = metric->facts.higher_is_better ? "above" : "below";
    char gain[32];

    if (winner->number == 1) {
        snprintf(result->verdict, sizeof result->verdict, "the defaults are the best of %zu candidates",
                 facts->candidate_count);
        return;
    }
    difference_text(gain, sizeof gain, facts->gain.value, metric);
    if (isnan(facts->gain.low))
        snprintf(result->verdict, sizeof result->verdict,
                 "its %s is %s%s %s that of the defaults, on too few folds for a significance test",
                 metric->facts.title, gain, unit, side);
    else
        snprintf(result->verdict, sizeof result->verdict,
                 "its %s is %s%s %s that of the defaults over the same folds: %s", metric->facts.title, gain, unit,
                 side,
                 facts->gain_significant ? "statistically significant"
                 : facts->gain.low > 0   ? "not statistically significant for the best of several"
                                         : "not statistically significant");
}

static void judge_apart(TuneResult *result, const Apart *apart)
{
    cleave_tune_result *facts = &result->facts;
    double error = apart->spread / sqrt((double)apart->n);

    facts->holdout_rows = apart->n;
    facts->holdout_winner = estimate_of(&apart->winner, result->metric);
    facts->holdout_default = estimate_of(&apart->table, result->metric);
    facts->holdout_only_winner = apart->only_winner;
    facts->holdout_only_default = apart->only_table;
    facts->holdout_p = counts_errors(result->metric) ? sign_test(apart->only_winner, apart->only_table)
                       : error > 0                   ? clv_normal_tails(apart->difference / error)
                                                     : 1;
}

static void write_apart_verdict(TuneResult *result, const Candidate *winner)
{
    const cleave_tune_result *facts = &result->facts;
    const cleave_metric *metric = facts->metric;
    double better = (facts->holdout_default.value - facts->holdout_winner.value) * (metric->higher_is_better ? -1 : 1);
    char amount[32];

    if (winner->number == 1)
        return;
    difference_text(amount, sizeof amount, fabs(better), result->metric);
    if (better == 0)
        snprintf(result->apart_verdict, sizeof result->apart_verdict, "there it is as good as the defaults");
    else
        snprintf(
            result->apart_verdict, sizeof result->apart_verdict, "there it is %s%s %s than the defaults: %s (p = %.2g)",
            amount, metric->percent ? " points" : "", better > 0 ? "better" : "worse",
            facts->holdout_p < 0.05 ? "statistically significant" : "not statistically significant", facts->holdout_p);
}

/* A range as wide as this one is around the value, as far as the parameter goes. */
static void look_further(TuneResult *result, const Range *range, double value)
{
    const Param *param = range->param;
    double half = (range->high - range->low) / 2, factor = sqrt(range->high / range->low);
    double low = range->scale == CLEAVE_TUNE_LOG ? value / factor : value - half;
    double high = range->scale == CLEAVE_TUNE_LOG ? value * factor : value + half;

    low = fmax(low, param->min);
    high = fmin(high, param->max);
    if (param->type == CLEAVE_INTEGER) {
        low = fmax(floor(low), range->scale == CLEAVE_TUNE_LOG ? 1 : low);
        high = ceil(high);
    }
    snprintf(result->hint, sizeof result->hint,
             "its %s%s is at the end of the searched range: --over %s=%.2g..%.2g extends it", range->step ? "" : "--",
             range->step ? range->name : clv_param_flag(param).text, range->name, low, high);
}

/* The best may lie beyond what candidates were drawn from. */
static void write_hint(TuneResult *result, const Candidate *winner)
{
    for (size_t i = 0; i < winner->draw.count && !*result->hint; i++)
        for (size_t j = 0; j < result->space.count; j++) {
            const Range *range = &result->space.list[j];
            double value, place;

            if (strcmp(range->name, winner->draw.list[i].name) != 0 || range->scale == CLEAVE_TUNE_CHOICES ||
                !clv_parse_ratio(winner->draw.list[i].value, &value))
                continue;
            place = clv_range_place(range, value);
            if ((place < AT_THE_END && range->low > range->param->min) ||
                (place > 1 - AT_THE_END && range->high < range->param->max))
                look_further(result, range, value);
        }
}

Status clv_tune_verdict(TuneResult *result, const Candidate *winner, uint32_t rung, const Apart *apart,
                        cleave_error *error)
{
    cleave_tune_result *facts = &result->facts;
    size_t from = (size_t)rung * facts->folds;

    TRY(find_gain(result, winner->outcome + from, result->candidate[0].outcome + from, error));
    if (apart->done)
        judge_apart(result, apart);
    write_verdict(result, winner);
    if (apart->done)
        write_apart_verdict(result, winner);
    write_hint(result, winner);
    facts->summary = result->verdict;
    facts->hint = result->hint;
    facts->holdout_summary = result->apart_verdict;
    return OK;
}
