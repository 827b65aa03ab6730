/*
 * The reader: bytes to blocks, on one thread or many, with the same result.
 *
 * The file is cut into chunks of about a megabyte that hold whole records. Chunks are parsed independently of each other
 * (by any thread, knowing nothing of the rows before) and settled in order on the calling thread, where labels and names
 * get their numbers; the calling thread parses, too, where it would have to wait. A format is one file in this folder: it says how to recognise, cut, parse and settle.
 *
 * An error found while parsing is kept in the chunk and reported when its turn comes, so that the first error of the
 * file is the one the user sees, whoever found it.
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
    /* What there is to parse: whole records. At least NUMBER_SLACK readable bytes follow, the first being '\n'. */
    char *text;
    size_t size, capacity;
    bool first_of_file; /* nothing of the file came before, but for what start() skipped */
    bool last_of_file;
    size_t left_out;       /* bytes of an unfinished last line that --allow-cut dropped */
    bool unfinished;       /* the last line has no newline of its own (the one after the text is ours) */
    uint64_t first_record; /* fixed-size records and documents: number of the first, from 0 */
    uint64_t documents;    /* of a folder: how many parse is to read; there is no text */

    /* What parse leaves. */
    Builder builder; /* rows, with label numbers of the chunk's own */
    Labels labels;   /* the chunk's own labels, in order of appearance; counts and lines (from 1 in the chunk) filled */
    uint64_t lines;  /* lines in the chunk: newlines in the text (plus a last unfinished one); documents of a folder */
    uint64_t bytes_read;                   /* by parse, from a folder's documents */
    uint64_t empty_rows, first_empty_line; /* rows without features; line from 1 in the chunk */
    uint64_t dropped;                      /* rows of classes that --classes leaves out */
    uint64_t *dropped_line;                /* … and the line each begins on, from 1 in the chunk */
    size_t dropped_capacity;
    void *scratch; /* the format's own, zeroed at first, kept for reuse, freed by free_scratch */

    /* An error, or OK. Line and column count from 1 in the chunk; 0: not known. */
    Status status;
    cleave_error error;
    uint64_t error_line, error_column;

    /* What settle leaves. */
    Block block;
    const uint64_t *unseen; /* see Source; in the scratch */
};

typedef struct {
    const char *name, *brief;
    const char *const *suffixes; /* ".csv", …; NULL at the end */
    /* Whether the first bytes (up to 64 KiB, or the whole) look like it. NULL: never recognised by content. */
    bool (*sniff)(const char *head, size_t size);
    /* Once per file, with its first bytes (1 MiB, or all of a smaller file, *whole): reads the header, fills the schema
     * (or compares with the guide's), says how many bytes are not records. NULL: nothing to do. */
    Status (*start)(Reader *reader, const char *head, size_t size, bool whole, size_t *skip, cleave_error *error);
    /* How many of size bytes are whole records; 0: none yet. NULL: up to the last newline. */
    size_t (*cut)(const Reader *reader, const char *text, size_t size);
    /* Bytes up to the end of the record that text is in, 0 if it does not end there; *state is 0 at
     * its start. NULL: a record is a line. */
    size_t (*record_end)(const Reader *reader, unsigned *state, const char *text, size_t size);
    /* Must not touch anything but the chunk; reader is for looking only. */
    void (*parse)(const Reader *reader, Chunk *chunk);
    /* In order. NULL: clv_settle_labels and finish the builder, which is all that most formats need. */
    Status (*settle)(Reader *reader, Chunk *chunk, cleave_error *error);
    void (*free_scratch)(Context *context, void *scratch);
    void (*tell)(const Reader *reader); /* once, after the last row: what is to be said of all of them. NULL: nothing */
    void (*finish)(Reader *reader);     /* frees reader->state */
    size_t scratch_size;
    bool text; /* lines: an unfinished last one has the answer of SPEC 12 */
} Format;

/* The label column that was guessed (csv_label.c). */
typedef struct {
    bool made, refused;     /* refused: by the first rows alone */
    bool ignored;           /* the label is not used */
    bool whole, numbers;    /* the rows below are all rows; all values are numbers */
    uint64_t classes, rows; /* of the first rows */
    const char *why;
    char title[QUOTE_SIZE], candidates[4 * QUOTE_SIZE];
} LabelGuess;

