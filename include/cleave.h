/*
 * cleave: large-scale supervised learning in C.
 *
 * This header is the stable core: read data, train, predict, evaluate, save, load, update, search.
 * Reading it takes ten minutes. <cleave/expert.h> declares everything else.
 *
 *   1  Errors        codes, messages, hints
 *   2  Context       allocator, callbacks, threads
 *   3  Options       names and values
 *   4  Data          files, arrays, texts, Arrow
 *   5  Training      train, warm start, update
 *   6  Models        save, load, what a model contains
 *   7  Prediction    one row or many
 *   8  Evaluation    metrics with confidence intervals
 *   9  Search        nearest training points
 *  10  Pipelines     transforms without a method
 *
 * A complete program without error handling (examples/c has six programs):
 *
 *     cleave_context *context = cleave_context_new(NULL);
 *     cleave_data *mail;
 *     cleave_model *filter;
 *
 *     cleave_open(context, "mail.tsv", NULL, &mail, &error);
 *     cleave_train(context, "svm", mail, NULL, NULL, &filter, NULL, &error);
 *     cleave_save(filter, "filter.model", &error);
 *     cleave_model_free(filter);
 *     cleave_data_free(mail);
 *     cleave_context_free(context);
 *
 * Rules for every function, unless its comment states otherwise:
 *
 *   Failure      A function that can fail returns a cleave_code (CLEAVE_OK is 0) and fills the
 *                cleave_error it was given, which may be NULL. Output pointers are then NULL or
 *                unchanged. A NULL argument is CLEAVE_ERROR_USAGE unless NULL is allowed. The
 *                library never prints, exits or aborts, installs no signal handlers, and has no
 *                global state.
 *   Ownership    The caller frees each object with the matching _free, which accepts NULL.
 *                Arguments are copied when they are kept. Objects may be freed in any order, the
 *                context last.
 *   Threads      A model is immutable: any number of threads may use it at once, through every
 *                function that takes a const cleave_model. A context may be shared by threads; its
 *                callbacks are then called by several threads. Every other object belongs to one
 *                thread at a time. An object may be freed when no other thread uses it.
 *   Fork         After fork() the child may use and free contexts, models, and data that is not
 *                being read.
 *   Strings      UTF-8, ended by a NUL. Column numbers count from 0, rows and lines of files from
 *                1.
 *   Sizes        A struct that the caller passes by pointer begins with `size_t size`, which the
 *                caller sets to sizeof(the struct). The library reads and writes that many bytes,
 *                so that a struct can grow without breaking compiled programs. Set the other
 *                members to 0 for their defaults: cleave_config config = {.size = sizeof config}.
 *                A struct that the library allocates may grow at its end.
 *
 * Functions of this header keep their meaning and binary interface within a major version, from
 * version 1 on.
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
#define CLEAVE_VERSION_NUMBER                                                                      \
    (CLEAVE_VERSION_MAJOR * 10000 + CLEAVE_VERSION_MINOR * 100 + CLEAVE_VERSION_PATCH)

#if defined(__GNUC__)
#define CLEAVE_API __attribute__((visibility("default")))
#define CLEAVE_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define CLEAVE_API
#define CLEAVE_PRINTF(text, first)
#endif

/* Version of the library at run time: "0.1.0", 100 (0 * 10000 + 1 * 100 + 0), and the optional
 * libraries with which it was built ("zlib 1.2.13, zstd 1.5.4, OpenBLAS"). Cannot fail.
 * Thread-safe. */
CLEAVE_API const char *cleave_version(void);
CLEAVE_API unsigned cleave_version_number(void);
CLEAVE_API const char *cleave_features(void);

/* ---- 1  Errors ------------------------------------------------------------------------------- */

