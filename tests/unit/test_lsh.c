/* Hashing: functions agree with the theoretical probability, tables find the planted neighbors, and
 * further radii find neighbors of far queries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/builder.h"
#include "learn/neighbor/lsh.h"
#include "support/support.h"

#define FINE(expression) assert_int_equal((expression), OK)

enum { SEED = 20, K = 10 };

/* ---- points ---------------------------------------------------------------------------------- */

/* Dense rows, and the same rows as sparse ones. */
typedef struct {
    uint32_t rows, width;
    float *value;
    uint64_t *end;
    uint32_t *column;
    float *entry;
} Table;

static Table table_new(uint32_t rows, uint32_t width)
{
    Table table = {
        .rows = rows, .width = width, .value = calloc((size_t)rows * width, sizeof(float))};

    assert_non_null(table.value);
    return table;
}

static float *row_of(const Table *table, uint32_t row)
{
    return table->value + (size_t)row * table->width;
}

static void table_free(Table *table)
{
    free(table->value);
    free(table->end);
    free(table->column);
    free(table->entry);
}

static Vectors dense_of(const Table *table)
{
    return (Vectors){.count = table->rows,
                     .features = table->width,
                     .dense = table->value,
                     .stride = table->width};
}

static Vectors sparse_of(Table *table)
{
    size_t cells = (size_t)table->rows * table->width, at = 0;

    free(table->end);
    free(table->column);
    free(table->entry);
    table->end = malloc(table->rows * sizeof *table->end);
    table->column = malloc(cells * sizeof *table->column);
    table->entry = malloc(cells * sizeof *table->entry);
    for (uint32_t row = 0; row < table->rows; row++) {
        for (uint32_t i = 0; i < table->width; i++)
            if (row_of(table, row)[i] != 0) {
                table->column[at] = i;
                table->entry[at++] = row_of(table, row)[i];
            }
        table->end[row] = at;
    }
    return (Vectors){.count = table->rows,
                     .features = table->width,
                     .end = table->end,
                     .column = table->column,
                     .value = table->entry};
}

static void ask(Query *query, const float *values, uint32_t width, uint32_t features)
{
    Builder builder;
    cleave_error error;
    Block block;

    clv_builder_init(&builder, query->context);
    clv_builder_clear(&builder);
    clv_builder_begin_row(&builder);
    for (uint32_t i = 0; i < width; i++)
        if (values[i] != 0)
            FINE(clv_builder_add(&builder, i, values[i], &error));
    FINE(clv_builder_end_row(&builder, UNLABELED, &error));
    FINE(clv_builder_finish(&builder, &block, &error));
    FINE(clv_query_set(query, &block, 0, features, &error));
    clv_builder_free(&builder);
}

static Index *build(Context *context, Distance distance, const Vectors *vectors,
                    IndexOptions options)
{
    Metric metric = {.distance = distance};
    cleave_error error = {0};
    Index *index;

    options.index = clv_index_number("lsh");
    if (!options.seed)
        options.seed = SEED;
    if (clv_index_build(context, &options, &metric, vectors, &index, &error) != OK)
        fail_msg("%s", error.message);
    return index;
}

static Index *build_scan(Context *context, Distance distance, const Vectors *vectors)
{
    IndexOptions options = {.index = INDEX_SCAN};
    Metric metric = {.distance = distance};
    cleave_error error;
    Index *index;

    FINE(clv_index_build(context, &options, &metric, vectors, &index, &error));
    return index;
}

static const Distance kinds[] = {EUCLIDEAN, MANHATTAN, ANGLE, JACCARD, HAMMING};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- theory ---------------------------------------------------------------------------------- */

/* Two rows of 60 columns that are similar. */
static void make_two(Distance distance, Random *random, Table *table)
{
    float *x = row_of(table, 0), *y = row_of(table, 1);

    for (uint32_t i = 0; i < table->width; i++) {
        if (distance == JACCARD || distance == HAMMING) {
            x[i] = (float)clv_random_below(random, 3);
            y[i] = clv_random_below(random, 4) ? x[i] : (float)clv_random_below(random, 3);
        } else {
            x[i] = (float)clv_random_normal(random);
            y[i] = x[i] + 0.5F * (float)clv_random_normal(random);
        }
    }
}

