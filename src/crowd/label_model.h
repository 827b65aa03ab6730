/*
 * Models of labels from many workers. Expectation maximization (EM) estimates the posterior of the
 * true label of each task. An iteration visits the tasks in slices. The slices depend on the data
 * alone and their sums are added in order, so the result is bit-identical for any number of
 * threads.
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

/* A method of estimation. `table` and `sums` return numbers of doubles per worker. */
typedef struct {
    size_t (*table)(size_t labels); /* number of parameters of a worker */
    size_t (*sums)(size_t labels);  /* number of expected counts of a worker */
    bool from_votes;                /* the initial posteriors are the fractions of the votes */
    bool estimates_prior;           /* estimates the prior of the labels, which is otherwise
                                     * uniform */
    /* Adds the log-likelihood of the answers to a task to the score of each label. */
    void (*score)(const LabelModel *model, uint32_t task, double *score);
    /* Adds the expected counts of the answers to a task to the sums of the workers. */
    void (*collect)(LabelModel *model, uint32_t task, double *sums);
    /* Sets the parameters of a worker from the sums, or to initial values if sums is NULL. */
    void (*update)(LabelModel *model, uint32_t worker, const double *sums);
} EmMethod;

extern const EmMethod clv_em_dawid_skene, clv_em_one_coin, clv_em_mace, clv_em_glad;

struct LabelModel {
    const Answers *answers;
    const EmMethod *method;
    EmOptions options;
    size_t labels;
    uint32_t slices;
    double *posterior; /* [task][label] */
    double *prior;     /* prior of each label */
    double *table;     /* see EmMethod */
    double *ability;   /* one number per worker; see cleave_crowd_worker */
    double *easiness;  /* GLAD: logarithm of the easiness of each task; other methods: NULL */
    double *confusion; /* one matrix per worker: rows are true labels, columns are answers */
    int64_t iterations;
    bool converged;
};

/* Computes the confusion matrix, with a row per true label, from the expected counts [answer][true
 * label]. Counts are smoothed toward the worker's distribution of answers, so that a row without
 * counts carries no information about the true label. */
void clv_em_confusion(const double *sums, size_t labels, double smoothing, double *rows);

/* Fits the model. `method` is a MODEL_ constant. The caller frees the model, also after a
 * failure. */
Status clv_label_model_fit(const Answers *answers, int method, const EmOptions *options,
                           LabelModel *model, cleave_error *error);
void clv_label_model_free(LabelModel *model);

/* Returns the label with the largest posterior. Ties are resolved by the largest prior, then by the
 * order of the labels. */
uint32_t clv_label_model_best(const LabelModel *model, uint32_t task);
/* Computes the expected fraction of correct answers of each worker, NaN without answers, and the
 * number of answers of each worker in `count`. */
void clv_label_model_accuracy(const LabelModel *model, double *accuracy, uint64_t *count);
/* Returns the spammer score of Raykar and Yu (2012): 0 if the answers do not depend on the true
 * label, 1 if they determine it. */
double clv_label_model_quality(const LabelModel *model, uint32_t worker);

#endif
