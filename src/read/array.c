/*
 * Rows of fixed size, as in .npy and IDX files, and their elements as numbers.
 *
 * NaN is a missing value, stored like a missing cell of a table: 0, with the feature `column=?`
 * set. From the first NaN on the data is a table whose columns are named by their numbers. Without
 * NaN it has numbered features and no columns.
 */
#include "read/array.h"

#include "base/number.h"

#include <math.h>

/* ---- elements -------------------------------------------------------------------------------- */

static inline uint16_t bits16(const char *bytes, bool big)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return (uint16_t)(big ? b[0] << 8 | b[1] : b[1] << 8 | b[0]);
}

static inline uint32_t bits32(const char *bytes, bool big)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
               : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static inline uint64_t bits64(const char *bytes, bool big)
{
    uint64_t first = bits32(bytes, big), second = bits32(bytes + 4, big);

    return big ? first << 32 | second : second << 32 | first;
}

static inline float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 binary16: five exponent bits, ten fraction bits. */
static float half_of(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
             fraction = bits & 1023;

    if (exponent == 0)
        return (sign ? -0x1p-24f : 0x1p-24f) * (float)fraction;
    return float_of(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
}

bool clv_element_is_text(ElementType type)
{
    return type == ELEMENT_BYTES || type == ELEMENT_UNICODE;
}

bool clv_element_is_real(ElementType type)
{
    return type == ELEMENT_F2 || type == ELEMENT_BF2 || type == ELEMENT_F4 || type == ELEMENT_F8;
}

uint64_t clv_element_bits(const Array *array, const char *bytes)
{
    switch (array->type) {
    case ELEMENT_I1:
        return (uint64_t)(int64_t)(int8_t)*bytes;
    case ELEMENT_I2:
        return (uint64_t)(int64_t)(int16_t)bits16(bytes, array->big_endian);
    case ELEMENT_I4:
        return (uint64_t)(int64_t)(int32_t)bits32(bytes, array->big_endian);
    case ELEMENT_U2:
    case ELEMENT_F2:
    case ELEMENT_BF2:
        return bits16(bytes, array->big_endian);
    case ELEMENT_U4:
    case ELEMENT_F4:
        return bits32(bytes, array->big_endian);
    case ELEMENT_I8:
    case ELEMENT_U8:
    case ELEMENT_F8:
        return bits64(bytes, array->big_endian);
    case ELEMENT_BOOL:
        return *bytes != 0;
    default:
        return (unsigned char)*bytes;
    }
}

double clv_element_real(const Array *array, const char *bytes)
{
    uint64_t bits = clv_element_bits(array, bytes);

    switch (array->type) {
    case ELEMENT_F2:
        return (double)half_of((uint16_t)bits);
    case ELEMENT_BF2:
        return (double)float_of((uint32_t)bits << 16);
    case ELEMENT_F4:
        return (double)float_of((uint32_t)bits);
    case ELEMENT_F8:
        return double_of(bits);
    case ELEMENT_U8:
        return (double)bits;
    default:
        return (double)(int64_t)bits;
    }
}

#define EACH_ELEMENT(width, expression)                                                            \
    for (size_t i = 0; i < count; i++, bytes += (width))                                           \
        values[i] = (float)(expression);                                                           \
    break

bool clv_array_floats(const Array *array, const char *bytes, size_t count, float *values)
{
    bool big = array->big_endian;

    switch (array->type) {
    case ELEMENT_I1:
        EACH_ELEMENT(1, (int8_t)*bytes);
    case ELEMENT_U1:
        EACH_ELEMENT(1, (unsigned char)*bytes);
    case ELEMENT_I2:
        EACH_ELEMENT(2, (int16_t)bits16(bytes, big));
    case ELEMENT_U2:
        EACH_ELEMENT(2, bits16(bytes, big));
    case ELEMENT_I4:
        EACH_ELEMENT(4, (int32_t)bits32(bytes, big));
    case ELEMENT_U4:
        EACH_ELEMENT(4, bits32(bytes, big));
    case ELEMENT_I8:
        EACH_ELEMENT(8, (int64_t)bits64(bytes, big));
    case ELEMENT_U8:
        EACH_ELEMENT(8, bits64(bytes, big));
    case ELEMENT_BOOL:
        EACH_ELEMENT(1, *bytes != 0);
    case ELEMENT_F2:
        EACH_ELEMENT(2, half_of(bits16(bytes, big)));
    case ELEMENT_BF2:
        EACH_ELEMENT(2, float_of((uint32_t)bits16(bytes, big) << 16));
    case ELEMENT_F4:
        EACH_ELEMENT(4, float_of(bits32(bytes, big)));
    case ELEMENT_F8:
        EACH_ELEMENT(8, double_of(bits64(bytes, big)));
    default:
        return false; /* text, which start() refuses */
    }
    return !clv_element_is_real(array->type) || all_finite(values, count);
}

/* ---- starting -------------------------------------------------------------------------------- */

Status clv_fail_cut(const char *path, uint64_t byte, const char *what, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "the file is incomplete: copy or download it again",
        "%s: byte %llu: the file ends inside %s", path, (unsigned long long)byte, what);
}

