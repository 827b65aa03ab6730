/*
 * For tests: a table of rows as plain pairs, written by hand or at random, and datasets made from
 * it in every form of a block. The encoding here is independent of the library's, so that each
 * checks the other.
 *
 * Random tests print their seed; CLEAVE_SEED=N in the environment repeats them.
 */
#ifndef TESTS_TABLE_H
#define TESTS_TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/random.h"
#include "data/builder.h"
#include "data/dataset.h"

typedef struct {
    uint32_t column;
    float value; /* not 0 */
} Cell;

typedef struct {
    uint32_t label;
    size_t start, count; /* its cells */
    float weight;
    uint64_t qid;
    char name[16];
    double number;
} TableRow;

typedef struct {
    TableRow *row;
    size_t rows, row_capacity;
    Cell *cell;
    size_t cells, cell_capacity;
    uint32_t features;
    const char *const *labels; /* names of the labels; NULL: c0, c1, … */
    uint32_t label_count;
    bool weights, qids, names, numbers;
} Table;

/* ---- failures that say why ------------------------------------------------------------------- */

static inline void assert_fine(Status status, const cleave_error *error)
{
    if (status != OK)
        print_error("%s (%s)\n", error->message, error->hint);
    assert_int_equal(status, OK);
}

#define FINE(expression) assert_fine((expression), &error)

static inline void assert_says(const cleave_error *error, const char *part)
{
    if (!strstr(error->message, part))
        print_error("expected '%s' in '%s'\n", part, error->message);
    assert_non_null(strstr(error->message, part));
}

/* The seed of this run, printed once per test. */
static inline uint64_t test_seed(const char *test)
{
    const char *given = getenv("CLEAVE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)(clv_now() * 1e6) % 1000000007u;

    print_message("%s: CLEAVE_SEED=%llu\n", test, (unsigned long long)seed);
    return seed;
}

/* The number of repetitions: the given one, and more with CLEAVE_LONG, as in `make test-all`. */
static inline uint64_t how_many(uint64_t usual, uint64_t at_length)
{
    return getenv("CLEAVE_LONG") ? at_length : usual;
}

static inline Context *new_context(unsigned threads)
{
    Context *context = cleave_context_new(
        &(cleave_config){.size = sizeof(cleave_config), .threads = threads});

    assert_non_null(context);
    return context;
}

/* ---- making a table -------------------------------------------------------------------------- */

static inline void *grown(void *array, size_t *capacity, size_t need, size_t size)
{
    if (need > *capacity) {
        *capacity = 2 * need;
        array = realloc(array, *capacity * size);
        assert_non_null(array);
    }
    return array;
}

static inline TableRow *table_row(Table *table, uint32_t label)
{
    TableRow *row;

    table->row = grown(table->row, &table->row_capacity, table->rows + 1, sizeof *table->row);
    row = &table->row[table->rows++];
    *row = (TableRow){.label = label, .start = table->cells, .weight = 1, .number = 0};
    if (label != UNLABELED && label >= table->label_count)
        table->label_count = label + 1;
    return row;
}

static inline void table_cell(Table *table, uint32_t column, float value)
{
    if (column >= table->features)
        table->features = column + 1;
    if (value == 0)
        return;
    table->cell = grown(table->cell, &table->cell_capacity, table->cells + 1, sizeof *table->cell);
    table->cell[table->cells++] = (Cell){.column = column, .value = value};
    table->row[table->rows - 1].count++;
}

static inline void table_copy_row(Table *table, const Table *from, size_t i)
{
    TableRow row = from->row[i], *copy = table_row(table, row.label);
    size_t start = copy->start;

    *copy = row;
    copy->start = start;
    copy->count = 0;
    for (size_t j = 0; j < row.count; j++)
        table_cell(table, from->cell[row.start + j].column, from->cell[row.start + j].value);
    if (from->features > table->features)
        table->features = from->features;
    if (from->label_count > table->label_count)
        table->label_count = from->label_count;
    table->labels = from->labels;
}

static inline void table_free(Table *table)
{
    free(table->row);
    free(table->cell);
    *table = (Table){0};
}

static inline const char *table_label(const Table *table, uint32_t label, char buffer[24])
{
    if (table->labels)
        return table->labels[label];
    snprintf(buffer, 24, "c%u", label);
    return buffer;
}

/* The kinds of random values. */
enum { RANDOM_ONES, RANDOM_PER_ROW, RANDOM_EIGHTHS, RANDOM_FLOATS };

static inline float random_value(Random *random, int kind)
{
    float value = 0;
    uint32_t bits;

    switch (kind) {
    case RANDOM_ONES:
        return 1;
    case RANDOM_PER_ROW:
    /* their sums and products are exact in any order */
    case RANDOM_EIGHTHS:
        while (value == 0)
            value = (float)((int)clv_random_below(random, 65) - 32) / 8;
        return value;
    default:
        do {
            bits = (uint32_t)clv_random_next(random);
            memcpy(&value, &bits, sizeof value);
        } while (value == 0 || (bits & 0x7F800000u) == 0x7F800000u);
        return value;
    }
}

/* Makes rows with about `nonzeros` cells, spread over the features. Some rows are empty. */
static inline void table_random(Table *table, Random *random, uint32_t rows, uint32_t features,
                                uint32_t nonzeros, uint32_t labels, int values)
{
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t reach = features / (nonzeros ? nonzeros : 1), column = 0;
        float value;

        table_row(table, labels ? clv_random_below(random, labels) : UNLABELED);
        value = random_value(random, values);
        for (uint32_t j = 0; j < nonzeros && clv_random_below(random, 40) != 0; j++) {
            column += clv_random_below(random, 2 * reach + 1);
            if (column >= features)
                break;
            table_cell(table, column,
                       values == RANDOM_PER_ROW ? value : random_value(random, values));
            column++;
        }
    }
    if (features > table->features)
        table->features = features;
    if (labels > table->label_count)
        table->label_count = labels;
}

