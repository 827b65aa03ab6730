/*
 * Sparse storage of model arrays that are mostly zeros: the positions and values of the others.
 *
 *     z.NAME         number of elements, then the ascending positions of those that are not 0
 *     z.NAME.value   their values
 *
 * In memory the arrays are dense. All arrays of a model share one budget: 4,096 times the bytes of
 * the stored values plus 64 MiB.
 */
#ifndef MODEL_SPARSE_ARRAY_H
#define MODEL_SPARSE_ARRAY_H

#include "base/bundle.h"

#define SPARSE_PREFIX "z."

/* Adds an array to the bundle of a file: as a sparse array if this takes at most a quarter of its
 * bytes, otherwise as a reference. */
Status clv_sparse_put(Bundle *bundle, const BundleItem *item, cleave_error *error);
/* Expands the sparse arrays of a bundle loaded from path, which has size bytes. Returns
 * CLEAVE_ERROR_FORMAT, without a message, if they are inconsistent, and CLEAVE_ERROR_MEMORY if they
 * exceed the budget. */
Status clv_sparse_get(Bundle *bundle, const char *path, size_t size, cleave_error *error);

#endif
