/* Predictions of single rows. A model is never changed after training or loading, so that any
 * number of threads may use it; the scratch space of a prediction (the row as a block, the features
 * made of it, scores, text) is in a predictor, which belongs to one thread at a time. A model keeps
 * a list of them, one for each thread that has used it. */
#ifndef MODEL_PREDICTOR_H
#define MODEL_PREDICTOR_H

#include "data/builder.h"
#include "model/method.h"
#include "pipeline/pipeline.h"

typedef struct {
    const Model *model;
    DecisionRule rule;
    Builder raw, made; /* the row as given, and with the features of the pipeline */
    RowWorkspace workspace;
    double *scores, *probabilities; /* one allocation */
    void *session;                  /* session of the method, if any */
    char text[PREDICTION_TEXT_SIZE];
} Predictor;

Status clv_predictor_init(Predictor *predictor, const Model *model, cleave_error *error);
void clv_predictor_free(Predictor *predictor);

/* Allocates in the first calls only. The prediction points into the predictor and is valid until
 * its next use. Columns increase; those the model does not know are ignored. */
Status clv_predictor_row(Predictor *predictor, size_t count, const uint32_t *columns,
                         const float *values, cleave_prediction *prediction, cleave_error *error);

/* The same in parts. A row becomes a block, which lives until the next row; scores of the rows of a
 * block whose columns are inputs of the model. */
Status clv_predictor_build(Predictor *predictor, size_t count, const uint32_t *columns,
                           const float *values, Block *block, cleave_error *error);
Status clv_predictor_scores(Predictor *predictor, const Block *block, double *scores,
                            cleave_error *error);

typedef struct PredictorList PredictorList;

Status clv_predictors_new(Context *context, PredictorList **list, cleave_error *error);
void clv_predictors_free(Context *context, PredictorList *list); /* accepts NULL */

/* As clv_predictor_row, by the predictor of the calling thread, from any number of threads, without
 * locks. The prediction is valid until the next call of the same thread with the same model. */
Status clv_predictors_row(PredictorList *list, const Model *model, size_t count,
                          const uint32_t *columns, const float *values,
                          cleave_prediction *prediction, cleave_error *error);

#endif
