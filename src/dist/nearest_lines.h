/*
 * Nearest rows as lines of text, for answers from the models of several parts of the data: a map task for each part asks all questions and
 * writes the nearest rows of its own, `near/QUESTION<TAB>K KEY PART ROW WEIGHT ANSWER`; reduce keeps the K nearest of a question, of
 * whatever parts; and those are what the answer is made of. docs/formats/updates.md.
 */
#ifndef DIST_NEAREST_LINES_H
#define DIST_NEAREST_LINES_H

#include "base/file.h"
#include "dist/update_lines.h"
#include "model/method.h"

/* What a model of a part finds for each row of a source. */
Status clv_near_map(const Model *model, Source *source, Output *output, uint64_t *rows, cleave_error *error);

/* Rows found for questions. Zeroed but for context is empty. */
typedef struct {
    Context *context;
    struct NearRow {
        uint64_t question;
        Found found;
        size_t text, length; /* of the answer, in `texts` */
    } * row;
    size_t count, capacity;
    Buffer texts;
    uint32_t most; /* for each question; 0: not known yet */
} Near;

void clv_near_free(Near *near);
/* The line just read. */
Status clv_near_add(Near *near, const Lines *lines);
/* The nearest of all that were added, of one question, as lines again; empties it. */
Status clv_near_write(Near *near, Output *output, cleave_error *error);

/* The answers to all questions in the files, in their order. */
Status clv_near_answers(const Model *model, const char *const *paths, size_t count, cleave_predict_callback callback,
                        void *user, cleave_error *error);

#endif
