/*
 * Flags. Their names, types and ranges come from tables: those of the library, those of the verb,
 * and the common one. This file assigns the words of the command line to flags; the library checks
 * the values of its options.
 */
#include "cli/ui/migration.h"

#include <cleave/active.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Value offset of a flag that is passed to the library if the verb uses it, and accepted by all
 * verbs. */
#define NOT_KEPT SIZE_MAX

const cleave_param cli_common_flags[] = {
    {.name = "threads",
     .type = CLEAVE_INTEGER,
     .min = 0,
     .max = 1024,
     .help = "Number of threads.",
     .default_text = "one per core",
     .offset = offsetof(Settings, threads)},
    {.name = "seed",
     .type = CLEAVE_INTEGER,
     .initial = 1,
     .min = 0,
     .max = 9007199254740992.0,
     .help = "Seed of all random choices.",
     .offset = NOT_KEPT},
    {.name = "format",
     .type = CLEAVE_TEXT,
     .help = "Format of the data.",
     .default_text = "by suffix and content",
     .offset = NOT_KEPT},
    CLI_FLAG(json, "Print results as JSON."),
    {.name = "quiet",
     .alias = "q",
     .type = CLEAVE_FLAG,
     .help = "Print errors only.",
     .offset = offsetof(Settings, quiet)},
    {.name = "help",
     .alias = "h",
     .type = CLEAVE_FLAG,
     .help = "Show this page.",
     .offset = offsetof(Settings, help)},
    CLI_FLAG(help_all, "Show every option."),
    {.name = NULL},
};

