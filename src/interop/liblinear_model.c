/*
 * Model files of LIBLINEAR (Fan, Chang, Hsieh, Wang and Lin 2008), as `train` writes them:
 *
 *     solver_type L2R_L2LOSS_SVC_DUAL
 *     nr_class 2
 *     label 1 -1           not for regression
 *     nr_feature 3
 *     bias 1               value of a constant feature after the last feature; negative: none
 *     w
 *     0.5                  one line per feature, with one weight per output
 *
 * Two classes have one output, for the first label. Weights are read as 64-bit numbers. The model
 * also stores the solver and the weights of the constant feature, so that an exported model equals
 * the imported file.
 */
#include "interop/model_formats.h"
#include "model/method.h"

enum {
    MOST_CLASSES = 1 << 20,
    MOST_GAPS = 64, /* maximum number of indexes for each column, in addition to FEW_FEATURES */
    FEW_FEATURES = 1 << 14,
};

#define SOLVER_ITEM "liblinear_solver"
#define BIAS_ITEM "liblinear_bias"

static const struct {
    /* an exported model has the first entry with its method and loss */
    const char *name, *method, *loss;
} solvers[] = {
    {"L2R_LR", "logistic", NULL},
    {"L2R_LR_DUAL", "logistic", NULL},
    {"L1R_LR", "logistic", NULL},
    {"L2R_L2LOSS_SVC_DUAL", "svm", "squared-hinge"},
    {"L2R_L2LOSS_SVC", "svm", "squared-hinge"},
    {"L1R_L2LOSS_SVC", "svm", "squared-hinge"},
    {"L2R_L1LOSS_SVC_DUAL", "svm", "hinge"},
    {"MCSVM_CS", "svm", "hinge"},
    {"L2R_L2LOSS_SVR", "svr", "squared-epsilon"},
    {"L2R_L2LOSS_SVR_DUAL", "svr", "squared-epsilon"},
    {"L2R_L1LOSS_SVR_DUAL", "svr", "epsilon"},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers, CRAMMER_SINGER = 7 };

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    ModelLines lines;
    size_t solver; /* SOLVERS: not read yet */
    int64_t classes, features;
    double bias;
    bool has_features;
    Model *model;
    double *weight;
    size_t count, capacity;
} Reading;

static bool is_regression(const Reading *reading)
{
    return strcmp(solvers[reading->solver].method, "svr") == 0;
}

static Status read_solver(Reading *reading)
{
    const char *params[] = {"solver", "dcd", NULL, NULL, NULL};
    ModelLines *lines = &reading->lines;
    char quoted[QUOTE_SIZE];

    if (reading->model)
        return clv_model_lines_fail(lines, "'solver_type' occurs twice");
    clv_model_lines_word(lines);
    for (reading->solver = 0; reading->solver < SOLVERS; reading->solver++)
        if (clv_model_lines_is(lines, solvers[reading->solver].name))
            break;
    if (reading->solver == SOLVERS)
        return clv_model_lines_fail(lines, "solver type '%s' is not supported",
                                    clv_quote(quoted, lines->word, lines->length));
    params[3] = solvers[reading->solver].loss;
    params[2] = params[3] ? "loss" : NULL;
    if (!params[3]) /* the logistic loss has no epsilon */
        params[1] = "newton";
    TRY(clv_import_model(lines->context, solvers[reading->solver].method, params, &reading->model,
                         lines->error));
    return clv_bundle_put_text(reading->model->bundle, SOLVER_ITEM, solvers[reading->solver].name,
                               lines->error);
}

static Status read_labels(Reading *reading)
{
    int64_t label;

    if (!reading->model || reading->model->labels.count)
        return clv_model_lines_fail(&reading->lines, "'label' must follow 'solver_type', once");
    for (int64_t i = 0; i < reading->classes; i++) {
        TRY(clv_model_lines_integer(&reading->lines, "a label", INT32_MIN, INT32_MAX, &label));
        TRY(clv_import_label(&reading->lines, reading->model, label));
    }
    return OK;
}

