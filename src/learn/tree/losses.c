#include "learn/tree/losses.h"

#include "base/pool.h"
#include "learn/tree/sums.h"

enum {
    CHUNK = 1 << 14, /* rows per task */
    /* factors multiplied per logarithm; each factor is at most the number of classes */
    TOGETHER = 16,
};
#define NEVER 1e-15 /* fractions of rows below this are treated as 0 */

/* ---- memory ---------------------------------------------------------------------------------- */

static uint32_t chunks_of(const Losses *losses)
{
    return (losses->bins->rows + CHUNK - 1) / CHUNK;
}

/* Computes the initial score of each output from the fraction of rows in its class. A single output
 * uses the fraction of the positive class. */
static Status start_classes(Losses *losses, cleave_error *error)
{
    const Bins *bins = losses->bins;
    Exact *weight;
    Status status;
    Sums sums;

    TRY(ALLOC_ZERO(losses->context, weight, losses->outputs, "sums", error));
    clv_sums_begin(&sums, bins, error);
    for (uint32_t i = 0; i < bins->rows; i++) {
        sums_add(&sums, bins_weight(bins, i));
        if (losses->outputs > 1)
            clv_exact_add(&weight[bins->label[i]], bins_weight(bins, i));
        else if (bins->label[i] == losses->positive)
            clv_exact_add(&weight[0], bins_weight(bins, i));
    }
    clv_sums_next(&sums);
    for (size_t c = 0; c < losses->outputs; c++)
        clv_sums_put(&sums, &weight[c]);
    status = clv_sums_end(&sums);
    for (size_t c = 0; c < losses->outputs && status == OK; c++) {
        double share = sums.value[0] > 0 ? sums.value[1 + c] / sums.value[0] : 0.5;

        share = fmin(fmax(share, NEVER), 1 - NEVER);
        losses->start[c] = losses->loss == LOGISTIC_LOSS ? log(share / (1 - share)) : log(share);
    }
    clv_sums_free(&sums);
    clv_free(losses->context, weight);
    return status;
}

static Status set_start(Losses *losses, cleave_error *error)
{
    uint32_t rows = losses->bins->rows;

    if (losses->loss == SQUARED_LOSS)
        TRY(clv_mean_number(losses->bins, &losses->start[0], error));
    else if (losses->loss != EXPONENTIAL_LOSS)
        TRY(start_classes(losses, error));
    for (size_t c = 0; c < losses->outputs; c++)
        for (uint32_t i = 0; i < rows; i++)
            losses->score[c * rows + i] = losses->start[c];
    return OK;
}

static Status allocate(Losses *losses, cleave_error *error)
{
    const Bins *bins = losses->bins;
    size_t rows = (size_t)bins->rows + 1, outputs = losses->outputs;

    TRY(ALLOC_ZERO(bins->context, losses->start, outputs, "scores", error));
    TRY(ALLOC(bins->context, losses->partial, rows / CHUNK + 1, "scores", error));
    TRY(TAKE(bins->workspace, bins->context, losses->score, rows * outputs, "row scores", error));
    TRY(TAKE(bins->workspace, bins->context, losses->gradient, rows, "gradients", error));
    if (losses->loss != SQUARED_LOSS)
        TRY(TAKE(bins->workspace, bins->context, losses->hessian, rows, "gradients", error));
    if (losses->loss != SOFTMAX_LOSS)
        return OK;
    TRY(TAKE(bins->workspace, bins->context, losses->highest, rows, "row scores", error));
    return TAKE(bins->workspace, bins->context, losses->inverse, rows, "row scores", error);
}

Status clv_losses_init(Losses *losses, const Bins *bins, BoostLoss loss, size_t outputs,
                       uint32_t positive, cleave_error *error)
{
    Status status;

    *losses = (Losses){.context = bins->context,
                       .bins = bins,
                       .loss = loss,
                       .outputs = outputs,
                       .positive = positive};
    status = allocate(losses, error);
    if (status != OK) {
        clv_losses_free(losses);
        return status;
    }
    return set_start(losses, error);
}

void clv_losses_free(Losses *losses)
{
    const Workspace *workspace = losses->bins ? losses->bins->workspace : NULL;

    if (!losses->context)
        return;
    FREE(losses->context, losses->start, losses->partial);
    clv_workspace_give(workspace, losses->context, losses->score);
    clv_workspace_give(workspace, losses->context, losses->gradient);
    clv_workspace_give(workspace, losses->context, losses->hessian);
    clv_workspace_give(workspace, losses->context, losses->highest);
    clv_workspace_give(workspace, losses->context, losses->inverse);
    *losses = (Losses){0};
}

/* ---- e^x ------------------------------------------------------------------------------------- */

/* e^x for x at most 0, within two units in the last place: 2^n for the nearest integer n, times
 * a polynomial of the rest. No branch and no table, so that compilers vectorize it. */
