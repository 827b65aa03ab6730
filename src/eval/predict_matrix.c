/*
 * Predictions from the caller's memory into the caller's memory. A predictor is the scratch space
 * of one thread; the model is shared.
 *
 * A dense row is used in place if its columns are the inputs of the model. Otherwise its values
 * move to a row of the model's width: columns of a table to their features, NaN to the feature
 * `column=?`.
 */
#include "base/number.h"
#include "data/builder.h"
#include "input/input.h"
#include "input/matrix.h"
#include "model/predictor.h"

enum { ROWS_AT_ONCE = 64 };

struct cleave_predictor {
    Predictor inner;
    MatrixRow row;
    /* Layout of dense matrices with this number of columns: for each column its input and its
     * missing-value indicator; NO_COLUMN: none. */
    size_t columns;
    bool in_place; /* column i is input i, and no column has an indicator */
    uint32_t *input, *mark;
    size_t input_capacity, mark_capacity;
    float *values, *given; /* a row of inputs; a row of columns */
    size_t value_capacity, given_capacity;
    double *scores;
};

cleave_code cleave_predictor_new(const cleave_model *model, cleave_predictor **predictor,
                                 cleave_error *error)
{
    REQUIRE(model && predictor);
    Context *context = model->context;
    cleave_predictor *made;
    Status status;

    *predictor = NULL;
    TRY(ALLOC_ZERO(context, made, 1, "a predictor", error));
    made->row.context = context;
    made->columns = SIZE_MAX;
    status = clv_predictor_init(&made->inner, clv_model_keep(model), error);
    if (status == OK) {
        made->scores = clv_alloc(context, ROWS_AT_ONCE * made->inner.rule.outputs,
                                 sizeof *made->scores);
        if (!made->scores)
            status = clv_fail_memory(error, "scores",
                                     ROWS_AT_ONCE * made->inner.rule.outputs * sizeof(double));
    }
    if (status != OK) {
        cleave_predictor_free(made);
        return status;
    }
    *predictor = made;
    return OK;
}

void cleave_predictor_free(cleave_predictor *predictor)
{
    const Model *model;
    Context *context;

    if (!predictor)
        return;
    model = predictor->inner.model;
    context = model->context;
    clv_predictor_free(&predictor->inner);
    clv_matrix_row_free(&predictor->row);
    FREE(context, predictor->input, predictor->mark, predictor->values, predictor->given,
         predictor->scores, predictor);
    clv_model_drop(model);
}

size_t cleave_model_score_count(const cleave_model *model)
{
    return outputs_of(model->labels.count);
}

/* ---- columns --------------------------------------------------------------------------------- */

static Status find_mark(const Names *names, const char *title, Buffer *name, uint32_t *mark,
                        cleave_error *error)
{
    name->size = 0;
    TRY(clv_buffer_add(names->context, name, title, strlen(title), error));
    TRY(clv_buffer_add(names->context, name, "=?", 2, error));
    *mark = clv_names_find(names, name->data, name->size);
    return OK;
}

/* Maps the columns of a table to its features, in their order. */
static Status map_table(cleave_predictor *predictor, size_t columns, cleave_error *error)
{
    const Model *model = predictor->inner.model;
    const Names *names = clv_model_inputs(model);
    Buffer name = {0};
    Status status = OK;
    size_t at = 0;

    for (uint32_t i = 0; i < model->schema.count && status == OK; i++) {
        const Column *column = &model->schema.column[i];

        if (!column_is_feature(column->kind))
            continue;
        if (column->kind != COLUMN_NUMBER) {
            status = clv_fail(error, CLEAVE_ERROR_USAGE,
                              "column '%s' of the model has the type '%s' and is not numeric",
                              column->name, clv_column_kinds[column->kind]);
            clv_hint(error, CLEAVE_ERROR_USAGE,
                     "pass a file or an Arrow table, whose columns have names");
        } else if (at < columns) {
            predictor->input[at] = clv_names_find(names, column->name, strlen(column->name));
            status = find_mark(names, column->name, &name, &predictor->mark[at++], error);
        } else {
            at++;
        }
    }
    clv_free(names->context, name.data);
    if (status == OK && at != columns)
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected %zu columns, found %zu", at, columns);
    return status;
}

