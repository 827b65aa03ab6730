/* The kernels for AVX-512, compiled with -mavx512f -mavx512vl; empty on other machines. */
#ifdef __AVX512F__
#define WIDTH 8
#include "learn/linear/kernel_loops.h"

#include "learn/linear/kernel_tables.h"

const Kernels clv_kernels_avx512 = KERNELS("avx512");
#else
typedef int NoAvx512;
#endif
