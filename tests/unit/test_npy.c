/* NumPy arrays: every type written and read, all kinds of headers and of damage, labels from
 * files. */
#include "base/random.h"
#include "read_all.h"

#include <math.h>
#include <unistd.h>
#include <zlib.h>

#define FORMAT &clv_format_npy

/* ---- making files ---------------------------------------------------------------------------- */

/* A header as numpy.save pads it: the values start on a multiple of 64. */
static void put_header(Text *file, int version, const char *dictionary)
{
    size_t start = version == 1 ? 10 : 12, length = strlen(dictionary) + 1;
    size_t padded = (start + length + 63) / 64 * 64 - start;
    unsigned char size[4] = {(unsigned char)padded, (unsigned char)(padded >> 8), 0, 0};

    text_add(file, "\x93NUMPY", 6);
    text_add(file, (char[]){(char)version, 0}, 2);
    text_add(file, size, version == 1 ? 2 : 4);
    text_put(file, dictionary);
    for (size_t i = length; i < padded; i++)
        text_put(file, " ");
    text_put(file, "\n");
}

static void put_array_header(Text *file, int version, const char *descr, unsigned rows, int columns)
{
    char text[200];

    if (columns < 0)
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%u,), }",
                 descr, rows);
    else
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%u, %d), }",
                 descr, rows, columns);
    put_header(file, version, text);
}

static void put_bits(Text *file, uint64_t bits, size_t size)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    text_add(file, bytes, size);
}

static void check(const Text *file, How how, const char *expected)
{
    assert_reads(FORMAT, file->data, file->size, how, expected);
}

static void refuse(const Text *file, How how, const char *message)
{
    assert_refuses(FORMAT, file->data, file->size, how, message);
}

/* The whole file is given at once, and refused. */
static void refuse_header(const char *dictionary, const char *message)
{
    Text file = {.data = NULL};

    put_header(&file, 1, dictionary);
    text_put(&file, "0123456789abcdef");
    refuse(&file, (How){0}, message);
    text_free(&file);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const char *const types[] = {"|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8",
                                    "<u8", "|b1", "<f2", "<f4", "<V2", "<f8"};
static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 1, 2, 4, 2, 8};

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);

    return bits & 0x8000 ? -value : value;
}

/* Random bits of a type that are a finite number of it, and the number as float. */
static uint64_t random_element(Random *random, size_t type, float *value)
{
    uint64_t bits = clv_random_next(random);
    uint32_t low = (uint32_t)bits;
    double real;

    if (clv_random_below(random, 3) == 0)
        bits = low = 0;
    switch (type) {
    case 0:
        *value = (float)(int8_t)bits;
        break;
    case 1:
        *value = (float)(uint8_t)bits;
        break;
    case 2:
        *value = (float)(int16_t)bits;
        break;
    case 3:
        *value = (float)(uint16_t)bits;
        break;
    case 4:
        *value = (float)(int32_t)bits;
        break;
    case 5:
        *value = (float)(uint32_t)bits;
        break;
    case 6:
        *value = (float)(int64_t)bits;
        break;
    case 7:
        *value = (float)bits;
        break;
    case 8:
        bits &= 1;
        *value = (float)bits;
        break;
    case 9:
        if ((bits & 0x7C00) == 0x7C00)
            bits ^= 0x4000;
        *value = (float)half_value((uint16_t)bits);
        break;
    case 10:
        if ((low & 0x7F800000) == 0x7F800000)
            low ^= 0x40000000;
        memcpy(value, &low, 4);
        bits = low;
        break;
    case 11: /* bfloat16: the upper half of a float */
        low <<= 16;
        if ((low & 0x7F800000) == 0x7F800000)
            low ^= 0x40000000;
        memcpy(value, &low, 4);
        bits = low >> 16;
        break;
    default:
        real = (double)(int32_t)bits * 0x1p-20;
        memcpy(&bits, &real, 8);
        *value = (float)real;
    }
    return bits;
}

