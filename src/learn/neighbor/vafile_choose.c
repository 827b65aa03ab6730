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

/* The rows of the sample, then the queries: coordinates along all directions, and the residual norm
 * for each choice. */
typedef struct {
    uint32_t rows, queries, width;
    uint32_t top[CHOICES]; /* number of directions of each choice */
    int choices;
    float *at;      /* (rows + queries) * width values */
    float *rest;    /* (rows + queries) * CHOICES values */
    double *length; /* distance of a row from the center */
    float *moved;   /* scratch space for VA_ROWS queries of INNER_PRODUCT */
    double blur[CHOICES][WIDTHS], passed[CHOICES][WIDTHS];
} Tried;

static void set_choices(const VaBuild *build, Tried *tried)
{
    uint32_t features = build->vectors->features;

    tried->choices = build->given_parts ? 1 : CHOICES;
    for (int i = 0; i < tried->choices; i++) {
        uint32_t parts = build->given_parts ? build->given_parts : default_parts[i];

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
        for (uint32_t r = 0; r < VA_ROWS && i + r < tried->rows; r++) {
            try_row(build, tried, i + r, &image[r]);
            tried->length[i + r] = sqrt(image[r].length2);
        }
    }
}

static uint32_t row_of_query(const Tried *tried, uint32_t query)
{
    return (uint32_t)((uint64_t)query * tried->rows / tried->queries);
}

/* INNER_PRODUCT: center + t x, as set_moved in vafile.c. Returns t. */
static double move_query(const VaBuild *build, const float *x, float *to)
{
    uint32_t features = build->vectors->features;
    double own = sqrt(clv_va_squares(x, features)), factor = own > 0 ? build->typical / own : 1;

    for (uint32_t j = 0; j < features; j++)
        to[j] = (float)((double)build->center[j] + factor * (double)x[j]);
    return factor;
}

/* The images of the queries, which are rows of the sample. */
static void make_queries(VaBuild *build, Tried *tried)
{
    uint32_t features = build->vectors->features;

    for (uint32_t i = 0; i < tried->queries; i++) {
        uint32_t own = row_of_query(tried, i);
        const float *row[VA_ROWS];
        VaImage image[VA_ROWS];

        if (build->metric->distance != INNER_PRODUCT) {
            memcpy(tried->at + (size_t)(tried->rows + i) * tried->width,
                   tried->at + (size_t)own * tried->width, tried->width * sizeof *tried->at);
            memcpy(tried->rest + (size_t)(tried->rows + i) * CHOICES,
                   tried->rest + (size_t)own * CHOICES, CHOICES * sizeof *tried->rest);
            continue;
        }
        move_query(build, va_sample_row(build, own, tried->rows, 0), tried->moved);
        for (uint32_t r = 0; r < VA_ROWS; r++)
            row[r] = tried->moved;
        clv_va_map(&build->map, build->kernels, row, build->workspace, image);
        try_row(build, tried, tried->rows + i, image);
        if (va_cancelled(build, VA_ROWS * (uint64_t)features * (build->wanted / 8 + 1)))
            return;
    }
}

/* Estimates the error of the codes of a point and a query together. The scale fits the longest
 * row. */
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

static double squares_apart(const float *x, const float *q, uint32_t features)
{
    enum { LANES = 8 };
    double part[LANES] = {0}, sum = 0;
    uint32_t i = 0;

    for (; i + LANES <= features; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            double apart = (double)x[i + lane] - (double)q[i + lane];

            part[lane] += apart * apart;
        }
    for (; i < features; i++)
        part[0] += ((double)x[i] - (double)q[i]) * ((double)x[i] - (double)q[i]);
    for (uint32_t lane = 0; lane < LANES; lane++)
        sum += part[lane];
    return sum;
}

/* The distance of a query to its nearest neighbor in the sample. INNER_PRODUCT: the neighbor has
 * the least ‖x − center − t q‖² − ‖x − center‖², which is *less. */
