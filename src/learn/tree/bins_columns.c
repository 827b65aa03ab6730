/*
 * Makes columns from the results of the first pass: bounds of numeric bins, categories with their
 * own bin, groups of columns, and histogram cells.
 */
#include "learn/tree/bins_making.h"
#include "learn/tree/bounds.h"

#include <stdlib.h>

enum {
    DEFAULT_BINS = 255,
    OWN_BINS = 254,  /* maximum number of categories with their own bin */
    DENSE_SHARE = 4, /* a column is dense if at least one row in this many is nonzero */
};

typedef struct {
    size_t *start; /* start of each feature's values, and the end */
    float *values, *workspace;
    float bounds[MOST_BINS];
    size_t bound_capacity, code_capacity, column_capacity;
    uint64_t work; /* values visited since the last check for cancellation */
} Sorting;

/* Sorts the sample by feature. */
static Status group_sample(Making *making, Sorting *sorting)
{
    Context *context = making->fit->context;

    TRY(ALLOC_ZERO(context, sorting->start, (size_t)making->features + 2, "a sample",
                   making->fit->error));
    TRY(TAKE(making->bins->workspace, context, sorting->values, making->samples, "a sample",
             making->fit->error));
    for (size_t i = 0; i < making->samples; i++)
        sorting->start[making->sample[i].feature + 2]++;
    for (uint32_t i = 0; i < making->features; i++)
        sorting->start[i + 2] += sorting->start[i + 1];
    for (size_t i = 0; i < making->samples; i++)
        sorting->values[sorting->start[making->sample[i].feature + 1]++] = making->sample[i].value;
    bins_give_back(making->bins, making->sample);
    making->sample = NULL;
    return ALLOC(context, sorting->workspace, (size_t)making->sampled + 1, "a sample",
                 making->fit->error);
}

