/*
 * Text tables. The files of the CSV reader:
 *
 *     csv_scan.c     cells: quotes, blanks, line ends; where a chunk may be cut
 *     csv_infer.c    inference of delimiter, header and column kinds
 *     csv_columns.c  column names and the user's declarations
 *     csv_label.c    the label column when the user does not name it
 *     csv_schema.c   the layout of a file: the role of each column, inferred or from a model
 *     csv_dates.c    columns of dates: form, parts, messages
 *     csv_describe.c summary of columns for `describe`
 *     csv_start.c    before the first record: the delimiter, the first rows
 *     csv_parse.c    rows of a chunk
 *     csv_settle.c   rows with the feature numbers of the whole data
 *     csv.c          the formats
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include "data/unseen.h"
#include "read/reader.h"

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct {
    char delimiter;
    unsigned char stops[256]; /* bytes that end a run of ordinary bytes: STOP_… */
} CsvDialect;

enum { STOP_PLAIN = 1, STOP_QUOTED = 2 }; /* outside and inside quotes */

typedef enum {
    TROUBLE_NONE,
    PROBLEM_BYTE,        /* a control byte, or a carriage return within a line */
    PROBLEM_OPEN,        /* an unclosed quote */
    PROBLEM_AFTER_QUOTE, /* text between a closing quote and the delimiter */
    PROBLEM_MEMORY,
} CsvTrouble;

/* A position in the text: line from 1, column by pointers. */
typedef struct {
    const char *at, *line_start;
    uint64_t line;
} CsvPlace;

typedef struct {
    const char *text; /* text without quotes and surrounding blanks */
    size_t length;
    /* the text is a copy without slack after it, because doubled quotes were replaced */
    bool copied;
    CsvPlace place;
} CsvCell;

/* A scan over text that ends at `end`, where a newline and NUMBER_SLACK bytes follow. */
typedef struct {
    const CsvDialect *dialect;
    Context *context; /* NULL: cells are only counted, and doubled quotes stay */
    const char *start, *end;
    const char *line_start;
    uint64_t line;
    /* copies of cells with doubled quotes. It is as large as the text, so it never moves. */
    char *spare;
    size_t spare_size, spare_capacity;
    CsvTrouble problem;
    CsvPlace problem_place;
} CsvScan;

void clv_csv_dialect(CsvDialect *dialect, char delimiter);
/* Reads the cell at p. Returns its end: the delimiter, a newline, or a carriage return before one.
 * NULL: an error. */
const char *clv_csv_cell(CsvScan *scan, const char *p, CsvCell *cell);
/* Skips the line end at p. */
const char *clv_csv_next_line(CsvScan *scan, const char *p);
/* Skips blank lines; stops at end. */
const char *clv_csv_skip_blank(CsvScan *scan, const char *p);
/* Counts the cells of the record at p. *next is after its line end, or NULL after an error. */
uint32_t clv_csv_count(CsvScan *scan, const char *p, const char **next);
/* Returns how many of `size` bytes are complete records. */
size_t clv_csv_cut(char delimiter, const char *text, size_t size);
/* Returns the bytes up to the end of the current record, 0 if it does not end in the text. *state
 * is 0 at the start of the record and is kept between the pieces of one record. */
size_t clv_csv_record_end(char delimiter, unsigned *state, const char *text, size_t size);

static inline bool csv_at_line_end(const char *p)
{
    return *p == '\n' || *p == '\r';
}

static inline bool csv_is_blank(char c, char delimiter)
{
    return (c == ' ' || c == '\t') && c != delimiter;
}

static inline uint64_t csv_column(const CsvPlace *place)
{
    return (uint64_t)(place->at - place->line_start) + 1;
}

/* Formats the error: message and hint. */
typedef struct {
    char message[160];
    const char *hint;
} CsvErrorText;
void clv_csv_format_error(const CsvScan *scan, CsvErrorText *error_text);

/* ---- values of cells ------------------------------------------------------------------------- */

/* Texts for a missing value, as pointers into the option's text, and the decimal separator. */
typedef struct {
    bool decimal_comma;
    const char **text;
    size_t *length;
    size_t count, capacity, length_capacity;
    bool first[256]; /* whether a text starts with this byte */
} CsvMissing;

Status clv_csv_missing_init(Context *context, CsvMissing *missing, const char *list,
                            cleave_error *error);
void clv_csv_missing_free(Context *context, CsvMissing *missing);
bool clv_csv_is_missing(const CsvMissing *missing, const CsvCell *cell);

/* Converts a number with a decimal comma, such as 12,5 or 1.234,5, to a decimal point: 12.5 or
 * 1234.5. Slack follows the result. Returns its length, or 0 if the cell is not such a number or
 * commas are not decimal. */
enum { COMMA_NUMBER_SIZE = 40 };
size_t clv_csv_decimal_point(const CsvMissing *missing, const CsvCell *cell,
                             char text[COMMA_NUMBER_SIZE + NUMBER_SLACK]);

