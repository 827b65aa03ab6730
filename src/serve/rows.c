/* POST /predict, POST /explain and POST /search read rows of text, CSV, NDJSON or LIBSVM, and send
 * predictions, explanations or neighbors while rows arrive. */
#include "serve/server_parts.h"

#include "inspect/explain.h"
#include "search/search.h"

#include <math.h>
#include <stdio.h>

/* ---- scorers --------------------------------------------------------------------------------- */

RowsFormat clv_rows_format(const Model *model)
{
    return clv_schema_is_text(&model->schema)    ? ROWS_TEXT
           : clv_schema_is_table(&model->schema) ? ROWS_CSV
                                                 : ROWS_LIBSVM;
}

Status clv_scorer_borrow(ServeWorker *worker, const Model *model, RowsFormat format,
                         RowScorer **scorer, cleave_error *error)
{
    for (size_t i = 0; i < SPARE_SCORERS; i++) {
        RowScorer *spare = worker->spare[i];

        if (spare && clv_row_scorer_model(spare) == model &&
            clv_row_scorer_format(spare) == format) {
            worker->spare[i] = NULL;
            *scorer = spare;
            return OK;
        }
    }
    return clv_row_scorer_new(model, format, scorer, error);
}

void clv_scorer_return(ServeWorker *worker, RowScorer *scorer)
{
    size_t place = 0;

    if (!scorer)
        return;
    if (clv_row_scorer_worn(scorer)) {
        clv_row_scorer_free(scorer);
        return;
    }
    while (place + 1 < SPARE_SCORERS && worker->spare[place])
        place++;
    clv_row_scorer_free(worker->spare[place]);
    worker->spare[place] = scorer;
}

/* ---- the request ----------------------------------------------------------------------------- */

static bool has_prefix(HttpSpan span, const char *prefix)
{
    size_t length = strlen(prefix);

    return span.length >= length && clv_span_alike((HttpSpan){span.text, length}, prefix);
}

/* Finds the format of rows by their media type. Without a media type, or with that of a form (the
 * default of curl), rows have the format on which the model was trained. */
static bool find_format(HttpSpan type, ServeRows *rows)
{
    static const struct {
        const char *type;
        RowsFormat format;
        bool json;
    } types[] = {
        {"text/csv", ROWS_CSV, false},          {"application/x-ndjson", ROWS_TEXT, true},
        {"application/jsonl", ROWS_TEXT, true}, {"application/json", ROWS_TEXT, true},
        {"text/x-libsvm", ROWS_LIBSVM, false},  {"application/x-libsvm", ROWS_LIBSVM, false},
        {"text/plain", ROWS_TEXT, false},
    };
    const char *end = type.text ? memchr(type.text, ';', type.length) : NULL;

    if (end)
        type.length = (size_t)(end - type.text);
    while (type.length && type.text[type.length - 1] == ' ')
        type.length--;
    rows->format = clv_rows_format(rows->model);
    if (!type.text || clv_span_alike(type, "application/x-www-form-urlencoded"))
        return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!clv_span_alike(type, types[i].type))
            continue;
        rows->json_rows = types[i].json;
        if (!types[i].json)
            rows->format = types[i].format;
        return true;
    }
    return false;
}

/* `csv`: the response has a form as CSV. */
static void find_answer(HttpSpan accept, bool csv, ServeRows *rows)
{
    rows->answer = !accept.text                             ? ANSWER_NDJSON
                   : csv && has_prefix(accept, "text/csv")  ? ANSWER_CSV
                   : has_prefix(accept, "application/json") ? ANSWER_JSON
                                                            : ANSWER_NDJSON;
}

Served *clv_find_served(Server *server, HttpSpan name)
{
    if (!name.text)
        return &server->served[0];
    for (size_t i = 0; i < server->served_count; i++)
        if (clv_span_is(name, server->served[i].name))
            return &server->served[i];
    return NULL;
}

bool clv_rows_find_model(Exchange *exchange)
{
    ServeRows *rows = &exchange->rows;

    rows->served = clv_find_served(exchange->worker->server,
                                   clv_query_value(exchange->head.query, "model"));
    if (!rows->served) {
        clv_answer_error(exchange, 404, "the server has no model of this name",
                         "GET /v2 lists the models");
        return false;
    }
    rows->model = clv_model_now(exchange->worker, rows->served, NULL);
    if (!find_format(exchange->head.content_type, rows)) {
        clv_answer_error(exchange, 415, "the content type of the request is not supported",
                         "use text/plain, text/csv, application/x-ndjson or text/x-libsvm");
        return false;
    }
    return true;
}

