#include "read/reader.h"

#include "base/file.h"
#include "base/text.h"
#include "data/dataset.h"
#include "read/array.h"
#include "read/bytes.h"
#include "read/classes.h"
#include "read/folder.h"
#include "read/npz.h"
#include "read/records.h"
#include "read/words.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { CHUNK_BYTES = 512 * 1024, HEAD_BYTES = 1024 * 1024, SNIFFED = 64 * 1024 };

typedef enum { FREE, BUSY, DONE } SlotState;

typedef struct {
    Chunk chunk;
    SlotState state;
    bool placed; /* the error has its file name already */
} Slot;

/* The machinery. Fields up to the lock belong to whoever set `reading` (or to the only thread); those after it to `lock`. */
struct ReaderParts {
    char **paths;
    size_t path_count, next_path;
    const void *memory; /* instead of paths */
    size_t memory_size;
    char *memory_name;
    bool memory_used;
    uint64_t *path_size; /* where only a range is read */
    uint64_t before;     /* … the sizes of the files before the open one */
    uint64_t range_from; /* … and where in the open file it begins */

    Folder *folder; /* instead of bytes */
    bool again;     /* the data has been rewound: what looks like a mistake was said */
    Bytes *bytes;
    Buffer carry;   /* bytes read and not yet given to a chunk */
    bool bytes_end; /* the file has been read to its end */
    bool cut_off;   /* nobody waits for the rest: what is at hand is given out, then CLEAVE_ERROR_CANCELLED */
    bool first_chunk;
    uint64_t records;

    size_t slots;
    Slot *slot;
    uint64_t settled; /* chunks given back by the caller */
    bool holding;     /* the caller looks at the block of chunk number `settled` */
    uint64_t file_rows, file_empty_rows, raw_bytes;
    bool ended;

    uint64_t empty_rows, first_empty_line;
    char *first_empty_file;

    unsigned threads; /* that parse; 0: the calling thread does it all */
    bool lends_hand;  /* the calling thread is one of them, rather than wait */
    pthread_t *worker;
    unsigned started;
    pid_t process; /* that started them */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    bool synchronised;   /* the three above exist */
    atomic_bool closing; /* seen by a worker that waits for input */
    uint64_t fetched;    /* chunks handed out */
    bool file_ready;     /* more chunks can be fetched from the open file */
    bool reading;        /* somebody fetches one */
    bool stop;
};

/* ---- chunks ------------------------------------------------------------------------------------------------------- */

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

static Status make_room(Reader *reader, Chunk *chunk, size_t size, cleave_error *error)
{
    return GROW(reader->source.context, chunk->text, chunk->capacity, size + NUMBER_SLACK, error);
}

/* Reads on; where the wait for more is interrupted, what has come counts. */
static Status read_on(Reader *reader, char *text, size_t want, size_t *got, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Status status;

    *got = 0;
    if (parts->cut_off)
        return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while waiting for %s", reader->path);
    status = clv_bytes_read(parts->bytes, text, want, got, error);
    parts->cut_off = status == CLEAVE_ERROR_CANCELLED;
    parts->bytes_end = status == OK && *got < want;
    return status;
}

/* Takes what was carried over, then reads until the chunk is full; the last bytes may be part of a record. */
static Status read_text(Reader *reader, Chunk *chunk, size_t want, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t got = 0;

    TRY(make_room(reader, chunk, want, error));
    if (chunk->size < want && parts->carry.size) {
        size_t take = parts->carry.size < want - chunk->size ? parts->carry.size : want - chunk->size;

        memcpy(chunk->text + chunk->size, parts->carry.data, take);
        chunk->size += take;
        parts->carry.size -= take;
        if (parts->carry.size)
            memmove(parts->carry.data, parts->carry.data + take, parts->carry.size);
    }
    if (chunk->size < want && !parts->bytes_end) {
        Status status = read_on(reader, chunk->text + chunk->size, want - chunk->size, &got, error);

        chunk->size += got;
        if (status != CLEAVE_ERROR_CANCELLED || whole_records(reader, chunk->text, chunk->size) == 0)
            return status;
    }
    return OK;
}

/* 0 if the caller did not fill the options from their table. */
size_t clv_longest_line(const Reader *reader)
{
    return (size_t)(reader->options.max_line_mb > 0 ? reader->options.max_line_mb : LONGEST_LINE_MB) << 20;
}

Status clv_line_too_long(const Reader *reader, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_DATA, "the line is longer than %zu MB", clv_longest_line(reader) >> 20);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "is a newline or a closing quote missing? --max-line-mb raises the limit");
}

