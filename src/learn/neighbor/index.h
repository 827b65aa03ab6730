/*
 * Interface of search indexes. An index is built over vectors that do not move, and consists of
 * named arrays (in a model: next to the vectors). Searches use the arrays in place: opening an
 * index in a mapped file sets pointers and copies nothing.
 *
 * All exact kinds return the same points as the scan. They skip a point only if its key
 * (distance.h) is certainly above nearest_bound, rounding included, and decide by clv_metric_key or
 * the same number.
 *
 * Points can be added and removed. If a kind does not support this, rows added after the build are
 * scanned, removed rows are skipped, and the index is rebuilt when there are many of either.
 */
#ifndef LEARN_NEIGHBOR_INDEX_H
#define LEARN_NEIGHBOR_INDEX_H

#include "base/bundle.h"
#include "learn/neighbor/distance.h"
#include "learn/neighbor/nearest.h"

typedef struct Index Index;

/* An index that shares most of its points with the new one. A kind may keep its structure. */
typedef struct {
    const Bundle *arrays;
    const uint32_t *position; /* per former row: the row, or UINT32_MAX if it was removed */
    uint32_t count;           /* former rows */
} IndexBefore;

/* Options of an index (table: index_options.h); 0: chosen by the index. */
typedef struct {
    int index;      /* index in clv_index_names: a kind, or auto */
    int64_t leaf;   /* maximum number of points in a leaf */
    int64_t fanout; /* R-tree: maximum number of branches of a node */
    int64_t parts;  /* VA-file: components of a code */
    int64_t bits;   /* VA-file: bits per component, 4 or 8 */
    double recall;  /* LSH, IVF: target recall; 0: 0.95 */
    int64_t radii;  /* LSH: maximum number of radii, each twice the previous one */
    uint64_t seed;
    const IndexBefore *before; /* extend this index; NULL: build a new one */
    bool plain;                /* disables vector instructions, for tests */
} IndexOptions;

/* Memory of searches, which grows and is reused. Each thread has its own. */
typedef struct {
    Context *context;
    char *memory;
    size_t capacity;
} SearchWorkspace;

typedef struct {
    const char *name;
    bool exact;
    bool dense;   /* requires dense points: rows that are not very wide are stored densely */
    bool extends; /* `build` uses options.before */
    bool narrow;  /* supports packed points */
    /* Fails if the index does not support these points or this distance. NULL: it supports all. */
    Status (*suits)(const Metric *metric, const Vectors *vectors, cleave_error *error);
    /* Puts the arrays of the index, with names starting with "index_", into a bundle. At least one
     * point exists. */
    Status (*build)(const Index *index, Bundle *into, cleave_error *error);
    /* Sets the zeroed parts from the arrays. Returns false if one is missing or has the wrong size.
     * NULL: the structure has no arrays. */
    size_t parts_size;
    bool (*read)(const Index *index, const Bundle *from, void *parts);
    /* Called after read for a file. Validates every number that is used as an index. Returns
     * CLEAVE_ERROR_FORMAT if one is invalid. NULL: no number is used as an index. */
    Status (*check)(const Index *index, const Bundle *from, cleave_error *error);
    /* Frees the memory of the parts. NULL: there is none. */
    void (*close)(Index *index);
    /* Sets the number of components of a code and their bits. NULL: the kind has no codes. */
    void (*codes)(const Index *index, uint32_t *parts, uint32_t *bits);
    /* Pushes the neighbors of each query among the rows below index->built. Searching many
     * queries together may cost much less. */
    Status (*search)(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error);
    /* Pushes, with the key 0, the rows in a rectangle, borders included. NULL: every row is
     * tested. */
    Status (*inside)(const Index *index, const float *low, const float *high, Nearest *found,
                     cleave_error *error);
    /* Optional; all three or none. `add` adds row index->built, `remove` removes a row. After a
     * change the index owns its arrays, and `save` puts them into a bundle. */
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
    uint32_t built; /* the index contains the rows below this number */
    void *parts;    /* private to the kind */
    /* Private to index.c. */
    Bundle *arrays; /* arrays of an index built here; NULL: the arrays are in a model */
    uint64_t *gone; /* a bit per removed row */
    size_t gone_capacity;
    uint32_t gone_count, gone_since_built;
};

extern const char *const clv_index_names[]; /* auto and the kinds; NULL at the end */
/* the kind of this number in clv_index_names; NULL: auto */
const IndexKind *clv_index_kind(int number);
/* Returns whether points can be packed for a kind and a distance. */
bool clv_index_packs(const IndexOptions *options, Distance distance);
/* the number of a kind; INDEX_AUTO for an unknown name */
int clv_index_number(const char *name);
enum { INDEX_AUTO, INDEX_SCAN };

/* Pushes a row with its distance from the query. */
static inline void index_push(const Index *index, const Query *query, Nearest *nearest,
                              uint32_t row)
{
    nearest->candidates++;
    nearest_push(nearest, clv_metric_key(&index->metric, &index->vectors, row, query), row);
}

/* Builds an index in memory. options->index is a kind. */
Status clv_index_build(Context *context, const IndexOptions *options, const Metric *metric,
                       const Vectors *vectors, Index **index, cleave_error *error);
/* Opens the index in a bundle, which must outlive it, without copying. For untrusted bundles
 * call clv_index_check first: it returns CLEAVE_ERROR_FORMAT without a message if the index is
 * invalid. */
Status clv_index_open(Context *context, const Bundle *from, const IndexOptions *options,
                      const Metric *metric, const Vectors *vectors, Index **index,
                      cleave_error *error);
Status clv_index_check(Context *context, const Bundle *from, const IndexOptions *options,
                       const Metric *metric, const Vectors *vectors, cleave_error *error);
/* Puts the arrays of the index into a model's bundle. move: does not copy them; the index cannot be
 * used afterwards. */
Status clv_index_save(Index *index, bool move, Bundle *into, cleave_error *error);
void clv_index_free(Index *index);

/* Finds the neighbors of each query, sorted. Thread-safe if each thread has its own workspace. */
Status clv_index_search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                        SearchWorkspace *workspace, cleave_error *error);

/* After the search of a query: if the last of the nearest points is unrelated to the query
 * (clv_metric_unrelated), all unrelated points replace those found and share their places. */
Status clv_index_share_places(const Index *index, const Query *query, Nearest *nearest,
                              cleave_error *error);

/* Finds all points in a rectangle, borders included, in the order of the rows. low and high have a
 * value per feature. found->most is the maximum number; found->limit is at least 0. */
Status clv_index_inside(const Index *index, const float *low, const float *high, Nearest *found,
                        cleave_error *error);

/* vectors: the current vectors, with one more row than before. */
Status clv_index_add(Index *index, const Vectors *vectors, cleave_error *error);
/* Removes an existing row. Its number is not reused. */
Status clv_index_remove(Index *index, uint32_t row, cleave_error *error);

/* Returns memory aligned to 64 bytes, or NULL. The former contents are lost. */
void *clv_search_workspace(SearchWorkspace *workspace, size_t bytes, cleave_error *error);
void clv_search_workspace_free(SearchWorkspace *workspace);

#endif
