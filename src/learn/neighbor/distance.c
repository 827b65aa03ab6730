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

/* The most frequent case: plain loops with the same sums. Rows are added in pieces, in the order of
 * the columns. A piece begins at a multiple of 4. */
typedef struct {
    double part[4], xx[4], qq[4]; /* sums of the distance, of x² and of q² */
    size_t common, all;           /* JACCARD, HAMMING: numbers of columns */
} KeySums;

/* `term` is the contribution of a column with the difference d. */
#define DENSE_SUM(name, term)                                                                      \
    static void name(const float *x, const float *q, uint32_t count, double r, KeySums *sums)      \
    {                                                                                              \
        double part[4];                                                                            \
        uint32_t i = 0;                                                                            \
                                                                                                   \
        (void)r;                                                                                   \
        memcpy(part, sums->part, sizeof part);                                                     \
        for (; i + 4 <= count; i += 4)                                                             \
            for (uint32_t lane = 0; lane < 4; lane++) {                                            \
                double d = fabs((double)x[i + lane] - (double)q[i + lane]);                        \
                                                                                                   \
                part[lane] += (term);                                                              \
            }                                                                                      \
        for (; i < count; i++) {                                                                   \
            double d = fabs((double)x[i] - (double)q[i]);                                          \
                                                                                                   \
            part[i % 4] += (term);                                                                 \
        }                                                                                          \
        memcpy(sums->part, part, sizeof part);                                                     \
    }

DENSE_SUM(add_squares, d *d)
DENSE_SUM(add_differences, d)
DENSE_SUM(add_powers, pow(d, r))

static void take_largest(const float *x, const float *q, uint32_t count, KeySums *sums)
{
    double most[4];
    uint32_t i = 0;

    memcpy(most, sums->part, sizeof most);
    for (; i + 4 <= count; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double d = fabs((double)x[i + lane] - (double)q[i + lane]);

            most[lane] = d > most[lane] ? d : most[lane];
        }
    for (; i < count; i++)
        most[i % 4] = fmax(most[i % 4], fabs((double)x[i] - (double)q[i]));
    memcpy(sums->part, most, sizeof most);
}

static void count_unequal(const float *x, const float *q, uint32_t count, KeySums *sums)
{
    size_t unequal = 0;

    for (uint32_t i = 0; i < count; i++)
        unequal += x[i] != q[i];
    sums->all += unequal;
}

static void count_common(const float *x, const float *q, uint32_t count, KeySums *sums)
{
    size_t common = 0, all = 0;

    for (uint32_t i = 0; i < count; i++) {
        common += (x[i] != 0) & (q[i] != 0);
        all += (x[i] != 0) | (q[i] != 0);
    }
    sums->common += common;
    sums->all += all;
}

static void add_products(const float *x, const float *q, uint32_t count, KeySums *sums)
{
    double dot[4];
    uint32_t i = 0;

    memcpy(dot, sums->part, sizeof dot);
    for (; i + 4 <= count; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++)
            dot[lane] += (double)x[i + lane] * (double)q[i + lane];
    for (; i < count; i++)
        dot[i % 4] += (double)x[i] * (double)q[i];
    memcpy(sums->part, dot, sizeof dot);
}

static void add_angle(const float *x, const float *q, uint32_t count, KeySums *sums)
{
    double dot[4], xx[4], qq[4];
    uint32_t i = 0;

    memcpy(dot, sums->part, sizeof dot);
    memcpy(xx, sums->xx, sizeof xx);
    memcpy(qq, sums->qq, sizeof qq);
    for (; i + 4 <= count; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++) {
            double a = (double)x[i + lane], b = (double)q[i + lane];

            dot[lane] += a * b;
            xx[lane] += a * a;
            qq[lane] += b * b;
        }
    for (; i < count; i++) {
        dot[i % 4] += (double)x[i] * (double)q[i];
        xx[i % 4] += (double)x[i] * (double)x[i];
        qq[i % 4] += (double)q[i] * (double)q[i];
    }
    memcpy(sums->part, dot, sizeof dot);
    memcpy(sums->xx, xx, sizeof xx);
    memcpy(sums->qq, qq, sizeof qq);
}

static void add_columns(const Metric *metric, const float *x, const float *q, uint32_t count,
                        KeySums *sums)
{
    switch (metric->distance) {
    case EUCLIDEAN:
        add_squares(x, q, count, 0, sums);
        break;
    case MANHATTAN:
        add_differences(x, q, count, 0, sums);
        break;
    case LR:
        add_powers(x, q, count, metric->r, sums);
        break;
    case MAXIMUM:
        take_largest(x, q, count, sums);
        break;
    case COSINE:
    case ANGLE:
        add_angle(x, q, count, sums);
        break;
    case INNER_PRODUCT:
        add_products(x, q, count, sums);
        break;
    case JACCARD:
        count_common(x, q, count, sums);
        break;
    default:
        count_unequal(x, q, count, sums);
    }
}

/* A column that only the query has. */
static void add_other(const Metric *metric, uint32_t column, double q, KeySums *sums)
{
    double *part = &sums->part[column % 4];

    switch (metric->distance) {
    case EUCLIDEAN:
        *part += q * q;
        break;
    case MANHATTAN:
        *part += fabs(q);
        break;
    case LR:
        *part += pow(fabs(q), metric->r);
        break;
    case MAXIMUM:
        *part = fmax(*part, fabs(q));
        break;
    default:
        sums->qq[column % 4] += q * q;
        sums->all += q != 0;
    }
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

static double dense_key(const Metric *metric, const Vectors *vectors, uint32_t row,
                        const Query *query)
{
    enum { PIECE = 512 };
    float piece[PIECE];
    uint32_t features = vectors->features;
    KeySums sums = {0};

    if (vectors->dense)
        add_columns(metric, dense_row(vectors, row), query->dense, features, &sums);
    for (uint32_t first = 0; !vectors->dense && first < features; first += PIECE) {
        uint32_t count = features - first < PIECE ? features - first : PIECE;

        vectors->unpack(packed_row(vectors, row) + first * narrow_size(vectors->narrow), count,
                        piece);
        add_columns(metric, piece, query->dense + first, count, &sums);
    }
    for (size_t j = query->known; j < query->count; j++)
        add_other(metric, query->column[j], (double)query->value[j], &sums);
    switch (metric->distance) {
    case MAXIMUM:
        return fmax(fmax(sums.part[0], sums.part[1]), fmax(sums.part[2], sums.part[3]));
    case COSINE:
    case ANGLE:
    case INNER_PRODUCT:
        return key_of_sums(metric->distance, total(sums.part), total(sums.xx), total(sums.qq));
    case JACCARD:
        return sums.all ? 1 - (double)sums.common / (double)sums.all : 0;
    case HAMMING:
        return (double)sums.all;
    default:
        return total(sums.part);
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
    if (vectors_are_dense(vectors))
        return dense_key(metric, vectors, row, query);
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
