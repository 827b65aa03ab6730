/* Active selection beside random selection, simulated on labeled data. A repeat runs both on the
 * same pool and test rows. The interval of the gain is Student's t over the repeats, widened
 * because they share rows (Nadeau and Bengio 2003). */
#include "active/active.h"

#include "base/pool.h"
#include "eval/interval.h"
#include "train/train.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct {
    cleave_active_comparison facts; /* first: the caller has its address */
    Context *context;
    ActiveSetup setup;
    cleave_data *test;
    const char *name;
    Dataset *rows;
    ActivePool shared; /* with test data, all repeats have the same pool */
    uint64_t *labels;
    cleave_interval *mean[2];
    double *runs[2];
    size_t points, capacity;
    char summary[320], hint[200];

    pthread_mutex_t lock;
    bool has_lock;
    uint32_t failed, done; /* first failed repeat */
    Status failure;
    cleave_error failure_error;
} Comparison;

void cleave_active_comparison_free(cleave_active_comparison *facts)
{
    Comparison *comparison = (Comparison *)facts;

    if (!comparison)
        return;
    clv_active_pool_free(&comparison->shared);
    clv_active_setup_free(comparison->context, &comparison->setup);
    if (comparison->has_lock)
        pthread_mutex_destroy(&comparison->lock);
    FREE(comparison->context, comparison->labels, comparison->mean[0], comparison->mean[1],
         comparison->runs[0], comparison->runs[1], comparison);
}

/* ---- a repeat -------------------------------------------------------------------------------- */

/* Reveals labels until the budget or the pool is exhausted. */
static Status reveal(const ActiveSetup *setup, RowSelection *selection, cleave_error *error)
{
    const ActivePool *pool = selection->pool;

    while (selection->labeled < setup->options.budget) {
        uint32_t row;

        TRY(clv_selection_next(selection, &row, error));
        if (row == NO_ROW)
            break;
        if (pool->truth[row] == UNLABELED)
            TRY(clv_selection_skip(selection, row, error));
        else
            TRY(clv_selection_label(selection, row,
                                    pool->source->labels.list[pool->truth[row]].text, error));
    }
    return clv_selection_refresh(selection, error);
}

/* The error rate with at most this number of labels. */
static void keep_points(Comparison *comparison, const RowSelection *selection, int which,
                        uint32_t repeat)
{
    double *runs = comparison->runs[which] + repeat * comparison->points;
    size_t at = 0;

    for (size_t i = 0; i < comparison->points; i++) {
        while (at + 1 < selection->point_count &&
               selection->point[at + 1].labels <= comparison->labels[i])
            at++;
        runs[i] = selection->point_count ? selection->point[at].error : (double)NAN;
    }
}

static Status run_one(Comparison *comparison, Context *context, const ActivePool *pool,
                      uint32_t repeat, int which, cleave_error *error)
{
    const ActiveSetup *setup = &comparison->setup;
    RowSelection selection = {.pool = pool,
                              .method = setup->method,
                              .method_options = setup->method_options,
                              .run = &setup->run,
                              .options = &setup->options,
                              .strategy = which ? STRATEGY_RANDOM : setup->options.selection,
                              .seed = (uint64_t)setup->run.seed + repeat};
    Status status = clv_selection_begin(&selection, context, error);

    THEN(status, reveal(setup, &selection, error));
    if (status == OK)
        keep_points(comparison, &selection, which, repeat);
    clv_selection_free(&selection);
    return status;
}

static Status run_repeat(Comparison *comparison, Context *context, uint32_t repeat,
                         cleave_error *error)
{
    const ActiveSetup *setup = &comparison->setup;
    PoolPlan plan = {.method = setup->method,
                     .method_options = setup->method_options,
                     .run = &setup->run,
                     .hide_labels = true,
                     .name = comparison->name};
    ActivePool own = {.count = 0};
    Folds folds = {.count = 0};
    Status status = OK;

    if (!comparison->test) {
        plan.folds = &folds;
        status = clv_active_split(comparison->rows, setup, (uint64_t)setup->run.seed + repeat,
                                  &folds, error);
        THEN(status, clv_active_pool_make(context, comparison->rows, &plan, &own, error));
    }
    for (int which = 0; which < 2; which++)
        THEN(status, run_one(comparison, context, comparison->test ? &comparison->shared : &own,
                             repeat, which, error));
    if (status == OK && repeat == 0) {
        const ActivePool *pool = comparison->test ? &comparison->shared : &own;

        comparison->facts.pool_rows = pool->count;
        comparison->facts.test_rows = pool->test->rows;
    }
    clv_active_pool_free(&own);
    clv_folds_free(&folds);
    return status;
}

