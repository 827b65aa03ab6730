/*
 * LZ4 frames (https://github.com/lz4/lz4, doc/lz4_Frame_format.md and lz4_Block_format.md). A block
 * is a sequence of literals and matches: a token with both lengths, more length bytes while they
 * are 255, the literals, and the distance of the match, which may overlap its own output.
 */
#include "read/lz4_frame.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    const unsigned char *at, *end;
} Lz4Input;

typedef struct {
    unsigned char *start, *at, *end;
} Lz4Output;

enum {
    HAS_DICTIONARY = 1,
    HAS_CHECKSUM = 1 << 2,
    HAS_SIZE = 1 << 3,
    HAS_BLOCK_CHECKSUMS = 1 << 4,
    LEAST_MATCH = 4,
    LONG = 15, /* a length of this value in a token is continued by more bytes */
};

static size_t left(const Lz4Input *in)
{
    return (size_t)(in->end - in->at);
}

static bool read_u32(Lz4Input *in, uint32_t *value)
{
    if (left(in) < sizeof *value)
        return false;
    memcpy(value, in->at, sizeof *value);
    in->at += sizeof *value;
    return true;
}

static bool read_length(Lz4Input *in, size_t *length)
{
    unsigned char byte = 255;

    if (*length < LONG)
        return true;
    while (byte == 255) {
        if (in->at == in->end)
            return false;
        byte = *in->at++;
        *length += byte;
    }
    return true;
}

static bool copy_literals(Lz4Input *in, Lz4Output *out, size_t length)
{
    if (length > left(in) || length > (size_t)(out->end - out->at))
        return false;
    if (length)
        memcpy(out->at, in->at, length);
    in->at += length;
    out->at += length;
    return true;
}

static bool copy_match(Lz4Output *out, size_t distance, size_t length)
{
    if (distance == 0 || distance > (size_t)(out->at - out->start) ||
        length > (size_t)(out->end - out->at))
        return false;
    for (size_t i = 0; i < length; i++, out->at++)
        *out->at = *(out->at - distance);
    return true;
}

/* Decompresses a block. Its last sequence has literals only. */
static bool read_block(Lz4Input in, Lz4Output *out)
{
    while (in.at < in.end) {
        unsigned char token = *in.at++;
        size_t literals = token >> 4, match = token & 15, distance;

        if (!read_length(&in, &literals) || !copy_literals(&in, out, literals))
            return false;
        if (in.at == in.end)
            return true;
        if (left(&in) < 2)
            return false;
        distance = in.at[0] | (size_t)in.at[1] << 8;
        in.at += 2;
        if (!read_length(&in, &match) || !copy_match(out, distance, match + LEAST_MATCH))
            return false;
    }
    return true;
}

/* Reads magic number, flags, block size, sizes and the checksum of the header. */
static bool read_header(Lz4Input *in, unsigned char *flags)
{
    static const unsigned char magic[] = {0x04, 0x22, 0x4D, 0x18};
    size_t size;

    if (left(in) < 7 || memcmp(in->at, magic, sizeof magic) != 0)
        return false;
    *flags = in->at[4];
    size = 7 + (*flags & HAS_SIZE ? 8 : 0);
    if (*flags >> 6 != 1 || *flags & HAS_DICTIONARY || left(in) < size)
        return false;
    in->at += size;
    return true;
}

bool clv_lz4_frame(const char *in_bytes, size_t in_size, char *out_bytes, size_t out_size)
{
    Lz4Input in = {(const unsigned char *)in_bytes, (const unsigned char *)in_bytes + in_size};
    Lz4Output out = {(unsigned char *)out_bytes, (unsigned char *)out_bytes,
                     (unsigned char *)out_bytes + out_size};
    const uint32_t plain = 1u << 31; /* the block is not compressed */
    unsigned char flags;
    uint32_t size;

    if (!read_header(&in, &flags))
        return false;
    for (;;) {
        if (!read_u32(&in, &size))
            return false;
        if (size == 0)
            return out.at == out.end && (!(flags & HAS_CHECKSUM) || left(&in) >= sizeof size);
        if ((size & ~plain) > left(&in))
            return false;
        if (size & plain) {
            size &= ~plain;
            if (!copy_literals(&in, &out, size))
                return false;
        } else {
            if (!read_block((Lz4Input){in.at, in.at + size}, &out))
                return false;
            in.at += size;
        }
        if (flags & HAS_BLOCK_CHECKSUMS && !read_u32(&in, &size))
            return false;
    }
}
