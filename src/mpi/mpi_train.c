#include "mpi/mpi_train.h"

#include "base/hash.h"
#include "data/remap.h"
#include "model/delta_bytes.h"
#include "model/registry.h"
#include "mpi/agree.h"
#include "mpi/mpi_together.h"
#include "mpi/shares.h"
#include "train/checkpoint.h"
#include "train/feed.h"
#include "train/pipeline_fit.h"
#include "train/row_order.h"
#include "train/run.h"
#include "train/team.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>

/* Parts of sums that are this driver's. */
#define PART_COUNT "count"
#define PART_RANGE "range"
enum { COUNT_ROWS, COUNT_WEIGHT, COUNT_SORTED, COUNT_ENTRIES, COUNT_SUMMED, COUNT_HASHES };
#define PART_JUDGED "judged"
enum { JUDGED_ROWS, JUDGED_ERRORS, JUDGED_SQUARES };
#define PART_CANCEL "cancel"

typedef struct {
    Talk *talk;
    const Work *work;
    Context *context;
    cleave_error *error;
    ReadOptions read;
    RunOptions options;
    void *method_options;
    Model *from;
    ReadGuide guide;
    Pipeline *pipeline; /* where no model is gone on from */
    Chunks chunks;
    Agreed agreed;
    Dataset shell; /* all rows as far as their number and facts are concerned, with the blocks that are here */
    Names no_names;
    Run run;
    Traversal *traversal; /* of each chunk that is here */
    Traversal *all;       /* … every row once, as in the file */
    int order;
    Model *begun;           /* what everybody began from, where that was one rank's to say, … */
    void *begun_bytes;      /* … and the bytes it points into */
    uint32_t rounds_before; /* of the run that this one goes on from */
    uint64_t bytes_sent, messages;
    DeltaTree tree;  /* what is being summed */
    Company company; /* of a fit */
} Cluster;

/* Whether the ranks fit together, each over all its rows, instead of learning from chunks apart. */
static bool fits_together(const Cluster *cluster)
{
    return (cluster->run.job.method->behavior & METHOD_COLLECTIVE_FIT) &&
           method_prefers_fit(cluster->run.job.method, cluster->method_options);
}

/* ---- sums over chunks --------------------------------------------------------------------------------------------- */

static Status put_tree(void *user, Buffer *bytes, cleave_error *error)
{
    return clv_delta_tree_to_bytes(&((Cluster *)user)->tree, bytes, error);
}

static Status take_tree(void *user, const void *bytes, size_t size, cleave_error *error)
{
    return clv_delta_tree_from_bytes(&((Cluster *)user)->tree, bytes, size, error);
}

/* Everybody takes what was sent, the sender too: there are zeros less in it than there may be in memory. */
static Status take_sum(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Cluster *cluster = user;
    uint32_t count = cluster->tree.count;

    clv_delta_tree_free(&cluster->tree);
    clv_delta_tree_init(&cluster->tree, cluster->context, count);
    return clv_delta_tree_from_bytes(&cluster->tree, bytes, size, error);
}

static void begin_sum(Cluster *cluster)
{
    clv_delta_tree_free(&cluster->tree);
    clv_delta_tree_init(&cluster->tree, cluster->context, cluster->chunks.count);
}

static Status add_to_sum(Cluster *cluster, uint32_t own, Delta *delta)
{
    Status status = clv_delta_tree_add(&cluster->tree, cluster->chunks.first + own, 1, delta, cluster->error);

    clv_delta_free(delta);
    return status;
}

/* The sum over the chunks of all ranks. */
static Status unite_sum(Cluster *cluster, Status status, const Delta **sum)
{
    static const Uniting how = {.put = put_tree, .take = take_tree, .done = take_sum};

    TRY(clv_talk_unite(cluster->talk, cluster->context, &how, cluster, status, cluster->error));
    *sum = clv_delta_tree_sum(&cluster->tree);
    return *sum ? OK : clv_fail(cluster->error, CLEAVE_ERROR_INTERNAL, "chunks are missing from a sum");
}

/* ---- options and rows --------------------------------------------------------------------------------------------- */

static Status refuse_options(const RunOptions *options, cleave_error *error)
{
    const char *name = options->stream        ? "stream"
                       : options->holdout > 0 ? "holdout"
                       : options->sample > 0  ? "sample"
                       : options->calibrate   ? "calibrate"
                                              : NULL;

    if (options->shards > 0 || options->racy) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--%s is for one process", options->racy ? "racy" : "shards");
        return clv_hint(error, CLEAVE_ERROR_USAGE, "--chunks says how many pieces the ranks share");
    }
    if (!name)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "--%s is not for cleave-mpi, which trains on all rows that its ranks read",
             name);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "'cleave test MODEL FILE' judges the model on other data");
}

/* Without a word from the user: what can be put together, and looks at rows in passing. */
static Status choose_solver(const Method *method, void *options, cleave_error *error)
{
    const Param *solver = clv_param_find(method->params, "solver");
    char text[PARAM_TEXT_SIZE];

    if (!solver || !solver->values || strcmp(clv_param_text(solver, options, text), "auto") != 0)
        return OK;
    for (size_t i = 0; solver->values[i]; i++)
        if (strcmp(solver->values[i], "sgd") == 0)
            return clv_param_set(solver, options, "sgd", error);
    return OK;
}

