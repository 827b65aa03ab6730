/* The loops of narrow numbers for AVX2; empty on other machines. */
#ifdef __AVX2__
#define LOOPS clv_narrow_avx2
#include "learn/neighbor/narrow_body.h"
#else
typedef int NoAvx2;
#endif
