/*
 * LIBSVM text: `label index:value index:value …`, one row per line, without zeros. Values are the
 * shortest text that reads back as the same float. Numbered columns keep their numbers. Named
 * columns, such as words, are numbered from 1, because the format has no names.
 */
#include "write/writer.h"

#include "base/number.h"

#include <math.h>

#define ENTRY_SIZE (2 * NUMBER_SIZE + 2) /* maximum size of " index:value" */
#define FLUSH_SIZE ((size_t)1 << 20)

static bool has_column(const Schema *schema, ColumnKind kind)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == kind)
            return true;
    return false;
}

/* Whether names are the original numbers of columns with gaps (data/compact.h). */
static bool are_named_by_number(const Source *source)
{
    return clv_schema_is_numbered(&source->schema) && clv_names_are_numbers(&source->names);
}

static Status begin(Output *output, const Source *source, cleave_error *error)
{
    (void)output;
    (void)error;
    if (!source->names.implicit && !are_named_by_number(source))
        clv_note(source->context,
                 "LIBSVM text has no feature names; columns are written as 1, 2, ...");
    if (has_column(&source->schema, COLUMN_WEIGHT))
        clv_warn(source->context, "write CSV or a .cleave dataset to keep the weights",
                 "LIBSVM text has no sample weights; the weights are dropped");
    return OK;
}

/* Returns why a label cannot be written as LIBSVM text; NULL if it can. */
static const char *what_is_wrong(const char *label)
{
    size_t digits = strspn(label, "0123456789");

    if (*label == '\0')
        return "is empty";
    if (*label == '#')
        return "begins like a comment";
    if (digits > 0 && label[digits] == ':')
        return "looks like a feature";
    for (; *label; label++)
        if ((unsigned char)*label <= ' ' || *label == 0x7F)
            return "contains a blank or a control character";
    return NULL;
}

static Status add_target(const Source *source, const Block *block, uint32_t row, Buffer *out,
                         cleave_error *error)
{
    uint32_t label = block_label(block, row);
    char digits[NUMBER_SIZE];
    const char *text = "?";

    if (block->target_form == TARGETS_NUMBERS) {
        double number = ((const double *)block->target)[row];

        if (!isnan(number)) {
            clv_format_double(digits, number);
            text = digits;
        }
    } else if (label != UNLABELED) {
        const char *why;

        text = source->labels.list[label].text;
        why = what_is_wrong(text);
        if (why) {
            char quoted[QUOTE_SIZE];

            return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                                 "write CSV or a .cleave dataset, which accept any label",
                                 "row %llu: label '%s' cannot be written as LIBSVM text: it %s",
                                 (unsigned long long)(block->first_row + row) + 1,
                                 clv_quote(quoted, text, strlen(text)), why);
        }
    }
    return clv_buffer_add(source->context, out, text, strlen(text), error);
}

static size_t copy_name(char *to, const Names *names, uint32_t column)
{
    size_t length = clv_names_length(names, column);

    memcpy(to, names->text.data + names->offset[column], length);
    return length;
}

static Status add_entries(const Source *source, const Block *block, uint32_t row, bool by_name,
                          Buffer *out, cleave_error *error)
{
    /* Indexes count from 1, unless the rows come from LIBSVM text with indexes from 0. */
    bool as_they_were = clv_schema_is_numbered(&source->schema) && source->names.implicit;
    uint64_t first = as_they_were ? source->names.first : 1;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        char *p;

        TRY(GROW(source->context, out->data, out->capacity, out->size + ENTRY_SIZE, error));
        p = out->data + out->size;
        *p++ = ' ';
        p += by_name ? copy_name(p, &source->names, walk.column)
                     : clv_format_unsigned(p, walk.column + first);
        *p++ = ':';
        if (!isfinite(walk.value))
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "row %llu: the value of feature %llu is not a finite number",
                            (unsigned long long)(block->first_row + row) + 1,
                            (unsigned long long)(walk.column + first));
        p += clv_format_float(p, walk.value);
        out->size = (size_t)(p - out->data);
    }
    return OK;
}

static Status flush(Output *output, Buffer *out, cleave_error *error)
{
    Status status = clv_output_write(output, out->data, out->size, error);

    out->size = 0;
    return status;
}

static Status write_block(Output *output, const Source *source, const Block *block, Buffer *out,
                          cleave_error *error)
{
    bool by_name = are_named_by_number(source);

    out->size = 0;
    for (uint32_t row = 0; row < block->rows; row++) {
        TRY(add_target(source, block, row, out, error));
        if (block->qid) {
            char digits[NUMBER_SIZE];
            size_t length = clv_format_unsigned(digits, block->qid[row]);

            TRY(clv_buffer_add(source->context, out, " qid:", 5, error));
            TRY(clv_buffer_add(source->context, out, digits, length, error));
        }
        TRY(add_entries(source, block, row, by_name, out, error));
        TRY(clv_buffer_add(source->context, out, "\n", 1, error));
        if (out->size >= FLUSH_SIZE)
            TRY(flush(output, out, error));
    }
    return flush(output, out, error);
}

const Writer clv_writer_libsvm = {
    .name = "libsvm",
    .suffixes = (const char *const[]){".libsvm", ".svm", ".svmlight", NULL},
    .begin = begin,
    .block = write_block,
};
