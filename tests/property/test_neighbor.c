/*
 * Exact search: every exact index finds the rows, in the order and with the keys, of a plain sort
 * of all distances in double precision. This holds for all points (one column or 3,072; duplicates;
 * constant columns; values from 1e-30 to 1e30; integers; values of float16, bfloat16, int8 and
 * uint8; clusters; dense, sparse), distances, numbers of neighbors, radii and selected rows, after
 * removals and additions, with vector instructions and without, and on 1, 2 and 7 threads.
 *
 * 5,000 queries, and 1,000 changes and queries interleaved; with CLEAVE_LONG, as in `make
 * test-all`, 1,000,000 and 100,000.
 */
#include "property/table.h"

#include "learn/neighbor/points.h"
#include "learn/neighbor/scan_loops.h"

#include <math.h>

/* ---- points and questions -------------------------------------------------------------------- */

enum { MOST_COLUMNS = 1000, BEYOND = 3 }; /* columns that only a query may have */

typedef enum {
    UNIFORM,
    WHOLE,
    CLUSTERS,
    WIDE_RANGE,
    TINY,
    HUGE_VALUES,
    FEW_VALUES,
    SPARSE_BITS,
    SHAPES
} Values;

/* The types of embeddings. Every value is rounded to one of them. */
typedef enum { FLOAT32, FLOAT16, BFLOAT16, INT8, UINT8, ELEMENTS } Element;
static const char *const element_names[] = {"float32", "float16", "bfloat16", "int8", "uint8"};

typedef struct {
    uint32_t rows, columns, width; /* width: including the columns of queries only */
    float *value;                  /* rows × width */
    Values values;
    Element element;
    double filled; /* fraction of values that are not 0 */
    float center[8][4];
} Cloud;

static float draw(Cloud *points, Random *random, uint32_t column, uint32_t cluster)
{
    double unit = clv_random_unit(random);

    switch (points->values) {
    case UNIFORM:
        return (float)(unit - 0.5);
    case WHOLE:
        return (float)clv_random_below(random, 256);
    case CLUSTERS:
        return points->center[cluster][column % 4] + (float)(1e-3 * unit);
    case WIDE_RANGE:
        return (float)((clv_random_below(random, 2) ? 1 : -1) * pow(10, 60 * unit - 30));
    case TINY:
        return (float)(1e-30 * (unit - 0.5));
    case HUGE_VALUES:
        return (float)(1e30 * (unit - 0.5));
    case FEW_VALUES:
        return (float)clv_random_below(random, 3) - 1;
    default:
        return 1;
    }
}

/* To this many significant bits. */
static float rounded(float x, int bits)
{
    int exponent;
    float part = frexpf(x, &exponent);

    return ldexpf(rintf(ldexpf(part, bits)), exponent - bits);
}

static float element_of(Element element, float x)
{
    switch (element) {
    case FLOAT16:
        return fabsf(x) > 65504 ? copysignf(65504, x) : rounded(x, 11);
    case BFLOAT16:
        return rounded(x, 8);
    case INT8:
        return rintf(fmaxf(-128, fminf(x, 127)));
    case UINT8:
        return rintf(fmaxf(0, fminf(x, 255)));
    default:
        return x;
    }
}

static void round_row(const Cloud *points, float *row)
{
    for (uint32_t column = 0; column < points->width; column++)
        row[column] = element_of(points->element, row[column]);
}

static void fill_row(Cloud *points, Random *random, float *row, uint32_t columns)
{
    uint32_t cluster = clv_random_below(random, 8);

    for (uint32_t column = 0; column < columns; column++)
        row[column] = clv_random_unit(random) < points->filled
                          ? draw(points, random, column, cluster)
                          : 0;
}

/* Draws the number of columns: mostly few, with not more values than a quick test allows, and
 * sometimes as many as embeddings have. */
static uint32_t draw_columns(Random *random)
{
    static const uint32_t widths[] = {1, 3, 100, 2049, 3072};
    uint32_t columns;

    if (clv_random_below(random, 20) == 0)
        return widths[clv_random_below(random, sizeof widths / sizeof *widths)];
    columns = (uint32_t)exp(log(MOST_COLUMNS + 0.99) * pow(clv_random_unit(random), 1.5));
    return columns < 1 ? 1 : columns;
}

