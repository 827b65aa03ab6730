#include "base/exact.h"

#include <math.h>
#include <string.h>

enum { DIGIT_BITS = 32, MANTISSA_BITS = 53, LEAST_EXPONENT = -1074 };
#define DIGIT_MASK 0xFFFFFFFFu
/* limit of additions between two propagations of carries; each adds less than 2^33 to a digit */
#define MOST_WAITING (1u << 30)

void clv_exact_clear(Exact *sum)
{
    memset(sum->digit + sum->first, 0, (sum->end - sum->first) * sizeof *sum->digit);
    sum->first = sum->end = sum->waiting = 0;
}

/* Propagates carries. Afterwards every digit except the last is in 0 … 2^32 - 1, and the last has
 * the sign. */
static void make_carries(Exact *sum)
{
    sum->waiting = 0;
    if (sum->end == sum->first)
        return;
    for (uint32_t i = sum->first; i + 1 < sum->end; i++) {
        int64_t low = sum->digit[i] & (int64_t)DIGIT_MASK;

        sum->digit[i + 1] += (sum->digit[i] - low) / ((int64_t)1 << DIGIT_BITS);
        sum->digit[i] = low;
    }
}

/* Extends the used digits, with two above the highest for carries. */
static void cover(Exact *sum, uint32_t first, uint32_t end)
{
    bool empty = sum->end == sum->first;

    if (empty || first < sum->first)
        sum->first = first;
    if (empty || end > sum->end)
        sum->end = end;
}

void clv_exact_add(Exact *sum, double value)
{
    uint64_t bits, mantissa, low, high;
    uint32_t exponent, at, shift;
    int64_t sign;

    memcpy(&bits, &value, sizeof bits);
    mantissa = bits & 0xFFFFFFFFFFFFFu;
    exponent = (uint32_t)(bits >> 52) & 0x7FF;
    if (exponent)
        mantissa |= (uint64_t)1 << 52;
    if (mantissa == 0)
        return;
    sign = bits >> 63 ? -1 : 1;
    at = (exponent ? exponent - 1 : 0) / DIGIT_BITS;
    shift = (exponent ? exponent - 1 : 0) % DIGIT_BITS;
    low = (mantissa & DIGIT_MASK) << shift;
    high = (mantissa >> DIGIT_BITS) << shift;
    /* Moves the sign of a growing sum out of the former last digit. */
    cover(sum, at, at + 5);
    sum->digit[at] += sign * (int64_t)(low & DIGIT_MASK);
    sum->digit[at + 1] += sign * (int64_t)((low >> DIGIT_BITS) + (high & DIGIT_MASK));
    sum->digit[at + 2] += sign * (int64_t)(high >> DIGIT_BITS);
    if (++sum->waiting == MOST_WAITING)
        make_carries(sum);
}

static void negate(Exact *sum)
{
    for (uint32_t i = sum->first; i < sum->end; i++)
        sum->digit[i] = -sum->digit[i];
    make_carries(sum);
}

/* Returns the highest nonzero digit of a non-negative sum, or first if all are 0. */
static uint32_t highest(const Exact *sum)
{
    uint32_t i = sum->end ? sum->end - 1 : 0;

    while (i > sum->first && sum->digit[i] == 0)
        i--;
    return i;
}

static bool bit_at(const Exact *sum, uint32_t place)
{
    uint32_t i = place / DIGIT_BITS;

    return i >= sum->first && i < sum->end && (sum->digit[i] >> (place % DIGIT_BITS) & 1);
}

static bool any_below(const Exact *sum, uint32_t place)
{
    uint32_t i = sum->first;

    for (; i < sum->end && i < place / DIGIT_BITS; i++)
        if (sum->digit[i])
            return true;
    return i == place / DIGIT_BITS && i < sum->end &&
           (sum->digit[i] & (((int64_t)1 << (place % DIGIT_BITS)) - 1));
}

/* Rounds a positive sum. */
static double round_positive(const Exact *sum)
{
    uint32_t digit = highest(sum), top = digit * DIGIT_BITS, lowest;
    uint64_t mantissa = 0;

    for (int64_t rest = sum->digit[digit]; rest > 1; rest >>= 1)
        top++;
    lowest = top >= MANTISSA_BITS ? top - (MANTISSA_BITS - 1) : 0;
    for (uint32_t place = top + 1; place-- > lowest;)
        mantissa = mantissa << 1 | bit_at(sum, place);
    if (lowest > 0 && bit_at(sum, lowest - 1) && ((mantissa & 1) || any_below(sum, lowest - 1)))
        mantissa++;
    return ldexp((double)mantissa, (int)lowest + LEAST_EXPONENT);
}

double clv_exact_round(Exact *sum)
{
    double value = 0;
    bool negative;

    make_carries(sum);
    if (sum->end == sum->first)
        return 0;
    negative = sum->digit[sum->end - 1] < 0;
    if (negative)
        negate(sum);
    if (sum->digit[highest(sum)] != 0)
        value = round_positive(sum);
    if (negative)
        negate(sum);
    return negative ? -value : value;
}

bool clv_exact_is_zero(Exact *sum)
{
    make_carries(sum);
    for (uint32_t i = sum->first; i < sum->end; i++)
        if (sum->digit[i])
            return false;
    return true;
}

size_t clv_exact_write(Exact *sum, int64_t words[EXACT_WORDS])
{
    size_t count = sum->end - sum->first;

    make_carries(sum);
    words[0] = (int64_t)sum->end << DIGIT_BITS | sum->first;
    memcpy(words + 1, sum->digit + sum->first, count * sizeof *words);
    return count + 1;
}

size_t clv_exact_add_written(Exact *sum, const int64_t *words, size_t most)
{
    uint32_t first, end;

    if (most == 0)
        return 0;
    first = (uint32_t)words[0];
    end = (uint32_t)((uint64_t)words[0] >> DIGIT_BITS);
    if (end < first || end > EXACT_DIGITS || end - first >= most)
        return 0;
    if (end > first)
        cover(sum, first, end);
    for (uint32_t i = first; i < end; i++)
        sum->digit[i] += words[1 + i - first];
    if (end > first && ++sum->waiting >= MOST_WAITING)
        make_carries(sum);
    return (size_t)(end - first) + 1;
}
