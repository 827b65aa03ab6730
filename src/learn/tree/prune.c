#include "learn/tree/prune.h"

#include "learn/tree/sums.h"

/* What the nodes say, and how well. */
typedef struct {
    Grower *grower;
    const Bins *bins;
    uint32_t classes;
    uint32_t *answer;        /* classes: what the node says */
    double *mean;            /* numbers: the same */
    double *loss;            /* of rows held out, if it were a leaf */
    double weight;           /* of them */
    uint32_t *held;          /* those of a node together … */
    uint32_t *first, *count; /* … so many, from here on */
} Cutting;

/* ---- rows held out, on their way down ----------------------------------------------------------------------------- */

/* Those of a node, left ones first, both in their order; spare has room for all. */
static void part(Cutting *cutting, uint32_t node, uint32_t *spare)
{
    uint32_t *rows = cutting->held + cutting->first[node], count = cutting->count[node], lefts = 0;
    uint32_t left = cutting->grower->tree.node[node].left;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = rows[i];

        rows[lefts] = row;
        spare[i - lefts] = row;
        lefts += clv_grow_next(cutting->grower, node, row) == left;
    }
    memcpy(rows + lefts, spare, (count - lefts) * sizeof *rows);
    cutting->first[left] = cutting->first[node];
    cutting->count[left] = lefts;
    cutting->first[left + 1] = cutting->first[node] + lefts;
    cutting->count[left + 1] = count - lefts;
}

/* Children come after their parent. */
static void place_held(Cutting *cutting, const uint32_t *held, uint32_t count, uint32_t *spare)
{
    const GrowTree *tree = &cutting->grower->tree;

    memcpy(cutting->held, held, count * sizeof *held);
    cutting->first[0] = 0;
    cutting->count[0] = count;
    for (uint32_t i = 0; i < tree->nodes; i++)
        if (tree->node[i].left)
            part(cutting, i, spare);
}

/* ---- what nodes say ------------------------------------------------------------------------------------------------- */

static Status sum_nodes(const Cutting *cutting, Sums *sums, cleave_error *error)
{
    const Bins *bins = cutting->bins;

    for (uint32_t i = 0; i < cutting->grower->tree.nodes; i++) {
        const GrowNode *node = &cutting->grower->tree.node[i];
        const uint32_t *rows = cutting->grower->row + node->first;

        for (uint32_t k = 0; k < node->rows; k++)
            sums_add(sums, bins_weight(bins, rows[k]) * bins->number[rows[k]]);
        TRY(clv_sums_next(sums, error));
        for (uint32_t k = 0; k < node->rows; k++)
            sums_add(sums, bins_weight(bins, rows[k]));
        TRY(clv_sums_next(sums, error));
    }
    return clv_sums_end(sums, error);
}

static Status find_means(Cutting *cutting, cleave_error *error)
{
    Status status;
    Sums sums;

    clv_sums_begin(&sums, cutting->bins);
    status = sum_nodes(cutting, &sums, error);
    for (size_t i = 0; i < cutting->grower->tree.nodes && status == OK; i++)
        cutting->mean[i] = sums.value[2 * i + 1] > 0 ? sums.value[2 * i] / sums.value[2 * i + 1] : 0;
    clv_sums_free(&sums);
    return status;
}

static Status find_answers(Cutting *cutting, cleave_error *error)
{
    const GrowTree *tree = &cutting->grower->tree;

    if (cutting->bins->number)
        return find_means(cutting, error);
    for (uint32_t i = 0; i < tree->nodes; i++) {
        const double *weight = tree->class_weight + (size_t)i * cutting->classes;

        cutting->answer[i] = 0;
        for (uint32_t c = 1; c < cutting->classes; c++)
            if (weight[c] > weight[cutting->answer[i]])
                cutting->answer[i] = c;
    }
    return OK;
}

/* ---- how well ------------------------------------------------------------------------------------------------------- */

static double loss_of(const Cutting *cutting, uint32_t node, uint32_t row)
{
    double off;

    if (cutting->bins->label)
        return cutting->bins->label[row] != cutting->answer[node] ? bins_weight(cutting->bins, row) : 0;
    off = cutting->bins->number[row] - cutting->mean[node];
    return bins_weight(cutting->bins, row) * off * off;
}

/* The loss of the rows the tree was grown from, and their weight. */
static Status sum_training(const Cutting *cutting, Sums *sums, cleave_error *error)
{
    const Grower *grower = cutting->grower;

    for (uint32_t i = 0; i < grower->tree.nodes; i++)
        for (uint32_t k = 0; !grower->tree.node[i].left && k < grower->tree.node[i].rows; k++)
            sums_add(sums, loss_of(cutting, i, grower->row[grower->tree.node[i].first + k]));
    TRY(clv_sums_next(sums, error));
    for (uint32_t i = 0; i < grower->rows; i++)
        sums_add(sums, bins_weight(cutting->bins, grower->row[i]));
    return clv_sums_next(sums, error);
}

