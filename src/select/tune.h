/*
 * Tuning: random search (Bergstra and Bengio 2012, "Random search for hyper-parameter
 * optimization") with successive halving (Jamieson and Talwalkar 2016; Li et al. 2018,
 * "Hyperband"): all candidates have trials on a fraction of the rows, the best third of them on
 * three times as many rows, and so on. The first candidate has the defaults. It stays until the
 * end, and the winner is compared with it. Several trials run at a time. The order of trials, and
 * the models from which they start, follow from the results of whole stages. The result therefore
 * depends neither on the number of threads nor on interruptions.
 *
 * tune.c begins and ends it, tune_candidates.c draws candidates, tune_trials.c runs the trials of a
 * stage and records them, tune_rungs.c ranks and promotes candidates, tune_winner.c chooses and
 * tests the winner, tune_result.c describes the result.
 */
#ifndef SELECT_TUNE_H
#define SELECT_TUNE_H

#include "select/experiment.h"
#include "select/tune_readings.h"
#include "select/tune_space.h"

#include <stdatomic.h>

/* ---- successive halving */

enum { HALVING = 3, MOST_RUNGS = 8 };

typedef struct {
    double share; /* fraction of the training rows; 0: all */
    /* number of candidates; the defaults are not counted unless they are among the best */
    uint32_t entrants;
} RungPlan;

/* Plans rungs for this number of candidates and training rows, and returns their number. asked 0:
 * the largest number that leaves enough rows for the first rung. */
uint32_t clv_plan_rungs(uint32_t candidates, double rows, uint32_t asked,
                        RungPlan plan[MOST_RUNGS]);

/* Whether a candidate is significantly worse than the best one: in each fold, and over all
 * folds. */
bool clv_is_worse(const TrialResult *candidate, const TrialResult *best, uint32_t folds,
                  const RowMetric *metric);

/* ---- the search */

typedef struct {
    Draw draw;
    uint32_t number;  /* number of the candidate, from 1 */
    uint32_t round;   /* batch in which the candidate was drawn, from 0 */
    uint32_t rungs;   /* number of rungs that the candidate has reached */
    uint32_t reading; /* index of its data in the readings of the search; 0: the caller's */
    cleave_trial_status state;
    char failure[400];
    uint32_t failed_fold; /* number of the fold that failed */
    TrialResult *result;  /* results by rung and fold */
} Candidate;

/* Maximum number of steps of a regularization path. The number is small, because an interrupted
 * search repeats a path from its beginning. */
enum { PATH_STEPS = 4 };

typedef struct {
    uint32_t member[PATH_STEPS]; /* numbers of the candidates, from 0 */
    uint32_t count;
} Segment;

#define NO_INCUMBENT UINT32_MAX

typedef struct {
    cleave_tune_result facts; /* first member, so that the public address frees it */
    Experiment base;
    const Method *method;
    cleave_data *data;
    Readings readings;
    Space space;
    Candidate *candidate; /* candidates in the order of their numbers */
    uint32_t count;
    RungPlan plan[MOST_RUNGS];
    uint32_t rungs;
    double rows;                /* number of rows of a training set */
    uint32_t round;             /* number of the batch, from 0 */
    uint32_t incumbent;         /* the best candidate of earlier rounds; NO_INCUMBENT: none */
    uint64_t listed;            /* number of combinations of a finite space that were visited */
    bool exhausted;             /* the space has no further candidate */
    double search_until, until; /* time limits by clv_now; 0: none */

    /* The current stage: some folds of a rung. */
    uint32_t rung, first_fold, segments;
    /* first segment of the current batch, number of its segments, and segments * folds */
    uint32_t first_segment, batch, tasks;
    Segment *segment;
    uint32_t *order; /* order of the candidates by rank */
    /* number of trials that were run, found in the journal, and warm-started; guarded by the
     * lock */
    uint64_t trials, found, warm;
    _Atomic bool late;
    _Atomic uint32_t tasks_done;
    double work_done, work_all; /* work in units of training on all rows */
    char best[48];
    Trial first; /* the first trial, which keeps its messages */

    cleave_candidate *ranked;
    cleave_rung *rung_facts;
    cleave_tuned_param *tuned;
    char summary[512], holdout_summary[512], hint[256];
} Tune;

static inline TrialResult *results_of(const Tune *tune, uint32_t candidate)
{
    return &tune->candidate[candidate].result[(size_t)tune->rung * tune->base.fold_count];
}

static inline Dataset *dataset_of(const Tune *tune, uint32_t candidate)
{
    return tune->readings.list[tune->candidate[candidate].reading].dataset;
}

/* Whether a candidate is in the current rung. */
static inline bool is_in(const Tune *tune, uint32_t number)
{
    const Candidate *candidate = &tune->candidate[number];

    return candidate->round == tune->round && candidate->rungs == tune->rung + 1 &&
           candidate->state == CLEAVE_TRIAL_FINISHED;
}

/* The results over all folds of the current rung. */
static inline TrialPool pool_of(const Tune *tune, uint32_t number)
{
    return clv_results_pool(results_of(tune, number), tune->base.fold_count, tune->base.metric);
}

static inline bool is_better(const TrialPool *a, const TrialPool *b)
{
    if (a->folds != b->folds)
        return a->folds > b->folds;
    return a->loss < b->loss || (isnan(b->loss) && !isnan(a->loss));
}

/* Whether a failure is due to the candidate, so that other parameters may succeed. */
static inline bool is_its_own(const Trial *trial)
{
    return trial->status == CLEAVE_ERROR_USAGE || trial->status == CLEAVE_ERROR_DATA;
}

Status clv_tune_build_space(Tune *tune, const cleave_options *training, cleave_error *error);
/* Draws the candidates of a round. Sets tune->exhausted if the space has fewer candidates than
 * wanted. */
Status clv_tune_draw(Tune *tune, uint32_t wanted, cleave_error *error);

/* Opens the journal. */
Status clv_tune_open_journal(Tune *tune, cleave_error *error);
/* Runs folds first … last - 1 of all candidates in the current rung. */
Status clv_tune_stage(Tune *tune, uint32_t first, uint32_t last, cleave_error *error);
/* Runs the rungs of a round until its winner is known. */
Status clv_tune_rungs(Tune *tune, cleave_error *error);
/* Draws and runs further rounds until --trials or --budget is reached, or the search space is
 * exhausted. */
Status clv_tune_rounds(Tune *tune, cleave_error *error);

/* The comparison of the winner with the defaults on held-out rows. */
typedef struct {
    bool done;
    uint64_t n;
    TrialResult winner, defaults;
    uint64_t only_winner, only_defaults; /* number of rows that are errors of only one of the two */
    /* losses of the defaults minus those of the winner: mean and standard deviation */
    double difference, spread;
} HeldOutTest;

/* Chooses the winner. Ranks candidates by the last finished rung, or by the folds completed in the
 * first rung. */
Status clv_tune_choose(Tune *tune, uint32_t *winner, uint32_t *rung, cleave_error *error);
/* Tests the winner. `done` is false without held-out rows or time. */
Status clv_tune_test_winner(Tune *tune, uint32_t winner, HeldOutTest *test, cleave_error *error);
/* Fills the facts. rung: the rung in which the winner was chosen. */
Status clv_tune_describe(Tune *tune, uint32_t winner, uint32_t rung, const HeldOutTest *test,
                         cleave_error *error);

#endif
