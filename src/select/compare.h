/* A comparison of methods. A candidate is a method with its settings; it has a trial on every fold
 * of every repeat. compare.c begins and ends the comparison, compare_settings.c chooses settings,
 * compare_schedule.c assigns rows and time to candidates and runs their trials, compare_journal.c
 * records them, compare_summary.c ranks and tests the candidates. */
#ifndef SELECT_COMPARE_H
#define SELECT_COMPARE_H

#include "eval/leakage.h"
#include "select/baseline.h"
#include "select/pace.h"

enum { SETTINGS_SIZE = 256, REASON_SIZE = 512, MOST_METHODS = 256 };

typedef struct {
    const Method *method;
    cleave_options *training;
    char settings[SETTINGS_SIZE], reason[REASON_SIZE];
    bool excluded; /* the method is excluded for `reason` */

    Pace pace;
    bool planned;                   /* its fractions of the rows have been chosen */
    bool probing;                   /* a trial that measures the speed is running */
    double train_share, test_share; /* fractions of the rows; 0: all */
    double expected;                /* expected seconds of a trial; 0: unknown */
    double until;                   /* end of its share of the time, by clv_now */
    /* incremented when its fractions of the rows turn out too large */
    uint32_t generation;

    TrialResult *result; /* results by repeat and fold */
    float *loss;         /* losses by repeat and row; NaN: not evaluated */

    bool is_retry;  /* it is a retry of another candidate with more rows, which owns the options */
    uint32_t retry; /* number of its own retry; 0: none */
} MethodCandidate;

typedef struct {
    cleave_comparison facts; /* first member, so that the public address frees it */
    Experiment base;
    double end;  /* end of the budget, by clv_now */
    double pass; /* seconds to traverse all rows for a few of them; every trial does so twice */
    unsigned workers;
    /* array with capacity for two per method, because candidates must not move */
    MethodCandidate *candidate;
    /* number of candidates; the first `methods` have one method each, the others are retries */
    size_t candidates, methods;
    Baseline baseline;
    cleave_comparison_row *listed; /* the candidates and the baseline, ranked */
    Suspect suspect[MOST_SUSPECTS];
    cleave_suspect_column suspect_facts[MOST_SUSPECTS];
} Compare;

static inline float *losses_of(const Compare *compare, float *loss, uint32_t trial)
{
    return loss + (size_t)(trial / compare->base.fold_count) * compare->base.dataset->rows;
}

/* Allocates results and losses. */
Status clv_compare_prepare(Compare *compare, MethodCandidate *candidate, cleave_error *error);
/* Adds a retry of a candidate, with its shares. */
Status clv_compare_retry(Compare *compare, MethodCandidate *first, MethodCandidate **retry,
                         cleave_error *error);

/* Sets training and settings of a candidate. */
Status clv_compare_choose_settings(Compare *compare, MethodCandidate *candidate,
                                   cleave_error *error);

/* Runs all trials for which there is time. A failure of one candidate excludes it; other errors
 * fail the comparison. */
Status clv_compare_run(Compare *compare, cleave_error *error);

/* Opens the journal and takes its results. */
Status clv_compare_resume(Compare *compare, cleave_error *error);
/* Records a finished trial, from any thread. */
Status clv_compare_record(Compare *compare, const MethodCandidate *candidate, uint32_t trial,
                          cleave_error *error);

Status clv_compare_summarize(Compare *compare, cleave_error *error);

#endif
