/* cleave help: the overview, a page for each verb and method, and the formats of data. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/params.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    bool man;
    const char *completion; /* shell to print a completion script for */
} HelpFlags;

static void list_of(Out *out, const char *title,
                    const char *(*item)(size_t number, const char **brief))
{
    const char *name, *brief;
    size_t width = 0;

    for (size_t i = 0; (name = item(i, &brief)); i++)
        width = cli_longer(width, name);
    cli_print(out, "\n%s:\n", title);
    for (size_t i = 0; (name = item(i, &brief)); i++)
        cli_print_item(out, 2, width, name, brief);
}

static void list_of_methods(Out *out, const Verb *verb)
{
    size_t width = 0;

    for (size_t i = 0; i < cleave_method_count(); i++)
        width = cli_longer(width, cleave_method(i).name);
    cli_put(out, "\nMethods:\n");
    for (size_t i = 0; i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);

        if (cli_verb_suits(verb, &method))
            cli_print_item(out, 2, width, method.name, method.brief);
    }
}

/* ---- the first screen */

/* Copies the next word of a list that is separated by spaces. Returns false at its end. */
static bool next_word(const char **list, char word[FLAG_SIZE])
{
    size_t length = strcspn(*list, " ");

    snprintf(word, FLAG_SIZE, "%.*s", (int)length, *list);
    *list += length + strspn(*list + length, " ");
    return *word;
}

static void verb_groups(Out *out)
{
    size_t width = 0;

    for (size_t i = 0; cli_verbs[i]; i++)
        width = cli_longer(width, cli_verbs[i]->name);
    for (const VerbGroup *group = cli_verb_groups; group->title; group++) {
        const char *list = group->verbs;
        char name[FLAG_SIZE];

        cli_print(out, "\n%s:\n", group->title);
        while (next_word(&list, name))
            cli_print_item(out, 2, width, name, cli_verb_find(name)->brief);
    }
}

void cli_first_screen(bool to_stderr)
{
    cleave_error error;
    Out out;

    cli_out_file(&out, to_stderr ? stderr : stdout);
    cli_put(&out, "cleave: supervised learning on data of any size.\n\n"
                  "Usage: cleave COMMAND [ARGUMENT]... [OPTION]...\n\n"
                  "Examples:\n"
                  "  cleave generate spam --rows 5000 --test-rows 1000 -o mail.tsv\n"
                  "  cleave train svm mail.tsv -o spam.model\n"
                  "  cleave test spam.model mail-test.tsv\n"
                  "  cleave explain spam.model --top 5\n"
                  "  cleave predict spam.model mail-test.tsv --scores\n");
    verb_groups(&out);
    cli_put(&out, "\n'cleave COMMAND --help' describes a command, 'cleave help METHOD' a method,\n"
                  "'cleave help data' the formats that can be read.\n");
    cli_out_close(&out, &error);
}

/* ---- a verb's page */

static const char *plot_item(size_t number, const char **brief)
{
    return cleave_plot_kind(number, NULL, brief);
}

/* Whether the page lists the methods: if the first argument is one and was not given. */
static bool lists_methods(const Call *call)
{
    return call->verb->takes_method && !call->method.name && !call->verb->method_follows;
}

static void print_usage(Out *out, const Verb *verb)
{
    bool writes = cli_param_find(verb->flags, "output") != NULL;

    cli_print(out, "%s\n\nUsage: %s %s %s%s%s[OPTION]...\n\n", verb->brief,
              verb->program ? verb->program : "cleave", verb->name, verb->arguments,
              *verb->arguments ? " " : "",
              verb->wants_output ? "-o FILE "
              : writes           ? "[-o FILE] "
                                 : "");
    cli_wrap(out, verb->about, 0, 0, PAGE_WIDTH);
    if (verb->examples && verb->examples[0])
        cli_put(out, "\nExamples:\n");
    for (size_t i = 0; verb->examples && verb->examples[i]; i++)
        cli_print(out, "  %s\n", verb->examples[i]);
}

