/*
 * How a stream is going: every example is judged before it is learned from (progressive validation, Blum, Kalai and Langford
 * 1999), and the errors are averaged over all examples and over windows in which an example h rows old counts half.
 *
 * Drift: a short window is held against a long one. With weights w_i a window is worth n = (Σw)²/Σw² examples (Kish). If both
 * saw the same share p of errors, twice the log-likelihood ratio of two binomials,
 *
 *     G = 2 [ n_s KL(p_s ‖ p) + n_l KL(p_l ‖ p) ],      p = (n_s p_s + n_l p_l) / (n_s + n_l),
 *
 * is about the square of a standard normal z, also where errors are so rare that the share of them is not normal. An alarm is
 * z beyond chance in the direction of more errors. Then the long window forgets what it knew, and there is quiet for
 * a while. Of a regression, the share is that of examples whose squared error is above the long window's mean: heavy tails
 * do not ring.
 */
#ifndef EVAL_PROGRESSIVE_H
#define EVAL_PROGRESSIVE_H

#include <stdbool.h>
#include <stdint.h>

/* An average over weights that decay: what is worth how much. */
typedef struct {
    double keep; /* from one example to the next */
    double sum, weight, weight2;
} Decaying;

void clv_decaying_init(Decaying *window, double half_life);
void clv_decaying_add(Decaying *window, double value);
double clv_decaying_mean(const Decaying *window); /* NaN when empty */
double clv_decaying_size(const Decaying *window); /* examples it is worth */

typedef struct {
    double before, now, z; /* shares of errors, long window and short */
} Drift;

typedef struct {
    bool regression;
    double half_life;
    uint64_t examples;
    double errors; /* summed over all */
    Decaying shown;
    Decaying brief, lasting; /* for drift: a tenth and ten times of the half-life */
    Decaying level;          /* regression: squared errors, as long as lasting */
    uint64_t quiet_until;    /* no alarm before so many examples */
    uint64_t alarms;
} Windows;

#define DRIFT_Z 6.5 /* see tests/unit/test_window.c: fewer than one false alarm in a million examples */

void clv_windows_init(Windows *windows, double half_life, bool regression);
/* error: 0 or 1, or the squared error of a regression. True: there is drift. */
bool clv_windows_add(Windows *windows, double error, Drift *drift);
double clv_windows_error(const Windows *windows); /* over all; NaN when there was none */

/* z of a share p of n examples against a share q of m, positive when p is more. */
double clv_drift_z(double p, double n, double q, double m);

/* All that changes, as numbers. */
enum { WINDOWS_NUMBERS = 16 };
void clv_windows_save(const Windows *windows, double numbers[WINDOWS_NUMBERS]);
bool clv_windows_load(Windows *windows, const double numbers[WINDOWS_NUMBERS]); /* false where they make no sense */

#endif
