/* The parts of a cleave_crowd. */
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
    cleave_options *kept; /* the texts of the options */
    CrowdOptions options;
    Answers answers;
    LabelModel model;
    const char **labels;
    double *accuracy;
    uint64_t *count; /* answers of each worker */
    uint32_t *workers, *uncertain;
};

/* Opens a table whose rows belong to tasks, by the column named like the task column. label: see
 * clv_keyed_open. */
Status clv_crowd_open(const cleave_crowd *crowd, const char *path, const char *label,
                      KeyedRows *rows, cleave_error *error);
/* The task of each value of the key of such rows, from number `from` on; NO_COLUMN: none. Extends
 * *tasks, of *capacity, to the values known. */
Status clv_crowd_match(const cleave_crowd *crowd, const KeyedRows *rows, uint32_t from,
                       uint32_t **tasks, size_t *capacity, cleave_error *error);

#endif
