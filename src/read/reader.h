/*
 * The reader converts bytes to blocks. The result is bit-identical for any number of threads.
 *
 * A file is cut into chunks of about a megabyte that contain complete records. Any thread parses a
 * chunk independently of the rows before it. The calling thread settles the chunks in order and
 * assigns numbers to labels and names; it also parses when it would otherwise wait. Each format is
 * one file in this folder with functions to recognize, cut, parse and settle.
 *
 * A parse error is kept in its chunk and reported in order. The user therefore sees the first error
 * of the file, independent of the thread that found it.
 */
#ifndef READ_READER_H
#define READ_READER_H

#include "base/memory.h"
#include "base/number.h"
#include "data/builder.h"
#include "data/source.h"
#include "read/guess.h"
#include "read/read_options.h"

typedef struct Reader Reader;
typedef struct Chunk Chunk;

struct Chunk {
    /* Input of parse: complete records. At least NUMBER_SLACK readable bytes follow, the first
     * being '
     * '. */
    char *text;
    size_t size, capacity;
    bool first_of_file; /* the chunk starts the file, after the bytes that start() skipped */
    bool last_of_file;
    size_t left_out;       /* bytes of an incomplete last line that --allow-cut dropped */
    bool unfinished;       /* the last line has no newline (the reader appends one) */
    uint64_t first_record; /* fixed-size records and documents: number of the first, from 0 */
    uint64_t documents;    /* folders: number of documents to read; there is no text */

    /* Output of parse. */
    Builder builder; /* rows, with label numbers local to the chunk */
    /* labels of the chunk in order of appearance, with counts and lines (from 1 in the chunk) */
    Labels labels;
    uint64_t lines; /* lines in the chunk (with an unterminated last one); documents of a folder */
    uint64_t bytes_read;                   /* bytes of a folder's documents, set by parse */
    uint64_t empty_rows, first_empty_line; /* rows without features; line from 1 in the chunk */
    uint64_t dropped;                      /* rows dropped by --classes */
    uint64_t *dropped_line;                /* lines of these rows, from 1 in the chunk */
    size_t dropped_capacity;
    void *scratch; /* owned by the format: zeroed first, reused, freed by free_scratch */

    /* An error, or OK. Line and column count from 1 in the chunk; 0: unknown. */
    Status status;
    cleave_error error;
    uint64_t error_line, error_column;

    /* Output of settle. */
    Block block;
    const uint64_t *unseen; /* see Source.unseen; the memory belongs to the scratch space */
};

typedef struct {
    const char *name, *brief;
    const char *const *suffixes; /* ".csv", …; NULL at the end */
    /* Returns whether the first bytes (up to 64 KiB, or all) look like the format. NULL: never
     * recognized by content. */
    bool (*sniff)(const char *head, size_t size);
    /* Called once per file with its first bytes (1 MiB, or all of a smaller file: *whole). Reads
     * the header, fills the schema (or compares it with the guide's), and returns the number of
     * header bytes. NULL: no header. */
    Status (*start)(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error);
    /* Returns how many of `size` bytes are complete records; 0: none yet. NULL: up to the last
     * newline. */
    size_t (*cut)(const Reader *reader, const char *text, size_t size);
    /* Returns the bytes up to the end of the current record, 0 if it does not end in the text.
     * *state is 0 at its start. NULL: a record is a line. */
    size_t (*record_end)(const Reader *reader, unsigned *state, const char *text, size_t size);
    /* Writes only to the chunk; the reader is read-only. */
    void (*parse)(const Reader *reader, Chunk *chunk);
    /* Called in the order of the chunks. NULL: clv_settle_labels is called and the builder is
     * ended, which suffices for most formats. */
    Status (*settle)(Reader *reader, Chunk *chunk, cleave_error *error);
    void (*free_scratch)(Context *context, void *scratch);
    void (*report)(
        const Reader
            *reader); /* called once after the last row, for notes on all rows; NULL: not called */
    void (*finish)(Reader *reader); /* frees reader->state */
    size_t scratch_size;
    bool text; /* lines: an unterminated last line is read only if it is complete */
} Format;

/* The guessed label column (csv_label.c). */
typedef struct {
    bool made, refused;     /* a guess was made; it was refused because of the first rows */
    bool ignored;           /* the label is not needed */
    bool whole, numbers;    /* the counted rows are all rows; all their values are numbers */
    uint64_t classes, rows; /* number of classes among the first rows; number of these rows */
    const char *why;
    char title[QUOTE_SIZE], candidates[4 * QUOTE_SIZE];
} LabelGuess;

