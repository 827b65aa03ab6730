#include "input/input.h"
#include "pipeline/pipeline.h"

#include "base/file.h"
#include "data/compact.h"
#include "data/remap.h"
#include "model/method.h"
#include "read/classes.h"
#include "read/folder.h"
#include "read/reader.h"
#include "synth/synth.h"

enum { OWN_BLOCK_BYTES = 256 * 1024 };

/* ---- creation -------------------------------------------------------------------------------- */

static Status copy_paths(cleave_data *data, const char *const *paths, size_t count,
                         cleave_error *error)
{
    TRY(ALLOC_ZERO(data->context, data->paths, count, "file names", error));
    data->path_count = count;
    for (size_t i = 0; i < count; i++) {
        data->paths[i] = clv_copy_string(data->context, paths[i], strlen(paths[i]));
        if (!data->paths[i])
            return clv_fail_memory(error, "a file name", strlen(paths[i]));
    }
    return OK;
}

static Status new_data(Context *context, const char *const *paths, size_t count,
                       cleave_data **result, cleave_error *error)
{
    cleave_data *data;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, data, 1, "data", error));
    data->context = context;
    clv_builder_init(&data->builder, context);
    clv_guesses_init(&data->guesses, context);
    status = copy_paths(data, paths, count, error);
    if (status != OK) {
        cleave_data_free(data);
        return status;
    }
    *result = data;
    return OK;
}

void cleave_data_free(cleave_data *data)
{
    if (!data || atomic_fetch_sub(&data->holders, 1) > 0)
        return;
    clv_source_close(data->source);
    clv_source_close(data->arrays);
    clv_dataset_free(data->compact);
    clv_dataset_free(data->loaded);
    clv_dataset_free(data->own);
    clv_free(data->context, data->bytes);
    clv_builder_free(&data->builder);
    clv_guesses_free(&data->guesses);
    for (size_t i = 0; i < data->path_count; i++)
        clv_free(data->context, data->paths[i]);
    FREE(data->context, data->paths, data->labels, data->weights);
    cleave_options_free(data->kept);
    cleave_options_free(data->reading);
    clv_model_drop(data->like_model);
    cleave_data_free(data->like_data);
    clv_free(data->context, data);
}

static Status open_builtin(cleave_data *data, size_t count, const char *classes,
                           cleave_error *error)
{
    Dataset *dataset;

    if (count > 1)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "a built-in dataset (%s) cannot be combined with other input",
                        data->paths[0]);
    TRY(clv_builtin_open(data->context, data->paths[0], &dataset, error));
    TRY(clv_dataset_source(dataset, true, &data->source, error));
    return classes ? clv_keep_classes(data->source, data->paths[0], classes, false, &data->source,
                                      error)
                   : OK;
}

/* --weights applies to the training rows, not to other data opened with the same options. */
static Status weigh(cleave_data *data, const ReadOptions *read, cleave_error *error)
{
    if (!read->weights || data->beside)
        return OK;
    if (read->classes)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "put the weights into a column: --columns NAME=weight",
                             "--weights and --classes cannot be combined: --classes drops rows");
    data->weights = clv_copy_string(data->context, read->weights, strlen(read->weights));
    if (!data->weights)
        return clv_fail_memory(error, "a file name", strlen(read->weights));
    return clv_weigh_source(data->source, data->weights, error);
}

static Status open_paths(cleave_data *data, const cleave_options *options, const ReadGuide *guide,
                         cleave_error *error)
{
    ReadOptions read = {0};

    TRY(clv_options_copy(data->context, options, &data->kept, error));
    TRY(clv_params_apply(data->kept, clv_read_params, &read, NULL, NULL, error));
    read.describe = data->describe;
    if (data->path_count == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "no data was given");
    TRY(clv_check_format(read.format, error));
    if (read.labels) {
        data->labels = clv_copy_string(data->context, read.labels, strlen(read.labels));
        if (!data->labels)
            return clv_fail_memory(error, "a file name", strlen(read.labels));
    }
    if (data->paths[0][0] == '@') {
        if (strcmp(read.format, "auto") != 0)
            return clv_fail(error, CLEAVE_ERROR_USAGE,
                            "--format cannot be combined with the built-in dataset '%s'",
                            data->paths[0]);
        TRY(clv_read_options_check(&read, "builtin", data->paths[0], error));
        TRY(open_builtin(data, data->path_count, read.classes, error));
        return weigh(data, &read, error);
    }
    TRY(clv_read_files(data->context, (const char *const *)data->paths, data->path_count, &read,
                       guide, &data->source, error));
    clv_reader_take_guesses(data->source, &data->guesses);
    return weigh(data, &read, error);
}

