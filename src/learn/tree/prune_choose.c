#include "learn/tree/prune_choose.h"

#include "base/random.h"
#include "learn/tree/sums.h"

#include <math.h>

/* Loss and error of one row, or summed over rows. */
typedef struct {
    double loss, error;
} PrunedLosses;

typedef struct {
    const PruneValidation *how;
    PruneSequence *sequence;
    Context *context;
    uint8_t *fold;       /* fold of each row */
    uint32_t *rows;      /* the rows from which a fold's tree is grown */
    Exact *loss, *error; /* for each step, the difference from the previous step */
    Exact weight, count; /* weight and number of the validation rows */
    /* Arrays by node of a fold's tree. */
    double *alpha;
    double *squares;  /* classes: sum of squared fractions */
    uint32_t *first;  /* the first step in which the node is a leaf */
    uint32_t *answer; /* classes: the most frequent class */
} Choosing;

/* ---- folds ----------------------------------------------------------------------------------- */

/* Counts the rows of each class in the processes before this one. */
static Status count_before(const Choosing *choosing, uint32_t classes, uint64_t *before,
                           cleave_error *error)
{
    const Bins *bins = choosing->how->bins;
    uint32_t processes = bins->collective ? bins->collective->count : 1,
             mine = bins->collective ? bins->collective->number : 0;
    uint64_t *count;
    Status status;

    TRY(ALLOC_ZERO(choosing->context, count, (size_t)processes * classes, "folds", error));
    for (uint32_t i = 0; i < bins->rows; i++)
        count[(size_t)mine * classes + (bins->label ? bins->label[i] : 0)]++;
    status = clv_add_up(bins, count, (size_t)processes * classes, error);
    for (size_t i = 0; i < (size_t)mine * classes; i++)
        before[i % classes] += count[i];
    clv_free(choosing->context, count);
    return status;
}

/* Draws the fold of a row. The rows of a class are divided into groups of as many rows as there are
 * folds. Each group has one row per fold, in an order drawn by the seed. */
static uint8_t draw_fold(const PruneValidation *how, uint32_t class, uint64_t number)
{
    uint32_t order[UINT8_MAX], folds = how->folds;
    Random random = clv_random(how->seed + class, number / folds);

    for (uint32_t i = 0; i < folds; i++)
        order[i] = i;
    clv_shuffle(&random, order, folds);
    return (uint8_t)order[number % folds];
}

static Status make_folds(const Choosing *choosing, cleave_error *error)
{
    const Bins *bins = choosing->how->bins;
    uint32_t classes = bins->label ? choosing->how->grower->targets->classes : 1;
    uint64_t *next;
    Status status;

    TRY(ALLOC_ZERO(choosing->context, next, classes, "folds", error));
    status = count_before(choosing, classes, next, error);
    for (uint32_t i = 0; i < bins->rows && status == OK; i++) {
        uint32_t class = bins->label ? bins->label[i] : 0;

        choosing->fold[i] = draw_fold(choosing->how, class, next[class]++);
    }
    clv_free(choosing->context, next);
    return status;
}

/* ---- the tree of a fold ---------------------------------------------------------------------- */

/* The first step whose tree has the node as a leaf. */
static uint32_t find_step(const PruneSequence *sequence, double alpha)
{
    uint32_t low = 0, high = sequence->count - 1;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sequence->step[middle].midpoint >= alpha)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static Status describe_nodes(Choosing *choosing, cleave_error *error)
{
    const GrowTree *tree = &choosing->how->grower->tree;

    TRY(clv_prune_alphas(choosing->context, tree, choosing->alpha, error));
    for (uint32_t i = 0; i < tree->nodes; i++) {
        const ClassCount *class = node_classes(tree, i);

        choosing->first[i] = tree->node[i].left ? find_step(choosing->sequence, choosing->alpha[i])
                                                : 0;
        choosing->answer[i] = clv_tree_heaviest_class(tree, i);
        choosing->squares[i] = 0;
        for (uint32_t c = 0; c < tree->node[i].classes; c++) {
            double share = class[c].count * tree->class_unit / tree->node[i].hessian;

            choosing->squares[i] += share * share;
        }
    }
    return OK;
}

/* Classes: the Brier score, Σ (share - 1 if it is the label)², and whether the row is
 * misclassified. Regression: the squared error as loss and as error. */
static PrunedLosses losses_of(const Choosing *choosing, uint32_t node, uint32_t row)
{
    const Bins *bins = choosing->how->bins;
    const Grower *grower = choosing->how->grower;
    const GrowNode *leaf = &grower->tree.node[node];
    double weight = bins_weight(bins, row);

    if (bins->label) {
        uint32_t label = bins->label[row];
        double share = clv_tree_class_weight(&grower->tree, node, label) / leaf->hessian;

        return (PrunedLosses){weight * (1 + choosing->squares[node] - 2 * share),
                              label == choosing->answer[node] ? 0 : weight};
    }
    weight *= pow(bins->number[row] - choosing->how->center - leaf->value, 2);
    return (PrunedLosses){weight, weight};
}

static void add_losses(Choosing *choosing, uint32_t step, double loss, double error)
{
    if (loss != 0)
        clv_exact_add(&choosing->loss[step], loss);
    if (error != 0)
        clv_exact_add(&choosing->error[step], error);
}

