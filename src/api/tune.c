/*
 * Tuning: candidates are drawn, tried rung by rung, those that others leave behind are left behind, and the winner is judged by rows that had
 * no part in choosing it. Trials run several at a time; who is tried when, and from whose model, follows from outcomes of whole stages alone, so that the
 * end does not hang on the number of threads, nor on how often the search was killed where it has a journal.
 *
 * Candidates that differ in nothing but how much the model is held back are tried one after the other, the most held back first, each from the
 * model of the one before, where the minimum is the same from wherever training starts (Friedman, Hastie and Tibshirani 2010, "Regularization paths
 * for generalized linear models via coordinate descent").
 */
#include "api/tune.h"

#include "api/data.h"
#include "base/pool.h"
#include "model/registry.h"
#include "run/identity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int64_t candidates, folds, rungs;
    double test_share;
    const char *by_group, *over, *budget, *journal;
} TuneOptions;

static const Param tune_params[] = {
    INTEGER(TuneOptions, candidates, 32, WITHIN(2, 100000),
            "sets of parameters that are tried, the defaults among them"),
    INTEGER(TuneOptions, folds, 5, WITHIN(2, 65000),
            "parts that the rows are dealt into, each judged by a model of all others"),
    INTEGER(
        TuneOptions, rungs, 0, WITHIN(0, MOST_RUNGS),
        "rungs, each with a third of the candidates and three times the rows of the one before; 0: as many as leave the "
        "first 1000 rows"),
    REAL(TuneOptions, test_share, 0.2, WITHIN(0, 0.9),
         "share of the rows that has no part in the choice: the winner is judged by it at the end; 0: none"),
    TEXT(TuneOptions, over, NULL,
         "what to draw a parameter from: NAME=LOW..HIGH or NAME=A,B,C; may be given several times"),
    TEXT(TuneOptions, budget, NULL, "time it may take, such as 30s, 5m or 1h: the best so far wins then"),
    TEXT(TuneOptions, by_group, NULL, "rows that have the same in this column (or qid) are in one fold"),
    TEXT(TuneOptions, journal, NULL,
         "file that finished trials are kept in: the same command, killed and started again, goes on from there"),
    END_OF_PARAMS,
};

const cleave_param *cleave_tune_params(void)
{
    return tune_params;
}

/* Steps of a path at the most: a search that is killed in the middle of one does it again from its beginning. */
enum { PATH_STEPS = 4, FIRST_FOLDS = 2, MOST_ATTEMPTS = 200 };
/* Of a budget, what the search may take: the rest is for judging the winner. */
#define SEARCH_SHARE 0.75

typedef struct {
    uint32_t member[PATH_STEPS]; /* candidates, from 0 */
    uint32_t count;
} Segment;

typedef struct {
    Context *context;
    const Method *method;
    RunOptions run;
    TuneOptions options;
    const char *name;
    Dataset *dataset;
    Folds folds; /* the last part is kept apart, if any is */
    TuneResult *result;
    Candidate *candidate;
    uint32_t count, fold_count;
    bool regression;
    RungPlan plan[MOST_RUNGS];
    uint32_t rungs;
    Journal *journal;
    double search_until, until; /* by clv_now; 0: whenever */

    /* The stage under way. */
    uint32_t rung, first_fold, segments, tasks;
    Segment *segment;
    uint32_t *order; /* of candidates, for ranking */

    pthread_mutex_t lock; /* for what follows */
    uint32_t failed;      /* the first task that did; UINT32_MAX: none */
    Status failure;
    cleave_error failure_error;
    uint64_t trials, found, warm;
    _Atomic bool late;
    _Atomic uint32_t tasks_done;
    double work_done, work_all; /* in trainings with all rows */
    char best[48];

    Remark *remarks; /* of the first trial */
    size_t remark_count;
} Tune;

static Outcome *outcome_of(const Tune *tune, uint32_t candidate, uint32_t fold)
{
    return &tune->candidate[candidate].outcome[(size_t)tune->rung * tune->fold_count + fold];
}

/* ---- one trial ------------------------------------------------------------------------------------------------------ */

enum { KEY_SIZE = 64, KEPT_NUMBERS = 8 };

static void trial_key(const Tune *tune, uint32_t candidate, uint32_t fold, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "rung %u candidate %u fold %u", tune->rung + 1, candidate + 1, fold + 1);
}

