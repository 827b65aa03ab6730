/*
 * Builds a VA-file. The directions are eigenvectors of the covariances of a sample (Jolliffe 2002).
 * For many columns a smaller sample is used, and its inner products: if v is an eigenvector of S
 * Sᵀ, Sᵀ v is one of Sᵀ S. vafile_choose.c chooses their number and bits. Correctness does not
 * depend on these choices: the errors of the map and of the codes are measured afterwards.
 */
#include "learn/neighbor/vafile_build.h"
#include "base/dense.h"
#include "base/random.h"

#include <stdlib.h>

enum {
    MOST_OF_SAMPLE = 20000, /* rows for the covariances */
    ROWS_AT_ONCE = 256,     /* rows per matrix product */
    MOST_CHOSEN = 128,      /* maximum number of directions by default */
    /* with more columns, the inner products of at most this many rows are used */
    WIDE = 1024,
    WIDE_CELLS = 1 << 24, /* maximum number of cells of that sample */
    STREAM = 0x7661,      /* stream of the random numbers */
};

/* ---- directions ------------------------------------------------------------------------------ */

static void find_center(VaBuild *build, double *sum)
{
    uint32_t features = build->vectors->features,
             rows = va_sample_size(build->vectors, MOST_OF_SAMPLE);

    memset(sum, 0, features * sizeof *sum);
    for (uint32_t i = 0; i < rows; i++) {
        const float *x = va_sample_row(build, i, rows, 0);

        for (uint32_t j = 0; j < features; j++)
            sum[j] += (double)x[j];
    }
    for (uint32_t j = 0; j < features; j++)
        build->center[j] = (float)(sum[j] / rows);
}

static void add_covariances(VaBuild *build, double *matrix, double *rows)
{
    uint32_t features = build->vectors->features,
             count = va_sample_size(build->vectors, MOST_OF_SAMPLE);

    for (uint32_t first = 0;
         first < count && !va_cancelled(build, (uint64_t)features * features * ROWS_AT_ONCE / 8);
         first += ROWS_AT_ONCE) {
        uint32_t some = count - first < ROWS_AT_ONCE ? count - first : ROWS_AT_ONCE;

        for (uint32_t i = 0; i < some; i++) {
            const float *x = va_sample_row(build, first + i, count, 0);

            for (uint32_t j = 0; j < features; j++)
                rows[(size_t)i * features + j] = (double)x[j] - (double)build->center[j];
        }
        clv_add_squares(matrix, features, rows, some);
    }
}

/* Uses the first columns as directions: for constant points, and if the eigenvectors fail. */
static void plain_directions(const VaBuild *build)
{
    uint32_t features = build->vectors->features;

    memset(build->direction, 0, (size_t)build->wanted * features * sizeof *build->direction);
    for (uint32_t i = 0; i < build->wanted; i++)
        build->direction[(size_t)i * features + i] = 1;
}

static Status find_directions(VaBuild *build, double *matrix, double *rows, double *values,
                              cleave_error *error)
{
    size_t features = build->vectors->features;
    double trace = 0;
    Status status;

    memset(matrix, 0, features * features * sizeof *matrix);
    add_covariances(build, matrix, rows);
    for (size_t i = 0; i < features; i++)
        trace += matrix[i * features + i];
    plain_directions(build);
    if (!(trace > 0) || !isfinite(trace))
        return OK;
    for (size_t i = 0; i < features * features; i++)
        matrix[i] /= trace;
    status = clv_eigen(build->context, matrix, features, build->wanted, values, build->direction,
                       error);
    if (status == CLEAVE_ERROR_DATA) {
        plain_directions(build);
        return OK;
    }
    return status;
}

static Status find_narrow_directions(VaBuild *build, cleave_error *error)
{
    size_t features = build->vectors->features;
    double *matrix = clv_alloc(build->context, features, features * sizeof *matrix);
    double *rows = clv_alloc(build->context, ROWS_AT_ONCE, features * sizeof *rows);
    double *values = clv_alloc(build->context, features, sizeof *values);
    Status status = matrix && rows && values
                        ? find_directions(build, matrix, rows, values, error)
                        : clv_fail_memory(error, "covariances", features * features * 8);

    FREE(build->context, matrix, rows, values);
    return status;
}

/* ---- directions of many columns -------------------------------------------------------------- */

/* Evenly spaced rows, from which the center is subtracted. */
typedef struct {
    uint32_t rows;
    float *row;       /* rows * features */
    double *products; /* products of the rows, rows * rows */
    double *columns;  /* ROWS_AT_ONCE columns */
    double *values, *vectors;
} WideSample;

