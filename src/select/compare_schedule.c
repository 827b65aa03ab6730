/* The schedule of a comparison: chooses the next trial and its number of rows.
 *
 * Trials on two small fractions of the rows measure the speed of each method (select/pace.h). The
 * remaining time is then shared among the unplanned candidates, in the order of the time that they
 * need. A candidate gets all rows if that takes at most half of the remaining time; otherwise it
 * gets the number of rows for which its fair share of the time suffices. Slow candidates therefore
 * do not restrict fast ones. This is decided when a candidate begins. If it gets many more rows
 * than it was measured on, one more trial measures it on a quarter of them first.
 *
 * A trial that takes much longer than expected is cancelled. If it is the first trial of its
 * candidate, the candidate begins again with a quarter of the rows. In the remaining time,
 * candidates without all rows are retried with all rows, or with at least twice as many. A retry
 * counts only if it finishes. */
#include "select/compare.h"

#include "base/pool.h"

#include <stdatomic.h>
#include <stdio.h>

/* Some methods have other defaults for up to 1,000 rows, so the first trial has more rows. */
enum {
    FIRST_ROWS = 1500,
    SECOND_ROWS = 6000,
    PROBE_TEST_ROWS = 2000,
    LEAST_TEST_ROWS = 2000,
    FEWEST_ROWS = 250
};
/* A probe has the planned rows divided by this number, provided that they exceed the rows measured
 * before. */
enum { LEAP = 4 };
static const double leap_gain = 1.5;
#define PROBE UINT32_MAX

/* fraction of the remaining time that is assigned to candidates */
static const double usable = 0.75;
/* time limit of a trial: multiple of the expected time */
static const double overrun = 2;
static const double overrun_seconds = 2; /* time limit of a trial: seconds added to that */
/* fraction of the budget: limit for a trial that measures the speed */
static const double probe_share = 0.03;
/* estimated time of a cancelled trial, as a multiple of its time until then */
static const double cancelled_factor = 3;
/* fraction of the budget: trials that take less time need no probe */
static const double negligible = 0.01;

typedef struct Schedule Schedule;

typedef struct {
    Schedule *schedule;
    double *losses;
    /* The trial of a worker, for the progress line: number of the candidate + 1 (0: idle), and
     * number of the trial. */
    _Atomic uint32_t candidate, trial;
} CompareWorker;

struct Schedule {
    Compare *compare;
    CompareWorker *worker;
    unsigned workers;
    pthread_mutex_t *lock; /* lock of the experiment */
    pthread_cond_t changed;
    Status status;
    cleave_error *error;
};

/* A trial to run: its number, or PROBE to measure the speed of the candidate. */
typedef struct {
    MethodCandidate *candidate;
    uint32_t trial, generation;
    double train_share, test_share, deadline;
    bool yields; /* the time limit is the end of the candidate's share of the time */
} Assignment;

/* ---- progress -------------------------------------------------------------------------------- */

/* Shows "compare  svm fold 3 of 5, knn fold 1 of 5  0:42 of 5:00". */
static void show_progress(const Schedule *schedule)
{
    const Compare *compare = schedule->compare;
    int spent = (int)fmin(clv_now() - compare->base.started, 1e9),
        all = (int)fmin(compare->base.budget, 1e9);
    char text[200] = "compare ";
    size_t used = strlen(text);

    for (unsigned i = 0; i < schedule->workers && used < sizeof text - 80; i++) {
        uint32_t candidate = atomic_load(&schedule->worker[i].candidate);
        uint32_t trial = atomic_load(&schedule->worker[i].trial);

        if (candidate == 0)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.30s", used > 8 ? "," : "",
                                 compare->candidate[candidate - 1].method->name);
        if (trial == PROBE)
            used += (size_t)snprintf(text + used, sizeof text - used, " on a sample");
        else
            used += (size_t)snprintf(text + used, sizeof text - used, " fold %u of %u", trial + 1,
                                     compare->base.trials);
    }
    snprintf(text + used, sizeof text - used, "  %d:%02d of %d:%02d", spent / 60, spent % 60,
             all / 60, all % 60);
    clv_progress(compare->base.context, &(cleave_progress){.phase = text});
}

