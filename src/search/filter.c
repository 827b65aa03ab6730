#include "search/filter.h"

#include "input/row_set.h"

typedef struct {
    const Model *model;
    const Points *points;
    uint64_t *only;
} Filtering;

static void leave_out(const Filtering *filtering, uint32_t point)
{
    filtering->only[point / 64] &= ~((uint64_t)1 << (point % 64));
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status keep_rows(const Filtering *filtering, const char *said, cleave_error *error)
{
    const Points *points = filtering->points;
    uint32_t kept = 0;
    RowSet rows;

    TRY(clv_row_set_parse(filtering->model->context, "only-rows", said, &rows, error));
    for (uint32_t i = 0; i < points->vectors.count; i++) {
        if (clv_row_set_has(&rows, point_row(points, i)))
            kept++;
        else
            leave_out(filtering, i);
    }
    clv_row_set_free(&rows);
    if (kept > 0)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "use row numbers of the training data, counted from 0",
                         "--only-rows: the model has none of these rows; its last row is %llu",
                         (unsigned long long)points->next_row - 1);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Parses labels, which are separated by `separator`, and converts them to numbers. */
static Status parse_labels(const Model *model, const char *flag, const char *said, size_t size,
                           char separator, bool *wanted, cleave_error *error)
{
    for (const char *at = said, *end = said + size;; at++) {
        const char *stop = memchr(at, separator, (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        uint32_t label = clv_labels_find(&model->labels, at, length);
        char quoted[QUOTE_SIZE];

        if (label == UNLABELED)
            return clv_fail_hint(
                error, CLEAVE_ERROR_USAGE,
                !model->labels.count ? "omit the condition: the model has no labels"
                : separator == ','   ? "use labels of the training data, separated by commas"
                                     : "use labels of the training data, separated by '|'",
                "--%s: no point of the model has the label '%s'", flag,
                clv_quote(quoted, at, length));
        wanted[label] = true;
        at += length;
        if (!stop)
            return OK;
    }
}

static Status keep_labels(const Filtering *filtering, const char *flag, const char *said,
                          size_t size, char separator, cleave_error *error)
{
    const Points *points = filtering->points;
    const Model *model = filtering->model;
    bool *wanted;
    Status status;

    if (model->task == CLEAVE_TASK_REGRESSION)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--%s requires class labels, and the labels of this model are numbers",
                        flag);
    TRY(ALLOC_ZERO(model->context, wanted, (size_t)model->labels.count + 1, "labels", error));
    status = parse_labels(model, flag, said, size, separator, wanted, error);
    for (uint32_t i = 0; status == OK && i < points->vectors.count; i++)
        if (points->label[i] == UNLABELED || !wanted[points->label[i]])
            leave_out(filtering, i);
    clv_free(model->context, wanted);
    return status;
}

/* ---- conditions on metadata ------------------------------------------------------------------ */

enum { SEPARATOR = '|' };

/* A condition name=value|value in the text from `at` to `end`. */
typedef struct {
    const char *name, *values, *end;
    size_t name_length;
    bool is_id;
    uint64_t column;
} Condition;

static bool parse_condition(const char *at, const char *end, Condition *condition)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));

    *condition = (Condition){.name = at, .end = end};
    if (!equals || equals == at)
        return false;
    condition->name_length = (size_t)(equals - at);
    condition->values = equals + 1;
    return true;
}

static bool is_named(const Condition *condition, const char *name)
{
    return strlen(name) == condition->name_length &&
           memcmp(name, condition->name, condition->name_length) == 0;
}

static const char *value_of(const Metadata *metadata, const Condition *condition, uint64_t row)
{
    return condition->is_id ? metadata_id(metadata, row)
                            : metadata_cell(metadata, row, condition->column);
}

static bool equals(const char *value, const char *text, size_t length)
{
    return value && strlen(value) == length && memcmp(value, text, length) == 0;
}