bool clv_data_can_reread(const cleave_data *data)
{
    uint64_t size;

    if (data->path_count == 0 || data->opened_for || data->paths[0][0] == '@' ||
        (data->source && clv_source_dataset(data->source)))
        return false;
    for (size_t i = 0; i < data->path_count; i++)
        if (!clv_regular_file(data->paths[i], &size) && !clv_is_folder(data->paths[i]))
            return false;
    return true;
}

Status clv_data_reread(const cleave_data *data, Context *context, const cleave_options *changes,
                       cleave_data **again, cleave_error *error)
{
    cleave_options *options = NULL;
    Status status = clv_options_copy(context, data->reading, &options, error);

    *again = NULL;
    for (size_t i = 0; status == OK && i < changes->count; i++)
        status = cleave_options_set(options, changes->list[i].name, changes->list[i].value, error);
    THEN(status, clv_open_described(context, (const char *const *)data->paths, data->path_count,
                                    options, NULL, again, error));
    cleave_options_free(options);
    return status;
}

const cleave_guess *cleave_data_guesses(const cleave_data *data, size_t *count)
{
    *count = data->guesses.count;
    return data->guesses.list;
}

Status clv_open_described(Context *context, const char *const *paths, size_t count,
                          const cleave_options *options, struct TableFacts *facts,
                          cleave_data **result, cleave_error *error)
{
    cleave_data *data;
    Status status;

    *result = NULL;
    TRY(new_data(context, paths, count, &data, error));
    data->describe = facts;
    status = open_paths(data, options, NULL, error);
    if (status == OK && options)
        status = clv_options_copy(context, options, &data->reading, error);
    if (status != OK) {
        cleave_data_free(data);
        return status;
    }
    *result = data;
    return OK;
}

cleave_code cleave_open_files(cleave_context *context, const char *const *paths, size_t count,
                              const cleave_options *options, cleave_data **result,
                              cleave_error *error)
{
    REQUIRE(context && (paths || count == 0) && result);
    return clv_open_described(context, paths, count, options, NULL, result, error);
}

cleave_code cleave_open(cleave_context *context, const char *path, const cleave_options *options,
                        cleave_data **data, cleave_error *error)
{
    REQUIRE(context && path && data);
    return cleave_open_files(context, &path, 1, options, data, error);
}

/* Makes a view of a source for a model. data: NULL, or the data whose source becomes the view,
 * which then owns the inner source and warns about its labels. keeps_new: see
 * clv_remap_keep_new. */
static Status view(const Model *model, Source *source, cleave_data *data, bool keeps_new,
                   Source **viewed, cleave_error *error)
{
    TRY(clv_remap_source(source, data != NULL, &model->labels, clv_model_inputs(model),
                         clv_model_input_count(model), viewed, error));
    if (data) {
        data->remapped = *viewed;
        clv_remap_note_labels(*viewed, model->task != CLEAVE_TASK_REGRESSION);
        if (!keeps_new)
            clv_remap_warn_unshared(*viewed);
    }
    if (keeps_new || ((model->method->behavior & METHOD_WIDER_ROWS) &&
                      (!model->pipeline || clv_schema_is_sequence(&model->schema))))
        clv_remap_keep_new(*viewed);
    if ((model->method->behavior & METHOD_WIDER_ROWS) && !model->pipeline &&
        clv_schema_is_numbered(&model->schema))
        clv_remap_keep_unknown(*viewed);
    return model->pipeline ? clv_pipeline_source(model->pipeline, *viewed, true, viewed, error)
                           : OK;
}

Status clv_view_for(const Model *model, Source *source, Source **viewed, cleave_error *error)
{
    return view(model, source, NULL, false, viewed, error);
}

static Status open_for(const Model *model, const char *const *paths, size_t count,
                       const cleave_options *options, bool keeps_new, bool *found_empty,
                       cleave_data **result, cleave_error *error)
{
    ReadGuide guide = {.schema = &model->schema,
                       .names = clv_model_inputs(model),
                       .features = clv_model_input_count(model),
                       .found_empty = found_empty};
    cleave_data *data;
    Source *inner;
    Status status;

    *result = NULL;
    TRY(new_data(model->context, paths, count, &data, error));
    data->like_model = clv_model_keep(model);
    status = open_paths(data, options, &guide, error);
    inner = data->source;
    data->source = NULL;
    data->lines_of_text = clv_reader_of(inner) && clv_reader_of(inner)->format == &clv_format_text;
    THEN(status, view(model, inner, data, keeps_new, &data->source, error));
    if (status != OK) {
        cleave_data_free(data);
        return status;
    }
    data->opened_for = model;
    *result = data;
    return OK;
}

