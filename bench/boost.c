/* boost TRAIN TEST THREADS REPETITIONS [NAME=VALUE]...
 * Trains boosted trees on a mapped dataset, and predicts probabilities for the rows of another, through the C library. Prints
 *     CPU and wall seconds of training, from mapped rows to trees; CPU and wall seconds of answering, from mapped rows to probabilities: each the least of the
 *     repetitions; MB of anonymous memory that the first training took in addition to its memory before, at most; the error rate.
 * Names and values are options of boost. The rows are in the page cache, and no part of that memory: bench/peer_trees.py counts in the same way. */
#include <cleave/expert.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(cleave_code code, const cleave_error *error)
{
    if (code == CLEAVE_OK)
        return;
    fprintf(stderr, "boost: %s\n%s\n", error->message, error->hint);
    exit(1);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static long anonymous_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    if (status)
        fclose(status);
    return kb;
}

typedef struct {
    pthread_t thread;
    long start;
    atomic_long most;
    atomic_bool over;
} Watch;

static void *look(void *given)
{
    const struct timespec pause = {0, 2000000};
    Watch *watch = given;

    while (!watch->over) {
        long kb = anonymous_kb();

        if (kb > watch->most)
            watch->most = kb;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void begin_watch(Watch *watch)
{
    watch->start = anonymous_kb();
    watch->most = watch->start;
    watch->over = false;
    pthread_create(&watch->thread, NULL, look, watch);
}

static double end_watch(Watch *watch)
{
    watch->over = true;
    pthread_join(watch->thread, NULL);
    return (double)(watch->most - watch->start) * 1024 / 1e6;
}

/* ---- the work ------------------------------------------------------------------------------------------------------- */

typedef struct {
    double cpu, wall;
} Clocks;

static Clocks clocks(void)
{
    return (Clocks){now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC)};
}

static void keep_least(Clocks *least, Clocks start)
{
    Clocks end = clocks();

    least->cpu = fmin(least->cpu, end.cpu - start.cpu);
    least->wall = fmin(least->wall, end.wall - start.wall);
}

typedef struct {
    unsigned long rows, wrong;
    double sum; /* used, so that the compiler keeps the predictions */
} Answers;

static cleave_code take(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    Answers *answers = user;

    (void)error;
    answers->rows++;
    answers->wrong += !prediction->correct;
    answers->sum += prediction->probabilities[0];
    return CLEAVE_OK;
}

static void set(cleave_options *options, const char *name, const char *value)
{
    cleave_error error;

    need(cleave_options_set(options, name, value, &error), &error);
}

int main(int count, char **words)
{
    cleave_config config = {.size = sizeof config};
    Clocks train = {INFINITY, INFINITY}, answer = {INFINITY, INFINITY};
    cleave_options *options, *wanted;
    cleave_model *model = NULL;
    cleave_context *context;
    double memory = 0;
    Answers answers;
    cleave_error error;
    cleave_data *data;
    int repetitions;
    Watch watch;

    if (count < 5)
        return 2;
    config.threads = (unsigned)atoi(words[3]);
    repetitions = atoi(words[4]);
    context = cleave_context_new(&config);
    options = cleave_options_new(context);
    wanted = cleave_options_new(context);
    set(wanted, "probabilities", "true");
    for (int i = 5; i < count; i++) {
        char *value = strchr(words[i], '=');

        *value = '\0';
        set(options, words[i], value + 1);
    }
    for (int i = 0; i < repetitions; i++) {
        Clocks start;

        cleave_model_free(model);
        need(cleave_open(context, words[1], NULL, &data, &error), &error);
        if (i == 0)
            begin_watch(&watch);
        start = clocks();
        need(cleave_train(context, "boost", data, NULL, options, &model, NULL, &error), &error);
        keep_least(&train, start);
        if (i == 0)
            memory = end_watch(&watch);
        cleave_data_free(data);
    }
    for (int i = 0; i < repetitions; i++) {
        const char *path = words[2];
        Clocks start;

        need(cleave_open_for(model, &path, 1, NULL, &data, &error), &error);
        answers = (Answers){0};
        start = clocks();
        need(cleave_predict(model, data, wanted, take, &answers, &error), &error);
        keep_least(&answer, start);
        cleave_data_free(data);
    }
    printf("%.4f %.4f %.4f %.4f %.1f %.6f\n", train.cpu, train.wall, answer.cpu, answer.wall, memory,
           (double)answers.wrong / (double)answers.rows);
    cleave_model_free(model);
    cleave_options_free(options);
    cleave_options_free(wanted);
    cleave_context_free(context);
    return 0;
}
