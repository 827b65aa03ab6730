/*
 * cleave, the expert interface: everything that <cleave.h> does not declare.
 *
 * MAY CHANGE: functions, structs and enumerations of this header may change or disappear in any
 * release, without notice. Compile the program against the same version of cleave that it runs with
 * (cleave_version_number). The rules of <cleave.h> on failure, ownership, threads and strings hold
 * here too. Structs of this header have no member `size`.
 *
 *   1  Tables             every method, transform and option, described
 *   2  Data               reading details, rows one by one, convert, split, describe, generate,
 *                         labels from many workers
 *   3  Training           trace, cost model
 *   4  Evaluation         details, plots, cross-validation, tuning, comparison
 *   5  Models             weights, trees, support vectors, pipeline steps, explanations
 *   6  Search             over data, with labels; removal
 *   7  Streams            endless data: predict, then learn
 *   8  Map and reduce     training by processes that share only files
 *   9  Plots              regions of the plane, plots as numbers, drawing
 *  10  Text               numbers, escaping, cells, spelling
 */
#ifndef CLEAVE_EXPERT_H
#define CLEAVE_EXPERT_H

#include <cleave.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1  Tables ------------------------------------------------------------------------------- */

typedef enum { CLEAVE_REAL, CLEAVE_INTEGER, CLEAVE_FLAG, CLEAVE_NAME, CLEAVE_TEXT } cleave_type;

/* Distribution from which cleave_tune draws a parameter: none by default, uniform, log-uniform, or
 * a list. */
typedef enum {
    CLEAVE_TUNE_NONE,
    CLEAVE_TUNE_LINEAR,
    CLEAVE_TUNE_LOG,
    CLEAVE_TUNE_CHOICES
} cleave_tune_scale;

/* One option. Its flag is --name with '-' for '_'. Tables end with a NULL name. */
typedef struct {
    const char *name;
    const char *alias; /* another name, or NULL */
    cleave_type type;
    double initial, min, max; /* REAL, INTEGER: default and range */
    bool min_open;            /* the minimum itself is not allowed */
    bool takes_inf;           /* REAL: "inf" is allowed */
    bool takes_file;          /* TEXT: the command takes the name of a file that contains it */
    const char *text;         /* TEXT: the default, or NULL */
    /* The default in words, if the initial value stands for a choice by the data or other options;
     * or NULL. */
    const char *default_text;
    const char *const *values; /* NAME: the values, ended by NULL; initial is an index */
    const char *help;
    size_t offset; /* internal: position in the method's options */
    cleave_tune_scale tune;
    double tune_low, tune_high; /* LINEAR, LOG */
    const char *tune_values;    /* CHOICES: values to try, as in "none,1/d"; NULL: all */
    /* condition on other options, as in "kernel=gaussian|polynomial,sigma=0"; NULL: always */
    const char *tune_when;
    /* 1: a larger value regularizes less; -1: a smaller value does; 0: neither. If not 0, training
     * reaches the same minimum from any start, and models along the path may be warm-started. */
    int tune_path;
    const char *tune_path_when; /* like tune_when */
} cleave_param;

enum {
    CLEAVE_TRAIT_SPARSE = 1,      /* the work is proportional to the non-zeros */
    CLEAVE_TRAIT_ONLINE = 2,      /* learns from a stream, one visit per example */
    CLEAVE_TRAIT_MERGEABLE = 4,   /* states of several workers can be merged */
    CLEAVE_TRAIT_CATEGORICAL = 8, /* uses categories without one-hot encoding */
    CLEAVE_TRAIT_READABLE = 16,   /* the model is interpretable */
    CLEAVE_TRAIT_DETERMINISTIC = 32,
    CLEAVE_TRAIT_WIDE = 64,       /* suitable for very many features */
    CLEAVE_TRAIT_UPDATABLE = 128, /* cleave_update accepts its models, with some or all options */
    CLEAVE_TRAIT_RATINGS = 256,   /* rows are a user, an item and a rating ("task" ratings) */
};

typedef struct {
    const char *name, *brief, *objective, *reference;
    unsigned tasks, traits; /* sets of CLEAVE_TASK_... and CLEAVE_TRAIT_... */
    const cleave_param *params;
    bool streams; /* cleave_stream_new accepts it */
    bool merges;  /* cleave_begin accepts it, with some or all options */
    bool traces;  /* cleave_trace accepts it */
    /* The training parameters that limit the length of training, such as "epochs" or "rounds",
     * ended by NULL. The default solver accepts the first of them, and "auto" all. */
    const char *const *limits;
    char limit_defaults[2][64]; /* default of each limit; may be empty */
} cleave_method_info;

CLEAVE_API size_t cleave_method_count(void);
CLEAVE_API cleave_method_info cleave_method(size_t number);
/* Finds a method by name. On failure the hint suggests the nearest name. */
CLEAVE_API cleave_code cleave_method_find(const char *name, cleave_method_info *info,
                                          cleave_error *error);

/* A transform: a step of a pipeline (option "transform" of training). */
typedef struct {
    const char *name, *brief, *about;
    const cleave_param *params;
} cleave_transform_info;

CLEAVE_API size_t cleave_transform_count(void);
CLEAVE_API cleave_transform_info cleave_transform(size_t number);
CLEAVE_API cleave_code cleave_transform_find(const char *name, cleave_transform_info *info,
                                             cleave_error *error);

CLEAVE_API const cleave_param *cleave_read_params(void);     /* cleave_open and similar      */
CLEAVE_API const cleave_param *cleave_train_params(void);    /* cleave_train, for any method */
CLEAVE_API const cleave_param *cleave_predict_params(void);  /* cleave_predict               */
CLEAVE_API const cleave_param *cleave_evaluate_params(void); /* cleave_evaluate              */
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
CLEAVE_API const cleave_param *cleave_plot_params(void);     /* cleave_plot_of_...           */
CLEAVE_API const cleave_param *cleave_export_params(void);   /* cleave_export                */
CLEAVE_API const cleave_param *cleave_crowd_params(void);    /* cleave_crowd_new             */

/* Formats, built-in sets and generators by number, for help and completion; NULL past the last. */
CLEAVE_API const char *cleave_format(size_t number, const char **brief);
CLEAVE_API const char *cleave_builtin(size_t number, const char **brief);
CLEAVE_API const char *cleave_generator(size_t number, const char **brief);

/* ---- 2  Data --------------------------------------------------------------------------------- */

/* Like cleave_open_for, but the model's pipeline is not applied. */
CLEAVE_API cleave_code cleave_open_raw_for(const cleave_model *model, const char *const *paths,
                                           size_t count, const cleave_options *options,
                                           cleave_data **data, cleave_error *error);

/* Opens data that belongs to other data, such as a validation set: with the columns, vocabulary and
 * feature numbers of `like`, which is read to its end first. */
CLEAVE_API cleave_code cleave_open_like(cleave_data *like, const char *const *paths, size_t count,
                                        const cleave_options *options, cleave_data **data,
                                        cleave_error *error);

/* The number of non-zero values of the rows, and the rows as CSR. row_starts has space for one
 * number more than there are rows. */
CLEAVE_API cleave_code cleave_data_entries(cleave_data *data, uint64_t *entries,
                                           cleave_error *error);
CLEAVE_API cleave_code cleave_data_copy_csr(cleave_data *data, uint64_t *row_starts,
                                            uint32_t *indexes, float *values, cleave_error *error);

/* Convert a fitted pipeline to bytes and back. The bytes are freed with cleave_bytes_free. */
CLEAVE_API cleave_code cleave_pipeline_to_bytes(const cleave_pipeline *pipeline, void **bytes,
                                                size_t *size, cleave_error *error);
CLEAVE_API cleave_code cleave_pipeline_from_bytes(cleave_context *context, const void *bytes,
                                                  size_t size, cleave_pipeline **pipeline,
                                                  cleave_error *error);

/* A fitted array of a step of a pipeline ("axes" and "variance" of pca, "weight" of tfidf, ...).
 * Returns false past the last. The values belong to the pipeline. */
CLEAVE_API bool cleave_pipeline_array(const cleave_pipeline *pipeline, size_t step, size_t number,
                                      cleave_array *array);

/* Whether path is one of the files from which the data is read, which no output may replace. */
CLEAVE_API bool cleave_data_reads(const cleave_data *data, const char *path);

/* A property that was detected because the user did not specify it, and the flag that overrides
 * it. */
typedef struct {
    const char *what; /* "format", "header", "delimiter", "label column", "columns", "task", ... */
    const char *value;
    const char *option; /* "--label" */
} cleave_guess;
/* The properties detected so far; NULL: none. They are valid as long as the data. */
CLEAVE_API const cleave_guess *cleave_data_guesses(const cleave_data *data, size_t *count);

