/*
 * Model files of LIBSVM (Chang and Lin 2011), as svm-train writes them, for two classes:
 *
 *     svm_type c_svc
 *     kernel_type rbf
 *     gamma 0.5
 *     nr_class 2
 *     total_sv 3
 *     rho 0.25
 *     label 1 -1
 *     probA -1.5           with probabilities: the first label has p = 1 / (1 + e^(A score + B))
 *     probB 0.1
 *     nr_sv 1 2            number of support vectors of each label
 *     SV
 *     1 1:0.5 3:1          coefficient, index:value ...
 *
 * The score of the first label is the sum of coefficient * K(x, sv), minus rho. LIBSVM trains one
 * model per pair of classes, which cleave does not support.
 */
#include "interop/model_formats.h"
#include "model/method.h"

#include "base/machine.h"
#include "base/number.h"
#include "data/compact.h"

enum { KERNEL_RBF, KERNEL_POLY, KERNEL_LINEAR }; /* numbers as in the array "kernel" of a model */

static const char *const kernels[] = {"rbf", "polynomial", "linear", NULL};
static const char *const own_kernels[] = {"gaussian", "polynomial", "linear"};

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    ModelLines lines;
    int kernel; /* -1: not read yet */
    bool has_type, has_rho, has_gamma;
    double gamma, coef0, rho, platt[2];
    unsigned platt_count;
    int64_t degree, classes, total;
    Model *model;
    double *alpha;
    uint64_t *end;
    uint32_t *column;
    float *value;
    size_t count, entries, alpha_capacity, end_capacity, column_capacity, value_capacity;
    uint32_t features;
} Reading;

static Status read_type(Reading *reading)
{
    ModelLines *lines = &reading->lines;
    char quoted[QUOTE_SIZE];

    clv_model_lines_word(lines);
    reading->has_type = clv_model_lines_is(lines, "c_svc") || clv_model_lines_is(lines, "nu_svc");
    return reading->has_type ? OK
                             : clv_model_lines_fail(lines, "svm type '%s' is not supported",
                                                    clv_quote(quoted, lines->word, lines->length));
}

static Status read_kernel(Reading *reading)
{
    const char *params[] = {"kernel", NULL, NULL};
    ModelLines *lines = &reading->lines;
    char quoted[QUOTE_SIZE];

    if (reading->model)
        return clv_model_lines_fail(lines, "'kernel_type' occurs twice");
    clv_model_lines_word(lines);
    for (int i = 0; kernels[i]; i++)
        if (clv_model_lines_is(lines, kernels[i]))
            reading->kernel = i;
    if (reading->kernel < 0)
        return clv_model_lines_fail(lines, "kernel type '%s' is not supported",
                                    clv_quote(quoted, lines->word, lines->length));
    params[1] = own_kernels[reading->kernel];
    return clv_import_model(lines->context, "kernel-svm", params, &reading->model, lines->error);
}

static Status read_labels(Reading *reading)
{
    int64_t label;

    if (!reading->model || reading->model->labels.count)
        return clv_model_lines_fail(&reading->lines, "'label' must follow 'kernel_type', once");
    for (int i = 0; i < 2; i++) {
        TRY(clv_model_lines_integer(&reading->lines, "a label", INT32_MIN, INT32_MAX, &label));
        TRY(clv_import_label(&reading->lines, reading->model, label));
    }
    return OK;
}

static Status read_counts(Reading *reading)
{
    int64_t first, second;

    TRY(clv_model_lines_integer(&reading->lines, "a number of support vectors", 0, INT32_MAX,
                                &first));
    TRY(clv_model_lines_integer(&reading->lines, "a number of support vectors", 0, INT32_MAX,
                                &second));
    return first + second == reading->total
               ? OK
               : clv_model_lines_fail(&reading->lines, "'nr_sv' does not add up to 'total_sv'");
}

static Status read_number(Reading *reading, bool *known)
{
    ModelLines *lines = &reading->lines;

    *known = true;
    if (clv_model_lines_is(lines, "gamma")) {
        reading->has_gamma = true;
        return clv_model_lines_double(lines, "gamma", &reading->gamma);
    }
    if (clv_model_lines_is(lines, "rho")) {
        reading->has_rho = true;
        return clv_model_lines_double(lines, "rho", &reading->rho);
    }
    if (clv_model_lines_is(lines, "probA") || clv_model_lines_is(lines, "probB")) {
        bool b = clv_model_lines_is(lines, "probB");

        reading->platt_count |= b ? 2 : 1;
        return clv_model_lines_double(lines, "a probability's coefficient", &reading->platt[b]);
    }
    if (clv_model_lines_is(lines, "coef0"))
        return clv_model_lines_double(lines, "coef0", &reading->coef0);
    if (clv_model_lines_is(lines, "degree"))
        return clv_model_lines_integer(lines, "the degree", 1, 64, &reading->degree);
    if (clv_model_lines_is(lines, "total_sv"))
        return clv_model_lines_integer(lines, "the number of support vectors", 0, INT32_MAX,
                                       &reading->total);
    *known = false;
    return OK;
}