static Status fail_cut_rows(const char *path, const ArrayState *state, uint64_t byte,
                            cleave_error *error)
{
    uint64_t rows = (byte - state->array.header) / state->record;

    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "the file is incomplete: copy or download it again",
        "%s: byte %llu: the file ends after %llu of the %llu rows declared in its header", path,
        (unsigned long long)byte, (unsigned long long)rows, (unsigned long long)state->array.rows);
}

static uint64_t promised_bytes(const ArrayState *state)
{
    return state->array.header + state->array.rows * state->record;
}

static Status fail_trailing(const char *path, const ArrayState *state, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "the header declares fewer rows than the file contains: write the file again",
        "%s: byte %llu: expected the end of the file after %llu rows, found more bytes", path,
        (unsigned long long)promised_bytes(state), (unsigned long long)state->array.rows);
}

/* Returns whether the guide accepts missing values: it was trained on arrays with missing
 * values. */
static bool accepts_missing(const Reader *reader)
{
    return reader->guide_schema && clv_schema_is_array(reader->guide_schema) &&
           clv_schema_is_table(reader->guide_schema) && !reader->source.names.implicit;
}

/* Returns the required number of columns; 0: any number. */
static uint32_t expected_columns(const Reader *reader)
{
    const Schema *schema = reader->guide_schema ? reader->guide_schema : &reader->source.schema;

    if (!reader->guide_schema && reader->file == 0)
        return 0;
    return clv_schema_is_table(schema) ? schema->count : reader->source.features;
}

Status clv_array_check(const Reader *reader, const Array *array, cleave_error *error)
{
    uint32_t features = expected_columns(reader);
    uint64_t bytes;

    if (clv_element_is_text(array->type)) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected numbers, found an array of text",
                 reader->path);
        return clv_hint(error, CLEAVE_ERROR_DATA, "use an array of text as labels: --labels %s",
                        reader->path);
    }
    if (array->width * array->size == 0 || array->width > MOST_FEATURES)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected 1 to %u columns, found %llu",
                        reader->path, MOST_FEATURES, (unsigned long long)array->width);
    if (__builtin_mul_overflow(array->width * array->size, array->rows, &bytes) ||
        bytes > INT64_MAX)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "%s: the header declares %llu rows, more than a file can hold",
                        reader->path, (unsigned long long)array->rows);
    if (reader->guide_schema && !reader->source.names.implicit && !accepts_missing(reader)) {
        clv_fail(error, CLEAVE_ERROR_DATA,
                 "%s: the columns have no names, but the features of the model have names",
                 reader->path);
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "pass data of the same kind as the training data (%s)",
                        reader->guide_schema->format);
    }
    if (features && array->width != features)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected %u columns as in %s, found %llu",
                        reader->path, features,
                        reader->guide_schema ? "the model" : "the previous file",
                        (unsigned long long)array->width);
    return OK;
}

