#include "api/data.h"
#include "data/remap.h"
#include "run/judge.h"

typedef struct {
    bool none;
} PredictOptions;

static const Param predict_params[] = {
    FLAG(PredictOptions, none, "more than two classes: answer none where no score is at least 0"),
    END_OF_PARAMS,
};

const cleave_param *cleave_predict_params(void)
{
    return predict_params;
}

/* One walk of a model over data. */
typedef struct {
    const Model *model;
    Source *source;
    Source *view; /* made here, when the data was not opened for the model */
    double *scores;
    size_t capacity;
    /* Where classes are many, a block is walked in slices, so that its scores stay small. */
    const Block *whole;
    uint32_t next_row;
    Builder builder;
    Block slice;
    cleave_error *error;
} Walk;

enum { MOST_SCORES = 1 << 21 }; /* at once: 16 MB */

static Status begin_walk(Walk *walk, const Model *model, cleave_data *data, cleave_error *error)
{
    *walk = (Walk){.model = model, .error = error};
    clv_builder_init(&walk->builder, model->context);
    walk->builder.passing_by = true;
    TRY(clv_data_source(data, &walk->source, error));
    if (data->opened_for == model)
        return OK;
    TRY(clv_remap_source(walk->source, false, &model->labels, &model->names, model->features, &walk->view, error));
    walk->source = walk->view;
    return OK;
}

static void end_walk(Walk *walk)
{
    clv_source_close(walk->view);
    clv_builder_free(&walk->builder);
    clv_free(walk->model->context, walk->scores);
}

/* The next rows of the block under way. */
static Status next_slice(Walk *walk, uint32_t rows, const Block **block)
{
    const Block *whole = walk->whole;
    uint32_t first = walk->next_row;

    clv_builder_clear(&walk->builder);
    for (; walk->next_row < whole->rows && walk->next_row - first < rows; walk->next_row++)
        TRY(clv_builder_copy_row(&walk->builder, whole, walk->next_row, block_label(whole, walk->next_row),
                                 walk->error));
    TRY(clv_builder_finish(&walk->builder, &walk->slice, walk->error));
    walk->slice.first_row = block_row_number(whole, first);
    if (walk->next_row == whole->rows)
        walk->whole = NULL;
    *block = &walk->slice;
    return OK;
}