/* Begins the response. `take` writes the answers to the rows of a block. */
static void begin(Exchange *exchange, RowsTake *take)
{
    static const char *const types[] = {"application/x-ndjson", "text/csv", "application/json"};
    ServeRows *rows = &exchange->rows;
    cleave_error error;

    rows->take = take;
    if (clv_scorer_borrow(exchange->worker, rows->model, rows->format, &rows->scorer, &error) !=
        OK) {
        clv_answer_failure(exchange, &error);
        return;
    }
    clv_row_scorer_begin(rows->scorer);
    clv_answer(exchange, 200, types[rows->answer]);
}

/* ---- predictions ----------------------------------------------------------------------------- */

static void put_per_class(Exchange *exchange, const char *key, const double *values)
{
    const Labels *labels = &exchange->rows.model->labels;

    clv_put_text(exchange, key);
    for (uint32_t i = 0; i < labels->count; i++) {
        clv_put_text(exchange, i ? "," : "{");
        clv_put_string(exchange, labels->list[i].text);
        clv_put_text(exchange, ":");
        clv_put_number(exchange, values[i]);
    }
    clv_put_text(exchange, "}");
}

/* Writes a prediction like `cleave predict --json`. */
static void put_json(Exchange *exchange, const cleave_prediction *row, uint64_t number)
{
    clv_put_text(exchange, "{\"row\":");
    clv_put_count(exchange, number);
    if (!isnan(row->value) || exchange->rows.model->task == CLEAVE_TASK_REGRESSION) {
        clv_put_text(exchange, ",\"number\":");
        clv_put_number(exchange, row->value);
    } else {
        bool abstained = row->label_number == SIZE_MAX;

        clv_put_text(exchange, ",\"label\":");
        clv_put_string(exchange, abstained ? NULL : row->label);
        if (abstained)
            clv_put_text(exchange, ",\"abstained\":true");
        if (row->score_count == 1) {
            clv_put_text(exchange, ",\"score\":");
            clv_put_number(exchange, row->scores[0]);
        } else {
            put_per_class(exchange, ",\"scores\":", row->scores);
        }
        if (exchange->rows.probabilities)
            put_per_class(exchange, ",\"probabilities\":", row->probabilities);
    }
    clv_put_text(exchange, "}");
}

static void put_cell(Exchange *exchange, const char *text)
{
    char cell[1024];
    size_t size = cleave_csv_cell(text, ',', false, cell, sizeof cell);

    clv_put(exchange, cell, size < sizeof cell ? size : sizeof cell - 1);
}

static void put_csv_header(Exchange *exchange)
{
    const Model *model = exchange->rows.model;

    if (model->task == CLEAVE_TASK_REGRESSION)
        clv_put_text(exchange, "number");
    else if (model->labels.count <= 2)
        clv_put_text(exchange, "label,score");
    else
        clv_put_text(exchange, "label");
    for (uint32_t i = 0; model->labels.count > 2 && i < model->labels.count; i++) {
        clv_put_text(exchange, ",");
        put_cell(exchange, model->labels.list[i].text);
    }
    clv_put_text(exchange, "\n");
}

static void put_csv(Exchange *exchange, const cleave_prediction *row)
{
    if (exchange->rows.model->task == CLEAVE_TASK_REGRESSION) {
        clv_put_number(exchange, row->value);
    } else {
        put_cell(exchange, row->label);
        for (size_t i = 0; i < row->score_count; i++) {
            clv_put_text(exchange, ",");
            clv_put_number(exchange, row->scores[i]);
        }
    }
    clv_put_text(exchange, "\n");
}

static void put_separator(Exchange *exchange)
{
    exchange->row_count++;
    if (exchange->rows.answer == ANSWER_JSON)
        clv_put_text(exchange, exchange->row_count == 1 ? "[" : ",\n");
}

static Status put_predictions(Exchange *exchange, const Block *block, cleave_error *error)
{
    ServeRows *rows = &exchange->rows;
    const Model *model = rows->model;
    DecisionRule rule = clv_model_rule(model, false);
    char text[PREDICTION_TEXT_SIZE];
    const double *scores;

    TRY(clv_row_scorer_scores(rows->scorer, block, &scores, error));
    for (uint32_t i = 0; i < block->rows; i++, scores += rule.outputs) {
        cleave_prediction prediction;

        clv_prediction_decide(&rule, scores, text, &prediction);
        if (rows->probabilities && clv_model_probabilities(model, scores, rows->probability))
            prediction.probabilities = rows->probability;
        put_separator(exchange);
        if (rows->answer == ANSWER_CSV) {
            if (exchange->row_count == 1)
                put_csv_header(exchange);
            put_csv(exchange, &prediction);
        } else {
            put_json(exchange, &prediction, exchange->row_count);
            if (rows->answer == ANSWER_NDJSON)
                clv_put_text(exchange, "\n");
        }
    }
    return OK;
}

