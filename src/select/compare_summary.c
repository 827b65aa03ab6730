/* Summarizes the pieces: errors with their intervals, the baseline, and the significance of differences. */
#include "select/compare.h"

#include "eval/interval.h"
#include "eval/paired_test.h"

#include <stdio.h>
#include <stdlib.h>

static const double level = 0.05;
enum { LEAST_FOLDS = 3 }; /* of a candidate whose folds are not all done: two of five tell nothing */

/* ---- one contender ------------------------------------------------------------------------------------------------ */

static void set_error(const Compare *compare, cleave_comparison_row *to, const FoldSums *all, const MetricPool *pool)
{
    double repeats = (double)compare->options.repeats, n = (double)all->n / repeats;
    Interval sure = compare->facts.regression ? clv_root_mean(all->squares / repeats, all->fourths / repeats, n)
                                              : clv_wilson((double)all->errors / repeats, n);

    to->rows = all->n;
    to->error = sure.middle;
    to->low = sure.low;
    to->high = sure.high;
    to->metric = clv_metric_measure(compare->metric, pool, repeats);
}

static void describe_baseline(const Compare *compare, cleave_comparison_row *to)
{
    double repeats = (double)compare->options.repeats;
    FoldSums all = {.n = compare->baseline.labelled * (uint64_t)compare->options.repeats,
                    .errors = compare->baseline.errors * (uint64_t)compare->options.repeats,
                    .squares = compare->baseline.squares * repeats,
                    .fourths = compare->baseline.fourths * repeats};
    MetricPool pool = {0};

    for (uint32_t i = 0; i < compare->pieces; i++)
        clv_metric_pool(&pool, &compare->baseline.sums[i]);
    set_error(compare, to, &all, &pool);
    to->folds_done = compare->pieces;
    to->traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_READABLE;
}

static void give_reason(const Compare *compare, Candidate *from, cleave_comparison_row *to)
{
    if (!from->out && to->folds_done < compare->pieces)
        snprintf(from->reason, REASON_SIZE, to->folds_done ? "%u of %u folds finished" : "did not finish",
                 to->folds_done, compare->pieces);
    to->reason = *from->reason ? from->reason : NULL;
}

static void describe_candidate(const Compare *compare, Candidate *from, cleave_comparison_row *to)
{
    double learned = 0, train = 0, test = 0, bytes = 0, rows = 0, all = 0;
    FoldSums sums = {0};
    MetricPool pool = {0};

    to->method = from->method->name;
    to->settings = from->settings;
    to->traits = from->method->traits;
    for (uint32_t i = 0; !from->out && i < compare->pieces; i++) {
        const Piece *piece = &from->piece[i];

        if (!piece->done)
            continue;
        to->folds_done++;
        learned += (double)piece->facts.train_rows;
        all += (double)(compare->dataset->rows - folds_of(compare, i)->size[part_of(compare, i)]);
        train += piece->facts.train_seconds;
        /* Rows that were passed over are no part of an answer. */
        test += fmax(piece->facts.test_seconds - (from->judge_share > 0 ? compare->pass : 0),
                     0.05 * piece->facts.test_seconds);
        bytes += (double)piece->model_bytes;
        rows += (double)(piece->sums.n + piece->sums.unlabelled);
        to->unconverged += fold_limited(&piece->facts);
        sums.n += piece->sums.n;
        sums.errors += piece->sums.errors;
        sums.squares += piece->sums.squares;
        sums.fourths += piece->sums.fourths;
        clv_metric_pool(&pool, &piece->sums.metric);
    }
    give_reason(compare, from, to);
    to->rows_total = compare->baseline.labelled * (uint64_t)compare->options.repeats;
    if (to->folds_done == 0)
        return;
    set_error(compare, to, &sums, &pool);
    to->train_rows = (uint64_t)(learned / to->folds_done + 0.5);
    to->train_rows_total = from->learn_share > 0 ? (uint64_t)(all / to->folds_done + 0.5) : to->train_rows;
    to->train_seconds = train / to->folds_done;
    to->predict_seconds = rows > 0 ? test / rows : 0;
    to->model_bytes = (uint64_t)(bytes / to->folds_done + 0.5);
}

/* ---- odds --------------------------------------------------------------------------------------------------------- */

typedef struct {
    cleave_comparison_row facts;
    const float *loss;
    double rank_by; /* value of the metric, less is better; NaN: undefined in every fold */
    bool out;
} Ranked;

