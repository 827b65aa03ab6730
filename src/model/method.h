/*
 * The interface of a method: one descriptor, one parameter table, and functions over blocks of
 * rows. A method does not depend on the driver that runs it (batch, stream, threads, cluster). It
 * does not read files, print, save or load. A driver calls:
 *
 *     choose                   replaces `auto` in the options
 *     begin                    creates the state for the features and classes known so far
 *     resume                   continues from a model
 *     step(block), …           learns from rows, called as data arrives
 *     end_epoch                ends a pass over the training set
 *     fit(dataset)             replaces step and end_epoch in methods that need random access
 *     end                      writes the state into named arrays of a model, at any time
 *     survey(block, scores) …  computes statistics of the finished model on the training rows
 *
 * Several workers can make an epoch together. Each starts with the same state and steps over its
 * own rows:
 *
 *     give(start, delta)       adds the changes as numbers that are summed over all workers
 *     take(sum), end_epoch     adds the sum to the state
 *     join(model), end_epoch   or, if the model consists of rows: appends those of a worker
 *
 * In a stream, each row is predicted before it is learned:
 *
 *     score(row), step(row)    widen adds classes, forget discounts old rows
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

/* The kind of a part of an update, which determines its size. */
typedef enum {
    SHAPE_NUMBERS, /* at most DeltaShape.numbers elements */
    SHAPE_OUTPUTS,
    SHAPE_CLASSES,
    /* features * outputs elements, feature by feature; the number of features may grow */
    SHAPE_WEIGHTS,
    SHAPE_BOTH, /* outputs elements, then weights */
} ShapeKind;

typedef struct {
    const char *name;
    ShapeKind kind;
    uint32_t numbers;
} DeltaShape;

/* A training row that a prediction is based on. */
typedef struct {
    double key;     /* a number that increases with the distance */
    uint64_t place; /* position of the row in the whole training set */
    uint32_t label;
    double number; /* target in a regression */
    double weight;
} Found;

#define EVERY_ROW UINT32_MAX

/* Facts about the training data and the run. The driver sets them before begin; all workers of a
 * run share them. */
typedef struct {
    const Names *names; /* names of the features; NULL: unknown */
    const Schema *schema;
    double *label_number; /* regression: the numeric value of each label; see fit_target */
    double *class_weight; /* class weight by label number; NULL: all 1 */
    uint64_t rows;        /* number of training rows with a label; 0 in a stream */
    uint64_t rows_before; /* number of training rows of the warm-start model; 0: no warm start */
    double weight_total;  /* total weight of the training rows, with class weights */
    uint64_t seed;
    bool shared;     /* several workers compute each epoch; see MethodDistributed */
    bool racy;       /* the workers share weights without locks */
    bool same_order; /* every epoch visits the rows in the same order */
    bool on_disk;    /* rows do not fit in memory: random access is slow */
    /* Other processes that take part in fit, each with its own rows; NULL: the dataset has all. */
    const Collective *collective;
    /* workspace for arrays with one element per row; NULL: the context's memory */
    const Workspace *workspace;
} FitProblem;

typedef struct {
    uint32_t epoch;          /* number of the epoch, from 0 */
    uint64_t seen;           /* number of examples in all epochs */
    uint64_t mistakes;       /* number of updates in all epochs */
    uint64_t epoch_mistakes; /* number of updates in this epoch */
    double epoch_loss;       /* sum of the method's loss in this epoch */
} FitCounters;

/* The calibrated learning rate; see train/feed.h. */
typedef struct {
    /* number of examples between two calibrations, set by begin; 0: not calibrated */
    uint64_t every;
    uint64_t next; /* the number of examples at which the next calibration is due */
    double factor;
} FitCalibration;

/* The outcome of training, written by the method. */
typedef struct {
    bool converged; /* a certificate or the optimality condition proves the optimum */
    bool plateau;   /* training ended because the objective no longer decreases */
    /* the run is complete, and convergence is not defined for the method (e.g. forests) */
    bool complete;
    bool surveyed; /* fit has computed what MethodInspection.survey computes */
    bool knows_train_errors;
    uint64_t train_errors;
    char solver[32];
    char objective[192]; /* the objective, if it depends on options */
    char summary[256];   /* how training ended, such as "gap 0.0004 reached in 8 iterations" */
    size_t figure_count;
    cleave_statistic figures[24];
} FitResult;