struct Reader {
    Source source; /* first member, because the reader is a source */
    const Format *format;
    ReadOptions options;
    const Schema
        *guide_schema; /* NULL when learning; otherwise the model's, and source.names is frozen */
    bool *found_empty; /* see ReadGuide */
    bool strict_lines; /* text: no labels; a line without a TAB is an error even with a model */
    const struct Folder *folder;      /* the current folder; NULL for a file */
    Documents documents;              /* kind of the documents in the current folder */
    const char *path;                 /* name of the current file, for messages */
    const char *argument;             /* the name as given by the user: "-" is standard input */
    uint32_t file;                    /* number of the current file, from 0 */
    bool only_file;                   /* it is the only file; false if unknown */
    void *state;                      /* owned by the format, created in start */
    struct WordsPlan *words;          /* text: rules for reading, set by clv_words_start */
    uint64_t line;                    /* lines before the chunk being settled */
    bool line_unknown;                /* the lines before the range were not counted */
    uint64_t records;                 /* fixed-size records before the chunk being cut */
    struct RowLabels *archive_labels; /* NumPy archives: labels of the current file; NULL: none */
    Buffer column_kinds; /* Arrow: an ArrowKind per column of the current file; otherwise empty */
    Guesses guesses;
    LabelGuess label_guess;
    struct RecordTap *tap;     /* receives the text of rows (records.h); NULL: no sink */
    uint64_t dropped;          /* rows dropped by --classes so far */
    struct ReaderParts *parts; /* internal state, see reader_parts.h */
};

extern const Format clv_format_libsvm, clv_format_csv, clv_format_tsv, clv_format_text,
    clv_format_folder, clv_format_document, clv_format_npy, clv_format_idx, clv_format_fvecs,
    clv_format_bvecs, clv_format_ivecs;
extern const Format *const clv_formats[]; /* all formats; NULL at the end */

/* ---- for formats ----------------------------------------------------------------------------- */

/* Records an error in the chunk (only the first is kept) and returns its status. */
Status clv_chunk_fail(Chunk *chunk, uint64_t line, uint64_t column, cleave_code code,
                      const char *format, ...) CLEAVE_PRINTF(5, 6);
Status clv_chunk_hint(Chunk *chunk, const char *format, ...) CLEAVE_PRINTF(2, 3);

/* Returns the chunk's number of a label, new or known, and counts it. text must stay in place
 * during the parse. '?' and the empty text are unlabeled. */
Status clv_chunk_label(Chunk *chunk, const char *text, size_t length, uint64_t line,
                       uint32_t *label);

/* Returns whether --classes keeps rows of this label. Formats that read the label first call it
 * before they parse the rest of the row. read/classes.h filters arrays and datasets. */
bool clv_keeps_class(const Reader *reader, const char *text, size_t length);

/* Records that --classes drops the row of this line, from 1 in the chunk. */
Status clv_chunk_drop(Chunk *chunk, uint64_t line);
/* Returns whether the reader itself drops rows by --classes, because it reads the label first. */
bool clv_reader_drops_classes(const Reader *reader);

/* Returns whether this reader reports findings about the files. Of several readers of parts, only
 * one does. */
static inline bool reader_reports(const Reader *reader)
{
    return !reader->options.ranged || reader->options.range_from == 0;
}

/* Returns the line in the file of a line of the current chunk; 0: unknown. */
static inline uint64_t reader_line(const Reader *reader, uint64_t line)
{
    return reader->line_unknown ? 0 : reader->line + line;
}
/* Returns the chunk's error with the file name and line. */
Status clv_chunk_error(const Reader *reader, const Chunk *chunk, cleave_error *error);
/* Resets the chunk for other text. */
void clv_chunk_clear(Chunk *chunk);

/* Allocates the scratch space of the format. */
Status clv_chunk_prepare(const Reader *reader, Chunk *chunk, cleave_error *error);
/* Frees the memory of the chunk, which can be filled again. The scratch space, which the caller
 * frees, is zeroed. */
void clv_chunk_release(const Reader *reader, Chunk *chunk);
/* Settles a chunk with the format's function. */
Status clv_chunk_settle(Reader *reader, Chunk *chunk, cleave_error *error);
/* Adds a settled chunk to the rows and features of the source. */
void clv_chunk_count(Reader *reader, Chunk *chunk);
/* Checks that the options and the guide apply to the format. */
Status clv_reader_check_format(const Reader *reader, const char *path, cleave_error *error);