static void note_candidate_failure(Tune *tune, uint32_t number, uint32_t fold, const char *message)
{
    Candidate *candidate = &tune->candidate[number];

    pthread_mutex_lock(&tune->lock);
    if (candidate->fate != CLEAVE_FATE_FAILED || fold < candidate->failed_fold) {
        candidate->fate = CLEAVE_FATE_FAILED;
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

/* Whether the journal has it. */
static bool find_outcome(Tune *tune, uint32_t candidate, uint32_t fold)
{
    Outcome *outcome = outcome_of(tune, candidate, fold);
    const JournalRecord *record;
    char key[KEY_SIZE];

    trial_key(tune, candidate, fold, key);
    record = clv_journal_find(tune->journal, key);
    if (!record || record->count != KEPT_NUMBERS)
        return false;
    *outcome = (Outcome){.done = record->numbers[0] == 0,
                         .failed = record->numbers[0] != 0,
                         .n = (uint64_t)record->numbers[1],
                         .errors = (uint64_t)record->numbers[2],
                         .squares = record->numbers[3],
                         .fourths = record->numbers[4],
                         .seconds = record->numbers[5],
                         .converged = record->numbers[6] != 0,
                         .warm = record->numbers[7] != 0};
    if (outcome->failed)
        note_candidate_failure(tune, candidate, fold, record->text);
    return true;
}

static Status keep_outcome(Tune *tune, uint32_t candidate, uint32_t fold, const char *failure, cleave_error *error)
{
    const Outcome *outcome = outcome_of(tune, candidate, fold);
    double numbers[KEPT_NUMBERS] = {outcome->failed,  (double)outcome->n, (double)outcome->errors, outcome->squares,
                                    outcome->fourths, outcome->seconds,   outcome->converged,      outcome->warm};
    char key[KEY_SIZE];

    trial_key(tune, candidate, fold, key);
    return clv_journal_add(
        tune->journal, &(JournalRecord){.key = key, .text = failure, .numbers = numbers, .count = KEPT_NUMBERS}, error);
}

/* Of a candidate, not of the whole search: other parameters may do. */
static bool is_its_own(const Trial *trial)
{
    return trial->status == CLEAVE_ERROR_USAGE || trial->status == CLEAVE_ERROR_DATA;
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
                         .seconds = trial->facts.train_seconds + trial->facts.test_seconds,
                         .converged = trial->facts.converged,
                         .warm = trial->from != NULL};
    if (outcome->failed)
        note_candidate_failure(tune, candidate, fold, error.message);
    status = keep_outcome(tune, candidate, fold, error.message, &error);
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
                     .training = tune->candidate[candidate].draw.options,
                     .name = tune->name,
                     .dataset = tune->dataset,
                     .folds = &tune->folds,
                     .part = fold,
                     .learn_share = tune->plan[tune->rung].share,
                     .share_seed = (uint64_t)tune->run.seed,
                     .deadline = tune->search_until,
                     .from = from,
                     .keep_model = keep};
    clv_trial_begin(trial);
}

/* ---- a segment of a path on one fold ----------------------------------------------------------------------------------- */

/* Trials that the journal has are made again where one that it does not have goes on from their models. */
static void run_segment(Tune *tune, uint32_t task, const Segment *segment, uint32_t fold)
{
    Trial trials[PATH_STEPS] = {0};
    bool known[PATH_STEPS];
    uint32_t needed = 0;
    const Model *from = NULL;

    for (uint32_t i = 0; i < segment->count; i++) {
        known[i] = find_outcome(tune, segment->member[i], fold);
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
        if (task == 0 && i == 0 && fold == 0 && tune->rung == 0)
            take_remarks(tune, trial);
        from = trial->status == OK && trial->facts.converged ? trial->model : NULL;
    }
    for (uint32_t i = needed; i-- > 0;) /* a recipe is shared with those after it, and in the context of the first */
        clv_trial_free(&trials[i]);
}

static void show_progress(Tune *tune, uint32_t done)
{
    double share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    uint32_t tasks = tune->tasks;
    double work = tune->work_done + share * done;
    char detail[160];

    snprintf(detail, sizeof detail, "rung %u of %u  folds %u to %u  %u of %u done%s%s", tune->rung + 1, tune->rungs,
             tune->first_fold + 1, tune->first_fold + tasks / tune->segments, done, tasks,
             *tune->best ? "  best so far " : "", tune->best);
    clv_progress(tune->context, &(cleave_progress){.phase = "tune",
                                                   .rows = (uint64_t)(1000 * work),
                                                   .rows_total = (uint64_t)(1000 * tune->work_all) + 1,
                                                   .detail = detail});
}

