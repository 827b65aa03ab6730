/*
 * Binning takes two tours of the data: the first counts, and keeps a sample of values; the second replaces values by bins. A column of some
 * thousand rows is sampled whole, so its bounds are exact.
 */
#include "learn/tree/bins.h"

#include "base/random.h"
#include "data/tour.h"
#include "learn/tree/bounds.h"

#include <stdlib.h>

enum {
    USUAL_BINS = 255,
    USUAL_SAMPLE = 200000,
    SAMPLE_STEP = 1 << 12,
    SAMPLE_ENTRIES = 1 << 23, /* at most, about: 64 MB */
    OWN_BINS = 254,           /* most values of a column of categories that have a bin of their own */
    DENSE_SHARE = 4,          /* a column is dense where one row in so many has a value that is not 0 */
    MOST_CODES = 1 << 24,     /* feature/codes.c makes no more */
    GUIDE_CELLS = 512,        /* of a column's guide */
    GUIDED_BINS = 16,         /* columns of fewer have none */
};
#define MOST_NUMBER 1e37 /* differences are floats */
#define NO_PLACE UINT32_MAX
#define MOST_ROWS (UINT32_MAX - 1)

typedef struct {
    uint32_t feature;
    float value;
} SampleEntry;

typedef struct {
    uint32_t *count; /* by code */
    size_t capacity, codes;
} Codes;

/* What the first tour finds. */
typedef struct {
    Fit *fit;
    Bins *bins;
    uint32_t features;
    uint64_t *mentions;     /* rows in which a feature is not 0 */
    uint64_t *all_mentions; /* … of all processes */
    bool *lacks, *category;
    Codes *codes;        /* of categories */
    uint32_t *column_of; /* of each feature; NO_PLACE: it tells nothing */
    uint64_t most_rows;  /* of the dataset: those with a label, and here, are not more */

    uint64_t stride, seed; /* a row of every so many is sampled */
    uint64_t met, next;    /* rows met, the next one of the sample */
    uint32_t sampled;
    SampleEntry *sample;
    size_t samples, sample_capacity;
} Making;

