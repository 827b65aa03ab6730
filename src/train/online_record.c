/* The record of a stream in its model, in addition to the arrays of every model: "stream" has the
 * counts below, "stream_windows" the windows, and "stream_fit" the counters of the driver. While
 * rows are held back, they are stored as "stream_held_…". "stream_documents" has the keys of the
 * documents of folders that were read (read/live_folder.h). The weights of such a model come from a
 * temporary state that has learned the held-back rows. */
#include "train/online_parts.h"

#include <math.h>

enum {
    AT_VERSION,
    AT_ROWS,
    AT_UNLABELED,
    AT_NEXT_REPORT,
    AT_MARK,
    AT_LEARNING,
    AT_BYTES,
    AT_LINES,
    AT_HEAD_HASH,
    AT_DEVICE,
    AT_INODE,
    AT_GUIDED,
    AT_SKIPPED,
    COUNTS
};
enum { RECORD_VERSION = 2, FIT_NUMBERS = 3 };

Status clv_online_save_counts(const Online *online, const LivePlace *place, uint64_t mark,
                              Bundle *bundle, cleave_error *error)
{
    const Fit *fit = &online->run.fit;
    uint64_t counts[COUNTS] = {
        [AT_VERSION] = RECORD_VERSION,
        [AT_ROWS] = online->rows,
        [AT_UNLABELED] = online->unlabeled,
        [AT_NEXT_REPORT] = online->next_report,
        [AT_MARK] = mark,
        [AT_LEARNING] = online->learning,
        [AT_BYTES] = place->bytes,
        [AT_LINES] = place->lines,
        [AT_HEAD_HASH] = place->head_hash,
        [AT_DEVICE] = place->device,
        [AT_INODE] = place->inode,
        [AT_GUIDED] = online->guided,
        [AT_SKIPPED] = place->skipped,
    };
    double windows[WINDOWS_NUMBERS], sides[2 * CLASS_ERROR_NUMBERS];
    double numbers[FIT_NUMBERS] = {(double)fit->counters.mistakes,
                                   (double)fit->counters.epoch_mistakes, fit->counters.epoch_loss};

    if (place->document_count)
        TRY(clv_bundle_put(bundle, "stream_documents", BUNDLE_U64, place->documents,
                           place->document_count, error));
    clv_windows_save(&online->windows, windows);
    for (int i = 0; i < 2; i++)
        clv_class_errors_save(&online->side[i], sides + i * CLASS_ERROR_NUMBERS);
    if (!online->regression)
        TRY(clv_bundle_put(bundle, "stream_classes", BUNDLE_F64, sides, 2 * CLASS_ERROR_NUMBERS,
                           error));
    TRY(clv_bundle_put(bundle, "stream", BUNDLE_U64, counts, COUNTS, error));
    TRY(clv_bundle_put(bundle, "stream_windows", BUNDLE_F64, windows, WINDOWS_NUMBERS, error));
    return clv_bundle_put(bundle, "stream_fit", BUNDLE_F64, numbers, FIT_NUMBERS, error);
}

/* Writes the rows entry by entry. */
Status clv_online_save_held(Online *online, Bundle *bundle, cleave_error *error)
{
    Context *context = online->run.context;
    uint32_t *column = NULL, *ends = NULL, *label = NULL;
    float *value = NULL, *weight = NULL;
    double *number = NULL;
    size_t entries = 0, most;
    Status status = CLEAVE_ERROR_MEMORY;
    Block held;

    TRY(clv_builder_finish(&online->held, &held, error));
    most = (size_t)clv_block_entries(&held);
    column = clv_alloc(context, most, sizeof *column);
    value = clv_alloc(context, most, sizeof *value);
    ends = clv_alloc(context, held.rows, sizeof *ends);
    label = clv_alloc(context, held.rows, sizeof *label);
    weight = clv_alloc(context, held.rows, sizeof *weight);
    number = clv_alloc(context, held.rows, sizeof *number);
    if (!column || !value || !ends || !label || !weight || !number) {
        clv_fail_memory(error, "held-back rows", most * sizeof *column);
    } else {
        for (uint32_t row = 0; row < held.rows; row++) {
            for (RowWalk walk = clv_walk(&held, row); clv_walk_next(&walk); entries++) {
                column[entries] = walk.column;
                value[entries] = walk.value;
            }
            ends[row] = (uint32_t)entries;
            label[row] = block_label(&held, row);
            weight[row] = block_weight(&held, row);
            number[row] = online->regression ? fit_target(&online->run.fit, &held, row) : 0;
        }
        status = clv_bundle_put(bundle, "stream_held_ends", BUNDLE_U32, ends, held.rows, error);
        THEN(status,
             clv_bundle_put(bundle, "stream_held_columns", BUNDLE_U32, column, entries, error));
        THEN(status,
             clv_bundle_put(bundle, "stream_held_values", BUNDLE_F32, value, entries, error));
        THEN(status,
             clv_bundle_put(bundle, "stream_held_labels", BUNDLE_U32, label, held.rows, error));
        THEN(status,
             clv_bundle_put(bundle, "stream_held_weights", BUNDLE_F32, weight, held.rows, error));
        THEN(status,
             clv_bundle_put(bundle, "stream_held_numbers", BUNDLE_F64, number, held.rows, error));
    }
    FREE(context, column, value, ends, label, weight, number);
    return status;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static Status nonsense(cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT,
                         "restore the file from an intact copy, or start with a new model",
                         "the model file is corrupt: its stream record is invalid");
}

