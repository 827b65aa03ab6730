/* The definition of cleave_crowd and its internal functions. */
#ifndef CROWD_CROWD_H
#define CROWD_CROWD_H

#include "crowd/label_model.h"

typedef struct {
    const char *task_column, *worker_column, *truth, *join;
    int method;
    EmOptions em;
    double confidence, spam_quality;
    int64_t spam_answers;
    bool every_label, csv_safe;
} CrowdOptions;

struct cleave_crowd {
    cleave_crowd_summary summary;
    Context *context;
    cleave_options *kept; /* owns the strings of the options */
    CrowdOptions options;
    Answers answers;
    LabelModel model;
    const char **labels;
    double *accuracy;
    uint64_t *count; /* number of answers of each worker */
    uint32_t *workers, *uncertain;
};

/* Opens a table whose rows belong to tasks. The key column has the name of the task column. For
 * `label`, see clv_keyed_open. */
Status clv_crowd_open(const cleave_crowd *crowd, const char *path, const char *label,
                      KeyedRows *rows, cleave_error *error);
/* Looks up the task of each key value of such rows, from number `from` on, and stores NO_COLUMN for
 * values that are not a task. Extends *tasks, which has *capacity elements, to all known values. */
Status clv_crowd_match(const cleave_crowd *crowd, const KeyedRows *rows, uint32_t from,
                       uint32_t **tasks, size_t *capacity, cleave_error *error);

#endif
