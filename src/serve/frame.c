/* Converts columns of JSON to rows, and computes predictions for rows in memory. */
#include "serve/server_parts.h"

#include "base/number.h"
#include "data/schema.h"

void clv_frame_free(ServeFrame *frame)
{
    Context *context = frame->model->context;

    for (size_t i = 0; i < frame->column_count; i++)
        clv_free(context, frame->columns[i].name);
    FREE(context, frame->values.data, frame->cells, frame->columns);
    *frame = (ServeFrame){.model = frame->model};
}

static Status add_value(ServeFrame *frame, const JsonToken *token, cleave_error *error)
{
    ServeCell *cell;

    TRY(GROW(frame->model->context, frame->cells, frame->cell_capacity, frame->cell_count + 1,
             error));
    cell = &frame->cells[frame->cell_count++];
    cell->from = frame->values.size;
    TRY(clv_json_value(frame->model, token, &frame->values, error));
    cell->size = frame->values.size - cell->from;
    return OK;
}

Status clv_frame_values(ServeFrame *frame, JsonReader *json, const JsonToken *first, size_t *count,
                        cleave_error *error)
{
    unsigned depth = json->depth;
    JsonToken token = *first;

    *count = frame->cell_count;
    if (token.type != JSON_ARRAY) {
        TRY(add_value(frame, &token, error));
    } else {
        while (json->depth >= depth) {
            TRY(clv_json_next(json, &token, error));
            if (token.type == JSON_OBJECT)
                return clv_json_fail(json, "a value or an array", error);
            if (token.type != JSON_ARRAY && token.type != JSON_ARRAY_END)
                TRY(add_value(frame, &token, error));
        }
    }
    *count = frame->cell_count - *count;
    return OK;
}

Status clv_frame_column(ServeFrame *frame, const char *name, size_t length, size_t first,
                        size_t stride, cleave_error *error)
{
    Context *context = frame->model->context;
    FrameColumn *column;

    TRY(GROW(context, frame->columns, frame->column_capacity, frame->column_count + 1, error));
    column = &frame->columns[frame->column_count];
    *column = (FrameColumn){.first = first, .stride = stride};
    if (name) {
        column->name = clv_copy_string(context, name, length);
        if (!column->name)
            return clv_fail_memory(error, "a column", length);
    }
    frame->column_count++;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status put_cell(const ServeFrame *frame, const FrameColumn *column, size_t row, Buffer *to,
                       cleave_error *error)
{
    const ServeCell *cell = &frame->cells[column->first + row * column->stride];

    return clv_buffer_add(frame->model->context, to, frame->values.data + cell->from, cell->size,
                          error);
}

/* Returns the column of the frame for a feature column, by position if the frame has no names. */
static Status find_column(const ServeFrame *frame, const char *name, size_t number,
                          const FrameColumn **found, cleave_error *error)
{
    *found = NULL;
    for (size_t i = 0; i < frame->column_count; i++) {
        const FrameColumn *column = &frame->columns[i];

        if (column->name ? strcmp(column->name, name) != 0 : i != number)
            continue;
        if (*found)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the column '%s' occurs twice in the request",
                            name);
        *found = column;
    }
    return *found ? OK
                  : clv_fail(error, CLEAVE_ERROR_DATA, "the column '%s' is missing in the request",
                             name);
}

static Status write_table(const ServeFrame *frame, Buffer *to, cleave_error *error)
{
    const Schema *schema = &frame->model->schema;
    Context *context = frame->model->context;
    const FrameColumn **columns;
    Status status = OK;
    size_t count = 0;

    TRY(ALLOC(context, columns, schema->count, "columns", error));
    for (uint32_t i = 0; i < schema->count && status == OK; i++)
        if (column_is_feature(schema->column[i].kind)) {
            status = find_column(frame, schema->column[i].name, count, &columns[count], error);
            count++;
        }
    if (status == OK && frame->column_count > count && !frame->columns[0].name)
        status = clv_fail(error, CLEAVE_ERROR_DATA, "expected %zu columns, found %zu", count,
                          frame->column_count);
    THEN(status, clv_json_header(frame->model, false, to, error));
    for (size_t row = 0; row < frame->rows && status == OK; row++)
        for (size_t i = 0; i < count && status == OK; i++) {
            status = put_cell(frame, columns[i], row, to, error);
            THEN(status, clv_buffer_add(context, to, i + 1 < count ? "," : "\n", 1, error));
        }
    clv_free(context, columns);
    return status;
}

