/*
 * The first learning rate of stochastic gradient descent.
 *
 * The best of a series of doubled and halved rates is the one with the lowest objective after an
 * epoch over a sample, the first rows of the data (Bottou 2010). If all rows of the sample have the
 * same target, trials are not informative, and the rate is 1 / mean |x|^2.
 */
#include "learn/linear/sgd.h"

void clv_sgd_set_first_rate(Risk *risk, double rate)
{
    Sgd *sgd = risk->own;

    sgd->run.first_rate = rate;
    sgd->run.t0 = risk->averages ? 0 : 1 / (risk->lambda * rate);
}

static bool all_zero(const Linear *w)
{
    size_t count = (size_t)w->features * w->outputs;

    for (size_t i = 0, end; i < count;)
        for (end = next_weights(w->context, i, count); i < end; i++)
            if (w->w[i] != 0)
                return false;
    for (size_t i = 0; i < w->outputs; i++)
        if (w->intercept[i] != 0)
            return false;
    return true;
}

/* The objective on the sample after one epoch over it. */
static double evaluate_sample(Fit *fit, Risk *risk, const Block *sample)
{
    double loss = 0;
    uint32_t seen = 0;
    uint64_t done = 0;

    for (int evaluates = 0; evaluates < 2; evaluates++)
        for (uint32_t row = 0; row < sample->rows; row++) {
            uint32_t label;
            double target;
            bool moved;

            if (clv_tick_after(fit->context, &done,
                               (2 * block_row_entries(sample, row) + 16) * fit->outputs) &&
                !fit->problem->collective)
                return (double)INFINITY;
            if (!risk_row(fit, sample, row, &label, &target))
                continue;
            if (!evaluates) {
                clv_sgd_learn(fit, risk, clv_sgd_rate(fit, risk), sample, row, label, target,
                              &moved);
                continue;
            }
            clv_sgd_score(risk, sample, row, risk->scores);
            loss += risk_weight(fit, sample, row, label) *
                    clv_risk_row_loss(fit, risk, risk->scores, label, target);
            seen++;
        }
    loss = seen ? loss / seen + clv_risk_penalty(risk, &risk->w, risk->scale) : 0;
    return isfinite(loss) && clv_linear_finite(&risk->w) ? loss : (double)INFINITY;
}

/* The objective on the sample after one epoch from the present weights, which are restored
 * afterwards. Weights that are all 0 (in_place) need no copy, which saves memory. */
