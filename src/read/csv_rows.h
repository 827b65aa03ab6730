/*
 * Rows of CSV and TSV during parsing (csv_parse.c) and settling (csv_settle.c).
 *
 * A numeric column is one feature. A categorical column is one feature per value, named
 * column=value and numbered in order of first appearance after the numbers. A missing cell is the
 * value '?'. A missing number is 0, with the feature column=? set. A column of dates is several
 * numbers (csv_dates.c).
 *
 * While all cells are numbers, a row is read into an array and added to the builder, dense. From
 * the first missing number on (or from the start if columns are categorical) rows are kept in the
 * scratch space: nonzero numbers with their features, categories as numbers of the chunk's own
 * dictionary. Settling replaces these with the features of the whole data.
 *
 * A cell often equals the cell above it. The bytes of the last short cell of a column, including
 * the delimiter, are therefore cached with its value and are not parsed again while they stay the
 * same. The start of the next cell then does not depend on the digits of this one.
 */
#ifndef READ_CSV_ROWS_H
#define READ_CSV_ROWS_H

#include "read/csv.h"
#include "read/words.h"

/* A value of a categorical column, or the '?' of any column, in the chunk. */
typedef struct {
    const char *text;
    size_t length;
    uint32_t column;
    uint32_t feature; /* set by settling */
    bool unseen;      /* set by settling: the model does not have the category */
} CsvValue;

typedef struct {
    uint32_t label;
    float weight;
    uint64_t line;
    size_t entry_end,
        value_end; /* end of its numbers in entries, and of its values in row_values */
} CsvRow;

/* A column during parsing, with its last short cell: equal bytes under the masks mean an equal
 * value. */
typedef struct {
    uint64_t bytes, mask, more_bytes, more_mask; /* empty cache: mask 0 with bytes 1 */
    uint32_t length;                             /* length of the cell with its delimiter */
    uint8_t kind;
    /* four numeric columns start here: eight bytes show whether all are 0 */
    bool zeros;
    char after; /* byte after a cell: the delimiter or a newline */
    uint32_t slot;
    BuilderEntry entry; /* COLUMN_NUMBER */
    uint32_t number;    /* COLUMN_CATEGORY: the number in values; COLUMN_LABEL: the chunk's label */
} CsvLastCell;

typedef struct {
    float *current;    /* numbers of the current row, if dense */
    CsvLastCell *cell; /* cell of each column */
    size_t current_capacity, cell_capacity;

    CsvRow *rows;
    BuilderEntry *entries; /* nonzero numbers, row after row, unless the builder has them */
    uint32_t *row_values;  /* numbers in values, row after row */
    size_t rows_capacity, entries_capacity, row_values_capacity;
    size_t row_count, entry_count, row_value_count;

    CsvValue *values;
    size_t values_capacity, value_count;
    HashTable table;

    Words words; /* one document per row for columns of text */
    char *spare; /* spare buffer of the scan */
    size_t spare_capacity;

    uint32_t *feature; /* features of the current row, and their values */
    float *feature_value;
    size_t feature_capacity, feature_value_capacity;
    Buffer name;
    uint64_t *unseen; /* see Source.unseen */
    size_t unseen_capacity;
} CsvScratch;

/* ---- csv_parse.c ----------------------------------------------------------------------------- */
/* Adds the parts of a row other than features to the builder. */
Status clv_csv_add_extras(Builder *builder, const CsvLayout *layout, const CsvRow *row,
                          cleave_error *error);
void clv_csv_parse(const Reader *reader, Chunk *chunk);

/* ---- csv_settle.c ---------------------------------------------------------------------------- */
void clv_csv_warn_unseen(const Reader *reader);
Status clv_csv_settle(Reader *reader, Chunk *chunk, cleave_error *error);

#endif
