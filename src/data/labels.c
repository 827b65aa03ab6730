#include "data/labels.h"

#include "base/number.h"
#include "data/block.h"

#include <math.h>

void clv_labels_init(Labels *labels, Context *context)
{
    *labels = (Labels){.context = context, .all_numbers = true};
}

void clv_labels_free(Labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        clv_free(labels->context, labels->list[i].text);
    clv_free(labels->context, labels->list);
    clv_hash_table_free(labels->context, &labels->table);
    clv_labels_init(labels, labels->context);
}

/* The value of a label that is a number to its end; NaN otherwise. */
static double number_of(const char *text, size_t length)
{
    const char *stop;
    double number;

    if (length && clv_parse_double(text, text + length, &number, &stop) && stop == text + length)
        return number == 0 ? 0 : number; /* -0 is 0 */
    return NAN;
}

typedef struct {
    const char *text;
    size_t length;
    double number;
} Wanted;

static uint64_t hash_label(const Labels *labels, const Wanted *wanted)
{
    HashKey key = labels->context->hash_key;

    return isnan(wanted->number) ? clv_keyed_hash(key, wanted->text, wanted->length, 1)
                                 : clv_keyed_hash(key, &wanted->number, sizeof wanted->number, 2);
}

/* From here on a double stands for several integers. */
#define FIRST_INEXACT 0x1p53

/* Numbers are the same whatever their spelling (1, +1, 1.0), unless they are too large to be told apart by value. */
static bool same_label(const void *owner, const void *wanted, uint32_t entry)
{
    const Label *label = &((const Labels *)owner)->list[entry];
    const Wanted *other = wanted;

    if (!isnan(other->number) || !isnan(label->number))
        if (other->number != label->number || fabs(other->number) < FIRST_INEXACT)
            return other->number == label->number;
    return strlen(label->text) == other->length && memcmp(label->text, other->text, other->length) == 0;
}

uint32_t clv_labels_find(const Labels *labels, const char *text, size_t length)
{
    Wanted wanted = {text, length, number_of(text, length)};
    uint32_t entry;

    if (labels->table.slots == 0)
        return UNLABELLED;
    entry = hash_table_find(&labels->table, hash_label(labels, &wanted), same_label, labels, &wanted)->entry;
    return entry ? entry - 1 : UNLABELLED;
}

Status clv_labels_add(Labels *labels, const char *text, size_t length, uint32_t *number, cleave_error *error)
{
    Wanted wanted = {text, length, number_of(text, length)};
    uint64_t hash = hash_label(labels, &wanted);
    HashSlot *slot;
    char *copy;

    TRY(clv_hash_table_reserve(labels->context, &labels->table, labels->count, "labels", error));
    slot = hash_table_find(&labels->table, hash, same_label, labels, &wanted);
    if (slot->entry) {
        *number = slot->entry - 1;
        return OK;
    }
    TRY(GROW(labels->context, labels->list, labels->capacity, labels->count + 1, error));
    copy = clv_copy_string(labels->context, text, length);
    if (!copy)
        return clv_fail_memory(error, "a label", length);
    labels->list[labels->count] = (Label){.text = copy, .number = wanted.number};
    labels->all_numbers = labels->all_numbers && !isnan(wanted.number);
    *number = labels->count++;
    hash_table_fill(slot, hash, *number);
    return OK;
}

Status clv_labels_copy(Labels *to, const Labels *from, cleave_error *error)
{
    to->unlabelled = from->unlabelled;
    to->first_unlabelled_line = from->first_unlabelled_line;
    to->first_unlabelled_file = from->first_unlabelled_file;
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t number;

        TRY(clv_labels_add(to, from->list[i].text, strlen(from->list[i].text), &number, error));
        to->list[number].count = from->list[i].count;
        to->list[number].first_line = from->list[i].first_line;
        to->list[number].first_file = from->list[i].first_file;
    }
    return OK;
}

Status clv_labels_positive(const Labels *labels, const char *wanted, uint32_t *positive, cleave_error *error)
{
    if (wanted) {
        char quoted[QUOTE_SIZE];

        *positive = clv_labels_find(labels, wanted, strlen(wanted));
        if (*positive != UNLABELLED)
            return OK;
        clv_fail(error, CLEAVE_ERROR_USAGE, "--positive: no label '%s' in the data",
                 clv_quote(quoted, wanted, strlen(wanted)));
        if (labels->count >= 2)
            clv_hint(error, CLEAVE_ERROR_USAGE, "the labels are '%s' and '%s'", labels->list[0].text,
                     labels->list[1].text);
        return CLEAVE_ERROR_USAGE;
    }
    *positive = labels->count > 1 ? 1 : 0;
    if (labels->count == 2 && labels->all_numbers && labels->list[0].number > labels->list[1].number)
        *positive = 0;
    return OK;
}

bool clv_labels_look_like_numbers(const Labels *labels, uint64_t rows)
{
    return labels->all_numbers && labels->count > 20 && labels->count > rows / 20;
}
