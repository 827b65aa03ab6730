/* e^x without a call, so that compilers vectorize loops with it. Results are bit-identical for any
 * vector length. x = n ln 2 + r with |r| <= ln 2 / 2, e^r by its Taylor polynomial of degree 7, 2^n
 * by exponent bits. */
#ifndef BASE_EXPONENTIAL_H
#define BASE_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/* Returns e^x for x in [-87, 0]. */
static inline float exponential(float x)
{
    const float magic = 12582912; /* 1.5 * 2^23: adding it rounds to an integer in the low bits */
    float shifted = x * 1.44269504F + magic, n = shifted - magic, r, result;
    uint32_t exponent, bits;

    r = x - n * 0.693145752F;   /* the high bits of ln 2, so that the product is exact */
    r = r - n * 1.42860677e-6F; /* the remaining bits */
    result = 1.98412698e-4F;
    result = result * r + 1.38888889e-3F;
    result = result * r + 8.33333333e-3F;
    result = result * r + 4.16666667e-2F;
    result = result * r + 1.66666667e-1F;
    result = result * r + 0.5F;
    result = result * (r * r) + r + 1;
    memcpy(&exponent, &shifted, sizeof exponent);
    memcpy(&bits, &result, sizeof bits);
    bits += exponent << 23;
    memcpy(&result, &bits, sizeof result);
    return result;
}

#endif
