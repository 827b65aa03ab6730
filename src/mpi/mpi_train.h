/*
 * Training by the ranks of a cluster. Every rank reads its chunks; they agree on labels, features and weights; each begins from the same
 * state. In a round each chunk is learned from apart, by a worker that begins as the common state is, and what all chunks came to is
 * summed along one tree over their numbers (model/delta.h): for `svm --solver sgd` that is local iterations, then the average; for
 * `--solver gd` the exact gradient; for `perceptron --update sum` the sum of all updates of a round. Everybody takes the sum, so that all
 * states stay the same, bit for bit, and the model is the same for any number of ranks.
 *
 * Methods whose fit minds Fit.together, which are trees, are fitted by every rank over all its rows instead (mpi/mpi_together.h), and come to the model of one process.
 *
 *     J. Dean, S. Ghemawat: MapReduce. OSDI 2004.
 *     M. Zinkevich, M. Weimer, A. Smola, L. Li: Parallelized stochastic gradient descent. NIPS 2010.
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
    int64_t chunks;         /* 0: by the size of the data */
    const char *checkpoint; /* file that rank 0 writes after each round; NULL: none */
    bool resume;            /* resumes from the checkpoint, if it exists */
    const Uniting *remarks; /* collects the messages of all ranks after reading */
    void *user;             /* argument of remarks */
} Work;

/* Called on every rank; each has the model afterwards, which may point into the warm-start model
 * *from, to be freed after it, or NULL. Figures of the report: ranks, chunks, message_bytes (mean
 * size of a message), messages (of a round, over all ranks), round_bytes (likewise), dense_bytes
 * (the weights as floats). */
Status clv_cluster_train(Talk *talk, const Work *work, Model **model, Model **from, Report **report,
                         cleave_error *error);

#endif
