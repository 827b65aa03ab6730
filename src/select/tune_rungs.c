/*
 * Rungs of a tuning, by successive halving: after two folds who is hopeless is given up, after all of them the best third goes up to the next rung.
 * Ranks follow from outcomes of whole stages alone, never from who was ready first.
 */
#include "select/tune_search.h"

#include <stdio.h>

/* Folds of a rung before who is hopeless is given up. */
enum { FIRST_FOLDS = 2 };

/* ---- ranking */

/* Those who are in, the best first; of equals the one with the lower number. Returns how many. */
static uint32_t rank(Tune *tune)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tune->count; i++) {
        Pooled mine;
        uint32_t at = count;

        if (!is_in(tune, i))
            continue;
        mine = pooled_of(tune, i);
        for (; at > 0; at--) {
            Pooled other = pooled_of(tune, tune->order[at - 1]);

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
    value = clv_metric_value(tune->metric, pooled_of(tune, tune->order[0]).loss);
    if (tune->metric->facts.percent)
        snprintf(tune->best, sizeof tune->best, "%s %.2f %%", tune->metric->facts.title, 100 * value);
    else
        snprintf(tune->best, sizeof tune->best, "%s %.4g", tune->metric->facts.title, value);
}

/* The best of this and the earlier rounds, on the first folds of the rung. */
static uint32_t best_so_far(const Tune *tune, uint32_t folds)
{
    uint32_t first = tune->order[0], old = tune->incumbent;
    double loss;

    if (old == NO_INCUMBENT)
        return first;
    loss = clv_outcomes_pool(outcome_of(tune, first, 0), folds, tune->metric).loss;
    return clv_outcomes_pool(outcome_of(tune, old, 0), folds, tune->metric).loss <= loss ? old : first;
}

/* The defaults stay, for the winner to be held against. */
static void drop_hopeless(Tune *tune, uint32_t folds)
{
    uint32_t count = rank(tune), best = count ? best_so_far(tune, folds) : 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = tune->order[i];

        if (number != 0 && number != best &&
            clv_is_hopeless(outcome_of(tune, number, 0), outcome_of(tune, best, 0), folds, tune->metric)) {
            tune->candidate[number].fate = CLEAVE_TRIAL_DROPPED;
            tune->result->rung[tune->rung].dropped++;
        }
    }
}

static void promote(Tune *tune)
{
    uint32_t count = rank(tune), places = tune->plan[tune->rung + 1].entrants;

    for (uint32_t i = 0; i < count; i++) {
        Candidate *candidate = &tune->candidate[tune->order[i]];

        if (i < places || candidate->number == 1)
            candidate->rungs++;
        else
            candidate->fate = CLEAVE_TRIAL_ELIMINATED;
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

/* Where a fold has failed a candidate is out; where all are, the first one's failure is told. */
static Status check_failures(Tune *tune, cleave_error *error)
{
    if (count_in(tune) > 0 || tune->round > 0 || atomic_load(&tune->late))
        return OK;
    clv_fail(error, CLEAVE_ERROR_DATA, "no candidate could be tried: %.600s", tune->candidate[0].failure);
    return clv_hint(error, CLEAVE_ERROR_DATA, "try 'cleave cv' with the same options first");
}

static Status run_rung(Tune *tune, cleave_error *error)
{
    cleave_rung *told = &tune->result->rung[tune->rung];
    uint32_t first = tune->fold_count > FIRST_FOLDS ? FIRST_FOLDS : tune->fold_count;

    uint32_t entered = count_in(tune), hopeless = told->dropped;

    told->share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    told->entered += entered;
    TRY(clv_tune_stage(tune, 0, first, error));
    TRY(check_failures(tune, error));
    if (!atomic_load(&tune->late) && first < tune->fold_count) {
        note_best(tune);
        drop_hopeless(tune, first);
        TRY(clv_tune_stage(tune, first, tune->fold_count, error));
        TRY(check_failures(tune, error));
    }
    told->failed += entered - (told->dropped - hopeless) - count_in(tune);
    told->finished |= !atomic_load(&tune->late);
    tune->work_done += told->share * entered * tune->fold_count;
    note_best(tune);
    return OK;
}

static void mark_late(Tune *tune)
{
    for (uint32_t i = 0; i < tune->count; i++)
        if (is_in(tune, i) && pooled_of(tune, i).folds < tune->fold_count)
            tune->candidate[i].fate = CLEAVE_TRIAL_OUT_OF_TIME;
}

Status clv_tune_rungs(Tune *tune, cleave_error *error)
{
    for (tune->rung = 0; tune->rung < tune->rungs; tune->rung++) {
        TRY(run_rung(tune, error));
        if (tune->result->facts.rung_count < tune->rung + 1)
            tune->result->facts.rung_count = tune->rung + 1;
        if (atomic_load(&tune->late)) {
            mark_late(tune);
            break;
        }
        if (tune->rung + 1 < tune->rungs)
            promote(tune);
    }
    return OK;
}

/* ---- rounds */

/* Among the candidates evaluated on all folds of the last rung. */
static uint32_t find_incumbent(Tune *tune)
{
    Pooled best = {.loss = (double)NAN};
    uint32_t found = NO_INCUMBENT;

    tune->rung = tune->rungs - 1;
    for (uint32_t i = 0; i < tune->count; i++) {
        Pooled mine = pooled_of(tune, i);

        if (tune->candidate[i].rungs < tune->rungs || tune->candidate[i].fate != CLEAVE_TRIAL_FINISHED ||
            mine.folds < tune->fold_count || (found != NO_INCUMBENT && !is_better(&mine, &best)))
            continue;
        best = mine;
        found = i;
    }
    return found;
}

/* Number of candidates of the next round. */
static uint32_t next_round(const Tune *tune)
{
    int64_t left = tune->options.trials > 0 ? tune->options.trials - tune->count
                   : tune->options.budget   ? tune->options.candidates
                                            : 0;

    if (tune->exhausted || atomic_load(&tune->late) || left <= 0)
        return 0;
    return (uint32_t)(left < tune->options.candidates ? left : tune->options.candidates);
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
