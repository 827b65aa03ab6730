/* Labels that arrive after their rows: rows of a stream without a label are kept until a file names
 * their label. A line of the file is the id of a row, a tab or comma, and the label. The id is the
 * name of the row where rows have names, otherwise its number in the input, from 1. */
#ifndef TRAIN_LATE_LABELS_H
#define TRAIN_LATE_LABELS_H

#include "data/block.h"
#include "data/names.h"

typedef struct {
    size_t start, entries; /* into column and value */
    uint64_t number;       /* of the row, from 0 */
    uint32_t predicted;    /* its predicted class when it arrived; UNLABELED: none */
    bool labeled;
} LateRow;

typedef struct {
    Context *context;
    const char *path; /* NULL: unlabeled rows are not kept */
    Names ids;
    LateRow *row; /* by number of its id */
    uint32_t *column;
    float *value;
    size_t count, row_capacity, entries, column_capacity, value_capacity;
    uint64_t read, line; /* bytes and lines of the file that were read */
    uint64_t unknown;    /* lines whose id names no kept row */
} LateLabels;

void clv_late_init(LateLabels *late, Context *context, const char *path);
void clv_late_free(LateLabels *late);
/* Keeps the only row of the view. A later row with the same id replaces an earlier one. */
Status clv_late_keep(LateLabels *late, const Block *view, const char *id, size_t length,
                     uint32_t predicted, cleave_error *error);

/* Called for each new label of a kept row, in the order of the file. */
typedef Status (*LateLabel)(void *user, LateRow *row, const char *label, size_t length);
/* Reads the lines that the file has gained; ended: also a last line without its newline. */
Status clv_late_read(LateLabels *late, bool ended, LateLabel take, void *user, cleave_error *error);

#endif
