#include "train/running_scores.h"

static Status judge_block(Kept *kept, const Fit *fit, const Model *model, const Block *block, size_t first,
                          uint32_t *parts, const double *numbers, Judgement *judgement, cleave_error *error)
{
    size_t count = block->rows * fit->outputs;

    TRY(GROW(kept->context, kept->sums, kept->sums_capacity, first + count, error));
    TRY(GROW(kept->context, kept->scores, kept->scores_capacity, count, error));
    *parts = kept->parts;
    TRY(fit->method->training->extend_scores(fit, block, parts, kept->sums + first, kept->scores));
    clv_judge_scores(model, block, numbers, false, kept->scores, judgement);
    return OK;
}

Status clv_judge_kept(Kept *kept, const Fit *fit, const Model *model, Traversal *traversal, const double *numbers,
                      Judgement *judgement, cleave_error *error)
{
    uint32_t parts = kept->parts;
    size_t first = 0;

    kept->context = fit->context;
    *judgement = (Judgement){.without_loss = judgement->without_loss};
    TRY(clv_traversal_begin(traversal, 0, error));
    for (;;) {
        const Block *block;

        TRY(clv_traversal_next(traversal, &block, error));
        if (!block)
            break;
        TRY(judge_block(kept, fit, model, block, first, &parts, numbers, judgement, error));
        first += block->rows * fit->outputs;
    }
    kept->parts = parts;
    return OK;
}

void clv_kept_free(Kept *kept)
{
    if (!kept->context)
        return;
    clv_free(kept->context, kept->sums);
    clv_free(kept->context, kept->scores);
    *kept = (Kept){0};
}
