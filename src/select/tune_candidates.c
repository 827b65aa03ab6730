/*
 * Before the first trial of a tuning: the space, rows dealt into folds, and candidates drawn so that no two are the same and the parameters of each go
 * together.
 */
#include "select/tune_search.h"

#include "train/batch_driver.h"

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

/* Adds the draw to the candidates. A draw that is known or has incompatible parameters is freed. */
static Status take_draw(Tune *tune, const DrawPlan *plan, bool *there, cleave_error *error)
{
    const Space *space = &tune->result->space;
    Candidate *candidate = &tune->candidate[tune->count];
    Draw draw;
    bool fine;
    Status status = clv_space_draw(space, plan, &draw, &fine, error);

    *there = status == OK && fine && !is_known(tune, &draw);
    if (!*there) {
        clv_draw_free(space, &draw);
        return status;
    }
    *candidate = (Candidate){.draw = draw, .number = tune->count + 1, .round = tune->round, .rungs = 1};
    status = clv_readings_find(&tune->readings, draw.reading, &candidate->reading, error);
    candidate->outcome = clv_alloc_zero(tune->context, (size_t)tune->rungs * tune->fold_count,
                                        sizeof *candidate->outcome);
    tune->result->count = ++tune->count;
    TRY(status);
    return candidate->outcome ? OK : clv_fail_memory(error, "candidates", tune->fold_count * sizeof(Outcome));
}

/* Adds the next combination of a finite space. Each combination is visited once per search. */
static Status list_candidate(Tune *tune, bool *there, cleave_error *error)
{
    uint64_t size = clv_space_size(&tune->result->space);

    *there = false;
    while (!*there && tune->listed < size)
        TRY(take_draw(tune, &(DrawPlan){.number = tune->count, .listed = true, .index = tune->listed++}, there, error));
    return OK;
}

/* Adds a new candidate; *there is false if there is none. Later rounds draw every other candidate
 * around the best so far. */
static Status draw_candidate(Tune *tune, bool *there, cleave_error *error)
{
    bool local = tune->incumbent != NO_INCUMBENT && tune->count % 2 == 0;
    DrawPlan plan = {.seed = (uint64_t)tune->run.seed,
                     .number = tune->count,
                     .near = local ? &tune->candidate[tune->incumbent].draw : NULL};

    *there = false;
    for (; !*there && plan.attempt < MOST_ATTEMPTS; plan.attempt++)
        TRY(take_draw(tune, &plan, there, error));
    return *there ? OK : list_candidate(tune, there, error);
}

static Status reserve_candidates(Tune *tune, size_t wanted, cleave_error *error)
{
    TuneResult *result = tune->result;
    Candidate *candidate = clv_resize(tune->context, result->candidate, wanted, sizeof *candidate);

    if (candidate)
        result->candidate = tune->candidate = candidate;
    clv_free(tune->context, result->told);
    clv_free(tune->context, tune->segment);
    clv_free(tune->context, tune->order);
    result->told = clv_alloc_zero(tune->context, wanted, sizeof *result->told);
    tune->segment = clv_alloc_zero(tune->context, wanted, sizeof *tune->segment);
    tune->order = clv_alloc_zero(tune->context, wanted, sizeof *tune->order);
    if (!result->rung)
        result->rung = clv_alloc_zero(tune->context, MOST_RUNGS, sizeof *result->rung);
    if (!result->tuned)
        result->tuned = clv_alloc_zero(tune->context, result->space.count, sizeof *result->tuned);
    if (!candidate || !result->told || !result->rung || !result->tuned || !tune->segment || !tune->order)
        return clv_fail_memory(error, "candidates", wanted * sizeof *candidate);
    return OK;
}

Status clv_tune_draw(Tune *tune, uint32_t wanted, cleave_error *error)
{
    uint32_t before = tune->count;
    bool there = true;

    TRY(reserve_candidates(tune, (size_t)before + wanted, error));
    while (tune->count < before + wanted && there)
        TRY(draw_candidate(tune, &there, error));
    tune->exhausted = !there;
    for (uint32_t i = 0; i < tune->rungs; i++)
        tune->work_all += tune->plan[i].entrants * (tune->plan[i].share > 0 ? tune->plan[i].share : 1) *
                          tune->fold_count;
    return OK;
}

/* Notes the parameters that --search-pipeline cannot search. */
static void note_pipeline_limits(const Tune *tune)
{
    const Space *space = &tune->result->space;
    bool any = false;

    for (size_t i = 0; i < space->count; i++)
        any |= space->list[i].part == PART_READING || space->list[i].part == PART_STEP;
    if (!any)
        clv_note(tune->context, "--search-pipeline: the pipeline of this data has no parameter to search");
    else if (!space->data.rereadable && clv_schema_is_text(space->data.schema))
        clv_note(tune->context, "--search-pipeline: reading options are not searched because %s cannot be read again",
                 tune->name);
}

Status clv_tune_build_space(Tune *tune, const cleave_options *training, cleave_error *error)
{
    Space *space = &tune->result->space;
    SpaceData data = {.schema = &tune->dataset->schema,
                      .rows = tune->dataset->rows,
                      .entries = tune->dataset->entries,
                      .features = tune->dataset->features,
                      .search = tune->options.search_pipeline,
                      .rereadable = clv_data_can_reread(tune->data),
                      .reading = tune->data->reading};

    TRY(clv_readings_begin(&tune->readings, tune->context, tune->data, tune->dataset, 0, error));
    TRY(clv_space_build(tune->context, tune->method, training, &data, tune->options.over, space, error));
    if (tune->options.search_pipeline)
        note_pipeline_limits(tune);
    if (space->count > 0)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "nothing is left to tune of '%s'", tune->method->name);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "leave an option out, or say --over NAME=LOW..HIGH: 'cleave help %s'",
                    tune->method->name);
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
    if (!tune->run.skip_unlabelled && !tune->method->training->accepts_unlabeled)
        TRY(clv_refuse_unlabelled(tune->dataset, tune->name, error));
    TRY(clv_folds_deal(tune->dataset, &plan, &tune->folds, error));
    tune->folds.apart = apart;
    return OK;
}
