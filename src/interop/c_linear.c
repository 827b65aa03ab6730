/* C code of linear models: see clv_linear_predict. */
#include "interop/c_source.h"

/* Writes a dot product in which nonzero entry i goes to lane i % 8. */
static void put_dot(const CSource *source, const char *type)
{
    clv_model_text_put(source->text,
                       "static double %s_dot(const %s *w, const float *x)\n"
                       "{\n"
                       "    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0}, product;\n"
                       "    unsigned i, at = 0;\n\n",
                       source->prefix, type);
    clv_c_put(source, "    for (i = 0; i < @_features; i++)\n"
                      "        if (x[i] != 0) {\n"
                      "            product = (double)w[i] * (double)x[i];\n"
                      "            lane[at++ % 8] += product;\n"
                      "        }\n"
                      "    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +\n"
                      "           ((lane[1] + lane[5]) + (lane[3] + lane[7]));\n"
                      "}\n\n");
}

/* For float weights of several outputs, nonzero entries are added in groups of four. */
static void put_fours(const CSource *source)
{
    clv_c_put(source,
              "static void @_dots(const float *x, double *scores)\n"
              "{\n"
              "    const float *w[4];\n"
              "    double v[4];\n"
              "    unsigned i, j, k, count = 0;\n\n"
              "    for (j = 0; j < @_score_count; j++)\n"
              "        scores[j] = 0;\n"
              "    for (i = 0; i < @_features; i++) {\n"
              "        if (x[i] == 0)\n"
              "            continue;\n"
              "        w[count] = @_weights + (size_t)i * @_score_count;\n"
              "        v[count++] = (double)x[i];\n"
              "        if (count < 4)\n"
              "            continue;\n"
              "        for (j = 0; j < @_score_count; j++)\n"
              "            scores[j] += ((double)w[0][j] * v[0] + (double)w[1][j] * v[1]) +\n"
              "                         ((double)w[2][j] * v[2] + (double)w[3][j] * v[3]);\n"
              "        count = 0;\n"
              "    }\n"
              "    for (k = 0; k < count; k++)\n"
              "        for (j = 0; j < @_score_count; j++)\n"
              "            scores[j] += (double)w[k][j] * v[k];\n"
              "}\n\n");
}

static void put_one_by_one(const CSource *source)
{
    clv_c_put(source, "static void @_dots(const float *x, double *scores)\n"
                      "{\n"
                      "    double product;\n"
                      "    unsigned i, j;\n\n"
                      "    for (j = 0; j < @_score_count; j++)\n"
                      "        scores[j] = 0;\n"
                      "    for (i = 0; i < @_features; i++)\n"
                      "        for (j = 0; x[i] != 0 && j < @_score_count; j++) {\n"
                      "            product = @_weights[(size_t)i * @_score_count + j] * "
                      "(double)x[i];\n"
                      "            scores[j] += product;\n"
                      "        }\n"
                      "}\n\n");
}

static void put_sum(const CSource *source, size_t outputs, double scale, bool rest)
{
    clv_c_put(source, "static void @_sum(const float *x, double *scores)\n"
                      "{\n"
                      "    unsigned j;\n\n");
    clv_c_put(source,
              outputs == 1 ? "    scores[0] = @_dot(@_weights, x);\n" : "    @_dots(x, scores);\n");
    clv_c_put(source, "    for (j = 0; j < @_score_count; j++) {\n");
    if (scale != 1) { /* separate statements are not fused */
        clv_c_put(source, "        scores[j] *= ");
        clv_c_double(source, scale);
        clv_c_put(source, ";\n");
    }
    clv_c_put(source, "        scores[j] += @_intercepts[j];\n"
                      "    }\n");
    if (rest) {
        clv_c_put(source, "    scores[0] += ");
        if (scale != 1) {
            clv_c_double(source, scale);
            clv_c_put(source, " * ");
        }
        clv_c_put(source, "@_dot(@_rest, x);\n");
    }
    clv_c_put(source, "}\n\n");
}

void clv_c_linear(const CSource *source)
{
    const Bundle *bundle = source->model->bundle;
    const BundleItem *floats = clv_bundle_get(bundle, "weights", BUNDLE_F32);
    const BundleItem *doubles = clv_bundle_get(bundle, "weights", BUNDLE_F64);
    const BundleItem *intercept = clv_bundle_get(bundle, "bias", BUNDLE_F64);
    const float *rest = clv_weights_rest(source->model);
    const BundleItem *scale = clv_bundle_get(bundle, "scale", BUNDLE_F64);
    size_t outputs = outputs_of(source->model->labels.count);

    clv_model_text_put(source->text, "enum { %s_features = %u };\n", source->prefix,
                       source->model->features);
    if (floats)
        clv_c_floats(source, "weights", floats->data, (size_t)floats->count);
    else
        clv_c_doubles(source, "weights", doubles->data, (size_t)doubles->count);
    if (rest)
        clv_c_floats(source, "rest", rest, source->model->features);
    clv_c_doubles(source, "intercepts", intercept->data, outputs);
    clv_c_put(source, "\n");
    if (outputs == 1)
        put_dot(source, floats ? "float" : "double");
    else if (floats)
        put_fours(source);
    else
        put_one_by_one(source);
    put_sum(source, outputs, *(const double *)scale->data, rest);
}
