/* An insertion-ordered set of 64-bit hashes: documents already read, values of a column. */
#ifndef READ_SEEN_H
#define READ_SEEN_H

#include "base/hash_table.h"

/* A zeroed set is empty. */
typedef struct {
    uint64_t *key; /* keys in insertion order */
    size_t count, capacity;
    HashTable table;
} SeenSet;

bool clv_seen_has(const Context *context, const SeenSet *set, uint64_t key);
/* Adds a key unless it is present. */
Status clv_seen_add(Context *context, SeenSet *set, uint64_t key, cleave_error *error);
void clv_seen_free(Context *context, SeenSet *set);

#endif
