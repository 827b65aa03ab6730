/*
 * The search space of tuning: hyperparameters with a default range, except those with a fixed
 * value, and the ranges of --space. Candidates are drawn from it. tune_pipeline.c adds the
 * pipeline.
 */
#ifndef SELECT_TUNE_SPACE_H
#define SELECT_TUNE_SPACE_H

#include "model/method.h"
#include "pipeline/transform.h"
#include "train/train_options.h"

/* Where a hyperparameter belongs. PART_READING: clv_read_params. PART_STEP: a step of the feature
 * pipeline (--transform). */
typedef enum { PART_METHOD, PART_RUN, PART_READING, PART_STEP } SpacePart;

/* The values of one hyperparameter in the search space. */
typedef struct {
    char *name; /* name of the parameter, or "tfidf:min_df" for a step */
    const Param *param;
    SpacePart part;
    const Transform *step; /* PART_STEP: the transform */
    const char *absent;    /* PART_STEP: the value without the step; NULL: none */
    cleave_tune_scale scale;
    double low, high;
    char **value; /* CHOICES: the values */
    size_t value_count;
    bool asked; /* set by --space, so that conditions of the table are ignored */
    char *text; /* the values as text: "hinge,squared-hinge" */
} Range;

/* The data whose pipeline is searched; all pointers must outlive the space. */
typedef struct {
    const Schema *schema; /* NULL: there is no data, and the space has no pipeline */
    uint64_t rows, entries;
    uint32_t features;
    /* --search-pipeline was given; otherwise only --space is searched */
    bool search;
    bool rereadable;               /* the files of the data can be read again with other options */
    const cleave_options *reading; /* options with which the data was read; NULL: none */
} SpaceData;

typedef struct {
    Context *context;
    const Method *method;
    const cleave_options *fixed; /* the user's options */
    SpaceData data;
    void *options; /* options of the method, with the fixed values */
    Range *list;
    size_t count, capacity;
} Space;

/* Builds the space. over: NAME=LOW..HIGH or NAME=A,B,C, several separated by ';'; NULL: none. The
 * space must be freed also after a failure. */
Status clv_space_build(Context *context, const Method *method, const cleave_options *fixed,
                       const SpaceData *data, const char *over, Space *space, cleave_error *error);
void clv_space_free(Space *space);

/* The drawn values of a candidate. */
typedef struct {
    cleave_setting *list;
    size_t count;
    cleave_options *options; /* options of the user, and those that were drawn */
    Buffer identity;         /* the values of all parameters, as identity.h lists them */
    /* the same identity without the parameter of a regularization path; empty: there is none */
    Buffer path;
    double strength;         /* position on the regularization path; smaller values regularize
                              * more */
    char *transform;         /* --transform of the candidate; NULL: the default or the user's */
    cleave_options *reading; /* reading options that differ from those of the data; NULL: none */
} Draw;

/* Identifies the candidate that is drawn. */
typedef struct {
    uint64_t seed;
    uint32_t number;  /* number from 0; candidate 0 has the defaults */
    uint32_t attempt; /* number of the attempt for this candidate, which gives different draws */
    const Draw *near; /* draws near this candidate; NULL: from the whole space */
    /* takes the candidate at this index of a finite space, instead of a random one */
    bool listed;
    uint64_t index;
} DrawPlan;

/* Draws a candidate. Sets *fine if its parameters are compatible. */
Status clv_space_draw(const Space *space, const DrawPlan *plan, Draw *draw, bool *fine,
                      cleave_error *error);
/* The number of combinations of values, including incompatible ones; 0: infinite, or too many to
 * list. */
uint64_t clv_space_size(const Space *space);
/* The position of a number in its range, from 0 to 1. */
double clv_range_place(const Range *range, double value);
void clv_draw_free(const Space *space, Draw *draw);

/* ---- the pipeline (tune_pipeline.c) */

/* Adds the range that the table of the parameter marks; the space owns it afterwards. range has
 * name, param, part and step. */
Status clv_space_take_mark(Space *space, Range *range, cleave_error *error);
/* Whether the user sets the parameter. */
bool clv_space_fixes(const cleave_options *given, const Param *param);
Range *clv_space_range(const Space *space, const Param *param, const Transform *step);
/* Adds the marked parameters of reading and of the default pipeline, and its optional steps. */
Status clv_pipeline_take_marks(Space *space, cleave_error *error);
/* Finds the parameter of an --space, such as "ngrams" or "tfidf:min-df". Fills name, param, part
 * and step of *range; the name is NULL if there is none. */
Status clv_pipeline_find(const Space *space, const char *name, Range *range, cleave_error *error);
/* Whether the pipeline of a candidate with these method options has the step of a range. */
bool clv_pipeline_has_step(const Space *space, const Range *range, const void *method_options);
/* Fills draw->transform and draw->reading from its settings. */
Status clv_pipeline_compose(const Space *space, Draw *draw, const void *method_options,
                            cleave_error *error);

/* Whether the options of the method have the values of a condition of its table. NULL: always. */
bool clv_condition_holds(const Method *method, const void *options, const char *condition);

#endif
