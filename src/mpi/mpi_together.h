/* Lets all ranks fit one model together: implements model/together.h with the messages of
 * talk.h. */
#ifndef MPI_MPI_TOGETHER_H
#define MPI_MPI_TOGETHER_H

#include "model/together.h"
#include "mpi/talk.h"

typedef struct {
    Collective collective; /* collective operations for the fit */
    Talk *talk;
    Context *context;
    Status failed; /* error of this rank, which is sent with its next message, or of another rank */
    cleave_error reason; /* message of that error */
    bool is_shared;      /* all ranks have the error, and no further messages are sent */
} ProcessGroup;

void clv_group_begin(ProcessGroup *group, Talk *talk, Context *context);
/* Records a failure of this rank that cannot be returned. The first one is kept. */
void clv_group_fail(ProcessGroup *group, Status status, const cleave_error *error);
/* Whether a rank has failed. status: that of this rank. Sends no message if all ranks already have
 * the error. */
Status clv_group_settle(ProcessGroup *group, Status status, cleave_error *error);

#endif