typedef enum {
    CLEAVE_OK = 0,
    CLEAVE_ERROR_USAGE,     /* an option, a method or an argument is invalid      */
    CLEAVE_ERROR_DATA,      /* the data is invalid                                */
    CLEAVE_ERROR_IO,        /* a file could not be opened, read or written        */
    CLEAVE_ERROR_MEMORY,    /* an allocation failed                               */
    CLEAVE_ERROR_FORMAT,    /* a file of cleave is damaged or too new             */
    CLEAVE_ERROR_CANCELLED, /* the callback `cancelled` returned true             */
    CLEAVE_ERROR_INTERNAL,  /* a defect of the library: please report it          */
} cleave_code;

/* The message contains the position ("file:line:column: ...") and the offending text. The hint,
 * which may be empty, suggests a remedy. The layout is fixed: it has no member `size`, and need not
 * be initialized. */
typedef struct {
    cleave_code code;
    char message[768];
    char hint[384];
} cleave_error;

/* ---- 2  Context ------------------------------------------------------------------------------ */

typedef enum { CLEAVE_LOG_NOTE, CLEAVE_LOG_WARNING } cleave_log_level;

/* Progress of a long call. Unknown counts are 0. */
typedef struct {
    const char *phase; /* "read", "train", "write", ...              */
    uint64_t rows;     /* number of rows processed in this phase, or in this epoch */
    uint64_t rows_total;
    uint64_t bytes; /* number of bytes of the input processed so far */
    uint64_t bytes_total;
    uint32_t epoch; /* number of the current epoch, from 1; 0 unless training */
    uint32_t epochs;
    uint64_t mistakes;  /* mistakes in the current epoch */
    const char *detail; /* name of a part of the phase, whose rows are units of work; NULL: none */
} cleave_progress;

typedef struct {
    size_t size; /* sizeof(cleave_config) */
    /* Like realloc: old may be NULL; size 0 frees and returns NULL. Called by several threads.
     * NULL: the C library. */
    void *(*allocate)(void *user, void *old, size_t size);
    /* Receives notes and warnings. hint may be empty. NULL: they are dropped. */
    void (*log)(void *user, cleave_log_level level, const char *message, const char *hint);
    /* Called at least every 100 ms of processor time, by several threads. If it returns true,
     * training ends with the model so far, and any other call ends with CLEAVE_ERROR_CANCELLED.
     * NULL: never. */
    bool (*cancelled)(void *user);
    /* Called by the calling thread, at least every 100 ms of processor time. NULL: never. */
    void (*progress)(void *user, const cleave_progress *progress);
    void *user;
    /* number of threads; 0: all processors that the process may use (affinity, control group) */
    unsigned threads;
} cleave_config;

typedef struct cleave_context cleave_context;
typedef struct cleave_options cleave_options;
typedef struct cleave_data cleave_data;
typedef struct cleave_model cleave_model;
typedef struct cleave_report cleave_report;
typedef struct cleave_searcher cleave_searcher;

/* Creates a context; config may be NULL (one thread, no callbacks). Returns NULL if memory is
 * exhausted or config->size is 0. Thread-safe. */
CLEAVE_API cleave_context *cleave_context_new(const cleave_config *config);
/* Frees the context. Every object made with it must have been freed before. */
CLEAVE_API void cleave_context_free(cleave_context *context);

/* ---- 3  Options ------------------------------------------------------------------------------ */

/* Options are names and values as text. They are checked by the function that uses them, which
 * returns CLEAVE_ERROR_USAGE for an unknown name or a value out of range. Names are the flags of
 * the command with '_' for '-' (`cleave help METHOD`). Numbers may be written 0.5, 1e-4 or 1/3; a
 * flag is "true" or "false". */
/* NULL: memory is exhausted */
CLEAVE_API cleave_options *cleave_options_new(cleave_context *context);
/* Sets an option; a later value replaces an earlier one. Fails only if memory is exhausted. */
CLEAVE_API cleave_code cleave_options_set(cleave_options *options, const char *name,
                                          const char *value, cleave_error *error);
/* Sets an option that maps names to numbers, such as "class_weight" (labels), "feature_weights"
 * or "monotone" (columns; 1: increasing, -1: decreasing, 0: neither). A name with ',' or '=' is
 * an error. */
