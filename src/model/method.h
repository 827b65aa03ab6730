/*
 * What a method is: one descriptor, one table of parameters, and functions over blocks. A method does not know who runs
 * it (batch, stream, threads, cluster), reads no files, prints nothing and has no code to save or load itself.
 *
 *     choose                   what `auto` comes to for this data
 *     begin                    the state, for so many features and classes (features may grow)
 *     resume                   go on from a model
 *     step(block)  …           as often as data comes           or, where rows are needed in any order,
 *     pass                     a sweep is over                  fit(dataset), which says when each of its sweeps is over
 *     end                      the state becomes named arrays in a model; may be called at any time and again
 *     survey(block, scores) …  one more look at the training rows, for figures of the finished model
 *
 * A round may be made by many, each beginning from the same state and stepping over rows of its own:
 *
 *     give(start, delta)       what those rows came to, as numbers to be summed over all
 *     take(sum), pass          the sum of everybody's is put in, and the round is over
 *
 * or, where what is learned is no sum but the rows themselves, each beginning from nothing:
 *
 *     join(model), pass        what the worker with the next rows has is put behind what this one has
 *
 * Of a stream, rows are asked about before they are learned from:
 *
 *     score(row), step(row)    classes that appear: widen;  old rows that count less and less: forget
 */
#ifndef MODEL_METHOD_H
#define MODEL_METHOD_H

#include "base/param.h"
#include "base/workspace.h"
#include "data/dataset.h"
#include "model/delta.h"
#include "model/model.h"
#include "model/together.h"

typedef struct Fit Fit;
typedef struct Method Method;

/* How long a part of an update is. */
typedef enum {
    SHAPE_NUMBERS, /* so many, or fewer */
    SHAPE_OUTPUTS,
    SHAPE_CLASSES,
    SHAPE_WEIGHTS, /* features * outputs, each feature's side by side; features may grow */
    SHAPE_BOTH,    /* outputs and then weights */
} ShapeKind;

typedef struct {
    const char *name;
    ShapeKind kind;
    uint32_t numbers;
} DeltaShape;

/* A training row that an answer is made of. */
typedef struct {
    double key;     /* what nearness is compared by */
    uint64_t place; /* in the order of all the data */
    uint32_t label;
    double number; /* regression: instead of the label */
    double weight;
} Found;

#define EVERY_ROW UINT32_MAX

/* Predictions of one thread that allocate only when they begin: what predict would allocate at every call. The model
 * outlives the session. The scores are those of predict. */
typedef struct {
    Status (*open)(const Model *model, void **session, cleave_error *error);
    Status (*predict)(void *session, const Block *block, double *scores, cleave_error *error);
    void (*close)(void *session); /* NULL is fine */
} PredictSession;

struct Fit {
    Context *context;
    cleave_error *error;
    const Method *method;
    const void *options; /* the method's struct, filled from its table */
    void *state;         /* state_size bytes, zeroed before begin */

    const Names *names; /* of the features, and where they come from; NULL where nobody knows */
    const Schema *schema;

    unsigned task;              /* CLEAVE_TASK_ the one of them */
    uint32_t features;          /* known so far; blocks may bring more */
    uint32_t classes;           /* 0 when regression */
    size_t outputs;             /* scores of a row */
    uint32_t positive;          /* two classes: the label number of the positive one */
    const double *label_number; /* regression: the number each label is; see fit_target */
    const double *class_weight; /* by label number; NULL: all 1 */
    uint64_t seed;

    uint64_t rows;        /* training rows with a label; 0 in a stream, where nobody knows */
    uint64_t rows_before; /* of the model gone on from; 0: there is none */
    double weight_total;  /* of those rows, class weights included */
    bool by_many;         /* rounds are made by several workers: see give … */
    bool racy;            /* … who race */
    const Collective *
        collective; /* for a fit that is made by several processes, the dataset having the rows of this one; NULL: it has all */
    bool on_disk; /* the rows do not fit in memory: sweeps are read from the disk as they go, rows at random are slow */
    const Workspace *scratch; /* for arrays as long as the data; NULL: the context's memory */
    uint32_t most_rounds;
    /* For fit: a sweep is over, round_mistakes and round_loss being its. False: the driver wants no more. */
    bool (*round_over)(Fit *fit);
    void *driver;