void clv_predict_begin(Exchange *exchange)
{
    ServeRows *rows = &exchange->rows;
    cleave_error error;

    if (!clv_rows_find_model(exchange))
        return;
    find_answer(exchange->head.accept, true, rows);
    rows->probabilities = clv_span_is(clv_query_value(exchange->head.query, "probabilities"),
                                      "true");
    if (rows->probabilities && !cleave_model_has_probabilities(rows->model)) {
        clv_answer_error(exchange, 400, "the model has no probabilities",
                         "train the model with --calibrate");
        return;
    }
    if (rows->probabilities && ALLOC(exchange->worker->server->context, rows->probability,
                                     rows->model->labels.count, "probabilities", &error) != OK)
        clv_answer_failure(exchange, &error);
    else
        begin(exchange, put_predictions);
}

/* The response to the rows of one piece is complete before it is sent: its size has a limit. */
static Status check_size(const Exchange *exchange, cleave_error *error)
{
    if (exchange->out->size + exchange->content.size <= MOST_ANSWERS)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "request fewer neighbors",
                         "the answers to some rows of the request exceed %d MB",
                         MOST_ANSWERS >> 20);
}

/* ---- explanations and neighbors -------------------------------------------------------------- */

/* Writes a line of the command as an element of the response. */
static void put_line(void *user, const char *text, size_t size)
{
    Exchange *exchange = user;

    if (exchange->rows.answer == ANSWER_JSON && size && text[size - 1] == '\n')
        size--;
    clv_put(exchange, text, size);
}

static Status put_explanations(Exchange *exchange, const Block *block, cleave_error *error)
{
    ServeRows *rows = &exchange->rows;
    const Source *source = clv_row_scorer_source(rows->scorer);

    for (uint32_t i = 0; i < block->rows; i++) {
        cleave_explanation *explanation;

        TRY(clv_explain_one(rows->model, source, block, i, &explanation, error));
        put_separator(exchange);
        exchange->worker->server->config.put_explanation(rows->model, explanation, put_line,
                                                         exchange);
        cleave_explanation_free(explanation);
        clv_answer_flush(exchange);
        TRY(check_size(exchange, error));
    }
    return OK;
}

void clv_explain_begin(Exchange *exchange)
{
    if (!clv_rows_find_model(exchange))
        return;
    find_answer(exchange->head.accept, false, &exchange->rows);
    begin(exchange, put_explanations);
}

static cleave_code put_found(void *user, const cleave_found *found, cleave_error *error)
{
    Exchange *exchange = user;
    cleave_found numbered = *found;

    numbered.row = exchange->row_count;
    put_separator(exchange);
    exchange->worker->server->config.put_found(exchange->rows.searcher, &numbered, put_line,
                                               exchange);
    clv_answer_flush(exchange);
    return check_size(exchange, error);
}

static Status put_neighbors(Exchange *exchange, const Block *block, cleave_error *error)
{
    return clv_search_block(exchange->rows.searcher, block, put_found, exchange, error);
}

/* A parameter of the query is an option of `cleave search`. Rows are given as a list: the server
 * reads no file that a client names. */
static Status set_option(const char *const *known, cleave_options *options, HttpSpan name,
                         HttpSpan value, Buffer *text, cleave_error *error)
{
    for (const char *const *option = known; *option; option++) {
        if (!clv_span_is(name, *option))
            continue;
        if (!clv_query_decode(value, text->data))
            return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: an escape of the query is invalid",
                            *option);
        if (strcmp(*option, "only-rows") == 0 && text->data[strspn(text->data, "0123456789-, ")])
            return clv_fail(error, CLEAVE_ERROR_USAGE, "only-rows: expected rows such as 3,7-9");
        return cleave_options_set(options, *option, text->data, error);
    }
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "GET /openapi.json lists the parameters",
                         "the query has an unknown parameter '%.*s'",
                         (int)(name.length < 40 ? name.length : 40), name.text);
}

static Status read_options(Exchange *exchange, cleave_options *options, cleave_error *error)
{
    HttpSpan query = exchange->head.query, name, value;
    Context *context = exchange->worker->server->context;
    Buffer text = {0};
    Status status = OK;

    TRY(GROW(context, text.data, text.capacity, query.length + 1, error));
    while (status == OK && clv_query_next(&query, &name, &value))
        if (!clv_span_is(name, "model"))
            status = set_option(exchange->route->query, options, name, value, &text, error);
    clv_free(context, text.data);
    return status;
}

