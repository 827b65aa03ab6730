#include "learn/tree/part.h"

#define NOWHERE UINT32_MAX

/* Sorts the slots of the nodes. place: the new number of each of the builder's slots. */
static void take_slots(TreesPart *part, const Trees *all, NumberedSlot *sorted, uint32_t *place)
{
    uint32_t count = 0;

    memset(place, 0xFF, all->slots * sizeof *place);
    for (uint32_t i = 0; i < part->trees.nodes; i++) {
        uint32_t number = part->node[i].slot & ~SLOT_SET;

        if (part->node[i].left == i || place[number] != NOWHERE)
            continue;
        sorted[count++] = (NumberedSlot){all->slot[number], number};
        place[number] = 0;
    }
    part->trees.slots = count;
    clv_sort_slots(sorted, count, part->slot, place, part->node, part->trees.nodes);
}

static void take_nodes(TreesPart *part, const Trees *all, uint32_t first)
{
    uint32_t base = all->start[first];

    for (uint32_t i = 0; i < part->trees.nodes; i++) {
        part->node[i] = all->node[base + i];
        part->node[i].left -= base;
    }
    for (uint32_t i = 0; i <= part->trees.trees; i++)
        part->start[i] = all->start[first + i] - base;
}

static Status make(TreesPart *part, const Trees *all, uint32_t first, cleave_error *error)
{
    Context *context = part->context;
    size_t nodes = (size_t)part->trees.nodes + 1;
    NumberedSlot *sorted = clv_alloc(context, nodes, sizeof *sorted);
    uint32_t *place = clv_alloc(context, (size_t)all->slots + 1, sizeof *place);
    Status status = OK;

    part->start = clv_alloc(context, (size_t)part->trees.trees + 1, sizeof *part->start);
    part->node = clv_alloc(context, nodes, sizeof *part->node);
    part->slot = clv_alloc(context, nodes, sizeof *part->slot);
    if (sorted && place && part->start && part->node && part->slot) {
        take_nodes(part, all, first);
        take_slots(part, all, sorted, place);
    } else {
        status = clv_fail_memory(error, "trees", nodes * sizeof *part->node);
    }
    FREE(context, sorted, place);
    return status;
}

Status clv_trees_part(TreesPart *part, const TreesBuilder *builder, uint32_t first,
                      cleave_error *error)
{
    Trees all = clv_trees_view(builder);
    Status status;

    *part = (TreesPart){.trees = all, .context = builder->context};
    part->trees.trees = all.trees - first;
    part->trees.nodes = part->trees.trees ? all.nodes - all.start[first] : 0;
    part->trees.slots = 0;
    if (part->trees.trees == 0)
        return OK;
    status = make(part, &all, first, error);
    part->trees.start = part->start;
    part->trees.node = part->node;
    part->trees.slot = part->slot;
    part->trees.weight = part->trees.gain = part->trees.class_weight = NULL;
    part->trees.rows = NULL;
    if (status != OK)
        clv_trees_part_free(part);
    return status;
}

void clv_trees_part_free(TreesPart *part)
{
    if (!part->context)
        return;
    FREE(part->context, part->start, part->node, part->slot);
    *part = (TreesPart){0};
}

Status clv_trees_extend_scores(const TreesBuilder *builder, const Block *block, uint32_t *count,
                               size_t outputs, double *sums, cleave_error *error)
{
    TreesPart part;
    Status status;

    if (*count >= builder->trees.trees)
        return OK;
    TRY(clv_trees_part(&part, builder, *count, error));
    status = clv_trees_add_scores(&part.trees, builder->context, block, 0, part.trees.trees,
                                  outputs, sums, error);
    clv_trees_part_free(&part);
    *count = builder->trees.trees;
    return status;
}
