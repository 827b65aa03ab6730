#include "learn/neighbor/gower.h"

/* ---- learning -------------------------------------------------------------------------------- */

static bool is_category(const Names *names, const Schema *schema, uint32_t column)
{
    char buffer[24];
    const char *name;
    int found;

    if (!schema || !names || names->implicit || !clv_schema_is_table(schema) ||
        column >= names->count)
        return false;
    name = clv_names_get(names, column, buffer);
    found = clv_schema_find(schema, name, strlen(name));
    return found >= 0 && schema->column[found].kind == COLUMN_CATEGORY;
}

typedef struct {
    double *least, *most;
    uint32_t *entries; /* number of nonzero values, including missing ones */
} Ranges;

static void look_at(Ranges *ranges, uint32_t column, float value)
{
    if (value == 0)
        return;
    ranges->entries[column]++;
    if (value == MISSING_VALUE)
        return;
    if ((double)value < ranges->least[column])
        ranges->least[column] = (double)value;
    if ((double)value > ranges->most[column])
        ranges->most[column] = (double)value;
}

static void look_at_rows(Ranges *ranges, const Vectors *vectors)
{
    for (uint32_t i = 0; i < vectors->features; i++) {
        ranges->least[i] = (double)INFINITY;
        ranges->most[i] = -(double)INFINITY;
    }
    for (uint32_t row = 0; row < vectors->count; row++) {
        if (vectors->dense)
            for (uint32_t i = 0; i < vectors->features; i++)
                look_at(ranges, i, dense_row(vectors, row)[i]);
        else
            for (uint64_t i = sparse_start(vectors, row); i < vectors->end[row]; i++)
                look_at(ranges, vectors->column[i], vectors->value[i]);
    }
}

/* 0 is a value if some row has the value 0. */
static double range_of(const Ranges *ranges, uint32_t column, uint32_t rows)
{
    double least = ranges->least[column], most = ranges->most[column];

    if (ranges->entries[column] < rows) {
        least = least < 0 ? least : 0;
        most = most > 0 ? most : 0;
    }
    return most > least ? most - least : 0;
}

Status clv_gower_learn(Context *context, const Vectors *vectors, const Names *names,
                       const Schema *schema, double **scale, cleave_error *error)
{
    size_t capacity = (size_t)vectors->features + 1;
    Ranges ranges = {.least = clv_alloc(context, capacity, sizeof(double)),
                     .most = clv_alloc(context, capacity, sizeof(double)),
                     .entries = clv_alloc_zero(context, capacity, sizeof(uint32_t))};

    *scale = clv_alloc_zero(context, capacity, sizeof **scale);
    if (ranges.least && ranges.most && ranges.entries && *scale) {
        look_at_rows(&ranges, vectors);
        for (uint32_t i = 0; i < vectors->features; i++) {
            double range = is_category(names, schema, i) ? 0 : range_of(&ranges, i, vectors->count);

            (*scale)[i] = range > 0 ? 1 / range : 0;
        }
    } else {
        clv_free(context, *scale);
        *scale = NULL;
    }
    FREE(context, ranges.least, ranges.most, ranges.entries);
    return *scale ? OK : clv_fail_memory(error, "column ranges", 4 * capacity * sizeof(double));
}

Status clv_gower_put(Model *model, const double *scale, uint32_t count, uint32_t features,
                     cleave_error *error)
{
    double *all;

    TRY(ALLOC_ZERO(model->context, all, (size_t)features + 1, "column ranges", error));
    memcpy(all, scale, (count < features ? count : features) * sizeof *all);
    return clv_bundle_take(model->bundle, "gower_scale", BUNDLE_F64, all, features, error);
}

bool clv_gower_of_model(const Model *model, const double **scale)
{
    const BundleItem *item = clv_bundle_get(model->bundle, "gower_scale", BUNDLE_F64);

    *scale = NULL;
    if (!item || item->count != model->features)
        return false;
    *scale = item->data;
    for (uint32_t i = 0; i < model->features; i++)
        if (!((*scale)[i] >= 0 && isfinite((*scale)[i])))
            return false;
    return true;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* The difference in one column that both rows have. */
static inline double column_difference(double scale, float x, float q)
{
    return scale > 0 ? fabs((double)x - (double)q) * scale : x != q;
}

static inline bool both(float x, float q)
{
    return x != MISSING_VALUE && q != MISSING_VALUE;
}

static double mean_of(const double part[4], uint32_t columns)
{
    return columns ? ((part[0] + part[1]) + (part[2] + part[3])) / columns : 1;
}

/* The distance, or a number above the bound. The mean is at least the sum so far over the number
 * of all columns. If this exceeds the bound by more than the rounding error, the rest is
 * skipped. */
static double dense_key(const double *scale, const float *x, const float *q, uint32_t features,
                        double bound)
{
    double part[4] = {0}, sum = 0, most = bound * features * (1 + 1e-6);
    uint32_t columns = 0;

    for (uint32_t i = 0; i < features; i++) {
        double apart;

        if (!both(x[i], q[i]))
            continue;
        apart = column_difference(scale[i], x[i], q[i]);
        part[i % 4] += apart;
        sum += apart;
        columns++;
        if (sum > most)
            return (double)INFINITY;
    }
    return mean_of(part, columns);
}

/* Columns that neither row stores are 0 in both. */
static double sparse_key(const double *scale, const Vectors *vectors, uint32_t row,
                         const Query *query)
{
    uint64_t at = sparse_start(vectors, row), end = vectors->end[row];
    uint32_t columns = vectors->features;
    double part[4] = {0};
    size_t query_row = 0;

    while (at < end || query_row < query->known) {
        uint32_t p = at < end ? vectors->column[at] : UINT32_MAX;
        uint32_t a = query_row < query->known ? query->column[query_row] : UINT32_MAX,
                 column = p < a ? p : a;
        float x = p == column ? vectors->value[at++] : 0,
              q = a == column ? query->value[query_row++] : 0;

        if (both(x, q))
            part[column % 4] += column_difference(scale[column], x, q);
        else
            columns--;
    }
    return mean_of(part, columns);
}

static double key_within(const Metric *metric, const Vectors *vectors, uint32_t row,
                         const Query *query, double bound)
{
    return vectors->dense ? dense_key(metric->scale, dense_row(vectors, row), query->dense,
                                      vectors->features, bound)
                          : sparse_key(metric->scale, vectors, row, query);
}

double clv_gower_key(const Metric *metric, const Vectors *vectors, uint32_t row, const Query *query)
{
    return key_within(metric, vectors, row, query, (double)INFINITY);
}

void clv_gower_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t row = 0; row < index->built; row++) {
            double bound = nearest_bound(&nearest[i]);
            double key = key_within(&index->metric, &index->vectors, row, &queries[i], bound);

            nearest[i].candidates++;
            if (key <= bound)
                nearest_push(&nearest[i], key, row);
        }
}
