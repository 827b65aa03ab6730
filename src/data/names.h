/*
 * Names of features: implicit (column j is named j + first, as in LIBSVM text) or a dictionary, in
 * which column j has the j-th added name.
 */
#ifndef DATA_NAMES_H
#define DATA_NAMES_H

#include "base/hash_table.h"

typedef struct {
    Context *context;
    bool implicit;
    uint32_t first; /* implicit: the number of column 0 */
    /* the names are the dictionary of a model: adding only finds names, and returns NO_COLUMN for
     * others */
    bool frozen;

    Buffer text; /* the names, one after another, each NUL-terminated */
    size_t *offset;
    HashTable table;
    size_t offset_capacity;
    uint32_t count;
    /* reference count of the arrays: copies share them until one adds a name; NULL: no arrays */
    struct NamesUsers *users;
} Names;

#define NO_COLUMN UINT32_MAX
#define VALUE_OTHER "(other)" /* `column=(other)`: the feature of unknown values of a category */

void clv_names_init(Names *names, Context *context, bool implicit);
void clv_names_free(Names *names);
/* Copies names to an empty struct. The arrays are shared. */
Status clv_names_copy(Names *to, const Names *from, cleave_error *error);

uint32_t clv_names_find(const Names *names, const char *text, size_t length);
/* Returns the column whose name is a number. */
uint32_t clv_names_find_number(const Names *names, uint64_t number);
/* Like clv_names_find, but an unknown name `column=value` finds `column=(other)` if that exists. */
Status clv_names_find_or_other(const Names *names, const char *text, size_t length,
                               Buffer *workspace, uint32_t *column, cleave_error *error);
static inline uint64_t clv_names_hash(const Names *names, const char *text, size_t length)
{
    return clv_keyed_hash(names->context->hash_key, text, length, 0);
}

/* Finds or adds a name. Returns NO_COLUMN for a new name if the names are frozen. */
Status clv_names_add(Names *names, const char *text, size_t length, uint32_t *column,
                     cleave_error *error);
/* Finds or adds a name with a precomputed hash (clv_names_hash). */
Status clv_names_add_hashed(Names *names, const char *text, size_t length, uint64_t hash,
                            uint32_t *column, cleave_error *error);

/* Returns whether the names and their order are equal. */
bool clv_names_same(const Names *a, const Names *b);
/* Returns whether the names are explicit, ascending numbers without leading zeros. */
bool clv_names_are_numbers(const Names *names);
/* The name of a column. Implicit names are written to buffer. */
const char *clv_names_get(const Names *names, uint32_t column, char buffer[24]);
size_t clv_names_length(const Names *names, uint32_t column);

#endif
