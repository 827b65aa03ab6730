/* Applies a model to data, row by row: predictions, their evaluation, and single rows of the
 * caller. */
#include "data/reservoir.h"
#include "eval/curves.h"
#include "input/input.h"
#include "model/predictor.h"
#include "pipeline/pipeline.h"

#include <stdio.h>

/* ---- options --------------------------------------------------------------------------------- */

typedef struct {
    bool abstain, probabilities, weighted, clip;
    double multilabel_threshold; /* NaN: predict only the best class */
} PredictOptions;

#define CLIP_PARAM                                                                                 \
    FLAG(PredictOptions, clip, "Regression: clip predictions to the range of the training targets.")

static const Param predict_params[] = {
    FLAG(PredictOptions, abstain, "Multiclass: abstain if all scores are negative."),
    FLAG(PredictOptions, probabilities,
         "Print class probabilities, if the model has them (see train --calibrate)."),
    REAL(PredictOptions, multilabel_threshold, (double)NAN, ANY,
         "Multi-label: predict every class with a score above this value.\n"
         "With --probabilities, the value is a probability."),
    CLIP_PARAM,
    END_OF_PARAMS,
};

static const Param test_params[] = {
    FLAG(PredictOptions, abstain, "Multiclass: abstain if all scores are negative."),
    FLAG(PredictOptions, weighted, "Weight each row by its sample weight."),
    CLIP_PARAM,
    END_OF_PARAMS,
};

const cleave_param *cleave_predict_params(void)
{
    return predict_params;
}

const cleave_param *cleave_evaluate_params(void)
{
    return test_params;
}

static bool is_regression(const Model *model)
{
    return model->task == CLEAVE_TASK_REGRESSION;
}

static Status check_options(const PredictOptions *options, const Model *model, cleave_error *error)
{
    const char *flag = options->probabilities                  ? "--probabilities"
                       : !isnan(options->multilabel_threshold) ? "--multilabel-threshold"
                       : options->abstain                      ? "--abstain"
                                                               : NULL;

    if (flag && is_regression(model))
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "omit the option",
            "%s requires a classification model, and this model of '%s' is for regression", flag,
            model->method->name);
    if (options->clip && !is_regression(model))
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "--clip requires a regression model, and this model of '%s' is for classification",
            model->method->name);
    if (options->clip && !clv_model_target_range(model).known)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "train the model again with this version",
                             "--clip: the model does not have the range of its training targets");
    if (options->probabilities && !cleave_model_has_probabilities(model))
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "train the model with --calibrate to get probabilities",
            "--probabilities: this model of '%s' has scores only", model->method->name);
    return OK;
}

/* ---- a pass over data ------------------------------------------------------------------------ */

/* The state of one pass of predictions over data. */
typedef struct {
    const Model *model;
    const cleave_data *data;
    Source *source;
    Source *view; /* view of the data, created here if the data was not opened for the model */
    double *scores;
    size_t capacity;
    /* regression: the numeric value of each label so far; NaN if it is not a number */
    double *numbers;
    size_t number_capacity;
    uint32_t number_count;
    /* Results for the current row. */
    double *probabilities;
    size_t *every;
    Buffer name;
    char text[PREDICTION_TEXT_SIZE];
    const char *unseen[64];
    /* With many classes, a block is processed in slices, so that its scores fit in memory. */
    const Block *whole;
    uint32_t next_row;
    Builder builder;
    Block slice;
    cleave_error *error;
} Walk;

enum { MOST_SCORES = 1 << 21 }; /* limit of the scores of a slice: 16 MB */

static Status begin_walk(Walk *walk, const Model *model, cleave_data *data, cleave_error *error)
{
    *walk = (Walk){.model = model, .data = data, .error = error};
    clv_builder_init(&walk->builder, model->context);
    walk->builder.passing_by = true;
    TRY(clv_data_source(data, &walk->source, error));
    if (data->opened_for == model)
        return OK;
    TRY(clv_view_for(model, walk->source, &walk->view, error));
    walk->source = walk->view;
    return OK;
}

