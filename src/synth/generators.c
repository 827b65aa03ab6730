/*
 * The list of generators, their table of options, the completion of the options, and the source of
 * generated rows.
 */
#include "synth/synth.h"

#include "base/number.h"

#include <stdio.h>

const GeneratorKind *const clv_generators[] = {&clv_generator_sparse,  &clv_generator_blobs,
                                               &clv_generator_steps,   &clv_generator_spam,
                                               &clv_generator_ratings, NULL};

#define MOST_ROWS 1e15 /* keeps row numbers within their range of random streams */

const Param clv_generate_params[] = {
    INTEGER(GenerateOptions, rows, 0, WITHIN(1, MOST_ROWS), "Number of rows.",
            DEFAULT("sparse 781,265, blobs, steps and ratings 10,000, spam 1,000")),
    INTEGER(GenerateOptions, test_rows, 0, WITHIN(0, MOST_ROWS),
            "Number of rows of a second file, named with -test before the suffix."),
    INTEGER(GenerateOptions, features, 0, WITHIN(1, MOST_FEATURES),
            "Number of features; ratings: users and items together, with ten users per item.",
            DEFAULT("sparse 47,236, blobs 10, steps 54, ratings 550")),
    INTEGER(GenerateOptions, nonzeros, 0, WITHIN(1, MOST_FEATURES),
            "sparse: mean number of nonzero values per row, at most half of the features.",
            DEFAULT("75")),
    INTEGER(GenerateOptions, classes, 0, WITHIN(1, 1000), "blobs, steps: number of classes.",
            DEFAULT("blobs 3, steps 7")),
    INTEGER(GenerateOptions, rank, 0, WITHIN(1, 1000), "ratings: number of factors.", DEFAULT("4")),
    TEXT(GenerateOptions, format, NULL,
         "Output format: libsvm, csv, tsv, cleave, or text for messages.", DEFAULT("by suffix")),
    INTEGER(GenerateOptions, seed, 1, WITHIN(0, 9007199254740992.0), "Seed of all random choices."),
    REAL(GenerateOptions, noise, -1, WITHIN(0, 0.5),
         "Fraction of incorrect labels; ratings: standard deviation of the noise.",
         DEFAULT("sparse 0.012, blobs 0, steps 0.05, spam 0.01, ratings 0.3")),
    REAL(GenerateOptions, spread, -1, WITHIN(0, 1e6),
         "blobs: distance between the nearest centers, in standard deviations.", DEFAULT("4")),
    END_OF_PARAMS,
};

Status clv_generator_find(const char *name, const GeneratorKind **kind, cleave_error *error)
{
    const char *names[sizeof clv_generators / sizeof *clv_generators];
    const char *nearest;
    char quoted[QUOTE_SIZE];
    size_t count = 0;

    *kind = NULL;
    for (; clv_generators[count]; count++) {
        names[count] = clv_generators[count]->name;
        if (strcmp(name, names[count]) == 0) {
            *kind = clv_generators[count];
            return OK;
        }
    }
    names[count] = NULL;
    nearest = cleave_nearest_word(name, names);
    clv_quote(quoted, name, strlen(name));
    if (nearest)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "unknown kind of data '%s'; did you mean '%s'?",
                        quoted, nearest);
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "the kinds are sparse, blobs, steps, spam and ratings",
                         "unknown kind of data '%s'", quoted);
}

/* ---- opening --------------------------------------------------------------------------------- */

static GenerateOptions complete(const GeneratorKind *kind, const GenerateOptions *given)
{
    GenerateOptions options = *given;

    options.rows = given->rows > 0 ? given->rows : kind->defaults.rows;
    options.features = given->features > 0 ? given->features : kind->defaults.features;
    options.nonzeros = given->nonzeros > 0 ? given->nonzeros : kind->defaults.nonzeros;
    options.classes = given->classes > 0 ? given->classes : kind->defaults.classes;
    options.rank = given->rank > 0 ? given->rank : kind->defaults.rank;
    options.noise = given->noise >= 0 ? given->noise : kind->defaults.noise;
    options.spread = given->spread >= 0 ? given->spread : kind->defaults.spread;
    if (given->nonzeros <= 0 && options.nonzeros > options.features / 4)
        /* if few columns were requested, rows stay sparse */
        options.nonzeros = options.features / 4;
    if (options.nonzeros < 1)
        options.nonzeros = 1;
    return options;
}

Status clv_generator_open(Context *context, const GeneratorKind *kind,
                          const GenerateOptions *options, Generator **result, cleave_error *error)
{
    Generator *generator;
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, generator, 1, "a generator", error));
    *generator = (Generator){.context = context, .kind = kind, .options = complete(kind, options)};
    status = kind->open(context, &generator->options, &generator->state, error);
    if (status != OK) {
        clv_free(context, generator);
        return status;
    }
    *result = generator;
    return OK;
}

void clv_generator_close(Generator *generator)
{
    if (!generator)
        return;
    generator->kind->close(generator->context, generator->state);
    clv_free(generator->context, generator);
}

uint64_t clv_generator_rows(const Generator *generator, int part)
{
    return (uint64_t)(part == PART_TRAIN ? generator->options.rows : generator->options.test_rows);
}