static Paired hold_against(const Compare *compare, const float *loss, const float *other, PairSums *workspace)
{
    uint32_t folds = (uint32_t)compare->options.folds;
    double shared = clv_folds_test_ratio(&compare->folds[0]);

    memset(workspace, 0, compare->pieces * sizeof *workspace);
    for (uint32_t repeat = 0; repeat < compare->options.repeats; repeat++) {
        size_t from = repeat * compare->dataset->rows;

        clv_pair_add(workspace + (size_t)repeat * folds, loss + from, other + from, compare->folds[repeat].of,
                     compare->dataset->rows);
    }
    return clv_paired(workspace, compare->pieces, shared, (double)compare->options.repeats);
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
    if (x->folds_done && x->train_rows != y->train_rows) /* of equals, who has learned from less */
        return x->train_rows < y->train_rows ? -1 : 1;
    return 0;
}

static size_t best_of(const Compare *compare, const Ranked *ranked, size_t count)
{
    /* Those of all folds come before those of some, whose folds may have been easy ones. */
    for (uint32_t least = compare->pieces; least > 0; least--)
        for (size_t i = 0; i < count; i++)
            if (ranked[i].facts.method && ranked[i].facts.folds_done >= least)
                return i;
    return SIZE_MAX;
}

/* p-values, first as they are, then as they are among all of them. */
static void weigh_odds(Compare *compare, Ranked *ranked, size_t count, PairSums *workspace, double *p)
{
    size_t best = compare->facts.best;
    double difference[MOST_METHODS];

    for (size_t i = 0; i < count; i++) {
        cleave_comparison_row *facts = &ranked[i].facts;
        bool few = facts->folds_done < LEAST_FOLDS && facts->folds_done < compare->pieces;
        Paired found;

        p[i] = p[count + i] = facts->difference = difference[i] = (double)NAN;
        if (facts->folds_done == 0 || few)
            continue;
        if (facts->method) {
            found = hold_against(compare, ranked[i].loss, compare->baseline.loss, workspace);
            p[count + i] = found.p;
            difference[i] = found.difference;
        }
        if (best == SIZE_MAX || i == best)
            continue;
        found = hold_against(compare, ranked[i].loss, ranked[best].loss, workspace);
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

static void find_cut(Compare *compare, const Ranked *ranked, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cleave_comparison_row *facts = &ranked[i].facts;

        if (facts->method && !ranked[i].out &&
            (facts->folds_done < compare->pieces || facts->train_rows < facts->train_rows_total ||
             facts->rows < facts->rows_total))
            compare->facts.incomplete = true;
    }
}

/* The second where it is complete. */
static Candidate *which_try(const Compare *compare, Candidate *candidate)
{
    Candidate *second = candidate->second ? &compare->candidate[candidate->second] : NULL;

    for (uint32_t i = 0; second && i < compare->pieces; i++)
        if (second->out || !second->piece[i].done)
            return candidate;
    return second ? second : candidate;
}

static Status rank(Compare *compare, Ranked *ranked, size_t count, cleave_error *error)
{
    PairSums *workspace = clv_alloc(compare->context, compare->pieces, sizeof *workspace);
    double *p = clv_alloc(compare->context, 4 * count, sizeof *p);

    if (!workspace || !p) {
        clv_free(compare->context, workspace);
        clv_free(compare->context, p);
        return clv_fail_memory(error, "odds", count * sizeof *p);
    }
    describe_baseline(compare, &ranked[0].facts);
    ranked[0].loss = compare->baseline.loss;
    for (size_t i = 1; i < count; i++) {
        Candidate *candidate = which_try(compare, &compare->candidate[i - 1]);

        describe_candidate(compare, candidate, &ranked[i].facts);
        ranked[i].loss = candidate->loss;
        ranked[i].out = candidate->out;
    }
    for (size_t i = 0; i < count; i++)
        ranked[i].rank_by = compare->metric->facts.higher_is_better ? -ranked[i].facts.metric.value
                                                                    : ranked[i].facts.metric.value;
    qsort(ranked, count, sizeof *ranked, by_metric);
    compare->facts.best = best_of(compare, ranked, count);
    weigh_odds(compare, ranked, count, workspace, p);
    find_cut(compare, ranked, count);
    clv_free(compare->context, workspace);
    clv_free(compare->context, p);
    return OK;
}

Status clv_compare_summarise(Compare *compare, cleave_error *error)
{
    size_t count = compare->methods + 1;
    Ranked *ranked = clv_alloc_zero(compare->context, count, sizeof *ranked);
    Status status;

    compare->contender = clv_alloc_zero(compare->context, count, sizeof *compare->contender);
    if (!ranked || !compare->contender) {
        clv_free(compare->context, ranked);
        return clv_fail_memory(error, "contenders", count * sizeof *ranked);
    }
    status = rank(compare, ranked, count, error);
    for (size_t i = 0; i < count; i++)
        compare->contender[i] = ranked[i].facts;
    compare->facts.methods = compare->contender;
    compare->facts.method_count = count;
    clv_free(compare->context, ranked);
    return status;
}
