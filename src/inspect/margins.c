/* Linear separators of two classes: the margin, slack and support vectors of labeled points for
 * given weights, and all separators of points of the plane. */
#include "base/param.h"
#include "eval/evaluation.h"
#include "input/input.h"
#include "plot/predicates.h"

#include <stdio.h>
#include <stdlib.h>

static const double SUPPORT_SLACK = 1e-3, ROUNDING = 1e-6;

/* ---- margins --------------------------------------------------------------------------------- */

typedef struct {
    cleave_margins facts; /* first: the caller has its address */
    Context *context;
    cleave_margin_point *point;
    size_t capacity, most;
    bool all;
    Labels labels;
    uint32_t positive;
    cleave_error *error;
} Margins;

void cleave_margins_free(cleave_margins *facts)
{
    Margins *margins = (Margins *)facts;

    if (!margins)
        return;
    clv_labels_free(&margins->labels);
    FREE(margins->context, margins->point, margins);
}

static Status begin(Context *context, bool all, size_t most, Margins **margins, cleave_error *error)
{
    TRY(ALLOC_ZERO(context, *margins, 1, "margins", error));
    **margins = (Margins){
        .facts = {.least = INFINITY}, .context = context, .most = most, .all = all, .error = error};
    clv_labels_init(&(*margins)->labels, context);
    return OK;
}

/* The classes of the data, or of the model, as y = +1 and -1. */
static Status name_classes(Margins *margins, const Labels *labels, uint32_t positive)
{
    TRY(clv_labels_copy(&margins->labels, labels, margins->error));
    margins->positive = positive;
    margins->facts.positive = margins->labels.list[positive].text;
    margins->facts.negative = margins->labels.list[1 - positive].text;
    return OK;
}

static Status add_point(Margins *margins, uint64_t row, uint32_t label, double score)
{
    cleave_margins *facts = &margins->facts;
    double margin = label == margins->positive ? score : 0 - score;
    cleave_margin_point point = {.row = row + 1,
                                 .label = margins->labels.list[label].text,
                                 .score = score,
                                 .margin = margin,
                                 .slack = fmax(0, 1 - margin),
                                 .misclassified = margin <= 0,
                                 .support_vector = margin <= 1 + SUPPORT_SLACK};

    facts->points++;
    facts->least = fmin(facts->least, margin);
    facts->slack += point.slack;
    facts->violated += margin < 1 - ROUNDING;
    facts->misclassified += point.misclassified;
    facts->support_vectors += point.support_vector;
    if (!(margins->all || point.support_vector) || facts->point_count >= margins->most)
        return OK;
    TRY(GROW(margins->context, margins->point, margins->capacity, facts->point_count + 1,
             margins->error));
    margins->point[facts->point_count++] = point;
    return OK;
}

static cleave_code finish(Margins *margins, Status status, const char *name,
                          cleave_margins **result)
{
    *result = NULL;
    if (status == OK && margins->facts.points == 0)
        status = clv_fail(margins->error, CLEAVE_ERROR_DATA, "%s: the data has no labeled rows",
                          name);
    if (status == OK) {
        margins->facts.list = margins->point;
        margins->error = NULL;
        *result = &margins->facts;
    } else {
        cleave_margins_free(&margins->facts);
    }
    return status;
}

static Status add_scored(void *user, const Block *block, const double *numbers,
                         const double *scores)
{
    Margins *margins = user;

    (void)numbers;
    for (uint32_t row = 0; row < block->rows; row++)
        if (block_label(block, row) < 2)
            TRY(add_point(margins, block_row_number(block, row), block_label(block, row),
                          scores[row]));
    return OK;
}

static double norm_of(const Model *model)
{
    double squares = 0;

    for (size_t i = 0; i < model->features; i++)
        squares += cleave_model_weight(model, 0, i) * cleave_model_weight(model, 0, i);
    return sqrt(squares);
}

