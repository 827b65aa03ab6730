#include "mpi/agree.h"

#include "data/compact.h"
#include "data/facts.h"
#include "data/remap.h"

static const char magic[8] = "CLVAGREE";
enum { VERSION = 1 };
enum {
    FACT_FEATURES,
    FACT_ROWS,
    FACT_ENTRIES,
    FACT_FIRST,
    FACT_BYTES,
    FACT_NUMBERS,
    FACT_UNLABELED,
    FACT_COUNT
};

static void begin_empty(Agreed *agreed, Context *context)
{
    *agreed = (Agreed){.context = context, .first_chunk = UINT64_MAX};
    clv_labels_init(&agreed->labels, context);
    clv_names_init(&agreed->names, context, true);
    clv_schema_init(&agreed->schema, context);
}

void clv_agreed_free(Agreed *agreed)
{
    if (!agreed->context)
        return;
    clv_labels_free(&agreed->labels);
    clv_names_free(&agreed->names);
    clv_schema_free(&agreed->schema);
    *agreed = (Agreed){0};
}

/* ---- unite ----------------------------------------------------------------------------------- */

static Status add_labels(Agreed *agreed, const Labels *labels, cleave_error *error)
{
    TRY(clv_labels_join(&agreed->labels, labels, error));
    for (uint32_t i = 0; i < labels->count; i++) {
        const Label *label = &labels->list[i];
        uint32_t number, known = agreed->labels.count;

        TRY(clv_labels_add(&agreed->labels, label->text, strlen(label->text), &number, error));
        if (number == known) {
            agreed->labels.list[number].first_line = label->first_line;
            agreed->labels.list[number].first_file = label->first_file;
        }
        agreed->labels.list[number].count += label->count;
    }
    agreed->labels.unlabeled += labels->unlabeled;
    return OK;
}

static Status add_names(Agreed *agreed, const Names *names, const Schema *schema,
                        cleave_error *error)
{
    if (agreed->fixed_names)
        return OK;
    if (!agreed->any) {
        TRY(clv_schema_copy(&agreed->schema, schema, error));
        return clv_names_copy(&agreed->names, names, error);
    }
    if (names->implicit != agreed->names.implicit)
        return clv_fail(
            error, CLEAVE_ERROR_DATA,
            "the files are incompatible: features have names in one file and numbers in another");
    if (names->first < agreed->names.first)
        agreed->names.first = names->first;
    for (uint32_t i = 0; i < names->count && !names->implicit; i++) {
        uint32_t column;

        TRY(clv_names_add(&agreed->names, names->text.data + names->offset[i],
                          clv_names_length(names, i), &column, error));
    }
    return OK;
}

static void add_features(Agreed *agreed, uint32_t features)
{
    if (agreed->fixed_names)
        return;
    if (features > agreed->features)
        agreed->features = features;
    if (!agreed->names.implicit && agreed->names.count > agreed->features)
        agreed->features = agreed->names.count;
}