static void scale_row(Random *random, float *row, uint32_t columns)
{
    float scale = (float)exp(clv_random_normal(random));

    for (uint32_t i = 0; i < columns; i++)
        row[i] *= scale;
}

static Cloud draw_points(Random *random)
{
    Cloud points = {.columns = draw_columns(random),
                    .values = (Values)clv_random_below(random, SHAPES),
                    .element = (Element)clv_random_below(random, ELEMENTS)};
    uint32_t most = 6000 / points.columns + 8, constant = clv_random_below(random, 3),
             zeros = clv_random_below(random, 3);

    points.rows = 1 + clv_random_below(random, most < 700 ? most : 700);
    points.width = points.columns + BEYOND;
    points.filled = points.values == SPARSE_BITS || clv_random_below(random, 2)
                        ? 0.02 + 0.3 * clv_random_unit(random)
                        : 1;
    points.value = some((size_t)points.rows * points.width, sizeof *points.value);
    for (int i = 0; i < 8 * 4; i++)
        points.center[i / 4][i % 4] = (float)clv_random_normal(random);
    for (uint32_t row = 0; row < points.rows; row++) {
        float *at = points.value + (size_t)row * points.width;

        fill_row(&points, random, at, points.columns);
        if (row > 0 && clv_random_below(random, 6) == 0) /* a duplicate */
            memcpy(at, at - points.width * (1 + clv_random_below(random, row)),
                   points.width * sizeof *at);
        if (constant == 0)
            at[points.columns / 2] = 7;
        if (zeros == 0 && clv_random_below(random, 8) == 0)
            memset(at, 0, points.width * sizeof *at);
        if (zeros == 1) /* vectors of different lengths */
            scale_row(random, at, points.width);
        round_row(&points, at);
    }
    return points;
}

/* A point itself, a point near it, or any point; sometimes with columns that no point has. */
static void draw_query(Cloud *points, Random *random, float *query)
{
    uint32_t kind = clv_random_below(random, 4), near = clv_random_below(random, points->rows);

    memset(query, 0, points->width * sizeof *query);
    if (kind < 2)
        memcpy(query, points->value + (size_t)near * points->width, points->width * sizeof *query);
    else
        fill_row(points, random, query, points->columns);
    if (clv_random_below(random, 30) == 0)
        memset(query, 0, points->width * sizeof *query);
    if (kind == 1)
        query[clv_random_below(random, points->columns)] = draw(points, random, 0, 0);
    if (clv_random_below(random, 8) == 0)
        query[points->columns + clv_random_below(random, BEYOND)] = draw(points, random, 0, 0);
    round_row(points, query);
}

/* ---- the reference --------------------------------------------------------------------------- */

