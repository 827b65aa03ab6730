/* cleave methods and cleave transforms: lists of the methods and of the transforms, or one of
 * them, from their own tables. */
#include "cli/ui/params.h"

#include <string.h>

typedef struct {
    unsigned bit;
    const char *name, *words;
} NamedWord;

static const NamedWord tasks[] = {
    {CLEAVE_TASK_BINARY, "binary", "binary classification"},
    {CLEAVE_TASK_MULTICLASS, "multiclass", "multiclass classification"},
    {CLEAVE_TASK_REGRESSION, "regression", "regression"},
    {0, NULL, NULL},
};

static const NamedWord traits[] = {
    {CLEAVE_TRAIT_SPARSE, "sparse", "time is proportional to the nonzero values"},
    {CLEAVE_TRAIT_ONLINE, "online", "learns from a stream (cleave stream)"},
    {CLEAVE_TRAIT_UPDATABLE, "updatable", "can be updated with new rows (cleave update)"},
    {CLEAVE_TRAIT_MERGEABLE, "mergeable", "can be trained by several workers"},
    {CLEAVE_TRAIT_CATEGORICAL, "categorical", "uses categorical columns without one-hot encoding"},
    {CLEAVE_TRAIT_READABLE, "readable", "the model is interpretable"},
    {CLEAVE_TRAIT_WIDE, "wide", "suited to a very large number of features"},
    {CLEAVE_TRAIT_RATINGS, "ratings", "rows are a user, an item and a rating"},
    {CLEAVE_TRAIT_DETERMINISTIC, "deterministic", "the same seed gives the same model"},
    {0, NULL, NULL},
};

/* A method, or a transform; transforms have `about` instead of an objective, tasks and traits. */
typedef struct {
    const char *name, *brief, *about;
    const cleave_param *params;
    cleave_method_info method;
} Entry;

static Entry of_method(const cleave_method_info *method)
{
    return (Entry){
        .name = method->name, .brief = method->brief, .params = method->params, .method = *method};
}

static Entry of_transform(const cleave_transform_info *transform)
{
    return (Entry){.name = transform->name,
                   .brief = transform->brief,
                   .about = transform->about,
                   .params = transform->params};
}

static bool is_about_transforms(const Call *call)
{
    return strcmp(call->verb->name, "transforms") == 0;
}

static size_t entry_count(const Call *call)
{
    return is_about_transforms(call) ? cleave_transform_count() : cleave_method_count();
}

static Entry entry_at(const Call *call, size_t number)
{
    cleave_transform_info transform;
    cleave_method_info method;

    if (is_about_transforms(call)) {
        transform = cleave_transform(number);
        return of_transform(&transform);
    }
    method = cleave_method(number);
    return of_method(&method);
}

/* ---- JSON */

static void json_words(Json *json, const char *key, const NamedWord *words, unsigned bits)
{
    cli_json_open_key(json, key, '[');
    for (; words->bit; words++)
        if (bits & words->bit)
            cli_json_string(json, words->name);
    cli_json_close(json, ']');
}

