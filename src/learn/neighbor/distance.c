#include "learn/neighbor/distance.h"

#include "learn/neighbor/edit.h"
#include "learn/neighbor/gower.h"

const char *const clv_distances[] = {"euclidean", "manhattan",     "lr",      "maximum", "cosine",
                                     "angle",     "inner-product", "jaccard", "hamming", "edit",
                                     "gower",     "auto",          NULL};

/* An iterator over the columns of two sparse vectors that are nonzero in at least one of them. */
typedef struct {
    const uint32_t *column;
    const float *value;
    size_t at, count;
} Side;

typedef struct {
    Side point, query_row;
} Pairs;

static Pairs pairs_of(const Vectors *vectors, uint32_t row, const Query *query)
{
    uint64_t start = sparse_start(vectors, row);

    return (Pairs){
        .point = {.column = vectors->column + start,
                  .value = vectors->value + start,
                  .count = (size_t)(vectors->end[row] - start)},
        .query_row = {.column = query->column, .value = query->value, .count = query->count}};
}

/* The next column, with both values; false at the end. */
static inline bool next_pair(Pairs *pairs, uint32_t *column, float *x, float *q)
{
    Side *query_row = &pairs->query_row, *point = &pairs->point;
    uint32_t a = query_row->at < query_row->count ? query_row->column[query_row->at] : UINT32_MAX;
    uint32_t p = point->at < point->count ? point->column[point->at] : UINT32_MAX;

    if (a == UINT32_MAX && p == UINT32_MAX)
        return false;
    *column = a < p ? a : p;
    *q = a == *column ? query_row->value[query_row->at++] : 0;
    *x = p == *column ? point->value[point->at++] : 0;
    return true;
}

