/*
 * Writes messages in the wire format of Protocol Buffers, field by field. A nested message is
 * written to its own text and then added.
 */
#ifndef INTEROP_PROTOBUF_H
#define INTEROP_PROTOBUF_H

#include "interop/model_text.h"

/* Returns an empty message with the context and the error of its parent. */
ModelText clv_pb_begin(const ModelText *parent);
/* Adds the message as a field of its parent and frees it. A failure of the message becomes that of
 * the parent. */
void clv_pb_end(ModelText *parent, uint32_t field, ModelText *message);
void clv_pb_integer(ModelText *message, uint32_t field, int64_t value);
void clv_pb_float(ModelText *message, uint32_t field, float value);
void clv_pb_bytes(ModelText *message, uint32_t field, const void *bytes, size_t size);
void clv_pb_string(ModelText *message, uint32_t field, const char *text);

#endif
