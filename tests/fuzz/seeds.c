/*
 * Makes the binary seeds of the fuzz corpora in a folder: our own files from the built-in sets and
 * from small texts, arrays of NumPy and IDX, compressed streams. Linked like the targets that read
 * them, with the checksum switched off (nohash.c).
 */
#include "model/delta_bytes.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static const char *root;

static const char *place(char path[TEST_PATH_SIZE], const char *target, const char *name)
{
    test_join(path, root, target);
    mkdir(path, 0777);
    snprintf(path, TEST_PATH_SIZE, "%s/%s/%s", root, target, name);
    return path;
}

static void seed(const char *target, const char *name, const void *bytes, size_t size)
{
    char path[TEST_PATH_SIZE];

    test_write_file(place(path, target, name), bytes, size);
}

static void must(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK) {
        fprintf(stderr, "seeds: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

/* ---- our own files */

static void options_from(cleave_options *options, const char *const *pairs)
{
    cleave_error error;

    for (; pairs && *pairs; pairs += 2)
        must(cleave_options_set(options, pairs[0], pairs[1], &error), &error);
}

static void dataset_and_model(const char *input, const char *name, const char *const *train_options)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    cleave_data *data;
    cleave_model *model;
    cleave_error error;
    char path[TEST_PATH_SIZE], file[64];

    snprintf(file, sizeof file, "%s.cleave", name);
    must(cleave_open(context, input, NULL, &data, &error), &error);
    must(cleave_convert(data, place(path, "dataset", file), NULL, NULL, &error), &error);
    cleave_data_free(data);

    options_from(options, train_options);
    snprintf(file, sizeof file, "%s.model", name);
    must(cleave_open(context, input, NULL, &data, &error), &error);
    must(cleave_train(context, "perceptron", data, NULL, options, &model, NULL, &error), &error);
    must(cleave_save(model, place(path, "model", file), &error), &error);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

static void train(const char *method, const char *input, const char *const *pairs, const char *name)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_options *options = cleave_options_new(context);
    char path[TEST_PATH_SIZE];
    cleave_data *data;
    cleave_model *model;
    cleave_error error;

    options_from(options, pairs);
    must(cleave_open(context, input, NULL, &data, &error), &error);
    must(cleave_train(context, method, data, NULL, options, &model, NULL, &error), &error);
    must(cleave_save(model, place(path, "model", name), &error), &error);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
    cleave_context_free(context);
}

/* Models of interrupted runs, with the state to resume them. */
static void unfinished_models(void)
{
    static const struct {
        const char *name, *method, *const options[7];
    } models[] = {
        {"dcd.model", "svm", {"solver", "dcd", "max_iterations", "1", NULL}},
        {"lbfgs.model", "logistic", {"solver", "lbfgs", "max_iterations", "2", NULL}},
        {"kernel.model", "kernel-svm", {"solver", "sgd", "epochs", "1", NULL}},
    };

    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        train(models[i].method, "@points6", models[i].options, models[i].name);
}

/* Trees over numbers and categories, some missing. */
static void models_of_trees(void)
{
    static const struct {
        const char *name, *method, *const options[5];
    } models[] = {
        {"tree.model", "tree", {NULL}},
        {"forest.model", "forest", {"trees", "3", "importance", "permutation", NULL}},
        {"boost.model", "boost", {"rounds", "2", "min_leaf_rows", "1", NULL}},
        {"exponential.model", "boost", {"loss", "exponential", "rounds", "2", NULL}},
    };
    char path[TEST_PATH_SIZE];

    place(path, "tmp", "rows.csv");
    test_write_text(
        path,
        "size,color,kind\n1.5,red,a\n,green,b\n3,red,c\n0,\"blue, dark\",a\n2.5,,c\n-1,green,b\n");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        train(models[i].method, path, models[i].options, models[i].name);
}

/* A seed with a different last number must load. Otherwise checksums are verified, and the targets
 * would refuse every input. */
static void load_changed(const char *name)
{
    cleave_context *context = cleave_context_new(NULL);
    char path[TEST_PATH_SIZE];
    cleave_model *model;
    cleave_error error;
    size_t size;
    char *bytes = test_read_file(place(path, "model", name), &size);

    if (!bytes)
        exit(EXIT_FAILURE);
    for (size_t at = size - 1;; at--)
        if (bytes[at]) {
            bytes[at] ^= 1;
            break;
        }
    test_write_file(place(path, "tmp", "changed.model"), bytes, size);
    must(cleave_load(context, path, &model, &error), &error);
    cleave_model_free(model);
    free(bytes);
    cleave_context_free(context);
}

/* Variants of a seed with one damaged word each, spread over the file: its lowest byte is changed,
 * or all bits are set. */
static void damage(const char *target, const char *name)
{
    enum { VARIANTS = 96 };
    char path[TEST_PATH_SIZE], file[64];
    size_t size;
    char *bytes = test_read_file(place(path, target, name), &size);

    if (!bytes)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < VARIANTS; i++) {
        char *word = bytes + i * (size / 4) / VARIANTS * 4, kept[4];

        memcpy(kept, word, 4);
        if (i % 2)
            memset(word, 0xFF, 4);
        else
            word[0] ^= 1;
        snprintf(file, sizeof file, "damaged-%zu-%s", i, name);
        seed(target, file, bytes, size);
        memcpy(word, kept, 4);
    }
    free(bytes);
}

