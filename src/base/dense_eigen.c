/* Eigenvectors of symmetric matrices, and sums of products of rows: see dense.h. */
#include "base/dense.h"

#include "base/pool.h"

#include <math.h>

/* ---- plain code ------------------------------------------------------------------------------ */

/* Adds four rows at a time, so that the matrix is loaded a quarter as often. */
static void add_squares_plain(double *matrix, size_t size, const double *rows, size_t count)
{
    for (size_t r = 0; r + 4 <= count; r += 4) {
        const double *a = rows + r * size, *b = a + size, *c = b + size, *d = c + size;

        for (size_t j = 0; j < size; j++) {
            double *restrict to = matrix + j * size, x = a[j], y = b[j], z = c[j], w = d[j];

            for (size_t i = 0; i <= j; i++)
                to[i] += (x * a[i] + y * b[i]) + (z * c[i] + w * d[i]);
        }
    }
    for (size_t r = count - count % 4; r < count; r++)
        for (size_t j = 0; j < size; j++)
            clv_dense_add(matrix + j * size, rows[r * size + j], rows + r * size, j + 1);
}

/* Turns row i of the matrix, left of the diagonal, into the vector u of a reflection H = I - u uᵀ /
 * half that keeps only the row's last element, *beside; returns half, 0 without a reflection. */
static double make_reflection(double *u, size_t length, double *beside)
{
    double scale = 0, norm2, norm;

    for (size_t j = 0; j < length; j++)
        scale = fmax(scale, fabs(u[j]));
    *beside = u[length - 1];
    if (length == 1 || scale == 0)
        return 0;
    norm2 = 0;
    for (size_t j = 0; j < length; j++) {
        u[j] /= scale;
        norm2 += u[j] * u[j];
    }
    norm = -copysign(sqrt(norm2), u[length - 1]);
    *beside = scale * norm;
    norm2 -= u[length - 1] * norm;
    u[length - 1] -= norm;
    return norm2;
}

/* Computes A := H A H for the leading square, in its lower triangle. p is scratch space. */
static void reflect_both_sides(double *a, size_t size, const double *u, double half, size_t length,
                               double *p)
{
    double share;

    for (size_t j = 0; j < length; j++)
        p[j] = 0;
    for (size_t j = 0; j < length; j++) {
        const double *row = a + j * size;

        p[j] += clv_dense_dot(row, u, j + 1);
        clv_dense_add(p, u[j], row, j);
    }
    for (size_t j = 0; j < length; j++)
        p[j] /= half;
    share = clv_dense_dot(p, u, length) / (2 * half);
    clv_dense_add(p, -share, u, length);
    for (size_t j = 0; j < length; j++) {
        double *row = a + j * size;

        clv_dense_add(row, -u[j], p, j + 1);
        clv_dense_add(row, -p[j], u, j + 1);
    }
}

/* Makes the matrix tridiagonal. The lower triangle of a receives the vectors of the reflections;
 * diagonal and beside receive the matrix, with beside[i] between i - 1 and i. */
static void to_tridiagonal(double *a, size_t size, double *diagonal, double *beside, double *half,
                           double *workspace)
{
    beside[0] = half[0] = 0;
    for (size_t i = size; i-- > 1;) {
        double *u = a + i * size;

        half[i] = make_reflection(u, i, &beside[i]);
        if (half[i] != 0)
            reflect_both_sides(a, size, u, half[i], i, workspace);
    }
    for (size_t i = 0; i < size; i++)
        diagonal[i] = a[i * size + i];
}

/* Performs one QL step on the unreduced part low … high and rotates the rows of z, which are the
 * vectors. */
static void ql_step(double *d, double *e, size_t low, size_t high, double *z, size_t size)
{
    double g = (d[low + 1] - d[low]) / (2 * e[low]), r = hypot(g, 1), sine = 1, cosine = 1,
           shifted = 0;

    g = d[high] - d[low] + e[low] / (g + copysign(r, g));
    for (size_t i = high; i-- > low;) {
        double f = sine * e[i], b = cosine * e[i];
        double *one = z + i * size, *next = one + size;

        r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= shifted;
            e[high] = 0;
            return;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1] - shifted;
        r = (d[i] - g) * sine + 2 * cosine * b;
        shifted = sine * r;
        d[i + 1] = g + shifted;
        g = cosine * r - b;
        for (size_t k = 0; k < size; k++) {
            double turned = next[k];

            next[k] = sine * one[k] + cosine * turned;
            one[k] = cosine * one[k] - sine * turned;
        }
    }
    d[low] -= shifted;
    e[low] = g;
    e[high] = 0;
}