/* Shows the progress from the caller's thread, while its own trial runs. */
static void poll_progress(void *user)
{
    const CompareWorker *worker = user;
    const Schedule *schedule = worker->schedule;

    if (worker == schedule->worker && clv_progress_due(schedule->compare->base.context))
        show_progress(schedule);
}

/* ---- rows and seconds ------------------------------------------------------------------------ */

static double share_of(double part, double all)
{
    return part < all ? part / all : 0;
}

/* The numbers of rows of a trial with these fractions. */
static RowCounts rows_in(const Compare *compare, double train_share, double test_share)
{
    double test = (double)compare->base.folds[0].size[0],
           train = (double)compare->base.dataset->rows - test;

    return (RowCounts){train_share > 0 ? train_share * train : train,
                       test_share > 0 ? test_share * test : test};
}

static double seconds_for(const Compare *compare, const MethodCandidate *candidate, RowCounts rows)
{
    if (candidate->pace.count == 0)
        return 0;
    return 2 * compare->pass + clv_pace_train(&candidate->pace, rows.train) +
           rows.test * clv_pace_predict(&candidate->pace, rows.train);
}

/* Adds the time of a trial to the pace; for a cancelled trial, an estimate. */
static void measure_pace(const Compare *compare, const Assignment *assignment, const Trial *trial,
                         double seconds)
{
    Pace *pace = &assignment->candidate->pace;
    double rows = rows_in(compare, assignment->train_share, assignment->test_share).train;
    double test = trial->facts.test_seconds, train = seconds - test;
    double predictions = (double)(trial->sums.n + trial->sums.unlabeled);

    if (trial->status == OK && trial->sums.n)
        clv_pace_add(pace,
                     (PaceSample){rows, fmax(train - compare->pass, 0.05 * train),
                                  fmax(test - compare->pass, 0.05 * test) / predictions, false});
    else if (trial->late)
        clv_pace_add(pace, (PaceSample){rows, cancelled_factor * seconds,
                                        clv_pace_predict(pace, rows), true});
}

/* ---- plans, under the lock ------------------------------------------------------------------- */

static uint32_t count_trials(const Compare *compare, const MethodCandidate *candidate,
                             TrialState state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; !candidate->excluded && i < compare->base.trials; i++)
        count += candidate->result[i].state == state;
    return count;
}

static double seconds_needed(const Compare *compare, const MethodCandidate *candidate)
{
    return count_trials(compare, candidate, TRIAL_PENDING) *
           seconds_for(compare, candidate, rows_in(compare, 0, 0));
}

static bool is_unplanned(const MethodCandidate *candidate)
{
    return !candidate->excluded && !candidate->planned;
}

/* Seconds of all workers that planned candidates need. */
static double seconds_assigned(const Compare *compare)
{
    double sum = 0;

    for (size_t i = 0; i < compare->candidates; i++) {
        const MethodCandidate *candidate = &compare->candidate[i];

        if (candidate->excluded || !candidate->planned)
            continue;
        sum += count_trials(compare, candidate, TRIAL_PENDING) * candidate->expected;
        sum += count_trials(compare, candidate, TRIAL_RUNNING) * (candidate->expected / 2);
    }
    return sum;
}

/* Seconds that each trial of a candidate may take. */
static double seconds_affordable(const Compare *compare, const MethodCandidate *candidate)
{
    double needs[MOST_METHODS], left = compare->end - clv_now(), level;
    double total = usable * (left * compare->workers - seconds_assigned(compare));
    uint32_t trials = count_trials(compare, candidate, TRIAL_PENDING);
    uint32_t waves = (trials + compare->workers - 1) / compare->workers;
    size_t count = 0;

    for (size_t i = 0; i < compare->candidates; i++)
        if (is_unplanned(&compare->candidate[i]))
            needs[count++] = seconds_needed(compare, &compare->candidate[i]);
    level = clv_cheapest_share(needs, count, total, 1.01 * seconds_needed(compare, candidate));
    return fmin(level / trials, usable * left / waves);
}

/* The end of a candidate's share of the remaining time. The share includes some more time, because
 * other candidates may need less: at least the time by which its trials may overrun. */
