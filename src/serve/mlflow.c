/* POST /invocations implements the protocol of MLflow's scoring server: dataframe_split,
 * dataframe_records, instances, inputs, or a CSV table. */
#include "serve/server_parts.h"

#include "data/block.h"

#include <stdio.h>

enum { SPLIT, RECORDS, INSTANCES, INPUTS, KINDS };
enum { COLUMNS, DATA };

/* Reads an array of rows. */
static Status read_rows(ServeWorker *worker, const Model *model, HttpSpan text, size_t *rows,
                        cleave_error *error)
{
    JsonReader *json = &worker->json;
    JsonToken token;

    clv_json_begin(json, model->context, NULL, text.text, text.length);
    TRY(clv_json_expect(json, JSON_ARRAY, &token, error));
    TRY(clv_json_header(model, false, &worker->scratch, error));
    for (*rows = 0;; ++*rows) {
        JsonReader before = *json;

        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_ARRAY_END)
            return OK;
        before.text = json->text; /* the same memory was reused */
        *json = before;
        TRY(clv_json_row(json, model, false, &worker->scratch, error));
    }
}

/* Reads the names of the columns. */
static Status read_columns(ServeFrame *frame, JsonReader *json, HttpSpan text, cleave_error *error)
{
    JsonToken token;

    clv_json_begin(json, frame->model->context, NULL, text.text, text.length);
    TRY(clv_json_expect(json, JSON_ARRAY, &token, error));
    for (size_t i = 0;; i++) {
        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_ARRAY_END)
            return OK;
        if (token.type == JSON_NUMBER) /* pandas numbers columns without names */
            token.text = NULL;
        else if (token.type != JSON_STRING)
            return clv_fail(error, CLEAVE_ERROR_DATA, "expected the name of a column, found %s",
                            clv_json_type(token.type));
        TRY(clv_frame_column(frame, token.text, token.length, i, 0, error));
    }
}

static Status read_split(ServeWorker *worker, ServeFrame *frame, HttpSpan text, cleave_error *error)
{
    JsonMember members[] = {[COLUMNS] = {.name = "columns"}, [DATA] = {.name = "data"}};
    JsonReader *json = &worker->json;
    JsonToken token;

    clv_json_begin(json, frame->model->context, NULL, text.text, text.length);
    TRY(clv_json_members(json, members, 2, error));
    if (!members[COLUMNS].value.text || !members[DATA].value.text)
        return clv_fail(error, CLEAVE_ERROR_DATA, "dataframe_split requires 'columns' and 'data'");
    TRY(read_columns(frame, json, members[COLUMNS].value, error));
    clv_json_begin(json, frame->model->context, NULL, members[DATA].value.text,
                   members[DATA].value.length);
    TRY(clv_json_expect(json, JSON_ARRAY, &token, error));
    for (;; frame->rows++) {
        size_t count;

        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_ARRAY_END)
            break;
        TRY(clv_frame_values(frame, json, &token, &count, error));
        if (count != frame->column_count)
            return clv_fail(error, CLEAVE_ERROR_DATA, "row %zu: expected %zu values, found %zu",
                            frame->rows + 1, frame->column_count, count);
    }
    for (size_t i = 0; i < frame->column_count; i++)
        frame->columns[i].stride = frame->column_count;
    return OK;
}

/* Reads {"column": [value, ...], ...}. */
static Status read_named(ServeWorker *worker, ServeFrame *frame, HttpSpan text, cleave_error *error)
{
    JsonReader *json = &worker->json;
    JsonToken token;

    clv_json_begin(json, frame->model->context, NULL, text.text, text.length);
    TRY(clv_json_expect(json, JSON_OBJECT, &token, error));
    for (;;) {
        size_t first = frame->cell_count, count;

        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_OBJECT_END)
            return OK;
        TRY(clv_frame_column(frame, token.text, token.length, first, 1, error));
        TRY(clv_json_next(json, &token, error));
        TRY(clv_frame_values(frame, json, &token, &count, error));
        if (frame->column_count > 1 && count != frame->rows)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the columns have %zu and %zu values",
                            frame->rows, count);
        frame->rows = count;
    }
}

