/* Operations on chunks shared by all formats: record an error, number labels, map them to the
 * source's labels. */
#include "base/escape.h"
#include "read/classes.h"
#include "read/folder.h"
#include "read/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    MOST_CLASSES = 65536
}; /* if more labels than this are all numeric, they are regression targets */

Status clv_chunk_fail(Chunk *chunk, uint64_t line, uint64_t column, cleave_code code,
                      const char *format, ...)
{
    va_list args;

    if (chunk->status != OK)
        return chunk->status;
    va_start(args, format);
    clv_vprint_line(chunk->error.message, sizeof chunk->error.message, format, args);
    va_end(args);
    chunk->error.hint[0] = '\0';
    chunk->error.code = chunk->status = code;
    chunk->error_line = line;
    chunk->error_column = column;
    return code;
}

Status clv_chunk_hint(Chunk *chunk, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    clv_vprint_line(chunk->error.hint, sizeof chunk->error.hint, format, args);
    va_end(args);
    return chunk->status;
}

Status clv_chunk_error(const Reader *reader, const Chunk *chunk, cleave_error *error)
{
    const cleave_error *own = &chunk->error;
    char place[64] = "", document[FOLDER_PATH_SIZE];

    if (reader->folder && chunk->error_line) {
        clv_fail(error, chunk->status, "%s: %s",
                 clv_folder_path(reader->folder, reader->line + chunk->error_line - 1, document),
                 own->message);
        return clv_hint(error, chunk->status, "%s", own->hint);
    }
    if (chunk->error_line && chunk->error_column)
        snprintf(place, sizeof place, ":%llu:%llu",
                 (unsigned long long)(reader->line + chunk->error_line),
                 (unsigned long long)chunk->error_column);
    else if (chunk->error_line)
        snprintf(place, sizeof place, ":%llu",
                 (unsigned long long)(reader->line + chunk->error_line));
    clv_fail(error, chunk->status, "%s%s: %s", reader->path, place, own->message);
    return clv_hint(error, chunk->status, "%s", own->hint);
}

void clv_chunk_clear(Chunk *chunk)
{
    clv_builder_clear(&chunk->builder);
    if (chunk->labels.count || chunk->labels.unlabeled)
        clv_labels_free(&chunk->labels);
    chunk->dropped = 0;
    chunk->lines = chunk->bytes_read = chunk->documents = chunk->empty_rows =
        chunk->first_empty_line = 0;
    chunk->status = OK;
    chunk->error_line = chunk->error_column = 0;
}

Status clv_chunk_label(Chunk *chunk, const char *text, size_t length, uint64_t line,
                       uint32_t *label)
{
    Label *entry;

    *label = UNLABELED;
    if (length == 0 || (length == 1 && text[0] == '?')) {
        if (chunk->labels.unlabeled++ == 0)
            chunk->labels.first_unlabeled_line = line;
        return OK;
    }
    chunk->status = clv_labels_add(&chunk->labels, text, length, label, &chunk->error);
    TRY(chunk->status);
    entry = &chunk->labels.list[*label];
    if (entry->count++ == 0)
        entry->first_line = line;
    return OK;
}

Status clv_chunk_drop(Chunk *chunk, uint64_t line)
{
    chunk->status = GROW(chunk->builder.context, chunk->dropped_line, chunk->dropped_capacity,
                         (size_t)chunk->dropped + 1, &chunk->error);
    TRY(chunk->status);
    chunk->dropped_line[chunk->dropped++] = line;
    return OK;
}

/* Turns labels into regression targets: so many distinct numbers are not classes. From here on rows
 * store the number itself, and the table of labels no longer grows. */
static Status number_targets(Chunk *chunk, cleave_error *error)
{
    Builder *builder = &chunk->builder;

    TRY(GROW(builder->context, builder->number, builder->number_capacity, builder->rows, error));
    for (uint32_t row = 0; row < builder->rows; row++)
        builder->number[row] = builder->label[row] == UNLABELED
                                   ? NAN
                                   : chunk->labels.list[builder->label[row]].number;
    builder->number_rows = builder->rows;
    return OK;
}

