/*
 * Edit distance (Levenshtein 1965): the minimum number of insertions, deletions and replacements
 * that turn one sequence into another. A row is the sequence of its nonzero values in column order;
 * for text, code points (read/sequence.h).
 */
#ifndef LEARN_NEIGHBOR_EDIT_H
#define LEARN_NEIGHBOR_EDIT_H

#include "learn/neighbor/index.h"

enum { MOST_CHARACTERS = 1 << 16 }; /* limit per point; longer points are rejected earlier */

double clv_edit_key(const Vectors *vectors, uint32_t row, const Query *query);
/* Scans an index with this distance. A query is prepared once, and the computation stops early for
 * distant points. */
Status clv_edit_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                       SearchWorkspace *workspace, cleave_error *error);
/* Whether every point is short enough. */
bool clv_edit_check(const Vectors *vectors, uint32_t *longest);

#endif
