/*
 * A transform is one descriptor, one table of parameters, and functions over rows, like a method in
 * model/method.h. It is learned from training rows. The learned state is a set of named arrays, so
 * storing needs no code of its own:
 *
 *     begin                 the input columns are known
 *     look …, end_pass      training rows, output of the previous transforms, as often as needed
 *     columns               the output columns
 *     ready                 after learning or loading: validate the arrays, prepare for rows
 *     row …                 transform one row in place
 *
 * A transform accesses no files, does not depend on methods, and treats training rows and other
 * rows alike.
 */
#ifndef PIPELINE_TRANSFORM_H
#define PIPELINE_TRANSFORM_H

#include "base/bundle.h"
#include "base/param.h"
#include "data/block.h"
#include "pipeline/columns.h"

typedef struct Transform Transform;

/* Columns that occur only after a step was learned. They follow the known columns, and each becomes
 * an additional output. */
typedef struct {
    uint64_t
        rows; /* rows that the step learned from, and rows in which the new columns were counted */
    uint32_t count;     /* number of columns */
    const uint64_t *df; /* number of rows per column */
} Growth;

/* A row during transformation: columns are ascending, and there are no zeros. */
typedef struct {
    uint32_t *column;
    float *value;
    size_t count, column_capacity, value_capacity;
} FeatureRow;

/* Scratch space of a thread for transforming rows. */
typedef struct {
    Context *context;
    FeatureRow row; /* the row, before and after a step */
    /* buffer for a step that produces another row; the step fills it and calls clv_row_swap */
    FeatureRow spare;
    double *numbers; /* buffer for the sums of a step; see clv_workspace_numbers */
    size_t numbers_capacity;
    /* Position of the row, for messages. */
    const Block *block;
    uint32_t index;
} RowWorkspace;

typedef struct {
    Context *context;
    const Transform *transform;
    void *options;  /* parameters, filled from the table */
    Bundle *arrays; /* learned state, without parameters */
    void *state;    /* state_size bytes, zeroed: state during learning, then the result of ready */
    uint32_t inputs, outputs; /* number of columns; 0 in a stream of any columns */
    uint32_t limit; /* rows have no outputs from this number on; NO_COLUMN while a stream grows */
    /* State of the run during learning. */
    const Columns *in;
    uint32_t labels; /* number of distinct labels */
    uint64_t rows;   /* number of rows of this pass so far */
    uint64_t seed;
    cleave_error *error;
} Step;

struct Transform {
    const char *name, *brief;
    const char *about; /* a paragraph about the output, with the formula, for docs and help */
    const Param *params;
    size_t options_size, state_size;
    /* Validates combinations of parameters; NULL: all are valid. */
    Status (*check)(const void *options, cleave_error *error);
    /* Appends columns that training rows may lack although other rows may have them. Called before
     * learning, when columns have names. NULL: none. */
    Status (*wants)(Step *step, Columns *inputs);
    /* wants_model returns the model file whose weights are needed before begin, or NULL. The second
     * function receives the weights: the largest absolute value per feature. Both are called only
     * during learning. NULL: no weights are needed. */
    const char *(*wants_model)(const void *options);
    Status (*give_weights)(Step *step, const Names *names, const double *weight, uint32_t count,
                           cleave_error *error);
    Status (*begin)(Step *step);
    Status (*look)(
        Step *step,
        const Block
            *block); /* neither look nor look_row: nothing to learn, so that streams can use it */
    /* Replaces look for a step that needs only the features and the weight of a row: no blocks are
     * built. If both exist, look receives the blocks of the data when the step is the first. */
    Status (*look_row)(Step *step, const FeatureRow *row, float weight);
    Status (*end_pass)(Step *step, bool *again); /* called after a pass; NULL: one pass is enough */
    /* Returns whether the step must see rows, or at least columns, before use; NULL: true if look
     * or columns exists. */
    bool (*looks)(const void *options);
    /* For a step that a stream can use although it looks at rows: it learns from each row before
     * `row`, which may be called at any time. names: those of the columns so far. `record` stores
     * the current state in arrays that `ready` accepts. NULL: streams cannot use the step. */
    Status (*observe)(Step *step, const Names *names, const FeatureRow *row, float weight,
                      cleave_error *error);
    Status (*record)(const Step *step, Bundle *arrays, cleave_error *error);
    /* Sets the output columns from the input columns and stores the learned state in step->arrays.
     * NULL: the same columns, nothing learned. An array "score" with one double per output,
     * negative without a score, is shown to users in descending order. */
    Status (*columns)(Step *step, Columns *out);
    /* For a step whose output j depends only on input kept[j]: these step->outputs inputs; NULL:
     * output j depends on input j. Used with narrow to skip columns that need not be read. */
    const uint32_t *(*kept)(const Step *step);
    bool other_space; /* the step changes distances between rows */
    /* All outputs must be read, even if no later step needs them, because an unread value would be
     * taken for a different one. */
    bool whole;
    /* Keeps only the outputs wanted[j], which become output j, and their inputs. `ready` is called
     * next. */
    Status (*narrow)(Step *step, const uint32_t *wanted, uint32_t count);
    /* admits returns whether a column with this document frequency after learning becomes a
     * feature. `grow` fills the arrays of `grown`, which has the columns of step followed by those
     * of growth; `ready` is called next. NULL, or false: the columns are fixed. */
    bool (*admits)(const Step *step, uint64_t df);
    Status (*grow)(const Step *step, const Growth *growth, Step *grown);
    /* Returns CLEAVE_ERROR_FORMAT, without a message, if the arrays do not match the numbers of
     * columns: a file may contain arbitrary data. May be called again after narrow. */
    Status (*ready)(Step *step, cleave_error *error);
    Status (*row)(const Step *step, RowWorkspace *workspace, cleave_error *error);
    /* For a step that only renumbers columns: the output of each input. If two inputs have the same
     * output, the first is kept. NULL: columns keep their numbers. Equivalent to `row`, for rows
     * that are read directly from their block. */
    const uint32_t *(*moved)(const Step *step);
    void (*free)(Step *step); /* frees the members of state */
    /* Writes a short summary for users, such as "129,791 words of 130,107 kept". It may be
     * empty. */
    void (*summarize)(const Step *step, char text[160]);
};

extern const Transform *const clv_transforms[]; /* NULL at the end */
Status clv_transform_find(const char *name, size_t length, const Transform **transform,
                          cleave_error *error);

/* ---- for steps ------------------------------------------------------------------------------ */

Status clv_row_add(RowWorkspace *workspace, FeatureRow *row, uint32_t column, float value,
                   cleave_error *error);
void clv_row_swap(RowWorkspace *workspace);
/* Returns uninitialized memory for `count` sums. */
Status clv_workspace_numbers(RowWorkspace *workspace, size_t count, cleave_error *error);
void clv_workspace_free(RowWorkspace *workspace);
/* Called by `ready`. Reads the array "kept": output j depends only on input kept[j]. Both results
 * are NULL without the array, or if it is empty. Otherwise *place, owned by the step, is the output
 * of each input, or NO_COLUMN. */
Status clv_step_kept(const Step *step, const uint32_t **kept, uint32_t **place,
                     cleave_error *error);
/* Fails with the number and, if known, the line of the row; the file name is added elsewhere. */
Status clv_row_fail(const RowWorkspace *workspace, cleave_error *error, const char *format, ...)
    CLEAVE_PRINTF(3, 4);

#endif
