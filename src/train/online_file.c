/* Streams: a driver of train/online.h, its input and its model file. */
#include "train/online.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/lock.h"
#include "data/compact.h"
#include "data/remap.h"
#include "model/registry.h"
#include "read/folder.h"
#include "read/live_folder.h"
#include "synth/synth.h"
#include "train/pipeline_fit.h"
#include "train/train.h"

#include <stdio.h>

struct cleave_stream {
    Context *context;
    const Method *method;
    void *method_options;
    OnlineOptions options;
    cleave_options *given; /* a copy of the caller's options, because texts are kept by reference */
    cleave_stream_callbacks watch;
    char *path; /* NULL: the model is not saved */
    Model *from;
    Online *online;
    Source *source; /* the open input, or rows of the caller */
    bool own_rows;
    /* Rows with only the columns that occur (data/compact.h); NULL: the columns of the source are
     * used. */
    Source *columns;
    uint32_t width;  /* number of columns before the current block */
    uint64_t values; /* number of values up to the current block */
    /* kind of input, with its position */
    enum { INPUT_NONE, INPUT_LINES, INPUT_FOLDER, INPUT_ROWS } input;
    Builder builder;
    /* The pipeline. */
    bool pipeline_known;
    Pipeline *pipeline; /* pipeline of a new model, or a copy of a pipeline that learns from each
                         * row */
    RowWorkspace workspace;
    Builder transformed;
    Block transformed_block;
    LivePlace place; /* position of the last save; for a dataset, its fingerprint */
    Lock *lock;      /* lock on the model file */
    bool changed, cancelled, follows;
    bool kept; /* the model file contains everything learned so far */
    uint64_t saved_examples;
    double saved_at;
};

/* ---- construction ---------------------------------------------------------------------------- */

/* Checks that the model file is writable before a long run. */
static Status check_writable(const cleave_stream *stream, cleave_error *error)
{
    Output *trial;

    TRY(clv_output_open(stream->context, stream->path, false, &trial, error));
    clv_output_abandon(trial);
    return OK;
}

static Status load_model(cleave_stream *stream, const char *path, cleave_error *error)
{
    uint64_t size;

    if (!path)
        return OK;
    stream->path = clv_copy_string(stream->context, path, strlen(path));
    if (!stream->path)
        return clv_fail_memory(error, "a file name", strlen(path));
    TRY(check_writable(stream, error));
    TRY(clv_lock_open(stream->context, path, &stream->lock, error));
    if (!clv_regular_file(path, &size))
        return OK;
    TRY(clv_model_load(stream->context, path, &stream->from, error));
    if (stream->from->method == stream->method)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use another file to start with a new model",
                         "%s: a model of '%s' cannot be the warm start of '%s'", path,
                         stream->from->method->name, stream->method->name);
}

/* Names the warm-start model in messages. */
static const char *name_of(const cleave_stream *stream)
{
    return stream->path ? stream->path : "the model";
}

static bool was_given(const cleave_options *given, const char *name)
{
    const Param wanted[] = {{.name = name}, END_OF_PARAMS};

    for (size_t i = 0; i < given->count; i++)
        if (clv_param_find(wanted, given->list[i].name))
            return true;
    return false;
}

/* Replaces a solver of the warm-start model that needs all rows in memory: unless the user requests
 * that solver, the method chooses another. *left is the former solver, or NULL. */
static Status leave_solver(cleave_stream *stream, const char **left, cleave_error *error)
{
    const Method *method = stream->method;
    const void *options = stream->method_options;
    const Param *solver = clv_param_find(method->params, "solver");
    char buffer[PARAM_TEXT_SIZE];

    *left = NULL;
    if (!stream->from || !solver || was_given(stream->given, "solver") ||
        !METHOD_HAS(method, online, score) || !method->training->step ||
        !(method_prefers_fit(method, options) || method_sums_exactly(method, options)))
        return OK;
    *left = clv_param_text(solver, options, buffer); /* a name from the table, which stays valid */
    return clv_param_set(solver, stream->method_options, "auto", error);
}

