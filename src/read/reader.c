/* The reader as a source: settles chunks in order and returns them as blocks. Opens files and
 * memory. */
#include "base/file.h"
#include "data/dataset.h"
#include "read/array.h"
#include "read/reader_parts.h"
#include "read/records.h"
#include "read/words.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static Status settle(Reader *reader, ReaderSlot *slot, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Chunk *chunk = &slot->chunk;
    Status status;

    if (chunk->status != OK) {
        if (!slot->placed)
            return clv_reader_place_error(reader, chunk, error);
        if (error)
            *error = chunk->error;
        return chunk->status;
    }
    if (chunk->left_out && !parts->again)
        clv_warn(reader->source.context, NULL,
                 "%s: the last line is incomplete; its %zu bytes are ignored", reader->path,
                 chunk->left_out);
    status = clv_chunk_settle(reader, chunk, error);
    if (status != OK)
        return chunk->status != OK ? clv_reader_place_error(reader, chunk, error) : status;
    if (chunk->empty_rows && !parts->empty_rows) {
        uint64_t line = reader->line + chunk->first_empty_line;
        char path[FOLDER_PATH_SIZE];
        const char *name = reader->folder ? clv_folder_path(reader->folder, line - 1, path)
                                          : reader->path;

        parts->first_empty_line = reader->folder || reader->format == &clv_format_document ? 0
                                                                                           : line;
        parts->first_empty_file = clv_copy_string(reader->source.context, name, strlen(name));
    }
    parts->raw_bytes += chunk->bytes_read;
    parts->empty_rows += chunk->empty_rows;
    parts->file_empty_rows += chunk->empty_rows;
    if (chunk->unfinished && !parts->again)
        clv_reader_warn_unfinished(reader, reader_line(reader, chunk->lines));
    clv_chunk_count(reader, chunk);
    if (chunk->block.line) {
        chunk->block.first_line = reader_line(reader, chunk->block.first_line);
        chunk->block.file = reader->file;
    }
    reader->line += chunk->lines;
    parts->file_rows += chunk->block.rows;
    return reader->tap ? clv_records_emit(reader, chunk, error) : OK;
}

/* Frees the memory of all chunks after the last row, before the source is closed. After rewinding,
 * the reader allocates them again. */
static void release_chunks(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    clv_reader_stop_workers(parts);
    parts->stop = false;
    for (size_t i = 0; i < parts->slots; i++)
        clv_chunk_release(reader, &parts->slot[i].chunk);
    clv_free(reader->source.context, parts->carry.data);
    parts->carry = (Buffer){0};
}

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    Reader *reader = (Reader *)source;
    struct ReaderParts *parts = reader->parts;

    *block = NULL;
    if (clv_reader_is_orphaned(parts))
        return clv_reader_refuse_orphan(reader, error);
    TRY(clv_label_check_sample(reader, error));
    while (!parts->ended) {
        ReaderSlot *slot;

        clv_reader_give_back(reader);
        if (parts->threads && parts->started == 0)
            clv_reader_start_workers(reader);
        clv_reader_wait(reader, &slot);
        if (!slot) {
            bool opened;

            TRY(clv_reader_check_file(reader, error));
            TRY(clv_reader_next_file(reader, &opened, error));
            if (!opened) {
                parts->ended = true;
                TRY(clv_reader_check_label_guess(reader, true, error));
                if (!reader->options.ranged && !parts->again)
                    TRY(clv_reader_check_all(reader, error));
                if (reader->format->report && !parts->again)
                    reader->format->report(reader);
                clv_words_note_collisions(reader);
                release_chunks(reader);
            }
            continue;
        }
        parts->holding = true;
        TRY(settle(reader, slot, error));
        TRY(clv_reader_check_label_guess(reader, false, error));
        source->bytes = parts->raw_bytes + (parts->bytes ? clv_bytes_done(parts->bytes) : 0);
        if (slot->chunk.block.rows == 0)
            continue;
        source->unseen = slot->chunk.unseen;
        *block = &slot->chunk.block;
        return OK;
    }
    source->unseen = NULL;
    return OK;
}

static Status rewind_reader(Source *source, cleave_error *error)
{
    Reader *reader = (Reader *)source;
    struct ReaderParts *parts = reader->parts;

    if (clv_reader_is_orphaned(parts))
        return clv_reader_refuse_orphan(reader, error);
    for (size_t i = 0; i < parts->path_count; i++) {
        uint64_t size;

        if (!clv_regular_file(parts->paths[i], &size) && !clv_is_folder(parts->paths[i]))
            return clv_fail_hint(
                error, CLEAVE_ERROR_IO,
                "save it to a file first, or run 'cleave convert - -o data.cleave'",
                "%s: the input can be read only once",
                strcmp(parts->paths[i], "-") == 0 ? "standard input" : parts->paths[i]);
    }
    clv_reader_stop_workers(parts);
    parts->stop = false;
    for (size_t i = 0; i < parts->slots; i++)
        parts->slot[i].state = FREE;
    parts->fetched = parts->settled = 0;
    parts->holding = parts->ended = parts->memory_used = false;
    parts->next_path = 0;
    parts->again = true;
    parts->raw_bytes = parts->empty_rows = reader->dropped = 0;
    clv_free(source->context, parts->first_empty_file);
    parts->first_empty_file = NULL;
    source->bytes = 0;
    for (uint32_t i = 0; i < source->labels.count; i++)
        source->labels.list[i].count = 0;
    source->labels.unlabeled = 0;
    {
        bool opened;

        return clv_reader_next_file(reader, &opened, error);
    }
}

