/*
 * Hash tables of entries with open addressing. A slot holds the number of an entry and the low bits
 * of its hash.
 *
 * Keys come from untrusted files. If the hash is known, an attacker can write 100,000 keys that
 * share a slot, and each of them costs as many steps as there are keys (Crosby and Wallach 2003).
 * Hashes of tables therefore use a random key of the context. Products of 128 bits mix bytes and
 * key as in wyhash (Wang Yi), with a key in place of its constants. No result may depend on such a
 * hash: entries are numbered in the order of insertion, and tables are never iterated. Checksums
 * and the columns of hashed words use clv_hash.
 */
#ifndef BASE_HASH_TABLE_H
#define BASE_HASH_TABLE_H

#include "base/memory.h"

__extension__ typedef unsigned __int128 HashProduct;

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
    HashProduct product = (HashProduct)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The last step of a hash. */
static inline uint64_t hash_finish(HashKey key, uint64_t hash)
{
    return hash_fold(hash ^ key.b, key.a | 1);
}

static inline uint64_t hash_pair(HashKey key, uint64_t first, uint64_t second)
{
    return hash_finish(key, hash_fold(first ^ key.a, second ^ key.b));
}

uint64_t clv_keyed_hash(HashKey key, const void *data, size_t size, uint64_t seed);

typedef struct {
    uint32_t entry; /* number + 1; 0: free */
    uint32_t tag;   /* low bits of the hash; the lowest of these bits select the first slot */
} HashSlot;

/* A zeroed table is empty. */
typedef struct {
    HashSlot *slot;
    size_t slots; /* 0, or a power of two */
} HashTable;

/* Returns whether the entry equals the wanted one. */
typedef bool HashSame(const void *owner, const void *wanted, uint32_t entry);

/* Returns the slot of the wanted entry, or the free slot for it. The table must have slots. */
static inline HashSlot *hash_table_find(const HashTable *table, uint64_t hash, HashSame *same,
                                        const void *owner, const void *wanted)
{
    size_t at = (size_t)hash & (table->slots - 1);

    while (table->slot[at].entry && !(table->slot[at].tag == (uint32_t)hash &&
                                      same(owner, wanted, table->slot[at].entry - 1)))
        at = (at + 1) & (table->slots - 1);
    return &table->slot[at];
}

static inline void hash_table_fill(HashSlot *slot, uint64_t hash, uint32_t entry)
{
    *slot = (HashSlot){.entry = entry + 1, .tag = (uint32_t)hash};
}

static inline void hash_table_prefetch(const HashTable *table, uint64_t hash)
{
    if (table->slots)
        __builtin_prefetch(&table->slot[hash & (table->slots - 1)]);
}

/* Returns whether one more entry makes the table grow: a quarter of the slots stays free. */
static inline bool hash_table_is_full(const HashTable *table, size_t entries)
{
    return 4 * (entries + 1) > 3 * table->slots;
}

/* Makes space for one more entry; `what` names the table in error messages. */
Status clv_hash_table_reserve(Context *context, HashTable *table, size_t entries, const char *what,
                              cleave_error *error);
void clv_hash_table_clear(HashTable *table);
void clv_hash_table_free(Context *context, HashTable *table);

#endif
