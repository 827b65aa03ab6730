/*
 * Before the first trial of a tuning: the space, rows dealt into folds, and candidates drawn so that no two are the same and the parameters of each go
 * together.
 */
#include "api/tune_search.h"

/* Draws of one candidate before none is thought to be left. */
enum { MOST_ATTEMPTS = 200 };

static bool is_known(const Tune *tune, const Draw *draw)
{
    for (uint32_t i = 0; i < tune->count; i++) {
        const Buffer *other = &tune->candidate[i].draw.sameness;

        if (other->size == draw->sameness.size && memcmp(other->data, draw->sameness.data, other->size) == 0)
            return true;
    }
    return false;
}

/* One that there is not yet, whose parameters go together; *there is false where none is found. */
static Status draw_candidate(Tune *tune, uint32_t number, bool *there, cleave_error *error)
{
    const Space *space = &tune->result->space;
    Candidate *candidate = &tune->candidate[number];

    *there = false;
    for (uint32_t attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        Draw draw;
        bool fine;
        Status status = clv_space_draw(space, (uint64_t)tune->run.seed, number, attempt, &draw, &fine, error);

        if (status == OK && fine && !is_known(tune, &draw)) {
            *there = true;
            *candidate = (Candidate){.draw = draw, .number = number + 1, .rungs = 1};
            candidate->outcome = clv_alloc_zero(tune->context, (size_t)tune->rungs * tune->fold_count,
                                                sizeof *candidate->outcome);
            tune->count = tune->result->count = number + 1;
            return candidate->outcome ? OK : clv_fail_memory(error, "candidates", tune->fold_count * sizeof(Outcome));
        }
        clv_draw_free(space, &draw);
        TRY(status);
    }
    return OK;
}

Status clv_tune_draw(Tune *tune, cleave_error *error)
{
    uint32_t wanted = (uint32_t)tune->options.candidates;
    bool there = true;

    for (uint32_t i = 0; i < wanted && there; i++)
        TRY(draw_candidate(tune, i, &there, error));
    if (tune->count < 2)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "what is left to tune has no values but the defaults");
    for (uint32_t i = 0; i < tune->rungs; i++)
        tune->work_all += tune->plan[i].entrants * (tune->plan[i].share > 0 ? tune->plan[i].share : 1) *
                          tune->fold_count;
    return OK;
}

Status clv_tune_build_space(Tune *tune, const cleave_options *training, cleave_error *error)
{
    Space *space = &tune->result->space;

    TRY(clv_space_build(tune->context, tune->method, training, tune->options.over, space, error));
    if (space->count > 0)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "nothing is left to tune of '%s'", tune->method->name);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "leave an option out, or say --over NAME=LOW..HIGH: 'cleave help %s'",
                    tune->method->name);
}

Status clv_tune_make_room(Tune *tune, cleave_error *error)
{
    TuneResult *result = tune->result;
    size_t wanted = (size_t)tune->options.candidates;

    result->candidate = clv_alloc_zero(tune->context, wanted, sizeof *result->candidate);
    result->told = clv_alloc_zero(tune->context, wanted, sizeof *result->told);
    result->rung = clv_alloc_zero(tune->context, MOST_RUNGS, sizeof *result->rung);
    result->tuned = clv_alloc_zero(tune->context, result->space.count, sizeof *result->tuned);
    tune->segment = clv_alloc_zero(tune->context, wanted, sizeof *tune->segment);
    tune->order = clv_alloc_zero(tune->context, wanted, sizeof *tune->order);
    tune->candidate = result->candidate;
    if (!result->candidate || !result->told || !result->rung || !result->tuned || !tune->segment || !tune->order)
        return clv_fail_memory(error, "candidates", wanted * sizeof *result->candidate);
    return OK;
}

Status clv_tune_deal(Tune *tune, cleave_error *error)
{
    bool apart = tune->options.test_share > 0;
    FoldPlan plan = {.count = tune->fold_count + apart,
                     .last_share = tune->options.test_share,
                     .seed = (uint64_t)tune->run.seed,
                     .numbers = tune->regression,
                     .by_group = tune->options.by_group,
                     .by_time = tune->options.by_time,
                     .forward = true};

    TRY(clv_folds_check_options(plan.by_time, plan.by_group, 1, error));
    TRY(clv_folds_deal(tune->dataset, &plan, &tune->folds, error));
    tune->folds.apart = apart;
    return OK;
}
