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
    const float *dense;  /* dense_row; NULL: the three below */
    size_t stride;       /* floats from one dense row to the next */
    const uint64_t *end; /* entries up to and with row i */
    const uint32_t *column;
    const float *value;
} Vectors;

static inline const float *dense_row(const Vectors *vectors, uint32_t row)
{
    return vectors->dense + (size_t)row * vectors->stride;
}

static inline uint64_t sparse_start(const Vectors *vectors, uint32_t row)
{
    return row ? vectors->end[row - 1] : 0;
}

/* All values of a sparse row. */
static inline void spread_row(const Vectors *vectors, uint32_t row, float *to)
{
    memset(to, 0, vectors->features * sizeof *to);
    for (uint64_t i = sparse_start(vectors, row); i < vectors->end[row]; i++)
        to[vectors->column[i]] = vectors->value[i];
}

/*
 * Points as they come, to become vectors. They are kept in the form that suits them, unless another is asked for: all start sparse, become
 * dense where many values are not 0, and sparse again where wide rows come that are mostly 0.
 */
typedef enum { GATHER_AS_SUITS, GATHER_SPARSE, GATHER_DENSE } GatherForm;

typedef struct {
    Context *context;
    uint32_t count, features;
    size_t entries; /* that are not 0 */
    /* Sparse. */
    uint64_t *end;
    uint32_t *column;
    float *value;
    size_t end_capacity, column_capacity, value_capacity;
    /* Dense, where stride is not 0. */
    float *dense;
    size_t stride, dense_capacity;
    uint32_t next_look; /* at so many points the form is thought over */
    GatherForm form;
} Gathered;

Status clv_gathered_add(Gathered *gathered, const Block *block, uint32_t row, cleave_error *error);
Status clv_gathered_add_vector(Gathered *gathered, const Vectors *vectors, uint32_t row, cleave_error *error);
/* The first so many points are no more; the others move up. */
void clv_gathered_drop(Gathered *gathered, uint32_t oldest);
/* Of all points the form that takes less, for a model of so many features, whatever way they came by. */
Status clv_gathered_settle(Gathered *gathered, uint32_t features, cleave_error *error);
void clv_gathered_free(Gathered *gathered);
/* Its points where they are. */
Vectors clv_gathered_vectors(const Gathered *gathered);

/* As arrays "vectors", or "vector_ends", "vector_columns", "vector_values" where that is less. features: of the model, not below the
 * points'. */
Status clv_vectors_to_model(const Gathered *gathered, uint32_t features, Model *model, cleave_error *error);
/* The same, without a copy: the points are the model's from then on, and `gathered` is empty. */
Status clv_vectors_move_to_model(Gathered *gathered, uint32_t features, Model *model, cleave_error *error);
/* And back. Of a model that was checked: false where the arrays are not there. Check looks at every number of a file from outside. */
bool clv_vectors_of_model(const Model *model, Vectors *vectors);
bool clv_vectors_check(const Model *model, Vectors *vectors);

/* Columns past which spreading a row costs more, in memory and time, than it saves. */
enum { MOST_SPREAD = 1 << 24 };

typedef struct {
    Context *context;
    const uint32_t *column;
    const float *value;
    size_t count, known; /* entries; those of them in columns that the vectors have */
    const float
        *dense;  /* `features` of the vectors; columns past them are in column and value only. NULL: see `sparse` */
    bool sparse; /* the vectors are: a row is not spread over more than MOST_SPREAD columns for them */
    /* Workspace. */
    uint32_t *columns;
    float *values, *spread;
    size_t column_capacity, value_capacity, spread_capacity, spread_used;
} Query;

/* The row of a block, to be held against vectors of so many features; for queries that have `context` and are 0 otherwise. */
Status clv_query_set(Query *query, const Block *block, uint32_t row, uint32_t features, cleave_error *error);
/* All values of a row, of the caller's: for dense vectors they stay where they are, for sparse ones what is not 0 is picked out. */
Status clv_query_set_values(Query *query, const float *values, const Vectors *vectors, cleave_error *error);
/* Values of the caller's, `features` of them, which stay where they are; `query` needs no freeing. For dense vectors only. */
static inline void query_set_dense(Query *query, const float *values)
{
    *query = (Query){.dense = values};
}
void clv_query_free(Query *query);

#endif
