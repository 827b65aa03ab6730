/*
 * A decision tree (Breiman, Friedman, Olshen and Stone 1984; Quinlan 1986): the training rows are split in two by the question about one column that
 * makes the parts purest, the parts are split again, and a row is what most training rows are that give the same answers.
 *
 *     classes   purity by Gini's index, 1 − Σ p², or by entropy, −Σ p ln p; score = share of each class in the leaf
 *     numbers   the sum of squares about the mean; score = the mean of the leaf
 *
 * Columns of a table are taken as they are: numbers by a bound, categories by a set of values, and rows without a value on the side where
 * they fit better. Left alone, a tree goes on until every leaf is pure, and then knows the training rows by heart: limits stop it earlier,
 * and --prune cuts it back by rows it was not grown from.
 */
#include "learn/tree/prune.h"
#include "learn/tree/sums.h"
#include "learn/tree/usual.h"

#include "base/random.h"

enum { GINI, ENTROPY };
static const char *const criteria[] = {"gini", "entropy", NULL};

enum {
    MANY_ROWS = 1000,   /* of them … */
    ROWS_BY_HEART = 10, /* … fewer than so many a leaf is learning by heart */
};
#define WIDE_GAP 0.05 /* between errors */

typedef struct {
    int64_t depth, leaves, leaf_rows, bins;
    double gain, prune;
    int criterion;
} Options;

#define TREE_PARAMS                                                                                                    \
    INTEGER(Options, depth, 0, WITHIN(0, 65535), "questions on the way to a leaf, at most; 0: no limit"),              \
        INTEGER(Options, leaves, 0, WITHIN(0, INT32_MAX),                                                              \
                "leaves, at most: the split that gains most is made first; 0: no limit", TUNE_LOG(4, 2000)),           \
        INTEGER(Options, leaf_rows, 1, WITHIN(1, INT32_MAX), "training rows in a leaf, at least", TUNE_LOG(1, 100)),   \
        REAL(Options, gain, 0, AT_LEAST(0),                                                                            \
             "what a split must gain, of what the tree with one leaf lacks: 0.001 is a thousandth"),                   \
        REAL(Options, prune, 0, WITHIN(0, 0.9),                                                                        \
             "share of the training rows, drawn by the seed, that the tree is cut back by; 0: none"),                  \
        INTEGER(Options, bins, 255, WITHIN(2, 255), "bins that values of a column of numbers are put into, at most")

static const Param class_params[] = {
    TREE_PARAMS,
    NAME(Options, criterion, GINI, criteria, "purity by Gini's index or by entropy", TUNE_ALL),
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
    uint32_t *rows, *held; /* the tree is grown from, and cut back by */
    uint32_t row_count, held_count;
    uint64_t all_held; /* of all processes */
    double *values;    /* of leaves, by node */
    float *gradient;
} State;

static uint32_t one_round(const void *options)
{
    (void)options;
    return 1;
}

static Status begin(Fit *fit)
{
    (void)fit;
    return OK;
}

static void free_growing(Fit *fit)
{
    State *state = fit->state;

    clv_grower_free(&state->grower);
    clv_targets_free(&state->targets);
    clv_bins_free(&state->bins);
    clv_room_give(fit->scratch, fit->context, state->rows);
    clv_room_give(fit->scratch, fit->context, state->held);
    clv_free(fit->context, state->values);
    clv_room_give(fit->scratch, fit->context, state->gradient);
    state->rows = state->held = NULL;
    state->values = NULL;
    state->gradient = NULL;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    free_growing(fit);
    clv_trees_free(&state->trees);
}

/* ---- what rows ask for ---------------------------------------------------------------------------------------------- */

