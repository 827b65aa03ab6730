#include "data/facts.h"

static Status put_labels(Bundle *bundle, const Labels *labels, cleave_error *error)
{
    Context *context = bundle->context;
    uint64_t *counts = clv_alloc_zero(context, labels->count, sizeof *counts);
    Buffer texts = {0};
    Status status = counts ? OK : clv_fail_memory(error, "labels", labels->count * sizeof *counts);

    for (uint32_t i = 0; i < labels->count && status == OK; i++) {
        counts[i] = labels->list[i].count;
        status = clv_buffer_add(context, &texts, labels->list[i].text,
                                strlen(labels->list[i].text) + 1, error);
    }
    THEN(status, clv_bundle_put(bundle, "labels", BUNDLE_BYTES, texts.data, texts.size, error));
    THEN(status, clv_bundle_put(bundle, "label_counts", BUNDLE_U64, counts, labels->count, error));
    FREE(context, counts, texts.data);
    return status;
}

/* Stores two numbers per column of dates: its form and its parts. */
static Status put_dates(Bundle *bundle, const Schema *schema, cleave_error *error)
{
    uint32_t *numbers = clv_alloc(bundle->context, 2 * (size_t)schema->count + 1, sizeof *numbers),
             count = 0;
    Status status = numbers ? OK
                            : clv_fail_memory(error, "columns", schema->count * sizeof *numbers);

    for (uint32_t i = 0; i < schema->count && status == OK; i++) {
        if (schema->column[i].kind != COLUMN_DATE)
            continue;
        numbers[count++] = (uint32_t)schema->column[i].form;
        numbers[count++] = schema->column[i].parts;
    }
    if (status == OK && count)
        status = clv_bundle_put(bundle, "column_dates", BUNDLE_U32, numbers, count, error);
    clv_free(bundle->context, numbers);
    return status;
}

static Status put_schema(Bundle *bundle, const Schema *schema, cleave_error *error)
{
    Context *context = bundle->context;
    uint32_t *numbers = clv_alloc_zero(context, 2 * (size_t)schema->count, sizeof *numbers);
    Buffer texts = {0};
    Status status = numbers ? OK
                            : clv_fail_memory(error, "columns", schema->count * sizeof *numbers);

    for (uint32_t i = 0; i < schema->count && status == OK; i++) {
        const Column *column = &schema->column[i];

        numbers[2 * i] = (uint32_t)column->kind;
        numbers[2 * i + 1] = column->feature;
        status = clv_buffer_add(context, &texts, column->name, strlen(column->name) + 1, error);
    }
    THEN(status, put_dates(bundle, schema, error));
    THEN(status, clv_bundle_put_text(bundle, "format", schema->format, error));
    THEN(status, clv_bundle_put_number(bundle, "header", schema->header, error));
    if (status == OK && schema->documents != DOCUMENTS_AUTO)
        status = clv_bundle_put_number(bundle, "documents", schema->documents, error);
    if (status == OK && schema->reading)
        status = clv_bundle_put_text(bundle, "reading", schema->reading, error);
    if (status == OK && schema->stop_words)
        status = clv_bundle_put_text(bundle, "stop_words", schema->stop_words, error);
    THEN(status, clv_bundle_put(bundle, "columns", BUNDLE_BYTES, texts.data, texts.size, error));
    THEN(status, clv_bundle_put(bundle, "column_kinds", BUNDLE_U32, numbers,
                                2 * (uint64_t)schema->count, error));
    FREE(context, numbers, texts.data);
    return status;
}

Status clv_facts_put(Bundle *bundle, const Labels *labels, const Names *names, const Schema *schema,
                     cleave_error *error)
{
    TRY(put_labels(bundle, labels, error));
    TRY(put_schema(bundle, schema, error));
    TRY(clv_bundle_put_number(bundle, "implicit_names", names->implicit, error));
    TRY(clv_bundle_put_number(bundle, "first_name", names->first, error));
    return clv_bundle_borrow(bundle, "names", BUNDLE_BYTES, names->text.data, names->text.size,
                             error);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status fail_invalid(const char *file, const char *what, cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_FORMAT,
                    "%s: the file is corrupt: the stored %s are invalid", file, what);
}

/* Returns the next of several NUL-terminated texts; NULL after the last. */
static const char *next_text(const BundleItem *texts, uint64_t *at)
{
    const char *start = (const char *)texts->data + *at;
    const char *end = *at < texts->count ? memchr(start, '\0', (size_t)(texts->count - *at)) : NULL;

    if (!end)
        return NULL;
    *at += (uint64_t)(end - start) + 1;
    return start;
}