void clv_data_ignore_labels(cleave_data *data)
{
    if (data->remapped)
        clv_remap_note_labels(data->remapped, false);
}

void clv_data_warn_labels(const cleave_data *data, uint64_t lines, const char *first)
{
    char quoted[QUOTE_SIZE];

    if (lines == 0 || !data->lines_of_text || data->opened_for->task == CLEAVE_TASK_REGRESSION)
        return;
    clv_warn(
        data->context,
        "start a line without a label with a TAB (sed 's/^/\\t/'), or pass --format document to "
        "read the input as one document",
        "%s: in %llu line%s the text before the TAB is not a class of the model and is ignored "
        "as a label; the first is '%s'",
        clv_data_name(data), (unsigned long long)lines, lines == 1 ? "" : "s",
        clv_quote(quoted, first, strlen(first)));
}

cleave_code cleave_open_for(const cleave_model *model, const char *const *paths, size_t count,
                            const cleave_options *options, cleave_data **result,
                            cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && result);
    return open_for(model, paths, count, options, false, NULL, result, error);
}

Status clv_open_to_learn(const Model *model, const char *const *paths, size_t count,
                         const cleave_options *options, cleave_data **result, cleave_error *error)
{
    bool empty = false;
    cleave_error own;
    Status status = open_for(model, paths, count, options, true, &empty, result, &own);

    if (status == OK)
        return OK;
    if (empty && count == 1)
        return OK;
    if (error)
        *error = own;
    return status;
}

static Status open_raw(const Model *model, bool grows, const char *const *paths, size_t count,
                       const cleave_options *options, cleave_data **data, cleave_error *error)
{
    ReadGuide guide = {.schema = &model->schema,
                       .names = clv_model_inputs(model),
                       .features = grows ? 0 : clv_model_input_count(model),
                       .grows = grows};
    Status status;

    *data = NULL;
    TRY(new_data(model->context, paths, count, data, error));
    (*data)->like_model = clv_model_keep(model);
    status = open_paths(*data, options, &guide, error);
    if (status != OK) {
        cleave_data_free(*data);
        *data = NULL;
    }
    return status;
}

cleave_code cleave_open_raw_for(const cleave_model *model, const char *const *paths, size_t count,
                                const cleave_options *options, cleave_data **data,
                                cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && data);
    return open_raw(model, false, paths, count, options, data, error);
}

cleave_code cleave_open_to_update(const cleave_model *model, const char *const *paths, size_t count,
                                  const cleave_options *options, cleave_data **data,
                                  cleave_error *error)
{
    REQUIRE(model && (paths || count == 0) && data);
    return open_raw(model, !clv_schema_is_table(&model->schema), paths, count, options, data,
                    error);
}

static Status load(cleave_data *data, Dataset **dataset, cleave_error *error);

