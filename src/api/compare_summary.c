/* Summarizes the pieces: errors with their intervals, the baseline, and whether differences are statistically significant. */
#include "api/compare.h"

#include "run/interval.h"
#include "run/paired.h"
#include "run/sweep.h"

#include <stdio.h>
#include <stdlib.h>

static const double level = 0.05;
enum { LEAST_FOLDS = 3 }; /* of a candidate whose folds are not all done: two of five tell nothing */

/* ---- the baseline ------------------------------------------------------------------------------------------------- */

typedef struct {
    Compare *compare;
    uint32_t *label; /* of each row; … */
    double *number;  /* … or its target */
    double *label_number;
} Targets;

static Status read_targets(const Targets *targets, cleave_error *error)
{
    Dataset *dataset = targets->compare->dataset;
    Sweep sweep = {0};
    Status status = clv_sweep_init(&sweep, dataset, ORDER_FILE, 0, 0, 1, error);

    if (status == OK)
        status = clv_sweep_begin(&sweep, 0, error);
    while (status == OK) {
        const Block *block;

        status = clv_sweep_next(&sweep, &block, error);
        if (status != OK || !block)
            break;
        for (uint32_t i = 0; i < block->rows; i++) {
            uint64_t row = block_row_number(block, i);

            if (targets->number)
                targets->number[row] = block_number(block, i, targets->label_number);
            else
                targets->label[row] = block_label(block, i);
        }
    }
    clv_sweep_free(&sweep);
    return status;
}

/* Predicts the mean of all targets. */
static void judge_mean(const Targets *targets, uint64_t rows, float *loss)
{
    double mean = 0;
    uint64_t n = 0;

    for (uint64_t row = 0; row < rows; row++)
        if (!isnan(targets->number[row])) {
            n++;
            mean += (targets->number[row] - mean) / (double)n;
        }
    for (uint64_t row = 0; row < rows; row++) {
        double off = targets->number[row] - mean;

        loss[row] = (float)(off * off);
    }
}

/* Predicts the most frequent class of all rows. */
static void judge_majority(const Targets *targets, uint64_t rows, float *loss)
{
    uint32_t most = clv_most_frequent(&targets->compare->dataset->labels);

    for (uint64_t row = 0; row < rows; row++)
        loss[row] = targets->label[row] == UNLABELLED ? NAN : targets->label[row] != most;
}

/* The earliest rows of forward-chaining folds are in no test set. */
static void leave_untested(const Folds *folds, float *loss)
{
    for (uint64_t row = 0; row < folds->rows && folds->forward; row++)
        if (folds->of[row] == folds->count)
            loss[row] = NAN;
}

/* Losses are kept as floats, and are differences of nothing where they are infinite. */
static Status check_losses(const Compare *compare, cleave_error *error)
{
    for (uint64_t i = 0; i < compare->dataset->rows * (uint64_t)compare->options.repeats; i++)
        if (isinf(compare->baseline_loss[i])) {
            clv_fail(error, CLEAVE_ERROR_DATA,
                     "%s: labels lie so far apart that a squared error is beyond 3.4e38, and cannot be compared",
                     compare->name);
            return clv_hint(error, CLEAVE_ERROR_DATA, "divide the labels by a power of ten");
        }
    return OK;
}

static Status judge_baseline(const Targets *targets, cleave_error *error)
{
    Compare *compare = targets->compare;
    const Labels *labels = &compare->dataset->labels;

    for (uint32_t i = 0; i < labels->count; i++)
        targets->label_number[i] = labels->list[i].number;
    TRY(read_targets(targets, error));
    for (uint32_t repeat = 0; repeat < compare->options.repeats; repeat++) {
        float *loss = compare->baseline_loss + repeat * compare->dataset->rows;

        if (targets->number)
            judge_mean(targets, compare->dataset->rows, loss);
        else
            judge_majority(targets, compare->dataset->rows, loss);
        leave_untested(&compare->folds[repeat], loss);
    }
    TRY(check_losses(compare, error));
    for (uint64_t row = 0; row < compare->dataset->rows; row++)
        compare->labelled += !isnan(compare->baseline_loss[row]);
    return OK;
}

