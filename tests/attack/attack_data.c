/*
 * Mutants of datasets in every format. Each mutant is opened. A mutant that opens is described,
 * converted, split, trained on, predicted, evaluated, searched or streamed, or it updates a model
 * of the original file.
 *
 * A mutant changes the content, which is then compressed, zipped or given checksums, so that the
 * change reaches the code behind these. Other mutants change the finished file. Besides changes of
 * bytes, text gets tokens of its parsers (separators, quotes, extreme numbers).
 */
#include "attack/mutate.h"
#include "base/hash.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

typedef enum { PLAIN, GZIP, ZSTD, ZIP_STORED, ZIP_DEFLATED, DATASET, FOLDER } Wrap;

typedef struct {
    const char *name;
    Wrap wrap;
    bool text, regression;
    const char *content; /* NULL: made by make_binary or by convert */
    const char *options; /* for reading: NAME=VALUE, separated by blanks */
} Wanted;

#define SPARSE_ROWS                                                                                \
    "+1 1:1 3:0.5\n-1 2:1 4:2 # a note\n+1 1:0.5 70000:1\n-1 qid:2 2:2\n+1 3:1e-3 4:-0.25\n-1 "    \
    "2:0.5 5:1\n"
#define CLASS_ROWS                                                                                 \
    "a 1:1 2:1\nb 1:3 2:1.5\nc 1:2 2:4\n? 1:1 2:1\na 1:0.5\nb 1:5 2:5\nc 2:4.5\nb 1:4 2:2\n"
#define TABLE_ROWS                                                                                 \
    "age,color,size,day,label\n31,red,1.5,2024-01-03,yes\n45,blue,,2024-02-04,no\n22,\"red, "      \
    "dark\",2.5,2024-03-05,yes\n"                                                                  \
    ",green,0.5,2024-04-06 "                                                                       \
    "10:30:00,no\n38,blue,1,2024-05-07,yes\n51,red,NA,,no\n29,green,2,2024-07-09,yes\n"
#define MAIL_ROWS                                                                                  \
    "spam\tcheap pills now, cheap offer\nham\tthe meeting is at noon\nspam\toffer now: buy "       \
    "pills\nham\tlunch at noon?\n"
#define MAIL                                                                                       \
    "From: a@example.org\nSubject: =?utf-8?B?Y2hlYXAgcGlsbHM=?= now\nMIME-Version: 1.0\n"          \
    "Content-Type: multipart/alternative; boundary=\"XX\"\n\n--XX\nContent-Type: text/plain; "     \
    "charset=iso-8859-1\n"                                                                         \
    "Content-Transfer-Encoding: quoted-printable\n\nCaf=E9 cheap=20pills\n--XX\nContent-Type: "    \
    "text/html\n"                                                                                  \
    "Content-Transfer-Encoding: base64\n\nPHA+Y2hlYXAgPGI+cGlsbHM8L2I+PC9wPg==\n--XX--\n"

