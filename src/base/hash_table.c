#include "base/hash_table.h"

#include "base/hash.h"

enum { FIRST_SLOTS = 64, PART = 16 };

/* Hashes sixteen bytes at a time. The last bytes are read as two numbers, which overlap if there
 * are fewer than sixteen. */
uint64_t clv_keyed_hash(HashKey key, const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data;
    /* A product, because b differs from state by exclusive or: texts of two lengths must not
     * cancel. */
    uint64_t a = 0, b = 0,
             state = hash_fold(key.a ^ (seed * 0x9E3779B97F4A7C15u + size), key.b | 1);

    for (; size > PART; size -= PART, p += PART)
        state = hash_fold(hash_read64(p) ^ key.b, hash_read64(p + 8) ^ state);
    if (size >= 8) {
        a = hash_read64(p);
        b = hash_read64(p + size - 8);
    } else if (size >= 4) {
        a = hash_read32(p);
        b = hash_read32(p + size - 4);
    } else if (size > 0) {
        a = (uint64_t)p[0] << 16 | (uint64_t)p[size / 2] << 8 | p[size - 1];
    }
    return hash_finish(key, hash_fold(a ^ key.b, b ^ state));
}

static HashSlot *free_slot(const HashTable *table, uint32_t tag)
{
    size_t at = tag & (table->slots - 1);

    while (table->slot[at].entry)
        at = (at + 1) & (table->slots - 1);
    return &table->slot[at];
}

/* Moves the slots without access to the entries, because the tags determine the new slots. */
Status clv_hash_table_reserve(Context *context, HashTable *table, size_t entries, const char *what,
                              cleave_error *error)
{
    HashTable larger = {.slots = table->slots ? 2 * table->slots : FIRST_SLOTS};

    if (!hash_table_is_full(table, entries))
        return OK;
    TRY(ALLOC_ZERO(context, larger.slot, larger.slots, what, error));
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].entry)
            *free_slot(&larger, table->slot[i].tag) = table->slot[i];
    clv_free(context, table->slot);
    *table = larger;
    return OK;
}

void clv_hash_table_clear(HashTable *table)
{
    if (table->slots)
        memset(table->slot, 0, table->slots * sizeof *table->slot);
}

void clv_hash_table_free(Context *context, HashTable *table)
{
    clv_free(context, table->slot);
    *table = (HashTable){0};
}
