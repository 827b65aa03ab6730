/* The candidates of a tuning: the search space, and distinct draws from it whose parameters are
 * compatible. */
#include "select/tune.h"

/* Number of draws for one candidate before the combinations are listed instead. */
enum { MOST_ATTEMPTS = 200 };

/* Adds a draw to the candidates unless it is known or has incompatible parameters. */
static Status take_draw(Tune *tune, const DrawPlan *plan, bool *added, cleave_error *error)
{
    Candidate *candidate = &tune->candidate[tune->count];
    size_t results = (size_t)tune->rungs * tune->base.fold_count;
    Draw draw;
    Status status = clv_space_draw(&tune->space, plan, &draw, added, error);

    for (uint32_t i = 0; status == OK && *added && i < tune->count; i++) {
        const Buffer *other = &tune->candidate[i].draw.identity;

        *added = other->size != draw.identity.size ||
                 memcmp(other->data, draw.identity.data, other->size) != 0;
    }
    if (status != OK || !*added) {
        clv_draw_free(&tune->space, &draw);
        return status;
    }
    *candidate = (Candidate){
        .draw = draw, .number = tune->count + 1, .round = tune->round, .rungs = 1};
    tune->count++;
    TRY(ALLOC_ZERO(tune->base.context, candidate->result, results, "candidates", error));
    return clv_readings_find(&tune->readings, draw.reading, &candidate->reading, error);
}

/* Adds a new random candidate; in later rounds every other candidate is near the best so far. If no
 * random candidate is new, adds the next combination of a finite space, in which each combination
 * is visited once. *added is false if there is none. */
static Status draw_candidate(Tune *tune, bool *added, cleave_error *error)
{
    bool local = tune->incumbent != NO_INCUMBENT && tune->count % 2 == 0;
    DrawPlan plan = {.seed = tune->base.seed,
                     .number = tune->count,
                     .near = local ? &tune->candidate[tune->incumbent].draw : NULL};
    uint64_t size = clv_space_size(&tune->space);

    *added = false;
    for (; !*added && plan.attempt < MOST_ATTEMPTS; plan.attempt++)
        TRY(take_draw(tune, &plan, added, error));
    while (!*added && tune->listed < size)
        TRY(take_draw(tune,
                      &(DrawPlan){.number = tune->count, .listed = true, .index = tune->listed++},
                      added, error));
    return OK;
}

static Status reserve_candidates(Tune *tune, size_t wanted, cleave_error *error)
{
    Context *context = tune->base.context;
    Candidate *candidate = clv_resize(context, tune->candidate, wanted, sizeof *candidate);

    if (candidate)
        tune->candidate = candidate;
    FREE(context, tune->ranked, tune->segment, tune->order);
    tune->ranked = clv_alloc_zero(context, wanted, sizeof *tune->ranked);
    tune->segment = clv_alloc_zero(context, wanted, sizeof *tune->segment);
    tune->order = clv_alloc_zero(context, wanted, sizeof *tune->order);
    if (!tune->rung_facts)
        tune->rung_facts = clv_alloc_zero(context, MOST_RUNGS, sizeof *tune->rung_facts);
    if (!tune->tuned)
        tune->tuned = clv_alloc_zero(context, tune->space.count, sizeof *tune->tuned);
    if (!candidate || !tune->ranked || !tune->rung_facts || !tune->tuned || !tune->segment ||
        !tune->order)
        return clv_fail_memory(error, "candidates", wanted * sizeof *candidate);
    return OK;
}

Status clv_tune_draw(Tune *tune, uint32_t wanted, cleave_error *error)
{
    uint32_t before = tune->count;
    bool added = true;

    TRY(reserve_candidates(tune, (size_t)before + wanted, error));
    while (tune->count < before + wanted && added)
        TRY(draw_candidate(tune, &added, error));
    tune->exhausted = !added;
    for (uint32_t i = 0; i < tune->rungs; i++)
        tune->work_all += tune->plan[i].entrants *
                          (tune->plan[i].share > 0 ? tune->plan[i].share : 1) *
                          tune->base.fold_count;
    return OK;
}

/* Notes the parameters that --search-pipeline cannot search. */
static void note_pipeline_limits(const Tune *tune)
{
    const Space *space = &tune->space;
    bool any = false;

    for (size_t i = 0; i < space->count; i++)
        any |= space->list[i].part == PART_READING || space->list[i].part == PART_STEP;
    if (!any)
        clv_note(tune->base.context,
                 "--search-pipeline: the pipeline of this data has no parameter to search");
    else if (!space->data.rereadable && clv_schema_is_text(space->data.schema))
        clv_note(
            tune->base.context,
            "--search-pipeline: reading options are not searched because %s cannot be read again",
            tune->base.name);
}

Status clv_tune_build_space(Tune *tune, const cleave_options *training, cleave_error *error)
{
    const SelectOptions *options = &tune->base.options;
    Context *context = tune->base.context;
    Dataset *dataset = tune->base.dataset;
    SpaceData data = {.schema = &dataset->schema,
                      .rows = dataset->rows,
                      .entries = dataset->entries,
                      .features = dataset->features,
                      .search = options->search_pipeline,
                      .rereadable = clv_data_can_reread(tune->data),
                      .reading = tune->data->reading};

    TRY(clv_readings_begin(&tune->readings, context, tune->data, dataset, 0, error));
    TRY(clv_space_build(context, tune->method, training, &data, options->space, &tune->space,
                        error));
    if (options->search_pipeline)
        note_pipeline_limits(tune);
    if (tune->space.count > 0)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "the search space of '%s' is empty", tune->method->name);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "omit a fixed option, or add --space NAME=LOW..HIGH (see 'cleave help %s')",
                    tune->method->name);
}