static Status write_texts(const ServeFrame *frame, Buffer *to, cleave_error *error)
{
    if (frame->column_count != 1)
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected one column of text, found %zu",
                        frame->column_count);
    for (size_t row = 0; row < frame->rows; row++) {
        const ServeCell *cell =
            &frame->cells[frame->columns[0].first + row * frame->columns[0].stride];

        TRY(clv_text_row(frame->model->context, frame->values.data + cell->from, cell->size, to,
                         error));
    }
    return OK;
}

/* Writes the rows of numbered features. Columns without names are matched by position. */
static Status write_numbered(const ServeFrame *frame, Buffer *to, cleave_error *error)
{
    const Names *names = clv_model_inputs(frame->model);
    Context *context = frame->model->context;
    const uint64_t first = names->implicit ? names->first : 1;

    for (size_t row = 0; row < frame->rows; row++) {
        TRY(clv_buffer_add(context, to, "?", 1, error));
        for (size_t i = 0; i < frame->column_count; i++) {
            char number[NUMBER_SIZE + 2] = " ";
            size_t length = 1 + clv_format_unsigned(number + 1, first + i);

            number[length++] = ':';
            TRY(clv_buffer_add(context, to, number, length, error));
            TRY(put_cell(frame, &frame->columns[i], row, to, error));
        }
        TRY(clv_buffer_add(context, to, "\n", 1, error));
    }
    return OK;
}

Status clv_frame_write(const ServeFrame *frame, Buffer *to, cleave_error *error)
{
    if (frame->rows == 0 || frame->column_count == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the request has no values");
    switch (clv_rows_format(frame->model)) {
    case ROWS_TEXT:
        return write_texts(frame, to, error);
    case ROWS_CSV:
        return write_table(frame, to, error);
    default:
        return write_numbered(frame, to, error);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

Status clv_json_members(JsonReader *json, JsonMember *members, size_t count, cleave_error *error)
{
    JsonToken token;

    TRY(clv_json_expect(json, JSON_OBJECT, &token, error));
    for (;;) {
        JsonMember *member = NULL;
        const char *from;

        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_OBJECT_END)
            return OK;
        for (size_t i = 0; i < count && !member; i++)
            if (clv_span_is((HttpSpan){token.text, token.length}, members[i].name))
                member = &members[i];
        if (member && member->value.text)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the key '%s' occurs twice in the request",
                            member->name);
        from = json->at;
        TRY(clv_json_next(json, &token, error));
        TRY(clv_json_skip(json, &token, error));
        if (member)
            member->value = (HttpSpan){from, (size_t)(json->at - from)};
    }
}

/* ---- predictions ----------------------------------------------------------------------------- */

Status clv_batch_score(ServeWorker *worker, const Model *model, ServeBatch *batch,
                       cleave_error *error)
{
    const Block *block;

    *batch = (ServeBatch){.outputs = clv_model_rule(model, false).outputs};
    TRY(clv_scorer_borrow(worker, model, clv_rows_format(model), &batch->scorer, error));
    clv_row_scorer_begin(batch->scorer);
    TRY(clv_row_scorer_read(batch->scorer, worker->scratch.data, worker->scratch.size, true, &block,
                            error));
    batch->rows = block ? block->rows : 0;
    return block ? clv_row_scorer_scores(batch->scorer, block, &batch->scores, error) : OK;
}