static char dashed(char c)
{
    return c == '_' ? '-' : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && dashed(*a) == dashed(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *cli_flag(const char *name, char buffer[FLAG_SIZE])
{
    size_t length = 0;

    for (; name[length] && length + 1 < FLAG_SIZE; length++)
        buffer[length] = dashed(name[length]);
    buffer[length] = '\0';
    return buffer;
}

bool cli_in_list(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

const cleave_param *cli_param_find(const cleave_param *params, const char *name)
{
    for (const cleave_param *param = params; param && param->name; param++)
        if (same_name(param->name, name) || (param->alias && same_name(param->alias, name)))
            return param;
    return NULL;
}

bool cli_was_given(const Call *call, const char *name)
{
    for (size_t i = 0; i < call->given_count; i++)
        if (same_name(call->given[i].name, name))
            return true;
    return false;
}

const char *cli_value_of(const Call *call, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < call->given_count; i++)
        if (same_name(call->given[i].name, name))
            value = call->given[i].value;
    return value;
}

bool cli_is_on(const Call *call, const char *name)
{
    const char *value = cli_value_of(call, name);

    return value && strcmp(value, "true") == 0;
}

/* ---- which tables a verb has */

const LibraryTable cli_library_tables[TABLE_COUNT] = {
    [TABLE_READ] = {"Reading data", cleave_read_params},
    [TABLE_TRAIN] = {"Training", cleave_train_params},
    [TABLE_PREDICT] = {"Prediction", cleave_predict_params},
    [TABLE_TEST] = {"Evaluation", cleave_evaluate_params},
    [TABLE_SEARCH] = {"Search", cleave_search_params},
    [TABLE_CONVERT] = {"Conversion", cleave_convert_params},
    [TABLE_GENERATE] = {"Generated data", cleave_generate_params},
    [TABLE_PLAN] = {"Cost estimate", cleave_plan_params},
    [TABLE_BEGIN] = {"First round", cleave_begin_params},
    [TABLE_STREAM] = {"Online learning", cleave_stream_params},
    [TABLE_SPLIT] = {"Splitting", cleave_split_params},
    [TABLE_CV] = {"Cross-validation", cleave_cv_params},
    [TABLE_TUNE] = {"Hyperparameter search", cleave_tune_params},
    [TABLE_COMPARE] = {"Comparison", cleave_compare_params},
    [TABLE_PLOT] = {"Plots", cleave_plot_params},
    [TABLE_UPDATE] = {"Update", cleave_update_params},
    [TABLE_EXPORT] = {"Model formats", cleave_export_params},
    [TABLE_CROWD] = {"Labels from many workers", cleave_crowd_params},
    [TABLE_ACTIVE] = {"Active learning", cleave_active_params},
};

static const cleave_param *method_table(const Call *call, size_t number)
{
    if (!call->verb->takes_method && !call->verb->method)
        return NULL;
    if (call->method.name)
        return number == 0 ? call->method.params : NULL;
    return number < cleave_method_count() ? cleave_method(number).params : NULL;
}

const cleave_param *cli_flag_table(const Call *call, size_t number, int *goes_to)
{
    static const cleave_param none[] = {{.name = NULL}};

    *goes_to = -1;
    if (number == 0)
        return call->verb->flags ? call->verb->flags : none;
    if (number == 1)
        return cli_common_flags;
    number -= 2;
    if (number < TABLE_COUNT) {
        *goes_to = (int)number;
        return call->verb->tables & TABLE_BIT(number) ? cli_library_tables[number].params() : none;
    }
    *goes_to = call->verb->tables & TABLE_BIT(TABLE_BEGIN)    ? TABLE_BEGIN
               : call->verb->tables & TABLE_BIT(TABLE_STREAM) ? TABLE_STREAM
                                                              : TABLE_TRAIN;
    return method_table(call, number - TABLE_COUNT);
}

const cleave_param *cli_flag_find(const Call *call, const char *name)
{
    const cleave_param *table;
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++) {
        const cleave_param *param = cli_param_find(table, name);

        if (param)
            return param;
    }
    return NULL;
}

/* The help page that lists the options of this call. */
static void options_page(const Call *call, char where[static 96])
{
    bool method = call->verb->takes_method && call->method.name;

    snprintf(where, 96, "%s %s%s%s --help", cli_program(), call->verb->name, method ? " " : "",
             method ? call->method.name : "");
}

static unsigned tasks_of(const char *method)
{
    for (size_t i = 0; i < cleave_method_count(); i++)
        if (strcmp(cleave_method(i).name, method) == 0)
            return cleave_method(i).tasks;
    return 0;
}

/* Returns a method with an option of this name, or NULL. Methods whose name contains the given
 * method (kernel-svm for svm) are preferred, then methods for its tasks. */
static const char *method_with_option(const char *name, const char *method)
{
    const char *found = NULL;
    int best = -1;

    for (size_t i = 0; i < cleave_method_count(); i++) {
        cleave_method_info info = cleave_method(i);

        int fit = strstr(info.name, method) ? 2 : (info.tasks & tasks_of(method)) != 0;

        if ((cli_param_find(info.params, name) || cli_has_limit(&info, name)) && fit > best) {
            found = info.name;
            best = fit;
        }
    }
    return found;
}

/* Lists up to three other verbs with this option: "'cleave cv', 'cleave tune'"; "" if no verb has
 * it. */
static void verbs_with_option(const Call *call, const char *name, char text[static 96])
{
    size_t used = 0, count = 0;

    text[0] = '\0';
    for (size_t i = 0; cli_verbs[i] && count < 3; i++) {
        const Call other = {.verb = cli_verbs[i]};
        bool found = false;
        int goes_to;

        for (size_t t = 0; t < 2 + TABLE_COUNT && !found; t++)
            found = cli_param_find(cli_flag_table(&other, t, &goes_to), name) != NULL;
        if (!found || other.verb == call->verb)
            continue;
        used += (size_t)snprintf(text + used, 96 - used, "%s'cleave %s'", count++ ? ", " : "",
                                 cli_verbs[i]->name);
    }
}

/* Suggests the nearest option that the call accepts. */
static int misspelled_flag(const Call *call, const char *dashes, const char *name,
                           const char *where)
{
    const cleave_param *table;
    const char **known;
    char *spelled;
    size_t count = 0;
    int goes_to, status;

    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++)
        for (const cleave_param *param = table; param->name; param++)
            count += param->alias ? 2 : 1;
    known = cli_alloc(NULL, count + 1, sizeof *known);
    spelled = cli_alloc(NULL, count + 1, FLAG_SIZE);
    count = 0;
    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++)
        for (const cleave_param *param = table; param->name; param++) {
            if (cli_lacks_limit(call, param->name) || !name[1])
                continue; /* a name of one letter is similar to every other letter */
            known[count] = cli_flag(param->name, spelled + count * FLAG_SIZE);
            count++;
            if (param->alias && strlen(param->alias) > 1) {
                known[count] = cli_flag(param->alias, spelled + count * FLAG_SIZE);
                count++;
            }
        }
    known[count] = NULL;
    status = cli_unknown("option", dashes, name, known, where);
    free(known);
    free(spelled);
    return status;
}

