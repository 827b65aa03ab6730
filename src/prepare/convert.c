#include "prepare/convert.h"

#include "base/file.h"
#include "base/param.h"
#include "data/shuffle.h"
#include "input/input.h"
#include "pipeline/pipeline.h"
#include "prepare/record_set.h"
#include "read/reader.h"
#include "train/pipeline_fit.h"
#include "write/writer.h"

#include <stdio.h>

typedef struct {
    const char *to, *transform;
    bool shuffle, force, csv_safe;
    int64_t seed;
} ConvertOptions;

/* A table has a cell for every column of every row. convert refuses a table that exceeds both
 * limits. */
enum { LARGE_TABLE = 64 << 20, TIMES_THE_INPUT = 10 };

static const Param convert_params[] = {
    TEXT(ConvertOptions, to, NULL, "Output format: cleave, libsvm, csv or tsv.",
         DEFAULT("by suffix")),
    TEXT(ConvertOptions, transform, "none",
         "Write the output of this feature pipeline instead of the columns.\n"
         "E.g. rare,impute,scale. auto: the default for the data."),
    FLAG(ConvertOptions, csv_safe, CSV_SAFE_HELP),
    FLAG(ConvertOptions, shuffle, "Write the rows in random order."),
    INTEGER(ConvertOptions, seed, 1, AT_LEAST(0), "Seed of all random choices."),
    FLAG(ConvertOptions, force, FORCE_HELP),
    END_OF_PARAMS,
};

const cleave_param *cleave_convert_params(void)
{
    return convert_params;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);

    return length >= size && strcmp(text + length - size, end) == 0;
}

/* Chooses the writer; NULL: the binary dataset. */
static Status choose_writer(const char *path, const char *to, const Writer **writer,
                            cleave_error *error)
{
    *writer = NULL;
    if (to ? strcmp(to, "cleave") == 0 : ends_with(path, ".cleave"))
        return OK;
    *writer = to ? clv_writer_by_name(to) : clv_writer_for(path);
    if (*writer)
        return OK;
    if (to)
        clv_fail(error, CLEAVE_ERROR_USAGE, "unknown output format '%s'", to);
    else
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the suffix does not name an output format",
                 strcmp(path, "-") == 0 ? "standard output" : path);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "use the suffix .cleave, .libsvm, .csv or .tsv, or set the format with --to "
                    "(generate: --format)");
}

Status clv_write_check(const char *path, const char *to, cleave_error *error)
{
    const Writer *writer;

    return choose_writer(path, to, &writer, error);
}

const char *clv_write_format(const char *path, const char *to)
{
    const Writer *writer;

    if (choose_writer(path, to, &writer, NULL) != OK)
        return NULL;
    return writer ? writer->name : "cleave";
}

void clv_write_note(const Dataset *dataset, const char *path, const char *to)
{
    const Writer *writer;
    bool categories = false;

    for (uint32_t i = 0; i < dataset->schema.count; i++)
        categories = categories || dataset->schema.column[i].kind == COLUMN_CATEGORY;
    if (categories && choose_writer(path, to, &writer, NULL) == OK && writer)
        clv_note(
            dataset->context,
            "%s gets one indicator column (0 or 1) per category; a .cleave file keeps categorical "
            "columns, for trees",
            path);
}

Status clv_write_step(Source *from, const Block *block, cleave_conversion *done,
                      cleave_error *error)
{
    done->rows += block->rows;
    done->entries += clv_block_entries(block);
    clv_progress(from->context, &(cleave_progress){.phase = "convert",
                                                   .rows = done->rows,
                                                   .rows_total = from->rows_total,
                                                   .bytes = from->bytes,
                                                   .bytes_total = from->bytes_total});
    if (clv_cancelled(from->context))
        return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    return OK;
}

/* Writes a dataset. facts: supplies labels, names and schema (the source itself, or the source from
 * which the rows were shuffled). */
static Status write_dataset(Source *from, const Source *facts, uint64_t seed, const char *path,
                            cleave_conversion *done, cleave_error *error)
{
    DatasetWriter *writer;
    Status status;

    TRY(clv_dataset_writer_open(from->context, path, &writer, error));
    for (;;) {
        const Block *block;

        status = source_next(from, &block, error);
        if (status != OK || !block)
            break;
        status = clv_dataset_writer_add(writer, block, error);
        THEN(status, clv_write_step(from, block, done, error));
        if (status != OK)
            break;
    }
    if (status != OK) {
        clv_dataset_writer_abandon(writer);
        return status;
    }
    return clv_dataset_writer_finish(writer,
                                     &(DatasetFacts){.labels = &facts->labels,
                                                     .names = &facts->names,
                                                     .schema = &facts->schema,
                                                     .features = facts->features,
                                                     .shuffled = from->shuffled,
                                                     .seed = from->shuffled ? seed : 0},
                                     &done->bytes_out, error);
}

