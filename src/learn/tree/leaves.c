#include "learn/tree/leaves.h"

#include "base/random.h"
#include "data/tour.h"

#include <math.h>

#define LEAF_STREAM 0x6c65617665732121u /* separates these draws from the bootstrap samples */

#define NO_SHARE UINT32_MAX

enum { MAX_DRAWS = 32 };

typedef struct {
    LeafUpdate *update;
    const Fit *fit;
    double draws;
    uint64_t rows; /* number of rows before this block */
    uint32_t *node;
    size_t capacity;
} Adding;

/* ---- copies ---------------------------------------------------------------------------------- */

/* Computes the values of a leaf for the classes of fit from those of a model with fewer classes. */
static void widen_leaf(const LeafUpdate *update, const Fit *fit, const Model *from,
                       const Trees *old, uint32_t leaf)
{
    size_t width = update->trees.width;
    float *to = update->values + leaf * width;
    double share;

    /* a single class has all rows of a leaf; binary classification and regression: unchanged */
    if (width == 1) {
        update->value[leaf] = from->labels.count != 1 || fit->classes < 2 ? old->value[leaf]
                              : fit->positive == 0                        ? 1
                                                                          : -1;
        return;
    }
    for (size_t i = 0; i < width; i++)
        to[i] = i < old->width && old->values ? old->values[(size_t)leaf * old->width + i] : 0;
    if (old->values)
        return;
    share = from->labels.count == 1 ? 1 : (old->value[leaf] + 1) / 2;
    to[from->labels.count == 1 ? 0 : from->positive] = (float)share;
    if (from->labels.count == 2)
        to[1 - from->positive] = (float)(1 - share);
}

static void copy_class_weights(const LeafUpdate *update, const Trees *old)
{
    size_t classes = update->trees.classes;

    for (uint32_t i = 0; i < old->nodes; i++)
        memcpy(update->class_weight + i * classes, old->class_weight + (size_t)i * old->classes,
               old->classes * sizeof *update->class_weight);
}

static void find_parents(const LeafUpdate *update)
{
    const Trees *trees = &update->trees;

    for (uint32_t t = 0; t < trees->trees; t++)
        update->parent[trees->start[t]] = trees->start[t];
    for (uint32_t i = 0; i < trees->nodes; i++)
        if (trees->node[i].left != i)
            update->parent[trees->node[i].left] = update->parent[trees->node[i].left + 1] = i;
}

/* ---- sparse leaves --------------------------------------------------------------------------- */

/* Appends a probability to the list of a leaf; *last is the end of the list. */
static Status append_share(LeafUpdate *update, uint32_t *last, uint32_t output, float share,
                           cleave_error *error)
{
    if (update->shares == NO_SHARE)
        return clv_fail(error, CLEAVE_ERROR_MEMORY,
                        "the leaves have more than %u class probabilities", NO_SHARE);
    *last = (uint32_t)update->shares; /* read before the array moves */
    TRY(GROW(update->context, update->share, update->share_capacity, update->shares + 1, error));
    update->share[update->shares++] = (struct LeafShare){share, output, NO_SHARE};
    return OK;
}

static Status list_shares(LeafUpdate *update, const Trees *old, cleave_error *error)
{
    size_t count = (size_t)old->leaf_start[old->leaves];

    TRY(ALLOC(update->context, update->first_share, (size_t)old->leaves + 1, "leaves", error));
    TRY(GROW(update->context, update->share, update->share_capacity, count + 1, error));
    for (uint32_t leaf = 0; leaf < old->leaves; leaf++) {
        uint32_t *last = &update->first_share[leaf];

        *last = NO_SHARE;
        for (uint64_t i = old->leaf_start[leaf]; i < old->leaf_start[leaf + 1]; i++) {
            TRY(append_share(update, last, old->leaf_output[i], old->values[i], error));
            last = &update->share[update->shares - 1].next;
        }
    }
    return OK;
}

