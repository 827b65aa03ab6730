/*
 * Decision tree (Breiman, Friedman, Olshen and Stone 1984; Quinlan 1986). Each split divides the
 * rows of a node by one column such that the impurity decreases most. A leaf predicts from its
 * training rows.
 *
 *     classification   impurity: Gini index, 1 − Σ p², or entropy, −Σ p ln p;
 *                      score = class probabilities
 *     regression       impurity: sum of squares about the mean; score = mean of the leaf
 *
 * Columns of a table need no encoding: numbers are split by a bound, categories by a set of values,
 * and missing values go to the better side. The full tree has pure leaves and overfits; it is
 * pruned by cost-complexity (prune.h), with a complexity parameter chosen by validation within the
 * training rows (prune_choose.h).
 */
#include "learn/tree/defaults.h"
#include "learn/tree/leaves.h"
#include "learn/tree/prune_choose.h"
#include "learn/tree/sums.h"

enum { GINI, ENTROPY };
enum { PRUNE_AUTO, PRUNE_CV, PRUNE_HOLDOUT, PRUNE_NONE };
static const char *const criteria[] = {"gini", "entropy", NULL};
static const char *const prunings[] = {"auto", "cv", "holdout", "none", NULL};

enum {
    MANY_ROWS = 1000,  /* data with fewer training rows counts as small */
    OVERFIT_ROWS = 10, /* rows per leaf of small data, because smaller leaves are overfitting */
    /* minimum number of rows for --prune auto */
    MIN_ROWS_TO_PRUNE = 100,
    MAX_ROWS_FOR_TEN_FOLDS = 5000,
    MAX_ROWS_FOR_THREE_FOLDS = 50000,
    HOLDOUT_FOLDS = 5, /* number of parts of the rows, one of which is held out */
};
#define OVERFITTING_HINT                                                                           \
    "pruning (the default) or a smaller --max-depth or --max-leaves makes the tree smaller"

typedef struct {
    int64_t max_depth, max_leaves, min_leaf_rows, max_bins;
    double min_gain, ccp_alpha;
    int criterion, prune;
} Options;

/* clang-format off */
#define TREE_PARAMS                                                                                \
    INTEGER(Options, max_depth, 0, WITHIN(0, 65535), "Maximum depth of a tree.", DEFAULT("no limit"), TUNE_LOG(1, 30)), \
    INTEGER(Options, max_leaves, 0, WITHIN(0, INT32_MAX), "Maximum number of leaves of a tree.\n"                      \
         "Leaves are split in order of gain.", DEFAULT("no limit")),                               \
    INTEGER(Options, min_leaf_rows, 1, WITHIN(1, INT32_MAX), "Minimum number of training rows in a leaf.",             \
            TUNE_LOG(1, 100)),                                                                     \
    REAL(Options, min_gain, 0, AT_LEAST(0), "Minimum relative decrease of impurity of a split."),  \
    NAME(Options, prune, PRUNE_AUTO, prunings, "Validation method that chooses the pruning strength; none keeps the full tree.", \
         TUNE_SOME("auto,none")),                                                                  \
    REAL(Options, ccp_alpha, 0, AT_LEAST(0), "Complexity parameter of pruning.", DEFAULT("chosen by --prune")),         \
    INTEGER(Options, max_bins, 255, WITHIN(2, 255), "Maximum number of histogram bins of a numeric column.")
/* clang-format on */

static const Param class_params[] = {
    TREE_PARAMS,
    NAME(Options, criterion, GINI, criteria, "Impurity: Gini index or entropy.", TUNE_ALL),
    END_OF_PARAMS,
};

static const Param number_params[] = {
    TREE_PARAMS,
    END_OF_PARAMS,
};

typedef struct {
    Bins bins;
    Targets targets;
    Grower grower;
    TreesBuilder trees;
    double *values; /* values of the leaves, by node */
    float *gradient;
    double center; /* regression: number that gradients are relative to */
} State;

static uint32_t one_epoch(const void *options)
{
    (void)options;
    return 1;
}

