/* cleave_data from the caller's memory: matrices, texts, Arrow. */
#include "input/arrays.h"
#include "input/input.h"
#include "read/arrow.h"

/* Replaces the source by its dataset, which refers to the caller's memory or is packed. */
static Status store(cleave_data *data, bool borrow, cleave_error *error)
{
    Source *arrays = data->source;
    Dataset *dataset = NULL;

    if (borrow)
        TRY(clv_array_borrow(arrays, &dataset, error));
    else
        TRY(clv_dataset_load(arrays, &dataset, error));
    if (!dataset)
        return OK;
    data->source = NULL;
    data->arrays = arrays;
    TRY(clv_dataset_source(dataset, true, &data->source, error));
    if (borrow)
        return OK;
    clv_source_close(arrays);
    data->arrays = NULL;
    return OK;
}

cleave_code cleave_data_from_matrix(cleave_context *context, const cleave_matrix *matrix,
                                    const cleave_rows *rows, cleave_data **data,
                                    cleave_error *error)
{
    REQUIRE(context && matrix && data);
    cleave_rows own = {0};
    Source *source;
    Status status;

    *data = NULL;
    if (rows)
        TRY(clv_take_sized(&own, sizeof own, rows, "cleave_rows", error));
    TRY(clv_array_source(context, matrix, &own, &source, error));
    TRY(clv_open_source(context, source, data, error));
    status = store(*data, own.borrow, error);
    if (status != OK) {
        cleave_data_free(*data);
        *data = NULL;
    }
    return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Appends a line of the text format: label, TAB, text. Line ends in the text are replaced by
 * blanks. */
static Status add_line(Context *context, Buffer *lines, const char *label, const char *text,
                       size_t length, size_t row, cleave_error *error)
{
    size_t start;

    if (strpbrk(label, "\t\n"))
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "text %zu: the label contains a TAB or a line end", row);
    if (memchr(text, '\0', length))
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "text %zu: expected UTF-8 text, found a zero byte", row);
    TRY(clv_buffer_add(context, lines, label, strlen(label), error));
    TRY(clv_buffer_add(context, lines, "\t", 1, error));
    start = lines->size;
    TRY(clv_buffer_add(context, lines, text, length, error));
    for (char *at = lines->data + start;
         (at = memchr(at, '\n', length - (size_t)(at - lines->data - start)));)
        *at = ' ';
    return clv_buffer_add(context, lines, "\n", 1, error);
}

static const char *label_text(const cleave_rows *rows, size_t row, char buffer[32])
{
    double number = rows->classes   ? (double)rows->classes[row]
                    : rows->targets ? rows->targets[row]
                                    : (double)NAN;

    if (rows->labels)
        return rows->labels[row] ? rows->labels[row] : "";
    return isnan(number) ? "" : cleave_number_text(number, buffer);
}

Status clv_lines_of_texts(Context *context, const char *const *texts, const size_t *lengths,
                          size_t count, const cleave_rows *rows, Buffer *lines, cleave_error *error)
{
    for (size_t i = 0; i < count; i++) {
        char buffer[32];

        if (!texts[i])
            return clv_fail(error, CLEAVE_ERROR_USAGE, "text %zu is NULL", i);
        TRY(add_line(context, lines, label_text(rows, i, buffer), texts[i],
                     lengths ? lengths[i] : strlen(texts[i]), i, error));
    }
    return OK;
}

cleave_code cleave_data_from_texts(cleave_context *context, const char *const *texts,
                                   const size_t *lengths, size_t count, const cleave_rows *rows,
                                   const cleave_options *options, cleave_data **data,
                                   cleave_error *error)
{
    REQUIRE(context && (texts || count == 0) && data);
    cleave_rows own = {0};
    Buffer lines = {0};
    Status status;

    *data = NULL;
    if (rows)
        TRY(clv_take_sized(&own, sizeof own, rows, "cleave_rows", error));
    if (own.weights || own.groups || own.column_names)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "cleave_rows: texts cannot have weights, groups or column names");
    if (own.model && !clv_schema_is_text(&own.model->schema))
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "pass rows with the columns of the model, or use a model of texts",
                             "the model was not trained on text");
    status = clv_lines_of_texts(context, texts, lengths, count, &own, &lines, error);
    if (status != OK) {
        clv_free(context, lines.data);
        return status;
    }
    return clv_open_memory(context, own.model, own.model && own.keep_new, "text", &lines, options,
                           NULL, data, error);
}

/* ---- Arrow ----------------------------------------------------------------------------------- */

static Status check_rows(const cleave_rows *rows, cleave_error *error)
{
    if (!!rows->labels + !!rows->classes + !!rows->targets > 1)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "cleave_rows: only one of labels, classes and targets can be set");
    if (rows->groups || rows->column_names)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "cleave_rows: an Arrow stream cannot have groups or column names");
    return OK;
}

/* Makes options with the label column of rows. The caller frees them. */
static Status with_label(Context *context, const cleave_options *options, const cleave_rows *rows,
                         cleave_options **own, cleave_error *error)
{
    *own = NULL;
    if (options)
        TRY(cleave_options_clone(options, own, error));
    else if (!(*own = cleave_options_new(context)))
        return clv_fail_memory(error, "options", 1);
    if (!rows->labels && !rows->classes && !rows->targets)
        return OK;
    return cleave_options_set(*own, "label", rows->label_name ? rows->label_name : "label", error);
}

static Status read_arrow(Context *context, struct ArrowArrayStream *stream, const cleave_rows *rows,
                         const cleave_options *options, const Model *model, cleave_data **data,
                         cleave_error *error)
{
    ArrowWriter writer = {.context = context,
                          .name = "Arrow",
                          .file = -1,
                          .error = error,
                          .rows = rows,
                          .label = cleave_options_get(options, "label")};
    Status status = clv_arrow_put_stream(&writer, stream);

    if (status == OK)
        status = clv_open_memory(context, model, false, "csv", &writer.csv, options,
                                 !model && writer.columns.size > 1 ? writer.columns.data : NULL,
                                 data, error);
    else
        clv_free(context, writer.csv.data);
    FREE(context, writer.columns.data, writer.kinds.data);
    return status;
}

cleave_code cleave_data_from_arrow(cleave_context *context, struct ArrowArrayStream *stream,
                                   const cleave_rows *rows, const cleave_options *options,
                                   const cleave_model *model, cleave_data **data,
                                   cleave_error *error)
{
    REQUIRE(context && stream && data);
    cleave_rows own = {0};
    cleave_options *all = NULL;
    Status status = OK;

    *data = NULL;
    if (rows)
        status = clv_take_sized(&own, sizeof own, rows, "cleave_rows", error);
    THEN(status, check_rows(&own, error));
    THEN(status, with_label(context, options, &own, &all, error));
    if (status == OK)
        status = read_arrow(context, stream, &own, all, model, data, error);
    else if (stream->release)
        stream->release(stream);
    cleave_options_free(all);
    return status;
}
