/*
 * Trees that several processes fit together (model/together.h). The processes are threads with
 * separate rows and memory. For any number of them and any distribution of the rows, the arrays of
 * the model are bit-identical to those of one process. If a rank runs out of memory, every rank
 * ends.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/builder.h"
#include "learn/tree/sums.h"

#define FINE(expression) assert_int_equal((expression), OK)

extern const Method clv_method_tree;
extern const Method clv_method_tree_regression;
extern const Method clv_method_forest;
extern const Method clv_method_forest_regression;
extern const Method clv_method_boost;
extern const Method clv_method_boost_regression;

enum { COLUMNS = 7, NUMBERS = 5, MOST_PROCESSES = 4 };

/* ---- a table they meet at -------------------------------------------------------------------- */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint32_t processes, arrived, leaving;
    Status failed;
    const void *what[MOST_PROCESSES];
    size_t size[MOST_PROCESSES];
} Table;

typedef struct {
    Table *table;
    Context *context;
    Collective collective;
} Seat;

/* Waits until all ranks have written. Returns false if a rank failed before. */
static bool meet(Seat *seat, const void *what, size_t size)
{
    Table *table = seat->table;
    bool met = false;

    pthread_mutex_lock(&table->lock);
    if (table->failed == OK) {
        table->what[seat->collective.number] = what;
        table->size[seat->collective.number] = size;
        if (++table->arrived == table->processes) {
            table->leaving = table->processes;
            pthread_cond_broadcast(&table->change);
        }
        while (table->leaving == 0 && table->failed == OK)
            pthread_cond_wait(&table->change, &table->lock);
        met = table->leaving > 0;
    }
    pthread_mutex_unlock(&table->lock);
    return met;
}

/* Waits until all ranks have read the buffers of the others, even if one failed, so that they can
 * be reused. Returns false if one failed. */
static bool part(Seat *seat)
{
    Table *table = seat->table;
    bool fine;

    pthread_mutex_lock(&table->lock);
    table->arrived--;
    if (table->arrived == 0) {
        table->leaving = 0;
        pthread_cond_broadcast(&table->change);
    }
    while (table->leaving > 0)
        pthread_cond_wait(&table->change, &table->lock);
    fine = table->failed == OK;
    pthread_mutex_unlock(&table->lock);
    return fine;
}

static void leave(Table *table, Status status)
{
    pthread_mutex_lock(&table->lock);
    if (table->failed == OK)
        table->failed = status;
    pthread_cond_broadcast(&table->change);
    pthread_mutex_unlock(&table->lock);
}

static Status add_up(void *user, void *numbers, size_t count, size_t bytes_of_each,
                     cleave_error *error)
{
    Seat *seat = user;
    uint64_t *sum = calloc(count + 1, sizeof *sum);
    bool met = sum && meet(seat, numbers, count * bytes_of_each), fine = met;

    for (uint32_t process = 0; fine && process < seat->table->processes; process++)
        for (size_t i = 0; fine && i < count; i++) {
            fine = seat->table->size[process] == count * bytes_of_each;
            if (fine)
                sum[i] += bytes_of_each == 8 ? ((const uint64_t *)seat->table->what[process])[i]
                                             : ((const uint32_t *)seat->table->what[process])[i];
        }
    fine = met && part(seat) && fine;
    for (size_t i = 0; fine && i < count; i++) {
        if (bytes_of_each == 8)
            ((uint64_t *)numbers)[i] = sum[i];
        else
            ((uint32_t *)numbers)[i] = (uint32_t)sum[i];
    }
    free(sum);
    return fine ? OK : clv_fail(error, CLEAVE_ERROR_INTERNAL, "another process failed");
}

static Status gather(void *user, const void *mine, size_t bytes, Buffer *all, size_t *sizes,
                     cleave_error *error)
{
    Seat *seat = user;
    bool fine = meet(seat, mine, bytes);
    Status status = OK;

    for (uint32_t process = 0; fine && status == OK && process < seat->table->processes;
         process++) {
        if (sizes)
            sizes[process] = seat->table->size[process];
        status = clv_buffer_add(seat->context, all, seat->table->what[process],
                                seat->table->size[process], error);
    }
    if (status != OK)
        leave(seat->table, status);
    fine = fine && part(seat);
    if (fine && status == OK)
        return OK;
    clv_free(seat->context, all->data);
    *all = (Buffer){0};
    return status != OK ? status : clv_fail(error, CLEAVE_ERROR_INTERNAL, "another process failed");
}