static void own_files(void)
{
    static const char *const averaged[] = {"form", "averaged", "learn_threshold", "true", NULL};
    static const char *const voted[] = {"form", "voted", NULL};
    static const char *const damaged[][2] = {
        {"dataset", "wide.cleave"}, {"dataset", "table.cleave"}, {"dataset", "points6.cleave"},
        {"dataset", "mail.cleave"}, {"model", "table.model"},    {"model", "mail.model"},
        {"model", "lbfgs.model"},   {"model", "forest.model"}};
    char path[TEST_PATH_SIZE];

    dataset_and_model("@spam6", "spam6", NULL);
    dataset_and_model("@points6", "points6", averaged);
    dataset_and_model("@dogs", "dogs", NULL);
    place(path, "tmp", "wide.libsvm");
    test_write_text(path,
                    "+1 qid:3 1:1 70000:2 200000:-0.5\n-1 qid:4 2:1e-3\n+1 qid:5 5:2.5 140000:1\n");
    dataset_and_model(path, "wide", voted);
    place(path, "tmp", "ones.libsvm");
    test_write_text(path, "a 1:1 70000:1\nb 2:1\na 3:1\nb 2:1 3:1\n");
    dataset_and_model(path, "ones", NULL);
    place(path, "tmp", "mail.tsv");
    test_write_text(
        path,
        "spam\tbuy now, cheap\nham\tsee you at noon\nspam\tcheap, cheap, cheap\nham\tlunch?\n");
    dataset_and_model(path, "mail", averaged);
    place(path, "tmp", "table.csv");
    test_write_text(path, "size,color,kind\n1.5,red,a\n,green,b\n3,red,c\n0,\"blue, dark\",a\n");
    dataset_and_model(path, "table", NULL);
    unfinished_models();
    models_of_trees();
    load_changed("points6.model");
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        damage(damaged[i][0], damaged[i][1]);
}

/* ---- arrays */

static void npy(const char *name, int major, const char *header, const void *values, size_t size)
{
    char bytes[512];
    size_t prefix = major == 1 ? 10 : 12, length = strlen(header),
           padded = (prefix + length + 1 + 63) / 64 * 64 - prefix;

    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)major;
    bytes[7] = 0;
    for (size_t i = 8; i < prefix; i++)
        bytes[i] = (char)(padded >> (8 * (i - 8)));
    memset(bytes + prefix, ' ', padded);
    memcpy(bytes + prefix, header, length);
    bytes[prefix + padded - 1] = '\n';
    memcpy(bytes + prefix + padded, values, size);
    seed("npy", name, bytes, prefix + padded + size);
}

