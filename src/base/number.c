#include "base/number.h"

#include <math.h>
#include <stdio.h>

const uint64_t clv_integer_powers_of_ten[20] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

/* clang-format off */
const double clv_powers_of_ten[2 * POWER_LIMIT + 1] = {
    1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55,
    1e-54, 1e-53, 1e-52, 1e-51, 1e-50, 1e-49, 1e-48, 1e-47, 1e-46, 1e-45,
    1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35,
    1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25,
    1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15,
    1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5,
    1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
    1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25,
    1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35,
    1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45,
    1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55,
    1e56, 1e57, 1e58, 1e59, 1e60, 1e61, 1e62, 1e63, 1e64,
};
/* clang-format on */

/* ---- exact parsing: the decimal as a big integer, scaled until its quotient has 64 bits ------ */

#define LIMBS 176       /* number of 32-bit limbs; the number is at most slightly above 10^1600 */
#define MOST_DIGITS 800 /* more digits than any midpoint between two doubles has */

typedef struct {
    uint32_t limb[LIMBS]; /* the least significant limb first */
    int size;
} Big;

static void big_multiply_add(Big *big, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;

    for (int i = 0; i < big->size; i++) {
        carry += (uint64_t)big->limb[i] * factor;
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && big->size < LIMBS)
        big->limb[big->size++] = (uint32_t)carry;
}

static void big_power_of_ten(Big *big, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        big_multiply_add(big, 1000000000u, 0);
    for (; exponent > 0; exponent--)
        big_multiply_add(big, 10, 0);
}

static int big_bits(const Big *big)
{
    return big->size == 0 ? 0 : 32 * big->size - __builtin_clz(big->limb[big->size - 1]);
}

static void big_shift_left(Big *big, int bits)
{
    int limbs = bits / 32, rest = bits % 32;

    if (big->size == 0)
        return;
    if (rest)
        big_multiply_add(big, 1u << rest, 0);
    for (int i = big->size - 1; i >= 0; i--)
        big->limb[i + limbs] = big->limb[i];
    for (int i = 0; i < limbs; i++)
        big->limb[i] = 0;
    big->size += limbs;
}

