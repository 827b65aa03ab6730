/*
 * A journal of a long search: what each finished piece of it came to, as a line of text that is on the disk before the next is begun. After a
 * kill or a power cut the same command finds the pieces again and does the others only. The file begins with what tells the run from
 * others (identity.h), and is refused by another. Every line has its checksum: a last line that was cut off is dropped, damage anywhere else is an
 * error. Of a write-ahead log (Gray and Reuter 1992, chapter 9) this is the part that is needed where nothing is ever taken back.
 *
 *     cleave-journal 1
 *     SUM<tab>fact<tab>NAME<tab>VALUE        as often as there are facts
 *     SUM<tab>begin
 *     SUM<tab>done<tab>KEY<tab>TEXT<tab>NUMBER NUMBER ...
 */
#ifndef SELECT_JOURNAL_H
#define SELECT_JOURNAL_H

#include "base/memory.h"

typedef struct Journal Journal;

typedef struct {
    const char *key, *text; /* the text may be empty */
    const double *numbers;  /* the very ones that were added, NaN and infinities too */
    size_t count;
} JournalRecord;

/* Opens or creates a journal of the run that identity (names and values in turn, each with its NUL) tells from others. One of another run, one that
 * another process is using, and what is no journal, are errors. Records that are there are kept, unless path is NULL: then there are none, and
 * what is added is forgotten. */
Status clv_journal_open(Context *context, const char *path, const Buffer *identity, Journal **journal,
                        cleave_error *error);

/* Records that were there when it was opened. Of several with one key the last counts; NULL: there is none. They live as long as the journal. */
size_t clv_journal_count(const Journal *journal);
const JournalRecord *clv_journal_record(const Journal *journal, size_t number);
const JournalRecord *clv_journal_find(const Journal *journal, const char *key);

/* On the disk when it returns; from any thread. Once one has failed, all that follow do. text may be NULL. */
Status clv_journal_add(Journal *journal, const JournalRecord *record, cleave_error *error);

void clv_journal_close(Journal *journal); /* NULL is fine */

#endif
