#include "data/dataset.h"

#include "base/machine.h"
#include "data/tour.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- in memory ------------------------------------------------------------------------------- */

Status clv_dataset_new(Context *context, Dataset **result, cleave_error *error)
{
    Dataset *dataset = clv_alloc_zero(context, 1, sizeof *dataset);

    *result = dataset;
    if (!dataset)
        return clv_fail_memory(error, "a dataset", sizeof *dataset);
    dataset->context = context;
    clv_labels_init(&dataset->labels, context);
    clv_names_init(&dataset->names, context, true);
    clv_schema_init(&dataset->schema, context);
    return OK;
}

void clv_dataset_free(Dataset *dataset)
{
    Context *context;

    if (!dataset)
        return;
    context = dataset->context;
    for (size_t i = 0; i < dataset->piece_count; i++)
        clv_free(context, dataset->pieces[i]);
    clv_free(context, dataset->pieces);
    if (dataset->map)
        munmap(dataset->map, dataset->map_size);
    if (dataset->on_disk)
        close(dataset->file);
    clv_labels_free(&dataset->labels);
    clv_names_free(&dataset->names);
    clv_schema_free(&dataset->schema);
    FREE(context, dataset->block, dataset->view, dataset->path, dataset);
}

/* The first line of a block with consecutive lines; otherwise 0. */
static uint64_t first_line(const Block *block)
{
    bool follow = !block->line || block->rows == 0 ||
                  block->line[block->rows - 1] == block->rows - 1;

    return follow ? block->first_line : 0;
}

enum { ALIGNMENT = 64 };

/* Allocates `size` bytes aligned to ALIGNMENT: in the current piece, or in a new, larger one. */
static Status find_space(Dataset *dataset, size_t size, char **workspace, cleave_error *error)
{
    enum { FIRST_PIECE = 1 << 16, LARGE = 4 << 20, LARGEST_PIECE = 4 << 20 };
    char *piece;
    size_t next;

    if (dataset->piece_count == 0 || size > dataset->piece_size - dataset->piece_used) {
        next = dataset->piece_count == 0 ? FIRST_PIECE : 2 * dataset->piece_size;
        next = next > LARGEST_PIECE ? LARGEST_PIECE : next;
        next = next < size + ALIGNMENT ? size + ALIGNMENT : next;
        TRY(GROW(dataset->context, dataset->pieces, dataset->pieces_capacity,
                 dataset->piece_count + 1, error));
        TRY(clv_new(dataset->context, &piece, next, 1, false, "rows", error));
        if (next >= LARGE)
            clv_populate(piece, next);
        dataset->pieces[dataset->piece_count++] = piece;
        dataset->piece_size = next;
        dataset->piece_used = (ALIGNMENT - (uintptr_t)piece % ALIGNMENT) % ALIGNMENT;
    }
    *workspace = dataset->pieces[dataset->piece_count - 1] + dataset->piece_used;
    dataset->piece_used += size;
    return OK;
}

Status clv_dataset_add(Dataset *dataset, const Block *block, cleave_error *error)
{
    Context *context = dataset->context;
    Block numbered = *block;
    Buffer packed = {0}; /* a view of memory that is large enough */
    size_t bound;

    numbered.first_row = dataset->rows;
    TRY(GROW(context, dataset->block, dataset->capacity, (size_t)dataset->blocks + 1, error));
    bound = clv_block_packed_bound(&numbered);
    TRY(find_space(dataset, bound, &packed.data, error));
    packed.capacity = bound;
    TRY(clv_block_pack(context, &numbered, false, &packed, error));
    dataset->piece_used -= bound - packed.size;
    dataset->block[dataset->blocks++] = (struct PackedBlock){.data = packed.data,
                                                             .size = packed.size,
                                                             .first_row = dataset->rows,
                                                             .checked = true,
                                                             .first_line = first_line(block),
                                                             .file = block->file};
    dataset->rows += block->rows;
    dataset->entries += clv_block_entries(block);
    dataset->numbers |= block->target_form == TARGETS_NUMBERS;
    if (block->features > dataset->features)
        dataset->features = block->features;
    return OK;
}