Status clv_array_labels(const Reader *reader, RowLabels *labels, const char *path,
                        cleave_error *error)
{
    if (reader->file > 0 && path == reader->options.labels)
        return clv_fail_hint(
            error, CLEAVE_ERROR_USAGE,
            "convert each file with its own --labels first, then combine the results",
            "%s: one file of labels cannot serve several files of rows", path);
    return clv_row_labels_load(reader->source.context, path, labels, error);
}

/* Reads the file of labels, or the labels of the archive if path is NULL. */
static Status load_labels(Reader *reader, ArrayState *state, const char *path, cleave_error *error)
{
    if (path) {
        TRY(clv_array_labels(reader, &state->labels, path, error));
    } else {
        state->labels = *reader->archive_labels;
        clv_free(reader->source.context, reader->archive_labels);
        reader->archive_labels = NULL;
        path = "its array of labels";
    }
    state->has_labels = true;
    if (state->labels.count == state->array.rows)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA, "provide one label per row; write '?' for a row without a label",
        "%s has %llu rows, but %s has %llu labels", reader->path,
        (unsigned long long)state->array.rows, path, (unsigned long long)state->labels.count);
}

void clv_array_describe(Reader *reader, const Array *array)
{
    Source *source = &reader->source;

    if (reader->guide_schema || source->schema.count)
        return;
    source->names.implicit = true;
    source->names.first = 0; /* columns are named by their numbers, counted as in NumPy */
    source->features = (uint32_t)array->width;
    memcpy(source->schema.format, reader->format->name, strlen(reader->format->name) + 1);
}

/* ---- missing values -------------------------------------------------------------------------- */

/* Names the columns, so that indicators of missing values can be added. */
static Status become_table(Reader *reader, uint32_t width, cleave_error *error)
{
    Source *source = &reader->source;

    if (reader->guide_schema || source->schema.count)
        return OK;
    clv_names_free(&source->names);
    clv_names_init(&source->names, source->context, false);
    for (uint32_t i = 0; i < width; i++) {
        char name[NUMBER_SIZE];
        size_t length = clv_format_unsigned(name, i);
        uint32_t feature;

        TRY(clv_names_add(&source->names, name, length, &feature, error));
        TRY(clv_schema_add(&source->schema, name, length, COLUMN_NUMBER, error));
        source->schema.column[i].feature = feature;
    }
    return OK;
}

/* Returns whether --missing allows missing values although no row may lack one. */
static bool expects_missing(const Reader *reader)
{
    const char *initial = clv_param_find(clv_read_params, "missing")->text;

    return reader->options.missing && strcmp(reader->options.missing, initial) != 0;
}

static Status fail_missing(const Reader *reader, uint64_t row, uint32_t column, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "impute it, or train with --missing NaN, so that the model accepts missing values",
        "%s: row %llu, column %u: the value is missing (NaN), but no training row of the model has "
        "a missing value",
        reader->path, (unsigned long long)row, column);
}

/* Returns the feature that indicates a missing value of the column. */
static Status find_mark(Reader *reader, ArrayState *state, uint64_t row, uint32_t column,
                        cleave_error *error)
{
    char name[NUMBER_SIZE + 2];
    size_t length = clv_format_unsigned(name, column);

    if (state->mark[column] != NO_COLUMN)
        return OK;
    memcpy(name + length, "=?", 2);
    if (reader->guide_schema)
        state->mark[column] = clv_names_find(&reader->source.names, name, length + 2);
    else
        TRY(clv_names_add(&reader->source.names, name, length + 2, &state->mark[column], error));
    return state->mark[column] == NO_COLUMN ? fail_missing(reader, row, column, error) : OK;
}

