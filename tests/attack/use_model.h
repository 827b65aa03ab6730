/*
 * Every function of the library that takes a model, called on one that was loaded. Errors are fine, as long as each has a code other than
 * CLEAVE_ERROR_INTERNAL and a message; crashes are for the sanitizers to see.
 */
#ifndef TESTS_ATTACK_USE_MODEL_H
#define TESTS_ATTACK_USE_MODEL_H

#include <cleave.h>

typedef struct {
    const char *rows;   /* file with labeled rows, in the format that the model reads */
    const char *folder; /* for files that are written */
} ModelFiles;

/* Functions that read no file: those that look inside the model, predict a row, or save to memory and load again. */
void use_model_alone(cleave_context *context, cleave_model *model);
/* All others. `choice` selects one of those that are slow, such as plots. The model is changed: points are removed from it. */
void use_model(cleave_context *context, cleave_model *model, const ModelFiles *files, uint64_t choice);

#endif
