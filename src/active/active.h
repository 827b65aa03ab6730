/* Active learning behind the public functions: a pool, a selection, the journal, and the text of
 * the rows. */
#ifndef ACTIVE_ACTIVE_H
#define ACTIVE_ACTIVE_H

#include "active/row_selection.h"
#include "select/journal.h"

extern const Param clv_active_params[];

/* Checks a method and the options of a run. Fills method, run and options; method_options has
 * space for the options of the method after the first call, and must be freed. */
typedef struct {
    const Method *method;
    void *method_options;
    RunOptions run;
    ActiveOptions options;
    cleave_options *kept[2]; /* copies of the options, which the structs point into */
} ActiveSetup;

Status clv_active_setup(Context *context, const char *method, const cleave_options *options,
                        const cleave_options *training, ActiveSetup *setup, cleave_error *error);
void clv_active_setup_free(Context *context, ActiveSetup *setup);
const char *clv_strategy_name(int strategy);
/* A split of the rows into a pool and a test set (part 1). */
Status clv_active_split(Dataset *dataset, const ActiveSetup *setup, uint64_t seed, Folds *folds,
                        cleave_error *error);

struct cleave_active {
    Context *context;
    ActiveSetup setup;
    cleave_data *data;
    Dataset *rows; /* as they were read */
    Folds folds;
    bool has_folds, hides_labels;
    ActivePool pool;
    RowSelection selection;
    Journal *journal;
    uint64_t entries; /* of the journal */
    /* Lines of a text or records of a table, by row of the data; NULL: none. */
    Buffer records, header;
    uint64_t *record_end;
    size_t record_capacity;
    uint64_t record_count;
    Buffer shown; /* the text of the last item */
    char predicted[QUOTE_SIZE];
    const char **class_names;
    size_t class_capacity;
};

#endif
