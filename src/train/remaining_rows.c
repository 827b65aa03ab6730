#include "train/remaining_rows.h"

#include "base/file.h"

#include <unistd.h>

static Status each_kept_block(Run *run, Dataset *kept, DatasetWriter *writer)
{
    TRY(clv_traversal_begin(&run->all, 0, run->error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(&run->all, &block, run->error));
        if (!block)
            return OK;
        TRY(writer ? clv_dataset_writer_add(writer, block, run->error)
                   : clv_dataset_add(kept, block, run->error));
    }
}

static Status copy_to_memory(Run *run, Dataset **kept)
{
    Status status;

    TRY(clv_dataset_new(run->context, kept, run->error));
    status = clv_labels_copy(&(*kept)->labels, &run->dataset->labels, run->error);
    THEN(status, clv_names_copy(&(*kept)->names, &run->dataset->names, run->error));
    THEN(status, each_kept_block(run, *kept, NULL));
    if (status != OK)
        clv_dataset_free(*kept);
    return status;
}

static Status write_kept_rows(Run *run, int file)
{
    const Dataset *all = run->dataset;
    DatasetFacts facts = {.labels = &all->labels,
                          .names = &all->names,
                          .schema = &all->schema,
                          .features = all->features};
    DatasetWriter *writer;
    Status status;

    TRY(clv_dataset_writer_open_file(run->context, "temporary file", file, &writer, run->error));
    status = each_kept_block(run, NULL, writer);
    if (status == OK)
        return clv_dataset_writer_finish(writer, &facts, NULL, run->error);
    clv_dataset_writer_abandon(writer);
    return status;
}

static Status copy_to_disk(Run *run, Dataset **kept)
{
    Status status;
    int file, again;

    TRY(clv_temporary_file(run->context, NULL, &file, run->error));
    again = dup(file); /* the writer closes the original descriptor */
    status = again < 0 ? clv_fail_io(run->error, "temporary file", "cannot be written")
                       : write_kept_rows(run, again);
    THEN(status, clv_dataset_map_file(run->context, "temporary file", file, kept, run->error));
    if (status == OK)
        clv_dataset_leave_on_disk(*kept, file);
    close(file);
    return status;
}

Status clv_keep_rows(Run *run, Dataset **kept)
{
    *kept = NULL;
    return run->dataset->on_disk ? copy_to_disk(run, kept) : copy_to_memory(run, kept);
}