/* Sets *done if the line is "SV". */
static Status read_header(Reading *reading, bool *done)
{
    ModelLines *lines = &reading->lines;
    char quoted[QUOTE_SIZE];
    bool known;

    clv_model_lines_word(lines);
    *done = clv_model_lines_is(lines, "SV");
    TRY(read_number(reading, &known));
    if (known || *done)
        return clv_model_lines_done(lines);
    if (clv_model_lines_is(lines, "svm_type")) {
        TRY(read_type(reading));
    } else if (clv_model_lines_is(lines, "kernel_type")) {
        TRY(read_kernel(reading));
    } else if (clv_model_lines_is(lines, "nr_class")) {
        TRY(clv_model_lines_integer(lines, "the number of classes", 1, INT32_MAX,
                                    &reading->classes));
        if (reading->classes != 2)
            return clv_model_lines_fail(lines,
                                        "a model of %lld classes is not supported, only of two",
                                        (long long)reading->classes);
    } else if (clv_model_lines_is(lines, "label")) {
        TRY(read_labels(reading));
    } else if (clv_model_lines_is(lines, "nr_sv")) {
        TRY(read_counts(reading));
    } else if (clv_model_lines_is(lines, "prob_density_marks")) {
        while (clv_model_lines_word(lines))
            ;
    } else {
        return clv_model_lines_fail(lines, "unknown entry '%s'",
                                    clv_quote(quoted, lines->word, lines->length));
    }
    return clv_model_lines_done(lines);
}

static Status check_header(const Reading *reading)
{
    const ModelLines *lines = &reading->lines;

    if (!reading->has_type || !reading->model || reading->classes != 2 || !reading->has_rho ||
        reading->model->labels.count != 2)
        return clv_model_lines_fail(
            lines, "'svm_type', 'kernel_type', 'nr_class', 'rho' and 'label' must precede 'SV'");
    if (reading->kernel != KERNEL_LINEAR && !(reading->has_gamma && reading->gamma > 0))
        return clv_model_lines_fail(lines, "gamma must be above 0");
    return OK;
}

/* Reads an entry. The last word is "index:value". */
static Status read_entry(Reading *reading, uint32_t *last)
{
    ModelLines *lines = &reading->lines;
    char quoted[QUOTE_SIZE];
    const char *at = lines->word, *stop;
    uint64_t index = 0;
    double value;

    for (; at < lines->rest && *at >= '0' && *at <= '9' && index < MOST_FEATURES; at++)
        index = index * 10 + (uint64_t)(*at - '0');
    if (at == lines->rest || *at != ':' || index < 1 || index >= MOST_FEATURES || index <= *last ||
        !clv_parse_double(at + 1, lines->rest, &value, &stop) || stop != lines->rest ||
        !isfinite((float)value))
        return clv_model_lines_fail(lines, "expected an index above %u and a number, found '%s'",
                                    *last, clv_quote(quoted, lines->word, lines->length));
    *last = (uint32_t)index;
    reading->features = *last > reading->features ? *last : reading->features;
    TRY(GROW(lines->context, reading->column, reading->column_capacity, reading->entries + 1,
             lines->error));
    TRY(GROW(lines->context, reading->value, reading->value_capacity, reading->entries + 1,
             lines->error));
    reading->column[reading->entries] = *last - 1;
    reading->value[reading->entries++] = (float)value;
    return OK;
}

static Status read_vectors(Reading *reading)
{
    ModelLines *lines = &reading->lines;

    while (clv_model_lines_next(lines)) {
        uint32_t last = 0;

        TRY(GROW(lines->context, reading->alpha, reading->alpha_capacity, reading->count + 1,
                 lines->error));
        TRY(GROW(lines->context, reading->end, reading->end_capacity, reading->count + 1,
                 lines->error));
        TRY(clv_model_lines_double(lines, "a coefficient", &reading->alpha[reading->count]));
        while (clv_model_lines_word(lines))
            TRY(read_entry(reading, &last));
        reading->end[reading->count++] = reading->entries;
    }
    return reading->count == (size_t)reading->total
               ? OK
               : clv_model_lines_fail(lines, "found %zu support vectors, but 'total_sv' is %lld",
                                      reading->count, (long long)reading->total);
}

