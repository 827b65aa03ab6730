/* Latency of active learning on a large pool: the time from the end of one answer to the next item,
 * which includes the journal, training on all labels, and scoring every row of the pool.
 *     active POOL JOURNAL LABELS [THREADS]
 * Prints, in ms over the last 40 of the labels, the median and the largest time, and the median CPU
 * time of all threads, which other processes on the machine do not change. */
#include <cleave/active.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIMED = 40 };

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void check(cleave_code code, const cleave_error *error)
{
    if (code == CLEAVE_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    cleave_config config = {.size = sizeof config,
                            .threads = count > 4 ? (unsigned)atoi(words[4]) : 2};
    cleave_context *context = cleave_context_new(&config);
    cleave_options *options = cleave_options_new(context);
    int labels = count > 3 ? atoi(words[3]) : 0;
    double times[TIMED], cpu[TIMED];
    cleave_error error;
    cleave_data *pool;
    cleave_active *active;
    cleave_active_item item;

    if (labels < TIMED) {
        fprintf(stderr, "usage: active POOL JOURNAL LABELS [THREADS], at least %d labels\n", TIMED);
        return 2;
    }
    check(cleave_options_set(options, "journal", words[2], &error), &error);
    check(cleave_options_set(options, "test_fraction", "0", &error), &error);
    check(cleave_open(context, words[1], NULL, &pool, &error), &error);
    check(cleave_active_new(context, "svm", pool, NULL, true, options, NULL, &active, &error),
          &error);
    check(cleave_active_next(active, &item, &error), &error);
    for (int i = 0; i < labels; i++) {
        double started = now(CLOCK_MONOTONIC), before = now(CLOCK_PROCESS_CPUTIME_ID);

        check(cleave_active_label(active, item.row, item.hidden_label, &error), &error);
        check(cleave_active_next(active, &item, &error), &error);
        times[i % TIMED] = now(CLOCK_MONOTONIC) - started;
        cpu[i % TIMED] = now(CLOCK_PROCESS_CPUTIME_ID) - before;
    }
    qsort(times, TIMED, sizeof *times, by_time);
    qsort(cpu, TIMED, sizeof *cpu, by_time);
    printf("%.2f %.2f %.2f\n", times[TIMED / 2], times[TIMED - 1], cpu[TIMED / 2]);
    cleave_active_free(active);
    cleave_data_free(pool);
    cleave_options_free(options);
    cleave_context_free(context);
    return 0;
}
