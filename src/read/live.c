#include "read/live.h"

#include "base/hash.h"
#include "data/dataset.h"
#include "read/bytes.h"
#include "read/classes.h"
#include "read/follow.h"
#include "read/words.h"

#include <stdio.h>

/* Signals are handled and models saved between pieces, so pieces are small. */
enum { PIECE = 64 * 1024, MOST_LINES_TO_TELL = 20, HEAD_BYTES = 1024 * 1024, SNIFFED = 64 * 1024 };

typedef struct {
    Reader reader; /* first member, because the reader is the source */
    char *path;
    bool following, continued, leaves_unfinished, skips_bad;
    Bytes *bytes;     /* the input, if it is not followed */
    Follow *follow;   /* the input, if it is followed */
    LivePlace wanted; /* position to start at; bytes 0: the start */
    LivePlace place;

    bool prepared; /* the format is known, and its buffers are allocated */
    bool started;  /* the format and the layout of the current file are known */
    bool ended;    /* end of the file */
    bool over;     /* the input has ended: no other file follows */
    Schema schema; /* the guide's schema, copied */
    Buffer carry;  /* bytes read but not yet passed to the chunk */
    /* the first bytes of a regular file, for guesses; empty: `carry` is used instead */
    Buffer sample;
    bool sample_whole, sampled;
    /* Number of bytes searched without finding the end of a record; size at which the search is
     * repeated. */
    size_t searched, search_at;
    bool full_piece;  /* the last read filled its buffer */
    bool too_long;    /* `carry` is within a record that is too long, and is skipped */
    bool warned;      /* a warning about a skipped record has been printed */
    uint64_t dropped; /* bytes of this record that were removed from carry */
    uint64_t dropped_lines;
    unsigned within; /* state of Format.record_end for this record */
    char head[PLACE_HEAD];
    size_t head_size;
    uint64_t read; /* bytes of this file read, including `carry` */
    Chunk chunk;
    Block nothing;
} Live;

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Appends the available bytes to carry; *came is false if none arrive within a second. */
static Status read_more(Live *live, bool *came, cleave_error *error)
{
    Context *context = live->reader.source.context;
    Buffer *carry = &live->carry;
    size_t got, workspace;

    TRY(GROW(context, carry->data, carry->capacity, carry->size + PIECE + NUMBER_SLACK, error));
    if (live->following)
        TRY(clv_follow_read(live->follow, carry->data + carry->size, PIECE, &got, &live->ended,
                            error));
    else
        TRY(clv_bytes_read_some(live->bytes, carry->data + carry->size, PIECE, &got, &live->ended,
                                error));
    *came = got > 0 || live->ended;
    workspace = PLACE_HEAD - live->head_size;
    if (workspace > 0 && live->read == live->head_size && got > 0) {
        memcpy(live->head + live->head_size, carry->data + carry->size,
               got < workspace ? got : workspace);
        live->head_size += got < workspace ? got : workspace;
    }
    live->read += got;
    live->full_piece = got == PIECE;
    carry->size += got;
    memset(carry->data + carry->size, 0, NUMBER_SLACK);
    return OK;
}

static void drop(Live *live, size_t count)
{
    Buffer *carry = &live->carry;

    carry->size -= count;
    memmove(carry->data, carry->data + count, carry->size);
    live->searched = live->search_at = 0;
}

/* Returns whether the new bytes can end a record. Without this check, a long line would be searched
 * again for each piece. A newline within a quoted cell does not end a record. A long record is
 * therefore searched again only after it has grown by a fraction, or if no more bytes are
 * available. */
static bool is_worth_a_search(Live *live)
{
    const Buffer *carry = &live->carry;

    if (live->ended)
        return true;
    if (!memchr(carry->data + live->searched, '\n', carry->size - live->searched)) {
        live->searched = carry->size;
        return false;
    }
    if (live->full_piece && carry->size < live->search_at)
        return false;
    live->searched = carry->size;
    live->search_at = carry->size + carry->size / 8;
    return true;
}

