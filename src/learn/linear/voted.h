/*
 * The voted perceptron (Freund and Schapire 1999). Every weight vector of the run votes, with one
 * vote per example that it survived. Each vector is its predecessor plus one row, so only the rows
 * of the mistakes are stored. One pass over them gives the scores of all vectors.
 */
#ifndef LEARN_LINEAR_VOTED_H
#define LEARN_LINEAR_VOTED_H

#include "model/method.h"

enum { VOTE_ARRAYS = 6 };

typedef struct {
    Context *context;
    uint32_t *column; /* rows of the mistakes, one after another */
    float *value;
    uint64_t *end; /* per mistake: end of its row */
    float *step;   /* per mistake: factor of the row */
    uint32_t *output;
    /* per mistake: examples its vector survived, including the mistake itself */
    uint64_t *survived;
    size_t entries, mistakes;
    size_t capacity[VOTE_ARRAYS];
} Votes;

void clv_votes_init(Votes *votes, Context *context);
void clv_votes_free(Votes *votes);
Status clv_votes_mistake(Votes *votes, const Block *block, uint32_t row, size_t output, double step,
                         cleave_error *error);
void clv_votes_visited(Votes *votes); /* called after an example that the newest vector survived */

Status clv_votes_to_model(const Votes *votes, bool learned_threshold, Model *model,
                          cleave_error *error);
/* Warm start: the votes of the model, with steps multiplied by ratio. The model must have votes. */
Status clv_votes_from_model(Votes *votes, const Model *model, double ratio, cleave_error *error);
bool clv_votes_with_threshold(const Model *model);
bool clv_votes_in_model(const Model *model);
bool clv_votes_check_model(const Model *model);
/* Predicts. One output: fraction of votes for minus fraction of votes against. Several outputs:
 * fraction of votes per class. */
Status clv_votes_predict(const Model *model, const Block *block, double *scores,
                         cleave_error *error);

/* Computes the same scores without a model. running: scratch space of `outputs` numbers. The time
 * is proportional to the number of mistakes. */
void clv_votes_scores(const Votes *votes, bool learned_threshold, size_t outputs,
                      const Block *block, uint32_t row, double *running, double *scores);

#endif
