/*
 * Scores rows of text, tables or LIBSVM lines that arrive in pieces, with the reader, the pipeline
 * and the method of a model. A scorer belongs to one thread and is reused for many requests. Only
 * the header of a table needs setup per request.
 */
#ifndef SERVE_ROW_SCORER_H
#define SERVE_ROW_SCORER_H

#include "model/model.h"
#include "read/reader.h"

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

/* The reader of a format, and its options: the defaults. */
const Format *clv_rows_reader(RowsFormat format);
Status clv_rows_read_options(Context *context, RowsFormat format, ReadOptions *options,
                             cleave_error *error);

/* Begins a request and clears the state of the previous one. */
void clv_row_scorer_begin(RowScorer *scorer);
/* Returns the number of bytes that can be scored, which are complete records. A table also needs
 * its header and first row. */
size_t clv_row_scorer_cut(const RowScorer *scorer, const char *text, size_t size);
/* Reads complete records as the rows that the model receives. `last` marks the end of the input.
 * *block is valid until the next call; NULL: no rows. */
Status clv_row_scorer_read(RowScorer *scorer, const char *text, size_t size, bool last,
                           const Block **block, cleave_error *error);
/* The labels of the rows. */
const Source *clv_row_scorer_source(const RowScorer *scorer);
/* Reads a complete input without the model. *unlabeled is the first row without a label, counted
 * from 1, or 0; *header is the size of the header of a table. */
Status clv_row_scorer_check(RowScorer *scorer, const char *text, size_t size, size_t *rows,
                            uint64_t *unlabeled, size_t *header, cleave_error *error);
/* Scores the rows of a block. `scores` (one score per row and output) are valid until the next
 * call. */
Status clv_row_scorer_scores(RowScorer *scorer, const Block *block, const double **scores,
                             cleave_error *error);

#endif
