/* cleave explain: what a model has learned, and the features that weigh most. */
#include "cli/human.h"
#include "cli/params.h"
#include "cli/report.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USUAL_TOP 10
#define MOST_CLASSES 20 /* shown to a person; JSON has all */

/* ---- JSON */

static const cleave_param *param_of(const cleave_model *model, const char *name)
{
    cleave_method_info info;
    const cleave_param *param = NULL;

    if (cleave_method_find(cleave_model_method(model), &info, NULL) == CLEAVE_OK)
        param = cli_param_find(info.params, name);
    return param ? param : cli_param_find(cleave_train_params(), name);
}

/* Numbers as numbers, flags as flags; what the tables do not know is judged by its looks. */
static void json_param(Json *json, const cleave_model *model, const char *name, const char *value)
{
    const cleave_param *param = param_of(model, name);
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

static void json_params(Json *json, const cleave_model *model)
{
    const char *name, *value;

    cli_json_key(json, "params");
    cli_json_open(json, '{');
    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        json_param(json, model, name, value);
    cli_json_close(json, '}');
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

/* One value, or class → value where there is one output per class. */
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

static void json_bias(Json *json, const cleave_model *model, size_t output)
{
    cli_json_number(json, 0.0 - cleave_model_threshold(model, output));
}

static void json_threshold(Json *json, const cleave_model *model, size_t output)
{
    cli_json_number(json, cleave_model_threshold(model, output));
}

static void json_labels(Json *json, const cleave_model *model)
{
    cli_json_key(json, "classes");
    cli_json_open(json, '[');
    for (size_t i = 0; i < cleave_model_label_count(model); i++)
        cli_json_string(json, cleave_model_label(model, i));
    cli_json_close(json, ']');
    cli_json_put_string(json, "positive", cleave_model_positive(model));
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

static void print_json(Out *out, const cleave_model *model)
{
    Json json = {.out = out};
    size_t outputs;

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "method", cleave_model_method(model));
    json_params(&json, model);
    cli_json_put_string(&json, "task", task_name(model));
    json_labels(&json, model);
    cli_json_put_bool(&json, "probabilities", cleave_model_has_probabilities(model));
    cli_json_put_count(&json, "features", cleave_model_feature_count(model));
    cli_json_put_count(&json, "n", cleave_model_rows(model));
    cli_json_put_count(&json, "seed", cleave_model_seed(model));
    cli_json_put_string(&json, "writer", cleave_model_writer(model));
    if (cleave_model_is_linear(model, &outputs)) {
        json_per_output(&json, model, outputs, "weights", json_weights_of);
        json_per_output(&json, model, outputs, "bias", json_bias);
        json_per_output(&json, model, outputs, "threshold", json_threshold);
    }
    cli_json_close(&json, '}');
    cli_json_end_line(&json);
}

/* ---- for people */

typedef struct {
    double weight;
    size_t column;
} Weight;

static int heaviest_first(const void *a, const void *b)
{
    const Weight *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static int lightest_first(const void *a, const void *b)
{
    const Weight *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static bool utf8_terminal(void)
{
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
    }
    return false;
}

#define BAR_WIDTH 40
#define BAR_SIZE (3 * BAR_WIDTH + 1)

static const char *bar(double share, char buffer[BAR_SIZE])
{
    const char *piece = utf8_terminal() ? "\xE2\x96\x88" : "#";
    size_t size = strlen(piece), length = (size_t)ceil(fabs(share) * BAR_WIDTH);

    if (length > BAR_WIDTH)
        length = BAR_WIDTH;
    for (size_t i = 0; i < length; i++)
        memcpy(buffer + i * size, piece, size);
    buffer[length * size] = '\0';
    return buffer;
}

/* Weights of one side, 0 left out. */
static size_t gather(const cleave_model *model, size_t output, double side, Weight *weights)
{
    size_t features = cleave_model_feature_count(model), count = 0;

    for (size_t column = 0; column < features; column++) {
        double weight = cleave_model_weight(model, output, column);

        if (weight * side > 0)
            weights[count++] = (Weight){weight, column};
    }
    qsort(weights, count, sizeof *weights, side > 0 ? heaviest_first : lightest_first);
    return count;
}

typedef struct {
    const cleave_model *model;
    Out *out;
    size_t top;
    bool bars;
    Weight *weights; /* room for every feature */
} Showing;

static void show_side(const Showing *showing, size_t output, double side, const char *title, const char *label)
{
    size_t count = gather(showing->model, output, side, showing->weights);
    size_t shown = count < showing->top ? count : showing->top;
    char name[24], number[HUMAN_SIZE], drawn[BAR_SIZE];
    Table table;

    cli_print(showing->out, "\n%s ", title);
    cli_put(showing->out, label);
    cli_print(showing->out, count == 0 ? ": nothing\n" : shown < count ? " (%zu of %zu)\n" : "\n", shown, count);
    cli_table_init(&table, showing->out, 3);
    table.indent = 2;
    table.left[0] = table.left[2] = true;
    for (size_t i = 0; i < shown; i++) {
        const Weight *weight = &showing->weights[i];

        cli_table_cell(&table, cleave_model_feature_name(showing->model, weight->column, name));
        cli_table_cell(&table, cli_short(weight->weight, number));
        cli_table_cell(&table, showing->bars ? bar(weight->weight / showing->weights[0].weight, drawn) : NULL);
    }
    cli_table_print(&table);
    cli_table_free(&table);
}

static void show_weights(const Showing *showing, size_t outputs)
{
    size_t shown = outputs < MOST_CLASSES ? outputs : MOST_CLASSES;

    for (size_t output = 0; output < shown; output++) {
        const char *label = outputs == 1 ? cleave_model_positive(showing->model)
                                         : cleave_model_label(showing->model, output);

        if (cleave_model_task(showing->model) == CLEAVE_TASK_REGRESSION) {
            show_side(showing, output, 1, "raise", "the number");
            show_side(showing, output, -1, "lower", "the number");
            continue;
        }
        show_side(showing, output, 1, "for", label ? label : "the positive class");
        show_side(showing, output, -1, "against", label ? label : "the positive class");
    }
    if (shown < outputs)
        cli_print(showing->out, "\nand %zu more classes; --json has them all\n", outputs - shown);
}

static void show_classes(Out *out, const cleave_model *model)
{
    size_t count = cleave_model_label_count(model);
    const char *positive = cleave_model_positive(model);

    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION) {
        cli_put(out, "answers    with a number\n");
        return;
    }
    cli_put(out, "classes    ");
    for (size_t i = 0; i < count && i < MOST_CLASSES; i++) {
        const char *label = cleave_model_label(model, i);

        cli_put(out, i ? ", " : "");
        cli_put(out, label);
        if (positive && strcmp(label, positive) == 0)
            cli_put(out, " (positive)");
    }
    if (count > MOST_CLASSES)
        cli_print(out, " and %zu more", count - MOST_CLASSES);
    cli_put(out, "\n");
}

static bool is_usual(const cleave_model *model, const char *name, const char *value)
{
    const cleave_param *param = param_of(model, name);
    char room[DOMAIN_SIZE];
    const char *usual = param ? cli_default(param, room) : NULL;

    return usual ? strcmp(usual, value) == 0 : !*value;
}

/* What was chosen; JSON has every parameter. */
static void show_params(Out *out, const cleave_model *model)
{
    const char *name, *value;
    char flag[FLAG_SIZE];
    bool any = false;

    cli_put(out, "params     ");
    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++) {
        if (is_usual(model, name, value))
            continue;
        cli_put(out, any ? ", " : "");
        cli_put(out, cli_flag(name, flag));
        cli_put(out, " ");
        cli_put(out, value);
        any = true;
    }
    cli_put(out, any ? "; the others as usual\n" : "as usual\n");
}

static void show_thresholds(Out *out, const cleave_model *model, size_t outputs)
{
    char number[HUMAN_SIZE];

    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION) {
        cli_print(out, "bias       %s\n", cli_short(0.0 - cleave_model_threshold(model, 0), number));
        return;
    }
    cli_put(out, outputs == 1 ? "threshold  " : "thresholds ");
    for (size_t i = 0; i < outputs && i < MOST_CLASSES; i++) {
        cli_put(out, i ? ", " : "");
        cli_put(out, cli_short(cleave_model_threshold(model, i), number));
    }
    cli_put(out, "\n");
}

