/* Every method there is. A new one is a file in a family's folder, a declaration and a line here. */
#include "model/registry.h"

extern const Method clv_method_perceptron;

const Method *const clv_methods[] = {
    &clv_method_perceptron,
    NULL,
};