static bool is_category(const Fit *fit, uint32_t feature)
{
    char buffer[24];
    const char *name;
    int found;

    if (!fit->schema || !fit->names || fit->names->implicit || !clv_schema_is_table(fit->schema) ||
        feature >= fit->names->count)
        return false;
    name = clv_names_get(fit->names, feature, buffer);
    found = clv_schema_find(fit->schema, name, strlen(name));
    return found >= 0 && fit->schema->column[found].kind == COLUMN_CATEGORY;
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static void give_back(const Bins *bins, void *array)
{
    clv_room_give(bins->room, bins->context, array);
}

void clv_bins_free(Bins *bins)
{
    if (!bins->context)
        return;
    give_back(bins, bins->dense);
    give_back(bins, bins->entry);
    give_back(bins, bins->entry_end);
    clv_free(bins->context, bins->group);
    clv_free(bins->context, bins->member);
    clv_free(bins->context, bins->column);
    clv_free(bins->context, bins->bound);
    clv_free(bins->context, bins->code_bin);
    clv_free(bins->context, bins->guide);
    give_back(bins, bins->label);
    give_back(bins, bins->number);
    give_back(bins, bins->weight);
    *bins = (Bins){0};
}

static void free_making(Making *making)
{
    Context *context = making->fit->context;

    for (uint32_t i = 0; making->codes && i < making->features; i++)
        clv_free(context, making->codes[i].count);
    clv_free(context, making->codes);
    clv_free(context, making->mentions);
    clv_free(context, making->all_mentions);
    clv_free(context, making->lacks);
    clv_free(context, making->category);
    clv_free(context, making->column_of);
    give_back(making->bins, making->sample);
}

static Status begin_making(Making *making, const Dataset *dataset, const BinOptions *options)
{
    Context *context = making->fit->context;
    size_t room = (size_t)dataset->features + 1;
    uint64_t wanted = options->sample ? options->sample : USUAL_SAMPLE;
    uint64_t affordable = dataset->entries / SAMPLE_ENTRIES + 1;

    making->features = dataset->features;
    making->mentions = clv_alloc_zero(context, room, sizeof *making->mentions);
    making->all_mentions = clv_alloc(context, room, sizeof *making->all_mentions);
    making->lacks = clv_alloc_zero(context, room, sizeof *making->lacks);
    making->category = clv_alloc_zero(context, room, sizeof *making->category);
    making->codes = clv_alloc_zero(context, room, sizeof *making->codes);
    making->column_of = clv_alloc(context, room, sizeof *making->column_of);
    if (!making->mentions || !making->all_mentions || !making->lacks || !making->category || !making->codes ||
        !making->column_of)
        return clv_fail_memory(making->fit->error, "columns", room * sizeof(Codes));
    for (uint32_t i = 0; i < making->features; i++)
        making->category[i] = is_category(making->fit, i);
    making->stride = (dataset->rows + wanted - 1) / wanted;
    if (making->stride < affordable)
        making->stride = affordable;
    if (making->stride == 0)
        making->stride = 1;
    making->seed = options->seed;
    making->most_rows = dataset->rows;
    return OK;
}

static Status make_room_for_targets(Making *making)
{
    Bins *bins = making->bins;

    if (making->fit->task == CLEAVE_TASK_REGRESSION)
        return TAKE(bins->room, bins->context, bins->number, making->most_rows, "targets", making->fit->error);
    return TAKE(bins->room, bins->context, bins->label, making->most_rows, "labels", making->fit->error);
}

/* An interrupt ends it early: there are bins for the rows met so far, and no tree that would ask what the others are in. */
static Status tour(Making *making, Dataset *dataset, TourVisit *visit, void *user)
{
    Status status = clv_tour_all(dataset, visit, user, making->fit->error);

    return status == CLEAVE_ERROR_CANCELLED ? OK : status;
}

/* ---- the first tour ----------------------------------------------------------------------------------------------- */

/* Whether a row is one to learn from, and what it asks for. */
static bool is_training_row(const Fit *fit, const Block *block, uint32_t row, double *number, uint32_t *label,
                            double *weight)
{
    bool regression = fit->task == CLEAVE_TASK_REGRESSION;

    *label = block_label(block, row);
    *number = regression ? fit_target(fit, block, row) : 0;
    if (regression ? isnan(*number) : *label >= fit->classes)
        return false;
    *weight = fit_weight(fit, block, row, *label);
    return *weight > 0;
}

bool clv_bins_takes(const Fit *fit, const Block *block, uint32_t row)
{
    double number, weight;
    uint32_t label;

    return is_training_row(fit, block, row, &number, &label, &weight);
}

/* Rows so far weigh 1. */
static Status begin_weights(Making *making)
{
    Bins *bins = making->bins;

    TRY(TAKE(bins->room, bins->context, bins->weight, making->most_rows, "weights", making->fit->error));
    for (uint32_t i = 0; i < bins->rows; i++)
        bins->weight[i] = 1;
    return OK;
}

static Status keep_target(Making *making, double number, uint32_t label, double weight)
{
    Bins *bins = making->bins;
    Fit *fit = making->fit;
    size_t need = (size_t)bins->rows + 1;

    if (bins->rows == MOST_ROWS)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA, "more than %u training rows", MOST_ROWS);
    if (!(fabs(number) * fmax(weight, 1) <= MOST_NUMBER)) {
        clv_fail(fit->error, CLEAVE_ERROR_DATA,
                 "a label is %g: %s takes numbers, times the weights of their rows, of at most %g either way", number,
                 fit->method ? fit->method->name : "a tree", MOST_NUMBER);
        return clv_hint(fit->error, CLEAVE_ERROR_DATA, "give labels in larger units, or leave the row out");
    }
    if (need > making->most_rows)
        return clv_fail(fit->error, CLEAVE_ERROR_INTERNAL, "more rows than the dataset says, %llu",
                        (unsigned long long)making->most_rows);
    if (fit->task == CLEAVE_TASK_REGRESSION)
        bins->number[bins->rows] = number;
    else
        bins->label[bins->rows] = label;
    if (weight != 1 && !bins->weight)
        TRY(begin_weights(making));
    if (bins->weight)
        bins->weight[bins->rows] = (float)weight;
    bins->rows++;
    return OK;
}

