/*
 * The state of a run that was ended before its end, by --epochs or by an interrupt: what its solver needs to go on as if it had not
 * been. It lies in the model as arrays named "run.…", of doubles or of bytes that are 0 or 1. It belongs to one problem: "run.of" is
 * a fingerprint of the rows and of all that shapes the objective, and for any other the arrays mean nothing. Nobody needs
 * them to predict.
 */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "model/method.h"

typedef struct {
    const char *name; /* "run.…" */
    BundleType type;  /* BUNDLE_F64, or BUNDLE_BYTES for bool */
    void *data;
    uint64_t count;
} StatePart;

/* Of the rows in their order, however they are stored, of the outputs, the solver and its numbers; never 0. */
Status clv_state_print(const Fit *fit, Dataset *dataset, const char *solver, const double *numbers, size_t count,
                       uint64_t *print);

bool clv_state_in_model(const Model *model);
/* Whether the arrays are of the types above, without NaN; true where there are none. */
bool clv_state_check_model(const Model *model);

Status clv_state_put(const StatePart *parts, size_t count, uint64_t print, Model *model, cleave_error *error);
/* *found: the model holds the state of this problem, which the parts now have. An error when it says so and they do not fit. */
Status clv_state_take(const StatePart *parts, size_t count, uint64_t print, const Model *model, bool *found,
                      cleave_error *error);
Status clv_state_nonsense(cleave_error *error);

/* Whether a number from a file is a whole one from 0 to most. */
static inline bool state_is_whole(double number, double most)
{
    return number >= 0 && number <= most && number == floor(number);
}

#endif
