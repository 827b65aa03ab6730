/*
 * Pictures of random trees, bushy, thin and one-sided, with long and short words, with and without
 * labels on the lines: boxes do not touch, children are on the next level, a parent is centered
 * above its children, and everything is within the sheet, for both directions.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "plot/tree_chart.h"

enum { MOST = 401, TREES = 400 };
static const uint64_t SEED = 20261116;

typedef struct {
    cleave_plot_node nodes[MOST];
    cleave_plot_tree tree;
    double weights[2];
    Random random;
} Made;

static size_t below(Made *made, size_t count)
{
    return (size_t)(clv_random_unit(&made->random) * (double)count);
}

static const char *some_text(Made *made)
{
    static const char *const texts[] = {
        "",
        "x",
        "height <= 7.25",
        "occupation is one of Adm-clerical, Exec-managerial or 12 more",
        "averylongnamewithoutanyspaceinitthatdoesnotfitintoanybox < 3",
        "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E is \xE6\x97\xA5"};

    return texts[below(made, sizeof texts / sizeof *texts)];
}

/* Splits leaves at random: with lean 1 always the newest, which makes chains. */
static void make(Made *made, size_t questions, double lean)
{
    size_t leaves[MOST], leaf_count = 1, count = 1;

    leaves[0] = 0;
    for (size_t i = 0; i < questions; i++) {
        size_t chosen = clv_random_unit(&made->random) < lean ? leaf_count - 1
                                                              : below(made, leaf_count);
        size_t node = leaves[chosen];

        made->nodes[node].yes = count;
        made->nodes[node].no = count + 1;
        leaves[chosen] = leaves[leaf_count - 1];
        leaves[leaf_count - 1] = count + below(made, 2);
        leaves[leaf_count] = 2 * count + 1 - leaves[leaf_count - 1];
        leaf_count++;
        count += 2;
    }
    made->tree = (cleave_plot_tree){.node_count = count, .class_count = 2, .nodes = made->nodes};
}

static void clear(Made *made)
{
    for (size_t i = 0; i < MOST; i++)
        made->nodes[i] = (cleave_plot_node){.text = some_text(made),
                                            .yes = SIZE_MAX,
                                            .no = SIZE_MAX,
                                            .missing = (int)below(made, 3) - 1,
                                            .label = SIZE_MAX,
                                            .value = below(made, 2) ? 1.5 : (double)NAN,
                                            .weight = below(made, 2) ? 1000 : (double)NAN,
                                            .class_weight = below(made, 2) ? made->weights : NULL};
}

static bool apart(const Area *a, const Area *b)
{
    return a->left + a->width <= b->left || b->left + b->width <= a->left ||
           a->top + a->height <= b->top || b->top + b->height <= a->top;
}

static void check(const Made *made, const TreeLayout *layout, size_t tree)
{
    const double edge = 1e-6;

    for (size_t i = 0; i < made->tree.node_count; i++) {
        const Area *box = &layout->boxes[i].box;
        size_t yes = made->nodes[i].yes, no = made->nodes[i].no;

        if (box->left < -edge || box->top < -edge ||
            box->left + box->width > layout->width + edge ||
            box->top + box->height > layout->height + edge)
            fail_msg("seed %llu, tree %zu: node %zu is beside the sheet", (unsigned long long)SEED,
                     tree, i);
        for (size_t j = 0; j < i; j++)
            if (!apart(box, &layout->boxes[j].box))
                fail_msg("seed %llu, tree %zu: nodes %zu and %zu overlap", (unsigned long long)SEED,
                         tree, i, j);
        if (yes == SIZE_MAX)
            continue;
        if (layout->node[yes].level != layout->node[i].level + 1 ||
            layout->node[no].level != layout->node[i].level + 1 ||
            fabs((layout->node[yes].at + layout->node[no].at) / 2 - layout->node[i].at) > edge ||
            layout->node[yes].at >= layout->node[no].at)
            fail_msg("seed %llu, tree %zu: children of node %zu stand wrong",
                     (unsigned long long)SEED, tree, i);
    }
}

static void no_two_nodes_overlap(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    static Made made;
    size_t sideways = 0;

    (void)state;
    made.weights[0] = made.weights[1] = 500;
    made.random = clv_random(SEED, 8);
    for (size_t i = 0; i < TREES; i++) {
        TreeLayout layout;

        clear(&made);
        make(&made, i < 4 ? i : below(&made, i % 20 ? 40 : MOST / 2), (double)(i % 5) / 4);
        assert_int_equal(clv_tree_layout(&layout, context, &made.tree, NULL), OK);
        check(&made, &layout, i);
        sideways += layout.sideways;
        clv_tree_layout_free(&layout);
    }
    cleave_context_free(context);
    assert_in_range(sideways, TREES / 10, TREES - TREES / 10);
}

/* Equal shapes are drawn equally: two equal subtrees of a root have the same width. */
static void like_shapes_look_alike(void **state)
{
    TidyNode nodes[] = {{.child = {1, 2}},
                        {.child = {3, 4}},
                        {.child = {5, 6}},
                        {.child = {NO_NODE, NO_NODE}},
                        {.child = {7, 8}},
                        {.child = {NO_NODE, NO_NODE}},
                        {.child = {9, 10}},
                        {.child = {NO_NODE, NO_NODE}},
                        {.child = {NO_NODE, NO_NODE}},
                        {.child = {NO_NODE, NO_NODE}},
                        {.child = {NO_NODE, NO_NODE}}};

    (void)state;
    for (size_t i = 0; i < 11; i++)
        nodes[i].reach[0] = nodes[i].reach[1] = 5;
    clv_tidy(nodes, 11, 2);
    for (size_t i = 0; i < 4; i++) {
        static const size_t left[] = {3, 4, 7, 8}, right[] = {5, 6, 9, 10};

        assert_true(fabs((nodes[left[i]].at - nodes[1].at) - (nodes[right[i]].at - nodes[2].at)) <
                    1e-9);
    }
    /* 8 and 5 are on different levels, 8 and 9 are on the same: those two determine the distance of
     * the subtrees. */
    assert_true(fabs(nodes[9].at - nodes[8].at - 12) < 1e-9);
    assert_true(nodes[0].level == 0 && nodes[10].level == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_nodes_overlap),
        cmocka_unit_test(like_shapes_look_alike),
    };

    printf("seed %llu\n", (unsigned long long)SEED);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
