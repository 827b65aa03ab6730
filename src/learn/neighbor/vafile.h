/*
 * The parts of a VA-file (vafile.c has the idea): the map from vectors to fewer numbers, the short codes of those, and full-length codes of the
 * vectors themselves. Every code knows how far it is, at the most, from what it stands for; docs/decisions/0009-a-bound-that-holds.md derives
 * these bounds, and the code follows it line by line.
 */
#ifndef LEARN_NEIGHBOR_VAFILE_H
#define LEARN_NEIGHBOR_VAFILE_H

#include "learn/neighbor/index.h"
#include "learn/neighbor/vafile_kernel.h"

enum {
    VA_MOST_FEATURES = 2048, /* the covariances of more would take longer than they save */
    VA_MOST_PARTS = 512,
    VA_ERROR_BLOCKS = VA_MOST_BLOCKS /* blocks that share one largest error */
};

#define VA_NO_COLUMNS                                                                                                  \
    UINT32_MAX /* in place of the number of directions: points without a column, which are looked at one by one */
#define VA_UNIT 0x1p-53 /* of a double's rounding */

/* n roundings in a row change a number by no more than this part of it. */
static inline double va_gamma(double n)
{
    return n * VA_UNIT / (1 - n * VA_UNIT);
}

/* x -> (A(x − centre) / sigma, ‖what is left of x − centre‖ − offset), in units of `scale` */
typedef struct {
    uint32_t features;
    uint32_t top;   /* rows of A */
    uint32_t bits;  /* of a component of a point's code: 4 or 8 */
    uint32_t parts; /* components of a code: top, one for the rest where there is any, and zeros up to whole words */
    size_t panels;  /* of the matrix; there is room for the rest in them */
    const float *centre, *matrix;
    double sigma; /* no less than the matrix's largest singular value */
    double offset, scale;
} VaMap;

/* Components of a point's code are whole numbers of units of the scale, up to so many, and are kept without a sign: plus so much. */
static inline int va_most(uint32_t bits)
{
    return bits == 4 ? 7 : 127;
}

static inline int va_lift(uint32_t bits)
{
    return bits == 4 ? 8 : 128;
}

/* A query's code is of bytes whatever the points' is: units of its own, so many of which are one of the points'. */
static inline int va_finer(uint32_t bits)
{
    return bits == 4 ? 16 : 1;
}

typedef struct {
    double *value; /* parts of them */
    double error;  /* how far they may be from those of exact arithmetic, together */
} VaImage;

typedef struct {
    double error;  /* no less than how far the code is from what it stands for */
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

/* Doubles of room that clv_va_map needs: for the rows and their images. */
static inline size_t va_map_room(const VaMap *map)
{
    return VA_ROWS * ((size_t)map->features + map->panels * VA_PANEL);
}

/* sigma, from matrix and sizes. */
double clv_va_sigma(const VaMap *map, double *workspace /* top * top */);
/* Of VA_ROWS rows; the images are in the room. */
void clv_va_map(const VaMap *map, const VaKernels *kernels, const float *const row[VA_ROWS], double *workspace,
                VaImage image[VA_ROWS]);
/* The code of a point, and of a query: norm and sum are of whole numbers in units of the one or the other. */
VaCoded clv_va_encode(const VaMap *map, const VaImage *image, int8_t *code /* parts */);
VaCoded clv_va_encode_query(const VaMap *map, const VaImage *image, int8_t *code /* parts */);

/* x -> low + step (code + 128), each value by itself */
typedef struct {
    uint32_t features;
    size_t stride; /* bytes of a code */
    double low, step;
} VaFull;

static inline size_t va_full_stride(uint32_t features)
{
    return ((size_t)features + VA_CODE_STEP - 1) / VA_CODE_STEP * VA_CODE_STEP;
}

VaCoded clv_va_encode_full(const VaFull *full, const float *x, int8_t *code /* stride */);

/* What a bundle holds of all that. */
typedef struct {
    VaMap map; /* features 0: of points that had no column */
    VaCodes codes;
    const float *error; /* of each VA_ERROR_BLOCKS blocks, the largest of a code */
    uint32_t blocks;
    VaFull full;
    const uint8_t *full_code; /* + 128; NULL: there are none */
    const uint32_t *full_norm;
    const float *full_error;
} VaFile;

/* Whether all is there and of the size that so many rows need. */
bool clv_va_read(const Index *index, const Bundle *from, void *parts);
/* Nanoseconds that such codes cost a query, for each point, where this share of the points passes: a guess, by which widths are chosen. */
double clv_va_cost(uint32_t features, uint32_t rows, uint32_t top, uint32_t bits, double passing);
Status clv_va_build(const Index *index, Bundle *into, cleave_error *error);

/* A float no less. */
static inline float va_float_above(double x)
{
    float rounded = (float)x;

    return (double)rounded < x ? nextafterf(rounded, INFINITY) : rounded;
}

#endif