static Status begin(Fit *fit)
{
    const Options *options = fit->options;

    if (options->ccp_alpha == 0 || options->prune == PRUNE_AUTO)
        return OK;
    return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                         "omit one of them: --prune chooses --ccp-alpha",
                         "--ccp-alpha and --prune %s cannot be combined", prunings[options->prune]);
}

static void free_growing(Fit *fit)
{
    State *state = fit->state;

    clv_grower_free(&state->grower);
    clv_targets_free(&state->targets);
    clv_bins_free(&state->bins);
    clv_free(fit->context, state->values);
    clv_workspace_give(fit->problem->workspace, fit->context, state->gradient);
    state->values = NULL;
    state->gradient = NULL;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    free_growing(fit);
    clv_trees_free(&state->trees);
}

/* ---- targets --------------------------------------------------------------------------------- */

/* Computes gradients relative to the mean, for precision. */
static Status make_gradients(Fit *fit)
{
    State *state = fit->state;
    const Bins *bins = &state->bins;

    TRY(clv_targets_gradients(&state->targets, bins, fit->error));
    TRY(TAKE(fit->problem->workspace, fit->context, state->gradient, bins->rows, "gradients",
             fit->error));
    state->targets.unbounded = true;
    TRY(clv_typical_number(bins, &state->center, fit->error));
    for (uint32_t i = 0; i < bins->rows; i++)
        state->gradient[i] = (float)(bins_weight(bins, i) * (state->center - bins->number[i]));
    return clv_targets_set(&state->targets, state->gradient, bins->weight, fit->error);
}

static Status make_targets(Fit *fit)
{
    State *state = fit->state;

    if (fit->task == CLEAVE_TASK_REGRESSION)
        return make_gradients(fit);
    TRY(clv_targets_classes(&state->targets, &state->bins, fit->classes, fit->error));
    return clv_targets_weigh(&state->targets, state->bins.weight, fit->error);
}

/* Classes: the impurity of a tree of a single leaf, in the unit of gains. */
static double impurity(const Grower *grower)
{
    GrowNode root = grower->tree.node[0];
    const ClassCount *class = node_classes(&grower->tree, 0);
    bool gini = grower->options.criterion == BY_GINI;
    double sum = 0;

    if (root.hessian <= 0)
        return 0;
    for (uint32_t i = 0; i < root.classes; i++) {
        double weight = class[i].count * grower->tree.class_unit;

        sum += gini ? weight * weight / root.hessian : weight * log(weight / root.hessian);
    }
    return gini ? root.hessian - sum : -sum;
}