/* Keeps what is behind the last whole record for the next chunk. */
static Status carry_over(Reader *reader, Chunk *chunk, size_t whole, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t rest = chunk->size - whole;

    TRY(GROW(reader->source.context, parts->carry.data, parts->carry.capacity, parts->carry.size + rest, error));
    memmove(parts->carry.data + rest, parts->carry.data, parts->carry.size);
    memcpy(parts->carry.data, chunk->text + whole, rest);
    parts->carry.size += rest;
    chunk->size = whole;
    return OK;
}

/* The text of the next chunk; *more tells whether others follow in this file. */
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

/* The next documents of the folder: so many that their text makes a chunk of about the usual size. */
static bool hand_out(Reader *reader, Chunk *chunk)
{
    enum { USUAL_DOCUMENT = 2048 };
    struct ReaderParts *parts = reader->parts;
    uint64_t count = chunk_bytes(reader) / USUAL_DOCUMENT, left = clv_folder_documents(parts->folder) - parts->records;

    chunk->size = chunk->left_out = 0;
    chunk->unfinished = false;
    chunk->first_of_file = parts->records == 0;
    chunk->first_record = parts->records;
    chunk->documents = count == 0 ? 1 : count < left ? count : left;
    chunk->last_of_file = chunk->documents == left;
    parts->records += chunk->documents;
    return !chunk->last_of_file;
}

/* Fetches and parses one chunk; the state of the file afterwards in *more. Errors stay in the chunk. */
static bool fetch(Reader *reader, Slot *slot)
{
    Chunk *chunk = &slot->chunk;
    bool more = false;

    clv_chunk_clear(chunk);
    slot->placed = false;
    if (reader->folder)
        return hand_out(reader, chunk);
    chunk->status = fill(reader, chunk, &more, &chunk->error);
    slot->placed = chunk->status != OK && chunk->error_line == 0;
    return more && chunk->status == OK;
}

static void parse(const Reader *reader, Slot *slot)
{
    if (slot->chunk.status == OK)
        reader->format->parse(reader, &slot->chunk);
}

/* ---- workers ------------------------------------------------------------------------------------------------------ */

static bool can_fetch(const struct ReaderParts *parts)
{
    return parts->file_ready && !parts->reading && parts->slot[parts->fetched % parts->slots].state == FREE;
}

/* Fetches the next chunk and parses it; the lock is held before and after, and only one at a time is fetched. */
static void do_chunk(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;
    Slot *slot = &parts->slot[parts->fetched++ % parts->slots];
    bool more;

    slot->state = BUSY;
    parts->reading = true;
    pthread_mutex_unlock(&parts->lock);
    more = fetch(reader, slot);
    pthread_mutex_lock(&parts->lock);
    parts->reading = false;
    parts->file_ready = more;
    pthread_cond_signal(&parts->work);
    if (parts->lends_hand)
        pthread_cond_signal(&parts->done);
    pthread_mutex_unlock(&parts->lock);
    parse(reader, slot);
    pthread_mutex_lock(&parts->lock);
    slot->state = DONE;
    pthread_cond_signal(&parts->done);
}

static void *work(void *argument)
{
    Reader *reader = argument;
    struct ReaderParts *parts = reader->parts;

    pthread_mutex_lock(&parts->lock);
    while (!parts->stop) {
        if (can_fetch(parts))
            do_chunk(reader);
        else
            pthread_cond_wait(&parts->work, &parts->lock);
    }
    pthread_mutex_unlock(&parts->lock);
    return NULL;
}

/* Who waits for a file can as well parse a chunk of it. Not of a pipe: who fetches from one may be kept waiting while the chunk
 * before is done, and somebody may want to see what came of it. */
static bool may_lend_hand(const struct ReaderParts *parts)
{
    uint64_t size;

    for (size_t i = 0; i < parts->path_count; i++)
        if (!clv_regular_file(parts->paths[i], &size))
            return false;
    return true;
}

/* Workers are an optimisation: where a thread cannot be made, those that were made do the work, or the caller. */
static void start_workers(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    parts->process = getpid();
    parts->lends_hand = may_lend_hand(parts);
    while (parts->started < parts->threads - parts->lends_hand &&
           pthread_create(&parts->worker[parts->started], NULL, work, reader) == 0)
        parts->started++;
    if (parts->started == 0)
        parts->threads = 0;
}

/* In a forked child: threads of the parent were reading, and the child has none of them. Chunks and the lock may have been left
 * in the middle of a change. */
static bool is_orphaned(const struct ReaderParts *parts)
{
    return parts->started > 0 && parts->process != getpid();
}

static Status refuse_orphan(const Reader *reader, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE, "%s: a forked process cannot continue reading that its parent has begun",
             reader->path ? reader->path : "data");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "open the data again in the child");
}

