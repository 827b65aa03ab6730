#include "learn/tree/bag.h"

#include "base/random.h"
#include "learn/tree/sums.h"
#include "learn/tree/trees.h"

#define NO_VOTE UINT32_MAX

#define BAG_STREAM 0x6261676765642121u /* separates these draws from other uses of the seed */

/* ---- the bag --------------------------------------------------------------------------------- */

Status clv_bag_init(Bag *bag, const Bins *bins, cleave_error *error)
{
    size_t rows = bins->rows;

    *bag = (Bag){.context = bins->context, .bins = bins};
    TRY(TAKE(bins->workspace, bins->context, bag->times, rows, "a bootstrap sample", error));
    TRY(TAKE(bins->workspace, bins->context, bag->row, rows, "a bootstrap sample", error));
    return TAKE(bins->workspace, bins->context, bag->left, rows, "a bootstrap sample", error);
}

void clv_bag_free(Bag *bag)
{
    if (!bag->context)
        return;
    clv_workspace_give(bag->bins->workspace, bag->context, bag->times);
    clv_workspace_give(bag->bins->workspace, bag->context, bag->row);
    clv_workspace_give(bag->bins->workspace, bag->context, bag->left);
    *bag = (Bag){0};
}

void clv_bag_draw(Bag *bag, double share, uint64_t seed, uint64_t tree)
{
    uint32_t rows = bag->bins->rows, all = bag->bins->all_rows;
    uint64_t draws = (uint64_t)(share * all + 0.5);
    Random random = clv_random(seed ^ BAG_STREAM, tree);

    bag->rows = bag->lefts = 0;
    memset(bag->times, 0, rows * sizeof *bag->times);
    for (uint64_t i = 0; all && i < (draws ? draws : 1); i++) {
        uint32_t row = (uint32_t)clv_random_below(&random, all) - bag->bins->first;

        if (row < rows) /* unsigned: numbers of rows of earlier processes wrap to large values */
            bag->times[row] += 1;
    }
    for (uint32_t i = 0; i < rows; i++) {
        /* Writes the row to both lists and advances one of them, without a branch. */
        bool in = bag->times[i] > 0;

        bag->row[bag->rows] = i;
        bag->left[bag->lefts] = i;
        bag->rows += in;
        bag->lefts += !in;
    }
    for (uint32_t i = 0; bag->bins->weight && i < rows; i++)
        bag->times[i] *= bag->bins->weight[i];
}

/* ---- out-of-bag rows ------------------------------------------------------------------------- */

Status clv_out_of_bag_init(OutOfBag *sums, const Bins *bins, size_t outputs, uint32_t positive,
                           cleave_error *error)
{
    size_t workspace = bins->rows * outputs;

    *sums = (OutOfBag){
        .context = bins->context, .bins = bins, .outputs = outputs, .positive = positive};
    if (outputs > DENSE_OUTPUTS) {
        TRY(TAKE(bins->workspace, bins->context, sums->first_vote, bins->rows, "out-of-bag votes",
                 error));
        memset(sums->first_vote, 0xFF, bins->rows * sizeof *sums->first_vote);
        return TAKE(bins->workspace, bins->context, sums->trees, bins->rows, "out-of-bag votes",
                    error);
    }
    TRY(TAKE(bins->workspace, bins->context, sums->score, workspace, "out-of-bag votes", error));
    return TAKE(bins->workspace, bins->context, sums->trees, bins->rows, "out-of-bag votes", error);
}

void clv_out_of_bag_free(OutOfBag *sums)
{
    if (!sums->context)
        return;
    clv_workspace_give(sums->bins->workspace, sums->context, sums->score);
    clv_workspace_give(sums->bins->workspace, sums->context, sums->trees);
    clv_workspace_give(sums->bins->workspace, sums->context, sums->first_vote);
    clv_free(sums->context, sums->vote);
    *sums = (OutOfBag){0};
}

void clv_out_of_bag_add(OutOfBag *sums, const uint32_t *rows, const uint32_t *nodes, uint32_t count,
                        const double *values)
{
    size_t outputs = sums->outputs;

    for (uint32_t i = 0; i < count; i++) {
        double *score = sums->score + rows[i] * outputs;
        const double *value = values + nodes[i] * outputs;

        for (size_t o = 0; o < outputs; o++)
            score[o] += value[o];
        sums->trees[rows[i]]++;
    }
}

