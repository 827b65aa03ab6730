/*
 * Predictions of a model (src/eval/predict_data.c): numbers, evaluated by RMSE, MAE and R^2
 * (src/eval/evaluation.c), probabilities, every class above a threshold; and a regression through
 * the drivers of src/train. The method in this file adds up the values of a row, so that every
 * prediction is known.
 */
#include "property/table.h"

#include "input/input.h"
#include "model/method.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <math.h>
#include <stdio.h>

/* ---- the method ------------------------------------------------------------------------------ */

typedef struct {
    double sum, weight; /* sums over the targets seen */
} SumState;

typedef struct {
    bool unused;
} SumOptions;

static const Param sum_params[] = {
    FLAG(SumOptions, unused, "nothing"),
    END_OF_PARAMS,
};

static Status sum_begin(Fit *fit)
{
    (void)fit;
    return OK;
}

static Status sum_step(Fit *fit, const Block *block)
{
    SumState *state = fit->state;

    if (block->features > fit->features)
        fit->features = block->features;
    for (uint32_t row = 0; row < block->rows; row++) {
        double target = fit_target(fit, block, row);

        if (isnan(target))
            continue;
        state->sum += target;
        fit->counters.seen++;
    }
    return OK;
}

static Status sum_pass(Fit *fit, bool *clean)
{
    (void)fit;
    *clean = true;
    return OK;
}

static Status sum_end(Fit *fit, Model *model)
{
    const SumState *state = fit->state;

    model->features = fit->features;
    return clv_bundle_put(model->bundle, "targets", BUNDLE_F64, &state->sum, 1, fit->error);
}

static void sum_free(Fit *fit)
{
    (void)fit;
}

static Status sum_predict(const Model *model, const Block *block, double *scores,
                          cleave_error *error)
{
    (void)model;
    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        scores[row] = 0;
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            scores[row] += (double)walk.value;
    }
    return OK;
}

static const MethodTraining sum_training = {
    .begin = sum_begin,
    .step = sum_step,
    .end_epoch = sum_pass,
    .end = sum_end,
    .free = sum_free,
};

static const MethodInference sum_inference = {
    .predict = sum_predict,
};

static const Method sum_method = {
    .name = "sum",
    .title = "adds up a row",
    .objective = "nothing",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = sum_params,
    .options_size = sizeof(SumOptions),
    .state_size = sizeof(SumState),
    .training = &sum_training,
    .inference = &sum_inference,
};