static void work(void *user, uint32_t repeat, unsigned worker)
{
    Comparison *comparison = user;
    Context quiet = {.config = comparison->context->config};
    cleave_error error = {.code = CLEAVE_OK};
    Status status;

    quiet.config.log = NULL;
    quiet.config.progress = NULL;
    quiet.config.threads = 1;
    status = run_repeat(comparison, &quiet, repeat, &error);
    pthread_mutex_lock(&comparison->lock);
    if (status != OK && (comparison->failure == OK || repeat < comparison->failed)) {
        comparison->failed = repeat;
        comparison->failure = status;
        comparison->failure_error = error;
    }
    comparison->done++;
    pthread_mutex_unlock(&comparison->lock);
    if (worker == 0)
        clv_progress(comparison->context,
                     &(cleave_progress){.phase = "compare",
                                        .rows = comparison->done,
                                        .rows_total = comparison->facts.repeats});
}

/* ---- conclusions ----------------------------------------------------------------------------- */

/* Repeats share test rows and rows of the pool, as folds do. */
static cleave_interval over_repeats(const Comparison *comparison, const double *values)
{
    double ratio = comparison->test
                       ? 0
                       : (double)comparison->facts.test_rows / (double)comparison->facts.pool_rows;
    Interval found = clv_mean_of_folds(values, comparison->facts.repeats, ratio);

    return (cleave_interval){found.middle, found.low, found.high};
}

static void average(Comparison *comparison, double *values, double *gains)
{
    uint32_t repeats = comparison->facts.repeats;
    size_t points = comparison->points;

    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < points; i++) {
            for (uint32_t r = 0; r < repeats; r++)
                values[r] = comparison->runs[which][r * points + i];
            comparison->mean[which][i] = over_repeats(comparison, values);
        }
    for (uint32_t r = 0; r < repeats; r++) {
        gains[r] = 0;
        for (size_t i = 0; i < points; i++)
            gains[r] += (comparison->runs[1][r * points + i] -
                         comparison->runs[0][r * points + i]) /
                        (double)points;
    }
    comparison->facts.gain = over_repeats(comparison, gains);
}

static void compare_labels(Comparison *comparison)
{
    double reached = comparison->mean[0][comparison->points - 1].value;

    for (size_t i = 0; i < comparison->points; i++)
        if (comparison->mean[1][i].value <= reached) {
            comparison->facts.random_labels = comparison->labels[i];
            return;
        }
}

static void tell(Comparison *comparison)
{
    cleave_active_comparison *facts = &comparison->facts;
    const char *strategy = facts->strategy;
    double gain = 100 * facts->gain.value, low = 100 * facts->gain.low,
           high = 100 * facts->gain.high;

    facts->summary = comparison->summary;
    facts->hint = comparison->hint;
    if (isnan(low)) {
        snprintf(comparison->summary, sizeof comparison->summary,
                 "It is not known whether %s selection pays off: one simulation has no interval",
                 strategy);
        snprintf(comparison->hint, sizeof comparison->hint, "use --simulations 5");
        return;
    }
    facts->conclusion = (low > 0) - (high < 0);
    if (facts->conclusion > 0)
        snprintf(comparison->summary, sizeof comparison->summary,
                 "%s selection pays off: its mean error rate is %.2f points lower than that of "
                 "random selection (95%% interval %.2f to %.2f)",
                 strategy, gain, low, high);
    else if (facts->conclusion < 0)
        snprintf(comparison->summary, sizeof comparison->summary,
                 "%s selection does not pay off: its mean error rate is %.2f points higher than "
                 "that of random selection (95%% interval %.2f to %.2f)",
                 strategy, -gain, -high, -low);
    else
        snprintf(comparison->summary, sizeof comparison->summary,
                 "It is not known whether %s selection pays off: the difference of the mean error "
                 "rates is %.2f points (95%% interval %.2f to %.2f)",
                 strategy, gain, low, high);
}

