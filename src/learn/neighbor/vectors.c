#include "learn/neighbor/vectors.h"

#include "base/number.h"

#include <assert.h>

enum { FIRST_LOOK = 16 };

/* Points of at most NARROW columns are always dense; points of more than WIDEST columns never
 * are. */
enum {
    NARROW = 16,
    MIDDLING = 4096,
    WIDEST = 1 << 16,
    MOST_CELLS = 1 << 28 /* for mostly zero cells: one gigabyte */
};

/* Whether this many points are stored densely. An entry takes eight bytes, a cell four, but
 * contiguous cells are searched many times faster. */
static bool should_be_dense(const Gathered *gathered, uint64_t count, uint64_t features,
                            uint64_t entries)
{
    if (features == 0 || gathered->form == GATHER_SPARSE)
        return false;
    return features <= NARROW ||
           (gathered->form == GATHER_DENSE && features <= WIDEST &&
            count * features <= MOST_CELLS) ||
           (features <= MIDDLING ? 8 : 2) * entries >= count * features;
}

static Status add_entry(Gathered *gathered, uint32_t column, float value, cleave_error *error)
{
    TRY(GROW(gathered->context, gathered->column, gathered->column_capacity, gathered->entries + 1,
             error));
    TRY(GROW(gathered->context, gathered->value, gathered->value_capacity, gathered->entries + 1,
             error));
    gathered->column[gathered->entries] = column;
    gathered->value[gathered->entries++] = value;
    return OK;
}

/* Converts every point to a row of `stride` values. */
static Status spread_out(const Gathered *gathered, size_t stride, float **dense,
                         cleave_error *error)
{
    size_t cells = gathered->count * stride;
    uint64_t at = 0;

    TRY(ALLOC_ZERO(gathered->context, *dense, cells, "points", error));
    for (uint32_t row = 0; row < gathered->count; row++) {
        float *to = *dense + row * stride;

        if (gathered->stride)
            memcpy(to, gathered->dense + row * gathered->stride, gathered->features * sizeof *to);
        else
            for (; at < gathered->end[row]; at++)
                to[gathered->column[at]] = gathered->value[at];
    }
    return OK;
}

static void free_sparse(Gathered *gathered)
{
    FREE(gathered->context, gathered->end, gathered->column, gathered->value);
    gathered->end = NULL;
    gathered->column = NULL;
    gathered->value = NULL;
    gathered->end_capacity = gathered->column_capacity = gathered->value_capacity = 0;
}

/* Converts packed points to float32. */
static Status become_wide(Gathered *gathered, cleave_error *error)
{
    size_t cells = gathered->count * gathered->stride;
    float *dense;

    if (gathered->narrow == NARROW_NONE)
        return OK;
    TRY(ALLOC(gathered->context, dense, cells + 1, "points", error));
    clv_narrow_loops()->unpack[gathered->narrow](gathered->dense, cells, dense);
    clv_free(gathered->context, gathered->dense);
    gathered->dense = dense;
    gathered->dense_capacity = cells + 1;
    gathered->narrow = NARROW_NONE;
    return OK;
}

void clv_gathered_pack(Gathered *gathered)
{
    enum { FEW_CELLS = 1 << 16 }; /* of which little memory would be saved */
    size_t cells = gathered->count * gathered->stride;
    NarrowType type;
    float *smaller;

    if (gathered->narrow != NARROW_NONE || gathered->stride != gathered->features ||
        cells < FEW_CELLS)
        return;
    type = clv_narrow_type(gathered->dense, cells);
    if (type == NARROW_NONE)
        return;
    clv_narrow_pack(type, gathered->dense, cells);
    smaller = clv_resize(gathered->context, gathered->dense, cells, narrow_size(type));
    gathered->dense = smaller ? smaller : gathered->dense;
    gathered->narrow = type;
}

static Status become_dense(Gathered *gathered, size_t stride, cleave_error *error)
{
    float *dense;

    TRY(spread_out(gathered, stride, &dense, error));
    free_sparse(gathered);
    clv_free(gathered->context, gathered->dense);
    gathered->dense = dense;
    gathered->stride = stride;
    gathered->dense_capacity = gathered->count * stride;
    return OK;
}

