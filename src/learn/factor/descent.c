#include "learn/factor/descent.h"

#include "base/pool.h"
#include "base/random.h"

#include <math.h>

enum {
    /* size of the vectors of a block, which stay in the second-level cache */
    CACHED_BYTES = 384 << 10,
    MOST_BANDS = 1024,
    PARALLEL_BANDS = 8,     /* minimum, if blocks have enough ratings */
    RATINGS_OF_BLOCK = 512, /* minimum mean number */
    WIDEST_BAND = 1 << 16,  /* so that numbers fit in a BlockRating */
};
#define NEAR_ZERO 0.05F /* --step agree: a factor is not divided by a number closer to 0 */

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint32_t widest(const Ratings *ratings)
{
    return ratings->users.count > ratings->items.count ? ratings->users.count
                                                       : ratings->items.count;
}

static uint32_t choose_bands(const Ratings *ratings, const Factors *factors)
{
    uint64_t bytes = ((uint64_t)ratings->users.count + ratings->items.count) * factors->stride * 4;
    uint32_t bands = 1, most = widest(ratings);

    while (bands < MOST_BANDS && 2 * bands <= most &&
           ((uint64_t)2 * bands * 2 * bands * RATINGS_OF_BLOCK <= ratings->count) &&
           (bytes / bands > CACHED_BYTES || bands < PARALLEL_BANDS))
        bands *= 2;
    while ((uint64_t)bands * WIDEST_BAND < most)
        bands *= 2;
    return bands;
}

typedef struct {
    const Fit *fit;
    const Ratings *ratings;
    const Factors *factors;
    const Blocks *blocks;
    const DescentStep *step;
    uint32_t diagonal;
    double *loss; /* loss of each block of a diagonal */
} Task;

static uint64_t block_of(const Blocks *blocks, uint32_t user, uint32_t item)
{
    return (uint64_t)(user / blocks->users) * blocks->bands + item / blocks->items;
}

static void count_blocks(const Ratings *ratings, Blocks *blocks)
{
    const RatingSide *users = &ratings->users;
    size_t count = (size_t)blocks->bands * blocks->bands;
    uint64_t done = 0;

    for (uint32_t n = 0; n < users->count; n++)
        for (uint64_t i = users->start[n]; i < users->start[n + 1]; i++) {
            blocks->start[block_of(blocks, n, users->other[i]) + 1]++;
            clv_tick_after(ratings->memory.context, &done, 8);
        }
    for (size_t i = 0; i < count; i++)
        blocks->start[i + 1] += blocks->start[i];
}

static void fill_blocks(const Ratings *ratings, const RatingScale *scale, Blocks *blocks,
                        uint64_t *next)
{
    const RatingSide *users = &ratings->users;
    uint64_t done = 0;

    for (uint32_t n = 0; n < users->count; n++)
        for (uint64_t i = users->start[n]; i < users->start[n + 1]; i++) {
            uint64_t place = next[block_of(blocks, n, users->other[i])]++;

            blocks->rating[place] = (BlockRating){
                .user = (uint16_t)(n % blocks->users),
                .item = (uint16_t)(users->other[i] % blocks->items),
                .value = (float)(((double)users->value[i] - scale->mean) / scale->spread)};
            if (blocks->weight)
                blocks->weight[place] = users->weight[i];
            clv_tick_after(ratings->memory.context, &done, 16);
        }
}

/* Shuffles the ratings of a block (Fisher-Yates), so that successive ratings are of different
 * users. */
static void shuffle_block(void *user, uint32_t number, unsigned worker)
{
    const Task *task = user;
    const Blocks *blocks = task->blocks;
    uint64_t first = blocks->start[number];
    Random random = clv_random(task->fit->problem->seed, 3 + (uint64_t)number);

    (void)worker;
    for (uint64_t left = blocks->start[number + 1] - first; left > 1; left--) {
        uint64_t at = first + clv_random_next(&random) % left, last = first + left - 1;
        BlockRating rating = blocks->rating[at];

        blocks->rating[at] = blocks->rating[last];
        blocks->rating[last] = rating;
        if (blocks->weight) {
            float weight = blocks->weight[at];

            blocks->weight[at] = blocks->weight[last];
            blocks->weight[last] = weight;
        }
    }
}

