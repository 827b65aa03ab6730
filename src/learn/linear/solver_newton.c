/*
 * Truncated Newton: each step solves H d = −g inexactly by preconditioned conjugate gradients
 * without forming H (Lin, Weng and Keerthi 2008; preconditioner after Hsia, Wei and Lin 2018).
 *
 * A product H p computes X p, and d is a sum of such p. Hence X d, the change of all scores, is
 * known, and the optimal step along d with its intercept is found from the scores alone, without a
 * pass over the data (after Galli and Lin 2021, who use a line search instead of a trust region). A
 * step costs one pass per product and half a pass for the new gradient.
 *
 * p is stored as float, which makes products cheap. All other values are computed in double from
 * the rounded p, so that only conjugacy suffers slightly. With many rows, the start comes from dual
 * ascent (dual_start.c) for the logistic loss, otherwise from a run on a sample. Outputs are solved
 * together in the same passes, each with its own steps.
 *
 * An interrupted run stores w, the gradient, and the scores and second derivatives of the rows in
 * the model, in double, because the accumulated scores cannot be recomputed bit-identically.
 */
#include "learn/linear/batch.h"

#define FORCING 0.3 /* relative residual at which conjugate gradients stop */
enum { MOST_PRODUCTS = 250, MOST_TRIES = 12, KEPT_NUMBERS = 4 };
/* The run on a sample: fraction of the data, minimum number of rows, and accuracy. */
enum { SAMPLE_EVERY = 16, SAMPLE_LEAST = 100000 };
#define SAMPLE_TOLERANCE 0.003 /* accuracy, as a fraction of the objective */
/* Dual ascent: minimum number of rows, and accuracy. */
enum { DUAL_LEAST = 2000 };
/* dual ascent ends if an iteration decreases the objective by less than this multiple of the
 * tolerance */
#define DUAL_SHARE 10

/* A point (w + t d, b + offset) of one output: the objective and its derivatives. */
typedef struct {
    double t, offset;
    double value;
    double by_t, by_offset, by_tt, by_to, by_oo;
} Place;

/* State of one output. */
typedef struct {
    bool solving;         /* takes part in the products of this step */
    bool searching;       /* takes part in the line search that follows */
    double penalty, loss; /* values at w */
    /* conjugate gradients: current and first residual in the preconditioner's norm */
    double rs, first_rs;
    double offset; /* intercept that belongs to p, if unregularized */
    double fall;   /* decrease of the objective by the last step */
    /* products of w, d and the gradient; the first two over penalized weights */
    double wd, dd, gd;
    Place best, trial;
} NewtonOutput;

typedef struct {
    Batch *batch;
    double *w, *g, *d, *r, *sum, *scale, *squares;
    double *h;    /* column of the Hessian for the unregularized intercepts */
    double *wide; /* p in double */
    float *p;     /* p in float */
    /* per row and output: X w + b, X d, X p; derivatives of the losses */
    double *scores, *moves, *q, *slope, *curvature;
    double *numbers, *more; /* products by output */
    NewtonOutput *output;
} Newton;

/* Allocates the state; the batch owns the memory. */
static Status open_newton(Newton *newton, Batch *batch, double *w)
{
    double **vectors[] = {&newton->g,     &newton->d,    &newton->r,       &newton->sum,
                          &newton->scale, &newton->wide, &newton->squares, &newton->h};
    double **by_row[] = {&newton->scores, &newton->moves, &newton->q, &newton->slope,
                         &newton->curvature};

    *newton = (Newton){.batch = batch, .w = w};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        TRY(clv_batch_vectors(batch, &batch->memory, 1, vectors[i]));
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        TRY(clv_batch_per_row(batch, &batch->memory, by_row[i]));
    newton->p = clv_arena_zero(&batch->memory, batch->size, sizeof *newton->p);
    newton->numbers = clv_arena_zero(&batch->memory, batch->outputs, sizeof *newton->numbers);
    newton->more = clv_arena_zero(&batch->memory, batch->outputs, sizeof *newton->more);
    newton->output = clv_arena_zero(&batch->memory, batch->outputs, sizeof *newton->output);
    return batch->memory.status;
}

