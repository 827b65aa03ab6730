/* Derivatives of the losses against differences of the losses; the optimal constant start; accurate
 * sums for scores that are far apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/tree/losses.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { ROWS = 200, CLASSES = 4 };

typedef struct {
    Context *context;
    Bins bins;
    uint32_t label[ROWS];
    double number[ROWS];
    float weight[ROWS];
    Losses losses;
} Setting;

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.12g, expected %.12g within %g", found, expected, tolerance);
}

static void begin(Setting *setting, BoostLoss loss, bool weighted)
{
    Random random = clv_random(7, (uint64_t)loss);
    uint32_t classes = loss == SOFTMAX_LOSS ? CLASSES : 2;
    cleave_error error;

    setting->context = cleave_context_new(NULL);
    assert_non_null(setting->context);
    for (uint32_t i = 0; i < ROWS; i++) {
        setting->label[i] = clv_random_below(&random, classes);
        setting->number[i] = 100 * clv_random_unit(&random);
        setting->weight[i] = (float)(0.5 + clv_random_unit(&random));
    }
    setting->bins = (Bins){.context = setting->context,
                           .rows = ROWS,
                           .label = loss == SQUARED_LOSS ? NULL : setting->label,
                           .number = loss == SQUARED_LOSS ? setting->number : NULL,
                           .weight = weighted ? setting->weight : NULL};
    FINE(clv_losses_init(&setting->losses, &setting->bins, loss, loss == SOFTMAX_LOSS ? CLASSES : 1,
                         1, &error));
}

static void end(Setting *setting)
{
    clv_losses_free(&setting->losses);
    cleave_context_free(setting->context);
}

/* Of the sum, as one score moves; sums of 200 rows hold some seven digits. */
static double slope(Setting *setting, size_t at, double step)
{
    double *score = &setting->losses.score[at], here = *score, above, below;

    *score = here + step;
    above = clv_losses_sum(&setting->losses);
    *score = here - step;
    below = clv_losses_sum(&setting->losses);
    *score = here;
    return (above - below) / (2 * step);
}

static double hessian_of(const Setting *setting, uint32_t row)
{
    if (setting->losses.hessian)
        return (double)setting->losses.hessian[row];
    return setting->bins.weight ? (double)setting->bins.weight[row] : 1;
}

static void check_derivatives(BoostLoss loss, bool weighted)
{
    static Setting setting;
    Random random = clv_random(8, (uint64_t)loss);
    double factor = loss == SOFTMAX_LOSS ? (double)CLASSES / (CLASSES - 1) : 1;

    begin(&setting, loss, weighted);
    for (size_t i = 0; i < ROWS * setting.losses.outputs; i++)
        setting.losses.score[i] += 8 * clv_random_unit(&random) - 4;
    for (size_t output = 0; output < setting.losses.outputs; output++)
        for (uint32_t row = 0; row < ROWS; row += 7) {
            double *score = &setting.losses.score[output * ROWS + row], first, second, below;

            first = slope(&setting, output * ROWS + row, 0.01);
            clv_losses_sum(&setting.losses);
            clv_losses_gradients(&setting.losses, output);
            assert_near((double)setting.losses.gradient[row], first, 2e-3 * (1 + fabs(first)));
            second = hessian_of(&setting, row) / factor;
            *score += 0.01;
            clv_losses_sum(&setting.losses);
            clv_losses_gradients(&setting.losses, output);
            first = (double)setting.losses.gradient[row];
            *score -= 0.02;
            clv_losses_sum(&setting.losses);
            clv_losses_gradients(&setting.losses, output);
            below = (double)setting.losses.gradient[row];
            *score += 0.01;
            assert_near(second, (first - below) / 0.02, 2e-3);
        }
    end(&setting);
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        check_derivatives(SQUARED_LOSS, weighted);
        check_derivatives(LOGISTIC_LOSS, weighted);
        check_derivatives(SOFTMAX_LOSS, weighted);
    }
}

/* At the start no constant is better: the gradients sum to 0. */
static void test_start(void **state)
{
    static Setting setting;

    (void)state;
    for (BoostLoss loss = SQUARED_LOSS; loss <= SOFTMAX_LOSS; loss++) {
        begin(&setting, loss, true);
        clv_losses_sum(&setting.losses);
        for (size_t output = 0; output < setting.losses.outputs; output++) {
            double sum = 0;

            clv_losses_gradients(&setting.losses, output);
            for (uint32_t i = 0; i < ROWS; i++)
                sum += (double)setting.losses.gradient[i];
            assert_near(sum, 0, 1e-3);
        }
        end(&setting);
    }
}

/* Scores at the maximum distance: finite, and the loss of each row is its distance. */
static void test_far(void **state)
{
    static Setting setting;

    (void)state;
    for (BoostLoss loss = LOGISTIC_LOSS; loss <= SOFTMAX_LOSS; loss++) {
        double expected = 0;

        begin(&setting, loss, false);
        for (uint32_t i = 0; i < ROWS; i++) { /* every row is sure of class 0 */
            setting.losses.score[i] = loss == SOFTMAX_LOSS ? 1000 : -1000;
            for (size_t c = 1; c < setting.losses.outputs; c++)
                setting.losses.score[c * ROWS + i] = 0;
            expected += setting.label[i] == 0 ? 0 : 1000;
        }
        assert_near(clv_losses_sum(&setting.losses), expected, 1e-6 * expected);
        clv_losses_gradients(&setting.losses, 0);
        for (uint32_t i = 0; i < ROWS; i++) {
            assert_true(isfinite(setting.losses.gradient[i]) && setting.losses.hessian[i] >= 0);
            assert_near(fabs((double)setting.losses.gradient[i]), setting.label[i] != 0, 1e-6);
        }
        end(&setting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
