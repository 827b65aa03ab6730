#include "data/labels.h"

#include "base/hash.h"
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
    clv_free(labels->context, labels->slot);
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

static uint64_t hash_label(const char *text, size_t length, double number)
{
    return isnan(number) ? clv_hash(text, length, 1) : clv_hash(&number, sizeof number, 2);
}

/* From here on a double stands for several integers. */
#define FIRST_INEXACT 0x1p53

/* Numbers are the same whatever their spelling (1, +1, 1.0), unless they are too large to be told apart by value. */
static bool same_label(const Label *label, const char *text, size_t length, double number)
{
    if (!isnan(number) || !isnan(label->number))
        if (number != label->number || fabs(number) < FIRST_INEXACT)
            return number == label->number;
    return strlen(label->text) == length && memcmp(label->text, text, length) == 0;
}

/* The slot that holds the label, or the free one where it belongs. */
static size_t probe(const Labels *labels, const char *text, size_t length, double number)
{
    size_t slot = hash_label(text, length, number) & (labels->slots - 1);

    while (labels->slot[slot] && !same_label(&labels->list[labels->slot[slot] - 1], text, length, number))
        slot = (slot + 1) & (labels->slots - 1);
    return slot;
}

uint32_t clv_labels_find(const Labels *labels, const char *text, size_t length)
{
    uint32_t entry;

    if (labels->slots == 0)
        return UNLABELLED;
    entry = labels->slot[probe(labels, text, length, number_of(text, length))];
    return entry ? entry - 1 : UNLABELLED;
}

static Status rehash(Labels *labels, cleave_error *error)
{
    size_t slots = labels->slots ? 2 * labels->slots : 16;
    uint32_t *slot = clv_alloc_zero(labels->context, slots, sizeof *slot);

    if (!slot)
        return clv_fail_memory(error, "labels", slots * sizeof *slot);
    clv_free(labels->context, labels->slot);
    labels->slot = slot;
    labels->slots = slots;
    for (uint32_t i = 0; i < labels->count; i++) {
        const Label *label = &labels->list[i];

        slot[probe(labels, label->text, strlen(label->text), label->number)] = i + 1;
    }
    return OK;
}

Status clv_labels_add(Labels *labels, const char *text, size_t length, uint32_t *number, cleave_error *error)
{
    double value = number_of(text, length);
    size_t slot;
    char *copy;

    if (2 * ((size_t)labels->count + 1) > labels->slots)
        TRY(rehash(labels, error));
    slot = probe(labels, text, length, value);
    if (labels->slot[slot]) {
        *number = labels->slot[slot] - 1;
        return OK;
    }
    TRY(GROW(labels->context, labels->list, labels->capacity, labels->count + 1, error));
    copy = clv_copy_string(labels->context, text, length);
    if (!copy)
        return clv_fail_memory(error, "a label", length);
    labels->list[labels->count] = (Label){.text = copy, .number = value};
    labels->all_numbers = labels->all_numbers && !isnan(value);
    *number = labels->count++;
    labels->slot[slot] = labels->count;
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
