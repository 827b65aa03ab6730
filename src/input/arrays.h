/* A source over the caller's arrays, and a dataset that refers to them. */
#ifndef INPUT_ARRAYS_H
#define INPUT_ARRAYS_H

#include "data/dataset.h"

/* Makes a source that can be rewound. The matrix and the data of its rows must outlive it; structs,
 * names and labels are copied. */
Status clv_array_source(Context *context, const cleave_matrix *matrix, const cleave_rows *rows,
                        Source **source, cleave_error *error);
/* Returns a dataset over the caller's memory, which points into the source; NULL if the layout
 * needs packing. */
Status clv_array_borrow(Source *source, Dataset **dataset, cleave_error *error);

#endif