static const Wanted wanted[] = {
    {"sparse.libsvm", PLAIN, true, false, SPARSE_ROWS, ""},
    {"classes.libsvm", PLAIN, true, false, CLASS_ROWS, "sort_indexes=true sum_repeated=true"},
    {"numbers.libsvm", PLAIN, true, true,
     "1.5 1:1 2:0.5\n-1 1:-1\n0.5 2:-1\n2 1:1.5 2:0.25\n-2.5 1:-2 2:1.5\n", ""},
    {"labels.libsvm", PLAIN, true, false, "1,3 1:1\n2 2:1\n1 1:2 2:1\n3,2 3:1\n", ""},
    {"table.csv", PLAIN, true, false, TABLE_ROWS, ""},
    {"table.tsv", PLAIN, true, false, "x\ty\tkind\n1\t2\tin\n2\t1\tin\n0\t3\tout\n5\t4\tout\n", ""},
    {"prices.csv", PLAIN, true, true,
     "area;rooms;price\n50;2;100.5\n75;3;150\n20;1;60\n90;;181,5\n", "label=price"},
    {"answers.csv", PLAIN, true, false,
     "task,worker,label\nt1,w1,yes\nt1,w2,no\nt1,w3,yes\nt2,w1,no\nt2,w2,no\nt3,w3,yes\nt3,w1,yes\n"
     "t4,w2,maybe\n",
     ""},
    {"words.csv", PLAIN, true, false,
     "text,label\n\"cheap, now\",a\nsee you,b\n\"a \"\"b\"\"\nc\",a\nnoon,b\n",
     "columns=text=text"},
    {"text.txt", PLAIN, true, false, MAIL_ROWS, "format=text"},
    {"grams.txt", PLAIN, true, false, MAIL_ROWS,
     "format=text ngrams=1-2 hash_bits=6 stop_words=english"},
    {"sequences.txt", PLAIN, true, false,
     "animal\tcat\nanimal\tcats\nthing\tchair\nthing\tchairs\n", "format=text sequence=true"},
    {"text.gz", GZIP, true, false, SPARSE_ROWS, ""},
    {"table.csv.gz", GZIP, true, false, TABLE_ROWS, ""},
#ifdef HAVE_ZSTD
    {"rows.libsvm.zst", ZSTD, true, false, CLASS_ROWS, ""},
#endif
    {"singles.npy", PLAIN, false, false, NULL, ""},
    {"columns.npy", PLAIN, false, false, NULL, ""},
    {"stored.npz", ZIP_STORED, false, false, NULL, ""},
    {"deflated.npz", ZIP_DEFLATED, false, false, NULL, ""},
    {"images.idx", PLAIN, false, false, NULL, ""},
    {"images.idx.gz", GZIP, false, false, NULL, ""},
    {"points.fvecs", PLAIN, false, false, NULL, ""},
    {"points.bvecs", PLAIN, false, false, NULL, ""},
    {"points.ivecs", PLAIN, false, false, NULL, ""},
    {"sparse.cleave", DATASET, false, false, SPARSE_ROWS, ""},
    {"classes.cleave", DATASET, false, false, CLASS_ROWS, ""},
    {"table.cleave", DATASET, false, false, TABLE_ROWS, ""},
    {"text.cleave", DATASET, false, false, MAIL_ROWS, ""},
    {"mails", FOLDER, true, false, MAIL, "documents=mail"},
    {"pages", FOLDER, true, false,
     "<html><body><p>cheap &amp; pills<script>x</script>&#x41;</body></html>", "documents=html"},
};
enum { SEEDS = sizeof wanted / sizeof *wanted };

typedef struct {
    const char *name, *options;
} Trained;

static const Trained classifiers[] = {
    {"perceptron", "epochs=2"},
    {"winnow", "epochs=2"},
    {"svm", "max_iterations=2"},
    {"logistic", "max_iterations=2"},
    {"knn", ""},
    {"tree", ""},
    {"forest", "trees=2"},
    {"boost", "rounds=2"},
    {"kernel-svm", "max_iterations=2"},
    {"kernel-perceptron", "epochs=2"},
    {"mlp", "hidden=4 epochs=2"},
};
static const Trained regressors[] = {
    {"lms", "epochs=2"},     {"least-squares", ""},  {"svr", "max_iterations=2"},
    {"tree-regression", ""}, {"knn-regression", ""}, {"mlp-regression", "hidden=4 epochs=2"},
};
enum {
    CLASSIFIERS = sizeof classifiers / sizeof *classifiers,
    REGRESSORS = sizeof regressors / sizeof *regressors
};

typedef struct {
    const Wanted *wanted;
    Bytes content;
    char path[TEST_PATH_SIZE]; /* the unchanged file, for models */
    cleave_model *model;       /* trained on it */
} Seed;

typedef struct {
    char folder[TEST_PATH_SIZE], out[TEST_PATH_SIZE];
    cleave_context *context;
    Seed seed[SEEDS];
    uint64_t accepted;
} Campaign;

static size_t below(Random *random, size_t bound)
{
    return bound ? (size_t)(clv_random_next(random) % bound) : 0;
}

