/*
 * cleave: large-scale supervised learning in C.
 *
 * This header is the whole library. It reads from the simple to the expert:
 *
 *   1  Errors and the context     what every call takes
 *   2  Simple use                 read, train, test, predict, save, load
 *   3  Data                       options, files, rows of your own, converting, generating
 *   4  Training                   options, the report, progress, tracing
 *   5  Models                     predicting row by row, looking inside
 *   6  Search                     the nearest training points themselves
 *   7  Streams                    examples that never end: predicted, then learned from
 *   8  Rounds by many processes   map, reduce, apply
 *   9  Tables                     every method and every option, described
 *
 * Rules that hold everywhere:
 *   - A call that can fail returns a cleave_code, CLEAVE_OK being 0, and fills the cleave_error it was given (which may
 *     be NULL). The library never prints, exits, aborts, installs signal handlers or keeps global state.
 *   - The caller frees each object with the matching _free, which accepts NULL. Objects may be
 *     freed in any order, the context last. An object that was made from another, such as data
 *     from a model, stays usable after the other is freed.
 *   - A NULL argument is CLEAVE_ERROR_USAGE unless the function's comment allows NULL.
 *   - A model is immutable: any number of threads may use one at the same time, with cleave_predict_row, cleave_predict,
 *     cleave_evaluate and every other function that takes a const cleave_model. A context may be shared by threads too; its callbacks
 *     are then called from several threads. All other objects (data, options, streams, searchers, results) belong to one thread
 *     at a time. Freeing an object requires that no other thread uses it.
 *   - After fork() the child may use and free contexts, models and data that is not being read. Threads of a context are
 *     started anew in the child when they are needed.
 *   - Strings are UTF-8 bytes and are copied when kept. Column numbers count from 0, rows and lines from 1.
 */
#ifndef CLEAVE_H
#define CLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLEAVE_VERSION_MAJOR 0
#define CLEAVE_VERSION_MINOR 1
#define CLEAVE_VERSION_PATCH 0

#if defined(__GNUC__)
#define CLEAVE_API __attribute__((visibility("default")))
#define CLEAVE_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define CLEAVE_API
#define CLEAVE_PRINTF(text, first)
#endif

/* ---- 1  Errors and the context ---------------------------------------------------------------------------------- */

typedef enum {
    CLEAVE_OK = 0,
    CLEAVE_ERROR_USAGE,     /* an option, a method or an argument is not what it can be */
    CLEAVE_ERROR_DATA,      /* the data is not what it should be                        */
    CLEAVE_ERROR_IO,        /* a file could not be opened, read or written              */
    CLEAVE_ERROR_MEMORY,    /* an allocation failed                                     */
    CLEAVE_ERROR_FORMAT,    /* one of our own files is damaged or too new               */
    CLEAVE_ERROR_CANCELLED, /* the cancelled callback said so                           */
    CLEAVE_ERROR_INTERNAL,  /* a defect of the library: please report it                */
} cleave_code;

/* The message names the place ("file:line:column: ...") and the offending text; the hint says what to do. */
typedef struct {
    cleave_code code;
    char message[768];
    char hint[384];
} cleave_error;

typedef enum { CLEAVE_LOG_NOTE, CLEAVE_LOG_WARNING } cleave_log_level;

/* What a long call is doing. Counts that are not known are 0. */
typedef struct {
    const char *phase; /* "read", "train", "write", … */
    uint64_t rows;     /* rows done in this phase (in this round, when training) */
    uint64_t rows_total;
    uint64_t bytes; /* input bytes done */
    uint64_t bytes_total;
    uint32_t round; /* from 1, when training */
    uint32_t rounds;
    uint64_t mistakes; /* in this round */
    const char *
        detail; /* what of it is being done, in words; rows are not counted then, but shares of the work. NULL: nothing */
} cleave_progress;

typedef struct {
    /* realloc's manner: old may be NULL, size 0 frees and returns NULL. Called from several threads. NULL: the C library. */
    void *(*allocate)(void *user, void *old, size_t size);
    /* Notes and warnings, one call each; hint may be empty. NULL: silence. */
    void (*log)(void *user, cleave_log_level level, const char *message, const char *hint);
    /* Called at least every 100 ms of processor time, from several threads. true ends a training run with the model so far, any
     * other call with CLEAVE_ERROR_CANCELLED. NULL: never. */
    bool (*cancelled)(void *user);
    /* Called from the thread that called the library, at least every 100 ms of processor time. NULL: none. */
    void (*progress)(void *user, const cleave_progress *progress);
    void *user;
    unsigned threads; /* 0: as many as the process may use (affinity, control group); without a config: 1 */
} cleave_config;

typedef struct cleave_context cleave_context;

/* config may be NULL for defaults (one thread, no callbacks). NULL is returned only when memory is short. */
CLEAVE_API cleave_context *cleave_context_new(const cleave_config *config);
CLEAVE_API void cleave_context_free(cleave_context *context);

/* "0.1.0", and what it was built with ("zlib 1.2.13, zstd 1.5.4, OpenBLAS"). */
CLEAVE_API const char *cleave_version(void);
CLEAVE_API const char *cleave_features(void);

/* ---- 2  Simple use ----------------------------------------------------------------------------------------------- *
 *
 *     cleave_context *context = cleave_context_new(NULL);
 *     cleave_data *mail;
 *     cleave_model *filter;
 *
 *     cleave_open(context, "mail.tsv", NULL, &mail, &error);
 *     cleave_train(context, "perceptron", mail, NULL, NULL, &filter, NULL, &error);
 *     cleave_save(filter, "filter.model", &error);
 */

typedef struct cleave_options cleave_options;
typedef struct cleave_data cleave_data;
typedef struct cleave_model cleave_model;
typedef struct cleave_report cleave_report;

/* Opens one file, "-" for standard input, or a built-in set such as "@spam6". options may be NULL. */
CLEAVE_API cleave_code cleave_open(cleave_context *context, const char *path, const cleave_options *options,
                                   cleave_data **data, cleave_error *error);

/* Trains a method by name. valid is held-out data for the stopping rules that want it, or NULL; options may be NULL;
 * report may be NULL, otherwise free it with cleave_report_free. */
CLEAVE_API cleave_code cleave_train(cleave_context *context, const char *method, cleave_data *data, cleave_data *valid,
                                    const cleave_options *options, cleave_model **model, cleave_report **report,
                                    cleave_error *error);

/* Goes on from a model, with its method, classes and features, best on data opened for it (cleave_open_for). Methods that
 * sweep, and solvers that were ended before their end, on the same data end where one longer run would have. Rows other than those the model
 * was trained on are an error, unless the option "refit" says that a new problem is meant: then the model is where the solver starts, and what
 * was learned from the old rows is lost. cleave_update learns from new rows. Options that are not given are the model's own: those of the method, and of the
 * others seed, order and class_weight. Rounds, held-out data and the rules of stopping belong to each run. */
CLEAVE_API cleave_code cleave_train_from(const cleave_model *from, cleave_data *data, cleave_data *valid,
                                         const cleave_options *options, cleave_model **model, cleave_report **report,
                                         cleave_error *error);

/* What an update did. Errors are error rates; for regression they are root mean squared errors. */
typedef struct {
    uint64_t rows;                      /* new rows learned from */
    uint64_t unlabeled;                 /* rows without a label, skipped */
    uint64_t new_classes, new_features; /* that the model did not have */
    bool regression;
    double error_before, error_after;           /* on the new rows */
    uint64_t validation_rows;                   /* 0: no validation set was given */
    double validation_before, validation_after; /* NaN without a validation set */
} cleave_update_result;

/* Learns from new rows without forgetting the rows the model was trained on. The data is best opened by cleave_open_to_update; validation may be
 * NULL, and so may options (cleave_update_params) and result. `from` stays as it is. A method without an incremental form is an error. */
CLEAVE_API cleave_code cleave_update(const cleave_model *from, cleave_data *data, cleave_data *validation,
                                     const cleave_options *options, cleave_model **model, cleave_update_result *result,
                                     cleave_error *error);

/* Written whole or not at all: a temporary file beside path, flushed, then renamed over it. */
CLEAVE_API cleave_code cleave_save(const cleave_model *model, const char *path, cleave_error *error);
CLEAVE_API cleave_code cleave_load(cleave_context *context, const char *path, cleave_model **model,
                                   cleave_error *error);

CLEAVE_API void cleave_data_free(cleave_data *data);
CLEAVE_API void cleave_model_free(cleave_model *model);

/* ---- 3  Data ----------------------------------------------------------------------------------------------------- */

/* Options are names and values as text, checked by the call they are given to; section 9 lists them. A later value for
 * the same name replaces the earlier one. Numbers may be written 0.5, 1e-4 or 1/3; a flag is "true" or "false". */
CLEAVE_API cleave_options *cleave_options_new(cleave_context *context);
CLEAVE_API cleave_code cleave_options_set(cleave_options *options, const char *name, const char *value,
                                          cleave_error *error);
CLEAVE_API void cleave_options_free(cleave_options *options);

/* Several files read as one. Reading starts here (enough to know the format) and goes on as the data is used; data from
 * a pipe can be used once. */
