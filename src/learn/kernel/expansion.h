/*
 * The model of a kernel method: score_o(x) = Σ alpha_oi K(x_i, x) + intercept_o over the stored
 * rows x_i, which have a nonzero alpha for some output. With the linear kernel the weights Σ
 * alpha_i x_i are stored too, for interpretation and fast prediction.
 */
#ifndef LEARN_KERNEL_EXPANSION_H
#define LEARN_KERNEL_EXPANSION_H

#include "learn/kernel/kernel_function.h"
#include "model/method.h"

typedef struct {
    const KernelPoints *points;
    const Kernel *kernel;
    const double *alpha; /* [output * points->count + i], to be multiplied by scale */
    double scale;
    const double *intercept;
    size_t outputs;
    const uint64_t *row; /* training row of each point, from 0; NULL: unknown */
} Expansion;

Status clv_expansion_to_model(const Expansion *expansion, Model *model, cleave_error *error);
/* Appends the rows of a model. */
Status clv_expansion_points(const Model *model, KernelPoints *points, cleave_error *error);
bool clv_expansion_check_model(const Model *model);
/* See MethodInspection.supports. */
Status clv_expansion_supports(const Model *model, const Block *block, uint32_t row, size_t output,
                              cleave_support_vector **list, size_t *count, cleave_error *error);
/* Σ max(0, margin − y·score), over the classes in multiclass classification. */
double clv_expansion_loss(const Model *model, const double *scores, uint32_t label, double margin);
Status clv_expansion_predict(const Model *model, const Block *block, double *scores,
                             cleave_error *error);

#endif