cleave_code cleave_margins_of_model(const cleave_model *model, cleave_data *data, bool all,
                                    size_t most, cleave_margins **result, cleave_error *error)
{
    REQUIRE(model && data && result);
    Margins *margins = NULL;
    Source *source, *view = NULL;
    size_t outputs;
    Status status;

    if (model->labels.count != 2 || !cleave_model_is_linear(model, &outputs))
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "margins require a linear model of two classes, and this model of '%s' has "
                        "%u%s",
                        model->method->name, model->labels.count,
                        model->labels.count == 2 ? " but no weights" : "");
    status = begin(model->context, all, most, &margins, error);
    if (status != OK)
        return status;
    margins->facts.norm = norm_of(model);
    THEN(status, name_classes(margins, &model->labels, model->positive));
    THEN(status, clv_data_source(data, &source, error));
    if (status == OK && data->opened_for != model)
        status = clv_view_for(model, source, &view, error);
    THEN(status, clv_score_source(model, view ? view : source, add_scored, margins, error));
    clv_source_close(view);
    return finish(margins, status, clv_data_name(data), result);
}

static Status check_classes(const Dataset *dataset, const char *name, cleave_error *error)
{
    if (dataset->labels.count == 2)
        return OK;
    return clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected two classes, found %u", name,
                    dataset->labels.count);
}

static Status add_rows(Margins *margins, Dataset *dataset, const double *weights)
{
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, margins->error));
        for (uint32_t row = 0; row < block.rows; row++) {
            double score = weights[dataset->features];

            if (block_label(&block, row) >= 2)
                continue;
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                score += weights[walk.column] * (double)walk.value;
            TRY(add_point(margins, block_row_number(&block, row), block_label(&block, row), score));
        }
    }
    return OK;
}

/* Parses "1,2,-1/3": a number for each feature, and the intercept. */
static Status parse_weights(const char *text, const Dataset *dataset, const char *name,
                            double *weights, cleave_error *error)
{
    size_t count = 0, expected = (size_t)dataset->features + 1;

    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        char number[64];
        double value;

        snprintf(number, sizeof number, "%.*s", (int)(length < 63 ? length : 63), at);
        if (!clv_parse_ratio(number, &value) || !isfinite(value))
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "list the weights and the intercept, for example 1,-1/3,0.5",
                                 "weight %zu is not a number: '%s'", count + 1, number);
        if (count < expected)
            weights[count] = value;
        count++;
        at += length;
        if (!*at)
            break;
    }
    if (count == expected)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "list the weights in column order, then the intercept b",
                         "%s: expected %u weights and the intercept, found %zu numbers", name,
                         dataset->features, count);
}

static Status add_weighted(Margins *margins, Dataset *dataset, const char *text, const char *name)
{
    double *weights, squares = 0;
    Status status;

    TRY(ALLOC_ZERO(margins->context, weights, (size_t)dataset->features + 1, "weights",
                   margins->error));
    status = parse_weights(text, dataset, name, weights, margins->error);
    for (size_t i = 0; i < dataset->features; i++)
        squares += weights[i] * weights[i];
    margins->facts.norm = sqrt(squares);
    THEN(status, add_rows(margins, dataset, weights));
    clv_free(margins->context, weights);
    return status;
}

cleave_code cleave_margins_of_weights(cleave_data *data, const char *weights, bool all, size_t most,
                                      cleave_margins **result, cleave_error *error)
{
    REQUIRE(data && weights && result);
    Margins *margins = NULL;
    Dataset *dataset;
    uint32_t positive;
    Status status;

    *result = NULL;
    TRY(clv_data_dataset(data, &dataset, error));
    TRY(check_classes(dataset, clv_data_name(data), error));
    TRY(clv_labels_positive(&dataset->labels, NULL, &positive, error));
    TRY(begin(data->context, all, most, &margins, error));
    status = name_classes(margins, &dataset->labels, positive);
    THEN(status, add_weighted(margins, dataset, weights, clv_data_name(data)));
    return finish(margins, status, clv_data_name(data), result);
}

/* ---- separators ------------------------------------------------------------------------------ *
 *
 * (w, theta) separates if y (w.x - theta) > 0 for all points: an open cone of three dimensions. Its
 * edges are lines through two points with no point on the wrong side, and only corners of the
 * convex hulls of the classes are needed. */