Status clv_generator_text(const Generator *generator, int part, uint64_t first_row, uint32_t rows,
                          Buffer *buffer, cleave_error *error)
{
    if (!generator->kind->text)
        return clv_fail(error, CLEAVE_ERROR_USAGE, "'%s' generates rows of numbers, not text",
                        generator->kind->name);
    return generator->kind->text(generator->state, part, first_row, rows, buffer, error);
}

/* ---- a source of generated rows -------------------------------------------------------------- */

typedef struct {
    Source source; /* first member, because this is a source */
    Generator *generator;
    int part;
    uint32_t rows_per_block;
    /* number of rows whose labels were counted; a second pass counts none */
    uint64_t counted;
    uint32_t label_count;   /* number of labels of the kind */
    uint32_t *label_number; /* numbers of these labels in the source; UNLABELED until they occur */
    Builder builder;
    Block block;
} GeneratedSource;

static Status new_label(GeneratedSource *self, uint32_t label, cleave_error *error)
{
    const char *const *names = self->generator->kind->labels;
    char digits[NUMBER_SIZE];
    const char *name = digits;

    if (names)
        name = names[label];
    else
        clv_format_unsigned(digits, label);
    return clv_labels_add(&self->source.labels, name, strlen(name), &self->label_number[label],
                          error);
}

/* Maps the label numbers of the kind to those of the source. */
static Status settle_labels(GeneratedSource *self, cleave_error *error)
{
    uint32_t *label = self->builder.label;
    uint64_t row = self->source.rows;

    for (uint32_t i = 0; i < self->builder.rows; i++, row++) {
        if (self->label_number[label[i]] == UNLABELED)
            TRY(new_label(self, label[i], error));
        label[i] = self->label_number[label[i]];
        if (row >= self->counted)
            self->source.labels.list[label[i]].count++;
    }
    if (row > self->counted)
        self->counted = row;
    return OK;
}

static Status next(Source *source, const Block **block, cleave_error *error)
{
    GeneratedSource *self = (GeneratedSource *)source;
    uint64_t left = source->rows_total - source->rows;
    uint32_t rows = left < self->rows_per_block ? (uint32_t)left : self->rows_per_block;

    *block = NULL;
    if (rows == 0)
        return OK;
    clv_builder_clear(&self->builder);
    TRY(self->generator->kind->block(self->generator->state, self->part, source->rows, rows,
                                     &self->builder, error));
    TRY(settle_labels(self, error));
    TRY(clv_builder_finish(&self->builder, &self->block, error));
    self->block.first_row = source->rows;
    source->rows += rows;
    *block = &self->block;
    return OK;
}

static Status rewind_source(Source *source, cleave_error *error)
{
    (void)error;
    source->rows = 0;
    return OK;
}

static void close_source(Source *source)
{
    GeneratedSource *self = (GeneratedSource *)source;

    clv_builder_free(&self->builder);
    clv_generator_close(self->generator);
    clv_free(source->context, self->label_number);
}

static const SourceOps generated_source = {
    .next = next, .rewind = rewind_source, .close = close_source};

static uint32_t rows_per_block(const GeneratorKind *kind, const GenerateOptions *options)
{
    int64_t entries = options->nonzeros > 1 ? options->nonzeros : options->features;
    int64_t rows = kind->block_entries / entries;

    return rows < 1 ? 1 : rows > 4096 ? 4096 : (uint32_t)rows;
}

static Status prepare(GeneratedSource *self, const GeneratorKind *kind,
                      const GenerateOptions *options, cleave_error *error)
{
    Source *source = &self->source;

    TRY(clv_generator_open(source->context, kind, options, &self->generator, error));
    options = &self->generator->options;
    self->rows_per_block = rows_per_block(kind, options);
    self->label_count = kind->labels ? 2 : (uint32_t)options->classes;
    TRY(ALLOC(source->context, self->label_number, self->label_count, "labels", error));
    for (uint32_t i = 0; i < self->label_count; i++)
        self->label_number[i] = UNLABELED;
    source->features = (uint32_t)options->features;
    source->rows_total = clv_generator_rows(self->generator, self->part);
    source->shuffled = true; /* rows are drawn independently, so they are shuffled already */
    /* Columns have the names 1, 2, … as in that format: models trained on these rows can read
     * it. */
    snprintf(source->schema.format, sizeof source->schema.format, "libsvm");
    return OK;
}

Status clv_generator_source(Context *context, const GeneratorKind *kind,
                            const GenerateOptions *options, int part, Source **result,
                            cleave_error *error)
{
    GeneratedSource *self;
    Status status;

    *result = NULL;
    if (!kind->block)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "write it to a .tsv file and convert that file with 'cleave convert'",
                             "'%s' generates lines of text, not rows of numbers", kind->name);
    TRY(ALLOC_ZERO(context, self, 1, "a generator", error));
    clv_source_init(&self->source, context, &generated_source);
    clv_builder_init(&self->builder, context);
    self->part = part;
    status = prepare(self, kind, options, error);
    if (status != OK) {
        clv_source_close(&self->source);
        return status;
    }
    *result = &self->source;
    return OK;
}
