/* Lines of updates: reducing the output again gives the same output; lines that can be read are in
 * order and satisfy the rules. */
#define _GNU_SOURCE
#include "dist/updates.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const UpdateRule rules[] = {{.name = "model", .size = UINT64_MAX},
                                   {.name = "round", .size = 4},
                                   {.name = "w", .size = 1000},
                                   {.name = NULL}};

/* Makes a file in memory, and a path by which it can be opened. */
static int memory_file(char path[32])
{
    int file = memfd_create("updates", 0);

    PROMISE(file >= 0);
    snprintf(path, 32, "/proc/self/fd/%d", file);
    return file;
}

static void check_delta(const Delta *delta)
{
    for (size_t i = 0; i < delta->parts; i++)
        for (size_t j = 0; j < delta->part[i].count; j++) {
            PROMISE(isfinite(delta->part[i].value[j]));
            PROMISE(j == 0 || delta->part[i].index[j - 1] < delta->part[i].index[j]);
        }
}

static void read_all(cleave_context *context, const char *path)
{
    cleave_error error = {0};
    Delta delta;
    Status status;

    clv_delta_init(&delta, context);
    status = clv_updates_read(context, &path, 1, rules, &delta, &error);
    if (status == OK)
        check_delta(&delta);
    else
        fuzz_check_error(status, &error);
    clv_delta_free(&delta);
}

/* Counts the lines and keys; false if they could not be reduced. */
static bool reduce(cleave_context *context, const char *from, int to, bool partial, uint64_t *lines,
                   uint64_t *keys)
{
    cleave_error error = {0};
    Output *output;
    Status status;

    PROMISE(clv_output_from_file(context, "output", dup(to), &output, &error) == OK);
    status = clv_updates_reduce(context, &from, 1, partial, output, lines, keys, &error);
    if (status != OK) {
        fuzz_check_error(status, &error);
        clv_output_abandon(output);
        return false;
    }
    PROMISE(clv_output_commit(output, &error) == OK);
    return true;
}

static void reduce_twice(cleave_context *context, const char *path)
{
    char once[32], twice[32], parts[32], again[32];
    int first = memory_file(once), second = memory_file(twice), partial = memory_file(parts),
        last = memory_file(again);
    uint64_t lines, keys, sum_lines, sum_keys;

    if (reduce(context, path, first, false, &lines, &keys)) {
        PROMISE(keys <= lines);
        PROMISE(reduce(context, once, second, false, &sum_lines, &sum_keys));
        PROMISE(sum_lines == keys && sum_keys == keys);
        PROMISE(reduce(context, path, partial, true, &lines, &keys));
        PROMISE(reduce(context, parts, last, false, &sum_lines, &sum_keys));
        PROMISE(sum_keys == keys);
        PROMISE(lseek(last, 0, SEEK_END) == lseek(first, 0, SEEK_END));
    }
    close(first);
    close(second);
    close(partial);
    close(last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    char path[32];
    int file = memory_file(path);

    PROMISE(write(file, data, size) == (ssize_t)size);
    read_all(context, path);
    reduce_twice(context, path);
    close(file);
    cleave_context_free(context);
    return 0;
}