/* ---- who fits -------------------------------------------------------------------------------- */

/* A training problem: method, options and data. */
typedef struct {
    const Method *method;
    const char *name[3], *value[3]; /* of options */
    uint32_t classes, rounds, rows;
    bool weights;
} Problem;

typedef struct {
    const Problem *problem;
    Seat seat;
    uint32_t from, to; /* rows */
    int64_t fails;     /* number of the allocation that fails; 0: none */
    bool failed;       /* that allocation was reached */
    Status status;
    Buffer model;
} Process;

static void *allocate(void *user, void *old, size_t size)
{
    Process *process = user;

    if (size == 0) {
        free(old);
        return NULL;
    }
    if (process->fails && --process->fails == 0) {
        process->failed = true;
        return NULL;
    }
    return realloc(old, size);
}

static bool round_over(Fit *fit)
{
    fit->counters.epoch++;
    fit->counters.epoch_loss = 0;
    return true;
}

/* Numbers with few values and with many, missing ones, a column that few rows have, and two
 * categories. */
static Status add_row(Builder *builder, const Problem *problem, uint32_t row, cleave_error *error)
{
    Random random = clv_random(11, row);
    float a = (float)clv_random_unit(&random), b = (float)clv_random_below(&random, 9);
    uint32_t code = clv_random_below(&random, 40), other = clv_random_below(&random, 3);
    double number = (double)a * 3 + (b > 4 ? 1 : 0) + code % 3 + clv_random_unit(&random) / 3;
    uint32_t label = (uint32_t)number % (problem->classes ? problem->classes : 2);
    float values[COLUMNS] = {a,
                             row % 11 ? b : MISSING_VALUE,
                             row % 9 ? 0 : 2 + a,
                             (float)clv_random_unit(&random),
                             row < problem->rows / 2 ? 0 : (float)other,
                             (float)(1 + code),
                             row % 13 ? (float)(1 + other) : MISSING_VALUE};

    TRY(clv_builder_add_dense(builder, values, COLUMNS, label, error));
    if (problem->weights)
        TRY(clv_builder_set_weight(builder, row % 5 ? 1 : 0.3F + a, error));
    return problem->classes ? OK : clv_builder_set_number(builder, number, error);
}

static Status make_data(const Process *process, Dataset *dataset, Names *names, Schema *schema,
                        cleave_error *error)
{
    Status status = OK;
    Builder builder;
    Block block;

    memcpy(schema->format, "csv", 4);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        char name[2] = {(char)('a' + i), 0};
        uint32_t number;

        TRY(clv_names_add(names, name, 1, &number, error));
        TRY(clv_schema_add(schema, name, 1, i < NUMBERS ? COLUMN_NUMBER : COLUMN_CATEGORY, error));
    }
    clv_builder_init(&builder, dataset->context);
    clv_builder_clear(&builder);
    for (uint32_t row = process->from; row < process->to && status == OK; row++)
        status = add_row(&builder, process->problem, row, error);
    if (status == OK && process->to > process->from)
        status = clv_builder_finish(&builder, &block, error);
    if (status == OK && process->to > process->from)
        status = clv_dataset_add(dataset, &block, error);
    clv_builder_free(&builder);
    dataset->features = COLUMNS; /* facts are of all rows */
    dataset->rows = process->problem->rows;
    dataset->entries = 5 * dataset->rows;
    return status;
}

static Status keep_model(Fit *fit, Buffer *bytes)
{
    static const char magic[8] = "TOGETHER";
    Model model = {.context = fit->context,
                   .method = fit->method,
                   .features = COLUMNS,
                   .rounds = fit->counters.epoch};
    Buffer written = {0};
    Status status;

    TRY(clv_bundle_new(fit->context, &model.bundle, fit->error));
    status = fit->method->training->end(fit, &model);
    if (status == OK)
        status = clv_bundle_write(model.bundle, magic, 1, &written, fit->error);
    if (status == OK && (bytes->data = malloc(written.size)) != NULL) {
        memcpy(bytes->data, written.data, written.size);
        bytes->size = written.size;
    }
    clv_free(fit->context, written.data);
    clv_bundle_free(model.bundle);
    return status;
}

