/*
 * Dense clusters: one Gaussian per class with unit standard deviation in every direction. Centers
 * are drawn at random and scaled so that the distance of the two nearest is --spread standard
 * deviations.
 */
#include "synth/draw_values.h"
#include "synth/synth.h"

#include <math.h>

enum { STREAM_CENTERS };

typedef struct {
    uint64_t seed;
    double noise;
    uint32_t features, classes;
    float *center; /* classes * features numbers */
} Blobs;

static double distance2(const float *a, const float *b, uint32_t features)
{
    double sum = 0;

    for (uint32_t j = 0; j < features; j++) {
        double difference = (double)a[j] - (double)b[j];

        sum += difference * difference;
    }
    return sum;
}

static double least_distance(const Blobs *self)
{
    double least = INFINITY;

    for (uint32_t a = 1; a < self->classes; a++)
        for (uint32_t b = 0; b < a; b++)
            least = fmin(least,
                         distance2(self->center + (size_t)a * self->features,
                                   self->center + (size_t)b * self->features, self->features));
    return sqrt(least);
}

static void place_center_choices(Blobs *self, double spread)
{
    Random random = clv_random(self->seed, STREAM_CENTERS);
    size_t count = (size_t)self->classes * self->features;
    double scale, least;

    for (size_t i = 0; i < count; i++)
        self->center[i] = (float)clv_random_normal(&random);
    least = least_distance(self);
    scale = least > 0 && isfinite(least) ? spread / least : 0;
    for (size_t i = 0; i < count; i++)
        self->center[i] = (float)(scale * (double)self->center[i]);
}

static void close_blobs(Context *context, void *state)
{
    Blobs *self = state;

    if (!self)
        return;
    FREE(context, self->center, self);
}

static Status open_blobs(Context *context, const GenerateOptions *options, void **state,
                         cleave_error *error)
{
    Blobs *self;

    *state = NULL;
    TRY(ALLOC_ZERO(context, self, 1, "a generator", error));
    *self = (Blobs){
        .seed = (uint64_t)options->seed,
        .noise = options->noise,
        .features = (uint32_t)options->features,
        .classes = (uint32_t)options->classes,
    };
    self->center = clv_alloc(context, (size_t)self->classes * self->features, sizeof *self->center);
    if (!self->center) {
        close_blobs(context, self);
        return clv_fail_memory(error, "the centers of the clusters",
                               (size_t)options->classes * (size_t)options->features *
                                   sizeof(float));
    }
    place_center_choices(self, options->spread);
    *state = self;
    return OK;
}

/* Draws two independent normal numbers (Box-Muller). */
static void normal_pair(Random *random, double *a, double *b)
{
    double radius = sqrt(-2 * log(1 - clv_random_unit(random)));
    double angle = 6.283185307179586477 * clv_random_unit(random);

    *a = radius * cos(angle);
    *b = radius * sin(angle);
}

static void scatter(Random *random, const float *center, uint32_t features, float *value)
{
    for (uint32_t j = 0; j < features; j += 2) {
        double a, b;

        normal_pair(random, &a, &b);
        value[j] = clv_rounded((double)center[j] + a);
        if (j + 1 < features)
            value[j + 1] = clv_rounded((double)center[j + 1] + b);
    }
}

static uint32_t draw_label(const Blobs *self, Random *random, uint32_t cluster)
{
    if (self->classes < 2 || clv_random_unit(random) >= self->noise)
        return cluster;
    return (cluster + 1 + clv_random_below(random, self->classes - 1)) % self->classes;
}

static Status make_rows(void *state, int part, uint64_t first_row, uint32_t rows, Builder *builder,
                        cleave_error *error)
{
    const Blobs *self = state;

    for (uint32_t i = 0; i < rows; i++) {
        Random random = clv_row_random(self->seed, part, first_row + i);
        uint32_t cluster = clv_random_below(&random, self->classes);
        uint32_t label = draw_label(self, &random, cluster);
        float *value;

        TRY(clv_builder_dense_row(builder, self->features, label, &value, error));
        scatter(&random, self->center + (size_t)cluster * self->features, self->features, value);
    }
    return OK;
}

const GeneratorKind clv_generator_blobs = {
    .name = "blobs",
    .brief = "dense Gaussian clusters, one per class",
    .uses = USES_FEATURES | USES_CLASSES | USES_SPREAD,
    .defaults = {.rows = 10000, .features = 10, .nonzeros = 1, .classes = 3, .spread = 4},
    .open = open_blobs,
    .close = close_blobs,
    .block = make_rows,
    .block_entries = 65536,
};