static void random_array(Random *random, size_t type, int version, Text *file, Text *expected)
{
    unsigned rows = 1 + clv_random_below(random, 60), columns = 1 + clv_random_below(random, 12);
    bool one_dimension = columns == 1 && clv_random_below(random, 2);

    put_array_header(file, version, types[type], rows, one_dimension ? -1 : (int)columns);
    text_add(expected, "", 0);
    for (unsigned row = 0; row < rows; row++) {
        text_put(expected, "?");
        for (unsigned column = 0; column < columns; column++) {
            float value;
            char name[24];

            put_bits(file, random_element(random, type, &value), sizes[type]);
            if (value == 0)
                continue;
            snprintf(name, sizeof name, " %u:", column);
            text_put(expected, name);
            text_put_value(expected, value);
        }
        text_put(expected, "\n");
    }
}

static void every_type_comes_back(void **state)
{
    Random random = clv_random(1, 0);

    (void)state;
    for (unsigned round = 0; round < 600; round++) {
        Text file = {.data = NULL}, expected = {.data = NULL};

        random_array(&random, round % 13, 1 + (int)(round % 3), &file, &expected);
        check(&file, (How){0}, expected.data);
        check(&file,
              (How){.chunk_bytes = 1 + clv_random_below(&random, 300), .threads = 1 + round % 3},
              expected.data);
        text_free(&file);
        text_free(&expected);
    }
}

/* The chunks are full to the last byte, so that the end of the file is an empty one. */
static void the_last_chunk_may_be_empty(void **state)
{
    Text file = {.data = NULL}, expected = {.data = NULL};

    (void)state;
    put_array_header(&file, 1, "|u1", 3 << 13, 64);
    for (unsigned row = 0; row < 3 << 13; row++) {
        char values[64] = {[63] = 9};

        text_add(&file, values, sizeof values);
        text_put(&expected, "? 63:9\n");
    }
    for (unsigned threads = 1; threads <= 2; threads++)
        check(&file, (How){.threads = threads}, expected.data);
    memcpy(strstr(file.data + 10, "(24576"), "(24577", 6);
    refuse(&file, (How){0}, "the file ends after 24576 of the 24577 rows");
    text_free(&file);
    text_free(&expected);
}

static void put_double(Text *file, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, 8);
    put_bits(file, bits, 8);
}

static void values_must_be_finite(void **state)
{
    static const struct {
        double value;
        const char *found;
    } bad[] = {{INFINITY, "found inf"},
               {-INFINITY, "found -inf"},
               {1e300, "found 1e+300, which is too large"}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t chunk = 0; chunk < 100; chunk += 7) {
            Text file = {.data = NULL};

            put_array_header(&file, 1, "<f8", 9, 3);
            for (unsigned at = 0; at < 27; at++)
                put_double(&file, at == 22 ? bad[i].value : 1);
            refuse(&file, (How){.chunk_bytes = chunk},
                   "test: row 8, column 1 (byte 304): expected a finite number, found");
            refuse(&file, (How){.chunk_bytes = chunk}, bad[i].found);
            text_free(&file);
        }
    }
}

/* NaN is read as a missing cell of a table: 0, with `column=?` set. */
static void nan_is_missing(void **state)
{
    (void)state;
    for (size_t chunk = 0; chunk < 100; chunk += 7) {
        Text file = {.data = NULL};

        put_array_header(&file, 1, "<f8", 4, 2);
        for (unsigned at = 0; at < 8; at++)
            put_double(&file, at == 3 || at == 4 ? NAN : at);
        check(&file, (How){.chunk_bytes = chunk}, "? 1:1\n? 0:2 1=?:1\n? 1:5 0=?:1\n? 0:6 1:7\n");
        text_free(&file);
    }
}

/* For a model of rows without missing values, the first one is an error; a model of rows with them
 * accepts it. */
