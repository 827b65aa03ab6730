/*
 * src/base: bundle.c, context.c, file.c, hash.c, memory.c, param.c, random.c, status.c, text.c.
 * (tests/property/test_number.c tests number.c.)
 */
#include "property/table.h"

#include "base/bundle.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/param.h"
#include "base/text.h"
#include "support/support.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- status.c -------------------------------------------------------------------------------- */

static void errors_carry_words(void **state)
{
    cleave_error error = {0};

    (void)state;
    assert_int_equal(clv_fail(&error, CLEAVE_ERROR_DATA, "%s:%d: bad", "file", 3),
                     CLEAVE_ERROR_DATA);
    assert_int_equal(error.code, CLEAVE_ERROR_DATA);
    assert_string_equal(error.message, "file:3: bad");
    assert_string_equal(error.hint, "");
    assert_int_equal(clv_hint(&error, CLEAVE_ERROR_DATA, "do %s", "this"), CLEAVE_ERROR_DATA);
    assert_string_equal(error.hint, "do this");
    clv_fail(&error, CLEAVE_ERROR_IO, "other");
    assert_string_equal(error.hint, "");
    assert_int_equal(clv_fail(NULL, CLEAVE_ERROR_USAGE, "not heard"), CLEAVE_ERROR_USAGE);
    assert_int_equal(clv_hint(NULL, CLEAVE_ERROR_USAGE, "not heard"), CLEAVE_ERROR_USAGE);
    assert_int_equal(clv_fail_memory(&error, "a house", 12345), CLEAVE_ERROR_MEMORY);
    assert_says(&error, "a house");
    assert_says(&error, "12345");
}

static void quotes_are_safe(void **state)
{
    char buffer[QUOTE_SIZE], longer[500];

    (void)state;
    assert_string_equal(clv_quote(buffer, "plain text", 10), "plain text");
    assert_string_equal(clv_quote(buffer, "a\tb\n\x01\x7F", 6), "a\\tb\\n\\x01\\x7f");
    assert_string_equal(clv_quote(buffer, "", 0), "");
    assert_string_equal(clv_quote(buffer, "\xC3\xA9t\xC3\xA9", 5), "\xC3\xA9t\xC3\xA9");
    assert_non_null(strstr(clv_quote(buffer, "a\xFF\xFE", 3), "\\xff"));
    memset(longer, 'x', sizeof longer);
    clv_quote(buffer, longer, sizeof longer);
    assert_true(strlen(buffer) < QUOTE_SIZE);
    memset(longer, 0x80, sizeof longer);
    clv_quote(buffer, longer, sizeof longer);
    assert_true(strlen(buffer) < QUOTE_SIZE);
}

/* ---- memory.c, context.c --------------------------------------------------------------------- */

static void memory_comes_from_the_context(void **state)
{
    TestMemory counted = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &counted});
    size_t capacity = 0;
    cleave_error error = {0};
    uint64_t *array = NULL;
    Buffer buffer = {0};
    char *text;

    (void)state;
    assert_true(context->config.threads >= 1);
    assert_int_equal(context->config.threads, clv_core_count());
    assert_null(clv_alloc(context, SIZE_MAX / 2, 3)); /* the product does not fit */
    assert_null(clv_resize(context, NULL, SIZE_MAX, 2));
    text = clv_copy_string(context, "hello world", 5);
    assert_string_equal(text, "hello");
    for (size_t i = 0; i < 1000; i++) {
        FINE(GROW(context, array, capacity, i + 1, &error));
        assert_true(capacity > i);
        array[i] = i;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    assert_true(atomic_load(&counted.calls) < 30); /* doubling */
    assert_int_equal(GROW(context, array, capacity, SIZE_MAX / 2, &error), CLEAVE_ERROR_MEMORY);
    FINE(clv_buffer_add(context, &buffer, "abc", 3, &error));
    FINE(clv_buffer_pad(context, &buffer, 8, &error));
    assert_int_equal(buffer.size, 8);
    assert_memory_equal(buffer.data, "abc\0\0\0\0\0", 8);
    FINE(clv_buffer_pad(context, &buffer, 8, &error));
    assert_int_equal(buffer.size, 8);
    counted.fail_at = atomic_load(&counted.calls) + 1;
    assert_null(clv_alloc_zero(context, 10, 10));
    clv_free(context, text);
    clv_free(context, array);
    clv_free(context, buffer.data);
    clv_free(context, NULL);
    cleave_context_free(context);
    cleave_context_free(NULL);
    assert_int_equal(atomic_load(&counted.live), 0);
}

