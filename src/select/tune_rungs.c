/* Rungs of successive halving: candidates significantly worse than the best are dropped after two
 * folds. After all folds, the best third is promoted to the next rung. */
#include "select/tune.h"

#include <stdio.h>

/* Number of folds of a rung before candidates are dropped. */
enum { FIRST_FOLDS = 2 };

/* ---- the plan */

/* Minimum number of rows: results on fewer rows do not predict results on many. */
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

/* ---- ranking */

/* Required difference of two candidates, in standard deviations. Both were evaluated on the same
 * rows, so their errors are correlated, and the variance of the difference is at most the sum of
 * the variances. Three standard deviations allow for the number of candidates. */
#define REQUIRED_DEVIATIONS 3.0

bool clv_is_worse(const TrialResult *candidate, const TrialResult *best, uint32_t folds,
                  const RowMetric *metric)
{
    TrialPool mine = clv_results_pool(candidate, folds, metric),
              theirs = clv_results_pool(best, folds, metric);
    double mean, variance, best_mean, best_variance;

    for (uint32_t i = 0; i < folds; i++)
        if (candidate[i].state != TRIAL_DONE || best[i].state != TRIAL_DONE ||
            !(clv_metric_fold_loss(metric, &candidate[i].sums.metric) >
              clv_metric_fold_loss(metric, &best[i].sums.metric)))
            return false;
    clv_metric_moments(metric, &mine.metric, &mean, &variance);
    clv_metric_moments(metric, &theirs.metric, &best_mean, &best_variance);
    return mean - best_mean > REQUIRED_DEVIATIONS * sqrt(variance + best_variance);
}

/* Sorts the candidates of the rung, the best first, and equal candidates by number. Returns how
 * many there are. */
static uint32_t rank(Tune *tune)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tune->count; i++) {
        TrialPool mine;
        uint32_t at = count;

        if (!is_in(tune, i))
            continue;
        mine = pool_of(tune, i);
        for (; at > 0; at--) {
            TrialPool other = pool_of(tune, tune->order[at - 1]);

            if (!is_better(&mine, &other))
                break;
            tune->order[at] = tune->order[at - 1];
        }
        tune->order[at] = i;
        count++;
    }
    return count;
}

static void note_best(Tune *tune)
{
    double value;

    if (rank(tune) == 0)
        return;
    value = clv_metric_value(tune->base.metric, pool_of(tune, tune->order[0]).loss);
    if (tune->base.metric->facts.percent)
        snprintf(tune->best, sizeof tune->best, "%s %.2f%%", tune->base.metric->facts.title,
                 100 * value);
    else
        snprintf(tune->best, sizeof tune->best, "%s %.4g", tune->base.metric->facts.title, value);
}

/* The best candidate of this and the earlier rounds on the first folds of the rung. */
static uint32_t best_so_far(const Tune *tune, uint32_t folds)
{
    uint32_t first = tune->order[0], old = tune->incumbent;
    double loss;

    if (old == NO_INCUMBENT)
        return first;
    loss = clv_results_pool(results_of(tune, first), folds, tune->base.metric).loss;
    return clv_results_pool(results_of(tune, old), folds, tune->base.metric).loss <= loss ? old
                                                                                          : first;
}

/* Drops candidates that are significantly worse. The defaults stay, because the winner is compared
 * with them. */
static void drop_worse(Tune *tune, uint32_t folds)
{
    uint32_t count = rank(tune), best = count ? best_so_far(tune, folds) : 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = tune->order[i];

        if (number != 0 && number != best &&
            clv_is_worse(results_of(tune, number), results_of(tune, best), folds,
                         tune->base.metric)) {
            tune->candidate[number].state = CLEAVE_TRIAL_DROPPED;
            tune->rung_facts[tune->rung].dropped++;
        }
    }
}

/* ---- rungs */

static uint32_t count_in(const Tune *tune)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tune->count; i++)
        count += is_in(tune, i);
    return count;
}

