/* Every method there is. A new one is a file in a family's folder, a declaration and a line here. */
#include "model/registry.h"

extern const Method clv_method_perceptron;
extern const Method clv_method_winnow;
extern const Method clv_method_lms;
extern const Method clv_method_least_squares;
extern const Method clv_method_svm;
extern const Method clv_method_logistic;
extern const Method clv_method_svr;
extern const Method clv_method_kernel_perceptron;
extern const Method clv_method_kernel_svm;
extern const Method clv_method_knn;
extern const Method clv_method_knn_regression;
extern const Method clv_method_tree;
extern const Method clv_method_tree_regression;
extern const Method clv_method_forest;
extern const Method clv_method_forest_regression;
extern const Method clv_method_boost;
extern const Method clv_method_boost_regression;

/* clang-format off */
const Method *const clv_methods[] = {
    &clv_method_perceptron,
    &clv_method_winnow,
    &clv_method_lms,
    &clv_method_least_squares,
    &clv_method_svm,
    &clv_method_logistic,
    &clv_method_svr,
    &clv_method_kernel_perceptron,
    &clv_method_kernel_svm,
    &clv_method_knn,
    &clv_method_knn_regression,
    &clv_method_tree,
    &clv_method_tree_regression,
    &clv_method_forest,
    &clv_method_forest_regression,
    &clv_method_boost,
    &clv_method_boost_regression,
    NULL,
};
/* clang-format on */
