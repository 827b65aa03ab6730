/*
 * Calls every function of the library that takes a model on a loaded model. Errors are allowed if
 * each has a message and a code other than CLEAVE_ERROR_INTERNAL. The sanitizers detect crashes.
 */
#ifndef TESTS_ATTACK_USE_MODEL_H
#define TESTS_ATTACK_USE_MODEL_H

#include <cleave/expert.h>

typedef struct {
    const char *rows;   /* file with labeled rows in the input format of the model */
    const char *folder; /* for output files */
} ModelFiles;

/* Functions that read no file: they inspect the model, predict a row, or save to memory and load
 * again. */
void use_model_alone(cleave_context *context, cleave_model *model);
/* All other functions. `choice` selects one of the slow ones, such as plots. The model changes:
 * points are removed. */
void use_model(cleave_context *context, cleave_model *model, const ModelFiles *files,
               uint64_t choice);

#endif
