#include "learn/neighbor/points.h"

#include "learn/neighbor/edit.h"
#include "learn/neighbor/gower.h"

enum { DEFAULT_K = 5 };

Metric clv_neighbor_metric(const NeighborOptions *options)
{
    return (Metric){.distance = (Distance)options->distance, .r = options->r};
}

uint32_t clv_neighbor_count(const NeighborOptions *options, uint32_t points)
{
    uint64_t k = options->all ? points : options->k ? (uint64_t)options->k : DEFAULT_K;

    return k < points ? (uint32_t)k : points;
}

/* The points of the model with its index. */
static bool options_of(const Model *model, NeighborOptions *options)
{
    const char *kind = clv_bundle_text(model->bundle, "index_kind");
    uint64_t form;

    if (clv_model_options(model, options, NULL) != OK)
        return false;
    options->search.index = kind ? clv_index_number(kind) : INDEX_SCAN;
    options->search.seed = model->seed;
    /* older models use the name cosine for ANGLE */
    if (options->distance == COSINE && !clv_bundle_number(model->bundle, "point_cosine", &form))
        options->distance = ANGLE;
    return options->search.index != INDEX_AUTO;
}

bool clv_points_of_model(const Model *model, Points *points)
{
    const BundleItem *label = clv_bundle_get(model->bundle, "point_labels", BUNDLE_U32);
    const BundleItem *number = clv_bundle_get(model->bundle, "point_numbers", BUNDLE_F64);
    const BundleItem *weight = clv_bundle_get(model->bundle, "point_weights", BUNDLE_F32);
    const BundleItem *row = clv_bundle_get(model->bundle, "point_rows", BUNDLE_U64);
    bool regression = model->task == CLEAVE_TASK_REGRESSION;
    uint64_t unlabeled = 0;
    uint32_t count;

    *points = (Points){.classes = regression ? 0 : model->labels.count,
                       .positive = model->positive};
    if (!options_of(model, &points->options) || !clv_vectors_of_model(model, &points->vectors))
        return false;
    if (points->vectors.packed &&
        !clv_index_packs(&points->options.search, points->options.distance))
        return false;
    if (points->options.distance == GOWER && !clv_gower_of_model(model, &points->scale))
        return false;
    if (!clv_metadata_of_model(model, &points->metadata))
        return false;
    count = points->vectors.count;
    points->label = label && !regression ? label->data : NULL;
    points->number = number && regression ? number->data : NULL;
    points->weight = weight ? weight->data : NULL;
    points->row = row ? row->data : NULL;
    if (!clv_bundle_number(model->bundle, "point_next_row", &points->next_row))
        points->next_row = count;
    if (!regression && clv_bundle_number(model->bundle, "points_unlabelled", &unlabeled) &&
        unlabeled > count)
        return false;
    points->unlabeled = (uint32_t)unlabeled;
    return count > 0 && (!row || row->count == count) &&
           (regression ? number && number->count == count : label && label->count == count) &&
           (!weight || weight->count == count);
}

static Metric metric_of(const Points *points)
{
    Metric metric = clv_neighbor_metric(&points->options);

    metric.scale = points->scale;
    return metric;
}

/* Fails if a removal leaves no point, because predictions require one. */
static bool some_left(const Model *model, uint32_t count)
{
    const BundleItem *gone = clv_bundle_get(model->bundle, "index_gone", BUNDLE_U64);
    uint64_t removed = 0;

    for (uint64_t i = 0; gone && i < gone->count; i++)
        removed += (uint64_t)__builtin_popcountll(((const uint64_t *)gone->data)[i]);
    return removed < count;
}

static bool targets_make_sense(const Points *points)
{
    uint32_t unlabeled = 0;

    for (uint32_t i = 0; i < points->vectors.count; i++) {
        if (points->label && points->label[i] == UNLABELED)
            unlabeled++;
        else if (points->label ? points->label[i] >= points->classes : !isfinite(points->number[i]))
            return false;
        if (points->weight && !(points->weight[i] > 0 && isfinite(points->weight[i])))
            return false;
    }
    return unlabeled == points->unlabeled;
}

Status clv_points_can_predict(const Points *points, cleave_error *error)
{
    if (!points->unlabeled)
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "the model cannot predict: %u of its %u points have no label", points->unlabeled,
             points->vectors.count);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "use 'cleave search MODEL QUERIES' to find neighbors, or 'cleave train knn' on "
                    "labeled rows to predict");
}

Status clv_points_check(const Model *model, const void *options, cleave_error *error)
{
    Points points;
    Vectors vectors;
    uint32_t longest;
    Metric metric;

    (void)options;
    if (!clv_vectors_check(model, &vectors) || !clv_points_of_model(model, &points) ||
        !clv_metadata_check(&points.metadata) || !targets_make_sense(&points) ||
        !some_left(model, points.vectors.count))
        return CLEAVE_ERROR_FORMAT;
    metric = metric_of(&points);
    if (metric.distance == EDIT && !clv_edit_check(&points.vectors, &longest))
        return CLEAVE_ERROR_FORMAT;
    return clv_index_check(model->context, model->bundle, &points.options.search, &metric,
                           &points.vectors, error);
}

Status clv_points_open(const Model *model, Points *points, cleave_error *error)
{
    Metric metric;

    if (!clv_points_of_model(model, points))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no points");
    metric = metric_of(points);
    return clv_index_open(model->context, model->bundle, &points->options.search, &metric,
                          &points->vectors, &points->index, error);
}

void clv_points_close(Points *points)
{
    clv_index_free(points->index);
    points->index = NULL;
}
