/* The files of a reader in order: opening, first bytes, range, and errors about a whole file. */
#include "read/array.h"
#include "read/npz.h"
#include "read/reader_parts.h"

Status clv_reader_place_error(Reader *reader, const Chunk *chunk, cleave_error *error)
{
    if (reader->line_unknown && chunk->error_line && !reader->folder) {
        uint64_t before;

        TRY(clv_bytes_count_lines(reader->parts->bytes, reader->parts->range_from, &before, error));
        reader->line += before;
        reader->line_unknown = false;
    }
    return clv_chunk_error(reader, chunk, error);
}

static bool keeps_class(const void *user, const char *class_name, size_t length)
{
    return clv_keeps_class(user, class_name, length);
}

Status clv_reader_open_file(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Context *context = reader->source.context;
    const FolderOptions folder_options = {.report = !parts->again,
                                          .check_classes = !reader->guide_schema &&
                                                           !reader->options.classes};

    clv_bytes_close(parts->bytes);
    clv_folder_close(parts->folder);
    parts->bytes = NULL;
    reader->folder = parts->folder = NULL;
    if (parts->memory_name) {
        parts->memory_used = reader->only_file = true;
        TRY(clv_bytes_from_memory(context, parts->memory_name, parts->memory, parts->memory_size,
                                  &parts->bytes, error));
    } else {
        reader->file = (uint32_t)parts->next_path;
        reader->only_file = parts->path_count == 1;
        parts->before = 0;
        for (size_t i = 0; parts->path_size && i < parts->next_path; i++)
            parts->before += parts->path_size[i];
        reader->path = reader->argument = parts->paths[parts->next_path++];
        if (clv_is_folder(reader->path)) {
            TRY(clv_folder_open(context, reader->path, &folder_options, &parts->folder, error));
            reader->dropped += clv_folder_keep(parts->folder, keeps_class, reader);
        } else {
            TRY(clv_bytes_open(context, reader->path, &parts->bytes, error));
            clv_bytes_give_up_on(parts->bytes, &parts->closing);
        }
    }
    reader->folder = parts->folder;
    if (!parts->folder)
        reader->path = clv_bytes_name(parts->bytes);
    reader->column_kinds.size = 0;
    parts->bytes_end = false;
    parts->first_chunk = true;
    parts->records = 0;
    parts->carry.size = 0;
    parts->file_rows = parts->file_empty_rows = 0;
    reader->line = 0;
    reader->line_unknown = reader->folder != NULL;
    return OK;
}

/* Fails at an empty file. An empty document is a row without features. Empty standard input is an
 * error of the previous program. */
static Status refuse_empty(const Reader *reader, cleave_error *error)
{
    if (clv_reads_document(reader) && reader->argument && strcmp(reader->argument, "-") != 0)
        return OK;
    if (reader->found_empty)
        *reader->found_empty = true;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "add at least one example",
                         "%s: the file is empty", reader->path);
}

/* Reads the first bytes of a file into carry: a megabyte, or more until the first line is
 * complete. */
static Status read_head(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Buffer *carry = &parts->carry;
    size_t most = clv_longest_line(reader);

    if (reader->folder)
        return OK;
    for (size_t want = HEAD_BYTES; !parts->bytes_end; want = want < most / 2 ? 2 * want : most) {
        size_t got;
        Status status;

        TRY(GROW(reader->source.context, carry->data, carry->capacity, want + NUMBER_SLACK, error));
        status = clv_reader_read_on(reader, carry->data + carry->size, want - carry->size, &got,
                                    error);
        carry->size += got;
        if (status != OK && !(parts->cut_off && memchr(carry->data, '\n', carry->size)))
            return status;
        if (memchr(carry->data, '\n', carry->size) ||
            memchr(carry->data, '\0', carry->size < 4096 ? carry->size : 4096) || want >= most)
            break;
    }
    memset(carry->data + carry->size, 0, NUMBER_SLACK);
    return carry->size == 0 ? refuse_empty(reader, error) : OK;
}

/* Replaces the open bytes with others, and reads the head. */
static Status read_head_again(Reader *reader, cleave_error *error)
{
    reader->parts->carry.size = 0;
    reader->parts->bytes_end = false;
    return read_head(reader, error);
}

/* Reads converted bytes in place of the open ones. */
static Status replace_bytes(Reader *reader, Bytes *bytes, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    clv_bytes_close(parts->bytes);
    parts->bytes = bytes;
    reader->path = clv_bytes_name(bytes);
    clv_bytes_give_up_on(bytes, &parts->closing);
    return read_head_again(reader, error);
}

static Status convert_arrow(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Bytes *table;

    TRY(clv_unwrap_arrow(reader, parts->bytes, parts->carry.data, parts->carry.size, &table,
                         error));
    return replace_bytes(reader, table, error);
}

static Status turn_fortran(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    Array array;
    Bytes *turned;

    TRY(clv_npy_header(reader->path, parts->carry.data, parts->carry.size, parts->bytes_end, &array,
                       error));
    if (!array.by_column)
        return OK;
    TRY(clv_unwrap_fortran(reader->source.context, parts->bytes, parts->carry.data,
                           parts->carry.size, &array, &turned, error));
    return replace_bytes(reader, turned, error);
}

