/* Resolves the options of a training run, for this module and for mpi/. */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "train/batch_driver.h"

/* Reads the parameters of the method, and those of the run that shape the model. */
Status clv_options_of_model(const Model *model, RunOptions *run, void *method_options,
                            cleave_error *error);
/* Fills run and job->method_options from the defaults of the table, then the warm-start model
 * (job->from), then the caller's options. */
Status clv_train_options(const Job *job, const cleave_options *given, RunOptions *run,
                         cleave_error *error);

/* Held-out rows in memory, with the labels and features of the training data, after the pipeline of
 * the job. dataset is the training data as read. */
Status clv_load_held_out(Source *source, const Job *job, const Dataset *dataset, Dataset **loaded,
                         cleave_error *error);

/* Does the same as cleave_train, with a watcher that is called after each epoch or round. */
Status clv_train_watched(Context *context, const char *method, cleave_data *data,
                         cleave_data *valid, const cleave_options *options,
                         const RoundWatcher *rounds, Model **model, cleave_report **report,
                         cleave_error *error);

/* Does the same for any driver, with its own table and run; from may be NULL. Texts of the model
 * are kept by reference. */
Status clv_settle_options(const Method *method, const Model *from, const cleave_options *given,
                          const Param *table, void *run, void *method_options, cleave_error *error);

#endif