static void arrays(void)
{
    static const float singles[] = {1, 2, 3, 0, -5, 6.5f};
    static const double doubles[] = {1, 0.1, 3, 4, 1e30, 6};
    static const int32_t words[] = {1, -2, 3, 4, 5, 6};
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2,   0, 0, 0, 2, 0, 0,
                                     0, 3, 0, 1, 2, 3, 4, 255, 9, 8, 7, 6, 5, 4};
    static const uint8_t vectors[] = {0, 0, 13, 2,   0, 0, 0,  1, 0, 0,
                                      0, 2, 63, 128, 0, 0, 64, 0, 0, 0};
    static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1};
    /* X.npy of 3 by 2 bytes and y.npy of three letters, as numpy.savez and
     * numpy.savez_compressed write them. */
    static const uint8_t stored[] = {
        80,  75,  3,   4,   20,  0,   0,   0,   0,   0,   0,   0,   33,  0,   128, 153, 175, 188,
        76,  0,   0,   0,   76,  0,   0,   0,   5,   0,   0,   0,   88,  46,  110, 112, 121, 147,
        78,  85,  77,  80,  89,  1,   0,   60,  0,   123, 39,  100, 101, 115, 99,  114, 39,  58,
        32,  39,  124, 117, 49,  39,  44,  32,  39,  102, 111, 114, 116, 114, 97,  110, 95,  111,
        114, 100, 101, 114, 39,  58,  32,  70,  97,  108, 115, 101, 44,  32,  39,  115, 104, 97,
        112, 101, 39,  58,  32,  40,  51,  44,  32,  50,  41,  44,  32,  125, 10,  1,   2,   3,
        4,   5,   6,   80,  75,  3,   4,   20,  0,   0,   0,   0,   0,   0,   0,   33,  0,   97,
        205, 30,  238, 71,  0,   0,   0,   71,  0,   0,   0,   5,   0,   0,   0,   121, 46,  110,
        112, 121, 147, 78,  85,  77,  80,  89,  1,   0,   58,  0,   123, 39,  100, 101, 115, 99,
        114, 39,  58,  32,  39,  124, 83,  49,  39,  44,  32,  39,  102, 111, 114, 116, 114, 97,
        110, 95,  111, 114, 100, 101, 114, 39,  58,  32,  70,  97,  108, 115, 101, 44,  32,  39,
        115, 104, 97,  112, 101, 39,  58,  32,  40,  51,  44,  41,  44,  32,  125, 10,  97,  98,
        97,  80,  75,  1,   2,   20,  3,   20,  0,   0,   0,   0,   0,   0,   0,   33,  0,   128,
        153, 175, 188, 76,  0,   0,   0,   76,  0,   0,   0,   5,   0,   0,   0,   0,   0,   0,
        0,   0,   0,   0,   0,   128, 1,   0,   0,   0,   0,   88,  46,  110, 112, 121, 80,  75,
        1,   2,   20,  3,   20,  0,   0,   0,   0,   0,   0,   0,   33,  0,   97,  205, 30,  238,
        71,  0,   0,   0,   71,  0,   0,   0,   5,   0,   0,   0,   0,   0,   0,   0,   0,   0,
        0,   0,   128, 1,   111, 0,   0,   0,   121, 46,  110, 112, 121, 80,  75,  5,   6,   0,
        0,   0,   0,   2,   0,   2,   0,   102, 0,   0,   0,   217, 0,   0,   0,   0,   0};
    static const uint8_t deflated[] = {
        80,  75,  3,   4,  20,  0,   0,   0,   8,   0,   0,   0,   33,  0,   128, 153, 175, 188,
        73,  0,   0,   0,  76,  0,   0,   0,   5,   0,   0,   0,   88,  46,  110, 112, 121, 155,
        236, 23,  234, 27, 16,  201, 200, 96,  195, 80,  173, 158, 146, 90,  156, 92,  164, 110,
        165, 160, 94,  83, 106, 168, 174, 163, 160, 158, 150, 95,  84,  82,  148, 152, 23,  159,
        95,  148, 146, 10, 18,  119, 75,  204, 41,  78,  5,   138, 23,  103, 36,  22,  164, 2,
        249, 26,  198, 58, 10,  70,  154, 58,  10,  181, 92,  140, 76,  204, 44,  172, 108, 0,
        80,  75,  3,   4,  20,  0,   0,   0,   8,   0,   0,   0,   33,  0,   97,  205, 30,  238,
        68,  0,   0,   0,  71,  0,   0,   0,   5,   0,   0,   0,   121, 46,  110, 112, 121, 155,
        236, 23,  234, 27, 16,  201, 200, 96,  197, 80,  173, 158, 146, 90,  156, 92,  164, 110,
        165, 160, 94,  19, 108, 168, 174, 163, 160, 158, 150, 95,  84,  82,  148, 152, 23,  159,
        95,  148, 146, 10, 18,  119, 75,  204, 41,  78,  5,   138, 23,  103, 36,  22,  164, 2,
        249, 26,  198, 58, 154, 58,  10,  181, 92,  137, 73,  137, 0,   80,  75,  1,   2,   20,
        3,   20,  0,   0,  0,   8,   0,   0,   0,   33,  0,   128, 153, 175, 188, 73,  0,   0,
        0,   76,  0,   0,  0,   5,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128,
        1,   0,   0,   0,  0,   88,  46,  110, 112, 121, 80,  75,  1,   2,   20,  3,   20,  0,
        0,   0,   8,   0,  0,   0,   33,  0,   97,  205, 30,  238, 68,  0,   0,   0,   71,  0,
        0,   0,   5,   0,  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128, 1,   108, 0,
        0,   0,   121, 46, 110, 112, 121, 80,  75,  5,   6,   0,   0,   0,   0,   2,   0,   2,
        0,   102, 0,   0,  0,   211, 0,   0,   0,   0,   0};

    seed("npy", "stored.npz", stored, sizeof stored);
    seed("npy", "deflated.npz", deflated, sizeof deflated);
    npy("nan.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
        "\0\0\xc0\x7f\0\0\x80\x3f", 8);
    npy("f4.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", singles,
        sizeof singles);
    npy("f8.npy", 2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", doubles,
        sizeof doubles);
    npy("i4f.npy", 1, "{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2), }", words,
        sizeof words);
    npy("u1.npy", 3, "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }", "\1\2\0\3", 4);
    npy("b1.npy", 1, "{'shape': (2, 2), 'fortran_order': False, 'descr': '|b1'}", "\1\0\1\1", 4);
    npy("big.npy", 1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 1), }", "\x3f\x80\0\0",
        4);
    npy("huge.npy", 1,
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 999999999), }", singles,
        8);
    seed("vecs", "two.fvecs", "\2\0\0\0\0\0\x80\x3f\0\0\0\x40\2\0\0\0\0\0\0\0\0\0\x80\xbf", 24);
    seed("vecs", "two.bvecs", "\3\0\0\0\1\2\3\3\0\0\0\0\xff\7", 14);
    seed("vecs", "nan.fvecs", "\1\0\0\0\0\0\xc0\x7f", 8);
    seed("vecs", "cut.ivecs", "\2\0\0\0\5\0\0\0\6\0\0", 11);
    seed("idx", "images.idx", images, sizeof images);
    seed("idx", "floats.idx", vectors, sizeof vectors);
    seed("idx", "labels.idx", labels, sizeof labels);
}