Status clv_dataset_borrow(Dataset *dataset, const Block *block, cleave_error *error)
{
    Context *context = dataset->context;

    TRY(GROW(context, dataset->block, dataset->capacity, (size_t)dataset->blocks + 1, error));
    TRY(GROW(context, dataset->view, dataset->view_capacity, (size_t)dataset->blocks + 1, error));
    dataset->view[dataset->blocks] = *block;
    dataset->block[dataset->blocks++] = (struct PackedBlock){
        .data = (const char *)block->value,
        .size = (size_t)block->rows * block->features * sizeof *block->value,
        .first_row = dataset->rows,
        .checked = true};
    dataset->rows += block->rows;
    dataset->entries += clv_block_entries(block);
    dataset->numbers |= block->target_form == TARGETS_NUMBERS;
    if (block->features > dataset->features)
        dataset->features = block->features;
    return OK;
}

static Status load_blocks(Source *source, Dataset *dataset, cleave_error *error)
{
    for (;;) {
        const Block *block;

        TRY(source_next(source, &block, error));
        if (!block)
            break;
        TRY(clv_dataset_add(dataset, block, error));
        clv_progress(source->context, &(cleave_progress){.phase = "read",
                                                         .rows = dataset->rows,
                                                         .rows_total = source->rows_total,
                                                         .bytes = source->bytes,
                                                         .bytes_total = source->bytes_total});
        if (clv_cancelled(source->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while reading");
    }
    TRY(clv_labels_copy(&dataset->labels, &source->labels, error));
    TRY(clv_names_copy(&dataset->names, &source->names, error));
    TRY(clv_schema_copy(&dataset->schema, &source->schema, error));
    if (source->features > dataset->features)
        dataset->features = source->features;
    dataset->shuffled = source->shuffled;
    return OK;
}

Status clv_dataset_load(Source *source, Dataset **dataset, cleave_error *error)
{
    Status status;

    TRY(clv_source_rewind(source, error));
    TRY(clv_dataset_new(source->context, dataset, error));
    status = load_blocks(source, *dataset, error);
    if (status == CLEAVE_ERROR_MEMORY)
        clv_hint(
            error, status,
            "convert the data with 'cleave convert'; a dataset is read from disk during training");
    if (status != OK) {
        clv_dataset_free(*dataset);
        *dataset = NULL;
    }
    return status;
}

void clv_dataset_move_rows(Dataset *from, Dataset *to)
{
    FREE(to->context, to->pieces, to->block);
    to->pieces = from->pieces;
    to->piece_count = from->piece_count;
    to->pieces_capacity = from->pieces_capacity;
    to->piece_size = from->piece_size;
    to->piece_used = from->piece_used;
    to->block = from->block;
    to->capacity = from->capacity;
    to->blocks = from->blocks;
    to->rows = from->rows;
    to->entries = from->entries;
    to->numbers = from->numbers;
    from->pieces = NULL;
    from->block = NULL;
    from->piece_count = from->pieces_capacity = from->piece_size = from->piece_used =
        from->capacity = 0;
    from->blocks = 0;
    from->rows = from->entries = 0;
}

/* Several threads may check a block for the first time, with the same result. */
bool clv_dataset_verified(const struct PackedBlock *packed)
{
    return atomic_load_explicit(&packed->checked, memory_order_relaxed);
}

bool clv_dataset_verify(Dataset *dataset, uint32_t i, const char *bytes)
{
    struct PackedBlock *packed = &dataset->block[i];
    uint64_t end = i + 1 < dataset->blocks ? packed[1].first_row : dataset->rows;
    Block block;

    if (clv_dataset_verified(packed))
        return true;
    if (!clv_block_checksum_ok(bytes, packed->size) ||
        !clv_block_unpack(bytes, packed->size, &block) ||
        !clv_block_sound(&block, dataset->features, dataset->labels.count) ||
        block.first_row != packed->first_row || block.rows != end - packed->first_row)
        return false;
    atomic_store_explicit(&packed->checked, true, memory_order_relaxed);
    return true;
}

Status clv_dataset_corrupt(const Dataset *dataset, uint32_t i, cleave_error *error)
{
    return clv_fail_hint(
        error, CLEAVE_ERROR_FORMAT, "write the file again with 'cleave convert'",
        "%s: the file is corrupt: block %u of %u (byte %llu) does not match its checksum",
        dataset->path ? dataset->path : "dataset", i + 1, dataset->blocks,
        (unsigned long long)(dataset->block[i].data - (const char *)dataset->base));
}

Status clv_dataset_view(const Dataset *dataset, uint32_t i, const char *bytes, Block *block,
                        cleave_error *error)
{
    const struct PackedBlock *packed = &dataset->block[i];

    if (dataset->view)
        *block = dataset->view[i];
    else if (!clv_block_unpack(bytes, packed->size, block))
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "a block in memory cannot be unpacked");
    block->first_row = packed->first_row; /* the row numbers of a slice begin with its own start */
    block->first_line = packed->first_line;
    block->file = packed->file;
    return OK;
}

static Status share_blocks(Dataset *dataset, uint32_t first, uint32_t end, uint32_t step,
                           Dataset *slice, cleave_error *error)
{
    for (uint64_t i = first; i < end; i += step) {
        Block block;

        TRY(GROW(slice->context, slice->block, slice->capacity, (size_t)slice->blocks + 1, error));
        TRY(clv_dataset_block(dataset, (uint32_t)i, &block, error));
        if (dataset->view) {
            TRY(GROW(slice->context, slice->view, slice->view_capacity, (size_t)slice->blocks + 1,
                     error));
            slice->view[slice->blocks] = dataset->view[i];
        }
        slice->block[slice->blocks] = dataset->block[i];
        slice->block[slice->blocks++].first_row = slice->rows;
        slice->rows += block.rows;
        slice->entries += clv_block_entries(&block);
        slice->numbers |= block.target_form == TARGETS_NUMBERS;
        for (uint32_t row = 0; row < block.rows; row++) {
            uint32_t label = block_label(&block, row);

            if (label != UNLABELED)
                slice->labels.list[label].count++;
            else if (block.target_form != TARGETS_NUMBERS)
                slice->labels.unlabeled++;
        }
    }
    return OK;
}

Status clv_dataset_slice(Dataset *dataset, uint32_t first, uint32_t end, uint32_t step,
                         Dataset **result, cleave_error *error)
{
    Dataset *slice;
    Status status;

    TRY(clv_dataset_new(dataset->context, &slice, error));
    slice->features = dataset->features;
    slice->shuffled = dataset->shuffled;
    status = clv_labels_copy(&slice->labels, &dataset->labels, error);
    THEN(status, clv_names_copy(&slice->names, &dataset->names, error));
    THEN(status, clv_schema_copy(&slice->schema, &dataset->schema, error));
    slice->labels.unlabeled = 0;
    for (uint32_t i = 0; i < slice->labels.count; i++)
        slice->labels.list[i].count = 0;
    THEN(status, share_blocks(dataset, first, end, step, slice, error));
    if (status != OK) {
        clv_dataset_free(slice);
        slice = NULL;
    }
    *result = slice;
    return status;
}

Status clv_dataset_block(Dataset *dataset, uint32_t i, Block *block, cleave_error *error)
{
    const char *bytes = dataset->block[i].data;

    if (!clv_dataset_verify(dataset, i, bytes))
        return clv_dataset_corrupt(dataset, i, error);
    return clv_dataset_view(dataset, i, bytes, block, error);
}

/* ---- as a source ----------------------------------------------------------------------------- */

typedef struct {
    Source source;
    Dataset *dataset;
    bool own;
    Tour tour;
    Block block;
    size_t drained; /* clv_dataset_drain: number of freed pieces */
} DatasetSource;

static Status next_block(Source *source, const Block **block, cleave_error *error)
{
    DatasetSource *self = (DatasetSource *)source;
    bool more;

    *block = NULL;
    if (!self->tour.dataset)
        clv_tour_begin(&self->tour, self->dataset, (TourPlan){.places = self->dataset->blocks});
    clv_tour_release(&self->tour);
    TRY(clv_tour_next(&self->tour, &self->block, &more, error));
    if (!more) {
        source->bytes = source->bytes_total;
        return OK;
    }
    source->rows += self->block.rows;
    source->bytes += self->dataset->block[self->tour.next - 1].size;
    *block = &self->block;
    return OK;
}

/* Whether a block begins in a piece. The first block of a piece may follow its start, which may be
 * less aligned than blocks. */
static bool begins_in(const struct PackedBlock *block, const char *piece)
{
    return (uintptr_t)block->data - (uintptr_t)piece < ALIGNMENT;
}

static Status drain_block(Source *source, const Block **block, cleave_error *error)
{
    DatasetSource *self = (DatasetSource *)source;
    Dataset *dataset = self->dataset;
    uint32_t next = self->tour.next;

    if (next > 0 && next < dataset->blocks && self->drained + 1 < dataset->piece_count &&
        begins_in(&dataset->block[next], dataset->pieces[self->drained + 1])) {
        clv_free(dataset->context, dataset->pieces[self->drained]);
        dataset->pieces[self->drained++] = NULL;
    }
    return next_block(source, block, error);
}

static Status rewind_blocks(Source *source, cleave_error *error)
{
    (void)error;
    clv_tour_end(&((DatasetSource *)source)->tour);
    source->bytes = 0;
    return OK;
}

static void close_blocks(Source *source)
{
    DatasetSource *self = (DatasetSource *)source;

    clv_tour_end(&self->tour);
    if (self->own)
        clv_dataset_free(self->dataset);
}

static const SourceOps dataset_ops = {
    .next = next_block, .rewind = rewind_blocks, .close = close_blocks};
static const SourceOps drain_ops = {.next = drain_block, .close = close_blocks};

Dataset *clv_source_dataset(Source *source)
{
    return source->ops == &dataset_ops && !source->weights ? ((DatasetSource *)source)->dataset
                                                           : NULL;
}

Status clv_dataset_source(Dataset *dataset, bool own, Source **result, cleave_error *error)
{
    DatasetSource *self = clv_alloc_zero(dataset->context, 1, sizeof *self);
    Status status;

    *result = NULL;
    if (!self) {
        if (own)
            clv_dataset_free(dataset);
        return clv_fail_memory(error, "a source", sizeof *self);
    }
    clv_source_init(&self->source, dataset->context, &dataset_ops);
    self->dataset = dataset;
    self->own = own;
    self->source.features = dataset->features;
    self->source.rows_total = dataset->rows;
    self->source.shuffled = dataset->shuffled;
    for (uint32_t i = 0; i < dataset->blocks; i++)
        self->source.bytes_total += dataset->block[i].size;
    if (dataset->map)
        self->source.bytes_total = dataset->map_size;
    status = clv_labels_copy(&self->source.labels, &dataset->labels, error);
    THEN(status, clv_names_copy(&self->source.names, &dataset->names, error));
    THEN(status, clv_schema_copy(&self->source.schema, &dataset->schema, error));
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *result = &self->source;
    return OK;
}

Status clv_dataset_drain(Dataset *dataset, Source **source, cleave_error *error)
{
    Dataset *rows;
    Status status;

    *source = NULL;
    TRY(clv_dataset_new(dataset->context, &rows, error));
    status = clv_dataset_source(dataset, false, source, error);
    if (status != OK) {
        clv_dataset_free(rows);
        return status;
    }
    clv_dataset_move_rows(dataset, rows);
    ((DatasetSource *)*source)->dataset = rows;
    ((DatasetSource *)*source)->own = true;
    (*source)->ops = &drain_ops;
    return OK;
}