/* Keeps the lambda of the warm-start model, even if it was computed from C: C weights the losses of
 * a known number of rows. */
static Status keep_lambda(cleave_stream *stream, cleave_error *error)
{
    const Model *from = stream->from;
    const Param *lambda = clv_param_find(stream->method->params, "lambda");

    if (!from || !lambda || !clv_bundle_get(from->bundle, "stream", BUNDLE_U64) ||
        !was_given(stream->given, "C") || was_given(stream->given, "lambda"))
        return OK;
    for (size_t i = 0; i < from->param_count; i++) {
        const struct ModelParam *own = &from->params[i];

        if (strcmp(own->name, "C") != 0 && strcmp(own->name, "lambda") != 0)
            continue;
        TRY(clv_param_set(clv_param_find(stream->method->params, own->name), stream->method_options,
                          own->value, error));
        if (strcmp(own->name, "lambda") == 0)
            clv_note(stream->context, "%s keeps its --lambda %s; --C has no effect on a warm start",
                     name_of(stream), own->value);
    }
    return OK;
}

/* A warm start uses the options of the model. Notes the options that the user changes from here
 * on. */
static void tell_changes(const cleave_stream *stream)
{
    const Model *from = stream->from;

    for (size_t i = 0; from && i < from->param_count; i++) {
        const Param *param = clv_param_find(stream->method->params, from->params[i].name);
        char buffer[PARAM_TEXT_SIZE];
        const char *now;

        if (!param || !was_given(stream->given, param->name))
            continue;
        now = clv_param_text(param, stream->method_options, buffer);
        if (strcmp(now, from->params[i].value) != 0)
            clv_note(stream->context, "--%s %s: %s was trained with %s; training continues with %s",
                     clv_param_flag(param).text, now, name_of(stream),
                     *from->params[i].value ? from->params[i].value : "none", now);
    }
}

static void tell_solver(const cleave_stream *stream, const char *left)
{
    char buffer[PARAM_TEXT_SIZE];

    if (left)
        clv_note(
            stream->context,
            "%s was trained with --solver %s, which needs all rows in memory; training continues "
            "with --solver %s",
            name_of(stream), left,
            clv_param_text(clv_param_find(stream->method->params, "solver"), stream->method_options,
                           buffer));
}

/* Accepts the same pipeline; another one is an error. */
static Status check_transform(const cleave_stream *stream, cleave_error *error)
{
    const Model *from = stream->from;

    for (size_t i = 0; from && i < from->param_count; i++)
        if (strcmp(from->params[i].name, "transform") == 0 &&
            was_given(stream->given, "transform") &&
            strcmp(from->params[i].value, stream->options.transform) != 0)
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "omit --transform, or use another file for a new model",
                                 "--transform %s: %s was trained with '%s' and keeps it",
                                 stream->options.transform, name_of(stream), from->params[i].value);
    return OK;
}

/* Begins the stream, after the method and the warm-start model are set. */
static Status begin(cleave_stream *stream, const cleave_options *given, cleave_error *error)
{
    const char *left;

    TRY(clv_options_copy(stream->context, given, &stream->given, error));
    TRY(clv_new(stream->context, &stream->method_options, 1, stream->method->options_size, true,
                "options", error));
    TRY(clv_settle_options(stream->method, stream->from, stream->given, clv_online_params,
                           &stream->options, stream->method_options, error));
    TRY(check_transform(stream, error));
    TRY(keep_lambda(stream, error));
    TRY(leave_solver(stream, &left, error));
    TRY(clv_online_new(stream->context, stream->method, stream->method_options, &stream->options,
                       stream->from, &stream->watch, &stream->online, error));
    tell_changes(stream);
    tell_solver(stream, left);
    stream->saved_examples = clv_online_examples(stream->online);
    stream->saved_at = clv_now();
    stream->kept = stream->from != NULL;
    return OK;
}