/* Create empty data, and add rows to it until the data is first used. Indexes are column numbers
 * from 0, increasing. label NULL: unlabeled. */
CLEAVE_API cleave_code cleave_data_new(cleave_context *context, cleave_data **data,
                                       cleave_error *error);
CLEAVE_API cleave_code cleave_data_add(cleave_data *data, const char *label, size_t count,
                                       const uint32_t *indexes, const float *values,
                                       cleave_error *error);

/* Names of columns and labels, after the data was read to its end (training does that). buffer is
 * used for names that are numbers. A label is NULL past the last. */
CLEAVE_API const char *cleave_data_feature_name(const cleave_data *data, size_t column,
                                                char buffer[24]);
CLEAVE_API const char *cleave_data_label(const cleave_data *data, size_t number);

/* Writes all remaining rows as a binary dataset, LIBSVM text or CSV. The suffix of path or the
 * option "to" selects the format. The file is written completely or not at all. path "-":
 * standard output. done may be NULL. */
typedef struct {
    uint64_t rows, features, classes, entries, bytes_in, bytes_out;
    uint64_t columns; /* number of columns of a table that keeps its columns and cells; 0: the
                       * features are written */
    double seconds, cpu_seconds;
} cleave_conversion;
CLEAVE_API cleave_code cleave_convert(cleave_data *data, const char *path,
                                      const cleave_options *options, cleave_conversion *done,
                                      cleave_error *error);

/* Splits the rows into a training file and a test file, in the format of each suffix: a stratified
 * random split (option seed), or the last rows (option in_order). Both files are written, or
 * neither. result may be NULL. Options: cleave_split_params. */
typedef struct {
    cleave_conversion train, test;
    uint64_t groups; /* option by_group: number of groups; otherwise 0 */
    bool stratified;
    bool by_time; /* the test set is the latest rows */
} cleave_split_result;
CLEAVE_API cleave_code cleave_split(cleave_data *data, const char *train_path,
                                    const char *test_path, const cleave_options *options,
                                    cleave_split_result *result, cleave_error *error);

/* Description of files, read to their end: columns of a table, labels of any data. */
typedef struct {
    const char *text;
    uint64_t count;
} cleave_value;
typedef struct {
    const char *name, *kind; /* kind: number, category, text, date, label, weight, ignore */
    const char *why;         /* evidence for or against the kind */
    const char *warning;     /* NULL: none */
    uint64_t cells, missing, distinct;
    bool more; /* there are more distinct values than counted */
    double min, median,
        /* NaN unless all values are numbers; the median is that of a sample if there are many
         * rows */
        max;
    size_t value_count; /* number of the most frequent values, which are truncated */
    const cleave_value *values;
    const char *earliest,
        *latest; /* range of a column of dates, as ISO 8601; NULL for other kinds */
} cleave_column;
/* A column that predicts the label almost perfectly, which suggests a leak. */
typedef struct {
    const char *name;
    double error;               /* error rate or RMSE when this column alone is used */
    double baseline;            /* error when predicting the majority class, or the mean */
    const char *message, *hint; /* the warning as text */
} cleave_suspect_column;
typedef struct {
    const char *format;
    uint64_t rows, features, entries, unlabeled; /* entries: number of non-zeros */
    size_t column_count;                         /* number of columns of a table; otherwise 0 */
    const cleave_column *columns;
    size_t label_count; /* number of labels, the most frequent first */
    const cleave_value *labels;
    /* number of columns that almost determine the label, in a sample of the rows */
    size_t suspect_count;
    const cleave_suspect_column *suspects;
    bool regression; /* the labels look like targets of a regression */
    size_t guess_count;
    const cleave_guess *guesses; /* see cleave_data_guesses */
} cleave_description;
/* Options: cleave_read_params. */
CLEAVE_API cleave_code cleave_describe(cleave_context *context, const char *const *paths,
                                       size_t count, const cleave_options *options,
                                       cleave_description **description, cleave_error *error);
CLEAVE_API void cleave_description_free(cleave_description *description);

/* Generates data of a kind ("sparse", "blobs", "spam") and writes it to path, in the format of its
 * suffix. done may be NULL. */
CLEAVE_API cleave_code cleave_generate(cleave_context *context, const char *kind, const char *path,
                                       const cleave_options *options, cleave_conversion *done,
                                       cleave_error *error);

/* Labels from many workers: the label of each task is estimated from a table of answers, with a row
 * per answer (task, worker, label). All answers of a crowd are in memory. A later answer of a
 * worker to the same task replaces the earlier one. Strings and arrays live as long as the
 * crowd. */
typedef struct cleave_crowd cleave_crowd;
typedef struct {
    const char *method, *task_column, *worker_column;
    uint64_t answers;   /* number of answers without replaced answers */
    uint64_t unlabeled; /* number of rows without a label, which are skipped */
    uint64_t repeated;  /* number of answers that were replaced by a later one */
    size_t task_count, worker_count, label_count;
    const char *const *labels; /* labels in the order of first appearance */
    const double *frequencies; /* expected frequency of each label */
    /* number of iterations of the EM algorithm; 0 for the majority vote */
    uint64_t iterations;
    bool converged;
    double agreement; /* Krippendorff's alpha; NaN: no two answers to a task, or a single label */
    size_t spammer_count;
    const uint32_t *workers_by_quality; /* numbers of all workers, lowest quality first */
    size_t uncertain_count;
    const uint32_t
        *uncertain_tasks; /* tasks that need another answer, least probable label first */
    uint64_t truth_count; /* number of known labels of tasks (option "truth"), and the accuracy */
    double accuracy, majority_accuracy; /* NaN without known labels; tied votes count in part */
} cleave_crowd_summary;
typedef struct {
    const char *name;
    uint64_t answers;
    double accuracy; /* expected fraction of correct answers; NaN without answers */
    double quality;  /* 0: the answers do not depend on the true label; 1: they determine it */
    /* one-coin: probability of a correct answer; mace: probability that an answer is not a guess;
     * glad: ability; otherwise NaN */
    double ability;
    bool spammer;
    const double *confusion; /* label_count rows of true labels, with a probability per answer */
} cleave_crowd_worker;
typedef struct {
    const char *name;
    uint64_t answers;
    size_t label; /* number of the most probable label */
    double probability;
    const double *probabilities; /* probability of each label */
    double difficulty;           /* glad; otherwise NaN */
    bool uncertain;              /* the task needs another answer */
} cleave_crowd_task;
/* reading: cleave_read_params; options: cleave_crowd_params. */
CLEAVE_API cleave_code cleave_crowd_new(cleave_context *context, const char *const *paths,
                                        size_t count, const cleave_options *reading,
                                        const cleave_options *options, cleave_crowd **crowd,
                                        cleave_error *error);
CLEAVE_API void cleave_crowd_free(cleave_crowd *crowd);
/* These functions cannot fail. Numbers are below task_count and worker_count. */
CLEAVE_API const cleave_crowd_summary *cleave_crowd_get_summary(const cleave_crowd *crowd);
CLEAVE_API cleave_crowd_worker cleave_crowd_get_worker(const cleave_crowd *crowd, size_t number);
CLEAVE_API cleave_crowd_task cleave_crowd_get_task(const cleave_crowd *crowd, size_t number);
/* Writes weighted training data as CSV or TSV, depending on the suffix. The columns are task, label
 * and weight, or those of the table of the option "join" followed by label and weight. The file is
 * written completely or not at all. done may be NULL. */
typedef struct {
    uint64_t rows;
    /* number of rows of the joined table whose task has no answer; they are omitted */
    uint64_t without_answers;
    /* number of tasks without a row in the joined table; they are omitted */
    uint64_t without_row;
} cleave_crowd_output;
CLEAVE_API cleave_code cleave_crowd_write(const cleave_crowd *crowd, const char *path,
                                          cleave_crowd_output *done, cleave_error *error);

/* A file of the caller that is written completely or not at all: a temporary file, renamed by
 * commit. "-" is standard output; files that are not regular are written directly. Commit and
 * abandon both free the output. */
typedef struct cleave_output cleave_output;
CLEAVE_API cleave_code cleave_output_open(cleave_context *context, const char *path,
                                          cleave_output **output, cleave_error *error);
CLEAVE_API cleave_code cleave_output_write(cleave_output *output, const void *bytes, size_t size,
                                           cleave_error *error);
CLEAVE_API cleave_code cleave_output_commit(cleave_output *output, cleave_error *error);
CLEAVE_API void cleave_output_abandon(cleave_output *output);

/* A lock on a model file that is loaded, changed and saved under the same name. It ends when it is
 * freed or the process ends. The call fails at once if the lock has another owner.
 * cleave_stream_new locks its model. */
