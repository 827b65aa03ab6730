/*
 * Warm starts of kernel SVMs.
 *
 * An interrupted run (iteration limit or interrupt) stores β and f of every row in its model
 * (model/state.h). With the same rows, kernel and penalty, the next run continues from them and is
 * bit-identical to one longer run.
 *
 * Any other model is a start: each support vector is looked up among the training rows, by content
 * and class, and gives that row its β. Support vectors that are not found are dropped. For SMO β is
 * made feasible: it is clipped to its bounds, and if the sums of both sides differ, the larger side
 * is scaled down, values inside the bounds first. f is computed from β.
 */
#include "learn/kernel/svm.h"

#include "base/hash_table.h"
#include "learn/kernel/expansion.h"

/* relative; smaller differences of the two sides are treated as rounding errors */
#define LEVEL 1e-9

/* ---- state of a run -------------------------------------------------------------------------- */

enum { PARTS = 5 };

static void list_parts(Svm *svm, StatePart parts[PARTS])
{
    uint64_t cells = (uint64_t)svm->outputs * svm->count;

    parts[0] = (StatePart){"run.numbers", BUNDLE_F64, svm->numbers, SVM_NUMBERS};
    parts[1] = (StatePart){"run.dual", BUNDLE_F64, svm->beta, cells};
    parts[2] = (StatePart){"run.scores", BUNDLE_F64, svm->score, cells};
    parts[3] = (StatePart){"run.offsets", BUNDLE_F64, svm->intercept, svm->outputs};
    parts[4] = (StatePart){"run.solved", BUNDLE_BYTES, svm->solved, svm->outputs};
}

Status clv_svm_fingerprint(const Fit *fit, Svm *svm)
{
    const double numbers[] = {svm->kernel.kind,
                              svm->kernel.gamma,
                              svm->kernel.coef0,
                              svm->kernel.degree,
                              svm->lambda,
                              svm->hard,
                              svm->options->fourier_features};

    return svm->fingerprint
               ? OK
               : clv_state_fingerprint(fit, svm->dataset, clv_svm_solvers[svm->options->solver],
                                       numbers, sizeof numbers / sizeof *numbers,
                                       &svm->fingerprint);
}

Status clv_svm_save(const Fit *fit, Svm *svm, Model *model)
{
    StatePart parts[PARTS];

    if (fit->result.converged || fit->result.plateau || !svm->numbers)
        return OK; /* the run was completed or never started */
    TRY(clv_svm_fingerprint(fit, svm));
    list_parts(svm, parts);
    svm->numbers[0] = svm->scale;
    svm->numbers[1] = svm->steps;
    svm->numbers[2] = svm->before;
    return clv_state_put(parts, PARTS, svm->fingerprint, model, fit->error);
}

static Status restore(const Fit *fit, Svm *svm)
{
    const double *numbers = svm->numbers;
    bool sound = isfinite(numbers[0]) && state_is_whole(numbers[1], 9e15);

    for (size_t i = 0; i < svm->outputs * svm->count; i++)
        sound &= isfinite(svm->beta[i]) && isfinite(svm->score[i]);
    if (!sound)
        return clv_state_nonsense(fit->error);
    svm->scale = numbers[0];
    svm->steps = numbers[1];
    svm->before = numbers[2];
    return OK;
}

/* ---- rows of a model ------------------------------------------------------------------------- */

/* Hash table of the rows by content and class: chains of one plus the row number. */
typedef struct {
    HashKey key;
    uint32_t *first, *next;
    size_t mask;
} RowChains;

/* The hash is that of the columns alone if all values are 1 and not stored. */
static size_t chain_of(const Svm *svm, const RowChains *index, KernelRow row, uint32_t label)
{
    uint64_t hash = clv_keyed_hash(index->key, row.column, row.count * sizeof *row.column, label);

    if (svm->points.value)
        hash = clv_keyed_hash(index->key, row.value, row.count * sizeof *row.value, hash);
    return (size_t)hash & index->mask;
}

static Status make_index(const Fit *fit, const Svm *svm, RowChains *index)
{
    index->mask = 1;
    while (index->mask < svm->count)
        index->mask = 2 * index->mask + 1;
    index->first = clv_alloc_zero(fit->context, index->mask + 1, sizeof *index->first);
    index->next = clv_alloc_zero(fit->context, svm->count, sizeof *index->next);
    if (!index->first || !index->next)
        return clv_fail_memory(fit->error, "the hash table of the rows",
                               (index->mask + 1 + svm->count) * sizeof *index->first);
    for (uint32_t i = svm->count; i-- > 0;) {
        uint32_t *first =
            &index->first[chain_of(svm, index, point_row(&svm->points, i), svm->label[i])];

        index->next[i] = *first;
        *first = i + 1;
    }
    return OK;
}

/* Compares a row of the data, which has no values if all are 1, with a row of the model. */
static bool alike(KernelRow row, KernelRow of_model)
{
    if (row.count != of_model.count ||
        memcmp(row.column, of_model.column, row.count * sizeof *row.column) != 0)
        return false;
    for (size_t e = 0; e < row.count; e++)
        if (of_model.value[e] != (row.value ? row.value[e] : 1))
            return false;
    return true;
}

/* An equal row that has not been matched yet; UINT32_MAX: none. */
static uint32_t find(const Svm *svm, RowChains *index, KernelRow row, uint32_t label)
{
    uint32_t *link = &index->first[chain_of(svm, index, row, label)];

    for (; *link; link = &index->next[*link - 1]) {
        uint32_t i = *link - 1;

        if (svm->label[i] != label || !alike(point_row(&svm->points, i), row))
            continue;
        *link = index->next[i];
        return i;
    }
    return UINT32_MAX;
}

