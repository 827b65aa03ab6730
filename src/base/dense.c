/* Dense matrices in plain C. They are used without LAPACK, and as the reference in tests of
 * LAPACK. */
#include "base/dense.h"

#include <math.h>
#include <stdint.h>

/* ---- vectors --------------------------------------------------------------------------------- */

double clv_dense_dot(const double *a, const double *b, size_t count)
{
    double lane[4] = {0}, rest = 0;
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            lane[j] += a[i + j] * b[i + j];
    for (; i < count; i++)
        rest += a[i] * b[i];
    return ((lane[0] + lane[2]) + (lane[1] + lane[3])) + rest;
}

void clv_dense_add(double *a, double step, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] += step * b[i];
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Multiplies two columns by two columns, so that each loaded number is used twice. */
static void products_of_four(const double *a, const double *b, const double *c, const double *d,
                             size_t count, double sum[4])
{
    double ac[2] = {0}, ad[2] = {0}, bc[2] = {0}, bd[2] = {0};
    size_t i = 0;

    for (; i + 2 <= count; i += 2)
        for (size_t j = 0; j < 2; j++) {
            ac[j] += a[i + j] * c[i + j];
            ad[j] += a[i + j] * d[i + j];
            bc[j] += b[i + j] * c[i + j];
            bd[j] += b[i + j] * d[i + j];
        }
    for (; i < count; i++) {
        ac[0] += a[i] * c[i];
        ad[0] += a[i] * d[i];
        bc[0] += b[i] * c[i];
        bd[0] += b[i] * d[i];
    }
    sum[0] = ac[0] + ac[1];
    sum[1] = ad[0] + ad[1];
    sum[2] = bc[0] + bc[1];
    sum[3] = bd[0] + bd[1];
}

static void add_products(double *products, Panel panel)
{
    size_t size = panel.columns, even = size & ~(size_t)1;

    for (size_t j = 0; j < even; j += 2)
        for (size_t i = 0; i <= j; i += 2) {
            const double *left = panel.data + i * panel.stride,
                         *right = panel.data + j * panel.stride;
            double *to = products + j * size + i, sum[4];

            products_of_four(left, left + panel.stride, right, right + panel.stride, panel.rows,
                             sum);
            to[0] += sum[0];
            to[size] += sum[1];
            to[size + 1] += sum[3];
            if (i < j)
                to[1] += sum[2];
        }
    if (even < size)
        for (size_t i = 0; i < size; i++)
            products[even * size + i] += clv_dense_dot(
                panel.data + i * panel.stride, panel.data + even * panel.stride, panel.rows);
}

static size_t cholesky(double *matrix, size_t size, size_t stride)
{
    for (size_t j = 0; j < size; j++) {
        double *column = matrix + j * stride, pivot;

        for (size_t i = 0; i < j; i++) {
            const double *other = matrix + i * stride;

            column[i] = (column[i] - clv_dense_dot(other, column, i)) / other[i];
        }
        pivot = column[j] - clv_dense_dot(column, column, j);
        if (!(pivot > 0))
            return j;
        column[j] = sqrt(pivot);
    }
    return size;
}

/* Householder reflection that maps (*head, tail) to (-±norm, 0): tail becomes the vector of the
 * reflection, whose first element is 1. Returns the factor of the reflection. */
static double reflector(double *head, double *tail, size_t count)
{
    double length2 = clv_dense_dot(tail, tail, count), length, factor;

    if (length2 == 0)
        return 0;
    length = -copysign(sqrt(*head * *head + length2), *head);
    factor = (length - *head) / length;
    for (size_t i = 0; i < count; i++)
        tail[i] /= *head - length;
    *head = length;
    return factor;
}

static void reflect(double factor, const double *vector, double *head, double *tail, size_t count)
{
    double step = factor * (*head + clv_dense_dot(vector, tail, count));

    *head -= step;
    clv_dense_add(tail, -step, vector, count);
}

static void fold(double *r, Panel panel, double *work)
{
    size_t size = panel.columns;

    (void)work;
    for (size_t k = 0; k < size; k++) {
        double *vector = panel.data + k * panel.stride;
        double factor = reflector(&r[k * size + k], vector, panel.rows);

        for (size_t j = k + 1; j < size && factor != 0; j++)
            reflect(factor, vector, &r[j * size + k], panel.data + j * panel.stride, panel.rows);
    }
}

static const Dense plain = {
    .name = "plain", .add_products = add_products, .cholesky = cholesky, .fold = fold};

#ifdef HAVE_LAPACK
extern const Dense clv_dense_lapack;
static const Dense *const all[] = {&plain, &clv_dense_lapack};
#else
static const Dense *const all[] = {&plain};
#endif
enum { COUNT = sizeof all / sizeof *all };

const Dense *clv_dense_at(size_t number)
{
    return number < COUNT ? all[number] : NULL;
}

const Dense *clv_dense(size_t columns)
{
    return columns < DENSE_WIDE ? all[0] : all[COUNT - 1];
}

/* ---- triangles ------------------------------------------------------------------------------- */

void clv_dense_solve(const double *r, size_t size, size_t stride, double *x)
{
    for (size_t j = size; j-- > 0;) {
        x[j] /= r[j * stride + j];
        clv_dense_add(x, -x[j], r + j * stride, j);
    }
}

