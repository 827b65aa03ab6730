/*
 * Sparse rows shaped like RCV1 (Lewis, Yang, Rose, Li 2004): documents of two topics as TF-IDF
 * vectors.
 *
 * A document has a topic, a topicality and a log-normal length. Its tokens follow a Zipf-Mandelbrot
 * law over the columns: the i-th most frequent column, from 0, has a probability proportional to 1
 * / (i + 20), and the frequency ranks are a random permutation. A quarter of the columns lean
 * towards a topic: a token is kept with probability 1 / (1 + e^-a), a = 2 * topic * topicality *
 * lean of its column, and redrawn otherwise. A value is (1 + log count) * log(1 / fraction of
 * documents with the column), and rows have unit norm.
 *
 * A token needs one random number and no transcendental function: 32 of its bits choose a slot of
 * an alias table (Walker 1977), 20 choose between the slot's two columns, and 12 draw a logistic
 * number from a table. The token is kept if that number is below a. This has the probability above,
 * because the logistic function is its distribution function.
 */
#include "synth/draw_values.h"
#include "synth/synth.h"

#include <math.h>

#define MANDELBROT_SHIFT 20
#define POSITIVE_SHARE 0.474
#define LEANING_SHARE 0.25
#define TILT 2.6 /* upper limit of the uniform topicality */
/* standard deviation: lengths are tokens * e^(0.55 x - 0.15) with a standard normal x, within
 * limits */
#define LENGTH_SIGMA 0.55
#define LENGTH_SHIFT 0.15
#define LENGTH_LIMIT 4.0
#define LEAST_IDF 0.05
/* limit of draws per token, for a topic that rejects nearly every column */
#define DRAWS_PER_TOKEN 20

#define SLOT_BITS 20
#define LOGISTIC_BITS 12
#define LOGISTIC_SIZE (1 << LOGISTIC_BITS)
#define TF_SIZE 64

enum { STREAM_ORDER, STREAM_LEAN };

typedef struct {
    uint32_t own;   /* number of draws, of 2^SLOT_BITS, that select the slot's own column */
    uint32_t other; /* column of the other draws */
} Slot;

typedef struct {
    Context *context;
    uint64_t seed;
    double noise;
    double tokens; /* mean length of a document, including repeated tokens */
    uint32_t most_tokens;
    uint32_t features;
    unsigned sort_passes; /* number of bytes of a column number */
    Slot *slot;
    float *lean;
    float *idf;
    float logistic[LOGISTIC_SIZE]; /* quantiles of the logistic distribution */
    float tf[TF_SIZE];
} Sparse;

/* ---- number of tokens for a given number of nonzeros ----------------------------------------- */

/* Gauss-Hermite nodes, for means over a standard normal number. */
static const struct {
    double x, weight;
} normal_nodes[] = {
    {-2.8569700138728056, 0.011257411327720689},
    {-1.3556261799742659, 0.22207592200561264},
    {0, 0.53333333333333333},
    {1.3556261799742659, 0.22207592200561264},
    {2.8569700138728056, 0.011257411327720689},
};
#define NODES (sizeof normal_nodes / sizeof *normal_nodes)

/* The probability that a document contains a column with this expected number of tokens, averaged
 * over lengths and leans. */
static double chance_present(double expected)
{
    const double topicality[] = {TILT / 6, TILT / 2, TILT * 5 / 6};
    double sum = 0;

    for (size_t i = 0; i < NODES; i++) {
        double times = expected * exp(LENGTH_SIGMA * normal_nodes[i].x - LENGTH_SHIFT);
        double leaning = 0;

        for (size_t j = 0; j < NODES; j++)
            for (size_t k = 0; k < 3; k++) {
                double kept = 2 / (1 + exp(-2 * normal_nodes[j].x * topicality[k]));

                leaning -= normal_nodes[j].weight / 3 * expm1(-times * kept);
            }
        sum += normal_nodes[i].weight *
               (LEANING_SHARE * leaning - (1 - LEANING_SHARE) * expm1(-times));
    }
    return sum;
}

