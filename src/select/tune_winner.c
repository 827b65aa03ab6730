/*
 * The winner of a tuning: chosen by the last rung that was finished, then trained with all rows of the search and judged, side by side with
 * the defaults, by rows that had no part in the choice.
 */
#include "select/tune_search.h"

#include "base/pool.h"

/* ---- the choice */

Status clv_tune_choose(Tune *tune, uint32_t *winner, uint32_t *rung, cleave_error *error)
{
    const cleave_rung *told = tune->result->rung;
    Pooled best = {.loss = (double)INFINITY};

    *rung = (uint32_t)tune->result->facts.rung_count - 1;
    while (*rung > 0 && !told[*rung].finished)
        (*rung)--;
    tune->rung = *rung;
    *winner = UINT32_MAX;
    for (uint32_t i = 0; i < tune->count; i++) {
        Pooled mine = pooled_of(tune, i);

        if (tune->candidate[i].rungs > *rung && tune->candidate[i].fate != CLEAVE_TRIAL_FAILED && mine.folds > 0 &&
            is_better(&mine, &best)) {
            best = mine;
            *winner = i;
        }
    }
    if (*winner != UINT32_MAX)
        return isnan(best.loss) ? clv_metric_undefined(tune->metric, error) : OK;
    clv_fail(error, CLEAVE_ERROR_USAGE, "--budget %s: not one candidate could be tried on one fold in that time",
             tune->options.budget ? tune->options.budget : "");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "a longer one, fewer rows, or another method");
}

/* ---- rows kept apart */

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
    return apart->done ? clv_tune_keep_final(final->tune, winner, apart, error) : OK;
}

static void begin_final(Tune *tune, Final *final, uint32_t winner)
{
    uint32_t numbers[2] = {winner, 0};

    for (int i = 0; i < 2; i++) {
        final->trial[i] = (Trial){.parent = tune->context,
                                  .method = tune->method,
                                  .metric = tune->metric,
                                  .training = tune->candidate[numbers[i]].draw.options,
                                  .name = tune->name,
                                  .dataset = dataset_of(tune, numbers[i]),
                                  .folds = &tune->folds,
                                  .part = tune->fold_count,
                                  .deadline = tune->until,
                                  .losses = final->losses[i]};
        clv_trial_begin(&final->trial[i]);
    }
}

/* Loads the data of both; *late: there is no time to read it. */
static Status need_data(Tune *tune, uint32_t winner, bool *late, cleave_error *error)
{
    Readings *readings = &tune->readings;
    bool full;
    Status status;

    readings->deadline = tune->until;
    clv_readings_next_batch(readings);
    status = clv_readings_need(readings, tune->candidate[0].reading, &full, late, error);
    if (status == OK)
        status = clv_readings_need(readings, tune->candidate[winner].reading, &full, late, error);
    return *late ? OK : status;
}

Status clv_tune_judge(Tune *tune, uint32_t winner, Apart *apart, cleave_error *error)
{
    uint64_t rows = tune->dataset->rows;
    Final final = {.tune = tune, .table = winner != 0};
    bool late = false;
    Status status = OK;

    if (tune->folds.apart == 0 || clv_tune_find_final(tune, winner, apart))
        return OK;
    for (int i = 0; i < 2; i++) {
        final.losses[i] = clv_alloc(tune->context, rows, sizeof(double));
        if (!final.losses[i])
            status = clv_fail_memory(error, "losses", rows * sizeof(double));
        for (uint64_t row = 0; final.losses[i] && row < rows; row++)
            final.losses[i][row] = (double)NAN;
    }
    if (status == OK)
        status = need_data(tune, winner, &late, error);
    if (status == OK && !late) {
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