/* Keeps only columns with values, as in training (data/compact.h). */
static Status keep_columns(Reading *reading)
{
    Model *model = reading->model;
    ColumnSet columns = {.context = reading->lines.context};
    cleave_error *error = reading->lines.error;
    Status status = clv_column_set_add(&columns, reading->column, reading->entries, error);

    THEN(status, clv_column_set_name(&columns, &model->names, &model->schema, error));
    for (size_t e = 0; status == OK && e < reading->entries; e++)
        reading->column[e] = clv_column_set_place(&columns, reading->column[e]);
    if (status == OK) {
        clv_note_columns(columns.context, reading->lines.name, (uint32_t)columns.count,
                         reading->features);
        reading->features = (uint32_t)columns.count;
    }
    clv_column_set_free(&columns);
    return status;
}

/* Computes the weights, which a model with the linear kernel stores too. */
static Status put_weights(Reading *reading)
{
    Context *context = reading->lines.context;
    cleave_error *error = reading->lines.error;
    const double one = 1;
    double *sum = NULL;
    float *weight = NULL;
    Status status = clv_affordable(12 * (double)reading->features, error,
                                   "the weights of %u features", reading->features);

    THEN(status, ALLOC_ZERO(context, sum, reading->features, "weights", error));
    THEN(status, ALLOC_ZERO(context, weight, reading->features, "weights", error));
    for (size_t i = 0, e = 0; status == OK && i < reading->count; i++)
        for (; e < reading->end[i]; e++)
            sum[reading->column[e]] += reading->alpha[i] * (double)reading->value[e];
    for (uint32_t i = 0; status == OK && i < reading->features; i++) {
        weight[i] = (float)sum[i];
        if (!isfinite(weight[i]))
            status = clv_model_lines_fail(&reading->lines, "the weight of feature %u is too large",
                                          i + 1);
    }
    THEN(status, clv_bundle_put(reading->model->bundle, "weights", BUNDLE_F32, weight,
                                reading->features, error));
    THEN(status, clv_bundle_put(reading->model->bundle, "scale", BUNDLE_F64, &one, 1, error));
    FREE(context, sum, weight);
    return status;
}

static Status finish(Reading *reading)
{
    Model *model = reading->model;
    Bundle *bundle = model->bundle;
    cleave_error *error = reading->lines.error;
    bool linear = reading->kernel == KERNEL_LINEAR;
    double kernel[] = {reading->kernel, linear ? 1 : reading->gamma, reading->coef0,
                       (double)reading->degree};
    double intercept = 0.0 - reading->rho;

    model->task = CLEAVE_TASK_BINARY;
    model->features = reading->features;
    TRY(clv_bundle_put(bundle, "kernel", BUNDLE_F64, kernel, 4, error));
    TRY(clv_bundle_put(bundle, "sv_columns", BUNDLE_U32, reading->column, reading->entries, error));
    TRY(clv_bundle_put(bundle, "sv_values", BUNDLE_F32, reading->value, reading->entries, error));
    TRY(clv_bundle_put(bundle, "sv_ends", BUNDLE_U64, reading->end, reading->count, error));
    TRY(clv_bundle_put(bundle, "alpha", BUNDLE_F64, reading->alpha, reading->count, error));
    TRY(clv_bundle_put(bundle, "bias", BUNDLE_F64, &intercept, 1, error));
    if (reading->platt_count == 3)
        TRY(clv_bundle_put(bundle, "platt", BUNDLE_F64, reading->platt, 2, error));
    return linear ? put_weights(reading) : OK;
}

static Status read_all(Reading *reading)
{
    for (bool done = false; !done;) {
        if (!clv_model_lines_next(&reading->lines))
            return clv_model_lines_fail(&reading->lines,
                                        "the file ends before the support vectors");
        TRY(read_header(reading, &done));
    }
    TRY(check_header(reading));
    TRY(read_vectors(reading));
    if (clv_has_gaps(reading->features, reading->entries))
        TRY(keep_columns(reading));
    return finish(reading);
}

static Status read_libsvm(Context *context, const char *name, const char *bytes, size_t size,
                          Model **model, cleave_error *error)
{
    Reading reading = {
        .lines =
            {.context = context, .name = name, .at = bytes, .end = bytes + size, .error = error},
        .kernel = -1,
        .degree = 1,
    };
    Status status = read_all(&reading);

    FREE(context, reading.alpha, reading.end, reading.column, reading.value);
    *model = reading.model;
    return status;
}

