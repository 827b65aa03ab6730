/*
 * The forms of the perceptron (src/learn/linear/perceptron.c, voted.c, linear.c) against slow and
 * plain ones in this file: the average of all weight vectors by adding them, a vote of all weight
 * vectors stored one by one, and scores in long double.
 */
#include "property/table.h"

#include "learn/linear/linear.h"
#include "model/registry.h"
#include "train/batch_driver.h"

#include <math.h>

extern const Method clv_method_perceptron;

/* Weight vectors of all outputs, where the component of the threshold is first. */
typedef struct {
    size_t outputs, width;
    double *w;
} Vectors;

static double *vector_of(Vectors *vectors, size_t output)
{
    return vectors->w + output * vectors->width;
}

typedef struct {
    bool learn_threshold, joint;
    int rounds;
} How;

/* The history of the slow perceptron: its state after each example. */
typedef struct {
    size_t count;
    Vectors *state;
} History;

static double score_of(const Table *table, const TableRow *row, const double *w,
                       bool learn_threshold)
{
    double sum = learn_threshold ? w[0] : 0;

    for (size_t j = 0; j < row->count; j++)
        sum += w[1 + table->cell[row->start + j].column] *
               (double)table->cell[row->start + j].value;
    return sum;
}

static void add_row_to(const Table *table, const TableRow *row, double *w, double step,
                       bool learn_threshold)
{
    w[0] += learn_threshold ? step : 0;
    for (size_t j = 0; j < row->count; j++)
        w[1 + table->cell[row->start + j].column] += step *
                                                     (double)table->cell[row->start + j].value;
}

static void learn_slowly(const Table *table, const TableRow *row, Vectors *now, How how)
{
    double *scores = some(now->outputs, sizeof *scores);

    for (size_t i = 0; i < now->outputs; i++)
        scores[i] = score_of(table, row, vector_of(now, i), how.learn_threshold);
    if (now->outputs == 1) {
        double y = row->label == 1 ? 1 : -1;

        if (y * scores[0] <= 0)
            add_row_to(table, row, now->w, y, how.learn_threshold);
    } else if (how.joint) {
        size_t wrong = row->label == 0;

        for (size_t i = 0; i < now->outputs; i++)
            if (i != row->label && scores[i] > scores[wrong])
                wrong = i;
        if (scores[row->label] <= scores[wrong]) {
            add_row_to(table, row, vector_of(now, row->label), 1, how.learn_threshold);
            add_row_to(table, row, vector_of(now, wrong), -1, how.learn_threshold);
        }
    } else {
        for (size_t i = 0; i < now->outputs; i++) {
            double y = i == row->label ? 1 : -1;

            if (y * scores[i] <= 0)
                add_row_to(table, row, vector_of(now, i), y, how.learn_threshold);
        }
    }
    free(scores);
}

static History train_slowly(const Table *table, How how)
{
    size_t outputs = outputs_of(table->label_count), width = 1 + (size_t)table->features;
    History history = {.state = some((size_t)how.rounds * table->rows, sizeof *history.state)};
    Vectors now = {.outputs = outputs, .width = width, .w = some(outputs * width, sizeof *now.w)};

    for (int round = 0; round < how.rounds; round++)
        for (size_t i = 0; i < table->rows; i++) {
            Vectors *kept = &history.state[history.count++];

            learn_slowly(table, &table->row[i], &now, how);
            *kept = now;
            kept->w = some(outputs * width, sizeof *kept->w);
            memcpy(kept->w, now.w, outputs * width * sizeof *now.w);
        }
    free(now.w);
    return history;
}

static void history_free(History *history)
{
    for (size_t i = 0; i < history->count; i++)
        free(history->state[i].w);
    free(history->state);
}

/* ---- ours ------------------------------------------------------------------------------------ */

