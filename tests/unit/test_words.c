/* Features made of words: stop words, stems, n-grams, hashing, prefixes; and the rules in
 * schemas. */
#include "base/hash.h"
#include "base/random.h"
#include "read/words.h"
#include "read_all.h"
#include "support/support.h"
#include "text/rules.h"
#include "text/stem.h"
#include "text/stop_words.h"

#define FORMAT &clv_format_text
#define OPTIONS(...) (&(ReadOptions){__VA_ARGS__})
#define READS(bytes, options, expected)                                                            \
    assert_reads(FORMAT, bytes, sizeof(bytes) - 1, (How){.text = (options)}, expected)
#define REFUSES(bytes, options, message)                                                           \
    assert_refuses(FORMAT, bytes, sizeof(bytes) - 1, (How){.text = (options)}, message)

/* ---- rules ----------------------------------------------------------------------------------- */

static void check_rules(const char *text, bool sense)
{
    Context *context = cleave_context_new(NULL);
    Buffer again = {0};
    TextRules rules;

    assert_int_equal(clv_text_rules_read(text, &rules), sense);
    if (sense) {
        assert_int_equal(clv_text_rules_write(&rules, context, &again, NULL), OK);
        assert_int_equal(again.size, strlen(text));
        assert_memory_equal(again.data ? again.data : "", text, again.size);
    }
    clv_free(context, again.data);
    cleave_context_free(context);
}

static void rules_as_text(void **state)
{
    (void)state;
    check_rules("", true);
    check_rules("keep-case:stem=english:ngrams=1-2:chars=3-5:hash-bits=18:hash-names", true);
    check_rules("ngrams=0-0:chars=2-2", true);
    check_rules("ngrams=0-0", false);
    check_rules("ngrams=2-1", false);
    check_rules("ngrams=1-9", false);
    check_rules("chars=0-3", false);
    check_rules("hash-bits=29", false);
    check_rules("hash-names", false);
    check_rules("stem=", false);
    check_rules("stem=abcdefghijklmnopqrstuvwxyz", false);
    check_rules("stem=english::ngrams=1-2", false);
    check_rules("other=1", false);
    check_rules("ngrams=1-2x", false);
    check_rules("ngrams=12345-2", false);
}

/* ---- stop words ------------------------------------------------------------------------------ */

static void stop_words_are_left_out(void **state)
{
    (void)state;
    READS("x\tThe cat, and THE dog\n", OPTIONS(.stop_words = "english"), "x cat:1 dog:1\n");
    READS("x\tthe The\n", OPTIONS(.stop_words = "english", .keep_case = true), "x The:1\n");
    READS("x\tthe\n", OPTIONS(.stop_words = "none"), "x the:1\n");
    write_file("test_words.stop",
               "# the rest of this line\nCat \xE9t\xE9\n\nantidisestablishmentarianism", 62);
    READS("x\tthe cat \xC3\xA9t\xC3\xA9 # antidisestablishmentarianism "
          "antidisestablishmentarianisms\n",
          OPTIONS(.stop_words = "test_words.stop"), "x the:1 antidisestablishmentarianisms:1\n");
    READS("x\tCat cat CAT\n", OPTIONS(.stop_words = "test_words.stop", .keep_case = true),
          "x cat:1 CAT:1\n");
    remove("test_words.stop");
    REFUSES("x\ta\n", OPTIONS(.stop_words = "test_words.stop"),
            "test_words.stop: cannot be opened");
}