/* ---- the search along d ---------------------------------------------------------------------- */

/* Values and derivatives at all trial points, and derivatives of the rows there, computed from
 * the scores. */
static Status look_at_trials(Newton *newton)
{
    Batch *batch = newton->batch;
    uint64_t done = 0;
    bool regression = batch->fit->task == CLEAVE_TASK_REGRESSION;
    size_t outputs = batch->outputs;

    memset(batch->sums, 0, outputs * sizeof *batch->sums);
    for (size_t k = 0; k < outputs; k++)
        newton->output[k].trial = (Place){.t = newton->output[k].trial.t,
                                          .offset = newton->output[k].trial.offset};
    for (uint64_t i = 0; i < batch->rows; i++) {
        double share = batch->share[i];

        for (size_t k = 0; k < outputs && share > 0; k++) {
            size_t at = i * outputs + k;
            Place *place = &newton->output[k].trial;
            double y = batch_y(batch, i, k), move = newton->moves[at];
            double score = newton->scores[at] + place->t * move + place->offset;
            LossAt loss = loss_at(batch->risk->loss, y, score);

            sums_add(&batch->sums[k], share, y, score, loss, regression);
            newton->slope[at] = loss.slope;
            newton->curvature[at] = loss.curvature;
            place->by_t += share * loss.slope * move;
            place->by_offset += share * loss.slope;
            place->by_tt += share * loss.curvature * move * move;
            place->by_to += share * loss.curvature * move;
            place->by_oo += share * loss.curvature;
        }
        TRY(fit_poll(batch->fit, &done, LOSS_UNITS * outputs));
    }
    for (size_t k = 0; k < outputs; k++) {
        const NewtonOutput *output = &newton->output[k];
        Place *place = &newton->output[k].trial;
        double t = place->t;

        place->value = batch->sums[k].loss + output->penalty +
                       batch->l2 * (t * output->wd + t * t / 2 * output->dd);
        place->by_t += batch->l2 * (output->wd + t * output->dd);
        place->by_tt += batch->l2 * output->dd;
    }
    return OK;
}

/* Whether a value is lower, or equal within rounding with a smaller slope. */
static bool better(const Place *place, const Place *than)
{
    if (place->value < than->value)
        return true;
    return place->value <= than->value + 1e-12 * fabs(than->value) &&
           fabs(place->by_t) < fabs(than->by_t);
}

/* Newton's step in t and the unregularized intercept, from the best point so far. */
static void step_in_plane(const Batch *batch, NewtonOutput *output)
{
    const Place *from = &output->best;
    Place *to = &output->trial;
    double determinant = from->by_tt * from->by_oo - from->by_to * from->by_to;

    *to = *from;
    if (batch->free_intercept && determinant > 1e-12 * from->by_tt * from->by_oo) {
        to->t -= (from->by_oo * from->by_t - from->by_to * from->by_offset) / determinant;
        to->offset -= (from->by_tt * from->by_offset - from->by_to * from->by_t) / determinant;
    } else if (batch->free_intercept) {
        to->offset -= from->by_oo > 0 ? from->by_offset / from->by_oo : 0;
    } else if (from->by_tt > 0) {
        to->t -= from->by_t / from->by_tt;
    }
}

/* Whether the point is accurate enough: the slope is small, and the intercept is optimal. */
static bool settled(const Batch *batch, size_t k, const NewtonOutput *output)
{
    const LossSums *sums = &batch->sums[k];

    return fabs(output->best.by_t) <= 0.1 * fabs(output->gd) &&
           (!batch->free_intercept ||
            fabs(output->best.by_offset) <= 1e-7 * (sums->up + sums->down));
}

/* Chooses t and the intercept of each output; t = 0 if no lower value is found. The derivatives
 * of the rows are those at the chosen point. */