/* What a fit has in hand between two rounds is no model that another could go on from. */
static Status refuse_checkpoint(const Cluster *cluster)
{
    const char *flag = cluster->work->resume ? "resume" : cluster->options.checkpoint ? "checkpoint" : NULL;

    if (!flag)
        return OK;
    clv_fail(cluster->error, CLEAVE_ERROR_USAGE, "--%s: ranks grow the trees of '%s' together, and keep no checkpoint",
             flag, cluster->run.job.method->name);
    return clv_hint(cluster->error, CLEAVE_ERROR_USAGE, "leave it out");
}

static Status read_options(Cluster *cluster)
{
    const Work *work = cluster->work;
    cleave_error *error = cluster->error;
    Job job = {0};

    TRY(clv_method_find(work->method, &job.method, error));
    cluster->run.job.method = job.method;
    cluster->method_options = clv_alloc_zero(cluster->context, 1, job.method->options_size);
    if (!cluster->method_options)
        return clv_fail_memory(error, "options", job.method->options_size);
    if (work->from)
        TRY(clv_model_load(cluster->context, work->from, &cluster->from, error));
    if (cluster->from && cluster->from->method != job.method)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--from: %s is a model of '%s', and cannot go on as '%s'",
                        work->from, cluster->from->method->name, job.method->name);
    job.method_options = cluster->method_options;
    job.from = cluster->from;
    TRY(clv_params_apply(work->read_options, clv_read_params, &cluster->read, NULL, NULL, error));
    TRY(clv_train_options(&job, work->train_options, &cluster->options, error));
    TRY(refuse_options(&cluster->options, error));
    if (fits_together(cluster))
        TRY(refuse_checkpoint(cluster));
    else
        cluster->options.checkpoint = work->checkpoint;
    if (fits_together(cluster))
        cluster->talk->how_to_go_on = NULL;
    TRY(choose_solver(job.method, cluster->method_options, error));
    return clv_train_check(job.method, cluster->method_options, &cluster->options, false, error);
}

/* A chunk as the pipeline makes it of the columns that are read for it; numbered: its columns have the pipeline's numbers already. */
static Status cook_chunk(const Cluster *cluster, const Pipeline *pipeline, bool numbered, Dataset **chunk)
{
    Source *source, *made;
    Dataset *cooked;
    Status status;

    TRY(clv_dataset_source(*chunk, false, &source, cluster->error));
    if (!numbered && !clv_pipeline_any_column(pipeline))
        TRY(clv_remap_source(source, true, &(*chunk)->labels, clv_pipeline_inputs(pipeline),
                             clv_pipeline_input_count(pipeline), &source, cluster->error));
    TRY(clv_pipeline_source(pipeline, source, true, &made, cluster->error));
    status = clv_dataset_load(made, &cooked, cluster->error);
    clv_source_close(made);
    TRY(status);
    clv_dataset_free(*chunk);
    *chunk = cooked;
    return OK;
}

static Status cook_chunks(Cluster *cluster, const Pipeline *pipeline, bool numbered)
{
    for (uint32_t i = 0; i < cluster->chunks.own; i++)
        TRY(cook_chunk(cluster, pipeline, numbered, &cluster->chunks.chunk[i]));
    return OK;
}

/* All ranks know all columns, if not all rows: that is enough for some. */
static Status make_columns(Cluster *cluster)
{
    Agreed *agreed = &cluster->agreed;

    TRY(clv_pipeline_of_columns(cluster->context, cluster->run.job.method, cluster->run.job.method_options,
                                &cluster->options, &agreed->schema, &agreed->names, agreed->features,
                                &cluster->pipeline, cluster->error));
    if (!cluster->pipeline)
        return OK;
    TRY(cook_chunks(cluster, cluster->pipeline, true));
    if (clv_pipeline_any_column(cluster->pipeline))
        return OK;
    TRY(clv_pipeline_narrow(cluster->pipeline, cluster->error));
    clv_names_free(&agreed->names);
    clv_names_init(&agreed->names, cluster->context, true);
    agreed->features = clv_pipeline_output_count(cluster->pipeline);
    return clv_names_copy(&agreed->names, clv_pipeline_outputs(cluster->pipeline), cluster->error);
}

/* What makes the features, where no model says so: each rank knows its chunks only, so that it must look at nothing. */
static Status make_features(Cluster *cluster)
{
    const Agreed *agreed = &cluster->agreed;

    if (cluster->from)
        return OK;
    if (fits_together(cluster))
        return make_columns(cluster);
    TRY(clv_pipeline_piecewise(cluster->context, cluster->run.job.method, cluster->run.job.method_options,
                               cluster->options.transform, &agreed->schema, &agreed->names, &cluster->pipeline,
                               cluster->error));
    return cluster->pipeline ? cook_chunks(cluster, cluster->pipeline, true) : OK;
}

static Status read_chunks(Cluster *cluster)
{
    const Model *from = cluster->from;
    Input input = {.paths = cluster->work->paths,
                   .path_count = cluster->work->path_count,
                   .options = &cluster->read,
                   .in_order = fits_together(cluster),
                   .guide = from ? &cluster->guide : NULL};

    if (from)
        cluster->guide = (ReadGuide){
            .schema = &from->schema, .names = clv_model_inputs(from), .features = clv_model_input_count(from)};
    TRY(clv_chunks_cut(&cluster->chunks, cluster->context, &input, cluster->work->chunks, cluster->error));
    TRY(clv_chunks_read(&cluster->chunks, &input, cluster->talk->rank, cluster->talk->size, cluster->error));
    return from && from->pipeline ? cook_chunks(cluster, from->pipeline, false) : OK;
}

