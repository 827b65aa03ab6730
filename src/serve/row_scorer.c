#include "serve/row_scorer.h"

#include "input/input.h"
#include "model/method.h"
#include "read/csv.h"
#include "read/pieces.h"

enum { MOST_NEW_LABELS = 1000 };

struct RowScorer {
    const Model *model;
    RowsFormat format;
    ReadOptions options;
    ReadGuide guide;
    Source *pieces, *view; /* the view translates rows for the model */
    bool begun;            /* the header was read */
    double *scores;
    size_t capacity;
};

const Format *clv_rows_reader(RowsFormat format)
{
    static const char *const names[] = {"text", "csv", "libsvm"};

    return clv_format_by_name(names[format]);
}

Status clv_rows_read_options(Context *context, RowsFormat format, ReadOptions *read,
                             cleave_error *error)
{
    cleave_options *options = cleave_options_new(context);
    Status status = options ? OK : clv_fail_memory(error, "options", 1);

    THEN(status, clv_params_apply(options, clv_read_params, read, NULL, NULL, error));
    cleave_options_free(options);
    if (format == ROWS_CSV) {
        read->header = HEADER_YES;
        read->delimiter = ",";
    }
    return status;
}

Status clv_row_scorer_new(const Model *model, RowsFormat format, RowScorer **result,
                          cleave_error *error)
{
    RowScorer *scorer;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(model->context, scorer, 1, "a predictor", error));
    scorer->model = clv_model_keep(model);
    scorer->format = format;
    scorer->guide = (ReadGuide){.schema = &model->schema,
                                .names = clv_model_inputs(model),
                                .features = clv_model_input_count(model)};
    status = clv_rows_read_options(model->context, format, &scorer->options, error);
    /* the keys of JSON objects have no order */
    scorer->options.sort_indexes = format == ROWS_LIBSVM;
    THEN(status, clv_pieces_open(model->context, "request", clv_rows_reader(format),
                                 &scorer->options, &scorer->guide, &scorer->pieces, error));
    if (status != OK) {
        clv_row_scorer_free(scorer);
        return status;
    }
    *result = scorer;
    return OK;
}

void clv_row_scorer_free(RowScorer *scorer)
{
    const Model *model;

    if (!scorer)
        return;
    model = scorer->model;
    clv_source_close(scorer->view);
    clv_source_close(scorer->pieces);
    FREE(model->context, scorer->scores, scorer);
    clv_model_drop(model);
}

const Model *clv_row_scorer_model(const RowScorer *scorer)
{
    return scorer->model;
}

RowsFormat clv_row_scorer_format(const RowScorer *scorer)
{
    return scorer->format;
}

bool clv_row_scorer_worn(const RowScorer *scorer)
{
    return scorer->pieces->labels.count > MOST_NEW_LABELS;
}

void clv_row_scorer_begin(RowScorer *scorer)
{
    scorer->begun = false;
}

size_t clv_row_scorer_cut(const RowScorer *scorer, const char *text, size_t size)
{
    size_t complete = scorer->format == ROWS_CSV ? clv_csv_cut(',', text, size)
                                                 : clv_pieces_cut(scorer->pieces, text, size);

    if (scorer->format == ROWS_CSV && !scorer->begun && complete > 0 &&
        !memchr(text, '\n', complete - 1)) /* the text has only the header */
        return 0;
    return complete;
}

/* Reads the header and creates the view of rows with these columns. */
static Status start(RowScorer *scorer, const char *text, size_t size, bool last, size_t *skip,
                    cleave_error *error)
{
    if (scorer->format == ROWS_CSV) { /* the columns and their names in the view may have changed */
        clv_source_close(scorer->view);
        clv_source_close(scorer->pieces);
        scorer->view = scorer->pieces = NULL;
        TRY(clv_pieces_open(scorer->model->context, "request", clv_rows_reader(ROWS_CSV),
                            &scorer->options, &scorer->guide, &scorer->pieces, error));
    }
    TRY(clv_pieces_start(scorer->pieces, text, size, last, skip, error));
    if (!scorer->view)
        TRY(clv_view_for(scorer->model, scorer->pieces, &scorer->view, error));
    scorer->begun = true;
    return OK;
}

Status clv_row_scorer_read(RowScorer *scorer, const char *text, size_t size, bool last,
                           const Block **block, cleave_error *error)
{
    size_t skip = 0;

    *block = NULL;
    if (!scorer->begun && size > 0)
        TRY(start(scorer, text, size, last, &skip, error));
    if (size == skip)
        return OK;
    TRY(clv_pieces_give(scorer->pieces, text + skip, size - skip, error));
    return source_next(scorer->view, block, error);
}

const Source *clv_row_scorer_source(const RowScorer *scorer)
{
    return scorer->view;
}

Status clv_row_scorer_check(RowScorer *scorer, const char *text, size_t size, size_t *rows,
                            uint64_t *unlabeled, size_t *header, cleave_error *error)
{
    const Block *block = NULL;

    *rows = *header = 0;
    *unlabeled = 0;
    TRY(start(scorer, text, size, true, header, error));
    if (size > *header) {
        TRY(clv_pieces_give(scorer->pieces, text + *header, size - *header, error));
        TRY(source_next(scorer->pieces, &block, error));
    }
    if (!block)
        return OK;
    *rows = block->rows;
    for (uint32_t row = block->rows; row-- > 0;)
        if (block_label(block, row) == UNLABELED)
            *unlabeled = row + 1;
    return OK;
}

Status clv_row_scorer_scores(RowScorer *scorer, const Block *block, const double **scores,
                             cleave_error *error)
{
    const Model *model = scorer->model;
    const size_t outputs = outputs_of(model->labels.count);

    TRY(GROW(model->context, scorer->scores, scorer->capacity, block->rows * outputs, error));
    *scores = scorer->scores;
    return model->method->inference->predict(model, block, scorer->scores, error);
}
