/*
 * Chooses the number of components of the codes and their bits. Each component and bit costs time
 * per point and reduces the number of candidates. A sample estimates the candidates: some of its
 * rows are queries, and the others that would pass are counted. Time is estimated by constants, not
 * measured, so that the same points give the same bytes on every machine.
 */
#include "learn/neighbor/vafile_build.h"

enum { TRIED_QUERIES = 32 };

static const uint32_t default_parts[] = {4, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128};
static const uint32_t default_bits[] = {4, 8};
enum {
    CHOICES = sizeof default_parts / sizeof default_parts[0],
    WIDTHS = sizeof default_bits / sizeof default_bits[0]
};

/* The rows of the sample: coordinates along all directions, and the residual norm for each
 * choice. */
typedef struct {
    uint32_t rows, queries, width;
    uint32_t top[CHOICES]; /* directions */
    int choices;
    float *at;   /* rows * width */
    float *rest; /* rows * CHOICES */
    double blur[CHOICES][WIDTHS], passed[CHOICES][WIDTHS];
} Tried;

static void set_choices(const VaBuild *build, Tried *tried)
{
    uint32_t features = build->vectors->features;

    tried->choices = build->told_parts ? 1 : CHOICES;
    for (int i = 0; i < tried->choices; i++) {
        uint32_t parts = build->told_parts ? build->told_parts : default_parts[i];

        tried->top[i] = parts >= features ? features : parts - 1;
    }
}

static void try_row(const VaBuild *build, Tried *tried, uint32_t i, const VaImage *image)
{
    float *at = tried->at + (size_t)i * tried->width;
    double left = build->wanted < build->vectors->features ? image->value[build->wanted] : 0,
           left2 = left * left;
    uint32_t j = build->wanted;

    for (uint32_t k = 0; k < build->wanted; k++)
        at[k] = (float)image->value[k];
    for (int choice = tried->choices - 1; choice >= 0; choice--) {
        for (; j > tried->top[choice]; j--)
            left2 += image->value[j - 1] * image->value[j - 1];
        tried->rest[(size_t)i * CHOICES + choice] = (float)sqrt(left2);
    }
}

static void try_rows(VaBuild *build, Tried *tried)
{
    for (uint32_t i = 0; i < tried->rows; i += VA_ROWS) {
        const float *row[VA_ROWS];
        VaImage image[VA_ROWS];

        for (uint32_t r = 0; r < VA_ROWS; r++)
            row[r] = va_sample_row(build, i + r < tried->rows ? i + r : i, tried->rows, r);
        clv_va_map(&build->map, build->kernels, row, build->workspace, image);
        if (va_cancelled(build,
                         VA_ROWS * (uint64_t)build->vectors->features * (build->wanted / 8 + 1)))
            return;
        for (uint32_t r = 0; r < VA_ROWS && i + r < tried->rows; r++)
            try_row(build, tried, i + r, &image[r]);
    }
}

/* Estimated error of the codes of a point and a query together: the scale fits the longest row. */
static void guess_errors(Tried *tried)
{
    for (int choice = 0; choice < tried->choices; choice++) {
        double longest = 0;

        for (uint32_t i = 0; i < tried->rows; i += 16) {
            const float *at = tried->at + (size_t)i * tried->width;
            double length2 = 0;

            for (uint32_t j = 0; j < tried->top[choice]; j++)
                length2 += (double)at[j] * (double)at[j];
            longest = length2 > longest ? length2 : longest;
        }
        for (int width = 0; width < WIDTHS; width++) {
            uint32_t bits = default_bits[width];

            tried->blur[choice][width] = sqrt(longest / 12) * 3 / va_most(bits) *
                                         (1 + 1.0 / va_finer(bits));
        }
    }
}

/* The distance of a sample row to its nearest neighbor in the sample. */
static double nearest_in_sample(const VaBuild *build, const Tried *tried, uint32_t query)
{
    uint32_t own = (uint32_t)((uint64_t)query * tried->rows / tried->queries);
    const float *q = va_sample_row(build, own, tried->rows, 0);
    double least = (double)INFINITY;

    for (uint32_t i = 0; i < tried->rows; i++) {
        const float *x = va_sample_row(build, i, tried->rows, 1);
        double part[4] = {0}, apart2;

        for (uint32_t j = 0; j < build->vectors->features; j++)
            part[j % 4] += ((double)x[j] - (double)q[j]) * ((double)x[j] - (double)q[j]);
        apart2 = (part[0] + part[1]) + (part[2] + part[3]);
        least = i != own && apart2 < least ? apart2 : least;
    }
    return sqrt(least);
}

