#include "train/pipeline_fit.h"
#include "pipeline/pipeline.h"

#include "train/row_source.h"

#include <stdio.h>

static bool has(const Schema *schema, ColumnKind kind)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == kind)
            return true;
    return false;
}

/* The default steps for a table, by the kinds of its columns and the needs of the method. */
static const char *default_steps_of_table(const Method *method, const Schema *schema,
                                          RowAccess access)
{
    /* Indexed by: text, categories, numbers. */
    static const char *const scaled[2][2][2] = {
        {{"", "impute,scale"}, {"rare", "rare,impute,scale"}},
        {{"tfidf", "tfidf,impute,scale"}, {"tfidf,rare", "tfidf,rare,impute,scale"}}};
    static const char *const as_given[2][2][2] = {
        {{"", "impute"}, {"rare", "rare,impute"}},
        {{"tfidf", "tfidf,impute"}, {"tfidf,rare", "tfidf,rare,impute"}}};
    static const char *const binary[2][2] = {
        {"", "rare"},
        {"tfidf:tf=presence:idf=none:norm=none", "tfidf:tf=presence:idf=none:norm=none,rare"}};
    bool words = has(schema, COLUMN_TEXT), categories = has(schema, COLUMN_CATEGORY),
         numbers = has(schema, COLUMN_NUMBER) || has(schema, COLUMN_DATE);

    if (access != ROWS_STORED)
        return access == ROWS_STREAM && numbers && !(method->behavior & METHOD_BINARY_FEATURES)
                   ? "running-scale"
                   : "";
    if (method->behavior & METHOD_BINARY_FEATURES)
        return binary[words][categories];
    return (method->behavior & METHOD_SCALE_INVARIANT) ? as_given[words][categories][numbers]
                                                       : scaled[words][categories][numbers];
}

/* The default pipeline for a kind of data: words are weighted, numbers are scaled, and other
 * features do not change. */
static const char *default_steps(const Method *method, const void *options, const Schema *schema,
                                 RowAccess access)
{
    const char *own = method->training->default_pipeline
                          ? method->training->default_pipeline(options, schema)
                          : NULL;

    if (own)
        return own;
    if (clv_schema_is_sequence(schema))
        return "";
    /* values of arrays are not changed */
    if (clv_schema_is_table(schema) && clv_schema_is_array(schema))
        return access != ROWS_STORED || (method->behavior & METHOD_BINARY_FEATURES) ? "" : "impute";
    if (clv_schema_is_table(schema))
        return default_steps_of_table(method, schema, access);
    if (clv_schema_is_text(schema) && (method->behavior & METHOD_BINARY_FEATURES))
        return "tfidf:tf=presence:idf=none:norm=none";
    if (clv_schema_is_text(schema))
        return access == ROWS_STORED ? "tfidf" : "tfidf:idf=none";
    return "";
}

const char *clv_pipeline_default(const Method *method, const void *options, const Schema *schema)
{
    return default_steps(method, options, schema, ROWS_STORED);
}

static Status add(Context *context, Buffer *text, const char *part, size_t length,
                  cleave_error *error)
{
    if (length && text->size)
        TRY(clv_buffer_add(context, text, ",", 1, error));
    return clv_buffer_add(context, text, part, length, error);
}

/* Expands `auto` in a list to the default. `none` alone stands for an empty pipeline. */
static Status expand(Context *context, const char *said, const char *suits, Buffer *text,
                     cleave_error *error)
{
    if (strcmp(said, "none") == 0)
        return clv_buffer_add(context, text, "", 1, error);
    for (const char *at = said;; at++) {
        size_t length = strcspn(at, ",");

        if (length == 4 && memcmp(at, "auto", 4) == 0)
            TRY(add(context, text, suits, strlen(suits), error));
        else
            TRY(add(context, text, length ? at : " ", length ? length : 1, error));
        at += length;
        if (!*at)
            return clv_buffer_add(context, text, "", 1, error);
    }
}

/* Adds weights to a list of steps, which are separated by commas. */
static Status add_weights(Context *context, const char *weights, Buffer *text, cleave_error *error)
{
    static const char beginning[] = "weigh:by=";
    size_t start;

    text->size -= text->size > 0; /* the final NUL */
    TRY(add(context, text, beginning, sizeof beginning - 1, error));
    start = text->size;
    TRY(clv_buffer_add(context, text, weights, strlen(weights) + 1, error));
    for (char *at = text->data + start; *at; at++)
        if (*at == ',')
            *at = ';';
    return OK;
}