CLEAVE_API cleave_code cleave_open_files(cleave_context *context, const char *const *paths, size_t count,
                                         const cleave_options *options, cleave_data **data, cleave_error *error);

/* The same, read the way a model wants it: with the columns, words and feature numbers it was trained on. */
CLEAVE_API cleave_code cleave_open_for(const cleave_model *model, const char *const *paths, size_t count,
                                       const cleave_options *options, cleave_data **data, cleave_error *error);

/* The same, with the columns as they are read: what the model's recipe makes of them is left to whoever looks at it through the model. */
CLEAVE_API cleave_code cleave_open_raw_for(const cleave_model *model, const char *const *paths, size_t count,
                                           const cleave_options *options, cleave_data **data, cleave_error *error);

/* The same for cleave_update: words and columns that the model does not have are kept, so that it can learn them. */
CLEAVE_API cleave_code cleave_open_to_update(const cleave_model *model, const char *const *paths, size_t count,
                                             const cleave_options *options, cleave_data **data, cleave_error *error);

/* The same for data that is to be held against other data, such as held-out rows: read with the columns, words and feature
 * numbers of `like`, which is read to its end first. */
CLEAVE_API cleave_code cleave_open_like(cleave_data *like, const char *const *paths, size_t count,
                                        const cleave_options *options, cleave_data **data, cleave_error *error);

/* Whether path is one of the files the data comes from, which no output may replace. */
CLEAVE_API bool cleave_data_reads(const cleave_data *data, const char *path);

/* What the user did not give and was guessed from the data, and the option of the command that overrides it. */
typedef struct {
    const char *what; /* "format", "header", "delimiter", "label column", "columns", "task", … */
    const char *value;
    const char *option; /* "--label" */
} cleave_guess;
/* The guesses made so far; NULL where there are none. They live as long as the data. */
CLEAVE_API const cleave_guess *cleave_data_guesses(const cleave_data *data, size_t *count);

/* Rows of your own, until the data is first used. Indexes are column numbers from 0, increasing; label NULL means unlabelled. */
CLEAVE_API cleave_code cleave_data_new(cleave_context *context, cleave_data **data, cleave_error *error);
CLEAVE_API cleave_code cleave_data_add(cleave_data *data, const char *label, size_t count, const uint32_t *indexes,
                                       const float *values, cleave_error *error);

/* Reads all remaining rows and writes them as a binary dataset, LIBSVM text or CSV. The suffix of
 * path or the option "to" selects the format. The file is written whole or not at all. path "-" is
 * standard output. done may be NULL. */
typedef struct {
    uint64_t rows, features, classes, entries, bytes_in, bytes_out;
    uint64_t columns; /* of a table that keeps its columns and cells; 0: the features are written */
    double seconds, cpu_seconds;
} cleave_conversion;
CLEAVE_API cleave_code cleave_convert(cleave_data *data, const char *path, const cleave_options *options,
                                      cleave_conversion *done, cleave_error *error);

/* Splits the rows into a training file and a test file, in the format of each suffix: a stratified
 * random split (option seed), or the last rows (option in_order). Both files are written, or
 * neither. facts may be NULL. Options: see cleave_split_params. */
typedef struct {
    cleave_conversion train, test;
    uint64_t groups; /* option by_group: how many there are; otherwise 0 */
    bool stratified;
    bool by_time; /* the test set is the latest rows */
} cleave_split_result;
CLEAVE_API cleave_code cleave_split(cleave_data *data, const char *train_path, const char *test_path,
                                    const cleave_options *options, cleave_split_result *facts, cleave_error *error);

/* What is in files, read to their end: the columns of a table, the labels of anything. */
typedef struct {
    const char *text;
    uint64_t count;
} cleave_value;
typedef struct {
    const char *name, *kind; /* number, category, text, date, label, weight, ignore */
    const char *why;         /* what was found, which speaks for the kind or against it */
    const char *warning;     /* NULL: there is none */
    uint64_t cells, missing, distinct;
    bool more;               /* there are more different values than were told apart */
    double min, median, max; /* NaN unless all that is there is numbers; of many rows, the median of a sample */
    size_t value_count;      /* the most frequent, with their first bytes */
    const cleave_value *values;
    const char *earliest, *latest; /* range of a column of dates, as ISO 8601; NULL for other kinds */
} cleave_column;
typedef struct {
    const char *name;
    double error,
        majority; /* of this column alone, and of the most frequent class; of numbers, roots of mean squares */
} cleave_suspect_column;
typedef struct {
    const char *format;
    uint64_t rows, features, entries, unlabelled; /* entries: values that are not 0 */
    size_t column_count;                          /* of a table */
    const cleave_column *columns;
    size_t label_count; /* the most frequent first */
    const cleave_value *labels;
    size_t suspect_count; /* columns that tell the label all but alone, in a sample of the rows */
    const cleave_suspect_column *suspects;
    bool numbers; /* labels look like numbers to be learned */
    size_t guess_count;
    const cleave_guess *guesses; /* see cleave_data_guesses */
} cleave_description;
/* Options: see cleave_read_params. */
CLEAVE_API cleave_code cleave_describe(cleave_context *context, const char *const *paths, size_t count,
                                       const cleave_options *options, cleave_description **description,
                                       cleave_error *error);
CLEAVE_API void cleave_description_free(cleave_description *description); /* NULL is fine */

/* Generates data of a kind ("sparse", "blobs", "spam") and writes it to path, in the format of its
 * suffix. done may be NULL. */
CLEAVE_API cleave_code cleave_generate(cleave_context *context, const char *kind, const char *path,
                                       const cleave_options *options, cleave_conversion *done, cleave_error *error);

/* A file of your own that is written whole or not at all: a temporary file beside path, renamed by commit. "-" is standard
 * output; what is not a regular file is written directly. Commit and abandon both end it. */
typedef struct cleave_output cleave_output;
CLEAVE_API cleave_code cleave_output_open(cleave_context *context, const char *path, cleave_output **output,
                                          cleave_error *error);
CLEAVE_API cleave_code cleave_output_write(cleave_output *output, const void *bytes, size_t size, cleave_error *error);
CLEAVE_API cleave_code cleave_output_commit(cleave_output *output, cleave_error *error);
CLEAVE_API void cleave_output_abandon(cleave_output *output);

/* A lock on a model file that is loaded, changed and saved under the same name. It is released when
 * it is freed or the process ends. The call fails at once if another owner holds the lock.
 * cleave_stream_new locks its model itself. */
typedef struct cleave_lock cleave_lock;
CLEAVE_API cleave_code cleave_lock_open(cleave_context *context, const char *path, cleave_lock **lock,
                                        cleave_error *error);
CLEAVE_API void cleave_lock_free(cleave_lock *lock); /* accepts NULL */

/* ---- 4  Training ------------------------------------------------------------------------------------------------- */

/* A number a method found worth telling, such as "margin" or "mistake_bound". */
typedef struct {
    const char *name;
    double value;
} cleave_statistic;

/* A learning rate tried by a calibration: the objective that it came to on rows of the sample it was not tried on. */
typedef struct {
    uint64_t seen; /* examples before the calibration */
    double rate, objective;
    bool kept;
} cleave_rate_trial;

struct cleave_report {
    const char *method;
    const char *solver;    /* how the method found it; empty where there is one way only */
    const char *objective; /* what was minimised */
    const char *verdict;   /* how the run ended, in words; empty where the counts below say it */
    uint64_t n, features, classes;
    uint32_t passes; /* sweeps over the data, the clean one included */
    bool
        converged; /* the optimum is proven: by a duality gap or gradient within the tolerance, or by an epoch without a mistake */
    bool cancelled;
    /* Why the run ended: "converged"; "plateau", the objective no longer decreases; "complete", all work is done, and the method has no
     * optimum to converge to; "rounds", "stable", "held-out", …: the rule of that name. */
    const char *stopped_by;
    const char *order; /* in which order the rows were visited, in words */
    bool
        counts_mistakes; /* false: the mistakes below are updates, or 0, and not rows predicted wrong; see train_errors */
    uint64_t mistakes;   /* updates over all sweeps */
    uint64_t last_round_mistakes;                       /* updates in the last sweep */
    uint64_t least_round_mistakes, most_round_mistakes; /* over the last ten sweeps */
    double loss;                                        /* of the last sweep, as the method's objective says */
    uint64_t train_errors; /* training rows the model gets wrong; UINT64_MAX when that was not worth finding out */
    uint64_t valid_n, valid_errors; /* held-out data, by the model that is kept */
    uint32_t kept_round;            /* whose weights the model holds: the last, or the best on held-out data */
    double read_seconds, read_cpu_seconds, train_seconds, train_cpu_seconds;
    size_t round_count; /* wall seconds of each sweep, and its mistakes */
    const double *round_seconds;
    const uint64_t *round_mistakes;
    size_t figure_count;
    const cleave_statistic *figures;
    size_t rate_count; /* rates that calibrations have tried */
    const cleave_rate_trial *rates;
};
CLEAVE_API void cleave_report_free(cleave_report *report);

/* What training of a linear method would cost on many nodes (docs/scaling.md): costs measured here, on rows of the shape given, and a line
 * for each number of nodes. Seconds; messages are those of a node to the next, each round. */
