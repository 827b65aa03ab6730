/*
 * Options: the input is lines of name=value, set one after another and then applied to the tables
 * of training, of every method, of reading, predicting, converting and generating. A value that was
 * accepted must be read back from its own text. Then a small table is read with the reading
 * options, whose texts have small grammars of their own.
 */
#include "base/param.h"
#include "fuzz/fuzz_reader.h"
#include "model/registry.h"
#include "train/train_options.h"

#include <stdlib.h>

static const char table[] =
    "id,color,size,label\n1,red,2.5,yes\n2,\"green, dark\",,no\n3,red,?,yes\n";

static void check_table(const cleave_options *given, const Param *params, void *options,
                        void *again)
{
    char text[PARAM_TEXT_SIZE], text_again[PARAM_TEXT_SIZE];
    cleave_error error = {0};
    Status status = clv_params_apply(given, params, options, NULL, NULL, &error);

    if (status != OK) {
        fuzz_check_error(status, &error);
        return;
    }
    clv_params_initial(params, again);
    for (const Param *param = params; param->name; param++) {
        const char *value = clv_param_text(param, options, text);

        if (param->type == CLEAVE_TEXT)
            continue; /* kept by reference; an absent value and an empty value have the same text */
        if (strcmp(value, clv_param_text(param, again, text_again)) == 0)
            /* an initial value may be outside of its range: the default depends on the data */
            continue;
        PROMISE(clv_param_set(param, again, value, &error) == OK);
        PROMISE(strcmp(value, clv_param_text(param, again, text_again)) == 0);
    }
}

static void apply(const cleave_options *given)
{
    union {
        RunOptions run;
        ReadOptions read;
        double workspace[512];
    } options, again;

    memset(&options, 0, sizeof options);
    memset(&again, 0, sizeof again);
    check_table(given, clv_run_params, &options, &again);
    check_table(given, clv_read_params, &options, &again);
    for (size_t i = 0; clv_methods[i]; i++) {
        PROMISE(clv_methods[i]->options_size <= sizeof options);
        check_table(given, clv_methods[i]->params, &options, &again);
    }
}

/* Uses only names of the reading table, so that an unknown name does not end the test. */
static void read_with(Context *context, const cleave_options *given)
{
    ReadOptions options = {0};
    cleave_error error = {0};

    clv_params_initial(clv_read_params, &options);
    for (size_t i = 0; i < given->count; i++) {
        const Param *param = clv_param_find(clv_read_params, given->list[i].name);

        if (param && clv_param_set(param, &options, given->list[i].value, &error) != OK)
            fuzz_check_error(error.code, &error);
    }
    options.labels = NULL; /* names a file */
    fuzz_read(context, &clv_format_csv, &options, (const uint8_t *)table, sizeof table - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cleave_context *context = fuzz_context();
    cleave_options *options = cleave_options_new(context);
    cleave_error error = {0};
    char *text = malloc(size + 1);

    if (!text || !options)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text, *next; line; line = next) {
        char *equals;

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        equals = strchr(line, '=');
        if (!equals)
            continue;
        *equals = '\0';
        PROMISE(cleave_options_set(options, line, equals + 1, &error) == CLEAVE_OK);
    }
    apply(options);
    read_with(context, options);
    cleave_options_free(options);
    cleave_context_free(context);
    free(text);
    return 0;
}