static void append(Bytes *bytes, const void *from, size_t size)
{
    bytes_replace(bytes, bytes->size, 0, from, size);
}

static void append_number(Bytes *bytes, uint64_t number, size_t width)
{
    append(bytes, &number, width);
}

/* A single allocation of more than 32 MB fails: mutants with a column in the millions are
 * refused early. */
static void *allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return size > (size_t)32 << 20 ? NULL : realloc(old, size);
}

static clock_t deadline; /* of processor time, after which calls are cancelled */

static bool cancelled(void *user)
{
    (void)user;
    return clock() > deadline;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void make_npy(Bytes *bytes, const char *header, const void *values, size_t size)
{
    size_t length = strlen(header), padded = (10 + length + 1 + 63) / 64 * 64 - 10;

    append(bytes, "\x93NUMPY\1\0", 8);
    append_number(bytes, padded, 2);
    append(bytes, header, length);
    for (size_t i = length; i + 1 < padded; i++)
        append(bytes, " ", 1);
    append(bytes, "\n", 1);
    append(bytes, values, size);
}

static void make_vectors(Bytes *bytes, size_t width)
{
    static const float singles[] = {1, 2, 0.5f, -1, 3, 2.5f, 0, 1};
    static const int32_t whole[] = {1, 2, 0, -1, 3, 25, 0, 1};

    for (size_t row = 0; row < 4; row++) {
        append_number(bytes, 2, 4);
        for (size_t i = 2 * row; i < 2 * row + 2; i++)
            append(bytes,
                   width == 1   ? (const void *)"\7"
                   : width == 4 ? (const void *)&singles[i]
                                : &whole[i],
                   width == 1 ? 1 : 4);
    }
}

static void make_binary(const char *name, Bytes *bytes)
{
    static const float singles[] = {1, 2, 3, 0, -5, 6.5f};
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2,   0, 0, 0, 2, 0, 0,
                                     0, 3, 0, 1, 2, 3, 4, 255, 9, 8, 7, 6, 5, 4};

    if (strcmp(name, "columns.npy") == 0)
        make_npy(bytes, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }",
                 (const int64_t[]){1, 2, 3, -4, 5, 6}, 48);
    else if (strstr(name, ".np"))
        make_npy(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", singles,
                 sizeof singles);
    else if (strstr(name, ".idx"))
        append(bytes, images, sizeof images);
    else
        make_vectors(bytes, strstr(name, ".bvecs") ? 1 : strstr(name, ".fvecs") ? 4 : 5);
}

