/*
 * Tidy layout of a binary tree (Reingold and Tilford 1981), in linear time: subtrees are as close
 * as their outlines allow, a parent is centered above its children, and equal shapes are drawn
 * equally. Two subtrees are separated along their inner outlines; threads connect the end of the
 * shorter outline with the longer one.
 */
#ifndef PLOT_TIDY_H
#define PLOT_TIDY_H

#include <stddef.h>
#include <stdint.h>

#define NO_NODE SIZE_MAX

typedef struct {
    size_t child[2]; /* both come after this node in the list; NO_NODE for both: a leaf */
    double reach[2]; /* extent to the left and to the right of its center */
    size_t level;    /* result: level; the root has level 0 */
    double at;       /* result: position of the center; the smallest left end is 0 */
    double offset, thread_offset;
    size_t thread;
} TidyNode;

/* Computes the layout of at least one node, the root first. gap: distance between nodes of a
 * level. */
void clv_tidy(TidyNode *nodes, size_t count, double gap);

#endif
