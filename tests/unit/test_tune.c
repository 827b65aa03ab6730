/*
 * Tuning (src/select/tune*.c): every mark in every table can be drawn from; draws keep to it, to
 * what the user fixes and to the conditions; the schedule of rungs; which candidates are dropped;
 * each candidate's error is what cross-validation says of it, whether its training began from
 * another's model or not; a search that is interrupted again and again ends as one that was not
 * disturbed; and short memory is an error.
 */
#include "property/table.h"

#include "base/random.h"
#include "input/input.h"
#include "model/registry.h"
#include "read/read_options.h"
#include "select/tune.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { ROWS = 240, COLUMNS = 4, DRAWS = 60 };

static cleave_options *options_of(cleave_context *context, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};

    assert_non_null(options);
    for (size_t i = 0; pairs && pairs[i]; i += 2)
        FINE(cleave_options_set(options, pairs[i], pairs[i + 1], &error));
    return options;
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* A condition names parameters that there are, with values that they can have. */
static void check_condition(const Method *method, const char *condition)
{
    char text[256], *clause_end, *value_end;
    void *options = calloc(1, method->options_size);

    snprintf(text, sizeof text, "%s", condition);
    for (char *clause = strtok_r(text, ",", &clause_end); clause;
         clause = strtok_r(NULL, ",", &clause_end)) {
        char *name = strtok_r(clause, "=", &value_end), *values = strtok_r(NULL, "", &value_end),
             *bar;
        const Param *param;

        name[strcspn(name, "!")] = '\0'; /* NAME=VALUE or NAME!=VALUE */
        param = clv_param_find(method->params, name);

        assert_non_null(param);
        assert_string_equal(param->name, name);
        for (char *value = strtok_r(values, "|", &bar); value; value = strtok_r(NULL, "|", &bar)) {
            char workspace[PARAM_TEXT_SIZE];

            assert_int_equal(clv_param_set(param, options, value, NULL), OK);
            assert_string_equal(clv_param_text(param, options, workspace),
                                value); /* as it is compared */
        }
    }
    free(options);
}

/* The range or the values of a mark are values of the parameter. */
static void check_values(const Param *param, size_t options_size)
{
    void *options = calloc(1, options_size);
    char workspace[32];

    if (param->tune == CLEAVE_TUNE_LINEAR || param->tune == CLEAVE_TUNE_LOG) {
        assert_true(param->type == CLEAVE_REAL || param->type == CLEAVE_INTEGER);
        assert_true(param->tune_low < param->tune_high);
        assert_true(param->tune == CLEAVE_TUNE_LINEAR || param->tune_low > 0);
        assert_int_equal(
            clv_param_set(param, options, cleave_number_text(param->tune_low, workspace), NULL),
            OK);
        assert_int_equal(
            clv_param_set(param, options, cleave_number_text(param->tune_high, workspace), NULL),
            OK);
    } else {
        assert_true(param->type == CLEAVE_NAME || param->type == CLEAVE_FLAG || param->tune_values);
    }
    if (param->tune_values) {
        char text[256], *end;

        snprintf(text, sizeof text, "%s", param->tune_values);
        for (char *value = strtok_r(text, ",", &end); value; value = strtok_r(NULL, ",", &end))
            assert_int_equal(clv_param_set(param, options, value, NULL), OK);
    }
    free(options);
}

static void check_mark(const Method *method, const Param *param)
{
    check_values(param, method->options_size);
    if (param->tune_when)
        check_condition(method, param->tune_when);
    if (param->tune_path)
        assert_int_equal(param->type, CLEAVE_REAL);
    if (param->tune_path_when)
        check_condition(method, param->tune_path_when);
}

static void every_mark_can_be_drawn_from(void **state)
{
    (void)state;
    for (size_t i = 0; clv_methods[i]; i++) {
        size_t marks = 0;

        for (const Param *param = clv_methods[i]->params; param->name; param++)
            if (param->tune != CLEAVE_TUNE_NONE) {
                check_mark(clv_methods[i], param);
                marks++;
            }
        assert_true(marks > 0);
    }
    for (size_t i = 0; clv_transforms[i]; i++)
        for (const Param *param = clv_transforms[i]->params; param->name; param++)
            if (param->tune != CLEAVE_TUNE_NONE)
                check_values(param, clv_transforms[i]->options_size);
    for (const Param *param = clv_read_params; param->name; param++)
        if (param->tune != CLEAVE_TUNE_NONE) {
            assert_non_null(param->tune_values); /* the first is the default: see tune_pipeline.c */
            check_values(param, sizeof(ReadOptions));
        }
}

