/*
 * Times indexes on a sample: evenly spaced rows, a few of them as queries, the others as points. A
 * scan takes time proportional to the points. Every other index is also timed on a quarter of the
 * sample; the exponent of its growth, between 0 and 1, extrapolates the time to all points.
 */
#include "learn/neighbor/auto.h"
#include "base/random.h"

#include <time.h>

enum {
    SMALL_CELLS = 1 << 20,  /* up to this many values, a fixed rule chooses the index */
    FEW_POINTS = 1000,      /* a scan is as fast as a tree */
    FEW_COLUMNS = 16,       /* number of columns up to which a tree of boxes is tried for any
                             * points */
    SAMPLE_CELLS = 1 << 22, /* values in the sample */
    SAMPLE_ROWS = 1 << 16,
    QUERIES = 32,
    QUERY_CELLS = 1 << 22,
    TIMES = 3, /* number of runs, of which the fastest counts */
    /* if a query wants more than one point in this many, no index can skip points */
    LARGE_SHARE = 8,
    QUARTER = 4,
    /* sparse points with more columns are not converted for an index of dense points */
    WIDE = 2048,
};

/* ---- by rule --------------------------------------------------------------------------------- */

static bool can_be(int number, const Metric *metric, const Vectors *vectors)
{
    const IndexKind *kind = clv_index_kind(number);

    if ((metric->distance == EDIT || metric->distance == GOWER) && number != INDEX_SCAN)
        return false; /* see index.c */
    if (kind && kind->dense && !vectors->dense && vectors->features > WIDE)
        return false;
    return kind && kind->exact && (!kind->suits || kind->suits(metric, vectors, NULL) == OK);
}

static uint64_t entries_of(const Vectors *vectors)
{
    return vectors->dense ? (uint64_t)vectors->count * vectors->features
                          : vectors->end[vectors->count - 1];
}

static bool has_a_choice(const Metric *metric, const Vectors *vectors)
{
    for (int i = INDEX_SCAN + 1; clv_index_names[i]; i++)
        if (can_be(i, metric, vectors))
            return true;
    return false;
}

/* The index that the fixed rule chooses; INDEX_AUTO: the rule does not decide. */
static int by_rule(const Metric *metric, const Vectors *vectors, uint32_t most)
{
    int tree = clv_index_number("kdtree");

    if (vectors->count < FEW_POINTS || most > vectors->count / LARGE_SHARE ||
        vectors->features > QUERY_CELLS || !has_a_choice(metric, vectors))
        return INDEX_SCAN;
    if (entries_of(vectors) > SMALL_CELLS)
        return INDEX_AUTO;
    return tree != INDEX_AUTO && vectors->features <= FEW_COLUMNS && can_be(tree, metric, vectors)
               ? tree
               : INDEX_SCAN;
}

/* ---- a sample -------------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    uint32_t *row; /* rows of the sample, ascending */
    uint32_t rows;
    Query query[QUERIES];
    Nearest nearest[QUERIES];
    float *spread; /* dense copies of the queries if the points are sparse */
    uint32_t queries;
    SearchWorkspace workspace;
} Sample;

/* Draws one row from each of a number of equal pieces of the data. Some of the rows are queries. */
static Status draw_rows(Sample *sample, const Vectors *vectors, uint64_t seed, uint32_t *query_rows,
                        cleave_error *error)
{
    uint64_t each = entries_of(vectors) / vectors->count + 1, most = SAMPLE_CELLS / each;
    uint32_t count = (uint32_t)(most < 2 * QUERIES   ? 2 * QUERIES
                                : most > SAMPLE_ROWS ? SAMPLE_ROWS
                                                     : most),
             step;
    Random random = clv_random(seed, vectors->count);

    count = count < vectors->count ? count : vectors->count;
    TRY(ALLOC(sample->context, sample->row, count, "a sample of the rows", error));
    step = count / sample->queries;
    sample->rows = 0;
    for (uint32_t i = 0, queries = 0; i < count; i++) {
        uint64_t from = (uint64_t)vectors->count * i / count,
                 to = (uint64_t)vectors->count * (i + 1) / count;
        uint32_t row = (uint32_t)(from + clv_random_below(&random, (uint32_t)(to - from)));

        if (i % step == 0 && queries < sample->queries)
            query_rows[queries++] = row;
        else
            sample->row[sample->rows++] = row;
    }
    return OK;
}

