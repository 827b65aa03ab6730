/* Options of IndexOptions, for the tables of methods with such a member. */
#ifndef LEARN_NEIGHBOR_INDEX_OPTIONS_H
#define LEARN_NEIGHBOR_INDEX_OPTIONS_H

#include "learn/neighbor/index.h"

/* clang-format off */
#define INDEX_INTEGER(structure, member, field, range, text)                                                           \
    {.name = #field, .type = CLEAVE_INTEGER, range, .help = (text), .offset = offsetof(structure, member.field)}
#define INDEX_PARAMS(structure, member)                                                                                \
    {.name = "index", .type = CLEAVE_NAME, .initial = INDEX_AUTO, .values = clv_index_names,                           \
     .help = "how the nearest points are found; auto: what a sample of the rows finds fastest",                        \
     .offset = offsetof(structure, member.index)},                                                                     \
    INDEX_INTEGER(structure, member, leaf, WITHIN(0, 4096), "trees: points in a leaf, at the most; 0: the tree's own choice"), \
    INDEX_INTEGER(structure, member, fanout, WITHIN(0, 4096), "rtree: branches of a page, at the most, from 3 on; 0: what 4096 bytes hold"), \
    INDEX_INTEGER(structure, member, parts, WITHIN(0, 512), "vafile: components of a point's code; 0: what a sample of the points says is best"), \
    INDEX_INTEGER(structure, member, bits, WITHIN(0, 8), "vafile: bits of a component, 4 or 8; 0: what a sample of the points says is best"), \
    {.name = "recall", .type = CLEAVE_REAL, WITHIN(0, 0.9999),                                                         \
     .help = "lsh: the share of the true neighbours that is aimed at; 0: 0.95", .offset = offsetof(structure, member.recall)}, \
    INDEX_INTEGER(structure, member, radii, WITHIN(0, 8), "lsh: radii tried in turn, each twice the one before, at the most; 0: 4")
/* clang-format on */

#endif
