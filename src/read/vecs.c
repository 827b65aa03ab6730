/*
 * fvecs, bvecs and ivecs, in which collections of vectors for search are handed on (Jégou, Douze and Schmid 2011): row after row, each
 * the number of its values as four bytes, little-endian, and then the values, float32, unsigned bytes or int32. There is no header: all
 * rows must be as long as the first. Columns are called by their number from 0. Labels come from the file named by --labels.
 */
#include "read/array.h"

enum { COUNT_SIZE = 4 }; /* bytes of the number before the values */

static const Array counts = {.type = ELEMENT_I4, .size = COUNT_SIZE};

typedef struct {
    Array array;
    size_t record;    /* bytes of a row, its number included */
    uint64_t settled; /* rows settled so far */
    bool has_labels;
    RowLabels labels;
} State;

/* What parsing leaves for settling: why and where in the chunk it ended. */
typedef struct {
    enum { ALL_WELL, OTHER_COUNT, BAD_VALUE } found;
    uint32_t column; /* of the bad value */
    size_t left_over;
} Scratch;

static int64_t count_of(const char *row)
{
    return (int64_t)clv_element_bits(&counts, row);
}

static void finish(Reader *reader)
{
    State *state = reader->state;

    if (!state)
        return;
    if (state->has_labels)
        clv_row_labels_free(&state->labels);
    clv_free(reader->source.context, state);
    reader->state = NULL;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static Array elements_of(const Format *format)
{
    switch (format->name[0]) {
    case 'f':
        return (Array){.type = ELEMENT_F4, .size = 4};
    case 'b':
        return (Array){.type = ELEMENT_U1, .size = 1};
    default:
        return (Array){.type = ELEMENT_I4, .size = 4};
    }
}

static Status fail_count(const Reader *reader, uint64_t row, uint64_t byte, uint64_t expected, const char *whose,
                         int64_t found, cleave_error *error)
{
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: row %llu (byte %llu): expected %llu values%s, found %lld", reader->path,
             (unsigned long long)row, (unsigned long long)byte, (unsigned long long)expected, whose, (long long)found);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "a row is the number of its values, then the values; is this really %s, and whole?",
                    reader->format->name);
}

/* The first row says how long all of them are; a model or the file before may know better. */
static Status find_width(const Reader *reader, const char *head, size_t size, Array *array, cleave_error *error)
{
    uint32_t features = reader->source.features;
    int64_t found;

    if (size < COUNT_SIZE)
        return clv_fail_cut(reader->path, size, "the first row", error);
    found = count_of(head);
    if (found < 1 || found > MOST_FEATURES) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: row 1 (byte 0): expected 1 to %u values, found %lld", reader->path,
                 MOST_FEATURES, (long long)found);
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "a row is the number of its values as four bytes, little-endian, then the values");
    }
    if (features && found != features && reader->source.names.implicit && (reader->guide_schema || reader->file > 0))
        return fail_count(reader, 1, 0, features, reader->guide_schema ? " as in the model" : " as in the file before",
                          found, error);
    array->width = (uint64_t)found;
    return clv_array_check(reader, array, error);
}

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip, cleave_error *error)
{
    Array array = elements_of(reader->format);
    State *state;

    (void)whole;
    finish(reader);
    TRY(find_width(reader, head, size, &array, error));
    state = clv_alloc_zero(reader->source.context, 1, sizeof *state);
    if (!state)
        return clv_fail_memory(error, "rows of vectors", sizeof *state);
    reader->state = state;
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

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static size_t cut(const Reader *reader, const char *text, size_t size)
{
    const State *state = reader->state;

    (void)text;
    return size - size % state->record;
}

static Status parse_row(const State *state, Chunk *chunk, const char *row)
{
    Scratch *scratch = chunk->scratch;
    uint32_t width = (uint32_t)state->array.width;
    float *values;

    if (count_of(row) != (int64_t)width) {
        scratch->found = OTHER_COUNT;
        return OK;
    }
    TRY(clv_builder_dense_row(&chunk->builder, width, UNLABELED, &values, &chunk->error));
    if (!clv_array_floats(&state->array, row + COUNT_SIZE, width, values)) {
        scratch->found = BAD_VALUE;
        scratch->column = clv_array_find_bad(&state->array, row + COUNT_SIZE);
    }
    return OK;
}

static void parse(const Reader *reader, Chunk *chunk)
{
    const State *state = reader->state;
    Scratch *scratch = chunk->scratch;
    size_t rows = chunk->size / state->record;

    *scratch = (Scratch){.left_over = chunk->size % state->record};
    for (size_t i = 0; i < rows && scratch->found == ALL_WELL && chunk->status == OK; i++)
        chunk->status = parse_row(state, chunk, chunk->text + i * state->record);
    chunk->lines = chunk->builder.rows; /* a row takes the place of a line */
}

static Status fail_value(const Reader *reader, const State *state, const Chunk *chunk, uint32_t row,
                         cleave_error *error)
{
    const Scratch *scratch = chunk->scratch;
    size_t offset = row * state->record + COUNT_SIZE + scratch->column * state->array.size;
    char number[NUMBER_SIZE];

    clv_format_double(number, clv_element_real(&state->array, chunk->text + offset));
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: row %llu, column %u (byte %llu): expected a finite number, found %s",
             reader->path, (unsigned long long)(state->settled + row + 1), scratch->column,
             (unsigned long long)(state->settled * state->record + offset), number);
    return clv_hint(error, CLEAVE_ERROR_DATA,
                    "rows are counted from 1, columns from 0; replace such values or leave those rows out");
}

