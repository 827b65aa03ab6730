#include "select/journal.h"

#include "base/hash.h"
#include "base/number.h"
#include "train/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "cleave-journal 2\n"
enum { SUM_DIGITS = 16 };

struct Journal {
    Context *context;
    char *path; /* path of the file; NULL: no journal */
    int file;
    uint64_t end; /* end of the last complete line */
    bool failed;
    pthread_mutex_t lock;
    bool has_lock;

    char *bytes; /* the contents of the file, into which texts of records point */
    JournalRecord *record;
    uint64_t *key_hash;
    size_t count, capacity, hash_capacity;
    double *numbers; /* numbers of all records */
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* Adds a field, where tab, line feed and backslash are written \t, \n and \\. */
static Status add_field(Journal *journal, Buffer *line, const char *text, cleave_error *error)
{
    TRY(clv_buffer_add(journal->context, line, "\t", 1, error));
    for (; text && *text; text++) {
        const char *escape = *text == '\t'   ? "\\t"
                             : *text == '\n' ? "\\n"
                             : *text == '\\' ? "\\\\"
                                             : NULL;

        TRY(clv_buffer_add(journal->context, line, escape ? escape : text, escape ? 2 : 1, error));
    }
    return OK;
}

static void sum_text(char text[SUM_DIGITS + 1], const char *body, size_t size)
{
    snprintf(text, SUM_DIGITS + 1, "%016llx", (unsigned long long)clv_hash(body, size, 0));
}

static Status add_line(Journal *journal, Buffer *line, const char *kind,
                       const JournalRecord *record, cleave_error *error)
{
    size_t from = line->size, body = from + SUM_DIGITS;
    char sum[SUM_DIGITS + 1] = {0};

    TRY(clv_buffer_add(journal->context, line, sum, SUM_DIGITS, error));
    TRY(add_field(journal, line, kind, error));
    TRY(add_field(journal, line, record->key, error));
    TRY(add_field(journal, line, record->text, error));
    TRY(add_field(journal, line, "", error));
    for (size_t i = 0; i < record->count; i++) {
        double number = record->numbers[i];
        char text[NUMBER_SIZE + 1] = " ";

        if (isfinite(number))
            clv_format_double(text + 1, number);
        else
            snprintf(text + 1, NUMBER_SIZE, "%s",
                     isnan(number) ? "nan"
                     : number > 0  ? "inf"
                                   : "-inf");
        TRY(clv_buffer_add(journal->context, line, text + (i == 0), strlen(text) - (i == 0),
                           error));
    }
    sum_text(sum, line->data + body, line->size - body);
    memcpy(line->data + from, sum, SUM_DIGITS);
    return clv_buffer_add(journal->context, line, "\n", 1, error);
}

/* Writes the line to disk completely, or restores the file. */
static Status append(Journal *journal, const Buffer *bytes, cleave_error *error)
{
    size_t done = 0;

    while (done < bytes->size) {
        ssize_t written = pwrite(journal->file, bytes->data + done, bytes->size - done,
                                 (off_t)(journal->end + done));

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    if (done == bytes->size && fsync(journal->file) == 0) {
        journal->end += done;
        return OK;
    }
    journal->failed = true;
    clv_fail_io(error, journal->path, "writing failed");
    if (ftruncate(journal->file, (off_t)journal->end) != 0)
        return CLEAVE_ERROR_IO; /* the line has no checksum, or a wrong one */
    return CLEAVE_ERROR_IO;
}

/* ---- scan ------------------------------------------------------------------------------------ */

/* Returns the next field of a line, decoded in place; NULL: there is none. */
static char *next_field(char **at)
{
    char *field = *at, *to = field, *from = field;

    if (!field)
        return NULL;
    for (; *from && *from != '\t'; from++) {
        if (*from == '\\' && from[1]) {
            from++;
            *to++ = *from == 't' ? '\t' : *from == 'n' ? '\n' : *from;
        } else {
            *to++ = *from;
        }
    }
    *at = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static bool is_whole(const char *line, size_t length)
{
    char sum[SUM_DIGITS + 1];

    if (length < SUM_DIGITS + 2 || line[SUM_DIGITS] != '\t' || memchr(line, '\0', length))
        return false;
    sum_text(sum, line + SUM_DIGITS, length - SUM_DIGITS);
    return memcmp(sum, line, SUM_DIGITS) == 0;
}

/* Appends numbers to those of other records; *from counts them. */
static bool read_numbers(Journal *journal, const char *at, JournalRecord *record, size_t *from)
{
    record->numbers = journal->numbers + *from;
    for (record->count = 0; *at; record->count++, (*from)++) {
        double *number = &journal->numbers[*from];
        size_t length = strcspn(at, " ");
        const char *stop = at + length;

        if (length == 3 && memcmp(at, "nan", 3) == 0)
            *number = (double)NAN;
        else if ((length == 3 && memcmp(at, "inf", 3) == 0) ||
                 (length == 4 && memcmp(at, "-inf", 4) == 0))
            *number = *at == '-' ? -(double)INFINITY : (double)INFINITY;
        else if (!clv_parse_double(at, stop, number, &stop) || stop != at + length)
            return false;
        at += length + (at[length] == ' ');
    }
    return true;
}

static Status damaged(const Journal *journal, uint64_t line, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_FORMAT,
        "remove the line to run its trial again, or remove the file to start again",
        "%s:%llu: the journal is damaged: the checksum of the line does not match", journal->path,
        (unsigned long long)line);
}

static Status refuse(const Journal *journal, const Buffer *theirs, const Buffer *mine,
                     cleave_error *error)
{
    Difference found = clv_identity_difference(theirs->data, theirs->size, mine);
    char other[QUOTE_SIZE], own[QUOTE_SIZE];

    if (found.name)
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "%s: the journal belongs to another run: its %s is '%s', not '%s'", journal->path,
                 found.name, clv_quote(other, found.theirs, strlen(found.theirs)),
                 clv_quote(own, found.mine, strlen(found.mine)));
    else
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the journal belongs to another run",
                 journal->path);
    return clv_hint(
        error, CLEAVE_ERROR_USAGE,
        "use the same options and data as that run, choose another file, or remove this file");
}

