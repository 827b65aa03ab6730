#include "learn/factor/ratings.h"

#include "base/random.h"
#include "data/rating_roles.h"
#include "data/tour.h"

#include <math.h>
#include <stdlib.h>

#define MOST_RATING 1e15 /* largest magnitude of a rating */

typedef struct {
    const Fit *fit;
    Ratings *ratings;
    bool implicit;
    bool named;     /* the names of the features determine the roles */
    uint64_t *next; /* second visit: the position of the next rating of each user */
    double sum, squares;
    bool weighted;
} Reading;

/* ---- roles ----------------------------------------------------------------------------------- */

/* Whether a feature is `title=value`. A missing value does not name a user or item. */
static bool belongs_to(const char *name, const char *title)
{
    size_t length = strlen(title);

    return strncmp(name, title, length) == 0 && name[length] == '=' &&
           strcmp(name + length + 1, "?") != 0;
}

static Status roles_of_table(const Fit *fit, Ratings *ratings)
{
    const Schema *schema = fit->problem->schema;
    const char *title[2] = {NULL, NULL};
    uint32_t features = 0;

    for (uint32_t i = 0; i < schema->count; i++) {
        if (!column_is_feature(schema->column[i].kind))
            continue;
        if (features < 2 && schema->column[i].kind == COLUMN_CATEGORY)
            title[features] = schema->column[i].name;
        features++;
    }
    if (features != 2 || !title[0] || !title[1])
        return clv_fail_hint(fit->error, CLEAVE_ERROR_DATA,
                             "pass --task ratings, or set the types of the columns: --columns "
                             "USER=category,ITEM=category,OTHER=ignore",
                             "a factorization requires two categorical columns, users and items; "
                             "the table has %u column%s of features",
                             features, features == 1 ? "" : "s");
    if (clv_rating_sides_swapped(title[0], title[1])) {
        const char *held = title[0];

        title[0] = title[1];
        title[1] = held;
    }
    for (uint32_t i = 0; i < fit->features; i++) {
        char buffer[24];
        const char *name = clv_names_get(fit->problem->names, i, buffer);

        for (int role = ROLE_USER; role <= ROLE_ITEM; role++)
            if (belongs_to(name, title[role - ROLE_USER]))
                ratings->role[i] = (uint8_t)role;
    }
    return OK;
}

static Status fail_row(const Block *block, uint32_t row, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "each row needs a user and an item, e.g. user,item,rating in a table or "
                         "'4 17:1 1023:1' in LIBSVM text",
                         "row %llu: %s", (unsigned long long)block_row_number(block, row) + 1,
                         what);
}

/* Finds the features of the user and the item of a row. */
static Status find_pair(const Reading *reading, const Block *block, uint32_t row, uint32_t pair[2],
                        cleave_error *error)
{
    uint32_t found = 0;

    pair[0] = pair[1] = NO_COLUMN;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        uint8_t role;

        if (walk.value == 0)
            continue;
        if (walk.value != 1 || walk.column >= reading->ratings->features)
            return fail_row(block, row, "a feature is neither a user nor an item", error);
        role = reading->ratings->role[walk.column];
        if (!reading->named)
            role = found == 0 ? ROLE_USER : ROLE_ITEM;
        if (role == ROLE_NONE || found == 2 || pair[role - ROLE_USER] != NO_COLUMN)
            return fail_row(block, row,
                            reading->named ? "the user or the item is missing"
                                           : "a row has more features than a user and an item",
                            error);
        pair[role - ROLE_USER] = walk.column;
        found++;
    }
    return found == 2 ? OK : fail_row(block, row, "the user or the item is missing", error);
}

/* ---- the first visit: roles and counts ------------------------------------------------------- */

static bool find_value(const Reading *reading, const Block *block, uint32_t row, double *value)
{
    *value = fit_target(reading->fit, block, row);
    if (isnan(*value) && reading->implicit)
        *value = 1;
    return !isnan(*value);
}

