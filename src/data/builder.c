#include "data/builder.h"

#include <math.h>

enum { FILLERS_ALLOWED = 1024 }; /* limit: one filler per entry */

void clv_builder_init(Builder *builder, Context *context)
{
    *builder = (Builder){.context = context};
}

void clv_builder_free(Builder *builder)
{
    Context *context = builder->context;

    FREE(context, builder->gap, builder->column, builder->value, builder->end, builder->label,
         builder->weight, builder->qid, builder->line, builder->name_end, builder->number,
         builder->name.data, builder->narrow, builder->row_value);
    clv_builder_init(builder, context);
}

void clv_builder_clear(Builder *builder)
{
    builder->entries = builder->fillers = 0;
    builder->wide = builder->dense = false;
    builder->features = builder->rows = builder->width = 0;
    builder->last = UINT32_MAX;
    builder->weight_rows = builder->qid_rows = builder->line_rows = builder->name_rows =
        builder->number_rows = 0;
    builder->name.size = 0;
    builder->first_line = 0;
}

/* ---- sparse rows ----------------------------------------------------------------------------- */

void clv_builder_begin_row(Builder *builder)
{
    builder->last = UINT32_MAX;
}

void clv_builder_restart_row(Builder *builder)
{
    size_t start = builder->rows ? builder->end[builder->rows - 1] : 0;

    for (size_t i = start; i < builder->entries && !builder->wide; i++)
        builder->fillers -= builder->value[i] == 0;
    builder->entries = start;
    builder->last = UINT32_MAX;
}

static Status reserve_more(Builder *builder, size_t count, cleave_error *error)
{
    size_t need = builder->entries + count;

    if (need > UINT32_MAX / 2)
        return clv_fail(error, CLEAVE_ERROR_DATA, "a block of rows has more than %u entries",
                        UINT32_MAX / 2);
    if (builder->wide)
        TRY(GROW(builder->context, builder->column, builder->column_capacity, need, error));
    else
        TRY(GROW(builder->context, builder->gap, builder->gap_capacity, need, error));
    return GROW(builder->context, builder->value, builder->value_capacity, need, error);
}

static inline Status reserve_entries(Builder *builder, size_t count, cleave_error *error)
{
    size_t need = builder->entries + count,
           workspace = builder->wide ? builder->column_capacity : builder->gap_capacity;

    return need <= workspace && need <= builder->value_capacity
               ? OK
               : reserve_more(builder, count, error);
}

/* Converts gaps to columns when fillers are too many, including those of the current row. */
static Status widen(Builder *builder, cleave_error *error)
{
    size_t kept = 0, at = 0;

    TRY(GROW(builder->context, builder->column, builder->column_capacity,
             builder->entries - builder->fillers + 1, error));
    for (uint32_t row = 0; row <= builder->rows; row++) {
        size_t stop = row < builder->rows ? builder->end[row] : builder->entries;
        uint32_t column = UINT32_MAX;

        for (; at < stop; at++) {
            column += builder->gap[at];
            if (builder->value[at] == 0)
                continue;
            builder->column[kept] = column;
            builder->value[kept++] = builder->value[at];
        }
        if (row < builder->rows)
            builder->end[row] = (uint32_t)kept;
    }
    builder->entries = kept;
    builder->fillers = 0;
    builder->wide = true;
    return OK;
}

Status clv_builder_add(Builder *builder, uint32_t column, float value, cleave_error *error)
{
    uint32_t gap = column - builder->last;

    if (column >= builder->features)
        builder->features = column + 1;
    if (value == 0)
        return OK;
    if (gap > FILLER_GAP && !builder->wide) {
        size_t fillers = (gap - 1) / FILLER_GAP;

        if (builder->fillers + fillers > builder->entries + FILLERS_ALLOWED) {
            TRY(widen(builder, error));
        } else {
            TRY(reserve_entries(builder, fillers + 1, error));
            for (; gap > FILLER_GAP; gap -= FILLER_GAP) {
                builder->gap[builder->entries] = FILLER_GAP;
                builder->value[builder->entries++] = 0;
            }
            builder->fillers += fillers;
        }
    }
    TRY(reserve_entries(builder, 1, error));
    if (builder->wide)
        builder->column[builder->entries] = column;
    else
        builder->gap[builder->entries] = (uint16_t)gap;
    builder->value[builder->entries++] = value;
    builder->last = column;
    return OK;
}

