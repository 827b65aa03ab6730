/*
 * Who is tried when, on how many rows. Trials on two small shares of the rows tell how fast a method is (select/pace.h). Then the time
 * that is left is shared fairly among the methods not yet begun, those that need least first: each gets all rows, or as many as its
 * share is enough for. That is settled anew whenever a method is begun, and before many more rows than have been tried, after one
 * more trial on a quarter of them. A trial that takes much longer than expected is given up; if it was the first of its
 * method, that begins anew with a quarter of the rows. Where time is left in the end, methods that had not all rows are tried again with all rows, or
 * at least twice as many; what that comes to counts if it is finished.
 */
#include "select/compare.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

/* Methods treat up to a thousand rows with more care than others: the first trial has more. */
enum { FIRST_ROWS = 1500, SECOND_ROWS = 6000, PROBED_ROWS = 2000, LEAST_ANSWERS = 2000, FEWEST_ROWS = 250 };
enum { LEAP = 4 }; /* rows may be so many times those that were tried */
#define ALONE UINT32_MAX

static const double hope = 0.75;        /* of the time that is left is given away */
static const double patience = 2;       /* a trial may take so many times what is expected, … */
static const double grace = 2;          /* … and so many seconds more */
static const double probe_share = 0.03; /* of the budget, for a trial that only tells how fast a method is */
static const double longer = 3;         /* times that a trial which was given up would have taken */
static const double noticed = 0.01;     /* of the budget: trials that take less are not worth another one before them */

typedef struct Crew Crew;

/* A thread, and the context that its trials ask whether to go on. */
typedef struct {
    Crew *crew;
    unsigned number;
    Context proxy;
    double *losses;
    /* What it is doing, for others to look at: a candidate + 1, and the piece. */
    _Atomic uint32_t candidate, piece;
} Hand;

struct Crew {
    Compare *compare;
    Hand *hand;
    unsigned hands;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Status status;
    cleave_error *error;
};

/* A trial to be made: of a piece, or ALONE to tell how fast the candidate is. */
typedef struct {
    Candidate *candidate;
    uint32_t piece, generation;
    double learn_share, judge_share, deadline;
    bool yields; /* the deadline is the end of the candidate's time */
} Errand;

/* ---- the context of a hand ---------------------------------------------------------------------------------------- */

static void *allocate(void *user, void *old, size_t size)
{
    const cleave_config *config = &((Hand *)user)->crew->compare->context->config;

    return config->allocate(config->user, old, size);
}

static void clock_text(double seconds, char text[16])
{
    int whole = (int)fmin(seconds, 1e9); /* more than anybody waits for */

    snprintf(text, 16, "%d:%02d", whole / 60, whole % 60);
}

/* "compare  svm fold 3 of 5, knn fold 1 of 5  0:42 of 5:00" */
static void tell_progress(const Hand *self)
{
    const Crew *crew = self->crew;
    const Compare *compare = crew->compare;
    char text[200] = "compare ", spent[16], all[16];
    size_t used = strlen(text);

    for (unsigned i = 0; i < crew->hands && used < sizeof text - 80; i++) {
        uint32_t candidate = atomic_load(&crew->hand[i].candidate), piece = atomic_load(&crew->hand[i].piece);

        if (candidate == 0)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.30s", used > 8 ? "," : "",
                                 compare->candidate[candidate - 1].method->name);
        if (piece == ALONE)
            used += (size_t)snprintf(text + used, sizeof text - used, " on a sample");
        else
            used += (size_t)snprintf(text + used, sizeof text - used, " fold %u of %u", piece + 1, compare->pieces);
    }
    clock_text(clv_now() - compare->started, spent);
    clock_text(compare->facts.budget, all);
    snprintf(text + used, sizeof text - used, "  %s of %s", spent, all);
    clv_progress(compare->context, &(cleave_progress){.phase = text});
}

/* Trials ask often: the caller's own thread uses the occasion. */
static bool cancelled(void *user)
{
    const Hand *self = user;

    if (self->number == 0 && clv_progress_due(self->crew->compare->context))
        tell_progress(self);
    return clv_cancelled(self->crew->compare->context);
}

/* ---- one trial ---------------------------------------------------------------------------------------------------- */

