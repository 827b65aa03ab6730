/*
 * What the columns of a table hold, by all of its cells: gathered beside reading, in order, from the text of each chunk. Memory is bounded:
 * so many different values of a column are told apart, and medians are those of a sample of rows.
 */
#ifndef READ_DESCRIBE_H
#define READ_DESCRIBE_H

#include "base/hash_table.h"
#include "data/schema.h"

typedef struct {
    char *text; /* its first bytes */
    uint64_t hash, count;
    uint64_t label; /* hash of the label it was first seen with */
} SeenValue;

typedef struct {
    char *name;
    ColumnKind kind;
    DateForm form;           /* COLUMN_DATE */
    bool dated;              /* earliest and latest are set */
    Moment earliest, latest; /* COLUMN_DATE */
    uint64_t cells, missing, numbers, words;
    bool whole; /* all numbers are without a fraction */
    bool mixed; /* a value has been seen with two labels */
    double min, max;

    float *sample; /* of the numbers: each stride-th */
    size_t sample_count, sample_capacity;
    uint64_t stride;

    SeenValue *value; /* in order of appearance */
    size_t value_count, value_capacity;
    HashTable table;
    uint64_t cells_when_full; /* how many cells it took to meet MOST_VALUES values; 0: there are fewer */
} ColumnFacts;

enum { MOST_VALUES = 1 << 14 };

typedef struct TableFacts {
    Context *context;
    ColumnFacts *column;
    uint32_t count;
} TableFacts;

void clv_table_facts_free(TableFacts *facts);
/* The median of the numbers, or of a sample of them; NaN where there are none. Sorts the sample. */
double clv_column_median(ColumnFacts *column);

#endif
