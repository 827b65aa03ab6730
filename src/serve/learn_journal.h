/*
 * The journal of a model that learns while it is served: a write-ahead log (Gray and Reuter 1992,
 * chapter 9) without undo, in MODEL.journal beside the model file. Every update is on disk before
 * its rows are acknowledged.
 *
 *     cleave-learned 1
 *     SUM base FINGERPRINT        the model file with this fingerprint contains all rows above
 *     SUM rows COUNT BYTES        one update of COUNT rows; their BYTES bytes and a newline follow
 *
 * SUM is the hash of the rest of the line and of the rows. The fingerprint is the hash of the
 * header of a model file, which has the checksum of the file. The rows that a model file lacks are
 * those after the last base record with its fingerprint. To save the model, a base record for the
 * new file is appended, the file is replaced, and then the journal by an empty one. A crash between
 * any two of these steps loses no row and repeats none.
 *
 * A last record that was cut off was not acknowledged, and is dropped. Damage elsewhere is an
 * error.
 */
#ifndef SERVE_LEARN_JOURNAL_H
#define SERVE_LEARN_JOURNAL_H

#include "model/model.h"

typedef struct LearnJournal LearnJournal;

/* Called for each update that the model file lacks, in order. */
typedef Status JournalUpdate(void *user, const char *rows, size_t size, cleave_error *error);

/* Reads the journal of a model file. *updates is their number, 0 without a journal. Fails if the
 * journal belongs to another model file. */
Status clv_learn_journal_replay(Context *context, const char *model_path, JournalUpdate *update,
                                void *user, uint64_t *updates, cleave_error *error);

/* Opens or creates the journal of a model file, to append. The caller has replayed it, and holds a
 * lock on the model file. */
Status clv_learn_journal_open(Context *context, const char *model_path, LearnJournal **journal,
                              cleave_error *error);
/* The update is on disk when this returns OK. After a failure the journal is as before;
 * CLEAVE_ERROR_MEMORY means that the disk is full. If it cannot be restored, all further calls
 * fail. */
Status clv_learn_journal_add(LearnJournal *journal, const char *rows, size_t size, uint64_t count,
                             cleave_error *error);
/* Writes the model, which contains all rows of the journal, to its file, and empties the journal.
 * Fails, without a change of the model file, if it was replaced by another process. */
Status clv_learn_journal_save(LearnJournal *journal, const Model *model, cleave_error *error);
/* Fails if the model file was replaced by another process. */
Status clv_learn_journal_check(const LearnJournal *journal, cleave_error *error);
/* Updates and bytes since the model was saved. */
uint64_t clv_learn_journal_updates(const LearnJournal *journal);
uint64_t clv_learn_journal_size(const LearnJournal *journal);
/* Removes the file if it is empty. Accepts NULL. */
void clv_learn_journal_close(LearnJournal *journal);

#endif
