#include "base/hash.h"

#include <string.h>

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t read64(const unsigned char *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

static uint32_t read32(const unsigned char *p)
{
    uint32_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

static uint64_t lane(uint64_t state, uint64_t input)
{
    return rotate(state + input * P2, 31) * P1;
}

static uint64_t fold(uint64_t hash, uint64_t state)
{
    return (hash ^ lane(0, state)) * P1 + P4;
}

uint64_t clv_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data, *end = p + size;
    uint64_t hash;

    if (size >= 32) {
        uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;

        do {
            a = lane(a, read64(p));
            b = lane(b, read64(p + 8));
            c = lane(c, read64(p + 16));
            d = lane(d, read64(p + 24));
            p += 32;
        } while (end - p >= 32);
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = fold(fold(fold(fold(hash, a), b), c), d);
    } else {
        hash = seed + P5;
    }
    hash += size;
    for (; end - p >= 8; p += 8)
        hash = rotate(hash ^ lane(0, read64(p)), 27) * P1 + P4;
    if (end - p >= 4) {
        hash = rotate(hash ^ (read32(p) * P1), 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; p++)
        hash = rotate(hash ^ (*p * P5), 11) * P1;
    hash = (hash ^ (hash >> 33)) * P2;
    hash = (hash ^ (hash >> 29)) * P3;
    return hash ^ (hash >> 32);
}
