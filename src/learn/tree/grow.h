/*
 * Growing one tree over binned rows: the leaf whose split gains most is split next (best first), until there are enough leaves, or no split
 * gains enough. A split of a column of numbers is a bound, of categories a set of values: one against the rest where values are few, otherwise
 * values are sorted by what their rows ask for and the sorted list is cut in two, which for two classes and for squares is the best of all
 * sets (Breiman et al. 1984; Fisher 1958). Rows that lack the value go to the side where they help more.
 *
 *     Grower grower = {0};
 *     clv_grower_init(&grower, &bins, &targets, &options, error)
 *     for each tree:
 *         clv_targets_set(&targets, gradient, hessian)          or clv_targets_weigh, where anything changed
 *         clv_grow_tree(&grower, rows, count, number, error)         grower.tree is the tree, until the next
 *         for each leaf: rows grower.row[node.first … + node.rows], and node.value
 *     clv_grower_free(&grower)
 */
#ifndef LEARN_TREE_GROW_H
#define LEARN_TREE_GROW_H

#include "learn/tree/histogram.h"

typedef enum {
    BY_GRADIENT, /* second order: G^2 / (H + l2) (Friedman 2001); for squares, the fall of the sum of squares */
    BY_GINI,
    BY_ENTROPY,
} Criterion;

typedef struct {
    Criterion criterion;
    uint32_t leaves;     /* at most; 0: no limit */
    uint32_t depth;      /* at most, of splits above a leaf; 0: no limit */
    uint32_t leaf_rows;  /* at least, in a leaf; 0: 1. Where hessians are not whole it is judged by their share */
    double leaf_hessian; /* at least, in a leaf */
    double gain;         /* a split gains more than this: of a criterion of classes, times the weight of its rows */
    double l2;
    double most_value;                       /* of a leaf, gradients: it is no further from 0; 0: no limit */
    double category_l2, category_smooth;     /* sorted categories: added to l2; to hessians when sorting */
    uint32_t one_against_rest;               /* columns of at most so many values; 0: 4 */
    uint32_t category_rows;                  /* a value is sorted with the others when so many rows have it; 0: 1 */
    double columns_of_tree, columns_of_node; /* shares drawn; 0: all */
    uint32_t columns_drawn;                  /* of a node, instead of a share; 0: by the share */
    uint64_t seed;
    const int8_t *monotone; /* by feature: 1 grows with it, -1 falls; NULL: free. Gradients only */
    uint32_t features;      /* of monotone */
    bool alone;             /* uses no threads: trees are grown side by side by somebody who does */
} GrowOptions;

/* The weight of a class in a node, in units of GrowTree.class_unit. */
typedef struct {
    uint32_t class, count;
} ClassCount;

typedef struct {
    uint32_t left;   /* its children are left and left + 1; 0: a leaf */
    uint32_t column; /* of Bins */
    uint32_t set;    /* categories: bit b of GrowTree.set[8 * set] … says whether bin b goes left */
    uint16_t bin;    /* numbers: bins up to this one go left */
    uint16_t depth;
    bool missing_left;
    float bound;              /* numbers: values up to this one go left */
    uint32_t first, rows;     /* of Grower.row: those that came here */
    uint32_t classes;         /* number of classes of its rows */
    size_t class_first;       /* the first of these in GrowTree.class_count, by ascending class */
    double gain;              /* of its split */
    double gradient, hessian; /* sums; of classes hessian is the weight */
    double value;             /* gradients: -G / (H + l2), within what monotone and most_value allow; classes: 0 */
} GrowNode;

typedef struct {
    GrowNode *node; /* the root is 0; children come after their parent */
    uint32_t nodes, leaves;
    uint32_t *set; /* 8 words each */
    uint32_t sets;
    ClassCount *class_count; /* of all nodes; a node with few rows has few classes */
    size_t class_counts;
    double class_unit;
    size_t node_capacity, set_capacity, class_capacity;
} GrowTree;

static inline const ClassCount *node_classes(const GrowTree *tree, uint32_t node)
{
    return tree->class_count + tree->node[node].class_first;
}

typedef struct {
    Context *context;
    const Bins *bins;
    const Targets *targets;
    GrowOptions options;
    GrowTree tree;
    uint32_t *row; /* the rows of the tree, those of a node together, ascending in it */
    uint32_t rows;
    struct GrowWorkspace *workspace; /* growing.h */
} Grower;

Status clv_grower_init(Grower *grower, const Bins *bins, const Targets *targets, const GrowOptions *options,
                       cleave_error *error);
void clv_grower_free(Grower *grower);
/* rows: ascending, which ones the tree is of; NULL: the first count of all. number: of the tree, for what is drawn. */
Status clv_grow_tree(Grower *grower, const uint32_t *rows, uint32_t count, uint64_t number, cleave_error *error);
/* The class with the largest weight in a node; the first of equal ones. */
uint32_t clv_tree_heaviest_class(const GrowTree *tree, uint32_t node);
double clv_tree_class_weight(const GrowTree *tree, uint32_t node, uint32_t class);
/* The leaf of any row of the bins, in the tree or not. */
uint32_t clv_grow_leaf(const Grower *grower, uint32_t row);
/* The child of a node, no leaf, that the row goes to. */
uint32_t clv_grow_next(const Grower *grower, uint32_t node, uint32_t row);

#endif
