/* The tree search in plain C. */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    float at[16];
} Lanes;
typedef struct {
    double at[8];
} Wide;

/* With sanitizers, a compiler takes a dozen seconds for a single function. */
#ifdef __SANITIZE_ADDRESS__
#define EVER_INLINE static __attribute__((noinline))
#else
#define EVER_INLINE static inline __attribute__((always_inline))
#endif
#define EACH(type, name, lanes, what, ...)                                                         \
    EVER_INLINE type name(__VA_ARGS__)                                                             \
    {                                                                                              \
        type made;                                                                                 \
                                                                                                   \
        for (int i = 0; i < (lanes); i++)                                                          \
            made.at[i] = (what);                                                                   \
        return made;                                                                               \
    }

EACH(Lanes, lanes_all, 16, x, float x)
EACH(Lanes, lanes_load, 16, from[i], const float *from)
EACH(Lanes, lanes_add, 16, a.at[i] + b.at[i], Lanes a, Lanes b)
EACH(Lanes, lanes_sub, 16, a.at[i] - b.at[i], Lanes a, Lanes b)
/* the result is b if one is NaN */
EACH(Lanes, lanes_max, 16, a.at[i] > b.at[i] ? a.at[i] : b.at[i], Lanes a, Lanes b)
EACH(Lanes, lanes_abs, 16, fabsf(a.at[i]), Lanes a)
EACH(Lanes, lanes_add_square, 16, sum.at[i] + x.at[i] * x.at[i], Lanes sum, Lanes x)
EACH(Wide, wide_all, 8, x, double x)
EACH(Wide, wide_load, 8, (double)from[i], const float *from)
EACH(Wide, wide_add, 8, a.at[i] + b.at[i], Wide a, Wide b)
EACH(Wide, wide_sub, 8, a.at[i] - b.at[i], Wide a, Wide b)
EACH(Wide, wide_mul, 8, a.at[i] * b.at[i], Wide a, Wide b)
EACH(Wide, wide_max, 8, a.at[i] > b.at[i] ? a.at[i] : b.at[i], Wide a, Wide b)
EACH(Wide, wide_abs, 8, fabs(a.at[i]), Wide a)

static inline void lanes_store(float *to, Lanes a)
{
    memcpy(to, a.at, sizeof a.at);
}
static inline void wide_store(double *to, Wide a)
{
    memcpy(to, a.at, sizeof a.at);
}

/* A bit per lane that is not above the threshold and not NaN. */
static inline uint32_t lanes_within(Lanes a, float threshold)
{
    uint32_t bits = 0;

    for (int i = 0; i < 16; i++)
        bits |= (uint32_t)(a.at[i] <= threshold) << i;
    return bits;
}

#define SCALAR_NEAREST
#define WALK clv_boxtree_walk_plain
#include "learn/neighbor/boxtree_walk.h"
