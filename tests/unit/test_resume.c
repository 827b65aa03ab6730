/*
 * Continuing from a model (cleave_train_from, MethodTraining.resume): two epochs followed by three
 * more equal five epochs, bit by bit, for every deterministic method, with each of its flags and
 * names in turn, also through a saved file. Models may differ only in the recorded --epochs.
 * Solvers with a stopping rule get a tolerance that they cannot reach. Training cannot continue
 * after exact solvers.
 */
#include "property/table.h"

#include "model/registry.h"
#include "model/state.h"
#include "support/reload.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <math.h>

/* Parameters that require another one. */
static const struct {
    const char *method, *param, *other, *value;
} companions[] = {
    {"winnow", "balanced", "threshold", "1"},
};

/* Further settings to test, alone or with another one. */
static const struct {
    const char *method, *param, *value, *other, *other_value;
} more[] = {
    {"perceptron", "learning_rate", "1/3", NULL, NULL},
    {"perceptron", "learning_rate_decay", "1/2", NULL, NULL},
    {"winnow", "factor", "4/5", NULL, NULL},
    {"winnow", "threshold", "7/2", NULL, NULL},
    {"lms", "learning_rate_decay", "1/2", NULL, NULL},
    {"lms", "calibrate_every", "50", NULL, NULL},
    {"kernel-perceptron", "sigma", "1/2", NULL, NULL},
    {"svm", "solver", "lbfgs", "loss", "squared-hinge"},
    {"svm", "solver", "newton", "loss", "squared-hinge"},
    {"svm", "solver", "dcd", "C", "50"},
    {"svm", "solver", "pegasos", "batch_size", "7"},
    {"svm", "solver", "pegasos", "batch_size", "150"},
    {"svm", "regularize_intercept", "true", "loss", "squared-hinge"},
    {"svr", "solver", "lbfgs", "loss", "squared"},
    {"svr", "solver", "newton", "loss", "squared-epsilon"},
    {"svr", "solver", "dcd", "epsilon", "1/2"},
    {"logistic", "l1_ratio", "1/4", NULL, NULL},
    {"logistic", "solver", "lbfgs", "no_intercept", "true"},
    {"logistic", "solver", "newton", "regularize_intercept", "true"},
    {"least-squares", "solver", "cg", "ridge", "1/2"},
    {"kernel-svm", "C", "1e6", "kernel", "linear"},
    {"boost", "row_fraction", "1/2", "min_leaf_rows", "3"},
    {"boost", "min_leaf_rows", "5", "loss", "exponential"},
    {"boost-regression", "row_fraction", "1/2", NULL, NULL},
    {"kernel-svm", "C", "1e5", "gamma", "1/100"},
};

typedef struct {
    Context *context;
    const Method *method;
    void *options;
    const char *param, *value; /* NULL: default */
    int order;
    /* it takes the whole dataset, as `auto` may choose; such a run ends by its own rule */
    bool solves;
    double primal; /* of the last run, if there is one */
} Case;

static void set(const Case *at, const char *name, const char *value)
{
    const Param *param = clv_param_find(at->method->params, name);
    cleave_error error;

    assert_non_null(param);
    FINE(clv_param_set(param, at->options, value, &error));
}

static void say_skipped(const Case *at, const char *why)
{
    print_message("SKIPPED: %s --%s %s: %s\n", at->method->name,
                  at->param ? at->param : "(default)", at->param ? at->value : "", why);
}

/* NULL if an index does not support these rows. */
static Model *train(Case *at, Dataset *dataset, int64_t rounds, const Model *from, bool *converged)
{
    void *options = some(1, at->method->options_size);
    RunOptions run;
    cleave_error error;
    Report *report;
    Status status;
    Model *model;

    clv_params_initial(clv_run_params, &run);
    run.epochs = rounds;
    run.order = at->order;
    run.refit = true;                                       /* the rows may be different */
    memcpy(options, at->options, at->method->options_size); /* training rewrites `auto` */
    status = clv_train(
        at->context,
        &(Job){.method = at->method, .method_options = options, .options = &run, .from = from},
        dataset, &model, &report, &error);
    if (status == CLEAVE_ERROR_USAGE && at->param && strcmp(at->param, "index") == 0) {
        say_skipped(at, error.message);
        free(options);
        return NULL;
    }
    FINE(status);
    at->solves = method_prefers_fit(at->method, options);
    free(options);
    *converged = report->facts.converged;
    at->primal = NAN;
    for (size_t i = 0; i < report->facts.statistic_count; i++)
        if (strcmp(report->facts.statistics[i].name, "primal") == 0)
            at->primal = report->facts.statistics[i].value;
    cleave_report_free(&report->facts);
    return model;
}

