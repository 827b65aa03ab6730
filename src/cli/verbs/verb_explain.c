/* cleave explain: a model and its largest weights. */
#include "cli/report/largest_weights.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/params.h"
#include "cli/ui/table.h"
#include "cli/verbs/explain_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP 10
#define TOP_OF_MANY 3 /* number of weights per class, for more than FEW_CLASSES classes */
#define FEW_CLASSES 4

/* ---- weights */

typedef struct {
    const cleave_model *model;
    Out *out;
    size_t top;
    Bars bars;
    double largest;       /* largest magnitude of the weights of all classes */
    HeavyWeight *weights; /* one per feature */
} Showing;

/* A class and its output: sign -1 for the other class of a binary model. */
typedef struct {
    size_t output;
    double sign;
    const char *label;
} Class;

static void show_side(const Showing *showing, const Class *class, double side, const char *title)
{
    size_t count = cli_heaviest(showing->model, class->output, class->sign, side, showing->weights);
    size_t shown = count < showing->top ? count : showing->top;
    char name[24], drawn[BAR_SIZE];
    TextTable table;

    cli_print(showing->out, "\n%s ", title);
    cli_put_name(showing->out, class->label);
    cli_print(showing->out,
              count == 0      ? ": none\n"
              : shown < count ? " (%zu of %zu)\n"
                              : "\n",
              shown, count);
    cli_table_init(&table, showing->out, 3);
    table.indent = 2;
    table.left[0] = table.left[2] = true;
    for (size_t i = 0; i < shown; i++) {
        const HeavyWeight *weight = &showing->weights[i];

        cli_table_cell(&table, cleave_model_feature_name(showing->model, weight->column, name));
        cli_table_cell(&table, SHORT(weight->weight));
        cli_table_bar(&table, cli_bar(&showing->bars, weight->weight / showing->largest, drawn));
    }
    cli_table_end(&table);
}

static void show_class(const Showing *showing, const Class *class)
{
    bool number = cleave_model_task(showing->model) == CLEAVE_TASK_REGRESSION;

    show_side(showing, class, 1, number ? "Features that increase" : "Features for");
    show_side(showing, class, -1, number ? "Features that decrease" : "Features against");
}

static void show_weights(const Showing *showing, size_t outputs)
{
    size_t shown = outputs < MOST_CLASSES ? outputs : MOST_CLASSES;

    for (size_t output = 0; output < shown; output++) {
        const char *label = outputs == 1 ? cleave_model_positive(showing->model)
                                         : cleave_model_label(showing->model, output);

        if (cleave_model_task(showing->model) == CLEAVE_TASK_REGRESSION)
            label = "the prediction";
        show_class(showing, &(Class){output, 1, label ? label : "the positive class"});
    }
    if (shown < outputs)
        cli_print(showing->out, "\nand %zu more classes; --class shows one, --json all\n",
                  outputs - shown);
}

/* Finds the class named by --class. */
static int find_class(const Call *call, const cleave_model *model, Class *class)
{
    const char *wanted = ((const ExplainFlags *)call->own)->class,
               *positive = cleave_model_positive(model);
    size_t count = cleave_model_label_count(model);
    const char **known;
    int status;

    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION)
        return cli_misuse("--class needs a classification model");
    for (size_t i = 0; i < count; i++)
        if (strcmp(cleave_model_label(model, i), wanted) == 0) {
            *class = (Class){positive ? 0 : i, positive && strcmp(positive, wanted) != 0 ? -1 : 1,
                             cleave_model_label(model, i)};
            return DONE;
        }
    known = cli_alloc(NULL, count + 1, sizeof *known);
    for (size_t i = 0; i < count; i++)
        known[i] = cleave_model_label(model, i);
    known[count] = NULL;
    status = cli_unknown("class", "", wanted, known, "cleave explain MODEL");
    free(known);
    return status;
}

/* ---- the model */