static Status become_sparse(Gathered *gathered, cleave_error *error)
{
    size_t entries = gathered->entries;

    TRY(GROW(gathered->context, gathered->end, gathered->end_capacity, (size_t)gathered->count + 1,
             error));
    TRY(GROW(gathered->context, gathered->column, gathered->column_capacity, entries + 1, error));
    TRY(GROW(gathered->context, gathered->value, gathered->value_capacity, entries + 1, error));
    gathered->entries = 0;
    for (uint32_t row = 0; row < gathered->count; row++) {
        const float *from = gathered->dense + row * gathered->stride;

        for (uint32_t column = 0; column < gathered->features; column++)
            if (from[column] != 0) {
                gathered->column[gathered->entries] = column;
                gathered->value[gathered->entries++] = from[column];
            }
        gathered->end[row] = gathered->entries;
    }
    clv_free(gathered->context, gathered->dense);
    gathered->dense = NULL;
    gathered->stride = gathered->dense_capacity = 0;
    return OK;
}

/* Adapts the form to a new point with `entries` values in columns below `features`. */
static Status make_ready(Gathered *gathered, uint32_t features, size_t entries, cleave_error *error)
{
    uint64_t count = (uint64_t)gathered->count + 1, total = gathered->entries + entries;
    uint32_t width = features > gathered->features ? features : gathered->features;

    TRY(become_wide(gathered, error));
    if (gathered->stride && width > gathered->stride) {
        if (!should_be_dense(gathered, count, width, total))
            TRY(become_sparse(gathered, error));
        else
            /* reserves space for wider rows */
            TRY(become_dense(gathered, (size_t)width + width / 2, error));
    } else if (gathered->stride && count * gathered->stride > MOST_CELLS &&
               !should_be_dense(gathered, count, width, total)) {
        TRY(become_sparse(gathered, error));
    } else if (!gathered->stride &&
               (gathered->form == GATHER_DENSE ||
                (gathered->count >= FIRST_LOOK && gathered->count >= gathered->next_look))) {
        gathered->next_look = gathered->count < UINT32_MAX / 2 ? 2 * gathered->count : UINT32_MAX;
        if (should_be_dense(gathered, count, width, total))
            TRY(become_dense(gathered, width, error));
    }
    gathered->features = width;
    if (gathered->stride) {
        TRY(GROW(gathered->context, gathered->dense, gathered->dense_capacity,
                 count * gathered->stride, error));
        memset(gathered->dense + gathered->count * gathered->stride, 0,
               gathered->stride * sizeof *gathered->dense);
    }
    return OK;
}

static Status end_point(Gathered *gathered, cleave_error *error)
{
    if (!gathered->stride) {
        TRY(GROW(gathered->context, gathered->end, gathered->end_capacity,
                 (size_t)gathered->count + 1, error));
        gathered->end[gathered->count] = gathered->entries;
    }
    gathered->count++;
    return OK;
}

static Status put_entry(Gathered *gathered, uint32_t column, float value, cleave_error *error)
{
    if (!gathered->stride)
        return add_entry(gathered, column, value, error);
    gathered->dense[gathered->count * gathered->stride + column] = value;
    gathered->entries++;
    return OK;
}

Status clv_gathered_add(Gathered *gathered, const Block *block, uint32_t row, cleave_error *error)
{
    size_t entries = 0, before;
    uint32_t features = 0;
    Status status = OK;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        features = walk.column + 1;
        entries++;
    }
    TRY(make_ready(gathered, features, entries, error));
    before = gathered->entries;
    for (RowWalk walk = clv_walk(block, row); status == OK && clv_walk_next(&walk);)
        status = put_entry(gathered, walk.column, walk.value, error);
    if (status == OK)
        status = end_point(gathered, error);
    if (status != OK)
        gathered->entries = before;
    return status;
}