static Status new_stream(Context *context, const cleave_stream_callbacks *watch,
                         cleave_stream **result, cleave_error *error)
{
    cleave_stream *stream = clv_alloc_zero(context, 1, sizeof *stream);

    *result = stream;
    if (!stream)
        return clv_fail_memory(error, "a stream", sizeof *stream);
    stream->context = context;
    clv_builder_init(&stream->builder, context);
    clv_builder_init(&stream->transformed, context);
    stream->builder.passing_by = stream->transformed.passing_by = true;
    stream->workspace.context = context;
    if (watch)
        stream->watch = *watch;
    return OK;
}

static Status end_start(cleave_stream *stream, Status status, cleave_stream **result)
{
    if (status == OK)
        *result = stream;
    else
        cleave_stream_free(stream);
    return status;
}

cleave_code cleave_stream_new(cleave_context *context, const char *method, const char *model,
                              const cleave_options *options, const cleave_stream_callbacks *watch,
                              cleave_stream **result, cleave_error *error)
{
    REQUIRE(context && method && result);
    cleave_stream *stream;
    Status status;

    *result = NULL;
    TRY(new_stream(context, watch, &stream, error));
    status = clv_method_find(method, &stream->method, error);
    THEN(status, load_model(stream, model, error));
    THEN(status, begin(stream, options, error));
    return end_start(stream, status, result);
}

cleave_code cleave_stream_from(const cleave_model *model, const cleave_options *options,
                               const cleave_stream_callbacks *watch, cleave_stream **result,
                               cleave_error *error)
{
    REQUIRE(model && result);
    cleave_stream *stream;

    *result = NULL;
    TRY(new_stream(model->context, watch, &stream, error));
    stream->method = model->method;
    stream->from = (Model *)clv_model_keep(model);
    return end_start(stream, begin(stream, options, error), result);
}

void cleave_stream_free(cleave_stream *stream)
{
    Context *context;

    if (!stream)
        return;
    context = stream->context;
    clv_online_free(stream->online);
    clv_source_close(stream->columns);
    clv_source_close(stream->source);
    clv_builder_free(&stream->builder);
    clv_builder_free(&stream->transformed);
    clv_workspace_free(&stream->workspace);
    clv_pipeline_release(stream->pipeline);
    cleave_model_free(stream->from);
    cleave_options_free(stream->given);
    FREE(context, stream->method_options, stream->path);
    clv_lock_free(stream->lock);
    clv_free(context, stream);
}

bool cleave_stream_resumed(const cleave_stream *stream, uint64_t *examples, uint64_t *bytes,
                           uint64_t *number)
{
    LiveStart start;

    clv_online_start(stream->online, &start);
    if (examples)
        *examples = clv_online_examples(stream->online);
    if (bytes)
        *bytes = start.place.bytes;
    if (number)
        *number = clv_online_mark(stream->online);
    return clv_online_resumed(stream->online);
}

/* Finds the current position in the input. */
static void find_place(const cleave_stream *stream, LivePlace *place)
{
    LiveStart start;

    clv_online_start(stream->online, &start);
    *place = start.place;
    switch (stream->input) {
    case INPUT_LINES:
        clv_live_place(stream->source, place);
        break;
    case INPUT_FOLDER:
        clv_live_folder_place(stream->source, place);
        return;
    case INPUT_ROWS:
        *place = stream->place;
        place->lines = stream->source->rows;
        break;
    default:
        break;
    }
    place->documents = start.place.documents;
    place->document_count = start.place.document_count;
}

void cleave_stream_get_status(cleave_stream *stream, cleave_stream_status *facts)
{
    LivePlace place;

    clv_online_facts(stream->online, facts);
    facts->cancelled = stream->cancelled;
    find_place(stream, &place);
    facts->skipped = place.skipped;
    facts->saved = stream->kept;
}

/* ---- saving ---------------------------------------------------------------------------------- */

cleave_code cleave_stream_model(cleave_stream *stream, cleave_model **model, cleave_error *error)
{
    REQUIRE(stream && model);
    uint64_t number = clv_online_mark(stream->online);
    LivePlace place;

    *model = NULL;
    if (stream->watch.saving)
        TRY(stream->watch.saving(stream->watch.user, &number, error));
    find_place(stream, &place);
    return clv_online_model(stream->online, &place, number, model, error);
}

