/*
 * Sequential minimal optimization (Platt 1998) of the dual problem
 *
 *     max  Σ y_i β_i − ½ Σ β_i β_j K_ij      with Σ β_i = 0 and β_i between 0 and y_i C_i
 *
 * Each step changes two β, one up and one down, by the optimal amount. With g_i = y_i − f(x_i), the
 * slope in β_i, the first is the one with the largest g that can increase. The second, among those
 * that can decrease, maximizes the second-order gain (g_i − g_j)² / (K_ii + K_jj − 2 K_ij) (Fan,
 * Chen and Lin 2005). The solver converges when no pair differs by more than the tolerance.
 *
 * Shrinking (Joachims 1998): rows with β at a bound and a slope towards it are removed at times;
 * arrays and kernel rows become shorter. When the rest is solved, f is reconstructed and all rows
 * are checked again.
 *
 * Hard margin: β has no bound. If the classes are not separable, the dual is unbounded: the
 * distance of the convex hulls, at most ‖f‖ / ½ Σ|β|, goes to 0, and the run fails.
 */
#include "learn/kernel/svm.h"

enum { CHECK_EVERY = 1000, LEAST_STEPS = 1000 };
/* Squared distance of hulls that float kernel values cannot resolve, in squared row norms. */
#define TOUCHING2 1e-8

typedef struct {
    Fit *fit;
    Svm *svm;
    size_t output;
    uint32_t active;
    uint32_t *order; /* row at each position */
    double *g, *beta, *most, *least;
    float *up, *down; /* 0 if β can move in this direction, otherwise SHUT */
    float *diagonal;
    View view; /* view of the active rows after shrinking */
    bool shrinks, cancelled;
    double widest2; /* largest K_ii */
} SmoWork;

static double sign_of(const SmoWork *work, uint32_t row)
{
    return fit_sign(work->fit, work->svm->label[row], work->output);
}

static Status allocate(SmoWork *work, Arena *memory)
{
    uint32_t count = work->svm->count;

    work->order = clv_arena_alloc(memory, count, sizeof *work->order);
    work->g = clv_arena_alloc(memory, count, sizeof *work->g);
    work->beta = clv_arena_alloc(memory, count, sizeof *work->beta);
    work->most = clv_arena_alloc(memory, count, sizeof *work->most);
    work->least = clv_arena_alloc(memory, count, sizeof *work->least);
    work->up = clv_arena_alloc(memory, count, sizeof *work->up);
    work->down = clv_arena_alloc(memory, count, sizeof *work->down);
    work->diagonal = clv_arena_alloc(memory, count, sizeof *work->diagonal);
    return memory->status;
}

static void set_gates(SmoWork *work, size_t k)
{
    work->up[k] = work->beta[k] < work->most[k] ? 0 : -SHUT;
    work->down[k] = work->beta[k] > work->least[k] ? 0 : SHUT;
}

/* Initializes all rows from the current solution. */
static void set_up(SmoWork *work)
{
    const Svm *svm = work->svm;
    const double *beta = svm->beta + work->output * svm->count,
                 *score = svm->score + work->output * svm->count;

    work->active = svm->count;
    for (uint32_t i = 0; i < svm->count; i++) {
        double y = sign_of(work, i), bound = svm->weight[i] > 0 ? y * svm->C * svm->weight[i] : 0;

        work->order[i] = i;
        work->beta[i] = beta[i];
        work->g[i] = y - score[i];
        work->most[i] = fmax(bound, 0);
        work->least[i] = fmin(bound, 0);
        work->diagonal[i] = (float)clv_kernel_self(&svm->kernel, svm->points.norm2[i]);
        set_gates(work, i);
    }
}

/* Writes the active rows back into the solution. */
static void write_back(SmoWork *work)
{
    Svm *svm = work->svm;
    double *beta = svm->beta + work->output * svm->count,
           *score = svm->score + work->output * svm->count;

    for (uint32_t k = 0; k < work->active; k++) {
        beta[work->order[k]] = work->beta[k];
        score[work->order[k]] = sign_of(work, work->order[k]) - work->g[k];
    }
}

/* ---- shrinking ------------------------------------------------------------------------------- */

