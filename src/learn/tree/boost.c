/*
 * Gradient boosting (Friedman, Hastie and Tibshirani 2000; Friedman 2001, 2002): each round adds a
 * tree that reduces the loss of the sum. A tree is grown from the first and second derivatives of
 * the loss at each row's score. The value of a leaf is Newton's step −G / (H + l2), multiplied by
 * the learning rate.
 *
 *     score = start + rate Σ value of the leaf
 *
 *     regression   squared loss, one tree per round
 *     binary       logistic loss, one tree per round; probability 1 / (1 + e^−score)
 *     multiclass   softmax, one tree per class and round
 *
 * Defaults follow LightGBM (Ke et al. 2017).
 */
#include "learn/tree/boost.h"

#include "base/machine.h"
#include "base/pool.h"
#include "base/random.h"
#include "learn/tree/part.h"
#include "learn/tree/paths.h"

static const char *const losses[] = {"log", "exponential", NULL};

enum {
    DEFAULT_LEAVES = 31,
    MOST_CLASSES = 4096, /* one tree per class and round */
    WEAK_LEAVES = 8,     /* maximum number of leaves of a tree of AdaBoost */
    CATEGORY_ROWS = 10,
    DEFAULT_ROUNDS = 100,
};
#define DEFAULT_RATE 0.1
/* Newton's step is unbounded where hessians vanish: kdd99 diverges without this limit */
#define MOST_VALUE 10

#define BOOST_PARAMS(default_rate, default_leaves, default_value)                                  \
    REAL(BoostOptions, learning_rate, 0, WITHIN(0, 1),                                             \
         "Learning rate; shrinks the contribution of each tree.", DEFAULT(default_rate),           \
         TUNE_LOG(0.02, 0.5)),                                                                     \
        INTEGER(BoostOptions, max_leaves, 0, WITHIN(0, 65536),                                     \
                "Maximum number of leaves of a tree.\n"                                            \
                "Leaves are split in order of gain.",                                              \
                DEFAULT(default_leaves), TUNE_LOG(4, 200)),                                        \
        INTEGER(BoostOptions, max_depth, 0, WITHIN(0, 65535), "Maximum depth of a tree.",          \
                DEFAULT("no limit")),                                                              \
        INTEGER(BoostOptions, min_leaf_rows, 20, WITHIN(1, INT32_MAX),                             \
                "Minimum number of training rows in a leaf.", TUNE_LOG(5, 200)),                   \
        REAL(BoostOptions, min_leaf_hessian, 1e-3, AT_LEAST(0),                                    \
             "Minimum sum of second derivatives in a leaf."),                                      \
        REAL(BoostOptions, l2, 0, AT_LEAST(0), "L2 regularization of the leaf values.",            \
             TUNE_LOG(1e-3, 100)),                                                                 \
        REAL_OR_INF(BoostOptions, max_leaf_value, 0, AT_LEAST(0),                                  \
                    "Maximum absolute leaf value before the learning rate is applied.",            \
                    DEFAULT(default_value)),                                                       \
        REAL(BoostOptions, row_fraction, 1, ABOVE_WITHIN(0, 1),                                    \
             "Fraction of the rows sampled for each round."),                                      \
        REAL(BoostOptions, column_fraction, 1, ABOVE_WITHIN(0, 1),                                 \
             "Fraction of the columns sampled for each tree."),                                    \
        REAL(BoostOptions, category_l2, 10, AT_LEAST(0),                                           \
             "Additional L2 regularization of categorical splits."),                               \
        REAL(BoostOptions, category_smooth, 10, AT_LEAST(0),                                       \
             "Smoothing of the statistics by which categories are sorted."),                       \
        TEXT(BoostOptions, monotone, NULL, "Monotone constraints, e.g. age=+,income=-."),          \
        INTEGER(BoostOptions, max_bins, 255, WITHIN(2, 255),                                       \
                "Maximum number of histogram bins of a numeric column.")
#define ABOVE_WITHIN(low, high) .min = (low), .min_open = true, .max = (high)