static void stop_workers(struct ReaderParts *parts)
{
    if (!parts->synchronised)
        return;
    atomic_store(&parts->closing, true);
    pthread_mutex_lock(&parts->lock);
    parts->stop = true;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
    for (unsigned i = 0; i < parts->started; i++)
        pthread_join(parts->worker[i], NULL);
    parts->started = 0;
    atomic_store(&parts->closing, false);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* The error with its place; of a part of a file, now it is worth the while to count the lines before it. */
static Status place_error(Reader *reader, const Chunk *chunk, cleave_error *error)
{
    if (reader->line_unknown && chunk->error_line && !reader->folder) {
        uint64_t before;

        TRY(clv_bytes_count_lines(reader->parts->bytes, reader->parts->range_from, &before, error));
        reader->line += before;
        reader->line_unknown = false;
    }
    return clv_chunk_error(reader, chunk, error);
}

static bool keeps_class(const void *user, const char *class_name, size_t length)
{
    return clv_keeps_class(user, class_name, length);
}

static Status open_bytes(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Context *context = reader->source.context;
    const FolderOptions folder_options = {.tell = !parts->again,
                                          .check_classes = !reader->guide_schema && !reader->options.classes};

    clv_bytes_close(parts->bytes);
    clv_folder_close(parts->folder);
    parts->bytes = NULL;
    reader->folder = parts->folder = NULL;
    if (parts->memory_name) {
        parts->memory_used = reader->only_file = true;
        TRY(clv_bytes_from_memory(context, parts->memory_name, parts->memory, parts->memory_size, &parts->bytes,
                                  error));
    } else {
        reader->file = (uint32_t)parts->next_path;
        reader->only_file = parts->path_count == 1;
        parts->before = 0;
        for (size_t i = 0; parts->path_size && i < parts->next_path; i++)
            parts->before += parts->path_size[i];
        reader->path = reader->argument = parts->paths[parts->next_path++];
        if (clv_is_folder(reader->path)) {
            TRY(clv_folder_open(context, reader->path, &folder_options, &parts->folder, error));
            reader->dropped += clv_folder_keep(parts->folder, keeps_class, reader);
        } else {
            TRY(clv_bytes_open(context, reader->path, &parts->bytes, error));
            clv_bytes_give_up_on(parts->bytes, &parts->closing);
        }
    }
    reader->folder = parts->folder;
    if (!parts->folder)
        reader->path = clv_bytes_name(parts->bytes);
    parts->bytes_end = false;
    parts->first_chunk = true;
    parts->records = 0;
    parts->carry.size = 0;
    parts->file_rows = parts->file_empty_rows = 0;
    reader->line = 0;
    reader->line_unknown = reader->folder != NULL;
    return OK;
}

static bool looks_like_text(const char *bytes, size_t size)
{
    return !memchr(bytes, '\0', size < 4096 ? size : 4096);
}

/* An empty document is a row without features. Nothing on standard input is a failure of the program before it. */
static Status refuse_empty(const Reader *reader, cleave_error *error)
{
    if (clv_reads_document(reader) && reader->argument && strcmp(reader->argument, "-") != 0)
        return OK;
    if (reader->says_empty)
        *reader->says_empty = true;
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: the file is empty", reader->path);
    return clv_hint(error, CLEAVE_ERROR_DATA, "expected at least one example");
}

/* Reads the first bytes of a file into carry: a megabyte, or more until the first line is whole. */
static Status read_head(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Buffer *carry = &parts->carry;
    size_t most = clv_longest_line(reader);

    if (reader->folder)
        return OK;
    for (size_t want = HEAD_BYTES; !parts->bytes_end; want = want < most / 2 ? 2 * want : most) {
        size_t got;
        Status status;

        TRY(GROW(reader->source.context, carry->data, carry->capacity, want + NUMBER_SLACK, error));
        status = read_on(reader, carry->data + carry->size, want - carry->size, &got, error);
        carry->size += got;
        if (status != OK && !(parts->cut_off && memchr(carry->data, '\n', carry->size)))
            return status;
        if (memchr(carry->data, '\n', carry->size) || !looks_like_text(carry->data, carry->size) || want >= most)
            break;
    }
    memset(carry->data + carry->size, 0, NUMBER_SLACK);
    return carry->size == 0 ? refuse_empty(reader, error) : OK;
}

/* Starts over with other bytes. */
static Status read_head_again(Reader *reader, cleave_error *error)
{
    reader->parts->carry.size = 0;
    reader->parts->bytes_end = false;
    return read_head(reader, error);
}

static Status turn_fortran(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Array array;
    Bytes *turned;

    TRY(clv_npy_header(reader->path, parts->carry.data, parts->carry.size, parts->bytes_end, &array, error));
    if (!array.by_column)
        return OK;
    TRY(clv_unwrap_fortran(reader->source.context, parts->bytes, parts->carry.data, parts->carry.size, &array, &turned,
                           error));
    clv_bytes_close(parts->bytes);
    parts->bytes = turned;
    reader->path = clv_bytes_name(turned);
    clv_bytes_give_up_on(turned, &parts->closing);
    return read_head_again(reader, error);
}

/* The first bytes of the open file; those of its rows where it is a NumPy archive or an array in Fortran order. */
static Status read_unwrapped_head(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    const char *told = reader->options.format;
    bool numpy = !told || strcmp(told, "auto") == 0 || strcmp(told, "npy") == 0;

    TRY(read_head(reader, error));
    if (reader->folder || !numpy || (reader->format && reader->format != &clv_format_npy))
        return OK;
    if (clv_zip_sniff(parts->carry.data, parts->carry.size) &&
        !clv_is_spreadsheet(parts->carry.data, parts->carry.size)) {
        TRY(clv_unwrap_archive(reader, parts->bytes, error));
        TRY(read_head_again(reader, error));
    }
    return clv_npy_sniff(parts->carry.data, parts->carry.size) ? turn_fortran(reader, error) : OK;
}

/* Of the open file, whose head was looked at: goes to the rows of the range. skip bytes are no rows. */
static Status narrow(Reader *reader, size_t skip, bool *any, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    uint64_t size = parts->path_size[reader->file], from = reader->options.range_from, to = reader->options.range_to;

    *any = from <= parts->before && parts->before < to;
    if (!reader->format->text || clv_bytes_compressed(parts->bytes))
        return OK; /* all or nothing */
    from = from > parts->before ? from - parts->before : 0;
    to = to > parts->before ? to - parts->before : 0;
    TRY(clv_bytes_line_start(parts->bytes, from < size ? from : size, &from, error));
    TRY(clv_bytes_line_start(parts->bytes, to < size ? to : size, &to, error));
    from = from < skip ? skip : from;
    *any = from < to;
    if (!*any || from == skip) {
        parts->range_from = from;
        if (to >= size || !*any)
            return OK; /* from the start to the end, as ever */
    } else {
        reader->line_unknown = true;
        reader->line = 0;
    }
    parts->range_from = from;
    parts->carry.size = 0;
    parts->bytes_end = false;
    return clv_bytes_range(parts->bytes, from, to, error);
}

static Status start_format(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t skip = 0;
    bool any = true;

    if (reader->format->start)
        TRY(reader->format->start(reader, parts->carry.data, parts->carry.size, parts->bytes_end, &skip, error));
    for (size_t i = 0; i < skip && reader->format->text; i++)
        reader->line += parts->carry.data[i] == '\n';
    parts->carry.size -= skip;
    if (parts->carry.size)
        memmove(parts->carry.data, parts->carry.data + skip, parts->carry.size);
    if (reader->options.ranged)
        TRY(narrow(reader, skip, &any, error));
    if (parts->synchronised)
        pthread_mutex_lock(&parts->lock);
    parts->file_ready = any;
    if (parts->synchronised) {
        pthread_cond_broadcast(&parts->work);
        pthread_mutex_unlock(&parts->lock);
    }
    return OK;
}

/* Files that have no byte in the range are not opened, the first aside. */
static void skip_files(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    if (!reader->options.ranged || parts->next_path == 0)
        return;
    while (parts->next_path < parts->path_count) {
        uint64_t before = 0;

        for (size_t i = 0; i < parts->next_path; i++)
            before += parts->path_size[i];
        if (before < reader->options.range_to &&
            before + parts->path_size[parts->next_path] > reader->options.range_from)
            break;
        parts->next_path++;
    }
}

/* Opens the next file and lets the workers at it; false in *opened when there is none. */
static Status next_file(Reader *reader, bool *opened, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    skip_files(reader);
    *opened = parts->memory_name ? !parts->memory_used : parts->next_path < parts->path_count;
    if (!*opened)
        return OK;
    TRY(open_bytes(reader, error));
    TRY(read_unwrapped_head(reader, error));
    if (reader->file > 0)
        TRY(clv_check_next_file(reader, parts->carry.data, parts->carry.size < SNIFFED ? parts->carry.size : SNIFFED,
                                error));
    return start_format(reader, error);
}

/* Labels such as "5.1,3.5,setosa" are rows of a table. */
static bool looks_like_a_table(const Labels *labels)
{
    return labels->count && strpbrk(labels->list[labels->count - 1].text, ",;|");
}

static Status file_done(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    if (reader->folder)
        return OK;
    if (parts->file_rows == 0 && !reader->options.ranged && reader->dropped == 0) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: no examples (lines read: %llu)", reader->path,
                 (unsigned long long)reader->line);
        return clv_hint(error, CLEAVE_ERROR_DATA, "is it %s? --format says what the file is", reader->format->name);
    }
    if (parts->file_rows && parts->file_rows == parts->file_empty_rows && reader->format == &clv_format_libsvm &&
        looks_like_a_table(&reader->source.labels)) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: none of its %llu rows has a feature", reader->path,
                 (unsigned long long)parts->file_rows);
        return clv_hint(error, CLEAVE_ERROR_DATA, "is it LIBSVM text? --format says what the file is");
    }
    parts->raw_bytes += clv_bytes_done(parts->bytes);
    return OK;
}

