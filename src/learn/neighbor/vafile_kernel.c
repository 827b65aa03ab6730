#include "learn/neighbor/vafile_kernel.h"
#include "learn/neighbor/simd.h"

const VaKernels *clv_va_kernels_at(size_t level)
{
    static const VaKernels *const form[SIMD_LEVELS] = SIMD_FORMS(&clv_va_plain, &clv_va_avx2,
                                                                 &clv_va_avx512, &clv_va_vnni);

    return level <= simd_level() ? form[level] : NULL;
}

const VaKernels *clv_va_kernels(void)
{
    return clv_va_kernels_at(simd_level());
}
