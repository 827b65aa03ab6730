/* How an index divides the space of its first two columns, for plots. */
#ifndef LEARN_NEIGHBOR_INDEX_BOXES_H
#define LEARN_NEIGHBOR_INDEX_BOXES_H

#include "learn/neighbor/index.h"

/* The bounding box of a node of a tree: left, bottom, right, top. The root has the depth 0. */
typedef struct {
    double side[4];
    uint32_t depth;
    bool leaf;
} IndexBox;

/* The boxes of a kd-tree, quadtree or R-tree, parents before children. The caller frees *boxes.
 * *count is 0 for other structures. */
Status clv_index_boxes(const Index *index, IndexBox **boxes, size_t *count, cleave_error *error);

/* One radius of locality-sensitive hashing: points share a signature if all its hash functions
 * agree. pairs: a bucket needs two signatures. */
typedef struct {
    double radius;
    uint32_t signatures, hashes;
    bool pairs;
} IndexLevel;

/* False past the last radius, and for other structures. */
bool clv_index_level(const Index *index, uint32_t number, IndexLevel *level);

#endif
