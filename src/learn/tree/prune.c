#include "learn/tree/prune.h"

#include "learn/tree/split.h"

/* Of each node, sums over rows that come by: weight, errors if it were a leaf, errors of what is below it. */
typedef struct {
    Grower *grower;
    const Bins *bins;
    uint32_t classes;
    uint32_t *answer; /* classes: what the node says */
    double *mean;     /* numbers: the same */
    double *loss;     /* of rows held out */
    double weight;    /* of them */
} Cutting;

static double weight_of(const Bins *bins, uint32_t row)
{
    return bins->weight ? (double)bins->weight[row] : 1;
}

static void find_answers(Cutting *cutting)
{
    const GrowTree *tree = &cutting->grower->tree;

    for (uint32_t i = 0; i < tree->nodes; i++) {
        const double *weight = tree->class_weight + (size_t)i * cutting->classes;
        const GrowNode *node = &tree->node[i];
        double sum = 0, all = 0;

        cutting->answer[i] = 0;
        for (uint32_t c = 1; c < cutting->classes; c++)
            if (weight[c] > weight[cutting->answer[i]])
                cutting->answer[i] = c;
        for (uint32_t k = 0; cutting->bins->number && k < node->rows; k++) {
            uint32_t row = cutting->grower->row[node->first + k];

            sum += weight_of(cutting->bins, row) * cutting->bins->number[row];
            all += weight_of(cutting->bins, row);
        }
        cutting->mean[i] = all > 0 ? sum / all : 0;
    }
}

static double loss_of(const Cutting *cutting, uint32_t node, uint32_t row)
{
    double off;

    if (cutting->bins->label)
        return cutting->bins->label[row] != cutting->answer[node] ? weight_of(cutting->bins, row) : 0;
    off = cutting->bins->number[row] - cutting->mean[node];
    return weight_of(cutting->bins, row) * off * off;
}

static uint32_t child_of(const Grower *grower, uint32_t at, uint32_t row)
{
    const GrowNode *node = &grower->tree.node[at];
    const BinColumn *column = &grower->bins->column[node->column];
    uint32_t bin = clv_bins_get(grower->bins, node->column, row);
    bool left = column->category         ? in_set(grower->tree.set + (size_t)node->set * SET_WORDS, bin)
                : bin == column->missing ? node->missing_left
                                         : bin <= node->bin;

    return node->left + !left;
}

/* Rows held out, on their way down: each node is asked. */
static void ask_nodes(Cutting *cutting, const uint32_t *held, uint32_t count)
{
    const GrowTree *tree = &cutting->grower->tree;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;

        cutting->weight += weight_of(cutting->bins, held[i]);
        for (;;) {
            cutting->loss[at] += loss_of(cutting, at, held[i]);
            if (!tree->node[at].left)
                break;
            at = child_of(cutting->grower, at, held[i]);
        }
    }
}

static double loss_of_leaves(const Cutting *cutting)
{
    const GrowTree *tree = &cutting->grower->tree;
    double sum = 0;

    for (uint32_t i = 0; i < tree->nodes; i++)
        sum += tree->node[i].left ? 0 : cutting->loss[i];
    return sum;
}

static double train_loss(const Cutting *cutting)
{
    const Grower *grower = cutting->grower;
    double sum = 0, weight = 0;

    for (uint32_t i = 0; i < grower->tree.nodes; i++)
        for (uint32_t k = 0; !grower->tree.node[i].left && k < grower->tree.node[i].rows; k++) {
            uint32_t row = grower->row[grower->tree.node[i].first + k];

            sum += loss_of(cutting, i, row);
            weight += weight_of(cutting->bins, row);
        }
    return weight > 0 ? sum / weight : 0;
}

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

/* They count, too. */
static void add_held(Cutting *cutting, const uint32_t *held, uint32_t count)
{
    GrowTree *tree = &cutting->grower->tree;

    for (uint32_t i = 0; i < count; i++) {
        double weight = weight_of(cutting->bins, held[i]);
        uint32_t at = 0;

        for (;;) {
            tree->node[at].hessian += weight;
            if (cutting->bins->label)
                tree->class_weight[(size_t)at * cutting->classes + cutting->bins->label[held[i]]] += weight;
            if (!tree->node[at].left)
                break;
            at = child_of(cutting->grower, at, held[i]);
        }
    }
}

Status clv_prune(Grower *grower, const uint32_t *held, uint32_t count, Pruning *pruning, cleave_error *error)
{
    Context *context = grower->context;
    uint32_t nodes = grower->tree.nodes;
    Cutting cutting = {.grower = grower,
                       .bins = grower->bins,
                       .classes = grower->targets->classes,
                       .answer = clv_alloc(context, nodes, sizeof(uint32_t)),
                       .mean = clv_alloc(context, nodes, sizeof(double)),
                       .loss = clv_alloc_zero(context, nodes, sizeof(double))};
    Status status = OK;

    if (cutting.answer && cutting.mean && cutting.loss) {
        find_answers(&cutting);
        ask_nodes(&cutting, held, count);
        *pruning = (Pruning){.train = train_loss(&cutting), .leaves = grower->tree.leaves};
        if (cutting.weight > 0) {
            pruning->grown = loss_of_leaves(&cutting) / cutting.weight;
            cut(&cutting);
            pruning->pruned = cutting.loss[0] / cutting.weight;
        }
        add_held(&cutting, held, count);
    } else {
        status = clv_fail_memory(error, "pruning", nodes * sizeof(double));
    }
    clv_free(context, cutting.answer);
    clv_free(context, cutting.mean);
    clv_free(context, cutting.loss);
    return status;
}
