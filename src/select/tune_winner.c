/* The best candidate of a search. It is chosen by the last finished rung and trained on all rows of
 * the search. The winner and the defaults are then evaluated on the held-out rows, which are not
 * used in the choice. */
#include "select/tune.h"

#include "base/pool.h"

/* ---- the choice */

Status clv_tune_choose(Tune *tune, uint32_t *winner, uint32_t *rung, cleave_error *error)
{
    const cleave_rung *rungs = tune->rung_facts;
    TrialPool best = {.loss = (double)INFINITY};

    *rung = (uint32_t)tune->facts.rung_count - 1;
    while (*rung > 0 && !rungs[*rung].finished)
        (*rung)--;
    tune->rung = *rung;
    *winner = UINT32_MAX;
    for (uint32_t i = 0; i < tune->count; i++) {
        TrialPool mine = pool_of(tune, i);

        if (tune->candidate[i].rungs > *rung && tune->candidate[i].state != CLEAVE_TRIAL_FAILED &&
            mine.folds > 0 && is_better(&mine, &best)) {
            best = mine;
            *winner = i;
        }
    }
    if (*winner != UINT32_MAX)
        return isnan(best.loss) ? clv_metric_undefined(tune->base.metric, error) : OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "use a longer --budget, fewer rows or another method",
                         "--budget %s: the time is too short for one candidate on one fold",
                         tune->base.options.budget ? tune->base.options.budget : "");
}

/* ---- held-out rows */

/* Trials of the winner and of the defaults, with losses by row. */
typedef struct {
    Trial trial[2];
    double *losses[2];
    uint32_t defaults; /* index of the trial with the defaults; 0 if they are the winner */
} Final;

static void run_final(void *user, uint32_t task, unsigned worker)
{
    Final *final = user;

    (void)worker;
    clv_trial_run(&final->trial[task]);
}

static void compare_losses(const Final *final, HeldOutTest *test)
{
    double squares = 0;

    test->winner = clv_trial_result(&final->trial[0], 0);
    test->defaults = clv_trial_result(&final->trial[final->defaults], 0);
    for (uint64_t row = 0; row < final->trial[0].folds->rows; row++) {
        double winner = final->losses[0][row], defaults = final->losses[final->defaults][row],
               off = defaults - winner - test->difference;

        if (isnan(winner) || isnan(defaults))
            continue;
        test->n++;
        test->only_winner += winner > 0 && defaults == 0;
        test->only_defaults += defaults > 0 && winner == 0;
        test->difference += off / (double)test->n; /* the recurrence of Welford (1962) */
        squares += off * (defaults - winner - test->difference);
    }
    test->spread = test->n > 1 ? sqrt(squares / (double)(test->n - 1)) : 0;
    test->done = test->n > 0;
}

/* A record has the number of the winner, the numbers of the test, and two results. */
enum { TEST_NUMBERS = 6, FINAL_NUMBERS = TEST_NUMBERS + 2 * RESULT_NUMBERS };

static bool find_test(const Tune *tune, uint32_t winner, HeldOutTest *test)
{
    const JournalRecord *record = clv_journal_find(tune->base.journal, "final");
    const double *numbers = record ? record->numbers : NULL;

    if (!record || record->count != FINAL_NUMBERS || numbers[0] != winner + 1)
        return false;
    *test = (HeldOutTest){.done = true,
                          .n = (uint64_t)numbers[1],
                          .only_winner = (uint64_t)numbers[2],
                          .only_defaults = (uint64_t)numbers[3],
                          .difference = numbers[4],
                          .spread = numbers[5]};
    return clv_result_load(&test->winner, numbers + TEST_NUMBERS) &&
           clv_result_load(&test->defaults, numbers + TEST_NUMBERS + RESULT_NUMBERS);
}

static Status record_test(const Tune *tune, uint32_t winner, const HeldOutTest *test,
                          cleave_error *error)
{
    double numbers[FINAL_NUMBERS] = {
        winner + 1,       (double)test->n, (double)test->only_winner, (double)test->only_defaults,
        test->difference, test->spread};

    clv_result_save(&test->winner, numbers + TEST_NUMBERS);
    clv_result_save(&test->defaults, numbers + TEST_NUMBERS + RESULT_NUMBERS);
    return clv_journal_add(
        tune->base.journal,
        &(JournalRecord){.key = "final", .numbers = numbers, .count = FINAL_NUMBERS}, error);
}

/* Runs both trials. The test is omitted if there is no time, or if the rows cannot be evaluated. */
static Status run_test(Tune *tune, Final *final, uint32_t winner, HeldOutTest *test,
                       cleave_error *error)
{
    uint32_t numbers[2] = {winner, 0};

    clv_progress(tune->base.context,
                 &(cleave_progress){.phase = "tune", .detail = "evaluating the best candidate"});
    for (int i = 0; i < 2; i++) {
        Trial *trial = &final->trial[i];

        *trial = clv_experiment_trial(&tune->base, 0);
        trial->method = tune->method;
        trial->training = tune->candidate[numbers[i]].draw.options;
        trial->dataset = dataset_of(tune, numbers[i]);
        trial->part = tune->base.fold_count;
        trial->deadline = tune->until;
        trial->losses = final->losses[i];
        clv_trial_begin(trial);
    }
    clv_pool_run(tune->base.context, final->defaults + 1, run_final, final);
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
    compare_losses(final, test);
    return test->done ? record_test(tune, winner, test, error) : OK;
}

/* Loads the data of both trials. Sets *late if the time is over. */
static Status load_data(Tune *tune, uint32_t winner, bool *late, cleave_error *error)
{
    Readings *readings = &tune->readings;
    bool full;
    Status status;

    readings->deadline = tune->until;
    clv_readings_next_batch(readings);
    status = clv_readings_need(readings, tune->candidate[0].reading, &full, late, error);
    THEN(status, clv_readings_need(readings, tune->candidate[winner].reading, &full, late, error));
    return *late ? OK : status;
}

Status clv_tune_test_winner(Tune *tune, uint32_t winner, HeldOutTest *test, cleave_error *error)
{
    Context *context = tune->base.context;
    uint64_t rows = tune->base.dataset->rows;
    Final final = {.defaults = winner != 0};
    bool late = false;
    Status status = OK;

    if (tune->base.folds[0].apart == 0 || find_test(tune, winner, test))
        return OK;
    *test = (HeldOutTest){0};
    for (int i = 0; i < 2; i++) {
        final.losses[i] = clv_alloc(context, rows, sizeof(double));
        if (!final.losses[i])
            status = clv_fail_memory(error, "losses", rows * sizeof(double));
        for (uint64_t row = 0; final.losses[i] && row < rows; row++)
            final.losses[i][row] = (double)NAN;
    }
    THEN(status, load_data(tune, winner, &late, error));
    if (status == OK && !late)
        status = run_test(tune, &final, winner, test, error);
    for (int i = 0; i < 2; i++) {
        clv_trial_free(&final.trial[i]);
        clv_free(context, final.losses[i]);
    }
    return status;
}
