/*
 * Ratings of items by users, as lines `user TAB item TAB rating` below a header. The rating is
 *
 *     3.5 + a_user + a_item + p_user . q_item + noise
 *
 * with normal biases (standard deviation 0.4) and normal factors of the given rank, so that the
 * product has standard deviation 0.8; limited to 1 to 5 and rounded to two digits. Few users and
 * items have many ratings, as in logs of shops.
 */
#include "synth/draw_values.h"
#include "synth/synth.h"

#include <math.h>
#include <stdio.h>

#define BIAS_DEVIATION 0.4
#define PRODUCT_DEVIATION 0.8
enum { STREAM_FACTORS = 11 };

typedef struct {
    Context *context;
    uint64_t seed;
    double noise;
    uint32_t users, items, rank;
    float *factor; /* rank + 1 numbers per user, then per item; the last of them is the bias */
} Raters;

static void close_raters(Context *context, void *state)
{
    Raters *self = state;

    if (self)
        clv_free(context, self->factor);
    clv_free(context, self);
}

static Status draw_factors(Raters *self, cleave_error *error)
{
    Random random = clv_random(self->seed, STREAM_FACTORS);
    double deviation = sqrt(PRODUCT_DEVIATION / sqrt(self->rank));
    size_t numbers = (size_t)self->rank + 1, count = (size_t)self->users + self->items;
    uint64_t done = 0;

    for (size_t i = 0; i < count * numbers; i++) {
        self->factor[i] = (float)((i % numbers == self->rank ? BIAS_DEVIATION : deviation) *
                                  clv_random_normal(&random));
        if (clv_tick_after(self->context, &done, 32))
            break;
    }
    return clv_poll(self->context, error);
}

static Status open_raters(Context *context, const GenerateOptions *options, void **state,
                          cleave_error *error)
{
    uint32_t features = (uint32_t)options->features, items = features / 11;
    Raters *self;
    Status status;

    *state = NULL;
    if (items == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--features: 'ratings' needs at least 11 users and items");
    TRY(ALLOC_ZERO(context, self, 1, "a generator", error));
    *self = (Raters){.context = context,
                     .seed = (uint64_t)options->seed,
                     .noise = options->noise,
                     .users = features - items,
                     .items = items,
                     .rank = (uint32_t)options->rank};
    status = ALLOC(context, self->factor, (size_t)features * (self->rank + 1), "factors", error);
    THEN(status, draw_factors(self, error));
    if (status == OK)
        *state = self;
    else
        close_raters(context, self);
    return status;
}

/* Draws a number. Low numbers are more frequent. */
static uint32_t draw_number(Random *random, uint32_t count)
{
    double at = clv_random_unit(random);

    return (uint32_t)(at * sqrt(at) * (double)count);
}

static Status make_ratings(void *state, int part, uint64_t first_row, uint32_t rows, Buffer *buffer,
                           cleave_error *error)
{
    static const char header[] = "user\titem\trating\n";
    const Raters *self = state;
    size_t numbers = (size_t)self->rank + 1;

    if (first_row == 0)
        TRY(clv_buffer_add(self->context, buffer, header, sizeof header - 1, error));
    for (uint64_t row = first_row; row < first_row + rows; row++) {
        Random random = clv_row_random(self->seed, part, row);
        uint32_t user = draw_number(&random, self->users);
        uint32_t item = draw_number(&random, self->items);
        const float *p = self->factor + user * numbers;
        const float *q = self->factor + ((size_t)self->users + item) * numbers;
        double rating = 3.5 + (double)p[self->rank] + (double)q[self->rank];
        char line[96];
        int length;

        for (uint32_t i = 0; i < self->rank; i++)
            rating += (double)p[i] * (double)q[i];
        rating += self->noise * clv_random_normal(&random);
        rating = round(100 * fmax(1, fmin(rating, 5)));
        length = snprintf(line, sizeof line, "u%u\ti%u\t%d.%02d\n", user + 1, item + 1,
                          (int)rating / 100, (int)rating % 100);
        TRY(clv_buffer_add(self->context, buffer, line, (size_t)length, error));
    }
    return OK;
}

const GeneratorKind clv_generator_ratings = {
    .name = "ratings",
    .brief = "ratings of items by users, from factors of a known rank",
    .uses = USES_FEATURES | USES_RANK,
    .defaults =
        {.rows = 10000, .features = 550, .nonzeros = 1, .classes = 2, .rank = 4, .noise = 0.3},
    .open = open_raters,
    .close = close_raters,
    .text = make_ratings,
    .ratings = true,
};
