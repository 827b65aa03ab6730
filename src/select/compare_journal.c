/*
 * The journal of a comparison: a record for each piece, as soon as it is done. Its key says which piece of which candidate it is and with which
 * settings; its text has the losses of the fold's rows in their order, since other candidates are to be held against them: for accuracy and error
 * a digit, 1 where wrong, for other metrics the eight hexadecimal digits of a float; a blank where a row was not judged. Shares of rows are
 * those of the first record of a candidate: what is done in another run is done with the same.
 */
#include "select/compare.h"

#include "train/identity.h"

#include <stdio.h>

enum { KEY_SIZE = 512 };

/* Numbers of a record, by place. */
enum {
    AT_LEARN_SHARE,
    AT_JUDGE_SHARE,
    AT_SECONDS,
    AT_BYTES,
    AT_TRAIN_N,
    AT_N,
    AT_ERRORS,
    AT_ERROR,
    AT_LOW,
    AT_HIGH,
    AT_CONVERGED,
    AT_TRAIN_SECONDS,
    AT_TEST_SECONDS,
    AT_UNLABELLED,
    AT_SQUARES,
    AT_FOURTHS,
    AT_METRIC_N,
    AT_METRIC_LOSS,
    AT_METRIC_SQUARES,
    AT_METRIC_WORTH,
    AT_COUNT
};

static void make_key(const Compare *compare, const Candidate *candidate, uint32_t piece, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "%s [%s] repeat %u fold %u%s", candidate->method->name, candidate->settings,
             piece / (uint32_t)compare->options.folds + 1, part_of(compare, piece) + 1,
             candidate->again ? " again" : "");
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* Losses other than 0 and 1. */
static bool are_numbers(const Compare *compare)
{
    return compare->metric->id != METRIC_ERROR && compare->metric->id != METRIC_ACCURACY;
}

static size_t digits_of(const Compare *compare)
{
    return are_numbers(compare) ? 8 : 1;
}

static void put_loss(char *to, float loss, bool number)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t bits;

    memcpy(&bits, &loss, sizeof bits);
    if (!number) {
        *to = isnan(loss) ? ' ' : loss > 0 ? '1' : '0';
        return;
    }
    for (int i = 0; i < 8; i++)
        to[i] = isnan(loss) ? ' ' : digits[bits >> (28 - 4 * i) & 15];
}

static char *losses_text(const Compare *compare, const Candidate *candidate, uint32_t piece)
{
    const Folds *folds = folds_of(compare, piece);
    uint32_t part = part_of(compare, piece);
    const float *loss = losses_of(compare, candidate->loss, piece);
    size_t each = digits_of(compare), used = 0;
    char *text = clv_alloc(compare->context, folds->size[part] * each + 1, 1);

    if (!text)
        return NULL;
    for (uint64_t row = 0; row < folds->rows; row++)
        if (folds->of[row] == part) {
            put_loss(text + used, loss[row], are_numbers(compare));
            used += each;
        }
    text[used] = '\0';
    return text;
}

