#include "data/schema.h"

#include "data/names.h"

const char *const clv_column_kinds[COLUMN_KINDS + 1] = {"number", "category", "label", "weight",
                                                        "text",   "ignore",   "date",  NULL};
const char *const clv_date_parts[DATE_PARTS + 1] = {"days",    "year", "month", "day",
                                                    "weekday", "hour", NULL};
const char *const clv_documents_kinds[] = {"auto", "plain", "mail", "html", "lines", NULL};

void clv_schema_init(Schema *schema, Context *context)
{
    *schema = (Schema){.context = context};
}

void clv_schema_free(Schema *schema)
{
    for (uint32_t i = 0; i < schema->count; i++)
        clv_free(schema->context, schema->column[i].name);
    FREE(schema->context, schema->column, schema->reading, schema->stop_words);
    clv_schema_init(schema, schema->context);
}

Status clv_schema_add(Schema *schema, const char *name, size_t length, ColumnKind kind,
                      cleave_error *error)
{
    char *copy;

    TRY(GROW(schema->context, schema->column, schema->capacity, schema->count + 1, error));
    copy = clv_copy_string(schema->context, name, length);
    if (!copy)
        return clv_fail_memory(error, "the name of a column", length);
    schema->column[schema->count++] = (Column){.name = copy, .kind = kind, .feature = NO_COLUMN};
    return OK;
}

Status clv_schema_copy(Schema *to, const Schema *from, cleave_error *error)
{
    memcpy(to->format, from->format, sizeof to->format);
    to->header = from->header;
    to->documents = from->documents;
    for (uint32_t i = 0; i < from->count; i++) {
        const Column *column = &from->column[i];

        TRY(clv_schema_add(to, column->name, strlen(column->name), column->kind, error));
        to->column[i].feature = column->feature;
        to->column[i].form = column->form;
        to->column[i].parts = column->parts;
    }
    return clv_schema_set_reading(to, from->reading, from->stop_words, error);
}

static Status set_text(Context *context, char **text, const char *value, cleave_error *error)
{
    char *copy = value ? clv_copy_string(context, value, strlen(value)) : NULL;

    if (value && !copy)
        return clv_fail_memory(error, "how text is read", strlen(value));
    clv_free(context, *text);
    *text = copy;
    return OK;
}

Status clv_schema_set_reading(Schema *schema, const char *reading, const char *stop_words,
                              cleave_error *error)
{
    TRY(set_text(schema->context, &schema->reading, reading, error));
    return set_text(schema->context, &schema->stop_words, stop_words, error);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

Status clv_schema_reads_alike(const Schema *schema, const Schema *other, const char *path,
                              cleave_error *error)
{
    if (same_text(schema->reading, other->reading) &&
        same_text(schema->stop_words, other->stop_words))
        return OK;
    if (same_text(schema->reading, other->reading))
        clv_fail(error, CLEAVE_ERROR_DATA,
                 "%s: the text was read with other stop words than the training data", path);
    else
        clv_fail(error, CLEAVE_ERROR_DATA,
                 "%s: the text was read with other options (%s) than the training data (%s)", path,
                 other->reading ? other->reading : "the default",
                 schema->reading ? schema->reading : "the default");
    return clv_hint(
        error, CLEAVE_ERROR_DATA,
        "convert the text again with the options of the model, or pass the original text");
}

static const char *family(const char *format)
{
    static const struct {
        const char *format, *family;
    } families[] = {{"text", "text"},
                    {"folder", "text"},
                    {"document", "text"},
                    {"mail", "text"},
                    {"csv", "a table"},
                    {"tsv", "a table"},
                    {SCHEMA_NUMBERED, "LIBSVM text"},
                    {"npy", "an array"},
                    {"idx", "an array"},
                    {"fvecs", "an array"},
                    {"bvecs", "an array"},
                    {"ivecs", "an array"}};

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].format, format) == 0)
            return families[i].family;
    return NULL;
}

Status clv_schema_goes_with(const Schema *schema, const char *format, const char *path,
                            cleave_error *error)
{
    const char *learned = family(schema->format), *found = family(format);

    if (!learned || !found || strcmp(learned, found) == 0)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "pass data of the same kind as the training data, or set the format with --format",
        "%s: this is %s, but the features of the model come from %s", path, found, learned);
}

bool clv_schema_is_numbered(const Schema *schema)
{
    return strcmp(schema->format, SCHEMA_NUMBERED) == 0;
}

bool clv_schema_is_text(const Schema *schema)
{
    const char *kind = family(schema->format);

    return kind && strcmp(kind, "text") == 0;
}

bool clv_schema_is_documents(const Schema *schema)
{
    return strcmp(schema->format, "folder") == 0;
}

bool clv_schema_is_sequence(const Schema *schema)
{
    return schema->reading && strcmp(schema->reading, "sequence") == 0;
}

const char *clv_schema_nearest(const Schema *schema, const char *name)
{
    const char **names = clv_alloc(schema->context, (size_t)schema->count + 1, sizeof *names),
               *nearest;

    if (!names)
        return NULL;
    for (uint32_t i = 0; i < schema->count; i++)
        names[i] = schema->column[i].name;
    names[schema->count] = NULL;
    nearest = cleave_nearest_word(name, names);
    clv_free(schema->context, names);
    return nearest;
}

bool clv_schema_is_table(const Schema *schema)
{
    const char *kind = family(schema->format);

    return kind &&
           (strcmp(kind, "a table") == 0 || (schema->count && strcmp(kind, "an array") == 0));
}

bool clv_schema_is_array(const Schema *schema)
{
    const char *kind = family(schema->format);

    return kind && strcmp(kind, "an array") == 0;
}

int clv_schema_find(const Schema *schema, const char *name, size_t length)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (strlen(schema->column[i].name) == length &&
            memcmp(schema->column[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

uint32_t clv_date_feature(const Column *column, DatePart part)
{
    uint32_t before = (uint32_t)__builtin_popcount(column->parts & ((1u << part) - 1));

    if (column->feature == NO_COLUMN || !(column->parts & 1u << part))
        return NO_COLUMN;
    return column->feature + before;
}

void clv_date_values(const Moment *moment, float values[DATE_PARTS])
{
    int64_t year;
    int month, day;

    clv_date_of_days(moment->day, &year, &month, &day);
    values[DATE_DAYS] = (float)((double)moment->day + moment->seconds / 86400);
    values[DATE_YEAR] = (float)year;
    values[DATE_MONTH] = (float)month;
    values[DATE_DAY] = (float)day;
    values[DATE_WEEKDAY] = (float)clv_weekday_of_days(moment->day);
    values[DATE_HOUR] = (float)(moment->seconds / 3600);
}