/* Regression: the sum of squares about the center, as impurity. */
static Status find_squares(const Fit *fit, const Grower *grower, double *squares)
{
    const State *state = fit->state;
    Sums sums;

    clv_sums_begin(&sums, &state->bins, fit->error);
    for (uint32_t i = 0; i < grower->rows; i++) {
        double off = (double)state->gradient[grower->row[i]];

        sums_add(&sums, off * off / bins_weight(&state->bins, grower->row[i]));
    }
    clv_sums_next(&sums);
    return clv_sums_finish(&sums, squares, 1);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static GrowOptions grow_options(const Fit *fit)
{
    const Options *options = fit->options;

    return (GrowOptions){
        .criterion = fit->task == CLEAVE_TASK_REGRESSION ? BY_GRADIENT
                     : options->criterion == GINI        ? BY_GINI
                                                         : BY_ENTROPY,
        .leaves = (uint32_t)options->max_leaves,
        .depth = (uint32_t)options->max_depth,
        .leaf_rows = (uint32_t)options->min_leaf_rows,
        .seed = fit->problem->seed,
    };
}

/* Grows a tree. The minimum gain follows from the impurity of the root, which is that of a tree of
 * a single leaf. */
static Status grow(void *user, Grower *grower, const uint32_t *rows, uint32_t count)
{
    const Fit *fit = user;
    const Options *options = fit->options;

    grower->options.gain = 0;
    if (options->min_gain > 0) {
        uint32_t leaves = grower->options.leaves;
        double all;

        grower->options.leaves = 1;
        TRY(clv_grow_tree(grower, rows, count, 0, fit->error));
        grower->options.leaves = leaves;
        if (grower->targets->label)
            all = impurity(grower);
        else
            TRY(find_squares(fit, grower, &all));
        grower->options.gain = options->min_gain * all;
    }
    return clv_grow_tree(grower, rows, count, 0, fit->error);
}

/* Sets bounds between the training values. The text form shows the shorter side first
 * (inspect/tree_nodes.c). If that is the left side, `<` reads better than `<=`; training rows do
 * not distinguish the two. */
static Status set_bounds(Fit *fit)
{
    State *state = fit->state;
    GrowTree *tree = &state->grower.tree;
    uint32_t *below; /* number of nodes of each subtree */

    TRY(ALLOC(fit->context, below, tree->nodes, "nodes", fit->error));
    for (uint32_t i = tree->nodes; i-- > 0;)
        below[i] = 1 + (tree->node[i].left
                            ? below[tree->node[i].left] + below[tree->node[i].left + 1]
                            : 0);
    for (uint32_t i = 0; i < tree->nodes; i++) {
        GrowNode *node = &tree->node[i];
        const BinColumn *column = &state->bins.column[node->column];

        if (node->left && !column->category && column->between && node->bound < FLT_MAX &&
            below[node->left] <= below[node->left + 1])
            node->bound = nextafterf(node->bound, -INFINITY);
    }
    clv_free(fit->context, below);
    return OK;
}

static Status find_values(Fit *fit)
{
    State *state = fit->state;
    const GrowTree *tree = &state->grower.tree;
    size_t width = fit->outputs, workspace = tree->nodes * width;

    TRY(ALLOC_ZERO(fit->context, state->values, workspace, "leaves", fit->error));
    if (fit->task == CLEAVE_TASK_REGRESSION)
        return clv_tree_means(&state->grower, state->bins.weight, state->values, fit->error);
    for (uint32_t i = 0; i < tree->nodes; i++)
        if (!tree->node[i].left)
            clv_tree_shares_of(fit, tree, i, state->values + i * width);
    return OK;
}

/* ---- pruning --------------------------------------------------------------------------------- */

/* Chooses the number of folds and of validation folds; 0: no validation. The time to grow a tree is
 * proportional to its rows. From 5,000 rows on, validation takes twice the time of the full tree,
 * and from 50,000 rows on less. */
static void choose_folds(const Fit *fit, PruneValidation *validation)
{
    int prune = ((const Options *)fit->options)->prune;
    uint32_t rows = ((const State *)fit->state)->bins.all_rows,
             folds = rows > MAX_ROWS_FOR_TEN_FOLDS ? 3 : 10;

    if (prune == PRUNE_HOLDOUT || (prune == PRUNE_AUTO && rows > MAX_ROWS_FOR_THREE_FOLDS)) {
        validation->folds = HOLDOUT_FOLDS;
        validation->runs = 1;
    } else {
        validation->folds = validation->runs = folds;
    }
    if (prune == PRUNE_NONE ||
        rows < (prune == PRUNE_AUTO ? MIN_ROWS_TO_PRUNE : 2 * validation->folds))
        validation->runs = 0;
}

static void report_pruning(Fit *fit, const PruneValidation *validation, const PruneStep *full,
                           const PruneStep *best)
{
    bool classes = fit->task != CLEAVE_TASK_REGRESSION;
    const char *how = validation->runs == 1     ? "a held-out fifth of the rows"
                      : validation->folds == 10 ? "10-fold cross-validation"
                                                : "3-fold cross-validation";

    clv_figure(fit, "leaves_before_pruning", full->leaves);
    clv_figure(fit, "ccp_alpha", best->alpha);
    clv_figure(fit, "pruning_folds", validation->runs);
    clv_figure(fit, classes ? "validation_error" : "validation_mse", best->error);
    clv_figure(fit, classes ? "validation_error_before_pruning" : "validation_mse_before_pruning",
               full->error);
    if (classes)
        clv_summarize(
            fit,
            "pruned from %u leaves to %u, ccp-alpha %.3g chosen by %s (error %.2f%%, full "
            "tree %.2f%%)",
            full->leaves, best->leaves, best->alpha, how, 100 * best->error, 100 * full->error);
    else
        clv_summarize(
            fit,
            "pruned from %u leaves to %u, ccp-alpha %.3g chosen by %s (RMSE %.4g, full tree %.4g)",
            full->leaves, best->leaves, best->alpha, how, sqrt(best->error), sqrt(full->error));
}

static Status choose_alpha(Fit *fit, const PruneValidation *plan, PruneSequence *sequence,
                           double *alpha)
{
    State *state = fit->state;
    PruneValidation validation = *plan;
    GrowOptions how = grow_options(fit);
    Grower grower;
    uint32_t best;
    Status status;

    TRY(clv_grower_init(&grower, &state->bins, &state->targets, &how, fit->error));
    validation.grower = &grower;
    validation.bins = &state->bins;
    validation.seed = fit->problem->seed;
    validation.center = state->center;
    validation.grow = grow;
    validation.user = fit;
    status = clv_prune_choose(&validation, sequence, &best, fit->error);
    clv_grower_free(&grower);
    TRY(status);
    *alpha = sequence->step[best].alpha;
    report_pruning(fit, plan, &sequence->step[0], &sequence->step[best]);
    return OK;
}

static Status prune_with(Fit *fit, const PruneValidation *validation, double *alphas)
{
    State *state = fit->state;
    GrowTree *tree = &state->grower.tree;
    double alpha = ((const Options *)fit->options)->ccp_alpha;
    uint32_t leaves = tree->leaves;
    PruneSequence sequence = {0};
    Status status = clv_prune_alphas(fit->context, tree, alphas, fit->error);

    if (status == OK && alpha == 0) {
        status = clv_prune_sequence(fit->context, tree, alphas, &sequence, fit->error);
        THEN(status, choose_alpha(fit, validation, &sequence, &alpha));
        clv_free(fit->context, sequence.step);
    }
    if (status != OK)
        return status;
    clv_prune_tree(tree, alphas, alpha);
    if (((const Options *)fit->options)->ccp_alpha > 0) {
        clv_figure(fit, "leaves_before_pruning", leaves);
        clv_figure(fit, "ccp_alpha", alpha);
        clv_summarize(fit, "pruned from %u leaves to %u with --ccp-alpha %.3g", leaves,
                      tree->leaves, alpha);
    }
    return OK;
}

static Status prune(Fit *fit)
{
    State *state = fit->state;
    const Options *options = fit->options;
    const GrowTree *tree = &state->grower.tree;
    PruneValidation validation = {0};
    double *alphas;
    Status status;

    choose_folds(fit, &validation);
    if ((!validation.runs && options->ccp_alpha == 0) || tree->leaves < 2 ||
        (!state->bins.collective && fit_cancelled(fit)))
        return OK;
    TRY(ALLOC(fit->context, alphas, tree->nodes, "pruning", fit->error));
    status = prune_with(fit, &validation, alphas);
    clv_free(fit->context, alphas);
    return status;
}

/* ---- report ---------------------------------------------------------------------------------- */

static void report(Fit *fit)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    const GrowTree *tree = &state->grower.tree;
    Trees laid_out = clv_trees_view(&state->trees);

    clv_figure(fit, "leaves", tree->leaves);
    clv_figure(fit, "depth", clv_trees_depth(&laid_out, 0));
    clv_figure(fit, "columns", state->bins.columns);
    if (!*fit->result.summary)
        clv_summarize(fit, "%u lea%s, not pruned", tree->leaves, tree->leaves == 1 ? "f" : "ves");
    if (options->prune == PRUNE_NONE && options->ccp_alpha == 0 &&
        state->bins.all_rows >= MANY_ROWS && tree->leaves > state->bins.all_rows / OVERFIT_ROWS)
        clv_warn(fit->context, OVERFITTING_HINT,
                 "the tree has one leaf for every %.1f training rows and is likely to overfit",
                 state->bins.all_rows / (double)tree->leaves);
}