typedef struct {
    const float *at;
    uint64_t row;
    double sign;
} HullPoint;

typedef struct {
    cleave_separators facts; /* first */
    Context *context;
    Labels labels;
    char *name[2];
    float *xy;
    HullPoint *point; /* all points; then the corners of the hulls */
    size_t count, capacity, hull_count;
    size_t xy_capacity;
    cleave_separator *vertex;
    size_t vertex_capacity;
    bool spread; /* the points are not all on one line */
    cleave_error *error;
} Separators;

void cleave_separators_free(cleave_separators *facts)
{
    Separators *all = (Separators *)facts;

    if (!all)
        return;
    clv_labels_free(&all->labels);
    FREE(all->context, all->name[0], all->name[1], all->xy, all->point, all->vertex, all);
}

static int by_place(const void *a, const void *b)
{
    const HullPoint *one = a, *two = b;

    if (one->sign != two->sign)
        return one->sign < two->sign ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (one->at[i] != two->at[i])
            return one->at[i] < two->at[i] ? -1 : 1;
    return (one->row > two->row) - (one->row < two->row);
}

/* Keeps the corners of the convex hull of sorted points (Andrew 1979), with those on its sides left
 * out. Returns their number. */
static size_t keep_hull(const HullPoint *points, size_t count, HullPoint *hull)
{
    size_t kept = 0, lower;

    for (size_t i = 0; i < count; i++) {
        if (kept && memcmp(hull[kept - 1].at, points[i].at, 2 * sizeof(float)) == 0)
            continue;
        while (kept >= 2 && clv_turn(hull[kept - 2].at, hull[kept - 1].at, points[i].at) <= 0)
            kept--;
        hull[kept++] = points[i];
    }
    lower = kept;
    for (size_t i = count; i-- > 0 && lower > 1;) {
        if (memcmp(hull[kept - 1].at, points[i].at, 2 * sizeof(float)) == 0)
            continue;
        while (kept > lower && clv_turn(hull[kept - 2].at, hull[kept - 1].at, points[i].at) <= 0)
            kept--;
        hull[kept++] = points[i];
    }
    return kept > lower ? kept - 1 : kept; /* the first one is the last one, too */
}

/* The line through two corners as a separator, if every corner is on its side or on the line. */
static Status try_line(Separators *all, const HullPoint *a, const HullPoint *b)
{
    double side = 0;
    cleave_separator line;
    double scale;

    if (memcmp(a->at, b->at, 2 * sizeof(float)) == 0)
        return OK;
    for (size_t i = 0; i < all->hull_count; i++) {
        double turn = all->point[i].sign * clv_turn(a->at, b->at, all->point[i].at);

        if (turn == 0)
            continue;
        all->spread = true;
        if (side == 0)
            side = turn;
        if ((turn > 0) != (side > 0))
            return OK;
    }
    if (side == 0)
        return OK;
    /* clv_turn is positive on the left of a to b, the side of (-dy, dx). */
    side = side > 0 ? 1 : -1;
    line.weights[0] = -side * ((double)b->at[1] - (double)a->at[1]);
    line.weights[1] = side * ((double)b->at[0] - (double)a->at[0]);
    scale = fmax(fabs(line.weights[0]), fabs(line.weights[1]));
    line.weights[0] = line.weights[0] / scale + 0.0;
    line.weights[1] = line.weights[1] / scale + 0.0;
    line.threshold = line.weights[0] * (double)a->at[0] + line.weights[1] * (double)a->at[1];
    line.rows[0] = a->row + 1;
    line.rows[1] = b->row + 1;
    for (size_t i = 0; i < all->facts.count; i++)
        if (all->vertex[i].weights[0] == line.weights[0] &&
            all->vertex[i].weights[1] == line.weights[1] &&
            all->vertex[i].threshold == line.threshold)
            return OK;
    TRY(GROW(all->context, all->vertex, all->vertex_capacity, all->facts.count + 1, all->error));
    all->vertex[all->facts.count++] = line;
    return OK;
}

