/* Sample weights from a separate file (--weights): one number per row, for any format. */
#include "read/array.h"

#include <math.h>

/* Reads weights like labels of rows; the labels are numbers. */
static Status take(Context *context, const char *path, const RowLabels *found, float **weights,
                   cleave_error *error)
{
    TRY(ALLOC(context, *weights, (size_t)found->count + 1, "weights", error));
    for (uint64_t row = 0; row < found->count; row++) {
        uint32_t label = found->label[row];
        double number = label == UNLABELED ? (double)NAN : found->labels.list[label].number;

        if (!(number >= 0) || number > (double)FLT_MAX) {
            char quoted[QUOTE_SIZE];
            uint32_t label = found->label[row];
            const char *text = label == UNLABELED ? "" : found->labels.list[label].text;

            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "%s: weight %llu: expected a non-negative number, found '%s'", path,
                            (unsigned long long)row + 1, clv_quote(quoted, text, strlen(text)));
        }
        (*weights)[row] = (float)number;
    }
    return OK;
}

Status clv_weigh_source(Source *source, const char *path, cleave_error *error)
{
    RowLabels found;
    Status status;

    TRY(clv_row_weights_load(source->context, path, &found, error));
    status = take(source->context, path, &found, &source->weights, error);
    source->weight_count = found.count;
    source->weight_file = path;
    clv_row_labels_free(&found);
    return status;
}