static Status add_chunk(Agreed *agreed, const Dataset *chunk, uint32_t number, cleave_error *error)
{
    TRY(add_labels(agreed, &chunk->labels, error));
    TRY(add_names(agreed, &chunk->names, &chunk->schema, error));
    agreed->any = true;
    add_features(agreed, chunk->features);
    if (chunk->rows && agreed->first_chunk == UINT64_MAX)
        agreed->first_chunk = number;
    agreed->rows += chunk->rows;
    agreed->entries += chunk->entries;
    agreed->numbers |= chunk->numbers;
    return OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

static Status fill_bundle(const Agreed *agreed, Bundle *bundle, cleave_error *error)
{
    const uint64_t facts[FACT_COUNT] = {
        [FACT_FEATURES] = agreed->features,
        [FACT_ROWS] = agreed->rows,
        [FACT_ENTRIES] = agreed->entries,
        [FACT_FIRST] = agreed->first_chunk,
        [FACT_BYTES] = agreed->bytes,
        [FACT_NUMBERS] = agreed->numbers,
        [FACT_UNLABELED] = agreed->labels.unlabeled,
    };

    if (agreed->any)
        TRY(clv_facts_put(bundle, &agreed->labels, &agreed->names, &agreed->schema, error));
    return clv_bundle_put(bundle, "facts", BUNDLE_U64, facts, FACT_COUNT, error);
}

static Status put(void *user, Buffer *bytes, cleave_error *error)
{
    const Agreed *agreed = user;
    Buffer written = {0};
    Bundle *bundle;
    Status status;

    TRY(clv_bundle_new(agreed->context, &bundle, error));
    status = fill_bundle(agreed, bundle, error);
    THEN(status, clv_bundle_write(bundle, magic, VERSION, &written, error));
    THEN(status, clv_buffer_add(agreed->context, bytes, written.data, written.size, error));
    clv_bundle_free(bundle);
    clv_free(agreed->context, written.data);
    return status;
}

static Status unpack(Agreed *agreed, const Bundle *bundle, cleave_error *error)
{
    uint64_t facts[FACT_COUNT];

    if (!clv_bundle_copy(bundle, "facts", BUNDLE_U64, facts, FACT_COUNT))
        return clv_fail(error, CLEAVE_ERROR_FORMAT,
                        "the data summary received from another rank is invalid");
    agreed->any = clv_bundle_get(bundle, "labels", BUNDLE_BYTES) != NULL;
    if (agreed->any)
        TRY(clv_facts_get(bundle, "another rank", &agreed->labels, &agreed->names, &agreed->schema,
                          error));
    agreed->features = (uint32_t)facts[FACT_FEATURES];
    agreed->rows = facts[FACT_ROWS];
    agreed->entries = facts[FACT_ENTRIES];
    agreed->first_chunk = facts[FACT_FIRST];
    agreed->bytes = facts[FACT_BYTES];
    agreed->numbers = facts[FACT_NUMBERS] != 0;
    agreed->labels.unlabeled = facts[FACT_UNLABELED];
    return OK;
}

/* Decodes a message into an empty structure. Bundles require an alignment to 64 bytes, which a
 * message does not have. */
static Status read_message(Agreed *agreed, const void *bytes, size_t size, cleave_error *error)
{
    Context *context = agreed->context;
    char *copy = clv_alloc(context, size + 64, 1), *aligned;
    Bundle *bundle = NULL;
    uint32_t version;
    Status status;

    if (!copy)
        return clv_fail_memory(error, "a message from another rank", size);
    aligned = copy + (64 - (uintptr_t)copy % 64) % 64;
    memcpy(aligned, bytes, size);
    status = clv_bundle_parse(context, "another rank", magic, VERSION, aligned, size, &bundle,
                              &version, error);
    THEN(status, unpack(agreed, bundle, error));
    clv_bundle_free(bundle);
    clv_free(context, copy);
    return status;
}

static Status join(Agreed *agreed, const Agreed *other, cleave_error *error)
{
    if (other->bytes != agreed->bytes)
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA,
            "make the same data available under the same name on every machine",
            "the files differ between ranks: %llu bytes on this rank, %llu on another",
            (unsigned long long)agreed->bytes, (unsigned long long)other->bytes);
    if (!other->any)
        return OK;
    TRY(add_labels(agreed, &other->labels, error));
    TRY(add_names(agreed, &other->names, &other->schema, error));
    agreed->any = true;
    add_features(agreed, other->features);
    agreed->rows += other->rows;
    agreed->entries += other->entries;
    agreed->numbers |= other->numbers;
    if (agreed->first_chunk == UINT64_MAX)
        agreed->first_chunk = other->first_chunk;
    return OK;
}

static Status take(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Agreed *agreed = user, other;
    Status status;

    begin_empty(&other, agreed->context);
    status = read_message(&other, bytes, size, error);
    THEN(status, join(agreed, &other, error));
    clv_agreed_free(&other);
    return status;
}

static Status done(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Agreed *agreed = user;
    Context *context = agreed->context;
    bool fixed = agreed->fixed_names;

    clv_agreed_free(agreed);
    begin_empty(agreed, context);
    agreed->fixed_names = fixed;
    return read_message(agreed, bytes, size, error);
}

/* ---- this rank's rows ------------------------------------------------------------------------ */

/* Whether the numbers of the chunk equal the common numbers. */
static bool is_numbered_alike(const Agreed *agreed, const Dataset *chunk)
{
    const Names *ours = &chunk->names, *all = &agreed->names;

    for (uint32_t i = 0; i < chunk->labels.count; i++)
        if (strcmp(chunk->labels.list[i].text, agreed->labels.list[i].text) != 0)
            return false;
    if (chunk->features > agreed->features || ours->implicit != all->implicit)
        return false;
    if (ours->implicit)
        return ours->first == all->first;
    return ours->text.size <= all->text.size &&
           (ours->text.size == 0 || memcmp(ours->text.data, all->text.data, ours->text.size) == 0);
}