/* Fails if all candidates have failed, with the failure of the first one. */
static Status check_failures(Tune *tune, cleave_error *error)
{
    if (count_in(tune) > 0 || tune->round > 0 || atomic_load(&tune->late))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "run 'cleave cv' with the same options first",
                         "every candidate failed: %.600s", tune->candidate[0].failure);
}

static Status run_rung(Tune *tune, cleave_error *error)
{
    cleave_rung *facts = &tune->rung_facts[tune->rung];
    uint32_t first = tune->base.fold_count > FIRST_FOLDS ? FIRST_FOLDS : tune->base.fold_count;
    uint32_t entered = count_in(tune), dropped_before = facts->dropped;

    facts->share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    facts->entered += entered;
    TRY(clv_tune_stage(tune, 0, first, error));
    TRY(check_failures(tune, error));
    if (!atomic_load(&tune->late) && first < tune->base.fold_count) {
        note_best(tune);
        drop_worse(tune, first);
        TRY(clv_tune_stage(tune, first, tune->base.fold_count, error));
        TRY(check_failures(tune, error));
    }
    facts->failed += entered - (facts->dropped - dropped_before) - count_in(tune);
    facts->finished |= !atomic_load(&tune->late);
    tune->work_done += facts->share * entered * tune->base.fold_count;
    note_best(tune);
    return OK;
}

Status clv_tune_rungs(Tune *tune, cleave_error *error)
{
    for (tune->rung = 0; tune->rung < tune->rungs; tune->rung++) {
        TRY(run_rung(tune, error));
        if (tune->facts.rung_count < tune->rung + 1)
            tune->facts.rung_count = tune->rung + 1;
        if (atomic_load(&tune->late)) {
            for (uint32_t i = 0; i < tune->count; i++)
                if (is_in(tune, i) && pool_of(tune, i).folds < tune->base.fold_count)
                    tune->candidate[i].state = CLEAVE_TRIAL_OUT_OF_TIME;
            break;
        }
        if (tune->rung + 1 < tune->rungs) {
            uint32_t count = rank(tune), places = tune->plan[tune->rung + 1].entrants;

            for (uint32_t i = 0; i < count; i++) {
                Candidate *candidate = &tune->candidate[tune->order[i]];

                if (i < places || candidate->number == 1)
                    candidate->rungs++;
                else
                    candidate->state = CLEAVE_TRIAL_ELIMINATED;
            }
        }
    }
    return OK;
}

/* ---- rounds */

/* Finds the best among the candidates evaluated on all folds of the last rung. */
static uint32_t find_incumbent(Tune *tune)
{
    TrialPool best = {.loss = (double)NAN};
    uint32_t found = NO_INCUMBENT;

    tune->rung = tune->rungs - 1;
    for (uint32_t i = 0; i < tune->count; i++) {
        TrialPool mine = pool_of(tune, i);

        if (tune->candidate[i].rungs < tune->rungs ||
            tune->candidate[i].state != CLEAVE_TRIAL_FINISHED ||
            mine.folds < tune->base.fold_count ||
            (found != NO_INCUMBENT && !is_better(&mine, &best)))
            continue;
        best = mine;
        found = i;
    }
    return found;
}

/* The number of candidates of the next round. */
static uint32_t next_round(const Tune *tune)
{
    int64_t left = tune->base.options.trials > 0 ? tune->base.options.trials - tune->count
                   : tune->base.options.budget   ? tune->base.options.candidates
                                                 : 0;

    if (tune->exhausted || atomic_load(&tune->late) || left <= 0)
        return 0;
    return (uint32_t)(left < tune->base.options.candidates ? left : tune->base.options.candidates);
}

Status clv_tune_rounds(Tune *tune, cleave_error *error)
{
    uint32_t wanted;

    while ((wanted = next_round(tune)) > 0) {
        uint32_t before = tune->count;

        tune->incumbent = find_incumbent(tune);
        tune->round++;
        clv_plan_rungs(wanted, tune->rows, tune->rungs, tune->plan);
        TRY(clv_tune_draw(tune, wanted, error));
        if (tune->count > before)
            TRY(clv_tune_rungs(tune, error));
    }
    return OK;
}
