/*
 * The engine of the methods that learn from one example at a time: perceptron, winnow and lms. A
 * method is a rule: how a row is scored, and how the weights of an output change.
 *
 *     classes      a mistake, y·score ≤ 0, changes the output that made it
 *     joint        the highest score is that of a wrong class: both outputs change (Crammer and Singer 2003)
 *     regression   every example changes the weights by its error, target − score
 *
 * The weights after the last row depend on the rows that came last. Their mean over all examples
 * does not, and predicts better on data that is not separable (Freund and Schapire 1999). --form
 * auto uses the mean of more than FEW_ROWS examples, unless the last weights make no mistake. The
 * mean is kept at the cost of the changes: n w − Σ (change × examples before it), over n.
 */
#ifndef LEARN_LINEAR_ONLINE_LEARNER_H
#define LEARN_LINEAR_ONLINE_LEARNER_H

#include "learn/linear/linear.h"

enum { FORM_AUTO, FORM_PLAIN, FORM_AVERAGED, FORM_VOTED };
enum { FEW_ROWS = 1000 };

typedef struct {
    int form;         /* that FORM_AUTO has become */
    bool clean;       /* no mistake in the last epoch, nor since */
    bool joint;       /* the right and the wrong class change together */
    double grown;     /* a stream that forgets: w is kept multiplied by this; 1 otherwise */
    double grown_sum; /* over the examples seen */
    uint64_t origin;  /* late counts examples from here on */
    uint64_t batch;   /* examples since the end of the last epoch */
    double *late;     /* averaged: each change times the examples before it; intercepts, then weights in their layout */
    size_t late_size;
    double *scores; /* of one row */
} OnlineLearner;

typedef struct {
    /* Scores of a row by the weights so far, into learner->scores. */
    void (*score)(Fit *fit, const Block *block, uint32_t row);
    /* Changes the weights of an output in the direction of sign; regression: by this error, which
     * may be 0. */
    Status (*update)(Fit *fit, size_t output, double sign, const Block *block, uint32_t row);
    void (*visited)(Fit *fit); /* after each row, or NULL */
} LearningRule;

Status clv_learner_begin(Fit *fit, OnlineLearner *learner, int form, size_t outputs);
void clv_learner_free(Fit *fit, OnlineLearner *learner);
/* Memory of the mean for the weights of so many features. */
Status clv_learner_reserve(const Fit *fit, OnlineLearner *learner, size_t outputs, uint32_t features);
/* One visit to every row of a block. */
Status clv_learner_step(Fit *fit, OnlineLearner *learner, const LearningRule *rule, const Block *block);

/* Parts "late" and "late_keep" of several workers, whose means are averaged by their rows. */
Status clv_learner_give_mean(const Fit *fit, const OnlineLearner *learner, const OnlineLearner *start, double rows,
                             Delta *delta);
/* rows 0: the part is checked and left alone. */
Status clv_learner_take_mean(const Fit *fit, OnlineLearner *learner, double rows, const Delta *sum);

/* Whether the model has the mean of the weights; form is the option. */
static inline bool learner_uses_mean(const Fit *fit, const OnlineLearner *learner, int form)
{
    return learner->form == FORM_AVERAGED && (form != FORM_AUTO || (fit->counters.seen > FEW_ROWS && !learner->clean));
}

#endif