/* Rows of a user, one of the first columns, and an item, one of the others, for methods of
 * ratings. */
static inline void table_random_pairs(Table *table, Random *random, uint32_t rows, uint32_t users,
                                      uint32_t items, uint32_t labels)
{
    for (uint32_t i = 0; i < rows; i++) {
        table_row(table, clv_random_below(random, labels));
        table_cell(table, clv_random_below(random, users), 1);
        table_cell(table, users + clv_random_below(random, items), 1);
    }
    table->features = users + items;
    table->label_count = labels;
}

/* ---- forms ----------------------------------------------------------------------------------- */

typedef struct {
    RowForm form;
    ValueForm values;
} Shape;

/* The block of rows first … first + count, and its memory. */
typedef struct {
    Block block;
    uint32_t *end, *column, *label, *name_end;
    uint16_t *gap;
    float *value, *weight;
    uint64_t *qid;
    double *number;
    char *name;
} Encoded;

static inline void *some(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    assert_non_null(memory);
    return memory;
}

/* Whether the rows can be written in this form. */
static inline bool can_encode(const Table *table, Shape shape)
{
    if (shape.form == ROWS_DENSE)
        return shape.values == VALUES_EACH && table->features <= 4096;
    for (size_t i = 0; i < table->rows && shape.values != VALUES_EACH; i++)
        for (size_t j = 0; j < table->row[i].count; j++) {
            const Cell *cell = table->cell + table->row[i].start;

            if (cell[j].value != (shape.values == VALUES_ONES ? 1 : cell[0].value))
                return false;
        }
    return true;
}

static inline void encode_row(const Table *table, const TableRow *row, Shape shape, Encoded *to,
                              uint32_t at, uint32_t *entries)
{
    const Cell *cell = table->cell + row->start;
    uint64_t last = 0; /* one more than the previous column */

    if (shape.values == VALUES_PER_ROW)
        to->value[at] = row->count ? cell[0].value : 1;
    for (size_t j = 0; j < row->count; j++) {
        uint64_t gap = cell[j].column + 1 - last;

        if (shape.form == ROWS_DENSE) {
            to->value[(size_t)at * table->features + cell[j].column] = cell[j].value;
            continue;
        }
        for (; shape.form == ROWS_GAPS && gap > FILLER_GAP; gap -= FILLER_GAP) {
            to->gap[*entries] = shape.values == VALUES_EACH ? FILLER_GAP : 0;
            to->block.has_fillers = true;
            ++*entries;
        }
        to->gap[*entries] = (uint16_t)gap;
        to->column[*entries] = cell[j].column;
        if (shape.values == VALUES_EACH)
            to->value[*entries] = cell[j].value;
        ++*entries;
        last = (uint64_t)cell[j].column + 1;
    }
    if (shape.form != ROWS_DENSE)
        to->end[at] = *entries;
}