struct Reader {
    Source source; /* first: a reader is a source */
    const Format *format;
    ReadOptions options;
    const Schema *guide_schema;       /* NULL when learning; otherwise the model's, and source.names is frozen */
    bool *says_empty;                 /* see ReadGuide */
    bool strict_lines;                /* text: no label, no TAB is an error also beside a model */
    const struct Folder *folder;      /* being read, instead of a file; NULL otherwise */
    Documents documents;              /* … and what its documents are */
    const char *path;                 /* of the file being read, for messages */
    const char *argument;             /* the same as the user wrote it: "-" is standard input */
    uint32_t file;                    /* its number, from 0 */
    bool only_file;                   /* no other is read with it; false where that is not known */
    void *state;                      /* the format's own, made in start */
    struct WordsPlan *words;          /* text: how it is read, made by clv_words_start */
    uint64_t line;                    /* lines before the chunk being settled */
    bool line_unknown;                /* … not counting those before the range that is read */
    uint64_t records;                 /* fixed-size records before the chunk being cut */
    struct RowLabels *archive_labels; /* NumPy archives: of the file being read; NULL: none */
    Guesses guesses;
    LabelGuess label_guess;
    struct RecordTap *tap;     /* where the text of rows goes besides (records.h); NULL: nowhere */
    uint64_t dropped;          /* rows of classes that --classes leaves out, so far */
    struct ReaderParts *parts; /* the machinery in reader.c */
};

extern const Format clv_format_libsvm, clv_format_csv, clv_format_tsv, clv_format_text, clv_format_folder,
    clv_format_document, clv_format_npy, clv_format_idx, clv_format_fvecs, clv_format_bvecs, clv_format_ivecs;
extern const Format *const clv_formats[]; /* every one; NULL at the end */

/* ---- for formats */

/* Records an error in the chunk (only the first counts) and returns its status. */
Status clv_chunk_fail(Chunk *chunk, uint64_t line, uint64_t column, cleave_code code, const char *format, ...)
    CLEAVE_PRINTF(5, 6);
Status clv_chunk_hint(Chunk *chunk, const char *format, ...) CLEAVE_PRINTF(2, 3);

/* The chunk's number of a label, new or known; counts it. text must stay in place during the parse. '?' and the empty
 * text are unlabelled. */
Status clv_chunk_label(Chunk *chunk, const char *text, size_t length, uint64_t line, uint32_t *label);

/* Whether --classes keeps rows of this label. Formats that see the label first call it before they parse the rest of the row;
 * arrays and datasets are filtered by read/classes.h. */
bool clv_keeps_class(const Reader *reader, const char *text, size_t length);

/* Records that the row of this line, from 1 in the chunk, is dropped by --classes. */
Status clv_chunk_drop(Chunk *chunk, uint64_t line);
/* Whether the reader itself drops rows by --classes: it sees the label before the rest of a row. */
bool clv_reader_drops_classes(const Reader *reader);

/* Whether what is found out about the files is to be said: by one of those who read them in parts. */
static inline bool reader_tells(const Reader *reader)
{
    return !reader->options.ranged || reader->options.range_from == 0;
}

/* The place in the file of a line of the chunk being settled; 0: not known. */
static inline uint64_t reader_line(const Reader *reader, uint64_t line)
{
    return reader->line_unknown ? 0 : reader->line + line;
}
/* The chunk's error with the name of the file and the line in it. */
Status clv_chunk_error(const Reader *reader, const Chunk *chunk, cleave_error *error);
/* Ready for other text. */
void clv_chunk_clear(Chunk *chunk);

/* Allocates the scratch of the format. */
Status clv_chunk_prepare(const Reader *reader, Chunk *chunk, cleave_error *error);
/* Frees the memory of the chunk. It can be filled again: the scratch, which the caller frees, is zeroed. */
void clv_chunk_release(const Reader *reader, Chunk *chunk);
/* As the format settles it. */
Status clv_chunk_settle(Reader *reader, Chunk *chunk, cleave_error *error);
/* Adds a settled chunk to the rows and features of the source. */
void clv_chunk_count(Reader *reader, Chunk *chunk);
/* Whether the options and the guide go with the format. */
Status clv_reader_check_format(const Reader *reader, const char *path, cleave_error *error);

