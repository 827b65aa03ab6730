/*
 * Conversion between numbers and text, correctly rounded and independent of the locale.
 *
 * Parsing dominates the time of learning, so common numbers have an inline fast path. It gathers up
 * to 19 digits, eight at a time in one register, and multiplies by a power of ten in double. The
 * error is below 4 units in the last place of a double. The nearest float is therefore certain
 * unless the double is that close to the midpoint of two floats (one number in 2^25), is subnormal,
 * or is too long; these cases use exact arithmetic in number.c.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Number of bytes that must be readable, with any content, after text passed to the inline
 * functions and to SIMD functions. */
#define NUMBER_SLACK 64

#define POWER_LIMIT 64
/* clv_powers_of_ten[POWER_LIMIT + e] is 10^e */
extern const double clv_powers_of_ten[2 * POWER_LIMIT + 1];
extern const uint64_t clv_integer_powers_of_ten[20];

/* An integer key with the same order as the values. */
static inline uint32_t clv_float_order(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Returns the number of digits at the start of the eight bytes at text, and their value. */
static inline unsigned clv_digits8(const char *text, uint64_t *value)
{
    uint64_t bytes, other;
    unsigned count;

    memcpy(&bytes, text, 8);
    bytes ^=
        /* a digit becomes 0 … 9; any other byte has one of the upper five bits set or exceeds 9 */
        0x3030303030303030u;
    other = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    if (other == 0) {
        count = 8;
    } else {
        count = (unsigned)__builtin_ctzll(other) >> 3;
        if (count == 0) {
            *value = 0;
            return 0;
        }
        bytes <<= 64 - 8 * count; /* shifts the digits to the top, so that zeros precede them */
    }
    bytes = bytes * 10 + (bytes >> 8);
    bytes = (((bytes & 0x000000FF000000FFu) * 0x000F424000000064u) +
             (((bytes >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
            32;
    *value = bytes;
    return count;
}

/* Parses the number at text, which ends before limit. Returns NULL if there is none. Accepts
 * [+-]digits[.digits][e[+-]digits] with at least one digit; not nan or inf. Out of range gives
 * infinity or 0. Needs no slack. */
const char *clv_parse_float_exact(const char *text, const char *limit, float *value);
bool clv_parse_double(const char *text, const char *limit, double *value, const char **stop);

/* Compares the values of two texts that clv_parse_double accepts completely, without rounding. The
 * result is below 0, 0 or above 0. After several hundred digits, only the presence of further
 * digits counts. */
int clv_compare_numbers(const char *a, size_t a_length, const char *b, size_t b_length);

/* The same result as clv_parse_float_exact, but faster. Requires NUMBER_SLACK, and a byte at limit
 * that cannot be part of a number. */
static inline const char *clv_parse_float(const char *text, const char *limit, float *value)
{
    const char *p = text;
    bool negative = false;
    uint64_t mantissa, part, bits;
    unsigned count, digits;
    int exponent = 0;
    double product;

    if (*p == '-' || *p == '+')
        negative = *p++ == '-';
    digits = clv_digits8(p, &mantissa);
    p += digits;
    if (digits == 8) {
        count = clv_digits8(p, &part);
        mantissa = mantissa * clv_integer_powers_of_ten[count] + part;
        digits += count;
        p += count;
        if (count == 8)
            return clv_parse_float_exact(text, limit, value);
    }
    if (*p == '.') {
        p++;
        count = clv_digits8(p, &part);
        if (digits + count > 19)
            return clv_parse_float_exact(text, limit, value);
        mantissa = mantissa * clv_integer_powers_of_ten[count] + part;
        digits += count;
        exponent -= (int)count;
        p += count;
        if (count == 8) {
            const char *more = p;

            /* Up to 19 digits. Leading zeros count too, so some numbers take the exact arithmetic
             * without need. */
            count = clv_digits8(p, &part);
            if (count == 8) {
                uint64_t last;
                unsigned rest = clv_digits8(p + 8, &last);

                if (digits + 8 + rest > 19)
                    return clv_parse_float_exact(text, limit, value);
                mantissa = (mantissa * clv_integer_powers_of_ten[8] + part) *
                               clv_integer_powers_of_ten[rest] +
                           last;
                p += 8 + rest;
            } else {
                if (digits + count > 19)
                    return clv_parse_float_exact(text, limit, value);
                mantissa = mantissa * clv_integer_powers_of_ten[count] + part;
                p += count;
            }
            digits += (unsigned)(p - more);
            exponent -= (int)(p - more);
        }
    }
    if (digits == 0)
        return NULL;
    if ((*p | 0x20) == 'e') {
        const char *q = p + 1;
        bool down = *q == '-';

        if (*q == '-' || *q == '+')
            q++;
        count = clv_digits8(q, &part);
        if (count == 0 || count > 3)
            return clv_parse_float_exact(text, limit, value);
        exponent += down ? -(int)part : (int)part;
        p = q + count;
    }
    if (exponent < -POWER_LIMIT || exponent > POWER_LIMIT)
        return clv_parse_float_exact(text, limit, value);
    product = (double)mantissa * clv_powers_of_ten[POWER_LIMIT + exponent];
    memcpy(&bits, &product, 8);
    if (((bits + 8 - 0x10000000u) & 0x1FFFFFFFu) <= 16 || product < 1.2e-38 || product > 3.4e38) {
        if (mantissa != 0)
            return clv_parse_float_exact(text, limit, value);
    }
    *value = (float)(negative ? -product : product);
    return p;
}

/* Parses the most common form: a digit, a point and up to eight digits. It is small enough to be
 * inlined. Returns NULL if the number has another form. */
static inline const char *clv_parse_short_float(const char *text, float *value)
{
    uint64_t part, bits;
    unsigned count = clv_digits8(text + 2, &part);
    unsigned first = (unsigned)text[0] - '0';
    double product;

    if (first > 9 || text[1] != '.' || count == 8)
        return NULL;
    product = (double)(first * clv_integer_powers_of_ten[count] + part) *
              clv_powers_of_ten[POWER_LIMIT - count];
    memcpy(&bits, &product, 8);
    if (((bits + 8 - 0x10000000u) & 0x1FFFFFFFu) <= 16)
        return NULL;
    *value = (float)product;
    return text + 2 + count;
}

/* Writes the shortest text that is read back as the same value, NUL-terminated. Returns its
 * length. */
#define NUMBER_SIZE 32
size_t clv_format_float(char out[NUMBER_SIZE], float value);
size_t clv_format_double(char out[NUMBER_SIZE], double value);
size_t clv_format_double_plain(char out[NUMBER_SIZE],
                               double value); /* its reference implementation, for tests */
/* Writes a number rounded to `digits` significant digits (1 … 9), as %.*g prints it. */
size_t clv_format_rounded(char out[NUMBER_SIZE], double value, int digits);
size_t clv_format_unsigned(char out[NUMBER_SIZE], uint64_t value);
/* Writes "1,234,567" and returns out. */
const char *clv_format_count(char out[NUMBER_SIZE], uint64_t count);

/* Whether all values are finite. The compiler vectorizes this loop. */
static inline bool all_finite(const float *values, size_t count)
{
    uint32_t found = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        found |= (bits & 0x7F800000u) == 0x7F800000u;
    }
    return found == 0;
}

#endif
