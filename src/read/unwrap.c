/*
 * Files that are read in another form. NumPy files whose rows are not contiguous: an archive (.npz)
 * is opened at the array of rows, its labels are loaded, and an array in Fortran order is rewritten
 * by rows to a temporary file. The reader then reads plain .npy. Arrow and Parquet files become CSV
 * in a temporary file.
 */
#include "base/file.h"
#include "read/array.h"
#include "read/arrow_ipc.h"
#include "read/npz.h"
#include "read/parquet.h"
#include "read/reader_parts.h"

#include <stdio.h>
#include <unistd.h>

/* ---- archives -------------------------------------------------------------------------------- */

static Status record_keys(Reader *reader, const NpzMember *rows, const NpzMember *labels,
                          cleave_error *error)
{
    char phrase[2 * NPZ_KEY_SIZE + 64], value[2 * NPZ_KEY_SIZE + 2];

    if (reader->options.key || reader->guesses.noted)
        return OK;
    snprintf(value, sizeof value, "%s%s%s", rows->name, labels ? "," : "",
             labels ? labels->name : "");
    if (labels)
        snprintf(phrase, sizeof phrase, "rows from array '%s', labels from '%s' (--key)",
                 rows->name, labels->name);
    else
        snprintf(phrase, sizeof phrase, "rows from array '%s', no labels (--key)", rows->name);
    return clv_guess_add(&reader->guesses, "arrays", value, "--key", phrase, error);
}

static Status load_labels(Reader *reader, Bytes *bytes, const NpzMember *member,
                          cleave_error *error)
{
    Context *context = reader->source.context;
    Status status;

    TRY(ALLOC_ZERO(context, reader->archive_labels, 1, "labels", error));
    status = clv_npz_enter(bytes, member, error);
    THEN(status, clv_row_labels_read(context, bytes, reader->archive_labels, error));
    if (status != OK) {
        clv_free(context, reader->archive_labels);
        reader->archive_labels = NULL;
    }
    return status;
}

static Status enter(Reader *reader, Bytes *bytes, const Npz *npz, cleave_error *error)
{
    const NpzMember *rows, *labels;

    TRY(clv_npz_choose(npz, reader->path, reader->options.key, &rows, &labels, error));
    if (reader->options.labels)
        labels = NULL;
    TRY(record_keys(reader, rows, labels, error));
    if (labels)
        TRY(load_labels(reader, bytes, labels, error));
    return clv_npz_enter(bytes, rows, error);
}

Status clv_unwrap_archive(Reader *reader, Bytes *bytes, cleave_error *error)
{
    Npz npz;
    Status status = clv_npz_list(reader->source.context, bytes, &npz, error);

    clv_drop_archive_labels(reader);
    THEN(status, enter(reader, bytes, &npz, error));
    clv_npz_free(&npz);
    return status;
}

void clv_drop_archive_labels(Reader *reader)
{
    if (!reader->archive_labels)
        return;
    clv_row_labels_free(reader->archive_labels);
    clv_free(reader->source.context, reader->archive_labels);
    reader->archive_labels = NULL;
}

/* ---- Fortran order --------------------------------------------------------------------------- */

/* Copies the bytes of a stream that were read already, and its rest, to a file. */
static Status spool(Context *context, Bytes *bytes, const char *head, size_t size, int *file,
                    cleave_error *error)
{
    enum { PIECE = 1 << 20 };
    char *piece = clv_alloc(context, PIECE, 1);
    size_t got = 1;
    Status status = piece ? clv_temporary_file(context, NULL, file, error)
                          : clv_fail_memory(error, "an array", PIECE);

    THEN(status, clv_temporary_write(*file, head, size, error));
    while (status == OK && got) {
        status = clv_bytes_read(bytes, piece, PIECE, &got, error);
        THEN(status, clv_temporary_write(*file, piece, got, error));
    }
    clv_free(context, piece);
    return status;
}

/* Converts some rows: reads each column at its position, and writes its elements at a distance of
 * one row. */
static Status turn_rows(const Bytes *bytes, const Array *array, uint64_t first, size_t rows,
                        char *column, char *out, cleave_error *error)
{
    size_t size = array->size, record = (size_t)array->width * size;

    for (uint64_t i = 0; i < array->width; i++) {
        size_t got = 0;

        TRY(clv_bytes_at(bytes, array->header + (i * array->rows + first) * size, column,
                         rows * size, &got, error));
        if (got < rows * size)
            return clv_fail_cut(clv_bytes_name(bytes),
                                array->header + (i * array->rows + first) * size + got,
                                "the values declared in its header", error);
        for (size_t row = 0; row < rows; row++)
            memcpy(out + row * record + i * size, column + row * size, size);
    }
    return OK;
}

