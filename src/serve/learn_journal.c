#include "serve/learn_journal.h"

#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[] = "cleave-learned 1\n", SUFFIX[] = ".journal";
enum { SUM_DIGITS = 16, MOST_LINE = 96 };

struct LearnJournal {
    Context *context;
    const char *model_path;
    char *path;
    int file;
    uint64_t base;       /* fingerprint of the model file */
    uint64_t start, end; /* end of the first base record, and of the last record */
    uint64_t updates;    /* since the model was saved */
    bool failed;         /* the end of the file is unknown */
};

/* ---- fingerprints ---------------------------------------------------------------------------- */

static Status fingerprint_of_file(const char *path, uint64_t *fingerprint, cleave_error *error)
{
    char header[BUNDLE_START];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    if (file < 0)
        return clv_fail_io(error, path, "cannot be opened");
    got = pread(file, header, sizeof header, 0);
    close(file);
    if (got != (ssize_t)sizeof header)
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "%s: the file is not a cleave model", path);
    *fingerprint = clv_hash(header, sizeof header, 0);
    return OK;
}

static char *journal_path(Context *context, const char *model_path)
{
    size_t length = strlen(model_path), size = length + sizeof SUFFIX;
    char *path = clv_alloc(context, size, 1);

    if (path)
        snprintf(path, size, "%s%s", model_path, SUFFIX);
    return path;
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct {
    bool is_base;
    uint64_t base;       /* of a base record */
    size_t count, bytes; /* of rows */
    size_t from;         /* position of the rows */
    size_t end;          /* position after the record */
} JournalRecordAt;

/* A line of SUM, a space and `text`, which describes the rows. */
static int format_line(char line[MOST_LINE], const char *text, const char *rows, size_t size)
{
    Hash hash;

    clv_hash_start(&hash, 0);
    clv_hash_add(&hash, text, strlen(text));
    clv_hash_add(&hash, rows, size);
    return snprintf(line, MOST_LINE, "%016llx %s\n", (unsigned long long)clv_hash_end(&hash), text);
}

static int format_base(char line[MOST_LINE], uint64_t fingerprint)
{
    char text[MOST_LINE / 2];

    snprintf(text, sizeof text, "base %016llx", (unsigned long long)fingerprint);
    return format_line(line, text, "", 0);
}

static int format_rows(char line[MOST_LINE], const char *rows, size_t size, uint64_t count)
{
    char text[MOST_LINE / 2];

    snprintf(text, sizeof text, "rows %llu %llu", (unsigned long long)count,
             (unsigned long long)size);
    return format_line(line, text, rows, size);
}

/* A number in digits of the base. An overflow is found by comparing the whole line. */
static uint64_t take_number(const char **at, unsigned base)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;

    for (const char *digit; **at && (digit = memchr(digits, **at, base)); ++*at)
        number = number * base + (uint64_t)(digit - digits);
    return number;
}

/* Reads the record at a position. Returns false if it is incomplete or its sum is wrong. */
static bool read_record(const Buffer *bytes, size_t at, JournalRecordAt *record)
{
    const char *line = bytes->data + at,
               *stop = memchr(line, '\n',
                              bytes->size - at < MOST_LINE ? bytes->size - at : MOST_LINE - 1);
    char made[MOST_LINE];
    int length;

    if (!stop || stop - line < SUM_DIGITS + 6)
        return false;
    *record = (JournalRecordAt){.from = (size_t)(stop + 1 - bytes->data)};
    record->end = record->from;
    line += SUM_DIGITS + 6;
    if (memcmp(line - 6, " base ", 6) == 0) {
        record->is_base = true;
        record->base = take_number(&line, 16);
        length = format_base(made, record->base);
    } else if (memcmp(line - 6, " rows ", 6) == 0) {
        record->count = take_number(&line, 10);
        line += *line == ' ';
        record->bytes = take_number(&line, 10);
        if (record->bytes >= bytes->size - record->from)
            return false;
        record->end += record->bytes + 1;
        if (bytes->data[record->end - 1] != '\n')
            return false;
        length = format_rows(made, bytes->data + record->from, record->bytes, record->count);
    } else {
        return false;
    }
    line = bytes->data + at;
    return length == stop + 1 - line && memcmp(made, line, (size_t)length) == 0;
}

/* The end of the complete records. Only the last record may be incomplete. */
static Status find_end(const Buffer *bytes, const char *path, size_t *end, cleave_error *error)
{
    size_t at = strlen(MAGIC);
    JournalRecordAt record;

    while (at < bytes->size && read_record(bytes, at, &record))
        at = record.end;
    *end = at;
    while (at < bytes->size) {
        const char *next = memchr(bytes->data + at, '\n', bytes->size - at);

        if (!next)
            break;
        at = (size_t)(next + 1 - bytes->data);
        if (at < bytes->size && read_record(bytes, at, &record))
            return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                                 "restore the file, or remove it to discard the learned rows",
                                 "%s: the journal is damaged at byte %zu", path, *end);
    }
    return OK;
}

