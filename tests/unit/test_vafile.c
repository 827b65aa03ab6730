/*
 * The VA-file finds the same rows as the scan, in the same order with the same keys, on data chosen
 * to violate bounds. Its kernels agree. The errors of its codes are within their bounds, with
 * components of bytes and of half bytes. Opened from a bundle, it gives the same results. Broken
 * arrays are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "learn/neighbor/vafile.h"
#include "support/support.h"

#define FINE(expression) assert_int_equal((expression), OK)

static const Metric euclidean = {.distance = EUCLIDEAN};
static Metric metric = {.distance = EUCLIDEAN}; /* of the indexes that are built */

/* ---- data ------------------------------------------------------------------------------------ */

enum {
    GAUSSIAN,
    WHOLE,
    EQUAL,
    FEW_VALUES,
    TINY,
    HUGE_VALUES,
    FAR_CLUSTERS,
    OUTLIER,
    CONSTANT_COLUMNS,
    MIXED_SCALES,
    LOW_RANK,
    KINDS
};

static float value_of(Random *random, int kind, uint32_t row, uint32_t column)
{
    double normal = clv_random_normal(random);

    switch (kind) {
    case WHOLE:
        return (float)clv_random_below(random, 256);
    case EQUAL:
        return 0.1F;
    case FEW_VALUES:
        return (float)clv_random_below(random, 2) / 3;
    case TINY:
        return (float)(normal * 1e-30);
    case HUGE_VALUES:
        return (float)(normal * 1e30);
    case FAR_CLUSTERS:
        return (float)(row % 2 ? 1e30 + normal * 1e25 : normal);
    case OUTLIER:
        return (float)(row == 7 ? 1e30 : normal);
    case CONSTANT_COLUMNS:
        return column % 3 ? 1e6F : (float)normal;
    case MIXED_SCALES:
        return (float)(normal * pow(10, (double)(column % 13) * 5 - 30));
    case LOW_RANK:
        return (float)(sin(row * 0.37) * column + cos(row * 1.1) + normal * 1e-4);
    default:
        return (float)normal;
    }
}

typedef struct {
    Context *context;
    float *values, *asked;
    Vectors vectors;
    uint32_t queries;
} Data;

static Data make_data(Context *context, int kind, uint32_t rows, uint32_t features,
                      uint32_t queries, uint64_t seed)
{
    Data data = {.context = context, .queries = queries};
    Random random = clv_random(seed, (uint64_t)kind);

    data.values = malloc((size_t)rows * features * sizeof *data.values);
    data.asked = malloc((size_t)queries * features * sizeof *data.asked);
    assert_true(data.values && data.asked);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < features; j++)
            data.values[(size_t)i * features + j] = value_of(&random, kind, i, j);
    for (uint32_t i = 5; i < rows; i += 11) /* duplicate points */
        memcpy(data.values + (size_t)i * features, data.values + (size_t)(i / 2) * features,
               features * sizeof(float));
    for (uint32_t i = 0; i < queries; i++)
        for (uint32_t j = 0; j < features; j++)
            data.asked[(size_t)i * features + j] =
                i % 4 == 3 ? data.values[(size_t)(i * 7 % rows) * features + j]
                           : value_of(&random, kind, i, j);
    data.vectors = (Vectors){
        .count = rows, .features = features, .dense = data.values, .stride = features};
    return data;
}

static void free_data(Data *data)
{
    free(data->values);
    free(data->asked);
}

/* The same points with only their nonzero values. */
typedef struct {
    uint64_t *end;
    uint32_t *column;
    float *value;
} Sparse;

static Sparse make_sparse(const Data *data, Vectors *vectors)
{
    uint32_t rows = data->vectors.count, features = data->vectors.features;
    size_t cells = (size_t)rows * features;
    Sparse sparse = {malloc(rows * sizeof(uint64_t)), malloc(cells * sizeof(uint32_t)),
                     malloc(cells * sizeof(float))};
    uint64_t count = 0;

    assert_true(sparse.end && sparse.column && sparse.value);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < features; j++)
            if (data->values[(size_t)i * features + j] != 0) {
                sparse.column[count] = j;
                sparse.value[count++] = data->values[(size_t)i * features + j];
            }
        sparse.end[i] = count;
    }
    *vectors = (Vectors){.count = rows,
                         .features = features,
                         .end = sparse.end,
                         .column = sparse.column,
                         .value = sparse.value};
    return sparse;
}

/* ---- what is looked for ---------------------------------------------------------------------- */

typedef struct {
    uint32_t most;
    double limit;
    const uint64_t *only;
} SearchLimits;