static double end_of_share(const Compare *compare, const MethodCandidate *candidate)
{
    double now = clv_now(), others = 0,
           needed = overrun * candidate->expected *
                    count_trials(compare, candidate, TRIAL_PENDING) / compare->workers;

    for (size_t i = 0; i < compare->candidates; i++)
        others += &compare->candidate[i] != candidate && is_unplanned(&compare->candidate[i]);
    return now + fmax((compare->end - now) * fmin(1, 1.25 / (1 + others)),
                      fmin(needed, 0.5 * (compare->end - now)));
}

/* Chooses the fractions of rows. Returns false if this requires one more trial, *probe. */
static bool plan(const Compare *compare, MethodCandidate *candidate, Assignment *probe)
{
    const Pace *pace = &candidate->pace;
    RowCounts all = rows_in(compare, 0, 0), rows = all;

    if (pace->count)
        clv_pace_afford(pace, all, FEWEST_ROWS, LEAST_TEST_ROWS,
                        seconds_affordable(compare, candidate) - 2 * compare->pass, &rows);
    candidate->expected = seconds_for(compare, candidate, rows);
    if (pace->count && rows.train > LEAP * leap_gain * pace->sample[pace->count - 1].rows &&
        candidate->expected > negligible * compare->base.budget) {
        RowCounts fewer = {rows.train / LEAP, PROBE_TEST_ROWS};
        double most = overrun_seconds + overrun * seconds_for(compare, candidate, fewer);

        *probe = (Assignment){.candidate = candidate,
                              .trial = PROBE,
                              .train_share = share_of(fewer.train, all.train),
                              .test_share = share_of(fewer.test, all.test),
                              .deadline = fmin(compare->end, clv_now() + most)};
        return false;
    }
    candidate->planned = true;
    candidate->until = end_of_share(compare, candidate);
    candidate->train_share = share_of(rows.train, all.train);
    candidate->test_share = share_of(rows.test, all.test);
    return true;
}

/* ---- the next trial, under the lock ---------------------------------------------------------- */

static bool take_trial(Compare *compare, MethodCandidate *candidate, Assignment *assignment)
{
    double now = clv_now(), most = candidate->expected > 0
                                       ? overrun_seconds + overrun * candidate->expected
                                       : (compare->end - now) / 2;
    double deadline = fmin(compare->end, now + most);
    bool yields = candidate->until > now && candidate->until < deadline;

    for (uint32_t i = 0; i < compare->base.trials; i++) {
        if (candidate->result[i].state != TRIAL_PENDING)
            continue;
        candidate->result[i].state = TRIAL_RUNNING;
        *assignment = (Assignment){.candidate = candidate,
                                   .trial = i,
                                   .generation = candidate->generation,
                                   .train_share = candidate->train_share,
                                   .test_share = candidate->test_share,
                                   .deadline = yields ? candidate->until : deadline,
                                   .yields = yields};
        return true;
    }
    return false;
}

/* Finds the unplanned candidate that needs the least time; NULL: none. */
static MethodCandidate *find_cheapest(Compare *compare)
{
    MethodCandidate *found = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < compare->candidates; i++) {
        MethodCandidate *candidate = &compare->candidate[i];
        double needed;

        if (!is_unplanned(candidate) || candidate->probing)
            continue;
        needed = seconds_needed(compare, candidate);
        if (!found || needed < least) {
            found = candidate;
            least = needed;
        }
    }
    return found;
}

/* Computes the rows of a retry in the remaining time. Returns false if they are not many more than
 * before. */
static bool afford_retry(const Compare *compare, const MethodCandidate *candidate, RowCounts *rows)
{
    double left = compare->end - clv_now() - seconds_assigned(compare) / compare->workers;
    uint32_t waves = (compare->base.trials + compare->workers - 1) / compare->workers;
    RowCounts all = rows_in(compare, 0, 0),
              had = rows_in(compare, candidate->train_share, candidate->test_share);

    if (!clv_pace_afford(&candidate->pace, all, had.train, LEAST_TEST_ROWS,
                         usable * left / waves - 2 * compare->pass, rows))
        return false;
    if (rows->train >= all.train && rows->test >= all.test)
        return true;
    return rows->train >= fmin(2 * had.train, all.train) && rows->test >= had.test &&
           (rows->train > 1.5 * had.train || rows->test > 1.5 * had.test);
}