static Status write_rows(const Writer *writer, Source *from, const Source *facts, Output *output,
                         Buffer *scratch, cleave_conversion *done, cleave_error *error)
{
    TRY(writer->begin(output, facts, error));
    for (;;) {
        const Block *block;

        TRY(source_next(from, &block, error));
        if (!block)
            return OK;
        TRY(writer->block(output, facts, block, scratch, error));
        TRY(clv_write_step(from, block, done, error));
    }
}

static Status write_text(const Writer *writer, Source *from, const Source *facts, const char *path,
                         cleave_conversion *done, cleave_error *error)
{
    Buffer scratch = {0};
    Output *output;
    Status status;

    TRY(clv_output_open(from->context, path, false, &output, error));
    status = write_rows(writer, from, facts, output, &scratch, done, error);
    done->bytes_out = clv_output_position(output);
    clv_free(from->context, scratch.data);
    if (status != OK) {
        clv_output_abandon(output);
        return status;
    }
    return clv_output_commit(output, error);
}

/* The minimum size of the table in bytes: a zero and a delimiter for each cell, and the names. */
static double least_table_bytes(const Source *facts, uint64_t rows)
{
    double names = (double)facts->names.text.size;

    if (facts->names.implicit) /* a name is x, a number and a delimiter */
        for (uint64_t first = 1; first < facts->features; first *= 10)
            names += (double)(facts->features - first) + (first == 1 ? 2.0 * facts->features : 0);
    return names + 2.0 * (double)rows * ((double)facts->features + 1);
}

static Status refuse_large_table(const char *path, const Writer *writer, const Source *facts,
                                 uint64_t bytes_in, cleave_error *error)
{
    double bytes = least_table_bytes(facts, facts->rows_total);

    if (bytes_in == 0 || bytes <= LARGE_TABLE || bytes <= TIMES_THE_INPUT * (double)bytes_in)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "pass --to libsvm or --to cleave, which store only nonzero values, or pass --force",
        "%s: %llu rows of %u columns need %.1f GB of %s; the input has %llu bytes",
        strcmp(path, "-") == 0 ? "standard output" : path, (unsigned long long)facts->rows_total,
        facts->features, bytes * 1e-9, writer->name, (unsigned long long)bytes_in);
}

Status clv_write_source(Source *source, const char *path, const WriteHow *how,
                        cleave_conversion *done, cleave_error *error)
{
    const Writer *writer;
    Source *from = source, *shuffled = NULL, *whole = NULL;
    Dataset *loaded = NULL;
    Status status;

    TRY(choose_writer(path, how->to, &writer, error));
    if (how->csv_safe && writer && writer->safe)
        writer = writer->safe;
    if (writer && writer->needs_names && !clv_source_dataset(source) && source->rows_total == 0) {
        TRY(clv_dataset_load(source, &loaded, error));
        TRY(clv_dataset_source(loaded, true, &whole, error));
        from = whole;
    }
    status = how->force || !writer || !writer->needs_names
                 ? OK
                 : refuse_large_table(path, writer, from,
                                      how->bytes_in   ? how->bytes_in
                                      : source->bytes ? source->bytes
                                                      : source->bytes_total,
                                      error);
    if (status == OK && how->shuffle)
        status = clv_shuffle_source(from, how->seed, strcmp(path, "-") == 0 ? NULL : path,
                                    &shuffled, error);
    if (status == OK) {
        Source *facts = from;

        if (shuffled)
            from = shuffled;
        status = writer ? write_text(writer, from, facts, path, done, error)
                        : write_dataset(from, facts, how->seed, path, done, error);
        done->features = facts->features;
        done->classes = facts->labels.count;
        done->bytes_in = source->bytes;
    }
    clv_source_close(shuffled);
    clv_source_close(whole);
    return status;
}