Status clv_compare_baseline(Compare *compare, cleave_error *error)
{
    uint64_t rows = compare->dataset->rows;
    Context *context = compare->context;
    Targets targets = {.compare = compare};
    size_t labels = (size_t)compare->dataset->labels.count + 1;
    Status status = OK;

    compare->baseline_loss = clv_alloc(context, rows * (size_t)compare->options.repeats,
                                       sizeof *compare->baseline_loss);
    if (compare->facts.regression)
        targets.number = clv_alloc(context, rows, sizeof *targets.number);
    else
        targets.label = clv_alloc(context, rows, sizeof *targets.label);
    targets.label_number = clv_alloc(context, labels, sizeof *targets.label_number);
    if (!targets.label_number || !compare->baseline_loss || (!targets.number && !targets.label))
        status = clv_fail_memory(error, "targets", rows * sizeof *targets.number);
    if (status == OK)
        status = judge_baseline(&targets, error);
    clv_free(context, targets.label_number);
    clv_free(context, targets.number);
    clv_free(context, targets.label);
    return status;
}

/* ---- one contender ------------------------------------------------------------------------------------------------ */

static void set_error(const Compare *compare, cleave_contender *to, const FoldSums *all)
{
    double repeats = (double)compare->options.repeats, n = (double)all->n / repeats;
    Interval sure = compare->facts.regression ? clv_root_mean(all->squares / repeats, all->fourths / repeats, n)
                                              : clv_wilson((double)all->errors / repeats, n);

    to->n = all->n;
    to->error = sure.middle;
    to->low = sure.low;
    to->high = sure.high;
}

static void describe_baseline(const Compare *compare, cleave_contender *to)
{
    FoldSums all = {0};

    for (uint64_t i = 0; i < compare->dataset->rows * (uint64_t)compare->options.repeats; i++) {
        double loss = (double)compare->baseline_loss[i];

        if (isnan(loss))
            continue;
        all.n++;
        all.errors += loss > 0;
        all.squares += loss;
        all.fourths += loss * loss;
    }
    set_error(compare, to, &all);
    to->folds_done = compare->pieces;
    to->traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_READABLE;
}

static void give_reason(const Compare *compare, Candidate *from, cleave_contender *to)
{
    if (!from->out && to->folds_done < compare->pieces)
        snprintf(from->reason, REASON_SIZE, to->folds_done ? "%u of %u folds finished" : "did not finish",
                 to->folds_done, compare->pieces);
    to->reason = *from->reason ? from->reason : NULL;
}

static void describe_candidate(const Compare *compare, Candidate *from, cleave_contender *to)
{
    double learned = 0, train = 0, test = 0, bytes = 0, rows = 0, all = 0;
    FoldSums sums = {0};

    to->method = from->method->name;
    to->settings = from->settings;
    to->traits = from->method->traits;
    for (uint32_t i = 0; !from->out && i < compare->pieces; i++) {
        const Piece *piece = &from->piece[i];

        if (!piece->done)
            continue;
        to->folds_done++;
        learned += (double)piece->facts.train_n;
        all += (double)(compare->dataset->rows - folds_of(compare, i)->size[part_of(compare, i)]);
        train += piece->facts.train_seconds;
        /* Rows that were passed over are no part of an answer. */
        test += fmax(piece->facts.test_seconds - (from->judge_share > 0 ? compare->pass : 0),
                     0.05 * piece->facts.test_seconds);
        bytes += (double)piece->model_bytes;
        rows += (double)(piece->sums.n + piece->sums.unlabelled);
        to->unconverged += !piece->facts.converged;
        sums.n += piece->sums.n;
        sums.errors += piece->sums.errors;
        sums.squares += piece->sums.squares;
        sums.fourths += piece->sums.fourths;
    }
    give_reason(compare, from, to);
    to->n_all = compare->labelled * (uint64_t)compare->options.repeats;
    if (to->folds_done == 0)
        return;
    set_error(compare, to, &sums);
    to->learned = (uint64_t)(learned / to->folds_done + 0.5);
    to->learned_all = from->learn_share > 0 ? (uint64_t)(all / to->folds_done + 0.5) : to->learned;
    to->train_seconds = train / to->folds_done;
    to->predict_seconds = rows > 0 ? test / rows : 0;
    to->model_bytes = (uint64_t)(bytes / to->folds_done + 0.5);
}

/* ---- odds --------------------------------------------------------------------------------------------------------- */

typedef struct {
    cleave_contender facts;
    const float *loss;
    bool out;
} Ranked;

