/*
 * Vectors: the training points, as they lie in a model: all values of each (dense), or the columns and values that are not 0. They belong to
 * somebody else: a model's arrays, or Gathered below. A query is one row, in both forms.
 */
#ifndef LEARN_NEIGHBOR_VECTORS_H
#define LEARN_NEIGHBOR_VECTORS_H

#include "data/block.h"
#include "model/model.h"

typedef struct {
    uint32_t count, features;
    const float *dense;  /* [row * features + column]; NULL: the three below */
    const uint64_t *end; /* entries up to and with row i */
    const uint32_t *column;
    const float *value;
} Vectors;

/* Points as they come, to become vectors. */
typedef struct {
    Context *context;
    uint32_t count, features;
    uint64_t *end;
    uint32_t *column;
    float *value;
    size_t entries, end_capacity, column_capacity, value_capacity;
} Gathered;

Status clv_gathered_add(Gathered *gathered, const Block *block, uint32_t row, cleave_error *error);
Status clv_gathered_add_vector(Gathered *gathered, const Vectors *vectors, uint32_t row, cleave_error *error);
void clv_gathered_free(Gathered *gathered);
/* Its points where they are. */
Vectors clv_gathered_vectors(const Gathered *gathered);

/* As arrays "vectors", or "vector_ends", "vector_columns", "vector_values" where that is less. */
Status clv_vectors_to_model(const Gathered *gathered, uint32_t features, Model *model, cleave_error *error);
/* And back. Of a model that was checked: false where the arrays are not there. Check looks at every number of a file from outside. */
bool clv_vectors_of_model(const Model *model, Vectors *vectors);
bool clv_vectors_check(const Model *model, Vectors *vectors);

typedef struct {
    Context *context;
    const uint32_t *column;
    const float *value;
    size_t count, known; /* entries; those of them in columns that the vectors have */
    const float *dense;  /* `features` of the vectors; columns past them are in column and value only */
    /* Room. */
    uint32_t *columns;
    float *values, *spread;
    size_t column_capacity, value_capacity, spread_capacity, spread_used;
} Query;

/* The row of a block, to be held against vectors of so many features. */
Status clv_query_set(Query *query, const Block *block, uint32_t row, uint32_t features, cleave_error *error);
void clv_query_free(Query *query);

#endif
