/*
 * AdaBoost (Freund and Schapire 1997), and SAMME for multiclass problems (Zhu, Zou, Rosset and
 * Hastie 2009). Each round grows a weak tree on weighted rows; misclassified rows get a larger
 * weight in the next round.
 *
 *     err   = weight of misclassified rows / weight of all rows
 *     alpha = ln((1 − err) / err) + ln(k − 1)                      times the learning rate
 *     weight of a misclassified row := weight * e^alpha
 *     vote of the predicted class    = alpha
 *
 * Binary classification has one score, half the difference of the votes: ± alpha / 2. The ensemble
 * minimizes the exponential loss.
 */
#include "learn/tree/boost.h"
#include "learn/tree/sums.h"

static uint32_t class_of_leaf(const Fit *fit, uint32_t node)
{
    const Boost *boost = fit->state;

    return clv_tree_heaviest_class(&boost->grower.tree, node);
}

/* Sums the weights of all rows and of misclassified rows; answer NULL: no row is misclassified. */
static Status weigh(const Fit *fit, const uint32_t *answer, double *all, double *wrong)
{
    const Boost *boost = fit->state;
    double sum[2];
    Status status;
    Sums sums;

    clv_sums_begin(&sums, &boost->bins, fit->error);
    for (uint32_t i = 0; i < boost->bins.rows; i++)
        sums_add(&sums, (double)boost->weight[i]);
    clv_sums_next(&sums);
    for (uint32_t i = 0; answer && i < boost->bins.rows; i++)
        if (answer[i] != boost->bins.label[i])
            sums_add(&sums, (double)boost->weight[i]);
    clv_sums_next(&sums);
    status = clv_sums_finish(&sums, sum, 2);
    *all = sum[0];
    *wrong = sum[1];
    return status;
}

/* Normalizes the weights to a mean of 1. */
static Status normalize(const Fit *fit)
{
    Boost *boost = fit->state;
    double all, wrong;

    TRY(weigh(fit, NULL, &all, &wrong));
    for (uint32_t i = 0; i < boost->bins.rows; i++)
        boost->weight[i] = (float)((double)boost->weight[i] * boost->bins.all_rows / all);
    return OK;
}

/* Finds the predicted class of each row. *err is the weighted error rate. */
static Status evaluate_tree(const Fit *fit, uint32_t *answer, double *err)
{
    Boost *boost = fit->state;
    const Grower *grower = &boost->grower;
    double wrong, all;

    for (uint32_t node = 0; node < grower->tree.nodes; node++) {
        const GrowNode *leaf = &grower->tree.node[node];
        uint32_t class = class_of_leaf(fit, node);

        for (uint32_t i = 0; leaf->left == 0 && i < leaf->rows; i++)
            answer[grower->row[leaf->first + i]] = class;
    }
    for (uint32_t i = 0; boost->rows && i < boost->bins.rows; i++)
        if (!boost->is_drawn[i])
            answer[i] = class_of_leaf(fit, clv_grow_leaf(grower, i));
    TRY(weigh(fit, answer, &all, &wrong));
    *err = all > 0 ? wrong / all : 0;
    return OK;
}

/* Computes leaf values as scores. */
static Status find_values(Fit *fit, double alpha)
{
    Boost *boost = fit->state;
    const GrowTree *tree = &boost->grower.tree;
    size_t width = fit->outputs;

    TRY(GROW(fit->context, boost->values, boost->value_capacity, tree->nodes * width, fit->error));
    memset(boost->values, 0, tree->nodes * width * sizeof *boost->values);
    for (uint32_t node = 0; node < tree->nodes; node++) {
        uint32_t class = class_of_leaf(fit, node);

        if (width == 1)
            boost->values[node] = class == fit->positive ? alpha / 2 : -alpha / 2;
        else
            boost->values[node * width + class] = alpha;
    }
    return OK;
}

Status clv_adaboost_move(Fit *fit, const uint32_t *answer, double alpha)
{
    Boost *boost = fit->state;
    size_t rows = boost->bins.rows;

    for (uint32_t i = 0; i < rows; i++) {
        if (fit->outputs == 1)
            boost->losses.score[i] += answer[i] == fit->positive ? alpha / 2 : -alpha / 2;
        else
            boost->losses.score[answer[i] * rows + i] += alpha;
        if (answer[i] != boost->bins.label[i])
            boost->weight[i] = (float)((double)boost->weight[i] * exp(alpha));
    }
    return normalize(fit);
}