/* ---- what looks like a mistake, said once ------------------------------------------------------------------------- */

static const char *file_name(const Reader *reader, uint32_t file)
{
    const struct ReaderParts *parts = reader->parts;

    if (parts->memory_name)
        return parts->memory_name;
    return strcmp(parts->paths[file], "-") == 0 ? "standard input" : parts->paths[file];
}

/* Names such as 'class1' and 'class2' differ by a digit on purpose. */
static bool same_digits(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strcspn(a, "0123456789");
        b += strcspn(b, "0123456789");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* Whether a name may be another one misspelled: one edit from four characters on, two from eight on, or another case. */
static bool looks_misspelled(const char *name, const char *other)
{
    size_t length = strlen(name) < strlen(other) ? strlen(name) : strlen(other);
    unsigned limit = length >= 8 ? 2 : length >= 4 ? 1 : 0;

    return same_digits(name, other) && clv_edit_distance(name, other, limit) <= limit;
}

/* The class, of several examples, that a label seen once may be a misspelling of; NULL: none. */
static const Label *find_meant(const Labels *labels, const Label *lonely)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (labels->list[i].count > 1 && isnan(labels->list[i].number) &&
            looks_misspelled(lonely->text, labels->list[i].text))
            return &labels->list[i];
    return NULL;
}