/* Adds the nonzero values of a packed row, a piece at a time. */
static Status put_packed(Gathered *gathered, const Vectors *vectors, uint32_t row,
                         cleave_error *error)
{
    enum { PIECE = 256 };
    const char *from = packed_row(vectors, row);
    float value[PIECE];

    for (uint32_t first = 0; first < vectors->features; first += PIECE) {
        uint32_t left = vectors->features - first, count = left < PIECE ? left : PIECE;

        vectors->unpack(from + first * narrow_size(vectors->narrow), count, value);
        for (uint32_t i = 0; i < count; i++)
            if (value[i] != 0)
                TRY(put_entry(gathered, first + i, value[i], error));
    }
    return OK;
}

Status clv_gathered_add_vector(Gathered *gathered, const Vectors *vectors, uint32_t row,
                               cleave_error *error)
{
    bool dense = vectors_are_dense(vectors);
    uint64_t start = dense ? 0 : sparse_start(vectors, row);
    size_t entries = dense ? vectors->features : (size_t)(vectors->end[row] - start);
    uint32_t features = dense     ? vectors->features
                        : entries ? vectors->column[start + entries - 1] + 1
                                  : 0;

    TRY(make_ready(gathered, features, entries, error));
    if (vectors->packed)
        TRY(put_packed(gathered, vectors, row, error));
    for (size_t i = 0; i < entries && !vectors->packed; i++) {
        float value = dense ? dense_row(vectors, row)[i] : vectors->value[start + i];

        if (value != 0)
            TRY(put_entry(gathered, dense ? (uint32_t)i : vectors->column[start + i], value,
                          error));
    }
    return end_point(gathered, error);
}

static void drop_dense(Gathered *gathered, uint32_t oldest)
{
    size_t cells = oldest * gathered->stride;

    assert(gathered->narrow == NARROW_NONE); /* the row that was added unpacked the others */
    for (size_t i = 0; i < cells; i++)
        gathered->entries -= gathered->dense[i] != 0;
    memmove(gathered->dense, gathered->dense + cells,
            (gathered->count * gathered->stride - cells) * sizeof *gathered->dense);
}

static void drop_sparse(Gathered *gathered, uint32_t oldest)
{
    uint64_t first = gathered->end[oldest - 1];

    for (uint32_t i = oldest; i < gathered->count; i++)
        gathered->end[i - oldest] = gathered->end[i] - first;
    gathered->entries -= (size_t)first;
    memmove(gathered->column, gathered->column + first,
            gathered->entries * sizeof *gathered->column);
    memmove(gathered->value, gathered->value + first, gathered->entries * sizeof *gathered->value);
}

void clv_gathered_drop(Gathered *gathered, uint32_t oldest)
{
    if (oldest == 0)
        return;
    if (gathered->stride)
        drop_dense(gathered, oldest);
    else if (gathered->end)
        drop_sparse(gathered, oldest);
    gathered->count -= oldest;
}

Status clv_gathered_settle(Gathered *gathered, uint32_t features, cleave_error *error)
{
    bool dense = gathered->count > 0 &&
                 should_be_dense(gathered, gathered->count, features, gathered->entries);

    if (dense ? gathered->stride == features : !gathered->stride)
        return OK;
    TRY(become_wide(gathered, error));
    return dense ? become_dense(gathered, features, error) : become_sparse(gathered, error);
}

void clv_gathered_free(Gathered *gathered)
{
    if (!gathered->context)
        return;
    free_sparse(gathered);
    clv_free(gathered->context, gathered->dense);
    *gathered = (Gathered){0};
}

Vectors clv_gathered_vectors(const Gathered *gathered)
{
    bool packed = gathered->narrow != NARROW_NONE;

    return (Vectors){.count = gathered->count,
                     .features = gathered->features,
                     .dense = gathered->stride && !packed ? gathered->dense : NULL,
                     .packed = packed ? (const char *)gathered->dense : NULL,
                     .narrow = gathered->narrow,
                     .unpack = clv_narrow_loops()->unpack[gathered->narrow],
                     .stride = gathered->stride,
                     .end = gathered->end,
                     .column = gathered->column,
                     .value = gathered->value};
}

