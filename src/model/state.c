#include "model/state.h"

#include "base/hash.h"

#define PREFIX "run."
#define OF "run.of"
#define MIX 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio */

/* ---- the fingerprint ------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * MIX;
    return hash ^ hash >> 29;
}

static uint64_t mix_entry(uint64_t hash, uint32_t column, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return mix(hash, (uint64_t)column << 32 | bits);
}

static uint64_t mix_double(uint64_t hash, double number)
{
    uint64_t bits;

    if (isnan(number))
        number = (double)NAN; /* a NaN may have several bit patterns */
    memcpy(&bits, &number, sizeof bits);
    return mix(hash, bits);
}

static uint64_t mix_row(uint64_t hash, const Block *block, uint32_t row)
{
    /* the most frequent form of large data has its own loop */
    if (block->form == ROWS_GAPS && block->value_form == VALUES_EACH) {
        uint32_t column = UINT32_MAX;

        for (uint32_t i = block_start(block, row); i < block->end[row]; i++) {
            column += block->gap[i];
            if (block->value[i] != 0)
                hash = mix_entry(hash, column, block->value[i]);
        }
        return hash;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        hash = mix_entry(hash, walk.column, walk.value);
    return hash;
}

Status clv_state_fingerprint(const Fit *fit, Dataset *dataset, const char *solver,
                             const double *numbers, size_t count, uint64_t *print)
{
    uint64_t hash = clv_hash(solver, strlen(solver), fit->outputs);

    hash = mix(hash, (uint64_t)fit->features << 32 | fit->positive);
    for (size_t i = 0; i < count; i++)
        hash = mix_double(hash, numbers[i]);
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        TRY(clv_dataset_block(dataset, i, &block, fit->error));
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = fit->task == CLEAVE_TASK_REGRESSION ? UNLABELED
                                                                 : block_label(&block, row);

            hash = fit->task == CLEAVE_TASK_REGRESSION
                       ? mix_double(hash, fit_target(fit, &block, row))
                       : mix(hash, label);
            hash = mix_row(mix_double(hash, fit_weight(fit, &block, row, label)), &block, row);
        }
    }
    *print = hash ? hash : 1;
    return OK;
}

/* ---- in a model ------------------------------------------------------------------------------ */

bool clv_state_in_model(const Model *model)
{
    uint64_t print;

    return clv_bundle_number(model->bundle, OF, &print);
}

static bool is_sound(const BundleItem *item)
{
    for (uint64_t i = 0; i < item->count; i++)
        if (item->type == BUNDLE_F64 ? isnan(((const double *)item->data)[i])
                                     : ((const uint8_t *)item->data)[i] > 1)
            return false;
    return true;
}

bool clv_state_check_model(const Model *model)
{
    bool any = false, whole = clv_state_in_model(model);

    for (size_t i = 0; i < model->bundle->count; i++) {
        const BundleItem *item = &model->bundle->item[i];

        if (strncmp(item->name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        any = true;
        if (strcmp(item->name, OF) == 0)
            continue;
        if ((item->type != BUNDLE_F64 && item->type != BUNDLE_BYTES) || !is_sound(item))
            return false;
    }
    return !any || whole;
}

Status clv_state_put(const StatePart *parts, size_t count, uint64_t print, Model *model,
                     cleave_error *error)
{
    TRY(clv_bundle_put_number(model->bundle, OF, print, error));
    for (size_t i = 0; i < count; i++)
        TRY(clv_bundle_put(model->bundle, parts[i].name, parts[i].type, parts[i].data,
                           parts[i].count, error));
    return OK;
}

Status clv_state_nonsense(cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_FORMAT,
                    "the model is corrupt: its training state is invalid");
}

Status clv_state_take(const StatePart *parts, size_t count, uint64_t print, const Model *model,
                      bool *found, cleave_error *error)
{
    uint64_t of;

    *found = clv_bundle_number(model->bundle, OF, &of) && of == print;
    for (size_t i = 0; i < count && *found; i++)
        if (!clv_bundle_copy(model->bundle, parts[i].name, parts[i].type, parts[i].data,
                             parts[i].count))
            return clv_state_nonsense(error);
    return OK;
}
