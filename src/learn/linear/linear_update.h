/*
 * Updates of linear models: learning from new rows without forgetting the old ones.
 *
 *     minimize  ½ ‖w − w₀‖² + Σ over the new rows of Cᵢ loss(yᵢ, w·xᵢ + b)
 *
 * w₀ is the model. This is the training problem with the dual variables of the old rows fixed: w =
 * w₀ + Σ aᵢ xᵢ. It is solved by coordinate ascent over the aᵢ. Each step is the proximal step of
 * one row (for the hinge loss the step PA-I of Crammer et al. 2006).
 *
 *     1 / C  =  1 / C of the training problem  +  κ n E(x·x')² / E‖x‖²
 *
 * The last term is the curvature of the loss of the n old rows along the direction of a row. κ is
 * the curvature of the loss of one row, and E is the mean over training rows of the model
 * (train/training_rows.h). If old rows overlap little, as documents do, a new row counts fully. If
 * they determine every direction, it counts as one of n.
 *
 * A misclassified row has a second step of up to 20 C, until its margin is 0.1. If the model
 * classifies most rows correctly, the others may be label noise, whose steps add up if rows
 * overlap: the bound is 20 C √(C / C of the training problem), except for rows of new classes.
 *
 * References: Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, Online Passive-Aggressive
 * Algorithms; Parikh and Boyd 2014, Proximal Algorithms.
 */
#ifndef LEARN_LINEAR_LINEAR_UPDATE_H
#define LEARN_LINEAR_LINEAR_UPDATE_H

#include "learn/linear/linear.h"
#include "learn/linear/loss.h"

typedef struct {
    Loss loss;
    bool joint; /* the right class against the highest wrong one, not one-vs-rest */
    bool learn_intercept;
    double C;    /* C of the training problem; infinity: no penalty */
    double unit; /* divisor of the scores in the loss; 1 for methods with a margin of 1 */
} LinearUpdate;

/* Initializes w: the weights of `from` with fit's classes and features, updated with the rows. The
 * caller frees it, also after an error. */
Status clv_linear_update(Fit *fit, const Model *from, Dataset *dataset, const LinearUpdate *how,
                         Linear *w);

#endif