static void work(void *user, uint32_t task, unsigned worker)
{
    Tune *tune = user;
    uint32_t fold = tune->first_fold + task / tune->segments;

    if (has_failed_before(tune, task))
        return;
    if (tune->search_until > 0 && clv_now() > tune->search_until)
        atomic_store(&tune->late, true);
    else
        run_segment(tune, task, &tune->segment[task % tune->segments], fold);
    atomic_fetch_add(&tune->tasks_done, 1);
    if (worker == 0)
        show_progress(tune, atomic_load(&tune->tasks_done));
}

/* ---- a stage: some folds of a rung --------------------------------------------------------------------------------------- */

static bool is_in(const Tune *tune, uint32_t number)
{
    const Candidate *candidate = &tune->candidate[number];

    return candidate->rungs == tune->rung + 1 && candidate->fate == CLEAVE_FATE_FINISHED;
}

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

/* Folds first … last - 1 of all who are in. */
static Status run_stage(Tune *tune, uint32_t first, uint32_t last, cleave_error *error)
{
    TRY(lay_segments(tune, error));
    tune->first_fold = first;
    atomic_store(&tune->tasks_done, 0);
    if (tune->segments == 0)
        return OK;
    tune->tasks = tune->segments * (last - first);
    clv_pool_run(tune->context, tune->tasks, work, tune);
    if (tune->failed == UINT32_MAX)
        return OK;
    if (error)
        *error = tune->failure_error;
    return tune->failure;
}

/* ---- ranking --------------------------------------------------------------------------------------------------------------- */

static Pooled pooled_of(const Tune *tune, uint32_t number)
{
    return clv_outcomes_pool(outcome_of(tune, number, 0), tune->fold_count, tune->regression);
}

static bool is_better(const Pooled *a, const Pooled *b)
{
    if (a->folds != b->folds)
        return a->folds > b->folds;
    return a->error < b->error;
}

/* Those who are in, the best first; of equals the one with the lower number. Returns how many. */
static uint32_t rank(Tune *tune)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tune->count; i++) {
        Pooled mine;
        uint32_t at = count;

        if (!is_in(tune, i))
            continue;
        mine = pooled_of(tune, i);
        for (; at > 0; at--) {
            Pooled other = pooled_of(tune, tune->order[at - 1]);

            if (!is_better(&mine, &other))
                break;
            tune->order[at] = tune->order[at - 1];
        }
        tune->order[at] = i;
        count++;
    }
    return count;
}

static void note_best(Tune *tune)
{
    if (rank(tune) == 0)
        return;
    if (tune->regression)
        snprintf(tune->best, sizeof tune->best, "RMSE %.4g", pooled_of(tune, tune->order[0]).error);
    else
        snprintf(tune->best, sizeof tune->best, "%.2f %%", 100 * pooled_of(tune, tune->order[0]).error);
}

/* The defaults stay, for the winner to be held against. */
static void drop_hopeless(Tune *tune, uint32_t folds)
{
    uint32_t count = rank(tune);

    for (uint32_t i = 1; i < count; i++) {
        uint32_t number = tune->order[i];

        if (number != 0 && clv_is_hopeless(outcome_of(tune, number, 0), outcome_of(tune, tune->order[0], 0), folds,
                                           tune->regression)) {
            tune->candidate[number].fate = CLEAVE_FATE_HOPELESS;
            tune->result->rung[tune->rung].hopeless++;
        }
    }
}

static void promote(Tune *tune)
{
    uint32_t count = rank(tune), places = tune->plan[tune->rung + 1].entrants;

    for (uint32_t i = 0; i < count; i++) {
        Candidate *candidate = &tune->candidate[tune->order[i]];

        if (i < places || candidate->number == 1)
            candidate->rungs++;
        else
            candidate->fate = CLEAVE_FATE_HALVED;
    }
}

/* ---- rungs ------------------------------------------------------------------------------------------------------------------ */

static uint32_t count_in(const Tune *tune)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tune->count; i++)
        count += is_in(tune, i);
    return count;
}

/* Where a fold has failed a candidate is out; where all are, the first one's failure is told. */
static Status check_failures(Tune *tune, cleave_error *error)
{
    if (count_in(tune) > 0 || atomic_load(&tune->late))
        return OK;
    clv_fail(error, CLEAVE_ERROR_DATA, "no candidate could be tried: %.600s", tune->candidate[0].failure);
    return clv_hint(error, CLEAVE_ERROR_DATA, "try 'cleave cv' with the same options first");
}

