/*
 * NumPy's .npy, versions 1 to 3: "\x93NUMPY", two version bytes, the length of the header (two
 * bytes in version 1, four later), the header as a Python dictionary, then the values.
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }
 *
 * Rows are the first dimension, columns the second; a one-dimensional array is one column. Columns
 * are named by their number from 0. Labels come from the file named by --labels, or from the
 * archive (.npz) of the array.
 */
#include "read/array.h"

#include <stdio.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, MOST_DIMENSIONS = 32 };

static const char *const suffixes[] = {".npy", ".npz", NULL};

/* The header's text during parsing, and its values. */
typedef struct {
    const char *path;
    const char *head, *at, *stop;
    const char *descr;
    size_t descr_length;
    bool fortran, has_fortran, has_shape;
    unsigned dimensions;
    uint64_t shape[MOST_DIMENSIONS];
} Header;

/* ---- the dictionary -------------------------------------------------------------------------- */

static Status fail_expected(const Header *header, const char *expected, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "the file is damaged: write it again with numpy.save",
                         "%s: byte %zu: expected %s in the header, found '%s'", header->path,
                         (size_t)(header->at - header->head), expected,
                         clv_quote(quoted, header->at, (size_t)(header->stop - header->at)));
}

static void skip_blanks(Header *header)
{
    while (header->at < header->stop &&
           (*header->at == ' ' || *header->at == '\n' || *header->at == '\t'))
        header->at++;
}

static bool take(Header *header, char c)
{
    skip_blanks(header);
    if (header->at == header->stop || *header->at != c)
        return false;
    header->at++;
    return true;
}

static bool take_word(Header *header, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(header);
    if ((size_t)(header->stop - header->at) < length || memcmp(header->at, word, length) != 0)
        return false;
    header->at += length;
    return true;
}

static bool take_string(Header *header, const char **text, size_t *length)
{
    const char *end;

    skip_blanks(header);
    if (header->at == header->stop || (*header->at != '\'' && *header->at != '"'))
        return false;
    end = memchr(header->at + 1, *header->at, (size_t)(header->stop - header->at - 1));
    if (!end)
        return false;
    *text = header->at + 1;
    *length = (size_t)(end - *text);
    header->at = end + 1;
    return true;
}

static bool take_number(Header *header, uint64_t *number)
{
    const char *start;

    skip_blanks(header);
    start = header->at;
    *number = 0;
    for (; header->at < header->stop && (unsigned)(*header->at - '0') <= 9; header->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*header->at - '0'), number))
            return false;
    if (header->at == start)
        return false;
    take(header, 'L'); /* Python 2 appended an L */
    return true;
}

static Status read_shape(Header *header, cleave_error *error)
{
    if (!take(header, '('))
        return fail_expected(header, "a shape such as (100, 20)", error);
    header->dimensions = 0;
    while (!take(header, ')')) {
        if (header->dimensions == MOST_DIMENSIONS)
            return fail_expected(header, "at most 32 dimensions", error);
        if (!take_number(header, &header->shape[header->dimensions]))
            return fail_expected(header, "the length of a dimension", error);
        header->dimensions++;
        if (!take(header, ',') && (header->at == header->stop || *header->at != ')'))
            return fail_expected(header, "',' or ')'", error);
    }
    header->has_shape = true;
    return OK;
}

static Status read_descr(Header *header, cleave_error *error)
{
    if (take_string(header, &header->descr, &header->descr_length))
        return OK;
    if (header->at < header->stop && *header->at == '[')
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA,
            "save the fields as columns: numpy.lib.recfunctions.structured_to_unstructured",
            "%s: byte %zu: expected an array of numbers, found an array of records with fields",
            header->path, (size_t)(header->at - header->head));
    return fail_expected(header, "a type such as '<f4'", error);
}

static Status read_value(Header *header, const char *key, size_t length, cleave_error *error)
{
    if (length == 5 && memcmp(key, "descr", 5) == 0)
        return read_descr(header, error);
    if (length == 5 && memcmp(key, "shape", 5) == 0)
        return read_shape(header, error);
    if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
        header->has_fortran = true;
        header->fortran = take_word(header, "True");
        if (header->fortran || take_word(header, "False"))
            return OK;
        return fail_expected(header, "True or False", error);
    }
    header->at = key;
    return fail_expected(header, "'descr', 'fortran_order' or 'shape'", error);
}

