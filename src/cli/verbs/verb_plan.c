/* cleave plan: estimates the time of training on a cluster from costs measured here. */
#include "cli/ui/call.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"

#include <stdio.h>

/* Formats a duration: "3.2 ms", "41 s", "2.5 h", "3.1 days". */
static const char *duration(double seconds, char buffer[HUMAN_SIZE])
{
    static const struct {
        double from, unit;
        const char *name;
    } units[] = {{172800, 86400, "days"}, {7200, 3600, "h"}, {120, 60, "min"}, {1, 1, "s"},
                 {1e-3, 1e-3, "ms"},      {0, 1e-6, "us"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= units[i].from) {
            snprintf(buffer, HUMAN_SIZE, "%.3g %s", seconds / units[i].unit, units[i].name);
            break;
        }
    return buffer;
}

static void print_text(Out *out, const cleave_plan *plan)
{
    static const char *const heads[] = {"nodes", "read",  "train",  "message",   "sent",
                                        "round", "total", "memory", "efficiency"};
    char buffer[HUMAN_SIZE];
    TextTable table;

    cli_print(out, "Measured on one core: reading %.3g us per row, training %.3g us per row, ",
              1e6 * plan->read_row_seconds, 1e6 * plan->learn_row_seconds);
    cli_print(out,
              "combining shards %.3g ns per weight, messages %.3g ns and %.3g bytes per number.\n",
              1e9 * plan->chunk_weight_seconds, 1e9 * plan->message_number_seconds,
              plan->message_number_bytes);
    cli_table_init(&table, out, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cli_table_cell(&table, heads[i]);
    for (size_t i = 0; i < plan->line_count; i++) {
        const cleave_plan_line *line = &plan->lines[i];
        double times[] = {line->read_seconds, line->learn_seconds, line->message_seconds};

        snprintf(buffer, sizeof buffer, "%.0f", line->nodes);
        cli_table_cell(&table, buffer);
        for (size_t j = 0; j < 3; j++)
            cli_table_cell(&table,
                           j == 2 && line->message_seconds == 0 ? "-" : duration(times[j], buffer));
        cli_table_cell(&table, line->message_bytes > 0
                                   ? cli_bytes((uint64_t)line->message_bytes, buffer)
                                   : "-");
        cli_table_cell(&table, duration(line->round_seconds, buffer));
        cli_table_cell(&table, duration(line->total_seconds, buffer));
        cli_table_cell(&table, cli_bytes((uint64_t)line->memory_bytes, buffer));
        snprintf(buffer, sizeof buffer, "%.0f%%", 100 * line->efficiency);
        cli_table_cell(&table, buffer);
    }
    cli_table_end(&table);
    cli_print(out,
              "read: once per run. train, message, sent (first message of a node) and round: once "
              "per round (%.0f round%s). memory: per node.\n",
              plan->rounds, plan->rounds == 1 ? "" : "s");
}

static void print_json(Out *out, const cleave_plan *plan)
{
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_number(&json, "rows", plan->rows);
    cli_json_put_number(&json, "rounds", plan->rounds);
    cli_json_put_number(&json, "row_bytes", plan->row_bytes);
    cli_json_put_number(&json, "read_row_seconds", plan->read_row_seconds);
    cli_json_put_number(&json, "learn_row_seconds", plan->learn_row_seconds);
    cli_json_put_number(&json, "chunk_weight_seconds", plan->chunk_weight_seconds);
    cli_json_put_number(&json, "message_number_seconds", plan->message_number_seconds);
    cli_json_put_number(&json, "message_number_bytes", plan->message_number_bytes);
    cli_json_open_key(&json, "nodes", '[');
    for (size_t i = 0; i < plan->line_count; i++) {
        const cleave_plan_line *line = &plan->lines[i];

        cli_json_open(&json, '{');
        cli_json_put_number(&json, "nodes", line->nodes);
        cli_json_put_number(&json, "read_seconds", line->read_seconds);
        cli_json_put_number(&json, "learn_seconds", line->learn_seconds);
        cli_json_put_number(&json, "message_seconds", line->message_seconds);
        cli_json_put_number(&json, "message_bytes", line->message_bytes);
        cli_json_put_number(&json, "round_seconds", line->round_seconds);
        cli_json_put_number(&json, "total_seconds", line->total_seconds);
        cli_json_put_number(&json, "memory_bytes", line->memory_bytes);
        cli_json_put_number(&json, "efficiency", line->efficiency);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json, '}');
}

static int run(Call *call)
{
    cleave_plan *plan;
    Out out;

    if (cleave_plan_new(call->context, call->options[TABLE_PLAN], &plan, &call->error) != CLEAVE_OK)
        return cli_fail(call);
    cli_out_file(&out, stdout);
    if (call->settings.json)
        print_json(&out, plan);
    else
        print_text(&out, plan);
    cleave_plan_free(plan);
    return cli_ok(call, cli_out_close(&out, &call->error));
}

static const char *const examples[] = {
    "cleave plan --rows 1e12 --features 1e6 --nonzeros 100 --nodes 1000",
    NULL,
};

const Verb cli_verb_plan = {
    .name = "plan",
    .arguments = "",
    .brief = "Estimate the cost of training on many nodes.",
    .about = "Measures reading, training and messages on this machine with rows of the given "
             "shape, and projects the training time of a linear method on 1, 2, 4, ... nodes (see "
             "docs/scaling.md).",
    .examples = examples,
    .tables = TABLE_BIT(TABLE_PLAN),
    .least = 0,
    .most = 0,
    .run = run,
};