CLEAVE_API cleave_code cleave_options_set_numbers(cleave_options *options, const char *name,
                                                  size_t count, const char *const *keys,
                                                  const double *numbers, cleave_error *error);
/* The value of an option; NULL: not set. It is valid until the option is set again. */
CLEAVE_API const char *cleave_options_get(const cleave_options *options, const char *name);
/* The option with this number: returns its value and sets its name; NULL after the last one. */
CLEAVE_API const char *cleave_options_at(const cleave_options *options, size_t number,
                                         const char **name);
CLEAVE_API cleave_code cleave_options_clone(const cleave_options *options, cleave_options **clone,
                                            cleave_error *error);
CLEAVE_API void cleave_options_free(cleave_options *options);

/* ---- 4  Data --------------------------------------------------------------------------------- */

/* Opens a file, "-" for standard input, or a built-in set such as "@spam6". The format is detected
 * from the content. Only the beginning is read, to detect the format; the rest is read when the
 * data is used. Data from a pipe can be used once. options may be NULL. Free the data with
 * cleave_data_free. */
CLEAVE_API cleave_code cleave_open(cleave_context *context, const char *path,
                                   const cleave_options *options, cleave_data **data,
                                   cleave_error *error);
/* Opens several files as one. */
CLEAVE_API cleave_code cleave_open_files(cleave_context *context, const char *const *paths,
                                         size_t count, const cleave_options *options,
                                         cleave_data **data, cleave_error *error);
/* Opens files for a model: with the columns, vocabulary and feature numbers of its training data.
 * The model may be freed before the data. */
CLEAVE_API cleave_code cleave_open_for(const cleave_model *model, const char *const *paths,
                                       size_t count, const cleave_options *options,
                                       cleave_data **data, cleave_error *error);
/* Opens files for cleave_update: words and columns that are new to the model are kept. */
CLEAVE_API cleave_code cleave_open_to_update(const cleave_model *model, const char *const *paths,
                                             size_t count, const cleave_options *options,
                                             cleave_data **data, cleave_error *error);
CLEAVE_API void cleave_data_free(cleave_data *data);

typedef enum {
    CLEAVE_FLOAT32,
    CLEAVE_FLOAT64,
    CLEAVE_INT32,
    CLEAVE_INT64,
    CLEAVE_UINT32,
    CLEAVE_UINT64,
    CLEAVE_BYTES
} cleave_number_type;

/* A matrix in the caller's memory: dense, or CSR if row_starts is not NULL. The memory is never
 * changed.
 * Dense: the value of (row, column) is at values + row * row_stride + column * column_stride.
 * Strides count bytes; both 0: C order without gaps. Fortran order: sizeof(float) and rows *
 * sizeof(float). CSR: row i has the entries row_starts[i] to row_starts[i + 1] - 1 of indexes
 * and values. Indexes count from 0 and may be unsorted. Values of a repeated index are added. */
typedef struct {
    size_t size; /* sizeof(cleave_matrix) */
    size_t rows, columns;
    cleave_number_type type; /* type of the values: CLEAVE_FLOAT32 or CLEAVE_FLOAT64 */
    const void *values;
    ptrdiff_t row_stride, column_stride; /* dense, in bytes */
    cleave_number_type index_type;       /* CSR: CLEAVE_INT32 or CLEAVE_INT64 */
    const void *row_starts;              /* CSR: rows + 1 numbers */
    const void *indexes;                 /* CSR */
} cleave_matrix;

/* Data beside the rows of a matrix, of texts or of an Arrow stream. Every pointer may be NULL.
 * At most one of labels, classes and targets may be set. */
