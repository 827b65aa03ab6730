/*
 * Support-vector regression with the ε-insensitive loss (Drucker et al. 1997):
 *
 *     minimize  λ/2 ‖w‖² + mean max(0, |y − (w·x + b)| − ε)
 *
 * --loss squared-epsilon squares the loss. --loss squared, ½ (y − s)², is ridge regression by the
 * same solvers, for data too large for least-squares.
 */
#include "learn/linear/risk.h"

static const char *const losses[] = {"epsilon", "squared-epsilon", "squared", NULL};
static const LossKind kinds[] = {LOSS_EPSILON, LOSS_SQUARED_EPSILON, LOSS_SQUARED};

static const Param params[] = {
    RISK_PARAMS(RiskOptions, losses),
    REAL(RiskOptions, epsilon, 0.1, AT_LEAST(0), "Half-width of the epsilon-insensitive tube.",
         TUNE_LOG(1e-3, 10), WHEN("loss=epsilon|squared-epsilon")),
    END_OF_PARAMS,
};

RISK_FUNCTIONS(kinds)

static const MethodTraining training = {.choose = choose, .begin = begin, RISK_TRAINING};

const Method clv_method_svr = {
    .name = "svr",
    .title = "Support vector regression (epsilon-insensitive loss).",
    .objective = "lambda/2 |w|^2 + mean max(0, |y - (w.x + b)| - epsilon), lambda = 1/(n C)",
    .reference = "Drucker et al. 1997; solver: Ho and Lin 2012",
    .tasks = CLEAVE_TASK_REGRESSION,
    .params = params,
    .check_options = check,
    .inference = &clv_risk_inference,
    RISK_METHOD,
};
