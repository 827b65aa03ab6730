/*
 * Random Fourier features (Rahimi and Recht 2007). With ω from a normal distribution of variance 2γ
 * and φ uniform over a full turn,
 *
 *     z(x) = √(2/D) cos(ω_k·x + φ_k), k = 1 … D            z(x)·z(z) → e^(−γ |x − z|²)
 *
 * A linear SVM on z approximates a Gaussian SVM at a cost linear in the rows. It is trained by SGD
 * with the learning rate 1/(λ(t + t0)) and an average that favors late steps (Lacoste-Julien,
 * Schmidt and Bach 2012). Only columns that occur in training have frequencies; other columns are
 * ignored.
 */
#ifndef LEARN_KERNEL_RANDOM_FEATURES_H
#define LEARN_KERNEL_RANDOM_FEATURES_H

#include "learn/kernel/kernel_function.h"
#include "model/state.h"

typedef struct {
    Arena memory;
    const Loops *loops;
    size_t size;      /* D */
    uint32_t *column; /* columns that occur, ascending */
    uint32_t columns;
    uint32_t *place;  /* per column: one more than its position in `column`; 0: absent */
    float *frequency; /* [place * D + k] */
    float *phase;
    size_t outputs;
    double *w, *mean; /* [output * D + k]; predictions use the average */
    double *intercept, *mean_intercept;
    double *angle; /* angle of one row */
    float *mapped;
    double steps;
} Fourier;

Status clv_fourier_init(Fourier *fourier, const KernelPoints *points, size_t size, double gamma,
                        uint64_t seed, size_t outputs, cleave_error *error);
void clv_fourier_free(Fourier *fourier);
/* Updates the weights with one point, whose signs are y[output]. */
void clv_fourier_learn(Fourier *fourier, KernelRow row, const double *y, double weight,
                       double lambda, double *scores);
Status clv_fourier_to_model(const Fourier *fourier, uint64_t seed, Model *model,
                            cleave_error *error);
double clv_fourier_norm2(const Fourier *fourier);
/* Warm start from a model with the same random features: the exact state if the fingerprint of
 * the rows matches, otherwise the averaged weights. The other function stores the state in a
 * model. */
Status clv_fourier_resume(Fourier *fourier, const Model *model, uint64_t fingerprint,
                          cleave_error *error);
Status clv_fourier_save(Fourier *fourier, uint64_t fingerprint, Model *model, cleave_error *error);

bool clv_fourier_in_model(const Model *model);
bool clv_fourier_check_model(const Model *model);
Status clv_fourier_predict(const Model *model, const Block *block, double *scores,
                           cleave_error *error);

#endif