/* About the mean, so that small differences between large numbers are not lost. */
static Status make_gradients(Fit *fit)
{
    State *state = fit->state;
    const Bins *bins = &state->bins;
    double mean;

    TRY(clv_targets_gradients(&state->targets, bins, fit->error));
    TRY(TAKE(fit->scratch, fit->context, state->gradient, bins->rows, "gradients", fit->error));
    state->targets.unbounded = true;
    TRY(clv_typical_number(bins, &mean, fit->error));
    for (uint32_t i = 0; i < bins->rows; i++)
        state->gradient[i] = (float)(bins_weight(bins, i) * (mean - bins->number[i]));
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

static Status choose_rows(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    uint32_t rows = state->bins.rows;

    TRY(TAKE(fit->scratch, fit->context, state->rows, rows, "rows", fit->error));
    TRY(TAKE(fit->scratch, fit->context, state->held, rows, "rows", fit->error));
    state->row_count = state->held_count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        Random random = clv_random(fit->seed, (uint64_t)state->bins.first + i);

        if (options->prune > 0 && clv_random_unit(&random) < options->prune)
            state->held[state->held_count++] = i;
        else
            state->rows[state->row_count++] = i;
    }
    state->all_held = state->held_count;
    return clv_add_up(&state->bins, &state->all_held, 1, fit->error);
}

/* Classes: what a tree of one leaf lacks, in the measure of gains. */
static double impurity(const State *state, const Options *options)
{
    GrowNode root = state->grower.tree.node[0];
    const double *weight = state->grower.tree.class_weight;
    double sum = 0;

    if (root.hessian <= 0)
        return 0;
    for (uint32_t c = 0; c < state->targets.classes; c++)
        sum += options->criterion == GINI ? weight[c] * weight[c] / root.hessian
               : weight[c] > 0            ? weight[c] * log(weight[c] / root.hessian)
                                          : 0;
    return options->criterion == GINI ? root.hessian - sum : -sum;
}

/* Numbers: the same, the sum of squares about the mean. */
static Status find_squares(Fit *fit, double *squares)
{
    const State *state = fit->state;
    Status status;
    Sums sums;

    clv_sums_begin(&sums, &state->bins);
    for (uint32_t i = 0; i < state->row_count; i++) {
        double off = (double)state->gradient[state->rows[i]];

        sums_add(&sums, off * off / bins_weight(&state->bins, state->rows[i]));
    }
    status = clv_sums_next(&sums, fit->error);
    if (status == OK)
        status = clv_sums_end(&sums, fit->error);
    *squares = status == OK ? sums.value[0] : 0;
    clv_sums_free(&sums);
    return status;
}

/* The user's share is of it. */
static Status find_all_there_is_to_gain(Fit *fit, double *gain)
{
    const State *state = fit->state;

    if (!state->targets.label)
        return find_squares(fit, gain);
    *gain = impurity(state, fit->options);
    return OK;
}

/* ---- the tree --------------------------------------------------------------------------------------------------------- */

static GrowOptions grow_options(const Fit *fit)
{
    const Options *options = fit->options;

    return (GrowOptions){
        .criterion = fit->task == CLEAVE_TASK_REGRESSION ? BY_GRADIENT
                     : options->criterion == GINI        ? BY_GINI
                                                         : BY_ENTROPY,
        .leaves = (uint32_t)options->leaves,
        .depth = (uint32_t)options->depth,
        .leaf_rows = (uint32_t)options->leaf_rows,
        .seed = fit->seed,
    };
}

/* The least gain is known when the root is: a tree of one leaf tells. */
static Status grow(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    GrowOptions how = grow_options(fit);

    TRY(clv_grower_init(&state->grower, &state->bins, &state->targets, &how, fit->error));
    if (options->gain > 0) {
        double all;

        state->grower.options.leaves = 1;
        TRY(clv_grow_tree(&state->grower, state->rows, state->row_count, 0, fit->error));
        state->grower.options.leaves = how.leaves;
        TRY(find_all_there_is_to_gain(fit, &all));
        state->grower.options.gain = options->gain * all;
    }
    return clv_grow_tree(&state->grower, state->rows, state->row_count, 0, fit->error);
}

/* Nodes below, itself included. */
static Status count_below(Fit *fit, uint32_t **below)
{
    const GrowTree *tree = &((State *)fit->state)->grower.tree;
    uint32_t *count = clv_alloc(fit->context, tree->nodes, sizeof *count);

    *below = count;
    if (!count)
        return clv_fail_memory(fit->error, "nodes", tree->nodes * sizeof *count);
    for (uint32_t i = tree->nodes; i-- > 0;)
        count[i] = 1 + (tree->node[i].left ? count[tree->node[i].left] + count[tree->node[i].left + 1] : 0);
    return OK;
}

