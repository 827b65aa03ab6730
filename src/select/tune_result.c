/* The result of a tuning: the space, the candidates with the winner first, and whether it is better
 * than the defaults. */
#include "select/tune.h"

#include "base/number.h"
#include "eval/paired_test.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- candidates ------------------------------------------------------------------------------ */

/* If the time is over, as in the rung of the winner. */
static cleave_candidate describe_candidate(Tune *tune, uint32_t number, uint32_t chosen)
{
    const Candidate *candidate = &tune->candidate[number];
    bool back = candidate->state == CLEAVE_TRIAL_OUT_OF_TIME && candidate->rungs > chosen;
    TrialPool pool;
    Interval error;

    tune->rung = back ? chosen : candidate->rungs - 1;
    pool = pool_of(tune, number);
    error = clv_evaluation_interval(&pool.sums, tune->base.regression, 1);
    return (cleave_candidate){
        .number = candidate->number,
        .setting_count = candidate->draw.count,
        .settings = candidate->draw.list,
        .transform = candidate->draw.transform,
        .rung = tune->rung + 1,
        .folds = pool.folds,
        .rows = pool.sums.n,
        .errors = pool.sums.errors,
        .error = pool.sums.n ? error.middle : (double)NAN,
        .low = pool.sums.n ? error.low : (double)NAN,
        .high = pool.sums.n ? error.high : (double)NAN,
        .metric = clv_metric_measure(tune->base.metric, &pool.metric, 1),
        .seconds = pool.seconds,
        .status = candidate->state,
        .failure = candidate->state == CLEAVE_TRIAL_FAILED ? candidate->failure : NULL};
}