static void print_kinds(Out *out, const Call *call)
{
    if (strcmp(call->verb->name, "generate") == 0)
        list_of(out, "Kinds", cleave_generator);
    if (strcmp(call->verb->name, "plot") == 0)
        list_of(out, "Kinds", plot_item);
    if (lists_methods(call))
        list_of_methods(out, call->verb);
}

/* Prints an option of a page, after the title if it is the first. */
static void page_option(Out *out, const cleave_param *param, bool *titled)
{
    cli_put(out, *titled ? "" : "\nOptions:\n");
    cli_print_param(out, param, false);
    *titled = true;
}

/* Prints the options of a page: those listed for the verb, or all except those of methods and of
 * reading data. */
static void common_options(Out *out, const Call *call)
{
    const char *list = call->verb->common;
    const cleave_param *table;
    char name[FLAG_SIZE];
    bool titled = false;
    int goes_to;

    while (list && next_word(&list, name)) {
        const cleave_param *param = cli_flag_find(call, name);

        if (param)
            page_option(out, param, &titled);
    }
    for (size_t t = 0; !list && t < 2 + TABLE_COUNT; t++) {
        table = cli_flag_table(call, t, &goes_to);
        if (t == 1 || goes_to == TABLE_READ)
            continue;
        for (; table->name; table++)
            page_option(out, table, &titled);
    }
}

/* Prints the common flags, except those that also occur in a library table of the verb. */
static void flags_of_every_verb(Out *out, const Call *call)
{
    cli_put(out, "\nEvery command:\n");
    for (const cleave_param *param = cli_common_flags; param->name; param++) {
        const cleave_param *table;
        int goes_to;
        bool elsewhere = false;

        for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++)
            elsewhere = elsewhere || (goes_to >= 0 && cli_param_find(table, param->name));
        if (!elsewhere)
            cli_print_param(out, param, true);
    }
}

/* Prints the search space of a method, for verbs that tune it. */
static void search_space(Out *out, const Call *call, const cleave_method_info *method)
{
    char space[TUNING_SIZE];
    bool tunes = call->verb->tables & TABLE_BIT(TABLE_TUNE);

    if (tunes)
        cli_print(out, "\nSearch space of %s (--space overrides it):\n", method->name);
    for (const cleave_param *param = method->params; tunes && param->name; param++)
        if (*cli_tuning(param, space)) {
            cli_print(out, "  %-24s", FLAG_NAME(param->name));
            cli_wrap(out, space, 26, 26, PAGE_WIDTH);
        }
}

static void all_options(Out *out, const Call *call)
{
    const char *only = call->method.name ? call->method.name : call->verb->method;
    char title[96];
    int goes_to;

    cli_param_list(out, "Options", call->verb->flags);
    for (size_t t = 0; t < TABLE_COUNT; t++)
        cli_param_list(out, cli_library_tables[t].title, cli_flag_table(call, t + 2, &goes_to));
    for (size_t i = 0; (call->verb->takes_method || only) && i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);

        if (only ? strcmp(only, method.name) == 0 : cli_verb_suits(call->verb, &method)) {
            snprintf(title, sizeof title, "Options of %s", method.name);
            cli_param_list(out, title, method.params);
            search_space(out, call, &method);
        }
    }
    flags_of_every_verb(out, call);
}

/* Prints references to the pages with the remaining options. */
static void see_also(Out *out, const Call *call)
{
    const Verb *verb = call->verb;
    const char *program = verb->program ? verb->program : "cleave";

    cli_put(out, "\n");
    if (lists_methods(call) && verb->tables)
        cli_print(out, "'%s %s METHOD --help' shows the options of a method.\n", program,
                  verb->name);
    if (call->method.name && verb->takes_method)
        cli_print(out, "'%s %s --help' shows the options that all methods share.\n", program,
                  verb->name);
    cli_print(out, "'%s %s --help-all' shows every option%s.\n", program, verb->name,
              verb->tables & TABLE_BIT(TABLE_READ) ? ", including data options" : "");
}