typedef struct {
    size_t size;               /* sizeof(cleave_rows) */
    const char *const *labels; /* text of each label; NULL: unlabeled */
    const int64_t *classes;    /* numeric labels */
    const double *targets;     /* targets of a regression; NaN: unlabeled */
    const float *weights;      /* sample weights, not negative */
    const uint64_t *groups;    /* group of each row (option by_group qid of cross-validation) */
    /* Names of the columns of a dense matrix. The data is then a table, as a CSV file with this
     * header and the label in a last column named label_name (NULL: "label"). */
    const char *const *column_names;
    const char *label_name;
    /* Keep pointers to the caller's memory instead of copying. The memory must stay unchanged until
     * the data is freed. A dense float32 matrix in C order without gaps and without NaN is used in
     * place; other layouts are packed when they are used. */
    bool borrow;
    /* Texts: they are read as by this model. NULL: as a new data set. */
    const cleave_model *model;
    bool keep_new; /* keep words that are new to `model`, for cleave_update */
} cleave_rows;

/* Data from a matrix; rows may be NULL. NaN in a dense matrix is a missing value; infinite
 * values are CLEAVE_ERROR_DATA. Without column names, dense data equals the NumPy file of the
 * matrix, and CSR data equals the LIBSVM file (index i is feature i + 1 there): training gives
 * the same model. */
CLEAVE_API cleave_code cleave_data_from_matrix(cleave_context *context, const cleave_matrix *matrix,
                                               const cleave_rows *rows, cleave_data **data,
                                               cleave_error *error);

/* Data from texts, which are copied. lengths may be NULL if the texts end with a NUL. Training
 * gives the same model as a file of lines label<TAB>text. A label "?" or "" is unlabeled. rows
 * may be NULL; options of reading text ("ngrams", "stop_words", ...) may be NULL. */
CLEAVE_API cleave_code cleave_data_from_texts(cleave_context *context, const char *const *texts,
                                              const size_t *lengths, size_t count,
                                              const cleave_rows *rows,
                                              const cleave_options *options, cleave_data **data,
                                              cleave_error *error);

/* The Arrow C data and stream interfaces, as the Arrow specification defines them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* Data from an Arrow stream of record batches, which is read to its end, copied and released (also
 * after an error). Columns: integers, floating point, booleans (0 and 1), UTF-8 text (also as
 * string views), dictionaries of these; a null is a missing value. Training gives the same model as
 * a CSV file with these cells. Options of reading tables ("label", "columns", ...) may be NULL.
 * With "label" and without "columns", numeric columns are numbers and dictionaries are categories.
 * rows may be NULL. Otherwise its labels and weights, one per row of the stream, are the last
 * columns, and its label_name (NULL: "label") replaces the option "label". model may be NULL;
 * otherwise the data is read for that model, as by cleave_open_for. */
CLEAVE_API cleave_code cleave_data_from_arrow(cleave_context *context,
                                              struct ArrowArrayStream *stream,
                                              const cleave_rows *rows,
                                              const cleave_options *options,
                                              const cleave_model *model, cleave_data **data,
                                              cleave_error *error);

/* ---- 5  Training ----------------------------------------------------------------------------- */

/* A statistic of one method, such as "margin" or "mistake_bound". */
typedef struct {
    const char *name;
    double value;
} cleave_statistic;

/* A learning rate that was tried during calibration, and the objective it reached on other rows of
 * the sample. */
typedef struct {
    uint64_t seen; /* number of examples before the calibration */
    double rate, objective;
    bool kept;
} cleave_rate_trial;

