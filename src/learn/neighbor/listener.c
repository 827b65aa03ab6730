#include "learn/neighbor/listener.h"

/* Below, a structure is of no use, and points may still be in another form than they will have. */
enum { FEW_POINTS = 64 };

void clv_listener_forget(Listener *listener)
{
    clv_index_free(listener->index);
    listener->index = NULL;
    listener->gone = 0;
}

void clv_listener_free(Listener *listener, Context *context)
{
    clv_listener_forget(listener);
    clv_query_free(&listener->query);
    clv_nearest_free(&listener->nearest);
    clv_search_workspace_free(&listener->workspace);
    clv_free(context, listener->share);
}

static int kind_for(const Points *points)
{
    int wanted = points->options.search.index;

    return wanted == INDEX_AUTO || points->vectors.count < FEW_POINTS ? INDEX_SCAN : wanted;
}

static Status build(Listener *listener, Context *context, const Points *points, cleave_error *error)
{
    IndexOptions options = points->options.search;
    Metric metric = clv_neighbor_metric(&points->options);

    metric.scale = points->scale;
    clv_listener_forget(listener);
    options.index = kind_for(points);
    return clv_index_build(context, &options, &metric, &points->vectors, &listener->index, error);
}

/* Whether the structure is one of these points, or of the first of them, as they lie now. The scan is of any. */
static bool still_holds(const Index *index, const Points *points)
{
    const Vectors *had = &index->vectors, *have = &points->vectors;

    return index->kind == clv_index_kind(kind_for(points)) &&
           (index->kind == clv_index_kind(INDEX_SCAN) ||
            (!had->dense == !have->dense && had->stride == have->stride && had->features == have->features));
}

static Status keep_up(Listener *listener, Context *context, const Points *points, uint32_t gone, cleave_error *error)
{
    Vectors vectors = points->vectors;

    if (!listener->index || !still_holds(listener->index, points))
        TRY(build(listener, context, points, error));
    for (uint32_t count = listener->index->vectors.count; count < points->vectors.count;) {
        vectors.count = ++count;
        TRY(clv_index_add(listener->index, &vectors, error));
    }
    listener->index->vectors = points->vectors;
    listener->index->metric.scale = points->scale;
    while (listener->gone < gone)
        TRY(clv_index_remove(listener->index, listener->gone++, error));
    return OK;
}

/* For as many neighbours as are asked. */
static Status make_ready(Listener *listener, Context *context, const Points *points, uint32_t there,
                         cleave_error *error)
{
    uint32_t most = clv_neighbor_count(&points->options, there);

    listener->query.context = listener->workspace.context = context;
    listener->query.sparse = !points->vectors.dense;
    if (!listener->nearest.context)
        TRY(clv_nearest_init(&listener->nearest, context, most, error));
    TRY(GROW(context, listener->nearest.item, listener->nearest.capacity, (size_t)most, error));
    listener->nearest.most = most;
    return GROW(context, listener->share, listener->share_capacity, (size_t)points->classes + 1, error);
}

/* Needs at least one point. */
static Status search(Listener *listener, Context *context, const Points *points, uint32_t gone, const Block *block,
                     uint32_t row, cleave_error *error)
{
    TRY(make_ready(listener, context, points, points->vectors.count - gone, error));
    TRY(keep_up(listener, context, points, gone, error));
    TRY(clv_query_set(&listener->query, block, row, points->vectors.features, error));
    return clv_index_search(listener->index, &listener->query, &listener->nearest, 1, &listener->workspace, error);
}

Status clv_listener_votes(Listener *listener, Context *context, const Points *points, uint32_t gone, const Block *block,
                          uint32_t row, uint32_t *votes, cleave_error *error)
{
    *votes = 1;
    if (points->vectors.count == gone)
        return OK;
    TRY(search(listener, context, points, gone, block, row, error));
    *votes = clv_points_votes_to_win(points, &listener->nearest, block_label(block, row), listener->share);
    return OK;
}

Status clv_listener_answer(Listener *listener, Context *context, const Points *points, uint32_t gone,
                           const Block *block, uint32_t row, double *scores, cleave_error *error)
{
    if (points->vectors.count == gone) {
        memset(scores, 0, outputs_of(points->classes) * sizeof *scores);
        return OK;
    }
    TRY(search(listener, context, points, gone, block, row, error));
    TRY(clv_index_share_places(listener->index, &listener->query, &listener->nearest, error));
    clv_points_answer(points, &listener->nearest, listener->share, scores);
    return OK;
}
