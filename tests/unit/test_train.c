/*
 * Training runs: the stopping rules (src/train/stopping.c) alone and in a run
 * (src/train/batch_driver.c, train_options.c), interruptions, and the related functions of cleave.h
 * (src/train/train.c and others).
 */
#include "property/table.h"

#include "eval/evaluation.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"
#include "train/stopping.h"

#include <math.h>

/* ---- stopping.c ------------------------------------------------------------------------------ */

static Stop stop_with(int64_t rounds, int64_t stable, int64_t patience)
{
    RunOptions options = {.limit = rounds, .stable_epochs = stable, .patience = patience};
    Stop stop;

    clv_stop_init(&stop, &options);
    return stop;
}

/* The epoch that ends the run and the reason, for these numbers of mistakes per epoch and these
 * values on held-out data. */
static const char *stopped(Stop stop, const uint64_t *mistakes, const double *held_out,
                           size_t count, uint32_t *traversal)
{
    for (*traversal = 1; *traversal <= count; ++*traversal) {
        const char *why = clv_stop_after(&stop, *traversal, mistakes[*traversal - 1],
                                         mistakes[*traversal - 1] == 0 ? "converged" : NULL,
                                         held_out ? held_out[*traversal - 1] : NAN);

        if (why)
            return why;
    }
    return "none";
}

