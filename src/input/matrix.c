#include "input/matrix.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

static size_t size_of(cleave_number_type type)
{
    return type == CLEAVE_FLOAT32 || type == CLEAVE_INT32 ? 4 : 8;
}

static Status refuse(const char *what, cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_USAGE, "cleave_matrix: %s", what);
}

static int64_t integer_at(const void *numbers, cleave_number_type type, size_t at)
{
    return type == CLEAVE_INT32 ? ((const int32_t *)numbers)[at] : ((const int64_t *)numbers)[at];
}

static Status check_sparse(const cleave_matrix *matrix, cleave_error *error)
{
    int64_t before;

    if (matrix->index_type != CLEAVE_INT32 && matrix->index_type != CLEAVE_INT64)
        return refuse("index_type must be CLEAVE_INT32 or CLEAVE_INT64", error);
    before = integer_at(matrix->row_starts, matrix->index_type, 0);
    for (size_t i = 1; i <= matrix->rows; i++) {
        int64_t start = integer_at(matrix->row_starts, matrix->index_type, i);

        if (before < 0 || start < before)
            return clv_fail(error, CLEAVE_ERROR_USAGE,
                            "cleave_matrix: row_starts[%zu] is smaller than its predecessor", i);
        before = start;
    }
    if (before > 0 && (!matrix->indexes || !matrix->values))
        return refuse("indexes or values are NULL", error);
    return OK;
}

Status clv_matrix_take(const cleave_matrix *given, cleave_matrix *own, cleave_error *error)
{
    TRY(clv_take_sized(own, sizeof *own, given, "cleave_matrix", error));
    if (own->type != CLEAVE_FLOAT32 && own->type != CLEAVE_FLOAT64)
        return refuse("type must be CLEAVE_FLOAT32 or CLEAVE_FLOAT64", error);
    if (own->columns > MOST_FEATURES)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "cleave_matrix: at most %u columns are supported, found %zu", MOST_FEATURES,
                        own->columns);
    if (!matrix_is_dense(own))
        return check_sparse(own, error);
    if (!own->values && own->rows && own->columns)
        return refuse("values are NULL", error);
    if (own->row_stride == 0 && own->column_stride == 0) {
        own->column_stride = (ptrdiff_t)size_of(own->type);
        own->row_stride = (ptrdiff_t)(own->columns * size_of(own->type));
    }
    return OK;
}

bool clv_matrix_in_place(const cleave_matrix *matrix)
{
    return matrix_is_dense(matrix) && matrix->type == CLEAVE_FLOAT32 && matrix->columns > 0 &&
           (matrix->column_stride == sizeof(float) || matrix->columns == 1) &&
           (matrix->row_stride == (ptrdiff_t)(matrix->columns * sizeof(float)) ||
            matrix->rows == 1) &&
           (uintptr_t)matrix->values % sizeof(float) == 0;
}

Status clv_matrix_refuse(size_t row, size_t column, double value, cleave_error *error)
{
    char number[NUMBER_SIZE];

    clv_format_double(number, value);
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "rows and columns count from 0; NaN in a dense matrix is a missing value",
                         "row %zu, column %zu: expected a finite number, found %s%s", row, column,
                         number, isfinite(value) ? ", which is too large for 32 bits" : "");
}

/* Returns the value at an unaligned address. */
static double value_at(const char *at, cleave_number_type type)
{
    float single;
    double number;

    if (type == CLEAVE_FLOAT32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&number, at, sizeof number);
    return number;
}

Status clv_matrix_dense_row(const cleave_matrix *matrix, size_t row, float *values,
                            cleave_error *error)
{
    const char *start = (const char *)matrix->values + (ptrdiff_t)row * matrix->row_stride;
    uint32_t infinite = 0;

    if (matrix->type == CLEAVE_FLOAT32 && matrix->column_stride == sizeof(float))
        memcpy(values, start, matrix->columns * sizeof *values);
    else
        for (size_t i = 0; i < matrix->columns; i++)
            values[i] = (float)value_at(start + (ptrdiff_t)i * matrix->column_stride, matrix->type);
    for (size_t i = 0; i < matrix->columns; i++)
        infinite |= isinf(values[i]) != 0;
    for (size_t i = 0; infinite && i < matrix->columns; i++)
        if (isinf(values[i]))
            return clv_matrix_refuse(
                row, i, value_at(start + (ptrdiff_t)i * matrix->column_stride, matrix->type),
                error);
    return OK;
}

static int by_column(const void *a, const void *b)
{
    const MatrixEntry *x = a, *y = b;

    return (x->column > y->column) - (x->column < y->column);
}

/* Sorts the entries by column and adds the values of repeated columns. */
static void merge_entries(MatrixRow *row, size_t entries)
{
    row->count = 0;
    for (size_t i = 0; i < entries;) {
        uint32_t column = row->entry[i].column;
        double sum = 0;

        for (; i < entries && row->entry[i].column == column; i++)
            sum += (double)row->entry[i].value;
        if (sum != 0) {
            row->column[row->count] = column;
            row->value[row->count++] = (float)sum;
        }
    }
}

Status clv_matrix_sparse_row(const cleave_matrix *matrix, size_t row, MatrixRow *workspace,
                             cleave_error *error)
{
    size_t first = (size_t)integer_at(matrix->row_starts, matrix->index_type, row);
    size_t entries = (size_t)integer_at(matrix->row_starts, matrix->index_type, row + 1) - first,
           size = size_of(matrix->type);
    bool sorted = true;

    TRY(GROW(workspace->context, workspace->entry, workspace->entry_capacity, entries, error));
    TRY(GROW(workspace->context, workspace->column, workspace->column_capacity, entries, error));
    TRY(GROW(workspace->context, workspace->value, workspace->value_capacity, entries, error));
    for (size_t i = 0; i < entries; i++) {
        int64_t index = integer_at(matrix->indexes, matrix->index_type, first + i);
        double value = value_at((const char *)matrix->values + (first + i) * size, matrix->type);

        if (index < 0 || (uint64_t)index >= matrix->columns)
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "row %zu: index %lld is out of range for %zu columns", row,
                            (long long)index, matrix->columns);
        if (!isfinite((float)value))
            return clv_matrix_refuse(row, (size_t)index, value, error);
        workspace->entry[i] = (MatrixEntry){.column = (uint32_t)index, .value = (float)value};
        sorted = sorted && (i == 0 || workspace->entry[i - 1].column < (uint32_t)index);
    }
    if (!sorted)
        qsort(workspace->entry, entries, sizeof *workspace->entry, by_column);
    merge_entries(workspace, entries);
    return OK;
}

void clv_matrix_row_free(MatrixRow *workspace)
{
    FREE(workspace->context, workspace->entry, workspace->column, workspace->value);
}
