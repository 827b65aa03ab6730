/* Tables of kernels. CLEAVE_X86_KERNELS is defined if the build contains those for x86-64. */
#ifndef LEARN_LINEAR_KERNEL_TABLES_H
#define LEARN_LINEAR_KERNEL_TABLES_H

#include "learn/linear/kernel.h"

extern const Kernels clv_kernels_plain;
extern const Kernels clv_kernels_avx2;
extern const Kernels clv_kernels_avx512;
extern const Kernels clv_kernels_racy; /* clv_kernels does not choose it: see clv_linear_share */

#endif
