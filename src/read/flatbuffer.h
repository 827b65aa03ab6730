/*
 * Reading FlatBuffers (https://flatbuffers.dev/internals) that are not trusted: every position is
 * checked, and an invalid one sets `invalid` and gives the default. Little-endian, as the machine.
 */
#ifndef READ_FLATBUFFER_H
#define READ_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *bytes;
    size_t size;
    bool invalid;
} Flat;

/* A position of 0 means absent, because the offset of the root is there. */
typedef struct {
    Flat *flat;
    size_t at;
} FlatTable;

typedef struct {
    Flat *flat;
    size_t at; /* position of the first element */
    uint32_t count;
} FlatVector;

/* Copies `size` bytes from a position. */
static inline bool flat_get(Flat *flat, size_t at, void *value, size_t size)
{
    if (at > flat->size || size > flat->size - at) {
        flat->invalid = true;
        return false;
    }
    memcpy(value, flat->bytes + at, size);
    return true;
}

/* The position to which the offset at a position refers; 0 if it is invalid. */
static inline size_t flat_follow(Flat *flat, size_t at)
{
    uint32_t offset;

    if (!flat_get(flat, at, &offset, sizeof offset))
        return 0;
    if (offset == 0 || offset > flat->size - at) {
        flat->invalid = true;
        return 0;
    }
    return at + offset;
}

/* The position of a field, 0 if it is absent. */
static inline size_t flat_field(const FlatTable *table, unsigned field)
{
    Flat *flat = table->flat;
    int32_t back;
    uint16_t size, offset;
    int64_t shape;

    if (table->at == 0 || !flat_get(flat, table->at, &back, sizeof back))
        return 0;
    shape = (int64_t)table->at - back;
    if (shape < 0 || !flat_get(flat, (size_t)shape, &size, sizeof size)) {
        flat->invalid = true;
        return 0;
    }
    if (4 + 2 * (size_t)field + 2 > size ||
        !flat_get(flat, (size_t)shape + 4 + 2 * (size_t)field, &offset, sizeof offset))
        return 0;
    return offset ? table->at + offset : 0;
}

/* Reads a signed integer of 1, 2, 4 or 8 bytes. */
static inline int64_t flat_integer(const FlatTable *table, unsigned field, size_t size,
                                   int64_t value)
{
    size_t at = flat_field(table, field);
    int8_t one;
    int16_t two;
    int32_t four;

    if (at == 0)
        return value;
    if (size == 1)
        return flat_get(table->flat, at, &one, 1) ? one : 0;
    if (size == 2)
        return flat_get(table->flat, at, &two, 2) ? two : 0;
    if (size == 4)
        return flat_get(table->flat, at, &four, 4) ? four : 0;
    return flat_get(table->flat, at, &value, 8) ? value : 0;
}

static inline FlatTable flat_root(Flat *flat)
{
    return (FlatTable){.flat = flat, .at = flat_follow(flat, 0)};
}

/* at is 0 if the table is absent. */
static inline FlatTable flat_table(const FlatTable *table, unsigned field)
{
    size_t at = flat_field(table, field);

    return (FlatTable){.flat = table->flat, .at = at ? flat_follow(table->flat, at) : 0};
}

/* A vector of elements of `size` bytes; empty if it is absent. */
static inline FlatVector flat_vector(const FlatTable *table, unsigned field, size_t size)
{
    size_t at = flat_field(table, field);
    FlatVector vector = {.flat = table->flat, .at = at ? flat_follow(table->flat, at) : 0};

    if (vector.at == 0 || !flat_get(vector.flat, vector.at, &vector.count, sizeof vector.count))
        return (FlatVector){.flat = table->flat};
    vector.at += sizeof vector.count;
    if (vector.count > (vector.flat->size - vector.at) / size) {
        vector.flat->invalid = true;
        vector.count = 0;
    }
    return vector;
}

/* The table at an index below count. */
static inline FlatTable flat_element(const FlatVector *vector, uint32_t number)
{
    return (FlatTable){.flat = vector->flat,
                       .at = flat_follow(vector->flat, vector->at + 4 * (size_t)number)};
}

#endif
