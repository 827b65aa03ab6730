/*
 * cleave trace: the updates of a method as a table, or as one JSON object per line.
 */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Call *call;
    const cleave_data *data;
    Out out;
    TextTable table;
    bool begun;
    double *before; /* weights, then thresholds, after the previous visit */
    size_t before_count;
} Tracing;

static const char *class_name(const Tracing *tracing, size_t output)
{
    return cleave_data_label(tracing->data, output);
}

static bool is_step(const cleave_trace_event *event)
{
    return event->example_row == 0;
}

/* ---- JSON */

static void json_weights(Json *json, const cleave_trace_event *event, size_t output)
{
    char name[24];

    cli_json_open(json, '{');
    for (size_t column = 0; column < event->features; column++)
        cli_json_put_number(json, cleave_trace_feature_name(event, column, name),
                            event->weights[output * event->features + column]);
    cli_json_close(json, '}');
}

static void json_numbers(Json *json, const Tracing *tracing, size_t outputs, const double *values)
{
    if (outputs == 1) {
        cli_json_number(json, values[0]);
        return;
    }
    cli_json_open(json, '{');
    for (size_t output = 0; output < outputs; output++)
        cli_json_put_number(json, class_name(tracing, output), values[output]);
    cli_json_close(json, '}');
}

static void json_all_weights(Json *json, const Tracing *tracing, const cleave_trace_event *event)
{
    if (event->outputs == 1) {
        json_weights(json, event, 0);
        return;
    }
    cli_json_open(json, '{');
    for (size_t output = 0; output < event->outputs; output++) {
        cli_json_key(json, class_name(tracing, output));
        json_weights(json, event, output);
    }
    cli_json_close(json, '}');
}

static void json_visit(Json *json, const Tracing *tracing, const cleave_trace_event *event)
{
    cli_json_key(json, "example");
    if (event->example_name)
        cli_json_string(json, event->example_name);
    else
        cli_json_count(json, event->example_row);
    cli_json_put_string(json, "label", event->label);
    cli_json_key(json, "score");
    json_numbers(json, tracing, event->outputs, event->scores);
    cli_json_put_bool(json, "correct", event->correct);
}

static void json_event(Tracing *tracing, const cleave_trace_event *event)
{
    Json json = {.out = &tracing->out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "epoch", event->epoch);
    if (is_step(event)) {
        cli_json_put_string(&json, "example", NULL);
        cli_json_put_bool(&json, "step", true);
        cli_json_put_string(&json, "label", NULL);
        cli_json_put_string(&json, "score", NULL);
        cli_json_put_string(&json, "correct", NULL);
    } else
        json_visit(&json, tracing, event);
    cli_json_key(&json, "weights");
    json_all_weights(&json, tracing, event);
    cli_json_key(&json, "threshold");
    json_numbers(&json, tracing, event->outputs, event->thresholds);
    cli_json_end(&json, '}');
}

/* ---- the table */

static void named_cell(Tracing *tracing, size_t outputs, size_t output, const char *name)
{
    const char *class = outputs == 1 ? "" : class_name(tracing, output);
    size_t size = strlen(class) + strlen(name) + 2;
    char *text = cli_alloc(NULL, size, 1);

    snprintf(text, size, "%s%s%s", class, outputs == 1 ? "" : ":", name);
    cli_table_cell(&tracing->table, text);
    free(text);
}

static void table_header(Tracing *tracing, const cleave_trace_event *event)
{
    static const char *const first[] = {"epoch", "x", "y"};
    size_t thresholds = event->learns_threshold ? event->outputs : 0;
    TextTable *table = &tracing->table;
    char name[24];

    cli_table_init(table, &tracing->out, 4 + event->outputs * (1 + event->features) + thresholds);
    table->left[3 + event->outputs] = true; /* correct */
    for (size_t i = 0; i < 3; i++)
        cli_table_cell(table, first[i]);
    for (size_t output = 0; output < event->outputs; output++)
        named_cell(tracing, event->outputs, output, "score");
    cli_table_cell(table, "correct");
    for (size_t output = 0; output < event->outputs; output++)
        for (size_t column = 0; column < event->features; column++)
            named_cell(tracing, event->outputs, output,
                       cleave_trace_feature_name(event, column, name));
    for (size_t output = 0; output < thresholds; output++)
        named_cell(tracing, event->outputs, output, "theta");
}

static void number_cell(TextTable *table, double value)
{
    cli_table_cell(table, SHORT(value));
}

static void state_cells(Tracing *tracing, const cleave_trace_event *event, const double *weights,
                        const double *thresholds)
{
    for (size_t i = 0; i < event->outputs * event->features; i++)
        number_cell(&tracing->table, weights[i]);
    for (size_t i = 0; event->learns_threshold && i < event->outputs; i++)
        number_cell(&tracing->table, thresholds[i]);
}

