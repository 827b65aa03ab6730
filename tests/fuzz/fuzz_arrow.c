/*
 * Arrow IPC: a file is converted to the text of a table, or refused. The same bytes as an LZ4 frame
 * never write outside of the output.
 */
#include "fuzz/fuzz.h"
#include "read/arrow_ipc.h"
#include "read/lz4_frame.h"

#include <stdlib.h>

static cleave_context *context;

static void convert(const char *data, size_t size)
{
    cleave_error error;
    ArrowWriter writer = {.context = context, .name = "input", .file = -1, .error = &error};
    Bytes *bytes;
    Status status;

    if (!clv_arrow_ipc_sniff(data, size))
        return;
    PROMISE(clv_bytes_from_memory(context, "input", data + 8, size - 8, &bytes, &error) == OK);
    status = clv_arrow_ipc_read(&writer, bytes, data, 8);
    if (status != OK)
        fuzz_check_error(status, &error);
    PROMISE(status != OK || (writer.csv.size && writer.csv.data[writer.csv.size - 1] == '\n'));
    clv_bytes_close(bytes);
    clv_free(context, writer.csv.data);
    clv_free(context, writer.columns.data);
    clv_free(context, writer.kinds.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1), *out = malloc(1000);

    if (!context)
        context = cleave_context_new(NULL);
    if (size)
        memcpy(copy, data, size);
    convert(copy, size);
    clv_lz4_frame(copy, size, out, 1000);
    free(out);
    free(copy);
    return 0;
}