void clv_dense_solve_transposed(const double *r, size_t size, size_t stride, double *x)
{
    for (size_t j = 0; j < size; j++)
        x[j] = (x[j] - clv_dense_dot(r + j * stride, x, j)) / r[j * stride + j];
}

static double sum_of_sizes(const double *x, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(x[i]);
    return sum;
}

/* Maximizes |R⁻¹ x|₁ over the corners of |x|₁ = 1: the gradient R⁻ᵀ sign(R⁻¹ x) selects the next
 * corner. */
static double inverse_norm(const double *r, size_t size, size_t stride, double *x, double *gradient)
{
    double norm = 0;
    size_t corner = SIZE_MAX;

    for (size_t i = 0; i < size; i++)
        x[i] = 1 / (double)size;
    for (int step = 0; step < 5; step++) {
        size_t steepest = 0;
        double found;

        clv_dense_solve(r, size, stride, x);
        found = sum_of_sizes(x, size);
        if (found <= norm)
            break;
        norm = found;
        for (size_t i = 0; i < size; i++)
            gradient[i] = x[i] < 0 ? -1 : 1;
        clv_dense_solve_transposed(r, size, stride, gradient);
        for (size_t i = 1; i < size; i++)
            if (fabs(gradient[i]) > fabs(gradient[steepest]))
                steepest = i;
        if (steepest == corner)
            break;
        corner = steepest;
        memset(x, 0, size * sizeof *x);
        x[corner] = 1;
    }
    return norm;
}

double clv_dense_condition(const double *r, size_t size, size_t stride, double *work)
{
    double norm = 0, inverse;

    for (size_t j = 0; j < size; j++) {
        if (r[j * stride + j] == 0)
            return INFINITY;
        norm = fmax(norm, sum_of_sizes(r + j * stride, j + 1));
    }
    if (size == 0)
        return 1;
    inverse = inverse_norm(r, size, stride, work, work + size);
    return isfinite(inverse) ? norm * inverse : INFINITY;
}

/* ---- dependent columns ----------------------------------------------------------------------- */

static void swap_columns(Panel a, size_t i, size_t j)
{
    double *left = a.data + i * a.stride, *right = a.data + j * a.stride;

    for (size_t row = 0; row < a.rows && i != j; row++) {
        double kept = left[row];

        left[row] = right[row];
        right[row] = kept;
    }
}

/* Downdates the norm of a column below row k; computes it again after cancellation (LAPACK's
 * dlaqp2). */
static void shorten(const Panel *a, size_t k, size_t j, double *left, double *measured)
{
    const double *column = a->data + j * a->stride;
    double share, gone = *left > 0 ? fabs(column[k]) / *left : 1;

    share = fmax(0, (1 - gone) * (1 + gone));
    if (share * (*left / *measured) * (*left / *measured) <= 1e-8) {
        *left = sqrt(clv_dense_dot(column + k + 1, column + k + 1, a->rows - k - 1));
        *measured = *left;
    } else {
        *left *= sqrt(share);
    }
}

size_t clv_dense_pivoted(Panel a, size_t size, double tolerance, size_t *order, double *norms)
{
    double *left = norms, *measured = norms + size;
    size_t k = 0;

    for (size_t j = 0; j < size; j++) {
        order[j] = j;
        left[j] = measured[j] = sqrt(
            clv_dense_dot(a.data + j * a.stride, a.data + j * a.stride, a.rows));
    }
    for (; k < size && k < a.rows; k++) {
        double *column = a.data + k * a.stride, factor;
        size_t longest = k, kept = order[k];

        for (size_t j = k + 1; j < size; j++)
            if (left[j] > left[longest])
                longest = j;
        if (!(left[longest] > tolerance))
            break;
        swap_columns(a, k, longest);
        order[k] = order[longest];
        order[longest] = kept;
        left[longest] = left[k];
        measured[longest] = measured[k];
        factor = reflector(&column[k], column + k + 1, a.rows - k - 1);
        for (size_t j = k + 1; j < a.columns; j++) {
            double *other = a.data + j * a.stride;

            if (factor != 0)
                reflect(factor, column + k + 1, &other[k], other + k + 1, a.rows - k - 1);
            if (j < size && left[j] > 0)
                shorten(&a, k, j, &left[j], &measured[j]);
        }
    }
    return k;
}

/* uᵀ = QT, so U x = c is Tᵀ (Qᵀ x) = c. x has minimum norm if the remaining elements of Qᵀ x are
 * 0. */
void clv_dense_shortest(Panel u, const double *c, double *x, double *scales)
{
    for (size_t k = 0; k < u.columns; k++) {
        double *vector = u.data + k * u.stride;

        scales[k] = reflector(&vector[k], vector + k + 1, u.rows - k - 1);
        for (size_t j = k + 1; j < u.columns && scales[k] != 0; j++) {
            double *other = u.data + j * u.stride;

            reflect(scales[k], vector + k + 1, &other[k], other + k + 1, u.rows - k - 1);
        }
    }
    memset(x, 0, u.rows * sizeof *x);
    memcpy(x, c, u.columns * sizeof *x);
    clv_dense_solve_transposed(u.data, u.columns, u.stride, x);
    for (size_t k = u.columns; k-- > 0;)
        if (scales[k] != 0)
            reflect(scales[k], u.data + k * u.stride + k + 1, &x[k], x + k + 1, u.rows - k - 1);
}
