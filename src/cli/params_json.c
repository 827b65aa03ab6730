/* Tables of options for programs. */
#include "cli/params.h"

static void json_default(Json *json, const cleave_param *param)
{
    char room[DOMAIN_SIZE];

    cli_json_key(json, "default");
    if (!cli_default(param, room))
        cli_json_null(json);
    else if (param->type == CLEAVE_REAL || param->type == CLEAVE_INTEGER)
        cli_json_number(json, param->initial);
    else if (param->type == CLEAVE_FLAG)
        cli_json_bool(json, param->initial != 0);
    else
        cli_json_string(json, cli_default(param, room));
}

static void json_domain(Json *json, const cleave_param *param)
{
    if (param->type == CLEAVE_REAL || param->type == CLEAVE_INTEGER) {
        cli_json_put_number(json, "min", param->min);
        cli_json_put_bool(json, "min_open", param->min_open);
        cli_json_put_number(json, "max", param->max);
    }
    if (param->type == CLEAVE_NAME) {
        cli_json_key(json, "values");
        cli_json_open(json, '[');
        for (size_t i = 0; param->values[i]; i++)
            cli_json_string(json, param->values[i]);
        cli_json_close(json, ']');
    }
}

void cli_json_param(Json *json, const cleave_param *param, bool is_flag)
{
    char flag[FLAG_SIZE], shown[FLAG_SIZE + 2];

    snprintf(shown, sizeof shown, "--%s", cli_flag(param->name, flag));
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", param->name);
    if (is_flag)
        cli_json_put_string(json, "flag", shown);
    if (param->alias)
        cli_json_put_string(json, "alias", param->alias);
    cli_json_put_string(json, "type", cli_type_name(param));
    json_default(json, param);
    json_domain(json, param);
    cli_json_put_string(json, "help", param->help);
    cli_json_close(json, '}');
}