static Status run_rung(Tune *tune, cleave_error *error)
{
    cleave_rung *told = &tune->result->rung[tune->rung];
    uint32_t first = tune->fold_count > FIRST_FOLDS ? FIRST_FOLDS : tune->fold_count;

    told->share = tune->plan[tune->rung].share > 0 ? tune->plan[tune->rung].share : 1;
    told->entered = count_in(tune);
    TRY(run_stage(tune, 0, first, error));
    TRY(check_failures(tune, error));
    if (!atomic_load(&tune->late) && first < tune->fold_count) {
        note_best(tune);
        drop_hopeless(tune, first);
        TRY(run_stage(tune, first, tune->fold_count, error));
        TRY(check_failures(tune, error));
    }
    told->failed = told->entered - told->hopeless - count_in(tune);
    told->finished = !atomic_load(&tune->late);
    tune->work_done += told->share * told->entered * tune->fold_count;
    note_best(tune);
    return OK;
}

static void mark_late(Tune *tune)
{
    for (uint32_t i = 0; i < tune->count; i++)
        if (is_in(tune, i) && pooled_of(tune, i).folds < tune->fold_count)
            tune->candidate[i].fate = CLEAVE_FATE_LATE;
}

static Status run_rungs(Tune *tune, cleave_error *error)
{
    for (tune->rung = 0; tune->rung < tune->rungs; tune->rung++) {
        TRY(run_rung(tune, error));
        tune->result->facts.rung_count = tune->rung + 1;
        if (atomic_load(&tune->late)) {
            mark_late(tune);
            break;
        }
        if (tune->rung + 1 < tune->rungs)
            promote(tune);
    }
    return OK;
}

/* ---- the winner --------------------------------------------------------------------------------------------------------------- */

/* By the last rung that was finished; where none was, by the most folds of the first. */
static Status choose(Tune *tune, uint32_t *winner, uint32_t *rung, cleave_error *error)
{
    const cleave_rung *told = tune->result->rung;
    Pooled best = {.error = (double)INFINITY};

    *rung = (uint32_t)tune->result->facts.rung_count - 1;
    while (*rung > 0 && !told[*rung].finished)
        (*rung)--;
    tune->rung = *rung;
    *winner = UINT32_MAX;
    for (uint32_t i = 0; i < tune->count; i++) {
        Pooled mine = pooled_of(tune, i);

        if (tune->candidate[i].rungs > *rung && tune->candidate[i].fate != CLEAVE_FATE_FAILED && mine.folds > 0 &&
            is_better(&mine, &best)) {
            best = mine;
            *winner = i;
        }
    }
    if (*winner != UINT32_MAX)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "--budget %s: not one candidate could be tried on one fold in that time",
             tune->options.budget ? tune->options.budget : "");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "a longer one, fewer rows, or another method");
}

/* What the winner and the defaults are off, by row. */
typedef struct {
    Tune *tune;
    Trial trial[2];
    double *losses[2];
    uint32_t table; /* which of them is the defaults' */
} Final;

static void run_final(void *user, uint32_t task, unsigned worker)
{
    Final *final = user;

    (void)worker;
    clv_trial_run(&final->trial[task]);
}

static void hold_against(const Final *final, Apart *apart)
{
    double squares = 0;

    apart->winner = final->trial[0].sums;
    apart->table = final->trial[final->table].sums;
    for (uint64_t row = 0; row < final->tune->dataset->rows; row++) {
        double winner = final->losses[0][row], table = final->losses[final->table][row],
               off = table - winner - apart->difference;

        if (isnan(winner) || isnan(table))
            continue;
        apart->n++;
        apart->only_winner += winner > 0 && table == 0;
        apart->only_table += table > 0 && winner == 0;
        apart->difference += off / (double)apart->n; /* Welford 1962 */
        squares += off * (table - winner - apart->difference);
    }
    apart->spread = apart->n > 1 ? sqrt(squares / (double)(apart->n - 1)) : 0;
    apart->done = apart->n > 0;
}

enum { FINAL_NUMBERS = 14 };

