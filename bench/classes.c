/* classes ROWS CLASSES FEATURES NONZEROS SEED
 * Prints LIBSVM text of many classes on standard output: a row takes a fifth of its columns from the 60 that its class likes, the others anywhere,
 * values between 0.5 and 1.5, and is then scaled to length 1. What a class likes does not depend on the seed, so two seeds make
 * a training and a test file of one kind. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIKED = 60 };

static uint64_t state;

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t below(uint64_t limit)
{
    return mix(state++) % limit;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static size_t unique(uint32_t *index, size_t count)
{
    size_t kept = 0;

    qsort(index, count, sizeof *index, ascending);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || index[kept - 1] != index[i])
            index[kept++] = index[i];
    return kept;
}

/* Draws until there are `count` different columns. */
static void draw_columns(uint32_t *index, size_t count, uint64_t class, uint64_t features)
{
    for (size_t have = 0; have < count; have = unique(index, have))
        for (; have < count; have++)
            index[have] = (uint32_t)(have % 5 ? below(features) : mix(class * LIKED + below(LIKED)) % features);
}

static void print_row(const uint32_t *index, double *value, size_t count, uint64_t class)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        value[i] = 0.5 + (double)below(1000) / 1000;
        squares += value[i] * value[i];
    }
    printf("%lu", (unsigned long)class + 1);
    for (size_t i = 0; i < count; i++)
        printf(" %lu:%.6g", (unsigned long)index[i] + 1, value[i] / sqrt(squares));
    printf("\n");
}

int main(int argc, char **argv)
{
    uint64_t rows, classes, features, nonzeros;
    uint32_t *index;
    double *value;

    if (argc != 6) {
        fprintf(stderr, "usage: classes ROWS CLASSES FEATURES NONZEROS SEED\n");
        return 2;
    }
    rows = strtoull(argv[1], NULL, 10);
    classes = strtoull(argv[2], NULL, 10);
    features = strtoull(argv[3], NULL, 10);
    nonzeros = strtoull(argv[4], NULL, 10);
    state = mix(strtoull(argv[5], NULL, 10)) >> 16;
    index = malloc((nonzeros + 1) * sizeof *index);
    value = malloc((nonzeros + 1) * sizeof *value);
    if (!index || !value || classes < 1 || nonzeros > features / 2)
        return 1;
    for (uint64_t row = 0; row < rows; row++) {
        /* every class occurs at least once */
        uint64_t class = row < classes ? row : below(classes);

        draw_columns(index, nonzeros, class, features);
        print_row(index, value, nonzeros, class);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
