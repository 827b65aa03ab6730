/* Methods that all ranks fit together, or that rank 0 fits over the rows of all ranks. */
#include "mpi/mpi_cluster.h"

#include <stdio.h>

bool clv_cluster_fits_together(const Cluster *cluster)
{
    return (cluster->run.job.method->behavior & METHOD_COLLECTIVE_FIT) &&
           method_prefers_fit(cluster->run.job.method, cluster->method_options);
}

typedef struct {
    double loss;
    uint64_t cancelled;
} RoundFacts;

/* Computes the result of the round over all ranks. */
static Status unite_round(Cluster *cluster, RoundFacts *all)
{
    Fit *fit = &cluster->run.fit;
    const Collective *collective = fit->problem->collective;
    RoundFacts mine = {.loss = fit->counters.epoch_loss,
                       .cancelled = clv_cancelled(cluster->context)};
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

/* Ends a round. After an interruption, several ranks complete the current round; a single rank
 * stops at once. */
static Status finish_fit_round(Cluster *cluster)
{
    Run *run = &cluster->run;
    RoundFacts facts;

    TRY(unite_round(cluster, &facts));
    run->fit.counters.epoch_loss = facts.loss;
    if (run->problem.collective || !facts.cancelled)
        TRY(clv_cluster_count_round(cluster));
    clv_cluster_apply_rules(cluster, false);
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
        clv_group_fail(&cluster->group, status, cluster->error);
        cluster->run.stopped_by = "error";
    }
    fit->counters.epoch_mistakes = 0;
    fit->counters.epoch_loss = 0;
    return !cluster->run.stopped_by;
}

Status clv_cluster_fit_together(Cluster *cluster)
{
    Run *run = &cluster->run;
    uint64_t bytes = cluster->talk->bytes, messages = cluster->talk->messages;
    Status status;

    clv_group_begin(&cluster->group, cluster->talk, cluster->context);
    /* with a single rank, one process has all rows */
    run->problem.collective = cluster->talk->size > 1 ? &cluster->group.collective : NULL;
    run->fit.driver = cluster;
    run->fit.epoch_done = round_over;
    run->epoch_started = clv_now();
    snprintf(run->report->order, sizeof run->report->order, "order chosen by the solver");
    clv_talk_round(cluster->talk, run->report->facts.epochs + 1);
    status = run->job.method->training->fit(&run->fit, &cluster->shell);
    TRY(clv_group_settle(&cluster->group, status, cluster->error));
    cluster->bytes_sent += cluster->talk->bytes - bytes;
    cluster->messages += cluster->talk->messages - messages;
    if (!run->report->facts.cancelled)
        run->stopped_by = clv_stop_after_fit(&run->fit, run->stopped_by);
    return OK;
}

static Status put_part(void *user, Buffer *bytes, cleave_error *error)
{
    Cluster *cluster = user;
    Run *run = &cluster->run;
    const Names *names = run->problem.names;
    Model *part = NULL;
    Buffer own = {0};
    Status status;

    if (cluster->talk->rank == 0 || run->fit.counters.seen == 0)
        return OK; /* only the first rank needs the rows */
    run->problem.names = &cluster->no_names;
    status = clv_run_make_model(run, &part);
    run->problem.names = names;
    THEN(status, clv_model_to_bytes(part, &own, error));
    THEN(status, clv_buffer_add(cluster->context, bytes, own.data, own.size, error));
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
    status = clv_cluster_read_model(cluster->context, bytes, size, &copy, &part, error);
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
        TRY(clv_cluster_learn_rows(cluster, &cluster->run.fit, &cluster->all[i], cancelled));
    return *cancelled ? clv_fail(cluster->error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

Status clv_cluster_gather(Cluster *cluster)
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
    status = cluster->talk->rank == 0 ? run->job.method->training->end_epoch(&run->fit, &clean)
                                      : OK;
    THEN(status, clv_cluster_count_round(cluster));
    clv_cluster_apply_rules(cluster, clean);
    return clv_talk_settle(cluster->talk, cluster->context, status, cluster->error);
}
