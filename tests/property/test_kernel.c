/*
 * The internals of kernel methods: loops that are bit-identical in all their forms, an exponential
 * of the stated accuracy, kernel rows that equal the formula for any layout of the points, a cache
 * that shortens and evicts rows correctly, and solutions that are optimal for any size of the
 * cache.
 */
#include "property/table.h"

#include "learn/kernel/cache.h"
#include "model/registry.h"
#include "support/support.h"
#include "train/batch_driver.h"

#include <math.h>

/* ---- loops ----------------------------------------------------------------------------------- */

enum { LONG = 1300 }; /* more than two chunks, and no multiple of a vector */

typedef struct {
    double g[LONG], norm2[LONG], dots[LONG], angle[LONG];
    float row[LONG], other[LONG], up[LONG], down[LONG], diagonal[LONG], out[LONG], cosine[LONG];
    uint64_t bits[3 * LONG];
    double sum, top, least;
    float gain;
    size_t first, second;
} Numbers;

static void draw_numbers(Numbers *n, Random *random)
{
    memset(n, 0, sizeof *n);
    for (size_t i = 0; i < LONG; i++) {
        n->g[i] = clv_random_normal(random);
        n->norm2[i] = 20 * clv_random_unit(random);
        n->dots[i] = 10 * clv_random_unit(random);
        n->angle[i] = 1000 * clv_random_normal(random);
        n->row[i] = (float)clv_random_unit(random);
        n->other[i] = (float)clv_random_unit(random);
        n->diagonal[i] = 1 + (float)clv_random_unit(random);
        n->up[i] = clv_random_below(random, 3) ? 0 : -SHUT;
        n->down[i] = clv_random_below(random, 3) ? 0 : SHUT;
        for (size_t w = 0; w < 3; w++)
            n->bits[w * LONG + i] = clv_random_next(random);
    }
}

static void use_numbers(Numbers *n, const Loops *loops, size_t count)
{
    const uint64_t x[3] = {0x123456789abcdefu, 0, UINT64_MAX};

    loops->gaussian(n->dots, n->norm2, 7, 0.3, count, n->out);
    loops->cosines(n->angle, 0.7, count, n->cosine);
    n->sum = loops->weigh(n->row, n->g, count);
    n->top = loops->move(n->g, n->row, n->other, 0.37, n->up, count, &n->first);
    n->gain = loops->pair(n->g, n->down, n->row, n->diagonal, n->top, 1.5, count, &n->second,
                          &n->least);
    loops->add_plane(n->other, -1.1, count, n->norm2);
    loops->dot_bits(n->bits, LONG, x, 3, count, n->dots);
}

static void loops_agree(void **state)
{
    Random random = clv_random(test_seed("loops_agree"), 1);
    Numbers *drawn = some(1, sizeof *drawn), *plain = some(1, sizeof *plain),
            *other = some(1, sizeof *other);

    (void)state;
    for (size_t round = 0; round < 60; round++) {
        size_t count = round < 40 ? round : LONG - clv_random_below(&random, 600);

        draw_numbers(drawn, &random);
        *plain = *drawn;
        use_numbers(plain, clv_loops_at(0), count);
        for (size_t i = 1; clv_loops_at(i); i++) {
            *other = *drawn;
            use_numbers(other, clv_loops_at(i), count);
            assert_memory_equal(plain, other, sizeof *plain);
        }
    }
    free(drawn);
    free(plain);
    free(other);
}

