/* Explanations (src/inspect/explain.c, example.c): contributions sum to the score for every method
 * that has them, and examples in the forms that users write. */
#include "property/table.h"

#include "support/support.h"

#include <cleave/expert.h>
#include <math.h>

static const char mail[] = "spam\tbuy cheap pills now\nspam\tcheap pills\nham\tmeet me "
                           "now\nham\tlunch now\nspam\tpills offer\n"
                           "ham\tmeet for lunch\n";
static const char table[] = "age,color,class\n30,red,a\n40,blue,b\n50,red,a\n60,green,b\n";
static const char three[] = "a 1:1 2:0.5\na 1:2\nb 2:1\nb 2:2 3:0.25\nc 3:1\nc 1:0.5 3:2\n";
static const char binary[] = "1 1:1 2:1\n1 1:1\n-1 2:1 3:1\n-1 3:1\n";
static const char numbers[] = "1 1:1\n3.5 1:2 2:1\n5 1:3\n6 1:3 2:2\n";

typedef struct {
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    cleave_context *context;
    cleave_data *data;
    cleave_model *model;
} Trained;

static Trained train_in(cleave_context *context, const char *method, const char *name,
                        const char *text, const char *const *options)
{
    Trained trained = {.context = context};
    cleave_options *given = cleave_options_new(context);
    cleave_error error = {0};

    test_folder_new(trained.folder);
    test_join(trained.path, trained.folder, name);
    test_write_text(trained.path, text);
    for (; options && *options; options += 2)
        FINE(cleave_options_set(given, options[0], options[1], &error));
    FINE(cleave_open(context, trained.path, NULL, &trained.data, &error));
    FINE(cleave_train(context, method, trained.data, NULL, given, &trained.model, NULL, &error));
    cleave_options_free(given);
    return trained;
}

static Trained train(const char *method, const char *name, const char *text,
                     const char *const *options)
{
    return train_in(cleave_context_new(NULL), method, name, text, options);
}

static void forget(Trained *trained)
{
    cleave_model_free(trained->model);
    cleave_data_free(trained->data);
    cleave_context_free(trained->context);
    test_folder_remove(trained->folder);
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-5 * (1 + fabs(b))))
        print_error("%.9g is not near %.9g\n", a, b);
    assert_true(fabs(a - b) <= 1e-5 * (1 + fabs(b)));
}

static cleave_code take_scores(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    double(*answers)[2] = user;

    (void)error;
    answers[prediction->row - 1][0] = isnan(prediction->value) ? (double)prediction->label_number
                                                               : prediction->value;
    answers[prediction->row - 1][1] = prediction->score_count == 1
                                          ? fabs(prediction->scores[0])
                                          : prediction->scores[prediction->label_number];
    return CLEAVE_OK;
}

/* For every row, the prediction is that of predict. Contributions and intercept sum to the score,
 * also for the second-best class. */
static void assert_sums(const Trained *trained, size_t rows)
{
    double answers[8][2];
    cleave_error error = {0};

    FINE(cleave_predict(trained->model, trained->data, NULL, take_scores, answers, &error));
    for (size_t row = 1; row <= rows; row++) {
        cleave_explanation *facts;
        double sum, other, last = INFINITY;

        FINE(cleave_explain_row(trained->model, trained->data, row, &facts, &error));
        assert_true(facts->has_contributions);
        if (facts->runner_up) {
            assert_string_equal(facts->label,
                                cleave_model_label(trained->model, (size_t)answers[row - 1][0]));
            assert_near(fabs(facts->score), fabs(answers[row - 1][1]));
            assert_string_not_equal(facts->label, facts->runner_up);
            assert_true(facts->runner_up_score <= facts->score);
            assert_true(cleave_model_has_probabilities(trained->model) ? facts->probability >= 0.5
                                                                       : isnan(facts->probability));
        } else {
            assert_near(facts->score, answers[row - 1][0]);
        }
        sum = facts->intercept;
        other = facts->runner_up_intercept;
        for (size_t i = 0; i < facts->contribution_count; i++) {
            double decided = fabs(facts->contributions[i].contribution -
                                  facts->contributions[i].runner_up);

            sum += facts->contributions[i].contribution;
            other += facts->contributions[i].runner_up;
            assert_true(decided <= last);
            last = decided;
        }
        assert_near(sum, facts->score);
        if (cleave_model_label_count(trained->model) > 2)
            assert_near(other, facts->runner_up_score);
        cleave_explanation_free(facts);
    }
}

