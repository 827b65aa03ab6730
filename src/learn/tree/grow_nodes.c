/*
 * Nodes, and what their rows come to: weights of classes, or sums of gradients and the value that follows from them. Only the root's rows are summed, and of classes
 * those of the smaller child: the rest is known from the split, or is the difference to the parent.
 */
#include "base/pool.h"
#include "learn/tree/growing.h"
#include "learn/tree/parting.h"

#include <math.h>

Status clv_grow_add_node(Grower *grower, uint32_t first, uint32_t rows, uint32_t depth, cleave_error *error)
{
    GrowTree *tree = &grower->tree;
    struct GrowRoom *room = grower->room;
    uint32_t classes = grower->targets->label ? grower->targets->classes : 0;
    size_t need = (size_t)tree->nodes + 1;
    size_t before = room->count_capacity;

    TRY(GROW(grower->context, tree->node, tree->node_capacity, need, error));
    TRY(GROW(grower->context, room->leaf, room->leaf_capacity, need, error));
    TRY(GROW(grower->context, tree->class_weight, tree->weight_capacity, need * classes + 1, error));
    TRY(GROW(grower->context, room->count, room->count_capacity, need * classes + 1, error));
    for (uint32_t i = 0; i < tree->nodes && before != room->count_capacity; i++)
        room->leaf[i].sum.count = room->count + (size_t)i * classes;
    tree->node[tree->nodes] = (GrowNode){.first = first, .rows = rows, .depth = (uint16_t)depth};
    room->leaf[tree->nodes] = (Leaf){.sum = {.least = -(double)INFINITY, .most = (double)INFINITY},
                                     .split = {.column = NO_SPLIT}};
    room->leaf[tree->nodes].sum.count = room->count + (size_t)tree->nodes * classes;
    memset(room->count + (size_t)tree->nodes * classes, 0, classes * sizeof *room->count);
    tree->nodes++;
    tree->leaves++;
    return OK;
}

static uint32_t *counts_of(const Grower *grower, uint32_t node)
{
    return grower->room->count + (size_t)node * grower->targets->classes;
}

/* The weights of classes in a node, from its rows. */
static Status count_node(Grower *grower, uint32_t number, cleave_error *error)
{
    const GrowNode *node = &grower->tree.node[number];
    const Leaf *leaf = &grower->room->leaf[number];
    const Guests *guests = leaf->guests;
    const uint32_t *rows = guests ? guests->row + leaf->first : grower->row + node->first;
    const Targets *targets = guests ? &guests->targets : grower->targets;
    uint32_t *count = counts_of(grower, number), there = guests ? leaf->count : node->rows;

    for (uint32_t i = 0; i < there; i++)
        count[targets->label[rows[i]]] += targets->weight ? targets->weight[rows[i]] : 1;
    return guests ? OK : grow_add_up(grower, count, targets->classes, sizeof *count, error);
}

static void weigh_node(Grower *grower, uint32_t number)
{
    const Targets *targets = grower->targets;
    GrowNode *node = &grower->tree.node[number];
    NodeSum *sum = &grower->room->leaf[number].sum;

    for (uint32_t c = 0; c < targets->classes; c++) {
        sum->weight += sum->count[c];
        grower->tree.class_weight[(size_t)number * targets->classes + c] = sum->count[c] * targets->weight_unit;
    }
    if (targets->label) {
        node->hessian = (double)sum->weight * targets->weight_unit;
        return;
    }
    node->gradient = (double)sum->pair.gradient * targets->gradient_unit;
    node->hessian = (double)sum->pair.hessian * targets->hessian_unit;
    node->value = clv_split_value(&grower->room->rules, sum->pair, sum->least, sum->most);
}

/* What the children's values may be, where a column above them is monotone. */
static void limit_children(Grower *grower, uint32_t parent, uint32_t left)
{
    const GrowOptions *options = &grower->options;
    Leaf *leaf = grower->room->leaf;
    uint32_t feature = grower->bins->column[leaf[parent].split.column].feature;
    int direction = options->monotone && feature < options->features ? options->monotone[feature] : 0;
    double least = leaf[parent].sum.least, most = leaf[parent].sum.most, middle;

    for (uint32_t i = 0; i < 2; i++) {
        leaf[left + i].sum.least = least;
        leaf[left + i].sum.most = most;
    }
    if (direction == 0)
        return;
    middle = (clv_split_value(&grower->room->rules, leaf[left].sum.pair, least, most) +
              clv_split_value(&grower->room->rules, leaf[left + 1].sum.pair, least, most)) /
             2;
    leaf[left + (direction < 0)].sum.most = middle;
    leaf[left + (direction > 0)].sum.least = middle;
}

/* Sums of both children, of which the smaller is counted. */
Status clv_grow_sum_children(Grower *grower, uint32_t parent, uint32_t left, cleave_error *error)
{
    Leaf *leaf = grower->room->leaf;
    const Leaf *above = &leaf[parent];
    uint32_t small = left + (leaf[left].sum.rows > leaf[left + 1].sum.rows), large = left + (small == left);

    if (grower->targets->label) {
        TRY(count_node(grower, small, error));
        for (uint32_t c = 0; c < grower->targets->classes; c++)
            counts_of(grower, large)[c] = above->sum.count[c] - counts_of(grower, small)[c];
    } else {
        leaf[left].sum.pair = above->split.left;
        leaf[left + 1].sum.pair = (PairSum){above->sum.pair.gradient - above->split.left.gradient,
                                            above->sum.pair.hessian - above->split.left.hessian};
    }
    limit_children(grower, parent, left);
    weigh_node(grower, left);
    weigh_node(grower, left + 1);
    return OK;
}

typedef struct {
    Grower *grower;
    const uint32_t *rows; /* NULL: all */
    PairSum sum;          /* gradients */
} Planting;

/* Rows of the root, and what they come to. */
static void plant_rows(void *user, uint32_t task, unsigned worker)
{
    Planting *planting = user;
    const Targets *targets = planting->grower->targets;
    uint32_t from = task * PART_CHUNK, left = planting->grower->rows - from;
    uint32_t count = left < PART_CHUNK ? left : PART_CHUNK, *rows = planting->grower->row + from;
    PairSum sum = {0};

    (void)worker;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = planting->rows ? planting->rows[from + i] : from + i;
    if (targets->label)
        return;
    for (uint32_t i = 0; i < count; i++) {
        sum.gradient += targets->packed[rows[i]] >> 32;
        sum.hessian += (int64_t)(uint32_t)targets->packed[rows[i]];
    }
    __atomic_fetch_add(&planting->sum.gradient, sum.gradient, __ATOMIC_RELAXED);
    __atomic_fetch_add(&planting->sum.hessian, sum.hessian, __ATOMIC_RELAXED);
}

/* The root's rows, and the sums of all. */
Status clv_grow_sum_root(Grower *grower, const uint32_t *rows, uint32_t count, cleave_error *error)
{
    Planting planting = {.grower = grower, .rows = rows};
    PairSum *sum = &grower->room->leaf[0].sum.pair;
    uint32_t tasks = count / PART_CHUNK + (count % PART_CHUNK != 0);

    grower->rows = count;
    if (grower->room->maker.workers > 1)
        clv_pool_run(grower->context, tasks, plant_rows, &planting);
    else
        for (uint32_t task = 0; task < tasks; task++)
            plant_rows(&planting, task, 0);
    *sum = planting.sum;
    if (grower->targets->label)
        TRY(count_node(grower, 0, error));
    else
        TRY(grow_add_up(grower, sum, 2, sizeof(int64_t), error));
    weigh_node(grower, 0);
    return OK;
}
