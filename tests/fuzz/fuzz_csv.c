/* CSV and TSV tables. */
#include "fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&clv_format_csv, data, size);
    return fuzz_format(&clv_format_tsv, data, size);
}
