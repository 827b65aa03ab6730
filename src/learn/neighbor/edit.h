/*
 * Edit distance (Levenshtein 1965): the fewest insertions, deletions and replacements of characters that make one sequence of another. A row
 * is the sequence of its values that are not 0, in the order of its columns: of text, code points (read/sequence.h).
 */
#ifndef LEARN_NEIGHBOR_EDIT_H
#define LEARN_NEIGHBOR_EDIT_H

#include "learn/neighbor/index.h"

enum { MOST_CHARACTERS = 1 << 16 }; /* of a point; longer ones are refused before they come here */

double clv_edit_key(const Vectors *vectors, uint32_t row, const Query *query);
/* The scan of an index whose distance this is: a query is prepared once, and points that are too far are given up early. */
Status clv_edit_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                       SearchWorkspace *workspace, cleave_error *error);
/* Whether no point is too long. */
bool clv_edit_check(const Vectors *vectors, uint32_t *longest);

#endif