/* A class of one example whose name is close to that of another class. Numbers are never misspelled, and a name that is like no
 * other is a rare class. */
static void warn_misspelled_label(Reader *reader)
{
    enum { MOST_COMPARED = 1000 };
    const Labels *labels = &reader->source.labels;

    if (reader->guide_schema || labels->count > MOST_COMPARED)
        return;
    for (uint32_t i = 0; i < labels->count; i++) {
        const Label *lonely = &labels->list[i];
        const Label *meant = lonely->count == 1 && isnan(lonely->number) ? find_meant(labels, lonely) : NULL;
        char quoted[QUOTE_SIZE], other[QUOTE_SIZE], line[24] = "";

        if (!meant)
            continue;
        if (lonely->first_line)
            snprintf(line, sizeof line, ":%llu", (unsigned long long)lonely->first_line);
        clv_warn(reader->source.context, "correct the label if it is a misspelling",
                 "%s%s: label '%s' appears once, and is nearly the same as '%s'", file_name(reader, lonely->first_file),
                 line, clv_quote(quoted, lonely->text, strlen(lonely->text)),
                 clv_quote(other, meant->text, strlen(meant->text)));
        return;
    }
}

/* Text labels, of a guessed column. */
static uint64_t count_names(const Labels *labels)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        count += isnan(labels->list[i].number);
    return count;
}

/* Refuses a guessed label column with about as many classes as rows: when all rows were read, and before where that is plain. */
static Status check_label_guess(const Reader *reader, bool ended, cleave_error *error)
{
    enum { PLAIN_ROWS = 10000 };
    const LabelGuess *guess = &reader->label_guess;
    const Labels *labels = &reader->source.labels;
    uint64_t rows = reader->source.rows, classes;

    if (!guess->made || guess->ignored || reader->options.describe || labels->all_numbers)
        return OK;
    if (!ended && (rows < PLAIN_ROWS || 2 * (uint64_t)labels->count < rows))
        return OK;
    classes = count_names(labels);
    return clv_label_has_too_many(classes, rows) ? clv_label_refuse(reader, classes, rows, error) : OK;
}

static void warn_at_end(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;
    char line[24] = "";

    if (parts->first_empty_line)
        snprintf(line, sizeof line, ":%llu", (unsigned long long)parts->first_empty_line);
    if (parts->empty_rows)
        clv_warn(reader->source.context, "a model makes the same prediction for every such row",
                 "%s%s: a row without features%s", parts->first_empty_file ? parts->first_empty_file : reader->path,
                 line, parts->empty_rows > 1 ? ", the first of several" : "");
    warn_misspelled_label(reader);
}

/* Once all files have been read. */
static Status finish_all(Reader *reader, cleave_error *error)
{
    warn_at_end(reader);
    if (!reader->options.classes || !clv_reader_drops_classes(reader))
        return OK;
    return clv_report_classes(&reader->source, file_name(reader, 0), reader->options.classes, reader->dropped,
                              reader->guide_schema != NULL, error);
}