/* The end of a file that is not the end of a row: the row began with another number, or was cut. */
static Status fail_left_over(const Reader *reader, const State *state, const Chunk *chunk, cleave_error *error)
{
    const Scratch *scratch = chunk->scratch;
    const char *row = chunk->text + chunk->builder.rows * state->record;
    uint64_t number = state->settled + chunk->builder.rows + 1, byte = (number - 1) * state->record;

    if (scratch->left_over >= COUNT_SIZE && count_of(row) != (int64_t)state->array.width)
        return fail_count(reader, number, byte, state->array.width, " as in the rows before", count_of(row), error);
    clv_fail(error, CLEAVE_ERROR_DATA, "%s: byte %llu: the file ends inside row %llu, which begins at byte %llu",
             reader->path, (unsigned long long)(byte + scratch->left_over), (unsigned long long)number,
             (unsigned long long)byte);
    return clv_hint(error, CLEAVE_ERROR_DATA, "it was cut short: copy or download it again");
}

static Status check_rows(const Reader *reader, const State *state, const Chunk *chunk, cleave_error *error)
{
    const Scratch *scratch = chunk->scratch;
    uint32_t rows = chunk->builder.rows;

    if (scratch->found == OTHER_COUNT)
        return fail_count(reader, state->settled + rows + 1, (state->settled + rows) * state->record,
                          state->array.width, " as in the rows before", count_of(chunk->text + rows * state->record),
                          error);
    if (scratch->found == BAD_VALUE)
        return fail_value(reader, state, chunk, rows - 1, error);
    return scratch->left_over ? fail_left_over(reader, state, chunk, error) : OK;
}

/* There must be as many labels as rows, which are known when the last has been read. */
static Status check_labels(const Reader *reader, const State *state, const Chunk *chunk, cleave_error *error)
{
    uint64_t rows = state->settled + chunk->builder.rows;

    if (!state->has_labels || (chunk->last_of_file ? rows == state->labels.count : rows <= state->labels.count))
        return OK;
    clv_fail(error, CLEAVE_ERROR_DATA, "%s has %llu rows%s, and %s has %llu labels", reader->path,
             (unsigned long long)rows, chunk->last_of_file ? "" : " and more", reader->options.labels,
             (unsigned long long)state->labels.count);
    return clv_hint(error, CLEAVE_ERROR_DATA, "every row needs its label; '?' stands for none");
}

static Status settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    State *state = reader->state;

    if (chunk->size == 0)
        *(Scratch *)chunk->scratch = (Scratch){.left_over = 0}; /* nothing was parsed: this is of another chunk */
    TRY(check_rows(reader, state, chunk, error));
    TRY(check_labels(reader, state, chunk, error));
    if (state->has_labels)
        TRY(clv_array_label_rows(&state->labels, state->settled, chunk, error));
    state->settled += chunk->builder.rows;
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

#define VECS(letter, of)                                                                                               \
    static const char *const letter##_suffixes[] = {"." #letter "vecs", NULL};                                         \
    const Format clv_format_##letter##vecs = {                                                                         \
        .name = #letter "vecs",                                                                                        \
        .brief = "vectors of " of ", each with its length; labels from --labels",                                      \
        .suffixes = letter##_suffixes,                                                                                 \
        .start = start,                                                                                                \
        .cut = cut,                                                                                                    \
        .parse = parse,                                                                                                \
        .settle = settle,                                                                                              \
        .finish = finish,                                                                                              \
        .scratch_size = sizeof(Scratch),                                                                               \
    }

VECS(f, "float32");
VECS(b, "bytes");
VECS(i, "int32");
