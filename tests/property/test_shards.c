/*
 * Epochs over shards (src/train/shards.c), for every method that several workers can train and, if
 * it has solvers, for each of them: bit-identical models for 1, 2, 3 and 7 threads; one shard
 * equals plain training; if sums are exact, so do several shards.
 */
#include "property/table.h"

#include "model/registry.h"
#include "train/batch_driver.h"

#include <math.h>

typedef struct {
    const Method *method;
    const char *solver; /* NULL: the method has none */
} Case;

static Dataset *make_data(Context *context, uint64_t seed)
{
    Random random = clv_random(seed, 3);
    static const char *const labels[] = {"-1", "1"};
    Table table = {.label_count = 2, .labels = labels};
    Dataset *dataset;

    for (uint32_t i = 0; i < 600; i++) {
        uint32_t label = i < 300; /* sorted by class */

        table_row(&table, label);
        for (uint32_t column = 0; column < 40; column++)
            if (clv_random_unit(&random) < (column % 2 == label ? 0.3 : 0.15))
                table_cell(&table, column, 1);
    }
    dataset = table_built(context, &table, 20);
    table_free(&table);
    return dataset;
}

static void set(const Case *at, void *options, const char *name, const char *value)
{
    const Param *param = clv_param_find(at->method->params, name);
    cleave_error error;

    if (param)
        FINE(clv_param_set(param, options, value, &error));
}

/* Returns NULL if the method reports that it cannot. */
static Model *train(Context *context, const Case *at, Dataset *dataset, const char *update,
                    int64_t shards, int order)
{
    void *options = some(1, at->method->options_size);
    cleave_error error = {0};
    Model *model = NULL;
    Report *report;
    RunOptions run;
    Status status;

    clv_params_initial(clv_run_params, &run);
    clv_params_initial(at->method->params, options);
    run.epochs = 4;
    run.shards = shards;
    run.order = order;
    if (at->solver)
        set(at, options, "solver", at->solver);
    if (update)
        set(at, options, "update", update);
    clv_set_epoch_limit(&run, method_epoch_kind(at->method, options), run.epochs);
    status = clv_train_check(at->method, options, &run, false, &error);
    if (status == OK)
        status = clv_train(context,
                           &(Job){.method = at->method, .method_options = options, .options = &run},
                           dataset, &model, &report, &error);
    free(options);
    if (status != OK) {
        if (status != CLEAVE_ERROR_USAGE)
            fail_msg("%s %s: %s", at->method->name, at->solver ? at->solver : "", error.message);
        return NULL;
    }
    cleave_report_free(&report->facts);
    return model;
}

static void assert_same_arrays(const Model *a, const Model *b)
{
    for (size_t i = 0; i < a->bundle->count; i++) {
        const BundleItem *item = &a->bundle->item[i],
                         *other = clv_bundle_get(b->bundle, item->name, item->type);
        size_t size = item->type == BUNDLE_F64 || item->type == BUNDLE_U64 ? 8
                      : item->type == BUNDLE_BYTES                         ? 1
                                                                           : 4;

        assert_true(other && other->count == item->count);
        if (memcmp(item->data, other->data, size * item->count) != 0)
            fail_msg("'%s' of %s differs", item->name, a->method->name);
    }
}

static void assert_near(const Model *a, const Model *b, double tolerance)
{
    for (size_t i = 0; i < a->features; i++)
        assert_true(fabs(cleave_model_weight(a, 0, i) - cleave_model_weight(b, 0, i)) <= tolerance);
}

static void threads_change_nothing(const Case *at, const char *update, int order)
{
    static const unsigned counts[] = {1, 2, 3, 7};
    Context *context;
    Model *first = NULL;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        Dataset *dataset;
        Model *model;

        context = new_context(counts[i]);
        dataset = make_data(context, 11);
        model = train(context, at, dataset, update, 5, order);

        clv_dataset_free(dataset);
        if (!model) {
            print_message("SKIPPED: %s %s is not for many workers\n", at->method->name,
                          at->solver ? at->solver : "");
            cleave_context_free(context);
            return;
        }
        if (!first) {
            first = model; /* freed with its context */
            continue;
        }
        assert_same_arrays(model, first);
        cleave_model_free(model);
        cleave_context_free(context);
    }
    context = first->context;
    cleave_model_free(first);
    cleave_context_free(context);
}

