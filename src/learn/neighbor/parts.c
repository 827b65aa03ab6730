/*
 * Neighbors from the models of several shards. Each shard finds its nearest points. The nearest of
 * these are the nearest of all, because each of the k nearest points is among the k nearest of its
 * shard. Keys are those of distance.h, and ties go to the lower position, shard by shard. The
 * result is therefore bit-identical to that of one model of all points.
 */
#include "learn/neighbor/points.h"

void clv_points_found(const Points *points, const Nearest *nearest, Found *found)
{
    for (uint32_t i = 0; i < nearest->count; i++) {
        uint32_t row = nearest->item[i].row;

        found[i] = (Found){.key = nearest->item[i].key,
                           .place = (uint64_t)points->options.shard << 32 | row,
                           .label = points->label ? points->label[row] : 0,
                           .number = points->number ? points->number[row] : 0,
                           .weight = points->weight ? (double)points->weight[row] : 1};
    }
}

uint32_t clv_points_neighbors_used(const Model *model, uint32_t *there)
{
    Points points;

    if (!clv_points_of_model(model, &points))
        return 0;
    *there = points.vectors.count;
    return points.options.all ? EVERY_ROW : clv_neighbor_count(&points.options, EVERY_ROW);
}

/* One array with all results of a row: neighbors, their attributes, and votes. */
typedef struct {
    Neighbor *item;
    double *number, *share;
    uint32_t *label;
    float *weight;
} Table;

static Status new_table(Context *context, uint32_t count, uint32_t classes, void **memory,
                        Table *table, cleave_error *error)
{
    size_t each = sizeof *table->item + sizeof *table->number + sizeof *table->label +
                  sizeof *table->weight;
    size_t bytes = count * each + ((size_t)classes + 1) * sizeof *table->share;

    TRY(clv_new(context, memory, bytes, 1, false, "neighbors", error));
    table->item = *memory;
    table->number = (double *)(table->item + count);
    table->share = table->number + count;
    table->label = (uint32_t *)(table->share + classes + 1);
    table->weight = (float *)(table->label + count);
    return OK;
}

Status clv_points_score_neighbors(const Model *model, const Found *found, uint32_t count,
                                  uint32_t classes, double *scores, cleave_error *error)
{
    Nearest nearest = {.count = count};
    void *memory;
    Table table = {0};
    Points points;

    if (!clv_points_of_model(model, &points))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no points");
    TRY(new_table(model->context, count, classes, &memory, &table, error));
    for (uint32_t i = 0; i < count; i++) {
        table.item[i] = (Neighbor){.key = found[i].key, .row = i};
        table.number[i] = found[i].number;
        table.label[i] = found[i].label;
        table.weight[i] = (float)found[i].weight;
    }
    nearest.item = table.item;
    points.number = table.number;
    points.label = table.label;
    points.weight = table.weight;
    points.classes = classes;
    clv_points_row_scores(&points, &nearest, table.share, scores);
    clv_free(model->context, memory);
    return OK;
}
