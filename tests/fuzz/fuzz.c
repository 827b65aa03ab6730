/* See fuzz.h. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>

void *fuzz_allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return size > (size_t)256 << 20 ? NULL : realloc(old, size);
}

void fuzz_log(void *user, cleave_log_level level, const char *message, const char *hint)
{
    (void)user;
    PROMISE(level == CLEAVE_LOG_NOTE || level == CLEAVE_LOG_WARNING);
    PROMISE(message[0] != '\0' && hint);
}

void fuzz_check_block(const Block *block, uint32_t labels, bool any_value)
{
    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        uint64_t next = 0;

        PROMISE(label == UNLABELED || label < labels);
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            PROMISE(walk.column >= next);
            PROMISE(walk.column < block->features);
            PROMISE(any_value || (walk.value != 0 && isfinite(walk.value)));
            next = (uint64_t)walk.column + 1;
        }
        PROMISE(any_value || isfinite(block_weight(block, row)));
    }
}

bool fuzz_drain(Source *source, bool any_value)
{
    cleave_error error = {0};
    const Block *block;
    uint64_t rows = 0;

    for (;;) {
        Status status = source_next(source, &block, &error);

        if (status != OK) {
            fuzz_check_error(status, &error);
            return false;
        }
        if (!block)
            break;
        PROMISE(block->features <= source->features);
        fuzz_check_block(block, source->labels.count, any_value);
        rows += block->rows;
    }
    PROMISE(source->rows == rows);
    return true;
}