static void warn_unfinished(Reader *reader, uint64_t line)
{
    char place[24] = "";

    if (line)
        snprintf(place, sizeof place, ":%llu", (unsigned long long)line);
    clv_warn(reader->source.context, "the last line was read as if it were whole; --allow-cut leaves it out",
             "%s%s: the file does not end with a newline", reader->path, place);
}

/* ---- the source --------------------------------------------------------------------------------------------------- */

static void note_empty_row(Reader *reader, const Chunk *chunk)
{
    struct ReaderParts *parts = reader->parts;
    uint64_t line = reader->line + chunk->first_empty_line;
    char path[FOLDER_PATH_SIZE];
    const char *name = reader->folder ? clv_folder_path(reader->folder, line - 1, path) : reader->path;

    parts->first_empty_line = reader->folder || reader->format == &clv_format_document ? 0 : line;
    parts->first_empty_file = clv_copy_string(reader->source.context, name, strlen(name));
}

static Status settle(Reader *reader, Slot *slot, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Chunk *chunk = &slot->chunk;

    if (chunk->status != OK) {
        if (!slot->placed)
            return place_error(reader, chunk, error);
        if (error)
            *error = chunk->error;
        return chunk->status;
    }
    if (chunk->left_out && !parts->again)
        clv_warn(reader->source.context, NULL, "%s: the last line is cut short; its %zu bytes were left out",
                 reader->path, chunk->left_out);
    if (reader->format->settle) {
        Status status = reader->format->settle(reader, chunk, error);

        if (status != OK)
            return chunk->status != OK ? place_error(reader, chunk, error) : status;
    } else {
        TRY(clv_settle_labels(reader, chunk, error));
        TRY(clv_builder_finish(&chunk->builder, &chunk->block, error));
    }
    if (chunk->empty_rows && !parts->empty_rows)
        note_empty_row(reader, chunk);
    parts->raw_bytes += chunk->bytes_read;
    reader->dropped += chunk->dropped;
    parts->empty_rows += chunk->empty_rows;
    parts->file_empty_rows += chunk->empty_rows;
    if (chunk->unfinished && !parts->again)
        warn_unfinished(reader, reader_line(reader, chunk->lines));
    chunk->block.first_row = reader->source.rows;
    if (chunk->block.line) {
        chunk->block.first_line = reader_line(reader, chunk->block.first_line);
        chunk->block.file = reader->file;
    }
    reader->line += chunk->lines;
    reader->source.rows += chunk->block.rows;
    parts->file_rows += chunk->block.rows;
    if (reader->tap)
        TRY(clv_records_emit(reader, chunk, error));
    if (chunk->block.features > reader->source.features)
        reader->source.features = chunk->block.features;
    if (!reader->source.names.implicit && reader->source.names.count > reader->source.features)
        reader->source.features = reader->source.names.count;
    return OK;
}

/* The next chunk in order, parsed; NULL in *slot when the open file has no more. */
static void wait_for_chunk(Reader *reader, Slot **result)
{
    struct ReaderParts *parts = reader->parts;
    Slot *slot = &parts->slot[parts->settled % parts->slots];

    *result = NULL;
    if (parts->threads == 0) {
        if (!parts->file_ready)
            return;
        parts->file_ready = fetch(reader, slot);
        parse(reader, slot);
        *result = slot;
        return;
    }
    pthread_mutex_lock(&parts->lock);
    while (slot->state != DONE && (parts->file_ready || parts->fetched > parts->settled)) {
        if (parts->lends_hand && can_fetch(parts))
            do_chunk(reader);
        else
            pthread_cond_wait(&parts->done, &parts->lock);
    }
    if (slot->state == DONE)
        *result = slot;
    pthread_mutex_unlock(&parts->lock);
}

static void give_back(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    if (!parts->holding)
        return;
    parts->holding = false;
    if (parts->threads == 0) {
        parts->settled++;
        return;
    }
    pthread_mutex_lock(&parts->lock);
    parts->slot[parts->settled++ % parts->slots].state = FREE;
    pthread_cond_signal(&parts->work);
    pthread_mutex_unlock(&parts->lock);
}

/* Frees the memory of a chunk. It can be filled again: the scratch is zeroed. */
static void release_chunk(Reader *reader, Chunk *chunk)
{
    Context *context = reader->source.context;

    clv_free(context, chunk->text);
    clv_free(context, chunk->dropped_line);
    clv_builder_free(&chunk->builder);
    clv_labels_free(&chunk->labels);
    if (chunk->scratch && reader->format->free_scratch)
        reader->format->free_scratch(context, chunk->scratch);
    if (chunk->scratch)
        memset(chunk->scratch, 0, reader->format->scratch_size);
    *chunk = (Chunk){.builder = chunk->builder, .labels = chunk->labels, .scratch = chunk->scratch};
}

