/*
 * Labels: what classes are called. Labels that are numbers are equal when their values are (+1 = 1 = 1.0); each is
 * printed as it was first seen. A label's number is its place in order of first appearance.
 */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "base/hash_table.h"

typedef struct {
    char *text;
    double number;       /* NaN unless the text is a number */
    uint64_t count;      /* rows */
    uint64_t first_line; /* where it was first seen, 0 when not known */
    uint32_t first_file;
} Label;

typedef struct {
    Context *context;
    Label *list;
    uint32_t count;
    size_t capacity;
    HashTable table;
    bool all_numbers;
    uint64_t unlabelled; /* rows without a label, and where the first is; line 0 when not known */
    uint64_t first_unlabelled_line;
    uint32_t first_unlabelled_file;
} Labels;

void clv_labels_init(Labels *labels, Context *context);
void clv_labels_free(Labels *labels);
Status clv_labels_copy(Labels *to, const Labels *from, cleave_error *error);

/* UNLABELLED when there is none. */
uint32_t clv_labels_find(const Labels *labels, const char *text, size_t length);
Status clv_labels_add(Labels *labels, const char *text, size_t length, uint32_t *number, cleave_error *error);

/* Of two classes, the positive one: wanted (may be NULL) by text, else the larger number, else the second seen. */
Status clv_labels_positive(const Labels *labels, const char *wanted, uint32_t *positive, cleave_error *error);

/* Whether so many different ones in so many rows look like numbers to be learned, and not like names of classes. */
bool clv_labels_look_like_numbers(const Labels *labels, uint64_t rows);

#endif
