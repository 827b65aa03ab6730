/*
 * Tuning: the space that candidates are drawn from, the candidates, what their trials came to, and what is told of them at the end.
 *
 * Candidates are drawn by chance (Bergstra and Bengio 2012, "Random search for hyper-parameter optimization") and raced by successive halving
 * (Jamieson and Talwalkar 2016; Li et al. 2018, "Hyperband"): all are tried on a share of the rows, the best third of them on three times as
 * many, and so on. The first candidate is what the table says, and stays to the end, for the others to be held against.
 */
#ifndef SELECT_TUNE_H
#define SELECT_TUNE_H

#include "pipeline/transform.h"
#include "select/journal.h"
#include "select/trial.h"

/* ---- the space (tune_space.c) */

/* Where a hyperparameter belongs. PART_READING: clv_read_params. PART_STEP: a step of the feature
 * pipeline (--transform). */
typedef enum { PART_METHOD, PART_RUN, PART_READING, PART_STEP } SpacePart;

/* The values of one hyperparameter in the search space. */
typedef struct {
    char *name; /* the parameter's, or "tfidf:min_df" for a step */
    const Param *param;
    SpacePart part;
    const Transform *step; /* PART_STEP */
    const char *absent;    /* PART_STEP: the value without the step; NULL: none */
    cleave_tune_scale scale;
    double low, high;
    char **value; /* CHOICES */
    size_t value_count;
    bool asked; /* by --over: drawn whatever the table says of others */
    char *text; /* "hinge,squared-hinge": the values */
} Range;

/* The data whose pipeline is searched; all pointers must outlive the space. */
typedef struct {
    const Schema *schema; /* NULL: there is no data, and the space has no pipeline */
    uint64_t rows, entries;
    uint32_t features;
    bool search;                   /* --search-pipeline; otherwise --over only */
    bool rereadable;               /* its files can be read again with other reading options */
    const cleave_options *reading; /* options it was read with; NULL: none */
} SpaceData;

typedef struct {
    Context *context;
    const Method *method;
    const cleave_options *fixed; /* as the user says */
    SpaceData data;
    void *options; /* of the method, with the fixed values */
    Range *list;
    size_t count, capacity;
} Space;

/* over: NAME=LOW..HIGH or NAME=A,B,C, with ';' between several; NULL: none. Free it whether it fails or not. */
Status clv_space_build(Context *context, const Method *method, const cleave_options *fixed, const SpaceData *data,
                       const char *over, Space *space, cleave_error *error);
void clv_space_free(Space *space);

/* What was drawn of a candidate. */
typedef struct {
    cleave_setting *list;
    size_t count;
    cleave_options *options; /* all of it: the user's, and these */
    Buffer sameness;         /* what every parameter comes to, as identity.h lists it */
    Buffer chain;            /* the same but for the one that it may be a step of a path in; empty: none */
    double strength;         /* its place on that path: smaller is held back more */
    char *transform;         /* its --transform; NULL: the default or the user's */
    cleave_options *reading; /* that differ from those of the data; NULL: none */
} Draw;

/* Which candidate is drawn. */
typedef struct {
    uint64_t seed;
    uint32_t number;  /* from 0, which has the values of the table */
    uint32_t attempt; /* distinguishes draws of one number */
    const Draw *near; /* draws around this candidate; NULL: from the whole space */
    bool listed;      /* the candidate at this index of a finite space, not a random one */
    uint64_t index;
} DrawPlan;

/* *fine: the parameters are compatible. */
Status clv_space_draw(const Space *space, const DrawPlan *plan, Draw *draw, bool *fine, cleave_error *error);
/* Number of combinations of values, with incompatible ones; 0: infinite, or too many to list. */
uint64_t clv_space_size(const Space *space);
/* The position of a number in its range, from 0 to 1. */
double clv_range_place(const Range *range, double value);
void clv_draw_free(const Space *space, Draw *draw);

/* ---- the pipeline as part of the space (tune_pipeline.c) */

/* Adds the range that the table of the parameter marks; the space owns it afterwards. range has
 * name, param, part and step. */
