/*
 * The jobs that are tortured: the main verbs on small data, through the public header alone. Inputs
 * lie in one folder, the one output in another, so that anything left behind is seen.
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

/* Makes both folders and every input, nothing failing; ends the program if it can not. */
void jobs_prepare(Place *place);
void jobs_clean(const Place *place);

/* What a job wrote when nothing failed, to hold every other run against. */
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
void trial_keep_right(Trial *trial); /* after the run in which nothing failed */

/* Before a run: removes the output, or puts an older one in its place. */
void trial_set(Trial *trial, bool old);

/* After a run: complaint, or NULL. On success the output is right; after a failure the older one
 * is untouched, or there is none, and no temporary file is left. */
const char *trial_complaint(const Trial *trial, cleave_code code, const cleave_error *error);

#endif