typedef struct {
    double nodes, read_seconds, learn_seconds, message_seconds, message_bytes, round_seconds, total_seconds, efficiency;
    double memory_bytes; /* of a node, which keeps its rows in memory */
} cleave_plan_line;
typedef struct {
    double rows, rounds, row_bytes;
    double read_row_seconds, learn_row_seconds, chunk_weight_seconds, message_number_seconds, message_number_bytes;
    size_t line_count;
    const cleave_plan_line *lines;
} cleave_plan;
CLEAVE_API cleave_code cleave_plan_new(cleave_context *context, const cleave_options *options, cleave_plan **plan,
                                       cleave_error *error);
CLEAVE_API void cleave_plan_free(cleave_plan *plan);

/* One visit of one example; or, with example_row 0, the weights before the first round (round 0), or the step that ends the
 * round of a batch form. Pointers live for the call.
 * Weights and thresholds are those after the visit, outputs of them: weights[output * features + column]. */
typedef struct {
    uint32_t round;
    uint64_t example_row;     /* from 1 in the order of the file */
    const char *example_name; /* NULL where rows have no names   */
    const char *label;
    bool ok;
    bool learns_threshold;
    size_t outputs, features;
    const double *scores; /* before the update; without the threshold when it is fixed */
    const double *weights;
    const double *thresholds;
    const void *names; /* of the features, as the method sees them: cleave_trace_feature_name */
} cleave_trace_event;
typedef void (*cleave_trace_callback)(void *user, const cleave_trace_event *event);

/* The name of a feature, which the pipeline may have made of columns of the data. buffer takes names that are numbers. */
CLEAVE_API const char *cleave_trace_feature_name(const cleave_trace_event *event, size_t column, char buffer[24]);

/* Trains like cleave_train and calls back for every example visited. For small data: each call
 * carries all weights. model and report may be NULL. */
CLEAVE_API cleave_code cleave_trace(cleave_context *context, const char *method, cleave_data *data,
                                    const cleave_options *options, cleave_trace_callback callback, void *user,
                                    cleave_model **model, cleave_report **report, cleave_error *error);

/* Names of columns, once data has been read to its end (training does). buffer takes names that are numbers. */
CLEAVE_API const char *cleave_data_feature_name(const cleave_data *data, size_t column, char buffer[24]);
CLEAVE_API const char *cleave_data_label(const cleave_data *data, size_t number); /* NULL past the last */

/* ---- 5  Models --------------------------------------------------------------------------------------------------- */

/* One predicted row. label is a class as written in the training data, or the number as text for a
 * regression. It is "none" if the model abstains; label_number is then SIZE_MAX, unlike that of a
 * class named "none". */
typedef struct {
    uint64_t row;
    const char *label;
    size_t label_number; /* into cleave_model_label; SIZE_MAX for none, and for a regression */
    const char *given;   /* the label in the data, NULL where there is none */
    bool correct;        /* given and label are the same class */
    size_t score_count;  /* 1 for two classes and for a regression, otherwise one per class */
    const double *scores;
    double number;               /* regression: the answer; NaN otherwise */
    double given_number;         /* regression: the number in the data; NaN where there is none */
    const double *probabilities; /* one per class, summing to 1; NULL unless asked for */
    size_t every_count;          /* option every_above: the numbers of the classes above it */
    const size_t *every;
    const char *name;    /* of the row in the data, as a document's file below its folder; NULL where it has none */
    size_t unseen_count; /* columns of categories whose value is not in the training data, the first 64 of them */
    const char *const *unseen; /* their names */
} cleave_prediction;
typedef cleave_code (*cleave_predict_callback)(void *user, const cleave_prediction *prediction, cleave_error *error);

/* Options: see cleave_predict_params. A callback that returns an error ends the call with it. The data may have labels or
 * not: those of a regression need not even be numbers. */
CLEAVE_API cleave_code cleave_predict(const cleave_model *model, cleave_data *data, const cleave_options *options,
                                      cleave_predict_callback callback, void *user, cleave_error *error);

/* A metric and its 95% confidence interval (docs/guide/judging.md). Both bounds are NaN if there are
 * too few rows for an interval. If all errors are equal, low is NaN and high is the value. The same
 * holds for all members low and high below. */
typedef struct {
    double value, low, high;
} cleave_interval;

typedef struct {
    uint64_t n;          /* labelled rows */
    uint64_t unlabelled; /* rows without a label: not judged */
    uint64_t errors;
    uint64_t none;         /* rows answered "none", counted as errors */
    uint64_t unseen_label; /* rows whose label the model has never seen, counted as errors */
    /* Regression, NaN otherwise: root of the mean squared error, mean absolute error, the root for the mean of these very
     * targets as the answer to all, and R^2 = 1 - rmse^2 / mean_rmse^2 (NaN where all targets are the same). */
    double rmse, mae, mean_rmse, r2;
    double read_seconds, predict_seconds;
    /* Where answers are made of neighbours that are found approximately: the share of the true ones that is found, measured on so many
     * of the rows, chosen by the model's seed. NaN and 0 where they are found exactly, or there are none. */
    double recall;
    uint64_t recall_rows;
    /* Of classes; each row counts once, or by its weight with the option weighted. Averages over classes that are in the data or among the
     * answers: macro counts each once, weighted by its rows. */
    cleave_interval accuracy, error_rate;
    cleave_interval macro_precision, macro_recall, macro_f1, weighted_precision, weighted_recall, weighted_f1;
    /* Areas below the ROC and the precision-recall curve: of two classes those of the positive one, of more the mean of each against the rest. */
    cleave_interval roc_area, pr_area;
    cleave_interval log_loss, brier; /* where the model has probabilities */
    /* Of numbers: the same as above, with intervals. */
    cleave_interval rmse_measure, mae_measure, r2_measure;
    uint64_t measured; /* rows with a label the model knows: what areas, log loss and the Brier score are of */
    bool
        scores_left_out; /* rows are so many that their scores were not kept: no areas, no thresholds, no intervals of numbers */
} cleave_evaluation;
CLEAVE_API cleave_code cleave_evaluate(const cleave_model *model, cleave_data *data, const cleave_options *options,
                                       cleave_evaluation *judgement, cleave_error *error);

/* Of one class; rows, answers and what is right of both are sums of weights, which are 1 without the option weighted. */
typedef struct {
    const char *label;
    double rows, answers, right;
    cleave_interval precision, recall, f1, roc_area, pr_area;
} cleave_class_metrics;
/* What two classes come to where the positive one is answered from this score on. */
typedef struct {
    double threshold, true_positives, false_positives;
    double precision, recall, f1, false_positive_rate;
    bool best_f1, own; /* the best of all by F1; the one that comes to what the model answers */
} cleave_threshold;
typedef struct {
    size_t class_count; /* the model's, in its order; 0: a regression */
    const cleave_class_metrics *classes;
    /* By row the truth, the last row for labels the model has never seen; by column the answer, the last for none: class_count + 1 of each.
     * NULL where classes are more than 2,000. */
    const double *confusion;
    size_t positive; /* two classes: its number; SIZE_MAX otherwise */
    size_t
        threshold_count; /* two classes: from the highest score to the lowest, a thousand or so where scores are more, evenly */
    const cleave_threshold *thresholds;
} cleave_evaluation_details;
/* Like cleave_evaluate, with details. */
CLEAVE_API cleave_code cleave_evaluate_details(const cleave_model *model, cleave_data *data,
                                               const cleave_options *options, cleave_evaluation *judgement,
                                               cleave_evaluation_details **details, cleave_error *error);
CLEAVE_API void cleave_evaluation_details_free(cleave_evaluation_details *details); /* NULL is fine */

/* What pictures of such a judgement are drawn of. Counts are sums of weights, as above. */
typedef struct {
    size_t class_number;
    size_t count; /* from the highest score to the lowest, at most 500 or so: what is left out would not show */
    const cleave_threshold *points;
} cleave_curve;
/* Rows whose probability, as the model says it, is in a range: of two classes the positive one's, of more the most probable one's. */
typedef struct {
    double low, high, rows;
    double said;          /* their mean probability, … */
    cleave_interval came; /* … and the share that is of the class */
} cleave_calibration_bin;
/* Of a histogram: two classes by their score; numbers by how far the answer is above the truth, all of them others. */
typedef struct {
    double low, high, of_positive, of_others;
} cleave_histogram_bar;
typedef struct {
    double truth, answer;
} cleave_prediction_pair;
typedef struct {
    size_t
        curve_count; /* two classes: the positive one's; more: of each against the rest, or of ten with the lowest F1 */
    const cleave_curve *curves;
    size_t calibration_count; /* where the model has probabilities */
    const cleave_calibration_bin *calibration;
    double calibration_error; /* the mean over rows of how far said and came are apart; NaN: none */
    size_t bar_count;
    const cleave_histogram_bar *bars;
    size_t answer_count; /* of numbers: 2,000 rows chosen by the model's seed, or all */
    const cleave_prediction_pair *answers;
} cleave_evaluation_plots;
/* As cleave_evaluate_details; nothing is there to be drawn where scores were left out. Free both. */
CLEAVE_API cleave_code cleave_evaluate_plots(const cleave_model *model, cleave_data *data,
                                             const cleave_options *options, cleave_evaluation *judgement,
                                             cleave_evaluation_details **details, cleave_evaluation_plots **pictures,
                                             cleave_error *error);