static void record_rounds(Model *model, const char *rounds)
{
    for (size_t i = 0; i < model->param_count; i++)
        if (clv_is_epoch_limit(model->params[i].name)) {
            clv_free(model->context, model->params[i].value);
            model->params[i].value = clv_copy_string(model->context, rounds, strlen(rounds));
        }
}

static Model *through_a_file(const Model *model)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    cleave_error error;
    Model *loaded;

    test_join(path, test_folder_new(folder), "a.model");
    FINE(cleave_save(model, path, &error));
    FINE(cleave_load(model->context, path, &loaded, &error));
    test_folder_remove(folder);
    return loaded;
}

static void assert_same_bytes(const Case *at, const Model *a, const Model *b)
{
    Buffer first = {0}, second = {0};
    cleave_error error;
    bool same;

    FINE(clv_model_to_bytes(a, &first, &error));
    FINE(clv_model_to_bytes(b, &second, &error));
    same = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
    if (!same)
        print_error("%s --%s %s: 2 + 3 rounds are not 5\n", at->method->name,
                    at->param ? at->param : "(default)", at->param ? at->value : "");
    assert_true(same);
    clv_free(a->context, first.data);
    clv_free(b->context, second.data);
}

/* Rows that are not fitted exactly, so that five epochs are not too many. */
static Dataset *make_data(const Case *at, uint32_t classes)
{
    static const char *const numbers[] = {"-1.5", "0.25", "1", "2.5", "4"}, *const ratings[] = {
                                                                                "0", "0.25", "1",
                                                                                "2.5", "4"};
    const bool rates = at->method->traits & CLEAVE_TRAIT_RATINGS;
    Random random = clv_random(5, classes);
    Table table = {0};
    Dataset *dataset;

    if (rates)
        table_random_pairs(&table, &random, 150, 8, 6, classes);
    else
        table_random(&table, &random, 150, 12, 4, classes, RANDOM_ONES);
    for (uint32_t i = 0; i < classes; i++)
        table.row[i].label = i;
    if (at->method->tasks == CLEAVE_TASK_REGRESSION)
        table.labels = rates ? ratings : numbers;
    dataset = table_built(at->context, &table, 32);
    table_free(&table);
    return dataset;
}

static void go_on(Case *at, Dataset *dataset, const Model *whole, bool whole_early)
{
    bool early;
    Model *two = train(at, dataset, 2, NULL, &early), *loaded = through_a_file(two), *three;

    assert_int_equal(two->rounds, 2);
    three = train(at, dataset, 3, loaded, &early);
    if (early != whole_early)
        print_error("%s --%s %s: going on ends otherwise\n", at->method->name,
                    at->param ? at->param : "", at->value ? at->value : "");
    assert_int_equal(early, whole_early);
    assert_true(three->rounds == whole->rounds && three->rounds > 2);
    assert_true(at->solves || three->seen == three->rounds * 150);
    record_rounds(three, "5");
    assert_same_bytes(at, whole, three);
    cleave_model_free(two);
    cleave_model_free(loaded);
    cleave_model_free(three);
}

static void two_and_three(Case *at)
{
    for (uint32_t classes = 2; classes <= 5; classes += 3) {
        Dataset *dataset;

        if (at->method->tasks == CLEAVE_TASK_BINARY && classes > 2)
            continue;
        dataset = make_data(at, classes);
        for (at->order = ORDER_FILE; at->order <= ORDER_EACH; at->order++) {
            bool early;
            Model *whole = train(at, dataset, 5, NULL, &early);

            if (!whole)
                continue;
            if (at->solves && at->order != ORDER_FILE) {
                cleave_model_free(whole); /* it has an order of its own */
                continue;
            }
            if (at->solves && clv_param_find(at->method->params, "tolerance")) {
                set(at, "tolerance", "1e-14");
                cleave_model_free(whole);
                whole = train(at, dataset, 5, NULL, &early);
            }
            if (whole->rounds <= 2)
                say_skipped(at, "it ends by itself within two rounds");
            else
                go_on(at, dataset, whole, early);
            cleave_model_free(whole);
        }
        clv_dataset_free(dataset);
    }
}

