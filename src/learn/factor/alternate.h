/*
 * Alternating least squares (Zhou et al. 2008; implicit: Hu, Koren and Volinsky 2008), and
 * coordinate descent element by element.
 *
 * The vector of a user minimizes its part of the objective while the items are fixed:
 *
 *     explicit   sum over its ratings of w ((r - p . q)^2 + lambda |p|^2)
 *     implicit   sum over all items of c (s - p . q)^2, plus the same penalty, where s is 1 and
 *                c = 1 + alpha r for the items with r > 0; otherwise s is 0 and c is 1
 *
 * The bias of the user is one more factor, whose counterpart is 1.
 */
#ifndef LEARN_FACTOR_ALTERNATE_H
#define LEARN_FACTOR_ALTERNATE_H

#include "learn/factor/factors.h"

typedef struct {
    bool biases, implicit;
    double lambda, alpha;
} LeastSquares;

/* Solves for all users, then for all items. *loss is the objective; for explicit ratings, without
 * the penalty. Requires the lists of the items. */
Status clv_alternate(const Fit *fit, const Ratings *ratings, const LeastSquares *problem,
                     const Factors *factors, double *loss);

/* Minimizes over one element after another: u11, v11, u21, v12, ..., then the same for the second
 * factor. residual: scratch space, a number per rating. Requires the lists of the items. from_item:
 * the position of each of their ratings in the lists of the users. */
Status clv_elements(const Fit *fit, const Ratings *ratings, const LeastSquares *problem,
                    const Factors *factors, double *residual, const uint64_t *from_item,
                    double *loss);

#endif
