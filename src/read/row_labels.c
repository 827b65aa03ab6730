/*
 * Labels of rows from a separate file: .npy or IDX with one element per row, or text with one label
 * per line. The file is read in pieces; memory holds one number per row and each distinct label
 * once.
 *
 * Numbers become decimal text. Integers have the same text for all array types. NaN is a missing
 * label. In text, blank lines are skipped and '?' is a missing label.
 */
#include "read/array.h"
#include "read/bytes.h"
#include "read/npz.h"
#include "text/unicode.h"

#include <math.h>

enum { PIECE = 1 << 18 };

typedef struct {
    Context *context;
    const char *path;
    Bytes *bytes;
    char *piece;
    size_t at, size; /* unread rest of the piece, from `at` to `size` */
    uint64_t before; /* number of bytes of the file before the piece */
    bool ended;
    const char *what; /* for messages: "label" or "weight" */
    RowLabels *labels;
} LabelFile;

/* Moves the rest to the front and reads more. */
static Status refill(LabelFile *file, cleave_error *error)
{
    size_t left = file->size - file->at, want, got = 0;

    if (left)
        memmove(file->piece, file->piece + file->at, left);
    file->before += file->at;
    file->at = 0;
    file->size = left;
    want = PIECE - left;
    if (file->ended || want == 0)
        return OK;
    TRY(clv_bytes_read(file->bytes, file->piece + left, want, &got, error));
    file->ended = got < want;
    file->size += got;
    return OK;
}

static Status add_label(LabelFile *file, const char *text, size_t length, cleave_error *error)
{
    RowLabels *labels = file->labels;
    uint32_t number = UNLABELED;

    TRY(GROW(file->context, labels->label, labels->capacity, (size_t)labels->count + 1, error));
    if (length > 0 && !(length == 1 && *text == '?'))
        TRY(clv_labels_add(&labels->labels, text, length, &number, error));
    labels->label[labels->count++] = number;
    return OK;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static Status fail_element(const LabelFile *file, const char *what, cleave_error *error)
{
    uint64_t number = file->labels->count + 1, byte = file->before + file->at;

    return clv_fail(error, CLEAVE_ERROR_DATA, "%s: %s %llu (byte %llu): %s", file->path, file->what,
                    (unsigned long long)number, (unsigned long long)byte, what);
}

static size_t put_whole(char text[NUMBER_SIZE + 1], bool negative, uint64_t size)
{
    text[0] = '-';
    return negative + clv_format_unsigned(text + negative, size);
}

static Status add_number(LabelFile *file, const Array *array, cleave_error *error)
{
    const char *bytes = file->piece + file->at;
    char text[NUMBER_SIZE + 1];
    size_t length;

    if (clv_element_is_real(array->type)) {
        double value = clv_element_real(array, bytes);

        if (isinf(value))
            return fail_element(file, "expected a number, found infinity", error);
        length = isnan(value) ? 0
                 : fabs(value) < 0x1p63 && value == trunc(value)
                     ? put_whole(text, value < 0, (uint64_t)fabs(value))
                 : array->type == ELEMENT_F8 ? clv_format_double(text, value)
                                             : clv_format_float(text, (float)value);
    } else {
        uint64_t bits = clv_element_bits(array, bytes);
        bool negative = array->type != ELEMENT_U8 && (int64_t)bits < 0;

        length = put_whole(text, negative, negative ? 0 - bits : bits);
    }
    return add_label(file, text, length, error);
}

static Status add_bytes(LabelFile *file, size_t length, cleave_error *error)
{
    const char *text = file->piece + file->at;

    while (length > 0 && text[length - 1] == '\0')
        length--;
    if (memchr(text, '\0', length))
        return fail_element(file, "expected text, found a zero byte", error);
    return add_label(file, text, length, error);
}

/* Adds a label of four-byte characters. In UTF-8 a character has at most four bytes, so the text is
 * rewritten in place. */
static Status add_unicode(LabelFile *file, size_t size, cleave_error *error)
{
    static const Array characters = {.type = ELEMENT_U4, .size = 4};
    char *text = file->piece + file->at;
    size_t length = 0, count = size / 4;

    while (count > 0 && clv_element_bits(&characters, text + 4 * (count - 1)) == 0)
        count--;
    for (size_t i = 0; i < count; i++) {
        uint32_t character = (uint32_t)clv_element_bits(&characters, text + 4 * i);
        char utf8[4];
        size_t bytes;

        if (character == 0 || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF))
            return fail_element(file, "expected Unicode characters, found invalid ones", error);
        bytes = clv_put_character(character, utf8);
        memcpy(text + length, utf8, bytes);
        length += bytes;
    }
    return add_label(file, text, length, error);
}

static Status check_label_array(const LabelFile *file, const Array *array, cleave_error *error)
{
    if (array->rows > 1 && array->width > 1) {
        clv_fail(error, CLEAVE_ERROR_DATA, "%s: expected one %s per row, found %llu columns",
                 file->path, file->what, (unsigned long long)array->width);
        return clv_hint(error, CLEAVE_ERROR_DATA, "pass the %ss as a one-dimensional array",
                        file->what);
    }
    if (array->size == 0 || array->size > PIECE)
        return clv_fail(error, CLEAVE_ERROR_DATA, "%s: labels of %zu bytes are not supported",
                        file->path, array->size);
    return OK;
}