/* Counts the points of the sample that pass for each choice. */
static void try_query(Tried *tried, uint32_t query, double reach)
{
    uint32_t own = (uint32_t)((uint64_t)query * tried->rows / tried->queries);
    const float *q = tried->at + (size_t)own * tried->width,
                *q_rest = tried->rest + (size_t)own * CHOICES;

    for (uint32_t i = 0; i < tried->rows; i++) {
        const float *x = tried->at + (size_t)i * tried->width,
                    *rest = tried->rest + (size_t)i * CHOICES;
        double apart2 = 0;
        uint32_t j = 0;

        for (int choice = 0; choice < tried->choices; choice++) {
            double over = (double)rest[choice] - (double)q_rest[choice];

            for (; j < tried->top[choice]; j++)
                apart2 += ((double)x[j] - (double)q[j]) * ((double)x[j] - (double)q[j]);
            for (int width = 0; width < WIDTHS; width++) {
                double radius = reach + tried->blur[choice][width];

                tried->passed[choice][width] += apart2 + over * over <= radius * radius;
            }
        }
    }
}

/*
 * Measured nanoseconds per point: products of a component in a batch of queries; for a single
 * query, reading the codes, from the cache as far as they fit, or the products if these take
 * longer. One query in four is assumed to be single. Candidates are tested with a full-length code.
 * Half bytes cost no more products than bytes (decision 0009).
 */
double clv_va_cost(uint32_t features, uint32_t rows, uint32_t top, uint32_t bits, double passing)
{
    const double cache = 16e6, from_cache = 0.012, from_memory = 0.045, product = 0.006,
                 product_alone = 0.009;
    double parts = va_parts(features, top, bits), each = 30 + 0.05 * features;
    double bytes = parts * bits / 8 + sizeof(int32_t), fits = fmin(1, cache / (bytes * rows));
    double reading = bytes * (fits * from_cache + (1 - fits) * from_memory);

    return 0.75 * product * parts + 0.25 * fmax(product_alone * parts, reading) + passing * each;
}

/* The number of candidates is estimated: fewer bits must be better by this factor. */
#define CLEARLY (4 / 3.0)

static VaChoice cheapest(const VaBuild *build, const Tried *tried)
{
    double least = (double)INFINITY, pairs = (double)tried->rows * tried->queries;
    VaChoice best = {.top = build->wanted, .bits = 8};

    for (int choice = 0; choice < tried->choices; choice++)
        for (int width = 0; width < WIDTHS; width++) {
            uint32_t top = tried->top[choice], bits = default_bits[width];
            double cost = clv_va_cost(build->vectors->features, build->vectors->count, top, bits,
                                      tried->passed[choice][width] / pairs);

            if (bits < 8)
                cost *= CLEARLY;
            if (build->told_bits && build->told_bits != bits)
                continue;
            if (top <= build->wanted && cost < least) {
                least = cost;
                best = (VaChoice){.top = top, .bits = bits};
            }
        }
    return best;
}

static VaChoice try_choices(VaBuild *build, Tried *tried)
{
    double reach = 0;

    set_choices(build, tried);
    try_rows(build, tried);
    guess_errors(tried);
    for (uint32_t q = 0; q < tried->queries; q++) {
        double own;

        if (va_cancelled(build, 2 * (uint64_t)tried->rows * build->vectors->features))
            break;
        own = nearest_in_sample(build, tried, q);

        reach += own;
        try_query(tried, q, own);
    }
    build->reach = reach / tried->queries;
    return cheapest(build, tried);
}

Status clv_va_choose(VaBuild *build, VaChoice *choice, cleave_error *error)
{
    Tried tried = {.rows = va_sample_size(build->vectors, VA_TRIED), .width = build->wanted};
    Status status = OK;

    tried.queries = tried.rows < TRIED_QUERIES ? tried.rows : TRIED_QUERIES;
    tried.at = clv_alloc(build->context, tried.rows, ((size_t)tried.width + 1) * sizeof *tried.at);
    tried.rest = clv_alloc(build->context, tried.rows, CHOICES * sizeof *tried.rest);
    if (tried.at && tried.rest)
        *choice = try_choices(build, &tried);
    else
        status = clv_fail_memory(error, "a sample",
                                 (size_t)tried.rows * tried.width * sizeof *tried.at);
    FREE(build->context, tried.at, tried.rest);
    return status;
}
