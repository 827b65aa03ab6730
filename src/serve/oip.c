/*
 * The Open Inference Protocol, version 2, over HTTP: metadata of the server and its models, and
 * inference with tensors in JSON. A text model has one input of type BYTES. A model of a table has
 * one input per column and also accepts one tensor of shape [rows, columns]. A model of numbered
 * features has one input of shape [rows, features].
 */
#include "serve/server_parts.h"

#include "base/number.h"
#include "data/block.h"
#include "data/schema.h"

#include <stdio.h>

/* The version of a model is 1 plus the number of reloads. */
typedef struct {
    Served *served;
    const Model *model;
    char version[NUMBER_SIZE];
} Named;

/* Returns the model in the path. Sends an error response if it does not exist. */
static bool find_named(Exchange *exchange, Named *named)
{
    Served *served = clv_find_served(exchange->worker->server, exchange->segments[0]);
    uint64_t version = 0;

    *named = (Named){.served = served};
    if (served) {
        named->model = clv_model_now(exchange->worker, served, &version);
        clv_format_unsigned(named->version, version);
    }

    if (!served)
        clv_answer_error(exchange, 404, "the server has no model of this name",
                         "GET /v2 lists the models");
    else if (exchange->segments[1].text && !clv_span_is(exchange->segments[1], named->version))
        clv_answer_error(exchange, 404, "the model has no such version",
                         "GET /v2/models/NAME returns the version");
    else
        return true;
    return false;
}

void clv_oip_server(Exchange *exchange)
{
    const Server *server = exchange->worker->server;

    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"name\":\"cleave\",\"version\":");
    clv_put_string(exchange, cleave_version());
    clv_put_text(exchange, ",\"extensions\":[],\"models\":[");
    for (size_t i = 0; i < server->served_count; i++) {
        clv_put_text(exchange, i ? "," : "");
        clv_put_string(exchange, server->served[i].name);
    }
    clv_put_text(exchange, "]}\n");
    clv_answer_end(exchange);
}

void clv_oip_model_ready(Exchange *exchange)
{
    Named named;

    if (!find_named(exchange, &named))
        return;
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"name\":");
    clv_put_string(exchange, named.served->name);
    clv_put_text(exchange, ",\"ready\":true}\n");
    clv_answer_end(exchange);
}

/* ---- metadata -------------------------------------------------------------------------------- */

/* Writes the metadata of a tensor. A width of 0 means a vector. */
static void put_tensor(Exchange *exchange, bool first, const char *name, const char *type,
                       size_t width)
{
    clv_put_text(exchange, first ? "{\"name\":" : ",{\"name\":");
    clv_put_string(exchange, name);
    clv_put_text(exchange, ",\"datatype\":");
    clv_put_string(exchange, type);
    clv_put_text(exchange, ",\"shape\":[-1");
    if (width) {
        clv_put_text(exchange, ",");
        clv_put_count(exchange, width);
    }
    clv_put_text(exchange, "]}");
}

static void put_inputs(Exchange *exchange, const Model *model)
{
    const Schema *schema = &model->schema;
    bool first = true;

    if (clv_schema_is_text(schema)) {
        put_tensor(exchange, true, "text", "BYTES", 0);
        return;
    }
    if (!clv_schema_is_table(schema)) {
        put_tensor(exchange, true, "features", "FP32", clv_model_input_count(model));
        return;
    }
    for (uint32_t i = 0; i < schema->count; i++) {
        if (!column_is_feature(schema->column[i].kind))
            continue;
        put_tensor(exchange, first, schema->column[i].name,
                   schema->column[i].kind == COLUMN_NUMBER ? "FP64" : "BYTES", 0);
        first = false;
    }
}

