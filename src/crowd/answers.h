/* The answers of workers to tasks, read from a table and sorted by task. */
#ifndef CROWD_ANSWERS_H
#define CROWD_ANSWERS_H

#include "crowd/keyed_rows.h"

enum { KEY_TASK, KEY_WORKER };

typedef struct {
    Context *context;
    KeyedRows rows; /* owns the names of tasks, workers and labels */
    uint32_t tasks, workers, labels;
    uint64_t count;     /* answers: one per pair of task and worker */
    uint64_t unlabeled; /* number of rows without a label, which are skipped */
    /* number of answers that were replaced by a later answer of the same worker to the same task */
    uint64_t repeated;
    uint64_t *start; /* start of each task in the two arrays below; the last element is their
                         * length */
    uint32_t *worker, *label;
} Answers;

/* Reads the files. Tasks, workers and labels are numbered in the order of first appearance.
 * `column` has the names or numbers (from 1) of the task column and the worker column. `reading`
 * may be NULL. The caller frees the answers, also after a failure. */
Status clv_answers_read(Context *context, const char *const *paths, size_t count,
                        const cleave_options *reading, const char *const column[MOST_KEYS],
                        Answers *answers, cleave_error *error);
void clv_answers_free(Answers *answers);

/* Krippendorff's alpha for nominal data (Krippendorff 2011): one minus the ratio of observed to
 * expected disagreement of pairs of answers to the same task. The value is NaN if no task has two
 * answers or if all answers are equal. */
Status clv_answers_agreement(const Answers *answers, double *alpha, cleave_error *error);

#endif
