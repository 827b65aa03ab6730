/*
 * Online solvers with a learning rate per weight: adaptive and ftrl (adaptive.h). adaptive has no
 * penalty. ftrl minimizes the objective in its form of sums, ½(1 − l1)‖w‖²/C + l1 ‖w‖₁/C + Σ c
 * loss, which does not depend on the number of rows.
 */
#include "learn/linear/sgd.h"
#include "model/state.h"

typedef struct {
    Adaptive adaptive;
    double *targets; /* targets of one row, per output */
    double last_loss;
    uint32_t stalled_epochs; /* consecutive epochs with little change of the loss */
} AdaptiveSolver;

static double default_rate(const Risk *risk)
{
    if (risk->solver == &clv_solver_ftrl)
        return FTRL_RATE;
    return risk->loss.kind == LOSS_LOGISTIC ? ADAPTIVE_LOGISTIC_RATE : ADAPTIVE_RATE;
}

static double rate(const Fit *fit, const Risk *risk)
{
    (void)fit;
    return ((const AdaptiveSolver *)risk->own)->adaptive.rule.learning_rate;
}

static Status begin(Fit *fit, Risk *risk)
{
    const RiskOptions *options = risk->options;
    AdaptiveSolver *online = risk->own;
    double strength = options->lambda > 0 ? options->lambda * fit->problem->weight_total
                                          : 1 / options->C;
    AdaptiveRule rule = {
        .loss = risk->loss,
        .proximal = risk->solver == &clv_solver_ftrl,
        .learn_intercept = risk->learn_intercept,
        .regression = fit->task == CLEAVE_TASK_REGRESSION,
        .learning_rate = options->learning_rate > 0 ? options->learning_rate : default_rate(risk),
        .beta = 1,
        .l1 = options->l1_ratio * strength,
        .l2 = (1 - options->l1_ratio) * strength,
    };

    online->last_loss = INFINITY;
    TRY(ALLOC_ZERO(fit->context, online->targets, fit->outputs, "targets", fit->error));
    return clv_adaptive_begin(&online->adaptive, fit->context, &rule, fit->outputs, fit->error);
}

static Status reserve(Fit *fit, Risk *risk)
{
    return clv_adaptive_reserve(&((AdaptiveSolver *)risk->own)->adaptive, &risk->w, NULL,
                                fit->error);
}

static void free_online(Fit *fit, Risk *risk)
{
    AdaptiveSolver *online = risk->own;

    clv_adaptive_free(&online->adaptive);
    clv_free(fit->context, online->targets);
}

static Status step(Fit *fit, Risk *risk, const Block *block)
{
    AdaptiveSolver *online = risk->own;

    TRY(clv_adaptive_reserve(&online->adaptive, &risk->w, block, fit->error));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label;
        double target, weight, loss = 0;
        bool moved;

        if (!risk_row(fit, block, row, &label, &target))
            continue;
        weight = fit_weight(fit, block, row, label);
        clv_sgd_score(risk, block, row, risk->scores);
        for (size_t i = 0; i < fit->outputs; i++) {
            online->targets[i] = risk_y(fit, label, target, i);
            loss += loss_value(risk->loss, online->targets[i], risk->scores[i]);
        }
        moved = clv_adaptive_learn(&online->adaptive, &risk->w, risk->scale, block, row, weight,
                                   online->targets, risk->scores);
        fit->counters.epoch_loss += weight * loss;
        fit->counters.epoch_mistakes += moved;
        fit->counters.seen++;
        if (fit->trace)
            fit->trace(fit, block, row, risk->scores, !moved);
    }
    return isfinite(fit->counters.epoch_loss) ? OK : clv_linear_overflow(fit->error);
}

/* Sets *done when the loss has changed little for some consecutive epochs. */
static Status pass(Fit *fit, Risk *risk, bool *done)
{
    enum { STILL_EPOCHS = 3 };
    AdaptiveSolver *online = risk->own;
    double loss = fit->counters.epoch_loss, change = fabs(online->last_loss - loss) / loss;

    online->stalled_epochs = !(change > risk->options->tolerance) ? online->stalled_epochs + 1 : 0;
    online->last_loss = loss;
    *done = fit->result.plateau = online->stalled_epochs >= STILL_EPOCHS;
    if (*done)
        clv_summarize(fit,
                      "converged, relative change of the loss below %g in each of the last %d "
                      "epochs",
                      risk->options->tolerance, STILL_EPOCHS);
    else if (isfinite(change))
        clv_summarize(fit,
                      "stopped before convergence, relative change of the loss %.2g in the last "
                      "epoch",
                      change);
    else
        clv_summarize(fit, "%s", "");
    return OK;
}

static Status widen(Fit *fit, Risk *risk, const Widening *to)
{
    AdaptiveSolver *online = risk->own;

    TRY(clv_widen_doubles(fit, to, &online->targets, 1));
    return clv_adaptive_widen(fit, to, &risk->w, &online->adaptive);
}

static void forget(Risk *risk, double keep)
{
    clv_adaptive_forget(&((AdaptiveSolver *)risk->own)->adaptive, keep);
    risk->scale *= keep;
    if (risk->scale < LEAST_SCALE)
        clv_risk_flush_scale(risk);
}

static Status give(const Fit *fit, const Risk *risk, const Risk *start, double rows, Delta *delta)
{
    return clv_adaptive_give(&((const AdaptiveSolver *)risk->own)->adaptive, &risk->w,
                             &((const AdaptiveSolver *)start->own)->adaptive, &start->w, rows,
                             delta, fit->error);
}

static Status take(Fit *fit, Risk *risk, double rows, const Delta *sum)
{
    return clv_adaptive_take(&((AdaptiveSolver *)risk->own)->adaptive, &risk->w, risk->scale, rows,
                             sum, fit->error);
}

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    AdaptiveSolver *online = risk->own;
    double progress[] = {online->last_loss, online->stalled_epochs};

    TRY(clv_bundle_put(model->bundle, "adaptive_epochs", BUNDLE_F64, progress, 2, fit->error));
    return clv_adaptive_save(&online->adaptive, &risk->w, fit->last, model, fit->error);
}

static Status resume(Fit *fit, Risk *risk, const Model *model)
{
    AdaptiveSolver *online = risk->own;
    double progress[2];

    if (clv_bundle_copy(model->bundle, "adaptive_epochs", BUNDLE_F64, progress, 2)) {
        if (!(progress[0] >= 0) || !state_is_whole(progress[1], 3))
            return clv_state_nonsense(fit->error);
        online->last_loss = progress[0];
        online->stalled_epochs = (uint32_t)progress[1];
    }
    return clv_adaptive_resume(&online->adaptive, &risk->w, risk->scale, model, fit->error);
}

#define ONLINE_SOLVER                                                                              \
    .losses = LOSSES_ALL, .rates = true, .per_weight = true, .scaled = true,                       \
    .own_size = sizeof(AdaptiveSolver), .begin = begin, .reserve = reserve, .step = step,          \
    .pass = pass, .give = give, .take = take, .widen = widen, .forget = forget, .rate = rate,      \
    .save = save, .resume = resume, .free = free_online

const Solver clv_solver_adaptive = {.name = "adaptive", ONLINE_SOLVER};
const Solver clv_solver_ftrl = {.name = "ftrl", .l1 = true, ONLINE_SOLVER};
