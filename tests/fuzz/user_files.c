/* See user_files.h. */
#include "fuzz/user_files.h"

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

void user_write(const char *folder, uint8_t name, uint8_t options, const char *bytes, size_t size,
                char path[TEST_PATH_SIZE])
{
    const char *end = strstr(list_of(options), "SIDE") && size ? memchr(bytes, '\0', size) : NULL;
    char side[TEST_PATH_SIZE];

    test_join(path, folder, names[name_of(name)]);
    if (name_of(name) == FOLDER) {
        write_folder(path, bytes, size);
        return;
    }
    if (end) {
        test_write_file(test_join(side, folder, "side.txt"), bytes, (size_t)(end - bytes));
        size -= (size_t)(end + 1 - bytes);
        bytes = end + 1;
    }
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