typedef struct cleave_lock cleave_lock;
CLEAVE_API cleave_code cleave_lock_open(cleave_context *context, const char *path,
                                        cleave_lock **lock, cleave_error *error);
CLEAVE_API void cleave_lock_free(cleave_lock *lock);

/* ---- 3  Training ----------------------------------------------------------------------------- */

/* One visit of one example. With example_row 0: the weights before the first epoch (epoch 0), or
 * the step that ends an epoch of a batch method. Pointers are valid during the call. Weights and
 * thresholds are those after the visit: weights[output * features + column]. */
typedef struct {
    uint32_t epoch;
    uint64_t example_row;     /* row of the example in the file, from 1 */
    const char *example_name; /* NULL: rows have no names */
    const char *label;
    bool correct;
    bool learns_threshold;
    size_t outputs, features;
    const double *scores; /* scores before the update, without a fixed threshold */
    const double *weights;
    const double *thresholds;
    /* The step of gradient descent: the gradient that it followed, laid out as weights and
     * intercepts. NULL: of another method. */
    const double *gradient, *intercept_gradient;
    const void *names; /* internal: for cleave_trace_feature_name */
} cleave_trace_event;
typedef void (*cleave_trace_callback)(void *user, const cleave_trace_event *event);

/* Name of a feature of an event. buffer is used for names that are numbers. */
CLEAVE_API const char *cleave_trace_feature_name(const cleave_trace_event *event, size_t column,
                                                 char buffer[24]);

/* Trains like cleave_train, and calls the callback for every example visited. Intended for small
 * data, because each call receives all weights. model and report may be NULL. */
CLEAVE_API cleave_code cleave_trace(cleave_context *context, const char *method, cleave_data *data,
                                    const cleave_options *options, cleave_trace_callback callback,
                                    void *user, cleave_model **model, cleave_report **report,
                                    cleave_error *error);

/* Estimated cost of training a linear method on many nodes (docs/scaling.md): costs measured on
 * this machine with rows of the given shape, and one line per number of nodes. Messages are
 * those between two neighboring nodes in one round. */
typedef struct {
    double nodes, read_seconds, learn_seconds, message_seconds, message_bytes, round_seconds,
        total_seconds, efficiency;
    double memory_bytes; /* memory of a node, which stores its rows in memory */
} cleave_plan_line;
typedef struct {
    double rows, rounds, row_bytes;
    double read_row_seconds, learn_row_seconds, chunk_weight_seconds, message_number_seconds,
        message_number_bytes;
    size_t line_count;
    const cleave_plan_line *lines;
} cleave_plan;
CLEAVE_API cleave_code cleave_plan_new(cleave_context *context, const cleave_options *options,
                                       cleave_plan **plan, cleave_error *error);
CLEAVE_API void cleave_plan_free(cleave_plan *plan);

/* ---- 4  Evaluation --------------------------------------------------------------------------- */

/* Metrics of one class. Counts are sums of weights, which are 1 without the option weighted. */
typedef struct {
    const char *label;
    double rows, predicted, correct;
    cleave_interval precision, recall, f1, roc_auc, average_precision;
} cleave_class_metrics;
/* Metrics of a binary classifier that predicts the positive class from this score on. */
typedef struct {
    double threshold, true_positives, false_positives;
    double precision, recall, f1, false_positive_rate;
    bool best_f1, in_use; /* the highest F1 of all; the threshold of the model */
} cleave_threshold;
typedef struct {
    size_t class_count; /* the model's classes, in its order; 0: regression */
    const cleave_class_metrics *classes;
    /* Row: true class, the last for labels that are not classes of the model. Column:
     * prediction, the last for abstained rows. (class_count + 1)^2 numbers; NULL for more than
     * 2,000 classes. */
    const double *confusion;
    size_t positive;        /* binary: number of the positive class; otherwise SIZE_MAX */
    size_t threshold_count; /* binary: by descending score, about 1,000 at most */
    const cleave_threshold *thresholds;
} cleave_evaluation_details;
/* Like cleave_evaluate, with details. */
CLEAVE_API cleave_code cleave_evaluate_details(const cleave_model *model, cleave_data *data,
                                               const cleave_options *options,
                                               cleave_evaluation *evaluation,
                                               cleave_evaluation_details **details,
                                               cleave_error *error);
CLEAVE_API void cleave_evaluation_details_free(cleave_evaluation_details *details);

/* Data of the plots of an evaluation. Counts are sums of weights. */
typedef struct {
    size_t class_number;
    size_t count; /* number of elements, about 500 at most, by descending score */
    const cleave_threshold *points;
} cleave_curve;
/* Rows whose predicted probability is in a range: that of the positive class, or of the most
 * probable class. */
typedef struct {
    double low, high, rows;
    double predicted;         /* mean probability */
    cleave_interval observed; /* fraction of the rows that are of the class */
} cleave_calibration_bin;
/* A bar of a histogram: of the scores of a binary model, by class, or of the residuals of a
 * regression, all of which are in others. */
typedef struct {
    double low, high, positives, others;
} cleave_histogram_bar;
typedef struct {
    double truth, predicted;
} cleave_prediction_pair;
typedef struct {
    /* number of curves: of the positive class; of each class against the rest; or of the ten
     * classes with the lowest F1 */
    size_t curve_count;
    const cleave_curve *curves;
    size_t calibration_count; /* if the model has probabilities */
    const cleave_calibration_bin *calibration;
    double calibration_error; /* mean over rows of |predicted - observed|; NaN: none */
    size_t bar_count;
    const cleave_histogram_bar *bars;
    size_t pair_count; /* regression: 2,000 rows chosen by the model's seed, or all */
    const cleave_prediction_pair *pairs;
} cleave_evaluation_plots;
/* Like cleave_evaluate_details, with the data of plots, which is empty if scores were omitted. */
CLEAVE_API cleave_code cleave_evaluate_plots(const cleave_model *model, cleave_data *data,
                                             const cleave_options *options,
                                             cleave_evaluation *evaluation,
                                             cleave_evaluation_details **details,
                                             cleave_evaluation_plots **plots, cleave_error *error);
CLEAVE_API void cleave_evaluation_plots_free(cleave_evaluation_plots *plots);

/* A metric by which cleave_cv, cleave_tune and cleave_compare rank: their option metric. */
typedef struct {
    const char *name;      /* value of the option */
    const char *title;     /* heading of a column in tables */
    bool higher_is_better; /* higher values are better; otherwise lower values */
    bool percent;          /* the value is printed as a percentage */
} cleave_metric;

/* Cross-validation: the rows are split into stratified folds. Each fold is evaluated with a
 * model, and a pipeline, fitted to the other folds. Folds are processed in parallel; the result
 * is bit-identical for any number of threads. `error` is the error rate, or the RMSE of a
 * regression. */
typedef struct {
    uint32_t repeat, fold; /* numbers from 1 */
    uint64_t train_rows;   /* number of labeled training rows */
    uint64_t rows, errors; /* number of labeled rows of the fold, and of wrong predictions */
    uint64_t train_evaluated, train_errors;
    /* Wilson interval; regression: Student's t on the logarithm. NaN: too few rows. */
    double error, low, high;
    double train_error;     /* error on the training rows, or on a sample of them if prediction is
                             * slow */
    bool converged;         /* as in cleave_report */
    const char *stopped_by; /* as in cleave_report; NULL: unknown */
    double train_seconds, test_seconds;
    cleave_interval
        metric; /* value of option metric; NaN: undefined in this fold, as AUC without a class */
} cleave_cv_fold;
typedef enum {
    CLEAVE_FIT_GOOD,       /* the gap between held-out and training error is not significant */
    CLEAVE_FIT_UNCERTAIN,  /* too few rows or folds to decide */
    CLEAVE_FIT_SLIGHT_GAP, /* the gap is significant and small */
    CLEAVE_FIT_OVERFITS,   /* the gap is significant */
    CLEAVE_FIT_MEMORIZES,  /* most of the held-out error is the gap */
} cleave_fit_quality;
typedef struct {
    const char *method;
    bool regression;
    uint64_t rows, unlabeled, features, classes;
    uint64_t groups; /* option by_group: number of groups; otherwise 0 */
    uint32_t folds, repeats;
    /* option by_time: the model of a fold is trained on earlier rows; rows excludes the earliest
     * block */
    bool forward;
    uint64_t seed;
    size_t fold_count; /* folds times repeats */
    const cleave_cv_fold *fold;
    /* error over all rows, where each row counts once per repeat; bounds as for folds */
    double error, low, high;
    /* Over folds, by Student's t, widened because folds share training rows. */
    double mean, mean_low, mean_high;
    double train_error; /* training error over folds */
    /* Held-out error minus training error, over folds. The conservative bounds determine fit. */
    double gap, gap_low, gap_high;
    double baseline;              /* error of predicting the majority class, or the mean */
    const char *baseline_label;   /* majority class; NULL for regression */
    const cleave_metric *metric;  /* metric of the option `metric`; default: error rate, or RMSE for
                                  * regression */
    const char *positive;         /* positive class of F1 and average precision, otherwise NULL */
    cleave_interval metric_value; /* value over all rows, or the mean over folds for metrics of a
                                   * whole fold */
    cleave_interval metric_mean;  /* mean over folds, by Student's t as above */
    double metric_baseline;
    uint32_t metric_undefined; /* number of folds in which it is undefined */
    bool beats_baseline;       /* the method is better than the baseline by the metric, also at the
                                * less favorable bound */
    uint32_t unconverged;      /* folds whose training ended at the maximum number of epochs */
    cleave_fit_quality fit;
    const char *summary, *hint; /* conclusions as text; the hint may be empty */
    double seconds;
} cleave_cv_result;
/* Options: cleave_cv_params. training: options of the method and cleave_train_params, without
 * stream and checkpoint; its seed also splits the folds. */
