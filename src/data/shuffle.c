#include "data/shuffle.h"

#include "base/file.h"
#include "base/random.h"
#include "data/builder.h"
#include "data/dataset.h"

#include <unistd.h>

enum {
    BUCKETS = 64,
    SPOOL_BYTES = 128 * 1024,
    BLOCK_BYTES = 384 * 1024,
    SCATTER_STREAM = 501,
    BUCKET_STREAM = 600
};

typedef struct {
    uint32_t block, row;
} ShuffledRow;

typedef struct {
    Source source;
    Dataset *spool;
    uint8_t *bucket_of; /* bucket of each block of the spool */
    size_t bucket_capacity;
    uint64_t seed;

    unsigned bucket; /* number of the bucket that is being returned */
    ShuffledRow *rows;
    size_t count, next, capacity;
    Builder builder;
    Block block;
} Shuffled;

/* ---- distribution to buckets ----------------------------------------------------------------- */

typedef struct {
    Shuffled *self;
    DatasetWriter *writer;
    Builder builder[BUCKETS];
    uint32_t blocks;
} Scatter;

static Status flush_bucket(Scatter *scatter, unsigned bucket, cleave_error *error)
{
    Builder *builder = &scatter->builder[bucket];
    Shuffled *self = scatter->self;
    Block block;

    if (builder->rows == 0)
        return OK;
    TRY(GROW(self->source.context, self->bucket_of, self->bucket_capacity,
             (size_t)scatter->blocks + 1, error));
    self->bucket_of[scatter->blocks++] = (uint8_t)bucket;
    TRY(clv_builder_finish(builder, &block, error));
    TRY(clv_dataset_writer_add(scatter->writer, &block, error));
    clv_builder_clear(builder);
    return OK;
}

static Status scatter_rows(Scatter *scatter, Source *from, cleave_error *error)
{
    Random random = clv_random(scatter->self->seed, SCATTER_STREAM);

    for (;;) {
        const Block *block;

        TRY(source_next(from, &block, error));
        if (!block)
            break;
        for (uint32_t row = 0; row < block->rows; row++) {
            unsigned bucket = clv_random_below(&random, BUCKETS);

            TRY(clv_builder_copy_row(&scatter->builder[bucket], block, row, block_label(block, row),
                                     error));
            if (clv_builder_bytes(&scatter->builder[bucket]) >= SPOOL_BYTES)
                TRY(flush_bucket(scatter, bucket, error));
        }
        clv_progress(from->context, &(cleave_progress){.phase = "read",
                                                       .rows = from->rows,
                                                       .rows_total = from->rows_total,
                                                       .bytes = from->bytes,
                                                       .bytes_total = from->bytes_total});
        if (clv_cancelled(from->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while reading");
    }
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++)
        TRY(flush_bucket(scatter, bucket, error));
    return OK;
}

/* Spools the rows to the open file and maps it. */
static Status spool_rows(Shuffled *self, Source *from, int file, cleave_error *error)
{
    Context *context = self->source.context;
    Scatter *scatter = clv_alloc_zero(context, 1, sizeof *scatter);
    DatasetFacts facts = {.labels = &from->labels, .names = &from->names, .schema = &from->schema};
    int copy = dup(file);
    Status status;

    if (!scatter || copy < 0) {
        clv_free(context, scatter);
        return clv_fail_memory(error, "buckets", sizeof *scatter);
    }
    scatter->self = self;
    for (unsigned i = 0; i < BUCKETS; i++)
        clv_builder_init(&scatter->builder[i], context);
    status = clv_dataset_writer_open_file(context, "temporary file", copy, &scatter->writer, error);
    THEN(status, scatter_rows(scatter, from, error));
    facts.features = from->features;
    if (status == OK)
        status = clv_dataset_writer_finish(scatter->writer, &facts, NULL, error);
    else
        clv_dataset_writer_abandon(scatter->writer);
    for (unsigned i = 0; i < BUCKETS; i++)
        clv_builder_free(&scatter->builder[i]);
    clv_free(context, scatter);
    return status == OK ? clv_dataset_map_file(context, "temporary file", file, &self->spool, error)
                        : status;
}

/* ---- output ---------------------------------------------------------------------------------- */

static Status open_bucket(Shuffled *self, cleave_error *error)
{
    Random random = clv_random(self->seed, BUCKET_STREAM + self->bucket);

    self->count = self->next = 0;
    for (uint32_t i = 0; i < self->spool->blocks; i++) {
        Block block;

        if (self->bucket_of[i] != self->bucket)
            continue;
        TRY(clv_dataset_block(self->spool, i, &block, error));
        TRY(GROW(self->source.context, self->rows, self->capacity, self->count + block.rows,
                 error));
        for (uint32_t row = 0; row < block.rows; row++)
            self->rows[self->count++] = (ShuffledRow){.block = i, .row = row};
    }
    for (size_t i = self->count; i > 1; i--) {
        size_t j = clv_random_below(&random, (uint32_t)i);
        ShuffledRow other = self->rows[j];

        self->rows[j] = self->rows[i - 1];
        self->rows[i - 1] = other;
    }
    self->bucket++;
    return OK;
}

static Status next_block(Source *source, const Block **result, cleave_error *error)
{
    Shuffled *self = (Shuffled *)source;

    *result = NULL;
    clv_builder_clear(&self->builder);
    while (clv_builder_bytes(&self->builder) < BLOCK_BYTES) {
        Block block;
        ShuffledRow at;

        if (self->next == self->count) {
            if (self->bucket == BUCKETS)
                break;
            TRY(open_bucket(self, error));
            continue;
        }
        at = self->rows[self->next++];
        TRY(clv_dataset_block(self->spool, at.block, &block, error));
        TRY(clv_builder_copy_row(&self->builder, &block, at.row, block_label(&block, at.row),
                                 error));
    }
    if (self->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&self->builder, &self->block, error));
    self->block.first_row = source->rows;
    source->rows += self->block.rows;
    *result = &self->block;
    return OK;
}

static void close_shuffled(Source *source)
{
    Shuffled *self = (Shuffled *)source;

    clv_dataset_free(self->spool);
    clv_builder_free(&self->builder);
    FREE(source->context, self->bucket_of, self->rows);
}

static const SourceOps shuffled_ops = {.next = next_block, .close = close_shuffled};

Status clv_shuffle_source(Source *from, uint64_t seed, const char *path, Source **result,
                          cleave_error *error)
{
    Shuffled *self;
    Status status;
    int file;

    *result = NULL;
    TRY(ALLOC_ZERO(from->context, self, 1, "a source", error));
    clv_source_init(&self->source, from->context, &shuffled_ops);
    clv_builder_init(&self->builder, from->context);
    self->seed = seed;
    self->source.shuffled = true;
    status = clv_temporary_file(from->context, path, &file, error);
    if (status == OK) {
        status = spool_rows(self, from, file, error);
        close(file);
    }
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    self->source.features = from->features;
    self->source.rows_total = from->rows;
    *result = &self->source;
    return OK;
}