/* ---- training -------------------------------------------------------------------------------- */

static Status make_tree(Fit *fit)
{
    State *state = fit->state;
    GrowOptions how = grow_options(fit);

    TRY(make_targets(fit));
    TRY(clv_grower_init(&state->grower, &state->bins, &state->targets, &how, fit->error));
    TRY(grow(fit, &state->grower, NULL, state->bins.rows));
    TRY(prune(fit));
    TRY(fit_check(fit)); /* after a cancellation, the tree may be incomplete */
    TRY(set_bounds(fit));
    TRY(find_values(fit));
    clv_trees_free(&state->trees);
    TRY(clv_trees_init(&state->trees, &state->bins, (uint32_t)fit->outputs, true, fit->error));
    TRY(clv_trees_add(&state->trees, &state->grower, state->values, 1, fit->error));
    clv_free(fit->context, state->values);
    state->values = NULL;
    report(fit);
    return OK;
}

static Status fit_rows(Fit *fit, Dataset *dataset)
{
    const Options *options = fit->options;
    State *state = fit->state;
    GrowOptions growing = grow_options(fit);
    Status status;

    TRY(clv_tree_affordable(fit, &growing, 1));
    TRY(clv_tree_make_bins(fit, dataset, options->max_bins, &state->bins));
    fit->counters.seen += state->bins.all_rows;
    status = make_tree(fit);
    free_growing(fit);
    TRY(status);
    fit->epoch_done(fit);
    fit->result.complete = true;
    return OK;
}