CLEAVE_API cleave_code cleave_cv(cleave_context *context, const char *method, cleave_data *data,
                                 const cleave_options *options, const cleave_options *training,
                                 cleave_cv_result **result, cleave_error *error);
CLEAVE_API void cleave_cv_free(cleave_cv_result *result);

/* Tuning: candidates are drawn at random from the search space of the method (cleave_param) and
 * raced on folds (successive halving). The first candidate has the defaults. */
typedef struct {
    const char *name, *value;
    double number; /* the value, if it is a number; otherwise NaN */
} cleave_setting;
typedef enum {
    CLEAVE_TRIAL_FINISHED,   /* evaluated on all folds of the last rung */
    CLEAVE_TRIAL_ELIMINATED, /* other candidates were better, so it is not in the next rung */
    /* significantly worse than the best before all folds of its rung were evaluated */
    CLEAVE_TRIAL_DROPPED,
    CLEAVE_TRIAL_FAILED,      /* training or evaluation failed */
    CLEAVE_TRIAL_OUT_OF_TIME, /* the budget was used up */
} cleave_trial_status;
typedef struct {
    uint32_t number; /* number from 1 */
    size_t setting_count;
    const cleave_setting *settings; /* values that differ from the defaults and from the caller's
                                     * options; "tfidf:min_df" is a parameter of a pipeline step */
    const char *transform;   /* --transform with these settings; NULL: the default pipeline */
    uint32_t rung, folds;    /* its last rung, from 1, and the folds evaluated there */
    uint64_t rows, errors;   /* rows and errors of those folds */
    double error, low, high; /* NaN: none */
    cleave_interval metric;  /* value of option metric; NaN: none */
    double seconds;          /* time of training and evaluation over those folds */
    cleave_trial_status status;
    const char *failure; /* message of a failed trial; otherwise NULL */
} cleave_candidate;
typedef struct {
    double share; /* fraction of the training rows */
    uint32_t entered, dropped, failed;
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
    const char *method;
    bool regression;
    const cleave_metric *metric; /* metric that ranked the candidates (option `metric`) */
    const char *positive;        /* as in cleave_cv_result */
    uint64_t rows;               /* number of rows of the search */
    uint64_t groups, seed;
    uint32_t folds;
    bool forward; /* as in cleave_cv_result */
    size_t tuned_count, rung_count, candidate_count;
    const cleave_tuned_param *tuned;
    const cleave_rung *rungs;
    /* sorted, the best first; candidates of later rungs are before those of earlier ones */
    const cleave_candidate *candidates;
    size_t default_candidate; /* index of the candidate with the defaults */
    uint32_t chosen_in;       /* the rung, from 1, that chose the winner */
    /* number of trials made; found in the journal; warm-started */
    uint64_t trials, resumed, warm_started;
    cleave_interval gain; /* improvement of the winner over the defaults by the metric, over the
                           * same folds */
    bool gain_significant;
    /* Number of held-out rows; 0: there are none, or no time was left. The next two are the numbers
     * of rows that only one of the models predicts wrongly. */
    uint64_t holdout_rows, holdout_only_winner, holdout_only_default;
    cleave_interval holdout_winner, holdout_default; /* values of the metric on the held-out rows */
    double holdout_p;                                /* p-value of the difference */
    bool out_of_time;                                /* the budget ended the search */
    bool exhausted;  /* every candidate of the search space was tried */
    uint32_t rounds; /* number of batches of candidates */
    /* conclusions as text; all except the first may be empty */
    const char *summary, *holdout_summary, *hint;
    double seconds;
} cleave_tune_result;
/* Options: cleave_tune_params. training: as for cleave_cv; parameters set there are not tuned. */
CLEAVE_API cleave_code cleave_tune(cleave_context *context, const char *method, cleave_data *data,
                                   const cleave_options *options, const cleave_options *training,
                                   cleave_tune_result **result, cleave_error *error);
CLEAVE_API void cleave_tune_free(cleave_tune_result *result);

/* Comparison: every suitable method, on the same folds, within a time budget. Trials on few rows
 * predict the time of each method. Then each method gets as many rows as the budget allows, the
 * fastest first. Differences are tested by a paired test over common rows:
 * docs/guide/comparing.md. */
typedef enum {
    CLEAVE_SIGNIFICANCE_UNTESTED, /* fewer than two common folds */
    CLEAVE_SIGNIFICANCE_NONE,     /* the difference is not significant */
    CLEAVE_SIGNIFICANCE_WORSE,    /* significantly worse, with 95% confidence over all methods
                                   * together */
    CLEAVE_SIGNIFICANCE_BETTER,
} cleave_significance;
typedef struct {
    const char *method;   /* NULL: the baseline (majority class, or mean) */
    const char *settings; /* flags other than the defaults, as for cleave train; may be empty */
    const char *reason;   /* reason for missing or incomplete results; NULL: they are complete */
    unsigned traits;
    uint32_t folds_done; /* number of completed folds of all repeats; 0: no
                                            * results */
    /* number of training rows used (mean over folds), and available */
    uint64_t train_rows, train_rows_total;
    uint64_t rows,
        /* number of labeled rows evaluated (over all folds and repeats), and available */
        rows_total;
    double error, low, high; /* as in cleave_cv_result */
    cleave_interval metric;  /* value of option metric, as in cleave_cv_result */
    double train_seconds;    /* mean training time per fold */
    double predict_seconds;  /* mean prediction time per row */
    uint64_t model_bytes;    /* mean model size per fold */
    uint32_t unconverged;    /* folds whose training ended at the maximum number of epochs */
    double difference,
        /* mean loss minus that of the best method on common rows, and p-value; NaN: not tested */
        p;
    cleave_significance against_best, against_baseline;
    double baseline_p;
} cleave_comparison_row;
typedef struct {
    bool regression;
    uint64_t rows, features, classes; /* rows: labeled rows */
    uint64_t groups;                  /* option by_group: number of groups; otherwise 0 */
    uint32_t folds, repeats;
    bool forward; /* as in cleave_cv_result */
    uint64_t seed;
    const char *baseline_label;  /* NULL for regression */
    const cleave_metric *metric; /* metric that ranks the methods (option `metric`) */
    const char *positive;        /* as in cleave_cv_result */
    /* number of methods; those with results are first, the best one before the others */
    size_t method_count;
    const cleave_comparison_row *methods;
    size_t best;          /* index of the best method; SIZE_MAX: no method has results */
    bool beats_baseline;  /* at least one method is significantly better than the baseline */
    size_t suspect_count; /* columns that predict the label almost perfectly */
    const cleave_suspect_column *suspects;
    double budget, seconds;
    uint32_t resumed; /* trials taken from the journal */
    bool cancelled;
    bool incomplete; /* the budget excluded trials */
} cleave_comparison;
/* Options: cleave_compare_params. A cancelled comparison has the results so far. */
CLEAVE_API cleave_code cleave_compare(cleave_context *context, cleave_data *data,
                                      const cleave_options *options, cleave_comparison **result,
                                      cleave_error *error);
CLEAVE_API void cleave_comparison_free(cleave_comparison *result);

/* ---- 5  Models ------------------------------------------------------------------------------- */

/* Predicts one row from the caller's arrays. Indexes must increase; indexes beyond the model's
 * features are ignored. Probabilities are present if the model has them. The pointers of the
 * prediction are valid until the next call by the same thread with the same model, or until the
 * model is freed. Thread-safe. */
CLEAVE_API cleave_code cleave_predict_row(const cleave_model *model, size_t count,
                                          const uint32_t *indexes, const float *values,
                                          cleave_prediction *prediction, cleave_error *error);

