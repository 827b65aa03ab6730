/* Ids and metadata for the points of a model, from files with a row for each row of the data. */
#include "input/side_table.h"
#include "learn/neighbor/points.h"

#include <stdlib.h>

typedef struct {
    cleave_model *model;
    Points points;
    const char *ids, *metadata; /* paths of files; ids may be the name of a column */
    SideTable table;
    TextList lines;
    const TextList *id; /* ids of the new rows, from lines of a file or from a column */
    size_t id_start, id_step;
} Attaching;

/* ---- checks ---------------------------------------------------------------------------------- */

static Status check_rows(const Attaching *attaching, const char *flag, const char *path,
                         uint64_t before, uint64_t rows, cleave_error *error)
{
    uint64_t wanted = attaching->points.next_row - before;

    if (rows == wanted)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "provide one line per row of the data, in the same order",
                         "--%s: %s: expected %llu rows, found %llu", flag, path,
                         (unsigned long long)wanted, (unsigned long long)rows);
}

static const char *new_id(const Attaching *attaching, uint64_t i)
{
    return text_list_get(attaching->id, attaching->id_start + i * attaching->id_step);
}

typedef struct {
    const char *id;
    uint64_t row;
} Named;

static int by_id(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    int order = strcmp(x->id, y->id);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Assigns the ids to points. Points that were removed have no row in the list, so their ids may be
 * used again. */
static uint32_t name_points(const Attaching *attaching, Named *named)
{
    const Points *points = &attaching->points;
    const BundleItem *gone = clv_bundle_get(attaching->model->bundle, "index_gone", BUNDLE_U64);
    uint64_t before = points->metadata.ids.count;
    uint32_t count = 0;

    for (uint32_t i = 0; i < points->vectors.count; i++) {
        uint64_t row = point_row(points, i);

        if (gone && row_bit(gone->data, i))
            continue;
        named[count++] = (Named){row < before ? metadata_id(&points->metadata, row)
                                              : new_id(attaching, row - before),
                                 row};
    }
    return count;
}

static Status check_unique(const Attaching *attaching, cleave_error *error)
{
    Context *context = attaching->model->context;
    char quoted[QUOTE_SIZE];
    Status status = OK;
    uint32_t count;
    Named *named;

    TRY(ALLOC(context, named, (size_t)attaching->points.vectors.count + 1, "ids", error));
    count = name_points(attaching, named);
    qsort(named, count, sizeof *named, by_id);
    for (uint32_t i = 0; i < count && status == OK; i++) {
        if (!*named[i].id)
            status = clv_fail_hint(error, CLEAVE_ERROR_DATA, "assign an id to each row",
                                   "--ids: %s: row %llu has no id", attaching->ids,
                                   (unsigned long long)named[i].row);
        else if (i && strcmp(named[i - 1].id, named[i].id) == 0)
            status = clv_fail_hint(error, CLEAVE_ERROR_DATA, "assign a unique id to each row",
                                   "--ids: %s: rows %llu and %llu have the same id '%s'",
                                   attaching->ids, (unsigned long long)named[i - 1].row,
                                   (unsigned long long)named[i].row,
                                   clv_quote(quoted, named[i].id, strlen(named[i].id)));
    }
    clv_free(context, named);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status check_names(const Attaching *attaching, cleave_error *error)
{
    const Texts *old = &attaching->points.metadata.names;
    const TextList *names = &attaching->table.names;
    bool same = old->count == names->count;

    for (size_t i = 0; i < names->count && same; i++)
        same = strcmp(texts_get(old, i), text_list_get(names, i)) == 0;
    if (same || old->count == 0)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "pass a table with the same columns",
                         "--metadata: %s: the columns differ from the columns of the index",
                         attaching->metadata);
}

static Status read_table(Attaching *attaching, cleave_error *error)
{
    const SideTable *table = &attaching->table;

    TRY(clv_side_table_read(attaching->model->context, "metadata", attaching->metadata,
                            &attaching->table, error));
    TRY(check_names(attaching, error));
    return check_rows(attaching, "metadata", attaching->metadata, attaching->points.metadata.rows,
                      table->cells.count / table->names.count, error);
}

/* Finds the ids. A column of the table with this name takes precedence over a file. */
static Status find_ids(Attaching *attaching, cleave_error *error)
{
    const TextList *names = &attaching->table.names;
    uint64_t before = attaching->points.metadata.ids.count;
    size_t count;

    attaching->id = &attaching->table.cells;
    attaching->id_step = names->count;
    while (attaching->id_start < names->count &&
           strcmp(text_list_get(names, attaching->id_start), attaching->ids) != 0)
        attaching->id_start++;
    if (attaching->id_start == names->count) {
        TRY(clv_text_lines_read(attaching->model->context, "ids", attaching->ids, &attaching->lines,
                                error));
        attaching->id = &attaching->lines;
        attaching->id_start = 0;
        attaching->id_step = 1;
    }
    count = attaching->id->count / attaching->id_step;
    TRY(check_rows(attaching, "ids", attaching->ids, before, count, error));
    return check_unique(attaching, error);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Appends the texts start, start + step … of the list to those of the model. */
static Status put_texts(const Attaching *attaching, const char *const names[2], const Texts *old,
                        const TextList *list, size_t start, size_t step, cleave_error *error)
{
    TextList all = {.context = attaching->model->context};
    Status status = OK;

    for (uint64_t i = 0; i < old->count && status == OK; i++)
        status = clv_text_list_add(&all, texts_get(old, i), strlen(texts_get(old, i)), error);
    for (size_t i = start; i < list->count && status == OK; i += step)
        status = clv_text_list_add(&all, text_list_get(list, i), strlen(text_list_get(list, i)),
                                   error);
    for (size_t i = 0; i < 2 && all.count > 0; i++)
        THEN(status, clv_model_retire(attaching->model, names[i], error));
    if (status != OK || all.count == 0) {
        clv_text_list_free(&all);
        return status;
    }
    return TAKE_ARRAYS(attaching->model->bundle, error, {names[0], BUNDLE_U64, all.end, all.count},
                       {names[1], BUNDLE_BYTES, all.text.data, all.text.size});
}

static Status put_all(const Attaching *attaching, cleave_error *error)
{
    const Metadata *old = &attaching->points.metadata;
    const SideTable *table = &attaching->table;

    if (attaching->ids)
        TRY(put_texts(attaching, (const char *const[]){"id_ends", "id_text"}, &old->ids,
                      attaching->id, attaching->id_start, attaching->id_step, error));
    if (!attaching->metadata)
        return OK;
    TRY(put_texts(attaching, (const char *const[]){"metadata_ends", "metadata_text"}, &old->cells,
                  &table->cells, 0, 1, error));
    return put_texts(attaching, (const char *const[]){"metadata_name_ends", "metadata_names"},
                     &(Texts){0}, &table->names, 0, 1, error);
}

/* Fails if rows are added without ids or metadata to an index that has them. */
static Status check_given(const Attaching *attaching, cleave_error *error)
{
    const Metadata *old = &attaching->points.metadata;
    const char *missing = old->ids.count && !attaching->ids          ? "ids"
                          : old->names.count && !attaching->metadata ? "metadata"
                                                                     : NULL;

    if (!missing)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "pass a file for the rows that are added",
                         "the index has %s: --%s is required", missing, missing);
}

cleave_code cleave_model_add_metadata(cleave_model *model, const char *ids, const char *metadata,
                                      cleave_error *error)
{
    REQUIRE(model);
    Attaching attaching = {.model = model, .ids = ids, .metadata = metadata};
    Status status;

    if (model->method->inference->check_model != clv_points_check ||
        !clv_points_of_model(model, &attaching.points))
        return clv_fail(error, CLEAVE_ERROR_USAGE, "the model has no points");
    status = check_given(&attaching, error);
    if (status == OK && metadata)
        status = read_table(&attaching, error);
    if (status == OK && ids)
        status = find_ids(&attaching, error);
    THEN(status, put_all(&attaching, error));
    clv_side_table_free(&attaching.table);
    clv_text_list_free(&attaching.lines);
    return status;
}
