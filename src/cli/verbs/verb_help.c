/* cleave help: the first screen, a page for each verb and method, and what data can be read. */
#include "cli/ui/human_numbers.h"
#include "cli/ui/params.h"
#include "cli/ui/table.h"

#include <stdlib.h>
#include <string.h>

static void list_of(Out *out, const char *title, const char *(*item)(size_t number, const char **brief))
{
    const char *name, *brief;
    Table table;

    cli_print(out, "\n%s:\n", title);
    cli_table_init(&table, out, 2);
    table.indent = 2;
    table.left[0] = table.left[1] = true;
    for (size_t i = 0; (name = item(i, &brief)); i++) {
        cli_table_cell(&table, name);
        cli_table_cell(&table, brief);
    }
    cli_table_end(&table);
}

static const char *verb_item(size_t number, const char **brief)
{
    const Verb *verb = cli_verbs[number];

    if (!verb)
        return NULL;
    *brief = verb->brief;
    return verb->name;
}

static const char *method_item(size_t number, const char **brief)
{
    if (number >= cleave_method_count())
        return NULL;
    *brief = cleave_method(number).brief;
    return cleave_method(number).name;
}

static const char *streaming_item(size_t number, const char **brief)
{
    for (size_t i = 0; i < cleave_method_count(); i++)
        if (cleave_method(i).streams && number-- == 0)
            return method_item(i, brief);
    return NULL;
}

/* ---- the first screen */

void cli_first_screen(bool to_stderr)
{
    static const char *const lines[][2] = {
        {"cleave trace perceptron @spam6 --rate 1/2", "watch it learn, update by update"},
        {"cleave generate spam --rows 5000 --test-rows 1000 -o mail.tsv", "make messages to learn from"},
        {"cleave train perceptron mail.tsv -o mail.model", "learn a spam filter"},
        {"cleave test mail.model mail-test.tsv", "judge it on unseen messages"},
        {"cleave explain mail.model --top 5", "the words that decide"},
        {"cleave predict mail.model mail-test.tsv --scores", "label and score, one message a line"},
        {"cleave convert mail.tsv -o mail.cleave", "a compact dataset to train on"},
        {"cleave train perceptron mail.cleave --rounds 10 --json", "results for programs"},
    };
    cleave_error error;
    Out out;
    Table table;

    cli_out_file(&out, to_stderr ? stderr : stdout);
    cli_put(&out, "cleave learns to tell things apart from labelled examples, on data of any size.\n\n"
                  "Each of these runs as printed:\n");
    cli_table_init(&table, &out, 2);
    table.indent = 2;
    table.left[0] = table.left[1] = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        cli_table_cell(&table, lines[i][0]);
        cli_table_cell(&table, lines[i][1]);
    }
    cli_table_end(&table);
    list_of(&out, "commands", verb_item);
    cli_put(&out,
            "\n'cleave help COMMAND' and 'cleave help METHOD' say more; 'cleave help data' lists what can be read\n");
    cli_out_close(&out, &error);
}

/* ---- a verb's page */

static const char *plot_item(size_t number, const char **brief)
{
    return cleave_plot_kind(number, NULL, brief);
}

/* The common flags that none of the verb's library tables has under the same name. */
static void common_list(Out *out, const Call *call)
{
    cleave_param rest[16];
    size_t count = 0;

    for (const cleave_param *param = cli_common_flags; param->name && count < 15; param++) {
        const cleave_param *table;
        int goes_to;
        bool elsewhere = false;

        for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++)
            elsewhere = elsewhere || (goes_to >= 0 && cli_param_find(table, param->name));
        if (!elsewhere)
            rest[count++] = *param;
    }
    rest[count] = (cleave_param){.name = NULL};
    cli_param_list(out, "options of every command", rest);
}

static bool is_stream(const Verb *verb)
{
    return verb->tables & TABLE_BIT(TABLE_STREAM);
}

static void library_list(Out *out, const Call *call, size_t table)
{
    int goes_to;

    cli_param_list(out, cli_library_tables[table].title, cli_flag_table(call, table + 2, &goes_to));
}

static void library_lists(Out *out, const Call *call)
{
    for (size_t t = 0; t < TABLE_COUNT; t++)
        if (t != TABLE_STREAM && (t != TABLE_READ || !call->verb->refers_to_reading))
            library_list(out, call, t);
    if (call->verb->refers_to_reading)
        cli_put(out, "\nOptions for reading data are those of 'cleave convert --help'.\n");
}