static Status train_sum(Context *context, Source *source, bool stream, Model **model,
                        Report **report, cleave_error *error)
{
    SumOptions options = {0};
    RunOptions run;
    Dataset *dataset;
    Status status;
    Job job = {.method = &sum_method, .method_options = &options, .options = &run, .name = "here"};

    clv_params_initial(clv_run_params, &run);
    run.stream = stream;
    if (stream)
        return clv_train_stream(context, &job, source, model, report, error);
    TRY(clv_dataset_load(source, &dataset, error));
    status = clv_train(context, &job, dataset, model, report, error);
    clv_dataset_free(dataset);
    return status;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static cleave_data *open_text(Context *context, const char *folder, const char *name,
                              const char *text)
{
    char path[TEST_PATH_SIZE];
    cleave_error error = {0};
    cleave_data *data;

    test_write_text(test_join(path, folder, name), text);
    FINE(cleave_open(context, path, NULL, &data, &error));
    return data;
}

/* A model of two columns; its training rows do not matter. */
static Model *sum_model(Context *context)
{
    cleave_error error = {0};
    Dataset *dataset;
    Source *source;
    Builder builder;
    Block block;
    Report *report;
    Model *model;
    uint32_t label;

    FINE(clv_dataset_new(context, &dataset, &error));
    clv_builder_init(&builder, context);
    clv_builder_clear(&builder);
    FINE(clv_labels_add(&dataset->labels, "7", 1, &label, &error));
    dataset->labels.list[0].count = 1;
    clv_builder_begin_row(&builder);
    FINE(clv_builder_add(&builder, 0, 1, &error));
    FINE(clv_builder_add(&builder, 1, 1, &error));
    FINE(clv_builder_end_row(&builder, label, &error));
    FINE(clv_builder_finish(&builder, &block, &error));
    FINE(clv_dataset_add(dataset, &block, &error));
    clv_builder_free(&builder);
    dataset->names.first = 1;
    FINE(clv_dataset_source(dataset, true, &source, &error));
    FINE(train_sum(context, source, false, &model, &report, &error));
    assert_int_equal(model->labels.count, 0);
    assert_int_equal(model->task, CLEAVE_TASK_REGRESSION);
    assert_int_equal(report->facts.classes, 0);
    cleave_report_free(&report->facts);
    clv_source_close(source);
    return model;
}

typedef struct {
    size_t count;
    double number[8], given[8];
    char label[8][32], text[8][32];
} Numbers;

static cleave_code take_number(void *user, const cleave_prediction *row, cleave_error *error)
{
    Numbers *numbers = user;
    size_t i = numbers->count++;

    (void)error;
    assert_int_equal(row->row, i + 1);
    assert_true(row->label_number == SIZE_MAX && !row->correct && row->score_count == 1 &&
                !row->probabilities);
    assert_true(row->scores[0] == row->value);
    numbers->number[i] = row->value;
    numbers->given[i] = row->true_value;
    snprintf(numbers->label[i], 32, "%s", row->label);
    snprintf(numbers->text[i], 32, "%s", row->true_label ? row->true_label : "-");
    return CLEAVE_OK;
}

static void numbers_are_predicted(void **state)
{
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    Model *model = sum_model(context);
    cleave_data *data = open_text(context, test_folder_new(folder), "a.libsvm",
                                  "3.5 1:1 2:2\n? 2:0.25\nfive 1:-1\n+3.50 1:1 2:2 9:100\n1e2\n");
    Numbers got = {0};
    cleave_error error = {0};
    cleave_prediction one;

    (void)state;
    FINE(cleave_predict(model, data, NULL, take_number, &got, &error));
    assert_int_equal(got.count, 5);
    assert_true(got.number[0] == 3 && got.number[1] == 0.25 && got.number[2] == -1 &&
                got.number[4] == 0);
    assert_true(got.number[3] == 3); /* the model has no column 9 */
    assert_true(got.given[0] == 3.5 && isnan(got.given[1]) && isnan(got.given[2]) &&
                got.given[3] == 3.5);
    assert_true(got.given[4] == 100);
    assert_string_equal(got.label[1], "0.25");
    assert_string_equal(got.label[2], "-1");
    assert_string_equal(got.text[2], "five"); /* labels are ignored */
    assert_string_equal(got.text[3], "3.5");
    assert_string_equal(got.text[1], "-");
    FINE(cleave_predict_row(model, 2, (uint32_t[]){0, 1}, (float[]){2, 0.5f}, &one, &error));
    assert_true(one.value == 2.5 && isnan(one.true_value) && one.label_number == SIZE_MAX);
    assert_string_equal(one.label, "2.5");
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static cleave_evaluation evaluate(Context *context, const Model *model, const char *text,
                                  cleave_code expected, cleave_error *error)
{
    char folder[TEST_PATH_SIZE];
    cleave_data *data = open_text(context, test_folder_new(folder), "a.libsvm", text);
    cleave_evaluation evaluation = {.size = sizeof evaluation};

    assert_int_equal(cleave_evaluate(model, data, NULL, &evaluation, error), expected);
    cleave_data_free(data);
    test_folder_remove(folder);
    return evaluation;
}

static void regressions_are_evaluated(void **state)
{
    Context *context = new_context(1);
    Model *model = sum_model(context);
    cleave_error error = {0};
    cleave_evaluation evaluation = {.size = sizeof evaluation};

    (void)state;
    /* Errors of 1, -2, 0, 3; targets 2, 3, 4, 7: mean 4, sum of squared deviations 4 + 1 + 0 +
     * 9. */
    evaluation = evaluate(context, model, "2 1:3\n3 1:1\n4 1:1 2:3\n7 1:10\n? 1:5\n", CLEAVE_OK,
                          &error);
    assert_int_equal(evaluation.rows, 4);
    assert_int_equal(evaluation.unlabeled, 1);
    assert_int_equal(evaluation.errors, 0);
    assert_true(fabs(evaluation.rmse - sqrt(14.0 / 4)) < 1e-15);
    assert_true(fabs(evaluation.mae - 6.0 / 4) < 1e-15);
    assert_true(fabs(evaluation.baseline_rmse - sqrt(14.0 / 4)) < 1e-15);
    assert_true(fabs(evaluation.r2) < 1e-15);
    /* Targets that are far from 0 and close together: plain sums of squares would lose them. */
    evaluation = evaluate(context, model, "1000000001 1:1e9\n1000000002 1:1e9\n1000000003 1:1e9\n",
                          CLEAVE_OK, &error);
    assert_true(fabs(evaluation.baseline_rmse - sqrt(2.0 / 3)) < 1e-6);
    assert_true(fabs(evaluation.r2 - (1 - 14.0 / 2)) < 1e-6);
    evaluation = evaluate(context, model, "5 1:4\n5 1:5\n", CLEAVE_OK, &error);
    assert_true(isnan(evaluation.r2) && evaluation.baseline_rmse == 0 && evaluation.mae == 0.5);
    evaluation = evaluate(context, model, "? 1:4\n", CLEAVE_OK, &error);
    assert_true(evaluation.rows == 0 && evaluation.unlabeled == 1 && isnan(evaluation.rmse));
    evaluate(context, model, "5 1:4\n\nfive 1:5\n", CLEAVE_ERROR_DATA, &error);
    assert_says(
        &error,
        "a.libsvm:3: the label of the regression method 'sum' must be a number, not 'five'");
    cleave_model_free(model);
    cleave_context_free(context);
}

/* More different numbers than labels can have: from then on rows contain the number itself. */
static void many_numbers(void **state)
{
    enum { ROWS = 150000 };
    Context *context = new_context(2);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Model *model = sum_model(context);
    FILE *file;
    cleave_error error = {0};
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_data *data;

    (void)state;
    file = fopen(test_join(path, test_folder_new(folder), "a.libsvm"), "w");
    assert_non_null(file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d.5 1:%d\n", i, i);
    fputs("? 1:3\n", file);
    assert_int_equal(fclose(file), 0);
    FINE(cleave_open(context, path, NULL, &data, &error));
    FINE(cleave_evaluate(model, data, NULL, &evaluation, &error));
    assert_int_equal(evaluation.rows, ROWS);
    assert_int_equal(evaluation.unlabeled, 1);
    assert_true(evaluation.rmse == 0.5 && evaluation.mae == 0.5);
    assert_true(fabs(evaluation.baseline_rmse / (ROWS / sqrt(12)) - 1) < 1e-6);
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_context_free(context);
    test_folder_remove(folder);
}

/* Both drivers agree: statistics, targets, rows without a number, and words. */
static void numbers_through_the_drivers(void **state)
{
    enum { ROWS = 70000 };
    static const char *const last[] = {"5 1:2\n", "? 1:2\n", "five 1:2\n"};
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);

    (void)state;
    test_join(path, test_folder_new(folder), "a.libsvm");
    for (int l = 0; l < 3; l++) {
        FILE *file = fopen(path, "w");

        assert_non_null(file);
        for (int i = 0; i < ROWS; i++)
            fprintf(file, "%d.25 1:%d\n", i, i);
        fputs(last[l], file);
        assert_int_equal(fclose(file), 0);
        for (int stream = 0; stream <= 1; stream++) {
            cleave_error error = {0};
            cleave_data *data;
            Source *source;
            Model *model;
            Report *report;
            Status status;

            FINE(cleave_open(context, path, NULL, &data, &error));
            FINE(clv_data_source(data, &source, &error));
            status = train_sum(context, source, stream, &model, &report, &error);
            if (l == 0) {
                const BundleItem *sum;

                assert_fine(status, &error);
                sum = clv_bundle_get(model->bundle, "targets", BUNDLE_F64);
                assert_true(*(const double *)sum->data ==
                            ROWS * (ROWS - 1.0) / 2 + 0.25 * ROWS + 5);
                assert_int_equal(report->facts.rows, ROWS + 1);
                assert_int_equal(report->facts.features, 1);
                cleave_model_free(model);
                cleave_report_free(&report->facts);
            } else {
                assert_int_equal(status, CLEAVE_ERROR_DATA);
                assert_says(&error, l == 1 ? "here:70001: the row has no label"
                                           : "here:70001: 'sum' is a regression method, and the "
                                             "label 'five' is not a number");
            }
            cleave_data_free(data);
        }
    }
    cleave_context_free(context);
    test_folder_remove(folder);
}

static void figures_of_a_regression(void **state)
{
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_data *data = open_text(context, test_folder_new(folder), "a.libsvm",
                                  "2 1:3\n3 1:1\n4 1:1 2:3\n7 1:10\n");
    cleave_error error = {0};
    Source *source;
    Model *model;
    Report *report;
    double found[3] = {NAN, NAN, NAN};
    static const char *const names[] = {"train_rmse", "train_sse", "train_r2"};

    (void)state;
    FINE(clv_data_source(data, &source, &error));
    FINE(train_sum(context, source, false, &model, &report, &error));
    for (size_t i = 0; i < report->facts.statistic_count; i++)
        for (size_t f = 0; f < 3; f++)
            if (strcmp(report->facts.statistics[i].name, names[f]) == 0)
                found[f] = report->facts.statistics[i].value;
    assert_true(fabs(found[0] - sqrt(3.5)) < 1e-15 && found[1] == 14 && fabs(found[2]) < 1e-15);
    assert_true(report->facts.train_errors == UINT64_MAX);
    cleave_report_free(&report->facts);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_context_free(context);
    test_folder_remove(folder);
}

static cleave_code predict_with(const Model *model, cleave_data *data, const char *name,
                                const char *value, cleave_predict_callback callback, void *user,
                                cleave_error *error)
{
    cleave_options *options = cleave_options_new(model->context);
    cleave_code code;

    assert_fine(cleave_options_set(options, name, value, error), error);
    code = cleave_predict(model, data, options, callback, user, error);
    cleave_options_free(options);
    return code;
}

static void numbers_have_no_classes(void **state)
{
    static const char *const options[][2] = {
        {"probabilities", "true"}, {"multilabel_threshold", "1"}, {"abstain", "true"}};
    char folder[TEST_PATH_SIZE];
    Context *context = new_context(1);
    Model *model = sum_model(context);
    cleave_data *data = open_text(context, test_folder_new(folder), "a.libsvm", "2 1:3\n");
    Numbers none = {0};
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            predict_with(model, data, options[i][0], options[i][1], take_number, &none, &error),
            CLEAVE_ERROR_USAGE);
        assert_says(&error,
                    "requires a classification model, and this model of 'sum' is for regression");
    }
    assert_int_equal(none.count, 0);
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_context_free(context);
    test_folder_remove(folder);
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Trained on one row for each class. */
static cleave_model *weighing(Context *context, uint32_t classes)
{
    static const char *const labels[] = {"a", "b", "c"};
    static const uint32_t index[] = {0, 1, 2};
    static const float unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    cleave_error error = {0};
    cleave_data *data;
    cleave_model *model;

    FINE(cleave_data_new(context, &data, &error));
    for (uint32_t i = 0; i < classes; i++)
        FINE(cleave_data_add(data, labels[i], 3, index, unit[i], &error));
    FINE(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error));
    cleave_data_free(data);
    return model;
}