void clv_oip_model(Exchange *exchange)
{
    const Model *model;
    size_t width;
    Named named;

    if (!find_named(exchange, &named))
        return;
    model = named.model;
    width = clv_model_rule(model, false).outputs;
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"name\":");
    clv_put_string(exchange, named.served->name);
    clv_put_text(exchange, ",\"versions\":[");
    clv_put_string(exchange, named.version);
    clv_put_text(exchange, "],\"platform\":");
    clv_put_string(exchange, cleave_model_method(model));
    clv_put_text(exchange, ",\"inputs\":[");
    put_inputs(exchange, model);
    clv_put_text(exchange, "],\"outputs\":[");
    if (model->task == CLEAVE_TASK_REGRESSION) {
        put_tensor(exchange, true, "number", "FP64", 0);
    } else {
        put_tensor(exchange, true, "label", "BYTES", 0);
        put_tensor(exchange, false, "scores", "FP64", width);
        if (cleave_model_has_probabilities(model))
            put_tensor(exchange, false, "probabilities", "FP64", model->labels.count);
        clv_put_text(exchange, "],\"parameters\":{\"labels\":["); /* order of the columns in the
                                                                   * tensors */
        for (uint32_t i = 0; i < model->labels.count; i++) {
            clv_put_text(exchange, i ? "," : "");
            clv_put_string(exchange, model->labels.list[i].text);
        }
    }
    clv_put_text(exchange, model->task == CLEAVE_TASK_REGRESSION ? "]}\n" : "]}}\n");
    clv_answer_end(exchange);
}

/* ---- the request ----------------------------------------------------------------------------- */

enum { NAME, SHAPE, TYPE, VALUES, TENSOR_MEMBERS };
enum { MOST_DIMENSIONS = 2 };

static Status read_shape(JsonReader *json, Context *context, HttpSpan text, size_t shape[2],
                         cleave_error *error)
{
    JsonToken token;
    size_t count = 0;

    shape[0] = shape[1] = 1;
    clv_json_begin(json, context, NULL, text.text, text.length);
    TRY(clv_json_expect(json, JSON_ARRAY, &token, error));
    for (;;) {
        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_ARRAY_END)
            break;
        if (token.type != JSON_NUMBER || !(token.number >= 1 && token.number <= 1e9) ||
            token.number != (double)(size_t)token.number)
            return clv_json_fail(json, "a positive number of rows or columns", error);
        if (count == MOST_DIMENSIONS)
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "expected a shape of [rows] or [rows, columns]");
        shape[count++] = (size_t)token.number;
    }
    return count ? OK : clv_fail(error, CLEAVE_ERROR_DATA, "the shape of a tensor is empty");
}

static Status check_type(const Model *model, const JsonToken *token, cleave_error *error)
{
    static const char *const types[] = {"BOOL",  "UINT8", "UINT16", "UINT32", "UINT64", "INT8",
                                        "INT16", "INT32", "INT64",  "FP32",   "FP64",   "BYTES"};
    HttpSpan name = {token->text, token->length};

    if (clv_schema_is_text(&model->schema) && !clv_span_is(name, "BYTES"))
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "the model predicts from text: expected the type BYTES");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (clv_span_is(name, types[i]))
            return OK;
    return clv_fail(error, CLEAVE_ERROR_DATA, "the type of a tensor is unknown");
}

/* Adds the columns of a tensor whose values begin at `first`. */
static Status add_columns(ServeFrame *frame, JsonReader *json, const JsonMember *members,
                          const size_t shape[2], size_t first, cleave_error *error)
{
    JsonToken name = {.type = JSON_END};

    if (frame->column_count && frame->rows != shape[0])
        return clv_fail(error, CLEAVE_ERROR_DATA, "the tensors have %zu and %zu rows", frame->rows,
                        shape[0]);
    frame->rows = shape[0];
    clv_json_begin(json, frame->model->context, NULL, members[NAME].value.text,
                   members[NAME].value.length);
    TRY(clv_json_expect(json, JSON_STRING, &name, error));
    for (size_t i = 0; i < shape[1]; i++)
        TRY(clv_frame_column(frame, shape[1] == 1 ? name.text : NULL, name.length, first + i,
                             shape[1], error));
    return OK;
}

