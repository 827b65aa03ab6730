/* network: times the matrix products of src/learn/network on one thread, in each form that this machine runs, and prints a line
 *     WHAT FORM GFLOPS
 * for each: the best of REPEATS times. The products are those of a minibatch of 128 rows and a layer of 784 inputs and 128 units;
 * `lists` is the same with 150 non-zeros per row. `peak FORM` is the speed of independent fused multiply-adds in registers. */
#include "base/random.h"
#include "learn/network/layer_loops.h"

#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 7, ROWS = 128, INPUTS = 784, UNITS = 128, ENTRIES = 150, CHAINS = 12 };

static volatile float kept;

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define PEAK(name, Vector, width, set, fma, flags)                                                                                 \
    __attribute__((target(flags))) static double name(void)                                                                        \
    {                                                                                                                              \
        Vector sum[CHAINS], a = set(0.999F), b = set(1e-3F);                                                                       \
        double start;                                                                                                              \
        _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) sum[i] = set((float)i);                                          \
        start = cpu_seconds();                                                                                                     \
        for (int k = 0; k < 500000; k++) {                                                                                       \
            _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++)                                                              \
            {                                                                                                                      \
                sum[i] = fma(sum[i], a, b);                                                                                        \
                __asm__ volatile("" : "+v"(sum[i]));                                                                               \
            }                                                                                                                      \
        }                                                                                                                          \
        start = cpu_seconds() - start;                                                                                             \
        _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) kept += ((float *)&sum[i])[0];                                   \
        return 2e-9 * CHAINS * (width) * 500000 / start;                                                                         \
    }
PEAK(peak_avx2, __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps, "avx2,fma")
PEAK(peak_avx512, __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps, "avx512f")

typedef struct {
    float *x, *w, *delta, *out, *gradient, *value;
    uint32_t *column;
} Layer;

static float *numbers(Random *random, size_t count)
{
    float *list = malloc(count * sizeof *list);

    for (size_t i = 0; i < count; i++)
        list[i] = (float)clv_random_unit(random) - 0.5F;
    return list;
}

static void forward(const LayerLoops *loops, const Layer *layer)
{
    loops->multiply(ROWS, UNITS, INPUTS, layer->x, INPUTS, 1, layer->w, UNITS, layer->out, UNITS);
}

static void gradient(const LayerLoops *loops, const Layer *layer)
{
    loops->multiply(INPUTS, UNITS, ROWS, layer->x, 1, INPUTS, layer->delta, UNITS, layer->gradient, UNITS);
}

static void lists(const LayerLoops *loops, const Layer *layer)
{
    for (size_t row = 0; row < ROWS; row++)
        loops->combine(layer->out + row * UNITS, UNITS, layer->w, layer->column + row * ENTRIES, layer->value, ENTRIES);
}

static void measure(const char *what, const LayerLoops *loops, const Layer *layer, void (*work)(const LayerLoops *, const Layer *),
                    double operations)
{
    int times = loops == clv_layer_loops_at(0) ? 2 : 100;
    double best = 1e300;

    for (int i = 0; i < REPEATS; i++) {
        double start = cpu_seconds();

        for (int j = 0; j < times; j++)
            work(loops, layer);
        start = (cpu_seconds() - start) / times;
        best = start < best ? start : best;
    }
    printf("%s %s %.1f\n", what, loops->name, 1e-9 * operations / best);
}

int main(void)
{
    Random random = clv_random(1, 1);
    Layer layer = {.x = numbers(&random, ROWS * INPUTS),
                   .w = numbers(&random, INPUTS * UNITS),
                   .delta = numbers(&random, ROWS * UNITS),
                   .out = calloc(ROWS * UNITS, sizeof(float)),
                   .gradient = calloc(INPUTS * UNITS, sizeof(float)),
                   .value = numbers(&random, ENTRIES),
                   .column = calloc(ROWS * ENTRIES, sizeof(uint32_t))};
    const LayerLoops *loops;

    for (size_t i = 0; i < ROWS * ENTRIES; i++)
        layer.column[i] = clv_random_below(&random, INPUTS);
    for (size_t form = 0; (loops = clv_layer_loops_at(form)); form++) {
        if (form > 0) {
            double peak = 0;

            for (int i = 0; i < 20 * REPEATS; i++) {
                double now = form == 1 ? peak_avx2() : peak_avx512();

                peak = now > peak ? now : peak;
            }
            printf("peak %s %.1f\n", loops->name, peak);
        }
        measure("forward", loops, &layer, forward, 2.0 * ROWS * INPUTS * UNITS);
        measure("gradient", loops, &layer, gradient, 2.0 * ROWS * INPUTS * UNITS);
        measure("lists", loops, &layer, lists, 2.0 * ROWS * ENTRIES * UNITS);
    }
    return 0;
}
