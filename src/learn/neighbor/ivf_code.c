/* Codes of inverted lists: vectors in units of the index, their codes, the nearest centroid. */
#include "learn/neighbor/ivf.h"

/* ---- vectors --------------------------------------------------------------------------------- */

static inline float within(double x)
{
    return (float)(x > IVF_MOST_VALUE ? IVF_MOST_VALUE : x > -IVF_MOST_VALUE ? x : -IVF_MOST_VALUE);
}

/* Computes (factor x − center) / unit, and zeros up to whole words. */
static void center_values(const Ivf *ivf, const float *x, double factor, float *to)
{
    double inverse = 1 / ivf->unit;

    for (uint32_t i = 0; i < ivf->features; i++)
        to[i] = within((factor * (double)x[i] - (double)ivf->center[i]) * inverse);
    for (size_t i = ivf->features; i < ivf->parts; i++)
        to[i] = 0;
}

static double unit_factor(const Metric *metric, const float *x, uint32_t features)
{
    double squares = metric_of_directions(metric) ? clv_va_squares(x, features) : 1;

    return squares > 0 ? 1 / sqrt(squares) : 0;
}

void clv_ivf_point(const Ivf *ivf, const Index *index, uint32_t row, float *raw, float *to)
{
    const Vectors *vectors = &index->vectors;
    const float *x = raw;

    if (vectors->dense)
        x = dense_row(vectors, row);
    else
        spread_row(vectors, row, raw);
    center_values(ivf, x, unit_factor(&index->metric, x, vectors->features), to);
}

