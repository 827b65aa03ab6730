/*
 * An update: the changes of a state by one worker, as numbers that can be summed with those of
 * other workers. It has named parts, each a sparse vector of doubles by increasing index. Threads
 * sum updates in memory, ranks of a cluster send them as bytes, and map tasks write them as lines
 * of text.
 *
 * Sums of doubles depend on their order. DeltaTree adds pieces along a fixed binary tree, so that
 * the sum is bit-identical for any assignment of pieces to workers and any order of arrival.
 */
#ifndef MODEL_DELTA_H
#define MODEL_DELTA_H

#include "base/memory.h"

enum { DELTA_PARTS = 24, DELTA_NAME = 16 };

typedef struct {
    char name[DELTA_NAME];
    uint64_t *index; /* in increasing order */
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

/* Appends a number to the part, which is created if needed. Its index must be above the last one.
 * Fails if the number is not finite. */
Status clv_delta_append(Delta *delta, const char *part, uint64_t index, double value,
                        cleave_error *error);
/* Adds a vector without its zeros, because most elements of a wide vector are 0. */
static inline Status clv_delta_add(Delta *delta, const char *part, uint64_t index, double value,
                                   cleave_error *error)
{
    return value == 0 ? OK : clv_delta_append(delta, part, index, value, error);
}
/* Adds the numbers with the indexes 0 … count - 1. */
Status clv_delta_add_all(Delta *delta, const char *part, const double *values, size_t count,
                         cleave_error *error);

/* NULL: the part is missing, and all its numbers are 0 */
const DeltaPart *clv_delta_part(const Delta *delta, const char *part);
double clv_delta_number(const Delta *delta, const char *part, uint64_t index);
/* The largest index of a part plus one; 0: the part is empty. */
uint64_t clv_delta_size(const Delta *delta, const char *part);

Status clv_delta_sum(Delta *into, const Delta *from, cleave_error *error);

/* The sum over pieces 0 … count - 1 along a fixed binary tree. */
typedef struct {
    Context *context;
    uint32_t count;
    struct DeltaNode {
        uint32_t first, size; /* number of pieces: a power of two, or all up to the last */
        Delta delta;
    } * node;
    size_t nodes, capacity;
} DeltaTree;

void clv_delta_tree_init(DeltaTree *tree, Context *context, uint32_t count);
void clv_delta_tree_free(DeltaTree *tree);
/* Adds the sum of pieces first … first + size - 1, which is a single piece or a node of another
 * tree. Takes the contents of delta, which is empty afterwards. */
Status clv_delta_tree_add(DeltaTree *tree, uint32_t first, uint32_t size, Delta *delta,
                          cleave_error *error);
/* The whole sum; NULL until the last piece has been added. */
const Delta *clv_delta_tree_sum(const DeltaTree *tree);

#endif
