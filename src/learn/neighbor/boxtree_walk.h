/*
 * Search of a tree of boxes. The including file first defines Lanes (16 floats) and Wide (8
 * doubles) for its machine. Children are visited nearest first; a child beyond the threshold is
 * skipped. A frame per level keeps the distances of the children, so that returning to a node takes
 * one comparison.
 */
#include "learn/neighbor/boxtree.h"

#define INLINE static inline __attribute__((always_inline))

#ifdef SCALAR_NEAREST
/* The lane with the smallest value among those with a set bit. */
static inline uint32_t lanes_nearest(const float *at, uint32_t among)
{
    uint32_t best = (uint32_t)__builtin_ctz(among);

    for (among &= among - 1; among; among &= among - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(among);

        best = at[lane] < at[best] ? lane : best;
    }
    return best;
}
#endif

typedef struct {
    uint32_t node, left; /* `left` has a bit per child still to visit */
    float distance[BOX_LANES];
} Frame;

INLINE Lanes add_term(BoxForm form, Lanes sum, Lanes difference)
{
    switch (form) {
    case BOX_SQUARES:
        return lanes_add_square(sum, difference);
    case BOX_SUM:
        return lanes_add(sum, lanes_abs(difference));
    default:
        return lanes_max(sum, lanes_abs(difference));
    }
}

INLINE void enter(Frame *frame, const BoxTree *tree, uint32_t node, const float *q,
                  uint32_t columns, BoxForm form)
{
    const float *box = tree->boxes + (size_t)node * columns * 2 * BOX_LANES;
    Lanes sum = lanes_all(0), zero = lanes_all(0);

    __builtin_prefetch(tree->child + (size_t)node * BOX_LANES);
    __builtin_prefetch(tree->child + (size_t)node * BOX_LANES + BOX_LANES / 2);
    for (uint32_t i = 0; i < columns; i++, box += 2 * BOX_LANES) {
        Lanes at = lanes_all(q[i]);
        Lanes below = lanes_sub(lanes_load(box), at),
              above = lanes_sub(at, lanes_load(box + BOX_LANES));

        sum = add_term(form, sum, lanes_max(lanes_max(below, above), zero));
    }
    lanes_store(frame->distance, sum);
    frame->node = node;
    frame->left = (1u << BOX_LANES) - 1;
}

INLINE uint32_t near_points(const float *value, const float *q, uint32_t columns, BoxForm form,
                            float threshold)
{
    Lanes sum = lanes_all(0);

    for (uint32_t i = 0; i < columns; i++)
        sum = add_term(form, sum,
                       lanes_sub(lanes_load(value + (size_t)i * BOX_LANES), lanes_all(q[i])));
    return lanes_within(sum, threshold);
}

/* The keys of eight points: the same sums as in distance.c, in the same order. */
INLINE void exact_keys(const float *value, const float *q, uint32_t columns, BoxForm form,
                       double key[8])
{
    Wide part[4] = {wide_all(0), wide_all(0), wide_all(0), wide_all(0)};

    for (uint32_t i = 0; i < columns; i++) {
        Wide difference = wide_sub(wide_load(value + (size_t)i * BOX_LANES),
                                   wide_all((double)q[i]));

        if (form == BOX_SQUARES)
            part[i % 4] = wide_add(part[i % 4], wide_mul(difference, difference));
        else if (form == BOX_SUM)
            part[i % 4] = wide_add(part[i % 4], wide_abs(difference));
        else
            part[0] = wide_max(part[0], wide_abs(difference));
    }
    wide_store(key, wide_add(wide_add(part[0], part[1]), wide_add(part[2], part[3])));
}

INLINE void look_at_block(BoxSearch *search, uint32_t block, uint32_t columns, BoxForm form,
                          float *threshold)
{
    const float *value = search->tree->value + (size_t)block * columns * BOX_LANES;
    const uint32_t *row = search->tree->row + (size_t)block * BOX_LANES;
    uint32_t near;

    __builtin_prefetch(row);
    near = near_points(value, search->query->dense, columns, form, *threshold);
    search->nearest->leaves++;
    if (!near)
        return;
    if (search->uses_metric_key) {
        for (; near; near &= near - 1)
            index_push(search->index, search->query, search->nearest, row[__builtin_ctz(near)]);
    } else {
        double key[BOX_LANES];

        search->nearest->candidates += (uint64_t)__builtin_popcount(near);
        if (near & 0xff)
            exact_keys(value, search->query->dense, columns, form, key);
        if (near >> 8)
            exact_keys(value + 8, search->query->dense, columns, form, key + 8);
        for (; near; near &= near - 1) {
            int lane = __builtin_ctz(near);

            nearest_push(search->nearest, key[lane], row[lane]);
        }
    }
    *threshold = boxtree_threshold(search);
}

INLINE void walk(BoxSearch *search, uint32_t columns, BoxForm form)
{
    const BoxTree *tree = search->tree;
    const float *q = search->query->dense;
    float threshold = boxtree_threshold(search);
    Frame stack[BOX_MOST_DEPTH];
    Frame *frame = stack;

    enter(frame, tree, 0, q, columns, form);
    search->nearest->nodes++;
    for (;;) {
        uint32_t left = frame->left & lanes_within(lanes_load(frame->distance), threshold), lane;
        BoxChild child;

        if (!left) {
            if (frame == stack)
                return;
            frame--;
            continue;
        }
        lane = left & (left - 1) ? lanes_nearest(frame->distance, left)
                                 : (uint32_t)__builtin_ctz(left);
        frame->left = left & ~(1u << lane);
        child = tree->child[(size_t)frame->node * BOX_LANES + lane];
        for (uint32_t i = 0; i < child.blocks; i++)
            look_at_block(search, child.first + i, columns, form, &threshold);
        if (child.blocks == 0 && child.first != 0) {
            enter(++frame, tree, child.first, q, columns, form);
            search->nearest->nodes++;
        }
    }
}

/* Loops over few columns are unrolled. */
void WALK(BoxSearch *search)
{
    if (search->form == BOX_SUM) {
        walk(search, search->tree->columns, BOX_SUM);
    } else if (search->form == BOX_LARGEST) {
        walk(search, search->tree->columns, BOX_LARGEST);
    } else {
#define CASE(n)                                                                                    \
    case n:                                                                                        \
        walk(search, n, BOX_SQUARES);                                                              \
        return;
        switch (search->tree->columns) {
            CASE(1)
            CASE(2)
            CASE(3)
            CASE(4)
            CASE(5)
            CASE(6)
            CASE(7)
            CASE(8)
        default:
            walk(search, search->tree->columns, BOX_SQUARES);
        }
    }
}