static Status read_dictionary(Header *header, cleave_error *error)
{
    if (!take(header, '{'))
        return fail_expected(header, "'{'", error);
    while (!take(header, '}')) {
        const char *key;
        size_t length;

        if (!take_string(header, &key, &length))
            return fail_expected(header, "a key in quotes", error);
        if (!take(header, ':'))
            return fail_expected(header, "':'", error);
        TRY(read_value(header, key, length, error));
        if (!take(header, ',') && (header->at == header->stop || *header->at != '}'))
            return fail_expected(header, "',' or '}'", error);
    }
    skip_blanks(header);
    if (header->at != header->stop)
        return fail_expected(header, "nothing more", error);
    if (!header->descr || !header->has_fortran || !header->has_shape)
        return fail_expected(header, "'descr', 'fortran_order' and 'shape'", error);
    return OK;
}

/* ---- meaning -------------------------------------------------------------------------------- */

/* ml_dtypes writes bfloat16 as <V2. NumPy writes raw bytes as |V2. */
static const struct {
    char name[3];
    ElementType type;
    size_t size;
} types[] = {
    {"i1", ELEMENT_I1, 1},   {"u1", ELEMENT_U1, 1}, {"i2", ELEMENT_I2, 2}, {"u2", ELEMENT_U2, 2},
    {"i4", ELEMENT_I4, 4},   {"u4", ELEMENT_U4, 4}, {"i8", ELEMENT_I8, 8}, {"u8", ELEMENT_U8, 8},
    {"b1", ELEMENT_BOOL, 1}, {"f2", ELEMENT_F2, 2}, {"f4", ELEMENT_F4, 4}, {"f8", ELEMENT_F8, 8},
    {"V2", ELEMENT_BF2, 2},
};

/* Parses S12 or U12: text of 12 bytes or characters. */
static bool text_type(const char *descr, size_t length, Array *array)
{
    size_t count = 0;

    if (length < 3 || length > 9 || (descr[1] != 'S' && descr[1] != 'U'))
        return false;
    for (size_t i = 2; i < length; i++) {
        if ((unsigned)(descr[i] - '0') > 9)
            return false;
        count = 10 * count + (size_t)(descr[i] - '0');
    }
    array->type = descr[1] == 'S' ? ELEMENT_BYTES : ELEMENT_UNICODE;
    array->size = descr[1] == 'S' ? count : 4 * count;
    return true;
}

static bool find_type(const char *descr, size_t length, Array *array)
{
    for (size_t i = 0; length == 3 && i < sizeof types / sizeof *types; i++) {
        if (memcmp(types[i].name, descr + 1, 2) == 0 &&
            (types[i].type != ELEMENT_BF2 || descr[0] == '<')) {
            array->type = types[i].type;
            array->size = types[i].size;
            return true;
        }
    }
    return text_type(descr, length, array);
}

static Status fail_type(const Header *header, const char *what, const char *hint,
                        cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    clv_fail(error, CLEAVE_ERROR_DATA, "%s: byte %zu: %s: '%s'", header->path,
             (size_t)(header->descr - header->head), what,
             clv_quote(quoted, header->descr, header->descr_length));
    return clv_hint(error, CLEAVE_ERROR_DATA, "%s", hint);
}

static Status set_type(const Header *header, Array *array, cleave_error *error)
{
    const char *descr = header->descr;

    array->big_endian = false;
    if (header->descr_length < 2 ||
        !(descr[0] == '<' || descr[0] == '>' || descr[0] == '|' || descr[0] == '=') ||
        !find_type(descr, header->descr_length, array))
        return fail_type(header, "expected integers, floats or booleans, found another type",
                         "save it as numbers: numpy.save(file, a.astype('float32'))", error);
    if (descr[0] == '>' && array->size > 1 && array->type != ELEMENT_BYTES)
        return fail_type(header, "expected little-endian values, found big-endian ones",
                         "save it as little-endian: numpy.save(file, a.astype('<f4'))", error);
    return OK;
}