/* ---- compressed streams */

static void compressed(void)
{
    static const char text[] = "+1 1:0.5 3:2\n-1 2:1\n";
    char path[TEST_PATH_SIZE], *bytes, zeros[100000] = {0};
    uLongf size = compressBound(sizeof zeros);
    gzFile file;

    test_write_gzip(place(path, "bytes", "one.gz"), text);
    bytes = test_read_file(path, &size);
    memcpy(zeros, bytes, size); /* two members, and trailing garbage after one */
    memcpy(zeros + size, bytes, size);
    seed("bytes", "two.gz", zeros, 2 * size);
    memcpy(zeros + size, "rubbish", 7);
    seed("bytes", "rubbish.gz", zeros, size + 7);
    zeros[size - 8] ^= 1; /* the checksum in the file */
    seed("bytes", "wrong.gz", zeros, size);
    free(bytes);
    memset(zeros, 0, sizeof zeros);
    file = gzopen(place(path, "bytes", "zeros.gz"), "wb9");
    if (!file || gzwrite(file, zeros, sizeof zeros) != (int)sizeof zeros || gzclose(file) != Z_OK)
        exit(EXIT_FAILURE);
    seed("bytes", "plain.txt", text, sizeof text - 1);
#ifdef HAVE_ZSTD
    {
        char packed[1024];
        size_t first = ZSTD_compress(packed, sizeof packed, text, sizeof text - 1, 3);
        size_t second = ZSTD_compress(packed + first, sizeof packed - first, zeros, sizeof zeros,
                                      3);

        seed("bytes", "one.zst", packed, first);
        seed("bytes", "two.zst", packed, first + second);
        memcpy(packed + first, "\x50\x2a\x4d\x18\x04\0\0\0skip", 12); /* a skippable frame */
        seed("bytes", "skip.zst", packed, first + 12);
    }
#endif
}

/* ---- updates as bytes */