static void begin_trial(Hand *hand, const Errand *errand, Trial *trial)
{
    const Compare *compare = hand->crew->compare;
    uint32_t piece = errand->piece == ALONE ? 0 : errand->piece;

    *trial = (Trial){.parent = &hand->proxy,
                     .method = errand->candidate->method,
                     .metric = compare->metric,
                     .training = errand->candidate->training,
                     .name = compare->name,
                     .dataset = compare->dataset,
                     .folds = folds_of(compare, piece),
                     .part = part_of(compare, piece),
                     .learn_share = errand->learn_share,
                     .judge_share = errand->judge_share,
                     .share_seed = (uint64_t)compare->options.seed,
                     .deadline = errand->deadline,
                     .weigh_model = errand->piece != ALONE,
                     .skip_train_error = true,
                     .losses = errand->piece == ALONE ? NULL : hand->losses};
    clv_trial_begin(trial);
    for (uint64_t row = 0; trial->losses && row < compare->dataset->rows; row++)
        trial->losses[row] = (double)NAN;
}

static double learn_rows(const Compare *compare)
{
    return (double)(compare->dataset->rows - compare->folds[0].size[0]);
}

static double judge_rows(const Compare *compare)
{
    return (double)compare->folds[0].size[0];
}

static double share_of(double part, double all)
{
    return part < all ? part / all : 0;
}

static Shares rows_in(const Compare *compare, double learn_share, double judge_share)
{
    return (Shares){learn_share > 0 ? learn_share * learn_rows(compare) : learn_rows(compare),
                    judge_share > 0 ? judge_share * judge_rows(compare) : judge_rows(compare)};
}

static double seconds_for(const Compare *compare, const Candidate *candidate, Shares rows)
{
    if (candidate->pace.count == 0)
        return 0;
    return 2 * compare->pass + clv_pace_learn(&candidate->pace, rows.learn) +
           rows.answer * clv_pace_answer(&candidate->pace, rows.learn);
}

/* What a trial says of the pace; one that was given up, at least so much. */
static void note_pace(const Compare *compare, const Errand *errand, const Trial *trial, double seconds)
{
    Pace *pace = &errand->candidate->pace;
    Shares rows = rows_in(compare, errand->learn_share, errand->judge_share);
    double test = trial->facts.test_seconds, learn = seconds - test;

    if (trial->status == OK && trial->sums.n)
        clv_pace_note(pace,
                      (Rung){rows.learn, fmax(learn - compare->pass, 0.05 * learn),
                             fmax(test - compare->pass, 0.05 * test) / (double)(trial->sums.n + trial->sums.unlabelled),
                             false});
    else if (trial->late)
        clv_pace_note(pace, (Rung){rows.learn, longer * seconds, clv_pace_answer(pace, rows.learn), true});
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

static uint32_t pending(const Compare *compare, const Candidate *candidate)
{
    uint32_t count = 0;

    for (uint32_t i = 0; !candidate->out && i < compare->pieces; i++) {
        const Piece *piece = &candidate->piece[i];

        count += !piece->done && !piece->running && !piece->given_up;
    }
    return count;
}

static uint32_t finished(const Compare *compare, const Candidate *candidate)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < compare->pieces; i++)
        count += candidate->piece[i].done;
    return count;
}

static double need(const Compare *compare, const Candidate *candidate)
{
    return pending(compare, candidate) * seconds_for(compare, candidate, rows_in(compare, 0, 0));
}

/* Seconds of all hands that are spoken for: pieces of candidates that have their shares. */
static double spoken_for(const Compare *compare)
{
    double sum = 0;

    for (size_t i = 0; i < compare->candidates; i++) {
        const Candidate *candidate = &compare->candidate[i];

        if (candidate->out || !candidate->planned)
            continue;
        sum += pending(compare, candidate) * candidate->expected;
        for (uint32_t j = 0; j < compare->pieces; j++)
            sum += candidate->piece[j].running ? candidate->expected / 2 : 0;
    }
    return sum;
}

