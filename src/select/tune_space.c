/* What candidates are drawn from: the marks in the tables, what the user fixes, and what --over says. */
#include "select/tune.h"

#include "base/number.h"
#include "base/random.h"
#include "read/read_options.h"
#include "train/identity.h"

#include <stdio.h>

#define STREAM 0x74756e65u /* "tune" */
enum { DIGITS = 3 };
#define MOST_LISTED UINT64_C(100000) /* largest number of combinations to list */
#define NEAR 0.2                     /* of a range: the largest step from another candidate */
#define SAME 0.7                     /* share of draws that keep the choice of another candidate */

/* ---- the ranges --------------------------------------------------------------------------------------------------- */

bool clv_space_fixes(const cleave_options *given, const Param *param)
{
    Param only[] = {*param, {.name = NULL}};

    for (size_t i = 0; given && i < given->count; i++)
        if (clv_param_find(only, given->list[i].name))
            return true;
    return false;
}

Range *clv_space_range(const Space *space, const Param *param, const Transform *step)
{
    for (size_t i = 0; i < space->count; i++)
        if (space->list[i].param == param && space->list[i].step == step)
            return &space->list[i];
    return NULL;
}

static Status add_range(Space *space, const Range *range, cleave_error *error)
{
    TRY(GROW(space->context, space->list, space->capacity, space->count + 1, error));
    space->list[space->count++] = *range;
    return OK;
}

static void free_range(const Space *space, Range *range)
{
    for (size_t i = 0; i < range->value_count; i++)
        clv_free(space->context, range->value[i]);
    clv_free(space->context, range->value);
    clv_free(space->context, range->text);
    clv_free(space->context, range->name);
    range->name = NULL;
    range->value = NULL;
    range->value_count = 0;
    range->text = NULL;
}

void clv_space_free(Space *space)
{
    for (size_t i = 0; i < space->count; i++)
        free_range(space, &space->list[i]);
    if (space->context) {
        clv_free(space->context, space->list);
        clv_free(space->context, space->options);
    }
    *space = (Space){0};
}

static Status add_value(const Space *space, Range *range, const char *text, size_t length, cleave_error *error)
{
    char **grown = clv_resize(space->context, range->value, range->value_count + 1, sizeof *grown);

    if (!grown)
        return clv_fail_memory(error, "values to try", length);
    range->value = grown;
    grown[range->value_count] = clv_copy_string(space->context, text, length);
    if (!grown[range->value_count])
        return clv_fail_memory(error, "values to try", length);
    range->value_count++;
    return OK;
}

/* Values of a list with commas. */
static Status add_values(const Space *space, Range *range, const char *list, size_t size, cleave_error *error)
{
    const char *end = list + size;

    while (list <= end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        size_t length = (size_t)((comma ? comma : end) - list);

        TRY(add_value(space, range, list, length, error));
        list += length + 1;
    }
    return OK;
}

static Status take_list(const Space *space, Range *range, const char *list, size_t size, cleave_error *error)
{
    range->text = clv_copy_string(space->context, list, size);
    return range->text ? add_values(space, range, list, size, error) : clv_fail_memory(error, "values to try", size);
}

/* All that the parameter can be. */
static Status take_names(const Space *space, Range *range, cleave_error *error)
{
    Buffer list = {0};
    Status status = OK;

    for (size_t i = 0; status == OK && range->param->values[i]; i++) {
        if (i > 0)
            status = clv_buffer_add(space->context, &list, ",", 1, error);
        if (status == OK)
            status = clv_buffer_add(space->context, &list, range->param->values[i], strlen(range->param->values[i]),
                                    error);
    }
    if (status == OK)
        status = take_list(space, range, list.data, list.size, error);
    clv_free(space->context, list.data);
    return status;
}

/* The value that leaves the step out, then the marked values. */
static Status add_absent(const Space *space, Range *range, cleave_error *error)
{
    char list[256];

    snprintf(list, sizeof list, "%s,%s", range->absent, range->param->tune_values);
    return take_list(space, range, list, strlen(list), error);
}

static Status add_all_values(const Space *space, Range *range, cleave_error *error)
{
    const Param *param = range->param;

    if (range->absent)
        return add_absent(space, range, error);
    if (param->tune_values)
        return take_list(space, range, param->tune_values, strlen(param->tune_values), error);
    if (param->type == CLEAVE_FLAG)
        return take_list(space, range, "false,true", strlen("false,true"), error);
    return take_names(space, range, error);
}