static Index *build_codes(const Data *data, const char *kind, int64_t parts, int64_t bits,
                          bool plain)
{
    IndexOptions options = {
        .index = clv_index_number(kind), .parts = parts, .bits = bits, .plain = plain, .seed = 3};
    cleave_error error;
    Index *index;

    assert_int_not_equal(options.index, INDEX_AUTO);
    FINE(clv_index_build(data->context, &options, &metric, &data->vectors, &index, &error));
    return index;
}

static Index *build(const Data *data, const char *kind, int64_t parts, bool plain)
{
    return build_codes(data, kind, parts, 0, plain);
}

static void find(const Index *index, const Data *data, uint32_t first, uint32_t count,
                 const SearchLimits *wanted, Nearest *nearest)
{
    SearchWorkspace workspace = {.context = data->context};
    Query *query = calloc(count, sizeof *query);
    cleave_error error;

    assert_non_null(query);
    for (uint32_t i = 0; i < count; i++) {
        query_set_dense(&query[i], data->asked + (size_t)(first + i) * data->vectors.features);
        FINE(clv_nearest_init(&nearest[i], data->context, wanted->most, &error));
        nearest[i].limit = wanted->limit;
        nearest[i].only = wanted->only;
    }
    FINE(clv_index_search(index, query, nearest, count, &workspace, &error));
    clv_search_workspace_free(&workspace);
    free(query);
}

static void assert_same(const Nearest *a, const Nearest *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->item[i].row, b->item[i].row);
        assert_memory_equal(&a->item[i].key, &b->item[i].key, sizeof(double));
    }
}

/* All queries together, and some alone, against the scan. */
static void hold_against_scan(const Index *index, const Index *scan, const Data *data,
                              const SearchLimits *wanted)
{
    Nearest *found = calloc(data->queries, sizeof *found),
            *expected = calloc(data->queries, sizeof *expected), one;

    assert_true(found && expected);
    find(index, data, 0, data->queries, wanted, found);
    find(scan, data, 0, data->queries, wanted, expected);
    for (uint32_t i = 0; i < data->queries; i++) {
        assert_same(&found[i], &expected[i]);
        if (i % 5 == 0) {
            find(index, data, i, 1, wanted, &one);
            assert_same(&one, &expected[i]);
            clv_nearest_free(&one);
        }
    }
    for (uint32_t i = 0; i < data->queries; i++) {
        clv_nearest_free(&found[i]);
        clv_nearest_free(&expected[i]);
    }
    free(found);
    free(expected);
}

static double limit_of(const Data *data)
{
    Query query;

    query_set_dense(&query, data->asked);
    return clv_metric_key(&metric, &data->vectors, data->vectors.count / 2, &query);
}

/* One width with vector instructions, the other without. The kernels are compared below. */
static void try_data(Context *context, int kind, uint32_t rows, uint32_t features, int64_t parts,
                     int64_t bits)
{
    Data data = make_data(context, kind, rows, features, 25, rows * 31 + features);
    Index *scan = build(&data, "scan", 0, metric.distance != EUCLIDEAN), /* in double */
        *fast = build_codes(&data, "vafile", parts, bits, false),
          *plain = build_codes(&data, "vafile", parts, 12 - bits, true);
    uint64_t *only = calloc(rows / 64 + 1, sizeof *only);
    cleave_error error;
    SearchLimits wanted[] = {{.most = 1, .limit = (double)INFINITY},
                             {.most = rows < 10 ? rows : 10, .limit = (double)INFINITY},
                             {.most = rows, .limit = (double)INFINITY},
                             {.most = EVERY_POINT, .limit = limit_of(&data)},
                             {.most = 3, .limit = limit_of(&data)},
                             {.most = EVERY_POINT, .limit = 0},
                             {.most = 0, .limit = (double)INFINITY},
                             {.most = 4, .limit = (double)INFINITY, .only = only}};

    assert_non_null(only);
    for (uint32_t i = 0; i < rows; i += 3)
        only[i / 64] |= (uint64_t)1 << (i % 64);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        hold_against_scan(fast, scan, &data, &wanted[i]);
        hold_against_scan(plain, scan, &data, &wanted[i]);
    }
    for (uint32_t i = 0; i < rows / 3; i++) {
        FINE(clv_index_remove(fast, i * 2, &error));
        FINE(clv_index_remove(scan, i * 2, &error));
    }
    hold_against_scan(fast, scan, &data, &wanted[1]);
    free(only);
    clv_index_free(scan);
    clv_index_free(fast);
    clv_index_free(plain);
    free_data(&data);
}

