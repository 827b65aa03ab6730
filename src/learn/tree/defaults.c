#include "learn/tree/defaults.h"

#include "base/machine.h"
#include "learn/tree/sums.h"

#include <math.h>

enum {
    MANY_COLUMNS = 2000,
    SPARSE_COLUMNS = 50,  /* sparse: on average, a row has less than one column in this many */
    MIN_UPDATE_ROWS = 32, /* minimum number of new rows for a new tree */
};

/* The default pipeline. A text column has many words, which codes cannot represent. */
const char *clv_tree_default_pipeline(const void *options, const Schema *schema)
{
    (void)options;
    if (!clv_schema_is_table(schema))
        return NULL;
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_TEXT)
            return NULL;
    return "ordinal:mark-missing";
}

void clv_tree_shares_of(const Fit *fit, const GrowTree *tree, uint32_t node, double *values)
{
    const ClassCount *class = node_classes(tree, node);
    double all = 0;

    for (uint32_t i = 0; i < tree->node[node].classes; i++)
        all += class[i].count * tree->class_unit;
    if (outputs_of(fit->classes) == 1) {
        values[0] = all > 0 ? 2 * clv_tree_class_weight(tree, node, fit->positive) / all - 1 : 0;
        return;
    }
    for (uint32_t i = 0; i < tree->node[node].classes; i++)
        values[class[i].class] = class[i].count * tree->class_unit / all;
}

Status clv_tree_means(const Grower *grower, const float *weight, double *values,
                      cleave_error *error)
{
    const GrowTree *tree = &grower->tree;
    uint64_t done = 0;
    size_t leaf = 0;
    Status status;
    Sums sums;

    clv_sums_begin(&sums, grower->bins, error);
    for (uint32_t i = 0; i < tree->nodes; i++) {
        const uint32_t *rows = grower->row + tree->node[i].first, count = tree->node[i].rows;

        if (tree->node[i].left)
            continue;
        if (!grower->options.alone)
            clv_tick_after(grower->context, &done, 100 * (uint64_t)(count + 1));
        for (uint32_t k = 0; k < count; k++)
            sums_add(&sums, (weight ? (double)weight[rows[k]] : 1) * grower->bins->number[rows[k]]);
        clv_sums_next(&sums);
        for (uint32_t k = 0; k < count; k++)
            sums_add(&sums, weight ? (double)weight[rows[k]] : 1);
        clv_sums_next(&sums);
    }
    status = clv_sums_end(&sums);
    for (uint32_t i = 0; i < tree->nodes && status == OK; i++)
        if (!tree->node[i].left) {
            const double *sum = sums.value + 2 * leaf++;

            values[i] = sum[1] > 0 ? sum[0] / sum[1] : 0;
        }
    clv_sums_free(&sums);
    return status;
}

/* Checks the memory. A tree has at least one leaf per class. In the model each node has a weight,
 * and each leaf a probability, for every class. */
Status clv_tree_affordable(const Fit *fit, const GrowOptions *options, uint32_t trees)
{
    enum { BYTES_OF_A_TREE = 2 * (sizeof(uint32_t) + 2 * sizeof(double)) };
    double classes = fit->classes, leaves = fmin(classes, (double)fit->problem->rows);

    if (classes <= 2)
        return OK;
    leaves = options->leaves ? fmin(leaves, options->leaves) : leaves;
    leaves = options->depth ? fmin(leaves, ldexp(1, (int)options->depth)) : leaves;
    if (clv_affordable(leaves * classes * (BYTES_OF_A_TREE + (double)sizeof(float) * trees),
                       fit->error, "the leaves of %u tree%s for %u classes", trees,
                       trees == 1 ? "" : "s", fit->classes) == OK)
        return OK;
    return clv_hint(
        fit->error, CLEAVE_ERROR_MEMORY,
        "check that the labels are not IDs or numbers; knn and perceptron support many classes");
}

static void warn_sparse(const Fit *fit, const Dataset *dataset)
{
    double cells = (double)dataset->rows * fit->features;

    if (fit->features < MANY_COLUMNS || (double)dataset->entries * SPARSE_COLUMNS > cells)
        return;
    clv_warn(fit->context,
             "linear methods such as svm or logistic fit sparse data better and train faster",
             "the data is sparse: a row has %.0f nonzero values in %u columns on average",
             (double)dataset->entries / (double)(dataset->rows ? dataset->rows : 1), fit->features);
}

Status clv_tree_make_bins(Fit *fit, Dataset *dataset, int64_t most, Bins *bins)
{
    BinOptions how = {.bins = (uint32_t)most, .seed = fit->problem->seed};

    warn_sparse(fit, dataset);
    if (dataset->features > fit->features)
        fit->features = dataset->features;
    return clv_bins_make(bins, fit, dataset, &how, fit->problem->workspace);
}

void clv_tree_warn_few(const Fit *fit, const Trees *trees, int64_t leaf_rows)
{
    if (trees->trees == 0 || fit->problem->rows == 0 || trees->leaves > trees->trees ||
        fit->problem->rows >= 2 * (uint64_t)leaf_rows)
        return;
    clv_warn(fit->context, "lower --min-leaf-rows",
             "%llu row%s cannot be split into two leaves of --min-leaf-rows %lld: the prediction "
             "is constant",
             (unsigned long long)fit->problem->rows, fit->problem->rows == 1 ? "" : "s",
             (long long)leaf_rows);
}

bool clv_tree_update_round(Fit *fit)
{
    fit->counters.epoch++;
    clv_progress(fit->context, &(cleave_progress){.phase = "update",
                                                  .rows = fit->problem->rows,
                                                  .rows_total = fit->problem->rows,
                                                  .epoch = fit->counters.epoch});
    return !clv_cancelled(fit->context);
}

uint32_t clv_tree_update_rounds(const Fit *fit, uint32_t rounds, int64_t leaf_rows)
{
    double rows = (double)fit->problem->rows,
           share = rows / (rows + (double)fit->problem->rows_before);

    return rows < MIN_UPDATE_ROWS || rows < 2 * (double)leaf_rows
               ? 0
               : (uint32_t)floor(rounds * share + 0.5);
}

Status clv_tree_put_nothing(const Fit *fit, Model *model)
{
    Bins bins = {.context = fit->context};
    Targets targets = {0};
    GrowNode leaf = {0};
    Grower grower = {.context = fit->context, .bins = &bins, .targets = &targets};
    TreesBuilder trees;
    Status status;

    grower.tree = (GrowTree){.node = &leaf, .nodes = 1, .leaves = 1};
    TRY(clv_trees_init(&trees, &bins, (uint32_t)fit->outputs, false, fit->error));
    status = clv_trees_add(&trees, &grower, NULL, 1, fit->error);
    THEN(status, clv_trees_put(&trees, model->bundle, fit->error));
    clv_trees_free(&trees);
    return status;
}