Status clv_space_take_mark(Space *space, Range *range, cleave_error *error);
/* Whether the user sets the parameter. */
bool clv_space_fixes(const cleave_options *given, const Param *param);
Range *clv_space_range(const Space *space, const Param *param, const Transform *step);
/* Adds the marked parameters of reading and of the default pipeline, and its optional steps. */
Status clv_pipeline_take_marks(Space *space, cleave_error *error);
/* Finds the parameter of an --over, such as "ngrams" or "tfidf:min-df". Fills name, param, part and
 * step of *range; the name is NULL if there is none. */
Status clv_pipeline_find(const Space *space, const char *name, Range *range, cleave_error *error);
/* Whether the pipeline of a candidate with these method options has the step of a range. */
bool clv_pipeline_has_step(const Space *space, const Range *range, const void *method_options);
/* Fills draw->transform and draw->reading from its settings. */
Status clv_pipeline_compose(const Space *space, Draw *draw, const void *method_options, cleave_error *error);

/* Whether others have the values that a table's condition names; options are the method's. NULL: always. */
bool clv_condition_holds(const Method *method, const void *options, const char *condition);

/* ---- the schedule */

enum { HALVING = 3, MOST_RUNGS = 8 };

typedef struct {
    double share;      /* of the training rows; 0: all */
    uint32_t entrants; /* candidates that are tried, the table's not counted where it would not be among them */
} RungPlan;

/* Rungs for so many candidates and training rows; asked 0: as many as leave the first one enough rows. Returns how many. */
uint32_t clv_plan_rungs(uint32_t candidates, double rows, uint32_t asked, RungPlan plan[MOST_RUNGS]);

/* ---- what trials came to */

typedef struct {
    bool done, failed;
    uint64_t n, errors;
    double squares, fourths;
    MetricSums metric;
    double seconds;
    bool limited; /* training stopped at the limit of rounds */
    bool warm;    /* it had a warm start */
} Outcome;

/* Over folds 0 … folds - 1. */
typedef struct {
    uint64_t n, errors;
    double squares, fourths, seconds, error, low, high;
    MetricPool metric;
    double loss;    /* by the metric; lower is better */
    uint32_t folds; /* that there are outcomes of */
} Pooled;
Pooled clv_outcomes_pool(const Outcome *outcomes, uint32_t folds, const Metric *metric);

/* Whether a candidate is so much worse than the best, in each fold and over all of them, that no chance explains it. */
bool clv_is_hopeless(const Outcome *candidate, const Outcome *best, uint32_t folds, const Metric *metric);

typedef struct {
    Draw draw;
    uint32_t number;  /* from 1 */
    uint32_t round;   /* of drawing, from 0 */
    uint32_t rungs;   /* that it came to */
    uint32_t reading; /* number of its data in the readings of the search; 0: the caller's */
    cleave_trial_status fate;
    char failure[400];
    uint32_t failed_fold; /* of that failure */
    Outcome *outcome;     /* by rung and fold */
} Candidate;

/* ---- the end (tune_verdict.c) */

/* The winner against the table's on rows kept apart. */
typedef struct {
    bool done;
    uint64_t n;
    FoldSums winner, table;
    uint64_t only_winner, only_table; /* rows that it alone has wrong */
    double difference, spread;        /* table's losses less the winner's: mean and standard deviation */
} Apart;

typedef struct {
    cleave_tune_result facts; /* first, so that it can be freed by its public address */
    Context *context;
    Space space;
    Candidate *candidate; /* in the order of their numbers */
    uint32_t count;
    cleave_candidate *told;
    cleave_rung *rung;
    cleave_tuned_param *tuned;
    const Metric *metric;
    double test_ratio; /* test rows per training row of the folds, in the last rung of the winner */
    char verdict[512], apart_verdict[512], hint[256], positive[QUOTE_SIZE];
} TuneResult;

/* Of the rung, from 0, that the winner was chosen in. */
Status clv_tune_verdict(TuneResult *result, const Candidate *winner, uint32_t rung, const Apart *apart,
                        cleave_error *error);

#endif
