/*
 * Data from the caller's memory: a matrix with labels, weights and groups.
 *
 * The rows equal those of the corresponding file, so that the model is the same: a dense matrix
 * equals a NumPy file, with column names a CSV file, and CSR equals LIBSVM text. NaN is stored as a
 * missing cell of a table: 0, and 1 in the feature `column=?`.
 */
#include "input/arrays.h"

#include "base/number.h"
#include "input/input.h"
#include "input/matrix.h"

#include <stdio.h>

enum {
    ROWS_AT_ONCE = 512,
    MOST_LABELS =
        65536, /* with more distinct targets, they stay numbers, as in the readers (read/chunk.c) */
    BYTES_AT_ONCE = 1 << 20,
};

typedef struct {
    Source source; /* first member */
    cleave_matrix matrix;
    const float *weights;
    const uint64_t *groups;
    uint32_t *label; /* label of each row; NULL: none, or numbers */
    double *number;  /* target of each row; NULL: none, or labels */
    uint32_t
        *mark; /* per column: its feature `column=?`, or NO_COLUMN; NULL without missing values */
    uint32_t width; /* number of features, including indicators of missing values */
    size_t next;
    Builder builder;
    MatrixRow row;
    float *values; /* a dense row in which missing values are replaced */
    Block block;
} ArraySource;

/* ---- labels ---------------------------------------------------------------------------------- */

static Status add_label(ArraySource *self, size_t row, const char *text, size_t length,
                        cleave_error *error)
{
    Labels *labels = &self->source.labels;
    uint32_t number = UNLABELED;

    if (length) {
        TRY(clv_labels_add(labels, text, length, &number, error));
        labels->list[number].count++;
    } else {
        labels->unlabeled++;
    }
    self->label[row] = number;
    return OK;
}

static Status add_labels(ArraySource *self, const cleave_rows *rows, cleave_error *error)
{
    char text[NUMBER_SIZE + 1];

    for (size_t i = 0; i < self->matrix.rows; i++) {
        size_t length = 0;

        if (rows->labels) {
            const char *label = rows->labels[i] ? rows->labels[i] : "";

            TRY(add_label(self, i, label, strlen(label), error));
            continue;
        }
        if (rows->classes) {
            text[0] = '-';
            length = rows->classes[i] < 0;
            length += clv_format_unsigned(text + length, length ? 0 - (uint64_t)rows->classes[i]
                                                                : (uint64_t)rows->classes[i]);
        } else if (!isnan(rows->targets[i])) {
            if (!isfinite(rows->targets[i]))
                return clv_fail(error, CLEAVE_ERROR_DATA, "row %zu: the target is not finite", i);
            length = clv_format_double(text, rows->targets[i]);
        }
        TRY(add_label(self, i, text, length, error));
        if (rows->targets && self->source.labels.count > MOST_LABELS)
            return OK;
    }
    return OK;
}

static Status take_labels(ArraySource *self, const cleave_rows *rows, cleave_error *error)
{
    Context *context = self->source.context;
    size_t count = self->matrix.rows;

    if (!!rows->labels + !!rows->classes + !!rows->targets > 1)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "cleave_rows: only one of labels, classes and targets can be set");
    self->source.labels.from_libsvm = !matrix_is_dense(&self->matrix);
    if (!rows->labels && !rows->classes && !rows->targets) {
        self->source.labels.unlabeled = count;
        return OK;
    }
    TRY(ALLOC(context, self->label, count + 1, "labels", error));
    TRY(add_labels(self, rows, error));
    if (!rows->targets || self->source.labels.count <= MOST_LABELS)
        return OK;
    clv_free(context, self->label);
    self->label = NULL;
    TRY(ALLOC(context, self->number, count, "targets", error));
    for (size_t i = 0; i < count; i++) {
        if (isinf(rows->targets[i]))
            return clv_fail(error, CLEAVE_ERROR_DATA, "row %zu: the target is not finite", i);
        self->number[i] = rows->targets[i];
    }
    return OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

static Status add_column(ArraySource *self, const char *name, size_t length, cleave_error *error)
{
    Source *source = &self->source;
    uint32_t feature, before = source->names.count;

    TRY(clv_names_add(&source->names, name, length, &feature, error));
    if (source->names.count == before)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "cleave_rows: two columns have the name '%s'",
                        name);
    TRY(clv_schema_add(&source->schema, name, length, COLUMN_NUMBER, error));
    source->schema.column[source->schema.count - 1].feature = feature;
    return OK;
}

