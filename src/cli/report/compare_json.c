/* The JSON of compare: docs/formats/compare.schema.json. */
#include "cli/report/compare_text.h"

#include "cli/report/metric_value.h"
#include "cli/report/train_summary.h"

#include <math.h>
#include <stdlib.h>

static const char *odds(cleave_significance odds)
{
    static const char *const words[] = {NULL, "not_significant", "worse", "better"};

    return words[odds];
}

static void put_numbers(Json *json, const cleave_comparison *result,
                        const cleave_comparison_row *candidate)
{
    cli_json_put_number(json, "error", candidate->error);
    cli_json_put_number(json, "low", candidate->low);
    cli_json_put_number(json, "high", candidate->high);
    cli_json_interval(json, "metric", &candidate->metric);
    cli_json_put_count(json, "rows", candidate->rows);
    if (candidate->method) {
        cli_json_put_count(json, "all_rows", candidate->rows_total);
        cli_json_put_count(json, "training_rows", candidate->train_rows);
        cli_json_put_count(json, "available_rows", candidate->train_rows_total);
        cli_json_put_number(json, "train_seconds", candidate->train_seconds);
        cli_json_put_number(json, "predict_seconds", candidate->predict_seconds);
        cli_json_put_count(json, "model_bytes", candidate->model_bytes);
        cli_json_put_count(json, "unconverged", candidate->unconverged);
    }
    cli_json_put_bool(json, "best", candidate == result->methods + result->best);
    cli_json_put_string(json, "against_best", odds(candidate->against_best));
    cli_json_put_bool(json, "restricted",
                      candidate->method &&
                          (candidate->train_rows < candidate->train_rows_total ||
                           candidate->folds_done < result->folds * result->repeats));
    cli_json_put_number(json, "difference", candidate->difference);
    cli_json_put_number(json, "p", candidate->p);
    cli_json_put_string(json, "against_baseline", odds(candidate->against_baseline));
    cli_json_put_number(json, "baseline_p", candidate->baseline_p);
}

static void put_candidate(Json *json, const Call *call, const cleave_comparison *result,
                          const cleave_comparison_row *candidate)
{
    char *command = cli_compare_command(call, candidate);

    cli_json_open(json, '{');
    cli_json_put_string(json, "method", candidate->method);
    cli_json_put_string(json, "command", command);
    cli_json_put_string(json, "reason", candidate->reason);
    cli_json_put_count(json, "folds_done", candidate->folds_done);
    cli_json_put_bool(json, "categories", candidate->traits & CLEAVE_TRAIT_CATEGORICAL);
    cli_json_put_bool(json, "high_dimensional", candidate->traits & CLEAVE_TRAIT_WIDE);
    cli_json_put_bool(json, "interpretable", candidate->traits & CLEAVE_TRAIT_READABLE);
    if (candidate->folds_done)
        put_numbers(json, result, candidate);
    cli_json_close(json, '}');
    free(command);
}

void cli_compare_json(Out *out, const Call *call, const void *facts)
{
    const cleave_comparison *result = facts;
    Json json = {.out = out};
    bool any = result->best != SIZE_MAX;

    cli_json_open(&json, '{');
    cli_json_put_string(&json, "error_metric", result->regression ? "rmse" : "error_rate");
    cli_json_metric_open(&json, result->metric, result->positive,
                         any ? &result->methods[result->best].metric : NULL);
    cli_json_close(&json, '}');
    cli_json_put_count(&json, "rows", result->rows);
    cli_json_put_count(&json, "features", result->features);
    cli_json_put_count(&json, "classes", result->classes);
    cli_json_put_count(&json, "folds", result->folds);
    cli_json_put_count(&json, "repeats", result->repeats);
    if (result->forward)
        cli_json_put_bool(&json, "forward_chaining", true);
    if (result->groups)
        cli_json_put_count(&json, "groups", result->groups);
    cli_json_put_count(&json, "seed", result->seed);
    if (result->baseline_label)
        cli_json_put_string(&json, "baseline_label", result->baseline_label);
    cli_json_put_string(&json, "best", any ? result->methods[result->best].method : NULL);
    cli_json_put_bool(&json, "beats_baseline", result->beats_baseline);
    cli_json_open_key(&json, "candidates", '[');
    for (size_t i = 0; i < result->method_count; i++)
        put_candidate(&json, call, result, &result->methods[i]);
    cli_json_close(&json, ']');
    cli_json_suspects(&json, result->suspects, result->suspect_count);
    cli_json_put_number(&json, "budget", result->budget);
    cli_json_put_number(&json, "seconds", result->seconds);
    cli_json_put_count(&json, "resumed", result->resumed);
    cli_json_put_bool(&json, "cancelled", result->cancelled);
    cli_json_put_bool(&json, "incomplete", result->incomplete);
    cli_json_guesses(&json, call);
    cli_json_remarks(&json, call);
    cli_json_end(&json, '}');
}