static void nan_beside_a_model(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    Text file = {.data = NULL}, complete = {.data = NULL}, text = {.data = NULL};
    ReadOptions options = {0};
    Source *learned, *source;
    cleave_error error;

    (void)state;
    clv_params_initial(clv_read_params, &options);
    put_array_header(&file, 1, "<f8", 2, 2);
    put_array_header(&complete, 1, "<f8", 2, 2);
    for (unsigned at = 0; at < 4; at++) {
        put_double(&file, at == 3 ? NAN : 1);
        put_double(&complete, 1);
    }
    for (int lacking = 0; lacking < 2; lacking++) {
        const Text *first = lacking ? &file : &complete;
        Status expected = lacking ? OK : CLEAVE_ERROR_DATA;
        ReadGuide guide;

        assert_int_equal(clv_read_memory(context, "a", first->data, first->size, FORMAT, &options,
                                         NULL, &learned, &error),
                         OK);
        assert_int_equal(text_put_source(&text, learned, &error), OK);
        guide = (ReadGuide){
            .schema = &learned->schema, .names = &learned->names, .features = learned->features};
        assert_int_equal(clv_read_memory(context, "test", file.data, file.size, FORMAT, &options,
                                         &guide, &source, &error),
                         OK);
        assert_int_equal(text_put_source(&text, source, &error), expected);
        if (!lacking)
            assert_non_null(
                strstr(error.message, "test: row 2, column 1: the value is missing (NaN)"));
        clv_source_close(source);
        clv_source_close(learned);
    }
    text_free(&file);
    text_free(&complete);
    text_free(&text);
    cleave_context_free(context);
}

static void fortran_order(void **state)
{
    (void)state;
    for (size_t chunk = 0; chunk < 40; chunk += 7) {
        Text file = {.data = NULL};

        put_header(&file, 1, "{'descr': '<u2', 'fortran_order': True, 'shape': (4, 3), }");
        for (unsigned at = 0; at < 12; at++)
            put_bits(&file, at, 2);
        check(&file, (How){.chunk_bytes = chunk},
              "? 1:4 2:8\n? 0:1 1:5 2:9\n? 0:2 1:6 2:10\n? 0:3 1:7 2:11\n");
        file.size--;
        refuse(&file, (How){.chunk_bytes = chunk},
               "the file ends inside the values declared in its header");
        text_add(&file, "abc", 3);
        refuse(&file, (How){.chunk_bytes = chunk},
               "expected the end of the file, found more bytes");
        text_free(&file);
    }
    refuse_header("{'descr': '<f4', 'fortran_order': True, 'shape': (9999999999999999999, 2), }",
                  "than a file can hold");
}

/* ---- archives -------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    Text bytes;
    uint32_t packed; /* bytes it takes in the archive, from `at` on */
    uint32_t at;
} Member;

static uint32_t pack(const Member *member, bool deflated, Text *archive)
{
    uLongf size = compressBound(member->bytes.size) + 64;
    unsigned char *packed = malloc(size);
    z_stream stream = {.next_in = (unsigned char *)member->bytes.data,
                       .avail_in = (unsigned)member->bytes.size};

    if (!deflated) {
        free(packed);
        text_add(archive, member->bytes.data, member->bytes.size);
        return (uint32_t)member->bytes.size;
    }
    stream.next_out = packed;
    stream.avail_out = (unsigned)size;
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size = stream.total_out;
    deflateEnd(&stream);
    text_add(archive, (char *)packed, size);
    free(packed);
    return (uint32_t)size;
}

static void put_member_facts(Text *archive, const Member *member, bool deflated, uint32_t packed)
{
    uint32_t crc = (uint32_t)crc32(0, (const unsigned char *)member->bytes.data,
                                   (unsigned)member->bytes.size);

    put_bits(archive, 20, 2);
    put_bits(archive, 0, 2);
    put_bits(archive, deflated ? 8 : 0, 2);
    put_bits(archive, 0, 4);
    put_bits(archive, crc, 4);
    put_bits(archive, packed, 4);
    put_bits(archive, member->bytes.size, 4);
    put_bits(archive, strlen(member->name), 2);
    put_bits(archive, 0, 2);
}

