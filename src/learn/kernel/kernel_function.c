#include "learn/kernel/kernel_function.h"

#include <float.h>

enum { CHUNK = 512 };
#define LEAST_WIDEST 1e-30 /* floats can represent values that are 1e8 times smaller */

const char *const clv_kernel_names[] = {"gaussian", "polynomial", "linear", NULL};

Kernel clv_kernel_of(const KernelOptions *options, double default_gamma)
{
    double gamma = options->sigma > 0 ? 1 / (options->sigma * options->sigma) : options->gamma;

    return (Kernel){.kind = (KernelKind)options->kernel,
                    .gamma = gamma > 0 ? gamma : default_gamma,
                    .coef0 = options->coef0,
                    .degree = (uint32_t)options->degree};
}

Status clv_kernel_check(const KernelOptions *options, cleave_error *error)
{
    double gamma = 1 / (options->sigma * options->sigma);

    if (options->sigma > 0 && options->kernel != KERNEL_GAUSSIAN)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "leave it out, or use --kernel gaussian",
                             "--sigma applies to --kernel gaussian");
    if ((options->degree != KERNEL_DEGREE || options->coef0 != KERNEL_COEF0) &&
        options->kernel != KERNEL_POLYNOMIAL)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "leave them out, or add --kernel polynomial",
                             "--degree and --coef0 apply to --kernel polynomial");
    if (options->sigma == 0 || (gamma > 0 && isfinite(gamma)))
        return OK;
    return clv_fail(error, CLEAVE_ERROR_USAGE,
                    "--sigma %g: 1 / sigma^2 is not a finite positive number", options->sigma);
}

/* The sum of the column variances is the mean of |x|² minus the squared norm of the mean row. */
Status clv_kernel_default_gamma(const KernelPoints *points, double *gamma, cleave_error *error)
{
    double *mean = clv_alloc_zero(points->context, points->features, sizeof *mean), square = 0,
           variance;

    if (!mean)
        return clv_fail_memory(error, "column means", points->features * sizeof *mean);
    for (uint32_t i = 0; i < points->count; i++) {
        KernelRow row = point_row(points, i);

        square += row.norm2 / points->count;
        for (size_t e = 0; e < row.count; e++)
            mean[row.column[e]] += (row.value ? (double)row.value[e] : 1) / points->count;
    }
    variance = square;
    for (uint32_t i = 0; i < points->features; i++)
        variance -= mean[i] * mean[i];
    clv_free(points->context, mean);
    *gamma = variance > 1e-12 * square ? 1 / variance : 1;
    return OK;
}

static double power(double base, uint32_t exponent)
{
    double result = 1;

    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

double clv_kernel_self(const Kernel *kernel, double norm2)
{
    switch (kernel->kind) {
    case KERNEL_GAUSSIAN:
        return 1;
    case KERNEL_POLYNOMIAL:
        return power(kernel->gamma * norm2 + kernel->coef0, kernel->degree);
    default:
        return norm2;
    }
}

Status clv_kernel_check_row(double self, double most, uint64_t row, cleave_error *error)
{
    if (fabs(self) <= most)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "standardize the features, or lower --gamma or --degree",
        "training row %llu: the kernel value K(x, x) is %g and exceeds the limit of %g",
        (unsigned long long)row + 1, self, most);
}

Status clv_kernel_check_widest(double widest, cleave_error *error)
{
    if (!(widest > 0 && widest < LEAST_WIDEST))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "standardize the features",
                         "the largest kernel value K(x, x) is %g and is below the limit of %g",
                         widest, LEAST_WIDEST);
}

/* ---- in a model ------------------------------------------------------------------------------ */

Status clv_kernel_to_model(const Kernel *kernel, Model *model, cleave_error *error)
{
    double numbers[] = {kernel->kind, kernel->gamma, kernel->coef0, kernel->degree};

    return clv_bundle_put(model->bundle, "kernel", BUNDLE_F64, numbers, 4, error);
}

bool clv_kernel_from_model(const Model *model, Kernel *kernel)
{
    const BundleItem *item = clv_bundle_get(model->bundle, "kernel", BUNDLE_F64);
    double kind, degree;

    if (!item || item->count != 4)
        return false;
    kind = ((const double *)item->data)[0];
    degree = ((const double *)item->data)[3];
    if (!(kind == KERNEL_GAUSSIAN || kind == KERNEL_POLYNOMIAL || kind == KERNEL_LINEAR) ||
        !(degree >= 1 && degree <= 64) || degree != floor(degree))
        return false;
    *kernel = (Kernel){.kind = (KernelKind)kind,
                       .gamma = ((const double *)item->data)[1],
                       .coef0 = ((const double *)item->data)[2],
                       .degree = (uint32_t)degree};
    return isfinite(kernel->gamma) && kernel->gamma > 0 && isfinite(kernel->coef0);
}

