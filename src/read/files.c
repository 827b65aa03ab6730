/*
 * Opens files: datasets are mapped, other formats are read. A dataset that cannot be mapped
 * (compressed, or from a pipe) is copied to an unlinked temporary file first.
 */
#include "base/file.h"
#include "data/dataset.h"
#include "data/remap.h"
#include "read/bytes.h"
#include "read/classes.h"
#include "read/folder.h"
#include "read/reader.h"

#include <unistd.h>

static Status open_dataset(Context *context, const char *path, const ReadOptions *options,
                           Source **source, cleave_error *error)
{
    Dataset *dataset;
    uint64_t size;
    Status status;
    int file;

    TRY(clv_read_options_check(options, "cleave", path, error));
    if (clv_regular_file(path, &size) && clv_dataset_map(context, path, &dataset, error) == OK)
        return clv_dataset_source(dataset, true, source, error);
    /* Reads the file through the decompressor and a temporary file, unless it does not contain a
     * dataset. */
    TRY(clv_read_text_files(context, &path, 1, options, NULL, source, &file, error));
    if (file < 0)
        return OK;
    status = clv_dataset_map_file(context, strcmp(path, "-") == 0 ? "standard input" : path, file,
                                  &dataset, error);
    close(file);
    TRY(status);
    return clv_dataset_source(dataset, true, source, error);
}

Status clv_is_dataset(Context *context, const char *path, bool *is_dataset, cleave_error *error)
{
    char head[8];
    size_t got = 0;
    Bytes *bytes;
    Status status;

    TRY(clv_bytes_open(context, path, &bytes, error));
    status = clv_bytes_read(bytes, head, sizeof head, &got, error);
    *is_dataset = status == OK && clv_dataset_sniff(head, got);
    clv_bytes_close(bytes);
    return status;
}

static Status open_datasets(Context *context, const char *const *paths, size_t count,
                            const ReadOptions *options, Source **source, cleave_error *error)
{
    Source **sources = clv_alloc(context, count, sizeof *sources);
    Status status = sources ? OK : clv_fail_memory(error, "sources", count * sizeof *sources);
    size_t opened = 0;

    while (opened < count && status == OK) {
        status = open_dataset(context, paths[opened], options, &sources[opened], error);
        opened += status == OK;
    }
    if (status == OK && count == 1)
        *source = sources[0];
    else if (status == OK)
        status = clv_chain_sources(context, sources, count, source, error);
    else
        for (size_t i = 0; i < opened; i++)
            clv_source_close(sources[i]);
    clv_free(context, sources);
    return status;
}

/* Closes a dataset whose features are incompatible with the guide's. */
static Status check_kind(Source *opened, const ReadGuide *guide, const char *path, Source **source,
                         cleave_error *error)
{
    Status status = clv_schema_goes_with(guide->schema, opened->schema.format, path, error);

    if (status == OK && clv_schema_is_text(guide->schema) && clv_schema_is_text(&opened->schema))
        status = clv_schema_reads_alike(guide->schema, &opened->schema, path, error);
    if (status != OK) {
        clv_source_close(opened);
        *source = NULL;
    }
    return status;
}

/* Checks every regular file and folder. Either all or none must be datasets. */
static Status look_at_all(Context *context, const char *const *paths, size_t count, bool *datasets,
                          cleave_error *error)
{
    bool first = true;

    for (size_t i = 0; i < count; i++) {
        bool is_dataset = false, is_folder = clv_is_folder(paths[i]);
        uint64_t size;

        if (!is_folder && !clv_regular_file(paths[i], &size))
            continue;
        if (!is_folder)
            TRY(clv_is_dataset(context, paths[i], &is_dataset, error));
        if (first)
            *datasets |= is_dataset;
        first = false;
        if (is_dataset != *datasets)
            return clv_fail_hint(
                error, CLEAVE_ERROR_DATA, "convert all files to datasets with 'cleave convert'",
                "%s: this %s a cleave dataset%s", paths[i], is_dataset ? "is" : "is not",
                i == 0       ? ""
                : is_dataset ? ", but the previous files are not"
                             : ", but the previous files are");
    }
    return OK;
}

static Status filter(const char *path, const ReadOptions *options, bool guided, Source **source,
                     cleave_error *error)
{
    if (!options->classes)
        return OK;
    return clv_keep_classes(*source, path, options->classes, guided, source, error);
}

Status clv_read_files(Context *context, const char *const *paths, size_t count,
                      const ReadOptions *options, const ReadGuide *guide, Source **source,
                      cleave_error *error)
{
    bool datasets = options->format && strcmp(options->format, "cleave") == 0;
    int spooled;

    *source = NULL;
    if (count == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "no data was given");
    TRY(look_at_all(context, paths, count, &datasets, error));
    if (!datasets) {
        Dataset *dataset;
        Status status;

        TRY(clv_read_text_files(context, paths, count, options, guide, source, &spooled, error));
        if (spooled < 0)
            return clv_reader_drops_classes((Reader *)*source)
                       ? OK
                       : filter(paths[0], options, guide, source, error);
        status = count == 1
                     ? clv_dataset_map_file(context, "standard input", spooled, &dataset, error)
                     : clv_fail(error, CLEAVE_ERROR_DATA,
                                "%s: a dataset from a stream must be the only input", paths[0]);
        close(spooled);
        TRY(status);
        TRY(clv_dataset_source(dataset, true, source, error));
        if (guide)
            TRY(check_kind(*source, guide, paths[0], source, error));
        return filter(paths[0], options, guide, source, error);
    }
    TRY(open_datasets(context, paths, count, options, source, error));
    if (guide)
        TRY(check_kind(*source, guide, paths[0], source, error));
    return filter(paths[0], options, guide, source, error);
}