static void keep_at(SmoWork *work, uint32_t to, uint32_t from)
{
    work->order[to] = work->order[from];
    work->g[to] = work->g[from];
    work->beta[to] = work->beta[from];
    work->most[to] = work->most[from];
    work->least[to] = work->least[from];
    work->up[to] = work->up[from];
    work->down[to] = work->down[from];
    work->diagonal[to] = work->diagonal[from];
}

static bool pushed_to_bound(const SmoWork *work, uint32_t k, double top, double bottom)
{
    bool up = work->up[k] == 0, down = work->down[k] == 0;

    return (!up && !down) || (!up && work->g[k] > top) || (!down && work->g[k] < bottom);
}

/* Removes rows whose slopes push them to their bounds, if they are numerous enough to justify the
 * copy. */
static Status shrink(SmoWork *work)
{
    Fit *fit = work->fit;
    double top = -(double)SHUT, bottom = (double)SHUT;
    uint32_t count = 0, *kept = NULL;

    for (uint32_t k = 0; k < work->active; k++) {
        top = fmax(top, work->g[k] + (double)work->up[k]);
        bottom = fmin(bottom, work->g[k] + (double)work->down[k]);
    }
    for (uint32_t k = 0; k < work->active; k++)
        count += !pushed_to_bound(work, k, top, bottom);
    if (work->active - count < work->active / 8 + 1 || count < 2)
        return OK;
    TRY(ALLOC(fit->context, kept, count, "the active set", fit->error));
    write_back(work);
    count = 0;
    for (uint32_t k = 0; k < work->active; k++)
        if (!pushed_to_bound(work, k, top, bottom)) {
            keep_at(work, count, k);
            kept[count++] = k;
        }
    work->active = count;
    clv_view_free(&work->view);
    /* The cache takes ownership of the list first, because the list must not outlive a failed
     * view. */
    TRY(clv_cache_shrink(&work->svm->cache, kept, count, &work->view, fit->error));
    return clv_view_init(&work->view, &work->svm->points, work->order, count, fit->error);
}

/* Reconstructs f of the removed rows from every nonzero β. */
static Status make_up(SmoWork *work, const uint32_t *out, uint32_t count, double *sums,
                      float *values)
{
    Svm *svm = work->svm;
    const double *beta = svm->beta + work->output * svm->count;
    uint64_t done = 0;
    View view;

    TRY(clv_view_init(&view, &svm->points, out, count, work->fit->error));
    for (uint32_t i = 0; i < svm->count; i++) {
        if (beta[i] == 0)
            continue;
        clv_evaluate(&svm->evaluator, &view, point_row(&svm->points, i), values);
        svm->evaluator.loops->add_plane(values, beta[i], count, sums);
        clv_tick_after(work->fit->context, &done, kernel_row_units(&svm->points));
    }
    clv_view_free(&view);
    for (uint32_t k = 0; k < count; k++)
        svm->score[work->output * svm->count + out[k]] = sums[k];
    return OK;
}

/* Lists the inactive rows. Active rows have a bit in `there`. */
static uint32_t list_out(const SmoWork *work, uint8_t *there, uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < work->active; k++)
        there[work->order[k]] = 1;
    for (uint32_t i = 0; i < work->svm->count; i++)
        if (!there[i])
            out[count++] = i;
    return count;
}

static Status unshrink(SmoWork *work)
{
    Fit *fit = work->fit;
    uint32_t all = work->svm->count, left_out = all - work->active;
    Arena memory = {.context = fit->context, .error = fit->error, .what = "the shrunk rows"};
    uint8_t *there = clv_arena_zero(&memory, all, sizeof *there);
    uint32_t *out = clv_arena_alloc(&memory, all, sizeof *out);
    double *sums = clv_arena_zero(&memory, left_out, sizeof *sums);
    float *values = clv_arena_alloc(&memory, left_out, sizeof *values);
    Status status = memory.status;

    write_back(work);
    THEN(status, make_up(work, out, list_out(work, there, out), sums, values));
    clv_arena_free(&memory);
    clv_view_free(&work->view);
    clv_cache_unshrink(&work->svm->cache);
    set_up(work);
    return status;
}

