/* What solver_sgd.c and sgd_rate.c, which finds its first learning rate, share. */
#ifndef LEARN_LINEAR_SGD_H
#define LEARN_LINEAR_SGD_H

#include "learn/linear/risk.h"

/* The numbers that a model keeps for a warm start, in the order of its array "sgd". */
typedef struct {
    double t;  /* steps so far, over all epochs */
    double t0; /* of the inverse schedule; averaged: 0 */
    double first_rate;
    double ready;  /* 1: the first learning rate is known */
    double factor; /* of the calibrated learning rate */
    double owed;   /* L1: total pull of each weight towards 0 */
    double last_objective;
    double still;                 /* consecutive epochs with little change of the objective */
    double calibrate_next;        /* fit->calibrate_next */
    double solved_rows;           /* of a warm start from another solver's model; 0: none */
    double squares, squares_rows; /* then: sum of |x|^2 of the first rows since, and their number */
} SgdNumbers;

enum { SGD_NUMBERS = sizeof(SgdNumbers) / sizeof(double), ENOUGH_SQUARES = 128 };

typedef struct {
    SgdNumbers run;
    double stride; /* steps of all workers during one of this one: 1, except in a race */
    float *paid;   /* L1: the signed pull that each weight has had */
    size_t paid_size;
    double *bias_squares; /* by output: sum of the squared gradients of the intercept */
    double *class_seen;   /* by label: the weight of the rows learned from */
} Sgd;

/* Learns from one row; *moved: its gradient is not 0. Returns its loss before. */
double clv_sgd_learn(Fit *fit, Risk *risk, double rate, const Block *block, uint32_t row, uint32_t label, double target,
                     bool *moved);
void clv_sgd_score(const Risk *risk, const Block *block, uint32_t row, double *scores);
double clv_sgd_rate(const Fit *fit, const Risk *risk); /* of the next step */

/* sgd_rate.c */
void clv_sgd_set_first_rate(Risk *risk, double rate);
/* The learning rate of the first step, from the rows that training begins with. */
Status clv_sgd_find_rate(Fit *fit, Risk *risk, const Block *rows);
/* Continues from the weights of another solver, as long as few rows have been seen since. */
void clv_sgd_continue_solved(const Fit *fit, Risk *risk, const Block *block);

#endif