/* Whether a candidate has finished without having all rows. */
static bool can_retry(const Compare *compare, const MethodCandidate *candidate)
{
    return !candidate->excluded && !candidate->is_retry && !candidate->retry &&
           candidate->pace.count && (candidate->train_share > 0 || candidate->test_share > 0) &&
           count_trials(compare, candidate, TRIAL_DONE) == compare->base.trials;
}

/* Retries the cheapest candidate that can get many more rows. */
static bool take_retry(Schedule *schedule, Assignment *assignment)
{
    Compare *compare = schedule->compare;
    MethodCandidate *found = NULL, *retry;
    double least = INFINITY;
    RowCounts rows, all = rows_in(compare, 0, 0), chosen = {0};

    for (size_t i = 0; i < compare->methods; i++) {
        MethodCandidate *candidate = &compare->candidate[i];

        if (can_retry(compare, candidate) && afford_retry(compare, candidate, &rows) &&
            seconds_for(compare, candidate, all) < least) {
            least = seconds_for(compare, candidate, all);
            found = candidate;
            chosen = rows;
        }
    }
    if (!found)
        return false;
    schedule->status = clv_compare_retry(compare, found, &retry, schedule->error);
    if (schedule->status != OK)
        return false;
    retry->train_share = share_of(chosen.train, all.train);
    retry->test_share = share_of(chosen.test, all.test);
    retry->expected = seconds_for(compare, found, chosen);
    return take_trial(compare, retry, assignment);
}

/* Finds a trial of a planned candidate, among those whose share of the time is used up, or among
 * the others. */
static bool take_planned(Compare *compare, bool used_up, Assignment *assignment)
{
    for (size_t i = 0; i < compare->candidates; i++) {
        MethodCandidate *candidate = &compare->candidate[i];

        if (candidate->planned && !candidate->excluded &&
            (candidate->until > 0 && clv_now() >= candidate->until) == used_up &&
            take_trial(compare, candidate, assignment))
            return true;
    }
    return false;
}

static bool find_trial(Compare *compare, Assignment *assignment)
{
    MethodCandidate *candidate;

    if (take_planned(compare, false, assignment))
        return true;
    while ((candidate = find_cheapest(compare))) {
        if (!plan(compare, candidate, assignment)) {
            candidate->probing = true;
            return true;
        }
        if (take_trial(compare, candidate, assignment))
            return true;
    }
    return take_planned(compare, true, assignment);
}

static bool is_over(const Schedule *schedule)
{
    return schedule->status != OK || clv_now() >= schedule->compare->end ||
           clv_cancelled(schedule->compare->base.context);
}

/* Finds the next trial. Waits while the probe of another worker may lead to more trials. */
static bool next_trial(Schedule *schedule, Assignment *assignment)
{
    Compare *compare = schedule->compare;

    while (!is_over(schedule)) {
        bool probing = false;

        if (find_trial(compare, assignment))
            return true;
        for (size_t i = 0; i < compare->candidates; i++)
            probing |= compare->candidate[i].probing;
        if (!probing)
            return take_retry(schedule, assignment);
        pthread_cond_wait(&schedule->changed, schedule->lock);
    }
    return false;
}

/* ---- results, under the lock ----------------------------------------------------------------- */

static void exclude(MethodCandidate *candidate, const Trial *trial)
{
    cleave_error error;

    candidate->excluded = true;
    clv_trial_failure(trial, &error);
    if ((candidate->method->behavior & METHOD_BINARY_FEATURES) && error.code == CLEAVE_ERROR_DATA)
        snprintf(candidate->reason, REASON_SIZE, "requires binary features (0 or 1)");
    else
        snprintf(candidate->reason, REASON_SIZE, "%.*s", REASON_SIZE - 1, error.message);
}

