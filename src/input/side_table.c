#include "input/side_table.h"

#include "base/number.h"
#include "base/text.h"
#include "read/bytes.h"
#include "read/csv.h"

/* ---- texts ----------------------------------------------------------------------------------- */

Status clv_text_list_add(TextList *list, const char *text, size_t length, cleave_error *error)
{
    TRY(clv_buffer_add(list->context, &list->text, text, length, error));
    TRY(clv_buffer_add(list->context, &list->text, "", 1, error));
    TRY(GROW(list->context, list->end, list->capacity, list->count + 1, error));
    list->end[list->count++] = list->text.size;
    return OK;
}

void clv_text_list_free(TextList *list)
{
    if (list->context)
        FREE(list->context, list->text.data, list->end);
    *list = (TextList){0};
}

static Status read_pieces(Context *context, Bytes *bytes, Buffer *text, cleave_error *error)
{
    enum { PIECE = 1 << 16 };
    size_t got;

    do {
        TRY(GROW(context, text->data, text->capacity, text->size + PIECE + 1 + NUMBER_SLACK,
                 error));
        TRY(clv_bytes_read(bytes, text->data + text->size, PIECE, &got, error));
        text->size += got;
    } while (got == PIECE);
    text->data[text->size] = '\n';
    memset(text->data + text->size + 1, 0, NUMBER_SLACK);
    return OK;
}

Status clv_read_text(Context *context, const char *flag, const char *path, Buffer *text,
                     cleave_error *error)
{
    const char *zero;
    Bytes *bytes;
    Status status;

    TRY(clv_bytes_open(context, path, &bytes, error));
    status = read_pieces(context, bytes, text, error);
    clv_bytes_close(bytes);
    if (status == OK && (zero = memchr(text->data, '\0', text->size)))
        status = clv_fail(error, CLEAVE_ERROR_DATA,
                          "--%s: %s: expected text, found a zero byte (byte %zu)", flag, path,
                          (size_t)(zero - text->data));
    return status;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static Status take_lines(const char *flag, const char *path, const Buffer *text, TextList *list,
                         cleave_error *error)
{
    const char *end = text->data + text->size;

    for (const char *at = text->data; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at) + 1);
        size_t length = (size_t)(next - at);

        if (length && at[length - 1] == '\r')
            length--;
        if (length == 0)
            return clv_fail_hint(error, CLEAVE_ERROR_DATA, "write one value on each line",
                                 "--%s: %s:%zu: the line is empty", flag, path, list->count + 1);
        TRY(clv_text_list_add(list, at, length, error));
        at = next + 1;
    }
    return OK;
}

Status clv_text_lines_read(Context *context, const char *flag, const char *path, TextList *list,
                           cleave_error *error)
{
    Buffer text = {0};
    Status status = clv_read_text(context, flag, path, &text, error);

    *list = (TextList){.context = context};
    THEN(status, take_lines(flag, path, &text, list, error));
    clv_free(context, text.data);
    if (status != OK)
        clv_text_list_free(list);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct {
    const char *flag, *path;
    CsvScan scan;
} TableScan;

static Status fail_scan(const TableScan *table, cleave_error *error)
{
    const CsvPlace *place = &table->scan.problem_place;
    CsvErrorText error_text;

    clv_csv_format_error(&table->scan, &error_text);
    clv_fail(error, CLEAVE_ERROR_DATA, "--%s: %s:%llu:%llu: %s", table->flag, table->path,
             (unsigned long long)place->line, (unsigned long long)csv_column(place),
             error_text.message);
    return clv_hint(error, CLEAVE_ERROR_DATA, "%s", error_text.hint);
}

/* Adds the cells of the record at *at. */
static Status take_record(TableScan *table, const char **at, TextList *list, cleave_error *error)
{
    for (const char *p = *at;; p++) {
        CsvCell cell;

        p = clv_csv_cell(&table->scan, p, &cell);
        if (!p)
            return fail_scan(table, error);
        TRY(clv_text_list_add(list, cell.text, cell.length, error));
        if (csv_at_line_end(p)) {
            *at = clv_csv_next_line(&table->scan, p);
            return OK;
        }
    }
}

static Status check_names(const TableScan *table, const TextList *names, cleave_error *error)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = text_list_get(names, i);

        if (!*name)
            return clv_fail_hint(error, CLEAVE_ERROR_DATA, "name every column",
                                 "--%s: %s:1: column %zu of the header is empty", table->flag,
                                 table->path, i);
        for (size_t j = 0; j < i; j++)
            if (strcmp(name, text_list_get(names, j)) == 0) {
                char quoted[QUOTE_SIZE];

                return clv_fail_hint(error, CLEAVE_ERROR_DATA, "use a unique name for each column",
                                     "--%s: %s:1: two columns have the name '%s'", table->flag,
                                     table->path, clv_quote(quoted, name, strlen(name)));
            }
    }
    return OK;
}

static Status take_table(TableScan *table, SideTable *to, cleave_error *error)
{
    CsvScan *scan = &table->scan;
    const char *at = clv_csv_skip_blank(scan, scan->start);

    if (at >= scan->end)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "the first line has the names of the columns",
                             "--%s: %s: the table is empty", table->flag, table->path);
    TRY(take_record(table, &at, &to->names, error));
    TRY(check_names(table, &to->names, error));
    while ((at = clv_csv_skip_blank(scan, at)) < scan->end) {
        size_t before = to->cells.count, found;
        uint64_t line = scan->line;

        TRY(take_record(table, &at, &to->cells, error));
        found = to->cells.count - before;
        if (found != to->names.count)
            return clv_fail_hint(error, CLEAVE_ERROR_DATA, "put cells with the delimiter in quotes",
                                 "--%s: %s:%llu: expected %zu cells as in the header, found %zu",
                                 table->flag, table->path, (unsigned long long)line,
                                 to->names.count, found);
    }
    return OK;
}

Status clv_side_table_read(Context *context, const char *flag, const char *path, SideTable *table,
                           cleave_error *error)
{
    TableScan scan = {.flag = flag, .path = path};
    CsvDialect dialect;
    Buffer text = {0};
    Status status = clv_read_text(context, flag, path, &text, error);

    *table = (SideTable){.names = {.context = context}, .cells = {.context = context}};
    if (status == OK) {
        size_t mark = text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

        clv_csv_dialect(&dialect, clv_csv_find_delimiter(text.data + mark, text.size - mark, true));
        scan.scan = (CsvScan){.dialect = &dialect,
                              .context = context,
                              .start = text.data + mark,
                              .end = text.data + text.size,
                              .line_start = text.data + mark,
                              .line = 1};
        status = take_table(&scan, table, error);
    }
    FREE(context, scan.scan.spare, text.data);
    if (status != OK)
        clv_side_table_free(table);
    return status;
}

void clv_side_table_free(SideTable *table)
{
    clv_text_list_free(&table->names);
    clv_text_list_free(&table->cells);
}
