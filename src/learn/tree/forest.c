/*
 * Random forest (Breiman 2001): each tree is grown on a bootstrap sample of the rows and chooses
 * each split among a random subset of the columns. The average of the trees has a lower error than
 * a single tree.
 *
 *     classification   score = mean class probability of the leaves; √columns are drawn per split
 *     regression       score = mean of the leaf means; a third of the columns
 *
 * Each thread grows one tree at a time. A tree depends on data, seed and its number alone, so that
 * the forest is bit-identical for any number of threads, and a warm start can add trees. The
 * out-of-bag error evaluates the forest (learn/tree/bag.h).
 */
#include "base/pool.h"
#include "data/tour.h"
#include "learn/tree/defaults.h"
#include "learn/tree/importance.h"
#include "learn/tree/leaves.h"
#include "learn/tree/part.h"
#include "learn/tree/paths.h"
#include "learn/tree/sums.h"

#include <math.h>

enum { GINI, ENTROPY };
static const char *const criteria[] = {"gini", "entropy", NULL};

enum { BY_GAIN, BY_PERMUTATION };
static const char *const importances[] = {"gain", "permutation", NULL};

enum {
    DEFAULT_TREES = 100,
    /* trees per thread in a batch: many, so that threads are seldom idle at its end */
    AHEAD = 4,
    /* rows per leaf in a regression: smaller leaves fit the noise of the targets */
    NUMBER_ROWS = 5,
};

typedef struct {
    int64_t max_depth, max_leaves, min_leaf_rows, max_features, max_bins;
    double row_fraction;
    int criterion, importance;
} Options;

#define FOREST_PARAMS(rows_of_leaf, default_columns)                                               \
    INTEGER(Options, max_depth, 0, WITHIN(0, 65535), "Maximum depth of a tree.",                   \
            DEFAULT("no limit")),                                                                  \
        INTEGER(Options, max_leaves, 0, WITHIN(0, INT32_MAX),                                      \
                "Maximum number of leaves of a tree.\n"                                            \
                "Leaves are split in order of gain.",                                              \
                DEFAULT("no limit")),                                                              \
        INTEGER(Options, min_leaf_rows, rows_of_leaf, WITHIN(1, INT32_MAX),                        \
                "Minimum number of training rows in a leaf.", TUNE_LOG(1, 50)),                    \
        INTEGER(Options, max_features, 0, WITHIN(0, INT32_MAX),                                    \
                "Number of columns to consider at each split.", DEFAULT(default_columns)),         \
        REAL(Options, row_fraction, 1, WITHIN(0.000001, 1),                                        \
             "Size of the bootstrap sample of a tree, as a fraction of the rows."),                \
        INTEGER(Options, max_bins, 255, WITHIN(2, 255),                                            \
                "Maximum number of histogram bins of a numeric column."),                          \
        NAME(Options, importance, BY_GAIN, importances,                                            \
             "Feature importance: gain; permutation adds out-of-bag permutation importance.")

static const Param class_params[] = {
    FOREST_PARAMS(1, "the square root of the number of columns"),
    NAME(Options, criterion, GINI, criteria, "Impurity: Gini index or entropy.", TUNE_ALL),
    END_OF_PARAMS,
};

static const Param number_params[] = {
    FOREST_PARAMS(NUMBER_ROWS, "a third of the columns"),
    END_OF_PARAMS,
};

/* State of a thread. */
typedef struct {
    Bag bag;
    Targets targets;
    Grower grower;
    Permuting permuting;
    float *gradient;
} ForestWorker;

/* A grown tree that has not been added yet. */
typedef struct {
    GrowTree tree;  /* nodes and sets */
    double *values; /* outputs per node; NULL: many classes, stored as counts in the tree */
    uint32_t *left; /* out-of-bag rows */
    uint32_t *node; /* leaves of these rows */
    uint32_t lefts;
    double *loss_increase; /* increase of the loss per column; NULL: not requested */
    bool cut;              /* whether the run was cancelled */
    Status status;
    cleave_error error;
} Grown;

typedef struct {
    Bins bins;
    OutOfBag out;
    ForestWorker *worker;
    unsigned workers;
    Grown *grown;
    double mean;         /* regression: center of the gradients, for precision */
    TreesBuilder before; /* trees of the warm-start model */
    TreesBuilder trees;
    double *loss_increase; /* per feature, summed over the trees */
    uint32_t increase_features;
    uint64_t increase_trees;
    bool updating; /* in an update, trees without a split are dropped */
} State;