/* ---- what is to be known before the first round ------------------------------------------------------------------- */

/* All rows, as far as facts go; and the blocks that are here, for what must be looked at. */
static Status make_shell(Cluster *cluster)
{
    Dataset *shell = &cluster->shell;

    *shell = (Dataset){.context = cluster->context,
                       .rows = cluster->agreed.rows,
                       .entries = cluster->agreed.entries,
                       .features = cluster->agreed.features,
                       .numbers = cluster->agreed.numbers};
    for (uint32_t i = 0; i < cluster->chunks.own; i++) {
        const Dataset *chunk = cluster->chunks.chunk[i];

        TRY(GROW(cluster->context, shell->block, shell->capacity, (size_t)shell->blocks + chunk->blocks,
                 cluster->error));
        for (uint32_t j = 0; j < chunk->blocks; j++)
            shell->block[shell->blocks++] = chunk->block[j];
    }
    return OK;
}

static Status check_labels(const Cluster *cluster)
{
    const Agreed *agreed = &cluster->agreed;

    if (agreed->labels.unlabelled == 0 || cluster->options.skip_unlabelled || agreed->labels.unlabelled == agreed->rows)
        return OK;
    clv_fail(cluster->error, CLEAVE_ERROR_DATA, "%s: %llu of %llu rows have no label", cluster->run.job.name,
             (unsigned long long)agreed->labels.unlabelled, (unsigned long long)agreed->rows);
    return clv_hint(cluster->error, CLEAVE_ERROR_DATA, "--skip-unlabelled leaves such rows out");
}

static Status describe(Cluster *cluster)
{
    Run *run = &cluster->run;

    run->context = cluster->context;
    run->job.method_options = cluster->method_options;
    run->options = cluster->options;
    run->labels = &cluster->agreed.labels;
    run->problem.names = &cluster->agreed.names;
    run->problem.schema = &cluster->agreed.schema;
    run->job.name = cluster->work->paths[0];
    run->dataset = &cluster->shell;
    run->job.from = cluster->from;
    run->error = cluster->error;
    TRY(clv_report_new(cluster->context, &run->report, cluster->error));
    TRY(make_features(cluster));
    run->job.pipeline = cluster->from ? cluster->from->pipeline : cluster->pipeline;
    TRY(make_shell(cluster));
    TRY(check_labels(cluster));
    TRY(clv_run_describe(run));
    return clv_run_weigh_labels(run);
}

/* Rows of a chunk come in an order of its own. */
static uint64_t chunk_seed(const Cluster *cluster, uint32_t own)
{
    uint64_t number = cluster->chunks.first + own, seed = (uint64_t)cluster->options.seed;

    return number ? clv_hash(&number, sizeof number, seed) : seed;
}

static Status open_sweeps(Cluster *cluster, Traversal **traversals, int order)
{
    uint32_t own = cluster->chunks.own;

    *traversals = clv_alloc_zero(cluster->context, own, sizeof **traversals);
    if (!*traversals)
        return clv_fail_memory(cluster->error, "sweeps", own * sizeof **traversals);
    for (uint32_t i = 0; i < own; i++)
        TRY(clv_traversal_init(&(*traversals)[i], cluster->chunks.chunk[i], order, chunk_seed(cluster, i), 0, 1,
                               cluster->error));
    return OK;
}

/* The range of a chunk's targets, which stands alone in the sum over all chunks. */
static Status add_range(Cluster *cluster, uint32_t chunk, Delta *delta)
{
    const TargetRange *range = &cluster->run.targets;

    if (!range->known)
        return OK;
    TRY(clv_delta_add(delta, PART_RANGE, 3 * (uint64_t)chunk, 1, cluster->error));
    TRY(clv_delta_add(delta, PART_RANGE, 3 * (uint64_t)chunk + 1, range->low, cluster->error));
    return clv_delta_add(delta, PART_RANGE, 3 * (uint64_t)chunk + 2, range->high, cluster->error);
}

static void take_ranges(Cluster *cluster, const Delta *counts)
{
    TargetRange *range = &cluster->run.targets;

    *range = (TargetRange){0};
    for (uint64_t chunk = 0; chunk < cluster->chunks.count; chunk++)
        if (clv_delta_number(counts, PART_RANGE, 3 * chunk) > 0) {
            clv_target_range_add(range, clv_delta_number(counts, PART_RANGE, 3 * chunk + 1));
            clv_target_range_add(range, clv_delta_number(counts, PART_RANGE, 3 * chunk + 2));
        }
}

static Status count_chunk(Cluster *cluster, uint32_t own, Delta *delta)
{
    Run *run = &cluster->run;
    char words[96];
    int order;

    run->problem.rows = 0;
    run->problem.weight_total = 0;
    clv_training_rows_free(&run->training_rows, cluster->context);
    run->targets = (TargetRange){0};
    TRY(clv_run_count_rows(&cluster->run, &cluster->all[own]));
    TRY(clv_choose_order(cluster->chunks.chunk[own], cluster->options.order, 0, &order, words, sizeof words,
                         cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_ROWS, (double)run->problem.rows, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_WEIGHT, run->problem.weight_total, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_SORTED, order != ORDER_FILE, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_ENTRIES, (double)cluster->chunks.chunk[own]->entries, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_SUMMED, (double)run->training_rows.sum.rows, cluster->error));
    for (int i = 0; i < ROW_HASH_PARTS; i++)
        TRY(clv_delta_add(delta, PART_COUNT, (uint64_t)(COUNT_HASHES + i), (double)run->training_rows.sum.part[i],
                          cluster->error));
    TRY(add_range(cluster, cluster->chunks.first + own, delta));
    return clv_shares_add(delta, cluster->chunks.first + own, cluster->chunks.chunk[own], run->labels, cluster->error);
}