static bool jump(Live *live, uint64_t count)
{
    if (!(live->following ? clv_follow_jump(live->follow, count)
                          : clv_bytes_jump(live->bytes, count)))
        return false;
    live->read += count;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void begin_file(Live *live)
{
    live->started = live->ended = live->too_long = false;
    live->within = 0;
    live->dropped = live->dropped_lines = live->carry.size = live->head_size = live->searched =
        live->search_at = 0;
    live->read = 0;
    live->reader.line = 0;
    live->place = (LivePlace){.skipped = live->place.skipped};
    if (live->following)
        clv_follow_identity(live->follow, &live->place.device, &live->place.inode);
}

static Status open_input(Live *live, cleave_error *error)
{
    Context *context = live->reader.source.context;

    if (live->following)
        TRY(clv_follow_open(context, live->path, live->wanted.device, live->wanted.inode,
                            &live->follow, error));
    else
        TRY(clv_bytes_open(context, live->path, &live->bytes, error));
    live->reader.path = live->following ? live->path : clv_bytes_name(live->bytes);
    begin_file(live);
    if (live->following && live->place.inode == 0)
        clv_note(context, "%s: the file does not exist yet; waiting for it", live->path);
    return OK;
}

static Status next_file(Live *live, cleave_error *error)
{
    if (!live->following) {
        live->over = true;
        clv_note_dropped(&live->reader.source, live->reader.path, live->reader.options.classes,
                         live->reader.dropped);
        return OK;
    }
    TRY(clv_follow_next(live->follow, error));
    live->wanted = (LivePlace){0};
    begin_file(live);
    return OK;
}

/* ---- the first lines ------------------------------------------------------------------------- */

/* Returns the bytes of the first `lines` lines that are neither blank nor comments; 0: too few
 * lines. At the end of the file the last line needs no newline. */
static size_t first_lines(const Live *live, unsigned count)
{
    const char *at = live->carry.data, *end = at + live->carry.size;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *p = at;

        if (!newline && !live->ended)
            return 0;
        newline = newline ? newline + 1 : end;
        while (p < newline && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
            p++;
        at = newline;
        if ((p < newline && *p != '#' && --count == 0) || (at == end && live->ended))
            return (size_t)(at - live->carry.data);
    }
    return 0;
}

static bool is_table(const Format *format)
{
    return format == &clv_format_csv || format == &clv_format_tsv;
}

/* Reads the sample that 'train' infers from, for a regular file that is not followed. The file is
 * opened a second time, because carry is smaller. The sample stays empty if another file has taken
 * the name, or if its bytes are damaged: the rows before the damage are learned first. */
static Status read_sample(Live *live, cleave_error *error)
{
    Context *context = live->reader.source.context;
    Buffer *sample = &live->sample;
    cleave_error damage;
    size_t common;
    Bytes *bytes;

    if (live->sampled || live->following || !clv_bytes_regular(live->bytes))
        return OK;
    live->sampled = true;
    TRY(GROW(context, sample->data, sample->capacity, HEAD_BYTES, error));
    TRY(clv_bytes_open(context, live->path, &bytes, error));
    if (clv_bytes_read(bytes, sample->data, HEAD_BYTES, &sample->size, &damage) != OK)
        sample->size = 0;
    clv_bytes_close(bytes);
    live->sample_whole = sample->size < HEAD_BYTES;
    common = sample->size < live->carry.size ? sample->size : live->carry.size;
    if (memcmp(sample->data, live->carry.data, common) != 0)
        sample->size = 0;
    return OK;
}

/* Returns the size of the complete lines that have arrived; at the end of the input, of all
 * bytes. */
static size_t arrived(const Live *live)
{
    size_t size = live->carry.size;

    while (size > 0 && !live->ended && live->carry.data[size - 1] != '\n')
        size--;
    return size;
}

static Status refuse_binary(const Live *live, const char *what, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "convert it to text: cleave convert FILE --to libsvm -o - | cleave stream METHOD",
        "%s: %s cannot be streamed: it has no lines", live->reader.path, what);
}

