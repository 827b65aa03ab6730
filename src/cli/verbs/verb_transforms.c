/* cleave transforms: what can stand in --transform, from the transformations' own tables. */
#include "cli/ui/params.h"
#include "cli/ui/table.h"

#include <string.h>

/* ---- JSON */

static void json_transform(Json *json, const cleave_transform_info *transform)
{
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", transform->name);
    cli_json_put_string(json, "brief", transform->brief);
    cli_json_put_string(json, "about", transform->about);
    cli_json_key(json, "params");
    cli_json_open(json, '[');
    for (const cleave_param *param = transform->params; param->name; param++)
        cli_json_param(json, param, false);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void print_json(Out *out, const cleave_transform_info *only)
{
    Json json = {.out = out};

    if (only->name) {
        json_transform(&json, only);
    } else {
        cli_json_open(&json, '[');
        for (size_t i = 0; i < cleave_transform_count(); i++) {
            cleave_transform_info transform = cleave_transform(i);

            json_transform(&json, &transform);
        }
        cli_json_close(&json, ']');
    }
    cli_json_end_line(&json);
}

/* ---- for people */

static void print_list(Out *out)
{
    Table table;

    cli_table_init(&table, out, 2);
    table.left[0] = table.left[1] = true;
    for (size_t i = 0; i < cleave_transform_count(); i++) {
        cli_table_cell(&table, cleave_transform(i).name);
        cli_table_cell(&table, cleave_transform(i).brief);
    }
    cli_table_print(&table);
    cli_table_free(&table);
    cli_put(
        out,
        "\n'cleave train METHOD DATA --transform NAME,NAME:PARAMETER=VALUE' puts the rows through them, one after another;\n"
        "'cleave transforms NAME' says what one makes and lists its parameters\n");
}

/* A parameter with a value, to show how it is written: the first that has one. False where there is none. */
static bool example_of(const cleave_transform_info *transform, char buffer[128])
{
    char flag[FLAG_SIZE], workspace[DOMAIN_SIZE];

    for (const cleave_param *param = transform->params; param->name; param++) {
        const char *value = param->type == CLEAVE_NAME && param->values[1] ? param->values[1]
                                                                           : cli_default(param, workspace);

        if (param->type == CLEAVE_FLAG || !value || !*value)
            continue;
        snprintf(buffer, 128, "%s:%s=%s", transform->name, cli_flag(param->name, flag), value);
        return true;
    }
    return false;
}

static void print_transform(Out *out, const cleave_transform_info *transform)
{
    char title[96], example[128];

    cli_print(out, "%s: ", transform->name);
    cli_wrap(out, transform->brief, strlen(transform->name) + 2, 2, PAGE_WIDTH);
    cli_put(out, "\n");
    cli_wrap(out, transform->about, 0, 0, PAGE_WIDTH);
    snprintf(title, sizeof title, "parameters of %s", transform->name);
    cli_recipe_param_list(out, title, transform->params);
    if (example_of(transform, example))
        cli_print(out, "\nas in --transform %s; several have colons between them\n", example);
}

static int find(Call *call, cleave_transform_info *info)
{
    const char *names[65];
    size_t count = 0;

    if (cleave_transform_find(call->arguments[0], info, &call->error) == CLEAVE_OK)
        return DONE;
    for (; count < cleave_transform_count() && count < 64; count++)
        names[count] = cleave_transform(count).name;
    names[count] = NULL;
    return cli_unknown("transformation", "", call->arguments[0], names, "cleave transforms");
}

static int run(Call *call)
{
    cleave_transform_info info = {.name = NULL};
    int status = call->argument_count ? find(call, &info) : DONE;
    Out out;

    if (status != DONE)
        return status;
    cli_out_file(&out, stdout);
    if (call->settings.json)
        print_json(&out, &info);
    else if (info.name)
        print_transform(&out, &info);
    else
        print_list(&out);
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static const char *const examples[] = {
    "cleave transforms",
    "cleave transforms polynomial",
    NULL,
};

const Verb cli_verb_transforms = {
    .name = "transforms",
    .arguments = "[NAME]",
    .brief = "List the transforms of feature pipelines, or describe one.",
    .about = "With a name: the effect and all parameters with defaults and ranges.",
    .examples = examples,
    .least = 0,
    .most = 1,
    .run = run,
};
