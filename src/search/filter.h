/* The points that a search may find, by rows, labels, ids and metadata. */
#ifndef SEARCH_FILTER_H
#define SEARCH_FILTER_H

#include "learn/neighbor/points.h"

typedef struct {
    const char *rows, *labels, *where; /* NULL: no condition */
} Filter;

/* Makes a bit per point, allocated by clv_alloc; NULL if the filter has no condition. */
Status clv_filter_points(const Model *model, const Points *points, const Filter *filter,
                         uint64_t **only, cleave_error *error);

#endif