CLEAVE_API void cleave_evaluation_plots_free(cleave_evaluation_plots *pictures); /* NULL is fine */

/* A metric that cleave_cv, cleave_tune and cleave_compare rank by: their option metric. */
typedef struct {
    const char *name;      /* as of the option */
    const char *title;     /* for the heading of a column */
    bool higher_is_better; /* otherwise lower is */
    bool percent;          /* a share that is printed in percent */
} cleave_metric;

/* Cross-validation: the rows are dealt into folds, stratified, and each fold is judged by a model of all others, which has not seen it: neither
 * the method nor the recipe that makes its features. Folds are made on as many threads as the context has, each by one of them: the
 * numbers are the same for any number of threads. `error` is the share of wrong answers, or of a regression the root of the mean squared
 * error; bounds are of 95 % intervals. */
typedef struct {
    uint32_t repeat, fold; /* from 1 */
    uint64_t train_n;      /* rows the model was made of, as far as they have labels */
    uint64_t n, errors;    /* labelled rows of the fold, and wrong answers to them */
    uint64_t train_judged, train_errors;
    /* Wilson interval; regression: Student's t on the logarithm. NaN: too few rows. */
    double error, low, high;
    double train_error;     /* on the training rows, or on a sample of them if predicting is slow */
    bool converged;         /* as in cleave_report */
    const char *stopped_by; /* as in cleave_report; NULL: not known */
    double train_seconds, test_seconds;
    cleave_interval metric; /* value of option metric; NaN: undefined in this fold, as AUC is where a class is absent */
} cleave_cv_fold;
typedef enum {
    CLEAVE_FIT_GOOD,       /* chance explains the gap between held-out and training error */
    CLEAVE_FIT_UNCERTAIN,  /* chance may explain it, and so may anything: there are too few rows or folds */
    CLEAVE_FIT_SLIGHT_GAP, /* there is one, and it is small */
    CLEAVE_FIT_OVERFITS,   /* there is one */
    CLEAVE_FIT_MEMORIZES,  /* most of the held-out error is such */
} cleave_fit_quality;
typedef struct {
    const char *method;
    bool regression;
    uint64_t n, unlabelled, features, classes;
    uint64_t groups; /* option by_group: how many there are; otherwise 0 */
    uint32_t folds, repeats;
    bool
        forward; /* option by_time: each fold is tested by a model of earlier rows; n does not count the earliest block */
    uint64_t seed;
    size_t fold_count; /* folds times repeats */
    const cleave_cv_fold *fold;
    double error, low, high; /* over all rows, each judged once a repeat; bounds as of folds */
    /* Over folds, by Student's t, widened because folds share training rows. */
    double mean, mean_low, mean_high;
    double train_error; /* over folds */
    /* Held-out error minus training error, over folds. The conservative bounds determine fit. */
    double gap, gap_low, gap_high;
    double baseline;              /* error of predicting the majority class, or the mean */
    const char *baseline_label;   /* that class; NULL for regression */
    const cleave_metric *metric;  /* of option metric; default: error rate, or RMSE for regression */
    const char *positive;         /* positive class of F1 and average precision, otherwise NULL */
    cleave_interval metric_value; /* over all rows; for metrics of a whole fold: mean over folds */
    cleave_interval metric_mean;  /* mean over folds, by Student's t as above */
    double metric_baseline;
    uint32_t metric_undefined; /* folds in which it is */
    bool beats_baseline;       /* by the metric, even at the worse bound */
    uint32_t unconverged;      /* folds whose training was ended by the number of rounds */
    cleave_fit_quality fit;
    const char *verdict, *hint; /* in words; the hint may be empty */
    double seconds;
} cleave_cv_result;
/* Options: cleave_cv_params; training: those of the method and cleave_train_params but stream and checkpoint, whose seed deals the folds, too.
 * Free the result with cleave_cv_free. */
CLEAVE_API cleave_code cleave_cv(cleave_context *context, const char *method, cleave_data *data,
                                 const cleave_options *options, const cleave_options *training,
                                 cleave_cv_result **result, cleave_error *error);
CLEAVE_API void cleave_cv_free(cleave_cv_result *result); /* NULL is fine */

/* How cleave_tune draws a parameter: not at all unless told to; evenly; evenly in its logarithm; one of some values. */
typedef enum { CLEAVE_TUNE_NONE, CLEAVE_TUNE_LINEAR, CLEAVE_TUNE_LOG, CLEAVE_TUNE_CHOICES } cleave_tune_scale;
/* Tuning: candidates of a method's parameters, drawn by chance from what its table says (cleave_param) and raced on folds; the first has
 * the values of the table. */
typedef struct {
    const char *name, *value;
    double number; /* value, where it is a number; otherwise NaN */
} cleave_setting;
typedef enum {
    CLEAVE_TRIAL_FINISHED,   /* judged by all folds of the last rung */
    CLEAVE_TRIAL_ELIMINATED, /* others were better: it did not come to the next rung */
    CLEAVE_TRIAL_DROPPED, /* worse than the best beyond chance, and given up before all folds of its rung were tried */
    CLEAVE_TRIAL_FAILED,  /* it could not be trained, or judged */
    CLEAVE_TRIAL_OUT_OF_TIME, /* the budget was over */
} cleave_trial_status;
typedef struct {
    uint32_t number; /* from 1 */
    size_t setting_count;
    const cleave_setting *settings; /* what differs from the table and from the caller's options; "tfidf:min_df" is a
                                     * parameter of a step of the pipeline */
    const char *transform;          /* --transform that the settings of steps come to; NULL: the default pipeline */
    uint32_t rung, folds;           /* the last rung it came to, from 1, and the folds judged there */
    uint64_t n, errors;             /* over those folds */
    double error, low, high;        /* NaN: there is none */
    cleave_interval metric;         /* value of option metric; NaN: there is none */
    double seconds;                 /* of training and judging, over those folds */
    cleave_trial_status fate;
    const char *failure; /* of one that failed; otherwise NULL */
} cleave_candidate;
typedef struct {
    double share; /* of the training rows */
    uint32_t entered, hopeless, failed;
    bool finished;
} cleave_rung;
typedef struct {
    const char *name;
    cleave_tune_scale scale;
    double low, high;
    const char *values; /* CHOICES */
    const char *when;   /* see cleave_param; NULL: always */
} cleave_tuned_param;
typedef struct {
    double value, low, high;
} cleave_interval;
typedef struct {
    const char *method;
    bool regression;
    const cleave_metric *metric; /* that ranked the candidates: option metric */
    const char *positive;        /* as of cleave_cv_result */
    uint64_t n;                  /* rows of the search */
    uint64_t groups, seed;
    uint32_t folds;
    bool forward; /* as in cleave_cv_result */
    size_t tuned_count, rung_count, candidate_count;
    const cleave_tuned_param *tuned;
    const cleave_rung *rungs;
    const cleave_candidate *candidates; /* the best first: those of later rungs before those of earlier ones */
    size_t table;                       /* among them, the one with the table's values */
    uint32_t chosen_in;                 /* the rung, from 1, that the winner was chosen in */
    uint64_t trials, found, warm;       /* trials made; found in the journal; begun from another's model */
    cleave_interval gain; /* by how much the winner is better than the table's, by the metric, over the same folds */
    bool gain_is_sure;
    /* Rows kept apart; 0: none, or no time was left for them. */
    uint64_t apart_n, apart_only_winner, apart_only_table; /* the two: rows that one alone answers wrong */
    cleave_interval apart_winner, apart_table;             /* values of the metric */
    double apart_p;                                        /* how often chance alone makes a difference as large */
    bool late;                                             /* the budget was over before the search was */
    bool exhausted;                                        /* every candidate of the search space was tried */
    uint32_t rounds;                                       /* of drawing candidates and racing them */
    const char *verdict, *apart_verdict, *hint;            /* in words; all but the first may be empty */
    double seconds;
} cleave_tune_result;
/* Options: cleave_tune_params; training: as of cleave_cv; what is given there is not tuned. Free the result with cleave_tune_free. */
CLEAVE_API cleave_code cleave_tune(cleave_context *context, const char *method, cleave_data *data,
                                   const cleave_options *options, const cleave_options *training,
                                   cleave_tune_result **result, cleave_error *error);
CLEAVE_API void cleave_tune_free(cleave_tune_result *result); /* NULL is fine */
/* Comparison: every method that suits the data, on the same folds, in a given time. Small shares of the rows tell how long each will
 * take; then each has as many rows as there is time for, the cheap methods first. Whether two differ beyond chance is told by a
 * paired test over the rows that both have answered: docs/guide/comparing.md. */
