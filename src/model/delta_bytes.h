/*
 * A Delta as bytes, for the wire: each part is its name, how many numbers it has, the gaps between their indexes as varints (seven
 * bits a byte, the highest telling that more follow), and the numbers. Zeros are left out. Where all numbers of a part are floats to
 * the last bit they take four bytes, else eight; where its indexes follow each other without a gap none is written. An update that
 * touches k of d weights takes some 5 k to 10 k bytes, which is less than d floats as long as fewer than about half are touched.
 */
#ifndef MODEL_DELTA_BYTES_H
#define MODEL_DELTA_BYTES_H

#include "model/delta.h"

/* Appends. */
Status clv_delta_to_bytes(const Delta *delta, Context *context, Buffer *bytes, cleave_error *error);

/* Bytes being read: `at` moves on behind what was taken. */
typedef struct {
    const unsigned char *at, *end;
} DeltaBytes;

/* Into an empty delta. Bytes that cannot be one (they come from outside) are an error. */
Status clv_delta_from_bytes(DeltaBytes *bytes, Delta *delta, cleave_error *error);

Status clv_varint_put(Context *context, Buffer *bytes, uint64_t number, cleave_error *error);
bool clv_varint_get(DeltaBytes *bytes, uint64_t *number);

/* The nodes of a tree, as many as there are, and back: those read are added to the tree and fold where they can. */
Status clv_delta_tree_to_bytes(const DeltaTree *tree, Buffer *bytes, cleave_error *error);
Status clv_delta_tree_from_bytes(DeltaTree *tree, const void *bytes, size_t size, cleave_error *error);

#endif
