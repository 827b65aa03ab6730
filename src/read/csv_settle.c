/* Settles the rows of a table: maps the values of a chunk to the features of the data. */
#include "read/csv_rows.h"

static Status name_value(Reader *reader, CsvScratch *scratch, CsvValue *value, cleave_error *error)
{
    Context *context = reader->source.context;
    CsvState *state = reader->state;
    Names *names = &reader->source.names;
    const char *column = state->layout.column[value->column].name;
    Buffer *name = &scratch->name;

    name->size = 0;
    TRY(clv_buffer_add(context, name, column, strlen(column), error));
    /* the values of such a column are `.part=?` */
    if (state->layout.column[value->column].kind != COLUMN_DATE)
        TRY(clv_buffer_add(context, name, "=", 1, error));
    TRY(clv_buffer_add(context, name, value->text, value->length, error));
    if (!names->frozen)
        return clv_names_add(names, name->data, name->size, &value->feature, error);
    value->feature = clv_names_find(names, name->data, name->size);
    if (value->feature != NO_COLUMN || state->layout.column[value->column].kind != COLUMN_CATEGORY)
        return OK;
    value->unseen = value->length != 1 || value->text[0] != '?';
    name->size = strlen(column) + 1;
    TRY(clv_buffer_add(context, name, VALUE_OTHER, strlen(VALUE_OTHER), error));
    value->feature = clv_names_find(names, name->data, name->size);
    return OK;
}

/* Inserts a feature into the sorted features of a row, unless it is present. */
static size_t insert_feature(CsvScratch *scratch, size_t count, uint32_t feature, float value)
{
    size_t at = count;

    while (at > 0 && scratch->feature[at - 1] > feature)
        at--;
    if (at > 0 && scratch->feature[at - 1] == feature)
        return count;
    for (size_t i = count; i > at; i--) {
        scratch->feature[i] = scratch->feature[i - 1];
        scratch->feature_value[i] = scratch->feature_value[i - 1];
    }
    scratch->feature[at] = feature;
    scratch->feature_value[at] = value;
    return count + 1;
}

/* Maps the values of a row from those of the chunk. */
static size_t settle_values(CsvScratch *scratch, size_t value, size_t stop, size_t count)
{
    for (; value < stop; value++) {
        uint32_t feature = scratch->values[scratch->row_values[value]].feature;

        if (feature != NO_COLUMN)
            count = insert_feature(scratch, count, feature, 1);
    }
    return count;
}

/* Settles a row with features between the numbers, or with numbers in another order than the
 * features. */
static Status settle_mixed(Reader *reader, Chunk *chunk, size_t index, size_t entry, size_t value,
                           cleave_error *error)
{
    const CsvLayout *layout = &((CsvState *)reader->state)->layout;
    CsvScratch *scratch = chunk->scratch;
    const CsvRow *row = &scratch->rows[index];
    size_t count = 0, words = 0;
    const WordCount *word = layout->worded ? clv_words_row(&scratch->words, index, &words) : NULL;
    size_t most = (row->entry_end - entry) + (row->value_end - value) + words + 1;

    TRY(GROW(reader->source.context, scratch->feature, scratch->feature_capacity, most, error));
    TRY(GROW(reader->source.context, scratch->feature_value, scratch->feature_value_capacity, most,
             error));
    for (; entry < row->entry_end; entry++)
        count = insert_feature(scratch, count, scratch->entries[entry].column,
                               scratch->entries[entry].value);
    count = settle_values(scratch, value, row->value_end, count);
    for (size_t i = 0; i < words; i++)
        count = insert_feature(scratch, count, word[i].column, (float)word[i].count);
    return clv_builder_add_many(&chunk->builder, scratch->feature, scratch->feature_value, count,
                                error);
}

/* Settles a row. Numbers are in feature order and precede all values, unless a model has another
 * order. */