/* ---- drawing --------------------------------------------------------------------------------- */

static const char *setting(const Draw *draw, const char *name)
{
    for (size_t i = 0; i < draw->count; i++)
        if (strcmp(draw->list[i].name, name) == 0)
            return draw->list[i].value;
    return NULL;
}

/* Each method's draws can be taken as its options, and only what counts is said. */
static void draws_keep_to_the_tables(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; clv_methods[i]; i++) {
        const Method *method = clv_methods[i];
        void *options = calloc(1, method->options_size);
        RunOptions run;
        Space space;

        FINE(clv_space_build(context, method, NULL, NULL, NULL, &space, &error));
        for (uint32_t number = 0; number < DRAWS; number++) {
            Draw draw;
            bool fine;

            FINE(clv_space_draw(&space, &(DrawPlan){.seed = 7, .number = number}, &draw, &fine,
                                &error));
            if (number == 0)
                assert_true(fine && draw.count == 0);
            if (fine) {
                FINE(clv_params_apply(draw.options, clv_run_params, &run, method->params, options,
                                      &error));
                for (size_t j = 0; j < draw.count; j++) {
                    const Param *param = clv_param_find(method->params, draw.list[j].name);

                    assert_true(clv_condition_holds(method, options, param->tune_when));
                }
            }
            clv_draw_free(&space, &draw);
        }
        clv_space_free(&space);
        free(options);
    }
    cleave_context_free(context);
}

/* Evenly in the logarithm: each third of the way has its third, but for chance; nothing lies
 * outside; what is fixed is not drawn. */
static void draws_are_spread(void **state)
{
    Context *context = new_context(1);
    cleave_options *fixed = options_of(context, (const char *const[]){"loss", "hinge", NULL});
    unsigned third[3] = {0};
    cleave_error error = {0};
    const Method *svm;
    Space space;

    (void)state;
    FINE(clv_method_find("svm", &svm, &error));
    FINE(clv_space_build(context, svm, fixed, NULL, NULL, &space, &error));
    assert_int_equal(space.count, 1);
    for (uint32_t number = 1; number <= 300; number++) {
        Draw draw;
        bool fine;
        double value;

        FINE(
            clv_space_draw(&space, &(DrawPlan){.seed = 1, .number = number}, &draw, &fine, &error));
        assert_null(setting(&draw, "loss"));
        assert_true(clv_parse_ratio(setting(&draw, "C"), &value));
        assert_true(value >= 1e-3 && value <= 1e3);
        third[value < 0.1 ? 0 : value < 10 ? 1 : 2]++;
        assert_true(draw.strength == value); /* a larger C holds back less */
        clv_draw_free(&space, &draw);
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(third[i], 70, 130);
    clv_space_free(&space);
    cleave_options_free(fixed);
    cleave_context_free(context);
}

static void whole_numbers_are_all_drawn(void **state)
{
    Context *context = new_context(1);
    unsigned seen[6] = {0};
    cleave_error error = {0};
    const Method *knn;
    Space space;

    (void)state;
    FINE(clv_method_find("knn", &knn, &error));
    FINE(clv_space_build(context, knn, NULL, NULL, "k=1..5;weight=gaussian,none", &space, &error));
    for (uint32_t number = 1; number <= 200; number++) {
        Draw draw;
        bool fine;
        double value;

        FINE(
            clv_space_draw(&space, &(DrawPlan){.seed = 1, .number = number}, &draw, &fine, &error));
        assert_true(clv_parse_ratio(setting(&draw, "k"), &value));
        assert_true(value >= 1 && value <= 5);
        seen[(int)value]++;
        assert_int_equal(setting(&draw, "sigma") != NULL,
                         strcmp(setting(&draw, "weight"), "gaussian") == 0);
        clv_draw_free(&space, &draw);
    }
    for (int i = 1; i <= 5; i++)
        assert_true(seen[i] > 0);
    clv_space_free(&space);
    cleave_context_free(context);
}

/* ---- readings of the data -------------------------------------------------------------------- */

static cleave_data *open_text(Context *context, const char *folder, char path[TEST_PATH_SIZE])
{
    cleave_error error = {0};
    cleave_data *data;
    FILE *file;

    test_join(path, folder, "mail.tsv");
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 40; i++)
        fprintf(file, "%s\tthe word%d and the word%d\n", i % 2 ? "a" : "b", i % 7, i % 5);
    fclose(file);
    FINE(cleave_open(context, path, NULL, &data, &error));
    return data;
}

