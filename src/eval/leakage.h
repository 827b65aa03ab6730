/*
 * Columns that tell the label all but alone: more often a leak (something that was written down after the label was known, or the label
 * itself under another name) than a discovery. For each column, and a sample of the rows, the error of the best rule of that column alone:
 * its values, or ranges of them, each with the class that most rows have there (1R; Holte 1993, "Very simple classification rules
 * perform well on most commonly used datasets"), or of numbers with their mean; each row judged by the others of its range, so
 * that a column whose values never come twice tells nothing. A target that is the sum of columns is named by them, "a + b".
 */
#ifndef EVAL_LEAKAGE_H
#define EVAL_LEAKAGE_H

#include "data/dataset.h"

typedef struct LeakFinder LeakFinder;

Status clv_leak_begin(Context *context, LeakFinder **finder, cleave_error *error);
/* Keeps some of the rows: which, hangs on their numbers alone. */
Status clv_leak_add(LeakFinder *finder, const Block *block, cleave_error *error);
void clv_leak_free(LeakFinder *finder); /* NULL is fine */

typedef struct {
    char name[QUOTE_SIZE];
    double error, majority; /* see cleave_suspect_column */
} Suspect;

enum { MOST_SUSPECTS = 8 };

/* Those whose error is surely (95 %) below a twentieth of that of the most frequent class, or of numbers, that explain all but a thousandth of
 * the variance; the smallest error first, MOST_SUSPECTS of them at the most. Labels, names and schema: of the rows that were added. */
Status clv_leak_find(LeakFinder *finder, const Labels *labels, const Names *names, const Schema *schema, bool numbers,
                     Suspect *suspects, size_t *count, cleave_error *error);

/* All of it, of a dataset. */
Status clv_leak_in_dataset(Dataset *dataset, bool numbers, Suspect *suspects, size_t *count, cleave_error *error);

#endif