/* Returns the format stored in the model, for resumed input. */
static const Format *stored_format(const Live *live)
{
    const char *wanted = live->reader.options.format;

    if (!live->continued || live->wanted.bytes == 0 || !live->reader.guide_schema ||
        (wanted && strcmp(wanted, "auto") != 0))
        return NULL;
    return clv_format_by_name(live->reader.guide_schema->format);
}

/* Detects the format from the sample, otherwise from the lines that have arrived. *size is the size
 * of the lines that a table needs, or 0 if more input is needed. */
static Status detect_format(Live *live, size_t *size, cleave_error *error)
{
    Reader *reader = &live->reader;
    const Buffer *sample = &live->sample;
    size_t available = sample->size ? sample->size : arrived(live);
    Status status = OK;

    *size = 0;
    if (clv_dataset_sniff(live->carry.data, live->carry.size))
        return refuse_binary(live, "a binary dataset", error);
    reader->format = stored_format(live);
    if (!reader->format && available > 0 && first_lines(live, 1) > 0) {
        status = clv_choose_format(reader, sample->size ? sample->data : live->carry.data,
                                   available < SNIFFED ? available : SNIFFED, error);
        if (status != OK)
            reader->format = NULL;
    }
    for (unsigned lines = 1; lines <= MOST_LINES_TO_TELL && !reader->format; lines++) {
        *size = first_lines(live, lines);
        if (*size == 0)
            return OK;
        status = clv_choose_format(reader, live->carry.data, *size, error);
        if (status != OK)
            reader->format = NULL;
        if (*size == live->carry.size && live->ended)
            break;
    }
    if (!reader->format)
        return status;
    if (!reader->format->text)
        return refuse_binary(live, reader->format->name, error);
    *size = first_lines(live, is_table(reader->format) ? 2 : 1);
    return OK;
}

static Status begin_format(Live *live, cleave_error *error)
{
    Reader *reader = &live->reader;
    const Schema *guide = reader->guide_schema;

    TRY(clv_reader_check_format(reader, reader->path, error));
    if (guide && live->continued && is_table(reader->format)) {
        TRY(clv_schema_copy(&reader->source.schema, guide, error));
        reader->guide_schema = NULL;
    }
    TRY(clv_chunk_prepare(reader, &live->chunk, error));
    if (!guide) {
        snprintf(reader->source.schema.format, sizeof reader->source.schema.format, "%s",
                 reader->format->name);
        reader->source.names.implicit = reader->format == &clv_format_libsvm;
    }
    live->prepared = true;
    return OK;
}

/* Starts the format, which reads header and columns. *skip bytes of carry are not records. */
static Status start_format(Live *live, size_t *skip, cleave_error *error)
{
    Reader *reader = &live->reader;
    const Buffer *sample = &live->sample;
    const size_t size = sample->size ? sample->size : arrived(live);
    const bool whole = sample->size ? live->sample_whole : live->ended;
    bool came;

    if (reader->format->start)
        TRY(reader->format->start(reader, sample->size ? sample->data : live->carry.data, size,
                                  whole, skip, error));
    while (live->carry.size < *skip && !live->ended)
        TRY(read_more(live, &came, error));
    *skip = *skip < live->carry.size ? *skip : live->carry.size; /* the file was truncated */
    return OK;
}

static Status not_the_same(Live *live, const char *what, cleave_error *error)
{
    char number[32];

    snprintf(number, sizeof number, "%llu", (unsigned long long)live->wanted.bytes);
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "pass the same input from its first byte, or pass --input-continues with "
                         "input that starts after the learned part",
                         "%s: %s, but the model has learned from %s bytes of the previous input",
                         live->reader.path, what, number);
}

/* Fails if the input is a folder or dataset, whose position counts examples, but the model's counts
 * bytes, or vice versa. */