typedef struct {
    int notes, warnings, progress;
    char last[200];
} Heard;

static void hear(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Heard *heard = user;

    heard->notes += level == CLEAVE_LOG_NOTE;
    heard->warnings += level == CLEAVE_LOG_WARNING;
    snprintf(heard->last, sizeof heard->last, "%s|%s", message, hint);
}

static void watch(void *user, const cleave_progress *progress)
{
    assert_string_equal(progress->phase, "train");
    ((Heard *)user)->progress++;
}

static void the_context_talks(void **state)
{
    Heard heard = {0};
    Context *context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                           .log = hear,
                                                           .progress = watch,
                                                           .user = &heard,
                                                           .threads = 3});

    (void)state;
    clv_note(context, "%d rows", 5);
    assert_string_equal(heard.last, "5 rows|");
    clv_warn(context, "look", "row %d", 7);
    assert_string_equal(heard.last, "row 7|look");
    clv_warn(context, NULL, "x");
    assert_string_equal(heard.last, "x|");
    assert_int_equal(heard.notes, 1);
    assert_int_equal(heard.warnings, 2);
    for (int i = 0; i < 1000; i++)
        clv_progress(context, &(cleave_progress){.phase = "train"});
    assert_true(heard.progress >= 1 && heard.progress < 5); /* at most ten per second */
    assert_false(clv_cancelled(context));
    cleave_context_free(context);
    context = cleave_context_new(NULL); /* without callbacks */
    assert_int_equal(context->config.threads, 1);
    clv_note(context, "unheard");
    clv_progress(context, &(cleave_progress){.phase = "none"});
    cleave_context_free(context);
}

static void *ask_elsewhere(void *context)
{
    clv_cancelled(context);
    return NULL;
}

/* When a report is due, clv_cancelled repeats it with copies of its texts, on the thread that made
 * it. */
static void progress_is_repeated(void **state)
{
    Heard heard = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .progress = watch, .user = &heard, .threads = 1});
    char phase[] = "train";
    pthread_t other;

    (void)state;
    clv_cancelled(context); /* nothing to repeat */
    assert_int_equal(heard.progress, 0);
    clv_progress(context, &(cleave_progress){.phase = phase});
    assert_int_equal(heard.progress, 1);
    phase[0] = '?';
    clv_cancelled(context); /* not due */
    assert_int_equal(heard.progress, 1);
    atomic_store(&context->last_progress, 0);
    assert_int_equal(pthread_create(&other, NULL, ask_elsewhere, context), 0);
    pthread_join(other, NULL);
    assert_int_equal(heard.progress, 1);
    clv_cancelled(context);
    assert_int_equal(heard.progress, 2);
    cleave_context_free(context);
}

/* ---- machine.c ------------------------------------------------------------------------------- */