Status clv_compare_note(Compare *compare, const Candidate *candidate, uint32_t number, cleave_error *error)
{
    const Piece *piece = &candidate->piece[number];
    const cleave_cv_fold *facts = &piece->facts;
    double numbers[AT_COUNT] = {[AT_LEARN_SHARE] = candidate->learn_share,
                                [AT_JUDGE_SHARE] = candidate->judge_share,
                                [AT_SECONDS] = piece->seconds,
                                [AT_BYTES] = (double)piece->model_bytes,
                                [AT_TRAIN_N] = (double)facts->train_rows,
                                [AT_N] = (double)facts->rows,
                                [AT_ERRORS] = (double)facts->errors,
                                [AT_ERROR] = facts->error,
                                [AT_LOW] = facts->low,
                                [AT_HIGH] = facts->high,
                                [AT_CONVERGED] = !fold_limited(facts),
                                [AT_TRAIN_SECONDS] = facts->train_seconds,
                                [AT_TEST_SECONDS] = facts->test_seconds,
                                [AT_UNLABELLED] = (double)piece->sums.unlabelled,
                                [AT_SQUARES] = piece->sums.squares,
                                [AT_FOURTHS] = piece->sums.fourths,
                                [AT_METRIC_N] = (double)piece->sums.metric.n,
                                [AT_METRIC_LOSS] = piece->sums.metric.loss,
                                [AT_METRIC_SQUARES] = piece->sums.metric.squares,
                                [AT_METRIC_WORTH] = piece->sums.metric.worth};
    char key[KEY_SIZE], *text;
    Status status;

    if (!compare->options.journal)
        return OK;
    text = losses_text(compare, candidate, number);
    if (!text)
        return clv_fail_memory(error, "a record", compare->dataset->rows);
    make_key(compare, candidate, number, key);
    status = clv_journal_add(compare->journal,
                             &(JournalRecord){.key = key, .text = text, .numbers = numbers, .count = AT_COUNT}, error);
    clv_free(compare->context, text);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static bool take_loss(const char *from, bool number, float *loss)
{
    uint32_t bits = 0;

    *loss = NAN;
    if (*from == ' ')
        return true;
    if (!number) {
        *loss = *from == '1';
        return *from == '0' || *from == '1';
    }
    for (int i = 0; i < 8; i++) {
        char c = from[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        bits = bits << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    memcpy(loss, &bits, sizeof *loss);
    return isfinite(*loss);
}

static bool take_losses(const Compare *compare, Candidate *candidate, uint32_t piece, const char *text)
{
    const Folds *folds = folds_of(compare, piece);
    uint32_t part = part_of(compare, piece);
    float *loss = losses_of(compare, candidate->loss, piece);
    size_t each = digits_of(compare);

    if (strlen(text) != folds->size[part] * each)
        return false;
    for (uint64_t row = 0; row < folds->rows; row++) {
        if (folds->of[row] != part)
            continue;
        if (!take_loss(text, are_numbers(compare), &loss[row]))
            return false;
        text += each;
    }
    return true;
}

static bool is_share(double share)
{
    return share >= 0 && share < 1;
}

static bool is_count(double number)
{
    return number >= 0 && number < 0x1p53 && number == floor(number);
}

static bool makes_sense(const JournalRecord *record)
{
    static const int whole[] = {AT_BYTES, AT_TRAIN_N, AT_N, AT_ERRORS, AT_UNLABELLED, AT_METRIC_N};

    if (record->count != AT_COUNT || !is_share(record->numbers[AT_LEARN_SHARE]) ||
        !is_share(record->numbers[AT_JUDGE_SHARE]) || !(record->numbers[AT_N] > 0))
        return false;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!is_count(record->numbers[whole[i]]))
            return false;
    return true;
}

static Status take_record(Compare *compare, Candidate *candidate, uint32_t number, const JournalRecord *record,
                          cleave_error *error)
{
    const double *numbers = record->numbers;
    Piece *piece = &candidate->piece[number];

    if (!makes_sense(record) || !take_losses(compare, candidate, number, record->text)) {
        clv_fail(error, CLEAVE_ERROR_FORMAT, "%s: the record '%s' is not one of a comparison", compare->options.journal,
                 record->key);
        return clv_hint(error, CLEAVE_ERROR_FORMAT, "name another file, or remove this one to begin anew");
    }
    candidate->planned = true;
    candidate->learn_share = numbers[AT_LEARN_SHARE];
    candidate->judge_share = numbers[AT_JUDGE_SHARE];
    candidate->expected = numbers[AT_SECONDS];
    *piece = (Piece){.done = true, .seconds = numbers[AT_SECONDS], .model_bytes = (uint64_t)numbers[AT_BYTES]};
    piece->facts = (cleave_cv_fold){.fold = part_of(compare, number) + 1,
                                    .train_rows = (uint64_t)numbers[AT_TRAIN_N],
                                    .rows = (uint64_t)numbers[AT_N],
                                    .errors = (uint64_t)numbers[AT_ERRORS],
                                    .error = numbers[AT_ERROR],
                                    .low = numbers[AT_LOW],
                                    .high = numbers[AT_HIGH],
                                    .stopped_by = numbers[AT_CONVERGED] > 0 ? NULL : "rounds",
                                    .train_seconds = numbers[AT_TRAIN_SECONDS],
                                    .test_seconds = numbers[AT_TEST_SECONDS]};
    piece->sums = (FoldSums){.n = piece->facts.rows,
                             .errors = piece->facts.errors,
                             .unlabelled = (uint64_t)numbers[AT_UNLABELLED],
                             .squares = numbers[AT_SQUARES],
                             .fourths = numbers[AT_FOURTHS],
                             .metric = {.n = (uint64_t)numbers[AT_METRIC_N],
                                        .loss = numbers[AT_METRIC_LOSS],
                                        .squares = numbers[AT_METRIC_SQUARES],
                                        .worth = numbers[AT_METRIC_WORTH]}};
    piece->facts.metric = clv_metric_fold_measure(compare->metric, &piece->sums.metric);
    compare->facts.resumed++;
    return OK;
}

static Status recall(Compare *compare, Candidate *candidate, bool *any, cleave_error *error)
{
    *any = false;
    for (uint32_t number = 0; !candidate->out && number < compare->pieces; number++) {
        const JournalRecord *record;
        char key[KEY_SIZE];

        make_key(compare, candidate, number, key);
        record = clv_journal_find(compare->journal, key);
        if (record)
            TRY(take_record(compare, candidate, number, record, error));
        *any |= record != NULL;
    }
    return OK;
}

/* Of a candidate and its second try. */
static Status recall_both(Compare *compare, Candidate *candidate, cleave_error *error)
{
    Candidate *second;
    bool any;

    TRY(recall(compare, candidate, &any, error));
    if (!any)
        return OK;
    TRY(clv_compare_again(compare, candidate, &second, error));
    TRY(recall(compare, second, &any, error));
    if (any)
        return OK;
    /* There was none, and may yet be one. */
    candidate->second = 0;
    compare->candidates--;
    clv_free(compare->context, second->piece);
    clv_free(compare->context, second->loss);
    *second = (Candidate){0};
    return OK;
}

static bool changes_nothing(const char *name)
{
    return strcmp(name, "budget") == 0 || strcmp(name, "journal") == 0 || strcmp(name, "methods") == 0;
}

Status clv_compare_open_journal(Compare *compare, cleave_error *error)
{
    Buffer facts = {0};
    Identity identity = {.context = compare->context, .error = error, .list = &facts};
    Status status = OK;

    if (compare->options.journal) {
        status = clv_identity_add(&identity, "version of cleave", cleave_version());
        if (status == OK)
            status = clv_identity_add(&identity, "program", "compare");
        if (status == OK)
            status = clv_identity_params(&identity, clv_compare_params, &compare->options, changes_nothing);
        if (status == OK)
            status = clv_identity_dataset(&identity, compare->dataset, "", true);
    }
    if (status == OK)
        status = clv_journal_open(compare->context, compare->options.journal, &facts, &compare->journal, error);
    clv_free(compare->context, facts.data);
    TRY(status);
    for (size_t i = 0; i < compare->methods; i++)
        TRY(recall_both(compare, &compare->candidate[i], error));
    return OK;
}