static bool any_zero(const float *values, size_t count)
{
    uint32_t zeros = 0;

    for (size_t i = 0; i < count; i++)
        zeros += values[i] == 0;
    return zeros > 0;
}

/* Adds entries; none is 0, and the caller has reserved memory. */
static void put_all(Builder *builder, const uint32_t *columns, const float *values, size_t count)
{
    uint16_t *gap = builder->gap + builder->entries;

    gap[0] = (uint16_t)(columns[0] - builder->last);
    for (size_t i = 1; i < count; i++)
        gap[i] = (uint16_t)(columns[i] - columns[i - 1]);
    memcpy(builder->value + builder->entries, values, count * sizeof *values);
    builder->entries += count;
    builder->last = columns[count - 1];
}

static void put_nonzeros(Builder *builder, const uint32_t *columns, const float *values,
                         size_t count)
{
    uint32_t last = builder->last;
    size_t entries = builder->entries;

    for (size_t i = 0; i < count; i++) { /* a 0 is also written, and then overwritten */
        bool kept = values[i] != 0;

        builder->gap[entries] = (uint16_t)(columns[i] - last);
        builder->value[entries] = values[i];
        entries += kept;
        last = kept ? columns[i] : last;
    }
    builder->entries = entries;
    builder->last = last;
}

/* Returns the number of ascending columns that need no filler. */
static size_t near_ones(const Builder *builder, const uint32_t *columns, size_t count)
{
    size_t far = 0; /* the columns from this index on are too far */

    if (columns[count - 1] - builder->last <= FILLER_GAP)
        return count;
    while (far < count) {
        size_t middle = far + (count - far) / 2;

        if (columns[middle] - builder->last <= FILLER_GAP)
            far = middle + 1;
        else
            count = middle;
    }
    return far;
}

Status clv_builder_add_many(Builder *builder, const uint32_t *columns, const float *values,
                            size_t count, cleave_error *error)
{
    while (count > 0) {
        size_t near = builder->wide ? 0 : near_ones(builder, columns, count);

        if (near == 0) { /* a column that is far, or stored as a number, is added separately */
            TRY(clv_builder_add(builder, columns[0], values[0], error));
            near = 1;
        } else {
            TRY(reserve_entries(builder, near, error));
            if (any_zero(values, near))
                put_nonzeros(builder, columns, values, near);
            else
                put_all(builder, columns, values, near);
            if (columns[near - 1] >= builder->features)
                builder->features = columns[near - 1] + 1;
        }
        columns += near;
        values += near;
        count -= near;
    }
    return OK;
}

Status clv_builder_add_entries(Builder *builder, const BuilderEntry *entries, size_t count,
                               cleave_error *error)
{
    uint32_t last = builder->last;
    uint16_t *gap;
    float *value;

    if (count == 0)
        return OK;
    if (builder->wide || entries[count - 1].column >= FILLER_GAP) {
        for (size_t i = 0; i < count; i++)
            TRY(clv_builder_add(builder, entries[i].column, entries[i].value, error));
        return OK;
    }
    TRY(reserve_entries(builder, count, error));
    gap = builder->gap + builder->entries;
    value = builder->value + builder->entries;
    for (size_t i = 0; i < count; i++) {
        gap[i] = (uint16_t)(entries[i].column - last);
        value[i] = entries[i].value;
        last = entries[i].column;
    }
    builder->entries += count;
    builder->last = last;
    if (last >= builder->features)
        builder->features = last + 1;
    return OK;
}

