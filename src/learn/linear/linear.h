/*
 * What linear methods share: weights for one or more outputs, scoring, adding rows, and becoming a
 * model.
 *
 * Weights lie feature by feature, w[column * outputs + output]: new features are appended, and one
 * row's scores for all classes are taken in one walk over the row. A score is (w·x) + bias, and the
 * threshold a person sees is -bias.
 */
#ifndef LEARN_LINEAR_LINEAR_H
#define LEARN_LINEAR_LINEAR_H

#include "learn/linear/kernel.h"
#include "model/method.h"

#include <math.h>

typedef struct {
    Context *context;
    const Kernels *kernels;
    float *w;
    double *bias;
    uint32_t features;
    size_t capacity; /* of w, in floats */
    size_t outputs;
    bool shared; /* w is another's */
} Linear;

Status clv_linear_init(Linear *linear, Context *context, uint32_t features, size_t outputs, cleave_error *error);
void clv_linear_free(Linear *linear);
/* linear works on the weights of another from now on, which outlives it, as others may at the same
 * time; its biases stay its own. Only kernels->dot, add, dot_many and add_many may touch such
 * weights. */
void clv_linear_share(Linear *linear, const Linear *other);
/* An error where so many weights of 4 bytes are too much for the machine. */
Status clv_linear_affordable(uint32_t features, size_t outputs, cleave_error *error);
/* More features than before start at 0. */
Status clv_linear_reserve(Linear *linear, uint32_t features, cleave_error *error);

/* Scores of one row for all outputs, bias included. */
void clv_linear_scores(const Linear *linear, const Block *block, uint32_t row, double *scores);
/* scores[output] = scale * (w·x) of a vector for so many features, laid out as w; columns beyond
 * them count 0. */
void clv_linear_known_scores(const Linear *linear, const float *w, double scale, const Block *block, uint32_t row,
                             double *scores);
/* The same in double, for any number of outputs and features. */
void clv_linear_known_wide_scores(const double *w, uint32_t features, size_t outputs, const Block *block, uint32_t row,
                                  double *scores);
/* w[output] += step x, and bias too when learn_bias. */
void clv_linear_add(Linear *linear, size_t output, double step, const Block *block, uint32_t row, bool learn_bias);
/* Weights in double: scores[output] += w·x. */
static inline void wide_scores(const Kernels *kernels, const double *w, size_t outputs, const Block *block,
                               uint32_t row, double *scores)
{
    if (outputs == 1) {
        scores[0] += kernels->dot_wide(w, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < outputs; i++)
            scores[i] += w[(size_t)walk.column * outputs + i] * (double)walk.value;
}
/* The same: w += steps x, for `count` outputs from the first on. */
static inline void wide_add(const Kernels *kernels, double *w, size_t outputs, size_t first, size_t count,
                            const double *steps, const Block *block, uint32_t row)
{
    if (outputs == 1) {
        kernels->add_wide(w, *steps, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < count; i++)
            w[(size_t)walk.column * outputs + first + i] += steps[i] * (double)walk.value;
}
/* Loops over many weights go by pieces of so many, and report progress between them. */
enum { WEIGHTS_AT_ONCE = 1 << 22 };
static inline size_t next_weights(Context *context, size_t from, size_t count)
{
    if (from > 0)
        clv_tick(context);
    return count - from < (size_t)WEIGHTS_AT_ONCE ? count : from + WEIGHTS_AT_ONCE;
}

/* False when a weight has left the range of a float. */
bool clv_linear_finite(const Linear *linear);
Status clv_linear_overflow(cleave_error *error);

/* The model's arrays: scale * w, bias_scale * bias. */
Status clv_linear_to_model(const Linear *linear, double scale, double bias_scale, Model *model, cleave_error *error);
/* The same of weights that need the range of a double. */
Status clv_linear_wide_to_model(const double *w, const double *bias, uint32_t features, size_t outputs, Model *model,
                                cleave_error *error);
/* For a warm start: w and bias such that scale times them is what the model holds. */
Status clv_linear_from_model(Linear *linear, const Model *model, double scale, cleave_error *error);
Status clv_linear_check_outputs(const Model *model, size_t outputs, cleave_error *error);
/* Whether the model has an array of rows * outputs finite numbers of this name; whether it has none
 * or such. */
bool clv_linear_has_item(const Model *model, const char *name, BundleType type, size_t rows);
bool clv_linear_allows_item(const Model *model, const char *name, BundleType type, size_t rows);
/* The same, and the weights themselves go into the model: linear has none afterwards. */
Status clv_linear_move_to_model(Linear *linear, double scale, double bias_scale, Model *model, cleave_error *error);
bool clv_linear_check_model(const Model *model, BundleType type);
Status clv_linear_predict(const Model *model, const Block *block, double *scores, cleave_error *error);
/* Σ max(0, −y·score), over the classes when there are more than two: a method's loss. */
double clv_separator_loss(const Model *model, const double *scores, uint32_t label, double target);
/* The class with the highest score, except the right one. */
static inline size_t highest_wrong(const double *scores, size_t outputs, uint32_t label)
{
    size_t wrong = label == 0;

    for (size_t i = 0; i < outputs; i++)
        if (i != label && scores[i] > scores[wrong])
            wrong = i;
    return wrong;
}

/* Weights and thresholds for a trace: weights[output * features + column]. */
void clv_linear_look(const Linear *linear, double scale, double *weights, double *thresholds);

/* ---- forgetting --------------------------------------------------------------------------------------------------- */

/* Weights that shrink by a factor before every row are kept as a vector that does not, and steps
 * that grow. When what they have grown by reaches this, a power of 2, so that dividing by it rounds
 * nothing, it is taken out of the vector. */
#define FORGET_FOLD 0x1p64

static inline bool forget_factor_fits(double grown)
{
    return grown >= 1 && grown < FORGET_FOLD;
}

/* ---- classes that appear ------------------------------------------------------------------------------------------ */

/* Vectors by output, for a fit that comes to know more classes: see widen in method.h. One output
 * for two classes, which says w for the positive one, says w for its class and -w for the other
 * when each has an output of its own; where the positive class is another now, the sign turns. A
 * class that is new starts from 0. */
typedef struct {
    uint32_t classes, positive;
    size_t outputs;
} Widening;

/* Which output of the fit the new one comes from, and with what sign; 0: from none. */
double clv_widen_sign(const Fit *fit, const Widening *to, size_t output, size_t *from);
/* rows * outputs numbers each, in place of those there were; sizes have no sign. */
Status clv_widen_floats(const Fit *fit, const Widening *to, float **vector, size_t rows);
Status clv_widen_doubles(const Fit *fit, const Widening *to, double **vector, size_t rows);
Status clv_widen_sizes(const Fit *fit, const Widening *to, double **vector, size_t rows);
Status clv_widen_linear(const Fit *fit, const Widening *to, Linear *linear);
/* When all are done: the fit itself. */
void clv_widened(Fit *fit, const Widening *to);

/* Margin of a separator over rows it separates, and the mistake bound (R / gamma)^2 of Novikoff,
 * gathered row by row. */
typedef struct {
    bool begun;
    double least_margin;    /* y * score, not yet divided by a length */
    double largest_length2; /* of a row, the threshold's component included when it is learned */
    double weight_length2, bias;
} Margin;

void clv_margin_add(Margin *margin, const Linear *linear, const Block *block, uint32_t positive,
                    bool learned_threshold);
void clv_margin_tell(const Margin *margin, double scale, bool learned_threshold, Fit *fit);

#endif