static void try_all_data(Context *context)
{
    static const uint32_t widths[] = {1, 2, 3, 5, 8, 17, 64, 130, 300},
                          heights[] = {1, 2, 63, 64, 65, 700, 1500};

    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            try_data(context, kind, heights[(i + (size_t)kind) % 7], widths[i],
                     i % 3 == 2 ? (int64_t)i * 4 - 7 : 0, (i + (size_t)kind) % 2 ? 4 : 8);
    try_data(context, GAUSSIAN, 400, 1000, 0, 8);
    try_data(context, WHOLE, 400, 1000, 64, 4);
    try_data(context, MIXED_SCALES, 5000, 24, 9, 4);
    try_data(context, GAUSSIAN, 9000, 33, 0, 4);
}

static void same_as_scan(void **state)
{
    static const Distance distances[] = {COSINE, ANGLE, INNER_PRODUCT, EUCLIDEAN};
    Context *context = cleave_context_new(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        metric.distance = distances[i];
        try_all_data(context);
    }
    cleave_context_free(context);
}

/* Directions from the inner products of a sample, also with fewer rows than directions. */
static void many_columns(void **state)
{
    static const Distance distances[] = {COSINE, INNER_PRODUCT, EUCLIDEAN};
    Context *context = cleave_context_new(NULL);

    (void)state;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        metric.distance = distances[i];
        try_data(context, GAUSSIAN, 200, 1025, 0, 8);
        try_data(context, LOW_RANK, 90, 3072, 0, 4);
        try_data(context, OUTLIER, 30, 4000, 300, 8);
        try_data(context, EQUAL, 20, 2049, 0, 8);
        try_data(context, WHOLE, 3, VA_MOST_FEATURES, 0, 8);
    }
    cleave_context_free(context);
}

/* ---- the kernels ----------------------------------------------------------------------------- */

static void same_hits(const VaHits *a, const VaHits *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count;
         i++) { /* plain forms find them by row, others by groups of rows */
        assert_int_equal(a->hit[i].row, b->hit[i].row);
        assert_int_equal(a->hit[i].sum, b->hit[i].sum);
    }
}

/* By the definition: component j of a vector of half bytes is in byte j % 4 of word j / 8, the
 * upper half where j / 4 is odd. */
static int component_of(const VaCodes *codes, uint32_t row, uint32_t j)
{
    uint32_t in_word = 32 / codes->bits;
    size_t word = row / VA_BLOCK * codes->fours * VA_BLOCK + j / in_word * VA_BLOCK +
                  row % VA_BLOCK;
    int byte = codes->code[word * 4 + j % 4];

    return codes->bits == 8 ? byte : j / 4 % 2 ? byte >> 4 : byte & 15;
}

static int32_t sum_of(const VaCodes *codes, uint32_t row, const int8_t *query)
{
    uint32_t sum = (uint32_t)codes->start[row];

    for (uint32_t j = 0; j < codes->fours * 32 / codes->bits; j++)
        sum += (uint32_t)(component_of(codes, row, j) * query[j]);
    return (int32_t)sum;
}

static void one_round_of_kernels(const VaKernels *kernels, Random *random, uint32_t bits,
                                 uint32_t fours, bool extreme)
{
    enum { BLOCKS = 3, MOST = 260 };
    static uint8_t code[BLOCKS * VA_BLOCK * MOST];
    static int8_t asked[VA_TILE][2 * MOST + VA_CODE_STEP];
    static VaHits plain[VA_TILE], hits[VA_TILE];
    int32_t start[BLOCKS * VA_BLOCK], threshold[VA_TILE];
    const int8_t *query[VA_TILE];
    VaCodes codes = {.code = code, .start = start, .fours = fours, .bits = bits};
    size_t size = (size_t)fours * 4 / VA_CODE_STEP * VA_CODE_STEP;

    for (size_t i = 0; i < sizeof code; i++)
        code[i] = extreme ? 255 : (uint8_t)clv_random_below(random, 256);
    for (int i = 0; i < BLOCKS * VA_BLOCK; i++)
        start[i] = (int32_t)clv_random_below(random, 10000) - 5000;
    for (int q = 0; q < VA_TILE; q++) {
        for (size_t i = 0; i < sizeof asked[q]; i++)
            asked[q][i] = extreme ? (int8_t)(q % 2 ? -128 : 127)
                                  : (int8_t)((int)clv_random_below(random, 256) - 128);
        query[q] = asked[q];
        threshold[q] = q == 4   ? INT32_MIN
                       : q == 5 ? INT32_MAX
                                : (int32_t)clv_random_below(random, 200000) - 100000;
        plain[q].count = hits[q].count = 0;
    }
    clv_va_plain.tile(&codes, 1, 2, query, threshold, plain);
    kernels->tile(&codes, 1, 2, query, threshold, hits);
    for (int q = 0; q < VA_TILE; q++) {
        same_hits(&hits[q], &plain[q]);
        hits[q].count = 0;
        kernels->one(&codes, 1, 2, query[q], threshold[q], &hits[q]);
        same_hits(&hits[q], &plain[q]);
        assert_int_equal(kernels->dot(code, asked[q], size),
                         clv_va_plain.dot(code, asked[q], size));
    }
    assert_int_equal(plain[4].count, 2 * VA_BLOCK);
    for (uint32_t i = 0; i < plain[4].count; i++)
        assert_int_equal(plain[4].hit[i].sum, sum_of(&codes, plain[4].hit[i].row, query[4]));
    assert_int_equal(plain[5].count, 0);
}

