#include "pipeline/columns.h"

void clv_columns_init(Columns *columns, Context *context)
{
    *columns = (Columns){.count = 0};
    clv_names_init(&columns->names, context, true);
    clv_names_init(&columns->titles, context, false);
}

void clv_columns_free(Columns *columns)
{
    clv_free(columns->names.context, columns->kind);
    clv_names_free(&columns->names);
    clv_names_free(&columns->titles);
    clv_columns_init(columns, columns->names.context);
}

static Status make_kinds(Columns *columns, uint32_t count, ColumnKind kind, cleave_error *error)
{
    TRY(GROW(columns->names.context, columns->kind, columns->kind_capacity, count, error));
    if (count)
        memset(columns->kind, (int)kind, count);
    columns->count = count;
    return OK;
}

/* Returns whether the name consists of the name of a column of this kind, a separator, and a
 * value. */
static bool begins_with_column(const Schema *schema, const char *name, char mark, ColumnKind kind)
{
    for (const char *at = strchr(name, mark); at; at = strchr(at + 1, mark)) {
        int column = clv_schema_find(schema, name, (size_t)(at - name));

        if (column >= 0 && schema->column[column].kind == kind)
            return true;
    }
    return false;
}

/* Sets the kinds of columns of a table. The schema lists numbers, words have their column's name as
 * prefix, and all other features are categories. */
static void kinds_of_table(const Schema *schema, Columns *columns)
{
    bool words = false;

    memset(columns->kind, COLUMN_CATEGORY, columns->count);
    for (uint32_t i = 0; i < schema->count; i++) {
        const Column *column = &schema->column[i];

        words = words || column->kind == COLUMN_TEXT;
        if (column->kind == COLUMN_NUMBER && column->feature < columns->count)
            columns->kind[column->feature] = COLUMN_NUMBER;
        for (int part = 0; part < DATE_PARTS && column->kind == COLUMN_DATE; part++) {
            uint32_t feature = clv_date_feature(column, (DatePart)part);

            if (feature < columns->count)
                columns->kind[feature] = COLUMN_NUMBER;
        }
    }
    for (uint32_t i = 0; words && i < columns->count; i++) {
        char buffer[24];

        if (columns->kind[i] == COLUMN_CATEGORY &&
            begins_with_column(schema, clv_names_get(&columns->names, i, buffer), ':', COLUMN_TEXT))
            columns->kind[i] = COLUMN_TEXT;
    }
}

Status clv_columns_of(const Schema *schema, const Names *names, uint32_t count, Columns *columns,
                      cleave_error *error)
{
    bool text = clv_schema_is_text(schema);
    uint32_t number;

    TRY(clv_names_copy(&columns->names, names, error));
    TRY(make_kinds(columns, count, text ? COLUMN_TEXT : COLUMN_NUMBER, error));
    if (!clv_schema_is_table(schema) || names->implicit)
        return OK;
    columns->table = true;
    kinds_of_table(schema, columns);
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_CATEGORY)
            TRY(clv_names_add(&columns->titles, schema->column[i].name,
                              strlen(schema->column[i].name), &number, error));
    return OK;
}

/* Returns the longest match, because the names of columns and values may contain an equals sign. */
size_t clv_columns_title(const Columns *columns, uint32_t column)
{
    char buffer[24];
    const char *name;
    size_t found = 0;

    if (columns->titles.count == 0 || columns->kind[column] != COLUMN_CATEGORY)
        return 0;
    name = clv_names_get(&columns->names, column, buffer);
    for (const char *at = strchr(name, '='); at; at = strchr(at + 1, '='))
        if (clv_names_find(&columns->titles, name, (size_t)(at - name)) != NO_COLUMN)
            found = (size_t)(at - name);
    return found;
}

Status clv_columns_copy(Columns *to, const Columns *from, cleave_error *error)
{
    TRY(clv_names_copy(&to->names, &from->names, error));
    TRY(clv_names_copy(&to->titles, &from->titles, error));
    to->table = from->table;
    TRY(make_kinds(to, from->count, COLUMN_NUMBER, error));
    if (from->count)
        memcpy(to->kind, from->kind, from->count);
    return OK;
}

Status clv_columns_select(const Columns *from, const uint32_t *kept, uint32_t count, Columns *to,
                          cleave_error *error)
{
    if (count == from->count)
        return clv_columns_copy(to, from, error);
    to->names.implicit = false;
    for (uint32_t i = 0; i < count; i++) {
        char buffer[24];
        const char *name = clv_names_get(&from->names, kept[i], buffer);

        TRY(clv_columns_append(to, name, strlen(name), (ColumnKind)from->kind[kept[i]], error));
    }
    return OK;
}

Status clv_columns_append(Columns *columns, const char *name, size_t length, ColumnKind kind,
                          cleave_error *error)
{
    Context *context = columns->names.context;
    uint32_t column;

    columns->names.implicit = false;
    TRY(clv_names_add(&columns->names, name, length, &column, error));
    if (column < columns->count) {
        char quoted[QUOTE_SIZE];

        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "the data or an earlier transform already has a column of that name",
                             "--transform: two columns would have the name '%s'",
                             clv_quote(quoted, name, length));
    }
    TRY(GROW(context, columns->kind, columns->kind_capacity, (size_t)column + 1, error));
    columns->kind[column] = (uint8_t)kind;
    columns->count = column + 1;
    return OK;
}
