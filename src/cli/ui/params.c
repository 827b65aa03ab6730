#include "cli/ui/params.h"

#include "cli/ui/human_numbers.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *cli_type_name(const cleave_param *param)
{
    static const char *const names[] = {"real", "integer", "flag", "name", "text"};

    return names[param->type];
}

/* The word for the value of a text option. */
static const char *text_metavar(const char *name)
{
    static const char *const metavars[][2] = {
        {"CELLS", "missing"},
        {"CHARACTER", "delimiter"},
        {"CHARACTERS", "trim_labels"},
        {"CLASS", "class positive"},
        {"CLASSES", "classes known_classes only_labels"},
        {"COLUMN", "label by_time by_group task_column worker_column x y "
                   "x_column y_column"},
        {"COLUMNS", "show"},
        {"CONDITIONS", "where"},
        {"DATA", "validation"},
        {"FILE", "output report journal checkpoint predictions model labels weights example_file "
                 "follow layers token_file admin_token_file learn_token_file access_log page "
                 "metadata truth join users item_vectors labels_later"},
        {"FORMAT", "format to"},
        {"HOST:PORT", "listen"},
        {"IDS", "ids"},
        {"ITEM", "item"},
        {"LANGUAGE", "stem"},
        {"LIST", "initial_weights"},
        {"METHODS", "methods"},
        {"MODEL", "from"},
        {"NAME", "prefix"},
        {"NAME=MIN..MAX", "box boxes"},
        {"NAME=SIGN", "monotone"},
        {"NAME=TYPE", "columns"},
        {"NAME=VALUES", "space"},
        {"NUMBER|d", "threshold"},
        {"OLD=NEW", "rename"},
        {"PATH", "socket rest"},
        {"PIPELINE", "transform"},
        {"POINT", "center query"},
        {"RANGE", "ngrams chars clip"},
        {"ROW", "example"},
        {"ROWS", "rows only_rows batch_size"},
        {"ROWS,LABELS", "key"},
        {"SHELL", "completion"},
        {"TIME", "budget"},
        {"TRAIN [TEST]", "into"},
        {"UNITS", "hidden"},
        {"USER", "user"},
        {"WEIGHTS", "class_weight feature_weights"},
        {"WIDTHxHEIGHT", "size"},
        {"english|FILE", "stop_words"},
    };

    for (size_t i = 0; i < sizeof metavars / sizeof *metavars; i++)
        if (cli_in_list(metavars[i][1], name))
            return metavars[i][0];
    return "TEXT";
}

/* The last word of the option's name, for a list of names that leaves no space for the
 * description. */
static const char *name_metavar(const char *name, char buffer[METAVAR_SIZE])
{
    const char *word = strrchr(name, '_');
    size_t length = 0;

    for (word = word ? word + 1 : name; *word; word++)
        buffer[length++] = (char)toupper((unsigned char)*word);
    buffer[length] = '\0';
    return buffer;
}

/* "plain|averaged|voted" */
static size_t list_of_values(const cleave_param *param, const char *separator, char *buffer,
                             size_t size)
{
    size_t length = 0;

    buffer[0] = '\0';
    for (size_t i = 0; param->values[i] && length < size; i++)
        length += (size_t)snprintf(buffer + length, size - length, "%s%s", i ? separator : "",
                                   param->values[i]);
    return length;
}

const char *cli_metavar(const cleave_param *param, char buffer[METAVAR_SIZE])
{
    const size_t longest = 48;

    buffer[0] = '\0';
    switch (param->type) {
    case CLEAVE_REAL:
        return "NUMBER";
    case CLEAVE_INTEGER:
        return "N";
    case CLEAVE_TEXT:
        return param->values ? param->values[0] : text_metavar(param->name);
    case CLEAVE_FLAG:
        return buffer;
    case CLEAVE_NAME:
        break;
    }
    return list_of_values(param, "|", buffer, METAVAR_SIZE) > longest
               ? name_metavar(param->name, buffer)
               : buffer;
}

const char *cli_values(const cleave_param *param, char buffer[HELP_SIZE])
{
    char metavar[METAVAR_SIZE], values[HELP_SIZE - 16];

    buffer[0] = '\0';
    if (param->type != CLEAVE_NAME || strchr(cli_metavar(param, metavar), '|') || !param->values[1])
        return buffer;
    list_of_values(param, ", ", values, sizeof values);
    snprintf(buffer, HELP_SIZE, "One of %s.", values);
    return buffer;
}