static Status turn_all(Context *context, const Bytes *bytes, const Array *array, int file,
                       cleave_error *error)
{
    enum { AT_ONCE = 1 << 24 };
    size_t record = (size_t)array->width * array->size, rows = AT_ONCE / record + 1;
    char *column, *out;
    Status status = OK;

    if (rows > array->rows)
        rows = (size_t)array->rows;
    column = clv_alloc(context, rows, array->size);
    out = clv_alloc(context, rows, record);
    if (!column || !out)
        status = clv_fail_memory(error, "an array", rows * record);
    for (uint64_t first = 0; first < array->rows && status == OK; first += rows) {
        size_t some = array->rows - first < rows ? (size_t)(array->rows - first) : rows;

        status = turn_rows(bytes, array, first, some, column, out, error);
        THEN(status, clv_temporary_write(file, out, some * record, error));
        if (status == OK && clv_cancelled(context))
            status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    FREE(context, column, out);
    return status;
}

static Status check_size(const Bytes *bytes, const Array *array, cleave_error *error)
{
    uint64_t size;

    if (array->width > MOST_FEATURES || array->size == 0 ||
        __builtin_mul_overflow(array->rows, array->width * array->size, &size) ||
        size > INT64_MAX - array->header)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "%s: the header declares more values than a file can hold",
                        clv_bytes_name(bytes));
    if (clv_bytes_total(bytes) < array->header + size)
        return clv_fail_cut(clv_bytes_name(bytes), clv_bytes_total(bytes),
                            "the values declared in its header", error);
    if (clv_bytes_total(bytes) > array->header + size)
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "%s: byte %llu: expected the end of the file, found more bytes",
                        clv_bytes_name(bytes), (unsigned long long)(array->header + size));
    return OK;
}

/* Converts an array in Fortran order. The bytes are seekable and contain the whole array. The
 * result starts with its own header. */
static Status turn(Context *context, const Bytes *bytes, const Array *array, const char *head,
                   Bytes **turned, cleave_error *error)
{
    char header[NPY_HEADER_SIZE];
    size_t size = clv_npy_plain_header(array, head, header);
    int file = -1;
    Status status;

    TRY(check_size(bytes, array, error));
    TRY(clv_temporary_file(context, NULL, &file, error));
    status = clv_temporary_write(file, header, size, error);
    THEN(status, turn_all(context, bytes, array, file, error));
    if (status == OK)
        return clv_bytes_from_file(context, clv_bytes_name(bytes), file, turned, error);
    close(file);
    return status;
}

Status clv_unwrap_fortran(Context *context, Bytes *bytes, const char *head, size_t size,
                          const Array *array, Bytes **turned, cleave_error *error)
{
    Bytes *spooled = NULL;
    int file = -1;
    Status status;

    *turned = NULL;
    if (clv_bytes_seekable(bytes) && !clv_bytes_compressed(bytes))
        return turn(context, bytes, array, head, turned, error);
    status = spool(context, bytes, head, size, &file, error);
    if (status == OK)
        status = clv_bytes_from_file(context, clv_bytes_name(bytes), file, &spooled, error);
    else if (file >= 0)
        close(file);
    THEN(status, turn(context, spooled, array, head, turned, error));
    clv_bytes_close(spooled);
    return status;
}

/* ---- Arrow and Parquet ----------------------------------------------------------------------- */

bool clv_reads_arrow(const Reader *reader, const char *head, size_t size)
{
    const char *wanted = reader->options.format;

    if (reader->parts->memory_name ||
        (wanted && strcmp(wanted, "auto") != 0 && strcmp(wanted, "csv") != 0))
        return false;
    return clv_arrow_ipc_sniff(head, size) || clv_parquet_sniff(head, size);
}

/* Converts a Parquet file. It is read from its end, so a stream is copied to a temporary file
 * first. */
static Status put_parquet(ArrowWriter *writer, Bytes *bytes, const char *head, size_t size)
{
    char name[40];
    int file = -1;
    Status status;

    if (clv_bytes_regular(bytes) && !clv_bytes_compressed(bytes))
        return clv_parquet_read(writer, writer->name);
    status = spool(writer->context, bytes, head, size, &file, writer->error);
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    THEN(status, clv_parquet_read(writer, name));
    if (file >= 0)
        close(file);
    return status;
}

Status clv_unwrap_arrow(Reader *reader, Bytes *bytes, const char *head, size_t size, Bytes **table,
                        cleave_error *error)
{
    Context *context = reader->source.context;
    ArrowWriter writer = {
        .context = context, .name = clv_bytes_name(bytes), .file = -1, .error = error};
    Status status;

    *table = NULL;
    TRY(clv_temporary_file(context, NULL, &writer.file, error));
    if (clv_arrow_ipc_sniff(head, size))
        status = clv_arrow_ipc_read(&writer, bytes, head, size);
    else
        status = put_parquet(&writer, bytes, head, size);
    if (status == OK)
        status = clv_bytes_from_file(context, writer.name, writer.file, table, error);
    else
        close(writer.file);
    FREE(context, writer.csv.data, writer.columns.data, reader->column_kinds.data);
    reader->column_kinds = writer.kinds;
    return status;
}
