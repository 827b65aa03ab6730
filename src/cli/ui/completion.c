/*
 * Completion in bash, zsh and fish. The scripts call `cleave __complete WORD...`; the last word is
 * to be completed and may be empty. It prints one candidate per line, TAB, and its description. The
 * line ":files" requests names of files in addition to the candidates. Candidates come from the
 * tables of the help. Names of columns come from the header of the table named on the command line.
 */
#include "cli/ui/params.h"

#include <string.h>
#include <zlib.h>

static const char bash_script[] =
    "# Completion of cleave for bash, printed by 'cleave help --completion bash'.\n"
    "_cleave() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} candidate description\n"
    "    local -a words=(\"${COMP_WORDS[@]:1:COMP_CWORD}\")\n"
    "    [[ ${COMP_WORDS[COMP_CWORD - 1]} == '=' || $word == '=' ]] && compopt -o nospace\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r candidate description; do\n"
    "        if [[ $candidate == :files ]]; then\n"
    "            compopt -o filenames\n"
    "            while IFS= read -r candidate; do COMPREPLY+=(\"$candidate\"); done < <(compgen -f "
    "-- \"$word\")\n"
    "        else\n"
    "            COMPREPLY+=(\"$candidate\")\n"
    "        fi\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _cleave cleave\n";

static const char zsh_script[] =
    "#compdef cleave\n"
    "# Completion of cleave for zsh, printed by 'cleave help --completion zsh'.\n"
    "_cleave() {\n"
    "    local line candidate files= result=1\n"
    "    local -a candidates\n"
    "    while IFS= read -r line; do\n"
    "        candidate=${line%%$'\\t'*}\n"
    "        if [[ $candidate == :files ]]; then\n"
    "            files=yes\n"
    "        else\n"
    "            candidates+=(\"${candidate//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        fi\n"
    "    done < <(\"${words[1]}\" __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
    "    (( ${#candidates} )) && _describe -o cleave candidates\n"
    "    [[ -n $files ]] && _files\n"
    "}\n"
    "compdef _cleave cleave\n";

static const char fish_script[] =
    "# Completion of cleave for fish, printed by 'cleave help --completion fish'.\n"
    "function __cleave_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c cleave -f -a '(__cleave_complete)'\n";

int cli_completion(const char *shell)
{
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    static const char *const scripts[] = {bash_script, zsh_script, fish_script};
    cleave_error error;
    Out out;

    for (size_t i = 0; shells[i]; i++)
        if (strcmp(shells[i], shell) == 0) {
            cli_out_file(&out, stdout);
            cli_put(&out, scripts[i]);
            return cli_out_close(&out, &error) == CLEAVE_OK ? DONE : FAILED;
        }
    return cli_unknown("shell", "", shell, shells, "cleave help --help");
}

/* ---- candidates */

typedef struct {
    Out out;
    Call call;
    const char *prefix; /* prefix of each candidate */
    const char *first;  /* first argument, such as the kind of a plot */
    const char *data;   /* the last file among the words; NULL: none */
    size_t arguments;
} Completion;

static void offer(Completion *completion, const char *candidate, const char *description)
{
    if (strncmp(candidate, completion->prefix, strlen(completion->prefix)) == 0)
        cli_print(&completion->out, "%s\t%s\n", candidate, description ? description : "");
}

static void offer_items(Completion *completion,
                        const char *(*item)(size_t number, const char **brief))
{
    const char *name, *brief;

    for (size_t i = 0; (name = item(i, &brief)); i++)
        offer(completion, name, brief);
}

static void offer_methods(Completion *completion)
{
    for (size_t i = 0; i < cleave_method_count(); i++) {
        cleave_method_info method = cleave_method(i);

        if (cli_verb_suits(completion->call.verb, &method))
            offer(completion, method.name, method.brief);
    }
}

static void offer_options(Completion *completion)
{
    const cleave_param *table;
    char candidate[FLAG_SIZE + 2], line[HELP_SIZE];
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(&completion->call, t, &goes_to)); t++)
        for (const cleave_param *param = table; param->name; param++) {
            snprintf(candidate, sizeof candidate, "--%s", FLAG_NAME(param->name));
            offer(completion, candidate, cli_help_line(param, line));
        }
}

static void offer_files(Completion *completion)
{
    cli_put(&completion->out, ":files\n");
}

/* Offers the columns in the first line of the table, which may be compressed by gzip. The line is
 * split at its delimiter, and quoted names may contain the delimiter. */
static void offer_columns(Completion *completion)
{
    gzFile file = completion->data ? gzopen(completion->data, "rb") : NULL;
    char line[1 << 16], name[256];
    size_t length = 0;
    char delimiter;
    bool quoted = false;

    if (!file || !gzgets(file, line, sizeof line))
        line[0] = '\0';
    if (file)
        gzclose(file);
    delimiter = strchr(line, '\t') ? '\t' : strchr(line, ';') && !strchr(line, ',') ? ';' : ',';
    for (const char *at = line; *at; at++) {
        bool end = (*at == delimiter && !quoted) || *at == '\n' || *at == '\r';

        if (*at == '"')
            quoted = !quoted;
        else if (!end && length + 1 < sizeof name)
            name[length++] = *at;
        if (end && length > 0) {
            name[length] = '\0';
            offer(completion, name, "column");
            length = 0;
        }
    }
}