static double true_distance(Context *context, Distance distance, const Table *table)
{
    Metric metric = {.distance = distance};
    Vectors vectors = dense_of(table);
    Query query = {.context = context};
    double key;

    ask(&query, row_of(table, 1), table->width, table->width);
    key = clv_metric_key(&metric, &vectors, 0, &query);
    clv_query_free(&query);
    return clv_metric_distance(&metric, key);
}

/* The frequency, over many seeds, with which the first two rows have the same signature, and with
 * which they share a bucket of some table. */
static void agreements(Lsh *lsh, Table *table, int seeds, double *agree, double *meet)
{
    Vectors dense = dense_of(table), sparse = sparse_of(table);
    static LshScratch one, other, again;
    uint64_t same = 0, collective = 0;
    uint32_t signatures = lsh->level[0].signatures;

    for (int seed = 0; seed < seeds; seed++) {
        LshRow x = clv_lsh_point(&dense, 0), y = clv_lsh_point(&dense, 1),
               z = clv_lsh_point(&sparse, 1);
        uint32_t matches = 0;

        lsh->seed = (uint64_t)seed + 1000 * SEED;
        clv_lsh_sign(lsh, 0, &x, &one);
        clv_lsh_sign(lsh, 0, &y, &other);
        clv_lsh_sign(lsh, 0, &z, &again);
        assert_memory_equal(other.signature, again.signature, signatures * sizeof *other.signature);
        for (uint32_t i = 0; i < signatures; i++)
            matches += one.signature[i] == other.signature[i];
        same += matches;
        collective += matches > lsh->level[0].pairs;
    }
    *agree = (double)same / ((double)seeds * signatures);
    *meet = (double)collective / seeds;
}

static void assert_share(const char *what, double found, double expected, double tries)
{
    double sigma = sqrt(expected * (1 - expected) / tries);

    if (fabs(found - expected) > 5 * sigma + 1e-4)
        fail_msg("seed %d, %s: %g, by theory %g with deviation %g", SEED, what, found, expected,
                 sigma);
}

static void functions_agree_as_theory_says(void **state)
{
    enum { WIDTH = 60, SEEDS = 1500 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(SEED, 1);
    static float normal[LSH_QUANTILES];

    (void)state;
    clv_lsh_normals(normal);
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t hashes = 1; hashes <= 3; hashes += 2)
            for (int pairs = 0; pairs < 2; pairs++) {
                Table table = table_new(2, WIDTH);
                Metric metric = {.distance = kinds[kind]};
                Lsh lsh = {.bins = 8, .level_count = 1, .normal = normal};
                LshLevel *level = &lsh.level[0];
                double distance, agree, meet;

                make_two(kinds[kind], &random, &table);
                distance = true_distance(context, kinds[kind], &table);
                assert_true(clv_lsh_family(&metric, &lsh.family));
                *level = (LshLevel){.signatures = 4, .hashes = hashes, .pairs = pairs};
                level->radius = distance;
                level->width = lsh.family == LSH_SAMPLING ? 0.05 : 1.5 * distance;
                lsh.functions = lsh_functions(level);
                agreements(&lsh, &table, SEEDS, &agree, &meet);
                /* Functions of one seed are nearly independent; of a set's bins the variance is
                 * no greater. */
                assert_share(clv_distances[kinds[kind]], agree,
                             clv_lsh_agree(lsh.family, level, distance), SEEDS * 4);
                assert_share("some table", meet, lsh_meet(lsh.family, level, distance), SEEDS);
                table_free(&table);
            }
    cleave_context_free(context);
}

/* Sets of a few members and far more bins: empty bins copy others, and agree with the same
 * probability. */