void clv_ivf_query(const Ivf *ivf, const Index *index, const Query *query, float *to)
{
    const float *q = query->dense;
    float most = 0;

    if (index->metric.distance != INNER_PRODUCT) {
        center_values(ivf, q, unit_factor(&index->metric, q, index->vectors.features), to);
        return;
    }
    for (uint32_t i = 0; i < ivf->features; i++)
        most = fmaxf(most, fabsf(q[i]));
    for (uint32_t i = 0; i < ivf->parts; i++)
        to[i] = i < ivf->features && most > 0 ? (float)((double)q[i] / (double)most) : 0;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static inline int rounded(float x, int most)
{
    x = x < (float)most ? x : (float)most;
    x = x > (float)-most ? x : (float)-most;
    return (int)(x + (float)(most + 1) + 0.5F) - (most + 1);
}

IvfQuery clv_ivf_code_query(const Ivf *ivf, const float *v, int8_t *code)
{
    IvfQuery query = {.scaled = {.code = code}};
    int32_t sum = 0, most = va_most(8);
    float largest = 0, inverse;

    for (size_t i = 0; i < ivf->parts; i++) {
        float size = i < ivf->features ? fabsf(v[i] * ivf->step[i]) : 0;

        largest = size > largest ? size : largest;
        query.length2 += (double)v[i] * (double)v[i];
    }
    inverse = largest > 0 ? (float)most / largest : 0;
    query.scaled.unit = largest / (float)most;
    for (size_t i = 0; i < ivf->parts; i++) {
        int c = i < ivf->features ? rounded(v[i] * ivf->step[i] * inverse, most) : 0;

        code[i] = (int8_t)c;
        sum += c;
    }
    query.scaled.lifted = sum; /* the sum times the offset of the codes */
    return query;
}

/* Divides the values by the steps of the columns. Returns the root mean square. */
static float whiten(const Ivf *ivf, const float *x, float *to)
{
    double sum = 0;

    for (size_t i = 0; i < ivf->features; i++) {
        to[i] = x[i] / ivf->step[i];
        sum += (double)to[i] * (double)to[i];
    }
    for (size_t i = ivf->features; i < ivf->parts; i++)
        to[i] = 0;
    return (float)sqrt(sum / ivf->features);
}

static double code_error(const float *z, size_t parts, float scale, int most)
{
    float sum[4] = {0}, inverse = 1 / scale;

    for (size_t i = 0; i < parts; i += 4)
        for (size_t j = 0; j < 4; j++) {
            float left = z[i + j] - scale * (float)rounded(z[i + j] * inverse, most);

            sum[j] += left * left;
        }
    return (double)(sum[0] + sum[1]) + (double)(sum[2] + sum[3]);
}

/* Chooses among some scales, in root mean squares: the optimum for normally distributed values with
 * 15 or 255 levels, and larger scales. */
static float choose_scale(const float *z, size_t parts, float typical, uint32_t bits)
{
    static const float few[] = {0.3F, 0.36F, 0.45F}, many[] = {0.03F, 0.06F, 0.2F};
    const float *factor = bits == IVF_POINT_BITS ? few : many;
    double least = (double)INFINITY;
    float best = typical;

    for (int i = 0; i < 3; i++) {
        double error = code_error(z, parts, typical * factor[i], va_most(bits));

        if (error < least) {
            least = error;
            best = typical * factor[i];
        }
    }
    return best;
}

float clv_ivf_put_code(const Ivf *ivf, uint32_t bits, const float *x, uint8_t *codes,
                       uint32_t place, float *decoded)
{
    uint32_t in_word = 32 / bits;
    uint8_t *to = codes + (size_t)(place / VA_BLOCK) * ivf_block_size(ivf->parts, bits) +
                  place % VA_BLOCK * 4;
    float typical = whiten(ivf, x, decoded),
          scale = typical > 0 ? choose_scale(decoded, ivf->parts, typical, bits) : 1;

    for (size_t word = 0; word < ivf->parts / in_word; word++)
        memset(to + word * 4 * VA_BLOCK, 0, 4);
    for (size_t i = 0; i < ivf->parts; i++) {
        int c = rounded(decoded[i] / scale, va_most(bits));

        to[i / in_word * 4 * VA_BLOCK + i % 4] |= (uint8_t)((c + va_lift(bits))
                                                            << (i % in_word / 4 * bits));
        decoded[i] = i < ivf->features ? scale * (float)c * ivf->step[i] : 0;
    }
    return scale;
}

double clv_ivf_put_point(const Ivf *ivf, Distance distance, float *x, const float *centroid,
                         float *decoded, uint8_t *codes, float *scale, float *start, uint32_t place)
{
    double point2 = 0, centroid2 = 0, own = 0, with = 0;

    for (size_t i = 0; i < ivf->parts; i++) {
        point2 += (double)x[i] * (double)x[i];
        centroid2 += (double)centroid[i] * (double)centroid[i];
        x[i] -= centroid[i];
        own += (double)x[i] * (double)x[i];
    }
    scale[place] = clv_ivf_put_code(ivf, IVF_POINT_BITS, x, codes, place, decoded);
    for (size_t i = 0; i < ivf->parts; i++)
        with += (double)x[i] * (double)decoded[i];
    if (with > own / 2)
        scale[place] = (float)((double)scale[place] * (own / with));
    start[place] = distance == INNER_PRODUCT ? 0 : (float)((centroid2 - point2) / 2);
    return own;
}

void clv_ivf_centroid(const Ivf *ivf, uint32_t list, float *to)
{
    const uint8_t *code = ivf->list.code +
                          (size_t)(list / VA_BLOCK) * ivf_block_size(ivf->parts, IVF_LIST_BITS) +
                          (size_t)(list % VA_BLOCK) * 4;

    for (size_t i = 0; i < ivf->parts; i++) {
        int c = code[i / 4 * 4 * VA_BLOCK + i % 4] - va_lift(IVF_LIST_BITS);

        to[i] = i < ivf->features ? ivf->list.scale[list] * (float)c * ivf->step[i] : 0;
    }
}

/* ---- the nearest centroid -------------------------------------------------------------------- */

/* The position of the largest value, if that value is above *best. */
static uint32_t look_for_better(const float *value, uint32_t count, float *best, uint32_t otherwise)
{
    float most = ivf_largest(value, count);

    if (!(most > *best))
        return otherwise;
    *best = most;
    for (uint32_t i = 0; i < count; i++)
        if (value[i] == most)
            return i;
    return otherwise;
}

void clv_ivf_assign(const Ivf *ivf, const IvfQuery *query, uint32_t count, uint32_t *list,
                    float *best, float *values)
{
    uint32_t blocks = ivf_blocks(ivf->lists);
    VaScaled lists = ivf->list;

    if (ivf->list_start2)
        lists.start = ivf->list_start2;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = 0;
        best[i] = -INFINITY;
    }
    for (uint32_t first = 0; first < blocks; first += IVF_ASSIGN_BLOCKS) {
        uint32_t left = blocks - first, some = left < IVF_ASSIGN_BLOCKS ? left : IVF_ASSIGN_BLOCKS;

        for (uint32_t i = 0; i < count; i++) {
            VaScaledQuery scaled = query[i].scaled;

            scaled.lifted *= va_lift(IVF_LIST_BITS);
            ivf->kernels->scaled(&lists, first, some, &scaled, values);
            list[i] = look_for_better(values, some * VA_BLOCK, &best[i],
                                      list[i] - first * VA_BLOCK) +
                      first * VA_BLOCK;
        }
    }
}