static Status count_chunks(Cluster *cluster)
{
    TRY(open_sweeps(cluster, &cluster->all, ORDER_FILE));
    begin_sum(cluster);
    for (uint32_t i = 0; i < cluster->chunks.own; i++) {
        Delta delta;
        Status status;

        clv_delta_init(&delta, cluster->context);
        status = count_chunk(cluster, i, &delta);
        if (status != OK)
            clv_delta_free(&delta);
        TRY(status);
        TRY(add_to_sum(cluster, i, &delta));
    }
    return OK;
}

/* Shuffled, where `auto` is to decide, as soon as one chunk looks as if it were in some order. */
static Status choose_order(Cluster *cluster, double sorted)
{
    static const char *const words[] = {"", "as in the file", "shuffled once", "shuffled each round", "random draws"};
    Report *report = cluster->run.report;

    cluster->order = cluster->options.order != ORDER_AUTO ? cluster->options.order
                     : sorted > 0                         ? ORDER_EACH
                                                          : ORDER_FILE;
    if (cluster->order == ORDER_FILE)
        snprintf(report->order, sizeof report->order, "%s", words[cluster->order]);
    else
        snprintf(report->order, sizeof report->order, "%s within each chunk (seed %lld)", words[cluster->order],
                 (long long)cluster->options.seed);
    return open_sweeps(cluster, &cluster->traversal, cluster->order);
}

static Status weigh(Cluster *cluster, const Delta *counts)
{
    Run *run = &cluster->run;

    run->problem.rows = (uint64_t)clv_delta_number(counts, PART_COUNT, COUNT_ROWS);
    run->problem.weight_total = clv_delta_number(counts, PART_COUNT, COUNT_WEIGHT);
    clv_training_rows_free(&run->training_rows, run->context); /* the sample is of this rank alone */
    run->training_rows.sum.rows = (uint64_t)clv_delta_number(counts, PART_COUNT, COUNT_SUMMED);
    for (int i = 0; i < ROW_HASH_PARTS; i++)
        run->training_rows.sum.part[i] = (uint64_t)clv_delta_number(counts, PART_COUNT, (uint64_t)(COUNT_HASHES + i));
    if (cluster->from && !run->options.refit)
        TRY(clv_training_rows_check(cluster->from, &run->training_rows, run->job.name, cluster->error));
    take_ranges(cluster, counts);
    run->report->facts.rows = run->problem.rows;
    TRY(clv_run_check_weights(run));
    run->problem.shared = true;
    TRY(clv_run_choose(run));
    run->fit.method = run->job.method;
    cluster->shell.entries = (uint64_t)clv_delta_number(counts, PART_COUNT, COUNT_ENTRIES);
    if (!fits_together(cluster))
        clv_shares_warn(&run->fit, run->job.method_options, counts, cluster->chunks.count, run->labels);
    return choose_order(cluster, clv_delta_number(counts, PART_COUNT, COUNT_SORTED));
}

/* ---- the state everybody begins from ------------------------------------------------------------------------------ */

static void forget_state(Cluster *cluster)
{
    Fit *fit = &cluster->run.fit;

    if (fit->state)
        fit->method->training->free(fit);
    clv_free(cluster->context, fit->state);
    fit->state = NULL;
}

/* The rank that has the first rows shows them to the method, where it wants to see some before it begins. */
static Status begin_with_sample(Cluster *cluster, Model **begun)
{
    Run *run = &cluster->run;

    TRY(clv_run_begin(run));
    if (run->fit.calibration.every > 0)
        return clv_fail(cluster->error, CLEAVE_ERROR_USAGE,
                        "a rate that is calibrated while training goes on cannot be had of many ranks");
    if (!run->fit.wants_sample)
        return OK;
    TRY(clv_feed_sample(run, &cluster->traversal[cluster->agreed.first_chunk - cluster->chunks.first]));
    return clv_run_make_model(run, begun);
}

static bool has_first_rows(const Cluster *cluster)
{
    const Chunks *chunks = &cluster->chunks;

    return cluster->agreed.first_chunk >= chunks->first && cluster->agreed.first_chunk - chunks->first < chunks->own;
}

/* Rank 0 has the file: what it holds goes to everybody with the beginning. */
static Status find_checkpoint(Cluster *cluster, Model **begun)
{
    Run *run = &cluster->run;
    const DataFact data[] = {
        {"number of chunks", cluster->chunks.count},      {"number of bytes", cluster->chunks.bytes},
        {"number of rows", cluster->agreed.rows},         {"number of features", run->fit.features},
        {"number of non-zeros", cluster->agreed.entries}, {NULL, 0}};

    if (!cluster->options.checkpoint || cluster->talk->rank > 0)
        return OK;
    TRY(clv_checkpoint_describe(run, "cleave-mpi", data));
    if (!cluster->work->resume)
        return clv_checkpoint_pass_over(run, "--resume");
    TRY(clv_checkpoint_load(run, begun, cluster->error));
    if (!*begun)
        clv_note(cluster->context, "no checkpoint %s: this run begins with the first round", run->options.checkpoint);
    return OK;
}

