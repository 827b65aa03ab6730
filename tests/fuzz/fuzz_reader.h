/*
 * A text or array format: the bytes are read as a new file, read again leniently, and, if that
 * succeeds, read for a model trained on them, which must succeed as well.
 */
#ifndef TESTS_FUZZ_READER_H
#define TESTS_FUZZ_READER_H

#include "fuzz/fuzz.h"
#include "read/reader.h"

static inline Source *fuzz_open(Context *context, const Format *format, const ReadOptions *options,
                                const ReadGuide *guide, const uint8_t *data, size_t size)
{
    cleave_error error = {0};
    Source *source = NULL;
    Status status = clv_read_memory(context, "input", data, size, format, options, guide, &source,
                                    &error);

    if (status != OK)
        fuzz_check_error(status, &error);
    return status == OK ? source : NULL;
}

static inline void fuzz_read(Context *context, const Format *format, const ReadOptions *options,
                             const uint8_t *data, size_t size)
{
    Source *learned = fuzz_open(context, format, options, NULL, data, size);

    if (learned && fuzz_drain(learned, false)) {
        ReadGuide guide = {
            .schema = &learned->schema, .names = &learned->names, .features = learned->features};
        Source *again = fuzz_open(context, format, options, &guide, data, size);

        PROMISE(again);
        PROMISE(fuzz_drain(again, false));
        PROMISE(again->rows == learned->rows);
        clv_source_close(again);
    }
    clv_source_close(learned);
}

static inline int fuzz_format(const Format *format, const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    ReadOptions options = {0};

    if (format->sniff)
        format->sniff((const char *)data, size < 65536 ? size : 65536);
    clv_params_initial(clv_read_params, &options);
    fuzz_read(context, format, &options, data, size);
    options.sort_indexes = options.sum_repeated = options.zero_based = options.allow_cut = true;
    fuzz_read(context, format, &options, data, size);
    cleave_context_free(context);
    return 0;
}

#endif
