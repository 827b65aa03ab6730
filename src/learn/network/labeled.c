#include "learn/network/labeled.h"

#include "data/builder.h"
#include "data/tour.h"

typedef struct {
    const Fit *fit;
    Dataset *labeled;
    Builder builder;
} Copying;

static Status copy_block(void *user, const Block *block, cleave_error *error)
{
    Copying *copying = user;
    Block labeled;

    clv_builder_clear(&copying->builder);
    for (uint32_t row = 0; row < block->rows; row++)
        if (is_training_row(copying->fit, block, row))
            TRY(clv_builder_copy_row(&copying->builder, block, row, block_label(block, row),
                                     error));
    if (copying->builder.rows == 0)
        return OK;
    TRY(clv_builder_finish(&copying->builder, &labeled, error));
    return clv_dataset_add(copying->labeled, &labeled, error);
}

Status clv_labeled_rows(const Fit *fit, Dataset *dataset, Dataset **labeled)
{
    Copying copying = {.fit = fit};
    Status status;

    *labeled = NULL;
    TRY(clv_dataset_new(fit->context, &copying.labeled, fit->error));
    clv_builder_init(&copying.builder, fit->context);
    status = clv_tour_all(dataset, copy_block, &copying, fit->error);
    clv_builder_free(&copying.builder);
    if (status == OK)
        *labeled = copying.labeled;
    else
        clv_dataset_free(copying.labeled);
    return status;
}