/* Values of vectors with scales. */
static void scaled_values(const VaKernels *kernels, Random *random, uint32_t bits, uint32_t fours)
{
    enum { BLOCKS = 3, MOST = 40 };
    static uint8_t code[BLOCKS * VA_BLOCK * 4 * MOST];
    float scale[BLOCKS * VA_BLOCK], start[BLOCKS * VA_BLOCK], value[2 * VA_BLOCK],
        plain[2 * VA_BLOCK];
    int8_t asked[8 * MOST];
    int32_t zero[BLOCKS * VA_BLOCK] = {0};
    VaScaled codes = {code, scale, start, fours, bits};
    VaCodes whole = {.code = code, .start = zero, .fours = fours, .bits = bits};
    VaScaledQuery query = {.code = asked, .lifted = 1234, .unit = 0.37F};

    for (size_t i = 0; i < sizeof code; i++)
        code[i] = (uint8_t)clv_random_below(random, 256);
    for (size_t i = 0; i < sizeof asked; i++)
        asked[i] = (int8_t)((int)clv_random_below(random, 256) - 128);
    for (int i = 0; i < BLOCKS * VA_BLOCK; i++) {
        scale[i] = (float)clv_random_normal(random);
        start[i] = (float)clv_random_normal(random);
    }
    clv_va_plain.scaled(&codes, 1, 2, &query, plain);
    kernels->scaled(&codes, 1, 2, &query, value);
    assert_memory_equal(value, plain, sizeof value);
    for (uint32_t i = 0; i < 2 * VA_BLOCK; i++) {
        float product = scale[VA_BLOCK + i] * query.unit;

        product *= (float)(sum_of(&whole, VA_BLOCK + i, asked) - query.lifted);
        assert_true(value[i] == start[VA_BLOCK + i] + product);
    }
}

static void products(const VaKernels *kernels, Random *random)
{
    enum { DEPTH = 37, PANELS = 2 };
    float matrix[PANELS * DEPTH * VA_PANEL];
    double row[VA_ROWS * DEPTH], out[VA_ROWS * PANELS * VA_PANEL],
        expected[VA_ROWS * PANELS * VA_PANEL];

    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
        matrix[i] = (float)clv_random_normal(random);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        row[i] = clv_random_normal(random);
    for (int r = 0; r < VA_ROWS; r++)
        for (int j = 0; j < PANELS * VA_PANEL; j++) {
            double sum = 0;

            for (int i = 0; i < DEPTH; i++)
                sum += (double)matrix[(j / VA_PANEL * DEPTH + i) * VA_PANEL + j % VA_PANEL] *
                       row[r * DEPTH + i];
            expected[r * PANELS * VA_PANEL + j] = sum;
        }
    kernels->multiply(matrix, PANELS, DEPTH, row, out);
    assert_memory_equal(out, expected, sizeof out);
}

static void kernels_agree(void **state)
{
    Random random = clv_random(1, 2);
    const VaKernels *kernels;

    (void)state;
    for (size_t i = 0; (kernels = clv_va_kernels_at(i)); i++) {
        for (uint32_t bits = 4; bits <= 8; bits += 4) {
            for (uint32_t fours = 1; fours <= 64; fours += fours < 4 ? 1 : 20)
                one_round_of_kernels(kernels, &random, bits, fours, false);
            one_round_of_kernels(kernels, &random, bits, 64, true);
            for (uint32_t fours = 1; fours <= 40; fours += 13)
                scaled_values(kernels, &random, bits, fours);
        }
        products(kernels, &random);
    }
}

/* ---- the bounds ------------------------------------------------------------------------------ */

/* Codes of points and of queries are integers in their units, and their errors are within the
 * bounds. */
static void check_code(const VaMap *map, const VaCoded *coded, const int8_t *code,
                       const long double *exact, double unit, int most)
{
    long double far2 = 0;
    int64_t norm = 0, sum = 0;

    for (uint32_t j = 0; j < map->parts; j++) {
        long double left = exact[j] - (long double)unit * code[j];

        assert_in_range(code[j] + most, 0, 2 * most);
        norm += code[j] * code[j];
        sum += code[j];
        far2 += left * left;
    }
    assert_true(sqrtl(far2) <= (long double)coded->error);
    assert_true(norm == coded->norm && sum == coded->sum);
}