static inline float exp_below(float x)
{
    /* 1.5 * 2^23: adding it rounds a number to an integer */
    const float magic = 12582912.0F;
    float bounded = x < -87.0F ? -87.0F : x;
    float shifted = bounded * 1.44269504F + magic, whole = shifted - magic;
    float rest = bounded - whole * 0.693359375F + whole * 2.12194440e-4F;
    float power = 1.9875691500e-4F;
    uint32_t bits;
    float two;

    power = power * rest + 1.3981999507e-3F;
    power = power * rest + 8.3334519073e-3F;
    power = power * rest + 4.1665795894e-2F;
    power = power * rest + 1.6666665459e-1F;
    power = power * rest + 5.0000001201e-1F;
    power = power * rest * rest + rest + 1;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127) << 23; /* the lower bits of the shifted number are the integer n */
    memcpy(&two, &bits, sizeof two);
    return power * two;
}

/* ---- one chunk of rows ----------------------------------------------------------------------- */

/* A sum of logarithms. Multiplies some factors first if the weights are equal. */
static double sum_logs(const float *factor, const float *weight, uint32_t count)
{
    double sum = 0;

    if (weight) {
        for (uint32_t i = 0; i < count; i++)
            sum += (double)weight[i] * log((double)factor[i]);
        return sum;
    }
    for (uint32_t from = 0; from < count; from += TOGETHER) {
        double product = 1;

        for (uint32_t i = from; i < count && i < from + TOGETHER; i++)
            product *= (double)factor[i];
        sum += log(product);
    }
    return sum;
}

static double squared_sum(const Losses *losses, uint32_t first, uint32_t count)
{
    const Bins *bins = losses->bins;
    double sum = 0;

    for (uint32_t i = first; i < first + count; i++) {
        double off = losses->score[i] - bins->number[i];

        sum += bins_weight(bins, i) * off * off / 2;
    }
    return sum;
}

static double logistic_sum(const Losses *losses, uint32_t first, uint32_t count)
{
    const Bins *bins = losses->bins;
    float *factor = losses->gradient + first; /* this part of the buffer is unused at this time */
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        factor[i] = 1 + exp_below(-fabsf((float)losses->score[first + i]));
    sum = sum_logs(factor, bins->weight ? bins->weight + first : NULL, count);
    for (uint32_t i = first; i < first + count; i++) {
        double agrees = bins->label[i] == losses->positive ? losses->score[i] : -losses->score[i];

        sum += agrees < 0 ? -agrees * bins_weight(bins, i) : 0;
    }
    return sum;
}

static double softmax_sum(const Losses *losses, uint32_t first, uint32_t count)
{
    const Bins *bins = losses->bins;
    size_t rows = bins->rows;
    float *restrict highest = losses->highest + first, *restrict inverse = losses->inverse + first;
    double sum;

    for (uint32_t i = 0; i < count; i++) {
        highest[i] = (float)losses->score[first + i];
        inverse[i] = 0;
    }
    for (size_t c = 1; c < losses->outputs; c++) {
        const double *restrict score = losses->score + c * rows + first;

        for (uint32_t i = 0; i < count; i++)
            highest[i] = (float)score[i] > highest[i] ? (float)score[i] : highest[i];
    }
    for (size_t c = 0; c < losses->outputs; c++) {
        const double *restrict score = losses->score + c * rows + first;

        for (uint32_t i = 0; i < count; i++)
            inverse[i] += exp_below((float)score[i] - highest[i]);
    }
    sum = sum_logs(inverse, bins->weight ? bins->weight + first : NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        inverse[i] = 1 / inverse[i];
        sum += bins_weight(bins, first + i) *
               ((double)highest[i] - losses->score[bins->label[first + i] * rows + first + i]);
    }
    return sum;
}

/* e^−m, where m is the score of the class minus the mean score (Zhu et al. 2009); binary: half of
 * the score. */
static double exponential_sum(const Losses *losses, uint32_t first, uint32_t count)
{
    const Bins *bins = losses->bins;
    double sum = 0;

    for (uint32_t i = first; i < first + count; i++) {
        double margin = losses->score[i], mean = 0;

        if (losses->outputs == 1) {
            margin = bins->label[i] == losses->positive ? margin : -margin;
        } else {
            for (size_t c = 0; c < losses->outputs; c++)
                mean += losses->score[c * bins->rows + i];
            margin = losses->score[(size_t)bins->label[i] * bins->rows + i] -
                     mean / (double)losses->outputs;
        }
        sum += bins_weight(bins, i) * exp(-margin);
    }
    return sum;
}

static void squared_gradients(const Losses *losses, uint32_t first, uint32_t count)
{
    const Bins *bins = losses->bins;

    for (uint32_t i = first; i < first + count; i++)
        losses->gradient[i] = (float)(bins_weight(bins, i) * (losses->score[i] - bins->number[i]));
}

static void weigh(const Losses *losses, uint32_t first, uint32_t count)
{
    const float *weight = losses->bins->weight;

    for (uint32_t i = first; weight && i < first + count; i++) {
        losses->gradient[i] *= weight[i];
        losses->hessian[i] *= weight[i];
    }
}

