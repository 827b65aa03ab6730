/* Rounds through the library (src/dist/rounds.c, src/dist/updates.c): any number and order of
 * pieces, for every method. */
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cleave_context *context;
static char folder[TEST_PATH_SIZE];
static cleave_error error;

#define FINE(call)                                                                                 \
    do {                                                                                           \
        if ((call) != CLEAVE_OK)                                                                   \
            fail_msg("%s: %s", #call, error.message);                                              \
    } while (0)

static const char *path_of(char path[TEST_PATH_SIZE], const char *name)
{
    return test_join(path, folder, name);
}

static void write_text(const char *name, const char *text)
{
    char path[TEST_PATH_SIZE];

    test_write_text(path_of(path, name), text);
}

static cleave_model *begin(const char *method, const char *const *pairs)
{
    cleave_options *options = cleave_options_new(context);
    char path[TEST_PATH_SIZE];
    cleave_data *sample;
    cleave_model *model;

    for (size_t i = 0; pairs[i]; i += 2)
        FINE(cleave_options_set(options, pairs[i], pairs[i + 1], &error));
    FINE(cleave_open(context, path_of(path, "rows.libsvm"), NULL, &sample, &error));
    FINE(cleave_begin(context, method, sample, options, &model, &error));
    cleave_data_free(sample);
    cleave_options_free(options);
    return model;
}

/* One round over the files, reduced together; the model is replaced. */
static cleave_round make_round(cleave_model **model, const char *const *files, size_t count)
{
    char in[TEST_PATH_SIZE], updates[8][TEST_PATH_SIZE], sums[TEST_PATH_SIZE],
        command[10 * TEST_PATH_SIZE];
    const char *path = in, *sum = sums;
    cleave_round facts;
    cleave_model *next;

    snprintf(command, sizeof command, "cd %s && cat", folder);
    for (size_t i = 0; i < count; i++) {
        char name[32];

        snprintf(name, sizeof name, "updates.%zu", i);
        path_of(in, files[i]);
        FINE(cleave_map(*model, &path, 1, NULL, path_of(updates[i], name), &facts, &error));
        snprintf(command + strlen(command), sizeof command - strlen(command), " %s", name);
    }
    snprintf(command + strlen(command), sizeof command - strlen(command),
             " | LC_ALL=C sort > sorted");
    assert_int_equal(system(command), 0);
    path_of(in, "sorted");
    FINE(cleave_reduce(context, &path, 1, false, path_of(sums, "sums"), &error));
    FINE(cleave_apply(*model, &sum, 1, &next, &facts, &error));
    cleave_model_free(*model);
    *model = next;
    return facts;
}

static char *bytes_of(const cleave_model *model, size_t *size)
{
    char path[TEST_PATH_SIZE];

    FINE(cleave_save(model, path_of(path, "saved.model"), &error));
    return test_read_file(path, size);
}

static const char *const whole[] = {"rows.libsvm"},
                         *const pieces[] = {"a.libsvm", "b.libsvm", "empty.libsvm"},
                         *const turned[] = {"empty.libsvm", "b.libsvm", "a.libsvm"};

static void pieces_in_any_order(void **state)
{
    static const char *const solvers[][3] = {
        {"solver", "sgd"}, {"solver", "asgd"},     {"solver", "pegasos"},
        {"solver", "gd"},  {"solver", "adaptive"}, {"solver", "ftrl"},
        {"C", "1"}};

    (void)state;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        const char *pairs[] = {solvers[i][0], solvers[i][1], NULL}, *none[] = {NULL};
        bool perceptron = strcmp(pairs[0], "C") == 0;
        cleave_model *one = begin(perceptron ? "perceptron" : "svm", perceptron ? none : pairs);
        cleave_model *two = begin(perceptron ? "perceptron" : "svm", perceptron ? none : pairs);
        size_t one_size, two_size;
        char *one_bytes, *two_bytes;

        for (int round = 1; round <= 3; round++) {
            cleave_round facts = make_round(&one, pieces, 3), again = make_round(&two, turned, 3);

            assert_int_equal(facts.round, round);
            assert_int_equal(facts.tasks, 3);
            assert_int_equal(facts.rows, 6);
            assert_int_equal(facts.mistakes, again.mistakes);
        }
        one_bytes = bytes_of(one, &one_size);
        two_bytes = bytes_of(two, &two_size);
        assert_int_equal(one_size, two_size);
        assert_memory_equal(one_bytes, two_bytes, one_size);
        free(one_bytes);
        free(two_bytes);
        cleave_model_free(one);
        cleave_model_free(two);
    }
}