/* In long double: the distance of the images of two points is at most that of the points, and
 * errors of codes are within their bounds. */
static void check_bounds(const Data *data, uint32_t bits)
{
    Index *index = build_codes(data, "vafile", data->vectors.features / 2, bits, false);
    const VaFile *file = index->parts;
    const VaMap *map = &file->map;
    long double *exact = calloc((size_t)2 * map->parts, sizeof *exact);
    double *workspace = calloc(va_map_size(map), sizeof *workspace);
    int8_t *code = calloc(map->parts + file->full.stride, 1);

    assert_true(exact && workspace && code);
    assert_int_equal(map->bits, bits);
    for (uint32_t i = 0; i < data->queries; i++) {
        const float *x = data->asked + (size_t)i * map->features;
        const float *row[VA_ROWS] = {x, x, x, x};
        long double rest2 = 0, far2 = 0, off2 = 0;
        VaImage image[VA_ROWS];
        VaCoded coded;

        clv_va_map(map, clv_va_kernels(), row, workspace, image);
        for (uint32_t j = 0; j < map->top; j++) {
            exact[j] = 0;
            for (uint32_t k = 0; k < map->features; k++)
                exact[j] += (long double)map
                                ->matrix[((size_t)(j / VA_PANEL) * map->features + k) * VA_PANEL +
                                         j % VA_PANEL] *
                            ((long double)x[k] - (long double)map->center[k]);
            exact[j] /= (long double)map->sigma;
            rest2 -= exact[j] * exact[j];
        }
        for (uint32_t k = 0; k < map->features; k++)
            rest2 += ((long double)x[k] - (long double)map->center[k]) *
                     ((long double)x[k] - (long double)map->center[k]);
        if (map->top < map->features)
            exact[map->top] = sqrtl(rest2 > 0 ? rest2 : 0) - (long double)map->offset;
        for (uint32_t j = 0; j < map->parts; j++) {
            long double off = exact[j] - (long double)image[0].value[j];

            off2 += off * off;
        }
        assert_true(sqrtl(off2) <= (long double)image[0].error);
        coded = clv_va_encode(map, &image[0], code);
        check_code(map, &coded, code, exact, map->scale, bits == 4 ? 7 : 127);
        coded = clv_va_encode_query(map, &image[0], code);
        check_code(map, &coded, code, exact, bits == 4 ? map->scale / 16 : map->scale, 127);
        coded = clv_va_encode_full(&file->full, x, code);
        for (uint32_t k = 0; k < map->features; k++) {
            long double left = (long double)x[k] - (long double)file->full.low -
                               (long double)file->full.step * (code[k] + 128);

            far2 += left * left;
        }
        assert_true(sqrtl(far2) <= (long double)coded.error);
    }
    free(exact);
    free(workspace);
    free(code);
    clv_index_free(index);
}

static void errors_are_bounded(void **state)
{
    Context *context = cleave_context_new(NULL);

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        Data data = make_data(context, kind, 300, 40, 50, 9);

        check_bounds(&data, 4);
        check_bounds(&data, 8);
        free_data(&data);
    }
    cleave_context_free(context);
}

/* The file has for each point the code computed from the point alone, and the start of its sums,
 * −⌊t·Σ code²/2⌋. */
static void check_codes(const Data *data, uint32_t bits)
{
    Index *index = build_codes(data, "vafile", 13, bits, false);
    const VaFile *file = index->parts;
    const VaMap *map = &file->map;
    double *workspace = calloc(va_map_size(map), sizeof *workspace);
    int8_t *code = calloc(map->parts, 1);

    assert_true(workspace && code);
    for (uint32_t i = 0; i < data->vectors.count; i++) {
        const float *x = data->values + (size_t)i * map->features, *row[VA_ROWS] = {x, x, x, x};
        VaImage image[VA_ROWS];
        VaCoded coded;
        int64_t norm = 0;

        clv_va_map(map, clv_va_kernels(), row, workspace, image);
        coded = clv_va_encode(map, &image[0], code);
        for (uint32_t j = 0; j < map->parts; j++) {
            assert_int_equal(component_of(&file->codes, i, j), code[j] + (bits == 4 ? 8 : 128));
            norm += code[j] * code[j];
        }
        assert_int_equal(file->codes.start[i], -(norm * (bits == 4 ? 16 : 1) / 2));
        assert_true(coded.error <= (double)file->error[i / 1024]);
    }
    free(workspace);
    free(code);
    clv_index_free(index);
}

static void codes_are_as_said(void **state)
{
    Context *context = cleave_context_new(NULL);
    Data data = make_data(context, GAUSSIAN, 1100, 40, 1, 9);

    (void)state;
    check_codes(&data, 4);
    check_codes(&data, 8);
    free_data(&data);
    cleave_context_free(context);
}

