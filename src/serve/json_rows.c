/* Converts rows of JSON to the format that the model was trained on. The reader for files then
 * applies the same rules for missing values and unknown categories. */
#include "serve/server_parts.h"

#include "base/number.h"
#include "data/schema.h"
#include "model/model.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* Writes a TAB, the text and a newline. Line ends in the text are replaced by blanks. */
Status clv_text_row(Context *context, const char *text, size_t length, Buffer *to,
                    cleave_error *error)
{
    size_t from = to->size + 1;

    if (length && memchr(text, '\0', length))
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected text, found a zero byte");
    TRY(clv_buffer_add(context, to, "\t", 1, error));
    TRY(clv_buffer_add(context, to, text, length, error));
    for (; from < to->size; from++)
        if (to->data[from] == '\n' || to->data[from] == '\r')
            to->data[from] = ' ';
    return clv_buffer_add(context, to, "\n", 1, error);
}

/* A label, which may be a number. It ends at a TAB in the text format. */
static Status label_token(JsonReader *json, Buffer *label, cleave_error *error)
{
    JsonToken token;

    TRY(clv_json_next(json, &token, error));
    if (token.type != JSON_STRING && token.type != JSON_NUMBER)
        return clv_fail(error, CLEAVE_ERROR_DATA, "the label is %s, not a string or a number",
                        clv_json_type(token.type));
    for (size_t i = 0; i < token.length; i++)
        if (!token.text[i] || strchr("\t\n\r", token.text[i]))
            return clv_fail(error, CLEAVE_ERROR_DATA, "the label contains a TAB or a line end");
    label->size = 0;
    return clv_buffer_add(json->context, label, token.text, token.length, error);
}

static bool key_is(const JsonToken *token, const char *name)
{
    return clv_span_is((HttpSpan){token->text, token->length}, name);
}

/* Inserts bytes at a position. */
static Status insert(Context *context, Buffer *to, size_t at, const Buffer *bytes,
                     cleave_error *error)
{
    size_t after = to->size - at;

    if (bytes->size == 0)
        return OK;
    TRY(clv_buffer_add(context, to, bytes->data, bytes->size, error));
    memmove(to->data + at + bytes->size, to->data + at, after);
    memcpy(to->data + at, bytes->data, bytes->size);
    return OK;
}

/* {"text": string}, with "label" for learning. */
static Status text_object(JsonReader *json, Buffer *label, Buffer *to, cleave_error *error)
{
    JsonToken token;
    bool found = false;

    for (;;) {
        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_OBJECT_END)
            break;
        if (key_is(&token, "text")) {
            if (found)
                return clv_fail(error, CLEAVE_ERROR_DATA, "the key 'text' occurs twice");
            TRY(clv_json_expect(json, JSON_STRING, &token, error));
            TRY(clv_text_row(json->context, token.text, token.length, to, error));
            found = true;
        } else if (label && key_is(&token, "label")) {
            TRY(label_token(json, label, error));
        } else {
            TRY(clv_json_next(json, &token, error));
            TRY(clv_json_skip(json, &token, error));
        }
    }
    return found ? OK : clv_fail(error, CLEAVE_ERROR_DATA, "the key 'text' is missing");
}