static Status conclude(Comparison *comparison, cleave_error *error)
{
    double *values;

    TRY(ALLOC(comparison->context, values, 2 * (size_t)comparison->facts.repeats, "repeats",
              error));
    average(comparison, values, values + comparison->facts.repeats);
    clv_free(comparison->context, values);
    compare_labels(comparison);
    tell(comparison);
    comparison->facts.labels = comparison->labels;
    comparison->facts.point_count = comparison->points;
    comparison->facts.active = comparison->mean[0];
    comparison->facts.random = comparison->mean[1];
    comparison->facts.active_runs = comparison->runs[0];
    comparison->facts.random_runs = comparison->runs[1];
    return OK;
}

/* ---- all together ---------------------------------------------------------------------------- */

static Status check_labels(const Comparison *comparison, cleave_error *error)
{
    const Labels *labels = &comparison->rows->labels;
    uint32_t classes = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        classes += labels->list[i].count > 0;
    if (classes > 1)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "a comparison requires labeled rows of at least two classes",
        "%s: the data has %u class%s", comparison->name, classes, classes == 1 ? "" : "es");
}

/* One point for each batch of labels, as far as the pool goes. */
static Status make_points(Comparison *comparison, cleave_error *error)
{
    const ActiveOptions *options = &comparison->setup.options;
    const Labels *labels = &comparison->rows->labels;
    uint64_t labeled = 0, most;

    for (uint32_t i = 0; i < labels->count; i++)
        labeled += labels->list[i].count;
    if (!comparison->test)
        labeled = (uint64_t)((double)labeled * (1 - options->test_fraction));
    most = (uint64_t)options->budget < labeled ? (uint64_t)options->budget : labeled;
    comparison->points = (size_t)((most + (uint64_t)options->train_every - 1) /
                                  (uint64_t)options->train_every);
    if (comparison->points == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: the pool has no labeled rows",
                        comparison->name);
    TRY(ALLOC(comparison->context, comparison->labels, comparison->points, "points", error));
    for (size_t i = 0; i < comparison->points; i++)
        comparison->labels[i] = (i + 1) * (uint64_t)options->train_every;
    comparison->labels[comparison->points - 1] = most;
    for (int which = 0; which < 2; which++) {
        TRY(ALLOC(comparison->context, comparison->mean[which], comparison->points, "points",
                  error));
        TRY(ALLOC(comparison->context, comparison->runs[which],
                  comparison->points * comparison->facts.repeats, "points", error));
    }
    return OK;
}

static Status compare(Comparison *comparison, cleave_data *pool, cleave_error *error)
{
    ActiveSetup *setup = &comparison->setup;
    PoolPlan plan = {.method = setup->method,
                     .method_options = setup->method_options,
                     .run = &setup->run,
                     .hide_labels = true,
                     .test = comparison->test,
                     .name = comparison->name};

    if (setup->options.simulations == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "--simulations 0: there is nothing to compare");
    if (!comparison->test && setup->options.test_fraction == 0)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "omit --test-fraction 0, or give a test set",
                             "a comparison requires test rows");
    comparison->facts.repeats = (uint32_t)setup->options.simulations;
    comparison->facts.method = setup->method->name;
    comparison->facts.strategy = clv_strategy_name(setup->options.selection);
    comparison->facts.seed = (uint64_t)setup->run.seed;
    TRY(clv_data_training_set(pool, &comparison->rows, error));
    TRY(check_labels(comparison, error));
    TRY(make_points(comparison, error));
    if (comparison->test)
        TRY(clv_active_pool_make(comparison->context, comparison->rows, &plan, &comparison->shared,
                                 error));
    if (pthread_mutex_init(&comparison->lock, NULL) != 0)
        return clv_fail_memory(error, "a lock", sizeof comparison->lock);
    comparison->has_lock = true;
    clv_pool_run(comparison->context, comparison->facts.repeats, work, comparison);
    if (comparison->failure != OK) {
        if (error)
            *error = comparison->failure_error;
        return comparison->failure;
    }
    return conclude(comparison, error);
}

cleave_code cleave_active_compare(cleave_context *context, const char *method, cleave_data *pool,
                                  cleave_data *test, const cleave_options *options,
                                  const cleave_options *training, cleave_active_comparison **result,
                                  cleave_error *error)
{
    REQUIRE(context && method && pool && result);
    Comparison *comparison;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, comparison, 1, "a comparison", error));
    comparison->context = context;
    comparison->test = test;
    comparison->name = clv_data_name(pool);
    status = clv_active_setup(context, method, options, training, &comparison->setup, error);
    THEN(status, compare(comparison, pool, error));
    if (status == OK)
        *result = &comparison->facts;
    else
        cleave_active_comparison_free(&comparison->facts);
    return status;
}