static double nearest_in_sample(const VaBuild *build, const Tried *tried, uint32_t query,
                                double *less)
{
    bool inner = build->metric->distance == INNER_PRODUCT;
    uint32_t own = row_of_query(tried, query), nearest = own;
    const float *q = va_sample_row(build, own, tried->rows, 0);
    double least = (double)INFINITY;

    if (inner) {
        move_query(build, q, tried->moved);
        q = tried->moved;
    }

    for (uint32_t i = 0; i < tried->rows; i++) {
        const float *x = va_sample_row(build, i, tried->rows, 1);
        double apart2 = squares_apart(x, q, build->vectors->features);

        if (inner)
            apart2 -= tried->length[i] * tried->length[i];
        if (i == own || !(apart2 < least))
            continue;
        least = apart2;
        nearest = i;
    }
    *less = least;
    return sqrt(fmax(least + (inner ? tried->length[nearest] * tried->length[nearest] : 0), 0));
}

/* The maximum distance of a point within the bound of a query. */
static double reach_at(const Tried *tried, uint32_t row, double less)
{
    return sqrt(fmax(tried->length[row] * tried->length[row] + less, 0));
}

/* Counts the points of the sample that pass for each choice. */
static void try_query(const VaBuild *build, Tried *tried, uint32_t query, double nearest,
                      double less)
{
    const float *q = tried->at + (size_t)(tried->rows + query) * tried->width,
                *q_rest = tried->rest + (size_t)(tried->rows + query) * CHOICES;
    bool inner = build->metric->distance == INNER_PRODUCT;

    for (uint32_t i = 0; i < tried->rows; i++) {
        const float *x = tried->at + (size_t)i * tried->width,
                    *rest = tried->rest + (size_t)i * CHOICES;
        double apart2 = 0, reach = inner ? reach_at(tried, i, less) : nearest;
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
 * Estimated nanoseconds per point, from measurements. In a batch of queries: the products of the
 * components. For a single query: reading the codes, from the cache as far as they fit, or the
 * products if these take longer. One query in four is assumed to be single. Candidates are tested
 * with a full-length code. Products of half bytes take the same time as those of bytes (decision
 * 0009).
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
            if (build->given_bits && build->given_bits != bits)
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
    make_queries(build, tried);
    guess_errors(tried);
    for (uint32_t q = 0; q < tried->queries; q++) {
        double own, less;

        if (va_cancelled(build, 2 * (uint64_t)tried->rows * build->vectors->features))
            break;
        own = nearest_in_sample(build, tried, q, &less);
        reach += own;
        try_query(build, tried, q, own, less);
    }
    build->reach = reach / tried->queries;
    return cheapest(build, tried);
}

Status clv_va_choose(VaBuild *build, VaChoice *choice, cleave_error *error)
{
    Tried tried = {.rows = va_sample_size(build->vectors, VA_TRIED), .width = build->wanted};
    Status status = OK;
    size_t images;

    tried.queries = tried.rows < TRIED_QUERIES ? tried.rows : TRIED_QUERIES;
    images = (size_t)tried.rows + tried.queries;
    tried.at = clv_alloc(build->context, images, ((size_t)tried.width + 1) * sizeof *tried.at);
    tried.rest = clv_alloc(build->context, images, CHOICES * sizeof *tried.rest);
    tried.length = clv_alloc(build->context, tried.rows, sizeof *tried.length);
    tried.moved = clv_alloc(build->context, build->vectors->features, sizeof *tried.moved);
    if (tried.at && tried.rest && tried.length && tried.moved)
        *choice = try_choices(build, &tried);
    else
        status = clv_fail_memory(error, "a sample",
                                 (size_t)tried.rows * tried.width * sizeof *tried.at);
    FREE(build->context, tried.at, tried.rest, tried.length, tried.moved);
    return status;
}
