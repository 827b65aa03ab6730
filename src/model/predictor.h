/* Predictions of single rows. A model does not change after training or loading, so that any number
 * of threads may use it. The scratch space of a prediction (the row as a block, its features,
 * scores, text) is in a predictor, which belongs to one thread at a time. A model has a list of
 * predictors, one for each thread that has used it. */
#ifndef MODEL_PREDICTOR_H
#define MODEL_PREDICTOR_H

#include "data/builder.h"
#include "model/method.h"
#include "pipeline/pipeline.h"

typedef struct {
    const Model *model;
    DecisionRule rule;
    Builder raw, made; /* the row as given, and after the pipeline */
    RowWorkspace workspace;
    double *scores, *probabilities; /* both in one allocation */
    void *session;                  /* session of the method, if any */
    char text[PREDICTION_TEXT_SIZE];
} Predictor;

Status clv_predictor_init(Predictor *predictor, const Model *model, cleave_error *error);
void clv_predictor_free(Predictor *predictor);

/* Predicts a row. Allocates memory only in the first calls. The prediction points into the
 * predictor and is valid until its next use. Columns must increase; columns that the model lacks
 * are ignored. */
Status clv_predictor_row(Predictor *predictor, size_t count, const uint32_t *columns,
                         const float *values, cleave_prediction *prediction, cleave_error *error);

/* The parts of clv_predictor_row: clv_predictor_build turns a row into a block, which is valid
 * until the next row; the other function computes the scores of the rows of a block, whose columns
 * are inputs of the model. */
Status clv_predictor_build(Predictor *predictor, size_t count, const uint32_t *columns,
                           const float *values, Block *block, cleave_error *error);
Status clv_predictor_scores(Predictor *predictor, const Block *block, double *scores,
                            cleave_error *error);

typedef struct PredictorList PredictorList;

Status clv_predictors_new(Context *context, PredictorList **list, cleave_error *error);
void clv_predictors_free(Context *context, PredictorList *list); /* accepts NULL */
/* Frees the predictors of a model that was changed, while no thread predicts with it. */
void clv_predictors_clear(Context *context, PredictorList *list);

/* Like clv_predictor_row, with the predictor of the calling thread. May be called from any number
 * of threads, without locks. The prediction is valid until the next call of the same thread with
 * the same model. */
Status clv_predictors_row(PredictorList *list, const Model *model, size_t count,
                          const uint32_t *columns, const float *values,
                          cleave_prediction *prediction, cleave_error *error);

#endif