static void stop_words_are_a_set(void **state)
{
    Context *context = cleave_context_new(NULL);
    static const char several[] = "b a B ab aaaaaaaaaaaaaaaaaaaab aaaaaaaaaaaaaaaaaaaac a";
    StopWords words;

    (void)state;
    clv_stop_words_init(&words, context);
    assert_int_equal(clv_stop_words_make(&words, several, strlen(several), false, NULL), OK);
    assert_int_equal(words.count, 5);
    assert_int_equal(words.text.size,
                     strlen("a\naaaaaaaaaaaaaaaaaaaab\naaaaaaaaaaaaaaaaaaaac\nab\nb\n"));
    assert_memory_equal(words.text.data, "a\naaaaaaaaaaaaaaaaaaaab\naaaaaaaaaaaaaaaaaaaac\nab\nb\n",
                        words.text.size);
    assert_true(clv_is_stop_word(&words, "ab", 2));
    assert_true(clv_is_stop_word(&words, "aaaaaaaaaaaaaaaaaaaac", 21));
    assert_false(clv_is_stop_word(&words, "aa", 2));
    assert_false(clv_is_stop_word(&words, "", 0));
    assert_false(clv_is_stop_word(&words, "c", 1));
    clv_stop_words_free(&words);
    assert_int_equal(clv_stop_words_make(&words, "b a B", 5, true, NULL), OK);
    assert_int_equal(words.count, 3);
    assert_memory_equal(words.text.data, "B\na\nb\n", 6);
    clv_stop_words_free(&words);
    assert_int_equal(clv_stop_words_make(&words, clv_english_stop_words,
                                         strlen(clv_english_stop_words), false, NULL),
                     OK);
    assert_true(words.count > 200);
    assert_true(clv_is_stop_word(&words, "don't", 5));
    assert_false(clv_is_stop_word(&words, "money", 5));
    clv_stop_words_free(&words);
    cleave_context_free(context);
}

/* ---- stems ----------------------------------------------------------------------------------- */

static void words_by_their_stems(void **state)
{
    (void)state;
    if (!*clv_stem_languages()) {
        REFUSES("x\ta\n", OPTIONS(.stem = "english"), "without libstemmer");
        return;
    }
    READS("x\tRunning runs, connection connected generalizations\n", OPTIONS(.stem = "english"),
          "x run:2 connect:2 general:1\n");
    READS("x\tH\xC3\xA4user Hauses\n", OPTIONS(.stem = "german"), "x haus:2\n");
    READS("x\t\xD0\xBA\xD0\xBD\xD0\xB8\xD0\xB3\xD0\xB0 \xD0\x9A\xD0\xBD\xD0\xB8\xD0\xB3\xD0\xB8\n",
          OPTIONS(.stem = "russian"), "x \xD0\xBA\xD0\xBD\xD0\xB8\xD0\xB3:2\n");
    READS("x\tthe doings\n", OPTIONS(.stem = "english", .stop_words = "english"),
          "x do:1\n"); /* stop words first */
    READS("x\truns\n", OPTIONS(.stem = "none"), "x runs:1\n");
    REFUSES("x\ta\n", OPTIONS(.stem = "englich"),
            "no stemmer exists for 'englich'; did you mean 'english'?");
}

/* ---- n-grams --------------------------------------------------------------------------------- */

static void words_in_a_row(void **state)
{
    (void)state;
    READS("x\ta b a b\ny\tb a\n", OPTIONS(.ngrams = "1-2"),
          "x a:2 b:2 a b:2 b a:1\ny a:1 b:1 b a:1\n");
    READS("x\ta b c\ny\tc\n", OPTIONS(.ngrams = "3"), "x a b c:1\ny\n");
    READS("x\ta b c d\n", OPTIONS(.ngrams = "2-3"), "x a b:1 b c:1 a b c:1 c d:1 b c d:1\n");
    READS("x\tcats and dogs\n", OPTIONS(.ngrams = "2", .stop_words = "english"), "x cats dogs:1\n");
    REFUSES("x\ta\n", OPTIONS(.ngrams = "0-2"),
            "--ngrams: expected a number or a range within 1-8, found '0-2'");
    REFUSES("x\ta\n", OPTIONS(.ngrams = "2-"), "--ngrams: expected");
    REFUSES("x\ta\n", OPTIONS(.ngrams = "two"), "--ngrams: expected");
    REFUSES("x\ta\n", OPTIONS(.chars = "17"), "--chars: expected a number or a range within 1-16");
}

