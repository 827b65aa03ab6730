#include "dist/plan.h"

#include "base/number.h"
#include "base/random.h"
#include "model/delta_bytes.h"
#include "model/registry.h"
#include "read/reader.h"
#include "train/batch_driver.h"

#include <stdio.h>

enum {
    SAMPLE_ENTRIES = 3000000,
    MOST_SAMPLE_ROWS = 60000,
    MOST_SAMPLE_FEATURES = 1 << 22,
    MOST_NUMBERS = 1 << 20,
    SHARDS = 8
};

/* Sizes in bytes: of a packed row and its entries, and of a weight in a state, a model, an update
 * and its sum. */
enum { ROW_BYTES = 5, ENTRY_BYTES = 6, WEIGHT_BYTES = 4, MODEL_BYTES = 4, UPDATE_BYTES = 32 };

static const char *const forms[] = {"average", "gradient", NULL};

const Param clv_plan_params[] = {
    REAL(PlanOptions, rows, 1e9, WITHIN(1, 1e18), "Number of rows."),
    REAL(PlanOptions, features, 47236, WITHIN(1, 2147483647), "Number of features."),
    REAL(PlanOptions, nonzeros, 75, WITHIN(1, 1e6), "Mean number of nonzero values per row."),
    NAME(PlanOptions, form, PLAN_AVERAGE, forms,
         "Training scheme: average separately trained models (sgd), or sum gradients (gd)."),
    REAL(PlanOptions, nodes, 1000, WITHIN(1, 1e6),
         "Maximum number of nodes; the table has 1, 2, 4, ... nodes."),
    REAL(PlanOptions, slots, 0, AT_LEAST(0), "Number of nodes that run at the same time.",
         DEFAULT("all")),
    REAL(PlanOptions, chunks, 0, AT_LEAST(0), "Number of shards.",
         DEFAULT("16, or the number of nodes")),
    REAL(PlanOptions, bandwidth, 1000, ABOVE(0), "Network bandwidth of a node, in MB/s."),
    REAL(PlanOptions, latency, 50, AT_LEAST(0), "Network latency, in microseconds."),
    REAL(PlanOptions, disk, 500, ABOVE(0), "Disk read rate of a node, in MB/s."),
    REAL(PlanOptions, rounds, 10, AT_LEAST(1), "Number of map-reduce rounds."),
    REAL(PlanOptions, row_bytes, 0, AT_LEAST(0), "Number of bytes of text per row.",
         DEFAULT("as in the sample")),
    END_OF_PARAMS,
};

const cleave_param *cleave_plan_params(void)
{
    return clv_plan_params;
}

/* ---- a sample of the shape ------------------------------------------------------------------- */

/* Writes rows of LIBSVM text: random features at even gaps, and a label that depends on some of
 * them. */
static Status write_sample(Context *context, const PlanOptions *options, uint64_t rows,
                           Buffer *text, cleave_error *error)
{
    double features = fmin(options->features, MOST_SAMPLE_FEATURES),
           gap = features / options->nonzeros;
    Random random = clv_random(1, 0);

    for (uint64_t row = 0; row < rows; row++) {
        char line[64];
        bool up = clv_random_unit(&random) < 0.5;
        double at = 0;

        TRY(clv_buffer_add(context, text, up ? "1" : "-1", up ? 1 : 2, error));
        for (;;) {
            uint32_t column;

            at += fmax(1, 2 * gap * clv_random_unit(&random));
            if (at > features)
                break;
            column = (uint32_t)at;
            TRY(clv_buffer_add(
                context, text, line,
                (size_t)snprintf(line, sizeof line, " %u:0.%04u", column,
                                 1 + (unsigned)((up == (column % 2 == 0) ? 900 : 700) *
                                                clv_random_unit(&random))),
                error));
        }
        TRY(clv_buffer_add(context, text, "\n", 1, error));
    }
    return OK;
}

