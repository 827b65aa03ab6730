/* Chunks of the current file: reads bytes and cuts after the last complete record. */
#include "read/reader_parts.h"

static size_t chunk_bytes(const Reader *reader)
{
    return reader->options.chunk_bytes ? reader->options.chunk_bytes : CHUNK_BYTES;
}

static size_t whole_records(const Reader *reader, const char *text, size_t size)
{
    if (reader->format->cut)
        return reader->format->cut(reader, text, size);
    for (size_t length = size; length > 0; length--)
        if (text[length - 1] == '\n')
            return length;
    return 0;
}

Status clv_reader_read_on(Reader *reader, char *text, size_t want, size_t *got, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Status status;

    *got = 0;
    if (parts->cut_off)
        return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while waiting for %s",
                        reader->path);
    status = clv_bytes_read(parts->bytes, text, want, got, error);
    parts->cut_off = status == CLEAVE_ERROR_CANCELLED;
    parts->bytes_end = status == OK && *got < want;
    return status;
}

/* Copies the carried bytes, then reads until the chunk is full. The last bytes may be an incomplete
 * record. */
static Status read_text(Reader *reader, Chunk *chunk, size_t want, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t got = 0;

    TRY(GROW(reader->source.context, chunk->text, chunk->capacity, want + NUMBER_SLACK, error));
    if (chunk->size < want && parts->carry.size) {
        size_t take = parts->carry.size < want - chunk->size ? parts->carry.size
                                                             : want - chunk->size;

        memcpy(chunk->text + chunk->size, parts->carry.data, take);
        chunk->size += take;
        parts->carry.size -= take;
        if (parts->carry.size)
            memmove(parts->carry.data, parts->carry.data + take, parts->carry.size);
    }
    if (chunk->size < want && !parts->bytes_end) {
        Status status = clv_reader_read_on(reader, chunk->text + chunk->size, want - chunk->size,
                                           &got, error);

        chunk->size += got;
        if (status != CLEAVE_ERROR_CANCELLED ||
            whole_records(reader, chunk->text, chunk->size) == 0)
            return status;
    }
    return OK;
}

/* the options are 0 if the caller did not fill them from their table. */
size_t clv_longest_line(const Reader *reader)
{
    return (size_t)(reader->options.max_line_mb > 0 ? reader->options.max_line_mb : LONGEST_LINE_MB)
           << 20;
}

Status clv_line_too_long(const Reader *reader, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "check for a missing newline or closing quote; --max-line-mb raises the limit",
        "the line is longer than %zu MB", clv_longest_line(reader) >> 20);
}

/* Keeps the bytes after the last complete record for the next chunk. */
static Status carry_over(Reader *reader, Chunk *chunk, size_t whole, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t rest = chunk->size - whole;

    TRY(GROW(reader->source.context, parts->carry.data, parts->carry.capacity,
             parts->carry.size + rest, error));
    memmove(parts->carry.data + rest, parts->carry.data, parts->carry.size);
    memcpy(parts->carry.data, chunk->text + whole, rest);
    parts->carry.size += rest;
    chunk->size = whole;
    return OK;
}

/* Reads the text of the next chunk. Sets *more if further chunks follow in this file. */
static Status fill(Reader *reader, Chunk *chunk, bool *more, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t want = chunk_bytes(reader), most = clv_longest_line(reader);

    chunk->size = 0;
    chunk->first_of_file = parts->first_chunk;
    chunk->first_record = parts->records;
    parts->first_chunk = false;
    for (;; want = want < most / 2 ? 2 * want : most) {
        bool ended;
        size_t whole;

        TRY(read_text(reader, chunk, want, error));
        ended = parts->bytes_end && parts->carry.size == 0;
        whole = ended ? chunk->size : whole_records(reader, chunk->text, chunk->size);
        if (whole == 0 && !ended) {
            if (chunk->size >= most) {
                chunk->error_line = 1;
                return clv_line_too_long(reader, error);
            }
            continue;
        }
        chunk->last_of_file = ended;
        TRY(carry_over(reader, chunk, whole, error));
        break;
    }
    *more = !chunk->last_of_file;
    chunk->unfinished = chunk->last_of_file && reader->format->text && chunk->size &&
                        chunk->text[chunk->size - 1] != '\n';
    chunk->left_out = 0;
    if (chunk->unfinished && reader->options.allow_cut) {
        chunk->left_out = chunk->size;
        chunk->size = whole_records(reader, chunk->text, chunk->size);
        chunk->left_out -= chunk->size;
        chunk->unfinished = false;
    }
    memset(chunk->text + chunk->size, 0, NUMBER_SLACK);
    chunk->text[chunk->size] = '\n';
    return OK;
}

/* Assigns the next documents of the folder to a chunk. They have about as much text as a chunk of
 * lines. */
static bool assign_documents(Reader *reader, Chunk *chunk)
{
    enum { USUAL_DOCUMENT = 2048 };
    struct ReaderParts *parts = reader->parts;
    uint64_t count = chunk_bytes(reader) / USUAL_DOCUMENT,
             left = clv_folder_documents(parts->folder) - parts->records;

    chunk->size = chunk->left_out = 0;
    chunk->unfinished = false;
    chunk->first_of_file = parts->records == 0;
    chunk->first_record = parts->records;
    chunk->documents = count == 0 ? 1 : count < left ? count : left;
    chunk->last_of_file = chunk->documents == left;
    parts->records += chunk->documents;
    return !chunk->last_of_file;
}

bool clv_reader_fetch(Reader *reader, ReaderSlot *slot)
{
    Chunk *chunk = &slot->chunk;
    bool more = false;

    clv_chunk_clear(chunk);
    slot->placed = false;
    if (reader->folder)
        return assign_documents(reader, chunk);
    chunk->status = fill(reader, chunk, &more, &chunk->error);
    slot->placed = chunk->status != OK && chunk->error_line == 0;
    return more && chunk->status == OK;
}

void clv_reader_parse(const Reader *reader, ReaderSlot *slot)
{
    if (slot->chunk.status == OK)
        reader->format->parse(reader, &slot->chunk);
}
