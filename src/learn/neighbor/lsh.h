/*
 * Private header of locality-sensitive hashing: hash families, the parameters of each radius, and
 * the tables.
 *
 * A signature is a combination of hash functions. Two points share it if all functions agree. Each
 * radius has a number of signatures, and a table per signature or per pair of signatures. Pairs
 * need far fewer functions for the same number of tables (Andoni and Indyk 2006).
 */
#ifndef LEARN_NEIGHBOR_LSH_H
#define LEARN_NEIGHBOR_LSH_H

#include "learn/neighbor/index.h"

typedef enum { LSH_MINHASH, LSH_PLANES, LSH_GAUSS, LSH_CAUCHY, LSH_SAMPLING } LshFamily;

enum {
    LSH_MOST_LEVELS = 8,
    LSH_MOST_TABLES = 128, /* maximum per level */
    LSH_MOST_SIGNATURES = LSH_MOST_TABLES,
    LSH_MOST_HASHES = 32, /* maximum per signature */
    LSH_MOST_FUNCTIONS = LSH_MOST_SIGNATURES * LSH_MOST_HASHES,
    LSH_MOST_BINS = 64,
    LSH_QUANTILES = 4096,
};

typedef struct {
    double radius; /* a distance */
    /* GAUSS, CAUCHY: width of a cell; SAMPLING: fraction of the columns in a signature */
    double width;
    uint32_t signatures; /* number of signatures */
    uint32_t hashes;     /* hash functions per signature */
    bool pairs;          /* a table per pair of signatures; otherwise per signature */
} LshLevel;

typedef struct {
    LshFamily family;
    uint64_t seed;
    uint32_t bins; /* MINHASH: functions computed in one pass over a set */
    uint32_t level_count, functions, tables;
    LshLevel level[LSH_MOST_LEVELS];
    /* Data of projections. */
    const float *normal;    /* LSH_QUANTILES of the normal distribution */
    const float *direction; /* per column below `known`: a number per function */
    uint32_t known;
} Lsh;

/* One row: values of all columns below `features`, followed by a list of columns and values. */
typedef struct {
    const float *dense; /* NULL: the row has a list only */
    uint32_t features;
    const uint32_t *column;
    const float *value;
    size_t count;
} LshRow;

/* Scratch space of hashing. */
typedef struct {
    double sum[LSH_MOST_FUNCTIONS];
    float direction[LSH_MOST_FUNCTIONS];
    uint32_t least[LSH_MOST_FUNCTIONS];
    uint32_t signature[LSH_MOST_SIGNATURES];
} LshScratch;

/* false: no family of hash functions for this distance */
bool clv_lsh_family(const Metric *metric, LshFamily *family);
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

/* Writes the signatures of a row into scratch->signature. */
void clv_lsh_sign(const Lsh *lsh, uint32_t level, const LshRow *row, LshScratch *scratch);
/* The key of a table of two signatures. */
uint32_t clv_lsh_pair_key(uint32_t one, uint32_t other);
void clv_lsh_normals(float normal[LSH_QUANTILES]);
void clv_lsh_directions(const Lsh *lsh, uint32_t column, uint32_t first, uint32_t count,
                        float *direction);

/* The probability that two points at this distance share a signature; the probability that they
 * share a bucket of some table, given the first probability. */
double clv_lsh_agree(LshFamily family, const LshLevel *level, double distance);
double clv_lsh_meet_by(const LshLevel *level, double agree);
static inline double lsh_meet(LshFamily family, const LshLevel *level, double distance)
{
    return clv_lsh_meet_by(level, clv_lsh_agree(family, level, distance));
}

/* Chooses the levels, bins and other parameters for these points. */
Status clv_lsh_choose(const Index *index, Lsh *lsh, cleave_error *error);

/* The number of queries of an open index that needed a full scan. */
uint64_t clv_lsh_fallbacks(const Index *index);
/* An open index. */
const Lsh *clv_lsh_of(const Index *index);

#endif