/* Predictions on one thread that allocate no memory after open. The model must outlive the session.
 * Scores equal those of predict. */
typedef struct {
    Status (*open)(const Model *model, void **session, cleave_error *error);
    Status (*predict)(void *session, const Block *block, double *scores, cleave_error *error);
    void (*close)(void *session); /* accepts NULL */
} PredictSession;

/* One training run of a method, or one worker's part of it. */
struct Fit {
    Context *context;
    cleave_error *error;
    const Method *method;
    const void *options; /* the method's options */
    void *state;         /* state_size bytes, zeroed before begin */
    const FitProblem *problem;

    /* The size of the problem, which grows in a stream. */
    unsigned task;     /* one of CLEAVE_TASK_… */
    uint32_t features; /* number of features known so far; blocks may have more */
    uint32_t classes;  /* number of classes; 0 in a regression */
    size_t outputs;    /* number of scores of a row */
    uint32_t positive; /* binary classification: the number of the positive label */

    uint32_t max_epochs;
    /* Called by fit after each epoch, which epoch_mistakes and epoch_loss describe. If it returns
     * false, training stops. */
    bool (*epoch_done)(Fit *fit);
    void *driver;
    /* Called for every example, and, with block NULL, for a step between examples. NULL: no
     * trace. */
    void (*trace)(const Fit *fit, const Block *block, uint32_t row, const double *scores, bool ok);
    /* The gradient of the last step, for the trace: of the weights (column * outputs + output),
     * then of the intercepts. NULL: the method follows none. */
    const double *gradient;
    bool wants_sample; /* set by begin: call MethodTraining.sample before the first step */
    /* set by the driver before the last call of `end`, which may move arrays into the model */
    bool last;
    FitCalibration calibration;
    FitCounters counters;
    FitResult result;
};

/* Behavior bits of a method: properties that drivers need before they call it. */
enum {
    /* The model depends so much on the row order that large data is shuffled in every epoch. */
    METHOD_SHUFFLES = 1 << 0,
    /* Only mistakes change the model, and epoch_mistakes counts them. */
    METHOD_COUNTS_MISTAKES = 1 << 1,
    /* Features are 0 or 1; the drivers refuse other values. */
    METHOD_BINARY_FEATURES = 1 << 2,
    /* predict uses columns beyond the features of the model. */
    METHOD_WIDER_ROWS = 1 << 3,
    /* An update refuses classes that the model does not have. */
    METHOD_FIXED_CLASSES = 1 << 4,
    /* Scores are linear in the features, so products of features help. */
    METHOD_LINEAR = 1 << 5,
    /* Models record moments of the training rows for later updates. */
    METHOD_RECORDS_MOMENTS = 1 << 6,
    /* Predictions depend on distances between rows. */
    METHOD_USES_DISTANCES = 1 << 7,
    /* The scale of the features does not change predictions. */
    METHOD_SCALE_INVARIANT = 1 << 8,
    /* Several processes can run fit together; see FitProblem.collective. */
    METHOD_COLLECTIVE_FIT = 1 << 9,
    /* step and end_epoch give the same result as fit. */
    METHOD_STEPS_LIKE_FIT = 1 << 10,
};

/* The meaning of an epoch of a method. Each kind has a training option that limits the number of
 * epochs. */
typedef enum {
    EPOCH_PASS,      /* a pass over the rows (epochs) */
    EPOCH_ITERATION, /* an iteration of a batch solver (max_iterations) */
    EPOCH_ROUND,     /* a round of boosting (rounds) */
    EPOCH_TREE,      /* a tree of a forest (trees) */
    EPOCH_BY_SOLVER, /* unknown until the solver is chosen: a pass or an iteration */
} EpochKind;

/* Training: begin, then either step and end_epoch, or fit, and finally end. Members may be NULL,
 * except begin, end, free, and either fit or both step and end_epoch. */