static void one_shard_is_plain(Context *context, const Case *at)
{
    Dataset *dataset = make_data(context, 11);
    Model *plain = train(context, at, dataset, NULL, 0, ORDER_EACH),
          *one = train(context, at, dataset, NULL, 1, ORDER_EACH);

    if (plain && one)
        assert_same_arrays(plain, one);
    cleave_model_free(plain);
    cleave_model_free(one);
    clv_dataset_free(dataset);
}

static void sums_are_exact(Context *context, const Case *at, const char *update)
{
    Dataset *dataset = make_data(context, 11);
    Model *plain = train(context, at, dataset, update, 1, ORDER_FILE),
          *many = train(context, at, dataset, update, 7, ORDER_FILE);

    assert_true(plain && many);
    assert_near(plain, many, 1e-6);
    cleave_model_free(plain);
    cleave_model_free(many);
    clv_dataset_free(dataset);
}

/* Each of the method's solvers, or the method. */
static void each_case(const Method *method, void (*check)(const Case *))
{
    const Param *solver = clv_param_find(method->params, "solver");

    if (!solver) {
        check(&(Case){.method = method});
        return;
    }
    for (size_t i = 0; solver->values[i]; i++)
        check(&(Case){.method = method, .solver = solver->values[i]});
}

static void check_threads(const Case *at)
{
    Context *context = new_context(2);

    threads_change_nothing(at, NULL, ORDER_FILE);
    threads_change_nothing(at, NULL, ORDER_EACH);
    if (at->solver && strcmp(at->solver, "gd") == 0)
        sums_are_exact(context, at, NULL);
    else
        one_shard_is_plain(context, at);
    cleave_context_free(context);
}

static void every_method(void **state)
{
    (void)state;
    for (size_t i = 0; clv_methods[i]; i++)
        if (METHOD_HAS(clv_methods[i], distributed, give))
            each_case(clv_methods[i], check_threads);
}

static void deferred_updates(void **state)
{
    static const char *const updates[] = {"sum", "mean"};
    Context *context = new_context(2);

    (void)state;
    for (size_t i = 0; clv_methods[i]; i++)
        for (size_t j = 0; j < 2 && strcmp(clv_methods[i]->name, "perceptron") == 0; j++) {
            Case at = {.method = clv_methods[i]};

            threads_change_nothing(&at, updates[j], ORDER_EACH);
            sums_are_exact(context, &at, updates[j]);
        }
    cleave_context_free(context);
}

/* The result of lock-free training differs from run to run, and has a similar error. */
static void races_end_well(void **state)
{
    static const char *const names[] = {"perceptron", "svm", "logistic"};
    Context *context = new_context(3);
    Dataset *dataset = make_data(context, 11);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cleave_error error = {0};
        uint64_t wrong[2];

        for (int racy = 0; racy < 2; racy++) {
            const Method *method;
            void *options;
            RunOptions run;
            Report *report;
            Model *model;

            FINE(clv_method_find(names[i], &method, &error));
            options = some(1, method->options_size);
            clv_params_initial(clv_run_params, &run);
            clv_params_initial(method->params, options);
            run.epochs = 20;
            run.racy = racy;
            run.order = ORDER_EACH;
            FINE(clv_train(context,
                           &(Job){.method = method, .method_options = options, .options = &run},
                           dataset, &model, &report, &error));
            wrong[racy] = report->facts.train_errors;
            assert_true((strstr(report->facts.order, "without locks") != NULL) == racy);
            cleave_report_free(&report->facts);
            cleave_model_free(model);
            free(options);
        }
        print_message("%s: %llu wrong, racing %llu\n", names[i], (unsigned long long)wrong[0],
                      (unsigned long long)wrong[1]);
        assert_true(wrong[1] <= wrong[0] + 90); /* of 600 */
    }
    clv_dataset_free(dataset);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(deferred_updates),
        cmocka_unit_test(races_end_well),
    };

    return cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