/* Whether a text is a number with a currency sign, a percent sign or thousands separators. */
bool clv_csv_is_formatted(const CsvCell *cell);

typedef enum { CELL_MISSING, CELL_NUMBER, CELL_NOT_FINITE, CELL_TOO_LARGE, CELL_TEXT } CellClass;
/* Classifies a cell and, for CELL_NUMBER, reads its value. */
CellClass clv_csv_classify(const CsvMissing *missing, const CsvCell *cell, float *value);

/* ---- the layout of a file -------------------------------------------------------------------- */

typedef struct {
    ColumnKind kind; /* COLUMN_IGNORE: unused */
    char after;      /* byte after a cell: the delimiter or a newline */
    uint32_t slot;   /* COLUMN_NUMBER: position in the row of numbers */
    DateForm form;   /* COLUMN_DATE */
    uint32_t parts;  /* COLUMN_DATE: see Column; part_slot is the position of each part */
    uint32_t part_slot[DATE_PARTS]; /* position of each part; CSV_NOWHERE: not a feature */
    const char *title;              /* name in the file, or its number from 1, for messages */
    const char *name;               /* name in the features */
    /* COLUMN_IGNORE: the column was ignored because it looks like an identifier */
    bool left_out;
    bool declared;  /* --columns declares its kind */
    bool counts;    /* COLUMN_NUMBER whose value increases by one per row */
    bool guessed;   /* COLUMN_DATE: the form was inferred from the cells */
    bool ambiguous; /* COLUMN_DATE: the order of day and month is ambiguous */
    uint32_t dates,
        cells;    /* not COLUMN_DATE: number of dates among the first cells; 0: a minority */
    char *prefix; /* COLUMN_TEXT: prefix of its words, `name:` */
} CsvColumn;

typedef struct {
    CsvDialect dialect;
    bool header;
    bool dense; /* the first rows contain only numbers, and no missing values */
    uint32_t count;
    CsvColumn *column;
    Names titles;        /* memory of the titles; a repeated name is stored once */
    bool weighted;       /* a column contains weights */
    bool worded;         /* a column contains text */
    bool decimal_commas; /* some numbers of the first rows have a decimal comma */
    uint32_t numbers;    /* number of slots */
    uint32_t *feature;   /* feature of each slot, increasing */
} CsvLayout;

typedef struct {
    CsvMissing missing;
    CsvLayout layout; /* header of the current file */
    /* the text of its header, including the line end; a newline and slack follow */
    Buffer header;
    uint64_t rows;        /* set after settling, if columns are categories */
    UnseenColumns unseen; /* set when a model reads the file */
} CsvState;

/* Statistics of the first rows. */
typedef struct {
    CsvCell *cell; /* cell of the first record */
    size_t cell_capacity;
    struct ColumnLook {
        CellClass first;      /* class of the first record's cell */
        CellClass last_class; /* class of the last cell */
        CsvCell last;
        uint32_t number, text; /* number of cells below it that are numbers, or text */
        uint32_t formatted;    /* texts that are numbers in an unsupported form */
        uint32_t commas;       /* texts that are numbers with a decimal comma */
        CsvCell example;       /* the first of these texts */
        CsvCell word;          /* the first text */
        uint32_t steps;        /* numbers that exceed their predecessor by one */
        float last_value;
        bool missing;
        bool repeats; /* the first cell occurs again below it */
        /* Among the first cells of text: number of cells, of distinct cells, and of words. */
        uint32_t looked, fresh, words;
        uint64_t met[64]; /* hashes of the cells, a bit per hash */
        struct DateLook {
            uint32_t count; /* number of cells below the first that have this form */
            bool any;       /* values is set: a cell, of the first record or below, has this form */
            float values[DATE_PARTS]; /* values of the parts of a date cell */
            uint32_t varying;         /* a bit for each part that varies */
            bool timed;               /* some cells have a time of day */
        } date[DATE_INFERRED];
        unsigned last_forms,
            first_forms; /* a bit per form: forms of the latest cell, and of the first record */
    } * look;
    size_t look_capacity;
    bool decimal_commas;                /* some numbers have a decimal comma */
    uint32_t count;                     /* number of columns */
    uint64_t rows;                      /* complete records below the first */
    bool all;                           /* the sample is the whole file */
    CsvScan scan;                       /* memory of the copied cells */
    const char *first_row, *second_row; /* start of the first record, and the text after it */
} CsvSample;

/* Finds the delimiter of a text, which has the form that a scan needs. whole: the text is the
 * complete file. */
char clv_csv_find_delimiter(const char *text, size_t size, bool whole);
Status clv_csv_sample(Context *context, const CsvDialect *dialect, const CsvMissing *missing,
                      const char *text, size_t size, bool whole, const char *path,
                      CsvSample *sample, cleave_error *error);