static uint32_t need(Readings *readings, const char *name, const char *value)
{
    cleave_options *options = options_of(readings->parent,
                                         (const char *const[]){name, value, NULL});
    cleave_error error = {0};
    bool full, late;
    uint32_t number;

    FINE(clv_readings_find(readings, options, &number, &error));
    FINE(clv_readings_need(readings, number, &full, &late, &error));
    assert_false(late);
    cleave_options_free(options);
    return number;
}

/* Each setting is read once while memory allows; beyond the limit, those of earlier batches go
 * first, and are read again when needed. */
static void readings_keep_to_the_limit(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(2);
    cleave_error error = {0};
    cleave_data *data;
    Dataset *dataset;
    uint32_t pairs, triples;

    (void)state;
    test_folder_new(folder);
    data = open_text(context, folder, path);
    FINE(clv_data_dataset(data, &dataset, &error));
    for (int limited = 0; limited < 2; limited++) {
        Readings readings;

        FINE(clv_readings_begin(&readings, context, data, dataset, limited ? 1 : 0, &error));
        clv_readings_next_batch(&readings);
        pairs = need(&readings, "ngrams", "1-2");
        triples = need(&readings, "ngrams", "1-3");
        assert_int_equal(need(&readings, "ngrams", "1-2"), pairs);
        assert_true(readings.list[pairs].dataset->features > dataset->features);
        assert_true(readings.list[triples].dataset->features >
                    readings.list[pairs].dataset->features);
        assert_int_equal(readings.reads, 2);
        clv_readings_next_batch(&readings);
        need(&readings, "stop_words", "english");
        assert_int_equal(readings.list[pairs].data != NULL, !limited);
        clv_readings_next_batch(&readings);
        need(&readings, "ngrams", "1-2");
        assert_int_equal(readings.reads, limited ? 4 : 3);
        clv_readings_free(&readings);
    }
    cleave_data_free(data);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* ---- the schedule ---------------------------------------------------------------------------- */

static void rungs_follow_rows_and_candidates(void **state)
{
    RungPlan plan[MOST_RUNGS];

    (void)state;
    assert_int_equal(clv_plan_rungs(32, 2000, 0, plan), 1);
    assert_true(plan[0].share == 0 && plan[0].entrants == 32);
    assert_int_equal(clv_plan_rungs(32, 9000, 0, plan), 3);
    assert_true(fabs(plan[0].share - 1.0 / 9) < 1e-12 && fabs(plan[1].share - 1.0 / 3) < 1e-12 &&
                plan[2].share == 0);
    assert_int_equal(plan[0].entrants, 32);
    assert_int_equal(plan[1].entrants, 11);
    assert_int_equal(plan[2].entrants, 4);
    assert_int_equal(clv_plan_rungs(5, 1e9, 0, plan), 1); /* a third of five is not two */
    assert_int_equal(clv_plan_rungs(100000, 1e12, 0, plan), MOST_RUNGS);
    assert_int_equal(clv_plan_rungs(4, 10, 3, plan), 3); /* as asked */
    assert_int_equal(plan[2].entrants, 2);
}

static TrialResult result_of_errors(uint64_t errors)
{
    MetricSums metric = {.n = 100, .loss = (double)errors, .squares = (double)errors, .worth = 100};

    return (TrialResult){.state = TRIAL_DONE,
                         .sums = {.n = 100, .errors = errors, .metric = metric}};
}

/* A value of a fold, such as the AUC, whose standard error is 0.02. */
static TrialResult result_of_value(double value)
{
    double loss = 1 - value;
    MetricSums metric = {
        .n = 100, .loss = 100 * loss, .squares = 100 * (loss * loss + 0.04), .worth = 50};

    return (TrialResult){.state = TRIAL_DONE, .sums = {.n = 100, .metric = metric}};
}

static void only_significantly_worse_candidates_are_dropped(void **state)
{
    TrialResult good[2] = {result_of_errors(5), result_of_errors(7)};
    TrialResult bad[2] = {result_of_errors(40), result_of_errors(35)};
    TrialResult close[2] = {result_of_errors(8), result_of_errors(9)};
    TrialResult mixed[2] = {result_of_errors(5), result_of_errors(70)};
    const RowMetric *error, *rmse, *auc;

    (void)state;
    assert_int_equal(clv_metric_choose(METRIC_AUTO, false, 2, &error, NULL), OK);
    assert_int_equal(clv_metric_choose(METRIC_AUTO, true, 0, &rmse, NULL), OK);
    assert_int_equal(clv_metric_choose(METRIC_AUC, false, 2, &auc, NULL), OK);
    assert_true(clv_is_worse(bad, good, 2, error));
    assert_false(clv_is_worse(good, bad, 2, error));
    assert_false(clv_is_worse(close, good, 2, error));
    assert_false(clv_is_worse(mixed, good, 2, error)); /* not worse in each */
    assert_false(clv_is_worse(good, good, 2, error));
    bad[1].state = TRIAL_PENDING;
    assert_false(clv_is_worse(bad, good, 2, error));
    for (int i = 0; i < 2; i++) {
        good[i] = (TrialResult){.state = TRIAL_DONE,
                                .sums.metric = {.n = 100, .loss = 100, .squares = 300}};
        bad[i] = (TrialResult){.state = TRIAL_DONE,
                               .sums.metric = {.n = 100, .loss = 1000, .squares = 30000}};
    }
    assert_true(clv_is_worse(bad, good, 2, rmse));
    assert_false(clv_is_worse(good, bad, 2, rmse));
    for (int i = 0; i < 2; i++) {
        good[i] = result_of_value(0.95);
        bad[i] = result_of_value(0.75);
        close[i] = result_of_value(0.92);
    }
    assert_true(clv_is_worse(bad, good, 2, auc)); /* higher is better */
    assert_false(clv_is_worse(good, bad, 2, auc));
    assert_false(clv_is_worse(close, good, 2, auc));
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Two classes that overlap. */
static cleave_data *make_data(cleave_context *context)
{
    Random random = clv_random(3, 0);
    cleave_error error = {0};
    cleave_data *data;

    if (cleave_data_new(context, &data, &error) != OK)
        return NULL;
    for (uint32_t row = 0; row < ROWS; row++) {
        float values[COLUMNS];
        uint32_t indexes[COLUMNS];

        for (uint32_t column = 0; column < COLUMNS; column++) {
            indexes[column] = column;
            values[column] = (float)(clv_random_normal(&random) + (row % 2 && column < 2));
        }
        if (cleave_data_add(data, row % 2 ? "a" : "b", COLUMNS, indexes, values, &error) != OK) {
            cleave_data_free(data);
            return NULL;
        }
    }
    return data;
}

static Status tune(cleave_context *context, const char *method, const char *const *options,
                   const char *const *training, cleave_tune_result **result, cleave_error *error)
{
    cleave_data *data = make_data(context);
    cleave_options *of_tune = cleave_options_new(context),
                   *of_training = cleave_options_new(context);
    Status status = data && of_tune && of_training ? OK : CLEAVE_ERROR_MEMORY;

    *result = NULL;
    for (size_t i = 0; status == OK && options && options[i]; i += 2)
        status = cleave_options_set(of_tune, options[i], options[i + 1], error);
    for (size_t i = 0; status == OK && training && training[i]; i += 2)
        status = cleave_options_set(of_training, training[i], training[i + 1], error);
    if (status == OK)
        status = cleave_tune(context, method, data, of_tune, of_training, result, error);
    cleave_options_free(of_tune);
    cleave_options_free(of_training);
    cleave_data_free(data);
    return status;
}

/* Of a solver that has a minimum, a path comes to what each of its steps comes to alone. */
static void a_path_comes_to_the_same(void **state)
{
    static const char *const options[] = {"candidates",    "8", "folds", "3",
                                          "test_fraction", "0", NULL};
    static const char *const training[] = {"loss", "logistic", NULL};
    Context *context = new_context(1);
    cleave_tune_result *result;
    cleave_error error = {0};

    (void)state;
    FINE(tune(context, "logistic", options, training, &result, &error));
    assert_true(result->warm_started > 0);
    for (size_t i = 0; i < result->candidate_count; i++) {
        const cleave_candidate *candidate = &result->candidates[i];
        cleave_options *folds = options_of(context, (const char *const[]){"folds", "3", NULL});
        cleave_options *own = options_of(context, training);
        cleave_data *data = make_data(context);
        cleave_cv_result *alone;
        uint64_t errors = 0;

        for (size_t j = 0; j < candidate->setting_count; j++)
            FINE(cleave_options_set(own, candidate->settings[j].name, candidate->settings[j].value,
                                    &error));
        FINE(cleave_cv(context, "logistic", data, folds, own, &alone, &error));
        for (uint32_t fold = 0; fold < candidate->folds; fold++)
            errors += alone->fold[fold].errors;
        assert_in_range(candidate->errors + 1, errors, errors + 2);
        cleave_cv_free(alone);
        cleave_options_free(folds);
        cleave_options_free(own);
        cleave_data_free(data);
    }
    cleave_tune_free(result);
    cleave_context_free(context);
}

typedef struct {
    long asked, stop_at;
} Patience;

static bool impatient(void *user)
{
    Patience *patience = user;

    return patience->stop_at && ++patience->asked >= patience->stop_at;
}

static void expect_same(const cleave_tune_result *a, const cleave_tune_result *b)
{
    assert_int_equal(a->candidate_count, b->candidate_count);
    for (size_t i = 0; i < a->candidate_count; i++) {
        assert_int_equal(a->candidates[i].number, b->candidates[i].number);
        assert_int_equal(a->candidates[i].errors, b->candidates[i].errors);
        assert_int_equal(a->candidates[i].folds, b->candidates[i].folds);
        assert_int_equal(a->candidates[i].status, b->candidates[i].status);
    }
    assert_string_equal(a->summary, b->summary);
    assert_string_equal(a->holdout_summary, b->holdout_summary);
    assert_true(a->holdout_p == b->holdout_p || (isnan(a->holdout_p) && isnan(b->holdout_p)));
    assert_int_equal(a->warm_started, b->warm_started);
    assert_int_equal(a->trials + a->resumed, b->trials + b->resumed);
}

static void an_interrupted_search_goes_on(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Patience patience = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .threads = 1, .cancelled = impatient, .user = &patience});
    const char *options[] = {"candidates", "9", "folds", "3", "rungs", "2", NULL, NULL, NULL};
    cleave_tune_result *whole, *resumed;
    cleave_error error = {0};
    unsigned stops = 0;

    (void)state;
    FINE(tune(context, "logistic", options, NULL, &whole, &error));
    test_join(path, test_folder_new(folder), "tune.journal");
    options[6] = "journal";
    options[7] = path;
    for (patience.stop_at = 100;; patience.stop_at += 40) {
        Status status;

        patience.asked = 0;
        status = tune(context, "logistic", options, NULL, &resumed, &error);
        if (status == OK)
            break;
        assert_int_equal(status, CLEAVE_ERROR_CANCELLED);
        assert_non_null(strstr(error.hint, "run the same command again"));
        stops++;
    }
    assert_true(stops > 0);
    assert_true(resumed->resumed > 0);
    expect_same(whole, resumed);
    cleave_tune_free(whole);
    cleave_tune_free(resumed);
    test_folder_remove(folder);
    cleave_context_free(context);
}