static bool find_final(const Tune *tune, uint32_t winner, Apart *apart)
{
    const JournalRecord *record = clv_journal_find(tune->journal, "final");
    const double *numbers = record ? record->numbers : NULL;

    if (!record || record->count != FINAL_NUMBERS || numbers[0] != winner + 1)
        return false;
    *apart = (Apart){.done = true,
                     .n = (uint64_t)numbers[1],
                     .only_winner = (uint64_t)numbers[2],
                     .only_table = (uint64_t)numbers[3],
                     .difference = numbers[4],
                     .spread = numbers[5],
                     .winner = {.n = (uint64_t)numbers[6],
                                .errors = (uint64_t)numbers[7],
                                .squares = numbers[8],
                                .fourths = numbers[9]},
                     .table = {.n = (uint64_t)numbers[10],
                               .errors = (uint64_t)numbers[11],
                               .squares = numbers[12],
                               .fourths = numbers[13]}};
    return true;
}

static Status keep_final(const Tune *tune, uint32_t winner, const Apart *apart, cleave_error *error)
{
    const FoldSums *a = &apart->winner, *b = &apart->table;
    double numbers[FINAL_NUMBERS] = {winner + 1,
                                     (double)apart->n,
                                     (double)apart->only_winner,
                                     (double)apart->only_table,
                                     apart->difference,
                                     apart->spread,
                                     (double)a->n,
                                     (double)a->errors,
                                     a->squares,
                                     a->fourths,
                                     (double)b->n,
                                     (double)b->errors,
                                     b->squares,
                                     b->fourths};

    return clv_journal_add(tune->journal, &(JournalRecord){.key = "final", .numbers = numbers, .count = FINAL_NUMBERS},
                           error);
}

/* No time for it, or rows that cannot be judged: it is left out, and said so. */
static Status end_final(Final *final, uint32_t winner, Apart *apart, cleave_error *error)
{
    for (int i = 0; i < 2; i++) {
        const Trial *trial = &final->trial[i];

        if (trial->late || is_its_own(trial))
            return OK;
        if (trial->status != OK) {
            if (error)
                clv_trial_failure(trial, error);
            return trial->status;
        }
    }
    hold_against(final, apart);
    return apart->done ? keep_final(final->tune, winner, apart, error) : OK;
}

static void begin_final(Tune *tune, Final *final, uint32_t winner)
{
    uint32_t numbers[2] = {winner, 0};

    for (int i = 0; i < 2; i++) {
        final->trial[i] = (Trial){.parent = tune->context,
                                  .method = tune->method,
                                  .training = tune->candidate[numbers[i]].draw.options,
                                  .name = tune->name,
                                  .dataset = tune->dataset,
                                  .folds = &tune->folds,
                                  .part = tune->fold_count,
                                  .deadline = tune->until,
                                  .losses = final->losses[i]};
        clv_trial_begin(&final->trial[i]);
    }
}

static Status judge_winner(Tune *tune, uint32_t winner, Apart *apart, cleave_error *error)
{
    uint64_t rows = tune->dataset->rows;
    Final final = {.tune = tune, .table = winner != 0};
    Status status = OK;

    if (tune->folds.apart == 0 || find_final(tune, winner, apart))
        return OK;
    for (int i = 0; i < 2; i++) {
        final.losses[i] = clv_alloc(tune->context, rows, sizeof(double));
        if (!final.losses[i])
            status = clv_fail_memory(error, "losses", rows * sizeof(double));
        for (uint64_t row = 0; final.losses[i] && row < rows; row++)
            final.losses[i][row] = (double)NAN;
    }
    if (status == OK) {
        clv_progress(tune->context, &(cleave_progress){.phase = "tune", .detail = "judging the winner"});
        begin_final(tune, &final, winner);
        clv_pool_run(tune->context, final.table + 1, run_final, &final);
        status = end_final(&final, winner, apart, error);
    }
    for (int i = 0; i < 2; i++) {
        clv_trial_free(&final.trial[i]);
        clv_free(tune->context, final.losses[i]);
    }
    return status;
}

/* ---- what is told --------------------------------------------------------------------------------------------------------------- */

/* Where time was over, as it stood in the rung that the winner was chosen in. */
static void tell_candidate(Tune *tune, uint32_t number, uint32_t chosen, cleave_candidate *told)
{
    const Candidate *candidate = &tune->candidate[number];
    bool back = candidate->fate == CLEAVE_FATE_LATE && candidate->rungs > chosen;
    uint32_t rung = back ? chosen : candidate->rungs - 1;
    Pooled pooled;

    tune->rung = rung;
    pooled = pooled_of(tune, number);
    *told = (cleave_candidate){.number = candidate->number,
                               .setting_count = candidate->draw.count,
                               .settings = candidate->draw.list,
                               .rung = rung + 1,
                               .folds = pooled.folds,
                               .n = pooled.n,
                               .errors = pooled.errors,
                               .error = pooled.error,
                               .low = pooled.n ? pooled.low : (double)NAN,
                               .high = pooled.n ? pooled.high : (double)NAN,
                               .seconds = pooled.seconds,
                               .fate = candidate->fate,
                               .failure = candidate->fate == CLEAVE_FATE_FAILED ? candidate->failure : NULL};
}