void clv_csv_sample_free(Context *context, CsvSample *sample);
bool clv_csv_guess_header(const CsvSample *sample, bool unlikely);
ColumnKind clv_csv_guess_kind(const CsvSample *sample, bool header, uint32_t column);
/* Returns whether a numeric column contains row numbers. */
bool clv_csv_counts_rows(const CsvSample *sample, uint32_t column);
bool clv_csv_sniff(const char *head, size_t size, const char *delimiters, uint32_t least);
/* Returns whether the text is almost certainly a table: at least five lines with the same number of
 * cells, and a numeric column. The text is followed by slack, as in a chunk. */
bool clv_csv_is_plain(const char *head, size_t size, char delimiter);

#define CSV_NOWHERE UINT32_MAX

static inline bool csv_is_feature(const CsvLayout *layout, uint32_t column)
{
    return column_is_feature(layout->column[column].kind);
}

/* Creates the columns and their titles, without roles. Titles come from the header; without one,
 * they are numbers from 1. */
Status clv_csv_add_titles(const Reader *reader, CsvLayout *layout, const CsvSample *sample,
                          cleave_error *error);
/* Returns the first column of that title, or CSV_NOWHERE. */
uint32_t clv_csv_find_title(const CsvLayout *layout, const char *name, size_t length);
uint32_t clv_csv_count_kind(const CsvLayout *layout, ColumnKind kind);
/* Returns the title most similar to a name among the columns that are not taken (NULL: among all).
 * Returns NULL if there is no similar title, or if memory is exhausted. */
const char *clv_csv_nearest(Context *context, const CsvLayout *layout, const char *name,
                            const bool *taken);
/* Formats "; the nearest is 'age'", or an empty text. */
#define CSV_SUGGESTION_SIZE (QUOTE_SIZE + 32)
const char *clv_csv_suggest(Context *context, const CsvLayout *layout, const char *name,
                            char buffer[CSV_SUGGESTION_SIZE]);
/* Finds a column by name or by number from 1; option is for the message. */
Status clv_csv_find_column(const Reader *reader, const CsvLayout *layout, const char *option,
                           const char *text, size_t length, uint32_t *column, cleave_error *error);
/* An entry NAME=KIND of --columns. */
typedef struct {
    uint32_t column;
    ColumnKind kind;
    DateForm form; /* COLUMN_DATE; DATE_PLAIN: inferred from the cells */
} CsvEntry;
/* Removes the next entry from the list; *list is NULL after the last. */
Status clv_csv_next_entry(const Reader *reader, const CsvLayout *layout, const char **list,
                          CsvEntry *entry, cleave_error *error);
/* ---- dates (csv_dates.c) --------------------------------------------------------------------- */

/* Returns the date forms that fit a cell, one bit per form; caches them in look. */
unsigned clv_csv_look_for_date(struct ColumnLook *look, const CsvCell *cell);
/* Finds the most frequent date form of a column, and whether the order of day and month is a guess.
 * Returns false if more than a few cells have another form. */
bool clv_csv_guess_date(const CsvSample *sample, bool header, uint32_t column, DateForm *form,
                        bool *ambiguous);
/* Sets the form and the parts of a column of dates; DATE_PLAIN: inferred from the sample. */
void clv_csv_set_date(const Reader *reader, CsvLayout *layout, const CsvSample *sample,
                      uint32_t column, DateForm form);
/* Fails if a part of a date has the name of another column. */
Status clv_csv_check_dates(const Reader *reader, const CsvLayout *layout, uint64_t line,
                           cleave_error *error);
/* Counts the dates of a column that is not read as dates although most cells are dates. */
void clv_csv_count_dates(CsvColumn *column, const CsvSample *sample, bool header, uint32_t index);
/* Reports an inferred order of day and month. Warns of an ambiguous order, and of columns that are
 * not read as dates although most of their cells are. */
void clv_csv_note_dates(const Reader *reader, const CsvLayout *layout);
/* Fails with the message and hint for a cell that does not have the column's date form. guided: a
 * model determines the form. */
void clv_csv_fail_date(Chunk *chunk, const CsvColumn *column, const CsvCell *cell, bool guided);

bool clv_csv_has_no_label(const Reader *reader, const CsvLayout *layout);
/* Finds the label column if the user has not named it. Sets CSV_NOWHERE if there is none. Fills
 * reader->label_guess. */
Status clv_csv_guess_label(Reader *reader, const CsvLayout *layout, const CsvSample *sample,
                           uint32_t *label, cleave_error *error);
/* Sets the kinds of the columns from the sample and the options. */
Status clv_csv_infer(Reader *reader, CsvLayout *layout, const CsvSample *sample,
                     cleave_error *error);

/* Fills the layout and the source's names of numeric columns. At the first file without a model,
 * also fills the source's schema. */
Status clv_csv_lay_out(Reader *reader, CsvState *state, CsvSample *sample, cleave_error *error);
/* Adds the cells of the chunk to reader->options.describe. */
Status clv_csv_describe(const Reader *reader, const Chunk *chunk, cleave_error *error);
void clv_csv_layout_free(Context *context, CsvLayout *layout);

/* Callbacks of the formats; see Format. */
Status clv_csv_start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                     cleave_error *error);
void clv_csv_finish(Reader *reader);

#endif