/* Values that are no code at all are as those that nobody knows. */
static uint32_t code_of(float value)
{
    return value >= 1 && value <= (float)MOST_CODES ? (uint32_t)value : 0;
}

static Status reach(Making *making, Codes *codes, size_t count)
{
    if (count <= codes->codes)
        return OK;
    TRY(GROW(making->fit->context, codes->count, codes->capacity, count, making->fit->error));
    memset(codes->count + codes->codes, 0, (count - codes->codes) * sizeof *codes->count);
    codes->codes = count;
    return OK;
}

static Status count_code(Making *making, uint32_t feature, float value)
{
    Codes *codes = &making->codes[feature];
    uint32_t code = code_of(value);

    TRY(reach(making, codes, (size_t)code + 1));
    codes->count[code]++;
    return OK;
}

static Status look_at_row(Making *making, const Block *block, uint32_t row, bool sampled)
{
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
        making->mentions[walk.column]++;
        making->lacks[walk.column] |= walk.value == MISSING_VALUE;
        if (making->category[walk.column]) {
            if (walk.value != MISSING_VALUE)
                TRY(count_code(making, walk.column, walk.value));
        } else if (sampled) {
            if (making->samples == making->sample_capacity)
                TRY(clv_room_grow(making->bins->room, making->fit->context, &making->sample, &making->sample_capacity,
                                  making->samples + SAMPLE_STEP, sizeof *making->sample, "a sample",
                                  making->fit->error));
            making->sample[making->samples++] = (SampleEntry){walk.column, walk.value};
        }
    }
    return OK;
}

/* One row of every stride, by chance which. */
static void choose_next_sample(Making *making)
{
    uint64_t step = making->met / making->stride;
    Random random = clv_random(making->seed, step);

    making->next = step * making->stride + clv_random_next(&random) % making->stride;
}

static Status look(void *user, const Block *block, cleave_error *error)
{
    Making *making = user;

    (void)error;
    if (making->bins->rows > 0 && fit_cancelled(making->fit))
        return CLEAVE_ERROR_CANCELLED;
    for (uint32_t row = 0; row < block->rows; row++) {
        double number, weight;
        uint32_t label;
        bool sampled;

        if (!is_training_row(making->fit, block, row, &number, &label, &weight))
            continue;
        TRY(keep_target(making, number, label, weight));
        if (making->met % making->stride == 0)
            choose_next_sample(making);
        sampled = making->met++ == making->next;
        making->sampled += sampled;
        TRY(look_at_row(making, block, row, sampled));
    }
    return OK;
}

/* ---- several processes ---------------------------------------------------------------------------------------------- */

static Status count_training_rows(void *user, const Block *block, cleave_error *error)
{
    Making *making = user;

    (void)error;
    for (uint32_t row = 0; row < block->rows; row++) {
        double number, weight;
        uint32_t label;

        making->met += is_training_row(making->fit, block, row, &number, &label, &weight);
    }
    return OK;
}

static Status gather(const Making *making, const void *mine, size_t bytes, Buffer *all)
{
    const Together *together = making->bins->together;

    return together->gather(together->user, mine, bytes, all, NULL, making->fit->error);
}

static Status add_up(const Making *making, void *numbers, size_t count, size_t bytes_of_each)
{
    const Together *together = making->bins->together;

    return together->add_up(together->user, numbers, count, bytes_of_each, making->fit->error);
}