static void loops_find_what_they_say(void **state)
{
    Random random = clv_random(test_seed("loops_find_what_they_say"), 2);
    Numbers *n = some(1, sizeof *n);

    (void)state;
    draw_numbers(n, &random);
    for (size_t at = 0; clv_loops_at(at); at++) {
        double top = -INFINITY, least = INFINITY, gain = 0;
        size_t first;
        double found = clv_loops_at(at)->move(n->g, n->row, n->other, 0.1, n->up, LONG, &first);

        clv_loops_at(at)->pair(n->g, n->down, n->row, n->diagonal, found, 1.5, LONG, &n->second,
                               &n->least);
        for (size_t i = 0; i < LONG; i++) {
            double ahead = found - n->g[i];

            if (n->up[i] == 0)
                top = fmax(top, n->g[i]);
            if (n->down[i] != 0)
                continue;
            least = fmin(least, n->g[i]);
            if (ahead > 0)
                gain = fmax(gain,
                            ahead * ahead / (1.5 + (double)n->diagonal[i] - 2 * (double)n->row[i]));
        }
        assert_true(found == top && n->g[first] == top && n->up[first] == 0);
        assert_true(n->least == least);
        {
            double ahead = found - n->g[n->second];
            double chosen = ahead * ahead /
                            (1.5 + (double)n->diagonal[n->second] - 2 * (double)n->row[n->second]);

            assert_true(n->down[n->second] == 0 && ahead > 0 && chosen >= gain * (1 - 1e-5));
        }
        for (size_t i = 0; i < LONG; i++)
            n->up[i] = -SHUT;
        assert_true(clv_loops_at(at)->move(n->g, n->row, n->other, 0, n->up, LONG, &first) <=
                    -(double)SHUT / 2);
        draw_numbers(n, &random);
    }
    free(n);
}

/* Units in the last place of the float nearest to the truth. */
static double ulps(float found, double truth)
{
    float nearest = (float)truth;

    return fabs((double)found - truth) / ((double)nextafterf(nearest, INFINITY) - (double)nearest);
}

static void exponential_is_accurate(void **state)
{
    const double zero = 0;
    double worst = 0, worst_cosine = 0;

    (void)state;
    for (size_t i = 0; i < 100000; i++) {
        float x = (float)i * 86.0F / 400000, found;
        double d = (double)x, angle = (double)i * 0.01 - 1000;

        clv_loops()->gaussian(&zero, &zero, d, 1, 1, &found);
        worst = fmax(worst, ulps(found, exp(-d)));
        clv_loops()->cosines(&angle, 1, 1, &found);
        worst_cosine = fmax(worst_cosine, fabs((double)found - cos(angle)));
    }
    print_message("exponential: %.2f ulps; cosine: %.1e\n", worst, worst_cosine);
    assert_true(worst <= 2);
    assert_true(worst_cosine <= 1e-6);
    for (int i = 0; i < 3; i++) {
        static const double far[] = {0, 200, 1e300}, expected[] = {1, 0, 0};
        float found;

        clv_loops()->gaussian(&zero, &zero, far[i], 1, 1, &found);
        assert_true((double)found == expected[i]);
    }
}

/* ---- kernel rows ----------------------------------------------------------------------------- */

static double value_at(const Table *table, size_t row, uint32_t column)
{
    for (size_t j = 0; j < table->row[row].count; j++)
        if (table->cell[table->row[row].start + j].column == column)
            return (double)table->cell[table->row[row].start + j].value;
    return 0;
}

static double slow_kernel(const Table *table, const Kernel *kernel, size_t a, size_t b)
{
    double dot = 0, distance2 = 0;

    for (uint32_t column = 0; column < table->features; column++) {
        double x = value_at(table, a, column), z = value_at(table, b, column);

        dot += x * z;
        distance2 += (x - z) * (x - z);
    }
    return kernel->kind == KERNEL_GAUSSIAN ? exp(-kernel->gamma * distance2)
           : kernel->kind == KERNEL_POLYNOMIAL
               ? pow(kernel->gamma * dot + kernel->coef0, kernel->degree)
               : dot;
}