/* Whether the file to write is an argument of the command. */
static bool takes_output(const Verb *verb)
{
    return strcmp(verb->arguments, "MODEL FILE") == 0 || strstr(verb->arguments, "OUTPUT");
}

/* name is without its dashes, except for one letter: "-c". */
static int unknown_flag(const Call *call, const char *name)
{
    const char *dashes = *name == '-' ? "-" : "--", *plain = name + (*name == '-'), *owner = NULL;
    MigratedOption ours = {.note = ""};
    char where[96], verbs[96] = "", quoted[QUOTED_SIZE];
    bool migrated = cli_migrated_option(call, name, &ours), known;

    options_page(call, where);
    cli_quote(plain, quoted);
    if (!migrated)
        cli_flag(plain, ours.name);
    if (migrated && cli_lacks_limit(call, ours.name) && !*call->method.limits)
        return cli_misuse(
            "unknown option '%s%s'\nhint: '%s' is trained in one pass and has no such "
            "limit; '%s' lists all options",
            dashes, quoted, call->method.name, where);
    known = cli_flag_find(call, ours.name) && !cli_lacks_limit(call, ours.name);
    if ((strcmp(name, "-o") == 0 || strcmp(name, "output") == 0) && takes_output(call->verb))
        return cli_misuse("unknown option '%s%s'\nhint: the file is an argument: %s %s %s", dashes,
                          quoted, cli_program(), call->verb->name, call->verb->arguments);
    if (!known)
        owner = method_with_option(ours.name, call->method.name ? call->method.name : "svm");
    if (owner && (!call->method.name || strcmp(owner, call->method.name) == 0))
        return cli_misuse(
            "unknown option '%s%s'\nhint: '--%s' is an option of %s'cleave train %s'; "
            "'%s' lists all options of %s",
            dashes, quoted, ours.name, strcmp(owner, "knn") == 0 ? "'cleave index' and " : "",
            owner, where, call->verb->name);
    if (owner)
        return cli_misuse("unknown option '%s%s'\nhint: '--%s' is an option of '%s', not of '%s'; "
                          "'%s' lists all options",
                          dashes, quoted, ours.name, owner, call->method.name, where);
    if (!known)
        verbs_with_option(call, ours.name, verbs);
    if (*verbs)
        return cli_misuse("unknown option '%s%s'\nhint: '%s%s' is an option of %s; '%s' lists all "
                          "options of %s",
                          dashes, quoted, *name == '-' && !migrated ? "-" : "--", ours.name, verbs,
                          where, call->verb->name);
    if (migrated)
        return cli_misuse("unknown option '%s%s'\nhint: the option is '--%s' in cleave%s%s%s; '%s' "
                          "lists all options",
                          dashes, quoted, ours.name, *ours.note ? " (" : "", ours.note,
                          *ours.note ? ")" : "", where);
    if (known) /* the option of one letter was written with one dash, such as -k */
        return cli_misuse("unknown option '%s%s'\nhint: did you mean '--%s'? Run '%s' for a list",
                          dashes, quoted, ours.name, where);
    return misspelled_flag(call, dashes, plain, where);
}

