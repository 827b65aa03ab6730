/* Builds the arrays of a tree of boxes from leaves and nodes. */
#include "learn/neighbor/boxtree.h"

/* Lists the points that are not removed, in the order of their rows, and allocates memory for full
 * leaves and nodes. The memory grows if they are not full. */
static Status begin(BoxBuilder *builder, const Index *index)
{
    const Vectors *vectors = &index->vectors;
    size_t columns = builder->columns, blocks, nodes;

    if (!vectors->dense || vectors->features == 0) {
        TRY(ALLOC_ZERO(builder->context, builder->spread, vectors->count * columns, "points",
                       builder->error));
        for (uint32_t row = 0; !vectors->dense && row < vectors->count; row++)
            spread_row(vectors, row, builder->spread + row * columns);
        builder->point = builder->spread;
        builder->stride = columns;
    }
    TRY(ALLOC(builder->context, builder->to_place, index->built, "points", builder->error));
    for (uint32_t row = 0; row < index->built; row++)
        if (!index->gone_count || !row_bit(index->gone, row))
            builder->to_place[builder->count++] = row;
    blocks = (size_t)builder->count / (builder->leaf < BOX_LANES ? builder->leaf : BOX_LANES) + 1;
    nodes = blocks / (BOX_LANES - 1) + 2;
    TRY(GROW(builder->context, builder->value, builder->value_capacity,
             blocks * columns * BOX_LANES, builder->error));
    TRY(GROW(builder->context, builder->row, builder->row_capacity, blocks * BOX_LANES,
             builder->error));
    TRY(GROW(builder->context, builder->boxes, builder->box_capacity,
             nodes * columns * 2 * BOX_LANES, builder->error));
    return GROW(builder->context, builder->child, builder->child_capacity, nodes * BOX_LANES,
                builder->error);
}

Status clv_boxtree_build(const Index *index, BoxFill *fill, Bundle *into, cleave_error *error)
{
    BoxBuilder builder = {.context = index->context,
                          .error = error,
                          .columns = index->vectors.features ? index->vectors.features : 1,
                          .leaf = index->options.leaf ? (uint32_t)index->options.leaf
                                                      : BOX_DEFAULT_LEAF,
                          .point = index->vectors.dense,
                          .stride = index->vectors.stride};
    Status status = begin(&builder, index);
    uint64_t boxes, blocks;
    uint32_t root;

    if (status == OK)
        status = clv_boxbuilder_node(&builder, &root);
    if (status == OK && builder.count)
        status = fill(&builder, root);
    FREE(builder.context, builder.spread, builder.to_place);
    if (status == OK)
        status = clv_bundle_put_number(into, "index_columns", builder.columns, error);
    if (status != OK) {
        FREE(builder.context, builder.boxes, builder.child, builder.value, builder.row);
        return status;
    }
    boxes = (uint64_t)builder.nodes * 2 * BOX_LANES;
    blocks = (uint64_t)builder.blocks * BOX_LANES;
    return TAKE_ARRAYS(into, error,
                       {"index_boxes", BUNDLE_F32, builder.boxes, boxes * builder.columns},
                       {"index_children", BUNDLE_U32, builder.child, boxes},
                       {"index_values", BUNDLE_F32, builder.value, blocks * builder.columns},
                       {"index_rows", BUNDLE_U32, builder.row, blocks});
}

static float *box_of(const BoxBuilder *builder, uint32_t node)
{
    return builder->boxes + (size_t)node * builder->columns * 2 * BOX_LANES;
}

Status clv_boxbuilder_node(BoxBuilder *builder, uint32_t *node)
{
    size_t nodes = (size_t)builder->nodes + 1, columns = builder->columns;
    float *box;

    TRY(GROW(builder->context, builder->boxes, builder->box_capacity,
             nodes * columns * 2 * BOX_LANES, builder->error));
    TRY(GROW(builder->context, builder->child, builder->child_capacity, nodes * BOX_LANES,
             builder->error));
    *node = builder->nodes++;
    box = box_of(builder, *node);
    for (size_t i = 0; i < columns * 2 * BOX_LANES; i++)
        box[i] = i / BOX_LANES % 2 ? -INFINITY : INFINITY;
    memset(builder->child + (size_t)*node * BOX_LANES, 0, BOX_LANES * sizeof *builder->child);
    return OK;
}

/* Fills one column of a block, and its part of the box. */
static void fill_column(const BoxBuilder *builder, float *value, const uint64_t *points,
                        uint32_t count, uint32_t column, float *box)
{
    float low = box[0], high = box[BOX_LANES];

    for (uint32_t i = 0; i < count; i++) {
        float x = builder->point[(size_t)(uint32_t)points[i] * builder->stride + column];

        value[i] = x;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    for (uint32_t i = count; i < BOX_LANES; i++)
        value[i] = NAN;
    box[0] = low;
    box[BOX_LANES] = high;
}

Status clv_boxbuilder_leaf(BoxBuilder *builder, uint32_t node, uint32_t lane,
                           const uint64_t *points, uint32_t count)
{
    BoxChild *leaf = &builder->child[(size_t)node * BOX_LANES + lane];
    float *box = box_of(builder, node) + lane;
    size_t blocks = (size_t)builder->blocks + (count + BOX_LANES - 1) / BOX_LANES,
           columns = builder->columns;

    TRY(GROW(builder->context, builder->value, builder->value_capacity,
             blocks * columns * BOX_LANES, builder->error));
    TRY(GROW(builder->context, builder->row, builder->row_capacity, blocks * BOX_LANES,
             builder->error));
    *leaf = (BoxChild){.first = builder->blocks, .blocks = (uint32_t)(blocks - builder->blocks)};
    for (; count; points += BOX_LANES, builder->blocks++) {
        uint32_t here = count < BOX_LANES ? count : BOX_LANES;
        float *value = builder->value + builder->blocks * columns * BOX_LANES;
        uint32_t *row = builder->row + (size_t)builder->blocks * BOX_LANES;

        for (uint32_t i = 0; i < columns; i++)
            fill_column(builder, value + (size_t)i * BOX_LANES, points, here, i,
                        box + (size_t)i * 2 * BOX_LANES);
        for (uint32_t i = 0; i < BOX_LANES; i++)
            row[i] = i < here ? (uint32_t)points[i] : NO_ROW;
        count -= here;
    }
    return OK;
}

void clv_boxbuilder_child(BoxBuilder *builder, uint32_t node, uint32_t lane, uint32_t child)
{
    const float *from = box_of(builder, child);
    float *to = box_of(builder, node) + lane;

    builder->child[(size_t)node * BOX_LANES + lane] = (BoxChild){.first = child};
    for (uint32_t i = 0; i < builder->columns; i++, from += 2 * BOX_LANES, to += 2 * BOX_LANES) {
        to[0] = from[0];
        to[BOX_LANES] = from[BOX_LANES];
        for (uint32_t j = 1; j < BOX_LANES; j++) {
            to[0] = from[j] < to[0] ? from[j] : to[0];
            to[BOX_LANES] = from[BOX_LANES + j] > to[BOX_LANES] ? from[BOX_LANES + j]
                                                                : to[BOX_LANES];
        }
    }
}