static bool answers_by_vote(const cleave_model *model)
{
    const char *name, *value;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, "form") == 0)
            return strcmp(value, "voted") == 0;
    return false;
}

static void print_text(Out *out, const cleave_model *model, size_t top)
{
    Showing showing = {.model = model, .out = out, .top = top, .bars = isatty(STDOUT_FILENO)};
    char rows[HUMAN_SIZE];
    size_t outputs;

    cli_put(out, cleave_model_method(model));
    cli_print(out, ", trained on %s by cleave %s, seed %llu\n",
              cli_count(cleave_model_rows(model), "row", "rows", rows), cleave_model_writer(model),
              (unsigned long long)cleave_model_seed(model));
    show_classes(out, model);
    if (cleave_model_has_probabilities(model))
        cli_put(out, "knows      probabilities: predict --probabilities\n");
    cli_print(out, "features   %zu\n", cleave_model_feature_count(model));
    show_params(out, model);
    if (!cleave_model_is_linear(model, &outputs)) {
        cli_put(out, "this kind of model has no weights to show\n");
        return;
    }
    if (answers_by_vote(model))
        cli_put(out, "by vote    all weight vectors of the run answer together; below are the last ones\n");
    show_thresholds(out, model, outputs);
    showing.weights = cli_alloc(NULL, cleave_model_feature_count(model), sizeof *showing.weights);
    show_weights(&showing, outputs);
    free(showing.weights);
}

static int run(Call *call)
{
    cleave_model *model = NULL;
    int status = cli_load(call, call->arguments[0], &model);
    Out out;

    if (status == DONE) {
        cli_out_file(&out, stdout);
        if (call->settings.json)
            print_json(&out, model);
        else
            print_text(&out, model, call->settings.top < 0 ? USUAL_TOP : (size_t)call->settings.top);
        if (cli_out_close(&out, &call->error) != CLEAVE_OK)
            status = cli_fail(call);
    }
    cleave_model_free(model);
    return status;
}

static const cleave_param flags[] = {
    {.name = "top",
     .type = CLEAVE_INTEGER,
     .initial = USUAL_TOP,
     .min = 1,
     .max = INFINITY,
     .help = "how many of the heaviest features to show, for and against; --json has all",
     .offset = offsetof(Settings, top)},
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave train perceptron @spam6 -o spam.model",
    "cleave explain spam.model --top 3",
    NULL,
};

const Verb cli_verb_explain = {
    .name = "explain",
    .arguments = "MODEL",
    .brief = "show what a model has learned",
    .about = "Shows how the model was made and the features that speak most for and against each class. JSON has every "
             "weight, in the order of the training columns.",
    .examples = examples,
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run,
};