/* Assigns source numbers to the chunk's labels and rewrites the builder's label column. */
Status clv_settle_labels(Reader *reader, Chunk *chunk, cleave_error *error);

/* Writes the note on the guesses once. */
void clv_reader_note_guesses(Reader *reader);
/* Returns whether a column has too many distinct values for a classification label. */
bool clv_label_has_too_many(uint64_t classes, uint64_t rows);
/* Returns whether labels may be regression targets, of which any number of values is normal. */
bool clv_label_may_be_target(const Reader *reader, bool numbers);
/* Fails with the error for a guessed label column. */
Status clv_label_refuse(const Reader *reader, uint64_t classes, uint64_t rows, cleave_error *error);
/* Refuses a guess that the first rows show to be wrong. */
Status clv_label_check_sample(const Reader *reader, cleave_error *error);

/* ---- for other modules ----------------------------------------------------------------------- */

/* Adds weights from a file to the rows of an unread source: .npy, IDX, or text with one weight per
 * line. path outlives the source. */
Status clv_weigh_source(Source *source, const char *path, cleave_error *error);
/* Moves the guesses of a reader to *guesses, which is empty. Other sources have no guesses. */
void clv_reader_take_guesses(Source *source, Guesses *guesses);
/* Marks the labels as unused: a guessed label column is then not refused. */
void clv_reader_ignore_label(Source *source);

/* Returns the reader of a source; NULL for other sources. */
Reader *clv_reader_of(const Source *source);
/* Returns whether the source can be read a second time: files and folders, not pipes. */
bool clv_reader_rewindable(const Reader *reader);

/* The schema and the names of a model. */
typedef struct {
    const Schema *schema;
    const Names *names;
    uint32_t features;
    bool grows;        /* new names are appended to the model's names; otherwise they are dropped */
    bool *found_empty; /* set when opening fails because a file is empty; may be NULL */
} ReadGuide;

size_t clv_longest_line(const Reader *reader);
/* Returns the error message without its position. */
Status clv_line_too_long(const Reader *reader, cleave_error *error);

/* Opens files (or "-") as one source. The format is given by options, suffix or content. A binary
 * dataset is mapped. guide may be NULL. */
Status clv_read_files(Context *context, const char *const *paths, size_t count,
                      const ReadOptions *options, const ReadGuide *guide, Source **source,
                      cleave_error *error);
/* Returns whether a regular file contains a cleave dataset, possibly compressed. Not for streams,
 * whose bytes cannot be read again. */
Status clv_is_dataset(Context *context, const char *path, bool *is_dataset, cleave_error *error);
/* The part of clv_read_files in reader.c. If a stream contains a cleave dataset, *spooled is an
 * open temporary file with its bytes and there is no source; otherwise *spooled is -1. */
Status clv_read_text_files(Context *context, const char *const *paths, size_t count,
                           const ReadOptions *options, const ReadGuide *guide, Source **source,
                           int *spooled, cleave_error *error);
/* Opens bytes in memory, for built-in data, tests and fuzzing; the format must be given. */
Status clv_read_memory(Context *context, const char *name, const void *bytes, size_t size,
                       const Format *format, const ReadOptions *options, const ReadGuide *guide,
                       Source **source, cleave_error *error);

/* Returns whether options, the name of the open file and the guide make it one document,
 * independent of its content. */
bool clv_reads_document(const Reader *reader);
/* Returns whether a file that is not open is read as one document. */
bool clv_opens_document(const ReadOptions *options, const Schema *guide, const char *path);
/* Sets reader->format from the options, the path, the guide or the first bytes. */
Status clv_choose_format(Reader *reader, const char *head, size_t size, cleave_error *error);
/* For the second and later files: fails if the file clearly has another format. */
Status clv_check_next_file(const Reader *reader, const char *head, size_t size,
                           cleave_error *error);
const Format *clv_format_by_name(const char *name);
/* Returns whether the bytes start an XLSX file, which is a ZIP archive like .npz. */
bool clv_is_spreadsheet(const char *head, size_t size);
/* Fails, with a suggestion, unless name is a format, "cleave", "auto" or NULL. */
Status clv_check_format(const char *name, cleave_error *error);

#endif
