/* The body of each rating_loops_*.c, which first defines LOOPS and NAME, the table and its name. */
#include "learn/factor/rating_loops.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16, AHEAD = 8 /* number of ratings between a prefetch and its use */ };
typedef float Lanes __attribute__((vector_size(4 * LANES)));
typedef float Half __attribute__((vector_size(2 * LANES)));
typedef float Quarter __attribute__((vector_size(LANES)));

/* The sum of all lanes. The halves are added repeatedly. */
INLINE float add_lanes(const Lanes *sum)
{
    const Half *half = (const Half *)sum;
    Half eight = half[0] + half[1];
    const Quarter *quarter = (const Quarter *)&eight;
    Quarter four = quarter[0] + quarter[1];

    return (four[0] + four[2]) + (four[1] + four[3]);
}

INLINE void prefetch(const RatingBlock *block, size_t i)
{
    const BlockRating *later = &block->rating[i + AHEAD < block->count ? i + AHEAD : i];
    const float *p = block->users + later->user * block->stride;
    const float *q = block->items + later->item * block->stride;

    for (size_t j = 0; j < block->stride && j < 4 * LANES; j += LANES) {
        __builtin_prefetch(p + j, 1);
        __builtin_prefetch(q + j, 1);
    }
}

/* vectors: number of registers of LANES numbers; a constant, so that sums stay in registers. */
INLINE double descend_by(const RatingBlock *block, size_t vectors)
{
    double loss = 0;

    for (size_t i = 0; i < block->count; i++) {
        const BlockRating *rating = &block->rating[i];
        Lanes *p = (Lanes *)(block->users + rating->user * block->stride);
        Lanes *q = (Lanes *)(block->items + rating->item * block->stride);
        float *user_bias = &block->user_bias[rating->user];
        float *item_bias = &block->item_bias[rating->item];
        float weight = block->weight ? block->weight[i] : 1.0F;
        float rate = block->rate * weight, bias_rate = block->bias_rate * weight;
        float keep = 1 - rate * block->penalty, bias_keep = 1 - bias_rate * block->penalty;
        Lanes sum = p[0] * q[0];
        float error, step;

        prefetch(block, i);
        for (size_t j = 1; j < vectors; j++)
            sum += p[j] * q[j];
        error = rating->value - ((*user_bias + *item_bias) + add_lanes(&sum));
        step = rate * error;
        for (size_t j = 0; j < vectors; j++) {
            Lanes a = p[j], b = q[j];

            p[j] = keep * a + step * b;
            q[j] = keep * b + step * a;
        }
        *user_bias = bias_keep * *user_bias + bias_rate * error;
        *item_bias = bias_keep * *item_bias + bias_rate * error;
        loss += (double)weight * (double)error * (double)error;
    }
    return loss;
}

static double descend(const RatingBlock *block)
{
    switch (block->stride / LANES) {
    case 1:
        return descend_by(block, 1);
    case 2:
        return descend_by(block, 2);
    case 3:
        return descend_by(block, 3);
    case 4:
        return descend_by(block, 4);
    default:
        return descend_by(block, block->stride / LANES);
    }
}

const RatingLoops LOOPS = {.name = NAME, .descend = descend};
