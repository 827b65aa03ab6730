/*
 * Replaces values by bins: the bin of a value, and the second pass over the data, which writes the
 * matrix.
 */
#include "learn/tree/bins_making.h"

#include <math.h>

enum {
    GUIDE_CELLS = 512, /* number of cells per column */
    GUIDED_BINS = 16,  /* columns with fewer bins have no guide */
};

/* ---- guides ---------------------------------------------------------------------------------- */

/* A guide divides the range of numbers into cells of equal width and stores, per cell, the number
 * of bounds in earlier cells. For evenly distributed values, few comparisons remain. The cell
 * number is monotone in the value under rounding, so the result is exact. */
static uint32_t guide_cell(const BinColumn *column, float value)
{
    float at = (value - column->guide_from) * column->guide_scale;

    return at <= 0 ? 0 : at >= (float)(GUIDE_CELLS - 1) ? GUIDE_CELLS - 1 : (uint32_t)at;
}

static uint32_t bounds_of(const BinColumn *column)
{
    return column->bins - 1u - (column->missing != NO_BIN);
}

static bool takes_guide(const Bins *bins, const BinColumn *column)
{
    const float *bound = bins->bound + column->bound;
    float width;

    if (column->category || column->group == NO_GROUP || bounds_of(column) < GUIDED_BINS)
        return false;
    width = bound[bounds_of(column) - 1] - bound[0];
    return width > 0 && isfinite(width) && isfinite((float)GUIDE_CELLS / width);
}

static void fill_guide(const float *bound, uint32_t count, BinColumn *column, uint8_t *guide)
{
    uint32_t at = 0;

    column->guide_from = bound[0];
    column->guide_scale = (float)GUIDE_CELLS / (bound[count - 1] - bound[0]);
    for (uint32_t cell = 0; cell <= GUIDE_CELLS; cell++) {
        while (at < count && guide_cell(column, bound[at]) < cell)
            at++;
        guide[cell] = (uint8_t)at;
    }
}

Status clv_bins_make_guides(Making *making)
{
    Bins *bins = making->bins;
    uint32_t guides = 0;

    for (uint32_t i = 0; i < bins->columns; i++)
        bins->column[i].guide = takes_guide(bins, &bins->column[i]) ? guides++ * (GUIDE_CELLS + 1)
                                                                    : NO_GUIDE;
    TRY(ALLOC(bins->context, bins->guide, (size_t)guides * (GUIDE_CELLS + 1), "bounds",
              making->fit->error));
    for (uint32_t i = 0; i < bins->columns; i++) {
        BinColumn *column = &bins->column[i];

        if (column->guide != NO_GUIDE)
            fill_guide(bins->bound + column->bound, bounds_of(column), column,
                       bins->guide + column->guide);
    }
    return OK;
}

/* ---- the bin of a value ---------------------------------------------------------------------- */

/* The number of bounds below the value, by branch-free bisection. */
static uint32_t bounds_below(const float *bound, uint32_t count, float value)
{
    const float *base = bound;

    while (count > 1) {
        uint32_t half = count / 2;

        base += base[half - 1] < value ? half : 0;
        count -= half;
    }
    return (uint32_t)(base - bound) + (count == 1 && *base < value);
}

uint32_t clv_bin_of(const Bins *bins, uint32_t number, float value)
{
    const BinColumn *column = &bins->column[number];
    uint32_t code;

    if (value == MISSING_VALUE && column->missing != NO_BIN)
        return column->missing;
    if (!column->category && column->guide != NO_GUIDE) {
        const uint8_t *guide = bins->guide + column->guide + guide_cell(column, value);

        return guide[0] + bounds_below(bins->bound + column->bound + guide[0],
                                       (uint32_t)guide[1] - guide[0], value);
    }
    if (!column->category)
        return bounds_below(bins->bound + column->bound, bounds_of(column), value);
    code = bins_code(value);
    return bins->code_bin[column->code + (code < column->codes ? code : 0)];
}

/* ---- the second pass ------------------------------------------------------------------------- */