cleave_code cleave_open_like(cleave_data *like, const char *const *paths, size_t count,
                             const cleave_options *options, cleave_data **result,
                             cleave_error *error)
{
    REQUIRE(like && (paths || count == 0) && result);
    const Model *model = like->opened_for;
    ReadGuide guide;
    cleave_data *data;
    Dataset *dataset;
    Status status;

    *result = NULL;
    TRY(load(like, &dataset, error));
    guide = (ReadGuide){.schema = model ? &model->schema : &dataset->schema,
                        .names = model ? clv_model_inputs(model) : &dataset->names,
                        .features = model ? clv_model_input_count(model) : dataset->features};
    TRY(new_data(like->context, paths, count, &data, error));
    data->beside = true;
    data->like_model = clv_model_keep(model);
    data->like_data = like;
    atomic_fetch_add(&like->holders, 1);
    status = open_paths(data, options, &guide, error);
    if (status != OK) {
        cleave_data_free(data);
        return status;
    }
    *result = data;
    return OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

Status clv_open_source(Context *context, Source *source, cleave_data **data, cleave_error *error)
{
    Status status = new_data(context, NULL, 0, data, error);

    if (status != OK)
        clv_source_close(source);
    else
        (*data)->source = source;
    return status;
}

static Status read_memory(cleave_data *data, const Model *model, bool grows, const char *format,
                          const Buffer *bytes, const cleave_options *options, const char *columns,
                          cleave_error *error)
{
    ReadGuide guide = {.grows = grows};
    ReadOptions read = {0};
    Source *inner;

    TRY(clv_options_copy(data->context, options, &data->kept, error));
    if (columns && !cleave_options_get(data->kept, "columns"))
        TRY(cleave_options_set(data->kept, "columns", columns, error));
    TRY(clv_params_apply(data->kept, clv_read_params, &read, NULL, NULL, error));
    if (strcmp(format, "csv") == 0) {
        read.header = HEADER_YES;
        read.delimiter = ",";
    }
    if (model) {
        guide.schema = &model->schema;
        guide.names = clv_model_inputs(model);
        guide.features = grows ? 0 : clv_model_input_count(model);
        data->like_model = clv_model_keep(model);
    }
    TRY(clv_read_memory(data->context, "memory", bytes->data, bytes->size,
                        clv_format_by_name(format), &read, model ? &guide : NULL, &inner, error));
    if (!model || grows) {
        data->source = inner;
        return OK;
    }
    data->lines_of_text = clv_reader_of(inner)->format == &clv_format_text;
    data->opened_for = model;
    return view(model, inner, data, false, &data->source, error);
}

Status clv_open_memory(Context *context, const Model *model, bool grows, const char *format,
                       Buffer *bytes, const cleave_options *options, const char *columns,
                       cleave_data **data, cleave_error *error)
{
    Status status = new_data(context, NULL, 0, data, error);

    if (status != OK) {
        clv_free(context, bytes->data);
        return status;
    }
    (*data)->bytes = bytes->data;
    status = read_memory(*data, model, grows, format, bytes, options, columns, error);
    if (status != OK) {
        cleave_data_free(*data);
        *data = NULL;
    }
    return status;
}

/* ---- rows added by the caller ---------------------------------------------------------------- */

cleave_code cleave_data_new(cleave_context *context, cleave_data **result, cleave_error *error)
{
    REQUIRE(context && result);
    Status status;

    TRY(new_data(context, NULL, 0, result, error));
    status = clv_dataset_new(context, &(*result)->own, error);
    if (status != OK) {
        cleave_data_free(*result);
        *result = NULL;
    }
    return status;
}

static Status flush_own(cleave_data *data, cleave_error *error)
{
    Block block;

    if (data->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&data->builder, &block, error));
    TRY(clv_dataset_add(data->own, &block, error));
    clv_builder_clear(&data->builder);
    return OK;
}

static Status check_row(size_t count, const uint32_t *indexes, const float *values,
                        cleave_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (indexes[i] >= MOST_FEATURES)
            return clv_fail(error, CLEAVE_ERROR_DATA, "index %u of the row is out of range",
                            indexes[i]);
        if (i > 0 && indexes[i] <= indexes[i - 1])
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "the indexes of a row must increase: %u follows %u", indexes[i],
                            indexes[i - 1]);
        if (!isfinite(values[i]))
            return clv_fail(error, CLEAVE_ERROR_DATA, "the value of index %u is not finite",
                            indexes[i]);
    }
    return OK;
}

cleave_code cleave_data_add(cleave_data *data, const char *label, size_t count,
                            const uint32_t *indexes, const float *values, cleave_error *error)
{
    REQUIRE(data && (indexes || count == 0) && (values || count == 0));
    uint32_t number = UNLABELED;

    if (!data->own || data->source)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "rows can be added only to data from cleave_data_new, before its first use");
    TRY(check_row(count, indexes, values, error));
    if (label) {
        TRY(clv_labels_add(&data->own->labels, label, strlen(label), &number, error));
        data->own->labels.list[number].count++;
    }
    clv_builder_begin_row(&data->builder);
    for (size_t i = 0; i < count; i++)
        TRY(clv_builder_add(&data->builder, indexes[i], values[i], error));
    TRY(clv_builder_end_row(&data->builder, number, error));
    return clv_builder_bytes(&data->builder) >= OWN_BLOCK_BYTES ? flush_own(data, error) : OK;
}

/* ---- use ------------------------------------------------------------------------------------- */

Status clv_data_source(cleave_data *data, Source **source, cleave_error *error)
{
    if (data->own && !data->source) {
        TRY(flush_own(data, error));
        data->own->names.first = 0;
        TRY(clv_dataset_source(data->own, false, &data->source, error));
    }
    TRY(clv_source_rewind(data->source, error));
    *source = data->source;
    return OK;
}

const char *clv_data_name(const cleave_data *data)
{
    if (data->path_count == 0)
        return "data";
    return strcmp(data->paths[0], "-") == 0 ? "standard input" : data->paths[0];
}

/* Reads the source into memory. If the rows were released, reads it again; labels, names and schema
 * do not change then. */
