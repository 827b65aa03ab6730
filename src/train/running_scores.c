#include "train/running_scores.h"

static Status evaluate_block(KeptSums *kept, const Fit *fit, const Model *model, const Block *block,
                             size_t first, uint32_t *parts, const double *numbers,
                             Evaluation *evaluation, cleave_error *error)
{
    size_t count = block->rows * fit->outputs;

    TRY(GROW(kept->context, kept->sums, kept->sums_capacity, first + count, error));
    TRY(GROW(kept->context, kept->scores, kept->scores_capacity, count, error));
    *parts = kept->parts;
    TRY(fit->method->training->extend_scores(fit, block, parts, kept->sums + first, kept->scores));
    clv_evaluate_scores(model, block, numbers, false, kept->scores, evaluation);
    return OK;
}

Status clv_evaluate_kept(KeptSums *kept, const Fit *fit, const Model *model, Traversal *traversal,
                         const double *numbers, Evaluation *evaluation, cleave_error *error)
{
    uint32_t parts = kept->parts;
    size_t first = 0;

    kept->context = fit->context;
    *evaluation = (Evaluation){.without_loss = evaluation->without_loss};
    TRY(clv_traversal_begin(traversal, 0, error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, error));
        if (!block)
            break;
        TRY(evaluate_block(kept, fit, model, block, first, &parts, numbers, evaluation, error));
        first += block->rows * fit->outputs;
    }
    kept->parts = parts;
    return OK;
}

void clv_kept_free(KeptSums *kept)
{
    if (!kept->context)
        return;
    FREE(kept->context, kept->sums, kept->scores);
    *kept = (KeptSums){0};
}
