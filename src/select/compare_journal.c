/*
 * The journal of a comparison: a record of each finished trial. Its key names the trial, the
 * candidate and its settings. Its text has the losses of the fold's rows in their order, for paired
 * tests. For accuracy and error, a loss is a digit, 1 for an error; for other metrics, the eight
 * hexadecimal digits of a float. A blank stands for a row that was not evaluated. The fractions of
 * rows of a candidate are those of its records, so that trials of the resumed run have the same
 * fractions.
 */
#include "select/compare.h"

#include <stdio.h>

enum { KEY_SIZE = 512 };

static void make_key(const Experiment *base, const MethodCandidate *candidate, uint32_t trial,
                     char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "%s [%s] repeat %u fold %u%s", candidate->method->name,
             candidate->settings, trial / base->fold_count + 1, trial % base->fold_count + 1,
             candidate->is_retry ? " again" : "");
}

/* The number of digits of a loss. */
static size_t digits_of(const Experiment *base)
{
    return base->metric->id == METRIC_ERROR || base->metric->id == METRIC_ACCURACY ? 1 : 8;
}

static void put_loss(char *to, float loss, size_t digits)
{
    uint32_t bits;

    memcpy(&bits, &loss, sizeof bits);
    if (isnan(loss))
        memset(to, ' ', digits);
    else if (digits == 1)
        *to = loss > 0 ? '1' : '0';
    else
        for (int i = 0; i < 8; i++)
            to[i] = "0123456789abcdef"[bits >> (28 - 4 * i) & 15];
}

static bool take_loss(const char *from, size_t digits, float *loss)
{
    uint32_t bits = 0;

    *loss = NAN;
    if (*from == ' ')
        return true;
    if (digits == 1) {
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

Status clv_compare_record(Compare *compare, const MethodCandidate *candidate, uint32_t trial,
                          cleave_error *error)
{
    Experiment *base = &compare->base;
    const Folds *folds = experiment_folds(base, trial);
    uint32_t part = trial % base->fold_count;
    const float *loss = losses_of(compare, candidate->loss, trial);
    size_t digits = digits_of(base), used = 0;
    char key[KEY_SIZE], *text;
    Status status;

    if (!base->options.journal)
        return OK;
    TRY(clv_new(base->context, &text, folds->size[part] * digits + 1, 1, false, "a record", error));
    for (uint64_t row = 0; row < folds->rows; row++)
        if (folds->of[row] == part) {
            put_loss(text + used, loss[row], digits);
            used += digits;
        }
    text[used] = '\0';
    make_key(base, candidate, trial, key);
    status = clv_experiment_record(base, key, &candidate->result[trial], text, error);
    clv_free(base->context, text);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool take_losses(const Compare *compare, MethodCandidate *candidate, uint32_t trial,
                        const char *text)
{
    const Folds *folds = experiment_folds(&compare->base, trial);
    uint32_t part = trial % compare->base.fold_count;
    float *loss = losses_of(compare, candidate->loss, trial);
    size_t digits = digits_of(&compare->base);

    if (strlen(text) != folds->size[part] * digits)
        return false;
    for (uint64_t row = 0; row < folds->rows; row++) {
        if (folds->of[row] != part)
            continue;
        if (!take_loss(text, digits, &loss[row]))
            return false;
        text += digits;
    }
    return true;
}

static Status take_records(Compare *compare, MethodCandidate *candidate, bool *any,
                           cleave_error *error)
{
    *any = false;
    for (uint32_t trial = 0; !candidate->excluded && trial < compare->base.trials; trial++) {
        TrialResult *result = &candidate->result[trial];
        const JournalRecord *record;
        char key[KEY_SIZE];

        make_key(&compare->base, candidate, trial, key);
        record = clv_journal_find(compare->base.journal, key);
        if (!record)
            continue;
        if (record->count != RESULT_NUMBERS || !clv_result_load(result, record->numbers) ||
            result->state != TRIAL_DONE || !take_losses(compare, candidate, trial, record->text))
            return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                                 "use another file, or remove this file to start again",
                                 "%s: the record '%s' does not belong to a comparison",
                                 compare->base.options.journal, record->key);
        candidate->planned = true;
        candidate->train_share = result->train_share;
        candidate->test_share = result->test_share;
        candidate->expected = result->seconds;
        compare->facts.resumed++;
        *any = true;
    }
    return OK;
}

static bool is_no_part(const char *name)
{
    return strcmp(name, "budget") == 0 || strcmp(name, "journal") == 0 ||
           strcmp(name, "methods") == 0;
}

Status clv_compare_resume(Compare *compare, cleave_error *error)
{
    TRY(clv_experiment_open_journal(&compare->base, "compare", NULL, is_no_part, error));
    for (size_t i = 0; i < compare->methods; i++) {
        MethodCandidate *candidate = &compare->candidate[i], *retry;
        bool any;

        TRY(take_records(compare, candidate, &any, error));
        if (!any)
            continue;
        TRY(clv_compare_retry(compare, candidate, &retry, error));
        TRY(take_records(compare, retry, &any, error));
        if (any)
            continue;
        /* The candidate has no retry yet, and may get one. */
        candidate->retry = 0;
        compare->candidates--;
        FREE(compare->base.context, retry->result, retry->loss);
        *retry = (MethodCandidate){0};
    }
    return OK;
}
