/*
 * Hash tables in memory (src/base/hash_table.h) and files that are crafted to flood them: values
 * that share a slot under a hash without a key cost no more steps than random values. Steps are
 * counted in the finished table, as the distance of each entry from its first slot. Datasets and
 * models are bit-identical for all keys.
 */
#include "property/table.h"

#include "base/hash.h"
#include "read/csv.h"
#include "read/words_dictionary.h"
#include "support/support.h"

/* Values of eight bytes whose hashes have the same low bits. */
enum { VALUE = 8, VALUES = 20000, WORDS = 3000, SAME_BITS = 20, WORD_BITS = 13 };

typedef char Value[VALUE + 1];

/* ---- making values that collide -------------------------------------------------------------- */

static const uint64_t P1 = 0x9E3779B185EBCA87u, P2 = 0xC2B2AE3D27D4EB4Fu, P3 = 0x165667B19E3779F9u,
                      P4 = 0x85EBCA77C2B2AE63u, P5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* Inverse of an odd number, by Newton's iteration. */
static uint64_t inverse(uint64_t x)
{
    uint64_t y = x;

    for (int i = 0; i < 6; i++)
        y *= 2 - x * y;
    return y;
}

static uint64_t lane(uint64_t input)
{
    return rotate(input * P2, 31) * P1;
}

/* The eight bytes that lead XXH64 from a state to a hash: each of its steps is invertible. */
static uint64_t bytes_for(uint64_t state, uint64_t hash)
{
    hash ^= hash >> 32;
    hash *= inverse(P3);
    hash ^= hash >> 29 ^ hash >> 58;
    hash *= inverse(P2);
    hash ^= hash >> 33;
    hash = rotate((hash - P4) * inverse(P1), 64 - 27) ^ state;
    return rotate(hash * inverse(P1), 64 - 31) * inverse(P2);
}

static bool is_plain(const char *bytes)
{
    for (int i = 0; i < VALUE; i++) {
        unsigned char c = (unsigned char)bytes[i];

        if (!(c >= 0xA0 || (unsigned)(c | 0x20) - 'a' < 26u))
            return false;
    }
    return true;
}

/* After a prefix of zero or eight bytes. */
static void make_colliding(Value *values, size_t count, const char *prefix, uint64_t seed)
{
    uint64_t state = seed + P5 + strlen(prefix) + VALUE, first;

    if (*prefix) {
        assert_int_equal(strlen(prefix), 8);
        memcpy(&first, prefix, sizeof first);
        state = rotate(state ^ lane(first), 27) * P1 + P4;
    }
    for (uint64_t i = 1, made = 0; made < count; i++) {
        uint64_t bytes = bytes_for(state, i << SAME_BITS);
        char whole[2 * VALUE];

        memcpy(values[made], &bytes, VALUE);
        values[made][VALUE] = '\0';
        if (!is_plain(values[made]))
            continue;
        memcpy(whole, prefix, strlen(prefix));
        memcpy(whole + strlen(prefix), values[made], VALUE);
        assert_true(clv_hash(whole, strlen(prefix) + VALUE, seed) == i << SAME_BITS);
        made++;
    }
}

static void make_random(Value *values, size_t count)
{
    Random random = clv_random(7, 7);

    for (size_t made = 0; made < count;) {
        uint64_t bytes = clv_random_next(&random);

        memcpy(values[made], &bytes, VALUE);
        values[made][VALUE] = '\0';
        made += is_plain(values[made]);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint64_t steps(const HashTable *table)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].entry)
            sum += ((i - table->slot[i].tag) & (table->slots - 1)) + 1;
    return sum;
}

/* Crafted values take at most three times the steps of random ones. */
static void assert_not_flooded(const char *what, uint64_t crafted, uint64_t random)
{
    print_message("%s: %llu steps, random values %llu\n", what, (unsigned long long)crafted,
                  (unsigned long long)random);
    assert_true(crafted <= 3 * random);
}

static uint64_t label_steps(Context *context, Value *values)
{
    cleave_error error;
    uint32_t number;
    Labels labels;
    uint64_t sum;

    clv_labels_init(&labels, context);
    for (uint32_t i = 0; i < VALUES; i++) {
        FINE(clv_labels_add(&labels, values[i], VALUE, &number, &error));
        assert_int_equal(number, i);
    }
    sum = steps(&labels.table);
    clv_labels_free(&labels);
    return sum;
}

static uint64_t name_steps(Context *context, Value *values)
{
    cleave_error error;
    uint32_t number;
    Names names;
    uint64_t sum;

    clv_names_init(&names, context, false);
    for (uint32_t i = 0; i < VALUES; i++) {
        FINE(clv_names_add(&names, values[i], VALUE, &number, &error));
        assert_int_equal(number, i);
    }
    sum = steps(&names.table);
    clv_names_free(&names);
    return sum;
}

