/*
 * fvecs, bvecs and ivecs, formats of vector collections for search (Jégou, Douze and Schmid 2011):
 * each row is the number of its values as four bytes, little-endian, followed by the values,
 * float32, unsigned bytes or int32. Without a header, all rows must be as long as the first.
 * Columns are named by their number from 0. Labels come from the file named by --labels.
 */
#include "read/array.h"

enum { COUNT_SIZE = 4 }; /* bytes of the count before the values */

static const Array counts = {.type = ELEMENT_I4, .size = COUNT_SIZE};

static int64_t count_of(const char *row)
{
    return (int64_t)clv_element_bits(&counts, row);
}

/* ---- starting -------------------------------------------------------------------------------- */

static Array elements_of(const Format *format)
{
    switch (format->name[0]) {
    case 'f':
        return (Array){.type = ELEMENT_F4, .size = 4, .prefix = COUNT_SIZE};
    case 'b':
        return (Array){.type = ELEMENT_U1, .size = 1, .prefix = COUNT_SIZE};
    default:
        return (Array){.type = ELEMENT_I4, .size = 4, .prefix = COUNT_SIZE};
    }
}

static Status fail_count(const Reader *reader, uint64_t row, uint64_t byte, uint64_t expected,
                         const char *whose, int64_t found, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_DATA,
             "%s: row %llu (byte %llu): expected %llu values%s, found %lld", reader->path,
             (unsigned long long)row, (unsigned long long)byte, (unsigned long long)expected, whose,
             (long long)found);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "a row is the number of its values followed by the values; check that this is "
                    "a complete %s file",
                    reader->format->name);
}

/* Finds the length of all rows: that of the model or of the previous file, otherwise that of the
 * first row. */
static Status find_width(const Reader *reader, const char *head, size_t size, Array *array,
                         cleave_error *error)
{
    uint32_t features = reader->source.features;
    int64_t found;

    if (size < COUNT_SIZE)
        return clv_fail_cut(reader->path, size, "the first row", error);
    found = count_of(head);
    if (found < 1 || found > MOST_FEATURES)
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA,
            "a row is the number of its values (four bytes, little-endian) followed by the values",
            "%s: row 1 (byte 0): expected 1 to %u values, found %lld", reader->path, MOST_FEATURES,
            (long long)found);
    if (features && found != features && reader->source.names.implicit &&
        (reader->guide_schema || reader->file > 0))
        return fail_count(reader, 1, 0, features,
                          reader->guide_schema ? " as in the model" : " as in the previous file",
                          found, error);
    array->width = (uint64_t)found;
    return clv_array_check(reader, array, error);
}

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error)
{
    Array array = elements_of(reader->format);
    ArrayState *state;

    (void)whole;
    clv_array_finish(reader);
    TRY(find_width(reader, head, size, &array, error));
    TRY(ALLOC_ZERO(reader->source.context, state, 1, "rows of vectors", error));
    reader->state = state;
    clv_builder_init(&state->builder, reader->source.context);
    state->array = array;
    state->record = COUNT_SIZE + (size_t)array.width * array.size;
    if (reader->options.labels) {
        TRY(clv_array_labels(reader, &state->labels, reader->options.labels, error));
        state->has_labels = true;
    }
    clv_array_describe(reader, &array);
    *skip = 0;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns the first element of a row that is not finite as float32. */
static uint32_t find_bad(const Array *array, const char *row)
{
    for (uint32_t column = 0; column < array->width; column++) {
        float value;

        if (!clv_array_floats(array, row + column * array->size, 1, &value))
            return column;
    }
    return 0;
}

static Status parse_row(const ArrayState *state, Chunk *chunk, const char *row)
{
    ArrayScratch *scratch = chunk->scratch;
    uint32_t width = (uint32_t)state->array.width;
    float *values;

    if (count_of(row) != (int64_t)width) {
        scratch->other_count = true;
        return OK;
    }
    TRY(clv_builder_dense_row(&chunk->builder, width, UNLABELED, &values, &chunk->error));
    if (!clv_array_floats(&state->array, row + COUNT_SIZE, width, values)) {
        scratch->bad = true;
        scratch->bad_row = chunk->builder.rows - 1;
        scratch->bad_column = find_bad(&state->array, row + COUNT_SIZE);
    }
    return OK;
}

static void parse(const Reader *reader, Chunk *chunk)
{
    const ArrayState *state = reader->state;
    ArrayScratch *scratch = chunk->scratch;
    size_t rows = chunk->size / state->record;

    *scratch = (ArrayScratch){.left_over = chunk->size % state->record};
    for (size_t i = 0; i < rows && !scratch->bad && !scratch->other_count && chunk->status == OK;
         i++)
        chunk->status = parse_row(state, chunk, chunk->text + i * state->record);
    chunk->lines = chunk->builder.rows; /* a row counts as a line */
}

/* Fails if the file ends inside a row: the row has another length, or the file is incomplete. */
static Status fail_left_over(const Reader *reader, const ArrayState *state, const Chunk *chunk,
                             cleave_error *error)
{
    const ArrayScratch *scratch = chunk->scratch;
    const char *row = chunk->text + chunk->builder.rows * state->record;
    uint64_t number = state->settled + chunk->builder.rows + 1, byte = (number - 1) * state->record;

    if (scratch->left_over >= COUNT_SIZE && count_of(row) != (int64_t)state->array.width)
        return fail_count(reader, number, byte, state->array.width, " as in the previous rows",
                          count_of(row), error);
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "the file is incomplete: copy or download it again",
                         "%s: byte %llu: the file ends inside row %llu, which starts at byte %llu",
                         reader->path, (unsigned long long)(byte + scratch->left_over),
                         (unsigned long long)number, (unsigned long long)byte);
}

