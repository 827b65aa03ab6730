/* measure [-m] RESULT COMMAND [ARGUMENT]...
 * Runs a command and appends one line to the file RESULT: user, system and wall seconds, the peak of its anonymous memory in
 * kB (RssAnon, sampled every two milliseconds; 0 without -m), its largest resident set in kB, mapped files included, and
 * its exit status. Linux keeps no high-water mark of RssAnon, hence the sampling. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static long anonymous_kb(pid_t child)
{
    char path[64], line[256];
    long kb = 0;
    FILE *status;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    status = fopen(path, "r");
    if (!status)
        return 0;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    fclose(status);
    return kb;
}

static pid_t start(char **command)
{
    pid_t child = fork();

    if (child == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return child;
}

/* Waits for the child. Returns the largest RssAnon observed, if sampling is enabled. */
static long wait_for(pid_t child, int sample, int *status, struct rusage *usage)
{
    const struct timespec pause = {0, 2000000};
    long peak = 0;

    while (wait4(child, status, sample ? WNOHANG : 0, usage) == 0) {
        long kb = anonymous_kb(child);

        if (kb > peak)
            peak = kb;
        nanosleep(&pause, NULL);
    }
    return peak;
}

int main(int argc, char **argv)
{
    int sample = argc > 1 && strcmp(argv[1], "-m") == 0;
    char **rest = argv + 1 + sample;
    int status = 0, code;
    struct rusage usage;
    double began;
    long peak;
    pid_t child;
    FILE *result;

    if (argc - sample < 3) {
        fprintf(stderr, "usage: measure [-m] RESULT COMMAND [ARGUMENT]...\n");
        return 2;
    }
    began = now();
    child = start(rest + 1);
    if (child < 0) {
        perror("measure: fork");
        return 1;
    }
    peak = wait_for(child, sample, &status, &usage);
    began = now() - began;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result = fopen(rest[0], "a");
    if (!result) {
        perror(rest[0]);
        return 1;
    }
    fprintf(result, "%.6f %.6f %.6f %ld %ld %d\n", seconds(usage.ru_utime), seconds(usage.ru_stime), began, peak,
            usage.ru_maxrss, code);
    return fclose(result) == 0 ? code : 1;
}
