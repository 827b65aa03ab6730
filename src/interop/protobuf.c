#include "interop/protobuf.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static void put_varint(ModelText *message, uint64_t value)
{
    unsigned char bytes[10];
    size_t count = 0;

    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (unsigned char)(value | 0x80);
    bytes[count++] = (unsigned char)value;
    clv_model_text_add(message, bytes, count);
}

static void put_key(ModelText *message, uint32_t field, unsigned wire)
{
    put_varint(message, (uint64_t)field << 3 | wire);
}

ModelText clv_pb_begin(const ModelText *parent)
{
    return (ModelText){.context = parent->context, .error = parent->error};
}

void clv_pb_end(ModelText *parent, uint32_t field, ModelText *message)
{
    clv_model_text_fail(parent, message->status);
    clv_pb_bytes(parent, field, message->bytes.data, message->bytes.size);
    clv_free(message->context, message->bytes.data);
    message->bytes = (Buffer){0};
}

void clv_pb_integer(ModelText *message, uint32_t field, int64_t value)
{
    put_key(message, field, WIRE_VARINT);
    put_varint(message, (uint64_t)value);
}

void clv_pb_float(ModelText *message, uint32_t field, float value)
{
    uint32_t bits;
    unsigned char bytes[4];

    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(bits >> (8 * i));
    put_key(message, field, WIRE_FIXED32);
    clv_model_text_add(message, bytes, sizeof bytes);
}

void clv_pb_bytes(ModelText *message, uint32_t field, const void *bytes, size_t size)
{
    put_key(message, field, WIRE_BYTES);
    put_varint(message, size);
    if (size)
        clv_model_text_add(message, bytes, size);
}

void clv_pb_string(ModelText *message, uint32_t field, const char *text)
{
    clv_pb_bytes(message, field, text, strlen(text));
}
