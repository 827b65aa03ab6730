/* The model file: a bundle (base/bundle.c) with the magic "CLVMODEL". Items with the prefix "m."
 * are the library's own, those with "t." a pipeline's (pipeline/pipeline_file.c), and all others
 * the method's arrays. The prefix "z." marks arrays that are mostly zeros
 * (model/sparse_array.h). */
#include "base/file.h"
#include "data/block.h"
#include "data/facts.h"
#include "model/method.h"
#include "model/old_names.h"
#include "model/registry.h"
#include "model/sparse_array.h"
#include "model/state.h"
#include "pipeline/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[8] = {'C', 'L', 'V', 'M', 'O', 'D', 'E', 'L'};
enum { FORMAT_VERSION = 1, MOST_PARAMS = 256 };

/* ---- checking -------------------------------------------------------------------------------- */

/* Probabilities fitted to scores: see clv_model_probabilities. */
static bool platt_makes_sense(const Model *model)
{
    const BundleItem *platt = clv_bundle_get(model->bundle, "platt", BUNDLE_F64);

    if (!platt)
        return true;
    if (model->task == CLEAVE_TASK_REGRESSION ||
        platt->count != 2 * outputs_of(model->labels.count))
        return false;
    for (uint64_t i = 0; i < platt->count; i++)
        if (!isfinite(((const double *)platt->data)[i]))
            return false;
    return true;
}

static Status check_with(const Model *model, void *options, const char **what, cleave_error *error)
{
    const Method *method = model->method;

    *what = "list of parameters";
    if (clv_model_options(model, options, NULL) != OK)
        return CLEAVE_ERROR_FORMAT;
    *what = "set of arrays";
    TRY(method->inference->check_model(model, options, error));
    *what = "state of training";
    if (!clv_state_check_model(model))
        return CLEAVE_ERROR_FORMAT;
    *what = "set of probabilities";
    return platt_makes_sense(model) ? OK : CLEAVE_ERROR_FORMAT;
}

/* Checks the learned arrays and the parameters. A model that passes can be used by every function
 * without further checks. A model that fails is neither loaded nor saved. CLEAVE_ERROR_FORMAT has
 * no message: *what names the invalid part. */
static Status check_learned(const Model *model, const char **what, cleave_error *error)
{
    void *options = clv_alloc_zero(model->context, 1, model->method->options_size);
    Status status = options ? check_with(model, options, what, error)
                            : clv_fail_memory(error, "options", model->method->options_size);

    clv_free(model->context, options);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static Status put_params(const Model *model, Bundle *bundle, cleave_error *error)
{
    Buffer texts = {0};
    Status status = OK;

    for (size_t i = 0; i < model->param_count && status == OK; i++) {
        status = clv_buffer_add(model->context, &texts, model->params[i].name,
                                strlen(model->params[i].name) + 1, error);
        THEN(status, clv_buffer_add(model->context, &texts, model->params[i].value,
                                    strlen(model->params[i].value) + 1, error));
    }
    THEN(status, clv_bundle_put(bundle, "m.params", BUNDLE_BYTES, texts.data, texts.size, error));
    clv_free(model->context, texts.data);
    return status;
}

/* Whether a name is that of an item of the library or of data/facts.c. */
static bool reserved(const char *name)
{
    static const char *const facts[] = {
        "labels",       "label_counts",   "format",     "header", "columns",
        "column_kinds", "implicit_names", "first_name", "names",  NULL};

    for (size_t i = 0; facts[i]; i++)
        if (strcmp(name, facts[i]) == 0)
            return true;
    return strncmp(name, "m.", 2) == 0 || strncmp(name, "t.", 2) == 0 ||
           strncmp(name, SPARSE_PREFIX, 2) == 0;
}

/* Puts all items into a bundle. The arrays are not copied, because they may take most of the
 * memory. */
static Status put_all(const Model *model, Bundle *bundle, cleave_error *error)
{
    TRY(clv_bundle_put_text(bundle, "m.method", model->method->name, error));
    TRY(clv_bundle_put_text(bundle, "m.writer", cleave_version(), error));
    TRY(clv_bundle_put_number(bundle, "m.features", model->features, error));
    TRY(clv_bundle_put_number(bundle, "m.positive", model->positive, error));
    TRY(clv_bundle_put_number(bundle, "m.seed", model->seed, error));
    TRY(clv_bundle_put_number(bundle, "m.rows", model->rows, error));
    TRY(clv_bundle_put_number(bundle, "m.task", model->task, error));
    TRY(clv_bundle_put_number(bundle, "m.rounds", model->rounds, error));
    TRY(clv_bundle_put_number(bundle, "m.seen", model->seen, error));
    TRY(put_params(model, bundle, error));
    TRY(clv_facts_put(bundle, &model->labels, &model->names, &model->schema, error));
    if (model->pipeline)
        TRY(clv_pipeline_put(model->pipeline, bundle, error));
    for (size_t i = 0; i < model->bundle->count; i++) {
        const BundleItem *item = &model->bundle->item[i];

        if (!reserved(item->name))
            TRY(clv_sparse_put(bundle, item, error));
    }
    return OK;
}

/* Prevents a model with overflowed numbers from replacing a file that can be loaded. */
static Status check_to_save(const Model *model, cleave_error *error)
{
    const char *what;
    Status status = check_learned(model, &what, error);

    if (status != CLEAVE_ERROR_FORMAT)
        return status;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "scale the features and the sample weights, or lower the learning rate",
                         "the model cannot be saved: its %s contains numbers that are not finite",
                         what);
}

