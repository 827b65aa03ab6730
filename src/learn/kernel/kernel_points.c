#include "learn/kernel/kernel_points.h"

void clv_points_init(KernelPoints *points, Context *context, uint32_t features)
{
    *points = (KernelPoints){.context = context, .features = features, .ones = true};
}

void clv_points_free(KernelPoints *points)
{
    if (!points->context)
        return;
    FREE(points->context, points->end, points->column, points->value, points->norm2);
    *points = (KernelPoints){0};
}

Status clv_points_add(KernelPoints *points, const Block *block, uint32_t row, cleave_error *error)
{
    size_t entries = points->entries;
    double norm2 = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk); entries++) {
        TRY(GROW(points->context, points->column, points->column_capacity, entries + 1, error));
        TRY(GROW(points->context, points->value, points->value_capacity, entries + 1, error));
        points->column[entries] = walk.column;
        points->value[entries] = walk.value;
        points->ones &= walk.value == 1;
        norm2 += (double)walk.value * (double)walk.value;
    }
    TRY(GROW(points->context, points->end, points->end_capacity, (size_t)points->count + 1, error));
    TRY(GROW(points->context, points->norm2, points->norm2_capacity, (size_t)points->count + 1,
             error));
    points->entries = entries;
    points->end[points->count] = entries;
    points->norm2[points->count++] = norm2;
    if (block->features > points->features)
        points->features = block->features;
    return OK;
}

Status clv_points_copy(KernelPoints *to, const KernelPoints *from, cleave_error *error)
{
    size_t entries = to->entries + from->entries, count = (size_t)to->count + from->count;

    TRY(GROW(to->context, to->column, to->column_capacity, entries, error));
    TRY(GROW(to->context, to->value, to->value_capacity, entries, error));
    TRY(GROW(to->context, to->end, to->end_capacity, count, error));
    TRY(GROW(to->context, to->norm2, to->norm2_capacity, count, error));
    for (size_t e = 0; e < from->entries; e++) {
        to->column[to->entries + e] = from->column[e];
        to->value[to->entries + e] = from->value ? from->value[e] : 1;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        to->end[to->count + i] = to->entries + from->end[i];
        to->norm2[to->count + i] = from->norm2[i];
    }
    to->entries = entries;
    to->count = (uint32_t)count;
    to->ones &= from->ones;
    if (from->features > to->features)
        to->features = from->features;
    return OK;
}

bool clv_points_alike(const KernelPoints *points, uint32_t i, uint32_t j)
{
    KernelRow a = point_row(points, i), b = point_row(points, j);

    if (a.count != b.count)
        return false;
    for (size_t e = 0; e < a.count; e++)
        if (a.column[e] != b.column[e] || (a.value && a.value[e] != b.value[e]))
            return false;
    return true;
}

void clv_points_settle(KernelPoints *points)
{
    if (!points->ones)
        return;
    clv_free(points->context, points->value);
    points->value = NULL;
    points->value_capacity = 0;
}

/* ---- views ----------------------------------------------------------------------------------- */

static uint32_t at(const View *view, uint32_t k)
{
    return view->order ? view->order[k] : k;
}

static Status lay_bits(View *view, size_t words, cleave_error *error)
{
    const KernelPoints *points = view->points;

    TRY(ALLOC_ZERO(points->context, view->bits, words * view->count, "the bit matrix of the rows",
                   error));
    view->words = words;
    for (uint32_t k = 0; k < view->count; k++) {
        KernelRow row = point_row(points, at(view, k));

        for (size_t e = 0; e < row.count; e++)
            view->bits[(size_t)(row.column[e] / 64) * view->count + k] |= (uint64_t)1
                                                                          << row.column[e] % 64;
    }
    return OK;
}

static Status lay_planes(View *view, cleave_error *error)
{
    const KernelPoints *points = view->points;
    size_t cells = (size_t)points->features * view->count;

    TRY(ALLOC_ZERO(points->context, view->planes, cells, "the column-major copy of the rows",
                   error));
    for (uint32_t k = 0; k < view->count; k++) {
        KernelRow row = point_row(points, at(view, k));

        for (size_t e = 0; e < row.count; e++)
            view->planes[(size_t)row.column[e] * view->count + k] = row.value ? row.value[e] : 1;
    }
    return OK;
}

/* Chooses the layout. A word of bits costs about as much as one entry, and a cell of a plane costs
 * an eighth of that. */
static Status lay_out(View *view, cleave_error *error)
{
    const KernelPoints *points = view->points;
    double mean = points->count ? (double)points->entries / points->count : 0;
    size_t words = ((size_t)points->features + 63) / 64;

    if (view->count == 0 || points->features == 0)
        return OK;
    if (points->ones && (double)words <= mean)
        return lay_bits(view, words, error);
    if ((double)points->features <= 8 * mean)
        return lay_planes(view, error);
    return OK;
}

Status clv_view_init(View *view, const KernelPoints *points, const uint32_t *order, uint32_t count,
                     cleave_error *error)
{
    Status status;

    *view = (View){.points = points, .order = order, .count = count};
    TRY(ALLOC(points->context, view->norm2, count, "row norms", error));
    for (uint32_t k = 0; k < count; k++)
        view->norm2[k] = points->norm2[at(view, k)];
    status = lay_out(view, error);
    if (status != OK)
        clv_view_free(view);
    return status;
}

void clv_view_free(View *view)
{
    if (!view->points)
        return;
    FREE(view->points->context, view->norm2, view->bits, view->planes);
    *view = (View){0};
}