static Status find_marks(Reader *reader, ArrayState *state, const Block *block, cleave_error *error)
{
    uint32_t width = (uint32_t)state->array.width;

    if (!state->mark) {
        TRY(ALLOC(reader->source.context, state->mark, width, "columns", error));
        memset(state->mark, 0xFF, width * sizeof *state->mark);
    }
    for (uint32_t row = 0; row < block->rows; row++)
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            uint64_t number = state->settled - block->rows + row + 1;

            if (isnan(walk.value) && reader->guide_schema && !accepts_missing(reader))
                return fail_missing(reader, number, walk.column, error);
            if (isnan(walk.value))
                TRY(find_mark(reader, state, number, walk.column, error));
        }
    return OK;
}

/* Rewrites the rows of a chunk with 0 for NaN, and 1 for its indicator. */
static Status mark_missing(Reader *reader, ArrayState *state, Chunk *chunk, cleave_error *error)
{
    Block block = chunk->block;
    uint32_t width;

    TRY(become_table(reader, (uint32_t)state->array.width, error));
    TRY(find_marks(reader, state, &block, error));
    width = reader->guide_schema ? reader->source.features : reader->source.names.count;
    clv_builder_clear(&state->builder);
    for (uint32_t row = 0; row < block.rows; row++) {
        float *values;

        TRY(clv_builder_dense_row(&state->builder, width, block_label(&block, row), &values,
                                  error));
        memset(values, 0, width * sizeof *values);
        for (RowWalk walk = clv_walk(&block, row); clv_walk_next(&walk);)
            if (isnan(walk.value))
                values[state->mark[walk.column]] = 1;
            else
                values[walk.column] = walk.value;
        TRY(clv_builder_copy_extras(&state->builder, &block, row, error));
    }
    return clv_builder_finish(&state->builder, &chunk->block, error);
}

/* ---- the state ------------------------------------------------------------------------------- */

Status clv_array_start(Reader *reader, const Array *array, const char *labels_path, size_t size,
                       bool whole, size_t *skip, cleave_error *error)
{
    ArrayState *state;

    clv_array_finish(reader);
    TRY(clv_array_check(reader, array, error));
    TRY(ALLOC_ZERO(reader->source.context, state, 1, "an array", error));
    reader->state = state;
    clv_builder_init(&state->builder, reader->source.context);
    state->array = *array;
    state->record = (size_t)array->width * array->size;
    if (whole && size < promised_bytes(state))
        return fail_cut_rows(reader->path, state, size, error);
    if (whole && size > promised_bytes(state))
        return fail_trailing(reader->path, state, error);
    if (labels_path || reader->archive_labels)
        TRY(load_labels(reader, state, labels_path, error));
    clv_array_describe(reader, array);
    *skip = array->header;
    return expects_missing(reader) ? become_table(reader, (uint32_t)array->width, error) : OK;
}