static double sum4(const double part[4])
{
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* The definition in distance.h. */
static double reference_key(const Metric *metric, const float *x, const float *q, uint32_t width)
{
    double part[4] = {0}, xx[4] = {0}, qq[4] = {0}, most = 0, common = 0, all = 0, cosine;
    bool products = metric_of_directions(metric) || metric->distance == INNER_PRODUCT;

    for (uint32_t i = 0; i < width; i++) {
        double a = (double)x[i], b = (double)q[i], d = fabs(a - b);
        double term[] = {d * d, d, metric->distance == LR ? pow(d, metric->r) : 0};

        part[i % 4] += products                      ? a * b
                       : metric->distance == HAMMING ? a != b
                       : metric->distance <= LR      ? term[metric->distance]
                                                     : 0;
        xx[i % 4] += a * a;
        qq[i % 4] += b * b;
        most = d > most ? d : most;
        common += a != 0 && b != 0;
        all += a != 0 || b != 0;
    }
    if (metric->distance == MAXIMUM)
        return most;
    if (metric->distance == JACCARD)
        return all > 0 ? 1 - common / all : 0;
    if (metric->distance == INNER_PRODUCT)
        return 0 - sum4(part);
    if (!products)
        return sum4(part);
    if (sum4(xx) == 0 || sum4(qq) == 0)
        cosine = sum4(xx) == sum4(qq) ? 1 : 0;
    else
        cosine = sum4(part) / sqrt(sum4(xx) * sum4(qq));
    cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
    return metric->distance == COSINE ? 1 - cosine : acos(cosine) / acos(-1.0);
}

static int by_key_and_row(const void *a, const void *b)
{
    return nearer(*(const Neighbor *)a, *(const Neighbor *)b) ? -1 : 1;
}

/* All rows that may be found, sorted. */
static uint32_t reference(const Metric *metric, const Cloud *points, uint32_t rows,
                          const float *query, const Nearest *sought, const uint64_t *gone,
                          Neighbor *found)
{
    uint32_t count = 0;

    for (uint32_t row = 0; row < rows; row++) {
        double key = reference_key(metric, points->value + (size_t)row * points->width, query,
                                   points->width);

        if (key <= sought->limit && !(sought->only && !row_bit(sought->only, row)) &&
            !(gone && row_bit(gone, row)))
            found[count++] = (Neighbor){.key = key, .row = row};
    }
    qsort(found, count, sizeof *found, by_key_and_row);
    return count < sought->most ? count : sought->most;
}

static void assert_found(const char *kind, bool plain, const Metric *metric, const Cloud *points,
                         const Nearest *found, const Neighbor *expected, uint32_t count)
{
    bool same = found->count == count;

    for (uint32_t i = 0; same && i < count; i++)
        same = found->item[i].row == expected[i].row &&
               memcmp(&found->item[i].key, &expected[i].key, sizeof expected[i].key) == 0;
    if (same)
        return;
    for (uint32_t i = 0; i < count && i < found->count; i++)
        if (found->item[i].row != expected[i].row || found->item[i].key != expected[i].key) {
            print_error("neighbor %u: row %u key %a, expected row %u key %a\n", i,
                        found->item[i].row, found->item[i].key, expected[i].row, expected[i].key);
            break;
        }
    fail_msg("%s%s by %s, %s values of kind %d, %u rows of %u columns: %u found, %u expected", kind,
             plain ? " (plain)" : "", clv_distances[metric->distance],
             element_names[points->element], (int)points->values, points->rows, points->columns,
             found->count, count);
}

/* ---- vectors, queries, structures ------------------------------------------------------------ */

/* Both forms of the same points. */
typedef struct {
    Vectors vectors;
    float *dense, *value;
    uint32_t *column;
    uint64_t *end;
} Laid;

static Laid lay_out(const Cloud *points, bool dense)
{
    size_t cells = (size_t)points->rows * points->columns;
    Laid laid = {.vectors = {.count = points->rows, .features = points->columns}};
    uint64_t entries = 0;

    if (dense) {
        laid.dense = some(cells, sizeof *laid.dense);
        for (uint32_t row = 0; row < points->rows; row++)
            memcpy(laid.dense + (size_t)row * points->columns,
                   points->value + (size_t)row * points->width,
                   points->columns * sizeof *laid.dense);
        laid.vectors.dense = laid.dense;
        laid.vectors.stride = points->columns;
        return laid;
    }
    laid.end = some(points->rows, sizeof *laid.end);
    laid.column = some(cells, sizeof *laid.column);
    laid.value = some(cells, sizeof *laid.value);
    for (uint32_t row = 0; row < points->rows; row++) {
        for (uint32_t column = 0; column < points->columns; column++) {
            float value = points->value[(size_t)row * points->width + column];

            if (value != 0) {
                laid.column[entries] = column;
                laid.value[entries++] = value;
            }
        }
        laid.end[row] = entries;
    }
    laid.vectors.end = laid.end;
    laid.vectors.column = laid.column;
    laid.vectors.value = laid.value;
    return laid;
}

static void laid_free(Laid *laid)
{
    free(laid->dense);
    free(laid->value);
    free(laid->column);
    free(laid->end);
}

typedef struct {
    Context *context;
    Builder builder;
    Block block;
    Query *query;
    Nearest *nearest;
    float *values;
    uint32_t count, width;
} Questions;

static void set_queries(Questions *all, const float *values, uint32_t count, uint32_t width,
                        uint32_t features)
{
    cleave_error error;

    clv_builder_clear(&all->builder);
    for (uint32_t i = 0; i < count; i++) {
        clv_builder_begin_row(&all->builder);
        for (uint32_t column = 0; column < width; column++)
            if (values[(size_t)i * width + column] != 0)
                FINE(clv_builder_add(&all->builder, column, values[(size_t)i * width + column],
                                     &error));
        FINE(clv_builder_end_row(&all->builder, UNLABELED, &error));
    }
    FINE(clv_builder_finish(&all->builder, &all->block, &error));
    for (uint32_t i = 0; i < count; i++)
        FINE(clv_query_set(&all->query[i], &all->block, i, features, &error));
}

static Questions questions_new(Context *context, uint32_t count, uint32_t width)
{
    Questions all = {.context = context, .count = count, .width = width};
    cleave_error error;

    all.query = some(count, sizeof *all.query);
    all.nearest = some(count, sizeof *all.nearest);
    all.values = some((size_t)count * width, sizeof *all.values);
    clv_builder_init(&all.builder, context);
    for (uint32_t i = 0; i < count; i++) {
        all.query[i] = (Query){.context = context};
        FINE(clv_nearest_init(&all.nearest[i], context, 1, &error));
    }
    return all;
}

static void questions_free(Questions *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        clv_query_free(&all->query[i]);
        clv_nearest_free(&all->nearest[i]);
    }
    clv_builder_free(&all->builder);
    free(all->query);
    free(all->nearest);
    free(all->values);
}

