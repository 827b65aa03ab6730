/* Chooses the kernels that this machine can run. */
#include "learn/linear/kernel_tables.h"

enum { MOST_TABLES = 3 };

/* From plain to fastest; returns their number. */
static size_t list_tables(const Kernels *table[MOST_TABLES])
{
    size_t count = 0;

    table[count++] = &clv_kernels_plain;
#ifdef CLEAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        table[count++] = &clv_kernels_avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
            table[count++] = &clv_kernels_avx512;
    }
#endif
    return count;
}

const Kernels *clv_kernels_at(size_t number)
{
    const Kernels *table[MOST_TABLES];

    return number < list_tables(table) ? table[number] : NULL;
}

const Kernels *clv_kernels(void)
{
    const Kernels *table[MOST_TABLES];

    return table[list_tables(table) - 1];
}
