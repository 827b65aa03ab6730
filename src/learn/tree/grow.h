/*
 * Grows one tree over binned rows, best first: the leaf with the largest gain is split next, until
 * the tree has enough leaves or no split has enough gain. A split of a numeric column is a bound. A
 * split of a category column is a set of values: for few values, one against the rest. Otherwise
 * values are sorted by their mean gradient, and the sorted list is cut in two, which is optimal for
 * two classes and for squared error (Breiman et al. 1984; Fisher 1958). Rows with a missing value
 * go to the side with the larger gain.
 *
 *     Grower grower = {0};
 *     clv_grower_init(&grower, &bins, &targets, &options, error)
 *     for each tree:
 *         clv_targets_set(&targets, gradient, hessian)     or clv_targets_weigh, after a change
 *         clv_grow_tree(&grower, rows, count, number, error)
 *         grower.tree is valid until the next call
 *         for each leaf: rows grower.row[node.first … + node.rows], and node.value
 *     clv_grower_free(&grower)
 */
#ifndef LEARN_TREE_GROW_H
#define LEARN_TREE_GROW_H

#include "learn/tree/histogram.h"

typedef enum {
    /* second order: G^2 / (H + l2) (Friedman 2001); for squared error, the reduction of the
     * error */
    BY_GRADIENT,
    BY_GINI,
    BY_ENTROPY,
} Criterion;

typedef struct {
    Criterion criterion;
    uint32_t leaves; /* maximum number of leaves; 0: no limit */
    uint32_t depth;  /* maximum number of splits above a leaf; 0: no limit */
    /* minimum number of rows of a leaf; 0: 1. Estimated from the fraction of the hessians if these
     * are not integers. */
    uint32_t leaf_rows;
    double leaf_hessian; /* minimum sum of hessians of a leaf */
    double gain;         /* minimum gain of a split; classes: times the weight of its rows */
    double l2;
    double most_value; /* gradients: maximum magnitude of a leaf value; 0: no limit */
    /* sorted categories: number added to l2; number added to hessians for sorting */
    double category_l2, category_smooth;
    /* maximum number of categories for one-vs-rest splits; 0: 4 */
    uint32_t one_against_rest;
    uint32_t category_rows;                  /* minimum number of rows of a sorted category; 0: 1 */
    double columns_of_tree, columns_of_node; /* fractions of the columns that are sampled; 0: all */
    /* number of columns sampled per node, instead of a fraction; 0: use the fraction */
    uint32_t columns_drawn;
    uint64_t seed;
    /* by feature: 1 increasing, -1 decreasing; NULL: unconstrained. With gradients only. */
    const int8_t *monotone;
    uint32_t features; /* number of elements of monotone */
    bool alone;        /* uses no threads, because the caller grows trees in parallel */
} GrowOptions;

/* The weight of a class in a node, in units of GrowTree.class_unit. */
typedef struct {
    uint32_t class, count;
} ClassCount;

typedef struct {
    uint32_t left;   /* children are left and left + 1; 0: a leaf */
    uint32_t column; /* column of Bins */
    uint32_t set;    /* categories: bit b of GrowTree.set[8 * set] … is set if bin b goes left */
    uint16_t bin;    /* numbers: bins up to this one go left */
    uint16_t depth;
    bool missing_left;
    float bound;          /* numbers: values up to this one go left */
    uint32_t first, rows; /* range of its rows in Grower.row */
    uint32_t classes;     /* number of classes of its rows */
    /* position of the first of these classes in GrowTree.class_count; they are ascending */
    size_t class_first;
    double gain;              /* gain of the split */
    double gradient, hessian; /* sums over its rows; classification: hessian is the weight */
    double value;             /* gradients: -G / (H + l2), within the limits; classes: 0 */
} GrowNode;

typedef struct {
    GrowNode *node; /* the root is 0; children come after their parent */
    uint32_t nodes, leaves;
    uint32_t *set; /* 8 words each */
    uint32_t sets;
    ClassCount *class_count; /* class counts of all nodes; a node with few rows has few classes */
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
    uint32_t *row; /* rows of the tree. The rows of a node are adjacent and ascending. */
    uint32_t rows;
    struct GrowWorkspace *workspace; /* see growing.h */
} Grower;

Status clv_grower_init(Grower *grower, const Bins *bins, const Targets *targets,
                       const GrowOptions *options, cleave_error *error);
void clv_grower_free(Grower *grower);
/* rows: rows of the tree, ascending; NULL: the first count rows. number: number of the tree, for
 * random subsets. */
Status clv_grow_tree(Grower *grower, const uint32_t *rows, uint32_t count, uint64_t number,
                     cleave_error *error);
/* The class with the largest weight in a node; with equal weights, the first class. */
uint32_t clv_tree_heaviest_class(const GrowTree *tree, uint32_t node);
double clv_tree_class_weight(const GrowTree *tree, uint32_t node, uint32_t class);
/* The leaf of a row of the bins, whether or not the tree was grown from it. */
uint32_t clv_grow_leaf(const Grower *grower, uint32_t row);
/* Returns the child of an inner node for the row. */
uint32_t clv_grow_next(const Grower *grower, uint32_t node, uint32_t row);

#endif
