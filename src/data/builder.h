/*
 * A builder: rows go in one by one, a block comes out. It owns the arrays the block points into and can be reused.
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

    /* While building, entries are gaps (EACH form, fillers included) until they grow too many, then columns. */
    uint16_t *gap;
    uint32_t *column;
    float *value;
    size_t gap_capacity, column_capacity, value_capacity;
    size_t entries; /* in gap or column, and in value */
    size_t fillers;
    bool wide;       /* columns instead of gaps */
    bool passing_by; /* set by the owner: the block is used once, so compact forms are not worth looking for */
    uint32_t last;   /* column of the last entry of the row under way; UINT32_MAX at its start */
    uint32_t features;

    uint32_t *end;
    uint32_t *label;
    size_t end_capacity, label_capacity;
    uint32_t rows;

    /* Dense blocks: value holds rows * width. */
    bool dense;
    uint32_t width;

    /* Extras: an array is kept from the first row that has one; so many rows of it are filled. */
    float *weight;
    uint64_t *qid;
    uint32_t *line;
    uint32_t *name_end;
    double *number; /* numeric targets, when used instead of labels */
    size_t weight_capacity, qid_capacity, line_capacity, name_capacity, number_capacity;
    Buffer name;
    uint32_t weight_rows, qid_rows, line_rows, name_rows, number_rows;
    uint64_t first_line;

    /* What finish makes: labels in their final width, one value a row. */
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
void clv_builder_clear(Builder *builder); /* ready for the next block; keeps the memory */

void clv_builder_begin_row(Builder *builder);
/* Drops the entries of the row under way. */
void clv_builder_restart_row(Builder *builder);
Status clv_builder_add(Builder *builder, uint32_t column, float value, cleave_error *error);
/* Many at once, columns increasing. */
Status clv_builder_add_many(Builder *builder, const uint32_t *columns, const float *values, size_t count,
                            cleave_error *error);
/* The same in pairs, none of them 0. */
Status clv_builder_add_entries(Builder *builder, const BuilderEntry *entries, size_t count, cleave_error *error);
/* The entries of a row of a block in gaps with a value each, place[c] being the column of what was c, all of them below FILLER_GAP.
 * *ascending tells whether they come in order that way; if not, nothing is added. */
Status clv_builder_add_moved(Builder *builder, const Block *block, uint32_t row, const uint32_t *place, bool *ascending,
                             cleave_error *error);
Status clv_builder_end_row(Builder *builder, uint32_t label, cleave_error *error);

/* Dense rows, instead of the three above: width is fixed for the block, values are copied. */
Status clv_builder_add_dense(Builder *builder, const float *values, uint32_t width, uint32_t label,
                             cleave_error *error);
/* The same, handing out the place to write the row's values to (valid until the next call). */
Status clv_builder_dense_row(Builder *builder, uint32_t width, uint32_t label, float **values, cleave_error *error);

/* For the row just ended. */
Status clv_builder_set_weight(Builder *builder, float weight, cleave_error *error);
Status clv_builder_set_qid(Builder *builder, uint64_t qid, cleave_error *error);
Status clv_builder_set_line(Builder *builder, uint64_t line, cleave_error *error); /* lines do not decrease */
Status clv_builder_set_name(Builder *builder, const char *name, size_t length, cleave_error *error);
Status clv_builder_set_number(Builder *builder, double number, cleave_error *error);

/* For the row just ended: what row i of another block has beside features, label and line. */
Status clv_builder_copy_extras(Builder *builder, const Block *block, uint32_t row, cleave_error *error);

/* Copies row i of another block, with its extras and the given label. */
Status clv_builder_copy_row(Builder *builder, const Block *block, uint32_t row, uint32_t label, cleave_error *error);
/* Rows that follow each other, with their own labels: faster than one by one. */
Status clv_builder_copy_rows(Builder *builder, const Block *block, uint32_t row, uint32_t rows, cleave_error *error);

/* The block lives until the builder is changed. A dense builder whose values are mostly 0 gives a sparse block. */
Status clv_builder_finish(Builder *builder, Block *block, cleave_error *error);

/* Bytes the block would take packed, roughly: when to start the next one. */
size_t clv_builder_bytes(const Builder *builder);

#endif