/* Writes a file below root, and creates its folders. */
static void put_below(const char *root, const char *name, const char *text)
{
    char path[TEST_PATH_SIZE];

    test_join(path, root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    test_write_text(path, text);
}

static void quota_of_version_2(void **state)
{
    char root[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(root);
    assert_true(clv_processor_limit(root) == SIZE_MAX); /* no groups at all */
    put_below(root, "proc/self/cgroup", "0::/app/job\n");
    assert_true(clv_processor_limit(root) == SIZE_MAX);
    put_below(root, "sys/fs/cgroup/app/job/cpu.max", "max 100000\n");
    assert_true(clv_processor_limit(root) == SIZE_MAX);
    put_below(root, "sys/fs/cgroup/app/job/cpu.max", "350000 100000\n");
    assert_int_equal(clv_processor_limit(root), 4);                  /* rounded up */
    put_below(root, "sys/fs/cgroup/app/cpu.max", "200000 100000\n"); /* the group above has less */
    assert_int_equal(clv_processor_limit(root), 2);
    put_below(root, "sys/fs/cgroup/app/job/cpu.max", "50000 100000\n");
    assert_int_equal(clv_processor_limit(root), 1);
    put_below(root, "proc/self/cgroup",
              "0::/elsewhere/not/visible\n"); /* as in a container: the root is its own group */
    assert_true(clv_processor_limit(root) == SIZE_MAX);
    put_below(root, "sys/fs/cgroup/cpu.max", "600000 200000\n");
    assert_int_equal(clv_processor_limit(root), 3);
    test_folder_remove(root);
}

static void quota_of_version_1(void **state)
{
    char root[TEST_PATH_SIZE];

    (void)state;
    test_folder_new(root);
    put_below(root, "proc/self/cgroup",
              "5:memory:/m\n4:cpuset:/x\n3:cpu,cpuacct:/app/job\n0::/other\n");
    put_below(root, "sys/fs/cgroup/cpu/app/job/cpu.cfs_quota_us", "-1\n");
    put_below(root, "sys/fs/cgroup/cpu/app/job/cpu.cfs_period_us", "100000\n");
    assert_true(clv_processor_limit(root) == SIZE_MAX);
    put_below(root, "sys/fs/cgroup/cpu/app/job/cpu.cfs_quota_us", "510000\n");
    assert_int_equal(clv_processor_limit(root), 6);
    put_below(root, "sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "250000\n");
    put_below(root, "sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000\n");
    assert_int_equal(clv_processor_limit(root), 3);
    assert_true(clv_core_count() >= 1);
    test_folder_remove(root);
}

/* ---- hash.c, random.c ------------------------------------------------------------------------ */

/* XXH64 according to its specification. */
static void hash_is_xxh64(void **state)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char shifted[64];

    (void)state;
    assert_true(clv_hash("", 0, 0) == 0xEF46DB3751D8E999u);
    assert_true(clv_hash("a", 1, 0) == 0xD24EC4F1A98C6E5Bu);
    assert_true(clv_hash("abc", 3, 0) == 0x44BC2CF5AD770999u);
    assert_true(clv_hash(alphabet, 36, 0) == 0x64F23ECF1609B766u);
    for (size_t offset = 0; offset < 8; offset++) { /* at any alignment */
        memcpy(shifted + offset, alphabet, 36);
        assert_true(clv_hash(shifted + offset, 36, 7) == clv_hash(alphabet, 36, 7));
    }
    assert_true(clv_hash("abc", 3, 0) != clv_hash("abc", 3, 1));
}

/* The hash does not depend on the pieces, which may be empty. */
static void hash_in_pieces(void **state)
{
    unsigned char bytes[1000];
    Random random = clv_random(5, 1);

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)clv_random_below(&random, 256);
    for (int trial = 0; trial < 20000; trial++) {
        size_t size = clv_random_below(&random, trial % 2 ? 100 : sizeof bytes + 1);
        uint32_t longest = trial % 3 == 0 ? 9 : trial % 3 == 1 ? 70 : 1001;
        uint64_t seed = clv_random_below(&random, 1000) * 0x123456789ABCDEFu;
        size_t at = 0;
        Hash hash;

        clv_hash_start(&hash, seed);
        while (at < size) {
            size_t piece = clv_random_below(&random, longest);

            piece = piece < size - at ? piece : size - at;
            clv_hash_add(&hash, bytes + at, piece);
            at += piece;
            /* the hash can be continued */
            assert_true(clv_hash_end(&hash) == clv_hash(bytes, at, seed));
        }
        clv_hash_add(&hash, NULL, 0);
        assert_true(clv_hash_end(&hash) == clv_hash(bytes, size, seed));
    }
}

static void random_numbers_are_random(void **state)
{
    Random random = clv_random(1, 2), same = clv_random(1, 2), stream = clv_random(1, 3),
           seed = clv_random(2, 2);
    uint32_t counts[10] = {0}, items[100];
    double sum = 0, squares = 0;
    bool seen[100] = {0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        uint64_t next = clv_random_next(&random);

        assert_true(next == clv_random_next(&same));
        assert_true(next != clv_random_next(&stream));
        assert_true(next != clv_random_next(&seed));
    }
    for (int i = 0; i < 100000; i++) {
        double unit = clv_random_unit(&random), normal = clv_random_normal(&random);

        assert_true(unit >= 0 && unit < 1);
        counts[clv_random_below(&random, 10)]++;
        sum += normal;
        squares += normal * normal;
    }
    for (int i = 0; i < 10; i++)
        assert_true(counts[i] > 9500 && counts[i] < 10500);
    assert_true(fabs(sum / 1e5) < 0.02);
    assert_true(fabs(squares / 1e5 - 1) < 0.03);
    for (uint32_t i = 0; i < 100; i++)
        items[i] = i;
    clv_shuffle(&random, items, 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_false(seen[items[i]]);
        seen[items[i]] = true;
    }
    clv_shuffle(&random, items, 0);
    clv_shuffle(&random, items, 1);
}

/* ---- text.c ---------------------------------------------------------------------------------- */

static void near_words_are_found(void **state)
{
    static const char *const words[] = {"train",   "predict",         "test",
                                        "convert", "learn-threshold", NULL};

    (void)state;
    assert_int_equal(clv_edit_distance("train", "train", 5), 0);
    assert_int_equal(clv_edit_distance("trian", "train", 5), 1);
    assert_int_equal(clv_edit_distance("", "abc", 5), 3);
    assert_int_equal(clv_edit_distance("abcdef", "uvwxyz", 2), 3); /* one more than the limit */
    assert_int_equal(clv_edit_distance("learn_threshold", "learn-threshold", 5), 0);
    assert_string_equal(cleave_nearest_word("trian", words), "train");
    assert_string_equal(cleave_nearest_word("predcit", words), "predict");
    assert_string_equal(cleave_nearest_word("learn-treshold", words), "learn-threshold");
    assert_null(cleave_nearest_word("zzzzzz", words));
    assert_null(cleave_nearest_word("x", (const char *const[]){NULL}));
}

/* ---- param.c --------------------------------------------------------------------------------- */

typedef struct {
    double rate;
    int64_t rounds;
    bool flag;
    int form;
    const char *path;
} Options;

static const char *const forms[] = {"plain", "averaged", NULL};
static const Param params[] = {
    REAL(Options, rate, 0.5, ABOVE(0), "a rate"),
    INTEGER(Options, rounds, 10, WITHIN(1, 100), "rounds"),
    FLAG(Options, flag, "a flag"),
    NAME(Options, form, 1, forms, "a form"),
    TEXT(Options, path, "here", "a path"),
    END_OF_PARAMS,
};

static Status set(Options *options, const char *name, const char *value, cleave_error *error)
{
    return clv_param_set(clv_param_find(params, name), options, value, error);
}

static void parameters_from_text(void **state)
{
    cleave_error error = {0};
    char buffer[PARAM_TEXT_SIZE];
    Options options;

    (void)state;
    clv_params_initial(params, &options);
    assert_true(options.rate == 0.5 && options.rounds == 10 && !options.flag && options.form == 1);
    assert_string_equal(options.path, "here");
    FINE(set(&options, "rate", "1/3", &error));
    assert_true(options.rate == 1.0 / 3);
    FINE(set(&options, "rate", "1e-4", &error));
    assert_string_equal(clv_param_text(&params[0], &options, buffer), "0.0001");
    FINE(set(&options, "rounds", "100", &error));
    assert_int_equal(options.rounds, 100);
    FINE(set(&options, "form", "plain", &error));
    assert_string_equal(clv_param_text(&params[3], &options, buffer), "plain");
    FINE(set(&options, "flag", "true", &error));
    assert_true(options.flag);
    FINE(set(&options, "path", "", &error));
    assert_string_equal(options.path, "");
    assert_null(clv_param_find(params, "round"));
}

static void bad_parameters_are_refused(void **state)
{
    static const struct {
        const char *name, *value, *says;
    } cases[] = {{"rate", "0", "above 0"},
                 {"rate", "-1", "above 0"},
                 {"rate", "fast", "'fast'"},
                 {"rate", "1/0", "1/0"},
                 {"rate", "nan", "nan"},
                 {"rate", "1 2", "1 2"},
                 {"rate", "", "''"},
                 {"rounds", "0", "from 1 to 100"},
                 {"rounds", "101", "101"},
                 {"rounds", "2.5", "whole"},
                 {"rounds", "inf", "inf"},
                 {"flag", "maybe", "true or false"},
                 {"form", "round", "averaged"},
                 {"rate", "1/3/4", "1/3/4"}};
    cleave_error error = {0};
    Options options;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clv_params_initial(params, &options);
        assert_int_equal(set(&options, cases[i].name, cases[i].value, &error), CLEAVE_ERROR_USAGE);
        assert_says(&error, "--");
        assert_says(&error, cases[i].says);
        assert_true(strlen(error.hint) > 0);
        assert_true(options.rate == 0.5 && options.rounds == 10 && !options.flag &&
                    options.form == 1);
    }
}

