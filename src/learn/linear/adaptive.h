/*
 * Online learning with a learning rate per weight: the engine of the solvers adaptive and ftrl of
 * svm, logistic, svr and lms. adaptive.c has the formulas.
 */
#ifndef LEARN_LINEAR_ADAPTIVE_H
#define LEARN_LINEAR_ADAPTIVE_H

#include "learn/linear/linear.h"
#include "learn/linear/loss.h"

/* Default learning rates. bench/online compares them with Vowpal Wabbit. */
#define ADAPTIVE_RATE 0.65
#define ADAPTIVE_LOGISTIC_RATE 1
#define FTRL_RATE 1
#define RATE_TEXT(rate) RATE_TEXT_OF(rate)
#define RATE_TEXT_OF(rate) #rate

typedef struct {
    Loss loss;
    bool proximal; /* FTRL-proximal; otherwise normalized adaptive steps */
    bool learn_intercept;
    bool regression;
    double learning_rate;
    double beta, l1, l2; /* parameters of FTRL-proximal */
} AdaptiveRule;

/* Numbers that a model stores, in the order of its array "adaptive". */
typedef struct {
    double rows, norm;  /* sum of the weights of the rows with a step, and of c Σ (x/s)² */
    double grown;       /* squares are stored multiplied by this; 1 without forgetting */
    double solved_rows; /* rows of a warm start from another solver's model; 0: none */
    /* regression: sum of the targets' weights; weighted sum of the targets … */
    double targets, sum;
    double sum_of_squares; /* … and of their squares, both relative to origin */
    double origin;         /* the first target, which is also the first intercept */
} AdaptiveNumbers;

enum { ADAPTIVE_NUMBERS = sizeof(AdaptiveNumbers) / sizeof(double) };

typedef struct {
    Context *context;
    AdaptiveRule rule;
    AdaptiveNumbers run;
    size_t outputs;
    float *squares;  /* per weight: G, sum of squared gradients, of x/s unless proximal */
    float *sums;     /* per weight, FTRL-proximal: z */
    uint16_t *scale; /* per feature: s, upper half of a float, at least the largest |x| */
    size_t squares_size, sums_size, scale_size;
    double *intercept_squares, *intercept_sums; /* per output */
    /* The entries of one row. */
    uint32_t *column;
    float *value, *of_scale, *unit, *rate;
    size_t entries;
} Adaptive;

Status clv_adaptive_begin(Adaptive *adaptive, Context *context, const AdaptiveRule *rule,
                          size_t outputs, cleave_error *error);
void clv_adaptive_free(Adaptive *adaptive);
/* Allocates memory for the weights of w, and for the rows of a block (NULL: none). */
Status clv_adaptive_reserve(Adaptive *adaptive, const Linear *w, const Block *block,
                            cleave_error *error);
/* Learns from a row with its scores, its sample weight and its target per output. The weights are
 * scale * w. Returns whether a weight changed. */
bool clv_adaptive_learn(Adaptive *adaptive, Linear *w, double scale, const Block *block,
                        uint32_t row, double weight, const double *targets, const double *scores);
/* The score that a step of size h = learning rate · Σ rates · x² leads to: the solution at time h of
 * ds/dt = −loss'(y, s), the limit of many small steps. */
double clv_adaptive_flow(Loss loss, double y, double s, double h);
/* The factor of all steps: the scale of the targets. */
double clv_adaptive_target_scale(const Adaptive *adaptive);

Status clv_adaptive_widen(const Fit *fit, const Widening *to, const Linear *w, Adaptive *adaptive);
/* Discounts the state by `keep`. The caller shrinks the weights. */
void clv_adaptive_forget(Adaptive *adaptive, double keep);

/* Several workers. A weight moves by the mean of the workers' changes, weighted by the squared
 * gradients that each of them has added; an intercept, by their rows. take requires memory for the
 * features of part "squares". */
#define ADAPTIVE_SHAPES                                                                            \
    {.name = "adaptive", .kind = SHAPE_NUMBERS, .numbers = ADAPTIVE_NUMBERS},                      \
        {.name = "pull", .kind = SHAPE_WEIGHTS}, {.name = "squares", .kind = SHAPE_WEIGHTS},       \
        {.name = "spread", .kind = SHAPE_WEIGHTS},                                                 \
    {                                                                                              \
        .name = "bias_sums", .kind = SHAPE_OUTPUTS                                                 \
    }
Status clv_adaptive_give(const Adaptive *adaptive, const Linear *w, const Adaptive *before,
                         const Linear *start, double rows, Delta *delta, cleave_error *error);
Status clv_adaptive_take(Adaptive *adaptive, Linear *w, double scale, double rows, const Delta *sum,
                         cleave_error *error);

/* Arrays "adaptive", "adaptive_bias", "adaptive_squares", "adaptive_scales", "adaptive_sums" and
 * "adaptive_bias_sums". last: w has been moved into the model already, and the squares are moved
 * instead of copied. */
Status clv_adaptive_save(Adaptive *adaptive, const Linear *w, bool last, Model *model,
                         cleave_error *error);
/* Restores the state of the same solver, or starts from the weights of another one. */
Status clv_adaptive_resume(Adaptive *adaptive, const Linear *w, double scale, const Model *model,
                           cleave_error *error);
/* Whether the arrays of a model are valid, or absent. */
bool clv_adaptive_check_model(const Model *model);

#endif
