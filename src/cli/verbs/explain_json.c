/* cleave explain --json: the whole model. */
#include "cli/ui/params.h"
#include "cli/verbs/explain_parts.h"

#include <stdlib.h>
#include <string.h>

const cleave_param *cli_model_param(const cleave_model *model, const char *name)
{
    cleave_method_info info;
    const cleave_param *param = NULL;

    if (cleave_method_find(cleave_model_method(model), &info, NULL) == CLEAVE_OK)
        param = cli_param_find(info.params, name);
    return param ? param : cli_param_find(cleave_train_params(), name);
}

/* Writes a parameter. Numbers and flags have their JSON type; unknown parameters are text. */
static void json_param(Json *json, const cleave_model *model, const char *name, const char *value)
{
    const cleave_param *param = cli_model_param(model, name);
    bool is_flag = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    bool text = param && (param->type == CLEAVE_NAME || param->type == CLEAVE_TEXT);

    cli_json_key(json, name);
    if (!text && (is_flag || cli_json_is_number(value)))
        cli_json_raw(json, value);
    else if (param && param->type == CLEAVE_TEXT && !*value)
        cli_json_null(json);
    else
        cli_json_string(json, value);
}

static void json_weights_of(Json *json, const cleave_model *model, size_t output)
{
    size_t features = cleave_model_feature_count(model);
    char name[24];

    cli_json_open(json, '{');
    for (size_t column = 0; column < features; column++)
        cli_json_put_number(json, cleave_model_feature_name(model, column, name),
                            cleave_model_weight(model, output, column));
    cli_json_close(json, '}');
}

/* Writes one value, or an object of values by class if there is one output per class. */
static void json_per_output(Json *json, const cleave_model *model, size_t outputs, const char *key,
                            void (*put)(Json *json, const cleave_model *model, size_t output))
{
    cli_json_key(json, key);
    if (outputs == 1) {
        put(json, model, 0);
        return;
    }
    cli_json_open(json, '{');
    for (size_t output = 0; output < outputs; output++) {
        cli_json_key(json, cleave_model_label(model, output));
        put(json, model, output);
    }
    cli_json_close(json, '}');
}

static void json_intercept(Json *json, const cleave_model *model, size_t output)
{
    cli_json_number(json, 0.0 - cleave_model_threshold(model, output));
}

static void json_threshold(Json *json, const cleave_model *model, size_t output)
{
    cli_json_number(json, cleave_model_threshold(model, output));
}

static const char *task_name(const cleave_model *model)
{
    switch (cleave_model_task(model)) {
    case CLEAVE_TASK_REGRESSION:
        return "regression";
    case CLEAVE_TASK_MULTICLASS:
        return "multiclass";
    default:
        return "binary";
    }
}

/* ---- the pipeline */

static void json_array(Json *json, const cleave_model *model, size_t step, size_t array,
                       size_t count)
{
    cli_json_open(json, '[');
    for (size_t i = 0; i < count; i++)
        cli_json_number(json, cleave_model_step_value(model, step, array, i));
    cli_json_close(json, ']');
}

/* Writes the score of each selected column. */
static void json_scores(Json *json, const cleave_model *model, size_t step, size_t array,
                        size_t count)
{
    cli_json_open_key(json, "scores", '{');
    for (size_t i = 0; i < count; i++) {
        double score = cleave_model_step_value(model, step, array, i);
        char buffer[24];
        const char *name = cleave_model_step_column(model, step, i, buffer);

        if (!name)
            continue;
        cli_json_key(json, name);
        if (score < 0)
            cli_json_null(json);
        else
            cli_json_number(json, score);
    }
    cli_json_close(json, '}');
}

