/*
 * Models of labels from many workers: the posterior of the true label of each task, by expectation
 * maximization (EM). An iteration visits the tasks in slices. The slices depend on the data alone
 * and their sums are added in order, so the result is bit-identical for any number of threads.
 */
#ifndef CROWD_LABEL_MODEL_H
#define CROWD_LABEL_MODEL_H

#include "crowd/answers.h"

enum { MODEL_DAWID_SKENE, MODEL_ONE_COIN, MODEL_MACE, MODEL_GLAD, MODEL_MAJORITY };

typedef struct {
    double smoothing, tolerance;
    int64_t max_iterations;
} EmOptions;

typedef struct LabelModel LabelModel;

/* A method. `table` and `sums` are numbers per worker. */
typedef struct {
    size_t (*table)(size_t labels); /* parameters of a worker */
    size_t (*sums)(size_t labels);  /* expected counts of a worker */
    bool from_votes;                /* the first posteriors are the shares of votes */
    bool estimates_prior;           /* frequencies of the labels; otherwise they are uniform */
    /* Adds the log-likelihood of the answers to a task to the score of each label. */
    void (*score)(const LabelModel *model, uint32_t task, double *score);
    /* Adds the expected counts of the answers to a task to the sums of the workers. */
    void (*collect)(LabelModel *model, uint32_t task, double *sums);
    /* Sets the parameters of a worker; sums NULL: the initial values. */
    void (*update)(LabelModel *model, uint32_t worker, const double *sums);
} EmMethod;

extern const EmMethod clv_em_dawid_skene, clv_em_one_coin, clv_em_mace, clv_em_glad;

struct LabelModel {
    const Answers *answers;
    const EmMethod *method;
    EmOptions options;
    size_t labels;
    uint32_t slices;
    double *posterior; /* of each label of each task */
    double *prior;     /* of each label */
    double *table;     /* see EmMethod */
    double *ability;   /* of each worker: see cleave_crowd_worker */
    double *easiness;  /* GLAD: of each task, as a logarithm; otherwise NULL */
    double *confusion; /* of each worker: rows are true labels, columns are answers */
    int64_t iterations;
    bool converged;
};

/* Confusion matrix, by rows of true labels, from expected counts [answer][true label]. Counts are
 * smoothed towards the worker's own distribution of answers: a row without counts carries no
 * information on the true label. */
void clv_em_confusion(const double *sums, size_t labels, double smoothing, double *rows);

/* Fits the model; method: MODEL_.... Free it also after a failure. */
Status clv_label_model_fit(const Answers *answers, int method, const EmOptions *options,
                           LabelModel *model, cleave_error *error);
void clv_label_model_free(LabelModel *model);

/* The label of largest posterior; among equals the one of largest prior, then the first. */
uint32_t clv_label_model_best(const LabelModel *model, uint32_t task);
/* The expected share of correct answers of a worker; NaN without answers. count: answers. */
void clv_label_model_accuracy(const LabelModel *model, double *accuracy, uint64_t *count);
/* The score of Raykar and Yu (2012): 0 if the answers do not depend on the true label, 1 if they
 * determine it. */
double clv_label_model_quality(const LabelModel *model, uint32_t worker);

#endif
