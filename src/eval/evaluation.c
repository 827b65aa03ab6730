#include "eval/evaluation.h"

/* ---- sums ------------------------------------------------------------------------------------ */

uint32_t clv_evaluate_class(const Model *model, uint32_t label, const double *scores,
                            bool allow_none, Evaluation *evaluation)
{
    uint32_t predicted;

    if (label == UNLABELED) {
        evaluation->unlabeled++;
        return UNLABELED;
    }
    predicted = clv_model_decide(model, scores, allow_none);
    evaluation->n++;
    evaluation->errors += predicted != label;
    evaluation->none += predicted == UNLABELED;
    evaluation->unseen_label += label >= model->labels.count;
    if (model->method->inference->loss && !evaluation->without_loss && label < model->labels.count)
        evaluation->loss += model->method->inference->loss(model, scores, label, 0);
    return predicted;
}

void clv_evaluate_number(const Model *model, double target, double predicted,
                         Evaluation *evaluation)
{
    double off = predicted - target, from_mean = target - evaluation->target_mean;

    if (isnan(target)) {
        evaluation->unlabeled++;
        return;
    }
    evaluation->n++;
    evaluation->abs_error += fabs(off);
    evaluation->squared_error += off * off;
    evaluation->fourth_error += off * off * off * off + clv_underflow(off, off * off * off * off);
    evaluation->target_mean += from_mean / (double)evaluation->n;
    /* the recurrence of Welford (1962) */
    evaluation->target_spread += from_mean * (target - evaluation->target_mean);
    if (model->method->inference->loss && !evaluation->without_loss)
        evaluation->loss += model->method->inference->loss(model, &predicted, UNLABELED, target);
}

void clv_evaluate_scores(const Model *model, const Block *block, const double *numbers,
                         bool allow_none, const double *scores, Evaluation *evaluation)
{
    size_t outputs = outputs_of(model->labels.count);

    for (uint32_t row = 0; row < block->rows; row++) {
        if (model->task == CLEAVE_TASK_REGRESSION)
            clv_evaluate_number(model, block_number(block, row, numbers), scores[row], evaluation);
        else
            clv_evaluate_class(model, block_label(block, row), scores + (size_t)row * outputs,
                               allow_none, evaluation);
    }
}

void clv_evaluation_join(Evaluation *all, const Evaluation *more)
{
    double n = (double)(all->n + more->n), apart = more->target_mean - all->target_mean;

    if (more->n) { /* the formula of Chan, Golub and LeVeque (1979) */
        all->target_spread += more->target_spread +
                              apart * apart * (double)all->n * (double)more->n / n;
        all->target_mean += apart * (double)more->n / n;
    }
    all->n += more->n;
    all->unlabeled += more->unlabeled;
    all->errors += more->errors;
    all->none += more->none;
    all->unseen_label += more->unseen_label;
    all->baseline_errors += more->baseline_errors;
    all->loss += more->loss;
    all->abs_error += more->abs_error;
    all->squared_error += more->squared_error;
    all->fourth_error += more->fourth_error;
}

double clv_evaluation_error(const Evaluation *evaluation, bool regression)
{
    double n = (double)evaluation->n;

    if (evaluation->n == 0)
        return (double)NAN;
    return regression ? sqrt(evaluation->squared_error / n) : (double)evaluation->errors / n;
}

Interval clv_evaluation_interval(const Evaluation *evaluation, bool regression, double repeats)
{
    double n = (double)evaluation->n / repeats;

    return regression ? clv_root_mean(evaluation->squared_error / repeats,
                                      evaluation->fourth_error / repeats, n)
                      : clv_wilson((double)evaluation->errors / repeats, n);
}

/* ---- rows ------------------------------------------------------------------------------------ */

Status clv_score_source(const Model *model, Source *source, ScoredBlock scored, void *user,
                        cleave_error *error)
{
    Context *context = model->context;
    const Labels *labels = &source->labels;
    double *scores = NULL, *numbers = NULL;
    size_t score_capacity = 0, number_capacity = 0, outputs = outputs_of(model->labels.count);
    uint32_t number_count = 0;
    Status status = OK;

    while (status == OK) {
        const Block *block;

        status = source_next(source, &block, error);
        if (status != OK || !block)
            break;
        status = GROW(context, scores, score_capacity, block->rows * outputs, error);
        THEN(status, GROW(context, numbers, number_capacity, labels->count, error));
        for (; status == OK && number_count < labels->count; number_count++)
            numbers[number_count] = labels->list[number_count].number;
        THEN(status, model->method->inference->predict(model, block, scores, error));
        THEN(status, scored(user, block, numbers, scores));
        if (status == OK && clv_cancelled(context))
            status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    FREE(context, scores, numbers);
    return status;
}

Status clv_evaluate_rows(const Model *model, Traversal *traversal, const double *numbers,
                         ScoredBlock scored, void *user, Evaluation *evaluation,
                         cleave_error *error)
{
    Context *context = model->context;
    size_t outputs = outputs_of(model->labels.count), capacity = 0;
    double *scores = NULL;
    Status status = clv_traversal_begin(traversal, 0, error);

    *evaluation = (Evaluation){.without_loss = evaluation->without_loss};
    while (status == OK) {
        const Block *block;

        status = clv_traversal_next(traversal, &block, error);
        if (status != OK || !block)
            break;
        status = clv_poll(context, error);
        THEN(status, GROW(context, scores, capacity, block->rows * outputs, error));
        THEN(status, model->method->inference->predict(model, block, scores, error));
        if (status == OK)
            clv_evaluate_scores(model, block, numbers, false, scores, evaluation);
        if (status == OK && scored)
            status = scored(user, block, numbers, scores);
    }
    clv_free(context, scores);
    return status;
}