static void try_case(Context *context, const Method *method, const char *param, const char *value,
                     const char *other, const char *other_value)
{
    Case at = {.context = context, .method = method, .param = param, .value = value};
    cleave_error error;

    at.options = some(1, method->options_size);
    clv_params_initial(method->params, at.options);
    if (param)
        set(&at, param, value);
    for (size_t i = 0; param && i < sizeof companions / sizeof *companions; i++)
        if (strcmp(companions[i].method, method->name) == 0 &&
            strcmp(companions[i].param, param) == 0)
            set(&at, companions[i].other, companions[i].value);
    if (other)
        set(&at, other, other_value);
    if (method->check_options && method->check_options(at.options, &error) != OK)
        say_skipped(&at, error.message);
    else
        two_and_three(&at);
    free(at.options);
}

static void rounds_go_on(void **state)
{
    const Method *method = *state;
    Context *context;

    if (!method->training->resume) {
        print_message("SKIPPED: %s: it cannot continue from a model\n", method->name);
        return;
    }
    context = new_context(1);
    try_case(context, method, NULL, NULL, NULL, NULL);
    for (const Param *param = method->params; param->name; param++) {
        if (param->type == CLEAVE_FLAG)
            try_case(context, method, param->name, "true", NULL, NULL);
        for (size_t i = 0; param->type == CLEAVE_NAME && param->values[i]; i++)
            if ((double)i != param->initial)
                try_case(context, method, param->name, param->values[i], NULL, NULL);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (strcmp(more[i].method, method->name) == 0)
            try_case(context, method, more[i].param, more[i].value, more[i].other,
                     more[i].other_value);
    cleave_context_free(context);
}

/* ---- other starts ---------------------------------------------------------------------------- */

static void open_case(Case *at, Context *context, const char *method, const char *const *settings)
{
    *at = (Case){.context = context, .order = ORDER_FILE};
    assert_int_equal(clv_method_find(method, &at->method, NULL), OK);
    at->options = some(1, at->method->options_size);
    clv_params_initial(at->method->params, at->options);
    for (; *settings; settings += 2)
        set(at, settings[0], settings[1]);
}

/* Enough rows that a perceptron averages; separable or not. */
static Dataset *many_rows(Context *context, bool separable)
{
    Random random = clv_random(7, 0);
    Table table = {0};
    Dataset *dataset;

    table_random(&table, &random, 1500, 12, 5, 2, RANDOM_EIGHTHS);
    for (size_t row = 0; row < table.rows && separable; row++) {
        double sum = 0;

        for (size_t i = 0; i < table.row[row].count; i++) {
            const Cell *cell = &table.cell[table.row[row].start + i];

            sum += (cell->column % 2 ? 1 : -1) * (double)cell->value;
        }
        table.row[row].label = sum > 0;
    }
    dataset = table_built(context, &table, 64);
    table_free(&table);
    return dataset;
}

static void assert_same_weights(const Model *a, const Model *b)
{
    for (size_t i = 0; i < a->features; i++)
        assert_true(cleave_model_weight(a, 0, i) == cleave_model_weight(b, 0, i));
}

static Model *train_form(Context *context, Dataset *dataset, const char *form, int64_t rounds,
                         const Model *from, bool *converged)
{
    const char *const settings[] = {"form", form, "learn_threshold", "true", NULL};
    Case at;
    Model *model;

    open_case(&at, context, "perceptron", settings);
    model = train(&at, dataset, rounds, from, converged);
    free(at.options);
    return model;
}

/* The mean predicts if rows are numerous and mistakes continue, and the last weights after an epoch
 * without mistakes. Continuing changes nothing. */
static void a_form_is_chosen(void **state)
{
    Context *context = new_context(1);

    (void)state;
    for (int separable = 0; separable < 2; separable++) {
        Dataset *dataset = many_rows(context, separable);
        int64_t rounds = separable ? 1000 : 5;
        bool ended, other_ended;
        Model *chosen = train_form(context, dataset, "auto", rounds, NULL, &ended);
        Model *named = train_form(context, dataset, separable ? "plain" : "averaged", rounds, NULL,
                                  &other_ended);
        Model *two = train_form(context, dataset, "auto", 2, NULL, &other_ended),
              *loaded = through_a_file(two), *more;

        assert_true(ended == separable);
        assert_same_weights(chosen, named);
        more = train_form(context, dataset, "auto", rounds - 2, loaded, &other_ended);
        assert_same_weights(chosen, more);
        assert_true(cleave_model_threshold(chosen, 0) == cleave_model_threshold(more, 0));
        cleave_model_free(chosen);
        cleave_model_free(named);
        cleave_model_free(two);
        cleave_model_free(loaded);
        cleave_model_free(more);
        clv_dataset_free(dataset);
    }
    cleave_context_free(context);
}

/* Rows with noise, of two classes or with numbers; from and to: which of 400 there are. */
static Dataset *noisy_rows(const Case *at, size_t from, size_t to)
{
    static const char *const numbers[] = {"-1.5", "2.5"};
    Random random = clv_random(11, 0);
    Table table = {0};
    Dataset *dataset;

    table_random(&table, &random, 400, 12, 5, 2, RANDOM_EIGHTHS);
    table.row[from].label = 0; /* numbered alike, whatever is cut off */
    table.row += from;
    table.rows = to - from;
    if (at->method->tasks == CLEAVE_TASK_REGRESSION)
        table.labels = numbers;
    dataset = table_built(at->context, &table, 64);
    table.row -= from;
    table_free(&table);
    return dataset;
}

static const struct {
    const char *method;
    const char *const settings[9];
} problems[] = {
    {"svm", {"solver", "dcd", NULL}},
    {"svm", {"solver", "dcd", "regularize_intercept", "true", NULL}},
    {"svm", {"solver", "dcd", "no_intercept", "true", NULL}},
    {"svm", {"solver", "dcd", "loss", "squared-hinge", NULL}},
    {"svr", {"solver", "dcd", "epsilon", "1/10", NULL}},
    {"svr", {"solver", "dcd", "loss", "squared", NULL}},
    {"logistic", {"solver", "lbfgs", NULL}},
    {"logistic", {"solver", "newton", NULL}},
    {"kernel-svm", {"gamma", "1/8", NULL}},
    {"kernel-svm", {"gamma", "1/8", "C", "20", NULL}},
    {"kernel-svm", {"kernel", "linear", NULL}},
};

static Model *train_one(Case *at, Dataset *dataset, const Model *from)
{
    bool converged;

    set(at, "tolerance", "1e-12");
    return train(at, dataset, 1, from, &converged);
}

/* From a solved model, on the same rows or on some of them and others: the optimum is the same as
 * without the model, and a single epoch does not make it much worse. */
static void starts_are_good(void **state)
{
    Context *context = new_context(1);

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        bool smo = strcmp(problems[i].method, "kernel-svm") == 0, converged;
        double slack = smo ? 1e-3 : 1e-5, cold;
        Dataset *rows, *others;
        Model *from, *model;
        Case at;

        open_case(&at, context, problems[i].method, problems[i].settings);
        set(&at, "tolerance", smo ? "1e-4" : "1e-6");
        rows = noisy_rows(&at, 0, 300);
        others = noisy_rows(&at, 100, 400);
        from = train(&at, rows, 100000, NULL, &converged);
        assert_true(converged && !clv_state_in_model(from));
        cold = at.primal;
        cleave_model_free(train_one(&at, rows, from));
        assert_true(at.primal <= cold * (1 + (smo ? 1e-3 : 1e-9)));
        set(&at, "tolerance", smo ? "1e-4" : "1e-6");
        model = train(&at, others, 100000, NULL, &converged);
        cold = at.primal;
        cleave_model_free(model);
        model = train(&at, others, 100000, from, &converged);
        assert_true(converged);
        assert_true(fabs(at.primal - cold) <= slack * cold);
        cleave_model_free(model);
        cleave_model_free(from);
        clv_dataset_free(rows);
        clv_dataset_free(others);
        free(at.options);
    }
    cleave_context_free(context);
}