static Paired hold_against(const Compare *compare, const float *loss, const float *other, PairSums *room)
{
    uint32_t folds = (uint32_t)compare->options.folds;
    double shared = clv_folds_test_ratio(&compare->folds[0]);

    memset(room, 0, compare->pieces * sizeof *room);
    for (uint32_t repeat = 0; repeat < compare->options.repeats; repeat++) {
        size_t from = repeat * compare->dataset->rows;

        clv_pair_add(room + (size_t)repeat * folds, loss + from, other + from, compare->folds[repeat].of,
                     compare->dataset->rows);
    }
    return clv_paired(room, compare->pieces, shared, (double)compare->options.repeats);
}

static cleave_odds odds_of(double difference, double p)
{
    if (isnan(p))
        return CLEAVE_ODDS_UNKNOWN;
    if (!(p < level))
        return CLEAVE_ODDS_CHANCE;
    return difference > 0 ? CLEAVE_ODDS_WORSE : CLEAVE_ODDS_BETTER;
}

static int by_error(const void *a, const void *b)
{
    const cleave_contender *x = &((const Ranked *)a)->facts, *y = &((const Ranked *)b)->facts;

    if ((x->folds_done == 0) != (y->folds_done == 0))
        return x->folds_done == 0 ? 1 : -1;
    if (x->folds_done && x->error != y->error)
        return x->error < y->error ? -1 : 1;
    if (x->folds_done && x->learned != y->learned) /* of equals, who has learned from less */
        return x->learned < y->learned ? -1 : 1;
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
static void weigh_odds(Compare *compare, Ranked *ranked, size_t count, PairSums *room, double *p)
{
    size_t best = compare->facts.best;
    double difference[MOST_METHODS];

    for (size_t i = 0; i < count; i++) {
        cleave_contender *facts = &ranked[i].facts;
        bool few = facts->folds_done < LEAST_FOLDS && facts->folds_done < compare->pieces;
        Paired found;

        p[i] = p[count + i] = facts->difference = difference[i] = (double)NAN;
        if (facts->folds_done == 0 || few)
            continue;
        if (facts->method) {
            found = hold_against(compare, ranked[i].loss, compare->baseline_loss, room);
            p[count + i] = found.p;
            difference[i] = found.difference;
        }
        if (best == SIZE_MAX || i == best)
            continue;
        found = hold_against(compare, ranked[i].loss, ranked[best].loss, room);
        facts->difference = found.difference;
        p[i] = found.p;
    }
    clv_holm(p, p + 2 * count, count);
    clv_holm(p + count, p + 3 * count, count);
    for (size_t i = 0; i < count; i++) {
        cleave_contender *facts = &ranked[i].facts;

        facts->p = p[2 * count + i];
        facts->baseline_p = p[3 * count + i];
        facts->against_best = odds_of(facts->difference, facts->p);
        facts->against_baseline = odds_of(difference[i], facts->baseline_p);
        compare->facts.beats_baseline |= facts->against_baseline == CLEAVE_ODDS_BETTER;
    }
}

static void find_cut(Compare *compare, const Ranked *ranked, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cleave_contender *facts = &ranked[i].facts;

        if (facts->method && !ranked[i].out &&
            (facts->folds_done < compare->pieces || facts->learned < facts->learned_all || facts->n < facts->n_all))
            compare->facts.cut = true;
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
    PairSums *room = clv_alloc(compare->context, compare->pieces, sizeof *room);
    double *p = clv_alloc(compare->context, 4 * count, sizeof *p);

    if (!room || !p) {
        clv_free(compare->context, room);
        clv_free(compare->context, p);
        return clv_fail_memory(error, "odds", count * sizeof *p);
    }
    describe_baseline(compare, &ranked[0].facts);
    ranked[0].loss = compare->baseline_loss;
    for (size_t i = 1; i < count; i++) {
        Candidate *candidate = which_try(compare, &compare->candidate[i - 1]);

        describe_candidate(compare, candidate, &ranked[i].facts);
        ranked[i].loss = candidate->loss;
        ranked[i].out = candidate->out;
    }
    qsort(ranked, count, sizeof *ranked, by_error);
    compare->facts.best = best_of(compare, ranked, count);
    weigh_odds(compare, ranked, count, room, p);
    find_cut(compare, ranked, count);
    clv_free(compare->context, room);
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
    compare->facts.contenders = compare->contender;
    compare->facts.contender_count = count;
    clv_free(compare->context, ranked);
    return status;
}
