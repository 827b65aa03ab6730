/* A validated cleave_matrix of the caller, and its rows as float32. */
#ifndef INPUT_MATRIX_H
#define INPUT_MATRIX_H

#include "base/memory.h"
#include "data/block.h"

typedef struct {
    uint32_t column;
    float value;
} MatrixEntry;

/* Scratch space for one row. */
typedef struct {
    Context *context;
    MatrixEntry *entry;
    uint32_t *column;
    float *value;
    size_t entry_capacity, column_capacity, value_capacity;
    size_t count; /* entries of the row, with increasing columns */
} MatrixRow;

/* Copies the caller's struct and fills in strides. Returns CLEAVE_ERROR_USAGE if it is
 * inconsistent. */
Status clv_matrix_take(const cleave_matrix *given, cleave_matrix *own, cleave_error *error);
static inline bool matrix_is_dense(const cleave_matrix *matrix)
{
    return !matrix->row_starts;
}
/* Returns whether rows can be used in place: dense float32 in C order without gaps. */
bool clv_matrix_in_place(const cleave_matrix *matrix);
/* Copies a row of a dense matrix, including NaN. Returns CLEAVE_ERROR_DATA for infinite values. */
Status clv_matrix_dense_row(const cleave_matrix *matrix, size_t row, float *values,
                            cleave_error *error);
/* Copies a row of a CSR matrix. Entries are sorted, repeated columns are added, and zeros are
 * dropped. */
Status clv_matrix_sparse_row(const cleave_matrix *matrix, size_t row, MatrixRow *workspace,
                             cleave_error *error);
/* Fails with the error for a value that is not finite. */
Status clv_matrix_refuse(size_t row, size_t column, double value, cleave_error *error);
void clv_matrix_row_free(MatrixRow *workspace);

#endif