static void rules_for_stopping(void **state)
{
    static const uint64_t falling[] = {5, 4, 3, 2, 1, 0, 0}, settled[] = {5, 4, 3, 3, 3, 3, 2};
    static const uint64_t swinging[] = {5, 3, 5, 3, 5, 3, 5};
    static const double better[] = {9, 8, 7, 6, 5, 4, 3}, worse[] = {9, 8, 8, 9, 7, 8, 9},
                        unknown[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    uint32_t traversal;

    (void)state;
    assert_string_equal(stopped(stop_with(100, 0, 0), falling, NULL, 7, &traversal), "converged");
    assert_int_equal(traversal, 6);
    assert_string_equal(stopped(stop_with(4, 0, 0), falling, NULL, 7, &traversal), "epochs");
    assert_int_equal(traversal, 4);
    assert_string_equal(stopped(stop_with(6, 0, 0), falling, NULL, 7, &traversal),
                        "converged"); /* both at once */
    assert_string_equal(stopped(stop_with(100, 0, 0), settled, NULL, 7, &traversal),
                        "none"); /* off unless requested */
    assert_string_equal(stopped(stop_with(100, 1, 0), settled, NULL, 7, &traversal),
                        "stable_epochs");
    assert_int_equal(traversal, 4);
    assert_string_equal(stopped(stop_with(100, 3, 0), settled, NULL, 7, &traversal),
                        "stable_epochs");
    assert_int_equal(traversal, 6);
    assert_string_equal(stopped(stop_with(100, 4, 0), settled, NULL, 7, &traversal), "none");
    assert_string_equal(stopped(stop_with(100, 1, 0), swinging, NULL, 7, &traversal), "none");
    assert_string_equal(stopped(stop_with(100, 0, 1), swinging, better, 7, &traversal), "none");
    assert_string_equal(stopped(stop_with(100, 0, 1), swinging, worse, 7, &traversal),
                        "early_stopping");
    assert_int_equal(traversal, 3); /* an equal value is no improvement */
    assert_string_equal(stopped(stop_with(100, 0, 2), swinging, worse, 7, &traversal),
                        "early_stopping");
    assert_int_equal(traversal, 4);
    assert_string_equal(stopped(stop_with(100, 0, 3), swinging, worse, 7, &traversal), "none");
    assert_string_equal(stopped(stop_with(100, 0, 0), swinging, worse, 7, &traversal), "none");
    assert_string_equal(stopped(stop_with(100, 0, 1), swinging, unknown, 7, &traversal), "none");
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct {
    cleave_context *context;
    cleave_model *model;
    cleave_report *report;
    cleave_error error;
    cleave_code code;
} Ran;

/* Noisy rows of two classes, added by the caller. */
static cleave_data *noisy_data(cleave_context *context, uint32_t rows, uint64_t seed, double noise)
{
    Random random = clv_random(seed, 1);
    cleave_error error = {0};
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t index[8], count = 0;
        float value[8];
        double sum = 0;

        for (uint32_t column = 0; column < 8; column++) {
            index[count] = column;
            value[count] = (float)clv_random_normal(&random);
            sum += (double)value[count++] * (column % 3 ? 1 : -1);
        }
        FINE(cleave_data_add(data, (sum > 0) == (clv_random_unit(&random) >= noise) ? "yes" : "no",
                             count, index, value, &error));
    }
    return data;
}

static Ran train_on(cleave_context *context, cleave_data *data, cleave_data *valid,
                    const char *const *options)
{
    cleave_options *given = cleave_options_new(context);
    Ran ran = {.context = context};

    for (; *options; options += 2)
        assert_fine(cleave_options_set(given, options[0], options[1], &ran.error), &ran.error);
    ran.code = cleave_train(context, "perceptron", data, valid, given, &ran.model, &ran.report,
                            &ran.error);
    cleave_options_free(given);
    return ran;
}

static void end(Ran *ran)
{
    cleave_model_free(ran->model);
    cleave_report_free(ran->report);
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_same_models(const cleave_model *a, const cleave_model *b)
{
    for (size_t i = 0; i < cleave_model_feature_count(a); i++)
        assert_true(cleave_model_weight(a, 0, i) == cleave_model_weight(b, 0, i));
    assert_true(cleave_model_threshold(a, 0) == cleave_model_threshold(b, 0));
}

static void stopped_by_rounds(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = noisy_data(context, 300, 1, 0.1);
    Ran ran = train_on(context, data, NULL, WITH("epochs", "7"));

    (void)state;
    assert_fine(ran.code, &ran.error);
    assert_string_equal(ran.report->stopped_by, "epochs");
    assert_string_equal(ran.report->method, "perceptron");
    assert_int_equal(ran.report->epochs, 7);
    assert_int_equal(ran.report->epoch_count, 7);
    assert_int_equal(ran.report->rows, 300);
    assert_int_equal(ran.report->features, 8);
    assert_int_equal(ran.report->classes, 2);
    assert_false(ran.report->converged);
    assert_false(ran.report->cancelled);
    assert_int_equal(ran.report->last_epoch_mistakes, ran.report->epoch_mistakes[6]);
    assert_true(ran.report->loss > 0);
    assert_int_equal(ran.report->validation_rows, 0);
    {
        uint64_t sum = 0, least = UINT64_MAX, most = 0;

        for (size_t i = 0; i < 7; i++) {
            sum += ran.report->epoch_mistakes[i];
            least = ran.report->epoch_mistakes[i] < least ? ran.report->epoch_mistakes[i] : least;
            most = ran.report->epoch_mistakes[i] > most ? ran.report->epoch_mistakes[i] : most;
            assert_true(ran.report->epoch_seconds[i] >= 0);
        }
        assert_int_equal(ran.report->mistakes, sum);
        assert_int_equal(ran.report->least_epoch_mistakes, least);
        assert_int_equal(ran.report->most_epoch_mistakes, most);
    }
    assert_string_equal(ran.report->order, "file order");
    end(&ran);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* Exercise 12.2.3: four mistakes in every epoch. */
static void stopped_by_stability(void **state)
{
    static const float rows[4][2] = {{1, 2}, {2, 3}, {2, 1}, {3, 2}};
    static const char *const labels[4] = {"-1", "+1", "+1", "-1"};
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *data;
    Ran ran;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < 4; i++)
        FINE(cleave_data_add(data, labels[i], 2, (const uint32_t[]){0, 1}, rows[i], &error));
    ran = train_on(context, data, NULL, WITH("stable_epochs", "3"));
    assert_fine(ran.code, &ran.error);
    assert_string_equal(ran.report->stopped_by, "stable_epochs");
    assert_true(ran.report->epochs >= 4 && ran.report->epochs < 12);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(ran.report->epoch_mistakes[ran.report->epochs - 1 - i],
                         ran.report->last_epoch_mistakes);
    end(&ran);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* The model of the best epoch is kept, not that of the last. */
static void stopped_by_held_out_data(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = noisy_data(context, 400, 1, 0.2), *valid = noisy_data(context, 300, 2, 0.2);
    Ran ran = train_on(context, data, valid, WITH("patience", "3", "epochs", "50")), best;
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    char rounds[16];

    (void)state;
    assert_fine(ran.code, &ran.error);
    assert_string_equal(ran.report->stopped_by, "early_stopping");
    assert_int_equal(ran.report->validation_rows, 300);
    assert_fine(cleave_evaluate(ran.model, valid, NULL, &evaluation, &ran.error), &ran.error);
    assert_int_equal(evaluation.errors, ran.report->validation_errors);
    snprintf(rounds, sizeof rounds, "%u", ran.report->epochs - 3);
    best = train_on(context, data, NULL, WITH("epochs", rounds)); /* three epochs before the end */
    assert_fine(best.code, &best.error);
    assert_same_models(ran.model, best.model);
    end(&best);
    end(&ran);
    ran = train_on(context, data, valid,
                   WITH("patience", "3", "epochs", "50", "validation_metric", "loss"));
    assert_fine(ran.code, &ran.error);
    assert_string_equal(ran.report->stopped_by, "early_stopping");
    end(&ran);
    cleave_data_free(data);
    cleave_data_free(valid);
    cleave_context_free(context);
}

static void stopped_by_a_held_out_share(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = noisy_data(context, 500, 1, 0.2);
    Ran ran = train_on(context, data, NULL, WITH("patience", "2", "validation_fraction", "0.3")),
        again;

    (void)state;
    assert_fine(ran.code, &ran.error);
    assert_string_equal(ran.report->stopped_by, "early_stopping");
    assert_true(ran.report->validation_rows > 100 && ran.report->validation_rows < 200);
    again = train_on(context, data, NULL, WITH("patience", "2", "validation_fraction", "0.3"));
    assert_same_models(ran.model, again.model);
    end(&again);
    end(&ran);
    /* Rules that lack an option, or contradict each other. */
    ran = train_on(context, data, NULL, WITH("patience", "2"));
    assert_int_equal(ran.code, CLEAVE_ERROR_USAGE);
    assert_says(&ran.error, "--patience");
    assert_null(ran.model);
    assert_null(ran.report);
    ran = train_on(context, data, data, WITH("patience", "2", "validation_fraction", "0.3"));
    assert_int_equal(ran.code, CLEAVE_ERROR_USAGE);
    ran = train_on(context, data, NULL, WITH("epochs_from_sample", "251"));
    assert_int_equal(ran.code, CLEAVE_ERROR_USAGE);
    assert_says(&ran.error, "--epochs-from-sample 251");
    cleave_data_free(data);
    cleave_context_free(context);
}

/* The number of epochs is found on a sample, and then used for all rows. */
static void stopped_by_a_sample(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = noisy_data(context, 600, 3, 0.2);
    Ran ran = train_on(context, data, NULL, WITH("epochs_from_sample", "150", "epochs", "20")),
        plain;
    char rounds[16];
    double found = 0;

    (void)state;
    assert_fine(ran.code, &ran.error);
    assert_string_equal(ran.report->stopped_by, "epochs_from_sample");
    for (size_t i = 0; i < ran.report->statistic_count; i++)
        if (strcmp(ran.report->statistics[i].name, "sample_epochs") == 0)
            found = ran.report->statistics[i].value;
    assert_true(found >= 1 && found <= 20);
    assert_true(ran.report->epochs == (uint32_t)found);
    snprintf(rounds, sizeof rounds, "%u", ran.report->epochs);
    plain = train_on(context, data, NULL,
                     WITH("epochs", rounds)); /* the sample has no other effect */
    assert_same_models(ran.model, plain.model);
    end(&plain);
    end(&ran);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* ---- from outside ---------------------------------------------------------------------------- */

typedef struct {
    int asked, after;
} Patience;

static bool out_of_patience(void *user)
{
    Patience *patience = user;

    return ++patience->asked > patience->after;
}

/* Data in small blocks, so that training can be interrupted often. */
static void cancelled_runs_keep_complete_epochs(void **state)
{
    Patience patience = {.after = INT32_MAX};
    Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                           .cancelled = out_of_patience,
                                                           .user = &patience,
                                                           .threads = 1});
    Table table = {0};
    Random random = clv_random(4, 4);
    RunOptions options;
    cleave_error error = {0};
    const Method *method;
    Dataset *dataset;

    (void)state;
    table_random(&table, &random, 400, 12, 6, 2, RANDOM_EIGHTHS);
    dataset = table_built(context, &table, 10);
    FINE(clv_method_find("perceptron", &method, &error));
    clv_params_initial(clv_run_params, &options);
    options.epochs = 10;
    for (int after = 0; after < 130; after += 13) {
        void *method_options = some(1, method->options_size);
        Report *report;
        Model *model;
        Status status;

        clv_params_initial(method->params, method_options);
        patience = (Patience){.after = after};
        status = clv_train(
            context,
            &(Job){.method = method, .method_options = method_options, .options = &options},
            dataset, &model, &report, &error);
        assert_int_equal(patience.asked, after + 1);
        if (after < 40) { /* no epoch is complete */
            assert_int_equal(status, CLEAVE_ERROR_CANCELLED);
            assert_null(model);
            free(method_options);
            continue;
        }
        assert_int_equal(status, OK);
        assert_true(report->facts.cancelled);
        assert_false(report->facts.converged);
        assert_string_equal(report->facts.stopped_by, "interrupt");
        assert_int_equal(report->facts.epochs, after / 40);
        cleave_model_free(model);
        cleave_report_free(&report->facts);
        free(method_options);
    }
    clv_dataset_free(dataset);
    table_free(&table);
    cleave_context_free(context);
}

static cleave_code refuse(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    (void)error;
    ++*(int *)user;
    return prediction->row == 3 ? CLEAVE_ERROR_IO : CLEAVE_OK;
}

static void other_calls_are_cancelled(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Patience patience = {.after = INT32_MAX};
    Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                           .cancelled = out_of_patience,
                                                           .user = &patience,
                                                           .threads = 1});
    cleave_data *data = noisy_data(context, 100, 1, 0);
    Ran ran = train_on(context, data, NULL, WITH("epochs", "3"));
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_error error = {0};
    int asked = 0;

    (void)state;
    test_join(path, test_folder_new(folder), "a.cleave");
    assert_int_equal(cleave_predict(ran.model, data, NULL, refuse, &asked, &error),
                     CLEAVE_ERROR_IO);
    assert_int_equal(asked, 3);
    patience.after = 0;
    patience.asked = 0;
    assert_int_equal(cleave_evaluate(ran.model, data, NULL, &evaluation, &error),
                     CLEAVE_ERROR_CANCELLED);
    assert_int_equal(cleave_predict(ran.model, data, NULL, refuse, &asked, &error),
                     CLEAVE_ERROR_CANCELLED);
    assert_int_equal(cleave_convert(data, path, NULL, NULL, &error), CLEAVE_ERROR_CANCELLED);
    assert_int_equal(test_folder_count(folder), 0);
    end(&ran);
    cleave_data_free(data);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static void evaluations_count(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *data, *test;
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    Ran ran;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    FINE(cleave_data_add(data, "a", 1, (const uint32_t[]){0}, (const float[]){1}, &error));
    FINE(cleave_data_add(data, "b", 1, (const uint32_t[]){1}, (const float[]){1}, &error));
    FINE(cleave_data_add(data, "c", 1, (const uint32_t[]){2}, (const float[]){1}, &error));
    ran = train_on(context, data, NULL,
                   WITH("epochs", "20")); /* 1 where the class is, -1 elsewhere */
    assert_fine(ran.code, &ran.error);
    assert_true(ran.report->converged);
    FINE(cleave_data_new(context, &test, &error));
    FINE(cleave_data_add(test, "a", 1, (const uint32_t[]){0}, (const float[]){1},
                         &error)); /* right */
    FINE(cleave_data_add(test, "b", 1, (const uint32_t[]){0}, (const float[]){1},
                         &error)); /* wrong */
    FINE(cleave_data_add(test, "new", 1, (const uint32_t[]){0}, (const float[]){1},
                         &error)); /* a label never seen */
    FINE(cleave_data_add(test, NULL, 1, (const uint32_t[]){1}, (const float[]){1}, &error));
    FINE(cleave_data_add(test, "c", 3, (const uint32_t[]){0, 1, 2}, (const float[]){1, 1, 1},
                         &error)); /* -1 everywhere */
    {
        cleave_options *options = cleave_options_new(context);

        FINE(cleave_evaluate(ran.model, test, NULL, &evaluation, &error));
        assert_int_equal(evaluation.rows, 4);
        assert_int_equal(evaluation.unlabeled, 1);
        assert_int_equal(evaluation.unseen_label, 1);
        assert_int_equal(evaluation.abstained, 0);
        FINE(cleave_options_set(options, "abstain", "true", &error));
        FINE(cleave_evaluate(ran.model, test, options, &evaluation, &error));
        assert_int_equal(evaluation.abstained, 1);
        assert_int_equal(evaluation.errors, 3);
        FINE(cleave_options_set(options, "abstian", "true", &error));
        assert_int_equal(cleave_evaluate(ran.model, test, options, &evaluation, &error),
                         CLEAVE_ERROR_USAGE);
        assert_says(&error, "--abstain");
        cleave_options_free(options);
    }
    end(&ran);
    cleave_data_free(data);
    cleave_data_free(test);
    cleave_context_free(context);
}

/* ---- the rest of cleave.h -------------------------------------------------------------------- */

static void tables_describe_everything(void **state)
{
    const cleave_param *tables[] = {cleave_read_params(), cleave_train_params(),
                                    cleave_predict_params(), cleave_convert_params(),
                                    cleave_generate_params()};
    cleave_method_info info;
    cleave_error error = {0};
    const char *brief;
    size_t count;

    (void)state;
    for (size_t i = 0; i < 5; i++)
        for (const cleave_param *param = tables[i]; param->name; param++)
            assert_true(param->help && strlen(param->help) > 5);
    assert_true(cleave_method_count() >= 1);
    assert_string_equal(cleave_method(0).name, "perceptron");
    FINE(cleave_method_find("perceptron", &info, &error));
    assert_non_null(info.params);
    assert_int_equal(cleave_method_find("perceptorn", &info, &error), CLEAVE_ERROR_USAGE);
    assert_says(&error, "did you mean 'perceptron'");
    for (count = 0; cleave_format(count, &brief); count++)
        assert_true(strlen(brief) > 5);
    assert_true(count >= 7);
    for (count = 0; cleave_builtin(count, &brief); count++)
        assert_true(strlen(brief) > 5);
    assert_int_equal(count, 10);
    for (count = 0; cleave_generator(count, &brief); count++)
        assert_true(strlen(brief) > 5);
    assert_true(count >= 3);
    assert_non_null(strchr(cleave_version(), '.'));
    assert_non_null(strstr(cleave_features(), "zlib"));
}

static void rows_of_your_own(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *data;
    char buffer[24];
    Ran ran;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    assert_int_equal(
        cleave_data_add(data, "a", 2, (const uint32_t[]){3, 3}, (const float[]){1, 1}, &error),
        CLEAVE_ERROR_DATA);
    assert_says(&error, "3 follows 3");
    assert_int_equal(
        cleave_data_add(data, "a", 1, (const uint32_t[]){UINT32_MAX}, (const float[]){1}, &error),
        CLEAVE_ERROR_DATA);
    assert_int_equal(
        cleave_data_add(data, "a", 1, (const uint32_t[]){0}, (const float[]){NAN}, &error),
        CLEAVE_ERROR_DATA);
    ran = train_on(context, data, NULL, WITH("epochs", "1")); /* no row was added */
    assert_int_equal(ran.code, CLEAVE_ERROR_DATA);
    assert_says(&ran.error, "the training set is empty");
    cleave_data_free(data);
    FINE(cleave_data_new(context, &data, &error));
    for (uint32_t i = 0; i < 50000; i++) /* more than a block */
        FINE(cleave_data_add(data, i % 2 ? "a" : "b", 2, (const uint32_t[]){i % 2, 5},
                             (const float[]){1, 1}, &error));
    ran = train_on(context, data, NULL, WITH("epochs", "5"));
    assert_fine(ran.code, &ran.error);
    assert_int_equal(ran.report->rows, 50000);
    assert_true(ran.report->converged);
    assert_string_equal(cleave_data_feature_name(data, 5, buffer),
                        "5"); /* column numbers count from 0 */
    assert_int_equal(cleave_data_add(data, "a", 0, NULL, NULL, &error),
                     CLEAVE_ERROR_USAGE); /* too late */
    end(&ran);
    cleave_data_free(data);
    cleave_data_free(NULL);
    cleave_context_free(context);
}

/* Reading, training, saving, loading, predicting: the simple use of cleave.h. */
static void simple_use(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], text[TEST_PATH_SIZE], copy[TEST_PATH_SIZE];
    const char *paths[1] = {text};
    Context *context = cleave_context_new(NULL);
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_prediction answer;
    cleave_conversion done;
    cleave_error error = {0};
    cleave_model *model, *loaded, *other;
    cleave_data *data;
    const char *name;
    char buffer[24];
    size_t outputs;

    (void)state;
    test_join(path, test_folder_new(folder), "m.model");
    test_write_text(test_join(text, folder, "mail.tsv"),
                    "spam\tbuy viagra now\nham\tsee you at lunch\nspam\tviagra for you\n"
                    "ham\tlunch now or later\n");
    FINE(cleave_open(context, text, NULL, &data, &error));
    FINE(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error));
    FINE(cleave_save(model, path, &error));
    cleave_data_free(data);
    FINE(cleave_load(context, path, &loaded, &error));
    FINE(cleave_open_for(loaded, paths, 1, NULL, &data, &error));
    FINE(cleave_evaluate(loaded, data, NULL, &evaluation, &error));
    assert_int_equal(evaluation.rows, 4);
    assert_int_equal(evaluation.errors, 0);
    assert_int_equal(cleave_convert(data, text, NULL, &done, &error), CLEAVE_ERROR_USAGE);
    assert_says(&error, "the output file is also an input");
    FINE(cleave_convert(data, test_join(copy, folder, "copy.cleave"), NULL, &done, &error));
    assert_int_equal(done.rows, 4);
    assert_int_equal(done.classes, 2);
    cleave_data_free(data);
    assert_true(cleave_model_is_linear(loaded, &outputs));
    assert_int_equal(outputs, 1);
    assert_string_equal(cleave_model_positive(loaded), "ham"); /* the second label */
    assert_string_equal(cleave_model_label(loaded, 0), "spam");
    assert_null(cleave_model_label(loaded, 2));
    assert_int_equal(cleave_model_rows(loaded), 4);
    assert_int_equal(cleave_model_seed(loaded), 1);
    assert_string_equal(cleave_model_param(loaded, 0, &name), "1");
    assert_string_equal(name, "learning_rate");
    assert_null(cleave_model_param(loaded, 1000, &name));
    for (uint32_t i = 0; i < cleave_model_feature_count(loaded); i++)
        if (strcmp(cleave_model_feature_name(loaded, i, buffer), "viagra") == 0) {
            FINE(cleave_predict_row(loaded, 1, &i, (const float[]){1}, &answer, &error));
            assert_string_equal(answer.label, "spam");
            assert_true(answer.scores[0] ==
                        cleave_model_weight(loaded, 0, i) - cleave_model_threshold(loaded, 0));
        }
    assert_int_equal(cleave_predict_row(loaded, 2, (const uint32_t[]){1, 1}, (const float[]){1, 1},
                                        &answer, &error),
                     CLEAVE_ERROR_DATA);
    assert_int_equal(cleave_load(context, text, &other, &error), CLEAVE_ERROR_FORMAT);
    assert_says(&error, "not a cleave model");
    assert_int_equal(cleave_open(context, "@spam7", NULL, &data, &error), CLEAVE_ERROR_USAGE);
    assert_says(&error, "@spam6");
    cleave_model_free(model);
    cleave_model_free(loaded);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* The positive class can be chosen. The weights are the same with the opposite sign. */