static Status load_rows(cleave_data *data, Source *source, cleave_error *error)
{
    Dataset *again, *loaded = data->loaded;
    bool same;

    if (!loaded)
        return clv_dataset_load(source, &data->loaded, error);
    TRY(clv_dataset_load(source, &again, error));
    same = again->labels.count == loaded->labels.count && again->features == loaded->features;
    if (same)
        clv_dataset_move_rows(again, loaded);
    clv_dataset_free(again);
    if (!same)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: the data has changed since it was opened",
                        clv_data_name(data));
    data->rows_released = false;
    return OK;
}

static Status load(cleave_data *data, Dataset **dataset, cleave_error *error)
{
    double started = clv_now(), cpu = clv_cpu_now();
    Source *source;

    *dataset = data->loaded;
    if (data->loaded && !data->rows_released)
        return OK;
    TRY(clv_data_source(data, &source, error));
    *dataset = clv_source_dataset(source);
    if (!*dataset) {
        TRY(load_rows(data, source, error));
        *dataset = data->loaded;
    }
    if (!(*dataset)->path && data->path_count) {
        const char *name = clv_data_name(data);

        (*dataset)->path = clv_copy_string(data->context, name, strlen(name));
        if (!(*dataset)->path)
            return clv_fail_memory(error, "a file name", strlen(data->paths[0]));
    }
    data->read_seconds += clv_now() - started;
    data->read_cpu_seconds += clv_cpu_now() - cpu;
    return OK;
}

static Status load_training_set(cleave_data *data, Dataset **dataset, cleave_error *error)
{
    TRY(load(data, dataset, error));
    if (!data->compact && !data->opened_for) {
        TRY(clv_dataset_compact(*dataset, &data->compact, error));
        if (data->compact)
            clv_note_columns(data->context, clv_data_name(data), data->compact->features,
                             (*dataset)->features);
    }
    if (data->compact)
        *dataset = data->compact;
    return OK;
}

Status clv_data_dataset(cleave_data *data, Dataset **dataset, cleave_error *error)
{
    data->rows_held = true;
    return load(data, dataset, error);
}

Status clv_data_training_set(cleave_data *data, Dataset **dataset, cleave_error *error)
{
    data->rows_held = true;
    return load_training_set(data, dataset, error);
}

Status clv_data_rows_to_transform(cleave_data *data, Dataset **dataset, bool *releasable,
                                  cleave_error *error)
{
    TRY(load_training_set(data, dataset, error));
    *releasable = *dataset == data->loaded && !data->rows_held && clv_data_can_reread(data);
    return OK;
}

void clv_data_release_rows(cleave_data *data)
{
    data->rows_released = true;
}

/* Returns whether a file has the labels of `…images-idx3…`: it is `…labels-idx1…` beside it. */
static bool holds_labels_of(const char *images, const char *path)
{
    const char *at = strstr(images, "images-idx");
    char name[4096];

    if (!at || strlen(images) >= sizeof name)
        return false;
    memcpy(name, images, (size_t)(at - images));
    memcpy(name + (at - images), "labels-idx1", 11);
    memcpy(name + (at - images) + 11, at + 11, strlen(at + 11) + 1);
    return clv_same_file(name, path);
}

bool cleave_data_reads(const cleave_data *data, const char *path)
{
    uint64_t size;

    if (!clv_regular_file(path, &size))
        return false;
    for (size_t i = 0; i < data->path_count; i++)
        if (clv_same_file(data->paths[i], path) || holds_labels_of(data->paths[i], path) ||
            clv_is_inside(path, data->paths[i]))
            return true;
    return (data->labels && clv_same_file(data->labels, path)) ||
           (data->weights && clv_same_file(data->weights, path));
}

Status clv_data_protects(const cleave_data *data, const char *path, cleave_error *error)
{
    if (!cleave_data_reads(data, path))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "choose another name for the output",
                         "%s: the output file is also an input", path);
}

const char *cleave_data_label(const cleave_data *data, size_t number)
{
    const Labels *labels = data->loaded   ? &data->loaded->labels
                           : data->source ? &data->source->labels
                                          : &data->own->labels;

    return number < labels->count ? labels->list[number].text : NULL;
}

const char *cleave_data_feature_name(const cleave_data *data, size_t column, char buffer[24])
{
    const Names *names = data->compact  ? &data->compact->names
                         : data->loaded ? &data->loaded->names
                         : data->source ? &data->source->names
                                        : &data->own->names;

    return clv_names_get(names, (uint32_t)column, buffer);
}