/* The mean number of distinct columns among this many tokens. Columns of similar frequency are
 * grouped. */
static double mean_distinct(double tokens, uint32_t features, double total)
{
    double sum = 0;
    double next;

    for (double rank = 0; rank < features; rank = next) {
        next = floor((rank + MANDELBROT_SHIFT) * 1.03 - MANDELBROT_SHIFT);
        if (next <= rank)
            next = rank + 1;
        if (next > features)
            next = features;
        sum += (next - rank) *
               chance_present(tokens / total / ((rank + next - 1) / 2 + MANDELBROT_SHIFT));
    }
    return sum;
}

static double tokens_for(double nonzeros, uint32_t features, double total)
{
    double low = nonzeros / 2, high = 2 * nonzeros;

    while (mean_distinct(high, features, total) < nonzeros && high < 1e6 * nonzeros)
        high *= 2;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;

        if (mean_distinct(middle, features, total) < nonzeros)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- values shared by all rows --------------------------------------------------------------- */

/* Fills the alias table by Vose's method (1991): slots below the mean are filled up from slots
 * above it. share[i] is probability times features. stack has one element per column; slots below
 * the mean are put on it from below, the others from above. */
static void fill_slots(Sparse *self, double *share, uint32_t *stack)
{
    uint32_t small = 0, large = self->features;

    for (uint32_t i = 0; i < self->features; i++) {
        self->slot[i] = (Slot){.own = 1u << SLOT_BITS, .other = i};
        if (share[i] < 1)
            stack[small++] = i;
        else
            stack[--large] = i;
    }
    while (small > 0 && large < self->features) {
        uint32_t small_slot = stack[--small], large_slot = stack[large];

        self->slot[small_slot] = (Slot){
            .own = (uint32_t)(share[small_slot] * (1u << SLOT_BITS) + 0.5), .other = large_slot};
        share[large_slot] -= 1 - share[small_slot];
        if (share[large_slot] < 1) {
            large++;
            stack[small++] = large_slot;
        }
    }
}

static void fill_columns(Sparse *self, double *share, uint32_t *stack, double total)
{
    Random order = clv_random(self->seed, STREAM_ORDER), lean = clv_random(self->seed, STREAM_LEAN);

    for (uint32_t i = 0; i < self->features; i++)
        stack[i] = i;
    clv_shuffle(&order, stack, self->features);
    for (uint32_t rank = 0; rank < self->features; rank++) {
        double probability = 1 / (total * (rank + (double)MANDELBROT_SHIFT));
        double idf = -log(-expm1(-self->tokens * probability));

        share[stack[rank]] = probability * self->features;
        self->idf[stack[rank]] = (float)(idf > LEAST_IDF ? idf : LEAST_IDF);
    }
    for (uint32_t i = 0; i < self->features; i++)
        self->lean[i] = clv_random_unit(&lean) < LEANING_SHARE ? (float)clv_random_normal(&lean)
                                                               : 0;
    fill_slots(self, share, stack);
}

static void measure(Sparse *self, const GenerateOptions *options, double *total)
{
    *total = 0;
    for (uint32_t rank = 0; rank < self->features; rank++)
        *total += 1 / (rank + (double)MANDELBROT_SHIFT);
    self->tokens = tokens_for((double)options->nonzeros, self->features, *total);
    self->most_tokens = (uint32_t)fmin(
        self->tokens * exp(LENGTH_SIGMA * LENGTH_LIMIT - LENGTH_SHIFT) + 2, 1e9);
    while (self->sort_passes < 4 && (uint64_t)self->features > (uint64_t)1
                                                                   << (8 * self->sort_passes))
        self->sort_passes++;
}

static void close_sparse(Context *context, void *state)
{
    Sparse *self = state;

    if (!self)
        return;
    FREE(context, self->slot, self->lean, self->idf, self);
}

static Status prepare(Sparse *self, const GenerateOptions *options, cleave_error *error)
{
    Context *context = self->context;
    size_t features = self->features;
    double *share = clv_alloc(context, features, sizeof *share);
    uint32_t *stack = clv_alloc(context, features, sizeof *stack);
    Status status = OK;
    double total;

    self->slot = clv_alloc(context, features, sizeof *self->slot);
    self->lean = clv_alloc(context, features, sizeof *self->lean);
    self->idf = clv_alloc(context, features, sizeof *self->idf);
    if (!share || !stack || !self->slot || !self->lean || !self->idf) {
        status = clv_fail_memory(error, "the columns of the data",
                                 features * (sizeof *share + sizeof(Slot)));
    } else {
        measure(self, options, &total);
        fill_columns(self, share, stack, total);
        for (int i = 0; i < LOGISTIC_SIZE; i++) {
            double u = (i + 0.5) / LOGISTIC_SIZE;

            self->logistic[i] = (float)log(u / (1 - u));
        }
        for (int i = 1; i < TF_SIZE; i++)
            self->tf[i] = (float)(1 + log(i));
    }
    FREE(context, share, stack);
    return status;
}

static Status open_sparse(Context *context, const GenerateOptions *options, void **state,
                          cleave_error *error)
{
    Sparse *self;
    Status status;

    *state = NULL;
    if (2 * options->nonzeros > options->features)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                             "lower --nonzeros, or use 'blobs' for dense rows",
                             "--nonzeros %lld is more than half of --features %lld",
                             (long long)options->nonzeros, (long long)options->features);
    TRY(ALLOC_ZERO(context, self, 1, "a generator", error));
    self->context = context;
    self->seed = (uint64_t)options->seed;
    self->noise = options->noise;
    self->features = (uint32_t)options->features;
    status = prepare(self, options, error);
    if (status != OK) {
        close_sparse(context, self);
        return status;
    }
    *state = self;
    return OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
    uint32_t *token, *sorted; /* arrays of most_tokens + 1 elements */
    float *value;
} RowScratch;