/* A person reads the shorter side first (api/trees.c): where that is the left one, `<` reads better than `<=`, and no training row can tell. */
static Status set_bounds(Fit *fit)
{
    State *state = fit->state;
    GrowTree *tree = &state->grower.tree;
    uint32_t *below;

    TRY(count_below(fit, &below));
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

/* All rows, those held out among them, leaf after leaf: those of node i end at ends[i] of order. */
static void sort_by_leaf(const State *state, uint32_t *leaf, uint32_t *order, uint32_t *ends)
{
    uint32_t rows = state->bins.rows, nodes = state->grower.tree.nodes;

    memset(ends, 0, ((size_t)nodes + 1) * sizeof *ends);
    for (uint32_t row = 0; row < rows; row++) {
        leaf[row] = clv_grow_leaf(&state->grower, row);
        ends[leaf[row] + 1]++;
    }
    for (uint32_t i = 0; i < nodes; i++)
        ends[i + 1] += ends[i];
    for (uint32_t row = 0; row < rows; row++)
        order[ends[leaf[row]]++] = row;
}

static Status sum_leaves(Fit *fit, Sums *sums, const uint32_t *order, const uint32_t *ends)
{
    const State *state = fit->state;
    const Bins *bins = &state->bins;

    for (uint32_t node = 0, from = 0; node < state->grower.tree.nodes; from = ends[node++]) {
        for (uint32_t i = from; i < ends[node]; i++)
            sums_add(sums, bins_weight(bins, order[i]) * bins->number[order[i]]);
        TRY(clv_sums_next(sums, fit->error));
        for (uint32_t i = from; i < ends[node]; i++)
            sums_add(sums, bins_weight(bins, order[i]));
        TRY(clv_sums_next(sums, fit->error));
    }
    return clv_sums_end(sums, fit->error);
}

/* Means of the targets themselves, not of what bins and whole numbers made of them. */
static Status find_means(Fit *fit)
{
    State *state = fit->state;
    size_t rows = state->bins.rows, nodes = state->grower.tree.nodes;
    uint32_t *room, *order, *ends;
    Status status;
    Sums sums;

    TRY(TAKE(fit->scratch, fit->context, room, 2 * rows + nodes + 1, "leaves", fit->error));
    order = room + rows;
    ends = order + rows;
    sort_by_leaf(state, room, order, ends);
    clv_sums_begin(&sums, &state->bins);
    status = sum_leaves(fit, &sums, order, ends);
    for (size_t i = 0; i < nodes && status == OK; i++)
        state->values[i] = sums.value[2 * i + 1] > 0 ? sums.value[2 * i] / sums.value[2 * i + 1] : 0;
    clv_sums_free(&sums);
    clv_room_give(fit->scratch, fit->context, room);
    return status;
}

static Status find_values(Fit *fit)
{
    State *state = fit->state;
    const GrowTree *tree = &state->grower.tree;
    size_t width = fit->outputs, room = tree->nodes * width;

    state->values = clv_alloc_zero(fit->context, room, sizeof *state->values);
    if (!state->values)
        return clv_fail_memory(fit->error, "leaves", room * sizeof *state->values);
    if (fit->task == CLEAVE_TASK_REGRESSION)
        return find_means(fit);
    for (uint32_t i = 0; i < tree->nodes; i++)
        clv_tree_shares_of(fit, tree->class_weight + (size_t)i * fit->classes, state->values + i * width);
    return OK;
}

/* ---- what is told ----------------------------------------------------------------------------------------------------- */

static void tell_pruning(Fit *fit, const Pruning *pruning)
{
    State *state = fit->state;
    bool classes = fit->task != CLEAVE_TASK_REGRESSION;

    clv_figure(fit, "leaves_grown", pruning->leaves);
    clv_figure(fit, classes ? "grown_train_error" : "grown_train_mse", pruning->train);
    clv_figure(fit, classes ? "grown_held_error" : "grown_held_mse", pruning->grown);
    clv_figure(fit, classes ? "held_error" : "held_mse", pruning->pruned);
    clv_verdict(fit, "cut back from %u leaves to %u by %llu rows held out", pruning->leaves, state->grower.tree.leaves,
                (unsigned long long)state->all_held);
    if (classes && pruning->grown - pruning->train > WIDE_GAP)
        clv_note(fit->context,
                 "before it was cut back: errors %.1f %% of the rows it was grown from, %.1f %% of the others",
                 100 * pruning->train, 100 * pruning->grown);
}

static void tell(Fit *fit)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    const GrowTree *tree = &state->grower.tree;
    Trees laid_out = clv_trees_view(&state->trees);

    clv_figure(fit, "leaves", tree->leaves);
    clv_figure(fit, "depth", clv_trees_depth(&laid_out, 0));
    clv_figure(fit, "columns", state->bins.columns);
    if (options->prune > 0)
        return;
    clv_verdict(fit, "%u lea%s", tree->leaves, tree->leaves == 1 ? "f" : "ves");
    if (state->bins.all_rows >= MANY_ROWS && tree->leaves > state->bins.all_rows / ROWS_BY_HEART)
        clv_warn(fit->context, "--prune 0.2 cuts it back by rows it has not seen; --depth or --leaves stop it earlier",
                 "the tree has a leaf for every %.1f training rows: it knows them by heart and may err on others",
                 state->bins.all_rows / (double)tree->leaves);
}

