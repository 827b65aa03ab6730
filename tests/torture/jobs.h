/*
 * The jobs of the failure injection: the main verbs on small data, through the public header alone.
 * Inputs are in one folder and the output in another, so that files left behind are detected.
 */
#ifndef TESTS_TORTURE_JOBS_H
#define TESTS_TORTURE_JOBS_H

#include "support/support.h"

typedef struct {
    char in[TEST_PATH_SIZE], out[TEST_PATH_SIZE];
} Place;

typedef struct {
    const char *name;
    const char *output; /* name of the file it writes */
    cleave_code (*run)(cleave_context *context, const Place *place, const char *output,
                       cleave_error *error);
} Job;

extern const Job jobs[]; /* ends with a NULL name */

/* Makes both folders and all inputs without failures. Ends the program if this is impossible. */
void jobs_prepare(Place *place);
void jobs_clean(const Place *place);

/* The output of a job without failures, with which every other run is compared. */
typedef struct {
    const Job *job;
    const Place *place;
    char path[TEST_PATH_SIZE];
    char *right;
    size_t right_size;
    bool old; /* this run replaces an older file */
} Trial;

void trial_begin(Trial *trial, const Job *job, const Place *place);
void trial_end(Trial *trial);
void trial_keep_right(Trial *trial); /* called after the run without failures */

/* Called before a run: removes the output, or puts an older file in its place. */
void trial_set(Trial *trial, bool old);

/* Called after a run: returns a description of the problem, or NULL. On success the output is
 * right; after a failure the older one is untouched, or there is none, and no temporary file is
 * left. */
const char *trial_complaint(const Trial *trial, cleave_code code, const cleave_error *error);

#endif
