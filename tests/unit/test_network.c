/* Networks: derivatives against differences of the loss, the forms of the loops against each other,
 * threshold units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/network/backprop.h"
#include "learn/network/threshold_units.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { ROWS = 12, FEATURES = 7, MOST = 4096 };

/* ---- loops ----------------------------------------------------------------------------------- */

static void fill(Random *random, float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)(2 * clv_random_unit(random) - 1);
}

static void assert_same(const char *form, const float *expected, const float *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&expected[i], &found[i], sizeof *found) != 0 && expected[i] != found[i])
            fail_msg("%s: number %zu is %.9g, plain %.9g", form, i, (double)found[i],
                     (double)expected[i]);
}

static void products_agree(void **state)
{
    static const size_t sizes[][3] = {{1, 1, 1},    {8, 32, 256}, {9, 33, 257}, {5, 16, 3},
                                      {17, 50, 40}, {3, 7, 600},  {16, 10, 64}, {4, 130, 20}};
    const LayerLoops *plain = clv_layer_loops_at(0), *loops;
    Random random = clv_random(3, 1);

    (void)state;
    for (size_t form = 0; (loops = clv_layer_loops_at(form)); form++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t rows = sizes[i][0], columns = sizes[i][1], terms = sizes[i][2];
            float *a = calloc(rows * terms, sizeof *a), *b = calloc(terms * columns, sizeof *b);
            float *c = calloc(rows * columns, sizeof *c), *d = calloc(rows * columns, sizeof *d);

            fill(&random, a, rows * terms);
            fill(&random, b, terms * columns);
            fill(&random, c, rows * columns);
            memcpy(d, c, rows * columns * sizeof *c);
            for (size_t r = 0; r < rows; r++)
                for (size_t j = 0; j < columns; j++)
                    for (size_t k = 0; k < terms; k++)
                        d[r * columns + j] = fmaf(a[r * terms + k], b[k * columns + j],
                                                  d[r * columns + j]);
            loops->multiply(rows, columns, terms, a, terms, 1, b, columns, c, columns);
            assert_same(loops->name, d, c, rows * columns);
            memset(c, 0, rows * columns * sizeof *c); /* the same, with a transposed */
            memset(d, 0, rows * columns * sizeof *d);
            loops->multiply(rows, columns, terms, a, 1, rows, b, columns, c, columns);
            plain->multiply(rows, columns, terms, a, 1, rows, b, columns, d, columns);
            assert_same(loops->name, d, c, rows * columns);
            free(a);
            free(b);
            free(c);
            free(d);
        }
}

static void lists_agree(void **state)
{
    static const uint32_t at[] = {3, 0, 7, 3, 5};
    static const float x[] = {0.5F, -1.25F, 2, 1e-3F, -0.75F};
    const LayerLoops *plain = clv_layer_loops_at(0), *loops;
    Random random = clv_random(3, 2);

    (void)state;
    for (size_t form = 1; (loops = clv_layer_loops_at(form)); form++)
        for (size_t units = 1; units < 300; units += 13) {
            float from[8 * 300], to[300], other[300];

            fill(&random, from, 8 * units);
            fill(&random, to, units);
            memcpy(other, to, sizeof to);
            loops->combine(to, units, from, at, x, 5);
            plain->combine(other, units, from, at, x, 5);
            assert_same(loops->name, other, to, units);
            loops->add(to, from, units);
            plain->add(other, from, units);
            assert_same(loops->name, other, to, units);
        }
}

static void steps_agree(void **state)
{
    enum { COUNT = 77 };
    const LayerLoops *plain = clv_layer_loops_at(0), *loops;
    Random random = clv_random(3, 3);

    (void)state;
    for (size_t form = 1; (loops = clv_layer_loops_at(form)); form++)
        for (int adam = 0; adam < 2; adam++) {
            Update update = {adam, 0.01F, 0.9F, 0.999F, 1e-8F};
            float g[COUNT], w[2][COUNT], m[2][COUNT], v[2][COUNT];

            fill(&random, g, COUNT);
            fill(&random, w[0], COUNT);
            fill(&random, m[0], COUNT);
            for (int i = 0; i < COUNT; i++)
                v[0][i] = fabsf(g[i]);
            memcpy(w[1], w[0], sizeof w[0]);
            memcpy(m[1], m[0], sizeof m[0]);
            memcpy(v[1], v[0], sizeof v[0]);
            loops->update(&update, g, w[0], m[0], v[0], COUNT);
            plain->update(&update, g, w[1], m[1], v[1], COUNT);
            assert_same(loops->name, w[1], w[0], COUNT);
            assert_same(loops->name, m[1], m[0], COUNT);
            assert_same(loops->name, v[1], v[0], COUNT);
        }
}