Status clv_blocks_new(const Fit *fit, Arena *memory, const Ratings *ratings, const Factors *factors,
                      Blocks *blocks)
{
    uint32_t bands = choose_bands(ratings, factors);
    size_t count = (size_t)bands * bands;
    Task task = {.fit = fit, .blocks = blocks};
    uint64_t *next;

    *blocks = (Blocks){.bands = bands,
                       .users = (ratings->users.count + bands - 1) / bands,
                       .items = (ratings->items.count + bands - 1) / bands};
    blocks->start = clv_arena_zero(memory, count + 1, sizeof *blocks->start);
    blocks->rating = clv_arena_alloc(memory, ratings->count, sizeof *blocks->rating);
    if (ratings->users.weight)
        blocks->weight = clv_arena_alloc(memory, ratings->count, sizeof *blocks->weight);
    next = clv_arena_alloc(memory, count, sizeof *next);
    TRY(memory->status);
    count_blocks(ratings, blocks);
    memcpy(next, blocks->start, count * sizeof *next);
    fill_blocks(ratings, &factors->scale, blocks, next);
    clv_pool_run(fit->context, (uint32_t)count, shuffle_block, &task);
    return fit_check(fit);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Changes both factors. A change of error / other of one factor alone would remove the error; each
 * factor changes by the fraction `rate` of that. */
static void step_to_agree(float *p, float *q, uint32_t rank, float error, float rate)
{
    for (uint32_t j = 0; j < rank; j++) {
        float old = p[j];

        if (fabsf(q[j]) >= NEAR_ZERO)
            p[j] += rate * (error / q[j]);
        if (fabsf(old) >= NEAR_ZERO)
            q[j] += rate * (error / old);
    }
}

static double descend_to_agree(const RatingBlock *block, uint32_t rank)
{
    double loss = 0;

    for (size_t i = 0; i < block->count; i++) {
        const BlockRating *rating = &block->rating[i];
        float *p = block->users + rating->user * block->stride;
        float *q = block->items + rating->item * block->stride;
        float sum = block->user_bias[rating->user] + block->item_bias[rating->item], error;
        float weight = block->weight ? block->weight[i] : 1.0F;

        for (uint32_t j = 0; j < rank; j++)
            sum += p[j] * q[j];
        error = rating->value - sum;
        loss += (double)weight * (double)error * (double)error;
        step_to_agree(p, q, rank, error, block->rate * weight);
        block->user_bias[rating->user] += block->bias_rate * weight * error;
        block->item_bias[rating->item] += block->bias_rate * weight * error;
    }
    return loss;
}

static void visit_block(void *user, uint32_t number, unsigned worker)
{
    const Task *task = user;
    const Blocks *blocks = task->blocks;
    const Factors *factors = task->factors;
    uint32_t column = (number + task->diagonal) % blocks->bands;
    size_t at = (size_t)number * blocks->bands + column;
    size_t first_user = (size_t)number * blocks->users, first_item = (size_t)column * blocks->items;
    uint64_t first = blocks->start[at];
    RatingBlock block = {.rating = blocks->rating + first,
                         .weight = blocks->weight ? blocks->weight + first : NULL,
                         .count = blocks->start[at + 1] - first,
                         .stride = factors->stride,
                         .rate = (float)task->step->rate,
                         .bias_rate = (float)task->step->bias_rate,
                         .penalty = (float)task->step->penalty};

    (void)worker;
    task->loss[number] = 0;
    if (block.count == 0)
        return;
    block.users = factors->users + first_user * factors->stride;
    block.items = factors->items + first_item * factors->stride;
    block.user_bias = factors->user_bias + first_user;
    block.item_bias = factors->item_bias + first_item;
    task->loss[number] = task->step->to_agree ? descend_to_agree(&block, factors->rank)
                                              : clv_rating_loops()->descend(&block);
}

static Status visit_diagonals(const Fit *fit, Task *task, const uint32_t *order, double *loss)
{
    const Blocks *blocks = task->blocks;
    uint64_t count = task->ratings->count;

    for (uint32_t i = 0; i < blocks->bands; i++) {
        task->diagonal = order[i];
        clv_pool_run(fit->context, blocks->bands, visit_block, task);
        for (uint32_t j = 0; j < blocks->bands; j++)
            *loss += task->loss[j];
        clv_progress(fit->context, &(cleave_progress){.phase = "train",
                                                      .rows = count * (i + 1) / blocks->bands,
                                                      .rows_total = count,
                                                      .epoch = fit->counters.epoch + 1,
                                                      .epochs = fit->max_epochs});
        TRY(fit_check(fit));
    }
    return OK;
}

Status clv_blocks_descend(const Fit *fit, const Ratings *ratings, const Blocks *blocks,
                          const DescentStep *step, const Factors *factors, double *loss)
{
    Random random = clv_random(fit->problem->seed, ((uint64_t)1 << 40) + fit->counters.epoch);
    Task task = {
        .fit = fit, .ratings = ratings, .factors = factors, .blocks = blocks, .step = step};
    uint32_t *order;
    Status status;

    *loss = 0;
    TRY(ALLOC(fit->context, task.loss, blocks->bands, "an epoch", fit->error));
    status = clv_new(fit->context, &order, blocks->bands, sizeof *order, false, "an epoch",
                     fit->error);
    if (status == OK) {
        for (uint32_t i = 0; i < blocks->bands; i++)
            order[i] = i;
        clv_shuffle(&random, order, blocks->bands);
        status = visit_diagonals(fit, &task, order, loss);
    }
    FREE(fit->context, order, task.loss);
    return status;
}
