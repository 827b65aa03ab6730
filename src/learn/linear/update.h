/*
 * Learning from new rows without forgetting the old ones, for models that are weights and intercepts.
 *
 *     minimize  ½ ‖w − w₀‖² + Σ over the new rows of Cᵢ loss(yᵢ, w·xᵢ + b)
 *
 * w₀ is the model. This is the training problem with the dual variables of the old rows fixed: w = w₀ + Σ aᵢ xᵢ. It is solved by coordinate
 * ascent over the aᵢ, each step being the proximal step of one row (for the hinge loss the step PA-I of Crammer et al. 2006).
 *
 *     1 / C  =  1 / C of the training problem  +  κ n E(x·x')² / E‖x‖²
 *
 * The last term is the curvature of the loss of the n old rows along the direction of a row, κ being that of the loss of one row and E the means
 * over rows the model was trained on (run/training_rows.h). Where old rows overlap little, as documents do, a new row counts fully; where they
 * determine every direction, it counts as one of n.
 *
 * A row that the model gets wrong is stepped towards a second time, by up to 20 C, until it is right by a margin of 0.1: corrections are made, and
 * not more than that.
 *
 * References: Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, Online Passive-Aggressive Algorithms; Parikh and Boyd 2014, Proximal
 * Algorithms.
 */
#ifndef LEARN_LINEAR_UPDATE_H
#define LEARN_LINEAR_UPDATE_H

#include "learn/linear/linear.h"
#include "learn/linear/loss.h"

typedef struct {
    Loss loss;
    bool joint; /* the right class against the highest wrong one, instead of each class against the rest */
    bool learn_bias;
    double C;    /* of the training problem; infinity: no penalty */
    double unit; /* scores are divided by it before the loss is applied; 1 for methods that have a margin of 1 */
} LinearUpdate;

/* w, not initialized, becomes the weights of `from` with fit's classes and features, changed by the rows. The caller frees it, also after an error. */
Status clv_linear_update(Fit *fit, const Model *from, Dataset *dataset, const LinearUpdate *how, Linear *w);

#endif
