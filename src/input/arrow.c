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
    default:
        return put_signed(writer, integer_at(format, values, at));
    }
}

static bool is_known(const char *format)
{
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
    clv_fail(error, CLEAVE_ERROR_DATA,
             "Arrow: column '%s' has the type '%s', which is not supported",
             column->name ? column->name : "",
             clv_quote(quoted, column->format, strlen(column->format)));
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "cast it to an integer, a floating-point number, a boolean, UTF-8 text or a "
                    "dictionary of these");
}

/* "name=number" or "name=category" for types that imply a kind. */
static Status add_kind(Writer *writer, const struct ArrowSchema *column, const char *label,
                       Buffer *columns)
{
    const char *name = column->name ? column->name : "";
    const char *kind = column->dictionary                 ? "=category"
                       : strchr("nuU", column->format[0]) ? NULL
                                                          : "=number";

    if (!label || !kind || strcmp(name, label) == 0 || strpbrk(name, ",=") || !*name)
        return OK;
    if (columns->size)
        TRY(clv_buffer_add(writer->context, columns, ",", 1, writer->error));
    TRY(clv_buffer_add(writer->context, columns, name, strlen(name), writer->error));
    return clv_buffer_add(writer->context, columns, kind, strlen(kind), writer->error);
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

Status clv_arrow_to_csv(Context *context, struct ArrowArrayStream *stream, const char *label,
                        Buffer *csv, Buffer *columns, cleave_error *error)
{
    Writer writer = {.context = context, .csv = csv, .error = error};
    struct ArrowSchema schema = {0};
    int code = stream->get_schema(stream, &schema);
    Status status;

    if (code != 0)
        status = fail_stream(stream, "the schema", code, error);
    else
        status = put_header(&writer, &schema, label, columns);
    if (status == OK)
        status = put_batches(&writer, stream, &schema);
    if (schema.release)
        schema.release(&schema);
    if (stream->release)
        stream->release(stream);
    return status;
}