/* The model that everybody begins from, as bytes; none where each can begin alone. */
static Status find_beginning(Cluster *cluster, Buffer *bytes)
{
    Model *begun = NULL;
    Status status = find_checkpoint(cluster, &begun);

    if (status == OK && !begun && has_first_rows(cluster)) {
        status = begin_with_sample(cluster, &begun);
        forget_state(cluster);
    }
    if (status == OK && begun)
        status = clv_model_to_bytes(begun, bytes, cluster->error);
    cleave_model_free(begun);
    return status;
}

typedef struct {
    Cluster *cluster;
    Buffer bytes;
} Beginning;

static Status put_beginning(void *user, Buffer *bytes, cleave_error *error)
{
    Beginning *beginning = user;

    return clv_buffer_add(beginning->cluster->context, bytes, beginning->bytes.data, beginning->bytes.size, error);
}

/* A checkpoint, which rank 0 has, goes before what anybody else would begin from. */
static Status take_beginning(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Beginning *beginning = user;

    if (beginning->bytes.size)
        return OK;
    return clv_buffer_add(beginning->cluster->context, &beginning->bytes, bytes, size, error);
}

/* *copy: what the model points into. */
static Status read_model(Context *context, const void *bytes, size_t size, void **copy, Model **model,
                         cleave_error *error)
{
    *copy = clv_alloc(context, size, 1);
    if (!*copy)
        return clv_fail_memory(error, "a model", size);
    memcpy(*copy, bytes, size);
    return clv_model_from_bytes(context, "the model of another rank", *copy, size, model, error);
}

static Status read_beginning(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Cluster *cluster = ((Beginning *)user)->cluster;

    return size ? read_model(cluster->context, bytes, size, &cluster->begun_bytes, &cluster->begun, error) : OK;
}

/* Where states are put one behind the other, the first has what is gone on from. */
static Status begin_state(Cluster *cluster)
{
    Run *run = &cluster->run;
    const Model *from = run->job.from;
    Status status;

    if (METHOD_HAS(run->job.method, distributed, join) && cluster->talk->rank > 0)
        run->job.from = NULL;
    status = clv_run_begin(run);
    run->job.from = from;
    return status;
}

static Status begin(Cluster *cluster)
{
    static const Uniting how = {.put = put_beginning, .take = take_beginning, .done = read_beginning};
    Beginning beginning = {.cluster = cluster};
    Status status = find_beginning(cluster, &beginning.bytes);

    status = clv_talk_unite(cluster->talk, cluster->context, &how, &beginning, status, cluster->error);
    clv_free(cluster->context, beginning.bytes.data);
    TRY(status);
    if (cluster->begun)
        cluster->run.job.from = cluster->begun;
    if (cluster->begun && clv_checkpoint_is_one(cluster->begun))
        status = clv_checkpoint_restore(&cluster->run, cluster->begun);
    cluster->rounds_before = cluster->run.report->facts.epochs;
    if (status == OK)
        status = begin_state(cluster);
    cluster->run.fit.wants_sample = false;
    return clv_talk_settle(cluster->talk, cluster->context, status, cluster->error);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------- */

static Status learn_rows(Cluster *cluster, Fit *worker, Traversal *traversal, bool *cancelled)
{
    TRY(clv_traversal_begin(traversal, cluster->run.fit.counters.epoch, cluster->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, cluster->error));
        if (!block)
            return OK;
        TRY(worker->method->training->step(worker, block));
        *cancelled = *cancelled || clv_cancelled(cluster->context);
        if (*cancelled)
            return OK;
    }
}

/* One chunk, by a worker of its own. */
static Status learn_chunk(Cluster *cluster, const Model *model, uint32_t own, bool checking, bool *cancelled,
                          Delta *delta)
{
    const Fit *start = &cluster->run.fit;
    Fit worker;
    Status status = clv_team_join(&worker, start, model, cluster->error);

    if (status == OK)
        status = learn_rows(cluster, &worker, checking ? &cluster->all[own] : &cluster->traversal[own], cancelled);
    if (status == OK)
        status = clv_team_give(&worker, start, delta);
    if (status == OK && *cancelled)
        status = clv_delta_add(delta, PART_CANCEL, 0, 1, cluster->error);
    clv_team_leave(&worker);
    return status;
}

/* The chunks of this rank. */
static Status learn_chunks(Cluster *cluster, bool checking)
{
    Run *run = &cluster->run;
    const Names *names = run->problem.names;
    Model *model = NULL;
    bool cancelled = false;
    Status status;

    begin_sum(cluster);
    run->problem.names = &cluster->no_names; /* workers are of this process: they need numbers only */
    status = clv_run_make_model(run, &model);
    run->problem.names = names;
    for (uint32_t i = 0; i < cluster->chunks.own && status == OK; i++) {
        Delta delta;

        clv_delta_init(&delta, cluster->context);
        status = learn_chunk(cluster, model, i, checking, &cancelled, &delta);
        if (status == OK)
            status = add_to_sum(cluster, i, &delta);
        clv_delta_free(&delta);
    }
    cleave_model_free(model);
    return status;
}

static Status count_round(Cluster *cluster)
{
    Run *run = &cluster->run;

    run->fit.counters.mistakes += run->fit.counters.epoch_mistakes;
    TRY(clv_report_round(run->report, clv_now() - run->epoch_started, run->fit.counters.epoch_mistakes,
                         run->fit.counters.epoch_loss, cluster->error));
    run->epoch_started = clv_now();
    run->fit.counters.epoch++;
    clv_progress(cluster->context, &(cleave_progress){.phase = "train",
                                                      .rows = run->problem.rows,
                                                      .rows_total = run->problem.rows,
                                                      .epoch = run->report->facts.epochs,
                                                      .epochs = (uint32_t)run->options.rounds,
                                                      .mistakes = fit_epoch_mistakes(&run->fit)});
    return OK;
}

