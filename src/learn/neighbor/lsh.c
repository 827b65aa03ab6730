/*
 * Locality-sensitive hashing (Indyk and Motwani 1998; Gionis, Indyk and Motwani 1999). Candidates
 * are the points that share a bucket with the query in one of several tables. Near points share a
 * bucket with a known probability, far points rarely. lsh_family.c defines the hash functions,
 * lsh_choose.c their number.
 *
 * Radii d₁ < d₂ < … have separate tables and are tried in turn, until enough points are found
 * within the current radius. The true neighbors are then within it too, and each was found with at
 * least the target probability. If the last radius does not suffice, all points are scanned.
 * Reported distances are exact; only points may be missing.
 *
 * A table is an ascending array of keys with an array of rows. Keys are hashes, so that
 * interpolation finds their positions quickly.
 */
#include "learn/neighbor/lsh.h"
#include "base/number.h"
#include "base/pool.h"

#include <stdatomic.h>

extern const IndexKind clv_index_scan;
extern const IndexKind clv_index_lsh;

typedef struct {
    Lsh lsh;
    const uint32_t *key, *row; /* table by table, index->built entries each */
    double radius_key[LSH_MOST_LEVELS];
    atomic_uint_fast64_t fallbacks;
} Parts;

#define LEVELS "index_levels"
#define KEYS "index_keys"
#define ROWS "index_rows"
#define SETTINGS "index_settings"
#define NORMALS "index_normals"
#define DIRECTIONS "index_directions"

enum { LEVEL_RADIUS, LEVEL_WIDTH, LEVEL_SIGNATURES, LEVEL_HASHES, LEVEL_PAIRS, LEVEL_NUMBERS };
enum { SETTING_SEED, SETTING_BINS, SETTING_NUMBERS };

static Status suits(const Metric *metric, const Vectors *vectors, cleave_error *error)
{
    LshFamily family;

    (void)vectors;
    if (clv_lsh_family(metric, &family))
        return OK;
    clv_fail(error, CLEAVE_ERROR_USAGE,
             "--index lsh supports the distances euclidean, manhattan, cosine, angle, "
             "jaccard and hamming, not %s",
             clv_distances[metric->distance]);
    return clv_hint(error, CLEAVE_ERROR_USAGE, "--index scan supports every distance");
}

/* ---- building -------------------------------------------------------------------------------- */

typedef struct {
    const Index *index;
    const Lsh *lsh;
    uint32_t level;
    LshScratch *scratch; /* per worker */
    uint32_t *signature; /* signatures of all rows for the level, one signature after another */
    uint64_t *buffer;    /* 2 * built numbers per worker */
    uint32_t *key, *row; /* entries of the tables of the level */
} Building;

enum { ROWS_AT_ONCE = 1024 };

static void sign_rows(void *user, uint32_t piece, unsigned worker)
{
    const Building *building = user;
    uint32_t n = building->index->built, first = piece * ROWS_AT_ONCE;
    uint32_t end = n - first < ROWS_AT_ONCE ? n : first + ROWS_AT_ONCE;
    LshScratch *scratch = &building->scratch[worker];

    for (uint32_t row = first; row < end; row++) {
        LshRow point = clv_lsh_point(&building->index->vectors, row);

        clv_lsh_sign(building->lsh, building->level, &point, scratch);
        for (uint32_t i = 0; i < building->lsh->level[building->level].signatures; i++)
            building->signature[(size_t)i * n + row] = scratch->signature[i];
    }
}

/* Radix sort by the upper half. The sort is stable, so that rows stay in order. */
static void sort_keys(uint64_t *item, uint64_t *other, uint32_t count)
{
    enum { BITS = 11, DIGITS = 1 << BITS, PASSES = 3 };

    for (int pass = 0; pass < PASSES; pass++) {
        int shift = 32 + pass * BITS;
        uint32_t place[DIGITS] = {0}, before = 0;
        uint64_t *swap = item;

        for (uint32_t i = 0; i < count; i++)
            place[item[i] >> shift & (DIGITS - 1)]++;
        for (int digit = 0; digit < DIGITS; digit++) {
            uint32_t here = place[digit];

            place[digit] = before;
            before += here;
        }
        for (uint32_t i = 0; i < count; i++)
            other[place[item[i] >> shift & (DIGITS - 1)]++] = item[i];
        item = other;
        other = swap;
    }
}