/* *done: further rounds without sampling cannot change the model. A tree that is not better than
 * chance is dropped, unless it is the first tree and no other can follow. For a tree without
 * errors, half a row counts as misclassified. */
static Status add_tree(Fit *fit, uint32_t *answer, bool *done)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    double k = fit->classes < 2 ? 2 : fit->classes, least = 0.5 / boost->bins.all_rows, err, alpha;
    bool chance;

    TRY(clv_boost_draw(fit));
    TRY(clv_targets_weigh(&boost->targets, boost->weight, fit->error));
    TRY(clv_grow_tree(&boost->grower, boost->rows, boost->row_count, fit->counters.epoch,
                      fit->error));
    TRY(fit_check(fit)); /* the tree may be incomplete */
    TRY(evaluate_tree(fit, answer, &err));
    chance = err >= 1 - 1 / k;
    *done = err < least || (chance && !clv_boost_draws(fit));
    if (chance && (boost->trees.trees.trees > 0 || !*done))
        return OK;
    err = fmin(fmax(err, least), 1 - least);
    alpha = options->learning_rate * (log((1 - err) / err) + log(k - 1));
    alpha = fit->outputs > 1 ? (double)(float)alpha : alpha; /* trees store alpha as a float */
    TRY(find_values(fit, alpha));
    TRY(clv_trees_add(&boost->trees, &boost->grower, boost->values, 1, fit->error));
    return clv_adaboost_move(fit, answer, alpha);
}

static Status add_trees(Fit *fit, uint32_t *answer)
{
    Boost *boost = fit->state;
    bool done = false, more = true;
    double loss = INFINITY;
    uint32_t round = 0;

    for (; round < fit->max_epochs && more && !done; round++) {
        TRY(add_tree(fit, answer, &done));
        fit->counters.seen += boost->bins.all_rows;
        fit->counters.epoch_loss = loss = clv_losses_sum(&boost->losses);
        boost->train_errors = clv_losses_errors(&boost->losses);
        more = fit->epoch_done(fit);
    }
    if (fit->outputs == 1 && !boost->bins.collective &&
        loss < fit->problem->weight_total) /* a misclassified row adds at least 1 */
        clv_figure(fit, "train_error_bound", loss / fit->problem->weight_total);
    fit->result.complete = !fit_cancelled(fit) && (done || round == fit->max_epochs);
    return OK;
}

Status clv_adaboost_fit(Fit *fit, Dataset *dataset)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    uint32_t rows = boost->bins.rows, *answer;
    GrowOptions how = {
        .criterion = BY_GINI,
        .leaves = (uint32_t)options->max_leaves,
        .depth = (uint32_t)options->max_depth,
        .leaf_rows = (uint32_t)options->min_leaf_rows,
        .columns_of_tree = options->column_fraction,
        .seed = fit->problem->seed,
    };
    Status status;

    TRY(TAKE(fit->problem->workspace, fit->context, boost->weight, (size_t)rows + 1, "weights",
             fit->error));
    for (uint32_t i = 0; i < rows; i++)
        boost->weight[i] = boost->bins.weight ? boost->bins.weight[i] : 1;
    TRY(normalize(fit));
    TRY(clv_losses_init(&boost->losses, &boost->bins, EXPONENTIAL_LOSS, fit->outputs, fit->positive,
                        fit->error));
    TRY(clv_targets_classes(&boost->targets, &boost->bins, fit->classes, fit->error));
    TRY(clv_grower_init(&boost->grower, &boost->bins, &boost->targets, &how, fit->error));
    TRY(TAKE(fit->problem->workspace, fit->context, answer, (size_t)rows + 1, "answers",
             fit->error));
    status = boost->before.workspace ? clv_adaboost_go_on(fit, dataset) : OK;
    THEN(status, add_trees(fit, answer));
    clv_workspace_give(fit->problem->workspace, fit->context, answer);
    return status;
}
