#include "learn/linear/risk.h"

static Status fit_all(Fit *fit, Risk *risk, Dataset *dataset)
{
    (void)risk;
    (void)dataset;
    return clv_fail(fit->error, CLEAVE_ERROR_INTERNAL, "newton: to be written");
}

const Solver clv_solver_newton = {.name = "newton", .losses = LOSSES_ALL, .fit = fit_all};