/* … of those held out, and what each node would lose as a leaf. */
static Status sum_held(const Cutting *cutting, Sums *sums, cleave_error *error)
{
    TRY(sum_training(cutting, sums, error));
    for (uint32_t i = 0; i < cutting->count[0]; i++)
        sums_add(sums, bins_weight(cutting->bins, cutting->held[i]));
    TRY(clv_sums_next(sums, error));
    for (uint32_t i = 0; i < cutting->grower->tree.nodes; i++) {
        for (uint32_t k = 0; k < cutting->count[i]; k++)
            sums_add(sums, loss_of(cutting, i, cutting->held[cutting->first[i] + k]));
        TRY(clv_sums_next(sums, error));
    }
    return clv_sums_end(sums, error);
}

static Status find_losses(Cutting *cutting, Pruning *pruning, cleave_error *error)
{
    const GrowTree *tree = &cutting->grower->tree;
    double leaves = 0;
    Status status;
    Sums sums;

    *pruning = (Pruning){.leaves = tree->leaves};
    clv_sums_begin(&sums, cutting->bins);
    status = sum_held(cutting, &sums, error);
    if (status == OK) {
        pruning->train = sums.value[1] > 0 ? sums.value[0] / sums.value[1] : 0;
        cutting->weight = sums.value[2];
        memcpy(cutting->loss, sums.value + 3, tree->nodes * sizeof *cutting->loss);
        for (uint32_t i = 0; i < tree->nodes; i++)
            leaves += tree->node[i].left ? 0 : cutting->loss[i];
        pruning->grown = cutting->weight > 0 ? leaves / cutting->weight : 0;
    }
    clv_sums_free(&sums);
    return status;
}

/* ---- cutting -------------------------------------------------------------------------------------------------------- */

/* Children come after their parent: backwards, every node below has been seen to. loss becomes that of the best tree below. */
static void cut(Cutting *cutting)
{
    GrowTree *tree = &cutting->grower->tree;

    for (uint32_t i = tree->nodes; i-- > 0;) {
        uint32_t left = tree->node[i].left;
        double below = left ? cutting->loss[left] + cutting->loss[left + 1] : 0;

        if (left && cutting->loss[i] <= below)
            clv_grow_prune(tree, i);
        else if (left)
            cutting->loss[i] = below;
    }
}

static Status sum_weights(const Cutting *cutting, Exact *of_class, Sums *sums, cleave_error *error)
{
    for (uint32_t i = 0; i < cutting->grower->tree.nodes; i++) {
        const uint32_t *rows = cutting->held + cutting->first[i];

        for (uint32_t k = 0; k < cutting->count[i]; k++) {
            double weight = bins_weight(cutting->bins, rows[k]);

            sums_add(sums, weight);
            if (cutting->bins->label)
                clv_exact_add(&of_class[cutting->bins->label[rows[k]]], weight);
        }
        TRY(clv_sums_next(sums, error));
        for (uint32_t c = 0; c < cutting->classes; c++)
            TRY(clv_sums_put(sums, &of_class[c], error));
    }
    return clv_sums_end(sums, error);
}

/* They count, too. */
static Status add_held(Cutting *cutting, cleave_error *error)
{
    GrowTree *tree = &cutting->grower->tree;
    Context *context = cutting->grower->context;
    uint32_t classes = cutting->classes;
    Exact *of_class = clv_alloc_zero(context, (size_t)classes + 1, sizeof *of_class);
    Status status;
    Sums sums;

    if (!of_class)
        return clv_fail_memory(error, "pruning", classes * sizeof *of_class);
    clv_sums_begin(&sums, cutting->bins);
    status = sum_weights(cutting, of_class, &sums, error);
    for (uint32_t i = 0; i < tree->nodes && status == OK; i++) {
        const double *weight = sums.value + i * ((size_t)classes + 1);

        tree->node[i].hessian += weight[0];
        for (uint32_t c = 0; c < classes; c++)
            tree->class_weight[(size_t)i * classes + c] += weight[1 + c];
    }
    clv_sums_free(&sums);
    clv_free(context, of_class);
    return status;
}

static Status prune(Cutting *cutting, Pruning *pruning, cleave_error *error)
{
    TRY(find_answers(cutting, error));
    TRY(find_losses(cutting, pruning, error));
    if (cutting->weight > 0) {
        cut(cutting);
        pruning->pruned = cutting->loss[0] / cutting->weight;
    }
    return add_held(cutting, error);
}

Status clv_prune(Grower *grower, const uint32_t *held, uint32_t count, Pruning *pruning, cleave_error *error)
{
    Context *context = grower->context;
    size_t nodes = grower->tree.nodes, numbers = 3 * nodes + 2 * (size_t)count;
    uint32_t *room = clv_alloc(context, numbers, sizeof *room);
    double *means = clv_alloc(context, 2 * nodes, sizeof *means);
    Status status = room && means ? OK : clv_fail_memory(error, "pruning", numbers * sizeof *room);
    Cutting cutting = {.grower = grower, .bins = grower->bins, .classes = grower->targets->classes};

    if (status == OK) {
        cutting.answer = room;
        cutting.first = room + nodes;
        cutting.count = room + 2 * nodes;
        cutting.held = room + 3 * nodes;
        cutting.mean = means;
        cutting.loss = means + nodes;
        place_held(&cutting, held, count, cutting.held + count);
        status = prune(&cutting, pruning, error);
    }
    clv_free(context, room);
    clv_free(context, means);
    return status;
}