static double activated(Activation activation, double z)
{
    switch (activation) {
    case ACTIVATION_RELU:
        return fmax(z, 0);
    case ACTIVATION_TANH:
        return tanh(z);
    case ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-z));
    default:
        return z > 0;
    }
}

static void activations_are_exact_to_rounding(void **state)
{
    const LayerLoops *plain = clv_layer_loops_at(0), *loops;

    (void)state;
    for (size_t form = 0; (loops = clv_layer_loops_at(form)); form++)
        for (int activation = 0; activation <= ACTIVATION_STEP; activation++) {
            float z[MOST], same[MOST], from[MOST];

            for (int i = 0; i < MOST; i++)
                z[i] = same[i] = from[i] = (float)(i - MOST / 2) / 16;
            loops->activate((Activation)activation, z, MOST);
            plain->activate((Activation)activation, same, MOST);
            assert_same(loops->name, same, z, MOST);
            for (int i = 0; i < MOST; i++)
                assert_true(
                    fabs((double)z[i] - activated((Activation)activation, (double)from[i])) <
                    3e-7 * fmax(1, fabs((double)from[i])));
            for (int i = 0; i < MOST; i++)
                from[i] = same[i] = 1;
            loops->slope((Activation)activation, z, from, MOST);
            plain->slope((Activation)activation, z, same, MOST);
            assert_same(loops->name, same, from, MOST);
        }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    cleave_error error;
    FitProblem problem;
    Fit fit;
    Backprop backprop;
    float value[ROWS * FEATURES];
    uint32_t end[ROWS], column[ROWS * FEATURES], label[ROWS];
    Block block;
} Setting;

/* Rows with a third of their values, or with all. */
static void make_rows(Setting *setting, bool dense, uint32_t classes)
{
    Random random = clv_random(5, dense);
    uint32_t count = 0;

    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < FEATURES; column++)
            if (dense || (row + column) % 5 == 0) {
                setting->column[count] = column;
                setting->value[count++] = (float)(2 * clv_random_unit(&random) - 1);
            }
        setting->end[row] = count;
        setting->label[row] = clv_random_below(&random, classes ? classes : 1);
    }
    setting->block = (Block){.rows = ROWS,
                             .features = FEATURES,
                             .form = ROWS_COLUMNS,
                             .value_form = VALUES_EACH,
                             .end = setting->end,
                             .column = setting->column,
                             .value = setting->value};
}

static void add_rows(Setting *setting)
{
    for (uint32_t row = 0; row < ROWS; row++)
        FINE(clv_backprop_add(&setting->backprop, &setting->block, row, setting->label[row],
                              sin(row), 0.5 + row % 3));
}

static void begin(Setting *setting, Activation activation, OutputLoss loss, uint32_t classes,
                  bool dense, double dropout)
{
    uint32_t outputs = (uint32_t)outputs_of(classes);

    setting->context = cleave_context_new(NULL);
    setting->problem = (FitProblem){.seed = 1};
    setting->fit = (Fit){.context = setting->context,
                         .error = &setting->error,
                         .problem = &setting->problem,
                         .task = classes ? CLEAVE_TASK_MULTICLASS : CLEAVE_TASK_REGRESSION,
                         .classes = classes,
                         .outputs = outputs,
                         .positive = 1,
                         .features = FEATURES};
    setting->backprop = (Backprop){
        .options = {.adam = true, .learning_rate = 0.01, .dropout = dropout},
        .network = {.shape = {activation, loss, 3, {FEATURES, 6, 5, outputs}},
                    .scale = 1.5,
                    .mean = 0.1,
                    .spread = 2},
        .seed = 1,
        .batch = ROWS + 1,
    };
    make_rows(setting, dense, classes);
    FINE(clv_backprop_init(&setting->backprop, &setting->fit));
}

static void end(Setting *setting)
{
    clv_backprop_free(&setting->backprop);
    cleave_context_free(setting->context);
}

static double loss_at(Setting *setting, float *gradient)
{
    double loss;

    add_rows(setting);
    FINE(clv_backprop_gradient(&setting->backprop, &loss, gradient));
    return loss;
}

/* Central differences in float32, whose error is about 1e-7 / step + step^2. The dropped outputs are
 * the same for each difference: they depend on the seed and the number of steps. */