Status clv_space_take_mark(Space *space, Range *range, cleave_error *error)
{
    const Param *param = range->param;
    Status status = OK;

    range->scale = param->tune;
    range->low = param->tune_low;
    range->high = param->tune_high;
    if (param->tune == CLEAVE_TUNE_CHOICES)
        status = add_all_values(space, range, error);
    else if (range->absent)
        clv_parse_ratio(range->absent, &range->low);
    if (status == OK && (param->tune != CLEAVE_TUNE_CHOICES || range->value_count > 1))
        status = add_range(space, range, error);
    else
        free_range(space, range);
    if (status != OK)
        free_range(space, range);
    return status;
}

static Status take_method_mark(Space *space, const Param *param, cleave_error *error)
{
    Range range = {.param = param, .name = clv_copy_string(space->context, param->name, strlen(param->name))};

    if (!range.name)
        return clv_fail_memory(error, "the search space", strlen(param->name));
    return clv_space_take_mark(space, &range, error);
}

/* ---- conditions ---------------------------------------------------------------------------------------------------- */

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* One of "name=a|b". */
static bool clause_holds(const Method *method, const void *options, const char *clause, size_t size)
{
    const char *equals = memchr(clause, '=', size), *end = clause + size;
    char name[64], buffer[PARAM_TEXT_SIZE];
    const Param *param;
    const char *text;

    if (!equals)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(equals - clause), clause);
    param = clv_param_find(method->params, name);
    if (!param)
        return false;
    text = clv_param_text(param, options, buffer);
    for (const char *at = equals + 1; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));

        if (word_is(at, (size_t)((bar ? bar : end) - at), text))
            return true;
        at = bar ? bar + 1 : end;
    }
    return false;
}

bool clv_condition_holds(const Method *method, const void *options, const char *condition)
{
    while (condition && *condition) {
        size_t length = strcspn(condition, ",");

        if (!clause_holds(method, options, condition, length))
            return false;
        condition += length + (condition[length] == ',');
    }
    return true;
}

/* Whether no draw will ever count: a parameter that the condition names is not drawn, and has another value. */
static bool is_idle(const Space *space, const Range *range, const void *options)
{
    const char *condition = range->asked || range->part != PART_METHOD ? NULL : range->param->tune_when;

    while (condition && *condition) {
        size_t length = strcspn(condition, ","), name_length = strcspn(condition, "=");
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)name_length, condition);
        if (!clv_space_range(space, clv_param_find(space->method->params, name), NULL) &&
            !clause_holds(space->method, options, condition, length))
            return true;
        condition += length + (condition[length] == ',');
    }
    return false;
}

/* Until none is left: one that goes may have been named by another. */
static void drop_idle(Space *space, const void *options)
{
    for (size_t i = 0; i < space->count;) {
        if (!is_idle(space, &space->list[i], options)) {
            i++;
            continue;
        }
        free_range(space, &space->list[i]);
        memmove(&space->list[i], &space->list[i + 1], (space->count - i - 1) * sizeof *space->list);
        space->count--;
        i = 0;
    }
}

static Status take_fixed_options(Space *space, cleave_error *error)
{
    RunOptions run;

    space->options = clv_alloc_zero(space->context, 1, space->method->options_size);
    if (!space->options)
        return clv_fail_memory(error, "options", space->method->options_size);
    return clv_params_apply(space->fixed, clv_run_params, &run, space->method->params, space->options, error);
}

/* ---- --over ------------------------------------------------------------------------------------------------------- */

static Status bad_over(const char *text, size_t length, const char *why, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    clv_fail(error, CLEAVE_ERROR_USAGE, "--over %s: %s", clv_quote(quoted, text, length), why);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "--over NAME=LOW..HIGH is a range, --over NAME=A,B,C are values");
}

/* As the options themselves would take it. */
static Status check_value(const Space *space, const Range *range, const char *value, cleave_error *error)
{
    size_t size = range->part == PART_METHOD    ? space->method->options_size
                  : range->part == PART_RUN     ? sizeof(RunOptions)
                  : range->part == PART_READING ? sizeof(ReadOptions)
                                                : range->step->options_size;
    void *options = clv_alloc_zero(space->context, 1, size);
    Status status;

    if (!options)
        return clv_fail_memory(error, "options", size);
    status = clv_param_set(range->param, options, value, error);
    clv_free(space->context, options);
    return status;
}