static void search_sparse(Query *query, const Vectors *vectors, uint32_t row, float *spread)
{
    uint64_t start = sparse_start(vectors, row);
    size_t count = (size_t)(vectors->end[row] - start);

    *query = (Query){.column = vectors->column + start,
                     .value = vectors->value + start,
                     .count = count,
                     .known = count,
                     .dense = spread};
    for (size_t i = 0; i < count; i++)
        spread[query->column[i]] = query->value[i];
}

static Status make_queries(Sample *sample, const Vectors *vectors, uint32_t most,
                           const uint32_t *query_rows, cleave_error *error)
{
    if (!vectors->dense) {
        TRY(clv_new(sample->context, &sample->spread, sample->queries,
                    ((size_t)vectors->features + 1) * sizeof(float), true, "queries", error));
    }
    for (uint32_t i = 0; i < sample->queries; i++) {
        if (vectors->dense)
            query_set_dense(&sample->query[i], dense_row(vectors, query_rows[i]));
        else
            search_sparse(&sample->query[i], vectors, query_rows[i],
                          sample->spread + i * ((size_t)vectors->features + 1));
        TRY(clv_nearest_init(&sample->nearest[i], sample->context, most, error));
    }
    return OK;
}

/* Every `apart`-th point of the sample, copied to separate vectors. */
typedef struct {
    Vectors vectors;
    float *value; /* all values, or the nonzero values of sparse points */
    uint32_t *column;
    uint64_t *end;
} Part;

static void free_part(Context *context, Part *part)
{
    FREE(context, part->value, part->column, part->end);
}

static Status copy_sparse(const Sample *sample, const Vectors *vectors, uint32_t apart, Part *part,
                          cleave_error *error)
{
    uint64_t entries = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < sample->rows; i += apart)
        entries += vectors->end[sample->row[i]] - sparse_start(vectors, sample->row[i]);
    TRY(ALLOC(sample->context, part->end, part->vectors.count, "a sample of the points", error));
    TRY(ALLOC(sample->context, part->column, (size_t)entries + 1, "a sample of the points", error));
    TRY(ALLOC(sample->context, part->value, (size_t)entries + 1, "a sample of the points", error));
    entries = 0;
    for (uint32_t i = 0; i < sample->rows; i += apart) {
        uint64_t start = sparse_start(vectors, sample->row[i]);
        size_t more = (size_t)(vectors->end[sample->row[i]] - start);

        memcpy(part->column + entries, vectors->column + start, more * sizeof *part->column);
        memcpy(part->value + entries, vectors->value + start, more * sizeof *part->value);
        entries += more;
        part->end[count++] = entries;
    }
    part->vectors.end = part->end;
    part->vectors.column = part->column;
    part->vectors.value = part->value;
    return OK;
}

static Status copy_part(const Sample *sample, const Vectors *vectors, uint32_t apart, Part *part,
                        cleave_error *error)
{
    uint32_t features = vectors->features, count = (sample->rows + apart - 1) / apart;

    *part = (Part){.vectors = {.count = count, .features = features}};
    if (!vectors->dense)
        return copy_sparse(sample, vectors, apart, part, error);
    TRY(ALLOC(sample->context, part->value, (size_t)count * features, "a sample of the points",
              error));
    for (uint32_t i = 0; i < count; i++)
        memcpy(part->value + (size_t)i * features, dense_row(vectors, sample->row[i * apart]),
               features * sizeof(float));
    part->vectors.dense = part->value;
    part->vectors.stride = features;
    return OK;
}

#define LONG_QUERY 1e-3 /* seconds: one run suffices */

/* ---- timing ---------------------------------------------------------------------------------- */

/* Seconds of processor time of this thread. The time of other programs does not change the
 * choice. */
static double thread_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Processor time per query over a part of the points, so that other programs do not change the
 * choice. */
static Status time_queries(Sample *sample, const IndexOptions *options, const Metric *metric,
                           const Part *part, double *seconds, cleave_error *error)
{
    Index *index;
    Status status = clv_index_build(sample->context, options, metric, &part->vectors, &index,
                                    error);

    *seconds = (double)INFINITY;
    for (int time = 0; status == OK && time < TIMES && !(time && *seconds > LONG_QUERY); time++) {
        double started = thread_now(), took;

        status = clv_index_search(index, sample->query, sample->nearest, sample->queries,
                                  &sample->workspace, error);
        took = (thread_now() - started) / sample->queries;
        *seconds = took < *seconds ? took : *seconds;
    }
    clv_index_free(index);
    return status;
}

/* The estimated time of a query over all points; the top of the file has the formula. */
static double extrapolate(double whole, double quarter, double times)
{
    double power = log(whole / quarter) / log((double)QUARTER);

    power = power > 0 ? power < 1 ? power : 1 : 0;
    return whole * pow(times, power);
}