typedef enum {
    CLEAVE_SIGNIFICANCE_UNTESTED, /* fewer than two folds are common: nothing is tested */
    CLEAVE_SIGNIFICANCE_NONE,     /* chance may explain the difference */
    CLEAVE_SIGNIFICANCE_WORSE,    /* worse beyond chance, at 95 % over all methods together */
    CLEAVE_SIGNIFICANCE_BETTER,
} cleave_significance;
typedef struct {
    const char *method;   /* NULL: the most frequent class, or the mean, as the answer to all */
    const char *settings; /* flags beyond its defaults, as for cleave train; may be empty */
    const char *reason;   /* why it has no numbers, or not those of all folds; NULL: it has */
    unsigned traits;
    uint32_t folds_done;           /* of folds times repeats; 0: there are no numbers */
    uint64_t learned, learned_all; /* rows it learned from, on average over folds, and those there were */
    uint64_t n, n_all;             /* labelled rows judged, over all folds and repeats, and those there were */
    double error, low, high;       /* as of cleave_cv_result */
    cleave_interval metric;        /* value of option metric, as of cleave_cv_result */
    double train_seconds;          /* of a fold, on average */
    double predict_seconds;        /* of a row, on average */
    uint64_t model_bytes;          /* of a fold, on average */
    uint32_t unconverged;          /* folds whose training was ended by the number of rounds */
    double difference, p; /* mean loss by the metric less that of the best, on common rows; NaN where not tested */
    cleave_significance against_best, against_baseline;
    double baseline_p;
} cleave_comparison_row;
typedef struct {
    bool regression;
    uint64_t n, features, classes; /* n: rows with a label */
    uint64_t groups;               /* option by_group: how many there are; otherwise 0 */
    uint32_t folds, repeats;
    bool forward; /* as in cleave_cv_result */
    uint64_t seed;
    const char *baseline_label;  /* NULL of a regression */
    const cleave_metric *metric; /* that ranks the contenders: option metric */
    const char *positive;        /* as of cleave_cv_result */
    size_t contender_count;      /* with numbers, the best by the metric first; then those without */
    const cleave_comparison_row *contenders;
    size_t best;          /* of them; SIZE_MAX: none has numbers */
    bool beats_baseline;  /* any does, beyond chance */
    size_t suspect_count; /* columns that tell the label all but alone */
    const cleave_suspect_column *suspects;
    double budget, seconds;
    uint32_t resumed; /* trials taken from the journal */
    bool cancelled;   /* somebody wanted an end before it was over */
    bool cut;         /* the budget has left something out */
} cleave_comparison;
/* Options: cleave_compare_params. A comparison that is cancelled has what was finished by then. Free it with cleave_comparison_free. */
CLEAVE_API cleave_code cleave_compare(cleave_context *context, cleave_data *data, const cleave_options *options,
                                      cleave_comparison **result, cleave_error *error);
CLEAVE_API void cleave_comparison_free(cleave_comparison *result); /* NULL is fine */

/* Regions of the plane: what is nearer to each place of a training point than to any other (Voronoi), cut to a box around them. */
typedef struct {
    double x, y;
} cleave_plane_point;
typedef struct {
    double x, y;                       /* the place */
    uint64_t row;                      /* of the first point that lies there, in the data, from 0 */
    size_t label;                      /* its class, into labels; SIZE_MAX: none */
    size_t first_corner, corner_count; /* into corners, counter-clockwise */
} cleave_region;
typedef struct {
    size_t regions[2]; /* on its two sides */
    cleave_plane_point from, to;
    bool between_classes;
} cleave_border;
typedef struct {
    double box[4]; /* left, bottom, right, top */
    size_t point_count, label_count, region_count, corner_count, border_count;
    const char *const *labels;
    const cleave_region *regions;
    const cleave_plane_point *corners;
    const cleave_border *borders;
} cleave_voronoi;

/* Of data with two features, or of the points of a model of knn with two. Options: cleave_voronoi_params. */
CLEAVE_API cleave_code cleave_voronoi_of_data(cleave_data *data, const cleave_options *options,
                                              cleave_voronoi **voronoi, cleave_error *error);
CLEAVE_API cleave_code cleave_voronoi_of_model(const cleave_model *model, const cleave_options *options,
                                               cleave_voronoi **voronoi, cleave_error *error);
/* As SVG, whole or not at all. */
CLEAVE_API cleave_code cleave_voronoi_write(const cleave_voronoi *voronoi, const char *path, cleave_error *error);
CLEAVE_API void cleave_voronoi_free(cleave_voronoi *voronoi); /* NULL is fine */

/* Pictures, as numbers first: what `cleave plot` draws and its JSON says. A plot has panels side by side; a panel has two axes and what lies between
 * them. Series of one look have the same colour, mark and dash. */
typedef enum {
    CLEAVE_PLOT_LINE,
    CLEAVE_PLOT_STEPS, /* level from each x to the next */
    CLEAVE_PLOT_MARKS,
    CLEAVE_PLOT_BOTH,      /* marks on a line */
    CLEAVE_PLOT_REFERENCE, /* what others are held against: thin and grey */
} cleave_plot_style;
typedef struct {
    const char *name; /* in the legend; NULL: it is not there */
    cleave_plot_style style;
    size_t look;
    size_t count;
    const double *x, *y;
    const double *low, *high; /* of the bar at each point; NULL: there are none */
    const double *value;      /* of each point: drawn in the colours of a field of numbers; NULL: none */
    const bool *wrong;        /* points answered wrong, which are ringed; NULL: none */
} cleave_plot_series;
typedef struct {
    const char *title;
    bool logarithmic, whole; /* whole: there is nothing between 1 and 2 */
    double low, high;        /* it shows at least these; NaN: what the data needs */
} cleave_plot_axis;
/* What a model answers all over a box, cell by cell from its left lower corner, row by row: numbers of classes, or numbers. */
typedef struct {
    const char *title; /* what numbers are of */
    double box[4];     /* left, bottom, right, top */
    size_t across, up;
    const double *cells; /* NaN: none */
    bool of_classes;
} cleave_plot_field;
/* Counts, by row the truth and by column the answer. */
typedef struct {
    size_t rows, columns;
    const double *counts;
    const char *const *row_names, *const *column_names;
} cleave_plot_matrix;
/* A tree or its upper levels: the root first, children after their parents. */
typedef struct {
    const char *text; /* its question; of a leaf what it answers; of what is left out how much that is */
    size_t yes, no;   /* nodes of this picture that it leads to; SIZE_MAX: it ends here */
    size_t number;    /* of the node in the model's tree */
    size_t left_out;  /* leaves below that are not shown; 0: it is a question or a leaf */
    int missing;   /* rows that lack the value go: 1 to yes, 0 to no; -1: the question says it, or none can lack it */
    size_t label;  /* leaf: its class; SIZE_MAX: none */
    double value;  /* leaf: its number; NaN: none */
    double weight; /* of training rows, NaN where it was not kept */
    const double *class_weight; /* of each class; NULL: not kept */
} cleave_plot_node;
typedef struct {
    size_t node_count, class_count;
    const cleave_plot_node *nodes;
    const char *const *classes;
} cleave_plot_tree;
/* Bars from left to right, a line each. */
typedef struct {
    size_t count;
    const char *const *names;
    const double *values;
} cleave_plot_bars;
typedef struct {
    const char *title; /* may be empty */
    cleave_plot_axis x, y;
    bool same_unit; /* of both axes: what looks near is near */
    size_t series_count;
    const cleave_plot_series *series;
    const cleave_plot_field *field;   /* each of these may be NULL */
    const cleave_plot_matrix *matrix; /* with this there are no series */
    const cleave_voronoi *regions;
    const cleave_plot_tree *tree; /* with this there is nothing else, … */
    const cleave_plot_bars *bars; /* … and with this an x axis */
} cleave_plot_panel;
typedef struct {
    const char *kind, *title;
    const char *remark;   /* a line below the title; may be empty */
    size_t width, height; /* in pixels, as asked for or as it is best seen */
    size_t class_count;
    const char *const *classes; /* of fields and regions */
    size_t panel_count;
    const cleave_plot_panel *panels;
} cleave_plot;

/* The kinds, by what they are made of; NULL past the end. */
typedef enum {
    CLEAVE_PLOT_OF_TRAINING,
    CLEAVE_PLOT_OF_MODEL, /* and data */
    CLEAVE_PLOT_OF_DATA,
    CLEAVE_PLOT_OF_MODEL_ALONE,
} cleave_plot_source;
CLEAVE_API const char *cleave_plot_kind(size_t number, cleave_plot_source *source, const char **brief);
/* Options: cleave_plot_params; training: as of cleave_cv. valid is held-out data, or NULL: a part of the data is held out then. */
CLEAVE_API cleave_code cleave_plot_of_training(const char *kind, cleave_context *context, const char *method,
                                               cleave_data *data, cleave_data *valid, const cleave_options *options,
                                               const cleave_options *training, cleave_plot **plot, cleave_error *error);
/* Data that was not opened for the model is looked at through its eyes; `regions` wants such, since points lie where the data says.
 * Kinds that are made of a model alone take NULL for data. */
CLEAVE_API cleave_code cleave_plot_of_model(const char *kind, const cleave_model *model, cleave_data *data,
                                            const cleave_options *options, cleave_plot **plot, cleave_error *error);
CLEAVE_API cleave_code cleave_plot_of_data(const char *kind, cleave_data *data, const cleave_options *options,
                                           cleave_plot **plot, cleave_error *error);
