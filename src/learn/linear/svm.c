/*
 * Support-vector machine: the hyperplane with the widest margin between two classes, with a loss
 * for rows inside the margin (Cortes and Vapnik 1995).
 *
 *     minimize  ½‖w‖² + C Σ max(0, 1 − yᵢ(w·xᵢ + b))
 *
 * This is equivalent to λ/2 ‖w‖² + mean hinge loss with λ = 1/(nC). The margin is 1/‖w‖. The rows
 * with y·score ≤ 1 are the support vectors; the solution depends on no other row. b is not
 * regularized unless --regularize-intercept. Solvers: see risk.h and the file of each.
 */
#include "learn/linear/risk.h"

static const char *const losses[] = {"hinge", "squared-hinge", NULL};
static const LossKind kinds[] = {LOSS_HINGE, LOSS_SQUARED_HINGE};

static const Param params[] = {
    RISK_PARAMS(RiskOptions, losses),
    END_OF_PARAMS,
};

RISK_FUNCTIONS(kinds)

static const MethodTraining training = {.choose = choose, .begin = begin, RISK_TRAINING};

const Method clv_method_svm = {
    .name = "svm",
    .title = "Linear support vector machine.",
    .objective = "lambda/2 |w|^2 + mean max(0, 1 - y (w.x + b)), lambda = 1/(n C)",
    .reference = "Cortes and Vapnik 1995; solvers: Bottou 2010, Xu 2011, Shalev-Shwartz et al. "
                 "2007, Hsieh et al. 2008",
    .tasks = CLEAVE_TASK_BINARY | CLEAVE_TASK_MULTICLASS,
    .params = params,
    .check_options = check,
    .inference = &clv_risk_inference,
    RISK_METHOD,
};
