#include "mpi/chunks.h"

#include "base/file.h"
#include "read/bytes.h"

/* Files up to 16 MB are cut into chunks of a megabyte, larger ones into sixteen, until a chunk
 * would be larger than 256 MB. */
enum { SMALL_CHUNK = 1 << 20, USUAL_CHUNKS = 16, LARGE_CHUNK = 1 << 28 };

static uint32_t usual_count(uint64_t bytes)
{
    uint64_t count = (bytes + SMALL_CHUNK - 1) / SMALL_CHUNK;

    if (count > USUAL_CHUNKS)
        count = USUAL_CHUNKS;
    if (bytes / LARGE_CHUNK > count)
        count = bytes / LARGE_CHUNK;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* ---- inspection of files --------------------------------------------------------------------- */

static Status measure(Chunks *chunks, const char *path, cleave_error *error)
{
    uint64_t size;

    if (path[0] == '@') {
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: cleave-mpi reads files, not built-in datasets",
                 path);
        return clv_hint(error, CLEAVE_ERROR_USAGE,
                        "use 'cleave convert %s -o FILE' to write it to a file", path);
    }
    if (strcmp(path, "-") == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "cleave-mpi reads files, not standard input");
    if (!clv_regular_file(path, &size)) {
        Bytes *bytes = NULL;

        /* fails with its message if the file cannot be opened */
        TRY(clv_bytes_open(chunks->context, path, &bytes, error));
        clv_bytes_close(bytes);
        return clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the input must be a file", path);
    }
    if (size == 0)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "add at least one example",
                             "%s: the file is empty", path);
    chunks->bytes += size;
    return OK;
}

static Status look_for_dataset(Context *context, const char *path, bool *is_dataset,
                               cleave_error *error)
{
    char head[8];
    size_t got = 0;
    Bytes *bytes;
    Status status;

    TRY(clv_bytes_open(context, path, &bytes, error));
    status = clv_bytes_read(bytes, head, sizeof head, &got, error);
    *is_dataset = status == OK && clv_dataset_sniff(head, got);
    if (*is_dataset && clv_bytes_compressed(bytes))
        status = clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "%s: a compressed dataset cannot be split into chunks; decompress it first", path);
    clv_bytes_close(bytes);
    return status;
}

/* Finds whether the files are datasets: either all are, or none. */
static Status look_at_all(Context *context, const Input *input, bool *datasets, cleave_error *error)
{
    for (size_t i = 0; i < input->path_count; i++) {
        bool is_dataset;

        TRY(look_for_dataset(context, input->paths[i], &is_dataset, error));
        if (i == 0)
            *datasets = is_dataset;
        if (is_dataset == *datasets)
            continue;
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA, "use 'cleave convert' to convert all files to datasets",
            "%s: the file %s a cleave dataset, and the earlier files are%s", input->paths[i],
            is_dataset ? "is" : "is not", is_dataset ? " not" : "");
    }
    return OK;
}

/* ---- cuts ------------------------------------------------------------------------------------ */

static Status add_cut(Chunks *chunks, uint32_t file, uint64_t from, uint64_t to,
                      cleave_error *error)
{
    TRY(GROW(chunks->context, chunks->cut, chunks->capacity, (size_t)chunks->count + 1, error));
    chunks->cut[chunks->count++] = (struct Cut){.from = from, .to = to, .file = file, .step = 1};
    return OK;
}

/* The start of part i of several parts of equal size. */
static uint64_t share(uint64_t total, uint64_t i, uint64_t parts)
{
    return total / parts * i + total % parts * i / parts;
}

static Status cut_bytes(Chunks *chunks, uint32_t wanted, cleave_error *error)
{
    for (uint32_t i = 0; i < wanted; i++)
        TRY(add_cut(chunks, 0, share(chunks->bytes, i, wanted),
                    share(chunks->bytes, (uint64_t)i + 1, wanted), error));
    return OK;
}

static Status map_all(Chunks *chunks, const Input *input, uint64_t *blocks, cleave_error *error)
{
    TRY(ALLOC_ZERO(chunks->context, chunks->mapped, input->path_count, "datasets", error));
    for (size_t i = 0; i < input->path_count; i++) {
        TRY(clv_read_options_check(input->options, "cleave", input->paths[i], error));
        TRY(clv_dataset_map(chunks->context, input->paths[i], &chunks->mapped[i], error));
        chunks->mapped_count = i + 1;
        *blocks += chunks->mapped[i]->blocks;
        if (input->guide)
            TRY(clv_schema_goes_with(input->guide->schema, chunks->mapped[i]->schema.format,
                                     input->paths[i], error));
    }
    return OK;
}

