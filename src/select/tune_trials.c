/*
 * Trials of a tuning: all folds of a stage, several at a time. Candidates that differ in nothing but how much the model is held back are a path: they
 * are tried one after the other, the most held back first, each from the model of the one before, where the minimum is the same from wherever
 * training starts (Friedman, Hastie and Tibshirani 2010, "Regularization paths for generalized linear models via coordinate descent").
 * Who is in which segment of a path, and on which fold it is tried, does not hang on the number of threads.
 */
#include "select/tune_search.h"

#include "base/pool.h"

#include <stdio.h>

/* ---- one trial */

void clv_tune_candidate_failed(Tune *tune, uint32_t number, uint32_t fold, const char *message)
{
    Candidate *candidate = &tune->candidate[number];

    pthread_mutex_lock(&tune->lock);
    if (candidate->fate != CLEAVE_TRIAL_FAILED || fold < candidate->failed_fold) {
        candidate->fate = CLEAVE_TRIAL_FAILED;
        candidate->failed_fold = fold;
        snprintf(candidate->failure, sizeof candidate->failure, "%s", message);
    }
    pthread_mutex_unlock(&tune->lock);
}

static void note_failure(Tune *tune, uint32_t task, Status status, const cleave_error *error)
{
    pthread_mutex_lock(&tune->lock);
    if (task < tune->failed) {
        tune->failed = task;
        tune->failure = status;
        tune->failure_error = *error;
    }
    pthread_mutex_unlock(&tune->lock);
}

static bool has_failed_before(Tune *tune, uint32_t task)
{
    bool failed;

    pthread_mutex_lock(&tune->lock);
    failed = tune->failed < task;
    pthread_mutex_unlock(&tune->lock);
    return failed;
}

static void take_remarks(Tune *tune, Trial *trial)
{
    tune->remarks = trial->remarks;
    tune->remark_count = trial->remark_count;
    trial->remarks = NULL;
    trial->remark_count = trial->remark_capacity = 0;
}

/* Whether a trial has ended the segment, for reasons that are not its candidate's: no time is left, somebody interrupted, memory is short. */
static bool ends_segment(Tune *tune, const Trial *trial, uint32_t task)
{
    cleave_error error = {0};

    if (trial->late)
        atomic_store(&tune->late, true);
    else if (trial->status != OK && !is_its_own(trial)) {
        clv_trial_failure(trial, &error);
        note_failure(tune, task, trial->status, &error);
    }
    return trial->late || (trial->status != OK && !is_its_own(trial));
}

/* False: nothing more is to be done in this segment. */
static bool take_outcome(Tune *tune, Trial *trial, uint32_t task, uint32_t candidate, uint32_t fold)
{
    Outcome *outcome = outcome_of(tune, candidate, fold);
    cleave_error error = {0};
    Status status;

    if (trial->status != OK)
        clv_trial_failure(trial, &error);
    *outcome = (Outcome){.done = trial->status == OK,
                         .failed = trial->status != OK,
                         .n = trial->sums.n,
                         .errors = trial->sums.errors,
                         .squares = trial->sums.squares,
                         .fourths = trial->sums.fourths,
                         .metric = trial->sums.metric,
                         .seconds = trial->facts.train_seconds + trial->facts.test_seconds,
                         .limited = fold_limited(&trial->facts),
                         .warm = trial->from != NULL};
    if (outcome->failed)
        clv_tune_candidate_failed(tune, candidate, fold, error.message);
    status = clv_tune_keep_outcome(tune, candidate, fold, error.message, &error);
    if (status != OK)
        note_failure(tune, task, status, &error);
    return status == OK;
}

static void count_trial(Tune *tune, bool made, bool warm)
{
    pthread_mutex_lock(&tune->lock);
    tune->trials += made;
    tune->found += !made;
    tune->warm += warm;
    pthread_mutex_unlock(&tune->lock);
}

