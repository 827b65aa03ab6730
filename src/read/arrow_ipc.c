/*
 * Arrow IPC (https://arrow.apache.org/docs/format/Columnar.html). A stream is a sequence of
 * messages: 0xFFFFFFFF, the size of the metadata, the metadata as a FlatBuffer, and a body with the
 * buffers of the columns. The first message is the schema; dictionaries and record batches follow.
 * A file is the text ARROW1, padding, a stream and an index, which sequential reading does not
 * need.
 *
 * The file is not trusted: every buffer is checked to hold the rows that it declares, so that the
 * writer of cells (arrow.c) reads only memory of the batch.
 */
#include "read/arrow_ipc.h"

#include "base/machine.h"
#include "read/flatbuffer.h"
#include "read/lz4_frame.h"

#include <stdio.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { MESSAGE_SCHEMA = 1, MESSAGE_DICTIONARY = 2, MESSAGE_BATCH = 3 };
enum { CODEC_NONE = -1, CODEC_LZ4 = 0, CODEC_ZSTD = 1 };
enum { ALIGNMENT = 8, VIEW_SIZE = 16, VIEW_INLINE = 12, FORMAT_SIZE = 40 };
enum {
    MOST_METADATA = 256 << 20,
    MOST_COLUMNS = 1 << 20,
    MOST_EXPANSION =
        4096, /* of the compressed buffers of a batch, which may have FREE_BYTES more */
    FREE_BYTES = 64 << 20
};

static const char magic[] = "ARROW1";
static const char continuation[] = "\xFF\xFF\xFF\xFF";

/* An array and its memory. */
typedef struct {
    struct ArrowArray array;
    const void **buffers;
    size_t *sizes, capacity, size_capacity;
} Cells;

/* The values of a dictionary. */
typedef struct {
    int64_t id;
    struct ArrowSchema schema;
    char format[FORMAT_SIZE];
    Cells cells;
    Buffer body;
    Arena memory; /* decompressed buffers */
} Dictionary;

typedef struct {
    struct ArrowSchema schema;
    char format[FORMAT_SIZE];
    char *name;
    Cells cells;
    Dictionary *dictionary; /* NULL: the cells are the values */
} ArrowColumn;

typedef struct {
    Context *context;
    ArrowWriter *writer;
    cleave_error *error;
    Bytes *bytes;
    const char *head; /* bytes already read */
    size_t head_size, head_at;
    uint64_t position; /* position in the file */

    Buffer metadata, body;
    Flat flat;
    Arena memory; /* decompressed buffers of the batch */
    uint32_t columns;
    ArrowColumn *column;
    uint32_t dictionaries;
    Dictionary *dictionary;
    struct ArrowSchema schema;
    struct ArrowSchema **schemas; /* schemas of the columns */
    struct ArrowArray **arrays;
} Ipc;

static Status corrupt(const Ipc *ipc, const char *what)
{
    return clv_fail_hint(ipc->error, CLEAVE_ERROR_DATA,
                         "write the file again with the program that made it",
                         "%s: the Arrow data before byte %llu is corrupt: %s", ipc->writer->name,
                         (unsigned long long)ipc->position, what);
}