/* Gives the chunk's labels their numbers in the source and rewrites the builder's label column. */
Status clv_settle_labels(Reader *reader, Chunk *chunk, cleave_error *error);

/* Logs the note on the guesses, once. */
void clv_reader_note_guesses(Reader *reader);
/* Whether a column has too many different values to be the label of a classification. */
bool clv_label_has_too_many(uint64_t classes, uint64_t rows);
/* The error for a guessed label column. */
Status clv_label_refuse(const Reader *reader, uint64_t classes, uint64_t rows, cleave_error *error);

/* ---- for everyone else */

/* Gives the rows of a source, not yet read, the weights in a file: .npy, IDX, or text of one a line. path outlives the source. */
Status clv_weigh_source(Source *source, const char *path, cleave_error *error);
/* Moves the guesses of a reader to *guesses, which is empty; of another source there are none. */
void clv_reader_take_guesses(Source *source, Guesses *guesses);
/* Marks the labels as unused: a guessed label column is then not refused. */
void clv_reader_ignore_label(Source *source);

/* The reader that a source is; NULL: it is something else. */
Reader *clv_reader_of(const Source *source);
/* Whether it can be read a second time: files and folders, no pipes. */
bool clv_reader_rewindable(const Reader *reader);

/* What a model wants: its schema and its names. */
typedef struct {
    const Schema *schema;
    const Names *names;
    uint32_t features;
    bool grows;       /* names that the model does not have are appended to those it has; otherwise they are dropped */
    bool *says_empty; /* set when opening fails because a file holds no bytes at all; NULL: nobody asks */
} ReadGuide;

size_t clv_longest_line(const Reader *reader);
/* The error without its position. */
Status clv_line_too_long(const Reader *reader, cleave_error *error);

/* Opens files (or "-") as one source, the format told by options, suffix or content; a binary dataset is mapped. guide may
 * be NULL. */
Status clv_read_files(Context *context, const char *const *paths, size_t count, const ReadOptions *options,
                      const ReadGuide *guide, Source **source, cleave_error *error);
/* Whether a regular file holds one of our datasets, perhaps compressed. Not for streams: what is read from them is gone. */
Status clv_is_dataset(Context *context, const char *path, bool *is_dataset, cleave_error *error);
/* The part of the above that is in reader.c. Where a stream turns out to hold one of our datasets, *spooled is the open
 * temporary file it was copied to, and there is no source; otherwise -1. */
Status clv_read_text_files(Context *context, const char *const *paths, size_t count, const ReadOptions *options,
                           const ReadGuide *guide, Source **source, int *spooled, cleave_error *error);
/* The same from memory, for built-in data, tests and fuzzing; the format must be told. */
Status clv_read_memory(Context *context, const char *name, const void *bytes, size_t size, const Format *format,
                       const ReadOptions *options, const ReadGuide *guide, Source **source, cleave_error *error);

/* Whether options, the name of the open file and the guide make it one document, whatever it contains. */
bool clv_reads_document(const Reader *reader);
/* The same of a file that is not open. */
bool clv_opens_document(const ReadOptions *options, const Schema *guide, const char *path);
/* Sets reader->format from the options, the path, the guide or the first bytes. */
Status clv_choose_format(Reader *reader, const char *head, size_t size, cleave_error *error);
/* For the second file and the next: an error when it is plainly of another format. */
Status clv_check_next_file(const Reader *reader, const char *head, size_t size, cleave_error *error);
const Format *clv_format_by_name(const char *name);
/* Whether these are the first bytes of an XLSX file, which is a ZIP archive as .npz is. */
bool clv_is_spreadsheet(const char *head, size_t size);
/* An error that suggests the nearest, unless name is a format, "cleave", "auto" or NULL. */
Status clv_check_format(const char *name, cleave_error *error);

#endif
