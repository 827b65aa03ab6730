#include "train/shards.h"

#include "base/pool.h"
#include "train/feed.h"
#include "train/team.h"

#include <pthread.h>

enum { MOST_PIECES = 64, ENTRIES_PER_WEIGHT = 16 };

Status clv_shards_choose(const Run *run, uint32_t *shards)
{
    const Method *method = run->job.method;
    /* A shard needs several passes over all weights, so it must have many more entries than there
     * are weights. */
    uint64_t weights = ((uint64_t)run->fit.features + 1) * run->fit.outputs;
    uint64_t pieces = run->dataset->entries / (ENTRIES_PER_WEIGHT * weights),
             asked = (uint64_t)run->options.shards;

    *shards = 1;
    if (run->options.racy) {
        *shards = clv_pool_workers(run->context, 2);
        return run->job.tracer
                   ? clv_fail(run->error, CLEAVE_ERROR_USAGE, "--racy cannot be used with a trace")
                   : OK;
    }
    if (asked > 1) {
        if (run->job.tracer)
            return clv_fail(run->error, CLEAVE_ERROR_USAGE, "--shards cannot be used with a trace");
        *shards = (uint32_t)(asked < run->dataset->rows ? asked : run->dataset->rows);
    } else if (asked == 0 && method_sums_exactly(method, run->job.method_options) &&
               !run->job.tracer) {
        *shards = (uint32_t)(pieces > MOST_PIECES ? MOST_PIECES : pieces > 1 ? pieces : 1);
    }
    return OK;
}

/* ---- one round ------------------------------------------------------------------------------- */

typedef struct {
    Run *run;
    Model *model; /* the common state, for every worker */
    uint32_t shards;
    pthread_mutex_t lock; /* protects the fields below */
    DeltaTree tree;
    Status status; /* the first error */
    cleave_error error;
    bool cancelled;
    uint64_t rows;
} Round;

/* Counts rows that were learned, and returns whether to continue. Only the calling thread calls the
 * watcher. */
static bool goes_on(Round *round, uint32_t rows, unsigned worker)
{
    bool on;

    pthread_mutex_lock(&round->lock);
    round->rows += rows;
    if (clv_cancelled(round->run->context))
        round->cancelled = true;
    on = round->status == OK && !round->cancelled;
    if (worker == 0) {
        const Run *run = round->run;

        clv_progress(run->context, &(cleave_progress){.phase = "train",
                                                      .rows = round->rows,
                                                      .rows_total = run->dataset->rows,
                                                      .epoch = run->fit.counters.epoch + 1,
                                                      .epochs = (uint32_t)run->options.limit});
    }
    pthread_mutex_unlock(&round->lock);
    return on;
}

static Status step_over(Round *round, Fit *fit, Traversal *traversal, unsigned worker)
{
    TRY(clv_traversal_begin(traversal, fit->counters.epoch, fit->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, fit->error));
        if (!block)
            return OK;
        TRY(fit->method->training->step(fit, block));
        if (!goes_on(round, block->rows, worker))
            return OK;
    }
}

static Status learn_shard(Round *round, uint32_t shard, unsigned worker, Delta *delta,
                          cleave_error *error)
{
    const Run *run = round->run;
    Traversal traversal;
    Fit fit;
    Status status = clv_traversal_init(&traversal, run->dataset, run->traversal.order,
                                       run->traversal.seed, run->traversal.from, run->traversal.to,
                                       error);

    if (status == OK) {
        clv_traversal_limit(&traversal, shard, round->shards);
        clv_traversal_slice(&traversal, run->fit.outputs);
        status = clv_team_join(&fit, &run->fit, round->model, error);
        if (status == OK && run->options.racy)
            status = fit.method->distributed->race(&fit, &run->fit, round->shards);
        THEN(status, step_over(round, &fit, &traversal, worker));
        THEN(status, clv_team_give(&fit, &run->fit, delta));
        clv_team_leave(&fit);
    }
    clv_traversal_free(&traversal);
    return status;
}

static void work_on_shard(void *user, uint32_t shard, unsigned worker)
{
    Round *round = user;
    cleave_error error = {0};
    Delta delta;
    Status status;

    if (!goes_on(round, 0, worker))
        return;
    clv_delta_init(&delta, round->run->context);
    status = learn_shard(round, shard, worker, &delta, &error);
    pthread_mutex_lock(&round->lock);
    THEN(status, clv_delta_tree_add(&round->tree, shard, 1, &delta, &error));
    if (status != OK && round->status == OK) {
        round->status = status;
        round->error = error;
    }
    pthread_mutex_unlock(&round->lock);
    clv_delta_free(&delta);
}

/* Gathers the first rows, for a method that finds its learning rate from a sample. */
static Status show_sample(Run *run)
{
    if (run->fit.calibration.every > 0)
        return clv_fail_hint(run->error, CLEAVE_ERROR_USAGE, "omit --schedule or --shards",
                             "--shards and the calibrated learning rate cannot be combined");
    return run->fit.wants_sample ? clv_feed_sample(run, &run->traversal) : OK;
}

Status clv_shards_epoch(Run *run, uint32_t shards, bool *clean, bool *cancelled)
{
    Round round = {.run = run, .shards = shards};
    Status status;

    *clean = *cancelled = false;
    run->fit.counters.epoch_mistakes = 0;
    run->fit.counters.epoch_loss = 0;
    TRY(show_sample(run));
    TRY(clv_run_make_model(run, &round.model));
    clv_delta_tree_init(&round.tree, run->context, shards);
    pthread_mutex_init(&round.lock, NULL);
    clv_pool_run(run->context, shards, work_on_shard, &round);
    pthread_mutex_destroy(&round.lock);
    cleave_model_free(round.model);
    status = round.status;
    *cancelled = round.cancelled;
    if (status != OK && run->error)
        *run->error = round.error;
    if (status == OK && !*cancelled)
        status = clv_team_take(&run->fit, clv_delta_tree_sum(&round.tree), clean);
    clv_delta_tree_free(&round.tree);
    return status;
}
