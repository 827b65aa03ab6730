/* gzip, zstd and plain bytes: for any input, reading ends, in pieces of any size, after at most 64
 * MB of output. */
#include "fuzz/fuzz.h"
#include "read/bytes.h"

static void drain(Bytes *bytes, size_t piece)
{
    static char buffer[1 << 16];
    cleave_error error = {0};
    size_t got = piece, total = 0;

    while (got == piece && total < (size_t)64 << 20) {
        Status status = clv_bytes_read(bytes, buffer, piece, &got, &error);

        if (status != OK) {
            fuzz_check_error(status, &error);
            return;
        }
        PROMISE(got <= piece);
        total += got;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[] = {1 << 16, 4093, 17};
    cleave_context *context = fuzz_context();

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        cleave_error error = {0};
        Bytes *bytes = NULL;
        Status status = clv_bytes_from_memory(context, "input", data, size, &bytes, &error);

        if (status == OK)
            drain(bytes, pieces[i]);
        else
            fuzz_check_error(status, &error);
        clv_bytes_close(status == OK ? bytes : NULL);
        if (size > 4096)
            break; /* large inputs are read only once, in large pieces */
    }
    cleave_context_free(context);
    return 0;
}
