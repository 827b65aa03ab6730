#include "eval/platt.h"

#include <float.h>

/* ---- the fit --------------------------------------------------------------------------------- */

typedef struct {
    const double *score;
    const bool *positive;
    size_t count;
    double high, low; /* Platt's smoothed targets, used instead of 1 and 0 */
} Sigmoid;

static double target(const Sigmoid *rows, size_t i)
{
    return rows->positive[i] ? rows->high : rows->low;
}

/* The negative log-likelihood, in a form that does not overflow. */
static double cost(const Sigmoid *rows, double a, double b)
{
    double sum = 0;

    for (size_t i = 0; i < rows->count; i++) {
        double f = a * rows->score[i] + b, t = target(rows, i);

        sum += f >= 0 ? t * f + log1p(exp(-f)) : (t - 1) * f + log1p(exp(f));
    }
    return sum;
}

typedef struct {
    double a, b;       /* elements of the gradient */
    double aa, ab, bb; /* second derivatives */
} Slope;

static Slope slope(const Sigmoid *rows, double a, double b)
{
    Slope sum = {.aa = 1e-12, .bb = 1e-12};

    for (size_t i = 0; i < rows->count; i++) {
        double f = a * rows->score[i] + b, s = rows->score[i];
        double p = f >= 0 ? exp(-f) / (1 + exp(-f)) : 1 / (1 + exp(f));
        double off = target(rows, i) - p, bend = p * (1 - p);

        sum.a += s * off;
        sum.b += off;
        sum.aa += s * s * bend;
        sum.ab += s * bend;
        sum.bb += bend;
    }
    return sum;
}

/* Newton steps with backtracking line search. */
static void descend(const Sigmoid *rows, double *a, double *b)
{
    enum { MOST_STEPS = 100 };
    double now = cost(rows, *a, *b);

    for (int step = 0; step < MOST_STEPS; step++) {
        Slope at = slope(rows, *a, *b);
        double determinant = at.aa * at.bb - at.ab * at.ab, size = 1;
        double da = -(at.bb * at.a - at.ab * at.b) / determinant,
               db = -(at.aa * at.b - at.ab * at.a) / determinant;
        double falls = at.a * da + at.b * db;

        if ((fabs(at.a) < 1e-5 && fabs(at.b) < 1e-5) || !(determinant > 0))
            return;
        for (; size > 1e-10; size /= 2) {
            double next = cost(rows, *a + size * da, *b + size * db);

            if (next < now + 1e-4 * size * falls) {
                *a += size * da;
                *b += size * db;
                now = next;
                break;
            }
        }
        if (size <= 1e-10)
            return;
    }
}

Status clv_platt_fit(Context *context, const double *score, const bool *positive, size_t count,
                     double *a, double *b, cleave_error *error)
{
    double *unit = clv_alloc(context, count, sizeof *unit);
    Sigmoid rows = {.score = unit, .positive = positive, .count = count};
    double yes = 0, no, largest = 0;

    if (!unit)
        return clv_fail_memory(error, "scores", count * sizeof *unit);
    for (size_t i = 0; i < count; i++) {
        yes += positive[i];
        largest = fmax(largest, fabs(score[i]));
    }
    for (size_t i = 0; i < count; i++)
        unit[i] = largest > 0 ? score[i] / largest : 0;
    no = (double)count - yes;
    rows.high = (yes + 1) / (yes + 2);
    rows.low = 1 / (no + 2);
    *a = 0;
    *b = log((no + 1) / (yes + 1));
    descend(&rows, a, b);
    if (largest > 0)
        *a = fmax(-DBL_MAX, fmin(DBL_MAX, *a / largest));
    clv_free(context, unit);
    return OK;
}

/* ---- a model --------------------------------------------------------------------------------- */

typedef struct {
    Context *context;
    size_t outputs;
    uint32_t classes;
    double *score; /* scores row by row, with all outputs of a row together */
    uint32_t *label;
    size_t rows, score_capacity, label_capacity;
    cleave_error *error;
} HeldOut;

static Status gather(void *user, const Block *block, const double *numbers, const double *scores)
{
    HeldOut *held = user;
    size_t need = held->rows + block->rows;

    (void)numbers;
    TRY(GROW(held->context, held->score, held->score_capacity, need * held->outputs, held->error));
    TRY(GROW(held->context, held->label, held->label_capacity, need, held->error));
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);

        if (label >= held->classes)
            continue;
        memcpy(held->score + held->rows * held->outputs, scores + (size_t)row * held->outputs,
               held->outputs * sizeof *scores);
        held->label[held->rows++] = label;
    }
    return OK;
}

static Status fit_outputs(Model *model, const HeldOut *held, cleave_error *error)
{
    double *score = clv_alloc(held->context, held->rows, sizeof *score);
    bool *positive = clv_alloc(held->context, held->rows, sizeof *positive);
    double *fitted = clv_alloc(held->context, 2 * held->outputs, sizeof *fitted);
    Status status = score && positive && fitted
                        ? OK
                        : clv_fail_memory(error, "scores", held->rows * sizeof *score);

    for (size_t output = 0; output < held->outputs && status == OK; output++) {
        uint32_t yes = held->outputs == 1 ? model->positive : (uint32_t)output;

        for (size_t i = 0; i < held->rows; i++) {
            score[i] = held->score[i * held->outputs + output];
            positive[i] = held->label[i] == yes;
        }
        status = clv_platt_fit(held->context, score, positive, held->rows, &fitted[2 * output],
                               &fitted[2 * output + 1], error);
    }
    THEN(status, clv_bundle_put(model->bundle, "platt", BUNDLE_F64, fitted,
                                2 * (uint64_t)held->outputs, error));
    FREE(held->context, score, positive, fitted);
    return status;
}

Status clv_platt(Model *model, Traversal *held_out, cleave_error *error)
{
    HeldOut held = {.context = model->context,
                    .outputs = outputs_of(model->labels.count),
                    .classes = model->labels.count,
                    .error = error};
    Evaluation evaluation = {.without_loss = true};
    Status status = clv_evaluate_rows(model, held_out, NULL, gather, &held, &evaluation, error);

    if (status == OK && held.rows < 2)
        status = clv_fail(error, CLEAVE_ERROR_DATA, "--calibrate: there are too few held-out rows");
    THEN(status, fit_outputs(model, &held, error));
    FREE(held.context, held.score, held.label);
    return status;
}