static Status take_rows(Separators *all, Dataset *dataset, uint32_t positive)
{
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, all->error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = block_label(&block, row);
            float *at;

            if (label >= 2)
                continue;
            TRY(GROW(all->context, all->point, all->capacity, all->count + 1, all->error));
            TRY(GROW(all->context, all->xy, all->xy_capacity, 2 * all->count + 2, all->error));
            at = all->xy + 2 * all->count;
            at[0] = at[1] = 0;
            for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
                at[walk.column] = walk.value + 0.0f;
            all->point[all->count++] = (HullPoint){.row = block_row_number(&block, row),
                                                   .sign = label == positive ? 1 : -1};
        }
    }
    for (size_t i = 0; i < all->count; i++)
        all->point[i].at = all->xy + 2 * i;
    return OK;
}

static Status find_vertices(Separators *all)
{
    size_t negative = 0;
    HullPoint *hull;

    TRY(ALLOC(all->context, hull, all->count + 2, "a hull", all->error));
    qsort(all->point, all->count, sizeof *all->point, by_place);
    while (negative < all->count && all->point[negative].sign < 0)
        negative++;
    all->hull_count = keep_hull(all->point, negative, hull);
    all->hull_count += keep_hull(all->point + negative, all->count - negative,
                                 hull + all->hull_count);
    memcpy(all->point, hull, all->hull_count * sizeof *hull);
    clv_free(all->context, hull);
    for (size_t i = 0; i < all->hull_count; i++)
        for (size_t j = i + 1; j < all->hull_count; j++)
            TRY(try_line(all, &all->point[i], &all->point[j]));
    return all->spread ? OK
                       : clv_fail(all->error, CLEAVE_ERROR_DATA,
                                  "the points are on one line: their separators have no vertices");
}

/* Vertices of classes that only touch span no open set: their sum does not separate all corners. */
static bool separates(const Separators *all)
{
    double sum[3] = {0};

    for (size_t i = 0; i < all->facts.count; i++) {
        sum[0] += all->vertex[i].weights[0];
        sum[1] += all->vertex[i].weights[1];
        sum[2] += all->vertex[i].threshold;
    }
    for (size_t i = 0; i < all->hull_count; i++)
        if (!(all->point[i].sign * (sum[0] * (double)all->point[i].at[0] +
                                    sum[1] * (double)all->point[i].at[1] - sum[2]) >
              0))
            return false;
    return all->facts.count > 0;
}

cleave_code cleave_separators_of(cleave_data *data, cleave_separators **result, cleave_error *error)
{
    REQUIRE(data && result);
    Separators *all;
    Dataset *dataset;
    uint32_t positive;
    char buffer[24];
    Status status;

    *result = NULL;
    TRY(clv_data_dataset(data, &dataset, error));
    TRY(check_classes(dataset, clv_data_name(data), error));
    if (dataset->features != 2)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected 2 numeric columns, found %u",
                        clv_data_name(data), dataset->features);
    TRY(clv_labels_positive(&dataset->labels, NULL, &positive, error));
    TRY(ALLOC_ZERO(data->context, all, 1, "separators", error));
    all->context = data->context;
    all->error = error;
    clv_labels_init(&all->labels, data->context);
    status = clv_labels_copy(&all->labels, &dataset->labels, error);
    for (uint32_t i = 0; i < 2 && status == OK; i++) {
        const char *name = clv_names_get(&dataset->names, i, buffer);

        all->name[i] = clv_copy_string(data->context, name, strlen(name));
        if (!all->name[i])
            status = clv_fail_memory(error, "a name", strlen(name));
        all->facts.names[i] = all->name[i];
    }
    THEN(status, take_rows(all, dataset, positive));
    THEN(status, find_vertices(all));
    if (status != OK) {
        cleave_separators_free(&all->facts);
        return status;
    }
    if (!separates(all))
        all->facts.count = 0;
    all->facts.positive = all->labels.list[positive].text;
    all->facts.negative = all->labels.list[1 - positive].text;
    all->facts.points = all->count;
    all->facts.vertices = all->vertex;
    all->error = NULL;
    *result = &all->facts;
    return OK;
}