static const Param class_params[] = {
    BOOST_PARAMS("0.1, or 1 with exponential loss", "31, or 8 with exponential loss", "10"),
    NAME(BoostOptions, loss, LOG_LOSS, losses,
         "Loss function: log loss, or exponential loss (AdaBoost)."),
    END_OF_PARAMS,
};

static const Param number_params[] = {
    BOOST_PARAMS("0.1", "31", "no limit"),
    END_OF_PARAMS,
};

static uint32_t default_epochs(const void *options)
{
    (void)options;
    return DEFAULT_ROUNDS;
}

static EpochKind epoch_kind(const void *options)
{
    (void)options;
    return EPOCH_ROUND;
}

static Status check(void *options, cleave_error *error)
{
    const BoostOptions *boost = options;

    if (boost->loss == EXPONENTIAL && boost->monotone && *boost->monotone)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--monotone requires --loss log: the trees of AdaBoost predict classes");
    return OK;
}

static Status choose(Fit *fit, void *options)
{
    BoostOptions *boost = options;
    bool weak = boost->loss == EXPONENTIAL;

    if (!weak && fit->classes > MOST_CLASSES)
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_DATA,
            "use boost-regression for numeric targets, or forest or --loss exponential "
            "for more classes",
            "--loss log grows one tree per class and round and supports at most %d classes, "
            "found %u",
            MOST_CLASSES, fit->classes);
    if (boost->max_leaf_value == 0)
        boost->max_leaf_value = fit->task == CLEAVE_TASK_REGRESSION ? (double)INFINITY : MOST_VALUE;
    if (boost->learning_rate == 0)
        boost->learning_rate = weak ? 1 : DEFAULT_RATE;
    if (boost->max_leaves == 0)
        boost->max_leaves = weak ? WEAK_LEAVES : DEFAULT_LEAVES;
    return OK;
}

static Status begin(Fit *fit)
{
    Boost *boost = fit->state;

    return ALLOC_ZERO(fit->context, boost->start, fit->outputs, "scores", fit->error);
}

static void free_growing(Fit *fit)
{
    Boost *boost = fit->state;

    clv_grower_free(&boost->grower);
    clv_targets_free(&boost->targets);
    clv_losses_free(&boost->losses);
    clv_bins_free(&boost->bins);
    clv_free(fit->context, boost->monotone);
    clv_workspace_give(fit->problem->workspace, fit->context, boost->rows);
    clv_workspace_give(fit->problem->workspace, fit->context, boost->is_drawn);
    clv_free(fit->context, boost->values);
    clv_workspace_give(fit->problem->workspace, fit->context, boost->weight);
    boost->monotone = NULL;
    boost->rows = NULL;
    boost->is_drawn = NULL;
    boost->values = NULL;
    boost->weight = NULL;
    boost->value_capacity = 0;
}

static void free_state(Fit *fit)
{
    Boost *boost = fit->state;

    free_growing(fit);
    clv_trees_free(&boost->before);
    clv_trees_free(&boost->trees);
    clv_free(fit->context, boost->start);
}

/* ---- sampled rows ---------------------------------------------------------------------------- */

Status clv_boost_draw(Fit *fit)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    uint32_t rows = boost->bins.rows;

    boost->row_count = rows;
    if (options->row_fraction >= 1)
        return OK;
    if (!boost->rows) {
        TRY(TAKE(fit->problem->workspace, fit->context, boost->rows, (size_t)rows + 1, "rows",
                 fit->error));
        TRY(TAKE(fit->problem->workspace, fit->context, boost->is_drawn, (size_t)rows + 1, "rows",
                 fit->error));
    }
    boost->row_count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        Random random = clv_random(clv_mix(fit->problem->seed) + fit->counters.epoch,
                                   (uint64_t)boost->bins.first + i);

        boost->is_drawn[i] = clv_random_unit(&random) < options->row_fraction;
        boost->rows[boost->row_count] = i;
        boost->row_count += boost->is_drawn[i];
    }
    return OK;
}

/* ---- a round --------------------------------------------------------------------------------- */

typedef struct {
    const Boost *boost;
    double *score;
    double scale;
} Moving;

