/*
 * cleave trace: the updates of a method as a table, or as one JSON object per line.
 */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    bool textbook, intercept, fractions;
} TraceFlags;

enum { MOST_PATTERN = 60 };

typedef struct {
    Call *call;
    TraceFlags flags;
    const cleave_data *data;
    Out out;
    TextTable table;
    /* --textbook, gradient descent: a line per iteration, with the points that violate their margin
     * as x and the others as o */
    TextTable steps;
    char pattern[MOST_PATTERN + 1];
    uint64_t visits, bad;
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

static void json_weights(Json *json, const cleave_trace_event *event, const double *weights,
                         size_t output)
{
    char name[24];

    cli_json_open(json, '{');
    for (size_t column = 0; column < event->features; column++)
        cli_json_put_number(json, cleave_trace_feature_name(event, column, name),
                            weights[output * event->features + column]);
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

static void json_all_weights(Json *json, const Tracing *tracing, const cleave_trace_event *event,
                             const double *weights)
{
    if (event->outputs == 1) {
        json_weights(json, event, weights, 0);
        return;
    }
    cli_json_open(json, '{');
    for (size_t output = 0; output < event->outputs; output++) {
        cli_json_key(json, class_name(tracing, output));
        json_weights(json, event, weights, output);
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
    json_all_weights(&json, tracing, event, event->weights);
    cli_json_key(&json, "threshold");
    json_numbers(&json, tracing, event->outputs, event->thresholds);
    if (event->gradient) {
        cli_json_key(&json, "gradient");
        json_all_weights(&json, tracing, event, event->gradient);
        cli_json_key(&json, "intercept_gradient");
        json_numbers(&json, tracing, event->outputs, event->intercept_gradient);
    }
    cli_json_end(&json, '}');
}

/* ---- the table */

static void named_cell(Tracing *tracing, TextTable *table, size_t outputs, size_t output,
                       const char *name)
{
    const char *class = outputs == 1 ? "" : class_name(tracing, output);
    size_t size = strlen(class) + strlen(name) + 2;
    char *text = cli_alloc(NULL, size, 1);

    snprintf(text, size, "%s%s%s", class, outputs == 1 ? "" : ":", name);
    cli_table_cell(table, text);
    free(text);
}

static const char *threshold_name(const Tracing *tracing)
{
    return tracing->flags.intercept ? "b" : "theta";
}

static void state_names(Tracing *tracing, TextTable *table, const cleave_trace_event *event,
                        const char *prefix)
{
    for (size_t output = 0; output < event->outputs; output++)
        for (size_t column = 0; column < event->features; column++) {
            char number[24], name[300];

            snprintf(name, sizeof name, "%s%s", prefix,
                     cleave_trace_feature_name(event, column, number));
            named_cell(tracing, table, event->outputs, output, name);
        }
    for (size_t output = 0; event->learns_threshold && output < event->outputs; output++) {
        char name[32];

        snprintf(name, sizeof name, "%s%s", prefix, *prefix ? "b" : threshold_name(tracing));
        named_cell(tracing, table, event->outputs, output, name);
    }
}

static size_t state_count(const cleave_trace_event *event)
{
    return event->outputs * (event->features + event->learns_threshold);
}

static void table_header(Tracing *tracing, const cleave_trace_event *event)
{
    static const char *const first[] = {"epoch", "x", "y"};
    bool textbook = tracing->flags.textbook;
    size_t scores = event->outputs * (textbook ? 2 : 1);
    TextTable *table = &tracing->table;

    cli_table_init(table, &tracing->out, 4 + scores + state_count(event));
    table->left[3 + scores] = true; /* correct */
    for (size_t i = 0; i < 3; i++)
        cli_table_cell(table, first[i]);
    for (size_t output = 0; output < event->outputs; output++) {
        named_cell(tracing, table, event->outputs, output,
                   !textbook                 ? "score"
                   : event->learns_threshold ? tracing->flags.intercept ? "w.x+b" : "w.x-theta"
                                             : "w.x");
        if (textbook)
            named_cell(tracing, table, event->outputs, output, "sign");
    }
    cli_table_cell(table, textbook ? "OK?" : "correct");
    state_names(tracing, table, event, "");
}

/* The fraction with the smallest denominator up to 9,999 that is this number, up to the rounding of
 * 32-bit weights; false: none. Every number has fractions p/q with an error of 1/q^2, so the error
 * must be far below that. */
static bool find_fraction(double value, char buffer[HUMAN_SIZE])
{
    const double most = 9999, tolerance = 1e-7, chance = 0.02;
    double error, x = fabs(value), before[2] = {0, 1}, now[2] = {1, 0};

    if (!(x < 1e9))
        return false;
    for (int i = 0; i < 40; i++) { /* continued fraction */
        double whole = floor(x), next[2] = {whole * now[0] + before[0], whole * now[1] + before[1]};

        if (next[1] > most)
            return false;
        memcpy(before, now, sizeof before);
        memcpy(now, next, sizeof now);
        error = fabs(fabs(value) - now[0] / now[1]);
        if (error <= tolerance * fabs(value) && error * now[1] * now[1] <= chance) {
            if (now[1] == 1)
                snprintf(buffer, HUMAN_SIZE, "%.0f", copysign(now[0], value) + 0.0);
            else
                snprintf(buffer, HUMAN_SIZE, "%.0f/%.0f", copysign(now[0], value), now[1]);
            return true;
        }
        x = 1 / (x - whole);
    }
    return false;
}

static void number_cell(const Tracing *tracing, TextTable *table, double value)
{
    char fraction[HUMAN_SIZE];

    cli_table_cell(table, tracing->flags.fractions && find_fraction(value, fraction)
                              ? fraction
                              : SHORT(value));
}

static void state_cells(Tracing *tracing, TextTable *table, const cleave_trace_event *event,
                        const double *weights, const double *thresholds)
{
    for (size_t i = 0; i < event->outputs * event->features; i++)
        number_cell(tracing, table, weights[i]);
    for (size_t i = 0; event->learns_threshold && i < event->outputs; i++)
        number_cell(tracing, table, tracing->flags.intercept ? 0.0 - thresholds[i] : thresholds[i]);
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
    for (size_t output = 0; output < event->outputs; output++) {
        if (is_step(event))
            cli_table_cell(table, NULL);
        else
            number_cell(tracing, table, event->scores[output]);
        if (tracing->flags.textbook)
            cli_table_cell(table, is_step(event)              ? NULL
                                  : event->scores[output] > 0 ? "+"
                                  : event->scores[output] < 0 ? "-"
                                                              : "0");
    }
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
        for (size_t i = 0; i < 4 + event->outputs * (tracing->flags.textbook ? 2u : 1u); i++)
            cli_table_cell(&tracing->table, NULL);
        state_cells(tracing, &tracing->table, event, tracing->before,
                    tracing->before + event->outputs * event->features);
    }
}

/* A line of Figure 12.20: the weights, the points, the gradient. */
static void show_iteration(Tracing *tracing, const cleave_trace_event *event)
{
    TextTable *table = &tracing->steps;
    size_t thresholds = event->learns_threshold ? event->outputs : 0;
    char text[MOST_PATTERN + 1];

    if (!table->columns) {
        cli_table_init(table, &tracing->out, 2 + 2 * state_count(event));
        table->left[1 + state_count(event)] = true;
        cli_table_cell(table, "iteration");
        state_names(tracing, table, event, "");
        cli_table_cell(table, "bad");
        state_names(tracing, table, event, "d/d");
    }
    snprintf(text, sizeof text, "%u", event->epoch);
    cli_table_cell(table, text);
    state_cells(tracing, table, event, tracing->before,
                tracing->before + event->outputs * event->features);
    if (tracing->visits > MOST_PATTERN)
        snprintf(text, sizeof text, "%llu of %llu", (unsigned long long)tracing->bad,
                 (unsigned long long)tracing->visits);
    cli_table_cell(table, tracing->visits > MOST_PATTERN ? text : tracing->pattern);
    for (size_t i = 0; i < event->outputs * event->features; i++)
        number_cell(tracing, table, event->gradient[i]);
    for (size_t i = 0; i < thresholds; i++)
        number_cell(tracing, table, event->intercept_gradient[i]);
}

static void note_visit(Tracing *tracing, const cleave_trace_event *event)
{
    if (tracing->visits < MOST_PATTERN) {
        tracing->pattern[tracing->visits] = event->correct ? 'o' : 'x';
        tracing->pattern[tracing->visits + 1] = '\0';
    }
    tracing->visits++;
    tracing->bad += !event->correct;
}

static void show_textbook(Tracing *tracing, const cleave_trace_event *event)
{
    if (!is_step(event))
        note_visit(tracing, event);
    else if (event->gradient)
        show_iteration(tracing, event);
    if (is_step(event))
        tracing->visits = tracing->bad = 0;
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
    if (tracing->flags.textbook)
        show_textbook(tracing, event);
    if (tracing->call->settings.json)
        json_event(tracing, event);
    else if (!tracing->steps.columns) {
        char epoch[HUMAN_SIZE];

        snprintf(epoch, sizeof epoch, "%u", event->epoch);
        cli_table_cell(&tracing->table, epoch);
        visit_cells(tracing, event);
        if (changed)
            state_cells(tracing, &tracing->table, event, event->weights, event->thresholds);
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
            cli_table_print(tracing->steps.columns ? &tracing->steps : &tracing->table);
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
    Tracing tracing = {.call = call, .flags = *(const TraceFlags *)call->own, .data = data};
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
    if (tracing.steps.columns)
        cli_table_free(&tracing.steps);
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

static const cleave_param flags[] = {
    CLI_OWN_FLAG(TraceFlags, textbook,
                 "Print the columns of textbooks, for gd one line per iteration."),
    CLI_OWN_FLAG(TraceFlags, intercept,
                 "Show the intercept b instead of the threshold theta = -b."),
    CLI_OWN_FLAG(TraceFlags, fractions, "Show numbers as fractions, e.g. 1/3."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave trace perceptron @spam6 --learning-rate 0.5 --epochs 2",
    "cleave trace perceptron @points5 --learning-rate 1/3 --learn-threshold --json",
    "cleave trace svm @points6 --solver gd --max-iterations 5 --textbook",
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
    .flags = flags,
    .own_size = sizeof(TraceFlags),
    .tables = TABLE_BIT(TABLE_READ) | TABLE_BIT(TABLE_TRAIN),
    .takes_method = true,
    .suits = suits,
    .shows_notes = true,
    .least = 2,
    .most = SIZE_MAX,
    .run = run,
};
