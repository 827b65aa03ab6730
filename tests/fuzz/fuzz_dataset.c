/*
 * The binary dataset without checksums (nohash.c): every block that can be opened is read to its
 * end, and then again as a source.
 */
#include "data/dataset.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

static void walk(Dataset *dataset)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < dataset->blocks; i++) {
        cleave_error error = {0};
        Block block;
        Status status = clv_dataset_block(dataset, i, &block, &error);

        if (status != OK) {
            fuzz_check_error(status, &error);
            return;
        }
        PROMISE(block.features <= dataset->features);
        fuzz_check_block(&block, dataset->labels.count, true);
        rows += block.rows;
    }
    PROMISE(rows == dataset->rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    /* A map starts on a page: bytes on a 64-byte boundary, ending where the input ends. */
    size_t workspace = (size + 64) & ~(size_t)63;
    char *memory = aligned_alloc(64, workspace);
    cleave_error error = {0};
    Dataset *dataset = NULL;
    Source *source = NULL;
    Status status;

    if (!memory)
        return 0;
    memset(memory, 0xA5, workspace);
    if (size)
        memcpy(memory, data, size);
    clv_dataset_sniff(memory, size);
    status = clv_dataset_from_bytes(context, "input", memory, size, &dataset, &error);
    if (status == OK) {
        walk(dataset);
        if (clv_dataset_source(dataset, false, &source, &error) == OK)
            fuzz_drain(source, true);
        clv_source_close(source);
        clv_dataset_free(dataset);
    } else {
        fuzz_check_error(status, &error);
    }
    free(memory);
    cleave_context_free(context);
    return 0;
}
