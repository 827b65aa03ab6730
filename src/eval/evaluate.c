/* A model over labelled rows: errors, and the loss by the method's own measure. */
#include "eval/evaluate.h"

static void judge_class(const Model *model, uint32_t label, const double *scores, bool allow_none, Judgement *judgement)
{
    uint32_t answer;

    if (label == UNLABELED) {
        judgement->unlabelled++;
        return;
    }
    answer = clv_model_decide(model, scores, allow_none);
    judgement->n++;
    judgement->errors += answer != label;
    judgement->none += answer == UNLABELED;
    judgement->unseen_label += label >= model->labels.count;
    if (model->method->inference->loss && !judgement->without_loss && label < model->labels.count)
        judgement->loss += model->method->inference->loss(model, scores, label, 0);
}

static void judge_number(const Model *model, double target, double answer, Judgement *judgement)
{
    double off = answer - target, from_mean = target - judgement->target_mean;

    if (isnan(target)) {
        judgement->unlabelled++;
        return;
    }
    judgement->n++;
    judgement->squared_error += off * off;
    judgement->abs_error += fabs(off);
    judgement->target_mean += from_mean / (double)judgement->n;
    judgement->target_spread += from_mean * (target - judgement->target_mean); /* Welford 1962 */
    if (model->method->inference->loss && !judgement->without_loss)
        judgement->loss += model->method->inference->loss(model, &answer, UNLABELED, target);
}

void clv_judge_scores(const Model *model, const Block *block, const double *numbers, bool allow_none,
                      const double *scores, Judgement *judgement)
{
    size_t outputs = outputs_of(model->labels.count);

    for (uint32_t row = 0; row < block->rows; row++) {
        if (model->task == CLEAVE_TASK_REGRESSION)
            judge_number(model, block_number(block, row, numbers), scores[row], judgement);
        else
            judge_class(model, block_label(block, row), scores + (size_t)row * outputs, allow_none, judgement);
    }
}

Status clv_judge_block(const Model *model, const Block *block, const double *numbers, bool allow_none, double *scores,
                       Judgement *judgement, cleave_error *error)
{
    TRY(model->method->inference->predict(model, block, scores, error));
    clv_judge_scores(model, block, numbers, allow_none, scores, judgement);
    return OK;
}

Status clv_judge(const Model *model, Traversal *traversal, const double *numbers, JudgeWatcher watcher, void *user,
                 Judgement *judgement, cleave_error *error)
{
    Context *context = model->context;
    size_t outputs = outputs_of(model->labels.count), capacity = 0;
    double *scores = NULL;
    Status status = clv_traversal_begin(traversal, 0, error);

    *judgement = (Judgement){.without_loss = judgement->without_loss};
    while (status == OK) {
        const Block *block;

        status = clv_traversal_next(traversal, &block, error);
        if (status != OK || !block)
            break;
        status = clv_poll(context, error);
        if (status == OK)
            status = GROW(context, scores, capacity, block->rows * outputs, error);
        if (status == OK)
            status = clv_judge_block(model, block, numbers, false, scores, judgement, error);
        if (status == OK && watcher)
            status = watcher(user, block, scores);
    }
    clv_free(context, scores);
    return status;
}
