/*
 * A file or folder from a user: recognized by its suffix or content, unpacked, read with options,
 * described, converted, streamed and read for a model. The first three bytes select the name, the
 * options and the use ('a' is the first of each); the rest is the content (user_files.h).
 */
#include "fuzz/user_files.h"

static void describe(cleave_context *context, const char *path, const cleave_options *options)
{
    cleave_description *description = NULL;
    cleave_error error = {0};

    if (user_checked(cleave_describe(context, &path, 1, options, &description, &error), &error))
        cleave_description_free(description);
}

/* Reads the written file again. */
static void convert(cleave_context *context, const char *path, const cleave_options *options,
                    const char *to)
{
    char out[TEST_PATH_SIZE];
    cleave_error error = {0};
    cleave_data *data = NULL;

    if (user_checked(cleave_open(context, path, options, &data, &error), &error) &&
        user_checked(cleave_convert(data, test_join(out, user_folder(), to), NULL, NULL, &error),
                     &error))
        describe(context, out, NULL);
    cleave_data_free(data);
}

static void stream(cleave_context *context, const char *path, const cleave_options *options)
{
    cleave_stream *stream = NULL;
    cleave_error error = {0};

    if (user_checked(cleave_stream_new(context, "perceptron", NULL, NULL, NULL, &stream, &error),
                     &error))
        user_checked(cleave_stream_read(stream, path, options, &error), &error);
    cleave_stream_free(stream);
}

/* Reads the same file twice as one dataset, then for a model of it. */
static void train(cleave_context *context, const char *path, const cleave_options *options)
{
    const char *const twice[] = {path, path};
    cleave_evaluation evaluation = {.size = sizeof evaluation};
    cleave_error error = {0};
    cleave_data *data = NULL;
    cleave_model *model = NULL;

    if (user_checked(cleave_open_files(context, twice, 2, options, &data, &error), &error) &&
        user_checked(cleave_train(context, "perceptron", data, NULL, NULL, &model, NULL, &error),
                     &error)) {
        cleave_data_free(data);
        data = NULL;
        model = user_reload(context, model);
        if (user_checked(cleave_open_for(model, twice, 2, options, &data, &error), &error))
            user_checked(cleave_evaluate(model, data, NULL, &evaluation, &error), &error);
    }
    cleave_data_free(data);
    cleave_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cleave_context *context;
    cleave_options *options;
    char path[TEST_PATH_SIZE];

    if (size < 3)
        return 0;
    context = fuzz_context();
    options = user_options(context, user_folder(), bytes[1]);
    user_write(user_folder(), bytes[0], bytes[1], (const char *)bytes + 3, size - 3, path);
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
