/* Fills in the report of a training run. */
#ifndef TRAIN_TRAINING_REPORT_H
#define TRAIN_TRAINING_REPORT_H

#include "train/batch_driver.h"

Status clv_report_new(Context *context, Report **report, cleave_error *error);
Status clv_report_round(Report *report, double seconds, uint64_t mistakes, double loss,
                        cleave_error *error);
Status clv_report_rate(Report *report, const cleave_rate_trial *tried, cleave_error *error);
void clv_report_finish(Report *report, const Fit *fit);

#endif