/* Regression: the smallest and largest training target; false: unknown. */
CLEAVE_API bool cleave_model_target_range(const cleave_model *model, double *low, double *high);
CLEAVE_API const char *cleave_model_writer(
    const cleave_model *model); /* version of cleave that wrote the model */
CLEAVE_API uint64_t cleave_model_seed(const cleave_model *model);
CLEAVE_API uint64_t cleave_model_rows(const cleave_model *model); /* number of training rows */
/* the positive class; NULL unless binary */
CLEAVE_API const char *cleave_model_positive(const cleave_model *model);
/* The name of a column of the training table; NULL past the last, or if the training data was not a
 * table. kind, which may be NULL: "number", "category", "label", "text", ... */
CLEAVE_API const char *cleave_model_column(const cleave_model *model, size_t number,
                                           const char **kind);

/* Linear models: one output for binary classification, otherwise one per class. Returns false for
 * models without weights. The score of an output is weights * x - threshold. */
CLEAVE_API bool cleave_model_is_linear(const cleave_model *model, size_t *outputs);
CLEAVE_API double cleave_model_weight(const cleave_model *model, size_t output, size_t column);
CLEAVE_API double cleave_model_threshold(const cleave_model *model, size_t output);

/* Nearest neighbors: the training points that a model keeps. Returns false for other methods.
 * per_class may be NULL; otherwise it has space for one number per label. */
typedef struct {
    uint64_t count;
    const char *distance, *index; /* distance function and search structure */
    bool dense;                   /* every value of a point is stored; otherwise the non-zeros */
    uint64_t bytes, index_bytes;  /* memory of points and index */
    uint32_t code_parts,
        code_bits; /* index vafile: components of a code, and bits of each; 0: no codes */
} cleave_point_set;
CLEAVE_API bool cleave_model_points(const cleave_model *model, cleave_point_set *points,
                                    uint64_t *per_class);

/* Networks: a unit of the first layer, from 0. Returns false past the last one, and for other
 * methods. weights: one per feature. outputs: one per score, the sum over all paths from the unit
 * to the score of the product of the weights. Each pointer may be NULL. */
CLEAVE_API bool cleave_model_unit(const cleave_model *model, size_t unit, double *weights,
                                  double *outputs, double *intercept);

/* A support vector. */
typedef struct {
    uint64_t row;      /* row in the training data, from 1; 0: unknown */
    const char *label; /* the class to whose score it contributes */
    bool against;      /* it lowers that score */
    double alpha; /* its coefficient; negative: against the class, or for the other class of two */
    double kernel,
        contribution; /* in an explanation: kernel value, and alpha times that. Otherwise NaN */
} cleave_support_vector;
/* Kernel methods: all support vectors, by descending |alpha|. Other methods have none. */
CLEAVE_API cleave_code cleave_model_support_vectors(const cleave_model *model,
                                                    cleave_support_vector **vectors, size_t *count,
                                                    cleave_error *error);
CLEAVE_API void cleave_support_vectors_free(cleave_support_vector *vectors);

/* Trees: their number, which is 0 for other methods. Nodes are numbered from 0, which is the root;
 * returns false past the last. */
typedef struct {
    bool leaf;
    size_t left, right;  /* numbers of the child nodes */
    size_t nodes;        /* number of nodes of the subtree, including this node */
    size_t column;       /* feature of the split */
    bool category;       /* a split by categories, see cleave_model_tree_value; otherwise ... */
    double bound, above; /* ... values <= bound, which are those < above, go left */
    bool missing_left;   /* missing values go left */
    double weight, gain; /* weight of the training rows, and gain of the split; NaN: not stored */
    double rows;         /* boosting: number of training rows; NaN: not kept */
    const double *class_weight; /* class weights by label number; NULL: not stored */
    size_t label;               /* leaf: number of the predicted class; SIZE_MAX: none */
    double value;               /* leaf: value added to the score; NaN for several outputs */
} cleave_tree_node;
CLEAVE_API size_t cleave_model_tree_count(const cleave_model *model);
CLEAVE_API bool cleave_model_tree_node(const cleave_model *model, size_t tree, size_t node,
                                       cleave_tree_node *facts);
/* The categories of a split, one per call: its name, and whether it goes left. *next is 0 for the
 * first call. Returns false after the last. */
CLEAVE_API bool cleave_model_tree_value(const cleave_model *model, size_t tree, size_t node,
                                        size_t *next, const char **name, bool *left);
/* The condition of the left or right branch as text: "height <= 7", "color is missing or one of red
 * or blue". At most most_values categories are named. Returns the full length, like snprintf. */
CLEAVE_API size_t cleave_model_tree_condition(const cleave_model *model, size_t tree, size_t node,
                                              bool left, size_t most_values, char *text,
                                              size_t size);
/* Feature importances of trees, one number per feature: fraction of the total gain, and increase of
 * the out-of-bag error when the column is permuted (NaN: not computed). Returns false without trees
 * or gains. */
CLEAVE_API bool cleave_model_importances(const cleave_model *model, double *gain, double *harm);
/* Writes the columns to `order` by descending importance (by permutation, if it is known), and
 * returns their number. Columns without splits are omitted. */
CLEAVE_API size_t cleave_importance_order(const double *gain, const double *harm, size_t columns,
                                          size_t *order);

/* A step of the model's pipeline; false past the last. Its fitted state consists of named arrays:
 * false past the last array, value 0 past the end. The array "score" has a number for each output
 * column, which is below 0 if the column was not evaluated. whole, which may be NULL: the values
 * are counts or column numbers. */
typedef struct {
    const char *name;       /* name of the transform */
    const char *brief;      /* what it does */
    char text[512];         /* transform with its parameters, as in --transform */
    char facts[160];        /* summary of the fitted state; may be empty */
    size_t inputs, outputs; /* number of columns; 0 and 0: any */
} cleave_pipeline_step;
CLEAVE_API bool cleave_model_step(const cleave_model *model, size_t number,
                                  cleave_pipeline_step *step);
CLEAVE_API bool cleave_model_step_array(const cleave_model *model, size_t step, size_t number,
                                        const char **name, size_t *count, bool *whole);
CLEAVE_API double cleave_model_step_value(const cleave_model *model, size_t step, size_t array,
                                          size_t index);
/* Name of an output column of a step; NULL: unknown. */
CLEAVE_API const char *cleave_model_step_column(const cleave_model *model, size_t step,
                                                size_t column, char buffer[24]);

/* Contribution of one feature to a prediction. */
typedef struct {
    const char *name;
    size_t column;
    double value;        /* value after the pipeline; NaN: missing */
    const char *text;    /* value in the table for a categorical column; otherwise NULL */
    double contribution; /* contribution to the score of the predicted class: weight times value */
    /* contribution to the score of the second-best class, if there are more than two classes;
     * otherwise 0 */
    double runner_up;
} cleave_contribution;

/* A training point on which a prediction is based. */
typedef struct {
    uint64_t row;      /* row in the training data, from 0; rows of a warm-start model come first */
    double distance;   /* distance from the explained row */
    double weight;     /* weight of the vote, which depends on the distance */
    double share;      /* fraction of the weights of all votes */
    const char *label; /* its class; NULL for regression */
    double value;      /* its target for regression; otherwise NaN */
} cleave_neighbor;

/* A labeled point and a linear separator w.x + b of two classes (y = +1 for the positive class). */
typedef struct {
    uint64_t row; /* in the data, from 1 */
    const char *label;
    double score;       /* w.x + b */
    double margin;      /* y (w.x + b); the constraint of a support vector machine is margin >= 1 */
    double slack;       /* hinge loss: max(0, 1 - margin) */
    bool misclassified; /* margin <= 0 */
    bool support_vector; /* margin <= 1, with a tolerance of 0.001 */
} cleave_margin_point;
typedef struct {
    const char *positive, *negative;
    double norm;                                               /* Euclidean norm of w */
    double least;                                              /* minimum of the margins */
    double slack;                                              /* sum of the slack */
    uint64_t points, violated, misclassified, support_vectors; /* violated: margin < 1 */
    size_t point_count; /* the support vectors, or all points, up to the limit */
    const cleave_margin_point *list;
} cleave_margins;

/* Evaluates a separator on labeled data: that of a linear model of two classes, or given weights
 * such as "1,2,-3", with the intercept last. all: lists every point, not only support vectors.
 * most: maximum number of listed points. */
CLEAVE_API cleave_code cleave_margins_of_model(const cleave_model *model, cleave_data *data,
                                               bool all, size_t most, cleave_margins **margins,
                                               cleave_error *error);
CLEAVE_API cleave_code cleave_margins_of_weights(cleave_data *data, const char *weights, bool all,
                                                 size_t most, cleave_margins **margins,
                                                 cleave_error *error);
CLEAVE_API void cleave_margins_free(cleave_margins *margins);

