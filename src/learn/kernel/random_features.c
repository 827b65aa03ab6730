#include "learn/kernel/random_features.h"

#include "base/random.h"

static Status list_columns(Fourier *fourier, const KernelPoints *points)
{
    fourier->place = clv_arena_zero(&fourier->memory, points->features, sizeof *fourier->place);
    TRY(fourier->memory.status);
    for (size_t e = 0; e < points->entries; e++)
        fourier->place[points->column[e]] = 1;
    for (uint32_t column = 0; column < points->features; column++)
        fourier->columns += fourier->place[column];
    fourier->column = clv_arena_alloc(&fourier->memory, fourier->columns, sizeof *fourier->column);
    TRY(fourier->memory.status);
    for (uint32_t column = 0, place = 0; column < points->features; column++)
        if (fourier->place[column]) {
            fourier->column[place++] = column;
            fourier->place[column] = place;
        }
    return OK;
}

Status clv_fourier_init(Fourier *fourier, const KernelPoints *points, size_t size, double gamma,
                        uint64_t seed, size_t outputs, cleave_error *error)
{
    Arena *memory = &fourier->memory;

    *fourier = (Fourier){
        .memory = {.context = points->context, .error = error, .what = "random features"},
        .loops = clv_loops(),
        .size = size,
        .outputs = outputs};
    TRY(list_columns(fourier, points));
    fourier->frequency = clv_arena_alloc(memory, size * fourier->columns,
                                         sizeof *fourier->frequency);
    fourier->phase = clv_arena_alloc(memory, size, sizeof *fourier->phase);
    fourier->w = clv_arena_zero(memory, size * outputs, sizeof *fourier->w);
    fourier->mean = clv_arena_zero(memory, size * outputs, sizeof *fourier->mean);
    fourier->intercept = clv_arena_zero(memory, outputs, sizeof *fourier->intercept);
    fourier->mean_intercept = clv_arena_zero(memory, outputs, sizeof *fourier->mean_intercept);
    fourier->angle = clv_arena_alloc(memory, size, sizeof *fourier->angle);
    fourier->mapped = clv_arena_alloc(memory, size, sizeof *fourier->mapped);
    TRY(memory->status);
    clv_fourier_phases(seed, size, fourier->phase);
    for (uint32_t place = 0; place < fourier->columns; place++)
        clv_fourier_frequencies(seed, fourier->column[place], gamma, size,
                                fourier->frequency + place * size);
    return OK;
}

void clv_fourier_free(Fourier *fourier)
{
    clv_arena_free(&fourier->memory);
    *fourier = (Fourier){0};
}

/* z(x), from the angles ω·x. */
static void finish_map(const Loops *loops, const float *phase, size_t size, double *angle,
                       float *mapped)
{
    for (size_t k = 0; k < size; k++)
        angle[k] += (double)phase[k];
    loops->cosines(angle, sqrt(2 / (double)size), size, mapped);
}

void clv_fourier_learn(Fourier *fourier, KernelRow row, const double *y, double weight,
                       double lambda, double *scores)
{
    const Loops *loops = fourier->loops;
    size_t size = fourier->size;
    double rate, share;

    memset(fourier->angle, 0, size * sizeof *fourier->angle);
    for (size_t e = 0; e < row.count; e++)
        loops->add_plane(fourier->frequency + (fourier->place[row.column[e]] - 1) * size,
                         row.value ? (double)row.value[e] : 1, size, fourier->angle);
    finish_map(loops, fourier->phase, size, fourier->angle, fourier->mapped);
    fourier->steps++;
    /* with t0 = 1/λ, the first step is 1, as large as K(x, x) */
    rate = 1 / (lambda * fourier->steps + 1);
    share = 2 / (fourier->steps + 1);
    for (size_t output = 0; output < fourier->outputs; output++) {
        double *w = fourier->w + output * size, *mean = fourier->mean + output * size,
               shrink = 1 - rate * lambda;
        double step;

        scores[output] = loops->weigh(fourier->mapped, w, size) + fourier->intercept[output];
        step = y[output] * scores[output] < 1 ? rate * weight * y[output] : 0;
        for (size_t k = 0; k < size; k++) {
            w[k] = shrink * w[k] + step * (double)fourier->mapped[k];
            mean[k] += share * (w[k] - mean[k]);
        }
        fourier->intercept[output] += step;
        fourier->mean_intercept[output] += share * (fourier->intercept[output] -
                                                    fourier->mean_intercept[output]);
    }
}

