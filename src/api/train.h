/* Options that a model was trained with, for what goes on from it. */
#ifndef API_TRAIN_H
#define API_TRAIN_H

#include "run/train.h"

/* Those of its method, and of the run what shapes the model. */
Status clv_options_of_model(const Model *model, RunOptions *run, void *method_options, cleave_error *error);

#endif
