/*
 * Chooses the parameters from a sample: distances of nearest neighbors (by a scan), and distances
 * of random pairs.
 *
 * A level of radius R must contain a point at distance R with the target probability (--recall);
 * see clv_lsh_meet_by. The cheapest width, length and number of signatures with this property are
 * chosen. The cost is counted in visited points: expected candidates by the sample, plus hashing
 * and tables.
 *
 * Radii: the largest affordable radius costs 1/400 of a scan. The first is half of it, or the
 * distance within which half of the points have NEIGHBORS neighbors, if smaller. Each further
 * radius is twice the previous one, until all points of the sample have NEIGHBORS neighbors within
 * it, as long as it costs less than a third of a scan. Points beyond the last radius are found by a
 * scan.
 */
#include "base/random.h"
#include "data/builder.h"
#include "learn/neighbor/lsh.h"

#include <stdlib.h>

#define DEFAULT_RECALL 0.95

enum {
    NEIGHBORS = 10,
    PAIRS = 8192, /* distances of random pairs */
    SINGLE = 64,  /* number of smallest distances that are kept individually */
    GROUPS = 192, /* total number of groups; the other distances are grouped */
    MAX_QUERIES = 64,
    MIN_QUERIES = 8,
    DEFAULT_LEVELS = 4,
    STREAM = 0x154000,
};

typedef struct {
    double distance, share;
} Group;

typedef struct {
    LshFamily family;
    double recall;
    double points;
    uint32_t most_tables;
    Context *context;
    Group group[GROUPS];
    uint32_t groups;
    /* distances within which half, and all, of the sampled points have NEIGHBORS neighbors */
    double half, all;
} Sample;

/* ---- the sample ------------------------------------------------------------------------------ */

typedef struct {
    Builder builder;
    Query query;
    Nearest nearest;
    SearchWorkspace workspace;
    double *pair; /* distances of PAIRS pairs */
    double kth[MAX_QUERIES];
    uint32_t pairs, query_row;
} Gathering;

/* The distance of the family; for COSINE it is the angle. */
static double family_distance(const Metric *metric, double key)
{
    return metric->distance == COSINE ? acos(1 - key) / acos(-1.0)
                                      : clv_metric_distance(metric, key);
}

static Status search_point(const Index *index, Gathering *gathering, uint32_t row,
                           cleave_error *error)
{
    LshRow point = clv_lsh_point(&index->vectors, row);
    uint32_t count = point.dense ? point.features : (uint32_t)point.count;
    Builder *builder = &gathering->builder;
    Block block;

    clv_builder_clear(builder);
    clv_builder_begin_row(builder);
    for (uint32_t i = 0; i < count; i++) {
        float value = point.dense ? point.dense[i] : point.value[i];

        if (value != 0)
            TRY(clv_builder_add(builder, point.dense ? i : point.column[i], value, error));
    }
    TRY(clv_builder_end_row(builder, UNLABELED, error));
    TRY(clv_builder_finish(builder, &block, error));
    gathering->query.sparse = !index->vectors.dense;
    return clv_query_set(&gathering->query, &block, 0, index->vectors.features, error);
}

/* Measures the distance of the last of the nearest points, excluding the point itself. */
static Status look_near(const Index *index, Gathering *gathering, uint32_t row, cleave_error *error)
{
    extern const IndexKind clv_index_scan;
    Index scan = *index;
    Nearest *nearest = &gathering->nearest;
    double farthest = 0;

    scan.kind = &clv_index_scan;
    scan.parts = NULL;
    nearest_clear(nearest);
    TRY(scan.kind->search(&scan, &gathering->query, nearest, 1, &gathering->workspace, error));
    for (uint32_t i = 0; i < nearest->count; i++)
        if (nearest->item[i].row != row && nearest->item[i].key > farthest)
            farthest = nearest->item[i].key;
    gathering->kth[gathering->query_row++] = family_distance(&index->metric, farthest);
    return OK;
}

