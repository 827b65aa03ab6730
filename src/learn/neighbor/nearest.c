#include "learn/neighbor/nearest.h"

Status clv_nearest_init(Nearest *nearest, Context *context, uint32_t most, cleave_error *error)
{
    *nearest = (Nearest){.most = most};
    nearest->item = clv_alloc(context, (size_t)most + 1, sizeof *nearest->item);
    return nearest->item ? OK : clv_fail_memory(error, "neighbours", most * sizeof *nearest->item);
}

void clv_nearest_free(Nearest *nearest, Context *context)
{
    clv_free(context, nearest->item);
    *nearest = (Nearest){0};
}

/* Puts an item where the top was, or further down. */
static void sink(Neighbor *item, uint32_t count, Neighbor held)
{
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= count)
            break;
        if (child + 1 < count && nearer(item[child], item[child + 1]))
            child++;
        if (!nearer(held, item[child]))
            break;
        item[at] = item[child];
        at = child;
    }
    item[at] = held;
}

static void rise(Neighbor *item, uint32_t at, Neighbor held)
{
    while (at > 0 && nearer(item[(at - 1) / 2], held)) {
        item[at] = item[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    item[at] = held;
}

void clv_nearest_push(Nearest *nearest, double key, uint32_t row)
{
    Neighbor found = {.key = key, .row = row};

    if (nearest->count < nearest->most)
        rise(nearest->item, nearest->count++, found);
    else if (nearest->most > 0 && nearer(found, nearest->item[0]))
        sink(nearest->item, nearest->count, found);
}

void clv_nearest_sort(Nearest *nearest)
{
    for (uint32_t left = nearest->count; left > 1; left--) {
        Neighbor last = nearest->item[left - 1];

        nearest->item[left - 1] = nearest->item[0];
        sink(nearest->item, left - 1, last);
    }
}
