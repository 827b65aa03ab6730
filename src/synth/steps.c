/*
 * Rows like those of a land survey: numeric columns and groups of one-hot indicators. Random trees
 * vote on the class of a row. Each tree tests a few numbers against thresholds and a few groups for
 * membership in a set. The class borders are axis-parallel, which favors trees over linear models.
 */
#include "synth/draw_values.h"
#include "synth/synth.h"

enum { TREES = 25, DEPTH = 5, NODES = (1 << DEPTH) - 1, LEAVES = 1 << DEPTH, BUNDLES = 2 };
enum { STREAM_TREES = 7 };

typedef struct {
    uint32_t asked; /* a numeric column; numbers from `numbers` on stand for a group */
    float bound;
    uint64_t set; /* for a group: indicator m counts as above the threshold if bit m % 64 is set */
} Question;

typedef struct {
    uint64_t seed;
    double noise;
    uint32_t features, classes;
    uint32_t numbers, bundle[BUNDLES]; /* number of numeric columns, and of columns of each group */
    Question question[TREES][NODES];
    uint32_t vote[TREES][LEAVES];
} Steps;

/* Draws numbers. There are four kinds of columns: normal, skewed, discrete, and correlated with
 * another column. */
static void draw_numbers(const Steps *self, Random *random, float *value)
{
    for (uint32_t j = 0; j < self->numbers; j++) {
        double normal = clv_random_normal(random);

        switch (j % 4) {
        case 0:
            value[j] = clv_rounded(normal);
            break;
        case 1:
            value[j] = clv_rounded(normal * normal);
            break;
        case 2:
            value[j] = (float)clv_random_below(random, 12) - 5;
            break;
        default:
            value[j] = clv_rounded(0.7 * (double)value[j - 3] + 0.7 * normal);
            break;
        }
    }
}

/* Draws an indicator. Low indicators are more frequent than high ones. */
static uint32_t draw_mark(Random *random, uint32_t count)
{
    double at = clv_random_unit(random);

    return (uint32_t)(at * at * (double)count);
}

static Question draw_question(const Steps *self, Random *random)
{
    Question question = {.asked = clv_random_below(random, self->numbers + 2 * BUNDLES),
                         .set = clv_random_next(random)};

    question.bound = clv_rounded(0.8 * clv_random_normal(random));
    if (question.asked >= self->numbers) /* groups are tested twice as often as numbers */
        question.asked = self->numbers + (question.asked - self->numbers) % BUNDLES;
    return question;
}

static void draw_trees(Steps *self)
{
    Random random = clv_random(self->seed, STREAM_TREES);

    for (uint32_t tree = 0; tree < TREES; tree++) {
        for (uint32_t i = 0; i < NODES; i++)
            self->question[tree][i] = draw_question(self, &random);
        for (uint32_t i = 0; i < LEAVES; i++)
            self->vote[tree][i] = clv_random_below(&random, self->classes);
    }
}

static bool is_above(const Steps *self, const Question *question, const float *value,
                     const uint32_t *mark)
{
    if (question->asked < self->numbers)
        return value[question->asked] > question->bound;
    return (question->set >> (mark[question->asked - self->numbers] % 64)) & 1;
}

static uint32_t elect(const Steps *self, const float *value, const uint32_t *mark)
{
    uint32_t votes[1000] = {0}, most = 0;

    for (uint32_t tree = 0; tree < TREES; tree++) {
        uint32_t at = 0;

        for (uint32_t depth = 0; depth < DEPTH; depth++)
            at = 2 * at + 1 + is_above(self, &self->question[tree][at], value, mark);
        votes[self->vote[tree][at - NODES]]++;
    }
    for (uint32_t c = 1; c < self->classes; c++)
        if (votes[c] > votes[most])
            most = c;
    return most;
}

static Status open_steps(Context *context, const GenerateOptions *options, void **state,
                         cleave_error *error)
{
    uint32_t features = (uint32_t)options->features,
             marks = features / 54 * 44 + features % 54 * 44 / 54;
    Steps *self;

    *state = NULL;
    if (options->features > 1 << 20)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--features: 'steps' supports at most 1048576 columns");
    TRY(ALLOC_ZERO(context, self, 1, "a generator", error));
    self->seed = (uint64_t)options->seed;
    self->noise = options->noise;
    self->features = features;
    self->classes = (uint32_t)options->classes;
    self->numbers = features - marks;
    self->bundle[0] = marks / 11;
    self->bundle[1] = marks - self->bundle[0];
    draw_trees(self);
    *state = self;
    return OK;
}

static void close_steps(Context *context, void *state)
{
    clv_free(context, state);
}

static void fill_row(const Steps *self, Random *random, float *value, uint32_t *label)
{
    uint32_t mark[BUNDLES] = {0}, at = self->numbers;

    for (uint32_t j = at; j < self->features; j++)
        value[j] = 0;
    draw_numbers(self, random, value);
    for (int b = 0; b < BUNDLES; at += self->bundle[b++]) {
        mark[b] = draw_mark(random, self->bundle[b]);
        if (self->bundle[b] > 0)
            value[at + mark[b]] = 1;
    }
    *label = elect(self, value, mark);
    if (self->classes > 1 && clv_random_unit(random) < self->noise)
        *label = (*label + 1 + clv_random_below(random, self->classes - 1)) % self->classes;
}

static Status make_rows(void *state, int part, uint64_t first_row, uint32_t rows, Builder *builder,
                        cleave_error *error)
{
    const Steps *self = state;

    for (uint32_t i = 0; i < rows; i++) {
        Random random = clv_row_random(self->seed, part, first_row + i);
        uint32_t label;
        float *value;

        TRY(clv_builder_dense_row(builder, self->features, 0, &value, error));
        fill_row(self, &random, value, &label);
        builder->label[builder->rows - 1] = label;
    }
    return OK;
}

const GeneratorKind clv_generator_steps = {
    .name = "steps",
    .brief = "numeric and indicator columns, classes with axis-parallel borders",
    .uses = USES_FEATURES | USES_CLASSES,
    .defaults = {.rows = 10000, .features = 54, .nonzeros = 1, .classes = 7, .noise = 0.05},
    .open = open_steps,
    .close = close_steps,
    .block = make_rows,
    .block_entries = 65536,
};