/* Adds the value of a leaf to the scores of its rows, which are adjacent. */
static void move_leaf(void *user, uint32_t task, unsigned worker)
{
    const Moving *moving = user;
    const Grower *grower = &moving->boost->grower;
    const GrowNode *node = &grower->tree.node[task];
    double step = moving->scale * node->value;
    const uint32_t *rows = grower->row + node->first;

    (void)worker;
    for (uint32_t i = 0; node->left == 0 && i < node->rows; i++)
        moving->score[rows[i]] += step;
}

/* The factor of a step. In an update it is the fraction of the new rows, because the old rows of a
 * leaf, which the model fits, are not available. */
static double step_of(const Boost *boost, const BoostOptions *options)
{
    return boost->update_share > 0 ? options->learning_rate * boost->update_share
                                   : options->learning_rate;
}

static void move_scores(Fit *fit, size_t output)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    const Bins *bins = &boost->bins;
    Moving moving = {boost, boost->losses.score + output * bins->rows, step_of(boost, options)};

    clv_pool_run(fit->context, boost->grower.tree.nodes, move_leaf, &moving);
    for (uint32_t i = 0; boost->rows && i < bins->rows; i++)
        if (!boost->is_drawn[i])
            moving.score[i] += moving.scale *
                               boost->grower.tree.node[clv_grow_leaf(&boost->grower, i)].value;
}

/* Grows the trees of a round. Sets *grown if at least one of them has a split. */
static Status grow_round(Fit *fit, bool *grown)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;

    *grown = false;
    TRY(clv_boost_draw(fit));
    for (size_t c = 0; c < fit->outputs && !fit_cancelled(fit); c++) {
        clv_losses_gradients(&boost->losses, c);
        boost->targets.dither = 1 + boost->trees.trees.trees;
        TRY(clv_targets_set(&boost->targets, boost->losses.gradient,
                            boost->losses.hessian ? boost->losses.hessian : boost->bins.weight,
                            fit->error));
        TRY(clv_grow_tree(&boost->grower, boost->rows, boost->row_count, boost->trees.trees.trees,
                          fit->error));
        if (boost->update_share > 0 && boost->grower.tree.leaves == 1)
            /* few new rows must not change the score of all rows */
            boost->grower.tree.node[0].value = 0;
        TRY(clv_trees_add(&boost->trees, &boost->grower, NULL, step_of(boost, options),
                          fit->error));
        move_scores(fit, c);
        *grown = *grown || boost->grower.tree.leaves > 1;
    }
    return OK;
}

static BoostLoss loss_of(const Fit *fit)
{
    return fit->task == CLEAVE_TASK_REGRESSION ? SQUARED_LOSS
           : fit->outputs == 1                 ? LOGISTIC_LOSS
                                               : SOFTMAX_LOSS;
}

static GrowOptions grow_options(const Fit *fit)
{
    const BoostOptions *options = fit->options;
    const Boost *boost = fit->state;

    return (GrowOptions){
        .criterion = BY_GRADIENT,
        .leaves = (uint32_t)options->max_leaves,
        .depth = (uint32_t)options->max_depth,
        .leaf_rows = (uint32_t)options->min_leaf_rows,
        .leaf_hessian = options->min_leaf_hessian,
        .l2 = options->l2,
        .most_value = options->max_leaf_value,
        .category_l2 = options->category_l2,
        .category_smooth = options->category_smooth,
        .category_rows = CATEGORY_ROWS,
        .columns_of_tree = options->column_fraction,
        .seed = fit->problem->seed,
        .monotone = boost->monotone,
        .features = fit->features,
    };
}

bool clv_boost_draws(const Fit *fit)
{
    const BoostOptions *options = fit->options;

    return options->row_fraction < 1 || options->column_fraction < 1;
}

/* An interrupted round is incomplete and does not count. Boosting ends after the last round, or
 * when no split is left. If rounds sample rows or columns, training continues, because the next
 * round may find a split. */
