/*
 * Arrow record batches, from the C stream interface
 * (https://arrow.apache.org/docs/format/CStreamInterface.html) or from a file. Batches become the
 * text of a table for the CSV reader, so a model from Arrow equals the model from a file with the
 * same cells.
 */
#include "read/arrow.h"

#include "base/date.h"
#include "base/file.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void clv_arrow_limit(ArrowWriter *writer, uint64_t bytes)
{
    enum { EXPANSION = 1024, FREE_BYTES = 256 << 20 };

    writer->most = bytes * EXPANSION + FREE_BYTES;
}

static Status put(ArrowWriter *writer, const char *text, size_t length)
{
    uint64_t size = writer->written + writer->csv.size + length;

    if (writer->most && size > writer->most)
        return clv_fail_hint(writer->error, CLEAVE_ERROR_DATA,
                             "do not use this file, or save it as CSV if you trust it",
                             "%s: the cells expand to more than %.1f GB of text", writer->name,
                             1e-9 * (double)writer->most);
    return clv_buffer_add(writer->context, &writer->csv, text, length, writer->error);
}

/* Writes a cell of text (RFC 4180), always in quotes. */
static Status put_text(ArrowWriter *writer, const char *text, size_t length)
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

/* Writes a part of a buffer of text, which is NULL if all texts are empty. */
static Status put_part(ArrowWriter *writer, const char *text, int64_t from, int64_t to)
{
    return put_text(writer, text ? text + from : "", (size_t)(to - from));
}

static Status put_signed(ArrowWriter *writer, int64_t number)
{
    char text[NUMBER_SIZE + 1] = "-";
    size_t sign = number < 0;

    return put(
        writer, text,
        sign + clv_format_unsigned(text + sign, sign ? 0 - (uint64_t)number : (uint64_t)number));
}

static Status put_real(ArrowWriter *writer, double number, bool single)
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

/* Reads an integer of the types c C s S i I l L. */
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

/* Writes a cell of string views: a length, then up to 12 bytes, or 4 bytes, a buffer and an
 * offset. */
static Status put_view(ArrowWriter *writer, const struct ArrowArray *array, int64_t at)
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

/* Reads a float16: sign, 5 bits of exponent, 10 of fraction. */
static double half_at(const void *numbers, int64_t at)
{
    uint16_t bits = ((const uint16_t *)numbers)[at];
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023, value;

    if (exponent == 31)
        value = bits & 1023 ? (double)NAN : (double)INFINITY;
    else
        value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* Reads a decimal d:PRECISION,SCALE: a little-endian integer of 128 bits, divided by 10^SCALE. */
static double decimal_at(const char *format, const void *numbers, int64_t at)
{
    const char *stop;
    double scale = 0;
    uint64_t low = ((const uint64_t *)numbers)[2 * at];
    int64_t high = ((const int64_t *)numbers)[2 * at + 1];
    bool negative = high < 0;
    double value;

    clv_parse_double(strchr(format, ',') + 1, format + strlen(format), &scale, &stop);
    if (negative) {
        low = 0 - low;
        high = (int64_t)(~(uint64_t)high + (low == 0));
    }
    value = ((double)(uint64_t)high * 0x1p64 + (double)low) / pow(10, scale);
    return negative ? -value : value;
}

/* Writes dates (tdD: days, tdm: milliseconds) and timestamps (tss: seconds, tsm, tsu, tsn) in UTC,
 * as ISO 8601. */
static Status put_date(ArrowWriter *writer, const char *format, const void *values, int64_t at)
{
    static const char units[] = "s..m..u..n"; /* the power of ten is the position */
    const char *unit = strchr(units, format[2]);
    bool days = format[2] == 'D';
    int64_t value = days ? ((const int32_t *)values)[at] : ((const int64_t *)values)[at],
            second = 1, day_length, rest;
    char text[DATE_SIZE], digits[NUMBER_SIZE];
    const char *iso;
    Moment moment = {.timed = format[1] == 's'};

    for (long i = 0; unit && i < unit - units; i++)
        second *= 10;
    day_length = days ? 1 : 86400 * second;
    rest = value % day_length;
    rest += rest < 0 ? day_length : 0;
    moment.day = (value - rest) / day_length;
    if (moment.day < clv_days_of_date(1, 1, 1) || moment.day > clv_days_of_date(9999, 12, 31))
        return OK; /* outside of the calendar: the value is missing */
    moment.seconds = (double)(rest / second);
    iso = clv_date_format(&moment, DATE_PLAIN, text);
    TRY(put(writer, iso, strlen(iso)));
    if (!moment.timed || rest % second == 0)
        return OK;
    snprintf(digits, sizeof digits, ".%0*lld", (int)(unit - units), (long long)(rest % second));
    return put(writer, digits, strlen(digits));
}

static Status put_cell(ArrowWriter *writer, const struct ArrowSchema *schema,
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

        return put_part(writer, array->buffers[2], end[at], end[at + 1]);
    }
    case 'U': {
        const int64_t *end = values;

        return put_part(writer, array->buffers[2], end[at], end[at + 1]);
    }
    case 'v':
        return put_view(writer, array, at);
    case 'e':
        return put_real(writer, half_at(values, at), true);
    case 'd':
        return put_real(writer, decimal_at(schema->format, values, at), false);
    case 't':
        return put_date(writer, schema->format, values, at);
    default:
        return put_signed(writer, integer_at(format, values, at));
    }
}

