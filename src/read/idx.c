/*
 * IDX, the format of MNIST: two zeros, a byte for the element type, a byte for the number of
 * dimensions, the length of each dimension as four bytes, then the elements, all big-endian. Rows
 * are the first dimension; the others are flattened to columns, named by their number from 0.
 *
 * Labels are in a file of one dimension. The labels of `…images-idx3…` are in `…labels-idx1…`
 * beside it, with the same suffix or another compression; --labels names any other file.
 */
#include "read/array.h"

#include <unistd.h>

enum { MOST_DIMENSIONS = 16 };

static const char *const suffixes[] = {"-ubyte", ".idx", NULL};

/* ---- the header ------------------------------------------------------------------------------ */

static bool find_type(unsigned char code, Array *array)
{
    static const struct {
        unsigned char code;
        ElementType type;
        size_t size;
    } types[] = {{0x08, ELEMENT_U1, 1}, {0x09, ELEMENT_I1, 1}, {0x0B, ELEMENT_I2, 2},
                 {0x0C, ELEMENT_I4, 4}, {0x0D, ELEMENT_F4, 4}, {0x0E, ELEMENT_F8, 8}};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code == code) {
            array->type = types[i].type;
            array->size = types[i].size;
            return true;
        }
    }
    return false;
}

static uint32_t dimension(const char *head, unsigned number)
{
    static const Array lengths = {.type = ELEMENT_U4, .size = 4, .big_endian = true};

    return (uint32_t)clv_element_bits(&lengths, head + 4 + 4 * number);
}

/* Multiplies the lengths after the first. Returns false if a row has no elements or too many. */
static bool find_width(const char *head, unsigned dimensions, uint64_t *width)
{
    *width = 1;
    for (unsigned i = 1; i < dimensions; i++) {
        *width *= dimension(head, i);
        if (*width == 0 || *width > MOST_FEATURES)
            return false;
    }
    return true;
}

bool clv_idx_sniff(const char *head, size_t size)
{
    unsigned dimensions = size >= 4 ? (unsigned char)head[3] : 0;
    uint64_t width;
    Array array;

    return size >= 4 && head[0] == 0 && head[1] == 0 && find_type((unsigned char)head[2], &array) &&
           dimensions >= 1 && dimensions <= MOST_DIMENSIONS && size >= 4 + 4 * dimensions &&
           find_width(head, dimensions, &width);
}

static Status fail_magic(const char *path, const char *head, size_t size, cleave_error *error)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "set the format with --format if the file is not IDX; otherwise copy it again",
        "%s: byte 0: expected two zero bytes, a type (08, 09, 0b to 0e) and 1 to %d dimensions, "
        "found '%s'",
        path, MOST_DIMENSIONS, clv_quote(quoted, head, size < 4 ? size : 4));
}

Status clv_idx_header(const char *path, const char *head, size_t size, bool whole, Array *array,
                      cleave_error *error)
{
    unsigned dimensions;

    *array = (Array){0};
    (void)whole;
    if ((size > 0 && head[0] != 0) || (size > 1 && head[1] != 0) ||
        (size > 2 && !find_type((unsigned char)head[2], array)) ||
        (size > 3 && (head[3] < 1 || head[3] > MOST_DIMENSIONS)))
        return fail_magic(path, head, size, error);
    dimensions = size > 3 ? (unsigned char)head[3] : 0;
    if (size < 4 || size < 4 + 4 * (size_t)dimensions)
        return clv_fail_cut(path, size, "the header", error);
    array->big_endian = true;
    array->header = 4 + 4 * (size_t)dimensions;
    array->rows = dimension(head, 0);
    if (!find_width(head, dimensions, &array->width))
        return clv_fail(error, CLEAVE_ERROR_DATA,
                        "%s: byte 8: expected rows of 1 to %u elements, found other dimensions",
                        path, MOST_FEATURES);
    return OK;
}

/* ---- the labels beside ----------------------------------------------------------------------- */

/* Returns the position of "images-idx3" (or "images.idx3") in the file name; NULL: none. */
static const char *find_images(const char *path)
{
    const char *slash = strrchr(path, '/'), *found = NULL;

    for (const char *p = slash ? slash + 1 : path; (p = strstr(p, "images")); p++)
        if ((p[6] == '-' || p[6] == '.') && strncmp(p + 7, "idx", 3) == 0 &&
            (unsigned)(p[10] - '0') <= 9)
            found = p;
    return found;
}

/* Returns the length of path without a compression suffix. */
static size_t plain_length(const char *path)
{
    size_t length = strlen(path);

    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        return length - 3;
    if (length > 4 && strcmp(path + length - 4, ".zst") == 0)
        return length - 4;
    return length;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Sets *labels to the path of the file beside, which the caller frees, or to NULL. */
static Status find_beside(Reader *reader, char **labels, cleave_error *error)
{
    static const char *const endings[] = {"", ".gz", ".zst"};
    static const char word[] = {'l', 'a', 'b', 'e', 'l', 's'}; /* a word as long as "images" */
    Context *context = reader->source.context;
    const char *images = find_images(reader->path);
    size_t length = strlen(reader->path);
    char *path;

    *labels = NULL;
    if (!images)
        return OK;
    TRY(clv_new(context, &path, length + sizeof ".zst", 1, false, "a path", error));
    memcpy(path, reader->path, length + 1);
    memcpy(path + (images - reader->path), word, sizeof word);
    path[images - reader->path + 10] = '1';
    if (!exists(path)) {
        size_t plain = plain_length(path), i = 0;

        do
            memcpy(path + plain, endings[i], strlen(endings[i]) + 1);
        while (!exists(path) && ++i < 3);
        if (i == 3) {
            clv_free(context, path);
            path = NULL;
        }
    }
    *labels = path;
    return OK;
}

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error)
{
    const char *given = reader->options.labels;
    char *beside = NULL;
    Status status;
    Array array;

    TRY(clv_idx_header(reader->path, head, size, whole, &array, error));
    if (!given)
        TRY(find_beside(reader, &beside, error));
    if (!given && !beside && !reader->state) /* noted once, not in every pass over the data */
        clv_note(reader->source.context, "%s: the labels file is missing; --labels names one",
                 reader->path);
    status = beside && !reader->guesses.noted
                 ? clv_guess_add(&reader->guesses, "labels file", beside, "--labels", NULL, error)
                 : OK;
    THEN(status, clv_array_start(reader, &array, given ? given : beside, size, whole, skip, error));
    clv_free(reader->source.context, beside);
    return status;
}

const Format clv_format_idx = {
    .name = "idx",
    .brief = "IDX as in MNIST; labels from the file beside it or --labels",
    .suffixes = suffixes,
    .sniff = clv_idx_sniff,
    .start = start,
    .cut = clv_array_cut,
    .parse = clv_array_parse,
    .settle = clv_array_settle,
    .finish = clv_array_finish,
    .scratch_size = sizeof(ArrayScratch),
};
