/* The loops of R-trees in plain C, and the forms that this machine can run. */
#include <math.h>

typedef double Lanes;
#define LANES 1
#define LOAD(floats) ((double)*(floats))
#define SPREAD(value) ((double)(value))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define ABSOLUTE(a) fabs(a)

static inline unsigned keep(double key, double bound, unsigned i, unsigned count, double *keys,
                            unsigned *entry, unsigned kept)
{
    (void)count;
    keys[kept] = key;
    entry[kept] = i;
    return kept + (key <= bound);
}

#define NAME "plain"
#define LOOPS clv_rtree_plain
#include "learn/neighbor/rtree_body.h"
#include "learn/neighbor/simd.h"

const RtreeLoops *clv_rtree_loops_at(size_t level)
{
    static const RtreeLoops *const form[SIMD_LEVELS] = SIMD_FORMS(&clv_rtree_plain, &clv_rtree_avx2,
                                                                  &clv_rtree_avx512);

    return level <= simd_level() ? form[level] : NULL;
}

const RtreeLoops *clv_rtree_loops(void)
{
    size_t level = simd_level();

    return clv_rtree_loops_at(level < SIMD_AVX512 ? level : SIMD_AVX512);
}