static void deflate_bytes(const Bytes *in, int window, Bytes *out)
{
    z_stream stream = {.next_in = in->bytes, .avail_in = (uInt)in->size};
    size_t bound;

    if (deflateInit2(&stream, 1, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        attack_fail("zlib", "deflateInit2");
    bound = deflateBound(&stream, (uLong)in->size) + 64;
    bytes_replace(out, out->size, 0, NULL, bound);
    stream.next_out = out->bytes + out->size - bound;
    stream.avail_out = (uInt)bound;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        attack_fail("zlib", "deflate");
    out->size -= stream.avail_out;
    deflateEnd(&stream);
}

/* One member of a zip file: its local header (central false) or its entry in the directory at
 * the end. */
static void zip_header(Bytes *out, bool central, const char *name, const Bytes *plain,
                       size_t packed, bool deflated, size_t at)
{
    append(out, central ? "PK\1\2\24\3" : "PK\3\4", central ? 6 : 4);
    append_number(out, 20, 2);
    append_number(out, 0, 2);
    append_number(out, deflated ? 8 : 0, 2);
    append_number(out, 0x210000, 4);
    append_number(out, crc32(0, plain->bytes, (uInt)plain->size), 4);
    append_number(out, packed, 4);
    append_number(out, plain->size, 4);
    append_number(out, strlen(name), 2);
    append_number(out, 0, 2);
    if (central) {
        append_number(out, 0, 8);
        append_number(out, 0, 2);
        append_number(out, at, 4);
    }
    append(out, name, strlen(name));
}

static void zip(const Bytes *content, bool deflated, Bytes *out)
{
    Bytes labels = {0}, packed = {0}, directory = {0};

    make_npy(&labels, "{'descr': '|S1', 'fortran_order': False, 'shape': (3,), }", "aba", 3);
    for (size_t i = 0; i < 2; i++) {
        const char *name = i == 0 ? "X.npy" : "y.npy";
        const Bytes *plain = i == 0 ? content : &labels;
        size_t at = out->size;

        packed.size = 0;
        if (deflated)
            deflate_bytes(plain, -15, &packed);
        else
            append(&packed, plain->bytes, plain->size);
        zip_header(out, false, name, plain, packed.size, deflated, at);
        append(out, packed.bytes, packed.size);
        zip_header(&directory, true, name, plain, packed.size, deflated, at);
    }
    append_number(&directory, 0x06054B50, 4);
    append_number(&directory, 0, 4);
    append_number(&directory, 2, 2);
    append_number(&directory, 2, 2);
    append_number(&directory, directory.size - 12, 4);
    append_number(&directory, out->size, 4);
    append_number(&directory, 0, 2);
    append(out, directory.bytes, directory.size);
    bytes_free(&labels);
    bytes_free(&packed);
    bytes_free(&directory);
}

static uint64_t load(const unsigned char *at)
{
    uint64_t number;

    memcpy(&number, at, sizeof number);
    return number;
}

static void store(unsigned char *at, uint64_t number)
{
    memcpy(at, &number, sizeof number);
}

/* Sets the checksums of the blocks, the footer and the tail for the given bytes
 * (docs/formats/dataset.md). */
static void mend_dataset(Bytes *bytes)
{
    unsigned char *tail;

    if (bytes->size < 96)
        return;
    for (size_t at = 64; at + 64 <= bytes->size; at += 64) {
        unsigned char *block = bytes->bytes + at;
        uint64_t size = load(block + 32);

        if (memcmp(block, "CLVB", 4) != 0 || size < 64 || size > bytes->size - at)
            continue;
        store(block + 40, 0);
        store(block + 40, clv_hash(block + 64, (size_t)size - 64, clv_hash(block, 64, 0)));
    }
    tail = bytes->bytes + bytes->size - 32;
    if (load(tail) <= bytes->size - 32) {
        size_t at = (size_t)load(tail);

        store(tail + 8, bytes->size - 32 - at);
        bundle_mend(bytes->bytes + at, bytes->size - 32 - at);
    }
    store(tail + 16, clv_hash(tail, 16, 0));
}

/* Changes the footer, part by part. */
static void mutate_footer(Bytes *bytes, Random *random)
{
    Bytes footer = {0};
    BundleParts parts;
    unsigned char tail[32];
    size_t at;

    memcpy(tail, bytes->bytes + bytes->size - 32, 32);
    at = (size_t)load(tail);
    append(&footer, bytes->bytes + at, bytes->size - 32 - at);
    if (!bundle_take_apart(&footer, &parts))
        attack_fail("a dataset", "its footer is not a bundle");
    for (size_t i = 0, changes = 1 + below(random, 3); i < changes; i++)
        mutate_parts(&parts, NULL, random);
    bundle_put_together(&parts, &footer);
    bytes->size = at;
    append(bytes, footer.bytes, footer.size);
    append(bytes, tail, sizeof tail);
    bundle_parts_free(&parts);
    bytes_free(&footer);
}

static void wrap(Wrap how, const Bytes *content, Bytes *out)
{
    out->size = 0;
    switch (how) {
    case GZIP:
        deflate_bytes(content, 15 + 16, out);
        break;
#ifdef HAVE_ZSTD
    case ZSTD: {
        size_t bound = ZSTD_compressBound(content->size);

        bytes_replace(out, 0, 0, NULL, bound);
        out->size = ZSTD_compress(out->bytes, bound, content->bytes, content->size, 1);
        break;
    }
#endif
    case ZIP_STORED:
    case ZIP_DEFLATED:
        zip(content, how == ZIP_DEFLATED, out);
        break;
    default:
        append(out, content->bytes, content->size);
        if (how == DATASET)
            mend_dataset(out);
    }
}

/* A folder has one document with the content, and three others. */
static const char *write_file(const Campaign *campaign, const Wanted *like, const char *name,
                              const Bytes *bytes, char path[TEST_PATH_SIZE])
{
    char inner[TEST_PATH_SIZE];

    test_join(path, campaign->folder, name);
    if (like->wrap != FOLDER) {
        test_write_file(path, bytes->bytes, bytes->size);
        return path;
    }
    mkdir(path, 0777);
    mkdir(test_join(inner, path, "spam"), 0777);
    mkdir(test_join(inner, path, "ham"), 0777);
    test_write_file(test_join(inner, path, "spam/1"), bytes->bytes, bytes->size);
    test_write_text(test_join(inner, path, "spam/2"), "Subject: pills\n\ncheap pills\n");
    test_write_text(test_join(inner, path, "ham/1"), "Subject: noon\n\nsee you\n");
    test_write_text(test_join(inner, path, "ham/2"), "lunch at noon\n");
    return path;
}

/* ---- mutants --------------------------------------------------------------------------------- */

static const char *const tokens[] = {
    "\n",
    "\r\n",
    "\r",
    "\t",
    ",",
    ";",
    "|",
    ":",
    "\"",
    "\"\"",
    "'",
    "#",
    "?",
    " ",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e400",
    "1e-400",
    "1e38",
    "3.5e38",
    "-0",
    "0x1p3",
    "NA",
    "null",
    "-",
    "+",
    "1",
    "0",
    "4294967295:1",
    "4294967296:1",
    "2147483647:1",
    "99999:1",
    "0:1",
    "-1:1",
    "qid:1",
    "qid:18446744073709551616",
    "1,2,3",
    "2024-02-30",
    "2024-12-31",
    "31/12/2024",
    "10:30:00",
    "1700000000",
    "\xEF\xBB\xBF",
    "\xC3\xA9",
    "\xC3",
    "\xFF",
    "\xED\xA0\x80",
    "\xF0\x9F\x98\x80",
    "\x1B[2J",
    "\x7F",
    "label",
    "weight",
    "--XX\n",
    "=?utf-8?Q?=41?=",
    "Content-Type: text/html\n",
    "\n\n",
    "<p>",
    "<!--",
    "&#x110000;",
    "&amp",
    "Content-Transfer-Encoding: base64\n",
    "From x\n",
    "1e5 1:1\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "9007199254740993",
    "02134",
    "0.1",
    "1/3",
    "yes",
    "true",
};

static void mutate_content(const Campaign *campaign, const Seed *seed, Bytes *bytes, Random *random)
{
    const Seed *other = &campaign->seed[below(random, SEEDS)];

    for (size_t i = 0, changes = 1 + below(random, 4); i < changes; i++)
        if (seed->wanted->text && below(random, 3) != 0)
            mutate_text(bytes, tokens, sizeof tokens / sizeof *tokens, random);
        else
            mutate_bytes(bytes, 0, &other->content, random);
}

static void mutate_data(const Campaign *campaign, const Seed *seed, Bytes *content, Bytes *out,
                        Random *random)
{
    bytes_set(content, seed->content.bytes, seed->content.size);
    if (seed->wanted->wrap == DATASET && below(random, 2) == 0)
        mutate_footer(content, random);
    else if (below(random, 4) != 0)
        mutate_content(campaign, seed, content, random);
    wrap(seed->wanted->wrap, content, out);
    if (below(random, 8) == 0)
        mutate_bytes(out, 0, NULL, random);
}

/* ---- uses ------------------------------------------------------------------------------------ */

static cleave_options *options_of(const Campaign *campaign, const char *list)
{
    cleave_options *options = cleave_options_new(campaign->context);
    char text[256], *rest = NULL;

    snprintf(text, sizeof text, "%s", list);
    for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(pair, '=');

        *value++ = '\0';
        cleave_options_set(options, pair, value, NULL);
    }
    return options;
}

static cleave_code count_prediction(void *user, const cleave_prediction *prediction,
                                    cleave_error *error)
{
    (void)error;
    if (prediction->label)
        ++*(uint64_t *)user;
    return CLEAVE_OK;
}

/* Opens the file for a model and predicts it, evaluates it and explains its first row. */
static void use_model(const cleave_model *model, const char *path, const cleave_options *reading)
{
    cleave_error error = {0};
    cleave_data *data = NULL;
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_explanation *explanation = NULL;
    uint64_t rows = 0;

    if (attack_check(cleave_open_for(model, &path, 1, reading, &data, &error), &error,
                     "cleave_open_for"))
        attack_check(cleave_predict(model, data, NULL, count_prediction, &rows, &error), &error,
                     "cleave_predict");
    cleave_data_free(data);
    data = NULL;
    if (attack_check(cleave_open_for(model, &path, 1, reading, &data, &error), &error,
                     "cleave_open_for") &&
        attack_check(cleave_evaluate(model, data, NULL, &evaluation, &error), &error,
                     "cleave_evaluate") &&
        attack_check(cleave_explain_row(model, data, 0, &explanation, &error), &error,
                     "cleave_explain_row"))
        cleave_explanation_free(explanation);
    cleave_data_free(data);
}

static void describe(const Campaign *campaign, const char *path, const cleave_options *reading)
{
    cleave_description *description = NULL;
    cleave_error error = {0};

    if (attack_check(cleave_describe(campaign->context, &path, 1, reading, &description, &error),
                     &error, "cleave_describe"))
        cleave_description_free(description);
}

/* Reads the written file again. */
static void convert(const Campaign *campaign, cleave_data *data, size_t choice)
{
    static const char *const names[] = {"out.libsvm", "out.csv", "out.cleave", "out.tsv"};
    cleave_error error = {0};
    char path[TEST_PATH_SIZE];

    test_join(path, campaign->out, names[choice % 4]);
    if (attack_check(cleave_convert(data, path, NULL, NULL, &error), &error, "cleave_convert"))
        describe(campaign, path, NULL);
}

static void split(const Campaign *campaign, cleave_data *data)
{
    cleave_error error = {0};
    char train[TEST_PATH_SIZE], test[TEST_PATH_SIZE];

    test_join(train, campaign->out, "train.cleave");
    test_join(test, campaign->out, "test.libsvm");
    attack_check(cleave_split(data, train, test, NULL, NULL, &error), &error, "cleave_split");
}

static void train(const Campaign *campaign, const Seed *seed, cleave_data *data, const char *path,
                  const cleave_options *reading, size_t choice)
{
    bool regression = seed->wanted->regression || choice % 16 == 15;
    const Trained *method = regression ? &regressors[choice % REGRESSORS]
                                       : &classifiers[choice % CLASSIFIERS];
    cleave_options *options = options_of(campaign, method->options);
    cleave_model *model = NULL;
    cleave_error error = {0};
    char place[TEST_PATH_SIZE];

    if (attack_check(cleave_train(campaign->context, method->name, data, NULL, options, &model,
                                  NULL, &error),
                     &error, "cleave_train")) {
        use_model(model, path, reading);
        use_model(model, seed->path, reading);
        if (!attack_check(cleave_save(model, test_join(place, campaign->out, "model"), &error),
                          &error, "cleave_save"))
            attack_fail("cleave_save", error.message);
        cleave_model_free(model);
        if (cleave_load(campaign->context, place, &model, &error) != CLEAVE_OK)
            attack_fail("a model that was just saved does not load", error.message);
        cleave_model_free(model);
    }
    cleave_options_free(options);
}

/* The rows as answers of workers; the file itself is the table of the tasks. */
static void label(const Campaign *campaign, const char *path, const cleave_options *reading,
                  size_t choice)
{
    static const char *const options[] = {"", "method=glad every_label=true", "method=mace",
                                          "method=one-coin csv_safe=true", "method=majority"};
    cleave_options *chosen = options_of(campaign, options[choice % 5]);
    cleave_crowd *crowd = NULL;
    cleave_error error = {0};
    char place[TEST_PATH_SIZE];

    if (choice % 3 == 0)
        cleave_options_set(chosen, "join", path, NULL);
    if (choice % 7 == 0)
        cleave_options_set(chosen, "truth", path, NULL);
    if (attack_check(cleave_crowd_new(campaign->context, &path, 1, reading, chosen, &crowd, &error),
                     &error, "cleave_crowd_new")) {
        const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);

        for (size_t i = 0; i < summary->task_count; i++)
            if (cleave_crowd_get_task(crowd, i).label >= summary->label_count)
                attack_fail("cleave_crowd_get_task", "the label does not exist");
        for (size_t i = 0; i < summary->worker_count; i++)
            if (!cleave_crowd_get_worker(crowd, i).name)
                attack_fail("cleave_crowd_get_worker", "a worker has no name");
        attack_check(
            cleave_crowd_write(crowd, test_join(place, campaign->out, "labels.csv"), NULL, &error),
            &error, "cleave_crowd_write");
    }
    cleave_crowd_free(crowd);
    cleave_options_free(chosen);
}