typedef struct {
    char every[4][16];
    size_t count;
} Every;

static cleave_code take_every(void *user, const cleave_prediction *row, cleave_error *error)
{
    Every *every = user;
    char *text = every->every[every->count++];

    (void)error;
    assert_true(isnan(row->value) && isnan(row->true_value));
    for (size_t i = 0; i < row->above_count; i++) {
        assert_true(row->above[i] < 3);
        *text++ = (char)('a' + row->above[i]);
    }
    *text = '\0';
    return CLEAVE_OK;
}

/* The classes whose score is above the threshold, computed from the scores. Of two classes, the
 * negative one has the negated score. */
static void wanted_above(const cleave_model *model, const cleave_prediction *row, double above,
                         char text[4])
{
    size_t classes = cleave_model_label_count(model);

    for (size_t i = 0; i < classes; i++) {
        bool positive = classes == 2 &&
                        strcmp(cleave_model_label(model, i), cleave_model_positive(model)) == 0;
        double score = classes > 2 ? row->scores[i] : positive ? row->scores[0] : -row->scores[0];

        if (score > above)
            *text++ = (char)('a' + i);
    }
    *text = '\0';
}

static void every_class_above(void **state)
{
    static const float row[3] = {0.5f, 2, -1};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        cleave_model *model = weighing(context, classes);
        size_t sizes[4] = {0};
        cleave_prediction one;
        cleave_data *data;

        FINE(cleave_predict_row(model, 3, (uint32_t[]){0, 1, 2}, row, &one, &error));
        FINE(cleave_data_new(context, &data, &error));
        FINE(cleave_data_add(data, NULL, 3, (uint32_t[]){0, 1, 2}, row, &error));
        for (double above = -4; above <= 4;
             /* the scores are multiples of a quarter, and a score at the threshold is not above
              * it */
             above += 0.25) {
            Every got = {0};
            char number[32], wanted[4];

            wanted_above(model, &one, above, wanted);
            FINE(predict_with(model, data, "multilabel_threshold",
                              cleave_number_text(above, number), take_every, &got, &error));
            assert_int_equal(got.count, 1);
            assert_string_equal(got.every[0], wanted);
            sizes[strlen(wanted)]++;
        }
        for (size_t i = 0; i <= classes; i++)
            assert_true(sizes[i] > 0 || (classes == 2 && i == 1));
        cleave_data_free(data);
        cleave_model_free(model);
    }
    cleave_context_free(context);
}

