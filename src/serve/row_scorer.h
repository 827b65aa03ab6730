/*
 * Scores rows of text, tables or LIBSVM lines that arrive in pieces, with the reader, the pipeline
 * and the method of a model. A scorer belongs to one thread and is reused for many requests. Only
 * the header of a table needs setup per request.
 */
#ifndef SERVE_ROW_SCORER_H
#define SERVE_ROW_SCORER_H

#include "model/model.h"

typedef struct RowScorer RowScorer;

typedef enum { ROWS_TEXT, ROWS_CSV, ROWS_LIBSVM } RowsFormat;

/* Creates a scorer, which holds a reference to the model. */
Status clv_row_scorer_new(const Model *model, RowsFormat format, RowScorer **scorer,
                          cleave_error *error);
void clv_row_scorer_free(RowScorer *scorer); /* accepts NULL */
const Model *clv_row_scorer_model(const RowScorer *scorer);
RowsFormat clv_row_scorer_format(const RowScorer *scorer);
/* Returns whether earlier requests have allocated so much memory in the scorer that it should be
 * replaced. */
bool clv_row_scorer_worn(const RowScorer *scorer);

/* Begins a request and clears the state of the previous one. */
void clv_row_scorer_begin(RowScorer *scorer);
/* Returns the number of bytes that can be scored, which are complete records. A table also needs
 * its header and first row. */
size_t clv_row_scorer_cut(const RowScorer *scorer, const char *text, size_t size);
/* Scores complete records. `last` marks the end of the input. `rows` and `scores` (one score per
 * row and output) are valid until the next call. */
Status clv_row_scorer_score(RowScorer *scorer, const char *text, size_t size, bool last,
                            size_t *rows, const double **scores, cleave_error *error);

#endif