static int compare_merit(const cleave_candidate *a, const cleave_candidate *b, bool lower_is_better)
{
    if ((a->status == CLEAVE_TRIAL_FAILED) != (b->status == CLEAVE_TRIAL_FAILED))
        return a->status == CLEAVE_TRIAL_FAILED ? 1 : -1;
    if (a->rung != b->rung)
        return a->rung > b->rung ? -1 : 1;
    if ((a->status == CLEAVE_TRIAL_DROPPED) != (b->status == CLEAVE_TRIAL_DROPPED))
        return a->status == CLEAVE_TRIAL_DROPPED ? 1 : -1;
    if (a->folds != b->folds)
        return a->folds > b->folds ? -1 : 1;
    if (a->metric.value != b->metric.value && !isnan(a->metric.value) && !isnan(b->metric.value))
        return (a->metric.value < b->metric.value) == lower_is_better ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int lower_first(const void *left, const void *right)
{
    return compare_merit(left, right, true);
}

static int higher_first(const void *left, const void *right)
{
    return compare_merit(left, right, false);
}

/* The winner is first even if a later rung is unfinished. */
static void list_candidates(Tune *tune, uint32_t winner, uint32_t rung)
{
    cleave_candidate *ranked = tune->ranked;
    uint32_t place = 0;

    for (uint32_t i = 0; i < tune->count; i++)
        ranked[i] = describe_candidate(tune, i, rung);
    qsort(ranked, tune->count, sizeof *ranked,
          tune->base.metric->facts.higher_is_better ? higher_first : lower_first);
    while (ranked[place].number != winner + 1)
        place++;
    memmove(ranked + 1, ranked, place * sizeof *ranked);
    ranked[0] = describe_candidate(tune, winner, rung);
    for (uint32_t i = 0; i < tune->count; i++)
        if (ranked[i].number == 1)
            tune->facts.default_candidate = i;
    tune->facts.candidates = ranked;
    tune->facts.candidate_count = tune->count;
}

static void list_space(Tune *tune)
{
    for (size_t i = 0; i < tune->space.count; i++) {
        const Range *range = &tune->space.list[i];
        bool always = range->asked || range->part != PART_METHOD;

        tune->tuned[i] = (cleave_tuned_param){.name = range->name,
                                              .scale = range->scale,
                                              .low = range->low,
                                              .high = range->high,
                                              .values = range->text,
                                              .when = always ? NULL : range->param->tune_when};
    }
    tune->facts.tuned = tune->tuned;
    tune->facts.tuned_count = tune->space.count;
}

/* ---- the winner and the defaults ------------------------------------------------------------- */

/* The exact test of McNemar (1947): the probability that the number of heads of a fair coin, thrown
 * a + b times, is at least as far from (a + b) / 2 as a is. */
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

/* Whether the loss of a row is 1 for an error and 0 otherwise. */
static bool counts_errors(const RowMetric *metric)
{
    return metric->id == METRIC_ERROR || metric->id == METRIC_ACCURACY;
}

/* Whether the gain is significant. The winner is the best of many candidates on these folds, so the
 * level is corrected for their number (Bonferroni). */
static bool is_significant(const Interval *gain, size_t folds, size_t others)
{
    double error = (gain->middle - gain->low) / clv_student(folds - 1);

    return gain->low > 0 &&
           (error > 0 ? clv_student_tails(gain->middle / error, folds - 1) : 0) * (double)others <
               0.05;
}

/* Whether a conclusion is possible. Few folds may agree by chance, so enough rows must be errors of
 * the defaults only, even if no rows are errors of the winner only. */
static bool can_be_significant(const RowMetric *metric, const TrialResult *winner,
                               const TrialResult *defaults, uint32_t folds, size_t others)
{
    uint64_t errors = clv_results_pool(winner, folds, metric).sums.errors;
    uint64_t more = clv_results_pool(defaults, folds, metric).sums.errors;

    return more > errors && sign_test(0, more - errors) * (double)others < 0.05;
}

/* Computes the gain over the defaults on the folds by which the winner was chosen. */
static Status find_gain(Tune *tune, uint32_t number, uint32_t rung, cleave_error *error)
{
    cleave_tune_result *facts = &tune->facts;
    const RowMetric *metric = tune->base.metric;
    uint32_t folds = tune->base.fold_count, count = 0;
    const TrialResult *winner, *defaults;
    double *differences;
    double test_ratio = clv_folds_test_ratio(&tune->base.folds[0]) / tune->rung_facts[rung].share;
    size_t others = tune->count - 1;
    Interval gain;

    TRY(ALLOC(tune->base.context, differences, folds, "differences of folds", error));
    tune->rung = rung;
    winner = results_of(tune, number);
    defaults = results_of(tune, 0);
    for (uint32_t i = 0; i < folds; i++)
        if (winner[i].state == TRIAL_DONE && defaults[i].state == TRIAL_DONE &&
            winner[i].sums.metric.n && defaults[i].sums.metric.n)
            differences[count++] = clv_metric_fold_loss(metric, &defaults[i].sums.metric) -
                                   clv_metric_fold_loss(metric, &winner[i].sums.metric);
    gain = clv_mean_of_folds(differences, count, test_ratio);
    facts->gain = (cleave_interval){count ? gain.middle : (double)NAN, gain.low, gain.high};
    facts->gain_significant = count > 1 && is_significant(&gain, count, others) &&
                              (!counts_errors(metric) ||
                               can_be_significant(metric, winner, defaults, folds, others));
    clv_free(tune->base.context, differences);
    return OK;
}

static void difference_text(char *text, size_t size, double difference, const RowMetric *metric)
{
    if (metric->facts.percent)
        snprintf(text, size, "%.2f", 100 * difference + 0.0);
    else
        snprintf(text, size, "%.4g", difference + 0.0);
}

static void write_summary(Tune *tune, const Candidate *winner)
{
    const cleave_tune_result *facts = &tune->facts;
    const RowMetric *metric = tune->base.metric;
    const char *unit = metric->facts.percent ? " percentage points" : "";
    const char *side = metric->facts.higher_is_better ? "above" : "below";
    char gain[32];

    if (winner->number == 1) {
        snprintf(tune->summary, sizeof tune->summary, "the defaults are the best of %zu candidates",
                 facts->candidate_count);
        return;
    }
    difference_text(gain, sizeof gain, facts->gain.value, metric);
    if (isnan(facts->gain.value))
        snprintf(tune->summary, sizeof tune->summary,
                 "not compared with the defaults: no fold has results of both");
    else if (isnan(facts->gain.low))
        snprintf(tune->summary, sizeof tune->summary,
                 "%s %s%s %s the defaults; the folds are too few for a significance test",
                 metric->facts.title, gain, unit, side);
    else
        snprintf(tune->summary, sizeof tune->summary,
                 "%s %s%s %s the defaults over the same folds; %s", metric->facts.title, gain, unit,
                 side,
                 facts->gain_significant ? "the difference is statistically significant"
                 : facts->gain.low > 0 ? "the difference is not statistically significant for the "
                                         "best of several candidates"
                                       : "the difference is not statistically significant");
}

static cleave_interval estimate_of(const TrialResult *result, const RowMetric *metric)
{
    cleave_interval value = clv_metric_fold_measure(metric, &result->sums.metric);

    return (cleave_interval){value.value, value.low, value.high};
}

static void describe_test(Tune *tune, const HeldOutTest *test)
{
    cleave_tune_result *facts = &tune->facts;
    double error = test->spread / sqrt((double)test->n);

    facts->holdout_rows = test->n;
    facts->holdout_winner = estimate_of(&test->winner, tune->base.metric);
    facts->holdout_default = estimate_of(&test->defaults, tune->base.metric);
    facts->holdout_only_winner = test->only_winner;
    facts->holdout_only_default = test->only_defaults;
    facts->holdout_p = counts_errors(tune->base.metric)
                           ? sign_test(test->only_winner, test->only_defaults)
                       : error > 0 ? clv_normal_tails(test->difference / error)
                                   : 1;
}

static void write_holdout_summary(Tune *tune, const Candidate *winner)
{
    const cleave_tune_result *facts = &tune->facts;
    const cleave_metric *metric = facts->metric;
    double better = (facts->holdout_default.value - facts->holdout_winner.value) *
                    (metric->higher_is_better ? -1 : 1);
    char amount[32];

    if (winner->number == 1)
        return;
    difference_text(amount, sizeof amount, fabs(better), tune->base.metric);
    if (better == 0)
        snprintf(tune->holdout_summary, sizeof tune->holdout_summary,
                 "no difference from the defaults");
    else
        snprintf(tune->holdout_summary, sizeof tune->holdout_summary,
                 "%s%s %s than the defaults; %s (p = %.2g)", amount,
                 metric->percent ? " percentage points" : "", better > 0 ? "better" : "worse",
                 facts->holdout_p < 0.05 ? "the difference is statistically significant"
                                         : "the difference is not statistically significant",
                 facts->holdout_p);
}

/* Suggests a range of the same width around the value, within the limits of the parameter. */
static void suggest_range(Tune *tune, const Range *range, double value)
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
    snprintf(tune->hint, sizeof tune->hint,
             "%s%s is at the limit of its range; use --space %s=%.2g..%.2g to extend the search",
             range->step ? "" : "--", range->step ? range->name : clv_param_flag(param).text,
             range->name, low, high);
}