static Status check_kind(Live *live, cleave_error *error)
{
    if (live->wanted.bytes > 0 || live->wanted.lines == 0)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "pass the same input, or pass --input-continues to continue with another",
                         "%s: this is a different input; the model has learned from %llu examples "
                         "of the previous one",
                         live->path, (unsigned long long)live->wanted.lines);
}

/* Returns whether the input is the one that was read by the previous run. */
static Status check_same(Live *live, cleave_error *error)
{
    size_t size = live->wanted.bytes < PLACE_HEAD ? (size_t)live->wanted.bytes : PLACE_HEAD;

    if (live->head_size >= size && clv_hash(live->head, size, 0) == live->wanted.head_hash)
        return OK;
    return not_the_same(live,
                        live->head_size < size ? "the input is shorter than before"
                                               : "this is a different input",
                        error);
}

/* Does the same for a followed file, which may have been replaced or truncated. Such a file is read
 * from its start, and a note reports it. *known is false while this is undecided. */
static void check_followed(Live *live, bool *known)
{
    size_t size = live->wanted.bytes < PLACE_HEAD ? (size_t)live->wanted.bytes : PLACE_HEAD;
    bool followed = live->wanted.inode != 0; /* otherwise the file is read like a new one */
    bool same_file = !followed || (live->place.device == live->wanted.device &&
                                   live->place.inode == live->wanted.inode);
    bool cut = same_file && clv_follow_size(live->follow) < live->wanted.bytes;

    *known = live->place.inode != 0 &&
             (!same_file || cut || live->head_size >= size || live->ended);
    if (!*known || (same_file && !cut && live->head_size >= size &&
                    clv_hash(live->head, size, 0) == live->wanted.head_hash))
        return;
    clv_warn(live->reader.source.context, "the input is read from its first byte", "%s: %s",
             live->path,
             !followed   ? "this input differs from the one that the model learned from"
             : cut       ? "the file was truncated while it was followed"
             : same_file ? "the file was overwritten while it was followed"
                         : "this file differs from the one that was followed before");
    live->wanted = (LivePlace){0};
}

/* Advances to the next row: drops the first `used` bytes of carry. */
static Status skip(Live *live, uint64_t left, cleave_error *error)
{
    Buffer *carry = &live->carry;

    while (left > 0) {
        size_t step = carry->size < left ? carry->size : (size_t)left;
        bool came;

        drop(live, step);
        left -= step;
        if (left == 0 || jump(live, left))
            break;
        if (live->ended)
            return not_the_same(live, "the input is shorter than before", error);
        TRY(read_more(live, &came, error));
    }
    return OK;
}

/* Skips to the position to start at. A complete line precedes it: another preceding byte means that
 * the input was changed. */
static Status skip_to_place(Live *live, cleave_error *error)
{
    /* the first line of the file is longer than before */
    if (live->wanted.bytes < live->place.bytes)
        return not_the_same(live, "no line ends at the stored position", error);
    if (live->wanted.bytes > live->place.bytes) {
        bool came;

        TRY(skip(live, live->wanted.bytes - live->place.bytes - 1, error));
        while (live->carry.size == 0) {
            if (live->ended)
                return not_the_same(live, "the input is shorter than before", error);
            TRY(read_more(live, &came, error));
        }
        if (live->carry.data[0] != '\n')
            return not_the_same(live, "no line ends at the stored position", error);
        drop(live, 1);
    }
    live->reader.line = live->wanted.lines;
    live->place.bytes = live->wanted.bytes;
    return OK;
}

/* ---- lines that cannot be read --------------------------------------------------------------- */

static void warn_bad(Live *live, const char *message)
{
    if (live->place.skipped == 0 && !live->warned)
        clv_warn(live->reader.source.context,
                 "this line and further invalid lines are skipped and counted", "%s", message);
    live->warned = true;
}

static void count_bad(Live *live, const char *message)
{
    warn_bad(live, message);
    live->place.skipped++;
}