static void json_entry(Json *json, const Entry *entry)
{
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", entry->name);
    cli_json_put_string(json, "title", entry->brief);
    if (entry->about) {
        cli_json_put_string(json, "about", entry->about);
    } else {
        cli_json_put_string(json, "objective", entry->method.objective);
        cli_json_put_string(json, "reference", entry->method.reference);
        json_words(json, "tasks", tasks, entry->method.tasks);
        json_words(json, "traits", traits, entry->method.traits);
        cli_json_open_key(json, "limits", '[');
        for (const char *const *limit = entry->method.limits; *limit; limit++)
            cli_json_string(json, *limit);
        cli_json_close(json, ']');
        cli_json_open_key(json, "limit_defaults", '[');
        for (size_t i = 0; entry->method.limits[i]; i++)
            cli_json_string(json, entry->method.limit_defaults[i]);
        cli_json_close(json, ']');
    }
    cli_json_open_key(json, "params", '[');
    for (const cleave_param *param = entry->params; param && param->name; param++)
        cli_json_param(json, param, !entry->about);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void print_json(Out *out, const Call *call, const Entry *only)
{
    Json json = {.out = out};

    if (only->name) {
        json_entry(&json, only);
    } else {
        cli_json_open(&json, '[');
        for (size_t i = 0; i < entry_count(call); i++) {
            Entry entry = entry_at(call, i);

            json_entry(&json, &entry);
        }
        cli_json_close(&json, ']');
    }
    cli_json_end_line(&json);
}

/* ---- text */

static void print_list(Out *out, const Call *call)
{
    size_t width = 0;

    for (size_t i = 0; i < entry_count(call); i++)
        width = cli_longer(width, entry_at(call, i).name);
    for (size_t i = 0; i < entry_count(call); i++) {
        Entry entry = entry_at(call, i);

        cli_print_item(out, 0, width, entry.name, entry.brief);
    }
    cli_put(out,
            is_about_transforms(call)
                ? "\nA pipeline is a list, e.g. --transform impute,polynomial:degree=2.\n"
                  "'cleave transforms NAME' shows the parameters of a transform.\n"
                : "\n'cleave methods NAME' shows the objective and the options of a method.\n");
}

static void print_words(Out *out, const char *title, const NamedWord *words, unsigned bits,
                        bool explain)
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

static void print_method(Out *out, const Entry *entry)
{
    char title[96];

    print_line(out, "Objective", entry->method.objective);
    print_line(out, "Reference", entry->method.reference);
    print_words(out, "Tasks", tasks, entry->method.tasks, false);
    print_words(out, "Traits", traits, entry->method.traits, true);
    snprintf(title, sizeof title, "Options of %s", entry->name);
    cli_method_param_list(out, title, &entry->method);
    cli_put(out, "\n'cleave train --help' shows the options that all methods share.\n");
}

/* The first parameter with a value is the example. */
static void print_transform(Out *out, const Entry *entry)
{
    char title[96], workspace[DOMAIN_SIZE];

    cli_wrap(out, entry->about, 0, 0, PAGE_WIDTH);
    snprintf(title, sizeof title, "Parameters of %s", entry->name);
    cli_step_param_list(out, title, entry->params);
    for (const cleave_param *param = entry->params; param->name; param++) {
        const char *value = param->type == CLEAVE_NAME && param->values[1]
                                ? param->values[1]
                                : cli_default(param, workspace);

        if (param->type == CLEAVE_FLAG || !value || !*value)
            continue;
        cli_print(out, "\nExample: --transform %s:%s=%s; colons separate several parameters.\n",
                  entry->name, FLAG_NAME(param->name), value);
        return;
    }
}

/* ---- the verbs */

static int find(Call *call, Entry *entry)
{
    const char *names[65];
    size_t count = 0;
    cleave_transform_info transform;

    if (!is_about_transforms(call)) {
        *entry = of_method(&call->method);
        return DONE;
    }
    if (cleave_transform_find(call->arguments[0], &transform, &call->error) == CLEAVE_OK) {
        *entry = of_transform(&transform);
        return DONE;
    }
    for (; count < cleave_transform_count() && count < 64; count++)
        names[count] = cleave_transform(count).name;
    names[count] = NULL;
    return cli_unknown("transform", "", call->arguments[0], names, "cleave transforms");
}

static int run(Call *call)
{
    Entry entry = {.name = NULL};
    Out out;

    if (call->argument_count || call->method.name)
        CLI_TRY(find(call, &entry));
    cli_out_file(&out, stdout);
    if (call->settings.json) {
        print_json(&out, call, &entry);
    } else if (entry.name) {
        cli_print(&out, "%s: ", entry.name);
        cli_wrap(&out, entry.brief, strlen(entry.name) + 2, 2, PAGE_WIDTH);
        cli_put(&out, "\n");
        (entry.about ? print_transform : print_method)(&out, &entry);
    } else {
        print_list(&out, call);
    }
    return cli_ok(call, cli_out_close(&out, &call->error));
}

const Verb cli_verb_methods = {
    .name = "methods",
    .arguments = "[NAME]",
    .brief = "List the methods, or describe one.",
    .about = "With a name: the objective, the reference, the tasks, and all options with defaults "
             "and ranges.",
    .common = "json",
    .examples = (const char *const[]){"cleave methods", "cleave methods perceptron", NULL},
    .takes_method = true,
    .least = 0,
    .most = 1,
    .run = run,
};

const Verb cli_verb_transforms = {
    .name = "transforms",
    .arguments = "[NAME]",
    .brief = "List the transforms of feature pipelines, or describe one.",
    .about = "With a name: the effect and all parameters with defaults and ranges.",
    .common = "json",
    .examples = (const char *const[]){"cleave transforms", "cleave transforms polynomial", NULL},
    .least = 0,
    .most = 1,
    .run = run,
};
