/* points KIND ... : data for bench/neighbors, the same bytes from the same seed.
 *   uniform|clustered|wide ROWS COLUMNS SEED OUT.fvecs   of the unit cube; or of 1,000 clusters in it, the same for every seed; or of clusters three times as wide
 *   embeddings ROWS COLUMNS SEED OUT.fvecs          1,000 clusters of intrinsic dimension 30, and a little noise in every column
 *   words ROWS COLUMNS SEED OUT.fvecs               as word vectors: a mean, directions of falling variance, kinds of unequal frequency, lengths of a log-normal distribution
 *   bytes ROWS SEED OUT.fvecs                       128 values from 0 to 255 as descriptors of pictures have them: few directions count, most values are small
 *   recall K FOUND EXACT                            fraction of the rows of the second file that the first one has, K a query
 *   float16|int8 ROWS.fvecs COUNT OUT.fvecs         the first rows with values rounded to float16, or scaled and rounded to integers from -127 to 127
 *   digits OUT.fvecs                                images of an IDX file on standard input
 *   sets ROWS QUERIES SEED ROWS.libsvm QUERIES.libsvm   sets of 100 of 50,000 items; the first ten rows for each query share half to nine tenths of it (Jaccard) */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 1000, MOST_COLUMNS = 65536, INTRINSIC = 30, WIDE = 128, LATENT = 24, KINDS = 256, ITEMS = 50000, SET = 100, PLANTED = 10 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double normal(void)
{
    double u = uniform() + 0x1p-60;

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform());
}

static void seed(const char *text)
{
    state = strtoull(text, NULL, 10) * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < 10; i++)
        uniform();
}

