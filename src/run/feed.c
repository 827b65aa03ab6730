#include "run/feed.h"

#include <math.h>

enum { SAMPLE_ROWS = 1000 };

/* ---- the calibrated rate ------------------------------------------------------------------------------------------ */

/* The loss on the sample after one step over it at this rate, by a copy that is thrown away. */
static Status try_rate(Run *run, const Block *sample, double factor, double *loss)
{
    Fit trial = run->fit;
    Judgement judgement = {0};
    Model *model = NULL;
    double *scores = NULL;
    Status status;

    *loss = INFINITY;
    trial.trace = NULL;
    trial.calibrate_every = 0;
    trial.wants_sample = false;
    trial.state = clv_alloc_zero(run->context, 1, run->method->state_size);
    if (!trial.state)
        return clv_fail_memory(run->error, "the state of a method", run->method->state_size);
    status = run->method->begin(&trial);
    if (status == OK)
        status = run->method->copy(&trial, &run->fit);
    if (status == OK) {
        run->method->set_rate(&trial, factor);
        status = run->method->step(&trial, sample);
        if (status == OK) {
            Fit kept = run->fit;

            run->fit = trial;
            status = clv_run_make_model(run, &model);
            run->fit = kept;
        }
        /* A rate that leaves the range of a float is no rate; that is no error of the run. */
        if (status == CLEAVE_ERROR_DATA)
            status = OK;
    }
    if (status == OK && model) {
        scores = clv_alloc(run->context, sample->rows * run->fit.outputs, sizeof *scores);
        status = scores ? clv_judge_block(model, sample, run->label_number, false, scores, &judgement, run->error)
                        : clv_fail_memory(run->error, "scores", sample->rows * sizeof *scores);
        if (status == OK && isfinite(judgement.loss))
            *loss = judgement.loss;
    }
    cleave_model_free(model);
    clv_free(run->context, scores);
    run->method->free(&trial);
    clv_free(run->context, trial.state);
    return status;
}

static Status calibrate(Run *run, const Block *sample)
{
    static const double first[] = {1, 1.0 / 1024, 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4, 4, 16, 64, 256, 1024};
    static const double later[] = {1, 0.5, 2, 0.25, 4};
    Fit *fit = &run->fit;
    bool begun = fit->calibrate_next > 0;
    const double *factors = begun ? later : first;
    size_t count = begun ? sizeof later / sizeof *later : sizeof first / sizeof *first;
    double best = INFINITY, rate = fit->rate_factor > 0 ? fit->rate_factor : 1, chosen = rate;

    for (size_t i = 0; i < count; i++) {
        double loss;

        TRY(try_rate(run, sample, rate * factors[i], &loss));
        if (loss < best) {
            best = loss;
            chosen = rate * factors[i];
        }
    }
    fit->rate_factor = chosen;
    run->method->set_rate(fit, chosen);
    fit->calibrate_next = fit->seen + fit->calibrate_every;
    return OK;
}

/* ---- samples ------------------------------------------------------------------------------------------------------ */

static bool rate_is_due(const Fit *fit)
{
    return fit->calibrate_every > 0 && fit->seen >= fit->calibrate_next;
}

/* Rows from on of a block, count of them at the most, copied behind what is gathered. */
static Status gather(Run *run, Gathered *rows, const Block *block, uint32_t *from, uint32_t count)
{
    for (; *from < block->rows && count > 0; (*from)++, count--) {
        TRY(GROW(run->context, rows->number, rows->capacity, (size_t)rows->builder.rows + 1, run->error));
        rows->number[rows->builder.rows] = block_row_number(block, *from);
        TRY(clv_builder_copy_row(&rows->builder, block, *from, block_label(block, *from), run->error));
    }
    return OK;
}

/* Steps over what was gathered, as a sample first where one is wanted. */
static Status learn_gathered(Run *run, Gathered *rows, bool is_sample)
{
    Fit *fit = &run->fit;
    Block block;

    if (rows->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&rows->builder, &block, run->error));
    block.row_number = rows->number;
    if (is_sample && fit->wants_sample) {
        TRY(run->method->sample(fit, &block));
        fit->wants_sample = false;
    }
    if (is_sample && rate_is_due(fit))
        TRY(calibrate(run, &block));
    TRY(run->method->step(fit, &block));
    clv_builder_clear(&rows->builder);
    return OK;
}

static void begin_gathering(Run *run, Gathered *rows)
{
    if (rows->begun)
        return;
    clv_builder_init(&rows->builder, run->context);
    rows->builder.passing_by = true;
    clv_builder_clear(&rows->builder);
    rows->begun = true;
}

Status clv_feed(Run *run, const Block *block)
{
    Fit *fit = &run->fit;
    uint32_t row = 0;

    if (!fit->wants_sample && fit->calibrate_every == 0)
        return run->method->step(fit, block);
    begin_gathering(run, &run->sample);
    begin_gathering(run, &run->slice);
    while (row < block->rows) {
        if (run->sample.builder.rows > 0 || fit->wants_sample || rate_is_due(fit)) {
            TRY(gather(run, &run->sample, block, &row, SAMPLE_ROWS - run->sample.builder.rows));
            if (run->sample.builder.rows == SAMPLE_ROWS)
                TRY(learn_gathered(run, &run->sample, true));
        } else {
            uint64_t left = fit->calibrate_every ? fit->calibrate_next - fit->seen : UINT32_MAX;

            TRY(gather(run, &run->slice, block, &row, left < UINT32_MAX ? (uint32_t)left : UINT32_MAX));
            TRY(learn_gathered(run, &run->slice, false));
        }
    }
    return OK;
}

Status clv_feed_sample(Run *run, Sweep *sweep)
{
    Gathered *rows = &run->sample;
    Block block;

    begin_gathering(run, rows);
    TRY(clv_sweep_begin(sweep, run->fit.round, run->error));
    while (rows->builder.rows < SAMPLE_ROWS) {
        const Block *next;
        uint32_t from = 0;

        TRY(clv_sweep_next(sweep, &next, run->error));
        if (!next)
            break;
        TRY(gather(run, rows, next, &from, SAMPLE_ROWS - rows->builder.rows));
    }
    if (rows->builder.rows > 0) {
        TRY(clv_builder_finish(&rows->builder, &block, run->error));
        TRY(run->method->sample(&run->fit, &block));
        clv_builder_clear(&rows->builder);
    }
    run->fit.wants_sample = false;
    return OK;
}

Status clv_feed_end(Run *run)
{
    return run->sample.begun ? learn_gathered(run, &run->sample, true) : OK;
}

void clv_feed_free(Run *run)
{
    Gathered *both[] = {&run->sample, &run->slice};

    for (size_t i = 0; i < 2; i++) {
        if (both[i]->begun)
            clv_builder_free(&both[i]->builder);
        clv_free(run->context, both[i]->number);
        *both[i] = (Gathered){0};
    }
}
