#include "model/prediction.h"

#include "data/block.h"

#include <math.h>

uint32_t clv_decide(const DecisionRule *rule, const double *scores)
{
    uint32_t best = 0;

    if (rule->classes == 0 || (rule->abstains && rule->abstains(scores, rule->outputs)))
        return UNLABELED;
    if (rule->classes == 1)
        return 0;
    if (rule->outputs == 1)
        return scores[0] > 0 ? rule->positive : 1 - rule->positive;
    for (uint32_t i = 1; i < rule->classes; i++)
        if (scores[i] > scores[best])
            best = i;
    return rule->allow_none && scores[best] < 0 ? UNLABELED : best;
}

const char *clv_decided_label(const DecisionRule *rule, uint32_t label)
{
    return label == UNLABELED ? "none" : rule->labels->list[label].text;
}

double clv_class_score(const DecisionRule *rule, const double *scores, uint32_t label)
{
    if (rule->outputs > 1)
        return scores[label];
    return label == rule->positive ? scores[0] : -scores[0];
}

void clv_prediction_decide(const DecisionRule *rule, const double *scores,
                           char text[PREDICTION_TEXT_SIZE], cleave_prediction *prediction)
{
    uint32_t label;

    *prediction = (cleave_prediction){
        .label = "",
        .label_number = SIZE_MAX,
        .score_count = rule->outputs,
        .scores = scores,
        .value = (double)NAN,
        .true_value = (double)NAN,
    };
    if (rule->regression) {
        prediction->value = scores[0];
        if (text)
            prediction->label = cleave_number_text(scores[0], text);
        return;
    }
    label = clv_decide(rule, scores);
    prediction->label = clv_decided_label(rule, label);
    if (label != UNLABELED)
        prediction->label_number = label;
}

void clv_prediction_given(cleave_prediction *prediction, const Labels *labels, uint32_t given)
{
    if (given == UNLABELED)
        return;
    prediction->true_label = labels->list[given].text;
    prediction->correct = given == prediction->label_number;
}

void clv_prediction_every(const DecisionRule *rule, double above, size_t *every,
                          cleave_prediction *prediction)
{
    size_t count = 0;

    for (uint32_t label = 0; label < rule->classes; label++) {
        double value = prediction->probabilities ? prediction->probabilities[label]
                                                 : clv_class_score(rule, prediction->scores, label);

        if (value > above)
            every[count++] = label;
    }
    prediction->above = every;
    prediction->above_count = count;
}
