#define _GNU_SOURCE /* realpath */
#include "read/live_folder.h"

#include "base/file.h"
#include "base/hash.h"
#include "read/classes.h"
#include "read/folder.h"
#include "read/seen.h"
#include "read/watch.h"
#include "read/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Signals are handled and models saved between pieces. */
enum { PIECE_DOCUMENTS = 64 };

typedef struct {
    Reader reader; /* first member, because the reader is the source */
    char *path;
    bool following, skips_bad, prepared, listed, over;
    Watch *watch;
    Folder *folder; /* documents of the last listing that are to be read; number of the next one */
    uint64_t next;  /* the next one of them */
    uint64_t identity;
    uint64_t passed_over; /* number of skipped entries of the last listing */
    SeenSet seen;
    LivePlace place;
    Schema schema; /* the guide's schema, copied */
    Chunk chunk;
    Block nothing;
    Buffer name;
} LiveFolder;

/* ---- listing --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t at, of; /* document number `at` of the `of` documents in its class */
    uint64_t number; /* position in the listing */
} Rank;

static int by_rank(const void *a, const void *b)
{
    const Rank *one = a, *other = b;
    uint64_t left = (2 * one->at + 1) * other->of, right = (2 * other->at + 1) * one->of;

    if (left != right)
        return left < right ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Numbers the documents of each class, which are consecutive in a listing. */
static void rank_documents(const Folder *folder, Rank *rank, uint64_t count)
{
    for (uint64_t first = 0, end; first < count; first = end) {
        const char *name, *other;
        size_t length, other_length;

        clv_folder_class(folder, first, &name, &length);
        for (end = first + 1; end < count; end++) {
            clv_folder_class(folder, end, &other, &other_length);
            if (other_length != length || memcmp(other, name, length) != 0)
                break;
        }
        for (uint64_t i = first; i < end; i++)
            rank[i] = (Rank){.at = i - first, .of = end - first, .number = i};
    }
}

static Status is_wanted(LiveFolder *live, const Folder *folder, uint64_t number, bool *wanted,
                        cleave_error *error)
{
    const char *class_name;
    uint64_t key, size;
    size_t length;
    int64_t modified;

    TRY(clv_folder_key(folder, number, live->identity, &live->name, &key, error));
    clv_folder_class(folder, number, &class_name, &length);
    *wanted = !clv_seen_has(live->reader.source.context, &live->seen, key) &&
              clv_keeps_class(&live->reader, class_name, length);
    if (!*wanted || !live->watch)
        return OK;
    TRY(clv_folder_name(folder, number, &live->name, error));
    if (!clv_folder_facts(folder, number, &size, &modified)) {
        *wanted = false;
        return OK;
    }
    return clv_watch_complete(live->watch, live->name.data, live->name.size, size, modified, wanted,
                              error);
}

/* Keeps the documents that are to be read, in reading order. */
static Status select_documents(LiveFolder *live, Folder *folder, cleave_error *error)
{
    Context *context = live->reader.source.context;
    uint64_t count = clv_folder_documents(folder), selected = 0;
    Rank *rank = clv_alloc(context, count, sizeof *rank);
    uint64_t *order = clv_alloc(context, count, sizeof *order);
    Status status = rank && order ? OK : clv_fail_memory(error, "documents", count * sizeof *rank);

    if (status == OK && count) {
        rank_documents(folder, rank, count);
        qsort(rank, count, sizeof *rank, by_rank);
    }
    for (uint64_t i = 0; i < count && status == OK; i++) {
        bool wanted;

        status = is_wanted(live, folder, rank[i].number, &wanted, error);
        if (status == OK && wanted)
            order[selected++] = rank[i].number;
    }
    THEN(status, clv_folder_select(folder, order, selected, error));
    FREE(context, rank, order);
    return status;
}

static void warn_of_passed_over(LiveFolder *live, const Folder *folder)
{
    const char *first;
    uint64_t count = clv_folder_passed_over(folder, &first);
    char more[64] = "";

    if (count > 1)
        snprintf(more, sizeof more, " (the first of %llu)", (unsigned long long)count);
    if (count > live->passed_over)
        clv_warn(live->reader.source.context,
                 "special files and entries that cannot be listed are skipped", "%s: skipped%s",
                 first, more);
    live->passed_over = count;
}

static Status list(LiveFolder *live, cleave_error *error)
{
    Context *context = live->reader.source.context;
    const FolderOptions options = {.report = !live->listed,
                                   .check_classes = !live->reader.guide_schema &&
                                                    !live->reader.options.classes,
                                   .keep_beside = true,
                                   .may_be_empty = live->following,
                                   .changing = live->following,
                                   .entered = live->watch ? clv_watch_entered : NULL,
                                   .user = live->watch};
    Folder *folder;
    Status status;

    if (live->watch)
        clv_watch_listing(live->watch, true);
    TRY(clv_folder_open(context, live->path, &options, &folder, error));
    if (!live->listed && clv_folder_documents(folder) == 0)
        clv_note(context, "%s: no documents yet; waiting for them", live->path);
    warn_of_passed_over(live, folder);
    status = select_documents(live, folder, error);
    if (status != OK) {
        clv_folder_close(folder);
        return status;
    }
    clv_folder_close(live->folder);
    live->reader.folder = live->folder = folder;
    live->next = 0;
    live->listed = true;
    if (live->watch)
        clv_watch_listing(live->watch, false);
    return OK;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Prepares the reader with the first document. */
static Status prepare(LiveFolder *live, cleave_error *error)
{
    Reader *reader = &live->reader;
    size_t skip;

    if (live->prepared)
        return OK;
    reader->format = &clv_format_folder;
    TRY(clv_reader_check_format(reader, live->path, error));
    if (!reader->guide_schema)
        snprintf(reader->source.schema.format, sizeof reader->source.schema.format, "%s",
                 reader->format->name);
    TRY(clv_chunk_prepare(reader, &live->chunk, error));
    TRY(reader->format->start(reader, NULL, 0, true, &skip, error));
    clv_reader_note_guesses(reader);
    live->prepared = true;
    return OK;
}

static void parse(LiveFolder *live, uint64_t documents)
{
    Chunk *chunk = &live->chunk;

    clv_chunk_clear(chunk);
    chunk->size = 0;
    chunk->first_of_file = live->next == 0;
    chunk->first_record = live->reader.line = live->next;
    chunk->documents = documents;
    chunk->last_of_file = live->next + documents == clv_folder_documents(live->folder);
    live->reader.format->parse(&live->reader, chunk);
}

/* Marks a document as read, so that it is not read again even if it is invalid. */
static Status mark_read(LiveFolder *live, uint64_t number, cleave_error *error)
{
    Context *context = live->reader.source.context;
    uint64_t key;

    TRY(clv_folder_key(live->folder, number, live->identity, &live->name, &key, error));
    TRY(clv_seen_add(context, &live->seen, key, error));
    if (!live->watch)
        return OK;
    TRY(clv_folder_name(live->folder, number, &live->name, error));
    clv_watch_forget(live->watch, live->name.data, live->name.size);
    return OK;
}

/* Handles a document that cannot be read. A vanished document is ignored, as is a document that was
 * moved within its maildir, because the next listing contains it. */
static Status handle_failure(LiveFolder *live, cleave_error *error)
{
    const Chunk *chunk = &live->chunk;
    uint64_t size;
    int64_t modified;
    cleave_error own;
    Status status = clv_chunk_error(&live->reader, chunk, &own);

    if (live->following && status == CLEAVE_ERROR_IO &&
        !clv_folder_facts(live->folder, live->next, &size, &modified)) {
        live->next++;
        return OK;
    }
    if ((status != CLEAVE_ERROR_DATA && status != CLEAVE_ERROR_IO) || !live->skips_bad) {
        if (error)
            *error = own;
        if (status == CLEAVE_ERROR_IO)
            clv_hint(error, status, "pass --skip-bad to skip documents that cannot be read");
        return status;
    }
    if (live->place.skipped++ == 0)
        clv_warn(live->reader.source.context,
                 "the document is skipped; further unreadable documents are skipped and counted",
                 "%s", own.message);
    return mark_read(live, live->next++, error);
}

static Status settle(LiveFolder *live, const Block **block, cleave_error *error)
{
    Reader *reader = &live->reader;
    Chunk *chunk = &live->chunk;

    TRY(reader->format->settle(reader, chunk, error));
    for (uint64_t i = 0; i < chunk->documents; i++)
        TRY(mark_read(live, live->next++, error));
    clv_chunk_count(reader, chunk);
    reader->source.bytes += chunk->bytes_read;
    if (chunk->block.rows)
        *block = &chunk->block;
    return OK;
}

/* Reads documents. If one is unreadable, the documents before it are returned first. */
static Status read_documents(LiveFolder *live, const Block **block, cleave_error *error)
{
    Chunk *chunk = &live->chunk;
    uint64_t left = clv_folder_documents(live->folder) - live->next;

    TRY(prepare(live, error));
    parse(live, left < PIECE_DOCUMENTS ? left : PIECE_DOCUMENTS);
    if (chunk->status != OK && chunk->error_line > 1)
        parse(live, chunk->error_line - 1);
    return chunk->status == OK ? settle(live, block, error) : handle_failure(live, error);
}

/* ---- the source ------------------------------------------------------------------------------ */

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    LiveFolder *live = (LiveFolder *)source;

    *block = NULL;
    while (!*block && !live->over) {
        bool due = !live->listed;

        if (live->folder && live->next < clv_folder_documents(live->folder)) {
            TRY(read_documents(live, block, error));
            continue;
        }
        if (live->listed && !live->following) {
            live->over = true;
            break;
        }
        if (live->listed)
            TRY(clv_watch_wait(live->watch, &due, error));
        if (!due)
            break;
        TRY(list(live, error));
    }
    if (!*block && !live->over)
        *block = &live->nothing;
    return OK;
}

void clv_live_folder_place(const Source *source, LivePlace *place)
{
    const LiveFolder *live = (const LiveFolder *)source;

    *place = live->place;
    place->lines = live->seen.count;
    place->documents = live->seen.key;
    place->document_count = live->seen.count;
}

static void close_live(Source *source)
{
    LiveFolder *live = (LiveFolder *)source;

    clv_live_free(&live->reader, &live->chunk, &live->schema);
    clv_watch_close(live->watch);
    clv_folder_close(live->folder);
    clv_seen_free(source->context, &live->seen);
    FREE(source->context, live->name.data, live->path);
}

static const SourceOps live_ops = {.next = next_block, .close = close_live};

/* ---- opening --------------------------------------------------------------------------------- */

static Status refuse_other(const LiveFolder *live, const LivePlace *before, cleave_error *error)
{
    char learned[64];

    snprintf(learned, sizeof learned, before->bytes ? "%llu bytes" : "%llu examples",
             (unsigned long long)(before->bytes ? before->bytes : before->lines));
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "pass the same folder, or pass --input-continues to continue with another",
        "%s: this is a different input; the model has learned from %s of the previous one",
        live->path, learned);
}