static Status check_rows(const Reader *reader, const ArrayState *state, const Chunk *chunk,
                         cleave_error *error)
{
    const ArrayScratch *scratch = chunk->scratch;
    uint32_t rows = chunk->builder.rows;

    if (scratch->other_count)
        return fail_count(reader, state->settled + rows + 1,
                          (state->settled + rows) * state->record, state->array.width,
                          " as in the previous rows", count_of(chunk->text + rows * state->record),
                          error);
    if (scratch->bad)
        return clv_array_fail_value(reader, state, chunk, error);
    return scratch->left_over ? fail_left_over(reader, state, chunk, error) : OK;
}

/* Checks after the last row that the numbers of labels and rows are equal. */
static Status check_labels(const Reader *reader, const ArrayState *state, const Chunk *chunk,
                           cleave_error *error)
{
    uint64_t rows = state->settled + chunk->builder.rows;

    if (!state->has_labels ||
        (chunk->last_of_file ? rows == state->labels.count : rows <= state->labels.count))
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "provide one label per row; write '?' for a row without a label",
                         "%s has %llu rows%s, but %s has %llu labels", reader->path,
                         (unsigned long long)rows, chunk->last_of_file ? "" : " and more",
                         reader->options.labels, (unsigned long long)state->labels.count);
}

static Status settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    ArrayState *state = reader->state;

    if (chunk->size == 0)
        *(ArrayScratch *)chunk->scratch = (ArrayScratch){
            .left_over = 0}; /* no data was parsed: the scratch belongs to another chunk */
    TRY(check_rows(reader, state, chunk, error));
    TRY(check_labels(reader, state, chunk, error));
    if (state->has_labels)
        TRY(clv_array_label_rows(&state->labels, state->settled, chunk, error));
    state->settled += chunk->builder.rows;
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

#define VECS(letter, of)                                                                           \
    static const char *const letter##_suffixes[] = {"." #letter "vecs", NULL};                     \
    const Format clv_format_##letter##vecs = {                                                     \
        .name = #letter "vecs",                                                                    \
        .brief = "vectors of " of ", each with its length; labels from --labels",                  \
        .suffixes = letter##_suffixes,                                                             \
        .start = start,                                                                            \
        .cut = clv_array_cut,                                                                      \
        .parse = parse,                                                                            \
        .settle = settle,                                                                          \
        .finish = clv_array_finish,                                                                \
        .scratch_size = sizeof(ArrayScratch),                                                      \
    }

VECS(f, "float32");
VECS(b, "bytes");
VECS(i, "int32");