/* A string, or an object. */
static Status text_row(JsonReader *json, const JsonToken *first, Buffer *label, Buffer *to,
                       cleave_error *error)
{
    if (first->type == JSON_STRING && !label)
        return clv_text_row(json->context, first->text, first->length, to, error);
    if (first->type != JSON_OBJECT)
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected {%s\"text\": \"...\"}, found %s",
                        label ? "\"label\": \"...\", " : "", clv_json_type(first->type));
    return text_object(json, label, to, error);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static Status put_cell(Context *context, const char *text, size_t length, Buffer *to,
                       cleave_error *error)
{
    const char *stop = text + length;

    TRY(clv_buffer_add(context, to, "\"", 1, error));
    while (text < stop) {
        const char *quote = memchr(text, '"', (size_t)(stop - text));
        const char *end = quote ? quote + 1 : stop;

        TRY(clv_buffer_add(context, to, text, (size_t)(end - text), error));
        if (quote)
            TRY(clv_buffer_add(context, to, "\"", 1, error));
        text = end;
    }
    return clv_buffer_add(context, to, "\"", 1, error);
}

static bool has_cell(const Schema *schema, uint32_t column, bool labeled)
{
    return column_is_feature(schema->column[column].kind) ||
           (labeled && schema->column[column].kind == COLUMN_LABEL);
}

Status clv_json_header(const Model *model, bool labeled, Buffer *to, cleave_error *error)
{
    const Schema *schema = &model->schema;
    bool comma = false;

    if (!clv_schema_is_table(schema))
        return OK;
    for (uint32_t i = 0; i < schema->count; i++) {
        const char *name = schema->column[i].name;

        if (!has_cell(schema, i, labeled))
            continue;
        if (comma)
            TRY(clv_buffer_add(model->context, to, ",", 1, error));
        TRY(put_cell(model->context, name, strlen(name), to, error));
        comma = true;
    }
    return clv_buffer_add(model->context, to, "\n", 1, error);
}

/* Writes a value; null and "" are missing values. */
static Status put_value(Context *context, const JsonToken *token, Buffer *to, cleave_error *error)
{
    switch (token->type) {
    case JSON_NUMBER:
        return clv_buffer_add(context, to, token->text, token->length, error);
    case JSON_STRING:
        return put_cell(context, token->text, token->length, to, error);
    case JSON_TRUE:
        return clv_buffer_add(context, to, "true", 4, error);
    case JSON_FALSE:
        return clv_buffer_add(context, to, "false", 5, error);
    case JSON_NULL:
        return clv_buffer_add(context, to, "\"\"", 2, error);
    default:
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected a number, a string or null, found %s",
                        clv_json_type(token->type));
    }
}

static Status join_cells(const Model *model, bool labeled, const ServeCell *cells,
                         const Buffer *values, Buffer *to, cleave_error *error)
{
    const Schema *schema = &model->schema;
    bool comma = false;

    for (uint32_t i = 0; i < schema->count; i++) {
        if (!has_cell(schema, i, labeled))
            continue;
        if (cells[i].size == 0)
            return clv_fail_hint(error, CLEAVE_ERROR_DATA, "use null for a missing value",
                                 "the column '%s' is missing", schema->column[i].name);
        if (comma)
            TRY(clv_buffer_add(model->context, to, ",", 1, error));
        TRY(clv_buffer_add(model->context, to, values->data + cells[i].from, cells[i].size, error));
        comma = true;
    }
    return clv_buffer_add(model->context, to, "\n", 1, error);
}

/* Finds the cells of an object. Columns that the model does not use are ignored. */
static Status object_cells(JsonReader *json, const Model *model, bool labeled, ServeCell *cells,
                           Buffer *values, cleave_error *error)
{
    JsonToken token;

    for (;;) {
        int column;

        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_OBJECT_END)
            return OK;
        column = clv_schema_find(&model->schema, token.text, token.length);
        if (column >= 0 && cells[column].size)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the column '%s' occurs twice",
                            model->schema.column[column].name);
        TRY(clv_json_next(json, &token, error));
        if (column < 0 || !has_cell(&model->schema, (uint32_t)column, labeled)) {
            TRY(clv_json_skip(json, &token, error));
            continue;
        }
        cells[column].from = values->size;
        TRY(put_value(json->context, &token, values, error));
        cells[column].size = values->size - cells[column].from;
    }
}

static Status array_cells(JsonReader *json, const Model *model, bool labeled, ServeCell *cells,
                          Buffer *values, cleave_error *error)
{
    const Schema *schema = &model->schema;
    JsonToken token;

    for (uint32_t i = 0; i < schema->count; i++) {
        if (!has_cell(schema, i, labeled))
            continue;
        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_ARRAY_END)
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "the array has too few values: '%s' is missing",
                            schema->column[i].name);
        cells[i].from = values->size;
        TRY(put_value(json->context, &token, values, error));
        cells[i].size = values->size - cells[i].from;
    }
    TRY(clv_json_next(json, &token, error));
    return token.type == JSON_ARRAY_END ? OK
                                        : clv_fail(error, CLEAVE_ERROR_DATA,
                                                   "the array has more values than the model has "
                                                   "columns");
}

static Status table_row(JsonReader *json, const JsonToken *first, const Model *model, bool labeled,
                        Buffer *to, cleave_error *error)
{
    Buffer values = {0};
    ServeCell *cells;
    Status status;

    if (first->type != JSON_OBJECT && first->type != JSON_ARRAY)
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected an object by column, found %s",
                        clv_json_type(first->type));
    TRY(ALLOC_ZERO(json->context, cells, model->schema.count, "a row", error));
    status = first->type == JSON_OBJECT ? object_cells(json, model, labeled, cells, &values, error)
                                        : array_cells(json, model, labeled, cells, &values, error);
    THEN(status, join_cells(model, labeled, cells, &values, to, error));
    FREE(json->context, cells, values.data);
    return status;
}