cleave_code cleave_stream_save(cleave_stream *stream, cleave_error *error)
{
    REQUIRE(stream);
    Model *model;
    Status status = OK;
    bool model_was_made;

    if (!stream->path)
        return OK;
    TRY(cleave_stream_model(stream, &model, error));
    model_was_made = model != NULL;
    if (model)
        status = clv_model_save(model, stream->path, error);
    cleave_model_free(model);
    TRY(status);
    stream->changed = false;
    stream->kept = model_was_made;
    stream->saved_examples = clv_online_examples(stream->online);
    stream->saved_at = clv_now();
    return OK;
}

static Status save_when_due(cleave_stream *stream, cleave_error *error)
{
    const OnlineOptions *options = &stream->options;
    uint64_t examples = clv_online_examples(stream->online) - stream->saved_examples;

    if (!stream->path || !stream->changed)
        return OK;
    if ((options->save_every > 0 && examples >= (uint64_t)options->save_every) ||
        (options->save_seconds > 0 && clv_now() - stream->saved_at >= options->save_seconds))
        return cleave_stream_save(stream, error);
    return OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Chooses the pipeline at the first row, which shows the kind of data of a new stream. A resumed
 * stream continues with a copy of the pipeline. */
static Status know_pipeline(cleave_stream *stream, cleave_error *error)
{
    const Source *source = stream->source;

    if (stream->pipeline_known)
        return OK;
    stream->pipeline_known = true;
    if (stream->from && stream->from->pipeline && clv_pipeline_observes(stream->from->pipeline)) {
        TRY(clv_pipeline_copy(stream->from->pipeline, NO_COLUMN, &stream->pipeline, error));
        clv_online_use_pipeline(stream->online, stream->pipeline);
    }
    if (stream->from)
        return OK;
    TRY(clv_pipeline_piecewise(stream->context, stream->method, stream->method_options,
                               stream->options.transform, &source->schema, &source->names,
                               ROWS_STREAM, &stream->pipeline, error));
    clv_online_use_pipeline(stream->online, stream->pipeline);
    return OK;
}

/* Starts to number the columns that occur, beginning with those of the model or of the rows so
 * far. */
static Status number_columns(cleave_stream *stream, bool by_model, cleave_error *error)
{
    Source *source = stream->source;
    Names names;
    Status status;

    if (!source->schema.format[0])
        snprintf(source->schema.format, sizeof source->schema.format, "%s", SCHEMA_NUMBERED);
    clv_names_init(&names, stream->context, false);
    status = clv_names_copy(&names, by_model ? &stream->from->names : &source->names, error);
    THEN(status, clv_names_spell_out(&names, by_model ? names.count : stream->width, error));
    THEN(status, clv_remap_growing(source, false, &source->labels, &names, NULL, names.count,
                                   &stream->columns, error));
    clv_names_free(&names);
    TRY(status);
    clv_online_columns(stream->online, stream->columns);
    return OK;
}

/* Handles rows whose column numbers have gaps, and rows for a model of such rows. */
static Status leave_gaps_out(cleave_stream *stream, const Block **block, cleave_error *error)
{
    const Model *from = stream->from;
    const Schema *schema = from ? &from->schema : &stream->source->schema;
    bool numbered = clv_schema_is_numbered(schema) || !schema->format[0];
    bool by_model = from && numbered && !from->names.implicit;
    uint32_t width = from && from->features > stream->width ? from->features : stream->width;

    if (!stream->columns) {
        if (!numbered || !stream->source->names.implicit || stream->pipeline ||
            (from && from->pipeline))
            return OK;
        stream->width = width;
        stream->values += clv_block_entries(*block);
        if (!by_model && !clv_stream_has_gaps((*block)->features, stream->values + width)) {
            stream->width = (*block)->features > width ? (*block)->features : width;
            return OK;
        }
        TRY(number_columns(stream, by_model, error));
    }
    return clv_remap_block(stream->columns, *block, block, error);
}

/* Applies the pipeline to a block for the method. */
static Status apply_pipeline(cleave_stream *stream, const Block **block, cleave_error *error)
{
    const Pipeline *pipeline;

    TRY(know_pipeline(stream, error));
    TRY(leave_gaps_out(stream, block, error));
    pipeline = clv_online_own_pipeline(stream->online);
    if (!pipeline)
        return OK;
    if (stream->pipeline && clv_pipeline_observes(stream->pipeline))
        TRY(clv_pipeline_observe(stream->pipeline, &stream->source->names, &stream->workspace,
                                 *block, &stream->transformed, &stream->transformed_block, error));
    else
        TRY(clv_pipeline_block(pipeline, &stream->workspace, *block, &stream->transformed,
                               &stream->transformed_block, error));
    *block = &stream->transformed_block;
    return OK;
}

/* Reads rows until the end or an interruption. *sound: rows and state are consistent, also after an
 * error. */
static Status read_all(cleave_stream *stream, bool *sound, cleave_error *error)
{
    Source *source = stream->source;

    *sound = true;
    stream->cancelled = false;
    for (;;) {
        const Block *block;
        Status status = source_next(source, &block, error);

        if (status == CLEAVE_ERROR_CANCELLED) {
            stream->cancelled = true;
            return OK;
        }
        TRY(status);
        if (!block) {
            *sound = false;
            if (stream->options.labels_later) {
                stream->changed = true;
                stream->kept = false;
            }
            TRY(clv_online_take_late(stream->online, true, error));
            *sound = true;
            return OK;
        }
        if (block->rows > 0) {
            stream->changed = true;
            stream->kept = false;
            *sound = false;
            TRY(apply_pipeline(stream, &block, error));
            TRY(clv_online_take(stream->online, block, error));
            *sound = true;
            clv_progress(stream->context, &(cleave_progress){.phase = "stream",
                                                             .rows = source->rows,
                                                             .bytes = source->bytes});
        }
        if (stream->follows)
            TRY(clv_online_take_late(stream->online, false, error));
        if (stream->watch.caught_up)
            stream->watch.caught_up(stream->watch.user);
        TRY(save_when_due(stream, error));
        if (clv_cancelled(stream->context)) {
            stream->cancelled = true;
            return OK;
        }
    }
}

/* Opens a built-in dataset, which is small and always learned completely. */
static Status open_builtin(cleave_stream *stream, const char *path, const LiveStart *start,
                           cleave_error *error)
{
    Dataset *dataset;

    if (stream->from || start->labels->count)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "the built-in dataset '%s' requires a new model without --known-classes",
                        path);
    TRY(clv_builtin_open(stream->context, path, &dataset, error));
    return clv_dataset_source(dataset, true, &stream->source, error);
}