static void stream(const Campaign *campaign, const char *path, const cleave_options *reading)
{
    cleave_stream *stream = NULL;
    cleave_error error = {0};

    if (attack_check(
            cleave_stream_new(campaign->context, "perceptron", NULL, NULL, NULL, &stream, &error),
            &error, "cleave_stream_new"))
        attack_check(cleave_stream_read(stream, path, reading, &error), &error,
                     "cleave_stream_read");
    cleave_stream_free(stream);
}

static void evaluate(const Campaign *campaign, cleave_data *data)
{
    cleave_options *options = options_of(campaign, "folds=2");
    cleave_cv_result *result = NULL;
    cleave_error error = {0};

    if (attack_check(cleave_cv(campaign->context, "tree", data, options, NULL, &result, &error),
                     &error, "cleave_cv"))
        cleave_cv_free(result);
    cleave_options_free(options);
}

/* New rows for the model of the original file. */
static void update(const Seed *seed, const char *path, const cleave_options *reading)
{
    cleave_data *data = NULL;
    cleave_model *model = NULL;
    cleave_error error = {0};

    if (attack_check(cleave_open_to_update(seed->model, &path, 1, reading, &data, &error), &error,
                     "cleave_open_to_update") &&
        attack_check(cleave_update(seed->model, data, NULL, NULL, &model, NULL, &error), &error,
                     "cleave_update"))
        cleave_model_free(model);
    cleave_data_free(data);
}

