/* Options of IndexOptions, for the tables of methods with such a member. */
#ifndef LEARN_NEIGHBOR_INDEX_OPTIONS_H
#define LEARN_NEIGHBOR_INDEX_OPTIONS_H

#include "learn/neighbor/index.h"

/* clang-format off */
#define INDEX_INTEGER(structure, member, field, range, text, words)                                \
    {.name = #field, .type = CLEAVE_INTEGER, range, .help = (text), .default_text = (words),       \
     .offset = offsetof(structure, member.field)}
#define INDEX_PARAMS(structure, member)                                                            \
    {.name = "index", .type = CLEAVE_NAME, .initial = INDEX_AUTO, .values = clv_index_names,       \
     .help = "Search structure; auto chooses the fastest of several on a sample.",                                  \
     .offset = offsetof(structure, member.index)},                                                 \
    INDEX_INTEGER(structure, member, leaf, WITHIN(0, 4096), "Trees: maximum number of points in a leaf.", "auto"), \
    INDEX_INTEGER(structure, member, fanout, WITHIN(0, 4096), "rtree: maximum number of children of a node.", "as many as fit in a page of 4,096 bytes"), \
    INDEX_INTEGER(structure, member, parts, WITHIN(0, 512), "vafile: number of components in each point's code.", "chosen on a sample"), \
    INDEX_INTEGER(structure, member, bits, WITHIN(0, 8), "vafile: bits per component, 4 or 8.", "chosen on a sample"), \
    {.name = "recall", .type = CLEAVE_REAL, WITHIN(0, 0.9999),                                     \
     .help = "ivf, lsh: target recall.", .default_text = "0.95", .offset = offsetof(structure, member.recall)},       \
    INDEX_INTEGER(structure, member, radii, WITHIN(0, 8), "lsh: maximum number of radii, each twice the previous.", "4")
/* clang-format on */

#endif
