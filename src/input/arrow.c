/*
 * The Arrow C stream interface (https://arrow.apache.org/docs/format/CStreamInterface.html). Record
 * batches become the text of a table for the CSV reader, so a model from Arrow equals the model
 * from a file with the same cells.
 */
#include "input/arrow.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

typedef struct {
    Context *context;
    Buffer *csv;
    cleave_error *error;
    const cleave_rows *rows; /* labels and weights */
    size_t row;              /* of the stream */
} Writer;

static Status put(Writer *writer, const char *text, size_t length)
{
    return clv_buffer_add(writer->context, writer->csv, text, length, writer->error);
}

/* A cell of text (RFC 4180), always in quotes. */
static Status put_text(Writer *writer, const char *text, size_t length)
{
    TRY(put(writer, "\"", 1));
    for (size_t i = 0, start = 0; i <= length; i++)
        if (i == length || text[i] == '"') {
            TRY(put(writer, text + start, i - start));
            if (i < length)
                TRY(put(writer, "\"\"", 2));
            start = i + 1;
        }
    return put(writer, "\"", 1);
}

static Status put_signed(Writer *writer, int64_t number)
{
    char text[NUMBER_SIZE + 1] = "-";
    size_t sign = number < 0;

    return put(
        writer, text,
        sign + clv_format_unsigned(text + sign, sign ? 0 - (uint64_t)number : (uint64_t)number));
}

static Status put_real(Writer *writer, double number, bool single)
{
    char text[NUMBER_SIZE];

    if (isnan(number))
        return OK;
    return put(writer, text,
               single ? clv_format_float(text, (float)number) : clv_format_double(text, number));
}

static bool bit_at(const void *bits, int64_t at)
{
    return ((const uint8_t *)bits)[at / 8] >> (at % 8) & 1;
}

/* An integer of the types c C s S i I l L. */
static int64_t integer_at(char format, const void *numbers, int64_t at)
{
    switch (format) {
    case 'c':
        return ((const int8_t *)numbers)[at];
    case 'C':
        return ((const uint8_t *)numbers)[at];
    case 's':
        return ((const int16_t *)numbers)[at];
    case 'S':
        return ((const uint16_t *)numbers)[at];
    case 'i':
        return ((const int32_t *)numbers)[at];
    case 'I':
        return ((const uint32_t *)numbers)[at];
    default:
        return ((const int64_t *)numbers)[at];
    }
}

/* A cell of string views: a length, then up to 12 bytes, or 4 bytes, a buffer and an offset. */
static Status put_view(Writer *writer, const struct ArrowArray *array, int64_t at)
{
    enum { VIEW = 16, INLINE = 12 };
    const char *view = (const char *)array->buffers[1] + at * VIEW;
    int32_t length, buffer, offset;

    memcpy(&length, view, sizeof length);
    memcpy(&buffer, view + 8, sizeof buffer);
    memcpy(&offset, view + 12, sizeof offset);
    return length <= INLINE ? put_text(writer, view + 4, (size_t)length)
                            : put_text(writer, (const char *)array->buffers[2 + buffer] + offset,
                                       (size_t)length);
}

static Status put_cell(Writer *writer, const struct ArrowSchema *schema,
                       const struct ArrowArray *array, int64_t row)
{
    char format = schema->format[0];
    int64_t at = row + array->offset;
    const void *values = array->n_buffers > 1 ? array->buffers[1] : NULL;

    if (format == 'n' ||
        (array->null_count != 0 && array->buffers[0] && !bit_at(array->buffers[0], at)))
        return OK;
    if (schema->dictionary)
        return put_cell(writer, schema->dictionary, array->dictionary,
                        integer_at(format, values, at));
    switch (format) {
    case 'b':
        return put(writer, bit_at(values, at) ? "1" : "0", 1);
    case 'f':
        return put_real(writer, (double)((const float *)values)[at], true);
    case 'g':
        return put_real(writer, ((const double *)values)[at], false);
    case 'L': {
        char text[NUMBER_SIZE];

        return put(writer, text, clv_format_unsigned(text, ((const uint64_t *)values)[at]));
    }
    case 'u': {
        const int32_t *end = values;

        return put_text(writer, (const char *)array->buffers[2] + end[at],
                        (size_t)(end[at + 1] - end[at]));
    }
    case 'U': {
        const int64_t *end = values;

        return put_text(writer, (const char *)array->buffers[2] + end[at],
                        (size_t)(end[at + 1] - end[at]));
    }
    case 'v':
        return put_view(writer, array, at);
    default:
        return put_signed(writer, integer_at(format, values, at));
    }
}

static bool is_known(const char *format)
{
    if (format && strcmp(format, "vu") == 0)
        return true;
    return format && format[0] && !format[1] && strchr("ncCsSiIlLfgbuU", format[0]);
}

static Status check_column(const struct ArrowSchema *column, cleave_error *error)
{
    bool known = is_known(column->format);
    char quoted[QUOTE_SIZE];

    if (column->dictionary)
        known = known && strchr("cCsSiIlL", column->format[0]) &&
                is_known(column->dictionary->format) && !column->dictionary->dictionary;
    if (known)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "cast it to an integer, a floating-point number, a boolean, UTF-8 text or a "
        "dictionary of these",
        "Arrow: column '%s' has the type '%s', which is not supported",
        column->name ? column->name : "",
        clv_quote(quoted, column->format, strlen(column->format)));
}

static bool has_labels(const cleave_rows *rows)
{
    return rows->labels || rows->classes || rows->targets;
}

