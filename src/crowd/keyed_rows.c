#include "crowd/keyed_rows.h"

#include "base/param.h"
#include "read/reader.h"

#include <stdio.h>

void clv_keyed_free(KeyedRows *rows)
{
    cleave_data_free(rows->data);
    if (rows->context)
        FREE(rows->context, rows->value, rows->feature[0], rows->feature[1]);
    *rows = (KeyedRows){.keys = 0};
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Appends the kinds of the key columns to those of the caller and overrides them. */
static Status declare(Context *context, const cleave_options *reading, const char *const *column,
                      uint32_t keys, const char *label, cleave_options **options,
                      cleave_error *error)
{
    const char *given;
    Buffer list = {0};
    Status status = clv_options_copy(context, reading, options, error);

    given = status == OK ? cleave_options_get(*options, "columns") : NULL;
    if (given)
        THEN(status, clv_buffer_add(context, &list, given, strlen(given), error));
    for (uint32_t i = 0; i < keys; i++) {
        if (list.size)
            THEN(status, clv_buffer_add(context, &list, ",", 1, error));
        THEN(status, clv_buffer_add(context, &list, column[i], strlen(column[i]), error));
        THEN(status, clv_buffer_add(context, &list, "=category", strlen("=category"), error));
    }
    THEN(status, clv_buffer_add(context, &list, "", 1, error));
    THEN(status, cleave_options_set(*options, "columns", list.data, error));
    if (status == OK && !cleave_options_get(*options, "label"))
        status = cleave_options_set(*options, "label", label, error);
    clv_free(context, list.data);
    return status;
}

static bool starts_with(const char *text, const char *start)
{
    size_t length = strlen(start);

    return strncmp(text, start, length) == 0 && text[length] == '=';
}

/* Finds the names of the key columns. No name may be a prefix of another that makes feature names
 * ambiguous. */
static Status find_titles(KeyedRows *rows, const char *const *column, cleave_error *error)
{
    const Schema *schema = &rows->source->schema;
    char one[QUOTE_SIZE], other[QUOTE_SIZE];

    for (uint32_t key = 0; key < rows->keys; key++) {
        int at = clv_schema_find(schema, column[key], strlen(column[key]));
        uint64_t place = 0;

        for (const char *digit = column[key]; at < 0 && *digit && place <= schema->count; digit++)
            place = place * 10 + (uint64_t)(*digit - '0');
        at = at < 0 ? (int)place - 1 : at;
        if (at < 0 || (uint32_t)at >= schema->count)
            return clv_fail(error, CLEAVE_ERROR_DATA, "%s: column '%s' is missing",
                            clv_data_name(rows->data),
                            clv_quote(one, column[key], strlen(column[key])));
        rows->title[key] = schema->column[at].name;
    }
    if (rows->keys == 2 && (strcmp(rows->title[0], rows->title[1]) == 0 ||
                            starts_with(rows->title[0], rows->title[1]) ||
                            starts_with(rows->title[1], rows->title[0])))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "specify two different columns with --task-column and "
                             "--worker-column; --rename OLD=NEW renames a column",
                             "%s: task column '%s' and worker column '%s' have similar names",
                             clv_data_name(rows->data),
                             clv_quote(one, rows->title[0], strlen(rows->title[0])),
                             clv_quote(other, rows->title[1], strlen(rows->title[1])));
    return OK;
}

Status clv_keyed_open(Context *context, const char *const *paths, size_t count,
                      const cleave_options *reading, const char *const *column, uint32_t keys,
                      const char *label, KeyedRows *rows, cleave_error *error)
{
    cleave_options *options = NULL;
    Status status;

    *rows = (KeyedRows){.context = context, .keys = keys};
    status = declare(context, reading, column, keys, label, &options, error);
    THEN(status, cleave_open_files(context, paths, count, options, &rows->data, error));
    cleave_options_free(options);
    TRY(status);
    rows->source = rows->data->source;
    if (!clv_schema_is_table(&rows->source->schema) || clv_schema_is_array(&rows->source->schema))
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "pass a CSV or TSV file; pass --format csv if it is one",
                             "%s: expected a table, found %s", clv_data_name(rows->data),
                             rows->source->schema.format);
    return find_titles(rows, column, error);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Assigns a number to the value of a feature that occurs for the first time. */
