/*
 * The dataset file (docs/formats/dataset.md):
 *
 *     header   64 bytes: "CLVDATA1", format version, version of the writer
 *     blocks   packed, each on a multiple of 64
 *     footer   a bundle: block positions, counts, labels, names, schema
 *     tail     32 bytes: offset and size of the footer, their hash, "CLVDEND1"
 *
 * The file is written sequentially, so the output may be a pipe. An incomplete file has no tail.
 */
#define _GNU_SOURCE /* O_DIRECT */
#include "base/bundle.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "data/dataset.h"
#include "data/facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char HEAD_MAGIC[8] = {'C', 'L', 'V', 'D', 'A', 'T', 'A', '1'};
static const char FOOT_MAGIC[8] = {'C', 'L', 'V', 'F', 'O', 'O', 'T', '1'};
static const char TAIL_MAGIC[8] = {'C', 'L', 'V', 'D', 'E', 'N', 'D', '1'};

enum { FORMAT_VERSION = 1, HEADER_SIZE = 64, TAIL_SIZE = 32 };

/* ---- writing --------------------------------------------------------------------------------- */

struct DatasetWriter {
    Context *context;
    Output *output;
    Buffer packed;
    uint64_t rows, entries;
    bool numbers;
    uint64_t *index; /* offset, size, first row of each block */
    size_t index_count, index_capacity;
};

static void free_writer(DatasetWriter *writer)
{
    Context *context = writer->context;

    FREE(context, writer->packed.data, writer->index, writer);
}

void clv_dataset_writer_abandon(DatasetWriter *writer)
{
    if (!writer)
        return;
    clv_output_abandon(writer->output);
    free_writer(writer);
}

/* Takes ownership of output, which is NULL if it could not be opened. */
static Status new_writer(Context *context, Output *output, DatasetWriter **result,
                         cleave_error *error)
{
    DatasetWriter *writer = clv_alloc_zero(context, 1, sizeof *writer);
    char header[HEADER_SIZE] = {0};
    uint32_t version = FORMAT_VERSION;
    Status status;

    if (!writer) {
        clv_output_abandon(output);
        return clv_fail_memory(error, "a dataset writer", sizeof *writer);
    }
    writer->context = context;
    writer->output = output;
    memcpy(header, HEAD_MAGIC, 8);
    memcpy(header + 8, &version, 4);
    snprintf(header + 16, 16, "%s", cleave_version());
    status = clv_output_write(output, header, sizeof header, error);
    if (status != OK) {
        clv_dataset_writer_abandon(writer);
        return status;
    }
    *result = writer;
    return OK;
}

Status clv_dataset_writer_open(Context *context, const char *path, DatasetWriter **writer,
                               cleave_error *error)
{
    Output *output;

    *writer = NULL;
    TRY(clv_output_open(context, path, false, &output, error));
    return new_writer(context, output, writer, error);
}

Status clv_dataset_writer_open_file(Context *context, const char *name, int file,
                                    DatasetWriter **writer, cleave_error *error)
{
    Output *output;

    *writer = NULL;
    TRY(clv_output_from_file(context, name, file, &output, error));
    return new_writer(context, output, writer, error);
}

Status clv_dataset_writer_add(DatasetWriter *writer, const Block *block, cleave_error *error)
{
    Block numbered = *block;
    uint64_t *entry;

    numbered.first_row = writer->rows;
    TRY(clv_block_pack(writer->context, &numbered, true, &writer->packed, error));
    TRY(GROW(writer->context, writer->index, writer->index_capacity, writer->index_count + 3,
             error));
    entry = writer->index + writer->index_count;
    entry[0] = clv_output_position(writer->output);
    entry[1] = writer->packed.size;
    entry[2] = writer->rows;
    writer->index_count += 3;
    writer->rows += block->rows;
    writer->entries += clv_block_entries(block);
    writer->numbers |= block->target_form == TARGETS_NUMBERS;
    return clv_output_write(writer->output, writer->packed.data, writer->packed.size, error);
}

