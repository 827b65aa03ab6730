/* What is told of a tuning: the space, the candidates by merit with the winner first, and what the first trial remarked. */
#include "select/tune_search.h"

#include <stdlib.h>

/* Where time was over, as it stood in the rung that the winner was chosen in. */
static void tell_candidate(Tune *tune, uint32_t number, uint32_t chosen, cleave_candidate *told)
{
    const Candidate *candidate = &tune->candidate[number];
    bool back = candidate->fate == CLEAVE_TRIAL_OUT_OF_TIME && candidate->rungs > chosen;
    uint32_t rung = back ? chosen : candidate->rungs - 1;
    Pooled pooled;

    tune->rung = rung;
    pooled = pooled_of(tune, number);
    *told = (cleave_candidate){.number = candidate->number,
                               .setting_count = candidate->draw.count,
                               .settings = candidate->draw.list,
                               .transform = candidate->draw.transform,
                               .rung = rung + 1,
                               .folds = pooled.folds,
                               .rows = pooled.n,
                               .errors = pooled.errors,
                               .error = pooled.error,
                               .low = pooled.n ? pooled.low : (double)NAN,
                               .high = pooled.n ? pooled.high : (double)NAN,
                               .metric = clv_metric_measure(tune->metric, &pooled.metric, 1),
                               .seconds = pooled.seconds,
                               .status = candidate->fate,
                               .failure = candidate->fate == CLEAVE_TRIAL_FAILED ? candidate->failure : NULL};
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

/* The winner stands first even where a later rung was begun and not finished. */
static void tell_candidates(Tune *tune, uint32_t winner, uint32_t rung)
{
    TuneResult *result = tune->result;
    cleave_tune_result *facts = &result->facts;

    for (uint32_t i = 0; i < tune->count; i++)
        tell_candidate(tune, i, rung, &result->told[i]);
    qsort(result->told, tune->count, sizeof *result->told,
          tune->metric->facts.higher_is_better ? higher_first : lower_first);
    for (uint32_t i = 0; i < tune->count; i++)
        if (result->told[i].number == winner + 1) {
            cleave_candidate best = result->told[i];

            memmove(result->told + 1, result->told, i * sizeof *result->told);
            result->told[0] = best;
            break;
        }
    for (uint32_t i = 0; i < tune->count; i++)
        if (result->told[i].number == 1)
            facts->default_candidate = i;
    facts->candidates = result->told;
    facts->candidate_count = tune->count;
}

static void tell_space(Tune *tune)
{
    TuneResult *result = tune->result;

    for (size_t i = 0; i < result->space.count; i++) {
        const Range *range = &result->space.list[i];

        result->tuned[i] = (cleave_tuned_param){
            .name = range->name,
            .scale = range->scale,
            .low = range->low,
            .high = range->high,
            .values = range->text,
            .when = range->asked || range->part != PART_METHOD ? NULL : range->param->tune_when};
    }
    result->facts.tuned = result->tuned;
    result->facts.tuned_count = result->space.count;
}

static void tell_remarks(const Tune *tune)
{
    for (size_t i = 0; i < tune->remark_count; i++) {
        const Remark *remark = &tune->remarks[i];

        if (remark->level == CLEAVE_LOG_NOTE)
            clv_note(tune->context, "%s", remark->message);
        else
            clv_warn(tune->context, remark->hint, "fold 1: %s", remark->message);
    }
}

void clv_tune_tell(Tune *tune, uint32_t winner, uint32_t rung)
{
    cleave_tune_result *facts = &tune->result->facts;

    facts->method = tune->method->name;
    facts->regression = tune->regression;
    facts->metric = &tune->metric->facts;
    facts->positive = clv_trial_positive(tune->metric, &tune->run, &tune->dataset->labels, tune->result->positive);
    facts->rows = tune->dataset->rows - (tune->folds.apart ? tune->folds.size[tune->fold_count] : 0);
    facts->groups = tune->options.by_group ? tune->folds.groups : 0;
    facts->seed = (uint64_t)tune->run.seed;
    facts->folds = tune->fold_count;
    facts->forward = tune->folds.forward;
    facts->rungs = tune->result->rung;
    facts->chosen_in = rung + 1;
    tune->result->test_ratio = clv_folds_test_ratio(&tune->folds) / tune->result->rung[rung].share;
    facts->out_of_time = atomic_load(&tune->late);
    facts->rounds = tune->candidate[tune->count - 1].round + 1;
    facts->exhausted = tune->exhausted;
    facts->trials = tune->trials;
    facts->resumed = tune->found;
    facts->warm_started = tune->warm;
    tell_space(tune);
    tell_candidates(tune, winner, rung);
    tell_remarks(tune);
}