static void stop_when_resumed(void *user, cleave_log_level level, const char *message,
                              const char *hint)
{
    (void)level, (void)hint;
    *(bool *)user |= strstr(message, "finished trials are in") != NULL;
}

static bool is_told_to_stop(void *user)
{
    return *(bool *)user;
}

/* Interrupted while a finished trial is made again, for the model that the only missing one goes
 * on from: that is no end of the search. */
static void an_interrupt_is_told_at_the_last_trial(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], *journal;
    bool stop = false;
    Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                           .threads = 1,
                                                           .log = stop_when_resumed,
                                                           .cancelled = is_told_to_stop,
                                                           .user = &stop});
    const char *options[] = {"candidates",    "6", "folds",   "2",  "rungs", "1",
                             "test_fraction", "0", "journal", NULL, NULL};
    cleave_tune_result *result;
    cleave_error error = {0};
    size_t size;

    (void)state;
    test_join(path, test_folder_new(folder), "tune.journal");
    options[9] = path;
    FINE(tune(context, "logistic", options, NULL, &result, &error));
    cleave_tune_free(result);
    journal = test_read_file(path, &size);
    test_write_file(path, journal, size - 20); /* the last line is torn */
    free(journal);
    assert_int_equal(tune(context, "logistic", options, NULL, &result, &error),
                     CLEAVE_ERROR_CANCELLED);
    assert_true(stop);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* What the budget cuts off: something is told, or the budget is said to be too short. */