static bool is_known(const char *format)
{
    static const char *const others[] = {"vu", "tdD", "tdm", NULL};
    const char *comma = strchr(format, ',');

    for (const char *const *other = others; *other; other++)
        if (strcmp(format, *other) == 0)
            return true;
    if (strncmp(format, "ts", 2) == 0)
        return format[2] && strchr("smun", format[2]) && format[3] == ':';
    if (strncmp(format, "d:", 2) == 0)
        return comma && (!strchr(comma + 1, ',') || strcmp(strchr(comma + 1, ','), ",128") == 0);
    return format[0] && !format[1] && strchr("ncCsSiIlLefgbuU", format[0]);
}

static Status check_column(const ArrowWriter *writer, const struct ArrowSchema *column)
{
    bool known = column->format && is_known(column->format);
    const char *title = column->name ? column->name : "", *type = column->format;
    char quoted[QUOTE_SIZE], name[QUOTE_SIZE];

    type = type ? type : "";
    if (column->dictionary)
        known = known && strchr("cCsSiIlL", column->format[0]) && column->dictionary->format &&
                is_known(column->dictionary->format) && !column->dictionary->dictionary;
    if (known)
        return OK;
    return clv_fail_hint(
        writer->error, CLEAVE_ERROR_DATA,
        "cast it to a number, a boolean, UTF-8 text, a date, a timestamp or a dictionary of these, "
        "or leave it out",
        "%s: column '%s' has the Arrow type '%s', which is not supported", writer->name,
        clv_quote(name, title, strlen(title)), clv_quote(quoted, type, strlen(type)));
}

static bool has_labels(const cleave_rows *rows)
{
    return rows->labels || rows->classes || rows->targets;
}

/* Writes ",name=kind" or "name=kind". */
static Status put_kind(ArrowWriter *writer, const char *name, const char *kind)
{
    Buffer *columns = &writer->columns;

    if (columns->size)
        TRY(clv_buffer_add(writer->context, columns, ",", 1, writer->error));
    TRY(clv_buffer_add(writer->context, columns, name, strlen(name), writer->error));
    return clv_buffer_add(writer->context, columns, kind, strlen(kind), writer->error);
}

/* Writes the names of the columns of labels and weights. */
static Status put_own_header(ArrowWriter *writer)
{
    static const char weight[] = "sample weight";

    if (writer->rows && has_labels(writer->rows)) {
        TRY(put(writer, ",", 1));
        TRY(put_text(writer, writer->label, strlen(writer->label)));
    }
    if (!writer->rows || !writer->rows->weights)
        return OK;
    TRY(put(writer, ",", 1));
    TRY(put_text(writer, weight, sizeof weight - 1));
    return put_kind(writer, weight, "=weight");
}