static bool suits(const IndexKind *kind, const Metric *metric, const Vectors *vectors)
{
    return kind && kind->exact && (!kind->suits || kind->suits(metric, vectors, NULL) == OK);
}

/* ---- exactness ------------------------------------------------------------------------------- */

enum { TOGETHER = 50, THREADINGS = 3 };
static const unsigned threads[THREADINGS] = {1, 2, 7};

typedef struct {
    Random random;
    Context *context[THREADINGS];
    Metric metric;
    Cloud points;
    Laid laid;
    Questions asked;
    uint64_t *only, *gone;
    Neighbor *expected; /* TOGETHER × rows */
    uint32_t expected_count[TOGETHER];
    uint64_t by_kind[32];
} Trial;

static void what_is_sought(Trial *trial, uint32_t i)
{
    Nearest *nearest = &trial->asked.nearest[i];
    uint32_t rows = trial->points.rows,
             most = 1 + clv_random_below(&trial->random, rows < 12 ? rows : 12);
    cleave_error error;

    clv_nearest_free(nearest);
    if (clv_random_below(&trial->random, 8) == 0)
        most = clv_random_below(&trial->random, 4) ? EVERY_POINT : rows;
    FINE(clv_nearest_init(nearest, trial->asked.context, most, &error));
    if (most == EVERY_POINT || clv_random_below(&trial->random, 8) ==
                                   0) { /* the key of a point: some are right on the limit */
        const float *x = trial->points.value +
                         (size_t)clv_random_below(&trial->random, rows) * trial->points.width;

        nearest->limit = reference_key(&trial->metric, x,
                                       trial->asked.values + (size_t)i * trial->points.width,
                                       trial->points.width);
    }
    if (clv_random_below(&trial->random, 5) == 0)
        nearest->only = trial->only;
}

/* Rows that may be found: most of them, or very few. */
static uint64_t *draw_bits(Random *random, uint32_t rows, uint32_t one_in)
{
    uint64_t *bits = some(rows / 64 + 1, sizeof *bits);

    for (uint32_t row = 0; row < rows; row++)
        if (clv_random_below(random, one_in) == 0)
            bits[row / 64] |= (uint64_t)1 << (row % 64);
    return bits;
}

static void expect(Trial *trial)
{
    for (uint32_t i = 0; i < TOGETHER; i++)
        trial->expected_count[i] = reference(&trial->metric, &trial->points, trial->points.rows,
                                             trial->asked.values + (size_t)i * trial->points.width,
                                             &trial->asked.nearest[i], trial->gone,
                                             trial->expected + (size_t)i * trial->points.rows);
}

static void compare(Trial *trial, const Index *index)
{
    SearchWorkspace workspace = {.context = trial->context[0]};
    bool one_by_one = clv_random_below(&trial->random, 2);
    cleave_error error;

    for (uint32_t i = 0; i < TOGETHER; i += one_by_one ? 1 : TOGETHER)
        FINE(clv_index_search(index, trial->asked.query + i, trial->asked.nearest + i,
                              one_by_one ? 1 : TOGETHER, &workspace, &error));
    for (uint32_t i = 0; i < TOGETHER; i++)
        assert_found(index->kind->name, index->options.plain, &trial->metric, &trial->points,
                     &trial->asked.nearest[i], trial->expected + (size_t)i * trial->points.rows,
                     trial->expected_count[i]);
    clv_search_workspace_free(&workspace);
}

/* Rows are removed one by one, some before and some after the first search. */
static void remove_rows(Trial *trial, Index *index)
{
    cleave_error error;

    for (uint32_t row = 0; trial->gone && row < trial->points.rows; row++)
        if (row_bit(trial->gone, row))
            FINE(clv_index_remove(index, row, &error));
}