    bool wants_sample; /* set by begin: method->sample is to see the first rows before the first step */
    /* The calibrated rate (train/feed.h): set by begin, examples between two calibrations; 0: none. */
    uint64_t calibrate_every;
    uint64_t calibrate_next;
    double rate_factor;

    uint32_t round;          /* from 0 */
    uint64_t seen;           /* examples over all sweeps */
    uint64_t mistakes;       /* updates over all sweeps */
    uint64_t round_mistakes; /* updates in this sweep */
    double round_loss;       /* the method's loss, summed over this sweep */

    /* Called for every example when somebody watches, and with block NULL for a step between examples; NULL otherwise. */
    void (*trace)(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok);

    bool
        surveyed; /* set by a fit that knows its training errors and has done what survey does: no pass is made for it */
    bool last;    /* set by the driver: end will not be called again, and may move what it has into the model */
    /* How training ended. converged: the optimum is proven, by a certificate or by the condition of optimality; set by the driver from
     * pass, by a fit itself. plateau: set by pass or fit where it ends because the objective no longer decreases, which proves nothing.
     * complete: set by a fit that has done all its work and has no optimum to converge to, such as a number of trees. */
    bool converged, plateau, complete;
    /* By a fit that is slow to predict and has the scores of its training rows at hand. */
    bool knows_train_errors;
    uint64_t train_errors;
    /* What the method found worth telling; each text may stay empty. */
    char solver[32];
    char objective[192]; /* the one minimised, where it depends on options */
    char verdict[256];   /* how the run ended: "gap 0.0004 reached in 8 iterations" */
    size_t figure_count;
    cleave_statistic figures[24];
};

