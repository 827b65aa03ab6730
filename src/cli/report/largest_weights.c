#include "cli/report/largest_weights.h"

#include <math.h>
#include <stdlib.h>

static int heaviest_first(const void *a, const void *b)
{
    const HeavyWeight *x = a, *y = b;
    double one = fabs(x->weight), other = fabs(y->weight);

    if (one != other)
        return one > other ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

size_t cli_heaviest(const cleave_model *model, size_t output, double sign, double side,
                    HeavyWeight *list)
{
    size_t features = cleave_model_feature_count(model), count = 0;

    for (size_t column = 0; column < features; column++) {
        double weight = sign * cleave_model_weight(model, output, column);

        if (weight * side > 0)
            list[count++] = (HeavyWeight){weight, column};
    }
    qsort(list, count, sizeof *list, heaviest_first);
    return count;
}

double cli_heaviest_of_all(const cleave_model *model)
{
    size_t features = cleave_model_feature_count(model), outputs;
    double most = 0;

    if (!cleave_model_is_linear(model, &outputs))
        return 0;
    for (size_t output = 0; output < outputs; output++)
        for (size_t column = 0; column < features; column++)
            most = fmax(most, fabs(cleave_model_weight(model, output, column)));
    return most;
}
