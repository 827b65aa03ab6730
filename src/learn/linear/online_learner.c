#include "learn/linear/online_learner.h"

Status clv_learner_begin(Fit *fit, OnlineLearner *learner, int form, size_t outputs)
{
    learner->form = form;
    learner->grown = 1;
    return ALLOC_ZERO(fit->context, learner->scores, outputs, "scores", fit->error);
}

void clv_learner_free(Fit *fit, OnlineLearner *learner)
{
    FREE(fit->context, learner->late, learner->scores);
}

Status clv_learner_reserve(const Fit *fit, OnlineLearner *learner, size_t outputs,
                           uint32_t features)
{
    return learner->form == FORM_AVERAGED
               ? clv_extend(fit->context, &learner->late, &learner->late_size,
                            outputs * ((size_t)features + 1), sizeof *learner->late,
                            "the averaged weights", fit->error)
               : OK;
}

/* ---- one example ----------------------------------------------------------------------------- */

/* Updates each output separately. */
static Status learn_locally(Fit *fit, OnlineLearner *learner, const LearningRule *rule,
                            const Block *block, uint32_t row, uint32_t label, bool *ok)
{
    for (size_t output = 0; output < fit->outputs; output++) {
        double y = fit_sign(fit, label, output);

        if (y * learner->scores[output] > 0)
            continue;
        *ok = learner->clean = false;
        fit->counters.epoch_mistakes++;
        fit->counters.epoch_loss -= y * learner->scores[output] / learner->grown;
        TRY(rule->update(fit, output, y, block, row));
    }
    return OK;
}

/* Updates the right class and the highest wrong one. */
static Status learn_jointly(Fit *fit, OnlineLearner *learner, const LearningRule *rule,
                            const Block *block, uint32_t row, uint32_t label, bool *ok)
{
    size_t wrong = highest_wrong(learner->scores, fit->outputs, label);

    *ok = learner->scores[label] > learner->scores[wrong];
    if (*ok)
        return OK;
    learner->clean = false;
    fit->counters.epoch_mistakes++;
    fit->counters.epoch_loss += (learner->scores[wrong] - learner->scores[label]) / learner->grown;
    TRY(rule->update(fit, label, 1, block, row));
    return rule->update(fit, wrong, -1, block, row);
}

static Status learn_target(Fit *fit, OnlineLearner *learner, const LearningRule *rule,
                           const Block *block, uint32_t row, double target, bool *ok)
{
    double error = target - learner->scores[0];

    TRY(rule->update(fit, 0, error, block, row));
    *ok = error == 0;
    learner->clean = learner->clean && *ok;
    fit->counters.epoch_mistakes += !*ok;
    fit->counters.epoch_loss += fit_weight(fit, block, row, block_label(block, row)) * error *
                                error;
    return OK;
}

Status clv_learner_step(Fit *fit, OnlineLearner *learner, const LearningRule *rule,
                        const Block *block)
{
    bool regression = fit->task == CLEAVE_TASK_REGRESSION,
         joint = learner->joint && fit->outputs > 1;

    for (uint32_t row = 0; row < block->rows; row++) {
        uint32_t label = block_label(block, row);
        double target = regression ? fit_target(fit, block, row) : 0;
        bool ok = true;

        if (regression ? isnan(target) : label >= fit->classes)
            continue;
        rule->score(fit, block, row);
        TRY(regression ? learn_target(fit, learner, rule, block, row, target, &ok)
            : joint    ? learn_jointly(fit, learner, rule, block, row, label, &ok)
                       : learn_locally(fit, learner, rule, block, row, label, &ok));
        fit->counters.seen++;
        learner->batch++;
        learner->grown_sum += learner->grown;
        if (rule->visited)
            rule->visited(fit);
        if (fit->trace)
            fit->trace(fit, block, row, learner->scores, ok);
    }
    return OK;
}

/* ---- several workers ------------------------------------------------------------------------- */

/* Gives late / seen, which the workers average like the weights: this averages the mean. Most
 * elements of late do not change. */
Status clv_learner_give_mean(const Fit *fit, const OnlineLearner *learner,
                             const OnlineLearner *start, double rows, Delta *delta)
{
    double share = rows / (fit->counters.seen > learner->origin
                               ? (double)(fit->counters.seen - learner->origin)
                               : 1);

    TRY(clv_delta_add(delta, "late_keep", 0, share, fit->error));
    for (size_t i = 0; i < learner->late_size; i++)
        TRY(clv_delta_add(delta, "late", i,
                          share * (learner->late[i] - (i < start->late_size ? start->late[i] : 0)),
                          fit->error));
    return OK;
}

Status clv_learner_take_mean(const Fit *fit, OnlineLearner *learner, double rows, const Delta *sum)
{
    const DeltaPart *late = clv_delta_part(sum, "late");
    double share, keep;

    if (clv_delta_size(sum, "late") > learner->late_size)
        return clv_fail(fit->error, CLEAVE_ERROR_DATA,
                        "the update has more averaged weights than weights");
    if (rows <= 0 || learner->form != FORM_AVERAGED)
        return OK;
    share = (double)(fit->counters.seen - learner->origin) / rows;
    keep = share * clv_delta_number(sum, "late_keep", 0);
    for (size_t i = 0; i < learner->late_size; i++)
        learner->late[i] *= keep;
    for (size_t i = 0; late && i < late->count; i++)
        learner->late[late->index[i]] += share * late->value[i];
    return OK;
}