typedef struct {
    /* Replaces `auto` in the options. Called before begin, with the facts of
     * fit->problem, features and classes. */
    Status (*choose)(Fit *fit, void *options);
    /* Whether rows without a label are training rows. The data may have no label at all. */
    bool (*accepts_unlabeled)(const void *options);
    /* Returns the default pipeline; NULL: the default for the kind of data. options may be NULL. */
    const char *(*default_pipeline)(const void *options, const Schema *schema);
    /* Returns weights of columns, NAME=WEIGHT,…, for the last step of the pipeline; NULL: none. */
    const char *(*feature_weights)(const void *options);
    /* Returns the default maximum number of epochs. If the function is NULL, it is 100. */
    uint32_t (*default_epochs)(const void *options);
    /* Returns the kind of epochs. If the function is NULL, it is EPOCH_PASS. options NULL: returns
     * EPOCH_BY_SOLVER if the kind depends on the options. */
    EpochKind (*epoch_kind)(const void *options);
    Status (*begin)(Fit *fit);
    /* Continues from a model of this method with the same classes and no more features. Called
     * after begin and before the first step; the counters of fit are set. */
    Status (*resume)(Fit *fit, const Model *model);
    /* Receives the first 1,000 rows before the first step if begin set fit->wants_sample. */
    Status (*sample)(Fit *fit, const Block *rows);
    Status (*step)(Fit *fit, const Block *block);
    /* *done: further epochs have no effect. The optimum is proven unless result.plateau is set. */
    Status (*end_epoch)(Fit *fit, bool *done);
    /* Takes the whole dataset, for random access to its rows. */
    Status (*fit)(Fit *fit, Dataset *dataset);
    /* Whether to use fit if the method also has step. If the function is NULL, fit is used. */
    bool (*prefers_fit)(const void *options);
    /* For the calibrated learning rate: one copies the state, the other multiplies the rate by a
     * factor. */
    Status (*copy_state)(Fit *to, const Fit *from);
    void (*set_rate_factor)(Fit *fit, double factor);
    /* Extends scores of a block after an epoch, for scores that are sums over parts of the state
     * (such as trees) that do not change. sums (rows * outputs) covers the first *parts parts; If
     * *parts is 0, sums is uninitialized. On return both include all parts, and scores equals, bit
     * for bit, the prediction of a model made now. */
    Status (*extend_scores)(const Fit *fit, const Block *block, uint32_t *parts, double *sums,
                            double *scores);
    /* The regularization term of the objective for a model of this state. */
    double (*penalty)(const Fit *fit, const Model *model);
    /* Writes the state into named arrays of a model. May be called repeatedly. */
    Status (*end)(Fit *fit, Model *model);
    /* Frees the memory of begin, also after begin has failed. */
    void (*free)(Fit *fit);
} MethodTraining;

/* Predictions of a model. predict and check_model are required. */
typedef struct {
    /* Writes rows * outputs scores. block->features is at most the model's, except with
     * METHOD_WIDER_ROWS. */
    Status (*predict)(const Model *model, const Block *block, double *scores, cleave_error *error);
    const PredictSession *session; /* NULL: predict allocates no memory for a few rows */
    /* Called once for a loaded model: checks that all arrays exist, match each other and contain no
     * index out of bounds. options: those of the model, within their ranges. See model_is_sound. */
    Status (*check_model)(const Model *model, const void *options, cleave_error *error);
    /* Converts scores to class probabilities with sum 1. NULL: scores cannot be converted. */
    void (*probabilities)(const Model *model, const double *scores, double *probabilities);
    /* Whether the method abstains from a prediction with these scores. NULL: never. */
    bool (*abstains)(const double *scores, size_t outputs);
    /* The loss of a row from its scores: label is a class of the model, target a number for
     * regression. NULL: the method has no loss other than the error. */
    double (*loss)(const Model *model, const double *scores, uint32_t label, double target);
    /* Whether a prediction takes much longer than a step. NULL: no. */
    bool (*slow_to_predict)(const void *options);
    /* Whether predictions are preferences, which have an order but not the unit of the targets.
     * NULL: no. */
    bool (*predicts_preferences)(const void *options);
    /* For preferences: the rank of the item of each row among the items that its user has not
     * chosen in training, 0 the best and 1 the worst; NaN: the user or the item is unknown. */
    Status (*ranks)(const Model *model, const Block *block, double *ranks, cleave_error *error);
    /* For approximate search: counts the neighbors of the rows, and the ones that the model
     * finds. Both are 0 for an exact model. NULL: models are always exact. */
    Status (*recall)(const Model *model, const Block *rows, uint64_t *found, uint64_t *there,
                     cleave_error *error);
} MethodInference;

