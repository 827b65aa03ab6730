/* search ROWS QUERIES INDEX K REPETITIONS SINGLES OUT [NAME=VALUE]...
 * Stores the rows of a file as points and finds the K nearest to each query, all at once and the first SINGLES of them one by one, on one thread, and prints
 *     CPU seconds of training with the index and with the scan (which has nothing to build); queries a CPU second, at once; CPU seconds of one, alone;
 *     bytes of the index; the sum of all distances found at once.
 * OUT: rows found, K numbers of 32 bits from 0 a query. Names and values are options of knn (distance=jaccard). */
#include <cleave/expert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(cleave_code code, const cleave_error *error)
{
    if (code == CLEAVE_OK)
        return;
    fprintf(stderr, "search: %s\n%s\n", error->message, error->hint);
    exit(1);
}

static cleave_model *train(cleave_context *context, const char *rows, const char *index, int count, char **options,
                           double *cpu)
{
    cleave_options *given = cleave_options_new(context);
    cleave_model *model;
    cleave_error error;
    cleave_data *data;

    need(cleave_open(context, rows, NULL, &data, &error), &error);
    need(cleave_options_set(given, "keep_unlabeled", "true", &error), &error);
    need(cleave_options_set(given, "index", index, &error), &error);
    for (int i = 0; i < count; i++) {
        char *value = strchr(options[i], '=');

        if (strcmp(index, "scan") == 0 && strncmp(options[i], "distance=", 9) != 0)
            continue; /* of the index only */
        *value = '\0';
        need(cleave_options_set(given, options[i], value + 1, &error), &error);
        *value = '=';
    }
    *cpu = seconds();
    need(cleave_train(context, "knn", data, NULL, given, &model, NULL, &error), &error);
    *cpu = seconds() - *cpu;
    cleave_data_free(data);
    cleave_options_free(given);
    return model;
}

static float *read_vectors(const char *path, size_t *count, int32_t *columns)
{
    FILE *file = fopen(path, "rb");
    float *all = NULL;

    *count = 0;
    while (file && fread(columns, sizeof *columns, 1, file) == 1) {
        if ((*count & (*count - 1)) == 0)
            all = realloc(all, 2 * (*count + 1) * (size_t)*columns * sizeof *all);
        if (!all || fread(all + *count * (size_t)*columns, sizeof *all, (size_t)*columns, file) != (size_t)*columns)
            exit(1);
        ++*count;
    }
    if (!file || !all) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return all;
}

/* Queries that are values. */
static void ask_vectors(cleave_searcher *searcher, const char *path, int repetitions, size_t singles, size_t k,
                        FILE *out, double *at_once, double *alone, double *sum)
{
    int32_t columns;
    size_t count;
    float *query = read_vectors(path, &count, &columns);
    int64_t *row = malloc(count * k * sizeof *row);
    double *distance = malloc(count * k * sizeof *distance);
    cleave_error error;

    *at_once = *alone = INFINITY;
    for (int i = 0; i < repetitions; i++) {
        double start = seconds();

        need(cleave_search_vectors(searcher, query, count, row, distance, &error), &error);
        *at_once = fmin(*at_once, (seconds() - start) / (double)count);
    }
    for (size_t i = 0; i < count * k; i++) {
        uint32_t from_zero = (uint32_t)row[i];

        *sum += distance[i];
        fwrite(&from_zero, sizeof from_zero, 1, out);
    }
    for (int i = 0; i < repetitions && singles; i++) {
        double start = seconds();

        for (size_t j = 0; j < singles && j < count; j++)
            need(cleave_search_vectors(searcher, query + j * (size_t)columns, 1, row, distance, &error), &error);
        *alone = fmin(*alone, (seconds() - start) / (double)(singles < count ? singles : count));
    }
    free(query);
    free(row);
    free(distance);
}

typedef struct {
    FILE *out;
    double sum;
    uint64_t queries;
} Taken;

static cleave_code take(void *user, const cleave_found *found, cleave_error *error)
{
    Taken *taken = user;

    (void)error;
    for (size_t i = 0; i < found->count; i++) {
        uint32_t row = (uint32_t)found->points[i].row;

        taken->sum += found->points[i].distance;
        fwrite(&row, sizeof row, 1, taken->out);
    }
    taken->queries++;
    return CLEAVE_OK;
}

/* Queries of any other kind. The time to read them is negligible, so it is included. */
static void ask_rows(cleave_context *context, cleave_searcher *searcher, const char *path, FILE *out, double *at_once,
                     double *sum)
{
    Taken taken = {.out = out};
    cleave_data *queries;
    cleave_error error;
    double start;

    need(cleave_open(context, path, NULL, &queries, &error), &error);
    start = seconds();
    need(cleave_search(searcher, queries, take, &taken, &error), &error);
    *at_once = (seconds() - start) / (double)taken.queries;
    *sum = taken.sum;
    cleave_data_free(queries);
}

int main(int count, char **words)
{
    cleave_context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config), .threads = 1});
    cleave_options *wanted = cleave_options_new(context);
    cleave_searcher *searcher;
    cleave_point_set points;
    cleave_model *model;
    cleave_error error;
    double with, without, at_once, alone = NAN, sum = 0;
    FILE *out;

    if (count < 8)
        return 2;
    cleave_model_free(train(context, words[1], "scan", count - 8, words + 8, &without));
    model = train(context, words[1], words[3], count - 8, words + 8, &with);
    out = fopen(words[7], "wb");
    need(cleave_options_set(wanted, "k", words[4], &error), &error);
    need(cleave_searcher_open(model, wanted, &searcher, &error), &error);
    if (strstr(words[2], ".fvecs"))
        ask_vectors(searcher, words[2], atoi(words[5]), (size_t)atol(words[6]), (size_t)atol(words[4]), out, &at_once,
                    &alone, &sum);
    else
        ask_rows(context, searcher, words[2], out, &at_once, &sum);
    cleave_model_points(model, &points, NULL);
    printf("%.4f %.4f %.1f %.9f %llu %.12g\n", with, without, 1 / at_once, alone,
           (unsigned long long)points.index_bytes, sum);
    fclose(out);
    cleave_searcher_free(searcher);
    cleave_options_free(wanted);
    cleave_model_free(model);
    cleave_context_free(context);
    return 0;
}