/* Result of a training run. */
struct cleave_report {
    const char *method;
    const char *solver;    /* empty if the method has only one */
    const char *objective; /* what was minimized */
    const char *summary;   /* how the run ended, as text; may be empty */
    uint64_t rows, features, classes;
    uint32_t epochs; /* number of epochs, or of iterations of the solver */
    /* The optimum is proven: by the duality gap, by the gradient, or by an epoch without
     * mistakes. */
    bool converged;
    bool cancelled;
    /* The reason for the end of the run: "converged"; "plateau" (the objective no longer
     * decreases); "complete" (all work is done, and convergence is not defined for the method);
     * "early_stopping"; or the option that ended it. */
    const char *stopped_by;
    const char *order;    /* order in which the rows were visited, as text */
    bool counts_mistakes; /* if false, the counts below are updates, not prediction errors */
    uint64_t mistakes;    /* number of mistakes in all epochs */
    uint64_t last_epoch_mistakes;
    /* smallest and largest number of mistakes in the last ten epochs */
    uint64_t least_epoch_mistakes, most_epoch_mistakes;
    double loss;           /* loss of the last epoch */
    uint64_t train_errors; /* number of misclassified training rows; UINT64_MAX: not computed */
    /* number of held-out rows, and of errors of the model that was kept */
    uint64_t validation_rows, validation_errors;
    /* epoch of the model's weights: the last epoch, or the best one on validation data */
    uint32_t kept_epoch;
    double read_seconds, read_cpu_seconds, train_seconds, train_cpu_seconds;
    size_t epoch_count; /* seconds and mistakes of each epoch */
    const double *epoch_seconds;
    const uint64_t *epoch_mistakes;
    size_t statistic_count;
    const cleave_statistic *statistics;
    size_t rate_count; /* learning rates tried */
    const cleave_rate_trial *rates;
};

/* Trains a method ("svm", "logistic", "forest", "knn", ...: `cleave methods`). validation is
 * data for early stopping, or NULL. options may be NULL: options of the method and of
 * cleave_train_params. report may be NULL; free it with cleave_report_free. The same data,
 * options and seed give a bit-identical model for any number of threads. Uses the threads of the
 * context. */
CLEAVE_API cleave_code cleave_train(cleave_context *context, const char *method, cleave_data *data,
                                    cleave_data *validation, const cleave_options *options,
                                    cleave_model **model, cleave_report **report,
                                    cleave_error *error);

/* Continues training from a model (warm start) on the same training rows; `from` is unchanged. Its
 * classes, features and options are kept; epochs, validation data and stopping rules are those of
 * this call. For methods with epochs, and solvers that were stopped early, the result equals one
 * longer run. Other rows are CLEAVE_ERROR_DATA, unless the option "refit" is set: the model is then
 * only the starting point of the solver. To learn from new rows, use cleave_update. */
CLEAVE_API cleave_code cleave_train_from(const cleave_model *from, cleave_data *data,
                                         cleave_data *validation, const cleave_options *options,
                                         cleave_model **model, cleave_report **report,
                                         cleave_error *error);

/* Result of an update. Errors are error rates, or root mean squared errors for regression. */
typedef struct {
    size_t size;        /* sizeof(cleave_update_result) */
    uint64_t rows;      /* number of new rows that were learned */
    uint64_t unlabeled; /* number of rows without a label, which are skipped */
    /* number of classes and of features that the model did not have */
    uint64_t new_classes, new_features;
    bool regression;
    /* error on the new rows before and after the update */
    double error_before, error_after;
    uint64_t validation_rows;                   /* 0: no validation data */
    double validation_before, validation_after; /* NaN without validation data */
} cleave_update_result;

/* Learns from new rows without forgetting the old ones; `from` is unchanged. Open files with
 * cleave_open_to_update. validation, options (cleave_update_params) and result may be NULL. Returns
 * CLEAVE_ERROR_USAGE if the method has no incremental form. */
CLEAVE_API cleave_code cleave_update(const cleave_model *from, cleave_data *data,
                                     cleave_data *validation, const cleave_options *options,
                                     cleave_model **model, cleave_update_result *result,
                                     cleave_error *error);

CLEAVE_API void cleave_report_free(cleave_report *report);

/* ---- 6  Models ------------------------------------------------------------------------------- */

enum { CLEAVE_TASK_BINARY = 1, CLEAVE_TASK_MULTICLASS = 2, CLEAVE_TASK_REGRESSION = 4 };

/* Writes the model completely or not at all: a temporary file, flushed, then renamed to path. */
CLEAVE_API cleave_code cleave_save(const cleave_model *model, const char *path,
                                   cleave_error *error);
