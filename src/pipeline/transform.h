/*
 * What a transformation is: one descriptor, one table of parameters, and functions over rows, as a method is in model/method.h.
 * It is learned from training rows, and what it learned is named arrays, so that it can be stored without code of its own:
 *
 *     begin                 the columns it will see are known
 *     look(block) …, swept  training rows, already through the transformations before it, as often as it asks for
 *     columns               what comes out of it
 *     ready                 learning is over, or the arrays come from a file: check them, prepare for rows
 *     row …                 one row in, one row out, in place
 *
 * It touches no files, knows no method, and cannot tell training rows from others once it is ready.
 */
#ifndef PIPELINE_TRANSFORM_H
#define PIPELINE_TRANSFORM_H

#include "base/bundle.h"
#include "base/param.h"
#include "data/block.h"
#include "pipeline/columns.h"

typedef struct Transform Transform;

/* Columns that appear after a stage was learned, behind those it knows; each becomes an output behind the others. */
typedef struct {
    uint64_t rows;      /* the stage was learned from, and in which the columns were counted */
    uint32_t count;     /* columns */
    const uint64_t *df; /* rows that each is in */
} Growth;

/* A row on its way: columns ascending, no zeros. */
typedef struct {
    uint32_t *column;
    float *value;
    size_t count, column_capacity, value_capacity;
} FeatureRow;

/* What one thread needs to take rows through a pipeline. */
typedef struct {
    Context *context;
    FeatureRow row;   /* where the row is, before and after a stage */
    FeatureRow spare; /* for a stage that makes another row: fill it, then clv_row_swap */
    double *numbers;  /* for a stage's sums: see clv_workspace_numbers */
    size_t numbers_capacity;
    /* Where the row came from, for messages. */
    const Block *block;
    uint32_t index;
} RowWorkspace;

typedef struct {
    Context *context;
    const Transform *transform;
    void *options;            /* its struct, filled from its table */
    Bundle *arrays;           /* what it learned; parameters are not among them */
    void *state;              /* state_size bytes, zeroed: while learning, and then what ready prepared */
    uint32_t inputs, outputs; /* columns */
    /* Of the run, while learning. */
    const Columns *in;
    uint32_t labels; /* different ones */
    uint64_t rows;   /* of the sweep so far */
    uint64_t seed;
    cleave_error *error;
} Stage;

struct Transform {
    const char *name, *brief;
    const char *about; /* a paragraph: what comes out, with the formula; for docs and help */
    const Param *params;
    size_t options_size, state_size;
    /* Parameters that do not go together; NULL: there are none. */
    Status (*check)(const void *options, cleave_error *error);
    /* Appends to the columns of the data those that the training rows may never have, and it must see when other rows do; called before
     * anything is learned, where columns have names. NULL: there are none. */
    Status (*wants)(Stage *stage, Columns *inputs);
    /* The file of a trained model whose weights it wants before begin, or NULL; and they come: of each feature by name the largest, sign left
     * out. Only learning asks. NULL: never. */
    const char *(*wants_model)(const void *options);
    Status (*give_weights)(Stage *stage, const Names *names, const double *weight, uint32_t count, cleave_error *error);
    Status (*begin)(Stage *stage);
    Status (*look)(
        Stage *stage,
        const Block *block); /* neither this nor look_row: there is nothing to learn, so that streams can have it */
    /* Instead of look, for a stage that asks for nothing but the features of a row and its weight: no blocks are made for it. With both,
     * look is given the blocks of the data where the stage is the first one. */
    Status (*look_row)(Stage *stage, const FeatureRow *row, float weight);
    Status (*swept)(Stage *stage, bool *again); /* NULL: one look is enough */
    /* Whether it must see rows, or at least columns, before it can be used; NULL: if there is a look, or columns. */
    bool (*looks)(const void *options);
    /* The columns that come out, from those that go in; puts what it learned into stage->arrays. NULL: the same, nothing learned. An
     * array "score" of a double for each output, below 0 where there is none, is shown to people, the largest first. */
    Status (*columns)(Stage *stage, Columns *out);
    /* A stage whose output j is made of its input kept[j] alone: those, stage->outputs of them; NULL: output j of input j. Collective
     * with narrow, for what need not be read at all. */
    const uint32_t *(*kept)(const Stage *stage);
    bool other_space; /* distances between rows that come out are others than between those that went in */
    /* Its outputs must all be read, also those that no later stage wants: one that is not read would be taken for another. */
    bool whole;
    /* From now on output j is what was wanted[j], and input j is what that was made of. ready follows. */
    Status (*narrow)(Stage *stage, const uint32_t *wanted, uint32_t count);
    /* Whether a column that appears in so many rows after learning is to be a feature; and grown, which has the columns of stage and those of
     * growth behind them, gets its arrays. ready follows. NULL, or false: the stage has the columns it was learned with. */
    bool (*admits)(const Stage *stage, uint64_t df);
    Status (*grow)(const Stage *stage, const Growth *growth, Stage *grown);
    /* CLEAVE_ERROR_FORMAT, without a message, where the arrays do not fit the numbers of columns: a file from outside may hold
     * anything. May be called again, after narrow. */
    Status (*ready)(Stage *stage, cleave_error *error);
    Status (*row)(const Stage *stage, RowWorkspace *workspace, cleave_error *error);
    /* Of a stage that does nothing but give columns other numbers: the output of each input. Two of one number become the first of them.
     * NULL: they keep their numbers. Beside row, which does the same, for rows that are still to be taken out of their block. */
    const uint32_t *(*moved)(const Stage *stage);
    void (*free)(Stage *stage); /* what is in state */
    /* What it came to, in a few words, for people: "129,791 words of 130,107 kept". May leave it empty. */
    void (*tell)(const Stage *stage, char text[160]);
};

extern const Transform *const clv_transforms[]; /* NULL at the end */
Status clv_transform_find(const char *name, size_t length, const Transform **transform, cleave_error *error);

/* ---- for stages */

Status clv_row_add(RowWorkspace *workspace, FeatureRow *row, uint32_t column, float value, cleave_error *error);
void clv_row_swap(RowWorkspace *workspace);
/* Memory for so many sums, not set. */
Status clv_workspace_numbers(RowWorkspace *workspace, size_t count, cleave_error *error);
void clv_workspace_free(RowWorkspace *workspace);
/* For ready: the array "kept", output j being made of input kept[j] alone. Both are NULL where there is none, or it is empty; otherwise
 * *place, freed before and to be freed by the stage, is the output of each input, NO_COLUMN where it has none. */
Status clv_stage_kept(const Stage *stage, const uint32_t **kept, uint32_t **place, cleave_error *error);
/* "FILE:LINE: " is not known here; the row's number and, where it is known, its line. */
Status clv_row_fail(const RowWorkspace *workspace, cleave_error *error, const char *format, ...) CLEAVE_PRINTF(3, 4);

#endif