/* Whether methods have their say on the page: not before a kind that trains has been named together with one. */
static bool lists_methods(const Call *call)
{
    return call->verb->method || (call->verb->takes_method && (!call->verb->method_follows || call->method.name));
}

static void method_lists(Out *out, const Call *call)
{
    for (size_t i = 0; lists_methods(call) && i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);
        char title[96];

        snprintf(title, sizeof title, "options of %s", method.name);
        if (call->method.name ? strcmp(call->method.name, method.name) == 0 : method.streams || !is_stream(call->verb))
            cli_param_list(out, title, method.params);
    }
}

static void print_usage(Out *out, const Verb *verb)
{
    bool writes = cli_param_find(verb->flags, "output") != NULL;

    cli_print(out, "usage: %s %s %s%s%s[OPTION]...\n\n", verb->program ? verb->program : "cleave", verb->name,
              verb->arguments, *verb->arguments ? " " : "",
              verb->wants_output ? "-o FILE "
              : writes           ? "[-o FILE] "
                                 : "");
    cli_wrap(out, verb->about, 0, 0, PAGE_WIDTH);
    if (verb->examples && verb->examples[0])
        cli_put(out, "\nexamples, which run as printed:\n");
    for (size_t i = 0; verb->examples && verb->examples[i]; i++)
        cli_print(out, "  %s\n", verb->examples[i]);
}

int cli_help_verb(const Call *call)
{
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    print_usage(&out, call->verb);
    if (strcmp(call->verb->name, "generate") == 0)
        list_of(&out, "kinds", cleave_generator);
    if (strcmp(call->verb->name, "plot") == 0)
        list_of(&out, "kinds", plot_item);
    if (call->verb->takes_method && !call->method.name && lists_methods(call))
        list_of(&out, is_stream(call->verb) ? "methods that can stream" : "methods",
                is_stream(call->verb) ? streaming_item : method_item);
    cli_param_list(&out, "options", call->verb->flags);
    library_list(&out, call, TABLE_STREAM);
    method_lists(&out, call);
    library_lists(&out, call);
    common_list(&out, call);
    if (cli_out_close(&out, &error) == CLEAVE_OK)
        return DONE;
    return cli_failed(error.hint, "%s", error.message);
}

/* ---- the verb */

static int help_data(void)
{
    static const char about[] =
        "DATA is a file, a folder of documents, - for standard input, or the name of a built-in set. Several files of one format are read as "
        "one. A file may be compressed with gzip or zstd. The format is told by the suffix, else by the content; "
        "--format says it. 'cleave train --help' lists the options of reading.";
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    cli_wrap(&out, about, 0, 0, PAGE_WIDTH);
    list_of(&out, "formats", cleave_format);
    list_of(&out, "built-in sets", cleave_builtin);
    return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
}

static int help_with_verb(const char *name, const cleave_method_info *method)
{
    Call about = {.verb = cli_verb_find(name)};

    if (method)
        about.method = *method;
    return method ? about.verb->run(&about) : cli_help_verb(&about);
}

static int help_with_transform(const char *name)
{
    Call about = {.verb = cli_verb_find("transforms"), .arguments = &name, .argument_count = 1};

    return about.verb->run(&about);
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
    status = cli_unknown("command, method or transformation", "", topic, known, "cleave help");
    free(known);
    return status;
}

static int run(Call *call)
{
    const char *topic = call->argument_count ? call->arguments[0] : NULL;

    if (call->settings.man)
        return cli_man();
    if (call->settings.completion)
        return cli_completion();
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
        if (strcmp(cleave_transform(i).name, topic) == 0)
            return help_with_transform(topic);
    return strcmp(topic, "data") == 0 ? help_data() : unknown_topic(topic);
}

static const cleave_param flags[] = {
    CLI_FLAG(man, "the manual page, for man"),
    CLI_FLAG(completion, "a completion script for bash"),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave help train",
    "cleave help perceptron",
    "cleave help polar",
    NULL,
};

const Verb cli_verb_help = {
    .name = "help",
    .arguments = "[COMMAND|METHOD|TRANSFORMATION|data]",
    .brief = "a page about a command, a method, a transformation, or the data that can be read",
    .about =
        "Prints a page about a command, a method, a transformation, or the data that can be read; without an argument, the first "
        "screen.",
    .examples = examples,
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run,
};