/* The two signatures of a table of pairs: (0, 1), (0, 2), (1, 2), (0, 3), … */
static void pair_of(uint32_t table, uint32_t *one, uint32_t *other)
{
    for (*other = 1; table >= *other; ++*other)
        table -= *other;
    *one = table;
}

static void make_table(void *user, uint32_t table, unsigned worker)
{
    const Building *building = user;
    const LshLevel *level = &building->lsh->level[building->level];
    uint32_t n = building->index->built, one = table, other = 0;
    uint64_t *item = building->buffer + (size_t)worker * 2 * n;

    if (level->pairs)
        pair_of(table, &one, &other);
    for (uint32_t row = 0; row < n; row++) {
        uint32_t key = building->signature[(size_t)one * n + row];

        if (level->pairs)
            key = clv_lsh_pair_key(key, building->signature[(size_t)other * n + row]);
        item[row] = (uint64_t)key << 32 | row;
    }
    sort_keys(item, item + n, n);
    /* after three passes, the sorted numbers are in the second half */
    for (uint32_t i = 0; i < n; i++) {
        building->key[(size_t)table * n + i] = (uint32_t)(item[n + i] >> 32);
        building->row[(size_t)table * n + i] = (uint32_t)item[n + i];
    }
}

static Status make_tables(const Index *index, const Lsh *lsh, uint32_t *key, uint32_t *row,
                          cleave_error *error)
{
    Context *context = index->context;
    uint32_t n = index->built, pieces = n / ROWS_AT_ONCE + (n % ROWS_AT_ONCE != 0), most = 1;
    unsigned workers = clv_pool_workers(context, LSH_MOST_TABLES + pieces);
    Building building = {.index = index, .lsh = lsh, .key = key, .row = row};
    Status status = OK;

    for (uint32_t i = 0; i < lsh->level_count; i++)
        most = lsh->level[i].signatures > most ? lsh->level[i].signatures : most;
    building.scratch = clv_alloc(context, workers, sizeof *building.scratch);
    building.signature = clv_alloc(context, (size_t)most * n, sizeof *building.signature);
    building.buffer = clv_alloc(context, (size_t)workers * 2 * n, sizeof *building.buffer);
    if (!building.scratch || !building.signature || !building.buffer)
        status = clv_fail_memory(error, "tables", (size_t)most * n * sizeof *building.signature);
    for (; status == OK && building.level < lsh->level_count; building.level++) {
        uint32_t tables = lsh_tables(&lsh->level[building.level]);

        clv_pool_run(context, pieces, sign_rows, &building);
        clv_pool_run(context, tables, make_table, &building);
        status = clv_poll(context, error);
        building.key += (size_t)tables * n;
        building.row += (size_t)tables * n;
    }
    FREE(context, building.scratch, building.signature, building.buffer);
    return status;
}

static Status put_settings(const Lsh *lsh, Bundle *into, cleave_error *error)
{
    double number[LSH_MOST_LEVELS * LEVEL_NUMBERS];
    uint64_t setting[SETTING_NUMBERS] = {[SETTING_SEED] = lsh->seed, [SETTING_BINS] = lsh->bins};

    for (uint32_t i = 0; i < lsh->level_count; i++) {
        double *to = number + i * LEVEL_NUMBERS;

        to[LEVEL_RADIUS] = lsh->level[i].radius;
        to[LEVEL_WIDTH] = lsh->level[i].width;
        to[LEVEL_SIGNATURES] = lsh->level[i].signatures;
        to[LEVEL_HASHES] = lsh->level[i].hashes;
        to[LEVEL_PAIRS] = lsh->level[i].pairs;
    }
    TRY(clv_bundle_put(into, SETTINGS, BUNDLE_U64, setting, SETTING_NUMBERS, error));
    return clv_bundle_put(into, LEVELS, BUNDLE_F64, number,
                          (uint64_t)lsh->level_count * LEVEL_NUMBERS, error);
}

/* Stores the data of projections: quantiles, and the directions of known columns unless they are
 * too numerous. */
static Status put_projections(const Index *index, Lsh *lsh, Bundle *into, cleave_error *error)
{
    enum { MOST_NUMBERS = 1 << 23 };
    uint32_t features = index->vectors.features;
    float *normal, *direction;

    TRY(ALLOC(index->context, normal, LSH_QUANTILES, "quantiles", error));
    clv_lsh_normals(normal);
    TRY(clv_bundle_take(into, NORMALS, BUNDLE_F32, normal, LSH_QUANTILES, error));
    lsh->normal = normal;
    if (features == 0 || features > MOST_NUMBERS / lsh->functions)
        return OK;
    TRY(ALLOC(index->context, direction, (size_t)features * lsh->functions, "directions", error));
    for (uint32_t column = 0; column < features; column++)
        clv_lsh_directions(lsh, column, 0, lsh->functions,
                           direction + (size_t)column * lsh->functions);
    lsh->direction = direction;
    lsh->known = features;
    return clv_bundle_take(into, DIRECTIONS, BUNDLE_F32, direction,
                           (uint64_t)features * lsh->functions, error);
}

