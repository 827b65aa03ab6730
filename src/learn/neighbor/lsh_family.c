/*
 * Families of hash functions with equal values for near points more often than for far points, with
 * their collision probabilities:
 *
 *     jaccard    minimum hash of a set: 1 − d (Broder 1997). One pass over a set gives many
 *                functions: members are distributed to bins, each with its minimum; an empty bin
 *                copies a full one (Li, Owen and Zhang 2012; Shrivastava 2017)
 *     angle      side of a random hyperplane: 1 − d (Charikar 2002); cosine by its angle
 *     euclidean  cell of a shifted Gaussian projection: with t = w/d
 *                1 − 2Φ(−t) − 2/(√(2π) t) (1 − e^(−t²/2)) (Datar et al. 2004)
 *     manhattan  the same with the Cauchy distribution: 2 atan(t)/π − ln(1 + t²)/(πt)
 *     hamming    values of a random sample of columns, each with probability s: (1 − s)^d (Indyk
 *                and Motwani 1998)
 *
 * Random numbers are functions of seed, column and function, so that nothing is stored per column
 * and new columns may appear. Normal numbers are drawn from 4096 quantiles; Cauchy numbers are
 * quotients of two.
 */
#include "base/random.h"
#include "learn/neighbor/lsh.h"

#define GOLDEN 0x9E3779B97F4A7C15u
#define PI 3.14159265358979323846
#define NOTHING UINT32_MAX /* minimum hash of an empty set */