static Status load_array(LabelFile *file, const Array *array, cleave_error *error)
{
    uint64_t count;

    TRY(check_label_array(file, array, error));
    if (__builtin_mul_overflow(array->rows, array->width, &count))
        count = UINT64_MAX;
    file->at = array->header;
    while (file->labels->count < count) {
        if (file->size - file->at < array->size)
            TRY(refill(file, error));
        if (file->size - file->at < array->size)
            return clv_fail_cut(file->path, file->before + file->size,
                                "the labels declared in its header", error);
        TRY(array->type == ELEMENT_BYTES     ? add_bytes(file, array->size, error)
            : array->type == ELEMENT_UNICODE ? add_unicode(file, array->size, error)
                                             : add_number(file, array, error));
        file->at += array->size;
    }
    TRY(refill(file, error));
    if (file->at < file->size)
        return clv_fail(
            error, CLEAVE_ERROR_DATA,
            "%s: byte %llu: expected the end of the file after %llu labels, found more bytes",
            file->path, (unsigned long long)file->before, (unsigned long long)count);
    return OK;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static Status add_line(LabelFile *file, const char *line, const char *stop, uint64_t number,
                       cleave_error *error)
{
    while (line < stop && is_blank(*line))
        line++;
    while (line < stop && is_blank(stop[-1]))
        stop--;
    if (memchr(line, '\0', (size_t)(stop - line)))
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "provide labels as text, .npy or IDX",
                             "%s:%llu: expected one label per line, found a zero byte", file->path,
                             (unsigned long long)number);
    return line < stop ? add_label(file, line, (size_t)(stop - line), error) : OK;
}

static Status load_lines(LabelFile *file, cleave_error *error)
{
    uint64_t number = 1;

    if (file->size >= 3 && memcmp(file->piece, "\xEF\xBB\xBF", 3) == 0)
        file->at = 3;
    for (;; number++) {
        const char *line = file->piece + file->at;
        const char *end = memchr(line, '\n', file->size - file->at);

        if (!end) {
            TRY(refill(file, error));
            line = file->piece;
            end = memchr(line, '\n', file->size);
        }
        if (!end && !file->ended)
            return clv_fail(error, CLEAVE_ERROR_DATA,
                            "%s:%llu: expected a label, found a line of more than %d bytes",
                            file->path, (unsigned long long)number, PIECE);
        TRY(add_line(file, line, end ? end : file->piece + file->size, number, error));
        if (!end)
            return OK;
        file->at = (size_t)(end - file->piece) + 1;
    }
}

static Status load(LabelFile *file, cleave_error *error)
{
    bool npy, idx;
    Array array;

    TRY(refill(file, error));
    npy = clv_npy_sniff(file->piece, file->size);
    idx = !npy && clv_idx_sniff(file->piece, file->size);
    if (npy)
        TRY(clv_npy_header(file->path, file->piece, file->size, file->ended, &array, error));
    if (idx)
        TRY(clv_idx_header(file->path, file->piece, file->size, file->ended, &array, error));
    return npy || idx ? load_array(file, &array, error) : load_lines(file, error);
}

static Status read_labels(Context *context, Bytes *bytes, const char *what, RowLabels *labels,
                          cleave_error *error)
{
    LabelFile file = {.context = context,
                      .path = clv_bytes_name(bytes),
                      .bytes = bytes,
                      .what = what,
                      .labels = labels};
    Status status;

    *labels = (RowLabels){.count = 0};
    clv_labels_init(&labels->labels, context);
    file.piece = clv_alloc(context, PIECE, 1);
    status = file.piece ? load(&file, error) : clv_fail_memory(error, "labels", PIECE);
    clv_free(context, file.piece);
    if (status != OK)
        clv_row_labels_free(labels);
    return status;
}

Status clv_row_labels_read(Context *context, Bytes *bytes, RowLabels *labels, cleave_error *error)
{
    return read_labels(context, bytes, "label", labels, error);
}

/* Opens the array of an archive that has a name for labels or weights. */
static Status enter_archive(Context *context, Bytes *bytes, bool weights, cleave_error *error)
{
    const NpzMember *member;
    char head[4];
    size_t got = 0;
    Npz npz;
    Status status;

    if (!clv_bytes_seekable(bytes))
        return OK;
    TRY(clv_bytes_at(bytes, 0, head, sizeof head, &got, error));
    if (!clv_zip_sniff(head, got))
        return OK;
    status = clv_npz_list(context, bytes, &npz, error);
    THEN(status, clv_npz_choose_labels(&npz, clv_bytes_name(bytes), weights, &member, error));
    THEN(status, clv_npz_enter(bytes, member, error));
    clv_npz_free(&npz);
    return status;
}

static Status load_file(Context *context, const char *path, bool weights, RowLabels *labels,
                        cleave_error *error)
{
    Bytes *bytes;
    Status status;

    TRY(clv_bytes_open(context, path, &bytes, error));
    status = enter_archive(context, bytes, weights, error);
    THEN(status, read_labels(context, bytes, weights ? "weight" : "label", labels, error));
    clv_bytes_close(bytes);
    return status;
}

Status clv_row_labels_load(Context *context, const char *path, RowLabels *labels,
                           cleave_error *error)
{
    return load_file(context, path, false, labels, error);
}

Status clv_row_weights_load(Context *context, const char *path, RowLabels *weights,
                            cleave_error *error)
{
    return load_file(context, path, true, weights, error);
}

void clv_row_labels_free(RowLabels *labels)
{
    clv_free(labels->labels.context, labels->label);
    labels->label = NULL;
    clv_labels_free(&labels->labels);
}