/* A matrix whose largest singular value is known. */
static void sigma_is_no_less(void **state)
{
    float matrix[VA_PANEL * 3] = {0}, center[3] = {0};
    VaMap map = {.features = 3, .top = 2, .panels = 1, .matrix = matrix, .center = center};
    double workspace[4];

    (void)state;
    for (int i = 0; i < 3; i++)
        matrix[i * VA_PANEL] = matrix[i * VA_PANEL + 1] = 1; /* two equal rows of length √3: √6 */
    assert_true(clv_va_sigma(&map, workspace) >= sqrt(6) &&
                clv_va_sigma(&map, workspace) < sqrt(6) * (1 + 1e-12));
    map.top = 0;
    assert_true(clv_va_sigma(&map, workspace) == 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void from_a_bundle(void **state)
{
    static const char *const needed[] = {"index_top",    "index_bits",   "index_frame",
                                         "index_centre", "index_matrix", "index_codes",
                                         "index_starts", "index_errors"};
    Context *context = cleave_context_new(NULL);
    Data data = make_data(context, WHOLE, 500, 90, 13, 4);
    Index *scan = build(&data, "scan", 0, false), *built = build(&data, "vafile", 16, false),
          *opened;
    IndexOptions options = built->options;
    const SearchLimits wanted = {.most = 6, .limit = (double)INFINITY};
    cleave_error error;
    Bundle *bundle;

    (void)state;
    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_index_save(built, false, bundle, &error));
    assert_int_equal(clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL),
                     OK);
    FINE(clv_index_open(context, bundle, &options, &euclidean, &data.vectors, &opened, &error));
    hold_against_scan(opened, scan, &data, &wanted);
    clv_index_free(opened);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const uint32_t wrong[3] = {7, 7, 7};

        FINE(clv_bundle_put(bundle, needed[i], BUNDLE_U32, wrong, 3, &error));
        assert_int_equal(
            clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL),
            CLEAVE_ERROR_FORMAT);
        assert_int_equal(
            clv_index_open(context, bundle, &options, &euclidean, &data.vectors, &opened, &error),
            CLEAVE_ERROR_FORMAT);
        FINE(clv_index_save(built, false, bundle, &error));
    }
    clv_bundle_free(bundle);
    clv_index_free(scan);
    clv_index_free(built);
    free_data(&data);
    cleave_context_free(context);
}

/* All arrays of a bundle except one. */
static Bundle *without(Context *context, const Bundle *bundle, const char *name)
{
    cleave_error error;
    Bundle *rest;

    FINE(clv_bundle_new(context, &rest, &error));
    for (size_t i = 0; i < bundle->count; i++) {
        const BundleItem *item = &bundle->item[i];

        if (strcmp(item->name, name) != 0)
            FINE(clv_bundle_borrow(rest, item->name, item->type, item->data, item->count, &error));
    }
    return rest;
}

/* Old files, in which every component is a byte, do not contain the width. An invalid width, or one
 * that differs from the codes, is refused. */
static void widths_in_files(void **state)
{
    static const uint32_t wrong[] = {0, 1, 2, 5, 7, 9, 16, 32, UINT32_MAX};
    Context *context = cleave_context_new(NULL);
    Data data = make_data(context, GAUSSIAN, 200, 30, 7, 4);
    Index *scan = build(&data, "scan", 0, false), *opened;
    const SearchLimits wanted = {.most = 6, .limit = (double)INFINITY};
    cleave_error error;

    (void)state;
    for (uint32_t bits = 4; bits <= 8; bits += 4) {
        Index *built = build_codes(&data, "vafile", 16, bits, false);
        IndexOptions options = built->options;
        uint32_t other = 12 - bits;
        Bundle *bundle, *old;

        FINE(clv_bundle_new(context, &bundle, &error));
        FINE(clv_index_save(built, false, bundle, &error));
        assert_int_equal(
            clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL), OK);
        options.bits = 0;
        FINE(clv_index_open(context, bundle, &options, &euclidean, &data.vectors, &opened, &error));
        hold_against_scan(opened, scan, &data, &wanted);
        clv_index_free(opened);
        options.bits = other; /* the model's own options say otherwise */
        assert_int_equal(
            clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL),
            CLEAVE_ERROR_FORMAT);
        options.bits = 0;
        old = without(context, bundle, "index_bits");
        assert_int_equal(clv_index_check(context, old, &options, &euclidean, &data.vectors, NULL),
                         bits == 8 ? OK : CLEAVE_ERROR_FORMAT);
        clv_bundle_free(old);
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            FINE(clv_bundle_put(bundle, "index_bits", BUNDLE_U32, &wrong[i], 1, &error));
            assert_int_equal(
                clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL),
                CLEAVE_ERROR_FORMAT);
            assert_int_equal(clv_index_open(context, bundle, &options, &euclidean, &data.vectors,
                                            &opened, &error),
                             CLEAVE_ERROR_FORMAT);
        }
        FINE(clv_bundle_put(bundle, "index_bits", BUNDLE_U32, &other, 1, &error));
        assert_int_equal(
            clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL),
            CLEAVE_ERROR_FORMAT);
        FINE(clv_bundle_put(bundle, "index_bits", BUNDLE_F32, &bits, 1,
                            &error)); /* of another type */
        assert_int_equal(
            clv_index_check(context, bundle, &options, &euclidean, &data.vectors, NULL),
            CLEAVE_ERROR_FORMAT);
        clv_bundle_free(bundle);
        clv_index_free(built);
    }
    clv_index_free(scan);
    free_data(&data);
    cleave_context_free(context);
}