static void empty_bins_borrow_fairly(void **state)
{
    enum { WIDTH = 12, SEEDS = 4000 };
    Table table = table_new(2, WIDTH);
    Lsh lsh = {.family = LSH_MINHASH, .bins = 32, .level_count = 1};
    static LshScratch one, other;
    LshRow nothing = {0}, also = {0};
    double agree, meet;

    (void)state;
    for (int i = 0; i < 6; i++) {
        row_of(&table, 0)[i] = 1;
        row_of(&table, 1)[i + 2] = 1;
    }
    lsh.level[0] = (LshLevel){.signatures = 32, .hashes = 1};
    agreements(&lsh, &table, SEEDS, &agree, &meet);
    assert_share("borrowed", agree, 0.5,
                 SEEDS); /* four of eight members; the bins of one seed are dependent */
    clv_lsh_sign(&lsh, 0, &nothing, &one);
    clv_lsh_sign(&lsh, 0, &also, &other);
    assert_memory_equal(one.signature, other.signature, 32 * sizeof *one.signature);
    table_free(&table);
}

/* ---- planted neighbors ---------------------------------------------------------------------- */

/* ROWS far points; each of QUERIES has K near ones among them. */
enum { ROWS = 3000, QUERIES = 40, WIDTH = 48, SETS_WIDTH = 400 };

static void far_row(Distance distance, Random *random, float *row, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (distance == JACCARD)
            row[i] = clv_random_below(random, 10) == 0;
        else if (distance == HAMMING)
            row[i] = (float)clv_random_below(random, 4);
        else
            row[i] = (float)clv_random_normal(random);
}

static void near_row(Distance distance, Random *random, const float *of, float *row, uint32_t width)
{
    double share = 0.05 + 0.1 * clv_random_unit(random);

    for (uint32_t i = 0; i < width; i++) {
        row[i] = of[i];
        if (distance == JACCARD || distance == HAMMING) {
            if (clv_random_unit(random) < (row[i] != 0 ? share : share / 10))
                row[i] = distance == JACCARD ? (float)(row[i] == 0)
                                             : (float)clv_random_below(random, 4);
        } else {
            row[i] += 2 * (float)share * (float)clv_random_normal(random);
        }
    }
}

static void plant(Distance distance, Table *points, Table *queries)
{
    uint32_t width = distance == JACCARD ? SETS_WIDTH : WIDTH;
    Random random = clv_random(SEED, 100 + distance);

    *points = table_new(ROWS, width);
    *queries = table_new(QUERIES, width);
    for (uint32_t i = 0; i < QUERIES; i++)
        far_row(distance, &random, row_of(queries, i), width);
    for (uint32_t i = 0; i < ROWS; i++)
        if (i % 6 == 0 && i / 6 < QUERIES * K)
            near_row(distance, &random, row_of(queries, i / 6 / K), row_of(points, i), width);
        else
            far_row(distance, &random, row_of(points, i), width);
}

/* The fraction of the true neighbors that is found. Checks that the keys of found points are
 * right. */
static double recall_of(Context *context, const Index *index, const Table *queries, uint32_t from,
                        uint32_t to)
{
    Index *scan = build_scan(context, index->metric.distance, &index->vectors);
    SearchWorkspace workspace = {.context = context};
    Query query = {.context = context};
    Nearest found, truth;
    uint64_t hits = 0;
    cleave_error error;

    FINE(clv_nearest_init(&found, context, K, &error));
    FINE(clv_nearest_init(&truth, context, K, &error));
    for (uint32_t i = from; i < to; i++) {
        ask(&query, row_of(queries, i), queries->width, index->vectors.features);
        FINE(clv_index_search(index, &query, &found, 1, &workspace, &error));
        FINE(clv_index_search(scan, &query, &truth, 1, &workspace, &error));
        assert_int_equal(found.count, K);
        for (uint32_t j = 0; j < K; j++) {
            double key = clv_metric_key(&index->metric, &index->vectors, found.item[j].row, &query);

            assert_memory_equal(&key, &found.item[j].key, sizeof key);
            assert_true(j == 0 || nearer(found.item[j - 1], found.item[j]));
            hits += key <= truth.item[K - 1].key;
        }
    }
    clv_nearest_free(&found);
    clv_nearest_free(&truth);
    clv_query_free(&query);
    clv_search_workspace_free(&workspace);
    clv_index_free(scan);
    return (double)hits / ((double)(to - from) * K);
}

