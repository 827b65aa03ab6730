/*
 * The pipeline as part of the search space of tune: the marked reading options (word n-grams, stop
 * words) and the marked parameters of the steps of the default pipeline (tfidf:min_df, scale:by).
 * Two steps can be added to the default pipeline: scaling of numeric vectors, and products of
 * columns for linear methods. A candidate has one --transform and the reading options of its data.
 */
#include "read/read_options.h"
#include "select/tune_space.h"
#include "train/pipeline_fit.h"

#include <stdio.h>

enum { NAME_SIZE = 64 };

/* Limits for products of columns: the number of columns, and the number of values over all rows. */
#define MOST_TERMS 1e4
#define MOST_PRODUCTS 2e7

/* Steps that a candidate may add at the end of the default pipeline, in this order. */
static const struct {
    const char *step, *param, *absent;
} additions[] = {{"scale", "by", "none"}, {"polynomial", "degree", "1"}};
enum { ADDITIONS = sizeof additions / sizeof *additions };

/* ---- steps of a pipeline's text */

/* Returns the text of a step with its parameters; NULL: the pipeline does not have the step. */
static const char *find_step(const char *pipeline, const char *name, size_t *length)
{
    for (const char *at = pipeline; *at; at += *at == ',') {
        *length = strcspn(at, ",");
        if (strcspn(at, ":,") == strlen(name) && memcmp(at, name, strlen(name)) == 0)
            return at;
        at += *length;
    }
    return NULL;
}

/* Whether the text of a step sets a parameter. Such a parameter is not searched. */
static bool states(const char *step, size_t length, const Param *param)
{
    FlagName flag = clv_param_flag(param);

    for (const char *at = memchr(step, ':', length), *end = step + length; at && at < end;
         at = memchr(at, ':', (size_t)(end - at))) {
        at++;
        if (strcspn(at, "=:,") == strlen(flag.text) &&
            memcmp(at, flag.text, strlen(flag.text)) == 0)
            return true;
    }
    return false;
}

static bool has_words(const Schema *schema)
{
    if (clv_schema_is_text(schema))
        return true;
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_TEXT)
            return true;
    return false;
}

/* The number of terms of n columns up to a degree. */
static double terms(double n, double degree)
{
    double count = 1;

    for (double i = 1; i <= degree; i++)
        count *= (n + i) / i;
    return count;
}

/* The largest degree with few enough products for this data; 1: none. */
static double most_degree(const SpaceData *data, double degree)
{
    double filled = data->rows ? (double)data->entries / (double)data->rows : 0;

    while (degree > 1 && (terms(data->features, degree) > MOST_TERMS ||
                          terms(filled, degree) * (double)data->rows > MOST_PRODUCTS))
        degree--;
    return degree;
}

static bool can_add(const Space *space, const char *pipeline, size_t addition)
{
    const Method *method = space->method;
    const char *name = additions[addition].step;
    size_t length;

    if ((method->behavior & METHOD_BINARY_FEATURES) || has_words(space->data.schema) ||
        clv_schema_is_sequence(space->data.schema) || find_step(pipeline, name, &length) ||
        find_step(pipeline, "ordinal", &length))
        return false;
    return strcmp(name, "polynomial") == 0 ? (method->behavior & METHOD_LINEAR)
                                           : !(method->behavior & METHOD_SCALE_INVARIANT);
}

static const char *default_pipeline(const Space *space, const void *method_options)
{
    return clv_pipeline_default(space->method, method_options, space->data.schema);
}

bool clv_pipeline_has_step(const Space *space, const Range *range, const void *method_options)
{
    const char *pipeline = default_pipeline(space, method_options), *step;
    size_t length;

    for (size_t i = 0; range->absent && i < ADDITIONS; i++)
        if (strcmp(additions[i].step, range->step->name) == 0)
            return can_add(space, pipeline, i);
    step = find_step(pipeline, range->step->name, &length);
    return step && !states(step, length, range->param);
}

/* ---- ranges */

static Status name_range(const Space *space, Range *range, cleave_error *error)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%s%s%s", range->step ? range->step->name : "",
             range->step ? ":" : "", range->param->name);
    range->name = clv_copy_string(space->context, name, strlen(name));
    return range->name ? OK : clv_fail_memory(error, "the search space", strlen(name));
}

/* Adds a range that its table marks, unless the space has it already. */
static Status take_mark(Space *space, Range range, cleave_error *error)
{
    if (range.param->tune == CLEAVE_TUNE_NONE || clv_space_range(space, range.param, range.step))
        return OK;
    TRY(name_range(space, &range, error));
    return clv_space_take_mark(space, &range, error);
}