static int big_compare(const Big *a, const Big *b)
{
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void big_subtract(Big *a, const Big *b)
{
    int64_t borrow = 0;

    for (int i = 0; i < a->size; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->size ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->size > 0 && a->limb[a->size - 1] == 0)
        a->size--;
}

/* A decomposed number: digits without leading zeros, value = 0.DDD… * 10^point. */
typedef struct {
    unsigned char digit[MOST_DIGITS + 1];
    int count, point;
    bool negative;
} Decimal;

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static void take_digit(Decimal *decimal, char c, bool fraction)
{
    if (decimal->count == 0 && c == '0') {
        decimal->point -= fraction;
        return;
    }
    decimal->point += !fraction;
    if (decimal->count < MOST_DIGITS)
        decimal->digit[decimal->count++] = (unsigned char)(c - '0');
    else if (c != '0') {
        decimal->digit[MOST_DIGITS] = 1; /* a nonzero digit follows, which only matters for ties */
        decimal->count = MOST_DIGITS + 1;
    }
}

static const char *take_apart(const char *p, const char *limit, Decimal *decimal)
{
    bool any = false;

    decimal->count = decimal->point = 0;
    decimal->negative = p < limit && *p == '-';
    if (p < limit && (*p == '-' || *p == '+'))
        p++;
    for (; p < limit && is_digit(*p); p++, any = true)
        take_digit(decimal, *p, false);
    if (p < limit && *p == '.')
        for (p++; p < limit && is_digit(*p); p++, any = true)
            take_digit(decimal, *p, true);
    if (!any)
        return NULL;
    if (p < limit && (*p | 0x20) == 'e') {
        const char *q = p + 1;
        bool down = q < limit && *q == '-';
        int exponent = 0;

        if (q < limit && (*q == '-' || *q == '+'))
            q++;
        if (q < limit && is_digit(*q)) {
            for (; q < limit && is_digit(*q); q++)
                exponent = exponent < 100000 ? 10 * exponent + (*q - '0') : exponent;
            decimal->point += down ? -exponent : exponent;
            p = q;
        }
    }
    return p;
}

/* Rounds to `precision` bits, half to even; least is the exponent of the smallest subnormal, most
 * the exponent of the largest power of two. */
static double assemble(const Decimal *decimal, int precision, int least, int most)
{
    Big above = {.size = 0}, below = {.limb = {1}, .size = 1};
    int scale = decimal->point - decimal->count, shift, exponent, keep;
    uint64_t quotient = 0;
    bool rest, half;
    double result;

    if (decimal->count == 0 || decimal->point < -400)
        return decimal->negative ? -0.0 : 0.0;
    if (decimal->point > 400)
        return decimal->negative ? -INFINITY : INFINITY;
    for (int i = 0; i < decimal->count; i++) {
        if (above.size == 0 && decimal->digit[i])
            above = (Big){.limb = {decimal->digit[i]}, .size = 1};
        else
            big_multiply_add(&above, 10, decimal->digit[i]);
    }
    big_power_of_ten(scale > 0 ? &above : &below, scale > 0 ? scale : -scale);
    /* value = above / below * 2^0. Shifts the numbers so that the quotient is in [2^62, 2^64). */
    shift = 63 - (big_bits(&above) - big_bits(&below));
    big_shift_left(shift > 0 ? &above : &below, shift > 0 ? shift : -shift);
    big_shift_left(&below, 64);
    for (int i = 0; i < 65; i++) {
        quotient <<= 1;
        if (big_compare(&above, &below) >= 0) {
            big_subtract(&above, &below);
            quotient |= 1;
        }
        if (i < 64)
            big_multiply_add(&above, 2, 0);
    }
    rest = above.size != 0;
    /* the value is in [2^exponent, 2^(exponent+1)) */
    exponent = 63 - __builtin_clzll(quotient) - shift;
    keep = precision;
    if (exponent - precision + 1 < least)
        keep = exponent - least + 1; /* a subnormal number has fewer bits */
    if (keep < 0)
        return decimal->negative ? -0.0 : 0.0;
    {
        int drop = 64 - __builtin_clzll(quotient) - keep;
        uint64_t dropped = drop >= 64 ? quotient : quotient & (((uint64_t)1 << drop) - 1);
        uint64_t middle = (uint64_t)1 << (drop - 1);

        quotient = drop >= 64 ? 0 : quotient >> drop;
        half = dropped > middle || (dropped == middle && (rest || (quotient & 1)));
        quotient += half;
        result = ldexp((double)quotient, drop - shift);
    }
    if (result >= ldexp(1, most + 1))
        result = INFINITY;
    return decimal->negative ? -result : result;
}

const char *clv_parse_float_exact(const char *text, const char *limit, float *value)
{
    Decimal decimal;
    const char *stop = take_apart(text, limit, &decimal);

    if (stop)
        *value = (float)assemble(&decimal, 24, -149, 127);
    return stop;
}

/* Up to 19 digits fit into 64 bits, as does 5^27. Their quotient or product is computed in 128 bits
 * with a remainder flag, and rounded once. assemble() is the reference implementation. */
__extension__ typedef unsigned __int128 Wide;
enum { SHORT_DIGITS = 19, SHORT_SCALE = 27, DOUBLE_BITS = 53 };

static bool assemble_short(const Decimal *decimal, double *value)
{
    int scale = decimal->point - decimal->count, exponent = scale, drop;
    uint64_t digits = 0, fives = 1;
    bool rest = false;
    Wide whole;

    if (decimal->count == 0 || decimal->count > SHORT_DIGITS || scale < -SHORT_SCALE ||
        scale > SHORT_SCALE)
        return false;
    for (int i = 0; i < decimal->count; i++)
        digits = digits * 10 + decimal->digit[i];
    for (int i = scale < 0 ? -scale : scale; i > 0; i--)
        fives *= 5;
    whole = (Wide)digits * fives;
    if (scale < 0) {
        int shift = __builtin_clzll(digits) + 63; /* 127 bits; the quotient has at least 64 */
        Wide above = (Wide)digits << shift;

        whole = above / fives;
        rest = whole * fives != above;
        exponent -= shift;
    }
    drop = (whole >> 64 ? 128 - __builtin_clzll((uint64_t)(whole >> 64))
                        : 64 - __builtin_clzll((uint64_t)whole)) -
           DOUBLE_BITS;
    if (drop > 0) {
        Wide half = (Wide)1 << (drop - 1), low = whole & (2 * half - 1);

        whole >>= drop;
        exponent += drop;
        whole += low > half || (low == half && (rest || (whole & 1)));
    }
    *value = ldexp((double)(uint64_t)whole, exponent);
    *value = decimal->negative ? -*value : *value;
    return true;
}

bool clv_parse_double(const char *text, const char *limit, double *value, const char **stop)
{
    Decimal decimal;

    *stop = take_apart(text, limit, &decimal);
    if (!*stop)
        return false;
    if (decimal.count <= 15 && decimal.point - decimal.count >= -22 &&
        decimal.point - decimal.count <= 22) {
        int scale = decimal.point - decimal.count;
        /* digits below 2^53 and an exact power need only one rounding (Clinger 1990) */
        double whole = 0;

        for (int i = 0; i < decimal.count; i++)
            whole = whole * 10 + decimal.digit[i];
        whole = scale < 0 ? whole / clv_powers_of_ten[POWER_LIMIT - scale]
                          : whole * clv_powers_of_ten[POWER_LIMIT + scale];
        *value = decimal.negative ? -whole : whole;
        return true;
    }
    if (!assemble_short(&decimal, value))
        *value = assemble(&decimal, 53, -1074, 1023);
    return true;
}

static int compare_sizes(const Decimal *a, const Decimal *b)
{
    int most = a->count > b->count ? a->count : b->count;

    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    for (int i = 0; i < most; i++) {
        int one = i < a->count ? a->digit[i] : 0, other = i < b->count ? b->digit[i] : 0;

        if (one != other)
            return one < other ? -1 : 1;
    }
    return 0;
}

int clv_compare_numbers(const char *a, size_t a_length, const char *b, size_t b_length)
{
    Decimal one, other;
    bool below, other_below;

    take_apart(a, a + a_length, &one);
    take_apart(b, b + b_length, &other);
    below = one.negative && one.count > 0;
    other_below = other.negative && other.count > 0;
    if (below != other_below)
        return below ? -1 : 1;
    return below ? compare_sizes(&other, &one) : compare_sizes(&one, &other);
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char digit_pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* Writes exactly `count` digits, the last at end[-1]. */
static void put_digits(char *end, uint64_t value, int count)
{
    for (; count >= 2; count -= 2) {
        end -= 2;
        memcpy(end, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (count)
        end[-1] = (char)('0' + value % 10);
}

static int digit_count(uint64_t value)
{
    int count = 1;

    while (count < 20 && value >= clv_integer_powers_of_ten[count])
        count++;
    return count;
}

size_t clv_format_unsigned(char out[NUMBER_SIZE], uint64_t value)
{
    int count = digit_count(value);

    put_digits(out + count, value, count);
    out[count] = '\0';
    return (size_t)count;
}

const char *clv_format_count(char out[NUMBER_SIZE], uint64_t count)
{
    char digits[NUMBER_SIZE];
    size_t length = clv_format_unsigned(digits, count), used = 0;

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

static char *put_exponent(char *p, int exponent)
{
    unsigned magnitude = (unsigned)(exponent < 0 ? -exponent : exponent);
    int count = magnitude < 100 ? 2 : 3;

    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    put_digits(p + count, magnitude, count);
    return p + count;
}

/* Formats digits (an integer of exactly `count` digits, its trailing zeros dropped here) times
 * 10^(exponent - count + 1) as %g does. */
static size_t lay_out(char *out, bool negative, uint64_t digits, int count, int exponent)
{
    char *p = out;

    while (count > 1 && digits % 10 == 0) {
        digits /= 10;
        count--;
    }
    *p = '-';
    p += negative;
    if (exponent < -5 || exponent > 15) {
        put_digits(p + 1 + count, digits, count);
        p[0] = p[1];
        p[1] = '.';
        p = put_exponent(count > 1 ? p + 1 + count : p + 1, exponent);
    } else if (exponent < 0) {
        memcpy(p, "0.00000", 7);
        p += 1 - exponent + count;
        put_digits(p, digits, count);
    } else if (count <= exponent + 1) {
        put_digits(p + count, digits, count);
        memset(p + count, '0', (size_t)(exponent + 1 - count));
        p += exponent + 1;
    } else {
        put_digits(p + 1 + count, digits, count);
        memmove(p, p + 1, (size_t)exponent + 1);
        p[exponent + 1] = '.';
        p += 1 + count;
    }
    *p = '\0';
    return (size_t)(p - out);
}

/* Rounds value > 0 to `count` digits. *exponent is that of the first digit. */
static uint64_t round_digits(double value, int count, int *exponent)
{
    int e = (int)floor(log10(value));
    double scaled;
    uint64_t digits;

    for (;;) {
        int power = count - 1 - e;

        if (power >= -POWER_LIMIT && power <= POWER_LIMIT)
            scaled = value * clv_powers_of_ten[POWER_LIMIT + power];
        else
            scaled = value * pow(10, power);
        if (power < 0 && power >= -22) /* a division by an exact power rounds once */
            scaled = value / clv_powers_of_ten[POWER_LIMIT - power];
        digits = (uint64_t)(scaled + 0.5);
        if (digits >= clv_integer_powers_of_ten[count])
            e++;
        else if (digits < clv_integer_powers_of_ten[count - 1])
            e--;
        else
            break;
    }
    *exponent = e;
    return digits;
}

size_t clv_format_rounded(char out[NUMBER_SIZE], double value, int count)
{
    bool tiny = fabs(value) < 1e-200; /* the factor may overflow, so it is applied in two steps */
    int exponent;
    uint64_t digits;

    if (value == 0 || !isfinite(value))
        return (size_t)snprintf(out, NUMBER_SIZE, "%g", value);
    digits = round_digits(fabs(value) * (tiny ? 1e150 : 1), count, &exponent);
    exponent -= tiny ? 150 : 0;
    return lay_out(out, value < 0, digits, count, exponent);
}

/* A decimal with `count` digits; the first is worth 10^exponent. */
typedef struct {
    uint64_t digits;
    int count, exponent;
} Short;

/* Computes the shortest decimal of a float, in double. The value is scaled to nine digits before
 * the point, where half of the distance to the next float is 3 to 60 units, and rounded to
 * thousands, hundreds, tens and units while it stays within that distance. The total error is below
 * 1e-6 units. Returns false if a decision is closer than ten times that, if the next lower float is
 * nearer than the next higher, or if the float is subnormal. */
static bool shorten(float value, Short *result)
{
    static const double units[] = {1e3, 1e2, 1e1, 1};
    uint32_t bits;
    uint64_t half_bits;
    int exponent;
    double power, scaled, half;

    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7FFFFFu) == 0 || bits < 0x800000u)
        return false;
    half_bits = (uint64_t)((bits >> 23) - 127 - 24 + 1023) << 52;
    memcpy(&half, &half_bits, sizeof half);
    exponent = (((int)(bits >> 23) - 127) * 1233) >>
               12; /* computed from a power of two, so at most one too low */
    exponent += (double)value >= clv_powers_of_ten[POWER_LIMIT + exponent + 1];
    power = clv_powers_of_ten[POWER_LIMIT + 8 - exponent];
    scaled = (double)value * power;
    half *= power;
    for (int i = 0; i < 4; i++) {
        uint64_t digits = (uint64_t)(scaled / units[i] + 0.5);
        double off = fabs((double)digits * units[i] - scaled);

        if (fabs(off - half) < 1e-5)
            return false;
        if (off < half) {
            *result = (Short){.digits = digits, .count = 6 + i, .exponent = exponent};
            if (digits == clv_integer_powers_of_ten[result->count]) {
                result->digits /= 10;
                result->exponent++;
            }
            return true;
        }
    }
    return false;
}

/* Rounds value > 0 correctly to `count` digits. */
static Short round_exactly(double value, int count)
{
    Short result = {.count = count};
    char text[NUMBER_SIZE];
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", count - 1, value);
    for (; *p && *p != 'e'; p++)
        if (is_digit(*p)) /* other characters are the decimal point of a locale */
            result.digits = 10 * result.digits + (uint64_t)(*p - '0');
    if (*p) {
        bool down = p[1] == '-';

        for (p += 2; is_digit(*p); p++)
            result.exponent = 10 * result.exponent + (*p - '0');
        result.exponent = down ? -result.exponent : result.exponent;
    }
    return result;
}

static bool reads_back(char out[NUMBER_SIZE], Short decimal, float value, size_t *length)
{
    float back;

    *length = lay_out(out, false, decimal.digits, decimal.count, decimal.exponent);
    return clv_parse_float_exact(out, out + *length, &back) && back == value;
}

/* Does the same for any float above 0, by search. It also tries the decimal above the nearest,
 * because at a power of two the next higher float is farther than the next lower. */
static size_t format_exactly(char out[NUMBER_SIZE], float value)
{
    size_t length = 0;

    for (int count = 1; count <= 9; count++) {
        Short decimal = round_exactly((double)value, count);

        if (reads_back(out, decimal, value, &length))
            break;
        decimal.digits++;
        if (decimal.digits < clv_integer_powers_of_ten[count] &&
            reads_back(out, decimal, value, &length))
            break;
    }
    return length;
}

size_t clv_format_float(char out[NUMBER_SIZE], float value)
{
    float magnitude = fabsf(value);
    bool negative = value < 0;
    Short decimal;

    if (magnitude < 1e7f && magnitude == (float)(int32_t)magnitude) {
        out[0] = '-';
        return clv_format_unsigned(out + negative, (uint64_t)magnitude) + negative;
    }
    if (!isfinite(value))
        return (size_t)snprintf(out, NUMBER_SIZE, "%s",
                                isnan(value) ? "nan"
                                : negative   ? "-inf"
                                             : "inf");
    if (shorten(magnitude, &decimal))
        return lay_out(out, negative, decimal.digits, decimal.count, decimal.exponent);
    out[0] = '-';
    return format_exactly(out + negative, magnitude) + negative;
}

/* Formats digits * 10^(exponent - precision + 1) as %.*g, without trailing zeros. */
static size_t lay_out_general(char *out, bool negative, uint64_t digits, int precision,
                              int exponent)
{
    char text[NUMBER_SIZE];
    int count = precision, at = 0;

    for (; count > 1 && digits % 10 == 0; count--)
        digits /= 10;
    for (int i = count - 1; i >= 0; i--, digits /= 10)
        text[i] = (char)('0' + digits % 10);
    if (negative)
        out[at++] = '-';
    if (exponent < -4 || exponent >= precision) {
        out[at++] = text[0];
        if (count > 1)
            out[at++] = '.';
        memcpy(out + at, text + 1, (size_t)count - 1);
        at += count - 1;
        return (size_t)(at + snprintf(out + at, (size_t)(NUMBER_SIZE - at), "e%+03d", exponent));
    }
    for (int i = exponent < 0 ? exponent : 0; i < count || i <= exponent; i++) {
        if (i == exponent + 1)
            out[at++] = '.';
        out[at++] = i >= 0 && i < count ? text[i] : '0';
    }
    out[at] = '\0';
    return (size_t)at;
}

/* Computes the 17 digits of a number above 0, and the exponent of the first. */
static uint64_t digits_of(double value, int *exponent)
{
    char text[NUMBER_SIZE];
    uint64_t digits = 0;
    const char *p = text;
    bool negative;

    snprintf(text, sizeof text, "%.16e", value);
    for (; *p != 'e'; p++)
        if (is_digit(*p)) /* skips the decimal point of a locale */
            digits = digits * 10 + (uint64_t)(*p - '0');
    negative = *++p == '-';
    for (*exponent = 0, p++; *p; p++)
        *exponent = *exponent * 10 + (*p - '0');
    *exponent = negative ? -*exponent : *exponent;
    return digits;
}

static bool is_the_number(uint64_t digits, int count, int exponent, double value)
{
    Decimal decimal = {.count = count, .point = exponent + 1};
    double back;

    for (int i = count - 1; i >= 0; i--, digits /= 10)
        decimal.digit[i] = (unsigned char)(digits % 10);
    if (!assemble_short(&decimal, &back))
        back = assemble(&decimal, DOUBLE_BITS, -1074, 1023);
    return back == value;
}

/* Formats with the first of 15, 16 and 17 digits that is read back as the number. The C library
 * computes 17 digits. Shorter forms are rounded from these, except for ties, which call the library
 * again. */
size_t clv_format_double(char out[NUMBER_SIZE], double value)
{
    static const uint64_t cut[] = {100, 10, 1};
    double magnitude = fabs(value);
    uint64_t all;
    int exponent;

    if (isnan(value) || isinf(value))
        return (size_t)snprintf(out, NUMBER_SIZE, "%s",
                                isnan(value) ? "nan"
                                : value > 0  ? "inf"
                                             : "-inf");
    if (value == 0)
        return (size_t)snprintf(out, NUMBER_SIZE, "%s", signbit(value) ? "-0" : "0");
    all = digits_of(magnitude, &exponent);
    for (int i = 0; i < 2; i++) {
        uint64_t rest = all % cut[i], digits = all / cut[i] + (2 * rest > cut[i]);
        int precision = 15 + i, first = exponent;

        if (2 * rest == cut[i])
            return clv_format_double_plain(out, value);
        if (digits == clv_integer_powers_of_ten[precision]) { /* 9.99… was rounded to 10 */
            digits /= 10;
            first++;
        }
        if (is_the_number(digits, precision, first, magnitude))
            return lay_out_general(out, value < 0, digits, precision, first);
    }
    return lay_out_general(out, value < 0, all, 17, exponent);
}

size_t clv_format_double_plain(char out[NUMBER_SIZE], double value)
{
    size_t length = 0;

    if (isnan(value) || isinf(value))
        return (size_t)snprintf(out, NUMBER_SIZE, "%s",
                                isnan(value) ? "nan"
                                : value > 0  ? "inf"
                                             : "-inf");
    for (int digits = 15; digits <= 17; digits++) {
        const char *stop;
        double back;

        length = (size_t)snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
        for (size_t i = 0; i < length; i++) /* replaces the decimal point of a locale */
            if (!strchr("+-.0123456789e", out[i]))
                out[i] = '.';
        if (clv_parse_double(out, out + length, &back, &stop) && back == value)
            break;
    }
    return length;
}