enum { MOST_STEPS = 60 }; /* maximum number of steps per eigenvalue; two or three are typical */

/* Diagonalizes a tridiagonal matrix with diagonal d and e[i] between i and i + 1. Returns false if
 * it does not converge, for example with numbers that are not finite. */
static bool ql(double *d, double *e, double *z, size_t size)
{
    for (size_t low = 0; low < size; low++)
        for (int step = 0;; step++) {
            size_t high = low;

            for (; high + 1 < size; high++) {
                double both = fabs(d[high]) + fabs(d[high + 1]);

                if (fabs(e[high]) <= 0x1p-53 * both)
                    break;
            }
            if (high == low)
                break;
            if (step == MOST_STEPS)
                return false;
            ql_step(d, e, low, high, z, size);
        }
    return true;
}

/* Transforms a vector of the tridiagonal matrix back to one of the matrix. */
static void reflect_back(const double *a, size_t size, const double *half, double *vector)
{
    for (size_t i = 1; i < size; i++)
        if (half[i] != 0)
            clv_dense_add(vector, -clv_dense_dot(a + i * size, vector, i) / half[i], a + i * size,
                          i);
}

static void positive_peak(double *vector, size_t size)
{
    size_t peak = 0;

    for (size_t i = 1; i < size; i++)
        if (fabs(vector[i]) > fabs(vector[peak]) * (1 + 1e-9))
            peak = i;
    if (vector[peak] < 0)
        for (size_t i = 0; i < size; i++)
            vector[i] = -vector[i];
}

static bool all_finite(const double *matrix, size_t size)
{
    for (size_t j = 0; j < size; j++)
        for (size_t i = 0; i <= j; i++)
            if (!isfinite(matrix[j * size + i]))
                return false;
    return true;
}

static Status refuse(cleave_error *error)
{
    return clv_fail(
        error, CLEAVE_ERROR_DATA,
        "the eigenvectors cannot be computed: some values are not finite or are too large");
}

static Status decompose(double *a, size_t size, size_t count, double *workspace, double *values,
                        double *vectors, cleave_error *error)
{
    double *d = workspace, *e = d + size, *half = e + size, *work = half + size, *z = work + size;

    to_tridiagonal(a, size, d, e, half, work);
    for (size_t i = 0; i + 1 < size; i++)
        e[i] = e[i + 1];
    e[size - 1] = 0;
    memset(z, 0, size * size * sizeof *z);
    for (size_t i = 0; i < size; i++)
        z[i * size + i] = 1;
    if (!ql(d, e, z, size))
        return refuse(error);
    for (size_t i = 0; i < count; i++) {
        size_t largest = SIZE_MAX;

        for (size_t j = 0; j < size; j++)
            if (!isnan(d[j]) && (largest == SIZE_MAX || d[j] > d[largest]))
                largest = j;
        if (largest == SIZE_MAX)
            return refuse(error);
        values[i] = d[largest];
        memcpy(vectors + i * size, z + largest * size, size * sizeof *z);
        reflect_back(a, size, half, vectors + i * size);
        positive_peak(vectors + i * size, size);
        d[largest] = NAN;
    }
    return OK;
}

Status clv_eigen_plain(Context *context, double *matrix, size_t size, size_t count, double *values,
                       double *vectors, cleave_error *error)
{
    double *workspace = clv_alloc_zero(context, size + 4, size * sizeof *workspace);
    Status status = workspace
                        ? decompose(matrix, size, count, workspace, values, vectors, error)
                        : clv_fail_memory(error, "eigenvectors", size * size * sizeof *workspace);

    clv_free(context, workspace);
    return status;
}

/* ---- LAPACK's -------------------------------------------------------------------------------- */

