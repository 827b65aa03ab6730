/*
 * Training on the ranks of a cluster. Every rank reads its chunks. The ranks agree on labels,
 * features and weights and begin from the same state. In a round, a worker learns from each chunk,
 * starting from the common state. The updates of all chunks are summed along one tree over their
 * numbers (model/delta.h): `svm --solver sgd` averages local iterations, `--solver gd` sums the
 * exact gradient, `perceptron --update sum` sums all updates of a round. All ranks apply the sum,
 * so that their states are bit-identical, and the model is the same for any number of ranks.
 *
 * Methods whose fit supports FitProblem.collective (trees) are instead fitted by every rank over
 * its rows (mpi/mpi_together.h), with the same model as that of one process.
 *
 *     J. Dean, S. Ghemawat: MapReduce. OSDI 2004.
 *     M. Zinkevich, M. Weimer, A. Smola, L. Li: Parallelized stochastic gradient descent. NIPS
 *     2010.
 */
#ifndef MPI_MPI_TRAIN_H
#define MPI_MPI_TRAIN_H

#include "model/model.h"
#include "mpi/talk.h"
#include "train/batch_driver.h"

typedef struct {
    Context *context;
    const char *method;
    const char *const *paths;
    size_t path_count;
    const cleave_options *read_options, *train_options;
    const char *from;       /* warm-start model, or NULL */
    int64_t chunks;         /* number of chunks; 0: chosen by the size of the data */
    const char *checkpoint; /* file that rank 0 writes after each round; NULL: none */
    bool resume;            /* resumes from the checkpoint, if it exists */
    const Uniting *remarks; /* collects the messages of all ranks after reading */
    void *user;             /* argument of remarks */
} ClusterWork;

/* Trains; called on every rank. Afterwards each rank has the model. It may point into *from, the
 * warm-start model, or NULL, which must be freed after it. Figures of the report: ranks, chunks,
 * message_bytes (mean size of a message), messages (of a round, over all ranks), round_bytes
 * (likewise), dense_bytes (the weights as floats). */
Status clv_cluster_train(Talk *talk, const ClusterWork *work, Model **model, Model **from,
                         Report **report, cleave_error *error);

#endif
