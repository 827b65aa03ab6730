/* The loops for AVX-512; empty on other machines. */
#ifdef KERNEL_LOOPS_X86
#define NAME "avx512"
#define LOOPS clv_rating_loops_avx512
#include "learn/factor/rating_loops_body.h"
#else
typedef int loops_of_another_machine; /* a translation unit must not be empty */
#endif