static Status map_columns(cleave_predictor *predictor, size_t columns, cleave_error *error)
{
    const Model *model = predictor->inner.model;
    const Names *names = clv_model_inputs(model);
    uint32_t inputs = clv_model_input_count(model);
    bool compact = clv_schema_is_numbered(&model->schema) && !names->implicit;

    TRY(GROW(model->context, predictor->input, predictor->input_capacity, columns, error));
    TRY(GROW(model->context, predictor->mark, predictor->mark_capacity, columns, error));
    TRY(GROW(model->context, predictor->given, predictor->given_capacity, columns, error));
    TRY(GROW(model->context, predictor->values, predictor->value_capacity, inputs, error));
    if (clv_schema_is_table(&model->schema)) {
        TRY(map_table(predictor, columns, error));
    } else {
        for (size_t i = 0; i < columns; i++) {
            predictor->input[i] = compact ? clv_names_find_number(names, (uint64_t)i + names->first)
                                  : i < inputs ? (uint32_t)i
                                               : NO_COLUMN;
            predictor->mark[i] = NO_COLUMN;
        }
    }
    predictor->in_place = columns <= inputs;
    for (size_t i = 0; i < columns; i++)
        predictor->in_place &= predictor->input[i] == i && predictor->mark[i] == NO_COLUMN;
    predictor->columns = columns;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status refuse_missing(size_t row, size_t column, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "impute the value, or train on rows with missing values",
        "row %zu, column %zu: the value is missing, and the training set has no missing values "
        "in this column",
        row, column);
}

/* Moves the values of a row to predictor->values, as inputs of the model. */
static Status move_row(cleave_predictor *predictor, const cleave_matrix *matrix, size_t row,
                       cleave_error *error)
{
    uint32_t inputs = clv_model_input_count(predictor->inner.model);

    TRY(clv_matrix_dense_row(matrix, row, predictor->given, error));
    memset(predictor->values, 0, inputs * sizeof *predictor->values);
    for (size_t i = 0; i < matrix->columns; i++) {
        float value = predictor->given[i];

        if (isnan(value)) {
            if (predictor->mark[i] == NO_COLUMN)
                return refuse_missing(row, i, error);
            predictor->values[predictor->mark[i]] = 1;
        } else if (predictor->input[i] != NO_COLUMN) {
            predictor->values[predictor->input[i]] = value;
        }
    }
    return OK;
}

static Status refuse_value(const cleave_matrix *matrix, const float *values, size_t first,
                           cleave_error *error)
{
    size_t i = 0;

    while (isfinite(values[i]))
        i++;
    if (isnan(values[i]))
        return refuse_missing(first + i / matrix->columns, i % matrix->columns, error);
    return clv_matrix_refuse(first + i / matrix->columns, i % matrix->columns, (double)values[i],
                             error);
}

static Block dense_block(const float *values, size_t rows, size_t columns)
{
    return (Block){.rows = (uint32_t)rows,
                   .features = (uint32_t)columns,
                   .form = ROWS_DENSE,
                   .value_form = VALUES_EACH,
                   .value = values};
}

/* Takes the next rows as a block of inputs of the model. */
static Status take_rows(cleave_predictor *predictor, const cleave_matrix *matrix, bool in_place,
                        size_t first, Block *block, cleave_error *error)
{
    size_t left = matrix->rows - first, rows = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;

    if (!matrix_is_dense(matrix)) {
        TRY(clv_matrix_sparse_row(matrix, first, &predictor->row, error));
        return clv_predictor_build(&predictor->inner, predictor->row.count, predictor->row.column,
                                   predictor->row.value, block, error);
    }
    if (in_place) {
        const float *values = (const float *)matrix->values + first * matrix->columns;

        *block = dense_block(values, rows, matrix->columns);
        return all_finite(values, rows * matrix->columns)
                   ? OK
                   : refuse_value(matrix, values, first, error);
    }
    TRY(move_row(predictor, matrix, first, error));
    *block = dense_block(predictor->values, 1, clv_model_input_count(predictor->inner.model));
    return OK;
}