static const char *transform_item(size_t number, const char **brief)
{
    if (number >= cleave_transform_count())
        return NULL;
    *brief = cleave_transform(number).brief;
    return cleave_transform(number).name;
}

static const char *model_format_item(size_t number, const char **brief)
{
    cleave_model_format_info info;

    if (!cleave_model_format(number, &info))
        return NULL;
    *brief = info.brief;
    return info.name;
}

static void offer_values(Completion *completion, const cleave_param *param)
{
    char buffer[METAVAR_SIZE];
    const char *metavar = cli_metavar(param, buffer);
    bool models = completion->call.verb->tables & TABLE_BIT(TABLE_EXPORT);

    for (size_t i = 0; param->type == CLEAVE_NAME && param->values[i]; i++)
        offer(completion, param->values[i], "");
    if (param->type != CLEAVE_TEXT)
        return;
    if (cli_in_list("COLUMN NAME=TYPE", metavar))
        offer_columns(completion);
    else if (strcmp(metavar, "FORMAT") == 0)
        offer_items(completion, models ? model_format_item : cleave_format);
    else if (strcmp(metavar, "PIPELINE") == 0)
        offer_items(completion, transform_item);
    else if (strcmp(metavar, "METHODS") == 0)
        offer_methods(completion);
    else if (cli_in_list("FILE DATA MODEL PATH IDS TRAIN english|FILE", metavar))
        offer_files(completion);
}

static const char *plot_item(size_t number, const char **brief)
{
    return cleave_plot_kind(number, NULL, brief);
}

static const char *verb_item(size_t number, const char **brief)
{
    if (!cli_verbs[number])
        return NULL;
    *brief = cli_verbs[number]->brief;
    return cli_verbs[number]->name;
}

static bool expects_method(const Completion *completion)
{
    const Verb *verb = completion->call.verb;

    if (!verb->takes_method || !verb->method_follows)
        return verb->takes_method && completion->arguments == 0;
    for (size_t i = 0; completion->arguments == 1 && verb->method_follows[i]; i++)
        if (strcmp(verb->method_follows[i], completion->first) == 0)
            return true;
    return false;
}

static void offer_arguments(Completion *completion)
{
    const char *name = completion->call.verb->name;

    if (strcmp(name, "generate") == 0 && completion->arguments == 0)
        offer_items(completion, cleave_generator);
    else if (strcmp(name, "plot") == 0 && completion->arguments == 0)
        offer_items(completion, plot_item);
    else if (strcmp(name, "transforms") == 0)
        offer_items(completion, transform_item);
    else if (strcmp(name, "help") == 0) {
        offer_items(completion, verb_item);
        offer_methods(completion);
        offer_items(completion, transform_item);
    } else if (expects_method(completion)) {
        offer_methods(completion);
    } else {
        offer_items(completion, cleave_builtin);
        offer_files(completion);
    }
}

static void take_argument(Completion *completion, const char *word)
{
    if (expects_method(completion))
        for (size_t i = 0; i < cleave_method_count(); i++)
            if (strcmp(cleave_method(i).name, word) == 0)
                completion->call.method = cleave_method(i);
    if (word[0] != '@' && strcmp(word, "-") != 0)
        completion->data = word;
    if (completion->arguments++ == 0)
        completion->first = word;
}

/* Reads the words before the last one. Returns the option whose value is the last word, or NULL if
 * there is none. */
static const cleave_param *read_words(Completion *completion, int count, char **words)
{
    const cleave_param *waiting = NULL;

    for (int i = 0; i < count; i++) {
        const char *word = words[i];

        if (waiting && strcmp(word, "=") == 0) /* bash splits words at '=' */
            continue;
        if (waiting) {
            waiting = NULL;
        } else if (word[0] == '-' && word[1]) {
            waiting = strchr(word, '=')
                          ? NULL
                          : cli_flag_find(&completion->call, word + (word[1] == '-' ? 2 : 1));
            if (waiting && waiting->type == CLEAVE_FLAG)
                waiting = NULL;
        } else {
            take_argument(completion, word);
        }
    }
    return waiting;
}

int cli_complete(int count, char **words)
{
    Completion completion = {.prefix = count > 0 ? words[count - 1] : ""};
    const cleave_param *option;
    cleave_error error;

    cli_out_file(&completion.out, stdout);
    if (count > 1)
        completion.call.verb = cli_verb_find(words[0]);
    if (count <= 1) {
        offer_items(&completion, verb_item);
    } else if (completion.call.verb) {
        option = read_words(&completion, count - 2, words + 1);
        if (strcmp(completion.prefix, "=") == 0)
            completion.prefix = "";
        if (option)
            offer_values(&completion, option);
        else if (completion.prefix[0] == '-')
            offer_options(&completion);
        else
            offer_arguments(&completion);
    }
    return cli_out_close(&completion.out, &error) == CLEAVE_OK ? DONE : FAILED;
}
