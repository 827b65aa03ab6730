#include "learn/neighbor/nearest.h"

enum { FIRST_CAPACITY = 64 };

Status clv_nearest_init(Nearest *nearest, Context *context, uint32_t most, cleave_error *error)
{
    size_t workspace = most == EVERY_POINT ? FIRST_CAPACITY : most ? most : 1;

    *nearest = (Nearest){0}; /* Nearest was not initialized */
    TRY(ALLOC(context, nearest->item, workspace, "neighbors", error));
    nearest->most = most;
    nearest->limit = (double)INFINITY;
    nearest->context = context;
    nearest->item[0].key = -(double)INFINITY; /* the bound if no point is requested */
    nearest->capacity = workspace;
    return OK;
}

void clv_nearest_free(Nearest *nearest)
{
    if (nearest->context)
        clv_free(nearest->context, nearest->item);
    *nearest = (Nearest){0};
}

/* Sifts position i down: the farther of two children moves up. */
static void sift_down(Nearest *nearest, uint32_t i)
{
    Neighbor moving = nearest->item[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= nearest->count)
            break;
        if (child + 1 < nearest->count && nearer(nearest->item[child], nearest->item[child + 1]))
            child++;
        if (!nearer(moving, nearest->item[child]))
            break;
        nearest->item[i] = nearest->item[child];
        i = child;
    }
    nearest->item[i] = moving;
}

static void sift_up(Nearest *nearest, Neighbor found)
{
    uint32_t i = nearest->count++;

    for (; i > 0 && nearer(nearest->item[(i - 1) / 2], found); i = (i - 1) / 2)
        nearest->item[i] = nearest->item[(i - 1) / 2];
    nearest->item[i] = found;
}

/* Whether results are kept sorted, farthest first, which is also a heap. This is faster for a small
 * number. */
static bool kept_in_order(const Nearest *nearest)
{
    enum { FEW = 32 };

    return nearest->most <= FEW;
}

static void insert(Nearest *nearest, Neighbor found)
{
    Neighbor *item = nearest->item;
    uint32_t i;

    if (nearest->count < nearest->most) {
        for (i = nearest->count++; i > 0 && nearer(item[i - 1], found); i--)
            item[i] = item[i - 1];
    } else if (nearest->most > 0 && nearer(found, item[0])) {
        for (i = 0; i + 1 < nearest->count && nearer(found, item[i + 1]); i++)
            item[i] = item[i + 1];
    } else {
        return;
    }
    item[i] = found;
}

static void add_to_list(Nearest *nearest, Neighbor found)
{
    if (GROW(nearest->context, nearest->item, nearest->capacity, (size_t)nearest->count + 1,
             NULL) != OK)
        nearest->failed = true;
    else
        nearest->item[nearest->count++] = found;
}

void clv_nearest_keep(Nearest *nearest, double key, uint32_t row)
{
    Neighbor found = {.key = key, .row = row};

    if (!may_be_found(nearest, row))
        return;
    if (nearest->most == EVERY_POINT) {
        add_to_list(nearest, found);
    } else if (kept_in_order(nearest)) {
        insert(nearest, found);
    } else if (nearest->count < nearest->most) {
        sift_up(nearest, found);
    } else if (nearest->most > 0 && nearer(found, nearest->item[0])) {
        nearest->item[0] = found;
        sift_down(nearest, 0);
    }
}

Status clv_nearest_sort(Nearest *nearest, cleave_error *error)
{
    uint32_t all = nearest->count;

    if (nearest->failed)
        return clv_fail_memory(error, "neighbors", nearest->capacity * 2 * sizeof *nearest->item);
    if (kept_in_order(nearest)) {
        for (uint32_t i = 0, j = nearest->count; i + 1 < j; i++) {
            Neighbor other = nearest->item[--j];

            nearest->item[j] = nearest->item[i];
            nearest->item[i] = other;
        }
        return OK;
    }
    if (nearest->most == EVERY_POINT)
        for (uint32_t i = all / 2; i-- > 0;)
            sift_down(nearest, i);
    for (; nearest->count > 1; nearest->count--) { /* moves the farthest point to the end */
        Neighbor top = nearest->item[0];

        nearest->item[0] = nearest->item[nearest->count - 1];
        nearest->item[nearest->count - 1] = top;
        nearest->count--;
        sift_down(nearest, 0);
        nearest->count++;
    }
    nearest->count = all;
    return OK;
}