static Status scratch_new(const Sparse *self, RowScratch *scratch, cleave_error *error)
{
    size_t size = (size_t)self->most_tokens + 1;

    scratch->token = clv_alloc(self->context, size, sizeof *scratch->token);
    scratch->sorted = clv_alloc(self->context, size, sizeof *scratch->sorted);
    scratch->value = clv_alloc(self->context, size, sizeof *scratch->value);
    if (!scratch->token || !scratch->sorted || !scratch->value)
        return clv_fail_memory(error, "a document", size * 3 * sizeof(uint32_t));
    return OK;
}

static uint32_t draw_length(const Sparse *self, Random *random)
{
    double x = fmax(-LENGTH_LIMIT, fmin(LENGTH_LIMIT, clv_random_normal(random)));
    double length = self->tokens * exp(LENGTH_SIGMA * x - LENGTH_SHIFT) + 0.5;

    return length < 1 ? 1 : length > self->most_tokens ? self->most_tokens : (uint32_t)length;
}

/* Draws tokens without branches: every token is written, and kept by advancing the position. */
static uint32_t draw_tokens(const Sparse *self, Random *random, float tilt, uint32_t length,
                            uint32_t *token)
{
    const Slot *slot = self->slot;
    const float *lean = self->lean, *logistic = self->logistic;
    uint64_t features = self->features;
    uint32_t count = 0;

    for (uint64_t draws = (uint64_t)length * DRAWS_PER_TOKEN; count < length && draws > 0;
         draws--) {
        uint64_t bits = clv_random_next(random);
        uint32_t own = (uint32_t)(((bits >> 32) * features) >> 32);
        uint32_t column = (bits & ((1u << SLOT_BITS) - 1)) < slot[own].own ? own : slot[own].other;

        token[count] = column;
        count += logistic[(bits >> SLOT_BITS) & (LOGISTIC_SIZE - 1)] < tilt * lean[column];
    }
    return count > 0 ? count : 1;
}

