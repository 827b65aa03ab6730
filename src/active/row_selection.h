/*
 * Selection: the labels given so far, the model trained on them, and the row to ask about next.
 *
 * An event is a label or a skipped row. The next row is a function of the pool, the options and the
 * events, so that a run that is resumed continues as if it had not been interrupted. Rows with the
 * same features as a labeled or skipped row are not asked about.
 *
 *     random     rows in random order
 *     margin     the smallest difference between the two highest scores (Lewis and Gale 1994;
 *                Scheffer and others 2001)
 *     entropy    the highest entropy of the class probabilities (Shannon 1948)
 *     committee  the highest entropy of the votes of models trained on bootstrap samples of the
 *                labels (Seung, Opper and Sompolinsky 1992; Abe and Mamitsuka 1998)
 *     density    uncertain, typical of the pool, and different from labeled rows (Settles and
 *                Craven 2008)
 *     mixture    first typical rows that differ from each other, then margin
 *
 * All except mixture begin with random rows until two classes are known. Typical rows are drawn
 * with probability proportional to t^a (1 - s)^2, with t the cosine to the mean of the pool, s the
 * largest cosine to a row asked about before: k-means++ seeding (Arthur and Vassilvitskii 2007),
 * weighted by density.
 */
#ifndef ACTIVE_ROW_SELECTION_H
#define ACTIVE_ROW_SELECTION_H

#include "active/active_pool.h"

#include <cleave/active.h>

typedef enum {
    STRATEGY_RANDOM,
    STRATEGY_MARGIN,
    STRATEGY_ENTROPY,
    STRATEGY_COMMITTEE,
    STRATEGY_DENSITY,
    STRATEGY_MIXTURE
} Strategy;

typedef struct {
    int selection; /* Strategy */
    int64_t budget, train_every, typical, members, simulations;
    double test_fraction;
    const char *known_classes, *journal;
} ActiveOptions;

/* A label or a skipped row. */
typedef struct {
    uint32_t row;
    uint32_t label; /* into the classes of the selection; UNLABELED: skipped */
    bool given;     /* the label was in the pool from the start */
} ActiveEvent;

/* The error on the test rows of a model trained on this number of labels. */
typedef struct {
    uint32_t labels;
    double error;
} ErrorPoint;

typedef struct {
    /* Set by the caller; all must outlive the selection. */
    const ActivePool *pool;
    const Method *method;
    const void *method_options;
    const RunOptions *run;
    const ActiveOptions *options;
    int strategy;
    uint64_t seed;

    /* Private, except for reading. */
    Context *context;
    Context quiet;  /* trains models without notes; uses the address of the selection */
    Labels classes; /* every label given so far, and the known classes */
    uint32_t known; /* classes that may be given; 0: any */
    ActiveEvent *event;
    size_t event_count, event_capacity;
    uint32_t given, labeled, skipped; /* given: labels that were in the pool */
    uint16_t *closed;                 /* events of rows with the same features, by row */
    uint32_t open;                    /* rows with closed 0 */
    Model *model;                     /* NULL: fewer than two classes are known */
    size_t model_events;              /* events the model and the queue are made from … */
    bool current;                     /* … if they are made */
    double *utility;                  /* by row; higher is better */
    uint32_t *queue;                  /* the best rows, best first */
    size_t queue_count, queue_capacity;
    double *similarity; /* by row: largest cosine to the rows of the first similar_events events */
    float *probe;
    size_t similar_events;
    _Atomic bool interrupted; /* the caller cancelled since the present call began */
    ErrorPoint *point;
    size_t point_count, point_capacity;
} RowSelection;

Status clv_selection_begin(RowSelection *selection, Context *context, cleave_error *error);
void clv_selection_free(RowSelection *selection);

/* Adds the labels that are visible in the pool. */
Status clv_selection_take_given(RowSelection *selection, cleave_error *error);
Status clv_selection_label(RowSelection *selection, uint32_t row, const char *label,
                           cleave_error *error);
Status clv_selection_skip(RowSelection *selection, uint32_t row, cleave_error *error);
/* Removes the last event that was not given, if there is one; *row is its row, or NO_ROW. */
void clv_selection_undo(RowSelection *selection, uint32_t *row);

/* Trains the model on the labels up to the last full batch, if there are new ones, and records its
 * error on the test rows. */
Status clv_selection_refresh(RowSelection *selection, cleave_error *error);
/* The row to ask about; NO_ROW: none is left. */
Status clv_selection_next(RowSelection *selection, uint32_t *row, cleave_error *error);
/* A model trained on all labels, in the caller's context; NULL: fewer than two classes. */
Status clv_selection_model(const RowSelection *selection, Model **model, cleave_error *error);
/* The labeled rows in the order of their labels, from the rows of the pool as they were read. */
Status clv_selection_labeled_rows(const RowSelection *selection, Dataset *from, Dataset **rows,
                                  cleave_error *error);
/* Number of rows with a label: given and asked for. */
uint32_t clv_selection_labels(const RowSelection *selection);
/* The class of a row by the present model, and its scores; UNLABELED without a model. */
Status clv_selection_predict(const RowSelection *selection, uint32_t row, uint32_t *label,
                             double *margin, cleave_error *error);

#endif