/* Seconds that each piece of a candidate may take. */
static double afford(const Compare *compare, const Candidate *candidate)
{
    double needs[MOST_METHODS], left = compare->end - clv_now(), level, each;
    uint32_t pieces = pending(compare, candidate), waves = (pieces + compare->workers - 1) / compare->workers;
    size_t count = 0;

    for (size_t i = 0; i < compare->candidates; i++) {
        const Candidate *other = &compare->candidate[i];

        if (!other->out && !other->planned)
            needs[count++] = need(compare, other);
    }
    level = clv_fair_share(needs, count, hope * (left * compare->workers - spoken_for(compare)));
    each = level / pieces;
    return fmin(each, hope * left / waves);
}

static double tried_rows(const Candidate *candidate)
{
    return candidate->pace.count ? candidate->pace.rung[candidate->pace.count - 1].rows : 0;
}

/* Its part of the time that is left, where others are not begun yet; and a little more, since those may take less. */
static double until_when(const Compare *compare, const Candidate *candidate)
{
    double now = clv_now(), others = 0;

    for (size_t i = 0; i < compare->candidates; i++) {
        const Candidate *other = &compare->candidate[i];

        others += other != candidate && !other->out && !other->planned;
    }
    return now + (compare->end - now) * fmin(1, 1.25 / (1 + others));
}

/* Settles the shares; or *rung, where that takes one more trial. */
static bool plan(const Compare *compare, Candidate *candidate, Errand *rung)
{
    Shares all = rows_in(compare, 0, 0), rows = all;

    if (candidate->pace.count)
        clv_pace_afford(&candidate->pace, all, FEWEST_ROWS, LEAST_ANSWERS,
                        afford(compare, candidate) - 2 * compare->pass, &rows);
    candidate->expected = seconds_for(compare, candidate, rows);
    if (candidate->pace.count && rows.learn > LEAP * tried_rows(candidate) &&
        candidate->expected > noticed * compare->facts.budget) {
        Shares fewer = {rows.learn / LEAP, PROBED_ROWS};

        *rung = (Errand){
            .candidate = candidate,
            .piece = ALONE,
            .learn_share = share_of(fewer.learn, all.learn),
            .judge_share = share_of(fewer.answer, all.answer),
            .deadline = fmin(compare->end, clv_now() + grace + patience * seconds_for(compare, candidate, fewer))};
        return false;
    }
    candidate->planned = true;
    candidate->until = until_when(compare, candidate);
    candidate->learn_share = share_of(rows.learn, all.learn);
    candidate->judge_share = share_of(rows.answer, all.answer);
    return true;
}

/* ---- the queue, under the lock ------------------------------------------------------------------------------------ */

static double deadline_of(const Compare *compare, const Candidate *candidate, bool *yields)
{
    double now = clv_now();
    double most = candidate->expected > 0 ? grace + patience * candidate->expected : (compare->end - now) / 2;

    *yields = candidate->until > now && candidate->until < fmin(compare->end, now + most);
    if (*yields)
        return candidate->until;
    return fmin(compare->end, now + most);
}

static bool had_its_time(const Candidate *candidate)
{
    return candidate->until > 0 && clv_now() >= candidate->until;
}

static bool take_piece(Compare *compare, Candidate *candidate, Errand *errand)
{
    for (uint32_t i = 0; i < compare->pieces; i++) {
        Piece *piece = &candidate->piece[i];

        if (piece->done || piece->running || piece->given_up)
            continue;
        piece->running = true;
        *errand = (Errand){.candidate = candidate,
                           .piece = i,
                           .generation = candidate->generation,
                           .learn_share = candidate->learn_share,
                           .judge_share = candidate->judge_share};
        errand->deadline = deadline_of(compare, candidate, &errand->yields);
        return true;
    }
    return false;
}

/* Of those not planned, the one that needs least; NULL: there is none that could be begun. */
static Candidate *cheapest(Compare *compare)
{
    Candidate *found = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < compare->candidates; i++) {
        Candidate *candidate = &compare->candidate[i];
        double needed;

        if (candidate->out || candidate->planned || candidate->climbing)
            continue;
        needed = need(compare, candidate);
        if (!found || needed < least) {
            found = candidate;
            least = needed;
        }
    }
    return found;
}

/* ---- second tries, under the lock --------------------------------------------------------------------------------- */

/* Whether it is done, but not with all rows. */
static bool had_less(const Compare *compare, const Candidate *candidate)
{
    return !candidate->out && !candidate->again && !candidate->second && candidate->pace.count &&
           (candidate->learn_share > 0 || candidate->judge_share > 0) &&
           finished(compare, candidate) == compare->pieces;
}

