/* The state of a run of cleave-mpi on one rank, for the files that train (mpi_train.h). */
#ifndef MPI_MPI_CLUSTER_H
#define MPI_MPI_CLUSTER_H

#include "data/traversal.h"
#include "mpi/agree.h"
#include "mpi/mpi_together.h"
#include "mpi/mpi_train.h"
#include "train/pipeline_fit.h"
#include "train/run.h"

/* Parts of sums that belong to this driver, not to the method. */
#define PART_COUNT "count"
#define PART_RANGE "range"
enum { COUNT_ROWS, COUNT_WEIGHT, COUNT_SORTED, COUNT_ENTRIES, COUNT_SUMMED, COUNT_HASHES };
#define PART_EVALUATED "scored"
enum { EVALUATED_ROWS, EVALUATED_ERRORS, EVALUATED_SQUARES };
#define PART_CANCEL "cancel"

typedef struct {
    Talk *talk;
    const ClusterWork *work;
    Context *context;
    cleave_error *error;
    ReadOptions read;
    RunOptions options;
    void *method_options;
    Model *from;
    ReadGuide guide;
    Pipeline *pipeline; /* the pipeline, if there is no warm-start model */
    Chunks chunks;
    Agreed agreed;
    Dataset shell; /* number and facts of all rows, with the blocks of this rank */
    Names no_names;
    Run run;
    Traversal *traversal; /* traversal of each chunk of this rank */
    Traversal *all;       /* every row once, in file order, for each chunk */
    int order;
    Model *begun;           /* the common initial model, if one rank has made it */
    void *begun_bytes;      /* the bytes to which it points */
    uint32_t rounds_before; /* number of rounds of the resumed run */
    uint64_t bytes_sent, messages;
    DeltaTree tree;     /* tree of the sum that is being computed */
    ProcessGroup group; /* processes that run a fit together */
} Cluster;

/* ---- mpi_sums.c */
void clv_cluster_begin_sum(Cluster *cluster);
Status clv_cluster_add_to_sum(Cluster *cluster, uint32_t own, Delta *delta);
/* Computes the sum over the chunks of all ranks. */
Status clv_cluster_unite_sum(Cluster *cluster, Status status, const Delta **sum);

/* ---- mpi_rows.c */
Status clv_cluster_read_options(Cluster *cluster);
/* Makes the pipeline, if there is no warm-start model. Each rank has only its own chunks, so that
 * no step can be fitted. */
Status clv_cluster_make_features(Cluster *cluster);
Status clv_cluster_read_chunks(Cluster *cluster);

/* ---- mpi_facts.c */
Status clv_cluster_describe(Cluster *cluster);
Status clv_cluster_count_chunks(Cluster *cluster);
Status clv_cluster_weigh(Cluster *cluster, const Delta *counts);

/* ---- mpi_begin.c */
/* *copy: the memory to which the model points. */
Status clv_cluster_read_model(Context *context, const void *bytes, size_t size, void **copy,
                              Model **model, cleave_error *error);
Status clv_cluster_begin(Cluster *cluster);

/* ---- mpi_rounds.c */
Status clv_cluster_learn_rows(Cluster *cluster, Fit *worker, Traversal *traversal, bool *cancelled);
Status clv_cluster_count_round(Cluster *cluster);
void clv_cluster_apply_rules(Cluster *cluster, bool clean);
Status clv_cluster_train_rounds(Cluster *cluster);

/* ---- mpi_fit.c */
/* Whether all ranks fit one model together, each over all its rows, instead of learning chunk by
 * chunk. */
bool clv_cluster_fits_together(const Cluster *cluster);
/* Every rank fits the whole model over its own rows and sums statistics with the others, so that
 * all ranks have the same model. */
Status clv_cluster_fit_together(Cluster *cluster);
/* Gathers the rows of all ranks in the order of the data; rank 0 fits the model. */
Status clv_cluster_gather(Cluster *cluster);

#endif
