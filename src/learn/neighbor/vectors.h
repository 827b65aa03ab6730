/*
 * Vectors: the training points in the layout of a model: dense (all values, as float32 or packed as
 * narrow numbers), or sparse (columns and values of nonzero entries). The memory belongs to a model or to Gathered below. A query is one
 * row, in both forms.
 */
#ifndef LEARN_NEIGHBOR_VECTORS_H
#define LEARN_NEIGHBOR_VECTORS_H

#include "data/block.h"
#include "learn/neighbor/narrow.h"
#include "model/model.h"

typedef struct {
    uint32_t count, features;
    const float *dense; /* see dense_row; NULL: packed, or sparse in the three arrays below */
    size_t stride;      /* floats between dense rows */
    const char *packed; /* see packed_row; NULL: not packed */
    NarrowType narrow;  /* its type */
    Unpack *unpack;
    const uint64_t *end; /* end of the entries of row i */
    const uint32_t *column;
    const float *value;
} Vectors;

static inline const float *dense_row(const Vectors *vectors, uint32_t row)
{
    return vectors->dense + (size_t)row * vectors->stride;
}

static inline const char *packed_row(const Vectors *vectors, uint32_t row)
{
    return vectors->packed + (size_t)row * vectors->features * narrow_size(vectors->narrow);
}

/* A value of a dense row. */
static inline float dense_value(const Vectors *vectors, uint32_t row, uint32_t column)
{
    float value;

    if (vectors->dense)
        return dense_row(vectors, row)[column];
    vectors->unpack(packed_row(vectors, row) + column * narrow_size(vectors->narrow), 1, &value);
    return value;
}

/* Whether all values are stored. */
static inline bool vectors_are_dense(const Vectors *vectors)
{
    return vectors->dense || vectors->packed;
}

static inline uint64_t sparse_start(const Vectors *vectors, uint32_t row)
{
    return row ? vectors->end[row - 1] : 0;
}

/* Unpacks a packed or sparse row. */
static inline void spread_row(const Vectors *vectors, uint32_t row, float *to)
{
    if (vectors->packed) {
        vectors->unpack(packed_row(vectors, row), vectors->features, to);
        return;
    }
    memset(to, 0, vectors->features * sizeof *to);
    for (uint64_t i = sparse_start(vectors, row); i < vectors->end[row]; i++)
        to[vectors->column[i]] = vectors->value[i];
}

/*
 * Collects points that become vectors, in a suitable form unless one is requested. Points start
 * sparse, become dense if many values are nonzero, and sparse again if wide, mostly zero rows
 * follow.
 */
typedef enum { GATHER_AS_SUITS, GATHER_SPARSE, GATHER_DENSE } GatherForm;

typedef struct {
    Context *context;
    uint32_t count, features;
    size_t entries; /* nonzero entries */
    /* Sparse form. */
    uint64_t *end;
    uint32_t *column;
    float *value;
    size_t end_capacity, column_capacity, value_capacity;
    /* Dense form, if stride is not 0. */
    float *dense;
    size_t stride, dense_capacity;
    NarrowType narrow;  /* the values are packed in place; NARROW_NONE: float32 */
    uint32_t next_look; /* number of points at which the form is reconsidered */
    GatherForm form;
} Gathered;

Status clv_gathered_add(Gathered *gathered, const Block *block, uint32_t row, cleave_error *error);
Status clv_gathered_add_vector(Gathered *gathered, const Vectors *vectors, uint32_t row,
                               cleave_error *error);
/* Removes the first `count` points, and moves the others to the front. */
void clv_gathered_drop(Gathered *gathered, uint32_t oldest);
/* Converts all points to the smaller form, for a model of this many features. */
Status clv_gathered_settle(Gathered *gathered, uint32_t features, cleave_error *error);
/* Packs settled dense points if a narrow type represents their values. */
void clv_gathered_pack(Gathered *gathered);
void clv_gathered_free(Gathered *gathered);
/* Returns the points in place. */
Vectors clv_gathered_vectors(const Gathered *gathered);

/* Stores the array "vectors" ("vectors_uint8" … if packed), or "vector_ends", "vector_columns" and
 * "vector_values" if smaller. features: number of features of the model, at least that of the
 * points. */
Status clv_vectors_to_model(const Gathered *gathered, uint32_t features, Model *model,
                            cleave_error *error);
/* Stores the vectors without copying. The model takes ownership, and `gathered` becomes empty. */
Status clv_vectors_move_to_model(Gathered *gathered, uint32_t features, Model *model,
                                 cleave_error *error);
/* Reads the vectors of a checked model. Returns false if arrays are missing. clv_vectors_check
 * validates every number of an untrusted file. */
bool clv_vectors_of_model(const Model *model, Vectors *vectors);
bool clv_vectors_check(const Model *model, Vectors *vectors);

/* Above this number of columns, unpacking a row costs more memory and time than it saves. */
enum { MOST_SPREAD = 1 << 24 };

typedef struct {
    Context *context;
    const uint32_t *column;
    const float *value;
    size_t count, known; /* number of entries; number of entries in columns of the vectors */
    const float
        /* `features` values of the vectors' columns; other columns are in column and value only.
         * NULL: see `sparse` */
        *dense;
    bool sparse; /* the vectors are sparse. Rows are unpacked for at most MOST_SPREAD columns. */
    /* Scratch space. */
    uint32_t *columns;
    float *values, *spread;
    size_t column_capacity, value_capacity, spread_capacity, spread_used;
} Query;

/* Sets a query from a row of a block, for vectors of this many features. `context` is set, and
 * everything else is 0. */
Status clv_query_set(Query *query, const Block *block, uint32_t row, uint32_t features,
                     cleave_error *error);
/* Sets a query from all values of a row of the caller: used in place for dense vectors, packed
 * for sparse ones. */
Status clv_query_set_values(Query *query, const float *values, const Vectors *vectors,
                            cleave_error *error);
/* Sets a query from `features` values of the caller, used in place; `query` needs no freeing.
 * Dense vectors only. */
static inline void query_set_dense(Query *query, const float *values)
{
    *query = (Query){.dense = values};
}
void clv_query_free(Query *query);

#endif