static int by_merit(const void *left, const void *right)
{
    const cleave_candidate *a = left, *b = right;

    if ((a->fate == CLEAVE_FATE_FAILED) != (b->fate == CLEAVE_FATE_FAILED))
        return a->fate == CLEAVE_FATE_FAILED ? 1 : -1;
    if (a->rung != b->rung)
        return a->rung > b->rung ? -1 : 1;
    if ((a->fate == CLEAVE_FATE_HOPELESS) != (b->fate == CLEAVE_FATE_HOPELESS))
        return a->fate == CLEAVE_FATE_HOPELESS ? 1 : -1;
    if (a->folds != b->folds)
        return a->folds > b->folds ? -1 : 1;
    if (a->error != b->error && !isnan(a->error) && !isnan(b->error))
        return a->error < b->error ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The winner stands first even where a later rung was begun and not finished. */
static void tell_candidates(Tune *tune, uint32_t winner, uint32_t rung)
{
    TuneResult *result = tune->result;
    cleave_tune_result *facts = &result->facts;

    for (uint32_t i = 0; i < tune->count; i++)
        tell_candidate(tune, i, rung, &result->told[i]);
    qsort(result->told, tune->count, sizeof *result->told, by_merit);
    for (uint32_t i = 0; i < tune->count; i++)
        if (result->told[i].number == winner + 1) {
            cleave_candidate best = result->told[i];

            memmove(result->told + 1, result->told, i * sizeof *result->told);
            result->told[0] = best;
            break;
        }
    for (uint32_t i = 0; i < tune->count; i++)
        if (result->told[i].number == 1)
            facts->table = i;
    facts->candidates = result->told;
    facts->candidate_count = tune->count;
}

static void tell_space(Tune *tune)
{
    TuneResult *result = tune->result;

    for (size_t i = 0; i < result->space.count; i++) {
        const Range *range = &result->space.list[i];

        result->tuned[i] = (cleave_tuned){.name = range->param->name,
                                          .scale = range->scale,
                                          .low = range->low,
                                          .high = range->high,
                                          .values = range->text,
                                          .when = range->asked ? NULL : range->param->tune_when};
    }
    result->facts.tuned = result->tuned;
    result->facts.tuned_count = result->space.count;
}

static void tell_remarks(const Tune *tune)
{
    for (size_t i = 0; i < tune->remark_count; i++) {
        const Remark *remark = &tune->remarks[i];

        if (remark->level == CLEAVE_LOG_NOTE)
            clv_note(tune->context, "%s", remark->message);
        else
            clv_warn(tune->context, remark->hint, "fold 1: %s", remark->message);
    }
}

static void tell_all(Tune *tune, uint32_t winner, uint32_t rung)
{
    cleave_tune_result *facts = &tune->result->facts;

    facts->method = tune->method->name;
    facts->regression = tune->regression;
    facts->n = tune->dataset->rows - (tune->folds.apart ? tune->folds.size[tune->fold_count] : 0);
    facts->groups = tune->options.by_group ? tune->folds.groups : 0;
    facts->seed = (uint64_t)tune->run.seed;
    facts->folds = tune->fold_count;
    facts->rungs = tune->result->rung;
    facts->chosen_in = rung + 1;
    facts->late = atomic_load(&tune->late);
    facts->trials = tune->trials;
    facts->found = tune->found;
    facts->warm = tune->warm;
    tell_space(tune);
    tell_candidates(tune, winner, rung);
    tell_remarks(tune);
}

/* ---- before the first trial ------------------------------------------------------------------------------------------------------ */

static bool is_known(const Tune *tune, const Draw *draw)
{
    for (uint32_t i = 0; i < tune->count; i++) {
        const Buffer *other = &tune->candidate[i].draw.sameness;

        if (other->size == draw->sameness.size && memcmp(other->data, draw->sameness.data, other->size) == 0)
            return true;
    }
    return false;
}

/* One that there is not yet, whose parameters go together; *there is false where none is found. */
static Status draw_candidate(Tune *tune, uint32_t number, bool *there, cleave_error *error)
{
    const Space *space = &tune->result->space;
    Candidate *candidate = &tune->candidate[number];

    *there = false;
    for (uint32_t attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        Draw draw;
        bool fine;
        Status status = clv_space_draw(space, (uint64_t)tune->run.seed, number, attempt, &draw, &fine, error);

        if (status == OK && fine && !is_known(tune, &draw)) {
            *there = true;
            *candidate = (Candidate){.draw = draw, .number = number + 1, .rungs = 1};
            candidate->outcome = clv_alloc_zero(tune->context, (size_t)tune->rungs * tune->fold_count,
                                                sizeof *candidate->outcome);
            tune->count = tune->result->count = number + 1;
            return candidate->outcome ? OK : clv_fail_memory(error, "candidates", tune->fold_count * sizeof(Outcome));
        }
        clv_draw_free(space, &draw);
        TRY(status);
    }
    return OK;
}

static Status draw_candidates(Tune *tune, cleave_error *error)
{
    uint32_t wanted = (uint32_t)tune->options.candidates;
    bool there = true;

    for (uint32_t i = 0; i < wanted && there; i++)
        TRY(draw_candidate(tune, i, &there, error));
    if (tune->count < 2)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "what is left to tune has no values but the defaults");
    for (uint32_t i = 0; i < tune->rungs; i++)
        tune->work_all += tune->plan[i].entrants * (tune->plan[i].share > 0 ? tune->plan[i].share : 1) *
                          tune->fold_count;
    return OK;
}

