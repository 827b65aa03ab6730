/*
 * The text of a model file that is being written. The first failure is stored in status, and later
 * calls do nothing, so that writers need not check each call.
 */
#ifndef INTEROP_MODEL_TEXT_H
#define INTEROP_MODEL_TEXT_H

#include "base/memory.h"

typedef struct {
    Context *context;
    Buffer bytes;
    Status status;
    cleave_error *error;
} ModelText;

void clv_model_text_add(ModelText *text, const void *bytes, size_t size);
/* Writes text, integers and names. The decimal point of %g depends on the locale; the functions
 * below do not. */
void clv_model_text_put(ModelText *text, const char *format, ...) CLEAVE_PRINTF(2, 3);
/* Writes the shortest text that reads back as the same value. */
void clv_model_text_double(ModelText *text, double value);
/* Writes the value like %.17g. */
void clv_model_text_digits17(ModelText *text, double value);
/* Stores the status of a function that failed. */
void clv_model_text_fail(ModelText *text, Status status);

#endif
