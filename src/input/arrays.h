/* The caller's arrays as a source. */
#ifndef INPUT_ARRAYS_H
#define INPUT_ARRAYS_H

#include "data/dataset.h"

/* The matrix and what belongs to its rows must outlive the source; the structs, names and labels are
 * copied. It can be rewound. */
Status clv_array_source(Context *context, const cleave_matrix *matrix, const cleave_rows *rows, Source **source,
                        cleave_error *error);
/* A dataset over the caller's memory, which points into the source; NULL if the layout needs packing. */
Status clv_array_borrow(Source *source, Dataset **dataset, cleave_error *error);

#endif