static Model *train_perceptron(Context *context, const Table *table, const char *form, How how)
{
    const Method *method = &clv_method_perceptron;
    void *options = some(1, method->options_size);
    Dataset *dataset = table_built(context, table, 13);
    RunOptions run;
    cleave_error error = {0};
    Report *report;
    Model *model;

    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    FINE(clv_param_set(clv_param_find(method->params, "form"), options, form, &error));
    FINE(clv_param_set(clv_param_find(method->params, "learn_threshold"), options,
                       how.learn_threshold ? "true" : "false", &error));
    FINE(clv_param_set(clv_param_find(method->params, "multiclass"), options,
                       how.joint ? "joint" : "one-vs-rest", &error));
    run.epochs = how.rounds;
    FINE(clv_train(context, &(Job){.method = method, .method_options = options, .options = &run},
                   dataset, &model, &report, &error));
    cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    free(options);
    return model;
}

static double *scores_of(const Model *model, const Table *table)
{
    double *scores = some(table->rows * outputs_of(model->labels.count), sizeof *scores);
    cleave_error error = {0};
    Encoded encoded;

    encode(table, 0, table->rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    FINE(model->method->inference->predict(model, &encoded.block, scores, &error));
    encoded_free(&encoded);
    return scores;
}

/* Data that is not linearly separable, so that no run ends early after an epoch without
 * mistakes. */
static void make_table(Table *table, Random *random, uint32_t classes)
{
    table_random(table, random, 40 + clv_random_below(random, 40),
                 10 + clv_random_below(random, 30), 5, classes, RANDOM_EIGHTHS);
    for (uint32_t i = 0; i < classes; i++) {
        table->row[i].label = i;
        table_row(table, i); /* the same empty row in every class */
    }
}

typedef void (*Check)(const Table *table, How how, History *history, const Model *model);

static void each_case(const char *test, const char *form, Check check)
{
    Random random = clv_random(test_seed(test), 1);
    Context *context = new_context(1);

    for (int i = 0; i < 24; i++) {
        How how = {.learn_threshold = i & 1, .joint = i & 2, .rounds = 1 + i % 4};
        Table table = {0};
        History history;
        Model *model;

        make_table(&table, &random, i % 3 ? 2 : 4);
        model = train_perceptron(context, &table, form, how);
        history = train_slowly(&table, how);
        check(&table, how, &history, model);
        history_free(&history);
        cleave_model_free(model);
        table_free(&table);
    }
    cleave_context_free(context);
}

static void check_plain(const Table *table, How how, History *history, const Model *model)
{
    Vectors *last = &history->state[history->count - 1];

    (void)how;
    for (size_t output = 0; output < last->outputs; output++) {
        assert_true(cleave_model_threshold(model, output) == -vector_of(last, output)[0]);
        for (uint32_t i = 0; i < table->features; i++)
            assert_true(cleave_model_weight(model, output, i) == vector_of(last, output)[1 + i]);
    }
}

static void plain_is_the_last_vector(void **state)
{
    (void)state;
    each_case("plain_is_the_last_vector", "plain", check_plain);
}

static void check_average(const Table *table, How how, History *history, const Model *model)
{
    size_t outputs = history->state->outputs, width = history->state->width;
    double *sum = some(outputs * width, sizeof *sum), *scores = scores_of(model, table);

    for (size_t i = 0; i < history->count; i++)
        for (size_t j = 0; j < outputs * width; j++)
            sum[j] += history->state[i].w[j];
    for (size_t output = 0; output < outputs; output++) {
        const double *w = sum + output * width;

        assert_float_equal(cleave_model_threshold(model, output), -w[0] / (double)history->count,
                           1e-9);
        for (uint32_t i = 0; i < table->features; i++) {
            double expected = w[1 + i] / (double)history->count;

            assert_true(fabs(cleave_model_weight(model, output, i) - expected) <=
                        1e-6 * (1 + fabs(expected)));
        }
        for (size_t i = 0; i < table->rows; i++) {
            double expected = score_of(table, &table->row[i], w, how.learn_threshold) /
                              (double)history->count;

            assert_true(fabs(scores[i * outputs + output] - expected) <=
                        1e-5 * (1 + fabs(expected)));
        }
    }
    free(sum);
    free(scores);
}

static void averaged_is_the_average(void **state)
{
    (void)state;
    each_case("averaged_is_the_average", "averaged", check_average);
}

/* One vote for each example after which a vector was in use. In the history, each state has one
 * vote. */
static void check_vote(const Table *table, How how, History *history, const Model *model)
{
    size_t outputs = history->state->outputs;
    double *scores = scores_of(model, table), *votes = some(outputs, sizeof *votes);

    for (size_t i = 0; i < table->rows; i++) {
        memset(votes, 0, outputs * sizeof *votes);
        for (size_t t = 0; t < history->count; t++) {
            Vectors *now = &history->state[t];
            double best = score_of(table, &table->row[i], now->w, how.learn_threshold);
            size_t winner = 0;

            for (size_t output = 1; output < outputs; output++) {
                double score = score_of(table, &table->row[i], vector_of(now, output),
                                        how.learn_threshold);

                if (score > best) {
                    best = score;
                    winner = output;
                }
            }
            if (outputs == 1)
                votes[0] += best > 0 ? 1 : -1;
            else
                votes[winner]++;
        }
        for (size_t output = 0; output < outputs; output++)
            assert_true(fabs(scores[i * outputs + output] -
                             votes[output] / (double)history->count) <= 1e-12);
    }
    free(scores);
    free(votes);
}

static void voted_is_a_vote(void **state)
{
    (void)state;
    each_case("voted_is_a_vote", "voted", check_vote);
}

/* ---- the loops ------------------------------------------------------------------------------- */

/* dot and add of kernel.h in every form with any floats have the accuracy of a double. */
static void scores_are_exact(void **state)
{
    static const Shape shapes[] = {{ROWS_DENSE, VALUES_EACH},     {ROWS_GAPS, VALUES_EACH},
                                   {ROWS_GAPS, VALUES_ONES},      {ROWS_GAPS, VALUES_PER_ROW},
                                   {ROWS_COLUMNS, VALUES_EACH},   {ROWS_COLUMNS, VALUES_ONES},
                                   {ROWS_COLUMNS, VALUES_PER_ROW}};
    Random random = clv_random(test_seed("scores_are_exact"), 2);

    (void)state;
    for (int round = 0; round < 300; round++) {
        Shape shape = shapes[round % 7];
        uint32_t features = clv_random_below(&random, 2) && shape.form != ROWS_DENSE ? 200000 : 100;
        int values = shape.values == VALUES_ONES      ? RANDOM_ONES
                     : shape.values == VALUES_PER_ROW ? RANDOM_PER_ROW
                                                      : RANDOM_EIGHTHS;
        float *w = some(features, sizeof *w), *moved = some(features, sizeof *moved);
        Table table = {0};
        Encoded encoded;

        table_random(&table, &random, 10, features, clv_random_below(&random, 30), 2, values);
        for (size_t i = 0; i < table.cells && values == RANDOM_EIGHTHS; i++)
            table.cell[i].value = (float)clv_random_normal(&random);
        for (uint32_t i = 0; i < features; i++)
            w[i] = (float)clv_random_normal(&random);
        encode(&table, 0, table.rows, shape, &encoded);
        for (uint32_t i = 0; i < table.rows; i++) {
            const TableRow *row = &table.row[i];
            double step = clv_random_normal(&random);
            long double sum = 0, size = 0;

            for (size_t j = 0; j < row->count; j++) {
                const Cell *cell = &table.cell[row->start + j];

                sum += (long double)w[cell->column] * (long double)cell->value;
                size += fabsl((long double)w[cell->column] * (long double)cell->value);
            }
            assert_true(fabsl((long double)clv_kernels()->dot(w, &encoded.block, i) - sum) <=
                        1e-14L * size);
            memcpy(moved, w, features * sizeof *w);
            clv_kernels()->add(moved, step, &encoded.block, i);
            for (size_t j = 0; j < row->count; j++) {
                const Cell *cell = &table.cell[row->start + j];
                float expected = (float)((double)w[cell->column] + step * (double)cell->value);

                assert_true(moved[cell->column] == expected);
                moved[cell->column] = w[cell->column];
            }
            assert_memory_equal(moved, w, features * sizeof *w); /* no other weight changed */
        }
        encoded_free(&encoded);
        table_free(&table);
        free(w);
        free(moved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_is_the_last_vector),
        cmocka_unit_test(averaged_is_the_average),
        cmocka_unit_test(voted_is_a_vote),
        cmocka_unit_test(scores_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
