/*
 * Combines the results of the first passes of several processes. Each process then has the result
 * of one process with all rows, so that all make the same columns.
 */
#include "learn/tree/bins_making.h"

static Status count_training_rows(void *user, const Block *block, cleave_error *error)
{
    Making *making = user;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++)
        making->met += clv_bins_takes(making->fit, block, row);
    return OK;
}

static Status gather(const Making *making, const void *mine, size_t bytes, Buffer *all)
{
    const Collective *collective = making->bins->collective;

    return collective->gather(collective->user, mine, bytes, all, NULL, making->fit->error);
}

static Status add_up(const Making *making, void *numbers, size_t count, size_t bytes_of_each)
{
    const Collective *collective = making->bins->collective;

    return collective->add_up(collective->user, numbers, count, bytes_of_each, making->fit->error);
}

Status clv_bins_number_rows(Making *making, Dataset *dataset)
{
    Bins *bins = making->bins;
    uint64_t before = 0, all = 0;
    Buffer rows = {0};

    TRY(clv_tour_all(dataset, count_training_rows, making, making->fit->error));
    TRY(gather(making, &making->met, sizeof making->met, &rows));
    for (uint32_t i = 0; i < bins->collective->count; i++) {
        uint64_t theirs;

        memcpy(&theirs, rows.data + i * sizeof theirs, sizeof theirs);
        before += i < bins->collective->number ? theirs : 0;
        all += theirs;
    }
    clv_free(bins->context, rows.data);
    if (all > MOST_ROWS)
        return clv_fail(making->fit->error, CLEAVE_ERROR_DATA,
                        "the data has more than %u training rows", MOST_ROWS);
    bins->first = (uint32_t)before;
    bins->all_rows = (uint32_t)all;
    making->most_rows = making->met;
    making->met = before;
    if (before % making->stride) /* an earlier process has the first rows of the stride */
        clv_bins_choose_sample(making);
    return OK;
}

/* Finds the largest number of codes over the processes, per column. */
static Status agree_on_codes(Making *making)
{
    uint32_t features = making->features;
    uint64_t *count, theirs;
    Buffer all = {0};
    Status status;

    TRY(ALLOC(making->fit->context, count, (size_t)features + 1, "columns", making->fit->error));
    for (uint32_t i = 0; i < features; i++)
        count[i] = making->codes[i].codes;
    status = gather(making, count, features * sizeof *count, &all);
    for (size_t i = 0; i < all.size / sizeof *count && status == OK; i++) {
        memcpy(&theirs, all.data + i * sizeof theirs, sizeof theirs);
        status = clv_bins_reach(making, &making->codes[i % features], theirs);
    }
    FREE(making->fit->context, count, all.data);
    return status;
}

static Status add_up_codes(Making *making)
{
    Status status = OK;

    TRY(agree_on_codes(making));
    for (uint32_t i = 0; i < making->features && status == OK; i++)
        if (making->codes[i].codes)
            status = add_up(making, making->codes[i].count, making->codes[i].codes,
                            sizeof *making->codes[i].count);
    return status;
}

static Status gather_sample(Making *making)
{
    uint64_t sampled = making->sampled;
    Buffer all = {0};
    Status status;

    TRY(add_up(making, &sampled, 1, sizeof sampled));
    TRY(gather(making, making->sample, making->samples * sizeof *making->sample, &all));
    bins_give_back(making->bins, making->sample);
    making->sample = NULL;
    making->samples = all.size / sizeof *making->sample;
    making->sampled = (uint32_t)sampled;
    status = TAKE(making->bins->workspace, making->fit->context, making->sample, making->samples,
                  "a sample", making->fit->error);
    if (status == OK && all.size)
        memcpy(making->sample, all.data, all.size);
    clv_free(making->fit->context, all.data);
    return status;
}

Status clv_bins_agree(Making *making)
{
    const Bins *bins = making->bins;
    uint32_t features = making->features;
    uint64_t *marks;
    Status status;

    TRY(ALLOC(making->fit->context, marks, (size_t)features + 1, "columns", making->fit->error));
    for (uint32_t i = 0; i < features; i++)
        marks[i] = making->lacks[i];
    marks[features] = bins->weight != NULL;
    status = add_up(making, marks, (size_t)features + 1, sizeof *marks);
    for (uint32_t i = 0; i < features && status == OK; i++)
        making->lacks[i] = marks[i] > 0;
    if (status == OK && marks[features] > 0 && !bins->weight)
        status = clv_bins_begin_weights(making);
    clv_free(making->fit->context, marks);
    TRY(status);
    TRY(add_up(making, making->all_mentions, features, sizeof *making->all_mentions));
    TRY(add_up_codes(making));
    return gather_sample(making);
}
