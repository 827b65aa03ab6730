/*
 * A file or folder from a user: recognized by its suffix or content, unpacked, read with options,
 * described, converted, streamed and read for a model. The first three bytes select the name, the
 * options and the use ('a' is the first of each); the rest is the content. In a folder, NULs
 * separate the documents. If labels or weights are in a second file, a NUL separates them from the
 * rows.
 */
#include "fuzz/fuzz.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[] = {
    "rows.libsvm", "rows.csv",   "rows.tsv",   "rows.txt", "rows.npy",    "rows.npz", "rows-images.idx3-ubyte",
    "rows.fvecs",  "rows.bvecs", "rows.ivecs", "rows",     "rows.cleave", "mail.eml", "folder"};
enum { NAMES = sizeof names / sizeof *names, FOLDER = NAMES - 1 };

/* SIDE stands for the second file. */
static const char *const options_of[] = {
    "",
    "label=label",
    "label=1 header=no",
    "columns=a=date,b=category,c=text label=label",
    "columns=a=date-dmy,b=time,c=epoch,d=weight",
    "columns=a=date-mdy,b=date-ymd,c=epoch-ms,d=ignore",
    "delimiter=; missing=none,-",
    "rename=x=a,y=b",
    "classes=a,b",
    "trim_labels=.",
    "labels=SIDE",
    "weights=SIDE",
    "key=X",
    "key=rows,labels",
    "stop_words=english stem=english",
    "stop_words=SIDE ngrams=1-2",
    "chars=2-3 keep_case=true",
    "sequence=true format=text",
    "hash_bits=4 hash_names=true",
    "zero_based=true",
    "sort_indexes=true sum_repeated=true",
    "allow_cut=true",
    "documents=mail",
    "documents=html",
    "documents=text",
    "documents=lines format=text",
    "format=csv by_position=true",
};
enum { OPTIONS = sizeof options_of / sizeof *options_of };

static char folder[TEST_PATH_SIZE], side[TEST_PATH_SIZE];

static void remove_folder(void)
{
    test_folder_remove(folder);
}

static void make_folder(void)
{
    if (*folder)
        return;
    setenv("TMPDIR", "/dev/shm", 0);
    test_folder_new(folder);
    test_join(side, folder, "side.txt");
    atexit(remove_folder);
}

static cleave_options *read_options(cleave_context *context, const char *list)
{
    cleave_options *options = cleave_options_new(context);
    char text[256], *rest = NULL;

    snprintf(text, sizeof text, "%s", list);
    for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(pair, '=');

        *value++ = '\0';
        cleave_options_set(options, pair, strcmp(value, "SIDE") == 0 ? side : value, NULL);
    }
    return options;
}

static bool checked(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        fuzz_check_error(code, error);
    return code == CLEAVE_OK;
}

/* Documents of two classes, alternating; a document that begins with '/' goes into the folder
 * itself. */
static void write_folder(const char *path, const char *bytes, size_t size)
{
    char place[TEST_PATH_SIZE];

    if (mkdir(path, 0777) != 0) { /* from the previous input */
        test_folder_remove(path);
        mkdir(path, 0777);
    }
    mkdir(test_join(place, path, "a"), 0777);
    mkdir(test_join(place, path, "b"), 0777);
    for (size_t i = 0, at = 0; i < 8 && at <= size; i++) {
        const char *end = memchr(bytes + at, '\0', size - at);
        size_t length = end ? (size_t)(end - bytes) - at : size - at;
        char name[16];

        snprintf(name, sizeof name, "%s%zu", length && bytes[at] == '/' ? "" : i % 2 ? "b/" : "a/", i);
        test_write_file(test_join(place, path, name), bytes + at, length);
        at += length + 1;
    }
}

static void write_input(size_t name, bool has_side, const char *bytes, size_t size, char path[TEST_PATH_SIZE])
{
    const char *end = has_side && size ? memchr(bytes, '\0', size) : NULL;

    test_join(path, folder, names[name]);
    if (name == FOLDER) {
        write_folder(path, bytes, size);
        return;
    }
    if (end) {
        test_write_file(side, bytes, (size_t)(end - bytes));
        size -= (size_t)(end + 1 - bytes);
        bytes = end + 1;
    }
    test_write_file(path, bytes, size);
}

static void describe(cleave_context *context, const char *path, const cleave_options *options)
{
    cleave_description *description = NULL;
    cleave_error error = {0};

    if (checked(cleave_describe(context, &path, 1, options, &description, &error), &error))
        cleave_description_free(description);
}

/* Reads the written file again. */
static void convert(cleave_context *context, const char *path, const cleave_options *options, const char *to)
{
    char out[TEST_PATH_SIZE];
    cleave_error error = {0};
    cleave_data *data = NULL;

    if (checked(cleave_open(context, path, options, &data, &error), &error) &&
        checked(cleave_convert(data, test_join(out, folder, to), NULL, NULL, &error), &error))
        describe(context, out, NULL);
    cleave_data_free(data);
}

static void stream(cleave_context *context, const char *path, const cleave_options *options)
{
    cleave_stream *stream = NULL;
    cleave_error error = {0};

    if (checked(cleave_stream_new(context, "perceptron", NULL, NULL, NULL, &stream, &error), &error))
        checked(cleave_stream_read(stream, path, options, &error), &error);
    cleave_stream_free(stream);
}

/* A saved model loads. */
static cleave_model *saved_and_loaded(cleave_context *context, cleave_model *model)
{
    char path[TEST_PATH_SIZE];
    cleave_error error = {0};
    cleave_model *loaded = NULL;

    PROMISE(cleave_save(model, test_join(path, folder, "model"), &error) == CLEAVE_OK);
    PROMISE(cleave_load(context, path, &loaded, &error) == CLEAVE_OK);
    cleave_model_free(model);
    return loaded;
}

/* Reads the same file twice as one dataset, then for a model of it. */
static void train(cleave_context *context, const char *path, const cleave_options *options)
{
    const char *const twice[] = {path, path};
    cleave_judgement judgement;
    cleave_error error = {0};
    cleave_data *data = NULL;
    cleave_model *model = NULL;

    if (checked(cleave_open_files(context, twice, 2, options, &data, &error), &error) &&
        checked(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error), &error)) {
        cleave_data_free(data);
        data = NULL;
        model = saved_and_loaded(context, model);
        if (checked(cleave_open_for(model, twice, 2, options, &data, &error), &error))
            checked(cleave_test(model, data, NULL, &judgement, &error), &error);
    }
    cleave_data_free(data);
    cleave_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cleave_context *context;
    cleave_options *options;
    char path[TEST_PATH_SIZE];
    const char *list;

    if (size < 3)
        return 0;
    make_folder();
    context = fuzz_context();
    list = options_of[(uint8_t)(bytes[1] - 'a') % OPTIONS];
    options = read_options(context, list);
    write_input((uint8_t)(bytes[0] - 'a') % NAMES, strstr(list, "SIDE"), (const char *)bytes + 3, size - 3, path);
    switch ((uint8_t)(bytes[2] - 'a') % 6) {
    case 0:
        describe(context, path, options);
        break;
    case 1:
        train(context, path, options);
        break;
    case 2:
        stream(context, path, options);
        break;
    case 3:
        convert(context, path, options, "out.csv");
        break;
    case 4:
        convert(context, path, options, "out.libsvm");
        break;
    default:
        convert(context, path, options, "out.cleave");
    }
    cleave_options_free(options);
    cleave_context_free(context);
    return 0;
}
