/* The loops of src/learn/factor: equal forms, and steps along the numerical gradient. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/factor/rating_loops.h"

enum { USERS = 7, ITEMS = 5, RATINGS = 40, WIDEST = 96 };

typedef struct {
    BlockRating rating[RATINGS];
    float weight[RATINGS];
    _Alignas(64) float users[USERS * WIDEST];
    _Alignas(64) float items[ITEMS * WIDEST];
    float user_bias[USERS], item_bias[ITEMS];
    RatingBlock block;
} Problem;

static void fill(Random *random, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(clv_random_unit(random) - .5);
}

static Problem *make_problem(size_t stride, size_t count)
{
    Random random = clv_random(5, stride);
    Problem *problem = aligned_alloc(64, (sizeof *problem + 63) / 64 * 64);

    assert_non_null(problem);
    for (size_t i = 0; i < RATINGS; i++) {
        problem->rating[i] = (BlockRating){.user = (uint16_t)clv_random_below(&random, USERS),
                                           .item = (uint16_t)clv_random_below(&random, ITEMS),
                                           .value = (float)(4 * clv_random_unit(&random))};
        problem->weight[i] = (float)(1 + i % 3) / 2;
    }
    fill(&random, problem->users, USERS * WIDEST);
    fill(&random, problem->items, ITEMS * WIDEST);
    fill(&random, problem->user_bias, USERS);
    fill(&random, problem->item_bias, ITEMS);
    problem->block = (RatingBlock){.rating = problem->rating,
                                   .weight = problem->weight,
                                   .count = count,
                                   .users = problem->users,
                                   .items = problem->items,
                                   .user_bias = problem->user_bias,
                                   .item_bias = problem->item_bias,
                                   .stride = stride,
                                   .rate = .05F,
                                   .bias_rate = .03F,
                                   .penalty = .1F};
    return problem;
}

static void forms_are_bit_identical(void **state)
{
    (void)state;
    for (size_t stride = 16; stride <= WIDEST; stride += 16)
        for (size_t form = 1; clv_rating_loops_at(form); form++) {
            Problem *plain = make_problem(stride, RATINGS), *other = make_problem(stride, RATINGS);
            double a = clv_rating_loops_at(0)->descend(&plain->block);
            double b = clv_rating_loops_at(form)->descend(&other->block);

            assert_true(a == b);
            assert_memory_equal(plain->users, other->users, sizeof plain->users);
            assert_memory_equal(plain->items, other->items, sizeof plain->items);
            assert_memory_equal(plain->user_bias, other->user_bias, sizeof plain->user_bias);
            assert_memory_equal(plain->item_bias, other->item_bias, sizeof plain->item_bias);
            free(plain);
            free(other);
        }
}

/* Half the weighted squared error and penalty of the first rating, of which a step follows the
 * gradient. */
static double objective(const Problem *problem)
{
    const BlockRating *rating = problem->rating;
    size_t stride = problem->block.stride;
    const float *p = problem->users + rating->user * stride;
    const float *q = problem->items + rating->item * stride;
    double a = (double)problem->user_bias[rating->user];
    double b = (double)problem->item_bias[rating->item];
    double error = (double)rating->value - a - b, squares = a * a + b * b;

    for (size_t i = 0; i < stride; i++) {
        error -= (double)p[i] * (double)q[i];
        squares += (double)p[i] * (double)p[i] + (double)q[i] * (double)q[i];
    }
    return (double)problem->weight[0] * (error * error + (double)problem->block.penalty * squares) /
           2;
}

static double slope(Problem *problem, float *number)
{
    const float step = 1e-2F, old = *number;
    double above, below;

    *number = old + step;
    above = objective(problem);
    *number = old - step;
    below = objective(problem);
    *number = old;
    return (above - below) / (2 * (double)step);
}

static void check_step(float before, float after, double gradient, float rate)
{
    assert_true(fabs((double)(after - before) + (double)rate * gradient) < 2e-4 * (double)rate);
}

static void a_step_follows_the_gradient(void **state)
{
    Problem *before = make_problem(32, 1), *after = make_problem(32, 1);
    size_t user = before->rating[0].user, item = before->rating[0].item;
    float rate = .05F, bias_rate = .03F;

    (void)state;
    clv_rating_loops()->descend(&after->block);
    for (size_t i = 0; i < 32; i++) {
        size_t u = user * 32 + i, v = item * 32 + i;

        check_step(before->users[u], after->users[u], slope(before, &before->users[u]), rate);
        check_step(before->items[v], after->items[v], slope(before, &before->items[v]), rate);
    }
    check_step(before->user_bias[user], after->user_bias[user],
               slope(before, &before->user_bias[user]), bias_rate);
    check_step(before->item_bias[item], after->item_bias[item],
               slope(before, &before->item_bias[item]), bias_rate);
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_bit_identical),
        cmocka_unit_test(a_step_follows_the_gradient),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