/* As a picture, "svg", "pdf" or "png", handed over piece by piece. Needs cairo (cleave_features). */
typedef cleave_code (*cleave_write_callback)(void *user, const void *bytes, size_t size, cleave_error *error);
CLEAVE_API cleave_code cleave_plot_draw(cleave_context *context, const cleave_plot *plot, const char *format,
                                        cleave_write_callback write, void *user, cleave_error *error);
CLEAVE_API void cleave_plot_free(cleave_plot *plot); /* NULL is fine */

/* Predicts one row from the caller's arrays. Indexes increase; those beyond the model's features are ignored. Probabilities are
 * present if the model has them. The pointers of the prediction are valid until the next call by the same thread with the same
 * model, or until the model is freed. Thread-safe. */
CLEAVE_API cleave_code cleave_predict_row(const cleave_model *model, size_t count, const uint32_t *indexes,
                                          const float *values, cleave_prediction *prediction, cleave_error *error);

CLEAVE_API const char *cleave_model_method(const cleave_model *model);
CLEAVE_API unsigned cleave_model_task(const cleave_model *model); /* one of CLEAVE_TASK_… */
CLEAVE_API bool cleave_model_has_probabilities(const cleave_model *model);
/* Regression: the smallest and the largest target of the training rows; false where the model does not have them. */
CLEAVE_API bool cleave_model_target_range(const cleave_model *model, double *low, double *high);
CLEAVE_API const char *cleave_model_writer(const cleave_model *model); /* version of cleave that wrote it */
CLEAVE_API uint64_t cleave_model_seed(const cleave_model *model);
CLEAVE_API uint64_t cleave_model_rows(const cleave_model *model); /* rows it was trained on */
CLEAVE_API size_t cleave_model_label_count(const cleave_model *model);
CLEAVE_API const char *cleave_model_label(const cleave_model *model, size_t number);
CLEAVE_API const char *cleave_model_positive(const cleave_model *model); /* NULL unless two classes */
CLEAVE_API size_t cleave_model_feature_count(const cleave_model *model);
CLEAVE_API const char *cleave_model_feature_name(const cleave_model *model, size_t column, char buffer[24]);
/* Value of a parameter the model was trained with, as text; NULL past the end. */
CLEAVE_API const char *cleave_model_param(const cleave_model *model, size_t number, const char **name);

/* Linear models: one output for two classes, otherwise one per class. False for models without weights. */
CLEAVE_API bool cleave_model_is_linear(const cleave_model *model, size_t *outputs);
CLEAVE_API double cleave_model_weight(const cleave_model *model, size_t output, size_t column);
CLEAVE_API double cleave_model_threshold(const cleave_model *model, size_t output);

/* Models of neighbours: the training points they keep. False for all others. per_class, which may be NULL, has room for the labels. */
typedef struct {
    uint64_t count;
    const char *distance, *index; /* how far two are from each other, and how the nearest are found */
    bool dense;                   /* every value of a point is kept; otherwise those that are not 0 */
    uint64_t bytes, index_bytes;  /* what points and index take */
    uint32_t code_parts,
        code_bits; /* index vafile: components of a point's code, and the bits of one; 0: there are no codes */
} cleave_point_set;
CLEAVE_API bool cleave_model_points(const cleave_model *model, cleave_point_set *points, uint64_t *per_class);

/* A support vector: a training row that scores are sums over. */
typedef struct {
    uint64_t row;      /* in the training data, from 1; 0: the model does not say */
    const char *label; /* the class it speaks for, or against */
    bool against;
    double alpha; /* how much, in the score of that class; below 0: against it, or, of two classes, for the other one */
    double kernel, share; /* of an answer: what it has in common with the row; alpha times that. NaN otherwise */
} cleave_support_vector;
/* Kernel methods: all of a model's, those with the largest alpha first. None for all others. Free them with cleave_support_vectors_free. */
CLEAVE_API cleave_code cleave_model_support_vectors(const cleave_model *model, cleave_support_vector **supports,
                                                    size_t *count, cleave_error *error);
CLEAVE_API void cleave_support_vectors_free(cleave_support_vector *supports);

/* Models of trees: how many there are, 0 for all others. Nodes of a tree are numbered from 0, the root; false past the last. */
typedef struct {
    bool leaf;
    size_t left, right;         /* nodes; more questions are asked there */
    size_t nodes;               /* from here down, itself included */
    size_t column;              /* feature asked about */
    bool category;              /* its values are categories, see cleave_model_tree_value; otherwise … */
    double bound, above;        /* … numbers: values up to bound go left, which are those below above */
    bool missing_left;          /* rows without a value go left */
    double weight, gain;        /* of training rows, and what the split gained; NaN where the model has not kept it */
    const double *class_weight; /* by number of the label; NULL where the model has not kept it */
    size_t label;               /* leaf: of the class it says; SIZE_MAX where it says none by itself */
    double value;               /* leaf: what it adds to the score; of several, NaN */
} cleave_tree_node;
CLEAVE_API size_t cleave_model_tree_count(const cleave_model *model);
CLEAVE_API bool cleave_model_tree_node(const cleave_model *model, size_t tree, size_t node, cleave_tree_node *facts);
/* The values of a category that a node asks about, one after the other, *next being 0 for the first: its name, and whether it goes left.
 * False after the last. */
CLEAVE_API bool cleave_model_tree_value(const cleave_model *model, size_t tree, size_t node, size_t *next,
                                        const char **name, bool *left);
/* In words what is true of rows that go left at a node, or right: "height <= 7", "colour is missing or one of red or blue". Of categories so many
 * values are named, and how many more there are. As snprintf: the length of it all; what of it fits is in text, which ends with 0. */
CLEAVE_API size_t cleave_model_tree_condition(const cleave_model *model, size_t tree, size_t node, bool left,
                                              size_t most_values, char *text, size_t size);
/* How much each column matters to the trees of a model, a number for each feature: what its splits gained, as a share of what all gained; and
 * how much worse rows out of the bag are answered when the column is permuted (share of errors; of numbers, mean square), NaN where the model
 * was not trained to know. False where there are no trees, or what splits gained was not kept. */
CLEAVE_API bool cleave_model_importances(const cleave_model *model, double *gain, double *harm);
/* Of both: the columns that are asked about at all, the most important first (by what permuting them does, where that is known), into order; how
 * many these are. */
CLEAVE_API size_t cleave_importance_order(const double *gain, const double *harm, size_t columns, size_t *order);

/* The recipe that makes features of what is read, stage by stage; false past the last. What a stage has learned is named arrays of numbers:
 * false past the last, value 0 past the end. An array "score" has a number for each column that comes out: what it was chosen for, below 0
 * where it was not judged. whole, which may be NULL: they are counts, or numbers of columns. */
typedef struct {
    const char *name;       /* of the transformation */
    const char *brief;      /* what it does */
    char text[512];         /* with its parameters, as --transform takes it */
    char facts[160];        /* what it came to, in words; may be empty */
    size_t inputs, outputs; /* columns; 0 and 0: any */
} cleave_pipeline_step;
CLEAVE_API bool cleave_model_step(const cleave_model *model, size_t number, cleave_pipeline_step *stage);
CLEAVE_API bool cleave_model_step_array(const cleave_model *model, size_t stage, size_t number, const char **name,
                                        size_t *count, bool *whole);
CLEAVE_API double cleave_model_step_value(const cleave_model *model, size_t stage, size_t array, size_t index);
/* What a column that comes out of a stage is called; NULL where that is not known. */
CLEAVE_API const char *cleave_model_step_column(const cleave_model *model, size_t stage, size_t column,
                                                char buffer[24]);

/* What one feature of a row did for the answer. */
typedef struct {
    const char *name;
    size_t column;
    double value;     /* what the recipe has made of it; NaN where it is missing */
    const char *text; /* of a column of categories: the value as the table has it; NULL otherwise */
    double share;     /* of the answer's score, or of the number: weight times value */
    double other;     /* of the runner-up's score, where there are more than two classes; 0 otherwise */
} cleave_contribution;

/* A training point that had a say in an answer. */
typedef struct {
    uint64_t row;      /* in the training data, from 1; those of a model gone on from come first */
    double distance;   /* from the row that is answered */
    double weight;     /* what it counts, by its distance */
    double share;      /* of what all of them count together */
    const char *label; /* its class; NULL when regression */
    double number;     /* regression; NaN otherwise */
} cleave_neighbor;

/* Why a row is answered as it is. A score is bias plus the sum of shares, but for rounding. Of two classes there is one score, which the
 * runner-up sees from the other side. */
typedef struct {
    const char *label; /* the answer; a number as text when regression */
    bool abstained;    /* the model abstains, and label is "none" */
    const char *given; /* the label in the data, NULL where there is none */
    double score, probability;
    const char *runner_up;                         /* NULL: there is none */
    double runner_up_score, runner_up_probability; /* probabilities are NaN where the model has none */
    bool has_shares; /* false: scores of this model are not sums over features, and what follows is 0 */
    double bias, runner_up_bias;
    size_t share_count;
    const cleave_contribution *shares; /* those first that decided most: by |share - other| */
    size_t neighbor_count;
    const cleave_neighbor *neighbors; /* the nearest first; none where the model does not keep its training points */
    size_t support_count;
    const cleave_support_vector *
        supports; /* those that add most to the answer's score, or take most, first; of two classes alpha and share count
                                     * for the answer */
    size_t leaf; /* of a model of one tree: the node that answers, the way to which is the reason; SIZE_MAX otherwise */
    size_t unknown_count;
    const char *const *unknown; /* words and values of an example that the model does not read */
} cleave_explanation;