/* The number of the first row that is here, and of all rows. */
static Status number_rows(Making *making, Dataset *dataset)
{
    Bins *bins = making->bins;
    uint64_t before = 0, all = 0;
    Buffer rows = {0};

    TRY(clv_tour_all(dataset, count_training_rows, making, making->fit->error));
    TRY(gather(making, &making->met, sizeof making->met, &rows));
    for (uint32_t i = 0; i < bins->together->count; i++) {
        uint64_t theirs;

        memcpy(&theirs, rows.data + i * sizeof theirs, sizeof theirs);
        before += i < bins->together->number ? theirs : 0;
        all += theirs;
    }
    clv_free(bins->context, rows.data);
    if (all > MOST_ROWS)
        return clv_fail(making->fit->error, CLEAVE_ERROR_DATA, "more than %u training rows", MOST_ROWS);
    bins->first = (uint32_t)before;
    bins->all_rows = (uint32_t)all;
    making->most_rows = making->met;
    making->met = before;
    if (before % making->stride) /* a process before this one has the beginning of the stride */
        choose_next_sample(making);
    return OK;
}

/* As many codes of each column as the process that has most. */
static Status agree_on_codes(Making *making)
{
    uint32_t features = making->features;
    uint64_t *count = clv_alloc(making->fit->context, (size_t)features + 1, sizeof *count), theirs;
    Buffer all = {0};
    Status status;

    if (!count)
        return clv_fail_memory(making->fit->error, "columns", features * sizeof *count);
    for (uint32_t i = 0; i < features; i++)
        count[i] = making->codes[i].codes;
    status = gather(making, count, features * sizeof *count, &all);
    for (size_t i = 0; i < all.size / sizeof *count && status == OK; i++) {
        memcpy(&theirs, all.data + i * sizeof theirs, sizeof theirs);
        status = reach(making, &making->codes[i % features], theirs);
    }
    clv_free(making->fit->context, count);
    clv_free(making->fit->context, all.data);
    return status;
}

static Status add_up_codes(Making *making)
{
    Status status = OK;

    TRY(agree_on_codes(making));
    for (uint32_t i = 0; i < making->features && status == OK; i++)
        if (making->codes[i].codes)
            status = add_up(making, making->codes[i].count, making->codes[i].codes, sizeof *making->codes[i].count);
    return status;
}

static Status gather_sample(Making *making)
{
    uint64_t sampled = making->sampled;
    Buffer all = {0};
    Status status;

    TRY(add_up(making, &sampled, 1, sizeof sampled));
    TRY(gather(making, making->sample, making->samples * sizeof *making->sample, &all));
    give_back(making->bins, making->sample);
    making->sample = NULL;
    making->samples = all.size / sizeof *making->sample;
    making->sampled = (uint32_t)sampled;
    status = TAKE(making->bins->room, making->fit->context, making->sample, making->samples, "a sample",
                  making->fit->error);
    if (status == OK && all.size)
        memcpy(making->sample, all.data, all.size);
    clv_free(making->fit->context, all.data);
    return status;
}

/* What the first tour found, as if it had been of all rows. */
static Status agree(Making *making)
{
    const Bins *bins = making->bins;
    uint32_t features = making->features;
    uint64_t *marks = clv_alloc(making->fit->context, (size_t)features + 1, sizeof *marks);
    Status status;

    if (!marks)
        return clv_fail_memory(making->fit->error, "columns", features * sizeof *marks);
    for (uint32_t i = 0; i < features; i++)
        marks[i] = making->lacks[i];
    marks[features] = bins->weight != NULL;
    status = add_up(making, marks, (size_t)features + 1, sizeof *marks);
    for (uint32_t i = 0; i < features && status == OK; i++)
        making->lacks[i] = marks[i] > 0;
    if (status == OK && marks[features] > 0 && !bins->weight)
        status = begin_weights(making);
    clv_free(making->fit->context, marks);
    TRY(status);
    TRY(add_up(making, making->all_mentions, features, sizeof *making->all_mentions));
    TRY(add_up_codes(making));
    return gather_sample(making);
}

