#include "data/labels.h"

#include "base/number.h"
#include "data/block.h"

#include <math.h>
#include <stdio.h>

void clv_labels_init(Labels *labels, Context *context)
{
    *labels = (Labels){.context = context, .all_numbers = true};
}

void clv_labels_free(Labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++)
        clv_free(labels->context, labels->list[i].text);
    FREE(labels->context, labels->list, labels->merged[0], labels->merged[1]);
    clv_hash_table_free(labels->context, &labels->table);
    clv_labels_init(labels, labels->context);
}

/* Returns the value of a label that is entirely a number; NaN otherwise. */
static double number_of(const char *text, size_t length)
{
    const char *stop;
    double number;

    if (length && clv_parse_double(text, text + length, &number, &stop) && stop == text + length)
        return number == 0 ? 0 : number; /* turns -0 into 0 */
    return NAN;
}

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct {
    const char *text;
    size_t length;
} Text;

static bool same_text(Text a, Text b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

/* Removes the sign + of a number without exponent. */
static Text without_sign(Text label)
{
    return label.length > 1 && label.text[0] == '+' && is_digit(label.text[1])
               ? (Text){label.text + 1, label.length - 1}
               : label;
}

/* The form in which labels of LIBSVM files are compared: numbers without exponent lose a sign + and
 * the zeros at the end of their fraction. */
static Text plain_number(Text label)
{
    Text plain = without_sign(label);
    size_t at = plain.length > 0 && plain.text[0] == '-', whole = at, end = plain.length;

    while (at < plain.length && is_digit(plain.text[at]))
        at++;
    if (at == whole || at == plain.length || plain.text[at] != '.')
        return at > whole && at == plain.length ? plain : label;
    for (whole = at++; at < plain.length && is_digit(plain.text[at]);)
        at++;
    if (at < plain.length)
        return label;
    while (plain.text[end - 1] == '0')
        end--;
    return (Text){plain.text, end - 1 == whole ? whole : end};
}

bool clv_labels_alike(const char *a, size_t a_length, const char *b, size_t b_length,
                      bool from_libsvm)
{
    Text one = {a, a_length}, other = {b, b_length};

    return same_text(one, other) ||
           (from_libsvm && same_text(plain_number(one), plain_number(other)));
}

static Text text_of(const Label *label)
{
    return (Text){label->text, strlen(label->text)};
}

/* The hash of a label. Labels that are equal in a LIBSVM file have the same hash in every set,
 * because sets of both kinds are compared. */
static uint64_t hash_label(const Labels *labels, Text label)
{
    Text plain = plain_number(label);

    return clv_keyed_hash(labels->context->hash_key, plain.text, plain.length, 0);
}

/* Returns the slot with the label, or a free slot for it. Equal text takes precedence over equal
 * numbers. */
static HashSlot *find_slot(const Labels *labels, Text wanted, uint64_t hash, bool from_libsvm)
{
    const HashTable *table = &labels->table;
    HashSlot *slot, *alike = NULL;

    for (size_t at = (size_t)hash;; at++) {
        slot = &table->slot[at & (table->slots - 1)];
        if (slot->entry == 0)
            return alike ? alike : slot;
        if (slot->tag != (uint32_t)hash)
            continue;
        if (same_text(text_of(&labels->list[slot->entry - 1]), wanted))
            return slot;
        if (from_libsvm && (!alike || slot->entry < alike->entry) &&
            same_text(plain_number(text_of(&labels->list[slot->entry - 1])), plain_number(wanted)))
            alike = slot;
    }
}

uint32_t clv_labels_find(const Labels *labels, const char *text, size_t length)
{
    Text wanted = {text, length};
    uint32_t entry;

    if (labels->table.slots == 0)
        return UNLABELED;
    entry = find_slot(labels, wanted, hash_label(labels, wanted), labels->from_libsvm)->entry;
    return entry ? entry - 1 : UNLABELED;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static Status keep_merged(Labels *labels, Text one, Text other, cleave_error *error)
{
    if (labels->merged[0])
        return OK;
    labels->merged[1] = clv_copy_string(labels->context, other.text, other.length);
    labels->merged[0] = labels->merged[1] ? clv_copy_string(labels->context, one.text, one.length)
                                          : NULL;
    return labels->merged[0] ? OK : clv_fail_memory(error, "a label", one.length + other.length);
}

static Status add(Labels *labels, Text label, bool from_libsvm, uint32_t *number,
                  cleave_error *error)
{
    uint64_t hash = hash_label(labels, label);
    double value;
    HashSlot *slot;
    char *copy;

    TRY(clv_hash_table_reserve(labels->context, &labels->table, labels->count, "labels", error));
    slot = find_slot(labels, label, hash, from_libsvm);
    if (slot->entry) {
        Text known = text_of(&labels->list[slot->entry - 1]);

        *number = slot->entry - 1;
        return same_text(without_sign(known), without_sign(label))
                   ? OK
                   : keep_merged(labels, known, label, error);
    }
    TRY(GROW(labels->context, labels->list, labels->capacity, labels->count + 1, error));
    copy = clv_copy_string(labels->context, label.text, label.length);
    if (!copy)
        return clv_fail_memory(error, "a label", label.length);
    value = number_of(label.text, label.length);
    labels->list[labels->count] = (Label){.text = copy, .number = value};
    labels->all_numbers = labels->all_numbers && !isnan(value);
    *number = labels->count++;
    hash_table_fill(slot, hash, *number);
    return OK;
}

Status clv_labels_add(Labels *labels, const char *text, size_t length, uint32_t *number,
                      cleave_error *error)
{
    return add(labels, (Text){text, length}, labels->from_libsvm, number, error);
}

Status clv_labels_join(Labels *to, const Labels *from, cleave_error *error)
{
    to->from_libsvm = to->from_libsvm || from->from_libsvm;
    if (!from->merged[0])
        return OK;
    return keep_merged(to, (Text){from->merged[0], strlen(from->merged[0])},
                       (Text){from->merged[1], strlen(from->merged[1])}, error);
}

Status clv_labels_copy(Labels *to, const Labels *from, cleave_error *error)
{
    to->unlabeled = from->unlabeled;
    to->first_unlabeled_line = from->first_unlabeled_line;
    to->first_unlabeled_file = from->first_unlabeled_file;
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t number;

        if (i == to->count)
            TRY(add(to, text_of(&from->list[i]), false, &number, error));
        to->list[i].count = from->list[i].count;
        to->list[i].first_line = from->list[i].first_line;
        to->list[i].first_file = from->list[i].first_file;
    }
    return clv_labels_join(to, from, error);
}

void clv_labels_reset(Labels *labels)
{
    labels->unlabeled = labels->first_unlabeled_line = labels->first_unlabeled_file = 0;
    for (uint32_t i = 0; i < labels->count; i++)
        labels->list[i] = (Label){.text = labels->list[i].text, .number = labels->list[i].number};
    for (int i = 0; i < 2; i++) {
        clv_free(labels->context, labels->merged[i]);
        labels->merged[i] = NULL;
    }
}

/* ---- notes and warnings ---------------------------------------------------------------------- */

static int compare(const Label *a, const Label *b)
{
    return clv_compare_numbers(a->text, strlen(a->text), b->text, strlen(b->text));
}

static bool same_number(const void *owner, const void *wanted, uint32_t entry)
{
    return compare(wanted, &((const Labels *)owner)->list[entry]) == 0;
}

/* Counts the labels that are equal as numbers to an earlier label. Returns the first such pair in
 * first and second. Returns 0 if memory is exhausted. */
static uint32_t count_twins(const Labels *labels, uint32_t known, uint32_t *first, uint32_t *second)
{
    HashTable table = {0};
    uint32_t twins = 0, filled = 0, last = known ? known : labels->count;
    cleave_error none;

    for (uint32_t i = 0; i < labels->count; i++) {
        const Label *label = &labels->list[i];
        uint64_t hash = clv_keyed_hash(labels->context->hash_key, &label->number,
                                       sizeof label->number, 0);
        HashSlot *slot;

        if (isnan(label->number))
            continue;
        if (clv_hash_table_reserve(labels->context, &table, filled, "labels", &none) != OK)
            break;
        slot = hash_table_find(&table, hash, same_number, labels, label);
        if (slot->entry && (known == 0 || i >= known) && twins++ == 0) {
            *first = slot->entry - 1;
            *second = i;
        } else if (!slot->entry && i < last) {
            hash_table_fill(slot, hash, i);
            filled++;
        }
    }
    clv_hash_table_free(labels->context, &table);
    return twins;
}

uint32_t clv_labels_twin(const Labels *labels, uint32_t known, uint32_t *of)
{
    uint32_t twin;

    return known > 0 && count_twins(labels, known, of, &twin) > 0 ? twin : UNLABELED;
}

void clv_labels_note_merged(const Labels *labels)
{
    char one[QUOTE_SIZE], other[QUOTE_SIZE];

    if (labels->merged[0])
        clv_note(
            labels->context,
            "the labels '%s' and '%s' are the same class: in LIBSVM files a leading + and trailing "
            "zeros of a fraction are ignored",
            clv_quote(one, labels->merged[0], strlen(labels->merged[0])),
            clv_quote(other, labels->merged[1], strlen(labels->merged[1])));
}

void clv_labels_note(const Labels *labels, uint32_t known)
{
    char one[QUOTE_SIZE], other[QUOTE_SIZE], more[48] = "";
    uint32_t first, second, twins = count_twins(labels, known, &first, &second);

    clv_labels_note_merged(labels);
    if (twins == 0)
        return;
    if (twins > 1)
        snprintf(more, sizeof more, " (and %u more such label%s)", twins - 1,
                 twins == 2 ? "" : "s");
    clv_quote(one, labels->list[first].text, strlen(labels->list[first].text));
    clv_quote(other, labels->list[second].text, strlen(labels->list[second].text));
    if (known)
        clv_warn(labels->context, NULL,
                 "the label '%s' is not a class of the model: labels are compared as text, and the "
                 "class with this value is written '%s'%s",
                 other, one, more);
    else
        clv_note(labels->context,
                 "the labels '%s' and '%s' are equal as numbers but different classes, because "
                 "labels are "
                 "compared as text%s; write them the same way to merge the classes",
                 one, other, more);
}

uint32_t clv_labels_larger(const Labels *labels)
{
    const Label *list = labels->list;

    return isnan(list[0].number) || isnan(list[1].number) || compare(&list[0], &list[1]) <= 0 ? 1
                                                                                              : 0;
}

Status clv_labels_positive(const Labels *labels, const char *wanted, uint32_t *positive,
                           cleave_error *error)
{
    if (wanted) {
        char quoted[QUOTE_SIZE];

        *positive = clv_labels_find(labels, wanted, strlen(wanted));
        if (*positive != UNLABELED)
            return OK;
        clv_fail(error, CLEAVE_ERROR_USAGE, "--positive: no row has the label '%s'",
                 clv_quote(quoted, wanted, strlen(wanted)));
        if (labels->count >= 2)
            clv_hint(error, CLEAVE_ERROR_USAGE, "the labels are '%s' and '%s'",
                     labels->list[0].text, labels->list[1].text);
        return CLEAVE_ERROR_USAGE;
    }
    *positive = labels->count == 2 ? clv_labels_larger(labels) : labels->count > 1;
    return OK;
}

bool clv_labels_look_like_numbers(const Labels *labels, uint64_t rows)
{
    return labels->all_numbers && labels->count > 20 && labels->count > rows / 20;
}
