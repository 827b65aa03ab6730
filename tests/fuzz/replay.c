/*
 * The main() of a fuzz target without libFuzzer:
 *
 *     fuzz_NAME FOLDER...                                every file of the folders, also truncated
 *     fuzz_NAME FOLDER... --count N [--seed S --first n] N mutants of these files
 *
 * Each input is in memory of exactly its size. Mutants contain the words of tests/fuzz/NAME.dict.
 */
#define _GNU_SOURCE /* scandir's alphasort */
#include "attack/mutate.h"
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

static void visit_folder(const char *folder, void (*visit)(const char *path))
{
    struct dirent **list;
    int count = scandir(folder, &list, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        char path[TEST_PATH_SIZE];

        if (list[i]->d_name[0] != '.')
            visit(test_join(path, folder, list[i]->d_name));
        free(list[i]);
    }
    if (count >= 0)
        free(list);
}

/* ---- mutants --------------------------------------------------------------------------------- */

enum { MOST_SEEDS = 4096, MOST_WORDS = 256, LONGEST_SEED = 1 << 14, BATCH = 64 };

static Bytes seeds[MOST_SEEDS];
static size_t seed_count;
static char *words[MOST_WORDS];
static size_t word_count;

static void keep_seed(const char *path)
{
    size_t size;
    char *bytes = test_read_file(path, &size);

    if (bytes && size <= LONGEST_SEED && seed_count < MOST_SEEDS)
        bytes_set(&seeds[seed_count++], bytes, size);
    free(bytes);
}

/* A line of a dictionary is a word in quotes, with the escapes \\ \" and \xNN. */
static void keep_word(char *line)
{
    char *at = strchr(line, '"'), *end = strrchr(line, '"'), *to = line;

    if (line[0] == '#' || !at || end == at || word_count == MOST_WORDS)
        return;
    for (at++; at < end; at++) {
        if (*at == '\\' && at[1] == 'x') {
            *to++ = (char)strtoul((char[]){at[2], at[3], '\0'}, NULL, 16);
            at += 3;
        } else {
            at += *at == '\\';
            *to++ = *at;
        }
    }
    *to = '\0';
    words[word_count++] = strdup(line);
}

static void keep_words(const char *program)
{
    char path[TEST_PATH_SIZE], name[TEST_PATH_SIZE], *text, *rest = NULL;
    size_t size;

    snprintf(name, sizeof name, "tests/fuzz/%s.dict", strstr(program, "fuzz_") + strlen("fuzz_"));
    text = test_read_file(test_tree_path(path, name), &size);
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        keep_word(line);
    free(text);
}

static void mutate(Bytes *bytes, Random *random)
{
    const Bytes *seed = &seeds[clv_random_below(random, (uint32_t)seed_count)],
                *other = &seeds[clv_random_below(random, (uint32_t)seed_count)];

    bytes_set(bytes, seed->bytes, seed->size);
    for (uint32_t i = 0, changes = 1 + clv_random_below(random, 4); i < changes; i++)
        if (word_count > 0 && clv_random_below(random, 2) == 0)
            mutate_text(bytes, (const char *const *)words, word_count, random);
        else
            mutate_bytes(bytes, 0, other, random);
}

/* argv[folders] is the first option. */
static int run_mutants(int folders, int argc, char **argv)
{
    char line[2 * TEST_PATH_SIZE]; /* repeats a mutant */
    Bytes bytes = {0};
    Attack attack;

    line[0] = '\0';
    for (int i = 0; i < folders; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i ? " " : "", argv[i]);
    for (int i = 1; i < folders; i++)
        visit_folder(argv[i], keep_seed);
    keep_words(argv[0]);
    argv[folders - 1] = line;
    attack = attack_begin(argc - folders + 1, argv + folders - 1, 0);
    attack.batch = BATCH;
    for (uint64_t n = attack.first; seed_count > 0 && n < attack.first + attack.count; n++) {
        Random random = attack_next(&attack, n, 20);

        mutate(&bytes, &random);
        feed((const char *)bytes.bytes, bytes.size);
    }
    bytes_free(&bytes);
    for (size_t i = 0; i < seed_count; i++)
        bytes_free(&seeds[i]);
    for (size_t i = 0; i < word_count; i++)
        free(words[i]);
    printf("%zu mutants, no finding\n", runs);
    return seed_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int folders = 1;

    while (folders < argc && argv[folders][0] != '-')
        folders++;
    if (folders < argc)
        return run_mutants(folders, argc, argv);
    for (int i = 1; i < argc; i++)
        visit_folder(argv[i], feed_file);
    feed("", 0);
    printf("%zu inputs, no finding\n", runs);
    if (runs <= 1) {
        fprintf(stderr, "there is nothing in these folders\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