#ifdef HAVE_LAPACK

/* clang-format off */
void dsyrk_(const char *triangle, const char *transposed, const int *size, const int *depth, const double *alpha,
            const double *a, const int *a_stride, const double *beta, double *c, const int *c_stride, size_t, size_t);
void dsyevr_(const char *job, const char *range, const char *triangle, const int *size, double *a, const int *stride, const double *low, const double *high,
             const int *first, const int *last, const double *tolerance, int *found, double *values, double *vectors, const int *vectors_stride,
             int *support, double *work, const int *work_size, int *numbers, const int *numbers_size, int *info, size_t, size_t, size_t);
/* clang-format on */

static int by_lapack(double *a, int size, int count, double *values, double *vectors, int *support,
                     double *work, int work_size, int *numbers, int numbers_size)
{
    int first = size - count + 1, found = 0, info = 0;
    double unused = 0, tolerance = 0;

    dsyevr_("V", "I", "U", &size, a, &size, &unused, &unused, &first, &size, &tolerance, &found,
            values, vectors, &size, support, work, &work_size, numbers, &numbers_size, &info, 1, 1,
            1);
    return info == 0 && found == count ? 0 : -1;
}

static void swap(double *a, double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double kept = a[i];

        a[i] = b[i];
        b[i] = kept;
    }
}

static Status wide(Context *context, double *matrix, size_t size, size_t count, double *values,
                   double *vectors, cleave_error *error)
{
    size_t work_size = 64 * size, numbers_size = 16 * size;
    double *work = clv_alloc(context, work_size + size, sizeof *work);
    int *numbers = clv_alloc(context, numbers_size + 2 * size, sizeof *numbers);
    Status status = work && numbers
                        ? OK
                        : clv_fail_memory(error, "eigenvectors", work_size * sizeof *work);

    if (status == OK &&
        by_lapack(matrix, (int)size, (int)count, work + work_size, vectors, numbers + numbers_size,
                  work, (int)work_size, numbers, (int)numbers_size) != 0)
        status = refuse(error);
    for (size_t i = 0; i < count && status == OK; i++)
        values[i] = work[work_size + count - 1 - i];
    for (size_t i = 0; i < count / 2 && status == OK; i++)
        swap(vectors + i * size, vectors + (count - 1 - i) * size, size);
    for (size_t i = 0; i < count && status == OK; i++)
        positive_peak(vectors + i * size, size);
    FREE(context, work, numbers);
    return status;
}

#endif

/* A lower triangle by rows is an upper triangle by columns. */
void clv_add_squares(double *matrix, size_t size, const double *rows, size_t count)
{
#ifdef HAVE_LAPACK
    int width = (int)size, depth = (int)count;
    double one = 1;

    if (size >= DENSE_WIDE) {
        dsyrk_("U", "N", &width, &depth, &one, rows, &width, &one, matrix, &width, 1, 1);
        return;
    }
#endif
    add_squares_plain(matrix, size, rows, count);
}

typedef struct {
    Context *context;
    double *matrix, *values, *vectors;
    size_t size, count;
    cleave_error *error;
    Status status;
} Eigen;

static void find_eigen(void *user)
{
    Eigen *eigen = user;

#ifdef HAVE_LAPACK
    if (eigen->size >= DENSE_WIDE) {
        eigen->status = wide(eigen->context, eigen->matrix, eigen->size, eigen->count,
                             eigen->values, eigen->vectors, eigen->error);
        return;
    }
#endif
    eigen->status = clv_eigen_plain(eigen->context, eigen->matrix, eigen->size, eigen->count,
                                    eigen->values, eigen->vectors, eigen->error);
}

Status clv_eigen(Context *context, double *matrix, size_t size, size_t count, double *values,
                 double *vectors, cleave_error *error)
{
    enum { LONG = 256 }; /* the calculation takes milliseconds from this size on */
    Eigen eigen = {context, matrix, values, vectors, size, count, error, OK};

    if (!all_finite(matrix, size))
        return refuse(error);
    if (size < LONG)
        find_eigen(&eigen);
    else
        clv_run_beside(context, find_eigen, &eigen);
    return eigen.status;
}
