/*
 * Completion for bash, made from the same tables as the help: cleave help --completion > FILE. The first word is a command; after that,
 * a word that begins with '-' is an option of that command, the word after an option with a list of values is one of them, and any other
 * word is a file, a built-in set, or a method where the command takes one.
 */
#include "cli/ui/params.h"

#include <string.h>

/* Every table of a verb, and every method's where it takes one. */
static void put_options(Out *out, const Verb *verb)
{
    Call call = {.verb = verb};
    const cleave_param *table;
    char flag[FLAG_SIZE];
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(&call, t, &goes_to)); t++)
        for (const cleave_param *param = table; param->name; param++)
            cli_print(out, " --%s", cli_flag(param->name, flag));
}

static void put_names(Out *out, const char *variable, const char *(*item)(size_t number, const char **brief))
{
    const char *name, *brief;

    cli_print(out, "    %s=\"", variable);
    for (size_t i = 0; (name = item(i, &brief)); i++)
        cli_print(out, "%s%s", i ? " " : "", name);
    cli_put(out, "\"\n");
}

static const char *verb_item(size_t number, const char **brief)
{
    *brief = NULL;
    return cli_verbs[number] ? cli_verbs[number]->name : NULL;
}

static const char *method_item(size_t number, const char **brief)
{
    *brief = NULL;
    return number < cleave_method_count() ? cleave_method(number).name : NULL;
}

/* One line for each option of a table that has a list of values. */
static void put_values(Out *out, const cleave_param *table)
{
    char flag[FLAG_SIZE];

    for (const cleave_param *param = table; param && param->name; param++) {
        if (!param->values)
            continue;
        cli_print(out, "        --%s) values+=\"", cli_flag(param->name, flag));
        for (size_t i = 0; param->values[i]; i++)
            cli_print(out, " %s", param->values[i]);
        cli_put(out, "\" ;;&\n");
    }
}

static void put_cases(Out *out)
{
    cli_put(out, "    case $verb in\n");
    for (size_t i = 0; cli_verbs[i]; i++) {
        cli_print(out, "    %s) options=\"", cli_verbs[i]->name);
        put_options(out, cli_verbs[i]);
        cli_print(out, "\" takes_method=%d ;;\n", cli_verbs[i]->takes_method);
    }
    cli_put(out, "    esac\n    case $before in\n");
    for (size_t i = 0; cli_verbs[i]; i++)
        put_values(out, cli_verbs[i]->flags);
    for (int table = 0; table < TABLE_COUNT; table++)
        put_values(out, cli_library_tables[table].params());
    for (size_t i = 0; i < cleave_method_count(); i++)
        put_values(out, cleave_method(i).params);
    cli_put(out, "    esac\n");
}

int cli_completion(void)
{
    cleave_error error;
    Out out;

    cli_out_file(&out, stdout);
    cli_put(&out,
            "# Completion of cleave for bash. Made by 'cleave help --completion'.\n"
            "_cleave() {\n"
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}\n"
            "    local verbs methods sets options= values= takes_method=0\n");
    put_names(&out, "verbs", verb_item);
    put_names(&out, "methods", method_item);
    put_names(&out, "sets", cleave_builtin);
    put_cases(&out);
    cli_put(&out, "    if ((COMP_CWORD == 1)); then\n"
                  "        COMPREPLY=($(compgen -W \"$verbs\" -- \"$word\"))\n"
                  "    elif [[ $word == -* ]]; then\n"
                  "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                  "    elif [[ -n $values ]]; then\n"
                  "        COMPREPLY=($(compgen -W \"$values\" -- \"$word\" | sort -u))\n"
                  "    elif ((COMP_CWORD == 2 && takes_method)); then\n"
                  "        COMPREPLY=($(compgen -W \"$methods\" -- \"$word\"))\n"
                  "    else\n"
                  "        COMPREPLY=($(compgen -f -- \"$word\") $(compgen -W \"$sets\" -- \"$word\"))\n"
                  "    fi\n"
                  "}\n"
                  "complete -o filenames -F _cleave cleave\n");
    return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
}