static void show_classes(Out *out, const cleave_model *model)
{
    size_t count = cleave_model_label_count(model);
    const char *positive = cleave_model_positive(model);

    if (cleave_model_task(model) == CLEAVE_TASK_REGRESSION) {
        double low, high;

        cli_put(out, "task       regression");
        if (cleave_model_target_range(model, &low, &high))
            cli_print(out, "; training targets from %s to %s", SHORT(low), SHORT(high));
        cli_put(out, "\n");
        return;
    }
    if (count == 0) {
        cli_put(out, "labels     none: use 'cleave search'\n");
        return;
    }
    cli_put(out, "classes    ");
    for (size_t i = 0; i < count && i < MOST_CLASSES; i++) {
        const char *label = cleave_model_label(model, i);

        cli_put(out, i ? ", " : "");
        cli_put_name(out, label);
        if (positive && strcmp(label, positive) == 0)
            cli_put(out, " (positive)");
    }
    if (count > MOST_CLASSES)
        cli_print(out, " and %zu more", count - MOST_CLASSES);
    cli_put(out, "\n");
}

bool cli_param_is_default(const cleave_model *model, const char *name, const char *value)
{
    const cleave_param *param = cli_model_param(model, name);
    char workspace[DOMAIN_SIZE];
    const char *initial = param ? cli_default(param, workspace) : NULL;

    return initial ? strcmp(initial, value) == 0 : !*value;
}

/* Prints options that differ from the defaults; JSON has all. */
static void show_params(Out *out, const cleave_model *model)
{
    const char *name, *value;
    bool any = false;

    cli_put(out, "options    ");
    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++) {
        if (cli_param_is_default(model, name, value))
            continue;
        cli_put(out, any ? ", " : "");
        cli_put(out, FLAG_NAME(name));
        cli_put(out, " ");
        cli_put_name(out, value);
        any = true;
    }
    cli_put(out, any ? "; defaults otherwise\n" : "defaults\n");
}

/* Prints intercepts. Perceptron and winnow have a threshold instead, which is minus the
 * intercept. */
static void show_intercepts(Out *out, const cleave_model *model, size_t outputs)
{
    const char *method = cleave_model_method(model);
    bool threshold = strcmp(method, "perceptron") == 0 || strcmp(method, "winnow") == 0;

    cli_put(out, threshold ? (outputs == 1 ? "threshold  " : "thresholds ")
                           : (outputs == 1 ? "intercept  " : "intercepts "));
    for (size_t i = 0; i < outputs && i < MOST_CLASSES; i++) {
        double value = cleave_model_threshold(model, i);

        cli_put(out, i ? ", " : "");
        cli_put(out, SHORT(threshold ? value : 0.0 - value));
    }
    cli_put(out, "\n");
}

static bool predicts_by_vote(const cleave_model *model)
{
    const char *name, *value;

    for (size_t i = 0; (value = cleave_model_param(model, i, &name)); i++)
        if (strcmp(name, "form") == 0)
            return strcmp(value, "voted") == 0;
    return false;
}

static void print_head(Out *out, const cleave_model *model)
{
    cli_put_name(out, cleave_model_method(model));
    cli_print(out, ", trained on %s by cleave %s, seed %llu\n",
              COUNT(cleave_model_rows(model), "row", "rows"), cleave_model_writer(model),
              (unsigned long long)cleave_model_seed(model));
    show_classes(out, model);
    if (cleave_model_has_probabilities(model))
        cli_put(out, "output     probabilities (predict --probabilities)\n");
    cli_print(out, "features   %zu", cleave_model_feature_count(model));
    cli_explain_pipeline(out, model);
    show_params(out, model);
}

