#include "data/names.h"

#include "base/number.h"

#include <stdatomic.h>

#define MOST_NAMES 2147483646u /* so that columns are below MOST_FEATURES */

void clv_names_init(Names *names, Context *context, bool implicit)
{
    *names = (Names){.context = context, .implicit = implicit, .first = 1};
}

struct NamesUsers {
    atomic_uint count;
};

/* Releases the arrays. The last user frees them. */
static void leave_arrays(const Names *names)
{
    Context *context = names->context;

    if (names->users && atomic_fetch_sub(&names->users->count, 1) > 1)
        return;
    FREE(context, names->text.data, names->offset, names->table.slot, names->users);
}

void clv_names_free(Names *names)
{
    leave_arrays(names);
    clv_names_init(names, names->context, names->implicit);
}

size_t clv_names_length(const Names *names, uint32_t column)
{
    size_t end = column + 1 < names->count ? names->offset[column + 1] : names->text.size;

    return end - names->offset[column] - 1;
}

typedef struct {
    const char *text;
    size_t length;
} Wanted;

static bool same_name(const void *owner, const void *wanted, uint32_t entry)
{
    const Names *names = owner;
    const Wanted *name = wanted;

    return clv_names_length(names, entry) == name->length &&
           memcmp(names->text.data + names->offset[entry], name->text, name->length) == 0;
}

static HashSlot *find_slot(const Names *names, const char *text, size_t length, uint64_t hash)
{
    Wanted wanted = {text, length};

    return hash_table_find(&names->table, hash, same_name, names, &wanted);
}

static Status copy_array(Context *context, void *to_address, const void *from, size_t count,
                         size_t size, cleave_error *error)
{
    void *copy = clv_alloc(context, count, size);

    if (!copy)
        return clv_fail_memory(error, "names of features", count * size);
    if (count)
        memcpy(copy, from, count * size);
    memcpy(to_address, &copy, sizeof copy);
    return OK;
}

static Status copy_arrays(Names *to, const Names *from, cleave_error *error)
{
    Context *context = to->context;

    TRY(ALLOC(context, to->users, 1, "names of features", error));
    atomic_init(&to->users->count, 1);
    TRY(copy_array(context, &to->text.data, from->text.data, from->text.size, 1, error));
    to->text.size = to->text.capacity = from->text.size;
    TRY(copy_array(context, &to->offset, from->offset, from->count, sizeof *from->offset, error));
    to->offset_capacity = from->count;
    TRY(copy_array(context, &to->table.slot, from->table.slot, from->table.slots, sizeof(HashSlot),
                   error));
    to->table.slots = from->table.slots;
    to->count = from->count;
    return OK;
}

/* Copies shared arrays before a change. */
static Status own_arrays(Names *names, cleave_error *error)
{
    Names own = *names;
    Status status;

    if (names->users && atomic_load(&names->users->count) == 1)
        return OK;
    own.text = (Buffer){0};
    own.offset = NULL;
    own.table = (HashTable){0};
    own.users = NULL;
    status = copy_arrays(&own, names, error);
    if (status != OK) {
        leave_arrays(&own);
        return status;
    }
    leave_arrays(names);
    *names = own;
    return OK;
}

/* The column of an implicit name, which is a number without sign or leading zeros. */
static uint32_t implicit_column(const Names *names, const char *text, size_t length)
{
    uint64_t number = 0;

    if (length == 0 || length > 10 || (text[0] == '0' && length > 1))
        return NO_COLUMN;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned)(text[i] - '0') > 9)
            return NO_COLUMN;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    return number >= names->first && number < UINT32_MAX ? (uint32_t)(number - names->first)
                                                         : NO_COLUMN;
}

uint32_t clv_names_find(const Names *names, const char *text, size_t length)
{
    uint32_t entry;

    if (names->implicit)
        return implicit_column(names, text, length);
    if (names->table.slots == 0)
        return NO_COLUMN;
    entry = find_slot(names, text, length, clv_names_hash(names, text, length))->entry;
    return entry ? entry - 1 : NO_COLUMN;
}

uint32_t clv_names_find_number(const Names *names, uint64_t number)
{
    char digits[NUMBER_SIZE];

    return clv_names_find(names, digits, clv_format_unsigned(digits, number));
}