/* Sets *done if the line is "w". */
static Status read_header(Reading *reading, bool *done)
{
    ModelLines *lines = &reading->lines;
    char quoted[QUOTE_SIZE];

    *done = false;
    clv_model_lines_word(lines);
    if (clv_model_lines_is(lines, "solver_type"))
        TRY(read_solver(reading));
    else if (clv_model_lines_is(lines, "nr_class"))
        TRY(clv_model_lines_integer(lines, "the number of classes", 1, MOST_CLASSES,
                                    &reading->classes));
    else if (clv_model_lines_is(lines, "label"))
        TRY(read_labels(reading));
    else if (clv_model_lines_is(lines, "nr_feature")) {
        TRY(clv_model_lines_integer(lines, "the number of features", 0, MOST_FEATURES - 1,
                                    &reading->features));
        reading->has_features = true;
    } else if (clv_model_lines_is(lines, "bias"))
        TRY(clv_model_lines_double(lines, "the bias", &reading->bias));
    else if (clv_model_lines_is(lines, "w"))
        *done = true;
    else
        return clv_model_lines_fail(lines, "unknown entry '%s'",
                                    clv_quote(quoted, lines->word, lines->length));
    return clv_model_lines_done(lines);
}

static Status check_header(const Reading *reading)
{
    const ModelLines *lines = &reading->lines;

    if (!reading->model || !reading->classes || !reading->has_features)
        return clv_model_lines_fail(lines,
                                    "'solver_type', 'nr_class' and 'nr_feature' must precede 'w'");
    if (is_regression(reading) ? reading->model->labels.count > 0
                               : reading->model->labels.count != reading->classes)
        return clv_model_lines_fail(lines, is_regression(reading)
                                               ? "a regression model cannot have labels"
                                               : "the number of labels differs from 'nr_class'");
    if (reading->solver == CRAMMER_SINGER && reading->classes == 2)
        return clv_model_lines_fail(lines, "MCSVM_CS with two classes is not supported");
    return OK;
}

static Status read_weights(Reading *reading, size_t outputs)
{
    ModelLines *lines = &reading->lines;
    uint64_t rows = (uint64_t)reading->features + (reading->bias >= 0);

    for (uint64_t row = 0; row < rows; row++) {
        if (!clv_model_lines_next(lines))
            return clv_model_lines_fail(lines, "the file ends after %llu of %llu lines of weights",
                                        (unsigned long long)row, (unsigned long long)rows);
        TRY(GROW(lines->context, reading->weight, reading->capacity, reading->count + outputs,
                 lines->error));
        for (size_t i = 0; i < outputs; i++)
            TRY(clv_model_lines_double(lines, "a weight", &reading->weight[reading->count++]));
        TRY(clv_model_lines_done(lines));
    }
    return clv_model_lines_next(lines)
               ? clv_model_lines_fail(lines, "the file has more lines of weights than 'nr_feature'")
               : OK;
}

static Status put_intercepts(Reading *reading, size_t outputs)
{
    Bundle *bundle = reading->model->bundle;
    cleave_error *error = reading->lines.error;
    const double *last = reading->weight + (size_t)reading->features * outputs;
    double *kept = NULL, *intercept;
    Status status = ALLOC_ZERO(reading->lines.context, intercept, outputs, "a model", error);

    if (reading->bias < 0 || status != OK) {
        THEN(status, clv_bundle_put(bundle, "bias", BUNDLE_F64, intercept, outputs, error));
        clv_free(reading->lines.context, intercept);
        return status;
    }
    status = ALLOC(reading->lines.context, kept, outputs + 1, "a model", error);
    for (size_t i = 0; status == OK && i < outputs; i++) {
        kept[i + 1] = last[i];
        intercept[i] = reading->bias * last[i];
        if (!isfinite(intercept[i]))
            status = clv_model_lines_fail(&reading->lines,
                                          "the bias times its weight is too large");
    }
    if (status == OK) {
        kept[0] = reading->bias;
        status = clv_bundle_put(bundle, BIAS_ITEM, BUNDLE_F64, kept, outputs + 1, error);
    }
    THEN(status, clv_bundle_put(bundle, "bias", BUNDLE_F64, intercept, outputs, error));
    FREE(reading->lines.context, kept, intercept);
    return status;
}

