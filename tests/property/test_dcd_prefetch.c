/*
 * The prefetch thread of dual coordinate descent (src/learn/linear/dcd_prefetch.c): it copies the
 * rows of the order, stays within its ring buffer, and models are bit-identical for any number of
 * threads.
 */
#include "property/table.h"

#include "learn/linear/dcd.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <pthread.h>

enum { ROWS = 12000, WIDTH = 70000, LONG_ROWS = 512, LONG_CELLS = 900 };

/* Rows of about twenty cells with values other than 1. The first rows are so long that a slot
 * cannot hold a stretch of them. */
static Dataset *make_data(Context *context, uint32_t labels)
{
    Random random = clv_random(7, 1);
    Table table = {.label_count = labels};
    Dataset *dataset;

    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t label = clv_random_below(&random, labels), column = 0;
        uint32_t cells = i < LONG_ROWS ? LONG_CELLS : clv_random_below(&random, 40);

        table_row(&table, label);
        for (uint32_t k = 0; k < cells; k++) {
            column += 1 + clv_random_below(&random, 70);
            table_cell(&table, column,
                       (float)(0.5 + (column % labels == label) + clv_random_unit(&random)) / 8);
        }
        if (i % 1000 == 0)
            table_cell(&table, WIDTH - 1, 0.25f); /* behind a filler, now and then */
    }
    dataset = table_built(context, &table, 100);
    table_free(&table);
    return dataset;
}

/* ---- what is copied -------------------------------------------------------------------------- */

static void *go_ahead(void *dcd)
{
    clv_dcd_prefetch_rows(dcd);
    return NULL;
}

static const FitProblem none;

static void set_up(Dcd *dcd, Fit *fit, Context *context, Dataset *dataset)
{
    Random random = clv_random(3, 3);
    cleave_error error;

    *fit = (Fit){.context = context, .outputs = 1, .problem = &none, .features = dataset->features};
    *dcd = (Dcd){.fit = fit, .problem.dataset = dataset};
    dcd->problem.blocks = some(dataset->blocks, sizeof *dcd->problem.blocks);
    dcd->problem.rows = some(dataset->rows, sizeof *dcd->problem.rows);
    dcd->order.rows = some(dataset->rows, sizeof *dcd->order.rows);
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        FINE(clv_dataset_block(dataset, i, &dcd->problem.blocks[i], &error));
        for (uint32_t row = 0; row < dcd->problem.blocks[i].rows; row++)
            dcd->problem.rows[dcd->problem.count++] = (DcdRow){
                .block = i, .row = row, .y = (double)dcd->problem.count};
    }
    for (uint32_t i = 0; i < dcd->problem.count; i++)
        if (i < LONG_ROWS || i % 10) /* others sleep */
            dcd->order.rows[dcd->order.active++] = i;
    clv_shuffle(&random, dcd->order.rows + LONG_ROWS, dcd->order.active - LONG_ROWS);
}

/* Frees everything, including the dataset and its context. */
static void clean_up(Dcd *dcd)
{
    Context *context = dcd->fit->context;

    clv_dcd_prefetch_free(dcd);
    free(dcd->problem.blocks);
    free(dcd->problem.rows);
    free(dcd->order.rows);
    clv_dataset_free(dcd->problem.dataset);
    cleave_context_free(context);
}

static void assert_copies(const Dcd *dcd, const DcdStretch *copies, uint32_t first)
{
    for (uint32_t i = 0; i < copies->rows; i++) {
        const DcdRow *row = &dcd->problem.rows[dcd->order.rows[first + i]];
        RowWalk a = clv_walk(&dcd->problem.blocks[row->block], row->row),
                b = clv_walk(&copies->block, i);

        assert_true(copies->row[i].y == row->y);
        while (clv_walk_next(&a)) {
            assert_true(clv_walk_next(&b));
            assert_true(a.column == b.column && a.value == b.value);
        }
        assert_false(clv_walk_next(&b));
    }
}

