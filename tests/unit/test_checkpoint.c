/*
 * Checkpoints of training (train/checkpoint.h): a run that is interrupted in the middle of a round
 * and started again, as often as it takes, ends with the model of an uninterrupted run, for every
 * method that has epochs and every rule that ends a run; a checkpoint of another run is refused with
 * the fact that differs; a damaged file is an error.
 */
#include "property/table.h"

#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

enum { ROWS = 150, BLOCK = 16 };

typedef struct {
    /* number of calls that check for cancellation; call at which it is cancelled, 0: never */
    long asked, stop_at;
} Patience;

static bool impatient(void *user)
{
    Patience *patience = user;

    return ++patience->asked == patience->stop_at;
}

typedef struct {
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Patience patience;
    Context *context;
} Place;

static int make(void **state)
{
    Place *place = some(1, sizeof *place);

    test_join(place->path, test_folder_new(place->folder), "run.checkpoint");
    place->context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                         .threads = 1,
                                                         .cancelled = impatient,
                                                         .user = &place->patience});
    assert_non_null(place->context);
    *state = place;
    return 0;
}

static int unmake(void **state)
{
    Place *place = *state;

    cleave_context_free(place->context);
    test_folder_remove(place->folder);
    free(place);
    return 0;
}

static Dataset *make_data(const Place *place, const Method *method, uint64_t seed)
{
    static const char *const numbers[] = {"-1.5", "0.25", "1", "2.5", "4"};
    uint32_t classes = method->tasks == CLEAVE_TASK_BINARY ? 2 : 5;
    Random random = clv_random(seed, 1);
    Table table = {0};
    Dataset *dataset;

    table_random(&table, &random, ROWS, 12, 4, classes, RANDOM_ONES);
    for (uint32_t i = 0; i < classes; i++)
        table.row[i].label = i;
    if (method->tasks == CLEAVE_TASK_REGRESSION)
        table.labels = numbers;
    dataset = table_built(place->context, &table, BLOCK);
    table_free(&table);
    return dataset;
}

typedef struct {
    const Method *method;
    const char *solver; /* NULL: auto */
    RunOptions run;
    int64_t every; /* number of rounds between checkpoints */
    Dataset *dataset;
    bool solves; /* as found */
} Asked;

static Asked ask(const char *method, const char *solver)
{
    Asked asked = {.solver = solver};
    cleave_error error;

    FINE(clv_method_find(method, &asked.method, &error));
    clv_params_initial(clv_run_params, &asked.run);
    asked.run.epochs = 7;
    asked.run.order = ORDER_EACH;
    return asked;
}

static Status train(Place *place, Asked *asked, Model **model, Report **report, cleave_error *error)
{
    const Method *method = asked->method;
    void *options = some(1, method->options_size);
    RunOptions run;
    Status status;

    clv_params_initial(method->params, options);
    if (asked->solver)
        assert_fine(
            clv_param_set(clv_param_find(method->params, "solver"), options, asked->solver, error),
            error);
    run = asked->run;
    clv_set_epoch_limit(&run, method_epoch_kind(method, options), asked->run.epochs);
    status = clv_train_check(method, options, &run, false, error);
    if (status == OK)
        status = clv_train(place->context,
                           &(Job){.method = method, .method_options = options, .options = &run},
                           asked->dataset, model, report, error);
    asked->solves = status == OK && method_prefers_fit(method, options);
    free(options);
    return status;
}

static Buffer bytes_of(Model *model)
{
    Buffer bytes = {0};
    cleave_error error;

    FINE(clv_model_to_bytes(model, &bytes, &error));
    return bytes;
}

static bool there_is(const char *path)
{
    char *bytes = test_read_file(path, NULL);

    free(bytes);
    return bytes != NULL;
}

/* Interrupts at check number `step`, repeatedly, until the run ends. There is a check after each
 * block. Blocks of rows in file order are small, so that epochs are interrupted in the middle. */
