/*
 * cleave, active learning.
 *
 * MAY CHANGE, by the rules of <cleave/expert.h>, which this header includes.
 *
 * Labels are asked for one row of a pool at a time, where they help the model
 * most. The caller shows the item, obtains its label from a person or a program, and passes it
 * back:
 *
 *     while (cleave_active_next(active, &item, &error) == CLEAVE_OK && item.row != CLEAVE_NO_ROW)
 *         cleave_active_label(active, item.row, ask(item.text), &error);
 *
 * With the option journal, a label is on disk when cleave_active_label returns, and the same call
 * of cleave_active_new continues after an interruption. Objects belong to one thread at a time.
 */
#ifndef CLEAVE_ACTIVE_H
#define CLEAVE_ACTIVE_H

#include <cleave/expert.h>

#ifdef __cplusplus
extern "C" {
#endif

CLEAVE_API const cleave_param *cleave_active_params(void);

typedef struct cleave_active cleave_active;
#define CLEAVE_NO_ROW UINT64_MAX
typedef struct {
    uint64_t row; /* row of the pool, from 0; CLEAVE_NO_ROW: no row is left */
    /* the line of text, the record of a table, or the features as name:value; ends with a NUL */
    const char *text;
    size_t length;
    const char *predicted; /* class predicted by the present model; NULL: there is no model yet */
    double margin;         /* difference between its two highest scores; NaN without a model */
    const char *hidden_label; /* label of the data, if labels are hidden; NULL: none */
} cleave_active_item;
typedef struct {
    const char *strategy;
    uint64_t pool_rows, test_rows;
    uint64_t budget;
    uint64_t given;   /* rows with a label in the data, which is not hidden */
    uint64_t labeled; /* labels asked for */
    uint64_t skipped;
    uint64_t open; /* rows that may still be asked about */
    size_t class_count;
    const char *const *classes; /* in the order of first appearance, after the known classes */
    bool fixed_classes;         /* option known_classes: other labels are refused */
    bool has_model;             /* at least two classes have labels */
    double error;               /* error rate on the test rows; NaN: no test rows or no labels */
} cleave_active_state;
/* hide_labels: the labels of the pool are not used, but returned with the item, for simulations. If
 * test is NULL, a part of the pool is then held out (option test_fraction). Otherwise labeled rows
 * of the pool are training rows from the start. test may be NULL; it is opened like the pool.
 * options: cleave_active_params; training: as for cleave_cv. */
CLEAVE_API cleave_code cleave_active_new(cleave_context *context, const char *method,
                                         cleave_data *pool, cleave_data *test, bool hide_labels,
                                         const cleave_options *options,
                                         const cleave_options *training, cleave_active **active,
                                         cleave_error *error);
CLEAVE_API void cleave_active_free(cleave_active *active);
/* The row to ask about. Strings are valid until the next call. The same labels give the same row.
 * The caller observes the budget. */
CLEAVE_API cleave_code cleave_active_next(cleave_active *active, cleave_active_item *item,
                                          cleave_error *error);
/* Any row of the pool may be labeled, once. CLEAVE_ERROR_DATA: the label is not acceptable. */
CLEAVE_API cleave_code cleave_active_label(cleave_active *active, uint64_t row, const char *label,
                                           cleave_error *error);
/* The row is not asked about again. */
CLEAVE_API cleave_code cleave_active_skip(cleave_active *active, uint64_t row, cleave_error *error);
/* Takes back the last label or skip. *row, which may be NULL, is its row; CLEAVE_NO_ROW: there was
 * none. */
CLEAVE_API cleave_code cleave_active_undo(cleave_active *active, uint64_t *row,
                                          cleave_error *error);
/* Strings are valid until the next label. */
CLEAVE_API cleave_code cleave_active_get_state(cleave_active *active, cleave_active_state *state,
                                               cleave_error *error);
/* The error rate after each training, by number of labels; false past the last. */
CLEAVE_API bool cleave_active_point(const cleave_active *active, size_t number, uint64_t *labels,
                                    double *error_rate);
/* A model of all labels, with the pipeline of the pool; NULL if fewer than two classes have
 * labels. */
CLEAVE_API cleave_code cleave_active_model(const cleave_active *active, cleave_model **model,
                                           cleave_error *error);
/* Writes the labeled rows as training data. Lines of text and records of tables stay as they are in
 * the pool; other data is written in the format of the suffix. rows may be NULL. */
CLEAVE_API cleave_code cleave_active_write(const cleave_active *active, const char *path,
                                           uint64_t *rows, cleave_error *error);

/* Active and random selection compared: both are simulated on labeled data, in repeats (option
 * simulations) that differ in the seed and, without test data, in the held-out rows. */
typedef struct {
    const char *method, *strategy;
    uint32_t repeats;
    uint64_t pool_rows, test_rows, seed;
    size_t point_count;
    const uint64_t *labels; /* number of labels at each point */
    /* mean error rates over the repeats at each point, with 95% intervals if repeats > 1 */
    const cleave_interval *active, *random;
    /* error rates of each repeat: repeat * point_count + point */
    const double *active_runs, *random_runs;
    /* mean over the points of the error rate of random minus that of active selection */
    cleave_interval gain;
    /* 1: active selection is significantly better; -1: significantly worse; 0: not known */
    int conclusion;
    /* the number of labels at which random selection reaches the last error rate of active
     * selection; 0: not within the budget */
    uint64_t random_labels;
    const char *summary, *hint; /* the conclusion as text; the hint may be empty */
} cleave_active_comparison;
CLEAVE_API cleave_code cleave_active_compare(cleave_context *context, const char *method,
                                             cleave_data *pool, cleave_data *test,
                                             const cleave_options *options,
                                             const cleave_options *training,
                                             cleave_active_comparison **comparison,
                                             cleave_error *error);
CLEAVE_API void cleave_active_comparison_free(cleave_active_comparison *comparison);

/* The error rates of active and random selection by the number of labels. */
CLEAVE_API cleave_code cleave_plot_of_active(cleave_context *context,
                                             const cleave_active_comparison *comparison,
                                             const cleave_options *options, cleave_plot **plot,
                                             cleave_error *error);

#ifdef __cplusplus
}
#endif

#endif
