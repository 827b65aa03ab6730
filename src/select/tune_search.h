/*
 * A tuning under way. tune.c begins and ends it, tune_candidates.c draws who is tried, tune_trials.c tries them on the folds of a stage, tune_rungs.c
 * ranks them and says who goes on, tune_winner.c chooses and judges the winner, tune_told.c says what came of it, and tune_journal.c keeps what
 * is finished.
 */
#ifndef SELECT_TUNE_SEARCH_H
#define SELECT_TUNE_SEARCH_H

#include "select/tune.h"
#include "select/tune_readings.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    int64_t candidates, trials, folds, rungs;
    int metric;
    bool search_pipeline;
    double test_share;
    const char *by_group, *by_time, *over, *budget, *journal;
} TuneOptions;

/* Steps of a path at the most: a search that is killed in the middle of one does it again from its beginning. */
enum { PATH_STEPS = 4 };

typedef struct {
    uint32_t member[PATH_STEPS]; /* candidates, from 0 */
    uint32_t count;
} Segment;

#define NO_INCUMBENT UINT32_MAX

typedef struct {
    Context *context;
    const Method *method;
    RunOptions run;
    TuneOptions options;
    const char *name;
    cleave_data *data;
    Dataset *dataset; /* the caller's; readings has the others */
    Readings readings;
    Folds folds; /* the last part is kept apart, if any is */
    TuneResult *result;
    Candidate *candidate;
    uint32_t count, fold_count;
    bool regression;
    const Metric *metric;
    RungPlan plan[MOST_RUNGS];
    uint32_t rungs;
    double rows;        /* of a training set */
    uint32_t round;     /* of drawing and racing, from 0 */
    uint32_t incumbent; /* the best candidate of earlier rounds; NO_INCUMBENT: none */
    uint64_t listed;    /* visited combinations of a finite space */
    bool exhausted;     /* the space has no further candidate */
    Journal *journal;
    double search_until, until; /* by clv_now; 0: whenever */

    /* The stage under way. */
    uint32_t rung, first_fold, segments;
    uint32_t first_segment, batch, tasks; /* of the current batch: segments, segments * folds */
    Segment *segment;
    uint32_t *order; /* of candidates, for ranking */

    pthread_mutex_t lock; /* for what follows */
    uint32_t failed;      /* the first task that did; UINT32_MAX: none */
    Status failure;
    cleave_error failure_error;
    uint64_t trials, found, warm;
    _Atomic bool late;
    _Atomic uint32_t tasks_done;
    double work_done, work_all; /* in trainings with all rows */
    char best[48];

    Remark *remarks; /* of the first trial */
    size_t remark_count;
} Tune;

static inline Outcome *outcome_of(const Tune *tune, uint32_t candidate, uint32_t fold)
{
    return &tune->candidate[candidate].outcome[(size_t)tune->rung * tune->fold_count + fold];
}

static inline Dataset *dataset_of(const Tune *tune, uint32_t candidate)
{
    return tune->readings.list[tune->candidate[candidate].reading].dataset;
}

static inline bool is_in(const Tune *tune, uint32_t number)
{
    const Candidate *candidate = &tune->candidate[number];

    return candidate->round == tune->round && candidate->rungs == tune->rung + 1 &&
           candidate->fate == CLEAVE_TRIAL_FINISHED;
}

static inline Pooled pooled_of(const Tune *tune, uint32_t number)
{
    return clv_outcomes_pool(outcome_of(tune, number, 0), tune->fold_count, tune->metric);
}

static inline bool is_better(const Pooled *a, const Pooled *b)
{
    if (a->folds != b->folds)
        return a->folds > b->folds;
    return a->loss < b->loss || (isnan(b->loss) && !isnan(a->loss));
}

/* Of a candidate, not of the whole search: other parameters may do. */
static inline bool is_its_own(const Trial *trial)
{
    return trial->status == CLEAVE_ERROR_USAGE || trial->status == CLEAVE_ERROR_DATA;
}

/* ---- before the first trial (tune_candidates.c), in this order */

Status clv_tune_build_space(Tune *tune, const cleave_options *training, cleave_error *error);
Status clv_tune_deal(Tune *tune, cleave_error *error);
/* Draws the candidates of a round. Sets tune->exhausted if the space has fewer than wanted. */
Status clv_tune_draw(Tune *tune, uint32_t wanted, cleave_error *error);

/* ---- trials and rungs (tune_trials.c, tune_rungs.c) */

/* Folds first … last - 1 of all who are in. */
Status clv_tune_stage(Tune *tune, uint32_t first, uint32_t last, cleave_error *error);
void clv_tune_candidate_failed(Tune *tune, uint32_t number, uint32_t fold, const char *message);
/* Races the candidates of the round. */
Status clv_tune_rungs(Tune *tune, cleave_error *error);
/* Draws and races further rounds until --trials, --budget or the search space is exhausted. */
Status clv_tune_rounds(Tune *tune, cleave_error *error);

/* ---- the end (tune_winner.c, tune_told.c) */

/* By the last rung that was finished; where none was, by the most folds of the first. */
Status clv_tune_choose(Tune *tune, uint32_t *winner, uint32_t *rung, cleave_error *error);
/* Against the defaults, by rows kept apart; apart->done is false where there are none, or no time. */
Status clv_tune_judge(Tune *tune, uint32_t winner, Apart *apart, cleave_error *error);
void clv_tune_tell(Tune *tune, uint32_t winner, uint32_t rung);

/* ---- the journal (tune_journal.c) */

Status clv_tune_open_journal(Tune *tune, cleave_error *error);
/* Whether it has a trial of this rung, which then is in its outcome. */
bool clv_tune_has_outcome(const Tune *tune, uint32_t candidate, uint32_t fold);
bool clv_tune_find_outcome(Tune *tune, uint32_t candidate, uint32_t fold);
Status clv_tune_keep_outcome(Tune *tune, uint32_t candidate, uint32_t fold, const char *failure, cleave_error *error);
bool clv_tune_find_final(const Tune *tune, uint32_t winner, Apart *apart);
Status clv_tune_keep_final(const Tune *tune, uint32_t winner, const Apart *apart, cleave_error *error);

#endif