/* Strips --trim-labels from both ends of a label; a label that would become empty is unchanged. */
static const char *trimmed(const Reader *reader, const char *text, size_t *length)
{
    const char *trim = reader->options.trim_labels, *end = text + *length, *whole = text;

    while (trim && text < end && strchr(trim, *text))
        text++;
    while (trim && end > text && strchr(trim, end[-1]))
        end--;
    if (text == end)
        return whole;
    *length = (size_t)(end - text);
    return text;
}

bool clv_reader_drops_classes(const Reader *reader)
{
    return reader->format->text || reader->format == &clv_format_folder ||
           reader->format == &clv_format_document;
}

bool clv_keeps_class(const Reader *reader, const char *text, size_t length)
{
    const char *classes = reader->options.classes;

    if (!classes || length == 0)
        return true;
    text = trimmed(reader, text, &length);
    return clv_class_is_listed(classes, text, length, reader->format == &clv_format_libsvm);
}

Status clv_settle_labels(Reader *reader, Chunk *chunk, cleave_error *error)
{
    Labels *labels = &reader->source.labels;
    uint32_t number[256], *map = number;
    bool same = true;
    Status status = OK;

    if (chunk->labels.unlabeled && !labels->unlabeled) {
        labels->first_unlabeled_line = reader_line(reader, chunk->labels.first_unlabeled_line);
        labels->first_unlabeled_file = reader->file;
    }
    labels->unlabeled += chunk->labels.unlabeled;
    TRY(clv_labels_join(labels, &chunk->labels, error));
    if (chunk->labels.count > 256) {
        TRY(ALLOC(reader->source.context, map, chunk->labels.count, "labels", error));
    }
    if (labels->count > MOST_CLASSES && labels->all_numbers && chunk->labels.all_numbers) {
        if (map != number)
            clv_free(reader->source.context, map);
        return number_targets(chunk, error);
    }
    for (uint32_t i = 0; i < chunk->labels.count && status == OK; i++) {
        const Label *own = &chunk->labels.list[i];
        size_t length = strlen(own->text);
        const char *text = trimmed(reader, own->text, &length);

        status = clv_labels_add(labels, text, length, &map[i], error);
        if (status == OK) {
            Label *label = &labels->list[map[i]];

            if (label->count == 0) {
                label->first_line = reader_line(reader, own->first_line);
                label->first_file = reader->file;
            }
            label->count += own->count;
            same = same && map[i] == i;
        }
    }
    for (uint32_t row = 0; row < chunk->builder.rows && status == OK && !same; row++)
        if (chunk->builder.label[row] != UNLABELED)
            chunk->builder.label[row] = map[chunk->builder.label[row]];
    if (map != number)
        clv_free(reader->source.context, map);
    return status;
}

Status clv_chunk_prepare(const Reader *reader, Chunk *chunk, cleave_error *error)
{
    size_t size = reader->format->scratch_size;

    if (size == 0 || chunk->scratch)
        return OK;
    chunk->scratch = clv_alloc_zero(reader->source.context, 1, size);
    return chunk->scratch ? OK : clv_fail_memory(error, "a reader", size);
}

void clv_chunk_release(const Reader *reader, Chunk *chunk)
{
    Context *context = reader->source.context;

    FREE(context, chunk->text, chunk->dropped_line);
    clv_builder_free(&chunk->builder);
    clv_labels_free(&chunk->labels);
    if (chunk->scratch && reader->format->free_scratch)
        reader->format->free_scratch(context, chunk->scratch);
    if (chunk->scratch)
        memset(chunk->scratch, 0, reader->format->scratch_size);
    *chunk = (Chunk){.builder = chunk->builder, .labels = chunk->labels, .scratch = chunk->scratch};
}

Status clv_chunk_settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    if (reader->format->settle)
        return reader->format->settle(reader, chunk, error);
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

void clv_chunk_count(Reader *reader, Chunk *chunk)
{
    Source *source = &reader->source;

    chunk->block.first_row = source->rows;
    source->rows += chunk->block.rows;
    reader->dropped += chunk->dropped;
    if (chunk->block.features > source->features)
        source->features = chunk->block.features;
    if (!source->names.implicit && source->names.count > source->features)
        source->features = source->names.count;
}

Status clv_reader_check_format(const Reader *reader, const char *path, cleave_error *error)
{
    TRY(clv_read_options_check(&reader->options, reader->format->name, path, error));
    return reader->guide_schema
               ? clv_schema_goes_with(reader->guide_schema, reader->format->name, path, error)
               : OK;
}