static void probabilities_must_be_known(void **state)
{
    Context *context = new_context(1);
    cleave_model *model = weighing(context, 3);
    cleave_error error = {0};
    cleave_data *data;
    Every none = {0};
    cleave_prediction one;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    FINE(cleave_data_add(data, NULL, 0, NULL, NULL, &error));
    assert_int_equal(predict_with(model, data, "probabilities", "true", take_every, &none, &error),
                     CLEAVE_ERROR_USAGE);
    assert_says(&error, "this model of 'perceptron' has scores only");
    assert_non_null(strstr(error.hint, "--calibrate"));
    FINE(cleave_predict_row(model, 0, NULL, NULL, &one, &error));
    assert_null(one.probabilities);
    assert_false(cleave_model_has_probabilities(model));
    cleave_data_free(data);
    cleave_model_free(model);
    cleave_context_free(context);
}

/* Collects the one prediction of a call. */
static cleave_code take_label(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    (void)error;
    assert_true((prediction->label_number == SIZE_MAX) == (strcmp(prediction->label, "none") == 0));
    snprintf(user, 16, "%s", prediction->label);
    return CLEAVE_OK;
}

/* k-NN with vote=agree abstains where the neighbors differ. Every caller predicts none for such
 * a row: one row, rows of data, a stream. */
