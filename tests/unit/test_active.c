/* Active learning (src/active): the next row of every kind of selection against a direct
 * computation, undo and resume from any place of the journal, and equal results for any number of
 * threads. */
#include "support/support.h"

#include <cleave/active.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 120, STEPS = 30 };

static const char *const selections[] = {"random",    "margin",  "entropy",
                                         "committee", "density", "mixture"};

/* Three classes of points of the plane; every tenth row repeats the row before. */
static void point(uint64_t row, float value[2])
{
    uint64_t origin = row % 10 == 9 ? row - 1 : row;

    value[0] = (float)(2 * (origin % 3)) + 0.01F * (float)(origin * 37 % 101);
    value[1] = (float)(origin % 3 == 1) + 0.01F * (float)(origin * 53 % 97);
}

static const char *label_of(uint64_t row)
{
    static const char *const labels[] = {"one", "two", "three"};

    return labels[(row % 10 == 9 ? row - 1 : row) % 3];
}

static cleave_data *make_pool(cleave_context *context, bool labeled)
{
    uint32_t column[] = {0, 1};
    cleave_error error = {0};
    cleave_data *data;

    assert_int_equal(cleave_data_new(context, &data, &error), CLEAVE_OK);
    for (uint64_t row = 0; row < ROWS; row++) {
        float value[2];

        point(row, value);
        assert_int_equal(
            cleave_data_add(data, labeled ? label_of(row) : NULL, 2, column, value, &error),
            CLEAVE_OK);
    }
    return data;
}

typedef struct {
    cleave_context *context;
    cleave_data *data;
    cleave_options *options, *training;
    cleave_active *active;
} Run;