/* ---- hard margin ----------------------------------------------------------------------------- */

static Status not_separable(const SmoWork *work)
{
    return clv_fail_hint(
        work->fit->error, CLEAVE_ERROR_DATA,
        "use a finite --C, or a more flexible kernel (larger --gamma or --degree)",
        "the classes are not separable: --C inf requires a margin above %.0e of the largest "
        "row norm",
        sqrt(TOUCHING2) / 2);
}

static Status alike(const SmoWork *work, size_t i, size_t j)
{
    uint32_t a = work->order[i], b = work->order[j];

    return clv_fail_hint(
        work->fit->error, CLEAVE_ERROR_DATA, "use a finite --C",
        "the classes are not separable (--C inf): training rows %u and %u have different "
        "classes and equal "
        "kernel values",
        (a < b ? a : b) + 1, (a < b ? b : a) + 1);
}

/* Fails if the classes are not separable. Removed rows have β = 0, so only active rows
 * contribute. */
static Status check_hulls(const SmoWork *work)
{
    double norm2 = 0, half = 0;

    for (uint32_t k = 0; k < work->active; k++) {
        norm2 += work->beta[k] * (sign_of(work, work->order[k]) - work->g[k]);
        half += fabs(work->beta[k]) / 2;
    }
    return norm2 <= TOUCHING2 * work->widest2 * half * half && half > 0 ? not_separable(work) : OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Increases β of i and decreases β of j; *step is 0 if they cannot move. */
static Status move_pair(SmoWork *work, size_t i, size_t j, const float *row_i, double *step)
{
    double curve = (double)work->diagonal[i] + (double)work->diagonal[j] - 2 * (double)row_i[j];
    double slack_up = work->most[i] - work->beta[i], slack_down = work->beta[j] - work->least[j];
    double wanted = (work->g[i] - work->g[j]) / fmax(curve, 1e-12),
           by = fmin(wanted, fmin(slack_up, slack_down));

    if (work->svm->hard && curve <= 0 &&
        sign_of(work, work->order[i]) != sign_of(work, work->order[j]))
        return alike(work, i, j);
    *step = work->beta[i] + by != work->beta[i] || work->beta[j] - by != work->beta[j] ? by : 0;
    work->beta[i] = by == slack_up ? work->most[i] : work->beta[i] + by;
    work->beta[j] = by == slack_down ? work->least[j] : work->beta[j] - by;
    set_gates(work, i);
    set_gates(work, j);
    return OK;
}

static Status look_up(SmoWork *work, uint64_t step, uint64_t steps)
{
    Fit *fit = work->fit;

    work->cancelled |= clv_cancelled(fit->context);
    clv_progress(fit->context, &(cleave_progress){.phase = "train",
                                                  .rows = step,
                                                  .rows_total = steps,
                                                  .epoch = fit->counters.epoch + 1,
                                                  .epochs = fit->max_epochs});
    if (work->svm->hard)
        TRY(check_hulls(work));
    return work->shrinks ? shrink(work) : OK;
}

/* Takes at most this many steps. Sets *solved if no violating pair is left. */
static Status take_steps(SmoWork *work, uint64_t steps, bool *solved)
{
    Svm *svm = work->svm;
    const Loops *loops = svm->evaluator.loops;
    cleave_error *error = work->fit->error;
    uint64_t done = 0;
    size_t i, j;
    double top = loops->move(work->g, work->diagonal, work->diagonal, 0, work->up, work->active,
                             &i);

    *solved = false;
    for (uint64_t step = 1; step <= steps && !work->cancelled; step++) {
        const float *row_i = NULL, *row_j;
        double bottom = (double)SHUT, by = 0;
        float gain = 0;

        if (top > -(double)SHUT / 2) {
            TRY(clv_cache_row(&svm->cache, work->order[i], &row_i, error));
            gain = loops->pair(work->g, work->down, row_i, work->diagonal, top,
                               (double)work->diagonal[i], work->active, &j, &bottom);
        }
        if (gain > 0 && top - bottom >= svm->options->tolerance) {
            TRY(move_pair(work, i, j, row_i, &by));
            TRY(clv_cache_row(&svm->cache, work->order[j], &row_j, error));
        }
        if (by > 0) {
            top = loops->move(work->g, row_i, row_j, by, work->up, work->active, &i);
        } else if (work->active == svm->count) {
            *solved = true;
            return OK;
        } else {
            TRY(unshrink(work));
        }
        work->cancelled |= clv_cancelled_after(work->fit->context, &done,
                                               2 * kernel_row_units(&svm->points));
        if (step % CHECK_EVERY == 0)
            TRY(look_up(work, step, steps));
        if (by <= 0 || step % CHECK_EVERY == 0)
            top = loops->move(work->g, work->diagonal, work->diagonal, 0, work->up, work->active,
                              &i);
    }
    return OK;
}

/* b from the rows on the margin; without such rows, the middle of the feasible interval. */
static double offset(const SmoWork *work)
{
    double top = -INFINITY, bottom = INFINITY, sum = 0, count = 0;

    for (uint32_t k = 0; k < work->active; k++) {
        bool up = work->up[k] == 0, down = work->down[k] == 0;

        if (up)
            top = fmax(top, work->g[k]);
        if (down)
            bottom = fmin(bottom, work->g[k]);
        if (up && down) {
            sum += work->g[k];
            count++;
        }
    }
    if (count > 0)
        return sum / count;
    return isinf(top) ? (isinf(bottom) ? 0 : bottom) : isinf(bottom) ? top : (top + bottom) / 2;
}

static Status solve_output(SmoWork *work, size_t output, bool *solved)
{
    uint64_t steps = work->svm->count > LEAST_STEPS ? work->svm->count : LEAST_STEPS;

    work->output = output;
    set_up(work);
    TRY(take_steps(work, steps, solved));
    if (work->active < work->svm->count)
        TRY(unshrink(work));
    write_back(work);
    work->svm->intercept[output] = offset(work);
    return OK;
}

/* Runs one iteration: steps for every unsolved output. */
static Status run_iteration(SmoWork *work, bool *solved, bool *all)
{
    Svm *svm = work->svm;
    SvmEvaluation value;

    *all = true;
    for (size_t output = 0; output < svm->outputs && !work->cancelled; output++) {
        if (!solved[output])
            TRY(solve_output(work, output, &solved[output]));
        *all &= solved[output];
    }
    *all &= !work->cancelled;
    clv_svm_evaluate(work->fit, svm, &value);
    work->fit->counters.epoch_mistakes = value.errors;
    work->fit->counters.epoch_loss = value.loss;
    work->fit->counters.seen += svm->count;
    return OK;
}

static Status solve(SmoWork *work)
{
    Svm *svm = work->svm;
    bool all = false, more = true;

    /* compacted rows cannot be shared */
    work->shrinks = svm->outputs == 1 || !clv_cache_holds_all(&svm->cache);
    for (uint32_t i = 0; i < svm->count; i++)
        work->widest2 = fmax(work->widest2, clv_kernel_self(&svm->kernel, svm->points.norm2[i]));
    while (more && !all) {
        TRY(run_iteration(work, svm->solved, &all));
        more = !work->cancelled && work->fit->epoch_done(work->fit);
    }
    work->fit->result.converged = all;
    svm->has_dual = true;
    clv_summarize(work->fit,
                  all ? "converged, maximum KKT violation below %g"
                      : "stopped before convergence, maximum KKT violation above %g",
                  svm->options->tolerance);
    if (work->cancelled)
        return clv_fail(work->fit->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    if (svm->hard && !all)
        return clv_fail_hint(
            work->fit->error, CLEAVE_ERROR_DATA,
            "use a finite --C if the classes are not separable, or raise --max-iterations",
            "--C inf: the solver found no separating hyperplane in %u iterations",
            work->fit->counters.epoch);
    return OK;
}

Status clv_smo_fit(Fit *fit, Svm *svm)
{
    SmoWork work = {.fit = fit, .svm = svm};
    Arena memory = {.context = fit->context, .error = fit->error, .what = "the dual problem"};
    Status status = allocate(&work, &memory);

    THEN(status, solve(&work));
    clv_cache_unshrink(&svm->cache);
    clv_view_free(&work.view);
    clv_arena_free(&memory);
    return status;
}