static Status boost_rounds(Fit *fit)
{
    Boost *boost = fit->state;
    bool grown = true, more = true;
    uint32_t round = 0;

    clv_losses_sum(&boost->losses);
    for (; round < fit->max_epochs && more && grown; round++) {
        uint32_t trees = boost->trees.trees.trees;
        Status status;

        TRY(grow_round(fit, &grown));
        status = fit_check(fit);
        if (status != OK || (boost->update_share > 0 && !grown))
            clv_trees_cut(&boost->trees, trees);
        TRY(status);
        fit->counters.seen += boost->bins.all_rows;
        fit->counters.epoch_loss = clv_losses_sum(&boost->losses);
        boost->train_errors = clv_losses_errors(&boost->losses);
        more = fit->epoch_done(fit);
        grown = grown || clv_boost_draws(fit);
    }
    fit->result.complete = !fit_cancelled(fit) && (!grown || round == fit->max_epochs);
    return OK;
}

/* Grows all rounds. The losses are initialized already. */
static Status grow_rounds(Fit *fit)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    GrowOptions how;

    TRY(clv_monotone_read(fit, options->monotone, &boost->monotone));
    how = grow_options(fit);
    TRY(clv_targets_gradients(&boost->targets, &boost->bins, fit->error));
    boost->targets.unbounded = boost->losses.loss == SQUARED_LOSS;
    TRY(clv_grower_init(&boost->grower, &boost->bins, &boost->targets, &how, fit->error));
    return boost_rounds(fit);
}

static Status gradient_fit(Fit *fit, Dataset *dataset)
{
    Boost *boost = fit->state;

    TRY(clv_losses_init(&boost->losses, &boost->bins, loss_of(fit), fit->outputs, fit->positive,
                        fit->error));
    if (boost->before.workspace)
        TRY(clv_boost_restore_scores(fit, dataset));
    else
        memcpy(boost->start, boost->losses.start, fit->outputs * sizeof *boost->start);
    return grow_rounds(fit);
}

static Status begin_trees(Fit *fit, bool exponential)
{
    Boost *boost = fit->state;
    Trees before;

    clv_trees_free(&boost->trees);
    TRY(clv_trees_init(&boost->trees, &boost->bins, exponential ? (uint32_t)fit->outputs : 1, true,
                       fit->error));
    boost->trees.with_rows = true;
    if (!boost->before.workspace)
        return OK;
    before = clv_trees_view(&boost->before);
    return clv_trees_append(&boost->trees, &before, fit->error);
}

/* Checks the memory. AdaBoost stores a score for each row and class, and a value and a weight for
 * each leaf and class. A tree has at least two leaves. */
static Status check_memory(const Fit *fit)
{
    enum { LEAVES = 2, NODES = 3 };
    double trees = (double)fit->max_epochs * (LEAVES * sizeof(float) + NODES * sizeof(double));

    if (fit->outputs == 1 ||
        clv_affordable((double)fit->outputs * (sizeof(double) * (double)fit->problem->rows + trees),
                       fit->error, "the scores of %llu rows for %zu outputs",
                       (unsigned long long)fit->problem->rows, fit->outputs) == OK)
        return OK;
    return clv_hint(
        fit->error, CLEAVE_ERROR_MEMORY,
        "check that the labels are not IDs or numbers; knn and perceptron support many classes");
}

static Status fit_rows(Fit *fit, Dataset *dataset)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    bool exponential = fit->task != CLEAVE_TASK_REGRESSION && options->loss == EXPONENTIAL;
    Status status;

    if (exponential)
        TRY(check_memory(fit));
    TRY(clv_tree_make_bins(fit, dataset, options->max_bins, &boost->bins));
    status = begin_trees(fit, exponential);
    THEN(status, exponential ? clv_adaboost_fit(fit, dataset) : gradient_fit(fit, dataset));
    if (status == OK) {
        fit->result.train_errors = boost->train_errors;
        fit->result.knows_train_errors = fit->result.surveyed = fit->task !=
                                                                    CLEAVE_TASK_REGRESSION &&
                                                                boost->bins.rows ==
                                                                    fit->problem->rows &&
                                                                !fit_cancelled(fit);
        clv_summarize(
            fit, "%u tree%s of %.3g lea%s on average", boost->trees.trees.trees,
            boost->trees.trees.trees == 1 ? "" : "s",
            boost->trees.trees.trees ? boost->trees.trees.leaves / (double)boost->trees.trees.trees
                                     : 0,
            boost->trees.trees.trees && boost->trees.trees.leaves == boost->trees.trees.trees
                ? "f"
                : "ves");
        clv_tree_warn_few(fit, &boost->trees.trees, options->min_leaf_rows);
        clv_figure(fit, "trees", boost->trees.trees.trees);
        clv_figure(fit, "leaves", boost->trees.trees.leaves);
        clv_figure(fit, "columns", boost->bins.columns);
    }
    free_growing(fit);
    return status;
}

