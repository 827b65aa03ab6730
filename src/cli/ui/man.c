/*
 * Manual pages, from the same tables as the help: cleave(1), one page for each verb such as
 * cleave-train(1), and cleave-methods(7), cleave-transforms(7) and cleave-data(7).
 */
#include "cli/ui/params.h"

#include <string.h>

/* changed with the version, so that pages of a version are equal */
#define MANUAL_DATE "2026-11-18"

/* Escapes text for roff: a backslash, and a leading dot or quote, would be commands, and '-' would
 * be a hyphen. */
static void put(Out *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        cli_put(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            cli_put(out, "\\e");
        else if (*text == '-')
            cli_put(out, "\\-");
        else
            cli_write(out, text, 1);
    }
}

static void put_line(Out *out, const char *text)
{
    put(out, text);
    cli_put(out, "\n");
}

static void param_entry(Out *out, const cleave_param *param, const char *synopsis)
{
    char domain[DOMAIN_SIZE], line[HELP_SIZE], values[HELP_SIZE];
    const char *details = strchr(param->help, '\n');

    cli_put(out, ".TP\n.B ");
    put_line(out, synopsis);
    put_line(out, cli_help_line(param, line));
    if (*cli_values(param, values))
        put_line(out, values);
    if (details)
        put_line(out, details + 1);
    if (*cli_domain(param, domain)) {
        cli_put(out, "(");
        put(out, domain);
        cli_put(out, ")\n");
    }
}

static void param_entries(Out *out, const cleave_param *params)
{
    char synopsis[SYNOPSIS_SIZE];

    for (const cleave_param *param = params; param && param->name; param++)
        param_entry(out, param, cli_synopsis(param, synopsis));
}

static void section(Out *out, const char *macro, const char *title)
{
    cli_print(out, "%s \"", macro);
    put(out, title);
    cli_put(out, "\"\n");
}

static void header(Out *out, const char *name, int volume, const char *purpose)
{
    cli_print(out, ".TH %s %d \"%s\" \"cleave %s\" \"%s\"\n", name, volume, MANUAL_DATE,
              cleave_version(), volume == 1 ? "User Commands" : "Miscellaneous");
    section(out, ".SH", "NAME");
    put(out, name);
    cli_put(out, " \\- ");
    put_line(out, purpose);
}

static void list_section(Out *out, const char *title,
                         const char *(*item)(size_t number, const char **brief))
{
    const char *name, *brief;

    section(out, ".SH", title);
    for (size_t i = 0; (name = item(i, &brief)); i++) {
        cli_put(out, ".TP\n.B ");
        put_line(out, name);
        put_line(out, brief);
    }
}

/* ---- cleave(1) */

static void verb_list(Out *out)
{
    for (const VerbGroup *group = cli_verb_groups; group->title; group++) {
        section(out, ".SS", group->title);
        for (size_t i = 0; cli_verbs[i]; i++) {
            if (!cli_in_list(group->verbs, cli_verbs[i]->name))
                continue;
            cli_put(out, ".TP\n.B ");
            cli_put(out, "cleave\\-");
            put(out, cli_verbs[i]->name);
            cli_put(out, "(1)\n");
            put_line(out, cli_verbs[i]->brief);
        }
    }
}

static void whole_command(Out *out)
{
    header(out, "cleave", 1, "supervised learning on data of any size");
    section(out, ".SH", "SYNOPSIS");
    cli_put(out, ".B cleave\n.I COMMAND\n[\\fIARGUMENT\\fR]... [\\fIOPTION\\fR]...\n");
    section(out, ".SH", "COMMANDS");
    verb_list(out);
    section(out, ".SH", "OPTIONS OF EVERY COMMAND");
    param_entries(out, cli_common_flags);
    section(out, ".SH", "EXIT STATUS");
    put_line(out, "0: success. 1: an error in the data or at run time. 2: an error in the command "
                  "line. 130, 143: "
                  "interrupted by SIGINT or SIGTERM. An interrupted training run writes its model "
                  "only if at least one "
                  "epoch, tree or round is complete; otherwise the output file is unchanged.");
    section(out, ".SH", "NOTES");
    put_line(out, "Numbers can be written as 0.5, 1e-4 or 1/3. --no-NAME turns a flag off. Options "
                  "can be placed anywhere among the arguments, up to --. An output file is written "
                  "completely or not "
                  "at all. Input files "
                  "are never changed.");
    section(out, ".SH", "SEE ALSO");
    put_line(out, "cleave-methods(7), cleave-transforms(7), cleave-data(7)");
}

/* ---- cleave-VERB(1) */