/* Half bytes are chosen if codes are read from memory and hardly more points pass. */
static void bits_by_cost(void **state)
{
    const double clearly = 4 / 3.0;
    const uint32_t few = 10000, many = 4000000;

    (void)state;
    assert_true(clearly * clv_va_cost(128, many, 31, 4, 0.001) <
                clv_va_cost(128, many, 31, 8, 0.001));
    assert_true(clearly * clv_va_cost(128, few, 31, 4, 0.001) >
                clv_va_cost(128, few, 31, 8, 0.001));
    assert_true(clv_va_cost(128, many, 31, 4, 0.02) > clv_va_cost(128, many, 31, 8, 0.001));
    assert_true(clv_va_cost(128, many, 63, 8, 0.001) > clv_va_cost(128, many, 31, 8, 0.001));
}

/* Points added later that are wider than the others, and columns of a query that no point has. */
static void wider_points(void **state)
{
    enum { ROWS = 300, OLD = 20, NEW = 23 };
    Context *context = cleave_context_new(NULL);
    Data data = make_data(context, GAUSSIAN, ROWS, OLD, 12, 8),
         wide = make_data(context, GAUSSIAN, ROWS + 1, NEW, 12, 8);
    Index *fast = build(&data, "vafile", 0, false), *scan = build(&data, "scan", 0, false);
    const SearchLimits wanted = {.most = 7, .limit = (double)INFINITY};
    cleave_error error;

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < NEW; j++)
            wide.values[i * NEW + j] = j < OLD ? data.values[i * OLD + j] : 0;
    FINE(clv_index_add(fast, &wide.vectors, &error));
    FINE(clv_index_add(scan, &wide.vectors, &error));
    assert_int_equal(fast->built, ROWS);
    hold_against_scan(fast, scan, &wide, &wanted);
    clv_index_free(fast);
    clv_index_free(scan);
    free_data(&data);
    free_data(&wide);
    cleave_context_free(context);
}

/* Points without columns, which get one later. */
static void no_columns(void **state)
{
    enum { ROWS = 70 };
    Context *context = cleave_context_new(NULL);
    Data wide = make_data(context, GAUSSIAN, ROWS + 1, 2, 9, 8), none = wide;
    const SearchLimits wanted = {.most = 7, .limit = (double)INFINITY};
    cleave_error error;
    Index *fast, *scan;

    (void)state;
    none.vectors.count = ROWS;
    none.vectors.features = 0;
    memset(wide.values, 0, (size_t)ROWS * 2 * sizeof *wide.values);
    fast = build(&none, "vafile", 0, false);
    scan = build(&none, "scan", 0, false);
    hold_against_scan(fast, scan, &none, &wanted);
    FINE(clv_index_add(fast, &wide.vectors, &error));
    FINE(clv_index_add(scan, &wide.vectors, &error));
    hold_against_scan(fast, scan, &wide, &wanted);
    clv_index_free(fast);
    clv_index_free(scan);
    free_data(&wide);
    cleave_context_free(context);
}

static void refusals(void **state)
{
    Context *context = cleave_context_new(NULL);
    IndexOptions options = {.index = clv_index_number("vafile")};
    const Metric manhattan = {.distance = MANHATTAN};
    const float x[1] = {1};
    Vectors dense = {.count = 1, .features = 1, .dense = x, .stride = 1},
            wide = {.count = 1,
                    .features = VA_MOST_FEATURES + 1,
                    .dense = x,
                    .stride = VA_MOST_FEATURES + 1};
    cleave_error error;
    Index *index;

    (void)state;
    assert_int_equal(clv_index_build(context, &options, &manhattan, &dense, &index, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "manhattan"));
    assert_int_equal(clv_index_build(context, &options, &euclidean, &wide, &index, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "65537"));
    cleave_context_free(context);
}

