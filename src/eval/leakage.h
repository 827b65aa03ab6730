/* Finds columns that alone almost determine the label, which is often leakage. For each column,
 * and a sample of the rows, it computes the error of the best rule of that column: its values,
 * or ranges of them, each with its majority class (1R; Holte 1993, "Very simple classification
 * rules perform well on most commonly used datasets"), or for regression with its mean. Each row
 * is predicted from the other rows of its range, so that a column of unique values predicts
 * nothing. If the target is a sum or difference of columns, the result contains them as "a + b"
 * or "a - b". */
#ifndef EVAL_LEAKAGE_H
#define EVAL_LEAKAGE_H

#include "data/dataset.h"

typedef struct LeakFinder LeakFinder;

Status clv_leak_begin(Context *context, LeakFinder **finder, cleave_error *error);
/* Adds rows. A sample of them is kept, which depends only on the row numbers. */
Status clv_leak_add(LeakFinder *finder, const Block *block, cleave_error *error);
void clv_leak_free(LeakFinder *finder); /* accepts NULL */

typedef struct {
    char name[QUOTE_SIZE];
    double error, majority; /* see cleave_suspect_column */
    char message[2 * QUOTE_SIZE];
} Suspect;

#define LEAK_HINT "--columns NAME=ignore leaves out a column that is not known at prediction time"

enum { MOST_SUSPECTS = 8 };

/* Finds the columns whose error is significantly (95%) below a twentieth of the baseline error or,
 * in a regression, that explain all but a thousandth of the variance. At most MOST_SUSPECTS, the
 * smallest error first. labels, names and schema are those of the added rows. */
Status clv_leak_find(LeakFinder *finder, const Labels *labels, const Names *names,
                     const Schema *schema, bool numbers, Suspect *suspects, size_t *count,
                     cleave_error *error);

/* Finds such columns in a dataset. */
Status clv_leak_in_dataset(Dataset *dataset, bool numbers, Suspect *suspects, size_t *count,
                           cleave_error *error);
/* Logs a warning for each such column of a table; does nothing for other data. */
Status clv_leak_warn(Dataset *dataset, bool numbers, cleave_error *error);

#endif
