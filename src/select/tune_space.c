#include "select/tune_space.h"

#include "base/number.h"
#include "base/random.h"
#include "read/read_options.h"
#include "train/identity.h"

#include <assert.h>
#include <stdio.h>

#define STREAM 0x74756e65u /* "tune" in ASCII */
enum { DIGITS = 3 };
#define MOST_LISTED UINT64_C(100000) /* largest number of combinations to list */
#define NEAR 0.2 /* largest step from another candidate, as a fraction of the range */
#define SAME 0.7 /* probability of keeping the choice of another candidate */

/* ---- the ranges ------------------------------------------------------------------------------ */

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

static void free_range(const Space *space, Range *range)
{
    for (size_t i = 0; i < range->value_count; i++)
        clv_free(space->context, range->value[i]);
    FREE(space->context, range->value, range->text, range->name);
    range->name = NULL;
    range->value = NULL;
    range->value_count = 0;
    range->text = NULL;
}

/* Adds a range. The space owns the range afterwards, also after a failure. */
static Status add_range(Space *space, Range *range, cleave_error *error)
{
    Status status = GROW(space->context, space->list, space->capacity, space->count + 1, error);

    if (status == OK)
        space->list[space->count++] = *range;
    else
        free_range(space, range);
    return status;
}

void clv_space_free(Space *space)
{
    for (size_t i = 0; i < space->count; i++)
        free_range(space, &space->list[i]);
    if (space->context) {
        FREE(space->context, space->list, space->options);
    }
    *space = (Space){0};
}

/* Takes the values of a list with commas. */
static Status take_list(const Space *space, Range *range, const char *list, size_t size,
                        cleave_error *error)
{
    size_t count = 1;

    for (size_t i = 0; i < size; i++)
        count += list[i] == ',';
    range->text = clv_copy_string(space->context, list, size);
    range->value = clv_alloc_zero(space->context, count, sizeof *range->value);
    if (!range->text || !range->value)
        return clv_fail_memory(error, "values to try", size);
    for (const char *at = range->text; range->value_count < count; at += strcspn(at, ",") + 1) {
        char *value = clv_copy_string(space->context, at, strcspn(at, ","));

        if (!value)
            return clv_fail_memory(error, "values to try", size);
        range->value[range->value_count++] = value;
    }
    return OK;
}

/* Takes all values of a parameter that is a choice. If one of them removes the step, it is
 * first. */
static Status take_choices(const Space *space, Range *range, cleave_error *error)
{
    const Param *param = range->param;
    char list[1024];
    size_t used = 0;

    if (range->absent)
        used = (size_t)snprintf(list, sizeof list, "%s,%s", range->absent, param->tune_values);
    else if (param->tune_values || param->type == CLEAVE_FLAG)
        used = (size_t)snprintf(list, sizeof list, "%s",
                                param->tune_values ? param->tune_values : "false,true");
    else
        for (size_t i = 0; param->values[i] && used < sizeof list; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? "," : "",
                                     param->values[i]);
    assert(used < sizeof list); /* the tables have short lists */
    return take_list(space, range, list, used, error);
}

Status clv_space_take_mark(Space *space, Range *range, cleave_error *error)
{
    const Param *param = range->param;
    Status status = OK;

    range->scale = param->tune;
    range->low = param->tune_low;
    range->high = param->tune_high;
    if (param->tune == CLEAVE_TUNE_CHOICES)
        status = take_choices(space, range, error);
    else if (range->absent)
        clv_parse_ratio(range->absent, &range->low);
    if (status == OK && (param->tune != CLEAVE_TUNE_CHOICES || range->value_count > 1))
        return add_range(space, range, error);
    free_range(space, range);
    return status;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Checks one condition, "name=a|b" or "name!=a|b". */
static bool clause_holds(const Method *method, const void *options, const char *clause, size_t size)
{
    const char *equals = memchr(clause, '=', size), *end = clause + size;
    char name[64], buffer[PARAM_TEXT_SIZE];
    const Param *param;
    const char *text;
    bool negated;

    if (!equals || equals == clause)
        return false;
    negated = equals[-1] == '!';
    snprintf(name, sizeof name, "%.*s", (int)(equals - clause - negated), clause);
    param = clv_param_find(method->params, name);
    if (!param)
        return false;
    text = clv_param_text(param, options, buffer);
    for (const char *at = equals + 1; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));

        if (word_is(at, (size_t)((bar ? bar : end) - at), text))
            return !negated;
        at = bar ? bar + 1 : end;
    }
    return negated;
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