static void go_on_until_the_end(Place *place, Asked *asked, long step)
{
    Model *model;
    Report *whole, *report;
    Buffer undisturbed, resumed;
    cleave_error error;
    bool cancelled;
    int runs = 0;

    place->patience = (Patience){0};
    asked->run.checkpoint = NULL;
    asked->run.checkpoint_every = 0;
    FINE(train(place, asked, &model, &whole, &error));
    undisturbed = bytes_of(model);
    cleave_model_free(model);
    asked->run.checkpoint = place->path;
    asked->run.checkpoint_every = asked->every;
    do {
        Status status;

        place->patience = (Patience){
            .stop_at = step + runs}; /* longer each time: a round may take many looks */
        assert_true(++runs < 100);
        status = train(place, asked, &model, &report, &error);
        cancelled = status == CLEAVE_ERROR_CANCELLED; /* before anything was learned */
        if (cancelled)
            continue;
        FINE(status);
        resumed = bytes_of(model);
        cleave_model_free(model);
        cancelled = report->facts.cancelled;
        if (cancelled)
            clv_free(place->context, resumed.data);
        else if (!asked->solves)
            assert_true(report->facts.epochs == whole->facts.epochs &&
                        report->facts.mistakes == whole->facts.mistakes &&
                        report->facts.kept_epoch == whole->facts.kept_epoch);
        cleave_report_free(&report->facts);
    } while (cancelled);
    if (runs == 1)
        print_message(
            "%s, solver %s, order %d: ended after %u rounds, before the first interrupt\n",
            asked->method->name, asked->solver ? asked->solver : "auto", asked->run.order,
            whole->facts.epochs);
    assert_true(asked->solves || runs > 1 || whole->facts.epochs <= 3);
    if (!asked->solves) {
        if (resumed.size != undisturbed.size ||
            memcmp(resumed.data, undisturbed.data, resumed.size) != 0)
            print_error("%s, solver %s, order %d: another model after %d runs\n",
                        asked->method->name, asked->solver ? asked->solver : "auto",
                        asked->run.order, runs);
        assert_int_equal(resumed.size, undisturbed.size);
        assert_memory_equal(resumed.data, undisturbed.data, resumed.size);
    }
    assert_true(runs == 1 || there_is(place->path)); /* the caller removes it */
    remove(place->path);
    cleave_report_free(&whole->facts);
    clv_free(place->context, resumed.data);
    clv_free(place->context, undisturbed.data);
}

/* Every method, with its default and with each of its solvers. Methods with a solver of their own
 * must only end with a model. */
static void every_method(void **state)
{
    Place *place = *state;

    for (size_t i = 0; i < cleave_method_count(); i++) {
        Asked asked = ask(cleave_method(i).name, NULL);
        const Param *solver = clv_param_find(asked.method->params, "solver");

        if (!asked.method->training->resume) {
            print_message("SKIPPED: %s cannot continue from a model\n", asked.method->name);
            continue;
        }
        asked.dataset = make_data(place, asked.method, 5);
        for (const char *const *name = solver ? solver->values : NULL;; name++) {
            asked.solver = name ? *name : NULL;
            if (name && !*name)
                break;
            for (asked.run.order = ORDER_FILE; asked.run.order <= ORDER_EACH; asked.run.order++) {
                Model *model;
                Report *report;
                cleave_error error;

                place->patience = (Patience){0};
                asked.run.checkpoint = NULL;
                if (train(place, &asked, &model, &report, &error) != OK)
                    break; /* this solver does not support the method's default loss */
                cleave_model_free(model);
                cleave_report_free(&report->facts);
                go_on_until_the_end(place, &asked, asked.run.order == ORDER_FILE ? 25 : 3);
            }
            if (!name)
                break;
        }
        clv_dataset_free(asked.dataset);
    }
}

/* Stopping rules take the rounds before the checkpoint into account, and the best model is kept. */
static void rules_go_on(void **state)
{
    Place *place = *state;
    Asked asked = ask("perceptron", NULL);

    asked.dataset = make_data(place, asked.method, 6);
    for (int i = 0; i < 7; i++) {
        clv_params_initial(clv_run_params, &asked.run);
        asked.run.epochs = 12;
        asked.run.order = i == 4 ? ORDER_DRAWS : ORDER_EACH;
        asked.run.validation_fraction = i == 1 || i == 2 ? 0.3 : 0;
        asked.run.patience = i == 2 ? 3 : 0;
        asked.run.stable_epochs = i == 3 ? 1 : 0;
        asked.run.epochs_from_sample = i == 5 ? 40 : 0;
        asked.run.calibrate = i == 6;
        asked.every = 0;
        go_on_until_the_end(place, &asked, i == 5 ? 60 : 4);
        asked.every = 2;
        go_on_until_the_end(place, &asked, i == 5 ? 60 : 4);
    }
    clv_dataset_free(asked.dataset);
}

static void leave_one(Place *place, Asked *asked)
{
    Model *model;
    Report *report;
    cleave_error error;

    asked->run.checkpoint = place->path;
    for (long stop_at = 4;; stop_at++) {
        Status status;

        assert_true(stop_at < 100);
        place->patience = (Patience){.stop_at = stop_at};
        status = train(place, asked, &model, &report, &error);
        if (status == CLEAVE_ERROR_CANCELLED)
            continue; /* before anything was learned */
        FINE(status);
        if (there_is(place->path))
            break;
        cleave_model_free(model);
        cleave_report_free(&report->facts);
    }
    assert_true(report->facts.cancelled);
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    place->patience = (Patience){0};
}

static void is_refused(Place *place, Asked *asked, Status expected, const char *part)
{
    Model *model = NULL;
    Report *report = NULL;
    cleave_error error;
    char *before, *after;
    size_t size, size_after;

    before = test_read_file(place->path, &size);
    assert_int_equal(train(place, asked, &model, &report, &error), expected);
    assert_null(model);
    assert_says(&error, part);
    assert_true(*error.hint);
    after = test_read_file(place->path, &size_after);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size); /* nothing was lost */
    free(before);
    free(after);
}