static Status renumber(const Agreed *agreed, Dataset **chunk, cleave_error *error)
{
    Dataset *renumbered;
    Source *source, *view;
    Status status;

    if (is_numbered_alike(agreed, *chunk))
        return OK;
    TRY(clv_dataset_source(*chunk, false, &source, error));
    TRY(clv_remap_source(source, true, &agreed->labels, &agreed->names, agreed->features, &view,
                         error));
    status = clv_dataset_load(view, &renumbered, error);
    clv_source_close(view);
    TRY(status);
    clv_dataset_free(*chunk);
    *chunk = renumbered;
    return OK;
}

/* ---- columns that occur ---------------------------------------------------------------------- */

static Status put_columns(void *user, Buffer *bytes, cleave_error *error)
{
    const ColumnSet *columns = user;

    return clv_buffer_add(columns->context, bytes, columns->number,
                          columns->count * sizeof *columns->number, error);
}

static Status take_columns(void *user, const void *bytes, size_t size, cleave_error *error)
{
    return clv_column_set_add(user, bytes, size / sizeof(uint32_t), error);
}

/* Drops the columns that no rank has, if they are the majority (data/compact.h). */
static Status leave_gaps_out(Agreed *agreed, Talk *talk, Chunks *chunks, const char *name,
                             cleave_error *error)
{
    static const Uniting how = {.put = put_columns, .take = take_columns, .done = take_columns};
    ColumnSet columns = {.context = agreed->context};
    uint32_t before = agreed->features;
    Status status = OK;

    if (agreed->fixed_names ||
        !clv_numbers_have_gaps(&agreed->schema, &agreed->names, agreed->features, agreed->entries))
        return OK;
    for (uint32_t i = 0; i < chunks->own && status == OK; i++)
        status = clv_column_set_add_dataset(&columns, chunks->chunk[i], error);
    status = clv_talk_unite(talk, agreed->context, &how, &columns, status, error);
    THEN(status, clv_column_set_name(&columns, &agreed->names, &agreed->schema, error));
    if (status == OK) {
        agreed->features = agreed->names.count;
        clv_note_columns(agreed->context, name, agreed->features, before);
    }
    clv_column_set_free(&columns);
    for (uint32_t i = 0; i < chunks->own && status == OK; i++)
        status = renumber(agreed, &chunks->chunk[i], error);
    return status;
}

/* Begins with the labels of a warm-start model, which come first, and its features, which are the
 * only ones. */
static Status begin_from(Agreed *agreed, const Model *from, cleave_error *error)
{
    TRY(clv_labels_copy(&agreed->labels, &from->labels, error));
    for (uint32_t i = 0; i < agreed->labels.count; i++)
        agreed->labels.list[i].count = 0;
    agreed->labels.unlabeled = 0;
    TRY(clv_names_copy(&agreed->names, &from->names, error));
    TRY(clv_schema_copy(&agreed->schema, &from->schema, error));
    agreed->features = from->features;
    agreed->any = agreed->fixed_names = true;
    return OK;
}

Status clv_agree(Agreed *agreed, Talk *talk, Chunks *chunks, const char *name, const Model *from,
                 Status status, cleave_error *error)
{
    static const Uniting how = {.put = put, .take = take, .done = done};

    begin_empty(agreed, chunks->context);
    agreed->bytes = chunks->bytes;
    if (status == OK && from)
        status = begin_from(agreed, from, error);
    for (uint32_t i = 0; i < chunks->own && status == OK; i++)
        status = add_chunk(agreed, chunks->chunk[i], chunks->first + i, error);
    TRY(clv_talk_unite(talk, chunks->context, &how, agreed, status, error));
    for (uint32_t i = 0; i < chunks->own && status == OK; i++)
        status = renumber(agreed, &chunks->chunk[i], error);
    TRY(clv_talk_settle(talk, chunks->context, status, error));
    status = leave_gaps_out(agreed, talk, chunks, name, error);
    return clv_talk_settle(talk, chunks->context, status, error);
}