#define AT_THE_END 0.05 /* fraction of a range at each end */

/* Notes that the best value may be outside of the searched range. */
static void write_hint(Tune *tune, const Candidate *winner)
{
    for (size_t i = 0; i < winner->draw.count && !*tune->hint; i++)
        for (size_t j = 0; j < tune->space.count; j++) {
            const Range *range = &tune->space.list[j];
            double value, place;

            if (strcmp(range->name, winner->draw.list[i].name) != 0 ||
                range->scale == CLEAVE_TUNE_CHOICES ||
                !clv_parse_ratio(winner->draw.list[i].value, &value))
                continue;
            place = clv_range_place(range, value);
            if ((place < AT_THE_END && range->low > range->param->min) ||
                (place > 1 - AT_THE_END && range->high < range->param->max))
                suggest_range(tune, range, value);
        }
}

/* ---- entry points ---------------------------------------------------------------------------- */

Status clv_tune_describe(Tune *tune, uint32_t winner, uint32_t rung, const HeldOutTest *test,
                         cleave_error *error)
{
    cleave_tune_result *facts = &tune->facts;
    const Experiment *base = &tune->base;
    const Folds *folds = &base->folds[0];

    facts->method = tune->method->name;
    facts->regression = base->regression;
    facts->metric = &base->metric->facts;
    facts->positive = base->positive_label;
    facts->rows = base->dataset->rows - (folds->apart ? folds->size[base->fold_count] : 0);
    facts->groups = base->options.by_group ? folds->groups : 0;
    facts->seed = base->seed;
    facts->folds = base->fold_count;
    facts->forward = folds->forward;
    facts->rungs = tune->rung_facts;
    facts->chosen_in = rung + 1;
    facts->out_of_time = atomic_load(&tune->late);
    facts->rounds = tune->candidate[tune->count - 1].round + 1;
    facts->exhausted = tune->exhausted;
    facts->trials = tune->trials;
    facts->resumed = tune->found;
    facts->warm_started = tune->warm;
    list_space(tune);
    list_candidates(tune, winner, rung);
    clv_experiment_tell_remarks(base, &tune->first, 1);
    TRY(find_gain(tune, winner, rung, error));
    write_summary(tune, &tune->candidate[winner]);
    if (test->done) {
        describe_test(tune, test);
        write_holdout_summary(tune, &tune->candidate[winner]);
    }
    write_hint(tune, &tune->candidate[winner]);
    facts->summary = tune->summary;
    facts->hint = tune->hint;
    facts->holdout_summary = tune->holdout_summary;
    return OK;
}