/* Opens a source that is read completely, with the labels and names of the stream so far. Takes
 * ownership of inner. */
static Status view_whole(cleave_stream *stream, const LiveStart *start, Source *inner,
                         cleave_error *error)
{
    bool fixed = stream->from && stream->from->pipeline &&
                 !clv_pipeline_any_column(stream->from->pipeline);
    Labels *labels;

    if (fixed)
        TRY(clv_remap_source(inner, true, start->labels, start->names, start->features,
                             &stream->source, error));
    else
        TRY(clv_remap_growing(
            inner, true, start->labels, start->schema ? start->names : &inner->names, NULL,
            start->schema ? start->features : inner->features, &stream->source, error));
    labels = &stream->source->labels;
    for (uint32_t i = 0; i < labels->count; i++)
        labels->list[i].count = start->labels->list[i].count;
    return OK;
}

static Status open_whole(cleave_stream *stream, const char *path, const ReadOptions *read,
                         const LiveStart *start, cleave_error *error)
{
    ReadGuide guide = {.schema = start->schema, .names = start->names, .features = start->features};
    Source *inner;

    TRY(clv_read_files(stream->context, &path, 1, read, start->schema ? &guide : NULL, &inner,
                       error));
    return view_whole(stream, start, inner, error);
}

/* Hashes the first bytes and the size of a dataset, to compare it with that of the previous run. */
static Status fingerprint(const char *path, uint64_t *hash, cleave_error *error)
{
    char head[PLACE_HEAD + sizeof(uint64_t)] = {0};
    uint64_t size = 0;
    FILE *file = fopen(path, "rb");

    if (!file || !clv_regular_file(path, &size)) {
        if (file)
            fclose(file);
        return clv_fail_io(error, path, "cannot be read");
    }
    memcpy(head + fread(head, 1, PLACE_HEAD, file), &size, sizeof size);
    fclose(file);
    *hash = clv_hash(head, sizeof head, 0);
    return OK;
}

