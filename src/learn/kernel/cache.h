/*
 * A cache of kernel rows: K(x_i, x_k) for one i and all k that still matter, the least recently used given up first. When the
 * solver shrinks its problem, the rows that are kept are made shorter when they are next asked for, by the lists of places that survived.
 */
#ifndef LEARN_KERNEL_CACHE_H
#define LEARN_KERNEL_CACHE_H

#include "learn/kernel/kernel_function.h"

struct CachedRow {
    float *values; /* NULL: not there */
    uint32_t capacity;
    uint32_t length; /* values that are there: those of the view at epoch */
    uint32_t epoch;
    uint32_t before, after; /* in the order of use */
};

typedef struct {
    Context *context;
    Evaluator *evaluator;
    const Points *points;
    const View *whole, *view; /* all points; those that still matter */
    struct CachedRow *row;    /* by point, and one more: the ends of the list of use */
    size_t used, budget;      /* bytes */
    uint32_t **kept;          /* of each epoch, the places that go on into the next */
    uint32_t *kept_count;
    uint32_t epoch;
    size_t kept_capacity, kept_count_capacity;
    uint64_t computed, found;
} Cache;

Status clv_cache_init(Cache *cache, Evaluator *evaluator, const View *whole, double megabytes, cleave_error *error);
void clv_cache_free(Cache *cache);
/* The kernel row of a point over the current view. It stays until the second call after this one. */
Status clv_cache_row(Cache *cache, uint32_t point, const float **row, cleave_error *error);
/* From now on only these places (of the view so far) matter; view is of them. Takes over the list. */
Status clv_cache_shrink(Cache *cache, uint32_t *kept, uint32_t count, const View *view, cleave_error *error);
/* All points matter again. Rows that were made shorter are forgotten. */
void clv_cache_unshrink(Cache *cache);
/* Whether a row for every point fits. */
bool clv_cache_holds_all(const Cache *cache);

#endif