static bool parse_bounds(const char *list, size_t size, double *low, double *high)
{
    const char *dots = list, *stop, *end = list + size;

    while (dots + 2 <= end && memcmp(dots, "..", 2) != 0)
        dots++;
    if (dots + 2 > end || !clv_parse_double(list, dots, low, &stop) || stop != dots)
        return false;
    return clv_parse_double(dots + 2, end, high, &stop) && stop == end;
}

static Status check_bounds(const Space *space, const Range *range, cleave_error *error)
{
    char text[NUMBER_SIZE];

    clv_format_double(text, range->low);
    TRY(check_value(space, range, text, error));
    clv_format_double(text, range->high);
    return check_value(space, range, text, error);
}

/* Bounds stand for the logarithm where the table says so, or, where it says nothing, where they are far apart. */
static Status take_bounds(const Space *space, Range *range, const char *text, size_t length, cleave_error *error)
{
    bool number = range->param->type == CLEAVE_REAL || range->param->type == CLEAVE_INTEGER;

    if (!number)
        return bad_over(text, length, "this is no number: expected values", error);
    if (!(range->low < range->high))
        return bad_over(text, length, "expected the lower bound first", error);
    TRY(check_bounds(space, range, error));
    range->scale = range->param->tune;
    if (range->scale != CLEAVE_TUNE_LINEAR && range->scale != CLEAVE_TUNE_LOG)
        range->scale = range->low > 0 && range->high / range->low >= 100 ? CLEAVE_TUNE_LOG : CLEAVE_TUNE_LINEAR;
    if (range->low <= 0)
        range->scale = CLEAVE_TUNE_LINEAR;
    return OK;
}

static Status take_values(const Space *space, Range *range, const char *list, size_t size, cleave_error *error)
{
    range->scale = CLEAVE_TUNE_CHOICES;
    TRY(take_list(space, range, list, size, error));
    for (size_t i = 0; i < range->value_count; i++)
        TRY(check_value(space, range, range->value[i], error));
    return OK;
}

static Status no_parameter(const Space *space, const char *name, cleave_error *error)
{
    const char *names[256], *nearest;
    size_t count = 0;
    char quoted[QUOTE_SIZE];

    for (const Param *param = space->method->params; param->name && count < 255; param++)
        names[count++] = param->name;
    for (const Param *param = clv_run_params; param->name && count < 255; param++)
        names[count++] = param->name;
    names[count] = NULL;
    nearest = cleave_nearest_word(name, names);
    clv_fail(error, CLEAVE_ERROR_USAGE, "--over: '%s' has no parameter '%s'%s%s%s", space->method->name,
             clv_quote(quoted, name, strlen(name)), nearest ? "; did you mean '" : "", nearest ? nearest : "",
             nearest ? "'?" : "");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "'cleave help %s' lists them", space->method->name);
}

/* The parameter that --over names: of the method, of the run, or of the pipeline. */
static Status find_parameter(const Space *space, const char *name, Range *range, cleave_error *error)
{
    range->param = clv_param_find(space->method->params, name);
    range->part = range->param ? PART_METHOD : PART_RUN;
    if (!range->param)
        range->param = clv_param_find(clv_run_params, name);
    if (!range->param)
        return clv_pipeline_find(space, name, range, error);
    range->name = clv_copy_string(space->context, range->param->name, strlen(range->param->name));
    return range->name ? OK : clv_fail_memory(error, "the search space", strlen(name));
}

static bool is_fixed(const Space *space, const Range *range)
{
    return clv_space_fixes(range->part == PART_READING ? space->data.reading : space->fixed,
                           range->part == PART_STEP ? clv_param_find(clv_run_params, "transform") : range->param);
}