static bool recognizes(const char *bytes, size_t size)
{
    return size > 9 && memcmp(bytes, "svm_type ", 9) == 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct {
    const Model *model;
    ModelText *text;
    const double *alpha, *kernel;
    const uint64_t *end;
    const uint32_t *column;
    const float *value; /* NULL: all 1 */
    size_t count;
} Writing;

static void put_number(ModelText *text, const char *name, double value)
{
    clv_model_text_put(text, "%s ", name);
    clv_model_text_digits17(text, value);
    clv_model_text_put(text, "\n");
}

/* Like LIBSVM, writes the support vectors grouped by label. The coefficients of the first label are
 * positive. */
static void put_vectors(const Writing *writing, bool positive)
{
    ModelText *text = writing->text;

    for (size_t i = 0; i < writing->count && text->status == OK; i++) {
        if ((writing->alpha[i] > 0) != positive)
            continue;
        clv_model_text_digits17(text, writing->alpha[i]);
        clv_model_text_put(text, " ");
        for (uint64_t e = i ? writing->end[i - 1] : 0; e < writing->end[i]; e++) {
            char digits[NUMBER_SIZE];

            clv_model_text_put(text, "%u:", clv_column_index(writing->model, writing->column[e]));
            clv_model_text_add(text, digits,
                               clv_format_float(digits, writing->value ? writing->value[e] : 1));
            clv_model_text_put(text, " ");
        }
        clv_model_text_put(text, "\n");
    }
}

static void put_header(const Writing *writing, double intercept)
{
    const Model *model = writing->model;
    ModelText *text = writing->text;
    const BundleItem *platt = clv_bundle_get(model->bundle, "platt", BUNDLE_F64);
    int kernel = (int)writing->kernel[0];
    size_t positive = 0;
    int64_t first, second;

    for (size_t i = 0; i < writing->count; i++)
        positive += writing->alpha[i] > 0;
    if (!clv_integer_label(text, model, "libsvm", model->positive, &first) ||
        !clv_integer_label(text, model, "libsvm", 1 - model->positive, &second))
        return;
    clv_model_text_put(text, "svm_type c_svc\nkernel_type %s\n", kernels[kernel]);
    if (kernel == KERNEL_POLY)
        clv_model_text_put(text, "degree %d\n", (int)writing->kernel[3]);
    if (kernel != KERNEL_LINEAR)
        put_number(text, "gamma", writing->kernel[1]);
    if (kernel == KERNEL_POLY)
        put_number(text, "coef0", writing->kernel[2]);
    clv_model_text_put(text, "nr_class 2\ntotal_sv %zu\n", writing->count);
    put_number(text, "rho", 0.0 - intercept);
    clv_model_text_put(text, "label %lld %lld\n", (long long)first, (long long)second);
    if (platt) {
        put_number(text, "probA", ((const double *)platt->data)[0]);
        put_number(text, "probB", ((const double *)platt->data)[1]);
    }
    clv_model_text_put(text, "nr_sv %zu %zu\nSV\n", positive, writing->count - positive);
}

static void write_libsvm(const Model *model, const ExportOptions *options, ModelText *text)
{
    const Bundle *bundle = model->bundle;
    const BundleItem *alpha = clv_bundle_get(bundle, "alpha", BUNDLE_F64);
    const BundleItem *kernel = clv_bundle_get(bundle, "kernel", BUNDLE_F64);
    const BundleItem *end = clv_bundle_get(bundle, "sv_ends", BUNDLE_U64);
    const BundleItem *column = clv_bundle_get(bundle, "sv_columns", BUNDLE_U32);
    const BundleItem *value = clv_bundle_get(bundle, "sv_values", BUNDLE_F32);
    const BundleItem *intercept = clv_bundle_get(bundle, "bias", BUNDLE_F64);

    (void)options;
    if (clv_model_kind(model) != MODEL_KERNEL || !alpha || !kernel || !end || !column ||
        !intercept) {
        clv_cannot_export(text, model, "libsvm",
                          clv_model_kind(model) == MODEL_LINEAR ? "use --format liblinear" : NULL,
                          "it has no support vectors");
        return;
    }
    if (model->labels.count != 2) {
        clv_cannot_export(text, model, "libsvm", NULL,
                          "it has %u classes; LIBSVM has a model for each pair of classes",
                          model->labels.count);
        return;
    }
    if (!clv_has_no_pipeline(text, model, "libsvm"))
        return;
    Writing writing = {.model = model,
                       .text = text,
                       .alpha = alpha->data,
                       .kernel = kernel->data,
                       .end = end->data,
                       .column = column->data,
                       .value = value ? value->data : NULL,
                       .count = (size_t)end->count};
    put_header(&writing, *(const double *)intercept->data);
    put_vectors(&writing, true);
    put_vectors(&writing, false);
}

const ModelFormat clv_model_format_libsvm = {
    .name = "libsvm",
    .brief = "model file of LIBSVM, for two classes",
    .write = write_libsvm,
    .recognizes = recognizes,
    .read = read_libsvm,
};
