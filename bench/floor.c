/* floor FILE.svm
 * How fast plain C goes through the same rows: the file in memory as three flat arrays (row starts, 32-bit indexes, floats),
 * then five passes of dot products alone, and five epochs of stochastic gradient descent on the hinge loss (lambda 1e-4)
 * with weights kept as vector and divisor, so that shrinking is one division. Prints a line per pass and per epoch, ending in
 * `… epoch N: W wall C cpu`. This is the least that an epoch of any linear learner costs with data in this form. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EPOCHS = 5 };

struct rows {
    size_t count, entries, features;
    uint32_t *start, *index;
    float *value;
    signed char *sign;
};

struct clocks {
    double wall, cpu;
};

static double clock_seconds(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct clocks clocks_now(void)
{
    struct clocks t = {clock_seconds(CLOCK_MONOTONIC), clock_seconds(CLOCK_PROCESS_CPUTIME_ID)};

    return t;
}

static void print_since(const char *what, int number, struct clocks began)
{
    struct clocks t = clocks_now();

    printf("%s %d: %.4fs wall %.4f cpu\n", what, number, t.wall - began.wall, t.cpu - began.cpu);
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void *workspace(size_t count, size_t size)
{
    void *p = malloc((count + 16) * size);

    if (!p)
        fail("malloc");
    return p;
}

static const char *map(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY);
    struct stat facts;
    const char *text;

    if (file < 0 || fstat(file, &facts) != 0 || facts.st_size < 1)
        fail(path);
    *size = (size_t)facts.st_size;
    text = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    if (text == MAP_FAILED)
        fail(path);
    close(file);
    return text;
}

/* Allocates memory. Lines and colons are counted first, so that the arrays are exact. */
static struct rows allocate(const char *text, size_t size)
{
    struct rows r = {0};

    for (size_t i = 0; i < size; i++) {
        r.count += text[i] == '\n';
        r.entries += text[i] == ':';
    }
    r.start = workspace(r.count + 1, sizeof *r.start);
    r.sign = workspace(r.count, sizeof *r.sign);
    r.index = workspace(r.entries, sizeof *r.index);
    r.value = workspace(r.entries, sizeof *r.value);
    return r;
}

/* Loads the rows. The file is not checked: `SIGN index:value …` as the generator writes it, each
 * line with its newline. */
static struct rows load(const char *path)
{
    size_t size, row = 0, entry = 0;
    const char *text = map(path, &size), *p = text, *end = text + size;
    struct rows r = allocate(text, size);

    while (p < end) {
        r.start[row] = (uint32_t)entry;
        r.sign[row++] = *p == '-' ? -1 : 1;
        while (*p != '\n') {
            char *after;

            if (*p != ' ' || p[1] < '0' || p[1] > '9') {
                p++;
                continue;
            }
            r.index[entry] = (uint32_t)strtoul(p + 1, &after, 10) - 1;
            r.value[entry] = strtof(after + 1, &after);
            if (r.index[entry] >= r.features)
                r.features = r.index[entry] + 1u;
            entry++;
            p = after;
        }
        p++;
    }
    r.start[row] = (uint32_t)entry;
    munmap((void *)(uintptr_t)text, size);
    return r;
}

static float dot(const struct rows *r, size_t row, const float *w)
{
    const uint32_t *index = r->index;
    const float *value = r->value;
    uint32_t j = r->start[row], end = r->start[row + 1];
    float a = 0, b = 0, c = 0, d = 0;

    for (; j + 4 <= end; j += 4) {
        a += w[index[j]] * value[j];
        b += w[index[j + 1]] * value[j + 1];
        c += w[index[j + 2]] * value[j + 2];
        d += w[index[j + 3]] * value[j + 3];
    }
    for (; j < end; j++)
        a += w[index[j]] * value[j];
    return (a + b) + (c + d);
}

static void add(const struct rows *r, size_t row, float step, float *w)
{
    for (uint32_t j = r->start[row]; j < r->start[row + 1]; j++)
        w[r->index[j]] += step * r->value[j];
}

static void dot_pass(const struct rows *r, const float *w, int number)
{
    struct clocks began = clocks_now();
    double sum = 0;

    for (size_t i = 0; i < r->count; i++)
        sum += (double)dot(r, i, w);
    /* printed, so that the compiler computes the sum */
    print_since(sum < 1e300 ? "plain dot pass" : "overflowing dot pass", number, began);
}

static void hinge_epoch(const struct rows *r, float *w, double *divisor, double *bias, double *step, int number)
{
    const double lambda = 1e-4;
    struct clocks began = clocks_now();

    for (size_t i = 0; i < r->count; i++) {
        double rate = 1 / (1 + lambda * (*step)++);
        double margin = ((double)dot(r, i, w) / *divisor + *bias) * r->sign[i];

        *divisor /= 1 - rate * lambda;
        if (*divisor > 1e5) {
            for (size_t k = 0; k < r->features; k++)
                w[k] /= (float)*divisor;
            *divisor = 1;
        }
        if (margin < 1) {
            add(r, i, (float)(rate * r->sign[i] * *divisor), w);
            *bias += 0.01 * rate * r->sign[i];
        }
    }
    print_since("plain hinge epoch", number, began);
}

int main(int argc, char **argv)
{
    double divisor = 1, bias = 0, step = 0;
    struct rows r;
    float *w;

    if (argc != 2) {
        fprintf(stderr, "usage: floor FILE.svm\n");
        return 2;
    }
    r = load(argv[1]);
    w = workspace(r.features, sizeof *w);
    for (size_t k = 0; k < r.features; k++)
        w[k] = 1e-3f * (float)(k % 7);
    for (int i = 1; i <= EPOCHS; i++)
        dot_pass(&r, w, i);
    memset(w, 0, r.features * sizeof *w);
    for (int i = 1; i <= EPOCHS; i++)
        hinge_epoch(&r, w, &divisor, &bias, &step, i);
    free(w);
    free(r.start);
    free(r.index);
    free(r.value);
    free(r.sign);
    return 0;
}
