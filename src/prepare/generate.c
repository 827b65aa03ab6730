#include "base/file.h"
#include "prepare/convert.h"
#include "read/reader.h"
#include "synth/synth.h"

enum { TEXT_ROWS = 4096 };

const cleave_param *cleave_generate_params(void)
{
    return clv_generate_params;
}

static const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash + 1 : path, '.');

    return dot ? dot : path + strlen(path);
}

/* Inserts "-test" before the suffix. */
static char *test_path(Context *context, const char *path)
{
    const char *suffix = suffix_of(path);
    size_t stem = (size_t)(suffix - path), rest = strlen(suffix);
    char *name = clv_alloc(context, stem + rest + 6, 1);

    if (name) {
        memcpy(name, path, stem);
        memcpy(name + stem, "-test", 5);
        memcpy(name + stem + 5, suffix, rest + 1);
    }
    return name;
}

/* ---- kinds that generate text ---------------------------------------------------------------- */

static bool needs_text(const char *path, const char *format)
{
    const char *suffix = strrchr(path, '.');

    if (format)
        return strcmp(format, "text") == 0 || strcmp(format, "tsv") == 0;
    return strcmp(path, "-") == 0 ||
           (suffix && (strcmp(suffix, ".tsv") == 0 || strcmp(suffix, ".txt") == 0));
}

static Status append_lines(const Generator *generator, int part, uint64_t *row, Buffer *lines,
                           cleave_error *error)
{
    uint64_t left = clv_generator_rows(generator, part) - *row;
    uint32_t rows = left < TEXT_ROWS ? (uint32_t)left : TEXT_ROWS;

    TRY(clv_generator_text(generator, part, *row, rows, lines, error));
    *row += rows;
    return OK;
}

static Status write_lines(const Generator *generator, int part, const char *path,
                          cleave_conversion *done, cleave_error *error)
{
    uint64_t row = 0, rows = clv_generator_rows(generator, part);
    Buffer lines = {0};
    Output *output;
    Status status;

    TRY(clv_output_open(generator->context, path, false, &output, error));
    for (status = OK; row < rows && status == OK;) {
        lines.size = 0;
        status = append_lines(generator, part, &row, &lines, error);
        THEN(status, clv_output_write(output, lines.data, lines.size, error));
        if (status == OK && clv_cancelled(generator->context))
            status = clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    done->rows = row;
    done->bytes_out = clv_output_position(output);
    clv_free(generator->context, lines.data);
    if (status != OK) {
        clv_output_abandon(output);
        return status;
    }
    return clv_output_commit(output, error);
}

/* Generates text in memory and reads it as a file to extract features. */
static Status write_read_lines(const Generator *generator, int part, const char *path,
                               const char *format, cleave_conversion *done, cleave_error *error)
{
    uint64_t row = 0, rows = clv_generator_rows(generator, part);
    ReadOptions options = {0};
    Buffer lines = {0};
    Source *source = NULL;
    Status status = OK;

    clv_params_initial(clv_read_params, &options);
    if (generator->kind->ratings)
        options.task = TASK_RATINGS;
    while (row < rows && status == OK)
        status = append_lines(generator, part, &row, &lines, error);
    THEN(status, clv_read_memory(generator->context, "generated text", lines.data, lines.size,
                                 generator->kind->ratings ? &clv_format_tsv : &clv_format_text,
                                 &options, NULL, &source, error));
    if (status == OK)
        status = clv_write_source(source, path, &(WriteHow){.to = format, .force = true}, done,
                                  error);
    clv_source_close(source);
    clv_free(generator->context, lines.data);
    return status;
}

static Status generate_text(Context *context, const GeneratorKind *kind,
                            const GenerateOptions *options, int part, const char *path,
                            cleave_conversion *done, cleave_error *error)
{
    Generator *generator;
    Status status;

    TRY(clv_generator_open(context, kind, options, &generator, error));
    status = needs_text(path, options->format)
                 ? write_lines(generator, part, path, done, error)
                 : write_read_lines(generator, part, path, options->format, done, error);
    clv_generator_close(generator);
    return status;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static Status generate_part(Context *context, const GeneratorKind *kind,
                            const GenerateOptions *options, int part, const char *path,
                            cleave_conversion *done, cleave_error *error)
{
    const char *format = options->format;
    Source *source;
    Status status;

    if (kind->text)
        return generate_text(context, kind, options, part, path, done, error);
    TRY(clv_generator_source(context, kind, options, part, &source, error));
    if (!format && strcmp(path, "-") == 0)
        format = "libsvm";
    status = clv_write_source(source, path, &(WriteHow){.to = format, .force = true}, done, error);
    clv_source_close(source);
    return status;
}

static Status generate_test_part(Context *context, const GeneratorKind *kind,
                                 const GenerateOptions *options, const char *path,
                                 cleave_error *error)
{
    cleave_conversion done = {0};
    char *name;
    Status status;

    name = test_path(context, path);
    if (!name)
        return clv_fail_memory(error, "a file name", strlen(path));
    status = generate_part(context, kind, options, PART_TEST, name, &done, error);
    if (status == OK)
        clv_note(context, "%llu test rows written to %s", (unsigned long long)done.rows, name);
    clv_free(context, name);
    return status;
}

/* Fails for an option without an effect on the kind. */
static Status check_used(const GeneratorKind *kind, const GenerateOptions *given,
                         cleave_error *error)
{
    const struct {
        const char *name;
        bool given, used;
    } options[] = {
        {"features", given->features > 0, kind->uses & USES_FEATURES},
        {"nonzeros", given->nonzeros > 0, kind->uses & USES_NONZEROS},
        {"classes", given->classes > 0, kind->uses & USES_CLASSES},
        {"rank", given->rank > 0, kind->uses & USES_RANK},
        {"spread", given->spread >= 0, kind->uses & USES_SPREAD},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && !options[i].used)
            return clv_fail(error, CLEAVE_ERROR_USAGE, "--%s has no effect on '%s'",
                            options[i].name, kind->name);
    return OK;
}

cleave_code cleave_generate(cleave_context *context, const char *kind_name, const char *path,
                            const cleave_options *options, cleave_conversion *done,
                            cleave_error *error)
{
    REQUIRE(context && kind_name && path);
    double started = clv_now(), cpu = clv_cpu_now();
    cleave_conversion own = {0};
    const GeneratorKind *kind;
    GenerateOptions generate;

    TRY(clv_generator_find(kind_name, &kind, error));
    TRY(clv_params_apply(options, clv_generate_params, &generate, NULL, NULL, error));
    if (generate.test_rows > 0 && strcmp(path, "-") == 0)
        return clv_fail(
            error, CLEAVE_ERROR_USAGE,
            "--test-rows writes a second file and cannot be combined with standard output");
    TRY(check_used(kind, &generate, error));
    if (generate.test_rows > 0) /* written first, because it is the smaller file if writing fails */
        TRY(generate_test_part(context, kind, &generate, path, error));
    TRY(generate_part(context, kind, &generate, PART_TRAIN, path, &own, error));
    own.seconds = clv_now() - started;
    own.cpu_seconds = clv_cpu_now() - cpu;
    if (done)
        *done = own;
    return OK;
}