static inline void encode(const Table *table, size_t first, size_t count, Shape shape, Encoded *to)
{
    size_t most = table->cells + count * (table->features / FILLER_GAP + 2), names = 0;
    uint32_t entries = 0;

    if (shape.form == ROWS_DENSE)
        most = count * (size_t)table->features;
    *to = (Encoded){.block = {.rows = (uint32_t)count, .features = table->features}};
    to->end = some(count, sizeof *to->end);
    to->column = some(most, sizeof *to->column);
    to->gap = some(most, sizeof *to->gap);
    to->value = some(most + count, sizeof *to->value);
    to->label = some(count, sizeof *to->label);
    to->name_end = some(count, sizeof *to->name_end);
    to->weight = some(count, sizeof *to->weight);
    to->qid = some(count, sizeof *to->qid);
    to->number = some(count, sizeof *to->number);
    to->name = some(count * sizeof table->row->name, 1);
    for (uint32_t i = 0; i < count; i++) {
        const TableRow *row = &table->row[first + i];

        encode_row(table, row, shape, to, i, &entries);
        to->label[i] = row->label;
        to->weight[i] = row->weight;
        to->qid[i] = row->qid;
        to->number[i] = row->number;
        memcpy(to->name + names, row->name, strlen(row->name));
        names += strlen(row->name);
        to->name_end[i] = (uint32_t)names;
    }
    to->block.form = shape.form;
    to->block.value_form = shape.values;
    to->block.end = shape.form == ROWS_DENSE ? NULL : to->end;
    to->block.gap = shape.form == ROWS_GAPS ? to->gap : NULL;
    to->block.column = shape.form == ROWS_COLUMNS ? to->column : NULL;
    to->block.value = shape.values == VALUES_ONES ? NULL : to->value;
    to->block.target_form = table->numbers ? TARGETS_NUMBERS : TARGETS_LABELS;
    to->block.label_bytes = table->numbers ? 0 : 4;
    to->block.target = table->numbers ? (const void *)to->number : to->label;
    to->block.weight = table->weights ? to->weight : NULL;
    to->block.qid = table->qids ? to->qid : NULL;
    to->block.name_end = table->names ? to->name_end : NULL;
    to->block.name = table->names ? to->name : NULL;
}

static inline void encoded_free(Encoded *encoded)
{
    free(encoded->end);
    free(encoded->column);
    free(encoded->gap);
    free(encoded->value);
    free(encoded->label);
    free(encoded->name_end);
    free(encoded->weight);
    free(encoded->qid);
    free(encoded->number);
    free(encoded->name);
}

/* ---- datasets -------------------------------------------------------------------------------- */

static inline void add_labels(const Table *table, Labels *labels)
{
    cleave_error error;

    for (uint32_t i = 0; i < table->label_count; i++) {
        char buffer[24];
        const char *text = table_label(table, i, buffer);
        uint32_t number;

        FINE(clv_labels_add(labels, text, strlen(text), &number, &error));
        assert_int_equal(number, i);
    }
    for (size_t i = 0; i < table->rows; i++)
        if (table->row[i].label != UNLABELED)
            labels->list[table->row[i].label].count++;
}

/* Makes a dataset of blocks of block_rows rows in the given form. */
static inline Dataset *table_encoded(Context *context, const Table *table, Shape shape,
                                     size_t block_rows)
{
    cleave_error error;
    Dataset *dataset;

    FINE(clv_dataset_new(context, &dataset, &error));
    for (size_t at = 0; at < table->rows; at += block_rows) {
        size_t count = table->rows - at < block_rows ? table->rows - at : block_rows;
        Encoded encoded;

        encode(table, at, count, shape, &encoded);
        FINE(clv_dataset_add(dataset, &encoded.block, &error));
        encoded_free(&encoded);
    }
    add_labels(table, &dataset->labels);
    if (table->features > dataset->features)
        dataset->features = table->features;
    return dataset;
}

