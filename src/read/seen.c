#include "read/seen.h"

static bool same_key(const void *owner, const void *wanted, uint32_t entry)
{
    return ((const SeenSet *)owner)->key[entry] == *(const uint64_t *)wanted;
}

static uint64_t hash_of(const Context *context, uint64_t key)
{
    return hash_pair(context->hash_key, key, 0);
}

bool clv_seen_has(const Context *context, const SeenSet *set, uint64_t key)
{
    return set->table.slots > 0 &&
           hash_table_find(&set->table, hash_of(context, key), same_key, set, &key)->entry != 0;
}

Status clv_seen_add(Context *context, SeenSet *set, uint64_t key, cleave_error *error)
{
    uint64_t hash = hash_of(context, key);
    HashSlot *slot;

    TRY(clv_hash_table_reserve(context, &set->table, set->count, "a set of hashes", error));
    slot = hash_table_find(&set->table, hash, same_key, set, &key);
    if (slot->entry)
        return OK;
    if (set->count == UINT32_MAX - 1)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "more than 4294967294 different documents or values");
    TRY(GROW(context, set->key, set->capacity, set->count + 1, error));
    set->key[set->count] = key;
    hash_table_fill(slot, hash, (uint32_t)set->count++);
    return OK;
}

void clv_seen_free(Context *context, SeenSet *set)
{
    clv_free(context, set->key);
    clv_hash_table_free(context, &set->table);
    *set = (SeenSet){0};
}
