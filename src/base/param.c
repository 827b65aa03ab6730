#include "base/param.h"

#include "base/number.h"
#include "base/text.h"

#include <stdio.h>

static void *field(const Param *param, void *options)
{
    return (char *)options + param->offset;
}

void clv_params_initial(const Param *params, void *options)
{
    for (const Param *param = params; param->name; param++) {
        void *at = field(param, options);

        switch (param->type) {
        case CLEAVE_REAL:
            *(double *)at = param->initial;
            break;
        case CLEAVE_INTEGER:
            *(int64_t *)at = (int64_t)param->initial;
            break;
        case CLEAVE_FLAG:
            *(bool *)at = param->initial != 0;
            break;
        case CLEAVE_NAME:
            *(int *)at = (int)param->initial;
            break;
        case CLEAVE_TEXT:
            *(const char **)at = param->text;
            break;
        }
    }
}

/* A character of a flag or a field: flags are written with '-', fields with '_'. */
static char dashed(char c)
{
    return c == '_' ? '-' : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && *b && dashed(*a) == dashed(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

#define FLAG_NAME_SIZE 64
static const char *flag_name(const char *name, char buffer[FLAG_NAME_SIZE])
{
    size_t length = 0;

    while (name[length] && length + 1 < FLAG_NAME_SIZE) {
        buffer[length] = dashed(name[length]);
        length++;
    }
    buffer[length] = '\0';
    return buffer;
}

FlagName clv_param_flag(const Param *param)
{
    FlagName flag;

    flag_name(param->name, flag.text);
    return flag;
}

const Param *clv_param_find(const Param *params, const char *name)
{
    for (const Param *param = params; param && param->name; param++)
        if (same_name(param->name, name) || (param->alias && same_name(param->alias, name)))
            return param;
    return NULL;
}

bool clv_parse_ratio(const char *text, double *value)
{
    const char *end;
    double above, below;

    if (strcmp(text, "inf") == 0) {
        *value = INFINITY;
        return true;
    }
    if (!clv_parse_double(text, text + strlen(text), &above, &end))
        return false;
    if (*end == '/') {
        if (!clv_parse_double(end + 1, end + strlen(end), &below, &end) || below == 0)
            return false;
        above /= below;
    }
    *value = above;
    return *end == '\0' && isfinite(above);
}

/* Units must decrease, so that 5m1h is invalid. A number without a unit must be the only one. */
bool clv_parse_duration(const char *text, double *seconds)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    const char *limit = text + strlen(text);
    size_t unit = 0;
    double sum = 0;

    do {
        double number;

        if (!clv_parse_double(text, limit, &number, &text) || number < 0)
            return false;
        if (!*text && unit == 0) {
            sum = number;
            break;
        }
        while (unit < 4 && units[unit].letter != *text)
            unit++;
        if (unit == 4)
            return false;
        sum += number * units[unit++].seconds;
        text++;
    } while (*text);
    *seconds = sum;
    return sum > 0 && isfinite(sum);
}

Status clv_duration(const char *name, const char *text, double *seconds, cleave_error *error)
{
    char flag[FLAG_NAME_SIZE], quoted[QUOTE_SIZE];

    if (clv_parse_duration(text, seconds))
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "write a duration as 30s, 5m or 1h30m; a number without a unit is in seconds",
        "--%s: expected a positive duration, found '%s'", flag_name(name, flag),
        clv_quote(quoted, text, strlen(text)));
}

static Status bad_value(const Param *param, const char *value, const char *expected,
                        cleave_error *error)
{
    char flag[FLAG_NAME_SIZE], quoted[QUOTE_SIZE];

    clv_fail(error, CLEAVE_ERROR_USAGE, "--%s: expected %s, found '%s'",
             flag_name(param->name, flag), expected, clv_quote(quoted, value, strlen(value)));
    return clv_hint(error, CLEAVE_ERROR_USAGE, "%.*s", (int)strcspn(param->help, "\n"),
                    param->help);
}

/* larger maxima are technical limits, and are named only in the error for a value above them */
#define NO_BOUND 1e9

static void describe_range(const Param *param, double value, char *buffer, size_t size)
{
    const char *kind = param->type == CLEAVE_INTEGER ? "a whole number" : "a number";

    if (isinf(param->min) && isinf(param->max))
        snprintf(buffer, size, "%s", kind);
    else if (isinf(param->max) || (param->max >= NO_BOUND && !(value > param->max)))
        snprintf(buffer, size, "%s %s %g", kind, param->min_open ? "above" : "of at least",
                 param->min);
    else
        snprintf(buffer, size, "%s from %g to %g", kind, param->min, param->max);
}

