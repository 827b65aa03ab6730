/*
 * Compacts numbered columns with gaps. For example, four rows may have a column 200000000 and no
 * other column above 3. Methods store numbers for each column, so a dataset with many more columns
 * than values is renumbered before training. Only the columns that occur are kept, in ascending
 * order. Their old numbers become their names, as words are the names of the columns of text.
 * Names.first does not change. A reader of numbered data for such a model keeps the original
 * numbers, and data/remap.h finds the names.
 */
#ifndef DATA_COMPACT_H
#define DATA_COMPACT_H

#include "data/dataset.h"

/* Returns whether a dictionary is worthwhile for these numbers of columns and values. */
bool clv_has_gaps(uint64_t columns, uint64_t values);
/* Returns whether the columns have gaps; false if they are not numbered. */
bool clv_numbers_have_gaps(const Schema *schema, const Names *names, uint64_t columns,
                           uint64_t values);
/* Returns whether the columns of a stream have gaps. The number of its rows is unknown. */
bool clv_stream_has_gaps(uint64_t columns, uint64_t values);

/* The columns that occur in one or more datasets, ascending. All datasets have the same
 * Names.first, so processes can exchange column numbers. */
typedef struct {
    Context *context;
    uint32_t *number;
    size_t count, capacity;
} ColumnSet;

Status clv_column_set_add(ColumnSet *columns, const uint32_t *numbers, size_t count,
                          cleave_error *error);
Status clv_column_set_add_dataset(ColumnSet *columns, Dataset *dataset, cleave_error *error);
/* The position of a column in the set. */
uint32_t clv_column_set_place(const ColumnSet *columns, uint32_t number);
void clv_column_set_free(ColumnSet *columns);
/* Replaces implicit names by the names of the columns, and marks the schema as numbered. */
Status clv_column_set_name(const ColumnSet *columns, Names *names, Schema *schema,
                           cleave_error *error);
/* Notes that columns that never occur are ignored. columns: the number of all columns. */
void clv_note_columns(Context *context, const char *name, uint32_t occurring, uint32_t columns);

/* Compacts a dataset. *compact is NULL if the dataset has no gaps, or if its columns have names or
 * are cells of an array. */
Status clv_dataset_compact(Dataset *dataset, Dataset **compact, cleave_error *error);
/* Converts the implicit names of this many columns to a dictionary. A dictionary is unchanged. */
Status clv_names_spell_out(Names *names, uint32_t columns, cleave_error *error);

#endif