/* Points with mostly zeros, as a model stores them: the same bytes and the same results. */
static void sparse_is_dense(void **state)
{
    Context *context = cleave_context_new(NULL);
    Data data = make_data(context, WHOLE, 900, 50, 14, 6), few = data;
    Index *dense, *index, *scan;
    const SearchLimits wanted = {.most = 5, .limit = (double)INFINITY};
    Sparse sparse;

    (void)state;
    for (uint32_t i = 0; i < 900 * 50; i++)
        data.values[i] = data.values[i] < 200 ? 0 : data.values[i];
    sparse = make_sparse(&data, &few.vectors);
    scan = build(&data, "scan", 0, false);
    dense = build(&data, "vafile", 0, false);
    index = build(&few, "vafile", 0, false);
    assert_int_equal(dense->arrays->count, index->arrays->count);
    for (size_t i = 0; i < dense->arrays->count; i++)
        assert_memory_equal(dense->arrays->item[i].data, index->arrays->item[i].data,
                            dense->arrays->item[i].count);
    index->vectors = data.vectors; /* queries here are dense ones, which are for dense points */
    hold_against_scan(index, scan, &data, &wanted);
    clv_index_free(scan);
    clv_index_free(dense);
    clv_index_free(index);
    free(sparse.end);
    free(sparse.column);
    free(sparse.value);
    free_data(&data);
    cleave_context_free(context);
}

/* Whichever allocation of building or searching fails: an error, and no leak. */
static void fail_each_allocation(Distance distance, uint32_t rows, uint32_t features)
{
    const Metric searched = {.distance = distance};
    bool done = false;

    for (long long fail_at = 1; !done; fail_at++) {
        TestMemory memory = {0};
        cleave_config config = {.size = sizeof config, .allocate = test_allocate, .user = &memory};
        Context *context = cleave_context_new(&config);
        Data data = make_data(context, WHOLE, rows, features, 1, 2);
        IndexOptions options = {.index = clv_index_number("vafile"), .parts = 8};
        SearchWorkspace workspace = {.context = context};
        Nearest nearest = {0};
        cleave_error error;
        Query query;
        Index *index;
        Status status;

        query_set_dense(&query, data.asked);
        FINE(clv_nearest_init(&nearest, context, 3, &error));
        memory.calls = 0;
        memory.fail_at = fail_at;
        status = clv_index_build(context, &options, &searched, &data.vectors, &index, &error);
        if (status == OK)
            status = clv_index_search(index, &query, &nearest, 1, &workspace, &error);
        assert_true(status == OK || status == CLEAVE_ERROR_MEMORY);
        done = status == OK;
        memory.fail_at = 0;
        clv_index_free(index);
        clv_nearest_free(&nearest);
        clv_search_workspace_free(&workspace);
        free_data(&data);
        cleave_context_free(context);
        assert_true(memory.live == 0);
    }
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation(EUCLIDEAN, 100, 24);
    fail_each_allocation(COSINE, 100, 24);
    fail_each_allocation(INNER_PRODUCT, 20, 1100);
}

/* The same seed gives the same bytes. */
static void same_bytes(void **state)
{
    Context *context = cleave_context_new(NULL);
    Data data = make_data(context, GAUSSIAN, 400, 120, 1, 4);
    Index *one = build(&data, "vafile", 0, false), *other = build(&data, "vafile", 0, true);

    (void)state;
    assert_int_equal(one->arrays->count, other->arrays->count);
    for (size_t i = 0; i < one->arrays->count; i++) {
        static const size_t size[] = {[BUNDLE_BYTES] = 1,
                                      [BUNDLE_U32] = 4,
                                      [BUNDLE_U64] = 8,
                                      [BUNDLE_F32] = 4,
                                      [BUNDLE_F64] = 8};
        const BundleItem *a = &one->arrays->item[i], *b = &other->arrays->item[i];

        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->data, b->data, (size_t)a->count * size[a->type]);
    }
    clv_index_free(one);
    clv_index_free(other);
    free_data(&data);
    cleave_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree),
                                       cmocka_unit_test(errors_are_bounded),
                                       cmocka_unit_test(codes_are_as_said),
                                       cmocka_unit_test(sigma_is_no_less),
                                       cmocka_unit_test(same_as_scan),
                                       cmocka_unit_test(many_columns),
                                       cmocka_unit_test(from_a_bundle),
                                       cmocka_unit_test(widths_in_files),
                                       cmocka_unit_test(bits_by_cost),
                                       cmocka_unit_test(wider_points),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(no_columns),
                                       cmocka_unit_test(same_bytes),
                                       cmocka_unit_test(sparse_is_dense),
                                       cmocka_unit_test(any_allocation_may_fail)};

    return cmocka_run_group_tests_name("vafile", tests, NULL, NULL);
}