/* Rows of a second try, which may have all the time that is left; false: they would not be many more. */
static bool afford_again(const Compare *compare, const Candidate *candidate, Shares *rows)
{
    double left = compare->end - clv_now() - spoken_for(compare) / compare->workers;
    uint32_t waves = (compare->pieces + compare->workers - 1) / compare->workers;
    Shares all = rows_in(compare, 0, 0), had = rows_in(compare, candidate->learn_share, candidate->judge_share);

    if (!clv_pace_afford(&candidate->pace, all, had.learn, LEAST_ANSWERS, hope * left / waves - 2 * compare->pass,
                         rows))
        return false;
    if (rows->learn >= all.learn && rows->answer >= all.answer)
        return true;
    return rows->learn >= fmin(2 * had.learn, all.learn) && rows->answer >= had.answer &&
           (rows->learn > 1.5 * had.learn || rows->answer > 1.5 * had.answer);
}

static Status begin_again(Crew *crew, Candidate *first, Shares rows)
{
    Compare *compare = crew->compare;
    Shares all = rows_in(compare, 0, 0);
    Candidate *second;

    TRY(clv_compare_again(compare, first, &second, crew->error));
    second->learn_share = share_of(rows.learn, all.learn);
    second->judge_share = share_of(rows.answer, all.answer);
    second->expected = seconds_for(compare, first, rows);
    return OK;
}

/* The cheapest that can have many more rows. */
static bool try_again(Crew *crew, Errand *errand)
{
    Compare *compare = crew->compare;
    Candidate *found = NULL;
    double least = INFINITY;
    Shares rows, all = rows_in(compare, 0, 0), chosen = {0};

    for (size_t i = 0; i < compare->methods; i++) {
        Candidate *candidate = &compare->candidate[i];
        double needed;

        if (!had_less(compare, candidate) || !afford_again(compare, candidate, &rows))
            continue;
        needed = seconds_for(compare, candidate, all);
        if (needed < least) {
            least = needed;
            found = candidate;
            chosen = rows;
        }
    }
    if (!found)
        return false;
    crew->status = begin_again(crew, found, chosen);
    return crew->status == OK && take_piece(compare, &compare->candidate[found->second], errand);
}

/* ---- what is next, under the lock --------------------------------------------------------------------------------- */

/* Of candidates that have their shares: those that have had their time wait until nobody else wants any. */
static bool take_planned(Compare *compare, bool who_had_theirs, Errand *errand)
{
    for (size_t i = 0; i < compare->candidates; i++) {
        Candidate *candidate = &compare->candidate[i];

        if (candidate->planned && !candidate->out && had_its_time(candidate) == who_had_theirs &&
            take_piece(compare, candidate, errand))
            return true;
    }
    return false;
}

static bool find_errand(Compare *compare, Errand *errand)
{
    Candidate *candidate;

    if (take_planned(compare, false, errand))
        return true;
    while ((candidate = cheapest(compare))) {
        if (!plan(compare, candidate, errand)) {
            candidate->climbing = true;
            return true;
        }
        if (take_piece(compare, candidate, errand))
            return true;
    }
    return take_planned(compare, true, errand);
}

static bool is_over(const Crew *crew)
{
    return crew->status != OK || clv_now() >= crew->compare->end || clv_cancelled(crew->compare->context);
}

static bool is_over_locked(Crew *crew)
{
    bool over;

    pthread_mutex_lock(&crew->lock);
    over = is_over(crew);
    pthread_mutex_unlock(&crew->lock);
    return over;
}

static bool any_climbs(const Compare *compare)
{
    for (size_t i = 0; i < compare->candidates; i++)
        if (compare->candidate[i].climbing)
            return true;
    return false;
}

/* Waits where others are about to find out what is to be done. */
static bool next_errand(Crew *crew, Errand *errand)
{
    while (!is_over(crew)) {
        if (find_errand(crew->compare, errand))
            return true;
        if (!any_climbs(crew->compare))
            return try_again(crew, errand);
        pthread_cond_wait(&crew->changed, &crew->lock);
    }
    return false;
}

/* ---- what came of it, under the lock ------------------------------------------------------------------------------ */

