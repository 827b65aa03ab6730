/* The state of a run that ended early, by the maximum number of iterations or by an interruption,
 * with which its solver resumes. The model contains it as arrays named "run.…", of doubles or of
 * bytes that are 0 or 1. It belongs to one problem: "run.of" is a fingerprint of the rows and of
 * everything that defines the objective. For other problems, and for predictions, the arrays are
 * ignored. */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "model/method.h"

typedef struct {
    const char *name; /* name in the model: "run.…" */
    BundleType type;  /* BUNDLE_F64, or BUNDLE_BYTES for bool */
    void *data;
    uint64_t count;
} StatePart;

/* Computes a fingerprint of the rows in their order, whatever their storage is, of the outputs, the
 * solver and its numbers. It is never 0. */
Status clv_state_fingerprint(const Fit *fit, Dataset *dataset, const char *solver,
                             const double *numbers, size_t count, uint64_t *print);

bool clv_state_in_model(const Model *model);
/* Whether the arrays have the types above and no NaN; true if there are no arrays. */
bool clv_state_check_model(const Model *model);

Status clv_state_put(const StatePart *parts, size_t count, uint64_t print, Model *model,
                     cleave_error *error);
/* Reads the state. Sets *found if the model has the state of this problem, which `parts` then
 * contain. Fails if the arrays do not match the fingerprint. */
Status clv_state_take(const StatePart *parts, size_t count, uint64_t print, const Model *model,
                      bool *found, cleave_error *error);
Status clv_state_nonsense(cleave_error *error);

/* Whether a number from a file is an integer from 0 to `most`. */
static inline bool state_is_whole(double number, double most)
{
    return number >= 0 && number <= most && number == floor(number);
}

#endif