/* Names the columns by the given names, or by their numbers. */
static Status name_columns(ArraySource *self, const cleave_rows *rows, cleave_error *error)
{
    Source *source = &self->source;

    clv_names_free(&source->names);
    clv_names_init(&source->names, source->context, false);
    for (size_t i = 0; i < self->matrix.columns; i++) {
        char digits[NUMBER_SIZE];
        const char *name = rows->column_names ? rows->column_names[i] : digits;
        size_t length = rows->column_names ? strlen(name) : clv_format_unsigned(digits, i);

        digits[rows->column_names ? 0 : length] = '\0';
        TRY(add_column(self, name, length, error));
    }
    if (rows->column_names && (self->label || self->number)) {
        const char *name = rows->label_name ? rows->label_name : "label";

        TRY(clv_schema_add(&source->schema, name, strlen(name), COLUMN_LABEL, error));
    }
    return OK;
}

static Status add_mark(ArraySource *self, size_t column, cleave_error *error)
{
    Buffer name = {0};
    const char *title = self->source.schema.column[column].name;
    Status status = clv_buffer_add(self->source.context, &name, title, strlen(title), error);

    THEN(status, clv_buffer_add(self->source.context, &name, "=?", 2, error));
    THEN(status,
         clv_names_add(&self->source.names, name.data, name.size, &self->mark[column], error));
    clv_free(self->source.context, name.data);
    return status;
}

/* First pass over a dense matrix: finds the columns with missing values, in row order. */
static Status find_missing(ArraySource *self, const cleave_rows *rows, cleave_error *error)
{
    Context *context = self->source.context;
    size_t columns = self->matrix.columns;

    TRY(ALLOC(context, self->values, columns + 1, "a row", error));
    for (size_t row = 0; row < self->matrix.rows; row++) {
        bool any = false;

        TRY(clv_matrix_dense_row(&self->matrix, row, self->values, error));
        for (size_t i = 0; i < columns; i++)
            any |= isnan(self->values[i]);
        for (size_t i = 0; any && i < columns; i++) {
            if (!isnan(self->values[i]))
                continue;
            if (!self->mark) {
                TRY(ALLOC(context, self->mark, columns, "columns", error));
                memset(self->mark, 0xFF, columns * sizeof *self->mark);
                if (!rows->column_names)
                    TRY(name_columns(self, rows, error));
            }
            if (self->mark[i] == NO_COLUMN)
                TRY(add_mark(self, i, error));
        }
    }
    return OK;
}

static Status describe(ArraySource *self, const cleave_rows *rows, cleave_error *error)
{
    Source *source = &self->source;
    bool dense = matrix_is_dense(&self->matrix);

    if (rows->column_names && !dense)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "cleave_rows: only the columns of a dense matrix can have names");
    snprintf(source->schema.format, sizeof source->schema.format, "%s",
             !dense               ? SCHEMA_NUMBERED
             : rows->column_names ? "csv"
                                  : "npy");
    source->names.implicit = true;
    source->names.first = dense ? 0 : 1;
    source->rows_total = self->matrix.rows;
    if (rows->column_names) {
        source->schema.header = true;
        TRY(name_columns(self, rows, error));
    }
    if (dense)
        TRY(find_missing(self, rows, error));
    self->width = self->mark || rows->column_names ? source->names.count
                                                   : (uint32_t)self->matrix.columns;
    source->features = dense ? self->width : 0;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static Status add_row(ArraySource *self, size_t row, cleave_error *error)
{
    uint32_t label = self->label ? self->label[row] : UNLABELED;
    Builder *builder = &self->builder;

    if (matrix_is_dense(&self->matrix)) {
        float *values;

        TRY(clv_builder_dense_row(builder, self->width, label, &values, error));
        TRY(clv_matrix_dense_row(&self->matrix, row, values, error));
        for (size_t i = self->matrix.columns; i < self->width; i++)
            values[i] = 0;
        for (size_t i = 0; self->mark && i < self->matrix.columns; i++)
            if (isnan(values[i])) {
                values[i] = 0;
                values[self->mark[i]] = 1;
            }
    } else {
        TRY(clv_matrix_sparse_row(&self->matrix, row, &self->row, error));
        clv_builder_begin_row(builder);
        TRY(clv_builder_add_many(builder, self->row.column, self->row.value, self->row.count,
                                 error));
        TRY(clv_builder_end_row(builder, label, error));
    }
    if (self->number)
        TRY(clv_builder_set_number(builder, self->number[row], error));
    if (self->weights)
        TRY(clv_builder_set_weight(builder, self->weights[row], error));
    return self->groups ? clv_builder_set_qid(builder, self->groups[row], error) : OK;
}

/* Returns rows in the caller's memory as a block. */
static Block view_rows(const ArraySource *self, size_t first, size_t rows)
{
    Block block = {.rows = (uint32_t)rows,
                   .features = self->width,
                   .first_row = first,
                   .form = ROWS_DENSE,
                   .value_form = VALUES_EACH,
                   .value = (const float *)self->matrix.values + first * self->width};

    if (self->label) {
        block.target_form = TARGETS_LABELS;
        block.label_bytes = sizeof *self->label;
        block.target = self->label + first;
    } else if (self->number) {
        block.target_form = TARGETS_NUMBERS;
        block.target = self->number + first;
    }
    block.weight = self->weights ? self->weights + first : NULL;
    block.qid = self->groups ? self->groups + first : NULL;
    return block;
}

