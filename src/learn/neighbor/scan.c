/* Every point, one after the other: what all other structures are held against. */
#include "learn/neighbor/index.h"

static Status search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count, SearchRoom *room,
                     cleave_error *error)
{
    (void)room;
    (void)error;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t row = 0; row < index->built; row++)
            nearest_push(&nearest[i], clv_metric_key(&index->metric, &index->vectors, row, &queries[i]), row);
    return OK;
}

const IndexKind clv_index_scan = {.name = "scan", .exact = true, .search = search};
