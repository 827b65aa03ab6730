/* The walk without vector instructions of its own; what the compiler makes of the loops is its business. */
#include <math.h>
#include <stdint.h>

typedef struct {
    float at[16];
} Lanes;
typedef struct {
    double at[8];
} Wide;

/* With what sanitizers add to every access, all of it in one function would take a compiler a dozen seconds. */
#ifdef __SANITIZE_ADDRESS__
#define EVER_INLINE static __attribute__((noinline))
#else
#define EVER_INLINE static inline __attribute__((always_inline))
#endif
#define LANES(name, ...) EVER_INLINE Lanes lanes_##name(__VA_ARGS__)
#define WIDE(name, ...) EVER_INLINE Wide wide_##name(__VA_ARGS__)
#define EACH_LANE(what)                                                                                                \
    Lanes made;                                                                                                        \
    for (int i = 0; i < 16; i++)                                                                                       \
        made.at[i] = (what);                                                                                           \
    return made
#define EACH_WIDE(what)                                                                                                \
    Wide made;                                                                                                         \
    for (int i = 0; i < 8; i++)                                                                                        \
        made.at[i] = (what);                                                                                           \
    return made

LANES(all, float x)
{
    EACH_LANE(x);
}
LANES(load, const float *from)
{
    EACH_LANE(from[i]);
}
LANES(add, Lanes a, Lanes b)
{
    EACH_LANE(a.at[i] + b.at[i]);
}
LANES(sub, Lanes a, Lanes b)
{
    EACH_LANE(a.at[i] - b.at[i]);
}
LANES(max, Lanes a, Lanes b) /* b where one is NaN */
{
    EACH_LANE(a.at[i] > b.at[i] ? a.at[i] : b.at[i]);
}
LANES(abs, Lanes a)
{
    EACH_LANE(fabsf(a.at[i]));
}
LANES(add_square, Lanes sum, Lanes x)
{
    EACH_LANE(sum.at[i] + x.at[i] * x.at[i]);
}
static inline void lanes_store(float *to, Lanes a)
{
    for (int i = 0; i < 16; i++)
        to[i] = a.at[i];
}
/* A bit of each that is not above the threshold, nor NaN. */
static inline uint32_t lanes_within(Lanes a, float threshold)
{
    uint32_t bits = 0;

    for (int i = 0; i < 16; i++)
        bits |= (uint32_t)(a.at[i] <= threshold) << i;
    return bits;
}
/* The place of the least, of those that have a bit. */
static inline uint32_t lanes_nearest(const float *at, uint32_t among)
{
    uint32_t best = (uint32_t)__builtin_ctz(among);

    for (among &= among - 1; among; among &= among - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(among);

        best = at[lane] < at[best] ? lane : best;
    }
    return best;
}

WIDE(all, double x)
{
    EACH_WIDE(x);
}
WIDE(load, const float *from)
{
    EACH_WIDE((double)from[i]);
}
WIDE(add, Wide a, Wide b)
{
    EACH_WIDE(a.at[i] + b.at[i]);
}
WIDE(sub, Wide a, Wide b)
{
    EACH_WIDE(a.at[i] - b.at[i]);
}
WIDE(mul, Wide a, Wide b)
{
    EACH_WIDE(a.at[i] * b.at[i]);
}
WIDE(max, Wide a, Wide b)
{
    EACH_WIDE(a.at[i] > b.at[i] ? a.at[i] : b.at[i]);
}
WIDE(abs, Wide a)
{
    EACH_WIDE(fabs(a.at[i]));
}
static inline void wide_store(double *to, Wide a)
{
    for (int i = 0; i < 8; i++)
        to[i] = a.at[i];
}

#define WALK clv_boxtree_walk_plain
#include "learn/neighbor/boxtree_walk.h"