/* An index that was written and opened again finds the same points. */
static void compare_saved(Trial *trial, Index *index)
{
    Bundle *bundle;
    Index *opened;
    cleave_error error;

    FINE(clv_bundle_new(trial->context[0], &bundle, &error));
    FINE(clv_index_save(index, false, bundle, &error));
    assert_int_equal(clv_index_check(trial->context[0], bundle, &index->options, &trial->metric,
                                     &trial->laid.vectors, NULL),
                     OK);
    FINE(clv_index_open(trial->context[0], bundle, &index->options, &trial->metric,
                        &trial->laid.vectors, &opened, &error));
    compare(trial, opened);
    clv_index_free(opened);
    clv_bundle_free(bundle);
}

/* If the last point found is unrelated, all unrelated points share its places. found->item has all
 * points in order. */
static void share_places(const Metric *metric, Nearest *found, uint32_t all)
{
    double key = found->item[found->count - 1].key;

    if (!clv_metric_unrelated(metric, key))
        return;
    while (found->places < found->count && found->item[found->count - 1 - found->places].key == key)
        found->places++;
    found->tied = found->places;
    for (; found->count < all && found->item[found->count].key == key; found->count++)
        found->tied++;
}

/* Predictions for a block of rows on several threads: means over the nearest points. */
static void compare_threads(Trial *trial, Index *index)
{
    uint32_t rows = trial->points.rows,
             k = 1 + clv_random_below(&trial->random, rows < 9 ? rows : 9);
    double *number = some(rows, sizeof *number), scores[TOGETHER], share[1], one;
    Points points = {
        .options = {.k = k, .distance = (int)trial->metric.distance, .r = trial->metric.r},
        .vectors = trial->laid.vectors,
        .index = index,
        .number = number};
    Nearest every = {.most = rows, .limit = INFINITY}, found;
    cleave_error error;

    for (uint32_t row = 0; row < rows; row++)
        number[row] = clv_random_unit(&trial->random);
    for (int t = 0; t < THREADINGS; t++) {
        FINE(clv_points_predict(trial->context[t], &points, &trial->asked.block, scores, &error));
        for (uint32_t i = t; i < TOGETHER; i += 5) {
            uint32_t all;

            found = (Nearest){.most = k, .count = k, .item = some(rows, sizeof *found.item)};
            all = reference(&trial->metric, &trial->points, rows,
                            trial->asked.values + (size_t)i * trial->points.width, &every, NULL,
                            found.item);
            share_places(&trial->metric, &found, all);
            clv_points_row_scores(&points, &found, share, &one);
            assert_memory_equal(&one, &scores[i], sizeof one);
            free(found.item);
        }
    }
    free(number);
}

static void try_kind(Trial *trial, int number, bool plain)
{
    IndexOptions options = {.index = number, .plain = plain, .seed = 7};
    bool codes = number == clv_index_number("vafile");
    Index *index;
    cleave_error error;

    options.bits = codes ? 4 * (int64_t)clv_random_below(&trial->random, 3) : 0; /* 0, 4 or 8 */
    FINE(clv_index_build(trial->context[0], &options, &trial->metric, &trial->laid.vectors, &index,
                         &error));
    if (!trial->gone && clv_random_below(&trial->random, 4) == 0)
        compare_threads(trial, index);
    remove_rows(trial, index);
    compare(trial, index);
    if (clv_random_below(&trial->random, 4) == 0)
        compare_saved(trial, index);
    clv_index_free(index);
    trial->by_kind[number] += TOGETHER;
}

static void begin_trial(Trial *trial)
{
    Random *random = &trial->random;

    trial->points = draw_points(random);
    trial->metric = (Metric){.distance = (Distance)clv_random_below(random, HAMMING + 1),
                             .r = 1 + 3 * clv_random_unit(random)};
    if (clv_random_below(random, 3) == 0)
        trial->metric.distance = EUCLIDEAN;
    trial->laid = lay_out(&trial->points, trial->points.filled == 1 || clv_random_below(random, 2));
    trial->asked = questions_new(trial->context[0], TOGETHER, trial->points.width);
    trial->only = draw_bits(random, trial->points.rows, 2 + 18 * clv_random_below(random, 2));
    trial->gone = clv_random_below(random, 2) ? draw_bits(random, trial->points.rows, 3) : NULL;
    for (uint32_t i = 0; i < TOGETHER; i++)
        draw_query(&trial->points, random, trial->asked.values + (size_t)i * trial->points.width);
    set_queries(&trial->asked, trial->asked.values, TOGETHER, trial->points.width,
                trial->points.columns);
    for (uint32_t i = 0; i < TOGETHER; i++)
        what_is_sought(trial, i);
    trial->expected = some((size_t)TOGETHER * trial->points.rows, sizeof *trial->expected);
    expect(trial);
}

