/* The kernels in plain C, for other machines and as the reference of the tests. */
#define WIDTH 2
#include "learn/linear/kernel_loops.h"

#include "learn/linear/kernel_tables.h"

const Kernels clv_kernels_plain = KERNELS("plain");
