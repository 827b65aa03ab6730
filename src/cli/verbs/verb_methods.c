/* cleave methods: what there is to train, from the methods' own tables. */
#include "cli/ui/params.h"
#include "cli/ui/table.h"

#include <string.h>

typedef struct {
    unsigned bit;
    const char *name, *words;
} Word;

static const Word tasks[] = {
    {CLEAVE_TASK_BINARY, "binary", "two classes"},
    {CLEAVE_TASK_MULTICLASS, "multiclass", "many classes"},
    {CLEAVE_TASK_REGRESSION, "regression", "numbers"},
    {0, NULL, NULL},
};

static const Word traits[] = {
    {CLEAVE_TRAIT_SPARSE, "sparse", "work in proportion to the non-zeros"},
    {CLEAVE_TRAIT_ONLINE, "online", "learns from a stream"},
    {CLEAVE_TRAIT_UPDATABLE, "updatable", "'cleave update' learns from new rows"},
    {CLEAVE_TRAIT_MERGEABLE, "mergeable", "rounds made by several workers can be put together"},
    {CLEAVE_TRAIT_CATEGORICAL, "categorical", "takes categories as they are"},
    {CLEAVE_TRAIT_READABLE, "readable", "the model can be read by a person"},
    {CLEAVE_TRAIT_WIDE, "wide", "very many features do it no harm"},
    {CLEAVE_TRAIT_DETERMINISTIC, "deterministic", "same seed, same model"},
    {0, NULL, NULL},
};

/* ---- JSON */

static void json_words(Json *json, const char *key, const Word *words, unsigned bits)
{
    cli_json_key(json, key);
    cli_json_open(json, '[');
    for (; words->bit; words++)
        if (bits & words->bit)
            cli_json_string(json, words->name);
    cli_json_close(json, ']');
}

static void json_method(Json *json, const cleave_method_info *method)
{
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", method->name);
    cli_json_put_string(json, "brief", method->brief);
    cli_json_put_string(json, "objective", method->objective);
    cli_json_put_string(json, "reference", method->reference);
    json_words(json, "tasks", tasks, method->tasks);
    json_words(json, "traits", traits, method->traits);
    cli_json_key(json, "params");
    cli_json_open(json, '[');
    for (const cleave_param *param = method->params; param && param->name; param++)
        cli_json_param(json, param, true);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void print_json(Out *out, const cleave_method_info *only)
{
    Json json = {.out = out};

    if (only->name) {
        json_method(&json, only);
    } else {
        cli_json_open(&json, '[');
        for (size_t i = 0; i < cleave_method_count(); i++) {
            cleave_method_info method = cleave_method(i);

            json_method(&json, &method);
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
    for (size_t i = 0; i < cleave_method_count(); i++) {
        cli_table_cell(&table, cleave_method(i).name);
        cli_table_cell(&table, cleave_method(i).brief);
    }
    cli_table_print(&table);
    cli_table_free(&table);
    cli_put(out, "\n'cleave methods NAME' says what it minimises and lists its options\n");
}

static void print_words(Out *out, const char *title, const Word *words, unsigned bits, bool explain)
{
    bool any = false;

    for (; words->bit; words++) {
        if (!(bits & words->bit))
            continue;
        cli_print(out, "%-11s%s", any ? "" : title, explain ? words->name : words->words);
        cli_print(out, explain ? ": %s\n" : "\n", words->words);
        any = true;
    }
}

static void print_line(Out *out, const char *title, const char *text)
{
    if (!text)
        return;
    cli_print(out, "%-11s", title);
    cli_wrap(out, text, 11, 11, PAGE_WIDTH);
}

static void print_method(Out *out, const cleave_method_info *method)
{
    char title[96];

    cli_print(out, "%s: ", method->name);
    cli_wrap(out, method->brief, strlen(method->name) + 2, 2, PAGE_WIDTH);
    cli_put(out, "\n");
    print_line(out, "objective", method->objective);
    print_line(out, "reference", method->reference);
    print_words(out, "tasks", tasks, method->tasks, false);
    print_words(out, "traits", traits, method->traits, true);
    snprintf(title, sizeof title, "options of %s", method->name);
    cli_param_list(out, title, method->params);
    cli_put(out, "\n");
    cli_print(out, "'cleave train %s --help' also lists the options of every training run, such as --rounds\n",
              method->name);
}

static int run(Call *call)
{
    Out out;

    cli_out_file(&out, stdout);
    if (call->settings.json)
        print_json(&out, &call->method);
    else if (call->method.name)
        print_method(&out, &call->method);
    else
        print_list(&out);
    return cli_out_close(&out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

static const char *const examples[] = {
    "cleave methods",
    "cleave methods perceptron",
    NULL,
};

const Verb cli_verb_methods = {
    .name = "methods",
    .arguments = "[NAME]",
    .brief = "List the methods, or describe one.",
    .about = "With a name: the objective, the reference, the tasks, and all options with defaults "
             "and ranges.",
    .examples = examples,
    .takes_method = true,
    .least = 0,
    .most = 1,
    .run = run,
};