/* Skips the rows of a dataset that the model has learned. The model has counted their labels
 * already. */
static Status skip_rows(cleave_stream *stream, const char *path, const LiveStart *start,
                        cleave_error *error)
{
    const LivePlace *before = &start->place;
    Labels *labels = &stream->source->labels;
    bool same = before->bytes == 0 && before->inode == 0 &&
                before->head_hash == stream->place.head_hash;
    const Block *block = NULL;

    if (before->bytes == 0 && before->lines == 0)
        return OK;
    while (same && stream->source->rows < before->lines) {
        TRY(source_next(stream->source, &block, error));
        same = block != NULL;
    }
    for (uint32_t i = 0; i < labels->count; i++)
        labels->list[i].count = i < start->labels->count ? start->labels->list[i].count : 0;
    if (same && stream->source->rows == before->lines)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "pass the same file, or use --input-continues to continue with another",
                         "%s: the input is not the one that the model was trained on", path);
}

static Status open_by_kind(cleave_stream *stream, const char *path, bool follow,
                           const ReadOptions *read, const LiveStart *start, cleave_error *error)
{
    bool is_dataset = false;
    uint64_t size;

    if (path[0] == '@' && !follow)
        return open_builtin(stream, path, start, error);
    if (clv_is_folder(path)) {
        TRY(clv_read_live_folder(stream->context, path, follow, read, start, &stream->source,
                                 error));
        stream->input = INPUT_FOLDER;
        return OK;
    }
    if (!follow && clv_regular_file(path, &size))
        TRY(clv_is_dataset(stream->context, path, &is_dataset, error));
    if (is_dataset) {
        stream->place.skipped = start->place.skipped;
        TRY(fingerprint(path, &stream->place.head_hash, error));
        TRY(open_whole(stream, path, read, start, error));
        stream->input = INPUT_ROWS;
        return skip_rows(stream, path, start, error);
    }
    if (!follow && start->schema && clv_opens_document(read, start->schema, path))
        return open_whole(stream, path, read, start, error);
    TRY(clv_read_live(stream->context, path, follow, read, start, &stream->source, error));
    stream->input = INPUT_LINES;
    return OK;
}

static Status check_input(const cleave_stream *stream, const char *path, cleave_error *error)
{
    if (stream->path && clv_same_file(stream->path, path))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "choose another name for the model",
                             "%s: the model file is also the input", path);
    if (stream->path && clv_is_folder(path) &&
        clv_would_be_inside(stream->context, stream->path, path))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "choose a model file outside the folder",
                             "%s: the model file is inside the input folder '%s'", stream->path,
                             path);
    if (stream->source)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "open another stream with the model of the first as warm start",
                             "a stream reads one input");
    return OK;
}

static Status open_input(cleave_stream *stream, const char *path, bool follow,
                         const cleave_options *options, cleave_error *error)
{
    ReadOptions read = {0};
    LiveStart start;

    TRY(clv_params_apply(options, clv_read_params, &read, NULL, NULL, error));
    TRY(clv_check_format(read.format, error));
    if (read.weights)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "use a weight column of the table: --columns NAME=weight",
                             "--weights cannot be used with a stream");
    TRY(check_input(stream, path, error));
    clv_online_start(stream->online, &start);
    start.leaves_unfinished = stream->path != NULL;
    TRY(open_by_kind(stream, path, follow, &read, &start, error));
    clv_online_source(stream->online, stream->source,
                      strcmp(path, "-") == 0 ? "standard input" : path);
    if (stream->from && stream->from->pipeline && !clv_pipeline_any_column(stream->from->pipeline))
        stream->source->names.frozen = true; /* new words in text are ignored */
    return OK;
}

