#include "read/pieces.h"

#include "read/words.h"

typedef struct {
    Reader reader; /* first member, because the reader is the source */
    Chunk chunk;
    bool started;
    bool given; /* the chunk has text that was not parsed */
} Pieces;

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    Pieces *pieces = (Pieces *)source;
    Reader *reader = &pieces->reader;
    Chunk *chunk = &pieces->chunk;
    Status status;

    *block = NULL;
    if (!pieces->given)
        return OK;
    pieces->given = false;
    reader->format->parse(reader, chunk);
    if (chunk->status != OK)
        return clv_chunk_error(reader, chunk, error);
    status = clv_chunk_settle(reader, chunk, error);
    if (status != OK)
        return chunk->status != OK ? clv_chunk_error(reader, chunk, error) : status;
    clv_chunk_count(reader, chunk);
    source->unseen = chunk->unseen;
    reader->line += chunk->lines;
    if (chunk->block.rows)
        *block = &chunk->block;
    return OK;
}

static void close_pieces(Source *source)
{
    Pieces *pieces = (Pieces *)source;
    Reader *reader = &pieces->reader;

    if (reader->format->finish)
        reader->format->finish(reader);
    clv_chunk_release(reader, &pieces->chunk);
    clv_free(source->context, pieces->chunk.scratch);
    clv_words_forget_plan(reader);
    clv_guesses_free(&reader->guesses);
}

static const SourceOps pieces_ops = {.next = next_block, .close = close_pieces};

Status clv_pieces_open(Context *context, const char *name, const Format *format,
                       const ReadOptions *options, const ReadGuide *guide, Source **source,
                       cleave_error *error)
{
    Pieces *pieces;
    Reader *reader;
    Status status;

    *source = NULL;
    TRY(ALLOC_ZERO(context, pieces, 1, "a reader", error));
    reader = &pieces->reader;
    clv_source_init(&reader->source, context, &pieces_ops);
    clv_builder_init(&pieces->chunk.builder, context);
    pieces->chunk.builder.passing_by = true;
    clv_labels_init(&pieces->chunk.labels, context);
    clv_guesses_init(&reader->guesses, context);
    reader->options = *options;
    reader->format = format;
    reader->path = reader->argument = name;
    reader->guide_schema = guide->schema;
    reader->source.features = guide->features;
    status = clv_names_copy(&reader->source.names, guide->names, error);
    reader->source.names.frozen = true;
    THEN(status, clv_reader_check_format(reader, name, error));
    THEN(status, clv_chunk_prepare(reader, &pieces->chunk, error));
    if (status != OK) {
        clv_source_close(&reader->source);
        return status;
    }
    *source = &reader->source;
    return OK;
}

Status clv_pieces_start(Source *source, const char *head, size_t size, bool whole, size_t *skip,
                        cleave_error *error)
{
    Pieces *pieces = (Pieces *)source;
    Reader *reader = &pieces->reader;

    *skip = 0;
    pieces->given = false;
    reader->line = 0;
    source->rows = 0;
    if (reader->format->finish) /* a new table may have its columns in another order */
        reader->format->finish(reader);
    else if (pieces->started)
        return OK;
    if (reader->format->start)
        TRY(reader->format->start(reader, head, size, whole, skip, error));
    pieces->started = true;
    for (size_t i = 0; i < *skip; i++)
        reader->line += head[i] == '\n';
    return OK;
}

size_t clv_pieces_cut(const Source *source, const char *text, size_t size)
{
    const Reader *reader = &((const Pieces *)source)->reader;

    if (reader->format->cut)
        return reader->format->cut(reader, text, size);
    while (size > 0 && text[size - 1] != '\n')
        size--;
    return size;
}

Status clv_pieces_give(Source *source, const char *text, size_t size, cleave_error *error)
{
    Pieces *pieces = (Pieces *)source;
    Chunk *chunk = &pieces->chunk;

    clv_chunk_clear(chunk);
    TRY(GROW(source->context, chunk->text, chunk->capacity, size + 1 + NUMBER_SLACK, error));
    if (size)
        memcpy(chunk->text, text, size);
    if (size && text[size - 1] != '\n')
        chunk->text[size++] = '\n';
    memset(chunk->text + size, 0, NUMBER_SLACK);
    chunk->text[size] = '\n';
    chunk->size = size;
    pieces->given = true;
    return OK;
}