static Status read_tensor(ServeWorker *worker, ServeFrame *frame, HttpSpan text,
                          cleave_error *error)
{
    JsonMember members[TENSOR_MEMBERS] = {[NAME] = {.name = "name"},
                                          [SHAPE] = {.name = "shape"},
                                          [TYPE] = {.name = "datatype"},
                                          [VALUES] = {.name = "data"}};
    Context *context = frame->model->context;
    JsonReader *json = &worker->json;
    size_t shape[MOST_DIMENSIONS], first = frame->cell_count, count;
    JsonToken token;

    clv_json_begin(json, context, NULL, text.text, text.length);
    TRY(clv_json_members(json, members, TENSOR_MEMBERS, error));
    for (size_t i = 0; i < TENSOR_MEMBERS; i++)
        if (!members[i].value.text)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the key '%s' is missing in a tensor",
                            members[i].name);
    TRY(read_shape(json, context, members[SHAPE].value, shape, error));
    clv_json_begin(json, context, NULL, members[TYPE].value.text, members[TYPE].value.length);
    TRY(clv_json_expect(json, JSON_STRING, &token, error));
    TRY(check_type(frame->model, &token, error));
    clv_json_begin(json, context, NULL, members[VALUES].value.text, members[VALUES].value.length);
    TRY(clv_json_next(json, &token, error));
    if (token.type != JSON_ARRAY)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the data of a tensor is not an array");
    TRY(clv_frame_values(frame, json, &token, &count, error));
    if (count != shape[0] * shape[1])
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "the shape of a tensor has %zu values, but its data has %zu",
                        shape[0] * shape[1], count);
    return add_columns(frame, json, members, shape, first, error);
}

/* Reads inputs, an array of tensors. */
static Status read_inputs(ServeWorker *worker, ServeFrame *frame, HttpSpan text,
                          cleave_error *error)
{
    const char *stop = text.text + text.length;
    JsonReader list = {0};
    Status status = OK;
    JsonToken token;

    clv_json_begin(&list, frame->model->context, NULL, text.text, text.length);
    status = clv_json_expect(&list, JSON_ARRAY, &token, error);
    while (status == OK) {
        const char *from = list.at;

        status = clv_json_next(&list, &token, error);
        if (status != OK || token.type == JSON_ARRAY_END)
            break;
        if (token.type != JSON_OBJECT) {
            status = clv_fail(error, CLEAVE_ERROR_DATA, "expected a tensor, found %s",
                              clv_json_type(token.type));
            break;
        }
        while (from < stop && *from != '{') /* skips the comma and blanks */
            from++;
        status = clv_json_skip(&list, &token, error);
        THEN(status, read_tensor(worker, frame, (HttpSpan){from, (size_t)(list.at - from)}, error));
    }
    clv_json_free(&list);
    return status;
}

/* ---- the response ---------------------------------------------------------------------------- */

static void put_shape(Exchange *exchange, const char *name, const char *type, size_t rows,
                      size_t width)
{
    clv_put_text(exchange, "{\"name\":");
    clv_put_string(exchange, name);
    clv_put_text(exchange, ",\"datatype\":");
    clv_put_string(exchange, type);
    clv_put_text(exchange, ",\"shape\":[");
    clv_put_count(exchange, rows);
    if (width) {
        clv_put_text(exchange, ",");
        clv_put_count(exchange, width);
    }
    clv_put_text(exchange, "],\"data\":[");
}

static void put_numbers(Exchange *exchange, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        clv_put_text(exchange, i ? "," : "");
        clv_put_number(exchange, values[i]);
    }
}

