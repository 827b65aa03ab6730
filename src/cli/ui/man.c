/* The manual page, made from the same tables as the help: cleave help --man > cleave.1 */
#include "cli/ui/params.h"

#include <string.h>

/* Text for roff: a backslash and a leading dot or quote would be commands; '-' is a hyphen unless escaped. */
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

static void param_entry(Out *out, const cleave_param *param, const char *synopsis, bool shows_tuning)
{
    char domain[DOMAIN_SIZE], tuning[TUNING_SIZE];

    cli_put(out, ".TP\n.B ");
    put_line(out, synopsis);
    put(out, param->help);
    if (*cli_domain(param, domain)) {
        cli_put(out, " (");
        put(out, domain);
        cli_put(out, ")");
    }
    if (shows_tuning && *cli_tuning(param, tuning)) {
        cli_put(out, " (");
        put(out, tuning);
        cli_put(out, ")");
    }
    cli_put(out, "\n");
}

static void param_entries(Out *out, const cleave_param *params)
{
    char synopsis[SYNOPSIS_SIZE];

    for (const cleave_param *param = params; param && param->name; param++)
        param_entry(out, param, cli_synopsis(param, synopsis), cli_shows_tuning(params));
}

static void section(Out *out, const char *macro, const char *title)
{
    cli_print(out, "%s \"", macro);
    put(out, title);
    cli_put(out, "\"\n");
}

static void verb_entry(Out *out, const Verb *verb)
{
    cli_put(out, ".SS cleave ");
    put(out, verb->name);
    cli_put(out, " ");
    put(out, verb->arguments);
    put_line(out, verb->wants_output ? " -o FILE [OPTION]..." : " [OPTION]...");
    put_line(out, verb->about);
    param_entries(out, verb->flags);
    for (size_t i = 0; verb->examples && verb->examples[i]; i++) {
        cli_put(out, i == 0 ? ".PP\nExamples:\n.PP\n.nf\n.RS\n" : "");
        put_line(out, verb->examples[i]);
        cli_put(out, verb->examples[i + 1] ? "" : ".RE\n.fi\n");
    }
}

/* "Of train, cv and tune." */
static void verbs_of_table(Out *out, int table)
{
    const char *last = NULL;
    bool any = false;

    for (size_t i = 0; cli_verbs[i]; i++) {
        if (!(cli_verbs[i]->tables & TABLE_BIT(table)))
            continue;
        if (last) {
            cli_put(out, any ? ", " : "Of ");
            put(out, last);
            any = true;
        }
        last = cli_verbs[i]->name;
    }
    cli_put(out, any ? " and " : "Of ");
    put(out, last ? last : "no command");
    cli_put(out, ".\n");
}

static void table_sections(Out *out)
{
    section(out, ".SH", "OPTIONS OF EVERY COMMAND");
    param_entries(out, cli_common_flags);
    section(out, ".SH", "OPTIONS BY PURPOSE");
    for (int table = 0; table < TABLE_COUNT; table++) {
        section(out, ".SS", cli_library_tables[table].title);
        verbs_of_table(out, table);
        param_entries(out, cli_library_tables[table].params());
    }
}

static void method_section(Out *out)
{
    section(out, ".SH", "METHODS");
    for (size_t i = 0; i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);

        section(out, ".SS", method.name);
        put(out, method.brief);
        cli_put(out, ".\nObjective: ");
        put(out, method.objective);
        cli_put(out, ".\nReference: ");
        put(out, method.reference);
        cli_put(out, ".\n");
        param_entries(out, method.params);
    }
}

static void transform_section(Out *out)
{
    section(out, ".SH", "TRANSFORMATIONS");
    put_line(
        out,
        "For --transform of train: names with commas between them, each followed by its parameters as :NAME=VALUE.");
    for (size_t i = 0; i < cleave_transform_count(); i++) {
        cleave_transform_info transform = cleave_transform(i);

        section(out, ".SS", transform.name);
        put_line(out, transform.about);
        for (const cleave_param *param = transform.params; param->name; param++) {
            char synopsis[SYNOPSIS_SIZE];

            param_entry(out, param, cli_pipeline_synopsis(param, synopsis), false);
        }
    }
}

static void list_section(Out *out, const char *title, const char *(*item)(size_t number, const char **brief))
{
    const char *name, *brief;

    section(out, ".SH", title);
    for (size_t i = 0; (name = item(i, &brief)); i++) {
        cli_put(out, ".TP\n.B ");
        put_line(out, name);
        put_line(out, brief);
    }
}

static void status_section(Out *out)
{
    section(out, ".SH", "EXIT STATUS");
    put_line(out, "0: done. 1: an error in the data or of the machine. 2: an error in the command line. 130, 143: "
                  "interrupted by SIGINT or SIGTERM. An interrupted training run writes its model only if at least one "
                  "epoch, tree or round is complete; otherwise the output file stays as it was.");
    section(out, ".SH", "NOTES");
    put_line(out, "Numbers may be written 0.5, 1e-4 or 1/3. A flag that takes no value is turned off by --no-NAME. "
                  "Flags may stand anywhere among the arguments; -- ends them. An output file is written whole or not "
                  "at all, and an input is never written.");
}

int cli_man(void)
{
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    cli_print(&out, ".TH CLEAVE 1 \"\" \"cleave %s\" \"User Commands\"\n", cleave_version());
    section(&out, ".SH", "NAME");
    cli_put(&out, "cleave \\- learn from labelled examples, on data of any size\n");
    section(&out, ".SH", "SYNOPSIS");
    cli_put(&out, ".B cleave\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n");
    section(&out, ".SH", "COMMANDS");
    for (size_t i = 0; cli_verbs[i]; i++)
        verb_entry(&out, cli_verbs[i]);
    table_sections(&out);
    method_section(&out);
    transform_section(&out);
    list_section(&out, "FORMATS", cleave_format);
    list_section(&out, "BUILT-IN SETS", cleave_builtin);
    list_section(&out, "KINDS TO GENERATE", cleave_generator);
    status_section(&out);
    return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
}