static uint32_t *insertion_sort(uint32_t *token, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = token[i], j = i;

        for (; j > 0 && token[j - 1] > moved; j--)
            token[j] = token[j - 1];
        token[j] = moved;
    }
    return token;
}

/* Returns the array with the sorted tokens: token or other. */
static uint32_t *sort_tokens(const Sparse *self, uint32_t *token, uint32_t *other, uint32_t count)
{
    if (count < 32)
        return insertion_sort(token, count);
    for (unsigned shift = 0; shift < 8 * self->sort_passes; shift += 8) {
        uint32_t place[256] = {0};
        uint32_t sum = 0;
        uint32_t *swap = other;

        for (uint32_t i = 0; i < count; i++)
            place[(token[i] >> shift) & 255]++;
        for (uint32_t digit = 0; digit < 256; digit++) {
            uint32_t here = place[digit];

            place[digit] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; i++)
            other[place[(token[i] >> shift) & 255]++] = token[i];
        other = token;
        token = swap;
    }
    return token;
}

/* Converts tokens to columns, in place, and to values. Returns their number. */
static uint32_t weigh(const Sparse *self, uint32_t *token, uint32_t count, float *value,
                      double *length)
{
    uint32_t columns = 0;
    double sum = 0;

    for (uint32_t i = 0; i < count;) {
        uint32_t column = token[i], start = i;
        uint32_t times;
        double x;

        while (i < count && token[i] == column)
            i++;
        times = i - start;
        x = (times < TF_SIZE ? (double)self->tf[times] : 1 + log(times)) *
            (double)self->idf[column];
        sum += x * x;
        token[columns] = column;
        value[columns++] = (float)x;
    }
    *length = sqrt(sum);
    return columns;
}

static Status make_row(const Sparse *self, Random random, RowScratch *scratch, Builder *builder,
                       cleave_error *error)
{
    bool positive = clv_random_unit(&random) < POSITIVE_SHARE;
    double topicality = TILT * clv_random_unit(&random);
    bool wrong = clv_random_unit(&random) < self->noise;
    uint32_t length = draw_length(self, &random);
    uint32_t count = draw_tokens(self, &random,
                                 (float)(positive ? 2 * topicality : -2 * topicality), length,
                                 scratch->token);
    uint32_t *column = sort_tokens(self, scratch->token, scratch->sorted, count);
    double norm;

    count = weigh(self, column, count, scratch->value, &norm);
    norm = 1 / norm;
    clv_builder_begin_row(builder);
    for (uint32_t i = 0; i < count; i++)
        TRY(clv_builder_add(builder, column[i], clv_rounded(norm * (double)scratch->value[i]),
                            error));
    return clv_builder_end_row(builder, positive != wrong, error);
}

static Status make_rows(void *state, int part, uint64_t first_row, uint32_t rows, Builder *builder,
                        cleave_error *error)
{
    const Sparse *self = state;
    RowScratch scratch = {0};
    Status status = scratch_new(self, &scratch, error);

    for (uint32_t i = 0; i < rows && status == OK; i++)
        status = make_row(self, clv_row_random(self->seed, part, first_row + i), &scratch, builder,
                          error);
    FREE(self->context, scratch.token, scratch.sorted, scratch.value);
    return status;
}

const GeneratorKind clv_generator_sparse = {
    .name = "sparse",
    .brief = "documents of two topics as sparse TF-IDF rows, shaped like RCV1",
    .uses = USES_FEATURES | USES_NONZEROS,
    .defaults = {.rows = 781265, .features = 47236, .nonzeros = 75, .classes = 2, .noise = 0.012},
    .open = open_sparse,
    .close = close_sparse,
    .block = make_rows,
    .labels = (const char *const[]){"-1", "+1"},
    .block_entries = 65536,
};