static Status put_probabilities(Exchange *exchange, const Model *model, const ServeBatch *batch,
                                cleave_error *error)
{
    size_t classes = model->labels.count;
    double *values;

    TRY(ALLOC(model->context, values, classes, "probabilities", error));
    clv_put_text(exchange, "]},");
    put_shape(exchange, "probabilities", "FP64", batch->rows, classes);
    for (size_t i = 0; i < batch->rows; i++) {
        clv_put_text(exchange, i ? "," : "");
        clv_model_probabilities(model, batch->scores + i * batch->outputs, values);
        put_numbers(exchange, values, classes);
    }
    clv_free(model->context, values);
    return OK;
}

static Status put_outputs(Exchange *exchange, const Model *model, const ServeBatch *batch,
                          cleave_error *error)
{
    DecisionRule rule = clv_model_rule(model, false);

    if (rule.regression) {
        put_shape(exchange, "number", "FP64", batch->rows, 0);
        put_numbers(exchange, batch->scores, batch->rows);
        return OK;
    }
    put_shape(exchange, "label", "BYTES", batch->rows, 0);
    for (size_t i = 0; i < batch->rows; i++) {
        uint32_t label = clv_decide(&rule, batch->scores + i * rule.outputs);

        clv_put_text(exchange, i ? "," : "");
        clv_put_string(exchange, label == UNLABELED ? NULL : model->labels.list[label].text);
    }
    clv_put_text(exchange, "]},");
    put_shape(exchange, "scores", "FP64", batch->rows, rule.outputs);
    put_numbers(exchange, batch->scores, batch->rows * rule.outputs);
    return cleave_model_has_probabilities(model) ? put_probabilities(exchange, model, batch, error)
                                                 : OK;
}

static Status put_response(Exchange *exchange, const Named *named, const ServeBatch *batch,
                           HttpSpan id, cleave_error *error)
{
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange, "{\"model_name\":");
    clv_put_string(exchange, named->served->name);
    clv_put_text(exchange, ",\"model_version\":");
    clv_put_string(exchange, named->version);
    clv_put_text(exchange, ",");
    if (id.text) {
        clv_put_text(exchange, "\"id\":");
        clv_put(exchange, id.text, id.length);
        clv_put_text(exchange, ",");
    }
    clv_put_text(exchange, "\"outputs\":[");
    TRY(put_outputs(exchange, named->model, batch, error));
    clv_put_text(exchange, "]}]}\n");
    clv_answer_end(exchange);
    return OK;
}

static Status infer(Exchange *exchange, const Named *named, ServeBatch *batch, cleave_error *error)
{
    JsonMember members[] = {{.name = "inputs"}, {.name = "id"}};
    ServeWorker *worker = exchange->worker;
    ServeFrame frame = {.model = named->model};
    JsonReader *json = &worker->json;
    JsonToken token;
    Status status;

    clv_json_begin(json, named->model->context, NULL, exchange->body.data, exchange->body.size);
    TRY(clv_json_members(json, members, 2, error));
    TRY(clv_json_next(json, &token, error)); /* the text must end here */
    if (!members[0].value.text)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the key 'inputs' is missing in the request");
    if (members[1].value.text) {
        clv_json_begin(json, named->model->context, NULL, members[1].value.text,
                       members[1].value.length);
        TRY(clv_json_expect(json, JSON_STRING, &token, error));
    }
    worker->scratch.size = 0;
    status = read_inputs(worker, &frame, members[0].value, error);
    THEN(status, clv_frame_write(&frame, &worker->scratch, error));
    clv_frame_free(&frame);
    TRY(status);
    TRY(clv_batch_score(worker, named->model, batch, error));
    exchange->row_count = batch->rows;
    return put_response(exchange, named, batch, members[1].value, error);
}

void clv_oip_infer(Exchange *exchange)
{
    cleave_error error = {.hint = ""};
    ServeBatch batch = {.rows = 0};
    Named named;

    if (!find_named(exchange, &named))
        return;
    if (infer(exchange, &named, &batch, &error) != OK)
        clv_answer_failure(exchange, &error);
    atomic_fetch_add_explicit(&named.served->predictions, batch.rows, memory_order_relaxed);
    clv_scorer_return(exchange->worker, batch.scorer);
}
