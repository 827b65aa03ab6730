/*
 * The journal of a long search: a line of text for each finished trial, on disk before the next
 * trial begins. After an interruption the same command finds the records and runs the remaining
 * trials. The file begins with facts that identify the run (identity.h); a journal of another run
 * is refused. Every line has a checksum. A last line that was cut off is dropped; damage anywhere
 * else is an error. This is a write-ahead log (Gray and Reuter 1992, chapter 9) without undo.
 *
 *     cleave-journal 2
 *     SUM<tab>fact<tab>NAME<tab>VALUE<tab>          for each fact
 *     SUM<tab>begin<tab><tab><tab>
 *     SUM<tab>done<tab>KEY<tab>TEXT<tab>NUMBER NUMBER ...
 */
#ifndef SELECT_JOURNAL_H
#define SELECT_JOURNAL_H

#include "base/memory.h"

typedef struct Journal Journal;

typedef struct {
    const char *key, *text; /* the text may be empty */
    /* bit-identical to the numbers that were added, except for the bits of a NaN */
    const double *numbers;
    size_t count;
} JournalRecord;

/* Opens or creates the journal of the run with this identity (alternating names and values, each
 * with its NUL). Fails for a journal of another run, a journal in use by another process, and a
 * file that is not a journal. path NULL: there is no journal, and added records are not kept. */
Status clv_journal_open(Context *context, const char *path, const Buffer *identity,
                        Journal **journal, cleave_error *error);

/* Records of earlier runs. If several have the same key, the last one counts; NULL: there is none.
 * They are valid until the journal is closed. */
size_t clv_journal_count(const Journal *journal);
const JournalRecord *clv_journal_find(const Journal *journal, const char *key);

/* Adds a record, from any thread. It is on disk when the function returns. After a failure, all
 * further calls fail. text may be NULL. */
Status clv_journal_add(Journal *journal, const JournalRecord *record, cleave_error *error);

void clv_journal_close(Journal *journal); /* accepts NULL */

#endif
