/* The kernels for AVX2 and FMA, compiled with -mavx2 -mfma; empty on other machines. */
#ifdef __AVX2__
#define WIDTH 4
#include "learn/linear/kernel_loops.h"

#include "learn/linear/kernel_tables.h"

const Kernels clv_kernels_avx2 = KERNELS("avx2");
#else
typedef int NoAvx2;
#endif