/* Loads a model. A large file is mapped and must not change while the model is used. */
CLEAVE_API cleave_code cleave_load(cleave_context *context, const char *path, cleave_model **model,
                                   cleave_error *error);
/* The model as bytes, the same as in a file. Free them with cleave_bytes_free. */
CLEAVE_API cleave_code cleave_model_to_bytes(const cleave_model *model, void **bytes, size_t *size,
                                             cleave_error *error);
CLEAVE_API void cleave_bytes_free(cleave_context *context, void *bytes);
/* A model from bytes, which are copied unless borrow is true. Borrowed bytes must start at a
 * multiple of 8, and must not change until the model and everything made from it is freed. */
CLEAVE_API cleave_code cleave_model_from_bytes(cleave_context *context, const void *bytes,
                                               size_t size, bool borrow, cleave_model **model,
                                               cleave_error *error);
CLEAVE_API void cleave_model_free(cleave_model *model);

/* The functions below cannot fail and are thread-safe. Strings belong to the model. */
CLEAVE_API const char *cleave_model_method(const cleave_model *model);
CLEAVE_API unsigned cleave_model_task(const cleave_model *model); /* one of CLEAVE_TASK_... */
CLEAVE_API bool cleave_model_has_probabilities(const cleave_model *model);
CLEAVE_API size_t cleave_model_label_count(const cleave_model *model); /* 0 for regression */
/* Text of a label as in the training data; NULL past the last. */
CLEAVE_API const char *cleave_model_label(const cleave_model *model, size_t number);
/* Features as the method receives them, after the pipeline. */
CLEAVE_API size_t cleave_model_feature_count(const cleave_model *model);
/* The name of a feature. buffer is used for names that are numbers. */
CLEAVE_API const char *cleave_model_feature_name(const cleave_model *model, size_t column,
                                                 char buffer[24]);
/* A hyperparameter of the training run, as text; NULL past the last. */
CLEAVE_API const char *cleave_model_param(const cleave_model *model, size_t number,
                                          const char **name);
/* The number of scores of a row: 1 for binary classification and regression, otherwise one per
 * class. */
CLEAVE_API size_t cleave_model_score_count(const cleave_model *model);

/* A fitted array of a model: "weights", "scale" and "bias" of linear models, support vectors,
 * nodes of trees, points, ...; docs/formats/model.md lists them. The values belong to the model. */
typedef struct {
    size_t size; /* sizeof(cleave_array) */
    const char *name;
    cleave_number_type type;
    const void *values;
    uint64_t count;
} cleave_array;
/* Finds the array of that name; false: there is none. */
CLEAVE_API bool cleave_model_array(const cleave_model *model, const char *name,
                                   cleave_array *array);
/* The array with this number; false past the last. */
CLEAVE_API bool cleave_model_array_at(const cleave_model *model, size_t number,
                                      cleave_array *array);

/* ---- 7  Prediction --------------------------------------------------------------------------- */

/* The prediction for one row. */
typedef struct {
    uint64_t row;      /* number of the row, from 1 */
    const char *label; /* the class, or the value as text; "none" if the model abstains */
    /* number for cleave_model_label; SIZE_MAX: the model abstained, or a regression */
    size_t label_number;
    const char *true_label; /* the label in the data; NULL: none */
    bool correct;           /* label and true_label are the same class */
    size_t score_count; /* 1 for binary classification and regression, otherwise one per class */
    const double *scores;
    double value;                /* regression: the prediction; NaN otherwise */
    double true_value;           /* regression: the target in the data; NaN: none */
    const double *probabilities; /* one per class, with the sum 1; NULL unless requested */
    size_t above_count;          /* option every_above: number of classes above this value */
    const size_t *above;
    const char *name; /* name of the row in the data, such as the file of a document; NULL: none */
    size_t
        unseen_count; /* categorical columns whose value is not in the training data; at most 64 */
    const char *const *unseen; /* their names */
} cleave_prediction;

