/* A run on one rank, from its options to the model and the report. */
#include "model/registry.h"
#include "mpi/mpi_cluster.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>

static Status evaluate_chunks(Cluster *cluster, const Model *model)
{
    clv_cluster_begin_sum(cluster);
    for (uint32_t i = 0; i < cluster->chunks.own; i++) {
        Evaluation evaluation = {.without_loss = true};
        Delta delta;
        Status status = OK;

        if (cluster->chunks.chunk[i]->rows)
            status = clv_evaluate_rows(model, &cluster->all[i], cluster->run.problem.label_number,
                                       NULL, NULL, &evaluation, cluster->error);
        TRY(status);
        clv_delta_init(&delta, cluster->context);
        status = clv_delta_add(&delta, PART_EVALUATED, EVALUATED_ROWS, (double)evaluation.n,
                               cluster->error);
        THEN(status, clv_delta_add(&delta, PART_EVALUATED, EVALUATED_ERRORS,
                                   (double)evaluation.errors, cluster->error));
        THEN(status, clv_delta_add(&delta, PART_EVALUATED, EVALUATED_SQUARES,
                                   evaluation.squared_error, cluster->error));
        THEN(status, clv_cluster_add_to_sum(cluster, i, &delta));
        clv_delta_free(&delta);
        TRY(status);
    }
    return OK;
}

/* Counts the misclassified training rows. */
static Status evaluate(Cluster *cluster, const Model *model)
{
    cleave_report *facts = &cluster->run.report->facts;
    const Delta *evaluated;
    double rows;

    facts->train_errors = UINT64_MAX;
    if (facts->cancelled || METHOD_HAS(cluster->run.job.method, distributed, join))
        return OK; /* only one rank has the model */
    TRY(clv_cluster_unite_sum(cluster, evaluate_chunks(cluster, model), &evaluated));
    rows = clv_delta_number(evaluated, PART_EVALUATED, EVALUATED_ROWS);
    if (cluster->run.fit.task == CLEAVE_TASK_REGRESSION) {
        double squares = clv_delta_number(evaluated, PART_EVALUATED, EVALUATED_SQUARES);

        clv_figure(&cluster->run.fit, "train_rmse", rows > 0 ? sqrt(squares / rows) : 0);
        clv_figure(&cluster->run.fit, "train_sse", squares);
    } else {
        facts->train_errors = (uint64_t)clv_delta_number(evaluated, PART_EVALUATED,
                                                         EVALUATED_ERRORS);
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
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the log message from another rank is invalid");
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
    Traffic traffic; /* first member; other ranks send nothing else */
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
    if (!clv_cluster_fits_together(cluster))
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
    TRY(evaluate(cluster, *model));
    TRY(tell_traffic(cluster));
    facts->kept_epoch = facts->epochs;
    clv_run_tell(run);
    return OK;
}

static void free_traversals(Cluster *cluster, Traversal *traversals)
{
    for (uint32_t i = 0; traversals && i < cluster->chunks.own; i++)
        clv_traversal_free(&traversals[i]);
    clv_free(cluster->context, traversals);
}

static void end(Cluster *cluster)
{
    clv_run_end(&cluster->run);
    free_traversals(cluster, cluster->traversal);
    free_traversals(cluster, cluster->all);
    clv_delta_tree_free(&cluster->tree);
    clv_free(cluster->context, cluster->shell.block);
    clv_pipeline_release(cluster->pipeline);
    clv_agreed_free(&cluster->agreed);
    clv_chunks_free(&cluster->chunks);
    cleave_model_free(cluster->begun);
    FREE(cluster->context, cluster->begun_bytes, cluster->method_options);
}

/* Trains. At the end of each phase all ranks exchange their status, so that no rank ends alone. */
static Status train(Cluster *cluster, Model **model)
{
    Talk *talk = cluster->talk;
    Context *context = cluster->context;
    double started = clv_now(), cpu = clv_cpu_now();
    const Delta *counts;
    Status status = clv_cluster_read_options(cluster);

    THEN(status, clv_cluster_read_chunks(cluster));
    TRY(clv_agree(&cluster->agreed, talk, &cluster->chunks, cluster->work->paths[0], cluster->from,
                  status, cluster->error));
    TRY(clv_talk_unite(talk, context, cluster->work->remarks, cluster->work->user, OK,
                       cluster->error));
    status = clv_cluster_describe(cluster);
    THEN(status, clv_cluster_count_chunks(cluster));
    TRY(clv_cluster_unite_sum(cluster, status, &counts));
    TRY(clv_talk_settle(talk, context, clv_cluster_weigh(cluster, counts), cluster->error));
    cluster->run.report->facts.read_seconds = clv_now() - started;
    cluster->run.report->facts.read_cpu_seconds = clv_cpu_now() - cpu;
    started = clv_now();
    cpu = clv_cpu_now();
    TRY(clv_cluster_begin(cluster));
    TRY(clv_cluster_fits_together(cluster) ? clv_cluster_fit_together(cluster)
        : METHOD_HAS(cluster->run.job.method, distributed, join)
            ? clv_cluster_gather(cluster)
            : clv_cluster_train_rounds(cluster));
    TRY(finish(cluster, model));
    cluster->run.report->facts.train_seconds = clv_now() - started;
    cluster->run.report->facts.train_cpu_seconds = clv_cpu_now() - cpu;
    return OK;
}

Status clv_cluster_train(Talk *talk, const ClusterWork *work, Model **model, Model **from,
                         Report **report, cleave_error *error)
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
