/* fvecs, bvecs, ivecs: values written and read in chunks of any size, labels, and damage, reported
 * with the row and the byte. */
#include "base/random.h"
#include "read_all.h"

#include <unistd.h>

static const char floats[] =
    "\2\0\0\0\0\0\x80\x3f\0\0\0\x40\2\0\0\0\0\0\0\0\0\0\x80\xbf"; /* 1 2, 0 -1 */
#define REFUSES(format, bytes, how, message)                                                       \
    assert_refuses(format, bytes, sizeof(bytes) - 1, how, message)

static void put_little(Text *file, uint32_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)(bits >> 8 * i);

        text_add(file, &byte, 1);
    }
}

static void values_come_back(void **state)
{
    static const struct {
        const Format *format;
        size_t size;
    } kinds[] = {{&clv_format_fvecs, 4}, {&clv_format_bvecs, 1}, {&clv_format_ivecs, 4}};
    Random random = clv_random(6, 0);

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        Text file = {.data = NULL}, expected = {.data = NULL};
        uint32_t width = 1 + (uint32_t)clv_random_below(&random, 9), kind = round % 3;

        for (uint64_t row = clv_random_below(&random, 40) + 1; row > 0; row--) {
            put_little(&file, width, 4);
            text_put(&expected, "?");
            for (uint32_t column = 0; column < width; column++) {
                int32_t number = (int32_t)clv_random_below(&random, 256) - (kind == 1 ? 0 : 128);
                float value = kind == 0 ? (float)number / 8 : (float)number;
                uint32_t bits;
                char name[24];

                memcpy(&bits, &value, 4);
                put_little(&file, kind == 0 ? bits : (uint32_t)number, kinds[kind].size);
                if (value == 0)
                    continue;
                snprintf(name, sizeof name, " %u:", column);
                text_put(&expected, name);
                text_put_value(&expected, value);
            }
            text_put(&expected, "\n");
        }
        assert_reads(kinds[kind].format, file.data, file.size,
                     (How){.chunk_bytes = 16 + round, .threads = 1 + round % 2}, expected.data);
        text_free(&file);
        text_free(&expected);
    }
}

static void names_row_and_byte(void **state)
{
    const Format *f = &clv_format_fvecs;
    static const char nan_in_2[] = "\1\0\0\0\0\0\x80\x3f\1\0\0\0\0\0\xc0\x7f";
    static const char infinite[] = "\2\0\0\0\0\0\x80\x3f\0\0\x80\xff";
    static const char other[] = "\1\0\0\0\0\0\x80\x3f\2\0\0\0\0\0\0\0\0\0\0\0";
    static const char cut[] = "\2\0\0\0\0\0\x80\x3f\0\0\0\x40\2\0\0\0\0\0";

    (void)state;
    REFUSES(f, nan_in_2, ((How){0}),
            "row 2, column 0 (byte 12): expected a finite number, found nan");
    REFUSES(f, infinite, ((How){0}),
            "row 1, column 1 (byte 8): expected a finite number, found -inf");
    REFUSES(f, other, ((How){0}),
            "row 2 (byte 8): expected 1 values as in the previous rows, found 2");
    REFUSES(f, other, ((How){.chunk_bytes = 8}),
            "row 2 (byte 8): expected 1 values as in the previous rows, found 2");
    REFUSES(f, cut, ((How){0}), "byte 18: the file ends inside row 2, which starts at byte 12");
    REFUSES(f, "\0\0\0\0", ((How){0}), "row 1 (byte 0): expected 1 to ");
    REFUSES(f, "\xff\xff\xff\xff\1", ((How){0}), "found -1");
    REFUSES(f, "\1\0", ((How){0}), "byte 2: the file ends inside the first row");
    REFUSES(&clv_format_bvecs, "\2\0\0\0\1\2\3\0\0\0\1\2", ((How){0}),
            "row 2 (byte 6): expected 2 values");
}

static void width_is_the_models(void **state)
{
    Context *context = cleave_context_new(NULL);
    Schema schema;
    Names names;
    ReadGuide guide = {.schema = &schema, .names = &names, .features = 3};

    (void)state;
    clv_schema_init(&schema, context);
    memcpy(schema.format, "npy", 4);
    clv_names_init(&names, context, true);
    names.first = 0;
    REFUSES(&clv_format_fvecs, floats, ((How){.guide = &guide}),
            "row 1 (byte 0): expected 3 values as in the model, found 2");
    guide.features = 2;
    assert_reads(&clv_format_fvecs, floats, sizeof floats - 1, (How){.guide = &guide},
                 "? 0:1 1:2\n? 1:-1\n");
    clv_names_free(&names);
    clv_schema_free(&schema);
    cleave_context_free(context);
}

static void labels_must_fit(void **state)
{
    char path[] = "/tmp/cleave-vecs-XXXXXX";
    int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    close(file);
    write_file(path, "cat\ndog\n", 8);
    assert_reads(&clv_format_fvecs, floats, sizeof floats - 1, (How){.labels = path},
                 "cat 0:1 1:2\ndog 1:-1\n");
    write_file(path, "cat\n", 4);
    REFUSES(&clv_format_fvecs, floats, ((How){.labels = path}), "test has 2 rows, but ");
    write_file(path, "cat\ncat\ncat\n", 12);
    REFUSES(&clv_format_fvecs, floats, ((How){.labels = path}), "has 3 labels");
    unlink(path);
}

static void damage_does_no_harm(void **state)
{
    Text file = {.data = NULL}, text = {.data = NULL};
    cleave_error error;

    (void)state;
    text_add(&file, floats, sizeof floats - 1);
    for (size_t bit = 0; bit < 8 * (sizeof floats - 1); bit++)
        for (size_t size = 0; size <= file.size; size++) {
            file.data[bit / 8] ^= (char)(1 << bit % 8);
            if (read_all(&clv_format_fvecs, file.data, size, (How){.chunk_bytes = 8}, &text,
                         &error) != OK)
                assert_int_not_equal(error.message[0], 0);
            file.data[bit / 8] ^= (char)(1 << bit % 8);
        }
    text_free(&file);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_back),    cmocka_unit_test(names_row_and_byte),
        cmocka_unit_test(width_is_the_models), cmocka_unit_test(labels_must_fit),
        cmocka_unit_test(damage_does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