static int print_weights(const Call *call, Out *out, const cleave_model *model, size_t outputs,
                         const Class *class)
{
    bool many = outputs > FEW_CLASSES && !class;
    Showing showing = {
        .model = model, .out = out, .bars = cli_bars(), .largest = cli_heaviest_of_all(model)};

    showing.top = explain_top(call, many ? TOP_OF_MANY : DEFAULT_TOP);
    if (predicts_by_vote(model))
        cli_put(
            out,
            "form       voted: all weight vectors of the training vote; the last one is shown\n");
    showing.weights = cli_alloc(NULL, cleave_model_feature_count(model), sizeof *showing.weights);
    if (class)
        show_class(&showing, class);
    else
        show_weights(&showing, outputs);
    free(showing.weights);
    return DONE;
}

/* Prints the points of a nearest-neighbor model. Returns false for other models. */
static bool show_points(Out *out, const cleave_model *model)
{
    size_t classes = cleave_model_label_count(model);
    uint64_t *per_class = cli_alloc(NULL, classes + 1, sizeof *per_class);
    bool numbers = cleave_model_task(model) == CLEAVE_TASK_REGRESSION;
    cleave_point_set points;
    bool any = cleave_model_points(model, &points, per_class);

    if (any) {
        cli_print(out, "points     %llu", (unsigned long long)points.count);
        for (size_t i = 0; i < classes && i < MOST_CLASSES && !numbers; i++) {
            cli_print(out, "%s%llu ", i ? ", " : ": ", (unsigned long long)per_class[i]);
            cli_put_name(out, cleave_model_label(model, i));
        }
        cli_print(out, "%s\n", classes > MOST_CLASSES && !numbers ? ", …" : "");
        cli_print(out, "distance   %s, index %s", points.distance, points.index);
        if (points.code_bits)
            cli_print(out, ", codes of %u components with %u bits each", points.code_parts,
                      points.code_bits);
        cli_put(out, "\n");
        cli_print(out, "memory     %s for the points", BYTES(points.bytes));
        cli_print(out, ", which are %s, ", points.dense ? "dense" : "sparse");
        cli_print(out, "and %s for the index\n", BYTES(points.index_bytes));
        if (classes > 0 || numbers)
            cli_put(out, "hint: --example, or DATA --row N, shows the nearest points of a row\n");
    }
    free(per_class);
    return any;
}

static int print_text(const Call *call, Out *out, const cleave_model *model)
{
    const ExplainFlags *given = call->own;
    size_t outputs, top = explain_top(call, DEFAULT_TOP);
    bool linear = cleave_model_is_linear(model, &outputs);
    Class class;

    if (given->class && !linear)
        return cli_misuse("--class needs a linear model: a model of '%s' has no weights",
                          cleave_model_method(model));
    if (given->class) {
        int status = find_class(call, model, &class);

        if (status != DONE)
            return status;
    }
    if (given->tree > (int64_t)cleave_model_tree_count(model))
        return cli_misuse("--tree %lld: the model has %s", (long long)given->tree,
                          COUNT(cleave_model_tree_count(model), "tree", "trees"));
    print_head(out, model);
    if (linear)
        show_intercepts(out, model, outputs);
    if (!given->class)
        cli_explain_scores(out, model, top);
    if (!linear) {
        if (!show_points(out, model) && !cli_explain_supports(out, model, top) &&
            !cli_explain_trees(call, out, model) && !cli_explain_units(out, model, top))
            cli_put(out, "This kind of model has no weights.\n");
        return DONE;
    }
    return print_weights(call, out, model, outputs, given->class ? &class : NULL);
}

static int check_margins(const Call *call)
{
    const ExplainFlags *given = call->own;

    if (given->margins + given->separators + (given->weights != NULL) > 1)
        return cli_misuse("--margins, --separators and --weights cannot be combined");
    if ((given->margins || given->separators || given->weights) &&
        ((given->row >= 0 || given->example || given->example_file) || given->class))
        return cli_misuse("--margins, --separators and --weights explain all rows: leave out "
                          "--row, --example and --class");
    if (given->margins && call->argument_count < 2)
        return cli_misuse("--margins needs DATA: cleave explain MODEL DATA --margins");
    return DONE;
}