/* One NAME=... */
static Status take_over(Space *space, const char *text, size_t length, cleave_error *error)
{
    const char *equals = memchr(text, '=', length);
    Range range = {.asked = true}, *old;
    char name[64];
    Status status;
    size_t size;

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name || equals + 1 == text + length)
        return bad_over(text, length, "expected NAME=LOW..HIGH or NAME=A,B,C", error);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    TRY(find_parameter(space, name, &range, error));
    if (!range.name)
        return no_parameter(space, name, error);
    size = length - (size_t)(equals + 1 - text);
    status = is_fixed(space, &range)
                 ? bad_over(text, length, "the option is also given a fixed value: leave one of them out", error)
             : parse_bounds(equals + 1, size, &range.low, &range.high)
                 ? take_bounds(space, &range, text, length, error)
                 : take_values(space, &range, equals + 1, size, error);
    old = clv_space_range(space, range.param, range.step);
    if (status == OK && old) {
        free_range(space, old);
        *old = range;
        return OK;
    }
    if (status == OK)
        status = add_range(space, &range, error);
    if (status != OK)
        free_range(space, &range);
    return status;
}

Status clv_space_build(Context *context, const Method *method, const cleave_options *fixed, const SpaceData *data,
                       const char *over, Space *space, cleave_error *error)
{
    *space = (Space){.context = context, .method = method, .fixed = fixed};
    if (data)
        space->data = *data;
    TRY(take_fixed_options(space, error));
    for (const Param *param = method->params; param->name; param++)
        if (param->tune != CLEAVE_TUNE_NONE && !clv_space_fixes(fixed, param))
            TRY(take_method_mark(space, param, error));
    while (over && *over) {
        size_t length = strcspn(over, ";");

        TRY(take_over(space, over, length, error));
        over += length + (over[length] == ';');
    }
    if (space->data.schema && space->data.search)
        TRY(clv_pipeline_take_marks(space, error));
    drop_idle(space, space->options);
    return OK;
}

/* ---- drawing ------------------------------------------------------------------------------------------------------ */

/* A few digits are enough to choose by, and short enough to be typed. */
static void round_within(const Range *range, double value, char text[NUMBER_SIZE])
{
    const char *stop;
    double rounded;

    clv_format_rounded(text, value, DIGITS);
    if (!clv_parse_double(text, text + strlen(text), &rounded, &stop) || rounded < range->low || rounded > range->high)
        clv_format_double(text, value);
}

static void draw_number(const Range *range, double unit, char text[NUMBER_SIZE])
{
    bool whole = range->param->type == CLEAVE_INTEGER, log_scale = range->scale == CLEAVE_TUNE_LOG;
    double low = range->low, high = whole ? range->high + 1 : range->high;
    double value = log_scale ? low * pow(high / low, unit) : low + unit * (high - low);

    value = fmin(fmax(whole ? floor(value) : value, range->low), range->high);
    if (whole)
        clv_format_double(text, value);
    else
        round_within(range, value, text);
}

static void free_setting(const Space *space, cleave_setting *setting)
{
    clv_free(space->context, (char *)setting->name);
    clv_free(space->context, (char *)setting->value);
}

static Status add_setting(const Space *space, Draw *draw, const char *name, const char *value, cleave_error *error)
{
    cleave_setting *setting = &draw->list[draw->count];
    const char *end = value + strlen(value), *stop;

    if (!clv_parse_double(value, end, &setting->number, &stop) || stop != end)
        setting->number = NAN;
    setting->name = clv_copy_string(space->context, name, strlen(name));
    setting->value = clv_copy_string(space->context, value, strlen(value));
    draw->count++;
    return setting->name && setting->value ? OK : clv_fail_memory(error, "a candidate", strlen(value));
}

double clv_range_place(const Range *range, double value)
{
    if (range->scale == CLEAVE_TUNE_LOG)
        return log(value / range->low) / log(range->high / range->low);
    return (value - range->low) / (range->high - range->low);
}

/* Number of values of a range; 0: it is continuous. */
static uint64_t values_of(const Range *range)
{
    if (range->scale == CLEAVE_TUNE_CHOICES)
        return range->value_count;
    return range->param->type == CLEAVE_INTEGER ? (uint64_t)(floor(range->high) - ceil(range->low) + 1) : 0;
}

uint64_t clv_space_size(const Space *space)
{
    uint64_t size = 1;

    for (size_t i = 0; i < space->count; i++) {
        uint64_t values = values_of(&space->list[i]);

        if (values == 0 || size > MOST_LISTED / values)
            return 0;
        size *= values;
    }
    return size;
}

