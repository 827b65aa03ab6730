/*
 * What a search structure is, and how one is used. It is built over vectors that stay where they are, consists of named arrays (in a model:
 * beside the vectors), and answers from those, wherever they lie: opening one from a mapped file sets pointers and copies nothing.
 *
 * All kinds that are exact find the same points as the scan: they may skip one only where its key (metric.h) is certain to be above
 * nearest_bound, rounding included, and where they decide they ask clv_metric_key, or compute the same number.
 *
 * Points may be added and removed. A kind that cannot do so itself is not asked: rows past those it was built over are looked at one by
 * one, removed ones are passed over, and the structure is built anew when there are many of either.
 */
#ifndef LEARN_NEIGHBOR_INDEX_H
#define LEARN_NEIGHBOR_INDEX_H

#include "base/bundle.h"
#include "learn/neighbor/distance.h"
#include "learn/neighbor/nearest.h"

typedef struct Index Index;

/* What a user may say of a structure (index_options.h has the table); 0: the structure's own choice. */
typedef struct {
    int index;      /* number in clv_index_names: of a kind, or auto */
    int64_t leaf;   /* points in a leaf, at the most */
    int64_t fanout; /* R-tree: branches of a node, at the most */
    int64_t parts;  /* VA-file: components of a code */
    int64_t bits;   /* VA-file: of a component, 4 or 8 */
    double recall;  /* LSH: the share of the true neighbours that is aimed at */
    int64_t radii;  /* LSH: how many are tried, one after the other, each twice the one before */
    uint64_t seed;
    bool plain; /* no vector instructions: for tests, which hold both ways against each other */
} IndexOptions;

/* Memory for the time of a search: grows, and is kept from one to the next. One for each thread. */
typedef struct {
    Context *context;
    char *memory;
    size_t capacity;
} SearchWorkspace;

typedef struct {
    const char *name;
    bool exact;
    bool dense; /* is for dense points: rows that are not very wide are kept so for it */
    /* An error that says why this structure is not for these points or this distance. NULL: it is for all. */
    Status (*suits)(const Metric *metric, const Vectors *vectors, cleave_error *error);
    /* Puts its arrays, whose names begin with "index_", into a bundle. There is at least one point. */
    Status (*build)(const Index *index, Bundle *into, cleave_error *error);
    /* Sets the zeroed parts from the arrays; false if one is missing or has the wrong size. NULL: the structure has no arrays. */
    size_t parts_size;
    bool (*read)(const Index *index, const Bundle *from, void *parts);
    /* After read, for a file: validates every number that is used as an index. Returns CLEAVE_ERROR_FORMAT if one is invalid. NULL: none is used so. */
    Status (*check)(const Index *index, const Bundle *from, cleave_error *error);
    /* Frees what the parts point to. NULL: nothing. */
    void (*close)(Index *index);
    /* How many components a point's code has, and the bits of one. NULL: points have none. */
    void (*codes)(const Index *index, uint32_t *parts, uint32_t *bits);
    /* Pushes what each query looks for of the rows below index->built. Many queries at once may cost much less than one by one. */
    Status (*search)(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error);
    /* Pushes, with the key 0, those of the same rows that lie in a rectangle, its borders included. NULL: every row is looked at. */
    Status (*inside)(const Index *index, const float *low, const float *high, Nearest *found, cleave_error *error);
    /* Where it can do so itself: takes in row index->built, which follows those it knows; lets go of a row. The arrays are its own
     * to keep then, and `save` puts them into a bundle. All three NULL otherwise. */
    Status (*add)(Index *index, cleave_error *error);
    Status (*remove)(Index *index, uint32_t row, cleave_error *error);
    Status (*save)(const Index *index, Bundle *into, cleave_error *error);
} IndexKind;

struct Index {
    Context *context;
    const IndexKind *kind;
    IndexOptions options;
    Metric metric;
    Vectors vectors;
    uint32_t built; /* rows the structure knows: those below */
    void *parts;    /* the kind's own */
    /* The rest is index.c's. */
    Bundle *arrays; /* of a structure that was built here; NULL: they are in a model */
    uint64_t *gone; /* a bit of each row that was removed */
    size_t gone_capacity;
    uint32_t gone_count, gone_since_built;
};

extern const char *const clv_index_names[];  /* auto and the kinds; NULL at the end */
const IndexKind *clv_index_kind(int number); /* of clv_index_names; NULL: auto */
int clv_index_number(const char *name);      /* INDEX_AUTO where there is no such kind */
enum { INDEX_AUTO, INDEX_SCAN };

/* Pushes a row with its distance from the query. */
static inline void index_push(const Index *index, const Query *query, Nearest *nearest, uint32_t row)
{
    nearest_push(nearest, clv_metric_key(&index->metric, &index->vectors, row, query), row);
}

/* Builds one in memory. options->index is a kind. */
Status clv_index_build(Context *context, const IndexOptions *options, const Metric *metric, const Vectors *vectors,
                       Index **index, cleave_error *error);
/* Opens the index in a bundle, which must outlive it; nothing is copied. clv_index_check
 * validates it first, for bundles from outside, and returns CLEAVE_ERROR_FORMAT without a
 * message if it is invalid. */
Status clv_index_open(Context *context, const Bundle *from, const IndexOptions *options, const Metric *metric,
                      const Vectors *vectors, Index **index, cleave_error *error);
Status clv_index_check(Context *context, const Bundle *from, const IndexOptions *options, const Metric *metric,
                       const Vectors *vectors, cleave_error *error);
/* Its arrays into a model's bundle. move: they are not copied, and the index is of no use any more. */
Status clv_index_save(Index *index, bool move, Bundle *into, cleave_error *error);
void clv_index_free(Index *index);

/* What each of the queries looks for, sorted. From several threads at once if each has its own room. */
Status clv_index_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                        SearchWorkspace *workspace, cleave_error *error);

/* After the search of a query: if the last of the nearest points is unrelated to the query
 * (clv_metric_unrelated), all unrelated points replace those found and share their places. */
Status clv_index_share_places(const Index *index, const Query *query, Nearest *nearest, cleave_error *error);

/* All points in a rectangle, its borders included, by their rows: low and high have a value for each feature. found->most says how many at
 * the most, found->limit is not below 0. */
Status clv_index_inside(const Index *index, const float *low, const float *high, Nearest *found, cleave_error *error);

/* vectors: as they are now, with one row more than before. */
Status clv_index_add(Index *index, const Vectors *vectors, cleave_error *error);
/* A row that is there and was not removed before: its number stays taken. */
Status clv_index_remove(Index *index, uint32_t row, cleave_error *error);

/* Memory of so many bytes on a boundary of 64; NULL where there is none. What was there before is lost. */
void *clv_search_workspace(SearchWorkspace *workspace, size_t bytes, cleave_error *error);
void clv_search_workspace_free(SearchWorkspace *workspace);

#endif
