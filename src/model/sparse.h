/*
 * Sparse storage of model arrays that are mostly zeros: the positions and values of the others.
 *
 *     z.NAME         number of elements, then the ascending positions of those that are not 0
 *     z.NAME.value   their values
 *
 * In memory the arrays are dense. Their total size is bounded by a multiple of the stored values.
 */
#ifndef MODEL_SPARSE_H
#define MODEL_SPARSE_H

#include "base/bundle.h"

#define SPARSE_PREFIX "z."

/* Adds an array to the bundle of a file: sparsely if that takes at most a quarter of its bytes,
 * otherwise without a copy. */
Status clv_sparse_put(Bundle *bundle, const BundleItem *item, cleave_error *error);
/* Expands the sparse arrays of a loaded bundle. Returns CLEAVE_ERROR_FORMAT, without a message,
 * if they are inconsistent. */
Status clv_sparse_get(Bundle *bundle, cleave_error *error);

#endif