/* The position from 0 to 1 of the value with this number. */
static double unit_of_value(const Range *range, uint64_t number)
{
    double low = range->low, value = low + (double)number + 0.5;

    if (range->scale == CLEAVE_TUNE_CHOICES)
        return ((double)number + 0.5) / (double)range->value_count;
    if (range->scale == CLEAVE_TUNE_LOG)
        return log(value / low) / log((range->high + 1) / low);
    return (value - low) / (range->high + 1 - low);
}

static const char *value_of(const Draw *draw, const char *name)
{
    for (size_t i = 0; i < draw->count; i++)
        if (strcmp(draw->list[i].name, name) == 0)
            return draw->list[i].value;
    return NULL;
}

/* Draws around the value of another candidate: a number within NEAR of the range, a choice mostly
 * the same. A parameter that the other candidate does not set is drawn from its whole range. The
 * number of random numbers used does not depend on the other candidate. */
static double unit_near(const Range *range, const Draw *near, Random *random)
{
    double unit = clv_random_unit(random), step = clv_random_unit(random) + clv_random_unit(random) - 1, value;
    const char *text = value_of(near, range->name);

    if (!text)
        return unit;
    if (range->scale != CLEAVE_TUNE_CHOICES) {
        if (!clv_parse_ratio(text, &value))
            return unit;
        return fmin(fmax(clv_range_place(range, value) + NEAR * step, 0), 0x1.fffffffffffffp-1);
    }
    for (size_t i = 0; unit < SAME && i < range->value_count; i++)
        if (strcmp(range->value[i], text) == 0)
            return unit_of_value(range, i);
    return unit;
}

/* A value for every range, whether it will count or not, so that what one is drawn does not hang on the others. */
static Status draw_all(const Space *space, const DrawPlan *plan, Draw *draw, cleave_error *error)
{
    Random random = clv_random(plan->seed ^ STREAM, (uint64_t)plan->number << 32 | plan->attempt);
    uint64_t index = plan->index;

    for (size_t i = 0; i < space->count; i++) {
        const Range *range = &space->list[i];
        uint64_t values = plan->listed ? values_of(range) : 1;
        double unit = plan->listed ? unit_of_value(range, index % values)
                      : plan->near ? unit_near(range, plan->near, &random)
                                   : clv_random_unit(&random);
        char text[NUMBER_SIZE];

        index /= values;

        if (range->scale == CLEAVE_TUNE_CHOICES) {
            size_t choice = (size_t)(unit * (double)range->value_count);

            TRY(add_setting(space, draw, range->name, range->value[choice], error));
        } else {
            draw_number(range, unit, text);
            TRY(add_setting(space, draw, range->name, text, error));
        }
    }
    return OK;
}

/* Options as the user and the settings say. */
static Status settle(const Space *space, const Draw *draw, void *options, RunOptions *run, cleave_error *error)
{
    TRY(clv_params_apply(space->fixed, clv_run_params, run, space->method->params, options, error));
    for (size_t i = 0; i < draw->count; i++) {
        const Param *param = clv_param_find(space->method->params, draw->list[i].name);
        const Param *of_run = param ? NULL : clv_param_find(clv_run_params, draw->list[i].name);

        if (param || of_run) /* others are of the pipeline: see clv_pipeline_compose */
            TRY(clv_param_set(param ? param : of_run, param ? options : (void *)run, draw->list[i].value, error));
    }
    return OK;
}

/* Settings that count for nothing where others are as they are, such as the degree of a kernel that has none, are taken out again; there is
 * one for each range. */
static void leave_idle_out(const Space *space, Draw *draw, const void *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < draw->count; i++) {
        const Range *range = &space->list[i];
        bool counts = range->part == PART_STEP
                          ? clv_pipeline_has_step(space, range, options)
                          : range->asked || clv_condition_holds(space->method, options, range->param->tune_when);
        bool plain = range->param->type == CLEAVE_FLAG && strcmp(draw->list[i].value, "false") == 0;

        if (counts && !plain) {
            cleave_setting swap = draw->list[kept];

            draw->list[kept++] = draw->list[i];
            draw->list[i] = swap;
        }
    }
    for (size_t i = kept; i < draw->count; i++)
        free_setting(space, &draw->list[i]);
    draw->count = kept;
}

