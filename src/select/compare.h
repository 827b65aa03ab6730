/*
 * A comparison under way: candidates, which are methods with their settings, and pieces, which are their trials on one fold of one repeat.
 * compare.c begins and ends it, compare_settings.c chooses settings, compare_run.c gives each candidate its share of rows and time,
 * compare_journal.c keeps what is finished, compare_summary.c makes numbers and odds of it.
 */
#ifndef SELECT_COMPARE_H
#define SELECT_COMPARE_H

#include "eval/leakage.h"
#include "select/baseline.h"
#include "select/journal.h"
#include "select/pace.h"
#include "select/trial.h"

enum { TASK_AUTO, TASK_CLASSES, TASK_NUMBERS };

typedef struct {
    int64_t folds, repeats, seed;
    bool skip_unlabelled;
    const char *by_group, *by_time, *budget, *journal, *methods, *transform;
    int task, metric;
} CompareOptions;

extern const Param clv_compare_params[];

typedef struct {
    bool done, running, given_up;
    cleave_cv_fold facts;
    FoldSums sums;
    uint64_t model_bytes;
    double seconds; /* of all of it */
} Piece;

enum { SETTINGS_SIZE = 256, REASON_SIZE = 512, MOST_METHODS = 256 };

typedef struct {
    const Method *method;
    cleave_options *training;
    char settings[SETTINGS_SIZE], reason[REASON_SIZE];
    bool out; /* it cannot, and the reason says why */

    Pace pace;
    bool planned, climbing;          /* shares are settled; a trial is under way that will tell how fast it is */
    double learn_share, judge_share; /* 0: all */
    double expected;                 /* seconds of a piece; 0: nobody knows */
    double until;                    /* by clv_now: what it takes longer is time of those not yet begun */
    uint32_t generation;             /* one more each time that shares were too large */

    Piece *piece; /* by repeat and fold */
    float *loss;  /* by repeat and row; NaN: not judged */

    bool again;      /* it is another's second try, with more rows, since time was left; its settings are the other's */
    uint32_t second; /* its own second try, a number of a candidate; 0: there is none */
} Candidate;

typedef struct {
    cleave_comparison facts; /* first, so that it can be freed by its public address */
    Context *context;

    CompareOptions options;
    const char *name;
    Dataset *dataset;
    Folds *folds; /* of each repeat */
    uint32_t pieces;
    double started, end; /* by clv_now */
    double pass;         /* seconds to go over all rows for a few of them, which any trial does twice */
    unsigned workers;
    Candidate *candidate;       /* room for twice as many as there are methods, so that they stay where they are */
    size_t candidates, methods; /* the first so many are of one method each, the others second tries */
    const Metric *metric;
    Baseline baseline;
    Journal *journal;

    cleave_comparison_row *contender;
    struct Guesses *guesses; /* of the data */
    Suspect suspect[MOST_SUSPECTS];
    cleave_suspect_column suspect_facts[MOST_SUSPECTS];
    char baseline_label[QUOTE_SIZE], positive[QUOTE_SIZE];
} Compare;

static inline const Folds *folds_of(const Compare *compare, uint32_t piece)
{
    return &compare->folds[piece / (uint32_t)compare->options.folds];
}

static inline uint32_t part_of(const Compare *compare, uint32_t piece)
{
    return piece % (uint32_t)compare->options.folds;
}

static inline float *losses_of(const Compare *compare, float *loss, uint32_t piece)
{
    return loss + (size_t)(piece / (uint32_t)compare->options.folds) * compare->dataset->rows;
}

Status clv_compare_make_room(Compare *compare, Candidate *candidate, cleave_error *error); /* for pieces and losses */

/* Fills training and settings. Where a default is known to be poor, by rule: of the data's width, or of the spread of its targets. */
Status clv_compare_settle(Compare *compare, Candidate *candidate, cleave_error *error);

/* All pieces that there is time for. What becomes of a candidate is its own matter; errors are those of memory and of the journal. */
Status clv_compare_run(Compare *compare, cleave_error *error);

Status clv_compare_open_journal(Compare *compare, cleave_error *error);
/* A second try of a candidate, whose shares are then to be settled. */
Status clv_compare_again(Compare *compare, Candidate *first, Candidate **second, cleave_error *error);
/* From any thread, of a piece that is done. */
Status clv_compare_note(Compare *compare, const Candidate *candidate, uint32_t piece, cleave_error *error);

Status clv_compare_summarise(Compare *compare, cleave_error *error);

#endif