/* All lines w.x = threshold that separate two classes of the plane, the positive class on the side
 * of the larger w.x: w and threshold are the sums of these vertices with positive factors. Each
 * vertex is a line through two points. */
typedef struct {
    double weights[2], threshold;
    uint64_t rows[2]; /* from 1 */
} cleave_separator;
typedef struct {
    const char *positive, *negative;
    const char *names[2]; /* of the columns */
    uint64_t points;
    size_t count; /* 0: no line separates the classes */
    const cleave_separator *vertices;
} cleave_separators;
CLEAVE_API cleave_code cleave_separators_of(cleave_data *data, cleave_separators **separators,
                                            cleave_error *error);
CLEAVE_API void cleave_separators_free(cleave_separators *separators);

/* Explanation of a prediction. A score is the intercept plus the contributions, up to rounding. For
 * binary classification there is one score; that of the second-best class is its negative. */
typedef struct {
    const char *label;      /* the prediction; a value as text for regression */
    bool abstained;         /* the model abstains, and label is "none" */
    const char *true_label; /* the label in the data; NULL: none */
    double score, probability;
    const char *runner_up;                         /* the second-best class; NULL: none */
    double runner_up_score, runner_up_probability; /* NaN if the model has no probabilities */
    bool has_contributions;                        /* false: the score is not a sum over features */
    double intercept, runner_up_intercept;
    size_t contribution_count;
    const cleave_contribution *contributions; /* ordered by descending |contribution - runner_up| */
    size_t neighbor_count;
    const cleave_neighbor
        *neighbors; /* the nearest first; none if the model keeps no training points */
    size_t support_vector_count;
    const cleave_support_vector *support_vectors; /* ordered by descending |contribution|; for
                                                   * binary classification, signs are relative to
                                                   * the prediction */
    size_t leaf; /* number of the leaf that the row reaches in a single tree; otherwise SIZE_MAX */
    size_t unknown_count;
    const char *const *unknown; /* words and values of the example that the model does not use */
} cleave_explanation;

/* Explains row number `row` (from 1) of the data. 0: its only row; an error if there are
 * several. */
CLEAVE_API cleave_code cleave_explain_row(const cleave_model *model, cleave_data *data,
                                          uint64_t row, cleave_explanation **explanation,
                                          cleave_error *error);
/* Explains an example given as text, which is read like the model's training data: for text, a
 * document; for a table `age=39,color=red` (other columns are missing) or a line of values in the
 * order of the training columns, with or without the label; for numbered features `1:0.5 7:1`; for
 * named features `viagra=1,the=1`. */
CLEAVE_API cleave_code cleave_explain_text(const cleave_model *model, const char *text, size_t size,
                                           cleave_explanation **explanation, cleave_error *error);
CLEAVE_API void cleave_explanation_free(cleave_explanation *explanation);

/* Model files of other programs, and models as C code. */
typedef struct {
    const char *name, *suffix, *brief;
    bool exported, imported;
} cleave_model_format_info;
CLEAVE_API bool cleave_model_format(size_t number, cleave_model_format_info *info);

/* Writes a model in the format of the suffix of path, or of the option "format". Fails if the
 * format cannot represent the model. The file is written completely or not at all. path "-":
 * standard output. */
CLEAVE_API cleave_code cleave_export(const cleave_model *model, const char *path,
                                     const cleave_options *options, cleave_error *error);
/* Reads a model file of another program; the first bytes select the format. */
CLEAVE_API cleave_code cleave_import(cleave_context *context, const char *path,
                                     cleave_model **model, cleave_error *error);

/* ---- 6  Search ------------------------------------------------------------------------------- */

/* One point found. */
typedef struct {
    uint64_t row; /* row in the training data, from 0; after a warm start, counting continues */
    double distance;
    const char *label;        /* the label, which is a value as text for regression; NULL: none */
    const char *id;           /* the user's id; NULL: none */
    const char *const *shown; /* values of cleave_searcher_shown; each may be NULL */
} cleave_found_point;

/* Points found for one query, the nearest first; of equal distances, the lower row first. Pointers
 * are valid during the call. */
typedef struct {
    uint64_t row;     /* row of the query, from 0 */
    const char *name; /* name of the query in the data; NULL: none */
    size_t count;
    const cleave_found_point *points;
    /* Visited by the search: nodes above the leaves, leaves, and points whose distance was
     * computed or that were compared with a box. */
    uint64_t nodes, leaves, candidates;
} cleave_found;
typedef cleave_code (*cleave_search_callback)(void *user, const cleave_found *found,
                                              cleave_error *error);

/* Searches for every row of the queries, in order; open files with cleave_open_for. An error
 * that the callback returns ends the call. */
CLEAVE_API cleave_code cleave_search(cleave_searcher *searcher, cleave_data *queries,
                                     cleave_search_callback callback, void *user,
                                     cleave_error *error);

/* Finds the points in the box of the option "box", or the stored boxes that match it. `found` has
 * row 0 and the points in the order of their rows, with the distance 0. Fails for models with a
 * pipeline. */
CLEAVE_API cleave_code cleave_search_box(cleave_searcher *searcher, cleave_search_callback callback,
                                         void *user, cleave_error *error);

/* The names of the metadata columns of the option "show". Cannot fail. */
CLEAVE_API const char *const *cleave_searcher_shown(const cleave_searcher *searcher, size_t *count);
CLEAVE_API bool cleave_searcher_has_ids(const cleave_searcher *searcher);

/* Searches only rows whose bit is set (row i: bits[i / 64] >> i % 64 & 1), among those of the
 * options. Rows from number `rows` on are not searched. NULL: the rows of the options. */
CLEAVE_API cleave_code cleave_searcher_filter(cleave_searcher *searcher, const uint64_t *bits,
                                              uint64_t rows, cleave_error *error);

/* Searches for queries in memory, which have cleave_searcher_features values each. For each query,
 * rows and distances receive cleave_searcher_k values; either may be NULL. Missing neighbors are -1
 * and infinity. From the second call with as many queries no memory is allocated. Fails for models
 * with a pipeline. */
CLEAVE_API cleave_code cleave_search_vectors(cleave_searcher *searcher, const float *queries,
                                             size_t count, int64_t *rows, double *distances,
                                             cleave_error *error);

/* Removes points by their rows in the training data, from 0; other rows keep their numbers. The
 * list is text, `3,7-9`, or names a file of such text. removed may be NULL. If a row does not
 * exist, the call fails and nothing is removed. If memory is exhausted, the model is unusable
 * afterwards. Open searchers, also those of other threads, search the points they were opened for.
 * No other call may use the model at the same time. */
CLEAVE_API cleave_code cleave_model_remove(cleave_model *model, const uint64_t *rows, size_t count,
                                           cleave_error *error);
CLEAVE_API cleave_code cleave_model_remove_list(cleave_model *model, const char *rows,
                                                uint64_t *removed, cleave_error *error);
/* Removes points by their ids, separated by commas. */
CLEAVE_API cleave_code cleave_model_remove_ids(cleave_model *model, const char *ids,
                                               uint64_t *removed, cleave_error *error);

/* Adds ids and metadata to the points of a model. metadata: a table with a header and a row for
 * each row of the data. ids: a file with an id on each line, or a column of the table. Either may
 * be NULL. After a warm start, the files have the new rows. */
CLEAVE_API cleave_code cleave_model_add_metadata(cleave_model *model, const char *ids,
                                                 const char *metadata, cleave_error *error);
/* Declares the points to be boxes, by the columns of their bounds: "x=xmin..xmax,y=ymin..ymax". */
CLEAVE_API cleave_code cleave_model_set_boxes(cleave_model *model, const char *columns,
                                              cleave_error *error);

/* An item recommended by a model of ratings (method uv). */
typedef struct {
    const char *name; /* name in the training data */
    double score;     /* the predicted rating or preference; for similar items, the cosine */
} cleave_recommendation;

/* Lists the items with the highest predictions for a user, the highest first; of equal scores, the
 * item that occurred first in the training data is first. Items that the user rated in the training
 * data are omitted unless include_rated is set. *items, of *count elements, is one allocation of
 * the model's context: free it with cleave_recommendations_free. Returns CLEAVE_ERROR_DATA if the
 * user is unknown. */
CLEAVE_API cleave_code cleave_recommend(const cleave_model *model, const char *user, size_t top,
                                        bool include_rated, cleave_recommendation **items,
                                        size_t *count, cleave_error *error);
/* Lists the items whose factors have the highest cosine with those of an item. */
CLEAVE_API cleave_code cleave_similar_items(const cleave_model *model, const char *item, size_t top,
                                            cleave_recommendation **items, size_t *count,
                                            cleave_error *error);
CLEAVE_API void cleave_recommendations_free(const cleave_model *model,
                                            cleave_recommendation *items);