static void planted_neighbors_are_found(void **state)
{
    static const double targets[] = {0, 0.8};
    Context *context = cleave_context_new(NULL);

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        Table points, queries;

        plant(kinds[kind], &points, &queries);
        for (int form = 0; form < 2; form++)
            for (int target = 0; target < 2; target++) {
                Vectors vectors = form ? sparse_of(&points) : dense_of(&points);
                Index *index = build(context, kinds[kind], &vectors,
                                     (IndexOptions){.recall = targets[target]});
                double recall = recall_of(context, index, &queries, 0, QUERIES);

                if (recall < (targets[target] > 0 ? targets[target] : 0.95))
                    fail_msg("%s, seed %d: recall %g", clv_distances[kinds[kind]], SEED, recall);
                if (clv_lsh_fallbacks(index) > QUERIES / 10)
                    fail_msg("%s, seed %d: %llu of %d by scan", clv_distances[kinds[kind]], SEED,
                             (unsigned long long)clv_lsh_fallbacks(index), QUERIES);
                clv_index_free(index);
            }
        table_free(&points);
        table_free(&queries);
    }
    cleave_context_free(context);
}

/* ---- radii ----------------------------------------------------------------------------------- */

/* Tight clusters and a few distant points. Half of the queries are near the distant points. */
static void radii_in_turn_rescue_far_queries(void **state)
{
    enum { CLUSTERS = 100, EACH = 40, LOOSE = 25 };
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(SEED, 7);
    Table points = table_new(CLUSTERS * EACH, WIDTH), queries = table_new(2 * LOOSE, WIDTH);
    float center[WIDTH];
    Vectors vectors;
    Index *one, *several;

    (void)state;
    for (uint32_t c = 0; c < CLUSTERS; c++) {
        float spread = c < LOOSE ? 0.3F : 0.1F;

        for (uint32_t i = 0; i < WIDTH; i++)
            center[i] = 4 * (float)clv_random_normal(&random);
        for (uint32_t j = 0; j < EACH * WIDTH; j++)
            row_of(&points, c * EACH)[j] = center[j % WIDTH] +
                                           spread * (float)clv_random_normal(&random);
        for (uint32_t i = 0; c < 2 * LOOSE && i < WIDTH; i++)
            row_of(&queries, c)[i] = center[i] + spread * (float)clv_random_normal(&random);
    }
    vectors = dense_of(&points);
    one = build(context, EUCLIDEAN, &vectors, (IndexOptions){.radii = 1});
    several = build(context, EUCLIDEAN, &vectors, (IndexOptions){0});
    assert_int_equal(clv_lsh_of(one)->level_count, 1);
    assert_in_range(clv_lsh_of(several)->level_count, 2, LSH_MOST_LEVELS);

    assert_true(recall_of(context, one, &queries, 0, LOOSE) == 1);
    assert_int_equal(clv_lsh_fallbacks(one), LOOSE); /* nothing is near enough: all by scan */
    assert_true(recall_of(context, several, &queries, 0, LOOSE) >= 0.95);
    assert_int_equal(clv_lsh_fallbacks(several), 0);
    assert_true(recall_of(context, several, &queries, LOOSE, 2 * LOOSE) >= 0.95);
    assert_int_equal(clv_lsh_fallbacks(several), 0);
    clv_index_free(one);
    clv_index_free(several);
    table_free(&points);
    table_free(&queries);
    cleave_context_free(context);
}

/* ---- what is looked for ---------------------------------------------------------------------- */

static bool allowed(const Nearest *nearest, const Index *index, uint32_t row)
{
    return (!nearest->only || row_bit(nearest->only, row)) &&
           (!index->gone || !row_bit(index->gone, row));
}