static void options_are_applied(void **state)
{
    Context *context = new_context(1);
    cleave_options *given = cleave_options_new(context);
    cleave_error error = {0};
    Options options;

    (void)state;
    FINE(cleave_options_set(given, "rate", "2", &error));
    FINE(cleave_options_set(given, "rate", "3", &error)); /* the last value counts */
    FINE(cleave_options_set(given, "rounds", "7", &error));
    FINE(clv_params_apply(given, params, &options, NULL, NULL, &error));
    assert_true(options.rate == 3 && options.rounds == 7);
    FINE(clv_params_apply(NULL, params, &options, NULL, NULL, &error));
    assert_true(options.rate == 0.5);
    FINE(cleave_options_set(given, "raet", "3", &error));
    assert_int_equal(clv_params_apply(given, params, &options, NULL, NULL, &error),
                     CLEAVE_ERROR_USAGE);
    assert_says(&error, "did you mean --rate");
    cleave_options_free(given);
    cleave_options_free(NULL);
    cleave_context_free(context);
}

/* ---- bundle.c -------------------------------------------------------------------------------- */

static void bundles_hold_items(void **state)
{
    static const char magic[8] = {'T', 'E', 'S', 'T', 'T', 'E', 'S', 'T'}, other[8] = {'X'};
    static const float floats[] = {1.5F, -2};
    Context *context = new_context(1);
    Buffer bytes = {0};
    Bundle *bundle, *parsed;
    cleave_error error = {0};
    uint64_t number;
    uint32_t version;

    (void)state;
    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_bundle_put(bundle, "floats", BUNDLE_F32, floats, 2, &error));
    FINE(clv_bundle_put_text(bundle, "text", "first", &error));
    FINE(clv_bundle_put_text(bundle, "text", "second", &error)); /* replaces */
    FINE(clv_bundle_put_number(bundle, "number", 1234567890123u, &error));
    FINE(clv_bundle_put(bundle, "texts", BUNDLE_BYTES, "one\0\0three", 11, &error));
    FINE(clv_bundle_put(bundle, "nothing", BUNDLE_U64, NULL, 0, &error));
    assert_int_equal(bundle->count, 5);
    FINE(clv_bundle_write(bundle, magic, 3, &bytes, &error));
    assert_int_equal(bytes.size % 64, 0);
    FINE(clv_bundle_parse(context, "file", magic, 3, bytes.data, bytes.size, &parsed, &version,
                          &error));
    assert_int_equal(version, 3);
    assert_int_equal(parsed->count, 5);
    assert_string_equal(clv_bundle_text(parsed, "text"), "second");
    assert_true(clv_bundle_number(parsed, "number", &number));
    assert_true(number == 1234567890123u);
    assert_int_equal(clv_bundle_get(parsed, "floats", BUNDLE_F32)->count, 2);
    assert_memory_equal(clv_bundle_get(parsed, "floats", BUNDLE_F32)->data, floats, sizeof floats);
    assert_int_equal(
        ((const char *)clv_bundle_get(parsed, "floats", BUNDLE_F32)->data - bytes.data) % 64, 0);
    assert_int_equal(clv_bundle_get(parsed, "texts", BUNDLE_BYTES)->count, 11);
    assert_int_equal(clv_bundle_get(parsed, "nothing", BUNDLE_U64)->count, 0);
    assert_null(clv_bundle_get(parsed, "floats", BUNDLE_F64)); /* of another type */
    assert_null(clv_bundle_get(parsed, "float", BUNDLE_F32));
    assert_false(clv_bundle_number(parsed, "text", &number));
    assert_null(clv_bundle_text(parsed, "number"));
    clv_bundle_free(parsed);
    assert_int_equal(clv_bundle_parse(context, "file", other, 3, bytes.data, bytes.size, &parsed,
                                      &version, &error),
                     CLEAVE_ERROR_FORMAT);
    assert_int_equal(clv_bundle_parse(context, "file", magic, 2, bytes.data, bytes.size, &parsed,
                                      &version, &error),
                     CLEAVE_ERROR_FORMAT);
    assert_says(&error, "format 3");
    assert_says(&error, "file: ");
    clv_bundle_free(bundle);
    clv_bundle_free(NULL);
    clv_free(context, bytes.data);
    cleave_context_free(context);
}