/* Handles a trial that took too long: a candidate without results begins again with fewer rows. */
static void fall_back(Compare *compare, const Assignment *assignment)
{
    MethodCandidate *candidate = assignment->candidate;
    RowCounts rows = rows_in(compare, candidate->train_share, candidate->test_share);
    bool any = count_trials(compare, candidate, TRIAL_DONE) > 0;

    if (candidate->is_retry) {
        candidate->excluded = true;
        return;
    }
    if (any && assignment->yields)
        return; /* the candidate may continue later */
    if (any || rows.train < 2 * FEWEST_ROWS || clv_now() >= compare->end) {
        candidate->result[assignment->trial].state = TRIAL_DROPPED;
        return;
    }
    rows.train /= LEAP;
    candidate->generation++;
    candidate->until = end_of_share(compare, candidate);
    candidate->train_share = share_of(rows.train, rows_in(compare, 0, 0).train);
    candidate->expected = seconds_for(compare, candidate, rows);
    for (uint32_t i = 0; i < compare->base.trials; i++)
        if (candidate->result[i].state == TRIAL_RUNNING)
            candidate->result[i].state = TRIAL_PENDING;
}

static Status keep(Schedule *schedule, const Assignment *assignment, const Trial *trial,
                   double seconds)
{
    Compare *compare = schedule->compare;
    MethodCandidate *candidate = assignment->candidate;
    float *loss = losses_of(compare, candidate->loss, assignment->trial);

    for (uint64_t row = 0; row < trial->folds->rows; row++)
        if (trial->folds->of[row] == trial->part)
            loss[row] = (float)trial->losses[row];
    candidate->result[assignment->trial] = clv_trial_result(trial, seconds);
    candidate->expected = fmax(candidate->expected / 2, seconds);
    return clv_compare_record(compare, candidate, assignment->trial, schedule->error);
}

static Status take_result(Schedule *schedule, const Assignment *assignment, const Trial *trial,
                          double seconds)
{
    Compare *compare = schedule->compare;
    MethodCandidate *candidate = assignment->candidate;

    if (assignment->trial == PROBE)
        candidate->probing = false;
    /* Failures that concern all candidates: no memory, or an invalid --transform. */
    if (trial->status == CLEAVE_ERROR_MEMORY ||
        (trial->status == CLEAVE_ERROR_USAGE &&
         strcmp(compare->base.options.transform, "auto") != 0)) {
        *schedule->error = trial->error;
        return trial->status;
    }
    measure_pace(compare, assignment, trial, seconds);
    if (trial->status != OK && trial->status != CLEAVE_ERROR_CANCELLED) {
        exclude(candidate, trial);
        return OK;
    }
    if (assignment->trial == PROBE || assignment->generation != candidate->generation)
        return OK;
    candidate->result[assignment->trial].state = TRIAL_PENDING;
    if (trial->status == OK)
        return keep(schedule, assignment, trial, seconds);
    if (trial->late)
        fall_back(compare, assignment);
    return OK;
}

/* ---- workers --------------------------------------------------------------------------------- */

static void run_assignment(CompareWorker *worker, const Assignment *assignment)
{
    Schedule *schedule = worker->schedule;
    Compare *compare = schedule->compare;
    bool probe = assignment->trial == PROBE;
    double started = clv_now();
    Trial trial = clv_experiment_trial(&compare->base, probe ? 0 : assignment->trial);
    Status status;

    trial.method = assignment->candidate->method;
    trial.training = assignment->candidate->training;
    trial.train_share = assignment->train_share;
    trial.test_share = assignment->test_share;
    trial.deadline = assignment->deadline;
    trial.weigh_model = !probe;
    trial.skip_train_error = true;
    trial.losses = probe ? NULL : worker->losses;
    trial.poll = poll_progress;
    trial.poll_user = worker;
    for (uint64_t row = 0; trial.losses && row < compare->base.dataset->rows; row++)
        trial.losses[row] = (double)NAN;
    atomic_store(&worker->candidate, (uint32_t)(assignment->candidate - compare->candidate) + 1);
    atomic_store(&worker->trial, assignment->trial);
    clv_trial_begin(&trial);
    clv_trial_run(&trial);
    pthread_mutex_lock(schedule->lock);
    atomic_store(&worker->candidate, 0);
    status = take_result(schedule, assignment, &trial, clv_now() - started);
    if (schedule->status == OK)
        schedule->status = status;
    clv_trial_free(&trial);
    pthread_cond_broadcast(&schedule->changed);
    pthread_mutex_unlock(schedule->lock);
}

