/*
 * Arrow in: trains on a stream of the Arrow C stream interface, as pyarrow, DuckDB or Polars export
 * it. Here the program produces the stream itself: one record batch with a column of numbers (one
 * is null) and a column of text.
 */
#include "check.h"

#include <string.h>

typedef struct {
    struct ArrowSchema column[2], *columns[2];
    struct ArrowArray array[2], *arrays[2];
    const void *size_buffers[2], *kind_buffers[3], *batch_buffers[1];
    bool done;
} Producer;

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    Producer *self = stream->private_data;

    self->column[0] = (struct ArrowSchema){
        .format = "g", .name = "size", .flags = ARROW_FLAG_NULLABLE};
    self->column[1] = (struct ArrowSchema){.format = "u", .name = "kind"};
    self->columns[0] = &self->column[0];
    self->columns[1] = &self->column[1];
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 2, .children = self->columns, .release = release_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    static const double size[6] = {1, 2, 0, 7, 8, 9};
    static const uint8_t size_valid[1] = {0x3B}; /* the third is null */
    static const int32_t kind_end[7] = {0, 5, 10, 15, 20, 25, 30};
    static const char kind[] = "smallsmallsmalllargelargelarge";
    Producer *self = stream->private_data;

    *out = (struct ArrowArray){0};
    if (self->done)
        return 0;
    self->done = true;
    self->size_buffers[0] = size_valid;
    self->size_buffers[1] = size;
    self->kind_buffers[1] = kind_end;
    self->kind_buffers[2] = kind;
    self->array[0] = (struct ArrowArray){
        .length = 6, .null_count = 1, .n_buffers = 2, .buffers = self->size_buffers};
    self->array[1] = (struct ArrowArray){
        .length = 6, .n_buffers = 3, .buffers = self->kind_buffers};
    self->arrays[0] = &self->array[0];
    self->arrays[1] = &self->array[1];
    *out = (struct ArrowArray){.length = 6,
                               .n_buffers = 1,
                               .buffers = self->batch_buffers,
                               .n_children = 2,
                               .children = self->arrays,
                               .release = release_array};
    return 0;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

int main(void)
{
    Producer producer = {.done = false};
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .release = release_stream,
                                      .private_data = &producer};
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_report *report;
    cleave_model *model;
    cleave_data *data;
    cleave_error error;

    check(cleave_options_set(options, "label", "kind", &error), &error);
    check(cleave_data_from_arrow(context, &stream, NULL, options, NULL, &data, &error), &error);
    check(cleave_train(context, "tree", data, NULL, NULL, &model, &report, &error), &error);
    printf("%llu rows, classes %s and %s\n", (unsigned long long)report->rows,
           cleave_model_label(model, 0), cleave_model_label(model, 1));

    cleave_report_free(report);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
    return 0;
}
