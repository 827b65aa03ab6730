/*
 * Two files or folders from a user, of the same kind or not: read as one dataset, split, read in
 * parts as ranks do, and the second one read for a model of the first. The first five bytes select
 * the name of each, the options of each, and the use ('a' is the first; from 'A' on with three
 * threads). Then follow the contents, with "====" between them; without it both are the same.
 */
#define _GNU_SOURCE /* memmem */
#include "fuzz/user_files.h"
#include "read/reader.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BYTES_BEFORE = 5 };

typedef struct {
    cleave_context *context;
    const char *path[2];
    cleave_options *options[2];
    const char *suffix; /* of the first */
} Two;

static const char *place(char path[TEST_PATH_SIZE], const char *name, const char *suffix)
{
    char file[32];

    snprintf(file, sizeof file, "%s%s", name, suffix);
    return test_join(path, user_folder(), file);
}

static cleave_data *open_both(const Two *two)
{
    cleave_error error = {0};
    cleave_data *data = NULL;

    user_checked(cleave_open_files(two->context, two->path, 2, two->options[0], &data, &error),
                 &error);
    return data;
}

static cleave_data *open_first(const Two *two)
{
    cleave_error error = {0};
    cleave_data *data = NULL;

    user_checked(cleave_open(two->context, two->path[0], two->options[0], &data, &error), &error);
    return data;
}

static cleave_model *model_of_first(const Two *two)
{
    cleave_data *data = open_first(two);
    cleave_model *model = NULL;
    cleave_error error = {0};

    if (data && user_checked(cleave_train(two->context, "perceptron", data, NULL, NULL, &model,
                                          NULL, &error),
                             &error))
        model = user_reload(two->context, model);
    cleave_data_free(data);
    return model;
}

/* Converts twice: the output must be readable. */
static void join(const Two *two)
{
    cleave_data *data = open_both(two);
    char out[TEST_PATH_SIZE];
    const char *path = place(out, "out", two->suffix);
    cleave_description *description = NULL;
    cleave_error error = {0};

    if (data && user_checked(cleave_convert(data, path, NULL, NULL, &error), &error) &&
        user_checked(cleave_describe(two->context, &path, 1, NULL, &description, &error), &error))
        cleave_description_free(description);
    cleave_data_free(data);
}

static void describe(const Two *two)
{
    cleave_description *description = NULL;
    cleave_error error = {0};

    if (user_checked(
            cleave_describe(two->context, two->path, 2, two->options[0], &description, &error),
            &error))
        cleave_description_free(description);
}

static void test(const Two *two)
{
    cleave_model *model = model_of_first(two);
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_data *data = NULL;
    cleave_error error = {0};

    if (model &&
        user_checked(cleave_open_for(model, two->path + 1, 1, two->options[1], &data, &error),
                     &error))
        user_checked(cleave_evaluate(model, data, NULL, &evaluation, &error), &error);
    cleave_data_free(data);
    cleave_model_free(model);
}

static void update(const Two *two)
{
    cleave_model *model = model_of_first(two), *updated = NULL;
    cleave_data *data = NULL;
    cleave_error error = {0};

    if (model &&
        user_checked(cleave_open_to_update(model, two->path + 1, 1, two->options[1], &data, &error),
                     &error) &&
        user_checked(cleave_update(model, data, NULL, NULL, &updated, NULL, &error), &error))
        cleave_model_free(user_reload(two->context, updated));
    cleave_data_free(data);
    cleave_model_free(model);
}

static void validate(const Two *two)
{
    cleave_data *data = open_first(two), *valid = NULL;
    cleave_model *model = NULL;
    cleave_error error = {0};

    if (data &&
        user_checked(cleave_open_like(data, two->path + 1, 1, two->options[1], &valid, &error),
                     &error))
        user_checked(
            cleave_train(two->context, "perceptron", data, valid, NULL, &model, NULL, &error),
            &error);
    cleave_model_free(model);
    cleave_data_free(valid);
    cleave_data_free(data);
}

/* Every row of both files is in one of the parts. */
static void split(const Two *two, const char *option, const char *value)
{
    cleave_options *options = cleave_options_new(two->context);
    cleave_data *data = open_both(two);
    char train[TEST_PATH_SIZE], test[TEST_PATH_SIZE];
    cleave_split_result facts = {0};
    cleave_error error = {0};

    cleave_options_set(options, "force", "true", NULL);
    cleave_options_set(options, option, value, NULL);
    if (data &&
        user_checked(cleave_split(data, place(train, "train", two->suffix),
                                  place(test, "test", two->suffix), options, &facts, &error),
                     &error))
        PROMISE(facts.train.rows > 0 && facts.test.rows > 0);
    cleave_data_free(data);
    cleave_options_free(options);
}

static void map(const Two *two)
{
    cleave_data *data = open_first(two);
    char out[TEST_PATH_SIZE];
    cleave_model *model = NULL;
    cleave_error error = {0};

    if (data &&
        user_checked(cleave_begin(two->context, "perceptron", data, NULL, &model, &error), &error))
        user_checked(cleave_map(model, two->path + 1, 1, two->options[1], place(out, "updates", ""),
                                NULL, &error),
                     &error);
    cleave_model_free(model);
    cleave_data_free(data);
}

