/*
 * The kernel SVM, for the files that solve it: over functions f(x) = Σ β_i K(x_i, x) and an offset
 * b,
 *
 *     λ/2 ‖f‖²  +  (1/W) Σ c_i max(0, 1 − y_i (f(x_i) + b))        W = Σ c_i,  λ = 1/(W C)
 *
 * b is free. β_i is y_i α_i of the dual; ‖f‖² = Σ β_i f(x_i). More than two classes: one problem
 * for each against the rest.
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
    int64_t fourier_features; /* of SOLVER_FOURIER */
} SvmOptions;

typedef struct {
    const SvmOptions *options;
    double C, lambda, weight_total;
    bool hard; /* C is infinite, lambda 0 */
    Kernel kernel;
    Points points;
    uint32_t count;
    size_t outputs;
    uint32_t *label;
    uint64_t *row;  /* in the training data */
    double *weight; /* of the rows */
    View whole;
    Evaluator evaluator;
    Cache cache;

    /* The solution so far: scale times beta and score, [output * count + row]; score is f(x_row),
     * without b. */
    double *beta, *score, scale;
    double *bias;
    bool *solved; /* by output: beta and score are optimal to the tolerance */
    bool has_dual;

    const Model *from; /* that training goes on from; NULL: it does not */
    double steps;      /* sgd, pegasos: t */
    double before;     /* the same: primal of the round before */
    Dataset *dataset;
    uint64_t print; /* of the problem; 0: not taken yet */
    double *numbers;
    Arena memory; /* of beta, score, bias, solved and numbers */

    Fourier fourier;
    double loss_sum, loss_weight; /* gathered by survey */
} Svm;

/* Each leaves beta, score, scale and bias so that a model can be made when a round is over. */
Status clv_smo_fit(Fit *fit, Svm *svm);
Status clv_stochastic_fit(Fit *fit, Svm *svm);
double clv_stochastic_scale(const Svm *svm); /* that goes with svm->steps */

/* svm_start.c: beta and all that goes with it, from the model that training goes on from, if it
 * does; and what a run that was ended before its end needs to go on, into a model. */
Status clv_svm_start(const Fit *fit, Svm *svm);
Status clv_svm_print(const Fit *fit, Svm *svm);
Status clv_svm_save(const Fit *fit, Svm *svm, Model *model);

/* What the solution is worth. */
typedef struct {
    double primal, dual; /* of the objective above, summed over outputs; hard margin: of ½‖f‖² */
    double norm2, loss;  /* ‖f‖² of all outputs; hinge losses, weighted, summed */
    uint64_t errors;
    uint64_t support; /* rows with y·score ≤ 1 + 1e-3 for some output */
    uint64_t kept;    /* rows with a β that is not 0 */
} Worth;
void clv_svm_judge(const Fit *fit, const Svm *svm, Worth *worth);

#endif