static void end_trial(Trial *trial)
{
    questions_free(&trial->asked);
    laid_free(&trial->laid);
    free(trial->points.value);
    free(trial->only);
    free(trial->gone);
    free(trial->expected);
}

static void exact_structures_equal_the_reference(void **state)
{
    uint64_t queries = how_many(5000, 1000000);
    Trial *trial = some(1, sizeof *trial);

    (void)state;
    trial->random = clv_random(test_seed("exact_structures_equal_the_reference"), 1);
    for (int t = 0; t < THREADINGS; t++)
        trial->context[t] = new_context(threads[t]);
    for (uint64_t done = 0; done < queries; done += TOGETHER) {
        begin_trial(trial);
        for (int kind = INDEX_SCAN; clv_index_names[kind]; kind++)
            if (suits(clv_index_kind(kind), &trial->metric, &trial->laid.vectors))
                for (int plain = 0; plain < 2; plain++)
                    try_kind(trial, kind, plain);
        end_trial(trial);
    }
    for (int kind = INDEX_SCAN; clv_index_names[kind]; kind++)
        print_message("%s: %llu queries, with and without vector instructions\n",
                      clv_index_names[kind], (unsigned long long)trial->by_kind[kind]);
    for (int t = 0; t < THREADINGS; t++)
        cleave_context_free(trial->context[t]);
    free(trial);
}

/* ---- changes --------------------------------------------------------------------------------- */

enum { CHANGED_COLUMNS = 128, FIRST_ROWS = 300, MOST_FOUND = 10 };

typedef struct {
    Random random;
    Context *context;
    Gathered gathered;
    Builder builder;
    Cloud cloud; /* what was added, for the reference */
    size_t value_capacity, gone_capacity;
    uint64_t *gone;
    uint32_t live;
    Questions asked;
    Neighbor *expected;
    Index *index;
    Metric metric;
} Changing;

static void add_row(Changing *changing)
{
    Cloud *cloud = &changing->cloud;
    size_t words = cloud->rows / 64 + 1;
    cleave_error error;
    Block block;
    float *row;

    cloud->value = grown(cloud->value, &changing->value_capacity,
                         ((size_t)cloud->rows + 1) * cloud->width, sizeof *cloud->value);
    changing->gone = grown(changing->gone, &changing->gone_capacity, words, sizeof *changing->gone);
    if (cloud->rows % 64 == 0)
        changing->gone[words - 1] = 0;
    row = cloud->value + (size_t)cloud->rows * cloud->width;
    memset(row, 0, cloud->width * sizeof *row);
    fill_row(cloud, &changing->random, row, cloud->columns);
    cloud->rows++;
    changing->live++;
    clv_builder_clear(&changing->builder);
    FINE(clv_builder_add_dense(&changing->builder, row, cloud->columns, UNLABELED, &error));
    FINE(clv_builder_finish(&changing->builder, &block, &error));
    FINE(clv_gathered_add(&changing->gathered, &block, 0, &error));
}

static void remove_row(Changing *changing)
{
    uint32_t row = clv_random_below(&changing->random, changing->cloud.rows);
    cleave_error error;

    if (row_bit(changing->gone, row) || changing->live <= MOST_FOUND)
        return;
    changing->gone[row / 64] |= (uint64_t)1 << (row % 64);
    changing->live--;
    FINE(clv_index_remove(changing->index, row, &error));
}