static void close_reader(Source *source)
{
    Reader *reader = (Reader *)source;
    struct ReaderParts *parts = reader->parts;
    Context *context = source->context;

    /* memory that another thread was changing at the time of the fork is not freed */
    if (!parts || clv_reader_is_orphaned(parts))
        return;
    clv_reader_stop_workers(parts);
    if (parts->synchronised) {
        pthread_mutex_destroy(&parts->lock);
        pthread_cond_destroy(&parts->work);
        pthread_cond_destroy(&parts->done);
    }
    clv_records_free(reader);
    clv_drop_archive_labels(reader);
    clv_guesses_free(&reader->guesses);
    if (reader->format && reader->format->finish)
        reader->format->finish(reader);
    for (size_t i = 0; parts->slot && i < parts->slots; i++) {
        clv_chunk_release(reader, &parts->slot[i].chunk);
        clv_free(context, parts->slot[i].chunk.scratch);
    }
    clv_words_forget_plan(reader);
    clv_free(context, parts->slot);
    clv_bytes_close(parts->bytes);
    clv_folder_close(parts->folder);
    clv_free(context, parts->carry.data);
    for (size_t i = 0; parts->paths && i < parts->path_count; i++)
        clv_free(context, parts->paths[i]);
    FREE(context, reader->column_kinds.data, parts->paths, parts->path_size, parts->memory_name,
         parts->first_empty_file, parts->worker, parts);
}

static const SourceOps reader_ops = {
    .next = next_block, .rewind = rewind_reader, .close = close_reader};

Reader *clv_reader_of(const Source *source)
{
    return source && source->ops == &reader_ops ? (Reader *)(uintptr_t)source : NULL;
}

void clv_reader_take_guesses(Source *source, Guesses *guesses)
{
    Reader *reader = clv_reader_of(source);

    if (!reader)
        return;
    *guesses = reader->guesses;
    clv_guesses_init(&reader->guesses, source->context);
    reader->guesses.noted = true;
}

void clv_reader_ignore_label(Source *source)
{
    Reader *reader = clv_reader_of(source);

    if (reader)
        reader->label_guess.ignored = true;
}

bool clv_reader_rewindable(const Reader *reader)
{
    const struct ReaderParts *parts = reader->parts;

    for (size_t i = 0; i < parts->path_count; i++) {
        uint64_t size;

        if (!clv_regular_file(parts->paths[i], &size) && !clv_is_folder(parts->paths[i]))
            return false;
    }
    return true;
}

/* ---- making a reader ------------------------------------------------------------------------- */

static Status make_slots(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Context *context = reader->source.context;

    parts->threads = context->config.threads > 1 ? context->config.threads : 0;
    parts->slots = parts->threads ? 2 * (size_t)parts->threads + 2 : 1;
    parts->slot = clv_alloc_zero(context, parts->slots, sizeof *parts->slot);
    parts->worker = clv_alloc_zero(context, parts->threads, sizeof *parts->worker);
    if (!parts->slot || !parts->worker)
        return clv_fail_memory(error, "a reader", parts->slots * sizeof *parts->slot);
    for (size_t i = 0; i < parts->slots; i++) {
        clv_builder_init(&parts->slot[i].chunk.builder, context);
        clv_labels_init(&parts->slot[i].chunk.labels, context);
    }
    if (parts->threads) {
        pthread_mutex_init(&parts->lock, NULL);
        pthread_cond_init(&parts->work, NULL);
        pthread_cond_init(&parts->done, NULL);
        parts->synchronised = true;
    }
    return OK;
}

static Status new_reader(Context *context, const ReadOptions *options, const ReadGuide *guide,
                         Reader **result, cleave_error *error)
{
    Reader *reader;
    Status status = OK;

    *result = NULL;
    TRY(ALLOC_ZERO(context, reader, 1, "a reader", error));
    clv_source_init(&reader->source, context, &reader_ops);
    clv_guesses_init(&reader->guesses, context);
    reader->options = *options;
    reader->parts = clv_alloc_zero(context, 1, sizeof *reader->parts);
    status = reader->parts ? make_slots(reader, error)
                           : clv_fail_memory(error, "a reader", sizeof *reader->parts);
    if (status == OK && guide) {
        reader->guide_schema = guide->schema;
        reader->source.features = guide->features;
        reader->found_empty = guide->found_empty;
        status = clv_names_copy(&reader->source.names, guide->names, error);
        reader->source.names.frozen = !guide->grows;
    }
    if (status != OK) {
        clv_source_close(&reader->source);
        return status;
    }
    *result = reader;
    return OK;
}

