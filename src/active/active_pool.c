#include "active/active_pool.h"

#include "base/hash.h"
#include "base/pool.h"
#include "pipeline/pipeline.h"
#include "train/pipeline_fit.h"
#include "train/train.h"

#include <stdlib.h>

void clv_active_pool_free(ActivePool *pool)
{
    clv_dataset_free(pool->test);
    clv_dataset_free(pool->made);
    clv_dataset_free(pool->unlabeled);
    if (pool->owns_rows)
        clv_dataset_free(pool->rows);
    clv_pipeline_release(pool->pipeline);
    if (pool->context)
        FREE(pool->context, pool->origin, pool->truth, pool->twin, pool->typical);
    *pool = (ActivePool){.count = 0};
}

Dataset *clv_active_pool_features(const ActivePool *pool)
{
    return pool->made ? pool->made : pool->unlabeled ? pool->unlabeled : pool->rows;
}

Status clv_active_row_at(Dataset *dataset, uint32_t row, Block *block, uint32_t *place,
                         cleave_error *error)
{
    uint32_t low = 0, high = dataset->blocks;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (dataset->block[middle].first_row <= row)
            low = middle;
        else
            high = middle;
    }
    *place = (uint32_t)(row - dataset->block[low].first_row);
    return clv_dataset_block(dataset, low, block, error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status part_source(const ActivePool *pool, const Folds *folds, bool others, Source **rows,
                          cleave_error *error)
{
    return clv_fold_source(pool->context, pool->source,
                           &(FoldRows){.folds = folds, .part = 1, .others = others}, rows, error);
}

static Status load_pool(const ActivePool *pool, const Folds *folds, Dataset **loaded,
                        cleave_error *error)
{
    Source *rows;
    Status status;

    TRY(part_source(pool, folds, true, &rows, error));
    status = clv_dataset_load(rows, loaded, error);
    clv_source_close(rows);
    return status;
}

static Status find_truth(ActivePool *pool, cleave_error *error)
{
    TRY(ALLOC(pool->context, pool->truth, pool->count, "labels of the pool", error));
    for (uint32_t i = 0; i < pool->rows->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(pool->rows, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++)
            pool->truth[pool->rows->block[i].first_row + row] = block_label(&block, row);
    }
    return OK;
}

static Status hide_labels(ActivePool *pool, cleave_error *error)
{
    TRY(clv_dataset_new(pool->context, &pool->unlabeled, error));
    for (uint32_t i = 0; i < pool->rows->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(pool->rows, i, &block, error));
        block.target_form = TARGETS_NONE;
        block.target = NULL;
        TRY(clv_dataset_borrow(pool->unlabeled, &block, error));
    }
    pool->unlabeled->features = pool->rows->features;
    TRY(clv_names_copy(&pool->unlabeled->names, &pool->rows->names, error));
    return clv_schema_copy(&pool->unlabeled->schema, &pool->rows->schema, error);
}

static Status take_rows(ActivePool *pool, const PoolPlan *plan, cleave_error *error)
{
    Dataset *source = pool->source;

    if (source->rows >= NO_ROW)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: a pool has at most %u rows", plan->name,
                        NO_ROW - 1);
    if (source->rows == 0)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: the pool is empty", plan->name);
    if (source->numbers)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "name another column with --label",
                             "%s: the labels are numbers of a regression, not classes", plan->name);
    pool->rows = source;
    if (plan->folds) {
        uint32_t count = 0;

        TRY(load_pool(pool, plan->folds, &pool->rows, error));
        pool->owns_rows = true;
        TRY(ALLOC(pool->context, pool->origin, pool->rows->rows, "rows of the pool", error));
        for (uint32_t row = 0; row < source->rows; row++)
            if (plan->folds->of[row] != 1)
                pool->origin[count++] = row;
    }
    pool->count = (uint32_t)pool->rows->rows;
    TRY(find_truth(pool, error));
    return plan->hide_labels ? hide_labels(pool, error) : OK;
}

/* ---- features -------------------------------------------------------------------------------- */

static Status make_test(ActivePool *pool, const PoolPlan *plan, cleave_error *error)
{
    const Job job = {.method = plan->method, .pipeline = pool->pipeline};
    Source *source = NULL;
    Status status;

    if (plan->test) {
        TRY(clv_data_source(plan->test, &source, error));
        return clv_load_held_out(source, &job, pool->source, &pool->test, error);
    }
    if (!plan->folds)
        return OK;
    TRY(part_source(pool, plan->folds, false, &source, error));
    status = clv_load_held_out(source, &job, pool->source, &pool->test, error);
    clv_source_close(source);
    return status;
}

typedef struct {
    uint64_t hash;
    uint32_t row;
} HashedRow;