static void limits_filters_and_removals_hold(void **state)
{
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(SEED, 8);
    SearchWorkspace workspace = {.context = context};
    Query query = {.context = context};
    Table points, queries;
    Vectors vectors, fewer;
    Index *index, *scan;
    uint64_t only[(ROWS + 63) / 64], hits = 0, there = 0;
    Nearest found, truth;
    cleave_error error;

    (void)state;
    plant(EUCLIDEAN, &points, &queries);
    vectors = dense_of(&points);
    fewer = vectors;
    fewer.count -= 20; /* the last rows are added later, and scanned */
    index = build(context, EUCLIDEAN, &fewer, (IndexOptions){0});
    scan = build_scan(context, EUCLIDEAN, &fewer);
    while (fewer.count < vectors.count) {
        fewer.count++;
        FINE(clv_index_add(index, &fewer, &error));
        FINE(clv_index_add(scan, &fewer, &error));
    }
    for (uint32_t row = 0; row < ROWS; row += 12) {
        FINE(clv_index_remove(index, row, &error));
        FINE(clv_index_remove(scan, row, &error));
    }
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        only[i] = clv_random_next(&random);
    FINE(clv_nearest_init(&found, context, K, &error));
    FINE(clv_nearest_init(&truth, context, K, &error));
    for (uint32_t i = 0; i < QUERIES; i++)
        for (int filter = 0; filter < 2; filter++)
            for (int limit = 0; limit < 3; limit++)
                for (int every = 0; every < 2; every++) {
                    found.only = truth.only = filter ? only : NULL;
                    found.limit = truth.limit = limit == 0   ? (double)INFINITY
                                                : limit == 1 ? 3.0
                                                             : 100.0;
                    found.most = truth.most = every ? EVERY_POINT : K;
                    ask(&query, row_of(&queries, i), WIDTH, WIDTH);
                    FINE(clv_index_search(index, &query, &found, 1, &workspace, &error));
                    FINE(clv_index_search(scan, &query, &truth, 1, &workspace, &error));
                    assert_true(found.count <= truth.count);
                    if (limit != 1)
                        assert_int_equal(found.count,
                                         truth.count); /* the scan finds missing points */
                    for (uint32_t j = 0; j < found.count; j++) {
                        assert_true(found.item[j].key <= found.limit);
                        assert_true(allowed(&found, index, found.item[j].row));
                        assert_true(j == 0 || nearer(found.item[j - 1], found.item[j]));
                        hits += found.item[j].key <= truth.item[truth.count - 1].key;
                    }
                    there += truth.count;
                }
    assert_true((double)hits >= 0.95 * (double)there);
    clv_nearest_free(&found);
    clv_nearest_free(&truth);
    clv_query_free(&query);
    clv_search_workspace_free(&workspace);
    clv_index_free(index);
    clv_index_free(scan);
    table_free(&points);
    table_free(&queries);
    cleave_context_free(context);
}

/* One point; equal points; constant columns; values from 1e-30 to 1e30: there is always a result
 * with the right keys. */
static void odd_points_are_answered(void **state)
{
    static const float scales[] = {0, 1, 1e-30F, 1e30F};
    Context *context = cleave_context_new(NULL);
    Random random = clv_random(SEED, 9);

    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int scale = 0; scale < 4; scale++)
            for (uint32_t rows = K; rows <= 330; rows += 160)
                for (uint32_t width = 1; width <= 9; width += 4) {
                    Table points = table_new(rows, width), queries = table_new(3, width);
                    Vectors vectors;
                    Index *index;

                    for (uint32_t i = 0; i < rows * width; i++)
                        points.value[i] = i % width == 2
                                              ? 5
                                              : scales[scale] * (float)clv_random_normal(&random);
                    for (uint32_t i = 0; i < 2 * width; i++)
                        queries.value[i] = points.value[i];
                    for (int form = 0; form < 2; form++) {
                        vectors = form ? sparse_of(&points) : dense_of(&points);
                        index = build(context, kinds[kind], &vectors, (IndexOptions){0});
                        assert_true(recall_of(context, index, &queries, 0, 3) > 0);
                        clv_index_free(index);
                        vectors.count = 1;
                        index = build(context, kinds[kind], &vectors,
                                      (IndexOptions){.recall = 0.9999});
                        clv_index_free(index);
                    }
                    table_free(&points);
                    table_free(&queries);
                }
    cleave_context_free(context);
}

