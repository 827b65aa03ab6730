/* The loops of R-trees for any machine, one entry after the other; and which forms this machine can run. */
#include <math.h>

typedef double Lanes;
#define LANES 1
#define LOAD(floats) ((double)*(floats))
#define SPREAD(value) ((double)(value))
#define ADD(a, b) ((a) + (b))
#define SUBTRACT(a, b) ((a) - (b))
#define MULTIPLY(a, b) ((a) * (b))
#define LARGER(a, b) larger(a, b)
#define ABSOLUTE(a) fabs(a)
#define KEEP keep

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline unsigned keep(double key, double bound, unsigned i, unsigned count, double *keys, unsigned *entry,
                            unsigned kept)
{
    (void)count;
    keys[kept] = key;
    entry[kept] = i;
    return kept + (key <= bound);
}

#include "learn/neighbor/rtree_body.h"

const RtreeLoops clv_rtree_plain = {.name = "plain",
                                    .points = {points_squares, points_sums, NULL, points_largest},
                                    .boxes = {boxes_squares, boxes_sums, NULL, boxes_largest}};

enum { MOST_FORMS = 3 };

/* From plain to fastest; returns how many. */
static size_t list_forms(const RtreeLoops *form[MOST_FORMS])
{
    size_t count = 0;

    form[count++] = &clv_rtree_plain;
#ifdef CLEAVE_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) {
        form[count++] = &clv_rtree_avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq"))
            form[count++] = &clv_rtree_avx512;
    }
#endif
    return count;
}

const RtreeLoops *clv_rtree_loops_at(size_t number)
{
    const RtreeLoops *form[MOST_FORMS];

    return number < list_forms(form) ? form[number] : NULL;
}

const RtreeLoops *clv_rtree_loops(void)
{
    const RtreeLoops *form[MOST_FORMS];

    return form[list_forms(form) - 1];
}
