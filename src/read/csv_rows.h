/*
 * Rows of CSV and TSV while they are parsed (csv_parse.c) and settled (csv_settle.c).
 *
 * A column of numbers is one feature. A column of categories is one feature per value, called column=value, numbered
 * in order of first appearance after the numbers; a missing cell is the value '?', and a missing number is 0 with
 * column=? beside it. A column of dates is several numbers (csv_dates.c).
 *
 * As long as there is nothing but numbers a row is read into an array and goes straight into the builder, dense. From
 * the first missing number on (or from the start where columns are categories) rows are kept in the scratch instead:
 * numbers other than 0 with their features, categories as numbers of the chunk's own dictionary, until settling knows
 * what these are called in the data as a whole.
 *
 * In a column the cell above is often the same once more. So what the last short cell of a column said is remembered
 * with its bytes, up to and with the delimiter, and is not read again while the bytes stay the same. Where the next
 * cell begins does then not wait for the digits of this one.
 */
#ifndef READ_CSV_ROWS_H
#define READ_CSV_ROWS_H

#include "read/csv.h"
#include "read/words.h"

/* A value of a category column, or the '?' of any column, seen in the chunk. */
typedef struct {
    const char *text;
    size_t length;
    uint32_t column;
    uint32_t feature; /* when settled */
    bool unseen;      /* when settled: the model does not know this category */
} CsvValue;

typedef struct {
    uint32_t label;
    float weight;
    uint64_t line;
    size_t entry_end, value_end; /* of its numbers in entries, of its values in row_values */
} CsvRow;

/* A column as rows are read, with its last short cell: the same bytes where the masks have ones mean the same again. */
typedef struct {
    uint64_t bytes, mask, more_bytes,
        more_mask;   /* numbers have no more; a mask of 0 with bytes of 1: nothing is known */
    uint32_t length; /* of the cell with what follows it */
    uint8_t kind;
    bool zeros; /* four columns of numbers from here, none the last, so that eight bytes tell whether all are 0 */
    char after; /* what follows a cell: the delimiter, or a newline */
    uint32_t slot;
    BuilderEntry entry; /* COLUMN_NUMBER */
    uint32_t said;      /* COLUMN_CATEGORY: the number in values; COLUMN_LABEL: the chunk's label */
} CsvLastCell;

typedef struct {
    float *current;    /* numbers of the row being read, if it is dense */
    CsvLastCell *cell; /* of each column */
    size_t current_capacity, cell_capacity;

    CsvRow *rows;
    BuilderEntry *entries; /* numbers other than 0, row after row, unless the builder has them */
    uint32_t *row_values;  /* numbers in values, row after row */
    size_t rows_capacity, entries_capacity, row_values_capacity;
    size_t row_count, entry_count, row_value_count;

    CsvValue *values;
    size_t values_capacity, value_count;
    HashTable table;

    Words words; /* of columns of text, a document for each row */
    char *spare; /* of the scan, kept for reuse */
    size_t spare_capacity;

    uint32_t *feature; /* of the row being settled, and their values */
    float *feature_value;
    size_t feature_capacity, feature_value_capacity;
    Buffer name;
    uint64_t *unseen; /* see Source */
    size_t unseen_capacity;
} CsvScratch;

/* ---- csv_parse.c */
/* What the builder keeps of a row beside its features. */
Status clv_csv_add_extras(Builder *builder, const CsvLayout *layout, const CsvRow *row, cleave_error *error);
void clv_csv_parse(const Reader *reader, Chunk *chunk);

/* ---- csv_settle.c */
void clv_csv_tell_unseen(const Reader *reader);
Status clv_csv_settle(Reader *reader, Chunk *chunk, cleave_error *error);

#endif