/* The part of the journal after the last base record with the fingerprint. */
static Status find_base(const Buffer *bytes, size_t end, const char *path, const char *model_path,
                        uint64_t fingerprint, size_t *from, cleave_error *error)
{
    JournalRecordAt record;

    *from = 0;
    for (size_t at = strlen(MAGIC); at < end; at = record.end) {
        if (!read_record(bytes, at, &record))
            break;
        if (record.is_base && record.base == fingerprint)
            *from = record.end;
    }
    if (*from)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "restore the model file, or remove the journal to discard the learned "
                         "rows",
                         "%s: the journal belongs to another version of '%s'", path, model_path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status read_all(Context *context, int file, const char *path, Buffer *bytes,
                       cleave_error *error)
{
    TRY(clv_input_read(context, path, file, true, SIZE_MAX, bytes, error));
    if (bytes->size < strlen(MAGIC) || memcmp(bytes->data, MAGIC, strlen(MAGIC)) != 0)
        return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "move the file away",
                             "%s: the file is not the journal of a model that learns", path);
    return OK;
}

/* The content up to the last complete record, and the position of the updates that the model file
 * lacks. The content is empty without a journal. */
static Status scan(Context *context, const char *model_path, const char *path, Buffer *bytes,
                   size_t *from, cleave_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t fingerprint;
    size_t end = 0;
    Status status;

    *from = 0;
    if (file < 0 && errno == ENOENT)
        return OK;
    if (file < 0)
        return clv_fail_io(error, path, "cannot be opened");
    status = read_all(context, file, path, bytes, error);
    close(file);
    THEN(status, find_end(bytes, path, &end, error));
    THEN(status, fingerprint_of_file(model_path, &fingerprint, error));
    THEN(status, find_base(bytes, end, path, model_path, fingerprint, from, error));
    bytes->size = end;
    return status;
}

static Status replay(const Buffer *bytes, size_t from, JournalUpdate *update, void *user,
                     uint64_t *updates, cleave_error *error)
{
    JournalRecordAt record;

    for (size_t at = from; at < bytes->size && read_record(bytes, at, &record); at = record.end) {
        if (record.is_base)
            continue;
        TRY(update(user, bytes->data + record.from, record.bytes, error));
        ++*updates;
    }
    return OK;
}

Status clv_learn_journal_replay(Context *context, const char *model_path, JournalUpdate *update,
                                void *user, uint64_t *updates, cleave_error *error)
{
    char *path = journal_path(context, model_path);
    Buffer bytes = {0};
    size_t from;
    Status status;

    *updates = 0;
    if (!path)
        return clv_fail_memory(error, "a journal", 1);
    status = scan(context, model_path, path, &bytes, &from, error);
    THEN(status, replay(&bytes, from, update, user, updates, error));
    FREE(context, bytes.data, path);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Makes a rename in the folder of the path durable. */
static Status sync_folder(const char *path, cleave_error *error)
{
    char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    int file, status = 0;

    if (!slash)
        return clv_fail_io(error, path, "cannot be opened");
    slash[slash == real] = '\0';
    file = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(real);
    if (file >= 0) {
        status = fsync(file);
        close(file);
    }
    return file >= 0 && status == 0 ? OK : clv_fail_io(error, path, "cannot be synchronized");
}

/* Replaces a file, durably or not at all. */
static Status replace_file(Context *context, const char *path, const void *bytes, size_t size,
                           cleave_error *error)
{
    Output *output;
    Status status;

    TRY(clv_output_open(context, path, true, &output, error));
    status = clv_output_write(output, bytes, size, error);
    if (status == OK)
        status = clv_output_commit(output, error);
    else
        clv_output_abandon(output);
    THEN(status, sync_folder(path, error));
    return status;
}

/* Replaces the journal by one without rows. */
static Status begin_file(LearnJournal *journal, cleave_error *error)
{
    char text[sizeof MAGIC + MOST_LINE];
    size_t length = strlen(MAGIC);
    int file;

    memcpy(text, MAGIC, length);
    length += (size_t)format_base(text + length, journal->base);
    TRY(replace_file(journal->context, journal->path, text, length, error));
    file = open(journal->path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return clv_fail_io(error, journal->path, "cannot be opened");
    if (journal->file >= 0)
        close(journal->file);
    journal->file = file;
    journal->start = journal->end = length;
    journal->updates = 0;
    return OK;
}

/* Opens the existing journal and removes an incomplete record. */
static Status open_file(LearnJournal *journal, uint64_t size, cleave_error *error)
{
    journal->file = open(journal->path, O_RDWR | O_CLOEXEC);
    if (journal->file < 0)
        return clv_fail_io(error, journal->path, "cannot be opened");
    if (ftruncate(journal->file, (off_t)size) != 0)
        return clv_fail_io(error, journal->path, "writing failed");
    journal->end = size;
    return OK;
}

static Status open_journal(LearnJournal *journal, cleave_error *error)
{
    Context *context = journal->context;
    Buffer bytes = {0};
    size_t from = 0;
    Status status = fingerprint_of_file(journal->model_path, &journal->base, error);

    THEN(status, scan(context, journal->model_path, journal->path, &bytes, &from, error));
    THEN(status,
         bytes.size > from ? open_file(journal, bytes.size, error) : begin_file(journal, error));
    clv_free(context, bytes.data);
    return status;
}

Status clv_learn_journal_open(Context *context, const char *model_path, LearnJournal **result,
                              cleave_error *error)
{
    LearnJournal *journal;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, journal, 1, "a journal", error));
    *journal = (LearnJournal){.context = context, .model_path = model_path, .file = -1};
    journal->path = journal_path(context, model_path);
    status = journal->path ? open_journal(journal, error) : clv_fail_memory(error, "a journal", 1);
    if (status != OK) {
        journal->failed = true;
        clv_learn_journal_close(journal);
        return status;
    }
    *result = journal;
    return OK;
}

