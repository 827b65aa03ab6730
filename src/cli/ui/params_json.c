/* Tables of options as JSON. */
#include "cli/ui/params.h"

#include <string.h>

static void json_default(Json *json, const cleave_param *param)
{
    char workspace[DOMAIN_SIZE];

    cli_json_key(json, "default");
    if (!cli_default(param, workspace))
        cli_json_null(json);
    else if (param->type == CLEAVE_REAL || param->type == CLEAVE_INTEGER)
        cli_json_number(json, param->initial);
    else if (param->type == CLEAVE_FLAG)
        cli_json_bool(json, param->initial != 0);
    else
        cli_json_string(json, cli_default(param, workspace));
}

static void json_domain(Json *json, const cleave_param *param)
{
    if (param->type == CLEAVE_REAL || param->type == CLEAVE_INTEGER) {
        cli_json_put_number(json, "min", param->min);
        cli_json_put_bool(json, "min_open", param->min_open);
        cli_json_put_number(json, "max", param->max);
    }
    if (param->type == CLEAVE_NAME) {
        cli_json_open_key(json, "values", '[');
        for (size_t i = 0; param->values[i]; i++)
            cli_json_string(json, param->values[i]);
        cli_json_close(json, ']');
    }
}

static void json_words(Json *json, const char *list)
{
    char word[64];

    cli_json_open(json, '[');
    while (*list) {
        size_t length = strcspn(list, ",");

        snprintf(word, sizeof word, "%.*s", (int)length, list);
        cli_json_string(json, word);
        list += length + (list[length] == ',');
    }
    cli_json_close(json, ']');
}

/* Writes the search space of tune, which is omitted if the parameter is not searched by default. */
static void json_tuning(Json *json, const cleave_param *param)
{
    if (param->tune == CLEAVE_TUNE_NONE)
        return;
    cli_json_open_key(json, "tune", '{');
    cli_json_put_string(json, "scale", cli_scale_name(param->tune));
    if (param->tune != CLEAVE_TUNE_CHOICES) {
        cli_json_put_number(json, "low", param->tune_low);
        cli_json_put_number(json, "high", param->tune_high);
    } else if (param->tune_values) {
        cli_json_key(json, "values");
        json_words(json, param->tune_values);
    }
    if (param->tune_when)
        cli_json_put_string(json, "when", param->tune_when);
    cli_json_close(json, '}');
}

void cli_json_param(Json *json, const cleave_param *param, bool is_flag)
{
    char shown[FLAG_SIZE + 2], line[HELP_SIZE];
    const char *details = strchr(param->help, '\n');

    snprintf(shown, sizeof shown, "--%s", FLAG_NAME(param->name));
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", param->name);
    if (is_flag)
        cli_json_put_string(json, "flag", shown);
    if (param->alias)
        cli_json_put_string(json, "alias", param->alias);
    cli_json_put_string(json, "type", cli_type_name(param));
    json_default(json, param);
    if (param->default_text)
        cli_json_put_string(json, "default_text", param->default_text);
    json_domain(json, param);
    cli_json_put_string(json, "help", cli_help_line(param, line));
    if (details)
        cli_json_put_string(json, "details", details + 1);
    json_tuning(json, param);
    cli_json_close(json, '}');
}
