#include "learn/factor/factors.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* ---- training -------------------------------------------------------------------------------- */

/* Allocates zeros aligned to 64 bytes, one cache line. */
static float *new_vectors(Arena *memory, size_t count)
{
    uintptr_t at = (uintptr_t)clv_arena_zero(memory, count + FACTOR_LANES, sizeof(float));

    return (float *)((at + 63) & ~(uintptr_t)63);
}

Status clv_factors_new(Arena *memory, const Ratings *ratings, uint32_t rank, Factors *factors)
{
    uint32_t stride = (rank + FACTOR_LANES - 1) / FACTOR_LANES * FACTOR_LANES;

    *factors = (Factors){.rank = rank, .stride = stride};
    factors->users = new_vectors(memory, (size_t)ratings->users.count * stride);
    factors->items = new_vectors(memory, (size_t)ratings->items.count * stride);
    factors->user_bias = clv_arena_zero(memory, ratings->users.count, sizeof(float));
    factors->item_bias = clv_arena_zero(memory, ratings->items.count, sizeof(float));
    return memory->status;
}

static bool side_is_finite(const Factors *factors, const RatingSide *side, const float *vectors,
                           const float *biases)
{
    return all_finite(vectors, (size_t)side->count * factors->stride) &&
           all_finite(biases, side->count);
}

bool clv_factors_finite(const Factors *factors, const Ratings *ratings)
{
    return side_is_finite(factors, &ratings->users, factors->users, factors->user_bias) &&
           side_is_finite(factors, &ratings->items, factors->items, factors->item_bias);
}

/* ---- the arrays of a model ------------------------------------------------------------------- */

static void copy_side(const Factors *factors, const RatingSide *side, const float *from,
                      const float *bias, float *vectors, float *biases)
{
    for (uint32_t n = 0; n < side->count; n++) {
        uint32_t feature = side->feature[n];

        memcpy(vectors + (size_t)feature * factors->rank, from + (size_t)n * factors->stride,
               factors->rank * sizeof *vectors);
        biases[feature] = bias[n];
    }
}

