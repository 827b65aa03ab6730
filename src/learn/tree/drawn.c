#include "learn/tree/drawn.h"

#include "base/random.h"

#include <math.h>

Status clv_drawn_init(DrawnColumns *drawn, Context *context, uint32_t columns, cleave_error *error)
{
    TRY(ALLOC(context, drawn->of_tree, (size_t)columns + 1, "tree growth", error));
    TRY(ALLOC(context, drawn->of_node, (size_t)columns + 1, "tree growth", error));
    return OK;
}

void clv_drawn_free(DrawnColumns *drawn, Context *context)
{
    FREE(context, drawn->of_tree, drawn->of_node);
}

uint32_t clv_drawn_share(double share, uint32_t count)
{
    double wanted = share > 0 && share < 1 ? ceil(share * count) : count;

    return wanted < 1 ? 1 : (uint32_t)wanted;
}

static void sort_numbers(uint32_t *numbers, uint32_t count)
{
    for (uint32_t gap = count / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t number = numbers[i], at = i;

            for (; at >= gap && numbers[at - gap] > number; at -= gap)
                numbers[at] = numbers[at - gap];
            numbers[at] = number;
        }
}

/* Draws `wanted` columns. They come first, in ascending order; the others follow in the order of
 * drawing. */
static void draw(Random *random, uint32_t *columns, uint32_t count, uint32_t wanted)
{
    if (wanted >= count)
        return;
    clv_shuffle(random, columns, count);
    sort_numbers(columns, wanted);
}

void clv_draw_for_tree(DrawnColumns *drawn, const GrowOptions *options, uint32_t columns,
                       uint64_t tree)
{
    Random random = clv_random(options->seed, 2 * tree);

    for (uint32_t i = 0; i < columns; i++)
        drawn->of_tree[i] = i;
    drawn->count = columns ? clv_drawn_share(options->columns_of_tree, columns) : 0;
    draw(&random, drawn->of_tree, columns, drawn->count);
}

uint32_t clv_draw_for_node(DrawnColumns *drawn, const GrowOptions *options, uint64_t tree,
                           uint32_t node)
{
    uint32_t wanted = drawn->count;
    Random random = clv_random(clv_mix(options->seed + 1), clv_mix(2 * tree + 1) + node);

    memcpy(drawn->of_node, drawn->of_tree, drawn->count * sizeof *drawn->of_node);
    if (options->columns_drawn)
        wanted = options->columns_drawn;
    else if (options->columns_of_node > 0)
        wanted = clv_drawn_share(options->columns_of_node, drawn->count);
    if (wanted >= drawn->count)
        return drawn->count;
    draw(&random, drawn->of_node, drawn->count, wanted);
    return wanted;
}
