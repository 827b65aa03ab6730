#include "data/names.h"

#include "base/hash.h"
#include "base/number.h"

#define MOST_NAMES 2147483646u /* columns stay below MOST_FEATURES */

void clv_names_init(Names *names, Context *context, bool implicit)
{
    *names = (Names){.context = context, .implicit = implicit, .first = 1};
}

void clv_names_free(Names *names)
{
    Context *context = names->context;

    clv_free(context, names->text.data);
    clv_free(context, names->offset);
    clv_free(context, names->slot);
    clv_free(context, names->tag);
    clv_names_init(names, context, names->implicit);
}

size_t clv_names_length(const Names *names, uint32_t column)
{
    size_t end = column + 1 < names->count ? names->offset[column + 1] : names->text.size;

    return end - names->offset[column] - 1;
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* The slot that holds the name, or the free one where it belongs. The tag spares most comparisons. */
static size_t probe(const Names *names, const char *text, size_t length, uint64_t hash)
{
    size_t slot = hash & (names->slots - 1);

    for (;; slot = (slot + 1) & (names->slots - 1)) {
        uint32_t entry = names->slot[slot];

        if (entry == 0)
            return slot;
        if (names->tag[slot] == tag_of(hash) && clv_names_length(names, entry - 1) == length &&
            memcmp(names->text.data + names->offset[entry - 1], text, length) == 0)
            return slot;
    }
}

static Status rehash(Names *names, cleave_error *error)
{
    size_t old_slots = names->slots, slots = old_slots ? 2 * old_slots : 64;
    uint32_t *slot = clv_alloc_zero(names->context, slots, sizeof *slot);
    uint32_t *tag = clv_alloc(names->context, slots, sizeof *tag);

    if (!slot || !tag) {
        clv_free(names->context, slot);
        clv_free(names->context, tag);
        return clv_fail_memory(error, "names of features", slots * (sizeof *slot + sizeof *tag));
    }
    clv_free(names->context, names->slot);
    clv_free(names->context, names->tag);
    names->slot = slot;
    names->tag = tag;
    names->slots = slots;
    for (uint32_t column = 0; column < names->count; column++) {
        const char *text = names->text.data + names->offset[column];
        size_t length = clv_names_length(names, column);
        uint64_t hash = clv_hash(text, length, 0);
        size_t at = probe(names, text, length, hash);

        slot[at] = column + 1;
        tag[at] = tag_of(hash);
    }
    return OK;
}

/* Implicit names are numbers without signs or leading zeros. */
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
    return number >= names->first && number < UINT32_MAX ? (uint32_t)(number - names->first) : NO_COLUMN;
}

uint32_t clv_names_find(const Names *names, const char *text, size_t length)
{
    uint32_t entry;

    if (names->implicit)
        return implicit_column(names, text, length);
    if (names->slots == 0)
        return NO_COLUMN;
    entry = names->slot[probe(names, text, length, clv_hash(text, length, 0))];
    return entry ? entry - 1 : NO_COLUMN;
}

Status clv_names_find_or_other(const Names *names, const char *text, size_t length, Buffer *room, uint32_t *column,
                               cleave_error *error)
{
    *column = clv_names_find(names, text, length);
    for (size_t i = length; i-- > 0 && *column == NO_COLUMN && !names->implicit;) {
        if (text[i] != '=')
            continue;
        room->size = 0;
        TRY(clv_buffer_add(names->context, room, text, i + 1, error));
        TRY(clv_buffer_add(names->context, room, VALUE_OTHER, strlen(VALUE_OTHER), error));
        *column = clv_names_find(names, room->data, room->size);
    }
    return OK;
}

Status clv_names_add(Names *names, const char *text, size_t length, uint32_t *column, cleave_error *error)
{
    return clv_names_add_hashed(names, text, length, clv_hash(text, length, 0), column, error);
}

Status clv_names_add_hashed(Names *names, const char *text, size_t length, uint64_t hash, uint32_t *column,
                            cleave_error *error)
{
    size_t slot;

    if (!names->frozen && 2 * ((size_t)names->count + 1) > names->slots)
        TRY(rehash(names, error));
    if (names->slots == 0) {
        *column = NO_COLUMN;
        return OK;
    }
    slot = probe(names, text, length, hash);
    if (names->slot[slot] || names->frozen) {
        *column = names->slot[slot] ? names->slot[slot] - 1 : NO_COLUMN;
        return OK;
    }
    if (names->count == MOST_NAMES)
        return clv_fail(error, CLEAVE_ERROR_DATA, "more than %u different features", MOST_NAMES);
    TRY(GROW(names->context, names->offset, names->offset_capacity, names->count + 1, error));
    TRY(GROW(names->context, names->text.data, names->text.capacity, names->text.size + length + 1, error));
    names->offset[names->count] = names->text.size;
    if (length)
        memcpy(names->text.data + names->text.size, text, length);
    names->text.data[names->text.size + length] = '\0';
    names->text.size += length + 1;
    *column = names->count++;
    names->slot[slot] = names->count;
    names->tag[slot] = tag_of(hash);
    return OK;
}

Status clv_names_copy(Names *to, const Names *from, cleave_error *error)
{
    to->implicit = from->implicit;
    to->first = from->first;
    for (uint32_t column = 0; column < from->count; column++) {
        uint32_t same;

        TRY(clv_names_add(to, from->text.data + from->offset[column], clv_names_length(from, column), &same, error));
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
