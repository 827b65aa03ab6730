/*
 * The rule that turns scores into a prediction, for every caller: predict, test, stream, explain,
 * cross-validation, plots.
 *
 *     two classes, one score     the positive class if the score is above 0
 *     more classes               the class with the highest score (of equal scores, the first);
 *                                none if `allow_none` is set and no score is at least 0
 *     regression                 the score is the number
 *
 * A method may abstain, for example after a tie of votes. The prediction is then none, for any
 * number of classes.
 */
#ifndef MODEL_PREDICTION_H
#define MODEL_PREDICTION_H

#include "data/labels.h"

#define PREDICTION_TEXT_SIZE 32

typedef struct {
    const Labels *labels; /* labels of the classes; unused in a regression */
    size_t outputs;       /* number of scores of a row: 1 for two classes and for a regression */
    uint32_t classes;
    uint32_t positive; /* used if outputs is 1: label number of the positive class */
    bool regression;
    bool allow_none;
    bool (*abstains)(const double *scores, size_t outputs); /* NULL: the method never abstains */
} DecisionRule;

/* The predicted label number, or UNLABELED for none. For classes only. */
uint32_t clv_decide(const DecisionRule *rule, const double *scores);

/* Returns "none" for UNLABELED. */
const char *clv_decided_label(const DecisionRule *rule, uint32_t label);

/* The score of one class. With two classes, the score of the negative class is negated. */
double clv_class_score(const DecisionRule *rule, const double *scores, uint32_t label);

/* Sets label, label number, scores and number, and clears all other members. The label of a
 * regression is written to `text`, or is empty if `text` is NULL. The prediction keeps pointers to
 * `scores`, `text` and the labels of the rule. */
void clv_prediction_decide(const DecisionRule *rule, const double *scores,
                           char text[PREDICTION_TEXT_SIZE], cleave_prediction *prediction);

/* Adds the label given in the data: a label number of `labels`, which begin with those of the rule,
 * or UNLABELED. */
void clv_prediction_given(cleave_prediction *prediction, const Labels *labels, uint32_t given);

/* Lists every class whose probability, or score if the prediction has no probabilities, is above
 * `above`. `every` has space for all classes. */
void clv_prediction_every(const DecisionRule *rule, double above, size_t *every,
                          cleave_prediction *prediction);

#endif