static void others_are_refused(void **state)
{
    Context *context = cleave_context_new(NULL);
    float value[] = {1, 2};
    Vectors vectors = {.count = 2, .features = 1, .dense = value, .stride = 1};
    IndexOptions options = {.index = clv_index_number("lsh")};
    Metric metric = {.distance = LR, .r = 3};
    cleave_error error;
    Index *index;

    (void)state;
    assert_int_equal(clv_index_build(context, &options, &metric, &vectors, &index, &error),
                     CLEAVE_ERROR_USAGE);
    assert_non_null(strstr(error.message, "not lr"));
    metric.distance = MAXIMUM;
    assert_int_equal(clv_index_build(context, &options, &metric, &vectors, &index, &error),
                     CLEAVE_ERROR_USAGE);
    cleave_context_free(context);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static Bundle *arrays_of(Context *context, Index *index)
{
    cleave_error error;
    Bundle *bundle;

    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_index_save(index, false, bundle, &error));
    return bundle;
}

static void assert_same_arrays(const Bundle *one, const Bundle *other, bool same)
{
    bool equal = one->count == other->count;

    for (size_t i = 0; i < one->count && equal; i++) {
        static const size_t sizes[] = {[BUNDLE_BYTES] = 1,
                                       [BUNDLE_U32] = 4,
                                       [BUNDLE_U64] = 8,
                                       [BUNDLE_F32] = 4,
                                       [BUNDLE_F64] = 8};
        const BundleItem *a = &one->item[i], *b = &other->item[i];

        equal = strcmp(a->name, b->name) == 0 && a->count == b->count &&
                memcmp(a->data, b->data, (size_t)a->count * sizes[a->type]) == 0;
    }
    assert_true(equal == same);
}

/* The result depends on the seed only, not on threads. */
static void same_seed_same_bytes(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        Context *context = cleave_context_new(NULL),
                *threads = cleave_context_new(
                    &(cleave_config){.size = sizeof(cleave_config), .threads = 3});
        Table points, queries;
        Vectors vectors;
        Index *index[3];
        Bundle *bundle[3];

        plant(kinds[kind], &points, &queries);
        vectors = sparse_of(&points);
        index[0] = build(context, kinds[kind], &vectors, (IndexOptions){0});
        index[1] = build(threads, kinds[kind], &vectors, (IndexOptions){0});
        index[2] = build(context, kinds[kind], &vectors, (IndexOptions){.seed = SEED + 1});
        for (int i = 0; i < 3; i++)
            bundle[i] = arrays_of(context, index[i]);
        assert_same_arrays(bundle[0], bundle[1], true);
        assert_same_arrays(bundle[0], bundle[2], false);
        for (int i = 0; i < 3; i++) {
            clv_bundle_free(bundle[i]);
            clv_index_free(index[i]);
        }
        table_free(&points);
        table_free(&queries);
        cleave_context_free(context);
        cleave_context_free(threads);
    }
}

static bool makes_sense(Context *context, const Index *index, const Bundle *bundle)
{
    return clv_index_check(context, bundle, &index->options, &index->metric, &index->vectors,
                           NULL) == OK;
}

/* One invalid element of an array, for which the file is refused. */
static void spoil(Context *context, Index *index, const char *name, size_t at, const void *value,
                  size_t size)
{
    Bundle *bundle = arrays_of(context, index);
    bool found = false;

    assert_true(makes_sense(context, index, bundle));
    for (size_t i = 0; i < bundle->count; i++)
        if (strcmp(bundle->item[i].name, name) == 0) {
            memcpy((char *)(uintptr_t)bundle->item[i].data + at * size, value, size);
            found = true;
        }
    assert_true(found);
    if (makes_sense(context, index, bundle))
        fail_msg("%s: element %zu was taken", name, at);
    clv_bundle_free(bundle);
}

static void shorten(Context *context, Index *index)
{
    Bundle *bundle = arrays_of(context, index);

    for (size_t i = 0; i < bundle->count; i++) {
        BundleItem *item = &bundle->item[i];
        uint64_t count = item->count;

        if (strcmp(item->name, "index_kind") == 0)
            continue;
        item->count = count - 1;
        assert_false(makes_sense(context, index, bundle));
        item->count = 0;
        assert_false(makes_sense(context, index, bundle) &&
                     strcmp(item->name, "index_directions") != 0);
        item->count = count;
    }
    assert_true(makes_sense(context, index, bundle));
    clv_bundle_free(bundle);
}