static Status put_loss(Reading *reading)
{
    /* loss as in learn/linear/loss.h, epsilon, and 1 for a joint loss of all classes */
    static const struct {
        const char *name;
        double kind;
    } kinds[] = {{"hinge", 0}, {"squared-hinge", 1}, {"epsilon", 3}, {"squared-epsilon", 4}};
    double loss[3] = {2, 0, reading->solver == CRAMMER_SINGER && reading->classes > 2};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (solvers[reading->solver].loss &&
            strcmp(solvers[reading->solver].loss, kinds[i].name) == 0)
            loss[0] = kinds[i].kind;
    return clv_bundle_put(reading->model->bundle, "loss", BUNDLE_F64, loss, 3,
                          reading->lines.error);
}

static Status finish(Reading *reading, size_t outputs)
{
    Model *model = reading->model;
    cleave_error *error = reading->lines.error;
    const double one = 1;

    model->task = is_regression(reading)     ? CLEAVE_TASK_REGRESSION
                  : model->labels.count <= 2 ? CLEAVE_TASK_BINARY
                                             : CLEAVE_TASK_MULTICLASS;
    model->features = (uint32_t)reading->features;
    TRY(clv_bundle_put(model->bundle, "weights", BUNDLE_F64, reading->weight,
                       (uint64_t)reading->features * outputs, error));
    TRY(clv_bundle_put(model->bundle, "scale", BUNDLE_F64, &one, 1, error));
    TRY(put_loss(reading));
    return put_intercepts(reading, outputs);
}

static Status read_all(Reading *reading)
{
    bool done = false;
    size_t outputs;

    while (!done) {
        if (!clv_model_lines_next(&reading->lines))
            return clv_model_lines_fail(&reading->lines, "the file ends before the weights");
        TRY(read_header(reading, &done));
    }
    TRY(check_header(reading));
    outputs = outputs_of(reading->model->labels.count);
    TRY(read_weights(reading, outputs));
    return finish(reading, outputs);
}

static Status read_liblinear(Context *context, const char *name, const char *bytes, size_t size,
                             Model **model, cleave_error *error)
{
    Reading reading = {
        .lines =
            {.context = context, .name = name, .at = bytes, .end = bytes + size, .error = error},
        .solver = SOLVERS,
        .bias = -1,
    };
    Status status = read_all(&reading);

    clv_free(context, reading.weight);
    *model = reading.model;
    return status;
}

static bool recognizes(const char *bytes, size_t size)
{
    return size > 12 && memcmp(bytes, "solver_type ", 12) == 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Other linear methods are written as the most similar solver, because LIBLINEAR predicts with all
 * solvers in the same way. */
static const char *solver_of(const Model *model)
{
    const char *kept = clv_bundle_text(model->bundle, SOLVER_ITEM);
    const char *loss = clv_model_param_text(model, "loss");

    for (size_t i = 0; i < SOLVERS; i++)
        if (kept ? strcmp(kept, solvers[i].name) == 0
                 : strcmp(model->method->name, solvers[i].method) == 0 &&
                       (!solvers[i].loss || strcmp(loss, solvers[i].loss) == 0))
            return solvers[i].name;
    return model->task == CLEAVE_TASK_REGRESSION ? "L2R_L2LOSS_SVR" : "L2R_L2LOSS_SVC_DUAL";
}

/* Returns a bias and a weight for each output whose product is the intercept, or NULL if all
 * intercepts are 0. */
static const double *bias_of(const Model *model, size_t outputs, double *own)
{
    const BundleItem *kept = clv_bundle_get(model->bundle, BIAS_ITEM, BUNDLE_F64);
    const double *numbers = kept ? kept->data : NULL;
    bool same = kept && kept->count == outputs + 1, any = false;

    own[0] = 1;
    for (size_t i = 0; i < outputs; i++) {
        own[i + 1] = 0.0 - cleave_model_threshold(model, i);
        any = any || own[i + 1] != 0;
        same = same && numbers[0] * numbers[i + 1] == own[i + 1];
    }
    return same ? numbers : any ? own : NULL;
}

static void put_labels(ModelText *text, const Model *model)
{
    uint32_t count = model->labels.count;
    int64_t number;

    clv_model_text_put(text, "label");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label = count == 2 ? (i == 0 ? model->positive : 1 - model->positive) : i;

        if (clv_integer_label(text, model, "liblinear", label, &number))
            clv_model_text_put(text, " %lld", (long long)number);
    }
    clv_model_text_put(text, "\n");
}