static void ask(Changing *changing, bool compared)
{
    SearchWorkspace workspace = {.context = changing->context};
    Nearest *nearest = changing->asked.nearest;
    cleave_error error;

    draw_query(&changing->cloud, &changing->random, changing->asked.values);
    set_queries(&changing->asked, changing->asked.values, 1, changing->cloud.width,
                changing->cloud.columns);
    FINE(clv_index_search(changing->index, changing->asked.query, nearest, 1, &workspace, &error));
    if (compared) {
        uint32_t count;

        changing->expected = realloc(changing->expected,
                                     changing->cloud.rows * sizeof *changing->expected);
        assert_non_null(changing->expected);
        count = reference(&changing->metric, &changing->cloud, changing->cloud.rows,
                          changing->asked.values, nearest, changing->gone, changing->expected);
        assert_found(changing->index->kind->name, false, &changing->metric, &changing->cloud,
                     nearest, changing->expected, count);
    }
    clv_search_workspace_free(&workspace);
}

static void change(Changing *changing, uint64_t steps)
{
    enum { CHECK_EACH = 1000, CHECKS = 4 };
    cleave_error error;

    for (uint64_t step = 1; step <= steps; step++) {
        uint32_t what = clv_random_below(&changing->random, 10);

        if (what < 4) {
            Vectors vectors;

            add_row(changing);
            vectors = clv_gathered_vectors(&changing->gathered);
            FINE(clv_index_add(changing->index, &vectors, &error));
        } else if (what < 7) {
            remove_row(changing);
        } else {
            ask(changing, clv_random_below(&changing->random, 50) == 0);
        }
        for (int i = 0; step % CHECK_EACH == 0 && i < CHECKS; i++)
            ask(changing, true);
    }
}

static void change_kind(int kind, uint64_t seed, uint64_t steps)
{
    Changing changing = {.random = clv_random(seed, 2),
                         .context = new_context(1),
                         .metric = {.distance = EUCLIDEAN}};
    IndexOptions options = {.index = kind, .seed = 3};
    Vectors vectors;
    cleave_error error;

    changing.cloud = (Cloud){.columns = CHANGED_COLUMNS,
                             .width = CHANGED_COLUMNS + BEYOND,
                             .values = clv_random_below(&changing.random, 2) ? CLUSTERS : WHOLE,
                             .filled = 1};
    for (int i = 0; i < 8 * 4; i++)
        changing.cloud.center[i / 4][i % 4] = (float)(1e-3 * clv_random_normal(&changing.random));
    changing.gathered.context = changing.context;
    clv_builder_init(&changing.builder, changing.context);
    changing.asked = questions_new(changing.context, 1, changing.cloud.width);
    clv_nearest_free(changing.asked.nearest);
    FINE(clv_nearest_init(changing.asked.nearest, changing.context, MOST_FOUND, &error));
    for (int i = 0; i < FIRST_ROWS; i++)
        add_row(&changing);
    vectors = clv_gathered_vectors(&changing.gathered);
    if (suits(clv_index_kind(kind), &changing.metric, &vectors)) {
        FINE(clv_index_build(changing.context, &options, &changing.metric, &vectors,
                             &changing.index, &error));
        change(&changing, steps);
        print_message("%s: %llu steps, %u rows were added, %u are there\n", clv_index_names[kind],
                      (unsigned long long)steps, changing.cloud.rows, changing.live);
    }
    clv_index_free(changing.index);
    questions_free(&changing.asked);
    clv_builder_free(&changing.builder);
    clv_gathered_free(&changing.gathered);
    free(changing.cloud.value);
    free(changing.gone);
    free(changing.expected);
    cleave_context_free(changing.context);
}

/* Additions, removals and queries of vectors of 128 columns in random order. After every thousand,
 * and sometimes between them, the results equal the reference's. */
static void changes_keep_it_exact(void **state)
{
    uint64_t steps = how_many(1000, 100000), seed = test_seed("changes_keep_it_exact");

    (void)state;
    for (int kind = INDEX_SCAN; clv_index_names[kind]; kind++)
        change_kind(kind, seed, steps);
}

/* ---- the sums that pass over points ---------------------------------------------------------- */

/* Half of the margin that scan.c allows, for each form of the loops that this machine can run. */
static void assert_within_margin(float found, double truth, uint32_t columns)
{
    double others = columns / 8 + 8;

    if (truth * (1 + (others + 8) * 0x1p-23) + (others + 8) * 0x1p-149 < (double)found &&
        isfinite(found))
        fail_msg("%a, the truth is %a, of %u columns", (double)found, truth, columns);
    if ((double)found < truth * (1 - (others + 8) * 0x1p-23) - (others + 8) * 0x1p-149)
        fail_msg("%a, the truth is %a, of %u columns", (double)found, truth, columns);
}

