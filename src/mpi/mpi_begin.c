/* The initial state of every rank: a checkpoint, a warm-start model, or a model made by the rank
 * with the first rows. */
#include "mpi/mpi_cluster.h"
#include "train/checkpoint.h"
#include "train/feed.h"
#include "train/team.h"

/* Begins with a sample, if the method needs one, which the rank with the first rows passes to
 * it. */
static Status begin_with_sample(Cluster *cluster, Model **begun)
{
    Run *run = &cluster->run;

    TRY(clv_run_begin(run));
    if (run->fit.calibration.every > 0)
        return clv_fail(cluster->error, CLEAVE_ERROR_USAGE,
                        "cleave-mpi does not support the calibrated learning rate");
    if (!run->fit.wants_sample)
        return OK;
    TRY(clv_feed_sample(run,
                        &cluster->traversal[cluster->agreed.first_chunk - cluster->chunks.first]));
    return clv_run_make_model(run, begun);
}

static bool has_first_rows(const Cluster *cluster)
{
    const Chunks *chunks = &cluster->chunks;

    return cluster->agreed.first_chunk >= chunks->first &&
           cluster->agreed.first_chunk - chunks->first < chunks->own;
}

/* Finds the checkpoint. Rank 0 has the file, and sends its contents to all ranks. */
static Status find_checkpoint(Cluster *cluster, Model **begun)
{
    Run *run = &cluster->run;
    const DataFact data[] = {{"number of chunks", cluster->chunks.count},
                             {"number of bytes", cluster->chunks.bytes},
                             {"number of rows", cluster->agreed.rows},
                             {"number of features", run->fit.features},
                             {"number of nonzero values", cluster->agreed.entries},
                             {NULL, 0}};

    if (!cluster->options.checkpoint || cluster->talk->rank > 0)
        return OK;
    TRY(clv_checkpoint_describe(run, "cleave-mpi", data));
    if (!cluster->work->resume)
        return clv_checkpoint_pass_over(run, "--resume");
    TRY(clv_checkpoint_load(run, begun, cluster->error));
    if (!*begun)
        clv_note(cluster->context,
                 "checkpoint %s does not exist; training starts with the first round",
                 run->options.checkpoint);
    return OK;
}

/* Makes the initial model of all ranks, as bytes. It is empty if each rank can begin without it. */
static Status find_beginning(Cluster *cluster, Buffer *bytes)
{
    Model *begun = NULL;
    Status status = find_checkpoint(cluster, &begun);

    if (status == OK && !begun && has_first_rows(cluster)) {
        Fit *fit = &cluster->run.fit;

        status = begin_with_sample(cluster, &begun);
        if (fit->state)
            fit->method->training->free(fit);
        clv_free(cluster->context, fit->state);
        fit->state = NULL;
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

    return clv_buffer_add(beginning->cluster->context, bytes, beginning->bytes.data,
                          beginning->bytes.size, error);
}

/* Takes an initial model. A checkpoint of rank 0 takes precedence over other initial models. */
static Status take_beginning(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Beginning *beginning = user;

    if (beginning->bytes.size)
        return OK;
    return clv_buffer_add(beginning->cluster->context, &beginning->bytes, bytes, size, error);
}

Status clv_cluster_read_model(Context *context, const void *bytes, size_t size, void **copy,
                              Model **model, cleave_error *error)
{
    TRY(clv_new(context, copy, size, 1, false, "a model", error));
    memcpy(*copy, bytes, size);
    return clv_model_from_bytes(context, "the model from another rank", *copy, size, model, error);
}

static Status read_beginning(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Cluster *cluster = ((Beginning *)user)->cluster;

    return size ? clv_cluster_read_model(cluster->context, bytes, size, &cluster->begun_bytes,
                                         &cluster->begun, error)
                : OK;
}

/* Begins the state of this rank. If states are concatenated, the first one contains the warm-start
 * model. */
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

Status clv_cluster_begin(Cluster *cluster)
{
    static const Uniting how = {
        .put = put_beginning, .take = take_beginning, .done = read_beginning};
    Beginning beginning = {.cluster = cluster};
    Status status = find_beginning(cluster, &beginning.bytes);

    status = clv_talk_unite(cluster->talk, cluster->context, &how, &beginning, status,
                            cluster->error);
    clv_free(cluster->context, beginning.bytes.data);
    TRY(status);
    if (cluster->begun)
        cluster->run.job.from = cluster->begun;
    if (cluster->begun && clv_checkpoint_is_one(cluster->begun))
        status = clv_checkpoint_restore(&cluster->run, cluster->begun);
    cluster->rounds_before = cluster->run.report->facts.epochs;
    THEN(status, begin_state(cluster));
    cluster->run.fit.wants_sample = false;
    return clv_talk_settle(cluster->talk, cluster->context, status, cluster->error);
}
