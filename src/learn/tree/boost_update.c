/*
 * Leaf values of gradient boosting for the old and the new rows together. Boosting is repeated on
 * the new rows with the splits of the model. A leaf has the recorded weight W (second derivatives
 * of the loss of its old rows) and the value v. With the new rows of the leaf the value becomes
 *
 *     (v (W' + l2) − rate (G + A)) / (W' + H + l2)
 *
 *     A = N Σ (g − g₀)      N = max(W / H₀, leaf_rows / new rows)      W' = max(W, N H)
 *
 * g and h are the derivatives of the loss of a new row at its score by the updated trees so far, g₀
 * and h₀ those at its score by the trees of the model. G, H and H₀ are sums over the new rows. A
 * estimates the gradient of the old rows at their scores by the updated trees. The old rows are not
 * available, so each new row of the leaf represents N old rows. Without A every tree would move the
 * old rows again.
 */
#include "data/tour.h"
#include "learn/tree/boost.h"

#include <math.h>

typedef struct {
    uint32_t rows;
    double gradient, gradient_before, hessian, hessian_before;
} LeafSums;

typedef struct {
    Fit *fit;
    LeafUpdate *leaves;
    /* scores by the trees of the model; boost->losses has those by the updated trees */
    Losses before;
    Dataset *dataset;
    /* whether leaf values are unchanged, because monotone trees bound them by one another */
    bool fixed;
    uint32_t *node; /* leaf of each row of the bins in the current tree */
    LeafSums *sums; /* sums of each node of the current tree */
    size_t sum_capacity;
    /* State of one pass over the rows. */
    uint32_t tree, row;
    uint32_t *block_node;
    size_t block_capacity;
} Refit;

static Status find_leaves(void *user, const Block *block, cleave_error *error)
{
    Refit *refit = user;
    const Fit *fit = refit->fit;

    TRY(GROW(fit->context, refit->block_node, refit->block_capacity, (size_t)block->rows, error));
    TRY(clv_trees_leaves(&refit->leaves->trees, fit->context, block, refit->tree, refit->block_node,
                         error));
    for (uint32_t i = 0; i < block->rows; i++)
        if (clv_bins_takes(fit, block, i))
            refit->node[refit->row++] = refit->block_node[i];
    return OK;
}

static double hessian_of(const Losses *losses, uint32_t row)
{
    return losses->hessian ? (double)losses->hessian[row] : bins_weight(losses->bins, row);
}

static Status sum_leaves(Refit *refit)
{
    const Fit *fit = refit->fit;
    const Boost *boost = fit->state;
    const Trees *trees = &refit->leaves->trees;
    uint32_t first = trees->start[refit->tree], nodes = trees->start[refit->tree + 1] - first;

    TRY(GROW(fit->context, refit->sums, refit->sum_capacity, nodes, fit->error));
    memset(refit->sums, 0, nodes * sizeof *refit->sums);
    for (uint32_t row = 0; row < boost->bins.rows; row++) {
        LeafSums *sum = &refit->sums[refit->node[row] - first];

        if (boost->rows && !boost->is_drawn[row])
            continue;
        sum->rows++;
        sum->gradient += (double)boost->losses.gradient[row];
        sum->hessian += hessian_of(&boost->losses, row);
        sum->gradient_before += (double)refit->before.gradient[row];
        sum->hessian_before += hessian_of(&refit->before, row);
    }
    return OK;
}

static double new_value(const Fit *fit, const LeafSums *sum, double value, double weight)
{
    const BoostOptions *options = fit->options;
    double old_rows = fmax(weight / sum->hessian_before,
                           (double)options->min_leaf_rows / sum->rows);
    double gradient = sum->gradient + old_rows * (sum->gradient - sum->gradient_before);
    double curvature = fmax(weight, old_rows * sum->hessian) + options->l2,
           most = options->learning_rate * options->max_leaf_value;
    double next = (value * curvature - options->learning_rate * gradient) /
                  (curvature + sum->hessian);

    return isfinite(next) ? fmax(-most, fmin(most, next)) : value;
}

static void move_scores(Refit *refit, size_t output)
{
    Boost *boost = refit->fit->state;
    const Trees *trees = &refit->leaves->trees;
    uint32_t first = trees->start[refit->tree];
    size_t rows = boost->bins.rows;

    for (uint32_t row = 0; row < rows; row++)
        refit->before.score[output * rows + row] += trees
                                                        ->value[trees->node[refit->node[row]].leaf];
    for (uint32_t at = first; at < trees->start[refit->tree + 1]; at++) {
        const LeafSums *sum = &refit->sums[at - first];
        double *value = &refit->leaves->value[trees->node[at].leaf];

        if (refit->fixed || trees->node[at].left != at || !(sum->hessian_before > 0) ||
            !(sum->hessian > 0))
            continue;
        *value = new_value(refit->fit, sum, *value, refit->leaves->weight[at]);
        clv_leaves_add_weight(refit->leaves, at, sum->hessian, sum->rows);
    }
    for (uint32_t row = 0; row < rows; row++)
        boost->losses.score[output * rows + row] += trees
                                                        ->value[trees->node[refit->node[row]].leaf];
}

static Status refit_round(Refit *refit, uint32_t round)
{
    Fit *fit = refit->fit;
    Boost *boost = fit->state;

    fit->counters.epoch = round;
    TRY(clv_boost_draw(fit));
    clv_losses_sum(&boost->losses);
    clv_losses_sum(&refit->before);
    for (size_t c = 0; c < fit->outputs; c++) {
        if (clv_cancelled(fit->context))
            return clv_fail(fit->error, CLEAVE_ERROR_CANCELLED,
                            "interrupted: the model is unchanged");
        clv_losses_gradients(&boost->losses, c);
        clv_losses_gradients(&refit->before, c);
        refit->tree = (uint32_t)(round * fit->outputs + c);
        refit->row = 0;
        TRY(clv_tour_all(refit->dataset, find_leaves, refit, fit->error));
        TRY(sum_leaves(refit));
        move_scores(refit, c);
    }
    return OK;
}

static void set_start(const Boost *boost, Losses *losses)
{
    size_t rows = boost->bins.rows;

    memcpy(losses->start, boost->start, losses->outputs * sizeof *losses->start);
    for (size_t i = 0; i < rows * losses->outputs; i++)
        losses->score[i] = boost->start[i / rows];
}

Status clv_boost_refit(Fit *fit, Dataset *dataset, LeafUpdate *leaves)
{
    Boost *boost = fit->state;
    const char *monotone = ((const BoostOptions *)fit->options)->monotone;
    Refit refit = {
        .fit = fit, .leaves = leaves, .dataset = dataset, .fixed = monotone && *monotone};
    uint32_t rounds = leaves->trees.trees / (uint32_t)fit->outputs, round = fit->counters.epoch;
    Status status = clv_losses_init(&refit.before, &boost->bins, boost->losses.loss, fit->outputs,
                                    fit->positive, fit->error);

    THEN(status, TAKE(fit->problem->workspace, fit->context, refit.node,
                      (size_t)boost->bins.rows + 1, "leaves", fit->error));
    if (status == OK) {
        set_start(boost, &boost->losses);
        set_start(boost, &refit.before);
    }
    for (uint32_t i = 0; status == OK && i < rounds; i++)
        status = refit_round(&refit, i);
    fit->counters.epoch = round;
    clv_losses_free(&refit.before);
    clv_workspace_give(fit->problem->workspace, fit->context, refit.node);
    FREE(fit->context, refit.sums, refit.block_node);
    return status;
}