static Status put_footer(DatasetWriter *writer, const DatasetFacts *facts, Bundle *bundle,
                         cleave_error *error)
{
    TRY(clv_bundle_put(bundle, "blocks", BUNDLE_U64, writer->index, writer->index_count, error));
    TRY(clv_bundle_put_number(bundle, "rows", writer->rows, error));
    TRY(clv_bundle_put_number(bundle, "entries", writer->entries, error));
    TRY(clv_bundle_put_number(bundle, "features", facts->features, error));
    TRY(clv_bundle_put_number(bundle, "numbers", writer->numbers, error));
    TRY(clv_bundle_put_number(bundle, "shuffled", facts->shuffled, error));
    TRY(clv_bundle_put_number(bundle, "seed", facts->seed, error));
    return clv_facts_put(bundle, facts->labels, facts->names, facts->schema, error);
}

static Status write_footer(DatasetWriter *writer, const DatasetFacts *facts, cleave_error *error)
{
    uint64_t tail[TAIL_SIZE / 8];
    Bundle *bundle;
    Status status;

    TRY(clv_bundle_new(writer->context, &bundle, error));
    status = put_footer(writer, facts, bundle, error);
    THEN(status, clv_bundle_write(bundle, FOOT_MAGIC, FORMAT_VERSION, &writer->packed, error));
    clv_bundle_free(bundle);
    TRY(status);
    tail[0] = clv_output_position(writer->output);
    tail[1] = writer->packed.size;
    tail[2] = clv_hash(tail, 16, 0);
    memcpy(&tail[3], TAIL_MAGIC, 8);
    TRY(clv_output_write(writer->output, writer->packed.data, writer->packed.size, error));
    return clv_output_write(writer->output, tail, sizeof tail, error);
}

Status clv_dataset_writer_finish(DatasetWriter *writer, const DatasetFacts *facts, uint64_t *bytes,
                                 cleave_error *error)
{
    Status status = write_footer(writer, facts, error);

    if (bytes)
        *bytes = clv_output_position(writer->output);
    if (status == OK)
        status = clv_output_commit(writer->output, error);
    else
        clv_output_abandon(writer->output);
    free_writer(writer);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool clv_dataset_sniff(const char *head, size_t size)
{
    return size >= 8 && memcmp(head, HEAD_MAGIC, 8) == 0;
}

static Status damaged(const char *name, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_FORMAT, "write the file again with 'cleave convert'",
                         "%s: %s", name, what);
}

static Status find_footer(const char *name, const char *bytes, size_t size, uint64_t tail[4],
                          cleave_error *error)
{
    uint32_t version;

    if (!clv_dataset_sniff(bytes, size))
        return damaged(name, "this is not a cleave dataset", error);
    if (size >= HEADER_SIZE) {
        memcpy(&version, bytes + 8, 4);
        if (version > FORMAT_VERSION) {
            char writer[17] = {0}, quoted[QUOTE_SIZE];

            memcpy(writer, bytes + 16, 16);
            return clv_fail_hint(
                error, CLEAVE_ERROR_FORMAT, "upgrade cleave on this machine",
                "%s: written by cleave %s in format %u; this is cleave %s, which reads up to %d",
                name, clv_quote(quoted, writer, strlen(writer)), version, cleave_version(),
                FORMAT_VERSION);
        }
    }
    if (size < HEADER_SIZE + TAIL_SIZE)
        return damaged(name, "the dataset is incomplete", error);
    memcpy(tail, bytes + size - TAIL_SIZE, TAIL_SIZE);
    if (memcmp(&tail[3], TAIL_MAGIC, 8) != 0)
        return damaged(name, "the dataset is incomplete: its last bytes are missing", error);
    if (tail[2] != clv_hash(tail, 16, 0) || tail[0] % 64 != 0 || tail[0] > size ||
        tail[1] != size - TAIL_SIZE - tail[0])
        return damaged(name, "the dataset is corrupt: its last bytes are invalid", error);
    return OK;
}