/* ---- numbered features ----------------------------------------------------------------------- */

static Status put_feature(Context *context, const char *name, size_t length, const JsonToken *value,
                          Buffer *to, cleave_error *error)
{
    if (value->type != JSON_NUMBER)
        return clv_fail(error, CLEAVE_ERROR_DATA, "expected a number, found %s",
                        clv_json_type(value->type));
    TRY(clv_buffer_add(context, to, " ", 1, error));
    TRY(clv_buffer_add(context, to, name, length, error));
    TRY(clv_buffer_add(context, to, ":", 1, error));
    return clv_buffer_add(context, to, value->text, value->length, error);
}

/* Writes the features of a line of LIBSVM text. {"3": 0.5} is feature 3. The first value of an array
 * is the first feature. */
static Status numbered_row(JsonReader *json, const JsonToken *first, const Model *model,
                           Buffer *label, Buffer *to, cleave_error *error)
{
    const Names *names = clv_model_inputs(model);
    uint64_t number = names->implicit ? names->first : 1;
    JsonToken token;
    char name[NUMBER_SIZE];

    if (first->type != JSON_OBJECT && first->type != JSON_ARRAY)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "expected an array of numbers or an object by feature number, found %s",
                        clv_json_type(first->type));
    for (;;) {
        size_t length;

        TRY(clv_json_next(json, &token, error));
        if (token.type == JSON_ARRAY_END || token.type == JSON_OBJECT_END)
            break;
        if (label && first->type == JSON_OBJECT && key_is(&token, "label")) {
            TRY(label_token(json, label, error));
            continue;
        }
        if (first->type == JSON_ARRAY) {
            length = clv_format_unsigned(name, number++);
        } else {
            length = token.length;
            for (size_t i = 0; i < length; i++)
                if (token.text[i] < '0' || token.text[i] > '9' || length >= NUMBER_SIZE)
                    return clv_fail(error, CLEAVE_ERROR_DATA,
                                    "a key is not the number of a feature");
            memcpy(name, token.text, length);
            TRY(clv_json_next(json, &token, error));
        }
        TRY(put_feature(json->context, name, length, &token, to, error));
    }
    return clv_buffer_add(json->context, to, "\n", 1, error);
}

Status clv_json_value(const Model *model, const JsonToken *token, Buffer *to, cleave_error *error)
{
    if (clv_schema_is_table(&model->schema))
        return put_value(model->context, token, to, error);
    if (token->type == (clv_schema_is_text(&model->schema) ? JSON_STRING : JSON_NUMBER))
        return clv_buffer_add(model->context, to, token->text, token->length, error);
    return clv_fail(error, CLEAVE_ERROR_DATA, "expected %s, found %s",
                    clv_schema_is_text(&model->schema) ? "a text" : "a number",
                    clv_json_type(token->type));
}

/* The label precedes the row, and is "?" in LIBSVM text if it is unknown. */
static Status labeled_row(JsonReader *json, const JsonToken *first, const Model *model,
                          bool labeled, Buffer *to, cleave_error *error)
{
    bool text = clv_schema_is_text(&model->schema);
    Buffer label = {0};
    size_t from = to->size;
    Status status = clv_buffer_add(json->context, &label, "?", text ? 0 : 1, error);

    THEN(status, text ? text_row(json, first, labeled ? &label : NULL, to, error)
                      : numbered_row(json, first, model, labeled ? &label : NULL, to, error));
    for (size_t i = 0; status == OK && !text && i < label.size; i++)
        if (strchr(" #:", label.data[i]))
            status = clv_fail(error, CLEAVE_ERROR_DATA, "the label contains a blank, '#' or ':'");
    THEN(status, insert(json->context, to, from, &label, error));
    clv_free(json->context, label.data);
    return status;
}

Status clv_json_row(JsonReader *json, const Model *model, bool labeled, Buffer *to,
                    cleave_error *error)
{
    JsonToken first;

    TRY(clv_json_next(json, &first, error));
    return clv_schema_is_table(&model->schema)
               ? table_row(json, &first, model, labeled, to, error)
               : labeled_row(json, &first, model, labeled, to, error);
}