static Status first_tour(Making *making, Dataset *dataset)
{
    Bins *bins = making->bins;

    if (bins->together)
        TRY(number_rows(making, dataset));
    TRY(make_room_for_targets(making));
    TRY(tour(making, dataset, look, making));
    memcpy(making->all_mentions, making->mentions, making->features * sizeof *making->mentions);
    if (bins->together)
        return agree(making);
    bins->all_rows = bins->rows;
    return OK;
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

typedef struct {
    size_t *start; /* of each feature's values, and the end */
    float *values, *room;
    float bounds[MOST_BINS];
    size_t bound_capacity, code_capacity, column_capacity;
} Sorting;

/* Values of the sample, those of each feature together. */
static Status group_sample(Making *making, Sorting *sorting)
{
    Context *context = making->fit->context;

    sorting->start = clv_alloc_zero(context, (size_t)making->features + 2, sizeof *sorting->start);
    if (!sorting->start)
        return clv_fail_memory(making->fit->error, "a sample", making->features * sizeof *sorting->start);
    TRY(TAKE(making->bins->room, context, sorting->values, making->samples, "a sample", making->fit->error));
    for (size_t i = 0; i < making->samples; i++)
        sorting->start[making->sample[i].feature + 2]++;
    for (uint32_t i = 0; i < making->features; i++)
        sorting->start[i + 2] += sorting->start[i + 1];
    for (size_t i = 0; i < making->samples; i++)
        sorting->values[sorting->start[making->sample[i].feature + 1]++] = making->sample[i].value;
    give_back(making->bins, making->sample);
    making->sample = NULL;
    sorting->room = clv_alloc(context, (size_t)making->sampled + 1, sizeof *sorting->room);
    return sorting->room ? OK : clv_fail_memory(making->fit->error, "a sample", making->sampled * sizeof(float));
}

static Status add_column(Making *making, Sorting *sorting, const BinColumn *column)
{
    Bins *bins = making->bins;

    TRY(GROW(bins->context, bins->column, sorting->column_capacity, (size_t)bins->columns + 1, making->fit->error));
    making->column_of[column->feature] = bins->columns;
    bins->column[bins->columns++] = *column;
    return OK;
}

/* Whether no bound is a value; both ascend. */
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
    BinColumn column = {.feature = feature, .missing = NO_BIN, .bound = (uint32_t)bins->bounds, .guide = NO_GUIDE};
    uint32_t bounds;

    zeros = making->sampled - count;
    clv_sort_floats(values, sorting->room, count);
    while (missing < count && values[missing] == MISSING_VALUE)
        missing++;
    if (count - missing + zeros == 0)
        return OK; /* nobody has a value */
    bounds = clv_find_bounds(values + missing, count - missing, zeros, most, sorting->bounds);
    column.bins = (uint16_t)(bounds + 1);
    column.between = making->stride == 1 && lie_between(sorting->bounds, bounds, values + missing, count - missing);
    if (making->lacks[feature])
        column.missing = column.bins++;
    if (column.bins < 2)
        return OK;
    TRY(GROW(bins->context, bins->bound, sorting->bound_capacity, bins->bounds + bounds + 1, making->fit->error));
    memcpy(bins->bound + bins->bounds, sorting->bounds, bounds * sizeof *sorting->bounds);
    bins->bounds += bounds;
    TRY(add_column(making, sorting, &column));
    bins->column[bins->columns - 1].usual = (uint16_t)clv_bin_of(bins, bins->columns - 1, 0);
    return OK;
}

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