/* ---- the words */

typedef struct {
    Call *call;
    char **words;
    int count, at;
} ArgumentWords;

static void give(Call *call, const char *name, const char *value)
{
    call->given[call->given_count++] = (Given){.name = name, .value = value};
}

static const char *describe_value(const cleave_param *param)
{
    switch (param->type) {
    case CLEAVE_REAL:
        return "a number";
    case CLEAVE_INTEGER:
        return "a whole number";
    default:
        return "a value";
    }
}

/* Takes the value of a flag, after '=' or from the next word. */
static int take_value(ArgumentWords *words, const char *shown, const cleave_param *param,
                      const char *value)
{
    if (!value && words->at < words->count) {
        const char *next = words->words[words->at];

        if (strncmp(next, "--", 2) == 0)
            return cli_misuse("%s needs %s; found '%s'\nhint: if this is the value, write --%s=%s",
                              shown, describe_value(param), next, FLAG_NAME(param->name), next);
        value = next;
        words->at++;
    }
    if (!value)
        return cli_misuse("%s needs %s\nhint: %s", shown, describe_value(param), param->help);
    give(words->call, param->name, value);
    return DONE;
}

static const char *copy_name(const char *word, size_t length, char buffer[FLAG_SIZE])
{
    if (length >= FLAG_SIZE)
        length = FLAG_SIZE - 1;
    memcpy(buffer, word, length);
    buffer[length] = '\0';
    return buffer;
}

/* Takes two words after one flag. The second may also be given by its own flag. */
static int take_pair(ArgumentWords *words, const char *shown, const cleave_param *param,
                     const char *value)
{
    const char *const *pair = words->call->verb->pair;
    int status = take_value(words, shown, param, value);

    if (status != DONE || !pair[0] || strcmp(param->name, pair[0]) != 0)
        return status;
    if (words->at < words->count && strncmp(words->words[words->at], "--", 2) != 0)
        give(words->call, pair[1], words->words[words->at++]);
    return DONE;
}

static bool has_value(const cleave_param *param, const char *value)
{
    size_t i = 0;

    while (param->type == CLEAVE_NAME && param->values[i] && strcmp(param->values[i], value) != 0)
        i++;
    return param->type == CLEAVE_NAME && param->values[i];
}

/* Reads a long flag. --no-NAME is --NAME false for flags, and --NAME none for options that have
 * this value. */
static int read_long(ArgumentWords *words, const char *word)
{
    const char *equals = strchr(word, '=');
    const char *value = equals ? equals + 1 : NULL;
    char name[FLAG_SIZE], shown[FLAG_SIZE + 2];
    const cleave_param *param;

    copy_name(word + 2, equals ? (size_t)(equals - word - 2) : strlen(word + 2), name);
    param = cli_flag_find(words->call, name);
    if (!param && strncmp(name, "no-", 3) == 0 && !value) {
        param = cli_flag_find(words->call, name + 3);
        if (param && (param->type == CLEAVE_FLAG || has_value(param, "none"))) {
            give(words->call, param->name, param->type == CLEAVE_FLAG ? "false" : "none");
            return DONE;
        }
        param = NULL;
    }
    if (!param)
        return unknown_flag(words->call, name);
    snprintf(shown, sizeof shown, "--%s", name);
    if (param->type != CLEAVE_FLAG)
        return take_pair(words, shown, param, value);
    give(words->call, param->name, value ? value : "true");
    return DONE;
}

/* Reads a flag whose alias is one letter: -o FILE, -oFILE, -q, -h. */
static int read_short(ArgumentWords *words, const char *word)
{
    char name[2] = {word[1], '\0'};
    char shown[3] = {'-', word[1], '\0'};
    const cleave_param *param = cli_flag_find(words->call, name);
    const char *rest = word + 2;

    if (!param || (param->type == CLEAVE_FLAG && *rest))
        return unknown_flag(words->call, word);
    if (param->type == CLEAVE_FLAG) {
        give(words->call, param->name, "true");
        return DONE;
    }
    return take_value(words, shown, param, *rest ? rest + (*rest == '=') : NULL);
}