static void verb_page(Out *out, const Verb *verb)
{
    Call call = {.verb = verb};
    cleave_method_info method;
    cleave_error error;
    char name[FLAG_SIZE];

    snprintf(name, sizeof name, "cleave-%s", verb->name);
    header(out, name, 1, verb->brief);
    section(out, ".SH", "SYNOPSIS");
    cli_put(out, ".B cleave ");
    put_line(out, verb->name);
    put(out, verb->arguments);
    put_line(out, verb->wants_output ? " -o FILE [OPTION]..." : " [OPTION]...");
    section(out, ".SH", "DESCRIPTION");
    put_line(out, verb->about);
    for (size_t i = 0; verb->examples && verb->examples[i]; i++) {
        if (i == 0)
            section(out, ".SH", "EXAMPLES");
        cli_put(out, i == 0 ? ".nf\n.RS\n" : "");
        put_line(out, verb->examples[i]);
        cli_put(out, verb->examples[i + 1] ? "" : ".RE\n.fi\n");
    }
    section(out, ".SH", "OPTIONS");
    param_entries(out, verb->flags);
    for (int table = 0; table < TABLE_COUNT; table++) {
        if (!(verb->tables & TABLE_BIT(table)))
            continue;
        section(out, ".SS", cli_library_tables[table].title);
        param_entries(out, cli_library_tables[table].params());
    }
    if (verb->method && cleave_method_find(verb->method, &method, &error) == CLEAVE_OK) {
        section(out, ".SS", "Model");
        param_entries(out, method.params);
    }
    section(out, ".SS", "Every command");
    for (const cleave_param *param = cli_common_flags; param->name; param++) {
        char synopsis[SYNOPSIS_SIZE];
        const cleave_param *table;
        bool elsewhere = false;
        int goes_to;

        for (size_t t = 2; t < 2 + TABLE_COUNT && (table = cli_flag_table(&call, t, &goes_to)); t++)
            elsewhere = elsewhere || cli_param_find(table, param->name);
        if (!elsewhere)
            param_entry(out, param, cli_synopsis(param, synopsis));
    }
    section(out, ".SH", "SEE ALSO");
    put_line(out, verb->takes_method
                      ? "cleave(1), cleave-methods(7), cleave-transforms(7), cleave-data(7)"
                      : "cleave(1), cleave-data(7)");
}

/* ---- section 7 */

static void methods_page(Out *out)
{
    header(out, "cleave-methods", 7, "methods of cleave and their options");
    for (size_t i = 0; i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);

        section(out, ".SH", method.name);
        put_line(out, method.brief);
        cli_put(out, ".PP\nObjective: ");
        put(out, method.objective);
        cli_put(out, ".\n.PP\nReference: ");
        put(out, method.reference);
        cli_put(out, ".\n");
        param_entries(out, method.params);
    }
}

static void transforms_page(Out *out)
{
    header(out, "cleave-transforms", 7, "transforms of feature pipelines");
    section(out, ".SH", "DESCRIPTION");
    put_line(
        out,
        "A pipeline is a list of transforms, separated by commas. Parameters follow a transform as "
        ":NAME=VALUE, for example --transform scale,polynomial:degree=2.");
    for (size_t i = 0; i < cleave_transform_count(); i++) {
        cleave_transform_info transform = cleave_transform(i);
        char synopsis[SYNOPSIS_SIZE];

        section(out, ".SH", transform.name);
        put_line(out, transform.about);
        for (const cleave_param *param = transform.params; param->name; param++)
            param_entry(out, param, cli_pipeline_synopsis(param, synopsis));
    }
}

static void data_page(Out *out)
{
    header(out, "cleave-data", 7, "data that cleave reads and generates");
    list_section(out, "FORMATS", cleave_format);
    list_section(out, "BUILT-IN DATA SETS", cleave_builtin);
    list_section(out, "GENERATED DATA", cleave_generator);
    section(out, ".SH", "OPTIONS");
    param_entries(out, cleave_read_params());
}

int cli_man(const char *topic)
{
    const Verb *verb = topic ? cli_verb_find(topic) : NULL;
    cleave_error error;
    Out out;

    if (topic && !verb && strcmp(topic, "data") != 0)
        return cli_misuse(
            "there is no manual page '%s'\nhint: use the name of a command, or 'data'", topic);
    cli_out_file(&out, stdout);
    if (!topic)
        whole_command(&out);
    else if (!verb)
        data_page(&out);
    else if (strcmp(topic, "methods") == 0)
        methods_page(&out);
    else if (strcmp(topic, "transforms") == 0)
        transforms_page(&out);
    else
        verb_page(&out, verb);
    return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
}