static void characters_in_a_row(void **state)
{
    (void)state;
    READS("x\tabc\n", OPTIONS(.chars = "3"), "x chars:_ab:1 chars:abc:1 chars:bc_:1\n");
    READS("x\tA a\n", OPTIONS(.chars = "4-5"), "x chars:_a_:2\n");
    READS("x\t\xC3\xA9t\n", OPTIONS(.chars = "2"),
          "x chars:_\xC3\xA9:1 chars:\xC3\xA9t:1 chars:t_:1\n");
    READS("x\tab\n", OPTIONS(.chars = "3-4", .ngrams = "1"),
          "x ab:1 chars:_ab:1 chars:ab_:1 chars:_ab_:1\n");
    READS("x\tthe ox\n", OPTIONS(.chars = "4", .stop_words = "english"), "x chars:_ox_:1\n");
}

/* Pairs of words from two batches are not lost. */
static void long_texts_have_all_pairs(void **state)
{
    Text input = {.data = NULL}, found = {.data = NULL};
    cleave_error error;
    unsigned pairs = 0;

    (void)state;
    text_put(&input, "x\t");
    for (unsigned i = 0; i < 5000; i++) { /* every word is new, so that every pair is */
        char word[32];

        snprintf(word, sizeof word, "%sw%u ", i % 7 ? "" : "prefixoflength20orso", i);
        text_put(&input, word);
    }
    text_put(&input, "\n");
    assert_int_equal(read_all(FORMAT, input.data, input.size, (How){.text = OPTIONS(.ngrams = "2")},
                              &found, &error),
                     OK);
    for (const char *p = found.data; *p; p++)
        pairs += *p == ':';
    assert_int_equal(pairs, 4999);
    text_free(&input);
    text_free(&found);
}

/* ---- hashing --------------------------------------------------------------------------------- */

static void hashing_merges_words(void **state)
{
    char expected[200];
    uint64_t a = clv_hash("alpha", 5, 0), b = clv_hash("beta", 4, 0);

    (void)state;
    READS("x\tone two three one\n", OPTIONS(.hash_bits = 1, .hash_names = true), "x one:3 two:1\n");
    snprintf(expected, sizeof expected, "x %u:2 %u:1\n", (unsigned)(a & 0xFFFFF),
             (unsigned)(b & 0xFFFFF));
    if ((a & 0xFFFFF) > (b & 0xFFFFF))
        snprintf(expected, sizeof expected, "x %u:1 %u:2\n", (unsigned)(b & 0xFFFFF),
                 (unsigned)(a & 0xFFFFF));
    READS("x\talpha beta Alpha\n", OPTIONS(.hash_bits = 20), expected);
    REFUSES("x\ta\n", OPTIONS(.hash_names = true),
            "--hash-names has no effect without --hash-bits");
}

/* For all rules, chunks and threads have no effect, and a second reading guided by the first gives
 * the same rows. */
static void chunks_do_not_matter(void **state)
{
    static const ReadOptions rules[] = {
        {.ngrams = "1-3"},
        {.chars = "2-4"},
        {.hash_bits = 7},
        {.hash_bits = 7, .hash_names = true, .ngrams = "1-2"},
        {.stop_words = "english", .chars = "3", .ngrams = "1", .keep_case = true}};
    Text input = {.data = NULL}, whole = {.data = NULL}, parts = {.data = NULL};
    Random random = clv_random(5, 0);
    cleave_error error;

    (void)state;
    for (unsigned row = 0; row < 60; row++) {
        text_put(&input, row % 3 ? "ham\t" : "spam\t");
        for (unsigned i = clv_random_below(&random, 40); i > 0; i--) {
            char word[32];

            snprintf(word, sizeof word, "%s%u ", i % 5 ? "the W" : "averylongbeginning",
                     clv_random_below(&random, 50));
            text_put(&input, word);
        }
        text_put(&input, "\n");
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        assert_int_equal(
            read_all(FORMAT, input.data, input.size, (How){.text = &rules[i]}, &whole, &error), OK);
        for (size_t chunk = 1; chunk < 20000; chunk = chunk * 5 + 3)
            for (unsigned threads = 1; threads <= 3; threads++) {
                assert_int_equal(
                    read_all(FORMAT, input.data, input.size,
                             (How){.text = &rules[i], .chunk_bytes = chunk, .threads = threads},
                             &parts, &error),
                    OK);
                assert_string_equal(parts.data, whole.data);
            }
    }
    text_free(&input);
    text_free(&whole);
    text_free(&parts);
}

