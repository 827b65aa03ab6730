/* The reader of `label<TAB>text`: examples, and chunks of every size. test_tokens.c tests the
 * definition of words. */
#include "base/random.h"
#include "read_all.h"

#define FORMAT &clv_format_text
#define READS(bytes, how, expected) assert_reads(FORMAT, bytes, sizeof(bytes) - 1, how, expected)
#define REFUSES(bytes, how, message) assert_refuses(FORMAT, bytes, sizeof(bytes) - 1, how, message)

/* ---- lines ----------------------------------------------------------------------------------- */

static void reads_lines(void **state)
{
    (void)state;
    READS("ham\tHello, hello World\nspam\tWIN a world\n", (How){0},
          "ham hello:2 world:1\nspam world:1 win:1 a:1\n");
    READS("ham\tone\ttwo\t\t\n", (How){0}, "ham one:1 two:1\n");
    READS("\n \r\nham\tx\r\n\n", (How){0}, "ham x:1\n");
    READS("\tno label\n?\tnone either\n \t blank\n", (How){0},
          "? no:1 label:1\n? none:1 either:1\n? blank:1\n");
    READS(" ham \tx\n", (How){0}, "ham x:1\n");
    READS("1\tx\n+1\ty\n1.0\tz\n2\tx\n", (How){0}, "1 x:1\n+1 y:1\n1.0 z:1\n2 x:1\n");
    READS("\xEF\xBB\xBFham\tx\n", (How){0}, "ham x:1\n");
    READS("ham\t\nham\t... !\nham\tx\n", (How){0}, "ham\nham\nham x:1\n");
    READS("ham\tCaf\xC9 caf\xC3\xA9\n", (How){0}, "ham caf\xC3\xA9:2\n");
    READS("ham\tlast line", (How){0}, "ham last:1 line:1\n");
}

static void refuses_bad_lines(void **state)
{
    (void)state;
    REFUSES("ham\tx\nno tab here\n", (How){0},
            "test:2: expected label<TAB>text, found no TAB in 'no tab here'");
    REFUSES("ham\tx\nham\ty\0z\n", (How){0}, "test:2:6: expected text, found a zero byte");
    REFUSES("ham\tx\nham\tcut ", (How){0}, "test:2:8: the file is incomplete");
    for (size_t chunk = 1; chunk < 40; chunk++) {
        REFUSES("ham\tx\n\n\nham\ty z\nham\nham\0\n", ((How){.chunk_bytes = chunk}),
                "test:5: expected");
        REFUSES("ham\tx\n\n\nham\ty z\nham\0\nham\n", ((How){.chunk_bytes = chunk, .threads = 2}),
                "test:5:4: expected");
    }
}

static void reads_for_a_model(void **state)
{
    Context *context = cleave_context_new(NULL);
    ReadGuide guide = {.features = 2};
    Schema schema;
    Names names;
    uint32_t column;

    (void)state;
    clv_schema_init(&schema, context);
    memcpy(schema.format, "text", 5);
    clv_names_init(&names, context, false);
    assert_int_equal(clv_names_add(&names, "viagra", 6, &column, NULL), OK);
    assert_int_equal(clv_names_add(&names, "and", 3, &column, NULL), OK);
    guide.schema = &schema;
    guide.names = &names;
    READS("ham\tthis AND that\nViagra and\n\tand\nnothing known\n", (How){.guide = &guide},
          "ham and:1\n? viagra:1 and:1\n? and:1\n?\n");
    clv_names_free(&names);
    clv_names_init(&names, context, true);
    REFUSES("ham\tx\n", (How){.guide = &guide}, "test: this is text");
    clv_names_free(&names);
    clv_schema_free(&schema);
    cleave_context_free(context);
}

/* Rows of random words, of which many are new; some rows are longer than the short sort takes. */
static void random_lines(Text *text, Random *random, unsigned rows)
{
    static const char *const labels[] = {"spam", "ham", "", "ham"};

    for (unsigned row = 0; row < rows; row++) {
        unsigned words = row % 37 == 5 ? 300 : clv_random_below(random, 30);

        text_put(text, labels[clv_random_below(random, 4)]);
        text_put(text, "\t");
        for (unsigned i = 0; i < words; i++) {
            char word[64];

            snprintf(word, sizeof word, "%s%u ", i % 5 ? "w" : "averylongbeginning",
                     clv_random_below(random, 4000));
            text_put(text, word);
        }
        text_put(text, row % 11 ? "\n" : "\r\n\n");
    }
}

