/*
 * Finds labels that are probably the same class: equal without regard to case, surrounding blanks
 * and final punctuation ("Spam", "SPAM " and "spam."), or equal as numbers.
 */
#ifndef INPUT_SIMILAR_LABELS_H
#define INPUT_SIMILAR_LABELS_H

#include "data/labels.h"

/* Finds the first label, after the first `known` ones, that is similar to one of these. Returns
 * UNLABELED if none is similar; otherwise *of is the similar label. */
Status clv_labels_similar(const Labels *labels, uint32_t known, uint32_t *similar, uint32_t *to,
                          cleave_error *error);

enum { TRIM_SIZE = 16 };
/* Returns the characters that --trim-labels must remove from the label to make it equal to the
 * class; false: impossible. */
bool clv_label_trim(const char *label, const char *class, char trim[TRIM_SIZE]);

#endif