static size_t rows_at_once(const ArraySource *self, size_t first)
{
    size_t most = BYTES_AT_ONCE / sizeof(float) / (self->width + 1),
           left = self->matrix.rows - first;

    most = most > ROWS_AT_ONCE ? ROWS_AT_ONCE : most < 1 ? 1 : most;
    return left < most ? left : most;
}

/* Returns whether the builder would make the rows sparse, because enough values are 0
 * (clv_builder_finish). */
static bool is_sparse(const Block *block)
{
    size_t total = (size_t)block->rows * block->features, nonzeros = 0;

    for (size_t i = 0; i < total; i++)
        nonzeros += block->value[i] != 0;
    return nonzeros * 3 < total;
}

static Status next_rows(Source *source, const Block **block, cleave_error *error)
{
    ArraySource *self = (ArraySource *)source;
    bool dense = matrix_is_dense(&self->matrix);
    size_t rows = rows_at_once(self, self->next);

    *block = NULL;
    if (self->next == self->matrix.rows)
        return OK;
    self->block = (Block){0};
    if (!self->mark && clv_matrix_in_place(&self->matrix))
        self->block = view_rows(self, self->next, rows);
    if (!self->block.value || is_sparse(&self->block)) {
        clv_builder_clear(&self->builder);
        for (size_t i = 0; i < (dense ? rows : self->matrix.rows - self->next); i++) {
            TRY(add_row(self, self->next + i, error));
            if (!dense && clv_builder_bytes(&self->builder) >= BYTES_AT_ONCE / 4)
                break;
        }
        rows = self->builder.rows;
        TRY(clv_builder_finish(&self->builder, &self->block, error));
        self->block.first_row = self->next;
    }
    if (self->block.features > source->features)
        source->features = self->block.features;
    self->next += rows;
    source->rows += rows;
    *block = &self->block;
    return OK;
}

static Status rewind_rows(Source *source, cleave_error *error)
{
    (void)error;
    ((ArraySource *)source)->next = 0;
    return OK;
}

static void close_rows(Source *source)
{
    ArraySource *self = (ArraySource *)source;

    clv_builder_free(&self->builder);
    clv_matrix_row_free(&self->row);
    FREE(source->context, self->label, self->number, self->mark, self->values);
}

static const SourceOps array_ops = {.next = next_rows, .rewind = rewind_rows, .close = close_rows};

static Status fill(ArraySource *self, const cleave_matrix *matrix, const cleave_rows *rows,
                   cleave_error *error)
{
    TRY(clv_matrix_take(matrix, &self->matrix, error));
    self->weights = rows->weights;
    self->groups = rows->groups;
    TRY(take_labels(self, rows, error));
    for (size_t i = 0; self->weights && i < self->matrix.rows; i++)
        if (!(isfinite(self->weights[i]) && self->weights[i] >= 0))
            return clv_fail(error, CLEAVE_ERROR_DATA, "row %zu: expected a non-negative weight", i);
    return describe(self, rows, error);
}

Status clv_array_source(Context *context, const cleave_matrix *matrix, const cleave_rows *given,
                        Source **source, cleave_error *error)
{
    ArraySource *self;
    Status status;

    *source = NULL;
    TRY(ALLOC_ZERO(context, self, 1, "a source", error));
    clv_source_init(&self->source, context, &array_ops);
    clv_builder_init(&self->builder, context);
    self->row.context = context;
    status = fill(self, matrix, given, error);
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *source = &self->source;
    return OK;
}

/* ---- borrowed -------------------------------------------------------------------------------- */

static Status add_views(ArraySource *self, Dataset *dataset, cleave_error *error)
{
    for (size_t first = 0, rows; first < self->matrix.rows; first += rows) {
        Block block;

        rows = rows_at_once(self, first);
        block = view_rows(self, first, rows);
        TRY(clv_dataset_borrow(dataset, &block, error));
    }
    dataset->features = self->width;
    TRY(clv_labels_copy(&dataset->labels, &self->source.labels, error));
    TRY(clv_names_copy(&dataset->names, &self->source.names, error));
    return clv_schema_copy(&dataset->schema, &self->source.schema, error);
}

Status clv_array_borrow(Source *source, Dataset **dataset, cleave_error *error)
{
    ArraySource *self = (ArraySource *)source;
    Status status;

    *dataset = NULL;
    if (self->mark || !clv_matrix_in_place(&self->matrix))
        return OK;
    TRY(clv_dataset_new(source->context, dataset, error));
    status = add_views(self, *dataset, error);
    if (status != OK) {
        clv_dataset_free(*dataset);
        *dataset = NULL;
    }
    return status;
}