static uint32_t default_epochs(const void *options)
{
    (void)options;
    return DEFAULT_TREES;
}

static EpochKind epoch_kind(const void *options)
{
    (void)options;
    return EPOCH_TREE;
}

static Status begin(Fit *fit)
{
    (void)fit;
    return OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void free_grown(Fit *fit, Grown *grown)
{
    FREE(fit->context, grown->tree.node, grown->tree.set, grown->tree.class_count, grown->values);
    clv_workspace_give(fit->problem->workspace, fit->context, grown->left);
    clv_workspace_give(fit->problem->workspace, fit->context, grown->node);
    clv_free(fit->context, grown->loss_increase);
    *grown = (Grown){0};
}

static void free_growing(Fit *fit)
{
    State *state = fit->state;

    for (unsigned i = 0; state->worker && i < state->workers; i++) {
        clv_grower_free(&state->worker[i].grower);
        clv_targets_free(&state->worker[i].targets);
        clv_permuting_free(&state->worker[i].permuting);
        clv_bag_free(&state->worker[i].bag);
        clv_workspace_give(fit->problem->workspace, fit->context, state->worker[i].gradient);
    }
    for (unsigned i = 0; state->grown && i < state->workers * AHEAD; i++)
        free_grown(fit, &state->grown[i]);
    FREE(fit->context, state->worker, state->grown);
    clv_out_of_bag_free(&state->out);
    clv_bins_free(&state->bins);
    state->worker = NULL;
    state->grown = NULL;
}

static void free_state(Fit *fit)
{
    State *state = fit->state;

    free_growing(fit);
    clv_trees_free(&state->before);
    clv_trees_free(&state->trees);
    clv_free(fit->context, state->loss_increase);
    state->loss_increase = NULL;
}

static GrowOptions grow_options(const Fit *fit)
{
    const Options *options = fit->options;
    const State *state = fit->state;
    bool numbers = fit->task == CLEAVE_TASK_REGRESSION;
    uint32_t default_count = numbers ? state->bins.columns / 3
                                     : (uint32_t)sqrt((double)state->bins.columns);

    return (GrowOptions){
        .criterion = numbers                      ? BY_GRADIENT
                     : options->criterion == GINI ? BY_GINI
                                                  : BY_ENTROPY,
        .leaves = (uint32_t)options->max_leaves,
        .depth = (uint32_t)options->max_depth,
        .leaf_rows = (uint32_t)options->min_leaf_rows,
        .columns_drawn = options->max_features ? (uint32_t)options->max_features
                         : default_count       ? default_count
                                               : 1,
        .seed = fit->problem->seed,
        .alone = !fit->problem->collective,
    };
}

static Status make_worker(Fit *fit, ForestWorker *worker)
{
    const Options *options = fit->options;
    const Bins *bins = &((State *)fit->state)->bins;
    GrowOptions how = grow_options(fit);

    TRY(clv_bag_init(&worker->bag, bins, fit->error));
    if (bins->label) {
        TRY(clv_targets_classes(&worker->targets, bins, fit->classes, fit->error));
    } else {
        TRY(clv_targets_gradients(&worker->targets, bins, fit->error));
        worker->targets.unbounded = true;
        TRY(TAKE(fit->problem->workspace, fit->context, worker->gradient, bins->rows, "gradients",
                 fit->error));
    }
    if (options->importance == BY_PERMUTATION)
        TRY(clv_permuting_init(&worker->permuting, bins, fit->outputs, fit->positive, fit->error));
    return clv_grower_init(&worker->grower, bins, &worker->targets, &how, fit->error);
}

static Status make_workers(Fit *fit)
{
    State *state = fit->state;

    state->workers = fit->problem->collective ? 1 : clv_pool_workers(fit->context, fit->max_epochs);
    TRY(ALLOC_ZERO(fit->context, state->worker, state->workers, "threads", fit->error));
    TRY(ALLOC_ZERO(fit->context, state->grown, state->workers * (size_t)AHEAD, "threads",
                   fit->error));
    for (unsigned i = 0; i < state->workers; i++)
        TRY(make_worker(fit, &state->worker[i]));
    return OK;
}

/* Allocates memory for --importance permutation, unless the warm-start model has provided it. */
static Status make_loss_increase(Fit *fit)
{
    const Options *options = fit->options;
    State *state = fit->state;
    double *loss_increase;

    if (options->importance != BY_PERMUTATION || state->increase_features >= fit->features)
        return OK;
    loss_increase = clv_resize(fit->context, state->loss_increase, fit->features,
                               sizeof *loss_increase);
    if (!loss_increase)
        return clv_fail_memory(fit->error, "importances", fit->features * sizeof *loss_increase);
    memset(loss_increase + state->increase_features, 0,
           (fit->features - state->increase_features) * sizeof *loss_increase);
    state->loss_increase = loss_increase;
    state->increase_features = fit->features;
    return OK;
}

/* ---- one tree on one thread ------------------------------------------------------------------ */

static Status set_targets(const Fit *fit, ForestWorker *worker, cleave_error *error)
{
    const State *state = fit->state;
    const Bins *bins = &state->bins;
    const float *times = worker->bag.times;

    if (bins->label)
        return clv_targets_weigh(&worker->targets, times, error);
    for (uint32_t i = 0; i < bins->rows; i++)
        worker->gradient[i] = (float)((double)times[i] * (state->mean - bins->number[i]));
    return clv_targets_set(&worker->targets, worker->gradient, times, error);
}

static Status find_values(const Fit *fit, const ForestWorker *worker, double *values,
                          cleave_error *error)
{
    const GrowTree *tree = &worker->grower.tree;

    if (!values)
        return OK;
    if (!worker->targets.label)
        return clv_tree_means(&worker->grower, worker->bag.times, values, error);
    for (uint32_t i = 0; i < tree->nodes; i++)
        if (!tree->node[i].left)
            clv_tree_shares_of(fit, tree, i, values + i * fit->outputs);
    return OK;
}

static void *copy(Context *context, const void *from, size_t count, size_t size)
{
    void *to = clv_alloc(context, count, size);

    if (to && count)
        memcpy(to, from, count * size);
    return to;
}

/* Copies the data that the next tree of this thread overwrites. */
static Status keep_tree(const Fit *fit, const ForestWorker *worker, Grown *grown)
{
    const GrowTree *tree = &worker->grower.tree;
    Context *context = fit->context;
    bool sparse = fit->outputs > DENSE_OUTPUTS;
    size_t numbers = sparse ? tree->class_counts : tree->nodes * fit->outputs;

    grown->tree = *tree;
    grown->tree.class_count = sparse ? copy(context, tree->class_count, numbers,
                                            sizeof *tree->class_count)
                                     : NULL;
    grown->tree.node = copy(context, tree->node, tree->nodes, sizeof *tree->node);
    grown->tree.set = copy(context, tree->set, (size_t)tree->sets * (MOST_BINS / 32),
                           sizeof *tree->set);
    grown->lefts = worker->bag.lefts;
    TRY(TAKE(fit->problem->workspace, context, grown->left, grown->lefts, "out-of-bag rows",
             &grown->error));
    memcpy(grown->left, worker->bag.left, grown->lefts * sizeof *grown->left);
    TRY(TAKE(fit->problem->workspace, context, grown->node, grown->lefts, "out-of-bag rows",
             &grown->error));
    grown->values = sparse ? NULL : clv_alloc_zero(context, numbers, sizeof *grown->values);
    if (grown->tree.node && grown->tree.set &&
        (sparse ? (void *)grown->tree.class_count : grown->values))
        return OK;
    return clv_fail_memory(&grown->error, "a tree",
                           tree->nodes * sizeof *tree->node + numbers * sizeof(double));
}

static Status grow_one(const Fit *fit, ForestWorker *worker, uint64_t number, Grown *grown)
{
    const Options *options = fit->options;

    clv_bag_draw(&worker->bag, options->row_fraction, fit->problem->seed, number);
    TRY(set_targets(fit, worker, &grown->error));
    TRY(clv_grow_tree(&worker->grower, worker->bag.row, worker->bag.rows, number, &grown->error));
    TRY(keep_tree(fit, worker, grown));
    TRY(find_values(fit, worker, grown->values, &grown->error));
    for (uint32_t i = 0; i < grown->lefts; i++)
        grown->node[i] = clv_grow_leaf(&worker->grower, grown->left[i]);
    if (options->importance != BY_PERMUTATION)
        return OK;
    TRY(ALLOC(fit->context, grown->loss_increase, worker->bag.bins->columns, "importances",
              &grown->error));
    clv_permute(&worker->permuting, &worker->grower, &worker->bag, grown->node, grown->values,
                fit->problem->seed, number, grown->loss_increase);
    return OK;
}

static void grow_task(void *user, uint32_t task, unsigned number)
{
    const Fit *fit = user;
    State *state = fit->state;
    Grown *grown = &state->grown[task];

    grown->cut = fit_cancelled(fit);
    if (grown->cut)
        return;
    grown->status = grow_one(fit, &state->worker[number], fit->counters.epoch + (uint64_t)task,
                             grown);
    grown->cut = fit_cancelled(fit);
}

/* ---- all trees ------------------------------------------------------------------------------- */

static Status add_tree(Fit *fit, Grown *grown)
{
    State *state = fit->state;
    Targets none = {0};
    Grower grower = {
        .context = fit->context, .bins = &state->bins, .targets = &none, .tree = grown->tree};

    TRY(clv_trees_add(&state->trees, &grower, grown->values, 1, fit->error));
    if (state->trees.sparse)
        TRY(clv_out_of_bag_add_shares(&state->out, grown->left, grown->node, grown->lefts,
                                      &grown->tree, fit->error));
    else
        clv_out_of_bag_add(&state->out, grown->left, grown->node, grown->lefts, grown->values);
    for (uint32_t i = 0; grown->loss_increase && i < state->bins.columns; i++)
        state->loss_increase[state->bins.column[i].feature] += grown->loss_increase[i];
    state->increase_trees += grown->loss_increase != NULL;
    fit->counters.seen += state->bins.all_rows;
    return OK;
}

/* Adds the trees of a batch. Sets *more to false when the driver stops. */
static Status take_batch(Fit *fit, uint32_t count, bool *more)
{
    State *state = fit->state;
    Status status = OK;

    for (uint32_t i = 0; i < count; i++) {
        Grown *grown = &state->grown[i];

        if (status == OK && *more && grown->status != OK) {
            status = grown->status;
            if (fit->error)
                *fit->error = grown->error;
        }
        if (status == OK && *more && grown->cut)
            status = clv_fail(fit->error, CLEAVE_ERROR_CANCELLED, "interrupted");
        if (status == OK && *more && (grown->tree.leaves > 1 || !state->updating))
            status = add_tree(fit, grown);
        if (status == OK && *more)
            *more = fit->epoch_done(fit);
        free_grown(fit, grown);
    }
    return status;
}

static Status grow_all(Fit *fit)
{
    State *state = fit->state;
    uint32_t made = 0, first = fit->counters.epoch;
    bool more = true;

    while (more && made < fit->max_epochs) {
        uint32_t left = fit->max_epochs - made,
                 count = state->workers > 1 ? state->workers * AHEAD : 1;

        count = count < left ? count : left;
        /* one tree at a time: threads grow it together, and one of them communicates */
        if (fit->problem->collective)
            grow_task(fit, 0, 0);
        else
            clv_pool_run(fit->context, count, grow_task, fit);
        TRY(take_batch(fit, count, &more));
        made += count;
    }
    fit->result.complete = !fit_cancelled(fit) &&
                           (more || fit->counters.epoch - first == fit->max_epochs);
    return OK;
}

static Status summarize_out_of_bag(Fit *fit, uint32_t trees)
{
    const State *state = fit->state;
    const char *whose = state->before.workspace ? " of the new trees" : "";
    OutOfBagError estimate;
    double rmse;
    bool large;

    TRY(clv_out_of_bag_error(&state->out, &estimate, fit->error));
    clv_figure(fit, "oob_rows", (double)estimate.rows);
    if (estimate.rows == 0) {
        clv_summarize(fit, "%u trees, no out-of-bag rows", trees);
        return OK;
    }
    if (fit->task != CLEAVE_TASK_REGRESSION) {
        clv_figure(fit, "oob_error", estimate.error);
        clv_summarize(fit, "%u trees, out-of-bag error rate%s %.2f%%", trees, whose,
                      100 * estimate.error);
        return OK;
    }
    clv_figure(fit, "oob_mse", estimate.error);
    clv_figure(fit, "oob_rmse", sqrt(estimate.error));
    if (estimate.variance > 0)
        clv_figure(fit, "oob_r2", 1 - estimate.error / estimate.variance);
    rmse = sqrt(estimate.error);
    large = rmse >= 1e4;
    clv_summarize(fit, "%u trees, out-of-bag RMSE%s %.*g", trees, whose, large ? 9 : 4,
                  large ? round(rmse) : rmse);
    return OK;
}

static Status summarize(Fit *fit)
{
    const State *state = fit->state;
    const Trees *trees = &state->trees.trees;

    clv_figure(fit, "trees", trees->trees);
    clv_figure(fit, "leaves", trees->leaves);
    clv_figure(fit, "columns", state->bins.columns);
    clv_figure(fit, "max_features", fmin(grow_options(fit).columns_drawn, state->bins.columns));
    clv_tree_warn_few(fit, trees, grow_options(fit).leaf_rows);
    return summarize_out_of_bag(fit, trees->trees);
}

static Status make_forest(Fit *fit)
{
    State *state = fit->state;

    TRY(make_loss_increase(fit));
    TRY(clv_out_of_bag_init(&state->out, &state->bins, fit->outputs, fit->positive, fit->error));
    TRY(make_workers(fit));
    TRY(clv_trees_init(&state->trees, &state->bins, (uint32_t)fit->outputs, true, fit->error));
    state->trees.sparse = fit->outputs > DENSE_OUTPUTS;
    if (state->before.workspace) {
        Trees before = clv_trees_view(&state->before);

        TRY(clv_trees_append(&state->trees, &before, fit->error));
    }
    if (state->bins.number)
        TRY(clv_typical_number(&state->bins, &state->mean, fit->error));
    TRY(grow_all(fit));
    return summarize(fit);
}

static Status fit_rows(Fit *fit, Dataset *dataset)
{
    const Options *options = fit->options;
    State *state = fit->state;
    GrowOptions growing = grow_options(fit);
    Status status;

    /* Sparse leaves take little memory, but growth counts each class at each leaf. */
    TRY(clv_tree_affordable(fit, &growing, fit->outputs > DENSE_OUTPUTS ? 1 : fit->max_epochs));
    if (fit->problem->collective && options->importance == BY_PERMUTATION)
        return clv_fail_hint(fit->error, CLEAVE_ERROR_USAGE,
                             "use --importance gain (the default) with several processes",
                             "--importance permutation requires all rows in one process");
    TRY(clv_tree_make_bins(fit, dataset, options->max_bins, &state->bins));
    status = make_forest(fit);
    free_growing(fit);
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

static const BundleItem *loss_increase_of(const Model *model, uint64_t *trees)
{
    const BundleItem *loss_increase = clv_bundle_get(model->bundle, "importance_harm", BUNDLE_F64);

    return loss_increase && clv_bundle_number(model->bundle, "importance_trees", trees)
               ? loss_increase
               : NULL;
}

static Status resume_loss_increase(Fit *fit, const Model *model)
{
    State *state = fit->state;
    const BundleItem *loss_increase = loss_increase_of(model, &state->increase_trees);

    if (!loss_increase)
        return OK;
    state->loss_increase = copy(fit->context, loss_increase->data, loss_increase->count,
                                sizeof *state->loss_increase);
    if (!state->loss_increase)
        return clv_fail_memory(fit->error, "importances",
                               loss_increase->count * sizeof *state->loss_increase);
    state->increase_features = (uint32_t)loss_increase->count;
    return OK;
}

/* Stores the trees of the warm-start model in a separate builder until bins exist. */
static Status keep_before(Fit *fit, const Trees *trees)
{
    State *state = fit->state;

    state->bins = (Bins){.context = fit->context};
    TRY(clv_trees_init(&state->before, &state->bins, (uint32_t)fit->outputs, true, fit->error));
    state->before.sparse = fit->outputs > DENSE_OUTPUTS;
    return clv_trees_append(&state->before, trees, fit->error);
}

static Status resume(Fit *fit, const Model *model)
{
    Trees trees;

    if (model->rounds == 0)
        return OK;
    if (!clv_trees_of(model, &trees))
        return clv_fail(fit->error, CLEAVE_ERROR_FORMAT, "the model has no trees");
    TRY(resume_loss_increase(fit, model));
    return keep_before(fit, &trees);
}

static Status end(Fit *fit, Model *model)
{
    State *state = fit->state;
    TreesBuilder *trees = state->trees.trees.trees ? &state->trees : &state->before;

    if (state->loss_increase && state->increase_trees) {
        TRY(clv_bundle_put(model->bundle, "importance_harm", BUNDLE_F64, state->loss_increase,
                           state->increase_features, fit->error));
        TRY(clv_bundle_put_number(model->bundle, "importance_trees", state->increase_trees,
                                  fit->error));
    }
    if (!trees->workspace || !trees->trees.trees)
        return clv_tree_put_nothing(fit, model);
    return fit->last ? clv_trees_move(trees, model->bundle, fit->error)
                     : clv_trees_put(trees, model->bundle, fit->error);
}

static Status predict(const Model *model, const Block *block, double *scores, cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count), count = block->rows * outputs;
    Trees trees;

    if (!clv_trees_of(model, &trees))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no trees");
    memset(scores, 0, count * sizeof *scores);
    TRY(clv_trees_add_scores(&trees, model->context, block, 0, trees.trees, outputs, scores,
                             error));
    for (size_t i = 0; i < count; i++)
        scores[i] /= trees.trees;
    return OK;
}

static Status extend_scores(const Fit *fit, const Block *block, uint32_t *parts, double *sums,
                            double *scores)
{
    const State *state = fit->state;
    size_t count = block->rows * fit->outputs;

    if (*parts == 0)
        memset(sums, 0, count * sizeof *sums);
    TRY(clv_trees_extend_scores(&state->trees, block, parts, fit->outputs, sums, fit->error));
    for (size_t i = 0; i < count; i++)
        scores[i] = sums[i] / *parts;
    return OK;
}

static bool contributions(const Model *model, const Block *block, uint32_t row, size_t output,
                          double *shares, double *intercept)
{
    Trees trees;

    return clv_trees_of(model, &trees) &&
           clv_path_contributions(&trees, model->context, block, row,
                                  &(PathOutput){.output = output,
                                                .outputs = outputs_of(model->labels.count),
                                                .scale = 1.0 / trees.trees},
                                  shares, intercept);
}

static bool arrays_fit(const Model *model)
{
    uint64_t increase_trees;
    const BundleItem *loss_increase = loss_increase_of(model, &increase_trees);
    Trees trees;

    for (uint64_t i = 0; loss_increase && i < loss_increase->count; i++)
        if (!isfinite(((const double *)loss_increase->data)[i]))
            return false;
    return (!loss_increase || (loss_increase->count <= model->features && increase_trees > 0)) &&
           clv_trees_check(model) && clv_trees_of(model, &trees) && trees.trees >= 1 &&
           trees.width == outputs_of(model->labels.count);
}

static Status check_model(const Model *model, const void *options, cleave_error *error)
{
    (void)options;
    (void)error;
    return model_is_sound(arrays_fit(model));
}

/* ---- update ---------------------------------------------------------------------------------- */

typedef struct {
    const Fit *fit;
    const Model *from;
    double *scores;
    size_t capacity;
    double error, weight;
} Measuring;

static Status measure_block(void *user, const Block *block, cleave_error *error)
{
    Measuring *measuring = user;
    const Fit *fit = measuring->fit;
    const Model *from = measuring->from;
    size_t outputs = outputs_of(from->labels.count);

    TRY(GROW(fit->context, measuring->scores, measuring->capacity, block->rows * outputs, error));
    TRY(predict(from, block, measuring->scores, error));
    for (uint32_t row = 0; row < block->rows; row++) {
        const double *scores = measuring->scores + row * outputs;
        uint32_t label = block_label(block, row);
        double weight, off;

        if (!clv_bins_takes(fit, block, row))
            continue;
        weight = fit_weight(fit, block, row, label);
        off = fit->task == CLEAVE_TASK_REGRESSION
                  ? scores[0] - fit_target(fit, block, row)
                  : clv_bag_class(scores, outputs, from->positive) != label;
        measuring->error += weight * off * off;
        measuring->weight += weight;
    }
    return OK;
}

/* Whether trees grown on the new rows predict their out-of-bag rows better than the model does,
 * which has not seen them. */
static Status compare(Fit *fit, const Model *from, Dataset *dataset, bool *better)
{
    const State *state = fit->state;
    Measuring measuring = {.fit = fit, .from = from};
    OutOfBagError new_trees;
    Status status = clv_tour_all(dataset, measure_block, &measuring, fit->error);

    THEN(status, clv_out_of_bag_error(&state->out, &new_trees, fit->error));
    *better = status == OK && new_trees.rows > 0 &&
              new_trees.error * measuring.weight < measuring.error;
    clv_free(fit->context, measuring.scores);
    return status;
}

/* Adds trees grown on the new rows. If old and new rows have the same distribution, these trees are
 * worse because they have fewer rows. They are then dropped, since the leaves of the model's trees
 * already include the new rows. */
static Status add_trees(Fit *fit, const Model *from, Dataset *dataset)
{
    const Options *options = fit->options;
    State *state = fit->state;
    BinOptions how = {.bins = (uint32_t)options->max_bins, .seed = fit->problem->seed};
    bool better;

    fit->max_epochs = clv_tree_update_rounds(fit, state->before.trees.trees,
                                             options->min_leaf_rows);
    if (fit->max_epochs == 0)
        return OK;
    state->updating = true;
    TRY(clv_bins_make(&state->bins, fit, dataset, &how, fit->problem->workspace));
    TRY(make_forest(fit));
    TRY(compare(fit, from, dataset, &better));
    if (better)
        return OK;
    clv_trees_free(&state->trees);
    fit->counters.epoch = from->rounds;
    return OK;
}

/* Adds the new rows to the leaves (learn/tree/leaves.h). If trees grown on the new rows predict
 * them better, new trees are added in proportion to the new rows. */
static Status update(Fit *fit, const Model *from, Dataset *dataset, Model *model)
{
    const Options *options = fit->options;
    State state = {0};
    LeafUpdate leaves;
    Status status = clv_leaves_begin(&leaves, fit, from);

    fit->state = &state;
    fit->counters.epoch = from->rounds;
    fit->epoch_done = clv_tree_update_round;
    THEN(status, clv_leaves_add_rows(&leaves, fit, dataset, options->row_fraction));
    THEN(status, resume_loss_increase(fit, from));
    THEN(status, keep_before(fit, &leaves.trees));
    THEN(status, add_trees(fit, from, dataset));
    if (status == OK && clv_cancelled(fit->context))
        status = clv_fail(fit->error, CLEAVE_ERROR_CANCELLED,
                          "interrupted: the model is unchanged");
    if (status == OK) {
        model->rounds = fit->counters.epoch;
        status = end(fit, model);
    }
    free_state(fit);
    fit->state = NULL;
    clv_leaves_free(&leaves);
    return status;
}

static const MethodTraining training = {
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

static const MethodInference inference = {.predict = predict, .check_model = check_model};

static const MethodInference class_inference = {
    .predict = predict,
    .check_model = check_model,
    .probabilities = clv_class_shares_as_probabilities,
};

static const MethodOnline online = {.update = update};

static const MethodInspection inspection = {.contributions = contributions};

#define FOREST_METHOD                                                                              \
    .reference = "Breiman 1996, 2001",                                                             \
    .traits = CLEAVE_TRAIT_CATEGORICAL | CLEAVE_TRAIT_DETERMINISTIC,                               \
    .behavior = METHOD_SCALE_INVARIANT | METHOD_COLLECTIVE_FIT, .options_size = sizeof(Options),   \
    .state_size = sizeof(State), .training = &training, .online = &online,                         \
    .inspection = &inspection

const Method clv_method_forest = {
    .name = "forest",
    .title = "Random forest.",
    .objective = "Gini impurity or entropy, minimized greedily in randomized trees",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = class_params,
    .inference = &class_inference,
    FOREST_METHOD,
};

const Method clv_method_forest_regression = {
    .name = "forest-regression",
    .title = "Random forest regression.",
    .objective = "sum of squared errors, minimized greedily in randomized trees",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = number_params,
    .inference = &inference,
    FOREST_METHOD,
};