struct Method {
    const char *name, *brief, *objective, *reference;
    unsigned tasks, traits;
    const Param *params;
    size_t options_size, state_size;
    bool
        shuffles; /* its answer hangs on the order of rows so much that many rows are shuffled each round, whatever order they are in */
    bool
        counts_mistakes; /* learns from mistakes only, and round_mistakes are those; other methods count updates, or nothing */
    bool binary_features; /* takes features of 0 and 1 only: the drivers refuse others before the method sees them */
    bool wider_rows;      /* predict takes rows with columns past the model's, which count */
    bool fixed_classes;   /* update refuses classes that the model does not have */
    bool linear;          /* scores are linear in the features, so that products of features are of use to it */
    bool records_moments; /* its models record moments of the training rows, which update uses */
    bool by_distance;     /* answers by distances between rows: who changes those is told */
    bool as_given;        /* comes to the same however features are scaled: nobody need do so unasked */
    /* The hint where a model errs far less on its training rows than on those held out; NULL: that is its nature, or rare. */
    const char *by_heart;
    /* Parameters that do not go together; may rewrite one that is short for another. NULL when there is nothing to do. */
    Status (*check)(void *options, cleave_error *error);
    /* Before begin: replaces `auto` in the options, based on fit->rows (0: a stream),
     * rows_before, features, classes and schema. NULL: there is nothing to replace. */
    Status (*choose)(Fit *fit, void *options);
    /* Whether rows without a label are training rows as any; there may be no label at all. NULL: they are not. */
    bool (*takes_unlabelled)(const void *options);
    /* The pipeline for data where the user says none, in place of what is usual for its kind; NULL, or a NULL function: that. options may be
     * NULL. */
    const char *(*usual_transform)(const void *options, const Schema *schema);
    /* What the user says of columns that count more than others, NAME=WEIGHT,…: the last stage of the pipeline, weigh, sees to it. NULL, or a
     * NULL function: nothing. */
    const char *(*feature_weights)(const void *options);
    /* Sweeps at the most where the user does not say; NULL: 100. */
    uint32_t (*usual_rounds)(const void *options);
    Status (*begin)(Fit *fit);
    /* Goes on from a model of this method, with the same classes and at most as many features: after begin, before any step.
     * fit->round and fit->seen are set already. NULL: cannot. */
    Status (*resume)(Fit *fit, const Model *model);
    /* Learns from new rows without forgetting those `from` was trained on, and writes the arrays of model. There is no state. fit->classes and
     * fit->features are those of model and rows together, fit->rows the new rows, fit->rows_before the old ones. NULL: the driver steps over the
     * rows with a state that resumes the model (see train/update.h), if the method can. */
    Status (*update)(Fit *fit, const Model *from, Dataset *dataset, Model *model);
    /* The first thousand rows, before they are learned from, where begin asked for them: to find a rate by. */
    Status (*sample)(Fit *fit, const Block *rows);
    Status (*step)(Fit *fit, const Block *block);
    /* *clean: no later epoch is of use, and the optimum is proven unless fit->plateau is set. */
    Status (*pass)(Fit *fit, bool *clean);
    /* Adds what this state, which began the round as start is, came to: numbers whose sums over all workers are enough for take. Means
     * over rows are given as sums: times fit->seen - start->seen. The driver adds a part of its own, see DELTA_ROUND. */
    Status (*give)(const Fit *fit, const Fit *start, Delta *delta);
    /* The parts that give may give, NULL name at the end: what comes from outside is held against it before it is taken. */
    const DeltaShape *shapes;
    /* Puts the sum of everybody's into a state that is as start was; seen, round_mistakes and round_loss are added already.
     * pass follows. */
    Status (*take)(Fit *fit, const Delta *sum);
    /* Lets a worker work on shared's own weights, at the same time as others, so many in all, with no locks: faster, and a matter of
     * chance. What else it has is given and taken as ever. An error where these options cannot; NULL: the method cannot. */
    Status (*race)(Fit *worker, const Fit *shared, unsigned workers);
    /* Instead of give and take: puts what another state has, as its model says, behind what this one has; its rows follow this one's.
     * fit->seen is added already. pass follows the last. NULL: cannot. */
    Status (*join)(Fit *fit, const Model *model);
    /* Whether a round made by many comes to what one worker would have made of it, but for rounding; NULL: it does not. */
    bool (*sums_exactly)(const void *options);
    /* The scores that a model made now would give a row, which may have features the state has not met. NULL: cannot. */
    Status (*score)(const Fit *fit, const Block *block, uint32_t row, double *scores);
    /* For methods that store rows and vote by them: the smallest integer weight with which a
     * labeled row is predicted correctly once it is stored, at most the number of votes. NULL: the
     * method does not vote. */
    Status (*votes_to_win)(const Fit *fit, const Block *block, uint32_t row, uint32_t *votes);
    /* Labels have appeared: fit->classes, outputs, positive and task become those given here. What one output for two classes
     * held is handed to the outputs of both, and what is new knows nothing. NULL: cannot. */
    Status (*widen)(Fit *fit, uint32_t classes, uint32_t positive);
    /* What was learned so far counts `keep` times as much from now on, 0 < keep < 1; called before each row. NULL: cannot. */
    Status (*forget)(Fit *fit, double keep);
    /* The step the next row would be given, for people to look at. NULL: there is no such thing. */
    double (*rate)(const Fit *fit);
    Status (*fit)(Fit *fit, Dataset *dataset); /* instead of step and pass, where rows are needed at random */
    bool (*wants_fit)(const void *options);    /* where a method has both; NULL: fit if there is one */
    bool collective;                           /* fit can be made by several processes, and minds Fit.together */
    bool steps_too; /* fit is the shorter way where all rows are at hand; step and pass come to the same */
    /* For the calibrated rate: another's state becomes this one's; what the rate is multiplied by from now on. NULL: none. */
    Status (*copy)(Fit *to, const Fit *from);
    void (*set_rate)(Fit *fit, double factor);
    /* The training rows once more, with the scores of the finished model, for figures such as the margin. NULL: nothing. */
    Status (*survey)(Fit *fit, const Model *model, const Block *block, const double *scores);
    Status (*surveyed)(Fit *fit, const Model *model);
    Status (*end)(Fit *fit, Model *model);
    /* Called once, when a model is loaded: checks that every other function can use it. All
     * arrays exist, fit together and contain no index out of bounds. options are the model's
     * parameters, within the ranges of the table. See model_is_sound for the result. */
    Status (*check_model)(const Model *model, const void *options, cleave_error *error);
    void (*free)(Fit *fit); /* what begin allocated; the state may be half made */
    /* rows * outputs scores; block->features is at most the model's, but for methods of wider_rows. */
    Status (*predict)(const Model *model, const Block *block, double *scores, cleave_error *error);
    const PredictSession *session; /* NULL: predict allocates nothing for a few rows */
    /* Where the scores of a model are sums over parts of the state, such as trees, which later rounds do not change. sums, rows * outputs, have the first
     * *parts of them, 0: none, and are to be written; they get the others, *parts becomes their number, and scores those that a model made now
     * would give, to the last bit. NULL: rows are asked anew after each round. */
    Status (*catch_up)(const Fit *fit, const Block *block, uint32_t *parts, double *sums, double *scores);
    /* Where answers are made of training rows, which may lie in the models of several parts: how many an answer is made of, or EVERY_ROW, and
     * how many are there;
     * those of this part nearest to each row of a block, nearest first, at most `most` of them from found[row * most] on; and the
     * scores that the nearest of all parts come to, of so many classes. All NULL: they are not. */
    uint32_t (*asks)(const Model *model, uint32_t *there);
    Status (*find)(const Model *model, const Block *block, uint32_t most, Found *found, uint32_t *counts,
                   cleave_error *error);
    Status (*answer)(const Model *model, const Found *found, uint32_t count, uint32_t classes, double *scores,
                     cleave_error *error);
    /* What each entry of a row, in their order, adds to the score of an output, and what is added to that of any row: together they are
     * the score, but for rounding. False, or NULL: scores of this model are no such sums. clv_shares_of_weights will do where there are
     * weights and nothing else. */
    bool (*shares)(const Model *model, const Block *block, uint32_t row, size_t output, double *shares, double *bias);
    /* The training points that decided the answer to a row, the nearest first, as memory of the model's context; and what the model keeps of
     * all of them. NULL: it keeps none. */
    Status (*neighbors)(const Model *model, const Block *block, uint32_t row, cleave_neighbor **neighbors,
                        size_t *count, cleave_error *error);
    bool (*points)(const Model *model, cleave_point_set *facts, uint64_t *per_class);
    /* The training rows that the scores of a model are sums over, as memory of its context: what each has, the most first; or, for a row
     * of a block, what each adds to the score of an output. None where this model has none; NULL: the method's models have none. */
    Status (*supports)(const Model *model, const Block *block, uint32_t row, size_t output,
                       cleave_support_vector **supports, size_t *count, cleave_error *error);
    /* Whether a prediction costs so much more than a step that nobody should ask for one unasked; NULL: no. */
    bool (*slow_to_predict)(const void *options);
    /* The method's loss of one row, from its scores; label is a class of the model, target its number when regression.
     * NULL: errors are all there is. */
    double (*loss)(const Model *model, const double *scores, uint32_t label, double target);
    /* What the objective adds to the mean loss of a model made from this state: λ times a penalty. NULL: nothing. */
    double (*penalty)(const Fit *fit, const Model *model);
    /* Where scores are probabilities in disguise: one for each class, summing to 1. NULL: they are not. */
    void (*probabilities)(const Model *model, const double *scores, double *probabilities);
    /* Whether a row with these scores is predicted as none; NULL: never. */
    bool (*abstains)(const double *scores, size_t outputs);
    /* Where answers are made of what is found approximately: how much there is for these rows, by looking at everything, and how much of
     * it is found. Both 0 where this model finds it all; NULL: the method always does. */
    Status (*recall)(const Model *model, const Block *rows, uint64_t *found, uint64_t *there, cleave_error *error);
    /* Weights and thresholds as they are now, for a trace: outputs * features and outputs. NULL: can not be traced. */
    void (*look)(const Fit *fit, double *weights, double *thresholds);
    /* What the scores handed to trace must be multiplied by; NULL: 1. */
    double (*scale)(const Fit *fit);
    bool (*learns_threshold)(const void *options);
};