static Status read_input(cleave_stream *stream, const char *path, bool follow,
                         const cleave_options *options, cleave_error *error)
{
    bool sound;
    Status status;

    stream->follows = follow;
    TRY(open_input(stream, path, follow, options, error));
    status = read_all(stream, &sound, error);
    if (sound && stream->method->tasks != CLEAVE_TASK_REGRESSION)
        clv_labels_note(&stream->source->labels, 0);
    if (sound && stream->changed) {
        cleave_error second;
        Status saved = cleave_stream_save(stream, status == OK ? error : &second);

        return status == OK ? saved : status;
    }
    return status;
}

cleave_code cleave_stream_read(cleave_stream *stream, const char *path,
                               const cleave_options *options, cleave_error *error)
{
    REQUIRE(stream && path);
    return read_input(stream, path, false, options, error);
}

cleave_code cleave_stream_follow(cleave_stream *stream, const char *path,
                                 const cleave_options *options, cleave_error *error)
{
    REQUIRE(stream && path);
    return read_input(stream, path, true, options, error);
}

/* ---- rows of the caller ---------------------------------------------------------------------- */

static void close_own(Source *source)
{
    (void)source;
}

static const SourceOps own_ops = {.close = close_own};

/* Opens a source with labels and names that returns no blocks. */
static Status open_own(cleave_stream *stream, cleave_error *error)
{
    LiveStart start;

    if (stream->own_rows)
        return OK;
    if (stream->source)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "a stream with an input accepts no other rows");
    TRY(ALLOC_ZERO(stream->context, stream->source, 1, "a source", error));
    clv_source_init(stream->source, stream->context, &own_ops);
    clv_online_start(stream->online, &start);
    TRY(clv_labels_copy(&stream->source->labels, start.labels, error));
    if (start.names && (start.names->implicit || !clv_schema_is_numbered(start.schema)))
        TRY(clv_names_copy(&stream->source->names, start.names, error));
    else if (start.names)
        stream->source->names.first = start.names->first;
    clv_online_source(stream->online, stream->source, "data");
    stream->own_rows = true;
    return OK;
}

static Status build_row(cleave_stream *stream, const char *label, size_t count,
                        const uint32_t *indexes, const float *values, Block *block,
                        cleave_error *error)
{
    const Names *names = &stream->source->names;
    uint32_t number = UNLABELED, most = names->implicit ? MOST_FEATURES : names->count;

    clv_builder_clear(&stream->builder);
    clv_builder_begin_row(&stream->builder);
    for (size_t i = 0; i < count; i++) {
        if (indexes[i] >= most || !isfinite(values[i]) || (i > 0 && indexes[i] <= indexes[i - 1]))
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "entry %zu of the row: indexes must increase and be below %u, and "
                            "values must be finite",
                            i, most);
        TRY(clv_builder_add(&stream->builder, indexes[i], values[i], error));
    }
    if (label) {
        TRY(clv_labels_add(&stream->source->labels, label, strlen(label), &number, error));
        stream->source->labels.list[number].count++;
    }
    TRY(clv_builder_end_row(&stream->builder, number, error));
    TRY(clv_builder_finish(&stream->builder, block, error));
    block->first_row = stream->source->rows++;
    return OK;
}

cleave_code cleave_stream_row(cleave_stream *stream, const char *label, size_t count,
                              const uint32_t *indexes, const float *values,
                              cleave_prediction *prediction, cleave_error *error)
{
    REQUIRE(stream && (indexes || count == 0) && (values || count == 0));
    cleave_prediction unwanted;
    const Block *row;
    Block block;

    TRY(open_own(stream, error));
    TRY(build_row(stream, label, count, indexes, values, &block, error));
    row = &block;
    TRY(apply_pipeline(stream, &row, error));
    stream->changed = true;
    stream->kept = false;
    TRY(clv_online_take_row(stream->online, row, prediction ? prediction : &unwanted, error));
    return save_when_due(stream, error);
}