static void take_wide_rows(VaBuild *build, const WideSample *sample)
{
    size_t features = build->vectors->features;

    for (uint32_t i = 0; i < sample->rows && !va_cancelled(build, features); i++) {
        const float *x = va_sample_row(build, i, sample->rows, 0);
        float *to = sample->row + i * features;

        for (size_t j = 0; j < features; j++)
            to[j] = x[j] - build->center[j];
    }
}

static void multiply_wide_rows(VaBuild *build, const WideSample *sample)
{
    size_t features = build->vectors->features, rows = sample->rows;

    memset(sample->products, 0, rows * rows * sizeof *sample->products);
    for (size_t first = 0; first < features && !va_cancelled(build, rows * rows * ROWS_AT_ONCE / 8);
         first += ROWS_AT_ONCE) {
        size_t some = features - first < ROWS_AT_ONCE ? features - first : ROWS_AT_ONCE;

        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < some; j++)
                sample->columns[j * rows + i] = (double)sample->row[i * features + first + j];
        clv_add_squares(sample->products, rows, sample->columns, some);
    }
}

/* Computes the directions. Directions without variance in the sample are 0. */
static void set_wide_directions(VaBuild *build, const WideSample *sample, uint32_t count)
{
    size_t features = build->vectors->features;
    const double least = 1e-10;

    memset(build->direction, 0, build->wanted * features * sizeof *build->direction);
    for (uint32_t k = 0; k < count && sample->values[k] > least; k++) {
        double *to = build->direction + k * features, length2 = 0;

        for (uint32_t i = 0; i < sample->rows && !va_cancelled(build, features / 4); i++) {
            double share = sample->vectors[(size_t)k * sample->rows + i];
            const float *row = sample->row + i * features;

            for (size_t j = 0; j < features; j++)
                to[j] += share * (double)row[j];
        }
        for (size_t j = 0; j < features; j++)
            length2 += to[j] * to[j];
        for (size_t j = 0; j < features; j++)
            to[j] /= length2 > 0 ? sqrt(length2) : 1;
    }
}

static Status find_in_sample(VaBuild *build, const WideSample *sample, uint32_t count,
                             cleave_error *error)
{
    size_t cells = (size_t)sample->rows * sample->rows;
    double trace = 0;
    Status status;

    take_wide_rows(build, sample);
    multiply_wide_rows(build, sample);
    for (size_t i = 0; i < sample->rows; i++)
        trace += sample->products[i * sample->rows + i];
    plain_directions(build);
    if (!(trace > 0) || !isfinite(trace))
        return OK;
    for (size_t i = 0; i < cells; i++)
        sample->products[i] /= trace;
    status = clv_eigen(build->context, sample->products, sample->rows, count, sample->values,
                       sample->vectors, error);
    if (status == OK)
        set_wide_directions(build, sample, count);
    return status == CLEAVE_ERROR_DATA ? OK : status;
}

static Status find_wide_directions(VaBuild *build, cleave_error *error)
{
    size_t features = build->vectors->features;
    uint32_t most = (uint32_t)(WIDE_CELLS / features), count;
    WideSample sample = {.rows = va_sample_size(build->vectors, most < WIDE ? most : WIDE)};
    Context *context = build->context;
    Status status;

    count = build->wanted < sample.rows ? build->wanted : sample.rows;
    sample.row = clv_alloc(context, sample.rows, features * sizeof *sample.row);
    sample.products = clv_alloc(context, sample.rows, sample.rows * sizeof *sample.products);
    sample.columns = clv_alloc(context, ROWS_AT_ONCE, sample.rows * sizeof *sample.columns);
    sample.values = clv_alloc(context, sample.rows, sizeof *sample.values);
    sample.vectors = clv_alloc(context, count, sample.rows * sizeof *sample.vectors);
    status = sample.row && sample.products && sample.columns && sample.values && sample.vectors
                 ? find_in_sample(build, &sample, count, error)
                 : clv_fail_memory(error, "a sample", sample.rows * features * sizeof(float));
    FREE(context, sample.row, sample.products, sample.columns, sample.values, sample.vectors);
    return status;
}