/* Online learning, in streams and updates. Each member may be NULL. */
typedef struct {
    /* Computes the scores of a row from the current state. The row may have unknown features. */
    Status (*score)(const Fit *fit, const Block *block, uint32_t row, double *scores);
    /* For methods that store rows and vote: the smallest integer weight with which a labeled row is
     * predicted correctly after it is stored, at most the number of votes. */
    Status (*votes_to_win)(const Fit *fit, const Block *block, uint32_t row, uint32_t *votes);
    /* Adds classes: fit->classes, outputs, positive and task change accordingly. The two classes of
     * a single output get an output each. New outputs are untrained. */
    Status (*widen)(Fit *fit, uint32_t classes, uint32_t positive);
    /* Multiplies the influence of past rows by keep, 0 < keep < 1. Called before each row. */
    Status (*forget)(Fit *fit, double keep);
    /* Returns the learning rate of the next row, for reports. */
    double (*learning_rate)(const Fit *fit);
    /* Learns from new rows without forgetting those of `from`, and writes the arrays of model. It
     * is called without begin. fit->classes and fit->features cover model and rows; problem->rows
     * counts the new rows, rows_before the old ones. NULL: train/update.h steps over the rows. */
    Status (*update)(Fit *fit, const Model *from, Dataset *dataset, Model *model);
} MethodOnline;

/* Epochs by several workers: sums (give, shapes, take) or concatenation (join); and predictions
 * from neighbors in several parts (neighbors_used, find_neighbors, score_neighbors). */
typedef struct {
    /* Adds the changes since start, as numbers whose sum over all workers is enough for take. Means
     * over rows are multiplied by the number of examples since start, which makes them sums. See
     * DELTA_ROUND. */
    Status (*give)(const Fit *fit, const Fit *start, Delta *delta);
    /* The parts that give may add, by which updates from outside are checked. The last has the name
     * NULL. */
    const DeltaShape *shapes;
    /* Adds the sum over all workers to a state equal to start. The counters already include it.
     * end_epoch is called next. */
    Status (*take)(Fit *fit, const Delta *sum);
    /* Whether an epoch by several workers equals that of one worker, except for rounding. */
    bool (*sums_exactly)(const void *options);
    /* Shares the weights of `shared` with a worker, which changes them concurrently, without locks.
     * Results are not deterministic. Fails if the options do not allow it. */
    Status (*race)(Fit *worker, const Fit *shared, unsigned workers);
    /* Appends the rows of another state, given as its model. The counters already include them.
     * end_epoch is called after the last join. */
    Status (*join)(Fit *fit, const Model *model);
    /* The number of neighbors that a prediction uses, or EVERY_ROW. *stored: number of rows in the
     * model. */
    uint32_t (*neighbors_used)(const Model *model, uint32_t *stored);
    /* Finds the nearest stored rows of each row, nearest first: at most `most`, written to
     * found[row * most] and the following elements. */
    Status (*find_neighbors)(const Model *model, const Block *block, uint32_t most, Found *found,
                             uint32_t *counts, cleave_error *error);
    /* Computes the scores from these neighbors, for this number of classes. */
    Status (*score_neighbors)(const Model *model, const Found *found, uint32_t count,
                              uint32_t classes, double *scores, cleave_error *error);
} MethodDistributed;

