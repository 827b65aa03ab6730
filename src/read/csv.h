/*
 * Tables as text, shared by the files of the CSV reader:
 *
 *     csv_scan.c     cells: quotes, blanks, line ends; where a chunk may be cut
 *     csv_infer.c    what a file does not say: delimiter, header, kinds of columns
 *     csv_columns.c  what columns are called, what the user says of them
 *     csv_label.c    which column is the label when the user does not name it
 *     csv_schema.c   the layout of a file: its columns given their parts, by the above or as a model wants them
 *     csv_dates.c    columns of dates: their form, their parts, messages
 *     csv_describe.c what columns hold, for people
 *     csv_start.c    before the first record: the delimiter, the first rows
 *     csv_parse.c    rows of a chunk
 *     csv_settle.c   rows with the features of the data as a whole
 *     csv.c          the formats
 */
#ifndef READ_CSV_H
#define READ_CSV_H

#include "data/unseen.h"
#include "read/reader.h"

/* ---- cells */

typedef struct {
    char delimiter;
    unsigned char stops[256]; /* what ends a run of plain bytes: STOP_… */
} CsvDialect;

enum { STOP_PLAIN = 1, STOP_QUOTED = 2 }; /* outside and inside of quotes */

typedef enum {
    TROUBLE_NONE,
    TROUBLE_BYTE,        /* a control byte, or a carriage return inside a line */
    TROUBLE_OPEN,        /* a quote that is never closed */
    TROUBLE_AFTER_QUOTE, /* text between a closing quote and the delimiter */
    TROUBLE_MEMORY,
} CsvTrouble;

/* A place in the text: line from 1, column by pointers. */
typedef struct {
    const char *at, *line_start;
    uint64_t line;
} CsvPlace;

typedef struct {
    const char *text; /* without quotes and the blanks around */
    size_t length;
    bool copied; /* doubled quotes were undone: the text lies elsewhere, without slack behind it */
    CsvPlace place;
} CsvCell;

/* A walk over text that ends at end, where a newline and NUMBER_SLACK bytes stand. */
typedef struct {
    const CsvDialect *dialect;
    Context *context; /* NULL: cells are only counted, and doubled quotes stay */
    const char *start, *end;
    const char *line_start;
    uint64_t line;
    char *spare; /* cells with doubled quotes; never moves, for it is as large as the text */
    size_t spare_size, spare_capacity;
    CsvTrouble trouble;
    CsvPlace trouble_place;
} CsvScan;

void clv_csv_dialect(CsvDialect *dialect, char delimiter);
/* Reads the cell at p and returns where it ended: at the delimiter, a newline, or a carriage return before one. NULL:
 * trouble. */
const char *clv_csv_cell(CsvScan *scan, const char *p, CsvCell *cell);
/* Past the line end at p. */
const char *clv_csv_next_line(CsvScan *scan, const char *p);
/* Past blank lines; stops at end. */
const char *clv_csv_skip_blank(CsvScan *scan, const char *p);
/* Counts the cells of the record at p; *next is past its line end, NULL after trouble. */
uint32_t clv_csv_count(CsvScan *scan, const char *p, const char **next);
/* How many of size bytes are whole records. */
size_t clv_csv_cut(char delimiter, const char *text, size_t size);
/* Bytes up to the end of the record that text is in, 0 if it does not end there. *state is 0 at the
 * start of the record and is kept between the pieces of one record. */
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

/* Says what the trouble was: message and hint. */
typedef struct {
    char message[160];
    const char *hint;
} CsvComplaint;
void clv_csv_complain(const CsvScan *scan, CsvComplaint *complaint);

/* ---- what cells mean */

/* Texts that stand for a missing value, pointing into the option's text. */
typedef struct {
    const char **text;
    size_t *length;
    size_t count, capacity, length_capacity;
    bool first[256]; /* some text starts with this byte */
} CsvMissing;

Status clv_csv_missing_init(Context *context, CsvMissing *missing, const char *list, cleave_error *error);
void clv_csv_missing_free(Context *context, CsvMissing *missing);
bool clv_csv_is_missing(const CsvMissing *missing, const CsvCell *cell);

typedef enum { CELL_MISSING, CELL_NUMBER, CELL_NOT_FINITE, CELL_TOO_LARGE, CELL_TEXT } CellClass;
/* Classifies and, for CELL_NUMBER, reads. */
CellClass clv_csv_classify(const CsvMissing *missing, const CsvCell *cell, float *value);

