/*
 * Tuning: candidates are drawn, tried rung by rung, those that others leave behind are left behind, and the winner is judged by rows that had
 * no part in choosing it. Trials run several at a time; who is tried when, and from whose model, follows from outcomes of whole stages alone, so that the
 * end does not hang on the number of threads, nor on how often the search was killed where it has a journal.
 */
#include "select/tune_search.h"

#include "input/input.h"
#include "model/registry.h"

static const Param tune_params[] = {
    INTEGER(TuneOptions, candidates, 32, WITHIN(2, 100000),
            "Candidates per round; the first round includes the defaults."),
    INTEGER(TuneOptions, trials, 0, WITHIN(0, 1000000),
            "Candidates over all rounds (0: one round, or as many as --budget allows)."),
    INTEGER(TuneOptions, folds, 5, WITHIN(2, 65000),
            "parts that the rows are dealt into, each judged by a model of all others"),
    INTEGER(
        TuneOptions, rungs, 0, WITHIN(0, MOST_RUNGS),
        "rungs, each with a third of the candidates and three times the rows of the one before; 0: as many as leave the "
        "first 1000 rows"),
    METRIC_PARAM(TuneOptions),
    FLAG(TuneOptions, search_pipeline, "Also search n-grams, stop words and parameters of the default transforms."),
    REAL(TuneOptions, test_share, 0.2, WITHIN(0, 0.9),
         "share of the rows that has no part in the choice: the winner is judged by it at the end; 0: none"),
    TEXT(TuneOptions, over, NULL,
         "what to draw a parameter from: NAME=LOW..HIGH or NAME=A,B,C; may be given several times"),
    TEXT(TuneOptions, budget, NULL, "Time limit (30s, 5m, 1h); an exhausted search space ends the search earlier."),
    TEXT(TuneOptions, by_group, NULL, "rows that have the same in this column (or qid) are in one fold"),
    TEXT(TuneOptions, by_time, NULL, "Forward-chaining folds, ordered by this column of dates or numbers."),
    TEXT(TuneOptions, journal, NULL,
         "file that finished trials are kept in: the same command, killed and started again, goes on from there"),
    END_OF_PARAMS,
};

const cleave_param *cleave_tune_params(void)
{
    return tune_params;
}

/* Of a budget, what the search may take: the rest is for judging the winner. */
#define SEARCH_SHARE 0.75

static uint32_t first_round(const TuneOptions *options)
{
    return (uint32_t)(options->trials > 0 && options->trials < options->candidates ? options->trials
                                                                                   : options->candidates);
}

static Status search(Tune *tune, const cleave_options *training, cleave_error *error)
{
    uint32_t winner, rung;
    Apart apart = {0};

    TRY(clv_tune_build_space(tune, training, error));
    TRY(clv_tune_deal(tune, error));
    tune->rows = (double)tune->dataset->rows * (1 - tune->options.test_share) * (1 - 1 / (double)tune->fold_count);
    tune->rungs = clv_plan_rungs((uint32_t)tune->options.candidates, tune->rows, (uint32_t)tune->options.rungs,
                                 tune->plan);
    tune->incumbent = NO_INCUMBENT;
    TRY(clv_tune_draw(tune, first_round(&tune->options), error));
    if (tune->count < 2)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "the search space has no candidate other than the defaults");
    TRY(clv_tune_open_journal(tune, error));
    TRY(clv_tune_rungs(tune, error));
    TRY(clv_tune_rounds(tune, error));
    TRY(clv_tune_choose(tune, &winner, &rung, error));
    TRY(clv_tune_judge(tune, winner, &apart, error));
    clv_tune_tell(tune, winner, rung);
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
    clv_readings_free(&tune->readings);
    clv_free(tune->context, tune->segment);
    clv_free(tune->context, tune->order);
    clv_free(tune->context, tune->remarks);
    return status;
}

cleave_code cleave_tune(cleave_context *context, const char *method, cleave_data *data, const cleave_options *options,
                        const cleave_options *training, cleave_tune_result **result, cleave_error *error)
{
    REQUIRE(context && method && data && result);
    double started = clv_now(), budget = 0;
    Tune tune = {.context = context, .data = data, .name = clv_data_name(data), .failed = UINT32_MAX};
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
    TRY(clv_data_training_set(data, &tune.dataset, error));
    set_budget(&tune, started, budget);
    tune.fold_count = (uint32_t)tune.options.folds;
    tune.regression = tune.method->tasks == CLEAVE_TASK_REGRESSION;
    TRY(clv_trial_metric(tune.options.metric, tune.method, &tune.run, tune.dataset, &tune.metric, error));
    tune.options.metric = (int)tune.metric->id; /* the journal has no auto */
    made = clv_alloc_zero(context, 1, sizeof *made);
    if (!made)
        return clv_fail_memory(error, "candidates", sizeof *made);
    made->context = context;
    made->metric = tune.metric;
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