static void pass(Live *live, uint64_t bytes, uint64_t lines)
{
    live->place.bytes += bytes;
    live->reader.source.bytes += bytes;
    live->reader.line += lines;
}

/* Returns whether an unterminated last line is not read, because its rest may follow. */
static bool leaves_unfinished(const Live *live)
{
    return live->reader.options.allow_cut || live->following || live->leaves_unfinished;
}

/* The first two lines of a table determine its columns and are never skipped. */
static bool may_skip_long(Live *live)
{
    Reader *reader = &live->reader;
    size_t size = live->carry.size;
    cleave_error none;

    if (!live->skips_bad || live->started)
        return live->skips_bad;
    while (size > 0 && live->carry.data[size - 1] != ' ') /* an incomplete word does not determine
                                                           * the format */
        size--;
    if (!reader->format && clv_choose_format(reader, live->carry.data, size, &none) != OK)
        reader->format = NULL;
    return reader->format && reader->format->text && !is_table(reader->format);
}

static Status fail_long(const Live *live, cleave_error *error)
{
    uint64_t line = live->reader.line + 1;
    cleave_error own;

    /* The header of a table precedes the line. */
    for (size_t i = 0; !live->started && !live->too_long && i < live->carry.size; i++)
        line += live->carry.data[i] == '\n';
    clv_line_too_long(&live->reader, &own);
    clv_fail(error, own.code, "%s:%llu: %s", live->reader.path, (unsigned long long)line,
             own.message);
    return clv_hint(error, own.code, "%s", own.hint);
}

static Status check_length(Live *live, cleave_error *error)
{
    cleave_error own;

    if (live->carry.size < clv_longest_line(&live->reader))
        return OK;
    if (!may_skip_long(live))
        return fail_long(live, error);
    live->too_long = true;
    fail_long(live, &own);
    warn_bad(live, own.message); /* warns at once, because the end of the record may be far */
    return OK;
}

/* Returns the bytes up to the end of the current record, or 0. */
static size_t record_end(const Live *live, unsigned *state, const char *text, size_t size)
{
    const char *newline;

    if (live->reader.format && live->reader.format->record_end)
        return live->reader.format->record_end(&live->reader, state, text, size);
    newline = size ? memchr(text, '\n', size) : NULL;
    return newline ? (size_t)(newline - text) + 1 : 0;
}

static uint64_t count_lines(const char *text, size_t size)
{
    const char *end = text + size;
    uint64_t lines = 0;

    while (text < end && (text = memchr(text, '\n', (size_t)(end - text)))) {
        text++;
        lines++;
    }
    return lines;
}

static void warn_ignored_bytes(const Live *live, uint64_t line, uint64_t bytes)
{
    const Reader *reader = &live->reader;

    if (live->leaves_unfinished && !live->following)
        clv_note(
            reader->source.context,
            "%s:%llu: the last line has no newline yet; the next run reads it when it is complete",
            reader->path, (unsigned long long)line);
    else
        clv_warn(reader->source.context, NULL,
                 "%s: the last line is incomplete; its %llu bytes are ignored", reader->path,
                 (unsigned long long)bytes);
}

/* Drops the bytes of a record that is too long, up to its end: the lines of a quoted cell are not
 * rows. An unclosed quote extends to the end of the input. */
static void drop_long(Live *live)
{
    const Buffer *carry = &live->carry;
    size_t end = record_end(live, &live->within, carry->data, carry->size),
           size = end ? end : carry->size;
    bool unclosed;

    live->dropped += size;
    live->dropped_lines += count_lines(carry->data, size);
    drop(live, size);
    if (!end && !live->ended)
        return;
    unclosed = !end && live->dropped_lines > 0;
    if (!end && leaves_unfinished(live)) {
        warn_ignored_bytes(live, live->reader.line + 1, live->dropped);
    } else if (live->place.bytes >=
               live->wanted.bytes) { /* otherwise the record was counted before */
        cleave_error error;

        fail_long(live, &error);
        count_bad(live, error.message);
        if (unclosed)
            clv_warn(live->reader.source.context, "write a quote inside a quoted cell twice: \"\"",
                     "%s:%llu: a quote is not closed; the %llu lines up to the end of the input "
                     "are skipped",
                     live->reader.path, (unsigned long long)live->reader.line + 1,
                     (unsigned long long)live->dropped_lines);
    }
    if (end || !leaves_unfinished(live))
        pass(live, live->dropped, live->dropped_lines + !end);
    live->dropped = live->dropped_lines = live->within = 0;
    live->too_long = false;
}