static Status add_vote(OutOfBag *sums, uint32_t row, uint32_t class, double share,
                       cleave_error *error)
{
    uint32_t *at = &sums->first_vote[row];

    while (*at != NO_VOTE && sums->vote[*at].class != class)
        at = &sums->vote[*at].next;
    if (*at != NO_VOTE) {
        sums->vote[*at].score += share;
        return OK;
    }
    if (sums->votes == NO_VOTE)
        return clv_fail(error, CLEAVE_ERROR_MEMORY, "the forest has more than %u out-of-bag votes",
                        NO_VOTE);
    *at = sums->votes; /* read before the array moves */
    TRY(GROW(sums->context, sums->vote, sums->vote_capacity, (size_t)sums->votes + 1, error));
    sums->vote[sums->votes++] = (struct BagVote){share, class, NO_VOTE};
    return OK;
}

Status clv_out_of_bag_add_shares(OutOfBag *sums, const uint32_t *rows, const uint32_t *nodes,
                                 uint32_t count, const GrowTree *tree, cleave_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        const ClassCount *class = node_classes(tree, nodes[i]);
        uint32_t classes = tree->node[nodes[i]].classes;
        double all = 0;

        for (uint32_t k = 0; k < classes; k++)
            all += class[k].count * tree->class_unit;
        for (uint32_t k = 0; k < classes; k++)
            TRY(add_vote(sums, rows[i], class[k].class, class[k].count * tree->class_unit / all,
                         error));
        sums->trees[rows[i]]++;
    }
    return OK;
}

/* The class with the highest score; with equal scores, the first class. */
static uint32_t voted_class(const OutOfBag *sums, uint32_t row)
{
    uint32_t best = sums->first_vote[row];

    for (uint32_t at = best; at != NO_VOTE; at = sums->vote[at].next)
        if (sums->vote[at].score > sums->vote[best].score ||
            (sums->vote[at].score == sums->vote[best].score &&
             sums->vote[at].class < sums->vote[best].class))
            best = at;
    return best == NO_VOTE ? 0 : sums->vote[best].class;
}

uint32_t clv_bag_class(const double *scores, size_t outputs, uint32_t positive)
{
    uint32_t best = 0;

    if (outputs == 1)
        return scores[0] > 0 ? positive : 1 - positive;
    for (uint32_t i = 1; i < outputs; i++)
        if (scores[i] > scores[best])
            best = i;
    return best;
}

static double loss_of(const OutOfBag *sums, uint32_t row)
{
    const double *score;
    double off;

    if (sums->first_vote)
        return voted_class(sums, row) != sums->bins->label[row];
    score = sums->score + row * sums->outputs;
    if (sums->bins->label)
        return clv_bag_class(score, sums->outputs, sums->positive) != sums->bins->label[row];
    off = score[0] / sums->trees[row] - sums->bins->number[row];
    return off * off;
}

Status clv_out_of_bag_error(const OutOfBag *out, OutOfBagError *found, cleave_error *error)
{
    const Bins *bins = out->bins;
    double sum[3], squares;
    Sums sums;

    *found = (OutOfBagError){0};
    for (uint32_t i = 0; i < bins->rows; i++)
        found->rows += out->trees[i] > 0;
    TRY(clv_add_up(bins, &found->rows, 1, error));
    clv_sums_begin(&sums, bins, error);
    for (uint32_t i = 0; i < bins->rows; i++)
        if (out->trees[i])
            sums_add(&sums, bins_weight(bins, i) * loss_of(out, i));
    clv_sums_next(&sums);
    for (uint32_t i = 0; i < bins->rows; i++)
        if (out->trees[i])
            sums_add(&sums, bins_weight(bins, i));
    clv_sums_next(&sums);
    for (uint32_t i = 0; bins->number && i < bins->rows; i++)
        if (out->trees[i])
            sums_add(&sums, bins_weight(bins, i) * bins->number[i]);
    clv_sums_next(&sums);
    TRY(clv_sums_finish(&sums, sum, 3));
    if (!(sum[1] > 0))
        return OK;
    found->error = sum[0] / sum[1];
    clv_sums_begin(&sums, bins, error);
    for (uint32_t i = 0; bins->number && i < bins->rows; i++)
        if (out->trees[i])
            sums_add(&sums, bins_weight(bins, i) * (bins->number[i] - sum[2] / sum[1]) *
                                (bins->number[i] - sum[2] / sum[1]));
    clv_sums_next(&sums);
    TRY(clv_sums_finish(&sums, &squares, 1));
    found->variance = squares / sum[1];
    return OK;
}
