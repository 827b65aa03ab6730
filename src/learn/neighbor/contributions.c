/* What a model of neighbours shows of itself: the points that decided an answer, and what it keeps of them. */
#include "learn/neighbor/contributions.h"

#include "learn/neighbor/points.h"

typedef struct {
    Points points;
    Query query;
    Nearest nearest;
    SearchWorkspace workspace;
    double *weight;
} Asked;

static Status ask(const Model *model, const Block *block, uint32_t row, Asked *asked, cleave_error *error)
{
    Context *context = model->context;
    const Points *points = &asked->points;
    uint32_t k = clv_neighbor_count(&points->options, points->vectors.count);

    asked->query.context = asked->workspace.context = context;
    asked->query.sparse = !points->vectors.dense;
    TRY(clv_nearest_init(&asked->nearest, context, k, error));
    TRY(clv_query_set(&asked->query, block, row, points->vectors.features, error));
    TRY(clv_index_search(points->index, &asked->query, &asked->nearest, 1, &asked->workspace, error));
    TRY(clv_index_share_places(points->index, &asked->query, &asked->nearest, error));
    TRY(ALLOC(context, asked->weight, 2 * (size_t)asked->nearest.count + 1, "weights", error));
    clv_points_weights(points, &asked->nearest, asked->weight, asked->weight + asked->nearest.count);
    return OK;
}

static Status list(const Model *model, const Asked *asked, cleave_neighbor **neighbors, size_t *count,
                   cleave_error *error)
{
    const Points *points = &asked->points;
    Metric metric = clv_neighbor_metric(&points->options);
    uint32_t found = asked->nearest.count;

    TRY(ALLOC_ZERO(model->context, *neighbors, (size_t)found + 1, "neighbours", error));
    for (uint32_t i = 0; i < found; i++) {
        Neighbor item = asked->nearest.item[i];

        (*neighbors)[i] = (cleave_neighbor){.row = points->row ? points->row[item.row] + 1 : (uint64_t)item.row + 1,
                                            .distance = clv_metric_distance(&metric, item.key),
                                            .weight = asked->weight[i],
                                            .share = asked->weight[found + i],
                                            .label = points->classes ? model->labels.list[points->label[item.row]].text
                                                                     : NULL,
                                            .value = points->classes ? (double)NAN : points->number[item.row]};
    }
    *count = found;
    return OK;
}

Status clv_neighbors_of(const Model *model, const Block *block, uint32_t row, cleave_neighbor **neighbors,
                        size_t *count, cleave_error *error)
{
    Asked asked = {.weight = NULL};
    Status status;

    *neighbors = NULL;
    *count = 0;
    TRY(clv_points_open(model, &asked.points, error));
    status = ask(model, block, row, &asked, error);
    if (status == OK)
        status = list(model, &asked, neighbors, count, error);
    clv_free(model->context, asked.weight);
    clv_search_workspace_free(&asked.workspace);
    clv_query_free(&asked.query);
    clv_nearest_free(&asked.nearest);
    clv_points_close(&asked.points);
    return status;
}

/* ---- the whole model ------------------------------------------------------------------------------------------------ */

static uint64_t bytes_of(const Model *model, const char *beginning)
{
    static const uint8_t size[] = {
        [BUNDLE_BYTES] = 1, [BUNDLE_U32] = 4, [BUNDLE_U64] = 8, [BUNDLE_F32] = 4, [BUNDLE_F64] = 8};
    uint64_t bytes = 0;

    for (size_t i = 0; i < model->bundle->count; i++) {
        const BundleItem *item = &model->bundle->item[i];

        if (strncmp(item->name, beginning, strlen(beginning)) == 0 && strcmp(item->name, "index_kind") != 0)
            bytes += item->count * size[item->type];
    }
    return bytes;
}

bool clv_points_facts(const Model *model, cleave_point_set *facts, uint64_t *per_class)
{
    Points points;

    if (clv_points_open(model, &points, NULL) != OK)
        return false;
    *facts = (cleave_point_set){.distance = clv_distances[points.options.distance],
                                .index = points.index->kind->name,
                                .dense = points.vectors.dense != NULL,
                                .bytes = bytes_of(model, "vector"),
                                .index_bytes = bytes_of(model, "index_")};
    if (points.index->kind->codes)
        points.index->kind->codes(points.index, &facts->code_parts, &facts->code_bits);
    if (per_class)
        memset(per_class, 0, points.classes * sizeof *per_class);
    for (uint32_t i = 0; i < points.vectors.count; i++) {
        if (points.index->gone_count && row_bit(points.index->gone, i))
            continue;
        facts->count++;
        if (per_class && points.classes && points.label[i] < points.classes)
            per_class[points.label[i]]++;
    }
    clv_points_close(&points);
    return true;
}
