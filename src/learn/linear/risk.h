/*
 * Regularized empirical risk, the objective of svm, logistic and svr:
 *
 *     λ ( (1 − l1)/2 ‖w‖² + l1 ‖w‖₁ )  +  (1/W) Σ cᵢ loss(yᵢ, w·xᵢ + b)        W = Σ cᵢ
 *
 * cᵢ are sample weights. The intercept b is not penalized, unless regularize_intercept makes it a
 * weight. λ = 1/(W C) is equivalent to the C of ½‖w‖² + C Σ cᵢ lossᵢ. Multiclass: one problem per
 * class against the rest, trained in the same epochs, or one joint problem.
 *
 * A solver is one file with one table of functions at its end. risk.c turns options into the
 * problem, chooses the solver, and reports primal, dual, duality gap, margin and support vectors.
 */
#ifndef LEARN_LINEAR_RISK_H
#define LEARN_LINEAR_RISK_H

#include "learn/linear/adaptive.h"
#include "learn/linear/late_mean.h"
#include "learn/linear/loss.h"

typedef enum {
    SOLVER_AUTO,
    SOLVER_SGD,
    SOLVER_ASGD,
    SOLVER_PEGASOS,
    SOLVER_GD,
    SOLVER_DCD,
    SOLVER_LBFGS,
    SOLVER_NEWTON,
    SOLVER_ADAPTIVE,
    SOLVER_FTRL,
} SolverKind;

enum { RATE_AUTO, RATE_FIXED, RATE_INVERSE, RATE_DECAY, RATE_CALIBRATED };
enum { MULTICLASS_REST, MULTICLASS_JOINT };

/* The first member of each method's options; RISK_PARAMS describes it. */
typedef struct {
    double C;        /* infinity: no loss is allowed (hard margin) */
    double lambda;   /* 0: 1 / (W C) */
    double l1_ratio; /* fraction of the penalty that is L1 */
    int loss;        /* index into the method's list of losses */
    int solver;      /* SolverKind */
    int multiclass;
    bool regularize_intercept;
    bool no_intercept;
    /* relative duality gap, decrease of the objective, or norm of the gradient; 0: chosen by solver
     * and rows */
    double tolerance;
    double learning_rate; /* 0: chosen by the solver */
    int schedule;
    double learning_rate_decay;
    double t0;                   /* t0 in 1 / (λ (t + t0)); 0: calibrated on a subsample */
    int64_t calibrate_every;     /* rows between two calibrations */
    const char *batch_size;      /* "1", "64", "all": rows per step of pegasos */
    const char *initial_weights; /* numbers with commas: weights, then the intercept; NULL: 0 */
    double epsilon;
} RiskOptions;

extern const char *const clv_solver_names[];   /* names in the order of SolverKind */
extern const char *const clv_schedule_names[]; /* auto, fixed, inverse, decay, calibrated */
extern const char *const clv_multiclass_names[];

/* clang-format off */
/* The common part of the methods' option tables. `names` are the method's losses. */
#define RISK_PARAMS(structure, names)                                                              \
    REAL_OR_INF(structure, C, 1, ABOVE(0), "Inverse regularization strength; inf with hinge loss: hard margin.",           \
                TUNE_LOG(1e-3, 1e3), WHEN("lambda=0,solver!=adaptive"), FREER_UPWARDS("solver=auto|dcd|lbfgs|newton")),                 \
    REAL(structure, lambda, 0, AT_LEAST(0), "Regularization strength, 1 / (n C).", DEFAULT("from --C"), \
         FREER_DOWNWARDS("solver=auto|dcd|lbfgs|newton")),                                         \
    REAL(structure, l1_ratio, 0, WITHIN(0, 1), "Fraction of the penalty that is L1; the rest is L2."),        \
    NAME(structure, loss, 0, names, "Loss function.", TUNE_ALL),                                   \
    NAME(structure, solver, SOLVER_AUTO, clv_solver_names, "Optimization algorithm; auto chooses one from the data."), \
    NAME(structure, multiclass, MULTICLASS_REST, clv_multiclass_names, "Train one classifier per class, or solve one joint problem (Crammer-Singer)."), \
    FLAG(structure, regularize_intercept, "Regularize the intercept.\nBy default, it is not penalized."), \
    FLAG(structure, no_intercept, "Do not fit an intercept."),                                     \
    REAL(structure, tolerance, 0, AT_LEAST(0), "Stop when the relative duality gap or solver criterion falls below this value.\n" \
         "Stochastic solvers stop when the objective no longer decreases by this fraction.",       \
         DEFAULT("1e-4; 1e-9 up to 1,000 rows; stochastic: 1e-3")),                                \
    REAL(structure, learning_rate, 0, AT_LEAST(0), "gd, sgd, asgd, adaptive, ftrl: learning rate.", DEFAULT("chosen by the solver")), \
    NAME(structure, schedule, RATE_AUTO, clv_schedule_names, "sgd, asgd: learning rate schedule.\n"                    \
         "fixed: constant. inverse: 1 / (lambda (t + t0)). decay: learning_rate / (1 + c t). "     \
         "calibrated: the best on a validation set."),           \
    INTEGER(structure, calibrate_every, 100000, AT_LEAST(1), "Number of rows between calibrations (--schedule calibrated)."), \
    REAL(structure, learning_rate_decay, 0, AT_LEAST(0), "Decay c of --schedule decay: learning_rate / (1 + c t) in epoch t."),                   \
    REAL(structure, t0, 0, AT_LEAST(0), "Offset t0 of --schedule inverse.", DEFAULT("chosen on a subsample")), \
    TEXT(structure, batch_size, "1", "pegasos: number of rows per step, or all."),                           \
    TEXT(structure, initial_weights, NULL, "gd, sgd, asgd, pegasos: initial weights and intercept, e.g. 0,1,-2.")