static void attack_file(Campaign *campaign, const Seed *seed, const char *path, Random *random)
{
    cleave_options *reading = options_of(campaign, seed->wanted->options);
    cleave_data *data = NULL;
    cleave_error error = {0};
    size_t use = below(random, 11), choice = below(random, 1000);

    if (attack_check(cleave_open(campaign->context, path, reading, &data, &error), &error,
                     "cleave_open")) {
        campaign->accepted++;
        switch (use) {
        case 0:
            describe(campaign, path, reading);
            break;
        case 1:
        case 2:
            convert(campaign, data, choice);
            break;
        case 3:
            split(campaign, data);
            break;
        case 4:
            stream(campaign, path, reading);
            break;
        case 5:
            evaluate(campaign, data);
            break;
        case 6:
            update(seed, path, reading);
            break;
        case 7:
            use_model(seed->model, path, reading);
            break;
        case 8:
            label(campaign, path, reading, choice);
            break;
        default:
            train(campaign, seed, data, path, reading, choice);
        }
    }
    cleave_data_free(data);
    cleave_options_free(reading);
}

/* ---- the campaign ---------------------------------------------------------------------------- */

/* The bytes of the dataset made from the text. */
static void make_dataset(Campaign *campaign, const Wanted *one, Bytes *bytes)
{
    const char *name = strchr(one->content, '\t')  ? "in.txt"
                       : strchr(one->content, ',') ? "in.csv"
                                                   : "in.libsvm";
    char in[TEST_PATH_SIZE], out[TEST_PATH_SIZE], *made;
    cleave_data *data = NULL;
    cleave_error error = {0};
    size_t size;

    test_write_text(test_join(in, campaign->folder, name), one->content);
    test_join(out, campaign->folder, "made.cleave");
    if (cleave_open(campaign->context, in, NULL, &data, &error) != CLEAVE_OK ||
        cleave_convert(data, out, NULL, NULL, &error) != CLEAVE_OK)
        attack_fail(one->name, error.message);
    cleave_data_free(data);
    made = test_read_file(out, &size);
    append(bytes, made, size);
    free(made);
}