static Status search(Newton *newton)
{
    Batch *batch = newton->batch;
    size_t open = 0;

    for (size_t k = 0; k < batch->outputs; k++) {
        NewtonOutput *output = &newton->output[k];
        double slope_of_offset = newton->g[batch->size - batch->outputs + k];

        output->best = (Place){.value = output->penalty + output->loss,
                               .by_t = output->gd,
                               .by_offset = slope_of_offset};
        output->trial = (Place){.t = batch->standing[k].done ? 0 : 1};
        output->searching = !batch->standing[k].done;
        open += output->searching;
    }
    for (int tries = 0; tries < MOST_TRIES && open > 0; tries++) {
        TRY(look_at_trials(newton));
        open = 0;
        for (size_t k = 0; k < batch->outputs; k++) {
            NewtonOutput *output = &newton->output[k];

            if (!output->searching)
                continue;
            if (better(&output->trial, &output->best)) {
                output->best = output->trial;
                output->searching = !settled(batch, k, output);
                if (output->searching)
                    step_in_plane(batch, output);
            } else { /* half of the interval */
                output->trial.t = (output->trial.t + output->best.t) / 2;
                output->trial.offset = (output->trial.offset + output->best.offset) / 2;
            }
            open += output->searching;
        }
    }
    for (size_t k = 0; k < batch->outputs; k++)
        newton->output[k].trial = newton->output[k].best;
    return open > 0 ? look_at_trials(newton) : OK;
}

/* ---- conjugate gradients --------------------------------------------------------------------- */