static void visit_cells(Tracing *tracing, const cleave_trace_event *event)
{
    TextTable *table = &tracing->table;
    char number[HUMAN_SIZE];

    snprintf(number, sizeof number, "%llu", (unsigned long long)event->example_row);
    cli_table_cell(table, is_step(event)        ? "step"
                          : event->example_name ? event->example_name
                                                : number);
    cli_table_cell(table, is_step(event) ? NULL : event->label ? event->label : "?");
    for (size_t output = 0; output < event->outputs; output++)
        if (is_step(event))
            cli_table_cell(table, NULL);
        else
            number_cell(table, event->scores[output]);
    cli_table_cell(table, is_step(event) ? NULL : event->correct ? "yes" : "no");
}

/* ---- events */

static size_t weight_count(const cleave_trace_event *event)
{
    return event->outputs * event->features;
}

static void remember(Tracing *tracing, const cleave_trace_event *event)
{
    size_t weights = weight_count(event);

    memcpy(tracing->before, event->weights, weights * sizeof(double));
    memcpy(tracing->before + weights, event->thresholds, event->outputs * sizeof(double));
}

static bool differs(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return true;
    return false;
}

/* An event of epoch 0 has the initial weights; without one they are 0. */
static void begin(Tracing *tracing, const cleave_trace_event *event)
{
    tracing->begun = true;
    tracing->before_count = weight_count(event) + event->outputs;
    tracing->before = cli_alloc(NULL, tracing->before_count, sizeof *tracing->before);
    for (size_t i = 0; i < tracing->before_count; i++)
        tracing->before[i] = 0;
    if (event->epoch == 0)
        remember(tracing, event);
    if (!tracing->call->settings.json) {
        table_header(tracing, event);
        for (size_t i = 0; i < 4 + event->outputs; i++)
            cli_table_cell(&tracing->table, NULL);
        state_cells(tracing, event, tracing->before,
                    tracing->before + event->outputs * event->features);
    }
}

static void show(Tracing *tracing, const cleave_trace_event *event)
{
    size_t weights = weight_count(event);
    bool changed;

    if (!tracing->begun)
        begin(tracing, event);
    if (event->epoch == 0 || weights + event->outputs != tracing->before_count)
        return;
    changed = differs(event->weights, tracing->before, weights) ||
              differs(event->thresholds, tracing->before + weights, event->outputs);
    if (tracing->call->settings.json)
        json_event(tracing, event);
    else {
        char epoch[HUMAN_SIZE];

        snprintf(epoch, sizeof epoch, "%u", event->epoch);
        cli_table_cell(&tracing->table, epoch);
        visit_cells(tracing, event);
        if (changed)
            state_cells(tracing, event, event->weights, event->thresholds);
        cli_table_end_row(&tracing->table);
    }
    if (changed)
        remember(tracing, event);
}

static void take_event(void *user, const cleave_trace_event *event)
{
    show(user, event);
}

static int finish(Tracing *tracing, const cleave_report *report)
{
    Call *call = tracing->call;
    char ending[ENDING_SIZE], hint[ENDING_SIZE];

    if (!call->settings.json) {
        if (tracing->begun)
            cli_table_print(&tracing->table);
        cli_put_name(&tracing->out, cli_ending(call, report, ending));
        if (report->counts_mistakes && cli_ended_well(report))
            cli_print(&tracing->out, " with %s", COUNT(report->mistakes, "mistake", "mistakes"));
        cli_put(&tracing->out, "\n");
        if (*cli_ending_hint(call, report, hint))
            cli_print(&tracing->out, "hint: %s\n", hint);
    }
    return cli_out_close(&tracing->out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static int trace(Call *call, cleave_data *data)
{
    Tracing tracing = {.call = call, .data = data};
    cleave_report *report = NULL;
    cleave_model *model = NULL;
    int status = DONE;

    cli_out_file(&tracing.out, stdout);
    if (cleave_trace(call->context, call->method.name, data, call->options[TABLE_TRAIN], take_event,
                     &tracing, &model, &report, &call->error) != CLEAVE_OK)
        status = cli_fail(call);
    call->scaled = model && cli_is_scaled(model);
    if (status == DONE)
        status = finish(&tracing, report);
    cleave_model_free(model);
    if (tracing.table.columns)
        cli_table_free(&tracing.table);
    free(tracing.before);
    cleave_report_free(report);
    return status;
}

static int run(Call *call)
{
    cleave_data *data;

    CLI_TRY(cli_use_data(call, NULL, 1, &data));
    return trace(call, data);
}

static bool suits(const cleave_method_info *method)
{
    return method->traces;
}

static const char *const examples[] = {
    "cleave trace perceptron @spam6 --learning-rate 0.5 --epochs 2",
    "cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold --json",
    NULL,
};

const Verb cli_verb_trace = {
    .name = "trace",
    .arguments = "METHOD DATA...",
    .brief = "Print every update of a method.",
    .about = "Trains like 'train', with the same features, and prints each example: its score "
             "before the update, whether the prediction was correct, and the weights after the "
             "update. For small data. Use --transform none to keep the columns of a table.",
    .examples = examples,
    .common = "epochs max-iterations order transform label columns seed json",
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN),
    .takes_method = true,
    .suits = suits,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