static void make_seed(Campaign *campaign, const Wanted *one, Seed *seed)
{
    cleave_options *reading = options_of(campaign, one->options);
    cleave_data *data = NULL;
    cleave_error error = {0};
    Bytes file = {0};
    char name[64];

    seed->wanted = one;
    if (one->wrap == DATASET)
        make_dataset(campaign, one, &seed->content);
    else if (one->content)
        append(&seed->content, one->content, strlen(one->content));
    else
        make_binary(one->name, &seed->content);
    wrap(one->wrap, &seed->content, &file);
    snprintf(name, sizeof name, "seed-%s", one->name);
    write_file(campaign, one, name, &file, seed->path);
    if (cleave_open(campaign->context, seed->path, reading, &data, &error) != CLEAVE_OK)
        attack_fail(seed->path, error.message);
    if (cleave_train(campaign->context, one->regression ? "lms" : "perceptron", data, NULL, NULL,
                     &seed->model, NULL, &error) != CLEAVE_OK)
        seed->model = NULL; /* vectors without labels */
    cleave_data_free(data);
    cleave_options_free(reading);
    bytes_free(&file);
}

/* A file without labels uses the model of the first file. */
static void begin(Campaign *campaign)
{
    campaign->context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = allocate, .cancelled = cancelled, .threads = 1});
    if (!campaign->context)
        attack_fail("the attack itself is out of memory", "");
    test_folder_new(campaign->folder);
    test_folder_new(campaign->out);
    for (size_t i = 0; i < SEEDS; i++)
        make_seed(campaign, &wanted[i], &campaign->seed[i]);
}

