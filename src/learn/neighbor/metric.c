#include "learn/neighbor/metric.h"

const char *const clv_distances[] = {"euclidean", "manhattan", "lr", "maximum", "cosine", "jaccard", "hamming", NULL};

/* Walks over the columns that are not 0 in one or both. */
typedef struct {
    const uint32_t *column;
    const float *value;
    size_t at, count;
} Side;

typedef struct {
    const Vectors *vectors;
    const Query *query;
    const float *dense; /* of the point; NULL: side */
    Side point, asked;
    uint32_t next;
} Pairs;

static Pairs pairs_of(const Vectors *vectors, uint32_t row, const Query *query)
{
    Pairs pairs = {.vectors = vectors,
                   .query = query,
                   .asked = {.column = query->column, .value = query->value, .count = query->count}};

    if (vectors->dense) {
        pairs.dense = dense_row(vectors, row);
    } else {
        uint64_t start = sparse_start(vectors, row);

        pairs.point = (Side){.column = vectors->column + start,
                             .value = vectors->value + start,
                             .count = (size_t)(vectors->end[row] - start)};
    }
    return pairs;
}

/* The next column, with both values; false at the end. */
static inline bool next_pair(Pairs *pairs, uint32_t *column, float *x, float *q)
{
    Side *asked = &pairs->asked, *point = &pairs->point;
    uint32_t a, p;

    if (pairs->dense && pairs->next < pairs->vectors->features) {
        *column = pairs->next++;
        *x = pairs->dense[*column];
        *q = pairs->query->dense[*column];
        return true;
    }
    if (pairs->dense && asked->at < pairs->query->known)
        asked->at = pairs->query->known; /* what the query has past the last column */
    a = asked->at < asked->count ? asked->column[asked->at] : UINT32_MAX;
    p = point->at < point->count ? point->column[point->at] : UINT32_MAX;
    if (a == UINT32_MAX && p == UINT32_MAX)
        return false;
    *column = a < p ? a : p;
    *q = a == *column ? asked->value[asked->at++] : 0;
    *x = p == *column ? point->value[point->at++] : 0;
    return true;
}

static double total(const double part[4])
{
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* The common case, in straight loops; the same sums. */
static double squares_dense(const float *x, const Query *query, uint32_t features)
{
    const float *q = query->dense;
    double part[4] = {0};
    uint32_t i = 0;

    for (; i + 4 <= features; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double difference = (double)x[i + lane] - (double)q[i + lane];

            part[lane] += difference * difference;
        }
    for (; i < features; i++) {
        double difference = (double)x[i] - (double)q[i];

        part[i % 4] += difference * difference;
    }
    for (size_t j = query->known; j < query->count; j++)
        part[query->column[j] % 4] += (double)query->value[j] * (double)query->value[j];
    return total(part);
}

static double sum_of(const Metric *metric, Pairs *pairs)
{
    double part[4] = {0}, most = 0;
    uint32_t column;
    float x, q;

    while (next_pair(pairs, &column, &x, &q)) {
        double difference = fabs((double)x - (double)q);

        switch (metric->distance) {
        case EUCLIDEAN:
            part[column % 4] += difference * difference;
            break;
        case MANHATTAN:
            part[column % 4] += difference;
            break;
        case LR:
            part[column % 4] += pow(difference, metric->r);
            break;
        case MAXIMUM:
            most = difference > most ? difference : most;
            break;
        default:
            part[0] += x != q;
        }
    }
    return metric->distance == MAXIMUM ? most : total(part);
}

static double angle(Pairs *pairs)
{
    double dot[4] = {0}, xx[4] = {0}, qq[4] = {0}, product, cosine;
    uint32_t column;
    float x, q;

    while (next_pair(pairs, &column, &x, &q)) {
        dot[column % 4] += (double)x * (double)q;
        xx[column % 4] += (double)x * (double)x;
        qq[column % 4] += (double)q * (double)q;
    }
    if (total(xx) == 0 || total(qq) == 0)
        return total(xx) == total(qq) ? 0 : 0.5;
    product = sqrt(total(xx) * total(qq)); /* one root: of equal vectors it is their square, and the angle 0 */
    cosine = total(dot) / product;
    return acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) / acos(-1.0);
}

static double unlike(Pairs *pairs)
{
    uint64_t common = 0, all = 0;
    uint32_t column;
    float x, q;

    while (next_pair(pairs, &column, &x, &q)) {
        common += x != 0 && q != 0;
        all += x != 0 || q != 0;
    }
    return all ? 1 - (double)common / (double)all : 0;
}

double clv_metric_key(const Metric *metric, const Vectors *vectors, uint32_t row, const Query *query)
{
    Pairs pairs;

    if (metric->distance == EUCLIDEAN && vectors->dense)
        return squares_dense(dense_row(vectors, row), query, vectors->features);
    pairs = pairs_of(vectors, row, query);
    switch (metric->distance) {
    case COSINE:
        return angle(&pairs);
    case JACCARD:
        return unlike(&pairs);
    default:
        return sum_of(metric, &pairs);
    }
}

double clv_metric_distance(const Metric *metric, double key)
{
    if (metric->distance == EUCLIDEAN)
        return sqrt(key);
    return metric->distance == LR ? pow(key, 1 / metric->r) : key;
}