static bool in_range(const Param *param, double value)
{
    return value <= param->max && (param->min_open ? value > param->min : value >= param->min);
}

static Status set_number(const Param *param, void *at, const char *value, cleave_error *error)
{
    char expected[96];
    double number = 0;
    bool parsed = clv_parse_ratio(value, &number);

    describe_range(param, number, expected, sizeof expected);
    if (!parsed || !in_range(param, number) || (isinf(number) && !param->takes_inf))
        return bad_value(param, value, expected, error);
    if (param->type == CLEAVE_REAL) {
        *(double *)at = number;
        return OK;
    }
    if (number != floor(number) || fabs(number) > 9e15)
        return bad_value(param, value, expected, error);
    *(int64_t *)at = (int64_t)number;
    return OK;
}

static Status set_flag(const Param *param, void *at, const char *value, cleave_error *error)
{
    if (strcmp(value, "true") == 0 || strcmp(value, "1") == 0 || strcmp(value, "yes") == 0)
        *(bool *)at = true;
    else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0 || strcmp(value, "no") == 0)
        *(bool *)at = false;
    else
        return bad_value(param, value, "true or false", error);
    return OK;
}

static Status set_name(const Param *param, void *at, const char *value, cleave_error *error)
{
    char expected[256] = "one of";
    size_t length = strlen(expected);

    for (int i = 0; param->values[i]; i++) {
        if (same_name(param->values[i], value)) {
            *(int *)at = i;
            return OK;
        }
        if (length < sizeof expected)
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%s %s",
                                       i ? "," : "", param->values[i]);
    }
    return bad_value(param, value, expected, error);
}

Status clv_param_set(const Param *param, void *options, const char *value, cleave_error *error)
{
    void *at = field(param, options);

    switch (param->type) {
    case CLEAVE_REAL:
    case CLEAVE_INTEGER:
        return set_number(param, at, value, error);
    case CLEAVE_FLAG:
        return set_flag(param, at, value, error);
    case CLEAVE_NAME:
        return set_name(param, at, value, error);
    case CLEAVE_TEXT:
        *(const char **)at = value;
        return OK;
    }
    return clv_fail(error, CLEAVE_ERROR_INTERNAL, "parameter '%s' has no type", param->name);
}

const char *clv_param_text(const Param *param, const void *options, char buffer[PARAM_TEXT_SIZE])
{
    const void *at = (const char *)options + param->offset;

    switch (param->type) {
    case CLEAVE_REAL:
        clv_format_double(buffer, *(const double *)at);
        break;
    case CLEAVE_INTEGER:
        snprintf(buffer, PARAM_TEXT_SIZE, "%lld", (long long)*(const int64_t *)at);
        break;
    case CLEAVE_FLAG:
        snprintf(buffer, PARAM_TEXT_SIZE, "%s", *(const bool *)at ? "true" : "false");
        break;
    case CLEAVE_NAME:
        return param->values[*(const int *)at];
    case CLEAVE_TEXT:
        return *(const char *const *)at ? *(const char *const *)at : "";
    }
    return buffer;
}

static Status unknown_name(const char *name, const Param *first, const Param *second,
                           cleave_error *error)
{
    const Param *tables[] = {first, second};
    const char *names[256];
    const char *nearest;
    char flag[FLAG_NAME_SIZE], quoted[QUOTE_SIZE];
    size_t count = 0;

    for (size_t t = 0; t < 2; t++)
        for (const Param *param = tables[t]; param && param->name && count < 255; param++)
            names[count++] = param->name;
    names[count] = NULL;
    nearest = cleave_nearest_word(name, names);
    clv_quote(quoted, name, strlen(name));
    if (nearest)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "unknown option --%s; did you mean --%s?",
                        quoted, flag_name(nearest, flag));
    return clv_fail(error, CLEAVE_ERROR_USAGE, "unknown option --%s", quoted);
}

Status clv_params_apply(const cleave_options *given, const Param *first, void *first_options,
                        const Param *second, void *second_options, cleave_error *error)
{
    clv_params_initial(first, first_options);
    if (second)
        clv_params_initial(second, second_options);
    for (size_t i = 0; given && i < given->count; i++) {
        const char *name = given->list[i].name;
        const Param *param = clv_param_find(first, name);
        void *options = first_options;

        if (!param) {
            param = clv_param_find(second, name);
            options = second_options;
        }
        if (!param)
            return unknown_name(name, first, second, error);
        TRY(clv_param_set(param, options, given->list[i].value, error));
    }
    return OK;
}

