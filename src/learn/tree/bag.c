#include "learn/tree/bag.h"

#include "base/random.h"

#define BAG_STREAM 0x6261676765642121u /* apart from what else the seed is used for */

/* ---- the bag -------------------------------------------------------------------------------------------------------- */

Status clv_bag_init(Bag *bag, const Bins *bins, cleave_error *error)
{
    size_t rows = bins->rows;

    *bag = (Bag){.context = bins->context, .bins = bins};
    bag->times = clv_alloc(bins->context, rows, sizeof *bag->times);
    bag->row = clv_alloc(bins->context, rows, sizeof *bag->row);
    bag->left = clv_alloc(bins->context, rows, sizeof *bag->left);
    return bag->times && bag->row && bag->left ? OK
                                               : clv_fail_memory(error, "a bag of rows", 3 * rows * sizeof *bag->row);
}

void clv_bag_free(Bag *bag)
{
    if (!bag->context)
        return;
    clv_free(bag->context, bag->times);
    clv_free(bag->context, bag->row);
    clv_free(bag->context, bag->left);
    *bag = (Bag){0};
}

void clv_bag_draw(Bag *bag, double share, uint64_t seed, uint64_t tree)
{
    uint32_t rows = bag->bins->rows;
    uint64_t draws = (uint64_t)(share * rows + 0.5);
    Random random = clv_random(seed ^ BAG_STREAM, tree);

    bag->rows = bag->lefts = 0;
    memset(bag->times, 0, rows * sizeof *bag->times);
    for (uint64_t i = 0; rows && i < (draws ? draws : 1); i++)
        bag->times[clv_random_below(&random, rows)] += 1;
    for (uint32_t i = 0; i < rows; i++) {
        /* Both are written, one is kept: there is nothing to guess. */
        bool in = bag->times[i] > 0;

        bag->row[bag->rows] = i;
        bag->left[bag->lefts] = i;
        bag->rows += in;
        bag->lefts += !in;
    }
    for (uint32_t i = 0; bag->bins->weight && i < rows; i++)
        bag->times[i] *= bag->bins->weight[i];
}

/* ---- rows out of it --------------------------------------------------------------------------------------------------- */

Status clv_out_of_bag_init(OutOfBag *sums, const Bins *bins, size_t outputs, uint32_t positive, cleave_error *error)
{
    size_t room = bins->rows * outputs;

    *sums = (OutOfBag){.context = bins->context, .bins = bins, .outputs = outputs, .positive = positive};
    sums->score = clv_alloc_zero(bins->context, room, sizeof *sums->score);
    sums->trees = clv_alloc_zero(bins->context, bins->rows, sizeof *sums->trees);
    return sums->score && sums->trees ? OK : clv_fail_memory(error, "votes out of bag", room * sizeof *sums->score);
}

void clv_out_of_bag_free(OutOfBag *sums)
{
    if (!sums->context)
        return;
    clv_free(sums->context, sums->score);
    clv_free(sums->context, sums->trees);
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

OutOfBagError clv_out_of_bag_error(const OutOfBag *sums)
{
    const Bins *bins = sums->bins;
    OutOfBagError found = {0};
    double weight = 0, loss = 0, mean = 0, squares = 0;

    for (uint32_t i = 0; i < bins->rows; i++) {
        double w = bag_weight(bins, i), off;

        if (sums->trees[i] == 0)
            continue;
        found.rows++;
        weight += w;
        if (bins->label) {
            loss += w *
                    (clv_bag_class(sums->score + i * sums->outputs, sums->outputs, sums->positive) != bins->label[i]);
            continue;
        }
        off = sums->score[i] / sums->trees[i] - bins->number[i];
        loss += w * off * off;
        off = bins->number[i] - mean; /* Welford 1962 */
        mean += w / weight * off;
        squares += w * off * (bins->number[i] - mean);
    }
    if (weight > 0) {
        found.error = loss / weight;
        found.variance = squares / weight;
    }
    return found;
}