void clv_reader_note_guesses(Reader *reader)
{
    Guesses *guesses = &reader->guesses;

    if (guesses->note.size && !guesses->noted && reader_reports(reader))
        clv_note(reader->source.context, "%s: %s", reader->path, guesses->note.data);
    guesses->noted = true;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The first file, from its first bytes, determines the format of all files. */
static Status begin(Reader *reader, cleave_error *error)
{
    const Schema *guide = reader->guide_schema;

    if (!reader->format)
        TRY(clv_choose_format(
            reader, reader->parts->carry.data,
            reader->parts->carry.size < SNIFFED ? reader->parts->carry.size : SNIFFED, error));
    TRY(clv_reader_check_format(reader, reader->path, error));
    for (size_t i = 0; i < reader->parts->slots; i++)
        TRY(clv_chunk_prepare(reader, &reader->parts->slot[i].chunk, error));
    if (!guide) {
        snprintf(reader->source.schema.format, sizeof reader->source.schema.format, "%s",
                 reader->format->name);
        clv_names_free(&reader->source.names);
        clv_names_init(&reader->source.names, reader->source.context,
                       reader->format == &clv_format_libsvm ||
                           (!reader->format->text && reader->format != &clv_format_folder &&
                            reader->format != &clv_format_document));
    }
    TRY(clv_reader_start_format(reader, error));
    clv_reader_note_guesses(reader);
    return OK;
}

Status clv_read_memory(Context *context, const char *name, const void *bytes, size_t size,
                       const Format *format, const ReadOptions *options, const ReadGuide *guide,
                       Source **source, cleave_error *error)
{
    Reader *reader;
    Status status = OK;

    *source = NULL;
    TRY(new_reader(context, options, guide, &reader, error));
    reader->format = format;
    reader->options.format = format->name;
    reader->parts->memory = bytes;
    reader->parts->memory_size = size;
    reader->parts->memory_name = clv_copy_string(context, name, strlen(name));
    if (!reader->parts->memory_name)
        status = clv_fail_memory(error, "a file name", strlen(name));
    THEN(status, clv_reader_open_file(reader, error));
    THEN(status, clv_reader_read_head(reader, error));
    THEN(status, begin(reader, error));
    if (status != OK) {
        clv_source_close(&reader->source);
        return status;
    }
    *source = &reader->source;
    return OK;
}

static Status measure_paths(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    TRY(ALLOC_ZERO(reader->source.context, parts->path_size, parts->path_count, "sizes of files",
                   error));
    for (size_t i = 0; i < parts->path_count; i++)
        if (!clv_regular_file(parts->paths[i], &parts->path_size[i]))
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: only a regular file can be read in parts",
                            parts->paths[i]);
    return OK;
}

static Status copy_paths(Reader *reader, const char *const *paths, size_t count,
                         cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    TRY(ALLOC_ZERO(reader->source.context, parts->paths, count, "file names", error));
    parts->path_count = count;
    for (size_t i = 0; i < count; i++) {
        parts->paths[i] = clv_copy_string(reader->source.context, paths[i], strlen(paths[i]));
        if (!parts->paths[i])
            return clv_fail_memory(error, "a file name", strlen(paths[i]));
    }
    return reader->options.ranged ? measure_paths(reader, error) : OK;
}

/* Copies the open stream, of which the first bytes have been read, to an unlinked temporary
 * file. */
static Status spool(Reader *reader, int *file, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Context *context = reader->source.context;
    Status status = OK;
    size_t got = parts->carry.size;

    TRY(clv_temporary_file(context, NULL, file, error));
    while (status == OK && got) {
        status = clv_temporary_write(*file, parts->carry.data, got, error);
        THEN(status, clv_bytes_read(parts->bytes, parts->carry.data, HEAD_BYTES, &got, error));
    }
    if (status != OK) {
        close(*file);
        *file = -1;
    }
    return status;
}

static Status begin_or_spool(Reader *reader, int *spooled, cleave_error *error)
{
    TRY(clv_reader_open_file(reader, error));
    TRY(clv_reader_read_head(reader, error));
    if (!reader->folder && clv_dataset_sniff(reader->parts->carry.data, reader->parts->carry.size))
        return spool(reader, spooled, error);
    return begin(reader, error);
}

Status clv_read_text_files(Context *context, const char *const *paths, size_t count,
                           const ReadOptions *options, const ReadGuide *guide, Source **source,
                           int *spooled, cleave_error *error)
{
    Reader *reader;
    Status status;

    *source = NULL;
    *spooled = -1;
    if (options->weights && options->ranged)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--weights: data that is read in parts must have its weights in a column");
    TRY(new_reader(context, options, guide, &reader, error));
    status = copy_paths(reader, paths, count, error);
    THEN(status, begin_or_spool(reader, spooled, error));
    if (status != OK || *spooled >= 0) {
        clv_source_close(&reader->source);
        return status;
    }
    reader->found_empty = NULL; /* the caller's pointer is no longer valid */
    for (size_t i = 0; i < count; i++) {
        uint64_t size;

        if (clv_regular_file(paths[i], &size))
            reader->source.bytes_total += size;
    }
    *source = &reader->source;
    return OK;
}
