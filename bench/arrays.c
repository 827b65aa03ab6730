/*
 * Data from a dense float32 matrix of 10^6 x 100 in memory: growth of RssAnon when it is borrowed,
 * and gigabytes per second when it is packed.
 */
#define _POSIX_C_SOURCE 200809L
#include <cleave.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 1000000, COLUMNS = 100 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double anonymous_megabytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %lf", &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes / 1024;
}

int main(void)
{
    float *values = malloc((size_t)ROWS * COLUMNS * sizeof *values);
    int64_t *classes = malloc(ROWS * sizeof *classes);
    cleave_matrix matrix = {.size = sizeof matrix, .rows = ROWS, .columns = COLUMNS, .values = values};
    cleave_context *context = cleave_context_new(NULL);
    double least = 1e9;

    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        values[i] = (float)(i * 2654435761u % 1000) / 1000 + 0.001f;
    for (size_t i = 0; i < ROWS; i++)
        classes[i] = (int64_t)(i % 3);
    for (int borrow = 1; borrow >= 0; borrow--)
        for (int run = 0; run < 3; run++) {
            cleave_rows rows = {.size = sizeof rows, .classes = classes, .borrow = borrow};
            double before = anonymous_megabytes(), started = now(), seconds, grown;
            cleave_data *data;
            cleave_error error;

            if (cleave_data_from_matrix(context, &matrix, &rows, &data, &error) != CLEAVE_OK) {
                fprintf(stderr, "arrays: %s\n", error.message);
                return 1;
            }
            seconds = now() - started;
            grown = anonymous_megabytes() - before;
            least = !borrow && seconds < least ? seconds : least;
            if (borrow && run == 0)
                printf("borrowed: RssAnon grows by %.1f MB of %.1f (%.1f%%), %.3f s\n", grown, before,
                       100 * grown / before, seconds);
            cleave_data_free(data);
        }
    printf("packed: %.2f GB/s\n", (double)ROWS * COLUMNS * sizeof *values / 1e9 / least);
    cleave_context_free(context);
    free(classes);
    free(values);
    return 0;
}
