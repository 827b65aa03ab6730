/*
 * Finds labels that are probably the same class: equal without regard to case, surrounding blanks
 * and final punctuation ("Spam", "SPAM " and "spam."), or equal as numbers.
 */
#ifndef INPUT_SIMILAR_LABELS_H
#define INPUT_SIMILAR_LABELS_H

#include "data/labels.h"

/* Returns the first label after the `known` first ones that is similar to one of those, and that
 * one; UNLABELED: none. */
Status clv_labels_similar(const Labels *labels, uint32_t known, uint32_t *similar, uint32_t *to,
                          cleave_error *error);

enum { TRIM_SIZE = 16 };
/* Returns the characters that --trim-labels must remove from the label to make it equal to the
 * class; false: impossible. */
bool clv_label_trim(const char *label, const char *class, char trim[TRIM_SIZE]);

#endif
