/* The loops as the compiler makes them with the instructions cmake/kernels.cmake names for this file; empty elsewhere. */
#ifdef KERNEL_LOOPS_X86
#define LOOPS clv_loops_avx512
#define LOOPS_NAME "avx512"
#include "learn/kernel/loops_body.h"
#else
typedef int loops_of_another_machine; /* a file may not be empty */
#endif