static Status fit_rows(Process *process, Fit *fit, Dataset *dataset)
{
    void *options = clv_alloc_zero(fit->context, 1, fit->method->options_size);
    Status status = options ? OK
                            : clv_fail_memory(fit->error, "options", fit->method->options_size);

    if (status == OK)
        clv_params_initial(fit->method->params, options);
    for (size_t i = 0; status == OK && i < 3 && process->problem->name[i]; i++)
        status = clv_param_set(clv_param_find(fit->method->params, process->problem->name[i]),
                               options, process->problem->value[i], fit->error);
    fit->options = options;
    if (status == OK && fit->method->training->choose)
        status = fit->method->training->choose(fit, options);
    fit->state = clv_alloc_zero(fit->context, 1, fit->method->state_size);
    if (status == OK && !fit->state)
        status = clv_fail_memory(fit->error, "a state", fit->method->state_size);
    if (status == OK)
        status = fit->method->training->begin(fit);
    if (status == OK)
        status = fit->method->training->fit(fit, dataset);
    if (status == OK)
        status = keep_model(fit, &process->model);
    if (fit->state)
        fit->method->training->free(fit);
    clv_free(fit->context, fit->state);
    clv_free(fit->context, options);
    return status;
}

static void *run(void *argument)
{
    Process *process = argument;
    const Problem *problem = process->problem;
    int64_t fails = process->fails;
    cleave_error error = {0};
    Dataset *dataset = NULL;
    Context *context;
    Schema schema;
    Names names;
    FitProblem facts;
    Fit fit;

    process->fails = 0;
    context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .threads = 1, .allocate = allocate, .user = process});
    process->seat.context = context;
    clv_names_init(&names, context, false);
    clv_schema_init(&schema, context);
    process->status = clv_dataset_new(context, &dataset, &error);
    if (process->status == OK)
        process->status = make_data(process, dataset, &names, &schema, &error);
    facts = (FitProblem){.names = &names,
                         .schema = &schema,
                         .seed = 7,
                         .rows = problem->rows,
                         .collective = process->seat.table ? &process->seat.collective : NULL};
    fit = (Fit){.context = context,
                .error = &error,
                .method = problem->method,
                .problem = &facts,
                .classes = problem->classes,
                .outputs = outputs_of(problem->classes),
                .positive = 1,
                .features = COLUMNS,
                .max_epochs = problem->rounds,
                .epoch_done = round_over,
                .task = problem->classes == 0  ? CLEAVE_TASK_REGRESSION
                        : problem->classes > 2 ? CLEAVE_TASK_MULTICLASS
                                               : CLEAVE_TASK_BINARY};
    process->fails = fails;
    if (process->status == OK)
        process->status = fit_rows(process, &fit, dataset);
    if (process->status != OK && process->seat.table)
        leave(process->seat.table, process->status);
    process->fails = 0;
    clv_names_free(&names);
    clv_schema_free(&schema);
    clv_dataset_free(dataset);
    cleave_context_free(context);
    return NULL;
}

/* Fits by `count` ranks whose rows end at these positions. fails: the allocation of the last rank
 * that fails. Returns whether all succeeded. */
static bool fit_by(const Problem *problem, uint32_t processes, const uint32_t *ends, int64_t fails,
                   Process *process)
{
    Table table = {.processes = processes};
    pthread_t thread[MOST_PROCESSES];
    bool fine = true;

    pthread_mutex_init(&table.lock, NULL);
    pthread_cond_init(&table.change, NULL);
    for (uint32_t i = 0; i < processes; i++) {
        process[i] = (Process){.problem = problem,
                               .from = i ? ends[i - 1] : 0,
                               .to = ends[i],
                               .fails = i + 1 == processes ? fails : 0,
                               .seat = {.table = &table}};
        process[i].seat.collective = (Collective){.user = &process[i].seat,
                                                  .number = i,
                                                  .count = processes,
                                                  .add_up = add_up,
                                                  .gather = gather};
        assert_int_equal(pthread_create(&thread[i], NULL, run, &process[i]), 0);
    }
    for (uint32_t i = 0; i < processes; i++) {
        pthread_join(thread[i], NULL);
        fine = fine && process[i].status == OK;
    }
    pthread_mutex_destroy(&table.lock);
    pthread_cond_destroy(&table.change);
    return fine;
}