static Run begin(const char *selection, unsigned threads, const char *journal, bool hidden)
{
    cleave_config config = {.size = sizeof config, .threads = threads};
    cleave_error error = {0};
    Run run = {.context = cleave_context_new(&config)};

    run.data = make_pool(run.context, hidden);
    run.options = cleave_options_new(run.context);
    run.training = cleave_options_new(run.context);
    cleave_options_set(run.options, "selection", selection, &error);
    if (journal)
        cleave_options_set(run.options, "journal", journal, &error);
    if (cleave_active_new(run.context, "svm", run.data, NULL, hidden, run.options, run.training,
                          &run.active, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    return run;
}

static void end(Run *run)
{
    cleave_active_free(run->active);
    cleave_options_free(run->options);
    cleave_options_free(run->training);
    cleave_data_free(run->data);
    cleave_context_free(run->context);
}

static uint64_t next(cleave_active *active)
{
    cleave_active_item item;
    cleave_error error = {0};

    if (cleave_active_next(active, &item, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    return item.row;
}

static void answer(cleave_active *active, uint64_t row)
{
    cleave_error error = {0};

    if (cleave_active_label(active, row, label_of(row), &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
}

static void ask_rows(cleave_active *active, uint64_t *rows, size_t from, size_t count)
{
    for (size_t i = from; i < count; i++) {
        rows[i] = next(active);
        answer(active, rows[i]);
    }
}

static void test_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        uint64_t rows[2][STEPS];

        for (unsigned threads = 1; threads <= 2; threads++) {
            Run run = begin(selections[i], threads, NULL, false);

            ask_rows(run.active, rows[threads - 1], 0, STEPS);
            end(&run);
        }
        assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    }
}

/* No row is asked about twice, nor a row with the features of another. */
static void test_distinct(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        Run run = begin(selections[i], 1, NULL, false);
        bool asked[ROWS] = {false};
        size_t count = 0;
        uint64_t row;

        while ((row = next(run.active)) != CLEAVE_NO_ROW) {
            uint64_t twin = row % 10 == 9 ? row - 1 : row % 10 == 8 ? row + 1 : row;

            assert_false(asked[row] || asked[twin]);
            asked[row] = true;
            answer(run.active, row);
            count++;
        }
        assert_int_equal(count, ROWS - ROWS / 10);
        end(&run);
    }
}

/* margin: the open row whose two highest scores differ least, by the model of the same labels. */
static void test_margin(void **state)
{
    Run run = begin("margin", 1, NULL, false);
    bool closed[ROWS] = {false};

    (void)state;
    for (size_t step = 0; step < STEPS; step++) {
        uint64_t row = next(run.active), best = ROWS;
        double least = INFINITY;
        cleave_error error = {0};
        cleave_model *model;

        assert_int_equal(cleave_active_model(run.active, &model, &error), CLEAVE_OK);
        for (uint64_t other = 0; model && other < ROWS; other++) {
            double scores[3], first = -INFINITY, second = -INFINITY;
            cleave_predictor *predictor;
            float value[2];
            cleave_matrix matrix = {.size = sizeof matrix,
                                    .rows = 1,
                                    .columns = 2,
                                    .type = CLEAVE_FLOAT32,
                                    .values = value};
            cleave_predictions predictions = {.size = sizeof predictions, .scores = scores};

            point(other, value);
            assert_int_equal(cleave_predictor_new(model, &predictor, &error), CLEAVE_OK);
            assert_int_equal(cleave_predict_matrix(predictor, &matrix, &predictions, &error),
                             CLEAVE_OK);
            cleave_predictor_free(predictor);
            for (size_t i = 0; i < cleave_model_score_count(model); i++) {
                if (scores[i] > first) {
                    second = first;
                    first = scores[i];
                } else if (scores[i] > second) {
                    second = scores[i];
                }
            }
            if (cleave_model_score_count(model) == 1) {
                first = fabs(scores[0]);
                second = 0;
            }
            if (!closed[other] && first - second < least) {
                least = first - second;
                best = other;
            }
        }
        if (model)
            assert_int_equal(row, best);
        cleave_model_free(model);
        answer(run.active, row);
        closed[row] = true;
        if (row % 10 >= 8)
            closed[row % 10 == 9 ? row - 1 : row + 1] = true;
    }
    end(&run);
}

/* Undo returns to the row before, any number of times. */
static void test_undo(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        Run run = begin(selections[i], 1, NULL, false);
        uint64_t rows[STEPS], undone;
        cleave_error error = {0};
        cleave_active_state facts;

        assert_int_equal(cleave_active_undo(run.active, &undone, &error), CLEAVE_OK);
        assert_true(undone == CLEAVE_NO_ROW);
        ask_rows(run.active, rows, 0, STEPS);
        for (size_t back = STEPS; back-- > 0;) {
            assert_int_equal(cleave_active_undo(run.active, &undone, &error), CLEAVE_OK);
            assert_int_equal(undone, rows[back]);
            assert_int_equal(next(run.active), rows[back]);
        }
        assert_int_equal(cleave_active_get_state(run.active, &facts, &error), CLEAVE_OK);
        assert_int_equal(facts.labeled, 0);
        assert_int_equal(facts.open, ROWS);
        end(&run);
    }
}

/* A run that is resumed after every label, or with a part of the last line, asks the same rows. */
static void test_resume(void **state)
{
    char path[] = "/tmp/cleave-active-XXXXXX";
    int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        uint64_t rows[STEPS], again[STEPS];
        Run run = begin(selections[i], 1, NULL, false);

        ask_rows(run.active, rows, 0, STEPS);
        end(&run);
        unlink(path);
        for (size_t step = 0; step < STEPS; step++) {
            FILE *cut;

            run = begin(selections[i], 1, path, false);
            ask_rows(run.active, again, step, step + 1);
            end(&run);
            cut = fopen(path, "a");
            assert_non_null(cut);
            fputs("0123456789abcdef\tdone\t9", cut); /* a line that a crash cut off */
            fclose(cut);
        }
        assert_memory_equal(rows, again, sizeof rows);
    }
    unlink(path);
}

typedef struct {
    uint64_t calls, at; /* true at this call; 0: never */
} Interrupt;

static bool cancelled(void *user)
{
    Interrupt *interrupt = user;

    return ++interrupt->calls == interrupt->at;
}

/* An interrupted call can be repeated, and asks for the same row. */
static void test_interrupt(void **state)
{
    Interrupt interrupt = {0};
    cleave_config config = {.size = sizeof config, .cancelled = cancelled, .user = &interrupt};
    size_t interrupted = 0;

    (void)state;
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        uint64_t rows[STEPS];
        Run run = begin(selections[i], 1, NULL, false), other;
        cleave_error error = {0};

        ask_rows(run.active, rows, 0, STEPS);
        end(&run);
        interrupt.at = 0;
        other.context = cleave_context_new(&config);
        other.data = make_pool(other.context, false);
        other.options = cleave_options_new(other.context);
        other.training = cleave_options_new(other.context);
        cleave_options_set(other.options, "selection", selections[i], &error);
        assert_int_equal(cleave_active_new(other.context, "svm", other.data, NULL, false,
                                           other.options, other.training, &other.active, &error),
                         CLEAVE_OK);
        for (size_t step = 0; step < STEPS; step++) {
            cleave_active_item item;
            cleave_code code;

            interrupt = (Interrupt){.at = 1 + step % 5};
            code = cleave_active_next(other.active, &item, &error);
            assert_true(code == CLEAVE_OK || code == CLEAVE_ERROR_CANCELLED);
            interrupted += code != CLEAVE_OK;
            interrupt.at = 0;
            assert_int_equal(next(other.active), rows[step]);
            answer(other.active, rows[step]);
        }
        end(&other);
    }
    assert_true(interrupted > STEPS);
}