/* Makes the bundle of the file. Large items point into the model. */
static Status model_bundle(const Model *model, Bundle **bundle, cleave_error *error)
{
    Status status;

    TRY(check_to_save(model, error));
    TRY(clv_bundle_new(model->context, bundle, error));
    status = put_all(model, *bundle, error);
    if (status != OK) {
        clv_bundle_free(*bundle);
        *bundle = NULL;
    }
    return status;
}

Status clv_model_to_bytes(const Model *model, Buffer *bytes, cleave_error *error)
{
    Bundle *bundle;
    Status status;

    TRY(model_bundle(model, &bundle, error));
    status = clv_bundle_write(bundle, MAGIC, FORMAT_VERSION, bytes, error);
    clv_bundle_free(bundle);
    return status;
}

static Status emit_to_output(void *user, const void *bytes, size_t size, cleave_error *error)
{
    return clv_output_write(user, bytes, size, error);
}

Status clv_model_save(const Model *model, const char *path, cleave_error *error)
{
    Output *output = NULL;
    Bundle *bundle;
    Status status;

    TRY(model_bundle(model, &bundle, error));
    status = clv_output_open(model->context, path, true, &output, error);
    THEN(status, clv_bundle_emit(bundle, MAGIC, FORMAT_VERSION, emit_to_output, output, error));
    if (status == OK)
        status = clv_output_commit(output, error);
    else
        clv_output_abandon(output);
    clv_bundle_free(bundle);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status nonsense(const char *name, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                         "train the model again, or restore it from an intact copy",
                         "%s: the model is corrupt: its %s is invalid", name, what);
}

static bool has_param(const Model *model, const char *name)
{
    for (size_t i = 0; i < model->param_count; i++)
        if (strcmp(model->params[i].name, name) == 0)
            return true;
    return false;
}

static Status get_param(Model *model, const char *name, const char *param, const char *value,
                        cleave_error *error)
{
    const char *method = model->method->name;
    char *transform = NULL;
    Status status = OK;

    param = clv_present_name(method, param);
    if (has_param(model, param))
        return nonsense(name, "list of parameters", error);
    if (strcmp(param, "transform") == 0)
        status = clv_present_pipeline(model->context, value, &transform, error);
    THEN(status,
         clv_model_add_param(
             model, param, transform ? transform : clv_present_value(method, param, value), error));
    clv_free(model->context, transform);
    return status;
}

static Status get_pipeline(Model *model, const char *name, cleave_error *error)
{
    const char *stored = clv_pipeline_in(model->bundle);
    char *text;
    Status status;

    if (!stored)
        return OK;
    TRY(clv_present_pipeline(model->context, stored, &text, error));
    status = clv_pipeline_get(model->context, model->bundle, text, name, &model->names,
                              model->features, &model->pipeline, error);
    clv_free(model->context, text);
    return status;
}

static Status get_params(Model *model, const char *name, cleave_error *error)
{
    const BundleItem *texts = clv_bundle_get(model->bundle, "m.params", BUNDLE_BYTES);
    const char *at, *end;

    if (!texts || (texts->count && ((const char *)texts->data)[texts->count - 1] != '\0'))
        return nonsense(name, "list of parameters", error);
    at = texts->data;
    end = at + texts->count;
    while (at < end) {
        const char *value = at + strlen(at) + 1;

        if (value >= end || model->param_count == MOST_PARAMS)
            return nonsense(name, "list of parameters", error);
        TRY(get_param(model, name, at, value, error));
        at = value + strlen(value) + 1;
    }
    return OK;
}

