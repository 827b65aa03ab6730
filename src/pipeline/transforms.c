/* The list of transforms: each has one file, and one line here. */
#include "pipeline/transform.h"

#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
#define EACH_TRANSFORM(X) \
    X(missing) \
    X(rare) \
    X(scale) \
    X(running_scale) \
    X(codes) \
    X(weigh) \
    X(tfidf) \
    X(select) \
    X(polar) \
    X(radius) \
    X(polynomial) \
    X(fourier) \
    X(pca) \
    X(project)
/* clang-format on */

#define DECLARE(name) extern const Transform clv_transform_##name;
EACH_TRANSFORM(DECLARE)

#define LIST(name) &clv_transform_##name,
const Transform *const clv_transforms[] = {EACH_TRANSFORM(LIST) NULL};

Status clv_transform_find(const char *name, size_t length, const Transform **transform,
                          cleave_error *error)
{
    const char *names[64], *nearest;
    char quoted[QUOTE_SIZE];
    size_t count = 0;

    for (; clv_transforms[count] && count < 63; count++) {
        names[count] = clv_transforms[count]->name;
        if (strlen(names[count]) == length && memcmp(names[count], name, length) == 0) {
            *transform = clv_transforms[count];
            return OK;
        }
    }
    names[count] = NULL;
    clv_quote(quoted, name, length);
    nearest = cleave_nearest_word(quoted, names);
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "'cleave transforms' lists all transforms",
                         "unknown transform '%s'%s%s%s", quoted, nearest ? "; did you mean '" : "",
                         nearest ? nearest : "", nearest ? "'?" : "");
}

Status clv_step_kept(const Step *step, const uint32_t **kept, uint32_t **place, cleave_error *error)
{
    const BundleItem *item = clv_bundle_get(step->arrays, "kept", BUNDLE_U32);
    const uint32_t *list = item ? item->data : NULL;

    clv_free(step->context, *place);
    *place = NULL;
    *kept = NULL;
    if (!item || item->count == 0)
        return step->inputs == step->outputs ? OK : CLEAVE_ERROR_FORMAT;
    if (item->count != step->outputs)
        return CLEAVE_ERROR_FORMAT;
    TRY(ALLOC(step->context, *place, (size_t)step->inputs + 1, "columns", error));
    memset(*place, 0xFF, step->inputs * sizeof **place);
    for (uint32_t i = 0; i < step->outputs; i++) {
        if (list[i] >= step->inputs || (i > 0 && list[i] <= list[i - 1]))
            return CLEAVE_ERROR_FORMAT;
        (*place)[list[i]] = i;
    }
    *kept = list;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

Status clv_row_add(RowWorkspace *workspace, FeatureRow *row, uint32_t column, float value,
                   cleave_error *error)
{
    TRY(GROW(workspace->context, row->column, row->column_capacity, row->count + 1, error));
    TRY(GROW(workspace->context, row->value, row->value_capacity, row->count + 1, error));
    row->column[row->count] = column;
    row->value[row->count++] = value;
    return OK;
}

void clv_row_swap(RowWorkspace *workspace)
{
    FeatureRow row = workspace->row;

    workspace->row = workspace->spare;
    workspace->spare = row;
    workspace->spare.count = 0;
}

Status clv_workspace_numbers(RowWorkspace *workspace, size_t count, cleave_error *error)
{
    return GROW(workspace->context, workspace->numbers, workspace->numbers_capacity, count, error);
}

void clv_workspace_free(RowWorkspace *workspace)
{
    FREE(workspace->context, workspace->row.column, workspace->row.value, workspace->spare.column,
         workspace->spare.value, workspace->numbers);
    *workspace = (RowWorkspace){.context = workspace->context};
}

Status clv_row_fail(const RowWorkspace *workspace, cleave_error *error, const char *format, ...)
{
    char text[512];
    uint64_t line = workspace->block ? block_line(workspace->block, workspace->index) : 0;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line)
        return clv_fail(error, CLEAVE_ERROR_DATA, "line %llu: %s", (unsigned long long)line, text);
    if (workspace->block)
        return clv_fail(
            error, CLEAVE_ERROR_DATA, "row %llu: %s",
            (unsigned long long)block_row_number(workspace->block, workspace->index) + 1, text);
    return clv_fail(error, CLEAVE_ERROR_DATA, "%s", text);
}