void clv_array_finish(Reader *reader)
{
    ArrayState *state = reader->state;

    if (!state)
        return;
    if (state->has_labels)
        clv_row_labels_free(&state->labels);
    clv_builder_free(&state->builder);
    FREE(reader->source.context, state->mark, state);
    reader->state = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

size_t clv_array_cut(const Reader *reader, const char *text, size_t size)
{
    const ArrayState *state = reader->state;

    (void)text;
    return size - size % state->record;
}

/* Examines a row with values that are not finite. NaN is missing; infinity is an error. */
static void check_values(const float *values, size_t width, uint32_t row, ArrayScratch *scratch)
{
    for (size_t i = 0; i < width && !scratch->bad; i++) {
        scratch->missing = scratch->missing || isnan(values[i]);
        if (!isinf(values[i]))
            continue;
        scratch->bad = true;
        scratch->bad_row = row;
        scratch->bad_column = (uint32_t)i;
    }
}

static Status parse_row(const ArrayState *state, Chunk *chunk, const char *row)
{
    ArrayScratch *scratch = chunk->scratch;
    size_t width = (size_t)state->array.width;
    float *values;

    TRY(clv_builder_dense_row(&chunk->builder, (uint32_t)width, UNLABELED, &values, &chunk->error));
    if (!clv_array_floats(&state->array, row, width, values))
        check_values(values, width, chunk->builder.rows - 1, scratch);
    return OK;
}

void clv_array_parse(const Reader *reader, Chunk *chunk)
{
    const ArrayState *state = reader->state;
    ArrayScratch *scratch = chunk->scratch;
    size_t rows = chunk->size / state->record;

    *scratch = (ArrayScratch){.left_over = chunk->size % state->record};
    for (size_t i = 0; i < rows && !scratch->bad && chunk->status == OK; i++)
        chunk->status = parse_row(state, chunk, chunk->text + i * state->record);
    chunk->lines = chunk->builder.rows; /* a row counts as a line */
}

Status clv_array_fail_value(const Reader *reader, const ArrayState *state, const Chunk *chunk,
                            cleave_error *error)
{
    const ArrayScratch *scratch = chunk->scratch;
    size_t offset = scratch->bad_row * state->record + state->array.prefix +
                    scratch->bad_column * state->array.size;
    double value = clv_element_real(&state->array, chunk->text + offset);
    uint64_t row = state->settled + scratch->bad_row + 1;
    uint64_t byte = state->array.header + state->settled * state->record + offset;
    char number[NUMBER_SIZE];

    clv_format_double(number, value);
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "replace the value or remove the row; rows are counted from 1, columns from 0",
        "%s: row %llu, column %u (byte %llu): expected a finite number, found %s%s", reader->path,
        (unsigned long long)row, scratch->bad_column, (unsigned long long)byte, number,
        isfinite(value) ? ", which is too large for 32 bits" : "");
}

/* Checks that the chunk's rows are valid and within the number declared in the header, and that the
 * last row of a file is complete. */
static Status check_rows(const Reader *reader, const ArrayState *state, const Chunk *chunk,
                         cleave_error *error)
{
    const ArrayScratch *scratch = chunk->scratch;
    uint64_t settled = state->settled + chunk->builder.rows;
    uint64_t byte = state->array.header + settled * state->record + scratch->left_over;

    if (settled > state->array.rows)
        return fail_trailing(reader->path, state, error);
    if (scratch->bad)
        return clv_array_fail_value(reader, state, chunk, error);
    if (byte > promised_bytes(state))
        return fail_trailing(reader->path, state, error);
    if (scratch->left_over || (chunk->last_of_file && settled < state->array.rows))
        return fail_cut_rows(reader->path, state, byte, error);
    return OK;
}

Status clv_array_label_rows(const RowLabels *labels, uint64_t before, Chunk *chunk,
                            cleave_error *error)
{
    const uint32_t *label = labels->label + before;

    for (uint32_t row = 0; row < chunk->builder.rows; row++) {
        const char *text = label[row] == UNLABELED ? "" : labels->labels.list[label[row]].text;
        Status status = clv_chunk_label(chunk, text, strlen(text), row + 1,
                                        &chunk->builder.label[row]);

        if (status != OK) {
            if (error)
                *error = chunk->error;
            return status;
        }
    }
    return OK;
}

Status clv_array_settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    ArrayState *state = reader->state;

    if (chunk->size == 0)
        *(ArrayScratch *)chunk->scratch = (ArrayScratch){
            .bad = false}; /* no data was parsed, and the scratch space belongs to another chunk */
    TRY(check_rows(reader, state, chunk, error));
    if (state->has_labels)
        TRY(clv_array_label_rows(&state->labels, state->settled, chunk, error));
    state->settled += chunk->builder.rows;
    TRY(clv_settle_labels(reader, chunk, error));
    TRY(clv_builder_finish(&chunk->builder, &chunk->block, error));
    return ((const ArrayScratch *)chunk->scratch)->missing
               ? mark_missing(reader, state, chunk, error)
               : OK;
}
