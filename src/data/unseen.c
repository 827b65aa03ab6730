#include "data/unseen.h"

#include <string.h>

#define NO_GROUP UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

uint32_t clv_unseen_number(UnseenColumns *unseen, const char *name)
{
    uint32_t number = 0;

    while (number < unseen->count && strcmp(unseen->column[number], name) != 0)
        number++;
    if (number == unseen->count && number < MOST_UNSEEN)
        unseen->column[unseen->count++] = name;
    return number;
}

void clv_unseen_warn(const UnseenColumns *unseen, uint64_t rows, const char *kind, Context *context)
{
    for (uint32_t i = 0; i < unseen->count; i++) {
        char quoted[QUOTE_SIZE];

        if (2 * unseen->rows[i] > rows)
            clv_warn(context, "check the column, or train on more rows with these values",
                     "column '%s': %.3g%% of the %s have a value that is rare or absent in the "
                     "training data",
                     clv_quote(quoted, unseen->column[i], strlen(unseen->column[i])),
                     100 * (double)unseen->rows[i] / (double)rows, kind);
    }
}

/* The longest matching name, because names of columns and values may contain equals signs. */
const char *clv_category_column(const Schema *schema, const char *feature)
{
    const char *found = NULL, *value = NULL;

    for (const char *at = strchr(feature, '='); at; at = strchr(at + 1, '=')) {
        int column = clv_schema_find(schema, feature, (size_t)(at - feature));

        if (column >= 0 && schema->column[column].kind == COLUMN_CATEGORY) {
            found = schema->column[column].name;
            value = at + 1;
        }
    }
    return value && strcmp(value, "?") != 0 ? found : NULL;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool has_categories(const Dataset *dataset)
{
    bool found = false;

    for (uint32_t i = 0; i < dataset->schema.count; i++)
        found = found || dataset->schema.column[i].kind == COLUMN_CATEGORY;
    return found && clv_schema_is_table(&dataset->schema) && !dataset->names.implicit;
}

Status clv_unseen_groups_begin(UnseenGroups *groups, const Dataset *dataset, bool ordered,
                               cleave_error *error)
{
    size_t features = dataset->features;

    *groups = (UnseenGroups){.context = dataset->context, .dataset = dataset, .ordered = ordered};
    if (features == 0 || !has_categories(dataset))
        return OK;
    groups->group = clv_alloc(groups->context, features, sizeof *groups->group);
    groups->count = clv_alloc_zero(groups->context, features, sizeof *groups->count);
    groups->column = clv_alloc_zero(groups->context, features, sizeof *groups->column);
    if (!groups->group || !groups->count || !groups->column)
        return clv_fail_memory(error, "categories", features * sizeof *groups->count);
    for (uint32_t i = 0; i < features; i++) {
        char buffer[24];

        groups->group[i] = NO_GROUP;
        groups->column[i] = clv_category_column(&dataset->schema,
                                                clv_names_get(&dataset->names, i, buffer));
    }
    groups->columns = features;
    return OK;
}

void clv_unseen_groups_add(UnseenGroups *groups, const Block *block, uint32_t row, uint32_t group)
{
    groups->rows += !groups->ordered || group > 0;
    for (RowWalk walk = clv_walk(block, row); groups->columns && clv_walk_next(&walk);) {
        uint32_t *own = &groups->group[walk.column];

        if (!groups->column[walk.column] || walk.value == 0)
            continue;
        if (*own == NO_GROUP || (groups->ordered && group < *own)) {
            *own = group;
            groups->count[walk.column] = 0;
        } else if (!groups->ordered && *own != group) {
            *own = SEVERAL;
        }
        groups->count[walk.column] += *own == group;
    }
}

void clv_unseen_groups_end(UnseenGroups *groups)
{
    UnseenColumns unseen = {0};

    for (size_t i = 0; i < groups->columns; i++) {
        bool known = groups->group[i] == SEVERAL || (groups->ordered && groups->group[i] == 0);
        uint32_t number = groups->column[i] && !known
                              ? clv_unseen_number(&unseen, groups->column[i])
                              : MOST_UNSEEN;

        if (number < MOST_UNSEEN)
            unseen.rows[number] += groups->count[i];
    }
    clv_unseen_warn(&unseen, groups->rows, "held-out rows", groups->context);
    clv_unseen_groups_free(groups);
}

void clv_unseen_groups_free(UnseenGroups *groups)
{
    if (!groups->context)
        return;
    FREE(groups->context, groups->group, groups->count, groups->column);
    *groups = (UnseenGroups){0};
}
