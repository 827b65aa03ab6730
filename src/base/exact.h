/*
 * Exact sums of doubles: a fixed-point number as wide as the range of a double, plus some bits
 * (Kulisch and Miranker 1986). The result is independent of the order of summation and is rounded
 * once at the end.
 */
#ifndef BASE_EXACT_H
#define BASE_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXACT_DIGITS = 70 };

/* A zeroed sum is 0. */
typedef struct {
    /* each digit has 32 bits and a sign, and the lowest is worth 2^-1074; the upper bits hold
     * carries */
    int64_t digit[EXACT_DIGITS];
    uint32_t first, end; /* range of digits that may not be 0 */
    uint32_t waiting;    /* numbers added since the last carry propagation */
} Exact;

void clv_exact_clear(Exact *sum);
/* Adds a value, which must be finite. */
void clv_exact_add(Exact *sum, double value);
/* Returns the nearest double, ties to even; infinite if the sum is out of range. */
double clv_exact_round(Exact *sum);
bool clv_exact_is_zero(Exact *sum);
/* Writes the sum as words for transfer, and returns their number. It is small if the numbers have
 * similar magnitudes. */
enum { EXACT_WORDS = EXACT_DIGITS + 1 };
size_t clv_exact_write(Exact *sum, int64_t words[EXACT_WORDS]);
/* Adds a sum written to at most `count` words. Returns the number of words read, or 0 if they are
 * invalid. */
size_t clv_exact_add_written(Exact *sum, const int64_t *words, size_t most);

#endif
