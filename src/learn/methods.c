/* The list of methods. To add a method, add a file to the folder of its family and a line here. */
#include "model/registry.h"

/* clang-format off */
#define EACH_METHOD(METHOD) \
    METHOD(perceptron) \
    METHOD(winnow) \
    METHOD(lms) \
    METHOD(least_squares) \
    METHOD(svm) \
    METHOD(logistic) \
    METHOD(svr) \
    METHOD(kernel_perceptron) \
    METHOD(kernel_svm) \
    METHOD(knn) \
    METHOD(knn_regression) \
    METHOD(tree) \
    METHOD(tree_regression) \
    METHOD(forest) \
    METHOD(forest_regression) \
    METHOD(boost) \
    METHOD(boost_regression) \
    METHOD(mlp) \
    METHOD(mlp_regression) \
    METHOD(uv)
/* clang-format on */

#define DECLARATION(name) extern const Method clv_method_##name;
#define ADDRESS(name) &clv_method_##name,

EACH_METHOD(DECLARATION)

const Method *const clv_methods[] = {EACH_METHOD(ADDRESS) NULL};