static void a_budget_is_kept(void **state)
{
    static const char *const options[] = {"candidates", "400",  "folds", "4",
                                          "budget",     "0.2s", NULL};
    Context *context = new_context(1);
    cleave_tune_result *result;
    cleave_error error = {0};

    (void)state;
    if (tune(context, "kernel-svm", options, NULL, &result, &error) == OK) {
        assert_true(result->seconds < 5);
        assert_true(!isnan(result->candidates[0].error));
    } else {
        assert_non_null(strstr(error.message, "--budget"));
    }
    cleave_tune_free(result);
    cleave_context_free(context);
}

static void short_memory_is_an_error(void **state)
{
    static const char *const options[] = {"candidates", "3", "folds", "2", "rungs", "2", NULL};
    long long step = 1;

    (void)state;
    for (long long call = 2;; call += step) {
        TestMemory memory = {.fail_at = call};
        Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                               .threads = 1,
                                                               .allocate = test_allocate,
                                                               .user = &memory});
        cleave_tune_result *result;
        cleave_error error = {0};
        Status status = tune(context, "perceptron", options, NULL, &result, &error);

        cleave_tune_free(result);
        cleave_context_free(context);
        assert_int_equal(memory.live, 0);
        if (!memory.failures) {
            assert_int_equal(status, OK);
            break;
        }
        assert_true(status == OK || status == CLEAVE_ERROR_MEMORY);
        step = 1 + call / 12;
    }
}