static Status get_method(Model *model, const char *name, cleave_error *error)
{
    const char *method = clv_bundle_text(model->bundle, "m.method");
    char quoted[QUOTE_SIZE];

    if (!method)
        return nonsense(name, "method", error);
    if (clv_method_find(method, &model->method, NULL) != OK)
        return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "upgrade cleave on this machine",
                             "%s: cleave %s does not support the method '%s' of this model", name,
                             cleave_version(), clv_quote(quoted, method, strlen(method)));
    return OK;
}

/* Whether the labels are valid. An index for search needs no labels. */
static bool labels_make_sense(const Model *model, uint64_t positive)
{
    return model->labels.count ? positive < model->labels.count
                               : positive == 0 && model->method->training->accepts_unlabeled;
}

static Status get_all(Model *model, const char *name, cleave_error *error)
{
    const char *writer = clv_bundle_text(model->bundle, "m.writer");
    uint64_t features, positive, task;
    const char *what;
    Status status;

    TRY(get_method(model, name, error));
    if (!writer || !clv_bundle_number(model->bundle, "m.features", &features) ||
        features > MOST_FEATURES || !clv_bundle_number(model->bundle, "m.positive", &positive) ||
        !clv_bundle_number(model->bundle, "m.seed", &model->seed) ||
        !clv_bundle_number(model->bundle, "m.rows", &model->rows))
        return nonsense(name, "description", error);
    /* the item is absent in models of versions before 0.2 */
    if (!clv_bundle_number(model->bundle, "m.task", &task))
        task = 0;
    if (!clv_bundle_number(model->bundle, "m.rounds", &model->rounds) ||
        !clv_bundle_number(model->bundle, "m.seen", &model->seen))
        model->rounds = model->seen = 0;
    model->task = task == CLEAVE_TASK_REGRESSION ? CLEAVE_TASK_REGRESSION : CLEAVE_TASK_BINARY;
    snprintf(model->writer, sizeof model->writer, "%s", writer);
    model->features = (uint32_t)features;
    TRY(get_params(model, name, error));
    TRY(clv_facts_get(model->bundle, name, &model->labels, &model->names, &model->schema, error));
    if (model->task == CLEAVE_TASK_REGRESSION ? model->labels.count != 0
                                              : !labels_make_sense(model, positive))
        return nonsense(name, "list of labels", error);
    if (model->task != CLEAVE_TASK_REGRESSION && model->labels.count > 2)
        model->task = CLEAVE_TASK_MULTICLASS;
    if (!(model->method->tasks & model->task))
        return nonsense(name, "task", error);
    if (!model->names.implicit && model->names.count < model->features)
        return nonsense(name, "list of names", error);
    TRY(get_pipeline(model, name, error));
    model->positive = (uint32_t)positive;
    status = check_learned(model, &what, error);
    return status == CLEAVE_ERROR_FORMAT ? nonsense(name, what, error) : status;
}

static Status check_magic(const char *name, const void *bytes, size_t size, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    if (size < 8 || memcmp(bytes, MAGIC, 8) == 0)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                         "pass a model that 'cleave train ... -o FILE' has written",
                         "%s: the file is not a cleave model; it starts with '%s'", name,
                         clv_quote(quoted, bytes, 8));
}

Status clv_model_from_bytes(Context *context, const char *name, const void *bytes, size_t size,
                            Model **result, cleave_error *error)
{
    Model *model;
    Bundle *bundle;
    uint32_t version;
    Status status;

    *result = NULL;
    TRY(check_magic(name, bytes, size, error));
    TRY(clv_bundle_parse(context, name, MAGIC, FORMAT_VERSION, bytes, size, &bundle, &version,
                         error));
    status = clv_model_new(context, NULL, &model, error);
    if (status != OK) {
        clv_bundle_free(bundle);
        return status;
    }
    clv_bundle_free(model->bundle);
    model->bundle = bundle;
    status = clv_sparse_get(bundle, name, size, error);
    if (status == CLEAVE_ERROR_FORMAT)
        nonsense(name, "set of sparse arrays", error);
    THEN(status, get_all(model, name, error));
    if (status != OK) {
        cleave_model_free(model);
        return status;
    }
    *result = model;
    return OK;
}

/* Reads the file. Its first bytes contain the magic and the size, and no more than this size is
 * read, so that an endless device is refused at once. For a regular file, whose size is known,
 * memory is allocated once. One more byte is read to detect longer files. */