/* Probabilities of scores that are shares of classes: votes, or rows of a leaf. Of two classes the score is the positive one's less the other's. */
void clv_shares_as_probabilities(const Model *model, const double *scores, double *probabilities);
bool clv_shares_of_weights(const Model *model, const Block *block, uint32_t row, size_t output, double *shares,
                           double *bias);

void clv_figure(Fit *fit, const char *name, double value);
/* How it is solved, what is minimised, how it ended: each replaces the one before. */
void clv_solver(Fit *fit, const char *name);
void clv_objective(Fit *fit, const char *format, ...) CLEAVE_PRINTF(2, 3);
void clv_verdict(Fit *fit, const char *format, ...) CLEAVE_PRINTF(2, 3);

/* The part of a Delta that is the driver's: by index, the rows of the round, its mistakes, its loss; and, between processes, what the
 * rows weigh. */
#define DELTA_ROUND "round"
enum { ROUND_ROWS, ROUND_MISTAKES, ROUND_LOSS, ROUND_WEIGHT };

/* Result of check_model: CLEAVE_ERROR_FORMAT if the model is corrupt (the caller writes the
 * message). Other failures, such as CLEAVE_ERROR_MEMORY, have their own message. */
static inline Status model_is_sound(bool sound)
{
    return sound ? OK : CLEAVE_ERROR_FORMAT;
}

