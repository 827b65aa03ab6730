/*
 * The voted perceptron (Freund and Schapire 1999): every weight vector of the run votes, with as
 * many votes as examples it survived. The vectors are not kept: each is the one before plus one
 * row. The rows of the mistakes are kept, and one pass over them gives the scores of all vectors.
 */
#ifndef LEARN_LINEAR_VOTED_H
#define LEARN_LINEAR_VOTED_H

#include "model/method.h"

enum { VOTE_ARRAYS = 6 };

typedef struct {
    Context *context;
    uint32_t *column; /* the rows of the mistakes, one after another */
    float *value;
    uint64_t *end; /* per mistake: where its row ends */
    float *step;   /* per mistake: what the row was multiplied by */
    uint32_t *output;
    uint64_t *survived; /* examples the vector after this mistake got right, the mistake's own visit counted */
    size_t entries, mistakes;
    size_t capacity[VOTE_ARRAYS];
} Votes;

void clv_votes_init(Votes *votes, Context *context);
void clv_votes_free(Votes *votes);
Status clv_votes_mistake(Votes *votes, const Block *block, uint32_t row, size_t output, double step,
                         cleave_error *error);
void clv_votes_visited(Votes *votes); /* an example is over: the newest vector survived it */

Status clv_votes_to_model(const Votes *votes, bool learned_threshold, Model *model, cleave_error *error);
/* For a warm start: the votes of the model, their steps times ratio. The model has votes. */
Status clv_votes_from_model(Votes *votes, const Model *model, double ratio, cleave_error *error);
bool clv_votes_with_threshold(const Model *model);
bool clv_votes_in_model(const Model *model);
bool clv_votes_check_model(const Model *model);
/* One output: votes for positive minus votes against, as a share of all. More: the share of votes
 * of each class. */
Status clv_votes_predict(const Model *model, const Block *block, double *scores, cleave_error *error);

/* The same before there is a model; running: outputs numbers of scratch space. The cost grows with
 * the mistakes. */
void clv_votes_scores(const Votes *votes, bool learned_threshold, size_t outputs, const Block *block, uint32_t row,
                      double *running, double *scores);

#endif