static void end_walk(Walk *walk)
{
    Context *context = walk->model->context;

    clv_source_close(walk->view);
    clv_builder_free(&walk->builder);
    FREE(context, walk->name.data, walk->scores, walk->numbers, walk->probabilities, walk->every);
}

/* Returns the next slice of the current block. */
static Status next_slice(Walk *walk, uint32_t rows, const Block **block)
{
    const Block *whole = walk->whole;
    uint32_t first = walk->next_row;

    clv_builder_clear(&walk->builder);
    for (; walk->next_row < whole->rows && walk->next_row - first < rows; walk->next_row++)
        TRY(clv_builder_copy_row(&walk->builder, whole, walk->next_row,
                                 block_label(whole, walk->next_row), walk->error));
    TRY(clv_builder_finish(&walk->builder, &walk->slice, walk->error));
    walk->slice.first_row = block_row_number(whole, first);
    if (walk->next_row == whole->rows)
        walk->whole = NULL;
    *block = &walk->slice;
    return OK;
}

/* Computes the numeric values of labels that are new since the last block. */
static Status number_labels(Walk *walk)
{
    const Labels *labels = &walk->source->labels;

    if (!is_regression(walk->model))
        return OK;
    TRY(GROW(walk->model->context, walk->numbers, walk->number_capacity, labels->count,
             walk->error));
    for (; walk->number_count < labels->count; walk->number_count++)
        walk->numbers[walk->number_count] = labels->list[walk->number_count].number;
    return OK;
}

