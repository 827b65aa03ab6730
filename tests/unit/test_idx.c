/* IDX files: every type written and read, labels beside and elsewhere, and all kinds of damage. */
#include "base/random.h"
#include "read_all.h"

#include <unistd.h>
#include <zlib.h>

#define FORMAT &clv_format_idx
#define REFUSES(bytes, how, message) assert_refuses(FORMAT, bytes, sizeof(bytes) - 1, how, message)

static void put_big(Text *file, uint64_t bits, size_t size)
{
    for (size_t i = size; i-- > 0;) {
        unsigned char byte = (unsigned char)(bits >> 8 * i);

        text_add(file, &byte, 1);
    }
}

static void put_header(Text *file, unsigned char type, unsigned dimensions, const uint32_t *lengths)
{
    unsigned char start[4] = {0, 0, type, (unsigned char)dimensions};

    text_add(file, start, 4);
    for (unsigned i = 0; i < dimensions; i++)
        put_big(file, lengths[i], 4);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t random_element(Random *random, unsigned char type, size_t *size, float *value)
{
    int32_t number = (int32_t)clv_random_next(random);
    double real = number * 0x1p-16;
    uint64_t bits;

    if (clv_random_below(random, 3) == 0)
        number = 0, real = 0;
    switch (type) {
    case 0x08:
        *size = 1;
        *value = (float)(uint8_t)number;
        return (uint8_t)number;
    case 0x09:
        *size = 1;
        *value = (float)(int8_t)number;
        return (uint8_t)number;
    case 0x0B:
        *size = 2;
        *value = (float)(int16_t)number;
        return (uint16_t)number;
    case 0x0C:
        *size = 4;
        *value = (float)number;
        return (uint32_t)number;
    case 0x0D: {
        uint32_t half;

        *size = 4;
        *value = (float)real;
        memcpy(&half, value, 4);
        return half;
    }
    default:
        *size = 8;
        *value = (float)real;
        memcpy(&bits, &real, 8);
        return bits;
    }
}

static void every_type_comes_back(void **state)
{
    static const unsigned char types[] = {0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E};
    Random random = clv_random(1, 0);

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        Text file = {.data = NULL}, expected = {.data = NULL};
        unsigned dimensions = 1 + round % 4;
        uint32_t lengths[4], width = 1;

        for (unsigned i = 0; i < dimensions; i++) {
            lengths[i] = 1 + clv_random_below(&random, i ? 4 : 50);
            width *= i ? lengths[i] : 1;
        }
        put_header(&file, types[round % 6], dimensions, lengths);
        for (unsigned row = 0; row < lengths[0]; row++) {
            text_put(&expected, "?");
            for (unsigned column = 0; column < width; column++) {
                float value;
                size_t size;
                uint64_t bits = random_element(&random, types[round % 6], &size, &value);
                char name[24];

                put_big(&file, bits, size);
                if (value == 0)
                    continue;
                snprintf(name, sizeof name, " %u:", column);
                text_put(&expected, name);
                text_put_value(&expected, value);
            }
            text_put(&expected, "\n");
        }
        assert_true(clv_format_idx.sniff(file.data, file.size));
        assert_reads(FORMAT, file.data, file.size, (How){0}, expected.data);
        assert_reads(
            FORMAT, file.data, file.size,
            (How){.chunk_bytes = 1 + clv_random_below(&random, 400), .threads = 1 + round % 3},
            expected.data);
        text_free(&file);
        text_free(&expected);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void refuses_bad_headers(void **state)
{
    (void)state;
    REFUSES("\1\0\x08\1\0\0\0\1x", (How){0}, "test: byte 0: expected two zero bytes");
    REFUSES("\0\0\x0A\1\0\0\0\1x", (How){0}, "found '\\x00\\x00\\n\\x01'");
    REFUSES("\0\0\x08\0", (How){0}, "1 to 16 dimensions");
    REFUSES("\0\0\x08\x90", (How){0}, "1 to 16 dimensions");
    REFUSES("\0\0\x08\2\0\0\0\1\0\0\0\0", (How){0}, "expected rows of 1 to");
    REFUSES("\0\0\x08\3\0\0\0\1\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", (How){0},
            "expected rows of 1 to");
    REFUSES("\0\0\x08\1\xFF\xFF\xFF\xFFx", (How){0},
            "byte 9: the file ends after 1 of the 4294967295 rows");
    REFUSES("\0\0\x0D\1\0\0\0\1\x7F\x80\0\0", (How){0},
            "row 1, column 0 (byte 8): expected a finite number, found inf");
}

static void refuses_what_is_cut_or_too_long(void **state)
{
    Text file = {.data = NULL};

    (void)state;
    put_header(&file, 0x0B, 3, (uint32_t[]){7, 2, 3});
    for (unsigned i = 0; i < 42; i++)
        put_big(&file, i, 2);
    for (size_t size = 1; size < file.size; size++) {
        char byte[64];

        snprintf(byte, sizeof byte, "byte %zu: the file ends", size);
        assert_refuses(FORMAT, file.data, size, (How){.chunk_bytes = size % 40}, byte);
    }
    text_put(&file, "x");
    assert_refuses(FORMAT, file.data, file.size, (How){0},
                   "byte 100: expected the end of the file after 7 rows");
    text_free(&file);
}

static void damage_does_no_harm(void **state)
{
    Text file = {.data = NULL}, text = {.data = NULL};
    cleave_error error;

    (void)state;
    put_header(&file, 0x0D, 2, (uint32_t[]){20, 3});
    for (unsigned i = 0; i < 60; i++)
        put_big(&file, 0x3F800000, 4);
    for (size_t first = 0; first < 8 * 16; first++) {
        for (size_t second = first; second < 8 * 16; second += 5) {
            file.data[first / 8] ^= (char)(1 << first % 8);
            file.data[second / 8] ^= (char)(1 << second % 8);
            clv_format_idx.sniff(file.data, file.size);
            if (read_all(FORMAT, file.data, file.size, (How){.chunk_bytes = 64}, &text, &error) !=
                OK)
                assert_int_not_equal(error.message[0], 0);
            file.data[first / 8] ^= (char)(1 << first % 8);
            file.data[second / 8] ^= (char)(1 << second % 8);
        }
    }
    text_free(&file);
    text_free(&text);
}

static void recognizes_idx(void **state)
{
    static const char images[] = "\0\0\x08\3\0\0\xEA\x60\0\0\0\x1C\0\0\0\x1C";

    (void)state;
    assert_true(clv_format_idx.sniff(images, 16));
    for (size_t size = 0; size < 16; size++)
        assert_false(clv_format_idx.sniff(images, size));
    assert_false(clv_format_idx.sniff("\0\0\x08\2\0\0\0\1\0\0\0\0", 12));
    assert_false(clv_format_idx.sniff("+1 1:1 2:1\n+1 1:1 2:1\n", 22));
}

/* ---- labels ---------------------------------------------------------------------------------- */

static char folder[] = "/tmp/cleave-idx-XXXXXX";
static const char images[] = "\0\0\x08\2\0\0\0\3\0\0\0\2\1\0\2\0\0\3";
static const char labels[] = "\0\0\x08\1\0\0\0\3\5\0\5";
static const char with_labels[] = "5 0:1\n0 0:2\n5 1:3\n";
static const char without[] = "? 0:1\n? 0:2\n? 1:3\n";

static const char *path_of(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static void check_images(const char *name, const char *label_file, const char *expected)
{
    char path[128], label_path[128];

    assert_reads(FORMAT, images, sizeof images - 1,
                 (How){.name = path_of(path, name),
                       .labels = label_file ? path_of(label_path, label_file) : NULL},
                 expected);
}

static void finds_labels_beside(void **state)
{
    char path[128];
    gzFile zipped;

    (void)state;
    check_images("t-images-idx2-ubyte", NULL, without);
    write_file(path_of(path, "t-labels-idx1-ubyte"), labels, sizeof labels - 1);
    check_images("t-images-idx2-ubyte", NULL, with_labels);
    check_images("t-images-idx3-ubyte.gz", NULL, with_labels);
    check_images("t-images-idx2-ubyte.zst", NULL, with_labels);
    check_images("images-idx", NULL, without);
    check_images("t-images", NULL, without);
    check_images("t-images-", NULL, without);
    check_images("s-images-idx2-ubyte", NULL, without);
    check_images("anything", "t-labels-idx1-ubyte", with_labels);
    unlink(path);
    zipped = gzopen(path_of(path, "t-labels-idx1-ubyte.gz"), "wb");
    assert_non_null(zipped);
    assert_int_equal(gzwrite(zipped, labels, sizeof labels - 1), sizeof labels - 1);
    assert_int_equal(gzclose(zipped), Z_OK);
    check_images("t-images-idx2-ubyte", NULL, with_labels);
    check_images("t-images-idx2-ubyte.gz", NULL, with_labels);
    unlink(path);
    write_file(path_of(path, "t-labels.idx1-ubyte"), labels, sizeof labels - 1);
    check_images("t-images.idx3-ubyte", NULL, with_labels);
    unlink(path);
}

static void labels_must_fit(void **state)
{
    char path[128];

    (void)state;
    write_file(path_of(path, "labels"), "\0\0\x08\1\0\0\0\2\5\0", 10);
    REFUSES(images, ((How){.labels = path}), "test has 3 rows, but ");
    REFUSES(images, ((How){.labels = path}), "/labels has 2 labels");
    write_file(path, labels, sizeof labels - 2);
    REFUSES(images, ((How){.labels = path}), "/labels: byte 10: the file ends inside the labels");
    write_file(path, labels, sizeof labels);
    REFUSES(images, ((How){.labels = path}),
            "/labels: byte 11: expected the end of the file after 3 labels");
    write_file(path, images, sizeof images - 1);
    REFUSES(images, ((How){.labels = path}),
            "/labels: expected one label per row, found 2 columns");
    write_file(path, "cat\ndog\ncat\n", 12);
    assert_reads(FORMAT, images, sizeof images - 1, (How){.labels = path},
                 "cat 0:1\ndog 0:2\ncat 1:3\n");
    unlink(path);
    REFUSES(images, ((How){.labels = path}), "/labels");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(refuses_bad_headers),
        cmocka_unit_test(refuses_what_is_cut_or_too_long),
        cmocka_unit_test(damage_does_no_harm),
        cmocka_unit_test(recognizes_idx),
        cmocka_unit_test(finds_labels_beside),
        cmocka_unit_test(labels_must_fit),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