static bool is_full(int cause)
{
    return cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
}

/* Writes the bytes at the end of the file. Returns 0, or errno. */
static int write_at_end(LearnJournal *journal, uint64_t *at, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = pwrite(journal->file, bytes, size, (off_t)*at);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        bytes += written;
        size -= (size_t)written;
        *at += (uint64_t)written;
    }
    return 0;
}

/* Appends a record, durably or not at all. After a failed fdatasync the pages that it reports are
 * marked clean (Rebello et al. 2020), so its outcome is unknown. */
static Status append(LearnJournal *journal, const char *line, int length, const char *rows,
                     size_t size, cleave_error *error)
{
    uint64_t at = journal->end;
    int cause;

    if (journal->failed)
        return clv_fail_hint(error, CLEAVE_ERROR_IO, "restart the server",
                             "%s: the journal failed earlier", journal->path);
    cause = write_at_end(journal, &at, line, (size_t)length);
    if (!cause && size)
        cause = write_at_end(journal, &at, rows, size);
    if (!cause && size)
        cause = write_at_end(journal, &at, "\n", 1);
    if (!cause && fdatasync(journal->file) != 0) {
        cause = errno;
        journal->failed = true;
    }
    if (!cause) {
        journal->end = at;
        return OK;
    }
    if (ftruncate(journal->file, (off_t)journal->end) != 0)
        journal->failed = true;
    errno = cause;
    clv_fail_io(error, journal->path, "writing failed");
    return is_full(cause) ? clv_hint(error, CLEAVE_ERROR_MEMORY, "free space on the disk")
                          : CLEAVE_ERROR_IO;
}

Status clv_learn_journal_add(LearnJournal *journal, const char *rows, size_t size, uint64_t count,
                             cleave_error *error)
{
    char line[MOST_LINE];

    TRY(append(journal, line, format_rows(line, rows, size, count), rows, size, error));
    journal->updates++;
    return OK;
}

Status clv_learn_journal_check(const LearnJournal *journal, cleave_error *error)
{
    uint64_t there;

    TRY(fingerprint_of_file(journal->model_path, &there, error));
    if (there == journal->base)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "stop the server, and move the journal or the new file away",
                         "%s: the file was replaced, but the rows in %s were learned by its "
                         "predecessor",
                         journal->model_path, journal->path);
}

Status clv_learn_journal_save(LearnJournal *journal, const Model *model, cleave_error *error)
{
    char line[MOST_LINE];
    uint64_t fingerprint;
    Buffer bytes = {0};
    Status status = clv_learn_journal_check(journal, error);

    THEN(status, clv_model_to_bytes(model, &bytes, error));
    if (status == OK) {
        fingerprint = clv_hash(bytes.data, BUNDLE_START, 0);
        status = append(journal, line, format_base(line, fingerprint), "", 0, error);
        THEN(status,
             replace_file(journal->context, journal->model_path, bytes.data, bytes.size, error));
    }
    clv_free(model->context, bytes.data);
    TRY(status);
    journal->base = fingerprint;
    return begin_file(journal, error);
}

uint64_t clv_learn_journal_updates(const LearnJournal *journal)
{
    return journal->updates;
}

uint64_t clv_learn_journal_size(const LearnJournal *journal)
{
    return journal->end - journal->start;
}

void clv_learn_journal_close(LearnJournal *journal)
{
    if (!journal)
        return;
    if (!journal->failed && journal->end == journal->start)
        unlink(journal->path);
    if (journal->file >= 0)
        close(journal->file);
    clv_free(journal->context, journal->path);
    clv_free(journal->context, journal);
}