bool clv_lsh_family(const Metric *metric, LshFamily *family)
{
    switch (metric->distance) {
    case EUCLIDEAN:
        *family = LSH_GAUSS;
        return true;
    case MANHATTAN:
        *family = LSH_CAUCHY;
        return true;
    case COSINE:
    case ANGLE:
        *family = LSH_PLANES;
        return true;
    case JACCARD:
        *family = LSH_MINHASH;
        return true;
    case HAMMING:
        *family = LSH_SAMPLING;
        return true;
    default:
        return false;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

LshRow clv_lsh_point(const Vectors *vectors, uint32_t row)
{
    uint64_t start;

    if (vectors->dense)
        return (LshRow){.dense = dense_row(vectors, row), .features = vectors->features};
    start = sparse_start(vectors, row);
    return (LshRow){.column = vectors->column + start,
                    .value = vectors->value + start,
                    .count = (size_t)(vectors->end[row] - start)};
}

LshRow clv_lsh_query(const Vectors *vectors, const Query *query)
{
    size_t past = vectors->dense ? query->known : 0;

    if (query->count == 0)
        return (LshRow){.dense = vectors->dense ? query->dense : NULL,
                        .features = vectors->features};
    return (LshRow){.dense = vectors->dense ? query->dense : NULL,
                    .features = vectors->features,
                    .column = query->column + past,
                    .value = query->value + past,
                    .count = query->count - past};
}

typedef struct {
    const LshRow *row;
    size_t at; /* dense columns first, then the list */
    uint32_t column;
    float value;
} Walk;

/* The next nonzero value. */
static inline bool next_entry(Walk *walk)
{
    const LshRow *row = walk->row;
    size_t features = row->dense ? row->features : 0;

    while (walk->at < features) {
        walk->column = (uint32_t)walk->at;
        walk->value = row->dense[walk->at++];
        if (walk->value != 0)
            return true;
    }
    while (walk->at < features + row->count) {
        walk->column = row->column[walk->at - features];
        walk->value = row->value[walk->at++ - features];
        if (walk->value != 0)
            return true;
    }
    return false;
}

/* A random number for this seed, use and column. */
static inline uint64_t column_key(const Lsh *lsh, uint64_t use, uint32_t column)
{
    return clv_mix(clv_random(lsh->seed, use).key + GOLDEN * ((uint64_t)column + 1));
}

enum { USE_SETS = 0x15400, USE_DIRECTIONS, USE_SHIFTS, USE_SAMPLES };

static inline uint64_t mix_hash(uint64_t so_far, uint64_t next)
{
    return clv_mix(so_far ^ (next + GOLDEN));
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* Copies full bins into empty ones. The choice depends on the bin alone, so that two sets make the
 * same choice. */
static void fill_empty(const Lsh *lsh, uint64_t look, uint32_t bins, uint32_t *least)
{
    uint64_t full = 0;

    for (uint32_t bin = 0; bin < bins; bin++)
        full |= (uint64_t)(least[bin] != NOTHING) << bin;
    if (!full)
        return;
    for (uint32_t bin = 0; bin < bins; bin++) {
        Random random = clv_random(lsh->seed ^ look, bin);
        uint32_t from = bin;

        for (int attempt = 0; !(full >> from & 1); attempt++)
            from = attempt < 4 * LSH_MOST_BINS ? clv_random_below(&random, bins)
                                               : (from + 1) % bins;
        least[bin] = least[from];
    }
}

static void hash_set(const Lsh *lsh, uint32_t level, const LshRow *row, uint32_t *least)
{
    uint32_t functions = lsh_functions(&lsh->level[level]),
             looks = (functions + lsh->bins - 1) / lsh->bins;

    memset(least, 0xFF, functions * sizeof *least);
    for (Walk walk = {.row = row}; next_entry(&walk);) {
        uint64_t key = column_key(lsh, USE_SETS + ((uint64_t)level << 32), walk.column);

        for (uint32_t look = 0; look < looks; look++) {
            uint32_t first = look * lsh->bins, left = functions - first,
                     bins = left < lsh->bins ? left : lsh->bins;
            uint64_t hash = clv_mix(key + GOLDEN * look);
            uint32_t bin = first + (uint32_t)((hash >> 32) * bins >> 32),
                     value = (uint32_t)hash >> 1;

            if (value < least[bin])
                least[bin] = value;
        }
    }
    for (uint32_t look = 0; look < looks; look++) {
        uint32_t first = look * lsh->bins, left = functions - first;

        fill_empty(lsh, ((uint64_t)level << 32) + look + 1, left < lsh->bins ? left : lsh->bins,
                   least + first);
    }
}

/* ---- projections ----------------------------------------------------------------------------- */

/* Computes the LSH_QUANTILES quantiles, each by Newton's method from the previous one. */
void clv_lsh_normals(float normal[LSH_QUANTILES])
{
    double x = 0;

    for (int i = LSH_QUANTILES / 2; i < LSH_QUANTILES; i++) {
        double above = 1 - (i + 0.5) / LSH_QUANTILES;

        for (int step = 0; step < 8; step++)
            x += (erfc(x / sqrt(2)) / 2 - above) / (exp(-x * x / 2) / sqrt(2 * PI));
        normal[i] = (float)x;
        normal[LSH_QUANTILES - 1 - i] = -(float)x;
    }
}

void clv_lsh_directions(const Lsh *lsh, uint32_t column, uint32_t first, uint32_t count,
                        float *direction)
{
    uint64_t key = column_key(lsh, USE_DIRECTIONS, column), bits = 0;
    uint32_t each = lsh->family == LSH_CAUCHY ? 2 : 5, last = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = (first + i) / each, place = (first + i) % each;

        if (group != last)
            bits = clv_mix(key + GOLDEN * (group + 1));
        last = group;
        if (lsh->family == LSH_CAUCHY)
            direction[i] = lsh->normal[bits >> (24 * place) & (LSH_QUANTILES - 1)] /
                           lsh->normal[bits >> (24 * place + 12) & (LSH_QUANTILES - 1)];
        else
            direction[i] = lsh->normal[bits >> (12 * place) & (LSH_QUANTILES - 1)];
    }
}

static void project(const Lsh *lsh, uint32_t first, uint32_t functions, const LshRow *row,
                    LshScratch *scratch)
{
    double *restrict sum = scratch->sum;

    memset(sum, 0, functions * sizeof *sum);
    for (Walk walk = {.row = row}; next_entry(&walk);) {
        const float *restrict direction = scratch->direction;
        double value = (double)walk.value;

        if (walk.column < lsh->known)
            direction = lsh->direction + (size_t)walk.column * lsh->functions + first;
        else
            clv_lsh_directions(lsh, walk.column, first, functions, scratch->direction);
        for (uint32_t i = 0; i < functions; i++)
            sum[i] += value * (double)direction[i];
    }
}

/* The number of the cell, as the bits of a double, because it can exceed every integer type. */
static uint64_t cell_of(const Lsh *lsh, double width, uint32_t function, double sum)
{
    Random random = clv_random(lsh->seed + USE_SHIFTS, function);
    double cell = floor(sum / width + clv_random_unit(&random)) + 0.0;
    uint64_t bits;

    memcpy(&bits, &cell, sizeof bits);
    return bits;
}

/* ---- samples of columns ---------------------------------------------------------------------- */

/* The hash of the sampled columns. It depends on their values only, not on the form of the row. */
static void hash_sample(const Lsh *lsh, uint32_t level, const LshRow *row, LshScratch *scratch)
{
    const LshLevel *of = &lsh->level[level];
    uint64_t total[LSH_MOST_SIGNATURES] = {0};

    for (Walk walk = {.row = row}; next_entry(&walk);) {
        uint64_t key = column_key(lsh, USE_SAMPLES + ((uint64_t)level << 32), walk.column);
        uint32_t bits;

        memcpy(&bits, &walk.value, sizeof bits);
        for (uint32_t i = 0; i < of->signatures; i++) {
            uint64_t hash = clv_mix(key + GOLDEN * i);

            if ((double)(hash >> 11) * 0x1p-53 < of->width)
                total[i] += mix_hash(hash, bits);
        }
    }
    for (uint32_t i = 0; i < of->signatures; i++)
        scratch->signature[i] = (uint32_t)(clv_mix(total[i] + i) >> 32);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static uint64_t value_of(const Lsh *lsh, const LshLevel *level, uint32_t first, uint32_t i,
                         const LshScratch *scratch)
{
    switch (lsh->family) {
    case LSH_MINHASH:
        return scratch->least[i];
    case LSH_PLANES:
        return scratch->sum[i] >= 0;
    default:
        return cell_of(lsh, level->width, first + i, scratch->sum[i]);
    }
}

void clv_lsh_sign(const Lsh *lsh, uint32_t level, const LshRow *row, LshScratch *scratch)
{
    const LshLevel *of = &lsh->level[level];
    uint32_t first = 0, at = 0;

    if (lsh->family == LSH_SAMPLING) {
        hash_sample(lsh, level, row, scratch);
        return;
    }
    for (uint32_t i = 0; i < level; i++)
        first += lsh_functions(&lsh->level[i]);
    if (lsh->family == LSH_MINHASH)
        hash_set(lsh, level, row, scratch->least);
    else
        project(lsh, first, lsh_functions(of), row, scratch);
    for (uint32_t i = 0; i < of->signatures; i++) {
        uint64_t signature = i;

        for (uint32_t j = 0; j < of->hashes; j++, at++)
            signature = mix_hash(signature, value_of(lsh, of, first, at, scratch));
        scratch->signature[i] = (uint32_t)(signature >> 32);
    }
}

uint32_t clv_lsh_pair_key(uint32_t one, uint32_t other)
{
    return (uint32_t)(clv_mix((uint64_t)one << 32 | other) >> 32);
}

/* ---- probabilities --------------------------------------------------------------------------- */

static double same_cell_gauss(double t)
{
    return 1 - erfc(t / sqrt(2)) - 2 / (sqrt(2 * PI) * t) * (1 - exp(-t * t / 2));
}

static double same_cell_cauchy(double t)
{
    return 2 * atan(t) / PI - log1p(t * t) / (PI * t);
}

double clv_lsh_agree(LshFamily family, const LshLevel *level, double distance)
{
    double one;

    if (distance <= 0)
        return 1;
    switch (family) {
    case LSH_GAUSS:
        one = same_cell_gauss(level->width / distance);
        break;
    case LSH_CAUCHY:
        one = same_cell_cauchy(level->width / distance);
        break;
    case LSH_SAMPLING:
        return pow(1 - level->width, distance);
    default:
        one = 1 - distance;
    }
    return one > 0 ? pow(one, level->hashes) : 0;
}

double clv_lsh_meet_by(const LshLevel *level, double agree)
{
    double m = level->signatures, none = pow(1 - agree, m);

    if (agree >= 1)
        return 1;
    return 1 - none - (level->pairs ? m * agree * none / (1 - agree) : 0);
}