static double total(const double part[4])
{
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* The most frequent case: plain loops with the same sums. `term` is the contribution of a column
 * with the difference d. */
#define DENSE_SUM(name, term)                                                                      \
    static double name(const float *x, const Query *query, uint32_t features, double r)            \
    {                                                                                              \
        const float *q = query->dense;                                                             \
        double part[4] = {0};                                                                      \
        uint32_t i = 0;                                                                            \
                                                                                                   \
        (void)r;                                                                                   \
        for (; i + 4 <= features; i += 4)                                                          \
            for (uint32_t lane = 0; lane < 4; lane++) {                                            \
                double d = fabs((double)x[i + lane] - (double)q[i + lane]);                        \
                                                                                                   \
                part[lane] += (term);                                                              \
            }                                                                                      \
        for (; i < features; i++) {                                                                \
            double d = fabs((double)x[i] - (double)q[i]);                                          \
                                                                                                   \
            part[i % 4] += (term);                                                                 \
        }                                                                                          \
        for (size_t j = query->known; j < query->count; j++) {                                     \
            double d = fabs((double)query->value[j]);                                              \
                                                                                                   \
            part[query->column[j] % 4] += (term);                                                  \
        }                                                                                          \
        return total(part);                                                                        \
    }

DENSE_SUM(squares_dense, d *d)
DENSE_SUM(differences_dense, d)
DENSE_SUM(powers_dense, pow(d, r))

static double most_dense(const float *x, const Query *query, uint32_t features)
{
    double most[4] = {0}, all;
    uint32_t i = 0;

    for (; i + 4 <= features; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double d = fabs((double)x[i + lane] - (double)query->dense[i + lane]);

            most[lane] = d > most[lane] ? d : most[lane];
        }
    all = fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
    for (; i < features; i++)
        all = fmax(all, fabs((double)x[i] - (double)query->dense[i]));
    for (size_t j = query->known; j < query->count; j++)
        all = fmax(all, fabs((double)query->value[j]));
    return all;
}

static double unequal_dense(const float *x, const Query *query, uint32_t features)
{
    size_t unequal = 0;

    for (uint32_t i = 0; i < features; i++)
        unequal += x[i] != query->dense[i];
    for (size_t j = query->known; j < query->count; j++)
        unequal += query->value[j] != 0;
    return (double)unequal;
}

static double unlike_dense(const float *x, const Query *query, uint32_t features)
{
    size_t common = 0, all = 0;

    for (uint32_t i = 0; i < features; i++) {
        common += (x[i] != 0) & (query->dense[i] != 0);
        all += (x[i] != 0) | (query->dense[i] != 0);
    }
    for (size_t j = query->known; j < query->count; j++)
        all += query->value[j] != 0;
    return all ? 1 - (double)common / (double)all : 0;
}

/* The key of INNER_PRODUCT, COSINE or ANGLE from the sums Σxq, Σx² and Σq². */
static double key_of_sums(Distance distance, double dot, double xx, double qq)
{
    double product, cosine;

    if (distance == INNER_PRODUCT)
        return 0 - dot;
    if (xx == 0 || qq == 0) {
        cosine = xx == qq ? 1 : 0;
    } else {
        /* a single root, so that the cosine of equal vectors is exactly 1 */
        product = sqrt(xx * qq);
        cosine = dot / product;
        cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
    }
    return distance == COSINE ? 1 - cosine : acos(cosine) / acos(-1.0);
}

static double product_dense(const float *x, const Query *query, uint32_t features)
{
    const float *q = query->dense;
    double dot[4] = {0};
    uint32_t i = 0;

    for (; i + 4 <= features; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++)
            dot[lane] += (double)x[i + lane] * (double)q[i + lane];
    for (; i < features; i++)
        dot[i % 4] += (double)x[i] * (double)q[i];
    return key_of_sums(INNER_PRODUCT, total(dot), 0, 0);
}

static double angle_dense(Distance distance, const float *x, const Query *query, uint32_t features)
{
    const float *q = query->dense;
    double dot[4] = {0}, xx[4] = {0}, qq[4] = {0};
    uint32_t i = 0;

    for (; i + 4 <= features; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double a = (double)x[i + lane], b = (double)q[i + lane];

            dot[lane] += a * b;
            xx[lane] += a * a;
            qq[lane] += b * b;
        }
    for (; i < features; i++) {
        dot[i % 4] += (double)x[i] * (double)q[i];
        xx[i % 4] += (double)x[i] * (double)x[i];
        qq[i % 4] += (double)q[i] * (double)q[i];
    }
    for (size_t j = query->known; j < query->count; j++)
        qq[query->column[j] % 4] += (double)query->value[j] * (double)query->value[j];
    return key_of_sums(distance, total(dot), total(xx), total(qq));
}

static double dense_key(const Metric *metric, const float *x, const Query *query, uint32_t features)
{
    switch (metric->distance) {
    case EUCLIDEAN:
        return squares_dense(x, query, features, 0);
    case MANHATTAN:
        return differences_dense(x, query, features, 0);
    case LR:
        return powers_dense(x, query, features, metric->r);
    case MAXIMUM:
        return most_dense(x, query, features);
    case COSINE:
    case ANGLE:
        return angle_dense(metric->distance, x, query, features);
    case INNER_PRODUCT:
        return product_dense(x, query, features);
    case JACCARD:
        return unlike_dense(x, query, features);
    default:
        return unequal_dense(x, query, features);
    }
}

/* ---- sparse ---------------------------------------------------------------------------------- */

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

static double angle(Distance distance, Pairs *pairs)
{
    double dot[4] = {0}, xx[4] = {0}, qq[4] = {0};
    uint32_t column;
    float x, q;

    while (next_pair(pairs, &column, &x, &q)) {
        dot[column % 4] += (double)x * (double)q;
        xx[column % 4] += (double)x * (double)x;
        qq[column % 4] += (double)q * (double)q;
    }
    return key_of_sums(distance, total(dot), total(xx), total(qq));
}

static double column_difference(Pairs *pairs)
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

double clv_metric_key(const Metric *metric, const Vectors *vectors, uint32_t row,
                      const Query *query)
{
    Pairs pairs;

    if (metric->distance == EDIT)
        return clv_edit_key(vectors, row, query);
    if (metric->distance == GOWER)
        return clv_gower_key(metric, vectors, row, query);
    if (vectors->dense)
        return dense_key(metric, dense_row(vectors, row), query, vectors->features);
    pairs = pairs_of(vectors, row, query);
    switch (metric->distance) {
    case COSINE:
    case ANGLE:
    case INNER_PRODUCT:
        return angle(metric->distance, &pairs);
    case JACCARD:
        return column_difference(&pairs);
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

bool clv_metric_unrelated(const Metric *metric, double key)
{
    switch (metric->distance) {
    case COSINE:
    case JACCARD:
        return key == 1;
    case ANGLE:
        return key == 0.5;
    case INNER_PRODUCT:
        return key == 0;
    default:
        return false;
    }
}
