/*
 * The kernel SVM problem, for its solvers: over functions f(x) = Σ β_i K(x_i, x) and an intercept
 * b, minimize
 *
 *     λ/2 ‖f‖²  +  (1/W) Σ c_i max(0, 1 − y_i (f(x_i) + b))        W = Σ c_i,  λ = 1/(W C)
 *
 * b is not regularized. β_i is y_i α_i of the dual; ‖f‖² = Σ β_i f(x_i). Multiclass: one problem
 * per class against the rest.
 */
#ifndef LEARN_KERNEL_SVM_H
#define LEARN_KERNEL_SVM_H

#include "learn/kernel/cache.h"
#include "learn/kernel/random_features.h"
#include "model/state.h"

enum { SOLVER_SMO, SOLVER_SGD, SOLVER_PEGASOS, SOLVER_FOURIER };
extern const char *const clv_svm_solvers[];
enum { SVM_NUMBERS = 3 };

typedef struct {
    KernelOptions kernel;
    double C;      /* infinity: hard margin */
    double lambda; /* 0: 1 / (W C) */
    int solver;
    double tolerance;
    double cache_mb;
    int64_t fourier_features; /* number of random features for SOLVER_FOURIER */
} SvmOptions;

typedef struct {
    const SvmOptions *options;
    double C, lambda, weight_total;
    bool hard; /* C is infinite, lambda 0 */
    Kernel kernel;
    KernelPoints points;
    uint32_t count;
    size_t outputs;
    uint32_t *label;
    uint64_t *row;  /* number of each row in the training data */
    double *weight; /* sample weights */
    View whole;
    Evaluator evaluator;
    Cache cache;

    /* The current solution: scale times beta and score, [output * count + row]; score is
     * f(x_row), without b. */
    double *beta, *score, scale;
    double *intercept;
    bool *solved; /* per output: beta and score are optimal within the tolerance */
    bool has_dual;

    const Model *from; /* warm-start model; NULL: none */
    double steps;      /* sgd, pegasos: number of steps t */
    double before;     /* sgd, pegasos: primal of the previous epoch */
    Dataset *dataset;
    uint64_t fingerprint; /* fingerprint of the problem; 0: not computed yet */
    double *numbers;
    Arena memory; /* memory of beta, score, intercept, solved and numbers */

    Fourier fourier;
    double loss_sum, loss_weight; /* computed by survey */
} Svm;

/* Solvers. After every epoch, each leaves beta, score, scale and intercept in a state that can be
 * stored as a model. */
Status clv_smo_fit(Fit *fit, Svm *svm);
Status clv_stochastic_fit(Fit *fit, Svm *svm);
double clv_stochastic_scale(const Svm *svm); /* the scale after svm->steps steps */

/* svm_start.c: sets beta and dependent values from the warm-start model, if any; stores the
 * state of an interrupted run in a model. */
Status clv_svm_start(const Fit *fit, Svm *svm);
Status clv_svm_fingerprint(const Fit *fit, Svm *svm);
Status clv_svm_save(const Fit *fit, Svm *svm, Model *model);

/* Evaluation of the solution. */
typedef struct {
    double primal, dual; /* values of the objective above, summed over outputs; hard margin: of
                          * ½‖f‖² */
    double norm2, loss;  /* ‖f‖² of all outputs; weighted sum of hinge losses */
    uint64_t errors;
    uint64_t support; /* rows with y·score ≤ 1 + 1e-3 for some output */
    uint64_t kept;    /* rows with a nonzero β */
} SvmEvaluation;
void clv_svm_evaluate(const Fit *fit, const Svm *svm, SvmEvaluation *value);

#endif