Status clv_reader_read_head(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    const char *given = reader->options.format;
    bool numpy = !given || strcmp(given, "auto") == 0 || strcmp(given, "npy") == 0;

    TRY(read_head(reader, error));
    if (!reader->folder && clv_reads_arrow(reader, parts->carry.data, parts->carry.size))
        return convert_arrow(reader, error);
    if (reader->folder || !numpy || (reader->format && reader->format != &clv_format_npy))
        return OK;
    if (clv_zip_sniff(parts->carry.data, parts->carry.size) &&
        !clv_is_spreadsheet(parts->carry.data, parts->carry.size)) {
        TRY(clv_unwrap_archive(reader, parts->bytes, error));
        TRY(read_head_again(reader, error));
    }
    return clv_npy_sniff(parts->carry.data, parts->carry.size) ? turn_fortran(reader, error) : OK;
}

/* Moves to the rows of the range in the open file, of which the head was read. skip bytes are not
 * rows. */
static Status narrow(Reader *reader, size_t skip, bool *any, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    uint64_t size = parts->path_size[reader->file], from = reader->options.range_from,
             to = reader->options.range_to;

    *any = from <= parts->before && parts->before < to;
    if (!reader->format->text || clv_bytes_compressed(parts->bytes) || reader->column_kinds.size)
        return OK; /* files that cannot be divided are read completely or not at all */
    from = from > parts->before ? from - parts->before : 0;
    to = to > parts->before ? to - parts->before : 0;
    TRY(clv_bytes_line_start(parts->bytes, from < size ? from : size, &from, error));
    TRY(clv_bytes_line_start(parts->bytes, to < size ? to : size, &to, error));
    from = from < skip ? skip : from;
    *any = from < to;
    if (!*any || from == skip) {
        parts->range_from = from;
        if (to >= size || !*any)
            return OK; /* the range contains the whole file */
    } else {
        reader->line_unknown = true;
        reader->line = 0;
    }
    parts->range_from = from;
    parts->carry.size = 0;
    parts->bytes_end = false;
    return clv_bytes_range(parts->bytes, from, to, error);
}

Status clv_reader_start_format(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;
    size_t skip = 0;
    bool any = true;

    if (reader->format->start)
        TRY(reader->format->start(reader, parts->carry.data, parts->carry.size, parts->bytes_end,
                                  &skip, error));
    for (size_t i = 0; i < skip && reader->format->text; i++)
        reader->line += parts->carry.data[i] == '\n';
    parts->carry.size -= skip;
    if (parts->carry.size)
        memmove(parts->carry.data, parts->carry.data + skip, parts->carry.size);
    if (reader->options.ranged)
        TRY(narrow(reader, skip, &any, error));
    if (parts->synchronised)
        pthread_mutex_lock(&parts->lock);
    parts->file_ready = any;
    if (parts->synchronised) {
        pthread_cond_broadcast(&parts->work);
        pthread_mutex_unlock(&parts->lock);
    }
    return OK;
}

/* Skips files without a byte in the range, which are not opened. The first file is always
 * opened. */
static void skip_files(Reader *reader)
{
    struct ReaderParts *parts = reader->parts;

    if (!reader->options.ranged || parts->next_path == 0)
        return;
    while (parts->next_path < parts->path_count) {
        uint64_t before = 0;

        for (size_t i = 0; i < parts->next_path; i++)
            before += parts->path_size[i];
        if (before < reader->options.range_to &&
            before + parts->path_size[parts->next_path] > reader->options.range_from)
            break;
        parts->next_path++;
    }
}

Status clv_reader_next_file(Reader *reader, bool *opened, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    skip_files(reader);
    *opened = parts->memory_name ? !parts->memory_used : parts->next_path < parts->path_count;
    if (!*opened)
        return OK;
    TRY(clv_reader_open_file(reader, error));
    TRY(clv_reader_read_head(reader, error));
    if (reader->file > 0)
        TRY(clv_check_next_file(reader, parts->carry.data,
                                parts->carry.size < SNIFFED ? parts->carry.size : SNIFFED, error));
    return clv_reader_start_format(reader, error);
}

/* Returns whether labels such as "5.1,3.5,setosa" are rows of a table. */
static bool looks_like_a_table(const Labels *labels)
{
    return labels->count && strpbrk(labels->list[labels->count - 1].text, ",;|");
}

Status clv_reader_check_file(Reader *reader, cleave_error *error)
{
    struct ReaderParts *parts = reader->parts;

    if (reader->folder)
        return OK;
    if (parts->file_rows == 0 && !reader->options.ranged && reader->dropped == 0) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: the file contains no examples (lines read: %llu)",
                 reader->path, (unsigned long long)reader->line);
        if (reader->line == 1 &&
            (reader->format == &clv_format_csv || reader->format == &clv_format_tsv))
            return clv_hint(error, CLEAVE_ERROR_DATA, "the file has a header only; add rows");
        return clv_hint(error, CLEAVE_ERROR_DATA,
                        "set the format with --format; the file may be %s", reader->format->name);
    }
    if (parts->file_rows && parts->file_rows == parts->file_empty_rows &&
        reader->format == &clv_format_libsvm && looks_like_a_table(&reader->source.labels)) {
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "set the format with --format; the file may be LIBSVM text",
                             "%s: none of the %llu rows has a feature", reader->path,
                             (unsigned long long)parts->file_rows);
    }
    parts->raw_bytes += clv_bytes_done(parts->bytes);
    return OK;
}
