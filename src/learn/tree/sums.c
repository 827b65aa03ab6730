#include "learn/tree/sums.h"

#include <math.h>

enum { TRIMS = 4 };

void clv_sums_begin(Sums *sums, const Bins *bins, cleave_error *error)
{
    *sums = (Sums){.context = bins->context, .collective = bins->collective, .error = error};
}

void clv_sums_free(Sums *sums)
{
    FREE(sums->context, sums->value, sums->word);
    *sums = (Sums){0};
}

static Status put(Sums *sums, Exact *sum)
{
    TRY(GROW(sums->context, sums->value, sums->capacity, sums->count + 1, sums->error));
    if (sums->collective) {
        TRY(GROW(sums->context, sums->word, sums->word_capacity, sums->words + EXACT_WORDS,
                 sums->error));
        sums->words += clv_exact_write(sum, sums->word + sums->words);
    } else {
        sums->value[sums->count] = clv_exact_round(sum);
    }
    sums->count++;
    return OK;
}

void clv_sums_put(Sums *sums, Exact *sum)
{
    if (sums->status == OK)
        sums->status = put(sums, sum);
    clv_exact_clear(sum);
}

void clv_sums_next(Sums *sums)
{
    clv_sums_put(sums, &sums->now);
}

/* Adds the parts of all processes, sum by sum. ends: end of the words of each process. at: start of
 * its next sum. */
static Status join(Sums *sums, const int64_t *words, size_t *at, const size_t *ends)
{
    for (size_t i = 0; i < sums->count; i++) {
        for (uint32_t process = 0; process < sums->collective->count; process++) {
            size_t taken = clv_exact_add_written(&sums->now, words + at[process],
                                                 ends[process] - at[process]);

            if (taken == 0)
                return clv_fail(sums->error, CLEAVE_ERROR_INTERNAL,
                                "the processes sum different quantities");
            at[process] += taken;
        }
        sums->value[i] = clv_exact_round(&sums->now);
        clv_exact_clear(&sums->now);
    }
    return OK;
}

Status clv_sums_end(Sums *sums)
{
    const Collective *collective = sums->collective;
    size_t *at, *ends, before = 0;
    Buffer all = {0};
    Status status;

    if (!collective || sums->status != OK)
        return sums->status;
    TRY(clv_new(sums->context, &at, collective->count, 2 * sizeof *at, false, "sums", sums->error));
    ends = at + collective->count;
    status = collective->gather(collective->user, sums->word, sums->words * sizeof *sums->word,
                                &all, ends, sums->error);
    for (uint32_t i = 0; i < collective->count && status == OK; i++) {
        at[i] = before;
        before += ends[i] / sizeof *sums->word;
        ends[i] = before;
    }
    THEN(status, join(sums, (const int64_t *)(const void *)all.data, at, ends));
    FREE(sums->context, all.data, at);
    return status;
}

Status clv_sums_finish(Sums *sums, double *value, size_t count)
{
    Status status = clv_sums_end(sums);

    for (size_t i = 0; i < count; i++)
        value[i] = status == OK ? sums->value[i] : 0;
    clv_sums_free(sums);
    return status;
}

/* The mean of the numbers of rows within a distance of a center, and their mean distance from
 * it. */
typedef struct {
    double center, within, mean, spread;
} Trim;

static bool is_within(const Trim *trim, double number)
{
    return fabs(number - trim->center) <= trim->within;
}

/* The mean over these rows of their numbers or their distances. */
static Status mean_within(const Bins *bins, const Trim *trim, bool off, double *mean,
                          cleave_error *error)
{
    double sum[2];
    Sums sums;

    clv_sums_begin(&sums, bins, error);
    for (uint32_t i = 0; i < bins->rows; i++)
        if (is_within(trim, bins->number[i]))
            sums_add(&sums, bins_weight(bins, i) *
                                (off ? fabs(bins->number[i] - trim->mean) : bins->number[i]));
    clv_sums_next(&sums);
    for (uint32_t i = 0; i < bins->rows; i++)
        if (is_within(trim, bins->number[i]))
            sums_add(&sums, bins_weight(bins, i));
    clv_sums_next(&sums);
    TRY(clv_sums_finish(&sums, sum, 2));
    if (sum[1] > 0)
        *mean = sum[0] / sum[1];
    return OK;
}

Status clv_mean_number(const Bins *bins, double *mean, cleave_error *error)
{
    const Trim all = {.within = INFINITY};

    *mean = 0;
    return mean_within(bins, &all, false, mean, error);
}

static Status try_trim(const Bins *bins, Trim *trim, cleave_error *error)
{
    trim->mean = trim->center;
    trim->spread = 0;
    TRY(mean_within(bins, trim, false, &trim->mean, error));
    return mean_within(bins, trim, true, &trim->spread, error);
}

/* Excludes rows farther than twice the mean distance, as long as the rest is much closer
 * together. */
Status clv_typical_number(const Bins *bins, double *typical, cleave_error *error)
{
    Trim trim = {.within = INFINITY};

    TRY(try_trim(bins, &trim, error));
    *typical = trim.mean;
    for (int i = 0; i < TRIMS && trim.spread > 0; i++) {
        Trim next = {.center = trim.mean, .within = 2 * trim.spread};

        TRY(try_trim(bins, &next, error));
        if (next.spread > trim.spread / 4)
            return OK;
        trim = next;
        *typical = trim.mean;
    }
    return OK;
}

Status clv_add_up(const Bins *bins, uint64_t *numbers, size_t count, cleave_error *error)
{
    const Collective *collective = bins->collective;

    return collective ? collective->add_up(collective->user, numbers, count, sizeof *numbers, error)
                      : OK;
}
