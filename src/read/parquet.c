#include "read/parquet.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>

/* Functions of Arrow GLib and GLib. Objects have reference counts. */
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;
#define EACH_FUNCTION(F)                                                                           \
    F(void *, gparquet_arrow_file_reader_new_path, (const char *path, GError **error))             \
    F(int, gparquet_arrow_file_reader_get_n_row_groups, (void *reader))                            \
    F(void *, gparquet_arrow_file_reader_read_row_group,                                           \
      (void *reader, int group, int *columns, size_t column_count, GError **error))                \
    F(void *, garrow_table_batch_reader_new, (void *table))                                        \
    F(void *, garrow_record_batch_reader_export, (void *batch_reader, GError **error))             \
    F(void, g_object_unref, (void *object))                                                        \
    F(void, g_error_free, (GError * error))                                                        \
    F(void, g_free, (void *memory))

typedef struct {
#define POINTER(type, name, arguments) type(*name) arguments;
    EACH_FUNCTION(POINTER)
} Library;

/* ---- the library ----------------------------------------------------------------------------- */

static Status refuse(const ArrowWriter *writer, const char *why)
{
    clv_fail(writer->error, CLEAVE_ERROR_DATA,
             "%s: reading Parquet needs the library libparquet-glib, %s", writer->name, why);
    return clv_hint(writer->error, CLEAVE_ERROR_DATA,
                    "install Arrow GLib, or convert the file: python3 -c \"import pandas; "
                    "pandas.read_parquet('%s').to_feather('table.arrow')\"",
                    writer->name);
}

/* Opens the library. Its file name contains the release of Arrow as 100 x major + minor. */
static void *open_library(void)
{
    enum { NEWEST = 60, OLDEST = 6 };
    void *library = dlopen("libparquet-glib.so", RTLD_NOW | RTLD_NODELETE);

    for (int major = NEWEST; major >= OLDEST && !library; major--) {
        char name[40];

        snprintf(name, sizeof name, "libparquet-glib.so.%d", 100 * major);
        library = dlopen(name, RTLD_NOW | RTLD_NODELETE);
    }
    return library;
}

/* Loads the library, which is never unloaded, because its types stay registered. */
static Status load(const ArrowWriter *writer, Library *call)
{
    void *library = open_library();

    if (!library)
        return refuse(writer, "which is not installed");
#define FIND(type, name, arguments) *(void **)(void *)&call->name = dlsym(library, #name);
#define LACKS(type, name, arguments) || !call->name
    EACH_FUNCTION(FIND)
    dlclose(library);
    return false EACH_FUNCTION(LACKS) ? refuse(writer, "whose version is too old") : OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status fail(const ArrowWriter *writer, const Library *call, GError *why)
{
    char quoted[QUOTE_SIZE];

    clv_fail(writer->error, CLEAVE_ERROR_DATA, "%s: the Parquet file cannot be read: %s",
             writer->name, why ? clv_quote(quoted, why->message, strlen(why->message)) : "");
    if (why)
        call->g_error_free(why);
    return CLEAVE_ERROR_DATA;
}

static Status put_table(ArrowWriter *writer, const Library *call, void *table)
{
    void *batches = call->garrow_table_batch_reader_new(table);
    struct ArrowArrayStream *stream;
    GError *why = NULL;
    Status status;

    stream = batches ? call->garrow_record_batch_reader_export(batches, &why) : NULL;
    if (batches)
        call->g_object_unref(batches);
    if (!stream)
        return fail(writer, call, why);
    status = clv_arrow_put_stream(writer, stream);
    call->g_free(stream);
    return status;
}

static Status put_groups(ArrowWriter *writer, const Library *call, void *reader)
{
    int groups = call->gparquet_arrow_file_reader_get_n_row_groups(reader);

    if (groups == 0)
        return clv_fail(writer->error, CLEAVE_ERROR_DATA, "%s: the file contains no examples",
                        writer->name);
    for (int group = 0; group < groups; group++) {
        GError *why = NULL;
        void *table = call->gparquet_arrow_file_reader_read_row_group(reader, group, NULL, 0, &why);
        Status status;

        if (!table)
            return fail(writer, call, why);
        status = put_table(writer, call, table);
        call->g_object_unref(table);
        TRY(status);
    }
    return OK;
}

bool clv_parquet_sniff(const char *head, size_t size)
{
    return size >= 8 && memcmp(head, "PAR1", 4) == 0 &&
           memchr(head, '\0', size < 4096 ? size : 4096);
}

Status clv_parquet_read(ArrowWriter *writer, const char *path)
{
    Library call;
    GError *why = NULL;
    struct stat facts;
    void *reader;
    Status status;

    TRY(load(writer, &call));
    if (stat(path, &facts) == 0)
        clv_arrow_limit(writer, (uint64_t)facts.st_size);
    reader = call.gparquet_arrow_file_reader_new_path(path, &why);
    if (!reader)
        return fail(writer, &call, why);
    status = put_groups(writer, &call, reader);
    call.g_object_unref(reader);
    return status;
}