static void logistic_gradients(const Losses *losses, uint32_t first, uint32_t count)
{
    const double *restrict score = losses->score + first;
    const uint32_t *restrict label = losses->bins->label + first;
    float *restrict gradient = losses->gradient + first, *restrict hessian = losses->hessian +
                                                                             first;
    uint32_t positive = losses->positive;

    /* computed from the probability of the other side, which keeps all digits */
    for (uint32_t i = 0; i < count; i++) {
        float towards = (float)(label[i] == positive ? score[i] : -score[i]), size = fabsf(towards);
        float less = exp_below(-size), wrong = (towards < 0 ? 1 : less) / (1 + less);

        gradient[i] = label[i] == positive ? -wrong : wrong;
        hessian[i] = less / ((1 + less) * (1 + less));
    }
}

static void softmax_gradients(const Losses *losses, size_t output, uint32_t first, uint32_t count)
{
    const double *restrict score = losses->score + output * losses->bins->rows + first;
    const uint32_t *restrict label = losses->bins->label + first;
    const float *restrict highest = losses->highest + first, *restrict inverse = losses->inverse +
                                                                                 first;
    float *restrict gradient = losses->gradient + first, *restrict hessian = losses->hessian +
                                                                             first;
    float factor = (float)((double)losses->outputs / ((double)losses->outputs - 1));

    for (uint32_t i = 0; i < count; i++) {
        float share = exp_below((float)score[i] - highest[i]) * inverse[i];
        float rest = 1 - share;

        rest = rest < 0 ? 0 : rest;
        gradient[i] = label[i] == (uint32_t)output ? -rest : share;
        hessian[i] = factor * share * rest;
    }
}

/* ---- all rows -------------------------------------------------------------------------------- */

typedef struct {
    const Losses *losses;
    size_t output;
} GradientTask;

static uint32_t rows_from(const Losses *losses, uint32_t first)
{
    uint32_t left = losses->bins->rows - first;

    return left < CHUNK ? left : CHUNK;
}

static void sum_chunk(void *user, uint32_t task, unsigned worker)
{
    const Losses *losses = ((const GradientTask *)user)->losses;
    uint32_t first = task * CHUNK, count = rows_from(losses, first);

    (void)worker;
    losses->partial[task] = losses->loss == SQUARED_LOSS    ? squared_sum(losses, first, count)
                            : losses->loss == LOGISTIC_LOSS ? logistic_sum(losses, first, count)
                            : losses->loss == EXPONENTIAL_LOSS
                                ? exponential_sum(losses, first, count)
                                : softmax_sum(losses, first, count);
}

static void gradients_of_chunk(void *user, uint32_t task, unsigned worker)
{
    const GradientTask *gradient_task = user;
    const Losses *losses = gradient_task->losses;
    uint32_t first = task * CHUNK, count = rows_from(losses, first);

    (void)worker;
    if (losses->loss == SQUARED_LOSS) {
        squared_gradients(losses, first, count);
        return;
    }
    if (losses->loss == LOGISTIC_LOSS)
        logistic_gradients(losses, first, count);
    else
        softmax_gradients(losses, gradient_task->output, first, count);
    weigh(losses, first, count);
}

double clv_losses_sum(Losses *losses)
{
    GradientTask gradient_task = {.losses = losses};
    double sum = 0;

    clv_pool_run(losses->context, chunks_of(losses), sum_chunk, &gradient_task);
    for (uint32_t i = 0; i < chunks_of(losses); i++)
        sum += losses->partial[i];
    return sum;
}

void clv_losses_gradients(Losses *losses, size_t output)
{
    GradientTask gradient_task = {.losses = losses, .output = output};

    clv_pool_run(losses->context, chunks_of(losses), gradients_of_chunk, &gradient_task);
}

static void count_errors(void *user, uint32_t task, unsigned worker)
{
    const Losses *losses = ((const GradientTask *)user)->losses;
    const Bins *bins = losses->bins;
    uint32_t first = task * CHUNK, end = first + rows_from(losses, first), errors = 0;

    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        size_t best = 0;

        for (size_t c = 1; c < losses->outputs; c++)
            if (losses->score[c * bins->rows + i] > losses->score[best * bins->rows + i])
                best = c;
        errors += losses->outputs == 1
                      ? (losses->score[i] > 0) != (bins->label[i] == losses->positive)
                      : bins->label[i] != best;
    }
    losses->partial[task] = errors;
}

uint64_t clv_losses_errors(const Losses *losses)
{
    GradientTask gradient_task = {.losses = losses};
    uint64_t errors = 0;

    if (!losses->bins->label)
        return 0;
    clv_pool_run(losses->context, chunks_of(losses), count_errors, &gradient_task);
    for (uint32_t i = 0; i < chunks_of(losses); i++)
        errors += (uint64_t)losses->partial[i];
    return errors;
}
