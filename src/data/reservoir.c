/* Every row has a random rank. The rows with the lowest ranks are kept. When twice the requested
 * number is exceeded, the others are dropped. */
#include "data/reservoir.h"
#include "base/random.h"

#include <stdlib.h>

void clv_reservoir_init(Reservoir *chosen, Context *context, uint32_t most, uint64_t seed)
{
    *chosen = (Reservoir){.context = context, .seed = seed, .most = most, .highest = UINT64_MAX};
    clv_builder_init(&chosen->kept, context);
    clv_builder_init(&chosen->spare, context);
    clv_builder_clear(&chosen->kept);
}

void clv_reservoir_free(Reservoir *chosen)
{
    if (!chosen->context)
        return;
    clv_builder_free(&chosen->kept);
    clv_builder_free(&chosen->spare);
    clv_free(chosen->context, chosen->rank);
    *chosen = (Reservoir){0};
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static Status keep_lowest(Reservoir *chosen, cleave_error *error)
{
    uint32_t rows = chosen->kept.rows, kept = 0;
    uint64_t *sorted;
    Builder spare = chosen->spare;
    Status status = OK;
    Block block;

    TRY(ALLOC(chosen->context, sorted, rows, "a sample", error));
    memcpy(sorted, chosen->rank, rows * sizeof *sorted);
    qsort(sorted, rows, sizeof *sorted, ascending);
    chosen->highest = sorted[chosen->most - 1];
    clv_free(chosen->context, sorted);
    clv_builder_clear(&spare);
    status = clv_builder_finish(&chosen->kept, &block, error);
    for (uint32_t row = 0; row < rows && status == OK; row++)
        if (chosen->rank[row] <= chosen->highest) {
            chosen->rank[kept++] = chosen->rank[row];
            status = clv_builder_copy_row(&spare, &block, row, UNLABELED, error);
        }
    chosen->spare = chosen->kept;
    chosen->kept = spare;
    return status;
}

Status clv_reservoir_look(Reservoir *chosen, const Block *block, cleave_error *error)
{
    for (uint32_t row = 0; row < block->rows; row++) {
        uint64_t rank = clv_random(chosen->seed, chosen->seen++).key;
        uint32_t kept = chosen->kept.rows;

        if (rank > chosen->highest)
            continue;
        TRY(GROW(chosen->context, chosen->rank, chosen->rank_capacity, (size_t)kept + 1, error));
        chosen->rank[kept] = rank;
        TRY(clv_builder_copy_row(&chosen->kept, block, row, UNLABELED, error));
        if (chosen->kept.rows >= 2 * chosen->most)
            TRY(keep_lowest(chosen, error));
    }
    return OK;
}

Status clv_reservoir_rows(Reservoir *chosen, Block *block, cleave_error *error)
{
    if (chosen->kept.rows > chosen->most)
        TRY(keep_lowest(chosen, error));
    return clv_builder_finish(&chosen->kept, block, error);
}
