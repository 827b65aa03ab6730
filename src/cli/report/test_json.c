/*
 * Members of the JSON of `test --report`: the points of curves, the calibration, and feature
 * importance. Lists of numbers have six digits, more than a screen can show.
 */
#include "cli/report/largest_weights.h"
#include "cli/report/metric_value.h"
#include "cli/report/metrics_text.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- charts */

/* Writes one member of each element of an array of structs. first points to the member of the first
 * struct. */
static void put_column(Json *json, const char *key, const double *first, size_t count,
                       size_t stride)
{
    cli_json_open_key(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        double value = *(const double *)((const char *)first + i * stride);

        cli_json_raw(json, isfinite(value) ? SHORT(value) : "null");
    }
    cli_json_close(json, ']');
}

static void put_curve(Json *json, const cleave_evaluation_details *details,
                      const cleave_curve *curve)
{
    const cleave_threshold *first = curve->points;
    size_t stride = sizeof *first;

    cli_json_open(json, '{');
    cli_json_put_string(json, "class", details->classes[curve->class_number].label);
    put_column(json, "threshold", &first->threshold, curve->count, stride);
    put_column(json, "precision", &first->precision, curve->count, stride);
    put_column(json, "recall", &first->recall, curve->count, stride);
    put_column(json, "f1", &first->f1, curve->count, stride);
    put_column(json, "false_positive_rate", &first->false_positive_rate, curve->count, stride);
    cli_json_close(json, '}');
}

static void put_calibration(Json *json, const cleave_evaluation_plots *pictures)
{
    cli_json_open_key(json, "calibration", '{');
    cli_json_put_number(json, "error", pictures->calibration_error);
    cli_json_open_key(json, "bins", '[');
    for (size_t i = 0; i < pictures->calibration_count; i++) {
        const cleave_calibration_bin *bin = &pictures->calibration[i];

        cli_json_open(json, '{');
        cli_json_put_number(json, "rows", bin->rows);
        cli_json_put_number(json, "predicted", bin->predicted);
        cli_json_interval(json, "observed", &bin->observed);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

void cli_pictures_json(Json *json, const cleave_evaluation_details *details,
                       const cleave_evaluation_plots *pictures)
{
    const cleave_histogram_bar *bars = pictures->bars;
    const cleave_prediction_pair *answers = pictures->pairs;

    cli_json_open_key(json, "curves", '[');
    for (size_t i = 0; i < pictures->curve_count; i++)
        put_curve(json, details, &pictures->curves[i]);
    cli_json_close(json, ']');
    if (pictures->calibration_count)
        put_calibration(json, pictures);
    if (pictures->bar_count) {
        cli_json_open_key(json, "histogram", '{');
        put_column(json, "low", &bars->low, pictures->bar_count, sizeof *bars);
        put_column(json, "high", &bars->high, pictures->bar_count, sizeof *bars);
        put_column(json, "positive", &bars->positives, pictures->bar_count, sizeof *bars);
        put_column(json, "others", &bars->others, pictures->bar_count, sizeof *bars);
        cli_json_close(json, '}');
    }
    if (pictures->pair_count) {
        cli_json_open_key(json, "predictions", '{');
        put_column(json, "target", &answers->truth, pictures->pair_count, sizeof *answers);
        put_column(json, "predicted", &answers->predicted, pictures->pair_count, sizeof *answers);
        cli_json_close(json, '}');
    }
}

/* ---- the model */

enum { TOP = TOP_FEATURES, TOP_OF_MANY = 5, FEW_CLASSES = 4, MOST_OUTPUTS = 30 };

static void put_importance(Json *json, const char *label, const cleave_model *model, size_t column,
                           double value)
{
    char name[24];

    cli_json_open(json, '{');
    if (label)
        cli_json_put_string(json, "class", label);
    cli_json_put_string(json, "feature", cleave_model_feature_name(model, column, name));
    cli_json_put_number(json, "value", value);
    cli_json_close(json, '}');
}

/* Writes the largest weights of each class, positive weights first. */
static void put_weights(Json *json, const cleave_model *model, size_t outputs)
{
    HeavyWeight *list = cli_alloc(NULL, cleave_model_feature_count(model), sizeof *list);
    size_t top = outputs > FEW_CLASSES ? TOP_OF_MANY : TOP / 2;

    for (size_t k = 0; k < outputs && k < MOST_OUTPUTS; k++)
        for (double side = 1; side >= -1; side -= 2) {
            size_t count = cli_heaviest(model, k, 1, side, list);

            for (size_t i = 0; i < count && i < top; i++)
                put_importance(json, outputs > 1 ? cleave_model_label(model, k) : NULL, model,
                               list[i].column, list[i].weight);
        }
    free(list);
}

static void put_gains(Json *json, const cleave_model *model)
{
    size_t count;
    Importance *list = cli_importances(model, &count);
    bool permuted = count > 0 && !isnan(list[0].harm);

    if (count) {
        cli_json_put_string(json, "by", permuted ? "out-of-bag permutation" : "gain");
        cli_json_open_key(json, "features", '[');
        for (size_t i = 0; i < count && i < TOP; i++)
            put_importance(json, NULL, model, list[i].column,
                           permuted ? list[i].harm : list[i].gain);
        cli_json_close(json, ']');
        cli_json_put_count(json, "feature_count", count);
    }
    free(list);
}

static void put_supports(Json *json, const cleave_model *model)
{
    cleave_support_vector *supports;
    size_t count;

    if (cleave_model_support_vectors(model, &supports, &count, NULL) != CLEAVE_OK)
        return;
    cli_json_put_count(json, "support_vector_count", count);
    cli_json_supports(json, supports, count < TOP ? count : TOP);
    cleave_support_vectors_free(supports);
}

void cli_tested_model_json(Json *json, const Tested *tested)
{
    const cleave_model *model = tested->model;
    const Permuted *permuted = tested->permuted;
    const char *name, *value;
    cleave_point_set points;
    size_t outputs;

    cli_json_open_key(json, "model", '{');
    cli_json_open_key(json, "parameters", '{');
    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (!cli_param_is_default(model, name, value))
            cli_json_put_string(json, name, value);
    cli_json_close(json, '}');
    cli_json_put_count(json, "features", cleave_model_feature_count(model));
    cli_json_put_count(json, "training_rows", cleave_model_rows(model));
    cli_json_put_count(json, "seed", cleave_model_seed(model));
    if (cleave_model_points(model, &points, NULL)) {
        cli_json_put_count(json, "points", points.count);
        cli_json_put_string(json, "distance", points.distance);
    }
    put_supports(json, model);
    cli_json_close(json, '}');
    cli_json_open_key(json, "importance", '{');
    if (permuted) {
        cli_json_put_string(json, "by", "permutation");
        cli_json_open_key(json, "features", '[');
        for (size_t i = 0; i < permuted->count; i++)
            put_importance(json, NULL, model, permuted->column[i], permuted->importance[i]);
        cli_json_close(json, ']');
        cli_json_put_count(json, "feature_count", cleave_model_feature_count(model));
    } else if (cleave_model_is_linear(model, &outputs) && cleave_model_feature_count(model) > 0) {
        cli_json_put_string(json, "by", "weight");
        cli_json_open_key(json, "features", '[');
        put_weights(json, model, outputs);
        cli_json_close(json, ']');
        cli_json_put_count(json, "feature_count", cleave_model_feature_count(model));
    } else {
        put_gains(json, model);
    }
    cli_json_close(json, '}');
}
