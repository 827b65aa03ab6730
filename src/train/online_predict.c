/* Predictions for rows of a stream before the model learns from them, and the progressive error. */
#include "train/online_parts.h"

#include <math.h>

#define MOST_WEIGHTS_MEASURED ((size_t)1 << 27)

/* The prediction before training: the majority class or the mean of the targets. */
static double guess(const Online *online, uint32_t *answer)
{
    *answer = online->seen ? 0 : UNLABELED;
    if (online->regression)
        return online->held.rows ? online->target_sum / online->held.rows : 0;
    for (uint32_t i = 1; i < online->seen; i++)
        if (online->count[i] > online->count[*answer])
            *answer = i;
    return 0;
}

static DecisionRule rule_of(const Online *online)
{
    const Fit *fit = &online->run.fit;

    return (DecisionRule){
        .labels = online->run.labels,
        .outputs = fit->outputs,
        .classes = fit->classes,
        .positive = fit->positive,
        .regression = online->regression,
        .abstains = online->run.job.method->inference->abstains,
    };
}

/* Predicts before the method has begun: the same score for every output, and the most frequent
 * class so far. */
static void predict_by_guess(Online *online, size_t outputs, cleave_prediction *prediction)
{
    DecisionRule rule = {
        .labels = online->run.labels, .outputs = outputs, .regression = online->regression};
    uint32_t answer;
    double number = guess(online, &answer);

    for (size_t i = 0; i < outputs; i++)
        online->scores[i] = number;
    clv_prediction_decide(&rule, online->scores, NULL, prediction);
    if (!online->regression && answer != UNLABELED) {
        prediction->label = clv_decided_label(&rule, answer);
        prediction->label_number = answer;
    }
}

Status clv_online_predict(Online *online, const Block *view, cleave_prediction *prediction)
{
    Run *run = &online->run;
    const Fit *fit = &run->fit;
    size_t outputs = online->learning ? fit->outputs
                                      : outputs_of(online->regression ? 0 : online->seen);

    TRY(GROW(run->context, online->scores, online->score_capacity, outputs, run->error));
    if (online->learning) {
        DecisionRule rule = rule_of(online);

        TRY(run->job.method->online->score(fit, view, 0, online->scores));
        for (size_t i = 0; i < outputs; i++)
            if (!isfinite(online->scores[i]))
                return clv_fail_hint(online->run.error, CLEAVE_ERROR_DATA,
                                     "scale the features, or lower the learning rate",
                                     "the weights are not finite: training diverges");
        clv_prediction_decide(&rule, online->scores, NULL, prediction);
    } else {
        predict_by_guess(online, outputs, prediction);
    }
    prediction->row = online->rows + 1;
    clv_prediction_given(prediction, run->labels, block_label(view, 0));
    if (online->regression)
        prediction->true_value = fit_target(fit, view, 0);
    return OK;
}

void clv_online_spell(Online *online, cleave_prediction *prediction)
{
    if (online->regression)
        prediction->label = cleave_number_text(prediction->value, online->text);
}

static double length_of_weights(Online *online)
{
    Run *run = &online->run;
    size_t count = run->fit.outputs * (size_t)run->fit.features;
    double *weights, *thresholds, sum = 0;

    if (!online->learning || !METHOD_HAS(run->job.method, inspection, weights) ||
        count > MOST_WEIGHTS_MEASURED)
        return (double)NAN;
    weights = clv_alloc(run->context, count, sizeof *weights);
    thresholds = clv_alloc(run->context, run->fit.outputs, sizeof *thresholds);
    if (weights && thresholds) {
        run->job.method->inspection->weights(&run->fit, weights, thresholds);
        for (size_t i = 0; i < count; i++)
            sum += weights[i] * weights[i];
    } else {
        sum = (double)NAN;
    }
    FREE(run->context, weights, thresholds);
    return sqrt(sum);
}

void clv_online_facts(Online *online, cleave_stream_status *facts)
{
    const Run *run = &online->run;

    *facts = (cleave_stream_status){
        .examples = online->windows.examples,
        .unlabeled = online->unlabeled,
        .classes = online->seen,
        .features = run->fit.features,
        .regression = online->regression,
        .error = clv_windows_error(&online->windows),
        .window_error = clv_decaying_mean(&online->windows.shown),
        .learning_rate = online->learning && METHOD_HAS(run->job.method, online, learning_rate)
                             ? run->job.method->online->learning_rate(&run->fit)
                             : (double)NAN,
        .weights_norm = length_of_weights(online),
        .alarms = online->windows.alarms,
        .missed = (double)NAN,
        .false_alarms = (double)NAN,
        .window_missed = (double)NAN,
        .window_false_alarms = (double)NAN,
    };
    if (online->regression || online->seen != 2)
        return;
    facts->missed = clv_class_errors_rate(&online->side[run->fit.positive == 1]);
    facts->false_alarms = clv_class_errors_rate(&online->side[run->fit.positive != 1]);
    facts->window_missed = clv_decaying_mean(&online->side[run->fit.positive == 1].shown);
    facts->window_false_alarms = clv_decaying_mean(&online->side[run->fit.positive != 1].shown);
}

void clv_online_report(Online *online)
{
    cleave_stream_status facts;

    if (online->windows.examples < online->next_report)
        return;
    while (online->next_report <= online->windows.examples)
        online->next_report *= 2;
    if (!online->watch.progress)
        return;
    clv_online_facts(online, &facts);
    online->watch.progress(online->watch.user, &facts);
}

void clv_online_evaluate(Online *online, uint32_t label, const cleave_prediction *prediction)
{
    double off = prediction->value - prediction->true_value;
    Drift drift;

    if (label < 2)
        clv_class_errors_add(&online->side[label], !prediction->correct);
    if (!clv_windows_add(&online->windows, online->regression ? off * off : !prediction->correct,
                         &drift) ||
        !online->watch.drift)
        return;
    online->watch.drift(online->watch.user,
                        &(cleave_stream_drift){.example = online->windows.examples,
                                               .before = drift.before,
                                               .now = drift.now,
                                               .z = drift.z});
}
