/*
 * Locality-sensitive hashing, inside: the functions that near points agree on, what is chosen of them for each radius, and the tables.
 *
 * A signature is a few functions together: two points have the same one where all of them agree. Each radius has so many signatures, and a
 * table for each, or for each two of them, which needs far fewer functions for as many tables (Andoni and Indyk 2006).
 */
#ifndef LEARN_NEIGHBOR_LSH_H
#define LEARN_NEIGHBOR_LSH_H

#include "learn/neighbor/index.h"

typedef enum { LSH_MINHASH, LSH_PLANES, LSH_GAUSS, LSH_CAUCHY, LSH_SAMPLING } LshFamily;

enum {
    LSH_MOST_LEVELS = 8,
    LSH_MOST_TABLES = 128, /* of a level */
    LSH_MOST_SIGNATURES = LSH_MOST_TABLES,
    LSH_MOST_HASHES = 32, /* of a signature */
    LSH_MOST_FUNCTIONS = LSH_MOST_SIGNATURES * LSH_MOST_HASHES,
    LSH_MOST_BINS = 64,
    LSH_QUANTILES = 4096,
};

typedef struct {
    double radius;       /* a distance */
    double width;        /* GAUSS, CAUCHY: of a cell; SAMPLING: the share of all columns that a signature looks at */
    uint32_t signatures; /* so many … */
    uint32_t hashes;     /* … of so many functions each */
    bool pairs;          /* a table for each two signatures; otherwise for each one */
} LshLevel;

typedef struct {
    LshFamily family;
    uint64_t seed;
    uint32_t bins; /* MINHASH: functions that one look at a set gives */
    uint32_t level_count, functions, tables;
    LshLevel level[LSH_MOST_LEVELS];
    /* Projections. */
    const float *normal;    /* LSH_QUANTILES of the normal distribution */
    const float *direction; /* of each column below `known`: a number for each of the functions, side by side */
    uint32_t known;
} Lsh;

/* One row: values of all columns below `features`, and then a list of columns and values. */
typedef struct {
    const float *dense; /* NULL: the list is all there is */
    uint32_t features;
    const uint32_t *column;
    const float *value;
    size_t count;
} LshRow;

/* What hashing writes on. */
typedef struct {
    double sum[LSH_MOST_FUNCTIONS];
    float direction[LSH_MOST_FUNCTIONS];
    uint32_t least[LSH_MOST_FUNCTIONS];
    uint32_t signature[LSH_MOST_SIGNATURES];
} LshScratch;

bool clv_lsh_family(const Metric *metric, LshFamily *family); /* false: there is none for this distance */
static inline bool lsh_projects(LshFamily family)
{
    return family == LSH_PLANES || family == LSH_GAUSS || family == LSH_CAUCHY;
}

static inline uint32_t lsh_functions(const LshLevel *level)
{
    return level->signatures * level->hashes;
}

static inline uint32_t lsh_tables(const LshLevel *level)
{
    return level->pairs ? level->signatures * (level->signatures - 1) / 2 : level->signatures;
}

LshRow clv_lsh_point(const Vectors *vectors, uint32_t row);
LshRow clv_lsh_query(const Vectors *vectors, const Query *query);

/* The signatures of a row, into scratch->signature. */
void clv_lsh_sign(const Lsh *lsh, uint32_t level, const LshRow *row, LshScratch *scratch);
/* The key of a table of two signatures. */
uint32_t clv_lsh_pair_key(uint32_t one, uint32_t other);
void clv_lsh_normals(float normal[LSH_QUANTILES]);
void clv_lsh_directions(const Lsh *lsh, uint32_t column, uint32_t first, uint32_t count, float *direction);

/* How probable it is that two points at this distance agree on a signature; that some table brings together two that agree so often. */
double clv_lsh_agree(LshFamily family, const LshLevel *level, double distance);
double clv_lsh_meet_by(const LshLevel *level, double agree);
static inline double lsh_meet(LshFamily family, const LshLevel *level, double distance)
{
    return clv_lsh_meet_by(level, clv_lsh_agree(family, level, distance));
}

/* The levels, bins and so on for these points. */
Status clv_lsh_choose(const Index *index, Lsh *lsh, cleave_error *error);

/* How many queries of an open index had to be answered by looking at every point. */
uint64_t clv_lsh_fallbacks(const Index *index);
/* What an open index consists of. */
const Lsh *clv_lsh_of(const Index *index);

#endif
