#include "learn/tree/sums.h"

#include <math.h>

enum { TRIMS = 4 };

void clv_sums_begin(Sums *sums, const Bins *bins)
{
    *sums = (Sums){.context = bins->context, .collective = bins->collective};
}

void clv_sums_free(Sums *sums)
{
    clv_free(sums->context, sums->value);
    clv_free(sums->context, sums->word);
    *sums = (Sums){0};
}

Status clv_sums_put(Sums *sums, Exact *sum, cleave_error *error)
{
    TRY(GROW(sums->context, sums->value, sums->capacity, sums->count + 1, error));
    if (sums->collective) {
        TRY(GROW(sums->context, sums->word, sums->word_capacity, sums->words + EXACT_WORDS, error));
        sums->words += clv_exact_write(sum, sums->word + sums->words);
    } else {
        sums->value[sums->count] = clv_exact_round(sum);
    }
    sums->count++;
    clv_exact_clear(sum);
    return OK;
}

Status clv_sums_next(Sums *sums, cleave_error *error)
{
    return clv_sums_put(sums, &sums->now, error);
}

/* Sum after sum, what each process has of it. ends: of what each has, in words; at: of each, where the next sum begins. */
static Status join(Sums *sums, const int64_t *words, size_t *at, const size_t *ends, cleave_error *error)
{
    for (size_t i = 0; i < sums->count; i++) {
        for (uint32_t process = 0; process < sums->collective->count; process++) {
            size_t taken = clv_exact_add_written(&sums->now, words + at[process], ends[process] - at[process]);

            if (taken == 0)
                return clv_fail(error, CLEAVE_ERROR_INTERNAL, "processes do not sum the same things");
            at[process] += taken;
        }
        sums->value[i] = clv_exact_round(&sums->now);
        clv_exact_clear(&sums->now);
    }
    return OK;
}

Status clv_sums_end(Sums *sums, cleave_error *error)
{
    const Collective *collective = sums->collective;
    size_t *at, *ends, before = 0;
    Buffer all = {0};
    Status status;

    if (!collective)
        return OK;
    at = clv_alloc(sums->context, collective->count, 2 * sizeof *at);
    if (!at)
        return clv_fail_memory(error, "sums", collective->count * 2 * sizeof *at);
    ends = at + collective->count;
    status = collective->gather(collective->user, sums->word, sums->words * sizeof *sums->word, &all, ends, error);
    for (uint32_t i = 0; i < collective->count && status == OK; i++) {
        at[i] = before;
        before += ends[i] / sizeof *sums->word;
        ends[i] = before;
    }
    if (status == OK)
        status = join(sums, (const int64_t *)(const void *)all.data, at, ends, error);
    clv_free(sums->context, all.data);
    clv_free(sums->context, at);
    return status;
}

/* Of rows that lie within so much of a centre: the mean, and how far they are from that on average. */
typedef struct {
    double centre, within, mean, spread;
} Trim;

static bool is_within(const Trim *trim, double number)
{
    return fabs(number - trim->centre) <= trim->within;
}

/* The mean of those within, of their numbers or of how far they are from the mean. */
static Status mean_within(const Bins *bins, const Trim *trim, bool off, double *mean, cleave_error *error)
{
    Sums sums;
    Status status;

    clv_sums_begin(&sums, bins);
    for (uint32_t i = 0; i < bins->rows; i++)
        if (is_within(trim, bins->number[i]))
            sums_add(&sums, bins_weight(bins, i) * (off ? fabs(bins->number[i] - trim->mean) : bins->number[i]));
    status = clv_sums_next(&sums, error);
    for (uint32_t i = 0; i < bins->rows; i++)
        if (is_within(trim, bins->number[i]))
            sums_add(&sums, bins_weight(bins, i));
    if (status == OK)
        status = clv_sums_next(&sums, error);
    if (status == OK)
        status = clv_sums_end(&sums, error);
    if (status == OK && sums.value[1] > 0)
        *mean = sums.value[0] / sums.value[1];
    clv_sums_free(&sums);
    return status;
}

Status clv_mean_number(const Bins *bins, double *mean, cleave_error *error)
{
    const Trim all = {.within = INFINITY};

    *mean = 0;
    return mean_within(bins, &all, false, mean, error);
}

static Status try_trim(const Bins *bins, Trim *trim, cleave_error *error)
{
    trim->mean = trim->centre;
    trim->spread = 0;
    TRY(mean_within(bins, trim, false, &trim->mean, error));
    return mean_within(bins, trim, true, &trim->spread, error);
}

/* Rows that are further off than twice the usual are left out, as long as what is left is much closer together. */
Status clv_typical_number(const Bins *bins, double *typical, cleave_error *error)
{
    Trim trim = {.within = INFINITY};

    TRY(try_trim(bins, &trim, error));
    *typical = trim.mean;
    for (int i = 0; i < TRIMS && trim.spread > 0; i++) {
        Trim next = {.centre = trim.mean, .within = 2 * trim.spread};

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

    return collective ? collective->add_up(collective->user, numbers, count, sizeof *numbers, error) : OK;
}