static void begin_trial(Tune *tune, Trial *trial, uint32_t candidate, uint32_t fold, const Model *from, bool keep)
{
    *trial = (Trial){.parent = tune->context,
                     .method = tune->method,
                     .metric = tune->metric,
                     .training = tune->candidate[candidate].draw.options,
                     .name = tune->name,
                     .dataset = dataset_of(tune, candidate),
                     .folds = &tune->folds,
                     .part = fold,
                     .learn_share = tune->plan[tune->rung].share,
                     .share_seed = (uint64_t)tune->run.seed,
                     .deadline = tune->search_until,
                     .from = from,
                     .keep_model = keep};
    clv_trial_begin(trial);
}

/* ---- a segment of a path on one fold */

/* Trials that the journal has are made again where one that it does not have goes on from their models. */
static void run_segment(Tune *tune, uint32_t task, const Segment *segment, uint32_t fold)
{
    Trial trials[PATH_STEPS] = {0};
    bool known[PATH_STEPS];
    uint32_t needed = 0;
    const Model *from = NULL;

    for (uint32_t i = 0; i < segment->count; i++) {
        known[i] = clv_tune_find_outcome(tune, segment->member[i], fold);
        if (known[i])
            count_trial(tune, false, outcome_of(tune, segment->member[i], fold)->warm);
        else
            needed = i + 1;
    }
    for (uint32_t i = 0; i < needed; i++) {
        Trial *trial = &trials[i];
        uint32_t candidate = segment->member[i];

        begin_trial(tune, trial, candidate, fold, from, i + 1 < needed);
        clv_trial_run(trial);
        if (ends_segment(tune, trial, task))
            break;
        if (!known[i] && !take_outcome(tune, trial, task, candidate, fold))
            break;
        if (!known[i])
            count_trial(tune, true, from != NULL);
        if (candidate == 0 && fold == 0 && tune->rung == 0)
            take_remarks(tune, trial);
        from = trial->status == OK && !fold_limited(&trial->facts) ? trial->model : NULL;
    }
    for (uint32_t i = needed; i-- > 0;) /* a pipeline is shared with those after it, and in the context of the first */
        clv_trial_free(&trials[i]);
}

static void show_progress(Tune *tune, uint32_t done)
{
    double share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    uint32_t tasks = tune->tasks;
    double work = tune->work_done + share * done;
    char detail[160];

    snprintf(detail, sizeof detail, "round %u  rung %u of %u  folds %u to %u  %u of %u done%s%s", tune->round + 1,
             tune->rung + 1, tune->rungs, tune->first_fold + 1, tune->first_fold + tasks / tune->batch, done, tasks,
             *tune->best ? "  best so far " : "", tune->best);
    clv_progress(tune->context, &(cleave_progress){.phase = "tune",
                                                   .rows = (uint64_t)(1000 * work),
                                                   .rows_total = (uint64_t)(1000 * tune->work_all) + 1,
                                                   .detail = detail});
}

static void work(void *user, uint32_t task, unsigned worker)
{
    Tune *tune = user;
    uint32_t fold = tune->first_fold + task / tune->batch;

    if (has_failed_before(tune, task))
        return;
    if (tune->search_until > 0 && clv_now() > tune->search_until)
        atomic_store(&tune->late, true);
    else
        run_segment(tune, task, &tune->segment[tune->first_segment + task % tune->batch], fold);
    atomic_fetch_add(&tune->tasks_done, 1);
    if (worker == 0)
        show_progress(tune, atomic_load(&tune->tasks_done));
}

/* ---- a stage: some folds of a rung */

static bool same_path(const Draw *a, const Draw *b)
{
    return a->chain.size > 0 && a->chain.size == b->chain.size &&
           memcmp(a->chain.data, b->chain.data, a->chain.size) == 0;
}