/* ---- the model ------------------------------------------------------------------------------- */

#define START "boost_start"
#define KIND "boost_loss"

/* Starts from a model. Its trees are stored in a separate builder until bins exist. */
static Status resume(Fit *fit, const Model *model)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    uint64_t kind;
    Trees trees;

    if (model->rounds == 0)
        return OK;
    if (!clv_trees_of(model, &trees) || !clv_bundle_number(model->bundle, KIND, &kind) ||
        !clv_bundle_copy(model->bundle, START, BUNDLE_F64, boost->start, fit->outputs))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no trees");
    if (kind != (uint64_t)options->loss)
        return clv_fail_hint(
            fit->error, CLEAVE_ERROR_USAGE, "omit --loss; a warm start keeps the model's loss",
            "the warm-start model was trained with --loss %s and cannot continue with --loss %s",
            losses[kind], losses[options->loss]);
    boost->bins = (Bins){.context = fit->context};
    TRY(clv_trees_init(&boost->before, &boost->bins, trees.width, true, fit->error));
    boost->before.with_rows = true;
    return clv_trees_append(&boost->before, &trees, fit->error);
}

static Status put_trees(Fit *fit, Model *model)
{
    Boost *boost = fit->state;
    Bins bins = {.context = fit->context};
    TreesBuilder nothing;
    Status status;

    if (boost->trees.workspace || boost->before.workspace)
        return clv_trees_put(boost->trees.workspace ? &boost->trees : &boost->before, model->bundle,
                             fit->error);
    TRY(clv_trees_init(&nothing, &bins, 1, false, fit->error));
    status = clv_trees_put(&nothing, model->bundle, fit->error);
    clv_trees_free(&nothing);
    return status;
}

static Status end(Fit *fit, Model *model)
{
    const BoostOptions *options = fit->options;
    const Boost *boost = fit->state;

    TRY(clv_bundle_put_number(model->bundle, KIND, (uint64_t)options->loss, fit->error));
    TRY(clv_bundle_put(model->bundle, START, BUNDLE_F64, boost->start, fit->outputs, fit->error));
    return put_trees(fit, model);
}

static bool is_exponential(const Model *model)
{
    uint64_t kind;

    return clv_bundle_number(model->bundle, KIND, &kind) && kind == EXPONENTIAL;
}

/* ---- update ---------------------------------------------------------------------------------- */

static Status check_update(const Fit *fit, const Model *from)
{
    if (!is_exponential(from))
        return OK;
    return clv_fail_hint(
        fit->error, CLEAVE_ERROR_USAGE, "train on all rows together, or with --loss log",
        "--loss exponential has no incremental form: the model does not record the weights of "
        "old rows");
}

/* Adds rounds on the new rows. Their number is proportional to the new rows, and all steps together
 * are at most one step of learning rate 1. */
static Status add_rounds(Fit *fit, uint32_t rounds)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    double most = ceil(1 / options->learning_rate);

    boost->update_share = (double)fit->problem->rows /
                          ((double)fit->problem->rows + (double)fit->problem->rows_before);
    fit->max_epochs = clv_tree_update_rounds(fit, rounds, options->min_leaf_rows);
    if (fit->max_epochs > most)
        fit->max_epochs = (uint32_t)most;
    return fit->max_epochs ? grow_rounds(fit) : OK;
}

