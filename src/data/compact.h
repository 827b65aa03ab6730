/*
 * Numbered columns with gaps: four rows may have a column 200000000 and no other above 3. A method keeps some numbers for each
 * column, so a dataset whose columns are many more than its values is renumbered before training. Its columns become those that
 * occur, in ascending order, and their old numbers become their names, as words are the names of the columns of text. Names.first
 * stays what it was. A reader of numbered data for such a model keeps its own numbers, and data/remap.h finds the names.
 */
#ifndef DATA_COMPACT_H
#define DATA_COMPACT_H

#include "data/dataset.h"

/* Whether so many columns are worth a dictionary for so many values. */
bool clv_has_gaps(uint64_t columns, uint64_t values);
/* The same of rows that go by, of which there may be many more. */
bool clv_stream_has_gaps(uint64_t columns, uint64_t values);
/* *compact is NULL where the dataset has no gaps, or its columns have names or are cells of an array. */
Status clv_dataset_compact(Dataset *dataset, Dataset **compact, cleave_error *error);
/* Implicit names of so many columns become a dictionary of the same; one that is a dictionary stays. */
Status clv_names_spell_out(Names *names, uint32_t columns, cleave_error *error);

#endif