static void another_run_is_refused(void **state)
{
    Place *place = *state;
    Asked asked = ask("svm", "sgd"), other;

    asked.dataset = make_data(place, asked.method, 5);
    leave_one(place, &asked);
    other = asked;
    other.run.epochs = 8;
    is_refused(place, &other, CLEAVE_ERROR_USAGE, "its --epochs is '7', not '8'");
    other = asked;
    other.run.seed = 9;
    is_refused(place, &other, CLEAVE_ERROR_USAGE, "--seed");
    other = asked;
    other.solver = "asgd";
    is_refused(place, &other, CLEAVE_ERROR_USAGE, "'asgd'");
    other = asked;
    other.method = ask("perceptron", NULL).method;
    other.solver = NULL;
    is_refused(place, &other, CLEAVE_ERROR_USAGE, "its method is 'svm', not 'perceptron'");
    other = asked;
    other.dataset = make_data(place, asked.method, 55);
    is_refused(place, &other, CLEAVE_ERROR_USAGE,
               "belongs to another run: its number of nonzero values is");
    clv_dataset_free(other.dataset);
    other = asked;
    other.every = 2; /* the checkpoint frequency is not part of the identity */
    go_on_until_the_end(place, &other, 3);
    clv_dataset_free(asked.dataset);
}

/* One value of one row differs, and all counts are equal. */
static void other_values_are_refused(void **state)
{
    Place *place = *state;
    Asked asked = ask("perceptron", NULL);
    Random random = clv_random(1, 1);
    Table table = {0};
    cleave_error error;
    Report *report;
    Model *model;

    table_random(&table, &random, ROWS, 12, 4, 3, RANDOM_EIGHTHS);
    asked.dataset = table_built(place->context, &table, BLOCK);
    leave_one(place, &asked);
    clv_dataset_free(asked.dataset);
    asked.dataset = table_built(place->context, &table,
                                BLOCK + 5); /* the same data in different blocks */
    FINE(train(place, &asked, &model, &report, &error));
    assert_true(report->facts.epochs == 7);
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    table.cell[0].value += 1;
    clv_dataset_free(asked.dataset);
    asked.dataset = table_built(place->context, &table, BLOCK);
    is_refused(place, &asked, CLEAVE_ERROR_USAGE, "its hash of some rows is");
    clv_dataset_free(asked.dataset);
    table.cell[0].value -= 1;
    table.cell[table.row[146].start].value += 1; /* the second last sampled row: 149 * 62 / 63 */
    asked.dataset = table_built(place->context, &table, BLOCK);
    is_refused(place, &asked, CLEAVE_ERROR_USAGE, "hash");
    clv_dataset_free(asked.dataset);
    table_free(&table);
}

static void damage_is_found(void **state)
{
    Place *place = *state;
    Asked asked = ask("perceptron", NULL);
    cleave_error error;
    Report *report;
    Model *model;
    size_t size;
    char *bytes;

    asked.dataset = make_data(place, asked.method, 5);
    leave_one(place, &asked);
    bytes = test_read_file(place->path, &size);
    bytes[size / 2] ^= 1;
    test_write_file(place->path, bytes, size);
    is_refused(place, &asked, CLEAVE_ERROR_FORMAT, "run.checkpoint");
    test_write_file(place->path, bytes, size / 2);
    is_refused(place, &asked, CLEAVE_ERROR_FORMAT, "run.checkpoint");
    free(bytes);
    remove(place->path);
    asked.run.checkpoint = NULL;
    FINE(train(place, &asked, &model, &report, &error));
    FINE(cleave_save(model, place->path, &error));
    cleave_model_free(model);
    cleave_report_free(&report->facts);
    asked.run.checkpoint = place->path;
    is_refused(place, &asked, CLEAVE_ERROR_FORMAT, "the file is a model, not a checkpoint");
    clv_dataset_free(asked.dataset);
}

/* A checkpoint is also a model like any other. */
static void it_is_a_model(void **state)
{
    Place *place = *state;
    Asked asked = ask("perceptron", NULL);
    cleave_error error;
    Model *model;

    asked.dataset = make_data(place, asked.method, 5);
    leave_one(place, &asked);
    FINE(cleave_load(place->context, place->path, &model, &error));
    assert_string_equal(cleave_model_method(model), "perceptron");
    assert_true(model->rounds >= 1 && model->rounds < 7);
    cleave_model_free(model);
    clv_dataset_free(asked.dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_method, make, unmake),
        cmocka_unit_test_setup_teardown(rules_go_on, make, unmake),
        cmocka_unit_test_setup_teardown(another_run_is_refused, make, unmake),
        cmocka_unit_test_setup_teardown(other_values_are_refused, make, unmake),
        cmocka_unit_test_setup_teardown(damage_is_found, make, unmake),
        cmocka_unit_test_setup_teardown(it_is_a_model, make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