double clv_fourier_norm2(const Fourier *fourier)
{
    double sum = 0;

    for (size_t k = 0; k < fourier->size * fourier->outputs; k++)
        sum += fourier->mean[k] * fourier->mean[k];
    return sum;
}

/* ---- models ---------------------------------------------------------------------------------- */

Status clv_fourier_to_model(const Fourier *fourier, uint64_t seed, Model *model,
                            cleave_error *error)
{
    Bundle *bundle = model->bundle;
    size_t size = fourier->size;

    TRY(clv_bundle_put_number(bundle, "fourier_seed", seed, error));
    TRY(clv_bundle_put(bundle, "fourier_columns", BUNDLE_U32, fourier->column, fourier->columns,
                       error));
    TRY(clv_bundle_put(bundle, "frequencies", BUNDLE_F32, fourier->frequency,
                       (uint64_t)size * fourier->columns, error));
    TRY(clv_bundle_put(bundle, "phases", BUNDLE_F32, fourier->phase, size, error));
    TRY(clv_bundle_put(bundle, "directions", BUNDLE_F64, fourier->mean, size * fourier->outputs,
                       error));
    return clv_bundle_put(bundle, "bias", BUNDLE_F64, fourier->mean_intercept, fourier->outputs,
                          error);
}

typedef struct {
    const BundleItem *column, *frequency, *phase, *direction, *intercept;
} Kept;

static bool find_arrays(const Model *model, Kept *kept)
{
    *kept = (Kept){
        .column = clv_bundle_get(model->bundle, "fourier_columns", BUNDLE_U32),
        .frequency = clv_bundle_get(model->bundle, "frequencies", BUNDLE_F32),
        .phase = clv_bundle_get(model->bundle, "phases", BUNDLE_F32),
        .direction = clv_bundle_get(model->bundle, "directions", BUNDLE_F64),
        .intercept = clv_bundle_get(model->bundle, "bias", BUNDLE_F64),
    };
    return kept->column && kept->frequency && kept->phase && kept->direction && kept->intercept;
}

bool clv_fourier_in_model(const Model *model)
{
    return clv_bundle_get(model->bundle, "frequencies", BUNDLE_F32) != NULL;
}

static bool ascending(const BundleItem *columns, uint32_t features)
{
    const uint32_t *column = columns->data;

    for (uint64_t i = 0; i < columns->count; i++)
        if (column[i] >= features || (i > 0 && column[i] <= column[i - 1]))
            return false;
    return true;
}

bool clv_fourier_check_model(const Model *model)
{
    size_t outputs = outputs_of(model->labels.count);
    uint64_t seed;
    Kept kept;

    return find_arrays(model, &kept) && clv_bundle_number(model->bundle, "fourier_seed", &seed) &&
           kept.phase->count >= 1 && kept.phase->count <= UINT32_MAX &&
           kept.intercept->count == outputs && kept.column->count <= model->features &&
           kept.frequency->count == kept.phase->count * kept.column->count &&
           kept.direction->count == kept.phase->count * outputs &&
           clv_bundle_finite(kept.frequency) && clv_bundle_finite(kept.phase) &&
           clv_bundle_finite(kept.direction) && clv_bundle_finite(kept.intercept) &&
           ascending(kept.column, model->features);
}

/* ω·x; the columns of the row and of the model are ascending. */
static void add_row(const Kept *kept, const Loops *loops, const Block *block, uint32_t row,
                    double *angle)
{
    const uint32_t *column = kept->column->data;
    size_t size = (size_t)kept->phase->count, low = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        size_t high = (size_t)kept->column->count;

        while (low < high) {
            size_t middle = low + (high - low) / 2;

            if (column[middle] < walk.column)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < kept->column->count && column[low] == walk.column)
            loops->add_plane((const float *)kept->frequency->data + low * size, (double)walk.value,
                             size, angle);
    }
}