/* Notes that the default for a table is not used: it must be fitted before use, and the rows arrive
 * in pieces. */
static void tell_of_less(Context *context, const Method *method, const void *options,
                         const char *said, const Schema *schema, RowAccess access)
{
    const char *whole = default_steps(method, options, schema, ROWS_STORED);

    if (strcmp(said, "auto") == 0 && clv_schema_is_table(schema) && *whole &&
        !*default_steps(method, options, schema, access))
        clv_note(
            context,
            "the columns are not transformed, because the default --transform %s must be fitted "
            "first; to fit it, run 'cleave train' on a sample and warm-start from that model",
            whole);
}

Status clv_pipeline_of_run(Context *context, const Method *method, const void *options,
                           const char *said, const Schema *schema, RowAccess access,
                           Pipeline **pipeline, cleave_error *error)
{
    Buffer text = {0};
    Status status = expand(context, said, default_steps(method, options, schema, access), &text,
                           error);

    *pipeline = NULL;
    if (status == OK && access != ROWS_STORED)
        tell_of_less(context, method, options, said, schema, access);
    if (status == OK && options && method->training->feature_weights &&
        method->training->feature_weights(options))
        status = add_weights(context, method->training->feature_weights(options), &text, error);
    if (status == OK && *text.data)
        status = clv_pipeline_parse(context, text.data, pipeline, error);
    clv_free(context, text.data);
    if (status == OK && *pipeline)
        status = clv_pipeline_weights(context, *pipeline, error);
    if (status != OK) {
        clv_pipeline_release(*pipeline);
        *pipeline = NULL;
    }
    return status;
}

/* instead_of: the default that the user replaced. */
static Status tell(const Pipeline *pipeline, bool is_default, const char *instead_of,
                   cleave_error *error)
{
    Context *context = clv_pipeline_step(pipeline, 0)->context;
    Buffer text = {0};
    char facts[512] = "";
    size_t used = 0;
    Status status = clv_pipeline_text(pipeline, &text, error);

    for (size_t i = 0; i < clv_pipeline_steps(pipeline); i++) {
        const Step *step = clv_pipeline_step(pipeline, i);
        char said[160] = "";

        if (step->transform->summarize)
            step->transform->summarize(step, said);
        if (*said && used + strlen(said) + 4 < sizeof facts)
            used += (size_t)snprintf(facts + used, sizeof facts - used, "%s%s", used ? "; " : ": ",
                                     said);
    }
    if (status == OK)
        clv_note(context, "pipeline: --transform %s%s%s", text.data,
                 is_default ? " (default for this data)" : "", facts);
    if (status == OK && instead_of && *instead_of)
        clv_note(context,
                 "--transform replaces the default '%s' of this data; use --transform auto,... to "
                 "keep it",
                 instead_of);
    clv_free(context, text.data);
    return status;
}

Status clv_pipeline_note(const Pipeline *pipeline, bool is_default, cleave_error *error)
{
    return tell(pipeline, is_default, NULL, error);
}

/* Whether the user names a step of the default. */
static bool names_any(const char *said, const char *suits)
{
    for (const char *at = suits; *at; at += *at == ',') {
        char name[16];
        size_t length = strcspn(at, ":,");

        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (strstr(said, name))
            return true;
        at += strcspn(at, ",");
    }
    return false;
}

/* Warns that nearest neighbors after a step can differ from those before it. */
static void warn_of_space(const Pipeline *pipeline)
{
    for (size_t i = 0; i < clv_pipeline_steps(pipeline); i++) {
        const Step *step = clv_pipeline_step(pipeline, i);

        if (step->transform->other_space)
            clv_warn(
                step->context,
                "compare with --transform none: the nearest neighbors can differ from those in the "
                "original columns",
                "distances are measured in the %s space: --transform %s maps %u columns to %u",
                step->outputs < step->inputs ? "reduced" : "new", step->transform->name,
                step->inputs, step->outputs);
    }
}