static inline bool method_wants_fit(const Method *method, const void *options)
{
    return method->fit && (!method->wants_fit || method->wants_fit(options));
}

/* Whether rows that go by, one after the other, are not enough. */
static inline bool method_needs_fit(const Method *method, const void *options)
{
    return method_wants_fit(method, options) && !method->steps_too;
}

/* Whether a model of the method can learn from new rows: by update, or by steps of a state that resumes it. options NULL: whether it can with some
 * options. */
static inline bool method_updates(const Method *method, const void *options)
{
    bool steps = options ? !method_needs_fit(method, options) : !method->fit || method->steps_too || method->wants_fit;

    return method->update || (steps && method->resume && method->step && method->score);
}

static inline bool method_takes_unlabelled(const Method *method, const void *options)
{
    return method->takes_unlabelled && method->takes_unlabelled(options);
}

/* The reason of a method that ends by itself, for cleave_report.stopped_by; NULL: it does not. */
static inline const char *fit_ending(const Fit *fit, bool ends)
{
    if (!ends)
        return NULL;
    return fit->plateau ? "plateau" : fit->complete ? "complete" : "converged";
}

/* Of the round so far, for cleave_progress; 0 where the method does not count them. */
static inline uint64_t fit_round_mistakes(const Fit *fit)
{
    return fit->method->counts_mistakes ? fit->round_mistakes : 0;
}

/* Several processes decide together, when a round is over, whether to end. Progress is reported meanwhile. */
static inline bool fit_cancelled(const Fit *fit)
{
    if (!fit->collective)
        return clv_cancelled(fit->context);
    clv_tick(fit->context);
    return false;
}

static inline Status fit_check(const Fit *fit)
{
    return fit_cancelled(fit) ? clv_fail(fit->error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

/* For loops of a method: counts units of work, see clv_cancelled_after. A fit that returns CLEAVE_ERROR_CANCELLED is ended with
 * the model that its last complete round made. */
static inline Status fit_poll(const Fit *fit, uint64_t *done, uint64_t units)
{
    return clv_work_is_due(done, units) ? fit_check(fit) : OK;
}

/* Of a row that has a label. */
static inline double fit_weight(const Fit *fit, const Block *block, uint32_t row, uint32_t label)
{
    double weight = (double)block_weight(block, row);

    return fit->class_weight && label < fit->classes ? weight * fit->class_weight[label] : weight;
}

/* Regression: what the row should score; NaN where it has no label. */
static inline double fit_target(const Fit *fit, const Block *block, uint32_t row)
{
    return block_number(block, row, fit->label_number);
}

/* +1 or -1: what output should say of a row with this label. */
static inline double fit_sign(const Fit *fit, uint32_t label, size_t output)
{
    return label == (fit->outputs == 1 ? fit->positive : output) ? 1 : -1;
}

/* One output for two classes, else one per class. */
static inline size_t outputs_of(uint32_t classes)
{
    return classes <= 2 ? 1 : classes;
}

#endif
