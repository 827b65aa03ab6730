#include "train/feed.h"

#include "train/training_report.h"

#include <math.h>

enum { SAMPLE_ROWS = 1000 };

/* ---- calibrated learning rate ---------------------------------------------------------------- */

/* Labeled rows of a sample, alternately for training and for evaluation of a learning rate. */
typedef struct {
    Builder builder[2];
    Block learn, evaluate;
} Halves;

static Status split_sample(Run *run, const Block *sample, Halves *halves)
{
    for (int i = 0; i < 2; i++) {
        clv_builder_init(&halves->builder[i], run->context);
        clv_builder_clear(&halves->builder[i]);
    }
    for (uint32_t row = 0, taken = 0; row < sample->rows; row++) {
        uint32_t label = block_label(sample, row);

        if (run->fit.task == CLEAVE_TASK_REGRESSION ? !isnan(fit_target(&run->fit, sample, row))
                                                    : label < run->fit.classes)
            TRY(clv_builder_copy_row(&halves->builder[taken++ % 2], sample, row, label,
                                     run->error));
    }
    TRY(clv_builder_finish(&halves->builder[0], &halves->learn, run->error));
    return clv_builder_finish(&halves->builder[1], &halves->evaluate, run->error);
}

/* Computes the objective of a state on the evaluation rows: mean loss plus regularization. */
static Status evaluate_trial(Run *run, Fit *trial, const Block *rows, double *objective)
{
    Fit kept = run->fit;
    Evaluation evaluation = {0};
    Model *model = NULL;
    double *scores = NULL;
    Status status;

    run->fit = *trial;
    status = clv_run_make_model(run, &model);
    run->fit = kept;
    if (status == OK) {
        scores = clv_alloc(run->context, rows->rows * trial->outputs, sizeof *scores);
        status = scores ? model->method->inference->predict(model, rows, scores, run->error)
                        : clv_fail_memory(run->error, "scores", rows->rows * sizeof *scores);
    }
    if (status == OK)
        clv_evaluate_scores(model, rows, run->problem.label_number, false, scores, &evaluation);
    if (status == OK && evaluation.n)
        *objective = evaluation.loss / (double)evaluation.n;
    if (status == OK && run->job.method->training->penalty)
        *objective += run->job.method->training->penalty(trial, model);
    cleave_model_free(model);
    clv_free(run->context, scores);
    return status;
}

/* Computes the objective after one pass over the training rows at a learning rate, on a copy of the
 * state. */
static Status try_rate(Run *run, const Halves *halves, double factor, cleave_rate_trial *tried)
{
    Fit trial = run->fit;
    Status status;

    *tried = (cleave_rate_trial){.rate = (double)NAN, .objective = INFINITY};
    trial.trace = NULL;
    trial.calibration.every = 0;
    trial.wants_sample = false;
    TRY(clv_new(run->context, &trial.state, 1, run->job.method->state_size, true,
                "the state of the method", run->error));
    status = run->job.method->training->begin(&trial);
    THEN(status, run->job.method->training->copy_state(&trial, &run->fit));
    if (status == OK) {
        run->job.method->training->set_rate_factor(&trial, factor);
        tried->rate = METHOD_HAS(run->job.method, online, learning_rate)
                          ? run->job.method->online->learning_rate(&trial)
                          : factor;
        status = run->job.method->training->step(&trial, &halves->learn);
        THEN(status, evaluate_trial(run, &trial, &halves->evaluate, &tried->objective));
        /* A learning rate with infinite weights is skipped, and is not an error of the run. */
        if (status == CLEAVE_ERROR_DATA)
            status = OK;
    }
    if (!isfinite(tried->objective))
        tried->objective = INFINITY;
    run->job.method->training->free(&trial);
    clv_free(run->context, trial.state);
    return status;
}

/* Tries several learning rates and keeps the one with the lowest objective. Rates are evaluated on
 * held-out rows: on the training rows, a high rate that overfits would win. */
static Status try_rates(Run *run, const Halves *halves)
{
    static const double first[] = {1, 1.0 / 1024, 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 4,
                                   4, 16,         64,        256,      1024};
    static const double later[] = {1, 0.5, 2, 0.25, 4, 0.125, 0.0625};
    Fit *fit = &run->fit;
    bool begun = fit->calibration.next > 0;
    const double *factors = begun ? later : first;
    size_t count = begun ? sizeof later / sizeof *later : sizeof first / sizeof *first;
    double best = INFINITY, rate = fit->calibration.factor > 0 ? fit->calibration.factor : 1,
           chosen = rate;
    size_t kept = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        cleave_rate_trial tried;

        TRY(try_rate(run, halves, rate * factors[i], &tried));
        tried.seen = fit->counters.seen;
        if (tried.objective < best) {
            best = tried.objective;
            chosen = rate * factors[i];
            kept = run->report->facts.rate_count;
        }
        TRY(clv_report_rate(run->report, &tried, run->error));
    }
    if (kept != SIZE_MAX)
        run->report->rates[kept].kept = true;
    fit->calibration.factor = chosen;
    run->job.method->training->set_rate_factor(fit, chosen);
    return OK;
}