static Status read_sample(Context *context, const Buffer *text, Dataset **dataset, double *seconds,
                          cleave_error *error)
{
    ReadOptions options = {0};
    Source *source;
    Status status;
    double start = clv_cpu_now();

    clv_params_initial(clv_read_params, &options);
    TRY(clv_read_memory(context, "sample", text->data, text->size, &clv_format_libsvm, &options,
                        NULL, &source, error));
    status = clv_dataset_load(source, dataset, error);
    clv_source_close(source);
    *seconds = clv_cpu_now() - start;
    return status;
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* Measures the fastest of several rounds. */
static Status time_rounds(Context *context, Dataset *dataset, int form, int64_t shards,
                          double *seconds, cleave_error *error)
{
    const Method *method;
    RunOptions run;
    Report *report;
    Model *model;
    void *options;
    Status status;

    TRY(clv_method_find("svm", &method, error));
    TRY(clv_new(context, &options, 1, method->options_size, true, "options", error));
    clv_params_initial(clv_run_params, &run);
    clv_params_initial(method->params, options);
    run.rounds = 4;
    run.shards = shards;
    status = clv_param_set(clv_param_find(method->params, "solver"), options,
                           form == PLAN_AVERAGE ? "sgd" : "gd", error);
    THEN(status,
         clv_param_set(clv_param_find(method->params, "tolerance"), options, "1e-12", error));
    if (status == OK)
        status = clv_train(context,
                           &(Job){.method = method, .method_options = options, .options = &run},
                           dataset, &model, &report, error);
    clv_free(context, options);
    TRY(status);
    *seconds = INFINITY;
    for (size_t i = 0; i < report->facts.epoch_count; i++)
        *seconds = fmin(*seconds, report->facts.epoch_seconds[i]);
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    return OK;
}

static Status fill_message(Delta *delta, const PlanOptions *options, cleave_error *error)
{
    size_t count = (size_t)fmin(options->features, MOST_NUMBERS);
    Random random = clv_random(2, 0);

    for (size_t i = 0; i < count; i++)
        TRY(clv_delta_add(delta, "w", i, clv_random_normal(&random), error));
    return OK;
}

static Status time_message(Context *context, const PlanOptions *options, PlanCosts *costs,
                           cleave_error *error)
{
    Delta ours, theirs;
    Buffer bytes = {0};
    double start = 0, count;
    Status status;

    clv_delta_init(&ours, context);
    clv_delta_init(&theirs, context);
    status = fill_message(&ours, options, error);
    count = (double)clv_delta_size(&ours, "w");
    if (status == OK) {
        start = clv_cpu_now();
        status = clv_delta_to_bytes(&ours, context, &bytes, error);
        costs->encode = (clv_cpu_now() - start) / count;
        costs->number_bytes = (double)bytes.size / count;
    }
    if (status == OK) {
        start = clv_cpu_now();
        status = clv_delta_from_bytes(
            &(DeltaBytes){.at = (const unsigned char *)bytes.data,
                          .end = (const unsigned char *)bytes.data + bytes.size},
            &theirs, error);
        costs->decode = (clv_cpu_now() - start) / count;
    }
    if (status == OK) {
        start = clv_cpu_now();
        status = clv_delta_sum(&ours, &theirs, error);
        costs->sum = (clv_cpu_now() - start) / count;
    }
    clv_free(context, bytes.data);
    clv_delta_free(&ours);
    clv_delta_free(&theirs);
    return status;
}

static Status time_rows(Context *context, const PlanOptions *options, PlanCosts *costs,
                        cleave_error *error)
{
    uint64_t rows = (uint64_t)fmax(200, fmin(MOST_SAMPLE_ROWS, SAMPLE_ENTRIES / options->nonzeros));
    Dataset *dataset = NULL;
    Buffer text = {0};
    double reading = 0, plain = 0, cut = 0, weights;
    Status status = write_sample(context, options, rows, &text, error);

    THEN(status, read_sample(context, &text, &dataset, &reading, error));
    THEN(status, time_rounds(context, dataset, options->form, 1, &plain, error));
    THEN(status, time_rounds(context, dataset, options->form, SHARDS, &cut, error));
    if (status == OK) {
        weights = (double)dataset->features;
        costs->row_bytes = options->row_bytes > 0 ? options->row_bytes
                                                  : (double)text.size / (double)rows;
        costs->read = reading / (double)rows *
                      (options->row_bytes > 0
                           ? options->row_bytes * (double)rows / (double)text.size
                           : 1);
        costs->learn = plain / (double)rows;
        costs->chunk = fmax(0, cut - plain) / (SHARDS * weights);
    }
    clv_dataset_free(dataset);
    clv_free(context, text.data);
    return status;
}

Status clv_plan_measure(Context *context, const PlanOptions *options, PlanCosts *costs,
                        cleave_error *error)
{
    cleave_config config = {.size = sizeof config,
                            .allocate = context->config.allocate,
                            .cancelled = context->config.cancelled,
                            .user = context->config.user,
                            .threads = 1};
    Context *alone = cleave_context_new(&config); /* the costs are measured on one core */
    Status status;

    *costs = (PlanCosts){0};
    if (options->nonzeros > options->features) {
        cleave_context_free(alone);
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--nonzeros %g: the value must be at most the number of features, %g",
                        options->nonzeros, options->features);
    }
    if (!alone)
        return clv_fail_memory(error, "a context", sizeof *alone);
    status = time_rows(alone, options, costs, error);
    THEN(status, time_message(alone, options, costs, error));
    cleave_context_free(alone);
    return status;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* The number of values in an update of this number of rows. */
static double touched(const PlanOptions *options, double rows)
{
    return options->features * -expm1(-rows * options->nonzeros / options->features);
}

static double message(const PlanOptions *options, const PlanCosts *costs, double nodes,
                      double *bytes)
{
    double rows = options->rows / nodes, seconds = 0, all = touched(options, options->rows);
    double link = options->bandwidth * 1e6, latency = options->latency * 1e-6;

    *bytes = 0;
    /* up the tree: each level has the values of twice the rows */
    for (double joined = 1; joined < nodes; joined *= 2) {
        double numbers = touched(options, fmin(joined, nodes) * rows);

        seconds += latency + numbers * (costs->number_bytes / link + costs->encode + costs->decode +
                                        costs->sum);
        seconds += latency + all * costs->number_bytes / link; /* down the tree */
        if (joined == 1)
            *bytes = numbers * costs->number_bytes;
    }
    return nodes > 1 ? seconds + all * costs->decode : 0;
}

/* The number of chunks per node, which are learned in succession. */
static double turns(const PlanOptions *options, double nodes, double slots)
{
    double chunks = options->chunks > 0 ? fmax(options->chunks, nodes) : fmax(16, nodes);

    return ceil(chunks / nodes) * nodes / slots;
}

void clv_plan_line(const PlanOptions *options, const PlanCosts *costs, double nodes,
                   cleave_plan_line *line)
{
    double slots = options->slots > 0 ? fmin(options->slots, nodes) : nodes,
           rows = options->rows / slots;
    double alone;

    *line = (cleave_plan_line){.nodes = nodes};
    line->read_seconds = rows * fmax(costs->read, costs->row_bytes / (options->disk * 1e6));
    line->learn_seconds = rows * costs->learn +
                          turns(options, nodes, slots) * options->features * costs->chunk;
    line->message_seconds = message(options, costs, nodes, &line->message_bytes);
    line->round_seconds = line->learn_seconds + line->message_seconds;
    line->total_seconds = line->read_seconds + options->rounds * line->round_seconds;
    alone = options->rows * fmax(costs->read, costs->row_bytes / (options->disk * 1e6)) +
            options->rounds * (options->rows * costs->learn +
                               turns(options, 1, 1) * options->features * costs->chunk);
    /* Memory: packed rows; the weights of the common state, of a worker and of its model; and an
     * update of doubles with indexes. */
    line->memory_bytes = options->rows / nodes * (ROW_BYTES + ENTRY_BYTES * options->nonzeros) +
                         (2 * WEIGHT_BYTES + MODEL_BYTES + UPDATE_BYTES) * options->features;
    line->efficiency = alone / (nodes * line->total_seconds);
}
