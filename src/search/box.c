#include "search/box.h"

#include "base/number.h"

#include <math.h>

const char *const clv_box_matches[] = {"intersects", "within", "contains", NULL};

/* a range name=low..high */
typedef struct {
    const char *name, *low, *high;
    size_t name_length, low_length, high_length;
} BoxRange;

/* Reads the range at `at`, which ends at a comma or the end of the text. */
static Status parse_range(const char *flag, const char *at, size_t length, BoxRange *range,
                          cleave_error *error)
{
    const char *equals = memchr(at, '=', length), *dots = NULL, *end = at + length;
    char quoted[QUOTE_SIZE];

    for (const char *p = equals; p && p + 1 < end && !dots; p++)
        if (p[0] == '.' && p[1] == '.')
            dots = p;
    if (!equals || equals == at || !dots)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "write ranges such as x=1..3,y=0..2",
                             "--%s: expected NAME=LOW..HIGH, found '%s'", flag,
                             clv_quote(quoted, at, length));
    *range = (BoxRange){.name = at,
                        .low = equals + 1,
                        .high = dots + 2,
                        .name_length = (size_t)(equals - at),
                        .low_length = (size_t)(dots - equals - 1),
                        .high_length = (size_t)(end - dots - 2)};
    return OK;
}

static Status find_column(const Model *model, const char *flag, const char *name, size_t length,
                          uint32_t *column, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    *column = clv_names_find(&model->names, name, length);
    if (*column < model->features)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE, "use the names of columns; columns without names have numbers",
        "--%s: the points have no column '%s'", flag, clv_quote(quoted, name, length));
}

/* The columns of a dimension of boxes. */
static Status find_dimension(const Model *model, const char *boxes, const BoxRange *range,
                             uint32_t column[2], cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    for (const char *at = boxes; *at;) {
        size_t length = strcspn(at, ",");
        BoxRange own;

        TRY(parse_range("boxes", at, length, &own, error));
        if (own.name_length == range->name_length &&
            memcmp(own.name, range->name, own.name_length) == 0) {
            TRY(find_column(model, "boxes", own.low, own.low_length, &column[0], error));
            return find_column(model, "boxes", own.high, own.high_length, &column[1], error);
        }
        at += length + (at[length] == ',');
    }
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "use the dimensions that 'cleave index --boxes' defined",
                         "--box: the boxes have no dimension '%s'",
                         clv_quote(quoted, range->name, range->name_length));
}

/* Parses a bound. An empty text means that there is none. */
static Status parse_bound(const char *text, size_t length, double missing, double *bound,
                          cleave_error *error)
{
    const char *stop;
    char quoted[QUOTE_SIZE];

    *bound = missing;
    if (length == 0)
        return OK;
    if (clv_parse_double(text, text + length, bound, &stop) && stop == text + length &&
        isfinite(*bound))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "write ranges such as x=1..3 or x=1..",
                         "--box: expected a number, found '%s'", clv_quote(quoted, text, length));
}

/* The smallest float that is at least x, and the largest that is at most x, because points are
 * floats. */
static float float_from(double x)
{
    float near = (float)x;

    return (double)near < x ? nextafterf(near, INFINITY) : near;
}

static float float_up_to(double x)
{
    float near = (float)x;

    return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

static void at_least(Box *box, uint32_t column, double bound)
{
    box->low[column] = fmaxf(box->low[column], float_from(bound));
}

static void at_most(Box *box, uint32_t column, double bound)
{
    box->high[column] = fminf(box->high[column], float_up_to(bound));
}

static Status add_range(const Model *model, const Points *points, const BoxRange *range, int match,
                        Box *box, cleave_error *error)
{
    const char *boxes = points->metadata.boxes;
    uint32_t column[2] = {0}; /* set here, because gcc 12 warns otherwise */
    double low, high;

    TRY(parse_bound(range->low, range->low_length, -(double)INFINITY, &low, error));
    TRY(parse_bound(range->high, range->high_length, (double)INFINITY, &high, error));
    if (low > high)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "put the lower bound first",
                             "--box: the range from %g to %g is empty", low, high);
    if (!boxes) {
        TRY(find_column(model, "box", range->name, range->name_length, &column[0], error));
        at_least(box, column[0], low);
        at_most(box, column[0], high);
        return OK;
    }
    TRY(find_dimension(model, boxes, range, column, error));
    if (match == MATCH_INTERSECTS) {
        at_most(box, column[0], high);
        at_least(box, column[1], low);
    } else if (match == MATCH_WITHIN) {
        at_least(box, column[0], low);
        at_most(box, column[1], high);
    } else {
        at_most(box, column[0], low);
        at_least(box, column[1], high);
    }
    return OK;
}