/* Row number `row` (from 1) of the data. 0: its only row; an error where it has several. */
CLEAVE_API cleave_code cleave_explain_row(const cleave_model *model, cleave_data *data, uint64_t row,
                                          cleave_explanation **explanation, cleave_error *error);
/* An example as a person writes it, read the way the model's own data was: for words a document; for a table `age=39,colour=red`, what is
 * not named being missing, or a line of its values in the order of the training columns, with or without the label; for numbered features
 * `1:0.5 7:1`, for others with names `viagra=1,the=1`. */
CLEAVE_API cleave_code cleave_explain_text(const cleave_model *model, const char *text, size_t size,
                                           cleave_explanation **explanation, cleave_error *error);
CLEAVE_API void cleave_explanation_free(cleave_explanation *explanation);

/* ---- 6  Search --------------------------------------------------------------------------------------------------- *
 *
 * Models of `knn` and `knn-regression` keep their training points, and these can be searched for. With the option unlabelled, `knn` keeps
 * rows that have no label, too: such a model is for search alone. A model that was loaded is searched where its file lies, mapped.
 *
 *     cleave_searcher_open(model, options, &searcher, &error);
 *     cleave_search_vectors(searcher, queries, count, rows, distances, &error);
 */

/* One found point. */
typedef struct {
    uint64_t row; /* in the training data, from 1; of a model that was gone on from, rows are counted on */
    double distance;
    const char *label; /* NULL: it has none; a number as text when regression */
} cleave_found_point;

/* What was found for one row of the queries, the nearest first; of equal distances the lower row. Pointers live for the call. */
typedef struct {
    uint64_t row;
    const char *name; /* of the row in the data; NULL where it has none */
    size_t count;
    const cleave_found_point *points;
} cleave_found;
typedef cleave_code (*cleave_search_callback)(void *user, const cleave_found *found, cleave_error *error);

typedef struct cleave_searcher cleave_searcher;

/* The options of all queries are set here: see cleave_search_params. The model must not change
 * while the searcher is used. A searcher belongs to one thread at a time and uses the threads of
 * its model's context. */
CLEAVE_API cleave_code cleave_searcher_open(const cleave_model *model, const cleave_options *options,
                                            cleave_searcher **searcher, cleave_error *error);
CLEAVE_API void cleave_searcher_free(cleave_searcher *searcher);
CLEAVE_API size_t
cleave_searcher_k(const cleave_searcher *searcher); /* neighbours at the most; 0: all within the radius */
CLEAVE_API size_t cleave_searcher_features(const cleave_searcher *searcher);
CLEAVE_API uint64_t cleave_searcher_points(const cleave_searcher *searcher);

/* Every row of the queries, in order; best of data opened for the model. A callback that returns an error ends the call with it. */
CLEAVE_API cleave_code cleave_search(cleave_searcher *searcher, cleave_data *queries, cleave_search_callback callback,
                                     void *user, cleave_error *error);

/* Queries in memory, cleave_searcher_features values of each. For each of them rows and distances, either of which may be NULL, get
 * cleave_searcher_k numbers; where fewer are found, 0 and infinity. From the second call with as many queries no memory is asked for.
 * Not for models with a recipe. */
CLEAVE_API cleave_code cleave_search_vectors(cleave_searcher *searcher, const float *queries, size_t count,
                                             uint64_t *rows, double *distances, cleave_error *error);

/* Lets go of points, by their rows in the training data: they are found no more, and the others keep their numbers. With the list as text,
 * `3,7-9` or a file that holds such; removed may be NULL. A row that is not there is an error, and nothing is removed;
 * where memory is short, the model is of no use any more. */
CLEAVE_API cleave_code cleave_model_remove(cleave_model *model, const uint64_t *rows, size_t count,
                                           cleave_error *error);
CLEAVE_API cleave_code cleave_model_remove_list(cleave_model *model, const char *rows, uint64_t *removed,
                                                cleave_error *error);

/* ---- 7  Streams -------------------------------------------------------------------------------------------------- *
 *
 * Each example is predicted, judged, then learned from; new classes and new features may appear at any time. Rows without a label
 * are predicted only. The model is kept in a file together with the place in the input it has come to: after a crash, the same
 * calls with the same input, from its first byte, end with the same bytes as if there had been none.
 */

typedef struct cleave_stream cleave_stream;

/* How it is going. */
typedef struct {
    uint64_t examples;   /* rows with a label, each judged before it was learned from */
    uint64_t unlabelled; /* rows that were predicted only */
    size_t classes, features;
    bool regression;
    double error;          /* share of wrong answers over all examples; mean squared error of a regression */
    double window_error;   /* the same over a window in which old examples count less and less */
    double rate;           /* step of the next example; NaN where the method has none */
    double weights_length; /* Euclidean; NaN where the method has no weights */
    uint64_t alarms;       /* how often there was drift */
    bool cancelled;        /* the stream ended because somebody wanted it to */
    uint64_t skipped;      /* lines that could not be read (option skip_bad); known to cleave_stream_get_status alone */
    bool kept;             /* the model's file holds all of it; known to cleave_stream_get_status alone */
} cleave_stream_status;

/* Errors have become more than chance explains: shares of wrong answers before and now, and how many standard deviations
 * that is. Of a regression, shares of examples whose squared error is above the mean. */
typedef struct {
    uint64_t example;
    double before, now, z;
} cleave_stream_drift;

/* What the caller wants to be told; each may be NULL. */
typedef struct {
    cleave_predict_callback prediction;                              /* of every row, before it is learned from */
    void (*progress)(void *user, const cleave_stream_status *facts); /* at 1, 2, 4, 8, … examples */
    void (*drift)(void *user, const cleave_stream_drift *drift);
    void (*caught_up)(void *user); /* the rows at hand are done: more may have to be waited for */
    /* Before the model is saved: what the caller has made of the predictions so far should be safe when this returns. The
     * number is kept in the model (cleave_stream_resumed tells it), such as the size of a file. */
    cleave_code (*saving)(void *user, uint64_t *number, cleave_error *error);
    void *user;
} cleave_stream_callbacks;

/* model is the file the model is kept in, or NULL: where it exists the stream goes on from it. Options: see cleave_stream_params, and
 * those of the method. watch is copied. */
CLEAVE_API cleave_code cleave_stream_new(cleave_context *context, const char *method, const char *model,
                                         const cleave_options *options, const cleave_stream_callbacks *watch,
                                         cleave_stream **stream, cleave_error *error);
CLEAVE_API void cleave_stream_free(cleave_stream *stream);

/* Whether it goes on from a stream that was before: where that ended in its input, and the number its caller kept. */
CLEAVE_API bool cleave_stream_resumed(const cleave_stream *stream, uint64_t *examples, uint64_t *bytes,
                                      uint64_t *number);

/* Reads a file, a pipe or "-" line by line, as it comes, until its end or until somebody cancels; a folder document by document, a dataset row
 * by row. Saves the model now and then
 * (options save_every, save_seconds) and at the end. A last line without a newline is left for another stream where the model is kept, and
 * taken as it is otherwise. */
CLEAVE_API cleave_code cleave_stream_read(cleave_stream *stream, const char *path, const cleave_options *options,
                                          cleave_error *error);
/* The same of a file that grows, and may be rotated or cut back, or of a folder or maildir that gets new documents, until it is
 * cancelled. */
CLEAVE_API cleave_code cleave_stream_follow(cleave_stream *stream, const char *path, const cleave_options *options,
                                            cleave_error *error);
/* One row of your own; label NULL: predicted only. prediction may be NULL; its pointers live until the next call. */
CLEAVE_API cleave_code cleave_stream_row(cleave_stream *stream, const char *label, size_t count,
                                         const uint32_t *indexes, const float *values, cleave_prediction *prediction,
                                         cleave_error *error);

CLEAVE_API void cleave_stream_get_status(cleave_stream *stream, cleave_stream_status *facts);
/* Not from within a callback: the model as it is now, into its file. Nothing is written before the first label. */
CLEAVE_API cleave_code cleave_stream_save(cleave_stream *stream, cleave_error *error);
/* The same as a model of the caller's; NULL before the first label. */
CLEAVE_API cleave_code cleave_stream_model(cleave_stream *stream, cleave_model **model, cleave_error *error);

/* ---- 8  Rounds by many processes --------------------------------------------------------------------------------- *
 *
 * A round of training made by processes that share nothing but files (docs/guide/mapreduce.md): each maps some rows with
 * the same model, sums are made of what they wrote, and the sums are applied to the model. Paths may be "-", standard input or
 * output; files are written whole or not at all.
 */