/* ---- the start of a file --------------------------------------------------------------------- */

/* Reads the header. *done is false while more input is needed. */
static Status start_file(Live *live, bool *done, cleave_error *error)
{
    Reader *reader = &live->reader;
    size_t size = 0, skip = 0;

    *done = false;
    if (live->following && live->place.inode == 0)
        clv_follow_identity(live->follow, &live->place.device, &live->place.inode);
    if (live->wanted.bytes > 0 && live->following) {
        bool known;

        check_followed(live, &known);
        if (!known)
            return OK;
    } else if (live->wanted.bytes > 0) {
        if (live->head_size < (live->wanted.bytes < PLACE_HEAD ? live->wanted.bytes : PLACE_HEAD) &&
            !live->ended)
            return OK;
        TRY(check_same(live, error));
    }
    TRY(check_length(live, error));
    if (live->too_long)
        return OK;
    if (live->carry.size == 0) {
        *done = live->ended;
        return OK;
    }
    if (!is_worth_a_search(live))
        return OK;
    TRY(read_sample(live, error));
    if (!reader->format)
        TRY(detect_format(live, &size, error));
    else
        size = first_lines(live, is_table(reader->format) ? 2 : 1);
    if (size == 0)
        return OK;
    if (!live->prepared)
        TRY(begin_format(live, error));
    TRY(start_format(live, &skip, error));
    clv_free(reader->source.context, live->sample.data);
    live->sample = (Buffer){0};
    clv_reader_note_guesses(reader);
    TRY(clv_label_check_sample(reader, error));
    live->started = *done = true;
    if (live->wanted.bytes > 0)
        return skip_to_place(live, error);
    for (size_t i = 0; i < skip; i++)
        reader->line += live->carry.data[i] == '\n';
    drop(live, skip);
    live->place.bytes += skip;
    return OK;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static size_t whole_records(const Live *live, const char *text, size_t size)
{
    if (live->reader.format->cut)
        return live->reader.format->cut(&live->reader, text, size);
    while (size > 0 && text[size - 1] != '\n')
        size--;
    return size;
}

/* Reads an unterminated last line of a file if it is complete, because no later run would read the
 * rest. */
static void meet_unfinished(Live *live)
{
    Chunk *chunk = &live->chunk;

    chunk->unfinished = chunk->last_of_file && chunk->size > 0 &&
                        chunk->text[chunk->size - 1] != '\n';
    chunk->left_out = 0;
    if (!chunk->unfinished || !leaves_unfinished(live))
        return;
    chunk->left_out = chunk->size;
    chunk->size = whole_records(live, chunk->text, chunk->size);
    chunk->left_out -= chunk->size;
    chunk->unfinished = false;
}

/* Moves the first bytes of carry to the chunk. */
static Status fill(Live *live, size_t size, cleave_error *error)
{
    Chunk *chunk = &live->chunk;

    clv_chunk_clear(chunk);
    TRY(GROW(live->reader.source.context, chunk->text, chunk->capacity, size + NUMBER_SLACK,
             error));
    if (size)
        memcpy(chunk->text, live->carry.data, size);
    chunk->size = size;
    chunk->first_of_file = live->place.bytes == 0;
    chunk->last_of_file = live->ended && size == live->carry.size;
    meet_unfinished(live);
    memset(chunk->text + chunk->size, 0, NUMBER_SLACK);
    chunk->text[chunk->size] = '\n';
    return OK;
}

/* Returns the bytes before a line of the chunk, which counts from 1. */
static size_t bytes_before(const Chunk *chunk, uint64_t line)
{
    const char *at = chunk->text, *end = at + chunk->size;

    for (; line > 1 && at < end; line--)
        at = (const char *)memchr(at, '\n', (size_t)(end - at) + 1) + 1;
    return (size_t)(at - chunk->text);
}

/* Parses the chunk. Rows before an invalid line are returned first. */
static Status parse(Live *live, size_t *size, cleave_error *error)
{
    Reader *reader = &live->reader;
    Chunk *chunk = &live->chunk;

    reader->format->parse(reader, chunk);
    if (chunk->status == CLEAVE_ERROR_DATA && chunk->error_line > 1) {
        size_t before = whole_records(live, chunk->text, bytes_before(chunk, chunk->error_line));

        if (before > 0) {
            *size = before;
            TRY(fill(live, before, error));
            reader->format->parse(reader, chunk);
        }
    }
    return chunk->status == OK ? OK : clv_chunk_error(reader, chunk, error);
}

/* The chunk starts with an invalid record: skips it to its end. If its quote is not closed, skips
 * to the end of the line with the error. */
static void skip_bad(Live *live, const cleave_error *error)
{
    const Chunk *chunk = &live->chunk;
    unsigned state = 0;
    size_t size = record_end(live, &state, chunk->text, chunk->size);
    size_t line_end = bytes_before(chunk, chunk->error_line + 1);

    size = size < line_end ? line_end : size;
    if (size > chunk->size) /* the reader appended this newline */
        size = chunk->size;
    count_bad(live, error->message);
    pass(live, size, count_lines(chunk->text, size));
    drop(live, size);
}

static Status settle(Live *live, cleave_error *error)
{
    Reader *reader = &live->reader;
    Chunk *chunk = &live->chunk;
    Status status;

    if (chunk->left_out)
        warn_ignored_bytes(live, reader->line + chunk->lines + 1, chunk->left_out);
    if (chunk->unfinished)
        clv_warn(reader->source.context,
                 "the last line is read as complete; pass --allow-cut to ignore it",
                 "%s:%llu: the input does not end with a newline", reader->path,
                 (unsigned long long)(reader->line + chunk->lines));
    status = clv_chunk_settle(reader, chunk, error);
    if (status != OK)
        return chunk->status != OK ? clv_chunk_error(reader, chunk, error) : status;
    clv_chunk_count(reader, chunk);
    if (chunk->block.line)
        chunk->block.first_line += reader->line;
    reader->line += chunk->lines;
    return OK;
}

static Status give_out(Live *live, size_t size, const Block **block, cleave_error *error)
{
    Chunk *chunk = &live->chunk;

    Status status;

    TRY(fill(live, size, error));
    status = parse(live, &size, error);
    if (status == CLEAVE_ERROR_DATA && live->skips_bad && chunk->error_line > 0) {
        skip_bad(live, error);
        return OK;
    }
    TRY(status);
    TRY(settle(live, error));
    drop(live, size);
    live->place.bytes += size - chunk->left_out;
    live->reader.source.bytes += size;
    if (chunk->block.rows)
        *block = &chunk->block;
    return OK;
}

/* ---- shared with live_folder.c --------------------------------------------------------------- */

void clv_live_init(Reader *reader, Chunk *chunk, Schema *schema, Context *context,
                   const SourceOps *ops, const ReadOptions *options)
{
    clv_source_init(&reader->source, context, ops);
    clv_builder_init(&chunk->builder, context);
    chunk->builder.passing_by = true;
    clv_labels_init(&chunk->labels, context);
    clv_schema_init(schema, context);
    clv_guesses_init(&reader->guesses, context);
    reader->options = *options;
}

Status clv_live_copy_guide(Reader *reader, Schema *schema, const LiveStart *start,
                           cleave_error *error)
{
    reader->source.rows = start->rows;
    TRY(clv_labels_copy(&reader->source.labels, start->labels, error));
    if (!start->schema)
        return OK;
    reader->source.features = start->features;
    TRY(clv_names_copy(&reader->source.names, start->names, error));
    TRY(clv_schema_copy(schema, start->schema, error));
    reader->guide_schema = schema;
    return OK;
}

void clv_live_free(Reader *reader, Chunk *chunk, Schema *schema)
{
    clv_chunk_release(reader, chunk);
    clv_free(reader->source.context, chunk->scratch);
    clv_words_forget_plan(reader);
    clv_guesses_free(&reader->guesses);
    clv_schema_free(schema);
}

/* ---- the source ------------------------------------------------------------------------------ */

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    Live *live = (Live *)source;

    *block = NULL;
    while (!*block && !live->over) {
        bool came = true;
        size_t size;

        if (live->too_long)
            drop_long(live);
        if (live->too_long) {
            TRY(read_more(live, &came, error));
            if (!came)
                break;
            continue;
        }
        if (!live->started) {
            bool done;

            TRY(start_file(live, &done, error));
            if (!done)
                TRY(read_more(live, &came, error));
            else if (!live->started)
                TRY(next_file(live, error));
            if (!came)
                break;
            continue;
        }
        size = live->ended               ? live->carry.size
               : is_worth_a_search(live) ? whole_records(live, live->carry.data, live->carry.size)
                                         : 0;
        if (size > 0) {
            TRY(give_out(live, size, block, error));
        } else if (live->ended) {
            TRY(next_file(live, error));
        } else {
            TRY(check_length(live, error));
            TRY(read_more(live, &came, error));
            if (!came)
                break;
        }
    }
    if (!*block && !live->over)
        *block = &live->nothing;
    return OK;
}