/* Rows of a chunk are sorted in groups: short ones, none, and one that is longer than a group. */
static void groups_do_not_matter(void **state)
{
    Text input = {.data = NULL}, whole = {.data = NULL}, parts = {.data = NULL};
    Random random = clv_random(6, 0);
    cleave_error error;

    (void)state;
    for (unsigned row = 0; row < 60; row++) {
        text_put(&input, row % 3 ? "ham\t" : "spam\t");
        for (unsigned i = row == 40 ? 6000 : clv_random_below(&random, 500) * (row % 7 > 0); i > 0;
             i--) {
            char word[16];

            snprintf(word, sizeof word, "w%u ", clv_random_below(&random, 9000));
            text_put(&input, word);
        }
        text_put(&input, "\n");
    }
    assert_int_equal(read_all(FORMAT, input.data, input.size, (How){.threads = 1}, &whole, &error),
                     OK);
    for (size_t chunk = 1; chunk < 100000; chunk = chunk * 50) {
        assert_int_equal(read_all(FORMAT, input.data, input.size,
                                  (How){.chunk_bytes = chunk, .threads = 1}, &parts, &error),
                         OK);
        assert_string_equal(parts.data, whole.data);
    }
    text_free(&input);
    text_free(&whole);
    text_free(&parts);
}

/* More words than the dictionary has slots at first, shorter and longer than a key: each is found
 * again in three rounds. */
static void many_words_are_found_again(void **state)
{
    Text input = {.data = NULL}, expected = {.data = NULL}, found = {.data = NULL};
    cleave_error error;

    (void)state;
    text_put(&input, "x\t");
    text_put(&expected, "x");
    for (unsigned i = 0; i < 3 * 12000; i++) {
        unsigned number = i < 12000 ? i : i * 7 % 12000; /* 7 and 12000 have no common factor */
        char word[48], entry[64];

        snprintf(word, sizeof word, "%s%u%s", number % 3 ? "" : "sixteenbytesof", number,
                 number % 5 ? "" : "end");
        snprintf(entry, sizeof entry, " %s:3", word);
        text_put(&input, word);
        text_put(&input, " ");
        if (i < 12000)
            text_put(&expected, entry);
    }
    text_put(&input, "\n");
    text_put(&expected, "\n");
    assert_int_equal(read_all(FORMAT, input.data, input.size, (How){.threads = 1}, &found, &error),
                     OK);
    assert_string_equal(found.data, expected.data);
    text_free(&input);
    text_free(&expected);
    text_free(&found);
}

/* ---- with a model ---------------------------------------------------------------------------- */

static void guided(const ReadOptions *learn, const ReadOptions *said, const char *bytes,
                   const char *expected, const char *message)
{
    Context *context = cleave_context_new(NULL);
    static const char training[] = "x\tthe cats and dogs\ny\ta cat, the birds\n";
    ReadOptions options = {0};
    Source *source;
    ReadGuide guide;
    const Block *block;
    How how = {.guide = &guide, .text = said};

    clv_params_initial(clv_read_params, &options);
    options.stem = learn->stem;
    options.ngrams = learn->ngrams;
    options.chars = learn->chars;
    options.stop_words = learn->stop_words;
    options.hash_bits = learn->hash_bits;
    options.hash_names = learn->hash_names;
    assert_int_equal(clv_read_memory(context, "training", training, sizeof training - 1, FORMAT,
                                     &options, NULL, &source, NULL),
                     OK);
    do
        assert_int_equal(source_next(source, &block, NULL), OK);
    while (block);
    guide = (ReadGuide){
        .schema = &source->schema, .names = &source->names, .features = source->features};
    if (message)
        assert_refuses(FORMAT, bytes, strlen(bytes), how, message);
    else
        assert_reads(FORMAT, bytes, strlen(bytes), how, expected);
    clv_source_close(source);
    cleave_context_free(context);
}

