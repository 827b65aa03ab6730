/*
 * Kernel functions: inner products of rows in a feature space.
 *
 *     linear        x·z
 *     polynomial    (γ x·z + coef0)^degree
 *     gaussian      e^(−γ |x − z|²)         γ = 1/σ²; σ is √2 times the standard deviation
 *
 * |x − z|² is computed as |x|² + |z|² − 2 x·z, in double; the value is a float.
 */
#ifndef LEARN_KERNEL_KERNEL_FUNCTION_H
#define LEARN_KERNEL_KERNEL_FUNCTION_H

#include "base/param.h"
#include "learn/kernel/kernel_points.h"
#include "model/model.h"

typedef enum { KERNEL_GAUSSIAN, KERNEL_POLYNOMIAL, KERNEL_LINEAR } KernelKind;

/* The first member of each method's options. */
typedef struct {
    int kernel; /* KernelKind */
    double gamma, sigma;
    int64_t degree;
    double coef0;
} KernelOptions;

extern const char *const clv_kernel_names[];

/* clang-format off */
#define KERNEL_DEGREE 3
#define KERNEL_COEF0 1
#define KERNEL_PARAMS(initial_gamma, gamma_help, default_gamma)                                    \
    NAME(KernelOptions, kernel, KERNEL_GAUSSIAN, clv_kernel_names, "Kernel function: Gaussian, polynomial or linear.\n" \
         "gaussian: exp(-gamma |x-z|^2). polynomial: (gamma x.z + coef0)^degree. linear: x.z.", TUNE_ALL),             \
    REAL(KernelOptions, gamma, initial_gamma, AT_LEAST(0), gamma_help, DEFAULT(default_gamma), TUNE_LOG(1e-4, 10), \
         WHEN("kernel=gaussian|polynomial,sigma=0")),                                              \
    REAL(KernelOptions, sigma, 0, AT_LEAST(0), "Width of the Gaussian kernel, gamma = 1 / sigma^2.", DEFAULT("from --gamma")), \
    INTEGER(KernelOptions, degree, KERNEL_DEGREE, WITHIN(1, 64), "Degree of the polynomial kernel.", TUNE_LINEAR(2, 5),            \
            WHEN("kernel=polynomial")),                                                            \
    REAL(KernelOptions, coef0, KERNEL_COEF0, ANY, "Constant of the polynomial kernel.")
/* clang-format on */

typedef struct {
    KernelKind kind;
    double gamma, coef0;
    uint32_t degree;
} Kernel;

/* default_gamma is used if the options do not set gamma. */
Kernel clv_kernel_of(const KernelOptions *options, double default_gamma);
/* 1 / (sum of the column variances) = 1 / (mean squared distance of a row from the mean row). */
Status clv_kernel_default_gamma(const KernelPoints *points, double *gamma, cleave_error *error);
Status clv_kernel_to_model(const Kernel *kernel, Model *model, cleave_error *error);
bool clv_kernel_same(const Kernel *a, const Kernel *b);
/* Refuses options of another kernel, and a sigma for which 1 / sigma^2 is not a valid gamma. */
Status clv_kernel_check(const KernelOptions *options, cleave_error *error);
bool clv_kernel_from_model(const Model *model, Kernel *kernel);

/* Scratch space for evaluating rows against views. */
typedef struct {
    Context *context;
    Kernel kernel;
    const Loops *loops;
    uint32_t features;
    float *spread;   /* one row unpacked over all columns; all 0 between uses */
    uint64_t *words; /* one row as bits */
    size_t spread_capacity, word_capacity;
} Evaluator;

Status clv_evaluator_init(Evaluator *evaluator, Context *context, Kernel kernel, uint32_t features,
                          cleave_error *error);
/* Reserves memory for more columns. */
Status clv_evaluator_reserve(Evaluator *evaluator, uint32_t features, cleave_error *error);
void clv_evaluator_free(Evaluator *evaluator);
/* Computes out[k] = K(row, point k of the view). */
void clv_evaluate(Evaluator *evaluator, const View *view, KernelRow row, float *out);
/* K(x, x) for a row of this squared norm. */
double clv_kernel_self(const Kernel *kernel, double norm2);
/* Fails if K(x, x) of a row is too large for floats; `most` is the limit of the caller's sums. */
Status clv_kernel_check_row(double self, double most, uint64_t row, cleave_error *error);
/* Fails if all kernel values are close to 0; widest is the largest K(x, x). */
Status clv_kernel_check_widest(double widest, cleave_error *error);

#endif