static void labels_and_names_are_not_flooded(void **state)
{
    Value *crafted = malloc(VALUES * sizeof *crafted), *random = malloc(VALUES * sizeof *random);
    Context *context = new_context(1);

    (void)state;
    assert_true(crafted && random);
    make_random(random, VALUES);
    make_colliding(crafted, VALUES, "", 1);
    assert_not_flooded("labels", label_steps(context, crafted), label_steps(context, random));
    make_colliding(crafted, VALUES, "", 0);
    assert_not_flooded("names", name_steps(context, crafted), name_steps(context, random));
    cleave_context_free(context);
    free(crafted);
    free(random);
}

/* ---- tables that are read from files --------------------------------------------------------- */

/* Reads a column of categories. Returns the steps of the names, and the processor time. */
static uint64_t read_column(Context *context, Value *values, double *seconds)
{
    static const char header[] = "columns,class\n";
    size_t size = strlen(header), line = VALUE + 3;
    char *text = malloc(size + VALUES * line);
    double started = clv_cpu_now();
    ReadOptions options = {.format = "csv"};
    Source *source;
    const Block *block;
    cleave_error error;
    uint64_t sum;

    assert_non_null(text);
    memcpy(text, header, size);
    for (size_t i = 0; i < VALUES; i++, size += line) {
        memcpy(text + size, values[i], VALUE);
        memcpy(text + size + VALUE, i % 2 ? ",a\n" : ",b\n", 3);
    }
    clv_params_initial(clv_read_params, &options);
    options.label = "class";
    options.columns = "columns=category";
    FINE(clv_read_memory(context, "t.csv", text, size, &clv_format_csv, &options, NULL, &source,
                         &error));
    do
        FINE(source_next(source, &block, &error));
    while (block);
    assert_true(source->names.count >= VALUES);
    sum = steps(&source->names.table);
    clv_source_close(source);
    free(text);
    *seconds = clv_cpu_now() - started;
    return sum;
}

static void categories_are_not_flooded(void **state)
{
    Value *crafted = malloc(VALUES * sizeof *crafted), *random = malloc(VALUES * sizeof *random);
    Context *context = new_context(1);
    double seconds, usual;
    uint64_t sum;

    (void)state;
    assert_true(crafted && random);
    make_random(random, VALUES);
    sum = read_column(context, random, &usual);
    make_colliding(crafted, VALUES, "columns=", 0); /* names of features */
    assert_not_flooded("names of categories", read_column(context, crafted, &seconds), sum);
    make_colliding(crafted, VALUES, "", 0); /* values of the first column of a chunk */
    read_column(context, crafted, &seconds);
    print_message("categories: %.3f s, random values %.3f s\n", seconds, usual);
    assert_true(seconds < 3 * usual + 0.3);
    cleave_context_free(context);
    free(crafted);
    free(random);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The hash of words without a key. */
static uint32_t fixed_hash(const uint64_t key[2])
{
    uint64_t hash = (key[0] ^ key[1] * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;

    hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32);
}

static void make_word(char word[TOKEN_KEY + 8], Random *random)
{
    uint64_t bits = clv_random_next(random);

    memset(word, 0, TOKEN_KEY + 8);
    for (int i = 0; i < 12; i++, bits >>= 5)
        word[i] = (char)('a' + (bits & 31) % 26);
}

static uint64_t word_steps(Context *context, bool crafted)
{
    Random random = clv_random(3, crafted);
    Words words = {.context = context};
    cleave_error error;
    uint64_t sum = 0;

    while (words.words < WORDS) {
        char text[TOKEN_KEY + 8];
        uint64_t key[2];
        uint32_t number;
        Token token;

        make_word(text, &random);
        memcpy(key, text, sizeof key);
        if (crafted && fixed_hash(key) % (1 << WORD_BITS))
            continue;
        token = clv_token_of(context->hash_key, text, 12);
        FINE(clv_words_find(&words, &token, &number, &error));
    }
    for (size_t i = 0; i < words.slots; i++) {
        uint32_t entry = words_slot_word(&words, words.slot[i]);
        const Word *word = entry ? &words.word[entry - 1] : NULL;

        if (word)
            sum += words_slot_of(&words, (uint32_t)i - clv_token_hash(context->hash_key, word->key,
                                                                      NULL, 12)) +
                   1;
    }
    clv_words_free(context, &words);
    return sum;
}

static void words_are_not_flooded(void **state)
{
    Context *context = new_context(1);

    (void)state;
    assert_not_flooded("words", word_steps(context, true), word_steps(context, false));
    cleave_context_free(context);
}

/* ---- results --------------------------------------------------------------------------------- */

static void write_table(const char *path, Random *random)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs("color,size,text,class\n", file);
    for (int i = 0; i < 400; i++) {
        unsigned color = (unsigned)(clv_random_next(random) % 150),
                 other = (unsigned)(clv_random_next(random) % 90);

        fprintf(file, "c%u,%u,w%u w%u x%u,k%u\n", color, other, color % 31, other, other % 7,
                (color + other) % 12);
    }
    fclose(file);
}