static void leave_out(Candidate *candidate, const Trial *trial)
{
    cleave_error error;

    candidate->out = true;
    clv_trial_failure(trial, &error);
    if ((candidate->method->behavior & METHOD_BINARY_FEATURES) && error.code == CLEAVE_ERROR_DATA)
        snprintf(candidate->reason, REASON_SIZE, "takes features of 0 and 1 only");
    else
        snprintf(candidate->reason, REASON_SIZE, "%.*s", REASON_SIZE - 1, error.message);
}

/* A first trial that took too long: fewer rows. Of later ones, those that are done are kept. */
static void fall_back(Compare *compare, const Errand *errand)
{
    Candidate *candidate = errand->candidate;
    Shares rows = rows_in(compare, candidate->learn_share, candidate->judge_share);
    double all = learn_rows(compare);

    if (candidate->again) {
        candidate->out = true;
        return;
    }
    if (finished(compare, candidate) && errand->yields)
        return; /* later, perhaps */
    if (finished(compare, candidate) || rows.learn < 2 * FEWEST_ROWS || clv_now() >= compare->end) {
        candidate->piece[errand->piece].given_up = true;
        return;
    }
    candidate->generation++;
    candidate->until = until_when(compare, candidate);
    candidate->learn_share = share_of(rows.learn / LEAP, all);
    candidate->expected = seconds_for(compare, candidate, (Shares){rows.learn / LEAP, rows.answer});
    for (uint32_t i = 0; i < compare->pieces; i++)
        candidate->piece[i].running = false;
}

static Status keep(Crew *crew, const Hand *hand, const Errand *errand, const Trial *trial, double seconds)
{
    Compare *compare = crew->compare;
    Candidate *candidate = errand->candidate;
    Piece *piece = &candidate->piece[errand->piece];
    const Folds *folds = trial->folds;
    float *loss = losses_of(compare, candidate->loss, errand->piece);

    for (uint64_t row = 0; row < folds->rows; row++)
        if (folds->of[row] == trial->part)
            loss[row] = (float)hand->losses[row];
    *piece = (Piece){.done = true,
                     .facts = trial->facts,
                     .sums = trial->sums,
                     .model_bytes = trial->model_bytes,
                     .seconds = seconds};
    candidate->expected = fmax(candidate->expected / 2, seconds);
    return clv_compare_note(compare, candidate, errand->piece, crew->error);
}

/* Not the candidate's fault: no memory, or a --transform that nobody can make sense of. */
static bool concerns_all(const Compare *compare, Status status)
{
    return status == CLEAVE_ERROR_MEMORY ||
           (status == CLEAVE_ERROR_USAGE && strcmp(compare->options.transform, "auto") != 0);
}

static Status settle(Crew *crew, const Hand *hand, const Errand *errand, const Trial *trial, double seconds)
{
    Compare *compare = crew->compare;
    Candidate *candidate = errand->candidate;

    if (errand->piece == ALONE)
        candidate->climbing = false;
    if (concerns_all(compare, trial->status)) {
        *crew->error = trial->error;
        return trial->status;
    }
    note_pace(compare, errand, trial, seconds);
    if (trial->status != OK && trial->status != CLEAVE_ERROR_CANCELLED) {
        leave_out(candidate, trial);
        return OK;
    }
    if (errand->piece == ALONE || errand->generation != candidate->generation)
        return OK;
    candidate->piece[errand->piece].running = false;
    if (trial->status == OK)
        return keep(crew, hand, errand, trial, seconds);
    if (trial->late)
        fall_back(compare, errand);
    return OK;
}

/* ---- the hands ---------------------------------------------------------------------------------------------------- */

