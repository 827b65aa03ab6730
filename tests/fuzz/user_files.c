/* See user_files.h. */
#define _GNU_SOURCE /* memmem */
#include "fuzz/user_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[] = {"rows.libsvm",
                                    "rows.csv",
                                    "rows.tsv",
                                    "rows.txt",
                                    "rows.npy",
                                    "rows.npz",
                                    "rows-images.idx3-ubyte",
                                    "rows.fvecs",
                                    "rows.bvecs",
                                    "rows.ivecs",
                                    "rows",
                                    "rows.cleave",
                                    "mail.eml",
                                    "folder"};
enum { NAMES = sizeof names / sizeof *names, DATASET = NAMES - 3, FOLDER = NAMES - 1 };

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
    "columns=a=label label=b",
    "rename=x",
    "delimiter=ab",
    "stem=klingon",
    "sequence=true ngrams=2",
    "hash_names=true",
    "ngrams=1-3 chars=1-2 hash_bits=3",
    "keep_case=true",
    "ngrams=2",
    "stop_words=english",
    "hash_bits=3",
    "missing=none label=label",
    "by_position=true label=label",
    "columns=a=text,b=ignore label=label",
};
enum { OPTIONS = sizeof options_of / sizeof *options_of };

static char root[TEST_PATH_SIZE];

static void remove_root(void)
{
    test_folder_remove(root);
}

const char *user_folder(void)
{
    if (!*root) {
        setenv("TMPDIR", "/dev/shm", 0);
        test_folder_new(root);
        atexit(remove_root);
    }
    return root;
}

static size_t name_of(uint8_t name)
{
    return (uint8_t)(name - 'a') % NAMES;
}

static const char *list_of(uint8_t options)
{
    return options_of[(uint8_t)(options - 'a') % OPTIONS];
}

const char *user_suffix(uint8_t name)
{
    const char *dot = strrchr(names[name_of(name)], '.');

    return dot ? dot : "";
}

cleave_options *user_options(cleave_context *context, const char *folder, uint8_t number)
{
    cleave_options *options = cleave_options_new(context);
    char text[256], side[TEST_PATH_SIZE], *rest = NULL;

    snprintf(text, sizeof text, "%s", list_of(number));
    for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(pair, '=');

        *value++ = '\0';
        value = strcmp(value, "SIDE") == 0 ? (char *)test_join(side, folder, "side.txt") : value;
        cleave_options_set(options, pair, value, NULL);
    }
    return options;
}

/* The folder of a document that begins with "/NAME/", and that prefix's length; 0: it has none. */
static size_t named_folder(const char *document, size_t length, char name[16])
{
    size_t size = length && document[0] == '/'
                      ? strnlen(document + 1, length - 1 < 15 ? length - 1 : 15)
                      : 0;
    const char *end = size ? memchr(document + 1, '/', size) : NULL;
    size_t used = end ? (size_t)(end - document - 1) : 0;

    if (used == 0 || strspn(document + 1, "abcdefghijklmnopqrstuvwxyz_.") < used ||
        document[1] == '.')
        return 0;
    memcpy(name, document + 1, used);
    name[used] = '\0';
    return used + 2;
}

/* Documents of two classes, alternating, or in the folder named at their beginning. Others that
 * begin with '/' go into the folder itself. */
static void write_folder(const char *path, const char *bytes, size_t size)
{
    char place[TEST_PATH_SIZE];

    if (mkdir(path, 0777) != 0) { /* from the previous input */
        test_folder_remove(path);
        mkdir(path, 0777);
    }
    mkdir(test_join(place, path, "a"), 0777);
    mkdir(test_join(place, path, "b"), 0777);
    for (size_t i = 0, at = 0; i < 32 && at <= size; i++) {
        const char *end = memchr(bytes + at, '\0', size - at);
        size_t length = end ? (size_t)(end - bytes) - at : size - at, prefix;
        char name[32], own[16];

        prefix = named_folder(bytes + at, length, own);
        if (prefix)
            mkdir(test_join(place, path, own), 0777);
        snprintf(name, sizeof name, "%s%s%zu", prefix ? own : "",
                 prefix                       ? "/"
                 : length && bytes[at] == '/' ? ""
                 : i % 2                      ? "b/"
                                              : "a/",
                 i);
        test_write_file(test_join(place, path, name), bytes + at + prefix, length - prefix);
        at += length + 1;
    }
}

/* The dataset of a table or LIBSVM text; the bytes themselves if they cannot be read. */
static void write_dataset(const char *path, const char *bytes, size_t size)
{
    cleave_context *context = fuzz_context();
    char text[TEST_PATH_SIZE];
    cleave_data *data = NULL;

    snprintf(text, sizeof text, "%.*s.text", (int)(sizeof text - 6), path);
    test_write_file(path, bytes, size);
    test_write_file(text, bytes, size);
    if (cleave_open(context, text, NULL, &data, NULL) == CLEAVE_OK)
        cleave_convert(data, path, NULL, NULL, NULL);
    cleave_data_free(data);
    cleave_context_free(context);
}

/* Where the second file ends, and the mark after it. */
static const char *end_of_side(const char *bytes, size_t size, size_t *mark)
{
    const char *end = size < 4 ? NULL : memmem(bytes, size, "::::", 4);

    *mark = end ? 4 : 1;
    return end || !size ? end : memchr(bytes, '\0', size);
}

void user_write(const char *folder, uint8_t name, uint8_t options, const char *bytes, size_t size,
                char path[TEST_PATH_SIZE])
{
    size_t mark = 0;
    const char *end = strstr(list_of(options), "SIDE") ? end_of_side(bytes, size, &mark) : NULL;
    char side[TEST_PATH_SIZE];

    test_join(path, folder, names[name_of(name)]);
    if (name_of(name) == FOLDER) {
        write_folder(path, bytes, size);
        return;
    }
    if (end) {
        test_write_file(test_join(side, folder, "side.txt"), bytes, (size_t)(end - bytes));
        size -= (size_t)(end + mark - bytes);
        bytes = end + mark;
    }
    if (name_of(name) == DATASET)
        write_dataset(path, bytes, size);
    else
        test_write_file(path, bytes, size);
}

bool user_checked(cleave_code code, const cleave_error *error)
{
    if (code != CLEAVE_OK)
        fuzz_check_error(code, error);
    return code == CLEAVE_OK;
}

cleave_model *user_reload(cleave_context *context, cleave_model *model)
{
    char path[TEST_PATH_SIZE];
    cleave_error error = {0};
    cleave_model *loaded = NULL;

    PROMISE(cleave_save(model, test_join(path, user_folder(), "model"), &error) == CLEAVE_OK);
    PROMISE(cleave_load(context, path, &loaded, &error) == CLEAVE_OK);
    cleave_model_free(model);
    return loaded;
}
