#include "train/identity.h"

#include <stdio.h>

enum { SAMPLED_ROWS = 64, FACT_SIZE = 48 };

Status clv_identity_add(const Identity *identity, const char *name, const char *value)
{
    TRY(clv_buffer_add(identity->context, identity->list, name, strlen(name) + 1, identity->error));
    return clv_buffer_add(identity->context, identity->list, value, strlen(value) + 1,
                          identity->error);
}

Status clv_identity_count(const Identity *identity, const char *name, uint64_t count)
{
    char text[FACT_SIZE];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    return clv_identity_add(identity, name, text);
}

Status clv_identity_hash(const Identity *identity, const char *name, const Hash *hash)
{
    char text[FACT_SIZE];

    snprintf(text, sizeof text, "%016llx", (unsigned long long)clv_hash_end(hash));
    return clv_identity_add(identity, name, text);
}

Status clv_identity_params(const Identity *identity, const Param *params, const void *options,
                           bool (*skip)(const char *name))
{
    for (const Param *param = params; param->name; param++) {
        char text[PARAM_TEXT_SIZE], name[80];

        if (skip && skip(param->name))
            continue;
        snprintf(name, sizeof name, "--%s", clv_param_flag(param).text);
        TRY(clv_identity_add(identity, name, clv_param_text(param, options, text)));
    }
    return OK;
}

static void hash_row(Hash *hash, const Block *block, uint32_t row)
{
    float weight = block_weight(block, row);
    uint32_t label = block_label(block, row);

    clv_hash_add(hash, &weight, sizeof weight);
    clv_hash_add(hash, &label, sizeof label);
    if (block->target_form == TARGETS_NUMBERS)
        clv_hash_add(hash, (const double *)block->target + row, sizeof(double));
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        clv_hash_add(hash, &walk.column, sizeof walk.column);
        clv_hash_add(hash, &walk.value, sizeof walk.value);
    }
}

/* The row number of element i of the sample, spread over all rows: (rows - 1) * i / (SAMPLED_ROWS -
 * 1), without that product, which may be too large. */
static uint64_t spread_row(uint64_t rows, uint64_t i)
{
    uint64_t whole = (rows - 1) / (SAMPLED_ROWS - 1), rest = (rows - 1) % (SAMPLED_ROWS - 1);

    return whole * i + rest * i / (SAMPLED_ROWS - 1);
}

/* Hashes rows at fixed distances, including the first and the last. The result does not depend on
 * block boundaries. */
static Status hash_some_rows(const Identity *identity, Dataset *dataset, Hash *hash)
{
    uint32_t number = 0;

    for (uint64_t i = 0; i < SAMPLED_ROWS; i++) {
        uint64_t row = spread_row(dataset->rows, i);
        Block block;

        while (number + 1 < dataset->blocks && dataset->block[number + 1].first_row <= row)
            number++;
        TRY(clv_dataset_block(dataset, number, &block, identity->error));
        hash_row(hash, &block, (uint32_t)(row - dataset->block[number].first_row));
    }
    return OK;
}

static Status hash_all_rows(const Identity *identity, Dataset *dataset, Hash *hash)
{
    for (uint32_t number = 0; number < dataset->blocks; number++) {
        Block block;

        TRY(clv_dataset_block(dataset, number, &block, identity->error));
        for (uint32_t row = 0; row < block.rows; row++)
            hash_row(hash, &block, row);
        if (clv_cancelled(identity->context))
            return clv_fail(identity->error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    return OK;
}

void clv_identity_hash_labels(const Labels *labels, Hash *hash)
{
    clv_hash_start(hash, 0);
    for (uint32_t i = 0; i < labels->count; i++) {
        clv_hash_add(hash, labels->list[i].text, strlen(labels->list[i].text) + 1);
        clv_hash_add(hash, &labels->list[i].count, sizeof labels->list[i].count);
    }
}

Status clv_identity_dataset(const Identity *identity, Dataset *dataset, const char *which,
                            bool all_rows)
{
    char name[FACT_SIZE];
    Hash hash;

    snprintf(name, sizeof name, "number of rows%s", which);
    TRY(clv_identity_count(identity, name, dataset->rows));
    snprintf(name, sizeof name, "number of features%s", which);
    TRY(clv_identity_count(identity, name, dataset->features));
    snprintf(name, sizeof name, "number of nonzero values%s", which);
    TRY(clv_identity_count(identity, name, dataset->entries));
    clv_identity_hash_labels(&dataset->labels, &hash);
    snprintf(name, sizeof name, "hash of the labels%s", which);
    TRY(clv_identity_hash(identity, name, &hash));
    if (dataset->rows == 0)
        return OK;
    clv_hash_start(&hash, 0);
    TRY(all_rows ? hash_all_rows(identity, dataset, &hash)
                 : hash_some_rows(identity, dataset, &hash));
    snprintf(name, sizeof name, "hash of %s rows%s", all_rows ? "all" : "some", which);
    return clv_identity_hash(identity, name, &hash);
}

Difference clv_identity_difference(const char *theirs, size_t size, const Buffer *mine)
{
    const char *other = theirs, *end = theirs + size;
    const char *own = mine->data, *own_end = own + mine->size;

    while (other < end && own < own_end) {
        const char *value = other + strlen(other) + 1, *own_value = own + strlen(own) + 1;

        if (strcmp(other, own) != 0 || value >= end)
            break;
        if (strcmp(value, own_value) != 0)
            return (Difference){own, value, own_value};
        other = value + strlen(value) + 1;
        own = own_value + strlen(own_value) + 1;
    }
    return (Difference){0};
}
