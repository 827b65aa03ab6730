/* Summarizes the trials: errors with their intervals, the baseline, and the significance of
 * differences. */
#include "select/compare.h"

#include "eval/paired_test.h"

#include <stdio.h>
#include <stdlib.h>

static const double level = 0.05;
enum {
    LEAST_FOLDS = 3
}; /* minimum number of completed folds for a test of an incomplete
                           * candidate */

/* ---- one candidate --------------------------------------------------------------------------- */

static void set_error(const Experiment *base, cleave_comparison_row *to, const Evaluation *sums,
                      const MetricPool *pool)
{
    Interval error = clv_evaluation_interval(sums, base->regression, base->repeats);

    to->rows = sums->n;
    to->error = error.middle;
    to->low = error.low;
    to->high = error.high;
    to->metric = clv_metric_measure(base->metric, pool, base->repeats);
}

static void describe_baseline(const Compare *compare, cleave_comparison_row *to)
{
    const Experiment *base = &compare->base;
    Evaluation all = compare->baseline.sums;
    MetricPool pool = {0};

    all.n *= base->repeats;
    all.errors *= base->repeats;
    all.squared_error *= base->repeats;
    all.fourth_error *= base->repeats;
    for (uint32_t i = 0; i < base->trials; i++)
        clv_metric_pool(&pool, &compare->baseline.folds[i]);
    set_error(base, to, &all, &pool);
    to->folds_done = base->trials;
    to->traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_READABLE;
}

static void describe_candidate(const Compare *compare, MethodCandidate *from,
                               cleave_comparison_row *to)
{
    const Experiment *base = &compare->base;
    double train_n = 0, all = 0, test = 0, bytes = 0;
    TrialPool pool = {0};

    to->method = from->method->name;
    to->settings = from->settings;
    to->traits = from->method->traits;
    to->rows_total = compare->baseline.sums.n * base->repeats;
    if (!from->excluded)
        pool = clv_results_pool(from->result, base->trials, base->metric);
    for (uint32_t i = 0; !from->excluded && i < base->trials; i++) {
        const TrialResult *result = &from->result[i];

        if (result->state != TRIAL_DONE)
            continue;
        train_n += (double)result->train_n;
        all += (double)(base->dataset->rows -
                        experiment_folds(base, i)->size[i % base->fold_count]);
        /* The time to skip other rows is not part of the prediction time. */
        test += fmax(result->test_seconds - (from->test_share > 0 ? compare->pass : 0),
                     0.05 * result->test_seconds);
        bytes += (double)result->model_bytes;
    }
    to->folds_done = pool.folds;
    to->unconverged = pool.limited;
    if (!from->excluded && pool.folds < base->trials)
        snprintf(from->reason, REASON_SIZE,
                 pool.folds ? "%u of %u folds finished" : "did not finish", pool.folds,
                 base->trials);
    to->reason = *from->reason ? from->reason : NULL;
    if (pool.folds == 0)
        return;
    set_error(base, to, &pool.sums, &pool.metric);
    to->train_rows = (uint64_t)(train_n / pool.folds + 0.5);
    to->train_rows_total = from->train_share > 0 ? (uint64_t)(all / pool.folds + 0.5)
                                                 : to->train_rows;
    to->train_seconds = pool.train_seconds / pool.folds;
    to->predict_seconds = test / (double)(pool.sums.n + pool.sums.unlabeled);
    to->model_bytes = (uint64_t)(bytes / pool.folds + 0.5);
}

/* ---- significance ---------------------------------------------------------------------------- */

typedef struct {
    cleave_comparison_row facts;
    const float *loss;
    double rank_by; /* value of the metric, where less is better; NaN: undefined in every fold */
    bool excluded;
} Ranked;

static Paired compare_losses(const Experiment *base, const float *loss, const float *other,
                             PairSums *workspace)
{
    uint64_t rows = base->dataset->rows;

    memset(workspace, 0, base->trials * sizeof *workspace);
    for (uint32_t repeat = 0; repeat < base->repeats; repeat++)
        clv_pair_add(workspace + (size_t)repeat * base->fold_count, loss + repeat * rows,
                     other + repeat * rows, base->folds[repeat].of, rows);
    return clv_paired(workspace, base->trials, clv_folds_test_ratio(&base->folds[0]),
                      base->repeats);
}

static cleave_significance odds_of(double difference, double p)
{
    if (isnan(p))
        return CLEAVE_SIGNIFICANCE_UNTESTED;
    if (!(p < level))
        return CLEAVE_SIGNIFICANCE_NONE;
    return difference > 0 ? CLEAVE_SIGNIFICANCE_WORSE : CLEAVE_SIGNIFICANCE_BETTER;
}

static int by_metric(const void *a, const void *b)
{
    const Ranked *left = a, *right = b;
    const cleave_comparison_row *x = &left->facts, *y = &right->facts;

    if ((x->folds_done == 0) != (y->folds_done == 0))
        return x->folds_done == 0 ? 1 : -1;
    if (isnan(left->rank_by) != isnan(right->rank_by))
        return isnan(left->rank_by) ? 1 : -1;
    if (x->folds_done && left->rank_by != right->rank_by && !isnan(left->rank_by))
        return left->rank_by < right->rank_by ? -1 : 1;
    /* of equal candidates, the one with fewer training rows is first */
    if (x->folds_done && x->train_rows != y->train_rows)
        return x->train_rows < y->train_rows ? -1 : 1;
    return 0;
}