static void chunks_do_not_matter(void **state)
{
    Random random = clv_random(2, 0);
    Text input = {.data = NULL}, whole = {.data = NULL}, parts = {.data = NULL};
    cleave_error error;

    (void)state;
    random_lines(&input, &random, 400);
    assert_int_equal(read_all(FORMAT, input.data, input.size, (How){0}, &whole, &error), OK);
    for (size_t chunk = 1; chunk < 200000; chunk = chunk * 3 + 1) {
        for (unsigned threads = 1; threads <= 3; threads++) {
            assert_int_equal(read_all(FORMAT, input.data, input.size,
                                      (How){.chunk_bytes = chunk, .threads = threads}, &parts,
                                      &error),
                             OK);
            assert_string_equal(parts.data, whole.data);
        }
    }
    text_free(&input);
    text_free(&whole);
    text_free(&parts);
}

/* The chunks are full to the last byte, so that the end of the file is an empty one. */
static void the_last_chunk_may_be_empty(void **state)
{
    Text input = {.data = NULL}, expected = {.data = NULL};

    (void)state;
    for (unsigned i = 0; i < 2 << 17; i++) {
        text_put(&input, "ham\tabc\n");
        text_put(&expected, "ham abc:1\n");
    }
    for (unsigned threads = 1; threads <= 2; threads++)
        assert_reads(FORMAT, input.data, input.size, (How){.threads = threads}, expected.data);
    text_free(&input);
    text_free(&expected);
}

static void random_bytes_do_no_harm(void **state)
{
    static const char alphabet[] = "a\t\t\n\n b?\0\xC3' ";
    Random random = clv_random(3, 0);
    Text text = {.data = NULL};
    char bytes[300];
    cleave_error error;

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        size_t size = clv_random_below(&random, sizeof bytes);

        for (size_t i = 0; i < size; i++)
            bytes[i] = alphabet[clv_random_below(&random, sizeof alphabet - 1)];
        if (read_all(FORMAT, bytes, size, (How){.chunk_bytes = 1 + round % 64}, &text, &error) !=
            OK)
            assert_int_not_equal(error.message[0], 0);
    }
    text_free(&text);
}

/* ---- recognizing ----------------------------------------------------------------------------- */

#define SNIFF(bytes) clv_format_text.sniff(bytes, sizeof(bytes) - 1)

static void recognizes_text(void **state)
{
    (void)state;
    assert_true(SNIFF("ham\tgo until jurong\t\t\t0\nham\tok lar\t\t\t\nspam\tfree "
                      "entry\t\t\t\nham\tno way\t\t\t\n"));
    assert_true(SNIFF("ham\tsee you there\nspam\twin a prize now\n"));
    assert_true(SNIFF("5\tgreat product, would buy again\n1\tbroke after two days\n"));
    assert_true(SNIFF("\xEF\xBB\xBFlabel\ttext\nham\tsee you\n"));
    assert_true(SNIFF("\tunlabeled words here\n"));
    assert_true(SNIFF("tang\t\xE5\xBA\x8A\xE5\x89\x8D\xE6\x98\x8E\xE6\x9C\x88\xE5\x85\x89\n"));
    assert_false(SNIFF(""));
    assert_false(SNIFF("\n\n"));
    assert_false(SNIFF("1\t2\n3\t4\n"));
    assert_false(SNIFF("+1\t3:1 4:0.5\n-1\t1:1 2:1\n"));
    assert_false(SNIFF("name\tage\ncity of york\t12\nnew delhi\t13\n"));
    assert_false(SNIFF("a\tred apple\t3\nb\tgreen pear\t4\n"));
    assert_false(SNIFF("color\tsize\nred\tlarge\nblue\tsmall\n"));
    assert_false(SNIFF("no tab at all\nnone here\n"));
    assert_false(SNIFF("ham\tsee you\0there\n"));
    assert_false(SNIFF("1\ta b\n2\tc d\n3\te f\n4\tg h\n5\ti j\n6\tk l\n7\tm n\n8\to p\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lines),
        cmocka_unit_test(refuses_bad_lines),
        cmocka_unit_test(reads_for_a_model),
        cmocka_unit_test(chunks_do_not_matter),
        cmocka_unit_test(the_last_chunk_may_be_empty),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(recognizes_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