/* The state of the scan. */
typedef struct {
    bool begun; /* all facts have been read */
    Buffer facts;
    size_t numbers;
} JournalScan;

static Status take_line(Journal *journal, JournalScan *scan, char *line, const Buffer *identity,
                        bool *fine, cleave_error *error)
{
    Identity theirs = {.context = journal->context, .error = error, .list = &scan->facts};
    char *at = line + SUM_DIGITS + 1;
    const char *kind = next_field(&at), *key = next_field(&at), *text = next_field(&at),
               *list = next_field(&at);
    JournalRecord *record;

    *fine = list && !at && strcmp(kind, scan->begun ? "done" : *key ? "fact" : "begin") == 0;
    if (!*fine)
        return OK;
    if (!scan->begun && *key)
        return clv_identity_add(&theirs, key, text);
    if (!scan->begun) {
        scan->begun = true;
        if (scan->facts.size != identity->size ||
            (identity->size && memcmp(scan->facts.data, identity->data, identity->size) != 0))
            return refuse(journal, &scan->facts, identity, error);
        return OK;
    }
    TRY(GROW(journal->context, journal->record, journal->capacity, journal->count + 1, error));
    TRY(GROW(journal->context, journal->key_hash, journal->hash_capacity, journal->count + 1,
             error));
    record = &journal->record[journal->count];
    *record = (JournalRecord){.key = key, .text = text};
    *fine = read_numbers(journal, list, record, &scan->numbers);
    if (*fine)
        journal->key_hash[journal->count++] = clv_hash(key, strlen(key), 0);
    return OK;
}

/* Reads up to the last complete line. Only the last line may be incomplete. */
static Status take_lines(Journal *journal, size_t size, JournalScan *scan, const Buffer *identity,
                         cleave_error *error)
{
    char *at = journal->bytes + strlen(MAGIC), *limit = journal->bytes + size;

    journal->end = strlen(MAGIC);
    for (uint64_t line = 2; at < limit; line++) {
        char *stop = memchr(at, '\n', (size_t)(limit - at));
        bool fine;

        if (!stop || !is_whole(at, (size_t)(stop - at))) {
            if (stop && stop + 1 < limit)
                return damaged(journal, line, error);
            return OK;
        }
        *stop = '\0';
        TRY(take_line(journal, scan, at, identity, &fine, error));
        if (!fine)
            return damaged(journal, line, error);
        at = stop + 1;
        journal->end = (uint64_t)(at - journal->bytes);
    }
    return OK;
}

static Status read_bytes(Journal *journal, size_t size, cleave_error *error)
{
    size_t done = 0;

    journal->bytes = clv_alloc(journal->context, size + 1, 1);
    journal->numbers = clv_alloc(journal->context, size / 2 + 1,
                                 /* each number has at least a digit and a blank */
                                 sizeof *journal->numbers);
    if (!journal->bytes || !journal->numbers)
        return clv_fail_memory(error, "a journal", size);
    while (done < size) {
        ssize_t got = pread(journal->file, journal->bytes + done, size - done, (off_t)done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return clv_fail_io(error, journal->path, "scan failed");
        if (got == 0)
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: the file was truncated while it was read",
                            journal->path);
        done += (size_t)got;
    }
    journal->bytes[size] = '\0';
    return OK;
}