Status clv_names_find_or_other(const Names *names, const char *text, size_t length,
                               Buffer *workspace, uint32_t *column, cleave_error *error)
{
    *column = clv_names_find(names, text, length);
    for (size_t i = length; i-- > 0 && *column == NO_COLUMN && !names->implicit;) {
        if (text[i] != '=')
            continue;
        workspace->size = 0;
        TRY(clv_buffer_add(names->context, workspace, text, i + 1, error));
        TRY(clv_buffer_add(names->context, workspace, VALUE_OTHER, strlen(VALUE_OTHER), error));
        *column = clv_names_find(names, workspace->data, workspace->size);
    }
    return OK;
}

Status clv_names_add(Names *names, const char *text, size_t length, uint32_t *column,
                     cleave_error *error)
{
    return clv_names_add_hashed(names, text, length, clv_names_hash(names, text, length), column,
                                error);
}

Status clv_names_add_hashed(Names *names, const char *text, size_t length, uint64_t hash,
                            uint32_t *column, cleave_error *error)
{
    size_t slot;
    uint32_t entry;

    if (!names->frozen && hash_table_is_full(&names->table, names->count)) {
        TRY(own_arrays(names, error));
        TRY(clv_hash_table_reserve(names->context, &names->table, names->count, "names of features",
                                   error));
    }
    if (names->table.slots == 0) {
        *column = NO_COLUMN;
        return OK;
    }
    slot = (size_t)(find_slot(names, text, length, hash) - names->table.slot);
    entry = names->table.slot[slot].entry;
    if (entry || names->frozen) {
        *column = entry ? entry - 1 : NO_COLUMN;
        return OK;
    }
    if (names->count == MOST_NAMES)
        return clv_fail(error, CLEAVE_ERROR_DATA, "more than %u different features", MOST_NAMES);
    TRY(own_arrays(names, error)); /* the slots do not move */
    TRY(GROW(names->context, names->offset, names->offset_capacity, names->count + 1, error));
    TRY(GROW(names->context, names->text.data, names->text.capacity, names->text.size + length + 1,
             error));
    names->offset[names->count] = names->text.size;
    if (length)
        memcpy(names->text.data + names->text.size, text, length);
    names->text.data[names->text.size + length] = '\0';
    names->text.size += length + 1;
    *column = names->count++;
    hash_table_fill(&names->table.slot[slot], hash, *column);
    return OK;
}

Status clv_names_copy(Names *to, const Names *from, cleave_error *error)
{
    to->implicit = from->implicit;
    to->first = from->first;
    if (to->count == 0 && from->users && to->context == from->context) {
        Names same = *from;

        atomic_fetch_add(&from->users->count, 1);
        leave_arrays(to);
        same.frozen = to->frozen;
        *to = same;
        return OK;
    }
    for (uint32_t column = 0; column < from->count; column++) {
        uint32_t same;

        TRY(clv_names_add(to, from->text.data + from->offset[column],
                          clv_names_length(from, column), &same, error));
    }
    return OK;
}

const char *clv_names_get(const Names *names, uint32_t column, char buffer[24])
{
    char digits[NUMBER_SIZE];

    if (!names->implicit && column < names->count)
        return names->text.data + names->offset[column];
    clv_format_unsigned(digits, (uint64_t)column + names->first);
    memcpy(buffer, digits, strlen(digits) + 1);
    return buffer;
}

bool clv_names_are_numbers(const Names *names)
{
    enum { MOST_DIGITS = 10 };

    for (uint32_t i = 0; !names->implicit && i < names->count; i++) {
        const char *name = names->text.data + names->offset[i],
                   *last = i ? names->text.data + names->offset[i - 1] : "";
        size_t length = strlen(name), shorter = strlen(last);

        if (length == 0 || length > MOST_DIGITS || length != clv_names_length(names, i) ||
            strspn(name, "0123456789") != length || (name[0] == '0' && length > 1))
            return false;
        if (shorter > length || (shorter == length && strcmp(last, name) >= 0))
            return false;
    }
    return !names->implicit;
}

bool clv_names_same(const Names *a, const Names *b)
{
    if (a->implicit || b->implicit)
        return a->implicit && b->implicit && a->first == b->first;
    return a->count == b->count && a->text.size == b->text.size &&
           (a->text.size == 0 || memcmp(a->text.data, b->text.data, a->text.size) == 0);
}