/* Values are stored as floats, and their squares are summed. */
static Status check_value(const Reading *reading, const Block *block, uint32_t row, double value,
                          cleave_error *error)
{
    if (reading->implicit && value < 0)
        return fail_row(block, row, "--implicit requires values of 0 or more", error);
    if (fabs(value) <= MOST_RATING)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "divide all ratings by a constant",
                         "row %llu: the rating %g is larger than %g",
                         (unsigned long long)block_row_number(block, row) + 1, value, MOST_RATING);
}

static void count_value(Reading *reading, double value, double weight)
{
    Ratings *ratings = reading->ratings;

    ratings->count++;
    ratings->weight += weight;
    ratings->low = fmin(ratings->low, value);
    ratings->high = fmax(ratings->high, value);
    reading->sum += weight * value;
    reading->squares += weight * value * value;
    reading->weighted = reading->weighted || weight != 1;
}

static Status count_block(void *user, const Block *block, cleave_error *error)
{
    Reading *reading = user;
    Ratings *ratings = reading->ratings;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t pair[2];
        double value;

        if (!find_value(reading, block, row, &value))
            continue;
        TRY(check_value(reading, block, row, value, error));
        TRY(find_pair(reading, block, row, pair, error));
        for (uint8_t role = ROLE_USER; role <= ROLE_ITEM; role++) {
            uint32_t feature = pair[role - ROLE_USER];

            if (ratings->role[feature] != ROLE_NONE && ratings->role[feature] != role)
                return fail_row(block, row, "a feature is a user here and an item elsewhere",
                                error);
            ratings->role[feature] = role;
            ratings->number[feature]++;
        }
        count_value(reading, value, fit_weight(reading->fit, block, row, block_label(block, row)));
    }
    return fit_check(reading->fit);
}

/* Numbers the features of a role that have ratings. */
static Status number_side(Ratings *ratings, uint8_t role, uint64_t seed, RatingSide *side)
{
    uint64_t *start;

    for (uint32_t i = 0; i < ratings->features; i++)
        side->count += ratings->role[i] == role && ratings->number[i] > 0;
    side->feature = clv_arena_alloc(&ratings->memory, side->count, sizeof *side->feature);
    start = side->start = clv_arena_zero(&ratings->memory, (size_t)side->count + 1, sizeof *start);
    TRY(ratings->memory.status);
    for (uint32_t i = 0, n = 0; i < ratings->features; i++)
        if (ratings->role[i] == role && ratings->number[i] > 0)
            side->feature[n++] = i;
    if (seed) {
        Random random = clv_random(seed, role);

        clv_shuffle(&random, side->feature, side->count);
    }
    for (uint32_t n = 0; n < side->count; n++) {
        start[n + 1] = start[n] + ratings->number[side->feature[n]];
        ratings->number[side->feature[n]] = n;
    }
    return OK;
}

static Status make_lists(Ratings *ratings, RatingSide *side, bool weighted)
{
    side->other = clv_arena_alloc(&ratings->memory, ratings->count, sizeof *side->other);
    side->value = clv_arena_alloc(&ratings->memory, ratings->count, sizeof *side->value);
    if (weighted)
        side->weight = clv_arena_alloc(&ratings->memory, ratings->count, sizeof *side->weight);
    return ratings->memory.status;
}

/* ---- the second visit: the lists of the users ------------------------------------------------ */

static Status store_block(void *user, const Block *block, cleave_error *error)
{
    Reading *reading = user;
    Ratings *ratings = reading->ratings;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t pair[2];
        uint64_t place;
        double value;

        if (!find_value(reading, block, row, &value))
            continue;
        TRY(find_pair(reading, block, row, pair, error));
        place = reading->next[ratings->number[pair[0]]]++;
        ratings->users.other[place] = ratings->number[pair[1]];
        ratings->users.value[place] = (float)value;
        if (ratings->users.weight)
            ratings->users.weight[place] = (float)fit_weight(reading->fit, block, row,
                                                             block_label(block, row));
    }
    return fit_check(reading->fit);
}