static void json_transform(Json *json, const cleave_model *model, size_t number,
                           const cleave_pipeline_step *step)
{
    size_t count, scores = SIZE_MAX, score_count = 0;
    const char *name;

    cli_json_open(json, '{');
    cli_json_put_string(json, "transform", step->text);
    cli_json_put_string(json, "details", step->facts);
    cli_json_put_count(json, "inputs", step->inputs);
    cli_json_put_count(json, "outputs", step->outputs);
    cli_json_open_key(json, "learned", '{');
    for (size_t i = 0; cleave_model_step_array(model, number, i, &name, &count, NULL); i++) {
        cli_json_key(json, name);
        json_array(json, model, number, i, count);
        if (strcmp(name, "score") == 0 && count == step->outputs) {
            scores = i;
            score_count = count;
        }
    }
    cli_json_close(json, '}');
    if (scores != SIZE_MAX)
        json_scores(json, model, number, scores, score_count);
    cli_json_close(json, '}');
}

/* Writes the members of nearest-neighbor models. */
static void json_points(Json *json, const cleave_model *model)
{
    size_t classes = cleave_model_label_count(model);
    uint64_t *per_class = cli_alloc(NULL, classes + 1, sizeof *per_class);
    cleave_point_set points;

    if (cleave_model_points(model, &points, per_class)) {
        cli_json_put_count(json, "points", points.count);
        if (cleave_model_task(model) != CLEAVE_TASK_REGRESSION) {
            cli_json_open_key(json, "points_per_class", '{');
            for (size_t i = 0; i < classes; i++)
                cli_json_put_count(json, cleave_model_label(model, i), per_class[i]);
            cli_json_close(json, '}');
        }
        cli_json_put_string(json, "distance", points.distance);
        cli_json_put_string(json, "index", points.index);
        cli_json_put_bool(json, "dense", points.dense);
        cli_json_put_count(json, "bytes", points.bytes);
        cli_json_put_count(json, "index_bytes", points.index_bytes);
        if (points.code_bits) {
            cli_json_put_count(json, "code_parts", points.code_parts);
            cli_json_put_count(json, "code_bits", points.code_bits);
        }
    }
    free(per_class);
}

/* Writes the members of kernel models. */
static void json_supports(Json *json, const cleave_model *model)
{
    cleave_support_vector *supports;
    size_t count;

    if (cleave_model_support_vectors(model, &supports, &count, NULL) == CLEAVE_OK && count > 0)
        cli_json_supports(json, supports, count);
    cleave_support_vectors_free(supports);
}

void cli_explain_json(Out *out, const cleave_model *model)
{
    Json json = {.out = out};
    size_t outputs;
    const char *name, *value;
    cleave_pipeline_step step;

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", cleave_model_method(model));
    cli_json_open_key(&json, "params", '{');
    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        json_param(&json, model, name, value);
    cli_json_close(&json, '}');
    cli_json_put_string(&json, "task", task_name(model));
    cli_json_open_key(&json, "classes", '[');
    for (size_t i = 0; i < cleave_model_label_count(model); i++)
        cli_json_string(&json, cleave_model_label(model, i));
    cli_json_close(&json, ']');
    cli_json_put_string(&json, "positive", cleave_model_positive(model));
    cli_json_put_bool(&json, "probabilities", cleave_model_has_probabilities(model));
    cli_json_put_count(&json, "features", cleave_model_feature_count(model));
    cli_json_put_count(&json, "rows", cleave_model_rows(model));
    cli_json_put_count(&json, "seed", cleave_model_seed(model));
    cli_json_put_string(&json, "cleave_version", cleave_model_writer(model));
    cli_json_open_key(&json, "transforms", '[');
    for (size_t i = 0; cleave_model_step(model, i, &step); i++)
        json_transform(&json, model, i, &step);
    cli_json_close(&json, ']');
    if (cleave_model_is_linear(model, &outputs)) {
        json_per_output(&json, model, outputs, "weights", json_weights_of);
        json_per_output(&json, model, outputs, "intercept", json_intercept);
        json_per_output(&json, model, outputs, "threshold", json_threshold);
    }
    json_points(&json, model);
    json_supports(&json, model);
    cli_explain_trees_json(&json, model);
    cli_explain_units_json(&json, model);
    cli_json_end(&json, '}');
}