/* Explanations and traces. Each member may be NULL. */
typedef struct {
    /* Adds the contribution of each feature of the model, present in the row or 0, to the score of
     * an output, and sets the constant. They sum to the score, except for rounding. Returns false
     * if scores of this model are not such a sum. */
    bool (*contributions)(const Model *model, const Block *block, uint32_t row, size_t output,
                          double *contributions, double *intercept);
    /* Lists the training rows that determine the prediction of a row, nearest first. The caller
     * frees *neighbors with the context of the model. */
    Status (*neighbors)(const Model *model, const Block *block, uint32_t row,
                        cleave_neighbor **neighbors, size_t *count, cleave_error *error);
    /* Computes statistics of the stored training rows. Returns false if the model stores none. */
    bool (*points)(const Model *model, cleave_point_set *facts, uint64_t *per_class);
    /* Describes a unit of the first layer of a network; see cleave_model_unit. */
    bool (*unit)(const Model *model, size_t unit, double *weights, double *outputs,
                 double *intercept);
    /* Lists support vectors, the largest coefficient first, or, for a row of a block, their
     * contributions to the score of an output. The caller frees *supports with the context of the
     * model. */
    Status (*supports)(const Model *model, const Block *block, uint32_t row, size_t output,
                       cleave_support_vector **supports, size_t *count, cleave_error *error);
    /* Called with the training rows and the scores of the finished model, for statistics such as
     * the margin. end_survey is called last. */
    Status (*survey)(Fit *fit, const Model *model, const Block *block, const double *scores);
    Status (*end_survey)(Fit *fit, const Model *model);
    /* Writes the current weights (outputs * features) and thresholds (outputs), for a trace. */
    void (*weights)(const Fit *fit, double *weights, double *thresholds);
    /* The number of weights of each feature, which are adjacent. If the function is NULL, it is
     * 1. */
    uint32_t (*weights_per_feature)(const void *options);
    /* The factor of the scores passed to Fit.trace. If the function is NULL, it is 1. */
    double (*score_scale)(const Fit *fit);
    /* Whether the thresholds are learned. */
    bool (*learns_threshold)(const void *options);
} MethodInspection;

struct Method {
    const char *name, *title, *objective, *reference;
    unsigned tasks, traits; /* CLEAVE_TASK_…, CLEAVE_TRAIT_… */
    unsigned behavior;      /* METHOD_… */
    const Param *params;
    size_t options_size, state_size;
    /* Fails for options that exclude each other; may expand an abbreviation. NULL: all options are
     * valid. */
    Status (*check_options)(void *options, cleave_error *error);
    /* Shown if the training error is far below the validation error; NULL: no hint. */
    const char *overfitting_hint;
    const MethodTraining *training;
    const MethodInference *inference;
    const MethodOnline *online;           /* or NULL */
    const MethodDistributed *distributed; /* or NULL */
    const MethodInspection *inspection;   /* or NULL */
};

/* The function or table of an optional capability, or NULL. */
#define METHOD_HAS(method, capability, member)                                                     \
    ((method)->capability && (method)->capability->member)

/* Computes class probabilities from scores that are fractions of votes, or of the rows of a
 * leaf. The score of a binary model is the fraction of the positive class minus that of the
 * other class. */
void clv_class_shares_as_probabilities(const Model *model, const double *scores,
                                       double *probabilities);
/* Implements MethodInspection.contributions for models that consist of weights only. */
bool clv_weight_contributions(const Model *model, const Block *block, uint32_t row, size_t output,
                              double *contributions, double *intercept);

/* Add to fit->result. A text replaces the previous one. */
void clv_figure(Fit *fit, const char *name, double value);
void clv_solver(Fit *fit, const char *name);
void clv_objective(Fit *fit, const char *format, ...) CLEAVE_PRINTF(2, 3);
void clv_summarize(Fit *fit, const char *format, ...) CLEAVE_PRINTF(2, 3);

/* The part of a Delta that belongs to the driver. Its elements are the rows, mistakes and loss of
 * the epoch, and, between processes, the weight of the rows. */
#define DELTA_ROUND "round"
enum { ROUND_ROWS, ROUND_MISTAKES, ROUND_LOSS, ROUND_WEIGHT };

/* The result of check_model: CLEAVE_ERROR_FORMAT, whose message the caller writes, if the model is
 * corrupt. Other failures, such as CLEAVE_ERROR_MEMORY, have their own message. */
