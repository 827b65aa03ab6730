/* The loops for any machine, and the choice between the forms. */
#include <math.h>

typedef float Vector;
#define WIDTH 1
#define ROWS 4
#define LOAD(from) (*(from))
#define STORE(to, number) (*(to) = (number))
#define LOAD_SOME(from, count) (*(from))
#define STORE_SOME(to, number, count) (*(to) = (number))
#define SPREAD(number) (number)
#define FMA(a, b, c) fmaf(a, b, c)
#define NAME "plain"
#define LOOPS clv_layer_loops_plain
#include "learn/network/layer_loops_body.h"

/* The forms whose instructions this machine supports, in the order of their speed. */
static size_t known(const LayerLoops *list[3])
{
    size_t count = 0;

    list[count++] = &clv_layer_loops_plain;
#ifdef KERNEL_LOOPS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        list[count++] = &clv_layer_loops_avx2;
    if (count == 2 && __builtin_cpu_supports("avx512f"))
        list[count++] = &clv_layer_loops_avx512;
#endif
    return count;
}

const LayerLoops *clv_layer_loops_at(size_t number)
{
    const LayerLoops *list[3];

    return number < known(list) ? list[number] : NULL;
}

const LayerLoops *clv_layer_loops(void)
{
    const LayerLoops *list[3];

    return list[known(list) - 1];
}
