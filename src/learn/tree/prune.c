#include "learn/tree/prune.h"

#include <math.h>
#include <stdlib.h>

#define LEAVES_RATIO                                                                               \
    1.03 /* least ratio of the leaf counts of consecutive trees in long sequences */

/* ---- the weakest link ------------------------------------------------------------------------ */

/* A subtree that has not been pruned. */
typedef struct {
    uint32_t parent, leaves;
    double gain;    /* gain of all splits in the subtree */
    uint32_t place; /* position in the heap; 0: not in the heap */
} Subtree;

typedef struct {
    const GrowTree *tree;
    Subtree *of;
    uint32_t *heap; /* heap from index 1; the subtree with the smallest gain per leaf is first */
    uint32_t count;
} Links;

/* Mean gain of the splits of a subtree per removed leaf: the alpha at which it is pruned. */
static double strength(const Links *links, uint32_t node)
{
    return links->of[node].gain / (links->of[node].leaves - 1);
}

static bool is_weaker(const Links *links, uint32_t a, uint32_t b)
{
    double first = strength(links, a), second = strength(links, b);

    return first < second || (first == second && a < b);
}

static void put(Links *links, uint32_t place, uint32_t node)
{
    links->heap[place] = node;
    links->of[node].place = place;
}

static void sift_down(Links *links, uint32_t place)
{
    uint32_t node = links->heap[place];

    for (uint32_t child; (child = 2 * place) <= links->count; place = child) {
        if (child < links->count && is_weaker(links, links->heap[child + 1], links->heap[child]))
            child++;
        if (!is_weaker(links, links->heap[child], node))
            break;
        put(links, place, links->heap[child]);
    }
    put(links, place, node);
}

static void sift_up(Links *links, uint32_t place)
{
    uint32_t node = links->heap[place];

    for (; place > 1 && is_weaker(links, node, links->heap[place / 2]); place /= 2)
        put(links, place, links->heap[place / 2]);
    put(links, place, node);
}

static void take_out(Links *links, uint32_t node)
{
    uint32_t place = links->of[node].place, last = links->heap[links->count--];

    links->of[node].place = 0;
    if (last == node)
        return;
    put(links, place, last);
    sift_up(links, place);
    sift_down(links, links->of[last].place);
}

static void sum_subtree(Links *links, uint32_t node)
{
    const GrowNode *split = &links->tree->node[node];
    const Subtree *left = &links->of[split->left], *right = left + 1;

    links->of[node].gain = split->gain + (left->gain + right->gain);
    links->of[node].leaves = left->leaves + right->leaves;
}

static void find_links(Links *links)
{
    const GrowTree *tree = links->tree;

    for (uint32_t i = tree->nodes; i-- > 0;) {
        links->of[i].leaves = 1;
        if (tree->node[i].left == 0)
            continue;
        links->of[tree->node[i].left].parent = links->of[tree->node[i].left + 1].parent = i;
        sum_subtree(links, i);
        put(links, ++links->count, i);
    }
    for (uint32_t place = links->count / 2; place > 0; place--)
        sift_down(links, place);
}

/* Updates the ancestors up to the root or a pruned node. */
static void update_ancestors(Links *links, uint32_t node)
{
    while (node != 0 && links->of[node = links->of[node].parent].place) {
        sum_subtree(links, node);
        sift_up(links, links->of[node].place);
        sift_down(links, links->of[node].place);
    }
}

/* Prunes in the order of alpha. The strength of a subtree does not decrease when a part of it is
 * pruned, so that alphas are ascending up to rounding. Splits below a pruned node stay in the heap.
 * They are removed later, with a larger alpha, and have no effect on the nodes above. */
static void cut_all(Context *context, Links *links, double *alpha)
{
    enum { CUT_UNITS = 1000 };
    const GrowTree *tree = links->tree;
    double weight = tree->node[0].hessian, at = 0;
    uint64_t done = 0;

    while (links->count > 0) {
        uint32_t weakest = links->heap[1];

        at = fmax(at, strength(links, weakest) / weight);
        alpha[weakest] = at;
        take_out(links, weakest);
        links->of[weakest].gain = 0;
        links->of[weakest].leaves = 1;
        update_ancestors(links, weakest);
        clv_tick_after(context, &done, CUT_UNITS);
    }
    for (uint32_t i = 0; i < tree->nodes; i++)
        for (uint32_t child = tree->node[i].left; child && child <= tree->node[i].left + 1; child++)
            alpha[child] = fmin(alpha[child], alpha[i]);
}

Status clv_prune_alphas(Context *context, const GrowTree *tree, double *alpha, cleave_error *error)
{
    Links links = {.tree = tree};
    size_t nodes = tree->nodes;

    links.of = clv_alloc_zero(context, nodes, sizeof *links.of);
    links.heap = clv_alloc(context, nodes + 1, sizeof *links.heap);
    memset(alpha, 0, nodes * sizeof *alpha);
    if (links.of && links.heap) {
        find_links(&links);
        cut_all(context, &links, alpha);
    }
    FREE(context, links.heap, links.of);
    return links.of && links.heap ? OK
                                  : clv_fail_memory(error, "pruning", nodes * sizeof *links.of);
}

/* ---- the sequence ---------------------------------------------------------------------------- */

static int compare_descending(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;

    return (first < second) - (first > second);
}

/* sorted: alphas of all splits in descending order. With the first k splits the tree has k + 1
 * leaves. */
static void find_steps(const double *sorted, uint32_t splits, PruneSequence *sequence)
{
    PruneStep *step = sequence->step;
    double next = INFINITY;
    uint32_t count = 0, last = 0;

    for (uint32_t k = 0; k <= splits; k++) {
        double alpha = k < splits ? sorted[k] : 0;

        if (k < splits && k > 0 && sorted[k - 1] == alpha)
            continue;
        if (k == splits || k + 1 >= last * LEAVES_RATIO) {
            step[count++] = (PruneStep){
                .alpha = alpha, .midpoint = k ? sqrt(alpha * next) : INFINITY, .leaves = k + 1};
            last = k + 1;
        }
        next = alpha;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        PruneStep other = step[i];

        step[i] = step[count - 1 - i];
        step[count - 1 - i] = other;
    }
    sequence->count = count;
}

Status clv_prune_sequence(Context *context, const GrowTree *tree, const double *alpha,
                          PruneSequence *sequence, cleave_error *error)
{
    uint32_t splits = tree->leaves - 1, count = 0;
    double *sorted = clv_alloc(context, (size_t)splits + 1, sizeof *sorted);

    sequence->step = clv_alloc(context, (size_t)splits + 1, sizeof *sequence->step);
    sequence->count = 0;
    if (sorted && sequence->step) {
        for (uint32_t i = 0; i < tree->nodes; i++)
            if (tree->node[i].left)
                sorted[count++] = alpha[i];
        qsort(sorted, count, sizeof *sorted, compare_descending);
        find_steps(sorted, count, sequence);
    }
    clv_free(context, sorted);
    return sorted && sequence->step
               ? OK
               : clv_fail_memory(error, "pruning", splits * sizeof *sequence->step);
}

void clv_prune_tree(GrowTree *tree, const double *alphas, double alpha)
{
    for (uint32_t i = 0; i < tree->nodes; i++)
        if (tree->node[i].left && alphas[i] <= alpha) {
            tree->node[i].left = 0;
            tree->leaves--;
        }
}