static Status set_shape(const Header *header, Array *array, cleave_error *error)
{
    if (header->dimensions < 1 || header->dimensions > 2)
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA,
            "reshape the array to rows by columns: numpy.save(file, a.reshape(len(a), -1))",
            "%s: expected an array of one or two dimensions, found %u", header->path,
            header->dimensions);
    array->rows = header->shape[0];
    array->width = header->dimensions == 2 ? header->shape[1] : 1;
    array->by_column = header->fortran && array->rows > 1 && array->width > 1;
    array->descr_at = (uint32_t)(header->descr - header->head);
    array->descr_size = (uint32_t)header->descr_length;
    return OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool clv_npy_sniff(const char *head, size_t size)
{
    return size >= MAGIC && memcmp(head, magic, MAGIC) == 0;
}

/* Finds the start and the end of the dictionary. */
static Status read_frame(const char *path, const char *head, size_t size, bool whole,
                         Header *header, cleave_error *error)
{
    const unsigned char *bytes = (const unsigned char *)head;
    size_t start, length;

    if (size < MAGIC && memcmp(head, magic, size) == 0)
        return clv_fail_cut(path, size, "the header", error);
    if (!clv_npy_sniff(head, size)) {
        char quoted[QUOTE_SIZE];

        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: byte 0: expected \\x93NUMPY, found '%s'",
                        path, clv_quote(quoted, head, size < 8 ? size : 8));
    }
    if (size > MAGIC && (bytes[MAGIC] < 1 || bytes[MAGIC] > 3))
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "%s: byte %d: expected version 1, 2 or 3, found %u", path, MAGIC,
                        bytes[MAGIC]);
    start = size > MAGIC && bytes[MAGIC] == 1 ? MAGIC + 4 : MAGIC + 6;
    if (size < start)
        return clv_fail_cut(path, size, "the header", error);
    length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[MAGIC] > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - start) {
        if (whole)
            return clv_fail_cut(path, size, "the header", error);
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: byte 8: a header of %zu bytes is too long",
                        path, length);
    }
    *header = (Header){
        .path = path, .head = head, .at = head + start, .stop = head + start + length};
    return OK;
}

Status clv_npy_header(const char *path, const char *head, size_t size, bool whole, Array *array,
                      cleave_error *error)
{
    Header header = {.path = path};

    *array = (Array){0};
    TRY(read_frame(path, head, size, whole, &header, error));
    TRY(read_dictionary(&header, error));
    TRY(set_type(&header, array, error));
    TRY(set_shape(&header, array, error));
    array->header = (size_t)(header.stop - head);
    return OK;
}

/* Writes version 2, padded to a multiple of 64 bytes as NumPy does. */
size_t clv_npy_plain_header(const Array *array, const char *head, char header[NPY_HEADER_SIZE])
{
    int length = snprintf(header + 12, NPY_HEADER_SIZE - 12,
                          "{'descr': '%.*s', 'fortran_order': False, 'shape': (%llu, %llu), }",
                          (int)array->descr_size, head + array->descr_at,
                          (unsigned long long)array->rows, (unsigned long long)array->width);
    size_t size = (12 + (size_t)length + 1 + 63) / 64 * 64;

    memset(header + 12 + length, ' ', size - 13 - (size_t)length);
    header[size - 1] = '\n';
    memcpy(header, "\x93NUMPY\x02\x00", 8);
    header[8] = (char)(unsigned char)(size - 12);
    header[9] = header[10] = header[11] = 0;
    return size;
}

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error)
{
    Array array;

    TRY(clv_npy_header(reader->path, head, size, whole, &array, error));
    return clv_array_start(reader, &array, reader->options.labels, size, whole, skip, error);
}

const Format clv_format_npy = {
    .name = "npy",
    .brief = "NumPy array (.npy) or archive (.npz, --key), rows by columns; labels from --labels "
             "or the archive",
    .suffixes = suffixes,
    .sniff = clv_npy_sniff,
    .start = start,
    .cut = clv_array_cut,
    .parse = clv_array_parse,
    .settle = clv_array_settle,
    .finish = clv_array_finish,
    .scratch_size = sizeof(ArrayScratch),
};
