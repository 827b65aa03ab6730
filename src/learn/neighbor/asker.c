#include "learn/neighbor/asker.h"

/* Below, a structure is of no use, and points may still be in another form than they will have. */
enum { FEW_POINTS = 64 };

void clv_asker_forget(Asker *asker)
{
    clv_index_free(asker->index);
    asker->index = NULL;
    asker->gone = 0;
}

void clv_asker_free(Asker *asker, Context *context)
{
    clv_asker_forget(asker);
    clv_query_free(&asker->query);
    clv_nearest_free(&asker->nearest);
    clv_search_room_free(&asker->room);
    clv_free(context, asker->share);
}

static int kind_for(const Points *points)
{
    int wanted = points->options.search.index;

    return wanted == INDEX_AUTO || points->vectors.count < FEW_POINTS ? INDEX_SCAN : wanted;
}

static Status build(Asker *asker, Context *context, const Points *points, cleave_error *error)
{
    IndexOptions options = points->options.search;
    Metric metric = clv_neighbor_metric(&points->options);

    clv_asker_forget(asker);
    options.index = kind_for(points);
    return clv_index_build(context, &options, &metric, &points->vectors, &asker->index, error);
}

/* Whether the structure is one of these points, or of the first of them, as they lie now. The scan is of any. */
static bool still_holds(const Index *index, const Points *points)
{
    const Vectors *had = &index->vectors, *have = &points->vectors;

    return index->kind == clv_index_kind(kind_for(points)) &&
           (index->kind == clv_index_kind(INDEX_SCAN) ||
            (!had->dense == !have->dense && had->stride == have->stride && had->features == have->features));
}

static Status keep_up(Asker *asker, Context *context, const Points *points, uint32_t gone, cleave_error *error)
{
    Vectors vectors = points->vectors;

    if (!asker->index || !still_holds(asker->index, points))
        TRY(build(asker, context, points, error));
    for (uint32_t count = asker->index->vectors.count; count < points->vectors.count;) {
        vectors.count = ++count;
        TRY(clv_index_add(asker->index, &vectors, error));
    }
    asker->index->vectors = points->vectors;
    while (asker->gone < gone)
        TRY(clv_index_remove(asker->index, asker->gone++, error));
    return OK;
}

/* For as many neighbours as are asked. */
static Status make_ready(Asker *asker, Context *context, const Points *points, uint32_t there, cleave_error *error)
{
    uint32_t most = clv_neighbor_count(&points->options, there);

    asker->query.context = asker->room.context = context;
    if (!asker->nearest.context)
        TRY(clv_nearest_init(&asker->nearest, context, most, error));
    TRY(GROW(context, asker->nearest.item, asker->nearest.capacity, (size_t)most, error));
    asker->nearest.most = most;
    return GROW(context, asker->share, asker->share_capacity, (size_t)points->classes + 1, error);
}

Status clv_asker_answer(Asker *asker, Context *context, const Points *points, uint32_t gone, const Block *block,
                        uint32_t row, double *scores, cleave_error *error)
{
    uint32_t there = points->vectors.count - gone;

    if (there == 0) {
        memset(scores, 0, outputs_of(points->classes) * sizeof *scores);
        return OK;
    }
    TRY(make_ready(asker, context, points, there, error));
    TRY(keep_up(asker, context, points, gone, error));
    TRY(clv_query_set(&asker->query, block, row, points->vectors.features, error));
    TRY(clv_index_search(asker->index, &asker->query, &asker->nearest, 1, &asker->room, error));
    clv_points_answer(points, &asker->nearest, asker->share, scores);
    return OK;
}
