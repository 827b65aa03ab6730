#include "learn/neighbor/vectors.h"

static Status add_entry(Gathered *gathered, uint32_t column, float value, cleave_error *error)
{
    TRY(GROW(gathered->context, gathered->column, gathered->column_capacity, gathered->entries + 1, error));
    TRY(GROW(gathered->context, gathered->value, gathered->value_capacity, gathered->entries + 1, error));
    gathered->column[gathered->entries] = column;
    gathered->value[gathered->entries++] = value;
    if (column >= gathered->features)
        gathered->features = column + 1;
    return OK;
}

static Status end_point(Gathered *gathered, cleave_error *error)
{
    TRY(GROW(gathered->context, gathered->end, gathered->end_capacity, (size_t)gathered->count + 1, error));
    gathered->end[gathered->count++] = gathered->entries;
    return OK;
}

Status clv_gathered_add(Gathered *gathered, const Block *block, uint32_t row, cleave_error *error)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        TRY(add_entry(gathered, walk.column, walk.value, error));
    return end_point(gathered, error);
}

Status clv_gathered_add_vector(Gathered *gathered, const Vectors *vectors, uint32_t row, cleave_error *error)
{
    if (vectors->dense) {
        const float *value = vectors->dense + (size_t)row * vectors->features;

        for (uint32_t i = 0; i < vectors->features; i++)
            if (value[i] != 0)
                TRY(add_entry(gathered, i, value[i], error));
    } else {
        for (uint64_t i = row ? vectors->end[row - 1] : 0; i < vectors->end[row]; i++)
            TRY(add_entry(gathered, vectors->column[i], vectors->value[i], error));
    }
    return end_point(gathered, error);
}

void clv_gathered_free(Gathered *gathered)
{
    if (!gathered->context)
        return;
    clv_free(gathered->context, gathered->end);
    clv_free(gathered->context, gathered->column);
    clv_free(gathered->context, gathered->value);
    *gathered = (Gathered){0};
}

Vectors clv_gathered_vectors(const Gathered *gathered)
{
    return (Vectors){.count = gathered->count,
                     .features = gathered->features,
                     .end = gathered->end,
                     .column = gathered->column,
                     .value = gathered->value};
}

/* ---- in a model --------------------------------------------------------------------------------------------------- */

static Status put_dense(const Gathered *gathered, uint32_t features, Model *model, cleave_error *error)
{
    size_t cells = (size_t)gathered->count * features;
    float *dense = clv_alloc_zero(model->context, cells, sizeof *dense);
    uint64_t at = 0;

    if (!dense)
        return clv_fail_memory(error, "points", cells * sizeof *dense);
    for (uint32_t row = 0; row < gathered->count; row++)
        for (; at < gathered->end[row]; at++)
            dense[(size_t)row * features + gathered->column[at]] = gathered->value[at];
    return clv_bundle_take(model->bundle, "vectors", BUNDLE_F32, dense, cells, error);
}

Status clv_vectors_to_model(const Gathered *gathered, uint32_t features, Model *model, cleave_error *error)
{
    /* Eight bytes an entry, four a cell. */
    if (features > 0 && 2 * gathered->entries >= (size_t)gathered->count * features)
        return put_dense(gathered, features, model, error);
    TRY(clv_bundle_put(model->bundle, "vector_ends", BUNDLE_U64, gathered->end, gathered->count, error));
    TRY(clv_bundle_put(model->bundle, "vector_columns", BUNDLE_U32, gathered->column, gathered->entries, error));
    return clv_bundle_put(model->bundle, "vector_values", BUNDLE_F32, gathered->value, gathered->entries, error);
}

static bool all_finite(const float *value, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

static bool rows_make_sense(const Vectors *vectors, uint64_t entries)
{
    uint64_t before = 0;

    for (uint32_t row = 0; row < vectors->count; row++) {
        uint64_t end = vectors->end[row];

        if (end < before || end > entries)
            return false;
        for (uint64_t i = before; i < end; i++)
            if (vectors->column[i] >= vectors->features || (i > before && vectors->column[i] <= vectors->column[i - 1]))
                return false;
        before = end;
    }
    return before == entries;
}

bool clv_vectors_of_model(const Model *model, Vectors *vectors)
{
    const BundleItem *dense = clv_bundle_get(model->bundle, "vectors", BUNDLE_F32);
    const BundleItem *ends = clv_bundle_get(model->bundle, "vector_ends", BUNDLE_U64);
    const BundleItem *columns = clv_bundle_get(model->bundle, "vector_columns", BUNDLE_U32);
    const BundleItem *values = clv_bundle_get(model->bundle, "vector_values", BUNDLE_F32);

    *vectors = (Vectors){.features = model->features};
    if (dense) {
        if (model->features == 0 || dense->count % model->features || dense->count / model->features > UINT32_MAX)
            return false;
        vectors->count = (uint32_t)(dense->count / model->features);
        vectors->dense = dense->data;
        return true;
    }
    if (!ends || !columns || !values || columns->count != values->count || ends->count > UINT32_MAX)
        return false;
    vectors->count = (uint32_t)ends->count;
    vectors->end = ends->data;
    vectors->column = columns->data;
    vectors->value = values->data;
    return true;
}

bool clv_vectors_check(const Model *model, Vectors *vectors)
{
    const BundleItem *values;

    if (!clv_vectors_of_model(model, vectors))
        return false;
    if (vectors->dense)
        return all_finite(vectors->dense, (uint64_t)vectors->count * vectors->features);
    values = clv_bundle_get(model->bundle, "vector_values", BUNDLE_F32);
    return rows_make_sense(vectors, values->count) && all_finite(vectors->value, values->count);
}

/* ---- a query ------------------------------------------------------------------------------------------------------ */

static Status spread(Query *query, uint32_t features, cleave_error *error)
{
    size_t before = query->spread_used;

    TRY(GROW(query->context, query->spread, query->spread_capacity, (size_t)features + 1, error));
    if (before != features) {
        memset(query->spread, 0, features * sizeof *query->spread);
        query->spread_used = features;
    }
    for (query->known = 0; query->known < query->count && query->columns[query->known] < features; query->known++)
        query->spread[query->columns[query->known]] = query->values[query->known];
    query->dense = query->spread;
    return OK;
}

Status clv_query_set(Query *query, const Block *block, uint32_t row, uint32_t features, cleave_error *error)
{
    for (size_t i = 0; i < query->known; i++)
        query->spread[query->columns[i]] = 0; /* of the query before */
    query->known = 0;
    query->count = 0;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk); query->count++) {
        TRY(GROW(query->context, query->columns, query->column_capacity, query->count + 1, error));
        TRY(GROW(query->context, query->values, query->value_capacity, query->count + 1, error));
        query->columns[query->count] = walk.column;
        query->values[query->count] = walk.value;
    }
    query->column = query->columns;
    query->value = query->values;
    return spread(query, features, error);
}

void clv_query_free(Query *query)
{
    if (!query->context)
        return;
    clv_free(query->context, query->columns);
    clv_free(query->context, query->values);
    clv_free(query->context, query->spread);
    *query = (Query){0};
}
