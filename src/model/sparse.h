/*
 * Arrays of a model that are mostly zeros, as they are in its file: the places of the others, and their values.
 *
 *     z.NAME         elements of the array, then the places of those whose bits are not all 0, ascending
 *     z.NAME.value   their values
 *
 * In memory an array is whole. What a file may expand to is bounded by a multiple of the values that it has.
 */
#ifndef MODEL_SPARSE_H
#define MODEL_SPARSE_H

#include "base/bundle.h"

#define SPARSE_PREFIX "z."

/* Puts an array into the bundle of a file: sparsely where that takes a quarter of its bytes or less, otherwise borrowed as it is. */
Status clv_sparse_put(Bundle *bundle, const BundleItem *item, cleave_error *error);
/* Makes the arrays of a loaded bundle whole; CLEAVE_ERROR_FORMAT, without a message, where they do not fit together. */
Status clv_sparse_get(Bundle *bundle, cleave_error *error);

#endif