static int by_hash(const void *a, const void *b)
{
    const HashedRow *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows with equal hashes of 64 bits are taken for equal. */
static void link_twins(ActivePool *pool, HashedRow *hashed)
{
    qsort(hashed, pool->count, sizeof *hashed, by_hash);
    for (uint32_t first = 0, i = 0; i < pool->count; i++) {
        bool last = i + 1 == pool->count || hashed[i + 1].hash != hashed[i].hash;

        pool->twin[hashed[i].row] = hashed[last ? first : i + 1].row;
        if (last)
            first = i + 1;
    }
}

static uint64_t hash_row(const Block *block, uint32_t row)
{
    Hash hash;

    clv_hash_start(&hash, 0);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        if (walk.value == 0)
            continue;
        clv_hash_add(&hash, &walk.column, sizeof walk.column);
        clv_hash_add(&hash, &walk.value, sizeof walk.value);
    }
    return clv_hash_end(&hash);
}

/* sum += the row, scaled to length 1. */
static void add_direction(const Block *block, uint32_t row, double *sum)
{
    double norm = sqrt(clv_block_norm2(block, row));

    if (norm > 0)
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            sum[walk.column] += (double)walk.value / norm;
}

static double cosine(const Block *block, uint32_t row, const double *other, double other_norm)
{
    double norm = sqrt(clv_block_norm2(block, row)) * other_norm, dot = 0;

    if (!(norm > 0))
        return 0;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        dot += (double)walk.value * other[walk.column];
    return dot / norm;
}

static Status describe_rows(ActivePool *pool, double *mean, HashedRow *hashed, cleave_error *error)
{
    Dataset *rows = clv_active_pool_features(pool);
    double norm = 0;
    Block block;

    for (uint32_t i = 0; i < rows->blocks; i++) {
        TRY(clv_dataset_block(rows, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t number = (uint32_t)rows->block[i].first_row + row;

            hashed[number] = (HashedRow){hash_row(&block, row), number};
            add_direction(&block, row, mean);
        }
        TRY(clv_poll(pool->context, error));
    }
    link_twins(pool, hashed);
    for (uint32_t i = 0; i < rows->features; i++)
        norm += mean[i] * mean[i];
    norm = sqrt(norm);
    for (uint32_t i = 0; i < rows->blocks; i++) {
        TRY(clv_dataset_block(rows, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++)
            pool->typical[rows->block[i].first_row + row] = cosine(&block, row, mean, norm);
    }
    return OK;
}

static Status describe(ActivePool *pool, cleave_error *error)
{
    HashedRow *hashed = NULL;
    double *mean = NULL;
    Status status = ALLOC(pool->context, pool->twin, pool->count, "rows of the pool", error);

    THEN(status, ALLOC(pool->context, pool->typical, pool->count, "rows of the pool", error));
    THEN(status, ALLOC(pool->context, hashed, pool->count, "rows of the pool", error));
    THEN(status, ALLOC_ZERO(pool->context, mean, clv_active_pool_features(pool)->features + 1U,
                            "the mean of the pool", error));
    THEN(status, describe_rows(pool, mean, hashed, error));
    FREE(pool->context, hashed, mean);
    return status;
}

Status clv_active_pool_make(Context *context, Dataset *source, const PoolPlan *plan,
                            ActivePool *pool, cleave_error *error)
{
    *pool = (ActivePool){.context = context, .source = source};
    TRY(take_rows(pool, plan, error));
    TRY(clv_pipeline_fit(context, plan->method, plan->method_options, plan->run, 0,
                         clv_active_pool_features(pool), false, &pool->pipeline, &pool->made,
                         error));
    TRY(make_test(pool, plan, error));
    return describe(pool, error);
}

/* ---- similarity ------------------------------------------------------------------------------ */

typedef struct {
    Dataset *rows;
    const float *probe;
    double *similarity;
    _Atomic int failure;
} Comparing;

static void compare_block(void *user, uint32_t task, unsigned worker)
{
    Comparing *comparing = user;
    Block block;
    Status status = clv_dataset_block(comparing->rows, task, &block, NULL);

    (void)worker;
    if (status != OK) {
        comparing->failure = status;
        return;
    }
    for (uint32_t row = 0; row < block.rows; row++) {
        double *best = &comparing->similarity[comparing->rows->block[task].first_row + row];
        double norm = sqrt(clv_block_norm2(&block, row)), dot = 0;

        for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
            dot += (double)walk.value * (double)comparing->probe[walk.column];
        if (norm > 0 && dot / norm > *best)
            *best = dot / norm;
    }
}

Status clv_active_pool_similar(const ActivePool *pool, uint32_t row, float *probe,
                               double *similarity, cleave_error *error)
{
    Comparing comparing = {
        .rows = clv_active_pool_features(pool), .probe = probe, .similarity = similarity};
    uint32_t place;
    double norm;
    Block block;

    TRY(clv_active_row_at(comparing.rows, row, &block, &place, error));
    norm = sqrt(clv_block_norm2(&block, place));
    for (RowWalk walk = clv_walk(&block, place); norm > 0 && clv_walk_next(&walk);)
        probe[walk.column] = (float)((double)walk.value / norm);
    clv_pool_run(pool->context, comparing.rows->blocks, compare_block, &comparing);
    for (RowWalk walk = clv_walk(&block, place); clv_walk_next(&walk);)
        probe[walk.column] = 0;
    return comparing.failure == OK
               ? OK
               : clv_fail(error, (cleave_code)comparing.failure, "the pool cannot be read");
}