/* Adds one row of the table to a builder, with its optional values. */
static inline void build_row(const Table *table, size_t i, Builder *builder)
{
    const TableRow *row = &table->row[i];
    cleave_error error;

    clv_builder_begin_row(builder);
    for (size_t j = 0; j < row->count; j++)
        FINE(clv_builder_add(builder, table->cell[row->start + j].column,
                             table->cell[row->start + j].value, &error));
    FINE(clv_builder_end_row(builder, row->label, &error));
    if (table->weights)
        FINE(clv_builder_set_weight(builder, row->weight, &error));
    if (table->qids)
        FINE(clv_builder_set_qid(builder, row->qid, &error));
    if (table->names)
        FINE(clv_builder_set_name(builder, row->name, strlen(row->name), &error));
    if (table->numbers)
        FINE(clv_builder_set_number(builder, row->number, &error));
}

/* Makes a dataset in the forms that the builder chooses. */
static inline Dataset *table_built(Context *context, const Table *table, size_t block_rows)
{
    cleave_error error;
    Builder builder;
    Dataset *dataset;

    FINE(clv_dataset_new(context, &dataset, &error));
    clv_builder_init(&builder, context);
    for (size_t at = 0; at < table->rows; at += block_rows) {
        Block block;

        clv_builder_clear(&builder);
        for (size_t i = at; i < table->rows && i < at + block_rows; i++)
            build_row(table, i, &builder);
        FINE(clv_builder_finish(&builder, &block, &error));
        FINE(clv_dataset_add(dataset, &block, &error));
    }
    clv_builder_free(&builder);
    add_labels(table, &dataset->labels);
    if (table->features > dataset->features)
        dataset->features = table->features;
    return dataset;
}

static inline void assert_same_row(const Table *table, size_t i, const Block *block, uint32_t at)
{
    const TableRow *row = &table->row[i];
    size_t cells = 0;

    for (RowWalk walk = clv_walk(block, at); clv_walk_next(&walk); cells++) {
        assert_true(cells < row->count);
        assert_int_equal(walk.column, table->cell[row->start + cells].column);
        assert_memory_equal(&walk.value, &table->cell[row->start + cells].value, sizeof walk.value);
    }
    assert_int_equal(cells, row->count);
    if (table->numbers) {
        assert_int_equal(block->target_form, TARGETS_NUMBERS);
        assert_memory_equal((const double *)block->target + at, &row->number, sizeof row->number);
    } else {
        assert_int_equal(block_label(block, at), row->label);
    }
    assert_true(block_weight(block, at) == (table->weights ? row->weight : 1));
    assert_int_equal(block->qid ? block->qid[at] : 0, table->qids ? row->qid : 0);
    if (table->names) {
        uint32_t start;

        assert_non_null(block->name_end);
        start = at ? block->name_end[at - 1] : 0;
        assert_int_equal(block->name_end[at] - start, strlen(row->name));
        assert_memory_equal(block->name + start, row->name, strlen(row->name));
    }
}

static inline void assert_same_table(const Table *table, Dataset *dataset)
{
    cleave_error error;
    size_t row = 0;

    assert_int_equal(dataset->rows, table->rows);
    assert_int_equal(dataset->entries, table->cells);
    assert_int_equal(dataset->features, table->features);
    for (uint32_t i = 0; i < dataset->blocks; i++) {
        Block block;

        FINE(clv_dataset_block(dataset, i, &block, &error));
        assert_int_equal(block.first_row, row);
        for (uint32_t at = 0; at < block.rows; at++, row++)
            assert_same_row(table, row, &block, at);
    }
    assert_int_equal(row, table->rows);
}

/* As LIBSVM text; freed with free(). Values are written such that they are read back unchanged. */
static inline char *table_text(const Table *table, size_t *size)
{
    size_t capacity = 0, length = 0;
    char *text = grown(NULL, &capacity, 64, 1);

    for (size_t i = 0; i < table->rows; i++) {
        const TableRow *row = &table->row[i];
        char buffer[24];

        text = grown(text, &capacity, length + 128 + row->count * 64, 1);
        length += (size_t)snprintf(
            text + length, 64, "%s",
            row->label == UNLABELED ? "?" : table_label(table, row->label, buffer));
        if (table->qids)
            length += (size_t)snprintf(text + length, 64, " qid:%llu",
                                       (unsigned long long)row->qid);
        for (size_t j = 0; j < row->count; j++)
            length += (size_t)snprintf(text + length, 64, " %u:%.9g",
                                       table->cell[row->start + j].column + 1,
                                       (double)table->cell[row->start + j].value);
        text[length++] = '\n';
    }
    *size = length;
    return text;
}

#endif