static Status update_trees(Fit *fit, const Model *from, Dataset *dataset, LeafUpdate *leaves)
{
    const BoostOptions *options = fit->options;
    Boost *boost = fit->state;
    BinOptions how = {.bins = (uint32_t)options->max_bins, .seed = fit->problem->seed};

    TRY(begin(fit));
    if (!clv_bundle_copy(from->bundle, START, BUNDLE_F64, boost->start, fit->outputs))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no trees");
    TRY(clv_leaves_begin(leaves, fit, from));
    TRY(clv_bins_make(&boost->bins, fit, dataset, &how, fit->problem->workspace));
    TRY(clv_losses_init(&boost->losses, &boost->bins, loss_of(fit), fit->outputs, fit->positive,
                        fit->error));
    TRY(clv_boost_refit(fit, dataset, leaves));
    TRY(clv_trees_init(&boost->trees, &boost->bins, 1, true, fit->error));
    boost->trees.with_rows = true;
    TRY(clv_trees_append(&boost->trees, &leaves->trees, fit->error));
    return add_rounds(fit, from->rounds);
}

static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    BoostOptions options = *(const BoostOptions *)fit->options;
    Boost boost = {0};
    LeafUpdate leaves = {0};
    Status status;

    TRY(check_update(fit, from));
    TRY(choose(fit, &options));
    fit->options = &options;
    fit->state = &boost;
    fit->counters.epoch = from->rounds;
    fit->epoch_done = clv_tree_update_round;
    status = update_trees(fit, from, dataset, &leaves);
    if (status == OK && clv_cancelled(fit->context))
        status = clv_fail(fit->error, CLEAVE_ERROR_CANCELLED,
                          "interrupted: the model is unchanged");
    if (status == OK) {
        model->rounds = boost.trees.trees.trees / (uint32_t)fit->outputs;
        status = end(fit, model);
    }
    free_state(fit);
    fit->state = NULL;
    clv_leaves_free(&leaves);
    return status;
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    const BundleItem *start = clv_bundle_get(model->bundle, START, BUNDLE_F64);
    size_t outputs = outputs_of(model->labels.count);
    Trees trees;

    if (!start || !clv_trees_of(model, &trees))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no trees");
    for (uint32_t row = 0; row < block->rows; row++)
        memcpy(scores + row * outputs, start->data, outputs * sizeof *scores);
    return clv_trees_add_scores(&trees, model->context, block, 0, trees.trees, outputs, scores,
                                error);
}

static Status extend_scores(const Fit *fit, const Block *block, uint32_t *parts, double *sums,
                            double *scores)
{
    const Boost *boost = fit->state;
    size_t outputs = fit->outputs;

    for (uint32_t row = 0; *parts == 0 && row < block->rows; row++)
        memcpy(sums + row * outputs, boost->start, outputs * sizeof *sums);
    TRY(clv_trees_extend_scores(&boost->trees, block, parts, outputs, sums, fit->error));
    memcpy(scores, sums, block->rows * outputs * sizeof *scores);
    return OK;
}

static bool contributions(const Model *model, const Block *block, uint32_t row, size_t output,
                          double *shares, double *intercept)
{
    const BundleItem *start = clv_bundle_get(model->bundle, START, BUNDLE_F64);
    PathOutput which = {.output = output, .outputs = outputs_of(model->labels.count), .scale = 1};
    Trees trees;

    if (!start || !clv_trees_of(model, &trees) ||
        !clv_path_contributions(&trees, model->context, block, row, &which, shares, intercept))
        return false;
    *intercept += ((const double *)start->data)[output];
    return true;
}

static bool arrays_fit(const Model *model)
{
    const BundleItem *start = clv_bundle_get(model->bundle, START, BUNDLE_F64);
    size_t outputs = outputs_of(model->labels.count);
    uint64_t kind;
    Trees trees;

    if (!start || start->count != outputs || !clv_bundle_number(model->bundle, KIND, &kind) ||
        kind > EXPONENTIAL)
        return false;
    for (size_t i = 0; i < outputs; i++)
        if (!isfinite(((const double *)start->data)[i]))
            return false;
    return clv_trees_check(model) && clv_trees_of(model, &trees) &&
           (trees.width == 1 ? kind == EXPONENTIAL || trees.trees % outputs == 0
                             : kind == EXPONENTIAL && trees.width == outputs);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(arrays_fit(model));
}