/* Adds the losses of a row at the nodes on its path, which are leaves in the smaller trees. */
static void add_row(Choosing *choosing, uint32_t row)
{
    const Grower *grower = choosing->how->grower;
    PrunedLosses here = losses_of(choosing, 0, row);
    uint32_t node = 0;

    while (grower->tree.node[node].left) {
        uint32_t next = clv_grow_next(grower, node, row);
        PrunedLosses below = losses_of(choosing, next, row);

        add_losses(choosing, choosing->first[node], here.loss - below.loss,
                   here.error - below.error);
        here = below;
        node = next;
    }
    add_losses(choosing, 0, here.loss, here.error);
    clv_exact_add(&choosing->weight, bins_weight(choosing->how->bins, row));
    clv_exact_add(&choosing->count, 1);
}

static Status validate_on(Choosing *choosing, uint32_t fold, cleave_error *error)
{
    const PruneValidation *how = choosing->how;
    Context *context = choosing->context;
    enum { ROW_UNITS = 500 };
    uint32_t count = 0;
    uint64_t done = 0;
    Status status;
    size_t nodes;

    for (uint32_t i = 0; i < how->bins->rows; i++)
        if (choosing->fold[i] != fold)
            choosing->rows[count++] = i;
    TRY(how->grow(how->user, how->grower, choosing->rows, count));
    nodes = how->grower->tree.nodes;
    status = ALLOC(context, choosing->alpha, nodes, "pruning", error);
    THEN(status, ALLOC(context, choosing->squares, nodes, "pruning", error));
    THEN(status, ALLOC(context, choosing->first, nodes, "pruning", error));
    THEN(status, ALLOC(context, choosing->answer, nodes, "pruning", error));
    THEN(status, describe_nodes(choosing, error));
    for (uint32_t i = 0; i < how->bins->rows && status == OK; i++)
        if (choosing->fold[i] == fold) {
            add_row(choosing, i);
            clv_tick_after(context, &done, ROW_UNITS);
        }
    FREE(context, choosing->alpha, choosing->squares, choosing->first, choosing->answer);
    choosing->squares = NULL;
    choosing->first = choosing->answer = NULL;
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Computes means over the validation rows. rows: their number. */
static Status find_losses(Choosing *choosing, double *rows, cleave_error *error)
{
    PruneStep *step = choosing->sequence->step;
    PrunedLosses sum = {0};
    Status status;
    Sums sums;

    clv_sums_begin(&sums, choosing->how->bins, error);
    clv_sums_put(&sums, &choosing->weight);
    clv_sums_put(&sums, &choosing->count);
    for (uint32_t i = 0; i < choosing->sequence->count; i++) {
        clv_sums_put(&sums, &choosing->loss[i]);
        clv_sums_put(&sums, &choosing->error[i]);
    }
    status = clv_sums_end(&sums);
    for (uint32_t i = 0; i < choosing->sequence->count && status == OK; i++) {
        sum.loss += sums.value[2 + 2 * i];
        sum.error += sums.value[3 + 2 * i];
        step[i].loss = sum.loss / sums.value[0];
        step[i].error = sum.error / sums.value[0];
    }
    *rows = status == OK ? sums.value[1] : 0;
    clv_sums_free(&sums);
    return status;
}

/* The best step. Error rates are coarse, so trees whose error rates differ by less than a standard
 * error are compared by the Brier score. */
static uint32_t find_best(const Choosing *choosing, double rows)
{
    const PruneStep *step = choosing->sequence->step;
    double least = INFINITY, most;
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < choosing->sequence->count; i++)
        least = fmin(least, step[i].error);
    most = least + (choosing->how->bins->label ? sqrt(fmax(0, least * (1 - least)) / rows) : 0);
    for (uint32_t i = 0; i < choosing->sequence->count; i++)
        if (step[i].error <= most && (best == UINT32_MAX || step[i].loss <= step[best].loss))
            best = i;
    return best;
}

static Status choose(Choosing *choosing, uint32_t *best, cleave_error *error)
{
    double rows;

    TRY(make_folds(choosing, error));
    for (uint32_t i = 0; i < choosing->how->runs; i++)
        TRY(validate_on(choosing, i, error));
    TRY(find_losses(choosing, &rows, error));
    *best = find_best(choosing, rows);
    return OK;
}

Status clv_prune_choose(const PruneValidation *validation, PruneSequence *sequence, uint32_t *best,
                        cleave_error *error)
{
    const Bins *bins = validation->bins;
    Choosing choosing = {.how = validation, .sequence = sequence, .context = bins->context};
    Status status = TAKE(bins->workspace, bins->context, choosing.fold, bins->rows, "folds", error);

    THEN(status, TAKE(bins->workspace, bins->context, choosing.rows, bins->rows, "rows", error));
    choosing.loss = clv_alloc_zero(bins->context, sequence->count, 2 * sizeof *choosing.loss);
    if (status == OK && !choosing.loss)
        status = clv_fail_memory(error, "pruning", sequence->count * 2 * sizeof *choosing.loss);
    if (status == OK) {
        choosing.error = choosing.loss + sequence->count;
        status = choose(&choosing, best, error);
    }
    clv_free(bins->context, choosing.loss);
    clv_workspace_give(bins->workspace, bins->context, choosing.rows);
    clv_workspace_give(bins->workspace, bins->context, choosing.fold);
    return status;
}