static Status take_blocks(Dataset *dataset, const Bundle *footer, uint64_t footer_offset,
                          cleave_error *error)
{
    const BundleItem *index = clv_bundle_get(footer, "blocks", BUNDLE_U64);
    uint64_t rows = 0, features, shuffled, numbers;

    if (!index || index->count % 3 != 0 || index->count / 3 > UINT32_MAX / 2 ||
        !clv_bundle_number(footer, "rows", &dataset->rows) ||
        !clv_bundle_number(footer, "entries", &dataset->entries) ||
        !clv_bundle_number(footer, "features", &features) || features > MOST_FEATURES ||
        !clv_bundle_number(footer, "shuffled", &shuffled) ||
        !clv_bundle_number(footer, "numbers", &numbers))
        return damaged(dataset->path, "the dataset is corrupt: its footer is invalid", error);
    dataset->features = (uint32_t)features;
    dataset->shuffled = shuffled != 0;
    dataset->numbers = numbers != 0;
    TRY(GROW(dataset->context, dataset->block, dataset->capacity, (size_t)(index->count / 3),
             error));
    for (uint64_t i = 0; i < index->count / 3; i++) {
        const uint64_t *entry = (const uint64_t *)index->data + 3 * i;

        if (entry[0] % 64 != 0 || entry[0] > footer_offset || entry[1] > footer_offset - entry[0] ||
            entry[2] < rows || entry[2] > dataset->rows || (i == 0 && entry[2] != 0))
            return damaged(dataset->path, "the dataset is corrupt: its block table is invalid",
                           error);
        rows = entry[2];
        dataset->block[i] = (struct PackedBlock){.data = (const char *)dataset->base + entry[0],
                                                 .size = (size_t)entry[1],
                                                 .first_row = entry[2]};
        dataset->blocks++;
    }
    if (dataset->blocks == 0 && dataset->rows > 0)
        return damaged(dataset->path, "the dataset is corrupt: its block table is invalid", error);
    return OK;
}

static Status open_bytes(Dataset *dataset, const char *name, const void *bytes, size_t size,
                         cleave_error *error)
{
    uint64_t tail[4];
    uint32_t version;
    Bundle *footer;
    Status status;

    dataset->base = bytes;
    dataset->path = clv_copy_string(dataset->context, name, strlen(name));
    if (!dataset->path)
        return clv_fail_memory(error, "a file name", strlen(name));
    TRY(find_footer(name, bytes, size, tail, error));
    TRY(clv_bundle_parse(dataset->context, name, FOOT_MAGIC, FORMAT_VERSION,
                         (const char *)bytes + tail[0], (size_t)tail[1], &footer, &version, error));
    status = take_blocks(dataset, footer, tail[0], error);
    THEN(status,
         clv_facts_get(footer, name, &dataset->labels, &dataset->names, &dataset->schema, error));
    if (status == OK && !dataset->names.implicit && dataset->names.count < dataset->features)
        status = damaged(name, "the dataset is corrupt: it has more features than feature names",
                         error);
    clv_bundle_free(footer);
    return status;
}

Status clv_dataset_from_bytes(Context *context, const char *name, const void *bytes, size_t size,
                              Dataset **dataset, cleave_error *error)
{
    Status status;

    TRY(clv_dataset_new(context, dataset, error));
    status = open_bytes(*dataset, name, bytes, size, error);
    if (status != OK) {
        clv_dataset_free(*dataset);
        *dataset = NULL;
    }
    return status;
}

void clv_dataset_leave_on_disk(Dataset *dataset, int file)
{
    char name[40];
    int again;

    if (dataset->on_disk || !dataset->map)
        return;
    snprintf(name, sizeof name, "/proc/self/fd/%d",
             file); /* opened again, because a duplicate would share the flags */
    again = open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (again < 0)
        again = open(name, O_RDONLY | O_CLOEXEC); /* the file system does not support O_DIRECT */
    if (again < 0)
        return;
    dataset->on_disk = true;
    dataset->file = again;
}

Status clv_dataset_map_file(Context *context, const char *name, int file, Dataset **dataset,
                            cleave_error *error)
{
    struct stat facts;
    void *map;

    *dataset = NULL;
    if (fstat(file, &facts) != 0)
        return clv_fail_io(error, name, "cannot be read");
    if (facts.st_size == 0)
        return damaged(name, "the file is empty", error);
    map = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED)
        return clv_fail_io(error, name, "cannot be mapped");
    if (clv_dataset_from_bytes(context, name, map, (size_t)facts.st_size, dataset, error) != OK) {
        munmap(map, (size_t)facts.st_size);
        return error ? error->code : CLEAVE_ERROR_FORMAT;
    }
    (*dataset)->map = map;
    (*dataset)->map_size = (size_t)facts.st_size;
    if ((size_t)facts.st_size > clv_memory_limit() / 4 * 3)
        clv_dataset_leave_on_disk(*dataset, file);
    return OK;
}

Status clv_dataset_map(Context *context, const char *path, Dataset **dataset, cleave_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Status status;

    *dataset = NULL;
    if (file < 0)
        return clv_fail_io(error, path, "cannot be opened");
    status = clv_dataset_map_file(context, path, file, dataset, error);
    close(file);
    return status;
}