/* Whether reading options are searched: for words in files that can be read again. */
static bool can_reread(const Space *space)
{
    return space->data.rereadable && has_words(space->data.schema) &&
           !clv_schema_is_sequence(space->data.schema) &&
           !clv_space_fixes(space->data.reading, clv_param_find(clv_read_params, "chars"));
}

static Status take_addition(Space *space, size_t addition, cleave_error *error)
{
    const char *step = additions[addition].step;
    Range range = {.part = PART_STEP, .absent = additions[addition].absent};
    bool degree = strcmp(step, "polynomial") == 0;
    double high;

    TRY(clv_transform_find(step, strlen(step), &range.step, error));
    range.param = clv_param_find(range.step->params, additions[addition].param);
    high = degree ? most_degree(&space->data, range.param->tune_high) : range.param->tune_high;
    if (clv_space_range(space, range.param, range.step) || (degree && high < 2))
        return OK;
    TRY(take_mark(space, range, error));
    clv_space_range(space, range.param, range.step)->high = high;
    return OK;
}

Status clv_pipeline_take_marks(Space *space, cleave_error *error)
{
    const Param *transform = clv_param_find(clv_run_params, "transform");
    const char *pipeline = default_pipeline(space, space->options);

    for (const Param *param = clv_read_params; can_reread(space) && param->name; param++)
        if (!clv_space_fixes(space->data.reading, param))
            TRY(take_mark(space, (Range){.param = param, .part = PART_READING}, error));
    if (clv_space_fixes(space->fixed, transform) || clv_space_range(space, transform, NULL))
        return OK;
    for (size_t i = 0; clv_transforms[i]; i++) {
        const Transform *step = clv_transforms[i];
        size_t length;
        const char *text = find_step(pipeline, step->name, &length);

        for (const Param *param = step->params; text && param->name; param++)
            if (!states(text, length, param))
                TRY(take_mark(space, (Range){.param = param, .part = PART_STEP, .step = step},
                              error));
    }
    for (size_t i = 0; i < ADDITIONS; i++)
        if (can_add(space, pipeline, i))
            TRY(take_addition(space, i, error));
    return OK;
}

/* ---- --space */

static Status find_reading(const Space *space, const char *name, Range *range, cleave_error *error)
{
    range->param = clv_param_find(clv_read_params, name);
    if (!range->param || range->param->tune == CLEAVE_TUNE_NONE)
        return OK;
    range->part = PART_READING;
    if (can_reread(space))
        return name_range(space, range, error);
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use text files that can be read several times, without --chars, to search this option",
        "--space %s: this reading option cannot be searched here", name);
}

static Status find_step_parameter(const Space *space, const char *name, Range *range,
                                  cleave_error *error)
{
    const char *colon = strchr(name, ':'), *pipeline = default_pipeline(space, space->options);
    size_t length;

    TRY(clv_transform_find(name, (size_t)(colon - name), &range->step, error));
    range->param = clv_param_find(range->step->params, colon + 1);
    if (!range->param) {
        clv_fail(error, CLEAVE_ERROR_USAGE, "--space %s: '%s' has no such parameter", name,
                 range->step->name);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "run 'cleave transforms %s' for the list of parameters", range->step->name);
    }
    range->part = PART_STEP;
    for (size_t i = 0; i < ADDITIONS; i++)
        if (strcmp(additions[i].step, range->step->name) == 0 && can_add(space, pipeline, i) &&
            range->param == clv_param_find(range->step->params, additions[i].param))
            range->absent = additions[i].absent;
    if (range->absent || find_step(pipeline, range->step->name, &length))
        return name_range(space, range, error);
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "--space %s: the default pipeline of this data has no step '%s'", name,
             range->step->name);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "its steps are: %s; --space transform=A,B searches over whole pipelines",
                    *pipeline ? pipeline : "none");
}

Status clv_pipeline_find(const Space *space, const char *name, Range *range, cleave_error *error)
{
    if (!space->data.schema)
        return OK;
    return strchr(name, ':') ? find_step_parameter(space, name, range, error)
                             : find_reading(space, name, range, error);
}

/* ---- the pipeline of a candidate */

static const Range *range_named(const Space *space, const char *name)
{
    for (size_t i = 0; i < space->count; i++)
        if (strcmp(space->list[i].name, name) == 0)
            return &space->list[i];
    return NULL;
}

static Status add_text(const Space *space, Buffer *text, const char *part, size_t length,
                       cleave_error *error)
{
    return clv_buffer_add(space->context, text, part, length, error);
}

