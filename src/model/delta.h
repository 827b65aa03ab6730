/*
 * What a piece of work adds to a learner's state, as numbers that may be summed with those of other pieces: named parts, each a sparse
 * vector of doubles by increasing index. It is the currency of every driver that has more than one worker: threads sum them in memory,
 * ranks of a cluster send them as bytes, filters write them as lines of text.
 *
 * Sums of doubles depend on their order. DeltaTree makes them along one fixed tree over the numbers of the pieces, so the sum has
 * the same bits whoever computed which piece, and in whatever order they came.
 */
#ifndef MODEL_DELTA_H
#define MODEL_DELTA_H

#include "base/memory.h"

enum { DELTA_PARTS = 24, DELTA_NAME = 16 };

typedef struct {
    char name[DELTA_NAME];
    uint64_t *index; /* increasing */
    double *value;
    size_t count, index_capacity, value_capacity;
} DeltaPart;

typedef struct {
    Context *context;
    DeltaPart part[DELTA_PARTS];
    size_t parts;
} Delta;

void clv_delta_init(Delta *delta, Context *context);
void clv_delta_free(Delta *delta);
void clv_delta_clear(Delta *delta);

/* Adds a number behind those of the part, which is made where there is none yet: index must be above its last. A number that is not
 * finite is an error. */
Status clv_delta_append(Delta *delta, const char *part, uint64_t index, double value, cleave_error *error);
/* The same, but zeros are left out, at no cost: most of a wide vector is. */
static inline Status clv_delta_add(Delta *delta, const char *part, uint64_t index, double value, cleave_error *error)
{
    return value == 0 ? OK : clv_delta_append(delta, part, index, value, error);
}
/* The same for numbers 0 … count - 1. */
Status clv_delta_add_all(Delta *delta, const char *part, const double *values, size_t count, cleave_error *error);

const DeltaPart *clv_delta_part(const Delta *delta, const char *part); /* NULL: all zeros */
double clv_delta_number(const Delta *delta, const char *part, uint64_t index);
/* One more than the largest index of a part; 0: it is empty. */
uint64_t clv_delta_size(const Delta *delta, const char *part);

Status clv_delta_sum(Delta *into, const Delta *from, cleave_error *error);

/* The sum over pieces 0 … count - 1 along a fixed tree. */
typedef struct {
    Context *context;
    uint32_t count;
    struct DeltaNode {
        uint32_t first, size; /* pieces: a power of two of them, or up to the last */
        Delta delta;
    } * node;
    size_t nodes, capacity;
} DeltaTree;

void clv_delta_tree_init(DeltaTree *tree, Context *context, uint32_t count);
void clv_delta_tree_free(DeltaTree *tree);
/* Takes what is in delta, which is empty afterwards: the sum of pieces first … first + size - 1, one of them or a node of another's tree. */
Status clv_delta_tree_add(DeltaTree *tree, uint32_t first, uint32_t size, Delta *delta, cleave_error *error);
/* The whole sum; NULL while pieces are missing. */
const Delta *clv_delta_tree_sum(const DeltaTree *tree);

#endif