/* Copied, borrowed or taken, replaced by one another, also in a bundle that was parsed: nothing is
 * freed twice or leaked, and the bytes are the same. */
static void bundles_borrow_and_take(void **state)
{
    static const char magic[8] = {'T', 'E', 'S', 'T', 'T', 'E', 'S', 'T'};
    static const float floats[] = {1.5F, -2, 7};
    TestMemory counted = {0};
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = test_allocate, .user = &counted});
    Buffer bytes = {0}, again = {0};
    Bundle *bundle, *parsed;
    cleave_error error = {0};
    uint32_t version;
    float *own;

    (void)state;
    FINE(clv_bundle_new(context, &bundle, &error));
    FINE(clv_bundle_put(bundle, "a", BUNDLE_F32, floats, 3, &error));
    FINE(clv_bundle_put(bundle, "b", BUNDLE_F32, floats, 2, &error));
    FINE(clv_bundle_put(bundle, "c", BUNDLE_F32, floats, 0, &error));
    FINE(clv_bundle_write(bundle, magic, 1, &bytes, &error));
    assert_int_equal(bytes.capacity, bytes.size); /* no more than needed */
    FINE(clv_bundle_borrow(bundle, "a", BUNDLE_F32, floats, 3, &error));
    assert_ptr_equal(clv_bundle_get(bundle, "a", BUNDLE_F32)->data, floats);
    FINE(clv_bundle_borrow(bundle, "c", BUNDLE_F32, NULL, 0, &error));
    own = clv_alloc(context, 2, sizeof *own);
    memcpy(own, floats, 2 * sizeof *own);
    FINE(clv_bundle_take(bundle, "b", BUNDLE_F32, own, 2, &error));
    assert_ptr_equal(clv_bundle_get(bundle, "b", BUNDLE_F32)->data, own);
    assert_int_equal(bundle->count, 3);
    FINE(clv_bundle_write(bundle, magic, 1, &again, &error));
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    FINE(clv_bundle_borrow(bundle, "b", BUNDLE_F32, floats, 1,
                           /* the array that was taken is freed */
                           &error));
    /* the array that was borrowed is not freed */
    FINE(clv_bundle_put(bundle, "a", BUNDLE_F32, floats, 1, &error));

    FINE(clv_bundle_parse(context, "file", magic, 1, bytes.data, bytes.size, &parsed, &version,
                          &error));
    FINE(clv_bundle_put(parsed, "a", BUNDLE_F32, floats, 1, &error));
    FINE(clv_bundle_put(parsed, "new", BUNDLE_F32, floats, 1, &error));
    counted.fail_at = atomic_load(&counted.calls) + 2;
    counted.keep_failing = true;
    own = clv_alloc(context, 1, sizeof *own);
    assert_int_equal(clv_bundle_take(parsed, "newer", BUNDLE_F32, own, 1, &error),
                     CLEAVE_ERROR_MEMORY);
    assert_int_equal(clv_bundle_borrow(parsed, "newer", BUNDLE_F32, floats, 1, &error),
                     CLEAVE_ERROR_MEMORY);
    assert_int_equal(parsed->count, 4);
    again.capacity = 0; /* as if it was too small: after a failure the buffer is empty */
    assert_int_equal(clv_bundle_write(parsed, magic, 1, &again, &error), CLEAVE_ERROR_MEMORY);
    assert_true(!again.data && again.size == 0 && again.capacity == 0);
    clv_bundle_free(parsed);
    clv_bundle_free(bundle);
    clv_free(context, bytes.data);
    cleave_context_free(context);
    assert_int_equal(atomic_load(&counted.live), 0);
}

