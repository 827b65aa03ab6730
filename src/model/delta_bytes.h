/* A Delta as bytes for messages: each part has its name, the number of its values, the gaps between
 * their indexes as varints (seven bits per byte, the highest bit marks continuation), and the
 * values. Zeros are dropped. Values take four bytes if all values of a part are exact as floats,
 * otherwise eight. Consecutive indexes are not written. An update that touches k of d weights takes
 * about 5 k to 10 k bytes, less than d floats if fewer than about half are touched. */
#ifndef MODEL_DELTA_BYTES_H
#define MODEL_DELTA_BYTES_H

#include "model/delta.h"

/* Appends the bytes of an update. */
Status clv_delta_to_bytes(const Delta *delta, Context *context, Buffer *bytes, cleave_error *error);

/* Bytes that are being read. `at` moves past the consumed bytes. */
typedef struct {
    const unsigned char *at, *end;
} DeltaBytes;

/* Decodes into an empty delta. Fails if the bytes, which may be untrusted, are invalid. */
Status clv_delta_from_bytes(DeltaBytes *bytes, Delta *delta, cleave_error *error);

Status clv_varint_put(Context *context, Buffer *bytes, uint64_t number, cleave_error *error);
bool clv_varint_get(DeltaBytes *bytes, uint64_t *number);

/* Encode and decode the nodes of a tree. Decoded nodes are added to the tree, and merged where
 * possible. */
Status clv_delta_tree_to_bytes(const DeltaTree *tree, Buffer *bytes, cleave_error *error);
Status clv_delta_tree_from_bytes(DeltaTree *tree, const void *bytes, size_t size,
                                 cleave_error *error);

#endif
