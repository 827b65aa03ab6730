#include "data/block.h"

RowWalk clv_walk(const Block *block, uint32_t row)
{
    RowWalk walk = {.block = block, .row = row, .column = UINT32_MAX, .value = 1};

    if (block->form == ROWS_DENSE) {
        walk.stop = block->features;
    } else {
        walk.at = block_start(block, row);
        walk.stop = block->end[row];
        if (block->value_form == VALUES_PER_ROW)
            walk.value = block->value[row];
    }
    return walk;
}

static bool next_dense(RowWalk *walk)
{
    const float *value = walk->block->value + (size_t)walk->row * walk->block->features;

    while (walk->at < walk->stop) {
        walk->column = walk->at++;
        walk->value = value[walk->column];
        if (walk->value != 0)
            return true;
    }
    return false;
}

bool clv_walk_next(RowWalk *walk)
{
    const Block *block = walk->block;

    if (block->form == ROWS_DENSE)
        return next_dense(walk);
    while (walk->at < walk->stop) {
        uint32_t at = walk->at++;

        if (block->form == ROWS_COLUMNS) {
            walk->column = block->column[at];
            if (block->value_form == VALUES_EACH)
                walk->value = block->value[at];
            return true;
        }
        if (block->value_form == VALUES_EACH) {
            walk->column += block->gap[at];
            walk->value = block->value[at];
            if (walk->value != 0)
                return true;
        } else if (block->gap[at] == 0) {
            walk->column += FILLER_GAP;
        } else {
            walk->column += block->gap[at];
            return true;
        }
    }
    return false;
}

static uint64_t count_values(const float *value, size_t size)
{
    uint64_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += value[i] != 0;
    return count;
}

static uint64_t count_gaps(const uint16_t *gap, size_t size)
{
    uint64_t count = 0;

    for (size_t i = 0; i < size; i++)
        count += gap[i] != 0;
    return count;
}

uint64_t clv_block_entries(const Block *block)
{
    uint32_t end;

    if (block->rows == 0)
        return 0;
    if (block->form == ROWS_DENSE)
        return count_values(block->value, (size_t)block->rows * block->features);
    end = block->end[block->rows - 1];
    if (!block->has_fillers)
        return end;
    return block->value_form == VALUES_EACH ? count_values(block->value, end)
                                            : count_gaps(block->gap, end);
}

void clv_block_count(const Block *block, uint64_t *count)
{
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t column = UINT32_MAX;

        if (block->form != ROWS_GAPS || block->value_form != VALUES_EACH) {
            for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
                count[walk.column]++;
            continue;
        }
        for (uint32_t at = block_start(block, row); at < block->end[row];
             at++) { /* the form in which words are counted */
            column += block->gap[at];
            count[column] += block->value[at] != 0;
        }
    }
}

double clv_block_norm2(const Block *block, uint32_t row)
{
    double sum = 0;

    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        sum += (double)walk.value * (double)walk.value;
    return sum;
}

bool clv_block_is_binary(const Block *block, RowWalk *other)
{
    if (block->form != ROWS_DENSE && block->value_form == VALUES_ONES)
        return true;
    for (uint32_t row = 0; row < block->rows; row++) {
        *other = clv_walk(block, row);
        while (clv_walk_next(other))
            if (other->value != 1)
                return false;
    }
    return true;
}
