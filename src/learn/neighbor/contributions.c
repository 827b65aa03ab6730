/* Explanations of a neighbor model: the neighbors behind a prediction, and the stored points. */
#include "learn/neighbor/contributions.h"

#include "learn/neighbor/points.h"

typedef struct {
    Points points;
    Query query;
    Nearest nearest;
    SearchWorkspace workspace;
    double *weight;
} ContributionRows;

static Status ask(const Model *model, const Block *block, uint32_t row, ContributionRows *query_row,
                  cleave_error *error)
{
    Context *context = model->context;
    const Points *points = &query_row->points;
    uint32_t k = clv_neighbor_count(&points->options, points->vectors.count);

    query_row->query.context = query_row->workspace.context = context;
    query_row->query.sparse = !vectors_are_dense(&points->vectors);
    TRY(clv_nearest_init(&query_row->nearest, context, k, error));
    TRY(clv_query_set(&query_row->query, block, row, points->vectors.features, error));
    TRY(clv_index_search(points->index, &query_row->query, &query_row->nearest, 1,
                         &query_row->workspace, error));
    TRY(clv_index_share_places(points->index, &query_row->query, &query_row->nearest, error));
    TRY(ALLOC(context, query_row->weight, 2 * (size_t)query_row->nearest.count + 1, "weights",
              error));
    clv_points_weights(points, &query_row->nearest, query_row->weight,
                       query_row->weight + query_row->nearest.count);
    return OK;
}

static Status list(const Model *model, const ContributionRows *query_row,
                   cleave_neighbor **neighbors, size_t *count, cleave_error *error)
{
    const Points *points = &query_row->points;
    Metric metric = clv_neighbor_metric(&points->options);
    uint32_t found = query_row->nearest.count;

    TRY(ALLOC_ZERO(model->context, *neighbors, (size_t)found + 1, "neighbors", error));
    for (uint32_t i = 0; i < found; i++) {
        Neighbor item = query_row->nearest.item[i];

        (*neighbors)[i] = (cleave_neighbor){
            .row = point_row(points, item.row),
            .distance = clv_metric_distance(&metric, item.key),
            .weight = query_row->weight[i],
            .share = query_row->weight[found + i],
            .label = points->classes ? model->labels.list[points->label[item.row]].text : NULL,
            .value = points->classes ? (double)NAN : points->number[item.row]};
    }
    *count = found;
    return OK;
}

Status clv_neighbors_of(const Model *model, const Block *block, uint32_t row,
                        cleave_neighbor **neighbors, size_t *count, cleave_error *error)
{
    ContributionRows query_row = {.weight = NULL};
    Status status;

    *neighbors = NULL;
    *count = 0;
    TRY(clv_points_open(model, &query_row.points, error));
    status = ask(model, block, row, &query_row, error);
    if (status == OK)
        status = list(model, &query_row, neighbors, count, error);
    clv_free(model->context, query_row.weight);
    clv_search_workspace_free(&query_row.workspace);
    clv_query_free(&query_row.query);
    clv_nearest_free(&query_row.nearest);
    clv_points_close(&query_row.points);
    return status;
}

/* ---- the whole model ------------------------------------------------------------------------- */

static uint64_t bytes_of(const Model *model, const char *beginning)
{
    static const uint8_t size[] = {
        [BUNDLE_BYTES] = 1, [BUNDLE_U32] = 4, [BUNDLE_U64] = 8, [BUNDLE_F32] = 4, [BUNDLE_F64] = 8};
    uint64_t bytes = 0;

    for (size_t i = 0; i < model->bundle->count; i++) {
        const BundleItem *item = &model->bundle->item[i];

        if (strncmp(item->name, beginning, strlen(beginning)) == 0 &&
            strcmp(item->name, "index_kind") != 0)
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
                                .dense = vectors_are_dense(&points.vectors),
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
