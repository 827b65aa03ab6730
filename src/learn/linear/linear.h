/*
 * Shared code of linear methods: weights for one or more outputs, scores, updates, and model
 * arrays.
 *
 * Weights are stored by feature, w[column * outputs + output]. New features are appended, and one
 * pass over a row computes the scores of all classes. A score is w·x + intercept. The threshold
 * shown to users is -intercept.
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
    double *intercept;
    uint32_t features;
    size_t capacity; /* capacity of w, in floats */
    size_t outputs;
    bool shared; /* w belongs to another object */
} Linear;

Status clv_linear_init(Linear *linear, Context *context, uint32_t features, size_t outputs,
                       cleave_error *error);
void clv_linear_free(Linear *linear);
/* Makes linear use the weights of another object, which must outlive it. Other threads may use
 * them at the same time. Intercepts stay separate. Only kernels->dot, add, dot_many and add_many
 * may access shared weights. */
void clv_linear_share(Linear *linear, const Linear *other);
/* Fails if the machine has too little memory for the weights at 4 bytes each. */
Status clv_linear_affordable(uint32_t features, size_t outputs, cleave_error *error);
/* New features start at 0. */
Status clv_linear_reserve(Linear *linear, uint32_t features, cleave_error *error);

/* Computes the scores of one row for all outputs, with the intercept. */
static inline void linear_scores(const Linear *linear, const Block *block, uint32_t row,
                                 double *scores)
{
    if (linear->outputs == 1) {
        scores[0] = linear->kernels->dot(linear->w, block, row) + linear->intercept[0];
        return;
    }
    memcpy(scores, linear->intercept, linear->outputs * sizeof *scores);
    linear->kernels->dot_many(linear->w, linear->outputs, block, row, scores);
}

/* scores[output] = scale * (w·x) for a vector of this many features in the layout of w. Columns
 * beyond them are ignored. */
void clv_linear_known_scores(const Linear *linear, const float *w, double scale, const Block *block,
                             uint32_t row, double *scores);
/* Computes scores in double, for any number of outputs and features. */
void clv_linear_known_wide_scores(const double *w, uint32_t features, size_t outputs,
                                  const Block *block, uint32_t row, double *scores);
/* w[output] += step x; the intercept too if learn_intercept. */
void clv_linear_add(Linear *linear, size_t output, double step, const Block *block, uint32_t row,
                    bool learn_intercept);
