/*
 * Online learning with a learning rate per weight, in two forms.
 *
 * Adaptive: steps that are normalized by the scale of each feature (Ross, Mineiro and Langford
 * 2013), with AdaGrad's rate per weight (Duchi, Hazan and Singer 2011), and invariant to the weight
 * of a row (Karampatziakis and Langford 2011). A row x of weight c with the score s and the slope
 * g = loss'(y, s) ≠ 0 makes these changes, in this order:
 *
 *     sⱼ := max(sⱼ, |xⱼ|)         where sⱼ grows by a factor f:  wⱼ := wⱼ/f, Gⱼ := Gⱼ/f²
 *     Gⱼ := Gⱼ + c g² (xⱼ/sⱼ)²        rⱼ = 1 / √Gⱼ
 *     R  := R + c                  N := N + c Σ (xⱼ/sⱼ)²
 *     h   = η τ c √(R/N) p            p = Σ rⱼ (xⱼ/sⱼ)²
 *     wⱼ := wⱼ + (s' − s)/p · rⱼ xⱼ/sⱼ²
 *
 * where s' is the score to which infinitely many small steps of total size h lead. These are the
 * updates of Vowpal Wabbit's --adaptive --normalized --invariant, with sums of squares of xⱼ/sⱼ
 * instead of xⱼ. The intercept is the weight of a feature that is always 1. τ is 1 for classes. In
 * a regression it is the standard deviation of the targets so far, and the first target is the
 * first intercept: units of the target do not matter.
 *
 * FTRL-proximal (McMahan et al. 2013), with gradients gⱼ = c loss'(y, s) xⱼ:
 *
 *     zⱼ := zⱼ + gⱼ − (√(nⱼ + gⱼ²) − √nⱼ)/α wⱼ        nⱼ := nⱼ + gⱼ²
 *     wⱼ  = 0 if |zⱼ| ≤ λ₁, else −(zⱼ − sign(zⱼ) λ₁) / ((β + √nⱼ)/α + λ₂)
 *
 * The cost of a row is proportional to its non-zeros. Scales are the upper halves of floats,
 * rounded up, so that a weight has 6 bytes of state in addition to its 4 bytes.
 */
#include "learn/linear/adaptive.h"

#include "learn/linear/average.h"
#include "model/state.h"

#include <float.h>

#define LEAST_SCALE 1e-30f
#define MOST_SCALE 0x1p126f

/* ---- the state ------------------------------------------------------------------------------- */

static float scale_value(uint16_t scale)
{
    uint32_t bits = (uint32_t)scale << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The smallest representable scale that is at least `size`. */
static uint16_t scale_of(float size)
{
    float value = size < LEAST_SCALE ? LEAST_SCALE : size > MOST_SCALE ? MOST_SCALE : size;
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0xffff) >> 16);
}

Status clv_adaptive_begin(Adaptive *adaptive, Context *context, const AdaptiveRule *rule,
                          size_t outputs, cleave_error *error)
{
    adaptive->context = context;
    adaptive->rule = *rule;
    adaptive->run.grown = 1;
    adaptive->outputs = outputs;
    TRY(ALLOC_ZERO(context, adaptive->intercept_squares, outputs, "intercepts", error));
    return ALLOC_ZERO(context, adaptive->intercept_sums, outputs, "intercepts", error);
}

void clv_adaptive_free(Adaptive *adaptive)
{
    Context *context = adaptive->context;

    if (!context)
        return;
    FREE(context, adaptive->squares, adaptive->sums, adaptive->scale);
    FREE(context, adaptive->intercept_squares, adaptive->intercept_sums);
    FREE(context, adaptive->column, adaptive->value, adaptive->of_scale, adaptive->unit,
         adaptive->rate);
}

static Status reserve_entries(Adaptive *adaptive, size_t count, cleave_error *error)
{
    Context *context = adaptive->context;
    size_t capacity = 0;

    if (count <= adaptive->entries)
        return OK;
    FREE(context, adaptive->column, adaptive->value, adaptive->of_scale, adaptive->unit,
         adaptive->rate);
    adaptive->column = NULL;
    adaptive->value = adaptive->of_scale = adaptive->unit = adaptive->rate = NULL;
    adaptive->entries = 0;
    capacity = count + count / 2 + 8;
    TRY(ALLOC(context, adaptive->column, capacity, "a row", error));
    TRY(ALLOC(context, adaptive->value, capacity, "a row", error));
    TRY(ALLOC(context, adaptive->of_scale, capacity, "a row", error));
    TRY(ALLOC(context, adaptive->unit, capacity, "a row", error));
    TRY(ALLOC(context, adaptive->rate, capacity, "a row", error));
    adaptive->entries = capacity;
    return OK;
}