typedef struct {
    Context *context;
    Buffer bytes;
    size_t workspace; /* bytes, before it is full */
} Pieces;

static Status add_piece(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Pieces *pieces = user;

    if (pieces->bytes.size + size > pieces->workspace)
        return clv_fail(error, CLEAVE_ERROR_IO, "full");
    return clv_buffer_add(pieces->context, &pieces->bytes, bytes, size, error);
}

/* The layout byte by byte as documented in bundle.c, for any lengths; and an output that is
 * full. */
static void bundles_are_emitted(void **state)
{
    static const char magic[8] = {'T', 'E', 'S', 'T', 'T', 'E', 'S', 'T'};
    static const unsigned char start[64 + 32] = {
        'T',      'E',      'S',        'T',        'T', 'E', 'S', 'T', 2,
        0,        0,        0,          1,          0,   0,   0,   192, [64] = 1,
        [68] = 5, [72] = 3, [80] = 128, [88] = 's', 'h', 'o', 'r', 't'};
    Context *context = new_context(1);
    cleave_error error = {0};

    (void)state;
    for (size_t size = 0; size < 200; size++) {
        Pieces pieces = {.context = context, .workspace = SIZE_MAX};
        char data[200];
        Buffer bytes = {0};
        uint64_t seed, found;
        Bundle *bundle;

        memset(data, 'x', sizeof data);
        FINE(clv_bundle_new(context, &bundle, &error));
        FINE(clv_bundle_put(bundle, "short", BUNDLE_BYTES, "abc", 3, &error));
        if (size)
            FINE(clv_bundle_borrow(bundle, "eight888", BUNDLE_BYTES, data, size, &error));
        FINE(clv_bundle_emit(bundle, magic, 2, add_piece, &pieces, &error));
        FINE(clv_bundle_write(bundle, magic, 2, &bytes, &error));
        assert_int_equal(pieces.bytes.size, bytes.size);
        assert_memory_equal(pieces.bytes.data, bytes.data, bytes.size);
        assert_int_equal(bytes.size, size ? 192 + (size + 63) / 64 * 64 : 192);
        if (size) {
            assert_memory_equal(bytes.data + 192, data, size);
            for (size_t i = 192 + size; i < bytes.size; i++)
                assert_int_equal(bytes.data[i], 0);
        } else {
            assert_memory_equal(bytes.data, start, 24);
            assert_memory_equal(bytes.data + 64, start + 64, 32);
            assert_memory_equal(bytes.data + 128, "abc\0\0", 5);
        }
        seed = 2 ^ ((uint64_t)bundle->count << 32) ^ ((uint64_t)bytes.size << 16);
        memcpy(&found, bytes.data + 24, sizeof found);
        assert_true(found == clv_hash(bytes.data + 64, bytes.size - 64, seed));
        pieces.bytes.size = 0;
        pieces.workspace = bytes.size - 1;
        assert_int_equal(clv_bundle_emit(bundle, magic, 2, add_piece, &pieces, &error),
                         CLEAVE_ERROR_IO);
        assert_string_equal(error.message, "full");
        clv_bundle_free(bundle);
        clv_free(context, bytes.data);
        clv_free(context, pieces.bytes.data);
    }
    cleave_context_free(context);
}

