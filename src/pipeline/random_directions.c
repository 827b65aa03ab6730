#include "pipeline/random_directions.h"

#include <stdio.h>

Status clv_number_columns(const Step *step, const char *prefix, uint32_t count, Columns *out)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "%s%u", prefix, i + 1);

        TRY(clv_columns_append(out, name, (size_t)length, COLUMN_NUMBER, step->error));
    }
    return OK;
}

void clv_row_times(const FeatureRow *row, const float *table, uint32_t width, double *restrict sums)
{
    for (size_t i = 0; i < row->count; i++) {
        const float *restrict direction = table + (size_t)row->column[i] * width;
        double value = (double)row->value[i];

        for (uint32_t j = 0; j < width; j++)
            sums[j] += value * (double)direction[j];
    }
}

Status clv_row_of_sums(RowWorkspace *workspace, const double *sums, uint32_t count,
                       cleave_error *error)
{
    workspace->row.count = 0;
    for (uint32_t j = 0; j < count; j++)
        if ((float)sums[j] != 0)
            TRY(clv_row_add(workspace, &workspace->row, j, (float)sums[j], error));
    return OK;
}

const float *clv_step_floats(const Step *step, const char *name, uint64_t count)
{
    const BundleItem *item = clv_bundle_get(step->arrays, name, BUNDLE_F32);
    const float *numbers = item ? item->data : NULL;

    if (!item || item->count != count)
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return NULL;
    return numbers;
}
