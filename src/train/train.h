/* What a caller's options come to, for all who train: this room, and the cluster's driver in mpi/. */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "train/batch_driver.h"

/* Those of its method, and of the run what shapes the model. */
Status clv_options_of_model(const Model *model, RunOptions *run, void *method_options, cleave_error *error);
/* Fills run and job->method_options: the table's values, then those of the model that training goes on from (job->from), then the
 * caller's. */
Status clv_train_options(const Job *job, const cleave_options *given, RunOptions *run, cleave_error *error);

/* As cleave_train, with somebody who is told how it stands after each round. */
Status clv_train_watched(Context *context, const char *method, cleave_data *data, cleave_data *valid,
                         const cleave_options *options, const RoundWatcher *rounds, Model **model,
                         cleave_report **report, cleave_error *error);

/* The same for any driver: table and run are its own, from may be NULL. Texts of the model are kept by reference. */
Status clv_settle_options(const Method *method, const Model *from, const cleave_options *given, const Param *table,
                          void *run, void *method_options, cleave_error *error);

#endif
