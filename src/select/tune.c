#include "select/tune.h"
#include "select/pace.h"

#include "eval/leakage.h"
#include "model/registry.h"

static const Param tune_params[] = {
    INTEGER(SelectOptions, candidates, 32, WITHIN(2, 100000),
            "Number of candidates per batch; the first batch includes the defaults."),
    INTEGER(SelectOptions, trials, 0, WITHIN(0, 1000000), "Maximum number of candidates.",
            DEFAULT("one batch; with --budget: no limit")),
    INTEGER(SelectOptions, folds, 5, WITHIN(2, 65000), "Number of folds."),
    INTEGER(SelectOptions, rungs, 0, WITHIN(0, MOST_RUNGS),
            "Number of rungs of successive halving.\n"
            "Each rung keeps a third of the candidates and uses three times as many rows.",
            DEFAULT("chosen so that the first rung has at least 1,000 rows")),
    METRIC_PARAM(SelectOptions),
    FLAG(SelectOptions, search_pipeline, "Also search n-grams, stop words and transforms."),
    REAL(SelectOptions, test_fraction, 0.2, WITHIN(0, 0.9),
         "Fraction of the rows held out to evaluate the best candidate (0: none)."),
    TEXT(SelectOptions, space, NULL,
         "Search space of an option: NAME=LOW..HIGH or NAME=A,B,C (repeatable)."),
    TEXT(SelectOptions, budget, NULL,
         "Time limit, e.g. 30s, 5m or 1h.\n"
         "The search ends earlier when no candidates are left."),
    FOLD_GROUP_PARAMS,
    TEXT(SelectOptions, journal, NULL,
         "Journal of completed trials; the same command resumes from it."),
    END_OF_PARAMS,
};

const cleave_param *cleave_tune_params(void)
{
    return tune_params;
}

static Status begin(Tune *tune, const char *method, cleave_data *data,
                    const cleave_options *options, const cleave_options *training,
                    cleave_error *error)
{
    Experiment *base = &tune->base;

    TRY(clv_method_find(method, &tune->method, error));
    TRY(clv_experiment_begin(base, base->context, data, tune_params, options, error));
    TRY(clv_trial_check(base->context, tune->method, training, &base->run, error));
    tune->data = data;
    tune->incumbent = NO_INCUMBENT;
    base->seed = (uint64_t)base->run.seed;
    base->regression = tune->method->tasks == CLEAVE_TASK_REGRESSION;
    if (base->options.budget) {
        tune->until = base->started + base->budget;
        tune->search_until = base->options.test_fraction > 0
                                 ? tune->until - clv_test_reserve(base->budget, 0)
                                 : tune->until;
    }
    TRY(clv_experiment_load(base, data, error));
    return clv_experiment_choose_metric(base, tune->method, error);
}

static Status search(Tune *tune, const cleave_options *training, cleave_error *error)
{
    Experiment *base = &tune->base;
    const SelectOptions *options = &base->options;
    int64_t first_round = options->trials > 0 && options->trials < options->candidates
                              ? options->trials
                              : options->candidates;
    uint32_t winner, rung;
    HeldOutTest test = {0};

    TRY(clv_tune_build_space(tune, training, error));
    TRY(clv_experiment_split(base,
                             base->run.skip_unlabeled || tune->method->training->accepts_unlabeled,
                             options->test_fraction, error));
    TRY(clv_leak_warn(base->dataset, base->regression, error));
    tune->rows = (double)base->dataset->rows * (1 - options->test_fraction) *
                 (1 - 1 / (double)base->fold_count);
    tune->rungs = clv_plan_rungs((uint32_t)options->candidates, tune->rows,
                                 (uint32_t)options->rungs, tune->plan);
    TRY(clv_tune_draw(tune, (uint32_t)first_round, error));
    if (tune->count < 2)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "the search space has no candidate other than the defaults");
    TRY(clv_tune_open_journal(tune, error));
    TRY(clv_tune_rungs(tune, error));
    TRY(clv_tune_rounds(tune, error));
    TRY(clv_tune_choose(tune, &winner, &rung, error));
    TRY(clv_tune_test_winner(tune, winner, &test, error));
    return clv_tune_describe(tune, winner, rung, &test, error);
}

/* Frees all memory that the result does not need. */
static void free_work(Tune *tune)
{
    Context *context = tune->base.context;

    clv_experiment_close(&tune->base);
    clv_readings_free(&tune->readings);
    FREE(context, tune->segment, tune->order);
    clv_trial_free(&tune->first);
}

cleave_code cleave_tune(cleave_context *context, const char *method, cleave_data *data,
                        const cleave_options *options, const cleave_options *training,
                        cleave_tune_result **result, cleave_error *error)
{
    REQUIRE(context && method && data && result);
    Tune *tune;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, tune, 1, "candidates", error));
    tune->base.context = context;
    status = begin(tune, method, data, options, training, error);
    THEN(status, search(tune, training, error));
    if (status == CLEAVE_ERROR_CANCELLED && tune->base.options.journal)
        clv_hint(error, status,
                 "%s contains the finished trials; run the same command again to resume the search",
                 tune->base.options.journal);
    free_work(tune);
    tune->facts.seconds = clv_now() - tune->base.started;
    if (status != OK) {
        cleave_tune_free(&tune->facts);
        return status;
    }
    *result = &tune->facts;
    return OK;
}

void cleave_tune_free(cleave_tune_result *result)
{
    Tune *tune = (Tune *)result;
    Context *context = tune ? tune->base.context : NULL;

    if (!tune)
        return;
    for (uint32_t i = 0; i < tune->count; i++) {
        clv_draw_free(&tune->space, &tune->candidate[i].draw);
        clv_free(context, tune->candidate[i].result);
    }
    clv_space_free(&tune->space);
    FREE(context, tune->candidate, tune->ranked, tune->rung_facts, tune->tuned, tune);
}
