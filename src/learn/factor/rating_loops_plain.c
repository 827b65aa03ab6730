/* The loops for any machine, and the choice between the forms. */
#define NAME "plain"
#define LOOPS clv_rating_loops_plain
#include "learn/factor/rating_loops_body.h"

/* The forms whose instructions this machine supports, in the order of their speed. */
static size_t known(const RatingLoops *list[3])
{
    size_t count = 0;

    list[count++] = &clv_rating_loops_plain;
#ifdef KERNEL_LOOPS_X86
    if (__builtin_cpu_supports("avx2"))
        list[count++] = &clv_rating_loops_avx2;
    if (count == 2 && __builtin_cpu_supports("avx512f"))
        list[count++] = &clv_rating_loops_avx512;
#endif
    return count;
}

const RatingLoops *clv_rating_loops_at(size_t number)
{
    const RatingLoops *list[3];

    return number < known(list) ? list[number] : NULL;
}

const RatingLoops *clv_rating_loops(void)
{
    const RatingLoops *list[3];

    return list[known(list) - 1];
}