static Status add_column(Making *making, Sorting *sorting, const BinColumn *column)
{
    Bins *bins = making->bins;

    TRY(GROW(bins->context, bins->column, sorting->column_capacity, (size_t)bins->columns + 1,
             making->fit->error));
    making->column_of[column->feature] = bins->columns;
    bins->column[bins->columns++] = *column;
    return OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Whether no bound equals a value. Both arrays are ascending. */
static bool lie_between(const float *bounds, uint32_t count, const float *values, size_t there)
{
    size_t at = 0;

    for (uint32_t i = 0; i < count; i++) {
        while (at < there && values[at] < bounds[i])
            at++;
        if ((at < there && values[at] == bounds[i]) || bounds[i] == 0)
            return false;
    }
    return true;
}

static Status add_numbers(Making *making, Sorting *sorting, uint32_t feature, uint32_t most)
{
    Bins *bins = making->bins;
    float *values = sorting->values + sorting->start[feature];
    size_t count = sorting->start[feature + 1] - sorting->start[feature], missing = 0, zeros;
    BinColumn column = {
        .feature = feature, .missing = NO_BIN, .bound = (uint32_t)bins->bounds, .guide = NO_GUIDE};
    uint32_t bounds;

    zeros = making->sampled - count;
    clv_sort_floats(values, sorting->workspace, count);
    TRY(fit_poll(making->fit, &sorting->work, 16 * (uint64_t)count + 1));
    while (missing < count && values[missing] == MISSING_VALUE)
        missing++;
    if (count - missing + zeros == 0)
        return OK; /* no values */
    bounds = clv_find_bounds(values + missing, count - missing, zeros, most, sorting->bounds);
    column.bins = (uint16_t)(bounds + 1);
    column.between = making->stride == 1 &&
                     lie_between(sorting->bounds, bounds, values + missing, count - missing);
    if (making->lacks[feature])
        column.missing = column.bins++;
    if (column.bins < 2)
        return OK;
    TRY(GROW(bins->context, bins->bound, sorting->bound_capacity, bins->bounds + bounds + 1,
             making->fit->error));
    memcpy(bins->bound + bins->bounds, sorting->bounds, bounds * sizeof *sorting->bounds);
    bins->bounds += bounds;
    TRY(add_column(making, sorting, &column));
    bins->column[bins->columns - 1].default_bin = (uint16_t)clv_bin_of(bins, bins->columns - 1, 0);
    return OK;
}

/* ---- categories ------------------------------------------------------------------------------ */

typedef struct {
    uint32_t count, code;
} Frequent;

static int most_frequent_first(const void *a, const void *b)
{
    const Frequent *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

/* Sets own[code] to 1 for the codes with their own bin. */
static Status choose_codes(Making *making, const BinCodes *codes, uint8_t *own, uint32_t *chosen,
                           bool *others)
{
    Frequent *list;
    uint32_t there = 0;

    TRY(ALLOC(making->fit->context, list, codes->codes + 1, "values", making->fit->error));
    for (uint32_t code = 1; code < codes->codes; code++)
        if (codes->count[code])
            list[there++] = (Frequent){codes->count[code], code};
    if (there > OWN_BINS)
        qsort(list, there, sizeof *list, most_frequent_first);
    *chosen = there > OWN_BINS ? OWN_BINS : there;
    *others = there > OWN_BINS;
    for (uint32_t i = 0; i < *chosen; i++)
        own[list[i].code] = 1;
    clv_free(making->fit->context, list);
    return OK;
}

/* Assigns bins to values in the order of their codes; then the shared bin and the missing bin.
 * Code 0 and codes without training rows are in the shared bin, or in an empty one. */
static Status add_categories(Making *making, Sorting *sorting, uint32_t feature)
{
    Bins *bins = making->bins;
    const BinCodes *codes = &making->codes[feature];
    size_t workspace = codes->codes ? codes->codes : 1;
    BinColumn column = {.feature = feature,
                        .category = true,
                        .missing = NO_BIN,
                        .code = (uint32_t)bins->code_bins,
                        .guide = NO_GUIDE};
    uint32_t chosen = 0, next = 0;
    bool others = false, uncoded;
    uint8_t *map;

    TRY(GROW(bins->context, bins->code_bin, sorting->code_capacity, bins->code_bins + workspace,
             making->fit->error));
    map = bins->code_bin + bins->code_bins;
    memset(map, 0, workspace);
    if (codes->codes)
        TRY(choose_codes(making, codes, map, &chosen, &others));
    uncoded = codes->codes && codes->count[0]; /* whether some rows have a value without a code */
    uncoded = uncoded || making->all_mentions[feature] < bins->all_rows;
    column.bins = (uint16_t)(chosen + (others || uncoded));
    column.codes = (uint32_t)workspace;
    column.default_bin = (uint16_t)chosen;
    if (making->lacks[feature])
        column.missing = column.bins++;
    if (column.bins < 2)
        return OK;
    for (size_t code = 0; code < workspace; code++)
        map[code] = (uint8_t)(map[code] ? next++ : others || uncoded ? chosen : column.bins);
    column.default_bin = map[0];
    bins->code_bins += workspace;
    return add_column(making, sorting, &column);
}

/* ---- groups and cells ------------------------------------------------------------------------ */

static Status group_columns(Making *making)
{
    Bins *bins = making->bins;
    size_t group_capacity = 0;
    uint32_t used = 0;

    TRY(ALLOC(bins->context, bins->member, (size_t)bins->columns + 1, "columns",
              making->fit->error));
    for (uint32_t i = 0; i < bins->columns; i++) {
        BinColumn *column = &bins->column[i];

        column->group = NO_GROUP;
        if (!column->category &&
            making->all_mentions[column->feature] * DENSE_SHARE < bins->all_rows) {
            column->place = bins->lists++;
            continue;
        }
        if (bins->groups == 0 || bins->group[bins->groups - 1].columns == GROUP_COLUMNS ||
            used + column->bins > GROUP_BINS) {
            TRY(GROW(bins->context, bins->group, group_capacity, (size_t)bins->groups + 1,
                     making->fit->error));
            bins->group[bins->groups++] = (BinGroup){.first = bins->members};
            used = 0;
        }
        used += column->bins;
        column->group = bins->groups - 1;
        column->place = bins->group[column->group].columns++;
        bins->member[bins->members++] = i;
    }
    return OK;
}

/* Numbers the cells of a histogram. Cells of dense columns come first. */
static void place_cells(Bins *bins)
{
    for (uint32_t i = 0; i < bins->members; i++) {
        bins->column[bins->member[i]].first = bins->cells;
        bins->cells += bins->column[bins->member[i]].bins;
    }
    for (uint32_t i = 0; i < bins->columns; i++)
        if (bins->column[i].group == NO_GROUP) {
            bins->column[i].first = bins->cells;
            bins->cells += bins->column[i].bins;
        }
    for (uint32_t i = 0; i < bins->groups; i++) {
        bins->group[i].stride = (bins->group[i].columns + 7) / 8 * 8;
        bins->group[i].start = bins->dense_bytes;
        bins->dense_bytes += (size_t)bins->rows * bins->group[i].stride;
    }
}

static Status find_columns(Making *making, Sorting *sorting, uint32_t most)
{
    TRY(group_sample(making, sorting));
    for (uint32_t feature = 0; feature < making->features; feature++) {
        making->column_of[feature] = NO_PLACE;
        if (making->category[feature])
            TRY(add_categories(making, sorting, feature));
        else if (making->all_mentions[feature])
            TRY(add_numbers(making, sorting, feature, most));
    }
    TRY(group_columns(making));
    TRY(clv_bins_make_guides(making));
    place_cells(making->bins);
    if (making->bins->cells > UINT32_MAX)
        return clv_fail(making->fit->error, CLEAVE_ERROR_DATA,
                        "%zu bins in %u columns: expected fewer than 2^32", making->bins->cells,
                        making->bins->columns);
    return OK;
}

Status clv_bins_make_columns(Making *making, const BinOptions *options)
{
    uint32_t most = options->bins ? options->bins : DEFAULT_BINS;
    Context *context = making->fit->context;
    Sorting *sorting;
    Status status;

    TRY(ALLOC_ZERO(context, sorting, 1, "bounds", making->fit->error));
    status = find_columns(making, sorting, most > DEFAULT_BINS ? DEFAULT_BINS : most);
    clv_free(context, sorting->start);
    bins_give_back(making->bins, sorting->values);
    FREE(context, sorting->workspace, sorting);
    return status;
}