/* Learns a pipeline in a first pass over the rows, then streams them. */
static void stream(const Two *two)
{
    cleave_options *options = cleave_options_new(two->context);
    cleave_data *data = open_both(two);
    cleave_model *model = NULL;
    cleave_error error = {0};

    cleave_options_set(options, "stream", "true", NULL);
    cleave_options_set(options, "transform", "scale", NULL);
    if (data)
        user_checked(
            cleave_train(two->context, "perceptron", data, NULL, options, &model, NULL, &error),
            &error);
    cleave_model_free(model);
    cleave_data_free(data);
    cleave_options_free(options);
}

/* ---- in parts */

static bool count_rows(const Two *two, const ReadOptions *options, const ReadGuide *guide,
                       uint64_t *rows)
{
    cleave_error error = {0};
    Source *source = NULL;
    bool whole = user_checked(
                     clv_read_files(two->context, two->path, 2, options, guide, &source, &error),
                     &error) &&
                 fuzz_drain(source, false);

    *rows = whole ? source->rows : 0;
    clv_source_close(source);
    return whole;
}

static uint64_t bytes_of(const Two *two)
{
    struct stat facts;
    uint64_t sum = 0;

    for (int i = 0; i < 2; i++)
        sum += stat(two->path[i], &facts) == 0 ? (uint64_t)facts.st_size : 0;
    return sum;
}

/* Three parts have all rows of the whole, if all of them can be read. Datasets have blocks
 * instead. */
static void read_parts(const Two *two)
{
    enum { PARTS = 3 };
    ReadOptions options = {.chunk_bytes = 64};
    uint64_t all, sum = 0, rows, bytes = bytes_of(two);
    cleave_error error = {0};
    Source *first = NULL;
    ReadGuide guide;

    clv_params_initial(clv_read_params, &options);
    if (!user_checked(
            clv_params_apply(two->options[0], clv_read_params, &options, NULL, NULL, &error),
            &error) ||
        !user_checked(clv_read_files(two->context, two->path, 1, &options, NULL, &first, &error),
                      &error))
        return;
    if (clv_reader_of(first) && fuzz_drain(first, false)) {
        bool whole;

        guide = (ReadGuide){
            .schema = &first->schema, .names = &first->names, .features = first->features};
        whole = count_rows(two, &options, &guide, &all);
        options.ranged = true;
        for (uint64_t part = 0; whole && part < PARTS; part++) {
            options.range_from = bytes * part / PARTS;
            options.range_to = bytes * (part + 1) / PARTS;
            whole = count_rows(two, &options, &guide, &rows);
            sum += rows;
        }
        PROMISE(!whole || sum == all);
    }
    clv_source_close(first);
}

static void use(const Two *two, unsigned number)
{
    switch (number % 11) {
    case 0:
        join(two);
        break;
    case 1:
        describe(two);
        break;
    case 2:
        test(two);
        break;
    case 3:
        update(two);
        break;
    case 4:
        validate(two);
        break;
    case 5:
        split(two, "in_order", "true");
        break;
    case 6:
        split(two, "csv_safe", "true");
        break;
    case 7:
        split(two, "by_group", "a");
        break;
    case 8:
        map(two);
        break;
    case 9:
        stream(two);
        break;
    default:
        read_parts(two);
    }
}

static const char *find_mark(const char *bytes, size_t size)
{
    return size < 4 ? NULL : memmem(bytes, size, "====", 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data + BYTES_BEFORE, *mark;
    char folder[2][TEST_PATH_SIZE], path[2][TEST_PATH_SIZE];
    bool threads;
    Two two;

    if (size < BYTES_BEFORE)
        return 0;
    threads = data[4] < 'a';
    two = (Two){.context = cleave_context_new(&(cleave_config){.size = sizeof(cleave_config),
                                                               .allocate = fuzz_allocate,
                                                               .log = fuzz_log,
                                                               .threads = threads ? 3 : 1}),
                .suffix = user_suffix(data[0])};
    size -= BYTES_BEFORE;
    mark = find_mark(bytes, size);
    for (int i = 0; i < 2; i++) {
        const char *begin = i && mark ? mark + 4 : bytes;
        size_t length = !mark ? size : i ? size - (size_t)(begin - bytes) : (size_t)(mark - bytes);

        mkdir(test_join(folder[i], user_folder(), i ? "second" : "first"), 0777);
        user_write(folder[i], data[i], data[2 + i], begin, length, path[i]);
        two.path[i] = path[i];
        two.options[i] = user_options(two.context, folder[i], data[2 + i]);
    }
    use(&two, threads ? (uint8_t)(data[4] - 'A') : (unsigned)(data[4] - 'a'));
    for (int i = 0; i < 2; i++)
        cleave_options_free(two.options[i]);
    cleave_context_free(two.context);
    return 0;
}
