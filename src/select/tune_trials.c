/* Trials of a search: all folds of a stage, several at once. Candidates that differ only in the
 * strength of the regularization form a path. Their trials run in succession, the most regularized
 * first, each with a warm start from the model of the previous one, if the minimum does not depend
 * on the start (Friedman, Hastie and Tibshirani 2010, "Regularization paths for generalized linear
 * models via coordinate descent"). A finished trial is recorded in the journal, also if its
 * candidate failed. */
#include "select/pace.h"
#include "select/tune.h"

#include "train/identity.h"

#include <stdio.h>

/* ---- the journal */

enum { KEY_SIZE = 64 };

static void make_key(const Tune *tune, uint32_t candidate, uint32_t fold, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "rung %u candidate %u fold %u", tune->rung + 1, candidate + 1,
             fold + 1);
}

static const JournalRecord *find_record(const Tune *tune, uint32_t candidate, uint32_t fold)
{
    const JournalRecord *record;
    char key[KEY_SIZE];

    make_key(tune, candidate, fold, key);
    record = clv_journal_find(tune->base.journal, key);
    return record && record->count == RESULT_NUMBERS ? record : NULL;
}

static bool is_no_part(const char *name)
{
    return strcmp(name, "budget") == 0 || strcmp(name, "journal") == 0;
}

Status clv_tune_open_journal(Tune *tune, cleave_error *error)
{
    Experiment *base = &tune->base;
    const Buffer *defaults = &tune->candidate[0].draw.identity;
    Buffer facts = {0};
    Status status = clv_identity_add(
        &(Identity){.context = base->context, .error = error, .list = &facts}, "method",
        tune->method->name);

    THEN(status, clv_buffer_add(base->context, &facts, defaults->data, defaults->size, error));
    THEN(status, clv_experiment_open_journal(base, "tune", &facts, is_no_part, error));
    clv_free(base->context, facts.data);
    TRY(status);
    if (clv_journal_count(base->journal) > 0)
        clv_note(base->context, "resuming the search: %zu finished trials are in %s",
                 clv_journal_count(base->journal), base->options.journal);
    return OK;
}

/* ---- one trial */

/* Marks a candidate as failed. If several folds fail, the failure of the first fold counts. */
static void fail_candidate(Tune *tune, Candidate *candidate, uint32_t fold, const char *message)
{
    pthread_mutex_lock(&tune->base.lock);
    if (candidate->state != CLEAVE_TRIAL_FAILED || fold < candidate->failed_fold) {
        candidate->state = CLEAVE_TRIAL_FAILED;
        candidate->failed_fold = fold;
        snprintf(candidate->failure, sizeof candidate->failure, "%.399s", message);
    }
    pthread_mutex_unlock(&tune->base.lock);
}

static void count_trial(Tune *tune, bool run, bool warm)
{
    pthread_mutex_lock(&tune->base.lock);
    tune->trials += run;
    tune->found += !run;
    tune->warm += warm;
    pthread_mutex_unlock(&tune->base.lock);
}

/* Takes a result from the journal. Returns false if it has none. */
static bool recall(Tune *tune, uint32_t candidate, uint32_t fold)
{
    TrialResult *result = &results_of(tune, candidate)[fold];
    const JournalRecord *record = find_record(tune, candidate, fold);

    if (!record || !clv_result_load(result, record->numbers))
        return false;
    if (result->state == TRIAL_FAILED)
        fail_candidate(tune, &tune->candidate[candidate], fold, record->text);
    count_trial(tune, false, result->warm);
    return true;
}

/* Takes and records the result of a trial. Returns false if the segment ends, because the time
 * is over or because of a failure that is not due to the candidate. known: the journal has the
 * result. */
static bool take_result(Tune *tune, const Trial *trial, uint32_t task, uint32_t candidate,
                        bool known)
{
    TrialResult *result = &results_of(tune, candidate)[trial->part];
    cleave_error error = {0};
    char key[KEY_SIZE];
    Status status;

    if (trial->late) {
        atomic_store(&tune->late, true);
        return false;
    }
    if (trial->status != OK)
        clv_trial_failure(trial, &error);
    status = is_its_own(trial) ? OK : trial->status;
    if (status == OK && !known) {
        *result = clv_trial_result(trial, trial->facts.train_seconds + trial->facts.test_seconds);
        if (result->state == TRIAL_FAILED)
            fail_candidate(tune, &tune->candidate[candidate], trial->part, error.message);
        make_key(tune, candidate, trial->part, key);
        status = clv_experiment_record(&tune->base, key, result, error.message, &error);
    }
    if (status != OK)
        clv_experiment_fail(&tune->base, task, status, &error);
    else if (!known)
        count_trial(tune, true, trial->from != NULL);
    return status == OK;
}

/* ---- a segment of a path on one fold */

/* Runs a segment on one fold. A trial that is in the journal runs again if a later one of the
 * segment starts from its model. */
static void run_segment(Tune *tune, uint32_t task, const Segment *segment, uint32_t fold)
{
    Trial trials[PATH_STEPS] = {0};
    bool known[PATH_STEPS];
    uint32_t needed = 0;
    const Model *from = NULL;

    for (uint32_t i = 0; i < segment->count; i++) {
        known[i] = recall(tune, segment->member[i], fold);
        if (!known[i])
            needed = i + 1;
    }
    for (uint32_t i = 0; i < needed; i++) {
        Trial *trial = &trials[i];
        uint32_t candidate = segment->member[i];

        *trial = clv_experiment_trial(&tune->base, fold);
        trial->method = tune->method;
        trial->training = tune->candidate[candidate].draw.options;
        trial->dataset = dataset_of(tune, candidate);
        trial->train_share = tune->plan[tune->rung].share;
        trial->deadline = tune->search_until;
        trial->from = from;
        trial->keep_model = i + 1 < needed;
        clv_trial_begin(trial);
        clv_trial_run(trial);
        if (!take_result(tune, trial, task, candidate, known[i]))
            break;
        if (candidate == 0 && fold == 0 && tune->rung == 0) {
            tune->first = (Trial){.parent = trial->parent,
                                  .remarks = trial->remarks,
                                  .remark_count = trial->remark_count};
            trial->remarks = NULL;
            trial->remark_count = trial->remark_capacity = 0;
        }
        from = trial->status == OK && !clv_trial_result(trial, 0).limited ? trial->model : NULL;
    }
    /* further trials share the pipeline of the first one, which is in its context */
    for (uint32_t i = needed; i-- > 0;)
        clv_trial_free(&trials[i]);
}

