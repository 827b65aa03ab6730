/* Recall of an approximate index: its results compared with those of a scan. */
#include "learn/neighbor/points.h"

typedef struct {
    const Points *points;
    Index *scan;
    Query query;
    Nearest nearest, truth;
    SearchWorkspace workspace;
} Comparing;

/* Counts the results of a row that are as near as the last true neighbor. */
static Status compare_row(Comparing *comparing, const Block *rows, uint32_t row, uint64_t *found,
                          uint64_t *there, cleave_error *error)
{
    Nearest *nearest = &comparing->nearest, *truth = &comparing->truth;

    TRY(clv_query_set(&comparing->query, rows, row, comparing->points->vectors.features, error));
    TRY(clv_index_search(comparing->points->index, &comparing->query, nearest, 1,
                         &comparing->workspace, error));
    TRY(clv_index_search(comparing->scan, &comparing->query, truth, 1, &comparing->workspace,
                         error));
    *there += truth->count;
    for (uint32_t i = 0; i < nearest->count && truth->count > 0; i++)
        *found += nearest->item[i].key <= truth->item[truth->count - 1].key;
    return OK;
}

static Status compare_rows(Comparing *comparing, Context *context, const Block *rows,
                           uint64_t *found, uint64_t *there, cleave_error *error)
{
    const Points *points = comparing->points;
    uint32_t k = clv_neighbor_count(&points->options, points->vectors.count);
    IndexOptions options = {.index = INDEX_SCAN};
    Metric metric = clv_neighbor_metric(&points->options);

    TRY(clv_index_build(context, &options, &metric, &points->vectors, &comparing->scan, error));
    for (uint32_t row = 0; points->index->gone_count && row < points->vectors.count; row++)
        if (row_bit(points->index->gone, row))
            TRY(clv_index_remove(comparing->scan, row, error));
    TRY(clv_nearest_init(&comparing->nearest, context, k, error));
    TRY(clv_nearest_init(&comparing->truth, context, k, error));
    for (uint32_t row = 0; row < rows->rows; row++) {
        if (clv_cancelled(context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
        TRY(compare_row(comparing, rows, row, found, there, error));
    }
    return OK;
}

Status clv_points_recall(const Model *model, const Block *rows, uint64_t *found, uint64_t *there,
                         cleave_error *error)
{
    Context *context = model->context;
    Comparing comparing = {.query = {.context = context}, .workspace = {.context = context}};
    Status status = OK;
    Points points;

    *found = *there = 0;
    TRY(clv_points_open(model, &points, error));
    comparing.points = &points;
    comparing.query.sparse = !vectors_are_dense(&points.vectors);
    if (!points.index->kind->exact)
        status = compare_rows(&comparing, context, rows, found, there, error);
    clv_index_free(comparing.scan);
    clv_query_free(&comparing.query);
    clv_nearest_free(&comparing.nearest);
    clv_nearest_free(&comparing.truth);
    clv_search_workspace_free(&comparing.workspace);
    clv_points_close(&points);
    return status;
}