/* Whether a range has no effect: its condition depends on a parameter that is not searched and has
 * another value. */
static bool is_idle(const Space *space, const Range *range, const void *options)
{
    const char *condition = range->asked || range->part != PART_METHOD ? NULL
                                                                       : range->param->tune_when;

    while (condition && *condition) {
        size_t length = strcspn(condition, ","), name_length = strcspn(condition, "!=");
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)name_length, condition);
        if (!clv_space_range(space, clv_param_find(space->method->params, name), NULL) &&
            !clause_holds(space->method, options, condition, length))
            return true;
        condition += length + (condition[length] == ',');
    }
    return false;
}

/* Drops ranges without effect. This is repeated after each removal, because the condition of
 * another range may depend on the removed one. */
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

/* ---- --space --------------------------------------------------------------------------------- */

static Status bad_over(const char *text, size_t length, const char *why, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "write a range as --space NAME=LOW..HIGH, or values as --space NAME=A,B,C",
                         "--space %s: %s", clv_quote(quoted, text, length), why);
}

/* Parses the value like that of the option. */
static Status check_value(const Space *space, const Range *range, const char *value,
                          cleave_error *error)
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

/* Takes the bounds of a range. The scale is that of the table; without one, it is logarithmic if
 * the bounds are far apart. */
static Status take_bounds(const Space *space, Range *range, const char *text, size_t length,
                          cleave_error *error)
{
    char number[NUMBER_SIZE];

    if (range->param->type != CLEAVE_REAL && range->param->type != CLEAVE_INTEGER)
        return bad_over(text, length, "the parameter is not numeric: expected a list of values",
                        error);
    if (!(range->low < range->high))
        return bad_over(text, length, "expected the lower bound first", error);
    clv_format_double(number, range->low);
    TRY(check_value(space, range, number, error));
    clv_format_double(number, range->high);
    TRY(check_value(space, range, number, error));
    range->scale = range->param->tune;
    if (range->scale != CLEAVE_TUNE_LINEAR && range->scale != CLEAVE_TUNE_LOG)
        range->scale = range->low > 0 && range->high / range->low >= 100 ? CLEAVE_TUNE_LOG
                                                                         : CLEAVE_TUNE_LINEAR;
    if (range->low <= 0)
        range->scale = CLEAVE_TUNE_LINEAR;
    return OK;
}

static Status take_values(const Space *space, Range *range, const char *list, size_t size,
                          cleave_error *error)
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
    clv_fail(error, CLEAVE_ERROR_USAGE, "--space: '%s' has no parameter '%s'%s%s%s",
             space->method->name, clv_quote(quoted, name, strlen(name)),
             nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return clv_hint(error, CLEAVE_ERROR_USAGE, "run 'cleave help %s' for the list of parameters",
                    space->method->name);
}

/* Finds the parameter that --space names: of the method, of the run, or of the pipeline. */
static Status find_parameter(const Space *space, const char *name, Range *range,
                             cleave_error *error)
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

/* Parses one entry NAME=... */
static Status take_over(Space *space, const char *text, size_t length, cleave_error *error)
{
    const char *equals = memchr(text, '=', length);
    Range range = {.asked = true}, *old;
    char name[64];
    Status status;
    size_t size;
    bool fixed;

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name ||
        equals + 1 == text + length)
        return bad_over(text, length, "expected NAME=LOW..HIGH or NAME=A,B,C", error);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    TRY(find_parameter(space, name, &range, error));
    if (!range.name)
        return no_parameter(space, name, error);
    size = length - (size_t)(equals + 1 - text);
    fixed = clv_space_fixes(range.part == PART_READING ? space->data.reading : space->fixed,
                            range.part == PART_STEP ? clv_param_find(clv_run_params, "transform")
                                                    : range.param);
    status = fixed ? bad_over(text, length, "the option also has a fixed value; omit one of them",
                              error)
             : parse_bounds(equals + 1, size, &range.low, &range.high)
                 ? take_bounds(space, &range, text, length, error)
                 : take_values(space, &range, equals + 1, size, error);
    if (status != OK) {
        free_range(space, &range);
        return status;
    }
    old = clv_space_range(space, range.param, range.step);
    if (!old)
        return add_range(space, &range, error);
    free_range(space, old);
    *old = range;
    return OK;
}