void clv_search_begin(Exchange *exchange)
{
    ServeRows *rows = &exchange->rows;
    cleave_options *options;
    cleave_error error = {.hint = ""};
    Status status;

    if (!clv_rows_find_model(exchange))
        return;
    options = cleave_options_new(exchange->worker->server->context);
    status = options ? read_options(exchange, options, &error)
                     : clv_fail_memory(&error, "options", 1);
    THEN(status, cleave_searcher_open(rows->model, options, &rows->searcher, &error));
    cleave_options_free(options);
    if (status != OK) {
        clv_answer_failure(exchange, &error);
        return;
    }
    find_answer(exchange->head.accept, false, rows);
    begin(exchange, put_neighbors);
}

/* ---- the body -------------------------------------------------------------------------------- */

static Status take(Exchange *exchange, const char *text, size_t size, bool last,
                   cleave_error *error)
{
    const Block *block;

    TRY(clv_row_scorer_read(exchange->rows.scorer, text, size, last, &block, error));
    if (block)
        TRY(exchange->rows.take(exchange, block, error));
    clv_answer_flush(exchange);
    return OK;
}

Status clv_rows_convert(Exchange *exchange, const char *text, size_t size, cleave_error *error)
{
    ServeWorker *worker = exchange->worker;
    ServeRows *rows = &exchange->rows;
    const Model *model = rows->model;
    const char *stop = text + size;
    JsonToken end;

    worker->scratch.size = 0;
    if (!rows->header_given)
        TRY(clv_json_header(model, rows->labeled, &worker->scratch, error));
    rows->header_given = true;
    for (const char *line_end; text < stop; text = line_end + (line_end < stop)) {
        size_t blanks = 0;
        Status status;

        line_end = memchr(text, '\n', (size_t)(stop - text));
        line_end = line_end ? line_end : stop;
        rows->lines++;
        while (text + blanks < line_end && strchr(" \t\r", text[blanks]) && text[blanks])
            blanks++;
        if (text + blanks == line_end)
            continue;
        clv_json_begin(&worker->json, model->context, NULL, text, (size_t)(line_end - text));
        status = clv_json_row(&worker->json, model, rows->labeled, &worker->scratch, error);
        THEN(status, clv_json_next(&worker->json, &end, error)); /* the text must end here */
        if (status != OK) {
            char message[sizeof error->message];

            snprintf(message, sizeof message, "%s", error->message);
            snprintf(error->message, sizeof error->message, "request:%llu: %.700s",
                     (unsigned long long)rows->lines, message);
            return status;
        }
    }
    return OK;
}

size_t clv_rows_data(Exchange *exchange, const char *text, size_t size, bool last)
{
    ServeRows *rows = &exchange->rows;
    ServeWorker *worker = exchange->worker;
    cleave_error error = {.hint = ""};
    Status status = OK;
    size_t used = size;

    if (!last && rows->json_rows) {
        while (used > 0 && text[used - 1] != '\n')
            used--;
    } else if (!last) {
        used = clv_row_scorer_cut(rows->scorer, text, size);
    }
    if (used == 0)
        return 0;
    if (rows->json_rows) {
        status = clv_rows_convert(exchange, text, used, &error);
        THEN(status, take(exchange, worker->scratch.data, worker->scratch.size, last, &error));
    } else {
        status = take(exchange, text, used, last, &error);
    }
    if (status != OK)
        clv_answer_failure(exchange, &error);
    return used;
}

void clv_rows_end(Exchange *exchange)
{
    ServeRows *rows = &exchange->rows;

    if (exchange->row_count == 0) {
        clv_answer_error(exchange, 400, "the request has no rows", "send at least one row");
        return;
    }
    if (rows->answer == ANSWER_JSON)
        clv_put_text(exchange, "]\n");
    clv_answer_end(exchange);
}

void clv_rows_free(Exchange *exchange)
{
    ServeRows *rows = &exchange->rows;

    if (rows->take == put_predictions)
        atomic_fetch_add_explicit(&rows->served->predictions, exchange->row_count,
                                  memory_order_relaxed);
    if (rows->scorer && clv_model_now(exchange->worker, rows->served, NULL) != rows->model)
        clv_row_scorer_free(rows->scorer); /* the scorer belongs to a replaced model */
    else
        clv_scorer_return(exchange->worker, rows->scorer);
    cleave_searcher_free(rows->searcher);
    clv_free(exchange->worker->server->context, rows->probability);
    *rows = (ServeRows){0};
}
