/*
 * The schema describes how a file becomes features, so that later files are read the same way. It
 * is learned with the training data, stored in datasets and models, and passed to the reader at
 * prediction.
 */
#ifndef DATA_SCHEMA_H
#define DATA_SCHEMA_H

#include "base/date.h"
#include "base/memory.h"

/* Kinds are stored by number: new kinds are appended at the end. */
typedef enum {
    COLUMN_NUMBER,
    COLUMN_CATEGORY,
    COLUMN_LABEL,
    COLUMN_WEIGHT,
    COLUMN_TEXT,
    COLUMN_IGNORE,
    COLUMN_DATE,
    COLUMN_KINDS
} ColumnKind;
extern const char
    *const clv_column_kinds[COLUMN_KINDS + 1]; /* "number", "category", "label", …, NULL */

/* Numbers derived from a date, each a feature `column.part`: days since 1970-01-01 with a fraction
 * for the time of day, year, month 1 to 12, day of the month, day of the week (Monday is 1), and
 * hour of the day with a fraction. */
typedef enum {
    DATE_DAYS,
    DATE_YEAR,
    DATE_MONTH,
    DATE_DAY,
    DATE_WEEKDAY,
    DATE_HOUR,
    DATE_PARTS
} DatePart;
extern const char *const
    clv_date_parts[DATE_PARTS + 1]; /* "days", "year", "month", "day", "weekday", "hour", NULL */

typedef struct {
    char *name;
    ColumnKind kind;
    uint32_t feature; /* COLUMN_NUMBER, COLUMN_DATE: its first feature; NO_COLUMN if unassigned */
    DateForm form;    /* COLUMN_DATE */
    /* COLUMN_DATE: a bit for each DatePart that is a feature; these features are consecutive */
    uint32_t parts;
} Column;

/* Rules for reading documents. DOCUMENTS_AUTO examines each document. DOCUMENTS_LINES is only an
 * option of reading: every line of a file is a document. A schema never contains it. */
typedef enum {
    DOCUMENTS_AUTO,
    DOCUMENTS_PLAIN,
    DOCUMENTS_MAIL,
    DOCUMENTS_HTML,
    DOCUMENTS_LINES
} Documents;
/* names of the rules: "auto", "plain", "mail", "html", "lines", NULL */
extern const char *const clv_documents_kinds[];

typedef struct {
    Context *context;
    char format[16]; /* name of the format: "libsvm", "csv", "text", … */
    bool header;     /* tables: the first row contains names */
    Documents documents;
    uint32_t count;
    size_t capacity;
    Column *column;
    char *reading;    /* text: rules of reading (text/rules.h); NULL: the default */
    char *stop_words; /* text: stop words, each with a newline; NULL: none */
} Schema;

void clv_schema_init(Schema *schema, Context *context);
void clv_schema_free(Schema *schema);
Status clv_schema_copy(Schema *to, const Schema *from, cleave_error *error);
Status clv_schema_add(Schema *schema, const char *name, size_t length, ColumnKind kind,
                      cleave_error *error);
/* Sets the rules for reading text. Each may be NULL. */
Status clv_schema_set_reading(Schema *schema, const char *reading, const char *stop_words,
                              cleave_error *error);
/* Fails if two schemas have different rules for reading text. */
Status clv_schema_reads_alike(const Schema *schema, const Schema *other, const char *path,
                              cleave_error *error);
/* Returns whether data of a format is compatible with this schema: text with text, tables with
 * tables, numbered features with numbered features. A built-in dataset is always compatible. */
Status clv_schema_goes_with(const Schema *schema, const char *format, const char *path,
                            cleave_error *error);
#define SCHEMA_NUMBERED "libsvm"
/* Returns whether columns are numbers, as in LIBSVM text. If the inputs of such a model have names,
 * they are the columns that occur (data/compact.h). */
bool clv_schema_is_numbered(const Schema *schema);
/* whether rows are documents, whose features are words */
bool clv_schema_is_text(const Schema *schema);
bool clv_schema_is_documents(
    const Schema *schema); /* whether it is text with one document per file (folders, mail) */
bool clv_schema_is_sequence(
    const Schema *schema); /* whether it is text as a sequence, with one column per character */
bool clv_schema_is_table(
    const Schema *schema); /* columns of several kinds, or an array with missing values */
bool clv_schema_is_array(
    const Schema *schema); /* NumPy, IDX or vectors; it has columns if values are missing */
/* Returns the column with the most similar name, or NULL if none is similar. The text is valid as
 * long as the schema. */
const char *clv_schema_nearest(const Schema *schema, const char *name);
/* returns -1 if there is no such column */
int clv_schema_find(const Schema *schema, const char *name, size_t length);

static inline bool column_is_feature(ColumnKind kind)
{
    return kind == COLUMN_NUMBER || kind == COLUMN_CATEGORY || kind == COLUMN_TEXT ||
           kind == COLUMN_DATE;
}

/* Returns the feature of a part of a date column; NO_COLUMN: there is none. */
uint32_t clv_date_feature(const Column *column, DatePart part);
/* Computes the parts of a moment as numbers. */
void clv_date_values(const Moment *moment, float values[DATE_PARTS]);

#endif
