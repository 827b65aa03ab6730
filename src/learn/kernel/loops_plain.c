/* The loops for any machine, and the choice between the forms. */
#define LOOPS clv_loops_plain
#define LOOPS_NAME "plain"
#include "learn/kernel/loops_body.h"

/* The forms whose instructions this machine supports, in the order of their speed. */
static size_t known(const Loops *list[3])
{
    size_t count = 0;

    list[count++] = &clv_loops_plain;
#ifdef KERNEL_LOOPS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        list[count++] = &clv_loops_avx2;
    if (count == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        list[count++] = &clv_loops_avx512;
#endif
    return count;
}

const Loops *clv_loops_at(size_t number)
{
    const Loops *list[3];

    return number < known(list) ? list[number] : NULL;
}

const Loops *clv_loops(void)
{
    const Loops *list[3];

    return list[known(list) - 1];
}