/* Hard margin: an epoch does not replace a separating hyperplane by one with a smaller margin, or
 * by none. */
static void a_separator_is_kept(void **state)
{
    static const char *const settings[] = {"C", "inf", NULL};
    Context *context = new_context(1);
    Dataset *dataset;
    Model *from, *then;
    bool converged;
    double primal;
    Case at;

    (void)state;
    open_case(&at, context, "svm", settings);
    dataset = noisy_rows(&at, 0, 8);
    from = train(&at, dataset, 100000, NULL, &converged);
    primal = at.primal;
    assert_true(converged);
    for (size_t i = 0; i < 3; i++) {
        then = train(&at, dataset, 1, from, &converged);
        assert_true(at.primal <= primal * (1 + 1e-6));
        cleave_model_free(from);
        from = then;
    }
    cleave_model_free(from);
    clv_dataset_free(dataset);
    free(at.options);
    cleave_context_free(context);
}

/* ---- states that are damaged ----------------------------------------------------------------- */

static const struct {
    const char *method;
    const char *const settings[9];
} unfinished[] = {
    {"svm", {"solver", "dcd", NULL}},
    {"logistic", {"solver", "lbfgs", NULL}},
    {"logistic", {"solver", "newton", NULL}},
    {"least-squares", {"solver", "cg", NULL}},
    {"kernel-svm", {"C", "1e6", "kernel", "linear", NULL}},
    {"kernel-svm", {"solver", "sgd", NULL}},
    {"kernel-svm", {"solver", "fourier", "fourier_features", "20", NULL}},
};

