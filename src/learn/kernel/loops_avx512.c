/* The loops, vectorized by the compiler with the flags in cmake/kernels.cmake; empty on other
 * machines. */
#ifdef KERNEL_LOOPS_X86
#define LOOPS clv_loops_avx512
#define LOOPS_NAME "avx512"
#include "learn/kernel/loops_body.h"
#else
typedef int loops_of_another_machine; /* a translation unit must not be empty */
#endif