/* Returns whether the signs of these β are valid for a row of this class. */
static bool may_be(const Fit *fit, const double *alpha, size_t count, size_t outputs,
                   uint32_t label)
{
    for (size_t output = 0; output < outputs; output++)
        if (alpha[output * count] * fit_sign(fit, label, output) < 0)
            return false;
    return true;
}

/* Returns the number of rows not found. */
static uint32_t find_all(const Fit *fit, Svm *svm, RowChains *index, const KernelPoints *points,
                         const double *alpha)
{
    uint32_t missing = 0;

    for (uint32_t k = 0; k < points->count; k++) {
        uint32_t row = UINT32_MAX;

        for (uint32_t label = 0; label < fit->classes && row == UINT32_MAX; label++)
            if (may_be(fit, alpha + k, points->count, svm->outputs, label))
                row = find(svm, index, point_row(points, k), label);
        if (row == UINT32_MAX) {
            missing++;
            continue;
        }
        for (size_t output = 0; output < svm->outputs; output++)
            svm->beta[output * svm->count + row] = alpha[output * points->count + k];
    }
    return missing;
}

static Status match_rows(const Fit *fit, Svm *svm)
{
    const BundleItem *alpha = clv_bundle_get(svm->from->bundle, "alpha", BUNDLE_F64);
    RowChains index = {.key = fit->context->hash_key};
    KernelPoints points;
    uint32_t missing = 0;
    Status status;

    clv_points_init(&points, fit->context, 0);
    status = clv_expansion_points(svm->from, &points, fit->error);
    THEN(status, make_index(fit, svm, &index));
    if (status == OK)
        missing = find_all(fit, svm, &index, &points, alpha->data);
    FREE(fit->context, index.first, index.next);
    if (status == OK && missing > 0)
        clv_note(fit->context,
                 "%u of the %u support vectors of the warm-start model are not in the training set "
                 "and are dropped",
                 missing, points.count);
    clv_points_free(&points);
    return status;
}

/* ---- a feasible start ------------------------------------------------------------------------ */

static double bound_of(const Svm *svm, uint32_t row)
{
    return svm->weight[row] > 0 ? svm->C * svm->weight[row] : 0;
}

static void cut_to_bounds(const Svm *svm, double *beta)
{
    for (uint32_t i = 0; i < svm->count; i++)
        beta[i] = copysign(fmin(fabs(beta[i]), bound_of(svm, i)), beta[i]);
}

/* Scales β such that Σ β = 0. */
static void level(const Svm *svm, double *beta)
{
    double surplus = 0, side, all = 0, inside = 0, share;
    bool only_inside;

    for (uint32_t i = 0; i < svm->count; i++)
        surplus += beta[i];
    side = surplus > 0 ? 1 : -1;
    for (uint32_t i = 0; i < svm->count; i++)
        if (side * beta[i] > 0) {
            all += fabs(beta[i]);
            inside += fabs(beta[i]) < bound_of(svm, i) ? fabs(beta[i]) : 0;
        }
    if (fabs(surplus) <= LEVEL * all)
        return;
    only_inside = inside > 2 * fabs(surplus);
    share = fmin(1, fabs(surplus) / (only_inside ? inside : all));
    for (uint32_t i = 0; i < svm->count; i++)
        if (side * beta[i] > 0 && (!only_inside || fabs(beta[i]) < bound_of(svm, i)))
            beta[i] *= 1 - share;
}

/* Computes f of all rows. */
static Status score_rows(const Fit *fit, Svm *svm)
{
    for (uint32_t i = 0; i < svm->count && !clv_cancelled(fit->context); i++) {
        const float *row = NULL;

        for (size_t output = 0; output < svm->outputs; output++) {
            double beta = svm->beta[output * svm->count + i];

            if (beta == 0)
                continue;
            if (!row)
                TRY(clv_cache_row(&svm->cache, i, &row, fit->error));
            svm->evaluator.loops->add_plane(row, beta, svm->count,
                                            svm->score + output * svm->count);
        }
    }
    return OK;
}

Status clv_svm_start(const Fit *fit, Svm *svm)
{
    bool found = false;

    if (!svm->from)
        return OK;
    if (clv_state_in_model(svm->from)) {
        StatePart parts[PARTS];

        TRY(clv_svm_fingerprint(fit, svm));
        list_parts(svm, parts);
        TRY(clv_state_take(parts, PARTS, svm->fingerprint, svm->from, &found, fit->error));
    }
    if (found)
        return restore(fit, svm);
    TRY(match_rows(fit, svm));
    for (size_t output = 0; output < svm->outputs && svm->options->solver == SOLVER_SMO; output++) {
        cut_to_bounds(svm, svm->beta + output * svm->count);
        level(svm, svm->beta + output * svm->count);
    }
    if (svm->options->solver != SOLVER_SMO) { /* the β of these solvers are relative to the scale */
        svm->steps = (double)svm->from->seen;
        svm->scale = clv_stochastic_scale(svm);
        for (size_t i = 0; i < svm->outputs * svm->count; i++)
            svm->beta[i] /= svm->scale;
        memcpy(svm->intercept, clv_bundle_get(svm->from->bundle, "bias", BUNDLE_F64)->data,
               svm->outputs * sizeof *svm->intercept);
    }
    return score_rows(fit, svm);
}