static Status unsupported(const Ipc *ipc, const char *what, const char *hint)
{
    return clv_fail_hint(ipc->error, CLEAVE_ERROR_DATA, hint, "%s: %s", ipc->writer->name, what);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static Status read_bytes(Ipc *ipc, char *to, size_t want, size_t *got)
{
    size_t held = ipc->head_size - ipc->head_at, more = 0;

    *got = held < want ? held : want;
    memcpy(to, ipc->head + ipc->head_at, *got);
    ipc->head_at += *got;
    if (*got < want)
        TRY(clv_bytes_read(ipc->bytes, to + *got, want - *got, &more, ipc->error));
    *got += more;
    ipc->position += *got;
    return OK;
}

/* Reads bytes into a buffer, which grows with the bytes that are read, not with the declared
 * size. */
static Status read_into(Ipc *ipc, Buffer *buffer, uint64_t size, const char *what)
{
    enum { AT_ONCE = 1 << 20 };

    buffer->size = 0;
    while (buffer->size < size) {
        size_t got, want = size - buffer->size < AT_ONCE ? (size_t)(size - buffer->size) : AT_ONCE;

        TRY(GROW(ipc->context, buffer->data, buffer->capacity, buffer->size + want, ipc->error));
        TRY(read_bytes(ipc, buffer->data + buffer->size, want, &got));
        buffer->size += got;
        if (got < want)
            return clv_fail_hint(ipc->error, CLEAVE_ERROR_DATA,
                                 "the file is incomplete: copy or download it again",
                                 "%s: byte %llu: the file ends inside %s", ipc->writer->name,
                                 (unsigned long long)ipc->position, what);
    }
    return OK;
}

/* Reads the metadata of the next message; *type is 0 at the end. */
static Status next_message(Ipc *ipc, int64_t *type, FlatTable *header, uint64_t *body)
{
    int32_t size = 0;
    size_t got;
    FlatTable message;
    int64_t length;

    *type = 0;
    TRY(read_bytes(ipc, (char *)&size, sizeof size, &got));
    if (got == sizeof size && size == -1) /* written since 2019 */
        TRY(read_bytes(ipc, (char *)&size, sizeof size, &got));
    if (got == 0 || (got == sizeof size && size == 0))
        return OK;
    if (got < sizeof size || size < 0 || size > MOST_METADATA)
        return corrupt(ipc, "the size of a message");
    TRY(read_into(ipc, &ipc->metadata, (uint64_t)size, "a message"));
    ipc->flat = (Flat){.bytes = ipc->metadata.data, .size = ipc->metadata.size};
    message = flat_root(&ipc->flat);
    *type = flat_integer(&message, 1, 1, 0);
    *header = flat_table(&message, 2);
    length = flat_integer(&message, 3, 8, 0);
    *body = (uint64_t)length;
    return ipc->flat.invalid || length < 0 || header->at == 0 ? corrupt(ipc, "a message") : OK;
}

/* ---- schema ---------------------------------------------------------------------------------- */

static void integer_format(const FlatTable *type, char format[FORMAT_SIZE])
{
    bool is_signed = flat_integer(type, 1, 1, 0) != 0;
    int64_t bits = flat_integer(type, 0, 4, 0);
    const char *letter = bits == 8 ? "Cc" : bits == 16 ? "Ss" : bits == 32 ? "Ii" : "Ll";

    snprintf(format, FORMAT_SIZE, "%c", bits > 64 ? '?' : letter[is_signed]);
}

/* Writes the type of a field in the notation of the C data interface. Types that are not supported
 * are described in words. */
static void type_format(const FlatTable *field, char format[FORMAT_SIZE])
{
    static const char *const simple[] = {
        [1] = "n",         [4] = "binary",   [5] = "u",         [6] = "b",       [9] = "time",
        [11] = "interval", [12] = "list",    [13] = "struct",   [14] = "union",  [15] = "binary",
        [16] = "list",     [17] = "map",     [18] = "duration", [19] = "binary", [20] = "U",
        [21] = "list",     [22] = "run-end", [23] = "binary",   [24] = "vu",     [25] = "list",
        [26] = "list"};
    int64_t kind = flat_integer(field, 2, 1, 0);
    FlatTable type = flat_table(field, 3);
    int64_t unit = flat_integer(&type, 0, 2, kind == 8);

    switch (kind) {
    case 2:
        integer_format(&type, format);
        return;
    case 3:
        snprintf(format, FORMAT_SIZE, "%c", unit == 0 ? 'e' : unit == 1 ? 'f' : 'g');
        return;
    case 7:
        snprintf(format, FORMAT_SIZE, "d:%d,%d,%d", (int)flat_integer(&type, 0, 4, 0),
                 (int)flat_integer(&type, 1, 4, 0), (int)flat_integer(&type, 2, 4, 128));
        return;
    case 8:
        snprintf(format, FORMAT_SIZE, "td%c", unit ? 'm' : 'D');
        return;
    case 10:
        snprintf(format, FORMAT_SIZE, "ts%c:", unit >= 0 && unit < 4 ? "smun"[unit] : '?');
        return;
    default:
        snprintf(format, FORMAT_SIZE, "%s",
                 kind > 0 && kind < (int64_t)(sizeof simple / sizeof *simple) && simple[kind]
                     ? simple[kind]
                     : "unknown");
    }
}

static Status read_name(Ipc *ipc, const FlatTable *field, char **name)
{
    FlatVector text = flat_vector(field, 0, 1);

    *name = clv_copy_string(ipc->context, text.at ? ipc->flat.bytes + text.at : "", text.count);
    return *name ? OK : clv_fail_memory(ipc->error, "a column name", text.count);
}

/* The dictionary with this number. If several columns use it, it is stored once. */
static Dictionary *dictionary_of(Ipc *ipc, int64_t id)
{
    for (uint32_t i = 0; i < ipc->dictionaries; i++)
        if (ipc->dictionary[i].id == id)
            return &ipc->dictionary[i];
    return NULL;
}

static Status read_column(Ipc *ipc, const FlatTable *field, ArrowColumn *column)
{
    FlatTable encoding = flat_table(field, 4), index = flat_table(&encoding, 1);
    Dictionary *dictionary;
    int64_t id = flat_integer(&encoding, 0, 8, 0);

    TRY(read_name(ipc, field, &column->name));
    type_format(field, column->format);
    if (encoding.at) {
        dictionary = dictionary_of(ipc, id);
        if (!dictionary) {
            dictionary = &ipc->dictionary[ipc->dictionaries++];
            dictionary->id = id;
            memcpy(dictionary->format, column->format, FORMAT_SIZE);
            dictionary->schema = (struct ArrowSchema){.format = dictionary->format, .name = ""};
            dictionary->memory = (Arena){
                .context = ipc->context, .error = ipc->error, .what = "a dictionary"};
        } else if (strcmp(dictionary->format, column->format) != 0) {
            return corrupt(ipc, "two columns with one dictionary have different types");
        }
        column->dictionary = dictionary;
        if (index.at)
            integer_format(&index, column->format);
        else
            snprintf(column->format, FORMAT_SIZE, "i");
    }
    column->schema = (struct ArrowSchema){
        .format = column->format,
        .name = column->name,
        .dictionary = column->dictionary ? &column->dictionary->schema : NULL};
    return OK;
}

static Status read_schema(Ipc *ipc, const FlatTable *header)
{
    FlatVector fields = flat_vector(header, 1, 4);

    if (ipc->column)
        return corrupt(ipc, "it contains a second schema");
    if (flat_integer(header, 0, 2, 0) != 0)
        return unsupported(ipc, "Arrow data in big-endian order is not supported",
                           "write it on a little-endian machine");
    if (ipc->flat.invalid || fields.count > MOST_COLUMNS)
        return corrupt(ipc, "the schema");
    TRY(ALLOC_ZERO(ipc->context, ipc->column, fields.count, "columns", ipc->error));
    TRY(ALLOC_ZERO(ipc->context, ipc->dictionary, fields.count, "columns", ipc->error));
    TRY(ALLOC_ZERO(ipc->context, ipc->schemas, fields.count, "columns", ipc->error));
    TRY(ALLOC_ZERO(ipc->context, ipc->arrays, fields.count, "columns", ipc->error));
    for (uint32_t i = 0; i < fields.count; i++) {
        FlatTable field = flat_element(&fields, i);

        ipc->columns++; /* read_column may fail after it has allocated */
        TRY(read_column(ipc, &field, &ipc->column[i]));
        ipc->schemas[i] = &ipc->column[i].schema;
        ipc->arrays[i] = &ipc->column[i].cells.array;
    }
    if (ipc->flat.invalid)
        return corrupt(ipc, "the schema");
    ipc->schema = (struct ArrowSchema){
        .format = "+s", .n_children = (int64_t)fields.count, .children = ipc->schemas};
    return clv_arrow_begin(ipc->writer, &ipc->schema);
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* The remaining parts of a batch. */
typedef struct {
    Ipc *ipc;
    const Buffer *body;
    Arena *memory;
    FlatVector nodes, buffers, variadic;
    uint32_t node, buffer, view;
    int64_t codec;
    uint64_t unpacked_left; /* budget of decompressed bytes */
} Parts;

static bool decompress(int64_t codec, const char *in, size_t in_size, char *out, size_t out_size)
{
#ifdef HAVE_ZSTD
    if (codec == CODEC_ZSTD)
        return ZSTD_decompress(out, out_size, in, in_size) == out_size;
#endif
    return codec == CODEC_LZ4 && clv_lz4_frame(in, in_size, out, out_size);
}

/* Decompresses a buffer. It begins with its size, which is -1 if the buffer is not compressed. */
static Status unpack(Parts *parts, const char **data, size_t *size)
{
    int64_t unpacked;
    char *out;

    if (*size < sizeof unpacked)
        return corrupt(parts->ipc, "a compressed buffer");
    memcpy(&unpacked, *data, sizeof unpacked);
    *data += sizeof unpacked;
    *size -= sizeof unpacked;
    if (unpacked == -1)
        return OK;
    if (unpacked < 0 || (uint64_t)unpacked > parts->unpacked_left)
        return corrupt(parts->ipc, "the size of a compressed buffer");
    TRY(clv_affordable((double)unpacked, parts->ipc->error, "the buffers of a column"));
    parts->unpacked_left -= (uint64_t)unpacked;
    out = clv_arena_alloc(parts->memory, (size_t)unpacked, 1);
    if (!out)
        return parts->memory->status;
    if (!decompress(parts->codec, *data, *size, out, (size_t)unpacked))
        return corrupt(parts->ipc, "a compressed buffer");
    *data = out;
    *size = (size_t)unpacked;
    return OK;
}

static Status next_buffer(Parts *parts, const char **data, size_t *size)
{
    Ipc *ipc = parts->ipc;
    int64_t place[2]; /* offset and length of a buffer */

    if (parts->buffer >= parts->buffers.count ||
        !flat_get(&ipc->flat, parts->buffers.at + sizeof place * parts->buffer++, place,
                  sizeof place))
        return corrupt(ipc, "a buffer of a column is missing");
    if (place[0] < 0 || place[1] < 0 || place[0] % ALIGNMENT ||
        (uint64_t)place[0] > parts->body->size ||
        (uint64_t)place[1] > parts->body->size - (uint64_t)place[0])
        return corrupt(ipc, "a buffer is outside its message");
    *data = parts->body->data + place[0];
    *size = (size_t)place[1];
    return *size && parts->codec != CODEC_NONE ? unpack(parts, data, size) : OK;
}

static Status add_buffer(Parts *parts, Cells *cells)
{
    Context *context = parts->ipc->context;
    size_t number = (size_t)cells->array.n_buffers;
    const char *data = NULL;

    TRY(GROW(context, cells->buffers, cells->capacity, number + 1, parts->ipc->error));
    TRY(GROW(context, cells->sizes, cells->size_capacity, number + 1, parts->ipc->error));
    TRY(next_buffer(parts, &data, &cells->sizes[number]));
    cells->buffers[number] = cells->sizes[number] ? data : NULL;
    cells->array.n_buffers++;
    cells->array.buffers = cells->buffers;
    return OK;
}

/* ---- checks of the cells --------------------------------------------------------------------- */

static bool is_valid(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *bits = array->n_buffers ? array->buffers[0] : NULL;

    return array->null_count == 0 || !bits || bits[row / 8] >> (row % 8) & 1;
}

/* Whether a buffer has one element of `size` bytes for each row, and `more` elements. */
static bool has_elements(const Cells *cells, size_t buffer, size_t size, size_t more)
{
    return cells->sizes[buffer] / size >= (size_t)cells->array.length + more;
}

/* Checks that offsets of text increase and are within the buffer. An array without rows needs no
 * offset. */
static bool check_text(Cells *cells, bool large)
{
    const int32_t *ends = cells->buffers[1];
    const int64_t *large_ends = cells->buffers[1];
    int64_t before = 0;

    if (cells->array.length == 0)
        return true;
    if (!has_elements(cells, 1, large ? sizeof *large_ends : sizeof *ends, 1))
        return false;
    for (int64_t i = 0; i <= cells->array.length; i++) {
        int64_t end = large ? large_ends[i] : ends[i];

        if (end < before)
            return false;
        before = end;
    }
    if (!cells->buffers[2])
        cells->buffers[2] = "";
    return (uint64_t)before <= cells->sizes[2];
}

static bool check_views(const Cells *cells)
{
    const struct ArrowArray *array = &cells->array;

    if (!has_elements(cells, 1, VIEW_SIZE, 0))
        return false;
    for (int64_t i = 0; i < array->length; i++) {
        int32_t view[4]; /* length, prefix, buffer and offset */

        if (!is_valid(array, i))
            continue;
        memcpy(view, (const char *)array->buffers[1] + i * VIEW_SIZE, sizeof view);
        if (view[0] >= 0 && view[0] <= VIEW_INLINE)
            continue;
        if (view[0] < 0 || view[2] < 0 || view[2] >= array->n_buffers - 2 || view[3] < 0 ||
            (uint64_t)view[3] + (uint64_t)view[0] > cells->sizes[2 + view[2]])
            return false;
    }
    return true;
}

static size_t fixed_size(const char *format)
{
    switch (format[0]) {
    case 'c':
    case 'C':
        return 1;
    case 's':
    case 'S':
    case 'e':
        return 2;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    case 'd':
        return 16;
    case 't':
        return format[2] == 'D' ? 4 : 8;
    default:
        return 8;
    }
}

static bool check_cells(Cells *cells, const char *format)
{
    struct ArrowArray *array = &cells->array;

    if (format[0] == 'n')
        return true;
    if (array->buffers[0] && cells->sizes[0] < (size_t)array->length / 8 + (array->length % 8 > 0))
        return false;
    switch (format[0]) {
    case 'b':
        return cells->sizes[1] >= (size_t)array->length / 8 + (array->length % 8 > 0);
    case 'u':
    case 'U':
        return check_text(cells, format[0] == 'U');
    case 'v':
        return check_views(cells);
    default:
        return has_elements(cells, 1, fixed_size(format), 0);
    }
}

static bool index_is_below(const char *format, const void *values, int64_t row, uint64_t count)
{
    switch (format[0]) {
    case 'c':
    case 'C':
        return (format[0] == 'C' || ((const int8_t *)values)[row] >= 0) &&
               ((const uint8_t *)values)[row] < count;
    case 's':
    case 'S':
        return (format[0] == 'S' || ((const int16_t *)values)[row] >= 0) &&
               ((const uint16_t *)values)[row] < count;
    case 'i':
    case 'I':
        return (format[0] == 'I' || ((const int32_t *)values)[row] >= 0) &&
               ((const uint32_t *)values)[row] < count;
    default:
        return ((const uint64_t *)values)[row] < count;
    }
}

static bool check_indexes(const ArrowColumn *column)
{
    const struct ArrowArray *array = &column->cells.array;
    uint64_t count = (uint64_t)column->dictionary->cells.array.length;

    for (int64_t row = 0; row < array->length; row++)
        if (is_valid(array, row) && !index_is_below(column->format, array->buffers[1], row, count))
            return false;
    return true;
}

/* ---- batches --------------------------------------------------------------------------------- */

static Status begin_parts(Ipc *ipc, const FlatTable *batch, const Buffer *body, Arena *memory,
                          Parts *parts)
{
    FlatTable compression = flat_table(batch, 3);

    clv_arena_free(memory);
    *memory = (Arena){.context = ipc->context, .error = ipc->error, .what = "an Arrow batch"};
    *parts = (Parts){.ipc = ipc,
                     .body = body,
                     .memory = memory,
                     .nodes = flat_vector(batch, 1, 16),
                     .buffers = flat_vector(batch, 2, 16),
                     .variadic = flat_vector(batch, 4, 8),
                     .unpacked_left = (uint64_t)body->size * MOST_EXPANSION + FREE_BYTES,
                     .codec = compression.at ? flat_integer(&compression, 0, 1, 0) : CODEC_NONE};
    if (ipc->flat.invalid)
        return corrupt(ipc, "a record batch");
#ifndef HAVE_ZSTD
    if (parts->codec == CODEC_ZSTD)
        return unsupported(ipc,
                           "the Arrow data is compressed with zstd, but this cleave was built "
                           "without zstd",
                           "write it without compression, or build cleave with libzstd");
#endif
    return OK;
}

/* Reads the cells of a column of `length` rows. */
static Status read_cells(Parts *parts, const char *format, int64_t length, Cells *cells)
{
    Ipc *ipc = parts->ipc;
    int64_t node[2], count = format[0] == 'n' ? 0 : format[0] == 'u' || format[0] == 'U' ? 3 : 2;

    if (parts->node >= parts->nodes.count ||
        !flat_get(&ipc->flat, parts->nodes.at + sizeof node * parts->node++, node, sizeof node))
        return corrupt(ipc, "a column is missing");
    if (node[0] != length || node[1] < 0)
        return corrupt(ipc, "the columns have different lengths");
    if (format[0] == 'v') {
        int64_t more;

        if (parts->view >= parts->variadic.count ||
            !flat_get(&ipc->flat, parts->variadic.at + sizeof more * parts->view++, &more,
                      sizeof more) ||
            more < 0 || more > (int64_t)parts->buffers.count)
            return corrupt(ipc, "the buffers of a column of views");
        count += more;
    }
    cells->array = (struct ArrowArray){.length = length, .null_count = node[1]};
    while (cells->array.n_buffers < count)
        TRY(add_buffer(parts, cells));
    return check_cells(cells, format) ? OK : corrupt(ipc, "the cells of a column");
}

static Status read_dictionary(Ipc *ipc, const FlatTable *header, uint64_t size)
{
    Dictionary *dictionary = dictionary_of(ipc, flat_integer(header, 0, 8, 0));
    FlatTable batch = flat_table(header, 1);
    Parts parts;
    int64_t length = flat_integer(&batch, 0, 8, 0);

    if (!dictionary || batch.at == 0 || length < 0)
        return corrupt(ipc, "a dictionary");
    if (flat_integer(header, 2, 1, 0) != 0)
        return unsupported(ipc, "dictionaries in several parts (deltas) are not supported",
                           "write complete dictionaries");
    TRY(read_into(ipc, &dictionary->body, size, "a dictionary"));
    TRY(begin_parts(ipc, &batch, &dictionary->body, &dictionary->memory, &parts));
    return read_cells(&parts, dictionary->format, length, &dictionary->cells);
}

static Status read_batch(Ipc *ipc, const FlatTable *header, uint64_t size)
{
    struct ArrowArray batch = {.length = flat_integer(header, 0, 8, 0),
                               .n_children = (int64_t)ipc->columns,
                               .children = ipc->arrays};
    bool any = batch.length == 0; /* whether there is memory behind the rows */
    Parts parts;

    if (batch.length < 0)
        return corrupt(ipc, "a record batch");
    TRY(read_into(ipc, &ipc->body, size, "a record batch"));
    TRY(begin_parts(ipc, header, &ipc->body, &ipc->memory, &parts));
    for (uint32_t i = 0; i < ipc->columns; i++) {
        ArrowColumn *column = &ipc->column[i];

        TRY(read_cells(&parts, column->format, batch.length, &column->cells));
        any = any || column->format[0] != 'n';
        if (!column->dictionary)
            continue;
        column->cells.array.dictionary = &column->dictionary->cells.array;
        if (!check_indexes(column))
            return corrupt(ipc, "an index is outside its dictionary");
    }
    clv_arrow_limit(ipc->writer, ipc->position);
    return any ? clv_arrow_put(ipc->writer, &ipc->schema, &batch)
               : corrupt(ipc, "no column has values");
}

static Status read_messages(Ipc *ipc)
{
    int64_t type;
    FlatTable header;
    uint64_t body;

    for (;;) {
        TRY(next_message(ipc, &type, &header, &body));
        if (type == 0)
            return ipc->column ? clv_arrow_end(ipc->writer) : corrupt(ipc, "there is no schema");
        if (!ipc->column && type != MESSAGE_SCHEMA)
            return corrupt(ipc, "the first message is not a schema");
        switch (type) {
        case MESSAGE_SCHEMA:
            TRY(read_schema(ipc, &header));
            TRY(read_into(ipc, &ipc->body, body, "the schema"));
            break;
        case MESSAGE_DICTIONARY:
            TRY(read_dictionary(ipc, &header, body));
            break;
        case MESSAGE_BATCH:
            TRY(read_batch(ipc, &header, body));
            break;
        default:
            return corrupt(ipc, "a message of unknown type");
        }
    }
}

static void free_ipc(Ipc *ipc)
{
    for (uint32_t i = 0; i < ipc->columns; i++)
        FREE(ipc->context, ipc->column[i].name, ipc->column[i].cells.buffers,
             ipc->column[i].cells.sizes);
    for (uint32_t i = 0; i < ipc->dictionaries; i++) {
        clv_arena_free(&ipc->dictionary[i].memory);
        FREE(ipc->context, ipc->dictionary[i].cells.buffers, ipc->dictionary[i].cells.sizes,
             ipc->dictionary[i].body.data);
    }
    clv_arena_free(&ipc->memory);
    FREE(ipc->context, ipc->metadata.data, ipc->body.data, ipc->column, ipc->dictionary,
         ipc->schemas, ipc->arrays);
}

bool clv_arrow_ipc_sniff(const char *head, size_t size)
{
    int32_t length;

    if (size >= sizeof magic + 1 && memcmp(head, magic, sizeof magic) == 0)
        return true;
    if (size < 8 || memcmp(head, continuation, 4) != 0)
        return false;
    memcpy(&length, head + 4, sizeof length);
    return length > 0 && length <= MOST_METADATA && length % ALIGNMENT == 0;
}

Status clv_arrow_ipc_read(ArrowWriter *writer, Bytes *bytes, const char *head, size_t size)
{
    enum { FILE_START = 8 }; /* size of ARROW1 and padding */
    Ipc ipc = {.context = writer->context,
               .writer = writer,
               .error = writer->error,
               .bytes = bytes,
               .head = head,
               .head_size = size};
    Status status;

    ipc.memory = (Arena){.context = writer->context, .error = writer->error};
    if (memcmp(head, magic, sizeof magic - 1) == 0)
        ipc.head_at = ipc.position = FILE_START;
    status = read_messages(&ipc);
    free_ipc(&ipc);
    return status;
}