static FILE *out(const char *path)
{
    FILE *file = fopen(path, "wb");

    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void end(FILE *file)
{
    if (fclose(file) != 0) {
        perror("points");
        exit(1);
    }
}

static void put(FILE *file, const float *values, int32_t columns)
{
    fwrite(&columns, sizeof columns, 1, file);
    fwrite(values, sizeof *values, (size_t)columns, file);
}

static void cube(double width, long rows, int columns, const char *from, const char *path)
{
    float *center = malloc((size_t)CLUSTERS * (size_t)columns * sizeof *center), *row = malloc((size_t)columns * sizeof *row);
    FILE *file = out(path);

    seed("99");
    for (int i = 0; i < CLUSTERS * columns; i++)
        center[i] = (float)uniform();
    seed(from);
    for (long i = 0; i < rows; i++) {
        const float *near = center + (size_t)(uniform() * CLUSTERS) * (size_t)columns;

        for (int j = 0; j < columns; j++)
            row[j] = (float)(width > 0 ? (double)near[j] + width * normal() : uniform());
        put(file, row, columns);
    }
    free(center);
    free(row);
    end(file);
}

static void embeddings(long rows, int columns, const char *from, const char *path)
{
    float *direction = malloc((size_t)INTRINSIC * (size_t)columns * sizeof *direction),
          *row = malloc((size_t)columns * sizeof *row);
    double unit = 1 / sqrt(columns);
    static double kind[CLUSTERS][INTRINSIC];
    FILE *file = out(path);

    seed("55");
    for (int i = 0; i < INTRINSIC * columns; i++)
        direction[i] = (float)(unit * normal());
    for (int i = 0; i < CLUSTERS; i++)
        for (int l = 0; l < INTRINSIC; l++)
            kind[i][l] = normal();
    seed(from);
    for (long i = 0; i < rows; i++) {
        const double *mean = kind[(int)(uniform() * CLUSTERS)];

        for (int j = 0; j < columns; j++)
            row[j] = (float)(0.1 * unit * normal());
        for (int l = 0; l < INTRINSIC; l++) {
            float place = (float)(mean[l] + 0.3 * normal());

            for (int j = 0; j < columns; j++)
                row[j] += place * direction[l * columns + j];
        }
        put(file, row, columns);
    }
    free(direction);
    free(row);
    end(file);
}

/* Kinds are drawn by Zipf's law. The spread around a kind decreases with the number of the
 * direction, and is never 0. */
static void words(long rows, int columns, const char *from, const char *path)
{
    float *kind = malloc((size_t)CLUSTERS * (size_t)columns * sizeof *kind), *row = malloc((size_t)columns * sizeof *row);
    FILE *file = out(path);

    seed("99");
    for (int i = 0; i < CLUSTERS * columns; i++)
        kind[i] = (float)(normal() * pow(1 + i % columns, -0.25));
    seed(from);
    for (long i = 0; i < rows; i++) {
        const float *mean = kind + (size_t)(pow(CLUSTERS, uniform()) - 1) * (size_t)columns;
        double length = exp(0.3 * normal());

        for (int j = 0; j < columns; j++)
            row[j] = (float)(length * ((j == 0) + (double)mean[j] + 0.7 * normal() * pow(1 + j, -0.25)));
        put(file, row, columns);
    }
    free(kind);
    free(row);
    end(file);
}

/* A point of one of a few hundred kinds, with 24 directions of its own and some noise in all, made
 * positive and stored as bytes. */
static void bytes(long rows, const char *from, const char *path)
{
    static double direction[LATENT][WIDE], kind[KINDS][LATENT];
    float row[WIDE];
    FILE *file = out(path);

    seed("77");
    for (int i = 0; i < LATENT; i++)
        for (int j = 0; j < WIDE; j++)
            direction[i][j] = normal();
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < LATENT; j++)
            kind[i][j] = normal();
    seed(from);
    for (long i = 0; i < rows; i++) {
        const double *mean = kind[(int)(uniform() * KINDS)];
        double sum[WIDE] = {0};

        for (int l = 0; l < LATENT; l++) {
            double place = mean[l] + 0.7 * normal();

            for (int j = 0; j < WIDE; j++)
                sum[j] += place * direction[l][j];
        }
        for (int j = 0; j < WIDE; j++) {
            double value = floor(8 * (sum[j] + normal()));

            row[j] = (float)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
        put(file, row, WIDE);
    }
    end(file);
}

static void rounded(bool whole, const char *from, long rows, const char *path)
{
    FILE *in = fopen(from, "rb"), *file = out(path);
    float row[MOST_COLUMNS], largest = 0;
    int32_t columns;

    if (!in)
        exit(1);
    for (int pass = 0; pass < 2; pass++, rewind(in))
        for (long i = 0; i < rows && fread(&columns, sizeof columns, 1, in) == 1; i++) {
            if (columns > MOST_COLUMNS || fread(row, sizeof *row, (size_t)columns, in) != (size_t)columns)
                exit(1);
            for (int j = 0; j < columns; j++) {
                uint32_t bits;

                if (pass == 0) {
                    largest = fmaxf(largest, fabsf(row[j]));
                    continue;
                }
                memcpy(&bits, &row[j], sizeof bits);
                bits = fabsf(row[j]) < 0x1p-14F ? 0 : (bits + 0x1000) & 0xffffe000;
                if (whole)
                    row[j] = rintf(127 * row[j] / largest);
                else
                    memcpy(&row[j], &bits, sizeof bits);
            }
            if (pass)
                put(file, row, columns);
        }
    fclose(in);
    end(file);
}

static void digits(const char *path)
{
    unsigned char head[16], image[784];
    float row[784];
    FILE *file = out(path);

    if (fread(head, 1, sizeof head, stdin) != sizeof head)
        exit(1);
    while (fread(image, 1, sizeof image, stdin) == sizeof image) {
        for (int j = 0; j < 784; j++)
            row[j] = image[j];
        put(file, row, 784);
    }
    end(file);
}

static void draw(int *set, int first)
{
    for (int i = first; i < SET; i++) {
        bool again;

        do {
            again = false;
            set[i] = 1 + (int)(uniform() * ITEMS);
            for (int j = 0; j < i; j++)
                again = again || set[j] == set[i];
        } while (again);
    }
}

static int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void put_set(FILE *file, const int *set)
{
    int sorted[SET];

    memcpy(sorted, set, sizeof sorted);
    qsort(sorted, SET, sizeof *sorted, order);
    fputs("?", file);
    for (int i = 0; i < SET; i++)
        fprintf(file, " %d:1", sorted[i]);
    fputs("\n", file);
}

static void sets(long rows, long queries, const char *from, const char *path, const char *asked_path)
{
    FILE *file = out(path), *asked = out(asked_path);
    int set[SET], like[SET];

    seed(from);
    for (long q = 0; q < queries; q++) {
        draw(set, 0);
        put_set(asked, set);
        for (int i = 0; i < PLANTED; i++) {
            double jaccard = 0.5 + 0.4 * uniform(); /* (s - c) / (s + c) where c of s differ */

            memcpy(like, set, sizeof like);
            draw(like, SET - (int)(SET * (1 - jaccard) / (1 + jaccard)));
            put_set(file, like);
        }
    }
    for (long i = queries * PLANTED; i < rows; i++) {
        draw(set, 0);
        put_set(file, set);
    }
    end(file);
    end(asked);
}

static void recall(size_t k, const char *found_path, const char *exact_path)
{
    FILE *found_file = fopen(found_path, "rb"), *exact_file = fopen(exact_path, "rb");
    uint32_t *found = malloc(k * sizeof *found), *exact = malloc(k * sizeof *exact);
    size_t hits = 0, all = 0;

    while (found_file && exact_file && fread(found, sizeof *found, k, found_file) == k &&
           fread(exact, sizeof *exact, k, exact_file) == k)
        for (size_t i = 0; i < k; i++, all++)
            for (size_t j = 0; j < k; j++)
                hits += exact[i] == found[j];
    printf("%.4f\n", all ? (double)hits / (double)all : 0);
}

int main(int count, char **arguments)
{
    const char *kind = count > 1 ? arguments[1] : "";

    double width = !strcmp(kind, "clustered") ? 0.03 : !strcmp(kind, "wide") ? 0.1 : 0;

    if (count == 6 && (width > 0 || !strcmp(kind, "uniform")) && atoi(arguments[3]) <= MOST_COLUMNS)
        cube(width, atol(arguments[2]), atoi(arguments[3]), arguments[4], arguments[5]);
    else if (count == 6 && !strcmp(kind, "embeddings") && atoi(arguments[3]) <= MOST_COLUMNS)
        embeddings(atol(arguments[2]), atoi(arguments[3]), arguments[4], arguments[5]);
    else if (count == 6 && !strcmp(kind, "words") && atoi(arguments[3]) <= MOST_COLUMNS)
        words(atol(arguments[2]), atoi(arguments[3]), arguments[4], arguments[5]);
    else if (count == 5 && !strcmp(kind, "bytes"))
        bytes(atol(arguments[2]), arguments[3], arguments[4]);
    else if (count == 5 && (!strcmp(kind, "float16") || !strcmp(kind, "int8")))
        rounded(!strcmp(kind, "int8"), arguments[2], atol(arguments[3]), arguments[4]);
    else if (count == 5 && !strcmp(kind, "recall"))
        recall((size_t)atol(arguments[2]), arguments[3], arguments[4]);
    else if (count == 3 && !strcmp(kind, "digits"))
        digits(arguments[2]);
    else if (count == 7 && !strcmp(kind, "sets"))
        sets(atol(arguments[2]), atol(arguments[3]), arguments[4], arguments[5], arguments[6]);
    else
        return 2;
    return 0;
}
