/*
 * Rows evaluated after each round (train/running_scores.h): scores that are kept, to which a round
 * adds its values, equal those of a newly trained model bit by bit, on training rows and on
 * held-out rows. Therefore the same round and the same model are kept. With sets of categories,
 * missing and sparse values, and after the trees of another model.
 */
#include "property/table.h"

#include "model/registry.h"
#include "train/batch_driver.h"

enum { ROWS = 400, COLUMNS = 8, MOST_ROUNDS = 30 };

typedef struct {
    uint32_t rounds;
    Evaluation train[MOST_ROUNDS], held_out[MOST_ROUNDS];
} Seen;

static Status look(void *user, const Evaluation *train, const Evaluation *held_out, double penalty,
                   cleave_error *error)
{
    Seen *seen = user;

    (void)penalty;
    (void)error;
    assert_true(seen->rounds < MOST_ROUNDS);
    seen->train[seen->rounds] = *train;
    seen->held_out[seen->rounds++] = *held_out;
    return OK;
}

/* Every other column is categorical. Labels depend on both kinds, with some noise. */
static Dataset *make_data(Context *context, uint32_t classes)
{
    static const char *const numbers[] = {"-1.5", "0.25", "4"};
    uint32_t labels = classes ? classes : 3;
    Random random = clv_random(9, labels);
    cleave_error error;
    Table table = {.features = COLUMNS, .labels = classes ? NULL : numbers, .label_count = labels};
    Dataset *dataset;

    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t values[COLUMNS], sum;
        TableRow *row = table_row(&table, 0);

        for (uint32_t c = 0; c < COLUMNS; c++)
            values[c] = clv_random_below(&random, 9);
        sum = (values[0] > 4) + (values[1] % 2) + (clv_random_below(&random, 8) == 0);
        row->label = i < labels ? i : sum % labels;
        for (uint32_t c = 0; c < COLUMNS; c++)
            if (values[c])
                table_cell(&table, c, values[c] == 8 ? MISSING_VALUE : (float)values[c]);
    }
    dataset = table_built(context, &table, 64);
    table_free(&table);
    memcpy(dataset->schema.format, "csv", 4);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        char name[2] = {(char)('a' + c), 0};
        uint32_t number;

        FINE(clv_names_add(&dataset->names, name, 1, &number, &error));
        FINE(clv_schema_add(&dataset->schema, name, 1, c % 2 ? COLUMN_CATEGORY : COLUMN_NUMBER,
                            &error));
    }
    return dataset;
}

typedef struct {
    Model *model;
    uint32_t kept_round, passes;
    uint64_t valid_errors;
    Seen seen;
} Ran;

static Ran train(Context *context, const Method *method, const char *loss, Dataset *dataset,
                 const Model *from, int64_t patience)
{
    void *options = calloc(1, method->options_size);
    RunOptions run;
    cleave_error error;
    Report *report;
    Ran ran = {0};

    assert_non_null(options);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    run.epochs = MOST_ROUNDS;
    run.validation_fraction = 0.3;
    run.patience = patience;
    run.validation_metric = loss || method->inference->loss ? VALIDATION_LOSS : VALIDATION_ERROR;
    if (loss)
        FINE(clv_param_set(clv_param_find(method->params, "loss"), options, loss, &error));
    FINE(clv_param_set(clv_param_find(method->params, "min_leaf_rows"), options, "4", &error));
    assert_fine(clv_train(context,
                          &(Job){.method = method,
                                 .method_options = options,
                                 .options = &run,
                                 .from = from,
                                 .rounds = &(RoundWatcher){look, &ran.seen}},
                          dataset, &ran.model, &report, &error),
                &error);
    ran.kept_round = report->facts.kept_epoch;
    ran.passes = report->facts.epochs;
    ran.valid_errors = report->facts.validation_errors;
    cleave_report_free(&report->facts);
    free(options);
    return ran;
}

static void assert_same_bytes(const Model *a, const Model *b)
{
    Buffer first = {0}, second = {0};
    cleave_error error;

    FINE(clv_model_to_bytes(a, &first, &error));
    FINE(clv_model_to_bytes(b, &second, &error));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    clv_free(a->context, first.data);
    clv_free(b->context, second.data);
}

static void compare(Context *context, const char *name, const char *loss, uint32_t classes)
{
    const Method *method;
    cleave_error error;
    Method fresh;
    MethodTraining training;
    Dataset *dataset = make_data(context, classes);
    Model *from = NULL;

    FINE(clv_method_find(name, &method, &error));
    assert_non_null(method->training->extend_scores);
    fresh = *method;
    training = *method->training;
    training.extend_scores = NULL;
    fresh.training = &training;
    for (int i = 0; i < 3; i++) {
        Ran kept, whole;

        if (from)
            from->method = method;
        kept = train(context, method, loss, dataset, from, i ? 3 : 0);
        if (from)
            from->method = &fresh;
        whole = train(context, &fresh, loss, dataset, from, i ? 3 : 0);
        assert_true(kept.seen.rounds > 2);
        assert_int_equal(kept.seen.rounds, whole.seen.rounds);
        assert_memory_equal(kept.seen.train, whole.seen.train, sizeof kept.seen.train);
        assert_memory_equal(kept.seen.held_out, whole.seen.held_out, sizeof kept.seen.held_out);
        assert_int_equal(kept.kept_round, whole.kept_round);
        assert_int_equal(kept.passes, whole.passes);
        assert_int_equal(kept.valid_errors, whole.valid_errors);
        assert_int_equal(kept.valid_errors,
                         classes ? kept.seen.held_out[kept.kept_round - 1].errors : 0);
        assert_true(i || kept.kept_round == kept.passes);
        assert_same_bytes(kept.model, whole.model);
        cleave_model_free(whole.model);
        cleave_model_free(from);
        from = kept.model;
    }
    cleave_model_free(from);
    clv_dataset_free(dataset);
}

static void kept_scores_evaluate_as_models_do(void **state)
{
    Context *context = new_context(2);

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        compare(context, "boost", "log", classes);
        compare(context, "boost", "exponential", classes);
        compare(context, "forest", NULL, classes);
    }
    compare(context, "boost-regression", NULL, 0);
    compare(context, "forest-regression", NULL, 0);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_scores_evaluate_as_models_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
