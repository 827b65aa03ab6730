/*
 * The main() of a fuzz target where there is no libFuzzer: feeds it every file of the folders (or
 * the files) named, each in memory of exactly its size, and also cut short at several places. Says
 * how many there were.
 */
#define _GNU_SOURCE /* scandir's alphasort */
#include "fuzz/fuzz.h"
#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t runs;

static void feed(const char *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

static void feed_file(const char *path)
{
    size_t size;
    char *bytes = test_read_file(path, &size);

    if (!bytes) {
        fprintf(stderr, "%s: can not be read\n", path);
        exit(EXIT_FAILURE);
    }
    fprintf(stderr, "%s\n", path); /* the last one printed is the one that crashed */
    feed(bytes, size);
    for (size_t part = 1; part < 16; part++)
        feed(bytes, size * part / 16);
    if (size)
        feed(bytes, size - 1);
    free(bytes);
}

static void feed_folder(const char *folder)
{
    struct dirent **list;
    int count = scandir(folder, &list, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        char path[TEST_PATH_SIZE];

        if (list[i]->d_name[0] != '.')
            feed_file(test_join(path, folder, list[i]->d_name));
        free(list[i]);
    }
    if (count >= 0)
        free(list);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        feed_folder(argv[i]);
    feed("", 0);
    printf("%zu inputs, no finding\n", runs);
    if (runs <= 1) {
        fprintf(stderr, "there is nothing in these folders\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
