/*
 * Rungs of a tuning, by successive halving: after two folds who is hopeless is given up, after all of them the best third goes up to the next rung.
 * Ranks follow from outcomes of whole stages alone, never from who was ready first.
 */
#include "api/tune_search.h"

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

/* The defaults stay, for the winner to be held against. */
static void drop_hopeless(Tune *tune, uint32_t folds)
{
    uint32_t count = rank(tune);

    for (uint32_t i = 1; i < count; i++) {
        uint32_t number = tune->order[i];

        if (number != 0 &&
            clv_is_hopeless(outcome_of(tune, number, 0), outcome_of(tune, tune->order[0], 0), folds, tune->metric)) {
            tune->candidate[number].fate = CLEAVE_FATE_HOPELESS;
            tune->result->rung[tune->rung].hopeless++;
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
            candidate->fate = CLEAVE_FATE_HALVED;
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
    if (count_in(tune) > 0 || atomic_load(&tune->late))
        return OK;
    clv_fail(error, CLEAVE_ERROR_DATA, "no candidate could be tried: %.600s", tune->candidate[0].failure);
    return clv_hint(error, CLEAVE_ERROR_DATA, "try 'cleave cv' with the same options first");
}

static Status run_rung(Tune *tune, cleave_error *error)
{
    cleave_rung *told = &tune->result->rung[tune->rung];
    uint32_t first = tune->fold_count > FIRST_FOLDS ? FIRST_FOLDS : tune->fold_count;

    told->share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    told->entered = count_in(tune);
    TRY(clv_tune_stage(tune, 0, first, error));
    TRY(check_failures(tune, error));
    if (!atomic_load(&tune->late) && first < tune->fold_count) {
        note_best(tune);
        drop_hopeless(tune, first);
        TRY(clv_tune_stage(tune, first, tune->fold_count, error));
        TRY(check_failures(tune, error));
    }
    told->failed = told->entered - told->hopeless - count_in(tune);
    told->finished = !atomic_load(&tune->late);
    tune->work_done += told->share * told->entered * tune->fold_count;
    note_best(tune);
    return OK;
}

static void mark_late(Tune *tune)
{
    for (uint32_t i = 0; i < tune->count; i++)
        if (is_in(tune, i) && pooled_of(tune, i).folds < tune->fold_count)
            tune->candidate[i].fate = CLEAVE_FATE_LATE;
}

Status clv_tune_rungs(Tune *tune, cleave_error *error)
{
    for (tune->rung = 0; tune->rung < tune->rungs; tune->rung++) {
        TRY(run_rung(tune, error));
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
