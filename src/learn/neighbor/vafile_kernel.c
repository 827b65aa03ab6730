/* Which kernels this machine can run. */
#include "learn/neighbor/vafile_kernel.h"

enum { MOST_TABLES = 4 };

/* From plain to fastest; returns how many. */
static size_t list_tables(const VaKernels *table[MOST_TABLES])
{
    size_t count = 0;

    table[count++] = &clv_va_plain;
#ifdef CLEAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        table[count++] = &clv_va_avx2;
    if (count == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        table[count++] = &clv_va_avx512;
        if (__builtin_cpu_supports("avx512vnni"))
            table[count++] = &clv_va_vnni;
    }
#endif
    return count;
}

const VaKernels *clv_va_kernels_at(size_t number)
{
    const VaKernels *table[MOST_TABLES];

    return number < list_tables(table) ? table[number] : NULL;
}

const VaKernels *clv_va_kernels(void)
{
    const VaKernels *table[MOST_TABLES];

    return table[list_tables(table) - 1];
}
