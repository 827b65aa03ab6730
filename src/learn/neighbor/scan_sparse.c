/*
 * The scan of sparse points. A query is unpacked over all columns, so that only the entries of a
 * point are visited. With Σq² and Σx² computed once,
 *
 *     Σ(x−q)² = Σx² + Σq² − 2Σxq              Σ|x−q| = Σ|q| + Σ(|x−q| − |q|)
 *     max|x−q| ≥ that of the point's columns  cosine = Σxq / √(Σx² Σq²)
 *
 * with the sums on the right over the entries of the point. They are not bit-identical to
 * distance.h, whose sums go by column, but show which points are too far. Let n be the entries of
 * both. Rounding changes the first sum, and the key of distance.h, by less than (n+8) 2⁻⁵² times
 * all terms, where 2Σ|xq| ≤ Σx² + Σq²; the second likewise with Σ|x| + 2Σ|q|. The margin used is
 * eight times that. A cosine is off by less than (n+8) 2⁻⁵². The arc cosine has a slope of at least
 * 1, so a cosine 10⁻¹² below that of the bound has a key above it. An inner product is off by less
 * than (n+8) 2⁻⁵² √(Σx² Σq²). Squares of floats neither
 * overflow nor vanish in a double. Counts (jaccard, hamming) are exact and are the key.
 */
#include "learn/neighbor/scan_loops.h"

enum { SPARSE_TOGETHER = 32 };

typedef struct {
    const Index *index;
    const Query *query;
    Nearest *nearest;
    double own; /* Σq², Σ|q| or the number of nonzero values of the query */
} QueryState;

/* Σx², Σ|x| or the number of nonzero values. */
static double own_of(Distance distance, const float *value, size_t count)
{
    bool squares = distance == EUCLIDEAN || distance == COSINE || distance == ANGLE ||
                   distance == INNER_PRODUCT;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double x = (double)value[i];

        sum += squares ? x * x : distance == MANHATTAN ? fabs(x) : x != 0;
    }
    return sum;
}

typedef struct {
    const uint32_t *column;
    const float *value;
    size_t count;
    uint32_t row;
    double own;
} Point;

static double dot(const Point *point, const float *q)
{
    double even = 0, odd = 0;
    size_t i = 0;

    for (; i + 2 <= point->count; i += 2) {
        even += (double)point->value[i] * (double)q[point->column[i]];
        odd += (double)point->value[i + 1] * (double)q[point->column[i + 1]];
    }
    if (i < point->count)
        even += (double)point->value[i] * (double)q[point->column[i]];
    return even + odd;
}

/* Bound of the rounding error of sums of this many terms. */
static double slack(const QueryState *state, const Point *point)
{
    return (double)(point->count + state->query->count + 16) * 0x1p-49;
}

static void by_squares(const QueryState *state, const Point *point)
{
    double both = point->own + state->own, sum = both - 2 * dot(point, state->query->dense);

    if (!(sum - both * slack(state, point) > nearest_bound(state->nearest)))
        index_push(state->index, state->query, state->nearest, point->row);
}

static void by_sizes(const QueryState *state, const Point *point)
{
    double more = 0, both = point->own + state->own;

    for (size_t i = 0; i < point->count; i++) {
        double q = (double)state->query->dense[point->column[i]];

        more += fabs((double)point->value[i] - q) - fabs(q);
    }
    if (!(state->own + more - both * slack(state, point) > nearest_bound(state->nearest)))
        index_push(state->index, state->query, state->nearest, point->row);
}

static void by_largest(const QueryState *state, const Point *point)
{
    double most = 0;

    for (size_t i = 0; i < point->count; i++)
        most = fmax(most,
                    fabs((double)point->value[i] - (double)state->query->dense[point->column[i]]));
    if (!(most > nearest_bound(state->nearest)))
        index_push(state->index, state->query, state->nearest, point->row);
}

