/*
 * Cache of kernel rows: K(x_i, x_k) for one i and all active k, with least-recently-used eviction.
 * After the solver shrinks its problem, cached rows are compacted when they are used next, by the
 * lists of surviving positions.
 */
#ifndef LEARN_KERNEL_CACHE_H
#define LEARN_KERNEL_CACHE_H

#include "learn/kernel/kernel_function.h"

struct CachedRow {
    float *values; /* NULL: not cached */
    uint32_t capacity;
    uint32_t length; /* number of values of the row in the view at `epoch` */
    uint32_t epoch;
    uint32_t before, after; /* links in the order of use */
};

typedef struct {
    Context *context;
    Evaluator *evaluator;
    const KernelPoints *points;
    const View *whole, *view; /* all points; active points */
    struct CachedRow *row;    /* one entry per point, and one for the ends of the list in the order
                               * of use */
    size_t used, budget;      /* in bytes */
    uint32_t **kept;          /* positions that stay active, per epoch */
    uint32_t *kept_count;
    uint32_t epoch;
    size_t kept_capacity, kept_count_capacity;
    uint64_t computed, found;
} Cache;

Status clv_cache_init(Cache *cache, Evaluator *evaluator, const View *whole, double megabytes,
                      cleave_error *error);
void clv_cache_free(Cache *cache);
/* The kernel row of a point over the current view. It is valid until the second call after this
 * one. */
Status clv_cache_row(Cache *cache, uint32_t point, const float **row, cleave_error *error);
/* Restricts the view to these positions of the current view. Takes ownership of the list. */
Status clv_cache_shrink(Cache *cache, uint32_t *kept, uint32_t count, const View *view,
                        cleave_error *error);
/* Makes all points active again. Compacted rows are dropped. */
void clv_cache_unshrink(Cache *cache);
/* Whether the rows of all points fit. */
bool clv_cache_holds_all(const Cache *cache);

#endif