static void do_errand(Hand *hand, const Errand *errand)
{
    Crew *crew = hand->crew;
    Compare *compare = crew->compare;
    double started = clv_now();
    Trial trial;
    Status status;

    atomic_store(&hand->candidate, (uint32_t)(errand->candidate - compare->candidate) + 1);
    atomic_store(&hand->piece, errand->piece);
    begin_trial(hand, errand, &trial);
    clv_trial_run(&trial);
    pthread_mutex_lock(&crew->lock);
    atomic_store(&hand->candidate, 0);
    status = settle(crew, hand, errand, &trial, clv_now() - started);
    if (crew->status == OK)
        crew->status = status;
    clv_trial_free(&trial);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

static void work(void *user, uint32_t task, unsigned worker)
{
    Crew *crew = user;
    Errand errand;

    (void)task;
    for (;;) {
        bool found;

        pthread_mutex_lock(&crew->lock);
        found = next_errand(crew, &errand);
        pthread_mutex_unlock(&crew->lock);
        if (!found)
            return;
        do_errand(&crew->hand[worker], &errand);
    }
}

/* A few rows, and a few more, as far as that is fast. */
static void probe(void *user, uint32_t number, unsigned worker)
{
    static const double rows[] = {FIRST_ROWS, SECOND_ROWS};
    Crew *crew = user;
    Compare *compare = crew->compare;
    Candidate *candidate = &compare->candidate[number];

    for (size_t i = 0; i < 2 && rows[i] * 2 <= learn_rows(compare); i++) {
        double most = probe_share * compare->facts.budget;
        Errand errand = {.candidate = candidate,
                         .piece = ALONE,
                         .learn_share = share_of(rows[i], learn_rows(compare)),
                         .judge_share = share_of(PROBED_ROWS, judge_rows(compare)),
                         .deadline = fmin(compare->end, clv_now() + most)};

        if (candidate->out || candidate->planned || is_over_locked(crew))
            return;
        do_errand(&crew->hand[worker], &errand);
        if (2 * clv_pace_learn(&candidate->pace, rows[i]) > most)
            return;
    }
}

/* Goes over the rows as a trial does that wants few of them. */
static Status measure_pass(Compare *compare, cleave_error *error)
{
    FoldRows rows = {.folds = &compare->folds[0],
                     .share = share_of(PROBED_ROWS, judge_rows(compare)),
                     .seed = (uint64_t)compare->options.seed};
    double started = clv_now();
    Source *source;
    const Block *block;
    Status status;

    if (rows.share == 0)
        return OK;
    TRY(clv_fold_source(compare->context, compare->dataset, &rows, &source, error));
    do
        status = source_next(source, &block, error);
    while (status == OK && block);
    clv_source_close(source);
    compare->pass = clv_now() - started;
    return status;
}

static Status begin_hands(Crew *crew)
{
    Compare *compare = crew->compare;

    crew->hands = compare->workers;
    crew->hand = clv_alloc_zero(compare->context, crew->hands, sizeof *crew->hand);
    if (!crew->hand)
        return clv_fail_memory(crew->error, "threads", crew->hands * sizeof *crew->hand);
    for (unsigned i = 0; i < crew->hands; i++) {
        Hand *hand = &crew->hand[i];

        *hand = (Hand){.crew = crew, .number = i};
        hand->proxy.config = (cleave_config){.allocate = allocate, .cancelled = cancelled, .user = hand, .threads = 1};
        hand->losses = clv_alloc(compare->context, compare->dataset->rows, sizeof *hand->losses);
        if (!hand->losses)
            return clv_fail_memory(crew->error, "losses", compare->dataset->rows * sizeof *hand->losses);
    }
    return OK;
}

static void free_hands(Crew *crew)
{
    for (unsigned i = 0; crew->hand && i < crew->hands; i++)
        clv_free(crew->compare->context, crew->hand[i].losses);
    clv_free(crew->compare->context, crew->hand);
}

Status clv_compare_run(Compare *compare, cleave_error *error)
{
    Crew crew = {.compare = compare, .error = error};

    clv_progress(compare->context, &(cleave_progress){.phase = "compare"});
    if (pthread_mutex_init(&crew.lock, NULL) != 0)
        return clv_fail_memory(error, "a lock", sizeof crew.lock);
    if (pthread_cond_init(&crew.changed, NULL) != 0) {
        pthread_mutex_destroy(&crew.lock);
        return clv_fail_memory(error, "a lock", sizeof crew.changed);
    }
    crew.status = begin_hands(&crew);
    if (crew.status == OK)
        crew.status = measure_pass(compare, error);
    if (crew.status == OK) {
        clv_pool_run(compare->context, (uint32_t)compare->candidates, probe, &crew);
        clv_pool_run(compare->context, compare->workers, work, &crew);
    }
    free_hands(&crew);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
    return crew.status;
}
