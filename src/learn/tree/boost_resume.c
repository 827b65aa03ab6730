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
} RestoredScores;

/* ---- scores ---------------------------------------------------------------------------------- */

static Status add_scores(void *user, const Block *block, cleave_error *error)
{
    RestoredScores *restored = user;
    const Fit *fit = restored->fit;
    const Boost *boost = fit->state;
    size_t outputs = fit->outputs;

    TRY(GROW(fit->context, restored->scores, restored->capacity, block->rows * outputs, error));
    for (uint32_t i = 0; i < block->rows; i++)
        memcpy(restored->scores + i * outputs, boost->start, outputs * sizeof *boost->start);
    TRY(clv_trees_add_scores(&restored->trees, fit->context, block, 0, restored->trees.trees,
                             outputs, restored->scores, error));
    for (uint32_t i = 0; i < block->rows; i++) {
        if (!clv_bins_takes(fit, block, i))
            continue;
        for (size_t c = 0; c < outputs; c++)
            boost->losses.score[c * boost->bins.rows + restored->row] =
                restored->scores[i * outputs + c];
        restored->row++;
    }
    return OK;
}

Status clv_boost_restore_scores(Fit *fit, Dataset *dataset)
{
    Boost *boost = fit->state;
    RestoredScores restored = {.fit = fit, .trees = clv_trees_view(&boost->before)};
    Status status;

    memcpy(boost->losses.start, boost->start, fit->outputs * sizeof *boost->start);
    status = clv_tour_all(dataset, add_scores, &restored, fit->error);
    clv_free(fit->context, restored.scores);
    return status;
}

/* ---- votes ----------------------------------------------------------------------------------- */

static uint32_t class_of(const RestoredScores *restored, uint32_t node)
{
    const Trees *trees = &restored->trees;
    uint32_t leaf = trees->node[node].leaf, positive = restored->fit->positive, class = 0;
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
static double alpha_of(const RestoredScores *restored, uint32_t tree)
{
    const Trees *trees = &restored->trees;
    uint32_t node = trees->start[tree];

    while (trees->node[node].left != node)
        node = trees->node[node].left;
    return trees->width == 1 ? 2 * fabs(trees->value[trees->node[node].leaf])
                             : (double)trees->values[(size_t)trees->node[node].leaf * trees->width +
                                                     class_of(restored, node)];
}

static Status find_predictions(void *user, const Block *block, cleave_error *error)
{
    RestoredScores *restored = user;
    const Fit *fit = restored->fit;
    uint32_t rows = ((const Boost *)fit->state)->bins.rows, end = restored->row;

    TRY(GROW(fit->context, restored->node, restored->capacity, block->rows, error));
    for (uint32_t t = 0; t < restored->count; t++) {
        TRY(clv_trees_leaves(&restored->trees, fit->context, block, restored->first + t,
                             restored->node, error));
        end = restored->row;
        for (uint32_t i = 0; i < block->rows; i++)
            if (clv_bins_takes(fit, block, i))
                restored->answer[(size_t)t * rows + end++] = class_of(restored, restored->node[i]);
    }
    restored->row = end;
    return OK;
}

static Status count_votes(Fit *fit, RestoredScores *restored, Dataset *dataset)
{
    const Boost *boost = fit->state;

    for (; restored->first < restored->trees.trees; restored->first += TOGETHER) {
        uint32_t left = restored->trees.trees - restored->first;

        restored->count = left < TOGETHER ? left : TOGETHER;
        restored->row = 0;
        TRY(clv_tour_all(dataset, find_predictions, restored, fit->error));
        for (uint32_t t = 0; t < restored->count; t++)
            TRY(clv_adaboost_move(fit, restored->answer + (size_t)t * boost->bins.rows,
                                  alpha_of(restored, restored->first + t)));
    }
    return OK;
}

Status clv_adaboost_go_on(Fit *fit, Dataset *dataset)
{
    const Boost *boost = fit->state;
    RestoredScores restored = {.fit = fit, .trees = clv_trees_view(&boost->before)};
    Status status;

    TRY(TAKE(fit->problem->workspace, fit->context, restored.answer,
             (size_t)boost->bins.rows * TOGETHER, "answers", fit->error));
    status = count_votes(fit, &restored, dataset);
    clv_workspace_give(fit->problem->workspace, fit->context, restored.answer);
    clv_free(fit->context, restored.node);
    return status;
}