/* Writes the factors and biases of all items as a CSV file with the columns item, bias, f1, f2, …,
 * for cleave_train of "knn" or another program. "-" is standard output. */
CLEAVE_API cleave_code cleave_write_item_vectors(const cleave_model *model, const char *path,
                                                 uint64_t *items, cleave_error *error);

/* ---- 7  Streams ------------------------------------------------------------------------------ *
 *
 * Each example is predicted, evaluated, then learned from (progressive validation). New classes
 * and features may appear at any time. Rows without a label are only predicted. The model file
 * also holds the position in the input: after a crash, the same calls with the same input, from
 * its first byte, give a bit-identical model. */

typedef struct cleave_stream cleave_stream;

typedef struct {
    uint64_t examples;  /* number of labeled rows; each is evaluated before it is learned */
    uint64_t unlabeled; /* number of rows that were only predicted */
    size_t classes, features;
    bool regression;
    double error;         /* progressive error rate; mean squared error for regression */
    double window_error;  /* progressive error with exponentially decaying weights */
    double learning_rate; /* learning rate of the next example; NaN: none */
    double weights_norm;  /* Euclidean; NaN: no weights */
    /* Two classes: shares of the positive examples and of the others that were misclassified, and
     * the same with exponentially decaying weights; otherwise NaN. */
    double missed, false_alarms, window_missed, window_false_alarms;
    uint64_t alarms; /* drift alarms */
    bool cancelled;
    /* number of unreadable lines (option skip_bad); set by cleave_stream_get_status only */
    uint64_t skipped;
    bool saved; /* the model file is up to date; set by cleave_stream_get_status only */
} cleave_stream_status;

/* Drift: the error rate has increased significantly. It has the rates before and now, and the
 * difference in standard deviations. For regression, these are the fractions of examples whose
 * squared error is above the mean. */
typedef struct {
    uint64_t example;
    double before, now, z;
} cleave_stream_drift;

/* Each callback may be NULL. */
typedef struct {
    cleave_predict_callback prediction; /* called for every row before the row is used for
                                         * training */
    void (*progress)(void *user,
                     /* called after 1, 2, 4, 8, ... examples */
                     const cleave_stream_status *status);
    void (*drift)(void *user, const cleave_stream_drift *drift);
    void (*caught_up)(void *user); /* the available rows are processed; the next read may block */
    /* Called before the model is saved. The caller's own output should be durable when it returns.
     * The number, such as the size of a file, is stored in the model; cleave_stream_resumed returns
     * it. */
    cleave_code (*saving)(void *user, uint64_t *number, cleave_error *error);
    void *user;
} cleave_stream_callbacks;

/* Creates a stream. model is the file of the model, or NULL. If the file exists, the stream
 * resumes from it. Options: cleave_stream_params and those of the method. callbacks are copied;
 * NULL: none. */
CLEAVE_API cleave_code cleave_stream_new(cleave_context *context, const char *method,
                                         const char *model, const cleave_options *options,
                                         const cleave_stream_callbacks *callbacks,
                                         cleave_stream **stream, cleave_error *error);
/* Creates a stream in memory that continues from a model, which is unchanged. */
CLEAVE_API cleave_code cleave_stream_from(const cleave_model *model, const cleave_options *options,
                                          const cleave_stream_callbacks *callbacks,
                                          cleave_stream **stream, cleave_error *error);
CLEAVE_API void cleave_stream_free(cleave_stream *stream);

/* Whether the stream was resumed from a file: its position in the input, and the caller's
 * number. */
CLEAVE_API bool cleave_stream_resumed(const cleave_stream *stream, uint64_t *examples,
                                      uint64_t *bytes, uint64_t *number);

/* Reads a file, a pipe or "-" line by line, a folder document by document, or a dataset row by row,
 * to the end or until cancelled. Saves the model regularly (options save_every, save_seconds) and
 * at the end. If the model has a file, a last line without a newline is not read. */
CLEAVE_API cleave_code cleave_stream_read(cleave_stream *stream, const char *path,
                                          const cleave_options *options, cleave_error *error);
/* Follows a file that grows, and may be rotated or truncated, or a folder or maildir that receives
 * documents, until cancelled. */
CLEAVE_API cleave_code cleave_stream_follow(cleave_stream *stream, const char *path,
                                            const cleave_options *options, cleave_error *error);
/* Processes one row of the caller. If label is NULL, the row is only predicted. prediction may be
 * NULL; its pointers are valid until the next call. */
CLEAVE_API cleave_code cleave_stream_row(cleave_stream *stream, const char *label, size_t count,
                                         const uint32_t *indexes, const float *values,
                                         cleave_prediction *prediction, cleave_error *error);

CLEAVE_API void cleave_stream_get_status(cleave_stream *stream, cleave_stream_status *status);
/* Saves the model to its file. Nothing is written before the first label. Must not be called from a
 * callback. */
CLEAVE_API cleave_code cleave_stream_save(cleave_stream *stream, cleave_error *error);
/* Copies the model. The caller frees the copy, which is NULL before the first label. Must not be
 * called from a callback. */
CLEAVE_API cleave_code cleave_stream_model(cleave_stream *stream, cleave_model **model,
                                           cleave_error *error);

/* ---- 8  Map and reduce ----------------------------------------------------------------------- *
 *
 * A round of training by processes that share only files (docs/guide/mapreduce.md): each maps some
 * rows with the same model, the results are reduced to sums, and the sums are applied to the model.
 * Paths may be "-", standard input or output. Files are written completely or not at all.
 */

/* Result of a map task, or of a round. */
typedef struct {
    uint32_t round; /* number of the round, from 1 */
    uint64_t tasks; /* number of map tasks */
    uint64_t rows, mistakes;
    bool counts_mistakes; /* if false, mistakes are updates, not prediction errors */
    double loss;          /* sum of the loss over the rows, by the method's objective */
    uint64_t features;    /* number of features of the model after the round */
    bool finished;        /* no more rounds are needed */
    bool converged;       /* the optimum is proven: see cleave_report */
    char summary[256];    /* summary as text; may be empty */
} cleave_round;

/* Makes the model before the first round. It has the classes and features of a sample, and the
 * first learning rate if that is calibrated. Options: those of the method and
 * cleave_begin_params. */
CLEAVE_API cleave_code cleave_begin(cleave_context *context, const char *method,
                                    cleave_data *sample, const cleave_options *options,
                                    cleave_model **model, cleave_error *error);

/* Writes the contribution of these rows to the model, as lines of key and value. Options:
 * cleave_read_params. An input without rows is allowed. The same rows and model give the same
 * bytes. */
CLEAVE_API cleave_code cleave_map(const cleave_model *model, const char *const *paths, size_t count,
                                  const cleave_options *options, const char *output,
                                  cleave_round *round, cleave_error *error);
/* The same sums before they are summed, to read: for each row, a line "feature TAB number" for each
 * weight that the row changes, here eta y x of a perceptron that sums its updates. */
CLEAVE_API cleave_code cleave_map_contributions(const cleave_model *model, const char *const *paths,
                                                size_t count, const cleave_options *options,
                                                const char *output, cleave_error *error);

/* Writes the exact sums of the values of equal keys. Equal keys must be adjacent; their values may
 * be in any order. partial: nothing is rounded, and a key may have several lines, for another
 * reduce. */
CLEAVE_API cleave_code cleave_reduce(cleave_context *context, const char *const *paths,
                                     size_t count, bool partial, const char *output,
                                     cleave_error *error);

/* Nearest neighbors in shards of the data: cleave_map writes the nearest rows of each shard,
 * cleave_reduce keeps the nearest of all shards, and cleave_predict_found predicts from them, in
 * the order of the queries. The model may be that of any shard. Predictions have no scores. */
CLEAVE_API bool cleave_model_finds_rows(const cleave_model *model);
CLEAVE_API cleave_code cleave_predict_found(const cleave_model *model, const char *const *paths,
                                            size_t count, cleave_predict_callback callback,
                                            void *user, cleave_error *error);

/* Applies the sums of all map tasks to the model from which they were computed, which ends the
 * round. */
CLEAVE_API cleave_code cleave_apply(const cleave_model *model, const char *const *paths,
                                    size_t count, cleave_model **next, cleave_round *round,
                                    cleave_error *error);

/* ---- 9  Plots -------------------------------------------------------------------------------- */

/* Voronoi regions: a region is the part of the plane that is nearer to one training point than to
 * any other, clipped to a box. */