static void end(Campaign *campaign)
{
    for (size_t i = 0; i < SEEDS; i++) {
        bytes_free(&campaign->seed[i].content);
        cleave_model_free(campaign->seed[i].model);
    }
    cleave_context_free(campaign->context);
    test_folder_remove(campaign->folder);
    test_folder_remove(campaign->out);
}

int main(int argc, char **argv)
{
    Attack attack = attack_begin(argc, argv, 2500);
    Campaign campaign = {0};
    Bytes content = {0}, file = {0};

    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0); /* otherwise most of the time is spent in fsync */
    deadline = clock() + 60 * (clock_t)CLOCKS_PER_SEC;
    begin(&campaign);
    for (uint64_t n = attack.first; n < attack.first + attack.count; n++) {
        Random random = attack_next(&attack, n, 20);
        Seed seed = campaign.seed[below(&random, SEEDS)];
        char path[TEST_PATH_SIZE];

        deadline = clock() + CLOCKS_PER_SEC;
        if (!seed.model)
            seed.model = campaign.seed[0].model;
        mutate_data(&campaign, &seed, &content, &file, &random);
        attack_file(&campaign, &seed,
                    write_file(&campaign, seed.wanted, seed.wanted->name, &file, path), &random);
    }
    printf("%llu of %llu mutants opened and were used\n", (unsigned long long)campaign.accepted,
           (unsigned long long)attack.count);
    bytes_free(&content);
    bytes_free(&file);
    end(&campaign);
    return 0;
}