static void the_positive_class_is_yours(void **state)
{
    Context *context = new_context(1);
    cleave_data *data = noisy_data(context, 100, 6, 0.1);
    Ran yes = train_on(context, data, NULL, WITH("epochs", "3", "positive", "yes"));
    Ran no = train_on(context, data, NULL, WITH("epochs", "3", "positive", "no")), bad;

    (void)state;
    assert_string_equal(cleave_model_positive(yes.model), "yes");
    assert_string_equal(cleave_model_positive(no.model), "no");
    for (size_t i = 0; i < 8; i++)
        assert_true(cleave_model_weight(yes.model, 0, i) == -cleave_model_weight(no.model, 0, i));
    bad = train_on(context, data, NULL, WITH("positive", "maybe"));
    assert_int_equal(bad.code, CLEAVE_ERROR_USAGE);
    end(&yes);
    end(&no);
    cleave_data_free(data);
    cleave_context_free(context);
}

static void weights_that_grow_too_far_are_an_error(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *data;
    Ran ran;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    for (int i = 0; i < 6; i++)
        FINE(cleave_data_add(data, i % 2 ? "a" : "b", 2, (const uint32_t[]){0, 1},
                             (const float[]){i % 2 ? 3e38F : -3e38F, 3e38F}, &error));
    FINE(cleave_data_add(data, "a", 1, (const uint32_t[]){0}, (const float[]){-3e38F}, &error));
    FINE(cleave_data_add(data, "b", 1, (const uint32_t[]){0}, (const float[]){3e38F}, &error));
    FINE(cleave_data_add(data, "a", 1, (const uint32_t[]){1}, (const float[]){3e38F}, &error));
    ran = train_on(context, data, NULL, WITH("update", "sum"));
    if (ran.code == CLEAVE_OK)
        for (size_t i = 0; i < 2; i++)
            assert_true(isfinite(cleave_model_weight(ran.model, 0, i)));
    else
        assert_says(&ran.error, "float32");
    assert_true(ran.code == CLEAVE_OK || ran.code == CLEAVE_ERROR_DATA);
    end(&ran);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* Generated data is written, read again and learned. */
static void generated_data_can_be_learned(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_options *options = cleave_options_new(context);
    cleave_conversion done;
    cleave_error error = {0};
    cleave_data *data;
    Ran ran;

    (void)state;
    test_join(path, test_folder_new(folder), "blobs.libsvm");
    FINE(cleave_options_set(options, "rows", "500", &error));
    FINE(cleave_options_set(options, "features", "5", &error));
    FINE(cleave_generate(context, "blobs", path, options, &done, &error));
    assert_int_equal(done.rows, 500);
    FINE(cleave_open(context, path, NULL, &data, &error));
    ran = train_on(context, data, NULL, WITH("epochs", "10"));
    assert_fine(ran.code, &ran.error);
    assert_int_equal(ran.report->rows, 500);
    end(&ran);
    cleave_data_free(data);
    cleave_options_free(options);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* Training releases the rows of a file as it transforms them. They are read again for the next
 * run, with the same result. */
static void released_rows_are_read_again(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], models[2][TEST_PATH_SIZE];
    char *bytes[2], text[40 * 200] = "";
    Context *context = new_context(1);
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};
    cleave_data *data;
    size_t size[2];

    (void)state;
    for (int i = 0, at = 0; i < 200; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s\tword%d other%d again\n",
                       i % 3 ? "ham" : "spam", i % 7, i % 5);
    test_join(path, test_folder_new(folder), "mail.tsv");
    test_write_text(path, text);
    FINE(cleave_options_set(options, "transform", "tfidf", &error));
    FINE(cleave_open(context, path, NULL, &data, &error));
    for (int i = 0; i < 2; i++) {
        cleave_model *model;

        FINE(cleave_train(context, "svm", data, NULL, options, &model, NULL, &error));
        test_join(models[i], folder, i ? "second.model" : "first.model");
        FINE(cleave_save(model, models[i], &error));
        bytes[i] = test_read_file(models[i], &size[i]);
        cleave_model_free(model);
        assert_string_equal(cleave_data_label(data, 0), "spam");
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    test_write_text(path, "ham\tword1\nspam\tword2\neggs\tword3\n");
    assert_int_equal(
        cleave_train(context, "svm", data, NULL, options, &(cleave_model *){NULL}, NULL, &error),
        CLEAVE_ERROR_DATA);
    assert_says(&error, "changed");
    cleave_data_free(data);
    cleave_options_free(options);
    test_folder_remove(folder);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_for_stopping),
        cmocka_unit_test(stopped_by_rounds),
        cmocka_unit_test(stopped_by_stability),
        cmocka_unit_test(stopped_by_held_out_data),
        cmocka_unit_test(stopped_by_a_held_out_share),
        cmocka_unit_test(stopped_by_a_sample),
        cmocka_unit_test(cancelled_runs_keep_complete_epochs),
        cmocka_unit_test(other_calls_are_cancelled),
        cmocka_unit_test(evaluations_count),
        cmocka_unit_test(tables_describe_everything),
        cmocka_unit_test(rows_of_your_own),
        cmocka_unit_test(simple_use),
        cmocka_unit_test(the_positive_class_is_yours),
        cmocka_unit_test(weights_that_grow_too_far_are_an_error),
        cmocka_unit_test(generated_data_can_be_learned),
        cmocka_unit_test(released_rows_are_read_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
