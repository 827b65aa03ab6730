/*
 * The journal of a tuning: a record for each trial as soon as it is finished, also where its candidate failed, and one for the judgement of the
 * winner. What the search is (data, method, options but for the budget) stands before them: another search is refused.
 */
#include "select/tune_search.h"

#include "train/identity.h"

#include <stdio.h>

/* ---- trials */

enum { KEY_SIZE = 64, KEPT_NUMBERS = 12 };

static void trial_key(const Tune *tune, uint32_t candidate, uint32_t fold, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "rung %u candidate %u fold %u", tune->rung + 1, candidate + 1, fold + 1);
}

static MetricSums metric_sums(const double numbers[4])
{
    return (MetricSums){.n = (uint64_t)numbers[0], .loss = numbers[1], .squares = numbers[2], .worth = numbers[3]};
}

static void put_metric_sums(double numbers[4], const MetricSums *sums)
{
    numbers[0] = (double)sums->n;
    numbers[1] = sums->loss;
    numbers[2] = sums->squares;
    numbers[3] = sums->worth;
}

static const JournalRecord *find_record(const Tune *tune, uint32_t candidate, uint32_t fold)
{
    const JournalRecord *record;
    char key[KEY_SIZE];

    trial_key(tune, candidate, fold, key);
    record = clv_journal_find(tune->journal, key);
    return record && record->count == KEPT_NUMBERS ? record : NULL;
}

bool clv_tune_has_outcome(const Tune *tune, uint32_t candidate, uint32_t fold)
{
    return find_record(tune, candidate, fold) != NULL;
}

bool clv_tune_find_outcome(Tune *tune, uint32_t candidate, uint32_t fold)
{
    Outcome *outcome = outcome_of(tune, candidate, fold);
    const JournalRecord *record = find_record(tune, candidate, fold);

    if (!record)
        return false;
    *outcome = (Outcome){.done = record->numbers[0] == 0,
                         .failed = record->numbers[0] != 0,
                         .n = (uint64_t)record->numbers[1],
                         .errors = (uint64_t)record->numbers[2],
                         .squares = record->numbers[3],
                         .fourths = record->numbers[4],
                         .seconds = record->numbers[5],
                         .limited = record->numbers[6] == 0,
                         .warm = record->numbers[7] != 0,
                         .metric = metric_sums(record->numbers + 8)};
    if (outcome->failed)
        clv_tune_candidate_failed(tune, candidate, fold, record->text);
    return true;
}

Status clv_tune_keep_outcome(Tune *tune, uint32_t candidate, uint32_t fold, const char *failure, cleave_error *error)
{
    const Outcome *outcome = outcome_of(tune, candidate, fold);
    double numbers[KEPT_NUMBERS] = {outcome->failed,  (double)outcome->n, (double)outcome->errors, outcome->squares,
                                    outcome->fourths, outcome->seconds,   !outcome->limited,       outcome->warm};
    char key[KEY_SIZE];

    put_metric_sums(numbers + 8, &outcome->metric);

    trial_key(tune, candidate, fold, key);
    return clv_journal_add(
        tune->journal, &(JournalRecord){.key = key, .text = failure, .numbers = numbers, .count = KEPT_NUMBERS}, error);
}

/* ---- the winner */

enum { FINAL_NUMBERS = 22 };

bool clv_tune_find_final(const Tune *tune, uint32_t winner, Apart *apart)
{
    const JournalRecord *record = clv_journal_find(tune->journal, "final");
    const double *numbers = record ? record->numbers : NULL;

    if (!record || record->count != FINAL_NUMBERS || numbers[0] != winner + 1)
        return false;
    *apart = (Apart){.done = true,
                     .n = (uint64_t)numbers[1],
                     .only_winner = (uint64_t)numbers[2],
                     .only_table = (uint64_t)numbers[3],
                     .difference = numbers[4],
                     .spread = numbers[5],
                     .winner = {.n = (uint64_t)numbers[6],
                                .errors = (uint64_t)numbers[7],
                                .squares = numbers[8],
                                .fourths = numbers[9],
                                .metric = metric_sums(numbers + 14)},
                     .table = {.n = (uint64_t)numbers[10],
                               .errors = (uint64_t)numbers[11],
                               .squares = numbers[12],
                               .fourths = numbers[13],
                               .metric = metric_sums(numbers + 18)}};
    return true;
}

Status clv_tune_keep_final(const Tune *tune, uint32_t winner, const Apart *apart, cleave_error *error)
{
    const FoldSums *a = &apart->winner, *b = &apart->table;
    double numbers[FINAL_NUMBERS] = {winner + 1,
                                     (double)apart->n,
                                     (double)apart->only_winner,
                                     (double)apart->only_table,
                                     apart->difference,
                                     apart->spread,
                                     (double)a->n,
                                     (double)a->errors,
                                     a->squares,
                                     a->fourths,
                                     (double)b->n,
                                     (double)b->errors,
                                     b->squares,
                                     b->fourths};

    put_metric_sums(numbers + 14, &a->metric);
    put_metric_sums(numbers + 18, &b->metric);
    return clv_journal_add(tune->journal, &(JournalRecord){.key = "final", .numbers = numbers, .count = FINAL_NUMBERS},
                           error);
}

/* ---- all of it */

/* Neither the time it may take nor where it is kept is part of what a search is. */
static bool is_no_part(const char *name)
{
    return strcmp(name, "budget") == 0 || strcmp(name, "journal") == 0;
}

static Status list_facts(const Tune *tune, const Identity *identity)
{
    const Buffer *defaults = &tune->candidate[0].draw.sameness;

    TRY(clv_identity_add(identity, "version of cleave", cleave_version()));
    TRY(clv_identity_add(identity, "command", "tune"));
    TRY(clv_identity_add(identity, "method", tune->method->name));
    TRY(clv_buffer_add(identity->context, identity->list, defaults->data, defaults->size, identity->error));
    TRY(clv_identity_params(identity, cleave_tune_params(), &tune->options, is_no_part));
    return clv_identity_dataset(identity, tune->dataset, "", true);
}

Status clv_tune_open_journal(Tune *tune, cleave_error *error)
{
    Buffer facts = {0};
    Identity identity = {.context = tune->context, .error = error, .list = &facts};
    Status status = tune->options.journal ? list_facts(tune, &identity) : OK;

    if (status == OK)
        status = clv_journal_open(tune->context, tune->options.journal, &facts, &tune->journal, error);
    clv_free(tune->context, facts.data);
    TRY(status);
    if (clv_journal_count(tune->journal) > 0)
        clv_note(tune->context, "%zu finished trials are in %s, and are not made again",
                 clv_journal_count(tune->journal), tune->options.journal);
    return OK;
}
