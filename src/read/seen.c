#include "read/seen.h"

enum { FIRST_SLOTS = 64 };

/* The slot of a key, or the free one where it belongs. Keys are hashes already. */
static size_t slot_of(const SeenSet *set, uint64_t key)
{
    size_t at = (size_t)key & (set->slots - 1);

    while (set->slot[at] && set->key[set->slot[at] - 1] != key)
        at = (at + 1) & (set->slots - 1);
    return at;
}

bool clv_seen_has(const SeenSet *set, uint64_t key)
{
    return set->slots > 0 && set->slot[slot_of(set, key)] != 0;
}

static Status grow(Context *context, SeenSet *set, cleave_error *error)
{
    size_t slots = set->slots ? 2 * set->slots : FIRST_SLOTS;
    uint32_t *slot = clv_alloc_zero(context, slots, sizeof *slot);

    if (!slot)
        return clv_fail_memory(error, "a set of hashes", slots * sizeof *slot);
    clv_free(context, set->slot);
    set->slot = slot;
    set->slots = slots;
    for (size_t i = 0; i < set->count; i++)
        slot[slot_of(set, set->key[i])] = (uint32_t)i + 1;
    return OK;
}

Status clv_seen_add(Context *context, SeenSet *set, uint64_t key, cleave_error *error)
{
    if (clv_seen_has(set, key))
        return OK;
    if (set->count == UINT32_MAX - 1)
        return clv_fail(error, CLEAVE_ERROR_DATA, "more than 4294967294 different documents or values");
    if (2 * (set->count + 1) > set->slots)
        TRY(grow(context, set, error));
    TRY(GROW(context, set->key, set->capacity, set->count + 1, error));
    set->key[set->count] = key;
    set->slot[slot_of(set, key)] = (uint32_t)++set->count;
    return OK;
}

void clv_seen_free(Context *context, SeenSet *set)
{
    clv_free(context, set->key);
    clv_free(context, set->slot);
    *set = (SeenSet){0};
}