/* ---- in a model ------------------------------------------------------------------------------ */

static const char *const dense_names[NARROW_TYPES] = {"vectors", "vectors_uint8", "vectors_int8",
                                                      "vectors_float16", "vectors_bfloat16"};

static BundleArray dense_array(const Gathered *gathered)
{
    uint64_t cells = (uint64_t)gathered->count * gathered->stride;
    bool packed = gathered->narrow != NARROW_NONE;

    return (BundleArray){.name = dense_names[gathered->narrow],
                         .type = packed ? BUNDLE_BYTES : BUNDLE_F32,
                         .data = gathered->dense,
                         .count = packed ? cells * narrow_size(gathered->narrow) : cells};
}

static Status put_dense(const Gathered *gathered, uint32_t features, Model *model,
                        cleave_error *error)
{
    BundleArray packed = dense_array(gathered);
    float *dense;

    if (gathered->narrow != NARROW_NONE)
        return clv_bundle_put(model->bundle, packed.name, packed.type, packed.data, packed.count,
                              error);
    TRY(spread_out(gathered, features, &dense, error));
    return clv_bundle_take(model->bundle, "vectors", BUNDLE_F32, dense,
                           (uint64_t)gathered->count * features, error);
}

Status clv_vectors_to_model(const Gathered *gathered, uint32_t features, Model *model,
                            cleave_error *error)
{
    if (gathered->stride ? features > 0
                         : should_be_dense(gathered, gathered->count, features, gathered->entries))
        return put_dense(gathered, features, model, error);
    TRY(clv_bundle_put(model->bundle, "vector_ends", BUNDLE_U64, gathered->end, gathered->count,
                       error));
    TRY(clv_bundle_put(model->bundle, "vector_columns", BUNDLE_U32, gathered->column,
                       gathered->entries, error));
    return clv_bundle_put(model->bundle, "vector_values", BUNDLE_F32, gathered->value,
                          gathered->entries, error);
}

Status clv_vectors_move_to_model(Gathered *gathered, uint32_t features, Model *model,
                                 cleave_error *error)
{
    Status status;

    if (gathered->stride && gathered->stride == features) {
        BundleArray dense = dense_array(gathered);

        gathered->dense = NULL;
        status = clv_bundle_take(model->bundle, dense.name, dense.type, dense.data, dense.count,
                                 error);
    } else {
        status = clv_vectors_to_model(gathered, features, model, error);
    }
    clv_gathered_free(gathered);
    return status;
}

static bool rows_make_sense(const Vectors *vectors, uint64_t entries)
{
    uint64_t before = 0;

    for (uint32_t row = 0; row < vectors->count; row++) {
        uint64_t end = vectors->end[row];

        if (end < before || end > entries)
            return false;
        for (uint64_t i = before; i < end; i++)
            if (vectors->column[i] >= vectors->features ||
                (i > before && vectors->column[i] <= vectors->column[i - 1]))
                return false;
        before = end;
    }
    return before == entries;
}

/* Reads dense points of a type. count: bytes, or values of float32. */
static bool read_dense(const BundleItem *item, NarrowType type, Vectors *vectors)
{
    uint64_t each = vectors->features * (type == NARROW_NONE ? 1 : narrow_size(type));

    if (each == 0 || item->count % each || item->count / each > UINT32_MAX)
        return false;
    vectors->count = (uint32_t)(item->count / each);
    vectors->stride = vectors->features;
    vectors->narrow = type;
    vectors->unpack = clv_narrow_loops()->unpack[type];
    if (type == NARROW_NONE)
        vectors->dense = item->data;
    else
        vectors->packed = item->data;
    return true;
}