static bool keeps_numbers(const Dataset *dataset, const Source *transformed)
{
    return clv_schema_is_numbered(&dataset->schema) &&
           (transformed->names.implicit ? transformed->features == dataset->features
                                        : clv_names_are_numbers(&transformed->names));
}

/* Transforms the data by a pipeline that is learned from it. The rows are held in memory. The
 * result has features and is no longer a table or text. Numbered columns that the pipeline keeps
 * retain their numbers. */
static Status transform_data(cleave_data *data, const ConvertOptions *options, Source **transformed,
                             cleave_error *error)
{
    static const MethodTraining defaults = {0};
    static const Method any = {.name = "any", .training = &defaults};
    Context *context = data->context;
    Pipeline *pipeline;
    Dataset *dataset;
    Source *source;
    Status status;

    *transformed = NULL;
    TRY(clv_data_training_set(data, &dataset, error));
    TRY(clv_pipeline_of_run(context, &any, NULL, options->transform, &dataset->schema, false,
                            &pipeline, error));
    if (!pipeline)
        return OK;
    status = clv_dataset_source(dataset, false, &source, error);
    if (status == OK) {
        status = clv_pipeline_learn(pipeline, source, (uint64_t)options->seed, error);
        THEN(status, clv_source_rewind(source, error));
        if (status == OK)
            status = clv_pipeline_source(pipeline, source, true, transformed, error);
        else
            clv_source_close(source);
    }
    THEN(status, clv_pipeline_note(pipeline, strcmp(options->transform, "auto") == 0, error));
    if (status == OK) {
        clv_schema_free(&(*transformed)->schema);
        if (keeps_numbers(dataset, *transformed))
            snprintf((*transformed)->schema.format, sizeof(*transformed)->schema.format, "%s",
                     SCHEMA_NUMBERED);
    } else {
        clv_source_close(*transformed);
        *transformed = NULL;
    }
    clv_pipeline_release(pipeline);
    return status;
}

/* Copies the rows of a table unchanged. For a random order, they are held in memory. */
static Status write_records(Source *source, const char *path, const ConvertOptions *options,
                            cleave_conversion *done, cleave_error *error)
{
    RecordSet records;
    const Block *block = NULL;
    Status status;

    clv_reader_ignore_label(source);
    status = clv_records_begin(&records, source, path,
                               &(WriteHow){.to = options->to, .csv_safe = options->csv_safe},
                               options->shuffle, error);

    while (status == OK && options->shuffle) {
        status = source_next(source, &block, error);
        if (status != OK || !block)
            break;
        status = clv_write_step(source, block, done, error);
    }
    if (status == OK && options->shuffle)
        status = clv_records_shuffle(&records, (uint64_t)options->seed, error);
    THEN(status, clv_records_write(&records, path, NULL, NULL, done, error));
    clv_records_end(&records);
    return status;
}

cleave_code cleave_convert(cleave_data *data, const char *path, const cleave_options *options,
                           cleave_conversion *done, cleave_error *error)
{
    REQUIRE(data && path);
    double started = clv_now(), cpu = clv_cpu_now();
    cleave_conversion own = {0};
    ConvertOptions convert;
    Source *source = NULL, *transformed = NULL;
    Status status;

    TRY(clv_params_apply(options, convert_params, &convert, NULL, NULL, error));
    TRY(clv_data_protects(data, path, error));
    if (strcmp(convert.transform, "none") != 0)
        TRY(transform_data(data, &convert, &transformed, error));
    /* The transformed data is in memory, so its source is not read again, and its folders are not
     * listed again. */
    status = transformed ? OK : clv_data_source(data, &source, error);
    if (status == OK && !transformed && clv_records_apply(source, path, convert.to))
        status = write_records(source, path, &convert, &own, error);
    else if (status == OK)
        status = clv_write_source(transformed ? transformed : source, path,
                                  &(WriteHow){.to = convert.to,
                                              .csv_safe = convert.csv_safe,
                                              .shuffle = convert.shuffle,
                                              .seed = (uint64_t)convert.seed,
                                              .force = convert.force},
                                  &own, error);
    if (status == OK && !clv_labels_look_like_numbers(&data->source->labels, data->source->rows))
        clv_labels_note(&data->source->labels, 0);
    if (status == OK)
        own.bytes_in = data->source->bytes;
    clv_source_close(transformed);
    TRY(status);
    own.seconds = clv_now() - started;
    own.cpu_seconds = clv_cpu_now() - cpu;
    if (done)
        *done = own;
    return OK;
}
