/*
 * Files beside the data that have a text, or a row of a table, for each row of the data: ids and
 * metadata of points. They are read completely.
 */
#ifndef INPUT_SIDE_TABLE_H
#define INPUT_SIDE_TABLE_H

#include "base/memory.h"

/* Texts, each with a NUL at its end. */
typedef struct {
    Context *context;
    Buffer text;
    uint64_t *end; /* end of each text, including its NUL */
    size_t count, capacity;
} TextList;

typedef struct {
    TextList names; /* names of the columns from the header */
    TextList cells; /* cells, row after row */
} SideTable;

Status clv_text_list_add(TextList *list, const char *text, size_t length, cleave_error *error);
void clv_text_list_free(TextList *list);
static inline const char *text_list_get(const TextList *list, size_t i)
{
    return list->text.data + (i ? list->end[i - 1] : 0);
}

/* Reads a file, which may be compressed by gzip or zstd. A newline and NUMBER_SLACK zero bytes
 * follow the text; text->size is the size of the file. Fails if the file contains a zero byte.
 * flag: name in messages. */
Status clv_read_text(Context *context, const char *flag, const char *path, Buffer *text,
                     cleave_error *error);
/* Reads one text per line; an empty line is an error. After an error the caller frees nothing. */
Status clv_text_lines_read(Context *context, const char *flag, const char *path, TextList *list,
                           cleave_error *error);
/* Reads a CSV or TSV file with a header. */
Status clv_side_table_read(Context *context, const char *flag, const char *path, SideTable *table,
                           cleave_error *error);
void clv_side_table_free(SideTable *table);

#endif
