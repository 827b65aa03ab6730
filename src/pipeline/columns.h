/*
 * The columns between two transforms: their names and kinds. Used only for learning and explaining;
 * rows contain only numbers.
 */
#ifndef PIPELINE_COLUMNS_H
#define PIPELINE_COLUMNS_H

#include "data/names.h"
#include "data/schema.h"

typedef struct {
    Names names;
    uint32_t count;
    /* COLUMN_NUMBER, COLUMN_CATEGORY (indicator of one value) or COLUMN_TEXT (count of a word) */
    uint8_t *kind;
    size_t kind_capacity;
    bool table;   /* the columns come from a table */
    Names titles; /* names of the categorical columns of a table */
} Columns;

void clv_columns_init(Columns *columns, Context *context);
void clv_columns_free(Columns *columns);
/* Finds the columns of data as read, from the schema and from the names that the readers create
 * (`column=value`, `column:word`). */
Status clv_columns_of(const Schema *schema, const Names *names, uint32_t count, Columns *columns,
                      cleave_error *error);
/* Returns the length of the column's name in `column=value`; 0: not a category. */
size_t clv_columns_title(const Columns *columns, uint32_t column);
Status clv_columns_copy(Columns *to, const Columns *from, cleave_error *error);
/* Selects the columns of `from` listed in kept, which is ascending. They stay numbered if they are
 * numbers and none is dropped; otherwise they are named. */
Status clv_columns_select(const Columns *from, const uint32_t *kept, uint32_t count, Columns *to,
                          cleave_error *error);
/* Adds a column with a new name. The names must not be implicit. */
Status clv_columns_append(Columns *columns, const char *name, size_t length, ColumnKind kind,
                          cleave_error *error);

#endif
