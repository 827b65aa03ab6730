#include "learn/neighbor/live_search.h"

/* Below this number of points an index does not pay, and the form of the points may still
 * change. */
enum { FEW_POINTS = 64 };

void clv_live_search_forget(LiveSearch *live)
{
    clv_index_free(live->index);
    live->index = NULL;
    live->gone = 0;
}

void clv_live_search_free(LiveSearch *live, Context *context)
{
    clv_live_search_forget(live);
    clv_query_free(&live->query);
    clv_nearest_free(&live->nearest);
    clv_search_workspace_free(&live->workspace);
    clv_free(context, live->share);
}

static int kind_for(const Points *points)
{
    int wanted = points->options.search.index;

    return wanted == INDEX_AUTO || points->vectors.count < FEW_POINTS ? INDEX_SCAN : wanted;
}

static Status build(LiveSearch *live, Context *context, const Points *points, cleave_error *error)
{
    IndexOptions options = points->options.search;
    Metric metric = clv_neighbor_metric(&points->options);

    metric.scale = points->scale;
    clv_live_search_forget(live);
    options.index = kind_for(points);
    return clv_index_build(context, &options, &metric, &points->vectors, &live->index, error);
}

/* Whether the index was built over the current points or the first of them, and they have not
 * moved. A scan remains valid for any points. */
static bool is_current(const Index *index, const Points *points)
{
    const Vectors *had = &index->vectors, *have = &points->vectors;

    return index->kind == clv_index_kind(kind_for(points)) &&
           (index->kind == clv_index_kind(INDEX_SCAN) ||
            (!had->dense == !have->dense && had->stride == have->stride &&
             had->features == have->features));
}

static Status keep_up(LiveSearch *live, Context *context, const Points *points, uint32_t gone,
                      cleave_error *error)
{
    Vectors vectors = points->vectors;

    if (!live->index || !is_current(live->index, points))
        TRY(build(live, context, points, error));
    for (uint32_t count = live->index->vectors.count; count < points->vectors.count;) {
        vectors.count = ++count;
        TRY(clv_index_add(live->index, &vectors, error));
    }
    live->index->vectors = points->vectors;
    live->index->metric.scale = points->scale;
    while (live->gone < gone)
        TRY(clv_index_remove(live->index, live->gone++, error));
    return OK;
}

/* Prepares the search for the requested number of neighbors. */
static Status make_ready(LiveSearch *live, Context *context, const Points *points, uint32_t there,
                         cleave_error *error)
{
    uint32_t most = clv_neighbor_count(&points->options, there);

    live->query.context = live->workspace.context = context;
    live->query.sparse = !vectors_are_dense(&points->vectors);
    if (!live->nearest.context)
        TRY(clv_nearest_init(&live->nearest, context, most, error));
    TRY(GROW(context, live->nearest.item, live->nearest.capacity, (size_t)most, error));
    live->nearest.most = most;
    return GROW(context, live->share, live->share_capacity, (size_t)points->classes + 1, error);
}

/* Requires at least one point. */
static Status search(LiveSearch *live, Context *context, const Points *points, uint32_t gone,
                     const Block *block, uint32_t row, cleave_error *error)
{
    TRY(make_ready(live, context, points, points->vectors.count - gone, error));
    TRY(keep_up(live, context, points, gone, error));
    TRY(clv_query_set(&live->query, block, row, points->vectors.features, error));
    return clv_index_search(live->index, &live->query, &live->nearest, 1, &live->workspace, error);
}

Status clv_live_search_votes(LiveSearch *live, Context *context, const Points *points,
                             uint32_t gone, const Block *block, uint32_t row, uint32_t *votes,
                             cleave_error *error)
{
    *votes = 1;
    if (points->vectors.count == gone)
        return OK;
    TRY(search(live, context, points, gone, block, row, error));
    *votes = clv_points_votes_to_win(points, &live->nearest, block_label(block, row), live->share);
    return OK;
}

Status clv_live_search_scores(LiveSearch *live, Context *context, const Points *points,
                              uint32_t gone, const Block *block, uint32_t row, double *scores,
                              cleave_error *error)
{
    if (points->vectors.count == gone) {
        memset(scores, 0, outputs_of(points->classes) * sizeof *scores);
        return OK;
    }
    TRY(search(live, context, points, gone, block, row, error));
    TRY(clv_index_share_places(live->index, &live->query, &live->nearest, error));
    clv_points_row_scores(points, &live->nearest, live->share, scores);
    return OK;
}