static Status get_labels(const Bundle *bundle, const char *file, Labels *labels,
                         cleave_error *error)
{
    const BundleItem *texts = clv_bundle_get(bundle, "labels", BUNDLE_BYTES);
    const BundleItem *counts = clv_bundle_get(bundle, "label_counts", BUNDLE_U64);
    uint64_t at = 0;

    if (!texts || !counts)
        return fail_invalid(file, "labels", error);
    for (uint64_t i = 0; i < counts->count; i++) {
        const char *text = next_text(texts, &at);
        uint32_t number;

        if (!text)
            return fail_invalid(file, "labels", error);
        TRY(clv_labels_add(labels, text, strlen(text), &number, error));
        if (number != i)
            return fail_invalid(file, "labels", error);
        labels->list[number].count = ((const uint64_t *)counts->data)[i];
    }
    return at == texts->count ? OK : fail_invalid(file, "labels", error);
}

static Status get_dates(const Bundle *bundle, const char *file, Schema *schema, cleave_error *error)
{
    const BundleItem *dates = clv_bundle_get(bundle, "column_dates", BUNDLE_U32);
    const uint32_t *numbers = dates ? dates->data : NULL;
    uint64_t count = dates ? dates->count : 0, at = 0;

    for (uint32_t i = 0; i < schema->count; i++) {
        Column *column = &schema->column[i];

        if (column->kind != COLUMN_DATE)
            continue;
        if (at + 2 > count || numbers[at] >= DATE_FORMS || numbers[at + 1] >= 1u << DATE_PARTS)
            return fail_invalid(file, "dates", error);
        column->form = (DateForm)numbers[at];
        column->parts = numbers[at + 1];
        at += 2;
    }
    return at == count ? OK : fail_invalid(file, "dates", error);
}

static Status get_schema(const Bundle *bundle, const char *file, Schema *schema,
                         cleave_error *error)
{
    const BundleItem *texts = clv_bundle_get(bundle, "columns", BUNDLE_BYTES);
    const BundleItem *kinds = clv_bundle_get(bundle, "column_kinds", BUNDLE_U32);
    const char *format = clv_bundle_text(bundle, "format");
    uint64_t header, documents = DOCUMENTS_AUTO, at = 0;

    if (!texts || !kinds || !format || strlen(format) >= sizeof schema->format ||
        !clv_bundle_number(bundle, "header", &header) || kinds->count % 2 != 0)
        return fail_invalid(file, "columns", error);
    memcpy(schema->format, format, strlen(format) + 1);
    schema->header = header != 0;
    if (clv_bundle_number(bundle, "documents", &documents) && documents > DOCUMENTS_HTML)
        return fail_invalid(file, "documents", error);
    schema->documents = (Documents)documents;
    TRY(clv_schema_set_reading(schema, clv_bundle_text(bundle, "reading"),
                               clv_bundle_text(bundle, "stop_words"), error));
    for (uint64_t i = 0; i < kinds->count / 2; i++) {
        const uint32_t *numbers = (const uint32_t *)kinds->data + 2 * i;
        const char *name = next_text(texts, &at);

        if (!name || numbers[0] >= COLUMN_KINDS)
            return fail_invalid(file, "columns", error);
        TRY(clv_schema_add(schema, name, strlen(name), (ColumnKind)numbers[0], error));
        schema->column[i].feature = numbers[1];
    }
    TRY(get_dates(bundle, file, schema, error));
    return at == texts->count ? OK : fail_invalid(file, "columns", error);
}

static Status get_names(const Bundle *bundle, const char *file, Names *names, cleave_error *error)
{
    const BundleItem *texts = clv_bundle_get(bundle, "names", BUNDLE_BYTES);
    uint64_t implicit, first, at = 0;
    const char *text;
    uint32_t expected = 0;

    if (!texts || !clv_bundle_number(bundle, "implicit_names", &implicit) ||
        !clv_bundle_number(bundle, "first_name", &first) || first > 1)
        return fail_invalid(file, "names", error);
    names->implicit = implicit != 0;
    names->first = (uint32_t)first;
    while ((text = next_text(texts, &at))) {
        uint32_t column;

        TRY(clv_names_add(names, text, strlen(text), &column, error));
        if (column != expected++)
            return fail_invalid(file, "names", error);
    }
    return at == texts->count ? OK : fail_invalid(file, "names", error);
}

Status clv_facts_get(const Bundle *bundle, const char *file, Labels *labels, Names *names,
                     Schema *schema, cleave_error *error)
{
    TRY(get_labels(bundle, file, labels, error));
    TRY(get_schema(bundle, file, schema, error));
    labels->from_libsvm = strcmp(schema->format, "libsvm") == 0;
    return get_names(bundle, file, names, error);
}
