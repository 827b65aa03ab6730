/*
 * LZ4 frames (src/read/lz4_frame.c): a compressor written here from the description of the format,
 * on texts that repeat, and frames that are cut or changed. The frame of bytes_by_hand is derived
 * from the description by hand.
 */
#include "property/table.h"

#include "read/lz4_frame.h"

enum { MOST = 3000, CAPACITY = 4 * MOST, LEAST_MATCH = 4, LAST_LITERALS = 5 };

typedef struct {
    unsigned char bytes[CAPACITY];
    size_t size;
} Frame;

static void put(Frame *frame, unsigned byte)
{
    assert_true(frame->size < CAPACITY);
    frame->bytes[frame->size++] = (unsigned char)byte;
}

static void put_u32(Frame *frame, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        put(frame, value >> 8 * i & 255);
}

static void put_length(Frame *frame, size_t length)
{
    if (length < 15)
        return;
    for (length -= 15; length >= 255; length -= 255)
        put(frame, 255);
    put(frame, (unsigned)length);
}

static void put_sequence(Frame *frame, const char *literals, size_t count, size_t distance,
                         size_t match)
{
    size_t more = match ? match - LEAST_MATCH : 0;

    put(frame, (unsigned)((count < 15 ? count : 15) << 4 | (more < 15 ? more : 15)));
    put_length(frame, count);
    for (size_t i = 0; i < count; i++)
        put(frame, (unsigned char)literals[i]);
    if (!match)
        return;
    put(frame, distance & 255);
    put(frame, (unsigned)(distance >> 8));
    put_length(frame, more);
}

/* The longest match before `at`, which may overlap it. */
static size_t find_match(const char *text, size_t at, size_t end, size_t *distance)
{
    size_t best = 0;

    for (size_t from = 0; from < at; from++) {
        size_t length = 0;

        while (at + length < end && text[from + length] == text[at + length])
            length++;
        if (length > best) {
            best = length;
            *distance = at - from;
        }
    }
    return best;
}

static void put_block(Frame *frame, const char *text, size_t from, size_t to)
{
    size_t literals = from, at = from, distance = 0;

    while (at + LAST_LITERALS < to) {
        size_t match = find_match(text, at, to - LAST_LITERALS, &distance);

        if (match < LEAST_MATCH) {
            at++;
            continue;
        }
        put_sequence(frame, text + literals, at - literals, distance, match);
        literals = at += match;
    }
    put_sequence(frame, text + literals, to - literals, 0, 0);
}

/* In blocks of random sizes, of which some are stored as they are. */
static void compress(Frame *frame, Random *random, const char *text, size_t size)
{
    bool block_sums = clv_random_below(random, 2), sum = clv_random_below(random, 2),
         sized = clv_random_below(random, 2);

    frame->size = 0;
    put_u32(frame, 0x184D2204);
    put(frame, 1 << 6 | (unsigned)block_sums << 4 | (unsigned)sized << 3 | (unsigned)sum << 2);
    put(frame, 4 << 4);
    for (int i = 0; i < 8 && sized; i++)
        put(frame, i < 4 ? (unsigned)(size >> 8 * i) & 255 : 0);
    put(frame, 0x55); /* the checksum of the header is not compared, like those of blocks */
    for (size_t from = 0, to; from < size; from = to) {
        size_t start = frame->size;

        to = from + 1 + clv_random_below(random, (uint32_t)(size - from));
        put_u32(frame, 0);
        if (clv_random_below(random, 4)) {
            put_block(frame, text, from, to);
        } else {
            for (size_t i = from; i < to; i++)
                put(frame, (unsigned char)text[i]);
            frame->bytes[start + 3] = 0x80;
        }
        frame->bytes[start] = (frame->size - start - 4) & 255;
        frame->bytes[start + 1] = (unsigned char)((frame->size - start - 4) >> 8);
        if (block_sums)
            put_u32(frame, 0x12345678);
    }
    put_u32(frame, 0);
    if (sum)
        put_u32(frame, 0x9ABCDEF0);
}

/* Reads from a copy that ends with the bytes, so that sanitizers detect reading past the end. */
static bool unpack(const unsigned char *bytes, size_t size, char *out, size_t out_size)
{
    char *copy = some(size, 1), *exact = some(out_size, 1);
    bool fine;

    memcpy(copy, bytes, size);
    fine = clv_lz4_frame(copy, size, exact, out_size);
    if (fine)
        memcpy(out, exact, out_size);
    free(copy);
    free(exact);
    return fine;
}

/* Runs of one byte, repeated pieces and noise. */
static size_t draw_text(Random *random, char *text)
{
    size_t size = clv_random_below(random, MOST), at = 0;

    while (at < size) {
        size_t length = 1 + clv_random_below(random, clv_random_below(random, 4) ? 20 : 700);
        uint32_t kind = clv_random_below(random, 3);
        size_t distance = at ? 1 + clv_random_below(random, (uint32_t)at) : 0;
        char same = (char)clv_random_below(random, 256);

        for (size_t i = 0; i < length && at < size; i++, at++)
            text[at] = kind == 0                ? same
                       : kind == 1 || !distance ? (char)clv_random_below(random, 256)
                                                : text[at - distance];
    }
    return size;
}

static void unpacks_what_was_packed(void **state)
{
    Random random = clv_random(test_seed("unpacks_what_was_packed"), 0);
    static char text[MOST + 1], out[MOST + 1];
    static Frame frame;

    (void)state;
    for (uint64_t n = how_many(60, 6000); n > 0; n--) {
        size_t size = draw_text(&random, text);

        compress(&frame, &random, text, size);
        assert_true(unpack(frame.bytes, frame.size, out, size));
        assert_memory_equal(out, text, size);
        assert_false(unpack(frame.bytes, frame.size, out, size + 1));
        assert_false(size > 0 && unpack(frame.bytes, frame.size, out, size - 1));
        for (int i = 0; i < 50; i++) /* cut: never complete */
            assert_false(
                unpack(frame.bytes, clv_random_below(&random, (uint32_t)frame.size), out, size));
        for (int i = 0; i < 50; i++) {
            frame.bytes[clv_random_below(&random, (uint32_t)frame.size)] ^= 1u << (i % 8);
            unpack(frame.bytes, frame.size, out, size);
        }
    }
}

static void bytes_by_hand(void **state)
{
    /* "ab", a match of 4 + 15 + 1 bytes at distance 2, "!" */
    unsigned char frame[] = {4,   0x22, 0x4D, 0x18, 0x40, 0x40, 0,   8, 0, 0, 0, 0x2F,
                             'a', 'b',  2,    0,    1,    0x10, '!', 0, 0, 0, 0};
    enum { FLAGS = 4, DISTANCE = 14, END_MARK = 4, SIZE = 23 };
    char out[SIZE];

    (void)state;
    assert_true(unpack(frame, sizeof frame, out, SIZE));
    assert_memory_equal(out, "ababababababababababab!", SIZE);
    assert_false(unpack(frame, sizeof frame - END_MARK, out, SIZE));
    frame[DISTANCE] = 3; /* before the start of the output */
    assert_false(unpack(frame, sizeof frame, out, SIZE));
    frame[DISTANCE] = 0;
    assert_false(unpack(frame, sizeof frame, out, SIZE));
    frame[DISTANCE] = 2;
    frame[FLAGS] = 0x41; /* a dictionary */
    assert_false(unpack(frame, sizeof frame, out, SIZE));
    frame[FLAGS] = 0x80; /* another version */
    assert_false(unpack(frame, sizeof frame, out, SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(unpacks_what_was_packed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
