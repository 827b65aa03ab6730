/*
 * A block is a view of some hundred rows, the unit of exchange between modules. Readers create
 * blocks, the dataset stores them, learners iterate over them. A block owns no memory.
 *
 * Sparse rows are stored as gaps between column numbers, which start at -1:
 *
 *     columns 0 3 4 70000          gaps 1 3 1 (65535) 4461
 *
 * A gap has 16 bits; fillers precede a larger gap. In the EACH form a filler is a gap of 65535 with
 * the value 0, so a dot product needs no test for it. The other two forms have no value per entry;
 * there a filler is a gap of 0 and advances 65535 columns. If fillers would outnumber entries (very
 * wide data), the block contains 32-bit column numbers instead. Zeros are not stored, so a value of
 * 0 is always a filler.
 */
#ifndef DATA_BLOCK_H
#define DATA_BLOCK_H

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum { ROWS_GAPS, ROWS_COLUMNS, ROWS_DENSE } RowForm;

typedef enum {
    VALUES_ONES,    /* every value is 1                     */
    VALUES_PER_ROW, /* one value for all entries of a row */
    VALUES_EACH,    /* one float per entry */
} ValueForm;

typedef enum {
    TARGETS_NONE,    /* no row has a label */
    TARGETS_LABELS,  /* label numbers of 1, 2 or 4 bytes; the largest number is unlabeled */
    TARGETS_NUMBERS, /* doubles; NaN is unlabeled */
} TargetForm;

/* A missing value in columns that encode it this way (pipeline/codes.c). */
#define MISSING_VALUE (-FLT_MAX)
#define FILLER_GAP 65535u
#define UNLABELED UINT32_MAX
#define MOST_FEATURES 2147483647u /* upper bound of column numbers of a dataset */

typedef struct {
    uint32_t rows;
    uint32_t features;          /* largest column number plus one; dense: the width */
    uint64_t first_row;         /* number of the first row in its dataset, from 0 */
    const uint64_t *row_number; /* row numbers if not consecutive; NULL otherwise */

    RowForm form;
    ValueForm value_form;
    bool has_fillers;
    const uint32_t
        *end; /* sparse: end of the entries of row i, including fillers; they start at end[i - 1] */
    const uint16_t *gap;    /* for ROWS_GAPS */
    const uint32_t *column; /* for ROWS_COLUMNS */
    const float
        *value; /* VALUES_EACH: per entry; VALUES_PER_ROW: per row; dense: rows * features */

    TargetForm target_form;
    uint8_t label_bytes; /* size of a label in bytes, for TARGETS_LABELS: 1, 2 or 4 */
    const void *target;

    /* Optional arrays; each is NULL if the data has none. */
    const float *weight;
    const uint64_t *qid;
    const uint32_t *name_end; /* row names: bytes name[name_end[i - 1]] … name[name_end[i]] */
    const char *name;
    /* Position of a row in its text file (see block_line), if known. */
    const uint32_t *line; /* per row, minus first_line; NULL: consecutive lines */
    uint64_t first_line;  /* number of the first line, from 1; 0: unknown */
    uint32_t file;        /* number of the file, from 0, among files that are read together */
} Block;

static inline uint32_t block_start(const Block *block, uint32_t row)
{
    return row ? block->end[row - 1] : 0;
}

/* The number of entries of a row, including fillers; for a dense row, its width. */
static inline uint32_t block_row_entries(const Block *block, uint32_t row)
{
    return block->form == ROWS_DENSE ? block->features : block->end[row] - block_start(block, row);
}

static inline uint64_t block_row_number(const Block *block, uint32_t row)
{
    return block->row_number ? block->row_number[row] : block->first_row + row;
}

/* The line of a row in its file, from 1; 0: unknown. */
static inline uint64_t block_line(const Block *block, uint32_t row)
{
    if (block->first_line == 0)
        return 0;
    return block->first_line + (block->line ? block->line[row] : row);
}

static inline uint32_t block_label(const Block *block, uint32_t row)
{
    switch (block->target_form == TARGETS_LABELS ? block->label_bytes : 0) {
    case 1: {
        uint8_t label = ((const uint8_t *)block->target)[row];
        return label == UINT8_MAX ? UNLABELED : label;
    }
    case 2: {
        uint16_t label = ((const uint16_t *)block->target)[row];
        return label == UINT16_MAX ? UNLABELED : label;
    }
    case 4:
        return ((const uint32_t *)block->target)[row];
    default:
        return UNLABELED;
    }
}

/* The target as a number; NaN without a target. label_number is the value of each label. */
static inline double block_number(const Block *block, uint32_t row, const double *label_number)
{
    uint32_t label;

    if (block->target_form == TARGETS_NUMBERS)
        return ((const double *)block->target)[row];
    label = block_label(block, row);
    return label == UNLABELED ? (double)NAN : label_number[label];
}

static inline float block_weight(const Block *block, uint32_t row)
{
    return block->weight ? block->weight[row] : 1;
}

/* Iterates over the entries of one row of any form. Used by all code except inner loops.
 *
 *     for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
 *         use(walk.column, walk.value); */
typedef struct {
    const Block *block;
    uint32_t at, stop; /* range of entries; of columns when the row is dense */
    uint32_t row;
    uint32_t column;
    float value;
} RowWalk;

RowWalk clv_walk(const Block *block, uint32_t row);
bool clv_walk_next(RowWalk *walk);

uint64_t clv_block_entries(const Block *block); /* the number of nonzeros, without fillers */
/* Adds 1 to count[column] for each nonzero value. */
void clv_block_count(const Block *block, uint64_t *count);
double clv_block_norm2(const Block *block, uint32_t row); /* the squared norm of a row */
/* Returns whether every value is 0 or 1; otherwise *other is the first other value. */
bool clv_block_is_binary(const Block *block, RowWalk *other);

#endif