/* Everybody takes the sum; the rules of stopping see the same numbers everywhere, and say the same. */
static Status finish_round(Cluster *cluster, const Delta *sum, bool *clean)
{
    Run *run = &cluster->run;

    if (clv_delta_number(sum, PART_CANCEL, 0) > 0) {
        run->stopped_by = "interrupt";
        run->report->facts.cancelled = true;
        return OK;
    }
    TRY(clv_team_take(&run->fit, sum, clean));
    return count_round(cluster);
}

static void ask_the_rules(Cluster *cluster, bool clean)
{
    Run *run = &cluster->run;

    run->stopped_by = clv_stop_after(&run->stop, run->report->facts.epochs, run->fit.counters.epoch_mistakes,
                                     fit_ending(&run->fit, clean), (double)NAN);
    run->fit.result.converged = clean && !run->fit.result.plateau && !run->fit.result.complete;
}

static Status train_rounds(Cluster *cluster)
{
    Run *run = &cluster->run;
    Status status = OK;

    run->epoch_started = clv_now();
    while (!run->stopped_by) {
        const Delta *sum;
        bool clean = false;
        uint64_t bytes = cluster->talk->bytes, messages = cluster->talk->messages;

        clv_talk_round(cluster->talk, run->report->facts.epochs + 1);
        if (status == OK)
            status = learn_chunks(cluster, run->checking);
        TRY(unite_sum(cluster, status, &sum));
        cluster->bytes_sent += cluster->talk->bytes - bytes;
        cluster->messages += cluster->talk->messages - messages;
        status = finish_round(cluster, sum, &clean);
        if (status == OK && !run->stopped_by) {
            /* Draws may have missed the row that is wrong: a clean round is believed when it visited every one. */
            bool believed = clean && (run->checking || cluster->order != ORDER_DRAWS);

            run->checking = clean && !believed;
            ask_the_rules(cluster, believed);
            if (cluster->talk->rank == 0)
                status = clv_checkpoint_save(run);
        }
    }
    return clv_talk_settle(cluster->talk, cluster->context, status, cluster->error);
}

/* ---- fitting together ------------------------------------------------------------------------------------------------ */

typedef struct {
    double loss;
    uint64_t cancelled;
} RoundFacts;

/* What the round came to, of all ranks. */
static Status unite_round(Cluster *cluster, RoundFacts *all)
{
    Fit *fit = &cluster->run.fit;
    const Collective *collective = fit->problem->collective;
    RoundFacts mine = {.loss = fit->counters.epoch_loss, .cancelled = clv_cancelled(cluster->context)};
    Buffer bytes = {0};

    *all = mine;
    if (!collective)
        return OK;
    *all = (RoundFacts){0};
    TRY(collective->gather(collective->user, &mine, sizeof mine, &bytes, NULL, cluster->error));
    for (size_t at = 0; at + sizeof mine <= bytes.size; at += sizeof mine) {
        memcpy(&mine, bytes.data + at, sizeof mine);
        all->loss += mine.loss;
        all->cancelled += mine.cancelled;
    }
    clv_free(cluster->context, bytes.data);
    return OK;
}

/* Ranks finish the round in which somebody interrupts; one that is alone leaves it unfinished. */
static Status finish_fit_round(Cluster *cluster)
{
    Run *run = &cluster->run;
    RoundFacts facts;

    TRY(unite_round(cluster, &facts));
    run->fit.counters.epoch_loss = facts.loss;
    if (run->problem.collective || !facts.cancelled)
        TRY(count_round(cluster));
    ask_the_rules(cluster, false);
    if (facts.cancelled) {
        run->stopped_by = "interrupt";
        run->report->facts.cancelled = true;
    }
    clv_talk_round(cluster->talk, run->report->facts.epochs + 1);
    return OK;
}

static bool round_over(Fit *fit)
{
    Cluster *cluster = fit->driver;
    Status status = finish_fit_round(cluster);

    if (status != OK) {
        clv_company_fail(&cluster->company, status, cluster->error);
        cluster->run.stopped_by = "error";
    }
    fit->counters.epoch_mistakes = 0;
    fit->counters.epoch_loss = 0;
    return !cluster->run.stopped_by;
}

/* Every rank fits the whole model over its own rows, adding up with the others what must be of all of them: so all have the same in the end. */
static Status fit_together(Cluster *cluster)
{
    Run *run = &cluster->run;
    uint64_t bytes = cluster->talk->bytes, messages = cluster->talk->messages;
    Status status;

    clv_company_begin(&cluster->company, cluster->talk, cluster->context);
    run->problem.collective = cluster->talk->size > 1 ? &cluster->company.collective : NULL; /* one rank has all rows */
    run->fit.driver = cluster;
    run->fit.epoch_done = round_over;
    run->epoch_started = clv_now();
    snprintf(run->report->order, sizeof run->report->order, "in the solver's own order");
    clv_talk_round(cluster->talk, run->report->facts.epochs + 1);
    status = run->job.method->training->fit(&run->fit, &cluster->shell);
    TRY(clv_company_settle(&cluster->company, status, cluster->error));
    cluster->bytes_sent += cluster->talk->bytes - bytes;
    cluster->messages += cluster->talk->messages - messages;
    if (!run->report->facts.cancelled)
        run->stopped_by = clv_stop_after_fit(&run->fit, run->stopped_by);
    return OK;
}

