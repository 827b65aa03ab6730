/*
 * What is known of the columns between two transformations: their names and what each of them holds. Only learning and explaining look
 * at it; rows are numbers.
 */
#ifndef PIPELINE_COLUMNS_H
#define PIPELINE_COLUMNS_H

#include "data/names.h"
#include "data/schema.h"

typedef struct {
    Names names;
    uint32_t count;
    uint8_t *
        kind; /* COLUMN_NUMBER, COLUMN_CATEGORY (one value of one, 0 or 1) or COLUMN_TEXT (how often a word is there) */
    size_t kind_capacity;
    bool table;   /* it is a table that they come from */
    Names titles; /* of a table: what its columns of categories are called */
} Columns;

void clv_columns_init(Columns *columns, Context *context);
void clv_columns_free(Columns *columns);
/* Those of data as it was read: by the schema, and by names as the readers make them (`column=value`, `column:word`). */
Status clv_columns_of(const Schema *schema, const Names *names, uint32_t count, Columns *columns, cleave_error *error);
/* Of a value of a category, `column=value`, how long the column's name is; 0: it is none. */
size_t clv_columns_title(const Columns *columns, uint32_t column);
Status clv_columns_copy(Columns *to, const Columns *from, cleave_error *error);
/* Those of from that stand in kept, ascending; as numbers where they are numbers and none is left out, else by name. */
Status clv_columns_select(const Columns *from, const uint32_t *kept, uint32_t count, Columns *to, cleave_error *error);
/* One more, of a name that is not there yet; names are not implicit. */
Status clv_columns_append(Columns *columns, const char *name, size_t length, ColumnKind kind, cleave_error *error);

#endif