static void put_row(ModelText *text, const double *weights, size_t outputs)
{
    for (size_t i = 0; i < outputs; i++) {
        clv_model_text_digits17(text, weights[i]);
        clv_model_text_put(text, " ");
    }
    clv_model_text_put(text, "\n");
}

/* The difference between a weight of least-squares and the weight rounded to a float. */
static double rest_of(const Model *model, uint32_t column)
{
    const float *rest = clv_weights_rest(model);
    const BundleItem *scale = clv_bundle_get(model->bundle, "scale", BUNDLE_F64);

    return rest ? *(const double *)scale->data * (double)rest[column] : 0;
}

/* Indexes between the columns of the model get the weight 0. */
static void put_weights(ModelText *text, const Model *model, double *row, size_t outputs)
{
    uint32_t next = 1;

    for (uint32_t column = 0; column < model->features && text->status == OK; column++) {
        uint32_t index = clv_column_index(model, column);

        for (size_t i = 0; i < outputs; i++)
            row[i] = 0;
        for (; next < index && text->status == OK; next++)
            put_row(text, row, outputs);
        for (size_t i = 0; i < outputs; i++)
            row[i] = cleave_model_weight(model, i, column) + rest_of(model, column);
        put_row(text, row, outputs);
        next = index + 1;
    }
}

static void put_model(ModelText *text, const Model *model, double *numbers, size_t outputs)
{
    const double *bias = bias_of(model, outputs, numbers);

    clv_model_text_put(text, "solver_type %s\nnr_class %u\n", solver_of(model),
                       model->labels.count ? model->labels.count : 2);
    if (model->labels.count)
        put_labels(text, model);
    clv_model_text_put(text, "nr_feature %u\nbias ",
                       model->features ? clv_column_index(model, model->features - 1) : 0);
    clv_model_text_digits17(text, bias ? bias[0] : -1);
    clv_model_text_put(text, "\nw\n");
    put_weights(text, model, numbers + outputs + 1, outputs);
    if (bias)
        put_row(text, bias + 1, outputs);
}

static void write_liblinear(const Model *model, const ExportOptions *options, ModelText *text)
{
    size_t outputs = outputs_of(model->labels.count);
    double *numbers;

    (void)options;
    if (clv_model_kind(model) != MODEL_LINEAR ||
        (model->task != CLEAVE_TASK_REGRESSION && model->labels.count == 0)) {
        clv_cannot_export(text, model, "liblinear", NULL, "it is not a linear model");
        return;
    }
    if (!clv_has_no_pipeline(text, model, "liblinear"))
        return;
    if (model->features &&
        clv_column_index(model, model->features - 1) / MOST_GAPS > model->features + FEW_FEATURES) {
        clv_cannot_export(
            text, model, "liblinear", NULL,
            "the feature numbers have large gaps, and the format stores a line for each number");
        return;
    }
    clv_model_text_fail(text,
                        ALLOC(model->context, numbers, 2 * outputs + 1, "a row", text->error));
    if (text->status != OK)
        return;
    put_model(text, model, numbers, outputs);
    clv_free(model->context, numbers);
}

const ModelFormat clv_model_format_liblinear = {
    .name = "liblinear",
    .brief = "model file of LIBLINEAR",
    .write = write_liblinear,
    .recognizes = recognizes,
    .read = read_liblinear,
};
