/*
 * Makes the n-th allocation of each job fail, for n = 1, 2, 3, … until there is no further one:
 * once only that one, and once every later one too. Each run must end with CLEAVE_ERROR_MEMORY, all
 * memory freed and no output, or, if the library can work without the memory, with the right
 * output.
 *
 * Without --all, an evenly spread sample of the allocations is used, which always includes the
 * first ones.
 */
#include "torture/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 40
#define SAMPLE 60

typedef struct {
    long long runs, clean, survived, faults;
} Count;

static cleave_code run_job(const Trial *trial, TestMemory *memory, cleave_error *error)
{
    cleave_config config = {
        .size = sizeof config, .allocate = test_allocate, .user = memory, .threads = 1};
    cleave_context *context = cleave_context_new(&config);
    cleave_code code;

    *error = (cleave_error){.code = CLEAVE_OK};
    if (!context) {
        *error = (cleave_error){.code = CLEAVE_ERROR_MEMORY, .message = "context"};
        return CLEAVE_ERROR_MEMORY;
    }
    code = trial->job->run(context, trial->place, trial->path, error);
    cleave_context_free(context);
    return code;
}

static void fail_once(Trial *trial, long long number, bool keep_failing, Count *count)
{
    TestMemory memory = {.fail_at = number, .keep_failing = keep_failing};
    const char *complaint;
    cleave_error error;
    cleave_code code;

    trial_set(trial, number % 2 == 0);
    code = run_job(trial, &memory, &error);
    complaint = trial_complaint(trial, code, &error);
    if (!complaint && memory.live != 0)
        complaint = "memory is not given back";
    if (!complaint && code != CLEAVE_OK && code != CLEAVE_ERROR_MEMORY)
        complaint = "it failed with another error than CLEAVE_ERROR_MEMORY";
    count->runs++;
    if (complaint) {
        printf("%s: allocation %lld fails%s: %s (code %d: %s)\n", trial->job->name, number,
               keep_failing ? " and all after it" : "", complaint, code, error.message);
        count->faults++;
    } else if (code == CLEAVE_OK) {
        count->survived++;
    } else {
        count->clean++;
    }
}

static long long count_allocations(Trial *trial)
{
    TestMemory memory = {.fail_at = 0};
    cleave_error error;

    trial_set(trial, false);
    if (run_job(trial, &memory, &error) != CLEAVE_OK) {
        printf("%s: fails when nothing is made to fail: %s\n", trial->job->name, error.message);
        exit(EXIT_FAILURE);
    }
    if (memory.live != 0) {
        printf("%s: %lld allocations are not given back when nothing fails\n", trial->job->name,
               (long long)memory.live);
        exit(EXIT_FAILURE);
    }
    trial_keep_right(trial);
    return memory.calls;
}

static long long torture(const Job *job, const Place *place, bool all)
{
    Count count = {0};
    Trial trial;
    long long allocations, step;

    trial_begin(&trial, job, place);
    allocations = count_allocations(&trial);
    step = all ? 1 : 1 + allocations / SAMPLE;
    for (long long number = 1; number <= allocations; number += number <= FIRST ? 1 : step) {
        fail_once(&trial, number, false, &count);
        fail_once(&trial, number, true, &count);
    }
    printf("%-24s %6lld allocations %6lld runs: %lld clean errors, %lld did without, %lld faults\n",
           job->name, allocations, count.runs, count.clean, count.survived, count.faults);
    trial_end(&trial);
    return count.faults;
}

int main(int argc, char **argv)
{
    bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    long long faults = 0;
    Place place;

    jobs_prepare(&place);
    for (const Job *job = jobs; job->name; job++)
        faults += torture(job, &place, all);
    jobs_clean(&place);
    return faults ? EXIT_FAILURE : EXIT_SUCCESS;
}