static Status try_from(Case *at, Dataset *dataset, const Model *from, cleave_error *error)
{
    void *options = some(1, at->method->options_size);
    Report *report = NULL;
    Model *model = NULL;
    RunOptions run;
    Status status;

    clv_params_initial(clv_run_params, &run);
    run.epochs = 2;
    run.refit = true; /* the rows may be others */
    memcpy(options, at->options, at->method->options_size);
    status = clv_train(
        at->context,
        &(Job){.method = at->method, .method_options = options, .options = &run, .from = from},
        dataset, &model, &report, error);
    if (status == OK)
        cleave_report_free(&report->facts);
    cleave_model_free(model);
    free(options);
    return status;
}

/* One array at a time: NaN, too short, missing; numbers outside their range. */
static void damage(Case *at, Dataset *dataset, Model *model, size_t item)
{
    BundleItem *array = &model->bundle->item[item], whole = *array;
    bool bytes = array->type == BUNDLE_BYTES;
    double *numbers = some((size_t)whole.count + 1, sizeof *numbers);
    cleave_error error = {0};
    Model *loaded;

    memcpy(numbers, whole.data, (size_t)whole.count * (bytes ? 1 : sizeof *numbers));
    if (bytes)
        memset(numbers, 7, 1);
    else
        numbers[0] = NAN;
    assert_int_equal(reload_with_item(model,
                                      &(BundleItem){.name = whole.name,
                                                    .type = whole.type,
                                                    .data = numbers,
                                                    .count = whole.count},
                                      &loaded, &error),
                     CLEAVE_ERROR_FORMAT);
    assert_says(&error, "its state of training is invalid");
    array->data = numbers;
    memcpy(numbers, whole.data, (size_t)whole.count * (bytes ? 1 : sizeof *numbers));
    array->count = whole.count - 1;
    assert_int_equal(try_from(at, dataset, model, &error), CLEAVE_ERROR_FORMAT);
    array->count = whole.count;
    for (size_t i = 0; !bytes && i < whole.count; i += whole.count / 8 + 1) {
        static const double strange[] = {-1e300, 1e300, -1, 0.5, 1e10};

        for (size_t j = 0; j < sizeof strange / sizeof *strange; j++) {
            double right = numbers[i];
            Status status;

            numbers[i] = strange[j];
            status = try_from(at, dataset, model, &error); /* a prediction, or an error */
            assert_true(status == OK || error.message[0]);
            numbers[i] = right;
        }
    }
    *array = whole;
    free(numbers);
}

static void damaged_states_are_refused(void **state)
{
    Context *context = new_context(1);

    (void)state;
    for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++) {
        Dataset *rows, *others;
        cleave_error error;
        bool converged;
        Model *model;
        size_t damages = 0;
        Case at;

        open_case(&at, context, unfinished[i].method, unfinished[i].settings);
        if (clv_param_find(at.method->params, "tolerance"))
            set(&at, "tolerance", "1e-14");
        rows = noisy_rows(&at, 0, 300);
        others = noisy_rows(&at, 1, 301);
        model = train(&at, rows, 2, NULL, &converged);
        assert_true(clv_state_in_model(model));
        FINE(try_from(&at, others, model,
                      &error)); /* the same number of other rows: the state is ignored */
        for (size_t k = 0; k < model->bundle->count; k++)
            if (strncmp(model->bundle->item[k].name, "run.", 4) == 0 &&
                strcmp(model->bundle->item[k].name, "run.of") != 0) {
                damage(&at, rows, model, k);
                damages++;
            }
        assert_true(damages > 0);
        cleave_model_free(model);
        clv_dataset_free(rows);
        clv_dataset_free(others);
        free(at.options);
    }
    cleave_context_free(context);
}

/* ---- models that do not go on as asked ------------------------------------------------------- */