static size_t best_of(const Compare *compare, const Ranked *ranked, size_t count)
{
    /* Candidates with all folds are first, because single folds can be easy. */
    for (uint32_t least = compare->base.trials; least > 0; least--)
        for (size_t i = 0; i < count; i++)
            if (ranked[i].facts.method && ranked[i].facts.folds_done >= least)
                return i;
    return SIZE_MAX;
}

/* Computes p-values against the best candidate and against the baseline, corrected for the number
 * of tests (Holm). p: scratch space. */
static void test_differences(Compare *compare, Ranked *ranked, size_t count, PairSums *workspace,
                             double *p)
{
    size_t best = compare->facts.best;
    double difference[MOST_METHODS];

    for (size_t i = 0; i < count; i++) {
        cleave_comparison_row *facts = &ranked[i].facts;
        bool few = facts->folds_done < LEAST_FOLDS && facts->folds_done < compare->base.trials;
        Paired found;

        p[i] = p[count + i] = facts->difference = difference[i] = (double)NAN;
        if (facts->folds_done == 0 || few)
            continue;
        if (facts->method) {
            found = compare_losses(&compare->base, ranked[i].loss, compare->baseline.loss,
                                   workspace);
            p[count + i] = found.p;
            difference[i] = found.difference;
        }
        if (best == SIZE_MAX || i == best)
            continue;
        found = compare_losses(&compare->base, ranked[i].loss, ranked[best].loss, workspace);
        facts->difference = found.difference;
        p[i] = found.p;
    }
    clv_holm(p, p + 2 * count, count);
    clv_holm(p + count, p + 3 * count, count);
    for (size_t i = 0; i < count; i++) {
        cleave_comparison_row *facts = &ranked[i].facts;

        facts->p = p[2 * count + i];
        facts->baseline_p = p[3 * count + i];
        facts->against_best = odds_of(facts->difference, facts->p);
        facts->against_baseline = odds_of(difference[i], facts->baseline_p);
        compare->facts.beats_baseline |= facts->against_baseline == CLEAVE_SIGNIFICANCE_BETTER;
    }
}

static bool was_cut(const Compare *compare, const Ranked *ranked)
{
    const cleave_comparison_row *facts = &ranked->facts;

    return facts->method && !ranked->excluded &&
           (facts->folds_done < compare->base.trials ||
            facts->train_rows < facts->train_rows_total || facts->rows < facts->rows_total);
}

/* The retry of a candidate if the retry is complete; otherwise the candidate itself. */
static MethodCandidate *final_try(const Compare *compare, MethodCandidate *candidate)
{
    MethodCandidate *retry = candidate->retry ? &compare->candidate[candidate->retry] : NULL;

    for (uint32_t i = 0; retry && i < compare->base.trials; i++)
        if (retry->excluded || retry->result[i].state != TRIAL_DONE)
            return candidate;
    return retry ? retry : candidate;
}

static void rank(Compare *compare, Ranked *ranked, size_t count)
{
    describe_baseline(compare, &ranked[0].facts);
    ranked[0].loss = compare->baseline.loss;
    for (size_t i = 1; i < count; i++) {
        MethodCandidate *candidate = final_try(compare, &compare->candidate[i - 1]);

        describe_candidate(compare, candidate, &ranked[i].facts);
        ranked[i].loss = candidate->loss;
        ranked[i].excluded = candidate->excluded;
    }
    for (size_t i = 0; i < count; i++)
        ranked[i].rank_by = compare->base.metric->facts.higher_is_better
                                ? -ranked[i].facts.metric.value
                                : ranked[i].facts.metric.value;
    qsort(ranked, count, sizeof *ranked, by_metric);
    compare->facts.best = best_of(compare, ranked, count);
}

Status clv_compare_summarize(Compare *compare, cleave_error *error)
{
    Context *context = compare->base.context;
    size_t count = compare->methods + 1;
    Ranked *ranked = clv_alloc_zero(context, count, sizeof *ranked);
    PairSums *workspace = clv_alloc(context, compare->base.trials, sizeof *workspace);
    double *p = clv_alloc(context, 4 * count, sizeof *p);
    Status status = OK;

    compare->listed = clv_alloc_zero(context, count, sizeof *compare->listed);
    if (!ranked || !compare->listed || !workspace || !p)
        status = clv_fail_memory(error, "candidates", count * sizeof *ranked);
    if (status == OK) {
        rank(compare, ranked, count);
        test_differences(compare, ranked, count, workspace, p);
    }
    for (size_t i = 0; status == OK && i < count; i++) {
        compare->listed[i] = ranked[i].facts;
        compare->facts.incomplete |= was_cut(compare, &ranked[i]);
    }
    compare->facts.methods = compare->listed;
    compare->facts.method_count = count;
    FREE(context, ranked, workspace, p);
    return status;
}