static void add_points(Context *context, const Table *table, KernelPoints *points)
{
    cleave_error error;
    Encoded encoded;

    encode(table, 0, table->rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    clv_points_init(points, context, table->features);
    for (uint32_t i = 0; i < table->rows; i++)
        FINE(clv_points_add(points, &encoded.block, i, &error));
    clv_points_settle(points);
    encoded_free(&encoded);
}

/* Features and non-zeros so that each layout comes up. */
static const struct {
    uint32_t features, nonzeros;
    int values;
    bool bits, planes;
} layouts[] = {{100, 12, RANDOM_ONES, true, false},
               {30, 10, RANDOM_EIGHTHS, false, true},
               {4000, 8, RANDOM_ONES, false, false},
               {4000, 8, RANDOM_EIGHTHS, false, false}};

static void check_row(const Table *table, const Kernel *kernel, size_t point, const uint32_t *order,
                      uint32_t count, const float *row)
{
    for (uint32_t k = 0; k < count; k++) {
        double expected = slow_kernel(table, kernel, point, order ? order[k] : k);

        if (!(fabs((double)row[k] - expected) <= 1e-5 * fabs(expected) + 1e-6))
            print_error("%u: found %.9g, expected %.9g\n", k, (double)row[k], expected);
        assert_true(fabs((double)row[k] - expected) <= 1e-5 * fabs(expected) + 1e-6);
    }
}

static void rows_are_the_formula(void **state)
{
    Random random = clv_random(test_seed("rows_are_the_formula"), 3);
    Context *context = new_context(1);
    cleave_error error;

    (void)state;
    for (size_t at = 0; at < 4 * 3; at++) {
        Kernel kernel = {.kind = (KernelKind)(at % 3), .gamma = 0.05, .coef0 = 1, .degree = 3};
        uint32_t order[50], count = 0;
        Table table = {0};
        KernelPoints points;
        View whole, part;
        Evaluator evaluator;
        float row[80];

        table_random(&table, &random, 80, layouts[at / 3].features, layouts[at / 3].nonzeros, 2,
                     layouts[at / 3].values);
        add_points(context, &table, &points);
        for (uint32_t i = 0; i < 80 && count < 50; i += 1 + i % 2)
            order[count++] = i;
        FINE(clv_view_init(&whole, &points, NULL, 80, &error));
        FINE(clv_view_init(&part, &points, order, count, &error));
        FINE(clv_evaluator_init(&evaluator, context, kernel, points.features, &error));
        assert_true((whole.bits != NULL) == layouts[at / 3].bits &&
                    (whole.planes != NULL) == layouts[at / 3].planes);
        for (uint32_t i = 0; i < 80; i += 7) {
            clv_evaluate(&evaluator, &whole, point_row(&points, i), row);
            check_row(&table, &kernel, i, NULL, 80, row);
            clv_evaluate(&evaluator, &part, point_row(&points, i), row);
            check_row(&table, &kernel, i, order, count, row);
        }
        clv_view_free(&whole);
        clv_view_free(&part);
        clv_evaluator_free(&evaluator);
        clv_points_free(&points);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* Random requests to a cache with space for a few rows, with shrinking between them. */
static void cache_gives_what_was_asked(void **state)
{
    Random random = clv_random(test_seed("cache_gives_what_was_asked"), 4);
    Context *context = new_context(1);
    cleave_error error;

    (void)state;
    for (int round = 0; round < 20; round++) {
        Kernel kernel = {.kind = KERNEL_GAUSSIAN, .gamma = 0.05, .degree = 1};
        uint32_t order[60], count = 60;
        Table table = {0};
        KernelPoints points;
        View whole, part = {0};
        Evaluator evaluator;
        Cache cache;

        table_random(&table, &random, 60, 40, 8, 2, RANDOM_EIGHTHS);
        add_points(context, &table, &points);
        FINE(clv_view_init(&whole, &points, NULL, 60, &error));
        FINE(clv_evaluator_init(&evaluator, context, kernel, points.features, &error));
        FINE(clv_cache_init(&cache, &evaluator, &whole, 240.0 * (double)(round + 1) / 1048576,
                            &error));
        for (uint32_t i = 0; i < 60; i++)
            order[i] = i;
        for (int ask = 0; ask < 400; ask++) {
            uint32_t a = clv_random_below(&random, 60), b = clv_random_below(&random, 60);
            const float *first, *second;

            FINE(clv_cache_row(&cache, a, &first, &error));
            FINE(clv_cache_row(&cache, b, &second, &error));
            check_row(&table, &kernel, a, order, count, first); /* still there */
            check_row(&table, &kernel, b, order, count, second);
            if (ask % 50 == 49 && count > 10) {
                uint32_t *kept = clv_alloc(context, count, sizeof *kept), left = 0;

                for (uint32_t k = 0; k < count; k++)
                    if (clv_random_below(&random, 4)) {
                        order[left] = order[k];
                        kept[left++] = k;
                    }
                count = left;
                clv_view_free(&part);
                FINE(clv_cache_shrink(&cache, kept, count, &part, &error));
                FINE(clv_view_init(&part, &points, order, count, &error));
            } else if (ask == 220) {
                clv_cache_unshrink(&cache);
                clv_view_free(&part);
                for (count = 0; count < 60; count++)
                    order[count] = count;
            }
        }
        assert_true(cache.computed + cache.found == 800);
        assert_true(round > 0 || cache.used <= 2 * 60 * sizeof(float));
        clv_cache_free(&cache);
        clv_view_free(&part);
        clv_view_free(&whole);
        clv_evaluator_free(&evaluator);
        clv_points_free(&points);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* ---- solutions ------------------------------------------------------------------------------- */

typedef struct {
    Model *model;
    Report *report;
} Trained;

static Trained train(Context *context, const Table *table, const char *const *given)
{
    RunOptions run;
    const Method *method;
    cleave_error error;
    Dataset *dataset = table_built(context, table, 100);
    Trained trained;
    void *options;

    FINE(clv_method_find("kernel-svm", &method, &error));
    options = some(1, method->options_size);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    for (; *given; given += 2)
        FINE(clv_param_set(clv_param_find(method->params, given[0]), options, given[1], &error));
    FINE(clv_train(context, &(Job){.method = method, .method_options = options, .options = &run},
                   dataset, &trained.model, &trained.report, &error));
    clv_dataset_free(dataset);
    free(options);
    return trained;
}

static void forget(Trained *trained)
{
    cleave_model_free(trained->model);
    cleave_report_free(&trained->report->facts);
}

static double figure(const Trained *trained, const char *name)
{
    const cleave_report *report = &trained->report->facts;

    for (size_t i = 0; i < report->statistic_count; i++)
        if (strcmp(report->statistics[i].name, name) == 0)
            return report->statistics[i].value;
    return NAN;
}

static void noisy_table(Table *table, Random *random, uint32_t rows, uint32_t classes, int values)
{
    table_random(table, random, rows, 60, 10, classes, values);
    for (size_t i = 0; i < table->rows; i++) {
        double sum = 0;

        for (size_t j = 0; j < table->row[i].count; j++)
            sum += (double)table->cell[table->row[i].start + j].value *
                   ((table->cell[table->row[i].start + j].column * 7) % 5 - 1.9);
        if (i < classes)
            table->row[i].label = (uint32_t)i;
        else if (clv_random_below(random, 10))
            table->row[i].label = (uint32_t)fabs(floor(sum)) % classes;
    }
}

/* The errors and the mean hinge loss of the model's predictions equal those that the solver
 * reports, and Σ β is 0. */
static void assert_consistent(const Trained *trained, const Table *table)
{
    const Model *model = trained->model;
    size_t outputs = outputs_of(model->labels.count);
    double *scores = some(table->rows * outputs, sizeof *scores), loss = 0;
    const BundleItem *alpha = clv_bundle_get(model->bundle, "alpha", BUNDLE_F64);
    uint64_t errors = 0;
    cleave_error error;
    Encoded encoded;

    encode(table, 0, table->rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    FINE(model->method->inference->predict(model, &encoded.block, scores, &error));
    for (size_t i = 0; i < table->rows; i++) {
        errors += clv_model_decide(model, scores + i * outputs, false) != table->row[i].label;
        loss += model->method->inference->loss(model, scores + i * outputs, table->row[i].label, 0);
    }
    assert_int_equal(errors, trained->report->facts.train_errors);
    assert_true(fabs(loss - trained->report->facts.loss) <= 1e-4 * (1 + loss));
    for (size_t output = 0; output < outputs && !isnan(figure(trained, "dual")); output++) {
        double sum = 0;

        for (size_t i = 0; i < alpha->count / outputs; i++)
            sum += ((const double *)alpha->data)[output * (alpha->count / outputs) + i];
        assert_true(fabs(sum) <= 1e-9 * (double)table->rows);
    }
    encoded_free(&encoded);
    free(scores);
}

/* Large enough to shrink; the cache holds everything, some, or two rows. */
static void smo_is_optimal_whatever_the_cache(void **state)
{
    Random random = clv_random(test_seed("smo_is_optimal_whatever_the_cache"), 5);
    Context *context = new_context(1);

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *megabytes[] = {"100", "1", "0.001"};
        double primal = NAN;
        Table table = {0};

        noisy_table(&table, &random, 800, i < 2 ? 2 : 3, i % 2 ? RANDOM_EIGHTHS : RANDOM_ONES);
        for (int j = 0; j < 3; j++) {
            const char *options[] = {"gamma", "0.02",     "C",          "3", "tolerance",
                                     "1e-5",  "cache_mb", megabytes[j], NULL};
            Trained trained = train(context, &table, options);

            assert_true(trained.report->facts.converged);
            assert_true(figure(&trained, "gap") <= 1e-5);
            if (j > 0)
                assert_true(fabs(figure(&trained, "primal") - primal) <= 1e-5 * primal);
            primal = figure(&trained, "primal");
            assert_consistent(&trained, &table);
            forget(&trained);
        }
        table_free(&table);
    }
    cleave_context_free(context);
}

/* The objective of the stochastic solvers is close to the optimum, and never below it. */
static void stochastic_comes_near(void **state)
{
    Random random = clv_random(test_seed("stochastic_comes_near"), 6);
    Context *context = new_context(1);

    (void)state;
    for (uint32_t classes = 2; classes <= 3; classes++) {
        Table table = {0};
        Trained exact, sgd, pegasos;

        noisy_table(&table, &random, 800, classes, RANDOM_ONES);
        exact = train(context, &table, (const char *const[]){"gamma", "0.05", NULL});
        sgd = train(context, &table, (const char *const[]){"gamma", "0.05", "solver", "sgd", NULL});
        pegasos = train(context, &table,
                        (const char *const[]){"gamma", "0.05", "solver", "pegasos", NULL});
        assert_true(figure(&sgd, "primal") >= figure(&exact, "dual"));
        assert_true(figure(&sgd, "primal") <= 1.05 * figure(&exact, "primal"));
        assert_true(figure(&pegasos, "primal") >= figure(&exact, "dual"));
        assert_true(figure(&pegasos, "primal") <= 1.1 * figure(&exact, "primal"));
        assert_consistent(&sgd, &table);
        assert_consistent(&pegasos, &table);
        forget(&exact);
        forget(&sgd);
        forget(&pegasos);
        table_free(&table);
    }
    cleave_context_free(context);
}

/* z(x)·z(z) approximates the kernel to about 1/√D, as the scores show, which agree with the exact
 * ones. */
static void random_features_agree(void **state)
{
    Context *context = new_context(1);
    Random random = clv_random(7, 7);
    Table table = {0};
    Trained exact, mapped;

    (void)state;
    noisy_table(&table, &random, 1500, 2, RANDOM_ONES);
    exact = train(context, &table, (const char *const[]){"gamma", "0.05", NULL});
    mapped = train(context, &table,
                   (const char *const[]){"gamma", "0.05", "solver", "fourier", "fourier_features",
                                         "4000", NULL});
    assert_true(figure(&mapped, "primal") <= 1.3 * figure(&exact, "primal"));
    assert_true((double)mapped.report->facts.train_errors <=
                1.3 * (double)exact.report->facts.train_errors + 0.02 * (double)table.rows);
    forget(&exact);
    forget(&mapped);
    table_free(&table);
    cleave_context_free(context);
}

/* ---- memory that runs out -------------------------------------------------------------------- */

/* Trains, continues from the model if the method supports it, and predicts. All memory is freed,
 * whatever fails. */
static cleave_code train_and_predict(Context *context, const Table *table, const char *name,
                                     const char *const *given)
{
    Dataset *dataset;
    RunOptions run;
    const Method *method;
    cleave_error error;
    Encoded encoded;
    Report *report = NULL;
    Model *model = NULL, *from = NULL;
    Context *safe = new_context(1);
    double *scores = some(3 * table->rows, sizeof *scores);
    cleave_code code;
    void *options;

    dataset = table_built(safe, table, 100);
    FINE(clv_method_find(name, &method, &error));
    options = some(1, method->options_size);
    clv_params_initial(method->params, options);
    clv_params_initial(clv_run_params, &run);
    run.epochs = 3;
    for (; *given; given += 2)
        FINE(clv_param_set(clv_param_find(method->params, given[0]), options, given[1], &error));
    code = clv_train(context, &(Job){.method = method, .method_options = options, .options = &run},
                     dataset, &model, &report, &error);
    if (code == OK && method->training->resume) {
        cleave_report_free(&report->facts);
        report = NULL;
        from = model;
        code = clv_train(
            context,
            &(Job){.method = method, .method_options = options, .options = &run, .from = from},
            dataset, &model, &report, &error);
    }
    encode(table, 0, table->rows, (Shape){ROWS_GAPS, VALUES_EACH}, &encoded);
    if (code == OK)
        code = method->inference->predict(model, &encoded.block, scores, &error);
    assert_true(code == OK || strlen(error.message) > 0);
    encoded_free(&encoded);
    cleave_model_free(model);
    cleave_model_free(from);
    if (report)
        cleave_report_free(&report->facts);
    clv_dataset_free(dataset);
    cleave_context_free(safe);
    free(scores);
    free(options);
    return code;
}

/* Makes each of its allocations fail, or, if there are too many, every few of them. */
static void fail_in_turn(Random *random, const Table *table, const char *name,
                         const char *const *given, uint64_t most)
{
    TestMemory memory = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory, .threads = 1});
    long long before = atomic_load(&memory.live), first, calls, every;

    first = atomic_load(&memory.calls);
    assert_int_equal(train_and_predict(context, table, name, given), OK);
    calls = atomic_load(&memory.calls) - first;
    every = 1 + calls / (long long)most;
    for (long long at = 1 + clv_random_below(random, (uint32_t)every); at <= calls; at += every) {
        long long failures = atomic_load(&memory.failures);
        cleave_code code;

        memory.fail_at = atomic_load(&memory.calls) + at;
        code = train_and_predict(context, table, name, given);
        assert_int_equal(atomic_load(&memory.failures), failures + 1);
        assert_true(code == CLEAVE_ERROR_MEMORY ||
                    code == OK); /* a row that could not be shortened stays long */
        assert_int_equal(atomic_load(&memory.live), before);
    }
    memory.fail_at = 0;
    cleave_context_free(context);
}

static void memory_runs_out(void **state)
{
    static const char *const solvers[] = {"smo", "sgd", "pegasos", "fourier"};
    Random random = clv_random(test_seed("memory_runs_out"), 8);
    uint64_t most = how_many(80, 400), most_large = how_many(8, 25);

    (void)state;
    for (int values = RANDOM_ONES; values <= RANDOM_EIGHTHS; values += 2) {
        Table small = {0}, large = {0};

        noisy_table(&small, &random, 40, 3, values);
        for (size_t i = 0; i < 4; i++)
            fail_in_turn(
                &random, &small, "kernel-svm",
                (const char *const[]){"solver", solvers[i], "fourier_features", "20", NULL}, most);
        fail_in_turn(&random, &small, "kernel-svm", (const char *const[]){"kernel", "linear", NULL},
                     most);
        fail_in_turn(&random, &small, "kernel-perceptron",
                     (const char *const[]){"gamma", "0.1", NULL}, most);
        noisy_table(&large, &random, 1200, 2, values);
        fail_in_turn(&random, &large, "kernel-svm",
                     (const char *const[]){"C", "3", "gamma", "0.05", "cache_mb", "0.5", NULL},
                     most_large);
        table_free(&small);
        table_free(&large);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_agree),
        cmocka_unit_test(loops_find_what_they_say),
        cmocka_unit_test(exponential_is_accurate),
        cmocka_unit_test(rows_are_the_formula),
        cmocka_unit_test(cache_gives_what_was_asked),
        cmocka_unit_test(smo_is_optimal_whatever_the_cache),
        cmocka_unit_test(stochastic_comes_near),
        cmocka_unit_test(random_features_agree),
        cmocka_unit_test(memory_runs_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