static int find_method(Call *call, const char *name)
{
    size_t count = cleave_method_count();
    const char **known = cli_alloc(NULL, count + 1, sizeof *known);
    char quoted[QUOTED_SIZE];
    int status = DONE;

    for (size_t i = 0; i < count; i++) {
        cleave_method_info info = cleave_method(i);

        known[i] = info.name;
        if (strcmp(info.name, name) == 0)
            call->method = info;
    }
    known[count] = NULL;
    if (!call->method.name && cli_migrated_method(name))
        status = cli_misuse("unknown method '%s'\nhint: the method is '%s' in cleave; 'cleave "
                            "methods' lists all methods",
                            cli_quote(name, quoted), cli_migrated_method(name));
    else if (!call->method.name && access(name, F_OK) == 0)
        status = cli_misuse("unknown method '%s'\nhint: the method comes before the data: "
                            "cleave %s METHOD %s",
                            cli_quote(name, quoted), call->verb->name, quoted);
    else if (!call->method.name)
        status = cli_unknown("method", "", name, known, "cleave methods");
    free(known);
    return status;
}

/* Whether the last argument names a method. */
static bool names_method(const Call *call)
{
    const char *const *kinds = call->verb->method_follows;

    if (!kinds)
        return call->verb->takes_method && call->argument_count == 1;
    for (; call->argument_count == 2 && *kinds; kinds++) {
        /* the elements of a comma-separated list have the same kind */
        size_t length = strlen(*kinds);

        if (strncmp(*kinds, call->arguments[0], length) == 0 &&
            (call->arguments[0][length] == '\0' || call->arguments[0][length] == ','))
            return true;
    }
    return false;
}

static int read_argument(Call *call, const char *word)
{
    call->arguments[call->argument_count++] = word;
    return names_method(call) ? find_method(call, word) : DONE;
}

static int read_words(ArgumentWords *words)
{
    bool flags = true;

    while (words->at < words->count) {
        const char *word = words->words[words->at++];
        int status;

        if (flags && strcmp(word, "--") == 0) {
            flags = false;
            continue;
        }
        if (flags && strncmp(word, "--", 2) == 0)
            status = read_long(words, word);
        else if (flags && word[0] == '-' && word[1])
            status = read_short(words, word);
        else
            status = read_argument(words->call, word);
        if (status != DONE)
            return status;
    }
    return DONE;
}

/* ---- the command's own settings */

static int set_flag(const cleave_param *param, bool *at, const char *value)
{
    if (strcmp(value, "true") == 0)
        *at = true;
    else if (strcmp(value, "false") == 0)
        *at = false;
    else
        return cli_misuse("--%s: expected true or false, found '%s'", FLAG_NAME(param->name),
                          QUOTED(value));
    return DONE;
}

static int set_integer(const cleave_param *param, int64_t *at, const char *value)
{
    char flag[FLAG_SIZE], quoted[QUOTED_SIZE], most[32] = "";
    size_t digits = strspn(value, "0123456789");
    long long number = digits > 0 && digits < 18 && !value[digits] ? strtoll(value, NULL, 10) : -1;

    if (isfinite(param->max))
        snprintf(most, sizeof most, " to %.0f", param->max);
    if (number < 0 || (double)number < param->min || (double)number > param->max)
        return cli_misuse("--%s: expected a whole number from %.0f%s, found '%s'",
                          cli_flag(param->name, flag), param->min, most, cli_quote(value, quoted));
    *at = number;
    return DONE;
}

static void *place_of(Call *call, const cleave_param *param)
{
    return param->offset >= CLI_OWN_OFFSET ? (char *)call->own + (param->offset - CLI_OWN_OFFSET)
                                           : (char *)&call->settings + param->offset;
}