/* Receives one prediction, valid during the call. An error that it returns ends cleave_predict. */
typedef cleave_code (*cleave_predict_callback)(void *user, const cleave_prediction *prediction,
                                               cleave_error *error);

/* Predicts every row of the data, in order, with the threads of the model's context; callback is
 * called by the calling thread. The data may have labels or not. Options: cleave_predict_params. */
CLEAVE_API cleave_code cleave_predict(const cleave_model *model, cleave_data *data,
                                      const cleave_options *options,
                                      cleave_predict_callback callback, void *user,
                                      cleave_error *error);

typedef struct cleave_predictor cleave_predictor;

/* Scratch space for predictions from memory. It holds a reference to the model and belongs to one
 * thread at a time: threads that share a model have a predictor each. */
CLEAVE_API cleave_code cleave_predictor_new(const cleave_model *model, cleave_predictor **predictor,
                                            cleave_error *error);
CLEAVE_API void cleave_predictor_free(cleave_predictor *predictor);

/* Arrays of the caller that receive predictions. Each may be NULL. */
typedef struct {
    size_t size; /* sizeof(cleave_predictions) */
    /* one per row: number of the label; -1: the model abstains, or a regression */
    int64_t *labels;
    double *scores;        /* cleave_model_score_count per row; for regression the prediction */
    double *probabilities; /* cleave_model_label_count per row; an error if the model has none */
} cleave_predictions;

/* Predicts 1 to n rows. The columns are those of the training matrix, or the feature columns of the
 * training table in their order. Columns beyond those of the model are ignored; absent columns are
 * 0. NaN in a dense matrix is a missing value, which is an error if the column had none in
 * training. From the second call with as many columns no memory is allocated. Uses the calling
 * thread only, except for methods with parallel search and large batches. */
CLEAVE_API cleave_code cleave_predict_matrix(cleave_predictor *predictor,
                                             const cleave_matrix *matrix,
                                             const cleave_predictions *predictions,
                                             cleave_error *error);
/* Predicts texts with a model of text. lengths may be NULL if the texts end with a NUL. Allocates
 * memory. */
CLEAVE_API cleave_code cleave_predict_texts(cleave_predictor *predictor, const char *const *texts,
                                            const size_t *lengths, size_t count,
                                            const cleave_predictions *predictions,
                                            cleave_error *error);

/* ---- 8  Evaluation --------------------------------------------------------------------------- */

/* A metric with its 95% confidence interval. Both bounds are NaN if there are too few rows. If
 * all errors are equal, low is NaN and high is the value. The same holds for every low and high
 * below. */
typedef struct {
    double value, low, high;
} cleave_interval;

typedef struct {
    size_t size;           /* sizeof(cleave_evaluation) */
    uint64_t rows;         /* labeled rows */
    uint64_t unlabeled;    /* rows without a label: not evaluated */
    uint64_t errors;       /* wrong predictions, with the next two */
    uint64_t abstained;    /* rows for which the model abstains */
    uint64_t unseen_label; /* rows whose label is not a class of the model */
    /* Regression of targets, otherwise NaN. baseline_rmse is the RMSE of predicting the mean of
     * these targets; r2 = 1 - rmse^2 / baseline_rmse^2 (NaN if all targets are equal). */
    double rmse, mae, baseline_rmse, r2;
    double read_seconds, predict_seconds;
    /* Approximate nearest neighbors: fraction of the true neighbors that is found, measured on
     * recall_rows rows. NaN and 0 for exact search and other methods. */
    double recall;
    uint64_t recall_rows;
    /* Classification. Each row counts once, or by its weight with the option "weighted". Averages
     * are over the classes in the data or among the predictions: a macro average counts each class
     * once, a weighted average by its rows. */
    cleave_interval accuracy, error_rate;
    cleave_interval macro_precision, macro_recall, macro_f1;
    cleave_interval weighted_precision, weighted_recall, weighted_f1;
    /* Area under the ROC and the precision-recall curve: of the positive class, or the mean over
     * all classes of each against the rest. */
    cleave_interval roc_auc, average_precision;
    cleave_interval log_loss, brier; /* if the model has probabilities */
    /* Regression: the metrics above, with intervals. */
    cleave_interval rmse_interval, mae_interval, r2_interval;
    uint64_t scored_rows; /* number of rows used for the areas, the log loss and the Brier score */
    /* there were too many rows to keep scores: no areas, thresholds or regression intervals */
    bool scores_omitted;
    /* Preferences (uv --implicit), otherwise NaN: the mean rank of the items of the rows among the
     * items that the user has not chosen in training; 0 the best, 1 the worst, .5 a random order.
     * Instead of the metrics of a regression. rows counts the ranked rows. */
    cleave_interval mean_rank;
    uint64_t unranked; /* rows whose user or item is unknown to the model */
} cleave_evaluation;