static void spoiled_arrays_are_refused(void **state)
{
    static const double numbers[] = {(double)NAN, -1, 0.5, 1e9};
    Context *context = cleave_context_new(NULL);
    Table points, queries;
    Vectors vectors;
    Index *index;
    uint32_t row = ROWS, low = 0;
    uint64_t bins = LSH_MOST_BINS + 1, none = 0;
    float infinite = (float)INFINITY;

    (void)state;
    plant(EUCLIDEAN, &points, &queries);
    vectors = dense_of(&points);
    index = build(context, EUCLIDEAN, &vectors, (IndexOptions){0});
    shorten(context, index);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t at = 2; at < 5; at++)
            spoil(context, index, "index_levels", at, &numbers[i], sizeof *numbers);
    spoil(context, index, "index_levels", 0, &numbers[0], sizeof *numbers);
    spoil(context, index, "index_levels", 1, &numbers[1], sizeof *numbers);
    spoil(context, index, "index_rows", 17, &row, sizeof row);
    spoil(context, index, "index_keys", ROWS - 1, &low, sizeof low);
    spoil(context, index, "index_settings", 1, &bins, sizeof bins);
    spoil(context, index, "index_settings", 1, &none, sizeof none);
    spoil(context, index, "index_normals", 3, &infinite, sizeof infinite);
    spoil(context, index, "index_directions", 3, &infinite, sizeof infinite);
    clv_index_free(index);
    table_free(&points);
    table_free(&queries);
    cleave_context_free(context);
}

/* Builds an index, searches and saves it, with failing allocations. */
static Status use_index(Context *context, Distance distance, const Vectors *vectors,
                        const float *values)
{
    IndexOptions options = {.index = clv_index_number("lsh"), .seed = SEED};
    Metric metric = {.distance = distance};
    SearchWorkspace workspace = {.context = context};
    Query query;
    Nearest nearest = {0};
    Bundle *bundle = NULL;
    Index *index = NULL;
    cleave_error error;
    Status status = clv_index_build(context, &options, &metric, vectors, &index, &error);

    query_set_dense(&query, values);
    if (status == OK)
        status = clv_nearest_init(&nearest, context, 3, &error);
    if (status == OK)
        status = clv_index_search(index, &query, &nearest, 1, &workspace, &error);
    if (status == OK)
        status = clv_bundle_new(context, &bundle, &error);
    if (status == OK)
        status = clv_index_save(index, true, bundle, &error);
    clv_bundle_free(bundle);
    clv_nearest_free(&nearest);
    clv_search_workspace_free(&workspace);
    clv_index_free(index);
    return status;
}

static void short_memory_is_an_error(void **state)
{
    enum { POINTS = 40, COLUMNS = 3 };

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        Table points = table_new(POINTS, COLUMNS);
        Random random = clv_random(SEED, 12);
        Vectors vectors = dense_of(&points);
        Status status = CLEAVE_ERROR_MEMORY;

        for (uint32_t i = 0; i < POINTS * COLUMNS; i++)
            points.value[i] = (float)clv_random_below(&random, 3);
        for (long long at = 1; status != OK; at++) {
            TestMemory memory = {0};
            Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                   .allocate = test_allocate,
                                                                   .user = &memory,
                                                                   .threads = 1});

            memory.fail_at = atomic_load(&memory.calls) + at;
            status = use_index(context, kinds[kind], &vectors, points.value);
            assert_true(status == OK || status == CLEAVE_ERROR_MEMORY);
            assert_true((status == OK) == (atomic_load(&memory.failures) == 0));
            cleave_context_free(context);
            assert_int_equal(atomic_load(&memory.live), 0);
        }
        table_free(&points);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_agree_as_theory_says),
        cmocka_unit_test(empty_bins_borrow_fairly),
        cmocka_unit_test(planted_neighbors_are_found),
        cmocka_unit_test(radii_in_turn_rescue_far_queries),
        cmocka_unit_test(limits_filters_and_removals_hold),
        cmocka_unit_test(odd_points_are_answered),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(spoiled_arrays_are_refused),
        cmocka_unit_test(short_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("lsh", tests, NULL, NULL);
}