static void test_simulation(void **state)
{
    Run run = begin("mixture", 1, NULL, true);
    cleave_error error = {0};
    cleave_active_item item;
    uint64_t labels;
    double rate;

    (void)state;
    for (size_t i = 0; i < STEPS; i++) {
        assert_int_equal(cleave_active_next(run.active, &item, &error), CLEAVE_OK);
        assert_string_equal(item.hidden_label, label_of(item.row));
        answer(run.active, item.row);
    }
    next(run.active);
    assert_true(cleave_active_point(run.active, STEPS - 1, &labels, &rate));
    assert_int_equal(labels, STEPS);
    assert_true(rate >= 0 && rate < 0.2);
    assert_false(cleave_active_point(run.active, STEPS, &labels, &rate));
    end(&run);
}

static void test_comparison(void **state)
{
    Run run = begin("mixture", 1, NULL, true);
    cleave_error error = {0};
    cleave_active_comparison *found;
    double sum = 0;

    (void)state;
    cleave_options_set(run.options, "budget", "20", &error);
    cleave_options_set(run.options, "simulations", "3", &error);
    assert_int_equal(cleave_active_compare(run.context, "svm", run.data, NULL, run.options,
                                           run.training, &found, &error),
                     CLEAVE_OK);
    assert_int_equal(found->point_count, 20);
    assert_int_equal(found->pool_rows + found->test_rows, ROWS);
    for (size_t i = 0; i < 3 * found->point_count; i++)
        sum += found->random_runs[i] - found->active_runs[i];
    assert_float_equal(found->gain.value, sum / (3. * 20), 1e-12);
    assert_true(found->gain.low <= found->gain.value && found->gain.value <= found->gain.high);
    cleave_active_comparison_free(found);
    end(&run);
}

static void test_refused(void **state)
{
    Run run = begin("margin", 1, NULL, false);
    cleave_error error = {0};
    cleave_active *other;

    (void)state;
    assert_int_equal(cleave_active_label(run.active, ROWS, "one", &error), CLEAVE_ERROR_USAGE);
    assert_int_equal(cleave_active_label(run.active, 0, "", &error), CLEAVE_ERROR_DATA);
    assert_int_equal(cleave_active_label(run.active, 0, "a\tb", &error), CLEAVE_ERROR_DATA);
    answer(run.active, 0);
    assert_int_equal(cleave_active_label(run.active, 0, "one", &error), CLEAVE_ERROR_USAGE);
    assert_int_equal(cleave_active_skip(run.active, 0, &error), CLEAVE_ERROR_USAGE);
    cleave_options_set(run.options, "known_classes", "one,two", &error);
    assert_int_equal(cleave_active_new(run.context, "svm", run.data, NULL, false, run.options, NULL,
                                       &other, &error),
                     CLEAVE_OK);
    assert_int_equal(cleave_active_label(other, 2, "three", &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "'three'"));
    cleave_active_free(other);
    assert_int_equal(cleave_active_new(run.context, "least-squares", run.data, NULL, false, NULL,
                                       NULL, &other, &error),
                     CLEAVE_ERROR_USAGE);
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_distinct),
        cmocka_unit_test(test_margin),     cmocka_unit_test(test_undo),
        cmocka_unit_test(test_resume),     cmocka_unit_test(test_simulation),
        cmocka_unit_test(test_comparison), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_interrupt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