/* Evaluates the model on labeled data. Options: cleave_evaluate_params; may be NULL. */
CLEAVE_API cleave_code cleave_evaluate(const cleave_model *model, cleave_data *data,
                                       const cleave_options *options, cleave_evaluation *evaluation,
                                       cleave_error *error);

/* ---- 9  Search ------------------------------------------------------------------------------- */

/* Models of "knn" and "knn-regression" keep their training points; a searcher finds the nearest of
 * them. With the option "unlabeled", knn keeps rows without labels, for search only. The options
 * (cleave_search_params; may be NULL) hold for all queries. A searcher belongs to one thread at a
 * time and uses the threads of the model's context. It holds a reference to the model. */
CLEAVE_API cleave_code cleave_searcher_open(const cleave_model *model,
                                            const cleave_options *options,
                                            cleave_searcher **searcher, cleave_error *error);
CLEAVE_API void cleave_searcher_free(cleave_searcher *searcher);
/* The maximum number of neighbors of a query; 0: all within the radius. Cannot fail. */
CLEAVE_API size_t cleave_searcher_k(const cleave_searcher *searcher);
CLEAVE_API size_t cleave_searcher_features(const cleave_searcher *searcher);
CLEAVE_API uint64_t cleave_searcher_points(const cleave_searcher *searcher);

/* Finds the nearest points of each row of the queries, the nearest first. rows and distances
 * receive cleave_searcher_k values per query; either may be NULL. Rows are those of the training
 * data, counted from 0; missing neighbors are -1 and infinity. Fails for models with a pipeline,
 * and for k = 0. Dense float32 queries in C order without gaps are searched in place. */
CLEAVE_API cleave_code cleave_search_matrix(cleave_searcher *searcher, const cleave_matrix *queries,
                                            int64_t *rows, double *distances, cleave_error *error);

/* ---- 10  Pipelines --------------------------------------------------------------------------- */

typedef struct cleave_pipeline cleave_pipeline;

/* Fits transforms ("tfidf:min-df=2,select:top=2000"; `cleave transforms`) to the rows of the data.
 * The pipeline is immutable: any number of threads may use it. */
CLEAVE_API cleave_code cleave_pipeline_fit(cleave_context *context, const char *transform,
                                           cleave_data *data, uint64_t seed,
                                           cleave_pipeline **pipeline, cleave_error *error);
/* Applies a pipeline. The result is new data in memory, with the labels, weights and groups of the
 * rows. Columns that the pipeline does not know are dropped. */
CLEAVE_API cleave_code cleave_pipeline_apply(const cleave_pipeline *pipeline, cleave_data *data,
                                             cleave_data **made, cleave_error *error);
CLEAVE_API void cleave_pipeline_free(cleave_pipeline *pipeline);

/* The size of the data, which is read to its end. Each number may be NULL. */
CLEAVE_API cleave_code cleave_data_size(cleave_data *data, uint64_t *rows, uint64_t *features,
                                        cleave_error *error);
/* Copies the rows to a dense float32 matrix in C order, rows * features values. */
CLEAVE_API cleave_code cleave_data_copy(cleave_data *data, float *values, cleave_error *error);

#ifdef __cplusplus
}
#endif

#endif
