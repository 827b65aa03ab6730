#include "cli/report/metric_value.h"

#include <math.h>
#include <string.h>

const char *cli_no_interval(double value, double low, double high)
{
    if (!isnan(low))
        return NULL;
    return isinf(high)     ? "the squared errors overflow"
           : high == value ? "all errors are equal"
                           : TOO_FEW_ROWS;
}

const char *cli_metric_text(const cleave_metric *metric, double value, char buffer[HUMAN_SIZE])
{
    if (isnan(value))
        return "-";
    if (metric->percent)
        snprintf(buffer, HUMAN_SIZE, "%.2f", 100 * value + 0.0);
    else if (metric->higher_is_better)
        snprintf(buffer, HUMAN_SIZE, "%.4f", value + 0.0);
    else
        cli_error_size(value, buffer);
    return buffer;
}

const char *cli_metric_bounds(const cleave_metric *metric, const cleave_interval *value,
                              char buffer[4 * HUMAN_SIZE])
{
    char low[HUMAN_SIZE], high[HUMAN_SIZE];

    snprintf(buffer, 4 * HUMAN_SIZE, "%s to %s", cli_metric_text(metric, value->low, low),
             cli_metric_text(metric, value->high, high));
    return isnan(value->low) ? "-" : buffer;
}

const char *cli_metric_interval(const cleave_metric *metric, const cleave_interval *value,
                                char buffer[4 * HUMAN_SIZE])
{
    const char *none = cli_no_interval(value->value, value->low, value->high),
               *unit = metric->percent ? "%" : "";
    char middle[HUMAN_SIZE], low[HUMAN_SIZE], high[HUMAN_SIZE];

    cli_metric_text(metric, value->value, middle);
    if (none)
        snprintf(buffer, 4 * HUMAN_SIZE, "%.30s%s (%s)", middle, unit, none);
    else
        snprintf(buffer, 4 * HUMAN_SIZE, "%.30s%s (95%% confidence interval %.30s%s to %.30s%s)",
                 middle, unit, cli_metric_text(metric, value->low, low), unit,
                 cli_metric_text(metric, value->high, high), unit);
    return buffer;
}

const char *cli_metric_heading(const cleave_metric *metric, char buffer[HUMAN_SIZE])
{
    snprintf(buffer, HUMAN_SIZE, "%s%s", metric->title, metric->percent ? " (%)" : "");
    return buffer;
}

const char *cli_metric_name(const cleave_metric *metric, const char *positive,
                            char buffer[METRIC_NAME_SIZE])
{
    if (positive)
        snprintf(buffer, METRIC_NAME_SIZE, "%s of '%s'", metric->title, positive);
    else
        snprintf(buffer, METRIC_NAME_SIZE, "%s", metric->title);
    return buffer;
}

bool cli_metric_is_default(const cleave_metric *metric)
{
    return strcmp(metric->name, "error") == 0 || strcmp(metric->name, "rmse") == 0;
}

void cli_json_bounds(Json *json, double value, double low, double high)
{
    const char *none = cli_no_interval(value, low, high);

    cli_json_put_number(json, "low", low);
    cli_json_put_number(json, "high", none ? low : high);
    if (none && !isnan(value))
        cli_json_put_string(json, "reason", none);
}

void cli_json_only_value(Json *json, const char *key, double value, const char *reason)
{
    cli_json_open_key(json, key, '{');
    cli_json_put_number(json, "value", value);
    cli_json_put_number(json, "low", (double)NAN);
    cli_json_put_number(json, "high", (double)NAN);
    cli_json_put_string(json, "reason", reason);
    cli_json_close(json, '}');
}

void cli_json_interval(Json *json, const char *key, const cleave_interval *value)
{
    cli_json_open_key(json, key, '{');
    cli_json_put_number(json, "value", value->value);
    cli_json_bounds(json, value->value, value->low, value->high);
    cli_json_close(json, '}');
}

void cli_json_metric_open(Json *json, const cleave_metric *metric, const char *positive,
                          const cleave_interval *value)
{
    cli_json_open_key(json, "metric", '{');
    cli_json_put_string(json, "name", metric->name);
    cli_json_put_string(json, "title", metric->title);
    cli_json_put_bool(json, "percent", metric->percent);
    cli_json_put_bool(json, "higher_is_better", metric->higher_is_better);
    if (positive)
        cli_json_put_string(json, "positive", positive);
    if (!value)
        return;
    cli_json_put_number(json, "value", value->value);
    cli_json_bounds(json, value->value, value->low, value->high);
}