static Status move_shares(LeafUpdate *update, uint32_t leaf, uint32_t label, double rate,
                          cleave_error *error)
{
    uint32_t *at = &update->first_share[leaf];
    bool found = false;

    for (; *at != NO_SHARE; at = &update->share[*at].next) {
        struct LeafShare *share = &update->share[*at];
        bool own = share->output == label;

        share->share = (float)((double)share->share + rate * (own - (double)share->share));
        found = found || own;
    }
    return found ? OK : append_share(update, at, label, (float)rate, error);
}

/* Converts the lists to arrays, by ascending output. */
static Status settle_shares(LeafUpdate *update, cleave_error *error)
{
    Trees *trees = &update->trees;
    size_t count = update->shares + 1, end = 0;

    update->leaf_start = clv_alloc(update->context, (size_t)trees->leaves + 1,
                                   sizeof *update->leaf_start);
    update->leaf_output = clv_alloc(update->context, count, sizeof *update->leaf_output);
    update->values = clv_alloc(update->context, count, sizeof *update->values);
    if (!update->leaf_start || !update->leaf_output || !update->values)
        return clv_fail_memory(error, "leaves",
                               count * (sizeof *update->leaf_output + sizeof *update->values));
    for (uint32_t leaf = 0; leaf < trees->leaves; leaf++) {
        update->leaf_start[leaf] = end;
        for (uint32_t at = update->first_share[leaf]; at != NO_SHARE; at = update->share[at].next) {
            size_t to = end++;

            for (; to > update->leaf_start[leaf] &&
                   update->leaf_output[to - 1] > update->share[at].output;
                 to--) {
                update->leaf_output[to] = update->leaf_output[to - 1];
                update->values[to] = update->values[to - 1];
            }
            update->leaf_output[to] = update->share[at].output;
            update->values[to] = update->share[at].share;
        }
    }
    update->leaf_start[trees->leaves] = end;
    trees->leaf_start = update->leaf_start;
    trees->leaf_output = update->leaf_output;
    trees->values = update->values;
    return OK;
}

static Status allocate(LeafUpdate *update, const Fit *fit, const Trees *old)
{
    Context *context = fit->context;
    size_t width = update->trees.width, leaves = (size_t)old->leaves + 1,
           nodes = (size_t)old->nodes + 1;

    update->weight = clv_alloc(context, nodes, sizeof *update->weight);
    update->parent = clv_alloc(context, nodes, sizeof *update->parent);
    if (old->rows)
        update->rows = clv_alloc(context, nodes, sizeof *update->rows);
    if (width == 1)
        update->value = clv_alloc(context, leaves, sizeof *update->value);
    else if (old->leaf_start)
        TRY(list_shares(update, old, fit->error));
    else
        update->values = clv_alloc(context, leaves * width, sizeof *update->values);
    if (old->class_weight)
        update->class_weight = clv_alloc_zero(context, nodes * fit->classes,
                                              sizeof *update->class_weight);
    if (update->weight && update->parent && (update->value || update->values || update->share) &&
        (update->class_weight || !old->class_weight) && (update->rows || !old->rows))
        return OK;
    return clv_fail_memory(fit->error, "trees",
                           nodes * (sizeof *update->weight + width * sizeof *update->value));
}

/* The number of values per leaf. Trees of boosting have one value per leaf for any number of
 * outputs. */
Status clv_leaves_begin(LeafUpdate *update, const Fit *fit, const Model *from)
{
    Trees old;

    *update = (LeafUpdate){.context = fit->context};
    if (!clv_trees_of(from, &old))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no trees");
    if (old.nodes > 0 && !old.weight)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_DATA,
                             "train on the old and the new rows together",
                             "the model does not record the weight of the rows of its leaves");
    update->trees = old;
    if (fit->classes > from->labels.count)
        update->trees.width = (uint32_t)fit->outputs;
    TRY(allocate(update, fit, &old));
    if (old.nodes)
        memcpy(update->weight, old.weight, old.nodes * sizeof *update->weight);
    if (update->rows)
        memcpy(update->rows, old.rows, old.nodes * sizeof *update->rows);
    for (uint32_t leaf = 0; !update->share && leaf < old.leaves; leaf++)
        widen_leaf(update, fit, from, &old, leaf);
    update->trees.weight = update->weight;
    update->trees.rows = update->rows;
    update->trees.value = update->value;
    if (!update->share)
        update->trees.values = update->values;
    update->trees.class_weight = update->class_weight;
    update->trees.classes = update->class_weight ? fit->classes : 0;
    if (update->class_weight)
        copy_class_weights(update, &old);
    find_parents(update);
    return OK;
}

