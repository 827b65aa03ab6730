/* The kernels in plain C: what machines without the others run, and the twin the others are held against. */
#define WIDTH 2
#include "learn/linear/kernel_loops.h"

#include "learn/linear/kernel_tables.h"

const Kernels clv_kernels_plain = KERNELS("plain");