/* The codes that have a bin of their own: marks them by 1 in own. */
static Status choose_codes(Making *making, const Codes *codes, uint8_t *own, uint32_t *chosen, bool *others)
{
    Frequent *list = clv_alloc(making->fit->context, codes->codes + 1, sizeof *list);
    uint32_t there = 0;

    if (!list)
        return clv_fail_memory(making->fit->error, "values", codes->codes * sizeof *list);
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

/* Bins of values in the order of their codes; then the one that is shared, then the one of missing values. Code 0 and those that no training
 * row has are in the shared one, or in one that no training row is in. */
static Status add_categories(Making *making, Sorting *sorting, uint32_t feature)
{
    Bins *bins = making->bins;
    const Codes *codes = &making->codes[feature];
    size_t room = codes->codes ? codes->codes : 1;
    BinColumn column = {
        .feature = feature, .category = true, .missing = NO_BIN, .code = (uint32_t)bins->code_bins, .guide = NO_GUIDE};
    uint32_t chosen = 0, next = 0;
    bool others = false, nobody;
    uint8_t *map;

    TRY(GROW(bins->context, bins->code_bin, sorting->code_capacity, bins->code_bins + room, making->fit->error));
    map = bins->code_bin + bins->code_bins;
    memset(map, 0, room);
    if (codes->codes)
        TRY(choose_codes(making, codes, map, &chosen, &others));
    nobody = codes->codes && codes->count[0]; /* rows whose value has no code at all */
    nobody = nobody || making->all_mentions[feature] < bins->all_rows;
    column.bins = (uint16_t)(chosen + (others || nobody));
    column.codes = (uint32_t)room;
    column.usual = (uint16_t)chosen;
    if (making->lacks[feature])
        column.missing = column.bins++;
    if (column.bins < 2)
        return OK;
    for (size_t code = 0; code < room; code++)
        map[code] = (uint8_t)(map[code] ? next++ : others || nobody ? chosen : column.bins);
    column.usual = map[0];
    bins->code_bins += room;
    return add_column(making, sorting, &column);
}

/* Whether another column of so many bins can be in the last group, which has so many already. */
static bool has_room(const Bins *bins, uint32_t used, uint32_t more)
{
    return bins->groups > 0 && bins->group[bins->groups - 1].columns < GROUP_COLUMNS && used + more <= GROUP_BINS;
}

static Status group_columns(Making *making)
{
    Bins *bins = making->bins;
    size_t group_capacity = 0;
    uint32_t used = 0;

    bins->member = clv_alloc(bins->context, (size_t)bins->columns + 1, sizeof *bins->member);
    if (!bins->member)
        return clv_fail_memory(making->fit->error, "columns", bins->columns * sizeof *bins->member);
    for (uint32_t i = 0; i < bins->columns; i++) {
        BinColumn *column = &bins->column[i];

        column->group = NO_GROUP;
        if (!column->category && making->all_mentions[column->feature] * DENSE_SHARE < bins->all_rows) {
            column->place = bins->lists++;
            continue;
        }
        if (!has_room(bins, used, column->bins)) {
            TRY(GROW(bins->context, bins->group, group_capacity, (size_t)bins->groups + 1, making->fit->error));
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

/* Cells of dense columns first. */
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

/* ---- guides ------------------------------------------------------------------------------------------------------- */

/* A guide parts the line of numbers into cells of one width and knows, of each cell, how many bounds lie in those before it: where values are spread evenly enough, few are left to be
 * compared with. Which cell a number is in never falls as the number grows, rounding and all, so that the answer is exact. */
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

static Status make_guides(Making *making)
{
    Bins *bins = making->bins;
    uint32_t guides = 0;

    for (uint32_t i = 0; i < bins->columns; i++)
        bins->column[i].guide = takes_guide(bins, &bins->column[i]) ? guides++ * (GUIDE_CELLS + 1) : NO_GUIDE;
    bins->guide = clv_alloc(bins->context, (size_t)guides * (GUIDE_CELLS + 1), sizeof *bins->guide);
    if (!bins->guide)
        return clv_fail_memory(making->fit->error, "bounds", (size_t)guides * (GUIDE_CELLS + 1));
    for (uint32_t i = 0; i < bins->columns; i++) {
        BinColumn *column = &bins->column[i];

        if (column->guide != NO_GUIDE)
            fill_guide(bins->bound + column->bound, bounds_of(column), column, bins->guide + column->guide);
    }
    return OK;
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
    TRY(make_guides(making));
    place_cells(making->bins);
    if (making->bins->cells > UINT32_MAX)
        return clv_fail(making->fit->error, CLEAVE_ERROR_DATA, "%zu bins of %u columns: expected fewer than 2^32",
                        making->bins->cells, making->bins->columns);
    return OK;
}

static Status make_columns(Making *making, const BinOptions *options)
{
    uint32_t most = options->bins ? options->bins : USUAL_BINS;
    Context *context = making->fit->context;
    Sorting *sorting = clv_alloc_zero(context, 1, sizeof *sorting);
    Status status;

    if (!sorting)
        return clv_fail_memory(making->fit->error, "bounds", sizeof *sorting);
    status = find_columns(making, sorting, most > USUAL_BINS ? USUAL_BINS : most);
    clv_free(context, sorting->start);
    give_back(making->bins, sorting->values);
    clv_free(context, sorting->room);
    clv_free(context, sorting);
    return status;
}

/* ---- the second tour ---------------------------------------------------------------------------------------------- */

/* Bounds below the value: halving, with nothing to guess. */
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

        return guide[0] + bounds_below(bins->bound + column->bound + guide[0], (uint32_t)guide[1] - guide[0], value);
    }
    if (!column->category)
        return bounds_below(bins->bound + column->bound, bounds_of(column), value);
    code = code_of(value);
    return bins->code_bin[column->code + (code < column->codes ? code : 0)];
}

typedef struct {
    Making *making;
    uint32_t row;
    uint8_t *usual; /* of dense columns, by place */
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
        memcpy(dense_row(bins, group, filling->row), filling->usual + (size_t)group * GROUP_COLUMNS,
               bins->group[group].stride);
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
        else if (bin != column->usual)
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
    for (uint32_t row = 0; row < block->rows; row++) {
        double number, weight;
        uint32_t label;

        if (filling->row < filling->making->bins->rows &&
            is_training_row(filling->making->fit, block, row, &number, &label, &weight))
            fill_row(filling, block, row);
    }
    return OK;
}

/* As many entries as rows mention columns in lists; some may be in the usual bin. */
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

static Status fill_matrix(Making *making, Dataset *dataset)
{
    Bins *bins = making->bins;
    Filling filling = {.making = making};
    Status status;

    bins->row_bytes = mean_row_bytes(making);
    TRY(TAKE(bins->room, bins->context, bins->dense, bins->dense_bytes, "bins", making->fit->error));
    TRY(TAKE(bins->room, bins->context, bins->entry, most_entries(making), "bins", making->fit->error));
    TRY(TAKE(bins->room, bins->context, bins->entry_end, bins->lists ? bins->rows : 0, "bins", making->fit->error));
    filling.usual = clv_alloc_zero(bins->context, (size_t)bins->groups * GROUP_COLUMNS + 1, 1);
    if (!filling.usual)
        return clv_fail_memory(making->fit->error, "bins", (size_t)bins->groups * GROUP_COLUMNS + 1);
    for (uint32_t i = 0; i < bins->columns; i++)
        if (bins->column[i].group != NO_GROUP)
            filling.usual[bins->column[i].group * GROUP_COLUMNS + bins->column[i].place] = (uint8_t)bins->column[i]
                                                                                               .usual;
    status = tour(making, dataset, fill, &filling);
    for (uint32_t row = filling.row; bins->lists && row < bins->rows; row++)
        bins->entry_end[row] = bins->entries; /* where it was interrupted */
    clv_free(bins->context, filling.usual);
    return status;
}

Status clv_bins_make(Bins *bins, Fit *fit, Dataset *dataset, const BinOptions *options, const Room *room)
{
    Making making = {.fit = fit, .bins = bins};
    Status status;

    *bins = (Bins){.context = fit->context, .room = room, .together = fit->together};
    status = begin_making(&making, dataset, options);
    if (status == OK)
        status = first_tour(&making, dataset);
    if (status == OK)
        status = make_columns(&making, options);
    if (status == OK)
        status = fill_matrix(&making, dataset);
    free_making(&making);
    if (status != OK)
        clv_bins_free(bins);
    return status;
}

uint32_t clv_bins_get(const Bins *bins, uint32_t number, uint32_t row)
{
    const BinColumn *column = &bins->column[number];
    uint64_t low, high;

    if (column->group != NO_GROUP)
        return dense_row(bins, column->group, row)[column->place];
    low = row ? bins->entry_end[row - 1] : 0;
    high = bins->entry_end[row];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (bins->entry[middle] < column->first)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < bins->entry_end[row] && bins->entry[low] < column->first + column->bins)
        return (uint32_t)(bins->entry[low] - column->first);
    return column->usual;
}