static Status calibrate(Run *run, const Block *sample)
{
    Halves halves = {0};
    Status status = split_sample(run, sample, &halves);

    THEN(status, try_rates(run, &halves));
    run->fit.calibration.next = run->fit.counters.seen + run->fit.calibration.every;
    clv_builder_free(&halves.builder[0]);
    clv_builder_free(&halves.builder[1]);
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool rate_is_due(const Fit *fit)
{
    return fit->calibration.every > 0 && fit->counters.seen >= fit->calibration.next;
}

/* Appends at most count rows of a block, beginning with row from, to the gathered rows. */
static Status gather(Run *run, GatheredRows *rows, const Block *block, uint32_t *from,
                     uint32_t count)
{
    for (; *from < block->rows && count > 0; (*from)++, count--) {
        TRY(GROW(run->context, rows->number, rows->capacity, (size_t)rows->builder.rows + 1,
                 run->error));
        rows->number[rows->builder.rows] = block_row_number(block, *from);
        TRY(clv_builder_copy_row(&rows->builder, block, *from, block_label(block, *from),
                                 run->error));
    }
    return OK;
}

/* Learns from the gathered rows, after using them as a sample if needed. */
static Status learn_gathered(Run *run, GatheredRows *rows, bool is_sample)
{
    Fit *fit = &run->fit;
    Block block;

    if (rows->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&rows->builder, &block, run->error));
    block.row_number = rows->number;
    if (is_sample && fit->wants_sample) {
        TRY(run->job.method->training->sample(fit, &block));
        fit->wants_sample = false;
    }
    if (is_sample && rate_is_due(fit))
        TRY(calibrate(run, &block));
    TRY(run->job.method->training->step(fit, &block));
    clv_builder_clear(&rows->builder);
    return OK;
}

static void begin_gathering(Run *run, GatheredRows *rows)
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

    if (!fit->wants_sample && fit->calibration.every == 0)
        return run->job.method->training->step(fit, block);
    begin_gathering(run, &run->feed.sample);
    begin_gathering(run, &run->feed.slice);
    while (row < block->rows) {
        if (run->feed.sample.builder.rows > 0 || fit->wants_sample || rate_is_due(fit)) {
            TRY(gather(run, &run->feed.sample, block, &row,
                       SAMPLE_ROWS - run->feed.sample.builder.rows));
            if (run->feed.sample.builder.rows == SAMPLE_ROWS)
                TRY(learn_gathered(run, &run->feed.sample, true));
        } else {
            uint64_t left = fit->calibration.every ? fit->calibration.next - fit->counters.seen
                                                   : UINT32_MAX;

            TRY(gather(run, &run->feed.slice, block, &row,
                       left < UINT32_MAX ? (uint32_t)left : UINT32_MAX));
            TRY(learn_gathered(run, &run->feed.slice, false));
        }
    }
    return OK;
}

Status clv_feed_sample(Run *run, Traversal *traversal)
{
    GatheredRows *rows = &run->feed.sample;
    Block block;

    begin_gathering(run, rows);
    TRY(clv_traversal_begin(traversal, run->fit.counters.epoch, run->error));
    while (rows->builder.rows < SAMPLE_ROWS) {
        const Block *next;
        uint32_t from = 0;

        TRY(clv_traversal_next(traversal, &next, run->error));
        if (!next)
            break;
        TRY(gather(run, rows, next, &from, SAMPLE_ROWS - rows->builder.rows));
    }
    if (rows->builder.rows > 0) {
        TRY(clv_builder_finish(&rows->builder, &block, run->error));
        TRY(run->job.method->training->sample(&run->fit, &block));
        clv_builder_clear(&rows->builder);
    }
    run->fit.wants_sample = false;
    return OK;
}

Status clv_feed_end(Run *run)
{
    return run->feed.sample.begun ? learn_gathered(run, &run->feed.sample, true) : OK;
}

void clv_feed_free(Run *run)
{
    GatheredRows *both[] = {&run->feed.sample, &run->feed.slice};

    for (size_t i = 0; i < 2; i++) {
        if (both[i]->begun)
            clv_builder_free(&both[i]->builder);
        clv_free(run->context, both[i]->number);
        *both[i] = (GatheredRows){0};
    }
}