/* limit: the smallest cosine that is near enough. */
static void by_cosine(const QueryState *state, const Point *point, double limit)
{
    double product = sqrt(point->own * state->own);

    if (!(dot(point, state->query->dense) < (limit - slack(state, point)) * product))
        index_push(state->index, state->query, state->nearest, point->row);
}

static double cosine_limit(Distance distance, const Nearest *nearest)
{
    double bound = nearest_bound(nearest);

    if (bound < 0)
        return (double)INFINITY;
    if (distance == COSINE)
        return 1 - bound - 1e-12;
    return bound >= 1 ? -(double)INFINITY : cos(bound * acos(-1.0)) - 1e-12;
}

static void by_product(const QueryState *state, const Point *point)
{
    double key = -dot(point, state->query->dense),
           error = slack(state, point) * sqrt(point->own * state->own);

    if (!(key - error > nearest_bound(state->nearest)))
        index_push(state->index, state->query, state->nearest, point->row);
}

static void by_counts(const QueryState *state, const Point *point, bool hamming)
{
    uint64_t common = 0, unequal = 0;
    double all;

    for (size_t i = 0; i < point->count; i++) {
        float x = point->value[i], q = state->query->dense[point->column[i]];

        common += (x != 0) & (q != 0);
        unequal += (x != q) & (q != 0);
    }
    all = point->own + state->own - (double)common; /* columns that are nonzero in one of them */
    if (hamming)                                    /* minus the equal columns that both have */
        nearest_push(state->nearest, all - (double)common + (double)unequal, point->row);
    else
        nearest_push(state->nearest, all > 0 ? 1 - (double)common / all : 0, point->row);
}

static void look(const QueryState *state, const Point *points, uint32_t count)
{
    Distance distance = state->index->metric.distance;
    double limit = metric_of_directions(&state->index->metric)
                       ? cosine_limit(distance, state->nearest)
                       : 0;

    for (uint32_t i = 0; i < count; i++) {
        switch (distance) {
        case EUCLIDEAN:
            by_squares(state, &points[i]);
            break;
        case MANHATTAN:
            by_sizes(state, &points[i]);
            break;
        case MAXIMUM:
            by_largest(state, &points[i]);
            break;
        case COSINE:
        case ANGLE:
            by_cosine(state, &points[i], limit);
            break;
        case INNER_PRODUCT:
            by_product(state, &points[i]);
            break;
        default:
            by_counts(state, &points[i], distance == HAMMING);
        }
    }
}

static void take(const Index *index, uint32_t first, uint32_t count, Point *points)
{
    const Vectors *vectors = &index->vectors;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t start = sparse_start(vectors, first + i);
        size_t entries = (size_t)(vectors->end[first + i] - start);

        points[i] = (Point){.column = vectors->column + start,
                            .value = vectors->value + start,
                            .count = entries,
                            .row = first + i,
                            .own = own_of(index->metric.distance, vectors->value + start, entries)};
    }
}

/* Processes as many queries as fit on the stack. Their unpacked values should stay in the cache. */
static void look_by_blocks(const Index *index, const Query *queries, Nearest *nearest,
                           const uint32_t *which, uint32_t count)
{
    enum { ROWS = 128 };
    Point points[ROWS];
    QueryState state[SPARSE_TOGETHER];

    for (uint32_t i = 0; i < count; i++) {
        const Query *query = &queries[which[i]];

        state[i] = (QueryState){.index = index,
                                .query = query,
                                .nearest = &nearest[which[i]],
                                .own = own_of(index->metric.distance, query->value, query->count)};
    }
    for (uint32_t first = 0, rows = ROWS; first < index->built; first += rows) {
        rows = index->built - first < ROWS ? index->built - first : ROWS;
        take(index, first, rows, points);
        for (uint32_t i = 0; i < count; i++)
            look(&state[i], points, rows);
    }
}

void clv_scan_sparse(const Index *index, const Query *queries, Nearest *nearest,
                     const uint32_t *which, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += SPARSE_TOGETHER)
        look_by_blocks(index, queries, nearest, which + i,
                       count - i < SPARSE_TOGETHER ? count - i : SPARSE_TOGETHER);
}
