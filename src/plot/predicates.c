#include "plot/predicates.h"

#include "base/exact.h"

#include <math.h>

#define HALF_ULP 0x1p-53

/* Adds ± the determinant of x, y, 1 of three points, times (f² + g²); without f and g, times 1. */
static void add_turn(Exact *sum, const float *a, const float *b, const float *c, const float *lift,
                     double sign)
{
    const float *const rows[6][2] = {{a, b}, {b, a}, {b, c}, {c, b}, {c, a}, {a, c}};

    for (int i = 0; i < 6; i++) {
        double product = (double)rows[i][0][0] * (double)rows[i][1][1] * (i % 2 ? -sign : sign);

        for (int j = 0; j < 2 && lift; j++) {
            double square = (double)lift[j] * (double)lift[j], high = product * square;

            clv_exact_add(sum, high);
            clv_exact_add(sum, fma(product, square, -high));
        }
        if (!lift)
            clv_exact_add(sum, product);
    }
}

double clv_turn(const float *a, const float *b, const float *c)
{
    double left = ((double)a[0] - (double)c[0]) * ((double)b[1] - (double)c[1]);
    double right = ((double)a[1] - (double)c[1]) * ((double)b[0] - (double)c[0]);
    double turn = left - right;
    Exact sum;

    if (fabs(turn) > (3 + 16 * HALF_ULP) * HALF_ULP * (fabs(left) + fabs(right)))
        return turn;
    sum = (Exact){0};
    add_turn(&sum, a, b, c, 0, 1);
    return clv_exact_round(&sum);
}

static double exact_in_circle(const float *a, const float *b, const float *c, const float *d)
{
    Exact sum = {0};

    add_turn(&sum, b, c, d, a, 1);
    add_turn(&sum, a, c, d, b, -1);
    add_turn(&sum, a, b, d, c, 1);
    add_turn(&sum, a, b, c, d, -1);
    return clv_exact_round(&sum);
}

double clv_in_circle(const float *a, const float *b, const float *c, const float *d)
{
    const float *const corner[3] = {a, b, c};
    double x[3], y[3], circle = 0, size = 0;

    for (int i = 0; i < 3; i++) {
        x[i] = (double)corner[i][0] - (double)d[0];
        y[i] = (double)corner[i][1] - (double)d[1];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double lift = x[i] * x[i] + y[i] * y[i];

        circle += lift * (x[j] * y[k] - x[k] * y[j]);
        size += lift * (fabs(x[j] * y[k]) + fabs(x[k] * y[j]));
    }
    if (fabs(circle) > (10 + 96 * HALF_ULP) * HALF_ULP * size)
        return circle;
    return exact_in_circle(a, b, c, d);
}