static void show_progress(Tune *tune, uint32_t done)
{
    double share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    uint32_t tasks = tune->tasks;
    double work = tune->work_done + share * done;
    char detail[160];

    snprintf(detail, sizeof detail, "batch %u  rung %u of %u  folds %u to %u  %u of %u done%s%s",
             tune->round + 1, tune->rung + 1, tune->rungs, tune->first_fold + 1,
             tune->first_fold + tasks / tune->batch, done, tasks,
             *tune->best ? "  best so far " : "", tune->best);
    clv_progress(tune->base.context,
                 &(cleave_progress){.phase = "tune",
                                    .rows = (uint64_t)(1000 * work),
                                    .rows_total = (uint64_t)(1000 * tune->work_all) + 1,
                                    .detail = detail});
}

static void work(void *user, uint32_t task, unsigned worker)
{
    Tune *tune = user;
    uint32_t fold = tune->first_fold + task / tune->batch;

    if (clv_experiment_has_failed(&tune->base, task))
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

/* Divides the candidates of a path into segments, the most regularized first. */
static void lay_path(Tune *tune, uint32_t first, bool *laid)
{
    const Buffer *own = &tune->candidate[first].draw.path;
    uint32_t *path = tune->order, count = 0;

    for (uint32_t i = first; i < tune->count; i++) {
        const Draw *draw = &tune->candidate[i].draw;
        bool same = own->size > 0 && own->size == draw->path.size &&
                    memcmp(own->data, draw->path.data, own->size) == 0;
        uint32_t at = count;

        if (laid[i] || !is_in(tune, i) || (i != first && !same))
            continue;
        laid[i] = true;
        for (; at > 0 && tune->candidate[path[at - 1]].draw.strength > draw->strength; at--)
            path[at] = path[at - 1];
        path[at] = i;
        count++;
    }
    for (uint32_t i = 0; i < count; i++) {
        Segment *segment;

        if (i % PATH_STEPS == 0)
            tune->segment[tune->segments++].count = 0;
        segment = &tune->segment[tune->segments - 1];
        segment->member[segment->count++] = path[i];
    }
}

/* ---- batches: segments whose data is in memory together */

static uint32_t reading_of(const Tune *tune, const Segment *segment)
{
    return tune->candidate[segment->member[0]].reading; /* a path has one reading */
}

/* Sorts segments such that those of one reading are adjacent. Otherwise the order does not
 * change. */
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
            if (!find_record(tune, segment->member[i], fold))
                return false;
    return true;
}

/* Sets tune->batch to the number of segments, from first_segment on, whose data fits into memory;
 * at least 1. */
static Status begin_batch(Tune *tune, uint32_t first, uint32_t last, cleave_error *error)
{
    bool full = false, late = false;

    clv_readings_next_batch(&tune->readings);
    for (tune->batch = 0; tune->first_segment + tune->batch < tune->segments && !full;
         tune->batch++) {
        const Segment *segment = &tune->segment[tune->first_segment + tune->batch];
        Status status = is_known(tune, segment, first, last)
                            ? OK
                            : clv_readings_need(&tune->readings, reading_of(tune, segment), &full,
                                                &late, error);

        if (late) {
            atomic_store(&tune->late, true);
            return OK;
        }
        TRY(status);
    }
    return OK;
}

/* Sets the end of the search such that there is time for the test, given the time of trials on all
 * rows. */
static void plan_end(Tune *tune)
{
    uint32_t last = (tune->rungs - 1) * tune->base.fold_count;
    double longest = 0;

    if (tune->search_until == tune->until)
        return;
    for (uint32_t i = 0; i < tune->count; i++)
        for (uint32_t fold = 0; fold < tune->base.fold_count; fold++)
            longest = fmax(longest, tune->candidate[i].result[last + fold].seconds);
    tune->search_until = tune->until - clv_test_reserve(tune->base.budget, longest);
}

Status clv_tune_stage(Tune *tune, uint32_t first, uint32_t last, cleave_error *error)
{
    bool *laid;

    plan_end(tune);
    clv_progress(tune->base.context, &(cleave_progress){.phase = "tune"});
    TRY(ALLOC_ZERO(tune->base.context, laid, tune->count, "candidates", error));
    tune->segments = 0;
    for (uint32_t i = 0; i < tune->count; i++)
        if (!laid[i] && is_in(tune, i))
            lay_path(tune, i, laid);
    clv_free(tune->base.context, laid);
    sort_segments(tune);
    tune->first_fold = first;
    tune->readings.deadline = tune->search_until;
    for (tune->first_segment = 0; tune->first_segment < tune->segments;
         tune->first_segment += tune->batch) {
        TRY(begin_batch(tune, first, last, error));
        if (atomic_load(&tune->late))
            return OK;
        atomic_store(&tune->tasks_done, 0);
        tune->tasks = tune->batch * (last - first);
        TRY(clv_experiment_run(&tune->base, tune->tasks, work, tune, error));
    }
    return OK;
}
