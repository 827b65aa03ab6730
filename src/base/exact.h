/*
 * Sums of doubles without rounding: a fixed-point number as wide as the range of a double, and some bits wider (Kulisch and Miranker 1986).
 * What is added in whatever order gives the same bits, and the sum is rounded once, when it is asked for.
 */
#ifndef BASE_EXACT_H
#define BASE_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXACT_DIGITS = 70 };

/* Zeroed is 0. */
typedef struct {
    int64_t
        digit[EXACT_DIGITS]; /* of 32 bits and a sign, the lowest counting 2^-1074; carries wait in the upper bits */
    uint32_t first, end;     /* digits outside are 0 */
    uint32_t waiting;        /* numbers added since carries were last made */
} Exact;

void clv_exact_clear(Exact *sum);
/* value must be finite. */
void clv_exact_add(Exact *sum, double value);
/* The nearest double, of two the even one; infinite where the sum is beyond them all. */
double clv_exact_round(Exact *sum);
bool clv_exact_is_zero(Exact *sum);
/* The sum as words to send elsewhere, few where the numbers are of one size: how many there are. */
enum { EXACT_WORDS = EXACT_DIGITS + 1 };
size_t clv_exact_write(Exact *sum, int64_t words[EXACT_WORDS]);
/* Adds what was written, of so many words at the most: how many it took; 0: these are none. */
size_t clv_exact_add_written(Exact *sum, const int64_t *words, size_t most);

#endif
