/*
 * Three steps of a small network (src/learn/network) against NumPy in float64: the same forward
 * pass, derivatives and steps of Adam or momentum, written with matrix products:
 *
 *     x = [[cos(7r + c)]], y = r % 3, layers 4-5-3-3, weight number i is 0.3 sin(i + 1)
 *     D = softmax(z) - onehot(y), or z - (2 onehot(y) - 1); D = D / 6; dW = h' D; D = (D W') f'(h)
 *     m = .9 m + .1 g; v = .999 v + .001 g^2; W -= .01 (m / (1 - .9^t)) / (sqrt(v / (1 - .999^t)) + 1e-8)
 *     momentum: m = .9 m + g; W -= .01 m; with a penalty W is multiplied by 1 - .01 l2
 *
 * And exclusive or, learned.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "learn/network/backprop.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { ROWS = 6, FEATURES = 4, CLASSES = 3, STEPS = 3, SAMPLES = 6 };

typedef struct {
    bool adam;
    Activation activation;
    OutputLoss loss;
    double l2;
    double losses[STEPS], sum, magnitude, weight[SAMPLES];
} Golden;

static const Golden golden[] = {
    {true,
     ACTIVATION_TANH,
     LOSS_SOFTMAX,
     0,
     {1.11495172, 1.10996413, 1.1053796},
     0.0587708446,
     10.6994787,
     {0.25615682, 0.295440559, -0.0309362028, -0.151149385, 0.225846628, -0.270011461}},
    {false,
     ACTIVATION_SIGMOID,
     LOSS_SQUARED,
     0,
     {1.48237163, 1.47731137, 1.46802155},
     -0.00584119173,
     10.6317298,
     {0.252443418, 0.296806651, -0.00264519872, -0.121874645, 0.247366192, -0.309453902}},
    {true,
     ACTIVATION_RELU,
     LOSS_SQUARED,
     0,
     {1.4510208, 1.44283077, 1.43520631},
     0.0378113365,
     10.6205236,
     {0.278753654, 0.290419356, -0.0281606451, -0.121211294, 0.226411297, -0.329155175}},
    {false,
     ACTIVATION_TANH,
     LOSS_SOFTMAX,
     2,
     {1.11495172, 1.11476498, 1.11442818},
     0.0387784924,
     10.1215666,
     {0.237577488, 0.279317079, -0.00267126936, -0.115300928, 0.240217318, -0.296415795}},
};

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

static void check(const Golden *expected)
{
    static const size_t samples[SAMPLES] = {0, 7, 21, 30, 44, 54};
    cleave_error error;
    Context *context = cleave_context_new(NULL);
    FitProblem problem = {.seed = 1};
    Fit fit = {.context = context,
               .error = &error,
               .problem = &problem,
               .task = CLEAVE_TASK_MULTICLASS,
               .classes = CLASSES,
               .outputs = CLASSES,
               .features = FEATURES};
    Backprop backprop = {
        .options = {.adam = expected->adam,
                    .learning_rate = 0.01,
                    .momentum = 0.9,
                    .l2 = expected->l2},
        .network = {.shape = {expected->activation, expected->loss, 3, {FEATURES, 5, 3, CLASSES}},
                    .scale = 1,
                    .spread = 1},
        .batch = ROWS,
    };
    float value[ROWS * FEATURES];
    Block block = {.rows = ROWS, .features = FEATURES, .form = ROWS_DENSE, .value = value};
    double sum = 0, magnitude = 0;
    size_t count;

    FINE(clv_backprop_init(&backprop, &fit));
    count = clv_shape_weights(&backprop.network.shape);
    for (size_t i = 0; i < count; i++)
        backprop.weights[i] = (float)(0.3 * sin((double)i + 1));
    for (int i = 0; i < ROWS * FEATURES; i++)
        value[i] = (float)cos(7 * (i / FEATURES) + i % FEATURES);
    for (int step = 0; step < STEPS; step++) {
        backprop.loss = 0;
        for (uint32_t row = 0; row < ROWS; row++)
            FINE(clv_backprop_add(&backprop, &block, row, row % CLASSES, 0, 1));
        assert_near(backprop.loss / ROWS, expected->losses[step], 2e-6);
    }
    FINE(clv_backprop_end_epoch(&backprop));
    for (size_t i = 0; i < count; i++) {
        sum += (double)backprop.weights[i];
        magnitude += fabs((double)backprop.weights[i]);
    }
    assert_near(sum, expected->sum, 2e-5);
    assert_near(magnitude, expected->magnitude, 2e-5);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_near((double)backprop.weights[samples[i]], expected->weight[i], 2e-6);
    clv_backprop_free(&backprop);
    cleave_context_free(context);
}

static void three_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        check(&golden[i]);
}

static void exclusive_or_is_learned(void **state)
{
    static const float rows[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    static const uint32_t columns[] = {0, 1};
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_error error;
    cleave_data *data;
    cleave_model *model;
    cleave_report *report;

    (void)state;
    FINE(cleave_data_new(context, &data, &error));
    for (int i = 0; i < 4; i++)
        FINE(cleave_data_add(data, i == 1 || i == 2 ? "yes" : "no", 2, columns, rows[i], &error));
    FINE(cleave_options_set(options, "hidden", "8", &error));
    FINE(cleave_options_set(options, "activation", "tanh", &error));
    FINE(cleave_options_set(options, "learning_rate", "0.05", &error));
    FINE(cleave_options_set(options, "epochs", "400", &error));
    FINE(cleave_train(context, "mlp", data, NULL, options, &model, &report, &error));
    assert_int_equal(report->train_errors, 0);
    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_steps),
        cmocka_unit_test(exclusive_or_is_learned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