/* Assigns the blocks of a file to its chunks in turn, beginning with this chunk. For files in
 * random order, the blocks of a chunk are consecutive. */
static void assign_blocks(Chunks *chunks, uint32_t first, const Dataset *dataset)
{
    enum { BLOCKS_EACH = 2 };
    uint32_t parts = chunks->count - first;

    if (dataset->shuffled || parts < 2 || dataset->blocks / parts < BLOCKS_EACH)
        return;
    for (uint32_t i = 0; i < parts; i++) {
        chunks->cut[first + i].from = i;
        chunks->cut[first + i].to = dataset->blocks;
        chunks->cut[first + i].step = parts;
    }
}

/* Cuts the blocks into equal numbers, with a cut at the end of each file. */
static Status cut_blocks(Chunks *chunks, const Input *input, uint32_t wanted, cleave_error *error)
{
    uint64_t blocks = 0, before = 0;

    TRY(map_all(chunks, input, &blocks, error));
    for (uint32_t file = 0; file < chunks->mapped_count; file++) {
        uint64_t end = before + chunks->mapped[file]->blocks;
        uint32_t first = chunks->count;

        for (uint32_t i = 0; i < wanted; i++) {
            uint64_t from = share(blocks, i, wanted), to = share(blocks, (uint64_t)i + 1, wanted);

            from = from < before ? before : from;
            to = to > end ? end : to;
            if (from < to)
                TRY(add_cut(chunks, file, from - before, to - before, error));
        }
        if (!input->in_order)
            assign_blocks(chunks, first, chunks->mapped[file]);
        before = end;
    }
    return chunks->count ? OK : add_cut(chunks, 0, 0, 0, error);
}

Status clv_chunks_cut(Chunks *chunks, Context *context, const Input *input, int64_t wanted,
                      cleave_error *error)
{
    bool datasets = false;
    uint32_t count;

    *chunks = (Chunks){.context = context};
    for (size_t i = 0; i < input->path_count; i++)
        TRY(measure(chunks, input->paths[i], error));
    TRY(clv_check_format(input->options->format, error));
    TRY(look_at_all(context, input, &datasets, error));
    count = wanted > 0 ? (uint32_t)wanted : usual_count(chunks->bytes);
    return datasets ? cut_blocks(chunks, input, count, error) : cut_bytes(chunks, count, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status read_range(const Chunks *chunks, const Input *input, const struct Cut *cut,
                         Dataset **dataset, cleave_error *error)
{
    ReadOptions options = *input->options;
    Source *source;
    Status status;

    options.ranged = chunks->count > 1;
    options.range_from = cut->from;
    options.range_to = cut->to;
    TRY(clv_read_files(chunks->context, input->paths, input->path_count, &options, input->guide,
                       &source, error));
    status = clv_dataset_load(source, dataset, error);
    clv_source_close(source);
    return status;
}

Status clv_chunks_read(Chunks *chunks, const Input *input, int rank, int size, cleave_error *error)
{
    chunks->first = (uint32_t)share(chunks->count, (uint64_t)rank, (uint64_t)size);
    chunks->own = (uint32_t)share(chunks->count, (uint64_t)rank + 1, (uint64_t)size) -
                  chunks->first;
    TRY(ALLOC_ZERO(chunks->context, chunks->chunk, chunks->own, "chunks", error));
    for (uint32_t i = 0; i < chunks->own; i++) {
        const struct Cut *cut = &chunks->cut[chunks->first + i];

        if (chunks->mapped)
            TRY(clv_dataset_slice(chunks->mapped[cut->file], (uint32_t)cut->from, (uint32_t)cut->to,
                                  cut->step, &chunks->chunk[i], error));
        else
            TRY(read_range(chunks, input, cut, &chunks->chunk[i], error));
    }
    return OK;
}

void clv_chunks_free(Chunks *chunks)
{
    if (!chunks->context)
        return;
    for (uint32_t i = 0; chunks->chunk && i < chunks->own; i++)
        clv_dataset_free(chunks->chunk[i]);
    for (size_t i = 0; i < chunks->mapped_count; i++)
        clv_dataset_free(chunks->mapped[i]);
    FREE(chunks->context, chunks->chunk, chunks->mapped, chunks->cut);
    *chunks = (Chunks){0};
}
