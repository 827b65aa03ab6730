/* Columns that alone almost determine the label, as describe and compare report them. */
#include "cli/report/train_summary.h"

void cli_suspect(Out *out, const cleave_suspect_column *suspect)
{
    cli_print(out, "warning: %s\nhint: %s\n", suspect->message, suspect->hint);
}

void cli_json_suspects(Json *json, const cleave_suspect_column *suspects, size_t count)
{
    cli_json_open_key(json, "leaks", '[');
    for (size_t i = 0; i < count; i++) {
        cli_json_open(json, '{');
        cli_json_put_string(json, "name", suspects[i].name);
        cli_json_put_number(json, "error", suspects[i].error);
        cli_json_put_number(json, "baseline", suspects[i].baseline);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}
