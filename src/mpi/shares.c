#include "mpi/shares.h"

#include <math.h>
#include <stdio.h>

/* Parts for chunks that deviate: the number of the class with the largest deviation, from 1,
 * negative if it is the only class; and its fraction. */
#define PART_CLASS "departs"
#define PART_SHARE "departs_share"

static Status count_labels(Dataset *chunk, uint64_t *counts, uint64_t *rows, cleave_error *error)
{
    for (uint32_t i = 0; i < chunk->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(chunk, i, &block, error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = block_label(&block, row);

            if (label == UNLABELED)
                continue;
            counts[label]++;
            ++*rows;
        }
    }
    return OK;
}

/* The number of standard deviations by which the fraction of a class differs, if the difference is
 * significant and relevant; otherwise 0. The minimum of three rows is for rare classes, whose
 * standard deviation is below one row. */
static double departure(double count, double rows, double all, double all_rows)
{
    const double deviations = 5, rare = 3, ratio = 1.5;
    double share = all / all_rows, expected = rows * share;
    double deviation = sqrt(expected * (1 - share) * (1 - rows / all_rows)),
           far = fabs(count - expected);

    if (!(far > deviations * deviation + rare) ||
        (count < ratio * expected && expected < ratio * count))
        return 0;
    return far / deviation;
}

static Status find_departure(Delta *delta, uint64_t number, const uint64_t *counts, uint64_t rows,
                             const Labels *all, cleave_error *error)
{
    double all_rows = 0, most = 0;
    uint32_t class = 0;

    for (uint32_t i = 0; i < all->count; i++)
        all_rows += (double)all->list[i].count;
    for (uint32_t i = 0; i < all->count; i++) {
        double far = departure((double)counts[i], (double)rows, (double)all->list[i].count,
                               all_rows);

        if (counts[i] == rows && far > 0)
            far = INFINITY; /* a single class is the clearest case */
        if (far > most) {
            most = far;
            class = i;
        }
    }
    if (!(most > 0))
        return OK;
    TRY(clv_delta_add(delta, PART_CLASS, number,
                      counts[class] == rows ? -(double)class - 1 : (double)class + 1, error));
    return clv_delta_add(delta, PART_SHARE, number, (double)counts[class] / (double)rows, error);
}

Status clv_shares_add(Delta *delta, uint64_t number, Dataset *chunk, const Labels *all,
                      cleave_error *error)
{
    Context *context = chunk->context;
    uint64_t rows = 0, *counts = clv_alloc_zero(context, all->count, sizeof *counts);
    Status status = counts ? OK : clv_fail_memory(error, "labels", all->count * sizeof *counts);

    THEN(status, count_labels(chunk, counts, &rows, error));
    if (status == OK && rows > 0)
        status = find_departure(delta, number, counts, rows, all, error);
    clv_free(context, counts);
    return status;
}

/* An option with which the chunks need not be similar; empty if the method has none. */
static const char *exact_way(const Method *method)
{
    const Param *solver = clv_param_find(method->params, "solver");

    for (size_t i = 0; solver && solver->values && solver->values[i]; i++)
        if (strcmp(solver->values[i], "gd") == 0)
            return ", or use --solver gd";
    return clv_param_find(method->params, "update") ? ", or use --update sum" : "";
}

static void warn(const Fit *fit, uint64_t number, double class, double share, size_t departing,
                 uint32_t chunks, const Labels *all)
{
    const Label *label = &all->list[(uint32_t)fabs(class) - 1];
    const char *kind = fit->classes ? "class" : "target";
    char quoted[QUOTE_SIZE], what[QUOTE_SIZE + 80], hint[160];
    double all_rows = 0;

    for (uint32_t i = 0; i < all->count; i++)
        all_rows += (double)all->list[i].count;
    clv_quote(quoted, label->text, strlen(label->text));
    if (class < 0)
        snprintf(what, sizeof what, "only rows of %s '%s'", kind, quoted);
    else
        snprintf(what, sizeof what, "%.3g%% rows of %s '%s'", 100 * share, kind, quoted);
    snprintf(hint, sizeof hint,
             "shuffle the data with 'cleave convert --shuffle'%s; averages over such chunks may be "
             "inaccurate",
             exact_way(fit->method));
    clv_warn(
        fit->context, hint,
        "%zu of %u chunks do not have the distribution of the whole data: chunk %llu has %s, the "
        "whole data %.3g%%",
        departing, chunks, (unsigned long long)number + 1, what,
        100 * (double)label->count / all_rows);
}

void clv_shares_warn(const Fit *fit, const void *options, const Delta *sum, uint32_t chunks,
                     const Labels *all)
{
    const DeltaPart *classes = clv_delta_part(sum, PART_CLASS);
    size_t shown = 0;

    if (!classes || classes->count == 0 || method_sums_exactly(fit->method, options))
        return;
    for (size_t i = classes->count; i > 0; i--) /* finds the first chunk with a single class */
        if (classes->value[i - 1] < 0)
            shown = i - 1;
    warn(fit, classes->index[shown], classes->value[shown],
         clv_delta_number(sum, PART_SHARE, classes->index[shown]), classes->count, chunks, all);
}