void clv_live_place(const Source *source, LivePlace *place)
{
    const Live *live = (const Live *)source;
    size_t size = live->place.bytes < PLACE_HEAD ? (size_t)live->place.bytes : PLACE_HEAD;

    *place = live->place;
    place->lines = live->reader.line;
    place->head_hash = clv_hash(live->head, size < live->head_size ? size : live->head_size, 0);
}

static void close_live(Source *source)
{
    Live *live = (Live *)source;

    if (live->reader.format && live->reader.format->finish)
        live->reader.format->finish(&live->reader);
    clv_live_free(&live->reader, &live->chunk, &live->schema);
    clv_bytes_close(live->bytes);
    clv_follow_close(live->follow);
    FREE(source->context, live->carry.data, live->sample.data, live->path);
}

static const SourceOps live_ops = {.next = next_block, .close = close_live};

static Status begin(Live *live, const char *path, const LiveStart *start, cleave_error *error)
{
    Reader *reader = &live->reader;
    Context *context = reader->source.context;

    live->path = clv_copy_string(context, path, strlen(path));
    if (!live->path)
        return clv_fail_memory(error, "a file name", strlen(path));
    if (start) {
        live->wanted = start->place;
        live->place.skipped = start->place.skipped;
        live->skips_bad = start->skips_bad;
        live->continued = start->continued;
        live->leaves_unfinished = start->leaves_unfinished;
        TRY(clv_live_copy_guide(reader, &live->schema, start, error));
        TRY(check_kind(live, error));
    }
    return open_input(live, error);
}

Status clv_read_live(Context *context, const char *path, bool follow, const ReadOptions *options,
                     const LiveStart *start, Source **source, cleave_error *error)
{
    Live *live;
    Status status;

    *source = NULL;
    TRY(ALLOC_ZERO(context, live, 1, "a reader", error));
    clv_live_init(&live->reader, &live->chunk, &live->schema, context, &live_ops, options);
    live->reader.strict_lines = true;
    live->following = follow;
    status = begin(live, path, start, error);
    if (status != OK) {
        clv_source_close(&live->reader.source);
        return status;
    }
    *source = &live->reader.source;
    return OK;
}
