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
    Status failed; /* error of this rank, sent with its next message, or of another rank, … */
    cleave_error reason; /* … and why */
    bool told;           /* all ranks have the error; no more messages follow */
} Company;

void clv_company_begin(Company *company, Talk *talk, Context *context);
/* Records a failure of this rank that cannot be returned; the first reason counts. */
void clv_company_fail(Company *company, Status status, const cleave_error *error);
/* Whether a rank has failed; status is that of this rank. Sends no message if all ranks have the
 * error already. */
Status clv_company_settle(Company *company, Status status, cleave_error *error);

#endif