/* ---- rows themselves ---------------------------------------------------------------------------------------------- */

static Status put_part(void *user, Buffer *bytes, cleave_error *error)
{
    Cluster *cluster = user;
    Run *run = &cluster->run;
    const Names *names = run->problem.names;
    Model *part = NULL;
    Buffer own = {0};
    Status status;

    if (cluster->talk->rank == 0 || run->fit.counters.seen == 0)
        return OK; /* the first rank has it all, and nobody else needs it */
    run->problem.names = &cluster->no_names;
    status = clv_run_make_model(run, &part);
    run->problem.names = names;
    if (status == OK)
        status = clv_model_to_bytes(part, &own, error);
    if (status == OK)
        status = clv_buffer_add(cluster->context, bytes, own.data, own.size, error);
    cleave_model_free(part);
    clv_free(cluster->context, own.data);
    return status;
}

static Status take_part(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Cluster *cluster = user;
    Fit *fit = &cluster->run.fit;
    void *copy = NULL;
    Model *part = NULL;
    Status status;

    if (size == 0)
        return OK;
    status = read_model(cluster->context, bytes, size, &copy, &part, error);
    if (status == OK) {
        fit->counters.seen += part->seen;
        status = fit->method->distributed->join(fit, part);
    }
    cleave_model_free(part);
    clv_free(cluster->context, copy);
    return status;
}