static Status build(const Index *index, Bundle *into, cleave_error *error)
{
    uint32_t *key, *row = NULL;
    size_t count;
    Lsh lsh;
    Status status;

    TRY(clv_lsh_choose(index, &lsh, error));
    TRY(put_settings(&lsh, into, error));
    if (lsh_projects(lsh.family))
        TRY(put_projections(index, &lsh, into, error));
    count = (size_t)lsh.tables * index->built;
    status = ALLOC(index->context, key, count, "tables", error);
    if (status == OK)
        status = ALLOC(index->context, row, count, "tables", error);
    if (status == OK)
        status = make_tables(index, &lsh, key, row, error);
    if (status == OK)
        return TAKE_ARRAYS(into, error, {KEYS, BUNDLE_U32, key, count},
                           {ROWS, BUNDLE_U32, row, count});
    FREE(index->context, key, row);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Whether a number is an integer in this range. */
static bool whole(double number, uint32_t least, uint32_t most, uint32_t *to)
{
    if (!(number >= least && number <= most) || number != floor(number))
        return false;
    *to = (uint32_t)number;
    return true;
}

static bool read_level(const double *from, LshLevel *level)
{
    uint32_t pairs;

    level->radius = from[LEVEL_RADIUS];
    level->width = from[LEVEL_WIDTH];
    if (!whole(from[LEVEL_PAIRS], 0, 1, &pairs) ||
        !whole(from[LEVEL_SIGNATURES], 1 + pairs, LSH_MOST_SIGNATURES, &level->signatures) ||
        !whole(from[LEVEL_HASHES], 1, LSH_MOST_HASHES, &level->hashes))
        return false;
    level->pairs = pairs;
    return level->radius > 0 && isfinite(level->radius) && level->width > 0 &&
           isfinite(level->width) && lsh_tables(level) <= LSH_MOST_TABLES;
}

static bool read_levels(const Bundle *from, Lsh *lsh)
{
    const BundleItem *levels = clv_bundle_get(from, LEVELS, BUNDLE_F64);
    uint64_t setting[SETTING_NUMBERS];

    if (!levels || levels->count == 0 || levels->count % LEVEL_NUMBERS ||
        levels->count / LEVEL_NUMBERS > LSH_MOST_LEVELS ||
        !clv_bundle_copy(from, SETTINGS, BUNDLE_U64, setting, SETTING_NUMBERS))
        return false;
    lsh->seed = setting[SETTING_SEED];
    if (setting[SETTING_BINS] < 1 || setting[SETTING_BINS] > LSH_MOST_BINS)
        return false;
    lsh->bins = (uint32_t)setting[SETTING_BINS];
    lsh->level_count = (uint32_t)(levels->count / LEVEL_NUMBERS);
    for (uint32_t i = 0; i < lsh->level_count; i++) {
        if (!read_level((const double *)levels->data + i * LEVEL_NUMBERS, &lsh->level[i]))
            return false;
        lsh->functions += lsh_functions(&lsh->level[i]);
        lsh->tables += lsh_tables(&lsh->level[i]);
    }
    return true;
}

static bool read_projections(const Bundle *from, Lsh *lsh)
{
    const BundleItem *normal = clv_bundle_get(from, NORMALS, BUNDLE_F32);
    const BundleItem *direction = clv_bundle_get(from, DIRECTIONS, BUNDLE_F32);

    if (!normal || normal->count != LSH_QUANTILES)
        return false;
    lsh->normal = normal->data;
    if (!direction)
        return true;
    if (direction->count % lsh->functions || direction->count / lsh->functions > UINT32_MAX)
        return false;
    lsh->direction = direction->data;
    lsh->known = (uint32_t)(direction->count / lsh->functions);
    return true;
}

static bool read(const Index *index, const Bundle *from, void *memory)
{
    Parts *parts = memory;
    const BundleItem *key = clv_bundle_get(from, KEYS, BUNDLE_U32),
                     *row = clv_bundle_get(from, ROWS, BUNDLE_U32);
    uint64_t count;

    parts->lsh = (Lsh){0};
    if (!clv_lsh_family(&index->metric, &parts->lsh.family) || !read_levels(from, &parts->lsh) ||
        (lsh_projects(parts->lsh.family) && !read_projections(from, &parts->lsh)))
        return false;
    count = (uint64_t)parts->lsh.tables * index->built;
    if (!key || !row || key->count != count || row->count != count)
        return false;
    parts->key = key->data;
    parts->row = row->data;
    for (uint32_t i = 0; i < parts->lsh.level_count; i++) {
        double radius = parts->lsh.level[i].radius;

        parts->radius_key[i] = index->metric.distance == EUCLIDEAN ? radius * radius
                               : index->metric.distance == COSINE  ? 1 - cos(radius * acos(-1.0))
                                                                   : radius;
    }
    return true;
}

static bool table_is_valid(const uint32_t *key, const uint32_t *row, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        if (row[i] >= rows || (i > 0 && key[i] < key[i - 1]))
            return false;
    return true;
}

static Status check(const Index *index, const Bundle *from, cleave_error *error)
{
    const Parts *parts = index->parts;
    uint32_t n = index->built;

    (void)from;
    (void)error;
    for (uint32_t table = 0; table < parts->lsh.tables; table++)
        if (!table_is_valid(parts->key + (size_t)table * n, parts->row + (size_t)table * n, n))
            return CLEAVE_ERROR_FORMAT;
    return !lsh_projects(parts->lsh.family) ||
                   (all_finite(parts->lsh.normal, LSH_QUANTILES) &&
                    all_finite(parts->lsh.direction,
                               (size_t)parts->lsh.known * parts->lsh.functions))
               ? OK
               : CLEAVE_ERROR_FORMAT;
}

/* ---- searching ------------------------------------------------------------------------------- */

typedef struct {
    const Index *index;
    const Parts *parts;
    const Query *query;
    Nearest *nearest;
    LshScratch *scratch;
    uint64_t *seen;      /* a bit per visited row */
    uint32_t *candidate; /* rows of the current level */
    uint32_t candidates;
} Searching;

/* The first position whose key is at least this large, by interpolation followed by galloping
 * search. */
static uint32_t find_key(const uint32_t *key, uint32_t count, uint32_t wanted)
{
    uint64_t low = 0, high = count, guess = (uint64_t)wanted * count >> 32, step = 8;

    if (key[guess] < wanted) {
        low = guess + 1;
        while (low + step < count && key[low + step] < wanted) {
            low += step + 1;
            step *= 2;
        }
        high = low < count && count - low > step ? low + step : count;
    } else {
        high = guess;
        while (high > step && key[high - step - 1] >= wanted) {
            high -= step + 1;
            step *= 2;
        }
        low = high > step ? high - step : 0;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (key[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void take_bucket(Searching *searching, uint32_t table, uint32_t wanted)
{
    uint32_t n = searching->index->built;
    const uint32_t *key = searching->parts->key + (size_t)table * n,
                   *row = searching->parts->row + (size_t)table * n;

    for (uint32_t i = find_key(key, n, wanted); i < n && key[i] == wanted; i++) {
        uint64_t *word = &searching->seen[row[i] / 64], bit = (uint64_t)1 << (row[i] % 64);

        if (*word & bit)
            continue;
        *word |= bit;
        searching->candidate[searching->candidates++] = row[i];
    }
}

static void prefetch_row(const Vectors *vectors, uint32_t row)
{
    if (vectors->dense)
        __builtin_prefetch(dense_row(vectors, row));
    else
        __builtin_prefetch(vectors->column + sparse_start(vectors, row));
}

static void look_at_candidates(Searching *searching)
{
    const Index *index = searching->index;
    Nearest *nearest = searching->nearest;
    enum { AHEAD = 4 };

    for (uint32_t i = 0; i < searching->candidates; i++) {
        uint32_t row = searching->candidate[i];

        if (i + AHEAD < searching->candidates)
            prefetch_row(&index->vectors, searching->candidate[i + AHEAD]);
        if (may_be_found(nearest, row))
            index_push(index, searching->query, nearest, row);
    }
}

/* Visits every table of a level; the first has the number `table`. */
static void try_level(Searching *searching, uint32_t level, uint32_t table)
{
    const Lsh *lsh = &searching->parts->lsh;
    const LshLevel *of = &lsh->level[level];
    const uint32_t *signature = searching->scratch->signature;
    LshRow row = clv_lsh_query(&searching->index->vectors, searching->query);

    clv_lsh_sign(lsh, level, &row, searching->scratch);
    searching->candidates = 0;
    if (!of->pairs)
        for (uint32_t i = 0; i < of->signatures; i++)
            take_bucket(searching, table + i, signature[i]);
    for (uint32_t other = 1; of->pairs && other < of->signatures; other++)
        for (uint32_t one = 0; one < other; one++)
            take_bucket(searching, table++, clv_lsh_pair_key(signature[one], signature[other]));
    look_at_candidates(searching);
}

/* Returns whether the tables are worth trying. If most points are requested, no radius suffices. */
static bool worth_trying(const Index *index, const Nearest *nearest)
{
    const Parts *parts = index->parts;
    enum { PART = 4 };

    return nearest->limit <= parts->radius_key[parts->lsh.level_count - 1] ||
           nearest->most <= index->built / PART;
}

/* Discards the results among the indexed rows and scans these rows. A later point that had been
 * displaced is not missed, because the scan finds the nearer points that displaced it. */
static Status look_at_all(const Index *index, const Query *query, Nearest *nearest,
                          SearchWorkspace *workspace, cleave_error *error)
{
    uint32_t found = nearest->count, kept = 0;
    Parts *parts = index->parts;
    Index scan = *index;

    for (uint32_t i = 0; i < found; i++)
        if (nearest->item[i].row >= index->built)
            nearest->item[kept++] = nearest->item[i];
    nearest->count = 0;
    for (uint32_t i = 0; i < kept; i++)
        clv_nearest_keep(nearest, nearest->item[i].key, nearest->item[i].row);
    atomic_fetch_add_explicit(&parts->fallbacks, 1, memory_order_relaxed);
    scan.kind = &clv_index_scan;
    scan.parts = NULL;
    return scan.kind->search(&scan, query, nearest, 1, workspace, error);
}

/* Tries the radii in turn. Returns false if no radius suffices. */
static bool try_levels(Searching *searching)
{
    const Parts *parts = searching->parts;
    Nearest *nearest = searching->nearest;
    uint32_t table = 0;

    memset(searching->seen, 0,
           ((size_t)searching->index->built + 63) / 64 * sizeof *searching->seen);
    for (uint32_t level = 0; level < parts->lsh.level_count; level++) {
        if (nearest->most != EVERY_POINT || nearest->limit <= parts->radius_key[level]) {
            try_level(searching, level, table);
            /* All points within the limit were requested, or enough points are within the
             * radius. */
            if (nearest->limit <= parts->radius_key[level] ||
                (nearest->count == nearest->most &&
                 nearest->item[0].key <= parts->radius_key[level]))
                return true;
        }
        table += lsh_tables(&parts->lsh.level[level]);
    }
    return false;
}

static Status make_room(Searching *searching, SearchWorkspace *workspace, cleave_error *error)
{
    size_t words = ((size_t)searching->index->built + 63) / 64;
    size_t bytes = sizeof *searching->scratch + words * sizeof *searching->seen +
                   searching->index->built * sizeof *searching->candidate;
    char *memory = clv_search_workspace(workspace, bytes, error);

    if (!memory)
        return CLEAVE_ERROR_MEMORY;
    searching->scratch = (LshScratch *)memory;
    searching->seen = (uint64_t *)(memory + sizeof *searching->scratch);
    searching->candidate = (uint32_t *)(searching->seen + words);
    return OK;
}

static Status search(const Index *index, const Query *queries, Nearest *nearest, uint32_t count,
                     SearchWorkspace *workspace, cleave_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        Searching searching = {
            .index = index, .parts = index->parts, .query = &queries[i], .nearest = &nearest[i]};

        if (nearest[i].most == 0)
            continue;
        /* set for each query, because a scan may have used it */
        TRY(make_room(&searching, workspace, error));
        if (!worth_trying(index, &nearest[i]) || !try_levels(&searching))
            TRY(look_at_all(index, &queries[i], &nearest[i], workspace, error));
    }
    return OK;
}

uint64_t clv_lsh_fallbacks(const Index *index)
{
    Parts *parts = index->parts;

    return atomic_load_explicit(&parts->fallbacks, memory_order_relaxed);
}

const Lsh *clv_lsh_of(const Index *index)
{
    const Parts *parts = index->parts;

    return &parts->lsh;
}

const IndexKind clv_index_lsh = {.name = "lsh",
                                 .suits = suits,
                                 .build = build,
                                 .parts_size = sizeof(Parts),
                                 .read = read,
                                 .check = check,
                                 .search = search};
