#include "base/hash.h"

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t lane(uint64_t state, uint64_t input)
{
    return rotate(state + input * P2, 31) * P1;
}

static uint64_t fold(uint64_t hash, uint64_t state)
{
    return (hash ^ lane(0, state)) * P1 + P4;
}

enum { STRIPE = 32 }; /* number of bytes that fill the four lanes once */

static void start_lanes(uint64_t lanes[4], uint64_t seed)
{
    lanes[0] = seed + P1 + P2;
    lanes[1] = seed + P2;
    lanes[2] = seed;
    lanes[3] = seed - P1;
}

/* Processes all whole stripes; returns the start of the rest. */
static const unsigned char *add_stripes(uint64_t lanes[4], const unsigned char *p,
                                        const unsigned char *end)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];

    for (; end - p >= STRIPE; p += STRIPE) {
        a = lane(a, hash_read64(p));
        b = lane(b, hash_read64(p + 8));
        c = lane(c, hash_read64(p + 16));
        d = lane(d, hash_read64(p + 24));
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
    return p;
}

static uint64_t join_lanes(const uint64_t lanes[4])
{
    uint64_t hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
                    rotate(lanes[3], 18);

    return fold(fold(fold(fold(hash, lanes[0]), lanes[1]), lanes[2]), lanes[3]);
}

/* Processes the rest after the stripes, and the final mixing. */
static uint64_t finish(uint64_t hash, const unsigned char *p, const unsigned char *end)
{
    for (; end - p >= 8; p += 8)
        hash = rotate(hash ^ lane(0, hash_read64(p)), 27) * P1 + P4;
    if (end - p >= 4) {
        hash = rotate(hash ^ (hash_read32(p) * P1), 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; p++)
        hash = rotate(hash ^ (*p * P5), 11) * P1;
    hash = (hash ^ (hash >> 33)) * P2;
    hash = (hash ^ (hash >> 29)) * P3;
    return hash ^ (hash >> 32);
}

uint64_t clv_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data, *end = p + size;
    uint64_t lanes[4];

    if (size < STRIPE)
        return finish(seed + P5 + size, p, end);
    start_lanes(lanes, seed);
    p = add_stripes(lanes, p, end);
    return finish(join_lanes(lanes) + size, p, end);
}

void clv_hash_start(Hash *hash, uint64_t seed)
{
    *hash = (Hash){.seed = seed};
    start_lanes(hash->lane, seed);
}

void clv_hash_add(Hash *hash, const void *data, size_t size)
{
    size_t held = hash->size % STRIPE, wanted = STRIPE - held;
    const unsigned char *p = data, *end;

    if (size == 0)
        return;
    hash->size += size;
    if (size < wanted) {
        memcpy(hash->held + held, p, size);
        return;
    }
    end = p + size;
    if (held) {
        memcpy(hash->held + held, p, wanted);
        add_stripes(hash->lane, hash->held, hash->held + STRIPE);
        p += wanted;
    }
    p = add_stripes(hash->lane, p, end);
    memcpy(hash->held, p, (size_t)(end - p));
}

uint64_t clv_hash_end(const Hash *hash)
{
    uint64_t start = hash->size < STRIPE ? hash->seed + P5 : join_lanes(hash->lane);

    return finish(start + hash->size, hash->held, hash->held + hash->size % STRIPE);
}