/* Frees the memory of all chunks after the last row, rather than when the source is closed. A rewound reader fills them again. */
static void release_chunks(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    stop_workers(parts);
    parts->stop = false;
    for (size_t i = 0; i < parts->slots; i++)
        release_chunk(reader, &parts->slot[i].chunk);
    clv_free(reader->source.context, parts->carry.data);
    parts->carry = (Buffer){0};
}

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    Reader *reader = (Reader *)source;
    struct ReaderParts *parts = reader->parts;

    *block = NULL;
    if (is_orphaned(parts))
        return refuse_orphan(reader, error);
    if (reader->label_guess.refused && !reader->label_guess.ignored && !reader->options.describe)
        return clv_label_refuse(reader, reader->label_guess.classes, reader->label_guess.rows, error);
    while (!parts->ended) {
        Slot *slot;

        give_back(reader);
        if (parts->threads && parts->started == 0)
            start_workers(reader);
        wait_for_chunk(reader, &slot);
        if (!slot) {
            bool opened;

            TRY(file_done(reader, error));
            TRY(next_file(reader, &opened, error));
            if (!opened) {
                parts->ended = true;
                TRY(check_label_guess(reader, true, error));
                if (!reader->options.ranged && !parts->again)
                    TRY(finish_all(reader, error));
                if (reader->format->tell && !parts->again)
                    reader->format->tell(reader);
                clv_words_tell(reader);
                release_chunks(reader);
            }
            continue;
        }
        parts->holding = true;
        TRY(settle(reader, slot, error));
        TRY(check_label_guess(reader, false, error));
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

    if (is_orphaned(parts))
        return refuse_orphan(reader, error);
    for (size_t i = 0; i < parts->path_count; i++) {
        uint64_t size;

        if (!clv_regular_file(parts->paths[i], &size) && !clv_is_folder(parts->paths[i])) {
            clv_fail(error, CLEAVE_ERROR_IO, "%s: can be read only once",
                     strcmp(parts->paths[i], "-") == 0 ? "standard input" : parts->paths[i]);
            return clv_hint(error, CLEAVE_ERROR_IO, "save it to a file, or 'cleave convert - -o data.cleave' first");
        }
    }
    stop_workers(parts);
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
    source->labels.unlabelled = 0;
    {
        bool opened;

        return next_file(reader, &opened, error);
    }
}

static void close_reader(Source *source)
{
    Reader *reader = (Reader *)source;
    struct ReaderParts *parts = reader->parts;
    Context *context = source->context;

    if (!parts || is_orphaned(parts)) /* memory in the middle of a change stays */
        return;
    stop_workers(parts);
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
        release_chunk(reader, &parts->slot[i].chunk);
        clv_free(context, parts->slot[i].chunk.scratch);
    }
    clv_words_forget_plan(reader);
    clv_free(context, parts->slot);
    clv_bytes_close(parts->bytes);
    clv_folder_close(parts->folder);
    clv_free(context, parts->carry.data);
    for (size_t i = 0; parts->paths && i < parts->path_count; i++)
        clv_free(context, parts->paths[i]);
    clv_free(context, parts->paths);
    clv_free(context, parts->path_size);
    clv_free(context, parts->memory_name);
    clv_free(context, parts->first_empty_file);
    clv_free(context, parts->worker);
    clv_free(context, parts);
}

static const SourceOps reader_ops = {.next = next_block, .rewind = rewind_reader, .close = close_reader};

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
    reader->guesses.told = true;
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

/* ---- making a reader ---------------------------------------------------------------------------------------------- */

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

static Status make_scratch(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    for (size_t i = 0; i < parts->slots && reader->format->scratch_size; i++) {
        void *scratch = clv_alloc_zero(reader->source.context, 1, reader->format->scratch_size);

        if (!scratch)
            return clv_fail_memory(error, "a reader", reader->format->scratch_size);
        parts->slot[i].chunk.scratch = scratch;
    }
    return OK;
}

