/* The map of a VA-file and its codes, with bounds of their errors: sections 2 to 4 of
 * docs/decisions/0009-vafile-distance-bound.md. */
#include "learn/neighbor/vafile.h"

/* kappa of the decision record: an upper bound of the number of roundings. */
static double kappa(const VaMap *map)
{
    return va_gamma((double)map->features + (double)map->top + 8);
}

static const float *column_of(const VaMap *map, uint32_t output)
{
    return map->matrix + output / VA_PANEL * (size_t)map->features * VA_PANEL + output % VA_PANEL;
}

static double dot_of_outputs(const VaMap *map, uint32_t a, uint32_t b)
{
    const float *x = column_of(map, a), *y = column_of(map, b);
    double sum[4] = {0};

    for (uint32_t i = 0; i < map->features; i++)
        sum[i % 4] += (double)x[(size_t)i * VA_PANEL] * (double)y[(size_t)i * VA_PANEL];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double clv_va_sigma(const VaMap *map, double *workspace)
{
    size_t top = map->top;
    double widest = 0, diagonal = 0, square;

    for (uint32_t a = 0; a < top; a++)
        for (uint32_t b = 0; b <= a; b++)
            workspace[a * top + b] = workspace[b * top + a] = fabs(dot_of_outputs(map, a, b));
    for (size_t a = 0; a < top; a++) {
        double sum = 0;

        for (size_t b = 0; b < top; b++)
            sum += workspace[a * top + b];
        widest = sum > widest ? sum : widest;
        diagonal = workspace[a * top + a] > diagonal ? workspace[a * top + a] : diagonal;
    }
    square = (widest + 2 * kappa(map) * (double)top * diagonal) * (1 + 2 * kappa(map));
    return top ? sqrt(square) * (1 + kappa(map)) : 1;
}

/* Subtracts the center and returns the squared norm of the result. */
static double subtract_center(const VaMap *map, const float *x, double *centered)
{
    enum { LANES = 8 };
    double sum[LANES] = {0};
    uint32_t i = 0;

    for (; i + LANES <= map->features; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            double c = (double)x[i + lane] - (double)map->center[i + lane];

            centered[i + lane] = c;
            sum[lane] += c * c;
        }
    for (; i < map->features; i++) {
        centered[i] = (double)x[i] - (double)map->center[i];
        sum[i % LANES] += centered[i] * centered[i];
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

double clv_va_squares(const float *x, uint32_t features)
{
    enum { LANES = 8 };
    double sum[LANES] = {0};
    uint32_t i = 0;

    for (; i + LANES <= features; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++)
            sum[lane] += (double)x[i + lane] * (double)x[i + lane];
    for (; i < features; i++)
        sum[i % LANES] += (double)x[i] * (double)x[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

void clv_va_unit(const float *x, double squares, uint32_t features, float *unit)
{
    double factor = squares > 0 ? 1 / sqrt(squares) : 0;

    for (uint32_t i = 0; i < features; i++)
        unit[i] = (float)((double)x[i] * factor);
}

/* Computes the image from the products with the matrix. */
static void finish(const VaMap *map, double length2, VaImage *image)
{
    double k = kappa(map), root = sqrt((double)map->top), top2 = 0, rest2, rest2_error, rest,
           rest_error;

    for (uint32_t j = 0; j < map->top; j++) {
        image->value[j] /= map->sigma;
        top2 += image->value[j] * image->value[j];
    }
    image->error = k * root * sqrt(length2);
    image->length2 = length2 * (1 + 2 * k);
    if (map->top == map->features)
        return;
    rest2 = length2 - top2;
    rest2_error = k * (2 * root + 4) * length2;
    rest = rest2 > 0 ? sqrt(rest2) : 0;
    rest_error = sqrt(rest2_error);
    if (rest > 0 && rest2_error / rest < rest_error)
        rest_error = rest2_error / rest;
    image->value[map->top] = rest - map->offset;
    image->error += rest_error + VA_UNIT * (rest + fabs(image->value[map->top]));
}

void clv_va_map(const VaMap *map, const VaKernels *kernels, const float *const row[VA_ROWS],
                double *workspace, VaImage image[VA_ROWS])
{
    size_t width = map->panels * VA_PANEL;
    double *out = workspace + (size_t)VA_ROWS * map->features, length2[VA_ROWS];

    for (uint32_t r = 0; r < VA_ROWS; r++)
        length2[r] = subtract_center(map, row[r], workspace + (size_t)r * map->features);
    kernels->multiply(map->matrix, map->panels, map->features, workspace, out);
    for (uint32_t r = 0; r < VA_ROWS; r++) {
        image[r].value = out + r * width;
        finish(map, length2[r], &image[r]);
    }
}

/* Rounds to the nearest integer and limits it to low … high; NaN becomes high. */
static inline int whole(double z, int low, int high)
{
    z = z < high ? z : high;
    z = z > low ? z : low;
    return (int)(z - low + 0.5) + low;
}

/* Encodes values in multiples of `unit`, up to `most`. */
static VaCoded encode(const VaMap *map, const VaImage *image, double unit, int most, int8_t *code)
{
    VaCoded coded = {0};
    double far2 = 0;

    for (uint32_t j = 0; j < map->parts; j++) {
        int c = whole(image->value[j] / unit, -most, most);
        double left = image->value[j] - unit * c; /* the product is exact: 24 bits times 7 */

        code[j] = (int8_t)c;
        coded.norm += (uint32_t)(c * c);
        coded.sum += c;
        far2 += left * left;
    }
    coded.error = (sqrt(far2) + image->error) * (1 + 4 * kappa(map));
    return coded;
}

VaCoded clv_va_encode(const VaMap *map, const VaImage *image, int8_t *code)
{
    return encode(map, image, map->scale, va_most(map->bits), code);
}

VaCoded clv_va_encode_query(const VaMap *map, const VaImage *image, int8_t *code)
{
    return encode(map, image, map->scale / va_finer(map->bits), va_most(8), code);
}

void clv_va_range(const float *x, uint32_t features, float *low, float *high)
{
    enum { LANES = 8 };
    float least[LANES], most[LANES];
    uint32_t i = 0;

    for (uint32_t lane = 0; lane < LANES; lane++) {
        least[lane] = *low;
        most[lane] = *high;
    }
    for (; i + LANES <= features; i += LANES)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            least[lane] = x[i + lane] < least[lane] ? x[i + lane] : least[lane];
            most[lane] = x[i + lane] > most[lane] ? x[i + lane] : most[lane];
        }
    for (; i < features; i++) {
        least[0] = x[i] < least[0] ? x[i] : least[0];
        most[0] = x[i] > most[0] ? x[i] : most[0];
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        *low = least[lane] < *low ? least[lane] : *low;
        *high = most[lane] > *high ? most[lane] : *high;
    }
}

VaCoded clv_va_encode_full(const VaFull *full, const float *x, int8_t *code)
{
    VaCoded coded = {0};
    double far2[4] = {0}, length2[4] = {0};

    for (uint32_t i = 0; i < full->features; i++) {
        double above = (double)x[i] - full->low, left;
        int c = whole(above / full->step, 0, 255);

        left = above - full->step * c; /* exact, as above */
        code[i] = (int8_t)(c - 128);
        coded.norm += (uint32_t)((c - 128) * (c - 128));
        coded.sum += c - 128;
        far2[i % 4] += left * left;
        length2[i % 4] += above * above;
    }
    memset(code + full->features, 0, full->stride - full->features);
    coded.error = sqrt((far2[0] + far2[1]) + (far2[2] + far2[3]));
    coded.error += 2 * VA_UNIT * sqrt((length2[0] + length2[1]) + (length2[2] + length2[3]));
    coded.error *= 1 + 4 * va_gamma((double)full->features + 8);
    return coded;
}