/* Checks the identity of the folder: the same path, or the same inode if it was moved. */
static Status identify(LiveFolder *live, const LivePlace *before, cleave_error *error)
{
    char *path = realpath(live->path, NULL);
    struct stat facts;
    Status status = OK;

    if (!path || stat(live->path, &facts) != 0) {
        free(path);
        return clv_fail_io(error, live->path, "cannot be listed");
    }
    live->identity = clv_hash(path, strlen(path), 0);
    free(path);
    live->place.device = (uint64_t)facts.st_dev;
    live->place.inode = (uint64_t)facts.st_ino;
    if (before->documents && before->device == live->place.device &&
        before->inode == live->place.inode)
        live->identity = before->head_hash;
    if ((before->bytes || before->lines) && !(before->inode && before->head_hash == live->identity))
        status = refuse_other(live, before, error);
    live->place.head_hash = live->identity;
    return status;
}

static Status begin(LiveFolder *live, const char *path, const LiveStart *start, cleave_error *error)
{
    static const LivePlace nowhere;
    Reader *reader = &live->reader;
    Context *context = reader->source.context;
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    live->path = clv_copy_string(context, path, length);
    if (!live->path)
        return clv_fail_memory(error, "a file name", length);
    reader->path = live->path;
    TRY(identify(live, start ? &start->place : &nowhere, error));
    if (live->following)
        TRY(clv_watch_open(context, live->path, start ? start->poll_seconds : 0, &live->watch,
                           error));
    if (!start)
        return OK;
    live->place.skipped = start->place.skipped;
    live->skips_bad = start->skips_bad;
    for (uint64_t i = 0; i < start->place.document_count; i++)
        TRY(clv_seen_add(context, &live->seen, start->place.documents[i], error));
    return clv_live_copy_guide(reader, &live->schema, start, error);
}

Status clv_read_live_folder(Context *context, const char *path, bool follow,
                            const ReadOptions *options, const LiveStart *start, Source **source,
                            cleave_error *error)
{
    LiveFolder *live;
    Status status;

    *source = NULL;
    TRY(ALLOC_ZERO(context, live, 1, "a reader", error));
    clv_live_init(&live->reader, &live->chunk, &live->schema, context, &live_ops, options);
    live->reader.line_unknown = true;
    live->following = follow;
    status = begin(live, path, start, error);
    if (status != OK) {
        clv_source_close(&live->reader.source);
        return status;
    }
    *source = &live->reader.source;
    return OK;
}
