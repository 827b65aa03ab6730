#include "plot/tidy.h"

#include <math.h>
#include <stdbool.h>

/* A position on the outline of a subtree, relative to the center of its root. */
typedef struct {
    size_t node;
    double at;
} Outline;

/* Moves to the next level of the outline: side 0 is left. Returns false at the lowest level. */
static bool go_down(const TidyNode *nodes, Outline *outline, int side)
{
    const TidyNode *node = &nodes[outline->node];
    size_t child = node->child[side];

    if (child == NO_NODE && node->thread == NO_NODE)
        return false;
    outline->at += child != NO_NODE ? nodes[child].offset : node->thread_offset;
    outline->node = child != NO_NODE ? child : node->thread;
    return true;
}

static void lay_thread(TidyNode *nodes, const Outline *end, const Outline *next, double apart)
{
    nodes[end->node].thread = next->node;
    nodes[end->node].thread_offset = next->at - end->at + apart;
}

/* Places the laid-out subtrees of the children side by side. */
static void join(TidyNode *nodes, const TidyNode *parent, double gap)
{
    size_t first = parent->child[0], second = parent->child[1];
    Outline left = {first, 0}, left_outer = left, right = {second, 0}, right_outer = right;
    bool left_goes_on, right_goes_on;
    double apart = 0;

    for (;;) {
        apart = fmax(apart, left.at + nodes[left.node].reach[1] + gap + nodes[right.node].reach[0] -
                                right.at);
        left_goes_on = go_down(nodes, &left, 1);
        right_goes_on = go_down(nodes, &right, 0);
        if (!left_goes_on || !right_goes_on)
            break;
        go_down(nodes, &left_outer, 0);
        go_down(nodes, &right_outer, 1);
    }
    nodes[first].offset = -apart / 2;
    nodes[second].offset = apart / 2;
    if (left_goes_on)
        lay_thread(nodes, &right_outer, &left, -apart);
    if (right_goes_on)
        lay_thread(nodes, &left_outer, &right, apart);
}

void clv_tidy(TidyNode *nodes, size_t count, double gap)
{
    double least = 0;

    for (size_t i = count; i-- > 0;) {
        nodes[i].thread = NO_NODE;
        if (nodes[i].child[0] != NO_NODE)
            join(nodes, &nodes[i], gap);
    }
    nodes[0].at = 0;
    nodes[0].level = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, nodes[i].at - nodes[i].reach[0]);
        for (int side = 0; side < 2 && nodes[i].child[0] != NO_NODE; side++) {
            TidyNode *child = &nodes[nodes[i].child[side]];

            child->level = nodes[i].level + 1;
            child->at = nodes[i].at + child->offset;
        }
    }
    for (size_t i = 0; i < count; i++)
        nodes[i].at -= least;
}
