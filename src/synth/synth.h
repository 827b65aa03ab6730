/*
 * Synthetic data: small built-in datasets from the literature, and generators of large data of a
 * known shape.
 */
#ifndef SYNTH_SYNTH_H
#define SYNTH_SYNTH_H

#include "base/param.h"
#include "data/builder.h"
#include "data/dataset.h"

/* ---- built-in datasets, "@spam6" … ----------------------------------------------------------- */
typedef struct {
    const char *name; /* name, beginning with @ */
    const char *brief;
    const char *const *features; /* names of features, NULL at the end */
    const char *const *rows;     /* names of rows; NULL: rows have no names */
    const char *const *labels;   /* label of each row, NULL at the end */
    const float *values;         /* rows * features numbers; NULL: pairs is used */
    const uint8_t *pairs;        /* the two features of each row that are 1, by number */
} Builtin;

extern const Builtin clv_builtins[]; /* the list ends with a NULL name */
/* Returns a dataset with the rows in order. Fails for an unknown name, and suggests the nearest. */
Status clv_builtin_open(Context *context, const char *name, Dataset **dataset, cleave_error *error);

/* ---- generators ------------------------------------------------------------------------------ */
typedef struct {
    int64_t rows, test_rows, features, nonzeros, classes, rank, seed;
    const char *format; /* output format; NULL: determined by the suffix of the output */
    double noise;       /* fraction of flipped labels */
    double spread;      /* blobs: distance of the two nearest centers, in standard deviations */
} GenerateOptions;

/* An initial value outside its range selects the default of the kind; clv_generator_open inserts
 * it. */
extern const Param clv_generate_params[];

enum { USES_FEATURES = 1, USES_NONZEROS = 2, USES_CLASSES = 4, USES_SPREAD = 8, USES_RANK = 16 };

/* Training rows and test rows are two samples of one population. */
enum { PART_TRAIN, PART_TEST };

/* A kind makes the rows first_row, first_row + 1, … of a part, either into a builder or as lines of
 * `label TAB text` or of a table. Each row is a function of (options, part, row number) only, so
 * any thread can make any rows. */
typedef struct {
    const char *name, *brief;
    /* options that apply to the kind; rows, test_rows, seed, noise and format always do */
    unsigned uses;
    GenerateOptions defaults; /* defaults of the kind; test_rows and seed are ignored */
    /* Validates the completed options and prepares. */
    Status (*open)(Context *context, const GenerateOptions *options, void **state,
                   cleave_error *error);
    void (*close)(Context *context, void *state);
    Status (*block)(void *state, int part, uint64_t first_row, uint32_t rows, Builder *builder,
                    cleave_error *error);
    Status (*text)(void *state, int part, uint64_t first_row, uint32_t rows, Buffer *buffer,
                   cleave_error *error);
    /* for block: names of the label numbers 0, 1, …; NULL: "0", "1", … */
    const char *const *labels;
    uint32_t block_entries; /* approximate number of entries per block */
    bool ratings;           /* the text is a table: user TAB item TAB rating */
} GeneratorKind;

extern const GeneratorKind *const clv_generators[]; /* NULL at the end */
extern const GeneratorKind clv_generator_sparse, clv_generator_blobs, clv_generator_steps,
    clv_generator_spam, clv_generator_ratings;

/* Finds a kind by name. Fails for an unknown name, and suggests the nearest. */
Status clv_generator_find(const char *name, const GeneratorKind **kind, cleave_error *error);

/* A kind with its options. */
typedef struct {
    Context *context;
    const GeneratorKind *kind;
    GenerateOptions options; /* options with all defaults filled in */
    void *state;
} Generator;

Status clv_generator_open(Context *context, const GeneratorKind *kind,
                          const GenerateOptions *options, Generator **generator,
                          cleave_error *error);
void clv_generator_close(Generator *generator); /* accepts NULL */
uint64_t clv_generator_rows(const Generator *generator, int part);

/* For kinds with text: appends lines to the buffer, allocated from the context. */
Status clv_generator_text(const Generator *generator, int part, uint64_t first_row, uint32_t rows,
                          Buffer *buffer, cleave_error *error);

/* For kinds with blocks: makes a source of the rows of a part, which can be rewound. Labels are
 * numbered in order of appearance, as when read from a file. Fails for kinds that make text. */
Status clv_generator_source(Context *context, const GeneratorKind *kind,
                            const GenerateOptions *options, int part, Source **source,
                            cleave_error *error);

#endif
