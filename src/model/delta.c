#include "model/delta.h"

#include <math.h>

void clv_delta_init(Delta *delta, Context *context)
{
    *delta = (Delta){.context = context};
}

void clv_delta_free(Delta *delta)
{
    for (size_t i = 0; i < delta->parts; i++) {
        FREE(delta->context, delta->part[i].index, delta->part[i].value);
    }
    *delta = (Delta){.context = delta->context};
}

/* ---- parts ----------------------------------------------------------------------------------- */

const DeltaPart *clv_delta_part(const Delta *delta, const char *name)
{
    for (size_t i = 0; i < delta->parts; i++)
        if (strcmp(delta->part[i].name, name) == 0)
            return &delta->part[i];
    return NULL;
}

static Status find_or_make(Delta *delta, const char *name, DeltaPart **part, cleave_error *error)
{
    size_t length = strlen(name);

    *part = (DeltaPart *)clv_delta_part(delta, name);
    if (*part)
        return OK;
    if (delta->parts == DELTA_PARTS || length == 0 || length >= DELTA_NAME)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "an update cannot hold the part '%s'", name);
    *part = &delta->part[delta->parts++];
    **part = (DeltaPart){0};
    memcpy((*part)->name, name, length + 1);
    return OK;
}

static Status refuse(const char *name, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "lower the learning rate, or scale the features",
                         "an update of '%s' is not a finite number", name);
}

Status clv_delta_append(Delta *delta, const char *name, uint64_t index, double value,
                        cleave_error *error)
{
    DeltaPart *part;

    TRY(find_or_make(delta, name, &part, error));
    if (!isfinite(value))
        return refuse(name, error);
    if (part->count && part->index[part->count - 1] >= index)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL,
                        "the indexes of an update of '%s' are not in increasing order", name);
    TRY(GROW(delta->context, part->index, part->index_capacity, part->count + 1, error));
    TRY(GROW(delta->context, part->value, part->value_capacity, part->count + 1, error));
    part->index[part->count] = index;
    part->value[part->count++] = value;
    return OK;
}

Status clv_delta_add_all(Delta *delta, const char *name, const double *values, size_t count,
                         cleave_error *error)
{
    for (size_t i = 0; i < count; i++)
        TRY(clv_delta_add(delta, name, i, values[i], error));
    return OK;
}

double clv_delta_number(const Delta *delta, const char *name, uint64_t index)
{
    const DeltaPart *part = clv_delta_part(delta, name);
    size_t low = 0, high = part ? part->count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (part->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return part && low < part->count && part->index[low] == index ? part->value[low] : 0;
}

uint64_t clv_delta_size(const Delta *delta, const char *name)
{
    const DeltaPart *part = clv_delta_part(delta, name);

    return part && part->count ? part->index[part->count - 1] + 1 : 0;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Merges two parts by index into a third one, which replaces the first. */
static Status sum_part(Delta *into, DeltaPart *ours, const DeltaPart *theirs, cleave_error *error)
{
    DeltaPart sum = {0};
    size_t most = ours->count + theirs->count, i = 0, j = 0;
    Status status = GROW(into->context, sum.index, sum.index_capacity, most, error);

    THEN(status, GROW(into->context, sum.value, sum.value_capacity, most, error));
    if (status != OK) {
        clv_free(into->context, sum.index);
        return status;
    }
    memcpy(sum.name, ours->name, sizeof sum.name);
    while (i < ours->count || j < theirs->count) {
        uint64_t left = i < ours->count ? ours->index[i] : UINT64_MAX;
        uint64_t right = j < theirs->count ? theirs->index[j] : UINT64_MAX;
        double value = 0;

        if (left <= right)
            value += ours->value[i++];
        if (right <= left)
            value += theirs->value[j++];
        sum.index[sum.count] = left < right ? left : right;
        sum.value[sum.count++] = value;
        if (!isfinite(value))
            status = refuse(ours->name, error);
    }
    FREE(into->context, ours->index, ours->value);
    *ours = sum;
    return status;
}

Status clv_delta_sum(Delta *into, const Delta *from, cleave_error *error)
{
    for (size_t i = 0; i < from->parts; i++) {
        DeltaPart *ours;

        TRY(find_or_make(into, from->part[i].name, &ours, error));
        if (from->part[i].count)
            TRY(sum_part(into, ours, &from->part[i], error));
    }
    return OK;
}

/* ---- the tree -------------------------------------------------------------------------------- */

void clv_delta_tree_init(DeltaTree *tree, Context *context, uint32_t count)
{
    *tree = (DeltaTree){.context = context, .count = count};
}

void clv_delta_tree_free(DeltaTree *tree)
{
    for (size_t i = 0; i < tree->nodes; i++)
        clv_delta_free(&tree->node[i].delta);
    clv_free(tree->context, tree->node);
    *tree = (DeltaTree){.context = tree->context};
}

/* Whether two nodes are adjacent halves of one node. Sizes are powers of two, except for the last
 * node's. */
static bool are_halves(const struct DeltaNode *a, const struct DeltaNode *b)
{
    return a->first + a->size == b->first && (a->size & (a->size - 1)) == 0 &&
           a->first % (2 * a->size) == 0 && b->size <= a->size;
}

/* The index of the complete right half that belongs to a left half; the number of nodes if there is
 * none. */
static size_t other_half(const DeltaTree *tree, size_t a)
{
    const struct DeltaNode *left = &tree->node[a];

    for (size_t b = 0; b < tree->nodes; b++) {
        const struct DeltaNode *right = &tree->node[b];

        if (b != a && are_halves(left, right) &&
            (right->size == left->size || right->first + right->size == tree->count))
            return b;
    }
    return tree->nodes;
}

Status clv_delta_tree_add(DeltaTree *tree, uint32_t first, uint32_t size, Delta *delta,
                          cleave_error *error)
{
    bool joined = true;

    TRY(GROW(tree->context, tree->node, tree->capacity, tree->nodes + 1, error));
    tree->node[tree->nodes++] = (struct DeltaNode){.first = first, .size = size, .delta = *delta};
    clv_delta_init(delta, delta->context);
    while (joined) {
        joined = false;
        for (size_t a = 0; a < tree->nodes && !joined; a++) {
            size_t b = other_half(tree, a);

            if (b == tree->nodes)
                continue;
            TRY(clv_delta_sum(&tree->node[a].delta, &tree->node[b].delta, error));
            tree->node[a].size += tree->node[b].size;
            clv_delta_free(&tree->node[b].delta);
            tree->node[b] = tree->node[--tree->nodes];
            joined = true;
        }
    }
    return OK;
}

const Delta *clv_delta_tree_sum(const DeltaTree *tree)
{
    return tree->nodes == 1 && tree->node[0].first == 0 && tree->node[0].size == tree->count
               ? &tree->node[0].delta
               : NULL;
}