/* Makes the lists of one side from those of the other. The result is sorted by the number of the
 * other side. */
static void transpose(Context *context, const RatingSide *from, RatingSide *to, uint64_t *next)
{
    uint64_t done = 0;

    memcpy(next, to->start, to->count * sizeof *next);
    for (uint32_t n = 0; n < from->count; n++)
        for (uint64_t i = from->start[n]; i < from->start[n + 1]; i++) {
            uint64_t place = next[from->other[i]]++;

            to->other[place] = n;
            to->value[place] = from->value[i];
            if (to->weight)
                to->weight[place] = from->weight[i];
            clv_tick_after(context, &done, 16);
        }
}

Status clv_ratings_by_item(Ratings *ratings)
{
    uint64_t *next = clv_arena_alloc(&ratings->memory, ratings->items.count, sizeof *next);

    TRY(make_lists(ratings, &ratings->items, ratings->users.weight != NULL));
    transpose(ratings->memory.context, &ratings->users, &ratings->items, next);
    return OK;
}

/* Sorts the ratings of each user by item, with two stable transpositions. */
static Status sort_users(Ratings *ratings)
{
    Arena *memory = &ratings->memory;
    RatingSide items = ratings->items;
    Ratings scratch = {
        .memory = {.context = memory->context, .error = memory->error, .what = memory->what},
        .count = ratings->count};
    size_t most = ratings->users.count > items.count ? ratings->users.count : items.count;
    uint64_t *next = clv_arena_alloc(&scratch.memory, most, sizeof *next);
    Status status = make_lists(&scratch, &items, ratings->users.weight != NULL);

    if (status == OK) {
        transpose(memory->context, &ratings->users, &items, next);
        transpose(memory->context, &items, &ratings->users, next);
    }
    clv_arena_free(&scratch.memory);
    return status;
}

static Status read_lists(Reading *reading, Dataset *dataset, uint64_t seed)
{
    Ratings *ratings = reading->ratings;
    const Fit *fit = reading->fit;

    TRY(number_side(ratings, ROLE_USER, seed, &ratings->users));
    TRY(number_side(ratings, ROLE_ITEM, seed, &ratings->items));
    TRY(make_lists(ratings, &ratings->users, reading->weighted));
    TRY(ALLOC(fit->context, reading->next, ratings->users.count, "ratings", fit->error));
    memcpy(reading->next, ratings->users.start, ratings->users.count * sizeof *reading->next);
    return clv_tour_all(dataset, store_block, reading, fit->error);
}

Status clv_ratings_read(Fit *fit, Dataset *dataset, bool implicit, uint64_t seed, Ratings *ratings)
{
    const Schema *schema = fit->problem->schema;
    Reading reading = {.fit = fit,
                       .ratings = ratings,
                       .implicit = implicit,
                       .named = schema && clv_schema_is_table(schema)};
    Status status;

    *ratings = (Ratings){
        .memory = {.context = fit->context, .error = fit->error, .what = "the ratings"},
        .features = fit->features,
        .low = INFINITY,
        .high = -INFINITY};
    ratings->role = clv_arena_zero(&ratings->memory, fit->features, sizeof *ratings->role);
    ratings->number = clv_arena_zero(&ratings->memory, fit->features, sizeof *ratings->number);
    TRY(ratings->memory.status);
    if (reading.named)
        TRY(roles_of_table(fit, ratings));
    TRY(clv_tour_all(dataset, count_block, &reading, fit->error));
    if (!(ratings->weight > 0))
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "no training row has a rating and a sample weight above 0");
    ratings->mean = reading.sum / ratings->weight;
    ratings->variance = fmax(reading.squares / ratings->weight - ratings->mean * ratings->mean, 0);
    status = read_lists(&reading, dataset, seed);
    clv_free(fit->context, reading.next);
    THEN(status, sort_users(ratings));
    return status;
}

void clv_ratings_free(Ratings *ratings)
{
    clv_arena_free(&ratings->memory);
}
