/*
 * Inverted lists (Jégou, Douze and Schmid 2011) with codes of 4 bits: an approximate index.
 *
 *     lists     k-means clusters of the points; a query visits the lists with the largest upper
 *               estimates of the value
 *     value     v·x' − ‖x'‖²/2 for x' = (x − center) / unit and v = (q − center) / unit, so that
 *               ‖x' − v‖² = ‖v‖² − 2 value; COSINE and ANGLE: of unit vectors; INNER_PRODUCT: v·x'
 *               for v = q / max|q|
 *     codes     x' = μ + r: a list has a code of 8 bits per column for its centroid μ, a point a
 *               code of 4 bits for the residual r. A column has a step, a vector a scale and a
 *               start, and value(x) ≈ value(μ) + start + scale · Σ code · (step q). The scale makes
 *               the estimate of r·r exact (Gao et al. 2025).
 *     search    the points with the largest estimates are compared by clv_metric_key
 *
 * A list is a chain of blocks of VA_BLOCK points. A query visits a list if
 *
 *     value(μ) + reach · radius · ‖v − μ‖ − radius²/2    (INNER_PRODUCT: + reach · radius · ‖q‖)
 *
 * exceeds the k-th best estimate so far, with the root mean square `radius` of ‖r‖. `reach` and the
 * number of points compared are chosen on a sample for the target recall (ivf_choose.c).
 */
#ifndef LEARN_NEIGHBOR_IVF_H
#define LEARN_NEIGHBOR_IVF_H

#include "learn/neighbor/index.h"
#include "learn/neighbor/vafile.h"

#define IVF_EMPTY UINT32_MAX      /* row of an unused place */
#define IVF_LAST UINT32_MAX       /* number that ends the chain of a list */
#define IVF_NOWHERE (-0x1.8p126F) /* start of an unused place */
#define IVF_MOST_VALUE 0x1p40     /* magnitude of x' and v; larger values are clipped */
#define IVF_MOST_SHARE 0x1p30F    /* points compared per neighbor: all */
enum { IVF_NEIGHBORS = 10, IVF_COLUMNS = 8, IVF_LIST_BITS = 8, IVF_POINT_BITS = 4 };

typedef struct {
    float reach;
    float share; /* points compared per neighbor */
} IvfEffort;

typedef struct {
    uint32_t features, lists, blocks; /* features 0: points without columns */
    size_t parts;                     /* components of a code: features, padded to whole words */
    double unit;                      /* root mean square of x − center */
    const float *center, *step;       /* per column */
    VaScaled list, point;
    const float *list_start2; /* INNER_PRODUCT: −‖μ‖²/2, to assign points; otherwise list.start */
    const float *radius;          /* per list */
    const uint32_t *row;          /* per position in a block */
    const uint32_t *first, *next; /* first block of each list; successor of each block */
    IvfEffort effort;
    const VaKernels *kernels;
} Ivf;

typedef struct {
    VaScaledQuery scaled;
    double length2; /* ‖v‖² */
} IvfQuery;

static inline size_t ivf_parts(uint32_t features)
{
    return ((size_t)features + IVF_COLUMNS - 1) / IVF_COLUMNS * IVF_COLUMNS;
}

static inline uint32_t ivf_blocks(uint64_t vectors)
{
    return (uint32_t)((vectors + VA_BLOCK - 1) / VA_BLOCK);
}

/* The bytes of a block of codes. */
static inline size_t ivf_block_size(size_t parts, uint32_t bits)
{
    return parts * bits / 8 * VA_BLOCK;
}

/* The largest of some values, a multiple of 16. */
static inline float ivf_largest(const float *value, uint32_t count)
{
    enum { LANES = 16 };
    float most[LANES];

    memcpy(most, value, sizeof most);
    for (uint32_t i = LANES; i < count; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++)
            most[lane] = value[i + lane] > most[lane] ? value[i + lane] : most[lane];
    for (uint32_t half = LANES / 2; half > 0; half /= 2)
        for (uint32_t lane = 0; lane < half; lane++)
            most[lane] = most[lane + half] > most[lane] ? most[lane + half] : most[lane];
    return most[0];
}

/* Whether a search compares all points, because it would compare most of them. */
static inline bool ivf_compares_all(float share, uint32_t neighbors, uint32_t points)
{
    enum { FRACTION = 8 };

    return (double)share * neighbors > (double)points / FRACTION;
}

/* Computes x' of a point, and v of a query. raw: scratch space for the features of the point. */
void clv_ivf_point(const Ivf *ivf, const Index *index, uint32_t row, float *raw, float *to);
void clv_ivf_query(const Ivf *ivf, const Index *index, const Query *query, float *to);
/* Computes the code of a vector as a query. code: ivf->parts bytes. */
IvfQuery clv_ivf_code_query(const Ivf *ivf, const float *v, int8_t *code);
/* Stores the code of a vector at a position and decodes it to `decoded`. Returns the scale. */
float clv_ivf_put_code(const Ivf *ivf, uint32_t bits, const float *x, uint8_t *codes,
                       uint32_t place, float *decoded);
/* Stores the code, scale and start of a point, and returns ‖r‖². x: x', which is overwritten. */
double clv_ivf_put_point(const Ivf *ivf, Distance distance, float *x, const float *centroid,
                         float *decoded, uint8_t *codes, float *scale, float *start,
                         uint32_t place);
/* Decodes the centroid of a list. */
void clv_ivf_centroid(const Ivf *ivf, uint32_t list, float *to);
/* Finds the list with the nearest centroid for each query. values: scratch space of
 * IVF_ASSIGN_VALUES numbers. */
enum { IVF_ASSIGN_BLOCKS = 4, IVF_ASSIGN_VALUES = IVF_ASSIGN_BLOCKS * VA_BLOCK };
void clv_ivf_assign(const Ivf *ivf, const IvfQuery *query, uint32_t count, uint32_t *list,
                    float *best, float *values);

bool clv_ivf_read(const Index *index, const Bundle *from, void *parts);
Status clv_ivf_build(const Index *index, Bundle *into, cleave_error *error);
/* Chooses the least effort that reaches the target recall on a sample. */
Status clv_ivf_choose(const Index *index, IvfEffort *effort, cleave_error *error);

#endif