Status clv_builder_add_moved(Builder *builder, const Block *block, uint32_t row,
                             const uint32_t *place, bool *ascending, cleave_error *error)
{
    uint32_t start = block_start(block, row), count = block->end[row] - start, from = UINT32_MAX,
             last = UINT32_MAX;
    const uint16_t *gap = block->gap + start;
    bool ordered = !builder->wide && !block->has_fillers;

    *ascending = ordered;
    if (!ordered || count == 0)
        return OK;
    TRY(reserve_entries(builder, count, error));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t column = place[from += gap[i]];

        builder->gap[builder->entries + i] = (uint16_t)(column - last);
        ordered &= column + 1 > last + 1; /* the first entry follows UINT32_MAX */
        last = column;
    }
    *ascending = ordered;
    if (!ordered)
        return OK;
    memcpy(builder->value + builder->entries, block->value + start, count * sizeof *builder->value);
    builder->entries += count;
    builder->last = last;
    if (last >= builder->features)
        builder->features = last + 1;
    return OK;
}

static Status add_label(Builder *builder, uint32_t label, cleave_error *error)
{
    TRY(GROW(builder->context, builder->label, builder->label_capacity, (size_t)builder->rows + 1,
             error));
    builder->label[builder->rows] = label;
    return OK;
}

Status clv_builder_end_row(Builder *builder, uint32_t label, cleave_error *error)
{
    TRY(GROW(builder->context, builder->end, builder->end_capacity, (size_t)builder->rows + 1,
             error));
    TRY(add_label(builder, label, error));
    builder->end[builder->rows++] = (uint32_t)builder->entries;
    return OK;
}

/* ---- dense rows ------------------------------------------------------------------------------ */

Status clv_builder_dense_row(Builder *builder, uint32_t width, uint32_t label, float **values,
                             cleave_error *error)
{
    builder->dense = true;
    builder->width = builder->features = width;
    TRY(GROW(builder->context, builder->value, builder->value_capacity,
             ((size_t)builder->rows + 1) * width, error));
    TRY(add_label(builder, label, error));
    *values = builder->value + (size_t)builder->rows++ * width;
    return OK;
}

Status clv_builder_add_dense(Builder *builder, const float *values, uint32_t width, uint32_t label,
                             cleave_error *error)
{
    float *place;

    TRY(clv_builder_dense_row(builder, width, label, &place, error));
    if (width)
        memcpy(place, values, width * sizeof *values);
    return OK;
}

/* Converts dense rows to gaps in place. The entries never occupy memory of values that have not
 * been read. */
static Status sparsify(Builder *builder, cleave_error *error)
{
    size_t total = (size_t)builder->rows * builder->width, nonzeros = 0, from = 0;
    uint32_t rows = builder->rows, features = builder->width;

    for (size_t i = 0; i < total; i++)
        nonzeros += builder->value[i] != 0;
    nonzeros += (size_t)rows * (builder->width / FILLER_GAP + 1); /* the number of fillers */
    TRY(GROW(builder->context, builder->gap, builder->gap_capacity, nonzeros, error));
    TRY(GROW(builder->context, builder->end, builder->end_capacity, rows, error));
    builder->entries = builder->fillers = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t gap = 0;

        for (uint32_t column = 0; column < features; column++) {
            float value = builder->value[from++];

            gap++;
            if (value == 0 && gap < FILLER_GAP)
                continue;
            builder->fillers += value == 0;
            builder->gap[builder->entries] = (uint16_t)gap;
            builder->value[builder->entries++] = value;
            gap = 0;
        }
        builder->end[row] = (uint32_t)builder->entries;
    }
    builder->dense = false;
    return OK;
}

/* ---- extras: rows without one get the neutral value ------------------------------------------ */

#define FILL(function, array, capacity, filled, neutral)                                           \
    static Status function(Builder *builder, uint32_t rows, cleave_error *error)                   \
    {                                                                                              \
        TRY(GROW(builder->context, builder->array, builder->capacity, rows, error));               \
        while (builder->filled < rows)                                                             \
            builder->array[builder->filled++] = neutral;                                           \
        return OK;                                                                                 \
    }