void clv_leaves_free(LeafUpdate *update)
{
    if (!update->context)
        return;
    FREE(update->context, update->weight, update->rows, update->class_weight, update->value,
         update->values, update->share, update->first_share, update->leaf_start,
         update->leaf_output, update->parent);
    *update = (LeafUpdate){0};
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A Poisson variable, by inversion. */
static double draw_poisson(Random *random, double mean)
{
    double rest = clv_random_unit(random), share = exp(-mean);
    int count = 0;

    while (rest >= share && count < MAX_DRAWS) {
        rest -= share;
        share *= mean / ++count;
    }
    return count;
}

void clv_leaves_add_weight(LeafUpdate *update, uint32_t node, double weight, uint32_t rows)
{
    for (;; node = update->parent[node]) {
        update->weight[node] += weight;
        if (update->rows && update->rows[node] > 0) /* 0: the number of earlier rows is unknown */
            update->rows[node] += rows;
        if (update->parent[node] == node)
            break;
    }
}

static Status add_row(LeafUpdate *update, const Fit *fit, uint32_t node, uint32_t label,
                      double target, double weight)
{
    uint32_t leaf = update->trees.node[node].leaf;
    size_t width = update->trees.width;
    double share;

    clv_leaves_add_weight(update, node, weight, 1);
    share = weight / update->weight[node];
    if (width == 1)
        update->value[leaf] += share * (target - update->value[leaf]);
    if (update->share)
        TRY(move_shares(update, leaf, label, share, fit->error));
    for (size_t i = 0; update->values && i < width; i++) {
        float *value = &update->values[leaf * width + i];

        *value = (float)((double)*value + share * ((i == label) - (double)*value));
    }
    for (uint32_t at = node; update->class_weight; at = update->parent[at]) {
        update->class_weight[(size_t)at * fit->classes + label] += weight;
        if (update->parent[at] == at)
            break;
    }
    return OK;
}

static Status add_to_tree(const Adding *adding, const Block *block, uint32_t tree)
{
    const Fit *fit = adding->fit;

    for (uint32_t row = 0; row < block->rows; row++) {
        Random random = clv_random(clv_mix(fit->problem->seed ^ LEAF_STREAM) + tree,
                                   adding->rows + row);
        uint32_t label = block_label(block, row);
        bool regression = fit->task == CLEAVE_TASK_REGRESSION;
        double target = regression ? fit_target(fit, block, row) : 0, weight;

        if (regression ? isnan(target) : label >= fit->classes)
            continue;
        weight = fit_weight(fit, block, row, label);
        if (adding->draws > 0)
            weight *= draw_poisson(&random, adding->draws);
        if (!(weight > 0))
            continue;
        if (!regression)
            target = fit_sign(fit, label, 0);
        TRY(add_row(adding->update, fit, adding->node[row], label, target, weight));
    }
    return OK;
}

static Status add_block(void *user, const Block *block, cleave_error *error)
{
    Adding *adding = user;
    const Fit *fit = adding->fit;
    const Trees *trees = &adding->update->trees;

    TRY(GROW(fit->context, adding->node, adding->capacity, (size_t)block->rows, error));
    for (uint32_t t = 0; t < trees->trees; t++) {
        if (clv_cancelled(fit->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted: the model is unchanged");
        TRY(clv_trees_leaves(trees, fit->context, block, t, adding->node, error));
        TRY(add_to_tree(adding, block, t));
    }
    adding->rows += block->rows;
    return OK;
}

Status clv_leaves_add_rows(LeafUpdate *update, const Fit *fit, Dataset *dataset, double draws)
{
    Adding adding = {
        .update = update, .fit = fit, .draws = draws, .rows = fit->problem->rows_before};
    Status status = clv_tour_all(dataset, add_block, &adding, fit->error);

    clv_free(fit->context, adding.node);
    return status == OK && update->share ? settle_shares(update, fit->error) : status;
}