static Status find_frame(VaBuild *build, cleave_error *error)
{
    double *sum;

    TRY(ALLOC(build->context, sum, build->vectors->features, "a center", error));
    find_center(build, sum);
    clv_free(build->context, sum);
    return build->vectors->features > WIDE ? find_wide_directions(build, error)
                                           : find_narrow_directions(build, error);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* Orthonormalizes rows. */
static void straighten(VaBuild *build, double *rows, size_t size)
{
    for (size_t i = 0; i < 2 * size && !va_cancelled(build, i * size);
         i++) { /* twice for each row, to remove rounding errors */
        double *row = rows + i / 2 * size, length = 0;

        for (size_t k = 0; k < i / 2; k++) {
            const double *other = rows + k * size;
            double dot = 0;

            for (size_t j = 0; j < size; j++)
                dot += row[j] * other[j];
            for (size_t j = 0; j < size; j++)
                row[j] -= dot * other[j];
        }
        for (size_t j = 0; j < size; j++)
            length += row[j] * row[j];
        for (size_t j = 0; j < size; j++)
            row[j] /= sqrt(length);
    }
}

/* The directions, rotated by `turn` (NULL: not rotated), in the layout of the kernels. */
static void set_matrix(VaBuild *build, uint32_t top, uint32_t bits, const double *turn, double *row)
{
    size_t features = build->vectors->features, panels = va_panels(top);

    memset(build->matrix, 0, panels * VA_PANEL * features * sizeof *build->matrix);
    for (uint32_t j = 0; j < top; j++) {
        float *to = build->matrix + j / VA_PANEL * features * VA_PANEL + j % VA_PANEL;

        memset(row, 0, features * sizeof *row);
        for (uint32_t k = turn ? 0 : j; k < (turn ? top : j + 1) && !va_cancelled(build, features);
             k++) {
            double share = turn ? turn[(size_t)j * top + k] : 1;

            for (size_t i = 0; i < features; i++)
                row[i] += share * build->direction[k * features + i];
        }
        for (size_t i = 0; i < features; i++)
            to[i * VA_PANEL] = (float)row[i];
    }
    build->map.features = (uint32_t)features;
    build->map.top = top;
    build->map.bits = bits;
    build->map.parts = va_parts((uint32_t)features, top, bits);
    build->map.panels = panels;
    build->map.center = build->center;
    build->map.matrix = build->matrix;
    build->map.sigma = 1;
    build->map.offset = 0;
    build->map.scale = 1;
}

static Status choose_from_sample(VaBuild *build, VaChoice *choice, cleave_error *error)
{
    double *row;

    TRY(ALLOC(build->context, row, build->vectors->features, "a direction", error));
    set_matrix(build, build->wanted, 8, NULL, row);
    clv_free(build->context, row);
    return clv_va_choose(build, choice, error);
}

static Status turn_directions(VaBuild *build, const VaChoice *choice, cleave_error *error)
{
    uint32_t top = choice->top;
    double *turn = clv_alloc(build->context, (size_t)top + 1, ((size_t)top + 1) * sizeof *turn);
    double *row = clv_alloc(build->context, build->vectors->features, sizeof *row);
    Random random = clv_random(build->seed, STREAM);
    Status status = turn && row
                        ? OK
                        : clv_fail_memory(error, "a rotation", (size_t)top * top * sizeof *turn);

    if (status == OK) {
        for (size_t i = 0; i < (size_t)top * top; i++)
            turn[i] = clv_random_normal(&random);
        straighten(build, turn, top);
        set_matrix(build, top, choice->bits, turn, row);
        build->map.sigma = clv_va_sigma(&build->map, turn);
        /* the directions are invalid; columns are used instead */
        if (!isfinite(build->map.sigma) || build->map.sigma > 2) {
            plain_directions(build);
            set_matrix(build, top, choice->bits, NULL, row);
            build->map.sigma = clv_va_sigma(&build->map, turn);
        }
    }
    FREE(build->context, turn, row);
    return status;
}

/* ---- scales ---------------------------------------------------------------------------------- */

/* Rounds up to 24 bits, so that products with codes are exact. */
static double short_number(double x)
{
    int exponent;
    double part = frexp(x, &exponent);

    return x > 0 && isfinite(x) ? ldexp(ceil(ldexp(part, 24)), exponent - 24) : 1;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Units of work of VA_ROWS images. */
static uint64_t row_units(const VaBuild *build)
{
    return VA_ROWS *
           (uint64_t)(build->map.features * (build->map.top / 8 + 1) + 8 * build->map.parts);
}

/* Maps the sample, up to the memory limit. */
static void map_sample(VaBuild *build, uint32_t rows, double *value)
{
    uint32_t parts = build->map.parts;

    for (uint32_t i = 0; i < rows; i += VA_ROWS) {
        const float *row[VA_ROWS];
        VaImage image[VA_ROWS];

        for (uint32_t r = 0; r < VA_ROWS; r++)
            row[r] = va_sample_row(build, i + r < rows ? i + r : i, rows, r);
        if (va_cancelled(build, row_units(build)))
            return;
        clv_va_map(&build->map, build->kernels, row, build->workspace, image);
        for (uint32_t r = 0; r < VA_ROWS && i + r < rows; r++)
            memcpy(value + (size_t)(i + r) * parts, image[r].value, parts * sizeof *value);
    }
}

enum { SCALE_GROUPS = 4 };

/* The error of a scale for most groups of rows. A search uses the largest error of a group, but but
 * a few groups with outliers do not determine the scale. */
static double largest_error(const VaMap *map, double *value, uint32_t rows, int8_t *code)
{
    double largest[SCALE_GROUPS] = {0};

    for (uint32_t i = 0; i < rows; i++) {
        const VaImage image = {.value = value + (size_t)i * map->parts};
        double error = clv_va_encode(map, &image, code).error,
               *most = &largest[(uint64_t)i * SCALE_GROUPS / rows];

        *most = error > *most ? error : *most;
    }
    qsort(largest, SCALE_GROUPS, sizeof *largest, ascending);
    return largest[SCALE_GROUPS * 3 / 4 - 1];
}

/* Chooses among scales around the one with which the largest value of a typical row just fits. */
static void choose_scale(VaBuild *build, double *value, uint32_t rows, double *largest,
                         int8_t *code)
{
    static const double factors[] = {0.25, 0.5,  0.7, 0.8,  0.9, 1, 1.1,
                                     1.2,  1.35, 1.5, 1.75, 2,   3, 4};
    uint32_t parts = build->map.parts;
    double ordinary, best = 1, least = (double)INFINITY;

    for (uint32_t i = 0; i < rows; i++) {
        largest[i] = 0;
        for (uint32_t j = 0; j < parts; j++)
            largest[i] = fmax(largest[i], fabs(value[(size_t)i * parts + j]));
    }
    qsort(largest, rows, sizeof *largest, ascending);
    ordinary = largest[rows - 1 - rows / 64];
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        double error;

        if (va_cancelled(build, 4 * (uint64_t)rows * parts))
            return;
        build->map.scale = short_number(ordinary / va_most(build->map.bits) * factors[i]);
        error = largest_error(&build->map, value, rows, code);
        if (error < least) {
            least = error;
            best = build->map.scale;
        }
    }
    build->map.scale = short_number(best * 1.125); /* the sample may lack the largest values */
}

static Status find_scale(VaBuild *build, cleave_error *error)
{
    uint32_t rows = va_sample_size(build->vectors, VA_TRIED), parts = build->map.parts,
             top = build->map.top;
    double *value = clv_alloc(build->context, (size_t)rows, ((size_t)parts + 1) * sizeof *value),
           sum = 0;
    int8_t *code = clv_alloc(build->context, parts, 1);
    Status status = value && code
                        ? OK
                        : clv_fail_memory(error, "a sample", (size_t)rows * parts * sizeof *value);

    if (status == OK) {
        map_sample(build, rows, value);
        for (uint32_t i = 0; top < build->map.features && i < rows; i++)
            sum += value[(size_t)i * parts + top];
        build->map.offset = sum / rows;
        for (uint32_t i = 0; top < build->map.features && i < rows; i++)
            value[(size_t)i * parts + top] -= build->map.offset;
        choose_scale(build, value, rows, value + (size_t)rows * parts, code);
    }
    FREE(build->context, value, code);
    return status;
}

/* Finds the scale of full-length codes. Integers of at most 256 values have exact codes. */
static void find_full_scale(VaBuild *build)
{
    const Vectors *vectors = build->vectors;
    float low = INFINITY, high = -INFINITY;
    bool whole = true;

    for (uint32_t i = 0; i < vectors->count && !va_cancelled(build, vectors->features); i++)
        clv_va_range(va_point(build, i, 0), vectors->features, &low, &high);
    whole = low >= -65536 && (double)high - (double)low <= 255 && (double)low == floor((double)low);
    for (uint32_t i = 0; i < vectors->count && whole && !va_cancelled(build, vectors->features);
         i++) {
        const float *x = va_point(build, i, 0);

        for (uint32_t j = 0; j < vectors->features; j++)
            whole = whole && x[j] == (float)(int)x[j];
    }
    build->full = (VaFull){.features = vectors->features,
                           .stride = va_full_stride(vectors->features),
                           .low = (double)low,
                           .step = whole ? 1 : short_number(((double)high - (double)low) / 255)};
}

/* Decides whether full-length codes separate near from far points: their error must be small
 * relative to the nearest distances, and smaller than the map's. */
static Status weigh_full(VaBuild *build, cleave_error *error)
{
    uint32_t rows = va_sample_size(build->vectors, ROWS_AT_ONCE);
    int8_t *code = clv_alloc(build->context, build->full.stride, 1);
    double sum = 0, mapped = build->map.scale * sqrt(build->map.parts / 12.0);

    if (!code)
        return clv_fail_memory(error, "a code", build->full.stride);
    for (uint32_t i = 0; i < rows; i++)
        sum += clv_va_encode_full(&build->full, va_sample_row(build, i, rows, 0), code).error /
               rows;
    clv_free(build->context, code);
    build->with_full = 4 * sum < build->reach &&
                       (build->map.top < build->map.features || 4 * sum < mapped);
    return OK;
}

/* ---- codes ----------------------------------------------------------------------------------- */

typedef struct {
    uint8_t *code;
    uint32_t *start;
    float *error;
    int8_t *one;
    double *length2, *longest; /* INNER_PRODUCT: lengths, see VaInner */
} Codes;

/* The initial sum of a point, which includes its length: at least −t N/2 + t ℓ²/(2 s²). */
static uint32_t start_with_length(const VaMap *map, uint32_t norm, double length2)
{
    double finer = va_finer(map->bits), units = length2 / (map->scale * map->scale);
    double start = ceil(finer * units * (1 + 8 * VA_UNIT) / 2) - floor(finer * norm / 2);

    return (uint32_t)(int32_t)(start < VA_MOST_START ? start : VA_MOST_START);
}

static void put_length(const VaBuild *build, Codes *codes, uint32_t row, uint32_t norm,
                       const VaImage *image)
{
    double *longest = &codes->longest[row / (VA_BLOCK * VA_ERROR_BLOCKS)];

    codes->start[row] = start_with_length(&build->map, norm, image->length2);
    codes->length2[row] = image->length2;
    *longest = image->length2 > *longest ? image->length2 : *longest;
}

static void put_code(const VaBuild *build, Codes *codes, uint32_t row, const VaImage *image)
{
    VaCoded coded = clv_va_encode(&build->map, image, codes->one);
    float above = va_float_above(coded.error),
          *largest = &codes->error[row / (VA_BLOCK * VA_ERROR_BLOCKS)];
    uint32_t bits = build->map.bits, in_word = 32 / bits;
    uint8_t *to = codes->code + (row / VA_BLOCK * VA_BLOCK) * va_code_size(&build->map) +
                  row % VA_BLOCK * 4;

    for (uint32_t j = 0; j < build->map.parts; j++)
        to[(size_t)(j / in_word) * 4 * VA_BLOCK + j % 4] |=
            (uint8_t)((codes->one[j] + va_lift(bits)) << (j % in_word / 4 * bits));
    if (codes->length2)
        put_length(build, codes, row, coded.norm, image);
    else
        codes->start[row] = -(coded.norm * (uint32_t)va_finer(bits) / 2);
    *largest = above > *largest ? above : *largest;
}

static void put_codes(VaBuild *build, Codes *codes)
{
    uint32_t rows = build->vectors->count;

    for (uint32_t i = 0; i < rows; i += VA_ROWS) {
        const float *row[VA_ROWS];
        VaImage image[VA_ROWS];

        for (uint32_t r = 0; r < VA_ROWS; r++)
            row[r] = va_point(build, i + r < rows && i + r >= i ? i + r : i, r);
        if (va_cancelled(build, row_units(build)))
            return;
        clv_va_map(&build->map, build->kernels, row, build->workspace, image);
        for (uint32_t r = 0; r < VA_ROWS && i + r < rows; r++)
            put_code(build, codes, i + r, &image[r]);
        if (i > UINT32_MAX - VA_ROWS)
            break;
    }
}

static Status put_lengths(const VaBuild *build, Codes *codes, size_t groups, Bundle *into,
                          cleave_error *error)
{
    uint32_t rows = build->vectors->count;
    double center2 = clv_va_squares(build->center, build->map.features), largest = 0;

    for (size_t i = 0; i < groups; i++)
        largest = fmax(largest, codes->longest[i]);
    largest = (sqrt(largest) + sqrt(center2)) * (1 + 4 * va_gamma(build->map.features + 8.0));
    TRY(TAKE_ARRAYS(into, error, {"index_lengths", BUNDLE_F64, codes->length2, rows},
                    {"index_longest", BUNDLE_F64, codes->longest, groups}));
    return clv_bundle_put(into, "index_inner", BUNDLE_F64,
                          (const double[]){build->typical, largest, center2}, 3, error);
}

static Status make_codes(VaBuild *build, Bundle *into, cleave_error *error)
{
    Context *context = build->context;
    size_t rows = build->vectors->count, size = va_code_size(&build->map),
           blocks = (rows + VA_BLOCK - 1) / VA_BLOCK;
    size_t errors = (blocks + VA_ERROR_BLOCKS - 1) / VA_ERROR_BLOCKS;
    Codes codes = {0};
    Status status = ALLOC_ZERO(context, codes.code, blocks * VA_BLOCK * size, "codes", error);

    if (status == OK)
        status = ALLOC(context, codes.start, blocks * VA_BLOCK, "codes", error);
    if (status == OK)
        status = ALLOC_ZERO(context, codes.error, errors, "codes", error);
    if (status == OK)
        status = ALLOC(context, codes.one, build->map.parts, "codes", error);
    if (status == OK && build->metric->distance == INNER_PRODUCT)
        status = ALLOC(context, codes.length2, rows, "codes", error);
    if (status == OK && build->metric->distance == INNER_PRODUCT)
        status = ALLOC_ZERO(context, codes.longest, errors, "codes", error);
    if (status != OK) {
        FREE(context, codes.code, codes.start, codes.error, codes.one, codes.length2,
             codes.longest);
        return status;
    }
    for (size_t i = rows; i < blocks * VA_BLOCK; i++)
        codes.start[i] = (uint32_t) - (1 << 30); /* unused entries: the sums stay small */
    put_codes(build, &codes);
    clv_free(context, codes.one);
    if (codes.length2)
        status = put_lengths(build, &codes, errors, into, error);
    if (status != OK) {
        FREE(context, codes.code, codes.start, codes.error);
        return status;
    }
    return TAKE_ARRAYS(into, error,
                       {"index_codes", BUNDLE_BYTES, codes.code, blocks * VA_BLOCK * size},
                       {"index_starts", BUNDLE_U32, codes.start, blocks * VA_BLOCK},
                       {"index_errors", BUNDLE_F32, codes.error, errors});
}

static void put_full_codes(VaBuild *build, uint8_t *code, uint32_t *norm, float *far)
{
    for (uint32_t i = 0;
         i < build->vectors->count && !va_cancelled(build, 4 * build->full.features); i++) {
        uint8_t *to = code + i * build->full.stride;
        VaCoded coded = clv_va_encode_full(&build->full, va_point(build, i, 0), (int8_t *)to);

        for (uint32_t j = 0; j < build->full.features; j++)
            to[j] = (uint8_t)(to[j] ^ 128); /* stored with an offset of 128 */
        norm[i] = coded.norm;
        far[i] = va_float_above(coded.error);
    }
}

static Status make_full_codes(VaBuild *build, Bundle *into, cleave_error *error)
{
    Context *context = build->context;
    size_t rows = build->vectors->count, size = rows * build->full.stride;
    uint8_t *code;
    uint32_t *norm = NULL;
    float *far = NULL;
    Status status = ALLOC(context, code, size, "codes", error);

    if (status == OK)
        status = ALLOC(context, norm, rows, "codes", error);
    if (status == OK)
        status = ALLOC(context, far, rows, "codes", error);
    if (status != OK) {
        FREE(context, code, norm, far);
        return status;
    }
    put_full_codes(build, code, norm, far);
    return TAKE_ARRAYS(into, error, {"index_full_codes", BUNDLE_BYTES, code, size},
                       {"index_full_norms", BUNDLE_U32, norm, rows},
                       {"index_full_errors", BUNDLE_F32, far, rows});
}

/* ---- building -------------------------------------------------------------------------------- */

static Status put_map(const VaBuild *build, Bundle *into, cleave_error *error)
{
    const VaMap *map = &build->map;
    const double frame[] = {map->sigma, map->offset, map->scale, build->full.low, build->full.step};
    size_t cells = map->panels * VA_PANEL * map->features;

    TRY(clv_bundle_put(into, "index_top", BUNDLE_U32, &map->top, 1, error));
    TRY(clv_bundle_put(into, "index_bits", BUNDLE_U32, &map->bits, 1, error));
    TRY(clv_bundle_put(into, "index_frame", BUNDLE_F64, frame, sizeof frame / sizeof *frame,
                       error));
    TRY(clv_bundle_put(into, "index_centre", BUNDLE_F32, map->center, map->features, error));
    return clv_bundle_put(into, "index_matrix", BUNDLE_F32, map->matrix, cells, error);
}

/* COSINE, ANGLE: the number of zero vectors. */
static Status put_zeros(const VaBuild *build, Bundle *into, cleave_error *error)
{
    const Vectors *vectors = build->vectors;
    uint32_t zeros = 0;

    for (uint32_t i = 0; i < vectors->count; i++) {
        bool dense = vectors_are_dense(vectors);
        uint64_t start = dense ? 0 : sparse_start(vectors, i);
        size_t count = dense ? vectors->features : (size_t)(vectors->end[i] - start);
        const float *x = vectors->dense    ? dense_row(vectors, i)
                         : vectors->packed ? build->spread
                                           : vectors->value + start;
        size_t j = 0;

        if (vectors->packed)
            spread_row(vectors, i, build->spread);
        while (j < count && x[j] == 0)
            j++;
        zeros += j == count;
    }
    return clv_bundle_put(into, "index_zeros", BUNDLE_U32, &zeros, 1, error);
}

/* INNER_PRODUCT: the root mean square of ‖x − center‖ in a sample. */
static void find_typical_length(VaBuild *build)
{
    uint32_t rows = va_sample_size(build->vectors, VA_TRIED), features = build->vectors->features;
    const double most = 1e37; /* the elements of t q are floats */
    double sum = 0;

    for (uint32_t i = 0; i < rows && !va_cancelled(build, features); i++) {
        const float *x = va_sample_row(build, i, rows, 0);

        for (uint32_t j = 0; j < features; j++)
            sum += ((double)x[j] - (double)build->center[j]) *
                   ((double)x[j] - (double)build->center[j]) / rows;
    }
    build->typical = sum > 0 ? fmin(sqrt(sum), most) : 1;
}

static Status build_all(VaBuild *build, Bundle *into, cleave_error *error)
{
    VaChoice choice = {0};

    if (metric_of_directions(build->metric))
        TRY(put_zeros(build, into, error));
    TRY(find_frame(build, error));
    if (build->metric->distance == INNER_PRODUCT)
        find_typical_length(build);
    TRY(choose_from_sample(build, &choice, error));
    TRY(turn_directions(build, &choice, error));
    TRY(find_scale(build, error));
    find_full_scale(build);
    TRY(weigh_full(build, error));
    TRY(put_map(build, into, error));
    TRY(make_codes(build, into, error));
    if (build->with_full)
        TRY(make_full_codes(build, into, error));
    return build->cancelled ? clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

Status clv_va_build(const Index *index, Bundle *into, cleave_error *error)
{
    Context *context = index->context;
    size_t features = index->vectors.features, told = (size_t)index->options.parts;
    size_t most = told > MOST_CHOSEN ? told : MOST_CHOSEN,
           wanted = most < features ? most : features;
    size_t cells = va_panels((uint32_t)wanted) * VA_PANEL * features;
    VaBuild build = {.context = context,
                     .vectors = &index->vectors,
                     .metric = &index->metric,
                     .kernels = index->options.plain ? &clv_va_plain : clv_va_kernels(),
                     .seed = index->options.seed,
                     .given_parts = (uint32_t)told,
                     .given_bits = (uint32_t)index->options.bits,
                     .wanted = (uint32_t)wanted,
                     .direction = clv_alloc(context, wanted, features * sizeof *build.direction),
                     .center = clv_alloc(context, features, sizeof *build.center),
                     .matrix = clv_alloc(context, cells, sizeof *build.matrix),
                     .spread = clv_alloc(context, VA_ROWS, features * sizeof *build.spread)};
    VaMap widest = {.features = (uint32_t)features, .panels = va_panels((uint32_t)wanted)};
    const uint32_t none = VA_NO_COLUMNS;
    Status status;

    build.workspace = clv_alloc(context, va_map_size(&widest), sizeof *build.workspace);
    if (features == 0)
        status = clv_bundle_put(into, "index_top", BUNDLE_U32, &none, 1, error);
    else if (build.direction && build.center && build.matrix && build.workspace && build.spread)
        status = build_all(&build, into, error);
    else
        status = clv_fail_memory(error, "an index", cells * sizeof *build.matrix);
    FREE(context, build.direction, build.center, build.matrix, build.workspace, build.spread);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const void *array(const Bundle *from, const char *name, BundleType type, uint64_t count)
{
    const BundleItem *item = clv_bundle_get(from, name, type);

    return item && item->count == count ? item->data : NULL;
}

/* The bits per component; 0: invalid. Old files without this number have components of 8 bits. */
static uint32_t bits_of(const Bundle *from)
{
    const uint32_t *bits = array(from, "index_bits", BUNDLE_U32, 1);
    bool said = false;

    for (size_t i = 0; i < from->count; i++)
        said = said || strcmp(from->item[i].name, "index_bits") == 0;
    return bits ? *bits : said ? 0 : 8;
}

/* Reads the map. The points may have more columns by now; the map has those of its center. */
static bool map_of(const Bundle *from, uint32_t most, VaFile *file)
{
    const BundleItem *center = clv_bundle_get(from, "index_centre", BUNDLE_F32);
    uint32_t features = center && center->count <= most && center->count <= VA_MOST_FEATURES
                            ? (uint32_t)center->count
                            : 0;
    const uint32_t *top = array(from, "index_top", BUNDLE_U32, 1);
    const double *frame = array(from, "index_frame", BUNDLE_F64, 5);
    uint32_t bits = bits_of(from);
    VaMap *map = &file->map;

    if (features == 0 || !top || *top > features || !frame || (bits != 4 && bits != 8))
        return false;
    *map = (VaMap){.features = features,
                   .top = *top,
                   .bits = bits,
                   .parts = va_parts(features, *top, bits),
                   .panels = va_panels(*top),
                   .sigma = frame[0],
                   .offset = frame[1],
                   .scale = frame[2]};
    map->center = center->data;
    map->matrix = array(from, "index_matrix", BUNDLE_F32, map->panels * VA_PANEL * features);
    file->full = (VaFull){.features = features,
                          .stride = va_full_stride(features),
                          .low = frame[3],
                          .step = frame[4]};
    return map->matrix && map->sigma > 0 && map->scale > 0 && file->full.step > 0;
}

/* Reads the arrays that COSINE, ANGLE and INNER_PRODUCT require besides the codes. */
static bool metric_arrays(const Index *index, const Bundle *from, VaFile *file)
{
    const uint32_t *zeros = array(from, "index_zeros", BUNDLE_U32, 1);
    const double *inner = array(from, "index_inner", BUNDLE_F64, 3);
    size_t rows = index->built, group = (size_t)VA_BLOCK * VA_ERROR_BLOCKS;

    if (metric_of_directions(&index->metric)) {
        file->zeros = zeros && *zeros > 0;
        return zeros != NULL;
    }
    if (index->metric.distance != INNER_PRODUCT)
        return true;
    if (!inner || !(inner[0] > 0))
        return false;
    file->inner = (VaInner){.typical = inner[0], .largest = inner[1], .center2 = inner[2]};
    file->inner.length2 = array(from, "index_lengths", BUNDLE_F64, rows);
    file->inner.longest = array(from, "index_longest", BUNDLE_F64, (rows + group - 1) / group);
    return file->inner.length2 && file->inner.longest;
}

bool clv_va_read(const Index *index, const Bundle *from, void *parts)
{
    VaFile *file = parts;
    uint32_t rows = index->built;
    size_t blocks = ((size_t)rows + VA_BLOCK - 1) / VA_BLOCK, places = blocks * VA_BLOCK;
    const uint32_t *top = array(from, "index_top", BUNDLE_U32, 1);

    *file = (VaFile){.blocks = (uint32_t)blocks};
    if (top && *top == VA_NO_COLUMNS)
        return true;
    if (!map_of(from, index->vectors.features, file) || !metric_arrays(index, from, file))
        return false;
    if (index->options.bits && index->options.bits != file->map.bits)
        return false;
    file->codes.bits = file->map.bits;
    file->codes.fours = va_code_size(&file->map) / 4;
    file->codes.code = array(from, "index_codes", BUNDLE_BYTES, places * va_code_size(&file->map));
    file->codes.start = array(from, "index_starts", BUNDLE_U32, places);
    file->error = array(from, "index_errors", BUNDLE_F32,
                        (blocks + VA_ERROR_BLOCKS - 1) / VA_ERROR_BLOCKS);
    file->full_code = array(from, "index_full_codes", BUNDLE_BYTES, rows * file->full.stride);
    file->full_norm = array(from, "index_full_norms", BUNDLE_U32, rows);
    file->full_error = array(from, "index_full_errors", BUNDLE_F32, rows);
    if (!file->full_norm || !file->full_error)
        file->full_code = NULL;
    return file->codes.code && file->codes.start && file->error;
}