/* ---- the layout of a file */

typedef struct {
    ColumnKind kind;                /* COLUMN_IGNORE: nobody wants it */
    char after;                     /* what follows a cell: the delimiter, or a newline */
    uint32_t slot;                  /* COLUMN_NUMBER: place in the row of numbers */
    DateForm form;                  /* COLUMN_DATE */
    uint32_t parts;                 /* COLUMN_DATE: see Column; part_slot has the place of each in the row of numbers */
    uint32_t part_slot[DATE_PARTS]; /* CSV_NOWHERE: not a feature */
    const char *title;              /* as the file calls it, or its number from 1: for messages */
    const char *name;               /* as the features call it */
    bool left_out;                  /* COLUMN_IGNORE, for it looks like an identifier */
    bool counts;                    /* COLUMN_NUMBER, and each row has one more than the row above */
    bool guessed;                   /* COLUMN_DATE: the cells decided the form, … */
    bool ambiguous;                 /* … and allow both orders of day and month */
    uint32_t dates, cells;          /* not COLUMN_DATE, but so many of the first cells are dates; 0: not most of them */
    char *prefix;                   /* COLUMN_TEXT: what stands before its words, `name:` */
} CsvColumn;

typedef struct {
    CsvDialect dialect;
    bool header;
    bool dense; /* numbers only, and none missing among the first rows */
    uint32_t count;
    CsvColumn *column;
    Names titles;      /* what title points into; a name used twice stands once */
    bool weighted;     /* a column holds weights */
    bool worded;       /* a column holds text */
    uint32_t numbers;  /* slots */
    uint32_t *feature; /* of each slot, increasing */
} CsvLayout;

typedef struct {
    CsvMissing missing;
    CsvLayout layout;     /* of the file being read */
    Buffer header;        /* the text of its header, up to and with the line end; a newline and slack follow */
    uint64_t rows;        /* settled, where columns are categories */
    UnseenColumns unseen; /* where the file is read for a model */
} CsvState;

/* What the first rows look like. */
typedef struct {
    CsvCell *cell; /* of the first record */
    size_t cell_capacity;
    struct ColumnLook {
        CellClass first;      /* of the first record's cell */
        CellClass last_class; /* of the cell looked at last */
        CsvCell last;
        uint32_t number, text; /* cells seen below it */
        uint32_t steps;        /* numbers that are one more than the one above */
        float last_value;
        bool missing;
        bool repeats; /* the first cell is seen again below it */
        /* Of the first cells of text: how many, how many not seen before, how many words in all. */
        uint32_t looked, fresh, words;
        uint64_t met[64]; /* a bit for the hash of each */
        struct DateLook {
            uint32_t count;           /* cells below the first that are of this form */
            bool any;                 /* values is set: some cell, of the first record or below, is of it */
            float values[DATE_PARTS]; /* of such a cell */
            uint32_t varying;         /* a bit for each part that differs among them */
            bool timed;               /* some have a time of day */
        } date[DATE_INFERRED];
        unsigned last_forms, first_forms; /* a bit for each form: of the cell looked at last, of the first record's */
    } * look;
    size_t look_capacity;
    uint32_t count;                     /* columns */
    uint64_t rows;                      /* records below the first, whole ones */
    bool all;                           /* these are all rows of the file */
    CsvScan scan;                       /* holds the copied cells */
    const char *first_row, *second_row; /* where the first record starts, and what follows it */
} CsvSample;

/* Text as a scan wants it; whole: it is all of the file. */
char clv_csv_find_delimiter(const char *text, size_t size, bool whole);
Status clv_csv_sample(Context *context, const CsvDialect *dialect, const CsvMissing *missing, const char *text,
                      size_t size, bool whole, const char *path, CsvSample *sample, cleave_error *error);
void clv_csv_sample_free(Context *context, CsvSample *sample);
bool clv_csv_guess_header(const CsvSample *sample, bool unlikely);
ColumnKind clv_csv_guess_kind(const CsvSample *sample, bool header, uint32_t column);
/* Whether a column of numbers does nothing but number the rows. */
bool clv_csv_counts_rows(const CsvSample *sample, uint32_t column);
bool clv_csv_sniff(const char *head, size_t size, const char *delimiters, uint32_t least);
/* Whether the text can hardly be anything but a table: five lines or more of as many cells each, and a column of numbers.
 * Slack as of a chunk follows it. */