bool clv_kernel_same(const Kernel *a, const Kernel *b)
{
    return a->kind == b->kind && (a->kind == KERNEL_LINEAR || a->gamma == b->gamma) &&
           (a->kind != KERNEL_POLYNOMIAL || (a->coef0 == b->coef0 && a->degree == b->degree));
}

/* ---- evaluation ------------------------------------------------------------------------------ */

Status clv_evaluator_init(Evaluator *evaluator, Context *context, Kernel kernel, uint32_t features,
                          cleave_error *error)
{
    *evaluator = (Evaluator){.context = context, .kernel = kernel, .loops = clv_loops()};
    return clv_evaluator_reserve(evaluator, features, error);
}

Status clv_evaluator_reserve(Evaluator *evaluator, uint32_t features, cleave_error *error)
{
    size_t words = ((size_t)features + 63) / 64, old = evaluator->spread_capacity,
           old_words = evaluator->word_capacity;

    TRY(GROW(evaluator->context, evaluator->spread, evaluator->spread_capacity, features, error));
    TRY(GROW(evaluator->context, evaluator->words, evaluator->word_capacity, words, error));
    if (evaluator->spread_capacity > old)
        memset(evaluator->spread + old, 0,
               (evaluator->spread_capacity - old) * sizeof *evaluator->spread);
    if (evaluator->word_capacity > old_words)
        memset(evaluator->words + old_words, 0,
               (evaluator->word_capacity - old_words) * sizeof *evaluator->words);
    return OK;
}

void clv_evaluator_free(Evaluator *evaluator)
{
    if (!evaluator->context)
        return;
    FREE(evaluator->context, evaluator->spread, evaluator->words);
    *evaluator = (Evaluator){0};
}

static float to_float(double value)
{
    return (float)fmin(fmax(value, -(double)FLT_MAX), (double)FLT_MAX);
}

static void finish(const Evaluator *evaluator, const double *dots, const double *norm2, double own,
                   size_t count, float *out)
{
    const Kernel *kernel = &evaluator->kernel;

    switch (kernel->kind) {
    case KERNEL_GAUSSIAN:
        evaluator->loops->gaussian(dots, norm2, own, kernel->gamma, count, out);
        break;
    case KERNEL_POLYNOMIAL:
        for (size_t k = 0; k < count; k++)
            out[k] = to_float(power(kernel->gamma * dots[k] + kernel->coef0, kernel->degree));
        break;
    default:
        for (size_t k = 0; k < count; k++)
            out[k] = to_float(dots[k]);
    }
}

static void evaluate_bits(Evaluator *evaluator, const View *view, KernelRow row, float *out)
{
    double dots[CHUNK];

    for (size_t e = 0; e < row.count; e++)
        evaluator->words[row.column[e] / 64] |= (uint64_t)1 << row.column[e] % 64;
    for (size_t first = 0; first < view->count; first += CHUNK) {
        size_t count = view->count - first < CHUNK ? view->count - first : CHUNK;

        evaluator->loops->dot_bits(view->bits + first, view->count, evaluator->words, view->words,
                                   count, dots);
        finish(evaluator, dots, view->norm2 + first, row.norm2, count, out + first);
    }
    for (size_t e = 0; e < row.count; e++)
        evaluator->words[row.column[e] / 64] = 0;
}

static void evaluate_planes(const Evaluator *evaluator, const View *view, KernelRow row, float *out)
{
    double dots[CHUNK];

    for (size_t first = 0; first < view->count; first += CHUNK) {
        size_t count = view->count - first < CHUNK ? view->count - first : CHUNK;

        memset(dots, 0, count * sizeof *dots);
        for (size_t e = 0; e < row.count; e++)
            evaluator->loops->add_plane(view->planes + (size_t)row.column[e] * view->count + first,
                                        row.value ? (double)row.value[e] : 1, count, dots);
        finish(evaluator, dots, view->norm2 + first, row.norm2, count, out + first);
    }
}

static void evaluate_rows(Evaluator *evaluator, const View *view, KernelRow row, float *out)
{
    const KernelPoints *points = view->points;
    double dots[CHUNK];

    for (size_t e = 0; e < row.count; e++)
        evaluator->spread[row.column[e]] = row.value ? row.value[e] : 1;
    for (size_t first = 0; first < view->count; first += CHUNK) {
        size_t count = view->count - first < CHUNK ? view->count - first : CHUNK;

        evaluator->loops->dot_rows(points->end, points->column, points->value, view->order, first,
                                   count, evaluator->spread, dots);
        finish(evaluator, dots, view->norm2 + first, row.norm2, count, out + first);
    }
    for (size_t e = 0; e < row.count; e++)
        evaluator->spread[row.column[e]] = 0;
}

void clv_evaluate(Evaluator *evaluator, const View *view, KernelRow row, float *out)
{
    if (view->planes)
        evaluate_planes(evaluator, view, row, out);
    else if (view->bits && !row.value)
        evaluate_bits(evaluator, view, row, out);
    else
        evaluate_rows(evaluator, view, row, out);
}
