/* Recommendations of a model of ratings: the best items for a user, similar items, item vectors. */
#include "base/cell.h"
#include "base/file.h"
#include "base/number.h"
#include "learn/factor/factors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double score;
    uint32_t feature;
} Scored;

static Status factors_of(const Model *model, FactorModel *factors, cleave_error *error)
{
    if (clv_factors_of(model, factors))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "train a model of ratings with 'train uv'",
                         "a model of '%s' cannot recommend items", cleave_model_method(model));
}

/* ---- lists of items -------------------------------------------------------------------------- */

static int compare_scored(const void *a, const void *b)
{
    const Scored *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

/* The names follow the list in the same allocation. */
static Status make_list(const Model *model, const FactorModel *factors, const Scored *scored,
                        size_t count, cleave_recommendation **items, cleave_error *error)
{
    size_t text = 0;
    char buffer[24], *at;

    for (size_t i = 0; i < count; i++)
        text += strlen(clv_factors_name(model, factors, ROLE_ITEM, scored[i].feature, buffer)) + 1;
    at = clv_alloc(model->context, count * sizeof **items + text + 1, 1);
    if (!at)
        return clv_fail_memory(error, "recommendations", text);
    *items = (cleave_recommendation *)(void *)at;
    at += count * sizeof **items;
    for (size_t i = 0; i < count; i++) {
        const char *name = clv_factors_name(model, factors, ROLE_ITEM, scored[i].feature, buffer);
        size_t length = strlen(name) + 1;

        memcpy(at, name, length);
        (*items)[i] = (cleave_recommendation){.name = at, .score = scored[i].score};
        at += length;
    }
    return OK;
}

static Status make_best(const Model *model, const FactorModel *factors, Scored *scored,
                        size_t count, size_t top, cleave_recommendation **items, size_t *kept,
                        cleave_error *error)
{
    qsort(scored, count, sizeof *scored, compare_scored);
    *kept = count < top ? count : top;
    return make_list(model, factors, scored, *kept, items, error);
}

/* Computes the scores of the items that the user has not rated. Rated items are sorted in the order
 * in which features are visited. */
static size_t score_items(const FactorModel *factors, uint32_t user, bool include_rated,
                          Scored *scored)
{
    FactorModel unclipped = *factors;
    uint64_t rated = factors->start[user], end = factors->start[user + 1];
    size_t count = 0;

    unclipped.scale.low = -INFINITY; /* after clipping, scores could be equal */
    unclipped.scale.high = INFINITY;
    for (uint32_t item = 0; item < factors->features; item++) {
        bool known = rated < end && factors->rated[rated] == item;

        rated += known;
        if (factors->role[item] == ROLE_ITEM && (!known || include_rated))
            scored[count++] = (Scored){clv_factors_predict(&unclipped, user, item), item};
    }
    return count;
}

cleave_code cleave_recommend(const cleave_model *model, const char *user, size_t top,
                             bool include_rated, cleave_recommendation **items, size_t *count,
                             cleave_error *error)
{
    REQUIRE(model && user && items && count);
    FactorModel factors;
    Scored *scored;
    uint32_t feature;
    size_t found;
    Status status;

    *items = NULL;
    *count = 0;
    TRY(factors_of(model, &factors, error));
    TRY(clv_factors_find(model, &factors, ROLE_USER, user, &feature, error));
    TRY(ALLOC(model->context, scored, factors.features, "recommendations", error));
    found = score_items(&factors, feature, include_rated, scored);
    status = make_best(model, &factors, scored, found, top, items, count, error);
    for (size_t i = 0; i < *count && status == OK; i++)
        (*items)[i].score = fmax(factors.scale.low, fmin((*items)[i].score, factors.scale.high));
    clv_free(model->context, scored);
    return status;
}

/* ---- similar items --------------------------------------------------------------------------- */

static double cosine(const float *a, const float *b, uint32_t rank)
{
    double product = 0, one = 0, other = 0;

    for (uint32_t i = 0; i < rank; i++) {
        product += (double)a[i] * (double)b[i];
        one += (double)a[i] * (double)a[i];
        other += (double)b[i] * (double)b[i];
    }
    return one > 0 && other > 0 ? product / sqrt(one * other) : 0;
}

cleave_code cleave_similar_items(const cleave_model *model, const char *item, size_t top,
                                 cleave_recommendation **items, size_t *count, cleave_error *error)
{
    REQUIRE(model && item && items && count);
    FactorModel factors;
    Scored *scored;
    uint32_t feature;
    size_t found = 0;
    Status status;

    *items = NULL;
    *count = 0;
    TRY(factors_of(model, &factors, error));
    TRY(clv_factors_find(model, &factors, ROLE_ITEM, item, &feature, error));
    TRY(ALLOC(model->context, scored, factors.features, "recommendations", error));
    for (uint32_t i = 0; i < factors.features; i++)
        if (factors.role[i] == ROLE_ITEM && i != feature)
            scored[found++] = (Scored){cosine(factors.vectors + (size_t)feature * factors.rank,
                                              factors.vectors + (size_t)i * factors.rank,
                                              factors.rank),
                                       i};
    status = make_best(model, &factors, scored, found, top, items, count, error);
    clv_free(model->context, scored);
    return status;
}

void cleave_recommendations_free(const cleave_model *model, cleave_recommendation *items)
{
    if (model)
        clv_free(model->context, items);
}

/* ---- item vectors ---------------------------------------------------------------------------- */

static Status add_number(Context *context, Buffer *line, float number, cleave_error *error)
{
    char text[NUMBER_SIZE];

    TRY(clv_buffer_add(context, line, ",", 1, error));
    clv_format_float(text, number);
    return clv_buffer_add(context, line, text, strlen(text), error);
}

static Status add_head(Context *context, const FactorModel *factors, Buffer *line,
                       cleave_error *error)
{
    char name[24];

    TRY(clv_buffer_add(context, line, "item,bias", 9, error));
    for (uint32_t i = 0; i < factors->rank; i++) {
        int length = snprintf(name, sizeof name, ",f%u", i + 1);

        TRY(clv_buffer_add(context, line, name, (size_t)length, error));
    }
    return clv_buffer_add(context, line, "\n", 1, error);
}

static Status add_item(const Model *model, const FactorModel *factors, uint32_t item, Buffer *line,
                       cleave_error *error)
{
    Context *context = model->context;
    const float *vector = factors->vectors + (size_t)item * factors->rank;
    char buffer[24];
    const char *name = clv_factors_name(model, factors, ROLE_ITEM, item, buffer);
    size_t size = cleave_csv_cell(name, ',', false, NULL, 0);
    char *cell;
    Status status;

    TRY(ALLOC(context, cell, size + 1, "a name", error));
    cleave_csv_cell(name, ',', false, cell, size + 1);
    status = clv_buffer_add(context, line, cell, size, error);
    clv_free(context, cell);
    THEN(status, add_number(context, line, factors->biases[item], error));
    for (uint32_t i = 0; i < factors->rank; i++)
        THEN(status, add_number(context, line, vector[i], error));
    THEN(status, clv_buffer_add(context, line, "\n", 1, error));
    return status;
}

static Status write_items(const Model *model, const FactorModel *factors, Output *output,
                          uint64_t *items, cleave_error *error)
{
    Context *context = model->context;
    Buffer line = {0};
    Status status = add_head(context, factors, &line, error);

    THEN(status, clv_output_write(output, line.data, line.size, error));
    for (uint32_t i = 0; i < factors->features && status == OK; i++) {
        if (factors->role[i] != ROLE_ITEM)
            continue;
        line.size = 0;
        status = add_item(model, factors, i, &line, error);
        THEN(status, clv_output_write(output, line.data, line.size, error));
        ++*items;
        if (status == OK && (i & 1023) == 0)
            status = clv_poll(context, error);
    }
    clv_free(context, line.data);
    return status;
}

cleave_code cleave_write_item_vectors(const cleave_model *model, const char *path, uint64_t *items,
                                      cleave_error *error)
{
    REQUIRE(model && path);
    FactorModel factors;
    uint64_t written = 0;
    Output *output;
    Status status;

    TRY(factors_of(model, &factors, error));
    TRY(clv_output_open(model->context, path, false, &output, error));
    status = write_items(model, &factors, output, &written, error);
    if (status != OK) {
        clv_output_abandon(output);
        return status;
    }
    if (items)
        *items = written;
    return clv_output_commit(output, error);
}
