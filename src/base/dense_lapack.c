/*
 * Dense matrices with LAPACK and BLAS, for wide data. With a tuned library (OpenBLAS) they are
 * several times as fast as plain C. Fortran passes all arguments by address; the hidden lengths of
 * the one-letter texts follow.
 */
#ifdef HAVE_LAPACK

#include "base/dense.h"

/* clang-format off */
void dsyrk_(const char *triangle, const char *transposed, const int *size, const int *depth, const double *alpha,
            const double *a, const int *a_stride, const double *beta, double *c, const int *c_stride, size_t, size_t);
void dpotrf_(const char *triangle, const int *size, double *a, const int *stride, int *info, size_t);
void dtpqrt_(const int *rows, const int *columns, const int *corner, const int *strip, double *r, const int *r_stride,
             double *panel, const int *panel_stride, double *factors, const int *factors_stride, double *work, int *info);
/* clang-format on */

static void add_products(double *products, Panel panel)
{
    int size = (int)panel.columns, rows = (int)panel.rows, stride = (int)panel.stride;
    double one = 1;

    dsyrk_("U", "T", &size, &rows, &one, panel.data, &stride, &one, products, &size, 1, 1);
}

static size_t cholesky(double *matrix, size_t size, size_t stride)
{
    int width = (int)size, apart = (int)stride, info = 0;

    dpotrf_("U", &width, matrix, &apart, &info, 1);
    return info > 0 ? (size_t)info - 1 : size;
}

static void fold(double *r, Panel panel, double *work)
{
    int rows = (int)panel.rows, size = (int)panel.columns, stride = (int)panel.stride, corner = 0,
        info = 0;
    int strip = size < DENSE_STRIP ? size : DENSE_STRIP;

    dtpqrt_(&rows, &size, &corner, &strip, r, &size, panel.data, &stride, work, &strip,
            work + (size_t)strip * size, &info);
}

extern const Dense clv_dense_lapack;
const Dense clv_dense_lapack = {
    .name = "lapack", .add_products = add_products, .cholesky = cholesky, .fold = fold};

#else

typedef int clv_dense_lapack_is_not_built; /* ISO C forbids an empty file */

#endif