bool clv_csv_is_plain(const char *head, size_t size, char delimiter);

#define CSV_NOWHERE UINT32_MAX

static inline bool csv_is_feature(const CsvLayout *layout, uint32_t column)
{
    return column_is_feature(layout->column[column].kind);
}

/* Makes the columns, unused as yet, and gives them their titles: the header's, else numbers from 1. */
Status clv_csv_add_titles(const Reader *reader, CsvLayout *layout, const CsvSample *sample, cleave_error *error);
/* The first column of that title, or CSV_NOWHERE. */
uint32_t clv_csv_find_title(const CsvLayout *layout, const char *name, size_t length);
uint32_t clv_csv_count_kind(const CsvLayout *layout, ColumnKind kind);
/* The title nearest to a name, of those not taken (NULL: of all), NULL when none is near or memory is short. */
const char *clv_csv_nearest(Context *context, const CsvLayout *layout, const char *name, const bool *taken);
/* "; the nearest is 'age'", or nothing. */
#define CSV_SUGGESTION_SIZE (QUOTE_SIZE + 32)
const char *clv_csv_suggest(Context *context, const CsvLayout *layout, const char *name,
                            char buffer[CSV_SUGGESTION_SIZE]);
/* The column that the user calls so, by name or by number from 1; option is for the message. */
Status clv_csv_find_column(const Reader *reader, const CsvLayout *layout, const char *option, const char *text,
                           size_t length, uint32_t *column, cleave_error *error);
/* An entry NAME=KIND of --columns. */
typedef struct {
    uint32_t column;
    ColumnKind kind;
    DateForm form; /* COLUMN_DATE; DATE_PLAIN: the cells decide */
} CsvEntry;
/* Takes the next entry off the list; *list is NULL after the last. */
Status clv_csv_next_entry(const Reader *reader, const CsvLayout *layout, const char **list, CsvEntry *entry,
                          cleave_error *error);
/* ---- dates (csv_dates.c) */

/* The forms of date that a cell can be read as, a bit for each, kept in look. */
unsigned clv_csv_look_for_date(struct ColumnLook *look, const CsvCell *cell);
/* The form of date that the most cells of a column have, and whether the order of day and month is a guess. false: some
 * cells, more than a few, are not of it. */
bool clv_csv_guess_date(const CsvSample *sample, bool header, uint32_t column, DateForm *form, bool *ambiguous);
/* Sets the form and the parts of a column of dates; form DATE_PLAIN: the cells of the sample decide it. */
void clv_csv_set_date(const Reader *reader, CsvLayout *layout, const CsvSample *sample, uint32_t column, DateForm form);
/* An error where a part of a date has the name of another column. */
Status clv_csv_check_dates(const Reader *reader, const CsvLayout *layout, uint64_t line, cleave_error *error);
/* Counts the dates of a column that is not read as dates, where most of its cells are. */
void clv_csv_count_dates(CsvColumn *column, const CsvSample *sample, bool header, uint32_t index);
/* Reports the order of day and month where it was inferred; warns where the cells allow both, and of columns that are
 * not read as dates though most of their cells are. */
void clv_csv_note_dates(const Reader *reader, const CsvLayout *layout);
/* The message and hint for a cell that is not a date of the column's form. */
void clv_csv_fail_date(Chunk *chunk, const CsvColumn *column, const CsvCell *cell);

bool clv_csv_says_no_label(const Reader *reader, const CsvLayout *layout);
/* The label column, where the user does not name it; CSV_NOWHERE: none. Fills reader->label_guess. */
Status clv_csv_guess_label(Reader *reader, const CsvLayout *layout, const CsvSample *sample, uint32_t *label,
                           cleave_error *error);
/* Gives the columns their kinds by their looks and the user's word. */
Status clv_csv_infer(Reader *reader, CsvLayout *layout, const CsvSample *sample, cleave_error *error);

/* Fills the layout, the source's schema (when learning, at the first file) and its names of number columns. */
Status clv_csv_lay_out(Reader *reader, CsvState *state, CsvSample *sample, cleave_error *error);
/* Adds the cells of the chunk to reader->options.describe. */
Status clv_csv_describe(const Reader *reader, const Chunk *chunk, cleave_error *error);
void clv_csv_layout_free(Context *context, CsvLayout *layout);

/* Of the formats; see Format. */
Status clv_csv_start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip, cleave_error *error);
void clv_csv_finish(Reader *reader);

#endif
