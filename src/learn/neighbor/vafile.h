/*
 * The parts of a VA-file (see vafile.c): a map from vectors to fewer components, short codes of
 * these, and full-length codes of the vectors. Every code stores an upper bound of its error.
 * docs/decisions/0009-vafile-distance-bound.md derives the bounds; the code follows that
 * page.
 */
#ifndef LEARN_NEIGHBOR_VAFILE_H
#define LEARN_NEIGHBOR_VAFILE_H

#include "learn/neighbor/index.h"
#include "learn/neighbor/vafile_kernel.h"

enum {
    VA_MOST_FEATURES = 65536, /* sums of full-length codes fit into 32 bits */
    VA_MOST_PARTS = 512,
    VA_ERROR_BLOCKS = VA_MOST_BLOCKS /* blocks that share one maximum error */
};

/* Stored as the number of directions for points without columns, which are scanned. */
#define VA_NO_COLUMNS UINT32_MAX
#define VA_UNIT 0x1p-53 /* rounding unit of a double */

/* Upper bound of the relative error of n roundings. */
static inline double va_gamma(double n)
{
    return n * VA_UNIT / (1 - n * VA_UNIT);
}

/* x -> (A(x − center) / sigma, ‖residual of x − center‖ − offset), in units of `scale` */
typedef struct {
    uint32_t features;
    uint32_t top;  /* number of rows of A */
    uint32_t bits; /* per component of a point's code: 4 or 8 */
    /* components of a code: top, one for the residual, and zeros up to whole words */
    uint32_t parts;
    size_t panels; /* number of panels of the matrix, with space for the residual */
    const float *center, *matrix;
    double sigma; /* at least the largest singular value of the matrix */
    double offset, scale;
} VaMap;

/* Components of a point's code are integers in units of the scale, up to this magnitude, stored
 * with this offset. */
static inline int va_most(uint32_t bits)
{
    return bits == 4 ? 7 : 127;
}

static inline int va_lift(uint32_t bits)
{
    return bits == 4 ? 8 : 128;
}

/* Number of units of a query's code (bytes) per unit of the points' codes. */
static inline int va_finer(uint32_t bits)
{
    return bits == 4 ? 16 : 1;
}

typedef struct {
    double *value;  /* components */
    double error;   /* bound of their total distance from exact arithmetic */
    double length2; /* upper bound of the squared norm of x − center */
} VaImage;

typedef struct {
    double error;  /* upper bound of the distance between code and vector */
    uint32_t norm; /* Σ code² */
    int32_t sum;   /* Σ code */
} VaCoded;

static inline size_t va_panels(uint32_t top)
{
    return top / VA_PANEL + 1;
}

static inline uint32_t va_parts(uint32_t features, uint32_t top, uint32_t bits)
{
    uint32_t in_word = 32 / bits;

    return (top + (top < features) + in_word - 1) / in_word * in_word;
}

/* Bytes of a point's code. */
static inline size_t va_code_size(const VaMap *map)
{
    return (size_t)map->parts * map->bits / 8;
}

/* Doubles of workspace that clv_va_map needs: for the rows and their images. */
static inline size_t va_map_size(const VaMap *map)
{
    return VA_ROWS * ((size_t)map->features + map->panels * VA_PANEL);
}

/* Computes sigma from matrix and sizes. */
double clv_va_sigma(const VaMap *map, double *workspace /* size: top * top */);
/* Maps VA_ROWS rows; the images are in the workspace. */
void clv_va_map(const VaMap *map, const VaKernels *kernels, const float *const row[VA_ROWS],
                double *workspace, VaImage image[VA_ROWS]);
/* The codes of a point and of a query. norm and sum are integers in units of the point or the
 * query. */
VaCoded clv_va_encode(const VaMap *map, const VaImage *image, int8_t *code /* size: parts */);
VaCoded clv_va_encode_query(const VaMap *map, const VaImage *image, int8_t *code /* size: parts */);

/* x -> low + step (code + 128), value by value */
typedef struct {
    uint32_t features;
    size_t stride; /* number of bytes of a code */
    double low, step;
} VaFull;

static inline size_t va_full_stride(uint32_t features)
{
    return ((size_t)features + VA_CODE_STEP - 1) / VA_CODE_STEP * VA_CODE_STEP;
}

/* Extends the range to the values of a vector. */
void clv_va_range(const float *x, uint32_t features, float *low, float *high);
VaCoded clv_va_encode_full(const VaFull *full, const float *x, int8_t *code /* size: stride */);

/*
 * INNER_PRODUCT: a query q is searched as the vector center + t q, t = typical / ‖q‖ (decision
 * 0023). The lengths ‖x − center‖ enter the bounds.
 */
typedef struct {
    double typical;        /* length of the points */
    double largest;        /* upper bound of ‖x‖ of all points */
    double center2;        /* ‖center‖² */
    const double *length2; /* per point: upper bound of ‖x − center‖²; NULL: another distance */
    const double *longest; /* per VA_ERROR_BLOCKS blocks: the largest length2 */
} VaInner;

/* Limit of the start of a point. A point whose length would require a larger start passes every
 * threshold. */
enum { VA_MOST_START = 1 << 29, VA_MOST_THRESHOLD = 1 << 28 };

/* The contents of a bundle. */
typedef struct {
    VaMap map; /* features 0: points without columns */
    VaCodes codes;
    const float *error; /* per VA_ERROR_BLOCKS blocks: the largest error of a code */
    uint32_t blocks;
    VaFull full;
    const uint8_t *full_code; /* stored + 128; NULL: none */
    const uint32_t *full_norm;
    const float *full_error;
    VaInner inner;
    bool zeros; /* COSINE, ANGLE: some points are zero vectors */
} VaFile;

/* Sets the arrays. Returns false unless all exist with the size for this many rows. */
bool clv_va_read(const Index *index, const Bundle *from, void *parts);
/* Estimated nanoseconds per point and query for these codes if this fraction of the points
 * passes. Used to choose the widths. */
double clv_va_cost(uint32_t features, uint32_t rows, uint32_t top, uint32_t bits, double passing);
Status clv_va_build(const Index *index, Bundle *into, cleave_error *error);

/* COSINE and ANGLE: computes the unit vector of x, scaled by 1/√squares; a zero vector stays
 * zero. */
double clv_va_squares(const float *x, uint32_t features);
void clv_va_unit(const float *x, double squares, uint32_t features, float *unit);
/* Upper bound of ‖unit − x/‖x‖‖, with n terms in `squares`. */
static inline double va_unit_error(double n)
{
    return 0x1.8p-24 + 2 * va_gamma(n);
}

/* The next float that is not smaller. */
static inline float va_float_above(double x)
{
    float rounded = (float)x;

    return (double)rounded < x ? nextafterf(rounded, INFINITY) : rounded;
}

#endif