FILL(fill_weights, weight, weight_capacity, weight_rows, 1)
FILL(fill_qids, qid, qid_capacity, qid_rows, 0)
FILL(fill_numbers, number, number_capacity, number_rows, NAN)
FILL(fill_names, name_end, name_capacity, name_rows, (uint32_t)builder->name.size)

static Status fill_lines(Builder *builder, uint32_t rows, cleave_error *error)
{
    TRY(GROW(builder->context, builder->line, builder->line_capacity, rows, error));
    while (builder->line_rows < rows) {
        builder->line[builder->line_rows] = builder->line_rows
                                                ? builder->line[builder->line_rows - 1]
                                                : 0;
        builder->line_rows++;
    }
    return OK;
}

Status clv_builder_set_weight(Builder *builder, float weight, cleave_error *error)
{
    TRY(fill_weights(builder, builder->rows, error));
    builder->weight[builder->rows - 1] = weight;
    return OK;
}

Status clv_builder_set_qid(Builder *builder, uint64_t qid, cleave_error *error)
{
    TRY(fill_qids(builder, builder->rows, error));
    builder->qid[builder->rows - 1] = qid;
    return OK;
}

Status clv_builder_set_number(Builder *builder, double number, cleave_error *error)
{
    TRY(fill_numbers(builder, builder->rows, error));
    builder->number[builder->rows - 1] = number;
    return OK;
}

Status clv_builder_set_name(Builder *builder, const char *name, size_t length, cleave_error *error)
{
    TRY(fill_names(builder, builder->rows, error));
    TRY(clv_buffer_add(builder->context, &builder->name, name, length, error));
    if (builder->name.size > UINT32_MAX / 2)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "the names of features in a block of rows are too long");
    builder->name_end[builder->rows - 1] = (uint32_t)builder->name.size;
    return OK;
}

