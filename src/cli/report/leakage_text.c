/* Columns that predict the label almost alone, as describe and compare report them. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"

void cli_suspect(Out *out, const cleave_suspect_column *suspect, bool numbers)
{
    char name[QUOTED_SIZE], error[HUMAN_SIZE], majority[HUMAN_SIZE];

    cli_print(out, "warning: %s predicts the label almost alone", cli_quote(suspect->name, name));
    if (numbers)
        cli_print(out, " (RMSE %s, baseline %s)", cli_brief(suspect->error, error),
                  cli_brief(suspect->baseline, majority));
    else
        cli_print(out, " (accuracy %.4g%%, baseline %.4g%%)", 100 * (1 - suspect->error),
                  100 * (1 - suspect->baseline));
    cli_put(
        out,
        ": possible target leakage\n"
        "hint: --columns NAME=ignore leaves out a column that is not known at prediction time\n");
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
