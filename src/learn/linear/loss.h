/*
 * Loss functions of linear methods, for a score s and a target y. y is +1 or -1, or any number for
 * the last three.
 *
 *     hinge             max(0, 1 − ys)                 convex, not smooth
 *     squared hinge     max(0, 1 − ys)²                smooth
 *     logistic          ln(1 + e^(−ys))                smooth
 *     epsilon           max(0, |y − s| − ε)            not smooth
 *     squared epsilon   max(0, |y − s| − ε)²           smooth
 *     squared           ½ (y − s)²                     smooth
 */
#ifndef LEARN_LINEAR_LOSS_H
#define LEARN_LINEAR_LOSS_H

#include <math.h>

typedef enum {
    LOSS_HINGE,
    LOSS_SQUARED_HINGE,
    LOSS_LOGISTIC,
    LOSS_EPSILON,
    LOSS_SQUARED_EPSILON,
    LOSS_SQUARED,
    LOSS_KINDS,
} LossKind;

#define LOSS_BIT(kind) (1u << (kind))
#define LOSSES_SMOOTH                                                                              \
    (LOSS_BIT(LOSS_SQUARED_HINGE) | LOSS_BIT(LOSS_LOGISTIC) | LOSS_BIT(LOSS_SQUARED_EPSILON) |     \
     LOSS_BIT(LOSS_SQUARED))
#define LOSSES_ALL (LOSS_BIT(LOSS_KINDS) - 1)

typedef struct {
    LossKind kind;
    double epsilon;
} Loss;

/* ln(1 + e^x) without overflow and without loss of small values. */
static inline double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static inline double loss_value(Loss loss, double y, double s)
{
    double r;

    switch (loss.kind) {
    case LOSS_HINGE:
        r = 1 - y * s;
        return r <= 0 ? 0 : r; /* fmax is slow, and hides a NaN */
    case LOSS_SQUARED_HINGE:
        r = 1 - y * s;
        return r <= 0 ? 0 : r * r;
    case LOSS_LOGISTIC:
        return softplus(-y * s);
    case LOSS_EPSILON:
        return fmax(0, fabs(y - s) - loss.epsilon);
    case LOSS_SQUARED_EPSILON:
        r = fmax(0, fabs(y - s) - loss.epsilon);
        return r * r;
    default:
        return 0.5 * (y - s) * (y - s);
    }
}

/* Weights are float32, so a score has a relative precision of about 10⁻⁷. A margin that is short by
 * at most this relative amount counts as reached. */
#define MARGIN_SLACK 1e-6

/* Derivative by s. At a kink: the derivative on the side without loss. */
static inline double loss_slope(Loss loss, double y, double s)
{
    double r;

    switch (loss.kind) {
    case LOSS_HINGE:
        return y * s < 1 - MARGIN_SLACK ? -y : 0;
    case LOSS_SQUARED_HINGE:
        return y * s < 1 ? -2 * y * (1 - y * s) : 0;
    case LOSS_LOGISTIC:
        return -y / (1 + exp(y * s));
    case LOSS_EPSILON:
        r = s - y;
        return r > loss.epsilon ? 1 : r < -loss.epsilon ? -1 : 0;
    case LOSS_SQUARED_EPSILON:
        r = s - y;
        return r > loss.epsilon    ? 2 * (r - loss.epsilon)
               : r < -loss.epsilon ? 2 * (r + loss.epsilon)
                                   : 0;
    default:
        return s - y;
    }
}

/* Second derivative by s of the smooth losses (generalized at a kink of the slope). */
static inline double loss_curvature(Loss loss, double y, double s)
{
    double p;

    switch (loss.kind) {
    case LOSS_SQUARED_HINGE:
        return y * s < 1 ? 2 : 0;
    case LOSS_LOGISTIC:
        p = 1 / (1 + exp(-fabs(s)));
        return p * (1 - p);
    case LOSS_SQUARED_EPSILON:
        return fabs(s - y) > loss.epsilon ? 2 : 0;
    case LOSS_SQUARED:
        return 1;
    default:
        return 0;
    }
}

#endif