static Status keep_chunks(Cluster *cluster, bool *cancelled)
{
    for (uint32_t i = 0; i < cluster->chunks.own && !*cancelled; i++)
        TRY(learn_rows(cluster, &cluster->run.fit, &cluster->all[i], cancelled));
    return *cancelled ? clv_fail(cluster->error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

/* What the ranks have of their rows, put together in the order of the data; rank 0 makes the model of it. */
static Status gather(Cluster *cluster)
{
    static const Uniting how = {.put = put_part, .take = take_part};
    Run *run = &cluster->run;
    uint64_t bytes = cluster->talk->bytes, messages = cluster->talk->messages;
    bool cancelled = false, clean = true;
    Status status;

    run->epoch_started = clv_now();
    clv_talk_round(cluster->talk, 1);
    status = keep_chunks(cluster, &cancelled);
    TRY(clv_talk_unite(cluster->talk, cluster->context, &how, cluster, status, cluster->error));
    cluster->bytes_sent += cluster->talk->bytes - bytes;
    cluster->messages += cluster->talk->messages - messages;
    status = cluster->talk->rank == 0 ? run->job.method->training->end_epoch(&run->fit, &clean) : OK;
    if (status == OK)
        status = count_round(cluster);
    ask_the_rules(cluster, clean);
    return clv_talk_settle(cluster->talk, cluster->context, status, cluster->error);
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

static Status judge_chunks(Cluster *cluster, const Model *model)
{
    begin_sum(cluster);
    for (uint32_t i = 0; i < cluster->chunks.own; i++) {
        Judgement judgement = {.without_loss = true};
        Delta delta;
        Status status = OK;

        if (cluster->chunks.chunk[i]->rows)
            status = clv_judge(model, &cluster->all[i], cluster->run.problem.label_number, NULL, NULL, &judgement,
                               cluster->error);
        TRY(status);
        clv_delta_init(&delta, cluster->context);
        status = clv_delta_add(&delta, PART_JUDGED, JUDGED_ROWS, (double)judgement.n, cluster->error);
        if (status == OK)
            status = clv_delta_add(&delta, PART_JUDGED, JUDGED_ERRORS, (double)judgement.errors, cluster->error);
        if (status == OK)
            status = clv_delta_add(&delta, PART_JUDGED, JUDGED_SQUARES, judgement.squared_error, cluster->error);
        if (status == OK)
            status = add_to_sum(cluster, i, &delta);
        clv_delta_free(&delta);
        TRY(status);
    }
    return OK;
}

/* How many training rows the model gets wrong. */
static Status judge(Cluster *cluster, const Model *model)
{
    cleave_report *facts = &cluster->run.report->facts;
    const Delta *judged;
    double rows;

    facts->train_errors = UINT64_MAX;
    if (facts->cancelled || METHOD_HAS(cluster->run.job.method, distributed, join))
        return OK; /* … or one rank has the model alone */
    TRY(unite_sum(cluster, judge_chunks(cluster, model), &judged));
    rows = clv_delta_number(judged, PART_JUDGED, JUDGED_ROWS);
    if (cluster->run.fit.task == CLEAVE_TASK_REGRESSION) {
        double squares = clv_delta_number(judged, PART_JUDGED, JUDGED_SQUARES);

        clv_figure(&cluster->run.fit, "train_rmse", rows > 0 ? sqrt(squares / rows) : 0);
        clv_figure(&cluster->run.fit, "train_sse", squares);
    } else {
        facts->train_errors = (uint64_t)clv_delta_number(judged, PART_JUDGED, JUDGED_ERRORS);
    }
    return OK;
}

typedef struct {
    uint64_t bytes, messages;
} Traffic;

static Status add_traffic(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Traffic *mine = user, theirs;

    if (size != sizeof theirs)
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "what another rank says of its messages does not make sense");
    memcpy(&theirs, bytes, size);
    mine->bytes += theirs.bytes;
    mine->messages += theirs.messages;
    return OK;
}

static Status set_traffic(void *user, const void *bytes, size_t size, cleave_error *error)
{
    *(Traffic *)user = (Traffic){0};
    return add_traffic(user, bytes, size, error);
}

typedef struct {
    Traffic traffic; /* first: the others take it for all there is */
    Context *context;
} TrafficPut;

static Status put_traffic(void *user, Buffer *bytes, cleave_error *error)
{
    TrafficPut *mine = user;

    return clv_buffer_add(mine->context, bytes, &mine->traffic, sizeof mine->traffic, error);
}

static Status tell_traffic(Cluster *cluster)
{
    static const Uniting how = {.put = put_traffic, .take = add_traffic, .done = set_traffic};
    TrafficPut all = {.traffic = {.bytes = cluster->bytes_sent, .messages = cluster->messages},
                      .context = cluster->context};
    Fit *fit = &cluster->run.fit;
    double rounds = cluster->run.report->facts.epochs - cluster->rounds_before;

    TRY(clv_talk_unite(cluster->talk, cluster->context, &how, &all, OK, cluster->error));
    clv_figure(fit, "ranks", cluster->talk->size);
    clv_figure(fit, "chunks", cluster->chunks.count);
    if (!fits_together(cluster))
        clv_figure(fit, "dense_bytes", 4.0 * (double)fit->features * (double)fit->outputs);
    if (all.traffic.messages && rounds > 0) {
        clv_figure(fit, "messages", (double)all.traffic.messages / rounds);
        clv_figure(fit, "message_bytes", (double)all.traffic.bytes / (double)all.traffic.messages);
        clv_figure(fit, "round_bytes", (double)all.traffic.bytes / rounds);
    }
    return OK;
}

static Status finish(Cluster *cluster, Model **model)
{
    Run *run = &cluster->run;
    cleave_report *facts = &run->report->facts;
    Status status;

    run->fit.last = true;
    status = clv_run_make_model(run, model);
    TRY(clv_talk_settle(cluster->talk, cluster->context, status, cluster->error));
    TRY(judge(cluster, *model));
    TRY(tell_traffic(cluster));
    facts->kept_epoch = facts->epochs;
    clv_run_tell(run);
    return OK;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static void free_sweeps(Cluster *cluster, Traversal *traversals)
{
    for (uint32_t i = 0; traversals && i < cluster->chunks.own; i++)
        clv_traversal_free(&traversals[i]);
    clv_free(cluster->context, traversals);
}

static void end(Cluster *cluster)
{
    clv_run_end(&cluster->run);
    free_sweeps(cluster, cluster->traversal);
    free_sweeps(cluster, cluster->all);
    clv_delta_tree_free(&cluster->tree);
    clv_free(cluster->context, cluster->shell.block);
    clv_pipeline_release(cluster->pipeline);
    clv_agreed_free(&cluster->agreed);
    clv_chunks_free(&cluster->chunks);
    cleave_model_free(cluster->begun);
    clv_free(cluster->context, cluster->begun_bytes);
    clv_free(cluster->context, cluster->method_options);
}

/* Each phase ends with everybody knowing whether all went well: a rank never leaves alone. */
static Status train(Cluster *cluster, Model **model)
{
    Talk *talk = cluster->talk;
    Context *context = cluster->context;
    double started = clv_now(), cpu = clv_cpu_now();
    const Delta *counts;
    Status status = read_options(cluster);

    if (status == OK)
        status = read_chunks(cluster);
    TRY(clv_agree(&cluster->agreed, talk, &cluster->chunks, cluster->work->paths[0], cluster->from, status,
                  cluster->error));
    TRY(clv_talk_unite(talk, context, cluster->work->remarks, cluster->work->user, OK, cluster->error));
    status = describe(cluster);
    if (status == OK)
        status = count_chunks(cluster);
    TRY(unite_sum(cluster, status, &counts));
    TRY(clv_talk_settle(talk, context, weigh(cluster, counts), cluster->error));
    cluster->run.report->facts.read_seconds = clv_now() - started;
    cluster->run.report->facts.read_cpu_seconds = clv_cpu_now() - cpu;
    started = clv_now();
    cpu = clv_cpu_now();
    TRY(begin(cluster));
    if (fits_together(cluster))
        TRY(fit_together(cluster));
    else
        TRY(METHOD_HAS(cluster->run.job.method, distributed, join) ? gather(cluster) : train_rounds(cluster));
    TRY(finish(cluster, model));
    cluster->run.report->facts.train_seconds = clv_now() - started;
    cluster->run.report->facts.train_cpu_seconds = clv_cpu_now() - cpu;
    return OK;
}

Status clv_cluster_train(Talk *talk, const Work *work, Model **model, Model **from, Report **report,
                         cleave_error *error)
{
    Cluster cluster = {.talk = talk, .work = work, .context = work->context, .error = error};
    Status status;

    *model = NULL;
    cluster.chunks.context = work->context;
    cluster.run.context = work->context;
    clv_delta_tree_init(&cluster.tree, work->context, 0);
    clv_names_init(&cluster.no_names, work->context, true);
    status = train(&cluster, model);
    *report = cluster.run.report;
    *from = cluster.from;
    end(&cluster);
    if (status == OK)
        return OK;
    cleave_model_free(*model);
    cleave_model_free(*from);
    *from = NULL;
    if (*report)
        cleave_report_free(&(*report)->facts);
    *model = NULL;
    *report = NULL;
    return status;
}