Status clv_builder_set_line(Builder *builder, uint64_t line, cleave_error *error)
{
    if (builder->line_rows == 0)
        builder->first_line = line;
    if (builder->line_rows + 1 == builder->rows && builder->rows <= builder->line_capacity)
        builder->line_rows++;
    else
        TRY(fill_lines(builder, builder->rows, error));
    builder->line[builder->rows - 1] = (uint32_t)(line - builder->first_line);
    return OK;
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Copies gaps unchanged and expands values to one per entry, the builder's form, with 0 for
 * fillers. The builder cannot hold rows with one value each. */
static Status copy_gaps(Builder *builder, const Block *block, uint32_t row, uint32_t rows,
                        cleave_error *error)
{
    uint32_t start = block_start(block, row), count = block->end[row + rows - 1] - start;
    float one = block->value_form == VALUES_PER_ROW ? block->value[row] : 1;
    uint16_t *gap;
    float *value;

    if (count == 0)
        return OK;
    TRY(reserve_entries(builder, count, error));
    gap = builder->gap + builder->entries;
    value = builder->value + builder->entries;
    memcpy(gap, block->gap + start, count * sizeof *gap);
    if (block->value_form == VALUES_EACH) {
        memcpy(value, block->value + start, count * sizeof *value);
    } else {
        for (uint32_t i = 0; i < count; i++)
            value[i] = gap[i] == 0 ? 0 : one;
        for (uint32_t i = 0; i < count && block->has_fillers; i++)
            gap[i] = gap[i] == 0 ? FILLER_GAP : gap[i];
    }
    for (uint32_t i = 0; i < count && block->has_fillers; i++)
        builder->fillers += value[i] == 0;
    builder->entries += count;
    return OK;
}

static Status copy_entries(Builder *builder, const Block *block, uint32_t row, cleave_error *error)
{
    if (block->form == ROWS_GAPS && !builder->wide)
        return copy_gaps(builder, block, row, 1, error);
    clv_builder_begin_row(builder);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        TRY(clv_builder_add(builder, walk.column, walk.value, error));
    return OK;
}

Status clv_builder_copy_extras(Builder *builder, const Block *block, uint32_t row,
                               cleave_error *error)
{
    if (block->target_form == TARGETS_NUMBERS)
        TRY(clv_builder_set_number(builder, ((const double *)block->target)[row], error));
    if (block->weight)
        TRY(clv_builder_set_weight(builder, block->weight[row], error));
    if (block->qid)
        TRY(clv_builder_set_qid(builder, block->qid[row], error));
    if (block->name_end) {
        uint32_t start = row ? block->name_end[row - 1] : 0;

        TRY(clv_builder_set_name(builder, block->name + start, block->name_end[row] - start,
                                 error));
    }
    return OK;
}

Status clv_builder_copy_row(Builder *builder, const Block *block, uint32_t row, uint32_t label,
                            cleave_error *error)
{
    bool dense = block->form == ROWS_DENSE &&
                 (builder->rows == 0 || (builder->dense && builder->width == block->features));

    if (dense) {
        TRY(clv_builder_add_dense(builder, block->value + (size_t)row * block->features,
                                  block->features, label, error));
    } else {
        if (builder->dense)
            TRY(sparsify(builder, error));
        if (block->features > builder->features)
            builder->features = block->features;
        TRY(copy_entries(builder, block, row, error));
        TRY(clv_builder_end_row(builder, label, error));
    }
    return clv_builder_copy_extras(builder, block, row, error);
}

Status clv_builder_copy_rows(Builder *builder, const Block *block, uint32_t row, uint32_t rows,
                             cleave_error *error)
{
    bool at_once = block->form == ROWS_GAPS && block->value_form != VALUES_PER_ROW &&
                   !builder->wide && !builder->dense;
    uint32_t end = row + rows, before = block->form == ROWS_DENSE ? 0 : block_start(block, row);
    size_t entries = builder->entries;

    if (rows > 0 && at_once) {
        if (block->features > builder->features)
            builder->features = block->features;
        TRY(copy_gaps(builder, block, row, rows, error));
    }
    for (; row < end; row++) {
        if (!at_once) {
            TRY(clv_builder_copy_row(builder, block, row, block_label(block, row), error));
            continue;
        }
        TRY(clv_builder_end_row(builder, block_label(block, row), error));
        builder->end[builder->rows - 1] = (uint32_t)(entries + (block->end[row] - before));
        TRY(clv_builder_copy_extras(builder, block, row, error));
    }
    return OK;
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Finds the most compact form of the values. A file may contain zeros that are not fillers; they
 * can only be stored with one value per entry. */
static ValueForm find_value_form(const Builder *builder)
{
    bool ones = true, per_row = true;
    size_t at = 0;

    for (uint32_t row = 0; row < builder->rows && (ones || per_row); row++) {
        float first = 0;

        for (; at < builder->end[row] && (ones || per_row); at++) {
            float value = builder->value[at];

            if (value == 0) {
                if (builder->wide || builder->gap[at] != FILLER_GAP || builder->fillers == 0)
                    return VALUES_EACH;
                continue;
            }
            ones = ones && value == 1;
            if (first == 0)
                first = value;
            per_row = per_row && value == first;
        }
    }
    return ones ? VALUES_ONES : per_row ? VALUES_PER_ROW : VALUES_EACH;
}

/* Stores one value per row. A gap of 0 marks fillers, because there are no values to mark them. */
static Status drop_values(Builder *builder, cleave_error *error)
{
    size_t at = 0;

    TRY(GROW(builder->context, builder->row_value, builder->row_value_capacity, builder->rows,
             error));
    for (uint32_t row = 0; row < builder->rows; row++) {
        builder->row_value[row] = 1;
        for (; at < builder->end[row]; at++) {
            if (builder->value[at] != 0)
                builder->row_value[row] = builder->value[at];
            else if (!builder->wide)
                builder->gap[at] = 0;
        }
    }
    return OK;
}

/* Rows without any entry still need a non-NULL pointer: NULL + 0 is undefined. */
static Status finish_sparse(Builder *builder, Block *block, cleave_error *error)
{
    static const uint16_t no_gap[1] = {0};
    static const float no_value[1] = {0};

    block->form = builder->wide ? ROWS_COLUMNS : ROWS_GAPS;
    block->value_form = builder->passing_by ? VALUES_EACH : find_value_form(builder);
    block->has_fillers = builder->fillers > 0;
    if (block->value_form != VALUES_EACH)
        TRY(drop_values(builder, error));
    block->end = builder->end;
    block->gap = builder->wide ? NULL : builder->gap ? builder->gap : no_gap;
    block->column = builder->wide ? builder->column : NULL;
    block->value = block->value_form == VALUES_EACH      ? builder->value
                   : block->value_form == VALUES_PER_ROW ? builder->row_value
                                                         : NULL;
    if (block->value_form == VALUES_EACH && !block->value)
        block->value = no_value;
    return OK;
}

static Status finish_labels(Builder *builder, Block *block, cleave_error *error)
{
    uint32_t largest = 0;
    bool any = false;

    if (builder->number_rows) {
        TRY(fill_numbers(builder, builder->rows, error));
        block->target_form = TARGETS_NUMBERS;
        block->target = builder->number;
        return OK;
    }
    for (uint32_t row = 0; row < builder->rows; row++) {
        if (builder->label[row] == UNLABELED)
            continue;
        any = true;
        if (builder->label[row] > largest)
            largest = builder->label[row];
    }
    if (!any)
        return OK;
    block->target_form = TARGETS_LABELS;
    block->label_bytes = largest < UINT8_MAX ? 1 : largest < UINT16_MAX ? 2 : 4;
    block->target = builder->label;
    if (block->label_bytes == 4)
        return OK;
    TRY(GROW(builder->context, builder->narrow, builder->narrow_capacity,
             (size_t)builder->rows * block->label_bytes, error));
    for (uint32_t row = 0; row < builder->rows; row++) {
        if (block->label_bytes == 1)
            builder->narrow[row] = (uint8_t)builder->label[row];
        else
            ((uint16_t *)builder->narrow)[row] = (uint16_t)builder->label[row];
    }
    block->target = builder->narrow;
    return OK;
}

static Status finish_extras(Builder *builder, Block *block, cleave_error *error)
{
    if (builder->weight_rows) {
        TRY(fill_weights(builder, builder->rows, error));
        block->weight = builder->weight;
    }
    if (builder->qid_rows) {
        TRY(fill_qids(builder, builder->rows, error));
        block->qid = builder->qid;
    }
    if (builder->line_rows) {
        TRY(fill_lines(builder, builder->rows, error));
        block->line = builder->line;
        block->first_line = builder->first_line;
    }
    if (builder->name_rows) {
        TRY(fill_names(builder, builder->rows, error));
        block->name_end = builder->name_end;
        block->name = builder->name.data;
    }
    return OK;
}

Status clv_builder_finish(Builder *builder, Block *block, cleave_error *error)
{
    *block = (Block){.rows = builder->rows, .features = builder->features};
    if (builder->dense) {
        size_t total = (size_t)builder->rows * builder->width, nonzeros = 0;

        for (size_t i = 0; i < total; i++)
            nonzeros += builder->value[i] != 0;
        if (nonzeros * 3 <
            total) /* six bytes per entry against four per cell, with a margin for speed */
            TRY(sparsify(builder, error));
    }
    if (builder->dense) {
        block->form = ROWS_DENSE;
        block->value_form = VALUES_EACH;
        block->value = builder->value;
    } else {
        TRY(finish_sparse(builder, block, error));
    }
    TRY(finish_labels(builder, block, error));
    return finish_extras(builder, block, error);
}

size_t clv_builder_bytes(const Builder *builder)
{
    size_t rows = (size_t)builder->rows * 5;

    if (builder->dense)
        return rows + (size_t)builder->rows * builder->width * sizeof(float);
    return rows + builder->entries * (builder->wide ? 8 : 6);
}