Status clv_space_build(Context *context, const Method *method, const cleave_options *fixed,
                       const SpaceData *data, const char *over, Space *space, cleave_error *error)
{
    RunOptions run;

    *space = (Space){.context = context, .method = method, .fixed = fixed};
    if (data)
        space->data = *data;
    TRY(clv_new(context, &space->options, 1, method->options_size, true, "options", error));
    TRY(clv_params_apply(fixed, clv_run_params, &run, method->params, space->options, error));
    for (const Param *param = method->params; param->name; param++)
        if (param->tune != CLEAVE_TUNE_NONE && !clv_space_fixes(fixed, param)) {
            Range range = {.param = param,
                           .name = clv_copy_string(context, param->name, strlen(param->name))};

            if (!range.name)
                return clv_fail_memory(error, "the search space", strlen(param->name));
            TRY(clv_space_take_mark(space, &range, error));
        }
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

/* ---- drawing --------------------------------------------------------------------------------- */

/* Draws a number, rounded to a few digits, which are enough for the choice and short to type. */
static void draw_number(const Range *range, double unit, char text[NUMBER_SIZE])
{
    bool whole = range->param->type == CLEAVE_INTEGER, log_scale = range->scale == CLEAVE_TUNE_LOG;
    double low = range->low, high = whole ? range->high + 1 : range->high, rounded;
    double value = log_scale ? low * pow(high / low, unit) : low + unit * (high - low);
    const char *stop;

    value = fmin(fmax(whole ? floor(value) : value, range->low), range->high);
    clv_format_rounded(text, value, DIGITS);
    if (whole || !clv_parse_double(text, text + strlen(text), &rounded, &stop) ||
        rounded < range->low || rounded > range->high)
        clv_format_double(text, value);
}

static void free_setting(const Space *space, cleave_setting *setting)
{
    FREE(space->context, (char *)setting->name, (char *)setting->value);
}

static Status add_setting(const Space *space, Draw *draw, const char *name, const char *value,
                          cleave_error *error)
{
    cleave_setting *setting = &draw->list[draw->count++];
    const char *end = value + strlen(value), *stop;

    if (!clv_parse_double(value, end, &setting->number, &stop) || stop != end)
        setting->number = NAN;
    setting->name = clv_copy_string(space->context, name, strlen(name));
    setting->value = clv_copy_string(space->context, value, strlen(value));
    return setting->name && setting->value ? OK
                                           : clv_fail_memory(error, "a candidate", strlen(value));
}

double clv_range_place(const Range *range, double value)
{
    if (range->scale == CLEAVE_TUNE_LOG)
        return log(value / range->low) / log(range->high / range->low);
    return (value - range->low) / (range->high - range->low);
}

/* The number of values of a range; 0: it is continuous. */
static uint64_t values_of(const Range *range)
{
    if (range->scale == CLEAVE_TUNE_CHOICES)
        return range->value_count;
    return range->param->type == CLEAVE_INTEGER
               ? (uint64_t)(floor(range->high) - ceil(range->low) + 1)
               : 0;
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

/* The position, from 0 to 1, of the value with this number. */
static double unit_of_value(const Range *range, uint64_t number)
{
    double low = range->low, value = low + (double)number + 0.5;

    if (range->scale == CLEAVE_TUNE_CHOICES)
        return ((double)number + 0.5) / (double)range->value_count;
    if (range->scale == CLEAVE_TUNE_LOG)
        return log(value / low) / log((range->high + 1) / low);
    return (value - low) / (range->high + 1 - low);
}

/* Draws around the value of another candidate: a number within NEAR of the range, and in most cases
 * the same choice. A parameter that the other candidate does not set is drawn from its whole range.
 * The number of random numbers used does not depend on the other candidate. */
static double unit_near(const Range *range, const Draw *near, Random *random)
{
    double unit = clv_random_unit(random),
           step = clv_random_unit(random) + clv_random_unit(random) - 1, value;
    const char *text = NULL;

    for (size_t i = 0; i < near->count; i++)
        if (strcmp(near->list[i].name, range->name) == 0)
            text = near->list[i].value;
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

/* Draws a value for every range, even one without effect, so that draws of a range do not depend on
 * the others. */
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

        const char *value = text;

        index /= values;
        if (range->scale == CLEAVE_TUNE_CHOICES)
            value = range->value[(size_t)(unit * (double)range->value_count)];
        else
            draw_number(range, unit, text);
        TRY(add_setting(space, draw, range->name, value, error));
    }
    return OK;
}

/* Applies the user's options and the settings. */
static Status apply_settings(const Space *space, const Draw *draw, void *options, RunOptions *run,
                             cleave_error *error)
{
    TRY(clv_params_apply(space->fixed, clv_run_params, run, space->method->params, options, error));
    for (size_t i = 0; i < draw->count; i++) {
        const Param *param = clv_param_find(space->method->params, draw->list[i].name);
        const Param *of_run = param ? NULL : clv_param_find(clv_run_params, draw->list[i].name);

        /* other parameters are those of the pipeline: see clv_pipeline_compose */
        if (param || of_run)
            TRY(clv_param_set(param ? param : of_run, param ? options : (void *)run,
                              draw->list[i].value, error));
    }
    return OK;
}

/* Removes settings that have no effect because of other values, such as the degree of a kernel
 * without one. There is one setting for each range. */
static void leave_idle_out(const Space *space, Draw *draw, const void *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < draw->count; i++) {
        const Range *range = &space->list[i];
        bool counts = range->part == PART_STEP
                          ? clv_pipeline_has_step(space, range, options)
                          : range->asked || clv_condition_holds(space->method, options,
                                                                range->param->tune_when);
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
    return draw->transform ? cleave_options_set(draw->options, "transform", draw->transform, error)
                           : OK;
}

/* The parameter of the regularization path of a candidate with these options; NULL: none. */
static const Range *path_of(const Space *space, const void *options)
{
    for (size_t i = 0; i < space->count; i++) {
        const Param *param = space->list[i].param;
        bool counts = space->list[i].asked ||
                      clv_condition_holds(space->method, options, param->tune_when);

        if (counts && param->tune_path && space->method->training->resume &&
            space->list[i].part == PART_METHOD && param->type == CLEAVE_REAL &&
            clv_condition_holds(space->method, options, param->tune_path_when))
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

/* Computes the identity of a candidate and its position on a path. The options of a path contain
 * its value, because a warm start keeps other options of the model. */
static Status identify(const Space *space, Draw *draw, const void *options, const RunOptions *run,
                       cleave_error *error)
{
    const Range *path = path_of(space, options);
    char text[PARAM_TEXT_SIZE];

    TRY(list_params(space, draw, &draw->identity, options, run, NULL, error));
    if (!path)
        return OK;
    TRY(cleave_options_set(draw->options, path->param->name,
                           clv_param_text(path->param, options, text), error));
    draw->strength = path->param->tune_path *
                     *(const double *)((const char *)options + path->param->offset);
    return list_params(space, draw, &draw->path, options, run, path->param, error);
}

static Status make_draw(const Space *space, const DrawPlan *plan, Draw *draw, void *options,
                        bool *fine, cleave_error *error)
{
    uint32_t number = plan->number;
    cleave_error ignored;
    RunOptions run;

    if (number > 0)
        TRY(draw_all(space, plan, draw, error));
    TRY(apply_settings(space, draw, options, &run, error));
    if (number > 0) {
        leave_idle_out(space, draw, options);
        TRY(apply_settings(space, draw, options, &run, error));
    }
    *fine = !space->method->check_options ||
            space->method->check_options(options, number > 0 ? &ignored : error) == OK;
    if (!*fine)
        return number > 0 ? OK : CLEAVE_ERROR_USAGE; /* the user's options are incompatible */
    TRY(clv_pipeline_compose(space, draw, options, error));
    if (draw->transform)
        run.transform = draw->transform;
    TRY(give_options(space, draw, error));
    return identify(space, draw, options, &run, error);
}

Status clv_space_draw(const Space *space, const DrawPlan *plan, Draw *draw, bool *fine,
                      cleave_error *error)
{
    void *options = clv_alloc_zero(space->context, 1, space->method->options_size);
    Status status;

    *draw = (Draw){.list = clv_alloc_zero(space->context, space->count + 1, sizeof *draw->list)};
    *fine = false;
    status = options && draw->list
                 ? make_draw(space, plan, draw, options, fine, error)
                 : clv_fail_memory(error, "a candidate", space->method->options_size);
    clv_free(space->context, options);
    return status;
}

void clv_draw_free(const Space *space, Draw *draw)
{
    for (size_t i = 0; i < draw->count; i++)
        free_setting(space, &draw->list[i]);
    clv_free(space->context, draw->list);
    cleave_options_free(draw->options);
    cleave_options_free(draw->reading);
    FREE(space->context, draw->transform, draw->identity.data, draw->path.data);
    *draw = (Draw){0};
}