/* ---- file.c ---------------------------------------------------------------------------------- */

static void put(Context *context, const char *path, const char *text, bool commit)
{
    cleave_error error = {0};
    Output *output;

    FINE(clv_output_open(context, path, true, &output, &error));
    FINE(clv_output_write(output, text, strlen(text), &error));
    assert_int_equal(clv_output_position(output), strlen(text));
    if (commit)
        FINE(clv_output_commit(output, &error));
    else
        clv_output_abandon(output);
}

static void assert_holds(const char *path, const char *text)
{
    char *found = test_read_file(path, NULL);

    assert_non_null(found);
    assert_string_equal(found, text);
    free(found);
}

static void files_are_whole_or_not_there(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], link_path[TEST_PATH_SIZE],
        missing[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_error error = {0};
    struct stat facts;
    Output *output;
    uint64_t size;

    (void)state;
    test_join(path, test_folder_new(folder), "file");
    put(context, path, "lost", false);
    assert_int_equal(test_folder_count(folder), 0);
    put(context, path, "first", true);
    assert_holds(path, "first");
    assert_int_equal(chmod(path, 0640), 0);
    put(context, path, "lost", false);
    assert_holds(path, "first");
    put(context, path, "second", true);
    assert_holds(path, "second");
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    assert_int_equal(symlink(path, test_join(link_path, folder, "link")), 0);
    put(context, link_path, "through", true);
    assert_holds(path, "through");
    assert_int_equal(lstat(link_path, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode)); /* a link stays a link */
    assert_true(clv_same_file(path, link_path));
    assert_false(clv_same_file(path, folder));
    assert_true(clv_regular_file(path, &size) && size == 7);
    assert_false(clv_regular_file(folder, &size));
    assert_false(clv_regular_file("/dev/null", &size));
    assert_int_equal(test_folder_count(folder), 2);
    assert_int_equal(clv_output_open(context, folder, true, &output, &error), CLEAVE_ERROR_IO);
    assert_says(&error, "folder");
    test_join(missing, folder, "no/such/file");
    assert_int_equal(clv_output_open(context, missing, true, &output, &error), CLEAVE_ERROR_IO);
    assert_says(&error, "no/such/file");
    put(context, "/dev/null", "gone", true);
    clv_output_abandon(NULL);
    test_folder_remove(folder);
    cleave_context_free(context);
}