/* A ZIP file as zipfile of Python writes it. */
static void put_archive(Text *archive, Member *member, size_t count, bool deflated)
{
    size_t directory;

    for (size_t i = 0; i < count; i++) {
        Text packed = {.data = NULL};

        member[i].packed = pack(&member[i], deflated, &packed);
        member[i].at = (uint32_t)archive->size;
        put_bits(archive, 0x04034B50, 4);
        put_member_facts(archive, &member[i], deflated, member[i].packed);
        text_put(archive, member[i].name);
        text_add(archive, packed.data, packed.size);
        text_free(&packed);
    }
    directory = archive->size;
    for (size_t i = 0; i < count; i++) {
        put_bits(archive, 0x02014B50, 4);
        put_bits(archive, 20, 2);
        put_member_facts(archive, &member[i], deflated, member[i].packed);
        put_bits(archive, 0, 2);
        put_bits(archive, 0, 8);
        put_bits(archive, member[i].at, 4);
        text_put(archive, member[i].name);
    }
    put_bits(archive, 0x06054B50, 4);
    put_bits(archive, 0, 4);
    put_bits(archive, count, 2);
    put_bits(archive, count, 2);
    put_bits(archive, archive->size - directory - 12, 4);
    put_bits(archive, directory, 4);
    put_bits(archive, 0, 2);
}

static void make_archive(Text *archive, bool deflated)
{
    Member member[] = {{.name = "notes.txt"}, {.name = "X.npy"}, {.name = "y.npy"}};

    text_put(&member[0].bytes, "hello");
    put_array_header(&member[1].bytes, 1, "|u1", 3, 2);
    text_add(&member[1].bytes, "\1\2\3\4\5\6", 6);
    put_array_header(&member[2].bytes, 1, "|S1", 3, -1);
    text_add(&member[2].bytes, "aba", 3);
    put_archive(archive, member, 3, deflated);
    for (size_t i = 0; i < 3; i++)
        text_free(&member[i].bytes);
}

static void archives(void **state)
{
    (void)state;
    for (int deflated = 0; deflated < 2; deflated++) {
        Text archive = {.data = NULL};

        make_archive(&archive, deflated);
        check(&archive, (How){0}, "a 0:1 1:2\nb 0:3 1:4\na 0:5 1:6\n");
        text_free(&archive);
    }
}

/* Like archives with more than 65534 members or 4 GB: the fields of the end record are all ones,
 * and a record in front of it has the numbers. */
static void archives_of_64_bits(void **state)
{
    Text archive = {.data = NULL}, wide = {.data = NULL};
    uint32_t size, at;
    size_t end;

    (void)state;
    make_archive(&archive, false);
    end = archive.size - 22;
    memcpy(&size, archive.data + end + 12, 4);
    memcpy(&at, archive.data + end + 16, 4);
    text_add(&wide, archive.data, end);
    put_bits(&wide, 0x06064B50, 4);
    put_bits(&wide, 44, 8);
    put_bits(&wide, 0, 4);
    put_bits(&wide, 0, 8);
    put_bits(&wide, 3, 8);
    put_bits(&wide, 3, 8);
    put_bits(&wide, size, 8);
    put_bits(&wide, at, 8);
    put_bits(&wide, 0x07064B50, 4);
    put_bits(&wide, 0, 4);
    put_bits(&wide, end, 8);
    put_bits(&wide, 1, 4);
    put_bits(&wide, 0x06054B50, 4);
    put_bits(&wide, 0, 4);
    put_bits(&wide, UINT64_MAX, 8);
    put_bits(&wide, UINT64_MAX, 4);
    put_bits(&wide, 0, 2);
    check(&wide, (How){0}, "a 0:1 1:2\nb 0:3 1:4\na 0:5 1:6\n");
    /* Damage to the signature or the position of either record is detected. */
    for (size_t i = 0; i < 76; i++) {
        Text text = {.data = NULL};
        cleave_error error;
        bool matters = i < 4 || (i >= 48 && i < 60) || (i >= 64 && i < 72);

        wide.data[end + i] ^= 0x55;
        if (read_all(FORMAT, wide.data, wide.size, (How){0}, &text, &error) == OK)
            assert_false(matters);
        wide.data[end + i] ^= 0x55;
        text_free(&text);
    }
    text_free(&archive);
    text_free(&wide);
}

