/*
 * Counts and scores of `test`: metrics by the library's function, scores that are dropped if there
 * are too many rows, and failing allocations without leaks. tests/golden/test_metrics.c checks the
 * values of the metrics.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cleave/expert.h>

#include "eval/tally.h"
#include "support/support.h"

#define FINE(call) assert_fine((call), &error)

static void assert_fine(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(code, CLEAVE_OK);
}

typedef struct {
    cleave_context *context;
    cleave_data *data;
    cleave_model *model;
} Trained;

/* On data built in. */
static Trained train(const cleave_config *config, const char *method, const char *name)
{
    Trained trained = {.context = cleave_context_new(config)};
    cleave_error error;

    assert_non_null(trained.context);
    FINE(cleave_open(trained.context, name, NULL, &trained.data, &error));
    FINE(cleave_train(trained.context, method, trained.data, NULL, NULL, &trained.model, NULL,
                      &error));
    return trained;
}

static void forget(Trained *trained)
{
    cleave_model_free(trained->model);
    cleave_data_free(trained->data);
    cleave_context_free(trained->context);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void two_classes_are_told_in_detail(void **state)
{
    Trained trained = train(NULL, "perceptron", "@spam6");
    cleave_evaluation evaluation = {.size = sizeof evaluation},
                      short_one = {.size = sizeof short_one};
    cleave_evaluation_details *details;
    cleave_error error;
    double sum = 0;

    (void)state;
    FINE(cleave_evaluate_details(trained.model, trained.data, NULL, &evaluation, &details, &error));
    assert_int_equal(details->class_count, 2);
    assert_true(details->positive < 2);
    for (size_t i = 0; i < 9; i++)
        sum += details->confusion[i];
    assert_true(sum == 6 && evaluation.scored_rows == 6);
    assert_true(evaluation.accuracy.value == 1 && evaluation.roc_auc.value == 1 &&
                evaluation.average_precision.value == 1);
    assert_true(isnan(evaluation.log_loss.value) && isnan(evaluation.rmse_interval.value));
    assert_true(details->threshold_count >= 2 && details->threshold_count <= 6);
    for (size_t i = 1; i < details->threshold_count; i++)
        assert_true(details->thresholds[i].threshold < details->thresholds[i - 1].threshold);
    FINE(cleave_evaluate(trained.model, trained.data, NULL, &short_one, &error));
    assert_memory_equal(&short_one.accuracy, &evaluation.accuracy,
                        offsetof(cleave_evaluation, log_loss) -
                            offsetof(cleave_evaluation, accuracy));
    cleave_evaluation_details_free(details);
    cleave_evaluation_details_free(NULL);
    forget(&trained);
}

static void many_classes_have_areas_each(void **state)
{
    Trained trained = train(NULL, "knn", "@dogs");
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_evaluation_details *details;
    cleave_error error;
    double sum = 0;

    (void)state;
    FINE(cleave_evaluate_details(trained.model, trained.data, NULL, &evaluation, &details, &error));
    assert_int_equal(details->class_count, 3);
    assert_true(details->positive == SIZE_MAX && details->threshold_count == 0);
    for (size_t k = 0; k < 3; k++) {
        assert_string_equal(details->classes[k].label, cleave_model_label(trained.model, k));
        sum += details->classes[k].roc_auc.value / 3;
    }
    assert_true(fabs(sum - evaluation.roc_auc.value) < 1e-12);
    assert_true(evaluation.log_loss.value >= 0 && evaluation.brier.value >= 0);
    cleave_evaluation_details_free(details);
    forget(&trained);
}

static void a_regression_has_measures(void **state)
{
    Trained trained = train(NULL, "least-squares", "@line4");
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_evaluation_details *details;
    cleave_error error;

    (void)state;
    FINE(cleave_evaluate_details(trained.model, trained.data, NULL, &evaluation, &details, &error));
    assert_true(details->class_count == 0 && details->confusion == NULL &&
                details->threshold_count == 0);
    assert_true(fabs(evaluation.rmse_interval.value - evaluation.rmse) < 1e-12);
    assert_true(fabs(evaluation.mae_interval.value - evaluation.mae) < 1e-12);
    assert_true(fabs(evaluation.r2_interval.value - evaluation.r2) < 1e-12);
    /* Four rows are too few. */
    assert_true(isnan(evaluation.rmse_interval.low) && isnan(evaluation.rmse_interval.high));
    assert_true(isnan(evaluation.accuracy.value));
    cleave_evaluation_details_free(details);
    forget(&trained);
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* Two classes, four rows per block, and this number of blocks. */
static void count_blocks(Tally *tally, size_t blocks, double score)
{
    static const uint8_t labels[] = {0, 1, 0, 1};
    Block block = {.rows = 4, .target_form = TARGETS_LABELS, .label_bytes = 1, .target = labels};
    double scores[] = {score, -score, score, score};
    cleave_error error;

    for (size_t i = 0; i < blocks; i++)
        FINE(clv_tally_block(tally, &block, NULL, scores, &error));
}

static void scores_are_let_go_past_the_bound(void **state)
{
    Trained trained = train(NULL, "perceptron", "@spam6");
    cleave_evaluation kept = {.size = sizeof kept}, left = {.size = sizeof left};
    cleave_error error;
    Tally tally;

    (void)state;
    for (int bounded = 0; bounded < 2; bounded++) {
        cleave_evaluation *facts = bounded ? &left : &kept;

        FINE(clv_tally_begin(&tally, trained.model, false, false, &error));
        if (bounded)
            tally.most_bytes = 39 * sizeof(RankedRow);
        count_blocks(&tally, 9, 1);
        assert_false(tally.left_out);
        count_blocks(&tally, 2, 1);
        assert_true(tally.left_out == (bounded == 1));
        FINE(clv_tally_end(&tally, facts, &error));
        clv_tally_free(&tally);
    }
    assert_true(!kept.scores_omitted && left.scores_omitted);
    assert_true(!isnan(kept.roc_auc.value) && isnan(left.roc_auc.value) &&
                isnan(left.average_precision.value));
    assert_true(left.scored_rows == 44 && kept.scored_rows == 44); /* counting continues */
    assert_memory_equal(&left.accuracy, &kept.accuracy,
                        offsetof(cleave_evaluation, roc_auc) -
                            offsetof(cleave_evaluation, accuracy));
    forget(&trained);
}

/* ---- short of memory ------------------------------------------------------------------------- */

static void every_failure_is_told_and_leaks_nothing(const char *method, const char *name)
{
    TestMemory memory = {0};
    cleave_config config = {
        .size = sizeof config, .allocate = test_allocate, .user = &memory, .threads = 1};
    Trained trained = train(&config, method, name);
    bool failed = true;

    for (long long at = 1; failed; at++) {
        cleave_evaluation evaluation = {.size = sizeof evaluation};
        cleave_evaluation_details *details = NULL;
        cleave_error error = {0};
        cleave_code code;

        memory.calls = 0;
        memory.failures = 0;
        memory.fail_at = at;
        code = cleave_evaluate_details(trained.model, trained.data, NULL, &evaluation, &details,
                                       &error);
        failed = memory.failures > 0;
        assert_int_equal(code, failed ? CLEAVE_ERROR_MEMORY : CLEAVE_OK);
        assert_true(failed ? details == NULL : details != NULL);
        cleave_evaluation_details_free(details);
        memory.fail_at = 0;
        assert_in_range(at, 1, 10000);
    }
    forget(&trained);
    assert_int_equal(memory.live, 0);
}

static void no_failure_is_silent(void **state)
{
    (void)state;
    every_failure_is_told_and_leaks_nothing("perceptron", "@spam6");
    every_failure_is_told_and_leaks_nothing("knn", "@dogs");
    every_failure_is_told_and_leaks_nothing("lms", "@line4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_are_told_in_detail),
        cmocka_unit_test(many_classes_have_areas_each),
        cmocka_unit_test(a_regression_has_measures),
        cmocka_unit_test(scores_are_let_go_past_the_bound),
        cmocka_unit_test(no_failure_is_silent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