static Status settle_row(Reader *reader, Chunk *chunk, size_t index, bool ordered,
                         cleave_error *error)
{
    const CsvLayout *layout = &((CsvState *)reader->state)->layout;
    CsvScratch *scratch = chunk->scratch;
    const CsvRow *row = &scratch->rows[index];
    size_t entry = index ? row[-1].entry_end : 0, value = index ? row[-1].value_end : 0;
    size_t most = row->value_end - value + 1, count = 0;

    clv_builder_begin_row(&chunk->builder);
    if (ordered) {
        TRY(GROW(reader->source.context, scratch->feature, scratch->feature_capacity, most, error));
        TRY(GROW(reader->source.context, scratch->feature_value, scratch->feature_value_capacity,
                 most, error));
        count = settle_values(scratch, value, row->value_end, 0);
    }
    if (ordered && (count == 0 || entry == row->entry_end ||
                    scratch->feature[0] > scratch->entries[row->entry_end - 1].column)) {
        TRY(clv_builder_add_entries(&chunk->builder, scratch->entries + entry,
                                    row->entry_end - entry, error));
        TRY(clv_builder_add_many(&chunk->builder, scratch->feature, scratch->feature_value, count,
                                 error));
    } else {
        TRY(settle_mixed(reader, chunk, index, entry, value, error));
    }
    TRY(clv_builder_end_row(&chunk->builder, row->label, error));
    return clv_csv_add_extras(&chunk->builder, layout, row, error);
}

/* Returns whether a slot follows the previous ones. */
static bool follows(uint32_t slot, uint32_t *next)
{
    if (slot < *next)
        return false;
    *next = slot + 1;
    return true;
}

/* Returns whether numeric and date columns are in feature order, without words. */
static bool is_ordered(const CsvLayout *layout)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < layout->count; i++) {
        const CsvColumn *column = &layout->column[i];

        if (column->kind == COLUMN_NUMBER && !follows(column->slot, &next))
            return false;
        for (int part = 0; part < DATE_PARTS && column->kind == COLUMN_DATE; part++)
            if (column->part_slot[part] != CSV_NOWHERE && !follows(column->part_slot[part], &next))
                return false;
    }
    return !layout->worded;
}

/* Marks and counts the rows with a category that the model lacks. Called only if the chunk has such
 * a category. */
static Status note_unseen(Reader *reader, Chunk *chunk, cleave_error *error)
{
    CsvState *state = reader->state;
    CsvScratch *scratch = chunk->scratch;
    size_t at = 0;

    TRY(GROW(reader->source.context, scratch->unseen, scratch->unseen_capacity, scratch->row_count,
             error));
    for (size_t row = 0; row < scratch->row_count; row++) {
        scratch->unseen[row] = 0;
        for (; at < scratch->rows[row].value_end; at++) {
            const CsvValue *value = &scratch->values[scratch->row_values[at]];
            uint32_t number = value->unseen
                                  ? clv_unseen_number(&state->unseen,
                                                      state->layout.column[value->column].name)
                                  : MOST_UNSEEN;

            if (number == MOST_UNSEEN)
                continue;
            scratch->unseen[row] |= UINT64_C(1) << number;
            state->unseen.rows[number]++;
        }
    }
    chunk->unseen = scratch->unseen;
    reader->source.unseen_column = state->unseen.column;
    return OK;
}

void clv_csv_warn_unseen(const Reader *reader)
{
    const CsvState *state = reader->state;

    if (state && !reader->options.ranged)
        clv_unseen_warn(&state->unseen, state->rows, "rows", reader->source.context);
}

static Status settle_rows(Reader *reader, Chunk *chunk, cleave_error *error)
{
    bool unseen = false;
    const CsvLayout *layout = &((const CsvState *)reader->state)->layout;
    CsvScratch *scratch = chunk->scratch;
    bool ordered = is_ordered(layout);

    for (size_t i = 0; i < scratch->value_count; i++) {
        TRY(name_value(reader, scratch, &scratch->values[i], error));
        unseen = unseen || scratch->values[i].unseen;
    }
    ((CsvState *)reader->state)->rows += scratch->row_count;
    if (unseen && reader->guide_schema &&
        clv_schema_is_table(reader->guide_schema)) /* whose names stay in place */
        TRY(note_unseen(reader, chunk, error));
    if (layout->worded)
        TRY(clv_words_number(&scratch->words, reader, error));
    for (size_t i = 0; i < scratch->row_count; i++)
        TRY(settle_row(reader, chunk, i, ordered, error));
    return OK;
}

Status clv_csv_settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    chunk->unseen = NULL;
    if (reader->options.describe)
        TRY(clv_csv_describe(reader, chunk, error));
    if (!chunk->builder.dense)
        TRY(settle_rows(reader, chunk, error));
    TRY(clv_settle_labels(reader, chunk, error));
    TRY(clv_builder_finish(&chunk->builder, &chunk->block, error));
    if (chunk->block.rows != ((CsvScratch *)chunk->scratch)->row_count)
        chunk->unseen = NULL; /* rows were dropped, so the marks do not apply */
    return OK;
}
