/*
 * Progressive validation of a stream: every example is predicted before the model learns from it
 * (Blum, Kalai and Langford 1999). Errors are averaged over all examples, and over windows in which
 * an example that is h rows old has half the weight.
 *
 * Drift: a short window is compared with a long one. With weights w_i a window has the effective
 * size n = (Σw)²/Σw² (Kish). If both windows have the same fraction p of errors, twice the
 * log-likelihood ratio of two binomials,
 *
 *     G = 2 [ n_s KL(p_s ‖ p) + n_l KL(p_l ‖ p) ],      p = (n_s p_s + n_l p_l) / (n_s + n_l),
 *
 * is approximately the square of a standard normal z, even if errors are rare. An alarm is a
 * significant z in the direction of more errors. The long window is then reset, and for some time
 * no further alarm is possible. For regression, p is the fraction of examples whose squared error
 * is above the mean of the long window, so that heavy tails cause no alarm.
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
double clv_decaying_mean(const Decaying *window); /* the mean; NaN when the window is empty */
double clv_decaying_size(const Decaying *window); /* the effective number of examples */

typedef struct {
    /* fraction of errors in the long and in the short window; significance of the difference */
    double before, now, z;
} Drift;

typedef struct {
    bool regression;
    double half_life;
    uint64_t examples;
    double errors; /* sum of the errors of all examples */
    Decaying shown;
    /* windows for drift, with the half-life divided by 10 and multiplied by 10 */
    Decaying brief, lasting;
    Decaying level;       /* regression: squared errors, with the half-life of lasting */
    uint64_t quiet_until; /* number of examples before the next alarm is possible */
    uint64_t alarms;
} Windows;

/* The errors of the examples of one class, for the rates of missed and falsely reported examples of
 * two classes. */
typedef struct {
    double examples, errors;
    Decaying shown;
} ClassErrors;
void clv_class_errors_add(ClassErrors *side, bool error);
double clv_class_errors_rate(const ClassErrors *side); /* NaN without examples */
enum { CLASS_ERROR_NUMBERS = 5 };
void clv_class_errors_save(const ClassErrors *side, double numbers[CLASS_ERROR_NUMBERS]);
bool clv_class_errors_load(ClassErrors *side, const double numbers[CLASS_ERROR_NUMBERS]);

#define DRIFT_Z                                                                                    \
    6.5 /* fewer than one false alarm in a million examples: see tests/unit/test_window.c */

void clv_windows_init(Windows *windows, double half_life, bool regression);
/* Adds an example. error: 0 or 1, or the squared error of a regression. Returns true if drift is
 * detected. */
bool clv_windows_add(Windows *windows, double error, Drift *drift);
/* the mean error of all examples; NaN without examples */
double clv_windows_error(const Windows *windows);

/* The significance z of the difference between a fraction p of n examples and a fraction q of m;
 * positive if p is larger. */
double clv_drift_z(double p, double n, double q, double m);

/* Stores the state as an array of numbers in a model. */
enum { WINDOWS_NUMBERS = 16 };
void clv_windows_save(const Windows *windows, double numbers[WINDOWS_NUMBERS]);
/* returns false if the numbers are invalid */
bool clv_windows_load(Windows *windows, const double numbers[WINDOWS_NUMBERS]);

#endif
