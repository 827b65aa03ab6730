/*
 * Trees for prediction. Nodes have 16 bytes and are contiguous; several rows descend a tree at once
 * without branches. A leaf is its own child, so that a row stays there until the other rows have
 * reached their leaves.
 *
 *     next = node.left + !(value of node.slot <= node.bound)
 *
 * A slot is a feature in the form that splits use: with missing values below or above all others,
 * or as category bins. The values of a row are first arranged by slot. The arrays in memory are
 * those of the file (docs/methods/tree.md).
 *
 *     growing:     clv_trees_init, clv_trees_add for each tree, clv_trees_put into the model
 *     prediction:  clv_trees_of the model, which copies nothing; clv_trees_add_scores
 */
#ifndef LEARN_TREE_TREES_H
#define LEARN_TREE_TREES_H

#include "learn/tree/grow.h"

typedef struct {
    float bound;   /* for a set of categories, the number of the set as 32 bits */
    uint32_t slot; /* slot of the split; SLOT_SET marks a split by a set */
    uint32_t left; /* left child, followed by the right one; a leaf: the node itself */
    uint32_t leaf; /* of a leaf: its number among all leaves */
} TreeNode;

#define SLOT_SET 0x80000000u

/* Leaves with more outputs than this are stored sparsely; most have rows of only one or two
 * classes. */
enum { DENSE_OUTPUTS = 64 };

/* missing values are below all numbers, or above all; categories */
enum { SLOT_LOW, SLOT_HIGH, SLOT_BINS };

typedef struct {
    uint32_t feature, kind;
    /* SLOT_BINS: value c < codes has the bin code_bin[code + c]; larger values have the bin of 0 */
    uint32_t code, codes;
    /* SLOT_BINS: bin of missing values; the bin of 0 if the training set has no missing value */
    uint32_t missing;
} TreeSlot;

/* A slot and its number before sorting. */
typedef struct {
    TreeSlot slot;
    uint32_t number;
} NumberedSlot;

/* Sorts slots by feature into `slot`, and renumbers the slots of the nodes; `place` maps old to
 * new numbers. */
void clv_sort_slots(NumberedSlot *sorted, uint32_t count, TreeSlot *slot, uint32_t *place,
                    TreeNode *node, uint32_t nodes);

/* Trees of a model or of a builder. */
typedef struct {
    uint32_t trees, nodes, leaves, slots, sets;
    uint32_t width;        /* numbers per leaf */
    const uint32_t *start; /* first node of each tree, and the end */
    const TreeNode *node;
    const TreeSlot *slot; /* ascending by feature */
    const uint8_t *code_bin;
    const uint32_t *set; /* 8 words each */
    const double *value; /* a value per leaf, if width is 1 */
    const float *values; /* otherwise leaves * width values, or the nonzero values only */
    /* NULL: `values` is dense. Otherwise leaf i has the values leaf_start[i] to leaf_start[i + 1],
     * for the outputs in leaf_output, ascending. */
    const uint64_t *leaf_start;
    const uint32_t *leaf_output;
    size_t code_bins;
    /* Arrays for explanations; NULL if not stored. */
    const double *weight;       /* per node: weight of its training rows */
    const double *gain;         /* per node: gain of its split */
    const uint32_t *rows;       /* per node: number of its training rows; boosting only */
    const double *class_weight; /* nodes * classes */
    uint32_t classes;
} Trees;

typedef struct {
    Trees trees;
    Context *context;
    const Bins *bins;
    bool with_facts;                  /* stores weight and gain of nodes */
    bool with_rows;                   /* stores the number of rows of nodes; set first */
    bool sparse;                      /* leaves store nonzero outputs only; set first */
    struct TreesWorkspace *workspace; /* private to trees.c */
} TreesBuilder;

Status clv_trees_init(TreesBuilder *builder, const Bins *bins, uint32_t width, bool with_facts,
                      cleave_error *error);
/* Adds a tree. values: width numbers per GrowNode, which are read for leaves; NULL: GrowNode.value,
 * or the class probabilities of sparse leaves. All values are multiplied by scale. */
Status clv_trees_add(TreesBuilder *builder, const Grower *grower, const double *values,
                     double scale, cleave_error *error);
/* The value of a leaf for one output. */
double clv_leaf_value(const Trees *trees, uint32_t leaf, size_t output);
/* Removes all trees after the first `count`, for early stopping. */
void clv_trees_cut(TreesBuilder *builder, uint32_t trees);
/* The trees of a builder, valid until the next tree is added. Slots are unsorted, so that the trees
 * can be appended but not used for prediction. */
Trees clv_trees_view(const TreesBuilder *builder);
/* Appends trees of the same width, which may have been grown over other bins, for a warm start. */
Status clv_trees_append(TreesBuilder *builder, const Trees *more, cleave_error *error);
Status clv_trees_put(const TreesBuilder *builder, Bundle *bundle, cleave_error *error);
/* Stores the trees without copying the large arrays and frees the builder. */
Status clv_trees_move(TreesBuilder *builder, Bundle *bundle, cleave_error *error);
void clv_trees_free(TreesBuilder *builder);

/* Returns false if arrays are missing or inconsistent. clv_trees_check also validates their
 * contents (cycles, children, slots, sets, features), for untrusted models. */
bool clv_trees_of(const Model *model, Trees *trees);
bool clv_trees_check(const Model *model);

/* Adds the values of leaves to scores, rows * outputs. If width equals outputs, a leaf has a value
 * per output. With width 1, tree t adds to output t modulo outputs. Uses `count` trees from `first`
 * on. */
Status clv_trees_add_scores(const Trees *trees, Context *context, const Block *block,
                            uint32_t first, uint32_t count, size_t outputs, double *scores,
                            cleave_error *error);
/* The largest depth of a leaf. */
uint32_t clv_trees_depth(const Trees *trees, uint32_t tree);
/* The slot value for a feature value; the child of a node for a slot value. */
float clv_slot_value(const Trees *trees, const TreeSlot *slot, float value);
uint32_t clv_trees_next(const Trees *trees, const TreeNode *node, float seen);
/* Finds the leaf of each row in one tree. */
Status clv_trees_leaves(const Trees *trees, Context *context, const Block *block, uint32_t tree,
                        uint32_t *nodes, cleave_error *error);

/* Adds the gains of the model's trees by feature. Returns false if the model does not store
 * them. */
bool clv_importance_gains(const Model *model, double *gains);

#endif