/* Writes the rows of a request to worker->scratch. */
static Status read_request(Exchange *exchange, const Model *model, size_t *rows,
                           cleave_error *error)
{
    JsonMember members[] = {[SPLIT] = {.name = "dataframe_split"},
                            [RECORDS] = {.name = "dataframe_records"},
                            [INSTANCES] = {.name = "instances"},
                            [INPUTS] = {.name = "inputs"}};
    ServeWorker *worker = exchange->worker;
    ServeFrame frame = {.model = model};
    size_t given = KINDS, count = 0;
    JsonToken end;
    Status status;

    clv_json_begin(&worker->json, model->context, NULL, exchange->body.data, exchange->body.size);
    TRY(clv_json_members(&worker->json, members, KINDS, error));
    TRY(clv_json_next(&worker->json, &end, error));
    for (size_t i = 0; i < KINDS; i++)
        if (members[i].value.text) {
            given = i;
            count++;
        }
    if (count != 1)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "expected one of dataframe_split, dataframe_records, instances and inputs");
    while (members[given].value.length && strchr(" \t\r\n", *members[given].value.text))
        members[given].value = (HttpSpan){members[given].value.text + 1,
                                          members[given].value.length - 1};
    if (given == RECORDS || given == INSTANCES || *members[given].value.text == '[')
        return read_rows(worker, model, members[given].value, rows, error);
    status = given == SPLIT ? read_split(worker, &frame, members[given].value, error)
                            : read_named(worker, &frame, members[given].value, error);
    THEN(status, clv_frame_write(&frame, &worker->scratch, error));
    *rows = frame.rows;
    clv_frame_free(&frame);
    return status;
}

static void put_predictions(Exchange *exchange, const Model *model, const ServeBatch *batch)
{
    DecisionRule rule = clv_model_rule(model, false);
    const double *scores = batch->scores;

    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"predictions\":[");
    for (size_t i = 0; i < batch->rows; i++, scores += rule.outputs) {
        uint32_t label = rule.regression ? 0 : clv_decide(&rule, scores);

        clv_put_text(exchange, i ? "," : "");
        if (rule.regression)
            clv_put_number(exchange, scores[0]);
        else
            clv_put_string(exchange, label == UNLABELED ? NULL : model->labels.list[label].text);
    }
    clv_put_text(exchange, "]}\n");
    clv_answer_end(exchange);
}

void clv_mlflow_invocations(Exchange *exchange)
{
    ServeWorker *worker = exchange->worker;
    Served *served = clv_find_served(worker->server, (HttpSpan){0});
    const Model *model = clv_model_now(worker, served, NULL);
    HttpSpan type = exchange->head.content_type;
    cleave_error error = {.hint = ""};
    ServeBatch batch = {.rows = 0};
    Status status = OK;
    size_t rows = 0;

    worker->scratch.size = 0;
    if (type.length >= 8 && clv_span_alike((HttpSpan){type.text, 8}, "text/csv"))
        status = clv_buffer_add(model->context, &worker->scratch, exchange->body.data,
                                exchange->body.size, &error);
    else
        status = read_request(exchange, model, &rows, &error);
    THEN(status, clv_batch_score(worker, model, &batch, &error));
    exchange->row_count = batch.rows;
    if (status == OK && batch.rows == 0)
        status = clv_fail(&error, CLEAVE_ERROR_DATA, "the request has no rows");
    if (status == OK)
        put_predictions(exchange, model, &batch);
    else
        clv_answer_failure(exchange, &error);
    atomic_fetch_add_explicit(&served->predictions, batch.rows, memory_order_relaxed);
    clv_scorer_return(worker, batch.scorer);
}
