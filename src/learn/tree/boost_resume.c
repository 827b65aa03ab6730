/*
 * Warm start of boosting: the training rows pass through the model's trees in the order of growth,
 * which restores their scores. Additions happen in the same order, and random draws depend on the
 * numbers of rounds and trees, which continue. With the same data, seed and options, the result is
 * bit-identical to one longer run.
 *
 *     gradient boosting   score = start + Σ value of the leaf
 *     AdaBoost            votes are counted again, because row weights depend on all earlier rounds
 */
#include "data/tour.h"
#include "learn/tree/boost.h"

enum { TOGETHER = 16 }; /* trees per visit of the rows; their leaves take 64 bytes per row */

typedef struct {
    const Fit *fit;
    Trees trees;
    uint32_t row; /* next row of the bins */
    double *scores;
    /* AdaBoost: number of the first tree, leaves of the rows of a block, and predicted classes,
     * tree by tree. */
    uint32_t first, count;
    uint32_t *node, *answer;
    size_t capacity;
} Going;

/* ---- scores ---------------------------------------------------------------------------------- */

static Status add_scores(void *user, const Block *block, cleave_error *error)
{
    Going *going = user;
    const Fit *fit = going->fit;
    const Boost *boost = fit->state;
    size_t outputs = fit->outputs;

    TRY(GROW(fit->context, going->scores, going->capacity, block->rows * outputs, error));
    for (uint32_t i = 0; i < block->rows; i++)
        memcpy(going->scores + i * outputs, boost->start, outputs * sizeof *boost->start);
    TRY(clv_trees_add_scores(&going->trees, fit->context, block, 0, going->trees.trees, outputs,
                             going->scores, error));
    for (uint32_t i = 0; i < block->rows; i++) {
        if (!clv_bins_takes(fit, block, i))
            continue;
        for (size_t c = 0; c < outputs; c++)
            boost->losses.score[c * boost->bins.rows + going->row] = going->scores[i * outputs + c];
        going->row++;
    }
    return OK;
}

Status clv_boost_go_on(Fit *fit, Dataset *dataset)
{
    Boost *boost = fit->state;
    Going going = {.fit = fit, .trees = clv_trees_view(&boost->before)};
    Status status;

    memcpy(boost->losses.start, boost->start, fit->outputs * sizeof *boost->start);
    status = clv_tour_all(dataset, add_scores, &going, fit->error);
    clv_free(fit->context, going.scores);
    return status;
}

/* ---- votes ----------------------------------------------------------------------------------- */

static uint32_t class_of(const Going *going, uint32_t node)
{
    const Trees *trees = &going->trees;
    uint32_t leaf = trees->node[node].leaf, positive = going->fit->positive, class = 0;
    const float *values;

    if (trees->width == 1)
        return trees->value[leaf] > 0 ? positive : 1 - positive;
    values = trees->values + (size_t)leaf * trees->width;
    for (uint32_t c = 1; c < trees->width; c++)
        if (fabsf(values[c]) > fabsf(values[class]))
            class = c;
    return class;
}

/* The weight alpha of a tree. All its votes are equal. In binary classification, the score is half
 * of the votes. */
static double alpha_of(const Going *going, uint32_t tree)
{
    const Trees *trees = &going->trees;
    uint32_t node = trees->start[tree];

    while (trees->node[node].left != node)
        node = trees->node[node].left;
    return trees->width == 1 ? 2 * fabs(trees->value[trees->node[node].leaf])
                             : (double)trees->values[(size_t)trees->node[node].leaf * trees->width +
                                                     class_of(going, node)];
}

static Status find_predictions(void *user, const Block *block, cleave_error *error)
{
    Going *going = user;
    const Fit *fit = going->fit;
    uint32_t rows = ((const Boost *)fit->state)->bins.rows, end = going->row;

    TRY(GROW(fit->context, going->node, going->capacity, block->rows, error));
    for (uint32_t t = 0; t < going->count; t++) {
        TRY(clv_trees_leaves(&going->trees, fit->context, block, going->first + t, going->node,
                             error));
        end = going->row;
        for (uint32_t i = 0; i < block->rows; i++)
            if (clv_bins_takes(fit, block, i))
                going->answer[(size_t)t * rows + end++] = class_of(going, going->node[i]);
    }
    going->row = end;
    return OK;
}

static Status count_votes(Fit *fit, Going *going, Dataset *dataset)
{
    const Boost *boost = fit->state;

    for (; going->first < going->trees.trees; going->first += TOGETHER) {
        uint32_t left = going->trees.trees - going->first;

        going->count = left < TOGETHER ? left : TOGETHER;
        going->row = 0;
        TRY(clv_tour_all(dataset, find_predictions, going, fit->error));
        for (uint32_t t = 0; t < going->count; t++)
            TRY(clv_adaboost_move(fit, going->answer + (size_t)t * boost->bins.rows,
                                  alpha_of(going, going->first + t)));
    }
    return OK;
}

Status clv_adaboost_go_on(Fit *fit, Dataset *dataset)
{
    const Boost *boost = fit->state;
    Going going = {.fit = fit, .trees = clv_trees_view(&boost->before)};
    Status status;

    TRY(TAKE(fit->problem->workspace, fit->context, going.answer,
             (size_t)boost->bins.rows * TOGETHER, "answers", fit->error));
    status = count_votes(fit, &going, dataset);
    clv_workspace_give(fit->problem->workspace, fit->context, going.answer);
    clv_free(fit->context, going.node);
    return status;
}
