/* The loops for AVX2; empty on other machines. */
#ifdef KERNEL_LOOPS_X86
#define NAME "avx2"
#define LOOPS clv_rating_loops_avx2
#include "learn/factor/rating_loops_body.h"
#else
typedef int loops_of_another_machine; /* a translation unit must not be empty */
#endif
