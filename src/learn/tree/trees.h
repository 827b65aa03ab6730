/*
 * Trees that answer: nodes of 16 bytes one after the other, so that rows are taken through a tree several at a time, with nothing to
 * guess. A leaf is a node whose children are itself, and a row that has arrived goes round in it until the others have.
 *
 *     next = node.left + !(value of node.slot <= node.bound)
 *
 * A slot is a feature that trees ask for, as they ask for it: with missing values below all others, or above; or of categories, by bin. Rows are
 * laid out by slots before the trees see them. In a model (docs/methods/tree.md has the arrays) they are what they are in memory.
 *
 *     growing:    clv_trees_init, clv_trees_add for each tree, clv_trees_put into the model
 *     answering:  clv_trees_of the model, which costs nothing; clv_trees_add_scores
 */
#ifndef LEARN_TREE_TREES_H
#define LEARN_TREE_TREES_H

#include "learn/tree/grow.h"

typedef struct {
    float bound;   /* of a category: the number of its set, as 32 bits */
    uint32_t slot; /* SLOT_SET: a category */
    uint32_t left; /* itself: a leaf */
    uint32_t leaf; /* of a leaf: its number among all leaves */
} TreeNode;

#define SLOT_SET 0x80000000u

/* Leaves of more outputs than this are sparse: most of them have rows of one or two classes. */
enum { DENSE_OUTPUTS = 64 };

enum { SLOT_LOW, SLOT_HIGH, SLOT_BINS }; /* missing values below all, above all; categories */

typedef struct {
    uint32_t feature, kind;
    uint32_t code, codes; /* SLOT_BINS: value c, below codes, is in bin code_bin[code + c]; a larger one where 0 is */
    uint32_t missing;     /* SLOT_BINS: the bin of missing values; that of 0 where training has none */
} TreeSlot;

/* A slot and its number before sorting. */
typedef struct {
    TreeSlot slot;
    uint32_t number;
} NumberedSlot;

/* Sorts slots by feature, writes them to `slot`, and sets the slots of the nodes to their new numbers, which `place` has by the old ones. */
void clv_sort_slots(NumberedSlot *sorted, uint32_t count, TreeSlot *slot, uint32_t *place, TreeNode *node,
                    uint32_t nodes);

/* As it is, of a model or of a builder. */
typedef struct {
    uint32_t trees, nodes, leaves, slots, sets;
    uint32_t width;        /* numbers of a leaf */
    const uint32_t *start; /* first node of each tree, and the end */
    const TreeNode *node;
    const TreeSlot *slot; /* ascending by feature */
    const uint8_t *code_bin;
    const uint32_t *set; /* 8 words each */
    const double *value; /* leaves, where width is 1, … */
    const float *values; /* … else leaves * width, or the non-zeros alone: */
    /* NULL: values is dense. Otherwise leaf i has the values from leaf_start[i] to leaf_start[i + 1],
     * of the outputs in leaf_output, ascending. */
    const uint64_t *leaf_start;
    const uint32_t *leaf_output;
    size_t code_bins;
    /* For people, each NULL where it was not kept. */
    const double *weight;       /* of each node: what its training rows weigh */
    const double *gain;         /* of each node's split */
    const double *class_weight; /* nodes * classes */
    uint32_t classes;
} Trees;

typedef struct {
    Trees trees;
    Context *context;
    const Bins *bins;
    bool with_facts; /* weight and gain of nodes are kept */
    bool with_classes;
    bool sparse;                      /* leaves keep the outputs that are not 0; set before the first tree */
    struct TreesWorkspace *workspace; /* trees.c's own */
} TreesBuilder;

Status clv_trees_init(TreesBuilder *builder, const Bins *bins, uint32_t width, bool with_facts, cleave_error *error);
/* values: width numbers for each GrowNode, of which those of leaves are read; NULL: GrowNode.value, and of
 * sparse leaves the shares of the classes; times scale. */
Status clv_trees_add(TreesBuilder *builder, const Grower *grower, const double *values, double scale,
                     cleave_error *error);
/* The value of a leaf for one output. */
double clv_leaf_value(const Trees *trees, uint32_t leaf, size_t output);
/* Forgets all trees after the first so many: early stopping. */
void clv_trees_cut(TreesBuilder *builder, uint32_t trees);
/* The trees of a builder as they are, until the next is added. Slots are in no order: to be appended, not to be asked. */
Trees clv_trees_view(const TreesBuilder *builder);
/* Puts trees of the same width behind, which may have been grown over other bins: to go on from a model. */
Status clv_trees_append(TreesBuilder *builder, const Trees *more, cleave_error *error);
Status clv_trees_put(const TreesBuilder *builder, Bundle *bundle, cleave_error *error);
/* The same without a copy of the large arrays; frees the builder. */
Status clv_trees_move(TreesBuilder *builder, Bundle *bundle, cleave_error *error);
void clv_trees_free(TreesBuilder *builder);

/* False where arrays are not there or do not fit together; clv_trees_check also looks into them (no way back to a node, no child, slot, set
 * or feature that is not there), for models from outside. */
bool clv_trees_of(const Model *model, Trees *trees);
bool clv_trees_check(const Model *model);

/* Adds to scores, rows * outputs: leaf vectors where width is outputs; where width is 1, tree t adds to output t modulo outputs. Trees from
 * first on, so many. */
Status clv_trees_add_scores(const Trees *trees, Context *context, const Block *block, uint32_t first, uint32_t count,
                            size_t outputs, double *scores, cleave_error *error);
/* Questions on the longest way to a leaf. */
uint32_t clv_trees_depth(const Trees *trees, uint32_t tree);
/* What a slot sees of a value of its feature; the node's child that a row goes to, of whose value its slot sees this. */
float clv_slot_value(const Trees *trees, const TreeSlot *slot, float value);
uint32_t clv_trees_next(const Trees *trees, const TreeNode *node, float seen);
/* The node each row ends in, of one tree. */
Status clv_trees_leaves(const Trees *trees, Context *context, const Block *block, uint32_t tree, uint32_t *nodes,
                        cleave_error *error);

#endif