/* ",name=kind" or "name=kind" */
static Status put_kind(Writer *writer, const char *name, const char *kind, Buffer *columns)
{
    if (columns->size)
        TRY(clv_buffer_add(writer->context, columns, ",", 1, writer->error));
    TRY(clv_buffer_add(writer->context, columns, name, strlen(name), writer->error));
    return clv_buffer_add(writer->context, columns, kind, strlen(kind), writer->error);
}

/* The names of the columns of labels and weights. */
static Status put_own_header(Writer *writer, const char *label, Buffer *columns)
{
    static const char weight[] = "sample weight";

    if (has_labels(writer->rows)) {
        TRY(put(writer, ",", 1));
        TRY(put_text(writer, label, strlen(label)));
    }
    if (!writer->rows->weights)
        return OK;
    TRY(put(writer, ",", 1));
    TRY(put_text(writer, weight, sizeof weight - 1));
    return put_kind(writer, weight, "=weight", columns);
}

/* The cells of the label and the weight of a row. */
static Status put_own_cells(Writer *writer)
{
    const cleave_rows *rows = writer->rows;
    size_t row = writer->row++;

    TRY(put(writer, ",", has_labels(rows)));
    if (rows->labels && rows->labels[row])
        TRY(put_text(writer, rows->labels[row], strlen(rows->labels[row])));
    if (rows->classes)
        TRY(put_signed(writer, rows->classes[row]));
    if (rows->targets)
        TRY(put_real(writer, rows->targets[row], false));
    TRY(put(writer, ",", rows->weights != NULL));
    return rows->weights ? put_real(writer, (double)rows->weights[row], true) : OK;
}

/* "name=number" or "name=category" for types that imply a kind. */
static Status add_kind(Writer *writer, const struct ArrowSchema *column, const char *label,
                       Buffer *columns)
{
    const char *name = column->name ? column->name : "";
    const char *kind = column->dictionary                  ? "=category"
                       : strchr("nuUv", column->format[0]) ? NULL
                                                           : "=number";

    if (!label || !kind || strcmp(name, label) == 0 || strpbrk(name, ",=") || !*name)
        return OK;
    return put_kind(writer, name, kind, columns);
}

static Status put_header(Writer *writer, const struct ArrowSchema *schema, const char *label,
                         Buffer *columns)
{
    if (!schema->format || strcmp(schema->format, "+s") != 0 || schema->n_children < 1)
        return clv_fail(writer->error, CLEAVE_ERROR_DATA,
                        "Arrow: expected a stream of record batches with columns");
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *column = schema->children[i];
        const char *name = column->name ? column->name : "";

        TRY(check_column(column, writer->error));
        TRY(add_kind(writer, column, label, columns));
        TRY(put(writer, ",", i > 0));
        TRY(put_text(writer, name, strlen(name)));
    }
    TRY(put_own_header(writer, label, columns));
    TRY(clv_buffer_add(writer->context, columns, "", 1, writer->error));
    return put(writer, "\n", 1);
}

static Status put_batch(Writer *writer, const struct ArrowSchema *schema,
                        const struct ArrowArray *batch)
{
    if (batch->n_children != schema->n_children)
        return clv_fail(writer->error, CLEAVE_ERROR_DATA,
                        "Arrow: expected %lld columns in a batch, found %lld",
                        (long long)schema->n_children, (long long)batch->n_children);
    for (int64_t row = 0; row < batch->length; row++) {
        for (int64_t i = 0; i < schema->n_children; i++) {
            size_t before = writer->csv->size;

            TRY(put(writer, ",", i > 0));
            TRY(put_cell(writer, schema->children[i], batch->children[i], row + batch->offset));
            if (schema->n_children == 1 && writer->csv->size == before)
                TRY(put(writer, "\"\"", 2)); /* a blank line would be skipped */
        }
        TRY(put_own_cells(writer));
        TRY(put(writer, "\n", 1));
    }
    return OK;
}

static Status fail_stream(struct ArrowArrayStream *stream, const char *what, int code,
                          cleave_error *error)
{
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    char quoted[QUOTE_SIZE];

    return clv_fail(error, CLEAVE_ERROR_IO, "Arrow: reading %s failed with code %d: %s", what, code,
                    why ? clv_quote(quoted, why, strlen(why)) : "no message");
}

static Status put_batches(Writer *writer, struct ArrowArrayStream *stream,
                          const struct ArrowSchema *schema)
{
    for (;;) {
        struct ArrowArray batch = {0};
        int code = stream->get_next(stream, &batch);
        Status status;

        if (code != 0)
            return fail_stream(stream, "a record batch", code, writer->error);
        if (!batch.release)
            return OK;
        status = put_batch(writer, schema, &batch);
        batch.release(&batch);
        TRY(status);
    }
}

Status clv_arrow_to_csv(Context *context, struct ArrowArrayStream *stream, const cleave_rows *rows,
                        const char *label, Buffer *csv, Buffer *columns, cleave_error *error)
{
    Writer writer = {.context = context, .csv = csv, .error = error, .rows = rows};
    struct ArrowSchema schema = {0};
    int code = stream->get_schema(stream, &schema);
    Status status;

    if (code != 0)
        status = fail_stream(stream, "the schema", code, error);
    else
        status = put_header(&writer, &schema, label, columns);
    THEN(status, put_batches(&writer, stream, &schema));
    if (schema.release)
        schema.release(&schema);
    if (stream->release)
        stream->release(stream);
    return status;
}
