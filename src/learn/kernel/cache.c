#include "learn/kernel/cache.h"

Status clv_cache_init(Cache *cache, Evaluator *evaluator, const View *whole, double megabytes,
                      cleave_error *error)
{
    uint32_t count = whole->count;
    double bytes = megabytes * 1048576;

    *cache = (Cache){.context = evaluator->context,
                     .evaluator = evaluator,
                     .points = whole->points,
                     .whole = whole,
                     .view = whole,
                     .budget = bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX / 2};
    TRY(ALLOC_ZERO(cache->context, cache->row, (size_t)count + 1, "the list of cached kernel rows",
                   error));
    cache->row[count].before = cache->row[count].after = count;
    return OK;
}

static void forget_epochs(Cache *cache)
{
    for (uint32_t i = 0; i < cache->epoch; i++)
        clv_free(cache->context, cache->kept[i]);
    cache->epoch = 0;
}

void clv_cache_free(Cache *cache)
{
    if (!cache->context)
        return;
    for (uint32_t i = 0; cache->row && i < cache->points->count; i++)
        clv_free(cache->context, cache->row[i].values);
    forget_epochs(cache);
    FREE(cache->context, cache->kept, cache->kept_count, cache->row);
    *cache = (Cache){0};
}

bool clv_cache_holds_all(const Cache *cache)
{
    return (double)cache->points->count * (double)cache->points->count * sizeof(float) <=
           (double)cache->budget;
}

/* ---- list of use, most recently used first --------------------------------------------------- */

static void unlink_row(Cache *cache, uint32_t point)
{
    struct CachedRow *row = &cache->row[point];

    cache->row[row->before].after = row->after;
    cache->row[row->after].before = row->before;
}

static void link_first(Cache *cache, uint32_t point)
{
    uint32_t ends = cache->points->count, first = cache->row[ends].after;

    cache->row[point].before = ends;
    cache->row[point].after = first;
    cache->row[first].before = point;
    cache->row[ends].after = point;
}

static void forget(Cache *cache, uint32_t point)
{
    struct CachedRow *row = &cache->row[point];

    unlink_row(cache, point);
    cache->used -= row->capacity * sizeof *row->values;
    clv_free(cache->context, row->values);
    *row = (struct CachedRow){0};
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Frees unused memory of a row. */
static void trim(Cache *cache, struct CachedRow *row)
{
    float *smaller;

    if (row->length == 0 || row->capacity / 2 < row->length)
        return;
    smaller = clv_resize(cache->context, row->values, row->length, sizeof *smaller);
    if (!smaller)
        return; /* memory is exhausted; the row keeps its size */
    cache->used -= (row->capacity - row->length) * sizeof *smaller;
    row->values = smaller;
    row->capacity = row->length;
}

static void shorten(Cache *cache, struct CachedRow *row)
{
    if (row->epoch == cache->epoch)
        return;
    for (; row->epoch < cache->epoch; row->epoch++) {
        const uint32_t *kept = cache->kept[row->epoch];

        row->length = cache->kept_count[row->epoch];
        for (uint32_t k = 0; k < row->length; k++)
            row->values[k] = row->values[kept[k]];
    }
    trim(cache, row);
}

/* Evicts rows, except the last one used, until this many bytes fit. Reuses a row of the right
 * size. */
static float *make_room(Cache *cache, uint32_t length, uint32_t *capacity)
{
    uint32_t ends = cache->points->count;
    float *values = NULL;

    *capacity = length;
    while (!values && cache->used + length * sizeof(float) > cache->budget) {
        uint32_t last = cache->row[ends].before;
        struct CachedRow *row = &cache->row[last];

        if (last == cache->row[ends].after)
            break;
        if (row->capacity >= length && row->capacity / 2 <= length) {
            values = row->values;
            *capacity = row->capacity;
            row->values = NULL;
        }
        forget(cache, last);
    }
    return values;
}

Status clv_cache_row(Cache *cache, uint32_t point, const float **values, cleave_error *error)
{
    struct CachedRow *row = &cache->row[point];
    uint32_t length = cache->view->count;

    if (row->values) {
        cache->found++;
        shorten(cache, row);
        unlink_row(cache, point);
        link_first(cache, point);
        *values = row->values;
        return OK;
    }
    row->values = make_room(cache, length, &row->capacity);
    if (!row->values)
        TRY(ALLOC(cache->context, row->values, length, "a kernel row", error));
    cache->used += row->capacity * sizeof *row->values;
    row->length = length;
    row->epoch = cache->epoch;
    link_first(cache, point);
    cache->computed++;
    clv_evaluate(cache->evaluator, cache->view, point_row(cache->points, point), row->values);
    *values = row->values;
    return OK;
}

Status clv_cache_shrink(Cache *cache, uint32_t *kept, uint32_t count, const View *view,
                        cleave_error *error)
{
    Status status = GROW(cache->context, cache->kept, cache->kept_capacity,
                         (size_t)cache->epoch + 1, error);

    THEN(status, GROW(cache->context, cache->kept_count, cache->kept_count_capacity,
                      (size_t)cache->epoch + 1, error));
    if (status != OK) {
        clv_free(cache->context, kept);
        return status;
    }
    cache->kept[cache->epoch] = kept;
    cache->kept_count[cache->epoch++] = count;
    cache->view = view;
    return OK;
}

void clv_cache_unshrink(Cache *cache)
{
    for (uint32_t i = 0; i < cache->points->count && cache->epoch; i++)
        if (cache->row[i].values && cache->row[i].length < cache->points->count)
            forget(cache, i);
    /* Full rows were computed in the first epoch. */
    forget_epochs(cache);
    cache->view = cache->whole;
}