/* Returns the next rows, with memory for their scores; NULL at the end. */
static Status next_block(Walk *walk, const char *phase, const Block **block)
{
    Context *context = walk->model->context;
    size_t outputs = outputs_of(walk->model->labels.count);
    uint32_t rows = (uint32_t)(MOST_SCORES / outputs) + 1;

    if (!walk->whole) {
        TRY(source_next(walk->source, block, walk->error));
        if (!*block)
            return OK;
        TRY(number_labels(walk));
        if ((*block)->rows > rows) {
            walk->whole = *block;
            walk->next_row = 0;
        }
    }
    if (walk->whole)
        TRY(next_slice(walk, rows, block));
    clv_progress(context, &(cleave_progress){.phase = phase,
                                             .rows = walk->source->rows,
                                             .rows_total = walk->source->rows_total,
                                             .bytes = walk->source->bytes,
                                             .bytes_total = walk->source->bytes_total});
    if (clv_cancelled(context))
        return clv_fail(walk->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    return GROW(context, walk->scores, walk->capacity, (*block)->rows * outputs, walk->error);
}

/* Computes the scores of a block. clip: limits them to the range of the training targets. */
static Status score_block(const Walk *walk, const Block *block, bool clip)
{
    TargetRange range;

    TRY(walk->model->method->inference->predict(walk->model, block, walk->scores, walk->error));
    if (!clip)
        return OK;
    range = clv_model_target_range(walk->model);
    for (uint32_t row = 0; row < block->rows; row++)
        walk->scores[row] = fmin(fmax(walk->scores[row], range.low), range.high);
    return OK;
}

/* ---- predicting ------------------------------------------------------------------------------ */

static Status make_room(Walk *walk, const PredictOptions *options)
{
    Context *context = walk->model->context;
    size_t classes = walk->model->labels.count;

    if (options->probabilities)
        walk->probabilities = clv_alloc(context, classes, sizeof *walk->probabilities);
    if (!isnan(options->multilabel_threshold))
        walk->every = clv_alloc(context, classes, sizeof *walk->every);
    if ((options->probabilities && !walk->probabilities) ||
        (!isnan(options->multilabel_threshold) && !walk->every))
        return clv_fail_memory(walk->error, "a prediction", classes * sizeof(double));
    return OK;
}

static void fill(Walk *walk, const Block *block, uint32_t row, const DecisionRule *rule,
                 double every_above, cleave_prediction *prediction)
{
    const double *scores = walk->scores + (size_t)row * rule->outputs;

    clv_prediction_decide(rule, scores, walk->text, prediction);
    prediction->row = block_row_number(block, row) + 1;
    clv_prediction_given(prediction, &walk->source->labels, block_label(block, row));
    if (rule->regression)
        prediction->true_value = block_number(block, row, walk->numbers);
    if (walk->probabilities && clv_model_probabilities(walk->model, scores, walk->probabilities))
        prediction->probabilities = walk->probabilities;
    if (walk->every)
        clv_prediction_every(rule, every_above, walk->every, prediction);
}

/* Counts columns whose category is not in the training data. Row numbers of the slices of a block
 * are consecutive. */
static void fill_unseen(Walk *walk, const Block *block, uint32_t row, cleave_prediction *prediction)
{
    uint32_t first = block == &walk->slice ? walk->next_row - block->rows : 0;
    uint64_t marks = walk->source->unseen ? walk->source->unseen[first + row] : 0;

    for (; marks; marks &= marks - 1)
        walk->unseen[prediction->unseen_count++] = walk->source
                                                       ->unseen_column[__builtin_ctzll(marks)];
    prediction->unseen = walk->unseen;
}

/* Sets the name of the row in the data; for a document, its file. */
static Status fill_name(Walk *walk, const Block *block, uint32_t row, cleave_prediction *prediction)
{
    Context *context = walk->model->context;
    uint32_t start = row ? block->name_end[row - 1] : 0;

    walk->name.size = 0;
    TRY(clv_buffer_add(context, &walk->name, block->name + start, block->name_end[row] - start,
                       walk->error));
    TRY(clv_buffer_add(context, &walk->name, "", 1, walk->error));
    prediction->name = walk->name.data;
    return OK;
}

/* Warns of labels that are not classes of the model. Their numbers follow those of its classes. */
static void warn_labels(const Walk *walk)
{
    const Labels *labels = &walk->source->labels;
    uint32_t classes = walk->model->labels.count;
    uint64_t lines = 0;

    for (uint32_t i = classes; i < labels->count; i++)
        lines += labels->list[i].count;
    clv_data_warn_labels(walk->data, lines, lines ? labels->list[classes].text : "");
}

static Status predict_all(Walk *walk, const PredictOptions *options,
                          cleave_predict_callback callback, void *user)
{
    DecisionRule rule = clv_model_rule(walk->model, options->abstain);

    TRY(make_room(walk, options));
    for (;;) {
        const Block *block;

        TRY(next_block(walk, "predict", &block));
        if (!block)
            return OK;
        TRY(score_block(walk, block, options->clip));
        for (uint32_t row = 0; row < block->rows; row++) {
            cleave_prediction prediction;

            fill(walk, block, row, &rule, options->multilabel_threshold, &prediction);
            fill_unseen(walk, block, row, &prediction);
            if (block->name_end)
                TRY(fill_name(walk, block, row, &prediction));
            TRY(callback(user, &prediction, walk->error));
        }
    }
}

cleave_code cleave_predict(const cleave_model *model, cleave_data *data,
                           const cleave_options *options, cleave_predict_callback callback,
                           void *user, cleave_error *error)
{
    REQUIRE(model && data && callback);
    PredictOptions given;
    Walk walk;
    Status status;

    TRY(clv_params_apply(options, predict_params, &given, NULL, NULL, error));
    TRY(check_options(&given, model, error));
    clv_data_ignore_labels(data);
    status = begin_walk(&walk, model, data, error);
    THEN(status, predict_all(&walk, &given, callback, user));
    if (status == OK)
        warn_labels(&walk);
    end_walk(&walk);
    return status;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Fails if a label of a regression is not a number. */
static Status refuse_words(const Walk *walk, uint32_t from)
{
    const Labels *labels = &walk->source->labels;
    char quoted[QUOTE_SIZE], place[32] = "";

    for (uint32_t i = from; i < walk->number_count; i++) {
        const Label *label = &labels->list[i];
        const char *file = label->first_file < walk->data->path_count
                               ? walk->data->paths[label->first_file]
                               : "data";

        if (!isnan(label->number))
            continue;
        if (label->first_line)
            snprintf(place, sizeof place, ":%llu", (unsigned long long)label->first_line);
        return clv_fail_hint(
            walk->error, CLEAVE_ERROR_DATA,
            "check the column of --label; '?' marks a row without a label",
            "%s%s: the label of the regression method '%s' must be a number, not '%s'",
            strcmp(file, "-") == 0 ? "standard input" : file, place, walk->model->method->name,
            clv_quote(quoted, label->text, strlen(label->text)));
    }
    return OK;
}

/* number of rows with a second, exact search, to compute the recall of approximate nearest
 * neighbors */
enum { RECALL_ROWS = 200 };

/* asked: the recall of these queries; NULL if it is not needed. */
static Status evaluate_blocks(Walk *walk, Tally *tally, bool clip, Reservoir *asked,
                              double *predict_seconds)
{
    for (;;) {
        const Block *block;
        uint32_t known = walk->number_count;
        double started;

        TRY(next_block(walk, "test", &block));
        if (!block)
            return OK;
        TRY(refuse_words(walk, known));
        started = clv_now();
        TRY(score_block(walk, block, clip));
        *predict_seconds += clv_now() - started;
        TRY(clv_tally_block(tally, block, walk->numbers, walk->scores, walk->error));
        if (asked)
            TRY(clv_reservoir_look(asked, block, walk->error));
    }
}

static Status measure_recall(const Model *model, Reservoir *asked, cleave_evaluation *facts,
                             cleave_error *error)
{
    uint64_t found, there;
    Block rows;

    TRY(clv_reservoir_rows(asked, &rows, error));
    TRY(model->method->inference->recall(model, &rows, &found, &there, error));
    if (there > 0) {
        facts->recall = (double)found / (double)there;
        facts->recall_rows = rows.rows;
    }
    return OK;
}

/* The memory that cleave_evaluation_details_free frees. */
typedef struct {
    cleave_evaluation_details facts; /* first member, because the caller has its address */
    const Model *model;              /* referenced because of its labels */
    Tally tally;
} Details;

static Status evaluate_data(const Model *model, cleave_data *data, Tally *tally, bool clip,
                            cleave_evaluation *facts, cleave_error *error)
{
    double started = clv_now();
    Reservoir asked = {0};
    Walk walk;
    Status status = begin_walk(&walk, model, data, error);

    facts->recall = (double)NAN;
    if (model->method->inference->recall)
        clv_reservoir_init(&asked, model->context, RECALL_ROWS, model->seed);
    THEN(status, evaluate_blocks(&walk, tally, clip, asked.context ? &asked : NULL,
                                 &facts->predict_seconds));
    end_walk(&walk);
    facts->read_seconds = clv_now() - started - facts->predict_seconds;
    if (status == OK && asked.seen)
        status = measure_recall(model, &asked, facts, error);
    clv_reservoir_free(&asked);
    return status;
}

/* Evaluates a model. pictures: NULL if not needed. */
static Status evaluate(const Model *model, cleave_data *data, const PredictOptions *given,
                       Tally *tally, Pictures *pictures, cleave_evaluation *facts,
                       cleave_error *error)
{
    TRY(clv_tally_begin(tally, model, given->abstain, given->weighted, error));
    TRY(evaluate_data(model, data, tally, given->clip, facts, error));
    if (pictures)
        TRY(clv_pictures_make(pictures, tally, error));
    return clv_tally_end(tally, facts, error);
}

static Status read_test_options(const cleave_options *options, const Model *model,
                                PredictOptions *given, cleave_error *error)
{
    *given = (PredictOptions){.multilabel_threshold = (double)NAN};
    TRY(clv_params_apply(options, test_params, given, NULL, NULL, error));
    return check_options(given, model, error);
}

cleave_code cleave_evaluate(const cleave_model *model, cleave_data *data,
                            const cleave_options *options, cleave_evaluation *evaluation,
                            cleave_error *error)
{
    REQUIRE(model && data && evaluation);
    cleave_evaluation facts = {0};
    PredictOptions given;
    Tally tally = {0};
    Status status;

    TRY(clv_take_sized(&facts, sizeof facts, evaluation, "cleave_evaluation", error));
    TRY(read_test_options(options, model, &given, error));
    facts = (cleave_evaluation){0};
    status = evaluate(model, data, &given, &tally, NULL, &facts, error);
    clv_tally_free(&tally);
    clv_give_sized(evaluation, &facts, sizeof facts);
    return status;
}

static cleave_evaluation_details details_of(const Tally *tally)
{
    bool classes = !is_regression(tally->model);

    return (cleave_evaluation_details){
        .class_count = classes ? tally->model->labels.count : 0,
        .classes = tally->classes,
        .confusion = tally->confusion,
        .positive = classes && tally->model->labels.count <= 2 ? tally->model->positive : SIZE_MAX,
        .threshold_count = tally->threshold_count,
        .thresholds = tally->thresholds,
    };
}

static Status evaluate_in_detail(const Model *model, cleave_data *data,
                                 const cleave_options *options, Pictures *pictures,
                                 cleave_evaluation *evaluation, cleave_evaluation_details **details,
                                 cleave_error *error)
{
    cleave_evaluation facts;
    PredictOptions given;
    Details *made;
    Status status;

    *details = NULL;
    TRY(clv_take_sized(&facts, sizeof facts, evaluation, "cleave_evaluation", error));
    facts = (cleave_evaluation){0};
    TRY(read_test_options(options, model, &given, error));
    TRY(ALLOC_ZERO(model->context, made, 1, "metrics", error));
    made->tally.context = model->context;
    made->model = clv_model_keep(model);
    status = evaluate(model, data, &given, &made->tally, pictures, &facts, error);
    clv_give_sized(evaluation, &facts, sizeof facts);
    made->facts = details_of(&made->tally);
    if (status == OK)
        *details = &made->facts;
    else
        cleave_evaluation_details_free(&made->facts);
    return status;
}

cleave_code cleave_evaluate_details(const cleave_model *model, cleave_data *data,
                                    const cleave_options *options, cleave_evaluation *facts,
                                    cleave_evaluation_details **details, cleave_error *error)
{
    REQUIRE(model && data && facts && details);
    return evaluate_in_detail(model, data, options, NULL, facts, details, error);
}

cleave_code cleave_evaluate_plots(const cleave_model *model, cleave_data *data,
                                  const cleave_options *options, cleave_evaluation *facts,
                                  cleave_evaluation_details **details,
                                  cleave_evaluation_plots **pictures, cleave_error *error)
{
    REQUIRE(model && data && facts && details && pictures);
    Pictures *made;
    Status status;

    *pictures = NULL;
    *details = NULL;
    TRY(ALLOC_ZERO(model->context, made, 1, "pictures", error));
    made->context = model->context;
    status = evaluate_in_detail(model, data, options, made, facts, details, error);
    if (status == OK)
        *pictures = &made->facts;
    else
        cleave_evaluation_plots_free(&made->facts);
    return status;
}

void cleave_evaluation_details_free(cleave_evaluation_details *details)
{
    Details *made = (Details *)details;
    const Model *model = made ? made->model : NULL;

    if (!made)
        return;
    clv_tally_free(&made->tally);
    clv_free(made->tally.context, made);
    clv_model_drop(model);
}

void cleave_evaluation_plots_free(cleave_evaluation_plots *pictures)
{
    Pictures *made = (Pictures *)pictures;

    if (!made)
        return;
    clv_pictures_free(made);
    clv_free(made->context, made);
}

/* ---- one row --------------------------------------------------------------------------------- */

cleave_code cleave_predict_row(const cleave_model *model, size_t count, const uint32_t *indexes,
                               const float *values, cleave_prediction *prediction,
                               cleave_error *error)
{
    REQUIRE(model && (indexes || count == 0) && (values || count == 0) && prediction);
    return clv_predictors_row(model->predictors, model, count, indexes, values, prediction, error);
}