static Status build_space(Tune *tune, const cleave_options *training, cleave_error *error)
{
    Space *space = &tune->result->space;

    TRY(clv_space_build(tune->context, tune->method, training, tune->options.over, space, error));
    if (space->count > 0)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "nothing is left to tune of '%s'", tune->method->name);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "leave an option out, or say --over NAME=LOW..HIGH: 'cleave help %s'",
                    tune->method->name);
}

static Status make_room(Tune *tune, cleave_error *error)
{
    TuneResult *result = tune->result;
    size_t wanted = (size_t)tune->options.candidates;

    result->candidate = clv_alloc_zero(tune->context, wanted, sizeof *result->candidate);
    result->told = clv_alloc_zero(tune->context, wanted, sizeof *result->told);
    result->rung = clv_alloc_zero(tune->context, MOST_RUNGS, sizeof *result->rung);
    result->tuned = clv_alloc_zero(tune->context, result->space.count, sizeof *result->tuned);
    tune->segment = clv_alloc_zero(tune->context, wanted, sizeof *tune->segment);
    tune->order = clv_alloc_zero(tune->context, wanted, sizeof *tune->order);
    tune->candidate = result->candidate;
    if (!result->candidate || !result->told || !result->rung || !result->tuned || !tune->segment || !tune->order)
        return clv_fail_memory(error, "candidates", wanted * sizeof *result->candidate);
    return OK;
}

static Status deal(Tune *tune, cleave_error *error)
{
    bool apart = tune->options.test_share > 0;
    FoldPlan plan = {.count = tune->fold_count + apart,
                     .last_share = tune->options.test_share,
                     .seed = (uint64_t)tune->run.seed,
                     .numbers = tune->regression,
                     .by_group = tune->options.by_group};

    TRY(clv_folds_deal(tune->dataset, &plan, &tune->folds, error));
    tune->folds.apart = apart;
    return OK;
}

/* Neither the time it may take nor where it is kept is part of what a search is. */
static bool is_no_part(const char *name)
{
    return strcmp(name, "budget") == 0 || strcmp(name, "journal") == 0;
}

static Status list_facts(const Tune *tune, const Identity *identity)
{
    const Buffer *defaults = &tune->candidate[0].draw.sameness;

    TRY(clv_identity_add(identity, "version of cleave", cleave_version()));
    TRY(clv_identity_add(identity, "command", "tune"));
    TRY(clv_identity_add(identity, "method", tune->method->name));
    TRY(clv_buffer_add(identity->context, identity->list, defaults->data, defaults->size, identity->error));
    TRY(clv_identity_params(identity, tune_params, &tune->options, is_no_part));
    return clv_identity_dataset(identity, tune->dataset, "", true);
}