static void assert_derivatives(Activation activation, OutputLoss loss, uint32_t classes, bool dense,
                               double dropout)
{
    const double step = 4e-3;
    Setting *setting = calloc(1, sizeof *setting);
    float gradient[256], unused[256];
    size_t count;

    begin(setting, activation, loss, classes, dense, dropout);
    count = clv_shape_weights(&setting->backprop.network.shape);
    assert_true(count <= 256);
    loss_at(setting, gradient);
    for (size_t i = 0; i < count; i++) {
        float *w = &setting->backprop.weights[i], kept = *w;
        double above, below;

        *w = (float)((double)kept + step);
        above = loss_at(setting, unused);
        *w = (float)((double)kept - step);
        below = loss_at(setting, unused);
        *w = kept;
        if (fabs((above - below) / (2 * step) - (double)gradient[i]) > 2e-3)
            fail_msg("weight %zu: %g, by differences %g", i, (double)gradient[i],
                     (above - below) / (2 * step));
    }
    end(setting);
    free(setting);
}

static void derivatives_are_those_of_the_loss(void **state)
{
    static const struct {
        OutputLoss loss;
        uint32_t classes;
    } cases[] = {{LOSS_SOFTMAX, 4}, {LOSS_SOFTMAX, 2}, {LOSS_LOGISTIC, 4}, {LOSS_LOGISTIC, 2},
                 {LOSS_SQUARED, 4}, {LOSS_SQUARED, 2}, {LOSS_SQUARED, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int dense = 0; dense < 2; dense++) {
            assert_derivatives(ACTIVATION_TANH, cases[i].loss, cases[i].classes, dense, 0);
            assert_derivatives(ACTIVATION_SIGMOID, cases[i].loss, cases[i].classes, dense, 0);
            assert_derivatives(ACTIVATION_TANH, cases[i].loss, cases[i].classes, dense, 0.4);
        }
    assert_derivatives(ACTIVATION_RELU, LOSS_SOFTMAX, 4, true, 0);
}

/* An output is dropped with the probability p, otherwise multiplied by 1 / (1 - p). */
static void dropout_keeps_the_mean(void **state)
{
    const double p = 0.3;
    Setting *setting = calloc(1, sizeof *setting);
    size_t dropped = 0, outputs = 0;
    float gradient[256];

    (void)state;
    begin(setting, ACTIVATION_SIGMOID, LOSS_SOFTMAX, 4, true, p);
    for (double step = 0; step < 100; step++) {
        setting->backprop.steps = step;
        loss_at(setting, gradient);
        for (uint32_t layer = 0; layer < 2; layer++)
            for (size_t i = 0; i < (size_t)ROWS * setting->backprop.network.shape.width[layer + 1];
                 i++, outputs++) {
                double out = (double)setting->backprop.out[layer][i],
                       kept = (double)setting->backprop.kept[layer][i];

                dropped += kept == 0;
                assert_true(kept == 0 || fabs(kept * (1 - p) - out) < 1e-4 * out);
            }
    }
    /* five standard deviations */
    assert_true(fabs((double)dropped / (double)outputs - p) <
                5 * sqrt(p * (1 - p) / (double)outputs));
    end(setting);
    free(setting);
}

/* The first step of Adam changes each weight by the learning rate, in the direction of the
 * gradient; a feature that does not occur keeps its weights. */
static void first_step_of_adam(void **state)
{
    Setting *setting = calloc(1, sizeof *setting);
    float gradient[256], before[256];
    size_t count;

    (void)state;
    begin(setting, ACTIVATION_TANH, LOSS_SOFTMAX, 4, true, 0);
    for (uint32_t i = 0; i < ROWS * FEATURES; i++)
        if (setting->column[i] == 3)
            setting->value[i] = 0;
    count = clv_shape_weights(&setting->backprop.network.shape);
    loss_at(setting, gradient);
    memcpy(before, setting->backprop.weights, count * sizeof *before);
    add_rows(setting);
    FINE(clv_backprop_end_epoch(&setting->backprop));
    for (size_t i = 0; i < count; i++) {
        double moved = (double)before[i] - (double)setting->backprop.weights[i];
        bool absent = i / 6 == 3;

        assert_true(absent ? moved == 0
                           : fabs((double)gradient[i]) < 1e-5 ||
                                 fabs(moved - copysign(0.01, (double)gradient[i])) < 2e-4);
    }
    end(setting);
    free(setting);
}

/* Shrinking late gives the weights of shrinking at once. */
static void penalty_of_absent_features(void **state)
{
    Setting *setting = calloc(1, sizeof *setting);
    float before;

    (void)state;
    begin(setting, ACTIVATION_TANH, LOSS_SOFTMAX, 4, true, 0);
    clv_backprop_free(&setting->backprop);
    setting->backprop = (Backprop){.options = {.adam = true, .learning_rate = 0.01, .l2 = 2},
                                   .network = setting->backprop.network,
                                   .seed = 1,
                                   .batch = ROWS};
    for (uint32_t i = 0; i < ROWS * FEATURES; i++)
        if (setting->column[i] == 3)
            setting->value[i] = 0;
    FINE(clv_backprop_init(&setting->backprop, &setting->fit));
    before = setting->backprop.weights[3 * 6];
    for (int i = 0; i < 10; i++)
        add_rows(setting);
    assert_true(setting->backprop.weights[3 * 6] == before);
    FINE(clv_backprop_end_epoch(&setting->backprop));
    assert_true(fabs((double)setting->backprop.weights[3 * 6] / (double)before - pow(0.98, 10)) <
                1e-6);
    end(setting);
    free(setting);
}

/* ---- threshold units ------------------------------------------------------------------------- */

static Status state_text(const char *text, const float *x, float *score, cleave_error *error)
{
    Context *context = cleave_context_new(NULL);
    Arena memory = {.context = context, .error = error, .what = "test"};
    Network network = {.scale = 1, .spread = 1};
    Minibatch rows = {.context = context, .features = 3, .scale = 1};
    Block block = {.rows = 1, .features = 3, .form = ROWS_DENSE, .value = x};
    float out[2][64];
    Names names;
    uint32_t column;
    Status status;

    clv_names_init(&names, context, false);
    FINE(clv_names_add(&names, "a", 1, &column, NULL));
    FINE(clv_names_add(&names, "b=1", 3, &column, NULL));
    FINE(clv_names_add(&names, "c", 1, &column, NULL));
    status = clv_threshold_network(text, &names, 3, &memory, &network, error);
    if (status == OK && score) {
        FINE(clv_minibatch_add(&rows, &block, 0, error));
        FINE(clv_minibatch_close(&rows, error));
        clv_minibatch_unpack(&rows, 0, 1);
        for (uint32_t layer = 0; layer < network.shape.layers; layer++)
            clv_network_layer(&network, clv_layer_loops(), layer, &rows, out[(layer + 1) % 2], 0, 1,
                              out[layer % 2]);
        *score = out[(network.shape.layers - 1) % 2][0];
    }
    clv_minibatch_free(&rows);
    clv_arena_free(&memory);
    clv_names_free(&names);
    cleave_context_free(context);
    return status;
}

/* Parity of three bits: a unit of the first layer is used in the third. */
static void threshold_units_are_evaluated(void **state)
{
    static const char parity[] = "# parity\n"
                                 "or:   a=1 b=1=1 > 0.5\n"
                                 "and:  a=1 b=1=1 > 1.5\n\n"
                                 "c1:\tc=1 > 0.5 \r\n"
                                 "xor:  or=1 and=-1 > 0.5\n"
                                 "one:  xor=1 c1=1 > 0.5\n"
                                 "two:  xor=1 c1=1 > 1.5\n"
                                 "odd:  one=1 two=-1 > 0.5";
    cleave_error error;

    (void)state;
    for (int i = 0; i < 8; i++) {
        float x[] = {(float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2)}, score;

        FINE(state_text(parity, x, &score, &error));
        assert_int_equal(score > 0, (i & 1) ^ (i >> 1 & 1) ^ i >> 2);
    }
}

static void wrong_statements_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "--layers defines no units"},
        {"# only\n\n", "--layers defines no units"},
        {"or a=1 > 1", "line 1: expected a name and a colon: 'or a=1 > 1'"},
        {"or: a=1", "line 1: expected > THRESHOLD: 'or: a=1'"},
        {"or: a=x > 1", "line 1: expected a number: 'x'"},
        {"or: a > 1", "line 1: expected INPUT=WEIGHT: 'a'"},
        {"or: =1 > 1", "line 1: expected INPUT=WEIGHT: '=1'"},
        {"or: d=1 > 1", "line 1: expected a feature or a unit of an earlier line: 'd'"},
        {"or: a=1 > ", "line 1: expected a number: ''"},
        {"or: a=1 > 1e99", "line 1: expected a number: '1e99'"},
        {"or: a=1 > 1 2", "line 1: unexpected text after the threshold: ' 2'"},
        {"x: a=1 > 1\ny: x=1 a=1 > 1", "line 2: has features and units as inputs: 'y'"},
        {"x: a=1 > 1\ny: b=1=1 > 1", "line 1: is not an input of a later unit: 'x'"},
    };
    cleave_error error;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(state_text(cases[i].text, NULL, NULL, &error), CLEAVE_ERROR_USAGE);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' instead of '%s'", error.message, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(lists_agree),
        cmocka_unit_test(steps_agree),
        cmocka_unit_test(activations_are_exact_to_rounding),
        cmocka_unit_test(derivatives_are_those_of_the_loss),
        cmocka_unit_test(dropout_keeps_the_mean),
        cmocka_unit_test(first_step_of_adam),
        cmocka_unit_test(penalty_of_absent_features),
        cmocka_unit_test(threshold_units_are_evaluated),
        cmocka_unit_test(wrong_statements_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