/* ---- training --------------------------------------------------------------------------------------------------------- */

static Status make_tree(Fit *fit)
{
    State *state = fit->state;
    Pruning pruning;

    TRY(make_targets(fit));
    TRY(choose_rows(fit));
    TRY(grow(fit));
    if (state->all_held) {
        TRY(clv_prune(&state->grower, state->held, state->held_count, &pruning, fit->error));
        tell_pruning(fit, &pruning);
    }
    TRY(set_bounds(fit));
    TRY(find_values(fit));
    clv_trees_free(&state->trees);
    TRY(clv_trees_init(&state->trees, &state->bins, (uint32_t)fit->outputs, true, fit->error));
    TRY(clv_trees_add(&state->trees, &state->grower, state->values, 1, fit->error));
    tell(fit);
    return OK;
}

static Status fit_rows(Fit *fit, Dataset *dataset)
{
    const Options *options = fit->options;
    State *state = fit->state;
    BinOptions how = {.bins = (uint32_t)options->bins, .seed = fit->seed};
    Status status;

    clv_tree_warn_sparse(fit, dataset);
    if (dataset->features > fit->features)
        fit->features = dataset->features;
    TRY(clv_bins_make(&state->bins, fit, dataset, &how, fit->scratch));
    fit->seen += state->bins.all_rows;
    status = make_tree(fit);
    free_growing(fit);
    TRY(status);
    fit->round_over(fit);
    fit->complete = !fit_cancelled(fit);
    return OK;
}

static Status end(Fit *fit, Model *model)
{
    const State *state = fit->state;

    return state->trees.room ? clv_trees_put(&state->trees, model->bundle, fit->error)
                             : clv_tree_put_nothing(fit, model);
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

static bool check_model(const Model *model)
{
    Trees trees;

    return clv_trees_check(model) && clv_trees_of(model, &trees) && trees.trees == 1 &&
           trees.width == outputs_of(model->labels.count);
}

/* clang-format off */
#define TREE_HOOKS                                                                                                     \
    .reference = "Breiman, Friedman, Olshen and Stone 1984; Quinlan 1986, 1987",                                       \
    .traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_READABLE | CLEAVE_TRAIT_DETERMINISTIC,                           \
    .options_size = sizeof(Options), .state_size = sizeof(State), TREE_FAMILY,                                         \
    .usual_rounds = one_round,                                                                                         \
    .by_heart = "--prune 0.2 cuts it back by rows it has not seen; --depth or --leaves stop it earlier",               \
    .begin = begin, .fit = fit_rows, .end = end, .check_model = check_model, .free = free_state, .predict = predict
/* clang-format on */

const Method clv_method_tree = {
    .name = "tree",
    .brief = "questions about one column at a time, until a leaf is of one class",
    .objective = "Gini's index or entropy, greedily",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    TREE_HOOKS,
    .probabilities = clv_shares_as_probabilities,
};

const Method clv_method_tree_regression = {
    .name = "tree-regression",
    .brief = "the same for numbers: a leaf answers with the mean of its rows",
    .objective = "sum of squared errors, greedily",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    TREE_HOOKS,
};
