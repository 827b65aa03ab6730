/*
 * Categories that do not occur in the training rows: their columns, and the number of evaluated or
 * predicted rows with them. A warning names each column with mostly unseen values.
 */
#ifndef DATA_UNSEEN_H
#define DATA_UNSEEN_H

#include "data/dataset.h"

enum { MOST_UNSEEN = 64 };

typedef struct {
    uint32_t count;
    /* names of the columns, in a schema that outlives this struct */
    const char *column[MOST_UNSEEN];
    uint64_t rows[MOST_UNSEEN]; /* number of rows with an unseen value in that column */
} UnseenColumns;

/* Returns the number of a column, which is added if it is new; MOST_UNSEEN: there are too many. */
uint32_t clv_unseen_number(UnseenColumns *unseen, const char *name);
/* Warns about each column with an unseen value in more than half of the rows. kind: "rows" or
 * "held-out rows". */
void clv_unseen_warn(const UnseenColumns *unseen, uint64_t rows, const char *kind,
                     Context *context);

/* Returns the categorical column of a feature `column=value`; NULL: it is not categorical, or the
 * value is missing (`column=?`). */
const char *clv_category_column(const Schema *schema, const char *feature);

/* Counts by groups of rows, such as the training rows and the held-out rows, or the folds. */
typedef struct {
    Context *context;
    const Dataset *dataset;
    bool ordered;  /* the model of a group is trained on the groups below it, otherwise on all
                     * other groups */
    uint64_t rows; /* number of rows that are evaluated */
    /* number of features; 0: there are no categories, and rows are not examined */
    size_t columns;
    uint32_t *group;     /* lowest group with each feature, or its only group */
    uint64_t *count;     /* number of rows of that group, by feature */
    const char **column; /* column of each feature; see clv_category_column */
} UnseenGroups;

Status clv_unseen_groups_begin(UnseenGroups *groups, const Dataset *dataset, bool ordered,
                               cleave_error *error);
void clv_unseen_groups_add(UnseenGroups *groups, const Block *block, uint32_t row, uint32_t group);
/* Warns, and frees the memory of clv_unseen_groups_begin. */
void clv_unseen_groups_end(UnseenGroups *groups);
void clv_unseen_groups_free(UnseenGroups *groups);

#endif
