/* Nearest rows as lines of text, for predictions from the models of several parts of the data. A
 * map task for each part runs all queries and writes the nearest rows of its part,
 * `near/QUERY<TAB>K KEY PART ROW WEIGHT PREDICTION`. reduce keeps the K nearest rows of a query
 * over all parts, which give the prediction. docs/formats/updates.md. */
#ifndef DIST_NEAREST_LINES_H
#define DIST_NEAREST_LINES_H

#include "base/file.h"
#include "dist/update_lines.h"
#include "model/method.h"

/* Finds the nearest rows in the model of a part for each row of a source. */
Status clv_near_map(const Model *model, Source *source, Output *output, uint64_t *rows,
                    cleave_error *error);

/* Rows found for queries. A struct that is zeroed, except for the context, is empty. */
typedef struct {
    Context *context;
    struct NearRow {
        uint64_t question;
        Found found;
        size_t text, length; /* position and length of the prediction in `texts` */
    } * row;
    size_t count, capacity;
    Buffer texts;
    uint32_t most; /* number of neighbors of each query; 0: not known yet */
} Near;

void clv_near_free(Near *near);
/* Adds the current line. */
Status clv_near_add(Near *near, const Lines *lines);
/* Writes the nearest of all added rows of one query as lines, and empties it. */
Status clv_near_write(Near *near, Output *output, cleave_error *error);

/* Computes the predictions for all queries in the files, in their order. */
Status clv_near_answers(const Model *model, const char *const *paths, size_t count,
                        cleave_predict_callback callback, void *user, cleave_error *error);

#endif