/* Adds ":min-df=3" for each setting of a step. */
static Status add_settings(const Space *space, const Draw *draw, const char *step, size_t length,
                           Buffer *text, cleave_error *error)
{
    for (size_t i = 0; i < draw->count; i++) {
        const Range *range = range_named(space, draw->list[i].name);
        char word[2 * NAME_SIZE];

        if (!range || range->part != PART_STEP || range->absent ||
            strlen(range->step->name) != length || memcmp(range->step->name, step, length) != 0)
            continue;
        snprintf(word, sizeof word, ":%s=", clv_param_flag(range->param).text);
        TRY(add_text(space, text, word, strlen(word), error));
        TRY(add_text(space, text, draw->list[i].value, strlen(draw->list[i].value), error));
    }
    return OK;
}

static Status add_additions(const Space *space, const Draw *draw, const char *pipeline,
                            Buffer *text, cleave_error *error)
{
    for (size_t a = 0; a < ADDITIONS; a++)
        for (size_t i = 0; i < draw->count; i++) {
            const Range *range = range_named(space, draw->list[i].name);
            char word[2 * NAME_SIZE];
            size_t length;
            /* Products of unscaled columns lose digits, and methods that need no scaling have no
             * such step. */
            bool scale = strcmp(additions[a].step, "polynomial") == 0 &&
                         (space->method->behavior & METHOD_SCALE_INVARIANT) &&
                         !find_step(pipeline, "scale", &length);

            if (!range || !range->absent || strcmp(range->step->name, additions[a].step) != 0 ||
                strcmp(draw->list[i].value, range->absent) == 0)
                continue;
            snprintf(word, sizeof word, "%s%s%s:%s=%s", text->size ? "," : "",
                     scale ? "scale," : "", range->step->name, clv_param_flag(range->param).text,
                     draw->list[i].value);
            TRY(add_text(space, text, word, strlen(word), error));
        }
    return OK;
}

/* Writes the default pipeline with the candidate's settings. */
static Status write_pipeline(const Space *space, const Draw *draw, const char *pipeline,
                             Buffer *text, cleave_error *error)
{
    for (const char *at = pipeline; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");

        if (text->size)
            TRY(add_text(space, text, ",", 1, error));
        TRY(add_text(space, text, at, length, error));
        TRY(add_settings(space, draw, at, strcspn(at, ":,"), text, error));
        at += length;
    }
    TRY(add_additions(space, draw, pipeline, text, error));
    return add_text(space, text, "", 1, error);
}

/* Removes parameters with their default value, so that pipelines can be compared. */
static Status simplify(const Space *space, const char *given, Buffer *text, cleave_error *error)
{
    Pipeline *pipeline;
    Status status;

    if (!*given)
        return add_text(space, text, "", 1, error);
    TRY(clv_pipeline_parse(space->context, given, &pipeline, error));
    status = clv_pipeline_text(pipeline, text, error);
    clv_pipeline_release(pipeline);
    return status;
}

static Status compose_steps(const Space *space, Draw *draw, const char *pipeline,
                            cleave_error *error)
{
    Buffer text = {0}, simple = {0}, usual = {0};
    Status status = write_pipeline(space, draw, pipeline, &text, error);

    THEN(status, simplify(space, text.data, &simple, error));
    THEN(status, simplify(space, pipeline, &usual, error));
    if (status == OK && strcmp(simple.data, usual.data) != 0) {
        draw->transform = simple.data;
        simple.data = NULL;
    }
    FREE(space->context, text.data, simple.data, usual.data);
    return status;
}

Status clv_pipeline_compose(const Space *space, Draw *draw, const void *method_options,
                            cleave_error *error)
{
    bool steps = false;

    for (size_t i = 0; i < draw->count; i++) {
        const Range *range = range_named(space, draw->list[i].name);
        const cleave_setting *setting = &draw->list[i];
        const char *marked = range && range->part == PART_READING ? range->param->tune_values
                                                                  : NULL;
        size_t length = marked ? strcspn(marked, ",") : 0;

        steps |= range && range->part == PART_STEP;
        /* The first marked value of a reading option is the default, with which the data was
         * read. */
        if (!marked ||
            (strlen(setting->value) == length && memcmp(marked, setting->value, length) == 0))
            continue;
        if (!draw->reading)
            TRY(clv_options_copy(space->context, NULL, &draw->reading, error));
        TRY(cleave_options_set(draw->reading, setting->name, setting->value, error));
    }
    return steps ? compose_steps(space, draw, default_pipeline(space, method_options), error) : OK;
}