static inline Status model_is_sound(bool sound)
{
    return sound ? OK : CLEAVE_ERROR_FORMAT;
}

static inline bool method_prefers_fit(const Method *method, const void *options)
{
    const MethodTraining *training = method->training;

    return training->fit && (!training->prefers_fit || training->prefers_fit(options));
}

/* Whether training needs random access to the rows. */
static inline bool method_needs_fit(const Method *method, const void *options)
{
    return method_prefers_fit(method, options) && !(method->behavior & METHOD_STEPS_LIKE_FIT);
}

/* Whether a model can learn from new rows: by update, or by steps of a state that resumes it.
 * options NULL: whether it can with at least some options. */
static inline bool method_updates(const Method *method, const void *options)
{
    const MethodTraining *training = method->training;
    bool steps = options ? !method_needs_fit(method, options)
                         : !training->fit || training->prefers_fit ||
                               method->behavior & METHOD_STEPS_LIKE_FIT;

    return METHOD_HAS(method, online, update) ||
           (steps && training->resume && training->step && METHOD_HAS(method, online, score));
}

static inline bool method_sums_exactly(const Method *method, const void *options)
{
    return METHOD_HAS(method, distributed, sums_exactly) &&
           method->distributed->sums_exactly(options);
}

static inline bool method_accepts_unlabeled(const Method *method, const void *options)
{
    return method->training->accepts_unlabeled && method->training->accepts_unlabeled(options);
}

static inline bool method_predicts_preferences(const Method *method, const void *options)
{
    return method->inference->predicts_preferences &&
           method->inference->predicts_preferences(options);
}

static inline EpochKind method_epoch_kind(const Method *method, const void *options)
{
    return method->training->epoch_kind ? method->training->epoch_kind(options) : EPOCH_PASS;
}

/* The reason for cleave_report.stopped_by if the method itself has ended training; otherwise
 * NULL. */
static inline const char *fit_ending(const Fit *fit, bool ends)
{
    if (!ends)
        return NULL;
    return fit->result.plateau ? "plateau" : fit->result.complete ? "complete" : "converged";
}

/* The mistakes of the current epoch for cleave_progress; 0 if the method does not count them. */
static inline uint64_t fit_epoch_mistakes(const Fit *fit)
{
    return fit->method->behavior & METHOD_COUNTS_MISTAKES ? fit->counters.epoch_mistakes : 0;
}

/* Whether to end training. Several processes decide together at the end of an epoch, so until then
 * this only reports progress. */
static inline bool fit_cancelled(const Fit *fit)
{
    if (!fit->problem->collective)
        return clv_cancelled(fit->context);
    clv_tick(fit->context);
    return false;
}

static inline Status fit_check(const Fit *fit)
{
    return fit_cancelled(fit) ? clv_fail(fit->error, CLEAVE_ERROR_CANCELLED, "interrupted") : OK;
}

/* Counts units of work in loops of a method; see clv_cancelled_after. If fit returns
 * CLEAVE_ERROR_CANCELLED, the model of its last complete epoch is the result. */
static inline Status fit_poll(const Fit *fit, uint64_t *done, uint64_t units)
{
    return clv_work_is_due(done, units) ? fit_check(fit) : OK;
}

/* The weight of a labeled row, with its class weight. */
static inline double fit_weight(const Fit *fit, const Block *block, uint32_t row, uint32_t label)
{
    const double *class_weight = fit->problem->class_weight;
    double weight = (double)block_weight(block, row);

    return class_weight && label < fit->classes ? weight * class_weight[label] : weight;
}

/* The target of a row in a regression; NaN without a label. */
static inline double fit_target(const Fit *fit, const Block *block, uint32_t row)
{
    return block_number(block, row, fit->problem->label_number);
}

/* The desired sign of an output for a row with this label: +1 or -1. */
static inline double fit_sign(const Fit *fit, uint32_t label, size_t output)
{
    return label == (fit->outputs == 1 ? fit->positive : output) ? 1 : -1;
}

/* The number of outputs: one for two classes, otherwise one per class. */
static inline size_t outputs_of(uint32_t classes)
{
    return classes <= 2 ? 1 : classes;
}

#endif