static Status try_rate(Fit *fit, Risk *risk, const Block *sample, double rate, bool in_place,
                       double *objective)
{
    Sgd *sgd = risk->own, kept = *sgd;
    Linear before = risk->w, copy = {0};
    double scale = risk->scale, factor = risk->factor[0];
    bool averaging = risk->averaging;
    double *squares = clv_alloc_zero(fit->context, fit->outputs, sizeof *squares);
    Status status = squares ? OK
                            : clv_fail_memory(fit->error, "steps", fit->outputs * sizeof *squares);

    if (status == OK && !in_place)
        status = clv_linear_init(&copy, fit->context, before.features, before.outputs, fit->error);
    if (status == OK) {
        if (!in_place) {
            memcpy(copy.w, before.w, (size_t)before.features * before.outputs * sizeof *copy.w);
            memcpy(copy.intercept, before.intercept, before.outputs * sizeof *copy.intercept);
            risk->w = copy;
        }
        sgd->intercept_squares = squares;
        risk->averaging = false;
        sgd->shrinkage = NULL; /* L1 has little effect on the best first rate */
        clv_sgd_set_first_rate(risk, rate);
        *objective = evaluate_sample(fit, risk, sample);
        if (in_place) {
            clv_clear(risk->w.context, risk->w.w,
                      (size_t)risk->w.features * risk->w.outputs * sizeof *risk->w.w);
            memset(risk->w.intercept, 0, risk->w.outputs * sizeof *risk->w.intercept);
        }
        if (fit_cancelled(fit))
            status = clv_fail(fit->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    clv_linear_free(&copy);
    clv_free(fit->context, squares);
    risk->w = before;
    risk->averaging = averaging;
    risk->scale = scale;
    for (size_t i = 0; i < before.outputs; i++)
        risk->factor[i] = factor;
    *sgd = kept;
    return status;
}

/* Whether all rows have the same target. The intercept alone predicts it, so the best learning rate
 * of such a sample is not informative for later rows. */
static bool one_target(const Fit *fit, const Block *rows)
{
    uint32_t label, first_label = UNLABELED;
    double target, first = 0;
    bool any = false;

    for (uint32_t row = 0; row < rows->rows; row++) {
        if (!risk_row(fit, rows, row, &label, &target))
            continue;
        if (any && (fit->classes ? label != first_label : target != first))
            return false;
        any = true;
        first_label = label;
        first = target;
    }
    return true;
}

/* Weighted mean of |x|^2. */
static double mean_square(const Fit *fit, const Block *rows, double *count)
{
    double sum = 0, target;
    uint32_t label;

    *count = 0;
    for (uint32_t row = 0; row < rows->rows; row++) {
        if (!risk_row(fit, rows, row, &label, &target))
            continue;
        for (RowWalk walk = clv_walk(rows, row); clv_walk_next(&walk);)
            sum += risk_weight(fit, rows, row, label) * (double)walk.value * (double)walk.value;
        ++*count;
    }
    return *count > 0 ? sum / *count : 0;
}

/* A step at the rate 1 / |x|^2 changes a row's own score by its derivative. This rate is used where
 * trials are not informative. The rate found by trials is kept, unless all steps of the sample
 * together change a score by less than a hundredth of that. */
static double limited_rate(const Fit *fit, const Block *rows, double found, double most)
{
    const double least_move = 0.01;
    double count, square = mean_square(fit, rows, &count), safe;

    if (!(square > 0) || !isfinite(square))
        return found;
    safe = fmin(1 / square, most);
    if (one_target(fit, rows))
        return safe;
    return fit->classes && found < least_move * safe / count ? safe : found;
}

/* A step at a higher rate removes more of w than it keeps. */
static double most_rate(const Risk *risk)
{
    return risk->lambda > 0 ? 0.5 / risk->lambda : 1e30;
}

/* The best of a series of doubled and halved rates (Bottou 2010). */
static Status search_rate(Fit *fit, Risk *risk, const Block *block)
{
    double most = most_rate(risk), rate = most < 1 ? most : 1, first = rate, best = rate, least,
           objective;
    bool zero = all_zero(&risk->w);

    TRY(try_rate(fit, risk, block, rate, zero, &least));
    for (int way = 0; way < 2; way++) {
        double factor = way == 0 ? 2 : 0.5;

        for (rate = best * factor; rate > 1e-30 && rate <= most; rate *= factor) {
            TRY(try_rate(fit, risk, block, rate, zero, &objective));
            if (objective < least || (isinf(least) && factor < 1)) {
                least = objective;
                best = rate;
            } else {
                break;
            }
        }
        if (way == 0 && best > first)
            break; /* a larger learning rate was better, so smaller rates are not tried */
    }
    clv_sgd_set_first_rate(risk, limited_rate(fit, block, best, most));
    return OK;
}

/* Returns whether any row has a target. In a stream, labels may arrive late. */
static bool has_targets(const Fit *fit, const Block *rows)
{
    uint32_t label;
    double target;

    for (uint32_t row = 0; row < rows->rows; row++)
        if (risk_row(fit, rows, row, &label, &target))
            return true;
    return false;
}

/* Trials of learning rates on the solution of another solver are not informative, and a rate for
 * weights of 0 would destroy it in a few steps. The rates start at 1 / mean |x|^2 as if as many
 * rows had been seen, and fall with the square root of the number of columns, which suits any loss
 * (Nemirovski, Juditsky, Lan and Shapiro 2009). The mean is updated while it has few rows. */
void clv_sgd_continue_solved(const Fit *fit, Risk *risk, const Block *block)
{
    SgdNumbers *run = &((Sgd *)risk->own)->run;
    double rows = run->solved_rows, count, square = mean_square(fit, block, &count);

    run->squares = fmin(run->squares + square * count, 1e15);
    run->squares_rows += count;
    square = run->squares / run->squares_rows;
    clv_sgd_set_first_rate(risk,
                           fmin(square > 0 && isfinite(square) ? 1 / square : 1, most_rate(risk)));
    run->t = fmax(((risk->averages ? pow(rows, 2.0 / 3) : sqrt(rows)) - 1) /
                      (risk->lambda * run->first_rate),
                  rows) +
             run->squares_rows;
}

Status clv_sgd_find_rate(Fit *fit, Risk *risk, const Block *rows)
{
    const RiskOptions *options = risk->options;
    SgdNumbers *run = &((Sgd *)risk->own)->run;

    if (!has_targets(fit, rows))
        return OK;
    run->ready = 1;
    if (fit->trace && risk->learn_intercept && !options->regularize_intercept)
        clv_note(fit->context, "the intercept has a learning rate of its own: 0.1 / sqrt(sum of "
                               "its squared gradients)");
    if (options->learning_rate > 0) {
        clv_sgd_set_first_rate(risk, options->learning_rate);
    } else if (options->t0 > 0 && !risk->averages) {
        run->t0 = options->t0;
        run->first_rate = 1 / (risk->lambda * options->t0);
    } else if (run->solved_rows > 0) {
        clv_sgd_continue_solved(fit, risk, rows);
    } else {
        return search_rate(fit, risk, rows);
    }
    return OK;
}