/* Writes the predictions of rows from their scores. */
static Status give(cleave_predictor *predictor, size_t first, size_t rows, const double *scores,
                   const cleave_predictions *to, cleave_error *error)
{
    const DecisionRule *rule = &predictor->inner.rule;
    const Model *model = predictor->inner.model;

    if (to->scores)
        memcpy(to->scores + first * rule->outputs, scores, rows * rule->outputs * sizeof *scores);
    for (size_t i = 0; i < rows; i++, scores += rule->outputs) {
        if (to->labels) {
            uint32_t label = rule->regression ? UNLABELED : clv_decide(rule, scores);

            to->labels[first + i] = label == UNLABELED ? -1 : (int64_t)label;
        }
        if (to->probabilities &&
            !clv_model_probabilities(model, scores,
                                     to->probabilities + (first + i) * model->labels.count))
            return clv_fail(error, CLEAVE_ERROR_USAGE, "the model has no probabilities");
    }
    return OK;
}

static Status take_predictions(const cleave_predictor *predictor, const cleave_predictions *given,
                               cleave_predictions *own, cleave_error *error)
{
    TRY(clv_take_sized(own, sizeof *own, given, "cleave_predictions", error));
    if (own->probabilities && !cleave_model_has_probabilities(predictor->inner.model))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "train the model with the option 'calibrate'",
                             "the model has no probabilities");
    return OK;
}

cleave_code cleave_predict_matrix(cleave_predictor *predictor, const cleave_matrix *matrix,
                                  const cleave_predictions *predictions, cleave_error *error)
{
    REQUIRE(predictor && matrix && predictions);
    cleave_predictions to;
    cleave_matrix own;
    size_t next_poll = ROWS_AT_ONCE;
    bool in_place;

    TRY(clv_matrix_take(matrix, &own, error));
    TRY(take_predictions(predictor, predictions, &to, error));
    if (matrix_is_dense(&own) && own.columns != predictor->columns)
        TRY(map_columns(predictor, own.columns, error));
    in_place = matrix_is_dense(&own) && predictor->in_place && clv_matrix_in_place(&own);
    for (size_t first = 0; first < own.rows;) {
        Block block;

        if (first >= next_poll) {
            TRY(clv_poll(predictor->inner.model->context, error));
            next_poll = first + ROWS_AT_ONCE;
        }
        TRY(take_rows(predictor, &own, in_place, first, &block, error));
        TRY(clv_predictor_scores(&predictor->inner, &block, predictor->scores, error));
        TRY(give(predictor, first, block.rows, predictor->scores, &to, error));
        first += block.rows;
    }
    return OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static Status predict_source(cleave_predictor *predictor, Source *source,
                             const cleave_predictions *to, cleave_error *error)
{
    size_t outputs = predictor->inner.rule.outputs, capacity = 0, first = 0;
    const Model *model = predictor->inner.model;
    double *scores = NULL;
    const Block *block;
    Status status;

    while ((status = source_next(source, &block, error)) == OK && block) {
        status = GROW(model->context, scores, capacity, block->rows * outputs, error);
        THEN(status, model->method->inference->predict(model, block, scores, error));
        THEN(status, give(predictor, first, block->rows, scores, to, error));
        THEN(status, clv_poll(model->context, error));
        if (status != OK)
            break;
        first += block->rows;
    }
    clv_free(model->context, scores);
    return status;
}

cleave_code cleave_predict_texts(cleave_predictor *predictor, const char *const *texts,
                                 const size_t *lengths, size_t count,
                                 const cleave_predictions *predictions, cleave_error *error)
{
    REQUIRE(predictor && (texts || count == 0) && predictions);
    const Model *model = predictor->inner.model;
    cleave_rows rows = {.size = sizeof rows, .model = model};
    cleave_predictions to;
    cleave_data *data;
    Source *source;
    Status status;

    TRY(take_predictions(predictor, predictions, &to, error));
    if (count == 0)
        return OK;
    TRY(cleave_data_from_texts(model->context, texts, lengths, count, &rows, NULL, &data, error));
    clv_data_ignore_labels(data);
    status = clv_data_source(data, &source, error);
    THEN(status, predict_source(predictor, source, &to, error));
    cleave_data_free(data);
    return status;
}