typedef struct {
    double x, y;
} cleave_plane_point;
typedef struct {
    double x, y;  /* position of the point */
    uint64_t row; /* row of the first training point at this position, from
                                        * 0 */
    size_t label; /* number of its class in labels; SIZE_MAX: none */
    /* first corner in corners, counter-clockwise; number of corners */
    size_t first_corner, corner_count;
} cleave_region;
typedef struct {
    size_t regions[2]; /* regions on both sides of the border */
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

/* Plots as numbers: the data that `cleave plot` draws, and its JSON. A plot has panels side by
 * side; a panel has two axes and series. Series of the same look share color, mark and dash. */
typedef enum {
    CLEAVE_PLOT_LINE,
    CLEAVE_PLOT_STEPS, /* a line that is constant from each x to the next */
    CLEAVE_PLOT_MARKS,
    CLEAVE_PLOT_BOTH,      /* marks on a line */
    CLEAVE_PLOT_REFERENCE, /* thin and gray */
    CLEAVE_PLOT_SEGMENTS,  /* separate lines: each pair of points is the two ends of one */
    CLEAVE_PLOT_DASHES,    /* thin and dashed separate lines */
    CLEAVE_PLOT_ARROWS,    /* from the first to the second point of each pair */
    CLEAVE_PLOT_RINGS,     /* wide rings around marks */
    CLEAVE_PLOT_AREA,      /* no points: an area of the field or of the regions, in the legend */
} cleave_plot_style;
/* The look of an area without a class. */
#define CLEAVE_PLOT_NO_CLASS SIZE_MAX
typedef struct {
    const char *name; /* name in the legend; NULL: not in the legend */
    cleave_plot_style style;
    size_t look;
    size_t count;
    const double *x, *y;
    const double *low, *high; /* error bar of each point; NULL: none */
    const double *value;      /* value of each point, which selects its color on the scale of the
                               * field; NULL: none */
    /* whether each point was predicted wrongly, which is marked by a ring; NULL: none */
    const bool *wrong;
} cleave_plot_series;
typedef struct {
    const char *title;
    bool logarithmic, whole; /* whole: ticks are integers */
    double low, high;        /* minimal range; NaN: determined by the data */
} cleave_plot_axis;
/* Predictions over a box, cell by cell and row by row from its lower left corner: label numbers, or
 * values. */
typedef struct {
    const char *title; /* title of the values */
    double box[4];     /* left, bottom, right, top */
    size_t across, up;
    const double *cells; /* NaN: no value */
    bool of_classes;
    bool smooth; /* the series have the boundaries between classes: the cells have none */
} cleave_plot_field;
/* Counts: rows are true classes, columns are predictions. */
typedef struct {
    size_t rows, columns;
    const double *counts;
    const char *const *row_names, *const *column_names;
} cleave_plot_matrix;
/* A tree or its upper levels. The root is first, and children are after their parents. */
typedef struct {
    /* condition of a split; prediction of a leaf; or the number of leaves that are not shown */
    const char *text;
    size_t yes, no;  /* child nodes of this plot; SIZE_MAX: none */
    size_t number;   /* number of the node in the model's tree */
    size_t left_out; /* number of leaves below that are not shown; 0: a split or a leaf */
    /* missing values go to yes (1), or to no (0); -1: they are part of the condition, or
     * impossible */
    int missing;
    size_t label;               /* leaf: number of its class; SIZE_MAX: none */
    double value;               /* leaf: its value; NaN: it has none */
    double weight;              /* weight of the training rows; NaN: not stored */
    double rows;                /* boosting: number of training rows; NaN: not kept */
    const double *class_weight; /* weight of each class; NULL: not stored */
} cleave_plot_node;
typedef struct {
    size_t node_count, class_count;
    const cleave_plot_node *nodes;
    const char *const *classes;
} cleave_plot_tree;
/* Horizontal bars. */
typedef struct {
    size_t count;
    const char *const *names;
    const double *values;
} cleave_plot_bars;
typedef struct {
    const char *title; /* may be empty */
    cleave_plot_axis x, y;
    bool same_unit; /* both axes have the same scale */
    size_t series_count;
    const cleave_plot_series *series;
    const cleave_plot_field *field;   /* each of the following members may be NULL */
    const cleave_plot_matrix *matrix; /* excludes series */
    const cleave_voronoi *regions;    /* Voronoi regions, or decision regions with exact borders */
    const cleave_plot_tree *tree;     /* excludes everything else */
    const cleave_plot_bars *bars;     /* excludes everything but the x axis */
} cleave_plot_panel;
typedef struct cleave_plot {
    const char *kind, *title;
    const char *remark;   /* a line below the title; may be empty */
    size_t width, height; /* width and height in pixels */
    size_t class_count;
    const char *const *classes; /* names of the classes in fields and regions */
    size_t panel_count;
    const cleave_plot_panel *panels;
    /* An animation: plots of the same size, one after another. SVG shows them in turn, other
     * formats show this plot. */
    size_t frame_count;
    const struct cleave_plot *frames;
} cleave_plot;

/* The kinds of plots by their input; NULL past the last. */
typedef enum {
    CLEAVE_PLOT_OF_TRAINING,
    CLEAVE_PLOT_OF_MODEL, /* a model, and data */
    CLEAVE_PLOT_OF_DATA,
    CLEAVE_PLOT_OF_MODEL_ALONE,
    CLEAVE_PLOT_OF_NOTHING, /* but options */
} cleave_plot_source;
CLEAVE_API const char *cleave_plot_kind(size_t number, cleave_plot_source *source,
                                        const char **brief);
/* Options: cleave_plot_params; training: as for cleave_cv. If validation is NULL, a part of the
 * data is held out. */
CLEAVE_API cleave_code cleave_plot_of_training(const char *kind, cleave_context *context,
                                               const char *method, cleave_data *data,
                                               cleave_data *validation,
                                               const cleave_options *options,
                                               const cleave_options *training, cleave_plot **plot,
                                               cleave_error *error);
/* Data that was not opened for the model is transformed by its pipeline. `regions` needs such data,
 * because its points are drawn at their original values. data may be NULL for kinds that need only
 * a model. */
CLEAVE_API cleave_code cleave_plot_of_model(const char *kind, const cleave_model *model,
                                            cleave_data *data, const cleave_options *options,
                                            cleave_plot **plot, cleave_error *error);
CLEAVE_API cleave_code cleave_plot_of_data(const char *kind, cleave_data *data,
                                           const cleave_options *options, cleave_plot **plot,
                                           cleave_error *error);
CLEAVE_API cleave_code cleave_plot_of_nothing(const char *kind, cleave_context *context,
                                              const cleave_options *options, cleave_plot **plot,
                                              cleave_error *error);
/* Draws a plot as "svg", "pdf" or "png" and passes the bytes to write. Needs cairo
 * (cleave_features). */
typedef cleave_code (*cleave_write_callback)(void *user, const void *bytes, size_t size,
                                             cleave_error *error);
CLEAVE_API cleave_code cleave_plot_draw(cleave_context *context, const cleave_plot *plot,
                                        const char *format, cleave_write_callback write, void *user,
                                        cleave_error *error);
CLEAVE_API void cleave_plot_free(cleave_plot *plot);

/* The color of a class (number modulo CLEAVE_PLOT_COLORS) in every plot, as 0xRRGGBB. */
enum { CLEAVE_PLOT_COLORS = 8 };
CLEAVE_API uint32_t cleave_plot_color(size_t number);

/* Permutation importance: the increase of the error rate (regression: of the mean squared error)
 * when the values of a feature are permuted among the labeled rows of data, which was opened for
 * the model. At most 1,000 rows and the 200 most frequent features are used. Writes the most
 * important features, at most `most`, as numbers for cleave_model_feature_name. */
CLEAVE_API cleave_code cleave_permutation_importance(const cleave_model *model, cleave_data *data,
                                                     size_t most, size_t *columns,
                                                     double *importance, size_t *count,
                                                     cleave_error *error);

/* ---- 10  Text -------------------------------------------------------------------------------- */

/* The shortest text that is read back as the same number, in any locale. Returns buffer. */
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
/* Writes as many complete characters as fit into buffer, and a NUL. Returns the length of the
 * complete result, like snprintf. */
CLEAVE_API size_t cleave_escape(const char *text, size_t length, cleave_escaping how, char *buffer,
                                size_t size);

/*
 * Formats text as a cell of CSV or TSV (RFC 4180). Cells with the delimiter, quotes, line ends, or
 * leading or trailing blanks are quoted. safe: cells that a spreadsheet would execute as a formula
 * (= + - @ tab CR at the start, except numbers) get a leading apostrophe. Fills buffer and returns
 * like snprintf.
 */
CLEAVE_API size_t cleave_csv_cell(const char *text, char delimiter, bool safe, char *buffer,
                                  size_t size);

/* The candidate that is most similar to a misspelled word, or NULL if none is similar. candidates
 * ends with NULL. */
CLEAVE_API const char *cleave_nearest_word(const char *word, const char *const *candidates);

#ifdef __cplusplus
}
#endif

#endif