/* Truncated anywhere, or with one byte changed: an error, or the same rows if the byte has no
 * meaning. */
static void damaged_archives(void **state)
{
    Text archive = {.data = NULL};

    (void)state;
    make_archive(&archive, true);
    for (size_t size = 0; size < archive.size; size++) {
        Text text = {.data = NULL};
        cleave_error error;

        assert_int_not_equal(read_all(FORMAT, archive.data, size, (How){0}, &text, &error), OK);
        text_free(&text);
    }
    for (size_t at = 0; at < archive.size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            Text text = {.data = NULL};
            cleave_error error;

            archive.data[at] = (char)(archive.data[at] ^ 1 << bit);
            read_all(FORMAT, archive.data, archive.size, (How){0}, &text, &error);
            archive.data[at] = (char)(archive.data[at] ^ 1 << bit);
            text_free(&text);
        }
    text_free(&archive);
}

/* ---- headers --------------------------------------------------------------------------------- */

static void headers_as_others_write_them(void **state)
{
    static const char *const good[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 4), }",
        "{\"shape\": (4,4), \"descr\":\"|u1\",\"fortran_order\":False}",
        "  {'descr': '<u1', 'fortran_order': False, 'shape': (4L, 4L)}  \n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Text file = {.data = NULL};

        put_header(&file, 1, good[i]);
        text_add(&file, "\1\0\0\2\0\0\0\0\0\3\0\0\0\0\0\4", 16);
        check(&file, (How){0}, "? 0:1 3:2\n?\n? 1:3\n? 3:4\n");
        text_free(&file);
    }
}

static void refuses_other_arrays(void **state)
{
    (void)state;
    refuse_header("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2), }", "big-endian");
    refuse_header("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }",
                  "another type: '|O'");
    refuse_header("{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }", "another type");
    refuse_header("{'descr': '<f3', 'fortran_order': False, 'shape': (2, 2), }", "another type");
    refuse_header("{'descr': '|V2', 'fortran_order': False, 'shape': (2, 2), }", "another type");
    refuse_header("{'descr': '<U3', 'fortran_order': False, 'shape': (2, 2), }",
                  "an array of text");
    refuse_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
                  "records with fields");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
                  "one or two dimensions, found 0");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }", "found 3");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }",
                  "expected 1 to 2147483647 columns, found 0");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 9999999999), }",
                  "columns, found 9999999999");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999, 2), }",
                  "can hold");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 2), }",
                  "length of a dimension");
    refuse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 2), }", "a dimension");
    refuse_header("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 2), }", "True or False");
    refuse_header("{'descr': '<f4', 'shape': (2, 2), }",
                  "expected 'descr', 'fortran_order' and 'shape'");
    refuse_header("{'descr': '<f4', 'size': (2, 2), }", "found 'size");
    refuse_header("{'descr': '<f4' 'shape': (2, 2), }", "expected ',' or '}'");
    refuse_header("{'descr", "a key in quotes");
    refuse_header("hello", "expected '{'");
    refuse_header("", "expected '{'");
}

static void refuses_what_is_cut_or_too_long(void **state)
{
    Text file = {.data = NULL};

    (void)state;
    put_array_header(&file, 1, "<f4", 5, 3);
    for (unsigned i = 0; i < 15; i++)
        put_bits(&file, 0x3F800000, 4);
    for (size_t size = 0; size < file.size; size++) {
        Text text = {.data = NULL};
        cleave_error error;
        char byte[32];

        assert_int_not_equal(
            read_all(FORMAT, file.data, size, (How){.chunk_bytes = size % 50}, &text, &error), OK);
        snprintf(byte, sizeof byte, "byte %zu", size);
        if (size > 0)
            assert_non_null(strstr(error.message, byte));
        text_free(&text);
    }
    text_put(&file, "x");
    refuse(&file, (How){0}, "byte 188: ");
    text_free(&file);
}

