/* Shared declarations of solver_sgd.c and sgd_rate.c, which chooses the first learning rate. */
#ifndef LEARN_LINEAR_SGD_H
#define LEARN_LINEAR_SGD_H

#include "learn/linear/risk.h"

/* Numbers that a model stores for a warm start, in the order of its array "sgd". */
typedef struct {
    double t;  /* steps since the start of training */
    double t0; /* t0 of the inverse schedule; 0 for the averaged schedule */
    double first_rate;
    double ready;         /* 1: the first learning rate is known */
    double factor;        /* factor of the calibrated learning rate */
    double shrinkage_due; /* L1: total shrinkage due for each weight since the start */
    double last_objective;
    double stalled_epochs; /* consecutive epochs with little change of the objective */
    double calibrate_next; /* fit->calibrate_next */
    double solved_rows;    /* rows of a warm start from another solver's model; 0: none */
    /* sum of |x|^2 of the first rows after a warm start, and their number */
    double squares, squares_rows;
} SgdNumbers;

enum { SGD_NUMBERS = sizeof(SgdNumbers) / sizeof(double), ENOUGH_SQUARES = 128 };

typedef struct {
    SgdNumbers run;
    double stride;    /* steps of all workers per step of this one; 1 unless lock-free */
    float *shrinkage; /* L1: signed shrinkage applied to each weight */
    size_t shrinkage_size;
    double *intercept_squares; /* per output: sum of the squared gradients of the intercept */
    double *class_seen;        /* per label: sum of the sample weights */
} Sgd;

/* Learns from one row; sets *moved if its gradient is not 0. Returns its loss before the step. */
double clv_sgd_learn(Fit *fit, Risk *risk, double rate, const Block *block, uint32_t row,
                     uint32_t label, double target, bool *moved);
void clv_sgd_score(const Risk *risk, const Block *block, uint32_t row, double *scores);
double clv_sgd_rate(const Fit *fit, const Risk *risk); /* learning rate of the next step */

/* sgd_rate.c */
void clv_sgd_set_first_rate(Risk *risk, double rate);
/* The learning rate of the first step, from the first rows of the training set. */
Status clv_sgd_find_rate(Fit *fit, Risk *risk, const Block *rows);
/* Continues from the weights of another solver, as long as few rows have been seen since. */
void clv_sgd_continue_solved(const Fit *fit, Risk *risk, const Block *block);

#endif
