#include "train/training_rows.h"

#include "model/method.h"

#define FINGERPRINT "training_rows"
#define MOMENTS "training_moments"

enum { FACTS = 1 + ROW_HASH_PARTS, HASHED_ENTRIES = 4, PART_BITS = 20 };

/* ---- hashes ---------------------------------------------------------------------------------- */

/* The finalizer of MurmurHash3 (Appleby 2011), public domain. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
    return h ^ (h >> 33);
}

static uint64_t pair(uint32_t high, float low)
{
    uint32_t bits;

    memcpy(&bits, &low, sizeof bits);
    return (uint64_t)high << 32 | bits;
}

/* Hashes the target, the weight and the first entries of a row. */
static uint64_t hash_row(const Block *block, uint32_t row, const double *numbers)
{
    double number = numbers || block->target_form == TARGETS_NUMBERS
                        ? block_number(block, row, numbers)
                        : 0;
    uint32_t label = numbers || block->target_form == TARGETS_NUMBERS ? 0 : block_label(block, row);
    uint64_t bits, hash;
    RowWalk walk = clv_walk(block, row);

    memcpy(&bits, &number, sizeof bits);
    hash = mix(mix(bits + 1) ^ pair(label, block_weight(block, row)));
    for (int i = 0; i < HASHED_ENTRIES && clv_walk_next(&walk);) {
        if (walk.value == 0)
            continue;
        hash = mix(hash ^ pair(walk.column, walk.value));
        i++;
    }
    return hash;
}

/* ---- the sample ------------------------------------------------------------------------------ */

static uint32_t largest(const TrainingRows *rows)
{
    uint32_t place = 0;

    for (uint32_t i = 1; i < rows->sampled; i++)
        if (rows->sample[i].hash > rows->sample[place].hash)
            place = i;
    return place;
}

static bool is_sampled(const TrainingRows *rows, uint64_t hash)
{
    for (uint32_t i = 0; i < rows->sampled; i++)
        if (rows->sample[i].hash == hash)
            return true;
    return false;
}

static Status copy_row(struct SampledRow *to, Context *context, const Block *block, uint32_t row,
                       cleave_error *error)
{
    to->count = 0;
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk); to->count++) {
        TRY(GROW(context, to->column, to->column_capacity, to->count + 1, error));
        TRY(GROW(context, to->value, to->value_capacity, to->count + 1, error));
        to->column[to->count] = walk.column;
        to->value[to->count] = walk.value;
    }
    return OK;
}

/* Keeps the rows with the smallest hashes. Few rows are copied for each doubling of the number of
 * rows. */
static Status sample_row(TrainingRows *rows, Context *context, const Block *block, uint32_t row,
                         uint64_t hash, uint64_t *bound, cleave_error *error)
{
    uint32_t place;

    if (is_sampled(rows, hash))
        return OK;
    place = rows->sampled < SAMPLED_ROWS ? rows->sampled++ : largest(rows);
    rows->sample[place].hash = hash;
    TRY(copy_row(&rows->sample[place], context, block, row, error));
    *bound = rows->sampled < SAMPLED_ROWS ? UINT64_MAX : rows->sample[largest(rows)].hash;
    return OK;
}

Status clv_training_rows_add(TrainingRows *rows, Context *context, const Block *block,
                             const double *numbers, bool sample, cleave_error *error)
{
    uint64_t bound = !sample                        ? 0
                     : rows->sampled < SAMPLED_ROWS ? UINT64_MAX
                                                    : rows->sample[largest(rows)].hash;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint64_t hash = hash_row(block, row, numbers);

        rows->sum.rows++;
        for (int i = 0; i < ROW_HASH_PARTS; i++)
            rows->sum.part[i] += hash >> (i * PART_BITS) & ((1U << PART_BITS) - 1);
        if (hash < bound)
            TRY(sample_row(rows, context, block, row, hash, &bound, error));
    }
    return OK;
}

void clv_training_rows_free(TrainingRows *rows, Context *context)
{
    for (uint32_t i = 0; i < SAMPLED_ROWS; i++) {
        FREE(context, rows->sample[i].column, rows->sample[i].value);
    }
    *rows = (TrainingRows){0};
}

/* ---- the moments ----------------------------------------------------------------------------- */

static double inner_product(const struct SampledRow *one, const struct SampledRow *other)
{
    double sum = 0;

    for (size_t i = 0, j = 0; i < one->count && j < other->count;) {
        uint32_t a = one->column[i], b = other->column[j];

        if (a == b)
            sum += (double)one->value[i] * (double)other->value[j];
        i += a <= b;
        j += b <= a;
    }
    return sum;
}

/* Sorts by hash, so that sums do not depend on the order of the rows. */
static void sort(const TrainingRows *rows, const struct SampledRow *sorted[SAMPLED_ROWS])
{
    for (uint32_t i = 0; i < rows->sampled; i++) {
        uint32_t place = i;

        for (; place > 0 && sorted[place - 1]->hash > rows->sample[i].hash; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = &rows->sample[i];
    }
}

static Status put_moments(const TrainingRows *rows, Model *model, cleave_error *error)
{
    const struct SampledRow *sorted[SAMPLED_ROWS];
    double moments[2] = {0}, count = rows->sampled;

    if (rows->sampled < 2)
        return OK;
    sort(rows, sorted);
    for (uint32_t i = 0; i < rows->sampled; i++) {
        moments[0] += inner_product(sorted[i], sorted[i]) / count;
        for (uint32_t j = 0; j < i; j++) {
            double product = inner_product(sorted[i], sorted[j]);

            moments[1] += product * product / (count * (count - 1) / 2);
        }
    }
    return isfinite(moments[0]) && isfinite(moments[1])
               ? clv_bundle_put(model->bundle, MOMENTS, BUNDLE_F64, moments, 2, error)
               : OK;
}

/* ---- in a model ------------------------------------------------------------------------------ */

Status clv_training_rows_put(const TrainingRows *rows, Model *model, cleave_error *error)
{
    if (rows->sum.rows == 0)
        return OK;
    TRY(clv_bundle_put(model->bundle, FINGERPRINT, BUNDLE_U64, &rows->sum, FACTS, error));
    return put_moments(rows, model, error);
}

static Status refuse(const Model *from, const char *name, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the rows are not the training rows of the model",
             name);
    if (!method_updates(from->method, NULL))
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "train on the old and the new rows together, or use --refit to fit these "
                        "rows alone");
    return clv_hint(
        error, CLEAVE_ERROR_USAGE,
        "use 'cleave update MODEL %s' to add new rows to the model, or --refit to fit these rows "
        "alone",
        name);
}

Status clv_training_rows_check(const Model *from, const TrainingRows *rows, const char *name,
                               cleave_error *error)
{
    uint64_t own[FACTS];

    if (clv_bundle_copy(from->bundle, FINGERPRINT, BUNDLE_U64, own, FACTS))
        return memcmp(own, &rows->sum, sizeof own) == 0 ? OK : refuse(from, name, error);
    clv_warn(from->context, "use 'cleave update' to add new rows to a model",
             "the model has no fingerprint of its training rows; %s is assumed to contain the same "
             "rows",
             name);
    return OK;
}

Status clv_training_rows_updated(const Model *from, Model *model, cleave_error *error)
{
    const BundleItem *moments = clv_bundle_get(from->bundle, MOMENTS, BUNDLE_F64);
    TrainingRows none = {.sum = {.rows = model->rows}};

    if (moments)
        TRY(clv_bundle_put(model->bundle, MOMENTS, BUNDLE_F64, moments->data, moments->count,
                           error));
    return clv_training_rows_put(&none, model, error);
}