typedef struct {
    double seconds[32]; /* time of each index by number; 0: not a candidate */
    int best;
} Times;

/* Times one kind of index. A kind that would be slower than the scan even with square-root growth
 * is not built over the whole sample. */
static Status time_kind(Sample *sample, const IndexOptions *options, const Metric *metric,
                        const Part *whole, const Part *quarter, double more, double scan,
                        double *seconds, cleave_error *error)
{
    double small, large;

    TRY(time_queries(sample, options, metric, quarter, &small, error));
    if (options->index != INDEX_SCAN && small * sqrt(QUARTER * more) > scan) {
        *seconds = small * QUARTER * more;
        return OK;
    }
    TRY(time_queries(sample, options, metric, whole, &large, error));
    *seconds = options->index == INDEX_SCAN ? large * more : extrapolate(large, small, more);
    return OK;
}

static Status time_all(Sample *sample, const IndexOptions *options, const Metric *metric,
                       const Vectors *vectors, const Part *whole, const Part *quarter, Times *times,
                       cleave_error *error)
{
    double more = (double)vectors->count / (double)whole->vectors.count;

    for (int i = INDEX_SCAN; clv_index_names[i]; i++) {
        IndexOptions candidate = *options;

        if (!can_be(i, metric, vectors) || clv_cancelled(sample->context))
            continue;
        candidate.index = i;
        TRY(time_kind(sample, &candidate, metric, whole, quarter, more, times->seconds[INDEX_SCAN],
                      &times->seconds[i], error));
        if (times->best == INDEX_AUTO || times->seconds[i] < times->seconds[times->best])
            times->best = i;
    }
    return OK;
}

/* The first kind whose time is close to that of the fastest. */
static int pick(const Times *times)
{
    const double nearly = 1.25;

    for (int i = INDEX_SCAN; i < times->best; i++)
        if (times->seconds[i] > 0 && times->seconds[i] <= nearly * times->seconds[times->best])
            return i;
    return times->best;
}

/* The kind that the report compares the choice with: the scan, or the best other kind. */
static int runner_up(const Times *times, int chosen)
{
    int other = INDEX_AUTO;

    if (chosen != INDEX_SCAN)
        return INDEX_SCAN;
    for (int i = INDEX_SCAN + 1; clv_index_names[i]; i++)
        if (times->seconds[i] > 0 &&
            (other == INDEX_AUTO || times->seconds[i] < times->seconds[other]))
            other = i;
    return other;
}

static Status by_time(Sample *sample, const IndexOptions *options, const Metric *metric,
                      const Vectors *vectors, AutoChoice *choice, cleave_error *error)
{
    Part whole = {0}, quarter = {0};
    Times times = {.best = INDEX_AUTO};
    Status status = copy_part(sample, vectors, 1, &whole, error);

    if (status == OK)
        status = copy_part(sample, vectors, QUARTER, &quarter, error);
    if (status == OK)
        status = time_all(sample, options, metric, vectors, &whole, &quarter, &times, error);
    if (status == OK) {
        /* without a candidate, the timing was cancelled */
        choice->index = times.best == INDEX_AUTO ? INDEX_SCAN : pick(&times);
        choice->against = runner_up(&times, choice->index);
        choice->seconds = times.seconds[choice->index];
        choice->against_seconds = times.seconds[choice->against];
    }
    free_part(sample->context, &whole);
    free_part(sample->context, &quarter);
    return status;
}

Status clv_auto_index(Context *context, const IndexOptions *options, const Metric *metric,
                      const Vectors *vectors, uint32_t most, AutoChoice *choice,
                      cleave_error *error)
{
    uint32_t rows[QUERIES], queries = QUERY_CELLS / (vectors->features + 1);
    Sample *sample;
    Status status;

    *choice = (AutoChoice){.index = by_rule(metric, vectors, most)};
    if (choice->index != INDEX_AUTO)
        return OK;
    TRY(ALLOC_ZERO(context, sample, 1, "a sample", error));
    sample->context = sample->workspace.context = context;
    sample->queries = vectors->dense || queries > QUERIES ? QUERIES : queries < 4 ? 4 : queries;
    status = draw_rows(sample, vectors, options->seed, rows, error);
    if (status == OK)
        status = make_queries(sample, vectors, most, rows, error);
    if (status == OK)
        status = by_time(sample, options, metric, vectors, choice, error);
    for (uint32_t i = 0; i < QUERIES; i++)
        clv_nearest_free(&sample->nearest[i]);
    clv_search_workspace_free(&sample->workspace);
    FREE(context, sample->spread, sample->row, sample);
    return status;
}