typedef struct {
    Making *making;
    uint32_t row;
    uint8_t *default_bin; /* default bins of dense columns, by position */
} Filling;

static uint8_t *dense_row(const Bins *bins, uint32_t group, uint32_t row)
{
    return bins->dense + bins->group[group].start + (size_t)row * bins->group[group].stride;
}

static void fill_row(Filling *filling, const Block *block, uint32_t row)
{
    Making *making = filling->making;
    Bins *bins = making->bins;

    for (uint32_t group = 0; group < bins->groups; group++)
        memcpy(dense_row(bins, group, filling->row),
               filling->default_bin + (size_t)group * GROUP_COLUMNS, bins->group[group].stride);
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        uint32_t number = making->column_of[walk.column];
        const BinColumn *column;
        uint32_t bin;

        if (number == NO_PLACE)
            continue;
        column = &bins->column[number];
        bin = clv_bin_of(bins, number, walk.value);
        if (column->group != NO_GROUP)
            dense_row(bins, column->group, filling->row)[column->place] = (uint8_t)bin;
        else if (bin != column->default_bin)
            bins->entry[bins->entries++] = (uint32_t)(column->first + bin);
    }
    if (bins->lists)
        bins->entry_end[filling->row] = bins->entries;
    filling->row++;
}

static Status fill(void *user, const Block *block, cleave_error *error)
{
    Filling *filling = user;

    (void)error;
    if (fit_cancelled(filling->making->fit))
        return CLEAVE_ERROR_CANCELLED;
    for (uint32_t row = 0; row < block->rows; row++)
        if (filling->row < filling->making->bins->rows &&
            clv_bins_takes(filling->making->fit, block, row))
            fill_row(filling, block, row);
    return OK;
}

/* An upper bound of the number of entries: one per value in list columns. Values in the default bin
 * have none. */
static uint64_t most_entries(const Making *making)
{
    const Bins *bins = making->bins;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < bins->columns; i++)
        if (bins->column[i].group == NO_GROUP)
            sum += making->mentions[bins->column[i].feature];
    return sum;
}

static size_t mean_row_bytes(const Making *making)
{
    const Bins *bins = making->bins;
    uint64_t entries = 0;
    size_t bytes = 0;

    for (uint32_t i = 0; i < bins->groups; i++)
        bytes += bins->group[i].stride;
    for (uint32_t i = 0; i < bins->columns; i++)
        if (bins->column[i].group == NO_GROUP)
            entries += making->all_mentions[bins->column[i].feature];
    return bytes + (size_t)(entries * sizeof *bins->entry / (bins->all_rows ? bins->all_rows : 1));
}

Status clv_bins_fill(Making *making, Dataset *dataset)
{
    Bins *bins = making->bins;
    Filling filling = {.making = making};
    Status status;

    bins->row_bytes = mean_row_bytes(making);
    TRY(TAKE(bins->workspace, bins->context, bins->dense, bins->dense_bytes, "bins",
             making->fit->error));
    TRY(TAKE(bins->workspace, bins->context, bins->entry, most_entries(making), "bins",
             making->fit->error));
    TRY(TAKE(bins->workspace, bins->context, bins->entry_end, bins->lists ? bins->rows : 0, "bins",
             making->fit->error));
    TRY(clv_new(bins->context, &filling.default_bin, (size_t)bins->groups * GROUP_COLUMNS + 1, 1,
                true, "bins", making->fit->error));
    for (uint32_t i = 0; i < bins->columns; i++)
        if (bins->column[i].group != NO_GROUP)
            filling.default_bin[bins->column[i].group * GROUP_COLUMNS + bins->column[i].place] =
                (uint8_t)bins->column[i].default_bin;
    status = bins_tour(making, dataset, fill, &filling);
    for (uint32_t row = filling.row; bins->lists && row < bins->rows; row++)
        bins->entry_end[row] = bins->entries; /* valid even if the pass is interrupted */
    clv_free(bins->context, filling.default_bin);
    return status;
}