static Status open_journal(Tune *tune, cleave_error *error)
{
    Buffer facts = {0};
    Identity identity = {.context = tune->context, .error = error, .list = &facts};
    Status status = tune->options.journal ? list_facts(tune, &identity) : OK;

    if (status == OK)
        status = clv_journal_open(tune->context, tune->options.journal, &facts, &tune->journal, error);
    clv_free(tune->context, facts.data);
    TRY(status);
    if (clv_journal_count(tune->journal) > 0)
        clv_note(tune->context, "%zu finished trials are in %s, and are not made again",
                 clv_journal_count(tune->journal), tune->options.journal);
    return OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------------- */

static Status search(Tune *tune, const cleave_options *training, cleave_error *error)
{
    uint32_t winner, rung;
    Apart apart = {0};
    double rows;

    TRY(build_space(tune, training, error));
    TRY(make_room(tune, error));
    TRY(deal(tune, error));
    rows = (double)tune->dataset->rows * (1 - tune->options.test_share) * (1 - 1 / (double)tune->fold_count);
    tune->rungs = clv_plan_rungs((uint32_t)tune->options.candidates, rows, (uint32_t)tune->options.rungs, tune->plan);
    TRY(draw_candidates(tune, error));
    TRY(open_journal(tune, error));
    TRY(run_rungs(tune, error));
    TRY(choose(tune, &winner, &rung, error));
    TRY(judge_winner(tune, winner, &apart, error));
    tell_all(tune, winner, rung);
    return clv_tune_verdict(tune->result, &tune->candidate[winner], rung, &apart, error);
}

static void set_budget(Tune *tune, double started, double budget)
{
    if (!tune->options.budget)
        return;
    tune->until = started + budget;
    tune->search_until = tune->options.test_share > 0 ? started + SEARCH_SHARE * budget : tune->until;
}

static Status run_with_lock(Tune *tune, const cleave_options *training, cleave_error *error)
{
    Status status;

    if (pthread_mutex_init(&tune->lock, NULL) != 0)
        return clv_fail_memory(error, "candidates", sizeof tune->lock);
    status = search(tune, training, error);
    pthread_mutex_destroy(&tune->lock);
    clv_journal_close(tune->journal);
    clv_folds_free(&tune->folds);
    clv_free(tune->context, tune->segment);
    clv_free(tune->context, tune->order);
    clv_free(tune->context, tune->remarks);
    return status;
}

cleave_code cleave_tune(cleave_context *context, const char *method, cleave_data *data, const cleave_options *options,
                        const cleave_options *training, cleave_tune_result **result, cleave_error *error)
{
    double started = clv_now(), budget = 0;
    Tune tune = {.context = context, .name = clv_data_name(data), .failed = UINT32_MAX};
    TuneResult *made;
    Status status;

    *result = NULL;
    TRY(clv_method_find(method, &tune.method, error));
    TRY(clv_params_apply(options, tune_params, &tune.options, NULL, NULL, error));
    if (tune.options.budget)
        TRY(clv_duration("budget", tune.options.budget, &budget, error));
    TRY(clv_trial_check(context, tune.method, training, &tune.run, error));
    if (tune.options.journal)
        TRY(clv_data_protects(data, tune.options.journal, error));
    TRY(clv_data_dataset(data, &tune.dataset, error));
    set_budget(&tune, started, budget);
    tune.fold_count = (uint32_t)tune.options.folds;
    tune.regression = tune.method->tasks == CLEAVE_TASK_REGRESSION;
    made = clv_alloc_zero(context, 1, sizeof *made);
    if (!made)
        return clv_fail_memory(error, "candidates", sizeof *made);
    made->context = context;
    tune.result = made;
    status = run_with_lock(&tune, training, error);
    if (status == CLEAVE_ERROR_CANCELLED && tune.options.journal)
        clv_hint(error, status, "%s has the trials that were finished: the same command goes on from there",
                 tune.options.journal);
    made->facts.seconds = clv_now() - started;
    if (status != OK) {
        cleave_tune_free(&made->facts);
        return status;
    }
    *result = &made->facts;
    return OK;
}

void cleave_tune_free(cleave_tune_result *result)
{
    TuneResult *made = (TuneResult *)result;
    Context *context;

    if (!made)
        return;
    context = made->context;
    for (uint32_t i = 0; i < made->count; i++) {
        clv_draw_free(&made->space, &made->candidate[i].draw);
        clv_free(context, made->candidate[i].outcome);
    }
    clv_space_free(&made->space);
    clv_free(context, made->candidate);
    clv_free(context, made->told);
    clv_free(context, made->rung);
    clv_free(context, made->tuned);
    clv_free(context, made);
}