static void shares_sum_to_scores(void **state)
{
    static const char *const averaged[] = {"form", "averaged", "learn_threshold", "true", NULL};
    static const char *const linear[] = {"kernel", "linear", NULL};
    static const char *const rounds[] = {"epochs", "20", NULL};
    const struct {
        const char *method, *name, *text;
        const char *const *options;
        size_t rows;
    } runs[] = {
        {"perceptron", "mail.txt", mail, rounds, 6},
        {"perceptron", "three.libsvm", three, averaged, 6},
        {"winnow", "binary.libsvm", binary, rounds, 4},
        {"lms", "numbers.libsvm", numbers, rounds, 4},
        {"svm", "mail.txt", mail, NULL, 6},
        {"svm", "three.libsvm", three, NULL, 6},
        {"logistic", "table.csv", table, NULL, 4},
        {"svr", "numbers.libsvm", numbers, NULL, 4},
        {"kernel-svm", "three.libsvm", three, linear, 6},
        {"least-squares", "numbers.libsvm", numbers, NULL, 4},
        {"kernel-perceptron", "binary.libsvm", binary, linear, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        Trained trained = train(runs[i].method, runs[i].name, runs[i].text, runs[i].options);

        assert_sums(&trained, runs[i].rows);
        forget(&trained);
    }
}

static void no_sums_no_shares(void **state)
{
    static const char *const voted[] = {"form", "voted", "epochs", "5", NULL};
    static const char *const gaussian[] = {"kernel", "gaussian", NULL};

    (void)state;
    for (int i = 0; i < 2; i++) {
        Trained trained = i ? train("perceptron", "mail.txt", mail, voted)
                            : train("kernel-svm", "mail.txt", mail, gaussian);
        cleave_explanation *facts;
        cleave_error error = {0};

        FINE(cleave_explain_row(trained.model, trained.data, 1, &facts, &error));
        assert_false(facts->has_contributions);
        assert_int_equal(facts->contribution_count, 0);
        assert_string_equal(facts->label, "spam");
        assert_string_equal(facts->runner_up, "ham");
        cleave_explanation_free(facts);
        forget(&trained);
    }
}

/* The example as text has the prediction of the same row of a file. */
static void assert_same(const Trained *trained, const char *text, uint64_t row, const char *unknown)
{
    cleave_explanation *facts, *other;
    cleave_error error = {0};

    FINE(cleave_explain_text(trained->model, text, strlen(text), &facts, &error));
    FINE(cleave_explain_row(trained->model, trained->data, row, &other, &error));
    assert_string_equal(facts->label, other->label);
    assert_true(facts->score == other->score);
    assert_int_equal(facts->contribution_count, other->contribution_count);
    for (size_t i = 0; i < facts->contribution_count; i++) {
        assert_string_equal(facts->contributions[i].name, other->contributions[i].name);
        assert_true(facts->contributions[i].value == other->contributions[i].value);
        assert_true(facts->contributions[i].contribution == other->contributions[i].contribution);
    }
    assert_int_equal(facts->unknown_count, unknown != NULL);
    if (unknown)
        assert_string_equal(facts->unknown[0], unknown);
    cleave_explanation_free(facts);
    cleave_explanation_free(other);
}

static void assert_refused(const Trained *trained, const char *text, const char *message)
{
    cleave_explanation *facts;
    cleave_error error = {0};

    assert_int_not_equal(cleave_explain_text(trained->model, text, strlen(text), &facts, &error),
                         CLEAVE_OK);
    assert_null(facts);
    if (!strstr(error.message, message))
        print_error("expected '%s' in '%s'\n", message, error.message);
    assert_non_null(strstr(error.message, message));
}

static void examples_are_rows(void **state)
{
    static const char *const none[] = {"transform", "none",
                                       NULL}; /* so that rare values keep their names */
    Trained words = train("svm", "mail.txt", mail, NULL),
            cells = train("svm", "table.csv", table, none),
            indexes = train("svm", "three.libsvm", three, NULL);

    (void)state;
    assert_same(&words, "meet me now", 3, NULL);
    assert_same(&words, "Meet\n\tme,  NOW!\n", 3, NULL);
    assert_same(&words, "spam\tmeet me now", 3, NULL);
    assert_same(&words, "meet zebra me now", 3, "zebra");
    assert_same(&words, "meet\tme now", 3, NULL); /* no class has the label meet */
    assert_same(&cells, "age=40,color=blue", 2, NULL);
    assert_same(&cells, " color = blue , age = 40 ", 2, NULL);
    assert_same(&cells, "color=\"blue\",age=40,class=a", 2, NULL);
    assert_same(&cells, "40,blue", 2, NULL);
    assert_same(&cells, "40,blue,b", 2, NULL);
    assert_same(&cells, "40|blue", 2, NULL);
    assert_same(&cells, "color,age\nblue,40\n", 2, NULL);
    assert_refused(&cells, "age=40,hue=blue", "no column 'hue'");
    assert_refused(&cells, "age=40,blue", "no column 'blue'");
    assert_refused(&cells, "age=4,age=5", "duplicate value");
    assert_refused(&cells, "40", "expected 2 values");
    assert_refused(&cells, "age,color\n40,blue\n50,red\n", "found several");
    assert_same(&indexes, "2:1", 3, NULL);
    assert_same(&indexes, "b 2:1", 3, NULL);
    assert_same(&indexes, "2:1 7:3", 3, "7");
    assert_refused(&indexes, "2:one", "not a number");
    forget(&words);
    forget(&cells);
    forget(&indexes);
}

static void rows_that_are_not_there(void **state)
{
    Trained trained = train("svm", "three.libsvm", three, NULL);
    cleave_explanation *facts;
    cleave_error error = {0};

    (void)state;
    assert_int_equal(cleave_explain_row(trained.model, trained.data, 7, &facts, &error),
                     CLEAVE_ERROR_USAGE);
    assert_int_equal(cleave_explain_row(trained.model, trained.data, 0, &facts, &error),
                     CLEAVE_ERROR_USAGE);
    assert_null(facts);
    cleave_explanation_free(NULL);
    forget(&trained);
}

static void the_pipeline_can_be_inspected(void **state)
{
    static const char *const selected[] = {"transform", "select:top=3,tfidf", NULL};
    Trained trained = train("svm", "mail.txt", mail, selected);
    cleave_pipeline_step step;
    const char *name;
    char buffer[24];
    size_t count;
    bool whole;

    (void)state;
    assert_true(cleave_model_step(trained.model, 0, &step));
    assert_string_equal(step.text, "select:top=3");
    assert_string_equal(step.facts, "3 of 9 columns kept by chi2");
    assert_int_equal(step.outputs, 3);
    assert_true(cleave_model_step(trained.model, 1, &step));
    assert_string_equal(step.text, "tfidf");
    assert_false(cleave_model_step(trained.model, 2, &step));
    assert_true(cleave_model_step_array(trained.model, 0, 1, &name, &count, &whole));
    assert_string_equal(name, "score");
    assert_false(whole);
    assert_int_equal(count, 3);
    assert_true(cleave_model_step_value(trained.model, 0, 1, 1) == 3);
    assert_true(cleave_model_step_value(trained.model, 0, 1, 9) == 0);
    assert_string_equal(cleave_model_step_column(trained.model, 0, 1, buffer), "pills");
    assert_null(cleave_model_step_column(trained.model, 0, 3, buffer));
    assert_false(cleave_model_step_array(trained.model, 0, 9, &name, &count, NULL));
    forget(&trained);
}

/* Every allocation in turn, for each kind of example. */
static void memory_may_be_short(void **state)
{
    const struct {
        const char *name, *text, *example;
    } runs[] = {{"mail.txt", mail, "meet zebra"},
                {"table.csv", table, "age=3,color=mauve"},
                {"three.libsvm", three, "1:2 9:1"}};

    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        TestMemory memory = {.fail_at = 0};
        cleave_config config = {
            .size = sizeof config, .allocate = test_allocate, .user = &memory, .threads = 1};
        Trained trained = train_in(cleave_context_new(&config), "svm", runs[i].name, runs[i].text,
                                   NULL);
        long long live = memory.live;

        for (long long fail_at = 1;; fail_at++) {
            cleave_explanation *facts;
            cleave_error error = {0};
            cleave_code code;

            memory.failures = 0;
            memory.fail_at = memory.calls + fail_at;
            code = cleave_explain_text(trained.model, runs[i].example, strlen(runs[i].example),
                                       &facts, &error);
            cleave_explanation_free(facts);
            assert_true(memory.live == live);
            if (memory.failures == 0) {
                assert_fine(code, &error);
                break;
            }
            assert_int_equal(code, CLEAVE_ERROR_MEMORY);
        }
        memory.fail_at = 0;
        forget(&trained);
        assert_true(memory.live == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_sum_to_scores),
        cmocka_unit_test(no_sums_no_shares),
        cmocka_unit_test(examples_are_rows),
        cmocka_unit_test(rows_that_are_not_there),
        cmocka_unit_test(the_pipeline_can_be_inspected),
        cmocka_unit_test(memory_may_be_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
