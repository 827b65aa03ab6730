/* Tells the tracer of every visit of an example, with the weights after it. */
#include "train/run.h"

enum { LONGEST_NAME = 255 };

Status clv_run_trace_workspace(Run *run)
{
    size_t outputs = run->fit.outputs;

    TRY(GROW(run->context, run->weights, run->weights_capacity, outputs * (size_t)run->fit.features + 1, run->error));
    if (!run->thresholds) {
        run->thresholds = clv_alloc_zero(run->context, outputs, sizeof *run->thresholds);
        run->scores = clv_alloc_zero(run->context, outputs, sizeof *run->scores);
    }
    if (!run->thresholds || !run->scores)
        return clv_fail_memory(run->error, "a trace", outputs * sizeof *run->scores);
    return GROW(run->context, run->row_name, run->row_name_capacity, LONGEST_NAME + 1, run->error);
}

void clv_run_trace_free(Run *run)
{
    clv_free(run->context, run->weights);
    clv_free(run->context, run->thresholds);
    clv_free(run->context, run->scores);
    clv_free(run->context, run->row_name);
}

static void name_row(Run *run, const Block *block, uint32_t row)
{
    uint32_t start = row ? block->name_end[row - 1] : 0, length = block->name_end[row] - start;

    length = length < LONGEST_NAME ? length : LONGEST_NAME;
    memcpy(run->row_name, block->name + start, length);
    run->row_name[length] = '\0';
}

static const char *label_of(Run *run, const Block *block, uint32_t row)
{
    uint32_t label = block_label(block, row);

    return label < run->labels->count ? run->labels->list[label].text : "";
}

/* Block NULL: a step between examples. */
void clv_run_trace(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok)
{
    Run *run = fit->driver;
    double scale = fit->method->scale ? fit->method->scale(fit) : 1;
    cleave_trace_event event = {
        .epoch = run->tracing_start ? 0 : fit->round + 1,
        .correct = ok,
        .outputs = fit->outputs,
        .features = fit->features,
        .weights = run->weights,
        .thresholds = run->thresholds,
        .names = run->names,
        .learns_threshold = fit->method->learns_threshold && fit->method->learns_threshold(fit->options),
    };

    fit->method->look(fit, run->weights, run->thresholds);
    if (block) {
        event.example_row = block_row_number(block, row) + 1;
        event.label = label_of(run, block, row);
        event.scores = run->scores;
        for (size_t i = 0; i < event.outputs; i++) {
            run->scores[i] = scale * scores[i];
            if (!event.learns_threshold)
                run->scores[i] += run->thresholds[i];
        }
        if (block->name_end) {
            name_row(run, block, row);
            event.example_name = run->row_name;
        }
    }
    run->tracer->event(run->tracer->user, &event);
}
