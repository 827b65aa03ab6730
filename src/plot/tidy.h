/*
 * Where nodes of a binary tree stand, tidily (Reingold and Tilford 1981): subtrees as near to each other as their outlines allow, a parent in the middle
 * above its children, the same shape drawn the same wherever it is, and in linear time. Two subtrees are pushed apart along the inner outline of
 * each; threads lead from the end of the shorter outline to where the longer one goes on.
 */
#ifndef PLOT_TIDY_H
#define PLOT_TIDY_H

#include <stddef.h>
#include <stdint.h>

#define NO_NODE SIZE_MAX

typedef struct {
    size_t child[2]; /* both come later in the list; NO_NODE, twice: there are none */
    double reach[2]; /* how far it goes to the left of its middle, and to the right */
    size_t level;    /* made: 0 is the root's … */
    double at;       /* … and its middle; the least left end of all is 0 */
    double offset, thread_offset;
    size_t thread;
} TidyNode;

/* At least one, the root first; nodes of a level have a gap between them. */
void clv_tidy(TidyNode *nodes, size_t count, double gap);

#endif
