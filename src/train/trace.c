/* Reports every visit of an example to the tracer, with the weights after it. */
#include "train/run.h"

#include <stdio.h>

enum { LONGEST_NAME = 255 };

/* Names the weights of a feature a.1, a.2, … */
static Status name_weights(Run *run)
{
    Names *names = &run->tracing.names;
    char name[LONGEST_NAME + 16], buffer[24];
    uint32_t number;

    clv_names_init(names, run->context, false);
    for (uint32_t i = 0; i < run->fit.features; i++)
        for (uint32_t j = 0; j < run->tracing.per_feature; j++) {
            snprintf(name, sizeof name, "%.*s.%u", LONGEST_NAME,
                     clv_names_get(run->problem.names, i, buffer), j + 1);
            TRY(clv_names_add(names, name, strlen(name), &number, run->error));
        }
    return OK;
}

Status clv_run_trace_workspace(Run *run)
{
    const MethodInspection *inspection = run->fit.method->inspection;
    size_t outputs = run->fit.outputs;

    run->tracing.per_feature = inspection->weights_per_feature
                                   ? inspection->weights_per_feature(run->fit.options)
                                   : 1;
    TRY(GROW(run->context, run->tracing.weights, run->tracing.weights_capacity,
             outputs * (size_t)run->fit.features * run->tracing.per_feature + 1, run->error));
    TRY(GROW(run->context, run->tracing.gradient, run->tracing.gradient_capacity,
             outputs * ((size_t)run->fit.features + 1), run->error));
    if (run->tracing.per_feature > 1 && !run->tracing.names.context)
        TRY(name_weights(run));
    if (!run->tracing.thresholds) {
        run->tracing.thresholds = clv_alloc_zero(run->context, outputs,
                                                 sizeof *run->tracing.thresholds);
        run->tracing.scores = clv_alloc_zero(run->context, outputs, sizeof *run->tracing.scores);
    }
    if (!run->tracing.thresholds || !run->tracing.scores)
        return clv_fail_memory(run->error, "a trace", outputs * sizeof *run->tracing.scores);
    return GROW(run->context, run->tracing.row_name, run->tracing.row_name_capacity,
                LONGEST_NAME + 1, run->error);
}

void clv_run_trace_free(Run *run)
{
    FREE(run->context, run->tracing.weights, run->tracing.thresholds, run->tracing.scores,
         run->tracing.row_name, run->tracing.gradient);
    if (run->tracing.names.context)
        clv_names_free(&run->tracing.names);
}

static const char *label_of(Run *run, const Block *block, uint32_t row)
{
    uint32_t label = block_label(block, row);

    return label < run->labels->count ? run->labels->list[label].text : "";
}

/* The gradient of a step, one output after another. */
static void put_gradient(const Fit *fit, double *gradient, cleave_trace_event *event)
{
    size_t count = (size_t)fit->features * fit->outputs;

    for (size_t i = 0; i < count; i++)
        gradient[i % fit->outputs * fit->features + i / fit->outputs] = fit->gradient[i];
    memcpy(gradient + count, fit->gradient + count, fit->outputs * sizeof *gradient);
    event->gradient = gradient;
    event->intercept_gradient = gradient + count;
}

/* Reports an event. If block is NULL, the event is a step between examples. */
void clv_run_trace(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok)
{
    Run *run = fit->driver;
    double scale = METHOD_HAS(fit->method, inspection, score_scale)
                       ? fit->method->inspection->score_scale(fit)
                       : 1;
    cleave_trace_event event = {
        .epoch = run->tracing.start ? 0 : fit->counters.epoch + 1,
        .correct = ok,
        .outputs = fit->outputs,
        .features = (size_t)fit->features * run->tracing.per_feature,
        .weights = run->tracing.weights,
        .thresholds = run->tracing.thresholds,
        .names = run->tracing.per_feature > 1 ? &run->tracing.names : run->problem.names,
        .learns_threshold = METHOD_HAS(fit->method, inspection, learns_threshold) &&
                            fit->method->inspection->learns_threshold(fit->options),
    };

    fit->method->inspection->weights(fit, run->tracing.weights, run->tracing.thresholds);
    if (block) {
        event.example_row = block_row_number(block, row) + 1;
        event.label = label_of(run, block, row);
        event.scores = run->tracing.scores;
        for (size_t i = 0; i < event.outputs; i++) {
            run->tracing.scores[i] = scale * scores[i];
            if (!event.learns_threshold)
                run->tracing.scores[i] += run->tracing.thresholds[i];
        }
        if (block->name_end) {
            uint32_t start = row ? block->name_end[row - 1] : 0,
                     length = block->name_end[row] - start;

            length = length < LONGEST_NAME ? length : LONGEST_NAME;
            memcpy(run->tracing.row_name, block->name + start, length);
            run->tracing.row_name[length] = '\0';
            event.example_name = run->tracing.row_name;
        }
    }
    if (!block && !run->tracing.start && fit->gradient)
        put_gradient(fit, run->tracing.gradient, &event);
    run->job.tracer->event(run->job.tracer->user, &event);
}
