/*
 * The engine of the online methods: perceptron, winnow and lms. A method provides a rule for
 * scoring a row and a rule for updating the weights of an output.
 *
 *     classes      a mistake, y·score ≤ 0, updates the output with the mistake
 *     joint        a wrong class has the highest score: both outputs change (Crammer and Singer
 *                  2003)
 *     regression   every example updates the weights by its error, target − score
 *
 * The weights after the last row depend on the last rows. Their mean over all examples does not,
 * and predicts better on data that is not separable (Freund and Schapire 1999). --form auto uses
 * the mean for more than FEW_ROWS examples, unless the last weights make no mistake. The mean is (n
 * w − Σ (change × examples before it)) / n. Its cost is proportional to the number of changes.
 */
#ifndef LEARN_LINEAR_ONLINE_LEARNER_H
#define LEARN_LINEAR_ONLINE_LEARNER_H

#include "learn/linear/linear.h"

enum { FORM_AUTO, FORM_PLAIN, FORM_AVERAGED, FORM_VOTED };
enum { FEW_ROWS = 1000 };

typedef struct {
    int form;         /* the form that `auto` chose */
    bool clean;       /* no mistake since the start of the last epoch */
    bool joint;       /* the outputs of the right and of the wrong class change together */
    double grown;     /* factor that the stored w is multiplied by with forgetting; otherwise 1 */
    double grown_sum; /* sum of `grown` over the examples */
    uint64_t origin;  /* example number that `late` starts at */
    uint64_t batch;   /* examples since the end of the last epoch */
    /* averaged: each change times the examples before it; intercepts, then weights */
    double *late;
    size_t late_size;
    double *scores; /* scores of one row */
} OnlineLearner;

typedef struct {
    /* Writes the scores of a row into learner->scores. */
    void (*score)(Fit *fit, const Block *block, uint32_t row);
    /* Updates the weights of an output in the direction of sign. Regression: by this error,
     * which may be 0. */
    Status (*update)(Fit *fit, size_t output, double sign, const Block *block, uint32_t row);
    void (*visited)(Fit *fit); /* called after each row; may be NULL */
} LearningRule;

Status clv_learner_begin(Fit *fit, OnlineLearner *learner, int form, size_t outputs);
void clv_learner_free(Fit *fit, OnlineLearner *learner);
/* Allocates the mean for this many features. */
Status clv_learner_reserve(const Fit *fit, OnlineLearner *learner, size_t outputs,
                           uint32_t features);
/* Visits every row of a block once. */
Status clv_learner_step(Fit *fit, OnlineLearner *learner, const LearningRule *rule,
                        const Block *block);

/* Parts "late" and "late_keep" of several workers. Means are averaged by the number of rows. */
Status clv_learner_give_mean(const Fit *fit, const OnlineLearner *learner,
                             const OnlineLearner *start, double rows, Delta *delta);
/* With rows of 0, checks the part without applying it. */
Status clv_learner_take_mean(const Fit *fit, OnlineLearner *learner, double rows, const Delta *sum);

/* Whether the model has averaged weights; form is the option. */
static inline bool learner_uses_mean(const Fit *fit, const OnlineLearner *learner, int form)
{
    return learner->form == FORM_AVERAGED &&
           (form != FORM_AUTO || (fit->counters.seen > FEW_ROWS && !learner->clean));
}

#endif
