/* Nearest-neighbor queries of rows that arrive in blocks, for the server. */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "data/block.h"
#include "data/source.h"

/* Finds the neighbors of each row of a block of the model's features, like cleave_search. */
Status clv_search_block(cleave_searcher *searcher, const Block *block,
                        cleave_search_callback callback, void *user, cleave_error *error);

#endif