static Status new_reader(Context *context, const ReadOptions *options, const ReadGuide *guide, Reader **result,
                         cleave_error *error)
{
    Reader *reader = clv_alloc_zero(context, 1, sizeof *reader);
    Status status = OK;

    *result = NULL;
    if (!reader)
        return clv_fail_memory(error, "a reader", sizeof *reader);
    clv_source_init(&reader->source, context, &reader_ops);
    clv_guesses_init(&reader->guesses, context);
    reader->options = *options;
    reader->parts = clv_alloc_zero(context, 1, sizeof *reader->parts);
    status = reader->parts ? make_slots(reader, error) : clv_fail_memory(error, "a reader", sizeof *reader->parts);
    if (status == OK && guide) {
        reader->guide_schema = guide->schema;
        reader->source.features = guide->features;
        reader->says_empty = guide->says_empty;
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

    if (guesses->note.size && !guesses->told && reader_tells(reader))
        clv_note(reader->source.context, "%s: %s", reader->path, guesses->note.data);
    guesses->told = true;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

/* What the first file is, its first bytes being at hand, decides for all of them. */
static Status begin(Reader *reader, cleave_error *error)
{
    const Schema *guide = reader->guide_schema;

    if (!reader->format)
        TRY(clv_choose_format(reader, reader->parts->carry.data,
                              reader->parts->carry.size < SNIFFED ? reader->parts->carry.size : SNIFFED, error));
    TRY(clv_read_options_check(&reader->options, reader->format->name, reader->path, error));
    if (guide)
        TRY(clv_schema_goes_with(guide, reader->format->name, reader->path, error));
    TRY(make_scratch(reader, error));
    if (!guide) {
        snprintf(reader->source.schema.format, sizeof reader->source.schema.format, "%s", reader->format->name);
        clv_names_free(&reader->source.names);
        clv_names_init(&reader->source.names, reader->source.context,
                       reader->format == &clv_format_libsvm ||
                           (!reader->format->text && reader->format != &clv_format_folder &&
                            reader->format != &clv_format_document));
    }
    TRY(start_format(reader, error));
    clv_reader_note_guesses(reader);
    return OK;
}

Status clv_read_memory(Context *context, const char *name, const void *bytes, size_t size, const Format *format,
                       const ReadOptions *options, const ReadGuide *guide, Source **source, cleave_error *error)
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
    if (status == OK)
        status = open_bytes(reader, error);
    if (status == OK)
        status = read_unwrapped_head(reader, error);
    if (status == OK)
        status = begin(reader, error);
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

    parts->path_size = clv_alloc_zero(reader->source.context, parts->path_count, sizeof *parts->path_size);
    if (!parts->path_size)
        return clv_fail_memory(error, "sizes of files", parts->path_count * sizeof *parts->path_size);
    for (size_t i = 0; i < parts->path_count; i++)
        if (!clv_regular_file(parts->paths[i], &parts->path_size[i]))
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: only a file can be read in parts", parts->paths[i]);
    return OK;
}

static Status copy_paths(Reader *reader, const char *const *paths, size_t count, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    parts->paths = clv_alloc_zero(reader->source.context, count, sizeof *parts->paths);
    if (!parts->paths)
        return clv_fail_memory(error, "file names", count * sizeof *parts->paths);
    parts->path_count = count;
    for (size_t i = 0; i < count; i++) {
        parts->paths[i] = clv_copy_string(reader->source.context, paths[i], strlen(paths[i]));
        if (!parts->paths[i])
            return clv_fail_memory(error, "a file name", strlen(paths[i]));
    }
    return reader->options.ranged ? measure_paths(reader, error) : OK;
}

/* Copies the open stream, its first bytes already taken, to an unlinked temporary file. */
static Status spool(Reader *reader, int *file, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Context *context = reader->source.context;
    Status status = OK;
    size_t got = parts->carry.size;

    TRY(clv_temporary_file(context, NULL, file, error));
    while (status == OK && got) {
        for (size_t at = 0; at < got && status == OK;) {
            ssize_t written = write(*file, parts->carry.data + at, got - at);

            if (written >= 0)
                at += (size_t)written;
            else if (errno != EINTR)
                status = clv_fail_io(error, "temporary file", "writing failed");
        }
        if (status == OK)
            status = clv_bytes_read(parts->bytes, parts->carry.data, HEAD_BYTES, &got, error);
    }
    if (status != OK) {
        close(*file);
        *file = -1;
    }
    return status;
}

static Status begin_or_spool(Reader *reader, int *spooled, cleave_error *error)
{
    TRY(open_bytes(reader, error));
    TRY(read_unwrapped_head(reader, error));
    if (!reader->folder && clv_dataset_sniff(reader->parts->carry.data, reader->parts->carry.size))
        return spool(reader, spooled, error);
    return begin(reader, error);
}

Status clv_read_text_files(Context *context, const char *const *paths, size_t count, const ReadOptions *options,
                           const ReadGuide *guide, Source **source, int *spooled, cleave_error *error)
{
    Reader *reader;
    Status status;

    *source = NULL;
    *spooled = -1;
    if (options->weights && options->ranged)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--weights: data that is read in parts takes its weights from a column");
    TRY(new_reader(context, options, guide, &reader, error));
    status = copy_paths(reader, paths, count, error);
    if (status == OK)
        status = begin_or_spool(reader, spooled, error);
    if (status != OK || *spooled >= 0) {
        clv_source_close(&reader->source);
        return status;
    }
    reader->says_empty = NULL; /* who asked is gone */
    for (size_t i = 0; i < count; i++) {
        uint64_t size;

        if (clv_regular_file(paths[i], &size))
            reader->source.bytes_total += size;
    }
    *source = &reader->source;
    return OK;
}