static int set_own(Call *call, const cleave_param *param, const char *value)
{
    void *at = place_of(call, param);

    if (param->type == CLEAVE_FLAG)
        return set_flag(param, at, value);
    if (param->type == CLEAVE_INTEGER)
        return set_integer(param, at, value);
    *(const char **)at = value;
    return DONE;
}

static bool library_takes(const Call *call, const char *name)
{
    const cleave_param *table;
    int goes_to;

    for (size_t t = 0; (table = cli_flag_table(call, t, &goes_to)); t++)
        if (goes_to >= 0 && cli_param_find(table, name))
            return true;
    return false;
}

/* Checks the value of a common flag that this verb does not use. */
static int check_idle(const cleave_param *param, const char *value)
{
    const char *names[32] = {"auto"};
    int64_t ignored;

    if (param->type == CLEAVE_INTEGER)
        return set_integer(param, &ignored, value);
    for (size_t i = 0; i < 30 && (names[i + 1] = cleave_format(i, NULL)); i++)
        continue;
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], value) == 0)
            return DONE;
    return cli_misuse("--%s: no format '%s'", param->name, QUOTED(value));
}

/* Settles flags that were given before the name of the method, because they may belong to another
 * method. */
static int settle_flags(Call *call)
{
    for (size_t i = 0; i < call->given_count; i++) {
        const Given *given = &call->given[i];
        const cleave_param *own = cli_param_find(call->verb->flags, given->name);
        int status;

        if (!cli_flag_find(call, given->name))
            return unknown_flag(call, given->name);
        if (!own)
            own = cli_param_find(cli_common_flags, given->name);
        if (own && own->offset == NOT_KEPT)
            status = library_takes(call, given->name) ? DONE : check_idle(own, given->value);
        else
            status = own ? set_own(call, own, given->value) : DONE;
        if (status != DONE)
            return status;
    }
    return DONE;
}

static int check_arguments(const Call *call)
{
    const Verb *verb = call->verb;

    if (call->argument_count < verb->least)
        return cli_misuse("%s needs %s\nhint: see '%s %s --help'", verb->name, verb->arguments,
                          cli_program(), verb->name);
    if (call->argument_count > verb->most)
        return cli_misuse("unexpected argument '%s': %s takes %s\nhint: see 'cleave %s --help'",
                          QUOTED(call->arguments[verb->most]), verb->name,
                          *verb->arguments ? verb->arguments : "no arguments", verb->name);
    if (verb->wants_output && !call->settings.output && !cli_is_on(call, "describe"))
        return cli_misuse("%s needs -o FILE, the file to write\nhint: see 'cleave %s --help'",
                          verb->name, verb->name);
    return DONE;
}

static void make_own(Call *call)
{
    if (!call->verb->own_size)
        return;
    call->own = cli_alloc(NULL, 1, call->verb->own_size);
    memset(call->own, 0, call->verb->own_size);
    for (const cleave_param *flag = call->verb->flags; flag->name; flag++)
        if (flag->type == CLEAVE_INTEGER)
            *(int64_t *)place_of(call, flag) = (int64_t)flag->initial;
}

int cli_parse(Call *call, int count, char **words)
{
    ArgumentWords reading = {.call = call, .words = words, .count = count};
    int status;

    make_own(call);
    call->arguments = cli_alloc(NULL, (size_t)count + 1, sizeof *call->arguments);
    call->given = cli_alloc(NULL, (size_t)count + 1, sizeof *call->given);
    status = call->verb->method ? find_method(call, call->verb->method) : DONE;
    if (status == DONE)
        status = read_words(&reading);
    if (status == DONE)
        status = settle_flags(call);
    call->settings.help = call->settings.help || call->settings.help_all;
    if (status == DONE && !call->settings.help)
        status = check_arguments(call);
    if (status == DONE && !call->settings.help)
        status = cli_check_targets(call);
    return status;
}