cleave_options *cleave_options_new(cleave_context *context)
{
    cleave_options *options = clv_alloc_zero(context, 1, sizeof *options);

    if (options)
        options->context = context;
    return options;
}

cleave_code cleave_options_set(cleave_options *options, const char *name, const char *value,
                               cleave_error *error)
{
    REQUIRE(options && name && value);
    Context *context = options->context;
    struct NamedValue *slot = NULL;
    char *copy = clv_copy_string(context, value, strlen(value));

    if (!copy)
        return clv_fail_memory(error, "an option", strlen(value));
    for (size_t i = 0; i < options->count; i++)
        if (same_name(options->list[i].name, name))
            slot = &options->list[i];
    if (!slot) {
        Status status = GROW(context, options->list, options->capacity, options->count + 1, error);

        if (status == OK) {
            slot = &options->list[options->count];
            slot->value = NULL;
            slot->name = clv_copy_string(context, name, strlen(name));
            if (!slot->name)
                status = clv_fail_memory(error, "an option", strlen(name));
            else
                options->count++;
        }
        if (status != OK) {
            clv_free(context, copy);
            return status;
        }
    }
    clv_free(context, slot->value);
    slot->value = copy;
    return OK;
}

Status clv_options_copy(Context *context, const cleave_options *given, cleave_options **copy,
                        cleave_error *error)
{
    Status status = OK;

    *copy = cleave_options_new(context);
    if (!*copy)
        return clv_fail_memory(error, "options", sizeof **copy);
    for (size_t i = 0; status == OK && given && i < given->count; i++)
        status = cleave_options_set(*copy, given->list[i].name, given->list[i].value, error);
    if (status != OK) {
        cleave_options_free(*copy);
        *copy = NULL;
    }
    return status;
}

void cleave_options_free(cleave_options *options)
{
    if (!options)
        return;
    for (size_t i = 0; i < options->count; i++) {
        FREE(options->context, options->list[i].name, options->list[i].value);
    }
    FREE(options->context, options->list, options);
}

cleave_code cleave_options_set_numbers(cleave_options *options, const char *name, size_t count,
                                       const char *const *keys, const double *numbers,
                                       cleave_error *error)
{
    REQUIRE(options && name && (count == 0 || (keys && numbers)));
    bool signs = same_name(name, "monotone");
    Buffer text = {0};
    Status status = OK;

    for (size_t i = 0; status == OK && i < count; i++) {
        char number[NUMBER_SIZE];
        const char *value = signs ? (numbers[i] > 0 ? "+" : "-")
                                  : cleave_number_text(numbers[i], number);

        if (signs && numbers[i] == 0)
            continue;
        if (!keys[i] || !*keys[i] || strpbrk(keys[i], ",=")) {
            status = clv_fail(error, CLEAVE_ERROR_USAGE,
                              "%s: '%s' cannot be a key: it is empty or contains ',' or '='", name,
                              keys[i] ? keys[i] : "");
            break;
        }
        status = text.size ? clv_buffer_add(options->context, &text, ",", 1, error) : OK;
        THEN(status, clv_buffer_add(options->context, &text, keys[i], strlen(keys[i]), error));
        THEN(status, clv_buffer_add(options->context, &text, "=", 1, error));
        THEN(status, clv_buffer_add(options->context, &text, value, strlen(value), error));
    }
    THEN(status, clv_buffer_add(options->context, &text, "", 1, error));
    THEN(status, cleave_options_set(options, name, text.data, error));
    clv_free(options->context, text.data);
    return status;
}

const char *cleave_options_get(const cleave_options *options, const char *name)
{
    for (size_t i = 0; options && name && i < options->count; i++)
        if (same_name(options->list[i].name, name))
            return options->list[i].value;
    return NULL;
}

const char *cleave_options_at(const cleave_options *options, size_t number, const char **name)
{
    if (!options || number >= options->count)
        return NULL;
    if (name)
        *name = options->list[number].name;
    return options->list[number].value;
}

cleave_code cleave_options_clone(const cleave_options *options, cleave_options **clone,
                                 cleave_error *error)
{
    REQUIRE(options && clone);
    return clv_options_copy(options->context, options, clone, error);
}
