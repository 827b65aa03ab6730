/*
 * Progressive validation of a stream: every example is predicted before the model learns from it
 * (Blum, Kalai and Langford 1999). Errors are averaged over all examples and over windows in which
 * an example h rows old has half the weight.
 *
 * Drift: a short window is compared with a long one. With weights w_i a window has the effective
 * size n = (Σw)²/Σw² (Kish). If both windows have the same share p of errors, twice the
 * log-likelihood ratio of two binomials,
 *
 *     G = 2 [ n_s KL(p_s ‖ p) + n_l KL(p_l ‖ p) ],      p = (n_s p_s + n_l p_l) / (n_s + n_l),
 *
 * is about the square of a standard normal z, also if errors are rare. An alarm is a significant z
 * in the direction of more errors. The long window is then reset, and no alarm follows for some
 * time. For regression, the share is that of examples whose squared error is above the mean of the
 * long window, so that heavy tails cause no alarm.
 */
#ifndef EVAL_PROGRESSIVE_H
#define EVAL_PROGRESSIVE_H

#include <stdbool.h>
#include <stdint.h>

/* A weighted average with exponentially decaying weights. */
typedef struct {
    double keep; /* decay factor per example */
    double sum, weight, weight2;
} Decaying;

void clv_decaying_init(Decaying *window, double half_life);
void clv_decaying_add(Decaying *window, double value);
double clv_decaying_mean(const Decaying *window); /* NaN when empty */
double clv_decaying_size(const Decaying *window); /* effective number of examples */

typedef struct {
    double before, now, z; /* shares of errors, long window and short */
} Drift;

typedef struct {
    bool regression;
    double half_life;
    uint64_t examples;
    double errors; /* sum over all examples */
    Decaying shown;
    Decaying brief, lasting; /* windows for drift, with the half-life divided and multiplied by
                              * 10 */
    Decaying level;          /* regression: squared errors, with the half-life of lasting */
    uint64_t quiet_until;    /* number of examples before the next alarm is possible */
    uint64_t alarms;
} Windows;

#define DRIFT_Z                                                                                    \
    6.5 /* see tests/unit/test_window.c: fewer than one false alarm in a million examples */

void clv_windows_init(Windows *windows, double half_life, bool regression);
/* error: 0 or 1, or the squared error of a regression. Returns true if drift is detected. */
bool clv_windows_add(Windows *windows, double error, Drift *drift);
double clv_windows_error(const Windows *windows); /* over all examples; NaN without examples */

/* z of a share p of n examples against a share q of m, positive if p is larger. */
double clv_drift_z(double p, double n, double q, double m);

/* The state as an array of numbers, to store it in a model. */
enum { WINDOWS_NUMBERS = 16 };
void clv_windows_save(const Windows *windows, double numbers[WINDOWS_NUMBERS]);
/* false if they are invalid */
bool clv_windows_load(Windows *windows, const double numbers[WINDOWS_NUMBERS]);

#endif