static void write_lines(const char *path, Random *random)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (int i = 0; i < 400; i++) {
        unsigned a = (unsigned)(clv_random_next(random) % 300),
                 b = (unsigned)(clv_random_next(random) % 40);

        fprintf(file, "class%u\tword%u and word%u of a longer%utokenthanakey\n", b % 9, a, b,
                a % 13);
    }
    fclose(file);
}

static void write_sparse(const char *path, Random *random)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    for (int i = 0; i < 400; i++) {
        unsigned a = (unsigned)(clv_random_next(random) % 300);

        fprintf(file, "%s%u %u:1 %u:0.5\n", a % 3 ? "" : "+", a % 11, 1 + a % 50, 60 + a);
    }
    fclose(file);
}

/* The bytes of the dataset and of the model that are made from a file with a given key. */
static void make_outputs(const char *folder, const char *path, const char *ngrams, HashKey key,
                         char *output[2], size_t size[2])
{
    Context *context = new_context(2);
    cleave_options *options = cleave_options_new(context);
    char target[TEST_PATH_SIZE];
    cleave_data *data;
    cleave_model *model;
    cleave_error error;

    context->hash_key = key;
    if (ngrams)
        FINE(cleave_options_set(options, "ngrams", ngrams, &error));
    test_join(target, folder, "output");
    FINE(cleave_open(context, path, options, &data, &error));
    FINE(cleave_convert(data, test_join(target, folder, "output.cleave"), NULL, NULL, &error));
    output[0] = test_read_file(target, &size[0]);
    cleave_data_free(data);
    FINE(cleave_open(context, path, options, &data, &error));
    FINE(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error));
    FINE(cleave_save(model, test_join(target, folder, "output.model"), &error));
    output[1] = test_read_file(target, &size[1]);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

/* With a key of zeros all hashes are 0, and the slots of a table are in the order of insertion. */
static void results_are_the_same_for_any_key(void **state)
{
    static const struct {
        const char *name, *ngrams;
        void (*write)(const char *path, Random *random);
    } inputs[] = {{"t.csv", NULL, write_table},
                  {"t.tsv.txt", NULL, write_lines},
                  {"t.txt", "1-2", write_lines},
                  {"t.libsvm", NULL, write_sparse}};
    Random random = clv_random(test_seed("keys"), 1);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(folder);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char *first[2];
        size_t first_size[2];

        inputs[i].write(test_join(path, folder, inputs[i].name), &random);
        make_outputs(folder, path, inputs[i].ngrams, (HashKey){0, 0}, first, first_size);
        for (uint64_t turn = 0; turn < how_many(3, 30); turn++) {
            HashKey key = {clv_random_next(&random), clv_random_next(&random)};
            char *output[2];
            size_t size[2];

            make_outputs(folder, path, inputs[i].ngrams, key, output, size);
            for (int j = 0; j < 2; j++) {
                assert_int_equal(size[j], first_size[j]);
                assert_memory_equal(output[j], first[j], size[j]);
                free(output[j]);
            }
        }
        free(first[0]);
        free(first[1]);
    }
    test_folder_remove(folder);
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Names of documents are identified by their hash (read/watch.c): "a/1000" and "a/10000" differ. */
static void hashes_of_short_names_differ(void **state)
{
    enum { NAMES = 20000 };
    static uint64_t hashes[NAMES];
    Random random = clv_random(test_seed("hashes_of_short_names_differ"), 1);

    (void)state;
    for (int trial = 0; trial < 5; trial++) {
        HashKey key = {clv_random_next(&random), clv_random_next(&random)};

        for (int i = 0; i < NAMES; i++) {
            char name[32];
            int length = snprintf(name, sizeof name, "%.*s%d", trial, "a/b/", i);

            hashes[i] = clv_keyed_hash(key, name, (size_t)length, 0);
        }
        qsort(hashes, NAMES, sizeof *hashes, compare_hashes);
        for (int i = 1; i < NAMES; i++)
            assert_true(hashes[i - 1] != hashes[i]);
    }
}

/* Contexts of one process have different keys. */
static void keys_differ(void **state)
{
    Context *a = new_context(1), *b = new_context(1);

    (void)state;
    assert_true(a->hash_key.a != b->hash_key.a && a->hash_key.b != b->hash_key.b);
    cleave_context_free(a);
    cleave_context_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_and_names_are_not_flooded),
        cmocka_unit_test(categories_are_not_flooded),
        cmocka_unit_test(words_are_not_flooded),
        cmocka_unit_test(results_are_the_same_for_any_key),
        cmocka_unit_test(hashes_of_short_names_differ),
        cmocka_unit_test(keys_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