/* Writes the cells of the label and the weight of a row. */
static Status put_own_cells(ArrowWriter *writer)
{
    const cleave_rows *rows = writer->rows;
    size_t row = writer->row++;

    if (!rows)
        return OK;
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

/* Writes "name=number" or "name=category" for types that imply a kind. */
static Status add_kind(ArrowWriter *writer, const struct ArrowSchema *column)
{
    const char *name = column->name ? column->name : "";
    ArrowKind kind = column->dictionary                   ? ARROW_CATEGORY
                     : strchr("nuUvt", column->format[0]) ? ARROW_ANY
                                                          : ARROW_NUMBER;

    TRY(clv_buffer_add(writer->context, &writer->kinds, (char[]){(char)kind}, 1, writer->error));
    if (!writer->label || kind == ARROW_ANY || strcmp(name, writer->label) == 0 ||
        strpbrk(name, ",=") || !*name)
        return OK;
    return put_kind(writer, name, kind == ARROW_NUMBER ? "=number" : "=category");
}

Status clv_arrow_begin(ArrowWriter *writer, const struct ArrowSchema *schema)
{
    if (!schema->format || strcmp(schema->format, "+s") != 0 || schema->n_children < 1)
        return clv_fail(writer->error, CLEAVE_ERROR_DATA,
                        "%s: expected Arrow record batches with columns", writer->name);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *column = schema->children[i];
        const char *name = column->name ? column->name : "";

        TRY(check_column(writer, column));
        TRY(add_kind(writer, column));
        TRY(put(writer, ",", i > 0));
        TRY(put_text(writer, name, strlen(name)));
    }
    TRY(put_own_header(writer));
    TRY(clv_buffer_add(writer->context, &writer->columns, "", 1, writer->error));
    return put(writer, "\n", 1);
}

Status clv_arrow_end(ArrowWriter *writer)
{
    if (writer->file < 0)
        return OK;
    TRY(clv_temporary_write(writer->file, writer->csv.data, writer->csv.size, writer->error));
    writer->written += writer->csv.size;
    writer->csv.size = 0;
    if (clv_cancelled(writer->context))
        return clv_fail(writer->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    return OK;
}

enum { WRITTEN_AT_ONCE = 1 << 20 };

static Status put_row(ArrowWriter *writer, const struct ArrowSchema *schema,
                      const struct ArrowArray *batch, int64_t row)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        size_t before = writer->csv.size;

        TRY(put(writer, ",", i > 0));
        TRY(put_cell(writer, schema->children[i], batch->children[i], row + batch->offset));
        if (schema->n_children == 1 && writer->csv.size == before)
            TRY(put(writer, "\"\"", 2)); /* a blank line would be skipped */
        if (writer->csv.size >= WRITTEN_AT_ONCE)
            TRY(clv_arrow_end(writer));
    }
    TRY(put_own_cells(writer));
    return put(writer, "\n", 1);
}

Status clv_arrow_put(ArrowWriter *writer, const struct ArrowSchema *schema,
                     const struct ArrowArray *batch)
{
    if (batch->n_children != schema->n_children)
        return clv_fail(writer->error, CLEAVE_ERROR_DATA,
                        "%s: expected %lld columns in a batch, found %lld", writer->name,
                        (long long)schema->n_children, (long long)batch->n_children);
    for (int64_t row = 0; row < batch->length; row++)
        TRY(put_row(writer, schema, batch, row));
    return OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

static Status fail_stream(const ArrowWriter *writer, struct ArrowArrayStream *stream,
                          const char *what, int code)
{
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    char quoted[QUOTE_SIZE];

    return clv_fail(writer->error, CLEAVE_ERROR_IO, "%s: reading %s failed with code %d: %s",
                    writer->name, what, code,
                    why ? clv_quote(quoted, why, strlen(why)) : "no message");
}

static Status put_batches(ArrowWriter *writer, struct ArrowArrayStream *stream,
                          const struct ArrowSchema *schema)
{
    for (;;) {
        struct ArrowArray batch = {0};
        int code = stream->get_next(stream, &batch);
        Status status;

        if (code != 0)
            return fail_stream(writer, stream, "a record batch", code);
        if (!batch.release)
            return clv_arrow_end(writer);
        status = clv_arrow_put(writer, schema, &batch);
        batch.release(&batch);
        TRY(status);
    }
}

Status clv_arrow_put_stream(ArrowWriter *writer, struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema = {0};
    int code = stream->get_schema(stream, &schema);
    Status status = OK;

    if (code != 0)
        status = fail_stream(writer, stream, "the schema", code);
    else if (writer->kinds.size == 0)
        status = clv_arrow_begin(writer, &schema);
    THEN(status, put_batches(writer, stream, &schema));
    if (schema.release)
        schema.release(&schema);
    if (stream->release)
        stream->release(stream);
    return status;
}
