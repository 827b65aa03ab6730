#include "train/late_labels.h"

#include "read/bytes.h"

void clv_late_init(LateLabels *late, Context *context, const char *path)
{
    *late = (LateLabels){.context = context, .path = path};
    clv_names_init(&late->ids, context, false);
}

void clv_late_free(LateLabels *late)
{
    if (!late->context)
        return;
    clv_names_free(&late->ids);
    FREE(late->context, late->row, late->column, late->value);
}

Status clv_late_keep(LateLabels *late, const Block *view, const char *id, size_t length,
                     uint32_t predicted, cleave_error *error)
{
    LateRow row = {
        .start = late->entries, .number = block_row_number(view, 0), .predicted = predicted};
    uint32_t number;

    TRY(clv_names_add(&late->ids, id, length, &number, error));
    TRY(GROW(late->context, late->row, late->row_capacity, (size_t)number + 1, error));
    for (RowWalk walk = clv_walk(view, 0); clv_walk_next(&walk); row.entries++) {
        TRY(GROW(late->context, late->column, late->column_capacity, late->entries + 1, error));
        TRY(GROW(late->context, late->value, late->value_capacity, late->entries + 1, error));
        late->column[late->entries] = walk.column;
        late->value[late->entries++] = walk.value;
    }
    late->count += number >= late->count;
    late->row[number] = row;
    return OK;
}

static Status take_line(LateLabels *late, const char *line, size_t length, LateLabel take,
                        void *user, cleave_error *error)
{
    size_t id = 0;
    uint32_t number;

    late->line++;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    if (length == 0)
        return OK;
    while (id < length && line[id] != '\t' && line[id] != ',')
        id++;
    if (id == 0 || id + 1 >= length)
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA, "write the id of a row, a tab and its label on each line",
            "%s:%llu: expected an id and a label", late->path, (unsigned long long)late->line);
    number = clv_names_find(&late->ids, line, id);
    if (number == NO_COLUMN || late->row[number].labeled) {
        late->unknown++;
        return OK;
    }
    late->row[number].labeled = true;
    return take(user, &late->row[number], line + id + 1, length - id - 1);
}

/* The rest of the file from the last position. */
static Status read_rest(LateLabels *late, Buffer *text, cleave_error *error)
{
    char piece[16384];
    size_t got = sizeof piece;
    Bytes *bytes;
    Status status = OK;

    TRY(clv_bytes_open(late->context, late->path, &bytes, error));
    if (late->read == 0 || clv_bytes_jump(bytes, late->read))
        while (got == sizeof piece && status == OK) {
            status = clv_bytes_read(bytes, piece, sizeof piece, &got, error);
            THEN(status, clv_buffer_add(late->context, text, piece, got, error));
        }
    clv_bytes_close(bytes);
    return status;
}

Status clv_late_read(LateLabels *late, bool ended, LateLabel take, void *user, cleave_error *error)
{
    Buffer text = {0};
    Status status = read_rest(late, &text, error);
    size_t at = 0;

    while (status == OK && at < text.size) {
        const char *line = text.data + at, *end = memchr(line, '\n', text.size - at);
        size_t length = end ? (size_t)(end - line) : text.size - at;

        if (!end && !ended)
            break;
        at += length + (end != NULL);
        status = take_line(late, line, length, take, user, error);
    }
    late->read += at;
    clv_free(late->context, text.data);
    return status;
}
