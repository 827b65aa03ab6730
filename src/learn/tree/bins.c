/*
 * Makes bins in two passes over the data: the first counts and samples values, the second replaces
 * values by bins. Columns of some thousand rows are sampled completely, so that their bounds are
 * exact.
 */
#include "learn/tree/bins.h"

#include "learn/tree/bins_making.h"

enum {
    DEFAULT_SAMPLE = 200000,
    SAMPLE_ENTRIES = 1 << 23, /* approximate maximum of sampled values; they take 64 MB */
};

void clv_bins_free(Bins *bins)
{
    if (!bins->context)
        return;
    bins_give_back(bins, bins->dense);
    bins_give_back(bins, bins->entry);
    bins_give_back(bins, bins->entry_end);
    FREE(bins->context, bins->group, bins->member, bins->column, bins->bound, bins->code_bin,
         bins->guide);
    bins_give_back(bins, bins->label);
    bins_give_back(bins, bins->number);
    bins_give_back(bins, bins->weight);
    *bins = (Bins){0};
}

/* Finds the columns of the schema that are categorical. The name of each column is looked up
 * once. */
static void find_categories(Making *making)
{
    const Schema *schema = making->fit->problem->schema;
    const Names *names = making->fit->problem->names;

    if (!schema || !names || names->implicit || !clv_schema_is_table(schema))
        return;
    for (uint32_t i = 0; i < schema->count; i++) {
        const char *name = schema->column[i].name;
        uint32_t feature = schema->column[i].kind == COLUMN_CATEGORY
                               ? clv_names_find(names, name, strlen(name))
                               : NO_COLUMN;

        if (feature < making->features)
            making->category[feature] = true;
    }
}

static Status begin_making(Making *making, const Dataset *dataset, const BinOptions *options)
{
    Context *context = making->fit->context;
    size_t workspace = (size_t)dataset->features + 1;
    uint64_t wanted = options->sample ? options->sample : DEFAULT_SAMPLE;
    uint64_t affordable = dataset->entries / SAMPLE_ENTRIES + 1;

    making->features = dataset->features;
    TRY(ALLOC_ZERO(context, making->mentions, workspace, "columns", making->fit->error));
    TRY(ALLOC(context, making->all_mentions, workspace, "columns", making->fit->error));
    TRY(ALLOC_ZERO(context, making->lacks, workspace, "columns", making->fit->error));
    TRY(ALLOC_ZERO(context, making->category, workspace, "columns", making->fit->error));
    TRY(ALLOC_ZERO(context, making->codes, workspace, "columns", making->fit->error));
    TRY(ALLOC(context, making->column_of, workspace, "columns", making->fit->error));
    find_categories(making);
    making->stride = (dataset->rows + wanted - 1) / wanted;
    if (making->stride < affordable)
        making->stride = affordable;
    if (making->stride == 0)
        making->stride = 1;
    making->seed = options->seed;
    making->most_rows = dataset->rows;
    return OK;
}

static void free_making(Making *making)
{
    Context *context = making->fit->context;

    for (uint32_t i = 0; making->codes && i < making->features; i++)
        clv_free(context, making->codes[i].count);
    FREE(context, making->codes, making->mentions, making->all_mentions, making->lacks,
         making->category, making->column_of);
    bins_give_back(making->bins, making->sample);
}

Status clv_bins_make(Bins *bins, Fit *fit, Dataset *dataset, const BinOptions *options,
                     const Workspace *workspace)
{
    Making making = {.fit = fit, .bins = bins};
    Status status;

    *bins = (Bins){
        .context = fit->context, .workspace = workspace, .collective = fit->problem->collective};
    status = begin_making(&making, dataset, options);
    THEN(status, clv_bins_scan(&making, dataset));
    THEN(status, clv_bins_make_columns(&making, options));
    THEN(status, clv_bins_fill(&making, dataset));
    if (status == OK)
        status = fit_check(fit); /* after a cancellation, rows may be missing */
    free_making(&making);
    if (status != OK)
        clv_bins_free(bins);
    return status;
}

uint32_t clv_bins_get(const Bins *bins, uint32_t number, uint32_t row)
{
    const BinColumn *column = &bins->column[number];
    uint64_t low, high;

    if (column->group != NO_GROUP) {
        uint32_t stride;
        const uint8_t *dense = bins_dense(bins, number, &stride);

        return dense[(size_t)row * stride];
    }
    low = bins_entries(bins, row);
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
    return column->default_bin;
}