/* Formats a number: "0.001", "100", "1,000". */
static const char *shown(double value, char buffer[DOMAIN_SIZE])
{
    const double least_grouped = 1e3, most_exact = 9007199254740992.0;

    if (value >= least_grouped && value <= most_exact && value == floor(value))
        return cli_grouped((uint64_t)value, buffer);
    return cli_short(value, buffer);
}

static bool in_range(const cleave_param *param, double value)
{
    return value <= param->max && (param->min_open ? value > param->min : value >= param->min);
}

/* An initial value outside its own range is not a default. */
const char *cli_default(const cleave_param *param, char buffer[DOMAIN_SIZE])
{
    switch (param->type) {
    case CLEAVE_REAL:
    case CLEAVE_INTEGER:
        return in_range(param, param->initial) ? cli_short(param->initial, buffer) : NULL;
    case CLEAVE_FLAG:
        return param->initial != 0 ? "true" : "false";
    case CLEAVE_NAME:
        return param->values[(size_t)param->initial];
    case CLEAVE_TEXT:
        return param->text;
    }
    return NULL;
}

/* Formats the range. Very large maxima are technical limits and not shown, nor is a minimum that
 * means the default. */
static void range(const cleave_param *param, char buffer[DOMAIN_SIZE])
{
    const double no_bound = 1e9;
    bool is_real = param->type == CLEAVE_REAL, open = param->min_open;
    double min = param->min;
    char low[DOMAIN_SIZE], high[DOMAIN_SIZE];

    buffer[0] = '\0';
    if ((!is_real && param->type != CLEAVE_INTEGER) || !isfinite(min))
        return;
    if (param->default_text && param->initial == min) {
        open = open || is_real;
        min += is_real ? 0 : 1;
    }
    shown(min, low);
    shown(param->max, high);
    if (param->max >= no_bound)
        snprintf(buffer, DOMAIN_SIZE, "%s %.40s", open ? "above" : "at least", low);
    else if (open)
        snprintf(buffer, DOMAIN_SIZE, "above %.40s, at most %.40s", low, high);
    else
        snprintf(buffer, DOMAIN_SIZE, "%.40s to %.40s", low, high);
}

const char *cli_domain(const cleave_param *param, char buffer[DOMAIN_SIZE])
{
    char number[DOMAIN_SIZE], bounds[DOMAIN_SIZE];
    const char *text = param->default_text ? param->default_text : cli_default(param, number);

    if (text == number)
        shown(param->initial, number);
    range(param, bounds);
    buffer[0] = '\0';
    if (param->type == CLEAVE_FLAG && param->initial == 0)
        return buffer;
    if (text && *text)
        snprintf(buffer, DOMAIN_SIZE, "default%s %.64s%s%.40s", strchr(text, ' ') ? ":" : "", text,
                 *bounds ? "; " : "", bounds);
    else
        snprintf(buffer, DOMAIN_SIZE, "%s", bounds);
    return buffer;
}

const char *cli_scale_name(cleave_tune_scale scale)
{
    static const char *const names[] = {"none", "linear", "log", "choices"};

    return names[scale];
}

const char *cli_tuning(const cleave_param *param, char buffer[TUNING_SIZE])
{
    int length = 0;

    buffer[0] = '\0';
    if (param->tune == CLEAVE_TUNE_NONE)
        return buffer;
    if (param->tune != CLEAVE_TUNE_CHOICES)
        length = snprintf(buffer, TUNING_SIZE, "%g to %g%s", param->tune_low, param->tune_high,
                          param->tune == CLEAVE_TUNE_LOG ? ", log scale" : "");
    else if (param->tune_values)
        length = snprintf(buffer, TUNING_SIZE, "%s", param->tune_values);
    else if (param->type == CLEAVE_FLAG)
        length = snprintf(buffer, TUNING_SIZE, "true, false");
    else
        length = snprintf(buffer, TUNING_SIZE, "all values");
    if (param->tune_when && length < TUNING_SIZE)
        snprintf(buffer + length, (size_t)(TUNING_SIZE - length), ", if %s", param->tune_when);
    return buffer;
}