/* Every file must be readable more than once. */
static void files_that_can_be_reread(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], absent[TEST_PATH_SIZE];
    char *paths[] = {path, absent};
    cleave_data data = {.paths = paths, .path_count = 2};

    (void)state;
    test_write_text(test_join(path, test_folder_new(folder), "a.csv"), "x,y\n1,2\n");
    test_join(absent, folder, "b.csv");
    assert_false(clv_data_can_reread(&data));
    paths[1] = path;
    assert_true(clv_data_can_reread(&data));
    data.path_count = 0;
    assert_false(clv_data_can_reread(&data));
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_can_be_reread),
        cmocka_unit_test(every_mark_can_be_drawn_from),
        cmocka_unit_test(draws_keep_to_the_tables),
        cmocka_unit_test(draws_are_spread),
        cmocka_unit_test(whole_numbers_are_all_drawn),
        cmocka_unit_test(readings_keep_to_the_limit),
        cmocka_unit_test(rungs_follow_rows_and_candidates),
        cmocka_unit_test(only_significantly_worse_candidates_are_dropped),
        cmocka_unit_test(a_path_comes_to_the_same),
        cmocka_unit_test(an_interrupted_search_goes_on),
        cmocka_unit_test(an_interrupt_is_told_at_the_last_trial),
        cmocka_unit_test(a_budget_is_kept),
        cmocka_unit_test(short_memory_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