static void a_model_remembers_the_rules(void **state)
{
    (void)state;
    guided(OPTIONS(.ngrams = "2", .stop_words = "english"), NULL, "x\tcats with dogs\n",
           "x cats dogs:1\n", NULL);
    guided(OPTIONS(.chars = "5"), NULL, "x\tcats\n", "x chars:_cats:1 chars:cats_:1\n", NULL);
    guided(OPTIONS(.hash_bits = 28, .hash_names = true), NULL, "x\tcats unseen\n", "x cats:1\n",
           NULL);
    guided(OPTIONS(.ngrams = "2"), OPTIONS(.ngrams = "2-2"), "x\tthe birds\n", "x the birds:1\n",
           NULL);
    guided(OPTIONS(.ngrams = "2"), OPTIONS(.ngrams = "1-2"), "x\ta\n", NULL,
           "--ngrams 1-2: the model was trained with other text options (ngrams=2-2)");
    guided(OPTIONS(.ngrams = NULL), OPTIONS(.keep_case = true), "x\ta\n", NULL,
           "--keep-case: the model was trained with other text options (the default)");
    guided(OPTIONS(.ngrams = NULL), OPTIONS(.hash_bits = 4), "x\ta\n", NULL,
           "--hash-bits: the model was trained");
    guided(OPTIONS(.stop_words = "english"), OPTIONS(.stop_words = "english"), "x\tthe cat\n",
           "x cat:1\n", NULL);
    guided(OPTIONS(.stop_words = "english"), OPTIONS(.stop_words = "none"), "x\ta\n", NULL,
           "--stop-words none: the model was trained with other stop words");
}

/* ---- for other readers ----------------------------------------------------------------------- */

static void words_with_a_prefix(void **state)
{
    Context *context = cleave_context_new(NULL);
    Reader reader = {.source = {.context = context}};
    Words words = {.context = NULL};
    static const char subject[] = "Free money", body[] = "free free";
    const WordCount *entry;
    size_t count;
    char buffer[24];

    (void)state;
    clv_names_init(&reader.source.names, context, false);
    clv_words_clear(&words, &reader);
    for (unsigned document = 0; document < 2; document++) {
        assert_int_equal(clv_words_begin(&words, NULL), OK);
        assert_int_equal(
            clv_words_text(&words, "subject:", subject, subject + strlen(subject), NULL), OK);
        assert_int_equal(clv_words_text(&words, NULL, body, body + strlen(body), NULL), OK);
        assert_int_equal(clv_words_feature(&words, "from:x@y", 8, 1 + document, NULL), OK);
        clv_words_end_unlabeled(&words, 1);
    }
    assert_int_equal(clv_words_number(&words, &reader, NULL), OK);
    entry = clv_words_row(&words, 1, &count);
    assert_int_equal(count, 4);
    assert_string_equal(clv_names_get(&reader.source.names, entry[0].column, buffer),
                        "subject:free");
    assert_int_equal(entry[0].count, 1);
    assert_string_equal(clv_names_get(&reader.source.names, entry[2].column, buffer), "free");
    assert_int_equal(entry[2].count, 2);
    assert_string_equal(clv_names_get(&reader.source.names, entry[3].column, buffer), "from:x@y");
    assert_int_equal(entry[3].count, 2);
    clv_words_free(context, &words);
    clv_names_free(&reader.source.names);
    cleave_context_free(context);
}

/* A chunk that was parsed but not settled (the reader was rewound) leaves no words: names are
 * assigned while settling. */