/* clang-format on */

typedef struct Risk Risk;

typedef struct {
    const char *name;
    unsigned losses;      /* LOSS_BITs of supported losses */
    bool l1;              /* supports the L1 penalty */
    bool joint;           /* supports joint multiclass */
    bool hard;            /* supports the hard margin */
    bool starts;          /* supports --initial-weights */
    bool rates;           /* has a learning rate */
    bool per_weight;      /* has a learning rate per weight, and no schedule */
    bool scaled;          /* stores w as a vector times risk->scale */
    bool keeps_cancelled; /* a cancelled fit leaves a state from which a run can continue */
    size_t own_size;      /* size of risk->own, which is zeroed before begin or fit */
    /* Stochastic and gradient solvers have step and pass, other solvers have fit. Further functions
     * may be NULL. */
    Status (*begin)(Fit *fit, Risk *risk);   /* --initial-weights is in w; sets risk->averages */
    Status (*reserve)(Fit *fit, Risk *risk); /* memory for the features of w */
    Status (*sample)(Fit *fit, Risk *risk, const Block *rows); /* see method.h */
    Status (*step)(Fit *fit, Risk *risk, const Block *block);
    Status (*pass)(Fit *fit, Risk *risk, bool *done);
    Status (*fit)(Fit *fit, Risk *risk, Dataset *dataset);
    /* Writes the solution into result, which has the size of w, without side effects. Returns
     * false, or is NULL, if the solution is the average, or scale * w. */
    bool (*result)(const Fit *fit, const Risk *risk, Linear *result);
    /* Calibrated learning rate: copies the state other than w; sets the factor. */
    Status (*copy)(Fit *to, Risk *into, const Risk *from);
    void (*set_rate)(Risk *risk, double factor);
    /* Epochs on several workers; see method.h. take needs memory for the features of part "w".
     * NULL: not supported. */
    Status (*give)(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta);
    Status (*take)(Fit *fit, Risk *risk, double rows, const Delta *sum);
    bool (*sums_exactly)(const RiskOptions *options);
    /* Streams; see method.h. Widens the state other than w and its average; forgets. */
    Status (*widen)(Fit *fit, Risk *risk, const Widening *to);
    void (*forget)(Risk *risk, double keep);
    double (*rate)(const Fit *fit, const Risk *risk);
    /* Arrays of the model that a warm start needs other than w; NULL: none. A solver with `fit`
     * compares the data with risk->from in `fit`. */
    Status (*save)(Fit *fit, const Risk *risk, Model *model);
    Status (*resume)(Fit *fit, Risk *risk, const Model *model);
    /* Lock-free training: number of steps of all workers per step of this one; NULL: not
     * supported. */
    void (*race)(Risk *risk, unsigned workers);
    void (*free)(Fit *fit, Risk *risk); /* frees state outside of own and risk->memory */
} Solver;

extern const Solver clv_solver_sgd, clv_solver_asgd, clv_solver_pegasos, clv_solver_gd,
    clv_solver_dcd, clv_solver_lbfgs, clv_solver_newton, clv_solver_adaptive, clv_solver_ftrl;