/* Marks in `keep` the points with the value. */
static Status keep_value(const Filtering *filtering, const Condition *condition, const char *value,
                         size_t length, bool *keep, cleave_error *error)
{
    const Points *points = filtering->points;
    char quoted[QUOTE_SIZE], name[QUOTE_SIZE];
    bool found = false;

    for (uint32_t i = 0; i < points->vectors.count; i++)
        if (equals(value_of(&points->metadata, condition, point_row(points, i)), value, length))
            keep[i] = found = true;
    if (found)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE, "separate the values of a column by '|', and conditions by ','",
        "--where: no point has the %s '%s'",
        clv_quote(name, condition->name, condition->name_length), clv_quote(quoted, value, length));
}

static Status keep_values(const Filtering *filtering, const Condition *condition,
                          cleave_error *error)
{
    uint32_t count = filtering->points->vectors.count;
    Status status = OK;
    bool *keep;

    TRY(ALLOC_ZERO(filtering->model->context, keep, (size_t)count + 1, "a filter", error));
    for (const char *at = condition->values; status == OK; at++) {
        const char *stop = memchr(at, SEPARATOR, (size_t)(condition->end - at));
        size_t length = (size_t)((stop ? stop : condition->end) - at);

        status = keep_value(filtering, condition, at, length, keep, error);
        at += length;
        if (!stop)
            break;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!keep[i])
            leave_out(filtering, i);
    clv_free(filtering->model->context, keep);
    return status;
}

static Status keep_condition(const Filtering *filtering, Condition *condition, cleave_error *error)
{
    const Metadata *metadata = &filtering->points->metadata;
    char quoted[QUOTE_SIZE];

    condition->column = clv_metadata_find(metadata, condition->name, condition->name_length);
    if (condition->column < metadata->names.count)
        return keep_values(filtering, condition, error);
    condition->is_id = is_named(condition, "id") && metadata->ids.count > 0;
    if (condition->is_id)
        return keep_values(filtering, condition, error);
    if (is_named(condition, "label"))
        return keep_labels(filtering, "where", condition->values,
                           (size_t)(condition->end - condition->values), SEPARATOR, error);
    return clv_fail_hint(
        error, CLEAVE_ERROR_USAGE,
        "use label, id, or a column of the file given to 'cleave index --metadata'",
        "--where: the model has no metadata with the name '%s'",
        clv_quote(quoted, condition->name, condition->name_length));
}

static Status keep_where(const Filtering *filtering, const char *said, cleave_error *error)
{
    for (const char *at = said;; at++) {
        const char *end = at + strcspn(at, ",");
        Condition condition;
        char quoted[QUOTE_SIZE];

        if (!parse_condition(at, end, &condition))
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "write conditions such as label=Beagle or lang=en|de,year=2020",
                                 "--where: expected NAME=VALUE, found '%s'",
                                 clv_quote(quoted, at, (size_t)(end - at)));
        TRY(keep_condition(filtering, &condition, error));
        at = end;
        if (!*at)
            return OK;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static Status keep_all(const Filtering *filtering, const Filter *filter, cleave_error *error)
{
    if (filter->rows)
        TRY(keep_rows(filtering, filter->rows, error));
    if (filter->labels)
        TRY(keep_labels(filtering, "only-labels", filter->labels, strlen(filter->labels), ',',
                        error));
    return filter->where ? keep_where(filtering, filter->where, error) : OK;
}

Status clv_filter_points(const Model *model, const Points *points, const Filter *filter,
                         uint64_t **only, cleave_error *error)
{
    uint32_t count = points->vectors.count;
    Filtering filtering = {.model = model, .points = points};
    Status status;

    *only = NULL;
    if (!filter->rows && !filter->labels && !filter->where)
        return OK;
    TRY(ALLOC_ZERO(model->context, filtering.only, (size_t)count / 64 + 1, "a filter", error));
    for (uint32_t i = 0; i < count; i++)
        filtering.only[i / 64] |= (uint64_t)1 << (i % 64);
    status = keep_all(&filtering, filter, error);
    if (status == OK)
        *only = filtering.only;
    else
        clv_free(model->context, filtering.only);
    return status;
}