static Status give_options(const Space *space, Draw *draw, cleave_error *error)
{
    TRY(clv_options_copy(space->context, space->fixed, &draw->options, error));
    for (size_t i = 0; i < draw->count; i++)
        if (clv_param_find(space->method->params, draw->list[i].name) ||
            clv_param_find(clv_run_params, draw->list[i].name))
            TRY(cleave_options_set(draw->options, draw->list[i].name, draw->list[i].value, error));
    return draw->transform ? cleave_options_set(draw->options, "transform", draw->transform, error) : OK;
}

/* The parameter whose values are a path, where it is drawn and this is a way that it leads. */
static const Range *path_of(const Space *space, const void *options)
{
    for (size_t i = 0; i < space->count; i++) {
        const Param *param = space->list[i].param;
        bool counts = space->list[i].asked || clv_condition_holds(space->method, options, param->tune_when);

        if (counts && param->tune_path && space->method->training->resume && space->list[i].part == PART_METHOD &&
            param->type == CLEAVE_REAL && clv_condition_holds(space->method, options, param->tune_path_when))
            return &space->list[i];
    }
    return NULL;
}

static Status list_params(const Space *space, const Draw *draw, Buffer *list, const void *options,
                          const RunOptions *run, const Param *without, cleave_error *error)
{
    Identity identity = {.context = space->context, .error = error, .list = list};

    for (size_t i = 0; draw->reading && i < draw->reading->count; i++)
        TRY(clv_identity_add(&identity, draw->reading->list[i].name, draw->reading->list[i].value));
    for (const Param *param = space->method->params; param->name; param++) {
        Param only[] = {*param, {.name = NULL}};

        if (!without || strcmp(param->name, without->name) != 0)
            TRY(clv_identity_params(&identity, only, options, NULL));
    }
    return clv_identity_params(&identity, clv_run_params, run, NULL);
}

/* Its place among others. On a path, its own value must be said, or it would be that of the model it goes on from. */
static Status compare_by(const Space *space, Draw *draw, const void *options, const RunOptions *run,
                         cleave_error *error)
{
    const Range *path = path_of(space, options);
    char text[PARAM_TEXT_SIZE];

    TRY(list_params(space, draw, &draw->sameness, options, run, NULL, error));
    if (!path)
        return OK;
    TRY(cleave_options_set(draw->options, path->param->name, clv_param_text(path->param, options, text), error));
    draw->strength = path->param->tune_path * *(const double *)((const char *)options + path->param->offset);
    return list_params(space, draw, &draw->chain, options, run, path->param, error);
}

static Status make_draw(const Space *space, const DrawPlan *plan, Draw *draw, void *options, bool *fine,
                        cleave_error *error)
{
    uint32_t number = plan->number;
    cleave_error ignored;
    RunOptions run;

    if (number > 0)
        TRY(draw_all(space, plan, draw, error));
    TRY(settle(space, draw, options, &run, error));
    if (number > 0) {
        leave_idle_out(space, draw, options);
        TRY(settle(space, draw, options, &run, error));
    }
    *fine = !space->method->check_options || space->method->check_options(options, number > 0 ? &ignored : error) == OK;
    if (!*fine)
        return number > 0 ? OK : CLEAVE_ERROR_USAGE; /* what the user says does not go together */
    TRY(clv_pipeline_compose(space, draw, options, error));
    if (draw->transform)
        run.transform = draw->transform;
    TRY(give_options(space, draw, error));
    return compare_by(space, draw, options, &run, error);
}

Status clv_space_draw(const Space *space, const DrawPlan *plan, Draw *draw, bool *fine, cleave_error *error)
{
    void *options = clv_alloc_zero(space->context, 1, space->method->options_size);
    Status status;

    *draw = (Draw){.list = clv_alloc_zero(space->context, space->count + 1, sizeof *draw->list)};
    *fine = false;
    status = options && draw->list ? make_draw(space, plan, draw, options, fine, error)
                                   : clv_fail_memory(error, "a candidate", space->method->options_size);
    clv_free(space->context, options);
    return status;
}

void clv_draw_free(const Space *space, Draw *draw)
{
    for (size_t i = 0; i < draw->count; i++) {
        free_setting(space, &draw->list[i]);
    }
    clv_free(space->context, draw->list);
    cleave_options_free(draw->options);
    cleave_options_free(draw->reading);
    clv_free(space->context, draw->transform);
    clv_free(space->context, draw->sameness.data);
    clv_free(space->context, draw->chain.data);
    *draw = (Draw){0};
}