static void compare_sums(const ScanLoops *loops, Distance distance, const Cloud *cloud,
                         const float *queries)
{
    const Metric metric = {.distance = distance};
    const float *query[SCAN_TOGETHER];
    float *sums = some((size_t)SCAN_TOGETHER * cloud->rows, sizeof *sums);

    for (uint32_t collective = 0; collective < 2; collective++) {
        for (uint32_t i = 0; i < SCAN_TOGETHER; i++)
            query[i] = queries + i * cloud->width;
        (collective ? loops->collective : loops->one)[distance](
            query, cloud->value, cloud->width, cloud->rows, cloud->columns, sums, cloud->rows);
        for (uint32_t i = 0; i < (collective ? SCAN_TOGETHER : 1); i++)
            for (uint32_t row = 0; row < cloud->rows; row++)
                assert_within_margin(sums[i * cloud->rows + row],
                                     reference_key(&metric,
                                                   cloud->value + (size_t)row * cloud->width,
                                                   query[i], cloud->columns),
                                     cloud->columns);
    }
    free(sums);
}

/* Products of floats by both forms, and lengths, within half of the margins of scan_products.c. */
static void compare_products(const ScanLoops *loops, const Cloud *cloud, const float *query)
{
    uint32_t rows = cloud->rows < loops->panel ? cloud->rows : loops->panel,
             columns = cloud->columns;
    float *panel = some((size_t)columns * loops->panel, sizeof *panel),
          *packed = some((size_t)columns * loops->queries, sizeof *packed), *sums,
          squares[SCAN_MOST_PANEL] = {0}, product[SCAN_MOST_PANEL], square[SCAN_MOST_PANEL];
    double margin = (columns + 16.0) * 0x1p-22;

    sums = some((size_t)loops->queries * loops->panel, sizeof *sums);
    for (uint32_t i = 0; i < columns * loops->queries; i++)
        packed[i] = query[i / loops->queries];
    loops->pack(cloud->value, cloud->width, rows, columns, panel, squares);
    loops->add_products(panel, packed, columns, sums);
    loops->product(query, cloud->value, cloud->width, rows, columns, product, square);
    for (uint32_t row = 0; row < rows; row++) {
        const float *x = cloud->value + (size_t)row * cloud->width;
        double dot = 0, xx = 0, qq = 0, length;

        for (uint32_t i = 0; i < columns; i++) {
            dot += (double)x[i] * (double)query[i];
            xx += (double)x[i] * (double)x[i];
            qq += (double)query[i] * (double)query[i];
        }
        length = sqrt(xx);
        if (!(length > 2e-12 && length < 1e15 && qq > 1e-23 && qq < 1e29))
            continue;
        assert_true(fabs((double)sqrtf(squares[row]) - length) <= margin / 8 * length);
        assert_true(fabs((double)sqrtf(square[row]) - length) <= margin / 8 * length);
        assert_true(fabs((double)product[row] - dot) <= margin / 4 * length * sqrt(qq));
        for (uint32_t q = 0; q < loops->queries; q++)
            assert_true(fabs((double)sums[q * loops->panel + row] - dot) <=
                        margin / 4 * length * sqrt(qq));
    }
    free(panel);
    free(packed);
    free(sums);
}

static void sums_are_within_the_margin(void **state)
{
    static const Distance distances[] = {EUCLIDEAN, MANHATTAN, MAXIMUM};
    Random random = clv_random(test_seed("sums_are_within_the_margin"), 4);

    (void)state;
    for (int round = 0; round < 100; round++) {
        Cloud cloud = draw_points(&random);
        float *queries = some((size_t)SCAN_TOGETHER * cloud.width, sizeof *queries);

        for (uint32_t i = 0; i < SCAN_TOGETHER; i++)
            draw_query(&cloud, &random, queries + (size_t)i * cloud.width);
        for (size_t at = 0; clv_scan_loops_at(at); at++)
            for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
                compare_sums(clv_scan_loops_at(at), distances[i], &cloud, queries);
        for (size_t at = 0; clv_scan_loops_at(at); at++)
            compare_products(clv_scan_loops_at(at), &cloud, queries);
        free(queries);
        free(cloud.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_structures_equal_the_reference),
                                       cmocka_unit_test(changes_keep_it_exact),
                                       cmocka_unit_test(sums_are_within_the_margin)};

    return cmocka_run_group_tests_name("neighbor", tests, NULL, NULL);
}