static Status tell_of_run(const Pipeline *pipeline, const Method *method, const void *options,
                          const char *said, const Schema *schema, cleave_error *error)
{
    const char *suits = default_steps(method, options, schema, ROWS_STORED);
    bool knows = strstr(said, "auto") || names_any(said, suits);

    if (method->behavior & METHOD_USES_DISTANCES)
        warn_of_space(pipeline);
    return tell(pipeline, strcmp(said, "auto") == 0, knows ? NULL : suits, error);
}

static Status learn_from(Pipeline *pipeline, Dataset *raw, uint64_t seed, double held_out,
                         cleave_error *error)
{
    Source *source;
    Status status;

    TRY(clv_rows_source(raw, seed, held_out, &source, error));
    status = clv_pipeline_learn(pipeline, source, seed, error);
    clv_source_close(source);
    return status;
}

static Status apply_to(const Pipeline *pipeline, Dataset *raw, bool take_rows,
                       Dataset **transformed, cleave_error *error)
{
    Source *source, *made;
    Status status;

    TRY(take_rows ? clv_dataset_drain(raw, &source, error)
                  : clv_dataset_source(raw, false, &source, error));
    TRY(clv_pipeline_source(pipeline, source, true, &made, error));
    status = clv_dataset_load(made, transformed, error);
    clv_source_close(made);
    return status;
}

Status clv_pipeline_fit(Context *context, const Method *method, const void *method_options,
                        const RunOptions *options, double held_out, Dataset *raw, bool take_rows,
                        Pipeline **pipeline, Dataset **transformed, cleave_error *error)
{
    Status status;

    *transformed = NULL;
    TRY(clv_pipeline_of_run(context, method, method_options, options->transform, &raw->schema,
                            ROWS_STORED, pipeline, error));
    if (!*pipeline)
        return OK;
    status = learn_from(*pipeline, raw, (uint64_t)options->seed, held_out, error);
    THEN(status, apply_to(*pipeline, raw, take_rows, transformed, error));
    THEN(status, clv_pipeline_narrow(*pipeline, error));
    THEN(status,
         tell_of_run(*pipeline, method, method_options, options->transform, &raw->schema, error));
    if (status != OK) {
        clv_dataset_free(*transformed);
        *transformed = NULL;
        clv_pipeline_release(*pipeline);
        *pipeline = NULL;
    }
    return status;
}

Status clv_pipeline_piecewise(Context *context, const Method *method, const void *options,
                              const char *said, const Schema *schema, const Names *names,
                              RowAccess access, Pipeline **pipeline, cleave_error *error)
{
    const char *looks;
    Status status = OK;

    TRY(clv_pipeline_of_run(context, method, options, said, schema, access, pipeline, error));
    if (!*pipeline)
        return OK;
    looks = access == ROWS_STREAM ? clv_pipeline_looks_ahead(*pipeline)
                                  : clv_pipeline_looks(*pipeline);
    if (looks) {
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "--transform: '%s' must be fitted before use, and this input is read only once",
                 looks);
        status = clv_hint(
            error, CLEAVE_ERROR_USAGE,
            "fit it with 'cleave train', or with 'cleave begin' on a sample, and warm-start from "
            "that model");
    }
    THEN(status, clv_pipeline_begin(*pipeline, schema, names, error));
    THEN(status, clv_pipeline_note(*pipeline, strcmp(said, "auto") == 0, error));
    if (status != OK) {
        clv_pipeline_release(*pipeline);
        *pipeline = NULL;
    }
    return status;
}

Status clv_pipeline_of_columns(Context *context, const Method *method, const void *method_options,
                               const RunOptions *options, const Schema *schema, const Names *names,
                               uint32_t features, Pipeline **pipeline, cleave_error *error)
{
    const char *said = options->transform;
    Status status;

    TRY(clv_pipeline_of_run(context, method, method_options, said, schema, ROWS_STORED, pipeline,
                            error));
    if (!*pipeline)
        return OK;
    if (clv_pipeline_needs_rows(*pipeline)) {
        clv_pipeline_release(*pipeline);
        return clv_pipeline_piecewise(context, method, method_options, said, schema, names,
                                      ROWS_ONCE, pipeline, error);
    }
    status = clv_pipeline_learn_columns(*pipeline, schema, names, features, (uint64_t)options->seed,
                                        error);
    THEN(status, tell_of_run(*pipeline, method, method_options, said, schema, error));
    if (status != OK) {
        clv_pipeline_release(*pipeline);
        *pipeline = NULL;
    }
    return status;
}