Status clv_fourier_predict(const Model *model, const Block *block, double *scores,
                           cleave_error *error)
{
    size_t outputs = outputs_of(model->labels.count), size;
    const Loops *loops = clv_loops();
    double *angle;
    float *mapped;
    Kept kept;

    if (!find_arrays(model, &kept))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL,
                        "the random-feature model has no frequencies");
    size = (size_t)kept.phase->count;
    angle = clv_alloc(model->context, size, sizeof *angle);
    mapped = clv_alloc(model->context, size, sizeof *mapped);
    for (uint32_t row = 0; row < block->rows && angle && mapped; row++) {
        memset(angle, 0, size * sizeof *angle);
        add_row(&kept, loops, block, row, angle);
        finish_map(loops, kept.phase->data, size, angle, mapped);
        for (size_t output = 0; output < outputs; output++)
            scores[row * outputs + output] = loops->weigh(mapped,
                                                          (const double *)kept.direction->data +
                                                              output * size,
                                                          size) +
                                             ((const double *)kept.intercept->data)[output];
    }
    FREE(model->context, angle, mapped);
    return angle && mapped ? OK : clv_fail_memory(error, "the random features of a row", size * 12);
}

/* ---- warm starts ----------------------------------------------------------------------------- */

enum { PARTS = 3 };

static void list_parts(Fourier *fourier, StatePart parts[PARTS])
{
    parts[0] = (StatePart){"run.numbers", BUNDLE_F64, &fourier->steps, 1};
    parts[1] = (StatePart){"run.directions", BUNDLE_F64, fourier->w,
                           fourier->size * fourier->outputs};
    parts[2] = (StatePart){"run.offsets", BUNDLE_F64, fourier->intercept, fourier->outputs};
}

Status clv_fourier_save(Fourier *fourier, uint64_t fingerprint, Model *model, cleave_error *error)
{
    StatePart parts[PARTS];

    list_parts(fourier, parts);
    return clv_state_put(parts, PARTS, fingerprint, model, error);
}

/* Whether the frequencies of common columns are equal; columns of both are ascending. */
static bool same_features(const Fourier *fourier, const Kept *kept)
{
    const uint32_t *column = kept->column->data;
    size_t size = fourier->size, bytes = size * sizeof(float);

    if (kept->phase->count != size || memcmp(kept->phase->data, fourier->phase, bytes) != 0)
        return false;
    for (size_t i = 0, place = 0; i < kept->column->count && place < fourier->columns;) {
        if (column[i] == fourier->column[place] &&
            memcmp((const float *)kept->frequency->data + i * size,
                   fourier->frequency + place * size, bytes) != 0)
            return false;
        if (column[i] <= fourier->column[place])
            i++;
        else
            place++;
    }
    return true;
}

Status clv_fourier_resume(Fourier *fourier, const Model *model, uint64_t fingerprint,
                          cleave_error *error)
{
    size_t all = fourier->size * fourier->outputs;
    StatePart parts[PARTS];
    bool found;
    Kept kept;

    if (!find_arrays(model, &kept) || !same_features(fourier, &kept))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "omit --fourier-features, --gamma, --sigma and --seed; a warm start "
                             "keeps the values of the model",
                             "the warm-start model was trained with other random features");
    memcpy(fourier->mean, kept.direction->data, all * sizeof *fourier->mean);
    memcpy(fourier->w, kept.direction->data, all * sizeof *fourier->w);
    memcpy(fourier->mean_intercept, kept.intercept->data,
           fourier->outputs * sizeof *fourier->mean_intercept);
    memcpy(fourier->intercept, kept.intercept->data, fourier->outputs * sizeof *fourier->intercept);
    fourier->steps = (double)model->seen;
    list_parts(fourier, parts);
    TRY(clv_state_take(parts, PARTS, fingerprint, model, &found, error));
    return state_is_whole(fourier->steps, 9e15) ? OK : clv_state_nonsense(error);
}