Status clv_adaptive_reserve(Adaptive *adaptive, const Linear *w, const Block *block,
                            cleave_error *error)
{
    Context *context = adaptive->context;
    size_t weights = w->capacity, used = (size_t)w->features * w->outputs, most = 0;

    weights = weights > used ? weights : used;
    TRY(clv_extend(context, &adaptive->squares, &adaptive->squares_size, weights,
                   sizeof *adaptive->squares, "squared gradients", error));
    if (adaptive->rule.proximal)
        TRY(clv_extend(context, &adaptive->sums, &adaptive->sums_size, weights,
                       sizeof *adaptive->sums, "sums of gradients", error));
    else
        TRY(clv_extend(context, &adaptive->scale, &adaptive->scale_size, weights / w->outputs,
                       sizeof *adaptive->scale, "scales of features", error));
    for (uint32_t row = 0; block && row < block->rows; row++)
        if (block_row_entries(block, row) > most)
            most = block_row_entries(block, row);
    return reserve_entries(adaptive, most, error);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* d ≥ 0 with d + e^a (e^d − 1) = h. The left side is convex, and Newton's method converges from a
 * bound above. */
static double logistic_move(double a, double h)
{
    double odds = exp(a), d;

    if (isinf(odds))
        return 0;
    d = fmin(h / (1 + odds), log(odds + h) - a);
    for (int i = 0; i < 20; i++) {
        double excess = d + odds * expm1(d) - h, slope = 1 + odds * exp(d);

        d -= excess / slope;
        if (fabs(excess) <= 1e-12 * h)
            break;
    }
    return d > 0 ? d : 0;
}

double clv_adaptive_flow(Loss loss, double y, double s, double h)
{
    double r = y - s, over;

    switch (loss.kind) {
    case LOSS_HINGE:
        return s + y * fmin(h, fmax(0, 1 - y * s));
    case LOSS_SQUARED_HINGE:
        return s - y * fmax(0, 1 - y * s) * expm1(-2 * h);
    case LOSS_LOGISTIC:
        return s + y * logistic_move(y * s, h);
    case LOSS_EPSILON:
        return s + copysign(fmin(h, fmax(0, fabs(r) - loss.epsilon)), r);
    case LOSS_SQUARED_EPSILON:
        over = fmax(0, fabs(r) - loss.epsilon);
        return s - copysign(over, r) * expm1(-2 * h);
    default:
        return s - r * expm1(-h);
    }
}

/* ---- one row --------------------------------------------------------------------------------- */

/* Copies the non-zeros of a row; returns their number. */
static size_t unpack(Adaptive *adaptive, const Block *block, uint32_t row)
{
    uint32_t *column = adaptive->column, at = UINT32_MAX, start;
    float *value = adaptive->value;
    size_t count = 0, entries;

    if (block->form == ROWS_DENSE) {
        const float *x = block->value + (size_t)row * block->features;

        for (uint32_t i = 0; i < block->features; i++) {
            column[count] = i;
            value[count] = x[i];
            count += x[i] != 0;
        }
        return count;
    }
    start = block_start(block, row);
    entries = block->end[row] - start;
    for (size_t i = 0; i < entries; i++) {
        float x = block->value_form == VALUES_EACH      ? block->value[start + i]
                  : block->value_form == VALUES_PER_ROW ? block->value[row]
                                                        : 1;

        if (block->form == ROWS_COLUMNS) {
            at = block->column[start + i];
        } else if (block->gap[start + i] == 0) { /* a filler of a row without values */
            at += FILLER_GAP;
            x = 0;
        } else {
            at += block->gap[start + i];
        }
        column[count] = at;
        value[count] = x;
        count += x != 0;
    }
    return count;
}

/* Raises the scale of a feature. Its former steps were too large by the ratio of the scales. */
static void raise_scale(Adaptive *adaptive, Linear *w, uint32_t column, float size)
{
    uint16_t old = adaptive->scale[column];
    size_t first = (size_t)column * w->outputs;

    adaptive->scale[column] = scale_of(size);
    if (old) {
        float ratio = scale_value(old) / scale_value(adaptive->scale[column]);

        for (size_t i = 0; i < w->outputs; i++) {
            w->w[first + i] *= ratio;
            adaptive->squares[first + i] *= ratio * ratio;
        }
    } else if (adaptive->run.solved_rows > 0) {
        /* equivalent to one row with this value and a slope of 1 */
        for (size_t i = 0; i < w->outputs; i++)
            if (w->w[first + i] != 0)
                adaptive->squares[first + i] = (float)(adaptive->run.solved_rows *
                                                       adaptive->run.grown);
    }
}

enum { LANES = 8 };

/* Sums in a fixed order that suits vector instructions. */
static double add_products(const float *a, const float *b, size_t count)
{
    double lane[LANES] = {0}, sum = 0;
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += (double)(a[i + j] * b[i + j]);
    for (size_t j = 0; i < count; i++, j++)
        lane[j] += (double)(a[i] * b[i]);
    for (size_t j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}

/* Computes x/s of all entries. */
static void find_units(Adaptive *restrict adaptive, Linear *w, size_t count)
{
    const uint32_t *restrict column = adaptive->column;
    const float *restrict value = adaptive->value;
    float *restrict of_scale = adaptive->of_scale, *restrict unit = adaptive->unit;

    for (size_t i = 0; i < count; i++) {
        of_scale[i] = scale_value(adaptive->scale[column[i]]);
        if (fabsf(value[i]) > of_scale[i]) {
            raise_scale(adaptive, w, column[i], fabsf(value[i]));
            of_scale[i] = scale_value(adaptive->scale[column[i]]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        of_scale[i] = 1 / of_scale[i];
        unit[i] = value[i] * of_scale[i];
    }
}

/* Adds the squared gradients of an output, and leaves r x/s in rate. */
static void find_rates(Adaptive *restrict adaptive, const Linear *w, size_t output, float square,
                       size_t count)
{
    const uint32_t *restrict column = adaptive->column;
    const float *restrict unit = adaptive->unit;
    float *restrict squares = adaptive->squares, *restrict rate = adaptive->rate;
    size_t outputs = w->outputs;

    for (size_t i = 0; i < count; i++) {
        float *of_weight = squares + column[i] * outputs + output;
        float sum = *of_weight + square * unit[i] * unit[i];

        rate[i] = *of_weight = sum < FLT_MAX ? sum : FLT_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        float sum = rate[i] > FLT_MIN ? rate[i] : FLT_MIN;

        rate[i] = unit[i] / sqrtf(sum);
    }
}

static void move_weights(const Adaptive *restrict adaptive, Linear *w, size_t output, float step,
                         size_t count)
{
    const uint32_t *restrict column = adaptive->column;
    const float *restrict of_scale = adaptive->of_scale;
    float *restrict rate = adaptive->rate, *restrict weights = w->w;
    size_t outputs = w->outputs;

    for (size_t i = 0; i < count; i++)
        rate[i] = step * rate[i] * of_scale[i];
    for (size_t i = 0; i < count; i++)
        weights[column[i] * outputs + output] += rate[i];
}

static void step_adaptively(Adaptive *adaptive, Linear *w, double scale, size_t output,
                            double weight, double y, double score, double slope, size_t count)
{
    const AdaptiveRule *rule = &adaptive->rule;
    AdaptiveNumbers *run = &adaptive->run;
    double square = weight * slope * slope, root = sqrt(run->grown), p, h, own = 0, step;

    square = square > 1e-30 ? square : 1e-30;
    find_rates(adaptive, w, output, (float)fmin(square * run->grown, 1e30), count);
    p = root * add_products(adaptive->unit, adaptive->rate, count);
    if (rule->learn_intercept) {
        adaptive->intercept_squares[output] += square * run->grown;
        own = root / sqrt(adaptive->intercept_squares[output]);
        p += own;
    }
    if (!(p > 0))
        return;
    h = rule->learning_rate * clv_adaptive_target_scale(adaptive) * weight *
        sqrt(run->rows / run->norm) * p;
    step = (clv_adaptive_flow(rule->loss, y, score, h) - score) / p;
    move_weights(adaptive, w, output, (float)(step * root / scale), count);
    w->intercept[output] += step * own;
}

/* FTRL-proximal: z, n and w of one coordinate. In a stream that forgets, n decreases, and z is
 * computed from w and n. */
typedef struct {
    double z, n, w;
} Coordinate;

static Coordinate step_proximally(const AdaptiveRule *rule, double grown, Coordinate at, double l1,
                                  double l2, double gradient)
{
    double alpha = rule->learning_rate, before, after;

    before = sqrt(at.n / grown);
    if (grown != 1 && at.w != 0)
        at.z = -(at.w * ((rule->beta + before) / alpha + l2) + copysign(l1, at.w));
    at.n = fmin(at.n + gradient * gradient * grown, (double)FLT_MAX);
    after = sqrt(at.n / grown);
    at.z += gradient - (after - before) / alpha * at.w;
    at.z = fmin(fmax(at.z, (double)-FLT_MAX), (double)FLT_MAX);
    at.w = fabs(at.z) <= l1 ? 0
                            : -(at.z - copysign(l1, at.z)) / ((rule->beta + after) / alpha + l2);
    return at;
}

static void step_ftrl(Adaptive *adaptive, Linear *w, double scale, size_t output, double slope,
                      size_t count)
{
    const AdaptiveRule *rule = &adaptive->rule;
    double grown = adaptive->run.grown;
    Coordinate at;

    for (size_t i = 0; i < count; i++) {
        size_t place = adaptive->column[i] * w->outputs + output;

        at = step_proximally(rule, grown,
                             (Coordinate){(double)adaptive->sums[place],
                                          (double)adaptive->squares[place],
                                          scale * (double)w->w[place]},
                             rule->l1, rule->l2, slope * (double)adaptive->value[i]);
        adaptive->sums[place] = (float)at.z;
        adaptive->squares[place] = (float)at.n;
        w->w[place] = (float)(at.w / scale);
    }
    if (!rule->learn_intercept)
        return;
    at = step_proximally(rule, grown,
                         (Coordinate){adaptive->intercept_sums[output],
                                      adaptive->intercept_squares[output], w->intercept[output]},
                         0, 0, slope);
    adaptive->intercept_sums[output] = at.z;
    adaptive->intercept_squares[output] = at.n;
    w->intercept[output] = at.w;
}

/* ---- regression ------------------------------------------------------------------------------ */

double clv_adaptive_target_scale(const Adaptive *adaptive)
{
    const AdaptiveNumbers *run = &adaptive->run;
    double mean;

    if (!adaptive->rule.regression || adaptive->rule.proximal || !(run->targets > 0))
        return 1;
    mean = adaptive->rule.learn_intercept ? run->sum / run->targets : 0;
    return sqrt(fmax(0, run->sum_of_squares / run->targets - mean * mean));
}

/* Adds a target to the statistics. Returns the score, which changes if the target is the first
 * one. */
static double add_target(Adaptive *adaptive, Linear *w, double weight, double y, double score)
{
    AdaptiveNumbers *run = &adaptive->run;

    if (run->targets == 0 && run->solved_rows == 0 && adaptive->rule.learn_intercept &&
        !adaptive->rule.proximal) {
        run->origin = y - w->intercept[0];
        w->intercept[0] = y;
        score += run->origin;
    }
    run->targets += weight;
    run->sum += weight * (y - run->origin);
    run->sum_of_squares += weight * (y - run->origin) * (y - run->origin);
    return score;
}

bool clv_adaptive_learn(Adaptive *adaptive, Linear *w, double scale, const Block *block,
                        uint32_t row, double weight, const double *targets, const double *scores)
{
    const AdaptiveRule *rule = &adaptive->rule;
    double norm = rule->learn_intercept;
    size_t count = 0;
    bool moved = false;

    if (!(weight > 0))
        return false;
    for (size_t output = 0; output < w->outputs; output++) {
        double y = targets[output], score = scores[output], slope;

        if (rule->regression)
            score = add_target(adaptive, w, weight, y, score);
        slope = loss_slope(rule->loss, y, score);
        if (slope == 0 || !isfinite(slope))
            continue;
        if (!moved) {
            count = unpack(adaptive, block, row);
            if (!rule->proximal) {
                find_units(adaptive, w, count);
                norm += add_products(adaptive->unit, adaptive->unit, count);
                adaptive->run.rows += weight;
                adaptive->run.norm += weight * norm;
            }
            moved = true;
        }
        if (rule->proximal)
            step_ftrl(adaptive, w, scale, output, weight * slope, count);
        else
            step_adaptively(adaptive, w, scale, output, weight, y, score, slope, count);
    }
    return moved;
}

/* ---- streams --------------------------------------------------------------------------------- */

Status clv_adaptive_widen(const Fit *fit, const Widening *to, const Linear *w, Adaptive *adaptive)
{
    size_t count = (size_t)w->features * to->outputs;

    TRY(clv_widen_floats(fit, to, &adaptive->squares, w->features));
    adaptive->squares_size = count;
    for (size_t i = 0; i < count; i++)
        adaptive->squares[i] = fabsf(adaptive->squares[i]);
    if (adaptive->rule.proximal) {
        TRY(clv_widen_floats(fit, to, &adaptive->sums, w->features));
        adaptive->sums_size = count;
    }
    adaptive->outputs = to->outputs;
    TRY(clv_widen_sizes(fit, to, &adaptive->intercept_squares, 1));
    return clv_widen_doubles(fit, to, &adaptive->intercept_sums, 1);
}

/* Discounts the squared gradients of old rows. The new ones are multiplied by a growing factor
 * instead. When the factor is large, all are divided by a power of 2, which does not round. */
void clv_adaptive_forget(Adaptive *adaptive, double keep)
{
    AdaptiveNumbers *run = &adaptive->run;
    const double fold = 0x1p32; /* the squares are floats, so the factor must stay in their range */

    run->rows *= keep;
    run->norm *= keep;
    run->targets *= keep;
    run->sum *= keep;
    run->sum_of_squares *= keep;
    run->grown /= keep;
    if (run->grown < fold)
        return;
    run->grown /= fold;
    for (size_t i = 0; i < adaptive->squares_size; i++)
        adaptive->squares[i] = (float)((double)adaptive->squares[i] / fold);
    for (size_t i = 0; i < adaptive->outputs; i++)
        adaptive->intercept_squares[i] /= fold;
}

/* ---- several workers ------------------------------------------------------------------------- */

/* The sum of squared gradients of a weight, without the factor `grown`, in units of the feature. */
static double full_square(const Adaptive *adaptive, const Linear *w, size_t i)
{
    double scale = adaptive->scale ? (double)scale_value(adaptive->scale[i / w->outputs]) : 1;

    return i < adaptive->squares_size
               ? (double)adaptive->squares[i] / adaptive->run.grown * scale * scale
               : 0;
}

enum { ADDED_NUMBERS = 5 }; /* numbers in part "adaptive" */

/* Expresses the sums over the targets relative to another origin. */
static void move_origin(AdaptiveNumbers *run, double origin)
{
    double by = run->origin - origin;

    run->sum_of_squares += 2 * by * run->sum + by * by * run->targets;
    run->sum += by * run->targets;
    run->origin = origin;
}

static Status give_numbers(const Adaptive *adaptive, const Adaptive *before, Delta *delta,
                           cleave_error *error)
{
    AdaptiveNumbers run = adaptive->run;
    const AdaptiveNumbers *old = &before->run;
    double added[ADDED_NUMBERS];

    move_origin(&run, old->origin);
    added[0] = run.rows - old->rows;
    added[1] = run.norm - old->norm;
    added[2] = run.targets - old->targets;
    added[3] = run.sum - old->sum;
    added[4] = run.sum_of_squares - old->sum_of_squares;
    return clv_delta_add_all(delta, "adaptive", added, ADDED_NUMBERS, error);
}

/* Gives three parts: the squared gradients added ("squares"), and their products with the change of
 * the weight ("pull") and with the scale ("spread"). For FTRL-proximal, the products are with the
 * change of z and with the squared gradients themselves. */
static Status give_weight(const Adaptive *adaptive, const Linear *w, const Adaptive *before,
                          const Linear *start, size_t i, Delta *delta, cleave_error *error)
{
    bool known = i < (size_t)start->features * w->outputs;
    double added = full_square(adaptive, w, i) - (known ? full_square(before, w, i) : 0);
    double change, spread = added;

    if (!(added > 0))
        return OK;
    if (adaptive->rule.proximal) {
        change = (double)adaptive->sums[i] - (known ? (double)before->sums[i] : 0);
    } else {
        change = (double)w->w[i] - (known ? (double)start->w[i] : 0);
        spread = (double)scale_value(adaptive->scale[i / w->outputs]);
    }
    TRY(clv_delta_add(delta, "squares", i, added, error));
    TRY(clv_delta_add(delta, "pull", i, added * change, error));
    return clv_delta_add(delta, "spread", i, added * spread, error);
}

Status clv_adaptive_give(const Adaptive *adaptive, const Linear *w, const Adaptive *before,
                         const Linear *start, double rows, Delta *delta, cleave_error *error)
{
    size_t count = (size_t)w->features * w->outputs;

    TRY(give_numbers(adaptive, before, delta, error));
    TRY(clv_average_give_numbers("bias", w->intercept, start->intercept, w->outputs, rows, delta,
                                 error));
    TRY(clv_average_give_numbers("bias_squares", adaptive->intercept_squares,
                                 before->intercept_squares, w->outputs,
                                 adaptive->rule.proximal ? rows : 1, delta, error));
    TRY(clv_average_give_numbers("bias_sums", adaptive->intercept_sums, before->intercept_sums,
                                 w->outputs, rows, delta, error));
    for (size_t i = 0; i < count; i++)
        TRY(give_weight(adaptive, w, before, start, i, delta, error));
    return OK;
}

/* The changes of one weight, from parts whose indexes increase. */
typedef struct {
    const DeltaPart *part;
    size_t at;
} Cursor;

static double value_at(Cursor *cursor, uint64_t index)
{
    const DeltaPart *part = cursor->part;

    while (part && cursor->at < part->count && part->index[cursor->at] < index)
        cursor->at++;
    return part && cursor->at < part->count && part->index[cursor->at] == index
               ? part->value[cursor->at]
               : 0;
}

static void take_proximal(Adaptive *adaptive, Linear *w, double scale, size_t i, double added,
                          double pull, double spread)
{
    Coordinate at = {.z = (double)adaptive->sums[i] + pull / added,
                     .n = (double)adaptive->squares[i] + adaptive->run.grown * spread / added};

    at = step_proximally(&adaptive->rule, adaptive->run.grown, at, adaptive->rule.l1,
                         adaptive->rule.l2, 0);
    adaptive->sums[i] = (float)at.z;
    adaptive->squares[i] = (float)fmin(at.n, (double)FLT_MAX);
    w->w[i] = (float)(at.w / scale);
}

/* Updates all outputs of one feature. Its scale becomes the workers' mean scale if that is
 * larger. */
static void take_feature(Adaptive *adaptive, Linear *w, size_t column, const double *added,
                         const double *pull, double spread, double total)
{
    size_t first = column * w->outputs;
    double old = (double)scale_value(adaptive->scale[column]), scale;

    if (spread / total > old)
        adaptive->scale[column] = scale_of((float)fmin(spread / total, (double)MOST_SCALE));
    scale = (double)scale_value(adaptive->scale[column]);
    for (size_t output = 0; output < w->outputs; output++) {
        size_t i = first + output;
        double square = (double)adaptive->squares[i] * (old / scale) * (old / scale);

        if (added[output] > 0) {
            square += adaptive->run.grown * added[output] / (scale * scale);
            w->w[i] = (float)((double)w->w[i] + pull[output] / added[output]);
        } else if (old > 0) {
            w->w[i] = (float)((double)w->w[i] * (old / scale));
        }
        adaptive->squares[i] = (float)fmin(square, (double)FLT_MAX);
    }
}

static Status take_weights(Adaptive *adaptive, Linear *w, double scale, const Delta *sum,
                           cleave_error *error)
{
    Cursor squares = {clv_delta_part(sum, "squares"), 0}, pulls = {clv_delta_part(sum, "pull"), 0},
           spreads = {clv_delta_part(sum, "spread"), 0};
    size_t outputs = w->outputs;
    double *added, *pull;

    TRY(ALLOC(adaptive->context, added, 2 * outputs, "weights", error));
    pull = added + outputs;
    while (squares.part && squares.at < squares.part->count) {
        size_t column = (size_t)(squares.part->index[squares.at] / outputs);
        double spread = 0, total = 0;

        for (size_t output = 0; output < outputs; output++) {
            uint64_t i = (uint64_t)column * outputs + output;
            double wide;

            added[output] = fmax(0, value_at(&squares, i));
            pull[output] = value_at(&pulls, i);
            wide = value_at(&spreads, i);
            spread += wide;
            total += added[output];
            if (adaptive->rule.proximal && added[output] > 0)
                take_proximal(adaptive, w, scale, i, added[output], pull[output], fmax(0, wide));
        }
        if (!adaptive->rule.proximal && total > 0)
            take_feature(adaptive, w, column, added, pull, spread, total);
        while (squares.at < squares.part->count &&
               squares.part->index[squares.at] / outputs <= column)
            squares.at++;
    }
    clv_free(adaptive->context, added);
    return OK;
}

Status clv_adaptive_take(Adaptive *adaptive, Linear *w, double scale, double rows, const Delta *sum,
                         cleave_error *error)
{
    AdaptiveNumbers *run = &adaptive->run;
    double added[ADDED_NUMBERS];

    if (!(rows > 0))
        return OK;
    if (clv_delta_size(sum, "squares") > (uint64_t)w->features * w->outputs)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "the update has more squared gradients than weights");
    for (size_t i = 0; i < ADDED_NUMBERS; i++)
        added[i] = clv_delta_number(sum, "adaptive", i);
    run->rows += fmax(0, added[0]);
    run->norm += fmax(0, added[1]);
    run->targets += fmax(0, added[2]);
    run->sum += added[3];
    run->sum_of_squares += fmax(0, added[4]);
    clv_average_take_numbers("bias", w->intercept, w->outputs, rows, sum);
    clv_average_take_numbers("bias_sums", adaptive->intercept_sums, w->outputs, rows, sum);
    for (size_t i = 0; i < w->outputs; i++)
        adaptive->intercept_squares[i] += fmax(0, clv_delta_number(sum, "bias_squares", i)) /
                                          (adaptive->rule.proximal ? rows : 1);
    for (size_t i = 0; i < w->outputs && adaptive->rule.proximal; i++)
        w->intercept[i] = step_proximally(&adaptive->rule, run->grown,
                                          (Coordinate){.z = adaptive->intercept_sums[i],
                                                       .n = adaptive->intercept_squares[i]},
                                          0, 0, 0)
                              .w;
    return take_weights(adaptive, w, scale, sum, error);
}

/* ---- the model ------------------------------------------------------------------------------- */

Status clv_adaptive_save(Adaptive *adaptive, const Linear *w, bool last, Model *model,
                         cleave_error *error)
{
    float *squares = adaptive->squares;
    Bundle *bundle = model->bundle;
    size_t count = (size_t)w->features * w->outputs;
    float *scales;

    TRY(clv_bundle_put(bundle, "adaptive", BUNDLE_F64, &adaptive->run, ADAPTIVE_NUMBERS, error));
    TRY(clv_bundle_put(bundle, "adaptive_bias", BUNDLE_F64, adaptive->intercept_squares, w->outputs,
                       error));
    if (last) {
        adaptive->squares = NULL;
        adaptive->squares_size = 0;
        TRY(clv_bundle_take(bundle, "adaptive_squares", BUNDLE_F32, squares, count, error));
    } else {
        TRY(clv_bundle_put(bundle, "adaptive_squares", BUNDLE_F32, squares, count, error));
    }
    if (adaptive->rule.proximal) {
        TRY(clv_bundle_put(bundle, "adaptive_bias_sums", BUNDLE_F64, adaptive->intercept_sums,
                           w->outputs, error));
        return clv_bundle_put(bundle, "adaptive_sums", BUNDLE_F32, adaptive->sums, count, error);
    }
    TRY(ALLOC(adaptive->context, scales, w->features + 1, "scales of features", error));
    for (uint32_t i = 0; i < w->features; i++)
        scales[i] = scale_value(adaptive->scale[i]);
    return clv_bundle_take(bundle, "adaptive_scales", BUNDLE_F32, scales, w->features, error);
}

static bool not_negative(const Model *model, const char *name, BundleType type, size_t rows)
{
    const BundleItem *item = clv_bundle_get(model->bundle, name, type);

    if (!clv_linear_has_item(model, name, type, rows))
        return false;
    for (uint64_t i = 0; i < item->count; i++)
        if (type == BUNDLE_F32 ? ((const float *)item->data)[i] < 0
                               : ((const double *)item->data)[i] < 0)
            return false;
    return true;
}

static bool scales_are_valid(const Model *model)
{
    const BundleItem *item = clv_bundle_get(model->bundle, "adaptive_scales", BUNDLE_F32);
    const float *scales = item ? item->data : NULL;

    if (!item || item->count != model->features)
        return false;
    for (uint64_t i = 0; i < item->count; i++)
        if (!(scales[i] >= 0 && scales[i] <= MOST_SCALE) ||
            (scales[i] > 0 && scale_value(scale_of(scales[i])) != scales[i]))
            return false;
    return true;
}

static bool numbers_are_valid(const AdaptiveNumbers *run)
{
    const double most = 1e300;

    return run->rows >= 0 && run->rows < most && run->norm >= 0 && run->norm < most &&
           run->grown >= 1 && run->grown < FORGET_FOLD && run->solved_rows >= 0 &&
           run->solved_rows < 1e18 && run->targets >= 0 && run->targets < most &&
           run->sum_of_squares >= 0 && run->sum_of_squares < most && isfinite(run->sum) &&
           isfinite(run->origin);
}

bool clv_adaptive_check_model(const Model *model)
{
    AdaptiveNumbers run;

    if (!clv_bundle_get(model->bundle, "adaptive", BUNDLE_F64))
        return true;
    return clv_bundle_copy(model->bundle, "adaptive", BUNDLE_F64, &run, ADAPTIVE_NUMBERS) &&
           numbers_are_valid(&run) && not_negative(model, "adaptive_bias", BUNDLE_F64, 1) &&
           not_negative(model, "adaptive_squares", BUNDLE_F32, model->features) &&
           (clv_bundle_get(model->bundle, "adaptive_sums", BUNDLE_F32)
                ? clv_linear_has_item(model, "adaptive_sums", BUNDLE_F32, model->features) &&
                      clv_linear_has_item(model, "adaptive_bias_sums", BUNDLE_F64, 1)
                : scales_are_valid(model));
}

/* Starts from weights of another solver. FTRL-proximal continues at the z of these weights, with as
 * many steps as training rows. */
static void resume_solved(Adaptive *adaptive, const Linear *w, double of_weights, double rows)
{
    const AdaptiveRule *rule = &adaptive->rule;
    double scale = (rule->beta + sqrt(rows)) / rule->learning_rate;

    adaptive->run.solved_rows = rows;
    for (size_t i = 0; i < w->outputs; i++) {
        adaptive->intercept_squares[i] = rows;
        adaptive->intercept_sums[i] = -w->intercept[i] * scale;
    }
    for (size_t i = 0; i < (size_t)w->features * w->outputs && rule->proximal; i++) {
        double weight = of_weights * (double)w->w[i];

        if (weight == 0)
            continue;
        adaptive->squares[i] = (float)rows;
        adaptive->sums[i] = (float)-(weight * (scale + rule->l2) + copysign(rule->l1, weight));
    }
}

Status clv_adaptive_resume(Adaptive *adaptive, const Linear *w, double scale, const Model *model,
                           cleave_error *error)
{
    const Bundle *bundle = model->bundle;
    size_t count = (size_t)model->features * w->outputs;
    const BundleItem *scales = clv_bundle_get(bundle, "adaptive_scales", BUNDLE_F32);

    if (!clv_adaptive_check_model(model))
        return clv_state_nonsense(error);
    if (!clv_bundle_get(bundle, "adaptive", BUNDLE_F64) || !scales != adaptive->rule.proximal) {
        resume_solved(adaptive, w, scale, (double)model->rows);
        return OK;
    }
    clv_bundle_copy(bundle, "adaptive", BUNDLE_F64, &adaptive->run, ADAPTIVE_NUMBERS);
    clv_bundle_copy(bundle, "adaptive_bias", BUNDLE_F64, adaptive->intercept_squares, w->outputs);
    clv_bundle_copy(bundle, "adaptive_squares", BUNDLE_F32, adaptive->squares, count);
    if (adaptive->rule.proximal) {
        clv_bundle_copy(bundle, "adaptive_bias_sums", BUNDLE_F64, adaptive->intercept_sums,
                        w->outputs);
        clv_bundle_copy(bundle, "adaptive_sums", BUNDLE_F32, adaptive->sums, count);
        return OK;
    }
    for (uint32_t i = 0; i < model->features; i++) {
        float scale = ((const float *)scales->data)[i];

        adaptive->scale[i] = scale > 0 ? scale_of(scale) : 0;
    }
    return OK;
}
