/*
 * Labels: what classes are called. They are text and compared as text: 02134 and 2134 are two classes. In LIBSVM files labels are
 * numbers, and the common ways to write one are one class: a sign + and zeros at the end of a fraction do not count (+1, 1, 1.0). Each
 * is printed as it was first seen. A label's number is its place in order of first appearance.
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
    bool from_libsvm;    /* some are: labels to be found or added are compared as those of LIBSVM files */
    char *merged[2];     /* the first two that are one class and not the same text, a sign + aside; NULL: none */
    uint64_t unlabelled; /* rows without a label, and where the first is; line 0 when not known */
    uint64_t first_unlabelled_line;
    uint32_t first_unlabelled_file;
} Labels;

void clv_labels_init(Labels *labels, Context *context);
void clv_labels_free(Labels *labels);
/* Brings `to`, which is empty or begins as `from` does, up to it. */
Status clv_labels_copy(Labels *to, const Labels *from, cleave_error *error);
/* As if no row had been seen: the labels stay. */
void clv_labels_reset(Labels *labels);
/* Before labels of one set are added to another that has its own: they are compared as both sets want it. */
Status clv_labels_join(Labels *to, const Labels *from, cleave_error *error);

/* Whether two labels are one class. */
bool clv_labels_alike(const char *a, size_t a_length, const char *b, size_t b_length, bool from_libsvm);

/* UNLABELLED when there is none. */
uint32_t clv_labels_find(const Labels *labels, const char *text, size_t length);
Status clv_labels_add(Labels *labels, const char *text, size_t length, uint32_t *number, cleave_error *error);

/* Notes labels that are equal as numbers and two classes, and those that are one class though not the same text. known: labels below
 * it are those of a model, and a warning is about others that equal one of them; 0: there is no model. */
void clv_labels_note(const Labels *labels, uint32_t known);

/* Whether the second of two classes is the positive one, or the first, which is the larger number. */
uint32_t clv_labels_larger(const Labels *labels);

/* Of two classes, the positive one: wanted (may be NULL) by text, else the larger number, else the second seen. */
Status clv_labels_positive(const Labels *labels, const char *wanted, uint32_t *positive, cleave_error *error);

/* Whether so many different ones in so many rows look like numbers to be learned, and not like names of classes. */
bool clv_labels_look_like_numbers(const Labels *labels, uint64_t rows);

#endif