/* The learner waits for all stretches except the first. */
static void copies_are_exact(void **state)
{
    Context *context = new_context(2);
    Dataset *dataset = make_data(context, 2);
    uint32_t stretches, cut = 0, whole = 0;
    pthread_t thread;
    Fit fit;
    Dcd dcd;

    (void)state;
    set_up(&dcd, &fit, context, dataset);
    clv_dcd_prefetch_make(&dcd);
    assert_non_null(dcd.order.ahead);
    stretches = (dcd.order.active + DCD_STRETCH - 1) / DCD_STRETCH;
    for (int traversal = 0; traversal < 2; traversal++) {
        clv_dcd_prefetch_begin(&dcd);
        assert_int_equal(pthread_create(&thread, NULL, go_ahead, &dcd), 0);
        for (uint32_t i = 1; i < stretches; i++) {
            uint32_t rows = dcd.order.active - i * DCD_STRETCH < DCD_STRETCH
                                ? dcd.order.active - i * DCD_STRETCH
                                : DCD_STRETCH;
            const DcdStretch *copies;

            clv_dcd_stretch_learned(&dcd, i - 1);
            while (!(copies = clv_dcd_prefetched(&dcd, i)))
                ;
            assert_copies(&dcd, copies, i * DCD_STRETCH);
            assert_true(copies->rows <= rows);
            cut += copies->rows < rows;
            whole += copies->rows == rows;
        }
        clv_dcd_stretch_learned(&dcd, stretches);
        pthread_join(thread, NULL);
    }
    assert_true(cut > 0 && whole > cut);
    clean_up(&dcd);
}

/* The learner ends or is cancelled before the prefetch thread has started. */
static void no_thread_waits_for_a_learner_that_ended(void **state)
{
    Context *context = new_context(2);
    Dataset *dataset = make_data(context, 2);
    pthread_t thread;
    Fit fit;
    Dcd dcd;

    (void)state;
    set_up(&dcd, &fit, context, dataset);
    clv_dcd_prefetch_make(&dcd);
    clv_dcd_prefetch_begin(&dcd);
    clv_dcd_stretch_learned(&dcd, UINT32_MAX / 2);
    clv_dcd_prefetch_rows(&dcd);
    clv_dcd_prefetch_begin(&dcd);
    assert_int_equal(pthread_create(&thread, NULL, go_ahead, &dcd), 0);
    clv_dcd_stretch_learned(&dcd, UINT32_MAX / 2);
    pthread_join(thread, NULL);
    clean_up(&dcd);
}

/* Without memory there is no prefetching, no message, and the same result. */
static void does_without_where_there_is_no_memory(void **state)
{
    TestMemory memory = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .threads = 2, .allocate = test_allocate, .user = &memory});
    Dataset *dataset = make_data(context, 2);
    long long before, failures = 0;
    Fit fit;
    Dcd dcd;

    (void)state;
    set_up(&dcd, &fit, context, dataset);
    clv_dcd_prefetch_make(&dcd); /* the threads of the context exist from now on */
    clv_dcd_prefetch_free(&dcd);
    before = memory.live;
    for (;; failures++) {
        memory.fail_at = memory.calls + failures + 1;
        clv_dcd_prefetch_make(&dcd);
        if (dcd.order.ahead)
            break;
        assert_int_equal(memory.live, before);
    }
    assert_true(failures > 2);
    memory.fail_at = 0;
    clean_up(&dcd);
    assert_int_equal(memory.live, 0);
}

/* ---- models ---------------------------------------------------------------------------------- */

static Model *train(Context *context, uint32_t labels)
{
    Dataset *dataset = make_data(context, labels);
    const Method *method;
    cleave_error error;
    RunOptions run;
    Report *report;
    Model *model;
    void *options;

    FINE(clv_method_find("svm", &method, &error));
    options = some(1, method->options_size);
    clv_params_initial(clv_run_params, &run);
    clv_params_initial(method->params, options);
    FINE(clv_param_set(clv_param_find(method->params, "solver"), options, "dcd", &error));
    FINE(clv_param_set(clv_param_find(method->params, "lambda"), options, "1e-3", &error));
    run.epochs = 6;
    FINE(clv_train(context, &(Job){.method = method, .method_options = options, .options = &run},
                   dataset, &model, &report, &error));
    cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    free(options);
    return model;
}

static void assert_same_models(const Model *a, const Model *b, uint32_t outputs)
{
    assert_int_equal(a->features, b->features);
    for (uint32_t j = 0; j < outputs; j++)
        for (size_t i = 0; i < a->features; i++)
            assert_true(cleave_model_weight(a, j, i) == cleave_model_weight(b, j, i));
}

static void threads_change_nothing(void **state)
{
    static const unsigned counts[] = {2, 3, 7};

    (void)state;
    for (uint32_t labels = 2; labels <= 3; labels++) {
        Context *alone = new_context(1);
        Model *first = train(alone, labels);

        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            Context *context = new_context(counts[i]);
            Model *model = train(context, labels);

            assert_same_models(first, model, labels == 2 ? 1 : labels);
            cleave_model_free(model);
            cleave_context_free(context);
        }
        cleave_model_free(first);
        cleave_context_free(alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_exact),
        cmocka_unit_test(no_thread_waits_for_a_learner_that_ended),
        cmocka_unit_test(does_without_where_there_is_no_memory),
        cmocka_unit_test(threads_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