static Status read_all(Context *context, const char *path, int file, const struct stat *facts,
                       Buffer *bytes, cleave_error *error)
{
    bool regular = S_ISREG(facts->st_mode);
    uint64_t whole = 0;

    TRY(clv_input_read(context, path, file, regular, BUNDLE_START, bytes, error));
    TRY(check_magic(path, bytes->data, bytes->size, error));
    if (bytes->size < BUNDLE_START)
        return OK;
    TRY(clv_bundle_start(path, MAGIC, FORMAT_VERSION, bytes->data, bytes->size, &whole, error));
    if (regular && whole > (uint64_t)facts->st_size)
        whole = (uint64_t)facts->st_size;
    if (whole >= SIZE_MAX)
        return clv_fail_memory(error, "a model", SIZE_MAX);
    if (regular)
        TRY(GROW(context, bytes->data, bytes->capacity, (size_t)whole + 1, error));
    return clv_input_read(context, path, file, regular, (size_t)whole + 1, bytes, error);
}

/* The bytes of a model's file, in memory or mapped. */
typedef struct {
    Buffer buffer;
    void *map; /* the mapping; NULL: the bytes are in the buffer */
    size_t size;
} Loaded;

/* Maps a large file. The system can drop its pages and read them again, so that a model may be
 * larger than memory, and several processes share the memory. Truncating a mapped file ends the
 * process (SIGBUS), so smaller files are read, which takes 0.6 ms more per MB. */
static bool map_file(int file, const struct stat *facts, Loaded *loaded)
{
    enum { LARGE = 64 << 20 };
    void *map;

    if (!S_ISREG(facts->st_mode) || facts->st_size < LARGE || (uint64_t)facts->st_size > SIZE_MAX)
        return false;
    map = mmap(NULL, (size_t)facts->st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED)
        return false;
    loaded->map = map;
    loaded->size = (size_t)facts->st_size;
    return true;
}

static Status load_open(Context *context, const char *path, int file, Loaded *loaded,
                        cleave_error *error)
{
    struct stat facts;

    if (fstat(file, &facts) != 0)
        return clv_fail_io(error, path, "reading failed");
    if (map_file(file, &facts, loaded))
        return OK;
    TRY(read_all(context, path, file, &facts, &loaded->buffer, error));
    loaded->size = loaded->buffer.size;
    return loaded->size ? OK
                        : clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                                        "train the model again, or pass another file",
                                        "%s: the file is empty: expected a model", path);
}

static Status load_file(Context *context, const char *path, Loaded *loaded, cleave_error *error)
{
    Status status;
    int file;

    TRY(clv_input_open(context, path, &file, error));
    status = load_open(context, path, file, loaded, error);
    close(file);
    return status;
}

Status clv_model_load(Context *context, const char *path, Model **model, cleave_error *error)
{
    Loaded loaded = {0};
    Status status = load_file(context, path, &loaded, error);

    *model = NULL;
    THEN(status, clv_model_from_bytes(context, path, loaded.map ? loaded.map : loaded.buffer.data,
                                      loaded.size, model, error));
    if (status != OK) {
        clv_free(context, loaded.buffer.data);
        if (loaded.map)
            munmap(loaded.map, loaded.size);
        return status;
    }
    (*model)->bytes = loaded.buffer.data;
    (*model)->map = loaded.map;
    (*model)->map_size = loaded.size;
    return OK;
}

cleave_code cleave_model_to_bytes(const cleave_model *model, void **bytes, size_t *size,
                                  cleave_error *error)
{
    REQUIRE(model && bytes && size);
    Buffer buffer = {0};
    Status status = clv_model_to_bytes(model, &buffer, error);

    *bytes = NULL;
    *size = 0;
    if (status != OK) {
        clv_free(model->context, buffer.data);
        return status;
    }
    *bytes = buffer.data;
    *size = buffer.size;
    return OK;
}

void cleave_bytes_free(cleave_context *context, void *bytes)
{
    if (bytes)
        clv_free(context, bytes);
}

cleave_code cleave_model_from_bytes(cleave_context *context, const void *bytes, size_t size,
                                    bool borrow, cleave_model **model, cleave_error *error)
{
    REQUIRE(context && (bytes || size == 0) && model);
    char *copy = NULL;
    Status status;

    *model = NULL;
    if (borrow && (uintptr_t)bytes % 8)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "borrowed bytes must start at an address that is a multiple of 8");
    if (!borrow) {
        TRY(clv_new(context, &copy, size + 1, 1, false, "a model", error));
        if (size)
            memcpy(copy, bytes, size);
        bytes = copy;
    }
    status = clv_model_from_bytes(context, "model", bytes, size, model, error);
    if (status == OK)
        (*model)->bytes = copy;
    else
        clv_free(context, copy);
    return status;
}