/* The inverse of the Hessian's diagonal, with equal second derivatives for all rows. */
static void make_scale(Newton *newton)
{
    const Batch *batch = newton->batch;
    size_t outputs = batch->outputs, features = batch->risk->w.features;
    double *last = newton->scale + features * outputs;
    uint64_t done = 0;

    for (size_t j = 0; j < features; j++, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            newton->scale[j * outputs + k] = 1 / (batch->l2 + newton->output[k].trial.by_oo *
                                                                  newton->squares[j]);
    for (size_t k = 0; k < outputs; k++)
        last[k] = 1 / (batch->l2 + newton->output[k].trial.by_oo);
}

/* Sets numbers[k] to the squared preconditioned norm of the residual of output k. */
static void measure_residuals(Newton *newton)
{
    const Batch *batch = newton->batch;
    size_t outputs = batch->outputs;
    uint64_t done = 0;

    memset(newton->numbers, 0, outputs * sizeof *newton->numbers);
    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            newton->numbers[k] += newton->r[i + k] * newton->r[i + k] * newton->scale[i + k];
}

/* Computes p = scaled residual + factor p, rounded to float; 0 for an output that is solved. */
static void turn(Newton *newton, const double *factor)
{
    const Batch *batch = newton->batch;
    size_t outputs = batch->outputs;
    uint64_t done = 0;

    for (size_t i = 0; i < batch->size; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++) {
            double to = newton->r[i + k] * newton->scale[i + k] + factor[k] * newton->wide[i + k];

            newton->p[i + k] = newton->output[k].solving ? (float)to : 0;
            newton->wide[i + k] = (double)newton->p[i + k];
        }
}

/* Computes d += factor p, with the intercept of p, and X d likewise. */
static void extend(Newton *newton, const double *factor)
{
    const Batch *batch = newton->batch;
    size_t outputs = batch->outputs;
    double *offset = newton->d + batch->size - outputs;
    uint64_t done = 0;

    clv_columns_add(batch, factor, newton->wide, newton->d);
    for (size_t k = 0; k < outputs; k++)
        offset[k] += factor[k] * newton->output[k].offset;
    for (uint64_t i = 0; i < batch->rows; i++, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            newton->moves[i * outputs + k] += factor[k] * (newton->q[i * outputs + k] +
                                                           newton->output[k].offset);
}

/* Optimizes an unregularized intercept for every p: the product becomes that with the Schur
 * complement of H. Otherwise the intercept and the mean of the rows, which are nearly parallel,
 * reverse each other's steps. */
static void follow(Newton *newton)
{
    const Batch *batch = newton->batch;
    size_t last = batch->size - batch->outputs;

    for (size_t k = 0; k < batch->outputs; k++) {
        bool follows = batch->free_intercept && newton->h[last + k] > 0;

        newton->output[k].offset = follows ? -newton->sum[last + k] / newton->h[last + k] : 0;
        newton->numbers[k] = newton->output[k].offset;
    }
    if (batch->free_intercept)
        clv_columns_add(batch, newton->numbers, newton->h, newton->sum);
}

/* Starts with d = 0, except for optimal unregularized intercepts, and computes the residual. */
static void begin_direction(Newton *newton)
{
    const Batch *batch = newton->batch;
    size_t outputs = batch->outputs, last = batch->size - outputs;
    uint64_t done = 0;

    memset(newton->d, 0, batch->size * sizeof *newton->d);
    for (size_t i = 0; i < batch->size; i++)
        newton->r[i] = -newton->g[i];
    for (size_t k = 0; k < outputs; k++) {
        bool moves = batch->free_intercept && newton->h[last + k] > 0;

        newton->d[last + k] = moves ? -newton->g[last + k] / newton->h[last + k] : 0;
        newton->numbers[k] = -newton->d[last + k];
    }
    if (batch->free_intercept) {
        clv_columns_add(batch, newton->numbers, newton->h, newton->r);
        memset(newton->r + last, 0, outputs * sizeof *newton->r);
    }
    for (uint64_t i = 0; i < batch->rows; i++, batch_tick(batch, &done))
        memcpy(newton->moves + i * outputs, newton->d + last, outputs * sizeof *newton->moves);
}

static size_t begin_solving(Newton *newton)
{
    const Batch *batch = newton->batch;
    size_t open = 0;

    begin_direction(newton);
    measure_residuals(newton);
    for (size_t k = 0; k < batch->outputs; k++) {
        NewtonOutput *output = &newton->output[k];

        output->rs = output->first_rs = newton->numbers[k];
        output->solving = !batch->standing[k].done && output->rs > 0;
        open += output->solving;
        newton->numbers[k] = 0;
    }
    turn(newton, newton->numbers);
    return open;
}

/* Computes one product for all unsolved outputs. Sets *open to their number. */
static Status product(Newton *newton, size_t *open)
{
    Batch *batch = newton->batch;
    double *factor = newton->more;

    TRY(clv_batch_curve(batch, newton->p, newton->curvature, newton->q, newton->sum));
    follow(newton);
    clv_batch_add_penalty(batch, newton->wide, newton->sum);
    clv_columns_dot(batch, newton->wide, newton->sum, newton->numbers);
    for (size_t k = 0; k < batch->outputs; k++) {
        NewtonOutput *output = &newton->output[k];

        output->solving = output->solving && newton->numbers[k] > 0;
        factor[k] = output->solving ? output->rs / newton->numbers[k] : 0;
    }
    extend(newton, factor);
    for (size_t k = 0; k < batch->outputs; k++)
        factor[k] = -factor[k];
    clv_columns_add(batch, factor, newton->sum, newton->r);
    if (batch->free_intercept)
        memset(newton->r + batch->size - batch->outputs, 0, batch->outputs * sizeof *newton->r);
    measure_residuals(newton);
    clv_columns_dot(batch, newton->r, newton->r, newton->more);
    *open = 0;
    for (size_t k = 0; k < batch->outputs; k++) {
        NewtonOutput *output = &newton->output[k];
        double goal = 0.3 * batch->risk->options->tolerance * batch->standing[k].reference;
        double before = output->rs;

        output->rs = newton->numbers[k];
        if (output->rs <= FORCING * FORCING * output->first_rs || sqrt(newton->more[k]) <= goal)
            output->solving = false;
        *open += output->solving;
        newton->numbers[k] = before > 0 ? output->rs / before : 0;
    }
    turn(newton, newton->numbers);
    return OK;
}

static Status solve(Newton *newton)
{
    Batch *batch = newton->batch;
    size_t open;

    make_scale(newton);
    open = begin_solving(newton);
    for (int products = 0;
         products < MOST_PRODUCTS && open > 0 && !clv_cancelled(batch->fit->context); products++)
        TRY(product(newton, &open));
    return OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Computes the gradient at w from the slopes of the rows. */
static Status evaluate_here(Newton *newton)
{
    Batch *batch = newton->batch;

    TRY(clv_batch_gradient(batch, newton->slope, newton->curvature, newton->g,
                           batch->free_intercept ? newton->h : NULL));
    clv_batch_add_penalty(batch, newton->w, newton->g);
    clv_columns_dot(batch, newton->g, newton->g, newton->numbers);
    for (size_t k = 0; k < batch->outputs; k++) {
        batch->standing[k].length = sqrt(newton->numbers[k]);
        batch->standing[k].value = newton->output[k].penalty + newton->output[k].loss;
    }
    return clv_batch_bound(batch, newton->w, newton->g);
}

/* Computes the products of d that the search needs. */
static void measure_direction(Newton *newton)
{
    const Batch *batch = newton->batch;
    size_t outputs = batch->outputs,
           count = batch->free_intercept ? batch->size - outputs : batch->size;
    uint64_t done = 0;

    clv_columns_dot(batch, newton->g, newton->d, newton->numbers);
    for (size_t k = 0; k < outputs; k++) {
        newton->output[k].gd = newton->numbers[k];
        newton->output[k].wd = newton->output[k].dd = 0;
    }
    for (size_t i = 0; i < count; i += outputs, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++) {
            newton->output[k].wd += newton->w[i + k] * newton->d[i + k];
            newton->output[k].dd += newton->d[i + k] * newton->d[i + k];
        }
}

/* Moves each output to its best point. */
static void move(Newton *newton)
{
    Batch *batch = newton->batch;
    size_t outputs = batch->outputs;
    double *offset = newton->w + batch->size - outputs;
    uint64_t done = 0;

    for (size_t k = 0; k < outputs; k++)
        newton->numbers[k] = newton->output[k].best.t;
    clv_columns_add(batch, newton->numbers, newton->d, newton->w);
    for (size_t k = 0; k < outputs; k++)
        offset[k] += newton->output[k].best.offset;
    for (uint64_t i = 0; i < batch->rows; i++, batch_tick(batch, &done))
        for (size_t k = 0; k < outputs; k++)
            newton->scores[i * outputs + k] += newton->output[k].best.t *
                                                   newton->moves[i * outputs + k] +
                                               newton->output[k].best.offset;
    clv_batch_penalty(batch, newton->w, newton->numbers);
    for (size_t k = 0; k < outputs; k++) {
        NewtonOutput *output = &newton->output[k];
        Standing *standing = &batch->standing[k];

        output->fall = output->penalty + output->loss - newton->numbers[k] - batch->sums[k].loss;
        output->penalty = newton->numbers[k];
        output->loss = batch->sums[k].loss;
        if (!standing->done && output->best.t == 0 && output->best.offset == 0)
            standing->done = standing->stuck = true;
    }
}

/* Computes losses, slopes and gradient at w. */
static Status arrive(Newton *newton)
{
    Batch *batch = newton->batch;

    TRY(clv_batch_scores(batch, newton->w, newton->scores));
    memset(newton->moves, 0, (size_t)batch->rows * batch->outputs * sizeof *newton->moves);
    clv_batch_penalty(batch, newton->w, newton->numbers);
    for (size_t k = 0; k < batch->outputs; k++)
        newton->output[k].penalty = newton->numbers[k];
    TRY(look_at_trials(newton));
    for (size_t k = 0; k < batch->outputs; k++)
        newton->output[k].loss = batch->sums[k].loss;
    return evaluate_here(newton);
}

/* Ends a run early: a step that reduces the residual by FORCING leaves a smaller decrease than its
 * own. This is not a certificate. The full run takes the additional steps that the certificate
 * needs, and ends here only if rounding prevents it. */
static void settle(Newton *newton, double tolerance, bool real)
{
    const double without_certificate = 1e-3;
    Batch *batch = newton->batch;

    if (real)
        tolerance *= without_certificate;

    for (size_t k = 0; k < batch->outputs; k++)
        batch->standing[k].done |= newton->output[k].fall <= tolerance * batch->standing[k].value;
}

/* ---- state of a run -------------------------------------------------------------------------- */

/* The full run, as opposed to one on a sample. */
typedef struct {
    Batch batch;
    Newton newton;
    double *w;
    double *kept; /* buffer for the numbers of a state */
} Main;

enum { PARTS = 6 };

static void list_parts(const Main *run, StatePart parts[PARTS])
{
    const Newton *newton = &run->newton;
    uint64_t size = run->batch.size, cells = run->batch.rows * run->batch.outputs;

    parts[0] = (StatePart){"run.numbers", BUNDLE_F64, run->kept,
                           KEPT_NUMBERS * run->batch.outputs + batch_numbers(&run->batch)};
    parts[1] = (StatePart){"run.weights", BUNDLE_F64, run->w, size};
    parts[2] = (StatePart){"run.gradient", BUNDLE_F64, newton->g, size};
    parts[3] = (StatePart){"run.bends_sum", BUNDLE_F64, newton->h, size};
    parts[4] = (StatePart){"run.scores", BUNDLE_F64, newton->scores, cells};
    parts[5] = (StatePart){"run.bends", BUNDLE_F64, newton->curvature, cells};
}

static Status save(Fit *fit, const Risk *risk, Model *model)
{
    Main *run = risk->own;
    StatePart parts[PARTS];
    double *numbers;

    if (!run)
        return OK; /* the run was completed */
    TRY(clv_batch_fingerprint(&run->batch));
    numbers = run->kept;
    for (size_t k = 0; k < run->batch.outputs; k++) {
        const NewtonOutput *output = &run->newton.output[k];

        *numbers++ = output->penalty;
        *numbers++ = output->loss;
        *numbers++ = output->fall;
        *numbers++ = output->trial.by_oo;
    }
    clv_batch_store(&run->batch, numbers);
    list_parts(run, parts);
    return clv_state_put(parts, PARTS, run->batch.fingerprint, model, fit->error);
}

/* Sets *found if the state of the interrupted run has been restored. */
static Status resume_run(Main *run, bool *found)
{
    Batch *batch = &run->batch;
    const Model *from = batch->risk->from;
    const double *numbers = run->kept;
    StatePart parts[PARTS];

    *found = false;
    if (!from || !clv_state_in_model(from))
        return OK;
    TRY(clv_batch_fingerprint(batch));
    list_parts(run, parts);
    TRY(clv_state_take(parts, PARTS, batch->fingerprint, from, found, batch->fit->error));
    if (!*found)
        return OK;
    for (size_t k = 0; k < batch->outputs; k++) {
        NewtonOutput *output = &run->newton.output[k];

        output->penalty = *numbers++;
        output->loss = *numbers++;
        output->fall = *numbers++;
        output->trial.by_oo = *numbers++;
    }
    return clv_batch_restore(batch, numbers);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Runs from w; the references are known. The full run reports each step to the driver. */
static Status descend(Newton *newton, double tolerance, bool real)
{
    Batch *batch = newton->batch;
    Fit *fit = batch->fit;

    TRY(clv_batch_squares(batch, newton->squares));
    for (uint32_t steps = 1; !clv_batch_done(batch, tolerance) && !clv_cancelled(fit->context);
         steps++) {
        TRY(solve(newton));
        measure_direction(newton);
        TRY(search(newton));
        move(newton);
        TRY(evaluate_here(newton));
        settle(newton, tolerance, real);
        if (!real)
            continue;
        TRY(clv_batch_report(batch, newton->w, steps));
        if (!fit->epoch_done(fit))
            break;
    }
    clv_batch_end(batch, tolerance);
    return OK;
}

/* Sets the references from the gradient at w. */
static void set_references(const Batch *batch)
{
    for (size_t k = 0; k < batch->outputs; k++)
        batch->standing[k].reference = clv_batch_set_reference(batch, k, batch->standing[k].length);
}

/* Sets the references from a sample of the rows and, if requested, w from a run on the sample. */
static Status sample(Batch *whole, double *w, bool start)
{
    Newton newton;
    Batch batch;
    Status status = clv_batch_open(&batch, whole->fit, whole->risk, whole->dataset, SAMPLE_EVERY);

    THEN(status, open_newton(&newton, &batch, w));
    if (status == OK) {
        clv_batch_start(&batch, w);
        status = arrive(&newton);
    }
    if (status == OK) {
        set_references(&batch);
        if (start)
            status = descend(&newton, SAMPLE_TOLERANCE, false);
    }
    for (size_t k = 0; k < whole->outputs && status == OK; k++)
        whole->standing[k].reference = batch.standing[k].reference;
    clv_batch_close(&batch);
    return status;
}

/* Sets w = 0 with optimal intercepts, and the references. */
static Status start_at_0(Newton *newton)
{
    Batch *batch = newton->batch;

    memset(newton->w, 0, batch->size * sizeof *newton->w);
    clv_batch_start(batch, newton->w);
    TRY(arrive(newton));
    set_references(batch);
    return OK;
}

/* Starts with dual ascent, or with w = 0 if rounding made dual ascent diverge (values of 1e30). */
static Status start_by_dual(Newton *newton)
{
    Batch *batch = newton->batch;
    bool diverged = false;

    if (batch->rows >= SAMPLE_LEAST)
        TRY(sample(batch, newton->w, false));
    else
        TRY(start_at_0(newton));
    TRY(clv_dual_start(batch, newton->w, DUAL_SHARE * batch->risk->options->tolerance));
    for (size_t i = 0; i < batch->size; i++)
        diverged |= !isfinite(newton->w[i]);
    if (!diverged)
        TRY(arrive(newton));
    for (size_t k = 0; k < batch->outputs; k++)
        diverged |= batch->standing[k].value > log(2); /* objective at w = 0 */
    return diverged ? start_at_0(newton) : OK;
}

static Status start(Newton *newton)
{
    Batch *batch = newton->batch;

    if (clv_batch_load(batch, newton->w)) {
        TRY(start_at_0(newton));
        clv_batch_load(batch, newton->w);
        return arrive(newton);
    }
    if (batch->risk->loss.kind == LOSS_LOGISTIC && batch->rows >= DUAL_LEAST &&
        batch->rows <= UINT32_MAX)
        return start_by_dual(newton);
    if (batch->rows < SAMPLE_LEAST)
        return start_at_0(newton);
    TRY(sample(batch, newton->w, true));
    return arrive(newton);
}

static Status run_all(Main *run)
{
    Batch *batch = &run->batch;
    bool goes_on;

    TRY(resume_run(run, &goes_on));
    if (!goes_on)
        TRY(start(&run->newton));
    TRY(clv_batch_report(batch, run->w, 0));
    TRY(descend(&run->newton, batch->risk->options->tolerance, true));
    return batch->fit->result.converged || batch->fit->result.plateau
               ? OK
               : clv_batch_fingerprint(batch);
}

static void free_all(Fit *fit, Risk *risk)
{
    (void)fit;
    clv_batch_close(&((Main *)risk->own)->batch);
}

static Status fit_all(Fit *fit, Risk *risk, Dataset *dataset)
{
    Main *run = risk->own;

    TRY(clv_batch_open(&run->batch, fit, risk, dataset, 1));
    TRY(clv_batch_vectors(&run->batch, &run->batch.memory, 1, &run->w));
    TRY(open_newton(&run->newton, &run->batch, run->w));
    run->kept = clv_arena_zero(&risk->memory,
                               KEPT_NUMBERS * run->batch.outputs + batch_numbers(&run->batch),
                               sizeof *run->kept);
    TRY(risk->memory.status);
    return run_all(run);
}

const Solver clv_solver_newton = {.name = "newton",
                                  .losses = LOSSES_SMOOTH,
                                  .own_size = sizeof(Main),
                                  .fit = fit_all,
                                  .save = save,
                                  .free = free_all};
