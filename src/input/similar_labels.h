/*
 * Labels that are most likely one class: they are equal without regard to letter case, blanks at
 * both ends and punctuation at the end ("Spam", "SPAM " and "spam."), or equal as numbers.
 */
#ifndef INPUT_SIMILAR_LABELS_H
#define INPUT_SIMILAR_LABELS_H

#include "data/labels.h"

/* The first label after the `known` first ones that is similar to one of those, and to which;
 * UNLABELED: there is none. */
Status clv_labels_similar(const Labels *labels, uint32_t known, uint32_t *similar, uint32_t *to, cleave_error *error);

enum { TRIM_SIZE = 16 };
/* The characters that --trim-labels must remove from the label to make it equal to the class; false: that does not help. */
bool clv_label_trim(const char *label, const char *class, char trim[TRIM_SIZE]);

#endif