/* Weights in double: scores[output] += w·x. */
static inline void wide_scores(const Kernels *kernels, const double *w, size_t outputs,
                               const Block *block, uint32_t row, double *scores)
{
    if (outputs == 1) {
        scores[0] += kernels->dot_wide(w, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < outputs; i++)
            scores[i] += w[(size_t)walk.column * outputs + i] * (double)walk.value;
}
/* Weights in double: w += steps x, for the first `count` outputs. */
static inline void wide_add(const Kernels *kernels, double *w, size_t outputs, size_t first,
                            size_t count, const double *steps, const Block *block, uint32_t row)
{
    if (outputs == 1) {
        kernels->add_wide(w, *steps, block, row);
        return;
    }
    for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
        for (size_t i = 0; i < count; i++)
            w[(size_t)walk.column * outputs + first + i] += steps[i] * (double)walk.value;
}
/* Loops over many weights report progress after each piece of this size. */
enum { WEIGHTS_AT_ONCE = 1 << 22 };
static inline size_t next_weights(Context *context, size_t from, size_t count)
{
    if (from > 0)
        clv_tick(context);
    return count - from < (size_t)WEIGHTS_AT_ONCE ? count : from + WEIGHTS_AT_ONCE;
}

/* Returns false if a weight overflows a float. */
bool clv_linear_finite(const Linear *linear);
Status clv_linear_overflow(cleave_error *error);

/* Stores the arrays of the model: scale * w, intercept_scale * intercept. */
Status clv_linear_to_model(const Linear *linear, double scale, double intercept_scale, Model *model,
                           cleave_error *error);
/* Stores weights that need the range of a double. */
Status clv_linear_wide_to_model(const double *w, const double *intercept, uint32_t features,
                                size_t outputs, Model *model, cleave_error *error);
/* Warm start: sets w and intercept such that scale times them equals the model. */
Status clv_linear_from_model(Linear *linear, const Model *model, double scale, cleave_error *error);
Status clv_linear_check_outputs(const Model *model, size_t outputs, cleave_error *error);
/* Returns whether the model has an array of this name with rows * outputs finite numbers. */
bool clv_linear_has_item(const Model *model, const char *name, BundleType type, size_t rows);
bool clv_linear_allows_item(const Model *model, const char *name, BundleType type, size_t rows);
/* Moves the weights into the model, which leaves `linear` empty. */
Status clv_linear_move_to_model(Linear *linear, double scale, double intercept_scale, Model *model,
                                cleave_error *error);
bool clv_linear_check_model(const Model *model, BundleType type);

/* w·x of single outputs for predictions. The result does not depend on how a row is stored, unlike
 * that of kernels->dot: nonzero entry i goes to lane i % 8. Rows with other entries, or with one
 * value for all entries, are copied first. */
typedef struct {
    Context *context;
    const Kernels *kernels;
    Block row; /* the copy of a row */
    uint32_t end;
    uint32_t *column;
    float *value;
} LinearDot;

Status clv_linear_dot_init(LinearDot *dot, Context *context, const Block *block,
                           cleave_error *error);
void clv_linear_dot_free(LinearDot *dot);
double clv_linear_dot(LinearDot *dot, const BundleItem *weights, const Block *block, uint32_t row);
Status clv_linear_predict(const Model *model, const Block *block, double *scores,
                          cleave_error *error);
/* Σ max(0, −y·score), summed over classes in multiclass classification. */
double clv_separator_loss(const Model *model, const double *scores, uint32_t label, double target);
/* The class with the highest score other than the right class. */
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

/* ---- forgetting ------------------------------------------------------------------------------ */

/* Weights that shrink before every row are stored as a vector that does not shrink, with growing
 * steps. When the growth reaches this power of 2, it is divided out of the vector without
 * rounding. */
#define FORGET_FOLD 0x1p64

static inline bool forget_factor_fits(double grown)
{
    return grown >= 1 && grown < FORGET_FOLD;
}

/* ---- new classes ----------------------------------------------------------------------------- */

/* Vectors per output, for a fit that adds classes; see widen in method.h. A single output for
 * two classes has weights w for the positive class. When each class has an output, they become w
 * for that class and -w for the other. The sign changes if the positive class changes. A new
 * class starts at 0. */
typedef struct {
    uint32_t classes, positive;
    size_t outputs;
} Widening;

/* Returns the output of the fit that a new output is copied from, and the sign of the copy. Sign 0:
 * the new output starts at 0. */
double clv_widen_sign(const Fit *fit, const Widening *to, size_t output, size_t *from);
/* Replaces arrays of rows * outputs numbers each; sizes have no sign. */
Status clv_widen_floats(const Fit *fit, const Widening *to, float **vector, size_t rows);
Status clv_widen_doubles(const Fit *fit, const Widening *to, double **vector, size_t rows);
Status clv_widen_sizes(const Fit *fit, const Widening *to, double **vector, size_t rows);
Status clv_widen_linear(const Fit *fit, const Widening *to, Linear *linear);
/* Call this last; it widens the fit itself. */
void clv_widened(Fit *fit, const Widening *to);

/* Margin of a separating hyperplane and Novikoff's mistake bound (R / gamma)^2, accumulated row
 * by row. */
typedef struct {
    bool begun;
    double least_margin;    /* y * score, not yet divided by the norm of w */
    double largest_length2; /* largest length2 of a row, including the constant feature of a learned
                             * threshold */
    double weight_length2, intercept;
} Margin;

void clv_margin_add(Margin *margin, const Linear *linear, const Block *block, uint32_t positive,
                    bool learned_threshold);
void clv_margin_report(const Margin *margin, double scale, bool learned_threshold, Fit *fit);

#endif