static void sums_are_those_of_one_piece(void **state)
{
    static const char *const sum[] = {"update", "sum", "learn_threshold", "true", NULL};
    cleave_model *one = begin("perceptron", sum), *many = begin("perceptron", sum);

    (void)state;
    for (int round = 0; round < 5; round++) {
        make_round(&one, whole, 1);
        make_round(&many, pieces, 3);
    }
    for (size_t column = 0; column < 4; column++)
        assert_true(cleave_model_weight(one, 0, column) == cleave_model_weight(many, 0, column));
    assert_true(cleave_model_threshold(one, 0) == cleave_model_threshold(many, 0));
    cleave_model_free(one);
    cleave_model_free(many);
}

static void refuses_what_is_not_the_model_s(void **state)
{
    static const char *const none[] = {NULL};
    cleave_model *model = begin("perceptron", none), *next;
    char in[TEST_PATH_SIZE], out[TEST_PATH_SIZE];
    const char *path = in, *updates = out;
    cleave_round facts;

    (void)state;
    path_of(in, "rows.libsvm");
    FINE(cleave_map(model, &path, 1, NULL, path_of(out, "first"), &facts, &error));
    make_round(&model, whole, 1);
    assert_int_equal(cleave_apply(model, &updates, 1, &next, &facts, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "another model"));
    assert_null(next);
    write_text("late", "late/0\t1\n");
    path_of(out, "late");
    assert_int_equal(cleave_apply(model, &updates, 1, &next, &facts, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "fingerprint of the model"));
    write_text("late", "bias/1\t1\n");
    assert_int_equal(cleave_apply(model, &updates, 1, &next, &facts, &error), CLEAVE_ERROR_DATA);
    assert_non_null(strstr(error.message, "late:1: 'bias/1' is out of range"));
    cleave_model_free(model);
}

/* apply detects any missing line of any method, except lines of zeros. */
static void misses_any_line(void **state)
{
    static const char *const methods[][4] = {
        {"perceptron"}, {"svm", "solver", "asgd"},     {"svm", "solver", "gd"},
        {"lms"},        {"svm", "solver", "adaptive"}, {"lms", "solver", "ftrl"}};
    char sums[TEST_PATH_SIZE], less[TEST_PATH_SIZE];
    const char *path = less;

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        cleave_model *model = begin(methods[i][0], methods[i] + 1), *next;
        cleave_model *same = begin(methods[i][0], methods[i] + 1);
        cleave_round facts;
        size_t size, length;
        char *text;

        make_round(&model, pieces, 3);
        text = test_read_file(path_of(sums, "sums"), &size);
        path_of(less, "less");
        for (size_t at = 0; at < size; at += length) {
            char *end = memchr(text + at, '\n', size - at);
            char *rest = malloc(size);

            length = (size_t)(end - text) - at + 1;
            memcpy(rest, text, at);
            memcpy(rest + at, text + at + length, size - at - length);
            test_write_file(less, rest, size - length);
            if (length > 2 && memcmp(end - 2, "\t0", 2) != 0 &&
                cleave_apply(same, &path, 1, &next, &facts, &error) != CLEAVE_ERROR_DATA)
                fail_msg("%s: without %.*s", methods[i][0], (int)length - 1, text + at);
            free(rest);
        }
        free(text);
        cleave_model_free(same);
        cleave_model_free(model);
    }
}

static int prepare(void **state)
{
    (void)state;
    context = cleave_context_new(NULL);
    test_folder_new(folder);
    write_text(
        "rows.libsvm",
        "+1 1:1 2:0.1\n-1 2:1 3:1\n+1 1:0.3 3:1\n-1 3:0.7 4:1\n+1 1:1 4:0.2\n-1 2:0.1 4:1\n");
    write_text("a.libsvm", "+1 1:1 2:0.1\n-1 2:1 3:1\n+1 1:0.3 3:1\n-1 3:0.7 4:1\n");
    write_text("b.libsvm", "+1 1:1 4:0.2\n-1 2:0.1 4:1\n");
    write_text("empty.libsvm", "");
    return 0;
}

static int clean(void **state)
{
    (void)state;
    test_folder_remove(folder);
    cleave_context_free(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_any_order),
        cmocka_unit_test(sums_are_those_of_one_piece),
        cmocka_unit_test(refuses_what_is_not_the_model_s),
        cmocka_unit_test(misses_any_line),
    };

    return cmocka_run_group_tests(tests, prepare, clean);
}