bool clv_vectors_of_model(const Model *model, Vectors *vectors)
{
    const BundleItem *dense = clv_bundle_get(model->bundle, "vectors", BUNDLE_F32);
    const BundleItem *ends = clv_bundle_get(model->bundle, "vector_ends", BUNDLE_U64);
    const BundleItem *columns = clv_bundle_get(model->bundle, "vector_columns", BUNDLE_U32);
    const BundleItem *values = clv_bundle_get(model->bundle, "vector_values", BUNDLE_F32);

    *vectors = (Vectors){.features = model->features};
    if (dense)
        return read_dense(dense, NARROW_NONE, vectors);
    for (NarrowType type = NARROW_NONE + 1; type < NARROW_TYPES; type++) {
        dense = clv_bundle_get(model->bundle, dense_names[type], BUNDLE_BYTES);
        if (dense)
            return read_dense(dense, type, vectors);
    }
    if (!ends || !columns || !values || columns->count != values->count || ends->count > UINT32_MAX)
        return false;
    vectors->count = (uint32_t)ends->count;
    vectors->end = ends->data;
    vectors->column = columns->data;
    vectors->value = values->data;
    return true;
}

static bool packed_are_finite(const Vectors *vectors)
{
    enum { PIECE = 1024 };
    size_t size = narrow_size(vectors->narrow), cells = (size_t)vectors->count * vectors->features;
    float value[PIECE];

    for (size_t first = 0; first < cells; first += PIECE) {
        size_t count = cells - first < PIECE ? cells - first : PIECE;

        vectors->unpack(vectors->packed + first * size, count, value);
        for (size_t i = 0; vectors->narrow == NARROW_FLOAT16 && i < count; i++)
            if (fabsf(value[i]) > NARROW_LARGEST_HALF)
                return false; /* an infinity or NaN, which unpack to other numbers */
        if (!all_finite(value, count))
            return false;
    }
    return true;
}

bool clv_vectors_check(const Model *model, Vectors *vectors)
{
    const BundleItem *values;

    if (!clv_vectors_of_model(model, vectors))
        return false;
    if (vectors->dense)
        return all_finite(vectors->dense, (uint64_t)vectors->count * vectors->features);
    if (vectors->packed)
        return packed_are_finite(vectors);
    values = clv_bundle_get(model->bundle, "vector_values", BUNDLE_F32);
    return rows_make_sense(vectors, values->count) && all_finite(vectors->value, values->count);
}

/* ---- a query --------------------------------------------------------------------------------- */

static Status spread(Query *query, uint32_t features, cleave_error *error)
{
    size_t before = query->spread_used;

    if (query->sparse && features > MOST_SPREAD) {
        query->dense = NULL;
        while (query->known < query->count && query->columns[query->known] < features)
            query->known++;
        return OK;
    }
    TRY(GROW(query->context, query->spread, query->spread_capacity, (size_t)features + 1, error));
    if (before != features) {
        memset(query->spread, 0, features * sizeof *query->spread);
        query->spread_used = features;
    }
    for (query->known = 0; query->known < query->count && query->columns[query->known] < features;
         query->known++)
        query->spread[query->columns[query->known]] = query->values[query->known];
    query->dense = query->spread;
    return OK;
}

/* Clears the unpacked values of the previous row. */
static void clear(Query *query)
{
    for (size_t i = 0; query->dense && query->dense == query->spread && i < query->known; i++)
        query->spread[query->columns[i]] = 0;
    query->known = 0;
    query->count = 0;
}

Status clv_query_set(Query *query, const Block *block, uint32_t row, uint32_t features,
                     cleave_error *error)
{
    clear(query);
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

Status clv_query_set_values(Query *query, const float *values, const Vectors *vectors,
                            cleave_error *error)
{
    clear(query);
    query->dense = values;
    if (vectors_are_dense(vectors))
        return OK;
    TRY(GROW(query->context, query->columns, query->column_capacity, vectors->features, error));
    TRY(GROW(query->context, query->values, query->value_capacity, vectors->features, error));
    for (uint32_t column = 0; column < vectors->features; column++)
        if (values[column] != 0) {
            query->columns[query->count] = column;
            query->values[query->count++] = values[column];
        }
    query->known = query->count;
    query->column = query->columns;
    query->value = query->values;
    return OK;
}

void clv_query_free(Query *query)
{
    if (!query->context)
        return;
    FREE(query->context, query->columns, query->values, query->spread);
    *query = (Query){0};
}