/* Puts a candidate and those of its path that are not in a segment yet into segments, the most held back first. */
static void lay_path(Tune *tune, uint32_t first, bool *laid)
{
    uint32_t *path = tune->order, count = 0;

    for (uint32_t i = first; i < tune->count; i++) {
        uint32_t at = count;

        if (laid[i] || !is_in(tune, i) ||
            (i != first && !same_path(&tune->candidate[first].draw, &tune->candidate[i].draw)))
            continue;
        laid[i] = true;
        for (; at > 0 && tune->candidate[path[at - 1]].draw.strength > tune->candidate[i].draw.strength; at--)
            path[at] = path[at - 1];
        path[at] = i;
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        Segment *segment = &tune->segment[tune->segments - (i % PATH_STEPS != 0)];

        if (i % PATH_STEPS == 0) {
            segment->count = 0;
            tune->segments++;
        }
        segment->member[segment->count++] = path[i];
    }
}

static Status lay_segments(Tune *tune, cleave_error *error)
{
    bool *laid = clv_alloc_zero(tune->context, tune->count, sizeof *laid);

    if (!laid)
        return clv_fail_memory(error, "candidates", tune->count);
    tune->segments = 0;
    for (uint32_t i = 0; i < tune->count; i++)
        if (!laid[i] && is_in(tune, i))
            lay_path(tune, i, laid);
    clv_free(tune->context, laid);
    return OK;
}

/* ---- batches: segments whose data is in memory together */

static uint32_t reading_of(const Tune *tune, const Segment *segment)
{
    return tune->candidate[segment->member[0]].reading; /* a path has one reading */
}

/* Segments of one reading are adjacent; otherwise the order stays. */
static void sort_segments(Tune *tune)
{
    for (uint32_t i = 1; i < tune->segments; i++) {
        Segment moved = tune->segment[i];
        uint32_t at = i;

        for (; at > 0 && reading_of(tune, &tune->segment[at - 1]) > reading_of(tune, &moved); at--)
            tune->segment[at] = tune->segment[at - 1];
        tune->segment[at] = moved;
    }
}

/* Whether the journal has every trial of a segment, so that its data is not needed. */
static bool is_known(const Tune *tune, const Segment *segment, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < segment->count; i++)
        for (uint32_t fold = first; fold < last; fold++)
            if (!clv_tune_has_outcome(tune, segment->member[i], fold))
                return false;
    return true;
}

/* Sets tune->batch: segments from first_segment on whose data fits into memory, at least 1. */
static Status begin_batch(Tune *tune, uint32_t first, uint32_t last, cleave_error *error)
{
    bool full = false, late = false;

    clv_readings_next_batch(&tune->readings);
    for (tune->batch = 0; tune->first_segment + tune->batch < tune->segments && !full; tune->batch++) {
        const Segment *segment = &tune->segment[tune->first_segment + tune->batch];
        Status status = is_known(tune, segment, first, last)
                            ? OK
                            : clv_readings_need(&tune->readings, reading_of(tune, segment), &full, &late, error);

        if (late) {
            atomic_store(&tune->late, true);
            return OK;
        }
        TRY(status);
    }
    return OK;
}

static Status run_batch(Tune *tune, uint32_t folds, cleave_error *error)
{
    atomic_store(&tune->tasks_done, 0);
    tune->tasks = tune->batch * folds;
    clv_pool_run(tune->context, tune->tasks, work, tune);
    if (tune->failed == UINT32_MAX)
        return OK;
    if (error)
        *error = tune->failure_error;
    return tune->failure;
}

Status clv_tune_stage(Tune *tune, uint32_t first, uint32_t last, cleave_error *error)
{
    clv_progress(tune->context, &(cleave_progress){.phase = "tune"});
    TRY(lay_segments(tune, error));
    sort_segments(tune);
    tune->first_fold = first;
    tune->readings.deadline = tune->search_until;
    for (tune->first_segment = 0; tune->first_segment < tune->segments; tune->first_segment += tune->batch) {
        TRY(begin_batch(tune, first, last, error));
        if (atomic_load(&tune->late))
            return OK;
        TRY(run_batch(tune, last - first, error));
    }
    return OK;
}