static Model *trained(Context *context, const char *method, cleave_data *data, const Model *from,
                      const char *name, const char *value, cleave_error *error)
{
    cleave_options *options = cleave_options_new(context);
    Model *model = NULL;

    assert_fine(cleave_options_set(options, "epochs", "2", error), error);
    assert_fine(cleave_options_set(options, name, value, error), error);
    if (from)
        assert_fine(cleave_options_set(options, "refit", "true", error), error);
    if (from)
        cleave_train_from(from, data, NULL, options, &model, NULL, error);
    else
        assert_fine(cleave_train(context, method, data, NULL, options, &model, NULL, error), error);
    cleave_options_free(options);
    return model;
}

static cleave_data *two_features(Context *context, size_t classes)
{
    static const char *const labels[] = {"a", "b", "c"};
    cleave_error error;
    cleave_data *data;

    FINE(cleave_data_new(context, &data, &error));
    for (size_t i = 0; i < 6; i++)
        FINE(cleave_data_add(data, labels[i % classes], 2, (const uint32_t[]){0, 1},
                             (const float[]){1, (float)(i % 2)}, &error));
    return data;
}

static void refused(Context *context, const char *method, const char *name, const char *first,
                    const char *then, const char *says)
{
    cleave_data *data = two_features(context, 2);
    cleave_error error = {0};
    Model *from = trained(context, method, data, NULL, name, first, &error);

    assert_null(trained(context, method, data, from, name, then, &error));
    assert_int_equal(error.code, CLEAVE_ERROR_USAGE);
    assert_says(&error, says);
    cleave_model_free(from);
    cleave_data_free(data);
}

static void forms_that_do_not_follow(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *two = two_features(context, 2), *three = two_features(context, 3);
    Model *from, *then;

    (void)state;
    refused(context, "perceptron", "form", "plain", "averaged", "--form averaged");
    refused(context, "perceptron", "form", "averaged", "voted", "--form voted");
    refused(context, "kernel-perceptron", "kernel", "linear", "gaussian", "another kernel");
    refused(context, "kernel-perceptron", "gamma", "2", "3", "another kernel");
    from = trained(context, "perceptron", three, NULL, "seed", "1", &error);
    then = trained(context, "perceptron", two, from, "seed", "1",
                   &error); /* seen as the model sees it */
    assert_non_null(then);
    assert_int_equal(cleave_model_label_count(then), 3);
    cleave_model_free(then);
    cleave_model_free(from);
    from = trained(context, "perceptron", two, NULL, "seed", "1", &error);
    assert_null(trained(context, "perceptron", three, from, "seed", "1", &error));
    assert_int_equal(error.code, CLEAVE_ERROR_DATA);
    assert_says(&error, "the label 'c' is not a class of the warm-start model");
    cleave_model_free(from);
    cleave_data_free(two);
    cleave_data_free(three);
    cleave_context_free(context);
}

/* Another learning rate changes the units of the stored weights, not the weights. */
static void another_rate(void **state)
{
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_data *data;
    Model *from, *then;

    (void)state;
    FINE(cleave_open(context, "@spam6", NULL, &data, &error));
    from = trained(context, "perceptron", data, NULL, "learning_rate", "1/2",
                   &error); /* ends after an epoch without mistakes */
    then = trained(context, "perceptron", data, from, "learning_rate", "2", &error);
    assert_non_null(then);
    for (size_t i = 0; i < 5; i++)
        assert_true(cleave_model_weight(then, 0, i) == cleave_model_weight(from, 0, i));
    cleave_model_free(from);
    cleave_model_free(then);
    cleave_data_free(data);
    cleave_context_free(context);
}

int main(void)
{
    struct CMUnitTest *tests = calloc(cleave_method_count() + 6, sizeof *tests);
    size_t count = 0;
    int failed;

    if (!tests)
        return EXIT_FAILURE;
    for (size_t i = 0; clv_methods[i]; i++)
        if (clv_methods[i]->traits & CLEAVE_TRAIT_DETERMINISTIC)
            tests[count++] = (struct CMUnitTest){
                .name = clv_methods[i]->name,
                .test_func = rounds_go_on,
                .initial_state = (void *)(uintptr_t)clv_methods[i]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(forms_that_do_not_follow);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(another_rate);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_form_is_chosen);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(starts_are_good);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(a_separator_is_kept);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(damaged_states_are_refused);
    failed = _cmocka_run_group_tests("resume", tests, count, NULL, NULL);
    free(tests);
    return failed;
}