/* What a map task, or a round, came to. */
typedef struct {
    uint32_t round; /* from 1 */
    uint64_t tasks; /* map tasks */
    uint64_t rows, mistakes;
    bool
        counts_mistakes; /* false: mistakes are rows that moved the weights, as every row may, and not rows answered wrong */
    double loss;         /* summed over the rows, as the method's objective says */
    uint64_t features; /* of the model, after the round */
    bool finished;     /* no more rounds are needed … */
    bool converged;    /* … because the optimum is proven: see cleave_report */
    char verdict[256]; /* how it stands, where the method has words for it */
} cleave_round;

/* The model before the first round: classes and features of a sample, the first rate where it is found on rows. Options: those of
 * the method and cleave_begin_params. */
CLEAVE_API cleave_code cleave_begin(cleave_context *context, const char *method, cleave_data *sample,
                                    const cleave_options *options, cleave_model **model, cleave_error *error);

/* What these rows add to the model, as lines of key and value. Options are those of reading; an input without rows is fine. The
 * same rows and model give the same bytes. */
CLEAVE_API cleave_code cleave_map(const cleave_model *model, const char *const *paths, size_t count,
                                  const cleave_options *options, const char *output, cleave_round *facts,
                                  cleave_error *error);

/* Exact sums of the values of equal keys, which must stand together, whatever the order of values. partial: nothing is rounded, and
 * a key may have several lines: to be reduced again. */
CLEAVE_API cleave_code cleave_reduce(cleave_context *context, const char *const *paths, size_t count, bool partial,
                                     const char *output, cleave_error *error);

/* Models whose answers are made of training rows (knn) may be those of parts of the data: of such a model, cleave_map writes the rows of the part
 * nearest to each row that it reads, cleave_reduce keeps the nearest of all parts, and this makes the answers of them, in the order of
 * what map has read. The model may be any part's. Scores are not told. */
CLEAVE_API bool cleave_model_finds_rows(const cleave_model *model);
CLEAVE_API cleave_code cleave_predict_found(const cleave_model *model, const char *const *paths, size_t count,
                                            cleave_predict_callback callback, void *user, cleave_error *error);

/* The sums of all map tasks into the model they were made with, which ends the round. */
CLEAVE_API cleave_code cleave_apply(const cleave_model *model, const char *const *paths, size_t count,
                                    cleave_model **next, cleave_round *facts, cleave_error *error);

/* ---- 9  Tables --------------------------------------------------------------------------------------------------- */

typedef enum { CLEAVE_REAL, CLEAVE_INTEGER, CLEAVE_FLAG, CLEAVE_NAME, CLEAVE_TEXT } cleave_type;

/* One option: its flag is --name with '_' written '-'. Tables end with a NULL name. */
typedef struct {
    const char *name;
    const char *alias; /* another name, or NULL */
    cleave_type type;
    double initial, min, max; /* REAL, INTEGER; min_open: the minimum itself is not allowed */
    bool min_open;
    bool takes_inf;            /* REAL: "inf" is a value too */
    const char *text;          /* TEXT: the initial value, or NULL */
    const char *const *values; /* NAME: what it can be, NULL at the end; initial counts into it */
    const char *help;
    size_t offset; /* where the library keeps it */
    cleave_tune_scale tune;
    double tune_low, tune_high; /* LINEAR, LOG */
    const char *tune_values;    /* CHOICES: those that are worth a try, as in "none,1/d"; NULL: all there are */
    const char
        *tune_when; /* where others have these values, as in "kernel=gaussian|polynomial,sigma=0"; NULL: always */
    /* With more of it (1), or less (-1), the model is held back less, where training comes to the same minimum from wherever it starts: models
     * of values one after the other may start each from the one before. 0: they may not. */
    int tune_path;
    const char *tune_path_when; /* as tune_when; NULL: always */
} cleave_param;

enum { CLEAVE_TASK_BINARY = 1, CLEAVE_TASK_MULTICLASS = 2, CLEAVE_TASK_REGRESSION = 4 };
enum {
    CLEAVE_TRAIT_SPARSE = 1,      /* work is in proportion to the non-zeros */
    CLEAVE_TRAIT_ONLINE = 2,      /* learns from a stream, one look at each example */
    CLEAVE_TRAIT_MERGEABLE = 4,   /* states of several workers can be folded into one */
    CLEAVE_TRAIT_CATEGORICAL = 8, /* takes categories natively */
    CLEAVE_TRAIT_READABLE = 16,   /* the model can be read by a person */
    CLEAVE_TRAIT_DETERMINISTIC = 32,
    CLEAVE_TRAIT_WIDE = 64,       /* very many features do it no harm */
    CLEAVE_TRAIT_UPDATABLE = 128, /* cleave_update takes its models, with some or all options */
};

typedef struct {
    const char *name, *brief, *objective, *reference;
    unsigned tasks, traits;
    const cleave_param *params;
    bool streams; /* cleave_stream takes it: it answers while it learns */
} cleave_method_info;

CLEAVE_API size_t cleave_method_count(void);
CLEAVE_API cleave_method_info cleave_method(size_t number);
/* By name; on failure the error suggests the nearest. */
CLEAVE_API cleave_code cleave_method_find(const char *name, cleave_method_info *info, cleave_error *error);

/* What a recipe (the option `transform` of training) is made of. */
typedef struct {
    const char *name, *brief, *about;
    const cleave_param *params;
} cleave_transform_info;

CLEAVE_API size_t cleave_transform_count(void);
CLEAVE_API cleave_transform_info cleave_transform(size_t number);
CLEAVE_API cleave_code cleave_transform_find(const char *name, cleave_transform_info *info, cleave_error *error);

CLEAVE_API const cleave_param *cleave_read_params(void);     /* cleave_open and its kin      */
CLEAVE_API const cleave_param *cleave_train_params(void);    /* cleave_train, for any method */
CLEAVE_API const cleave_param *cleave_predict_params(void);  /* cleave_predict               */
CLEAVE_API const cleave_param *cleave_evaluate_params(void); /* cleave_evaluate                  */
CLEAVE_API const cleave_param *cleave_cv_params(void);       /* cleave_cv                    */
CLEAVE_API const cleave_param *cleave_tune_params(void);     /* cleave_tune                  */
CLEAVE_API const cleave_param *cleave_compare_params(void);  /* cleave_compare               */
CLEAVE_API const cleave_param *cleave_search_params(void);   /* cleave_searcher_open         */
CLEAVE_API const cleave_param *cleave_convert_params(void);  /* cleave_convert               */
CLEAVE_API const cleave_param *cleave_split_params(void);    /* cleave_split                 */
CLEAVE_API const cleave_param *cleave_generate_params(void); /* cleave_generate              */
CLEAVE_API const cleave_param *cleave_plan_params(void);     /* cleave_plan_new              */
CLEAVE_API const cleave_param *cleave_begin_params(void);    /* cleave_begin, for any method */
CLEAVE_API const cleave_param *cleave_stream_params(void);   /* cleave_stream_new            */
CLEAVE_API const cleave_param *cleave_update_params(void);   /* cleave_update                */
CLEAVE_API const cleave_param *cleave_voronoi_params(void);  /* cleave_voronoi_of_…          */
CLEAVE_API const cleave_param *cleave_plot_params(void);     /* cleave_plot_of_…             */

/* What exists, for help and completion: NULL past the end. */
CLEAVE_API const char *cleave_format(size_t number, const char **brief);
CLEAVE_API const char *cleave_builtin(size_t number, const char **brief);
CLEAVE_API const char *cleave_generator(size_t number, const char **brief);

/* The shortest text that reads back as the same number, whatever the locale; returns buffer. */
CLEAVE_API const char *cleave_number_text(double number, char buffer[32]);

/*
 * Escapes text from outside for display: control characters (C0, DEL, C1), direction marks (U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+206F), line separators (U+2028, U+2029) and bytes
 * that are not UTF-8 become \n, \t, \xHH (a byte) or \uHHHH (a character). Other characters are
 * kept. Messages of the library are already escaped.
 */
typedef enum {
    CLEAVE_ESCAPE_LINES, /* keeps newlines and tabs                                         */
    CLEAVE_ESCAPE_LINE,  /* the result is one line; escaping it again changes nothing       */
    CLEAVE_ESCAPE_EXACT  /* one line, with \\ for a backslash, so that it can be reversed   */
} cleave_escaping;
/* Writes as many whole characters as fit into buffer, and a NUL. Returns the length of the complete
 * result, like snprintf. */
CLEAVE_API size_t cleave_escape(const char *text, size_t length, cleave_escaping how, char *buffer, size_t size);

/*
 * Formats text as a cell of CSV or TSV (RFC 4180). Cells with the delimiter, quotes, line ends, or
 * leading or trailing blanks are quoted. safe: cells that a spreadsheet would execute as a formula
 * (= + - @ tab CR at the start, except numbers) get a leading apostrophe. Fills buffer and returns
 * like snprintf.
 */
CLEAVE_API size_t cleave_csv_cell(const char *text, char delimiter, bool safe, char *buffer, size_t size);

/* The candidate nearest to a misspelt word, or NULL when none is near. candidates ends with NULL. */
CLEAVE_API const char *cleave_nearest_word(const char *word, const char *const *candidates);

#ifdef __cplusplus
}
#endif

#endif