/* The next rows, with room for their scores; NULL at the end. */
static Status next_block(Walk *walk, const char *phase, const Block **block)
{
    Context *context = walk->model->context;
    size_t outputs = outputs_of(walk->model->labels.count);
    uint32_t rows = (uint32_t)(MOST_SCORES / outputs) + 1;

    if (!walk->whole) {
        TRY(source_next(walk->source, block, walk->error));
        if (!*block)
            return OK;
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

/* ---- predicting --------------------------------------------------------------------------------------------------- */

static void fill_prediction(const Walk *walk, const Block *block, uint32_t row, bool allow_none,
                            cleave_prediction *prediction)
{
    const Model *model = walk->model;
    const Labels *labels = &walk->source->labels;
    size_t outputs = outputs_of(model->labels.count);
    const double *scores = walk->scores + (size_t)row * outputs;
    uint32_t answer = clv_model_decide(model, scores, allow_none), given = block_label(block, row);

    *prediction = (cleave_prediction){
        .row = block_row_number(block, row) + 1,
        .label = answer == UNLABELLED ? "none" : model->labels.list[answer].text,
        .label_number = answer == UNLABELLED ? SIZE_MAX : answer,
        .given = given == UNLABELLED ? NULL : labels->list[given].text,
        .correct = given != UNLABELLED && given == answer,
        .score_count = outputs,
        .scores = scores,
    };
}

static Status predict_all(Walk *walk, bool allow_none, cleave_predict_callback callback, void *user)
{
    for (;;) {
        const Block *block;

        TRY(next_block(walk, "predict", &block));
        if (!block)
            return OK;
        TRY(walk->model->method->predict(walk->model, block, walk->scores, walk->error));
        for (uint32_t row = 0; row < block->rows; row++) {
            cleave_prediction prediction;

            fill_prediction(walk, block, row, allow_none, &prediction);
            TRY(callback(user, &prediction, walk->error));
        }
    }
}

cleave_code cleave_predict(const cleave_model *model, cleave_data *data, const cleave_options *options,
                           cleave_predict_callback callback, void *user, cleave_error *error)
{
    PredictOptions given;
    Walk walk;
    Status status;

    TRY(clv_params_apply(options, predict_params, &given, NULL, NULL, error));
    status = begin_walk(&walk, model, data, error);
    if (status == OK)
        status = predict_all(&walk, given.none, callback, user);
    end_walk(&walk);
    return status;
}

/* ---- judging ------------------------------------------------------------------------------------------------------ */

static Status judge_all(Walk *walk, bool allow_none, Judgement *judgement, double *predict_seconds)
{
    for (;;) {
        const Block *block;
        double started;

        TRY(next_block(walk, "test", &block));
        if (!block)
            return OK;
        started = clv_now();
        TRY(clv_judge_block(walk->model, block, NULL, allow_none, walk->scores, judgement, walk->error));
        *predict_seconds += clv_now() - started;
    }
}

cleave_code cleave_test(const cleave_model *model, cleave_data *data, const cleave_options *options,
                        cleave_judgement *facts, cleave_error *error)
{
    PredictOptions given;
    Judgement judgement = {0};
    double started = clv_now(), predict_seconds = 0;
    Walk walk;
    Status status;

    *facts = (cleave_judgement){0};
    TRY(clv_params_apply(options, predict_params, &given, NULL, NULL, error));
    status = begin_walk(&walk, model, data, error);
    if (status == OK)
        status = judge_all(&walk, given.none, &judgement, &predict_seconds);
    end_walk(&walk);
    TRY(status);
    *facts = (cleave_judgement){
        .n = judgement.n,
        .unlabelled = judgement.unlabelled,
        .errors = judgement.errors,
        .none = judgement.none,
        .unseen_label = judgement.unseen_label,
        .read_seconds = clv_now() - started - predict_seconds,
        .predict_seconds = predict_seconds,
    };
    return OK;
}

/* ---- one row ------------------------------------------------------------------------------------------------------ */

static Status predict_built(cleave_model *model, Builder *builder, size_t count, const uint32_t *indexes,
                            const float *values, cleave_error *error)
{
    Block block;

    clv_builder_begin_row(builder);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]) || (i > 0 && indexes[i] <= indexes[i - 1]))
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "entry %zu of the row: indexes must increase and values be finite", i);
        if (indexes[i] < model->features)
            TRY(clv_builder_add(builder, indexes[i], values[i], error));
    }
    TRY(clv_builder_end_row(builder, UNLABELLED, error));
    TRY(clv_builder_finish(builder, &block, error));
    return model->method->predict(model, &block, model->row_scores, error);
}

cleave_code cleave_predict_row(cleave_model *model, size_t count, const uint32_t *indexes, const float *values,
                               cleave_prediction *prediction, cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count);
    uint32_t answer;
    Builder builder;
    Status status;

    if (!model->row_scores)
        model->row_scores = clv_alloc_zero(model->context, outputs, sizeof *model->row_scores);
    if (!model->row_scores)
        return clv_fail_memory(error, "scores", outputs * sizeof *model->row_scores);
    clv_builder_init(&builder, model->context);
    clv_builder_clear(&builder);
    status = predict_built(model, &builder, count, indexes, values, error);
    clv_builder_free(&builder);
    TRY(status);
    answer = clv_model_decide(model, model->row_scores, false);
    *prediction = (cleave_prediction){
        .row = 1,
        .label = model->labels.list[answer].text,
        .label_number = answer,
        .score_count = outputs,
        .scores = model->row_scores,
    };
    return OK;
}