static void a_chunk_that_is_not_settled(void **state)
{
    Context *context = cleave_context_new(NULL);
    Reader reader = {.source = {.context = context}};
    Words words = {.context = NULL};
    static const char *const texts[] = {"one two", "lost two", "three two one"};
    const WordCount *entry;
    size_t count;

    (void)state;
    clv_names_init(&reader.source.names, context, false);
    for (unsigned i = 0; i < 3; i++) {
        clv_words_clear(&words, &reader);
        assert_int_equal(clv_words_begin(&words, NULL), OK);
        assert_int_equal(clv_words_text(&words, NULL, texts[i], texts[i] + strlen(texts[i]), NULL),
                         OK);
        clv_words_end_unlabeled(&words, 1);
        if (i != 1)
            assert_int_equal(clv_words_number(&words, &reader, NULL), OK);
    }
    assert_int_equal(reader.source.names.count, 3);
    entry = clv_words_row(&words, 0, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = {"one", "two", "three"};
        char buffer[24];

        assert_int_equal(entry[i].column, i);
        assert_string_equal(clv_names_get(&reader.source.names, i, buffer), names[i]);
    }
    clv_words_free(context, &words);
    clv_names_free(&reader.source.names);
    cleave_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static Status read_counted(Context *context, const ReadOptions *rules, cleave_error *error)
{
    static const char text[] =
        "x\tthe cats and unquestionablylongwords\ny\ta cat, the birds caf\xE9\n";
    ReadOptions options = {0};
    Source *source;
    Names copy;
    const Block *block;
    uint32_t column;
    Status status;

    clv_params_initial(clv_read_params, &options);
    options.ngrams = rules->ngrams;
    options.chars = rules->chars;
    options.stop_words = rules->stop_words;
    options.hash_bits = rules->hash_bits;
    options.hash_names = rules->hash_names;
    options.chunk_bytes = 20;
    TRY(clv_read_memory(context, "test", text, sizeof text - 1, FORMAT, &options, NULL, &source,
                        error));
    do
        status = source_next(source, &block, error);
    while (status == OK && block);
    clv_names_init(&copy, context, false);
    if (status == OK)
        status = clv_names_copy(&copy, &source->names, error);
    if (status == OK && !copy.implicit)
        status = clv_names_add(&copy, "new", 3, &column, error);
    if (status == OK && !copy.implicit) {
        assert_int_equal(copy.count, source->names.count + 1);
        assert_int_equal(clv_names_find(&source->names, "new", 3), NO_COLUMN);
        assert_int_equal(clv_names_find(&copy, "new", 3), source->names.count);
    }
    clv_names_free(&copy);
    clv_source_close(source);
    return status;
}

/* Whichever allocation fails, it is reported and all memory is freed. */
static void memory_fails(void **state)
{
    static const ReadOptions rules[] = {{.format = NULL},
                                        {.ngrams = "1-2", .chars = "3", .stop_words = "english"},
                                        {.hash_bits = 6, .hash_names = true},
                                        {.hash_bits = 6}};

    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (long long fail_at = 1;; fail_at++) {
            TestMemory memory = {0};
            Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                                   .allocate = test_allocate,
                                                                   .user = &memory,
                                                                   .threads = 1});
            long long before = atomic_load(&memory.live);
            cleave_error error = {0};
            Status status;

            memory.fail_at = atomic_load(&memory.calls) + fail_at;
            status = read_counted(context, &rules[i], &error);
            assert_int_equal(status, atomic_load(&memory.failures) > 0 ? CLEAVE_ERROR_MEMORY : OK);
            assert_int_equal(atomic_load(&memory.live), before);
            cleave_context_free(context);
            if (status == OK) {
                assert_true(fail_at > 10);
                break;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_as_text),
        cmocka_unit_test(stop_words_are_left_out),
        cmocka_unit_test(stop_words_are_a_set),
        cmocka_unit_test(words_by_their_stems),
        cmocka_unit_test(words_in_a_row),
        cmocka_unit_test(characters_in_a_row),
        cmocka_unit_test(long_texts_have_all_pairs),
        cmocka_unit_test(hashing_merges_words),
        cmocka_unit_test(chunks_do_not_matter),
        cmocka_unit_test(groups_do_not_matter),
        cmocka_unit_test(many_words_are_found_again),
        cmocka_unit_test(a_model_remembers_the_rules),
        cmocka_unit_test(words_with_a_prefix),
        cmocka_unit_test(a_chunk_that_is_not_settled),
        cmocka_unit_test(memory_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