static int check_call(const Call *call)
{
    const ExplainFlags *given = call->own;

    CLI_TRY(check_margins(call));

    if ((given->example != NULL) + (given->example_file != NULL) + (given->row >= 0) > 1)
        return cli_misuse("--example, --example-file and --row cannot be combined");
    if (given->row >= 0 && call->argument_count < 2)
        return cli_misuse("--row needs DATA: cleave explain MODEL DATA --row 1");
    if ((given->example || given->example_file) && call->argument_count > 1)
        return cli_misuse("DATA and an example cannot be combined");
    if (given->class && cli_asks_example(call))
        return cli_misuse("--class cannot be combined with a row to explain");
    return DONE;
}

static int run(Call *call)
{
    const ExplainFlags *given = call->own;
    cleave_model *model;
    int status = DONE;
    Out out;

    CLI_TRY(check_call(call));
    if (given->separators)
        return cli_explain_separators(call);
    if (given->weights)
        return cli_explain_margins(call, NULL);
    CLI_TRY(cli_use_model(call, call->arguments[0], &model));
    if (given->margins)
        return cli_explain_margins(call, model);
    if (cli_asks_example(call))
        return cli_explain_example(call, model, explain_top(call, DEFAULT_TOP));
    cli_out_file(&out, stdout);
    if (call->settings.json)
        cli_explain_json(&out, model);
    else
        status = print_text(call, &out, model);
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? status : cli_fail(call);
}

static const char *const list[] = {"LIST", NULL};

static const cleave_param flags[] = {
    CLI_OWN_INTEGER(ExplainFlags, top, -1, 1, INFINITY, "Number of features to show per class.",
                    .default_text = "10, or 3 for more than 4 classes"),
    CLI_OWN_TEXT(ExplainFlags, class, "Show only this class."),
    CLI_OWN_TEXT(ExplainFlags, example,
                 "Row to explain: text, age=39,color=red, '1:0.5 7:1', a file, or -."),
    CLI_OWN_TEXT(ExplainFlags, example_file, "File with the row to explain; - is standard input."),
    CLI_OWN_INTEGER(ExplainFlags, row, -1, 1, INFINITY, "Row of DATA to explain, counted from 1."),
    CLI_OWN_INTEGER(ExplainFlags, tree, -1, 1, INFINITY, "Show this tree, counted from 1."),
    CLI_OWN_INTEGER(ExplainFlags, levels, -1, 0, INFINITY,
                    "Number of levels of a tree to show (0: all)."),
    CLI_OWN_FLAG(ExplainFlags, margins,
                 "Linear model: show margin, slack and support vectors of DATA."),
    CLI_OWN_TEXT(ExplainFlags, weights,
                 "Show margins of DATA for weights and an intercept, e.g. 1,2,-3, without MODEL.",
                 .values = list),
    CLI_OWN_FLAG(ExplainFlags, separators,
                 "Two columns: show all lines that separate the classes of DATA, without MODEL."),
    CLI_OWN_FLAG(ExplainFlags, rules, "Show a tree as rules, one per leaf."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave train perceptron @spam6 -o spam.model",
    "cleave explain spam.model --top 3",
    "cleave explain spam.model @spam6 --row 2",
    NULL,
};

const Verb cli_verb_explain = {
    .name = "explain",
    .arguments = "MODEL [DATA... [--row N]]",
    .brief = "Explain a model, or the prediction for one row.",
    .about = "Shows the weights, tree, neighbors or support vectors of a model, or the "
             "contribution of each feature to one prediction. --json prints all weights in the "
             "order of the training columns.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(ExplainFlags),
    .replaces = "weights",
    .tables = TABLE_BIT(TABLE_READ),
    .shows_notes = true,
    .least = 1,
    .most = SIZE_MAX,
    .run = run,
};
