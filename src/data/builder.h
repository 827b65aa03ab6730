/*
 * A builder collects rows one by one and returns a block. It owns the arrays of the block and can
 * be reused.
 *
 *     clv_builder_begin_row(&builder);
 *     clv_builder_add(&builder, column, value, error)      columns increasing, zeros left out
 *     clv_builder_end_row(&builder, label, error)
 *     ...
 *     clv_builder_finish(&builder, &block, error)          picks the most compact forms
 */
#ifndef DATA_BUILDER_H
#define DATA_BUILDER_H

#include "base/memory.h"
#include "data/block.h"

typedef struct {
    Context *context;

    /* Entries are gaps (EACH form, including fillers) until fillers are too many, and columns
     * afterwards. */
    uint16_t *gap;
    uint32_t *column;
    float *value;
    size_t gap_capacity, column_capacity, value_capacity;
    size_t entries; /* number of entries in gap or column, and in value */
    size_t fillers;
    bool wide;       /* entries are columns instead of gaps */
    bool passing_by; /* set by the owner: the block is used once, so compact forms are skipped */
    uint32_t last;   /* column of the last entry of the current row; UINT32_MAX at its start */
    uint32_t features;

    uint32_t *end;
    uint32_t *label;
    size_t end_capacity, label_capacity;
    uint32_t rows;

    /* Dense blocks: value has rows * width numbers. */
    bool dense;
    uint32_t width;

    /* Optional values of rows. An array begins with the first row that has such a value; its
     * counter is the number of rows in it. */
    float *weight;
    uint64_t *qid;
    uint32_t *line;
    uint32_t *name_end;
    double *number; /* numeric targets, used instead of labels */
    size_t weight_capacity, qid_capacity, line_capacity, name_capacity, number_capacity;
    Buffer name;
    uint32_t weight_rows, qid_rows, line_rows, name_rows, number_rows;
    uint64_t first_line;

    /* Results of clv_builder_finish: labels in their final width, and one value per row. */
    uint8_t *narrow;
    float *row_value;
    size_t narrow_capacity, row_value_capacity;
} Builder;

typedef struct {
    uint32_t column;
    float value;
} BuilderEntry;

void clv_builder_init(Builder *builder, Context *context);
void clv_builder_free(Builder *builder);
void clv_builder_clear(Builder *builder); /* prepares for the next block; keeps the memory */

void clv_builder_begin_row(Builder *builder);
/* Drops the entries of the current row. */
void clv_builder_restart_row(Builder *builder);
Status clv_builder_add(Builder *builder, uint32_t column, float value, cleave_error *error);
/* Adds many entries, columns increasing. */
Status clv_builder_add_many(Builder *builder, const uint32_t *columns, const float *values,
                            size_t count, cleave_error *error);
/* Adds many entries as pairs, all nonzero. */
Status clv_builder_add_entries(Builder *builder, const BuilderEntry *entries, size_t count,
                               cleave_error *error);
/* Adds the entries of a row of a block with gaps and a value per entry. place[c] is the new column
 * of c; all are below FILLER_GAP. If the new columns are not in order, *ascending is false and
 * nothing is added. */
Status clv_builder_add_moved(Builder *builder, const Block *block, uint32_t row,
                             const uint32_t *place, bool *ascending, cleave_error *error);
Status clv_builder_end_row(Builder *builder, uint32_t label, cleave_error *error);

/* Adds a dense row, instead of the three calls above. The width is fixed for the block. Values are
 * copied. */
Status clv_builder_add_dense(Builder *builder, const float *values, uint32_t width, uint32_t label,
                             cleave_error *error);
/* Adds a dense row and returns the memory for its values (valid until the next call). */
Status clv_builder_dense_row(Builder *builder, uint32_t width, uint32_t label, float **values,
                             cleave_error *error);

/* Set optional values of the last ended row. */
Status clv_builder_set_weight(Builder *builder, float weight, cleave_error *error);
Status clv_builder_set_qid(Builder *builder, uint64_t qid, cleave_error *error);
Status clv_builder_set_line(Builder *builder, uint64_t line,
                            cleave_error *error); /* lines must not decrease */
Status clv_builder_set_name(Builder *builder, const char *name, size_t length, cleave_error *error);
Status clv_builder_set_number(Builder *builder, double number, cleave_error *error);

/* Copies all optional values of row i of another block, except features, label and line, to the
 * last ended row. */
Status clv_builder_copy_extras(Builder *builder, const Block *block, uint32_t row,
                               cleave_error *error);

/* Copies row i of another block with its optional values and the given label. */
Status clv_builder_copy_row(Builder *builder, const Block *block, uint32_t row, uint32_t label,
                            cleave_error *error);
/* Copies consecutive rows with their own labels, faster than one by one. */
Status clv_builder_copy_rows(Builder *builder, const Block *block, uint32_t row, uint32_t rows,
                             cleave_error *error);

/* Returns the block, which is valid until the builder changes. A dense builder with mostly zeros
 * returns a sparse block. */
Status clv_builder_finish(Builder *builder, Block *block, cleave_error *error);

/* Estimates the packed size of the block in bytes, to decide when to start the next one. */
size_t clv_builder_bytes(const Builder *builder);

#endif
