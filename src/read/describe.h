/*
 * Summary of the columns of a table over all cells, gathered in order from the text of each chunk.
 * Memory is bounded: the number of distinct values per column is limited, and medians come from a
 * sample of rows.
 */
#ifndef READ_DESCRIBE_H
#define READ_DESCRIBE_H

#include "base/hash_table.h"
#include "data/schema.h"

typedef struct {
    char *text; /* first bytes of the text */
    uint64_t hash, count;
    uint64_t label; /* hash of the label of the first row with this value */
} SeenValue;

typedef struct {
    char *name;
    ColumnKind kind;
    DateForm form;           /* COLUMN_DATE */
    bool dated;              /* earliest and latest are set */
    Moment earliest, latest; /* COLUMN_DATE */
    uint64_t cells, missing, numbers, words;
    bool whole; /* all numbers are integers */
    bool mixed; /* a value occurs with two labels */
    double min, max;

    float *sample; /* sample of the numbers: each number whose index is a multiple of stride */
    size_t sample_count, sample_capacity;
    uint64_t stride;

    SeenValue *value; /* values in the order of appearance */
    size_t value_count, value_capacity;
    HashTable table;
    /* number of cells read until MOST_VALUES values were found; 0: fewer values */
    uint64_t cells_when_full;
} ColumnFacts;

enum { MOST_VALUES = 1 << 14 };

typedef struct TableFacts {
    Context *context;
    ColumnFacts *column;
    uint32_t count;
} TableFacts;

void clv_table_facts_free(TableFacts *facts);
/* Returns the median of the numbers or of a sample; NaN without numbers. Sorts the sample. */
double clv_column_median(ColumnFacts *column);

#endif