static Status write_header(Journal *journal, const Buffer *identity, cleave_error *error)
{
    const char *name = identity->data, *end = identity->size ? name + identity->size : name;
    Buffer bytes = {0};
    Status status = clv_buffer_add(journal->context, &bytes, MAGIC, strlen(MAGIC), error);

    while (status == OK && name < end) {
        const char *value = name + strlen(name) + 1;

        status = add_line(journal, &bytes, "fact", &(JournalRecord){.key = name, .text = value},
                          error);
        name = value + strlen(value) + 1;
    }
    if (status == OK)
        status = add_line(journal, &bytes, "begin", &(JournalRecord){0}, error);
    journal->end = 0;
    if (status == OK && ftruncate(journal->file, 0) != 0)
        status = clv_fail_io(error, journal->path, "writing failed");
    THEN(status, append(journal, &bytes, error));
    clv_free(journal->context, bytes.data);
    return status;
}

/* Takes the contents of a file. A file that was truncated within its header starts again. */
static Status take_file(Journal *journal, const Buffer *identity, cleave_error *error)
{
    struct stat facts;
    JournalScan scan = {0};
    Status status;
    size_t size, known;

    if (fstat(journal->file, &facts) != 0)
        return clv_fail_io(error, journal->path, "cannot be read");
    if (!S_ISREG(facts.st_mode))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the journal must be a regular file",
                        journal->path);
    size = (size_t)facts.st_size;
    TRY(read_bytes(journal, size, error));
    known = size < strlen(MAGIC) ? size : strlen(MAGIC);
    if (memcmp(journal->bytes, MAGIC, known) != 0)
        return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "use another file; this file is unchanged",
                             "%s: the file is not a journal of this version of cleave",
                             journal->path);
    status = known < strlen(MAGIC) ? OK : take_lines(journal, size, &scan, identity, error);
    clv_free(journal->context, scan.facts.data);
    TRY(status);
    if (!scan.begun)
        return write_header(journal, identity, error);
    if (journal->end < size && ftruncate(journal->file, (off_t)journal->end) != 0)
        return clv_fail_io(error, journal->path, "writing failed");
    return OK;
}

static Status open_file(Journal *journal, const char *path, const Buffer *identity,
                        cleave_error *error)
{
    journal->path = clv_copy_string(journal->context, path, strlen(path));
    if (!journal->path)
        return clv_fail_memory(error, "a journal", strlen(path));
    journal->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->file < 0)
        return clv_fail_io(error, path, "cannot be written");
    if (flock(journal->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "wait until that process ends, or use another file",
                             "%s: another process is writing to this journal", path);
    return take_file(journal, identity, error);
}

Status clv_journal_open(Context *context, const char *path, const Buffer *identity,
                        Journal **journal, cleave_error *error)
{
    Journal *made;
    Status status = OK;

    *journal = NULL;
    TRY(ALLOC_ZERO(context, made, 1, "a journal", error));
    made->context = context;
    made->file = -1;
    made->has_lock = pthread_mutex_init(&made->lock, NULL) == 0;
    if (!made->has_lock)
        status = clv_fail_memory(error, "a journal", sizeof made->lock);
    if (status == OK && path)
        status = open_file(made, path, identity, error);
    if (status != OK) {
        clv_journal_close(made);
        return status;
    }
    *journal = made;
    return OK;
}

void clv_journal_close(Journal *journal)
{
    if (!journal)
        return;
    if (journal->file >= 0)
        close(journal->file);
    if (journal->has_lock)
        pthread_mutex_destroy(&journal->lock);
    FREE(journal->context, journal->bytes, journal->numbers, journal->record, journal->key_hash,
         journal->path, journal);
}

/* ---- records --------------------------------------------------------------------------------- */

size_t clv_journal_count(const Journal *journal)
{
    return journal->count;
}

const JournalRecord *clv_journal_find(const Journal *journal, const char *key)
{
    uint64_t hash = clv_hash(key, strlen(key), 0);

    for (size_t i = journal->count; i-- > 0;)
        if (journal->key_hash[i] == hash && strcmp(journal->record[i].key, key) == 0)
            return &journal->record[i];
    return NULL;
}

Status clv_journal_add(Journal *journal, const JournalRecord *record, cleave_error *error)
{
    Buffer line = {0};
    Status status;

    if (!journal->path)
        return OK;
    status = add_line(journal, &line, "done", record, error);
    if (status == OK) {
        pthread_mutex_lock(&journal->lock);
        status = journal->failed
                     ? clv_fail(error, CLEAVE_ERROR_IO, "%s: an earlier line could not be written",
                                journal->path)
                     : append(journal, &line, error);
        pthread_mutex_unlock(&journal->lock);
    }
    clv_free(journal->context, line.data);
    return status;
}