static Status learn_feature(KeyedRows *rows, uint32_t feature, cleave_error *error)
{
    KeyValue *value = &rows->value[feature];
    char digits[24];
    const char *name = clv_names_get(&rows->source->names, feature, digits);

    value->key = MOST_KEYS + 1;
    for (uint32_t key = 0; key < rows->keys; key++) {
        const char *title = rows->title[key];

        if (!starts_with(name, title))
            continue;
        *value = (KeyValue){.key = key, .number = rows->count[key]};
        if (strcmp(name + strlen(title) + 1, "?") == 0) {
            value->key = MOST_KEYS + 1; /* the cell is empty: the row has no such feature */
            return OK;
        }
        TRY(GROW(rows->context, rows->feature[key], rows->feature_capacity[key],
                 (size_t)rows->count[key] + 1, error));
        rows->feature[key][rows->count[key]++] = feature;
    }
    return OK;
}

static Status fail_missing(const KeyedRows *rows, const Block *block, uint32_t row, uint32_t key,
                           cleave_error *error)
{
    const cleave_data *data = rows->data;
    uint64_t line = block_line(block, row);
    char place[32] = "", quoted[QUOTE_SIZE];

    if (line)
        snprintf(place, sizeof place, ":%llu", (unsigned long long)line);
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "remove the row, or pass --missing with other texts",
                         "%s%s: column '%s': the cell is empty or stands for a missing value",
                         block->file < data->path_count && block->file ? data->paths[block->file]
                                                                       : clv_data_name(data),
                         place, clv_quote(quoted, rows->title[key], strlen(rows->title[key])));
}

Status clv_keyed_row(KeyedRows *rows, const Block *block, uint32_t row, uint32_t number[MOST_KEYS],
                     cleave_error *error)
{
    bool found[MOST_KEYS] = {false};

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        if (walk.column >= rows->known) {
            size_t need = rows->source->names.count;

            TRY(GROW(rows->context, rows->value, rows->capacity, need, error));
            for (; rows->known < need; rows->known++)
                rows->value[rows->known].key = MOST_KEYS;
        }
        if (rows->value[walk.column].key == MOST_KEYS)
            TRY(learn_feature(rows, walk.column, error));
        if (rows->value[walk.column].key < MOST_KEYS) {
            number[rows->value[walk.column].key] = rows->value[walk.column].number;
            found[rows->value[walk.column].key] = true;
        }
    }
    for (uint32_t key = 0; key < rows->keys; key++)
        if (!found[key])
            return fail_missing(rows, block, row, key, error);
    return OK;
}

const char *clv_keyed_text(const KeyedRows *rows, uint32_t key, uint32_t number)
{
    char digits[24];

    return clv_names_get(&rows->source->names, rows->feature[key][number], digits) +
           strlen(rows->title[key]) + 1;
}

Status clv_keyed_find(const KeyedRows *rows, uint32_t key, const char *text, Buffer *scratch,
                      uint32_t *number, cleave_error *error)
{
    Context *context = rows->context;
    uint32_t feature;

    scratch->size = 0;
    TRY(clv_buffer_add(context, scratch, rows->title[key], strlen(rows->title[key]), error));
    TRY(clv_buffer_add(context, scratch, "=", 1, error));
    TRY(clv_buffer_add(context, scratch, text, strlen(text), error));
    feature = clv_names_find(&rows->source->names, scratch->data, scratch->size);
    *number = feature < rows->known && rows->value[feature].key == key ? rows->value[feature].number
                                                                       : NO_COLUMN;
    return OK;
}