static void temporary_files_leave_no_name(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_error error = {0};
    int file;

    (void)state;
    test_join(path, test_folder_new(folder), "beside");
    FINE(clv_temporary_file(context, path, &file, &error));
    assert_int_equal(write(file, "x", 1), 1);
    assert_int_equal(test_folder_count(folder), 0);
    close(file);
    test_folder_remove(folder);
    cleave_context_free(context);
}

/* The functions of cleave.h for output files. */
static void outputs_of_the_caller(void **state)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    Context *context = new_context(1);
    cleave_error error = {0};
    cleave_output *output;

    (void)state;
    test_join(path, test_folder_new(folder), "file");
    FINE(cleave_output_open(context, path, &output, &error));
    FINE(cleave_output_write(output, "ab", 2, &error));
    cleave_output_abandon(output);
    assert_int_equal(test_folder_count(folder), 0);
    FINE(cleave_output_open(context, path, &output, &error));
    for (int i = 0; i < 100000; i++)
        FINE(cleave_output_write(output, "abcdefg\n", 8, &error));
    FINE(cleave_output_commit(output, &error));
    assert_true(test_folder_count(folder) == 1);
    test_folder_remove(folder);
    cleave_context_free(context);
}

static mode_t mode_of(const char *path)
{
    struct stat facts;

    assert_int_equal(stat(path, &facts), 0);
    return facts.st_mode & 07777;
}

/* A new file has the permissions of the umask. A file that is replaced keeps its own, and only its
 * owner can read the temporary file. */
static void permissions_are_kept(void **state)
{
    cleave_context *context = cleave_context_new(NULL);
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE], temporary[TEST_PATH_SIZE];
    mode_t mask = umask(026);
    cleave_output *output;
    cleave_error error = {0};

    (void)state;
    test_folder_new(folder);
    test_join(path, folder, "file");
    test_join(temporary, folder, "file.cleave1.tmp");
    FINE(cleave_output_open(context, path, &output, &error));
    assert_int_equal(mode_of(temporary), 0640);
    FINE(cleave_output_commit(output, &error));
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0606), 0);
    FINE(cleave_output_open(context, path, &output, &error));
    assert_int_equal(mode_of(temporary), 0600);
    FINE(cleave_output_commit(output, &error));
    assert_int_equal(mode_of(path), 0606);
    umask(mask);
    test_folder_remove(folder);
    cleave_context_free(context);
}

static void durations_have_units(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* 0: none */
    } cases[] = {{"30", 30},     {"30s", 30},    {"5m", 300},    {"1h", 3600},  {"1h30m", 5400},
                 {"1.5h", 5400}, {"2d", 172800}, {"0.25", 0.25}, {"", 0},       {"0", 0},
                 {"0s", 0},      {"-5m", 0},     {"5x", 0},      {"5m1h", 0},   {"5m30", 0},
                 {"m", 0},       {"5 m", 0},     {"inf", 0},     {"1e999h", 0}, {"0s30", 0},
                 {"5mm", 0}};
    cleave_error error = {0};
    double seconds;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(clv_parse_duration(cases[i].text, &seconds), cases[i].seconds > 0);
        if (cases[i].seconds > 0)
            assert_true(seconds == cases[i].seconds);
    }
    assert_int_equal(clv_duration("time_limit", "soon", &seconds, &error), CLEAVE_ERROR_USAGE);
    assert_string_equal(error.message, "--time-limit: expected a positive duration, found 'soon'");
    assert_true(*error.hint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_carry_words),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(quotes_are_safe),
        cmocka_unit_test(memory_comes_from_the_context),
        cmocka_unit_test(the_context_talks),
        cmocka_unit_test(progress_is_repeated),
        cmocka_unit_test(quota_of_version_2),
        cmocka_unit_test(quota_of_version_1),
        cmocka_unit_test(hash_is_xxh64),
        cmocka_unit_test(hash_in_pieces),
        cmocka_unit_test(bundles_borrow_and_take),
        cmocka_unit_test(bundles_are_emitted),
        cmocka_unit_test(random_numbers_are_random),
        cmocka_unit_test(near_words_are_found),
        cmocka_unit_test(parameters_from_text),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(options_are_applied),
        cmocka_unit_test(bundles_hold_items),
        cmocka_unit_test(files_are_whole_or_not_there),
        cmocka_unit_test(temporary_files_leave_no_name),
        cmocka_unit_test(outputs_of_the_caller),
        cmocka_unit_test(permissions_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