/* Files that are larger than the first read, so that the end is found while settling. */
static void refuses_large_files_cut_or_too_long(void **state)
{
    const unsigned rows = 1200, columns = 1000;
    Text file = {.data = NULL};
    char *zeros = calloc(rows, columns);

    (void)state;
    put_array_header(&file, 1, "|u1", rows, (int)columns);
    text_add(&file, zeros, (size_t)rows * columns);
    file.size -= 1500;
    refuse(&file, (How){0}, "1198 of the 1200 rows");
    refuse(&file, (How){.threads = 2}, "byte 1198628: the file ends");
    file.size += 500;
    refuse(&file, (How){0}, "byte 1199128: the file ends after 1199 of the 1200 rows");
    file.size += 1000;
    text_add(&file, zeros, 1);
    refuse(&file, (How){0}, "byte 1200128: expected the end");
    text_add(&file, zeros, 2 * columns - 1);
    refuse(&file, (How){0}, "byte 1200128: ");
    free(zeros);
    text_free(&file);
}

static void damage_does_no_harm(void **state)
{
    Random random = clv_random(7, 0);
    Text file = {.data = NULL}, text = {.data = NULL};
    cleave_error error;

    (void)state;
    put_array_header(&file, 2, "<f4", 20, 3);
    for (unsigned i = 0; i < 60; i++)
        put_bits(&file, 0x3F800000, 4);
    for (size_t bit = 0; bit < 8 * 140; bit++) { /* each bit of the header, and some behind */
        file.data[bit / 8] ^= (char)(1 << bit % 8);
        if (read_all(FORMAT, file.data, file.size, (How){.chunk_bytes = 64}, &text, &error) != OK)
            assert_int_not_equal(error.message[0], 0);
        file.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (unsigned round = 0; round < 3000; round++) {
        size_t at = 6 + clv_random_below(&random, 110);
        char old = file.data[at];

        file.data[at] = " 0123456789,()'{}:<>|TFu"[clv_random_below(&random, 24)];
        if (read_all(FORMAT, file.data, file.size, (How){0}, &text, &error) != OK)
            assert_int_not_equal(error.message[0], 0);
        if (clv_random_below(&random, 4))
            file.data[at] = old;
        if (round % 50 == 0) {
            text_free(&file);
            put_array_header(&file, 2, "<f4", 20, 3);
            for (unsigned i = 0; i < 60; i++)
                put_bits(&file, 0x3F800000, 4);
        }
    }
    text_free(&file);
    text_free(&text);
}

/* ---- labels ---------------------------------------------------------------------------------- */

static char folder[] = "/tmp/cleave-npy-XXXXXX";
static char labels_path[64];

/* Three rows with the labels in the file given. */
static void check_labels(const void *labels, size_t size, const char *expected)
{
    Text file = {.data = NULL};

    put_array_header(&file, 1, "|u1", 3, -1);
    text_add(&file, "\1\2\3", 3);
    write_file(labels_path, labels, size);
    check(&file, (How){.labels = labels_path, .chunk_bytes = 1}, expected);
    check(&file, (How){.labels = labels_path}, expected);
    text_free(&file);
}

static void refuse_labels(const void *labels, size_t size, const char *message)
{
    Text file = {.data = NULL};

    put_array_header(&file, 1, "|u1", 3, -1);
    text_add(&file, "\1\2\3", 3);
    write_file(labels_path, labels, size);
    refuse(&file, (How){.labels = labels_path}, message);
    text_free(&file);
}

static void check_label_array(const char *descr, int columns, const void *bytes, size_t size,
                              const char *expected)
{
    Text labels = {.data = NULL};

    put_array_header(&labels, 1, descr, 3, columns);
    text_add(&labels, bytes, size);
    check_labels(labels.data, labels.size, expected);
    text_free(&labels);
}

static void labels_of_every_type(void **state)
{
    (void)state;
    check_labels("ham\nspam\nham\n", 13, "ham 0:1\nspam 0:2\nham 0:3\n");
    check_labels("1\r\n\n ?\r\n+1", 10, "1 0:1\n? 0:2\n+1 0:3\n");
    check_labels("\0\0\x08\1\0\0\0\3\7\1\7", 11, "7 0:1\n1 0:2\n7 0:3\n");
    check_label_array("<i8", -1,
                      "\1\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\x80", 24,
                      "1 0:1\n-1 0:2\n-9223372036854775808 0:3\n");
    check_label_array("<u8", 1, "\1\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1\0\0\0\0\0\0\0",
                      24, "1 0:1\n18446744073709551615 0:2\n1 0:3\n");
    check_label_array("|b1", -1, "\1\0\1", 3, "1 0:1\n0 0:2\n1 0:3\n");
    check_label_array("<f4", -1, "\0\0\x80\x3F\xCD\xCC\xCC\x3D\0\0\xC0\x7F", 12,
                      "1 0:1\n0.1 0:2\n? 0:3\n");
    check_label_array("<f8", -1,
                      "\0\0\x34\x26\xF5\x6B\x0C\x43\0\0\0\0\0\0\0\x80\0\0\0\0\0\0\x40\xC3", 24,
                      "1000000000000000 0:1\n0 0:2\n-9007199254740992 0:3\n");
    check_label_array("|S4", -1, "ham\0spam\0\0\0\0", 12, "ham 0:1\nspam 0:2\n? 0:3\n");
    check_label_array("<U2", -1, "\xE4\0\0\0x\0\0\0-N\0\0\0\0\0\0\0\xF6\1\0\0\0\0\0", 24,
                      "\xC3\xA4x 0:1\n\xE4\xB8\xAD 0:2\n\xF0\x9F\x98\x80 0:3\n");
}

static void labels_that_do_not_fit(void **state)
{
    Text labels = {.data = NULL};

    (void)state;
    refuse_labels("a\nb\n", 4, "test has 3 rows, but /tmp/cleave-npy-");
    refuse_labels("a\nb\n", 4, "has 2 labels");
    refuse_labels("a\nb\0\nc\n", 7, ":2: expected one label per line, found a zero byte");
    put_array_header(&labels, 1, "<i4", 3, 2);
    refuse_labels(labels.data, labels.size, "expected one label per row, found 2 columns");
    text_free(&labels);
    put_array_header(&labels, 1, "<i4", 3, -1);
    put_bits(&labels, 1, 8);
    refuse_labels(labels.data, labels.size, "the file ends inside the labels");
    put_bits(&labels, 1, 8);
    refuse_labels(labels.data, labels.size, "expected the end of the file after 3 labels");
    text_free(&labels);
    put_array_header(&labels, 1, "<f4", 3, -1);
    put_bits(&labels, 0x7F800000, 4);
    refuse_labels(labels.data, labels.size,
                  "label 1 (byte 128): expected a number, found infinity");
    text_free(&labels);
    put_array_header(&labels, 1, "<U1", 3, -1);
    put_bits(&labels, 0xD800, 8);
    put_bits(&labels, 0, 4);
    refuse_labels(labels.data, labels.size, "label 1 (byte 128): expected Unicode");
    text_free(&labels);
    put_array_header(&labels, 1, "<U0", 3, -1);
    refuse_labels(labels.data, labels.size, "labels of 0 bytes");
    text_free(&labels);
    labels.data = NULL;
    text_add(&labels, "", 0);
    for (unsigned i = 0; i < 300000; i++)
        text_put(&labels, "x");
    refuse_labels(labels.data, labels.size, ":1: expected a label, found a line of more than");
    text_free(&labels);
    unlink(labels_path);
    refuse_labels("", 0, "has 0 labels");
}

/* More labels than are read at once, as text and as numbers. */
static void many_labels(void **state)
{
    const unsigned rows = 100000;
    Text file = {.data = NULL}, numbers = {.data = NULL}, lines = {.data = NULL},
         expected = {.data = NULL};

    (void)state;
    put_array_header(&file, 1, "|u1", rows, -1);
    put_array_header(&numbers, 1, "<i4", rows, -1);
    for (unsigned row = 0; row < rows; row++) {
        unsigned label = row * 2654435761u >> 22;
        char line[32];

        text_add(&file, "\1", 1);
        put_bits(&numbers, label, 4);
        snprintf(line, sizeof line, "%u\n", label);
        text_put(&lines, line);
        snprintf(line, sizeof line, "%u 0:1\n", label);
        text_put(&expected, line);
    }
    write_file(labels_path, numbers.data, numbers.size);
    check(&file, (How){.labels = labels_path, .chunk_bytes = 1000}, expected.data);
    write_file(labels_path, lines.data, lines.size);
    check(&file, (How){.labels = labels_path}, expected.data);
    text_free(&file);
    text_free(&numbers);
    text_free(&lines);
    text_free(&expected);
}

/* Two files read as one must have the same number of columns. A file of labels applies to one file
 * of rows. */
static void several_files(void **state)
{
    static const int columns[] = {2, 2, 3};
    Context *context = cleave_context_new(NULL);
    const char *paths[3];
    char path[3][64];
    ReadOptions options = {.format = "auto"};
    Text text = {.data = NULL};
    cleave_error error;
    Source *source;

    (void)state;
    clv_params_initial(clv_read_params, &options);
    for (unsigned i = 0; i < 3; i++) {
        Text file = {.data = NULL};

        snprintf(path[i], sizeof path[i], "%s/%u.npy", folder, i);
        paths[i] = path[i];
        put_array_header(&file, 1, "|u1", 1, columns[i]);
        text_add(&file, "\1\2\3", (size_t)columns[i]);
        write_file(path[i], file.data, file.size);
        text_free(&file);
    }
    assert_int_equal(clv_read_files(context, paths, 2, &options, NULL, &source, &error), OK);
    assert_int_equal(text_put_source(&text, source, &error), OK);
    assert_string_equal(text.data, "? 0:1 1:2\n? 0:1 1:2\n");
    clv_source_close(source);
    assert_int_equal(clv_read_files(context, paths + 1, 2, &options, NULL, &source, &error), OK);
    assert_int_equal(text_put_source(&text, source, &error), CLEAVE_ERROR_DATA);
    assert_non_null(
        strstr(error.message, "2.npy: expected 2 columns as in the previous file, found 3"));
    clv_source_close(source);
    write_file(labels_path, "a\n", 2);
    options.labels = labels_path;
    assert_int_equal(clv_read_files(context, paths, 2, &options, NULL, &source, &error), OK);
    assert_int_equal(text_put_source(&text, source, &error), CLEAVE_ERROR_USAGE);
    clv_source_close(source);
    for (unsigned i = 0; i < 3; i++)
        unlink(path[i]);
    text_free(&text);
    cleave_context_free(context);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(labels_path, sizeof labels_path, "%s/labels", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(labels_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(the_last_chunk_may_be_empty),
        cmocka_unit_test(values_must_be_finite),
        cmocka_unit_test(nan_is_missing),
        cmocka_unit_test(nan_beside_a_model),
        cmocka_unit_test(fortran_order),
        cmocka_unit_test(archives),
        cmocka_unit_test(archives_of_64_bits),
        cmocka_unit_test(damaged_archives),
        cmocka_unit_test(headers_as_others_write_them),
        cmocka_unit_test(refuses_other_arrays),
        cmocka_unit_test(refuses_what_is_cut_or_too_long),
        cmocka_unit_test(refuses_large_files_cut_or_too_long),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(labels_of_every_type),
        cmocka_unit_test(labels_that_do_not_fit),
        cmocka_unit_test(many_labels),
        cmocka_unit_test(several_files),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