static Status gather(const Index *index, Gathering *gathering, cleave_error *error)
{
    Random random = clv_random(index->options.seed, STREAM);
    uint32_t n = index->built, query_row = 2000000 / n, each;

    query_row = query_row < MIN_QUERIES   ? MIN_QUERIES
                : query_row > MAX_QUERIES ? MAX_QUERIES
                                          : query_row;
    each = PAIRS / query_row;
    for (uint32_t i = 0; i < query_row; i++) {
        uint32_t row = clv_random_below(&random, n);

        TRY(clv_poll(index->context, error));
        TRY(search_point(index, gathering, row, error));
        TRY(look_near(index, gathering, row, error));
        for (uint32_t j = 0; j < each; j++) {
            uint32_t other = clv_random_below(&random, n);
            double key;

            if (other == row)
                continue;
            key = clv_metric_key(&index->metric, &index->vectors, other, &gathering->query);
            gathering->pair[gathering->pairs++] = family_distance(&index->metric, key);
        }
    }
    return OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void make_groups(Sample *sample, const double *pair, uint32_t pairs)
{
    uint32_t at = 0;

    while (at < pairs) {
        uint32_t left = pairs - at, most = GROUPS - SINGLE, size = 1;

        if (at >= SINGLE)
            size = (pairs - SINGLE + most - 1) / most;
        size = size > left ? left : size;
        sample->group[sample->groups++] = (Group){.distance = pair[at + size / 2],
                                                  .share = (double)size / pairs};
        at += size;
    }
}

static Status take_sample(const Index *index, Sample *sample, cleave_error *error)
{
    Context *context = index->context;
    Gathering gathering = {.query = {.context = context}, .workspace = {.context = context}};
    Status status = clv_nearest_init(&gathering.nearest, context, NEIGHBORS + 1, error);

    clv_builder_init(&gathering.builder, context);
    gathering.pair = clv_alloc(context, PAIRS, sizeof *gathering.pair);
    if (status == OK && !gathering.pair)
        status = clv_fail_memory(error, "a sample", PAIRS * sizeof *gathering.pair);
    if (status == OK)
        status = gather(index, &gathering, error);
    if (status == OK) {
        qsort(gathering.pair, gathering.pairs, sizeof *gathering.pair, ascending);
        qsort(gathering.kth, gathering.query_row, sizeof *gathering.kth, ascending);
        make_groups(sample, gathering.pair, gathering.pairs);
        sample->half = gathering.kth[gathering.query_row / 2];
        sample->all = gathering.kth[gathering.query_row - 1];
    }
    clv_free(context, gathering.pair);
    clv_builder_free(&gathering.builder);
    clv_query_free(&gathering.query);
    clv_nearest_free(&gathering.nearest);
    clv_search_workspace_free(&gathering.workspace);
    return status;
}

/* ---- a level --------------------------------------------------------------------------------- */

/* Cost as a number of visited points. A projection needs a pass over the row, whereas one pass over
 * a set computes many functions. INFINITY for a cost above `most`. */
static double cost_of(const Sample *sample, const LshLevel *level, double most)
{
    const double table = 2, entry = 0.05, never = 1e-12;
    double function = sample->family == LSH_MINHASH ? 0.05 : 0.5, tables = lsh_tables(level);
    double cost = tables * table + lsh_functions(level) * function;

    /* from the nearest to the farthest */
    for (uint32_t i = 0; i < sample->groups && cost <= most; i++) {
        double p = clv_lsh_agree(sample->family, level, sample->group[i].distance);

        if (p < never)
            break;
        cost += sample->points * sample->group[i].share *
                (clv_lsh_meet_by(level, p) + entry * tables * (level->pairs ? p * p : p));
    }
    return cost <= most ? cost : (double)INFINITY;
}

/* Finds the minimum number of signatures. Returns false if no number suffices. */
static bool count_signatures(const Sample *sample, LshLevel *level)
{
    double agree = clv_lsh_agree(sample->family, level, level->radius);

    for (level->signatures = level->pairs ? 2 : 1; lsh_tables(level) <= sample->most_tables;
         level->signatures++)
        if (clv_lsh_meet_by(level, agree) >= sample->recall)
            return true;
    return false;
}

/* Sets length and width of signatures for this step of the search. Returns false after the last
 * step. */
static bool shape(const Sample *sample, LshLevel *level, uint32_t step)
{
    static const double cells[] = {1, 1.5, 2, 3, 4, 6, 8, 12};
    uint32_t widths = sample->family == LSH_GAUSS || sample->family == LSH_CAUCHY
                          ? sizeof cells / sizeof *cells
                          : 1;
    uint32_t length = 1 + step / widths;

    if (length > LSH_MOST_HASHES)
        return false;
    level->hashes = sample->family == LSH_SAMPLING ? 1 : length;
    level->width = 1;
    if (widths > 1)
        level->width = cells[step % widths] * level->radius;
    if (sample->family == LSH_SAMPLING)
        level->width = 1 - exp2(-(double)length / (2 * level->radius));
    return level->width > 0 && isfinite(level->width);
}

/* Finds the cheapest level of this radius within this cost, and returns its cost; INFINITY:
 * none. */
static double best_level(const Sample *sample, double radius, double most, LshLevel *best)
{
    double least = (double)INFINITY;

    for (int pairs = 0; pairs < 2; pairs++) {
        LshLevel level = {.radius = radius, .pairs = pairs};

        for (uint32_t step = 0; shape(sample, &level, step); step++) {
            double cost;

            clv_tick(sample->context);
            if (!count_signatures(sample, &level))
                continue;
            cost = cost_of(sample, &level, least < most ? least : most);
            if (cost < least) {
                least = cost;
                *best = level;
            }
        }
    }
    return least;
}

/* ---- the radii ------------------------------------------------------------------------------- */

/* The largest radius within this cost, by bisection on a logarithmic scale. */
static double affordable(const Sample *sample, double cost)
{
    const double range = 1024;
    enum { STEPS = 8 };
    double low = sample->all / range, high = sample->all;
    LshLevel level;

    if (best_level(sample, high, cost, &level) <= cost)
        return high;
    for (int step = 0; step < STEPS; step++) {
        double middle = sqrt(low) * sqrt(high);

        if (best_level(sample, middle, cost, &level) <= cost)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The distance, or another value if all distances are 0 and any radius works. */
static double positive(double distance, double otherwise)
{
    return distance > 0 && isfinite(distance) ? distance : otherwise;
}

static void choose_levels(Sample *sample, uint32_t most, Lsh *lsh)
{
    const double few = 300; /* a negligible number of points */
    double greatest, radius;

    sample->all = positive(
        sample->all, positive(sample->groups ? sample->group[sample->groups - 1].distance : 0, 1));
    if (sample->family == LSH_MINHASH || sample->family == LSH_PLANES)
        sample->all = sample->all > 0.95 ? 0.95 : sample->all;
    greatest = affordable(sample, sample->points / 400 + few);
    radius = positive(sample->half < greatest / 2 ? sample->half : greatest / 2, greatest / 2);
    if (best_level(sample, radius, (double)INFINITY, &lsh->level[0]) ==
        (double)INFINITY) /* the tables exist in any case */
        lsh->level[0] = (LshLevel){.radius = radius,
                                   .width = lsh_projects(sample->family) ? 4 * radius : 0.01,
                                   .signatures = 8,
                                   .hashes = 2};
    lsh->level_count = 1;
    while (lsh->level_count < most && radius < sample->all) {
        LshLevel *level = &lsh->level[lsh->level_count];

        radius = 2 * radius < sample->all ? 2 * radius : sample->all;
        if (best_level(sample, radius, sample->points / 3 + few, level) == (double)INFINITY)
            break;
        lsh->level_count++;
    }
}

/* Limits the memory of all levels to twice that of the points. */
static uint32_t tables_for(const Index *index)
{
    const uint64_t least = 64 << 20,
                   each = 2 * sizeof(uint32_t) * (uint64_t)index->built * DEFAULT_LEVELS;
    const Vectors *vectors = &index->vectors;
    uint64_t points = vectors->dense
                          ? (uint64_t)vectors->count * vectors->features * sizeof(float)
                          : vectors->end[vectors->count - 1] * (sizeof(float) + sizeof(uint32_t));
    uint64_t tables = (2 * points > least ? 2 * points : least) / each;

    return tables < 16 ? 16 : tables > LSH_MOST_TABLES ? LSH_MOST_TABLES : (uint32_t)tables;
}

/* The number of bins. With one bin per four members of a typical set, few bins are empty. */
static uint32_t bins_for(const Index *index)
{
    Random random = clv_random(index->options.seed, STREAM + 1);
    enum { LOOK_AT = 256, MEMBERS = 4 };
    uint64_t members = 0;

    for (int i = 0; i < LOOK_AT; i++) {
        LshRow row = clv_lsh_point(&index->vectors, clv_random_below(&random, index->built));

        members += row.count;
        for (uint32_t j = 0; row.dense && j < row.features; j++)
            members += row.dense[j] != 0;
    }
    members /= LOOK_AT * MEMBERS;
    return members < 1 ? 1 : members > LSH_MOST_BINS ? LSH_MOST_BINS : (uint32_t)members;
}

Status clv_lsh_choose(const Index *index, Lsh *lsh, cleave_error *error)
{
    double recall = index->options.recall > 0 ? index->options.recall : DEFAULT_RECALL;
    int64_t radii = index->options.radii > 0 ? index->options.radii : DEFAULT_LEVELS;
    Sample sample = {.recall = recall, .points = index->built, .most_tables = tables_for(index)};

    *lsh = (Lsh){.seed = index->options.seed, .bins = bins_for(index)};
    clv_lsh_family(&index->metric, &lsh->family);
    sample.context = index->context;
    sample.family = lsh->family;
    TRY(take_sample(index, &sample, error));
    choose_levels(&sample, radii < LSH_MOST_LEVELS ? (uint32_t)radii : LSH_MOST_LEVELS, lsh);
    for (uint32_t i = 0; i < lsh->level_count; i++) {
        lsh->functions += lsh_functions(&lsh->level[i]);
        lsh->tables += lsh_tables(&lsh->level[i]);
    }
    return OK;
}