const char *cli_synopsis(const cleave_param *param, char buffer[SYNOPSIS_SIZE])
{
    char workspace[METAVAR_SIZE];
    const char *metavar = cli_metavar(param, workspace);
    bool letter = param->alias && strlen(param->alias) == 1;
    size_t length = (size_t)snprintf(buffer, SYNOPSIS_SIZE, "%s%s%s--%s", letter ? "-" : "",
                                     letter ? param->alias : "", letter ? ", " : "",
                                     FLAG_NAME(param->name));

    if (param->alias && !letter)
        length += (size_t)snprintf(buffer + length, SYNOPSIS_SIZE - length, ", --%s",
                                   FLAG_NAME(param->alias));
    if (*metavar)
        snprintf(buffer + length, SYNOPSIS_SIZE - length, " %s", metavar);
    return buffer;
}

const char *cli_pipeline_synopsis(const cleave_param *param, char buffer[SYNOPSIS_SIZE])
{
    char workspace[METAVAR_SIZE];
    const char *metavar = cli_metavar(param, workspace);

    snprintf(buffer, SYNOPSIS_SIZE, "%s%s%s", FLAG_NAME(param->name), *metavar ? "=" : "", metavar);
    return buffer;
}

const char *cli_help_line(const cleave_param *param, char buffer[HELP_SIZE])
{
    snprintf(buffer, HELP_SIZE, "%.*s", (int)strcspn(param->help, "\n"), param->help);
    return buffer;
}

size_t cli_longer(size_t width, const char *name)
{
    return strlen(name) > width ? strlen(name) : width;
}

void cli_print_item(Out *out, size_t indent, size_t width, const char *name, const char *brief)
{
    size_t column = indent + width + 2;

    cli_print(out, "%*s%-*s  ", (int)indent, "", (int)width, name);
    cli_wrap(out, brief, column, column, PAGE_WIDTH);
}

static void print_entry(Out *out, const cleave_param *param, const char *synopsis, bool details)
{
    const size_t indent = 26;
    char domain[DOMAIN_SIZE], line[HELP_SIZE], values[HELP_SIZE], help[1024];
    const char *rest = strchr(param->help, '\n');
    size_t at = 2 + strlen(synopsis);

    cli_domain(param, domain);
    cli_values(param, values);
    snprintf(help, sizeof help, "%s%s%s%s%s%s%s%s", cli_help_line(param, line), *values ? " " : "",
             values, details && rest ? " " : "", details && rest ? rest + 1 : "",
             *domain ? " (" : "", domain, *domain ? ")" : "");
    cli_print(out, "  %s", synopsis);
    if (at + 2 > indent) {
        cli_put(out, "\n");
        at = 0;
    }
    for (; at < indent; at++)
        cli_put(out, " ");
    cli_wrap(out, help, indent, indent, PAGE_WIDTH);
}

void cli_print_param(Out *out, const cleave_param *param, bool details)
{
    char synopsis[SYNOPSIS_SIZE];

    print_entry(out, param, cli_synopsis(param, synopsis), details);
}

void cli_param_list(Out *out, const char *title, const cleave_param *params)
{
    if (!params || !params->name)
        return;
    cli_print(out, "\n%s:\n", title);
    for (const cleave_param *param = params; param->name; param++)
        cli_print_param(out, param, true);
}

void cli_method_param_list(Out *out, const char *title, const cleave_method_info *method)
{
    cli_print(out, "\n%s:\n", title);
    for (size_t i = 0; method->limits[i]; i++) {
        cleave_param limit = *cli_param_find(cleave_train_params(), method->limits[i]);

        limit.default_text = method->limit_defaults[i];
        cli_print_param(out, &limit, true);
    }
    for (const cleave_param *param = method->params; param->name; param++)
        cli_print_param(out, param, true);
}

void cli_step_param_list(Out *out, const char *title, const cleave_param *params)
{
    char synopsis[SYNOPSIS_SIZE];

    if (!params || !params->name)
        return;
    cli_print(out, "\n%s:\n", title);
    for (const cleave_param *param = params; param->name; param++)
        print_entry(out, param, cli_pipeline_synopsis(param, synopsis), true);
}