/* ---- predictions from scores ----------------------------------------------------------------- */

/* Half the log odds, which minimize the exponential loss of binary classification. */
static double log_odds(const Model *model, const double *scores)
{
    return is_exponential(model) ? 2 * scores[0] : scores[0];
}

/* Computes the highest score and the sum of e^(score - highest). powers (may be NULL) receives the
 * terms. AdaBoost's scores have the same meaning (Zhu et al. 2009). */
static double softmax_of(const Model *model, const double *scores, double *highest, double *powers)
{
    uint32_t classes = model->labels.count;
    double sum = 0;

    *highest = scores[0];
    for (uint32_t c = 1; c < classes; c++)
        *highest = scores[c] > *highest ? scores[c] : *highest;
    for (uint32_t c = 0; c < classes; c++) {
        double power = exp(scores[c] - *highest);

        sum += power;
        if (powers)
            powers[c] = power;
    }
    return sum;
}

static void probabilities(const Model *model, const double *scores, double *p)
{
    uint32_t classes = model->labels.count;
    double highest, sum;

    if (classes <= 2) {
        double odds = log_odds(model, scores);

        for (uint32_t c = 0; c < classes; c++)
            p[c] = classes == 1 ? 1 : 1 / (1 + exp(c == model->positive ? -odds : odds));
        return;
    }
    sum = softmax_of(model, scores, &highest, p);
    for (uint32_t c = 0; c < classes; c++)
        p[c] /= sum;
}

static double log_loss(const Model *model, const double *scores, uint32_t label, double target)
{
    double highest, sum;

    (void)target;
    if (model->labels.count <= 2) {
        double odds = label == model->positive ? log_odds(model, scores) : -log_odds(model, scores);

        return odds > 0 ? log1p(exp(-odds)) : log1p(exp(odds)) - odds;
    }
    sum = softmax_of(model, scores, &highest, NULL);
    return log(sum) + highest - scores[label];
}

static double squared_loss(const Model *model, const double *scores, uint32_t label, double target)
{
    (void)model;
    (void)label;
    return (scores[0] - target) * (scores[0] - target) / 2;
}

static const MethodTraining training = {
    .choose = choose,
    .default_pipeline = clv_tree_default_pipeline,
    .default_epochs = default_epochs,
    .epoch_kind = epoch_kind,
    .begin = begin,
    .resume = resume,
    .fit = fit_rows,
    .extend_scores = extend_scores,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {
    .predict = predict,
    .check_model = check_model,
    .loss = squared_loss,
};

static const MethodInference class_inference = {
    .predict = predict,
    .check_model = check_model,
    .probabilities = probabilities,
    .loss = log_loss,
};

static const MethodOnline online = {.update = update};

static const MethodInspection inspection = {.contributions = contributions};

#define BOOST_METHOD                                                                               \
    .reference = "Friedman 2001, 2002; AdaBoost: Freund and Schapire 1997, Zhu et al. 2009",       \
    .traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_DETERMINISTIC,                               \
    .behavior = METHOD_SCALE_INVARIANT | METHOD_COLLECTIVE_FIT | METHOD_FIXED_CLASSES,             \
    .options_size = sizeof(BoostOptions), .state_size = sizeof(Boost), .check_options = check,     \
    .overfitting_hint = "lower --max-leaves, raise --min-leaf-rows, or stop early with "           \
                        "--patience 10 --validation-metric loss",                                  \
    .training = &training, .online = &online, .inspection = &inspection

const Method clv_method_boost = {
    .name = "boost",
    .title = "Gradient-boosted decision trees.",
    .objective = "log loss or exponential loss, minimized stage by stage",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    .inference = &class_inference,
    BOOST_METHOD,
};

const Method clv_method_boost_regression = {
    .name = "boost-regression",
    .title = "Gradient-boosted regression trees.",
    .objective = "sum of squared errors, minimized stage by stage",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    .inference = &inference,
    BOOST_METHOD,
};
