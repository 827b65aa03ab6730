/* How ranks fit one model together: what model/together.h asks for, by the messages of talk.h. */
#ifndef MPI_MPI_TOGETHER_H
#define MPI_MPI_TOGETHER_H

#include "model/together.h"
#include "mpi/talk.h"

typedef struct {
    Collective collective; /* for the fit */
    Talk *talk;
    Context *context;
    Status failed;       /* this rank, which the others hear by its next message, or another, … */
    cleave_error reason; /* … and why */
    bool told;           /* everybody knows, and nobody says anything more */
} Company;

void clv_company_begin(Company *company, Talk *talk, Context *context);
/* This rank has failed, where it cannot return so: the first reason counts. */
void clv_company_fail(Company *company, Status status, const cleave_error *error);
/* Whether anybody has failed, status being this rank's; nobody is asked where all know it already. */
Status clv_company_settle(Company *company, Status status, cleave_error *error);

#endif