/* First member of each method's state. */
struct Risk {
    const RiskOptions *options;
    const Solver *solver;
    const Kernels *kernels;
    Loss loss;
    /* regularization of the objective above; 0: hard margin, no penalty, or unknown in a stream */
    double lambda;
    bool learn_intercept;
    Linear w; /* the solution is scale * w; the scale does not apply to the intercepts */
    double scale;
    /* per output: product of the factors of w since begin or resume; see average.h */
    double *factor;
    void *own;      /* state of the solver; NULL after fit */
    Arena memory;   /* own, and the solver's arrays of fixed size */
    bool averages;  /* the solution is the averaged weights */
    bool averaging; /* weights are averaged in this run, which is not a trial of a learning rate */
    LateMean mean;
    const Model *from; /* warm-start model, or NULL */
    bool has_dual;
    double dual; /* dual value of the objective above, summed over outputs */

    double *scores; /* scores of one row */
    double *steps;  /* derivatives of the loss by the scores of one row */
    struct {
        double loss, weight; /* sums over rows */
        uint64_t support_vectors;
    } survey;
};

/* Whether no loss is allowed. */
static inline bool risk_is_hard(const Risk *risk)
{
    return isinf(risk->options->C);
}

/* The weight of a row in a mean over rows: its sample weight over the mean sample weight. */
static inline double risk_weight(const Fit *fit, const Block *block, uint32_t row, uint32_t label)
{
    double weight = fit_weight(fit, block, row, label);

    return fit->problem->rows ? weight * (double)fit->problem->rows / fit->problem->weight_total
                              : weight;
}

/* Returns whether a row has a label (regression: a target). Sets its value. */
static inline bool risk_row(const Fit *fit, const Block *block, uint32_t row, uint32_t *label,
                            double *target)
{
    *label = UNLABELED;
    *target = 0;
    if (fit->task == CLEAVE_TASK_REGRESSION) {
        *target = fit_target(fit, block, row);
        return !isnan(*target);
    }
    *label = block_label(block, row);
    return *label < fit->classes;
}

/* Target of an output for a row. */
static inline double risk_y(const Fit *fit, uint32_t label, double target, size_t output)
{
    return fit->task == CLEAVE_TASK_REGRESSION ? target : fit_sign(fit, label, output);
}

/* Joint loss: of the right score minus the highest wrong score; softmax for the logistic loss.
 * slopes (may be NULL) receives the derivative by each score. */
static inline double risk_joint_loss(Loss loss, const double *scores, size_t outputs,
                                     uint32_t label, double *slopes)
{
    size_t wrong = highest_wrong(scores, outputs, label);
    double highest = fmax(scores[wrong], scores[label]), sum = 0, slope;

    if (loss.kind != LOSS_LOGISTIC) {
        slope = loss_slope(loss, 1, scores[label] - scores[wrong]);
        if (slopes) {
            memset(slopes, 0, outputs * sizeof *slopes);
            slopes[label] = slope;
            slopes[wrong] = -slope;
        }
        return loss_value(loss, 1, scores[label] - scores[wrong]);
    }
    for (size_t i = 0; i < outputs; i++)
        sum += exp(scores[i] - highest);
    for (size_t i = 0; i < outputs && slopes; i++)
        slopes[i] = exp(scores[i] - highest) / sum - (i == label);
    return log(sum) + highest - scores[label];
}

/* Fingerprint of the problem, for solvers that store the state of a run; see model/state.h. */
Status clv_risk_fingerprint(const Fit *fit, const Risk *risk, Dataset *dataset,
                            uint64_t *fingerprint);

/* Adds the statistics of a row with this score; requires one output. */
void clv_risk_add_row(Risk *risk, double weight, double y, double score);

/* λ times the penalty of scale * w, including penalized intercepts. */
double clv_risk_penalty(const Risk *risk, const Linear *w, double scale);
/* The same penalty for a model, which may have averaged weights. */
double clv_risk_model_penalty(const Fit *fit, const Model *model);

/* Loss of a row over all outputs at these scores, without its sample weight. */
double clv_risk_row_loss(const Fit *fit, const Risk *risk, const double *scores, uint32_t label,
                         double target);

/* Multiplies the scale into the weights. */
void clv_risk_flush_scale(Risk *risk);
#define LEAST_SCALE 1e-12 /* below this scale, the scale is multiplied into the weights */

/* Writes the derivatives of the loss by risk->scores into risk->steps. Returns whether one is
 * not 0. */
