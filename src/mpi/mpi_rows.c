/* The options of a run, and the chunks of rows that a rank reads and transforms. */
#include "data/remap.h"
#include "model/registry.h"
#include "mpi/mpi_cluster.h"
#include "train/checkpoint.h"
#include "train/train.h"

static Status refuse_options(const RunOptions *options, cleave_error *error)
{
    const char *name = options->stream                    ? "stream"
                       : options->validation_fraction > 0 ? "validation-fraction"
                       : options->epochs_from_sample > 0  ? "epochs-from-sample"
                       : options->calibrate               ? "calibrate"
                                                          : NULL;

    if (options->shards > 0 || options->racy)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use --chunks to set the number of chunks",
                             "--%s requires a single process", options->racy ? "racy" : "shards");
    if (!name)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "use 'cleave test MODEL FILE' to evaluate the model on other data",
                         "--%s: cleave-mpi trains on all rows and holds out none", name);
}

/* Chooses the default solver: it is mergeable and reads rows in order. */
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

/* Fails if a checkpoint is given as warm start: the state of a fit between two rounds is not a
 * model from which another run could resume. */
static Status refuse_checkpoint(const Cluster *cluster)
{
    const char *flag = cluster->work->resume         ? "resume"
                       : cluster->options.checkpoint ? "checkpoint"
                                                     : NULL;

    if (!flag)
        return OK;
    return clv_fail_hint(cluster->error, CLEAVE_ERROR_USAGE, "omit the option",
                         "--%s: cleave-mpi writes no checkpoints for the trees of '%s'", flag,
                         cluster->run.job.method->name);
}

Status clv_cluster_read_options(Cluster *cluster)
{
    const ClusterWork *work = cluster->work;
    cleave_error *error = cluster->error;
    Job job = {0};

    TRY(clv_method_find(work->method, &job.method, error));
    cluster->run.job.method = job.method;
    TRY(clv_new(cluster->context, &cluster->method_options, 1, job.method->options_size, true,
                "options", error));
    if (work->from)
        TRY(clv_model_load(cluster->context, work->from, &cluster->from, error));
    if (cluster->from && cluster->from->method != job.method)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--from: %s: a model of '%s' cannot be the warm start of '%s'", work->from,
                        cluster->from->method->name, job.method->name);
    job.method_options = cluster->method_options;
    job.from = cluster->from;
    TRY(clv_params_apply(work->read_options, clv_read_params, &cluster->read, NULL, NULL, error));
    TRY(clv_train_options(&job, work->train_options, &cluster->options, error));
    TRY(refuse_options(&cluster->options, error));
    if (clv_cluster_fits_together(cluster))
        TRY(refuse_checkpoint(cluster));
    else
        cluster->options.checkpoint = work->checkpoint;
    if (clv_cluster_fits_together(cluster))
        cluster->talk->how_to_go_on = NULL;
    TRY(choose_solver(job.method, cluster->method_options, error));
    return clv_train_check(job.method, cluster->method_options, &cluster->options, false, error);
}

/* Applies the pipeline to a chunk. numbered: its columns already have the numbers of the
 * pipeline. */
static Status transform_chunk(const Cluster *cluster, const Pipeline *pipeline, bool numbered,
                              Dataset **chunk)
{
    Source *source, *made;
    Dataset *transformed;
    Status status;

    TRY(clv_dataset_source(*chunk, false, &source, cluster->error));
    if (!numbered && !clv_pipeline_any_column(pipeline))
        TRY(clv_remap_source(source, true, &(*chunk)->labels, clv_pipeline_inputs(pipeline),
                             clv_pipeline_input_count(pipeline), &source, cluster->error));
    TRY(clv_pipeline_source(pipeline, source, true, &made, cluster->error));
    status = clv_dataset_load(made, &transformed, cluster->error);
    clv_source_close(made);
    TRY(status);
    clv_dataset_free(*chunk);
    *chunk = transformed;
    return OK;
}

static Status transform_chunks(Cluster *cluster, const Pipeline *pipeline, bool numbered)
{
    for (uint32_t i = 0; i < cluster->chunks.own; i++)
        TRY(transform_chunk(cluster, pipeline, numbered, &cluster->chunks.chunk[i]));
    return OK;
}

/* Makes the pipeline from the columns, which are the same on all ranks. Some pipelines require only
 * the columns, not the rows. */
static Status make_columns(Cluster *cluster)
{
    Agreed *agreed = &cluster->agreed;

    TRY(clv_pipeline_of_columns(cluster->context, cluster->run.job.method,
                                cluster->run.job.method_options, &cluster->options, &agreed->schema,
                                &agreed->names, agreed->features, &cluster->pipeline,
                                cluster->error));
    if (!cluster->pipeline)
        return OK;
    TRY(transform_chunks(cluster, cluster->pipeline, true));
    if (clv_pipeline_any_column(cluster->pipeline))
        return OK;
    TRY(clv_pipeline_narrow(cluster->pipeline, cluster->error));
    clv_names_free(&agreed->names);
    clv_names_init(&agreed->names, cluster->context, true);
    agreed->features = clv_pipeline_output_count(cluster->pipeline);
    return clv_names_copy(&agreed->names, clv_pipeline_outputs(cluster->pipeline), cluster->error);
}

Status clv_cluster_make_features(Cluster *cluster)
{
    const Agreed *agreed = &cluster->agreed;

    if (cluster->from)
        return OK;
    if (clv_cluster_fits_together(cluster))
        return make_columns(cluster);
    TRY(clv_pipeline_piecewise(cluster->context, cluster->run.job.method,
                               cluster->run.job.method_options, cluster->options.transform,
                               &agreed->schema, &agreed->names, ROWS_ONCE, &cluster->pipeline,
                               cluster->error));
    return cluster->pipeline ? transform_chunks(cluster, cluster->pipeline, true) : OK;
}

Status clv_cluster_read_chunks(Cluster *cluster)
{
    const Model *from = cluster->from;
    Input input = {.paths = cluster->work->paths,
                   .path_count = cluster->work->path_count,
                   .options = &cluster->read,
                   .in_order = clv_cluster_fits_together(cluster),
                   .guide = from ? &cluster->guide : NULL};

    if (from)
        cluster->guide = (ReadGuide){.schema = &from->schema,
                                     .names = clv_model_inputs(from),
                                     .features = clv_model_input_count(from)};
    TRY(clv_chunks_cut(&cluster->chunks, cluster->context, &input, cluster->work->chunks,
                       cluster->error));
    TRY(clv_chunks_read(&cluster->chunks, &input, cluster->talk->rank, cluster->talk->size,
                        cluster->error));
    return from && from->pipeline ? transform_chunks(cluster, from->pipeline, false) : OK;
}