static void fill_delta(Delta *delta, cleave_context *context, bool floats)
{
    cleave_error error;

    clv_delta_init(delta, context);
    for (uint64_t i = 0; i < 5; i++)
        must(clv_delta_add(delta, "w", floats ? i : 300 * i * i, floats ? 0.5 : 0.1, &error),
             &error);
    must(clv_delta_add(delta, "round", 0, 1e300, &error), &error);
}

static void deltas(void)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_error error;
    DeltaTree tree;

    clv_delta_tree_init(&tree, context, 16);
    for (int floats = 0; floats < 2; floats++) {
        Buffer bytes = {0};
        Delta delta;

        fill_delta(&delta, context, floats);
        must(clv_buffer_add(context, &bytes, "a", 2, &error), &error);
        bytes.size = 1;
        bytes.data[0] = 0;
        must(clv_delta_to_bytes(&delta, context, &bytes, &error), &error);
        seed("delta", floats ? "floats" : "doubles", bytes.data, bytes.size);
        must(clv_delta_tree_add(&tree, (uint32_t)floats * 5, 1, &delta, &error), &error);
        bytes.size = 1;
        bytes.data[0] = 1;
        must(clv_delta_tree_to_bytes(&tree, &bytes, &error), &error);
        seed("delta", floats ? "two" : "one", bytes.data, bytes.size);
        clv_free(context, bytes.data);
    }
    clv_delta_tree_free(&tree);
    cleave_context_free(context);
}

/* ---- Arrow */

/* An Arrow stream of pyarrow: a column of doubles, a dictionary, dates and text, 4 rows, in
 * hexadecimal. */
static const char arrow_stream[] =
    "ffffffff300100001000000000000a000c000600050008000a00000000010400040000005cffffff04000000"
    "04000000d40000006c00000030000000040000004cffffff0000010510000000180000000400000000000000"
    "050000006c6162656c00000078ffffff74ffffff000001081000000014000000040000000000000003000000"
    "6461790062ffffff00000000100018000800060007000c001000140010000000000001051400000044000000"
    "20000000040000000000000005000000636f6c6f720000000800080000000400080000000c00000008000c00"
    "080007000800000000000001080000000400040004000000100014000800060007000c000000100010000000"
    "00000103100000001c00000004000000000000000400000073697a6500000600080006000600000000000200"
    "00000000ffffffffa800000014000000000000000c0014000600050008000c000c0000000002040014000000"
    "180000000000000008000a0000000400080000001000000000000a0018000c00040008000a0000004c000000"
    "1000000002000000000000000000000003000000000000000000000000000000000000000000000000000000"
    "0c00000000000000100000000000000007000000000000000000000001000000020000000000000000000000"
    "0000000000000000030000000700000000000000726564626c756500ffffffff280100001400000000000000"
    "0c0016000600050008000c000c0000000003040018000000780000000000000000000a0018000c0004000800"
    "0a000000ac000000100000000400000000000000000000000900000000000000000000000100000000000000"
    "0800000000000000200000000000000028000000000000000000000000000000280000000000000004000000"
    "0000000030000000000000000100000000000000380000000000000010000000000000004800000000000000"
    "0000000000000000480000000000000014000000000000006000000000000000140000000000000000000000"
    "0400000004000000000000000100000000000000040000000000000000000000000000000400000000000000"
    "0100000000000000040000000000000000000000000000000d00000000000000000000000000f83f00000000"
    "0000000000000000000020400000000000002240000100010000000007000000000000000b4d00000c4d0000"
    "2a4d00000000000000000000050000000a0000000f0000001400000000000000736d616c6c736d616c6c6c61"
    "7267656c6172676500000000ffffffff00000000";

static void arrow(void)
{
    enum { FILE_START = 8, SIZE = (sizeof arrow_stream - 1) / 2 };
    char file[FILE_START + SIZE] = "ARROW1";

    for (size_t i = 0; i < SIZE; i++) {
        const char digits[] = {arrow_stream[2 * i], arrow_stream[2 * i + 1], '\0'};

        file[FILE_START + i] = (char)strtol(digits, NULL, 16);
    }
    seed("arrow", "file", file, sizeof file);
    seed("arrow", "stream", file + FILE_START, SIZE);
}

int main(int argc, char **argv)
{
    char path[TEST_PATH_SIZE];

    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    root = argv[1];
    mkdir(root, 0777);
    own_files();
    arrays();
    arrow();
    compressed();
    deltas();
    test_folder_remove(test_join(path, root, "tmp"));
    return 0;
}
