/* Rounds: each chunk is learned separately, and every rank applies the sum. */
#include "mpi/mpi_cluster.h"
#include "train/checkpoint.h"
#include "train/team.h"

#include <math.h>

Status clv_cluster_learn_rows(Cluster *cluster, Fit *worker, Traversal *traversal, bool *cancelled)
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

/* Learns one chunk with its own worker. */
static Status learn_chunk(Cluster *cluster, const Model *model, uint32_t own, bool checking,
                          bool *cancelled, Delta *delta)
{
    const Fit *start = &cluster->run.fit;
    Fit worker;
    Status status = clv_team_join(&worker, start, model, cluster->error);

    THEN(status, clv_cluster_learn_rows(cluster, &worker,
                                        checking ? &cluster->all[own] : &cluster->traversal[own],
                                        cancelled));
    THEN(status, clv_team_give(&worker, start, delta));
    if (status == OK && *cancelled)
        status = clv_delta_add(delta, PART_CANCEL, 0, 1, cluster->error);
    clv_team_leave(&worker);
    return status;
}

/* Learns the chunks of this rank. */
static Status learn_chunks(Cluster *cluster, bool checking)
{
    Run *run = &cluster->run;
    const Names *names = run->problem.names;
    Model *model = NULL;
    bool cancelled = false;
    Status status;

    clv_cluster_begin_sum(cluster);
    run->problem.names = &cluster->no_names; /* workers of this process use column numbers only */
    status = clv_run_make_model(run, &model);
    run->problem.names = names;
    for (uint32_t i = 0; i < cluster->chunks.own && status == OK; i++) {
        Delta delta;

        clv_delta_init(&delta, cluster->context);
        status = learn_chunk(cluster, model, i, checking, &cancelled, &delta);
        THEN(status, clv_cluster_add_to_sum(cluster, i, &delta));
        clv_delta_free(&delta);
    }
    cleave_model_free(model);
    return status;
}

Status clv_cluster_count_round(Cluster *cluster)
{
    Run *run = &cluster->run;

    run->fit.counters.mistakes += run->fit.counters.epoch_mistakes;
    TRY(clv_report_round(run->report, clv_now() - run->epoch_started,
                         run->fit.counters.epoch_mistakes, run->fit.counters.epoch_loss,
                         cluster->error));
    run->epoch_started = clv_now();
    run->fit.counters.epoch++;
    clv_progress(cluster->context, &(cleave_progress){.phase = "train",
                                                      .rows = run->problem.rows,
                                                      .rows_total = run->problem.rows,
                                                      .epoch = run->report->facts.epochs,
                                                      .epochs = (uint32_t)run->options.limit,
                                                      .mistakes = fit_epoch_mistakes(&run->fit)});
    return OK;
}

/* Ends a round: all ranks apply the sum. The stopping rules have the same input on all ranks, and
 * therefore the same result. */
static Status finish_round(Cluster *cluster, const Delta *sum, bool *clean)
{
    Run *run = &cluster->run;

    if (clv_delta_number(sum, PART_CANCEL, 0) > 0) {
        run->stopped_by = "interrupt";
        run->report->facts.cancelled = true;
        return OK;
    }
    TRY(clv_team_take(&run->fit, sum, clean));
    return clv_cluster_count_round(cluster);
}

void clv_cluster_apply_rules(Cluster *cluster, bool clean)
{
    Run *run = &cluster->run;

    run->stopped_by = clv_stop_after(&run->stop, run->report->facts.epochs,
                                     run->fit.counters.epoch_mistakes, fit_ending(&run->fit, clean),
                                     (double)NAN);
    run->fit.result.converged = clean && !run->fit.result.plateau && !run->fit.result.complete;
}

Status clv_cluster_train_rounds(Cluster *cluster)
{
    Run *run = &cluster->run;
    Status status = OK;

    run->epoch_started = clv_now();
    while (!run->stopped_by) {
        const Delta *sum;
        bool clean = false;
        uint64_t bytes = cluster->talk->bytes, messages = cluster->talk->messages;

        clv_talk_round(cluster->talk, run->report->facts.epochs + 1);
        THEN(status, learn_chunks(cluster, run->checking));
        TRY(clv_cluster_unite_sum(cluster, status, &sum));
        cluster->bytes_sent += cluster->talk->bytes - bytes;
        cluster->messages += cluster->talk->messages - messages;
        status = finish_round(cluster, sum, &clean);
        if (status == OK && !run->stopped_by) {
            /* Random draws may miss a misclassified row: a round without mistakes counts only if it
             * visits every row. */
            bool believed = clean && (run->checking || cluster->order != ORDER_DRAWS);

            run->checking = clean && !believed;
            clv_cluster_apply_rules(cluster, believed);
            if (cluster->talk->rank == 0)
                status = clv_checkpoint_save(run);
        }
    }
    return clv_talk_settle(cluster->talk, cluster->context, status, cluster->error);
}