static void every_caller_abstains(void **state)
{
    static const char *const labels[] = {"a", "b", "c"};
    const uint32_t column[] = {0};

    (void)state;
    for (size_t classes = 2; classes <= 3; classes++) {
        Context *context = new_context(1);
        cleave_options *options = cleave_options_new(context);
        cleave_error error = {0};
        cleave_stream *stream;
        cleave_data *data, *rows;
        cleave_model *model;
        cleave_prediction one;
        char label[16];

        FINE(cleave_options_set(options, "k", "2", &error));
        FINE(cleave_options_set(options, "vote", "agree", &error));
        FINE(cleave_data_new(context, &data, &error));
        FINE(cleave_stream_new(context, "knn", NULL, options, NULL, &stream, &error));
        for (size_t i = 0; i < 2 * classes;
             i++) { /* two points of each class, at 0, 1, 10, 11, 20, 21 */
            float at = (float)(10 * (i / 2) + i % 2);

            FINE(cleave_data_add(data, labels[i / 2], 1, column, &at, &error));
            FINE(cleave_stream_row(stream, labels[i / 2], 1, column, &at, NULL, &error));
        }
        FINE(cleave_train(context, "knn", data, NULL, options, &model, NULL, &error));
        for (int between = 0; between <= 1; between++) {
            float at = between ? 5.5f : 0.5f;
            const char *wanted = between ? "none" : "a";

            FINE(cleave_predict_row(model, 1, column, &at, &one, &error));
            assert_string_equal(one.label, wanted);
            assert_int_equal(one.label_number, between ? SIZE_MAX : 0);
            FINE(cleave_stream_row(stream, NULL, 1, column, &at, &one, &error));
            assert_string_equal(one.label, wanted);
            assert_int_equal(one.label_number, between ? SIZE_MAX : 0);
            FINE(cleave_data_new(context, &rows, &error));
            FINE(cleave_data_add(rows, NULL, 1, column, &at, &error));
            FINE(cleave_predict(model, rows, NULL, take_label, label, &error));
            assert_string_equal(label, wanted);
            cleave_data_free(rows);
        }
        cleave_stream_free(stream);
        cleave_model_free(model);
        cleave_data_free(data);
        cleave_options_free(options);
        cleave_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_predicted),
        cmocka_unit_test(regressions_are_evaluated),
        cmocka_unit_test(many_numbers),
        cmocka_unit_test(numbers_through_the_drivers),
        cmocka_unit_test(figures_of_a_regression),
        cmocka_unit_test(numbers_have_no_classes),
        cmocka_unit_test(every_class_above),
        cmocka_unit_test(probabilities_must_be_known),
        cmocka_unit_test(every_caller_abstains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