static inline bool risk_steps(const Fit *fit, const Risk *risk, uint32_t label, double target,
                              double *loss)
{
    double *steps = risk->steps;
    bool any = false;

    *loss = 0;
    if (fit->outputs > 1 && risk->options->multiclass == MULTICLASS_JOINT) {
        *loss = risk_joint_loss(risk->loss, risk->scores, fit->outputs, label, steps);
        for (size_t i = 0; i < fit->outputs; i++)
            any |= steps[i] != 0;
        return any;
    }
    for (size_t i = 0; i < fit->outputs; i++) {
        double y = risk_y(fit, label, target, i);

        *loss += loss_value(risk->loss, y, risk->scores[i]);
        steps[i] = loss_slope(risk->loss, y, risk->scores[i]);
        any |= steps[i] != 0;
    }
    return any;
}

/* give and take of a solver whose workers train locally: averages weights, intercepts and
 * averaged weights. */
Status clv_risk_give_average(const Fit *fit, const Risk *risk, const Risk *start, double rows,
                             Delta *delta);
Status clv_risk_take_average(Fit *fit, Risk *risk, double rows, const Delta *sum);

/* Functions for a method's descriptor. losses lists the kinds in the order of the method's
 * names. */
Status clv_risk_check(void *options, const LossKind *losses, cleave_error *error);
Status clv_risk_choose(Fit *fit, void *options, const LossKind *losses);
bool clv_risk_prefers_fit(const void *options);
uint32_t clv_risk_default_epochs(const void *options);
EpochKind clv_risk_epoch_kind(const void *options);
Status clv_risk_begin(Fit *fit, const LossKind *losses);
Status clv_risk_resume(Fit *fit, const Model *model);
Status clv_risk_sample(Fit *fit, const Block *rows);
Status clv_risk_step(Fit *fit, const Block *block);
Status clv_risk_end_epoch(Fit *fit, bool *clean);
Status clv_risk_fit(Fit *fit, Dataset *dataset);
Status clv_risk_end(Fit *fit, Model *model);
void clv_risk_free(Fit *fit);
Status clv_risk_check_model(const Model *model, const void *options, cleave_error *error);
double clv_risk_loss(const Model *model, const double *scores, uint32_t label, double target);
Status clv_risk_copy_state(Fit *to, const Fit *from);
void clv_risk_set_rate_factor(Fit *fit, double factor);

/* Defines the functions check, choose and begin of a method with these losses. */
#define RISK_FUNCTIONS(kinds)                                                                      \
    static Status check(void *options, cleave_error *error)                                        \
    {                                                                                              \
        return clv_risk_check(options, kinds, error);                                              \
    }                                                                                              \
    static Status choose(Fit *fit, void *options)                                                  \
    {                                                                                              \
        return clv_risk_choose(fit, options, kinds);                                               \
    }                                                                                              \
    static Status begin(Fit *fit)                                                                  \
    {                                                                                              \
        return clv_risk_begin(fit, kinds);                                                         \
    }

/* The capabilities shared by these methods. */
extern const MethodInference clv_risk_inference;
extern const MethodOnline clv_risk_online;
extern const MethodDistributed clv_risk_distributed;
extern const MethodInspection clv_risk_inspection;

/* clang-format off */
/* Members of a descriptor, and of its training table, that are the same for all these methods. */
#define RISK_METHOD                                                                                \
    .traits = CLEAVE_TRAIT_SPARSE | CLEAVE_TRAIT_ONLINE | CLEAVE_TRAIT_MERGEABLE |                 \
              CLEAVE_TRAIT_WIDE | CLEAVE_TRAIT_DETERMINISTIC,                                      \
    .behavior = METHOD_LINEAR | METHOD_RECORDS_MOMENTS,                                            \
    .options_size = sizeof(RiskOptions), .state_size = sizeof(Risk), .training = &training,        \
    .online = &clv_risk_online, .distributed = &clv_risk_distributed,                              \
    .inspection = &clv_risk_inspection

#define RISK_TRAINING                                                                              \
    .default_epochs = clv_risk_default_epochs, .epoch_kind = clv_risk_epoch_kind, .resume = clv_risk_resume,           \
    .sample = clv_risk_sample, .step = clv_risk_step, .end_epoch = clv_risk_end_epoch,             \
    .fit = clv_risk_fit, .prefers_fit = clv_risk_prefers_fit, .copy_state = clv_risk_copy_state,   \
    .set_rate_factor = clv_risk_set_rate_factor, .penalty = clv_risk_model_penalty,                \
    .end = clv_risk_end, .free = clv_risk_free
/* clang-format on */

#endif