static Status add_ranges(const Model *model, const Points *points, const char *text, int match,
                         Box *box, cleave_error *error)
{
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        BoxRange range;

        TRY(parse_range("box", at, length, &range, error));
        TRY(add_range(model, points, &range, match, box, error));
        if (!at[length])
            return OK;
        at += length + 1;
    }
}

Status clv_box_parse(const Model *model, const Points *points, const char *text, int match,
                     Box *box, cleave_error *error)
{
    size_t features = points->vectors.features;
    Status status;

    if (model->pipeline)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "create the index with '--transform none'",
            "--box: the points were transformed and are not in the units of the data");
    if (match != MATCH_INTERSECTS && !points->metadata.boxes)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "create the index with '--boxes', or omit --match",
            "--match %s requires boxes, and the model has points", clv_box_matches[match]);
    TRY(ALLOC(model->context, box->low, 2 * features + 1, "a box", error));
    box->high = box->low + features;
    for (size_t i = 0; i < features; i++) {
        box->low[i] = -INFINITY;
        box->high[i] = INFINITY;
    }
    status = add_ranges(model, points, text, match, box, error);
    if (status != OK) {
        clv_free(model->context, box->low);
        *box = (Box){0};
    }
    return status;
}

/* ---- boxes stored as points ------------------------------------------------------------------ */

/* The value of a column of a point. */
static float value_at(const Vectors *vectors, uint32_t point, uint32_t column)
{
    if (vectors_are_dense(vectors))
        return dense_value(vectors, point, column);
    for (uint64_t i = sparse_start(vectors, point); i < vectors->end[point]; i++)
        if (vectors->column[i] == column)
            return vectors->value[i];
    return 0;
}

static Status check_bounds(const Points *points, const BoxRange *range, const uint32_t column[2],
                           cleave_error *error)
{
    char low_name[QUOTE_SIZE], high_name[QUOTE_SIZE];

    for (uint32_t i = 0; i < points->vectors.count; i++) {
        double low = (double)value_at(&points->vectors, i, column[0]),
               high = (double)value_at(&points->vectors, i, column[1]);

        if (low > high)
            return clv_fail_hint(
                error, CLEAVE_ERROR_DATA, "write the column of the lower bound first in --boxes",
                "row %llu: the lower bound '%s' (%g) is above the upper bound '%s' (%g)",
                (unsigned long long)point_row(points, i),
                clv_quote(low_name, range->low, range->low_length), low,
                clv_quote(high_name, range->high, range->high_length), high);
    }
    return OK;
}

static Status check_boxes(const Model *model, const Points *points, const char *text,
                          cleave_error *error)
{
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        uint32_t column[2];
        BoxRange range;

        TRY(parse_range("boxes", at, length, &range, error));
        TRY(find_column(model, "boxes", range.low, range.low_length, &column[0], error));
        TRY(find_column(model, "boxes", range.high, range.high_length, &column[1], error));
        TRY(check_bounds(points, &range, column, error));
        if (!at[length])
            return OK;
        at += length + 1;
    }
}

cleave_code cleave_model_set_boxes(cleave_model *model, const char *columns, cleave_error *error)
{
    REQUIRE(model && columns);
    Points points;

    if (model->method->inference->check_model != clv_points_check ||
        !clv_points_of_model(model, &points))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "the model has no points");
    if (model->pipeline)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE, "add '--transform none'",
            "--boxes: the points were transformed and are not in the units of the data");
    TRY(check_boxes(model, &points, columns, error));
    return clv_bundle_put_text(model->bundle, "boxes", columns, error);
}