static const void *item(const Model *model, const char *name, BundleType type, uint64_t count)
{
    const BundleItem *found = clv_bundle_get(model->bundle, name, type);

    return found && found->count == count ? found->data : NULL;
}

/* Reads one held-back row of a record. Returns false if it is invalid. */
static bool row_makes_sense(const Online *online, const uint32_t *column, const float *value,
                            uint32_t from, uint32_t to, uint32_t label, float weight)
{
    for (uint32_t i = from; i < to; i++)
        if (column[i] >= MOST_FEATURES || (i > from && column[i] <= column[i - 1]) ||
            !isfinite(value[i]))
            return false;
    return (online->regression || label < online->known.count) && weight >= 0 && isfinite(weight);
}

Status clv_online_load_held(Online *online, const Model *model, cleave_error *error)
{
    const BundleItem *all = clv_bundle_get(model->bundle, "stream_held_ends", BUNDLE_U32);
    const BundleItem *columns = clv_bundle_get(model->bundle, "stream_held_columns", BUNDLE_U32);
    uint64_t rows = all ? all->count : 0, entries = columns ? columns->count : 0;
    const uint32_t *ends = all ? all->data : NULL, *column = columns ? columns->data : NULL;
    const float *value = item(model, "stream_held_values", BUNDLE_F32, entries);
    const float *weight = item(model, "stream_held_weights", BUNDLE_F32, rows);
    const uint32_t *label = item(model, "stream_held_labels", BUNDLE_U32, rows);
    const double *number = item(model, "stream_held_numbers", BUNDLE_F64, rows);

    if (!all || !columns || !value || !weight || !label || !number || rows >= HELD_ROWS ||
        (rows ? ends[rows - 1] : 0) != entries)
        return nonsense(error);
    for (uint64_t row = 0; row < rows; row++) {
        uint32_t from = row ? ends[row - 1] : 0;

        if (ends[row] < from || ends[row] > entries ||
            !row_makes_sense(online, column, value, from, ends[row], label[row], weight[row]))
            return nonsense(error);
        clv_builder_begin_row(&online->held);
        for (uint32_t i = from; i < ends[row]; i++)
            TRY(clv_builder_add(&online->held, column[i], value[i], error));
        TRY(clv_builder_end_row(&online->held, online->regression ? UNLABELED : label[row], error));
        TRY(clv_builder_set_weight(&online->held, weight[row], error));
        if (online->regression) {
            if (!isfinite(number[row]))
                return nonsense(error);
            TRY(clv_builder_set_number(&online->held, number[row], error));
            online->target_sum += number[row];
        } else {
            online->count[label[row]]++;
        }
    }
    return OK;
}

Status clv_online_load_counts(Online *online, const Model *model, cleave_error *error)
{
    const uint64_t *counts = item(model, "stream", BUNDLE_U64, COUNTS);
    const double *windows = item(model, "stream_windows", BUNDLE_F64, WINDOWS_NUMBERS);
    /* models of earlier versions have none */
    const double *sides = item(model, "stream_classes", BUNDLE_F64, 2 * CLASS_ERROR_NUMBERS);
    const BundleItem *documents;

    for (int i = 0; i < 2 && sides; i++)
        if (!clv_class_errors_load(&online->side[i], sides + i * CLASS_ERROR_NUMBERS))
            return nonsense(error);
    if (!counts || counts[AT_VERSION] != RECORD_VERSION || !windows ||
        !clv_windows_load(&online->windows, windows) || counts[AT_NEXT_REPORT] == 0)
        return nonsense(error);
    documents = clv_bundle_get(model->bundle, "stream_documents", BUNDLE_U64);
    online->rows = counts[AT_ROWS];
    online->unlabeled = counts[AT_UNLABELED];
    online->next_report = counts[AT_NEXT_REPORT];
    online->mark = counts[AT_MARK];
    online->learning = counts[AT_LEARNING] != 0;
    online->guided = counts[AT_GUIDED] != 0;
    online->place = (LivePlace){.bytes = counts[AT_BYTES],
                                .lines = counts[AT_LINES],
                                .head_hash = counts[AT_HEAD_HASH],
                                .device = counts[AT_DEVICE],
                                .inode = counts[AT_INODE],
                                .skipped = counts[AT_SKIPPED],
                                .documents = documents ? documents->data : NULL,
                                .document_count = documents ? documents->count : 0};
    return OK;
}

Status clv_online_load_fit(Online *online, const Model *model)
{
    const double *numbers = item(model, "stream_fit", BUNDLE_F64, FIT_NUMBERS);
    Fit *fit = &online->run.fit;

    if (!numbers || !(numbers[0] >= 0 && numbers[0] < 0x1p60) ||
        !(numbers[1] >= 0 && numbers[1] < 0x1p60))
        return online->resumed ? nonsense(online->run.error) : OK;
    fit->counters.mistakes = (uint64_t)numbers[0];
    fit->counters.epoch_mistakes = (uint64_t)numbers[1];
    fit->counters.epoch_loss = numbers[2];
    return OK;
}