static void work(void *user, uint32_t task, unsigned worker)
{
    Schedule *schedule = user;
    Assignment assignment;

    (void)task;
    for (;;) {
        bool found;

        pthread_mutex_lock(schedule->lock);
        found = next_trial(schedule, &assignment);
        pthread_mutex_unlock(schedule->lock);
        if (!found)
            return;
        run_assignment(&schedule->worker[worker], &assignment);
    }
}

/* Measures the speed of a candidate on a few rows and, if it is fast, on a few more. */
static void probe(void *user, uint32_t number, unsigned worker)
{
    static const double rows[] = {FIRST_ROWS, SECOND_ROWS};
    Schedule *schedule = user;
    Compare *compare = schedule->compare;
    MethodCandidate *candidate = &compare->candidate[number];
    RowCounts all = rows_in(compare, 0, 0);
    double most = probe_share * compare->base.budget;

    for (size_t i = 0; i < 2 && rows[i] * 2 <= all.train; i++) {
        Assignment assignment = {.candidate = candidate,
                                 .trial = PROBE,
                                 .train_share = share_of(rows[i], all.train),
                                 .test_share = share_of(PROBE_TEST_ROWS, all.test),
                                 .deadline = fmin(compare->end, clv_now() + most)};
        bool over;

        pthread_mutex_lock(schedule->lock);
        over = is_over(schedule);
        pthread_mutex_unlock(schedule->lock);
        if (candidate->excluded || candidate->planned || over)
            return;
        run_assignment(&schedule->worker[worker], &assignment);
        if (2 * clv_pace_train(&candidate->pace, rows[i]) > most)
            return;
    }
}

/* Measures the time to traverse the rows like a trial that needs few of them. */
static Status measure_pass(Compare *compare, cleave_error *error)
{
    const Experiment *base = &compare->base;
    FoldRows rows = {.folds = &base->folds[0],
                     .share = share_of(PROBE_TEST_ROWS, rows_in(compare, 0, 0).test),
                     .seed = base->seed};
    double started = clv_now();
    Source *source;
    const Block *block;
    Status status;

    if (rows.share == 0)
        return OK;
    TRY(clv_fold_source(base->context, base->dataset, &rows, &source, error));
    do
        status = source_next(source, &block, error);
    while (status == OK && block);
    clv_source_close(source);
    compare->pass = clv_now() - started;
    return status;
}

static Status begin_workers(Schedule *schedule)
{
    const Experiment *base = &schedule->compare->base;

    TRY(ALLOC_ZERO(base->context, schedule->worker, schedule->workers, "threads", schedule->error));
    for (unsigned i = 0; i < schedule->workers; i++) {
        schedule->worker[i].schedule = schedule;
        TRY(clv_new(base->context, &schedule->worker[i].losses, base->dataset->rows, sizeof(double),
                    false, "losses", schedule->error));
    }
    return OK;
}

Status clv_compare_run(Compare *compare, cleave_error *error)
{
    Context *context = compare->base.context;
    Schedule schedule = {.compare = compare,
                         .workers = compare->workers,
                         .lock = &compare->base.lock,
                         .error = error};

    clv_progress(context, &(cleave_progress){.phase = "compare"});
    if (pthread_cond_init(&schedule.changed, NULL) != 0)
        return clv_fail_memory(error, "a lock", sizeof schedule.changed);
    schedule.status = begin_workers(&schedule);
    if (schedule.status == OK)
        schedule.status = measure_pass(compare, error);
    if (schedule.status == OK) {
        clv_pool_run(context, (uint32_t)compare->candidates, probe, &schedule);
        clv_pool_run(context, compare->workers, work, &schedule);
    }
    for (unsigned i = 0; schedule.worker && i < schedule.workers; i++)
        clv_free(context, schedule.worker[i].losses);
    clv_free(context, schedule.worker);
    pthread_cond_destroy(&schedule.changed);
    return schedule.status;
}