static int compare_features(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The items of each user without repetitions, as features. */
static void list_rated(const Ratings *ratings, uint64_t *start, uint32_t *rated)
{
    uint64_t count = 0, done = 0;

    for (uint32_t feature = 0; feature < ratings->features; feature++) {
        const RatingSide *users = &ratings->users;
        uint32_t n = ratings->number[feature];
        uint64_t first = count;

        start[feature] = first;
        if (ratings->role[feature] != ROLE_USER || n >= users->count ||
            users->feature[n] != feature)
            continue;
        for (uint64_t i = users->start[n]; i < users->start[n + 1]; i++)
            if (i == users->start[n] || users->other[i] != users->other[i - 1])
                rated[count++] = ratings->items.feature[users->other[i]];
        qsort(rated + first, count - first, sizeof *rated, compare_features);
        clv_tick_after(ratings->memory.context, &done, 128 * (count - first));
    }
    start[ratings->features] = count;
}

static Status put_rated(const Ratings *ratings, Model *model, cleave_error *error)
{
    uint64_t *start;
    uint32_t *rated;

    TRY(ALLOC(model->context, start, (size_t)ratings->features + 1, "the rated items", error));
    if (clv_new(model->context, &rated, ratings->count, sizeof *rated, false, "the rated items",
                error) != OK) {
        clv_free(model->context, start);
        return CLEAVE_ERROR_MEMORY;
    }
    list_rated(ratings, start, rated);
    return TAKE_ARRAYS(model->bundle, error, {"rated", BUNDLE_U32, rated, start[ratings->features]},
                       {"rated_start", BUNDLE_U64, start, (uint64_t)ratings->features + 1});
}

Status clv_factors_put(const Factors *factors, const Ratings *ratings, Model *model,
                       cleave_error *error)
{
    const RatingScale *scale = &factors->scale;
    const double numbers[] = {scale->mean, scale->spread}, range[] = {scale->low, scale->high};
    size_t count = (size_t)ratings->features * factors->rank;
    float *vectors, *biases;

    TRY(ALLOC_ZERO(model->context, vectors, count, "factors", error));
    if (clv_new(model->context, &biases, ratings->features, sizeof *biases, true, "biases",
                error) != OK) {
        clv_free(model->context, vectors);
        return CLEAVE_ERROR_MEMORY;
    }
    copy_side(factors, &ratings->users, factors->users, factors->user_bias, vectors, biases);
    copy_side(factors, &ratings->items, factors->items, factors->item_bias, vectors, biases);
    TRY(TAKE_ARRAYS(model->bundle, error, {"factors", BUNDLE_F32, vectors, count},
                    {"factor_biases", BUNDLE_F32, biases, ratings->features}));
    TRY(clv_bundle_put(model->bundle, "roles", BUNDLE_BYTES, ratings->role, ratings->features,
                       error));
    TRY(clv_bundle_put(model->bundle, "rating_scale", BUNDLE_F64, numbers, 2, error));
    if (isfinite(scale->low) && isfinite(scale->high))
        TRY(clv_bundle_put(model->bundle, "rating_range", BUNDLE_F64, range, 2, error));
    return put_rated(ratings, model, error);
}

bool clv_factors_of(const Model *model, FactorModel *factors)
{
    const BundleItem *vectors = clv_bundle_get(model->bundle, "factors", BUNDLE_F32);
    const BundleItem *biases = clv_bundle_get(model->bundle, "factor_biases", BUNDLE_F32);
    const BundleItem *roles = clv_bundle_get(model->bundle, "roles", BUNDLE_BYTES);
    const BundleItem *start = clv_bundle_get(model->bundle, "rated_start", BUNDLE_U64);
    const BundleItem *rated = clv_bundle_get(model->bundle, "rated", BUNDLE_U32);
    uint64_t features = model->features, rank;
    double scale[2], range[2] = {-INFINITY, INFINITY};

    if (!vectors || !biases || !roles || !start || !rated || features == 0 ||
        biases->count != features || roles->count != features || start->count != features + 1 ||
        vectors->count % features != 0 ||
        !clv_bundle_copy(model->bundle, "rating_scale", BUNDLE_F64, scale, 2))
        return false;
    clv_bundle_copy(model->bundle, "rating_range", BUNDLE_F64, range, 2);
    rank = vectors->count / features;
    *factors = (FactorModel){.rank = (uint32_t)rank,
                             .features = model->features,
                             .vectors = vectors->data,
                             .biases = biases->data,
                             .role = roles->data,
                             .start = start->data,
                             .rated = rated->data,
                             .scale = {scale[0], scale[1], range[0], range[1]}};
    return rank >= 1 && rank <= MOST_RANK && factors->start[features] == rated->count;
}

static bool rated_is_sound(const FactorModel *factors)
{
    for (uint32_t i = 0; i < factors->features; i++) {
        uint64_t first = factors->start[i], end = factors->start[i + 1];

        if (factors->role[i] > ROLE_ITEM || first > end ||
            end > factors->start[factors->features] ||
            (factors->role[i] != ROLE_USER && first != end))
            return false;
        for (uint64_t j = first; j < end; j++)
            if (factors->rated[j] >= factors->features ||
                factors->role[factors->rated[j]] != ROLE_ITEM ||
                (j > first && factors->rated[j] <= factors->rated[j - 1]))
                return false;
    }
    return factors->start[0] == 0;
}

bool clv_factors_check(const Model *model)
{
    FactorModel factors;

    return clv_factors_of(model, &factors) && rated_is_sound(&factors) &&
           clv_bundle_finite(clv_bundle_get(model->bundle, "factors", BUNDLE_F32)) &&
           clv_bundle_finite(clv_bundle_get(model->bundle, "factor_biases", BUNDLE_F32)) &&
           isfinite(factors.scale.mean) && factors.scale.spread > 0 &&
           isfinite(factors.scale.spread) && factors.scale.low <= factors.scale.high;
}

/* ---- predictions ----------------------------------------------------------------------------- */

double clv_factors_predict(const FactorModel *factors, uint32_t user, uint32_t item)
{
    const RatingScale *scale = &factors->scale;
    double sum = 0;

    if (user != NO_COLUMN)
        sum += (double)factors->biases[user];
    if (item != NO_COLUMN)
        sum += (double)factors->biases[item];
    if (user != NO_COLUMN && item != NO_COLUMN) {
        const float *p = factors->vectors + (size_t)user * factors->rank;
        const float *q = factors->vectors + (size_t)item * factors->rank;

        for (uint32_t i = 0; i < factors->rank; i++)
            sum += (double)p[i] * (double)q[i];
    }
    return fmax(scale->low, fmin(scale->mean + scale->spread * sum, scale->high));
}

/* The user and the item of a row; NO_COLUMN: unknown. */
static void find_pair(const FactorModel *factors, const Block *block, uint32_t row,
                      uint32_t pair[2])
{
    pair[0] = pair[1] = NO_COLUMN;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        if (walk.value != 0 && walk.column < factors->features &&
            factors->role[walk.column] != ROLE_NONE &&
            pair[factors->role[walk.column] - ROLE_USER] == NO_COLUMN)
            pair[factors->role[walk.column] - ROLE_USER] = walk.column;
}

Status clv_factors_scores(const Model *model, const Block *block, double *scores,
                          cleave_error *error)
{
    FactorModel factors;

    if (!clv_factors_of(model, &factors))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no factors");
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t pair[2];

        find_pair(&factors, block, row, pair);
        scores[row] = clv_factors_predict(&factors, pair[0], pair[1]);
    }
    return OK;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Of the other items that the user has not rated: the share that is better; equal ones count half.
 */
static double rank_of(const FactorModel *factors, uint32_t user, uint32_t item)
{
    uint64_t rated = factors->start[user], end = factors->start[user + 1], better = 0, equal = 0,
             others = 0;
    double score = clv_factors_predict(factors, user, item);

    for (uint32_t other = 0; other < factors->features; other++) {
        bool known = rated < end && factors->rated[rated] == other;
        double theirs;

        rated += known;
        if (factors->role[other] != ROLE_ITEM || known || other == item)
            continue;
        theirs = clv_factors_predict(factors, user, other);
        better += theirs > score;
        equal += theirs == score;
        others++;
    }
    return others ? ((double)better + 0.5 * (double)equal) / (double)others : (double)NAN;
}

Status clv_factors_ranks(const Model *model, const Block *block, double *ranks, cleave_error *error)
{
    FactorModel factors;

    if (!clv_factors_of(model, &factors))
        return clv_fail(error, CLEAVE_ERROR_FORMAT, "the model has no factors");
    factors.scale.low = -INFINITY; /* clipped scores would be equal */
    factors.scale.high = INFINITY;
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t pair[2];

        find_pair(&factors, block, row, pair);
        ranks[row] = pair[0] == NO_COLUMN || pair[1] == NO_COLUMN
                         ? (double)NAN
                         : rank_of(&factors, pair[0], pair[1]);
        TRY(clv_poll(model->context, error));
    }
    return OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Whether the features of the first of two columns are items: the first feature with a role tells.
 */
static bool items_first(const Model *model, const FactorModel *factors, const char *first)
{
    char buffer[24];
    const char *name;
    uint32_t feature = 0;
    bool of_first;

    while (feature + 1 < factors->features && factors->role[feature] == ROLE_NONE)
        feature++;
    name = clv_names_get(&model->names, feature, buffer);
    of_first = strncmp(name, first, strlen(first)) == 0 && name[strlen(first)] == '=';
    return of_first == (factors->role[feature] == ROLE_ITEM);
}

/* The title of the column of users or items; NULL: the names of features are those of users. */
static const char *title_of(const Model *model, const FactorModel *factors, uint8_t role)
{
    const Schema *schema = &model->schema;
    const char *title[2] = {NULL, NULL};
    uint32_t count = 0;

    for (uint32_t i = 0; i < schema->count && count < 2; i++)
        if (schema->column[i].kind == COLUMN_CATEGORY)
            title[count++] = schema->column[i].name;
    if (!clv_schema_is_table(schema) || count < 2)
        return NULL;
    return title[(role == ROLE_ITEM) != items_first(model, factors, title[0])];
}

Status clv_factors_find(const Model *model, const FactorModel *factors, uint8_t role,
                        const char *name, uint32_t *feature, cleave_error *error)
{
    const char *title = title_of(model, factors, role), *side = role == ROLE_USER ? "user" : "item";
    size_t before = title ? strlen(title) + 1 : 0, length = strlen(name);
    char *whole, quoted[QUOTE_SIZE];

    TRY(ALLOC(model->context, whole, before + length + 1, "a name", error));
    if (title) {
        memcpy(whole, title, before - 1);
        whole[before - 1] = '=';
    }
    memcpy(whole + before, name, length);
    *feature = clv_names_find(&model->names, whole, before + length);
    clv_free(model->context, whole);
    if (*feature < factors->features && factors->role[*feature] == role)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "write the name as in the training data",
                         "%s '%s' is not in the training data of the model", side,
                         clv_quote(quoted, name, length));
}

const char *clv_factors_name(const Model *model, const FactorModel *factors, uint8_t role,
                             uint32_t feature, char buffer[24])
{
    const char *title = title_of(model, factors, role);
    const char *name = clv_names_get(&model->names, feature, buffer);
    size_t before = title ? strlen(title) + 1 : 0;

    return strlen(name) >= before ? name + before : name;
}
