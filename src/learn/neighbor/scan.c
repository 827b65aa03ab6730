/* Every point, one after the other: what all other structures are held against. */
#include "learn/neighbor/index.h"

static Status scan(const Search *search, const Query *query, Nearest *nearest, cleave_error *error)
{
    (void)error;
    for (uint32_t row = 0; row < search->vectors.count; row++)
        clv_nearest_push(nearest, clv_metric_key(&search->metric, &search->vectors, row, query), row);
    return OK;
}

const IndexKind clv_index_scan = {.name = "scan", .nearest = scan};
