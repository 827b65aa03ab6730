/* Facts about all rows that every rank needs before the first epoch: labels, counts, weights,
 * order. */
#include "base/hash.h"
#include "mpi/mpi_cluster.h"
#include "mpi/shares.h"
#include "train/row_order.h"

#include <math.h>
#include <stdio.h>

/* Makes a dataset with the facts about all rows, and the blocks of this rank for closer
 * inspection. */
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

        TRY(GROW(cluster->context, shell->block, shell->capacity,
                 (size_t)shell->blocks + chunk->blocks, cluster->error));
        for (uint32_t j = 0; j < chunk->blocks; j++)
            shell->block[shell->blocks++] = chunk->block[j];
    }
    return OK;
}

static Status check_labels(const Cluster *cluster)
{
    const Agreed *agreed = &cluster->agreed;

    if (agreed->labels.unlabeled == 0 || cluster->options.skip_unlabeled ||
        agreed->labels.unlabeled == agreed->rows)
        return OK;
    return clv_fail_hint(
        cluster->error, CLEAVE_ERROR_DATA, "use --skip-unlabeled to ignore rows without a label",
        "%s: %llu of %llu rows have no label", cluster->run.job.name,
        (unsigned long long)agreed->labels.unlabeled, (unsigned long long)agreed->rows);
}

Status clv_cluster_describe(Cluster *cluster)
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
    TRY(clv_cluster_make_features(cluster));
    run->job.pipeline = cluster->from ? cluster->from->pipeline : cluster->pipeline;
    TRY(make_shell(cluster));
    TRY(check_labels(cluster));
    TRY(clv_run_describe(run));
    return clv_run_weigh_labels(run);
}

/* The seed of a chunk, so that each chunk has its own row order. */
static uint64_t chunk_seed(const Cluster *cluster, uint32_t own)
{
    uint64_t number = cluster->chunks.first + own, seed = (uint64_t)cluster->options.seed;

    return number ? clv_hash(&number, sizeof number, seed) : seed;
}

static Status open_traversals(Cluster *cluster, Traversal **traversals, int order)
{
    uint32_t own = cluster->chunks.own;

    TRY(ALLOC_ZERO(cluster->context, *traversals, own, "traversals", cluster->error));
    for (uint32_t i = 0; i < own; i++)
        TRY(clv_traversal_init(&(*traversals)[i], cluster->chunks.chunk[i], order,
                               chunk_seed(cluster, i), 0, 1, cluster->error));
    return OK;
}

/* Adds the range of the targets of a chunk. Ranges are kept per chunk, because they cannot be
 * summed. */
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
    TRY(clv_choose_order(cluster->chunks.chunk[own], cluster->options.order, 0, &order, words,
                         sizeof words, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_ROWS, (double)run->problem.rows, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_WEIGHT, run->problem.weight_total, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_SORTED, order != ORDER_FILE, cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_ENTRIES, (double)cluster->chunks.chunk[own]->entries,
                      cluster->error));
    TRY(clv_delta_add(delta, PART_COUNT, COUNT_SUMMED, (double)run->training_rows.sum.rows,
                      cluster->error));
    for (int i = 0; i < ROW_HASH_PARTS; i++)
        TRY(clv_delta_add(delta, PART_COUNT, (uint64_t)(COUNT_HASHES + i),
                          (double)run->training_rows.sum.part[i], cluster->error));
    TRY(add_range(cluster, cluster->chunks.first + own, delta));
    return clv_shares_add(delta, cluster->chunks.first + own, cluster->chunks.chunk[own],
                          run->labels, cluster->error);
}

Status clv_cluster_count_chunks(Cluster *cluster)
{
    TRY(open_traversals(cluster, &cluster->all, ORDER_FILE));
    clv_cluster_begin_sum(cluster);
    for (uint32_t i = 0; i < cluster->chunks.own; i++) {
        Delta delta;
        Status status;

        clv_delta_init(&delta, cluster->context);
        status = count_chunk(cluster, i, &delta);
        if (status != OK)
            clv_delta_free(&delta);
        TRY(status);
        TRY(clv_cluster_add_to_sum(cluster, i, &delta));
    }
    return OK;
}

/* Chooses the order for `auto`: shuffled if at least one chunk looks sorted. */
static Status choose_order(Cluster *cluster, double sorted)
{
    static const char *const words[] = {"", "file order", "shuffled once", "shuffled each round",
                                        "random draws"};
    Report *report = cluster->run.report;

    cluster->order = cluster->options.order != ORDER_AUTO ? cluster->options.order
                     : sorted > 0                         ? ORDER_EACH
                                                          : ORDER_FILE;
    if (cluster->order == ORDER_FILE)
        snprintf(report->order, sizeof report->order, "%s", words[cluster->order]);
    else
        snprintf(report->order, sizeof report->order, "%s within each chunk (seed %lld)",
                 words[cluster->order], (long long)cluster->options.seed);
    return open_traversals(cluster, &cluster->traversal, cluster->order);
}

Status clv_cluster_weigh(Cluster *cluster, const Delta *counts)
{
    Run *run = &cluster->run;

    run->problem.rows = (uint64_t)clv_delta_number(counts, PART_COUNT, COUNT_ROWS);
    run->problem.weight_total = clv_delta_number(counts, PART_COUNT, COUNT_WEIGHT);
    /* the sample is that of this rank only */
    clv_training_rows_free(&run->training_rows, run->context);
    run->training_rows.sum.rows = (uint64_t)clv_delta_number(counts, PART_COUNT, COUNT_SUMMED);
    for (int i = 0; i < ROW_HASH_PARTS; i++)
        run->training_rows.sum.part[i] = (uint64_t)clv_delta_number(counts, PART_COUNT,
                                                                    (uint64_t)(COUNT_HASHES + i));
    if (cluster->from && !run->options.refit)
        TRY(clv_training_rows_check(cluster->from, &run->training_rows, run->job.name,
                                    cluster->error));
    take_ranges(cluster, counts);
    run->report->facts.rows = run->problem.rows;
    TRY(clv_run_check_weights(run));
    run->problem.shared = true;
    TRY(clv_run_choose(run));
    run->fit.method = run->job.method;
    cluster->shell.entries = (uint64_t)clv_delta_number(counts, PART_COUNT, COUNT_ENTRIES);
    if (!clv_cluster_fits_together(cluster))
        clv_shares_warn(&run->fit, run->job.method_options, counts, cluster->chunks.count,
                        run->labels);
    return choose_order(cluster, clv_delta_number(counts, PART_COUNT, COUNT_SORTED));
}