static void free_models(Process *process, uint32_t processes)
{
    for (uint32_t i = 0; i < processes; i++)
        free(process[i].model.data);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static const Problem problems[] = {
    {.method = &clv_method_tree, .classes = 2, .rows = 700, .rounds = 1},
    {.method = &clv_method_tree,
     .classes = 3,
     .rows = 700,
     .rounds = 1,
     .weights = true,
     .name = {"prune", "min_gain"},
     .value = {"holdout", "0.0001"}},
    {.method = &clv_method_tree_regression, .rows = 700, .rounds = 1},
    {.method = &clv_method_tree_regression,
     .rows = 700,
     .rounds = 1,
     .weights = true,
     .name = {"prune", "min_gain"},
     .value = {"holdout", "0.0001"}},
    {.method = &clv_method_forest, .classes = 3, .rows = 500, .rounds = 3},
    {.method = &clv_method_forest_regression, .rows = 500, .rounds = 3, .weights = true},
    {.method = &clv_method_boost, .classes = 2, .rows = 700, .rounds = 4, .weights = true},
    {.method = &clv_method_boost,
     .classes = 3,
     .rows = 700,
     .rounds = 3,
     .name = {"row_fraction", "column_fraction"},
     .value = {"0.6", "0.7"}},
    {.method = &clv_method_boost,
     .classes = 3,
     .rows = 700,
     .rounds = 4,
     .weights = true,
     .name = {"loss", "row_fraction"},
     .value = {"exponential", "0.7"}},
    {.method = &clv_method_boost_regression, .rows = 700, .rounds = 4, .weights = true},
};

static void same_trees_by_many(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const Problem *problem = &problems[i];
        const uint32_t rows = problem->rows, cuts[][MOST_PROCESSES] = {
                                                 {rows},
                                                 {rows / 3, rows},
                                                 {1, 1, rows},
                                                 {rows / 2, rows / 2 + 7, rows - 100, rows},
                                             };
        Process one = {.problem = problem, .to = rows}, process[MOST_PROCESSES];

        run(&one);
        assert_int_equal(one.status, OK);
        assert_true(one.model.size > 0);
        for (uint32_t count = 1; count <= MOST_PROCESSES; count++) {
            assert_true(fit_by(problem, count, cuts[count - 1], 0, process));
            for (uint32_t k = 0; k < count; k++) {
                assert_int_equal(process[k].model.size, one.model.size);
                assert_memory_equal(process[k].model.data, one.model.data, one.model.size);
            }
            free_models(process, count);
        }
        free(one.model.data);
    }
}

/* Each allocation of the second of two ranks fails in turn. */
static void no_rank_waits_for_a_failed_one(void **state)
{
    static const Problem small[] = {
        {.method = &clv_method_tree_regression,
         .rows = 60,
         .rounds = 1,
         .weights = true,
         .name = {"prune", "min_gain"},
         .value = {"cv", "0.01"}},
        {.method = &clv_method_forest,
         .classes = 3,
         .rows = 60,
         .rounds = 1,
         .name = {"max_depth"},
         .value = {"2"}},
        {.method = &clv_method_boost,
         .classes = 2,
         .rows = 60,
         .rounds = 2,
         .name = {"max_depth"},
         .value = {"2"}},
        {.method = &clv_method_boost,
         .classes = 3,
         .rows = 60,
         .rounds = 2,
         .name = {"loss", "max_depth"},
         .value = {"exponential", "2"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const uint32_t ends[] = {25, 60};
        Process process[MOST_PROCESSES];
        int64_t fails = 1;

        do {
            bool fine = fit_by(&small[i], 2, ends, fails, process);

            assert_true(fine || (process[1].failed && process[1].status != OK));
            free_models(process, 2);
        } while (process[1].failed && fails++);
        assert_true(fails > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_trees_by_many),
        cmocka_unit_test(no_rank_waits_for_a_failed_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
