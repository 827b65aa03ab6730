/*
 * Labels: the names of classes. Labels are text and are compared as text: 02134 and 2134 are two
 * classes. In LIBSVM files labels are numbers. There a sign + and zeros at the end of a fraction
 * are ignored: +1, 1 and 1.0 are one class. Each class is printed as it first appeared. The number
 * of a label is its position in order of first appearance.
 */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "base/hash_table.h"

typedef struct {
    char *text;
    double number;       /* value of a text that is a number; otherwise NaN */
    uint64_t count;      /* number of rows with the label */
    uint64_t first_line; /* position of the first row with the label; 0 if unknown */
    uint32_t first_file;
} Label;

typedef struct {
    Context *context;
    Label *list;
    uint32_t count;
    size_t capacity;
    HashTable table;
    bool all_numbers;
    /* at least one label is from a LIBSVM file: all are compared as in LIBSVM files */
    bool from_libsvm;
    /* The first two labels of one class whose text differs in more than a sign +; NULL: none. */
    char *merged[2];
    /* number of rows without a label; position of the first such row, where line 0 means unknown */
    uint64_t unlabeled;
    uint64_t first_unlabeled_line;
    uint32_t first_unlabeled_file;
} Labels;

void clv_labels_init(Labels *labels, Context *context);
void clv_labels_free(Labels *labels);
/* Appends those labels of `from` that `to` lacks. `to` is empty or begins with the same labels. */
Status clv_labels_copy(Labels *to, const Labels *from, cleave_error *error);
/* Resets the counts of rows, and keeps the labels. */
void clv_labels_reset(Labels *labels);
/* Called before labels of one set are added to another. Comparison then uses the rules of both
 * sets. */
Status clv_labels_join(Labels *to, const Labels *from, cleave_error *error);

/* Returns whether two labels are the same class. */
bool clv_labels_alike(const char *a, size_t a_length, const char *b, size_t b_length,
                      bool from_libsvm);

/* Returns the number of a label, or UNLABELED if it does not exist. */
uint32_t clv_labels_find(const Labels *labels, const char *text, size_t length);
Status clv_labels_add(Labels *labels, const char *text, size_t length, uint32_t *number,
                      cleave_error *error);

/* Notes labels that are equal as numbers but different classes, and labels with different text in
 * the same class. Labels below `known` are those of a model: a warning lists further labels that
 * equal one of them. known 0: there is no model. */
void clv_labels_note(const Labels *labels, uint32_t known);
/* Writes only the second note. */
void clv_labels_note_merged(const Labels *labels);
/* Returns the first new label that equals a known label as a number, or UNLABELED. *of is the known
 * label. The first `known` labels are the known ones. */
uint32_t clv_labels_twin(const Labels *labels, uint32_t known, uint32_t *of);

/* The number of the positive class of two: the label that is the larger number, otherwise the
 * second label. */
uint32_t clv_labels_larger(const Labels *labels);

/* Selects the positive class of two: the label `wanted`, which may be NULL; otherwise the larger
 * number, or the second label. */
Status clv_labels_positive(const Labels *labels, const char *wanted, uint32_t *positive,
                           cleave_error *error);

/* Returns whether the labels of `rows` rows look like regression targets rather than
 * classes. */
bool clv_labels_look_like_numbers(const Labels *labels, uint64_t rows);

#endif
