/*
 * What a search structure is. It is built over vectors that stay where they are, is stored as named arrays of the model beside them, and
 * answers from there. All that are exact give the same neighbours in the same order as the scan: they may skip a point only where its key
 * (metric.h) is certain to be above the bound, and where it decides it asks clv_metric_key.
 */
#ifndef LEARN_NEIGHBOR_INDEX_H
#define LEARN_NEIGHBOR_INDEX_H

#include "learn/neighbor/metric.h"
#include "learn/neighbor/nearest.h"

typedef struct {
    Context *context;
    Metric metric;
    Vectors vectors;
} Search;

typedef struct {
    const char *name;
    /* The nearest, pushed into nearest, which is empty and wants so many. */
    Status (*nearest)(const Search *search, const Query *query, Nearest *nearest, cleave_error *error);
} IndexKind;

extern const IndexKind clv_index_scan;

#endif