static Status end(Fit *fit, Model *model)
{
    State *state = fit->state;

    if (!state->trees.workspace)
        return clv_tree_put_nothing(fit, model);
    return fit->last ? clv_trees_move(&state->trees, model->bundle, fit->error)
                     : clv_trees_put(&state->trees, model->bundle, fit->error);
}

/* Adds the new rows to the leaves. The splits do not change. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    Bins bins = {.context = fit->context};
    TreesBuilder trees = {0};
    LeafUpdate leaves;
    Status status = clv_leaves_begin(&leaves, fit, from);

    THEN(status, clv_leaves_add_rows(&leaves, fit, dataset, 0));
    THEN(status, clv_trees_init(&trees, &bins, (uint32_t)fit->outputs, true, fit->error));
    THEN(status, clv_trees_append(&trees, &leaves.trees, fit->error));
    THEN(status, clv_trees_put(&trees, model->bundle, fit->error));
    clv_trees_free(&trees);
    clv_leaves_free(&leaves);
    return status;
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count);
    Trees trees;

    if (!clv_trees_of(model, &trees))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no tree");
    memset(scores, 0, block->rows * outputs * sizeof *scores);
    return clv_trees_add_scores(&trees, model->context, block, 0, 1, outputs, scores, error);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    Trees trees;

    (void)options;
    (void)error;
    return model_is_sound(clv_trees_check(model) && clv_trees_of(model, &trees) &&
                          trees.trees == 1 && trees.width == outputs_of(model->labels.count));
}

static const MethodTraining training = {
    .default_pipeline = clv_tree_default_pipeline,
    .default_epochs = one_epoch,
    .begin = begin,
    .fit = fit_rows,
    .end = end,
    .free = free_state,
};

static const MethodInference inference = {.predict = predict, .check_model = check_model};

static const MethodInference class_inference = {
    .predict = predict,
    .check_model = check_model,
    .probabilities = clv_class_shares_as_probabilities,
};

static const MethodOnline online = {.update = update};

#define TREE_METHOD                                                                                \
    .reference = "Breiman, Friedman, Olshen and Stone 1984; Quinlan 1986, 1987",                   \
    .traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_READABLE | CLEAVE_TRAIT_DETERMINISTIC,       \
    .behavior = METHOD_SCALE_INVARIANT | METHOD_COLLECTIVE_FIT, .options_size = sizeof(Options),   \
    .state_size = sizeof(State), .overfitting_hint = OVERFITTING_HINT, .training = &training,      \
    .online = &online

const Method clv_method_tree = {
    .name = "tree",
    .title = "Decision tree.",
    .objective = "Gini impurity or entropy, minimized greedily",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    .inference = &class_inference,
    TREE_METHOD,
};

const Method clv_method_tree_regression = {
    .name = "tree-regression",
    .title = "Regression tree.",
    .objective = "sum of squared errors, minimized greedily",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    .inference = &inference,
    TREE_METHOD,
};
