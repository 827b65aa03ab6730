/* fvecs, bvecs and ivecs: the same bytes as each of them. */
#include "fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&clv_format_fvecs, data, size);
    fuzz_format(&clv_format_bvecs, data, size);
    return fuzz_format(&clv_format_ivecs, data, size);
}
