/* Writes the labeled rows as training data: lines or records as they are in the pool, with the
 * labels that were given, or the features in another format. */
#include "active/active.h"

#include "base/file.h"
#include "prepare/convert.h"

typedef struct {
    const char *start, *stop;
} CellRange;

/* The cell at a position of a record; false: the record has fewer cells. *count: its cells. */
static bool find_cell(const char *text, size_t size, char delimiter, uint32_t wanted,
                      CellRange *cell, uint32_t *count)
{
    const char *at = text, *end = text + size;
    bool found = false;

    for (*count = 0;; at++) {
        const char *start = at;

        if (at < end && *at == '"')
            for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++)
                at += *at == '"';
        while (at < end && *at != delimiter)
            at++;
        if ((*count)++ == wanted) {
            *cell = (CellRange){start, at};
            found = true;
        }
        if (at >= end)
            return found;
    }
}

/* The delimiter with which a record has this number of cells. */
static char find_delimiter(const char *text, size_t size, uint32_t cells)
{
    static const char known[] = ",;\t|: ";

    for (const char *at = known; *at; at++) {
        CellRange cell;
        uint32_t count;

        find_cell(text, size, *at, 0, &cell, &count);
        if (count == cells)
            return *at;
    }
    return ',';
}

static size_t without_line_end(const char *text, size_t size)
{
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    return size;
}

typedef struct {
    const cleave_active *active;
    Output *output;
    char delimiter;       /* of a table */
    uint32_t label_place; /* column of the label; NO_COLUMN: it is appended */
    Buffer cell;
} LabeledFile;

static Status put(LabeledFile *file, const char *bytes, size_t size, cleave_error *error)
{
    return clv_output_write(file->output, bytes, size, error);
}

static Status put_cell(LabeledFile *file, const char *text, cleave_error *error)
{
    size_t need = 2 * strlen(text) + sizeof "\"\"";

    TRY(GROW(file->active->context, file->cell.data, file->cell.capacity, need, error));
    need = cleave_csv_cell(text, file->delimiter, false, file->cell.data, need);
    return put(file, file->cell.data, need, error);
}

static Status put_record(LabeledFile *file, const char *text, size_t size, const char *label,
                         cleave_error *error)
{
    CellRange cell;
    uint32_t count;

    size = without_line_end(text, size);
    if (file->label_place != NO_COLUMN &&
        find_cell(text, size, file->delimiter, file->label_place, &cell, &count)) {
        TRY(put(file, text, (size_t)(cell.start - text), error));
        TRY(put_cell(file, label, error));
        TRY(put(file, cell.stop, (size_t)(text + size - cell.stop), error));
    } else {
        TRY(put(file, text, size, error));
        TRY(put(file, &file->delimiter, 1, error));
        TRY(put_cell(file, label, error));
    }
    return put(file, "\n", 1, error);
}

static Status put_text(LabeledFile *file, const char *text, size_t size, const char *label,
                       cleave_error *error)
{
    const char *tab;

    size = without_line_end(text, size);
    tab = memchr(text, '\t', size);
    if (tab) {
        size -= (size_t)(tab + 1 - text);
        text = tab + 1;
    }
    TRY(put(file, label, strlen(label), error));
    TRY(put(file, "\t", 1, error));
    TRY(put(file, text, size, error));
    return put(file, "\n", 1, error);
}

static Status begin_table(LabeledFile *file, cleave_error *error)
{
    const cleave_active *active = file->active;
    const Schema *schema = &active->rows->schema;
    const Buffer *header = &active->header;
    bool named = header->size > 0;
    const char *first = named ? header->data : active->records.data;
    size_t size = without_line_end(first, named                  ? header->size
                                          : active->record_count ? active->record_end[0]
                                                                 : 0);

    file->label_place = NO_COLUMN;
    file->delimiter = find_delimiter(first, size, schema->count);
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->column[i].kind == COLUMN_LABEL)
            file->label_place = i;
    if (!named)
        return OK;
    TRY(put(file, header->data, size, error));
    if (file->label_place == NO_COLUMN) {
        TRY(put(file, &file->delimiter, 1, error));
        TRY(put(file, "label", strlen("label"), error));
    }
    return put(file, "\n", 1, error);
}

static Status put_rows(LabeledFile *file, uint64_t *rows, cleave_error *error)
{
    const cleave_active *active = file->active;
    const RowSelection *selection = &active->selection;
    bool table = clv_schema_is_table(&active->rows->schema);

    file->delimiter = '\t';
    if (table)
        TRY(begin_table(file, error));
    for (size_t i = 0; i < selection->event_count; i++) {
        const ActiveEvent *event = &selection->event[i];
        uint64_t row = active->pool.origin ? active->pool.origin[event->row] : event->row,
                 start = row ? active->record_end[row - 1] : 0;
        const char *text = active->records.data + start;
        size_t size = (size_t)(active->record_end[row] - start);

        if (event->label == UNLABELED)
            continue;
        TRY(table ? put_record(file, text, size, selection->classes.list[event->label].text, error)
                  : put_text(file, text, size, selection->classes.list[event->label].text, error));
        (*rows)++;
    }
    return OK;
}

static Status write_lines(const cleave_active *active, const char *path, uint64_t *rows,
                          cleave_error *error)
{
    LabeledFile file = {.active = active};
    Status status;

    TRY(clv_output_open(active->context, path, true, &file.output, error));
    status = put_rows(&file, rows, error);
    clv_free(active->context, file.cell.data);
    if (status != OK) {
        clv_output_abandon(file.output);
        return status;
    }
    return clv_output_commit(file.output, error);
}

static Status write_features(const cleave_active *active, const char *path, uint64_t *rows,
                             cleave_error *error)
{
    cleave_conversion done = {.rows = 0};
    Dataset *labeled;
    Source *source = NULL;
    Status status;

    TRY(clv_write_check(path, NULL, error));
    TRY(clv_selection_labeled_rows(&active->selection, active->pool.rows, &labeled, error));
    status = clv_dataset_source(labeled, false, &source, error);
    THEN(status, clv_write_source(source, path, &(WriteHow){.force = true}, &done, error));
    clv_source_close(source);
    clv_dataset_free(labeled);
    *rows = done.rows;
    return status;
}

cleave_code cleave_active_write(const cleave_active *active, const char *path, uint64_t *rows,
                                cleave_error *error)
{
    REQUIRE(active && path);
    uint64_t written = 0;
    Status status;

    TRY(clv_data_protects(active->data, path, error));
    status = active->record_count == active->rows->rows && active->record_count
                 ? write_lines(active, path, &written, error)
                 : write_features(active, path, &written, error);
    if (status == OK && rows)
        *rows = written;
    return status;
}