/* Prints the page of a method, which has only its options. */
static void method_page(Out *out, const Call *call)
{
    const Verb *verb = call->verb;
    char title[96];

    cli_print(out, "%s\n\nUsage: %s %s %s DATA... [OPTION]...\n", call->method.brief,
              verb->program ? verb->program : "cleave", verb->name, call->method.name);
    snprintf(title, sizeof title, "Options of %s", call->method.name);
    cli_method_param_list(out, title, &call->method);
    search_space(out, call, &call->method);
    see_also(out, call);
}

int cli_help_verb(const Call *call)
{
    bool of_method = call->verb->takes_method && call->method.name && !call->verb->method_follows;
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    if (of_method && !call->settings.help_all) {
        method_page(&out, call);
    } else {
        print_usage(&out, call->verb);
        print_kinds(&out, call);
        if (call->settings.help_all) {
            all_options(&out, call);
        } else {
            common_options(&out, call);
            see_also(&out, call);
        }
    }
    if (cli_out_close(&out, &error) == CLEAVE_OK)
        return DONE;
    return cli_failed(error.hint, "%s", error.message);
}

/* ---- the verb */

static int help_data(void)
{
    static const char about[] = "DATA is a file, a folder of documents, - for standard input, or "
                                "the name of a built-in dataset. Several "
                                "files of one format are read as one. Files may be compressed with "
                                "gzip or zstd. Arrow and Parquet files are read as "
                                "tables (csv). The suffix or the content "
                                "determines the format; --format overrides it. 'cleave convert "
                                "--help-all' lists the options for reading.";
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    cli_wrap(&out, about, 0, 0, PAGE_WIDTH);
    list_of(&out, "Formats", cleave_format);
    list_of(&out, "Built-in datasets", cleave_builtin);
    return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
}

static int help_with_verb(const char *name, const cleave_method_info *method)
{
    Call about = {.verb = cli_verb_find(name)};

    if (method)
        about.method = *method;
    return method ? about.verb->run(&about) : cli_help_verb(&about);
}

static int unknown_topic(const char *topic)
{
    size_t methods = cleave_method_count(), transforms = cleave_transform_count(), count = 0;
    const char **known = cli_alloc(NULL, methods + transforms + 64, sizeof *known);
    int status;

    while (cli_verbs[count]) {
        known[count] = cli_verbs[count]->name;
        count++;
    }
    for (size_t i = 0; i < methods; i++)
        known[count++] = cleave_method(i).name;
    for (size_t i = 0; i < transforms; i++)
        known[count++] = cleave_transform(i).name;
    known[count++] = "data";
    known[count] = NULL;
    status = cli_unknown("command, method or transform", "", topic, known, "cleave help");
    free(known);
    return status;
}

static int run(Call *call)
{
    const HelpFlags *given = call->own;
    const char *topic = call->argument_count ? call->arguments[0] : NULL;

    if (given->man)
        return cli_man(topic);
    if (given->completion)
        return cli_completion(given->completion);
    if (!topic) {
        cli_first_screen(false);
        return DONE;
    }
    if (cli_verb_find(topic))
        return help_with_verb(topic, NULL);
    for (size_t i = 0; i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);

        if (strcmp(method.name, topic) == 0)
            return help_with_verb("methods", &method);
    }
    for (size_t i = 0; i < cleave_transform_count(); i++)
        if (strcmp(cleave_transform(i).name, topic) == 0) {
            Call about = {
                .verb = cli_verb_find("transforms"), .arguments = &topic, .argument_count = 1};

            return about.verb->run(&about);
        }
    return strcmp(topic, "data") == 0 ? help_data() : unknown_topic(topic);
}

static const cleave_param flags[] = {
    CLI_OWN_FLAG(HelpFlags, man, "Print the manual page."),
    CLI_OWN_TEXT(HelpFlags, completion, "Print the completion script of bash, zsh or fish."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave help train",
    "cleave help svm",
    "cleave help tfidf",
    "cleave help --completion bash",
    NULL,
};

const Verb cli_verb_help = {
    .name = "help",
    .arguments = "[COMMAND|METHOD|TRANSFORM|data]",
    .brief = "Describe a command, a method, a transform, or data formats.",
    .about = "Without an argument, prints the list of commands.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(HelpFlags),
    .least = 0,
    .most = 1,
    .run = run,
};
